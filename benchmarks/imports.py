"""What the imports of a command cost, by room: how many modules each room has in a run, and their share of the time.

`python benchmarks/imports.py check FILE` runs the command several times, and prints the least time of each module's own code
(without those that it imports), summed by room. The libraries are a row each.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from typing import Final

from corpus import made

_RUNS: Final = 7
_LINE: Final = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)$", re.MULTILINE)
_LIBRARIES: Final = ("click", "ruamel", "platformdirs")


def own_times(arguments: list[str], stdin: str) -> dict[str, int]:
    """Return the least microseconds that each module takes itself in several runs of a command."""
    least: dict[str, int] = {}
    for _ in range(_RUNS):
        command = [sys.executable, "-X", "importtime", "-m", "crdlint", *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
        for time, name in _LINE.findall(done.stderr):
            least[name] = min(int(time), least.get(name, int(time)))
    return least


def room_of(module: str) -> str:
    """Return the row of a module: a room of crdlint, a library, or what belongs to Python."""
    first, _, rest = module.partition(".")
    if first == "crdlint":
        return f"crdlint/{rest.partition('.')[0]}".rstrip("/")
    return first if first in _LIBRARIES else "Python"


def main() -> None:
    """Print a row for each room, those that take longest first."""
    arguments = sys.argv[1:] or ["check", "--no-cache", "-"]
    times = own_times(arguments, made(40))
    modules = Counter(map(room_of, times))
    sums: Counter[str] = Counter()
    for module, time in times.items():
        sums[room_of(module)] += time
    whole = sum(sums.values())
    print(f"{'room':24} modules       ms      %")
    for room, time in sums.most_common():
        print(f"{room:24} {modules[room]:7} {time / 1000:8.1f} {time / whole * 100:6.1f}")
    print(f"{'all':24} {len(times):7} {whole / 1000:8.1f}")


if __name__ == "__main__":
    main()
