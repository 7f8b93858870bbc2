"""Detection of optional fields that an expression selects without checking that they exist.

At run time, selecting an absent field is an error (`no such key`), and the server rejects an object whose rule fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Call, Comprehension, Ident, Literal, Select, children
from crdlint.cel.types import Kind

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr
    from crdlint.crd.model import JSONSchemaProps
    from crdlint.kubecel.compilation import Expression

_NOTHING: Final[frozenset[str]] = frozenset()
# Deeper conditions are ignored.
_MAX_DEPTH: Final = 100


@dataclass(frozen=True, slots=True)
class Unguarded:
    """A selected field as written (`self.spec.replicas`), its node, and the schema in which it is optional."""

    path: str
    field: str
    node: Select
    schema: JSONSchemaProps


def unguarded(expression: Expression) -> list[Unguarded]:
    """Return each optional field that a checked expression selects without a guard, at its first occurrence."""
    fields: dict[str, Unguarded] = {}
    stack: list[tuple[Expr, frozenset[str]]] = [(expression.compiled.expr, _NOTHING)]
    namespaced = expression.compiled.result.namespaced
    while stack:
        node, present = stack.pop()
        if isinstance(node, Select):
            path = _path(node)
            if path is not None and not node.test_only and path not in present:
                schema = _optional(expression, node)
                if schema is not None:
                    fields.setdefault(path, Unguarded(path, node.field, node, schema))
            stack.append((node.operand, present))
        elif isinstance(node, Call):
            args = _with_guards(node, present)
            if node.target is not None and node.id not in namespaced:
                args.append((node.target, present))
            stack.extend(reversed(args))
        elif isinstance(node, Comprehension):
            stack.append((node.result, present))
            stack.append((node.loop_step, present))
            stack.append((node.accu_init, present))
            stack.append((node.iter_range, present))
        else:
            stack.extend((child, present) for child in reversed(children(node)))
    return list(fields.values())


def _with_guards(call: Call, present: frozenset[str]) -> list[tuple[Expr, frozenset[str]]]:
    """Return the arguments of a call, each with the paths that exist whenever it is evaluated.

    An error on one side of && or || is ignored if the other side decides, regardless of the order.
    """
    args = call.args
    if call.function in _LOGICAL and len(args) == 2:
        truth = _LOGICAL[call.function]
        return [(arg, present | _known(other, truth=truth)) for arg, other in zip(args, reversed(args), strict=True)]
    if call.function == "_?_:_" and len(args) == 3:
        condition = args[0]
        return [
            (condition, present),
            (args[1], present | _known(condition, truth=True)),
            (args[2], present | _known(condition, truth=False)),
        ]
    return [(arg, present) for arg in args]


# The value of the other side for which this side is decisive.
_LOGICAL: Final = {"_&&_": True, "_||_": False}


def _known(node: Expr, *, truth: bool, depth: int = 0) -> frozenset[str]:
    """Return the paths that exist if a condition has the value `truth`."""
    if isinstance(node, Select):
        return frozenset(_prefixes(node)) if node.test_only and truth else _NOTHING
    if not isinstance(node, Call) or depth > _MAX_DEPTH:
        return _NOTHING
    if node.function == "!_":
        return _known(node.args[0], truth=not truth, depth=depth + 1)
    if node.function in _LOGICAL and len(node.args) == 2:
        first, second = (_known(arg, truth=truth, depth=depth + 1) for arg in node.args)
        return first | second if _LOGICAL[node.function] is truth else first & second
    return _NOTHING


def _prefixes(node: Select) -> list[str]:
    path, prefixes = _path(node), []
    current: Expr = node
    while path is not None and isinstance(current, Select):
        prefixes.append(path)
        current = current.operand
        path = _path(current)
    return prefixes


def _path(node: Expr) -> str | None:
    """Return a chain of fields and constant indexes as written, or None for other expressions."""
    parts: list[str] = []
    while True:
        if isinstance(node, Select):
            parts.append(f".{node.field}")
            node = node.operand
        elif isinstance(node, Call) and node.function == "_[_]" and isinstance(node.args[1], Literal):
            parts.append(f"[{node.args[1].value!r}]")
            node = node.args[0]
        elif isinstance(node, Ident):
            parts.append(node.name)
            return "".join(reversed(parts))
        else:
            return None


def _optional(expression: Expression, node: Select) -> JSONSchemaProps | None:
    """Return the schema of a field that a valid object may omit, or None for other fields."""
    type_ = expression.compiled.result.type_map.get(node.operand.id)
    if type_ is None or type_.kind is not Kind.STRUCT:
        return None
    field = expression.declarations.member(type_, node.field)
    if field is None or field.required or field.schema is None or field.schema.default is not None:
        return None
    return field.schema
