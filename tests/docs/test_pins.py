"""The commit that the documentation pins, and commands that nothing has to be filled into."""

from __future__ import annotations

import re
import subprocess
from typing import Final

import pytest
from snippets import ROOT

PAGES: Final = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_PIN: Final = re.compile(r"\brev: ([0-9a-f]{40})\b")


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


def test_pages_pin_one_commit_that_has_the_hooks() -> None:
    pins = {pin for page in PAGES for pin in _PIN.findall(page.read_text(encoding="utf-8"))}
    assert len(pins) == 1
    (pin,) = pins
    if git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        pytest.skip("the history is not here")
    assert git("merge-base", "--is-ancestor", pin, "HEAD").returncode == 0, pin
    hooks = git("show", f"{pin}:.pre-commit-hooks.yaml").stdout
    assert "- id: crdlint\n" in hooks


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_have_no_place_to_fill_in(page: object) -> None:
    text = page.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    assert re.findall(r"\S*@COMMIT\S*|rev: main\b", text) == []
