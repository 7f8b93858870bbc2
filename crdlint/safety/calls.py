"""Recursive calls whose depth only memory limits: generators that yield the calls whose results they need."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

T = TypeVar("T")


def run(call: Generator[Any, Any, T]) -> T:
    """Run a generator and return its result; where it yields another one, that is run, and `yield` returns or raises its result."""
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
                raised = None  # its traceback refers to this frame, which would be a reference cycle
                raise
            result, raised = None, error
        else:
            stack.append(below)
            result, raised = None, None
