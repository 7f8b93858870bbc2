"""Kustomizations: what a build adds and mends, and what is said where there is none."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from built import check_kustomization, write
from click.testing import CliRunner
from crds import crd_with_schema

from crdlint.cli.main import cli
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from crdlint.linting.result import FileResult

CRD = crd_with_schema("""\
type: object
""")
BAD = CRD.replace("served: true", "served: maybe")
OVERLAY = """\
resources:
- ../base
patches:
- path: patch.yaml
- patch: |-
    - op: replace
      path: /spec/scope
      value: Clusterish
  target:
    kind: CustomResourceDefinition
    name: foos.example.com
"""
PATCH = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  names: {singular: foo}
"""


def lint(text: str, file: str) -> FileResult:
    return lint_file(text, file, CheckRequest(skip_unfinished=True))


@pytest.fixture
def built(program: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    """Make `kustomize build` print a text."""

    def make(text: str, name: str = "kustomize") -> None:
        (tmp_path / "built.yaml").write_text(text, encoding="utf-8")
        program(name, f"print(open({str(tmp_path / 'built.yaml')!r}).read(), end='')")

    return make


def folders(root: Path, base: str = CRD, overlay: str = OVERLAY) -> str:
    """Write a base with a CRD, and an overlay of it; return the overlay's folder."""
    for name, text in (
        ("base/crd.yaml", base),
        ("base/kustomization.yaml", "resources: [crd.yaml]\n"),
        ("overlay/kustomization.yaml", overlay),
        ("overlay/patch.yaml", PATCH),
    ):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(root / "overlay")


def said(results: list[FileResult]) -> list[Any]:
    return [
        (Path(one.file).name, [(d.rule, d.line) for d in one.diagnostics], one.notices)
        for one in results
    ]


def test_what_a_patch_breaks_is_told_of_at_the_patch(
    built: Callable[..., Any], tmp_path: Path
) -> None:
    built(CRD.replace("Namespaced", "Clusterish"))
    [overlay, base] = check_kustomization(folders(tmp_path), lint, {})
    assert said([overlay, base]) == [
        ("kustomization.yaml", [("scope-invalid", 4)], ()),
        ("crd.yaml", [], ()),
    ]
    [one] = overlay.diagnostics
    assert "kustomize build" in str(one.help)
    assert "line 7: scope: Clusterish" in str(one.help)
    assert (
        one.message
        == 'spec.scope: Unsupported value: "Clusterish": supported values: "Cluster", "Namespaced"'
    )


def test_the_patch_that_names_the_crd_in_its_target(
    built: Callable[..., Any], tmp_path: Path
) -> None:
    built(CRD.replace("Namespaced", "Clusterish"))
    only = OVERLAY.replace("- path: patch.yaml\n", "")
    [overlay, _] = check_kustomization(folders(tmp_path, overlay=only), lint, {})
    assert [(d.line, d.column) for d in overlay.diagnostics] == [(4, 3)]


def test_a_patch_that_replaces_the_versions_is_the_cause(
    built: Callable[..., Any], tmp_path: Path
) -> None:
    column = "{name: A, type: string, jsonPath: .spec.a}"
    versions = f"  versions:\n  - name: v1\n    additionalPrinterColumns: [{column}]\n"
    head, _, _ = CRD.partition("  versions:")
    built(head + versions)
    folder = Path(folders(tmp_path, overlay=OVERLAY))
    names = "metadata: {name: foos.example.com}\nspec:\n"
    kind = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
    (folder / "patch.yaml").write_text(f"{kind}{names}{versions}", encoding="utf-8")
    overlay, _ = check_kustomization(str(folder), lint, {})
    of_server = [one for one in overlay.diagnostics if one.origin == "apiserver"]
    assert "schema-required" in {one.rule for one in of_server}
    for one in (each for each in of_server if str(each.field).startswith("spec.versions")):
        assert one.headline.startswith("a patch replaces all `versions`: ")
        assert str(one.help).startswith("Write a JSON patch instead, such as `{op: add, path: ")


def test_what_is_found_in_the_base_is_told_of_there(
    built: Callable[..., Any], tmp_path: Path
) -> None:
    built(BAD)
    results = check_kustomization(folders(tmp_path, BAD), lint, {})
    assert [(name, len(found)) for name, found, _ in said(results)] == [("crd.yaml", 1)]


def test_advice_with_another_number_is_no_finding_of_the_build(
    built: Callable[..., Any], tmp_path: Path
) -> None:
    def measuring(text: str, file: str) -> FileResult:
        result = lint(text, file)
        [one] = lint(BAD, file).diagnostics
        advice = replace(
            one,
            origin="crdlint",
            kind="advice",
            rule="too-large-to-apply",
            message=f"{len(text)} bytes",
        )
        return replace(result, diagnostics=(advice,))

    built(CRD + "\n" * 9)
    results = check_kustomization(folders(tmp_path), measuring, {})
    assert said(results) == [("crd.yaml", [("too-large-to-apply", 11)], ())]


def test_what_a_patch_mends_is_no_finding(built: Callable[..., Any], tmp_path: Path) -> None:
    built(CRD)
    assert said(check_kustomization(folders(tmp_path, BAD), lint, {})) == [("crd.yaml", [], ())]


def test_what_a_patch_mends_in_a_file_that_is_told_of_is_noted(
    built: Callable[..., Any], tmp_path: Path
) -> None:
    built(CRD)
    folder = folders(tmp_path, BAD)
    path = tmp_path / "base/crd.yaml"
    [one] = check_kustomization(folder, lint, {str(path.resolve()): lint(BAD, "base/crd.yaml")})
    assert one.notices[0].endswith("overlay` fixes the finding at base/crd.yaml:11")


def test_a_file_is_told_of_once_for_all_that_is_made_of_it(
    built: Callable[..., Any], tmp_path: Path
) -> None:
    built(BAD)
    judged: dict[Any, Any] = {}
    folder = folders(tmp_path, BAD)
    assert len(check_kustomization(folder, lint, judged)) == 1
    assert check_kustomization(folder, lint, judged) == []


TROUBLE = {
    "fails": (
        "import sys\nsys.exit('error: no such thing')\n",
        "fails: no such thing; its resources are read",
    ),
    "says nothing": (
        "import sys\nsys.exit(1)\n",
        "fails: it prints no reason; its resources are read",
    ),
    "does not end": (
        "import signal\nsignal.pause()\n",
        "took more than 0.5 s; its resources are read",
    ),
}


@pytest.mark.parametrize(("source", "words"), TROUBLE.values(), ids=TROUBLE)
def test_a_build_that_fails(
    source: str,
    words: str,
    program: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("crdlint.safety.programs.TIMEOUT", 0.5)
    program("kustomize", source)
    [note, base] = check_kustomization(folders(tmp_path, BAD), lint, {})
    assert words in note.notices[0]
    assert len(base.diagnostics) == 1


@pytest.mark.usefixtures("program")
def test_without_a_program_it_is_said_that_nothing_is_built(tmp_path: Path) -> None:
    [note, _] = check_kustomization(folders(tmp_path), lint, {})
    assert note.notices == (
        "neither kustomize nor kubectl is on the path: its resources are read as they are",
    )


@pytest.mark.usefixtures("program")
def test_that_no_program_is_there_is_said_once(tmp_path: Path) -> None:
    for name in ("one", "two"):
        folders(tmp_path / name)
    done = CliRunner().invoke(cli, ["check", str(tmp_path)])
    assert done.stdout.count("neither kustomize nor kubectl is on the path") == 1


NOT_BUILT = {
    "nothing is changed": "resources: [../base]\n",
    "a component": "kind: Component\nresources: [../base]\npatches: []\n",
    "itself": "resources: [../overlay]\npatches: []\n",
    "what is not there": "resources: [none.yaml, 3, {a: b}]\npatches: []\n",
}


@pytest.mark.parametrize("text", NOT_BUILT.values(), ids=NOT_BUILT)
def test_not_built(text: str, program: Callable[..., Any], tmp_path: Path) -> None:
    program("kustomize", "raise SystemExit('error: it was built')")
    results = check_kustomization(folders(tmp_path, overlay=text), lint, {})
    assert [notices for _, _, notices in said(results) if notices] == []


def test_a_folder_without_one(tmp_path: Path) -> None:
    assert check_kustomization(str(tmp_path), lint, {}) == []


def test_the_command_builds_tells_and_can_do_without(
    built: Callable[..., Any], tmp_path: Path
) -> None:
    built(CRD.replace("Namespaced", "Clusterish"), "kubectl")
    folders(tmp_path)
    invoke = CliRunner().invoke
    refused = invoke(
        cli, ["check", str(tmp_path / "base"), str(tmp_path / "overlay"), "--format", "concise"]
    )
    assert refused.exit_code == 1
    assert "overlay/kustomization.yaml:4:3: error[scope-invalid]:" in refused.stdout
    assert "patch.yaml" not in refused.stdout
    plain = invoke(
        cli, ["check", str(tmp_path / "base"), str(tmp_path / "overlay"), "--no-kustomize"]
    )
    assert plain.exit_code == 0


def test_other_files_are_neither_reported_nor_fixed_where_one_is_named(tmp_path: Path) -> None:
    wrong = BAD.replace("served: maybe", "served: 'true'")
    folder = Path(
        write(
            tmp_path,
            {"a.yaml": CRD, "b.yaml": wrong, "kustomization.yaml": "resources: [a.yaml, b.yaml]\n"},
        )
    )
    invoke, file = CliRunner().invoke, str(folder / "a.yaml")
    assert invoke(cli, ["check", file, "--format", "concise"]).exit_code == 0
    assert invoke(cli, ["check", file, "--fix"]).exit_code == 0
    assert (folder / "b.yaml").read_text(encoding="utf-8") == wrong
    whole = invoke(cli, ["check", str(folder / "kustomization.yaml"), "--format", "concise"])
    assert whole.exit_code == 1
    assert "b.yaml:" in whole.stdout


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not on the path")
def test_the_real_kubectl(tmp_path: Path) -> None:
    [overlay, _] = check_kustomization(folders(tmp_path), lint, {})
    assert [d.rule for d in overlay.diagnostics] == ["scope-invalid"]
