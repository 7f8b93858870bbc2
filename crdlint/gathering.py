"""Items by a key, the only item of a list, and what a value of JSON holds if it has the expected type."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

_Item = TypeVar("_Item")
_Key = TypeVar("_Key", bound=Hashable)


def grouped(items: Iterable[_Item], key: Callable[[_Item], _Key]) -> dict[_Key, list[_Item]]:
    """Return the items of each key, both in the order in which they come first.

    >>> grouped(["b1", "a1", "b2"], lambda text: text[0])
    {'b': ['b1', 'b2'], 'a': ['a1']}
    """
    groups: dict[_Key, list[_Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def partitioned(
    items: Iterable[_Item], fits: Callable[[_Item], bool]
) -> tuple[list[_Item], list[_Item]]:
    """Return the items that fit, and the others, both in order.

    >>> partitioned([1, 2, 3], lambda number: number > 1)
    ([2, 3], [1])
    """
    fitting: list[_Item] = []
    others: list[_Item] = []
    for item in items:
        (fitting if fits(item) else others).append(item)
    return fitting, others


def without_none(items: Iterable[_Item | None]) -> list[_Item]:
    """Return the items that are not None.

    >>> without_none([0, None, 2])
    [0, 2]
    """
    return [item for item in items if item is not None]


def first_of(items: Sequence[_Item]) -> _Item | None:
    """Return the first item, or None if there is none."""
    return items[0] if items else None


def only(items: Sequence[_Item]) -> _Item | None:
    """Return the only item, or None if there is none or more than one.

    >>> only([1]), only([]), only([1, 2])
    (1, None, None)
    """
    return items[0] if len(items) == 1 else None


def object_of(value: Any) -> dict[str, Any]:
    """Return an object of JSON, an empty one for any other value.

    >>> object_of({"a": 1}), object_of("text")
    ({'a': 1}, {})
    """
    return value if isinstance(value, dict) else {}


def object_at(value: Any, *names: str) -> dict[str, Any]:
    """Return the object of JSON below some fields of a value, an empty one if there is none."""
    for name in names:
        value = object_of(value).get(name)
    return object_of(value)


def list_of(value: Any) -> list[Any]:
    """Return a list of JSON, an empty one for any other value."""
    return value if isinstance(value, list) else []
