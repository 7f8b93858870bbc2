"""The parts of an object that a rule reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Call, Ident, Literal, Select, children
from crdlint.kubecel.escaping import unescape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.cel.ast import Expr

_OBJECTS: Final = frozenset({"self", "oldSelf"})
_SELECTIONS: Final = frozenset({"_?._", "_[_]", "_[?_]"})


def paths_read(expr: Expr) -> frozenset[tuple[str, ...]]:
    """Return the paths below `self` and `oldSelf` that an expression reads; each path includes everything below it."""
    paths: set[tuple[str, ...]] = set()
    stack = [expr]
    while stack:
        node = stack.pop()
        path = _path(node)
        if path is None:
            stack.extend(children(node))
        else:
            paths.add(path)
    return frozenset(paths)


def is_read(path: Sequence[str | int], paths: frozenset[tuple[str, ...]]) -> bool:
    """Return whether a value at a path below `self` is part of, or contains, one of the paths that are read."""
    return any(all(left == right for left, right in zip(path, known, strict=False)) for known in paths)


def _path(node: Expr) -> tuple[str, ...] | None:
    """Return the names of a chain of fields of an object, or None for other expressions."""
    names: list[str] = []
    while not isinstance(node, Ident):
        if isinstance(node, Select):
            name, node = node.field, node.operand
        elif isinstance(node, Call) and node.function in _SELECTIONS and _is_name(node.args[1]):
            name, node = node.args[1].value, node.args[0]  # type: ignore[union-attr, assignment]
        else:
            return None
        names.append(unescape(name) or name)
    return tuple(reversed(names)) if node.name in _OBJECTS else None


def _is_name(node: Expr) -> bool:
    return isinstance(node, Literal) and isinstance(node.value, str)
