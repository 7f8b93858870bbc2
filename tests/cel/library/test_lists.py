"""Functions of lists and sets, by table."""

from __future__ import annotations

import math
import random
from functools import partial
from typing import TYPE_CHECKING

import pytest
from counting import LINEAR, growth
from tables import each

from crdlint.cel.ast import Uint
from crdlint.cel.errors import FunctionError
from crdlint.cel.eval.equality import compare, equal
from crdlint.cel.eval.values import Duration, Timestamp
from crdlint.cel.library import extensions, lists

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def same(one: Any, other: Any) -> bool:
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return (
        type(one) is type(other)
        and (one == other or (one != one and other != other))
        and str(one) == str(other)
    )


@each(
    ("function", "args", "result"),
    [
        (lists.slice_, ([1, 2, 3, 4], 1, 3), [2, 3]),
        (lists.slice_, ([1], 1, 1), []),
        (lists.flatten, ([1, [2, [3]]],), [1, 2, [3]]),
        (lists.flatten, ([1, [2, [3, [4]]], []], 2), [1, 2, 3, [4]]),
        (lists.flatten, ([1, [2]], 0), [1, [2]]),
        (lists.sort_values, ([3, 1, 2],), [1, 2, 3]),
        (lists.sort_values, ([True, False],), [False, True]),
        (lists.sort_values, ([],), []),
        (lists.sort_by_keys, (["foo", "bar", "baz"], [3, 1, 2]), ["bar", "baz", "foo"]),
        (lists.sort_values, ([2.0, math.nan, 1.0],), [2.0, math.nan, 1.0]),
        (
            lists.distinct,
            ([1, 1.0, Uint(1), "1", True, [1], [1.0], None, None],),
            [1, "1", True, [1], None],
        ),
        (lists.distinct, ([math.nan, math.nan, 0.0, -0.0],), [math.nan, math.nan, 0.0]),
        (lists.distinct, ([2**53 + 1, float(2**53)],), [2**53 + 1]),
        (lists.flatten, ([range(2), [range(1)]],), [0, 1, range(1)]),
        (lists.range_, (3,), range(3)),
        (partial(lists.range_, is_limited=False), (-1,), range(-1)),
        (partial(lists.range_, is_limited=False), (2**63 - 1,), range(2**63 - 1)),
        (lists.reverse, ([1, 2],), [2, 1]),
        (extensions.contains, ([1, 2.0, "a", True], [2, 1.0, "a", Uint(1)]), True),
        (extensions.contains, ([1], [True]), False),
        (extensions.contains, ([], []), True),
        (extensions.contains, ([{"a": [1]}], [{"a": [1.0]}]), True),
        (extensions.equivalent, ([1, 1], [1.0]), True),
        (extensions.equivalent, ([1, 2], [1]), False),
        (extensions.intersects, ([1, 2], [Uint(2)]), True),
        (extensions.intersects, ([], [1]), False),
    ],
)
def test_results(function: Callable[..., Any], args: tuple[Any, ...], result: Any) -> None:
    assert same(function(*args), result)


@each(
    ("function", "args", "message"),
    [
        (lists.slice_, ([1], -1, 1), "cannot slice(-1, 1), negative indexes not supported"),
        (
            lists.slice_,
            ([1], 1, 0),
            "cannot slice(1, 0), start index must be less than or equal to end index",
        ),
        (lists.slice_, ([1], 0, 5), "cannot slice(0, 5), list is length 1"),
        (lists.flatten, ([1], -1), "level must be non-negative"),
        (lists.flatten, ({},), "no such overload: map(dyn, dyn).flatten()"),
        (lists.flatten, ([], "1"), "no such overload: list(dyn).flatten(string)"),
        (lists.sort_values, ([None],), "list elements must be comparable"),
        (lists.sort_values, ([1, "a"],), "list elements must have the same type"),
        (
            lists.sort_by_keys,
            ([1], [1, 2]),
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, "
            "but got 1 and 2 elements respectively",
        ),
    ],
)
def test_errors(function: Callable[..., Any], args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(FunctionError) as caught:
        function(*args)
    assert str(caught.value) == message


def test_sort_keeps_equal_elements_in_order() -> None:
    generator = random.Random(1)
    for length in (0, 1, 2, 12, 13, 200):
        for choices in (2, 10, 10**6):
            keys = [generator.randrange(choices) for _ in range(length)]
            indices = lists.sort_by_keys(range(length), keys)
            assert list(indices) == sorted(range(length), key=keys.__getitem__)


def test_sort_leaves_numbers_around_nan_as_go_does() -> None:
    values = [3.0, math.nan, 2.0, 1.0]
    assert str(lists.sort_values(values)) == "[3.0, nan, 1.0, 2.0]"


def test_many_elements() -> None:
    def work(count: int) -> None:
        values = list(range(count))
        assert lists.distinct(values * 2) == values
        assert extensions.equivalent(values, values[::-1])

    work(50_000)
    assert growth(work, 500) < LINEAR


def test_values() -> None:
    assert equal(Duration(1), Duration(1))
    assert not equal(Duration(1), 1)
    assert equal(Timestamp(5, 3600), Timestamp(5))
    assert compare("a", "b") == -1
    assert compare(2**63 - 1, Uint(2**63)) == -1
    assert compare(-1.5, Uint(0)) == -1
    deep_one: list[Any] = []
    deep_other: list[Any] = []
    for _ in range(50_000):
        deep_one, deep_other = [deep_one], [deep_other]
    assert equal(deep_one, deep_other)
    assert str(Timestamp(-62135596800 * 10**9)) == "0001-01-01T00:00:00Z"
    assert str(Timestamp(-62135596800 * 10**9, -3600)) == "0000-12-31T23:00:00-01:00"
    assert str(Timestamp(951782400 * 10**9)) == "2000-02-29T00:00:00Z"
