"""Calls on a stack of their own: depth, results and exceptions."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Generator

import pytest
from counting import without_collector

from crdlint.safety.work import run_calls

Depth = Generator["Depth", int, int]


class CallError(Exception):
    pass


def depth(levels: int) -> Depth:
    return 1 + (yield depth(levels - 1)) if levels else 0


def failing(levels: int, caught: list[int]) -> Depth:
    if not levels:
        raise CallError
    try:
        yield failing(levels - 1, caught)
    except CallError:
        caught.append(levels)
        if levels < 3:
            raise
    return levels


def test_calls_may_nest_deeper_than_python_recurses() -> None:
    levels = 10 * sys.getrecursionlimit()
    assert run_calls(depth(levels)) == levels


def test_an_exception_is_raised_where_the_call_is_made() -> None:
    caught: list[int] = []
    assert run_calls(failing(5, caught)) == 5
    assert caught == [1, 2, 3]
    with pytest.raises(CallError):
        run_calls(failing(2, caught))


def freed_error() -> weakref.ref[CallError]:
    try:
        run_calls(failing(2, []))
    except CallError as error:
        return weakref.ref(error)
    raise AssertionError


def test_an_exception_is_freed_without_the_collector() -> None:
    with without_collector():
        assert freed_error()() is None
