"""Schemas of values without a CRD: from a value, or from the notation of a type."""

from __future__ import annotations

import re
from typing import Any, Final

from crdlint.crd.model import JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool
from crdlint.kubecel.escaping import escape

# By the name of a type: the fields of its schema.
_NAMED: Final = {
    "bool": {"type": "boolean"}, "bytes": {"type": "string", "format": "byte"}, "double": {"type": "number"},
    "duration": {"type": "string", "format": "duration"}, "int": {"type": "integer"}, "string": {"type": "string"},
    "timestamp": {"type": "string", "format": "date-time"},
}  # fmt: skip
# By the classes of its values: the name of a type.
_SCALARS: Final = {
    frozenset({int}): "integer", frozenset({float}): "number", frozenset({int, float}): "number",
    frozenset({str}): "string", frozenset({bool}): "boolean",
}  # fmt: skip
_TOKEN: Final = re.compile(r"([A-Za-z_][\w./-]*|[(){},:?])|([^\s])")
_DEEPEST: Final = 64


class NotationError(ValueError):
    """A text is not the notation of a type; `str()` is the reason."""


def any_schema() -> JSONSchemaProps:
    """Return a schema whose values have the type dyn."""
    return JSONSchemaProps.of(x_int_or_string=True, nullable=True)


def _list_of(items: JSONSchemaProps) -> JSONSchemaProps:
    return JSONSchemaProps.of(type="array", items=JSONSchemaPropsOrArray.of(schema=items))


def _map_of(values: JSONSchemaProps) -> JSONSchemaProps:
    additional = JSONSchemaPropsOrBool.of(allows=True, schema=values)
    return JSONSchemaProps.of(type="object", additional_properties=additional)


def schema_of(*values: Any) -> JSONSchemaProps:
    """Return a schema of JSON values: an object whose keys CEL can select has fields, others are maps.

    >>> schema_of(1, 2).type
    'integer'
    """
    present = [value for value in values if value is not None]
    classes = frozenset(value.__class__ for value in present)
    if classes == {dict}:
        made = _of_objects(present)
    elif classes == {list}:
        made = _list_of(schema_of(*(item for value in present for item in value)))
    elif classes in _SCALARS:
        made = JSONSchemaProps.of(type=_SCALARS[classes])
    else:
        return any_schema()
    if len(present) < len(values):
        made.nullable = True
    return made


def _of_objects(values: list[dict[str, Any]]) -> JSONSchemaProps:
    names = list(dict.fromkeys(name for value in values for name in value))
    if any(escape(name) is None or escape(name) != name for name in names):
        return _map_of(schema_of(*(item for value in values for item in value.values())))
    properties = {name: schema_of(*(value[name] for value in values if name in value)) for name in names}
    required = [name for name in names if all(name in value for value in values)]
    return JSONSchemaProps.of(type="object", properties=properties, required=required)


def schema_of_notation(text: str) -> JSONSchemaProps:
    """Return the schema of a type such as `int`, `list(string)`, `map(string, int)` or `{name: string, port?: int}`.

    Raise NotationError.
    """
    matches = list(_TOKEN.finditer(text))
    unexpected = next((match[2] for match in matches if match[2]), None)
    if unexpected is not None:
        raise NotationError(f"unexpected {unexpected!r}")
    parser = _Parser([match[1] for match in matches])
    schema = parser.type(0)
    if parser.left:
        raise NotationError(f"unexpected {parser.left!r} after the type")
    return schema


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self._rest = iter(tokens)
        self.left = next(self._rest, "")  # the next token, empty at the end

    def _take(self) -> str:
        token, self.left = self.left, next(self._rest, "")
        return token

    def _expect(self, *tokens: str) -> None:
        for token in tokens:
            actual = self._take()
            if actual != token:
                raise NotationError(f"expected {token!r} {f'but found {actual!r}' if actual else 'at the end'}")

    def type(self, depth: int) -> JSONSchemaProps:
        """Read a type."""
        if depth > _DEEPEST:
            raise NotationError(f"more than {_DEEPEST} types inside of each other")
        name = self._take()
        if name in _NAMED:
            return JSONSchemaProps.of(**_NAMED[name])
        if name in ("dyn", "int-or-string"):
            return any_schema()
        if name == "list":
            self._expect("(")
            items = self.type(depth + 1)
            self._expect(")")
            return _list_of(items)
        if name == "map":
            self._expect("(", "string", ",")
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
        return JSONSchemaProps.of(type="object", properties=properties, required=required)
