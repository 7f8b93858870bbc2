"""What expressions give, planned with and without folding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tables import each

from crdlint.cel.ast import Uint
from crdlint.cel.eval.equality import equal
from crdlint.cel.eval.values import NONE, Duration, Map, Optional_, Timestamp
from crdlint.cel.types import INT

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.eval.program import Program

VARIABLES: dict[str, Any] = {
    "x": 3,
    "self": {
        "a": {"b": "c"},
        "l": [1, 2],
        "m": {"k": 1},
        "s": "hello",
        "n": None,
        "o": Optional_({"p": 1}),
        "q": NONE,
    },
}

VALUES = [
    # arithmetic
    ("1 + 2 * 3 - 4", 3),
    ("-7 / 2", -3),
    ("-7 % 2", -1),
    ("7u / 2u + 1u", Uint(4)),
    ("1.0 / 0.0", float("inf")),
    ("'a' + 'b'", "ab"),
    ("b'a' + b'b'", b"ab"),
    ("[1] + [2]", [1, 2]),
    ("-x", -3),
    (".x + .self.l[1]", 5),
    ("timestamp('2020-01-01T00:00:00Z') - timestamp('2019-12-31T23:00:00Z')", Duration(3600 * 10**9)),
    ("string(timestamp('2020-01-01T00:00:00+02:00') + duration('1h'))", "2020-01-01T01:00:00+02:00"),
    # equality and order
    ("1 == dyn(1u) && dyn(1u) == 1.0", True),
    ("dyn(1) == '1' || dyn(true) == 1", False),
    ("0.0 / 0.0 == 0.0 / 0.0", False),
    ("[1, [2u]] == [1.0, [dyn(2)]]", True),
    ("{'a': 1, 'b': [2]} == {'b': [2.0], 'a': dyn(1u)}", True),
    ("null == self.n && self.n != 1", True),
    ("1 < 2u && 2.5 > 2 && 'a' < 'b' && b'a' < b'b' && false < true", True),
    ("9007199254740993 == dyn(9007199254740992.0)", True),
    ("type(1) == int && type([]) == list && type(type(1)) == type", True),
    # logic absorbs errors
    ("1 / 0 == 1 || true", True),
    ("1 / 0 == 1 && false", False),
    ("true || 1 / 0 == 1", True),
    ("false ? 1 / 0 : 2", 2),
    ("[1, 0].exists(i, 2 / i == 2)", True),
    ("[0, 1].all(i, 2 / i == 3)", False),
    # selection
    ("self.a.b", "c"),
    ("self['a']['b']", "c"),
    ("self.l[x - 3] + self.l[1u] + self.l[dyn(0.0)]", 4),
    ("{1: 'a'}[dyn(1u)] + {1u: 'b'}[dyn(1.0)]", "ab"),
    ("{1: 2, 1u: 3}.size()", 2),
    ("has(self.a) && has(self.a.b) && !has(self.z)", True),
    ("has({'a': 1}.a) && !has({'a': 1}.b)", True),
    ("has(self.s.z)", False),
    ("(x > 1 ? self.a : self.m).b", "c"),
    ("self[x > 1 ? 'l' : 'm'][0]", 1),
    ("true ? has(self.a.b) : has(self.z)", True),
    # membership
    ("2 in [1, 2] && !('a' in ['b']) && 1.0 in [1, 2.5] && !(x in [])", True),
    ("dyn(2u) in [1, 2] && dyn(1) in [true, 1.0] && !(dyn(1) in [true])", True),
    ("x in self.l || 'k' in self.m", True),
    ("[1] in [[1]] && !(dyn([1]) in [1])", True),
    # comprehensions
    ("[1, 2, 3].filter(i, i > 1).map(i, i * 2)", [4, 6]),
    ("[1, 2, 3].map(i, i > 1, i * 2)", [4, 6]),
    ("[1, 2, 3].exists_one(i, i == x)", True),
    ("self.m.map(k, k)", ["k"]),
    ("{'a': 1}.transformMap(k, v, v + 1)", Map([("a", 2)])),
    ("[3, 4].transformList(i, v, i + v)", [3, 5]),
    ("{'a': 'b'}.transformMapEntry(k, v, {v: k})", Map([("b", "a")])),
    ("[1, 2].all(i, v, i + 1 == v)", True),
    ("[[1, 2], [3]].map(i, i.map(j, i.size() + j))", [[3, 4], [4]]),
    # optionals
    ("self.?a.?b.orValue('n')", "c"),
    ("self.?z.b", NONE),
    ("self.?z.or(self.?a).value().b", "c"),
    ("self.l[?0].value() + self.l[?5].orValue(10)", 11),
    ("optional.of(1).optMap(v, v + 1)", Optional_(2)),
    ("optional.none().optFlatMap(v, optional.of(v))", NONE),
    ("optional.ofNonZeroValue('').hasValue() || optional.ofNonZeroValue(duration('0s')).hasValue()", False),
    ("[?self.?z, ?self.?s]", ["hello"]),
    ("{?'a': self.?z, ?'b': self.?s}", Map([("b", "hello")])),
    ("dyn(self.o).p", Optional_(1)),
    ("dyn(self.q).p", NONE),
    ("has(self.?a.b)", True),
    ("[optional.of(1), optional.none()].unwrapOpt() + [optional.of(2)].map(o, o.value())", [1, 2]),
    ("[1, 2].last().value() - [1, 2].first().value()", 1),
    # `+` adds in place to the list that a comprehension builds, which a variable can name too
    ("optional.of([]).optMap(l, [l + [1], l])", Optional_([[1], [1]])),
    # texts
    ("'héllo'.size() + size(b'\\xc3') + 'abc'.size()", 9),
    ("'hello'.contains('ell') && 'hello'.startsWith('he') && 'hello'.endsWith('lo')", True),
    ("self.s.matches('^h.*o$') && matches('abc', 'b') && !'a\\nb'.matches('a.b')", True),
    # conversions
    ("[int('-5'), int(5u), int(1.9), int(-1.9), int(duration('1us')), int(timestamp(7))]", [-5, 5, 1, -1, 1000, 7]),
    ("[uint('5'), uint(5), uint(5.5)]", [Uint(5), Uint(5), Uint(5)]),
    ("[double('1e3'), double(1), double('0x1p-2'), double('1_0.5')]", [1000.0, 1.0, 0.25, 10.5]),
    ("[string(1), string(2u), string(1e21), string(-0.5), string(true), string(b'a'), string(duration('90m'))]",
     ["1", "2", "1e+21", "-0.5", "true", "a", "5400s"]),
    ("[bool('T'), bool('false'), bool(true)]", [True, False, True]),
    ("bytes('é')", b"\xc3\xa9"),
    ("dyn(int)", INT),
    # time
    ("timestamp('2020-02-29T23:30:00.5Z').getDayOfYear()", 59),
    ("timestamp('2020-02-29T23:30:00.5Z').getMilliseconds()", 500),
    ("[timestamp('2020-02-29T23:31:05Z')].map(t, [t.getMonth(), t.getMinutes(), t.getSeconds()])[0]", [1, 31, 5]),
    ("timestamp('2020-02-29T23:30:00Z').getDate('+01:00')", 1),
    ("timestamp('2020-02-29T23:30:00Z').getHours('-02:30')", 21),
    ("timestamp('2020-02-29T23:30:00Z').getMinutes('+05:45')", 15),
    ("timestamp('2020-07-01T00:00:00Z').getHours('America/New_York')", 20),
    ("timestamp('2020-01-15T00:00:00Z').getHours('Europe/Amsterdam')", 1),  # was 00:19 as long before 1970
    ("timestamp('2020-02-29T23:30:00Z').getDayOfWeek()", 6),
    ("timestamp('9999-12-31T23:59:59Z').getFullYear('+01:00')", 10000),
    ("[duration('1h30m').getHours(), duration('-90s').getMinutes(), duration('-1.5s').getMilliseconds()]", [1, -1, -1500]),
    ("duration('9007199254.999999999s').getSeconds()", 9007199255),
    ("timestamp('0001-01-01T00:00:00Z')", Timestamp(-62135596800 * 10**9)),
]  # fmt: skip

ERRORS = [
    ("1 / 0", "division by zero"),
    ("1u / 0u", "division by zero"),
    ("1 % 0", "modulus by zero"),
    ("9223372036854775807 + 1", "integer overflow"),
    ("-9223372036854775808 / -1", "integer overflow"),
    ("-9223372036854775808 % -1", "integer overflow"),
    ("1u - 2u", "unsigned integer overflow"),
    ("timestamp('9999-12-31T23:59:59Z') + duration('1s')", "timestamp overflow"),
    ("timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z')", "integer overflow"),
    ("self.z", "no such key: z"),
    ("self.a.b.c", "no such key: c"),
    ("self.o.p", "no such key: p"),
    ("{1: 2}[3]", "no such key: 3"),
    ("self.l[5]", "index out of bounds: 5"),
    ("self.l[-1]", "index out of bounds: -1"),
    ("self.l['a']", "unsupported index type 'string' in list"),
    ("self.l[dyn(0.5)]", "unsupported index value 0.5 in list"),
    ("self[self.l]", "invalid qualifier type: *types.baseList"),
    ("dyn(true) + 1", "no such overload: _+_"),
    ("1 + dyn('a')", "no such overload"),
    ("dyn('a') - dyn('b')", "no such overload"),
    ("1 < dyn('a')", "no such overload"),
    ("dyn([1]) < dyn([2])", "no such overload: _<_"),
    ("dyn(0.0) / 0.0 < 1.0", "NaN values cannot be ordered"),
    ("!dyn(1)", "no such overload"),
    ("-dyn(true)", "no such overload"),
    ("-dyn('a')", "no such overload"),
    ("dyn(1) && true", "no such overload"),
    ("dyn(1) ? 1 : 2", "no such overload"),
    ("size(self.a.b == 'c' ? dyn(1) : dyn(2))", "no such overload: size"),
    ("1 in dyn(2)", "no such overload"),
    ("int(dyn([]).size() == 0 ? dyn([]) : dyn(1))", "no such overload: int(list)"),
    ("dyn(x).contains('a')", "no such overload"),
    ("'a'.matches(self.s + '(')", "error parsing regexp: missing closing ): `hello(`"),
    ("duration(self.s)", "type conversion error from 'string' to 'google.protobuf.Duration'"),
    ("timestamp(self.s)", "type conversion error from 'string' to 'google.protobuf.Timestamp'"),
    ("int(self.s)", "type conversion error from 'string' to 'int'"),
    ("duration(x)", "type conversion error from 'int' to 'google.protobuf.Duration'"),
    ("int(double(x) * 1e30)", "integer overflow"),
    ("uint(-x)", "unsigned integer overflow"),
    ("timestamp(x * 1000000000000)", "timestamp overflow"),
    ("timestamp(x).getHours('Nowhere/Land')", "unknown time zone Nowhere/Land"),
    ("timestamp(x).getHours('a..b')", "time: invalid location name"),
    ("timestamp(x).getHours('a:30')", 'strconv.Atoi: parsing "a": invalid syntax'),
    (
        "timestamp(x).getHours('-9223372036854775809:00')",
        'strconv.Atoi: parsing "-9223372036854775809": value out of range',
    ),
    ("dyn(x).all(i, true)", "got 'types.Int', expected iterable type"),
    ("dyn(x).all(i, j, true)", "unsupported comprehension range type: types.Int"),
    ("[1, 1].transformMapEntry(i, v, {v: i})", "insert failed: key 1 already exists"),
    ("self.?z.value()", "optional.none() dereference"),
    ("[?dyn(x)]", "cannot initialize optional list element from non-optional value 3"),
    ("{?'a': dyn(x)}", "cannot initialize optional entry 'a' from non-optional value 3"),
    ("[2, 1, 0].map(i, 2 / i)", "division by zero"),
]


@each(("text", "value"), VALUES)
def test_values(program: Callable[..., Program], text: str, value: object) -> None:
    result = program(text).evaluate(VARIABLES)
    assert result.error is None
    assert equal(result.value, value) is True
    if not isinstance(value, (list, Map)):
        assert type(result.value) is type(value)


@each(("text", "message"), ERRORS)
def test_errors(program: Callable[..., Program], text: str, message: str) -> None:
    assert program(text).evaluate(VARIABLES).error == message


def test_a_trace_has_the_id_of_the_expression_that_fails(program: Callable[..., Program]) -> None:
    result, events = program("self.l[0] == 1 && 1 / 0 == 1").trace(VARIABLES)
    assert next(event.id for event in events if event.value is result.value) == 8


def test_missing_variable(program: Callable[..., Program]) -> None:
    assert program("self.a").evaluate({}).error == "no such attribute(s): self"
