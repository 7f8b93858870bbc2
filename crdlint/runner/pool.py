"""Distribution of tasks over processes if that saves time; results are in the order of the tasks.

Only a few tasks and results are in memory at a time. If a process dies, its tasks are run again one by one, each in a
separate process, so that the task that causes it is reported and the others are checked.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Final

from crdlint.files.read import open_descriptor
from crdlint.runner.task import Checker, CheckOutcome, OpenedTask, Settings, Task

if TYPE_CHECKING:
    from crdlint.runner.workers import Batch


# Control groups (version 2): quota and period in microseconds, or "max".
_QUOTA: Final = "/sys/fs/cgroup/cpu.max"
# Each process holds the files that it checks.
_MOST: Final = 8


def processors() -> int:
    """Return the number of processors that this process may use, given its affinity and a container's quota."""
    from pathlib import Path  # few runs need it

    count = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    with suppress(OSError, ValueError):
        quota, period = map(int, Path(_QUOTA).read_text(encoding="ascii").split())
        count = min(count, max(math.ceil(quota / period), 1))
    return count


def free_processors() -> int:
    """Return how many processes could have a processor of their own, at least 1."""
    count = processors()
    if hasattr(os, "getloadavg"):
        with suppress(OSError):
            count -= round(os.getloadavg()[0])
    return min(max(count, 1), _MOST)


# The number of bytes to check from which on processes are started, given the time that starting takes.
_WORTHWHILE: Final = 8_000_000
# The number of bytes that are read ahead to determine the amount of work.
_READ_AHEAD: Final = 16_000_000
_CHUNK: Final = 500_000  # the bytes of a chunk, which a process checks at a time
_CHUNK_TASKS: Final = 100
_AHEAD: Final = 3  # the number of chunks per process that are in progress, or wait for earlier ones


def run(
    tasks: Iterable[Task | CheckOutcome], settings: Settings, jobs: int | None
) -> Iterator[CheckOutcome]:
    """Yield the results of tasks in order; results among `tasks` are yielded unchanged.

    `jobs` is the number of processes. None means as many as there are free processors, if the files that are not in the
    cache are large enough.
    """
    checker = Checker(settings)
    if jobs is None:
        left = yield from _read_ahead(checker, iter(tasks))
        if left is None:
            return
        tasks, jobs = left, free_processors()
    if jobs == 1:
        for task in tasks:
            yield _check(checker, task)
    else:
        yield from _spread(tasks, checker, jobs)


def _read_ahead(
    checker: Checker, tasks: Iterator[Task | CheckOutcome]
) -> Generator[CheckOutcome, None, Iterator[Task | CheckOutcome] | None]:
    """Yield results in order; return the remaining tasks once they are enough for several processes, else None."""
    waiting: deque[Task | OpenedTask | CheckOutcome] = deque()
    to_check = size_read = 0
    for task in tasks:
        size = _size(task)
        opened = task if isinstance(task, CheckOutcome) else checker.from_cache(task)
        waiting.append(opened)
        size_read += size
        to_check += 0 if isinstance(opened, CheckOutcome) else size
        if to_check > _WORTHWHILE:
            left = (each.task if isinstance(each, OpenedTask) else each for each in waiting)
            return chain(left, tasks)
        if to_check == 0 or size_read > _READ_AHEAD:
            while waiting:
                yield _check(checker, waiting.popleft())
            to_check = size_read = 0
    while waiting:
        yield _check(checker, waiting.popleft())
    return None


def _spread(
    tasks: Iterable[Task | CheckOutcome], checker: Checker, count: int
) -> Iterator[CheckOutcome]:
    """Yield the results of tasks that up to `count` processes check."""
    from crdlint.runner.workers import Workers

    chunks = _chunks(tasks, checker)
    pending: deque[Batch] = deque()
    with Workers(count, checker.settings) as workers:
        while True:
            while len(pending) < count * _AHEAD and (chunk := next(chunks, None)) is not None:
                pending.append(chunk)
                if chunk.results is None:
                    workers.submit(chunk)
            if not pending:
                return
            while pending[0].results is None:
                workers.collect(wait_for_one=True)
            workers.collect(wait_for_one=False)
            yield from pending.popleft().results or ()


def _chunks(tasks: Iterable[Task | CheckOutcome], checker: Checker) -> Iterator[Batch]:
    """Yield groups of tasks; the tasks of a chart are not separated, because it is rendered once for all."""
    from crdlint.runner.workers import Batch

    chunk: list[Task] = []
    chunk_size = 0
    for task in tasks:
        if isinstance(task, CheckOutcome) or open_descriptor(task.path) is not None:
            if chunk:
                yield Batch(chunk)
            # Other processes cannot read standard input.
            yield Batch([], [_check(checker, task)])
            chunk, chunk_size = [], 0
            continue
        size = _size(task)
        # Rendering a chart by Helm takes longer than checking the result.
        is_rendered = task.location is not None and task.location.chart in checker.settings.charts
        is_full = is_rendered or chunk_size + size > _CHUNK or len(chunk) == _CHUNK_TASKS
        if chunk and is_full and not _are_of_one_chart(chunk[-1], task):
            yield Batch(chunk)
            chunk, chunk_size = [], 0
        chunk.append(task)
        chunk_size += size
    if chunk:
        yield Batch(chunk)


def _are_of_one_chart(task: Task, other: Task) -> bool:
    """Return whether the files of two tasks are in the same chart."""
    if task.location is None or other.location is None:
        return False
    return task.location.chart == other.location.chart


def _check(checker: Checker, task: Task | OpenedTask | CheckOutcome) -> CheckOutcome:
    return task if isinstance(task, CheckOutcome) else checker.check(task)


def _size(task: Task | CheckOutcome) -> int:
    """Return the approximate number of bytes that a task checks."""
    if isinstance(task, CheckOutcome):
        return sum(len(result.text) for result in task.results)
    if task.text is not None:
        return len(task.text)
    try:
        return os.stat(task.path).st_size  # noqa: PTH116
    except (OSError, ValueError):
        return 0
