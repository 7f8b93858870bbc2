"""Rules about all versions or the webhook of a CRD: only where nothing that the run does not read may add one."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import HEAD

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

FIRST = "  - {name: v0, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}}\n"
TWO = (HEAD + "        type: object\n        properties: {a: {type: integer}}\n").replace(
    "  versions:\n", f"  versions:\n{FIRST}"
)
CLIENT = "{service: {name: a, namespace: b}}"
CONVERSION = (
    f"{{strategy: Webhook, webhook: {{conversionReviewVersions: [v1], clientConfig: {CLIENT}}}}}"
)
PATCH = f"""\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: foos.example.com}}
spec: {{conversion: {CONVERSION}}}
"""
ONE = "resources: [bases/crd.yaml]\n"
PATCHED = f"{ONE}patches: [{{path: webhook.yaml}}]\n"
CA = "webhook-without-ca"
TYPE = "type-differs-between-versions"


def found(folder: Path, path: str, *arguments: str) -> list[tuple[str, str]]:
    """Return the file and the rule of each finding of the two rules."""
    requested = ("--select", TYPE, "--select", CA, "--no-cache", "--format", "json")
    result = CliRunner().invoke(cli, ["check", *requested, *arguments, str(folder / path)])
    assert result.exit_code == 0, result.stderr
    return [
        (one["file"].removeprefix(f"{folder}/"), one["rule"])
        for one in json.loads(result.stdout)["diagnostics"]
    ]


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


BASE = [("crd/bases/crd.yaml", TYPE)]
needs_kubectl = pytest.mark.skipif(
    shutil.which("kubectl") is None, reason="without kubectl nothing is built"
)


@pytest.mark.parametrize(
    ("path", "arguments", "expected"),
    [
        (".", [], BASE),
        ("crd", [], BASE),
        ("crd/bases", [], []),
        ("crd/bases/crd.yaml", [], []),
        (".", ["--no-kustomize"], []),
    ],
)
def test_a_kustomization_that_changes_nothing(
    tmp_path: Path, path: str, arguments: list[str], expected: list[tuple[str, str]]
) -> None:
    write(tmp_path, crd__bases__crd_yaml=TWO, crd__kustomization_yaml=ONE)
    assert found(tmp_path, path, *arguments) == expected


@needs_kubectl
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".", [("crd/kustomization.yaml", CA)]),
        ("crd", [("crd/kustomization.yaml", CA)]),
        ("crd/bases", []),
        ("crd/bases/crd.yaml", []),
    ],
)
def test_a_kustomization_that_adds_a_webhook(
    tmp_path: Path, path: str, expected: list[tuple[str, str]]
) -> None:
    write(
        tmp_path, crd__bases__crd_yaml=TWO, crd__kustomization_yaml=PATCHED, crd__webhook_yaml=PATCH
    )
    assert found(tmp_path, path) == expected


BUILT = [("kustomization.yaml", CA)]


@needs_kubectl
@pytest.mark.parametrize(
    ("path", "expected"),
    [(".", BUILT), ("kustomization.yaml", BUILT), ("a", [("a/b/c/d/crd.yaml", TYPE)])],
)
def test_a_kustomization_far_above(
    tmp_path: Path, path: str, expected: list[tuple[str, str]]
) -> None:
    kustomization = PATCHED.replace("bases/", "a/b/c/d/")
    write(tmp_path, a__b__c__d__crd_yaml=TWO, kustomization_yaml=kustomization, webhook_yaml=PATCH)
    assert found(tmp_path, path) == expected


def test_a_build_that_is_not_possible(tmp_path: Path) -> None:
    kustomization = PATCHED.replace(
        "bases/", "../a/"
    )  # kustomize reads no files outside of its folder
    write(tmp_path, a__crd_yaml=TWO, b__kustomization_yaml=kustomization, b__webhook_yaml=PATCH)
    assert found(tmp_path, ".") == []
    assert found(tmp_path, "b") == []


@needs_kubectl
@pytest.mark.parametrize(
    ("path", "expected"), [(".", [("default/kustomization.yaml", CA)]), ("crd", BASE)]
)
def test_a_kustomization_that_another_one_changes(
    tmp_path: Path, path: str, expected: list[tuple[str, str]]
) -> None:
    write(
        tmp_path,
        crd__bases__crd_yaml=TWO,
        crd__kustomization_yaml=f"{ONE}commonAnnotations: {{a: b}}\n",
        default__kustomization_yaml="resources: [../crd]\npatches: [{path: webhook.yaml}]\n",
        default__webhook_yaml=PATCH,
    )
    assert found(tmp_path, path) == expected


def test_a_crd_that_no_kustomization_of_the_run_includes(tmp_path: Path) -> None:
    write(
        tmp_path,
        crd__bases__crd_yaml=TWO,
        crd__other_yaml=TWO.replace("foos", "bars"),
        crd__kustomization_yaml=ONE,
    )
    assert sorted(found(tmp_path, ".")) == [*BASE, ("crd/other.yaml", TYPE)]


CHART = "apiVersion: v2\nname: a\nversion: 1.0.0\n"


@pytest.mark.parametrize("path", [".", "chart", "chart/templates/crd.yaml"])
def test_a_template_that_helm_has_not_rendered(tmp_path: Path, path: str) -> None:
    directive = f"  {{{{- if .Values.webhook }}}}\n  conversion: {CONVERSION}\n  {{{{- end }}}}\n  versions:\n"
    write(
        tmp_path,
        chart__Chart_yaml=CHART,
        chart__templates__crd_yaml=TWO.replace("  versions:\n", directive),
    )
    assert found(tmp_path, path, "--no-helm") == []


@pytest.mark.parametrize("path", [".", "chart", "chart/crds/crd.yaml"])
def test_a_crd_that_helm_does_not_render(tmp_path: Path, path: str) -> None:
    write(tmp_path, chart__Chart_yaml=CHART, chart__crds__crd_yaml=TWO)
    assert found(tmp_path, path) == [("chart/crds/crd.yaml", TYPE)]


@pytest.mark.parametrize(
    ("name", "expected"), [(None, 1), ("crd/bases/crd.yaml", 0), ("other/crd.yaml", 1)]
)
def test_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str | None, expected: int
) -> None:
    write(tmp_path, crd__bases__crd_yaml=TWO, crd__kustomization_yaml=ONE)
    monkeypatch.chdir(tmp_path)
    named = [] if name is None else ["--stdin-filename", name]
    arguments = ["check", "--select", TYPE, "--no-cache", "--format", "json", *named, "-"]
    result = CliRunner().invoke(cli, arguments, input=TWO)
    assert len(json.loads(result.stdout)["diagnostics"]) == expected
