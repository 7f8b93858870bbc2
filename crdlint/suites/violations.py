"""Values at the limits of a schema, and beyond them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.golang.printing import marshal
from crdlint.light import dataclass
from crdlint.schema.formats import SAMPLES

Change = Callable[[Any], Any]

_MOST: Final = 2_000  # items or characters of a value that is made longer than a limit
_SMALLEST: Final[dict[str, Any]] = {
    "array": [],
    "boolean": False,
    "integer": 1,
    "number": 1,
    "object": {},
}
_INT32: Final = 2**31 - 1
_ODD_TEXTS: Final = (
    "",
    "A b!",
    "0",
    "a",
    "-",
    "a b",
    "é",
    ".",
    "*",
    "/",
    ":",
    "aaaaaaaaaaaaaaaaaaaaaaaa",
)


@dataclass(frozen=True, slots=True)
class TestedLimit:
    """A limit of a schema: its name, and changes of a value that keep it or break it, the best first.

    `words` are in the error of a limit that is reported beside other errors.
    """

    name: str
    keeping: Sequence[Change]
    breaking: Sequence[Change]
    words: str = ""


def limits_of(schema: JSONSchemaProps) -> Iterator[TestedLimit]:
    """Yield the limits of a schema."""
    yield from _of_numbers(schema)
    yield from _of_texts(schema)
    yield from _of_sizes(schema)
    yield from _of_alternatives(schema)
    if schema.enum:
        yield _of_enum(schema)
    for name in schema.required:
        yield TestedLimit(f"the required field {name}", (), [_without(name)])


def _of_numbers(schema: JSONSchemaProps) -> Iterator[TestedLimit]:
    step = 1
    bounds = (
        ("minimum", schema.minimum, schema.exclusive_minimum, -step),
        ("maximum", schema.maximum, schema.exclusive_maximum, step),
    )
    for name, bound, is_exclusive, outwards in bounds:
        if bound is not None:
            inside, outside = bound, bound + outwards
            if is_exclusive:
                inside, outside = bound - outwards, bound
            yield TestedLimit(f"{name} {marshal(bound)}", [_to(inside)], [_to(outside)])
    if schema.format == "int32" and schema.maximum is None:
        yield TestedLimit("format int32", [_to(_INT32)], [_to(_INT32 + 1)])
    if schema.multiple_of:
        factor = schema.multiple_of
        multiples = [_to(factor * times) for times in range(1, 8)]
        others = [_to(factor * times + step) for times in range(1, 8)]
        yield TestedLimit(f"multipleOf {marshal(factor)}", multiples, others)


def _of_texts(schema: JSONSchemaProps) -> Iterator[TestedLimit]:
    if schema.min_length:
        short = "a" * (schema.min_length - 1)
        yield TestedLimit(
            f"minLength {schema.min_length}", [_to("a" * schema.min_length), _same], [_to(short)]
        )
    if schema.max_length is not None:
        yield _of_max_length(schema.max_length)
    if schema.pattern:
        yield TestedLimit(f"pattern {schema.pattern}", [_same], list(map(_to, _ODD_TEXTS)))
    if schema.format in SAMPLES:
        sample = _to(SAMPLES[schema.format])
        yield TestedLimit(f"format {schema.format}", [sample], list(map(_to, _ODD_TEXTS)))


def _of_max_length(most: int) -> TestedLimit:
    name = f"maxLength {most}"
    if most >= _MOST:  # the object would be too long for a suite
        return TestedLimit(name, (), ())
    return TestedLimit(name, [_to("a" * most), _same], [_to("a" * (most + 1))])


def _of_alternatives(schema: JSONSchemaProps) -> Iterator[TestedLimit]:
    """Yield the combinations of schemas, which a value may break that no other limit rejects."""
    combined = {"oneOf": schema.one_of, "anyOf": schema.any_of, "not": schema.not_}
    for name, below in combined.items():
        if below and not schema.x_int_or_string:  # whose alternatives are its types
            formats = [each.format for each in schema.one_of or schema.any_of]
            samples = [SAMPLES[each] for each in formats if each in SAMPLES]
            texts = [] if schema.type == "object" else [*samples, *_ODD_TEXTS, *_texts_of(schema)]
            changes = [*_with_alternatives(schema), *map(_to, texts)]
            yield TestedLimit(
                name,
                [*changes, _same],
                [*changes, _same],
                f"({name})",
            )


def _with_alternatives(schema: JSONSchemaProps) -> Iterator[Change]:
    """Yield changes of an object to the fields that one alternative requires, to those of all, and to none of them."""
    required = [each.required for each in (*schema.one_of, *schema.any_of)]
    every = [name for names in required for name in names]
    if schema.type == "object":
        for names in (*required, every, ()):
            yield _with_fields(schema, names, every)


def _with_fields(schema: JSONSchemaProps, names: Sequence[str], every: Sequence[str]) -> Change:
    """Return a change of an object that sets some fields, and removes the others of `every`."""
    fields = {name: schema.properties.get(name, schema) for name in names}
    values = {name: _SMALLEST.get(each.type, "a") for name, each in fields.items()}

    def change(value: dict[str, Any]) -> dict[str, Any]:
        rest = {name: each for name, each in value.items() if name not in every}
        return {**rest, **values}

    return change


def _texts_of(schema: JSONSchemaProps) -> list[Any]:
    """Return the values that a `not` of a schema names."""
    return [] if schema.not_ is None else list(schema.not_.enum)


def _of_sizes(schema: JSONSchemaProps) -> Iterator[TestedLimit]:
    if schema.min_items:
        full, under = _items(schema.min_items), _items(schema.min_items - 1)
        yield TestedLimit(f"minItems {schema.min_items}", [full, _same], [under])
    if schema.max_items is not None and schema.max_items < _MOST:
        full, over = _items(schema.max_items), _items(schema.max_items + 1)
        yield TestedLimit(f"maxItems {schema.max_items}", [full, _same], [over])
    if schema.min_properties:
        full = _keys(schema.min_properties)
        yield TestedLimit(f"minProperties {schema.min_properties}", [_same, full], [_to({})])
    if schema.max_properties is not None and schema.max_properties < _MOST:
        yield TestedLimit(
            f"maxProperties {schema.max_properties}", [_same], [_keys(schema.max_properties + 1)]
        )


def _of_enum(schema: JSONSchemaProps) -> TestedLimit:
    shown = ", ".join(map(marshal, schema.enum[:3]))
    more = "" if len(schema.enum) <= 3 else " and others"
    others = [_to(value) for value in ("no-such-value", 987_654_321) if value not in schema.enum]
    return TestedLimit(f"enum {shown}{more}", list(map(_to, schema.enum[:3])), others)


def _to(value: Any) -> Change:
    """Return a change to a value; numbers without a fraction are integers."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return lambda _: value


def _same(value: Any) -> Any:
    return value


def _without(name: str) -> Change:
    def change(value: Any) -> Any:
        del value[name]
        return value

    return change


def _items(count: int) -> Change:
    """Return a change to a list of some length: texts, numbers and keys of its items become different ones."""

    def change(value: list[Any]) -> list[Any]:
        first = value[0] if value else "a"
        return [_varied(first, number) for number in range(count)]

    return change


def _varied(item: Any, number: int) -> Any:
    if isinstance(item, str):
        return f"{item}{number}"
    if isinstance(item, int) and not isinstance(item, bool):
        return item + number
    if isinstance(item, dict):
        return {name: _varied(value, number) for name, value in item.items()}
    return item


def _keys(count: int) -> Change:
    def change(value: dict[str, Any]) -> dict[str, Any]:
        item = next(iter(value.values()), "a")
        return {f"a{number}": item for number in range(count)}

    return change
