"""The page of costs: what it says, that nothing in a CRD is taken for markup, and in a browser, that it sorts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest
from commands import crdlint
from crds import crd_with_spec
from tables import each

from crdlint.diagnostics import Diagnostic
from crdlint.kubecel.cost.explain import CostPart
from crdlint.linting.cost_entries import CostEntry, entries
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult, RuleCost
from crdlint.report.html import CostPage
from crdlint.report.pieces import Costs, View

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

UNBOUNDED = (1 << 64) - 1
ROOT = "spec.validation.openAPIV3Schema"
VOID = {"input", "meta", "wbr"}

CRD = crd_with_spec("""\
type: object
properties:
  hosts:
    type: array
    items:
      type: string
      x-kubernetes-validations:
      - rule: self.contains('<script>')
        messageExpression: "'<b>' + self"
""")


def cost_page(entries: Sequence[CostEntry], *findings: Diagnostic) -> str:
    """Return the page of costs, with findings that prevent others."""
    return "".join(
        CostPage(View()).pieces(Costs(entries, [FileResult("a.yaml", diagnostics=findings)]))
    )


def made(
    rule: str = "self.a > 0",
    cost: int = 1,
    *,
    times: int | None = 1,
    message: int = 0,
    crd: str = "foos.example.com",
    version: str = "",
    path: str = f"{ROOT}.properties[spec].x-kubernetes-validations[0]",
    place: str = "spec",
    file: str = "a.yaml",
    line: int = 1,
    error: str | None = None,
    help_: str = "",
) -> CostEntry:
    return CostEntry(
        cost=RuleCost(
            crd=crd,
            version=version,
            path=path,
            rule=rule,
            max_cost=cost // (times or 1),
            max_cardinality=times,
            min_size_cardinality=times or 1_048_576,
            expression_cost=cost,
            uses_old_self=False,
            error=error,
            message_expression="'m'" if message else None,
            message_max_cost=message,
            message_error=None,
            file=file,
            line=line,
            column=1,
        ),
        value_path=place,
        times="once in an object",
        tree=None if error else CostPart(rule, cost, ""),
        message_tree=CostPart("'m'", message, "") if message else None,
        help=help_,
        by_version={},
    )


class Balance(HTMLParser):
    """Collects the tags of a page, and refuses any that is not closed where it should be."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def read(page: str) -> Balance:
    balance = Balance()
    balance.feed(page)
    balance.close()
    assert balance.open == []
    return balance


def words(page: str) -> str:
    """Return what a person reads of a page's body."""
    body = re.sub(r"<script>.*?</script>", "", page[page.index("<body>") :], flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body.replace("<wbr>", ""))).split())


def totals(page: str) -> dict[str, str]:
    head = page[page.index("<header>") : page.index("</header>")]
    return dict(re.findall(r"<dt>(.*?)</dt><dd[^>]*>(.*?)</dd>", head))


LONG_FILE = "config/" + "generated/" * 8 + "widgets.yaml"


@each(
    ("file", "is_long"),
    [("a.yaml", False), (LONG_FILE, True), ("/".join(["a" * 30] * 3), True)],
)
def test_a_long_file_has_its_own_line_and_breaks_before_its_steps(file: str, is_long: bool) -> None:
    page = cost_page([made(file=file, cost=200_000_000)])
    assert ("long" in page.partition('<tbody role="rowgroup" class="')[2].split('"')[0]) is is_long
    head = page[page.index("<header>") : page.index("</header>")]
    assert f" in {file.replace('/', '<wbr>/')}: 200,000,000" in head.replace("<wbr>.", ".")


OTHER = "spec.versions[1].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]"


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ([made(cost=7)], ["1", "1", "7", "0", "0"]),
        ([made(cost=7, message=5), made(cost=10_000_000)], ["2", "1", "10,000,012", "0", "0"]),
        ([made(cost=10_000_001)], ["1", "1", "10,000,001", "1", "0"]),
        ([made(message=10_000_001)], ["1", "1", "10,000,002", "1", "0"]),
        ([made(cost=10_000_000)] * 10, ["10", "1", "100,000,000", "0", "0"]),
        ([*[made(cost=10_000_000)] * 10, made(cost=1)], ["11", "1", "100,000,001", "0", "1"]),
        (
            [*[made(cost=10_000_000)] * 10, made(cost=1, path=OTHER, version="v2")],
            ["11", "1", "100,000,001", "0", "0"],
        ),
        (
            [*[made(cost=10_000_000)] * 10, made(cost=1, crd="bars.example.com")],
            ["11", "2", "100,000,001", "0", "0"],
        ),
        (
            [*[made(cost=10_000_000)] * 10, made(cost=1, file="b.yaml")],
            ["11", "2", "100,000,001", "0", "0"],
        ),
        ([made(cost=UNBOUNDED), made(cost=UNBOUNDED)], ["2", "1", "unbounded", "2", "1"]),
    ],
)
def test_totals(entries: list[CostEntry], expected: list[str]) -> None:
    names = ["Rules", "CRDs", "Cost in all", "Rules over budget", "Schemas over budget"]
    assert totals(cost_page(entries)) == dict(zip(names, expected, strict=True))


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (made(cost=1_234_567), ["1,234,567", "12%", "1.2%"]),
        (made(cost=13_631_489), ["13,631,489", "136% of the budget", "14%"]),
        (made(cost=UNBOUNDED), ["unbounded", ">9999% of the budget"]),
        (
            made(cost=0, error="ERROR: <input>:1:1: no"),
            ["does not compile", "ERROR: <input>:1:1: no"],
        ),
        (made(times=None), ["unbounded 1,048,576 fit"]),
        (made(times=10_000), ["10,000 foos.example.com"]),
        (
            made(message=12_000_000),
            ["message 12,000,000", "messageExpression: 'm'", "120% of the budget"],
        ),
        (made(file="x.yaml", line=12), ["foos.example.com x.yaml:12"]),
        (made(help_="set `maxItems: 6` on `a`: then 5"), ["Help: set maxItems: 6 on a : then 5"]),
    ],
)
def test_said_of_a_rule(one: CostEntry, expected: list[str]) -> None:
    page = cost_page([one])
    read(page)
    for part in expected:
        assert part in words(page)


@pytest.mark.parametrize(
    ("cost", "grade", "width"),
    [
        (0, "well", "0.00"),
        (1_000, "well", "0.00"),
        (10_000, "well", "20.00"),
        (5_000_000, "well", "73.98"),
        (5_000_001, "near", "73.98"),
        (10_000_000, "near", "80.00"),
        (10_000_001, "over", "80.00"),
        (100_000_000, "over", "100.00"),
        (UNBOUNDED, "over", "100.00"),
    ],
)
def test_bar(cost: int, grade: str, width: str) -> None:
    bar = f'<td role="cell" class="share" data-sort="{cost}"><span class="bar {grade} scaled" aria-hidden="true">'
    assert bar + f'<span style="width:{width}%">' in cost_page([made(cost=cost)])


@pytest.mark.parametrize(
    ("path", "place", "expected"),
    [
        ("", "self", "<strong>self</strong>"),
        (".properties[spec]", "spec", "<strong>spec</strong>"),
        (
            ".properties[a].items.properties[b]",
            "a[*].b",
            'a<span class="each">[*]</span>.<strong>b</strong>',
        ),
        (
            ".properties[a].properties[b].items.items",
            "a.b[*][*]",
            'a.<strong>b</strong><span class="each">[*]</span><span class="each">[*]</span>',
        ),
        (".properties[a].properties[b.c]", "a.b.c", "a.<strong>b.c</strong>"),
        (".properties[<i>]", "<i>", "<strong>&lt;i&gt;</strong>"),
        (
            ".properties[a*].additionalProperties",
            "a*[*]",
            '<strong>a*</strong><span class="each">[*]</span>',
        ),
    ],
)
def test_place(path: str, place: str, expected: str) -> None:
    page = cost_page([made(path=f"{ROOT}{path}.x-kubernetes-validations[0]", place=place)])
    cell = re.search(
        r'<th role="rowheader" scope="rowgroup" class="place"[^>]*><code>(.*?)</code></th>', page
    )
    assert cell is not None
    assert cell[1].replace("<wbr>", "") == expected


HOSTILE = "<script>alert(1)</script>\"' onclick='x' & `<b>`"


@pytest.mark.parametrize(
    "field", ["rule", "crd", "path", "file", "error", "message_expression", "message_error"]
)
def test_no_text_of_a_rule_is_markup(field: str) -> None:
    one = made(message=1)
    hostile: dict[str, Any] = {field: HOSTILE}
    page = cost_page([replace(one, cost=replace(one.cost, **hostile))])
    check_escaped(page)


@pytest.mark.parametrize("field", ["value_path", "times", "help", "tree", "message_tree"])
def test_no_text_of_an_entry_is_markup(field: str) -> None:
    value = (
        CostPart(HOSTILE, 3, HOSTILE, (CostPart(HOSTILE, 2, HOSTILE),))
        if "tree" in field
        else HOSTILE
    )
    changed: dict[str, Any] = {field: value}
    check_escaped(cost_page([replace(made(message=1), **changed)]))


def check_escaped(page: str) -> None:
    found = read(page)
    assert "alert(1)" in page
    assert found.tags.count("script") == 1
    assert "onclick" not in dict(found.attributes)
    assert page.count("<script>alert") == 0


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("a\u202eb", "a\\u202eb"),
        ("a\x1bb", "a\\x1bb"),
        ("a\udc80b", "a\\udc80b"),
        ("a\n  && b", "a\n  && b"),
    ],
)
def test_odd_characters(rule: str, expected: str) -> None:
    page = cost_page([made(rule)])
    page.encode()
    assert f"<summary><code>{expected.replace('&', '&amp;')}</code></summary>" in page


def test_tree_is_nested_and_leaves_out_what_costs_one() -> None:
    tree = CostPart(
        "a && b",
        9,
        "",
        (CostPart("a", 1, ""), CostPart("b", 7, "b has maxItems 5", (CostPart("c", 1, ""),))),
    )
    page = cost_page([replace(made(), tree=tree)])
    items = re.findall(r'<span class="cost">(.*?)</span> <code>(.*?)</code>', page)
    assert items == [("9", "a &amp;&amp; b"), ("7", "b")]
    assert "b has maxItems 5" in page
    assert page.count("<ul>") == 1


def test_deep_tree_and_long_parts() -> None:
    tree = CostPart("x" * 5000, 2, "")
    for _ in range(3000):
        tree = CostPart("x" * 5000, 2, "", (tree,))
    page = cost_page([replace(made(), tree=tree)])
    read(page)
    assert len(page) < 2_000_000
    assert "x" * 301 not in page


def test_real_rule() -> None:
    result = lint_file(CRD, "foo.yaml", CheckRequest(keep=True))
    (one,) = entries(result)
    page = cost_page([one])
    check = words(page)
    assert "self.contains('<script>')" in check
    assert "messageExpression: '<b>' + self" in check
    assert "Parts of the messageExpression" in check
    assert f'data-sort="{one.cost.expression_cost}"' in page
    assert "spec.hosts has no maxItems" in check
    assert ">hosts</strong>" in page
    assert read(page).tags.count("script") == 1


def test_page_stands_alone() -> None:
    page = cost_page([made()])
    found = read(page)
    assert not {"link", "img", "iframe", "object"} & set(found.tags)
    assert not {"src", "href", "onclick"} & set(dict(found.attributes))
    assert "url(" not in page
    assert "@import" not in page
    assert "default-src 'none'" in page.replace("&#x27;", "'")
    for needed in (
        '<html lang="en">',
        "<caption",
        'scope="col"',
        'scope="rowgroup"',
        "aria-labelledby",
        "@media print",
    ):
        assert needed in page
    assert page.count('<button type="button" disabled>') == 8


def test_no_rules() -> None:
    page = cost_page([])
    assert words(page).endswith("No rules.")
    assert not {"table", "script"} & set(read(page).tags)


@pytest.mark.parametrize(("costs", "is_marked"), [([3, 2, 2], True), ([2, 3], False), ([1], True)])
def test_order_given_is_marked(costs: list[int], is_marked: bool) -> None:
    page = cost_page([made(cost=cost) for cost in costs])
    assert (
        '<th role="columnheader" scope="col" aria-sort="descending" data-kind="number"><button type="button" disabled>Cost'
        in page
    ) is (is_marked)


ROWS = [
    made("b", 9_007_199_254_740_993, times=2, crd="b.io", file="x.yaml", line=10, place="spec.b"),
    made("c", 9_007_199_254_740_992, times=None, crd="c.io", file="x.yaml", line=9, place="spec.c"),
    made("a", UNBOUNDED, times=30, crd="a.io", file="w.yaml", line=100, place="spec.a"),
    made("d", 5, times=4, crd="d.io", file="x.yaml", line=9, place="spec"),
]
# The orders after a click on each header, and after a second: ties stay as the page gave them.
ORDERS = {
    "Cost": ("abcd", "dcba"),
    "Rule budget": ("abcd", "dcba"),
    "Schema budget": ("abcd", "dcba"),
    "Times": ("cadb", "bdac"),
    "CRD": ("abcd", "dcba"),
    "File": ("acdb", "bcda"),
    "Place": ("dabc", "cbad"),
    "Rule": ("abcd", "dcba"),
}
NUMBERS = ("Cost", "Rule budget", "Schema budget", "Times")
PROBE = """
const seen = [];
for (const button of document.querySelectorAll("thead button")) {
  for (let i = 0; i < 2; i++) {
    button.click();
    const marked = [...document.querySelectorAll("[aria-sort]")];
    seen.push([
      marked.map(one => one.textContent + " " + one.getAttribute("aria-sort")).join(),
      [...document.querySelectorAll("summary code")].map(one => one.textContent).join(""),
    ]);
  }
}
document.body.dataset.seen = JSON.stringify(seen);
"""
BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --virtual-time-budget=2000"
)


def probed(page: str, script: str, tmp_path: Path, width: int = 1280) -> Any:
    """Return what a script stores in `document.body.dataset.seen` when a page is shown in a window of a width."""
    # The page's policy lets no other script run, so that the probe is to be let in.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    copy = tmp_path / "page.html"
    copy.write_text(
        page.replace("script-src ", f"script-src 'sha256-{digest}' ").replace(
            "</body>", f"<script>{script}</script>\n</body>"
        ),
        encoding="utf-8",
    )
    assert BROWSER is not None
    profile, window = f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={width},900"
    run = subprocess.run(
        [BROWSER, *FLAGS.split(), profile, window, "--dump-dom", copy.as_uri()],
        capture_output=True,
        check=True,
    )
    found = re.search(r'data-seen="([^"]*)"', run.stdout.decode())
    assert found is not None
    return json.loads(unescape(found[1]))


@pytest.mark.exhaustive
@pytest.mark.skipif(BROWSER is None, reason="no Chromium on the PATH")
def test_sorting_in_a_browser(tmp_path: Path) -> None:
    expected = []
    for name, (once, twice) in ORDERS.items():
        orders = ("descending", "ascending") if name in NUMBERS else ("ascending", "descending")
        expected += [[f"{name} {orders[0]}", once], [f"{name} {orders[1]}", twice]]
    assert probed(cost_page(ROWS), PROBE, tmp_path) == expected


LONG = made(
    "self.hosts.all(a, self.hosts.exists_one(b, a == b)) || " * 9,
    cost=33_000_000_000_000,
    times=None,
    message=3251,
    crd="httproutes.gateway.networking.k8s.io",
    file="config/crd/bases/networking/gateway.networking.k8s.io_httproutes-experimental.yaml",
    line=12345,
    place="spec.rules[*].matches[*].headers[*].value",
)
LAYOUT = """
const height = one => one.getBoundingClientRect().height;
const right = one => one.getBoundingClientRect().right;
const line = parseFloat(getComputedStyle(document.querySelector(".file")).lineHeight);
document.body.dataset.seen = JSON.stringify({
  width: window.innerWidth,
  widest: Math.max(...[...document.querySelectorAll("td, tbody th")].map(right)),
  fileLines: Math.round(height(document.querySelector(".file")) / line),
});
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(BROWSER is None, reason="no Chromium on the PATH")
@pytest.mark.parametrize("width", [500, 640, 1280])
def test_layout_in_a_browser(width: int, tmp_path: Path) -> None:
    seen = probed(cost_page([LONG]), LAYOUT, tmp_path, width)
    assert seen["width"] == width
    assert seen["widest"] <= width
    assert seen["fileLines"] <= 3


def test_findings_that_prevent_estimates() -> None:
    error = Diagnostic(
        origin="apiserver",
        kind="decode",
        rule="yaml-syntax",
        severity="error",
        message="yaml: <b>",
        file="a.yaml",
        help="do `x`",
    )
    check = words(cost_page([], error))
    assert "No rules have been estimated." in check
    assert "Not estimated" in check
    assert "a.yaml:1:1 yaml-syntax" in check
    assert "yaml: <b>" in check
    assert "Help: do x" in check


def test_a_chart_has_a_map_of_its_release(tmp_path: Path) -> None:
    chart = tmp_path / "chart"
    (chart / "templates").mkdir(parents=True)
    digests = [
        hashlib.sha256(bytes([number, high])).hexdigest()
        for number in range(256)
        for high in range(4)
    ]
    described = CRD.replace(
        "    hosts:",
        f"    text: {{type: string, description: {''.join(digests)}}}\n        hosts:",
        1,
    )
    files = {
        "Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
        "templates/crd.yaml": CRD,
    }
    for name, text in files.items():
        (chart / name).write_text(text)
    (chart / "templates" / "large.yaml").write_text(
        described.replace("foos", "bars").replace("Foo", "Bar")
    )
    (chart / "README.md").write_text("\n".join(reversed(digests)))
    page = crdlint("cost", "--format", "html", str(chart)).stdout
    areas = {name: float(share) for name, share in re.findall(r'title="([^"]*): ([\d.]+)%"', page)}
    in_secret = re.findall(r"([\d.]+)%</span>", page.partition("The release of ")[2])
    assert list(areas) == ["bars.example.com", "everything else", "foos.example.com"]
    assert sum(areas.values()) == pytest.approx(float(in_secret[0]), abs=0.5)
    assert "which can have 1,024 KiB" in words(page)
    with (chart / "README.md").open("wb") as file:
        file.truncate(101 << 20)  # more than Helm reads
    assert "its size is not known" in words(crdlint("cost", "--format", "html", str(chart)).stdout)
