"""Documents beside objects of Flux or Argo CD have the findings of these senders, as in `crdlint check` and `validate`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from crds import crd_in_json
from scratch import write

if TYPE_CHECKING:
    from editor import Editor
    from lsprotocol import types as lsp

RULE = {"rule": "self.size > 0"}
SPEC = {"type": "object", "properties": {"size": {"type": "integer"}}}
CRD = crd_in_json({"type": "object", "properties": {"spec": SPEC}})
REPEATED = crd_in_json(
    {
        "type": "object",
        "properties": {"spec": SPEC | {"x-kubernetes-validations": [RULE, RULE]}},
    }
)
OBJECT = json.dumps(
    {
        "apiVersion": "example.com/v1",
        "kind": "Foo",
        "metadata": {"name": "x"},
        "spec": {"size": None},
    }
)
FLUX = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\n"
APPLICATION = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: apps}\n"
OPTIONS = "spec: {syncPolicy: {syncOptions: [ServerSideApply=true]}}\n"
ERROR, WARNING, INFORMATION = 1, 2, 3  # the protocol's DiagnosticSeverity
DEPLOYERS: dict[str, tuple[dict[str, str], int | None]] = {
    "nobody": ({}, WARNING),
    "Flux": ({"flux.yaml": FLUX}, ERROR),
    "Argo CD": ({"argo.yaml": APPLICATION}, None),
    "Argo CD with server-side apply": ({"argo.yaml": APPLICATION + OPTIONS}, ERROR),
    "two of them": ({"argo.yaml": APPLICATION, "flux.yaml": FLUX}, WARNING),
}


def severities(found: list[lsp.Diagnostic], rule: str) -> list[int]:
    return [int(one.severity or 0) for one in found if one.code == rule]


@pytest.mark.parametrize(("files", "severity"), DEPLOYERS.values(), ids=DEPLOYERS)
def test_a_crd(editor: Editor, files: dict[str, str], severity: int | None) -> None:
    write(editor.folder / "apps", files)
    found = editor.open("apps/crd.yaml", REPEATED, saved=True)
    if severity is None:
        assert severities(found, "rule-duplicate") == [
            3
        ]  # information: users see the message twice
    else:
        assert severities(found, "rule-duplicate") == [severity]


@pytest.mark.parametrize(("files", "severity"), DEPLOYERS.values(), ids=DEPLOYERS)
def test_an_object(editor: Editor, files: dict[str, str], severity: int | None) -> None:
    write(editor.folder, {"crds/crd.yaml": CRD})
    write(editor.folder / "apps", files)
    editor.move(editor.folder)
    found = editor.open("apps/object.yaml", OBJECT, saved=True)
    rule = "resource-value" if severity == ERROR else "resource-apply-rejected"
    assert severities(found, rule) == ([] if severity is None else [severity])
    assert len(found) == (severity is not None)


NULLABLE = {
    "type": "object",
    "required": ["size"],
    "properties": {"size": {"type": "integer", "nullable": True}},
}
CLIENT_SIDE: dict[str, tuple[dict[str, str], list[tuple[str, int]]]] = {
    "nobody": ({}, [("resource-apply-rejected", WARNING)]),
    "Flux": ({"flux.yaml": FLUX}, []),
    "Argo CD": ({"argo.yaml": APPLICATION}, [("resource-value", ERROR)]),
    "Argo CD with server-side apply": ({"argo.yaml": APPLICATION + OPTIONS}, []),
}


@pytest.mark.parametrize(("files", "wanted"), CLIENT_SIDE.values(), ids=CLIENT_SIDE)
def test_a_null_that_client_side_apply_drops(
    editor: Editor, files: dict[str, str], wanted: list[tuple[str, int]]
) -> None:
    crd = crd_in_json({"type": "object", "properties": {"spec": NULLABLE}})
    write(editor.folder, {"crds/crd.yaml": crd})
    write(editor.folder / "apps", files)
    editor.move(editor.folder)
    found = editor.open("apps/object.yaml", OBJECT, saved=True)
    assert [(one.code, int(one.severity or 0)) for one in found] == wanted


def test_a_configuration_counts_more(editor: Editor) -> None:
    files = {"flux.yaml": FLUX, ".crdlint.yaml": "senders: [kubectl]\n"}
    write(editor.folder / "apps", files)
    found = editor.open("apps/crd.yaml", REPEATED, saved=True)
    assert severities(found, "rule-duplicate") == [INFORMATION]


def test_an_object_of_flux_that_is_added_later(editor: Editor) -> None:
    found = editor.open("apps/crd.yaml", REPEATED, saved=True)
    assert severities(found, "rule-duplicate") == [WARNING]
    write(editor.folder / "apps", {"flux.yaml": FLUX})
    found = editor.retype("apps/crd.yaml", REPEATED + "\n")
    assert severities(found, "rule-duplicate") == [ERROR]
