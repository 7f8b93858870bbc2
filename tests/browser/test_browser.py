"""The playground in a real browser, and crdlint in Pyodide; skipped where node, npm or Chromium is missing."""

from __future__ import annotations

import base64
import fcntl
import functools
import json
import shutil
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from examples import EXAMPLES, PLAYGROUND, parts
from upstream.known import known_differences
from upstream.records import load_all
from upstream.rows import recorded_requests

from crdlint.kubernetes.servers import NEWEST_VERSION

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parents[2]
CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
]
SERIOUS = {"serious", "critical"}
WAIT = 60_000  # milliseconds that a loaded machine may need for the first answer
NO_NETWORK = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT")

CRD = (ROOT / "fixtures/invalid/list-map-key-optional.yaml").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site with the playground, which the processes of a test run share."""
    pytest.importorskip("material", reason="the extra `docs` is not installed")
    if not (shutil.which("npm") and shutil.which("node")):
        pytest.skip("npm or node is not installed")
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base
    folder = shared / "playground-site"
    with (shared / "playground.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "playground" / "service-worker.js").exists():
            site = [
                sys.executable,
                "-m",
                "mkdocs",
                "build",
                "--quiet",
                "--strict",
                "--site-dir",
                str(folder),
            ]
            subprocess.run(site, cwd=ROOT, capture_output=True, check=True)
            command = [
                sys.executable,
                str(ROOT / "docs" / "make_playground.py"),
                str(folder / "playground"),
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if any(word in done.stderr for word in NO_NETWORK):
                pytest.skip("the registry of npm cannot be reached")
            assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name in the class
        """Print nothing."""


@pytest.fixture(scope="module")
def url(built: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(built)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/playground/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    api = pytest.importorskip("playwright.sync_api", reason="the extra `docs` is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def shared_page(browser: Browser, url: str) -> Iterator[Page]:
    """One page for the tests that only change its texts."""
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.set_default_timeout(WAIT)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "console",
        lambda message: problems.append(message.text) if message.type == "error" else None,
    )
    page.goto(url)
    page.wait_for_selector("#findings li")
    yield page
    assert problems == []
    page.close()


def fragment(**texts: str) -> str:
    """Return the fragment of a shared link, as share.js writes it."""
    state = {"crd": "", "resource": "", "old": "", "version": "1.36", **texts}
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(json.dumps(state).encode()) + packer.flush()
    return "#1." + base64.urlsafe_b64encode(data).decode().rstrip("=")


def open_texts(page: Page, url: str, **texts: str) -> None:
    """Show texts, and wait for the answer to them; others first, as the page does not check the same ones again.

    A text is loaded some time after its link is opened, and the answer to the one before is gone then.
    """
    for shown in ({"old": "# Other texts\n", "version": "1.29"}, {"version": "1.36", **texts}):
        page.evaluate("location.hash = ''")
        page.goto(url + fragment(**shown))
        page.wait_for_selector(f"#version[data-wanted='{shown['version']}']", state="attached")
        page.wait_for_selector("#verdict:not(:empty)")


def rules(page: Page) -> list[str]:
    return page.locator("#findings a").all_inner_texts()


def test_a_finding_is_underlined_and_its_fix_accepted(shared_page: Page, url: str) -> None:
    open_texts(shared_page, url, crd=CRD)
    assert rules(shared_page) == ["list-map-key-required"]
    shared_page.click("#findings .place")
    assert shared_page.locator(".cm-lintRange-error").all_inner_texts() == ["protocol"]
    shared_page.click("#findings .fix")
    shared_page.wait_for_selector("#verdict.good")
    assert "default: TCP" in shared_page.inner_text(".cm-content")
    assert rules(shared_page) == []


def test_positions_after_characters_of_two_units_are_right(shared_page: Page, url: str) -> None:
    text = CRD.replace(
        "  name: widgets.example.com",
        "  {annotations: {a: '😀😀'}, naem: x, name: widgets.example.com}",
    )
    open_texts(shared_page, url, crd=text)
    shared_page.click("#findings .place")
    assert shared_page.locator(".cm-lintRange-error").all_inner_texts()[0] == "naem"


def test_typing_is_checked(shared_page: Page, url: str) -> None:
    open_texts(shared_page, url, crd=CRD)
    shared_page.click(".cm-content")
    shared_page.keyboard.press("Control+a")
    shared_page.keyboard.insert_text("a: [")
    shared_page.locator("#findings a", has_text="yaml-syntax").wait_for()


def test_the_version_is_used(shared_page: Page, url: str) -> None:
    open_texts(shared_page, url, crd=parts(EXAMPLES[1])["crd"], version="1.29")
    assert rules(shared_page) == ["cel-compilation"]
    shared_page.select_option("#version", "1.36")
    shared_page.wait_for_selector("#verdict.good")


def test_time_zones_are_known(shared_page: Page, url: str) -> None:
    noon = "timestamp(self).getHours('Europe/Berlin') == 12"
    at = f"{{type: string, default: '2026-07-01T10:00:00Z', x-kubernetes-validations: [{{rule: \"{noon}\"}}]}}"
    open_texts(
        shared_page,
        url,
        crd=CRD.replace("              ports:", f"              at: {at}\n              ports:"),
    )
    assert rules(shared_page) == ["list-map-key-required"]


def test_an_example_without_a_version_is_for_the_newest(shared_page: Page, url: str) -> None:
    open_texts(shared_page, url, crd=CRD)
    for index, version in ((1, "1.29"), (2, NEWEST_VERSION), (1, "1.29")):
        shared_page.select_option("#examples", f"example-{index}")
        assert shared_page.input_value("#version") == version


def test_breaking_changes_have_a_headline_of_their_own(shared_page: Page, url: str) -> None:
    new = CRD[: CRD.index("              ports:")] + "              other: {type: string}\n"
    old = CRD.replace(
        "              ports:", "              name: {type: string}\n              ports:"
    )
    open_texts(shared_page, url, crd=new, old=old)
    assert "accepts the update of the CRD" in shared_page.inner_text("#verdict.good")
    assert "Changes for clients and existing objects: 2 breaking" in shared_page.inner_text(
        "#breaking"
    )


def test_a_resource_and_an_old_version_are_checked(shared_page: Page, url: str) -> None:
    with_resource, with_old = (parts(EXAMPLES[index]) for index in (18, 8))
    open_texts(shared_page, url, crd=with_resource["crd"], resource=with_resource["resource"])
    assert sorted(rules(shared_page)) == ["resource-rule", "unknown-field"]
    open_texts(shared_page, url, crd=with_old["crd"], old=with_old["old"])
    assert rules(shared_page) == ["spec-immutable"]


def test_the_first_answer_is_in_the_page(browser: Browser, url: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.route("**/worker.js", lambda route: route.abort())
    page.goto(url)
    page.wait_for_selector("#verdict.error")
    assert rules(page)[0] == "cel-rule-cost"
    assert page.input_value("#examples") == "example-0"
    context.close()


def test_a_text_is_never_lost(browser: Browser, url: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(WAIT)

    def text() -> str:
        return page.inner_text(".cm-content")

    def type_at_end(words: str) -> None:
        page.click(".cm-content")
        page.keyboard.press("Control+End")
        page.keyboard.insert_text(words)
        page.locator("#examples option", has_text="Your text").first.wait_for(state="attached")

    page.goto(url)
    page.locator("#status", has_text="Checked in").wait_for()
    type_at_end("# the first text of mine")
    page.select_option("#examples", "example-3")
    assert "of mine" not in text()
    page.click(".cm-content")
    page.keyboard.press("Control+z")
    assert "# the first text of mine" in text()
    open_texts(page, url, crd=CRD)
    type_at_end("# the second text of mine")
    page.wait_for_timeout(300)
    page.goto("about:blank")
    page.goto(url)  # a new visit
    page.wait_for_selector("#findings li")
    assert "# the second text of mine" in text()
    own = page.locator("#examples option", has_text="Your text")
    kept = []
    for index in range(own.count()):
        page.select_option("#examples", f"own-{index}")
        kept.append(text().strip().splitlines()[-1])
    assert {"# the first text of mine", "# the second text of mine"} <= set(kept)
    context.close()


def type_at_end(page: Page, words: str) -> None:
    page.bring_to_front()
    page.click(".cm-content")
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(words)
    page.locator(".cm-content", has_text=words).wait_for()


def own_texts(page: Page) -> list[str]:
    """Return the last line of each text of the visitor's own that is offered."""
    own = page.locator("#examples option", has_text="Your text")
    found = []
    for index in range(own.count()):
        page.select_option("#examples", f"own-{index}")
        found.append(page.inner_text(".cm-content").strip().splitlines()[-1])
    return found


DROP = """([name, text]) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], name));
    const options = { dataTransfer, bubbles: true, cancelable: true };
    document.querySelector(".cm-content").dispatchEvent(new DragEvent("drop", options));
}"""


def test_a_text_outlives_its_page_its_link_and_another_tab(browser: Browser, url: str) -> None:
    context = browser.new_context()
    first, second = context.new_page(), context.new_page()
    for page in (first, second):
        page.set_default_timeout(WAIT)
        page.goto(f"{url}{fragment(crd=CRD)}")
        page.wait_for_selector("#findings li")
    type_at_end(first, "# of the first tab")
    first.reload()  # at once, and its link is no longer that of the text
    first.wait_for_selector("#findings li")
    assert "# of the first tab" in first.inner_text(".cm-content")
    type_at_end(second, "# of the second tab")
    second.reload()
    second.wait_for_selector("#findings li")
    first.evaluate(DROP, ["crd.yaml", f"{CRD}# dropped"])
    first.locator(".cm-content", has_text="# dropped").wait_for()
    first.bring_to_front()
    first.click(".cm-content")
    first.keyboard.press("Control+a")
    first.keyboard.insert_text(f"{CRD}# pasted")
    first.locator(".cm-content", has_text="# pasted").wait_for()
    first.reload()
    first.wait_for_selector("#findings li")
    assert {"# of the first tab", "# of the second tab", "# dropped", "# pasted"} <= set(
        own_texts(first)
    )
    context.close()


# A check, which keeps the text too, starts a moment after the last key: here it never does.
NO_DELAYED_CHECK = """
const { setTimeout } = window;
window.setTimeout = (call, delay, ...rest) => (delay === 120 ? 0 : setTimeout(call, delay, ...rest));
"""


def test_a_text_that_is_replaced_before_its_check_is_offered(browser: Browser, url: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.add_init_script(NO_DELAYED_CHECK)
    page.goto(f"{url}{fragment(crd=CRD)}")
    page.wait_for_selector("#findings li")
    type_at_end(page, "# typed")
    page.evaluate(DROP, ["crd.yaml", f"{CRD}# dropped"])
    page.locator(".cm-content", has_text="# dropped").wait_for()
    page.click(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(f"{CRD}# pasted")
    page.locator(".cm-content", has_text="# pasted").wait_for()
    page.reload()
    page.wait_for_selector("#findings li")
    assert {"# typed", "# dropped", "# pasted"} <= set(own_texts(page))
    context.close()


def test_a_fix_is_not_made_in_a_text_that_has_changed(browser: Browser, url: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.add_init_script(NO_DELAYED_CHECK)
    page.goto(f"{url}{fragment(crd=CRD)}")
    page.wait_for_selector("#findings li")
    page.click(".cm-content")
    page.keyboard.press("Control+Home")
    page.keyboard.insert_text("# typed\n# before the check\n")
    page.locator(".cm-content", has_text="# typed").wait_for()
    page.click("#findings .fix")
    page.locator("#status", has_text="The text has changed").wait_for()
    shown = page.inner_text(".cm-content").replace("\n\n", "\n").strip().splitlines()
    assert shown[2:] == CRD.strip().splitlines()
    context.close()


def test_the_answer_to_another_text_is_not_shown(browser: Browser, url: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.route("**/worker.js", lambda route: route.abort())
    page.goto(url)
    page.wait_for_selector("#verdict.error")
    page.wait_for_selector("#examples option[value=example-3]", state="attached")
    page.select_option("#examples", "example-3")
    assert page.inner_text("#verdict") == ""
    assert rules(page) == []
    assert page.inner_text("#tab-crd .count") == ""
    page.click(".cm-content")
    page.keyboard.press("Control+z")
    page.locator(".cm-content", has_text="widgets.example.com").wait_for()
    context.close()


def test_a_text_without_room_is_named(browser: Browser, url: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.add_init_script("Storage.prototype.setItem = () => { throw new Error('full'); }")
    page.goto(url)
    page.locator("#status", has_text="Checked in").wait_for()
    type_at_end(page, "# mine")
    page.locator("#status", has_text="cannot keep this text").wait_for()
    assert own_texts(page) == ["# mine"]
    context.close()


def test_a_file_is_dropped_and_the_drop_undone(shared_page: Page, url: str) -> None:
    open_texts(shared_page, url, crd=CRD)
    shared_page.evaluate(DROP, ["broken.yaml", "a: ["])
    shared_page.locator("#findings a", has_text="yaml-syntax").wait_for()
    shared_page.click(".cm-content")
    shared_page.keyboard.press("Control+z")
    shared_page.locator("#findings a", has_text="list-map-key-required").wait_for()


def test_the_keys_of_a_mac_are_shown_and_work(browser: Browser, url: str) -> None:
    page = browser.new_page()
    page.set_default_timeout(WAIT)
    page.add_init_script("Object.defineProperty(navigator, 'platform', { get: () => 'MacIntel' })")
    page.goto(f"{url}{fragment(crd=CRD)}")
    page.wait_for_selector("#findings li")
    assert set(page.locator("kbd.mod").all_inner_texts()) == {"⌘"}
    page.select_option("#examples", "example-3")
    page.click(".cm-content")
    page.keyboard.press("Meta+z")
    page.locator(".cm-content", has_text="widgets.example.com").wait_for()
    page.close()


def test_an_expression_is_evaluated_on_the_resource(shared_page: Page, url: str) -> None:
    texts = parts(EXAMPLES[18])
    open_texts(shared_page, url, crd=texts["crd"], resource=texts["resource"])
    shared_page.click("#view-trace")
    shared_page.fill("#expression-text", "self.size + 1")
    shared_page.click("#expression button")
    shared_page.locator("#value", has_text="int, cost").wait_for()
    shared_page.click("#view-findings")


def test_a_shared_link_shows_the_same_texts(shared_page: Page, browser: Browser, url: str) -> None:
    open_texts(shared_page, url, crd=CRD, resource="a: 1\n", old="b: 2\n", version="1.30")
    shared_page.evaluate("history.replaceState(null, '', location.pathname)")
    shared_page.click("#share")
    shared_page.wait_for_url("**/#1.*")
    other = browser.new_page()
    other.set_default_timeout(WAIT)
    other.goto(shared_page.url)
    other.wait_for_selector("#findings li")
    assert other.input_value("#version") == "1.30"
    assert rules(other)[0] == "list-map-key-required"
    other.click("#tab-old")
    assert other.inner_text(".cm-content").strip() == "b: 2"
    assert other.input_value("#examples") == ""
    other.goto(url)  # somebody else's text is not kept until it is edited
    other.wait_for_selector("#findings li")
    assert rules(other)[0] == "cel-rule-cost"
    assert other.input_value("#examples") == "example-0"
    other.close()


@pytest.mark.parametrize("text", ["", "a: [", "\t", "%YAML 9\n---\n", "x: &a [*a]"])
def test_broken_texts_are_answered(shared_page: Page, url: str, text: str) -> None:
    open_texts(shared_page, url, crd=text)
    assert "Nothing leaves this page." in shared_page.inner_text("#status")


def test_a_text_that_the_browser_cannot_check_is_named(browser: Browser, url: str) -> None:
    page = browser.new_page()
    page.set_default_timeout(WAIT)
    page.goto(url + fragment(crd="{" * 5000))
    # The page gives an answer up after a minute, and starts Python again.
    page.get_by_text("The browser cannot check this text").wait_for(timeout=3 * WAIT)
    open_texts(page, url, crd=CRD)
    assert rules(page) == ["list-map-key-required"]
    page.close()


def test_a_crd_of_a_megabyte_is_answered(shared_page: Page, url: str) -> None:
    fields = "".join(
        f"              field{i}: {{type: string, description: {'x' * 80}}}\n" for i in range(9000)
    )
    head = CRD[: CRD.index("              ports:")]
    text = head + fields
    assert len(text) > 1_000_000
    open_texts(shared_page, url, crd=text)
    assert "accepts" in shared_page.inner_text("#verdict")


def test_markup_in_texts_is_only_text(shared_page: Page, url: str) -> None:
    attack = "<img src=x onerror='window.attacked=1'><script>window.attacked=1</script>"
    text = (
        CRD.replace("widgets.example.com", f'"{attack}"')
        .replace("port]", f'"{attack}"]')
        .replace("kind: Widget", f'kind: "{attack}"')
    )
    open_texts(
        shared_page, url, crd=text.replace("name: v1", f'name: "{attack}"'), resource=text, old=text
    )
    assert rules(shared_page)
    assert shared_page.evaluate("window.attacked") is None
    assert (
        shared_page.locator(
            "#findings img, #findings script, #notices img, .cm-content img"
        ).count()
        == 0
    )


def test_the_keyboard_is_enough(shared_page: Page, url: str) -> None:
    open_texts(shared_page, url, crd=CRD)
    shared_page.focus("#tab-crd")
    shared_page.keyboard.press("Tab")
    assert shared_page.evaluate("document.activeElement.className").startswith("cm-content")
    shared_page.keyboard.press("Tab")
    focused = [shared_page.evaluate("document.activeElement.className")]
    for _ in range(6):
        if focused[-1] == "fix":
            break
        shared_page.keyboard.press("Tab")
        focused.append(shared_page.evaluate("document.activeElement.className"))
    assert focused[-1] == "fix"
    shared_page.keyboard.press("Enter")
    shared_page.wait_for_selector("#verdict.good")


def test_completion_and_hover_are_shown_without_a_mouse(shared_page: Page, url: str) -> None:
    text = parts(EXAMPLES[18])["crd"].replace("'Safe' || self.size > 1", "self.")
    open_texts(shared_page, url, crd=text.partition("      message:")[0].rstrip())
    shared_page.click(".cm-content")
    shared_page.keyboard.press("Control+End")
    shared_page.keyboard.press("Control+Space")
    shared_page.locator(".cm-tooltip-autocomplete li", has_text="size").wait_for()
    shared_page.keyboard.type("siz")
    shared_page.wait_for_timeout(200)  # CodeMirror takes no key shortly after the list has changed
    shared_page.keyboard.press("Enter")
    shared_page.locator(".cm-content", has_text="self.size").wait_for()
    shared_page.keyboard.press("Control+k")
    shared_page.keyboard.press("Control+i")
    shared_page.locator(".cm-tooltip .about", has_text="self.size").wait_for()


def test_all_fixes_are_shown_before_they_are_made(shared_page: Page, url: str) -> None:
    open_texts(shared_page, url, crd=parts(EXAMPLES[3])["crd"])
    for key in ("Escape", "Enter"):
        shared_page.focus("#fix-all")
        shared_page.keyboard.press("Enter")
        shared_page.wait_for_selector("#diff .added")
        assert shared_page.locator("#verdict.error").count() == 1
        shared_page.focus("#apply-fixes")
        shared_page.keyboard.press(key)
        shared_page.wait_for_selector("#fixes:not([open])", state="attached")
    shared_page.wait_for_selector("#verdict.good")


def test_each_view_has_its_tab(shared_page: Page, url: str) -> None:
    open_texts(shared_page, url, **{**parts(EXAMPLES[18]), "version": "1.30"})
    shared_page.focus("#view-findings")
    for name in ("changes", "costs", "versions"):
        shared_page.keyboard.press("ArrowRight")
        assert (
            shared_page.locator("[role=tabpanel]:not([hidden]):not(#editor)").get_attribute("id")
            == f"panel-{name}"
        )
    shared_page.wait_for_selector("#versions tr:last-child td")
    assert set(shared_page.locator("#versions td:nth-child(2)").all_inner_texts()) == {"rejected"}
    shared_page.click("#versions tr:last-child button")
    assert shared_page.input_value("#version") == NEWEST_VERSION
    shared_page.click("#view-trace")
    assert "self.size = 1" in shared_page.inner_text("#trace .rejected .why")
    shared_page.click("#view-findings")


def test_a_narrow_page_does_not_scroll_sideways(shared_page: Page, url: str) -> None:
    open_texts(shared_page, url, crd=CRD)
    shared_page.set_viewport_size({"width": 360, "height": 800})
    assert shared_page.evaluate("document.documentElement.scrollWidth") == 360
    shared_page.set_viewport_size({"width": 1300, "height": 900})


# The pages of the site whose layouts differ; most pages of rules are alike.
PAGES = (
    "",
    "api/",
    "comparison/",
    "cost/",
    "crds-in-charts/",
    "editors/",
    "eval/",
    "parity/",
    "rules/",
    "rules/cel-rule-cost/",
    "rules/change-required-added/",
    "senders/",
    "speed/",
    "playground/",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 375])
def test_axe_finds_nothing_serious(browser: Browser, url: str, scheme: Any, width: int) -> None:
    size: Any = {"width": width, "height": 900}
    context = browser.new_context(
        bypass_csp=True, color_scheme=scheme, viewport=size
    )  # axe itself is an injected script
    page = context.new_page()
    page.set_default_timeout(WAIT)
    found = []
    for name in PAGES:
        page.goto(url.removesuffix("playground/") + name)
        page.wait_for_selector("#findings li" if name == "playground/" else ".md-footer")
        page.add_script_tag(path=PLAYGROUND / "node_modules/axe-core/axe.min.js")
        found += [
            (name, one["id"])
            for one in page.evaluate("axe.run()")["violations"]
            if one["impact"] in SERIOUS
        ]
        found += (
            [(name, "is too wide")]
            if page.evaluate("document.documentElement.scrollWidth") > width
            else []
        )
    assert found == []
    context.close()


def test_it_works_offline_and_asks_no_other_host(browser: Browser, url: str) -> None:
    context = browser.new_context()
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.set_default_timeout(WAIT)
    page.goto(url)
    page.wait_for_selector("#findings li")
    page.evaluate(
        "navigator.serviceWorker.controller || new Promise((done) => navigator.serviceWorker.oncontrollerchange = done)"
    )
    context.set_offline(True)
    page.reload()
    page.wait_for_selector("#findings li")
    assert [
        one
        for one in asked
        if not one.startswith((url.partition("/playground")[0], "data:", "blob:"))
    ] == []
    context.close()


def test_crdlint_in_pyodide_answers_as_the_api_server_did(built: Path) -> None:
    recording = next(iter(load_all().values()))
    known = known_differences(recording.build.name)
    requests = [request for request in recorded_requests()[::9] if request["id"] not in known]
    cases = [{**request, "answers": recording.answers[request["id"]]} for request in requests]
    lines = "".join(f"{json.dumps(case)}\n" for case in cases)
    command = [
        "node",
        "conformance.mjs",
        str(built / "playground"),
        str(ROOT / "tests/upstream"),
        NEWEST_VERSION,
    ]
    done = subprocess.run(
        command, cwd=PLAYGROUND, input=lines, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    differences = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(differences) == len(cases)
    assert {
        case["id"]: found for case, found in zip(cases, differences, strict=True) if found
    } == {}
