"""Quantities, by table."""

from __future__ import annotations

import math

import pytest
from kubecel_support import call
from tables import each

from crdlint.cel.errors import FunctionError
from crdlint.kubecel.library import quantity as q
from crdlint.kubecel.library.quantity import parse_quantity as quantity
from crdlint.safety import work

WRONG = (
    r"quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
NUMERIC = "unable to parse numeric part of quantity"
SUFFIX = "unable to parse quantity's suffix"


@each(
    ("text", "canonical", "format_"),
    [
        ("0", "0", q.DECIMAL_SI),
        ("-", "0", q.DECIMAL_SI),
        (".", "0", q.DECIMAL_SI),
        ("000", "0", q.DECIMAL_SI),
        ("-0Ki", "0", q.BINARY_SI),
        ("+1Ki", "+1Ki", q.BINARY_SI),
        ("1Ki", "1Ki", q.BINARY_SI),
        ("8Ki", "8Ki", q.BINARY_SI),
        ("1024Mi", "1Gi", q.BINARY_SI),
        ("1000M", "1G", q.DECIMAL_SI),
        (".001Ki", "1024m", q.BINARY_SI),
        (".000000000001Ki", "2n", q.DECIMAL_SI),
        ("1.5Gi", "1536Mi", q.BINARY_SI),
        ("0.5n", "1n", q.DECIMAL_SI),
        ("-0.5n", "-1n", q.DECIMAL_SI),
        ("1e3", "1e3", q.DECIMAL_EXPONENT),
        ("1E-3", "1E-3", q.DECIMAL_EXPONENT),
        ("100e2", "10e3", q.DECIMAL_EXPONENT),
        ("1e+3", "1e+3", q.DECIMAL_EXPONENT),
        ("1e4294967296", "1e4294967296", q.DECIMAL_EXPONENT),
        ("1000E", "1", q.DECIMAL_SI),
        ("100.035k", "100.035k", q.DECIMAL_SI),
        ("9999999999999999999Ei", str(2**63 - 1), q.BINARY_SI),
        ("1e-1000000000", "1n", q.DECIMAL_EXPONENT),
        ("1e-9223372036854775808", "1e-9223372036854775808", q.DECIMAL_EXPONENT),
        ("12345678901234567890123", "12345678901234567890123", q.DECIMAL_SI),
    ],
)
def test_parse(text: str, canonical: str, format_: str) -> None:
    parsed = quantity(text)
    expected = canonical if format_ != q.DECIMAL_EXPONENT else canonical.replace("1n", "1e-9")
    assert (str(parsed), parsed.format) == (expected, format_)


@each(
    ("text", "message"),
    [
        ("", WRONG),
        ("1.1.M", WRONG),
        ("1+1.0M", WRONG),
        ("0.1mi ", WRONG),
        (" 1", WRONG),
        ("10Mo", WRONG),
        ("1\n", WRONG),
        ("aoeu", WRONG),
        ("10Mm", SUFFIX),
        ("1i", SUFFIX),
        ("1-5", SUFFIX),
        ("1e", SUFFIX),
        ("1e9223372036854775808", SUFFIX),
        ("1e-9223372036854775809", SUFFIX),
        ("+e-10", NUMERIC),
        (".e-10", NUMERIC),
    ],
)
def test_errors(text: str, message: str) -> None:
    with pytest.raises(FunctionError) as caught:
        quantity(text)
    assert str(caught.value) == message
    assert not call("is_quantity_string", text)


@each(
    ("first", "second", "order"),
    [
        ("200M", "0.2G", 0),
        ("50M", "50Mi", -1),
        ("-1", "1m", -1),
        ("-1k", "-1", -1),
        ("1e1000000000", "1", 1),
        ("-1e1000000000", "1e-9", -1),
        ("1", "1e1000000000", -1),
        ("0e1000000000", "0", 0),
        ("12345678901234567890", "12345678901234567891", -1),
    ],
)
def test_compare(first: str, second: str, order: int) -> None:
    one, other = quantity(first), quantity(second)
    assert call("quantity_compare_to", one, other) == order
    assert call("quantity_compare_to", other, one) == -order
    assert (one == other) is (order == 0)
    assert call("quantity_is_greater_than", one, other) is (order > 0)
    assert call("quantity_is_less_than", one, other) is (order < 0)


@each(
    ("text", "integer", "number"),
    [
        ("50", 50, 50.0),
        ("50k", 50000, 50000.0),
        ("50m", None, 0.05),
        ("1.5k", 1500, 1500.0),
        ("9223372036854775807000000", None, float(9223372036854775807 * 10**15) * 1e-9),
        ("1e18", 10**18, 1e18),
        ("1e19", None, 1e19),
        ("0e2000000000", 0, math.nan),
        ("1e309", None, math.inf),
        ("-1e-9", None, -1e-9),
        ("12345678901234567890", None, 12345678901234567890e9 * 1e-9),
    ],
)
def test_numbers(text: str, integer: int | None, number: float) -> None:
    parsed = quantity(text)
    assert call("quantity_is_integer", parsed) is (integer is not None)
    if integer is None:
        with pytest.raises(FunctionError, match="cannot convert value to integer"):
            call("quantity_get_int", parsed)
    else:
        assert call("quantity_get_int", parsed) == integer
    assert str(call("quantity_get_float", parsed)) == str(number)


@each(
    ("function", "first", "second", "result", "format_"),
    [
        ("quantity_add", "50k", "20", "50020", q.DECIMAL_SI),
        ("quantity_add", "0", "1Ki", "1Ki", q.BINARY_SI),
        ("quantity_add", "1Ki", "0", "1Ki", q.BINARY_SI),
        ("quantity_add", "50k", 20, "50020", q.DECIMAL_SI),
        ("quantity_sub", "50k", "20", "49980", q.DECIMAL_SI),
        ("quantity_sub", "50k", 20, "49980", q.DECIMAL_SI),
        ("quantity_sub", "1", "1", "0", q.DECIMAL_SI),
        ("quantity_add", "9223372036854775807", 1, "9223372036854775808", q.DECIMAL_SI),
        ("quantity_add", "1.5Gi", "512Mi", "2Gi", q.BINARY_SI),
        ("quantity_sub", "0", -(2**63), "-9223372036854775808", q.DECIMAL_EXPONENT),
    ],
)
def test_arithmetic(
    function: str, first: str, second: str | int, result: str, format_: str
) -> None:
    got = call(function, quantity(first), second if isinstance(second, int) else quantity(second))
    assert (str(got), got.format) == (result, format_)


def test_sign() -> None:
    assert [call("quantity_sign", quantity(text)) for text in ("-1", "0", "1n")] == [-1, 0, 1]


def test_hostile() -> None:
    texts = (
        "0" * 200_000 + "x",
        "1" * 200_000 + "x",
        "1." + "0" * 90_000,
        "e" * 200_000,
        "1" * 90_000,
        "1e2147483647",
    )
    with work.limited():
        for text in texts:
            if call("is_quantity_string", text):
                assert str(quantity(text))


def test_numbers_that_would_fill_memory() -> None:
    huge = quantity("1e2000000000")
    with pytest.raises(work.WorkLimitError, match="100,000 digits"):
        call("quantity_add", huge, quantity("1"))
    with pytest.raises(work.WorkLimitError, match="100,000 digits"):
        call("is_quantity_string", "1" * 200_000)
