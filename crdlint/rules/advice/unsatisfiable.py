"""Advice: limits that no value meets, and keywords that check no value."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from itertools import product
from typing import Any, Final

from crdlint.crd.errors import Code, FieldError
from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps
from crdlint.gathering import without_none
from crdlint.golang.printing import is_json_integer, marshal
from crdlint.light import NamedTuple
from crdlint.phrases import joined
from crdlint.rules.advice.pruned_objects import keeps_as_item
from crdlint.rules.advice.slips import beyond_int32
from crdlint.rules.advice.yaml_scalars import other_words
from crdlint.rules.engine.advisory import TYPES_OF, Advisory, DecodedCRD
from crdlint.rules.engine.edits import NUMBERS, Edits, expect, is_merged, is_null, names_in, require
from crdlint.rules.engine.finding import AdviceFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.engine.markers import validation
from crdlint.rules.engine.relations import INT_OR_STRING, TYPE_OF_INT_OR_STRING
from crdlint.rules.engine.rule import Caution, Link, Nodes
from crdlint.rules.fixes.v1beta1 import block
from crdlint.rules.server import schema_warnings
from crdlint.rules.server.schema_warnings import formats_of, is_reported
from crdlint.safety.work import WorkLimitError
from crdlint.schema.deep_equal import equality_key
from crdlint.schema.defaulting import META_FIELDS
from crdlint.schema.traversal import with_all_of
from crdlint.spelling import meant, name_meant
from crdlint.yaml.editor import quoted
from crdlint.yaml.nodes import Mapping, Sequence
from crdlint.yaml.resolve import resolve

_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_FIELDS: Final = frozenset({"items", "properties", "additionalProperties"})
_INT_OR_STRING: Final = frozenset({"integer", "number", "string"})
_PAIRS: Final = (
    ("minimum", "maximum", "minimum", "maximum"),
    ("minLength", "maxLength", "min_length", "max_length"),
    ("minItems", "maxItems", "min_items", "max_items"),
    ("minProperties", "maxProperties", "min_properties", "max_properties"),
)
# The bound of each keyword that excludes it, and the attributes of both.
_EXCLUSIVE_OF: Final = {
    "exclusiveMinimum": ("minimum", "exclusive_minimum", "minimum"),
    "exclusiveMaximum": ("maximum", "exclusive_maximum", "maximum"),
}
_TOO: Final = {"minimum": "small", "maximum": "large"}
_MOST_NAMES: Final = 32  # of a list that are reported one by one
_CLASSES: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "boolean": (bool,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}
_OF_STRINGS: Final = frozenset(formats_of("string"))
_SOME: Final = {
    "array": "an array",
    "object": "an object",
    "integer": "an integer",
    "number": "a number",
    "boolean": "a boolean",
    "string": "a string",
}


@Fixer("Remove `nullable`, and null from the enum", "unsafe").example(
    bad="name:\n  type: string\n  nullable: true\n  enum: [a, b, null]",
    good="name:\n  type: string\n  enum: [a, b]",
)
def _without_null(finding: AdviceFinding) -> Edits:
    editor, values = finding.editor, expect(Sequence, finding.owner, "enum")
    nulls = [i for i, value in enumerate(values.items) if is_null(value)]
    if len(nulls) < len(values.items):
        yield editor.remove(finding.owner, "nullable")
        yield from (editor.remove_at(values, i) for i in nulls)


@Fixer("Move the keyword into the items of the list", "unsafe")
def _to_items(finding: AdviceFinding) -> Edits:
    owner, editor, keyword = finding.owner, finding.editor, finding.name
    items = expect(Mapping, owner, "items")
    if items.find(keyword) is None and finding.schema(items).type in TYPES_OF.get(keyword, ()):
        value = editor.entry(owner, keyword)[1]
        source = block(editor, value)
        if items.flow and isinstance(value, Sequence):
            source = f"[{', '.join(map(editor.source, value.items))}]"
        yield editor.insert(items, keyword, source)
        yield editor.remove(owner, keyword)


@Fixer("Remove the type", "unsafe").example(
    bad="name:\n  type: string\n  x-kubernetes-int-or-string: true",
    good="name:\n  x-kubernetes-int-or-string: true",
)
def _without_type(finding: AdviceFinding) -> Edits:
    # Another type may be of a lost key.
    is_one = finding.name == "type" and finding.scalar().value in _INT_OR_STRING
    return finding.remove() if is_one and not is_merged(finding.owner) else []


@Fixer("Put the value in quotes", "safe").example(
    bad="name:\n  type: string\n  enum: [True, False, Unknown]",
    good="name:\n  type: string\n  enum: ['True', 'False', Unknown]",
)
def _text_of_enum(finding: AdviceFinding) -> Edits:
    if any(isinstance(value, str) for value in _schema_of(finding).enum):
        yield from _as_text(finding)


def _as_text(finding: AdviceFinding) -> Edits:
    node = finding.scalar()
    if _schema_of(finding).type == "string" and not node.style and resolve(node) is not None:
        yield finding.editor.replace(node, quoted(node.value, double=finding.editor.is_json))


@Fixer("Write the value without quotes", "safe").example(
    bad="name:\n  type: integer\n  enum: ['1', '2']", good="name:\n  type: integer\n  enum: [1, 2]"
)
def _as_number(finding: AdviceFinding) -> Edits:
    node, pattern = finding.scalar(), require(NUMBERS.get(_schema_of(finding).type))
    if node.style in {"'", '"'} and pattern.match(node.value):
        yield finding.editor.replace(node, node.value)


def _schema_of(finding: AdviceFinding) -> JSONSchemaProps:
    """Return the schema with the list that the finding is about a value of."""
    return finding.schema(finding.mapping(require(require(finding.path.parent).parent)))


_BETWEEN_ITEMS: Final = ",; "  # of a list in one line


@Fixer("Correct the property", "unsafe").example(
    bad="type: object\nrequired: [mdoe]\nproperties: {mode: {type: string}}",
    good="type: object\nrequired: [mode]\nproperties: {mode: {type: string}}",
    scope="schema",
)
def _required_property(finding: AdviceFinding) -> Edits:
    schema, node = _schema_of(finding), finding.scalar()
    near = name_meant(node.value, schema.properties)
    if require(finding.path.parent).step != "required":
        return
    tag = _go_tag(node.value, schema.properties)
    if tag is not None:
        owner = finding.mapping(require(require(finding.path.parent).parent))
        key, _ = finding.editor.entry(expect(Mapping, owner, "properties"), tag)
        yield finding.editor.respell(key, node.value)
        return
    several = _several(node.value, schema.properties)
    if several:
        yield from _on_lines(finding, several, schema.required)
        return
    item = node.value.rstrip(_BETWEEN_ITEMS)
    meant_name = item if item in schema.properties else near
    if meant_name is not None and meant_name not in schema.required:
        yield finding.editor.respell(node, meant_name)


def _several(name: str, properties: Container[str]) -> list[str]:
    """Return the properties that one item of `required` names together, empty if one of its words is no property.

    >>> _several("a, b", {"a": 1, "b": 2}), _several("a b", {"a": 1})
    (['a', 'b'], [])
    """
    words = names_in(name)
    is_several = len(words) > 1 and all(word in properties for word in words)
    return words if is_several else []


def _on_lines(finding: AdviceFinding, names: list[str], required: SequenceOf[str]) -> Edits:
    """Write the names of one item of `required` as items of their own, but none that is an item already."""
    node = finding.scalar()
    new = [name for name in names if name not in required]
    owner = finding.mapping(require(require(finding.path.parent).parent))
    items = expect(Sequence, owner, "required")
    between = ", " if items.flow else f"\n{' ' * (node.start_mark.column - 2)}- "
    if new:
        yield finding.editor.replace(node, between.join(new))


def _go_tag(name: str, properties: Iterable[str]) -> str | None:
    """Return the property that is named by the whole tag of a field in Go, such as `name,omitempty`."""
    tags = {f"{name},omitempty", f"{name},omitzero"}
    return next(filter(tags.__contains__, properties), None)


NEVER: Final = Caution(
    "never-valid",
    "Schema that no value can match",
    observed=("no-value-is-valid", "negative-limit"),
    why="The API server accepts the CRD and then rejects every object that sets this field.",
    help="Correct the limits so that at least one value matches all of them",
    bad="name:\n  type: string\n  minLength: 5\n  maxLength: 2",
    good="name:\n  type: string\n  minLength: 2\n  maxLength: 5",
    fixes=(
        _text_of_enum,
        Fixer(
            "Put the value in quotes",
            "unsafe",
            _as_text,
            bad="name:\n  type: string\n  enum: [1.2, 1.3]",
            good="name:\n  type: string\n  enum: ['1.2', '1.3']",
        ),
        _as_number,
        _required_property,
    ),
)


def _may_exclude(fields: frozenset[str], type_: str) -> bool:
    return any(
        type_ in TYPES_OF[low] and ("allOf" in fields or {low, high} <= fields)
        for low, high, _, _ in _PAIRS
    )


def _has_keyword_of_other_type(fields: frozenset[str], type_: str) -> bool:
    if not type_ and "x-kubernetes-int-or-string" not in fields:
        return False
    return "allOf" in fields or any(
        keyword in fields and type_ not in types for keyword, types in TYPES_OF.items()
    )


@NEVER.advice_on(Nodes(when=_may_exclude))
def _limits(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterable[Advisory]:
    for pair in _PAIRS:
        if schema.type in TYPES_OF[pair[0]]:
            least, most = getattr(schema, pair[2]), getattr(schema, pair[3])
            if schema.all_of or (least is not None and most is not None and least + 1 >= most):
                return _excluding(schema, pair)
    return ()


@NEVER.advice_on(Nodes({"allOf", *(high for _, high, _, _ in _PAIRS[1:])}))
def _negative_limits(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield a greatest length or number of elements below zero, which the server compares with as it is."""
    fitting = [(word, name) for _, word, _, name in _PAIRS[1:] if schema.type in TYPES_OF[word]]
    for part, (word, name) in product(with_all_of(schema), fitting):
        most = getattr(part, name)
        if most is not None and most < 0:
            message = f"no value can match: `{word}` {most} is below 0"
            yield Advisory(message, part.path.child(word), f"Set `{word}` to 0 or more")


class _Bound(NamedTuple):
    """A limit of a value: its keyword, the strictest number, and whether this itself is excluded.

    `part` is the schema that sets it.
    """

    keyword: str
    number: float
    is_open: bool
    part: JSONSchemaProps

    def __str__(self) -> str:
        return f"`{self.keyword}` {marshal(self.number)}"


def _bound(
    schema: JSONSchemaProps,
    keyword: str,
    name: str,
    *,
    lowest: bool,
) -> _Bound | None:
    """Return the strictest bound that a schema and its allOf set with a keyword, None without one."""
    parts = [part for part in with_all_of(schema) if getattr(part, name) is not None]
    if not parts:
        return None
    strictest = min if lowest else max
    part = strictest(parts, key=lambda part: getattr(part, name))
    number = getattr(part, name)
    exclusive = _EXCLUSIVE.get(name)
    is_open = exclusive is not None and any(
        getattr(each, exclusive) for each in parts if getattr(each, name) == number
    )
    return _Bound(keyword, number, is_open, part)


_EXCLUSIVE: Final = {"minimum": "exclusive_minimum", "maximum": "exclusive_maximum"}


def _excluding(schema: JSONSchemaProps, pair: tuple[str, str, str, str]) -> Iterator[Advisory]:
    low_word, high_word, low_name, high_name = pair
    low = _bound(schema, low_word, low_name, lowest=False)
    high = _bound(schema, high_word, high_name, lowest=True)
    if low is None or high is None:
        return
    why = _contradiction(low, high, of_integers=schema.type == "integer")
    if why is not None:
        marker = _correct(schema, low_word, high_word)
        yield Advisory(f"no value can match: {why}", low.part.path.child(low_word), marker=marker)


def _contradiction(low: _Bound, high: _Bound, *, of_integers: bool) -> str | None:
    """Return why no value is between two bounds, None if one may be."""
    if low.number > high.number:
        return f"{low} > {high}"
    if low.number == high.number and (low.is_open or high.is_open):
        return f"{low} = {high}, and one of them is exclusive"
    if not of_integers:
        return None
    first = math.floor(low.number) + 1 if low.is_open else math.ceil(low.number)
    last = math.ceil(high.number) - 1 if high.is_open else math.floor(high.number)
    return f"no integer is between {low} and {high}" if first > last else None


_INT32: Final = 2**31


def _has_unusual_limit(schema: JSONSchemaProps) -> bool:
    limits = without_none((schema.minimum, schema.maximum, schema.multiple_of))
    if schema.multiple_of is not None and schema.multiple_of <= 0:
        return True
    return any(abs(limit) >= _INT32 or not float(limit).is_integer() for limit in limits)


@NEVER.advice_on(Nodes({"minimum", "maximum", "multipleOf"}, types={"integer", "number"}))
def _unfit_limits(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield a limit that the server cannot use for numbers of the type and format, so that it rejects all of them."""
    if not _has_unusual_limit(schema) or any(_excluding(schema, _PAIRS[0])):
        return
    from crdlint.schema.validator import ValueValidator  # few CRDs have such a limit

    part = JSONSchemaProps.of(
        type=schema.type,
        format=schema.format,
        minimum=schema.minimum,
        maximum=schema.maximum,
        multiple_of=schema.multiple_of,
    )
    validator = ValueValidator(part, server=crd.versions.newest)
    unfit, of_fractions = (_unfit_keywords(validator.validate(value)) for value in (1, 1.5))
    reported_keywords = {name for name, _ in beyond_int32(schema)}
    for keyword in sorted(unfit - reported_keywords):
        numbers = (
            "integer"
            if schema.type == "integer"
            else "number"
            if keyword in of_fractions
            else "whole number"
        )
        limit = getattr(schema, "multiple_of" if keyword == "multipleOf" else keyword)
        yield Advisory(
            f"no {numbers} can match: the API server cannot use `{keyword}` {marshal(limit)}",
            schema.path.child(keyword),
            _help_for_unfit(keyword, schema, limit),
            marker=_correct(schema, keyword),
        )


def _unfit_keywords(errors: Iterable[FieldError]) -> set[str]:
    return {str(error.arguments[0]) for error in errors if error.code is Code.UNFIT_LIMIT}


def _help_for_unfit(keyword: str, schema: JSONSchemaProps, limit: float) -> str:
    if keyword == "multipleOf" and limit <= 0:
        return "Write a number greater than 0 as the `multipleOf`, or remove it"
    if keyword == "multipleOf" and schema.type == "number":
        return "Use an integer with a smaller unit, or remove `multipleOf`"
    if float(limit).is_integer():
        return f"Remove `{keyword}`, or set it within the range of the format (as a float64)"
    return f"Write an integer as the `{keyword}`"


def _correct(schema: JSONSchemaProps, *keywords: str) -> str:
    return f"correct {' or '.join(validation(schema, keyword) for keyword in keywords)}"


@NEVER.advice_on(Nodes({"required", "allOf"}, types={"object"}))
def _required(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterable[Advisory]:
    properties = schema.properties
    if not schema.all_of and all([name in properties for name in schema.required]):  # noqa: C419  a list is faster
        return ()
    return _dropped(schema, crd)


def _dropped(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterator[Advisory]:
    keeps = schema.additional_properties is not None or bool(schema.x_preserve_unknown_fields)
    if keeps or crd.spec.preserve_unknown_fields or keeps_as_item(schema):
        return
    for part in with_all_of(schema):
        path, missing = part.path.child("required"), _missing_names(schema, part)
        shown = len(missing) if len(missing) <= _MOST_NAMES + 2 else _MOST_NAMES
        for i, name in missing[:shown]:
            message = f"no object can match: `{name}` is required, but not in `properties`, so it is dropped"
            yield Advisory(message, path.index(i), _help_of_required(name, schema.properties))
        for i, name in missing[shown : shown + 1]:
            others = f"`{name}` and {len(missing) - shown - 1:,} more names"
            message = f"no object can match: {others} are required, but not in `properties`, so they are dropped"
            yield Advisory(
                message,
                path.index(i),
                "Add the names to `properties`, or remove them from `required`",
            )


def _missing_names(schema: JSONSchemaProps, part: JSONSchemaProps) -> list[tuple[int, str]]:
    """Return the names that a part of a schema requires and the schema has not, with their indexes."""
    is_resource = schema.parent is None or schema.x_embedded_resource
    present = {*schema.properties, *(META_FIELDS if is_resource else ())}
    return [(i, name) for i, name in enumerate(part.required) if name not in present]


def _help_of_required(name: str, properties: MappingOf[str, object]) -> str:
    tag = _go_tag(name, properties)
    if tag is not None:
        return f"Write `{name}` instead of `{tag}` in `properties`: the rest belongs to the tag of a field in Go"
    several = _several(name, properties)
    if several:
        return f"Write each as an item of its own: {joined([f'`{each}`' for each in several])}"
    item = name.rstrip(_BETWEEN_ITEMS)
    if item in properties:
        return f"Write `{item}` instead: in a list of lines, `{name[len(item) :]}` is a part of the item"
    near = meant(name, properties)
    if near is None:
        return f"Remove it from `required`, or add `{name}` to `properties`"
    if near.is_known:
        return f"Write `{near.name}` instead, or add `{name}` to `properties`"
    return f"Did you mean `{near.name}`? Otherwise, add `{name}` to `properties`"


@NEVER.advice_on(Nodes({"enum", "allOf"}))
def enums(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the values of enums that no value of the type equals, enums without a common value, and patterns they miss."""
    if not schema.type:
        return
    with_enum = [part for part in with_all_of(schema) if part.enum]
    for part in with_enum:
        yield from _of_other_types(part, schema)
    if len(with_enum) > 1 and not frozenset.intersection(
        *(frozenset(map(_key, part.enum)) for part in with_enum)
    ):
        message = "no value can match: the enum and those in `allOf` have no value in common"
        path, help_ = (
            with_enum[0].path.child("enum"),
            "Correct the enums so that at least one value is in all of them",
        )
        yield Advisory(
            message,
            path,
            help_,
            marker=_correct(schema, "enum"),
        )
    elif with_enum and schema.type == "string":
        yield from _unmatched(with_enum[0], schema)


def _of_other_types(part: JSONSchemaProps, schema: JSONSchemaProps) -> Iterator[Advisory]:
    wrong = [i for i, value in enumerate(part.enum) if not _has_type(value, schema)]
    reported = other_words(part) if wrong and schema.type == "string" else {}
    wrong = [i for i in wrong if i not in reported]
    count = len(part.enum)
    what = "the enum" if len(wrong) == count else f"{len(wrong)} of {count} values in the enum"
    for i in wrong:
        # Values with the same message are shown as one finding.
        values = what if len(wrong) > 1 else f"`{marshal(part.enum[i])}` in the enum"
        message = f"no value can match {values}: the type is {schema.type}"
        help_ = "Write a value of the type, or remove it from the enum"
        yield Advisory(
            message,
            part.path.child("enum").index(i),
            help_,
            marker=_correct(schema, "enum"),
        )


def _unmatched(with_values: JSONSchemaProps, schema: JSONSchemaProps) -> Iterator[Advisory]:
    """Yield the patterns of a schema and its allOf that no value of an enum matches."""
    values = [value for value in with_values.enum if isinstance(value, str)]
    patterns = [part for part in with_all_of(schema) if part.pattern]
    if not values or not patterns or len(values) < len(with_values.enum):
        return
    from crdlint.golang.matching import PatternError, matches

    for part in patterns:
        try:
            matched = any(matches(part.pattern, value) for value in values)
        except (PatternError, WorkLimitError):
            continue
        if not matched:
            message = "no value can match: the pattern matches no value of the enum"
            help_ = (
                "Correct the pattern or the enum, or remove the pattern: the enum lists all values"
            )
            yield Advisory(
                message,
                part.path.child("pattern"),
                help_,
                marker=_correct(schema, "pattern", "enum"),
            )


def _has_type(value: Any, schema: JSONSchemaProps) -> bool:
    """Return whether a JSON value has the type of a schema; null has that of a nullable one."""
    if value is None:
        return schema.nullable
    kind = value.__class__
    if schema.type == "integer":
        return kind is int or (kind is float and is_json_integer(value))
    return kind in _CLASSES.get(schema.type, (kind,))


def _key(value: Any) -> Any:
    if value.__class__ is float and is_json_integer(value):
        value = int(value)
    return equality_key(value)


@Caution(
    "nullable-enum-without-null",
    "Nullable field whose enum rejects null",
    observed=("null-in-an-enum",),
    why="The API server compares null with the values of the enum, and null equals none of them, not even `null`.",
    help="Remove `nullable`, and `null` from the enum: the API server then drops a null, as if the field were not set",
    marker="remove `+nullable`",
    bad="name:\n  type: string\n  nullable: true\n  enum: [a, b]",
    good="name:\n  type: string\n  enum: [a, b]",
    fixes=(_without_null,),
).advice_on(Nodes({"nullable"}, when=lambda fields, _: "enum" in fields))
def null_in_enum(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield a nullable schema with an enum, in which null is never found."""
    if schema.nullable and schema.enum:
        yield Advisory(
            "null is rejected although the field is nullable: no enum accepts it",
            schema.path.child("nullable"),
        )


KEYWORD = Caution(
    "keyword-without-effect",
    "Keyword that checks no value",
    observed=("int-or-string-with-type", "keywords-of-other-types"),
    follows=(Link(schema_warnings.UNRECOGNIZED, TYPE_OF_INT_OR_STRING),),
    why="The API server ignores the keyword, so values that it should reject are accepted.",
    help="Move the keyword to the schema of the values that it should limit, or remove it",
    marker="write `+kubebuilder:validation:items:MaxLength` instead of `+kubebuilder:validation:MaxLength`",
    bad="name:\n  type: array\n  maxLength: 63\n  items:\n    type: string",
    good="name:\n  type: array\n  items:\n    type: string\n    maxLength: 63",
    fixes=(_to_items, _without_type),
)


@KEYWORD.advice_on(Nodes(when=_has_keyword_of_other_type))
def keywords(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the keywords of a schema and its allOf that limit values of other types only."""
    types = _INT_OR_STRING if schema.x_int_or_string else frozenset({schema.type})
    for part in with_all_of(schema):
        for keyword, limited in TYPES_OF.items():
            is_empty = keyword in {"required", "properties"} and not getattr(part, keyword)
            is_given = part.set_fields & SCHEMA_BITS[keyword] and not is_empty
            if is_given and types.isdisjoint(limited):
                yield _without_effect(keyword, part, schema)


@KEYWORD.advice_on(Nodes(set(_EXCLUSIVE_OF)))
def _without_bounds(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield each `exclusiveMinimum` or `exclusiveMaximum` without the bound that it is for."""
    for keyword, (bound, exclusive, limit) in _EXCLUSIVE_OF.items():
        if getattr(schema, exclusive) and getattr(schema, limit) is None:
            yield Advisory(
                f"`{keyword}` checks nothing without `{bound}`",
                schema.path.child(keyword),
                f"Add `{bound}` with the number that is too {_TOO[bound]}, or remove `{keyword}`",
                marker=f"remove {validation(schema, keyword)}",
            )


@KEYWORD.advice_on(Nodes({low for low, _, _, _ in _PAIRS[1:]}))
def _negative_least(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield a least length or number of elements below zero, which every value has."""
    for keyword, _, name, _ in _PAIRS[1:]:
        least = getattr(schema, name)
        if least is not None and least < 0 and schema.type in TYPES_OF[keyword]:
            yield Advisory(
                f"`{keyword}` {least} checks nothing, because it is below 0",
                schema.path.child(keyword),
                f"Set `{keyword}` to 1 or more, or remove it",
                marker=_correct(schema, keyword),
            )


@KEYWORD.advice_on(Nodes({"x-kubernetes-int-or-string"}, when=lambda _, type_: bool(type_)))
def _replaced_types(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterable[Advisory]:
    if not schema.x_int_or_string:
        return ()
    message = f"`type: {schema.type}` is not validated beside `x-kubernetes-int-or-string`, but breaks server-side apply"
    marker = "remove `+kubebuilder:validation:Type`"
    path = schema.path.child("type")
    return [Advisory(message, path, "Remove `type`", marker=marker, cause=INT_OR_STRING)]


def _without_effect(keyword: str, part: JSONSchemaProps, schema: JSONSchemaProps) -> Advisory:
    effect = "has no effect" if keyword == _PRESERVE or keyword in _FIELDS else "checks nothing"
    shown = f"format: {schema.format}" if keyword == "format" else keyword
    message = f"`{shown}` {effect} on {_SOME.get(schema.type, 'an integer or string')}"
    return Advisory(
        message,
        part.path.child(keyword),
        _place_for(keyword, schema),
        marker=_marker(keyword, schema),
    )


def _marker(keyword: str, schema: JSONSchemaProps) -> str:
    if keyword == "required" or keyword in _FIELDS:
        return ""
    if keyword == _PRESERVE:
        return "remove `+kubebuilder:pruning:PreserveUnknownFields`"
    written = validation(schema, keyword)
    items = _items_of(keyword, schema)
    return (
        f"write {validation(items, keyword)} instead of {written}"
        if items is not None
        else f"remove {written}"
    )


@KEYWORD.advice_on(Nodes({"format"}, when=lambda _, type_: type_ not in {"", "string"}))
def formats(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterable[Advisory]:
    """Return the format of a schema if it is one of strings, the type is another, and the server does not report it itself."""
    if (
        schema.format in _OF_STRINGS
        and not schema.x_int_or_string
        and not is_reported(schema, crd.versions.newest)
    ):
        return [_without_effect("format", schema, schema)]
    return ()


def _place_for(keyword: str, schema: JSONSchemaProps) -> str:
    """Return the help for a keyword: where it belongs, if the items of the list are what it should limit."""
    items = _items_of(keyword, schema)
    if items is not None and items.set_fields & SCHEMA_BITS[keyword]:
        of_list = keyword.replace("Length", "Items")
        return f"Write `{of_list}` to limit the list, or remove `{keyword}`, which `items` has, too"
    if items is not None:
        return f"Move `{keyword}` into `items`, or remove it"
    return f"Remove `{keyword}`, or correct the type"


def _items_of(keyword: str, schema: JSONSchemaProps) -> JSONSchemaProps | None:
    """Return the schema of a list's items if a keyword limits their values."""
    items = schema.item_schema if schema.type == "array" else None
    return items if items is not None and items.type in TYPES_OF.get(keyword, {"string"}) else None
