"""The search for repairs: each change is tried once, within a budget, and what leads is known with its ties."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from tables import each

from crdlint.safety.work import Effort
from crdlint.search import Search, TrialBudget, passing


def leading(changes: Sequence[str], budget: TrialBudget, least: tuple[int, ...] = ()) -> list[str]:
    """Return the leading ones of some changes, of which the longest are best and those with a dash are out of the question."""
    search: Search[str, int] = Search(
        budget,
        lambda _, text: None if "-" in text else len(text),
        lambda _, length: (length,),
        least,
    )
    for change in changes:
        search.try_(change, change)
    return [change for change, _ in search.leading]


@each(
    ("changes", "trials", "characters", "least", "best"),
    [
        ([], 9, 99, (), []),
        (["a"], 9, 99, (), ["a"]),
        (["a", "bb", "c"], 9, 99, (), ["bb"]),
        (["a", "bb", "cc"], 9, 99, (), ["bb", "cc"]),  # a tie, in the order of proposals
        (["bb", "bb"], 9, 99, (), ["bb"]),  # the same change once
        (["a", "-bb"], 9, 99, (), ["a"]),
        (["a", "bb"], 9, 99, (2,), []),  # not above what is there
        (["a", "bbb"], 9, 99, (2,), ["bbb"]),
        (["a", "bb", "ccc"], 2, 99, (), ["bb"]),  # no third trial
        (["a", "a", "bb"], 2, 99, (), ["bb"]),  # a repeated change costs nothing
        (["a", "bb", "ccc"], 9, 5, (), ["bb"]),
        (["bbbb", "a"], 9, 3, (), []),  # what is too long ends a search
    ],
)
def test_what_leads(
    changes: list[str],
    trials: int,
    characters: int,
    least: tuple[int, ...],
    best: list[str],
) -> None:
    assert leading(changes, TrialBudget(trials, characters), least) == best


def test_the_steps_of_a_file_are_shared_by_its_searches() -> None:
    effort = Effort(5)
    assert leading(["a", "bb"], TrialBudget(9, 99, effort)) == ["bb"]
    assert leading(["ccc", "dd"], TrialBudget(9, 99, effort)) == ["dd"]
    assert effort.left == 0


def test_one_text_is_tried_under_each_condition() -> None:
    tried: list[str] = []

    def check(change: str, _: str) -> int:
        tried.append(change)
        return len(tried)

    search: Search[str, int] = Search(TrialBudget(9, 99), check, lambda _, rank: (rank,))
    for change, condition in (("a", True), ("b", False), ("c", True)):
        search.try_(change, "text", condition)
    assert tried == ["a", "b"]


@given(st.integers(0, 40).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, 39)))))
def test_what_fails_alone_is_found(case: tuple[int, set[int]]) -> None:
    count, bad = case
    trials: list[int] = []

    def faults(together: Sequence[int]) -> list[str]:
        trials.append(len(together))
        return [str(change) for change in together if change in bad]

    passed, failed = passing(range(count), faults)
    assert passed == [change for change in range(count) if change not in bad]
    assert failed == [(change, [str(change)]) for change in range(count) if change in bad]
    assert len(trials) <= 1 + 2 * len(failed) * max(count.bit_length(), 1)


def test_of_two_changes_that_fail_together_the_first_is_kept() -> None:
    def faults(together: Sequence[str]) -> list[str]:
        return ["both"] if {"a", "b"} <= set(together) else []

    assert passing(["x", "a", "y", "b"], faults) == (["x", "a", "y"], [("b", ["both"])])


# What is wrong with changes together: each fault, the changes that have it, and the one that it blames.
FAULTS: dict[str, list[tuple[str, str, str | None]]] = {
    "blamed": [("x", "b", "b"), ("y", "d", "d")],
    "not blamed": [("x", "b", None)],
    "wrongly blamed": [("x", "b", "a")],
    "of two": [("x", "bd", "d")],
    "blamed, beside another": [("x", "b", "b"), ("y", "d", None)],
    "wrongly blamed, beside another": [("x", "b", "b"), ("y", "d", "a")],
    "blames what is not there": [("x", "b", "z")],
}


@each(
    ("name", "passed", "trials"),
    [
        ("blamed", "ace", 2),
        ("not blamed", "acde", 6),
        ("wrongly blamed", "acde", 8),
        ("of two", "abce", 2),
        ("blamed, beside another", "ace", 8),
        ("wrongly blamed, beside another", "ace", 8),
        ("blames what is not there", "acde", 6),
    ],
)
def test_a_change_that_a_fault_blames_fails_without_more_trials(
    name: str, passed: str, trials: int
) -> None:
    made: list[str] = []

    def faults(together: Sequence[str]) -> list[tuple[str, str | None]]:
        made.append("".join(together))
        return [(fault, blamed) for fault, of, blamed in FAULTS[name] if set(of) <= set(together)]

    changes = {letter: letter for letter in "abcde"}
    kept, failed = passing([*changes], faults, lambda fault: changes.get(fault[1] or ""))
    assert "".join(sorted(kept)) == passed
    assert "".join(sorted(change for change, _ in failed)) == "".join(
        sorted({*"abcde"} - {*passed})
    )
    assert all(found for _, found in failed)
    assert len(made) == len(set(made)) <= trials
    assert not faults(kept), "all that is kept was tried together"


@settings(deadline=None)  # a busy machine may stop a test for longer than any of its trials takes
@given(
    st.sets(st.integers(0, 39)),
    st.sets(st.tuples(st.integers(0, 39), st.integers(0, 39))),
    st.integers(1, 90),
)
def test_what_passes_was_tried_together_whatever_is_blamed(
    bad: set[int], clashing: set[tuple[int, int]], most: int
) -> None:
    tried: list[list[int]] = []

    def faults(together: Sequence[int]) -> list[int]:
        tried.append(list(together))
        pairs = (pair for pair in clashing if {*pair} <= {*together})
        return [*(bad & {*together}), *(last for _, last in pairs)]

    changes = list(range(40))
    passed, failed = passing(changes, faults, lambda fault: changes[(fault * 7) % 40], most)
    assert sorted([*passed, *(change for change, _ in failed)]) == changes
    assert not passed or not faults(passed)
    assert len(tried) <= most + 8
