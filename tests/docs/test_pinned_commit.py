"""The commit that the documentation names for pre-commit, as long as no release is tagged."""

from __future__ import annotations

import re
import subprocess
from typing import Final

import pytest
from scripts import DOCS

ROOT: Final = DOCS.parent
PAGES: Final = ("README.md", "docs/pre-commit.md", "docs/index.md")
_MOST: Final = 400  # commits after it, so that its texts and options are those of the pages


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def revisions() -> set[str]:
    texts = ((ROOT / name).read_text(encoding="utf-8") for name in PAGES)
    return {rev for text in texts for rev in re.findall(r"\brev: ([\w.]+)", text)}


def test_all_pages_name_one_commit() -> None:
    [revision] = revisions()
    assert re.fullmatch(r"[0-9a-f]{40}|v[\d.]+", revision)


def test_it_is_recent() -> None:
    if not (ROOT / ".git").exists() or git("rev-parse", "--is-shallow-repository") == "true":
        pytest.skip("there is no history here")
    [revision] = revisions()
    known = git("rev-list", "--all", "--max-count=5000").split()
    if revision not in known:
        pytest.skip("the history here does not reach back to it")
    assert int(git("rev-list", "--count", f"{revision}..HEAD")) < _MOST
