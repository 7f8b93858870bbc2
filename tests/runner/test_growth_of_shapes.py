"""The work of a command grows with its files, not with their square: counted at a size and at twice that size."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from counting import LINEAR, growth
from shapes import SHAPES, checked
from tables import each

from crdlint.cli.main import cli

sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))

from command_shapes import COMMANDS


@each("name", SHAPES)
def test_the_work_is_linear(name: str) -> None:
    assert growth(lambda n: checked(SHAPES[name], n), 160) < LINEAR


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", COMMANDS)
def test_the_work_of_a_command_is_linear(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = COMMANDS[name]
    monkeypatch.chdir(tmp_path)

    def run(size: int) -> None:
        for file, text in shape.files(size).items():
            Path(file).write_text(text, encoding="utf-8")
        done = CliRunner().invoke(cli, shape.arguments)
        assert done.exit_code in {0, 1}, done.output

    assert growth(run, shape.size // 5) < LINEAR
