"""The text of a .crdlint.yaml to values with places.

A plain scalar is true, false, null or else the text that stands there: ``kube-version: 1.30`` is no number, and
``off`` no boolean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.config.model import BrokenError, Source
from crdlint.yaml.nodes import Mapping, Scalar, Sequence, entry
from crdlint.yaml.parse import parse_stream

if TYPE_CHECKING:
    from collections.abc import Sequence as SequenceOf

    from crdlint.config.model import LineColumn, Step
    from crdlint.yaml.nodes import Node

# Deeper collections are none that a configuration has: what is in them does not matter.
_DEPTH: Final = 3
# What YAML says of a pattern such as *-invalid, which it takes for an alias.
_STARS: Final = ("expected alphabetic or numeric character", "unknown anchor")
_WORDS: Final = {"": None, "~": None, "null": None, "true": True, "false": False}


def read_yaml(text: str) -> Source:
    """Read the one document of a text; raises BrokenError where it is no YAML."""
    documents = parse_stream(text).documents
    for document in documents:
        if document.error is not None:
            at = (document.error.line + 1, document.error.column + 1)
            message = document.error.message
            is_star = any(sign in message for sign in _STARS)
            raise BrokenError(f"{message}: put what begins with * in quotes" if is_star else message, at)
    given = [document for document in documents if document.root is not None]
    said: list[tuple[str, LineColumn]] = []
    if len(given) > 1:
        said.append(("a second document: a configuration is one", (given[1].line_offset + 1, 1)))
    root = given[0].root if given else None
    offset = given[0].line_offset if given else 0
    values = _value(root, offset, said, 0) if root is not None else None
    return Source(values, lambda steps, key: _place(root, offset, steps, key=key), tuple(said))


def _value(node: Node, offset: int, said: list[tuple[str, LineColumn]], depth: int) -> Any:
    """Return a node's value; keys that are none or stand twice are told in ``said``."""
    if isinstance(node, Scalar):
        return node.value if node.style else _WORDS.get(node.value.lower(), node.value)
    if depth == _DEPTH:
        return {} if isinstance(node, Mapping) else []
    if isinstance(node, Sequence):
        return [_value(item, offset, said, depth + 1) for item in node.items]
    found: dict[str, Any] = {}
    for key, value in node.pairs():
        at = (key.start_mark.line + offset + 1, key.start_mark.column + 1)
        if not isinstance(key, Scalar):
            said.append(("a key that is a list or mapping, not a name", at))
        elif key.value in found:
            said.append((f"{key.value!r} is given twice", at))
        else:
            found[key.value] = _value(value, offset, said, depth + 1)
    return found


def _place(root: Node | None, offset: int, steps: SequenceOf[Step], *, key: bool) -> LineColumn:
    """Return where steps lead; of what is not there, where the deepest part that is does."""
    node, shown = root, root
    for step in steps:
        found = entry(node, step)
        if found is None:
            break
        key_node, node = found
        shown = key_node or node
    if isinstance(node, Scalar) and not key and node.start_mark.index < node.end_mark.index:
        shown = node
    return (shown.start_mark.line + offset + 1, shown.start_mark.column + 1) if shown is not None else (1, 1)
