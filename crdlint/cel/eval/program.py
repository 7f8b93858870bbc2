"""Programs: expressions planned as functions, evaluated while the cost is counted.

As in cel-go with `OptOptimize`, each node is planned first and then replaced: constants are folded, `in` with a list of
constants looks up a set, and constant regular expressions are compiled. Upstream: cel/program.go,
interpreter/planner.go, interpreter/decorators.go.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from crdlint.cel import ast
from crdlint.cel.checker import CheckResult
from crdlint.cel.decls import CONVERSIONS, Implementation, WellKnownTypes
from crdlint.cel.errors import CancelledError, Error, PlanError
from crdlint.cel.estimates import LIST_COST, MAP_COST, STRUCT_COST
from crdlint.cel.eval import steps
from crdlint.cel.eval.attributes import (
    Attribute,
    Conditional,
    ProgramStep,
    Qualifier,
    Run,
    checked_key,
    not_a_key,
)
from crdlint.cel.eval.cost import CostModel, Event, Frame, StackedFrame, TracingFrame
from crdlint.cel.eval.equality import equal, members_of
from crdlint.cel.eval.functions import Functions, with_constant_pattern
from crdlint.cel.eval.values import KEYS, MISSING, Map, MutableMap, Value
from crdlint.cel.stack import more_frames
from crdlint.cel.types import STANDARD_TYPES, WELL_KNOWN, Kind, Type
from crdlint.light import NamedTuple, dataclass

Planned: TypeAlias = "Constant | ProgramStep | Attribute | Conditional"
Visit: TypeAlias = Generator[ast.Expr, Planned, Planned]

# The frames of a selection with a computed key.
_SELECTION_DEPTH: Final = 7
_LOGICAL: Final = frozenset({"_&&_", "_||_"})
_OPTIONAL_ORS: Final = {"or": "optional_or_optional", "orValue": "optional_orValue_value"}


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is known before evaluation."""

    id: int
    value: Value


class _Planner:
    """Plans an expression; its steps keep cel-go's stack if `stacked`."""

    def __init__(
        self,
        result: CheckResult,
        functions: Functions,
        costs: CostModel,
        *,
        stacked: bool,
    ) -> None:
        self._result: Final = result
        self._functions: Final = functions
        self._costs: Final = costs
        self._is_stacked: Final = stacked
        self._make: Final = steps.StepMaker(stacked=stacked)
        self._scopes: Final[list[Mapping[str, Run]]] = []
        self._slots = 0
        # Whether the cost of what was planned depends on the stack.
        self._needs_stack = False
        # Whether an error may leave values of what was planned on the stack.
        self._leaves_values = False

    def plan(self, root: ast.Expr) -> _Plan:
        planned = self._step(ast.visit(root, self, {}))
        return _Plan(
            planned.run,
            self._slots,
            planned.depth,
            self._needs_stack,
        )

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
                return Constant(id_, self._type_named(name, type_))
        counts_errors = self._costs.dialect.selection_from_error_has_cost
        is_hidden = name.startswith(".")
        return Attribute(
            id_,
            self._variable(name),
            steps.LEAF_DEPTH,
            counts_errors,
            is_hidden,
        )

    def _type_named(self, name: str, type_: Type) -> Type:
        """Return the type of a name. As in cel-go, objects of a schema and variables with a type have none."""
        standard = _TYPES.get(name)
        if standard is not None:
            return standard
        if type_.params:
            own = type_.params[0]
            is_of_library = own.kind is Kind.OPAQUE and own.name == name
            if is_of_library or self._is_registered(name):
                return own
        raise PlanError(f"reference to undefined type: {name}")

    def _is_registered(self, name: str) -> bool:
        """Return whether a name is that of a message, but for those that CEL reads as its own types, such as wrappers."""
        is_own = name in WELL_KNOWN and not self._costs.dialect.registers_well_known_types
        return not is_own and _MESSAGES.find_struct_type(name) is not None

    def _variable(self, name: str) -> Run:
        """Return the function for a variable: of the innermost macro that has it, or else a global one."""
        for scope in reversed(self._scopes):
            if name in scope:
                return scope[name]
        return _global(name)

    def select(self, expr: ast.Select) -> Visit:
        if expr.id in self._result.reference_map:
            return self._name(expr.id, expr.field)
        operand = yield expr.operand
        attribute = self._relative(operand)
        attribute.add(Qualifier(expr.id, expr.field, tests=expr.test_only))
        if expr.test_only:
            attribute.test_id = expr.id
        return attribute

    def _index(self, expr: ast.Call, args: list[Planned], *, optional: bool) -> Planned:
        attribute = self._relative(args[0])
        is_hidden = isinstance(attribute, Attribute) and attribute.is_hidden
        key = self._outside_macros(expr.args[1]) if is_hidden else args[1]
        if isinstance(key, Constant):
            if type(key.value) not in KEYS:
                raise PlanError(not_a_key(key.value))
            attribute.add(Qualifier(expr.id, key.value, optional=optional))
            return attribute
        is_step = isinstance(key, ProgramStep)
        is_name = isinstance(key, Attribute) and not key.qualifiers
        keeps_errors = not is_name or self._costs.dialect.keeps_errors_of_indexes
        run = checked_key(
            key.run if isinstance(key, ProgramStep) else key.run(stacked=self._is_stacked),
            keeps_errors=keeps_errors,
        )
        attribute.depth = max(attribute.depth, key.depth + _SELECTION_DEPTH)
        attribute.add(
            Qualifier(
                expr.id,
                computed=run,
                optional=optional,
                drops=is_step,
            )
        )
        return attribute

    def _outside_macros(self, expr: ast.Expr) -> Planned:
        """Return an expression that knows no variables of the macros around it."""
        scopes = self._scopes.copy()
        self._scopes.clear()
        planned: Planned = ast.visit(expr, self, {})
        self._scopes.extend(scopes)
        return planned

    def call(self, expr: ast.Call) -> Visit:
        function = self._result.function(expr)
        target = None if expr.id in self._result.namespaced else expr.target
        args: list[Planned] = yield from ast.visit_all(
            expr.args if target is None else [target, *expr.args]
        )
        if function == "_?_:_":
            condition, truthy, falsy = (
                self._step(args[0]),
                self._relative(args[1]),
                self._relative(args[2]),
            )
            return Conditional(
                expr.id,
                condition,
                truthy,
                falsy,
                steps.depth_over([condition, truthy, falsy]),
            )
        if function == "_[_]":
            return self._index(expr, args, optional=False)
        if function in ("_[?_]", "_?._"):
            return self._index(expr, args, optional=True)
        return self._plain_call(expr, function, args)

    def _plain_call(self, call: ast.Call, function: str, args: list[Planned]) -> Planned:
        id_ = call.id
        if function in _LOGICAL:
            return self._make.logical(id_, self._steps(args), decisive=function == "_||_")
        overload_id = self._overload_id(call, function)
        own_id = _OPTIONAL_ORS.get(function)
        is_optional_or = own_id is not None and overload_id in ("", own_id)
        if is_optional_or and len(args) == 2:
            return self._make.or_optional(
                id_,
                self._steps(args),
                unwrap=function == "orValue",
                rejects_values=self._costs.dialect.rejects_or_of_values,
            )
        resolved = self._implementation(id_, function, overload_id, args)
        folded = self._folded(id_, function, overload_id, args, resolved)
        if folded is not None:
            return folded
        resolved = self._with_constant_regex(function, args) or resolved
        self._leaves_values |= steps.stops(resolved, len(args))
        cost = self._costs.of_call(function, overload_id)
        in_advance = self._costs.is_in_advance(overload_id)
        return self._make.call(
            id_,
            resolved,
            self._steps(args),
            cost,
            in_advance=in_advance,
        )

    def _implementation(
        self,
        id_: int,
        function: str,
        overload_id: str,
        args: list[Planned],
    ) -> Implementation:
        """Return the function to call; one that fails if there is none for the arguments. Raise PlanError."""
        resolved = _EQUALITIES.get(function) or self._functions.resolve(function, overload_id)
        if resolved is not None:
            return resolved
        if not args:
            raise PlanError(f"no such overload: {function}()")
        return steps.missing(function, id_, variadic=len(args) > 2)

    def _with_constant_regex(self, function: str, args: list[Planned]) -> Implementation | None:
        """Return a function of regular expressions with its constant one compiled once, None for other calls."""
        regex = self._functions.regexes.get(function)
        pattern = args[1] if len(args) > 1 else None
        if regex is None or not isinstance(pattern, Constant) or type(pattern.value) is not str:
            return None
        return Implementation(with_constant_pattern(regex, pattern.value), variadic=True)

    def _overload_id(self, call: ast.Call, function: str) -> str:
        if function in _EQUALITIES:
            return "equals" if function == "_==_" else "not_equals"
        ids = self._result.overload_ids(call)
        return ids[0] if len(ids) == 1 else ""

    def list_(self, expr: ast.ListExpr) -> Visit:
        elements: list[Planned] = yield from ast.visit_all(expr.elements)
        if not elements:
            return Constant(expr.id, [])
        optional = frozenset(expr.optional_indices)
        return self._literal(
            expr.id,
            elements,
            lambda runs: steps.list_of(runs, optional),
            LIST_COST,
        )

    def map_(self, expr: ast.MapExpr) -> Visit:
        parts: list[Planned] = yield from ast.visit_all(ast.children(expr))
        if not parts:
            return Constant(expr.id, Map())
        optional = _optional(expr.entries)
        build = MutableMap.frozen
        return self._literal(
            expr.id,
            parts,
            lambda runs: steps.map_of(runs[::2], runs[1::2], optional, build),
            MAP_COST,
        )

    def struct(self, expr: ast.StructExpr) -> Visit:
        from crdlint.cel.eval.messages import new_message  # few expressions make messages

        reference = self._result.reference_map.get(expr.id)
        build = partial(new_message, expr.type_name if reference is None else reference.name)
        values: list[Planned] = yield from ast.visit_all(ast.children(expr))
        names, optional = (
            [steps.always(entry.field) for entry in expr.fields],
            _optional(expr.fields),
        )
        return self._constructed(
            expr.id,
            values,
            lambda runs: steps.map_of(names, runs, optional, build),
            STRUCT_COST,
        )

    def _literal(
        self,
        id_: int,
        parts: list[Planned],
        then: Callable[[list[Run]], Run],
        cost: int,
    ) -> Planned:
        """Return a list or map literal, a constant one of constants."""
        values = [steps.always(part.value) for part in parts if isinstance(part, Constant)]
        if len(values) < len(parts):
            return self._constructed(id_, parts, then, cost)
        try:
            return Constant(id_, then(values)(_NO_FRAME))
        except CancelledError as panic:
            raise PlanError(str(panic)) from None

    def _constructed(
        self,
        id_: int,
        parts: list[Planned],
        then: Callable[[list[Run]], Run],
        cost: int,
    ) -> Planned:
        self._leaves_values |= len(parts) > 1
        operands = self._steps(parts)
        return self._make.constructor(
            id_,
            then([part.run for part in operands]),
            operands,
            cost,
        )

    def comprehension(self, expr: ast.Comprehension) -> Visit:
        initial = self._step((yield expr.accu_init))
        over = self._step((yield expr.iter_range))
        slot, self._slots = self._slots, self._slots + steps.SLOTS
        outer = {expr.accu_var: steps.accumulator(slot, initial.run)}
        inner = {expr.iter_var: steps.variable(slot + 2)}
        if expr.iter_var2:
            inner.setdefault(expr.iter_var2, steps.variable(slot + 3))
        # The accumulator is resolved first.
        self._scopes.append({**inner, **outer})
        self._leaves_values = False
        loop = self._steps((yield from ast.visit_all([expr.loop_condition, expr.loop_step])))
        if self._leaves_values and steps.is_filter(expr.loop_step):
            self._needs_stack = True
        self._leaves_values = True
        self._scopes[-1] = outer
        result = self._step((yield expr.result))
        self._scopes.pop()
        pairs, hides_errors = bool(expr.iter_var2), self._costs.dialect.hides_errors_of_ranges
        return self._make.fold(
            expr.id,
            slot,
            [initial, over, *loop, result],
            pairs=pairs,
            hides_errors=hides_errors,
        )

    def _step(self, node: Planned) -> ProgramStep:
        """Return a node as a step; no selections can be added to it afterwards."""
        if isinstance(node, ProgramStep):
            return node
        if isinstance(node, Constant):
            return self._make.free(node.id, steps.always(node.value), steps.LEAF_DEPTH)
        return (
            self._make.conditional(node)
            if isinstance(node, Conditional)
            else self._make.attribute(node)
        )

    def _steps(self, nodes: Sequence[Planned]) -> list[ProgramStep]:
        return list(map(self._step, nodes))

    def _relative(self, node: Planned) -> Attribute | Conditional:
        """Return what selections can be added to."""
        if isinstance(node, (Attribute, Conditional)):
            return node
        operand = self._step(node)
        return Attribute(operand.id, operand.run, operand.depth + _SELECTION_DEPTH)

    def _folded(
        self,
        id_: int,
        function: str,
        overload_id: str,
        args: list[Planned],
        resolved: Implementation,
    ) -> Planned | None:
        """Return the optimized form of a call, or None if there is none. Upstream: interpreter.decOptimize."""
        if overload_id == "in_list":
            container = args[1]
            members = members_of(container.value) if isinstance(container, Constant) else None
            if members is None:
                return None
            return (
                self._make.membership(id_, self._step(args[0]), members)
                if members
                else Constant(id_, value=False)
            )
        if function in CONVERSIONS and len(args) == 1 and isinstance(args[0], Constant):
            value = resolved.call(args[0].value)
            if type(value) is Error:
                raise PlanError(value.message)
            return Constant(id_, value)
        return None


def _optional(entries: Sequence[ast.MapEntry | ast.StructField]) -> frozenset[int]:
    return frozenset(index for index, entry in enumerate(entries) if entry.optional)


def _global(name: str) -> Run:
    """Return the function for a global variable; a dot at the start distinguishes it from a variable of a macro."""
    name = name.removeprefix(".")
    missing = Error(f"no such attribute(s): {name}")

    def run(frame: Frame) -> Value:
        value = frame.variables.get(name, MISSING)
        return missing if value is MISSING else value

    return run


_MESSAGES: Final = WellKnownTypes()
_TYPES: Final = {type_.name: type_ for type_ in STANDARD_TYPES}
_NO_FRAME: Final = Frame({}, 0)
_EQUALITIES: Final = {"_==_": Implementation(equal), "_!=_": Implementation(steps.differs)}

# Expressions that need fewer frames than this are evaluated without raising the recursion limit.
_SHALLOW: Final = 100


class Evaluated(NamedTuple):
    """A value, which may be an `Error`, and the cost in cost units."""

    value: Value
    cost: int

    @property
    def error(self) -> str | None:
        """The text of the error, None for any other value."""
        return self.value.message if type(self.value) is Error else None


class _Plan(NamedTuple):
    """The function that evaluates an expression, and what it needs.

    `slots`: the number of slots for comprehensions.
    `depth`: the depth of the Python stack.
    `needs_stack`: whether its cost requires cel-go's stack.
    """

    run: Run
    slots: int
    depth: int
    needs_stack: bool

    def evaluated(self, frame: Frame) -> Evaluated:
        # The parser's limit bounds the depth.
        try:
            if self.depth < _SHALLOW:
                value = self.run(frame)
            else:
                with more_frames(self.depth):
                    value = self.run(frame)
        except CancelledError as cancelled:
            value = Error(str(cancelled))
        return Evaluated(value, frame.cost)


class Program:
    """A planned expression; evaluations share no state. `stacked` plans it with cel-go's stack, which few evaluations need."""

    __slots__ = ("_frame", "_plan", "_stacked")

    def __init__(self, planned: _Plan, stacked: Callable[[], _Plan]) -> None:
        self._stacked: Final = stacked
        self._plan: Final = stacked() if planned.needs_stack else planned
        self._frame: Final = StackedFrame if planned.needs_stack else Frame

    def evaluate(self, activation: Mapping[str, Value], cost_limit: int | None = None) -> Evaluated:
        """Evaluate with variables by name; errors, including an exceeded cost limit, are results. Upstream: Program.Eval."""
        return self._plan.evaluated(self._frame(activation, self._plan.slots, cost_limit))

    def trace(
        self, activation: Mapping[str, Value], cost_limit: int | None = None
    ) -> tuple[Evaluated, list[Event]]:
        """Evaluate, and also return the values of the nodes, in order."""
        stacked = self._stacked()
        frame = TracingFrame(activation, stacked.slots, cost_limit)
        return stacked.evaluated(frame), frame.events


def plan(
    expr: ast.Expr,
    check_result: CheckResult,
    functions: Functions,
    costs: CostModel,
) -> Program:
    """Plan a checked expression; raise PlanError with cel-go's text if that fails. Upstream: Env.Program."""

    def planned(*, stacked: bool) -> _Plan:
        return _Planner(
            check_result,
            functions,
            costs,
            stacked=stacked,
        ).plan(expr)

    return Program(planned(stacked=False), partial(planned, stacked=True))
