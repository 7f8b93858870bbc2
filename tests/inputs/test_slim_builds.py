"""Builds of kustomizations without the schemas of their CRDs: the output is the same, or the schemas are built as well."""

from __future__ import annotations

import os
import shutil
from textwrap import indent
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from ruamel.yaml import YAML

from crdlint.cli.main import cli
from crdlint.linting.pipeline import lint_file
from crdlint.rules.engine.examples import HEAD
from crdlint.sources.kustomize.build import Build, find_program, slimmed
from crdlint.sources.kustomize.kustomization import read_kustomization

if TYPE_CHECKING:
    from pathlib import Path

    from crdlint.sources.kustomize.build import Slim

SCHEMA = """\
        type: object
        description: |-
          first

            second
        properties:
          a: {type: string}
"""
CRD = HEAD + SCHEMA
STUB = "        x-crdlint-schema-0: 0\n"
PATCH = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\n"
SCHEMA_PATH = "/spec/versions/0/schema/openAPIV3Schema"
OPERATION = 'patches: [{{patch: \'[{{"op": "{}", "path": "{}", "value": "x"}}]\', target: {{kind: CustomResourceDefinition}}}}]\n'


def slim_of(folder: Path, text: str = "", crd: str = CRD, **files: str) -> Slim | None:
    for name, content in {
        "kustomization.yaml": f"resources: [crd.yaml]\n{text}",
        "crd.yaml": crd,
        **files,
    }.items():
        (folder / name).write_text(content, encoding="utf-8")
    kustomization = read_kustomization(str(folder))
    assert kustomization is not None
    return slimmed(kustomization, {os.path.realpath(folder / "crd.yaml")})


def test_stubs_replace_schemas_and_schemas_replace_stubs(tmp_path: Path) -> None:
    slim = slim_of(tmp_path)
    assert slim is not None
    [sent] = [data.decode() for name, data in slim.tree.items() if name.endswith("crd.yaml")]
    assert sent == HEAD + STUB
    shallow = "spec:\n openAPIV3Schema:\n  x-crdlint-schema-0: 0\nx: y\n"
    rows = {
        sent: CRD,
        "": "",
        shallow: "spec:\n openAPIV3Schema:\n" + SCHEMA.replace("        ", "  ") + "x: y\n",
        HEAD + "  " + STUB: HEAD + indent(SCHEMA, "  "),
        sent + STUB.replace("x-crdlint-schema-0", "description"): None,
        HEAD + "        description: x\n" + STUB: None,
        sent.replace(": 0", ": 1"): None,
        sent.replace("openAPIV3Schema", "other"): None,
    }
    for output, expected in rows.items():
        restored = slim.restored(output)
        if expected is None:
            assert restored is None, output
        else:
            assert YAML(typ="safe").load(restored or "") == YAML(typ="safe").load(expected), output


def test_what_may_change_schemas_unnoticed_gets_them(tmp_path: Path) -> None:
    replaced = "replacements: [{{source: {{kind: A, fieldPath: {}}}, targets: [{{select: {{kind: B}}}}]}}]\n"
    rows = [
        ("patches: [{path: patch.yaml}]\n", CRD, True),
        (
            OPERATION.format("add", f"{SCHEMA_PATH}/description"),
            CRD,
            True,
        ),  # it is noticed in the output
        (replaced.format("spec.names"), CRD, True),
        (replaced.format("spec.versions.0.schema.openAPIV3Schema.type"), CRD, False),
        ("configurations: [config.yaml]\nnamespace: a\n", CRD, False),
        ("crds: [crd.yaml]\n", CRD, False),
        ("", CRD.replace("{type: string}", "&a {type: string}"), False),
        ("", CRD.replace("{type: string}", "[ *a ]"), False),
        ("", CRD.replace("\n", "\r\n"), False),
        ("", HEAD.replace("openAPIV3Schema:", "openAPIV3Schema: {}"), False),
    ]
    files = {"patch.yaml": PATCH, "config.yaml": "namespace: [{path: spec/versions/schema/x}]\n"}
    found = [slim_of(tmp_path, text, crd, **files) is not None for text, crd, _ in rows]
    assert found == [expected for _, _, expected in rows]


ABSENT = shutil.which("kustomize") is None and shutil.which("kubectl") is None


@pytest.mark.skipif(ABSENT, reason="neither kustomize nor kubectl is on the path")
def test_the_real_kustomize_prints_the_same(tmp_path: Path) -> None:
    conversion = f"{PATCH}spec: {{conversion: {{strategy: None}}}}\n"
    root = f"{PATCH}spec: {{versions: [{{name: v1, schema: {{openAPIV3Schema: {{description: x}}}}}}]}}\n"
    rows = {
        "nothing": ("", True),
        "a patch beside the schema": ("patches: [{path: conversion.yaml}]\n", True),
        "a patch of the versions": ("patches: [{path: root.yaml}]\n", True),
        "a removed schema": (OPERATION.format("remove", SCHEMA_PATH), True),
        "a description": (OPERATION.format("add", f"{SCHEMA_PATH}/description"), False),
        "another description": (OPERATION.format("replace", f"{SCHEMA_PATH}/description"), False),
        "a property": (OPERATION.format("add", f"{SCHEMA_PATH}/properties/a/title"), False),
    }
    program = find_program()
    assert program is not None
    for name, (text, is_slim) in rows.items():
        assert (
            slim_of(tmp_path, text, **{"conversion.yaml": conversion, "root.yaml": root})
            is not None
        )
        kustomization = read_kustomization(str(tmp_path))
        assert kustomization is not None
        resource = lint_file(CRD, filename=str(tmp_path / "crd.yaml"))
        build = Build(kustomization, program, [resource], [])
        slim, exact = build.run(), build.run(exact=True)
        assert (slim.exact, exact.exact, exact.problem) == (not is_slim, True, None), name
        assert YAML(typ="safe").load(slim.text) == YAML(typ="safe").load(exact.text), name


@pytest.mark.skipif(ABSENT, reason="neither kustomize nor kubectl is on the path")
def test_a_finding_has_the_line_that_the_program_prints(tmp_path: Path) -> None:
    slim_of(
        tmp_path,
        "patches: [{path: p.yaml}]\n",
        **{"p.yaml": f"{PATCH}spec: {{scope: Clusterish}}\n"},
    )
    result = CliRunner().invoke(cli, ["check", str(tmp_path), "--no-cache"])
    assert "prints, line 10: scope: Clusterish" in result.stdout.replace("\n  ", " "), result.stdout
