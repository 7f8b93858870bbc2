"""Estimation of the maximum cost of an expression, without evaluating it. Upstream: cel-go's checker/cost.go."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final, TypeAlias

from crdlint.cel import ast, estimates
from crdlint.cel.checker import CheckResult
from crdlint.cel.decls import CallCost
from crdlint.cel.dialect import CELDialect
from crdlint.cel.estimates import (
    ONE,
    UINT64_MAX,
    UNKNOWN,
    ZERO,
    ASTNode,
    CallEstimate,
    Estimate,
    Estimator,
    fixed,
)
from crdlint.cel.macros import ACCU
from crdlint.cel.types import DYN, Kind, Type
from crdlint.light import NamedTuple, dataclass

Visit: TypeAlias = Generator[ast.Expr, Estimate, Estimate]

# Names of the accumulators of macros; their parts have no path.
_ACCUMULATORS: Final = ("__result__", ACCU)

_Standard: TypeAlias = "Callable[[Sequence[ASTNode]], CallEstimate]"
_Special: TypeAlias = (
    "Callable[[_Coster, ast.Call, Sequence[ASTNode], Sequence[Estimate]], CallEstimate]"
)


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The cost of an expression, and of each node including its children, by node id."""

    total: Estimate
    parts: Mapping[int, Estimate]


def estimate(
    expr: ast.Expr,
    result: CheckResult,
    estimator: Estimator,
    overloads: Mapping[str, CallCost],
    dialect: CELDialect,
) -> CostEstimate:
    """Estimate a checked expression; `overloads` take precedence over `estimator` for their calls. Upstream: checker.Cost."""
    coster = (_Coster if dialect.tracks_local_variables else _PathCoster)(
        result,
        estimator,
        overloads,
        dialect,
    )
    return CostEstimate(ast.visit(expr, coster, coster.costs), coster.costs)


class _Path(Sequence[str]):
    """A path with the aliasing of Go's slices: extended copies may share an array and overwrite each other's elements."""

    __slots__ = ("_length", "_steps")

    def __init__(self, steps: list[str | None], length: int) -> None:
        self._steps = steps
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        return self._steps[: self._length][index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._steps[: self._length])  # type: ignore[arg-type]

    def extended(self, step: str) -> _Path:
        """Append in place if there is capacity, else into a new array of twice the capacity. Upstream: Go's append."""
        length = self._length
        steps = self._steps
        if length == len(steps):
            steps = [*steps, *([None] * max(length, 1))]
        steps[length] = step
        return _Path(steps, length + 1)


_NO_PATH: Final = _Path([], 0)


class _Entries(NamedTuple):
    """The sizes of the keys and values of a list or map."""

    kind: Kind
    key: Estimate
    value: Estimate


def _union(first: _Entries | None, second: _Entries | None) -> _Entries | None:
    if first is None or second is None:
        return None
    return _Entries(first.kind, first.key.union(second.key), first.value.union(second.value))


class _Local(NamedTuple):
    path: _Path
    size: Estimate | None
    entries: _Entries | None


def _joined(first: Estimate | None, second: Estimate | None) -> Estimate | None:
    """Return the sizes of both, or of the one that is known."""
    if first is None or second is None:
        return first or second
    return first.union(second)


@dataclass(slots=True)
class _Coster:
    """Estimates the cost of each node, and notes what is known of its value by its id.

    `result`: what the checker found out.
    `estimator`: what is known of sizes and functions besides.
    `overloads`: the costs of overloads that do not cost one unit, by their ids.
    `dialect`: the version of the language.
    `costs`: the estimated costs.
    `paths`: the paths of values that are parts of variables.
    `locals`: what is known of each variable of a macro, of which the last is the innermost.
    `sizes`: the sizes of results.
    `entries`: the sizes of the keys and values of lists and maps.
    """

    result: CheckResult
    estimator: Estimator
    overloads: Mapping[str, CallCost]
    dialect: CELDialect
    costs: dict[int, Estimate] = field(default_factory=dict)
    paths: dict[int, _Path] = field(default_factory=dict)
    locals: dict[str, list[_Local]] = field(default_factory=dict)
    sizes: dict[int, Estimate | None] = field(default_factory=dict)
    entries: dict[int, _Entries | None] = field(default_factory=dict)

    def literal(self, _expr: ast.Literal | ast.Unspecified) -> Estimate:
        return ZERO

    unspecified = literal

    def ident(self, expr: ast.Ident) -> Estimate:
        return self._variable(expr.id, self._name(expr))

    def _variable(self, id_: int, name: str) -> Estimate:
        local = self._local(name)
        self.paths[id_] = _Path([name], 1) if local is None else local.path
        return ONE

    def select(self, expr: ast.Select) -> Visit:
        reference = self.result.reference_map.get(expr.id)
        if reference is not None:
            return self._variable(expr.id, reference.name)
        cost = yield expr.operand
        if expr.test_only:
            return cost.plus(ONE) if self.dialect.presence_test_has_cost else cost
        if self._type(expr.operand).kind in (Kind.MAP, Kind.STRUCT, Kind.TYPE_PARAM):
            cost = cost.plus(ONE)
        self.paths[expr.id] = self._path(expr.operand).extended(expr.field)
        return cost

    def call(self, expr: ast.Call) -> Visit:
        function = self.result.function(expr)
        if function == "dyn" and self.dialect.tracks_local_variables:
            cost = yield expr.args[0]
            self._copy_sizes(expr, expr.args[0])
            return ONE.plus(cost)
        operands, costs = [], []
        for arg in expr.args:
            costs.append((yield arg))
            operands.append(self._node(arg))
        overload_ids = self.result.overload_ids(expr)
        if not overload_ids:
            return ZERO
        total = ZERO
        if expr.target is not None and expr.id not in self.result.namespaced:
            total = yield expr.target
            operands.insert(0, self._node(expr.target))
        cost = Estimate(UINT64_MAX, 0)
        size: Estimate | None = None
        for overload_id in overload_ids:
            call_estimate = self._function(expr, function, overload_id, operands, costs)
            cost = cost.union(call_estimate.cost)
            size = self._size_of_call(expr, overload_id, _joined(size, call_estimate.size))
        self.sizes[expr.id] = size
        return total.plus(cost)

    def _size_of_call(
        self, expr: ast.Call, overload_id: str, size: Estimate | None
    ) -> Estimate | None:
        """Return the size of the result of an overload, of which the call may know `size`, and note the path of an item."""
        sizes_variables = self.dialect.tracks_local_variables
        below = _INDEXED.get(overload_id)
        if below is not None:
            container = expr.args[0]
            self.paths[expr.id] = self._path(container).extended(below)
            if sizes_variables:
                entries = self._entries_of(container)
                size = None if entries is None else entries.value
        if size is None and sizes_variables:
            size = self._size(expr)
        return size

    def list_(self, expr: ast.ListExpr) -> Visit:
        total, size = fixed(estimates.LIST_COST), _sizes_of(expr.elements)
        for element in expr.elements:
            total = total.plus((yield element))
            size = size.union(self._size_or_unknown(element))
        self.entries[expr.id] = _Entries(Kind.LIST, ONE, size)
        return total

    def map_(self, expr: ast.MapExpr) -> Visit:
        total, keys, values = (
            fixed(estimates.MAP_COST),
            _sizes_of(expr.entries),
            _sizes_of(expr.entries),
        )
        for entry in expr.entries:
            total = total.plus((yield entry.key)).plus((yield entry.value))
            keys = keys.union(self._size_or_unknown(entry.key))
            values = values.union(self._size_or_unknown(entry.value))
        self.entries[expr.id] = _Entries(Kind.MAP, keys, values)
        return total

    def struct(self, expr: ast.StructExpr) -> Visit:
        total = fixed(estimates.STRUCT_COST)
        for entry in expr.fields:
            total = total.plus((yield entry.value))
        return total

    def comprehension(self, expr: ast.Comprehension) -> Visit:
        range_cost = yield expr.iter_range
        total = range_cost.plus((yield expr.accu_init))
        init = expr.accu_init
        self._push(
            expr.accu_var, _Local(self._path(init), self._size(init), self._entries_of(init))
        )
        if _is_bind(expr):
            total = total.plus((yield expr.result))
            self.locals[expr.accu_var].pop()
            self._copy_sizes(expr, expr.result)
            return total
        self._push_iterations(expr)
        condition_cost = yield expr.loop_condition
        each = condition_cost.plus((yield expr.loop_step))
        self.locals[expr.iter_var].pop()
        if expr.iter_var2:
            self.locals[expr.iter_var2].pop()
        total = total.plus((yield expr.result))
        self.locals[expr.accu_var].pop()
        times = self._size_or_unknown(expr.iter_range)
        if isinstance(init, ast.Literal):
            self.sizes[expr.id] = self._size(init)
        elif isinstance(init, (ast.ListExpr, ast.MapExpr)):
            self.sizes[expr.id] = times
            self.entries[expr.id] = self._entries_of(expr.loop_step)
        return total.plus(times.times(each))

    def _push_iterations(self, expr: ast.Comprehension) -> None:
        path, entries = self._path(expr.iter_range), self._entries_of(expr.iter_range)
        kind = self._type(expr.iter_range).kind if entries is None else entries.kind
        key, value = (None, None) if entries is None else (entries.key, entries.value)
        if expr.iter_var2:
            # The path is computed again for the second variable: the first may hide the range.
            keys, values = ("@indices", "@items") if kind is Kind.LIST else ("@keys", "@values")
            self._push(expr.iter_var, _Local(path.extended(keys), key, None))
            self._push(
                expr.iter_var2, _Local(self._path(expr.iter_range).extended(values), value, None)
            )
        elif kind is Kind.LIST:
            self._push(expr.iter_var, _Local(path.extended("@items"), value, None))
        else:
            self._push(expr.iter_var, _Local(path.extended("@keys"), key, None))

    def _function(
        self,
        expr: ast.Call,
        function: str,
        overload: str,
        operands: Sequence[ASTNode],
        costs: Sequence[Estimate],
    ) -> CallEstimate:
        """Return the cost of a call including its arguments. Upstream: coster.functionCost."""
        total = ZERO
        for cost in costs:
            total = total.plus(cost)
        own = self.overloads.get(overload)
        estimated = None if own is None else own.estimate(self.estimator, operands)
        if estimated is None:
            estimated = self.estimator.estimate_call(function, operands)
        if estimated is None:
            operands = list(map(self._sized, operands))
            special = _SPECIAL.get(overload)
            if special is not None:
                return special(self, expr, operands, costs)
            estimated = self._standard(overload, operands)
        size = estimated.size if self.dialect.sizes_results_of_calls else None
        return CallEstimate(estimated.cost.plus(total), size)

    def _standard(self, overload: str, operands: Sequence[ASTNode]) -> CallEstimate:
        """Return the cost of a call of the standard library."""
        standard = _STANDARD.get(overload)
        estimated = CallEstimate(ONE) if standard is None else standard(operands)
        least, most = estimated.cost
        if overload == "in_list" and not self.dialect.saturates_factors and float(most) >= 2.0**64:
            # Of a float beyond uint64, the sign bit, as on amd64.
            return CallEstimate(Estimate(least, 1 << 63))
        return estimated

    def _sized(self, node: ASTNode) -> ASTNode:
        return node

    def logical(
        self, _expr: ast.Call, _args: Sequence[ASTNode], costs: Sequence[Estimate]
    ) -> CallEstimate:
        return CallEstimate(Estimate(costs[0].min, costs[0].plus(costs[1]).max))

    def conditional(
        self, expr: ast.Call, args: Sequence[ASTNode], costs: Sequence[Estimate]
    ) -> CallEstimate:
        self.entries[expr.id] = _union(
            self._entries_of(expr.args[1]), self._entries_of(expr.args[2])
        )
        return CallEstimate(
            costs[0].plus(costs[1].union(costs[2])), _size_of(args[1]).union(_size_of(args[2]))
        )

    def concatenation(
        self, expr: ast.Call, args: Sequence[ASTNode], costs: Sequence[Estimate]
    ) -> CallEstimate:
        size = _size_of(args[0]).plus(_size_of(args[1]))
        self.entries[expr.id] = _union(
            self._entries_of(expr.args[0]), self._entries_of(expr.args[1])
        )
        return CallEstimate(size.traversal().plus(costs[0]).plus(costs[1]), size)

    def list_concatenation(
        self, expr: ast.Call, args: Sequence[ASTNode], costs: Sequence[Estimate]
    ) -> CallEstimate:
        return CallEstimate(
            ONE.plus(costs[0]).plus(costs[1]), self.concatenation(expr, args, costs).size
        )

    def _type(self, expr: ast.Expr) -> Type:
        return self.result.type_map.get(expr.id, DYN)

    def _push(self, name: str, local: _Local) -> None:
        self.locals.setdefault(name, []).append(local)

    def _name(self, expr: ast.Ident) -> str:
        """Return the name as the checker resolved it, without a leading dot."""
        reference = self.result.reference_map.get(expr.id)
        return expr.name if reference is None else reference.name

    def _local(self, name: str) -> _Local | None:
        stack = self.locals.get(name)
        return stack[-1] if stack else None

    def _path(self, expr: ast.Expr) -> _Path:
        if isinstance(expr, ast.Ident):
            local = self._local(self._name(expr))
            if local is not None:
                return local.path
        return self.paths.get(expr.id, _NO_PATH)

    def _known_path(self, expr: ast.Expr) -> Sequence[str]:
        path = self._path(expr)
        return () if path and path[0] in _ACCUMULATORS else path

    def _node(self, expr: ast.Expr) -> ASTNode:
        return ASTNode(
            self._known_path(expr),
            self._type(expr),
            expr,
            self._size(expr),
        )

    def _copy_sizes(self, to: ast.Expr, source: ast.Expr) -> None:
        self.sizes[to.id] = self._size(source)
        self.entries[to.id] = self._entries_of(source)

    def _size_or_unknown(self, expr: ast.Expr) -> Estimate:
        return self._size(expr) or UNKNOWN

    def _size(self, expr: ast.Expr) -> Estimate | None:
        """Return the size of the value of a node, or None if it is unknown. Upstream: coster.computeSize."""
        size = self._computed(expr)
        if size is not None:
            return size
        type_ = self._type(expr)
        size = self.estimator.estimate_size(ASTNode(self._path(expr), type_, expr, None))
        if size is not None:
            self.sizes[expr.id] = size
            return size
        if type_.unwrapped.kind in _SCALARS:
            return ONE
        local = self._local(self._name(expr)) if isinstance(expr, ast.Ident) else None
        return None if local is None else local.size

    def _computed(self, expr: ast.Expr) -> Estimate | None:
        """Return the size that follows from the expression alone. Upstream: AstNode.ComputedSize."""
        size = self.sizes.get(expr.id)
        if size is not None:
            return size
        if isinstance(expr, ast.StructExpr):
            return ZERO if self.dialect.counts_messages_as_empty else None
        literal = _LITERAL_SIZES.get(expr.__class__)
        return None if literal is None else literal(expr)

    def _entries_of(self, expr: ast.Expr) -> _Entries | None:
        entries = self.entries.get(expr.id)
        if entries is None and isinstance(expr, ast.Ident):
            local = self._local(self._name(expr))
            return None if local is None else local.entries
        return entries


@dataclass(slots=True)
class _PathCoster(_Coster):
    """The estimates of cel-go before version 0.23: sizes come from calls, literals and paths, but not from variables.

    The path of a loop variable starts at the range; the path of any other variable is its name.
    """

    ranges: dict[str, list[ast.Expr]] = field(default_factory=dict)

    def _variable(self, id_: int, name: str) -> Estimate:
        ranges = self.ranges.get(name)
        if not ranges:
            self.paths[id_] = _Path([name], 1)
            return ONE
        range_ = ranges[-1]
        step = _ITERATED.get(self._type(range_).kind)
        if step is not None:
            self.paths[id_] = self._path(range_).extended(step)
        return ONE

    def comprehension(self, expr: ast.Comprehension) -> Visit:
        range_cost = yield expr.iter_range
        total = range_cost.plus((yield expr.accu_init))
        ranges = self.ranges.setdefault(expr.iter_var, [])
        ranges.append(expr.iter_range)
        condition_cost = yield expr.loop_condition
        each = condition_cost.plus((yield expr.loop_step))
        ranges.pop()
        total = total.plus((yield expr.result))
        times = self._size_or_unknown(expr.iter_range)
        if self.dialect.sizes_comprehensions:
            self.sizes[expr.id] = times
        return total.plus(times.times(each))

    def _sized(self, node: ASTNode) -> ASTNode:
        return (
            node
            if node.size is not None or node.expr is None
            else node._replace(size=self._size(node.expr))
        )

    def _node(self, expr: ast.Expr) -> ASTNode:
        return ASTNode(
            self._known_path(expr),
            self._type(expr),
            expr,
            self._computed(expr),
        )

    def _size(self, expr: ast.Expr) -> Estimate | None:
        """Return the size of the value of a node, or None if it is unknown. Upstream: coster.sizeEstimate."""
        size = self._computed(expr)
        if size is not None:
            return size
        type_ = self._type(expr)
        size = self.estimator.estimate_size(ASTNode(self._known_path(expr), type_, expr, None))
        return ONE if size is None and type_.kind in _SCALARS else size


_ITERATED: Final = {Kind.LIST: "@items", Kind.MAP: "@keys"}
_INDEXED: Final = {"index_list": "@items", "index_map": "@values"}


def _sizes_of(elements: Sequence[object]) -> Estimate:
    return Estimate(UINT64_MAX, 0) if elements else ZERO


def _is_bind(expr: ast.Comprehension) -> bool:
    """Return whether a comprehension only binds a variable (the macro `cel.bind`)."""
    return (
        isinstance(expr.iter_range, ast.ListExpr)
        and not expr.iter_range.elements
        and isinstance(expr.loop_condition, ast.Literal)
        and expr.loop_condition.value is False
        and expr.accu_var != ACCU
    )


_LITERAL_SIZES: Final[dict[type, Callable[..., Estimate]]] = {
    ast.Literal: lambda expr: fixed(len(expr.value) if isinstance(expr.value, (str, bytes)) else 1),
    ast.ListExpr: lambda expr: fixed(len(expr.elements)),
    ast.MapExpr: lambda expr: fixed(len(expr.entries)),
}

_SCALARS: Final = (Kind.BOOL, Kind.DOUBLE, Kind.DURATION, Kind.INT, Kind.TIMESTAMP, Kind.UINT)


def _size_of(node: ASTNode) -> Estimate:
    return node.size or UNKNOWN


def _traversal(index: int) -> _Standard:
    """Return the cost of reading one of the target and the arguments."""
    return lambda nodes: CallEstimate(_size_of(nodes[index]).traversal())


def _converted(size_of_result: Callable[[Estimate], Estimate]) -> _Standard:
    """Return the cost of reading the target or first argument, with the size of the result."""

    def of_call(nodes: Sequence[ASTNode]) -> CallEstimate:
        size = _size_of(nodes[0])
        return CallEstimate(size.traversal(), size_of_result(size))

    return of_call


def _comparison(nodes: Sequence[ASTNode]) -> CallEstimate:
    most = min(_size_of(nodes[0]).max, _size_of(nodes[1]).max)
    return CallEstimate(Estimate(1 if most > 0 else 0, most).traversal())


_STANDARD: Final[dict[str, _Standard]] = {
    "string_format": _traversal(0),
    "string_to_bytes": _converted(lambda size: Estimate(size.min, size.max * 4 & UINT64_MAX)),
    "bytes_to_string": _converted(lambda size: Estimate(size.min // 4, size.max)),
    "strings_quote": _converted(
        lambda size: Estimate(size.min + 2 & UINT64_MAX, size.max * 2 + 2 & UINT64_MAX)
    ),
    "starts_with_string": _traversal(1),
    "ends_with_string": _traversal(1),
    "in_list": lambda nodes: CallEstimate(_size_of(nodes[1]).scaled(1)),
    "matches_string": lambda nodes: CallEstimate(
        estimates.match_cost(_size_of(nodes[0]), _size_of(nodes[1]))
    ),
    "contains_string": lambda nodes: CallEstimate(
        _size_of(nodes[0]).traversal().times(_size_of(nodes[1]).traversal())
    ),
    **dict.fromkeys(estimates.COMPARISONS, _comparison),
}

# Overloads whose cost is not simply the sum of the costs of their arguments.
_SPECIAL: Final[dict[str, _Special]] = {
    "logical_or": _Coster.logical,
    "logical_and": _Coster.logical,
    "conditional": _Coster.conditional,
    "add_string": _Coster.concatenation,
    "add_bytes": _Coster.concatenation,
    "add_list": _Coster.list_concatenation,
}
