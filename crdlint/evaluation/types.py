"""Schemas of values without a CRD: from a value, or from the notation of a type."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.model import JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool
from crdlint.kubecel.escaping import escape

if TYPE_CHECKING:
    from collections.abc import Iterable

# By the name of a type: type and format of its schema.
_NAMED: Final = {
    "bool": ("boolean", ""),
    "bytes": ("string", "byte"),
    "double": ("number", ""),
    "duration": ("string", "duration"),
    "int": ("integer", ""),
    "string": ("string", ""),
    "timestamp": ("string", "date-time"),
}
_TOKEN: Final = re.compile(r"\s|([A-Za-z_][\w./-]*|[(){},:?])")
_DEEPEST: Final = 64


class NotationError(ValueError):
    """A text is not the notation of a type; `str()` is the reason."""


def _schema(type_: str, format_: str = "") -> JSONSchemaProps:
    schema = JSONSchemaProps()
    schema.type = type_
    if format_:
        schema.format = format_
    return schema


def any_schema() -> JSONSchemaProps:
    """Return a schema whose values have the type dyn."""
    schema = JSONSchemaProps()
    schema.x_int_or_string = True
    schema.nullable = True
    return schema


def _list_of(items: JSONSchemaProps) -> JSONSchemaProps:
    schema = _schema("array")
    schema.items = JSONSchemaPropsOrArray()
    schema.items.schema = items
    return schema


def _map_of(values: JSONSchemaProps) -> JSONSchemaProps:
    schema = _schema("object")
    schema.additional_properties = JSONSchemaPropsOrBool()
    schema.additional_properties.allows = True
    schema.additional_properties.schema = values
    return schema


def _object_of(properties: dict[str, JSONSchemaProps], required: Iterable[str]) -> JSONSchemaProps:
    schema = _schema("object")
    schema.properties = properties
    schema.required = list(required)
    return schema


def schema_of(*values: Any) -> JSONSchemaProps:
    """Return a schema of JSON values: an object whose keys CEL can select has fields, others are maps."""
    return _of_all(list(values))


def _of_all(values: list[Any]) -> JSONSchemaProps:
    """Return a schema for all of the values."""
    present = [value for value in values if value is not None]
    classes = {value.__class__ for value in present}
    if classes == {dict}:
        made = _of_objects(present)
    elif classes == {list}:
        made = _list_of(_of_all([item for value in present for item in value]))
    elif classes and classes <= {int, float}:
        made = _schema("integer" if classes == {int} else "number")
    elif classes == {str} or classes == {bool}:
        made = _schema("string" if classes == {str} else "boolean")
    else:
        return any_schema()
    if len(present) < len(values):
        made.nullable = True
    return made


def _of_objects(values: list[dict[str, Any]]) -> JSONSchemaProps:
    names = list(dict.fromkeys(name for value in values for name in value))
    if any(escape(name) is None or escape(name) != name for name in names):
        return _map_of(_of_all([item for value in values for item in value.values()]))
    properties = {name: _of_all([value[name] for value in values if name in value]) for name in names}
    return _object_of(properties, (name for name in names if all(name in value for value in values)))


def schema_of_notation(text: str) -> JSONSchemaProps:
    """Return the schema of a type such as `int`, `list(string)`, `map(string, int)` or `{name: string, port?: int}`.

    Raise NotationError.
    """
    tokens: list[str] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise NotationError(f"unexpected {text[position]!r}")
        if match[1] is not None:
            tokens.append(match[1])
        position = match.end()
    parser = _Parser(tokens)
    schema = parser.type(0)
    if parser.left:
        raise NotationError(f"unexpected {parser.left!r} after the type")
    return schema


class _Parser:
    """A parser of the notation of types."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._next = 0

    @property
    def left(self) -> str:
        """The next token, empty at the end."""
        return self._tokens[self._next] if self._next < len(self._tokens) else ""

    def _take(self) -> str:
        token = self.left
        self._next += 1
        return token

    def _expect(self, token: str) -> None:
        actual = self._take()
        if actual != token:
            raise NotationError(
                f"expected {token!r} but found {actual!r}" if actual else f"expected {token!r} at the end"
            )

    def type(self, depth: int) -> JSONSchemaProps:
        """Read a type."""
        if depth > _DEEPEST:
            raise NotationError(f"more than {_DEEPEST} types inside of each other")
        name = self._take()
        if name in _NAMED:
            return _schema(*_NAMED[name])
        if name in ("dyn", "int-or-string"):
            return any_schema()
        if name == "list":
            self._expect("(")
            items = self.type(depth + 1)
            self._expect(")")
            return _list_of(items)
        if name == "map":
            self._expect("(")
            self._expect("string")
            self._expect(",")
            values = self.type(depth + 1)
            self._expect(")")
            return _map_of(values)
        if name == "{":
            return self._object(depth)
        known = ", ".join((*_NAMED, "dyn", "list(T)", "map(string, T)", "{field: T}"))
        raise NotationError(
            f"{name!r} is not a type: write {known}" if name else f"the type ends too early: write {known}"
        )

    def _object(self, depth: int) -> JSONSchemaProps:
        properties: dict[str, JSONSchemaProps] = {}
        required = []
        while self.left != "}":
            name = self._take()
            if self.left == "?":
                self._take()
            else:
                required.append(name)
            self._expect(":")
            properties[name] = self.type(depth + 1)
            if self.left != "}":
                self._expect(",")
        self._expect("}")
        return _object_of(properties, required)
