"""Expressions that check and of which no program can be made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tables import each

from crdlint.cel.compiler import compile_text
from crdlint.cel.decls import Variable
from crdlint.cel.errors import PlanError
from crdlint.cel.types import STRING
from crdlint.kubecel.declarations import Declarations, DeclType
from crdlint.kubecel.environment import new_expressions, program_of
from crdlint.kubernetes.servers import parse_range

if TYPE_CHECKING:
    from crdlint.kubecel.environment import Environment

# 1.28 does not look at literals beforehand.
ENVIRONMENTS = [new_expressions(parse_range(version).newest) for version in ("1.29", "1.36")]


def error(text: str, environment: Environment) -> str | None:
    provider = Declarations(DeclType(2, fields={}), keywords_as_fields=True)
    env = environment.env.extend(idents=(Variable("s", STRING),), provider=provider)
    compiled = compile_text(text, env, environment.parser)
    assert not compiled.errors, compiled.display()
    try:
        program_of(compiled, environment)
    except PlanError as problem:
        assert compiled.may_fail_to_plan()
        return str(problem)
    return None


@each("environment", ENVIRONMENTS, ids=["1.28", "1.35"])
@each(
    ("text", "expected"),
    [
        ("int('5') == 5", None),
        ("int('x') == 5", "type conversion error from 'string' to 'int'"),
        ("int(string(1.5)) == 5", "type conversion error from 'string' to 'int'"),
        ("int(string(5)) == 5", None),
        ("int(s) == 5", None),
        ("s == '' || int('x') == 5", "type conversion error from 'string' to 'int'"),
        ("[1].all(i, int('x') == i)", "type conversion error from 'string' to 'int'"),
        ("bool('yes')", "type conversion error from 'string' to 'bool'"),
        ("double('1e999') == 1.0", "type conversion error from 'string' to 'double'"),
        ("uint('-1') == 1u", "type conversion error from 'string' to 'uint'"),
        ("uint(-1) == 1u", "unsigned integer overflow"),
        ("int(1e30) == 1", "integer overflow"),
        ("uint(double('-1')) == 1u", "unsigned integer overflow"),
        (
            "duration(string('x')) == duration('1s')",
            "type conversion error from 'string' to 'google.protobuf.Duration'",
        ),
        (
            "timestamp(string('x')) == timestamp(0)",
            "type conversion error from 'string' to 'google.protobuf.Timestamp'",
        ),
        ("string(bytes('x')) == 'x'", None),
        (r"string(b'\xff') == 'x'", "invalid UTF-8 in bytes, cannot convert to string"),
        ("int(dyn('x')) == 1", "type conversion error from 'string' to 'int'"),
        ("int(dyn([1])) == 1", "no such overload: int(list)"),
        ("int(dyn({1: 2})) == 1", "no such overload: int(map)"),
        ("int(dyn(null)) == 1", "no such overload: int(null_type)"),
        ("string(dyn(int)) == ''", "no such overload: string(type)"),
        (".int('x') == 5", "type conversion error from 'string' to 'int'"),
        ("dyn(s)[null] == 1", "invalid qualifier type: types.Null"),
        ("{}[[]] == 1", "invalid qualifier type: *types.baseList"),
        ("{}[{}] == 1", "invalid qualifier type: *types.baseMap"),
        ("{int: 1}[int] == 1", "invalid qualifier type: *types.Type"),
        ("dyn(s)[b's'] == 1", "invalid qualifier type: types.Bytes"),
        ("dyn(s)[duration('1s')] == 1", "invalid qualifier type: types.Duration"),
        ("{1.5: 1}[1.5] == 1 && {1u: 1}[1u] == 1 && {true: 1}[true] == 1", None),
        ("{[s]: 1}[[s]] == 1", None),
        ("s.find('a)') == ''", "error parsing regexp: unexpected ): `a)`"),
        ("s.findAll('a)').size() == 1", "error parsing regexp: unexpected ): `a)`"),
        ("s.matches(string('a)'))", "error parsing regexp: unexpected ): `a)`"),
        ("s.matches(s)", None),
        ("type(s) == string", None),
        ("type(dyn(s)) == selfType", "reference to undefined type: selfType"),
        ("type(dyn(s)) == google.protobuf.Empty", None),
        ("type(duration('1s')) == duration", "reference to undefined type: duration"),
        ("type(duration('1s')) == google.protobuf.Duration", None),
        ("[int].exists(t, t == int)", "reference to undefined type: t"),
        ("bool(1 in []) ", None),
    ],
)
def test_instantiation(text: str, expected: str | None, environment: Environment) -> None:
    assert error(text, environment) == expected


@each("name", ["Any", "BoolValue", "Struct", "UInt32Value", "Value"])
@each(("version", "is_type"), [("1.28", True), ("1.29", False), ("1.37", False)])
def test_a_well_known_type_is_no_value(name: str, version: str, is_type: bool) -> None:
    environment = new_expressions(parse_range(version).newest)
    undefined = f"reference to undefined type: google.protobuf.{name}"
    found = error(f"type(dyn(s)) == google.protobuf.{name}", environment)
    assert found == (None if is_type else undefined)


def test_null_is_no_duration() -> None:
    assert (
        error("duration(null) == duration('1s')", ENVIRONMENTS[0])
        == "no such overload: duration(null_type)"
    )
