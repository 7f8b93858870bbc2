"""Quantities such as `1.5Gi`, of at most 100,000 digits. Upstream: apimachinery's resource, apiserver's library/quantity.go."""

from __future__ import annotations

from math import inf
from operator import add, attrgetter, sub
from typing import ClassVar, Final

from crdlint.cel.decls import member, overload
from crdlint.cel.errors import NO_OVERLOAD, Error, FunctionError
from crdlint.cel.eval.values import MAX_INT, MIN_INT
from crdlint.cel.types import BOOL, DOUBLE, INT, STRING, Type
from crdlint.kubecel.library import declaration
from crdlint.kubecel.library.declaration import ARGUMENT, CONSTANT, QUANTITY, Library, constant
from crdlint.light import dataclass, regex, replace
from crdlint.safety import work

DECIMAL_EXPONENT: Final = "DecimalExponent"
BINARY_SI: Final = "BinarySI"
DECIMAL_SI: Final = "DecimalSI"

_FORMAT_WRONG: Final = (
    r"quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
_NUMERIC: Final = "unable to parse numeric part of quantity"
_SUFFIX: Final = "unable to parse quantity's suffix"
_TOO_MANY_DIGITS: Final = "crdlint does not compute quantities of more than 100,000 digits"

# Every part may be empty, so that it matches without backtracking, and ends where a text is wrong.
_PARTS: Final = regex(r"[+-]?0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)")
_EXPONENT: Final = regex(r"[eE]([+-]?)([0-9]+)")

_DECIMAL_UNITS: Final = {
    "n": -9,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_BINARY_UNITS: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_NAMES: Final = {exponent: unit for unit, exponent in _DECIMAL_UNITS.items()}
_BINARY_NAMES: Final = {exponent: unit for unit, exponent in _BINARY_UNITS.items()}

_NANO: Final = -9
_INT64_DIGITS: Final = 18
_MAX_DIGITS: Final = 100_000


@dataclass(
    frozen=True,
    slots=True,
    eq=False,
)
class Quantity(declaration.Opaque):
    """The number `unscaled * 10**exponent`.

    `unscaled`, `exponent`: the number.
    `format`: how it is printed.
    `exact`: whether upstream stores an inf.Dec.
    `text`: the text that was parsed, empty if it is printed otherwise.
    `computed`: whether it is the result of a function. It can be compared with others as the left operand;
        as the right operand it is an error, because upstream expects another Go type.
    """

    cel_type: ClassVar[Type] = QUANTITY
    go_type: ClassVar[str] = "cel.Quantity"

    unscaled: int
    exponent: int
    format: str
    exact: bool = False
    text: str = ""
    computed: bool = False

    def cel_equal(self, other: object) -> bool | Error:
        """Return whether the other is equal, or an error if it is computed or has another type."""
        return self == other if isinstance(other, Quantity) and not other.computed else NO_OVERLOAD

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantity) and self.compare(other) == 0

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        """Return the parsed text if it is canonical, else the canonical form."""
        return self.text or _canonical(self)

    @property
    def sign(self) -> int:
        """-1, 0 or 1."""
        return int(self.unscaled > 0) - int(self.unscaled < 0)

    def compare(self, other: Quantity) -> int:
        """Return -1, 0 or 1 by the order of this quantity and another."""
        signs = self.sign, other.sign
        if signs[0] != signs[1] or not signs[0]:
            return int(signs[0] > signs[1]) - int(signs[0] < signs[1])
        shift = self.exponent - other.exponent
        left, right = self.unscaled, other.unscaled
        # If the exponents differ by more than the number of digits, the order is known without computing the numbers.
        if shift > _digits_at_most(right):
            return signs[0]
        if -shift > _digits_at_most(left):
            return -signs[0]
        work.spend(abs(shift) >> 4)
        left, right = (left * 10**shift, right) if shift >= 0 else (left, right * 10**-shift)
        return int(left > right) - int(left < right)

    @property
    def integer(self) -> int | None:
        """The number if it is an int64; None for others, and for every number that upstream stores as an inf.Dec."""
        return (
            None if self.exact or self.exponent < 0 else _scale_int64(self.unscaled, self.exponent)
        )

    @property
    def approximate_float(self) -> float:
        """The number as a double, infinite if it is too large. Upstream: Quantity.AsApproximateFloat64."""
        try:
            base = float(self.unscaled)
        except OverflowError:
            base = inf if self.unscaled > 0 else -inf
        return base * _power_of_ten(self.exponent) if self.exponent else base

    def __add__(self, other: Quantity | int) -> Quantity:
        """Return the sum with a quantity or int, in the format of this quantity unless it is zero."""
        return self._plus(other, negated=False)

    def __sub__(self, other: Quantity | int) -> Quantity:
        """Return the difference from a quantity or int, in the format of this quantity unless it is zero."""
        return self._plus(other, negated=True)

    def _plus(self, other: Quantity | int, *, negated: bool) -> Quantity:
        added = other if isinstance(other, Quantity) else Quantity(int(other), 0, DECIMAL_EXPONENT)
        format_ = self.format if self.unscaled else added.format
        unscaled = -added.unscaled if negated else added.unscaled
        if not self.exact and not added.exact:
            # The smallest int64 is its own negative.
            number = MIN_INT if added.unscaled == MIN_INT else unscaled
            total = _add_int64(
                self.unscaled,
                self.exponent,
                number,
                added.exponent,
            )
            if total is not None:
                return Quantity(*total, format_, computed=True)
        least = min(self.exponent, added.exponent)
        work.spend((self.unscaled.bit_length() + unscaled.bit_length()) >> 13)
        sum_ = self.unscaled * _power(self.exponent - least) + unscaled * _power(
            added.exponent - least
        )
        return Quantity(sum_, least, format_, exact=True, computed=True)


def parse_quantity(text: str) -> Quantity:
    """Parse a quantity; raise FunctionError with upstream's message. Upstream: resource.ParseQuantity."""
    if not text:
        raise FunctionError(_FORMAT_WRONG)
    if text == "0":
        return Quantity(0, 0, DECIMAL_SI, text=text)
    match = _PARTS.match(text)
    if match is None or match.end() != len(text):
        raise FunctionError(_FORMAT_WRONG)
    base, exponent, format_ = _interpret(match[3])
    return _parse_int64(
        text,
        match[1] or "0",
        match[2] or "",
        base,
        exponent,
        format_,
    ) or _parse_exact(
        text[: match.start(3)],
        base,
        exponent,
        format_,
    )


def _interpret(unit: str) -> tuple[int, int, str]:
    """Return base, exponent and format of a unit. Upstream: quantitySuffixer.interpret."""
    if unit in _DECIMAL_UNITS:
        return 10, _DECIMAL_UNITS[unit], DECIMAL_SI
    if unit in _BINARY_UNITS:
        return 2, _BINARY_UNITS[unit], BINARY_SI
    match = _EXPONENT.fullmatch(unit)
    if match is None:
        raise FunctionError(_SUFFIX)
    digits = match[2].lstrip("0") or "0"
    exponent = int(f"{match[1]}{digits[: _INT64_DIGITS + 2]}")
    if not MIN_INT <= exponent <= MAX_INT:
        raise FunctionError(_SUFFIX)
    return 10, _int32(exponent), DECIMAL_EXPONENT


def _int32(number: int) -> int:
    return (number + 2**31) % 2**32 - 2**31


def _parse_int64(
    text: str,
    integer: str,
    fraction: str,
    base: int,
    exponent: int,
    format_: str,
) -> Quantity | None:
    """Return a quantity whose digits certainly fit into 64 bits, or None."""
    factor, scale = 1, 0
    if base == 10:
        scale, room = exponent, _INT64_DIGITS - len(integer) - len(fraction)
    elif not fraction:
        factor, room = 2**exponent, 15 - len(integer) - exponent * 3 // 10 - 1
    else:
        return None
    scale = _int32(scale - len(fraction))
    if room < 0 or scale < _NANO:
        return None
    digits = integer + fraction
    number = int(digits)
    if base == 2:
        is_canonical = number % 8 != 0
    else:
        has_other_form = digits.endswith("000") or digits[0] == "0"
        is_canonical = scale % 3 == 0 and not has_other_form
    value = -number * factor if text.startswith("-") else number * factor
    return Quantity(
        value,
        scale,
        format_,
        text=text if is_canonical else "",
    )


def _parse_exact(
    value: str,
    base: int,
    exponent: int,
    format_: str,
) -> Quantity:
    """Return a quantity as an inf.Dec: rounded up to nanos, away from zero; a binary quantity is at most an int64."""
    integer, _, fraction = value.lstrip("+-").partition(".")
    if not integer and not fraction:
        raise FunctionError(_NUMERIC)
    unscaled = _to_int(integer + fraction)
    # The scale of an inf.Dec is the negative exponent.
    scale = len(fraction)
    if base == 10:
        scale = _int32(scale + _int32(-exponent))
    else:
        unscaled <<= exponent
    if unscaled:
        unscaled, scale = _round_up(unscaled, scale), -_NANO
    if base == 2:
        unit = 10**scale
        if unscaled > MAX_INT * unit:
            unscaled, scale = MAX_INT, 0
        elif 0 < unscaled < unit:
            format_ = DECIMAL_SI
    return Quantity(
        -unscaled if value.startswith("-") else unscaled,
        -scale,
        format_,
        exact=True,
    )


def _round_up(unscaled: int, scale: int) -> int:
    """Return an unsigned number in nanos, rounded up."""
    shift = -_NANO - scale
    if shift >= 0:
        return unscaled * _power(shift)
    return 1 if -shift > _digits_at_most(unscaled) else -(-unscaled // int(10**-shift))


def _power(exponent: int) -> int:
    if exponent > _MAX_DIGITS:
        raise work.WorkLimitError(_TOO_MANY_DIGITS)
    work.spend(exponent >> 4)
    return int(10**exponent)


def _digits_at_most(number: int) -> int:
    return number.bit_length() * 30103 // 100000 + 1


def _to_int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise work.WorkLimitError(_TOO_MANY_DIGITS)
    work.spend(len(digits) ** 2 >> 18)
    from decimal import Decimal  # few texts are quantities

    return int(Decimal(digits))  # int() of a text limits its length


def _to_digits(number: int) -> str:
    work.spend(number.bit_length() ** 2 >> 20)
    from decimal import Decimal

    return str(Decimal(number))


def _scale_int64(value: int, exponent: int) -> int | None:
    """Return `value * 10**exponent` if it is an int64."""
    if not value or not exponent:
        return value
    return None if exponent > _INT64_DIGITS else _int64(value * int(10**exponent))


def _int64(value: int) -> int | None:
    return value if MIN_INT <= value <= MAX_INT else None


def _add_int64(
    left: int,
    left_exponent: int,
    right: int,
    right_exponent: int,
) -> tuple[int, int] | None:
    if not right:
        return left, left_exponent
    if not left:
        return right, right_exponent
    exponent = min(left_exponent, right_exponent)
    first, second = (
        _scale_int64(left, left_exponent - exponent),
        _scale_int64(right, right_exponent - exponent),
    )
    total = None if first is None or second is None else _int64(first + second)
    return None if total is None else (total, exponent)


def _power_of_ten(exponent: int) -> float:
    """Return math.Pow10, which multiplies or divides two table entries, so that it is not always the nearest double."""
    if exponent > 308:
        return inf
    if exponent < -323:
        return 0.0
    tens, ones = divmod(abs(exponent), 32)
    if exponent >= 0:
        return float(f"1e{tens * 32}") * float(f"1e{ones}")
    return float(f"1e-{tens * 32}") / float(f"1e{ones}")


def _canonical(value: Quantity) -> str:
    """Return the canonical form. Upstream: Quantity.CanonicalizeBytes."""
    if not value.unscaled:
        return "0"
    if value.format == BINARY_SI:
        written = _canonical_binary(value)
        if written is not None:
            return written
        value = replace(value, format=DECIMAL_SI)
    digits = _to_digits(abs(value.unscaled))
    significant = digits.rstrip("0")
    exponent = value.exponent + len(digits) - len(significant)
    zeros = exponent % 3
    exponent -= zeros
    unit = f"e{exponent}" if exponent else ""
    if value.format == DECIMAL_SI:
        # Upstream omits a unit that has no letter.
        unit = _DECIMAL_NAMES.get(exponent, "")
    return f"{'-' if value.unscaled < 0 else ''}{significant}{'0' * zeros}{unit}"


def _canonical_binary(value: Quantity) -> str | None:
    """Return the form with a binary unit, or None for a number with a fraction or an absolute value below 1024."""
    limit = Quantity(1024, 0, BINARY_SI)
    magnitude = replace(value, unscaled=abs(value.unscaled))
    if magnitude.compare(limit) < 0:
        return None
    number, exponent = magnitude.unscaled, value.exponent
    if exponent < 0:
        number, rest = divmod(number, _power(-exponent))
        if rest:
            return None
    else:
        number *= _power(exponent)
    times = ((number & -number).bit_length() - 1) // 10  # the powers of 1024 that divide it
    unit = _BINARY_NAMES.get(times * 10, "")
    return f"{'-' if value.unscaled < 0 else ''}{_to_digits(number >> times * 10)}{unit}"


def _as_integer(value: Quantity) -> int:
    if value.integer is None:
        raise FunctionError("cannot convert value to integer")
    return value.integer


_PARSERS: Final = ("quantity", "isQuantity")


LIBRARY: Final = Library(
    "quantity",
    introduced=(1, 28),
    docs={
        "add": "Returns the sum of two quantities.",
        "asApproximateFloat": "Returns a quantity as a float, which may lose precision.",
        "asInteger": "Returns a quantity as an integer; an error if it is not one.",
        "isInteger": "Returns whether a quantity is an integer.",
        "isQuantity": "Returns whether a string is a quantity, such as `1.5Gi`.",
        "quantity": "Parses a quantity, such as `1.5Gi`; an error if the string is not one.",
        "sign": "Returns the sign of a quantity: -1, 0 or 1.",
        "sub": "Returns the difference of two quantities.",
        "compareTo": "Compares two values: -1 if the first one is less, 0 if they are equal, 1 if it is greater.",
        "isGreaterThan": "Returns whether a value is greater than another one.",
        "isLessThan": "Returns whether a value is less than another one.",
    },
    functions=(
        overload("quantity", "string_to_quantity", (STRING,), QUANTITY, parse_quantity),
        overload(
            "isQuantity",
            "is_quantity_string",
            (STRING,),
            BOOL,
            declaration.accepts(parse_quantity),
        ),
        overload("sign", "quantity_sign", (QUANTITY,), INT, attrgetter("sign")),
        *declaration.ordering(QUANTITY, "quantity"),
        member(
            "asApproximateFloat",
            "quantity_get_float",
            (QUANTITY,),
            DOUBLE,
            attrgetter("approximate_float"),
        ),
        member("asInteger", "quantity_get_int", (QUANTITY,), INT, _as_integer),
        member(
            "isInteger",
            "quantity_is_integer",
            (QUANTITY,),
            BOOL,
            lambda value: value.integer is not None,
        ),
        member("add", "quantity_add", (QUANTITY, QUANTITY), QUANTITY, add),
        member("add", "quantity_add_int", (QUANTITY, INT), QUANTITY, add),
        member("sub", "quantity_sub", (QUANTITY, QUANTITY), QUANTITY, sub),
        member("sub", "quantity_sub_int", (QUANTITY, INT), QUANTITY, sub),
    ),
    costs=dict.fromkeys(_PARSERS, ARGUMENT),
    older_costs=lambda dialect: (
        {} if dialect.quantity_cost_by_length else dict.fromkeys(_PARSERS, CONSTANT)
    ),
    equality={QUANTITY: constant()},
)
