"""Lines of what is rendered, led back to a template's."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from crdlint.sources.helm.rendered import align

if TYPE_CHECKING:
    from typing import Any

CASES = {
    "the same": ("a b c", "a b c", [0, 1, 2]),
    "indented otherwise": ("a;  b; c", "  a;b;c", [0, 1, 2]),
    "lines left out": ("a d", "a b c d", [0, 3]),
    "lines put in": ("a x y b", "a b", [0, None, None, 1]),
    "repeated lines beside one that is there once": ("t t k t t", "t t k t t", [0, 1, 2, 3, 4]),
    "repeated lines beside what is left out": ("a t b t", "a t if t b t", [0, 1, 4, 5]),
    "nothing in common": ("a b", "c d", [None, None]),
    "nothing": ("", "a", [None]),
    "turned about": ("b a", "a b", [None, 0]),
}


def lines(text: str) -> list[str]:
    return text.split(";") if ";" in text else text.split(" ")


@pytest.mark.parametrize(("rendered", "template", "places"), CASES.values(), ids=CASES)
def test_places(rendered: str, template: str, places: list[Any]) -> None:
    assert align(lines(rendered), lines(template)) == places


def test_places_ascend_and_lines_are_equal() -> None:
    seed = random.Random(7)
    for _ in range(300):
        template = [seed.choice("abcdefghij") for _ in range(seed.randrange(40))]
        rendered = [
            seed.choice([one, one, one, "x", "a"]) for one in template if seed.random() < 0.8
        ]
        places = align(rendered, template)
        found = [(i, at) for i, at in enumerate(places) if at is not None]
        assert all(rendered[i] == template[at] for i, at in found)
        assert [at for _, at in found] == sorted({at for _, at in found})


@pytest.mark.parametrize(("line", "found"), [("same", 0), ("{}", 1)])
def test_many_lines(line: str, found: int) -> None:
    rendered, template = (
        [line.format(i) for i in order] for order in (range(100000), range(100000, 0, -1))
    )
    assert sum(at is not None for at in align(rendered, template)) == found
