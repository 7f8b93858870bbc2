"""Fields of objects of one type, and sets of them. Upstream: structured-merge-diff fieldpath (Path, Set).

A field is created once for each path, so a set of fields is a set of Python.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Set
from functools import cmp_to_key
from typing import Any, Final, TypeAlias

from crdlint.gathering import object_of
from crdlint.typed.items import ItemIdentity
from crdlint.typed.types import FieldType

# A step of a path: the name of a field, what identifies an item, or the index of an item.
Step: TypeAlias = "str | ItemIdentity | int"


class OwnedField:
    """A field or item of an object: its parent, its step below it, and its type.

    `is_named` is whether the type of the parent declares it by its name. Its depth is the number of its steps.
    """

    __slots__ = ("_below", "depth", "is_named", "parent", "step", "type")

    def __init__(self, parent: OwnedField | None, step: Step, type_: FieldType) -> None:
        self.parent = parent
        self.step = step
        self.type = type_
        self.depth: int = 0 if parent is None else parent.depth + 1
        of_parent = None if parent is None else parent.type.map
        self.is_named = of_parent is not None and isinstance(step, str) and of_parent.has(step)
        self._below: dict[tuple[type, Step], OwnedField] = {}

    def below(self, step: Step) -> OwnedField:
        """Return the field at a step below this one."""
        key = (step.__class__, step)
        field = self._below.get(key)
        if field is None:
            field = self._below[key] = OwnedField(self, step, _type_below(self.type, step))
        return field

    def ancestors(self) -> Iterator[OwnedField]:
        """Yield the fields around this one, the nearest first, without the object itself."""
        field = self.parent
        while field is not None and field.parent is not None:
            yield field
            field = field.parent

    @property
    def steps(self) -> list[Step]:
        """The steps from the object on."""
        return [field.step for field in reversed([self, *self.ancestors()])]

    def __str__(self) -> str:
        # Upstream: fieldpath.Path.String.
        return "".join(map(_printed, self.steps))


Fields: TypeAlias = "Set[OwnedField]"


def root(type_: FieldType) -> OwnedField:
    """Return the field that is the object itself."""
    return OwnedField(None, "", type_)


def _type_below(type_: FieldType, step: Step) -> FieldType:
    """Return the type of a field; that of a field that is not declared is empty."""
    declared: FieldType | None = None
    if isinstance(step, str):
        declared = None if type_.map is None else type_.map.value(step)
    elif type_.list is not None:
        declared = type_.list.item()
    return FieldType() if declared is None else declared


def _printed(step: Step) -> str:
    if isinstance(step, str):
        return f".{step}"
    return f"[{step}]" if isinstance(step, int) else str(step)


def with_named(fields: Fields) -> set[OwnedField]:
    """Return fields, and those around them that are declared by name. Upstream: Set.EnsureNamedFieldsAreMembers."""
    result = set(fields)
    for field in fields:
        for around in field.ancestors():
            if around.is_named:
                result.add(around)
    return result


def around(fields: Fields) -> set[OwnedField]:
    """Return the fields that contain any of the fields."""
    result: set[OwnedField] = set()
    for field in fields:
        for ancestor in field.ancestors():
            if ancestor in result:
                break
            result.add(ancestor)
    return result


def without(fields: Fields, removed: Fields) -> set[OwnedField]:
    """Return fields that are neither removed nor below one that is. Upstream: Set.RecursiveDifference."""
    if not removed:
        return set(fields)
    return {
        field for field in fields if field not in removed and removed.isdisjoint(field.ancestors())
    }


def of_json(text_or_value: Any, of: OwnedField) -> set[OwnedField]:
    """Return the fields of `fieldsV1` in an entry of managed fields; raise ValueError for what the server does not read.

    Upstream: fieldpath readIterV1 and DeserializePathElement.
    """
    if not isinstance(text_or_value, dict):
        raise ValueError("managed fields are not an object")
    result: set[OwnedField] = set()
    pending: list[tuple[OwnedField, dict[str, Any]]] = [(of, text_or_value)]
    while pending:
        field, content = pending.pop()
        below = [key for key in content if key != "." and key[:2] in _KNOWN]
        if field is not of and (not below or "." in content):
            result.add(field)
        pending += [(field.below(_step(key)), object_of(content[key])) for key in below]
    return result


_KNOWN: Final = frozenset({"f:", "k:", "v:", "i:"})


def _step(key: str) -> Step:
    """Return the step of a key such as `f:spec`, `k:{"name":"a"}`, `v:1` and `i:0`."""
    kind, text = key[:2], key[2:]
    if kind == "f:":
        return text
    if kind == "i:":
        return int(text)
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError("an item is nested too deeply") from None
    if kind == "v:":
        return ItemIdentity((("", value),))
    if not isinstance(value, dict):
        raise ValueError("the keys of an item are not an object")
    return ItemIdentity(tuple(sorted(value.items())))


def in_order(fields: Iterable[OwnedField]) -> list[OwnedField]:
    """Return fields in the order of upstream: the fields of an object before all below them, names before items."""
    return sorted(fields, key=lambda field: _order(field.steps))


def _order(steps: list[Step]) -> tuple[Any, ...]:
    """Return the key of a path: of two paths that part at a step, the one that ends there is first."""
    last = len(steps) - 1
    return tuple((i < last, *_order_of_step(step)) for i, step in enumerate(steps))


def _order_of_step(step: Step) -> tuple[Any, ...]:
    if isinstance(step, str):
        return 0, step.encode("utf-8", "surrogatepass")
    if isinstance(step, int):
        return 3, step
    values = tuple((name, _VALUES(value)) for name, value in step.values)
    return (1 if step.has_keys else 2), values


def _compare(left: Any, right: Any) -> int:
    """Compare two values. Upstream: value.Compare."""
    ranks = _rank(left), _rank(right)
    if ranks[0] != ranks[1]:
        return -1 if ranks[0] < ranks[1] else 1
    if left == right or ranks[0] > _LAST_ORDERED:
        return 0
    return -1 if left < right else 1


def _rank(value: Any) -> int:
    return _RANKS.get(value.__class__, _LAST_ORDERED + 1)


_RANKS: Final[dict[type, int]] = {float: 0, int: 0, str: 1, bool: 2}
_LAST_ORDERED: Final = 2
_VALUES: Final = cmp_to_key(_compare)
