"""The nearest of the known names: difflib's answer, without its work."""

from __future__ import annotations

import random
from difflib import get_close_matches

import pytest

from crdlint.phrases import nearest


def by_difflib(name: str, known: list[str], cutoff: float) -> str | None:
    folded = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), folded, n=1, cutoff=cutoff)
    return folded[near[0]] if near else None


def test_same_answers_as_difflib() -> None:
    chosen = random.Random(1)
    for _ in range(2000):
        letters = chosen.choice(["ab", "abcD", "abcdefghij"])
        name, *known = (
            "".join(chosen.choices(letters, k=chosen.randrange(10)))
            for _ in range(1 + chosen.randrange(10))
        )
        cutoff = chosen.choice([0.5, 0.6, 0.75])
        assert nearest(name, known, cutoff) == by_difflib(name, known, cutoff)


@pytest.mark.parametrize("known", ["a" * 100_000, "ab" * 50_000])
def test_names_too_long_to_compare(known: str) -> None:
    assert nearest("a" * 99_999, [known], 0.6) is None
    assert nearest(known.upper(), [known], 0.6) == known
