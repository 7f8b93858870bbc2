"""Advice: scalars that YAML reads as something else: words as booleans or numbers, and only parts of texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.diagnostics import Severity
from crdlint.light import regex
from crdlint.phrases import OneCommand
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.edits import Edits
from crdlint.rules.engine.finding import AdviceFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.engine.rule import Caution, Hint
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import quoted
from crdlint.yaml.json_values import is_merge
from crdlint.yaml.nodes import Mapping, Scalar, Sequence, child, items_of
from crdlint.yaml.resolve import key_text

_PROPERTIES: Final = SCHEMA_BITS["properties"]
_ENUM: Final = SCHEMA_BITS["enum"]
_WRITTEN_OUT: Final = frozenset({"true", "True", "TRUE", "false", "False", "FALSE"})
# The start of a plain text.
_LINE: Final = regex(
    r"^[ -]*(?:description|title|message): +([^\n '\"|>\[{#][^\n]*)$", re.MULTILINE
)
# A comment that a linter reads.
_FOR_A_TOOL: Final = regex(r" #[ \t]*(?:crdlint|yamllint)\b")
_ISSUE: Final = regex(r" #\w")


@Fixer("Put the word in quotes", "safe")
def _quotes(finding: AdviceFinding) -> Edits:
    """Put the word in quotes, and a default that is such a word, which would no longer be in the enum."""
    editor, node = finding.editor, finding.scalar()
    yield editor.replace(node, quoted(node.value, double=editor.is_json))
    listed = editor.parent(node)
    default = None if listed is None else child(editor.parent(listed), "default")
    if isinstance(default, Scalar) and default.value == node.value and not editor.is_text(default):
        yield editor.replace(default, quoted(default.value, double=editor.is_json))


@Fixer("Put the name in quotes", "unsafe")
def _quotes_key(finding: AdviceFinding) -> Edits:
    key = finding.location(finding.path).key
    if isinstance(key, Scalar):
        yield finding.editor.replace(key, quoted(key.value, double=finding.editor.is_json))


BOOLEAN = Caution(
    "yaml-boolean",
    "Unquoted `on`, `off`, `yes`, `no`, `y` or `n` where a string is meant",
    misread=True,
    observed=("enum-of-words-that-yaml-reads-as-booleans",),
    why="The API server reads YAML 1.1, in which these words are booleans. `enum: [on, off]` becomes `[true, false]`, "
    "which no string equals.",
    help="Put the word in quotes",
    bad="mode: {type: string, enum: [on, off]}",
    good="mode: {type: string, enum: ['on', 'off']}",
    fixes=(_quotes,),
)
KEY = Caution(
    "yaml-key",
    "Unquoted name of a property that YAML reads as a boolean or number",
    observed=("yaml-key-n-in-objects",),
    why="The API server reads YAML 1.1, in which `on`, `off`, `yes`, `no`, `y` and `n` are booleans. The property `n` "
    "becomes `false`, which manifests with an unquoted `n` set as well. Clients that send JSON, like controllers, cannot set `n`.",
    help="Put the name in quotes, also in manifests; in an existing CRD, stored values of the old name are lost",
    bad="n: {type: integer}",
    good="'n': {type: integer}",
    fixes=(_quotes_key,),
)


def other_words(schema: JSONSchemaProps) -> dict[int, str]:
    """Return the words by index that YAML reads as booleans in an enum, other than true and false."""
    return {
        i: node.value
        for i, node in enumerate(items_of(child(schema.node, "enum")))
        if isinstance(node, Scalar)
        and schema.enum[i].__class__ is bool
        and node.value not in _WRITTEN_OUT
    }


@BOOLEAN.advice
def _booleans_in_enums(crd: DecodedCRD) -> Iterator[Advisory]:
    with_enum = [schema for schema in crd.schemas if schema.set_fields & _ENUM]
    for schema in with_enum:
        words = other_words(schema) if schema.type == "string" else {}
        for i, word in words.items():
            read = "true" if schema.enum[i] else "false"
            message = f"`{word}` is read as the boolean {read}, not as a string"
            yield Advisory(
                message, schema.path.child("enum").index(i), OneCommand(f'Write `"{word}"`')
            )


@KEY.advice
def _names_of_properties(crd: DecodedCRD) -> Iterator[Advisory]:
    with_properties = [schema for schema in crd.schemas if schema.set_fields & _PROPERTIES]
    for schema in with_properties:
        named = child(schema.node, "properties")
        if not isinstance(named, Mapping) or named.simple:
            continue
        for key, name in _with_other_names(named):
            what = "boolean" if name in {"true", "false"} else "number"
            yield Advisory(
                f"`{key.value}` is read as the {what} {name}, so the property is named `{name}`",
                schema.path.child("properties").key(name),
                OneCommand(f'Write `"{key.value}"`'),
            )


def _with_other_names(mapping: Mapping) -> Iterator[tuple[Scalar, str]]:
    """Yield the keys of a mapping that the API server reads as another text than they are written, with that text."""
    for key in mapping.items[::2]:
        if isinstance(key, Scalar) and not is_merge(key):
            name = key_text(key)
            if name not in {None, key.value}:
                yield key, str(name)


def _quoted(finding: AdviceFinding) -> Edits:
    text, start = finding.subject_as(str), finding.scalar().start_mark.index
    if finding.editor.text.startswith(text, start):
        yield Edit(start, start + len(text), quoted(text))


@Fixer("Put the text in quotes", "safe")
def _sure(finding: AdviceFinding) -> Edits:
    """Put the whole text in quotes where what is cut off does not look like a comment."""
    if _is_meant(str(finding.subject)):
        yield from _quoted(finding)


def _is_meant(text: str) -> bool:
    """Return whether what YAML cuts off a text does not look like a comment."""
    return text.startswith(("!", "&")) or _ISSUE.search(text) is not None


@Hint(
    "yaml-text-cut",
    "YAML reads only a part of a text",
    misread=True,
    observed=("explain-without-description",),
    why="A ` #` begins a comment, a leading `!` a tag and a leading `&` an anchor. Users of `kubectl explain` see a text "
    "without these parts.",
    help="Put the text in quotes, or write two spaces before the comment",
    bad="name:\n  type: string\n  description: The name, see issue #12",
    good="name:\n  type: string\n  description: 'The name, see issue #12'",
    fixes=(
        _sure,
        Fixer(
            "Put the text in quotes",
            "unsafe",
            _quoted,
            bad="name:\n  type: string\n  description: The number # of items",
            good="name:\n  type: string\n  description: 'The number # of items'",
        ),
    ),
).advice
def _cut_texts(crd: DecodedCRD) -> Iterator[Advisory]:
    texts = _cut_lines(crd.text)
    if not texts:
        return
    for schema in crd.schemas:
        for path, node in _prose(schema):
            full_text = texts.get(node.start_mark.index, "")
            if (
                full_text
                and not node.style
                and node.value != full_text
                and not _is_used(node, crd.text)
            ):
                message = f"YAML reads only `{node.value}` of this text"
                help_ = f"Put the text in quotes: {quoted(full_text)}"
                severity: Severity | None = "warning" if _is_meant(full_text) else None
                yield Advisory(
                    message,
                    path,
                    help_,
                    subject=full_text,
                    severity=severity,
                )


def _cut_lines(text: str) -> dict[int, str]:
    """Return the plain texts that may be cut, as they are written, by their offsets in a document."""
    texts: dict[int, str] = {}
    for mark in "#!&":
        index = text.find(mark)
        while index >= 0:
            if text[index - 1] != " ":
                index = text.find(mark, index + 1)
                continue
            start, end = text.rfind("\n", 0, index) + 1, text.find("\n", index)
            match = _LINE.match(text, start)
            full_text = "" if match is None else match[1].rstrip()
            is_cut = (
                full_text[:1] in {"!", "&"} if " #" not in full_text else "  #" not in full_text
            )
            if match is not None and full_text and is_cut and not _FOR_A_TOOL.search(full_text):
                texts[match.start(1)] = full_text
            index = -1 if end < 0 else text.find(mark, end)
    return texts


def _is_used(node: Scalar, text: str) -> bool:
    """Return whether an alias repeats a text, which is then meant to have an anchor."""
    return (
        node.anchor is not None
        and re.search(rf"\*{re.escape(node.anchor)}(?![\w-])", text) is not None
    )


def _prose(schema: JSONSchemaProps) -> Iterator[tuple[Path, Scalar]]:
    if schema.node is None:
        return
    for key, value in schema.node.pairs():
        if not isinstance(key, Scalar):
            continue
        if key.value in {"description", "title"} and isinstance(value, Scalar):
            yield schema.path.child(key.value), value
        elif key.value == "x-kubernetes-validations" and isinstance(value, Sequence):
            for i, rule in enumerate(value.items):
                message = child(rule, "message")
                if isinstance(message, Scalar):
                    yield schema.path.child(key.value).index(i).child("message"), message
