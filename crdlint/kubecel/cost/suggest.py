"""Suggested limits for rules above their budget: which limits to set, the largest round values that suffice, and helps.

All rules of a schema are solved together, the most expensive first, so that their helps are consistent.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from collections.abc import Sequence as SequenceOf
from functools import cached_property, partial
from itertools import combinations
from math import comb
from typing import Final, TypeAlias

from crdlint.cel.ast import Expr, Select, nodes, operands
from crdlint.cel.builder import RESERVED
from crdlint.cel.dialect import CELDialect
from crdlint.cel.estimates import UINT64_MAX, multiply
from crdlint.cel.estimator import CostEstimate
from crdlint.crd.model import JSONSchemaProps
from crdlint.gathering import without_none
from crdlint.kubecel.compilation import Expression, KubernetesEstimator
from crdlint.kubecel.cost import CRD_COST_LIMIT, RULE_COST_LIMIT, EstimatedRule
from crdlint.kubecel.cost.explain import (
    SchemaLimit,
    enclosing,
    limit_of,
    most_expensive_part,
    shown_cost,
    value_path,
)
from crdlint.kubecel.cost.pattern_bounds import longest_text
from crdlint.kubecel.declarations import max_elements
from crdlint.kubecel.repair.filters import without_filter
from crdlint.light import dataclass
from crdlint.phrases import joined
from crdlint.safety.work import Effort
from crdlint.yaml.edit import Edit

Values: TypeAlias = Mapping[int, int]
SchemaLimits: TypeAlias = "tuple[tuple[SchemaLimit, int], ...]"  # limits with their new values

# The number of known costs that one step of effort adds up.
_SUMMED_AT_A_STEP: Final = 8


class Model:
    """The costs of a rule and its message expression with other limits; each estimate counts as effort.

    `limits` contains the limits that affect the costs, by their keys: first those of the lists and maps around the
    schema of the rule, then those of the values that its expressions use. `size` is the number of steps to estimate the
    whole rule, `size_by_limits` that for a change of each of its limits alone.
    """

    def __init__(self, rule: EstimatedRule, effort: Effort) -> None:
        self.judged = rule
        self._effort = effort
        self._enclosing = list(enclosing(rule.node.schema))
        dialect = rule.compiled.rule.environment.dialect
        self.limits: dict[int, SchemaLimit] = _limits(self._enclosing, dialect)
        self._terms = [
            self._terms_of(rule.compiled.rule),
            self._terms_of(rule.compiled.message),
        ]
        terms = [term for terms in self._terms for term in terms]
        self.size = sum(term.size for term in terms)
        self.size_by_limits = sum(term.size * max(len(term.keys), 1) for term in terms)

    def _terms_of(self, expression: Expression | None) -> list[_Term]:
        if expression is None or expression.error is not None:
            return []
        parts = operands(expression.compiled.expr, "_&&_", "_||_")
        return [_Term(part, expression, self.limits, self._effort) for part in parts]

    def costs(self, values: Values) -> tuple[int, int]:
        """Return the costs of the rule in one object and of its message with the limits `values` (cost units)."""
        self._effort.spend(sum(map(len, self._terms)) // _SUMMED_AT_A_STEP)
        of_rule, of_message = self._terms
        rule, message = _total(of_rule, values), _total(of_message, values)
        return multiply(rule, self._times(values)), message

    def _times(self, values: Values) -> int:
        times = 1
        for schema in self._enclosing:
            bound = values.get(id(schema), max_elements(schema))
            if bound is None:
                return self.judged.min_size_cardinality
            times = multiply(times, bound)
        return times


def _limits(schemas: Iterable[JSONSchemaProps], dialect: CELDialect) -> dict[int, SchemaLimit]:
    """Return the limits that schemas have or could have, by their keys."""
    limits = [limit_of(schema, dialect) for schema in schemas]
    return {limit.key: limit for limit in limits if limit is not None}


def _total(terms: Iterable[_Term], values: Values) -> int:
    return min(sum(term.cost(values) for term in terms), UINT64_MAX)


class _Term:
    """An operand of the `&&` and `||` of an expression; the maximum costs of the operands are added.

    So changing a limit requires a new estimate only for the operands that depend on it, those with its key in `keys`.
    Their limits are added to `limits`.
    """

    def __init__(
        self,
        expr: Expr,
        of: Expression,
        limits: dict[int, SchemaLimit],
        effort: Effort,
    ) -> None:
        self._expr, self._of, self._limits, self._effort = expr, of, limits, effort
        estimator = of.estimator()
        estimate = self._estimate(estimator)
        self.size = len(estimate.parts)
        used = _limits(estimator.consulted.values(), of.environment.dialect)
        for key, limit in used.items():
            limits.setdefault(key, limit)
        self.keys = tuple(used)
        self._known: dict[tuple[int | None, ...], int] = {(None,) * len(used): estimate.total.max}

    def cost(self, values: Values) -> int:
        """Return the maximum cost of the term with the limits `values`."""
        key = tuple(map(values.get, self.keys))
        if key not in self._known:
            changed = [limit for limit in self.keys if limit in values]
            elements = {limit: self._limits[limit].elements(values[limit]) for limit in changed}
            self._known[key] = self._estimate(self._of.estimator(elements)).total.max
        return self._known[key]

    def _estimate(self, estimator: KubernetesEstimator) -> CostEstimate:
        estimate = self._of.cost(estimator, self._expr)
        self._effort.spend(len(estimate.parts))
        return estimate


# Usual values: powers of two and ten, their halves and doubles, and the lengths of DNS names.
_ROUND: Final = (
    *(
        1,
        2,
        3,
        4,
        5,
        8,
        10,
        12,
        16,
        20,
        24,
        32,
        40,
        50,
        64,
        80,
        100,
        128,
        150,
        200,
        250,
        256,
        300,
        400,
        500,
        512,
    ),
    *(
        750,
        1000,
        1024,
        1500,
        2000,
        2048,
        2500,
        3000,
        4000,
        4096,
        5000,
        8000,
        8192,
        10_000,
        16_384,
        20_000,
        32_768,
    ),
    *(50_000, 65_536, 100_000, 131_072, 200_000, 262_144, 500_000, 524_288, 1_000_000, 1_048_576),
)
_TEXT: Final = (
    1,
    2,
    3,
    4,
    5,
    8,
    10,
    16,
    20,
    32,
    40,
    50,
    63,
    64,
    100,
    128,
    200,
    253,
    256,
    *_ROUND[_ROUND.index(300) :],
)
# A set of limits is good if it allows lists with this many elements and texts with this many characters.
_FLOORS: Final = ((16, 63), (4, 32), (1, 1))
# Texts are longer than lists.
_TEXT_FACTOR: Final = 4
_MOST_COMBINED: Final = 3
# No limits are searched for rules whose total cost is below this share of the budget of the schema.
_NEGLIGIBLE: Final = 0.1
# The maximum number of estimates of a search: for all limits together, and for each limit alone.
_ESTIMATES_TO_LEVEL: Final = len(_FLOORS) + 7
_ESTIMATES_A_LIMIT: Final = 9


@dataclass(frozen=True, slots=True)
class Solution:
    """The limits of a rule with their new values, and the resulting cost of the rule and its message (cost units)."""

    values: SchemaLimits
    cost: int
    message_cost: int


class TooMuchEffortError(Exception):
    """A search would take more than the remaining effort."""


class LimitPlan:
    """Limits with which every rule of a schema is within its budget, and all together within the budget of the schema.

    `hopeless` contains the rules that no limits bring under their budget, by identity. If `complete` is false, the
    search stopped for lack of effort: then a rule may have no solution, or the total cost may remain too high.
    """

    def __init__(self, rules: SequenceOf[EstimatedRule], effort: Effort) -> None:
        self._effort = effort
        self._limits: dict[int, SchemaLimit] = {}
        self._values: dict[int, int] = {}
        self._made: dict[Hashable, Model] = {}
        self._models: dict[Hashable, Model] = {}
        self._solutions: dict[Hashable, Solution] = {}
        self._unsolved: set[Hashable] = set()
        self.hopeless: dict[int, EstimatedRule] = {}
        self.complete = True
        expensive_first = sorted(rules, key=_highest, reverse=True)
        solves = [
            partial(self._solve, rule)
            for rule in expensive_first
            if _highest(rule) > RULE_COST_LIMIT
        ]
        for solve in (*solves, partial(self._solve_together, expensive_first)):
            try:
                solve()
            except TooMuchEffortError:  # noqa: PERF203  the others may take less
                self.complete = False

    @cached_property
    def values(self) -> SchemaLimits:
        """All limits with their new values."""
        return self._set(self._limits.values())

    def of(self, rule: EstimatedRule) -> Solution | None:
        """Return the solution for a rule, the same object for equal rules, or None."""
        key = _key(rule)
        if key in self._models and key not in self._solutions:
            model = self._models[key]
            values = self._set(model.limits.values())
            self._solutions[key] = Solution(values, *model.costs(self._values))
        return self._solutions.get(key)

    def _set(self, limits: Iterable[SchemaLimit]) -> SchemaLimits:
        return tuple(
            (limit, self._values[limit.key]) for limit in limits if limit.key in self._values
        )

    def _model(self, rule: EstimatedRule) -> Model:
        key = _key(rule)
        if key not in self._made:
            if not self._effort.left:
                raise TooMuchEffortError
            self._made[key] = Model(rule, self._effort)
        return self._made[key]

    def _solve(self, rule: EstimatedRule) -> None:
        """Search limits for a rule above its budget, in addition to those that other rules already need."""
        if _key(rule) in self._models:
            return
        if _key(rule) in self._unsolved:
            self.hopeless[id(rule)] = rule
            return
        model = self._model(rule)
        # Above half of the budget the cost would be reported as near the limit.
        for budget, floors in ((RULE_COST_LIMIT // 2, _FLOORS[:1]), (RULE_COST_LIMIT, _FLOORS)):
            search = _LimitSearch(
                [model],
                self._values,
                self._effort,
                lambda costs: max(costs) <= budget,  # noqa: B023  run at once
            )
            values = search.run(floors)
            if values is not None:
                self._take([model], values)
                return
        self.hopeless[id(rule)] = rule
        self._unsolved.add(_key(rule))

    def _solve_together(self, expensive_first: SequenceOf[EstimatedRule]) -> None:
        """Lower the values, and set more limits if necessary, until the total cost is within the budget."""
        rules = [rule for rule in expensive_first if id(rule) not in self.hopeless]
        rest = sum(map(_sum, rules))
        if rest <= CRD_COST_LIMIT:
            return
        models: list[Model] = []
        # Cheap rules hardly affect the total, but there can be many of them.
        while rules and rest > CRD_COST_LIMIT * _NEGLIGIBLE:
            next_rule = rules[len(models)]
            if _highest(next_rule) > RULE_COST_LIMIT and _key(next_rule) not in self._models:
                raise TooMuchEffortError
            models.append(self._model(next_rule))
            rest -= _sum(next_rule)
        search = _LimitSearch(
            models,
            self._values,
            self._effort,
            lambda costs: sum(costs) <= CRD_COST_LIMIT - rest,
        )
        values = search.run(is_lowering=True)
        if values is not None:
            self._take(models, values)

    def _take(self, models: Iterable[Model], values: Values) -> None:
        for model in models:
            self._models[_key(model.judged)] = model
            self._limits |= model.limits
        self._values.update(values)


def _key(rule: EstimatedRule) -> Hashable:
    """Return what equal rules of a schema have in common: their costs depend on the same limits alike."""
    message = rule.compiled.message
    return (
        id(rule.node.schema),
        id(rule.compiled.rule.compilation),
        id(message and message.compilation),
    )


def _highest(rule: EstimatedRule) -> int:
    return max(rule.total_cost, rule.message_cost)


def _sum(rule: EstimatedRule) -> int:
    return rule.total_cost + rule.message_cost


class _LimitSearch:
    """A search for the smallest set of limits that suffices, with values as large as possible.

    `given` contains values that are already set; `enough` decides by the costs of each rule and message.
    """

    def __init__(
        self,
        models: SequenceOf[Model],
        initial: Values,
        effort: Effort,
        enough: Callable[[SequenceOf[int]], bool],
    ) -> None:
        limits = {key: limit for model in models for key, limit in model.limits.items()}
        self._models = Counter(models)
        self._given = {key: initial[key] for key in limits if key in initial}
        self._effort = effort
        self._enough = enough
        self._limits = limits
        exact = {id(model.judged.node.schema): longest_text(model.judged) for model in models}
        self._ladders = {
            key: _ladder(limit, self._given.get(key), exact.get(key))
            for key, limit in limits.items()
        }
        self._usable = [limit for key, limit in limits.items() if self._ladders[key]]
        self._size = sum(model.size for model in self._models)
        self._size_by_limits = sum(model.size_by_limits for model in self._models)

    def run(
        self, floors: SequenceOf[tuple[int, int]] = _FLOORS, *, is_lowering: bool = False
    ) -> Values | None:
        """Return the values to set, none below the last of `floors`; with `is_lowering` of those already set, if that suffices.

        They are empty if the costs are low enough already. Return None if no values suffice.
        Raise `TooMuchEffortError` if that takes too much effort.
        """
        if self._passes({}):
            return {}
        if not self._effort.affords(_ESTIMATES_TO_LEVEL * self._size):
            raise TooMuchEffortError
        lowered = self._largest(self._lower) if is_lowering and self._given else None
        if lowered is not None:
            return lowered
        for elements, characters in floors:
            floor = {limit.key: self._step(limit, elements, characters) for limit in self._usable}
            if self._passes(floor):
                return self._improved(floor)
        return None

    def _lower(self, *most: int) -> Values:
        return {
            key: min(value, self._step(self._limits[key], *most))
            for key, value in self._given.items()
        }

    def _passes(self, values: Values) -> bool:
        values = {**self._given, **values}
        costs: list[int] = []
        for model, times in self._models.items():
            costs += model.costs(values) * times
        return self._enough(costs)

    def _improved(self, floor: Values) -> Values:
        """Return the values to set, given that all limits at the floor suffice."""
        # The search for single limits may take half of the effort; the rest is for other rules.
        if not self._effort.affords(2 * _ESTIMATES_A_LIMIT * self._size_by_limits):
            return self._alike(self._usable, floor)
        needed = [limit for limit in self._usable if self._needs(limit, floor, self._usable)]
        fitting = self._small_sets(needed, floor)
        if fitting:
            return max((self._raised(chosen, floor) for chosen in fitting), key=self._preference)
        chosen = list(self._usable)
        for limit in self._usable:
            if limit not in needed and not self._needs(limit, floor, chosen):
                chosen.remove(limit)
        return self._raised(chosen, floor)

    def _needs(self, limit: SchemaLimit, floor: Values, chosen: SequenceOf[SchemaLimit]) -> bool:
        """Return whether some limits at the floor do not suffice without one of them."""
        return not self._passes(_values_of(floor, chosen, without=limit))

    def _preference(self, values: Values) -> tuple[int, int]:
        """Return the order of sets of equal size: by limits that are not set yet, then by the smallest value."""
        unset = {limit.key for limit in self._usable if limit.bound is None}
        return len(unset & values.keys()), min(values.values())

    def _small_sets(
        self, needed: SequenceOf[SchemaLimit], floor: Values
    ) -> list[list[SchemaLimit]]:
        """Return the smallest sets of limits that suffice, or an empty list if they would be large."""
        others = [candidate for candidate in self._usable if candidate not in needed]
        fewest = max(1 - len(needed), 0)
        most = min(_MOST_COMBINED - len(needed), len(others))
        for more in range(fewest, most + 1):
            estimates = 2 * _ESTIMATES_A_LIMIT * comb(len(others), more)
            if not self._effort.affords(estimates * self._size):
                break
            fitting = []
            for rest in combinations(others, more):
                chosen = {*needed, *rest}
                limits = [limit for limit in self._usable if limit in chosen]
                if self._passes(_values_of(floor, limits)):
                    fitting.append(limits)
            if fitting:
                return fitting
        return []

    def _step(self, limit: SchemaLimit, elements: int, characters: int) -> int:
        """Return the largest value of a limit up to a number of elements or characters."""
        most = characters if limit.keyword == "maxLength" else elements
        return max((step for step in self._ladders[limit.key] if step <= most), default=1)

    def _largest(self, values_at: Callable[[int, int], Values]) -> Values | None:
        """Return the values for the largest round number of elements, and of characters, that suffices, or None."""
        index = _last(
            len(_ROUND),
            lambda index: self._passes(values_at(_ROUND[index], _ROUND[index] * _TEXT_FACTOR)),
        )
        return None if index < 0 else values_at(_ROUND[index], _ROUND[index] * _TEXT_FACTOR)

    def _alike(self, chosen: Iterable[SchemaLimit], floor: Values) -> Values:
        """Return the values for the largest common round number that suffices."""

        def raised(*most: int) -> Values:
            return {limit.key: max(floor[limit.key], self._step(limit, *most)) for limit in chosen}

        return self._largest(raised) or _values_of(floor, chosen)

    def _raised(self, chosen: SequenceOf[SchemaLimit], floor: Values) -> Values:
        """Return values that suffice: first alike, then each raised alone as far as possible."""
        values = dict(self._alike(chosen, floor))
        for limit in chosen:
            key = limit.key
            steps = [step for step in self._ladders[key] if step > values[key]]
            index = _last(len(steps), lambda index: self._passes({**values, key: steps[index]}))  # noqa: B023  called immediately
            if index >= 0:
                values[key] = steps[index]
        return values


def _ladder(limit: SchemaLimit, current: int | None, exact: int | None) -> tuple[int, ...]:
    """Return the values to try for a limit, all below its bound and its `current` value.

    None is above `exact`, the length of the longest text that is valid anyway.
    """
    steps = _TEXT if limit.keyword == "maxLength" else _ROUND
    if exact is not None:
        steps = (*(step for step in steps if step < exact), exact)
    bound = min(without_none((limit.bound, current)), default=None)
    return steps if bound is None else tuple(step for step in steps if step < bound)


def _values_of(
    floor: Values, limits: Iterable[SchemaLimit], without: SchemaLimit | None = None
) -> Values:
    """Return the values of some limits at the floor, except for one of them."""
    return {limit.key: floor[limit.key] for limit in limits if limit is not without}


def _last(count: int, passes: Callable[[int], bool]) -> int:
    """Return the last index below `count` that passes, -1 for none; if an index passes, so do all smaller ones."""
    return bisect_left(range(count), True, key=lambda index: not passes(index)) - 1


# The maximum number of limits that a help lists, and of characters of an expression that it quotes.
_LISTED: Final = 16
_QUOTED: Final = 120
# The effort of finding the expensive part of an expression, per node.
_STEPS_TO_QUOTE: Final = 4


class Suggestions:
    """The helps for the rules of one schema; limits are searched for once, with the first help.

    `limits` and `unfiltered` are what the helps of rules name, by the path of the rule: the limits to set, or what to
    write without filter().
    """

    def __init__(self, rules: SequenceOf[EstimatedRule], effort: Effort) -> None:
        self._rules = rules
        self._effort = effort
        self.limits: dict[str, SchemaLimits] = {}
        self.unfiltered: dict[str, Edit] = {}

    @cached_property
    def plan(self) -> LimitPlan:
        """The limits to set."""
        return LimitPlan(self._rules, self._effort)

    def on_rule(self, rule: EstimatedRule, *, of_message: bool = False) -> str | None:
        """Return how to reduce the cost of a rule or of its message expression, or None if the search takes too long."""
        solution = self.plan.of(rule)
        if solution is not None and solution.values:
            self.limits[str(rule.path)] = solution.values
            cost = solution.message_cost if of_message else solution.cost
            return f"Set {shown(solution.values)}: the estimate is then {shown_cost(cost)} of {RULE_COST_LIMIT:,}"
        expression = rule.compiled.message if of_message else rule.compiled.rule
        if expression is None or id(rule) not in self.plan.hopeless:
            return None
        return self._on_filter(rule, expression) or self._on_hopeless(expression)

    def on_all(self) -> str | None:
        """Return how to reduce the total cost of all rules, or None if the search takes too long."""
        plan = self.plan
        if not plan.complete:
            return None
        parts = [f"set {shown(plan.values)}"] if plan.values else []
        if plan.hopeless:
            rules = f"{len(plan.hopeless):,} rules" if len(plan.hopeless) > 1 else "the rule"
            parts.append(f"simplify {rules} that no limit brings below the budget")
        text = " and ".join(parts)
        return text[:1].upper() + text[1:] or None

    def _on_filter(self, rule: EstimatedRule, expression: Expression) -> str | None:
        """Return the help for a macro over a filtered list, which keeps its bounds without filter(); None without one."""
        if not self._effort.affords(len(expression.text)):
            return None
        self._effort.spend(len(expression.text))
        unfiltered = without_filter(expression)
        if unfiltered is None or not unfiltered.expression.highest_cost < expression.highest_cost:
            return None
        self.unfiltered[str(rule.path)] = unfiltered.edit
        return f"Write `{unfiltered.new}` instead of `{unfiltered.old}`: the estimator knows no bounds of what filter() returns"

    def _on_hopeless(self, expression: Expression) -> str | None:
        tree = list(nodes(expression.compiled.expr))
        words = {node.field for node in tree if isinstance(node, Select)} & RESERVED
        if words:
            word = min(words)
            return (
                f"Write `__{word}__` instead of `{word}`: the estimator ignores the limits of a field"
                " whose name is a reserved word"
            )
        steps = _STEPS_TO_QUOTE * len(tree)
        if not self._effort.affords(steps):
            return None
        self._effort.spend(steps)
        part = most_expensive_part(expression, RULE_COST_LIMIT)
        inner = part if len(part) <= _QUOTED else f"{part[:_QUOTED]}..."
        return f"Remove or simplify `{inner}`: the estimator knows no bound for its values, so no limit reduces the cost"


def shown(values: SequenceOf[tuple[SchemaLimit, int]]) -> str:
    """Return limits as text, such as `maxItems: 64` on `spec.hosts`, at most a few."""
    parts = [
        f"`{limit.keyword}: {value}` on `{value_path(limit.schema)}`"
        for limit, value in values[:_LISTED]
    ]
    if len(values) > _LISTED:
        parts.append(
            f"{len(values) - _LISTED:,} more (`crdlint cost --suggest` prints all of them)"
        )
    return joined(parts)
