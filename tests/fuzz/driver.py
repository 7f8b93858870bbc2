"""Runs many inputs in worker processes, and goes on behind those that crash, hang or take too much memory."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKER = Path(__file__).with_name("worker.py")
Kind = Literal["crash", "hang", "memory", "death"]
# Where a traceback ends: failures that end in the same line are one.
_FRAME = re.compile(r'File "[^"]*?([\w/]+\.py)", line (\d+)')


@dataclass(frozen=True, slots=True)
class Failure:
    """An input that failed: how, at which index, and where in the code or by which signal."""

    kind: Kind
    index: int
    place: str
    text: str = ""


@dataclass(slots=True)
class Result:
    """What came of the inputs of one target; `seconds` are CPU time, the largest are those of one input."""

    target: str
    inputs: int = 0
    seconds: float = 0.0
    slowest: tuple[float, int] = (0.0, -1)
    megabytes: int = 0
    failures: list[Failure] = field(default_factory=list)

    def counts(self) -> Counter[str]:
        """Return the number of failures of each kind."""
        return Counter(failure.kind for failure in self.failures)


def fuzz(
    target: str,
    *,
    seed: int,
    first: int,
    last: int,
    seconds: int = 10,
    megabytes: int = 1024,
    worker: Path = WORKER,
) -> Result:
    """Run the inputs of a target from index `first` to `last`, both included."""
    result = Result(target)
    while first <= last:
        first = _batch(result, seed, first, last, seconds, megabytes, worker)
    return result


def _batch(
    result: Result, seed: int, first: int, last: int, seconds: int, megabytes: int, worker: Path
) -> int:
    """Run inputs in one process; return the index to go on with."""
    arguments = map(str, (result.target, seed, first, last, seconds, megabytes))
    started: int | None = None
    with subprocess.Popen(
        [sys.executable, worker, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for report in _reports(process.stdout):
            if "start" in report:
                started = report["start"]
                continue
            started = None
            index = report["end"]
            first = index + 1
            result.inputs += 1
            result.seconds += report["seconds"]
            result.slowest = max(result.slowest, (report["seconds"], index))
            result.megabytes = max(result.megabytes, report["megabytes"])
            if report["failure"] is not None:
                text = report["failure"]
                kind: Kind = "memory" if text.rstrip().endswith("MemoryError") else "crash"
                result.failures.append(Failure(kind, index, _place(text), text))
            if report["failure"] is not None or report["megabytes"] > megabytes // 2:
                process.kill()  # what is left behind would count for the next input
                return first
        said = process.stderr.read()
    if started is None:
        if process.returncode:
            raise RuntimeError(f"the worker of {result.target} failed between inputs:\n{said}")
        return last + 1
    result.inputs += 1
    died_of = -process.returncode
    kind = "hang" if died_of == signal.SIGPROF else "memory" if "MemoryError" in said else "death"
    name = signal.Signals(died_of).name if died_of > 0 else f"status {process.returncode}"
    result.failures.append(Failure(kind, started, name, said))
    return started + 1


def _reports(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        if line.endswith("\n"):  # the end of the process cuts lines short
            yield json.loads(line)


def _place(text: str) -> str:
    frames = _FRAME.findall(text)
    error = text.rstrip().rsplit("\n", 1)[-1].partition(":")[0]
    return f"{error} at {frames[-1][0]}:{frames[-1][1]}" if frames else error
