"""What cel-python's evaluator says of an expression, in values of ours; and expressions that both can run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from hypothesis import strategies as st

from crdlint.cel.errors import Error
from crdlint.cel.eval.values import Map
from crdlint.kubecel.second_opinion import FAILS, Steps, evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypothesis.strategies import SearchStrategy

    from crdlint.cel.eval.values import Value

VARIABLES: Final[dict[str, Any]] = {
    "i": 7,
    "s": "héllo",
    "l": [3, 1, 2],
    "m": {"a": 1, "b": 2},
    "t": True,
}


def second_opinion(text: str) -> Value:
    """Return what cel-python makes of an expression, `FAILS` for any error."""
    return evaluate(text, VARIABLES, Steps(1_000_000))


def plain(value: Any) -> Any:
    """Return a value of ours as `second_opinion` does."""
    if type(value) is Error:
        return FAILS
    if isinstance(value, list | tuple):
        return [plain(held) for held in value]
    if isinstance(value, Map | dict):
        return {plain(key): plain(value[key]) for key in value}
    return value


def typed(value: Any) -> Any:
    """Return a value with the types of all that it holds, which `==` would look past."""
    if isinstance(value, list):
        return [typed(held) for held in value]
    if isinstance(value, dict):
        return {key: typed(held) for key, held in value.items()}
    return type(value).__name__, repr(value) if isinstance(value, float) else value


_PART: Final = re.compile(r"\$([a-z]+)")

_STRINGS: Final = st.sampled_from(["s", "''", "'a'", "'Hello World'", "'é€'", "'12'", "'-0.5'"])
_DURATIONS: Final = st.sampled_from(
    ["duration('90m')", "duration('-1.5s')", "duration('0s')", "duration('3us')"]
)
# Expressions by type; `index`, `word` and `span` are never calls, of which cel-python makes other types of Python.
# The parts of the templates are types after a dollar.
_LEAVES: Final[Mapping[str, SearchStrategy[str]]] = {
    "int": st.one_of(
        st.sampled_from(["i", "0", "9223372036854775807", "(-9223372036854775808)"]),
        st.integers(-9, 9).map(lambda n: f"({n})"),
    ),
    "index": st.sampled_from(["0", "1", "5", "i"]),
    "uint": st.sampled_from(["0u", "3u", "18446744073709551615u"]),
    "double": st.sampled_from(["0.5", "2.0", "(-1.25)", "1e10"]),
    "string": _STRINGS,
    "word": _STRINGS,
    "bool": st.sampled_from(["t", "true", "false"]),
    "list": st.sampled_from(["l", "[]", "[1]", "[4, 4, -1]"]),
    "strings": st.sampled_from(["['a', 'b']", "[s]"]),
    "map": st.sampled_from(["m", "{}", "{'a': 3, 'c': 1}"]),
    "duration": _DURATIONS,
    "span": _DURATIONS,
    "timestamp": st.sampled_from(
        ["timestamp('2020-02-29T23:59:59Z')", "timestamp('1969-12-31T00:00:00.25+02:00')"]
    ),
}
_TEMPLATES: Final[Mapping[str, tuple[str, ...]]] = {
    "int": (
        *(f"($int {operator} $int)" for operator in "+-*/%"),
        "-($int)",
        "($bool ? $int : $int)",
        *(f"size(${type_})" for type_ in ("string", "list", "map")),
        "$list[$index]",
        "$map[$string]",
        "int($double)",
        "int($string)",
        "$span.getSeconds()",
        *(
            f"$timestamp.{getter}()"
            for getter in ("getFullYear", "getMonth", "getDate", "getDayOfWeek", "getHours")
        ),
    ),
    "uint": (
        "($uint + $uint)",
        "($uint - $uint)",
        "($uint * $uint)",
        "($uint / $uint)",
        "uint($int)",
    ),
    "double": ("($double + $double)", "($double * $double)", "double($int)", "double($string)"),
    "string": (
        "($string + $string)",
        "string($int)",
        "string($uint)",
        "($bool ? $string : $string)",
        "$strings[$index]",
    ),
    "bool": (
        "($bool && $bool)",
        "($bool || $bool)",
        "!($bool)",
        *(
            f"(${type_} == ${type_})"
            for type_ in ("int", "string", "list", "map", "duration", "timestamp")
        ),
        *(
            f"(${type_} < ${type_})"
            for type_ in ("int", "uint", "double", "string", "duration", "timestamp")
        ),
        *(f"(${type_} >= ${type_})" for type_ in ("int", "string")),
        "($int in $list)",
        "($string in $map)",
        "$word.contains($string)",
        "$word.startsWith($string)",
        "$word.endsWith($string)",
        "$word.matches('^[a-z]+$')",
        "has(m.a)",
        "has(m.z)",
        "$list.all(x, x > $int)",
        "$list.exists(x, $int / x == 1)",
        "$list.exists_one(x, x == $int)",
        "$map.all(k, k < $string)",
    ),
    "list": (
        "($list + $list)",
        "$list.map(x, x + $int)",
        "$list.filter(x, x % 2 == $int)",
        "[$int, $int]",
        "$list.map(x, size($strings))",
    ),
    "strings": (
        "[$string, $string]",
        "$strings.filter(x, x != $string)",
        "$list.map(x, string(x))",
    ),
    "map": ("{'a': $index, 'b': $index}", "{$string: $index}"),
    "duration": ("($duration + $duration)", "($duration - $duration)", "($timestamp - $timestamp)"),
    "timestamp": ("($timestamp + $duration)", "($timestamp - $duration)"),
}


def expressions(type_: str, depth: int) -> SearchStrategy[str]:
    """Return expressions of a type, calls in them up to a depth."""
    if depth == 0 or type_ not in _TEMPLATES:
        return _LEAVES[type_]
    return st.one_of(
        _LEAVES[type_], *(_filled(template, depth - 1) for template in _TEMPLATES[type_])
    )


def _filled(template: str, depth: int) -> SearchStrategy[str]:
    texts = _PART.split(template)
    names = texts[1::2]

    def filled(parts: tuple[str, ...]) -> str:
        return texts[0] + "".join(
            part + rest for part, rest in zip(parts, texts[2::2], strict=True)
        )

    return st.deferred(lambda: st.tuples(*(expressions(name, depth) for name in names))).map(filled)


TYPES: Final = tuple(_TEMPLATES)
