"""JSON as nodes, and as the events of a YAML parser for what JSON allows and libyaml rejects.

kubectl reads a text that begins with a brace as JSON. In it, a key may have more than 1,024 characters, and two escaped
surrogates are one character.
"""

from __future__ import annotations

from collections.abc import Iterator
from json import loads
from typing import Any, Final

from ruamel.yaml.events import (
    MappingEndEvent,
    MappingStartEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from crdlint.golang.printing import marshal
from crdlint.light import regex
from crdlint.yaml.edit import line_and_column, line_starts
from crdlint.yaml.nodes import Mapping, Mark, Node, Scalar, Sequence

_TOKEN: Final = regex(r'"(?:[^"\\]|\\.)*"|[\[\]{}]|[^\s"\[\]{},:]+')
_STARTS: Final = {"{": MappingStartEvent, "[": SequenceStartEvent}
_ENDS: Final = {"}": MappingEndEvent, "]": SequenceEndEvent}
_SURROGATE: Final = regex("[\ud800-\udfff]")
_OBJECT: Final = MappingStartEvent(
    None,
    None,
    implicit=True,
    flow_style=True,
)
_ARRAY: Final = SequenceStartEvent(
    None,
    None,
    implicit=True,
    flow_style=True,
)


def is_json(text: str) -> bool:
    """Return whether a text is a JSON object that kubectl reads as such."""
    if not text.lstrip().startswith("{"):
        return False
    try:
        loads(
            text,
            parse_int=len,
            parse_float=len,
            parse_constant=_reject,
        )
    except (ValueError, RecursionError):
        return False
    return True


def _reject(constant: str) -> None:
    raise ValueError(constant)


def events(text: str) -> Iterator[Any]:
    """Yield the events of a text that is JSON."""
    starts = line_starts(text)

    def mark(index: int) -> Mark:
        line, column = line_and_column(starts, index)
        return Mark(index, line, column, line)

    for match in _TOKEN.finditer(text):
        token = match[0]
        marks = mark(match.start()), mark(match.end())
        if token in _STARTS:
            yield _STARTS[token](None, None, True, *marks, flow_style=True)
        elif token in _ENDS:
            yield _ENDS[token](*marks)
        elif token.startswith('"'):
            yield Scalar(
                None,
                None,
                (False, True),
                _unescaped(token),
                *marks,
                style='"',
            )
        else:
            yield Scalar(None, None, (True, False), token, *marks, style="")


def _unescaped(literal: str) -> str:
    text: str = loads(literal)
    if _SURROGATE.search(text):  # lone ones: Go replaces them
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def json_node(value: Any) -> Node:
    """Return the node of a JSON value with sorted keys, as encoding/json prints it; the nodes have no marks.

    Parsing a printed text instead would apply limits that JSON does not have, such as 1,024 characters for a key.
    """
    top: list[Node] = []
    # Values, and the lists of items that they are appended to.
    pending: list[tuple[Any, list[Node]]] = [(value, top)]
    while pending:
        item, items = pending.pop()
        if not isinstance(item, (dict, list)):
            items.append(_scalar(item))
            continue
        node: Mapping | Sequence
        if isinstance(item, dict):
            names = sorted(item)
            node = Mapping(_OBJECT, tuple(map(_text, names)))
            node.json = True
            inner = [part for name in names for part in (name, item[name])]
        else:
            node = Sequence(_ARRAY)
            inner = item
        items.append(node)
        pending.extend((part, node.items) for part in reversed(inner))
    return top[0]


def _scalar(value: Any) -> Node:
    if isinstance(value, str):
        return Scalar(None, None, (False, True), _text(value), style='"')
    return Scalar(None, None, (True, False), marshal(value), style="")


def _text(value: str) -> str:
    # In Go, a lone surrogate is three invalid bytes, each of which becomes a replacement character.
    return _SURROGATE.sub("\ufffd" * 3, value)
