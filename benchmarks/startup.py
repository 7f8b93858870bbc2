"""Time `crdlint --version` and the check of one 10 KB CRD as whole processes, beside `python -c pass`."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpus import made

ROUNDS = 15


def seconds(command: list[str]) -> float:
    """Return the best wall time of one run of a command, in seconds."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    """Measure in turns, so that a busy machine slows all alike, and print the best of each."""
    with tempfile.TemporaryDirectory() as folder:
        crd = Path(folder) / "crd.yaml"
        crd.write_text(made(40), encoding="utf-8")
        crdlint = str(Path(sys.executable).with_name("crdlint"))
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "crdlint --version": [crdlint, "--version"],
            f"crdlint check ({crd.stat().st_size / 1000:.0f} KB)": [crdlint, "check", str(crd)],
        }
        best = dict.fromkeys(commands, float("inf"))
        for _ in range(ROUNDS):
            for name, command in commands.items():
                best[name] = min(best[name], seconds(command))
    base = best["python -c pass"]
    for name, value in best.items():
        print(f"{name:28} {value * 1000:7.1f} ms  {value / base:5.1f} x")


if __name__ == "__main__":
    main()
