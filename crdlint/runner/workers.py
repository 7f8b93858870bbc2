"""Processes that check tasks, and end with the process that started them."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe, Process, parent_process
from multiprocessing.connection import Connection, wait
from types import FrameType, TracebackType
from typing import Final

from crdlint.light import dataclass, replace
from crdlint.runner.task import Checker, CheckOutcome, Settings, Task, shown_name
from crdlint.safety.bugs import Bug
from crdlint.safety.escapes import show_traces
from crdlint.safety.programs import end_running
from crdlint.safety.signals import ENDING

_GRACE: Final = 0.5  # the seconds that a process has to clean up before it is killed


@dataclass(slots=True)
class Batch:
    """Tasks that are checked together; `results` is None until they are done."""

    tasks: list[Task]
    results: list[CheckOutcome] | None = None


@dataclass(slots=True)
class _Worker:
    process: Process
    connection: Connection
    chunk: Batch | None = None


class Workers:
    """At most `count` processes, each started when there is a chunk for it.

    If one dies, the tasks of its chunk are checked one by one, each in a separate process; with `is_last_try`, the task
    is reported instead.
    """

    def __init__(self, count: int, settings: Settings, *, is_last_try: bool = False) -> None:
        self._count = count
        self._settings = settings
        self._is_last_try = is_last_try
        self._workers: list[_Worker] = []
        self._queue: deque[Batch] = deque()

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.process.terminate()
        deadline = time.monotonic() + _GRACE
        for worker in self._workers:
            worker.process.join(max(deadline - time.monotonic(), 0))
            worker.process.kill()
            worker.process.join()
            worker.connection.close()

    def submit(self, chunk: Batch) -> None:
        """Check a chunk as soon as a process is free."""
        self._queue.append(chunk)
        self._assign()

    def collect(self, *, wait_for_one: bool) -> None:
        """Collect the results of finished chunks; with `wait_for_one`, wait for at least one."""
        busy = {worker.connection: worker for worker in self._workers if worker.chunk is not None}
        for connection in wait(list(busy), None if wait_for_one else 0):
            self._take(busy[connection])  # type: ignore[index]  # typeshed: connections are given, so they are returned
        self._assign()

    def _take(self, worker: _Worker) -> None:
        chunk, worker.chunk = worker.chunk, None
        assert chunk is not None  # noqa: S101  it is busy
        try:
            chunk.results = worker.connection.recv()
        except (EOFError, OSError):
            self._workers.remove(worker)
            worker.process.join()
            worker.connection.close()
            chunk.results = [
                self._after_death(task, worker.process.exitcode) for task in chunk.tasks
            ]

    def _after_death(self, task: Task, status: int | None) -> CheckOutcome:
        if self._is_last_try:
            from crdlint.linting.documents import unchecked

            text = f"the process that checked it ended with status {status}"
            bug, name = Bug(text, text), shown_name(task.path)
            return CheckOutcome(
                name,
                task,
                (unchecked(name, "", bug),),
                bugs=(bug,),
            )
        alone = Batch([task])
        with Workers(1, self._settings, is_last_try=True) as workers:
            workers.submit(alone)
            workers.collect(wait_for_one=True)
        assert alone.results is not None  # noqa: S101  it was waited for
        return alone.results[0]

    def _assign(self) -> None:
        while self._queue:
            worker = next(
                (candidate for candidate in self._workers if candidate.chunk is None), None
            )
            if worker is None:
                if len(self._workers) == self._count:
                    return
                worker = self._start()
            worker.chunk = self._queue.popleft()
            with suppress(OSError):  # it died: reading the results will fail as well
                worker.connection.send(worker.chunk.tasks)

    def _start(self) -> _Worker:
        ours, theirs = Pipe()
        process = Process(
            target=_work,
            args=(theirs, self._settings),
            daemon=True,
        )
        with _signals_blocked():  # otherwise an interrupt might leave an orphaned process
            process.start()
            worker = _Worker(process, ours)
            self._workers.append(worker)
        theirs.close()
        return worker


@contextmanager
def _signals_blocked() -> Iterator[None]:
    """Block signals, also in processes that are started."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(connection: Connection, settings: Settings) -> None:
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)  # the process that started this one ends it
    signal.signal(signal.SIGTERM, _exit)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
    show_traces(settings.verbose)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    checker = Checker(settings)
    try:
        while True:
            tasks: list[Task] = connection.recv()
            checked = [_light(checker.check(task)) for task in tasks]
            if settings.cache is not None:
                settings.cache.save()
            connection.send(checked)
    except Exception:
        os._exit(1)  # out of memory, or the parent is gone: each task is checked again


def _exit(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
    end_running()
    os._exit(1)


def _light(checked: CheckOutcome) -> CheckOutcome:
    """Return a result without texts that are not needed."""
    results = (
        result if result.diagnostics or "crdlint:" in result.text else replace(result, text="")
        for result in checked.results
    )
    return checked._replace(results=tuple(results))
