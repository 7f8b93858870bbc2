"""Tasks spread over processes, results in the tasks' order.

A process that dies takes its own tasks with it only: those are run again one by one, each in a process of its own, so
that the one at fault is told of and the others are checked.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crdlint.checking import Bug, Checked, Checker, shown_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.checking import Settings, Task
    from crdlint.results import FileResult

# Bytes from which on it pays to start processes: they need as long as these are checked in.
_WORTHWHILE: Final = 3_000_000
_CHUNKS: Final = 6  # for each process, so that the last to end is not alone for long


def run(tasks: Sequence[Task], settings: Settings, jobs: int | None) -> Iterator[Checked]:
    """Yield what comes of tasks; ``jobs`` None takes as many processes as there are processors, where it pays."""
    sizes = [_size(task) for task in tasks]
    count = jobs or (processors() if sum(sizes) > _WORTHWHILE else 1)
    count = min(count, len(tasks))
    if count <= 1 or settings.keep:
        checker = Checker(settings)
        yield from map(checker.check, tasks)
        return
    chunks = list(_chunks(tasks, sizes, sum(sizes) // (count * _CHUNKS) + 1))
    pool = ProcessPoolExecutor(count, initializer=_start, initargs=(settings,))
    try:
        futures = [pool.submit(_check_all, chunk) for chunk in chunks]
        for chunk, future in zip(chunks, futures, strict=True):
            try:
                yield from future.result()
            except BrokenProcessPool:  # noqa: PERF203  a chunk at a time
                yield from _one_by_one(chunk, settings)
    finally:
        pool.shutdown(cancel_futures=True)


def _one_by_one(chunk: Sequence[Task], settings: Settings) -> Iterator[Checked]:
    for task in chunk:
        with ProcessPoolExecutor(1, initializer=_start, initargs=(settings,)) as pool:
            try:
                yield from pool.submit(_check_all, [task]).result()
            except BrokenProcessPool as error:
                text = f"the process that checked it ended: {error}"
                yield Checked(shown_name(task.path), task, bug=Bug(text, text))


def _chunks(tasks: Sequence[Task], sizes: Sequence[int], limit: int) -> Iterator[list[Task]]:
    """Yield runs of tasks of about the same size in bytes; those of a chart stay together."""
    chunk: list[Task] = []
    held = 0
    for task, size in zip(tasks, sizes, strict=True):
        same_chart = chunk and task.place is not None and chunk[-1].place is not None
        joined = same_chart and task.place.chart == chunk[-1].place.chart  # type: ignore[union-attr]
        if chunk and held + size > limit and not joined:
            yield chunk
            chunk, held = [], 0
        chunk.append(task)
        held += size
    if chunk:
        yield chunk


def _size(task: Task) -> int:
    try:
        return os.stat(task.path).st_size  # noqa: PTH116
    except (OSError, ValueError):
        return 0


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_checker: Checker | None = None


def _start(settings: Settings) -> None:
    global _checker
    _checker = Checker(settings)


def _check_all(tasks: Sequence[Task]) -> list[Checked]:
    assert _checker is not None  # noqa: S101  the initializer has run
    return [_light(_checker.check(task)) for task in tasks]


def _light(checked: Checked) -> Checked:
    """Return a result without texts that nobody will look into."""
    return replace(checked, results=tuple(map(_without_text, checked.results)))


def _without_text(result: FileResult) -> FileResult:
    if result.diagnostics or "crdlint:" in result.text:
        return result
    return replace(result, text="")
