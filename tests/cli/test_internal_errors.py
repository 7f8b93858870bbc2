"""A bug in crdlint costs nothing but the check of one document, and no command, format or editor shows it as clean."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest
from click.testing import CliRunner
from crds import SMALLEST

from crdlint import lint_text
from crdlint.cli.main import cli
from crdlint.crd import convert
from crdlint.linting import documents, manifest
from crdlint.lsp.checks import Checks
from crdlint.lsp.workspace import Workspace
from crdlint.report import formats

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from crdlint.crd.decode import Decoded
    from crdlint.kubernetes.servers import Server
    from crdlint.safety.bugs import Bug
    from crdlint.yaml.nodes import Mapping

REJECTED: Final = SMALLEST.replace(
    "{type: object}", "{type: object, properties: {a: {type: objects}}}"
)
BROKEN: Final = SMALLEST.replace("foos", "bars").replace("Foo", "Bar")
STREAM: Final = f"{BROKEN}---\n{REJECTED}"
BUG: Final = "a bug in crdlint keeps the document from being checked: ZeroDivisionError: of bars"
RESOURCE: Final = "apiVersion: example.com/v1\nkind: Bar\nmetadata: {name: x, namespace: y}\n"


def broken(root: Mapping, **options: bool | Server) -> Decoded:
    """Read a CRD, but fail for the CRD named bars."""
    if documents.name_of(root) == "bars.example.com":
        raise ZeroDivisionError("of bars")
    return convert.read_crd(root, **options)  # type: ignore[arg-type]  # they are passed on


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, internal_errors: list[Bug]) -> Path:
    """Work in a folder with a file whose first CRD cannot be checked, which is an internal error."""
    monkeypatch.setattr(manifest, "read_crd", broken)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(STREAM)
    internal_errors.clear()
    return tmp_path


def crdlint(*arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments], catch_exceptions=False)


def test_the_other_documents_are_checked_and_every_format_has_the_bug(
    internal_errors: list[Bug],
) -> None:
    for name in set(formats.names("findings")) - {
        "server"
    }:  # which has nothing but the server's sentences
        done = crdlint(
            "check", "--format", name, "--ignore", "internal-*", "--min-severity", "error", "a.yaml"
        )
        assert done.exit_code == 3, name
        assert done.stderr.count("Please report it") == 1, name
        assert "objects" in done.stdout, name
        assert "ZeroDivisionError: of bars" in done.stdout, name
    (run,) = json.loads(crdlint("check", "--format", "sarif", "a.yaml").stdout)["runs"]
    (invocation,) = run["invocations"]
    assert not invocation["executionSuccessful"]
    assert [note["level"] for note in invocation["toolExecutionNotifications"]] == ["error"]
    assert lint_text(STREAM)[0].message == BUG
    internal_errors.clear()


def test_unreadable_files_are_in_every_format(folder: Path) -> None:
    (folder / "b.yaml").write_bytes(b"kind: CustomResourceDefinition # \xff\xff")
    for name in set(formats.names("findings")) - {"text", "server"}:  # standard error has it
        done = crdlint("check", "--format", name, "b.yaml")
        assert done.exit_code == 2, name
        assert "UTF-8" in done.stdout, name


def test_other_commands_end_with_status_3_too(folder: Path, internal_errors: list[Bug]) -> None:
    (folder / "x.yaml").write_text(RESOURCE)
    for command, shown in {
        ("cost", "a.yaml"): BUG,
        ("cost", "--format", "json", "a.yaml"): BUG,
        ("validate", "--crd", "a.yaml", "x.yaml"): "keeps the document from being checked",
    }.items():
        done = crdlint(*command)
        assert (done.exit_code, shown in done.stdout) == (3, True), (command, done.output)
    internal_errors.clear()


def test_what_could_not_be_read_is_not_removed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, internal_errors: list[Bug]
) -> None:
    (folder / "old").mkdir()
    (folder / "old" / "a.yaml").write_text(STREAM)
    for command in (
        ("diff", "old/a.yaml", "a.yaml"),
        ("check", "--against", "old/a.yaml", "a.yaml"),
    ):
        done = crdlint(*command)
        assert (done.exit_code, BUG in done.stdout, "removed" in done.output) == (3, True, False), (
            done.output
        )
    # The old side fails.
    monkeypatch.setattr(manifest, "read_crd", convert.read_crd)
    monkeypatch.setattr(documents, "read_crd", broken)
    (folder / "a.yaml").write_text(REJECTED)
    done = crdlint("diff", "old/a.yaml", "a.yaml")
    assert (
        done.exit_code,
        "old/a.yaml: line 1: not compared: a bug in crdlint" in done.stderr,
    ) == (3, True), done.output
    assert "removed" not in done.output
    # The new side cannot be read, so that it may contain any CRD.
    (folder / "a.yaml").write_bytes(STREAM.encode() + b"# \xff")
    (folder / "old" / "a.yaml").write_text(REJECTED)
    done = crdlint("diff", "old/a.yaml", "a.yaml")
    assert (done.exit_code, "removed" in done.output) == (2, False), done.output
    assert "foos.example.com may be in a.yaml, which cannot be read" in done.stderr
    internal_errors.clear()


def test_the_language_server_publishes_it(folder: Path, internal_errors: list[Bug]) -> None:
    workspace = Workspace()
    document = workspace.open((folder / "a.yaml").as_uri(), 1, STREAM)
    checked = Checks(workspace).of(document)
    assert [one.rule for one in checked.findings] == ["internal-error", "type-unsupported"]
    assert [bug.text for bug in checked.bugs] == ["ZeroDivisionError: of bars"]
    internal_errors.clear()


# A help, a fix or a search for a cause that fails: where it is called, and a text for which it is.
HELPS: Final = {
    "crdlint.rules.fixes.field_fixes.placement": SMALLEST.replace("scope", "scoop"),
    "crdlint.crd.decode_errors.suggestion": SMALLEST.replace("served: true", 'served: "true"'),
    "crdlint.rules.engine.fixer.fix_of": REJECTED,
    "crdlint.kubecel.hints.hint": SMALLEST.replace(
        "{type: object}", "{type: object, x-kubernetes-validations: [{rule: self.a == 1}]}"
    ),
    "crdlint.yaml.causes.syntax_cause": SMALLEST.replace("  group", "   group", 1),
    "crdlint.yaml.causes.conversion_cause": SMALLEST.replace("  group", "  [a]: x\n  group", 1),
    "crdlint.rules.helps.structural.pattern_help": SMALLEST.replace(
        "object}", "string, pattern: '('}"
    ),
    "crdlint.phrases._nearest_of_few": REJECTED,
    "crdlint.rules.advice.storage._help": SMALLEST.replace(
        "object}", f"object, description: {'x' * 300_000}}}"
    ),
}


def test_a_help_that_fails_costs_no_finding(
    folder: Path, monkeypatch: pytest.MonkeyPatch, internal_errors: list[Bug]
) -> None:
    for name, text in HELPS.items():
        expected = [one.message for one in lint_text(text)]
        (folder / "a.yaml").write_text(text)
        with monkeypatch.context() as patch:
            patch.setattr(name, lambda *_: 1 // 0)
            assert [one.message for one in lint_text(text)] == expected, name
            done = crdlint("check", "--no-cache", "--format", "concise", "a.yaml")
        assert len(expected) == done.stdout.count("\n") >= 1, name
        assert (done.exit_code, done.stderr.count("ZeroDivisionError")) == (3, 1), name
        assert internal_errors, name
        internal_errors.clear()
