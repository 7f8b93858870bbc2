"""Findings about keys that are set twice: the two places, and which clients notice.

kubectl and client-go convert YAML to JSON by sigs.k8s.io/yaml's YAMLToJSON (apimachinery pkg/util/yaml,
YAMLToJSONDecoder), which keeps the last of equal keys: see https://github.com/kubernetes/kubernetes/issues/125885.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crdlint.crd.positions import Span, node_span
from crdlint.diagnostics import Diagnostic, Related
from crdlint.rules import catalog
from crdlint.yaml.json_values import DuplicateKey
from crdlint.yaml.nodes import Node

_ONLY_RAW: Final = "the API server rejects only a request with the {} itself"
_LAST_WINS: Final = (
    "kubectl and every client that sends JSON keep the last value, so the API server never sees the first; "
    "it rejects only a request with the {} itself"
)
_APART: Final = 2  # lines


def repeated_block(duplicate: DuplicateKey, others: Sequence[DuplicateKey], line_offset: int) -> str | None:
    """Return the help for a key that is one of several that a block repeats, None for another key.

    The usual cause is a block that is indented too far, so that it becomes a part of the one above.
    """
    if duplicate.how != "written twice":
        return None
    column = duplicate.later.start_mark.column
    block = [
        other for other in others
        if other.how == duplicate.how and other.later.start_mark.column == column
        and abs(_distance(other) - _distance(duplicate)) <= _APART
        and abs(other.later.start_mark.line - duplicate.later.start_mark.line) <= len(others) + _APART
    ]  # fmt: skip
    if len(block) == 1:
        return None
    spans = [node_span(node, line_offset).line for other in block for node in (other.first, other.later)]
    first, last = min(spans[1::2]), max(spans[1::2])
    return (
        f"Check the indentation of lines {first} to {last}: they repeat the keys of lines {min(spans[::2])} to "
        f"{max(spans[::2])}, and are probably meant for another mapping"
    )


def _distance(duplicate: DuplicateKey) -> int:
    lines: int = duplicate.later.start_mark.line - duplicate.first.start_mark.line
    return lines


def of_yaml(duplicate: DuplicateKey, file: str, line_offset: int, help_: str | None = None) -> Diagnostic:
    """Return the finding about a key of a YAML document; ``line_offset`` is the number of lines above the document."""
    name = "`{}`".format(duplicate.name.strip('"'))
    first_span, later_span = node_span(duplicate.first, line_offset), node_span(duplicate.later, line_offset)
    first, later = first_span.line, later_span.line
    rule = "duplicate-key"
    if duplicate.how == "overrides merge":
        rule = "merge-key-override"
        message = f"key {name} overrides the one that `<<` merges from line {first}: {_ONLY_RAW.format('YAML')}"
    elif duplicate.how == "replaced by merge":
        message = f"`<<` replaces key {name} of line {first} by that of line {later}: {_LAST_WINS.format('YAML')}"
        help_ = "Write `<<` above the keys that override it: the decoder keeps the last value"
    else:
        message = f"key {name} is set twice, {_lines(first, later)}: {_LAST_WINS.format('YAML')}"
    if duplicate.repetitions:
        message += f" ({duplicate.repetitions:,} more mappings merge it)"
    made = catalog.get(rule).diagnostic(file, "strict", message, later_span, help_)
    return _after(first_span, made, duplicate.message)


def of_json(server_message: str, path: str, first: Node, later: Node, file: str, line_offset: int) -> Diagnostic:
    """Return the finding about a field of a JSON document."""
    first_span, later_span = node_span(first, line_offset), node_span(later, line_offset)
    message = f"field `{path}` is set twice, {_lines(first_span.line, later_span.line)}: {_LAST_WINS.format('file')}"
    made = catalog.get("duplicate-key").diagnostic(file, "strict", message, later_span)
    return _after(first_span, made, server_message)


def _lines(first: int, later: int) -> str:
    return f"in line {first}" if first == later else f"in lines {first} and {later}"


def _after(first: Span, finding: Diagnostic, server_message: str) -> Diagnostic:
    related = Related("first set", finding.file, first.line, first.column)
    return replace(finding, server_message=server_message, related=related)
