"""Fixes for the findings of `rules/server/defaults.py`."""

from __future__ import annotations

import re
from functools import partial
from typing import Final, TypeAlias

from crdlint.crd.errors import NOT_SUPPORTED, Code
from crdlint.light import regex
from crdlint.rules.engine.advisory import SCALARS
from crdlint.rules.engine.edits import NUMBERS, Edits, expect, require
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf
from crdlint.rules.fixes.cel import meant
from crdlint.rules.server.defaults import INVALID_DEFAULT, RULE_FAILED, UNPRUNED, schema_with
from crdlint.spelling import name_meant, without_typographic_quotes
from crdlint.yaml.editor import quoted
from crdlint.yaml.nodes import Mapping, Scalar, Sequence, child, is_block_text, items_of

_BOOLEANS: Final = {"yes": "true", "on": "true", "no": "false", "off": "false"}


_SEPARATED: Final = regex("[|,;]| - ")


_NEVER: Final = regex(r"(?!)")


_WRITTEN: Final = {
    **NUMBERS,
    "boolean": regex(r"(?:true|false|yes|no|on|off)\Z", re.IGNORECASE),
}


_EMPTY: Final = {"array": "[]", "object": "{}"}
# The type that a value should have, and the one that it has.
Types: TypeAlias = tuple[str, str]


_DECIMAL: Final = regex(r"-?\d+(?:\.\d+)?\Z")


@Fixer("Write the default as its type", "safe").example(
    bad="replicas: {type: integer, minimum: 1, default: '1'}"
)
def _of_its_type(finding: FieldFinding) -> Edits:
    """Write the default as its type: a text in quotes, a number or a boolean without."""
    node = finding.node()
    types = expected, actual = require(finding.reason(Code.TYPE)).arguments
    if not isinstance(node, Scalar):
        yield from _collection_as(finding, node, types)
    elif expected in _EMPTY:
        yield from _scalar_in_collection(finding, node, types)
    elif expected == "string":
        yield from _value_as_text(finding, node, actual)
    elif actual == "string" and not is_block_text(node):
        yield from _text_as_value(finding, node, expected)


def _collection_as(finding: FieldFinding, node: Mapping | Sequence, types: Types) -> Edits:
    """Write an empty list or object as the other one, and the only item of a list instead of it."""
    expected, _ = types
    if not node.items and {*types} == {*_EMPTY}:
        yield finding.editor.replace(node, _EMPTY[expected])
    elif isinstance(node, Sequence) and expected in SCALARS and len(node.items) == 1:
        value = expect(Scalar, node, 0)
        if not is_block_text(value):
            yield finding.editor.write(node, finding.written(value))


def _scalar_in_collection(finding: FieldFinding, node: Scalar, types: Types) -> Edits:
    """Write the text of an empty list or object as such, and a value that fits the items of a list as one of them."""
    expected, actual = types
    editor = finding.editor
    is_in_line = bool(node.value) and not is_block_text(node)
    if node.value == _EMPTY[expected]:
        yield editor.replace(node, node.value)
    elif expected == "array" and is_in_line and _item_type(finding) == actual:
        yield editor.replace(node, f"[{editor.text[node.start_mark.index : editor.end(node)]}]")


def _value_as_text(finding: FieldFinding, node: Scalar, actual: str) -> Edits:
    """Put a number or a boolean in quotes, if the schema accepts that text."""
    if actual not in _WRITTEN or node.style or not _accepts_text(finding, node.value):
        return
    yield finding.editor.replace(node, quoted(node.value, double=finding.editor.is_json))
    yield from _enum_of_strings(finding)


def _accepts_text(finding: FieldFinding, text: str) -> bool:
    """Return whether a text has no other error than that the enum lacks it: it matches the pattern and the limits."""
    from crdlint.schema.validator import ValueValidator  # few CRDs need it

    schema = finding.manifest.schemas.get(id(finding.owner))
    errors = () if schema is None else ValueValidator(schema).validate(text)
    return all(error.type == NOT_SUPPORTED for error in errors)


def _text_as_value(finding: FieldFinding, node: Scalar, expected: str) -> Edits:
    """Write a text that spells a number or a boolean without quotes."""
    word = without_typographic_quotes(node.value.rstrip(",; ")).lower()
    if _WRITTEN.get(expected, _NEVER).match(word):
        yield finding.editor.replace(node, _BOOLEANS.get(word, word))


def _item_type(finding: FieldFinding) -> str:
    """Return the type of the items of the list that a default is for, empty if the default is a part of another."""
    entry = finding.owner.find("items")
    schema = finding.manifest.schemas.get(id(entry[1])) if entry is not None else None
    return "" if schema is None else schema.type


def _enum_of_strings(finding: FieldFinding) -> Edits:
    for value in items_of(child(finding.owner, "enum")):
        if isinstance(value, Scalar) and not value.style and not finding.editor.is_text(value):
            yield finding.editor.replace(value, quoted(value.value, double=finding.editor.is_json))


@Fixer("Write the values of the enum as the type", "safe").example(
    bad="size: {type: integer, enum: ['1', '2'], default: 1}",
    good="size: {type: integer, enum: [1, 2], default: 1}",
)
def _enum_of_its_type(finding: FieldFinding) -> Edits:
    if finding.reason(Code.ENUM) is None or finding.name != "default":
        return
    type_, editor = finding.schema(finding.owner).type, finding.editor
    values = [
        value
        for value in expect(Sequence, finding.owner, "enum").items
        if isinstance(value, Scalar)
    ]
    pattern = _WRITTEN.get(type_, _NEVER)
    if type_ == "string" and editor.is_text(finding.node()):
        yield from _enum_of_strings(finding)
    elif all(value.style in {"'", '"'} and pattern.match(value.value) for value in values):
        for value in values:
            yield editor.replace(value, _BOOLEANS.get(value.value.lower(), value.value))


@Fixer("Spell the field as the schema does", "unsafe")
def _near_field(finding: FieldFinding) -> Edits:
    about, names = finding.error, require(finding.reason(Code.UNKNOWN_FIELDS)).arguments
    if names:
        yield finding.editor.respell(
            expect(Scalar, finding.location(about.at or about.path).key), names[0]
        )


@Fixer("Correct the value of the enum", "unsafe").example(
    bad="mode: {type: string, enum: [Always, Never], default: always}",
    good="mode: {type: string, enum: [Always, Never], default: Always}",
)
def _nearest_value(finding: FieldFinding) -> Edits:
    node, values = finding.scalar(), require(finding.reason(Code.ENUM)).arguments
    item = node.value.rstrip(",; ")
    if item in values:
        yield finding.editor.respell(node, item)
        return
    if not any(node.value in _SEPARATED.split(value) for value in values):
        yield finding.editor.respell(node, require(name_meant(node.value, values)))


@Fixer("Make values of the enum of what is joined", "unsafe").example(
    bad="mode: {type: string, enum: [Always|Never], default: Always}",
    good="mode: {type: string, enum: [Always, Never], default: Always}",
)
def _separate_values(finding: FieldFinding) -> Edits:
    editor, values = finding.editor, expect(Sequence, finding.owner, "enum")
    joined = [each.strip() for each in _SEPARATED.split(expect(Scalar, values, 0).value)]
    if len(values.items) == 1 < len(joined) and finding.scalar().value in joined:
        yield editor.write(values, f"[{', '.join(map(editor.value, joined))}]")


@Fixer("Write an empty list", "unsafe").example(
    bad="tags: {type: array, items: {type: string}, default: ''}",
    good="tags: {type: array, items: {type: string}, default: []}",
)
def _empty_list(finding: FieldFinding) -> Edits:
    node, reason = finding.scalar(), require(finding.reason(Code.TYPE))
    if reason.arguments[0] == "array" and not node.value:
        yield finding.editor.replace(node, "[]")


@Fixer("Write the bound", "unsafe")
def _nearest_bound(finding: FieldFinding) -> Edits:
    limit, exclusive = require(finding.reason(Code.LEAST, Code.MOST)).arguments
    if not exclusive and _DECIMAL.match(limit):
        yield finding.editor.replace(finding.scalar(), limit)


_RULE: Final = schema_with(
    "{type: integer, x-kubernetes-validations: [{rule: '%s'}]}", "{replicas: 1}"
)


FIXES: Final = FixesOf(
    FieldFinding,
    {
        UNPRUNED.id: (_near_field,),
        INVALID_DEFAULT.id: (
            _of_its_type,
            _enum_of_its_type,
            _empty_list,
            _separate_values,
            _nearest_value,
            _nearest_bound,
        ),
        RULE_FAILED.id: (
            Fixer(
                "Correct the rule",
                "safe",
                partial(meant, certain=True),
                bad=_RULE % "self > 0 and true",
                good=_RULE % "self > 0 && true",
            ),
            Fixer(
                "Correct the rule",
                "unsafe",
                partial(meant, certain=False),
                bad=_RULE % "self = 1",
                good=_RULE % "self == 1",
            ),
        ),
    },
)
