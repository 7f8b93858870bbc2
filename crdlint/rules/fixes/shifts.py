"""Blocks of lines at a wrong level, which a shift puts where the Go types of the API have them.

A shift is data: a block, and the place where it belongs. What is the same for all of them is here once: the block fits there only
if the Go type of the place has such a field, and its lines move by as many columns as its first one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Final

from crdlint.crd.gotypes import SCHEMA, UNKNOWN_TYPE, GoType
from crdlint.gathering import first_of
from crdlint.light import NamedTuple
from crdlint.rules.engine.advisory import SCALARS
from crdlint.rules.engine.edits import Edits, expect, is_null, require, texts
from crdlint.rules.engine.finding import DecodeFinding, FindingT, RepeatedKeyFinding
from crdlint.rules.engine.fixer import Fixer, Scope
from crdlint.rules.fixes.type_fixes import WHOLE_CRD, in_spec
from crdlint.yaml.editor import Editor, UneditableError
from crdlint.yaml.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    child,
    items_of,
    key_names,
    text_of,
    text_or_empty,
)

Pair = tuple["Node", "Node"]
STEP: Final = 2  # spaces
OBJECTS_OF_SCHEMA: Final = frozenset({"properties", "items", "additionalProperties"})
# Keywords of JSON Schema whose values look like the schema of a property.
_WITH_SCHEMA: Final = frozenset(
    {"if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems"}
)
OF_PROPERTIES: Final = frozenset(
    {"type", "properties", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"}
)
INDENTED: Final = in_spec(
    "    properties:\n      port:\n        type: integer\n      host:\n        type: string\n"
)
_MOST_OF_SCHEMA: Final = 2 * len(SCHEMA.fields)  # keys and values
_TYPES_OF_OWNERS: Final = {"items": "array", "additionalProperties": "object"}
_NAMES_AND_SCHEMAS: Final = SCHEMA.fields["properties"].type


class ShiftedBlock(NamedTuple):
    """Lines at a wrong level.

    - `first`: the key that they begin with
    - `end`: the offset of their end
    - `column`: the column (0-based) where the key belongs
    - `of`: the Go type of the object that has the key there
    """

    first: Scalar
    end: int
    column: int
    of: GoType

    @property
    def fits(self) -> bool:
        """Whether the object may have the key: any key of a map, the fields of a struct."""
        return self.of.kind == "map" or self.first.value in self.of.fields

    def shifted(self, editor: Editor) -> Edits:
        """Return the edits that put the block where it belongs, none if it does not fit there."""
        if self.fits:
            by = self.column - self.first.start_mark.column
            yield from editor.shifted(self.first.start_mark.index, self.end, by)


def _shift(
    title: str,
    *,
    is_safe: bool = False,
    bad: str,
    good: str,
    scope: Scope | None = None,
) -> Callable[[Callable[[FindingT], ShiftedBlock | None]], Fixer[FindingT]]:
    """Declare the shift of the block that a function finds; it returns None or raises UneditableError if there is none."""

    def declare(block_of: Callable[[FindingT], ShiftedBlock | None]) -> Fixer[FindingT]:
        def edits(finding: FindingT) -> Edits:
            block = block_of(finding)
            return () if block is None else block.shifted(finding.editor)

        fixer: Fixer[FindingT] = Fixer(title, "safe" if is_safe else "unsafe", edits)
        return fixer.example(bad, good, scope)

    return declare


def schema_of_property(finding: DecodeFinding) -> tuple[Mapping, Scalar, Mapping]:
    """Return a schema in block style, and the key and value of a field that looks like the schema of a property."""
    mapping, key, node = finding.entry
    value = expect(Mapping, node)
    is_schema = not OF_PROPERTIES.isdisjoint(key_names(value)) and key.value not in _WITH_SCHEMA
    if not is_schema or finding.go_type(mapping) is not SCHEMA or mapping.flow:
        raise UneditableError
    return mapping, key, value


def has_no_properties(schema: Mapping) -> bool:
    """Return whether a schema has a type whose values have no properties."""
    return text_of(child(schema, "type")) in {*SCALARS, "array"}


def _like_owner(finding: DecodeFinding, end: int) -> ShiftedBlock:
    """Return the block from a field to an offset, which belongs beside the object that has the field now."""
    mapping, key, _ = finding.entry
    owner = require(finding.editor.key_of(mapping))
    return ShiftedBlock(
        key,
        end,
        owner.start_mark.column,
        _NAMES_AND_SCHEMAS,
    )


@_shift(
    "Indent the property like the one above",
    bad=in_spec(
        "    properties:\n      port:\n        type: integer\n        host:\n          type: string\n"
    ),
    good=INDENTED,
)
def indented_property(finding: DecodeFinding) -> ShiftedBlock | None:
    """Return a property that is below the one above it by mistake."""
    mapping, _, value = schema_of_property(finding)
    is_last = mapping.items[-1] is value
    if not is_last or not _belongs_above(finding):
        return None
    return _like_owner(finding, finding.editor.end(value))


def _belongs_above(finding: DecodeFinding) -> bool:
    """Return whether a field of a property's schema is a property beside that: the schema has none, or is complete above it."""
    mapping, key, _ = finding.entry
    editor = finding.editor
    upper = editor.parent(mapping)
    if has_no_properties(mapping):
        return True
    if not isinstance(upper, Mapping) or editor.name_of(upper) != "properties":
        return False
    if upper.find(key.value) is not None:
        return False
    name_before = getattr(mapping.items[editor.index(key) - 2], "value", "properties")
    is_own, is_outer = (_requires(each, key.value) for each in (mapping, editor.parent(upper)))
    is_complete = name_before != "properties" and mapping.find("properties") is not None
    return not is_own and (is_outer or is_complete)


def _requires(schema: Node | None, name: str) -> bool:
    return name in texts(items_of(child(schema, "required")))


@_shift(
    "Indent the properties below the object above",
    bad=in_spec(
        "    properties:\n      host:\n        type: object\n      properties:\n        name:\n          type: string\n"
    ),
    good=in_spec(
        "    properties:\n      host:\n        type: object\n        properties:\n          name:\n            type: string\n"
    ),
)
def outdented_properties(finding: DecodeFinding) -> ShiftedBlock | None:
    """Return `properties` beside the object that they are of, up to its last property."""
    mapping, key, _ = finding.entry
    editor = finding.editor
    own, upper = require(editor.key_of(mapping)), expect(Mapping, editor.parent(mapping))
    are_nested = own.value == editor.name_of(upper) == "properties"
    if not are_nested or mapping.items[0] is not key or mapping.flow:
        return None
    index = editor.index(own)
    sibling = upper.items[index - 1] if index else own
    if sibling.style if isinstance(sibling, Scalar) else child(sibling, "properties") is not None:
        return None
    column = own.start_mark.column + STEP
    if isinstance(sibling, Mapping):
        column = sibling.start_mark.column
    properties = takewhile(_may_be_property, mapping.pairs())
    return ShiftedBlock(
        own,
        editor.end([*properties][-1][1]),
        column,
        SCHEMA,
    )


def _may_be_property(pair: Pair) -> bool:
    """Return whether an entry is no keyword with a plain value."""
    name, value = pair
    return isinstance(value, Mapping) or text_of(name) not in SCHEMA.fields


@_shift(
    "Indent the key like the one above",
    bad=in_spec(
        "    properties:\n      port:\n        type: integer\n        host:\n        type: string\n"
    ),
    good=INDENTED,
)
def indented_key(finding: DecodeFinding) -> ShiftedBlock | None:
    """Return the key of a property, whose keywords follow it in its column."""
    mapping, key, value = finding.entry
    editor = finding.editor
    if finding.go_type(mapping) is not SCHEMA or not is_null(value):
        return None
    if editor.name_of(editor.parent(mapping)) != "properties":
        return None
    below = mapping.items[editor.index(key) + 2 :: 2]
    keywords = all(isinstance(each, Scalar) and each.value in SCHEMA.fields for each in below)
    return _like_owner(finding, key.end_mark.index) if below and keywords else None


@_shift(
    "Indent the property like those above",
    bad=in_spec(
        "    properties:\n      port:\n        type: integer\n    host:\n      type: string\n"
    ),
    good=INDENTED,
)
def outdented_property(finding: DecodeFinding) -> ShiftedBlock | None:
    """Return a property that follows `properties`, in their column."""
    mapping, key, value = schema_of_property(finding)
    editor, index = finding.editor, finding.editor.index(key)
    properties = expect(Mapping, mapping.items[index - 1] if index else None)
    column = properties.start_mark.column
    is_outdented = key.start_mark.column < column
    if editor.name_of(properties) != "properties" or properties.flow or not is_outdented:
        return None
    return ShiftedBlock(
        key,
        _own_end(editor, value),
        column,
        _NAMES_AND_SCHEMAS,
    )


def _own_end(editor: Editor, value: Node) -> int:
    """Return where the fields of a schema end that are keywords: the others may be properties beside it."""
    if isinstance(value, Mapping) and not value.flow:
        for key, inner in value.pairs():
            if (
                isinstance(key, Scalar)
                and key.value not in SCHEMA.fields
                and isinstance(inner, Mapping)
            ):
                return editor.line_start(key.start_mark.index) - 1
    return editor.end(value)


@_shift(
    "Indent the field like the item above",
    is_safe=True,
    bad="type: object\nx-kubernetes-validations:\n- message: must have a kind\nrule: has(self.kind)\n",
    good="type: object\nx-kubernetes-validations:\n- message: must have a kind\n  rule: has(self.kind)\n",
)
def outdented_field(finding: DecodeFinding) -> ShiftedBlock | None:
    """Return a field that the last item above it lacks."""
    mapping, key, value = finding.entry
    editor, index = finding.editor, finding.editor.index(key)
    items = expect(Sequence, mapping.items[index - 1] if index else None)
    item = expect(Mapping, first_of(items.items[::-1]))
    of, column = finding.go_type(item), item.start_mark.column
    if of.kind != "struct" or item.find(key.value) is not None:
        return None
    if item.flow or column <= key.start_mark.column:
        return None
    return ShiftedBlock(key, editor.end(value), column, of)


class OutdentedFields(NamedTuple):
    """The fields of an object, from `first` to `last`, that are not indented below its key; `empty` is the value of the key."""

    key: Scalar
    empty: Scalar
    first: Pair
    last: Pair


def outdented_fields(finding: DecodeFinding) -> OutdentedFields:
    """Return the lines that include a field and must be indented; raise UneditableError if it is not below an empty key."""
    mapping, key, _ = finding.entry
    outdented = finding.manifest.outdented
    if id(mapping) not in outdented:
        outdented[id(mapping)] = list(_ends(list(mapping.pairs()), finding.go_type(mapping)))
    index = finding.editor.index(key) // 2
    empty_key, end = outdented[id(mapping)][index]
    if mapping.flow or not empty_key < index < end:
        raise UneditableError
    owner, empty, *first = mapping.items[2 * empty_key : 2 * empty_key + 4]
    last = mapping.items[2 * end - 2 : 2 * end]
    return OutdentedFields(
        expect(Scalar, owner),
        expect(Scalar, empty),
        (first[0], first[1]),
        (last[0], last[1]),
    )


def _ends(pairs: list[Pair], outer: GoType) -> Iterator[tuple[int, int]]:
    """Yield the last key without a value up to each entry, and where the entries end that are fields of its value."""
    empty_key, end = -1, 0
    # By the identity of the value's type, so that each entry is looked at once.
    ends: dict[int, int] = {}
    for i, (key, value) in enumerate(pairs):
        if isinstance(value, Scalar) and not value.value and not value.style:
            inner = outer.below(text_or_empty(key)) or UNKNOWN_TYPE
            empty_key, end = i, max(ends.get(id(inner), 0), i + 1)
            while end < len(pairs) and _is_only_below(*pairs[end], inner, outer):
                end += 1
            ends[id(inner)] = end
        yield empty_key, end


def _is_only_below(
    key: Node,
    value: Node,
    inner: GoType,
    outer: GoType,
) -> bool:
    """Return whether an entry is a field of the inner object, and no field of the outer one unless it looks like a property."""
    if not _is_field(key, value, inner):
        return False
    is_keyword = outer.kind == "map" and text_or_empty(key) in OBJECTS_OF_SCHEMA
    return is_keyword or not _is_field(key, value, outer)


def _is_field(key: Node, value: Node, of: GoType) -> bool:
    """Return whether an object of a type may have an entry."""
    if of.kind in {"schema-or-array", "schema-or-bool"}:
        return _is_field(key, value, SCHEMA)
    if of.kind == "map":
        element = of.element or UNKNOWN_TYPE
        return isinstance(value, Mapping) == (element.kind == "struct")
    return text_or_empty(key) in of.fields


@_shift(
    "Indent the lines below their key",
    is_safe=True,
    bad=WHOLE_CRD.replace(
        "  names: {plural: foos, kind: Foo}\n", "  names:\n  plural: foos\n  kind: Foo\n"
    ),
    good=WHOLE_CRD.replace(
        "  names: {plural: foos, kind: Foo}\n", "  names:\n    plural: foos\n    kind: Foo\n"
    ),
    scope="text",
)
def indented(finding: DecodeFinding) -> ShiftedBlock:
    """Return the fields below their key, in its column."""
    block, editor = outdented_fields(finding), finding.editor
    key, value = block.last
    end = _own_end(editor, value) if block.key.value == "properties" else editor.end(value)
    first = expect(Scalar, block.first[0])
    outer = finding.go_type(finding.entry[0])
    return ShiftedBlock(
        first,
        max(end, key.end_mark.index),
        first.start_mark.column + STEP,
        _of_value(outer, block.key.value),
    )


def _of_value(outer: GoType, name: str) -> GoType:
    """Return the Go type of the value of a field, which for a schema is that of a schema in any of its forms."""
    inner = outer.below(name) or UNKNOWN_TYPE
    return SCHEMA if inner.kind in {"schema-or-array", "schema-or-bool"} else inner


@_shift(
    "Indent the lines below the key without a value, which changes the type of the field",
    bad="type: object\nproperties:\n  names:\n    type: array\n    items:\n    type: string\n",
    good="type: object\nproperties:\n  names:\n    type: array\n    items:\n      type: string\n",
)
def fields_of_items(finding: RepeatedKeyFinding) -> ShiftedBlock | None:
    """Return the fields of items, or of the values of a map, that are written beside their key."""
    editor, key = finding.editor, finding.key
    if key.how != "written twice":
        return None
    first, later = expect(Scalar, key.first), expect(Scalar, key.later)
    mapping = expect(Mapping, editor.parent(first))
    if mapping.flow or editor.parent(later) is not mapping or len(mapping.items) > _MOST_OF_SCHEMA:
        return None
    empty = require(_empty_key(mapping, editor.index(first), editor.index(later)))
    names = key_names(mapping)[empty // 2 + 1 :]
    if not names or not SCHEMA.fields.keys() >= {*names}:
        return None
    start = expect(Scalar, mapping.items[empty + 2])
    return ShiftedBlock(
        start,
        editor.end(mapping),
        start.start_mark.column + STEP,
        SCHEMA,
    )


def _empty_key(mapping: Mapping, first: int, later: int) -> int | None:
    """Return the index of the key without a value between two others that takes the schema below it; None without one."""
    types = [text_of(value) for key, value in mapping.pairs() if text_of(key) == "type"]
    for index in range(first + 2, later, 2):
        name = text_or_empty(mapping.items[index])
        if types[:1] == [_TYPES_OF_OWNERS.get(name)] and is_null(mapping.items[index + 1]):
            return index
    return None
