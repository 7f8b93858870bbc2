"""How many processors are free for this process."""

from __future__ import annotations

import math
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

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
