"""The work of a check grows with the CRD, not with its square: counted at a size and at twice that size."""

from __future__ import annotations

from counting import LINEAR, growth
from shapes import SHAPES, checked
from tables import each


@each("name", SHAPES)
def test_the_work_is_linear(name: str) -> None:
    assert growth(lambda n: checked(SHAPES[name], n), 160) < LINEAR
