"""Advice: words that YAML 1.1 parses as booleans or numbers although strings are meant."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.finding import Edits, Finding, Fixer
from crdlint.rules.engine.rule import Caution
from crdlint.yaml.editor import quoted
from crdlint.yaml.nodes import Mapping, Scalar, child, items_of
from crdlint.yaml.resolve import key_text
from crdlint.yaml.values import is_merge

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps

_PROPERTIES: Final = SCHEMA_BITS["properties"]
_ENUM: Final = SCHEMA_BITS["enum"]
_WRITTEN_OUT: Final = frozenset({"true", "True", "TRUE", "false", "False", "FALSE"})


@Fixer("Put the word in quotes", "safe")
def _quotes(finding: Finding) -> Edits:
    """Put the word in quotes, and a default that is such a word, which would no longer be in the enum."""
    editor, node = finding.editor, finding.scalar()
    yield editor.replace(node, quoted(node.value, double=editor.is_json))
    listed = editor.parent(node)
    schema = None if listed is None else editor.parent(listed)
    entry = schema.find("default") if isinstance(schema, Mapping) else None
    default = None if entry is None else entry[1]
    if isinstance(default, Scalar) and default.value == node.value and not editor.is_text(default):
        yield editor.replace(default, quoted(default.value, double=editor.is_json))


@Fixer("Put the name in quotes", "unsafe")
def _quotes_key(finding: Finding) -> Edits:
    key = finding.location(finding.path).key
    if isinstance(key, Scalar):
        yield finding.editor.replace(key, quoted(key.value, double=finding.editor.is_json))


BOOLEAN = Caution(
    id="yaml-boolean",
    summary="Unquoted `on`, `off`, `yes`, `no`, `y` or `n` where a string is meant",
    why="The API server reads YAML 1.1, in which these words are booleans. `enum: [on, off]` becomes `[true, false]`, "
    "which no string equals.",
    bad="mode: {type: string, enum: [on, off]}",
    good="mode: {type: string, enum: ['on', 'off']}",
    help="Put the word in quotes",
    fixes=(_quotes,),
)
KEY = Caution(
    id="yaml-key",
    summary="Unquoted name of a property that YAML reads as a boolean or number",
    why="The API server reads YAML 1.1, in which `on`, `off`, `yes`, `no`, `y` and `n` are booleans. The property `n` "
    "becomes `false`, and objects cannot set `n`.",
    bad="n: {type: integer}",
    good="'n': {type: integer}",
    help="Put the name in quotes",
    fixes=(_quotes_key,),
)


def other_words(schema: JSONSchemaProps) -> dict[int, str]:
    """Return the words by index that YAML reads as booleans in an enum, other than true and false."""
    return {
        i: node.value
        for i, node in enumerate(items_of(child(schema.node, "enum")))
        if isinstance(node, Scalar) and schema.enum[i].__class__ is bool and node.value not in _WRITTEN_OUT
    }


@BOOLEAN.advice
def _booleans_in_enums(crd: DecodedCRD) -> Iterator[Advisory]:
    for schema in crd.schemas:
        if schema.set_fields & _ENUM:
            yield from _in_enum(schema)


def _in_enum(schema: JSONSchemaProps) -> Iterator[Advisory]:
    if schema.type != "string" or not any(value.__class__ is bool for value in schema.enum):
        return
    for i, word in other_words(schema).items():
        read = "true" if schema.enum[i] else "false"
        message = f"`{word}` is read as the boolean {read}, not as a string"
        yield Advisory(message, schema.path.child("enum").index(i), f'Write `"{word}"`')


@KEY.advice
def _names_of_properties(crd: DecodedCRD) -> Iterator[Advisory]:
    for schema in crd.schemas:
        named = child(schema.node, "properties") if schema.set_fields & _PROPERTIES else None
        if not isinstance(named, Mapping) or named.simple:
            continue
        for key, _ in named.pairs():
            name = key_text(key) if isinstance(key, Scalar) and not is_merge(key) else None
            if isinstance(key, Scalar) and name is not None and name != key.value:
                what = "boolean" if name in {"true", "false"} else "number"
                message = f"`{key.value}` is read as the {what} {name}, so the property is named `{name}`"
                yield Advisory(message, schema.path.child("properties").key(name), f'Write `"{key.value}"`')
