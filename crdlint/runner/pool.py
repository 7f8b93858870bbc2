"""Tasks spread over processes where that pays, results in the tasks' order.

Tasks are taken, and results returned, a few at a time, so that memory does not grow with the run. A process that dies
takes only its own tasks with it: they are run again one by one, each in a process of its own, so that the one at fault
is reported and the others are checked.
"""

from __future__ import annotations

import math
import os
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crdlint.inputs.read import open_descriptor
from crdlint.runner.task import Checker, CheckOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.runner.task import Settings, Task
    from crdlint.runner.workers import Chunk


# Version 2 of control groups: quota and period in microseconds, or "max".
_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")
# Each process holds the files that it checks.
_MOST: Final = 8


def processors() -> int:
    """Return the number of processors that this process may use: its affinity, and a container's quota."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with suppress(OSError, ValueError):
        quota, period = map(int, _QUOTA.read_text(encoding="ascii").split())
        count = min(count, max(math.ceil(quota / period), 1))
    return count


def free_processors() -> int:
    """Return how many processes of ours would have a processor to themselves, 1 at least."""
    count = processors()
    if hasattr(os, "getloadavg"):
        with suppress(OSError):
            count -= round(os.getloadavg()[0])
    return min(max(count, 1), _MOST)


# Bytes to check from which on processes are started: that takes as long as checking some of them.
_WORTHWHILE: Final = 8_000_000
# Bytes of files that are read ahead to find out how much there is to check.
_READ_AHEAD: Final = 16_000_000
_CHUNK: Final = 500_000  # bytes that a process is given at a time
_CHUNK_TASKS: Final = 100
_AHEAD: Final = 3  # chunks for each process that are underway, or done and behind others that are underway


def run(tasks: Iterable[Task | CheckOutcome], settings: Settings, jobs: int | None) -> Iterator[CheckOutcome]:
    """Yield the results of tasks in order; what is checked already is passed on.

    ``jobs`` is the number of processes. None takes as many as there are free processors if the files that are not in
    the cache are large enough for that to pay.
    """
    checker = Checker(settings)
    if jobs is None and not settings.keep:
        ahead = _ReadAhead(checker, iter(tasks))
        yield from ahead.results()
        if not ahead.is_worthwhile:
            return
        tasks = ahead.left()
        jobs = free_processors()
    if jobs is None or jobs == 1 or settings.keep:
        for task in tasks:
            yield _check(checker, task)
    else:
        yield from _spread(tasks, checker, jobs)


class _ReadAhead:
    """Tasks read ahead of their check; ``is_worthwhile`` is set once there is enough to check for several processes."""

    def __init__(self, checker: Checker, tasks: Iterator[Task | CheckOutcome]) -> None:
        self._checker = checker
        self._tasks = tasks
        self._waiting: deque[Task | CheckOutcome] = deque()
        self.is_worthwhile = False

    def results(self) -> Iterator[CheckOutcome]:
        """Yield results in order until the tasks that are left are worth several processes."""
        to_check = held = 0
        for task in self._tasks:
            size = _size(task)
            known = task if isinstance(task, CheckOutcome) else self._checker.known(task)
            self._waiting.append(known or task)
            held += size
            to_check += 0 if known else size
            self.is_worthwhile = to_check > _WORTHWHILE
            if self.is_worthwhile:
                return
            if to_check == 0 or held > _READ_AHEAD:
                yield from self._checked()
                to_check = held = 0
        yield from self._checked()

    def left(self) -> Iterator[Task | CheckOutcome]:
        """Yield the tasks that are left."""
        while self._waiting:
            yield self._waiting.popleft()
        yield from self._tasks

    def _checked(self) -> Iterator[CheckOutcome]:
        while self._waiting:
            yield _check(self._checker, self._waiting.popleft())


def _spread(tasks: Iterable[Task | CheckOutcome], checker: Checker, count: int) -> Iterator[CheckOutcome]:
    """Yield the results of tasks that up to ``count`` processes check."""
    from crdlint.runner.workers import Workers

    chunks = _chunks(tasks, checker)
    pending: deque[Chunk] = deque()
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


def _chunks(tasks: Iterable[Task | CheckOutcome], checker: Checker) -> Iterator[Chunk]:
    """Yield tasks of some size together; those of a chart are not parted, since it is rendered once for all."""
    from crdlint.runner.workers import Chunk

    chunk: list[Task] = []
    held = 0
    for task in tasks:
        if isinstance(task, CheckOutcome) or open_descriptor(task.path) is not None:
            if chunk:
                yield Chunk(chunk)
            # No other process can read standard input.
            yield Chunk([], [task if isinstance(task, CheckOutcome) else checker.check(task)])
            chunk, held = [], 0
            continue
        size = _size(task)
        # Helm takes longer for a chart than the check of what it renders.
        is_rendered = task.place is not None and task.place.chart in checker.settings.charts
        is_full = is_rendered or held + size > _CHUNK or len(chunk) == _CHUNK_TASKS
        if chunk and is_full and not _are_of_one_chart(chunk[-1], task):
            yield Chunk(chunk)
            chunk, held = [], 0
        chunk.append(task)
        held += size
    if chunk:
        yield Chunk(chunk)


def _are_of_one_chart(one: Task, other: Task) -> bool:
    return one.place is not None and other.place is not None and one.place.chart == other.place.chart


def _check(checker: Checker, task: Task | CheckOutcome) -> CheckOutcome:
    return task if isinstance(task, CheckOutcome) else checker.check(task)


def _size(task: Task | CheckOutcome) -> int:
    """Return about how many bytes a task has to check."""
    if isinstance(task, CheckOutcome):
        return sum(len(result.text) for result in task.results)
    if task.text is not None:
        return len(task.text)
    try:
        return os.stat(task.path).st_size  # noqa: PTH116
    except (OSError, ValueError):
        return 0
