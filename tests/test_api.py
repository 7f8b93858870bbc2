"""The Python API over paths, and its fixes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest
from commands import crdlint as command
from crds import SMALLEST
from tables import each

import crdlint

ROOT: Final = Path(__file__).resolve().parents[1]
MISSPELT: Final = SMALLEST.replace("scope:", "scoop:")
WITH_BOOLEANS: Final = SMALLEST.replace(
    "{type: object}", "{type: object, properties: {a: {type: string, enum: [on]}}}"
)
Rows = list[tuple[str, int, str, str]]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rows(paths: list[str | Path], **settings: str | bool) -> Rows:
    found = crdlint.lint_paths(paths, **settings)  # type: ignore[arg-type]
    return [(d.file, d.line, d.rule, d.severity) for d in found]


def printed(*arguments: str) -> Rows:
    done = command("check", "--no-cache", "--show-all", "--format", "json", *arguments)
    document = json.loads(done.stdout)
    findings = [(d["file"], d["line"], d["rule"], d["severity"]) for d in document["diagnostics"]]
    unread = [(d["file"], d["line"] or 1, "unreadable", "error") for d in document["unreadable"]]
    return findings + unread


@each(
    "paths",
    [
        ["invalid"],
        ["valid", "gone.yaml"],
        ["charts"],
        ["charts/widgets"],
        ["invalid/list-map-key-optional.yaml"],
    ],
)
def test_paths_have_the_findings_of_check(
    paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT / "fixtures")
    assert sorted(rows([*paths])) == sorted(printed(*paths))


def test_configurations_and_comments_apply(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(WITH_BOOLEANS)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.yaml").write_text(WITH_BOOLEANS.replace("foos", "bars"))
    (tmp_path / "sub/.crdlint.yaml").write_text("severity: {yaml-boolean: error}\n")
    of_a, of_b = ("a.yaml", "yaml-boolean", "warning"), ("sub/b.yaml", "yaml-boolean", "error")

    def found(**settings: str | bool) -> set[tuple[str, str, str]]:
        return {(file, rule, severity) for file, _, rule, severity in rows(["."], **settings)}

    assert {of_a, of_b} <= found()
    assert (*of_b[:2], "warning") in found(isolated=True)
    assert (*of_a[:2], "error") in found(config="sub/.crdlint.yaml")
    (tmp_path / "a.yaml").write_text(f"# crdlint: ignore-file[yaml-boolean]\n{WITH_BOOLEANS}")
    assert of_a not in found()


def test_what_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(WITH_BOOLEANS)
    (tmp_path / ".crdlint.yaml").write_text("a: 1\nselct: []\n")
    assert rows([Path("a.yaml"), "gone.yaml"]) == [
        ("gone.yaml", 1, "unreadable", "error"),
        (".crdlint.yaml", 1, "unreadable", "error"),
        (".crdlint.yaml", 2, "unreadable", "error"),
    ]
    with pytest.raises(ValueError, match="2:1: unknown key 'selct'"):
        crdlint.lint_paths(["a.yaml"], config=".crdlint.yaml")
    with pytest.raises(ValueError, match="gone"):
        crdlint.lint_paths(["a.yaml"], config="gone.yaml")
    with pytest.raises(ValueError, match="not within"):
        crdlint.lint_paths(["a.yaml"], kube_version="1.2")


def test_fixes_are_returned_on_request(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(MISSPELT)
    assert all(finding.fix is None for finding in crdlint.lint_text(MISSPELT))
    for findings in (
        crdlint.lint_text(MISSPELT, fixes=True),
        crdlint.lint_paths(["a.yaml"], fixes=True),
    ):
        [fix] = [d.fix for d in findings if d.rule == "unknown-field"]
        assert isinstance(fix, crdlint.Fix)
        assert fix.applicability == "safe"
        assert fix.edits == (
            crdlint.Edit(MISSPELT.index("scoop"), MISSPELT.index("scoop") + 5, "scope"),
        )
        assert fix.apply(MISSPELT) == SMALLEST
    assert crdlint.fix_text(MISSPELT) == SMALLEST
    assert crdlint.fix_text(SMALLEST) == SMALLEST
    unsafe = SMALLEST.replace("{type: object}", "{type: object, properties: {a: {type: array}}}")
    assert crdlint.fix_text(unsafe) == unsafe
    assert "items: " in crdlint.fix_text(unsafe, unsafe=True)


def test_positions_of_related_places_have_a_type() -> None:
    assert crdlint.Related("label", "a.yaml", 1, 2).column == 2
