"""The values that an expression can have, as a few pieces, and how a test divides them by its result."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import auto
from typing import Any, Final, TypeAlias

from crdlint.light import Enum, NamedTuple, dataclass, replace

# What a condition evaluates to, as bits.
TRUE: Final = 1
FALSE: Final = 2
ERROR: Final = 4
ANY_RESULT: Final = TRUE | FALSE | ERROR
DECIDED: Final = frozenset({TRUE, FALSE, ERROR})


def result_of(*, holds: bool) -> int:
    """Return the result of a test that holds or does not."""
    return TRUE if holds else FALSE


class Piece(Enum):
    """Values that tests do not divide."""

    FAILURE = auto()  # none: the field is absent, or the evaluation fails
    NAN = auto()
    LIST = auto()
    OBJECT = auto()
    UNTOLD = auto()  # any value, and tests of it never fail


@dataclass(frozen=True, slots=True)
class Just:
    """One value of JSON."""

    value: Any


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers between two bounds, which are excluded if they are open; ``is_whole`` for integers."""

    low: float = -math.inf
    high: float = math.inf
    is_whole: bool = False
    is_open_low: bool = False
    is_open_high: bool = False

    def narrowed(self) -> Domain:
        """Return the same numbers without open bounds of integers, as one value, or as none."""
        return self._narrowed_integers() if self.is_whole else self._narrowed_numbers()

    def _narrowed_integers(self) -> Domain:
        low, high = self.low, self.high
        if math.isfinite(low):
            low = math.floor(low) + 1 if self.is_open_low else math.ceil(low)
        if math.isfinite(high):
            high = math.ceil(high) - 1 if self.is_open_high else math.floor(high)
        if low > high:
            return ()
        return (Just(low),) if low == high else (Numbers(low, high, is_whole=True),)

    def _narrowed_numbers(self) -> Domain:
        is_open = self.is_open_low or self.is_open_high
        is_single = self.low == self.high
        if self.low > self.high or (is_single and is_open):
            return ()
        return (Just(self.low),) if is_single else (self,)

    def beside(self, bound: float, *, below: bool, includes: bool) -> Domain:
        """Return the numbers below or above a bound."""
        end = self.high if below else self.low
        is_beyond_end = bound > end if below else bound < end
        if is_beyond_end or (bound == end and includes):
            return (self,)
        if below:
            return replace(self, high=bound, is_open_high=not includes).narrowed()
        return replace(self, low=bound, is_open_low=not includes).narrowed()


@dataclass(frozen=True, slots=True)
class Others:
    """All values that are not numbers, without the ``excluded`` ones."""

    excluded: frozenset[tuple[bool, Any]] = frozenset()


_Single: TypeAlias = "Piece | Just | Numbers | Others"
Domain: TypeAlias = "tuple[_Single, ...]"
PRESENT: Final[Domain] = (Numbers(), Others())
FIELD: Final[Domain] = (Piece.FAILURE, *PRESENT)
COMPUTED: Final[Domain] = (*FIELD, Piece.NAN)
SIZES: Final[Domain] = (Numbers(0, is_whole=True),)
FAILED: Final[Domain] = (Piece.FAILURE,)
_CONDITIONS: Final = ((TRUE, Just(value=True)), (FALSE, Just(value=False)))
# The values of a condition that has some results.
OF_RESULTS: Final[Sequence[Domain]] = [
    tuple(piece for bit, piece in (*_CONDITIONS, (ERROR, Piece.FAILURE)) if bit & results)
    for results in range(ANY_RESULT + 1)
]


class Test(NamedTuple):
    """A test of a value: `==` or `<` or the like with a constant, `in` with some, `has`, or `is` for a condition."""

    operator: str
    operand: Any = None


HAS: Final = Test("has")
IS_TRUE: Final = Test("is")
# The comparison, whether numbers below the operand pass, and whether the operand itself does.
_ORDERS: Final = {
    "<": (operator.lt, True, False),
    "<=": (operator.le, True, True),
    ">": (operator.gt, False, False),
    ">=": (operator.ge, False, True),
}


def divide(domain: Domain, test: Test) -> dict[int, Domain]:
    """Return the values for each result that a test can have."""
    parts: dict[int, list[Any]] = {}
    if test.operator in {"==", "in"}:
        values = test.operand if test.operator == "in" else (test.operand,)
        test = Test("in", {_key(value): value for value in values})
    for piece in domain:
        for result, rest in _divided(piece, test):
            parts.setdefault(result, []).append(rest)
    return {result: tuple(pieces) for result, pieces in parts.items()}


def fails(domain: Domain) -> bool:
    """Return whether there is no value for certain."""
    return domain == FAILED


def may_fail(domain: Domain) -> bool:
    """Return whether there may be no value."""
    return Piece.FAILURE in domain


def failure_of(domain: Domain) -> int:
    """Return ERROR if there may be no value, else no result."""
    return ERROR if may_fail(domain) else 0


def constant(domain: Domain) -> Just | None:
    """Return the only value of a domain, None if it has several."""
    if len(domain) != 1:
        return None
    only = domain[0]
    return only if isinstance(only, Just) else None


def is_number(value: object) -> bool:
    """Return whether tests order a constant."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def failing(domain: Domain) -> Domain:
    """Return the values of a domain or none."""
    return domain if may_fail(domain) else (*domain, *FAILED)


def has_items(domain: Domain) -> bool:
    """Return whether each value is a list or a map."""
    return all(piece in {Piece.LIST, Piece.OBJECT, Piece.UNTOLD} for piece in domain)


def counted(results: int) -> Domain:
    """Return how many times a condition is true: once or not."""
    return tuple(map(_as_count, OF_RESULTS[results]))


def _as_count(piece: _Single) -> _Single:
    return Just(int(piece.value)) if isinstance(piece, Just) else piece


def present(domain: Domain) -> Domain:
    """Return the values of a domain that are there."""
    return tuple(piece for piece in domain if piece is not Piece.FAILURE)


def both(first: Domain, second: Domain) -> Domain:
    """Return the values of one domain that may be in another one, too."""
    if Piece.UNTOLD in second:
        return first
    if _are_listed(second):
        return tuple(piece for piece in second if _is_in(first, piece))
    ranges = [piece for piece in second if isinstance(piece, Numbers)]
    pieces = first
    if len(ranges) == len(second):
        pieces = tuple(_in_ranges(first, ranges))
    return pieces if may_fail(second) else present(pieces)


def _are_listed(domain: Domain) -> bool:
    """Return whether a domain is a list of values, of which one may be missing."""
    return all(isinstance(piece, Just) for piece in present(domain))


def _is_in(domain: Domain, value: object) -> bool:
    return value in domain or any(_contains(piece, value) for piece in domain)


def _contains(piece: _Single, value: object) -> bool:
    """Return whether a value is one of several values."""
    if not isinstance(value, Just):
        return False
    if isinstance(piece, Numbers) and is_number(value.value):
        return bool(_common(piece, Numbers(value.value, value.value)))
    if isinstance(piece, Others) and not is_number(value.value):
        return _key(value.value) not in piece.excluded
    return piece is Piece.UNTOLD


def _in_ranges(domain: Domain, ranges: Sequence[Numbers]) -> Iterator[_Single]:
    """Yield the values of a domain without numbers that are in none of some ranges."""
    for piece in domain:
        if isinstance(piece, Just) and is_number(piece.value):
            if any(each.low <= piece.value <= each.high for each in ranges):
                yield piece
        elif isinstance(piece, Numbers) and len(ranges) == 1:
            yield from _common(piece, ranges[0])
        else:
            yield piece


def _common(first: Numbers, second: Numbers) -> Domain:
    """Return the numbers that are in two ranges."""
    low = max((first.low, first.is_open_low), (second.low, second.is_open_low))
    high = min((first.high, not first.is_open_high), (second.high, not second.is_open_high))
    is_whole = first.is_whole or second.is_whole
    return Numbers(low[0], high[0], is_whole, low[1], not high[1]).narrowed()


def total(first: Domain, second: Domain) -> Domain:
    """Return the sums of the values of two domains, nothing if these have no bounds."""
    if fails(first) or fails(second):
        return FAILED
    if Piece.UNTOLD in (*first, *second):
        return (Piece.UNTOLD,)
    (low, high), (other_low, other_high) = _ends(first), _ends(second)
    if not all(map(math.isfinite, (low, high, other_low, other_high))):
        return ()
    sums = Numbers(low + other_low, high + other_high, is_whole=True).narrowed()
    return (*sums, *FAILED) if may_fail((*first, *second)) else sums


def up_to(sizes: Domain) -> Domain:
    """Return the whole numbers from zero to the largest of some sizes, nothing if these have no bound."""
    _, high = _ends(sizes)
    return tuple(Numbers(0, high, is_whole=True).narrowed()) if math.isfinite(high) else ()


def _ends(domain: Domain) -> tuple[float, float]:
    """Return the smallest and the largest of integers, infinite ones for other values."""
    low, high = math.inf, -math.inf
    for piece in domain:
        if isinstance(piece, Just) and type(piece.value) is int:
            low, high = min(low, piece.value), max(high, piece.value)
        elif isinstance(piece, Numbers) and piece.is_whole:
            low, high = min(low, piece.low), max(high, piece.high)
        elif piece is not Piece.FAILURE:
            return -math.inf, math.inf
    return low, high


def is_text(domain: Domain) -> bool:
    """Return whether all values are texts that are not empty; texts are the only ones of their kind in a schema."""
    has_others = any(isinstance(piece, Others) for piece in domain)
    return has_others and all(map(_is_filled_text, present(domain)))


def _is_filled_text(piece: _Single) -> bool:
    if isinstance(piece, Others):
        return _key("") in piece.excluded
    return isinstance(piece, Just) and isinstance(piece.value, str) and piece.value != ""


def texts(domain: Domain) -> list[str]:
    """Return the values of a domain if these are a few texts, nothing otherwise."""
    values = [piece.value for piece in domain if isinstance(piece, Just)]
    are_texts = len(values) == len(domain) and all(isinstance(value, str) for value in values)
    return values if are_texts else []


def excluded_texts(domain: Domain) -> list[str]:
    """Return the texts that are no value of a domain of all other texts; nothing if texts are listed."""
    others = [piece for piece in domain if isinstance(piece, Others)]
    if len(others) != 1 or any(isinstance(piece, Just) for piece in domain):
        return []
    return sorted(value for _, value in others[0].excluded if isinstance(value, str))


def is_ordered(domain: Domain) -> bool:
    """Return whether of each two values one is less, or both are equal: all are numbers."""
    return all(map(_is_numeric, present(domain)))


def _is_numeric(piece: _Single) -> bool:
    return isinstance(piece, Numbers) or (isinstance(piece, Just) and is_number(piece.value))


def compared(first: Domain, second: Domain, operator_: str) -> int:
    """Return the results of comparing values of two domains."""
    failure = failure_of((*first, *second))
    if Piece.UNTOLD in (*first, *second):
        return failure | TRUE | FALSE
    if operator_ == "==":
        equal = TRUE if _may_be_equal(first, second) else 0
        return failure | FALSE | equal
    if is_ordered((*first, *second)):
        return failure | TRUE | FALSE
    return ANY_RESULT


def _may_be_equal(first: Domain, second: Domain) -> bool:
    """Return False if both domains are lists of values that have none in common."""
    if not _are_listed((*first, *second)):
        return True
    return any(isinstance(piece, Just) and piece in second for piece in first)


def _divided(piece: Any, test: Test) -> Iterator[tuple[int, Any]]:
    name, operand = test
    if piece is Piece.UNTOLD:
        yield from ((TRUE, piece), (FALSE, piece))
    elif piece is Piece.FAILURE:
        yield FALSE if name == "has" else ERROR, piece
    elif name == "has":
        yield TRUE, piece
    elif name == "is":
        yield from _as_condition(piece)
    elif name in _ORDERS:
        yield from _ordered(piece, name, operand)
    else:
        yield from _among(piece, operand)


def _as_condition(piece: Any) -> Iterator[tuple[int, Any]]:
    if isinstance(piece, Others):
        for result, constant in _CONDITIONS:
            if _key(constant.value) not in piece.excluded:
                yield result, constant
        yield ERROR, Others(piece.excluded | {_key(True), _key(False)})
    elif isinstance(piece, Just) and isinstance(piece.value, bool):
        yield result_of(holds=piece.value), piece
    else:
        yield ERROR, piece


def _ordered(piece: Any, name: str, bound: float) -> Iterator[tuple[int, Any]]:
    compare, is_below, includes = _ORDERS[name]
    if isinstance(piece, Just) and is_number(piece.value):
        yield result_of(holds=compare(piece.value, bound)), piece
    elif isinstance(piece, Numbers):
        for part in piece.beside(bound, below=is_below, includes=includes):
            yield TRUE, part
        for part in piece.beside(bound, below=not is_below, includes=not includes):
            yield FALSE, part
    else:
        yield FALSE if piece is Piece.NAN else ERROR, piece


def _key(value: Any) -> tuple[bool, Any]:
    """Return what is equal for equal constants of the same kind."""
    return isinstance(value, bool), value


def _among(piece: Any, values: Mapping[tuple[bool, Any], Any]) -> Iterator[tuple[int, Any]]:
    """Divide a piece by whether its values are among some."""
    if isinstance(piece, Just):
        yield result_of(holds=_key(piece.value) in values), piece
    elif isinstance(piece, Numbers):
        yield from _among_numbers(piece, filter(is_number, values.values()))
    elif isinstance(piece, Others):
        for key, value in values.items():
            if key not in piece.excluded and not is_number(value):
                yield TRUE, Just(value)
        yield FALSE, Others(piece.excluded | values.keys())
    else:
        yield FALSE, piece


def _among_numbers(piece: Numbers, values: Iterable[float]) -> Iterator[tuple[int, Any]]:
    rest: Domain = (piece,)
    for value in values:
        others = tuple(part for remaining in rest for part in _without(remaining, value))
        if others != rest:
            yield TRUE, Just(value)
        rest = others
    yield from ((FALSE, remaining) for remaining in rest)


def _without(piece: Any, value: float) -> Domain:
    """Return the numbers of a piece that are not equal to one."""
    if isinstance(piece, Just):
        return () if piece.value == value else (piece,)
    less = piece.beside(value, below=True, includes=False)
    greater = piece.beside(value, below=False, includes=False)
    is_at_side = (piece,) in (less, greater)
    may_equal = not piece.is_whole or value == math.floor(value)
    return (*less, *greater) if may_equal and not is_at_side else (piece,)
