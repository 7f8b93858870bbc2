"""Parsing of a .crdlint.yaml with positions. Of plain scalars only true, false and null are no text: `1.30` and `off` are."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from typing import Any, Final

from crdlint.config.model import BrokenError, ConfigSource, LineColumn, Step
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, entry
from crdlint.yaml.parse import parse_stream

# A configuration has no deeper collections, so the content of these does not matter.
_DEPTH: Final = 4
# The error for a pattern such as *-invalid, which is an alias in YAML.
_STARS: Final = ("expected alphabetic or numeric character", "unknown anchor")
_WORDS: Final = {"": None, "~": None, "null": None, "true": True, "false": False}


def read_yaml(text: str) -> ConfigSource:
    """Parse the only document of a text; raise BrokenError if it is not YAML."""
    documents = parse_stream(text)
    for document in documents:
        if document.error is not None:
            position = (document.error.line + 1, document.error.column + 1)
            message = document.error.message
            is_star = any(sign in message for sign in _STARS)
            raise BrokenError(
                f"{message}: put what begins with * in quotes" if is_star else message, position
            )
    roots = [(each.root, each.line_offset) for each in documents if each.root is not None]
    if not roots:
        return ConfigSource(None, lambda _steps, _key: (1, 1))
    (root, offset), *others = roots
    problems: list[tuple[str, LineColumn]] = [
        ("a second document: a configuration is one", (line + 1, 1)) for _, line in others[:1]
    ]
    values = _value(root, offset, problems, 0)
    return ConfigSource(
        values, lambda steps, key: _node_place(root, offset, steps, key=key), tuple(problems)
    )


def _value(node: Node, offset: int, problems: list[tuple[str, LineColumn]], depth: int) -> Any:
    if isinstance(node, Scalar):
        return node.value if node.style else _WORDS.get(node.value.lower(), node.value)
    if depth == _DEPTH:
        return {} if isinstance(node, Mapping) else []
    if isinstance(node, Sequence):
        return [_value(item, offset, problems, depth + 1) for item in node.items]
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


def _node_place(root: Node, offset: int, steps: SequenceOf[Step], *, key: bool) -> LineColumn:
    """Return the position of a value; if it does not exist, that of its closest existing parent."""
    node, shown = root, root
    for step in steps:
        field_ = entry(node, step)
        if field_ is None:
            break
        key_node, node = field_
        shown = key_node or node
    if isinstance(node, Scalar) and not key and node.start_mark.index < node.end_mark.index:
        shown = node
    return shown.start_mark.line + offset + 1, shown.start_mark.column + 1
