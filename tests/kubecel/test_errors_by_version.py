"""The errors of an expression on each server, where servers differ."""

from __future__ import annotations

import re

import pytest
from kubecel_support import compile_rule
from tables import each

from crdlint.kubernetes.servers import SERVERS

FIELDS = "{a: {type: string}, i: {type: integer}, o: {type: object, properties: {}}, l: {type: array, items: {type: integer}}}"


def no_overload(function: str, args: str) -> str:
    return f"found no matching overload for '{function}' applied to '{args}'"


def undeclared(name: str) -> str:
    return f"undeclared reference to '{name}' (in container '')"


@each(
    ("rule", "expected"),
    [
        pytest.param(
            "!self.a.foo()",
            {28: [no_overload("!_", "(<nil>)"), undeclared("foo")], 29: [undeclared("foo")]},
            id="undeclared method",
        ),
        pytest.param(
            "[self.a.foo(), 1] == [self.a.foo()]",
            {28: [undeclared("foo"), undeclared("foo")]},
            id="undeclared methods in lists have no type of their own",
        ),
        pytest.param(
            "self.a.foo().b.all(x, true)",
            {
                28: [undeclared("foo"), "type '<nil>' does not support field selection"],
                29: [undeclared("foo")],
            },
            id="field of an undeclared method",
        ),
        pytest.param(
            "self.i && true",
            {
                28: [no_overload("_&&_", "(int, bool)")],
                29: ["expected type 'bool' but found 'int'"],
            },
            id="operand of a logical operator",
        ),
        pytest.param(
            "null == self.o",
            {28: [no_overload("_==_", "(null, selfType.o)")], 29: []},
            id="null on the left",
        ),
        pytest.param("self.o == null", {28: []}, id="null on the right"),
        pytest.param(
            "self.l.b == 1",
            {
                28: [
                    "type 'list_type:{elem_type:{primitive:INT64}}' does not support field selection"
                ],
                29: ["type 'list(int)' does not support field selection"],
            },
            id="field of a list",
        ),
        pytest.param(
            "[1, 'a'].foo()",
            {
                28: ["expected type 'int' but found 'string'", undeclared("foo")],
                29: [undeclared("foo")],
            },
            id="mixed literal",
        ),
        pytest.param(
            "optional.of(1) == 'a'",
            {
                28: [
                    undeclared("optional"),
                    undeclared("of"),
                    no_overload("_==_", "(<nil>, string)"),
                ],
                29: [no_overload("_==_", "(optional(int), string)")],
                31: [no_overload("_==_", "(optional_type(int), string)")],
            },
            id="type of an optional",
        ),
        pytest.param(
            "self.?i.orValue([optional.of(1)]) == 1",
            {
                28: ["unsupported syntax '.?'"],
                29: [no_overload("orValue", "optional(int).(list(optional(int)))")],
                31: [no_overload("orValue", "optional_type(int).(list(optional_type(int)))")],
            },
            id="type of an optional in a signature",
        ),
        pytest.param(
            "dyn('%d'.format([[[1, 'a'].size()].size()])) == ''",
            {
                28: [undeclared("format"), "expected type 'int' but found 'string'"],
                29: [undeclared("format")],
                30: ["expected type 'int' but found 'string'"],
                31: [],
            },
            id="mixed literal in a call within arguments of format",
        ),
        pytest.param(
            "dyn('%d'.format(['a'])) == ''",
            {
                28: [undeclared("format")],
                30: [],
                31: [
                    "error during formatting: decimal clause can only be used on integers, was given string"
                ],
            },
            id="clause of format",
        ),
        pytest.param(
            "self.l.existsOne(x, x > 0)",
            {28: [undeclared("existsOne"), undeclared("x"), undeclared("x")]},
            id="existsOne of one variable",
        ),
        pytest.param(
            "self.l.existsOne(i, x, x > i)",
            {28: [undeclared(name) for name in ("existsOne", "i", "x", "x", "i")], 33: []},
            id="existsOne of two variables",
        ),
        pytest.param(
            "self.l.all(x, x > 0 || __result__)",
            {28: [], 33: [undeclared("__result__")]},
            id="name of the accumulator",
        ),
        pytest.param(
            "dyn(self.l.unwrapOpt()) == []",
            {28: [undeclared("unwrapOpt")], 33: [no_overload("unwrapOpt", "list(int).()")]},
            id="methods of lists of optionals",
        ),
    ],
)
def test_errors_by_version(rule: str, expected: dict[int, list[str]]) -> None:
    found: dict[int, list[str]] = {}
    for server in SERVERS:
        error = compile_rule(rule, FIELDS, str(server)).rule.error or ""
        texts = re.findall(
            r"ERROR: <input>:\d+:\d+: (.*)", re.sub(r"selfType\d*", "selfType", error)
        )
        if list(found.values())[-1:] != [texts]:
            found[server.minor] = texts
    assert found == expected


@each(
    ("rule", "old", "new"),
    [
        (
            "has(self)",
            "1:4: invalid argument to has() macro",
            "1:5: invalid argument to has() macro",
        ),
        (
            "self.l.map(1, 2)",
            "1:11: argument is not an identifier",
            "1:12: argument is not an identifier",
        ),
        (
            "self.l.all(1, true)",
            "1:12: argument must be a simple name",
            "1:12: argument must be a simple name",
        ),
    ],
)
def test_where_a_macro_fails(rule: str, old: str, new: str) -> None:
    first, second = (
        compile_rule(rule, FIELDS, version).rule.error or "" for version in ("1.28", "1.29")
    )
    assert f"ERROR: <input>:{old}\n" in first
    assert f"ERROR: <input>:{new}\n" in second


def test_percent_signs_in_syntax_errors() -> None:
    old, new = (
        compile_rule("self.a % % 1", FIELDS, version).rule.error or ""
        for version in ("1.32", "1.33")
    )
    assert "extraneous input '%!'(MISSING) expecting" in old
    assert "extraneous input '%' expecting" in new


@each(
    ("rule", "expected"),
    [
        ("self.i\n+ 'a' == 1", {28: "1:8", 32: "2:1"}),
        ("self.l.all(x,\n[x].map(1, true))", {28: "2:8", 29: "2:9"}),
        ("self.l.all(\n1, true)", {28: "2:1", 31: "1:13", 32: "2:1"}),
    ],
)
def test_where_errors_at_the_start_of_a_line_are(rule: str, expected: dict[int, str]) -> None:
    found: dict[int, str] = {}
    for server in SERVERS:
        error = compile_rule(rule, FIELDS, str(server)).rule.error or ""
        place = re.findall(r"ERROR: <input>:(\d+:\d+)", error)[0]
        if list(found.values())[-1:] != [place]:
            found[server.minor] = place
    assert found == expected


def test_a_name_of_a_type_is_no_value_of_it() -> None:
    old, new = (
        compile_rule("type(duration('1s')) == duration", FIELDS, version).rule.error
        for version in ("1.31", "1.32")
    )
    assert old is not None
    assert no_overload("_==_", "(type(duration), duration)") in old
    assert no_overload("_==_", "(type(duration), duration)") not in str(new)
