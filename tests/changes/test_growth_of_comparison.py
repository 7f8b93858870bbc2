"""The work of a comparison grows with the CRD, not with its square."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from changes_support import changes
from counting import LINEAR, growth
from crds import small
from tables import each

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = {"type": "string"}


def fields(count: int, name: str, **more: Any) -> dict[str, Any]:
    return small(
        {"type": "object", "properties": {f"{name}{i}": {**TEXT, **more} for i in range(count)}}
    )


def renamed(count: int) -> tuple[Any, Any]:
    return fields(count, "a"), fields(count, "b")


def tightened(count: int) -> tuple[Any, Any]:
    return fields(count, "a"), fields(count, "a", maxLength=5)


def folded(count: int) -> tuple[Any, Any]:
    return fields(1, "a", allOf=[{"maxLength": 9}] * count), fields(
        1, "a", allOf=[{"maxLength": 8}] * count
    )


def enumerated(count: int) -> tuple[Any, Any]:
    return fields(1, "a", enum=[f"v{i}" for i in range(count)]), fields(
        1, "a", enum=[f"w{i}" for i in range(count)]
    )


@each(
    ("make", "size"),
    [(renamed, 60), (tightened, 60), (folded, 60), (enumerated, 60)],
    ids=lambda one: str(one)[:20],
)
def test_linear(make: Callable[[int], tuple[Any, Any]], size: int) -> None:
    assert growth(lambda n: changes(*json.loads(json.dumps(make(n)))), size) < LINEAR
