"""crdlint beside what a user would run instead: the same files in the same run, in turns, by CPU time.

`python benchmarks/peers.py` installs the other programs into a folder of its own (from PyPI, and by Go where it is installed),
measures each in turns, and prints a table of medians with versions and the machine. `--write` puts it into docs/speed.md.
A program that cannot be installed has no row, and the table says so.
"""

from __future__ import annotations

import argparse
import compileall
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

import api_server
import platformdirs
from peer_files import CASES, Case, made_files

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "speed.md"
BEGIN, END = "<!-- peers: begin -->\n", "<!-- peers: end -->\n"
_FROM_PYPI: Final = ("yamllint", "check-jsonschema", "kubernetes-validate")
_BY_GO: Final = {
    "kubeconform": "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0",
    "kubectl-validate": "sigs.k8s.io/kubectl-validate@v0.0.4",
}
# The shapes of CRDs that a program cannot read are left out for it: what was seen, not what it may do elsewhere.
_ONLY_RESOURCES: Final = {"kubectl-validate"}
_ONLY_CRDS: Final = {"the API server's packages", "kubernetes-validate"}
_CACHED: Final = "crdlint, cached"

# What each run imports to read options and YAML, unless an earlier one has answered it.
_LIBRARIES: Final = "import click, ruamel.yaml.events"
# Starts a program from a small process, since the memory of a process counts what the one had that started it.
_LAUNCH: Final = """
import os, sys
process = os.fork()
if not process:
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    os.execv(sys.argv[1], sys.argv[1:])
usage = os.wait4(process, 0)[2]
print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss, file=sys.stderr)
"""


@dataclass
class Peer:
    """A program: how it is run on the files of a case, in which `{files}` stands for them, and what it was seen to do."""

    name: str
    command: tuple[str, ...]
    environment: dict[str, str] = field(default_factory=dict)
    stdin: str = ""  # the name of a file of the case
    runs: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def reads(self, case: Case) -> bool:
        """Return whether the program is measured on a case."""
        return self.name not in (_ONLY_CRDS if case.resources else _ONLY_RESOURCES)

    def run(self, case: Case, folder: Path) -> None:
        """Run the program once, and keep its CPU seconds and its memory (MiB)."""
        files = sorted(str(path) for path in (folder / "files").iterdir())
        command: list[str] = []
        for part in self.command:
            command += files if part == "{files}" else [part.replace("{case}", str(folder))]
        given = (folder / self.stdin).open("rb") if self.stdin else subprocess.DEVNULL
        environment = {**os.environ, **self.environment}
        launch = [sys.executable, "-I", "-S", "-c", _LAUNCH, *command]
        done = subprocess.run(
            launch, stdin=given, capture_output=True, env=environment, text=True, check=True
        )
        seconds, kilobytes = map(float, done.stderr.split())
        self.runs.setdefault(case.name, []).append((seconds, kilobytes / 1024))


def installed(folder: Path, without: Collection[str]) -> dict[str, str]:
    """Return the paths of the other programs by name, but for some, installed where they are not yet."""
    tools = folder / "python"
    if not tools.exists():
        subprocess.run([sys.executable, "-m", "venv", tools], check=True)
        pip = [str(tools / "bin" / "python"), "-m", "pip", "install", "--quiet", *_FROM_PYPI]
        subprocess.run(pip, check=True)
    found = {name: str(tools / "bin" / name) for name in _FROM_PYPI}
    for name, module in _BY_GO.items():
        path = folder / "go" / name
        if name not in without and not path.exists() and shutil.which("go") is not None:
            environment = {**os.environ, "GOBIN": str(path.parent)}
            subprocess.run(["go", "install", module], env=environment, check=False)
        if path.exists():
            found[name] = str(path)
    return {name: path for name, path in found.items() if name not in without}


def _peers(programs: dict[str, str], cache: Path) -> list[Peer]:
    """Return crdlint, cold and cached, and the other programs."""
    crdlint = (sys.executable, "-P", "-m", "crdlint")
    paths = {"PYTHONPATH": str(ROOT), "CRDLINT_CACHE_DIR": str(cache)}
    peers = [
        Peer("python -c pass", (sys.executable, "-c", "pass")),
        Peer("python with crdlint's libraries", (sys.executable, "-c", _LIBRARIES)),
        Peer("crdlint, nothing cached", (*crdlint, "{command}", "--no-cache", "{files}"), paths),
        Peer(_CACHED, (*crdlint, "{command}", "{files}"), paths),
    ]
    schema = "{case}/schemas/{{ .ResourceKind }}.json"
    forms = {
        "yamllint": ("--no-warnings", "{files}"),
        "check-jsonschema": ("--schemafile", "{case}/schemas/schema.json", "{files}"),
        "kubernetes-validate": ("{files}",),
        "kubeconform": ("-schema-location", schema, "{files}"),
        "kubectl-validate": ("--local-crds", "{case}/crds", "{files}"),
    }
    peers += [Peer(name, (path, *forms[name])) for name, path in programs.items() if name in forms]
    server = api_server.program()
    if server is not None:
        peers.append(Peer("the API server's packages", (server,), stdin="requests.ndjson"))
    return peers


def _of_case(peer: Peer, case: Case) -> Peer:
    """Return a program with the command that reads the files of a case."""
    command: list[str] = []
    for part in peer.command:
        validate = ("validate", "--crd", "{case}/crds")
        command += (validate if case.resources else ("check",)) if part == "{command}" else (part,)
    return Peer(peer.name, tuple(command), peer.environment, peer.stdin, peer.runs)


def measure(peers: Sequence[Peer], cases: Sequence[Case], rounds: int, folder: Path) -> None:
    """Run all programs on all cases in turns, so that a busy machine slows all alike."""
    for case in cases:
        made_files(case, folder / case.name)
        for peer in peers:
            if peer.name == _CACHED:  # what fills the cache is not a run of it
                _of_case(peer, case).run(case, folder / case.name)
                del peer.runs[case.name]
    for number in range(rounds):
        for case in (case for case in cases if number % case.every == 0):
            for peer in peers:
                if peer.reads(case):
                    _of_case(peer, case).run(case, folder / case.name)


def table(peers: Sequence[Peer], cases: Sequence[Case]) -> str:
    """Return a table of the medians: CPU seconds, and the most memory of all cases in MiB."""
    titles = ["CPU seconds", *(case.title for case in cases), "MiB"]
    lines = [_row(titles), _row(["---"] * len(titles))]
    for peer in peers:
        if not peer.runs:
            continue  # it reads none of the cases
        cells = [_cell(peer.runs.get(case.name)) for case in cases]
        most = max(memory for runs in peer.runs.values() for _, memory in runs)
        lines.append(_row([peer.name, *cells, f"{most:.0f}"]))
    return "".join(lines)


def _cell(runs: Sequence[tuple[float, float]] | None) -> str:
    if not runs:
        return ""
    seconds = median(second for second, _ in runs)
    return f"{seconds:.3f}" if seconds < 1 else f"{seconds:.2f}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _version(command: Sequence[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0] if lines and not done.returncode else ""


def versions(programs: dict[str, str]) -> str:
    """Return the programs with their versions, and the machine, as a sentence each."""
    named = [
        _version([sys.executable, "-P", "-m", "crdlint", "--version"]),
        f"Python {platform.python_version()}",
    ]
    for name, path in programs.items():
        shown = _version([path, "-v" if name == "kubeconform" else "--version"])
        pinned = _BY_GO.get(name, "").partition("@")[2]
        named.append(shown if name in shown else f"{name} {pinned or shown}".strip())
    machine = f"{platform.system()} on {platform.machine()}, {os.cpu_count()} processors"
    return f"Measured with {', '.join(named)}. {machine}.\n"


def written(page: str, part: str) -> str:
    """Return a page with a part between its two marks."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{part}\n{END}{rest.partition(END)[2]}"


def _compile() -> None:
    """Compile the modules of crdlint as an installer does, also where Python is told to write no bytecode."""
    compileall.compile_dir(ROOT / "crdlint", quiet=1)


def main() -> None:
    """Install, measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=9, help="runs of each program on each case (9)"
    )
    parser.add_argument("--case", choices=[case.name for case in CASES], action="append")
    parser.add_argument("--tools", type=Path, default=platformdirs.user_cache_path("crdlint-peers"))
    parser.add_argument("--without", action="append", default=[], help="leave out a program")
    parser.add_argument("--write", action="store_true", help="write the table into docs/speed.md")
    given = parser.parse_args()
    cases = [case for case in CASES if case.name in (given.case or [each.name for each in CASES])]
    programs = installed(given.tools, given.without)
    missing = [name for name in (*_FROM_PYPI, *_BY_GO) if name not in programs]
    _compile()
    with tempfile.TemporaryDirectory() as name:
        peers = _peers(programs, Path(name, "cache"))
        measure(peers, cases, given.rounds, Path(name))
    left_out = f"Not installed: {', '.join(missing)}.\n" if missing else ""
    load = f"Load of the machine {os.getloadavg()[1]:.0f}.\n"
    fewer = ceil(given.rounds / max(case.every for case in cases))
    of_large = f", of {fewer} for the two large inputs" if fewer < given.rounds else ""
    about = f"Medians of {given.rounds} runs{of_large}. {versions(programs)}{load}{left_out}"
    part = f"{table(peers, cases)}\n{about}"
    print(part)
    if given.write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), part), encoding="utf-8")


if __name__ == "__main__":
    main()
