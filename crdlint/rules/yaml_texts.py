"""Advice: descriptions and messages of which YAML reads only a part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.finding import Edits, Finding, Fixer
from crdlint.rules.engine.rule import Hint
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import quoted
from crdlint.yaml.nodes import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.diagnostics.diagnostic import Severity

# The start of a plain text.
_LINE: Final = re.compile(r"^[ -]*(?:description|title|message): +([^\n '\"|>\[{#][^\n]*)$", re.MULTILINE)
# A comment that a linter reads.
_FOR_A_TOOL: Final = re.compile(r" #[ \t]*(?:crdlint|yamllint)\b")
_NUMBER: Final = re.compile(r" #\w")


def _quoted(finding: Finding) -> Edits:
    """Put the whole text in quotes."""
    about = finding.advisory
    text = None if about is None else about.subject
    node = finding.scalar()
    start = node.start_mark.index
    if isinstance(text, str) and finding.editor.text.startswith(text, start):
        yield Edit(start, start + len(text), quoted(text))


@Fixer("Put the text in quotes", "safe")
def _sure(finding: Finding) -> Edits:
    """Put the whole text in quotes where what is cut off does not look like a comment."""
    about = finding.advisory
    if about is not None and _is_meant(str(about.subject)):
        yield from _quoted(finding)


def _is_meant(text: str) -> bool:
    """Return whether what YAML cuts off a text does not look like a comment."""
    return text.startswith(("!", "&")) or _NUMBER.search(text) is not None


@Hint(
    id="yaml-text-cut",
    summary="YAML reads only a part of a text",
    why="A ` #` begins a comment, a leading `!` a tag and a leading `&` an anchor. Users of `kubectl explain` see a text "
    "without these parts.",
    bad="name:\n  type: string\n  description: The name, see issue #12",
    good="name:\n  type: string\n  description: 'The name, see issue #12'",
    help="Put the text in quotes, or write two spaces before the comment",
    fixes=(
        _sure,
        Fixer("Put the text in quotes", "unsafe", _quoted).example(
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
            if full_text and not node.style and node.value != full_text and not _is_used(node, crd.text):
                message = f"YAML reads only `{node.value}` of this text"
                help_ = f"Put the text in quotes: {quoted(full_text)}"
                severity: Severity | None = "warning" if _is_meant(full_text) else None
                yield Advisory(message, path, help_, subject=full_text, severity=severity)


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
            is_cut = full_text[:1] in {"!", "&"} if " #" not in full_text else "  #" not in full_text
            if match is not None and full_text and is_cut and not _FOR_A_TOOL.search(full_text):
                texts[match.start(1)] = full_text
            index = -1 if end < 0 else text.find(mark, end)
    return texts


def _is_used(node: Scalar, text: str) -> bool:
    """Return whether an alias repeats a text, which is then meant to have an anchor."""
    return node.anchor is not None and re.search(rf"\*{re.escape(node.anchor)}(?![\w-])", text) is not None


def _prose(schema: JSONSchemaProps) -> Iterator[tuple[Path, Scalar]]:
    """Yield the texts of a schema and its rules that people read, with their paths."""
    if schema.node is None:
        return
    for key, value in schema.node.pairs():
        if not isinstance(key, Scalar):
            continue
        if key.value in {"description", "title"} and isinstance(value, Scalar):
            yield schema.path.child(key.value), value
        elif key.value == "x-kubernetes-validations" and isinstance(value, Sequence):
            for i, rule in enumerate(value.items):
                message = rule.find("message") if isinstance(rule, Mapping) else None
                if message is not None and isinstance(message[1], Scalar):
                    yield schema.path.child(key.value).index(i).child("message"), message[1]
