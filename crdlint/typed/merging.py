"""Merging of an applied object into a stored one, and which fields that changes.

Upstream: structured-merge-diff typed/merge.go, compare.go, tofieldset.go and remove.go. Values have passed the check of
their types (`crdlint.typed.walker`). Go's distinction of a value that is absent (`ABSENT`) and one that is null is kept.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import field as part
from typing import Any, Final, TypeVar

from crdlint.gathering import only
from crdlint.kubernetes.servers import Server
from crdlint.light import dataclass
from crdlint.typed.equality import same_values
from crdlint.typed.fields import Fields, OwnedField, around
from crdlint.typed.items import ItemIdentity, identity_of
from crdlint.typed.types import FieldType, ListType, MapType

ABSENT: Final = object()
_Result = TypeVar("_Result")
_Visit = Generator[Any, Any, _Result]


def _run(visit: _Visit[_Result]) -> _Result:
    """Run a visit: it yields visits of values below, and gets their results. Objects may be deeper than Python's stack."""
    stack: list[_Visit[Any]] = [visit]
    result: Any = None
    while stack:
        try:
            below = stack[-1].send(result)
        except StopIteration as stop:  # noqa: PERF203  once for each visit
            stack.pop()
            result = stop.value
        else:
            stack.append(below)
            result = None
    finished: _Result = result
    return finished


@dataclass(slots=True)
class FieldChanges:
    """The fields of a new object that an old one does not have, those that differ, and those that only the old one has."""

    added: set[OwnedField] = part(default_factory=set)
    modified: set[OwnedField] = part(default_factory=set)
    removed: set[OwnedField] = part(default_factory=set)


class Merging:
    """Merging, comparing and reducing of values for a server."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def merged(self, stored: Any, applied: Any, of: OwnedField) -> Any:
        """Return what becomes of a stored value, to which another one is applied."""
        return _run(self._merged(stored, applied, of.type))

    def compared(self, old: Any, new: Any, of: OwnedField) -> FieldChanges:
        """Return which fields differ in two values."""
        comparison = FieldChanges()
        _run(self._compared(old, new, of, comparison))
        return comparison

    def fields(self, value: Any, of: OwnedField) -> set[OwnedField]:
        """Return the fields that whoever applies a value owns. Upstream: TypedValue.ToFieldSet."""
        fields: set[OwnedField] = set()
        _run(self._fields(value, of, fields))
        return fields

    def reduced(self, value: Any, removed: Fields, of: OwnedField) -> Any:
        """Return a value without some fields. Upstream: TypedValue.RemoveItems."""
        return _run(self._reduced(value, of, removed, around(removed)))

    # Merging

    def _merged(self, stored: Any, applied: Any, type_: FieldType) -> _Visit[Any]:
        kind = type_.of(stored if applied is ABSENT else applied)
        latest = stored if applied is ABSENT else applied
        if kind.map is not None:
            both = _part(stored, dict), _part(applied, dict)
            if _is_granular(kind.map, *both):
                return (yield self._merged_map(*both, kind.map))
        elif kind.scalar is None and kind.list is not None:
            items = _part(stored, list), _part(applied, list)
            if _is_granular(kind.list, *items):
                return (yield self._merged_list(*items, kind.list))
        return latest

    def _merged_map(
        self, stored: dict[str, Any], applied: dict[str, Any], declared: MapType
    ) -> _Visit[Any]:
        result: dict[str, Any] = {}
        for name in dict.fromkeys((*stored, *applied)):
            type_ = declared.value(name) or FieldType()
            value = yield self._merged(stored.get(name, ABSENT), applied.get(name, ABSENT), type_)
            if value is not ABSENT:
                result[name] = value
        return result or ABSENT

    def _merged_list(
        self, stored: list[Any], applied: list[Any], declared: ListType
    ) -> _Visit[Any]:
        """Merge associative lists: in the order of the applied list, with stored items where they were."""
        type_ = declared.item()
        merge = _MergedItems(
            self._identified(stored, declared, type_), self._identified(applied, declared, type_)
        )
        result: list[Any] = []
        for of_stored, of_applied in merge.pairs():
            value = yield self._merged(of_stored, of_applied, type_)
            if value is not ABSENT:
                result.append(value)
        return result or ABSENT

    def _identified(
        self, items: Sequence[Any], declared: ListType, type_: FieldType
    ) -> list[tuple[ItemIdentity, Any]]:
        return [(identity_of(item, declared, type_, self._server), item) for item in items]

    # Comparing

    def _compared(
        self,
        old: Any,
        new: Any,
        of: OwnedField,
        changes: FieldChanges,
    ) -> _Visit[bool]:
        """Compare two values, of which one may be absent; return whether the whole value is one leaf."""
        kinds = [of.type.of(new if old is ABSENT else old)]
        if old is not ABSENT and new is not ABSENT:
            of_new = of.type.of(new)
            if _shape(of_new) != _shape(kinds[0]):
                kinds.append(of_new)
        is_leaf = False
        for kind in kinds:
            is_leaf = yield self._compared_as(kind, (old, new), of, changes)
        if not is_leaf and old is ABSENT:
            _insert(changes.added, of)
        elif not is_leaf and new is ABSENT:
            _insert(changes.removed, of)
        return is_leaf

    def _compared_as(
        self,
        kind: FieldType,
        values: tuple[Any, Any],
        of: OwnedField,
        changes: FieldChanges,
    ) -> _Visit[bool]:
        old, new = values
        if kind.map is not None:
            both = _part(old, dict), _part(new, dict)
            if _is_granular(kind.map, *both):
                for name in dict.fromkeys((*both[0], *both[1])):
                    pair = both[0].get(name, ABSENT), both[1].get(name, ABSENT)
                    yield self._compared(*pair, of.below(name), changes)
                return False
        elif kind.scalar is None and kind.list is not None:
            items = _part(old, list), _part(new, list)
            if _is_granular(kind.list, *items):
                yield self._compared_lists(*items, of, changes)
                return False
        _compare_leaf(old, new, of, changes)
        return True

    def _compared_lists(
        self,
        old: list[Any],
        new: list[Any],
        of: OwnedField,
        changes: FieldChanges,
    ) -> _Visit[None]:
        declared = of.type.list
        if declared is None:
            return
        olds, news = (
            _grouped(self._identified(items, declared, declared.item())) for items in (old, new)
        )
        for identity in dict.fromkeys((*olds, *news)):
            before, after = olds.get(identity, []), news.get(identity, [])
            item = of.below(identity)
            if len(before) <= 1 and len(after) <= 1:
                yield self._compared(_only(before), _only(after), item, changes)
            elif len(before) > 1 and len(after) > 1:
                if not same_values(before, after):
                    changes.modified.add(item)
            elif len(before) > 1:
                if after:
                    yield self._compared(ABSENT, after[0], item, changes)
                changes.removed.add(item)
            else:
                if before:
                    yield self._compared(before[0], ABSENT, item, changes)
                changes.added.add(item)

    # Fields of a value

    def _fields(self, value: Any, of: OwnedField, result: set[OwnedField]) -> _Visit[None]:
        kind = of.type.of(value)
        if kind.map is not None:
            if kind.map.is_atomic:
                _insert(result, of)
            elif value.__class__ is dict:
                yield self._fields_of_map(value, of, result)
        elif kind.scalar is not None:
            _insert(result, of)
        elif kind.list is not None:
            if not kind.list.is_associative:
                _insert(result, of)
            elif value.__class__ is list:
                yield self._fields_of_list(value, kind.list, of, result)

    def _fields_of_map(
        self, value: dict[str, Any], of: OwnedField, result: set[OwnedField]
    ) -> _Visit[None]:
        for name, item in value.items():
            below = of.below(name)
            yield self._fields(item, below, result)
            if item is None or item == {} or not below.is_named:
                result.add(below)

    def _fields_of_list(
        self,
        value: list[Any],
        declared: ListType,
        of: OwnedField,
        result: set[OwnedField],
    ) -> _Visit[None]:
        for identity, items in _grouped(self._identified(value, declared, declared.item())).items():
            below = of.below(identity)
            result.add(below)
            if len(items) == 1:
                yield self._fields(items[0], below, result)

    # Removing

    def _reduced(
        self,
        value: Any,
        of: OwnedField,
        removed: Fields,
        containing: Fields,
    ) -> _Visit[Any]:
        """Return what is left of a value: null if nothing is, as upstream."""
        kind = of.type.of(value)
        if kind.map is not None:
            if value.__class__ is not dict or kind.map.is_atomic:
                return None
            return (yield self._reduced_map(value, of, removed, containing))
        if kind.scalar is not None:
            return value
        if kind.list is None or value.__class__ is not list or not kind.list.is_associative:
            return None
        return (yield self._reduced_list(value, of, removed, containing))

    def _reduced_map(
        self,
        value: dict[str, Any],
        of: OwnedField,
        removed: Fields,
        containing: Fields,
    ) -> _Visit[Any]:
        result: dict[str, Any] = {}
        for name, item in value.items():
            below = of.below(name)
            if below in removed:
                continue
            is_changed = below in containing
            result[name] = (
                (yield self._reduced(item, below, removed, containing)) if is_changed else item
            )
        return result or None

    def _reduced_list(
        self,
        value: list[Any],
        of: OwnedField,
        removed: Fields,
        containing: Fields,
    ) -> _Visit[Any]:
        declared = of.type.list
        if declared is None:
            return None
        result: list[Any] = []
        for identity, item in self._identified(value, declared, declared.item()):
            below = of.below(identity)
            if below in removed:
                continue
            is_changed = below in containing
            result.append(
                (yield self._reduced(item, below, removed, containing)) if is_changed else item
            )
        return result or None


class _MergedItems:
    """The order in which items of two lists are merged. Upstream: mergingWalker.visitListItems."""

    def __init__(
        self, stored: list[tuple[ItemIdentity, Any]], applied: list[tuple[ItemIdentity, Any]]
    ) -> None:
        groups = _grouped(stored)
        # Items that are stored twice are not merged with the applied one.
        self._by_identity = {identity: only(items) for identity, items in groups.items()}
        self._is_applied = {identity for identity, _ in applied}
        self._merged: set[ItemIdentity] = set()
        # What is left of both lists, and of the applied items those that are stored as well.
        self._stored, self._applied = deque(stored), deque(applied)
        self._shared = deque(each for each, _ in applied if each in self._by_identity)

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Yield each stored item with the applied one; the one that does not exist is absent."""
        while self._stored or self._applied:
            if self._is_removed():
                yield self._stored.popleft()[1], ABSENT
            elif self._is_later():
                self._stored.popleft()
            else:
                yield from self._next_applied()

    def _is_removed(self) -> bool:
        """Return whether the next stored item is not applied."""
        return bool(self._stored) and self._stored[0][0] not in self._is_applied

    def _is_later(self) -> bool:
        """Return whether the next stored item, which is applied, is another one than the next item of both lists."""
        return bool(self._stored and self._shared) and self._stored[0][0] != self._shared[0]

    def _next_applied(self) -> Iterator[tuple[Any, Any]]:
        """Yield the next applied item with the stored one, unless only stored items are left, which are merged."""
        of_applied = self._applied[0][0] if self._applied else None
        if self._stored:
            of_stored = self._stored[0][0]
            if of_stored == of_applied or of_stored in self._merged:
                self._stored.popleft()
        if not self._applied:
            return
        identity, item = self._applied.popleft()
        self._merged.add(identity)
        if self._shared and self._shared[0] == identity:
            self._shared.popleft()
        yield self._by_identity.get(identity, ABSENT), item


def _compare_leaf(
    old: Any,
    new: Any,
    of: OwnedField,
    changes: FieldChanges,
) -> None:
    if old is ABSENT:
        _insert(changes.added, of)
    elif new is ABSENT:
        _insert(changes.removed, of)
    elif not same_values(old, new):
        _insert(changes.modified, of)


def _insert(fields: set[OwnedField], field: OwnedField) -> None:
    """Add a field, but not the object itself, which has no owner."""
    if field.parent is not None:
        fields.add(field)


def _grouped(items: Sequence[tuple[ItemIdentity, Any]]) -> dict[ItemIdentity, list[Any]]:
    groups: dict[ItemIdentity, list[Any]] = {}
    for identity, item in items:
        groups.setdefault(identity, []).append(item)
    return groups


def _only(items: list[Any]) -> Any:
    return items[0] if items else ABSENT


def _part(value: Any, kind: type) -> Any:
    """Return a value of a kind, empty for any other value."""
    return value if value.__class__ is kind else kind()


def _is_granular(declared: MapType | ListType, old: Any, new: Any) -> bool:
    """Return whether the parts of two values are merged. Two empty ones are a leaf, which keeps null and empty apart."""
    is_atomic = declared.is_atomic if isinstance(declared, MapType) else not declared.is_associative
    return not is_atomic and bool(old or new)


def _shape(kind: FieldType) -> tuple[bool, bool, bool]:
    return kind.map is not None, kind.scalar is not None, kind.list is not None
