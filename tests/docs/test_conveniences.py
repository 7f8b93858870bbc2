"""The table of conveniences: crdlint has each under the name that the table gives, and the page counts them."""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final

from commands import crdlint
from snippets import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

TABLE: Final = ROOT / "docs/assets/conveniences.csv"
PAGE: Final = ROOT / "docs/comparison.md"
_COUNTS: Final = re.compile(r"(?s)(<!-- conveniences -->\n\n).*?(\n<!-- end -->)")
# What is no command or option, by the file that has the word.
_ELSEWHERE: Final = {
    ".crdlint.yaml": "crdlint/config/load.py",
    ".pre-commit-hooks.yaml": ".pre-commit-hooks.yaml",
    "CRDLINT_CHECK_FORMAT": "docs/configuration.md",
    "crdlint/ignore": "docs/configuration.md",
    "ignore-unused": "docs/configuration.md",
    "lint_paths": "docs/api.md",
    "output.schema.json": "docs/json-output.md",
    "accepted": "docs/json-output.md",
}


def rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@cache
def help_of(command: str) -> str:
    done = crdlint(command, "--help-all")
    assert done.returncode == 0
    return done.stdout


def has(name: str) -> bool:
    """Return whether crdlint has a command, an option of one, a key of the configuration or a file."""
    if name in _ELSEWHERE:
        file = ROOT / _ELSEWHERE[name]
        return file.name == name or name in file.read_text(encoding="utf-8")
    if name.endswith(":"):
        return f"`{name[:-1]}`" in (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    command, *words = name.split()
    return all(word in help_of(command) for word in words)


def test_crdlint_has_each_of_them() -> None:
    assert [row["convenience"] for row in rows() if not has(row["crdlint"])] == []


def test_a_name_that_crdlint_lacks_is_noticed() -> None:
    assert not has("check --no-such-option")
    assert not has("no-such-key:")


def counts() -> Iterator[str]:
    """Yield the lines of the table of counts."""
    found = rows()
    tools = list(found[0])[2:]
    yes = Counter(tool for row in found for tool in tools if row[tool] not in {"", "no", "unknown"})
    applies = Counter(tool for row in found for tool in tools if row[tool])
    yield "| tool | conveniences |"
    yield "| --- | --- |"
    yield f"| crdlint | {len(found)} of {len(found)} |"
    yield from (f"| {tool} | {yes[tool]} of {applies[tool]} |" for tool in tools)


def test_the_page_counts_them(request: pytest.FixtureRequest) -> None:
    text = PAGE.read_text(encoding="utf-8")
    written = _COUNTS.sub(lambda match: match[1] + "\n".join(counts()) + "\n" + match[2], text)
    if request.config.getoption("--update-expected"):
        PAGE.write_text(written, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == written
    assert _COUNTS.search(text)
