"""Whether a program can be made of a checked expression (cel-go's planner with OptOptimize, interpreter/decorators.go).

Making one evaluates conversions of constants and compiles constant regular expressions; an error there refuses the
expression. Only that is done here: an evaluator plans for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.cel import ast
from crdlint.cel.decls import Variable
from crdlint.cel.eval.errors import FunctionError
from crdlint.cel.types import DYN, TYPE, Kind, Type, map_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.cel.compiler import Compiled
    from crdlint.cel.env import Env

_CONVERSIONS: Final = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"}
)
_INDEXES: Final = ("_[_]", "_[?_]")
_KEYS: Final = (bool, int, ast.Uint, float, str)


class _Variable:
    """Stands for what is known at run time only."""


_VARIABLE: Final = _Variable()


def instantiation_error(compiled: Compiled, env: Env, regex_functions: Iterable[str]) -> str | None:
    """Return why no program can be made of an expression without errors, None where one can.

    ``regex_functions`` take a regular expression as their second argument, the target counted.
    """
    functions = frozenset(regex_functions)
    if not _is_suspect(compiled, functions):
        return None
    constants: dict[int, Any] = {}
    try:
        for node in _planned(compiled):
            constants[node.id] = _constant(node, compiled, env, constants, functions)
    except FunctionError as error:
        return str(error)
    return None


def _is_suspect(compiled: Compiled, functions: frozenset[str]) -> bool:
    """Whether anything is done that could fail: most expressions convert nothing and name no types."""
    names = _CONVERSIONS | functions
    stack = [compiled.expr]
    result = compiled.result
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Call) and (_function(node, compiled) in names or _has_odd_index(node)):
            return True
        if node.id in result.reference_map and _is_type(node, compiled):
            return True
        stack.extend(_parts(node, compiled))
    return False


def _has_odd_index(node: ast.Call) -> bool:
    if node.function not in _INDEXES:
        return False
    index = node.args[1]
    return isinstance(index, (ast.ListExpr, ast.MapExpr)) or (
        isinstance(index, ast.Literal) and type(index.value) not in _KEYS
    )


def _parts(node: ast.Expr, compiled: Compiled) -> list[ast.Expr]:
    """Return what is planned below a node, in the planner's order."""
    result = compiled.result
    if isinstance(node, ast.Call):
        if node.target is None or node.id in result.namespaced:
            return node.args
        return [node.target, *node.args]
    if isinstance(node, ast.Select):
        return [] if node.id in result.reference_map else [node.operand]
    if isinstance(node, ast.ListExpr):
        return node.elements
    if isinstance(node, ast.MapExpr):
        return [part for entry in node.entries for part in (entry.key, entry.value)]
    if isinstance(node, ast.StructExpr):
        return [entry.value for entry in node.fields]
    if isinstance(node, ast.Comprehension):
        return [node.accu_init, node.iter_range, node.loop_condition, node.loop_step, node.result]
    return []


def _planned(compiled: Compiled) -> Iterator[ast.Expr]:
    """Yield the nodes in the order in which they are planned: parts before what they are parts of."""
    stack: list[tuple[ast.Expr, bool]] = [(compiled.expr, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
            continue
        stack.append((node, True))
        stack.extend((part, False) for part in reversed(_parts(node, compiled)))


def _is_type(node: ast.Expr, compiled: Compiled) -> bool:
    if not isinstance(node, (ast.Ident, ast.Select)):
        return False
    type_ = compiled.result.type_map.get(node.id)
    return type_ is not None and type_.kind is Kind.TYPE


def _constant(
    node: ast.Expr, compiled: Compiled, env: Env, constants: dict[int, Any], functions: frozenset[str]
) -> Any:
    """Return the value of a node that is a constant; raises FunctionError where that cannot be had."""
    if isinstance(node, ast.Literal):
        return node.value
    if isinstance(node, (ast.Ident, ast.Select)):
        reference = compiled.result.reference_map.get(node.id)
        if reference is None:
            return _VARIABLE
        if reference.value is not None:
            return reference.value
        if not _is_type(node, compiled):
            return _VARIABLE
        if not env.declares_type(reference.name):
            raise FunctionError(f"reference to undefined type: {reference.name}")
        return env.find_ident(reference.name)
    if isinstance(node, ast.ListExpr):
        values = [constants[element.id] for element in node.elements]
        return _VARIABLE if _VARIABLE in values or node.optional_indices else values
    if isinstance(node, ast.MapExpr):
        parts = [constants[part.id] for entry in node.entries for part in (entry.key, entry.value)]
        return _VARIABLE if _VARIABLE in parts or any(entry.optional for entry in node.entries) else node
    return _call(node, compiled, constants, functions) if isinstance(node, ast.Call) else _VARIABLE


def _call(node: ast.Call, compiled: Compiled, constants: dict[int, Any], functions: frozenset[str]) -> Any:
    args = [constants[part.id] for part in _parts(node, compiled)]
    function = _function(node, compiled)
    if function in functions and len(args) > 1 and isinstance(args[1], str):
        from crdlint.golang.regexp import compile_error

        refused = compile_error(args[1])
        if refused is not None:
            raise FunctionError(refused)
    if function in _CONVERSIONS and len(args) == 1 and args[0] is not _VARIABLE:
        return _converted(function, _overloads(node, compiled), args[0])
    if function in _INDEXES and args[1] is not _VARIABLE and type(args[1]) not in _KEYS:
        raise FunctionError(f"invalid qualifier type: {_go_type(args[1])}")
    if function == "@in" and args[1] == [] and _overloads(node, compiled) == ("in_list",):
        return False
    return _VARIABLE


def _go_type(value: Any) -> str:
    """Return Go's name of the type of a constant, of which types and maps are not held as such here."""
    if isinstance(value, ast.MapExpr):
        return "*types.baseMap"
    if isinstance(value, (Type, Variable)):
        return "*types.Type"
    from crdlint.cel.eval.values import go_type

    return go_type(value)


def _overloads(node: ast.Call, compiled: Compiled) -> tuple[str, ...]:
    reference = compiled.result.reference_map.get(node.id)
    return () if reference is None else reference.overload_ids


def _function(node: ast.Call, compiled: Compiled) -> str:
    return compiled.result.namespaced.get(node.id, node.function)


def _converted(function: str, overloads: tuple[str, ...], value: Any) -> Any:
    from crdlint.cel.eval.values import type_of
    from crdlint.cel.library.conversions import CONVERSIONS
    from crdlint.cel.library.stdlib import FUNCTIONS

    if function == "dyn":
        return value
    if isinstance(value, ast.MapExpr):
        type_ = map_type(DYN, DYN)
    else:
        type_ = TYPE if isinstance(value, (Type, Variable)) else type_of(value)
    if function == "type":
        return type_
    fitting = [row.id for row in FUNCTIONS if row.id in overloads and row.args[0].is_exact(type_)]
    if not fitting:
        raise FunctionError(f"no such overload: {function}({type_.name})")
    convert = CONVERSIONS.get(fitting[0])
    return _VARIABLE if convert is None else convert(value)
