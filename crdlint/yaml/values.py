"""Nodes as JSON values (temporary, until the loader lands)."""

from __future__ import annotations

from typing import Any

from crdlint.yaml.nodes import Mapping, Scalar
from crdlint.yaml.resolve import resolve


def _key(node: Any) -> str:
    value = resolve(node)
    return str(value).lower() if isinstance(value, bool) else str(value)


def entries(mapping: Mapping) -> list[tuple[str, Any, Any]]:
    items = mapping.items
    if mapping.simple:
        return [(k.value, k, v) for k, v in zip(items[::2], items[1::2])]
    out: dict[str, tuple[str, Any, Any]] = {}
    for k, v in zip(items[::2], items[1::2]):
        if k.value == "<<":
            for e in entries(v):
                out.setdefault(e[0], e)
        else:
            out[_key(k)] = (_key(k), k, v)
    return list(out.values())


def to_json(node: Any) -> Any:
    if node.__class__ is Scalar:
        return resolve(node)
    if node.__class__ is Mapping:
        return {k: to_json(v) for k, _, v in entries(node)}
    return [to_json(i) for i in node.items]


def duplicate_keys(root: Any) -> list[tuple[str, Any]]:
    found = []
    stack = [root]
    while stack:
        node = stack.pop()
        if node.__class__ is Scalar:
            continue
        if node.__class__ is Mapping:
            seen = set()
            for k, v in node.pairs():
                name = _key(k)
                if name in seen:
                    found.append((f'line {v.start_mark.line + 1}: key "{name}" already set in map', k))
                seen.add(name)
        stack.extend(node.items)
    return found
