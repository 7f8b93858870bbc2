"""fmt's %v of floats, encoding/json's floats."""

import math

import pytest
from tables import each

from crdlint.golang.printing import format_float, json_float

# value, %v, encoding/json
FLOATS = [
    (0.0, "0", "0"),
    (-0.0, "-0", "-0"),
    (1.0, "1", "1"),
    (-1.5, "-1.5", "-1.5"),
    (0.1, "0.1", "0.1"),
    (100.25, "100.25", "100.25"),
    (1 / 3, "0.3333333333333333", "0.3333333333333333"),
    (100000.0, "100000", "100000"),
    (999999.0, "999999", "999999"),
    (999999.5, "999999.5", "999999.5"),
    (1000000.0, "1e+06", "1000000"),
    (-1234567.0, "-1.234567e+06", "-1234567"),
    (1234567.25, "1.23456725e+06", "1234567.25"),
    (2147483647.0, "2.147483647e+09", "2147483647"),
    (9007199254740993.0, "9.007199254740992e+15", "9007199254740992"),
    (1e20, "1e+20", "100000000000000000000"),
    (1e21, "1e+21", "1e+21"),
    (1.5e22, "1.5e+22", "1.5e+22"),
    (0.0001, "0.0001", "0.0001"),
    (0.00012, "0.00012", "0.00012"),
    (0.00001, "1e-05", "0.00001"),
    (0.000001, "1e-06", "0.000001"),
    (0.0000001, "1e-07", "1e-7"),
    (-1.5e-9, "-1.5e-09", "-1.5e-9"),
    (1.5e-10, "1.5e-10", "1.5e-10"),
    (5e-324, "5e-324", "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308", "1.7976931348623157e+308"),
]


@each(("value", "expected", "_json"), FLOATS)
def test_format_float(value: float, expected: str, _json: str) -> None:
    assert format_float(value) == expected


@each(("value", "_plain", "expected"), FLOATS)
def test_json_float(value: float, _plain: str, expected: str) -> None:
    assert json_float(value) == expected


@each(("value", "text"), [(math.inf, "+Inf"), (-math.inf, "-Inf"), (math.nan, "NaN")])
def test_what_is_not_finite(value: float, text: str) -> None:
    assert format_float(value) == text
    with pytest.raises(ValueError, match=r"^json: unsupported value: "):
        json_float(value)
