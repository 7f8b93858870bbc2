"""Parsing of a .crdlint.yaml with positions. Of plain scalars only true, false and null are no text: `1.30` and `off` are."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from typing import Any, Final

from crdlint.config.model import BrokenError, ConfigSource, LineColumn, Step
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, entry
from crdlint.yaml.parse import YAMLProblem, parse_stream

# A configuration has no deeper collections, so the content of these does not matter.
_DEPTH: Final = 4
# The error for a pattern such as *-invalid, which is an alias in YAML.
_STARS: Final = ("expected alphabetic or numeric character", "unknown anchor")
_WORDS: Final = {"": None, "~": None, "null": None, "true": True, "false": False}


def read_yaml(text: str) -> ConfigSource:
    """Parse the only document of a text; raise BrokenError if it is not YAML."""
    roots: list[tuple[Node, int]] = []
    for document in parse_stream(text):
        if document.error is not None:
            raise _broken(document.error)
        if document.root is not None:
            roots.append((document.root, document.line_offset))
    if not roots:
        return ConfigSource(None, lambda _steps, _key: (1, 1))
    root, offset = roots[0]
    problems: list[tuple[str, LineColumn]] = []
    if len(roots) > 1:
        _, line = roots[1]
        problems.append(("a second document: a configuration is one", (line + 1, 1)))
    values = _value(root, offset, problems, 0)
    return ConfigSource(
        values, lambda steps, key: _node_place(root, offset, steps, key=key), tuple(problems)
    )


def _broken(error: YAMLProblem) -> BrokenError:
    message = error.message
    if any(sign in message for sign in _STARS):
        message += ": put what begins with * in quotes"
    return BrokenError(message, (error.line + 1, error.column + 1))


def _value(
    node: Node,
    offset: int,
    problems: list[tuple[str, LineColumn]],
    depth: int,
) -> Any:
    if isinstance(node, Scalar):
        words = {} if node.style else _WORDS
        return words.get(node.value.lower(), node.value)
    if depth == _DEPTH:
        return {} if isinstance(node, Mapping) else []
    if isinstance(node, Sequence):
        return [_value(item, offset, problems, depth + 1) for item in node.items]
    return _values(node, offset, problems, depth)


def _values(
    node: Mapping,
    offset: int,
    problems: list[tuple[str, LineColumn]],
    depth: int,
) -> dict[str, Any]:
    """Return the values of a mapping by their keys, each once."""
    values: dict[str, Any] = {}
    for key, value in node.pairs():
        position = (key.start_mark.line + offset + 1, key.start_mark.column + 1)
        if not isinstance(key, Scalar):
            problems.append(("a key that is a list or mapping, not a name", position))
        elif key.value in values:
            problems.append((f"{key.value!r} is given twice", position))
        else:
            values[key.value] = _value(value, offset, problems, depth + 1)
    return values


def _node_place(
    root: Node,
    offset: int,
    steps: SequenceOf[Step],
    *,
    key: bool,
) -> LineColumn:
    """Return the position of a value; if it does not exist, that of its closest existing parent."""
    node, shown = root, root
    for step in steps:
        field_ = entry(node, step)
        if field_ is None:
            break
        key_node, node = field_
        shown = key_node or node
    is_written = isinstance(node, Scalar) and node.start_mark.index < node.end_mark.index
    if is_written and not key:
        shown = node
    return shown.start_mark.line + offset + 1, shown.start_mark.column + 1
