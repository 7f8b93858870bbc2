"""Findings of the decoder: each of its problems at its place, with its rule and its help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd.gotypes import SCHEMA_OR_BOOLEAN
from crdlint.crd.positions import node_span
from crdlint.light import regex, replace
from crdlint.rules import catalog
from crdlint.rules.engine import headlines
from crdlint.rules.engine.relations import lacking
from crdlint.rules.texts import reading
from crdlint.rules.texts.reading import duplicate_in_json
from crdlint.safety.bugs import attempt
from crdlint.yaml.nodes import Scalar, Sequence

if TYPE_CHECKING:
    from crdlint.crd.decode_errors import DecodeProblem
    from crdlint.crd.positions import Span
    from crdlint.diagnostics import Diagnostic
    from crdlint.yaml.nodes import Node
    from crdlint.yaml.parse import Document


def decode_finding(problem: DecodeProblem, file: str, document: Document) -> Diagnostic:
    """Return the finding of a problem of the decoder."""
    from crdlint.crd.decode_errors import suggestion  # most documents have no problem

    offset = document.line_offset
    if problem.first is not None:
        return duplicate_in_json(
            problem.message,
            problem.path,
            problem.first,
            problem.node,
            file,
            offset,
        )
    help_ = attempt(_invisible_character, document.text, problem.node) or problem.help
    help_ = help_ or (
        attempt(suggestion, problem)
        if problem.go_type or problem.message == SCHEMA_OR_BOOLEAN
        else _help_of_placeholder(problem)
    )
    rule = catalog.get(_rule_of(problem))
    if problem.kind == "decode":
        rule = rule._replace(origin="apiserver", severity="error")
    span = _span_of_problem(problem, document)
    diagnostic = rule.diagnostic(
        file,
        problem.kind,
        problem.message,
        span,
        help_,
    )
    nearest = problem.nearest
    return replace(
        diagnostic,
        headline=attempt(headlines.of_decode, problem) or diagnostic.headline,
        lacks="" if nearest is None else lacking(problem.content, nearest),
        server_message=_server_message(problem),
    )


def _span_of_problem(problem: DecodeProblem, document: Document) -> Span:
    """Return where a problem is: a list itself, and a mapping where it is in one line, otherwise its key."""
    content, offset = problem.content, document.line_offset
    if problem.path or isinstance(content, Scalar):
        return node_span(problem.node, offset)
    if content.flow and content.start_mark.line == content.end_mark.line:
        return node_span(content, offset)
    if not isinstance(content, Sequence):
        return node_span(problem.node, offset)
    first_line = document.text[content.start_mark.index :].partition("\n")[0].rstrip()
    span = node_span(content, offset)
    return span._replace(end_line=span.line, end_column=span.column + len(first_line))


def _server_message(problem: DecodeProblem) -> str | None:
    """Return the server's message for a problem, None if it is the problem's own, empty if an earlier one has it."""
    if problem.is_contained:
        return ""
    return problem.full_message if problem.full_message not in {"", problem.message} else None


def _rule_of(problem: DecodeProblem) -> str:
    """Return the id of the rule that a problem of the decoder breaks; some are of the typed check."""
    if problem.rule:
        return problem.rule
    return (
        reading.UNKNOWN_FIELD.id
        if problem.kind == "strict" or problem.path
        else reading.DECODE_TYPE.id
    )


def _help_of_placeholder(problem: DecodeProblem) -> str | None:
    """Return the help for a text of documentation in the place of a CA certificate."""
    if problem.expected != "a base64 text" or not {"<", ".", "{"} & set(
        getattr(problem.content, "value", "")
    ):
        return None
    return "Write the CA certificate as base64 in one line, or remove the field: cert-manager, for example, can set it"


# YAML reads these as a part of the key; people see a space, or nothing.
_INVISIBLE: Final = regex("[\u00a0\u200b-\u200f\u2060\ufeff]")


def _invisible_character(text: str, node: Node) -> str | None:
    """Return the help for an invisible character in the key of a node's line, or None if it has none."""
    start = text.rfind("\n", 0, node.start_mark.index) + 1
    line = text[start : text.find("\n", start) % (len(text) + 1)] if start else ""
    match = _INVISIBLE.search(line.lstrip(" -").partition(":")[0].partition(" ")[0])
    if match is None:
        return None
    import unicodedata

    char, column = match[0], line.index(match[0]) + 1
    return f"Remove the invisible character U+{ord(char):04X} ({unicodedata.name(char).lower()}) in column {column}"
