"""Calls whose depth is bounded by memory only: generators that yield the calls to wait for."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

T = TypeVar("T")


def run(call: Generator[Any, Any, T]) -> T:
    """Run a generator to its end, and return what it returns.

    A generator that it yields is run first. What that returns is the value of the ``yield``, and an exception of it is
    raised there.
    """
    stack = [call]
    result: Any = None
    raised: Exception | None = None
    while True:
        try:
            below = stack[-1].send(result) if raised is None else stack[-1].throw(raised)
        except StopIteration as end:  # noqa: PERF203  the end of a call
            stack.pop()
            result, raised = end.value, None
            if not stack:
                returned: T = result
                return returned
        except Exception as error:
            stack.pop()
            if not stack:
                raised = None  # the traceback refers to this frame
                raise
            result, raised = None, error
        else:
            stack.append(below)
            result, raised = None, None
