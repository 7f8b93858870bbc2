"""`--watch`: what counts as a change, and commands that run again after one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from commands import crdlint
from tables import each

from crdlint.cli import test, validate
from crdlint.cli.watch import changed, look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT: Final = Path(__file__).parents[2]
CRD: Final = (ROOT / "fixtures/valid/minimal.yaml").read_text(encoding="utf-8")
BROKEN: Final = CRD.replace("type: object", "type: strin")
SUITE: Final = (ROOT / "fixtures/suites/widgets.testsuite.yaml").read_text(encoding="utf-8")


def test_a_change_is_a_file_that_is_written_added_or_removed(tmp_path: Path) -> None:
    kept, written, removed = (tmp_path / name for name in ("a.yaml", "b.yaml", "c.yaml"))
    for file in (kept, written, removed):
        file.write_text("a", encoding="utf-8")
    before = look([str(tmp_path)])
    written.write_text("longer", encoding="utf-8")
    removed.unlink()
    (tmp_path / "sub").mkdir()
    added = tmp_path / "sub" / "d.tpl"
    added.write_text("", encoding="utf-8")
    assert changed(before, look([str(tmp_path)])) == sorted(map(str, (written, removed, added)))


def test_the_same_length_at_another_time_is_a_change(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a", encoding="utf-8")
    before = look([str(file)])
    file.write_text("b", encoding="utf-8")
    os.utime(file, ns=(1, 1))
    assert changed(before, look([str(file)])) == [str(file)]


def test_the_configuration_above_counts(tmp_path: Path) -> None:
    folder = tmp_path / "config" / "crd"
    folder.mkdir(parents=True)
    before = look([str(folder)])
    configuration = tmp_path / ".crdlint.yaml"
    configuration.write_text("select: ['*']", encoding="utf-8")
    assert changed(before, look([str(folder)])) == [str(configuration)]


def test_some_files_do_not_count(tmp_path: Path) -> None:
    before = look([str(tmp_path)])
    for name in (".git/index", "node_modules/a/b.json", "out/report.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "dangling.yaml").symlink_to("nowhere")
    assert changed(before, look([str(tmp_path)], [str(tmp_path / "out/report.json")])) == []


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start crdlint in a folder; its output, also that on standard error, is in `log`."""
    running = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        with (tmp_path / "log").open("w", encoding="utf-8") as log:
            command = [sys.executable, "-m", "crdlint", *arguments]
            environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
            running.append(
                subprocess.Popen(
                    command,
                    cwd=tmp_path / "files",
                    env=environment,
                    stdout=log,
                    stderr=log,
                    text=True,
                )
            )
        return running[-1]

    (tmp_path / "files").mkdir()
    yield start
    for process in running:
        process.kill()
        process.wait()


def wait_for(log: Path, text: str, times: int = 1) -> str:
    """Return what was logged when a text is there so many times."""
    for _ in range(600):
        found = log.read_text(encoding="utf-8")
        if found.count(text) >= times:
            return found
        time.sleep(0.1)
    raise AssertionError(f"not {times} times {text!r} in {found}")


@pytest.mark.parametrize("command", ["check", "validate", "test"])
def test_a_command_runs_again_after_a_change(
    watch: Callable[..., subprocess.Popen[str]], tmp_path: Path, command: str
) -> None:
    crd, suite = tmp_path / "files" / "crd.yaml", tmp_path / "files" / "a.testsuite.yaml"
    crd.write_text(CRD, encoding="utf-8")
    suite.write_text(SUITE, encoding="utf-8")
    process = watch(command, "--watch", ".")
    log = tmp_path / "log"
    wait_for(log, "Ctrl-C ends")
    crd.write_text(BROKEN, encoding="utf-8")
    output = wait_for(log, "Ctrl-C ends", 2)
    assert "changed: " in output
    assert "crd.yaml" in output
    if command == "check":
        first, second = output.split("changed: ")
        assert "0 errors" in first
        assert "error[type-unsupported]" in second
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130


SUITE_IN = "files/a.testsuite.yaml"
COMMANDS: Final = {"test": test.TestOptions, "validate": validate.ValidateOptions}
NEAR: Final = {
    "a suite and a CRD beside it": ("test", SUITE_IN, "files/crd.yaml"),
    "a suite and a CRD below it": ("test", SUITE_IN, "files/crds/crd.yaml"),
    "a folder of suites, and a CRD above it": ("test", "files/suites", "files/crd.yaml"),
    "a resource and a CRD beside it": ("validate", "files/resource.yaml", "files/crd.yaml"),
    "a resource and a CRD in another folder": (
        "validate",
        "files/samples/resource.yaml",
        "files/config/crd/crd.yaml",
    ),
}


@each("command, named, near", NEAR.values(), ids=NEAR)
def test_crds_that_no_argument_names_are_watched(
    command: str, named: str, near: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    options = COMMANDS[command]
    folder = tmp_path_factory.mktemp("watched")
    (folder / ".git").mkdir(parents=True)
    for name in (named, near):
        file = folder / name / "x.yaml" if "." not in name else folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("", encoding="utf-8")
    arguments = {"paths": (str(folder / named),), "crds": ()}
    settings = options(**arguments)
    assert str(folder / near) in look(settings.watched())
    named_crds = options(**{**arguments, "crds": (str(folder / named),)})
    assert str(folder / near) not in look(named_crds.watched())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "--watch", "-"], "standard input"),
        (["validate", "--watch", "-"], "standard input"),
        (["check", "--watch", "--fix", "."], "--fix"),
        (["check", "--watch", "--add-ignore", "."], "--add-ignore"),
        (["check", "--watch", "--baseline", "b", "--update-baseline", "."], "--update-baseline"),
    ],
    ids=str,
)
def test_what_cannot_be_watched_is_wrong_usage(arguments: list[str], message: str) -> None:
    done = crdlint(*arguments)
    assert done.returncode == 2
    assert "--watch cannot be used with" in done.stderr
    assert message in done.stderr
