"""Expansion of macros, with node ids in the order of cel-go. Upstream: parser/macro.go, ext/comprehensions.go."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, cast

from crdlint.cel import ast
from crdlint.cel.ast import Expr
from crdlint.cel.errors import Code, Problem

Part: TypeAlias = Expr | ast.MapEntry | ast.StructField

ACCU = "@result"
_OLD_ACCU = "__result__"
# cel-go has no such limit, only memory; without copies even the longest expression has fewer nodes.
_MAX_NODES = 250_000


class NodeIds(Protocol):
    """Creates the ids of nodes; `offsets` contains the source range of each."""

    offsets: dict[int, tuple[int, int]]

    def new_id(self, span: tuple[int, int]) -> int:
        """Return the id of a new node with the source range `span`."""


class ExpansionError(Exception):
    """Macros make the expression too long: each `optMap` copies its target twice."""


class MacroError(Exception):
    """The arguments of a macro are invalid; `expr_id` is the node that the message refers to.

    If `at_argument` is false, cel-go before 0.17 places the message at the call (`locates_macro_arguments`).
    """

    def __init__(self, expr_id: int, message: str, code: Code = Code.OTHER, *, at_argument: bool = True) -> None:
        super().__init__(message)
        self.at_argument = at_argument
        self.expr_id = expr_id
        self.problem = Problem(message, code)


class Helper:
    """Creates nodes at the source range of the macro call. Upstream: parser.exprHelper."""

    __slots__ = ("accu", "builder", "span")

    def __init__(self, builder: NodeIds, call_id: int, *, hides_accumulator: bool) -> None:
        self.builder = builder
        self.accu = ACCU if hides_accumulator else _OLD_ACCU
        start = builder.offsets[call_id][0]
        self.span = (start, start)

    def new_id(self) -> int:
        """Return the next id, with the source range of the macro call."""
        return self.builder.new_id(self.span)

    def literal(self, value: ast.Value) -> Expr:
        """Return a literal."""
        return ast.Literal(self.new_id(), value)

    def ident(self, name: str | None = None) -> Expr:
        """Return an identifier, by default the accumulator."""
        return ast.Ident(self.new_id(), self.accu if name is None else name)

    def call(self, function: str, *args: Expr) -> Expr:
        """Return a call of a global function."""
        return ast.Call(self.new_id(), function, None, list(args))

    def member(self, function: str, target: Expr) -> Expr:
        """Return a member call without arguments."""
        return ast.Call(self.new_id(), function, target, [])

    def list(self, *elements: Expr) -> Expr:
        """Return a list."""
        return ast.ListExpr(self.new_id(), list(elements), [])

    def fold(self, target: Expr, names: tuple[str, str], init: Expr, condition: Expr, step: Expr, result: Expr) -> Expr:
        """Return a comprehension with the hidden accumulator."""
        return ast.Comprehension(self.new_id(), target, names[0], names[1], self.accu, init, condition, step, result)

    def copy(self, root: Expr) -> Expr:
        """Return a copy of an expression with new ids. Upstream: exprHelper.Copy."""
        parts: list[tuple[Part, int]] = []
        pending: list[Part] = [root]
        while pending:
            part = pending.pop()
            parts.append((part, self._copied_id(part)))
            for name in reversed(_PARTS[type(part)]):
                value = getattr(part, name)
                pending += reversed(value) if isinstance(value, list) else (() if value is None else (value,))
        copies: dict[int, Part] = {}
        for part, new_id in reversed(parts):
            inner = {name: _copied(getattr(part, name), copies) for name in _PARTS[type(part)]}
            copies[id(part)] = dataclasses.replace(part, id=new_id, **inner)
        return cast("Expr", copies[id(root)])

    def _copied_id(self, part: Part) -> int:
        if isinstance(part, ast.MapEntry | ast.StructField):
            return self.new_id()
        new_id = self.builder.new_id(self.builder.offsets.get(part.id, (0, 0)))
        if new_id > _MAX_NODES:
            text = f"expression expands to more than {_MAX_NODES} nodes"
            raise ExpansionError(text)
        return new_id


# The attributes of a node that are copied, in the order in which cel-go assigns new ids.
_PARTS: dict[type, tuple[str, ...]] = {
    ast.Unspecified: (),
    ast.Literal: (),
    ast.Ident: (),
    ast.Select: ("operand",),
    ast.Call: ("args", "target"),
    ast.ListExpr: ("elements",),
    ast.MapExpr: ("entries",),
    ast.MapEntry: ("key", "value"),
    ast.StructExpr: ("fields",),
    ast.StructField: ("value",),
    ast.Comprehension: ("iter_range", "accu_init", "loop_condition", "loop_step", "result"),
}


def _copied(value: Part | list[Part] | None, copies: dict[int, Part]) -> Any:
    if isinstance(value, list):
        return [copies[id(part)] for part in value]
    return None if value is None else copies[id(value)]


Args: TypeAlias = "list[Expr]"
Expander: TypeAlias = "Callable[[Helper, Expr, Args], Expr]"


def _variable(arg: Expr, message: str, *, at_argument: bool = True) -> str:
    if not isinstance(arg, ast.Ident):
        raise MacroError(arg.id, message, Code.NOT_A_VARIABLE, at_argument=at_argument)
    return arg.name


def _loop_variable(helper: Helper, arg: Expr, message: str, *, at_argument: bool = True) -> tuple[str, str]:
    name = _variable(arg, message, at_argument=at_argument)
    if name in (ACCU, _OLD_ACCU) and helper.accu == ACCU:
        raise MacroError(arg.id, "iteration variable overwrites accumulator variable")
    return name, ""


def _simple_name(helper: Helper, arg: Expr) -> tuple[str, str]:
    return _loop_variable(helper, arg, "argument must be a simple name")


def _two_names(helper: Helper, args: Args) -> tuple[str, str]:
    first, second = (_variable(arg, "argument must be a simple name") for arg in args[:2])
    if first == second:
        raise MacroError(args[1].id, f"duplicate variable name: {first}")
    for arg in args[:2]:
        _simple_name(helper, arg)
    return first, second


def _has(helper: Helper, _target: Expr | None, args: Args) -> Expr:
    if not isinstance(args[0], ast.Select):
        raise MacroError(args[0].id, "invalid argument to has() macro", at_argument=False)
    return ast.Select(helper.new_id(), args[0].operand, args[0].field, test_only=True)


def _fold_all(h: Helper, target: Expr, names: tuple[str, str], predicate: Expr) -> Expr:
    init = h.literal(True)
    condition = h.call("@not_strictly_false", h.ident())
    return h.fold(target, names, init, condition, h.call("_&&_", h.ident(), predicate), h.ident())


def _fold_exists(h: Helper, target: Expr, names: tuple[str, str], predicate: Expr) -> Expr:
    init = h.literal(False)
    condition = h.call("@not_strictly_false", h.call("!_", h.ident()))
    return h.fold(target, names, init, condition, h.call("_||_", h.ident(), predicate), h.ident())


def _fold_exists_one(h: Helper, target: Expr, names: tuple[str, str], predicate: Expr) -> Expr:
    init, condition = h.literal(0), h.literal(True)
    step = h.call("_?_:_", predicate, h.call("_+_", h.ident(), h.literal(1)), h.ident())
    return h.fold(target, names, init, condition, step, h.call("_==_", h.ident(), h.literal(1)))


def _one_variable(fold: Callable[[Helper, Expr, tuple[str, str], Expr], Expr]) -> Expander:
    return lambda helper, target, args: fold(helper, target, _simple_name(helper, args[0]), args[1])


def _two_variables(fold: Callable[[Helper, Expr, tuple[str, str], Expr], Expr]) -> Expander:
    return lambda helper, target, args: fold(helper, target, _two_names(helper, args), args[2])


def _map(h: Helper, target: Expr, args: Args) -> Expr:
    names = _loop_variable(h, args[0], "argument is not an identifier", at_argument=False)
    init, condition = h.list(), h.literal(True)
    step = h.call("_+_", h.ident(), h.list(args[-1]))
    if len(args) == 3:
        step = h.call("_?_:_", args[1], step, h.ident())
    return h.fold(target, names, init, condition, step, h.ident())


def _filtered(h: Helper, args: Args, step: Expr) -> Expr:
    return h.call("_?_:_", args[2], step, h.ident()) if len(args) == 4 else step


def _transform_list(h: Helper, target: Expr, args: Args) -> Expr:
    names = _two_names(h, args)
    step = _filtered(h, args, h.call("_+_", h.ident(), h.list(args[-1])))
    return h.fold(target, names, h.list(), h.literal(True), step, h.ident())


def _transform_map(h: Helper, target: Expr, args: Args) -> Expr:
    names = _two_names(h, args)
    step = _filtered(h, args, h.call("cel.@mapInsert", h.ident(), h.ident(names[0]), args[-1]))
    return h.fold(target, names, ast.MapExpr(h.new_id(), []), h.literal(True), step, h.ident())


def _transform_map_entry(h: Helper, target: Expr, args: Args) -> Expr:
    names = _two_names(h, args)
    step = _filtered(h, args, h.call("cel.@mapInsert", h.ident(), args[-1]))
    return h.fold(target, names, ast.MapExpr(h.new_id(), []), h.literal(True), step, h.ident())


def _bind_value(h: Helper, target: Expr, name: str, body: Expr) -> Expr:
    iter_range = h.list()
    init = h.member("value", h.copy(target))
    condition, step = h.literal(False), h.ident(name)
    return ast.Comprehension(h.new_id(), iter_range, "#unused", "", name, init, condition, step, body)


def _optional_map(function: str, *, wraps: bool) -> Expander:
    def expand(h: Helper, target: Expr, args: Args) -> Expr:
        name = _variable(args[0], f"{function}() variable name must be a simple identifier")
        test = h.member("hasValue", target)
        mapped = _bind_value(h, target, name, args[1])
        return h.call("_?_:_", test, h.call("optional.of", mapped) if wraps else mapped, h.call("optional.none"))

    return expand


_SORT_INPUT = "@__sortBy_input__"
_SORTABLE = (ast.ListExpr, ast.Select, ast.Ident, ast.Comprehension, ast.Call)


def _sort_by(h: Helper, target: Expr, args: Args) -> Expr:
    values = h.ident(_SORT_INPUT)
    if not isinstance(target, _SORTABLE):
        text = "sortBy can only be applied to a list, identifier, comprehension, call or select expression"
        raise MacroError(target.id, text)
    keys = _map(h, h.copy(values), args)
    on = h.copy(values)
    sort = ast.Call(h.new_id(), "@sortByAssociatedKeys", on, [keys])
    iter_range, condition = h.list(), h.literal(False)
    return ast.Comprehension(h.new_id(), iter_range, "#unused", "", _SORT_INPUT, target, condition, values, sort)


MacroKey: TypeAlias = "tuple[str, int, bool]"

STANDARD_MACROS: dict[MacroKey, Callable[..., Expr]] = {
    ("has", 1, False): _has,
    ("all", 2, True): _one_variable(_fold_all),
    ("exists", 2, True): _one_variable(_fold_exists),
    ("exists_one", 2, True): _one_variable(_fold_exists_one),
    ("map", 2, True): _map,
    ("map", 3, True): _map,
    ("filter", 2, True): lambda helper, target, args: _map(helper, target, [*args, args[0]]),
}
"""Macros by (function, number of arguments, whether called on a target)."""

EXISTS_ONE_MACROS: dict[MacroKey, Callable[..., Expr]] = {("existsOne", 2, True): _one_variable(_fold_exists_one)}

TWO_VARIABLE_MACROS: dict[MacroKey, Callable[..., Expr]] = {
    ("all", 3, True): _two_variables(_fold_all),
    ("exists", 3, True): _two_variables(_fold_exists),
    ("exists_one", 3, True): _two_variables(_fold_exists_one),
    ("existsOne", 3, True): _two_variables(_fold_exists_one),
    **dict.fromkeys((("transformList", 3, True), ("transformList", 4, True)), _transform_list),
    **dict.fromkeys((("transformMap", 3, True), ("transformMap", 4, True)), _transform_map),
    **dict.fromkeys((("transformMapEntry", 3, True), ("transformMapEntry", 4, True)), _transform_map_entry),
}

OPTIONAL_MACROS: dict[MacroKey, Callable[..., Expr]] = {
    ("optMap", 2, True): _optional_map("optMap", wraps=True),
    ("optFlatMap", 2, True): _optional_map("optFlatMap", wraps=False),
}
SORT_BY_MACROS: dict[MacroKey, Callable[..., Expr]] = {("sortBy", 2, True): _sort_by}

ALL_MACROS = {**STANDARD_MACROS, **EXISTS_ONE_MACROS, **TWO_VARIABLE_MACROS, **OPTIONAL_MACROS}
