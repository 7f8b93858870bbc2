r"""Patterns compiled by RE2, classes whose names only Go knows included. The answers are those of Go 1.27."""

from __future__ import annotations

import pytest

from crdlint.golang.matching import PatternError, compiled

CASES = [
    (r"^\p{Letter}+$", "abc", True),
    (r"^\P{Letter}+$", "abc", False),
    (r"^\p{^Letter}+$", "abc", False),
    (r"^\P{^Letter}+$", "abc", True),
    (r"^\p{letter}+$", "abc", True),
    (r"^\p{Uppercase_Letter}+$", "ABC", True),
    (r"^\p{ASCII}+$", "abc", True),
    (r"^\P{ASCII}$", "é", True),
    (r"^\p{Any}+$", "abc", True),
    (r"^\p{LC}+$", "aB", True),
    (r"^\P{LC}$", "1", True),
    (r"^\P{LC}$", "a", False),
    (r"^\p{Cn}+$", "abc", False),
    (r"^\p{Cn}$", "\u0378", True),
    (r"^[\p{Cn}]$", "\u0378", True),
    (r"^\p{C}$", "\u0378", True),
    (r"^\P{C}$", "a", True),
    (r"^\P{Assigned}$", "\u0378", True),
    (r"^\p{assigned}+$", "abc", True),
    (r"^[\p{Letter}\d]+$", "ab1", True),
    (r"^[[:alpha:]\p{Letter}]+$", "é", True),
    (r"^[]a\p{Letter}]+$", "a]b", True),
    (r"^[^\p{Cn}]+$", "abc", True),
    (r"^\Q\p{Letter}\E$", r"\p{Letter}", True),
    (r"^\\p{Letter}$", r"\p{Letter}", True),
    (r"^\p{greek}$", "ω", True),
    (r"^\p{Greek}\pL$", "ωb", True),
    (r"a.c", "a\nc", False),
]


@pytest.mark.parametrize(("pattern", "text", "matches"), CASES)
def test_matches(pattern: str, text: str, matches: bool) -> None:
    assert (compiled(pattern).search(text.encode()) is not None) is matches


@pytest.mark.parametrize("pattern", ["(", r"\p{Nothing}", "(?=a)"])
def test_what_go_refuses(pattern: str) -> None:
    with pytest.raises(PatternError, match="error parsing regexp: "):
        compiled(pattern)


def test_places_are_bytes() -> None:
    match = compiled("b").search("éb".encode(), 1)
    assert match is not None
    assert match.span() == (2, 3)
