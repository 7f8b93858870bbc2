"""Helps for findings about custom resources, based on the text in the file and on the schema.

`crdlint.schema.value_help` has the helps that need only the error and the schema.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.errors import NOT_SUPPORTED, REQUIRED, Code
from crdlint.crd.gotypes import OBJECT_META
from crdlint.diagnostics.spelling import nearest
from crdlint.schema.numbers import integer_range
from crdlint.schema.value_help import LIKE, listed, suggestion
from crdlint.yaml.editor import as_key
from crdlint.yaml.nodes import Scalar
from crdlint.yaml.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import JSONSchemaProps, ValidationRule
    from crdlint.crd.positions import SourceLocation
    from crdlint.yaml.nodes import Node

_NOT_A_NAME: Final = re.compile(r"[^a-z0-9.]+")
_NOT_A_LABEL: Final = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST: Final = 60  # the maximum number of characters of the user's text in a help
_FORMATS: Final = {
    "date-time": "2026-01-31T15:04:05Z",
    "datetime": "2026-01-31T15:04:05Z",
    "date": "2026-01-31",
    "duration": "1h30m",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "cidr": "192.0.2.0/24",
    "mac": "00:00:5e:00:53:01",
    "uri": "https://example.com/path",
    "hostname": "www.example.com",
    "email": "name@example.com",
    "byte": "aGVsbG8=",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "uuid4": "123e4567-e89b-42d3-a456-426614174000",
}


def of_error(error: FieldError, location: SourceLocation, schema: JSONSchemaProps | None, kind: str) -> str | None:
    """Return the help for an error, or None if the help of its rule is more suitable.

    `location` is the location of the error in the file. `schema` is the schema of the value or of the missing field,
    and `kind` the kind of the object.
    """
    if error.help:
        return error.help
    if error.cause is not None:
        return _of_rule(error, error.cause.rule)
    where = str(error.path)
    if where.startswith("metadata."):
        return _of_metadata(error, where, kind)
    if error.type == REQUIRED and schema is not None:
        sample = _sample(schema)
        if sample is not None:
            return f"Add `{as_key(str((error.at or error.path).step))}: {sample}`"
    node = location.node if location.exact else None
    reason = error.reason
    find = None if reason is None else _BY_CODE.get(reason.code)
    help_ = None if reason is None or find is None else find(reason.arguments, node, schema)
    if help_ is not None:
        return help_
    return None if isinstance(error.value, (dict, list)) and error.type == NOT_SUPPORTED else suggestion(error, schema)


def of_unknown(path: str, parent: JSONSchemaProps | None, name: str, grandparent: JSONSchemaProps | None) -> str:
    """Return the help for an unknown field: a similar field, the right parent, or the fields of the schema.

    `parent` is the schema of the object with the field, `grandparent` that of the object that contains it.
    """
    if path.startswith("metadata."):
        meant = nearest(name, OBJECT_META.fields, LIKE)
        return f"Write `{meant}` instead" if meant else f"Remove `{name}`; use an annotation for data of your own"
    known: Mapping[str, JSONSchemaProps] = {} if parent is None else parent.properties
    near = nearest(name, known, LIKE)
    if near is not None:
        return f"Write `{as_key(near)}` instead"
    deeper = sorted(child_name for child_name, schema in known.items() if name in schema.properties)
    if deeper:
        return f"Indent it: `{name}` is a field of `{deeper[0]}`"
    if grandparent is not None and name in grandparent.properties:
        return f"Move it one level up: `{name}` is a field of the object that contains this one"
    if not known:
        return f"Remove `{name}`: the schema specifies no fields here"
    return f"Remove `{name}`; the fields here are {listed(sorted(known))}"


def _of_rule(error: FieldError, rule: ValidationRule) -> str | None:
    code = None if error.reason is None else error.reason.code
    if code is Code.OUT_OF_BUDGET:
        return "Shorten the lists and strings that the rule reads; `crdlint cost` shows its cost"
    if code is Code.NO_KEY and error.reason is not None:
        (key,) = error.reason.arguments
        return f"Set `{key}`, or make the rule in the CRD check `has(...{key})` first"
    if code is Code.RULE_FAILED:
        return "Fix the rule in the CRD: it cannot be evaluated for this value"
    if "oldSelf" in rule.rule:
        return "Restore the previous value, or create a new object"
    return None


def _of_metadata(error: FieldError, where: str, kind: str) -> str | None:
    field = where.removeprefix("metadata.")
    if error.type == REQUIRED:
        return f"Add `name: my-{kind.lower()}` to metadata" if field == "name" else f"Add `{field}` to metadata"
    value = error.value
    if not isinstance(value, str):
        return None
    if field in {"name", "namespace", "generateName"}:
        valid = _NOT_A_NAME.sub("-", value.lower()).strip("-.")
        if field == "namespace":
            valid = valid.replace(".", "-")
    elif field == "labels":
        valid = "/".join(_NOT_A_LABEL.sub("-", part).strip("-._") for part in value.split("/"))
    else:
        return None
    return f"Write `{valid}`" if valid and valid != value and len(valid) <= _LONGEST else None


def _sample(schema: JSONSchemaProps) -> str | None:
    """Return a valid value for a schema that restricts its values, or None if any value of its type is valid."""
    if schema.enum:
        from crdlint.golang.values import marshal

        return marshal(schema.enum[0]) if not isinstance(schema.enum[0], str) else schema.enum[0]
    if schema.type in {"integer", "number"} and schema.minimum is not None and schema.minimum > 1:
        least = schema.minimum + 1 if schema.exclusive_minimum else schema.minimum
        return str(int(least)) if float(least).is_integer() else str(least)
    return _FORMATS.get(schema.format) if schema.type == "string" else None


def _mistyped(arguments: tuple[str, str], node: Node | None, _schema: JSONSchemaProps | None) -> str | None:
    expected, actual = arguments
    if not isinstance(node, Scalar):
        return None
    text: str = node.value
    if expected == "string" and actual in {"integer", "number", "boolean"}:
        return f'Write it in quotes: "{text}"' if _is_short(text) else None
    if actual in {"string", "integer"} and expected in {"integer", "number", "boolean"}:
        value = _read_plain(text)
        if value.__class__ in _CLASSES[expected] and actual == "string":
            return f"Write it without quotes: `{text}`"
        if expected == "boolean" and text in {"0", "1"}:
            return f"Write `{'true' if text == '1' else 'false'}`"
        return f"Write {_NOUNS[expected]}"
    if expected == "integer" and actual == "number":
        return _integer_help(node)
    if expected == "array" and actual != "null" and _is_short(text):
        return f"Write it as a list: `[{text}]`"
    return None


def _unformatted(arguments: tuple[str], node: Node | None, _schema: JSONSchemaProps | None) -> str | None:
    (format_,) = arguments
    if not isinstance(node, Scalar) or format_ not in _FORMATS:
        return None
    return f"Write a value of the format `{format_}`, such as `{_FORMATS[format_]}`"


def _out_of_range(arguments: tuple[str, str], node: Node | None, _schema: JSONSchemaProps | None) -> str | None:
    type_, format_ = arguments
    return _integer_help(node, format_) if type_ == "integer" and isinstance(node, Scalar) else None


def _integer_help(node: Any, format_: str = "") -> str:
    value = resolve(node)
    low, high = integer_range(format_)
    if isinstance(value, float) and abs(value) < 2**53 and low <= round(value) <= high:
        return f"Write an integer, such as `{round(value)}`"
    return f"Write an integer from {low} to {high}"


def _no_item(_arguments: tuple[()], _node: Node | None, _schema: JSONSchemaProps | None) -> str | None:
    return "Write each item as an object with the list's keys, such as `- name: ...`"


def _exactly_one(_arguments: tuple[()], _node: Node | None, schema: JSONSchemaProps | None) -> str | None:
    return None if schema is None else _alternatives("exactly", schema.one_of)


def _at_least_one(_arguments: tuple[()], _node: Node | None, schema: JSONSchemaProps | None) -> str | None:
    return None if schema is None else _alternatives("at least", schema.any_of)


def _alternatives(how_many: str, schemas: Sequence[JSONSchemaProps]) -> str | None:
    """List the fields that the alternatives require, or return None if they contain other keywords."""
    required_fields = [" and ".join(f"`{name}`" for name in schema.required) for schema in schemas if schema.required]
    if not required_fields or len(required_fields) != len(schemas):
        return None
    return f"Set {how_many} one of {', '.join(required_fields)}"


_NOUNS: Final = {
    "integer": "an integer, such as `1`",
    "number": "a number, such as `1.5`",
    "boolean": "`true` or `false`",
}
_CLASSES: Final[dict[str, frozenset[type]]] = {
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
    "boolean": frozenset({bool}),
}
_BY_CODE: Final[dict[Code, Callable[..., str | None]]] = {
    Code.TYPE: _mistyped,
    Code.FORMAT: _unformatted,
    Code.RANGE: _out_of_range,
    Code.NO_MAP_ITEM: _no_item,
    Code.ONE_OF: _exactly_one,
    Code.ANY_OF: _at_least_one,
}


def _is_short(text: str) -> bool:
    return 0 < len(text) <= _LONGEST and "\n" not in text and '"' not in text


def _read_plain(text: str) -> Any:
    """Return the value of a text without quotes."""
    from crdlint.yaml import YAMLDecodeError
    from crdlint.yaml.parse import parse_first

    if not _is_short(text) or not re.fullmatch(r"[A-Za-z0-9.+_-]+", text):
        return text
    root = parse_first(text).root
    try:
        return resolve(root) if isinstance(root, Scalar) else text
    except YAMLDecodeError:
        return text
