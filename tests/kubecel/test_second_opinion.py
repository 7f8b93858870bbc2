"""Expressions evaluated by us and by cel-python: values alike, or errors of both."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from second_opinion import TYPES, VARIABLES, expressions, plain, second_opinion, typed
from tables import each

from crdlint.cel.builder import ParserOptions
from crdlint.cel.compiler import compile_text
from crdlint.cel.decls import Env, Variable
from crdlint.cel.errors import PlanError
from crdlint.cel.eval.cost import CostModel
from crdlint.cel.eval.functions import Functions
from crdlint.cel.eval.program import plan
from crdlint.cel.eval.values import Duration, Timestamp
from crdlint.cel.library.stdlib import FUNCTIONS
from crdlint.cel.library.stdlib import TYPES as STANDARD_TYPES
from crdlint.cel.library.stdlib_functions import BOUND, SINGLETONS
from crdlint.cel.types import BOOL, INT, STRING, list_type, map_type
from crdlint.kubecel.second_opinion import FAILS

_TYPES = {"i": INT, "s": STRING, "l": list_type(INT), "m": map_type(STRING, INT), "t": BOOL}
_ENV = replace(
    Env()
    .extend(STANDARD_TYPES)
    .with_functions(FUNCTIONS)
    .extend(idents=[Variable(name, type_) for name, type_ in _TYPES.items()]),
    cross_type_comparisons=True,
)
_FUNCTIONS = Functions(Env().with_functions(FUNCTIONS).functions, BOUND, SINGLETONS)


def opinion(text: str) -> Any:
    compiled = compile_text(text, _ENV, ParserOptions())
    assert not compiled.errors, compiled.display()
    try:
        return plain(
            plan(compiled.expr, compiled.result, _FUNCTIONS, CostModel()).evaluate(VARIABLES).value
        )
    except PlanError:
        return FAILS


SAME = [
    "1 + 2 * 3 - 4 / 5 % 6",
    "-9223372036854775808 - 1",
    "-(-9223372036854775808)",
    "-9223372036854775808 / -1",
    "4294967296 * 4294967296",
    "18446744073709551615u + 1u",
    "0u - 1u",
    "1 / 0",
    "1 % 0",
    "1.0 / 0.0",
    "0.1 + 0.2",
    "int(1.9) + int(-1.9)",
    "int('-5') + int(5u)",
    "int('a')",
    "int(1e19)",
    "uint(-1)",
    "uint('5')",
    "double('1e3')",
    "double('x')",
    "string(5) + string(5u) + string(1.5) + string(b'abc')",
    "bytes('é')",
    "size('é€') + size(b'\\xff\\x00') + size([1]) + size({'a': 1})",
    "'a' < 'b' && 'Z' < 'a' && 'é' > 'z'",
    "b'a' < b'b'",
    "false < true",
    "s.contains('ll') && s.startsWith('h') && s.endsWith('o')",
    "s.matches('l+') && !s.matches('^l+$')",
    "'abc'.matches('[')",
    "1 in [1, 2] && !('z' in m) && 'a' in m",
    "[1, 2] == [1, 2] && [1] != [2] && {'a': 1} == {'a': 1}",
    "m.a + m['b']",
    "m.z",
    "l[5]",
    "{1: 'a', 2: 'b'}[2]",
    "{true: 1}[true]",
    "has(m.a) && !has(m.z)",
    "1 / 0 == 1 || true",
    "true || 1 / 0 == 1",
    "1 / 0 == 1 && false",
    "1 / 0 == 1 || false",
    "t ? 1 : 1 / 0",
    "l.all(x, x > 0) && l.exists(x, x == 2) && l.exists_one(x, x > 2)",
    "[0, 1].exists(x, 1 / x == 1)",
    "[1, 0].all(x, 1 / x == 2)",
    "[0].all(x, 1 / x == 1)",
    "[0, 1].exists_one(x, 1 / x == 1)",
    "l.map(x, x * x).filter(x, x > 1)",
    "l.map(x, l.map(y, x * y))",
    "[[1, 2], [3]].map(x, x.size())",
    "m.all(k, m[k] > 0) && m.exists(k, k == 'a')",
    "type(1) == int && type('') == string && type([]) == list && type(type(1)) == type",
    "duration('1h30m') + duration('-30m')",
    "duration('1.5s') < duration('1500ms')",
    "duration('1h').getMinutes() + duration('90s').getSeconds()",
    "duration('1x')",
    "timestamp('2020-02-28T23:00:00Z') + duration('25h')",
    "timestamp('2020-03-01T00:00:00Z') - timestamp('2020-02-28T00:00:00Z')",
    "timestamp('2020-02-30T00:00:00Z')",
    "timestamp('2020-02-29T12:34:56.789Z').getMilliseconds()",
    "timestamp('2020-02-29T12:34:56Z').getDayOfYear() + timestamp('2020-02-29T12:34:56Z').getDayOfMonth()",
    "timestamp('2020-02-29T23:30:00Z').getDate('+01:00')",
    "timestamp('2020-07-01T00:00:00Z').getHours('America/New_York')",
    "timestamp('9999-12-31T23:59:59Z') + duration('1s')",
    "dyn(1) + dyn('a')",
    "dyn('a') - dyn('b')",
    "string(1e21) + string(1e100) + string(0.00001)",
    "string(b'\\xff')",
    "string(timestamp('2020-01-01T00:00:00+02:00'))",
    "bool('t') && !bool('0')",
    "bool('no')",
    "dyn(1) && false",
    "!dyn(1)",
    "[1].exists_one(x, 1 / 0 == 1)",
    "uint(1.9) + uint(5.0)",
    "uint(18446744073709551615.0)",
    "int(9223372036854775807.0)",
    "'a\\nb'.matches('a.b') || 'aé'.matches('^.{2}$')",
]


@each("text", SAME)
def test_both_alike(text: str) -> None:
    assert typed(opinion(text)) == typed(second_opinion(text))


# Expression, what cel-go gives, what cel-python gives, and the place in cel-go v0.26.0 that decides.
KNOWN: list[tuple[str, Any, Any, str]] = [
    ("1 == dyn(1.0)", True, FAILS, "common/types/int.go, Int.Equal"),
    ("9007199254740993 == dyn(9007199254740992.0)", True, FAILS, "common/types/int.go, Int.Equal"),
    ("dyn(1) == 'a'", False, FAILS, "common/types/int.go, Int.Equal"),
    ("null != dyn(1)", True, FAILS, "common/types/null.go, Null.Equal"),
    ("0.0 / 0.0 == 0.0 / 0.0", False, True, "common/types/double.go, Double.Equal"),
    ("dyn(1u) in [1]", True, FAILS, "common/types/list.go, baseList.Contains"),
    ("1 < dyn(1.5)", True, FAILS, "common/types/int.go, Int.Compare"),
    ("-1.0 / 0.0", float("-inf"), float("inf"), "common/types/double.go, Double.Divide"),
    ("string(true)", "true", "True", "common/types/bool.go, Bool.ConvertToType"),
    ("string(100000.0)", "100000", "100000.0", "common/types/double.go, Double.ConvertToType"),
    (
        "int(double(-9223372036854775808))",
        FAILS,
        -(2**63),
        "common/types/overflow.go, doubleToInt64Checked",
    ),
    ("('a' + 'b').contains('b')", True, FAILS, "common/types/string.go, String.Add"),
    ("l[-1]", FAILS, 2, "interpreter/attributes.go, refQualify"),
    ("[1, 2][dyn(1.0)]", 2, FAILS, "common/types/list.go, IndexOrError"),
    ("size({'a': 1 / 0})", FAILS, 1, "interpreter/interpretable.go, evalMap.Eval"),
    ("{1: 2, 1: 3}[1]", 3, FAILS, "interpreter/interpretable.go, evalMap.Eval"),
    ("timestamp(0)", Timestamp(0), FAILS, "common/types/int.go, Int.ConvertToType"),
    (
        "int(timestamp('1969-12-31T23:59:59.5Z'))",
        -1,
        0,
        "common/types/timestamp.go, Timestamp.ConvertToType",
    ),
    ("duration('1ns')", Duration(1), Duration(0), "common/types/string.go, String.ConvertToType"),
    (
        "duration('106751d')",
        FAILS,
        Duration(106751 * 86400 * 10**9),
        "common/types/string.go, String.ConvertToType",
    ),
    (
        "duration('2562048h')",
        FAILS,
        Duration(2562048 * 3600 * 10**9),
        "common/types/string.go, String.ConvertToType",
    ),
    (
        "(duration('1h') - duration('1m')).getSeconds()",
        3540,
        FAILS,
        "common/types/duration.go, Duration.Subtract",
    ),
]


@each(("text", "ours", "theirs", "source"), KNOWN, ids=[row[0] for row in KNOWN])
def test_known_differences(text: str, ours: Any, theirs: Any, source: str) -> None:
    assert typed(opinion(text)) == typed(ours), source
    assert typed(second_opinion(text)) == typed(theirs)


@pytest.mark.parametrize("count", [10, pytest.param(60, marks=pytest.mark.exhaustive)])
@each("type_", TYPES)
def test_generated(type_: str, count: int) -> None:
    @settings(
        max_examples=count,
        derandomize=True,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(expressions(type_, 2))
    def run(text: str) -> None:
        assert typed(opinion(text)) == typed(second_opinion(text))

    run()
