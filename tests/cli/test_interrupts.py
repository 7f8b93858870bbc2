"""Ctrl-C, SIGTERM, and readers that go away: the run ends at once and leaves nothing behind."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BAD = str(FIXTURES / "invalid" / "ref.yaml")
# Python whose check of a file prints a line and then takes for ever.
ENDLESS = """
import os, sys, time
import crdlint.runner.task
def endless(self, text, task, earlier=None, stop_at=None):
    print("checking", os.getpid(), flush=True)
    {work}
crdlint.runner.task.Checker.check_text = endless
from crdlint.__main__ import main
sys.argv = ["crdlint", *sys.argv[1:]]
main()
"""
WORK = {
    "Python": "while True: pass",
    # Signal handlers run between instructions of Python: this one never comes to an end.
    "C": "import hashlib; hashlib.pbkdf2_hmac('sha256', b'', b'', 1 << 40)",
}
STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGQUIT: 131}


@contextmanager
def started(work: str, *arguments: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Start a run in a session of its own, and wait until it checks something."""
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS.format(work=WORK[work]), "check", "--no-cache", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        cwd=folder,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("checking ")
        try:
            yield process
        finally:
            process.kill()


TELLING = [
    ("1", "Python", signal.SIGTERM, False),
    ("2", "Python", signal.SIGINT, True),
    ("2", "C", signal.SIGINT, True),
    ("2", "Python", signal.SIGHUP, True),
]
RUNS = [
    pytest.param(*run, marks=[] if run in TELLING else [pytest.mark.exhaustive])
    for run in (
        (*run, number, group)
        for run in [("1", "Python"), ("2", "Python"), ("2", "C")]
        for number in STATUS
        for group in (True, False)
    )
]


@pytest.mark.parametrize(("jobs", "work", "number", "group"), RUNS)
def test_a_signal_ends_the_run(
    jobs: str, work: str, number: signal.Signals, group: bool, tmp_path: Path
) -> None:
    """The signal is sent to the group, as a terminal does, or to the first process."""
    output = tmp_path / "out.json"
    output.write_text("before")
    with started(work, "--jobs", jobs, "--output", "json=out.json", BAD, folder=tmp_path) as run:
        (os.killpg if group else os.kill)(run.pid, number)
        # Standard output is at its end once no process has it open.
        _, errors = run.communicate()
    assert (run.returncode, errors) == (STATUS[number], "")
    assert output.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


KUSTOMIZE = f"""#!{sys.executable}
import os, time
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), str(os.getpid())), "x"):
    time.sleep(60)
"""
CRD = Path(BAD).read_text(encoding="utf-8")
PATCHED = "resources: [crd.yaml]\npatches: [{patch: 'kind: CustomResourceDefinition'}]\n"


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    "number", [signal.SIGHUP, *(pytest.param(n, marks=pytest.mark.exhaustive) for n in STATUS)]
)
def test_a_signal_ends_the_programs_of_the_run(number: signal.Signals, tmp_path: Path) -> None:
    bin_, work = tmp_path / "bin", tmp_path / "work"
    for name in ("a", "b"):
        (work / name).mkdir(parents=True)
        (work / name / "crd.yaml").write_text(CRD, encoding="utf-8")
        (work / name / "kustomization.yaml").write_text(PATCHED, encoding="utf-8")
    bin_.mkdir()
    (bin_ / "kustomize").write_text(KUSTOMIZE, encoding="utf-8")
    (bin_ / "kustomize").chmod(0o755)
    command = [sys.executable, "-m", "crdlint", "check", "--no-cache", "--jobs=2", "."]
    environment = {**os.environ, "PATH": f"{bin_}:{os.environ['PATH']}"}
    with subprocess.Popen(
        command, cwd=work, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
    ) as process:
        while process.poll() is None and len(list(bin_.iterdir())) < 3:
            time.sleep(0.05)
        os.killpg(process.pid, number)
    assert process.returncode == STATUS[number]
    for program in bin_.glob("[0-9]*"):
        while is_running(int(program.name)):  # until the system has removed it
            time.sleep(0.05)


def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    with started("C", "--jobs", "2", BAD, folder=tmp_path) as run:
        run.kill()
        _, errors = run.communicate()
    assert errors == ""


def test_a_signal_that_the_shell_ignores_stays_ignored(tmp_path: Path) -> None:
    code = """
import signal
from crdlint.cli.interrupts import handled
with handled():
    signal.raise_signal(signal.SIGINT)
    print("on")
"""
    done = subprocess.run(
        ["sh", "-c", f"trap '' INT; exec {sys.executable} -c '{code}'"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "on\n", "")


def test_an_exception_that_is_swallowed_ends_the_run_as_well() -> None:
    code = """
from crdlint.cli.interrupts import handled
import signal
with handled():
    try:
        signal.raise_signal(signal.SIGTERM)
    except BaseException:
        pass
    while True:
        pass
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (143, "")


def test_an_exception_that_python_ignores_ends_the_run_as_well() -> None:
    code = """
import signal, weakref
from crdlint.cli.interrupts import handled
class Thing: pass
with handled():
    thing = Thing()
    reference = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
    del thing
    print("still there")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


COMMANDS = {
    "check": ["check", "--no-cache", BAD],
    "json": ["check", "--no-cache", "--format", "json", BAD],
    "sarif": ["check", "--no-cache", "--format", "sarif", BAD],
    "cost": ["cost", str(FIXTURES / "valid" / "rules.yaml")],
    "validate": ["validate", "--crd", str(FIXTURES / "resources" / "crd.yaml"), str(FIXTURES / "resources" / "bad.yaml")],
    "test": ["test", "--verbose", str(FIXTURES / "suites")],
    "rules": ["rules"],
    "help": ["check", "--help"],
    "version": ["--version"],
}  # fmt: skip


EACH_COMMAND = [
    pytest.param(
        command, id=name, marks=[] if name in {"check", "help"} else [pytest.mark.exhaustive]
    )
    for name, command in COMMANDS.items()
]


def shell(command: list[str], redirection: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", f'"$@" {redirection}', "bash", sys.executable, "-m", "crdlint", *command],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("command", EACH_COMMAND)
@pytest.mark.parametrize(
    ("redirection", "reason"),
    [("> /dev/full", "No space left on device"), (">&-", "Bad file descriptor")],
    ids=["full", "closed"],
)
def test_standard_output_that_cannot_be_written(
    command: list[str], redirection: str, reason: str
) -> None:
    done = shell(command, redirection)
    assert (done.returncode, done.stderr) == (
        2,
        f"crdlint: standard output cannot be written: {reason}\n",
    )


@pytest.mark.parametrize("command", EACH_COMMAND)
def test_a_closed_pipe(command: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "crdlint", *command],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("redirection", ["2> /dev/full", "2>&-"], ids=["full", "closed"])
def test_standard_error_that_cannot_be_written(redirection: str) -> None:
    done = shell(["check", "--no-cache", BAD, "missing.yaml"], redirection)
    assert done.returncode == 2
    assert "forbidden-ref" in done.stdout


def test_standard_input_that_is_closed() -> None:
    done = shell(["check", "--no-cache", "-"], "<&-")
    assert (done.returncode, done.stderr) == (2, "crdlint: <stdin>: Bad file descriptor\n")


def test_a_file_does_not_take_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    copy = tmp_path / "copy.yaml"
    copy.write_bytes(Path(BAD).read_bytes())
    before = hashlib.sha256(copy.read_bytes()).digest()
    shell(
        ["check", "--no-cache", str(copy), "--output", f"json={tmp_path}/out.json"], "<&- >&- 2>&-"
    )
    assert hashlib.sha256(copy.read_bytes()).digest() == before
