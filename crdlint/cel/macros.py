"""Expansion of macros, with node ids in the order of cel-go. Upstream: parser/macro.go, ext/comprehensions.go."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias, cast

from crdlint.cel import ast
from crdlint.cel.ast import Expr
from crdlint.cel.errors import CodedMessage, ErrorCode

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

    def __init__(
        self,
        expr_id: int,
        message: str,
        code: ErrorCode = ErrorCode.OTHER,
        *,
        at_argument: bool = True,
    ) -> None:
        super().__init__(message)
        self.at_argument = at_argument
        self.expr_id = expr_id
        self.problem = CodedMessage(message, code)


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

    def built(self, shape: Any) -> Expr:
        """Return the expression of a shape, with the ids of operands before that of their call.

        A tuple is a function with its operands, a list or an empty dict a literal of it, a text an identifier, and a bool
        or int a literal; the accumulator is called `ACCU` on all servers. Expressions remain as they are.
        """
        if isinstance(shape, tuple):
            operands = list(map(self.built, shape[1:]))
            return ast.Call(self.new_id(), shape[0], None, operands)
        if isinstance(shape, list):
            elements = list(map(self.built, shape))
            return ast.ListExpr(self.new_id(), elements, [])
        if isinstance(shape, dict):
            return ast.MapExpr(self.new_id(), [])
        if isinstance(shape, str):
            return ast.Ident(self.new_id(), self.accu if shape == ACCU else shape)
        return ast.Literal(self.new_id(), shape) if isinstance(shape, int) else cast("Expr", shape)

    def fold(self, target: Expr, names: tuple[str, str], *shapes: Any) -> Expr:
        """Return a comprehension with the shapes of its start, condition, step and result."""
        parts = list(map(self.built, shapes))
        return ast.Comprehension(
            self.new_id(),
            target,
            *names,
            self.accu,
            *parts,
        )

    def copy(self, root: Expr) -> Expr:
        """Return a copy of an expression with new ids. Upstream: exprHelper.Copy."""
        parts: list[tuple[Part, int]] = []
        pending: list[Part] = [root]
        while pending:
            part = pending.pop()
            parts.append((part, self._copied_id(part)))
            for name in reversed(_PARTS[type(part)]):
                value = getattr(part, name)
                pending += (
                    reversed(value)
                    if isinstance(value, list)
                    else (() if value is None else (value,))
                )
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
            raise ExpansionError(f"expression expands to more than {_MAX_NODES} nodes")
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
        raise MacroError(
            arg.id,
            message,
            ErrorCode.NOT_A_VARIABLE,
            at_argument=at_argument,
        )
    return arg.name


def _loop_variable(
    helper: Helper,
    arg: Expr,
    message: str,
    *,
    at_argument: bool = True,
) -> tuple[str, str]:
    name = _variable(arg, message, at_argument=at_argument)
    if name in (ACCU, _OLD_ACCU) and helper.accu == ACCU:
        raise MacroError(arg.id, "iteration variable overwrites accumulator variable")
    return name, ""


def _one_name(helper: Helper, args: Args) -> tuple[str, str]:
    return _loop_variable(helper, args[0], "argument must be a simple name")


def _two_names(helper: Helper, args: Args) -> tuple[str, str]:
    first, second = (_variable(arg, "argument must be a simple name") for arg in args[:2])
    if first == second:
        raise MacroError(args[1].id, f"duplicate variable name: {first}")
    _one_name(helper, args[:1])
    _one_name(helper, args[1:])
    return first, second


def _has(helper: Helper, _target: Expr | None, args: Args) -> Expr:
    if not isinstance(args[0], ast.Select):
        raise MacroError(args[0].id, "invalid argument to has() macro", at_argument=False)
    return ast.Select(
        helper.new_id(),
        args[0].operand,
        args[0].field,
        test_only=True,
    )


_ONE_MORE = ("_+_", ACCU, 1)
# By macro: the shapes of start, condition, step and result for a predicate.
_FOLDS: dict[str, Callable[[Expr], tuple[Any, ...]]] = {
    "all": lambda predicate: (True, ("@not_strictly_false", ACCU), ("_&&_", ACCU, predicate), ACCU),
    "exists": lambda predicate: (
        False,
        ("@not_strictly_false", ("!_", ACCU)),
        ("_||_", ACCU, predicate),
        ACCU,
    ),
    "exists_one": lambda predicate: (
        0,
        True,
        ("_?_:_", predicate, _ONE_MORE, ACCU),
        ("_==_", ACCU, 1),
    ),
}


def _fold(name: str, variables: Callable[[Helper, Args], tuple[str, str]]) -> Expander:
    return lambda h, target, args: h.fold(target, variables(h, args), *_FOLDS[name](args[-1]))


def _map(h: Helper, target: Expr, args: Args) -> Expr:
    names = _loop_variable(
        h,
        args[0],
        "argument is not an identifier",
        at_argument=False,
    )
    step = ("_+_", ACCU, [args[-1]])
    return h.fold(
        target,
        names,
        [],
        True,
        step if len(args) == 2 else ("_?_:_", args[1], step, ACCU),
        ACCU,
    )


def _transformed(start: Any, step: Callable[[str, Expr], Any]) -> Expander:
    """Return a macro over two variables, whose third argument of four is a filter; `step` takes the first variable."""

    def expand(h: Helper, target: Expr, args: Args) -> Expr:
        names = _two_names(h, args)
        shape = step(names[0], args[-1])
        built = h.built(("_?_:_", args[2], shape, ACCU) if len(args) == 4 else shape)
        return h.fold(target, names, start, True, built, ACCU)

    return expand


_TRANSFORMATIONS = {
    "transformList": _transformed([], lambda _, value: ("_+_", ACCU, [value])),
    "transformMap": _transformed({}, lambda key, value: ("cel.@mapInsert", ACCU, key, value)),
    "transformMapEntry": _transformed({}, lambda _, entry: ("cel.@mapInsert", ACCU, entry)),
}


def _optional_map(function: str, *, wraps: bool) -> Expander:
    def expand(h: Helper, target: Expr, args: Args) -> Expr:
        name = _variable(args[0], f"{function}() variable name must be a simple identifier")
        test = ast.Call(h.new_id(), "hasValue", target, [])
        iter_range, copied = h.built([]), h.copy(target)
        value, condition, step = (
            ast.Call(h.new_id(), "value", copied, []),
            h.built(False),
            h.built(name),
        )
        mapped = ast.Comprehension(
            h.new_id(),
            iter_range,
            "#unused",
            "",
            name,
            value,
            condition,
            step,
            args[1],
        )
        return h.built(
            ("_?_:_", test, ("optional.of", mapped) if wraps else mapped, ("optional.none",))
        )

    return expand


_SORT_INPUT = "@__sortBy_input__"
_SORTABLE = (ast.ListExpr, ast.Select, ast.Ident, ast.Comprehension, ast.Call)


def _sort_by(h: Helper, target: Expr, args: Args) -> Expr:
    values = h.built(_SORT_INPUT)
    if not isinstance(target, _SORTABLE):
        text = "sortBy can only be applied to a list, identifier, comprehension, call or select expression"
        raise MacroError(target.id, text)
    keys = _map(h, h.copy(values), args)
    on = h.copy(values)
    sort = ast.Call(h.new_id(), "@sortByAssociatedKeys", on, [keys])
    iter_range, condition = h.built([]), h.built(False)
    return ast.Comprehension(
        h.new_id(),
        iter_range,
        "#unused",
        "",
        _SORT_INPUT,
        target,
        condition,
        values,
        sort,
    )


MacroKey: TypeAlias = "tuple[str, int, bool]"

STANDARD_MACROS: dict[MacroKey, Callable[..., Expr]] = {
    ("has", 1, False): _has,
    **{(name, 2, True): _fold(name, _one_name) for name in _FOLDS},
    ("map", 2, True): _map,
    ("map", 3, True): _map,
    ("filter", 2, True): lambda helper, target, args: _map(helper, target, [*args, args[0]]),
}
"""Macros by (function, number of arguments, whether called on a target)."""

TWO_VARIABLE_MACROS: dict[MacroKey, Callable[..., Expr]] = {
    **{(name, 3, True): _fold(name, _two_names) for name in _FOLDS},
    ("existsOne", 3, True): _fold("exists_one", _two_names),
    **{(name, count, True): macro for name, macro in _TRANSFORMATIONS.items() for count in (3, 4)},
}

OPTIONAL_MACROS: dict[MacroKey, Callable[..., Expr]] = {
    ("optMap", 2, True): _optional_map("optMap", wraps=True),
    ("optFlatMap", 2, True): _optional_map("optFlatMap", wraps=False),
}
SORT_BY_MACROS: dict[MacroKey, Callable[..., Expr]] = {("sortBy", 2, True): _sort_by}

ALL_MACROS = {**STANDARD_MACROS, **TWO_VARIABLE_MACROS, **OPTIONAL_MACROS}


# What each macro does, in one sentence, for editors and prompts.
DOCS: Final = {
    "has": "Returns whether a field is set. Reading an optional field that is not set is an error.",
    "all": "Returns whether a condition is true for every element of a list, or every key of a map.",
    "exists": "Returns whether a condition is true for at least one element of a list, or key of a map.",
    "exists_one": "Returns whether a condition is true for exactly one element of a list, or key of a map.",
    "existsOne": "Returns whether a condition is true for exactly one index and element, or key and value.",
    "map": "Returns a list with the result of an expression for every element, or for those that fulfil a condition.",
    "filter": "Returns the elements of a list, or keys of a map, for which a condition is true.",
    "optMap": "Evaluates an expression with the value of an optional, and returns an optional; empty if the optional is.",
    "optFlatMap": "Evaluates an expression that returns an optional with the value of an optional; empty if the optional is.",
    "transformList": "Returns a list with the result of an expression for every index and element, or key and value.",
    "transformMap": "Returns a map with the same keys, and the result of an expression for every key and value.",
    "transformMapEntry": "Returns a map made of the entries that an expression returns for every key and value.",
    "sortBy": "Returns a list sorted by the result of an expression for every element.",
}
