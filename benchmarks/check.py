"""How fast `crdlint check` is as a whole: cold and cached, in one process and two, by size and by rules.

Run as `python benchmarks/check.py [MB]`. All ratios are of one run on one machine; the input is made in a temporary
folder, of the real CRDs of `../shared/conformance` where they are there, else of CRDs of the same shape.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpus import documents, made

CRDLINT = str(Path(sys.executable).with_name("crdlint"))


def fill(folder: Path, size: int) -> None:
    """Write CRDs of so many bytes in all."""
    folder.mkdir()
    texts = documents()
    written = number = 0
    while written < size:
        text = texts[number % len(texts)] + f"# {number}\n"
        (folder / f"{number:05}.yaml").write_text(text, encoding="utf-8")
        written += len(text)
        number += 1


def run(folder: Path, cache: Path, *options: str) -> tuple[float, float]:
    """Return the seconds that a check takes, and the most memory (MB) that its process has had."""
    command = [CRDLINT, "check", "-q", str(folder), *options]
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "CRDLINT_CACHE_DIR": str(cache)},
    )
    _, _, usage = os.wait4(process.pid, 0)
    return time.perf_counter() - start, usage.ru_maxrss / 1000


def rules(count: int) -> str:
    """Return a CRD with so many different rules."""
    listed = "".join(
        f"        - rule: \"!has(self.f{i}) || self.f{i}.startsWith('v{i}')\"\n"
        for i in range(count)
    )
    fields = "".join(f"          f{i}: {{type: string, maxLength: 20}}\n" for i in range(count))
    head, _, _ = made(1).partition("        type: object\n")
    return f"{head}        type: object\n        x-kubernetes-validations:\n{listed}        properties:\n{fields}"


def main() -> None:
    """Print the figures."""
    size = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 20_000_000
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        fill(top / "half", size // 2)
        fill(top / "whole", size)
        cache = top / "cache"
        half, _ = run(top / "half", cache, "--no-cache", "--jobs=1")
        cold, memory = run(top / "whole", cache, "--no-cache", "--jobs=1")
        two, _ = run(top / "whole", cache, "--no-cache", "--jobs=2")
        run(top / "whole", cache)
        cached, _ = min(run(top / "whole", cache) for _ in range(3))
        print(
            f"{size / 1e6:.0f} MB cold, one process   {cold:7.2f} s  {size / 1e6 / cold:5.1f} MB/s  {memory:.0f} MB of memory"
        )
        print(f"      two processes         {two:7.2f} s  {cold / two:5.2f} x")
        print(f"      cached                {cached:7.2f} s  {cold / cached:5.1f} x")
        print(f"growth as the size doubles  {cold / half:7.2f}")
        times = []
        for count in (200, 400, 800):
            folder = top / f"rules{count}"
            folder.mkdir()
            (folder / "crd.yaml").write_text(rules(count), encoding="utf-8")
            times.append(min(run(folder, cache, "--no-cache")[0] for _ in range(3)))
        print(f"200, 400, 800 rules in one schema: {', '.join(f'{one:.2f} s' for one in times)}")
        plain = top / "plain"
        plain.mkdir()
        for i in range(500):
            (plain / f"{i}.yaml").write_text("apiVersion: v1\nkind: ConfigMap\n", encoding="utf-8")
        hook = min(run(plain, cache, "--no-require-crds")[0] for _ in range(5))
        print(f"500 files without CRDs      {hook:7.2f} s")


if __name__ == "__main__":
    main()
