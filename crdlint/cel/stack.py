"""Room on Python's stack for work that recurses deeply."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Result = TypeVar("_Result")

# cel-go's own limits bound the depth of parsing, at some 5,000 frames.
_STACK_FRAMES = 12_000
_STACK_BYTES = 64 * 1024 * 1024
_LOCK = threading.Lock()


@contextmanager
def more_frames(count: int) -> Iterator[None]:
    """Raise the limit of recursion, which is the whole process's, by so many frames meanwhile.

    Other threads may do the same at the same time: what each adds, it takes away again.
    """
    _raise_limit(count)
    try:
        yield
    finally:
        _raise_limit(-count)


def _raise_limit(count: int) -> None:
    with _LOCK:
        sys.setrecursionlimit(sys.getrecursionlimit() + count)


def run_with_large_stack(work: Callable[[], _Result]) -> _Result:
    """Return what `work` returns, or raise what it raises, on a thread with a large stack."""
    result: list[_Result] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            result.append(work())
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=run, daemon=True)
    with more_frames(_STACK_FRAMES):
        with _LOCK:  # the size is that of all threads started meanwhile
            size = threading.stack_size(_STACK_BYTES)
            try:
                thread.start()
            finally:
                threading.stack_size(size)
        thread.join()
    if failure:
        raise failure[0]
    return result[0]
