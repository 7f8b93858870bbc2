"""Suggested limits as a patch, applied by git and by patch."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from crdlint.cli.main import cli
from crdlint.report.locations import patch
from crdlint.yaml.edit import Edit, apply

if TYPE_CHECKING:
    from collections.abc import Iterable


EXPENSIVE = (Path(__file__).parents[2] / "fixtures/invalid/rule-too-expensive.yaml").read_text(
    encoding="utf-8"
)
PROGRAMS = [
    pytest.param(["git", "apply", "-"], id="git"),
    pytest.param(["patch", "-p1", "--binary"], id="patch", marks=pytest.mark.exhaustive),
]
FORGED = "a.yaml\n--- a/b.yaml\n+++ b/b.yaml\n@@ -1 +1 @@\n-keep: me\n+keep: nobody\n"


def suggested(folder: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> bytes:
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(cli, ["cost", "--suggest", *arguments], catch_exceptions=False)
    assert "Traceback" not in result.stderr
    return result.stdout_bytes


def apply_with(program: Iterable[str], folder: Path, data: bytes) -> None:
    command = list(program)
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not on the path")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    done = subprocess.run(command, cwd=folder, input=data, capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "name",
    [
        "a.yaml", "a b.yaml", "é.yaml", 'a"b.yaml', "a\\b.yaml", "a\tb.yaml", "a\r.yaml", "a\x1b[31m.yaml", "\udcff.yaml",
        FORGED.replace("/", "_") + ".yaml",
    ],
)  # fmt: skip
def test_a_name_changes_its_own_file_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: list[str], name: str
) -> None:
    other = tmp_path / "b.yaml"
    other.write_text("keep: me\n", encoding="utf-8")
    file = tmp_path / name
    file.write_text(EXPENSIVE, encoding="utf-8")
    data = suggested(tmp_path, monkeypatch, ".")
    assert data.count(b"\n--- ") == 0
    assert data.startswith(b"--- ")
    apply_with(program, tmp_path, data)
    assert "maxItems" in file.read_text(encoding="utf-8")
    assert other.read_text(encoding="utf-8") == "keep: me\n"
    assert CliRunner().invoke(cli, ["check", "."]).exit_code == 0


def test_a_folder_named_as_a_patch_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b.yaml").write_text("keep: me\n", encoding="utf-8")
    file = tmp_path / f"{FORGED}/crd.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(EXPENSIVE, encoding="utf-8")
    data = suggested(tmp_path, monkeypatch, ".")
    assert data.count(b"+++ ") == 1 + data.partition(b"\n")[0].count(b"+++ ") * 2
    apply_with(["patch", "-p1"], tmp_path, data)
    assert "maxItems" in file.read_text(encoding="utf-8")
    assert (tmp_path / "b.yaml").read_text(encoding="utf-8") == "keep: me\n"


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(EXPENSIVE.rstrip("\n"), id="no final newline"),
        pytest.param("\ufeff" + EXPENSIVE, id="byte order mark"),
        pytest.param(EXPENSIVE.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(EXPENSIVE.replace("\n", "\r\n").rstrip("\r\n"), id="CRLF, no final newline"),
        pytest.param(
            EXPENSIVE.replace("kind: Widget", "kind: Widget # a\u2028# b\x85# --- a/b.yaml"),
            id="other line breaks",
        ),
        pytest.param(
            "# x\n" * 100 + EXPENSIVE + "---\n" + EXPENSIVE.replace("widget", "gadget"),
            id="two documents",
        ),
    ],
)
def test_a_text_is_changed_where_it_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: list[str], text: str
) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(text.encode())
    data = suggested(tmp_path, monkeypatch, "./a.yaml")
    expected = tmp_path / "expected.yaml"
    expected.write_bytes(text.encode())
    assert (
        CliRunner().invoke(cli, ["check", "--fix", "--unsafe-fixes", str(expected)]).exit_code == 0
    )
    apply_with(program, tmp_path, data)
    assert file.read_bytes() == expected.read_bytes() != text.encode()


def test_an_absolute_path_below_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sub/a.yaml"
    file.parent.mkdir()
    file.write_text(EXPENSIVE, encoding="utf-8")
    assert suggested(tmp_path, monkeypatch, str(file)).startswith(b"--- a/sub/a.yaml\n")


def test_another_encoding_is_no_part_of_the_patch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.yaml").write_bytes(EXPENSIVE.encode("utf-16"))
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["cost", "--suggest", "a.yaml"], catch_exceptions=False)
    assert result.stdout == ""
    assert (
        "a.yaml: not in the patch: not UTF-8; `crdlint check --fix --unsafe-fixes` sets the limits"
        in result.stderr
    )


def test_any_edits_of_any_text(tmp_path: Path) -> None:
    """Edits applied by git have the result of edits applied to the text."""
    generator = random.Random(1)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    file = tmp_path / "a"
    for _ in range(40):
        size = generator.randrange(0, 120)
        text = "".join(
            generator.choice(["a", "b", "\n", "\n", "\r\n", "é", " ", "\x0c", "\u2028"])
            for _ in range(size)
        )
        edits = []
        for _ in range(generator.randrange(1, 6)):
            start = generator.randrange(size + 1) if size else 0
            end = min(start + generator.choice([0, 0, 1, 5, 40]), len(text))
            edits.append(
                Edit(min(start, len(text)), end, generator.choice(["", "x", "y\n", "\n", "z\nz\n"]))
            )
        edits = [edit for edit in edits if edit.start <= edit.end]
        after = apply(text, edits)
        data = patch("a", text, edits)
        assert (data == "") is (after == text)
        if not data or not text or not after:
            continue  # git makes and deletes such files by other headers
        file.write_bytes(text.encode())
        apply_with(["git", "apply", "--whitespace=nowarn", "-"], tmp_path, data.encode())
        assert file.read_bytes() == after.encode()


def test_the_work_grows_with_the_edits() -> None:
    """The hunks of a file contain the edits and their context, whatever the file has besides."""
    lines = [f"line {i}\n" for i in range(20_000)]
    text = "".join(lines)
    edits = [
        Edit(text.index(f"line {i}\n"), text.index(f"line {i}\n"), "new\n")
        for i in range(0, 20_000, 1000)
    ]
    assert patch("a", text, edits).count("\n") == 2 + 20 * 8 - 3
    # one change of many lines is not compared line by line
    whole = patch("a", text, [Edit(0, len(text), "".join(reversed(lines)))])
    assert whole.count("\n-line") == whole.count("\n+line") == 20_000
