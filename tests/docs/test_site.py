"""The documentation site, built with mkdocs where it is installed."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from snippets import ROOT

from crdlint.linting.pipeline import lint_file
from crdlint.report.page import rule_link
from crdlint.rules.catalog import all_rules

if TYPE_CHECKING:
    from pathlib import Path

URL = "https://crdlint.github.io/crdlint/"  # site_url of mkdocs.yml

pytest.importorskip("material", reason="the extra `docs` is not installed")
pytestmark = pytest.mark.exhaustive


class Loaded(HTMLParser):
    """Collects the URLs that a page loads by itself, which links are not."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in {"script", "img", "iframe", "source"}:
            self.urls.append(given.get("src") or "")
        elif tag == "link" and given.get("rel") not in {"canonical", "prev", "next"}:
            self.urls.append(given.get("href") or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--quiet",
        "--strict",
        "--site-dir",
        str(folder),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_each_rule_has_a_page(site: Path) -> None:
    assert {page.parent.name for page in site.glob("rules/*/index.html")} == set(all_rules())


def test_the_url_of_each_finding_of_the_fixtures_is_a_page(site: Path) -> None:
    files = list((ROOT / "fixtures").glob("*/*.yaml"))
    found = [
        one
        for file in files
        for one in lint_file(
            file.read_bytes().decode("utf-8", "replace"), filename=file.name
        ).diagnostics
    ]
    assert found
    links = {rule_link(one.rule) for one in found}
    assert [
        link
        for link in sorted(links)
        if not (site / link.removeprefix(URL) / "index.html").is_file()
    ] == []


def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > len(all_rules())
    for page in pages:
        loaded = Loaded()
        loaded.feed(page.read_text(encoding="utf-8"))
        assert [url for url in loaded.urls if re.match(r"(https?:)?//", url)] == [], page
    for file in [*site.rglob("*.css"), *site.rglob("*.svg")]:
        assert (
            re.findall(r"url\([\"']?(?:https?:)?//[^)]*", file.read_text(encoding="utf-8")) == []
        ), file


def test_each_page_is_in_the_navigation_or_in_the_table_of_rules(site: Path) -> None:
    start = (site / "index.html").read_text(encoding="utf-8")
    rules = (site / "rules/index.html").read_text(encoding="utf-8")
    for page in site.rglob("index.html"):
        name = page.parent.relative_to(site).as_posix()
        if name.startswith("rules/"):
            assert f'href="{name.removeprefix("rules/")}/"' in rules
        elif name != ".":
            assert f'href="{name}/"' in start
