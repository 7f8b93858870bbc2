"""Larger Python stacks for deeply recursive work."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

_Result = TypeVar("_Result")

# cel-go's own limits bound the depth of parsing, at about 5,000 frames.
_STACK_FRAMES = 12_000
_STACK_BYTES = 64 * 1024 * 1024
_LOCK = threading.Lock()


class _Limit:
    """Python's recursion limit, which belongs to the whole process; several threads may raise it at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._before = 0
        self._added = 0

    def add(self, frames: int) -> None:
        """Raise the limit by `frames`, or lower it if negative; other changes of the limit in between are kept."""
        with self._lock:
            if not self._added:
                self._before = sys.getrecursionlimit()
            self._added += frames
            sys.setrecursionlimit(self._before + self._added)


_limit = _Limit()


@contextmanager
def more_frames(count: int) -> Iterator[None]:
    """Allow `count` more frames of recursion within the context."""
    _limit.add(count)
    try:
        yield
    finally:
        _limit.add(-count)


def run_with_large_stack(work: Callable[[], _Result]) -> _Result:
    """Run `work` on a thread with a large stack, or here where no thread starts (WebAssembly); return or raise what it does."""
    if sys.platform == "emscripten":
        with more_frames(_STACK_FRAMES):
            return work()
    result: list[_Result] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            result.append(work())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, daemon=True)
    with more_frames(_STACK_FRAMES):
        with _LOCK:  # the size applies to all threads started meanwhile
            size = threading.stack_size(_STACK_BYTES)
            try:
                thread.start()
            finally:
                threading.stack_size(size)
        thread.join()
    if failure:
        raise failure[0]
    return result[0]
