"""Functions of strings, by table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest
from tables import each

from crdlint.cel.ast import Uint
from crdlint.cel.dialect import CELDialect
from crdlint.cel.errors import FunctionError
from crdlint.cel.eval.values import Duration, Timestamp
from crdlint.cel.library import strings
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

OLD = CELDialect(allows_offsets_beyond_text=False, checks_offsets_of_empty_text=False)


@each(
    ("function", "args", "result"),
    [
        (strings.char_at, ("tacocat", 3), "o"),
        (strings.char_at, ("tacocat", 0), "t"),
        (strings.char_at, ("tacocat", 7), ""),
        (strings.char_at, ("©àT", 1), "à"),
        (strings.index_of, ("tacocat", "ac"), 1),
        (strings.index_of, ("tacocat", "none"), -1),
        (strings.index_of, ("tacocat", "", 3), 3),
        (
            partial(strings.index_of, dialect=OLD),
            ("tacocat", "", -1),
            -1,
        ),
        (strings.index_of, ("", "a b"), -1),
        (strings.last_index_of, ("", "a"), -1),
        (strings.index_of, ("tacocat", "a", 3), 5),
        (strings.index_of, ("ta©o©àT", "©àT"), 4),
        (strings.index_of, ("tacocat", "a", 99), -1),
        (strings.last_index_of, ("tacocat", "at"), 5),
        (strings.last_index_of, ("tacocat", ""), 7),
        (strings.last_index_of, ("tacocat", "a", 4), 1),
        (strings.last_index_of, ("tacocat", "tacocat", 2), 0),
        (strings.last_index_of, ("tacocat", "a", 7), -1),
        (strings.last_index_of, ("tacocat", "", 3), 3),
        (strings.last_index_of, (f"{'b' * 65}c{'b' * 65}de", "b" * 65), 66),
        (strings.lower_ascii, ("TacÅCat",), "tacÅcat"),
        (strings.upper_ascii, ("tacoCåt",), "TACOCåT"),
        (strings.replace, ("12 days 12 hours", "{0}", "2"), "12 days 12 hours"),
        (strings.replace, ("aaa", "a", "b", 2), "bba"),
        (strings.replace, ("ab", "", "_"), "_a_b_"),
        (strings.replace, ("ab", "", "_", 2), "_a_b"),
        (strings.replace, ("ab", "a", "b", 0), "ab"),
        (strings.replace, ("ab", "a", "b", 2**63 - 1), "bb"),
        (strings.split, ("a,b,c", ","), ["a", "b", "c"]),
        (strings.split, ("a,b,c", ",", 2), ["a", "b,c"]),
        (strings.split, ("a,b,c", ",", 0), []),
        (strings.split, ("a,b,c", ",", 1), ["a,b,c"]),
        (strings.split, ("a,b", ",", 2**63 - 1), ["a", "b"]),
        (strings.split, ("héy", ""), ["h", "é", "y"]),
        (strings.split, ("héy", "", 2), ["h", "éy"]),
        (strings.split, ("héy", "", 1), ["héy"]),
        (strings.split, ("", ","), [""]),
        (strings.split, ("", ""), []),
        (strings.substring, ("tacocat", 4), "cat"),
        (strings.substring, ("tacocat", 7), ""),
        (strings.substring, ("ta©o©àT", 2, 6), "©o©à"),
        (strings.trim, (" \x0c\u0085\u00a0\u3000a\u200b\ufeff ",), "a\u200b\ufeff"),
        (strings.trim, ("\x1ca\x1f",), "\x1ca\x1f"),
        (strings.quote, ('a\n"\\\x07\x00é',), '"a\\n\\"\\\\\\a\x00é"'),
        (strings.quote, ("\udc80",), '"\ufffd"'),
        (strings.join, (["x", "y"],), "xy"),
        (strings.join, (["x", "y"], "-"), "x-y"),
        (strings.join, ([],), ""),
    ],
)
def test_results(
    function: Callable[..., Any], args: tuple[Any, ...], result: str | int | list[str]
) -> None:
    assert function(*args) == result


@each(
    ("function", "args", "message"),
    [
        (strings.char_at, ("tacocat", 30), "index out of range: 30"),
        (strings.char_at, ("tacocat", -1), "index out of range: -1"),
        (strings.index_of, ("tacocat", "a", -1), "index out of range: -1"),
        (strings.last_index_of, ("tacocat", "a", -1), "index out of range: -1"),
        (strings.substring, ("tacocat", 40), "index out of range: 40"),
        (strings.substring, ("tacocat", -1), "index out of range: -1"),
        (strings.substring, ("tacocat", 1, 50), "index out of range: 50"),
        (strings.substring, ("tacocat", 49, 1), "invalid substring range. start: 49, end: 1"),
        (strings.join, (["a", 1],), "join: invalid input: 1"),
        (strings.join, ([True],), "join: invalid input: true"),
        (strings.join, ([None],), "join: invalid input: 0"),
        (strings.join, ([Uint(3)],), "join: invalid input: 3"),
        (strings.join, ([1e6],), "join: invalid input: 1e+06"),
        (strings.join, ([b"ab"],), "join: invalid input: [97 98]"),
        (strings.join, ([[1, [], {}], ""],), "join: invalid input: [1, [], {}]"),
        (strings.join, ([{"a": 1, "b": [2]}],), "join: invalid input: {a: 1, b: [2]}"),
        (strings.join, ([Duration(-5_400_000_000_000)],), "join: invalid input: -1h30m0s"),
        (strings.join, ([Duration(1_500_000)],), "join: invalid input: 1.5ms"),
        (strings.join, ([Duration(0)],), "join: invalid input: 0s"),
        (strings.join, ([Timestamp(0)],), "join: invalid input: 1970-01-01 00:00:00 +0000 UTC"),
        (
            strings.join,
            ([Timestamp(500_000_000, 7200)],),
            "join: invalid input: 1970-01-01 02:00:00.5 +0200 +0200",
        ),
    ],
)
def test_errors(function: Callable[..., Any], args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(FunctionError) as caught:
        function(*args)
    assert str(caught.value) == message


LONG = "a" * 20_000


@each(
    ("function", "args"),
    [
        (strings.replace, (LONG, "", LONG)),
        (strings.replace, (LONG, "a", LONG, 15_000)),
        (strings.join, (["a"] * 20_000, LONG)),
        (strings.join, ([LONG] * 15_000, "")),
    ],
    ids=range(4),
)
def test_memory_is_not_filled(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    with work.limited(), pytest.raises(work.WorkLimitError):
        function(*args)


def test_few_replacements_are_made_of_long_texts() -> None:
    assert len(strings.replace(LONG, "", LONG, 3)) == 80_000
    assert len(strings.replace(LONG, "b", LONG)) == 20_000


def test_deep_input() -> None:
    value: list[Any] = []
    for _ in range(50_000):
        value = [value]
    with pytest.raises(FunctionError, match="join: invalid input"):
        strings.join([value])
