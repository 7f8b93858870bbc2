"""Nodes as the JSON values that the API server sees: string keys, merge keys followed, the last of equal keys.

Follows go-yaml v2's decoder and sigs.k8s.io/yaml's conversion. Nothing here recurses: documents nest deep.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from crdlint.golang.quote import quote
from crdlint.yaml.errors import YAMLDecodeError
from crdlint.yaml.nodes import Mapping, Scalar, Sequence
from crdlint.yaml.resolve import as_json_number, key_text, resolve

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.yaml.nodes import Node

Entry = tuple[str, "Node", "Node"]


def entries(mapping: Mapping) -> list[Entry]:
    """Return (key text, key node, value node) of a mapping's entries; raise YAMLDecodeError for keys that JSON has not."""
    items = mapping.items
    if mapping.simple:
        return [
            (cast("str", key.value), key, value)
            for key, value in zip(cast("list[Any]", items[::2]), items[1::2], strict=True)
        ]
    found: dict[str, Entry] = {}
    for name, key, value in _all_entries(mapping):
        found[name] = (name, key, value)
    return list(found.values())


def _all_entries(mapping: Mapping) -> Iterator[Entry]:
    """Yield the entries in the order in which Go's decoder sets them, those of merged mappings in their place."""
    stack = [mapping.pairs()]
    while stack:
        pair = next(stack[-1], None)
        if pair is None:
            stack.pop()
            continue
        key, value = pair
        if key.__class__ is not Scalar:
            raise YAMLDecodeError(f"yaml: invalid map key: {go_syntax(to_json(key))}", key)
        if is_merge(key):
            stack.extend(m.pairs() for m in _merged(value, key))
            continue
        try:
            yield key_text(key), key, value
        except YAMLDecodeError as error:
            if error.args[0] != "unsupported map key":
                raise
            raise YAMLDecodeError(_unsupported_key(resolve(key), value), key) from None


def is_merge(key: Node) -> bool:
    """Tell whether a key is a plain ``<<``."""
    return key.__class__ is Scalar and key.value == "<<" and (not key.style or key.tag == "tag:yaml.org,2002:merge")


def _merged(value: Node, key: Node) -> list[Mapping]:
    """Return the mappings that a merge key names, the one that counts most first in the stack's order (last)."""
    wanted = [value] if isinstance(value, Mapping) else list(value.items) if isinstance(value, Sequence) else []
    if isinstance(value, Scalar) or not all(isinstance(m, Mapping) for m in wanted):
        raise YAMLDecodeError("yaml: map merge requires map or sequence of maps as the value", key)
    return cast("list[Mapping]", wanted)


def _unsupported_key(value: Any, held: Node) -> str:
    kind, shown = ("%!s(<nil>)", "<nil>") if value is None else ("uint64", f"{value:#x}")
    return f"unsupported map key of type: {kind}, key: {shown}, value: {go_syntax(to_json(held))}"


def go_syntax(value: Any) -> str:
    """Return a decoded value as Go's %#v prints it, maps in the order of their keys."""
    if value is None:
        return "interface {}(nil)"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return "[]interface {}{" + ", ".join(map(go_syntax, value)) + "}"
    if isinstance(value, dict):
        inner = ", ".join(f"{quote(key)}:{go_syntax(value[key])}" for key in sorted(value))
        return "map[interface {}]interface {}{" + inner + "}"
    return str(value)


def to_json(node: Node) -> Any:
    """Return a node's JSON value; raise YAMLDecodeError for what JSON cannot hold."""
    if node.__class__ is Scalar:
        return resolve(node)
    top: list[Any] = [None]
    # What is still to be filled in: a container, its key or index, the node.
    pending: list[tuple[Any, Any, Node]] = [(top, 0, node)]
    while pending:
        container, at, here = pending.pop()
        if here.__class__ is Scalar:
            container[at] = resolve(here)
        elif isinstance(here, Mapping):
            made: Any = {}
            container[at] = made
            found = entries(here)
            made.update(dict.fromkeys(name for name, _, _ in found))
            pending.extend((made, name, value) for name, _, value in reversed(found))
        elif isinstance(here, Sequence):
            made = [None] * len(here.items)
            container[at] = made
            pending.extend((made, i, item) for i, item in reversed(list(enumerate(here.items))))
    return top[0]


def as_json_text(value: Any) -> Any:
    """Return a value as a reader of its JSON text sees it: floats that are printed as integers are integers."""
    top = [value]
    pending: list[Any] = [top]
    while pending:
        container = pending.pop()
        for key, item in list(container.items() if isinstance(container, dict) else enumerate(container)):
            if isinstance(item, float):
                container[key] = as_json_number(item)
            elif isinstance(item, (dict, list)):
                pending.append(item)
    return top[0]


def duplicate_keys(mappings: list[Mapping]) -> list[tuple[str, Node]]:
    """Return the strict decoder's text for each key set twice, with the later key; only mappings not ``simple`` need be given.

    Lines are 1-based within the document, and the value's, as go-yaml counts them.
    """
    found: list[tuple[str, Node]] = []
    for mapping in mappings:
        seen: set[str] = set()
        for name, key, value in _all_entries(mapping):
            if name in seen:
                found.append((f"line {value.start_mark.line + 1}: key {_go_key(key, name)} already set in map", key))
            seen.add(name)
    return found


def _go_key(key: Node, name: str) -> str:
    value = resolve(key) if isinstance(key, Scalar) else name
    return quote(value) if isinstance(value, str) else name
