"""Programs: expressions planned as functions, evaluated while the cost is counted.

As in cel-go with `OptOptimize`, each node is planned first and then replaced: constants are folded, `in` with a list of
constants looks up a set, and constant regular expressions are compiled. Upstream: cel/program.go,
interpreter/planner.go, interpreter/decorators.go.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from crdlint.cel import ast
from crdlint.cel.decls import CONVERSIONS
from crdlint.cel.env import WellKnownTypes
from crdlint.cel.estimates import LIST_COST, MAP_COST, STRUCT_COST
from crdlint.cel.eval import steps
from crdlint.cel.eval.attributes import Attribute, Conditional, computed, constant, joined, not_a_key, presence
from crdlint.cel.eval.comprehensions import SLOTS, accumulator, fold, iterations_independent, variable
from crdlint.cel.eval.cost import Frame, TracingFrame, traced_selection
from crdlint.cel.eval.equality import equal, members_of
from crdlint.cel.eval.errors import CancelledError, Error, PlanError, with_expr_id
from crdlint.cel.eval.functions import MATCHES, Resolved, caught, matches
from crdlint.cel.eval.messages import new_message
from crdlint.cel.eval.values import KEYS, MISSING, Map
from crdlint.cel.stack import more_frames
from crdlint.cel.types import STANDARD_TYPES, Kind

if TYPE_CHECKING:
    from crdlint.cel.checker import CheckResult
    from crdlint.cel.decls import RegexOptimization
    from crdlint.cel.eval.attributes import Note, Run, Then
    from crdlint.cel.eval.cost import Costs, Event
    from crdlint.cel.eval.functions import Functions
    from crdlint.cel.eval.values import Value
    from crdlint.cel.types import Type

    Planned: TypeAlias = "Constant | Pipe | Attribute | Conditional"
    Visit: TypeAlias = Generator[ast.Expr, Planned, Planned]


_LEAF_DEPTH: Final = 6
_OPTIONAL_ORS: Final = {"or": "optional_or_optional", "orValue": "optional_orValue_value"}


@dataclass(slots=True)
class Constant:
    """A value that is known before evaluation."""

    id: int
    value: Value


@dataclass(slots=True)
class Pipe:
    """A chain of functions; `depth` bounds the number of Python stack frames that it needs."""

    id: int
    head: Run
    rest: list[Then]
    depth: int = _LEAF_DEPTH


class _Planner:
    """Plans an expression. A plan that is `traced` requires a `TracingFrame`, which records the value of each node."""

    def __init__(
        self,
        result: CheckResult,
        functions: Functions,
        costs: Costs,
        regexes: Sequence[RegexOptimization],
        *,
        traced: bool,
    ) -> None:
        self._types: Final = result.type_map
        self._references: Final = result.reference_map
        self._namespaced: Final = result.namespaced
        self._functions: Final = functions
        self._regexes: Final = {item.function: item for item in (*regexes, MATCHES)}
        self._costs: Final = costs
        self._traced: Final = traced
        # Whether arguments must be looked up on the stack of values; only some comprehensions and traces need that.
        self._stacked = traced
        self._scopes: Final[list[Mapping[str, Run]]] = []
        self._slots = 0

    def plan(self, root: ast.Expr) -> Program:
        run, depth = self._run(ast.visit(root, self, {}))
        return Program(run, self._slots, depth)

    def _open(self, node: Planned) -> Pipe:
        """Return the chain of a node; no selections can be added to it afterwards."""
        if isinstance(node, Pipe):
            return node
        if isinstance(node, Constant):
            return Pipe(node.id, _always(node.value), [steps.dropping((), node.id)] if self._stacked else [])
        if isinstance(node, Attribute) and node.is_plain_name and not self._stacked:
            return Pipe(node.id, steps.plain_name(node.variable(), node.qualifiers, node.id), [], node.depth)
        head, rest, depth = node.steps()
        return Pipe(node.test_id or node.id, head, [*rest, self._note_attribute(node)], depth)

    def _run(self, node: Planned) -> tuple[Run, int]:
        pipe = self._open(node)
        return joined(pipe.head, pipe.rest), pipe.depth + 1

    def _runs(self, nodes: Sequence[Planned]) -> tuple[list[Run], int]:
        """Return the functions of nodes, and the largest depth of one of them."""
        runs = [self._run(node) for node in nodes]
        return [run for run, _ in runs], max((depth for _, depth in runs), default=0)

    def _note_attribute(self, node: Attribute | Conditional) -> Then:
        if isinstance(node, Attribute):
            return steps.attribute(node.id, node.test_id, stacked=self._stacked)
        if not self._stacked:
            return lambda _, value: with_expr_id(value, node.id)
        return steps.dropping((node.falsy.id, node.truthy.id, node.condition_id), node.id)

    @property
    def _note(self) -> Note:
        """Return the function that records a selection."""
        if self._traced:
            return traced_selection
        return Frame.qualified if self._stacked else Frame.selected

    def unspecified(self, expr: ast.Unspecified) -> Planned:
        raise PlanError(f"unsupported expr: {expr}")

    def literal(self, expr: ast.Literal) -> Planned:
        return Constant(expr.id, expr.value)

    def ident(self, expr: ast.Ident) -> Planned:
        return self._name(expr.id, expr.name)

    def _name(self, id_: int, name: str) -> Planned:
        """Return a constant, a type or a variable. Upstream: planner.planCheckedIdent."""
        reference = self._references.get(id_)
        if reference is not None:
            name = reference.name
            if reference.value is not None:
                return Constant(id_, reference.value)
            type_ = self._types.get(id_)
            if type_ is not None and type_.kind is Kind.TYPE:
                return Constant(id_, _type_named(name, type_))
        head = next((scope[name] for scope in reversed(self._scopes) if name in scope), None) or _global(name)
        note = self._note if self._costs.selection_from_error_has_cost else None
        return Attribute(id_, head, [], _LEAF_DEPTH, note_error=note)

    def select(self, expr: ast.Select) -> Visit:
        if expr.id in self._references:
            return self._name(expr.id, expr.field)
        operand = yield expr.operand
        attribute = self._relative(operand)
        if expr.test_only:
            attribute.add(presence(expr.id, expr.field, note=self._note))
            attribute.test_id = expr.id
        else:
            attribute.add(constant(expr.id, expr.field, optional=False, note=self._note))
        return attribute

    def _relative(self, node: Planned) -> Attribute | Conditional:
        if isinstance(node, (Attribute, Conditional)):
            return node
        pipe = self._open(node)
        return Attribute(pipe.id, pipe.head, pipe.rest, pipe.depth)

    def _index(self, expr: ast.Call, args: list[Planned], *, optional: bool) -> Planned:
        attribute = self._relative(args[0])
        key = args[1]
        note = self._note
        if isinstance(key, Constant):
            if type(key.value) not in KEYS:
                raise PlanError(not_a_key(key.value))
            attribute.add(constant(expr.id, key.value, optional=optional, note=note))
            return attribute
        relative = isinstance(key, Pipe)
        is_selection = isinstance(key, Conditional) or (isinstance(key, Attribute) and bool(key.qualifiers))
        keeps_errors = is_selection or self._costs.keeps_errors_of_indexes
        head, rest, depth = (key.head, key.rest, key.depth + 1) if isinstance(key, Pipe) else key.steps()
        run = joined(head, rest)
        attribute.depth = max(attribute.depth, depth + 4)
        attribute.add(
            computed(expr.id, run, optional=optional, note=note, relative=relative, keeps_errors=keeps_errors)
        )
        return attribute

    def call(self, expr: ast.Call) -> Visit:
        function = self._function_of(expr)
        target = None if expr.id in self._namespaced else expr.target
        args: list[Planned] = yield from ast.visit_all(expr.args if target is None else [target, *expr.args])
        if function == "_?_:_":
            return self._conditional(expr, args)
        if function == "_[_]":
            return self._index(expr, args, optional=False)
        if function in ("_[?_]", "_?._"):
            return self._index(expr, args, optional=True)
        return self._plain_call(expr.id, function, args)

    def _plain_call(self, id_: int, function: str, args: list[Planned]) -> Planned:
        if function == "_&&_" or function == "_||_":
            return self._logical(id_, args, decisive=function == "_||_")
        overload_id = self._overload_id(id_, function)
        if len(args) == 2 and function in _OPTIONAL_ORS and overload_id in ("", _OPTIONAL_ORS[function]):
            return self._or(id_, args, unwrap=function == "orValue")
        resolved = _EQUALITIES.get(function) or self._functions.resolve(function, overload_id)
        if resolved is None:
            if not args:
                raise PlanError(f"no such overload: {function}()")
            resolved = steps.missing(function, id_, variadic=len(args) > 2)
        folded = self._folded(id_, function, overload_id, args, resolved)
        if folded is not None:
            return folded
        optimization = self._regexes.get(function)
        if optimization is not None and optimization.argument < len(args):
            pattern = args[optimization.argument]
            if isinstance(pattern, Constant) and type(pattern.value) is str:
                resolved = Resolved(caught(optimization.compile(pattern.value)), strict=True, variadic=True)
        return self._observed_call(id_, function, overload_id, args, resolved)

    def _function_of(self, call: ast.Call) -> str:
        """Return the full name of the function that is called. Upstream: planner.resolveFunction."""
        function = self._namespaced.get(call.id)
        if function is not None:
            return function
        return call.function.removeprefix(".") if call.target is None else call.function

    def _resolved(self, call: ast.Call) -> Resolved | None:
        """Return the implementation of a call, regardless of its arguments."""
        function = self._function_of(call)
        overload_id = self._overload_id(call.id, function)
        if function in self._regexes:
            return _COMPILED
        return self._functions.resolve(function, overload_id)

    def _overload_id(self, id_: int, function: str) -> str:
        if function in _EQUALITIES:
            return "equals" if function == "_==_" else "not_equals"
        reference = self._references.get(id_)
        return reference.overload_ids[0] if reference is not None and len(reference.overload_ids) == 1 else ""

    def _folded(
        self, id_: int, function: str, overload_id: str, args: list[Planned], resolved: Resolved
    ) -> Planned | None:
        """Return the optimized form of a call, or None if there is none. Upstream: interpreter.decOptimize."""
        if overload_id == "in_list":
            container = args[1]
            members = members_of(container.value) if isinstance(container, Constant) else None
            if members is None:
                return None
            if not members:
                return Constant(id_, value=False)
            return self._continued(args[0], id_, steps.membership(members), steps.dropping((), id_))
        if function in CONVERSIONS and len(args) == 1 and isinstance(args[0], Constant):
            value = steps.unary(resolved, id_, None)(_NO_FRAME, args[0].value)
            if type(value) is Error:
                raise PlanError(value.message)
            return Constant(id_, value)
        return None

    def _observed_call(
        self, id_: int, function: str, overload_id: str, args: list[Planned], resolved: Resolved
    ) -> Pipe:
        cost = self._costs.of_call(function, overload_id)
        counted = None if self._stacked else cost
        note = steps.call(id_, cost, tuple(map(_id, args)))
        if not args:
            return Pipe(id_, steps.nullary(resolved.call, id_, counted), [note] if self._stacked else [])
        rest, depth = self._runs(args[1:])
        in_advance = self._costs.is_in_advance(overload_id)
        if len(args) > 2 or resolved.variadic:
            then = steps.variadic(resolved, rest, id_, counted)
        elif len(args) == 1:
            then = steps.unary(resolved, id_, counted, in_advance=in_advance)
        else:
            then = steps.binary(resolved, rest[0], id_, counted, in_advance=in_advance)
        return self._continued(args[0], id_, then, note, depth)

    def _continued(self, first: Planned, id_: int, then: Then, note: Then, depth: int = 0) -> Pipe:
        """Return a chain with one more function; `note` records its value on the stack."""
        pipe = self._open(first)
        pipe.rest.append(then)
        if self._stacked:
            pipe.rest.append(note)
        return Pipe(id_, pipe.head, pipe.rest, max(pipe.depth, depth + 2))

    def _logical(self, id_: int, args: list[Planned], *, decisive: bool) -> Pipe:
        rest, depth = self._runs(args[1:])
        note = steps.dropping(tuple(map(_id, args)), id_)
        return self._continued(args[0], id_, steps.logical(rest, id_, decisive=decisive), note, depth)

    def _or(self, id_: int, args: list[Planned], *, unwrap: bool) -> Pipe:
        second, depth = self._run(args[1])
        return self._continued(args[0], id_, steps.or_optional(second, unwrap=unwrap), steps.dropping((), id_), depth)

    def _conditional(self, expr: ast.Call, args: list[Planned]) -> Conditional:
        condition = self._open(args[0])
        truthy, falsy = self._relative(args[1]), self._relative(args[2])
        return Conditional(expr.id, condition.id, condition.head, condition.rest, truthy, falsy, condition.depth)

    def _constructed(self, id_: int, parts: list[Planned], then: Callable[[list[Run]], Then], cost: int) -> Pipe:
        first = self._open(parts[0])
        rest, depth = self._runs(parts[1:])
        first.rest.append(then(rest))
        ids = tuple(_id(part) for part in parts)
        first.rest.append(steps.constructor(ids, id_, cost, stacked=self._stacked))
        return Pipe(id_, first.head, first.rest, max(first.depth, depth + 2))

    def list_(self, expr: ast.ListExpr) -> Visit:
        elements: list[Planned] = yield from ast.visit_all(expr.elements)
        if not elements:
            return Constant(expr.id, [])
        optional = frozenset(expr.optional_indices)
        return self._literal_of(expr.id, elements, lambda rest: steps.list_of(rest, optional, expr.id), LIST_COST)

    def map_(self, expr: ast.MapExpr) -> Visit:
        parts: list[Planned] = yield from ast.visit_all(ast.children(expr))
        if not parts:
            return Constant(expr.id, Map())
        optional = frozenset(index for index, entry in enumerate(expr.entries) if entry.optional)
        return self._literal_of(expr.id, parts, lambda rest: steps.map_of(rest, optional, expr.id), MAP_COST)

    def _literal_of(self, id_: int, parts: list[Planned], then: Callable[[list[Run]], Then], cost: int) -> Planned:
        values = [part.value for part in parts if isinstance(part, Constant)]
        if len(values) == len(parts):
            try:
                return Constant(id_, then([_always(value) for value in values[1:]])(_NO_FRAME, values[0]))
            except CancelledError as panic:
                raise PlanError(str(panic)) from None
        return self._constructed(id_, parts, then, cost)

    def struct(self, expr: ast.StructExpr) -> Visit:
        reference = self._references.get(expr.id)
        name = expr.type_name if reference is None else reference.name
        values: list[Planned] = yield from ast.visit_all(ast.children(expr))
        names = [entry.field for entry in expr.fields]
        optional = frozenset(index for index, entry in enumerate(expr.fields) if entry.optional)
        if not values:
            note = steps.constructor((), expr.id, STRUCT_COST, stacked=self._stacked)
            return Pipe(expr.id, lambda _: with_expr_id(new_message(name, {}), expr.id), [note])

        build = partial(new_message, name)
        return self._constructed(
            expr.id, values, lambda rest: steps.struct_of(build, names, rest, optional, expr.id), STRUCT_COST
        )

    def comprehension(self, expr: ast.Comprehension) -> Visit:
        initial = yield expr.accu_init
        over = yield expr.iter_range
        initial_run, initial_depth = self._run(initial)
        slot, self._slots = self._slots, self._slots + SLOTS
        outer = {expr.accu_var: accumulator(slot, initial_run)}
        inner = {expr.iter_var: variable(slot + 2)}
        if expr.iter_var2:
            inner.setdefault(expr.iter_var2, variable(slot + 3))
        # The accumulator is resolved first.
        self._scopes.append({**inner, **outer})
        stacked = self._stacked
        self._stacked = self._traced or not iterations_independent(expr, self._resolved)
        (condition, step), depth = self._runs((yield from ast.visit_all([expr.loop_condition, expr.loop_step])))
        self._stacked = stacked
        self._scopes[-1] = outer
        result, result_depth = self._run((yield expr.result))
        self._scopes.pop()
        pairs, hides_errors = bool(expr.iter_var2), self._costs.hides_errors_of_ranges
        then = fold(slot, (condition, step, result), pairs=pairs, id_=expr.id, hides_errors=hides_errors)
        note = steps.dropping((_id(over),), expr.id)
        return self._continued(over, expr.id, then, note, max(depth, result_depth, initial_depth) + 2)


def _id(node: Planned) -> int:
    return node.test_id or node.id if isinstance(node, (Attribute, Conditional)) else node.id


def _type_named(name: str, type_: Type) -> Type:
    """Return the type of a name. As in cel-go, objects of a schema and variables with a type have none."""
    known = _TYPES.get(name)
    if known is not None:
        return known
    if type_.params:
        own = type_.params[0]
        if (own.kind is Kind.OPAQUE and own.name == name) or _MESSAGES.find_struct_type(name) is not None:
            return own
    raise PlanError(f"reference to undefined type: {name}")


def _always(value: Value) -> Run:
    return lambda _: value


def _global(name: str) -> Run:
    missing = Error(f"no such attribute(s): {name}")

    def run(frame: Frame) -> Value:
        value = frame.variables.get(name, MISSING)
        return missing if value is MISSING else value

    return run


_MESSAGES: Final = WellKnownTypes()
_TYPES: Final = {known.name: known for known in STANDARD_TYPES}
# A call with a constant expression is variadic.
_COMPILED: Final = Resolved(matches, strict=True, variadic=True)
_NO_FRAME: Final = Frame({}, 0, None)
_EQUALITIES: Final = {
    "_==_": Resolved(equal, strict=True, variadic=False),
    "_!=_": Resolved(steps.differs, strict=True, variadic=False),
}


# Expressions that need fewer frames than this are evaluated without raising the recursion limit.
_SHALLOW: Final = 100


@dataclass(frozen=True, slots=True)
class Result:
    """A value, which may be an `Error`, and the cost in cost units."""

    value: Value
    cost: int

    @property
    def error(self) -> str | None:
        """The text of the error, None for any other value."""
        return self.value.message if type(self.value) is Error else None


@dataclass(frozen=True, slots=True)
class Program:
    """A planned expression; evaluations share no state.

    It has the function that evaluates it, the number of slots for comprehensions, and the depth of the Python stack.
    """

    _run: Run
    _slots: int
    _depth: int

    def evaluate(self, activation: Mapping[str, Value], cost_limit: int | None = None) -> Result:
        """Evaluate with variables by name; errors, including an exceeded cost limit, are results. Upstream: Program.Eval."""
        return self._result(Frame(activation, self._slots, cost_limit))

    def trace(self, activation: Mapping[str, Value], cost_limit: int | None = None) -> tuple[Result, list[Event]]:
        """Evaluate a program that was planned with `traced`; also return the values of its nodes, in order."""
        frame = TracingFrame(activation, self._slots, cost_limit)
        return self._result(frame), frame.events

    def _result(self, frame: Frame) -> Result:
        # The parser's limit bounds the depth.
        deeper = nullcontext() if self._depth < _SHALLOW else more_frames(self._depth)
        try:
            with deeper:
                value = self._run(frame)
        except CancelledError as cancelled:
            value = Error(str(cancelled))
        return Result(value, frame.cost)


def plan(
    expr: ast.Expr,
    check_result: CheckResult,
    functions: Functions,
    costs: Costs,
    regexes: Sequence[RegexOptimization] = (),
    *,
    traced: bool = False,
) -> Program:
    """Plan a checked expression; raise PlanError with cel-go's text if that fails. Upstream: Env.Program.

    A program that is `traced` can be traced; it is slower.
    """
    return _Planner(check_result, functions, costs, regexes, traced=traced).plan(expr)
