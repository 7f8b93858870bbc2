"""What differs between two copies of a CRD, of what a cluster serves: schemas, columns and subresources of the versions of both.

Kustomizations and charts add the conversion, annotations, and versions.
"""

from __future__ import annotations

import os
from typing import Final, TypeAlias

from crdlint.crd.positions import UserPaths, node_span
from crdlint.diagnostics import Diagnostic, Related
from crdlint.light import NamedTuple, replace
from crdlint.phrases import counted
from crdlint.rules.advice.name_conflicts import COPIES_DIFFER
from crdlint.yaml.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    child,
    items_of,
    text_or_empty,
)
from crdlint.yaml.parse import Chunk, Document, parse_chunk
from crdlint.yaml.resolve import resolve


class CRDText(NamedTuple):
    """A CRD of a file; its text is None if the file cannot be read any more."""

    file: str
    chunk: Chunk | None


class _Difference(NamedTuple):
    """The first difference: the words for it, the node in the copy, and the node in the generated CRD."""

    words: str
    node: Node
    original: Node


def difference_of(name: str, copy: CRDText, original: CRDText) -> Diagnostic | None:
    """Return the finding about a copy, None if it is equal or one of the two cannot be read."""
    ours, theirs = copy.chunk, original.chunk
    if ours is None or theirs is None or _versions_text(ours) == _versions_text(theirs):
        return None
    document, other = parse_chunk(ours), parse_chunk(theirs)
    difference = _of_versions(document, other)
    if difference is None or document.root is None:
        return None
    message = difference.words
    span = node_span(difference.node, document.line_offset)
    mark = difference.node.start_mark
    path, version = UserPaths(document.root).path_at(mark.line + 1, mark.column + 1)
    there = node_span(difference.original, other.line_offset)
    related = Related(
        "the generated CRD",
        original.file,
        there.line,
        there.column,
    )
    finding = COPIES_DIFFER.diagnostic(copy.file, "advice", message, span)
    folders = f"{os.path.dirname(copy.file)} differs from {os.path.dirname(original.file)}"
    return replace(
        finding,
        crd=name,
        user_path=path,
        version=version,
        related=related,
        cause=folders,
    )


def _versions_text(chunk: Chunk) -> str:
    """Return the text from `versions` to the end of the spec, as generators write it."""
    _, _, versions = chunk.text.partition("\n  versions:")
    return versions.partition("\nstatus:")[0].rstrip() or chunk.text


def _of_versions(document: Document, other: Document) -> _Difference | None:
    """Return the first difference between the versions that two CRDs have both."""
    theirs = _versions(other)
    for name, version in _versions(document).items():
        difference = _first_difference(version, theirs[name]) if name in theirs else None
        if difference is not None:
            return difference
    return None


def _versions(document: Document) -> dict[str, Node]:
    versions = items_of(child(document.root, "spec", "versions"))
    return {text_or_empty(child(version, "name")): version for version in versions}


def _first_difference(ours: Node, theirs: Node) -> _Difference | None:
    """Return the first difference between two nodes, apart from descriptions and the order of fields and names."""
    pending = [("", ours, theirs)]
    while pending:
        name, node, other = pending.pop()
        below: list[tuple[str, Node, Node]] = []
        match node, other:
            case Mapping(), Mapping():
                fields, others = _fields(node), _fields(other)
                difference = _of_names(node, fields, other, others)
                if difference is None:  # both have the same fields
                    below = [(key, fields[key][1], others[key][1]) for key in fields]
            case Sequence(), Sequence():
                difference = _of_items(name, node, other)
                if not _are_scalars(node):  # of these, the order does not matter
                    below = [(name, *pair) for pair in zip(node.items, other.items, strict=False)]
            case _:
                difference = _of_values(name, node, other)
        if difference is not None:
            return difference
        pending += reversed(below)
    return None


_Fields: TypeAlias = dict[str, tuple[Node, Node]]


def _fields(node: Mapping) -> _Fields:
    """Return the keys and values of a mapping by name; the description of a schema is none of them."""
    named = {text_or_empty(key): (key, value) for key, value in node.pairs()}
    if "description" in named and isinstance(named["description"][1], Scalar):
        del named["description"]
    return named


def _of_names(
    node: Mapping,
    fields: _Fields,
    other: Mapping,
    others: _Fields,
) -> _Difference | None:
    """Return the first field that only one of two mappings has."""
    added, missing = _first_beside(fields, others), _first_beside(others, fields)
    if added is not None:
        name, key = added
        return _Difference(f"`{name}` is not in the CRD of `config/crd`", key, other)
    if missing is not None:
        name, key = missing
        return _Difference(f"`{name}` is missing, unlike in `config/crd`", node, key)
    return None


def _first_beside(fields: _Fields, others: _Fields) -> tuple[str, Node] | None:
    """Return the name and the key of the first field that another mapping lacks."""
    return next(((name, key) for name, (key, _) in fields.items() if name not in others), None)


def _of_items(name: str, node: Sequence, other: Sequence) -> _Difference | None:
    """Return the difference between two lists with other scalars, such as those of `required`, or of another length."""
    if len(node.items) != len(other.items):
        counts = f"{counted(len(node.items), 'item')} here, {len(other.items):,} there"
        return _Difference(f"`{name}` {_NOT_AS}: {counts}", node, other)
    are_scalars = _are_scalars(node) and _are_scalars(other)
    if not are_scalars or _texts(node) == _texts(other):
        return None
    return _Difference(f"`{name}` {_NOT_AS}", node, other)


def _texts(node: Sequence) -> list[str]:
    return sorted(map(text_or_empty, node.items))


def _are_scalars(node: Sequence) -> bool:
    return all(isinstance(item, Scalar) for item in node.items)


def _of_values(name: str, node: Node, other: Node) -> _Difference | None:
    if not (isinstance(node, Scalar) and isinstance(other, Scalar)):
        return _Difference(f"`{name}` {_NOT_AS}", node, other)
    if resolve(node) == resolve(other):
        return None
    values = text_or_empty(node), text_or_empty(other)
    if any(len(value) > _LONGEST for value in values):
        return _Difference(f"`{name}` {_NOT_AS}", node, other)
    return _Difference(f"`{name}` {_NOT_AS}: `{values[0]}` here, `{values[1]}` there", node, other)


_NOT_AS: Final = "is not as in `config/crd`"
_LONGEST: Final = 30  # characters of a value in the message
