"""Every block of a CRD indented too far or too little, and each line lost: no fix makes another CRD of what has two readings."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from repairs import check, errors
from style_breakages import ROUTES
from test_breakages_by_class import same

from crdlint.runner.fixes import fix

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = re.compile(r" {4,}[A-Za-z][\w-]*:")
WHOLE, KEY_ONLY, VALUE_ONLY = (1, 2, -2), (2, -2), (2, -2)


def end_of(lines: list[str], start: int) -> int:
    """Return where the block of a key ends; its list may be indented like it."""
    indent = len(lines[start]) - len(lines[start].lstrip())
    below = (" " * (indent + 1), " " * indent + "- ")
    return next(
        i
        for i in range(start + 1, len(lines) + 1)
        if i == len(lines) or not lines[i].startswith(below)
    )


def shifted(crd: str) -> Iterator[tuple[str, str]]:
    """Yield the CRD with a block, its key or its value moved by one or two columns: the line, what is moved, and the text."""
    lines = crd.splitlines()
    for start in (i for i, line in enumerate(lines) if KEY.match(line)):
        end = end_of(lines, start)
        moves = [(start, end, by) for by in WHOLE]
        if end > start + 1:
            moves += [(start, start + 1, by) for by in KEY_ONLY]
            moves += [(start + 1, end, by) for by in VALUE_ONLY]
        for first, last, by in moves:
            moved = [
                " " * by + line if by > 0 else line.removeprefix("  ") for line in lines[first:last]
            ]
            text = "\n".join([*lines[:first], *moved, *lines[last:], ""])
            if not same(text, crd):
                yield f"lines {first + 1} to {last} by {by}", text


def verdict(text: str, *, unsafe: bool) -> str:
    """Return what the fixes make of the CRD with a shifted block."""
    done = fix(check(text), check, unsafe=unsafe)
    if same(done.text, ROUTES):
        return "repaired"
    return (
        "rejected" if errors(done.result) else "another CRD" if done.edits else "accepted as it was"
    )


@pytest.mark.parametrize(
    ("step", "repaired"),
    [(11, 57), pytest.param(1, 613, marks=pytest.mark.exhaustive)],
    ids=["an eleventh", "all"],
)
def test_shifted_blocks_are_moved_back(step: int, repaired: int) -> None:
    """What is repaired is what was meant; several readings are left to the author."""
    found = {
        name: [verdict(text, unsafe=unsafe) for unsafe in (False, True)]
        for name, text in [*shifted(ROUTES)][::step]
    }
    assert [name for name, verdicts in found.items() if "another CRD" in verdicts] == []
    counts = Counter(verdicts[1] for verdicts in found.values())
    assert counts["repaired"] >= repaired, counts


@pytest.mark.parametrize(
    "step", [9, pytest.param(1, marks=pytest.mark.exhaustive)], ids=["a ninth", "all"]
)
def test_no_safe_fix_guesses_what_a_lost_line_was(step: int) -> None:
    """Without the key between two objects these are one, of which nothing is removed."""
    lines = ROUTES.splitlines(keepends=True)
    found = []
    for i in [i for i, line in enumerate(lines) if KEY.match(line)][::step]:
        text = "".join([*lines[:i], *lines[i + 1 :]])
        done = fix(check(text), check, unsafe=False)
        if not errors(done.result) and not same(done.text, text) and not same(done.text, ROUTES):
            found.append(f"line {i + 1}: {lines[i].strip()}")
    assert found == []
