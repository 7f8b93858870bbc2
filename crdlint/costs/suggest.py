"""The way under a budget, found by estimating: which limits to set, and the largest round values that pass."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from crdlint.costs.limits import Limit, enclosing, limits_of
from crdlint.kubecel.limits import CRD_COST_LIMIT, RULE_COST_LIMIT, multiply
from crdlint.kubecel.schema_context import max_elements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from collections.abc import Sequence as SequenceOf
    from typing import TypeAlias

    from crdlint.rules.cel import JudgedRule

    # Values of keywords, by the identity of the schema.
    Values: TypeAlias = Mapping[int, int]

# What people write: powers of two and ten, their halves and doubles, and the lengths of DNS names.
_ROUND: Final = (
    *(1, 2, 3, 4, 5, 8, 10, 12, 16, 20, 24, 32, 40, 50, 64, 80, 100, 128, 150, 200, 250, 256, 300, 400, 500, 512),
    *(750, 1000, 1024, 1500, 2000, 2048, 2500, 3000, 4000, 4096, 5000, 8000, 8192, 10_000, 16_384, 20_000, 32_768),
    *(50_000, 65_536, 100_000, 131_072, 200_000, 262_144, 500_000, 524_288, 1_000_000, 1_048_576),
)
_TEXT: Final = (1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 40, 50, 63, 64, 100, 128, 200, 253, 256, *_ROUND[_ROUND.index(300) :])
# A set of limits counts as good where lists of so many elements, and texts of so many characters, are left.
_FLOORS: Final = ((16, 63), (4, 32), (1, 1))
_MAX_COMBINED: Final = 3


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Limits with values that bring a rule, and all rules of its schema, under their budgets.

    ``cost`` is the rule's with them, in cost units.
    """

    values: tuple[tuple[Limit, int], ...]
    cost: int


def suggest(judged: JudgedRule, *, of_message: bool = False) -> Suggestion | None:
    """Find limits for a rule, or its message expression, above the budget of one.

    None where no limits would do: then the expression itself costs too much.
    """
    model = _Model(judged)
    found = _search(model.limits, lambda values: model.costs(values)[of_message] <= RULE_COST_LIMIT)
    if found is None:
        return None
    values = tuple((limit, found[limit.key]) for limit in model.limits if limit.key in found)
    return Suggestion(values, model.costs(found)[of_message])


@dataclass(frozen=True, slots=True)
class Joint:
    """Limits that bring all rules of a schema under their budgets, but for those that no limits bring down."""

    values: tuple[tuple[Limit, int], ...]
    hopeless: tuple[JudgedRule, ...]


def suggest_all(rules: SequenceOf[JudgedRule]) -> Joint:
    """Find limits with which every rule of a schema passes, and all that can pass do so together."""
    limits: dict[int, Limit] = {}
    values: dict[int, int] = {}
    hopeless: list[JudgedRule] = []
    models: list[_Model] = []
    for model in sorted(map(_Model, rules), key=lambda one: -one.cost({})):
        found = _search(model.limits, model.passes) if not model.passes({}) else {}
        if found is None:
            hopeless.append(model.judged)
            continue
        models.append(model)
        limits.update((limit.key, limit) for limit in model.limits)
        for key, value in found.items():
            values[key] = min(value, values.get(key, value))
    whole = _Whole(models)
    if not whole.fits(values):
        values = _lowered(list(limits.values()), values, whole.fits) or values
    return Joint(tuple((limit, values[key]) for key, limit in limits.items() if key in values), tuple(hopeless))


class _Model:
    """A rule's cost as a function of limits."""

    def __init__(self, judged: JudgedRule) -> None:
        self.judged = judged
        self.limits = limits_of(judged)
        self._by_key = {limit.key: limit for limit in self.limits}
        self._enclosing = list(enclosing(judged.node.schema))
        self._known: dict[tuple[tuple[int, int], ...], tuple[int, int]] = {}

    def costs(self, values: Values) -> tuple[int, int]:
        """Return what the rule and its message cost with limits set to values."""
        mine = tuple((key, value) for key, value in values.items() if key in self._by_key)
        found = self._known.get(mine)
        if found is None:
            elements = {key: self._by_key[key].elements(value) for key, value in mine}
            compiled = self.judged.compiled
            each = [
                expression.cost(expression.estimator(elements)).total.max
                if expression is not None and expression.error is None
                else 0
                for expression in (compiled.rule, compiled.message)
            ]
            found = self._known[mine] = (multiply(each[0], self._times(dict(mine))), each[1])
        return found

    def cost(self, values: Values) -> int:
        """Return what the rule costs with limits set to values, or its message where that is more."""
        return max(self.costs(values))

    def passes(self, values: Values) -> bool:
        """Whether the rule and its message are within their budgets."""
        return self.cost(values) <= RULE_COST_LIMIT

    def _times(self, values: Values) -> int:
        times = 1
        for schema in self._enclosing:
            bound = values.get(id(schema), max_elements(schema))
            if bound is None:
                return self.judged.min_size_cardinality
            times = multiply(times, bound)
        return times


class _Whole:
    """All rules of a schema."""

    def __init__(self, models: SequenceOf[_Model]) -> None:
        self._models = models

    def fits(self, values: Values) -> bool:
        """Whether all rules together are within the budget of a schema."""
        return sum(sum(model.costs(values)) for model in self._models) <= CRD_COST_LIMIT


def _ladder(limit: Limit) -> tuple[int, ...]:
    """Return the values to try for a limit, none above what it is."""
    steps = _TEXT if limit.keyword == "maxLength" else _ROUND
    return steps if limit.bound is None else tuple(step for step in steps if step < limit.bound)


def _search(limits: SequenceOf[Limit], passes: Callable[[Values], bool]) -> dict[int, int] | None:
    """Return values for the smallest set of limits that passes, as large as they may be."""
    usable = [limit for limit in limits if _ladder(limit)]
    for elements, characters in _FLOORS:
        floor = {limit.key: _floor(limit, elements, characters) for limit in usable}
        if not passes(floor):
            continue
        for size in range(1, min(_MAX_COMBINED, len(usable)) + 1):
            fitting = [
                chosen for chosen in combinations(usable, size) if passes({one.key: floor[one.key] for one in chosen})
            ]
            if fitting:
                raised = (_raised(chosen, floor, passes) for chosen in fitting)
                # Where several sets of a size would do, those that are not set yet, then the largest values.
                return max(raised, key=lambda values: _worth(usable, values))
        chosen = list(usable)
        for one in usable:
            rest = [other for other in chosen if other is not one]
            if passes({other.key: floor[other.key] for other in rest}):
                chosen = rest
        return _raised(chosen, floor, passes)
    return None


def _floor(limit: Limit, elements: int, characters: int) -> int:
    least = characters if limit.keyword == "maxLength" else elements
    return max((step for step in _ladder(limit) if step <= least), default=1)


def _worth(limits: Iterable[Limit], values: Values) -> tuple[int, float]:
    unset = sum(limit.bound is None for limit in limits if limit.key in values)
    return unset, min(values.values())


def _raised(chosen: Iterable[Limit], floor: Values, passes: Callable[[Values], bool]) -> dict[int, int]:
    """Return values that pass, from the floor up: all alike as far as that goes, then each by itself."""
    chosen = list(chosen)
    values = {limit.key: floor[limit.key] for limit in chosen}
    low, high = 0, len(_ROUND) - 1
    while low < high:  # the highest common step
        middle = (low + high + 1) // 2
        if passes({limit.key: _step(limit, middle, floor) for limit in chosen}):
            low = middle
        else:
            high = middle - 1
    common = {limit.key: _step(limit, low, floor) for limit in chosen}
    if passes(common):
        values = common
    for limit in chosen:
        steps = [step for step in _ladder(limit) if step > values[limit.key]]
        low, high = 0, len(steps)
        while low < high:
            middle = (low + high + 1) // 2
            if passes({**values, limit.key: steps[middle - 1]}):
                low = middle
            else:
                high = middle - 1
        if low:
            values[limit.key] = steps[low - 1]
    return values


def _step(limit: Limit, index: int, floor: Values) -> int:
    ladder = _ladder(limit)
    most = _ROUND[index] * (_TEXT_FACTOR if limit.keyword == "maxLength" else 1)
    return max(floor[limit.key], max((step for step in ladder if step <= most), default=ladder[0]))


# Texts are longer than lists.
_TEXT_FACTOR: Final = 4


def _lowered(limits: SequenceOf[Limit], values: Values, fits: Callable[[Values], bool]) -> dict[int, int] | None:
    """Return lower values of the same limits, and where that does not do of more of them, that fit."""
    for index in range(len(_ROUND) - 1, -1, -1):
        lowered = {
            limit.key: min(values[limit.key], max((s for s in _ladder(limit) if s <= _capped(limit, index)), default=1))
            for limit in limits
            if limit.key in values
        }
        if fits(lowered):
            return lowered
    found = _search(limits, fits)
    return (
        None
        if found is None
        else {**values, **{key: min(value, values.get(key, value)) for key, value in found.items()}}
    )


def _capped(limit: Limit, index: int) -> int:
    return _ROUND[index] * (_TEXT_FACTOR if limit.keyword == "maxLength" else 1)
