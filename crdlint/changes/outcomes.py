"""What a rule can evaluate to on objects without certain fields, found without evaluating it on any object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from crdlint.cel.ast import Call, Comprehension, Ident, Literal, Select
from crdlint.changes.conjunction import ITEM, FieldPath

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr

TRUE: Final = 1
FALSE: Final = 2
ERROR: Final = 4
_VALUE: Final = TRUE | FALSE
_ANYTHING: Final = TRUE | FALSE | ERROR
_DEEPEST: Final = 80  # nodes from the root; deeper ones may evaluate to anything


@dataclass(frozen=True, slots=True)
class Fields:
    """What is known of the objects: ``is_absent`` fields, and whether a path leads to a list."""

    is_absent: Callable[[FieldPath], bool]
    is_list: Callable[[FieldPath], bool]


_Variables: TypeAlias = "Mapping[str, FieldPath | int]"


def outcomes(tree: Expr, fields: Fields) -> int:
    """Return the possible results of a rule as bits, TRUE, FALSE and ERROR; some of them may be impossible."""
    return _outcomes(tree, fields, {"self": ()}, 0)


def field_path(node: Expr, variables: _Variables) -> FieldPath | None:
    """Return the path of a value that only fields lead to from a variable, None for any other value."""
    steps: list[str] = []
    while isinstance(node, Select):
        steps.append(node.field)
        node = node.operand
    base = variables.get(node.name) if isinstance(node, Ident) else None
    return (*base, *reversed(steps)) if isinstance(base, tuple) else None


def _outcomes(node: Expr, fields: Fields, variables: _Variables, depth: int) -> int:
    if depth > _DEEPEST:
        return _ANYTHING
    if isinstance(node, Literal):
        return (TRUE if node.value else FALSE) if isinstance(node.value, bool) else _VALUE
    if isinstance(node, Ident):
        known = variables.get(node.name)
        return known if isinstance(known, int) else _VALUE
    if isinstance(node, Select):
        return _of_select(node, fields, variables, depth)
    if isinstance(node, Comprehension):
        return _of_comprehension(node, fields, variables, depth)
    if not isinstance(node, Call):
        return _ANYTHING
    operands = node.args if node.target is None else [node.target, *node.args]
    results = [_outcomes(one, fields, variables, depth + 1) for one in operands]
    if node.function == "_&&_":
        return _either(results[0], results[1], decisive=FALSE)
    if node.function == "_||_":
        return _either(results[0], results[1], decisive=TRUE)
    if node.function == "!_":
        return _negated(results[0])
    if node.function == "_?_:_":
        condition, first, second = results
        return (first if condition & TRUE else 0) | (second if condition & FALSE else 0) | (condition & ERROR)
    return ERROR if ERROR in results else _ANYTHING


def _of_select(node: Select, fields: Fields, variables: _Variables, depth: int) -> int:
    path = field_path(node, variables)
    if path is None:
        below = _outcomes(node.operand, fields, variables, depth + 1)
        return ERROR if below == ERROR else _ANYTHING
    absent = next((i for i in range(1, len(path) + 1) if fields.is_absent(path[:i])), None)
    if absent is None:
        return _VALUE if node.test_only and len(path) == 1 else _ANYTHING
    return FALSE if node.test_only and absent == len(path) else ERROR


def _either(first: int, second: int, *, decisive: int) -> int:
    """Return the results of `&&` (FALSE is decisive) or `||` (TRUE is): an error counts only if neither side decides."""
    other = _VALUE & ~decisive
    found = (first | second) & decisive
    if first & other and second & other:
        found |= other
    if (first & ERROR and second & ~decisive) or (second & ERROR and first & ~decisive):
        found |= ERROR
    return found


def _negated(result: int) -> int:
    return (FALSE if result & TRUE else 0) | (TRUE if result & FALSE else 0) | (result & ERROR)


def _of_comprehension(node: Comprehension, fields: Fields, variables: _Variables, depth: int) -> int:
    """Return the results of a fold over any number of items."""
    if _outcomes(node.iter_range, fields, variables, depth + 1) == ERROR:
        return ERROR
    inner = dict(variables)
    path = field_path(node.iter_range, variables)
    is_list = path is not None and fields.is_list(path) and not node.iter_var2
    inner[node.iter_var] = (*path, ITEM) if path is not None and is_list else _VALUE
    if node.iter_var2:
        inner[node.iter_var2] = _VALUE
    accumulated = _outcomes(node.accu_init, fields, variables, depth + 1)
    while True:
        inner[node.accu_var] = accumulated
        after = accumulated | _outcomes(node.loop_step, fields, inner, depth + 1)
        if after == accumulated:
            break
        accumulated = after
    # Only `self` and its items are certain to have a list.
    may_fail = path is None or any(step != ITEM for step in path)
    return _outcomes(node.result, fields, inner, depth + 1) | (ERROR if may_fail else 0)
