"""The check of a value against a type. Upstream: structured-merge-diff typed/validate.go and typed/helpers.go.

Go's order of map keys is random: the errors are in the order of the document here. The server stops at the first unknown
field of a map that it meets, which may hide errors of its other fields. The error about an unknown field comes last here,
and those about further ones are hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, TypeAlias

from crdlint.crd.paths import Path
from crdlint.golang.printing import GO_TYPES, go_syntax, marshal, print_key, print_value
from crdlint.golang.text import quote, sprintf
from crdlint.kubernetes.servers import Server
from crdlint.light import NamedTuple
from crdlint.phrases import joined as joined_phrases
from crdlint.typed.types import FieldType, ListType, MapType, Scalar

Expected: TypeAlias = "Literal['', 'nothing', 'list', 'map'] | Scalar"


class TypedError(NamedTuple):
    """An error of the typed check.

    `printed` is the path as the server prints it (`.spec.ports[name="a"]`), `path` leads to the value in the document and
    is None for the root. `hidden` marks an error that the server reports only after others are fixed. `expected` is what
    the value should be instead, "nothing" for an unknown field, empty for an item that is repeated or cannot be identified.
    `reason` is then what is wrong with it, in crdlint's words.
    """

    path: Path | None
    printed: str
    text: str
    hidden: bool = False
    expected: Expected = ""
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.printed}: {self.text}" if self.printed else self.text


def joined(errors: Iterable[TypedError]) -> str:
    """Return the server's text for all errors of a value that are not hidden. Upstream: ValidationErrors.Error."""
    texts = [str(error) for error in errors if not error.hidden]
    return texts[0] if len(texts) == 1 else "\n  ".join(["errors:", *texts])


def check(value: object, of: FieldType, server: Server) -> list[TypedError]:
    """Return the errors of a JSON value, in which integers are distinguished from floats."""
    errors: list[TypedError] = []
    stack = [_TypedVisit(server).of(value, of, None)]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
        elif isinstance(step, TypedError):
            errors.append(step)
        else:
            stack.append(step)
    return errors


class _Location(NamedTuple):
    """A value below the root: its parent's location, its step in the document, and what identifies it in its list or map."""

    parent: _Location | None
    step: str | int
    identity: _Identity | None = None

    def error(self, text: str) -> TypedError:
        locations: list[_Location] = []
        location: _Location | None = self
        while location is not None:
            locations.append(location)
            location = location.parent
        path: Path | None = None
        for part in reversed(locations):
            path = Path(part.step, path)
        return TypedError(path, "".join(part.printed for part in reversed(locations)), text)

    @property
    def printed(self) -> str:
        if self.identity is not None:
            return str(self.identity)
        return f".{self.step}" if isinstance(self.step, str) else f"[{self.step}]"


class _Identity(NamedTuple):
    """What identifies an item of an associative list: the values of its keys by name, or its own value without a name."""

    values: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        # Upstream: fieldpath.PathElement.String.
        return "[" + ",".join(f"{name}={print_key(value)}" for name, value in self.values) + "]"

    @property
    def comparable(self) -> tuple[object, ...]:
        """A value that is equal for equal items: 1 equals 1.0, and differs from true."""
        return tuple((name, _comparable(value)) for name, value in self.values)


def _comparable(value: Any) -> object:
    if value.__class__ is bool or value.__class__ in {dict, list}:
        return value.__class__, marshal(value)
    return value


def _error(location: _Location | None, text: str) -> TypedError:
    return TypedError(None, "", text) if location is None else location.error(text)


_Steps = Iterator["TypedError | _Steps"]


class _TypedVisit:
    """The visit of a value for a server: each function yields errors, and visits of the values below."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def of(self, value: Any, declared: FieldType, location: _Location | None) -> _Steps:
        kind = declared.of(value)
        if value is None:
            return
        if kind.map is not None:
            yield from self._map(value, kind.map, location)
        elif kind.scalar is not None:
            yield from self._scalar(value, kind.scalar, location)
        elif kind.list is not None:
            yield from self._list(value, kind.list, location)

    def _scalar(self, value: Any, scalar: Scalar, location: _Location | None) -> _Steps:
        if scalar == "untyped" and not self._server.checks_any_scalar:
            return
        if value.__class__ not in _CLASSES[scalar]:
            yield _error(location, _MISTYPED[scalar](value))._replace(expected=scalar)

    def _mistyped(self, expected: str, value: Any) -> str:
        text = f"expected {expected}, got {_printed(value)}"
        return text if self._server.prints_collections_as_they_are else sprintf(text)

    def _map(self, value: Any, declared: MapType, location: _Location | None) -> _Steps:
        if value.__class__ is not dict:
            yield _error(location, self._mistyped("map", value))._replace(expected="map")
            return
        unknown: list[_Location] = []
        for name, item in value.items():
            type_ = declared.value(name)
            if type_ is None:
                unknown.append(_Location(location, name))
            elif not _is_scalar_of(item, type_):
                yield self.of(item, type_, _Location(location, name))
        for i, field in enumerate(unknown):
            yield field.error("field not declared in schema")._replace(
                hidden=i > 0, expected="nothing"
            )

    def _list(self, value: Any, declared: ListType, location: _Location | None) -> _Steps:
        if value.__class__ is not list:
            yield _error(location, self._mistyped("list", value))._replace(expected="list")
            return
        type_ = declared.item()
        seen: set[tuple[object, ...]] = set()
        for i, item in enumerate(value):
            identity = None
            if declared.is_associative:
                try:
                    identity = _identity(item, declared, type_, self._server)
                except _NoIdentityError as error:
                    yield _of_item(location, i, f"element {i}: {error}", error.reason)
                    return
                if identity.comparable in seen:
                    text = f"duplicate entries for key {identity}"
                    yield _of_item(location, i, text, f"repeats {_described(identity)}")
                seen.add(identity.comparable)
            yield self.of(item, type_, _Location(location, i, identity))


def _is_scalar_of(value: Any, type_: FieldType) -> bool:
    """Return whether a value is a scalar of its type, as most values are: nothing is wrong with it then."""
    return type_.scalar is not None and value.__class__ in _CLASSES[type_.scalar]


def _of_item(location: _Location | None, index: int, text: str, reason: str) -> TypedError:
    """Return an error about an item, which the server reports at its list."""
    return _error(_Location(location, index), text)._replace(
        printed=_printed_path(location), reason=reason
    )


def _described(identity: _Identity) -> str:
    parts = (
        f"`{name}: {print_key(value)}`" if name else f"`{print_key(value)}`"
        for name, value in identity.values
    )
    return joined_phrases([*parts], "and")


def _printed_path(location: _Location | None) -> str:
    return "" if location is None else location.error("").printed


class _NoIdentityError(ValueError):
    """An item of an associative list that cannot be identified; the text is upstream's, and `reason` is crdlint's."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(text)
        self.reason = reason


def _identity(item: Any, declared: ListType, type_: FieldType, server: Server) -> _Identity:
    """Return what identifies an item; raise `_NoIdentityError`. Upstream: listItemToPathElement."""
    if declared.keys:
        return _Identity(tuple(sorted(_keys(item, declared.keys, type_, server), key=_name)))
    if item.__class__ is dict:
        raise _NoIdentityError(
            "associative list without keys has an element that's a map type", _NOT_IN_SET
        )
    if item.__class__ is list:
        raise _NoIdentityError(
            "not supported: associative list with lists as elements", _NOT_IN_SET
        )
    if item is None:
        raise _NoIdentityError(
            "associative list without keys has an element that's an explicit null", _NULL_ITEM
        )
    return _Identity((("", item),))


def _name(pair: tuple[str, Any]) -> str:
    return pair[0]


def _keys(
    item: Any, names: tuple[str, ...], type_: FieldType, server: Server
) -> list[tuple[str, Any]]:
    """Return the names and values of the keys that an item has, with defaults."""
    if item is None:
        raise _NoIdentityError("associative list with keys may not have a null element", _NULL_ITEM)
    if item.__class__ is not dict:
        reason = "has an item that is not an object"
        raise _NoIdentityError("associative list with keys may not have non-map elements", reason)
    keys: list[tuple[str, Any]] = []
    for name in names:
        if name in item:
            keys.append((name, item[name]))
            continue
        if type_.map is None:
            cause = "associative list may not have non-map types"
            raise _NoIdentityError(
                f"couldn't find default value for {name}: {cause}", f"has an item without `{name}`"
            )
        default = type_.map.default(name)
        if default is not None:
            keys.append((name, default))
        elif not server.identifies_items_by_some_keys:
            lacks = f"omits key field {quote(name)} (and doesn't have default value)"
            text = f"associative list with keys has an element that {lacks}"
            raise _NoIdentityError(text, f"has an item without the key `{name}`")
    if not keys:
        lacks = f"omits all key fields [{' '.join(map(quote, names))}]"
        defaults = "(and doesn't have default values for any key fields)"
        text = f"associative list with keys has an element that {lacks} {defaults}"
        keys_in_words = joined_phrases([f"`{name}`" for name in names], "and")
        raise _NoIdentityError(
            text, f"has an item without the key{'s' * (len(names) > 1)} {keys_in_words}"
        )
    return keys


def _printed(value: Any) -> str:
    """Return a value as fmt prints the pointer to it that upstream passes."""
    return f"&{{{print_value(value)}}}"


_NOT_IN_SET: Final = "is a set: its items must be scalars"
_NULL_ITEM: Final = "has an item that is null"
_NUMBERS: Final[frozenset[type]] = frozenset({int, float})
_CLASSES: Final[dict[Scalar, frozenset[type]]] = {
    "numeric": _NUMBERS,
    "string": frozenset({str}),
    "boolean": frozenset({bool}),
    "untyped": frozenset({int, float, str, bool}),
}
_MISTYPED: Final = {
    "numeric": lambda value: f"expected numeric (int or float), got {GO_TYPES[value.__class__]}",
    "string": lambda value: (
        f"expected string, got &value.valueUnstructured{{Value:{go_syntax(value)}}}"
    ),
    "boolean": lambda value: f"expected boolean, got {_printed(value)}",
    "untyped": lambda value: f"expected any scalar, got {_printed(value)}",
}
