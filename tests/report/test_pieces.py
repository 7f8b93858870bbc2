"""Reports are written as results come, and hold none of them."""

from __future__ import annotations

import gc
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from counting import recording, without_collector

from crdlint.cli import console
from crdlint.cli.main import cli
from crdlint.linting.result import FileResult
from crdlint.report import formats, pieces
from crdlint.report.pieces import Spool, Summary
from crdlint.runner.task import Checker

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "invalid"
COUNT = 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    text = (FIXTURES / "default-out-of-range.yaml").read_text(encoding="utf-8")
    warned = (FIXTURES / "format-unknown.yaml").read_text(encoding="utf-8")
    (tmp_path / "in").mkdir()
    for i in range(COUNT):
        (tmp_path / "in" / f"{i:02}.yaml").write_text(
            f"# {i}\n{text}\n---\n{warned}", encoding="utf-8"
        )
    return tmp_path


FORMATS = [(name, jobs) for name in formats.names("findings") for jobs in ("1", "2")]
TELLING = [("text", "2"), ("json", "1")]


@pytest.mark.parametrize(
    ("name", "jobs"),
    [
        *TELLING,
        *(
            pytest.param(*one, marks=pytest.mark.exhaustive)
            for one in FORMATS
            if one not in TELLING
        ),
    ],
)
def test_no_results_are_kept(
    name: str, jobs: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is alive at a time is what the processes are working on, not the run."""
    monkeypatch.setattr("crdlint.runner.pool._CHUNK_TASKS", 2)
    alive: list[int] = []
    real = Summary.add

    def counted(summary: Summary, result: FileResult) -> None:
        alive.append(sum(isinstance(one, FileResult) for one in gc.get_objects()))
        real(summary, result)

    monkeypatch.setattr(Summary, "add", counted)
    output = ["--output", f"{name}={folder}/out"]
    arguments = [
        "check",
        "--no-cache",
        "--jobs",
        jobs,
        "--format",
        name,
        *output,
        str(folder / "in"),
    ]
    with without_collector():
        done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert done.exit_code == 1
    assert len(alive) == COUNT
    assert max(alive) <= 2 * 3 * int(jobs) + 4
    assert (folder / "out").read_text(encoding="utf-8") == done.stdout


@pytest.mark.parametrize("name", ["text", "concise", "server", "json", "gitlab", "checkstyle"])
def test_findings_are_written_file_by_file(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is written before the next one is checked."""
    events: list[str] = []
    check, out = Checker.check, console.out
    monkeypatch.setattr(Checker, "check", recording(events, check, "check"))
    monkeypatch.setattr(console, "out", recording(events, out, "write"))
    arguments = [
        "check",
        "--no-cache",
        "--show-all",
        "--jobs",
        "1",
        "--format",
        name,
        str(folder / "in"),
    ]
    CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert events[: 2 * COUNT] == ["check", "write"] * COUNT


@pytest.mark.parametrize("memory", [10, 1_000_000])
@pytest.mark.parametrize("text", ["", "a", "é\n" * 50_000, "é" * 100_000 + "\n\n😀"])
def test_a_spool_returns_what_was_written(
    text: str, memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "_MEMORY", memory)
    spool = Spool()
    for i in range(0, len(text), 777):
        spool.write(text[i : i + 777])
    assert "".join(spool.pieces()) == text


class _Full(io.BytesIO):
    def write(self, _data: object) -> int:
        raise OSError(28, "No space left on device")


def test_a_disk_that_is_full(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.SpooledTemporaryFile", lambda _size: _Full())
    reason = "a temporary file cannot be written: No space left on device"
    done = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "sarif", str(folder / "in")])
    assert done.exit_code == 1  # of click's own: main() makes it 2
    assert reason in done.stderr
    done = CliRunner().invoke(
        cli,
        ["check", "--no-cache", "--show-all", "--output", f"json={folder}/out", str(folder / "in")],
    )
    assert done.exit_code == 2
    assert f"--output: {folder}/out cannot be written: {reason}" in done.stderr
    assert not (folder / "out").exists()
    assert "80 errors, 40 warnings\n" in done.stdout


def test_an_array_has_a_line_for_each_finding(folder: Path) -> None:
    for name in ("json", "gitlab", "sarif"):
        text = (
            CliRunner()
            .invoke(
                cli, ["check", "--no-cache", "--show-all", "--format", name, str(folder / "in")]
            )
            .stdout
        )
        lines = [
            line.removesuffix(",")
            for line in text.splitlines()
            if line.startswith("{") and len(line) > 1
        ]
        kinds = {"origin", "check_name", "ruleId"}
        assert sum(bool(kinds & set(json.loads(line))) for line in lines) == 6 * COUNT
