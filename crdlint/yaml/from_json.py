"""JSON values to nodes, for decoders that read nodes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ruamel.yaml.events import MappingStartEvent, SequenceStartEvent

from crdlint.golang.values import marshal
from crdlint.yaml.nodes import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Node

_OBJECT: Final = MappingStartEvent(None, None, implicit=True, flow_style=True)
_ARRAY: Final = SequenceStartEvent(None, None, implicit=True, flow_style=True)
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def json_node(value: Any) -> Node:
    """Return the node of a JSON value with sorted keys, as encoding/json prints it; the nodes have no marks.

    Parsing a printed text instead would apply limits that JSON does not have, such as 1,024 characters for a key.
    """
    top: list[Node] = []
    pending: list[tuple[Any, list[Node]]] = [(value, top)]  # values, and the lists of items that they are appended to
    while pending:
        item, items = pending.pop()
        if not isinstance(item, (dict, list)):
            items.append(_scalar(item))
            continue
        node: Mapping | Sequence
        if isinstance(item, dict):
            names = sorted(item)
            node = Mapping(_OBJECT, tuple(map(_text, names)))
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
