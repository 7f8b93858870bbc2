"""Fuzzes every part of crdlint that reads input, with limits on the CPU time and memory of each input.

`python benchmarks/fuzz.py --inputs 1000000` takes hours; a run with the same seed has the same inputs.
`--target cel --only 1234 --show` prints one input and runs it here.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "fuzz"))

from driver import Failure, Result, fuzz
from targets import TARGETS

_STEP = 1000


def main() -> None:
    """Parse the arguments, and fuzz."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--inputs", type=int, default=10_000, help="number of inputs, over all targets (10000)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--target", choices=TARGETS, action="append", help="only this target (repeatable)"
    )
    parser.add_argument(
        "--seconds", type=int, default=10, help="CPU seconds that one input may take (10)"
    )
    parser.add_argument(
        "--megabytes", type=int, default=1024, help="memory that one input may take (1024)"
    )
    parser.add_argument("--only", type=int, metavar="INDEX", help="run one input in this process")
    parser.add_argument("--show", action="store_true", help="print the input of --only")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="write inputs that fail and tracebacks there"
    )
    given = parser.parse_args()
    names = given.target or list(TARGETS)
    if given.only is not None:
        for name in names:
            _run_one(name, given.seed, given.only, show=given.show)
        return
    results = {name: Result(name) for name in names}
    each = -(-given.inputs // len(names))
    # In turns, so that a run that is stopped has seen all targets.
    for first in range(1, each + 1, _STEP):
        last = min(first + _STEP - 1, each)
        for name in names:
            found = fuzz(
                name,
                seed=given.seed,
                first=first,
                last=last,
                seconds=given.seconds,
                megabytes=given.megabytes,
            )
            _add(results[name], found)
            for failure in found.failures:
                print(
                    f"{name} {failure.index}: {failure.kind}: {failure.place}",
                    file=sys.stderr,
                    flush=True,
                )
                if given.keep is not None:
                    _keep(given.keep, name, given.seed, failure)
        print(f"{last:,} inputs of each target", file=sys.stderr, flush=True)
        _print(list(results.values()), given.seed)
    sys.exit(1 if any(result.failures for result in results.values()) else 0)


def _run_one(name: str, seed: int, index: int, *, show: bool) -> None:
    target = TARGETS[name]
    given = target.make(Random(f"{name}/{seed}/{index}"))
    if show:
        for one in given if isinstance(given, tuple) else (given,):
            print(one)
    target.run(given)


def _add(total: Result, found: Result) -> None:
    total.inputs += found.inputs
    total.seconds += found.seconds
    total.slowest = max(total.slowest, found.slowest)
    total.megabytes = max(total.megabytes, found.megabytes)
    total.failures += found.failures


def _keep(folder: Path, name: str, seed: int, failure: Failure) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    given = TARGETS[name].make(Random(f"{name}/{seed}/{failure.index}"))
    (folder / f"{name}-{seed}-{failure.index}.txt").write_text(
        f"{failure.text}\n\n{given!r}\n", errors="backslashreplace"
    )


def _print(results: list[Result], seed: int) -> None:
    columns = (
        ("inputs", 9),
        ("crashes", 8),
        ("hangs", 6),
        ("memory", 7),
        ("deaths", 7),
        ("ms each", 8),
        ("slowest", 22),
        ("MB", 5),
    )
    print(f"{'target':18} {' '.join(f'{name:>{width}}' for name, width in columns)}")
    places: dict[tuple[str, str], int] = defaultdict(int)
    for one in results:
        counts = one.counts()
        seconds, index = one.slowest
        print(
            f"{one.target:18} {one.inputs:9,} {counts['crash']:8,} {counts['hang']:6,} {counts['memory']:7,} {counts['death']:7,}"
            f" {one.seconds / max(one.inputs, 1) * 1000:8.1f} {f'{seconds:.2f} s (input {index})':>22} {one.megabytes:5,}"
        )
        for failure in one.failures:
            places[one.target, f"{failure.kind}: {failure.place}"] += 1
    total = sum(one.inputs for one in results)
    print(f"{'all':18} {total:9,}  seed {seed}")
    for (target, place), count in sorted(places.items(), key=lambda item: -item[1]):
        print(f"  {count:6,}  {target}: {place}")
    print(flush=True)


if __name__ == "__main__":
    main()
