"""Breakages of CRDs in every class: how many the fixes repair, and that no safe fix makes another CRD of one."""

from __future__ import annotations

from collections import Counter
from functools import cache

from real_breakages import CRDS, Case, cases
from repairs import check, errors

from crdlint.runner.fixes import fix
from crdlint.yaml import YAMLDecodeError, decode_yaml


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
    return "rejected" if errors(fixed.result) else "another CRD" if fixed.edits else "accepted as it was"


@cache
def verdicts() -> dict[Case, tuple[str, str]]:
    """Return what the safe fixes and all fixes make of the broken CRDs whose meaning is accepted."""
    meant = {case: check(case.meant) for case in cases()}
    return {
        case: (verdict(case, unsafe=False), verdict(case, unsafe=True))
        for case, result in meant.items()
        if not errors(result)
    }


def test_the_crds_are_accepted() -> None:
    assert {name: errors(check(text)) for name, text in CRDS.items()} == {name: [] for name in CRDS}


def test_no_safe_fix_makes_another_crd() -> None:
    assert [case[:2] for case, (safe, _) in verdicts().items() if safe == "another CRD"] == []


# The cases of each class, and how many of them the safe fixes and all fixes repair at least.
FLOORS = {
    "indentation": (140, 29, 107),
    "YAML syntax": (107, 69, 83),
    "characters": (95, 65, 71),
    "pasted text": (117, 63, 95),
    "types": (147, 131, 131),
    "misspelt": (240, 209, 209),
    "values": (270, 146, 205),
    "x-kubernetes": (168, 129, 160),
    "names": (140, 94, 122),
    "v1beta1": (21, 15, 18),
    "columns": (149, 98, 111),
    "conversion": (54, 30, 36),
    "JSON, Helm, anchors": (37, 21, 24),
}


def test_breakages_are_repaired() -> None:
    found = {
        group: (
            sum(case.group == group for case in verdicts()),
            sum(case.group == group and safe == "repaired" for case, (safe, _) in verdicts().items()),
            sum(case.group == group and all_ == "repaired" for case, (_, all_) in verdicts().items()),
        )
        for group in Counter(case.group for case in verdicts())
    }
    assert {group: one for group, one in found.items() if one < FLOORS.get(group, one)} == {}
    assert found.keys() == FLOORS.keys()


def test_few_guesses_make_another_crd() -> None:
    wrong = [case[:2] for case, (_, all_) in verdicts().items() if all_ == "another CRD"]
    assert len(wrong) <= 35, wrong
