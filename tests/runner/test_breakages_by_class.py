"""Breakages of CRDs in every class: how many the fixes repair, and that no safe fix makes another CRD of one."""

from __future__ import annotations

from collections import defaultdict
from operator import ge
from typing import TYPE_CHECKING

import pytest
from real_breakages import CRDS, Case, cases
from repairs import check, errors

from crdlint.runner.fixes import fix
from crdlint.yaml import YAMLDecodeError, decode_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def same(text: str, meant: str) -> bool:
    """Return whether two texts have the same values."""
    try:
        return text == meant or decode_yaml(text) == decode_yaml(meant)
    except YAMLDecodeError:
        return False


def verdict(case: Case, *, unsafe: bool) -> str:
    """Return what the fixes make of a broken CRD."""
    result = check(case.broken)
    fixed = fix(result, check, unsafe=unsafe)
    if same(fixed.text, case.meant):
        return "repaired"
    return (
        "rejected"
        if errors(fixed.result)
        else "another CRD"
        if fixed.edits
        else "accepted as it was"
    )


def judged(step: int) -> dict[Case, tuple[str, str]]:
    """Return what the safe fixes and all fixes make of every `step`-th broken CRD whose meaning is accepted."""
    return {
        case: (verdict(case, unsafe=False), verdict(case, unsafe=True))
        for case in tuple(cases())[::step]
        if not errors(check(case.meant))
    }


def test_the_crds_are_accepted() -> None:
    assert {name: errors(check(text)) for name, text in CRDS.items()} == {name: [] for name in CRDS}


# The cases of each class, and how many of them the safe fixes and all fixes repair at least.
FLOORS = {
    "indentation": (140, 34, 128),
    "YAML syntax": (107, 79, 105),
    "characters": (95, 83, 88),
    # A marker of controller-gen among the keys becomes the field that it means, or stays if that is not certain.
    "pasted text": (117, 63, 95),
    "types": (147, 137, 137),
    # A misspelled limit that is spelt right applies to stored objects: that is no safe fix.
    "misspelt": (240, 194, 224),
    "values": (270, 146, 205),
    # What is accepted, and reported as information, is only fixed if its rule is selected by name.
    "x-kubernetes": (168, 126, 158),
    # Which scope is meant is not known, so none is chosen.
    "names": (140, 94, 120),
    "v1beta1": (21, 12, 15),
    "columns": (149, 104, 119),
    "conversion": (54, 30, 36),
    "JSON, Helm, anchors": (37, 21, 24),
}
A_THIRTEENTH = {"all": (130, 92, 111)}


@pytest.mark.parametrize(
    ("step", "floors", "most"),
    [(13, A_THIRTEENTH, 4), pytest.param(1, FLOORS, 35, marks=pytest.mark.exhaustive)],
    ids=["a thirteenth", "all"],
)
def test_breakages_are_repaired(
    step: int, floors: Mapping[str, tuple[int, int, int]], most: int
) -> None:
    """No safe fix makes another CRD of one, and few guesses do."""
    found = judged(step)
    assert [case[:2] for case, (safe, _) in found.items() if safe == "another CRD"] == []
    guesses = [case[:2] for case, (_, all_) in found.items() if all_ == "another CRD"]
    assert len(guesses) <= most, guesses
    by_class: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for case, verdicts in found.items():
        by_class[case.group if case.group in floors else "all"].append(verdicts)
    assert by_class.keys() == floors.keys()
    assert [
        group for group, ends in by_class.items() if not all(map(ge, repaired(ends), floors[group]))
    ] == []


def repaired(found: Sequence[tuple[str, str]]) -> tuple[int, int, int]:
    """Return how many broken CRDs there are, and how many of them the safe fixes and all fixes repair."""
    safe, all_ = zip(*found, strict=True)
    return len(safe), safe.count("repaired"), all_.count("repaired")
