"""Paths of fields in an object, such as `spec.ports[0].name`, and schemas without a CRD: from a value or the notation of a type."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import Any, Final, TypeAlias

from crdlint.cel.ast import Call, Expr, Ident, Literal, MapEntry, MapExpr
from crdlint.crd.model import JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool
from crdlint.crd.paths import Key, Path
from crdlint.gathering import without_none
from crdlint.kubecel.declarations import escape
from crdlint.kubecel.evaluation import MISSING
from crdlint.kubecel.syntax_trees import parsed
from crdlint.light import dataclass, regex
from crdlint.phrases import nearest
from crdlint.safety.work import run_calls

_TOKEN: Final = regex(
    r"""\.?(?P<name>[^.\[\]'"\s]+)|\[(?P<index>\d{0,18}|\*)\]|\[(?P<quote>['"])(?P<key>(?:(?!(?P=quote)).)*)(?P=quote)\]"""
)
_SHOWN: Final = 8  # names in a message


class NoFieldError(ValueError):
    """A field does not exist, or a text is no type; `str()` is the reason, `help` how to fix it."""

    def __init__(self, text: str, help_: str | None = None) -> None:
        super().__init__(text)
        self.help = help_


@dataclass(frozen=True, slots=True)
class AnyItem:
    """The step to any item of a list, or to the value of any key of a map: `[*]`."""


# A field or key, an index, or any item.
FieldStep: TypeAlias = "str | int | AnyItem"


def parse_field_path(text: str) -> tuple[FieldStep, ...]:
    """Return the steps of a path; none for an empty text or `.`. Raise NoFieldError.

    >>> parse_field_path("spec.ports[0].name")
    ('spec', 'ports', 0, 'name')
    """
    steps: list[FieldStep] = []
    stripped = text.strip()
    position = 0 if stripped != "." else 1
    while position < len(stripped):
        match = _TOKEN.match(stripped, position)
        if match is None:
            help_ = "Write it as in `spec.ports[0].name` or `metadata.labels['app']`"
            raise NoFieldError(f"{text!r} is not the path of a field", help_)
        steps.append(_step_of(match))
        position = match.end()
    return tuple(steps)


def _step_of(token: re.Match[str]) -> FieldStep:
    if token["index"] in {"", "*"}:
        return AnyItem()
    if token["index"] is not None:
        return int(token["index"])
    return token["key"] if token["name"] is None else token["name"]


def field_path_text(steps: Sequence[FieldStep]) -> str:
    """Return the text of a path, empty for the whole object.

    >>> field_path_text(("metadata", "labels", "example.com/a"))
    "metadata.labels['example.com/a']"
    """
    text = ""
    for step in steps:
        if isinstance(step, str):
            text += f".{step}" if re.fullmatch(r"[\w-]+", step) else f"['{step}']"
        else:
            text += "[*]" if isinstance(step, AnyItem) else f"[{step}]"
    return text.removeprefix(".")


def schema_at(root: JSONSchemaProps, steps: Sequence[FieldStep]) -> JSONSchemaProps:
    """Return the schema of a field; raise NoFieldError if the schema has no such field."""
    schema = root
    for count, step in enumerate(steps):
        schema = _below(schema, step, field_path_text(steps[:count]) or "the object")
    return schema


def _below(schema: JSONSchemaProps, step: FieldStep, where: str) -> JSONSchemaProps:
    """Return the schema of what a step selects in a value at `where`; raise NoFieldError."""
    if isinstance(step, str):
        return _field_schema(schema, step, where)
    if schema.item_schema is not None:
        return schema.item_schema
    additional = schema.additional_schema
    if additional is not None and isinstance(step, AnyItem):
        return additional
    raise NoFieldError(f"{where} is not a list", "Select a field with a dot, as in `spec.ports`")


def _field_schema(schema: JSONSchemaProps, name: str, where: str) -> JSONSchemaProps:
    below = schema.properties.get(name, schema.additional_schema)
    if below is not None:
        return below
    if schema.item_schema is not None:
        advice = f"Select an item first: `{where}[0].{name}`"
        raise NoFieldError(f"{where} is a list, so it has no field `{name}`", advice)
    raise NoFieldError(f"{where} has no field `{name}`", _other_fields(schema, name))


def _other_fields(schema: JSONSchemaProps, name: str) -> str | None:
    """Return a help that names the field that may be meant, or else all."""
    near = nearest(name, schema.properties)
    if near:
        return f"Write `{near}` instead"
    if not schema.properties:
        return None
    return f"Use one of the fields: {first_names(sorted(schema.properties))}"


def first_names(names: Sequence[str]) -> str:
    """Return some names for a message.

    >>> first_names(["a", "b"])
    'a, b'
    """
    shown = names if len(names) <= _SHOWN else [*names[:_SHOWN], "..."]
    return ", ".join(shown)


def value_at(value: Any, steps: Sequence[FieldStep]) -> Any:
    """Return the value at a path, `MISSING` if there is none or if there are several."""
    for step in steps:
        is_field = isinstance(step, str) and value.__class__ is dict and step in value
        is_item = isinstance(step, int) and value.__class__ is list and step < len(value)
        if not (is_field or is_item):
            return MISSING
        value = value[step]
    return value


def matches(steps: Sequence[FieldStep], path: Path | None) -> bool:
    """Return whether a path of a value is one that the steps match."""
    parts = () if path is None else path.steps()
    if len(steps) != len(parts):
        return False
    return all(_step_matches(step, part) for step, part in zip(steps, parts, strict=True))


def _step_matches(step: FieldStep, part: object) -> bool:
    if isinstance(step, AnyItem):
        return isinstance(part, (int, Key))
    return step == part


_ANY: Final = {"x_int_or_string": True, "nullable": True}
# By the name of a type: the fields of its schema.
_NAMED: Final[dict[str, dict[str, Any]]] = {
    "bool": {"type": "boolean"},
    "bytes": {"type": "string", "format": "byte"},
    "double": {"type": "number"},
    "duration": {"type": "string", "format": "duration"},
    "int": {"type": "integer"},
    "string": {"type": "string"},
    "timestamp": {"type": "string", "format": "date-time"},
    "dyn": _ANY,
}
# By the classes of its values: the name of a type.
_SCALARS: Final = {
    frozenset({int}): "integer",
    frozenset({float}): "number",
    frozenset({int, float}): "number",
    frozenset({str}): "string",
    frozenset({bool}): "boolean",
}
# Of a field in the notation of a type.
_NAME: Final = regex(r"(?<![\w./-])([A-Za-z_][\w./-]*) ?(\??) ?:")


def any_schema() -> JSONSchemaProps:
    """Return a schema whose values have the type dyn."""
    return JSONSchemaProps.of(**_ANY)


def _list_of(items: JSONSchemaProps) -> JSONSchemaProps:
    return JSONSchemaProps.of(type="array", items=JSONSchemaPropsOrArray.of(schema=items))


def _map_of(values: JSONSchemaProps) -> JSONSchemaProps:
    return JSONSchemaProps.of(
        type="object", additional_properties=JSONSchemaPropsOrBool.of(allows=True, schema=values)
    )


def schema_of(*values: Any) -> JSONSchemaProps:
    """Return a schema of JSON values: an object whose keys CEL can select has fields, others are maps.

    >>> schema_of(1, 2).type
    'integer'
    """
    schema: JSONSchemaProps = run_calls(_schema_of(values))
    return schema


# Yields the schemas of inner values, which `run_calls` makes, so that only memory limits the depth.
_Making: TypeAlias = "Generator[Any, Any, JSONSchemaProps]"


def _schema_of(values: Sequence[Any]) -> _Making:
    present = without_none(values)
    classes = frozenset(value.__class__ for value in present)
    schema: JSONSchemaProps
    if classes == {dict}:
        schema = yield _of_objects(present)
    elif classes == {list}:
        items = yield _schema_of([item for value in present for item in value])
        schema = _list_of(items)
    elif classes in _SCALARS:
        schema = JSONSchemaProps.of(type=_SCALARS[classes])
    else:
        return any_schema()
    if len(present) < len(values):
        schema.nullable = True
    return schema


def _of_objects(values: list[dict[str, Any]]) -> _Making:
    names = list(dict.fromkeys(name for value in values for name in value))
    if not all(escape(name) == name for name in names):
        items = yield _schema_of([item for value in values for item in value.values()])
        return _map_of(items)
    properties, required = {}, []
    for name in names:
        present = [value[name] for value in values if name in value]
        properties[name] = yield _schema_of(present)
        if len(present) == len(values):
            required.append(name)
    return JSONSchemaProps.of(
        type="object",
        properties=properties,
        required=required,
    )


def schema_of_notation(text: str) -> JSONSchemaProps:
    """Return the schema of a type, e.g. `int`, `list(string)`, `map(string, int)`, `{a: string, b?: int}`; raise NoFieldError."""
    # With names in quotes, and the question mark before them, it is an expression of CEL.
    expression = _NAME.sub(r'\2"\1":', text.replace("int-or-string", "dyn"))
    return _of_tree(parsed(expression), text)


def _of_tree(node: Expr | None, text: str) -> JSONSchemaProps:
    """Return the schema of a syntax tree, which `text` is written as; raise NoFieldError."""
    match node:
        case Ident(name=name) if name in _NAMED:
            return JSONSchemaProps.of(**_NAMED[name])
        case Call(function="list", args=[items]):
            return _list_of(_of_tree(items, text))
        case Call(function="map", args=[Ident(name="string"), values]):
            return _map_of(_of_tree(values, text))
        case MapExpr(entries=entries) if all(isinstance(entry.key, Literal) for entry in entries):
            return _of_fields(entries, text)
    types = ", ".join((*_NAMED, "list(T)", "map(string, T)", "{field: T}"))
    shown = node.name if isinstance(node, Ident) else text
    raise NoFieldError(f"{shown!r} is not a type: write {types}")


def _of_fields(entries: Sequence[MapEntry], text: str) -> JSONSchemaProps:
    """Return the schema of an object in braces, whose keys are literals."""
    properties, required = {}, []
    for entry in entries:
        name = str(getattr(entry.key, "value", ""))
        properties[name] = _of_tree(entry.value, text)
        if not entry.optional:
            required.append(name)
    return JSONSchemaProps.of(
        type="object",
        properties=properties,
        required=required,
    )
