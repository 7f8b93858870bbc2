"""Paths as users know them: `.spec.ports[].protocol` for a field of the objects, `spec.names.kind` for one of the CRD."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.yaml.nodes import Mapping, Scalar, Sequence, child

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Node

_SCHEMA: Final = ["schema", "openAPIV3Schema"]
_JUNCTORS: Final = frozenset({"allOf", "anyOf", "oneOf", "not"})


class UserPath(NamedTuple):
    """A path as users know it, and the version of the CRD that it belongs to, empty for none."""

    path: str
    version: str = ""


def user_path_in_crd(root: Node, line: int, column: int) -> UserPath:
    """Return the path of a position (1-based lines and columns of the document) in a CRD."""
    steps = _steps_at(root, (line - 1, column - 1))
    if steps[:2] == ["spec", "versions"] and len(steps) > 2:
        name = child(root, *steps[:3], "name")
        version = str(name.value) if isinstance(name, Scalar) else ""
        if steps[3:5] == _SCHEMA:
            return UserPath(_value_path(steps[5:]), version)
        return UserPath(_printed(steps), version)
    if steps[:3] == ["spec", "validation", _SCHEMA[1]]:
        return UserPath(_value_path(steps[3:]))
    return UserPath(_printed(steps))


def user_path_in_object(root: Node, line: int, column: int) -> str:
    """Return the path of a position in a custom resource."""
    return f".{_printed(_steps_at(root, (line - 1, column - 1)))}"


def _steps_at(root: Node, position: tuple[int, int]) -> list[str | int]:
    """Return the keys and indexes that lead to the node at a position (0-based)."""
    steps: list[str | int] = []
    node: Node = root
    while isinstance(node, (Mapping, Sequence)):
        stride = 2 if isinstance(node, Mapping) else 1
        items = node.items
        count = len(items) // stride

        def start(i: int, items: list[Node] = items, stride: int = stride) -> tuple[int, int]:
            mark = items[i * stride].start_mark
            return mark.line, mark.column

        i = bisect_right(range(count), position, key=start) - 1
        if i < 0:
            return steps
        name, value = items[i * stride], items[i * stride + stride - 1]
        end, end_of_name = value.end_mark, name.end_mark
        if position > (end.line, end.column) and position > (end_of_name.line, end_of_name.column):
            return steps
        steps.append(i if stride == 1 else name.value if isinstance(name, Scalar) else "")
        node = value
    return steps


def _value_path(steps: list[str | int]) -> str:
    """Return the path of the values of the schema that `steps` lead to from the root of a schema."""
    path, left = "", list(reversed(steps))
    while left:
        step = left.pop()
        if step == "properties" and left:
            path += f".{left.pop()}"
        elif step == "items":
            path += "[]"
        elif step == "additionalProperties":
            path += ".*"
        elif step not in _JUNCTORS:
            break
        if left and isinstance(left[-1], int):
            left.pop()
    return path or "."


def _printed(steps: list[str | int]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")
