"""The nearest of the known names: difflib's answer, without its work."""

from __future__ import annotations

import random
from difflib import SequenceMatcher, get_close_matches

import pytest
from counting import recording

from crdlint.diagnostics.spelling import nearest


def by_difflib(name: str, known: list[str], cutoff: float) -> str | None:
    folded = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), folded, n=1, cutoff=cutoff)
    return folded[near[0]] if near else None


def test_same_answers_as_difflib() -> None:
    chosen = random.Random(1)
    for _ in range(2000):
        letters = chosen.choice(["ab", "abcD", "abcdefghij"])
        name, *known = (
            "".join(chosen.choices(letters, k=chosen.randrange(10))) for _ in range(1 + chosen.randrange(10))
        )
        cutoff = chosen.choice([0.5, 0.6, 0.75])
        assert nearest(name, known, cutoff) == by_difflib(name, known, cutoff)


def test_few_ratios_are_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out: list[object] = []
    monkeypatch.setattr(SequenceMatcher, "ratio", recording(worked_out, SequenceMatcher.ratio))
    assert nearest("fieldx9", [f"field{i}" for i in range(5000)], 0.6) == "field9"
    assert len(worked_out) < 50


@pytest.mark.parametrize("known", ["a" * 100_000, "ab" * 50_000])
def test_names_too_long_to_compare(known: str) -> None:
    assert nearest("a" * 99_999, [known], 0.6) is None
    assert nearest(known.upper(), [known], 0.6) == known
