"""The checker on hand-built trees."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import pytest
from tables import each

from crdlint.cel import ast
from crdlint.cel.ast import SourceInfo
from crdlint.cel.builder import ParserOptions
from crdlint.cel.checker import check
from crdlint.cel.decls import DeclarationError, Env, Variable, WellKnownTypes, member, overload
from crdlint.cel.errors import format_type
from crdlint.cel.library import extensions, lists, stdlib, strings
from crdlint.cel.parser import parse
from crdlint.cel.types import (
    BOOL,
    DYN,
    INT,
    STRING,
    list_type,
    map_type,
    object_type,
    type_type,
    wrapper_type,
)
from crdlint.cel.validators import duration_literals, homogeneous_literals, regex_literals, validate

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from crdlint.cel.ast import Call, Expr, Ident, ListExpr, Literal, Select
    from crdlint.cel.checker import CheckResult
    from crdlint.cel.parser import ParseResult
    from crdlint.cel.types import Type


class Provider(WellKnownTypes):
    def find_struct_type(self, name: str) -> Type | None:
        return type_type(object_type(name)) if name == "Thing" else None

    def find_struct_field_type(self, _struct: str, field: str) -> Type | None:
        return {"f": INT}.get(field)

    def find_enum(self, name: str) -> int | None:
        return {"Color.RED": 3}.get(name)


ENV = (
    Env()
    .extend(stdlib.TYPES)
    .with_functions(stdlib.FUNCTIONS)
    .extend(
        idents=[
            Variable("i", INT),
            Variable("s", STRING),
            Variable("b", BOOL),
            Variable("d", DYN),
            Variable("l", list_type(INT)),
            Variable("m", map_type(STRING, INT)),
            Variable("t", object_type("Thing")),
            Variable("w", wrapper_type(INT)),
        ],
        provider=Provider(),
    )
    .with_functions(
        (
            *extensions.OPTIONALS,
            *extensions.OPTIONALS_ADDED_BY_VERSION_2,
            *strings.FUNCTIONS,
            *extensions.SETS,
            *lists.FUNCTIONS,
            *extensions.TWO_VARIABLE_COMPREHENSIONS,
        )
    )
)
ids = count(1)


def lit(value: Any) -> Literal:
    return ast.Literal(next(ids), value)


def name(text: str) -> Ident:
    return ast.Ident(next(ids), text)


def sel(operand: Ident, field: str, test_only: bool = False) -> Select:
    return ast.Select(next(ids), operand, field, test_only)


def call(function: str, *args: Any, target: Ident | None = None) -> Call:
    return ast.Call(next(ids), function, target, list(args))


def lst(*elements: Literal) -> ListExpr:
    return ast.ListExpr(next(ids), list(elements), [])


def run(expr: Any, env: Env = ENV) -> tuple[str, list[str]]:
    result = check(expr, SourceInfo(""), env)
    return format_type(result.type_map[expr.id]), [error.message for error in result.errors]


TYPES = [
    (lambda: call("_==_", name("i"), lit(1)), "bool"),
    (lambda: call("_+_", name("l"), lst()), "list(int)"),
    (lambda: call("_[_]", name("m"), lit("k")), "int"),
    (lambda: sel(name("m"), "x"), "int"),
    (lambda: sel(name("t"), "f", test_only=True), "bool"),
    (lambda: call("_?._", name("t"), lit("f")), "optional_type(int)"),
    (lambda: lst(), "list(dyn)"),
    (lambda: lst(lit(1), lit("a")), "list(dyn)"),
    (lambda: call("sets.contains", name("l"), lst(lit(1))), "bool"),
    (lambda: call("contains", name("l"), lst(lit(1)), target=name("sets")), "bool"),
    (lambda: sel(name("Color"), "RED"), "int"),
    (lambda: name("int"), "type(int)"),
    (lambda: call("type", lit(1)), "type(int)"),
    (lambda: call("_+_", name("d"), lit(1)), "int"),
    (lambda: call("_+_", name("d"), name("d")), "dyn"),
    (lambda: name("w"), "wrapper(int)"),
    (lambda: call("_==_", name("w"), lit(None)), "bool"),
    (lambda: call("sort", target=name("l")), "list(int)"),
]


@each(("build", "expected"), TYPES)
def test_type(build: Callable[..., Any], expected: str) -> None:
    assert run(build()) == (expected, [])


ERRORS = [
    (
        lambda: call("_==_", name("i"), lit(True)),
        ["found no matching overload for '_==_' applied to '(int, bool)'"],
    ),
    (lambda: name("x"), ["undeclared reference to 'x' (in container '')"]),
    (lambda: sel(name("t"), "g"), ["undefined field 'g'"]),
    (lambda: sel(name("i"), "g"), ["type 'int' does not support field selection"]),
    (lambda: call("_&&_", name("i"), lit(True)), ["expected type 'bool' but found 'int'"]),
    (lambda: call("nope", target=name("s")), ["undeclared reference to 'nope' (in container '')"]),
    (
        lambda: call("startsWith", lit(1), target=name("s")),
        ["found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ),
    (
        lambda: call("_<_", lit(1), lit(1.5)),
        ["found no matching overload for '_<_' applied to '(int, double)'"],
    ),
    (
        lambda: ast.Comprehension(
            next(ids), name("i"), "x", "", "@r", lit(True), lit(True), lit(True), name("@r")
        ),
        [
            "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)"
        ],
    ),
]


@each(("build", "errors"), ERRORS)
def test_error(build: Callable[..., Any], errors: list[str]) -> None:
    assert run(build())[1] == errors


def test_options() -> None:
    assert run(call("_<_", lit(1), lit(1.5)), replace(ENV, cross_type_comparisons=True)) == (
        "bool",
        [],
    )
    mixed = lst(lit(1), lit("a"))
    assert run(mixed, replace(ENV, homogeneous=True))[1] == [
        "expected type 'int' but found 'string'"
    ]


def test_comprehension_scope() -> None:
    step = call("_&&_", name("@r"), call("_>_", name("v"), lit(0)))
    expr = ast.Comprehension(
        next(ids), name("l"), "k", "v", "@r", lit(True), lit(True), step, name("@r")
    )
    assert run(expr) == ("bool", [])


def test_deep_tree_is_no_recursion_error() -> None:
    expr: Expr = name("i")
    for _ in range(5000):
        expr = call("_+_", expr, lit(1))
    assert run(expr) == ("int", [])


def test_declarations_that_contradict() -> None:
    with pytest.raises(DeclarationError, match="overlapping identifier for name 'i'"):
        ENV.extend(idents=[Variable("i", STRING)])
    with pytest.raises(DeclarationError, match="size_string collides with other"):
        ENV.with_functions([overload("size", "other", (STRING,), INT)])
    assert run(
        call("size", target=name("i")), ENV.with_functions([member("size", "n", (INT,), INT)])
    ) == ("int", [])


@each(
    ("validator", "build", "messages"),
    [
        (duration_literals, lambda: call("duration", lit("1d")), ["invalid duration argument"]),
        (duration_literals, lambda: call("duration", lit("1.5h3s")), []),
        (
            regex_literals,
            lambda: call("matches", lit("("), target=name("s")),
            ["invalid matches argument"],
        ),
        (
            homogeneous_literals,
            lambda: lst(lit(1), lit("a")),
            ["expected type 'int' but found 'string'"],
        ),
    ],
)
def test_validator(
    validator: Callable[..., Any], build: Callable[..., Any], messages: list[str]
) -> None:
    env = replace(ENV, validators=(validator,))
    expr = build()
    source = SourceInfo("")
    result = check(expr, source, env)
    assert [error.message for error in validate(expr, source, result, env)] == messages


def parsed(text: str, env: Env = ENV) -> tuple[CheckResult, ParseResult]:
    result = parse(text, options=ParserOptions())
    assert not result.errors
    return check(result.expr, result.source_info, env), result


@each(
    "text",
    [
        "l" + ".map(x, {x: x})" * 240,
        "[]" + ".map(x, {x: x})" * 240,
        "[]" + ".map(x, {[x]: [x]})" * 240 + " == []" + ".map(x, {[x]: [x]})" * 240,
        "[]" + ".map(x, [[[[[[[[[x]]]]]]]]])" * 240,
        "[[{type(1): type('a')}]"
        + ".map(x, {x: x})" * 200
        + ", [{}]"
        + ".map(x, {x: x})" * 200
        + "]",
    ],
    ids=["shared", "shared and free", "two shared and free", "deep and free", "to and fro"],
)
def test_types_written_out_would_be_endless(text: str) -> None:
    assert parsed(text)[0].errors == []


def test_every_overload_tried_makes_variables_of_its_own() -> None:
    result, _ = parsed("[1].flatten(1) == [] && []")
    assert [error.message for error in result.errors] == [
        "expected type 'bool' but found 'list(_var3)'"
    ]


def test_endless_type_in_a_message_is_cut() -> None:
    (error,) = parsed("l" + ".map(x, {x: x})" * 200 + " + 1")[0].errors
    assert error.message.startswith(
        "found no matching overload for '_+_' applied to '(list(map(map("
    )
    assert len(error.message) < 1 << 17


@each(
    ("text", "name"),
    [("size(l)", None), (".size(l)", "size"), ("sets.contains(l, l)", "sets.contains")],
)
def test_full_names_of_functions(text: str, name: str | None) -> None:
    result, expr = parsed(text)
    assert result.errors == []
    assert result.namespaced.get(expr.expr.id) == name


def test_literals_below_exempt_functions_may_be_mixed() -> None:
    env = replace(ENV, validators=(homogeneous_literals,), exempt=frozenset({"format"}))
    result, expr = parsed("'%s'.format([[1, 'a']]) == string([1, 'a'].size())", env)
    errors = validate(expr.expr, expr.source_info, result, env)
    assert [(error.location, error.message) for error in errors] == [
        ((1, 38), "expected type 'int' but found 'string'")
    ]
