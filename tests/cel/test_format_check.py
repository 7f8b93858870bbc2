"""Format calls with literals, checked before evaluation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tables import each

from crdlint.cel.builder import ParserOptions
from crdlint.cel.checker import check
from crdlint.cel.decls import Env, Variable
from crdlint.cel.library import extensions, strings
from crdlint.cel.library.format import format_literals
from crdlint.cel.library.stdlib import FUNCTIONS, TYPES
from crdlint.cel.parser import parse
from crdlint.cel.types import ANY, DYN, INT, STRING, object_type, optional_type, wrapper_type
from crdlint.cel.validators import homogeneous_literals, validate

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

VARIABLES = [
    Variable("d", DYN),
    Variable("s", STRING),
    Variable("any", ANY),
    Variable("w", wrapper_type(INT)),
    Variable("o", object_type("Thing")),
    Variable("opt", optional_type(INT)),
]
STRING_CLAUSE = (
    "error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, "
    "types, durations, and timestamps, was given "
)
PRECISION = "could not parse formatting clause: error while parsing precision: "
ATOI = PRECISION + "error while converting precision to integer: strconv.Atoi: parsing "


def findings(text: str, validator: Callable[..., Any] = format_literals) -> list[tuple[int, str]]:
    env = replace(
        Env().extend(TYPES).with_functions(FUNCTIONS),
        validators=(homogeneous_literals, validator),
        exempt=frozenset({"format"}),
    )
    env = env.extend(VARIABLES).with_functions(
        (
            *extensions.OPTIONALS,
            *extensions.OPTIONALS_ADDED_BY_VERSION_2,
            *strings.FUNCTIONS,
        )
    )
    parsed = parse(text, options=ParserOptions())
    result = check(parsed.expr, parsed.source_info, env)
    assert not result.errors
    return [
        (error.location.column, error.message)
        for error in validate(parsed.expr, parsed.source_info, result, env)
    ]


@each(
    ("text", "column", "message"),
    [
        ("'%d'.format(['a'])", 13, "error during formatting: decimal clause can only be used on integers, was given string"),
        ("'%f'.format([1])", 13, "error during formatting: fixed-point clause can only be used on doubles, was given int"),
        ("'%e'.format([1u])", 13, "error during formatting: scientific clause can only be used on doubles, was given uint"),
        ("'%b'.format(['a'])", 13, "error during formatting: only integers and bools can be formatted as binary, was given string"),
        (
            "'%x'.format([1.0])",
            13,
            "error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given double",
        ),
        (
            "'%X'.format([null])",
            13,
            "error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given null_type",
        ),
        ("'%o'.format([true])", 13, "error during formatting: octal clause can only be used on integers, was given bool"),
        ("'%s'.format([o])", 13, STRING_CLAUSE + "Thing"),
        ("'%s'.format([any])", 13, STRING_CLAUSE + "google.protobuf.Any"),
        ("'%s'.format([?opt])", 14, STRING_CLAUSE + "optional_type"),
        ("'%s'.format([[1, [o]]])", 18, STRING_CLAUSE + "Thing"),
        ("'%s'.format([{'a': {1: o}}])", 23, STRING_CLAUSE + "Thing"),
        ("'%s'.format([{o: any}])", 14, STRING_CLAUSE + "Thing"),
        (
            "'%d'.format([duration('1s')])",
            21,
            "error during formatting: decimal clause can only be used on integers, was given google.protobuf.Duration",
        ),
        ("'%s %d'.format([1])", 14, "index 1 out of range"),
        ("'%s %d'.format([])", 14, "index 0 out of range"),
        ("'%s%'.format([1])", 12, "unexpected end of string"),
        ("'%'.format([])", 10, "unexpected end of string"),
        ("'%a'.format([1])", 11, 'could not parse formatting clause: unrecognized formatting clause "a"'),
        ("'%E'.format([1.0])", 11, 'could not parse formatting clause: unrecognized formatting clause "E"'),
        ("'%é'.format([1.0])", 11, 'could not parse formatting clause: unrecognized formatting clause "Ã"'),
        ("'%-5d'.format([1])", 13, 'could not parse formatting clause: unrecognized formatting clause "-"'),
        ("'%.3'.format([1.0])", 12, PRECISION + "could not find end of precision specifier"),
        ("'%.'.format([1.0])", 11, PRECISION + "could not find end of precision specifier"),
        ("'%.f'.format([1.0])", 12, ATOI + '"": invalid syntax'),
        ("'%.9223372036854775808f'.format([1.0])", 31, ATOI + '"9223372036854775808": value out of range'),
        ("'%s'.format([1, 2])", 11, "too many arguments supplied to string.format (expected 1, got 2)"),
        ("'%%'.format([1])", 11, "too many arguments supplied to string.format (expected 0, got 1)"),
        (
            "'%d'.format([1]) + '%d'.format([true])",
            32,
            "error during formatting: decimal clause can only be used on integers, was given bool",
        ),
    ],
)  # fmt: skip
def test_finds(text: str, column: int, message: str) -> None:
    assert findings(text) == [(column, message)]


@each(
    "text",
    [
        "'%s %d %f %e %b %x %X %o %%'.format(['a', 1, 'NaN', 1.0, true, b'a', 'b', 3u])",
        "'%.3f %.0e %.3s'.format([1.0, 2.0, 'a'])",
        "'%s'.format([[1, 'a', {1: null, 'b': type(1)}]])",
        "'%d'.format([d])",
        "'%d'.format([w])",
        "'%d'.format(d)",
        "s.format([1, 2])",
        "('%' + 's').format([o])",
        "'%s'.format([[o][0] == o])",
        "''.format([])",
    ],
)
def test_finds_nothing(text: str) -> None:
    assert findings(text) == []


def test_long_texts() -> None:
    text = "%%" * 20000 + "%." + "9" * 20000 + "d"
    found = findings(f"'{text}'.format([1])")
    assert len(found) == 1
    assert found[0][1].endswith("value out of range")
