"""Every link of the documentation to a file of the repository, also as GitHub shows it, and every anchor."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from snippets import PAGES, ROOT

if TYPE_CHECKING:
    from pathlib import Path

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_OF_REPOSITORY = re.compile(
    r"https://(?:github\.com/crdlint/crdlint/(?:blob|tree)/main|raw\.githubusercontent\.com/crdlint/crdlint/main)/(.*)"
)


def links(page: Path) -> list[str]:
    text = re.sub(r"(?s)```.*?```", "", page.read_text(encoding="utf-8"))
    return [link for link in _LINK.findall(text) if not link.startswith("#")]


def anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub and the site make them."""
    headings = re.findall(r"(?m)^#+ (.*)$", page.read_text(encoding="utf-8"))
    return {
        re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings
    }


def target(page: Path, link: str) -> Path | None:
    """Return the file of the repository that a link leads to, or None for a link elsewhere."""
    name = link.partition("#")[0]
    found = _OF_REPOSITORY.fullmatch(name)
    if found is not None:
        return ROOT / found[1]
    return None if re.match(r"[a-z]+:", name) else page.parent / name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_leads_to_a_file_and_to_a_heading(page: Path) -> None:
    for link in links(page):
        file = target(page, link)
        if file is None:
            continue
        assert file.exists(), link
        anchor = link.partition("#")[2]
        assert not anchor or anchor in anchors(file), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_to_the_same_page_leads_to_a_heading(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= anchors(page)


def test_the_site_can_follow_the_links_of_the_changelog_which_is_in_another_folder() -> None:
    assert [link for link in links(ROOT / "CHANGELOG.md") if not re.match(r"[a-z]+:", link)] == []
