r"""Patterns compiled by RE2, classes whose names only Go knows included. The answers are those of Go 1.27."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tables import each

from crdlint.golang.matching import PatternError, check, matches, spans
from crdlint.golang.regexp import compile_error
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Iterable

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


@each(("pattern", "text", "found"), CASES)
def test_matches(pattern: str, text: str, found: bool) -> None:
    assert matches(pattern, text) is found


@each("pattern", ["(", r"\p{Nothing}", "(?=a)"])
def test_what_go_refuses(pattern: str) -> None:
    with pytest.raises(PatternError, match="error parsing regexp: "):
        check(pattern)


def test_offsets_are_bytes() -> None:
    assert list(spans("b", "ébb".encode())) == [(2, 3), (3, 4)]


REPETITIONS = [
    (r"^a{3}$", ["aaa"], ["aa", "aaaa", ""]),
    (r"^a{2,}$", ["aa", "aaaaaaaaa"], ["a"]),
    (r"^a{0,3}$", ["", "aaa"], ["aaaa"]),
    (r"^(?:a|){300}$", ["", "a", "aaaa"], ["b"]),
    (r"^(?:\b|a){5,9}$", ["a", "aaaaaaaaa"], ["aaaaaaaaaa"]),
    (r"^(?:a{2}){2}$", ["aaaa"], ["aaa", "aaaaa"]),
    (r"^\pL{999}$", ["é" * 999], ["é" * 998, "é" * 1000, "é"]),
    (r"^[{9}]{2}$", ["9{"], ["9"]),
    (r"^\x{61}{2}$", ["aa"], ["a", "a" * 61]),
    (r"^\Qa{2}\E{2}$", ["a{2}}"], ["aa"]),
    (r"^a{2\}$", ["a{2}"], ["aa"]),
    (r"^[[]{2}x[]]{3}$", ["[[x]]]"], ["[x]]]"]),
    (r"^(?P<n>a)(?P<n>b){2}$", ["abb"], ["ab"]),
]


@each(("pattern", "accepted", "refused"), REPETITIONS)
def test_repetitions_whatever_the_length_of_the_text(
    pattern: str, accepted: list[str], refused: list[str]
) -> None:
    assert [matches(pattern, text) for text in accepted + refused] == [True] * len(accepted) + [
        False
    ] * len(refused)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> work.Recent[Any]:
    """The programs that are kept, none of them from before, in as much memory as one large program takes."""
    programs: work.Recent[Any] = work.Recent(1 << 20)
    monkeypatch.setattr("crdlint.golang.matching._PROGRAMS", programs)
    return programs


def test_a_program_is_no_larger_than_the_text_needs(kept: work.Recent[Any]) -> None:
    matches(r"^\pL{1,12}$", "a")
    small = kept.weight
    matches(r"^\pL{1,12}$", "ab" * 20)
    assert (small, kept.weight - small) == (1 << 16, 1 << 18)


def test_programs_are_kept_within_a_fixed_memory(kept: work.Recent[Any]) -> None:
    for count in range(4, 13):
        matches(rf"^\pL{{{count}}}$", "é" * 13)
    assert (len(kept), kept.weight) == (4, 1 << 20)


def test_literal_text_needs_no_program(kept: work.Recent[Any]) -> None:
    assert matches("a" * 100_000, "a" * 100_000)
    assert not matches("a" * 100_000, "a" * 99_999)
    assert len(kept) == 0


def steps(pattern: str, text: str) -> int:
    """Return the steps that matching a text takes in a new document."""
    with work.limited():
        budget = work.current()
        assert budget is not None
        matches(pattern, text)
        return work.LIMIT - budget.left


def test_steps_do_not_depend_on_what_is_kept(kept: work.Recent[Any]) -> None:
    first = steps(r"^[a-z]{3,50}\.$", "abc.")
    assert len(kept) == 1
    assert first > 50
    assert steps(r"^[a-z]{3,50}\.$", "abc.") == first


def test_a_pattern_too_large_for_the_matcher_is_not_refused_as_go_would() -> None:
    with pytest.raises(work.WorkLimitError, match="too large"):
        matches(r"(?:\pL\PL\pN\pM\pS\pP\pZ){999}", "é" * 1000)


def made_before_the_limit(make: Iterable[object]) -> int:
    """Return how many values an iterable yields before it exceeds a limit of 100,000 steps."""
    count = 0
    with work.limited(100_000), suppress(work.WorkLimitError):
        for count, _ in enumerate(make, 1):  # noqa: B007
            pass
    return count


def test_the_programs_of_one_document_are_limited() -> None:
    made = (matches(rf"^\pL{{{count + 20}}}$", "é" * 50) for count in range(20))
    assert 4 <= made_before_the_limit(made) <= 8


def test_searches_count_the_characters_that_are_left() -> None:
    assert 50 < made_before_the_limit(spans("a*b|a", b"a" * 300_000)) < 100


PIECES = [
    "a",
    "b",
    "|",
    "(",
    ")",
    "{2}",
    "{0,3}",
    "{1,4}",
    "{3,}",
    "{7}",
    "{0,9}",
    r"\b",
    "^",
    "$",
    "*",
    "?",
]


def test_no_limit_of_repetitions_changes_an_answer() -> None:
    random = Random(4)
    compared = 0
    for _ in range(4000):
        pattern = "".join(random.choices(PIECES, k=random.randrange(2, 9)))
        text = "".join(random.choices("ab ", k=random.randrange(5)))
        if compile_error(pattern) is None and "{" in pattern:
            compared += 1
            assert matches(pattern, text) is any(True for _ in spans(pattern, text.encode())), (
                pattern,
                text,
            )
    assert compared > 200
