"""Runs inputs of one target, in a process of its own that the limits may end.

Arguments: target, seed, first and last index, seconds, megabytes. A line of JSON is written before and after each input.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import traceback
from contextlib import suppress
from random import Random
from time import process_time
from typing import Any

from targets import TARGETS, Target

MEGABYTE = 1024 * 1024


def input_of(target: Target, name: str, seed: int, index: int) -> Any:
    """Return an input of a target; it depends on nothing but the arguments."""
    return target.make(Random(f"{name}/{seed}/{index}"))


def say(report: dict[str, Any]) -> None:
    """Write a line for the driver."""
    sys.stdout.write(f"{json.dumps(report)}\n")
    sys.stdout.flush()


def main(name: str, seed: int, first: int, last: int, seconds: int, megabytes: int) -> None:
    """Run the inputs from `first` to `last`, both included."""
    target = TARGETS[name]
    # What is imported once is not an input's: one more input runs without limits.
    with suppress(Exception):
        target.run(input_of(target, name, seed, 0))
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()  # noqa: PTH123, SIM115
    resource.setrlimit(resource.RLIMIT_AS, (size + megabytes * MEGABYTE,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for index in range(first, last + 1):
        given = input_of(target, name, seed, index)
        say({"start": index})
        start = process_time()
        failure = None
        # Without a handler the signal ends the process, in code that is not Python's as well.
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            target.run(given)
        except Exception:
            failure = traceback.format_exc()
        signal.setitimer(signal.ITIMER_PROF, 0)
        report = {
            "end": index,
            "seconds": process_time() - start,
            "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "failure": failure,
        }
        say(report)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
