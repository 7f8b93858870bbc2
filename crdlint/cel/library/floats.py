"""Texts of doubles: strconv's 'f' with the fewest digits, and golang.org/x/text/message's %f and %e for en_US."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite, isnan
from typing import Final

_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_TIMES: Final = "\u00d7"
_NARROW_SPACE: Final = "\u202f"


def shortest(value: float) -> str:
    """Return a finite double without an exponent, with the fewest digits that tell it from others."""
    text = f"{Decimal(repr(value)):f}"
    return text.removesuffix(".0")


def en_us_fixed(value: float, precision: int) -> str:
    """Return a double as x/text's `%.*f` prints it for en_US, with a comma between thousands.

    x/text keeps the fewest fraction digits in 8 bits, the most in 16: what overflows there does so here.
    """
    if not isfinite(value):
        return _special(value)
    most = (precision + 2**15) % 2**16 - 2**15
    text = f"{abs(value):.{most}f}" if most >= 0 else shortest(abs(value))
    whole, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0").ljust(precision % 2**8, "0")
    return f"{_sign(value)}{int(whole):,}{'.' if fraction else ''}{fraction}"


def en_us_scientific(value: float, width: int, *, spaced: bool = False) -> str:
    """Return a double as x/text's `%*e` prints it for en_US, with powers of ten, on the right of `width` columns.

    ``spaced`` puts narrow spaces around the sign of multiplication, as x/text before 0.20 or so does.
    """
    width %= 2**16
    if not isfinite(value):
        return _special(value).rjust(width)
    mantissa, _, exponent = f"{abs(value):.6e}".partition("e")
    power = f"{'-' if exponent[0] == '-' else ''}{exponent[1:]}".translate(_SUPERSCRIPTS)
    times = f"{_NARROW_SPACE}{_TIMES}{_NARROW_SPACE}" if spaced else _TIMES
    return f"{_sign(value)}{mantissa}{times}10{power}".rjust(width)


def _sign(value: float) -> str:
    return "-" if value < 0 else ""


def _special(value: float) -> str:
    return "NaN" if isnan(value) else f"{_sign(value)}∞"
