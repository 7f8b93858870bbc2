from __future__ import annotations

import pytest

from crdlint.cel.ast import Call, Comprehension, Literal, Select, Uint
from crdlint.cel.parser import ParserOptions, parse

OPTIONS = ParserOptions()

VALUES = {
    "1": 1,
    "-9223372036854775808": -(1 << 63),
    "0xFFu": Uint(255),
    "1e3": 1000.0,
    r"'a\n\u00e9\101'": "a\n\u00e9A",
    r"r'\d'": r"\d",
    r"b'\xff\u00e9'".replace(r"\u00e9", "\u00e9"): b"\xff\xc3\xa9",
    "'''a\r\nb'''": "a\nb",
    "null": None,
    "true": True,
}


@pytest.mark.parametrize("text", VALUES, ids=repr)
def test_literal(text: str) -> None:
    result = parse(text, options=OPTIONS)
    assert not result.errors
    assert isinstance(result.expr, Literal)
    assert (type(result.expr.value), result.expr.value) == (type(VALUES[text]), VALUES[text])


ERRORS = {
    "x..y": "1:3: Syntax error: no viable alternative at input '..'",
    "a == break": "1:6: reserved identifier: break",
    "9223372036854775808": "1:1: invalid int literal",
    "has(a)": "1:5: invalid argument to has() macro",
    "a.all(1, true)": "1:7: argument must be a simple name",
    "a.map(__result__, 1)": "1:7: iteration variable overwrites accumulator variable",
    "a.all(x, x, true)": "1:10: duplicate variable name: x",
    "(" * 10_000: "-1:0: expression recursion limit exceeded: 250",
    "a" + ".b" * 251: "-1:0: max recursion depth exceeded",
    "a" * 100_001: "-1:0: expression code point size exceeds limit: size: 100001, limit 100000",
}


@pytest.mark.parametrize("text", ERRORS, ids=lambda text: text[:20])
def test_error(text: str) -> None:
    first = parse(text, options=OPTIONS).display().splitlines()[0]
    assert first == f"ERROR: <input>:{ERRORS[text]}"


def test_wide_characters_in_the_caret_line() -> None:
    assert parse("'\u00e9\u00e9' $", options=OPTIONS).display() == (
        "ERROR: <input>:1:6: Syntax error: token recognition error at: '$'\n | '\u00e9\u00e9' $\n | .\uff0e\uff0e..^"
    )


def test_ids_and_places() -> None:
    result = parse("a.b.all(x, x > 1)", options=OPTIONS)
    assert isinstance(result.expr, Comprehension)
    assert isinstance(result.expr.iter_range, Select)
    step = result.expr.loop_step
    assert isinstance(step, Call)
    assert result.source_info.location_of(step.args[1].id) == (1, 13)


@pytest.mark.parametrize(
    "text", ["'" * 9999, "[" * 5000, "".join(map(chr, range(32))), "'\ud800' + \ud800", ""], ids=range(5)
)
def test_bad_input_is_reported(text: str) -> None:
    assert parse(text, options=OPTIONS).display().startswith("ERROR: ")
