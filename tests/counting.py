"""Work counted instead of timed: how many lines of Python run, and how fast that number grows with the input."""

from __future__ import annotations

import gc
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from crdlint.cel import parser
from crdlint.kubecel import sharing
from crdlint.safety.work import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

# Work that doubles with its input stays below this, with a search in sorted values (2.3) as well; work that grows with the
# square of it reaches 4.
LINEAR = 2.4


def lines_run(work: Callable[[], object]) -> int:
    """Return how many lines of Python `work` executes, those of its threads included."""
    count = 0

    def trace(_frame: FrameType, event: str, _arg: Any) -> Any:
        nonlocal count
        if event == "line":
            count += 1
        return trace

    before = sys.gettrace()
    threading.settrace(trace)
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
        threading.settrace(before)
    return count


def growth(work: Callable[[int], object], size: int) -> float:
    """Return how many times the work for an input of twice `size` is the work for one of `size`."""
    work(2 * size)  # what is imported or compiled once counts for neither
    return _lines_of_new(work, 2 * size) / _lines_of_new(work, size)


def _lines_of_new(work: Callable[[int], object], size: int) -> int:
    """Return how many lines run for a size if none of its expressions is known from before."""
    sharing._shared = sharing.Sharing()  # noqa: SLF001
    parser._WITH_ERRORS = Recent(parser._WITH_ERRORS.capacity)  # noqa: SLF001
    return lines_run(lambda: work(size))


def recording(
    calls: list[Any], function: Callable[..., Any], note: object = None
) -> Callable[..., Any]:
    """Return the function with each call noted in a list: its first argument, or `note`."""

    def call(*given: Any, **more: Any) -> Any:
        calls.append(given[0] if note is None else note)
        return function(*given, **more)

    return call


@contextmanager
def without_collector() -> Iterator[None]:
    """Let the collector know what is made from here on only, and not run by itself."""
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.unfreeze()
