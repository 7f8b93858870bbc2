"""What identifies an item of an associative list. Upstream: structured-merge-diff typed/helpers.go, fieldpath/element.go."""

from __future__ import annotations

from typing import Any, Final

from crdlint.golang.printing import marshal, print_key
from crdlint.golang.text import quote
from crdlint.kubernetes.servers import Server
from crdlint.phrases import joined
from crdlint.typed.types import FieldType, ListType


class ItemIdentity:
    """The values of an item's keys by name, sorted, or its own value with an empty name.

    Identities of equal items are equal: 1 equals 1.0, and differs from true.
    """

    __slots__ = ("_comparable", "values")

    def __init__(self, values: tuple[tuple[str, Any], ...]) -> None:
        self.values = values
        self._comparable = tuple((name, _comparable(value)) for name, value in values)

    def __str__(self) -> str:
        # Upstream: fieldpath.PathElement.String.
        return "[" + ",".join(f"{name}={print_key(value)}" for name, value in self.values) + "]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ItemIdentity) and self._comparable == other._comparable

    def __hash__(self) -> int:
        return hash(self._comparable)

    @property
    def has_keys(self) -> bool:
        """Whether the item is identified by keys, and not by its own value."""
        return self.values[:1] != () and self.values[0][0] != ""

    @property
    def in_words(self) -> str:
        """The values as they are written in a manifest."""
        parts = (
            f"`{name}: {print_key(value)}`" if name else f"`{print_key(value)}`"
            for name, value in self.values
        )
        return joined([*parts], "and")


class NoIdentityError(ValueError):
    """An item of an associative list that cannot be identified; the text is upstream's, and `reason` is crdlint's."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(text)
        self.reason = reason


def identity_of(
    item: Any,
    declared: ListType,
    type_: FieldType,
    server: Server,
) -> ItemIdentity:
    """Return what identifies an item of a type; raise `NoIdentityError`. Upstream: listItemToPathElement."""
    if declared.keys:
        return ItemIdentity(tuple(sorted(_keys(item, declared.keys, type_, server), key=_name)))
    if item.__class__ is dict:
        raise NoIdentityError(
            "associative list without keys has an element that's a map type", _NOT_IN_SET
        )
    if item.__class__ is list:
        raise NoIdentityError("not supported: associative list with lists as elements", _NOT_IN_SET)
    if item is None:
        raise NoIdentityError(
            "associative list without keys has an element that's an explicit null", _NULL_ITEM
        )
    return ItemIdentity((("", item),))


def _keys(
    item: Any,
    names: tuple[str, ...],
    type_: FieldType,
    server: Server,
) -> list[tuple[str, Any]]:
    """Return the names and values of the keys that an item has, with defaults."""
    if item is None:
        raise NoIdentityError("associative list with keys may not have a null element", _NULL_ITEM)
    if item.__class__ is not dict:
        reason = "has an item that is not an object"
        raise NoIdentityError("associative list with keys may not have non-map elements", reason)
    keys: list[tuple[str, Any]] = []
    for name in names:
        if name in item:
            keys.append((name, item[name]))
            continue
        if type_.map is None:
            cause = "associative list may not have non-map types"
            raise NoIdentityError(
                f"couldn't find default value for {name}: {cause}", f"has an item without `{name}`"
            )
        default = type_.map.default(name)
        if default is not None:
            keys.append((name, default))
        elif not server.identifies_items_by_some_keys:
            lacks = f"omits key field {quote(name)} (and doesn't have default value)"
            text = f"associative list with keys has an element that {lacks}"
            raise NoIdentityError(text, f"has an item without the key `{name}`")
    if not keys:
        lacks = f"omits all key fields [{' '.join(map(quote, names))}]"
        defaults = "(and doesn't have default values for any key fields)"
        text = f"associative list with keys has an element that {lacks} {defaults}"
        keys_in_words = joined([f"`{name}`" for name in names], "and")
        raise NoIdentityError(
            text, f"has an item without the key{'s' * (len(names) > 1)} {keys_in_words}"
        )
    return keys


def _name(pair: tuple[str, Any]) -> str:
    return pair[0]


def _comparable(value: Any) -> object:
    if value.__class__ is bool or value.__class__ in {dict, list}:
        return value.__class__, marshal(value)
    return value


_NOT_IN_SET: Final = "is a set: its items must be scalars"
_NULL_ITEM: Final = "has an item that is null"
