"""Time text to diagnostics beside a bare drain of libyaml's events, by document size, and measure memory."""

from __future__ import annotations

import gc
import resource
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING

from corpus import documents

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 5


def drain(text: str) -> int:
    """Pull every event out of libyaml and count them."""
    from _ruamel_yaml import CParser

    parser = CParser(text)
    events = 0
    while parser.get_event() is not None:
        events += 1
    return events


def seconds(function: Callable[[str], object], texts: list[str]) -> float:
    """Return the processor time, in seconds, of calling a function with each text."""
    gc.collect()
    start = time.process_time()
    for text in texts:
        function(text)
    return time.process_time() - start


def memory(texts: list[str]) -> tuple[float, float]:
    """Return (peak growth of a process that checks the largest text, its size), in MB."""
    largest = max(texts, key=len)
    code = (
        "import resource, sys, crdlint\n"
        "text = sys.stdin.read()\n"
        "crdlint.lint_text(text)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=largest, capture_output=True, text=True, check=True
    )
    return int(done.stdout) / 1000, len(largest.encode()) / 1e6


def main() -> None:
    """Print a line for each size class, then memory."""
    import crdlint

    texts = sorted(documents(), key=len)
    crdlint.lint_text(texts[0])
    classes = {
        "below 50 KB": [t for t in texts if len(t) < 50_000],
        "50 to 200 KB": [t for t in texts if 50_000 <= len(t) < 200_000],
        "200 KB and more": [t for t in texts if len(t) >= 200_000],
        "all": texts,
    }
    for name, chosen in classes.items():
        if not chosen:
            continue
        # Side by side, since other processes slow down both.
        rounds = [
            (seconds(drain, chosen), seconds(crdlint.lint_text, chosen)) for _ in range(ROUNDS)
        ]
        raw, whole = (min(times) for times in zip(*rounds, strict=True))
        size = sum(len(t) for t in chosen) / 1e6
        middle = median(check / drained for drained, check in rounds)
        print(
            f"{name:16} {len(chosen):4} docs {size:6.1f} MB  drain {raw:6.3f} s  "
            f"check {whole:6.3f} s ({size / whole:5.1f} MB/s)  {whole / raw:4.2f} x, median of rounds {middle:4.2f} x"
        )
    peak, size = memory(texts)
    print(
        f"memory: {peak:.0f} MB for {size:.1f} MB of input; bound 12 x + 60 MB = {12 * size + 60:.0f} MB"
    )
    print(f"this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB")


if __name__ == "__main__":
    main()
