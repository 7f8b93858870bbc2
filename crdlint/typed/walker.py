"""The check of a value against a type. Upstream: structured-merge-diff typed/validate.go and typed/helpers.go.

Go's order of map keys is random: the errors are in the order of the document here. The server stops at the first unknown
field of a map that it meets, which may hide errors of its other fields. The error about an unknown field comes last here,
and those about further ones are hidden.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, TypeAlias

from crdlint.crd.paths import Path
from crdlint.golang.printing import GO_TYPES, go_syntax, print_value
from crdlint.golang.text import sprintf
from crdlint.kubernetes.servers import Server
from crdlint.light import NamedTuple
from crdlint.typed.items import ItemIdentity, NoIdentityError, identity_of
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


def check(
    value: object,
    of: FieldType,
    server: Server,
    *,
    allows_duplicates: bool = False,
) -> list[TypedError]:
    """Return the errors of a JSON value, in which integers are distinguished from floats."""
    errors: list[TypedError] = []
    visit = _TypedVisit(server, allows_duplicates=allows_duplicates)
    stack = [visit.of(value, of, None)]
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
    identity: ItemIdentity | None = None

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


def _error(location: _Location | None, text: str) -> TypedError:
    return TypedError(None, "", text) if location is None else location.error(text)


_Steps = Iterator["TypedError | _Steps"]


class _TypedVisit:
    """The visit of a value for a server: each function yields errors, and visits of the values below."""

    def __init__(self, server: Server, *, allows_duplicates: bool) -> None:
        self._server = server
        self._allows_duplicates = allows_duplicates

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
            elif item.__class__ not in _CLASSES[type_.scalar]:
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
        seen: set[ItemIdentity] = set()
        for i, item in enumerate(value):
            identity = None
            if declared.is_associative:
                try:
                    identity = identity_of(item, declared, type_, self._server)
                except NoIdentityError as error:
                    yield _of_item(location, i, f"element {i}: {error}", error.reason)
                    return
                if identity in seen and not self._allows_duplicates:
                    text = f"duplicate entries for key {identity}"
                    yield _of_item(location, i, text, f"repeats {identity.in_words}")
                seen.add(identity)
            yield self.of(item, type_, _Location(location, i, identity))


def _of_item(
    location: _Location | None,
    index: int,
    text: str,
    reason: str,
) -> TypedError:
    """Return an error about an item, which the server reports at its list."""
    return _error(_Location(location, index), text)._replace(
        printed=_printed_path(location), reason=reason
    )


def _printed_path(location: _Location | None) -> str:
    return "" if location is None else location.error("").printed


def _printed(value: Any) -> str:
    """Return a value as fmt prints the pointer to it that upstream passes."""
    return f"&{{{print_value(value)}}}"


_NUMBERS: Final[frozenset[type]] = frozenset({int, float})
# Most values are scalars of their type: nothing is wrong with them then.
_CLASSES: Final[dict[Scalar | None, frozenset[type]]] = {
    None: frozenset(),
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
