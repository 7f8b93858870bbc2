"""Programs: expressions planned as functions, evaluated while the cost is counted.

As in cel-go with `OptOptimize`, each node is planned first and then replaced: constants are folded, `in` with a list of
constants looks up a set, and constant regular expressions are compiled. Upstream: cel/program.go,
interpreter/planner.go, interpreter/decorators.go.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, TypeAlias

from crdlint.cel import ast
from crdlint.cel.checker import CheckResult
from crdlint.cel.decls import CONVERSIONS, Implementation, WellKnownTypes
from crdlint.cel.estimates import LIST_COST, MAP_COST, STRUCT_COST
from crdlint.cel.eval import steps
from crdlint.cel.eval.attributes import Attribute, Conditional, Note, Run, computed, constant, not_a_key, presence
from crdlint.cel.eval.cost import Costs, Event, Frame, TracingFrame
from crdlint.cel.eval.equality import equal, members_of
from crdlint.cel.eval.errors import CancelledError, Error, PlanError
from crdlint.cel.eval.functions import Functions, matches, with_constant_pattern
from crdlint.cel.eval.messages import new_message
from crdlint.cel.eval.values import KEYS, MISSING, Map, Value
from crdlint.cel.stack import more_frames
from crdlint.cel.types import STANDARD_TYPES, Kind, Type

Planned: TypeAlias = "Constant | Computed | Attribute | Conditional"
Visit: TypeAlias = Generator[ast.Expr, Planned, Planned]

_LEAF_DEPTH: Final = 6
# The frames of an operation above those of its operands, and of a selection with a computed key.
_STEP_DEPTH: Final = 2
_SELECTION_DEPTH: Final = 7
_OPTIONAL_ORS: Final = {"or": "optional_or_optional", "orValue": "optional_orValue_value"}


@dataclass(slots=True)
class Constant:
    """A value that is known before evaluation."""

    id: int
    value: Value


@dataclass(slots=True)
class Computed:
    """An expression as a function; `depth` bounds the number of Python stack frames that it needs."""

    id: int
    run: Run
    depth: int


class _Planner:
    """Plans an expression. A plan that is `traced` requires a `TracingFrame`, which records the value of each node."""

    def __init__(self, result: CheckResult, functions: Functions, costs: Costs, *, traced: bool) -> None:
        self._result: Final = result
        self._functions: Final = functions
        self._costs: Final = costs
        self._traced: Final = traced
        # Whether arguments must be looked up on the stack of values; only some comprehensions and traces need that.
        self._stacked = traced
        self._scopes: Final[list[Mapping[str, Run]]] = []
        self._slots = 0

    def plan(self, root: ast.Expr) -> Program:
        planned = self._open(ast.visit(root, self, {}))
        return Program(planned.run, self._slots, planned.depth)

    def _open(self, node: Planned) -> Computed:
        """Return the function of a node; no selections can be added to it afterwards."""
        if isinstance(node, Computed):
            return node
        if isinstance(node, Constant):
            return self._step(node.id, steps.always(node.value), _LEAF_DEPTH)
        if isinstance(node, Conditional):
            dropped = (node.falsy.id, node.truthy.id, node.condition_id)
            made = self._step(node.id, steps.labelled(node.run(), node.id), node.depth, dropped)
            return replace(made, id=_id(node))
        is_plain = node.is_name and not (node.test_id or any(each.optional for each in node.qualifiers))
        if is_plain and not self._stacked:
            return Computed(node.id, steps.plain_name(node.operand(), node.qualifiers, node.id), node.depth)
        run = steps.attribute(node.run(), node.id, node.test_id, stacked=self._stacked)
        return Computed(_id(node), run, node.depth)

    def _step(self, id_: int, run: Run, depth: int, dropped: tuple[int, ...] = ()) -> Computed:
        """Return a step without cost, which removes values from the stack."""
        return Computed(id_, steps.dropping(run, dropped, id_) if self._stacked else run, depth)

    def _runs(self, nodes: Sequence[Planned]) -> tuple[list[Run], int]:
        """Return the functions of operands, and the depth of an operation on them."""
        opened = [self._open(node) for node in nodes]
        return [node.run for node in opened], max((node.depth for node in opened), default=_LEAF_DEPTH) + _STEP_DEPTH

    @property
    def _note(self) -> Note:
        """Return the function that records a selection."""
        return Frame.qualified if self._stacked else Frame.selected

    def unspecified(self, expr: ast.Unspecified) -> Planned:
        raise PlanError(f"unsupported expr: {expr}")

    def literal(self, expr: ast.Literal) -> Planned:
        return Constant(expr.id, expr.value)

    def ident(self, expr: ast.Ident) -> Planned:
        return self._name(expr.id, expr.name)

    def _name(self, id_: int, name: str) -> Planned:
        """Return a constant, a type or a variable. Upstream: planner.planCheckedIdent."""
        reference = self._result.reference_map.get(id_)
        if reference is not None:
            name = reference.name
            if reference.value is not None:
                return Constant(id_, reference.value)
            type_ = self._result.type_map.get(id_)
            if type_ is not None and type_.kind is Kind.TYPE:
                return Constant(id_, _type_named(name, type_))
        head = next((scope[name] for scope in reversed(self._scopes) if name in scope), None) or _global(name)
        note = self._note if self._costs.dialect.selection_from_error_has_cost else None
        return Attribute(id_, head, _LEAF_DEPTH, is_name=True, note_error=note)

    def select(self, expr: ast.Select) -> Visit:
        if expr.id in self._result.reference_map:
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
        operand = self._open(node)
        return Attribute(operand.id, operand.run, operand.depth + _SELECTION_DEPTH)

    def _index(self, expr: ast.Call, args: list[Planned], *, optional: bool) -> Planned:
        attribute = self._relative(args[0])
        key = args[1]
        note = self._note
        if isinstance(key, Constant):
            if type(key.value) not in KEYS:
                raise PlanError(not_a_key(key.value))
            attribute.add(constant(expr.id, key.value, optional=optional, note=note))
            return attribute
        relative = isinstance(key, Computed)
        is_selection = isinstance(key, Conditional) or (isinstance(key, Attribute) and bool(key.qualifiers))
        keeps_errors = is_selection or self._costs.dialect.keeps_errors_of_indexes
        run = key.run if isinstance(key, Computed) else key.run()
        attribute.depth = max(attribute.depth, key.depth + _SELECTION_DEPTH)
        attribute.add(
            computed(expr.id, run, optional=optional, note=note, relative=relative, keeps_errors=keeps_errors)
        )
        return attribute

    def call(self, expr: ast.Call) -> Visit:
        function = self._result.function(expr)
        target = None if expr.id in self._result.namespaced else expr.target
        args: list[Planned] = yield from ast.visit_all(expr.args if target is None else [target, *expr.args])
        if function == "_?_:_":
            condition, truthy, falsy = self._open(args[0]), self._relative(args[1]), self._relative(args[2])
            depth = max(condition.depth, truthy.depth, falsy.depth) + _STEP_DEPTH
            return Conditional(expr.id, condition.id, condition.run, truthy, falsy, depth)
        if function == "_[_]":
            return self._index(expr, args, optional=False)
        if function in ("_[?_]", "_?._"):
            return self._index(expr, args, optional=True)
        return self._plain_call(expr, function, args)

    def _plain_call(self, call: ast.Call, function: str, args: list[Planned]) -> Planned:
        id_ = call.id
        if function == "_&&_" or function == "_||_":
            runs, depth = self._runs(args)
            return self._step(id_, steps.logical(runs, id_, decisive=function == "_||_"), depth, _ids(args))
        overload_id = self._overload_id(call, function)
        if len(args) == 2 and function in _OPTIONAL_ORS and overload_id in ("", _OPTIONAL_ORS[function]):
            (optional, other), depth = self._runs(args)
            return self._step(id_, steps.or_optional(optional, other, unwrap=function == "orValue"), depth)
        resolved = _EQUALITIES.get(function) or self._functions.resolve(function, overload_id)
        if resolved is None:
            if not args:
                raise PlanError(f"no such overload: {function}()")
            resolved = steps.missing(function, id_, variadic=len(args) > 2)
        folded = self._folded(id_, function, overload_id, args, resolved)
        if folded is not None:
            return folded
        regex = self._functions.regexes.get(function)
        pattern = None if regex is None or len(args) < 2 else args[1]
        if regex is not None and isinstance(pattern, Constant) and type(pattern.value) is str:
            resolved = Implementation(with_constant_pattern(regex, pattern.value), variadic=True)
        return self._counted_call(id_, function, overload_id, args, resolved)

    def _resolved(self, call: ast.Call) -> Implementation | None:
        """Return the implementation of a call, regardless of its arguments."""
        function = self._result.function(call)
        is_compiled = function in self._functions.regexes
        return _COMPILED if is_compiled else self._functions.resolve(function, self._overload_id(call, function))

    def _overload_id(self, call: ast.Call, function: str) -> str:
        if function in _EQUALITIES:
            return "equals" if function == "_==_" else "not_equals"
        ids = self._result.overload_ids(call)
        return ids[0] if len(ids) == 1 else ""

    def _folded(
        self, id_: int, function: str, overload_id: str, args: list[Planned], resolved: Implementation
    ) -> Planned | None:
        """Return the optimized form of a call, or None if there is none. Upstream: interpreter.decOptimize."""
        if overload_id == "in_list":
            container = args[1]
            members = members_of(container.value) if isinstance(container, Constant) else None
            if members is None:
                return None
            if not members:
                return Constant(id_, value=False)
            (operand,), depth = self._runs(args[:1])
            return self._step(id_, steps.membership(operand, members), depth)
        if function in CONVERSIONS and len(args) == 1 and isinstance(args[0], Constant):
            value = steps.unary(resolved, steps.always(args[0].value), id_, None)(_NO_FRAME)
            if type(value) is Error:
                raise PlanError(value.message)
            return Constant(id_, value)
        return None

    def _counted_call(
        self, id_: int, function: str, overload_id: str, args: list[Planned], resolved: Implementation
    ) -> Computed:
        runs, depth = self._runs(args)
        cost = self._costs.of_call(function, overload_id)
        counted = None if self._stacked else cost
        in_advance = self._costs.is_in_advance(overload_id)
        if resolved.variadic or len(args) not in (1, 2):
            run = steps.variadic(resolved, runs, id_, counted)
        elif len(args) == 1:
            run = steps.unary(resolved, runs[0], id_, counted, in_advance=in_advance)
        else:
            run = steps.binary(resolved, runs, id_, counted, in_advance=in_advance)
        return Computed(id_, steps.call(run, id_, cost, _ids(args)) if self._stacked else run, depth)

    def _constructed(self, id_: int, parts: list[Planned], then: Callable[[list[Run]], Run], cost: int) -> Computed:
        runs, depth = self._runs(parts)
        return Computed(id_, steps.constructor(then(runs), _ids(parts), id_, cost, stacked=self._stacked), depth)

    def list_(self, expr: ast.ListExpr) -> Visit:
        elements: list[Planned] = yield from ast.visit_all(expr.elements)
        if not elements:
            return Constant(expr.id, [])
        optional = frozenset(expr.optional_indices)
        return self._literal_of(expr.id, elements, lambda runs: steps.list_of(runs, optional, expr.id), LIST_COST)

    def map_(self, expr: ast.MapExpr) -> Visit:
        parts: list[Planned] = yield from ast.visit_all(ast.children(expr))
        if not parts:
            return Constant(expr.id, Map())
        optional = frozenset(index for index, entry in enumerate(expr.entries) if entry.optional)
        return self._literal_of(expr.id, parts, lambda runs: steps.map_of(runs, optional, expr.id), MAP_COST)

    def _literal_of(self, id_: int, parts: list[Planned], then: Callable[[list[Run]], Run], cost: int) -> Planned:
        values = [steps.always(part.value) for part in parts if isinstance(part, Constant)]
        if len(values) == len(parts):
            try:
                return Constant(id_, then(values)(_NO_FRAME))
            except CancelledError as panic:
                raise PlanError(str(panic)) from None
        return self._constructed(id_, parts, then, cost)

    def struct(self, expr: ast.StructExpr) -> Visit:
        reference = self._result.reference_map.get(expr.id)
        name = expr.type_name if reference is None else reference.name
        values: list[Planned] = yield from ast.visit_all(ast.children(expr))
        names = [entry.field for entry in expr.fields]
        optional = frozenset(index for index, entry in enumerate(expr.fields) if entry.optional)
        build = partial(new_message, name)
        return self._constructed(
            expr.id, values, lambda runs: steps.struct_of(build, names, runs, optional, expr.id), STRUCT_COST
        )

    def comprehension(self, expr: ast.Comprehension) -> Visit:
        initial = yield expr.accu_init
        over = yield expr.iter_range
        slot, self._slots = self._slots, self._slots + steps.SLOTS
        (initial_run, over_run), depth = self._runs([initial, over])
        outer = {expr.accu_var: steps.accumulator(slot, initial_run)}
        inner = {expr.iter_var: steps.variable(slot + 2)}
        if expr.iter_var2:
            inner.setdefault(expr.iter_var2, steps.variable(slot + 3))
        # The accumulator is resolved first.
        self._scopes.append({**inner, **outer})
        stacked = self._stacked
        self._stacked = self._traced or not steps.iterations_independent(expr, self._resolved)
        loop, loop_depth = self._runs((yield from ast.visit_all([expr.loop_condition, expr.loop_step])))
        self._stacked = stacked
        self._scopes[-1] = outer
        result = self._open((yield expr.result))
        self._scopes.pop()
        pairs, hides_errors = bool(expr.iter_var2), self._costs.dialect.hides_errors_of_ranges
        run = steps.fold(slot, over_run, (*loop, result.run), pairs=pairs, id_=expr.id, hides_errors=hides_errors)
        return self._step(expr.id, run, max(depth, loop_depth, result.depth + _STEP_DEPTH), (_id(over),))


def _id(node: Planned) -> int:
    return node.test_id or node.id if isinstance(node, (Attribute, Conditional)) else node.id


def _ids(nodes: Sequence[Planned]) -> tuple[int, ...]:
    return tuple(map(_id, nodes))


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


def _global(name: str) -> Run:
    missing = Error(f"no such attribute(s): {name}")

    def run(frame: Frame) -> Value:
        value = frame.variables.get(name, MISSING)
        return missing if value is MISSING else value

    return run


_MESSAGES: Final = WellKnownTypes()
_TYPES: Final = {known.name: known for known in STANDARD_TYPES}
# A call with a constant expression is variadic.
_COMPILED: Final = Implementation(matches, variadic=True)
_NO_FRAME: Final = Frame({}, 0, None)
_EQUALITIES: Final = {
    "_==_": Implementation(equal),
    "_!=_": Implementation(steps.differs),
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
    expr: ast.Expr, check_result: CheckResult, functions: Functions, costs: Costs, *, traced: bool = False
) -> Program:
    """Plan a checked expression; raise PlanError with cel-go's text if that fails. Upstream: Env.Program.

    A program that is `traced` can be traced; it is slower.
    """
    return _Planner(check_result, functions, costs, traced=traced).plan(expr)
