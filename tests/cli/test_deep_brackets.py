"""A document that crdlint stops to read within its brackets is an error in each command, and never only a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import crd_with_spec
from tables import each

from crdlint.cli.main import cli
from crdlint.yaml import parse

if TYPE_CHECKING:
    from pathlib import Path

CRD = crd_with_spec("{type: string}")
# Two brackets in a row also look like a directive of a template.
DEEP = f"a: {'[' * 50}{'1, ' * 1000}{']' * 50}\n"
OBJECT = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\n"
SUITE = "crdName: foos.example.com\ntests: []\n"
FILES = {
    "old/a.yaml": CRD,
    "new/a.yaml": CRD,
    "new/deep.yaml": OBJECT.replace("Foo", "CustomResourceDefinition") + DEEP,
    "object.yaml": OBJECT,
    "deep-object.yaml": OBJECT + DEEP,
    "a.testsuite.yaml": SUITE + DEEP,
}


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(parse, "_MOST_LEVELS", 20_000)
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


@each(
    ("command", "status"),
    [
        ("check new", 1),
        ("check new --format junit", 1),
        ("check new --format github", 1),
        ("check new --format gitlab", 1),
        ("cost new", 1),
        ("diff old new", 1),
        ("diff old new --format github", 1),
        ("diff old new --format gitlab", 1),
        ("diff new old", 2),
        ("check old --against new", 2),
        ("validate --crd old deep-object.yaml", 1),
        ("validate --crd old deep-object.yaml --format junit", 1),
        ("validate --crd new/deep.yaml object.yaml", 2),
        ("test --crd old a.testsuite.yaml", 2),
    ],
)
def test_a_document_that_is_too_deep_is_an_error(command: str, status: int) -> None:
    done = CliRunner().invoke(cli, command.split(), catch_exceptions=False)
    assert done.exit_code == status
    assert "crdlint reads no further" in done.output


def test_an_object_that_is_too_deep_is_not_evaluated() -> None:
    done = CliRunner().invoke(cli, ["eval", "true", "--object", "deep-object.yaml"])
    assert done.exit_code
    assert "crdlint reads no further" in done.output
