"""The function `format`, by table."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from tables import each

from crdlint.cel.ast import Uint
from crdlint.cel.errors import FunctionError
from crdlint.cel.eval.values import Duration, Timestamp
from crdlint.cel.library.format import format_string
from crdlint.cel.types import INT, object_type
from crdlint.safety import work

if TYPE_CHECKING:
    from typing import Any

TIMES = "\u00d710"
NOVERB = "%!(NOVERB)"
STRING_CLAUSE = (
    "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
    "types, durations, and timestamps, was given "
)


class Thing:
    cel_type = object_type("Thing")


@each(
    ("text", "args", "result"),
    [
        ("%% %s%%", ["a"], "% a%"),
        ("%s %s %s %s", [True, None, INT, b"ab"], "true null int ab"),
        ("%s %s %s", [1, Uint(2), 1e21], "1 2 1e+21"),
        ("%s %s", [math.inf, math.nan], "+Inf NaN"),
        ("%s", [Duration(6347 * 10**9)], "6347s"),
        ("%s", [Duration(-1)], "-0.000000001s"),
        ("%s", [Timestamp(1675467080 * 10**9 + 5 * 10**8)], "2023-02-03T23:31:20.5Z"),
        ("%s", [Timestamp(0, -5400)], "1969-12-31T22:30:00-01:30"),
        (
            "%s",
            [["a", b"b", 1.5, math.inf, None, Duration(1), [True], INT]],
            '["a", b"b", 1.500000, "+Inf", null, duration("0.000000001s"), [true], int]',
        ),
        ("%s", [[Timestamp(0)]], '[timestamp("1970-01-01T00:00:00Z")]'),
        ("%s", [{"b": {2: []}, "a": "x", True: 1}], '{"a":"x", "b":{2:[]}, true:1}'),
        ("%d %d", [-5, Uint(2**64 - 1)], "-5 18446744073709551615"),
        ("%b %b %b", [-5, Uint(5), True], "-101 101 1"),
        ("%o %x %X", [-11, Uint(30), 30], "-13 1e 1E"),
        ("%x %X", ["héy", b"\xff\x0a"], "68c3a979 FF0A"),
        ("%f", [1234567.5], "1,234,567.500000"),
        ("%.3f", [1.2345], "1.234"),
        ("%.0f", [2.5], "2"),
        ("%f", [-0.0000001], "-0.000000"),
        ("%f %f", [-0.0, 0.0], "0.000000 0.000000"),
        ("%f %f %f", ["NaN", "Infinity", -math.inf], "NaN ∞ -∞"),
        ("%.300f", [0.5], "0.5" + "0" * 43),
        ("%.40000f", [0.1], "0.1" + "0" * 63),
        ("%e", [1052.032911275], f"1.052033{TIMES}⁰³"),
        ("%e", [-0.00021], f"-2.100000{TIMES}⁻⁰⁴"),
        ("%.2e", [2.71828], f"2.718280{TIMES}⁰⁰"),
        ("%.20e", [1e100], f"      1.000000{TIMES}¹⁰⁰"),
        ("%.5e", [math.nan], "  NaN"),
        ("%.10000010f", [1.0], NOVERB),
        ("%.3d %.2s", [5, "abc"], "5 abc"),
    ],
)
def test_results(text: str, args: list[Any], result: str) -> None:
    assert format_string(text, args) == result


@each(
    ("text", "args", "message"),
    [
        ("%s %s", [1], "index 1 out of range"),
        ("a%", [], "index 0 out of range"),
        ("a%", [1], "unexpected end of string"),
        ("%q", [1], 'could not parse formatting clause: unrecognized formatting clause "q"'),
        ("%s", [Thing()], STRING_CLAUSE + "Thing"),
        ("%s", [[Thing()]], "error during formatting: no formatting function for Thing"),
        (
            "%s",
            [{1.5: 1}],
            "error during formatting: no formatting function for map key of type double",
        ),
        (
            "%s",
            [b"\xff"],
            'error during formatting: could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string',
        ),
        (
            "%d",
            [1.0],
            "error during formatting: decimal clause can only be used on integers, was given double",
        ),
        (
            "%f",
            ["1"],
            "error during formatting: fixed-point clause can only be used on doubles, was given string",
        ),
        (
            "%e",
            [1],
            "error during formatting: scientific clause can only be used on doubles, was given int",
        ),
        (
            "%d",
            [[1]],
            "error during formatting: decimal clause can only be used on integers, was given list",
        ),
    ],
)
def test_errors(text: str, args: list[Any], message: str) -> None:
    with pytest.raises(FunctionError) as caught:
        format_string(text, args)
    assert str(caught.value) == message


def test_memory_is_not_filled() -> None:
    with work.limited(), pytest.raises(work.WorkLimitError):
        format_string("%s" * 15_000, ["a" * 20_000] * 15_000)


def test_deep_input() -> None:
    value: Any = 1
    for _ in range(50_000):
        value = [value]
    assert format_string("%s", [value]) == "[" * 50_000 + "1" + "]" * 50_000
    assert format_string("%s", [{"a": value}]) == '{"a":' + "[" * 50_000 + "1" + "]" * 50_000 + "}"
