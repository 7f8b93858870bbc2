"""Work that recurses deeply, on a thread with a stack for that."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")

# cel-go's own limits bound the depth of parsing, at some 5,000 frames.
_STACK_FRAMES = 12_000
_STACK_BYTES = 64 * 1024 * 1024
_LOCK = threading.Lock()


def run_with_large_stack(work: Callable[[], _Result]) -> _Result:
    """Return what the work returns, or raise what it raises; the caller's stack is spared."""
    result: list[_Result] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            result.append(work())
        except BaseException as error:
            failure.append(error)

    # The limit is the whole process's; it is raised only meanwhile, and no other thread needs it as low as it was.
    with _LOCK:
        limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
        sys.setrecursionlimit(max(limit, _STACK_FRAMES))
        try:
            thread = threading.Thread(target=run, daemon=True)
            thread.start()
            thread.join()
        finally:
            sys.setrecursionlimit(limit)
            threading.stack_size(size)
    if failure:
        raise failure[0]
    return result[0]
