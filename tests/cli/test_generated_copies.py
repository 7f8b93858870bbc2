"""Copies of generated CRDs that differ from `config/crd/`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import crd_with_spec

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

RULE = "crd-copies-differ"
SCHEMA = "type: object\nproperties: {a: {type: string, maxLength: 3}, b: {type: array, items: {type: string}}}\nrequired: [a, b]"
CRD = crd_with_spec(SCHEMA)
BASE = "config/crd/bases/example.com_foos.yaml"
CHART = "charts/x/crds/foos.yaml"


def changed(old: str, new: str) -> str:
    text = CRD.replace(old, new)
    assert text != CRD
    return text


LONGER = changed("maxLength: 3", "maxLength: 5")
CHART_FILE = "apiVersion: v2\nname: x\nversion: 1.0.0\n"
PATCHED = (
    "resources: []\npatches:\n- path: patches/a.yaml\n"
    "  target: {kind: CustomResourceDefinition, name: foos.example.com}\n"
)
PATCH = (
    "- op: add\n  path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/a/maxLength\n"
    "  value: 5\n"
)
TEMPLATE = "{{- if .Values.crds }}\n" + LONGER + "{{- end }}\n"
# The texts of files, and the messages by file.
CASES: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "equal": ({BASE: CRD, CHART: CRD}, {}),
    "a value": (
        {BASE: CRD, CHART: LONGER},
        {CHART: "`maxLength` is not as in `config/crd`: `5` here, `3` there"},
    ),
    "a field that is missing": (
        {BASE: CRD, CHART: changed("a: {type: string, maxLength: 3}, ", "")},
        {CHART: "`a` is missing, unlike in `config/crd`"},
    ),
    "a field more": (
        {BASE: CRD, CHART: changed("b: {", "c: {type: string}, b: {")},
        {CHART: "`c` is not in the CRD of `config/crd`"},
    ),
    "a list of names": (
        {BASE: CRD, CHART: changed("[a, b]", "[b]")},
        {CHART: "`required` is not as in `config/crd`: 1 item here, 2 there"},
    ),
    "other names": (
        {BASE: CRD, CHART: changed("[a, b]", "[a, c]")},
        {CHART: "`required` is not as in `config/crd`"},
    ),
    "another type of value": (
        {BASE: CRD, CHART: changed("items: {type: string}", "items: []")},
        {CHART: "`items` is not as in `config/crd`"},
    ),
    "names in another order": ({BASE: CRD, CHART: changed("[a, b]", "[b, a]")}, {}),
    "fields in another order": (
        {BASE: CRD, CHART: changed("type: string, maxLength: 3", "maxLength: 3, type: string")},
        {},
    ),
    "descriptions": (
        {BASE: CRD, CHART: changed("maxLength: 3", "maxLength: 3, description: text")},
        {},
    ),
    "a property that is named description": (
        {BASE: CRD, CHART: changed("b: {", "description: {type: string}, b: {")},
        {CHART: "`description` is not in the CRD of `config/crd`"},
    ),
    "annotations and a conversion": (
        {
            BASE: CRD,
            CHART: CRD.replace("metadata:", "metadata:\n  annotations: {a: b}").replace(
                "spec:\n  group", "spec:\n  conversion: {strategy: None}\n  group", 1
            ),
        },
        {},
    ),
    "a template": ({BASE: CRD, "charts/x/Chart.yaml": CHART_FILE, "charts/x/templates/crd.yaml": TEMPLATE},
        {"charts/x/templates/crd.yaml": "`maxLength` is not as in `config/crd`: `5` here, `3` there"}),
    "a bundle": (
        {BASE: CRD, "bundle/manifests/foos.yaml": LONGER},
        {"bundle/manifests/foos.yaml": "`maxLength` is not as in `config/crd`: `5` here, `3` there"},
    ),
    "a patch of the schema": (
        {
            BASE: CRD,
            CHART: LONGER,
            "config/crd/kustomization.yaml": PATCHED,
            "config/crd/patches/a.yaml": PATCH,
        },
        {},
    ),
    **{
        f"a patch of the schema of CRDs by the target {target}": (
            {
                BASE: CRD,
                CHART: LONGER,
                "config/crd/kustomization.yaml": f"resources: []\npatches:\n- path: patches/a.yaml\n  target: {target}\n",
                "config/crd/patches/a.yaml": PATCH,
            },
            {},
        )
        for target in (
            "{kind: CustomResourceDefinition}", "{kind: CustomResourceDefinition, name: .*}", "{group: apiextensions.k8s.io}",
            "{kind: CustomResourceDefinition, labelSelector: a=b}",
        )
    },
    **{
        f"a patch of the schema by the target {target}": (
            {
                BASE: CRD,
                CHART: LONGER,
                "config/crd/kustomization.yaml": f"resources: []\npatches:\n- path: patches/a.yaml\n  target: {target}\n",
                "config/crd/patches/a.yaml": PATCH,
            },
            {CHART: "`maxLength` is not as in `config/crd`: `5` here, `3` there"},
        )
        for target in ("{kind: Deployment}", "{kind: CustomResourceDefinition, name: bars.example.com}")
    },
    "a patch of the schema of another CRD": (
        {
            BASE: CRD,
            CHART: LONGER,
            "config/crd/kustomization.yaml": PATCHED.replace("foos", "bars"),
            "config/crd/patches/a.yaml": PATCH,
        },
        {CHART: "`maxLength` is not as in `config/crd`: `5` here, `3` there"},
    ),
    "a patch of the labels": (
        {
            BASE: CRD,
            CHART: LONGER,
            "config/crd/kustomization.yaml": PATCHED,
            "config/crd/patches/a.yaml": "- {op: add, path: /metadata/labels, value: {a: b}}\n",
        },
        {CHART: "`maxLength` is not as in `config/crd`: `5` here, `3` there"},
    ),
    "a file beside `bases`": (
        {BASE: CRD, "config/crd/foos.yaml": LONGER},
        {"config/crd/foos.yaml": "`maxLength` is not as in `config/crd`: `5` here, `3` there"},
    ),
    "channels": ({"config/crd/stable/a.yaml": CRD, "config/crd/experimental/a.yaml": LONGER}, {}),
    "a copy of one of two channels": (
        {"config/crd/stable/a.yaml": CRD, "config/crd/experimental/a.yaml": LONGER, CHART: LONGER},
        {},
    ),
    "nearest by path": (
        {f"one/{BASE}": CRD, f"two/{BASE}": changed("maxLength: 3", "maxLength: 4"), f"two/{CHART}": LONGER},
        {f"two/{CHART}": "`maxLength` is not as in `config/crd`: `5` here, `4` there"},
    ),
    "no generated CRD": ({"deploy/crd.yaml": CRD, CHART: LONGER}, {}),
    "a folder of a release": ({BASE: CRD, "data/v1.0/crd.yaml": LONGER}, {}),
    "a file of a release": ({BASE: CRD, "releases/crds-1.2.yaml": LONGER}, {}),
    "a release of OLM": ({BASE: CRD, "olm/operator/0.0.11/foos.yaml": LONGER}, {}),
    "a folder of an API version": ({BASE: CRD, "deploy/v1beta1/foos.yaml": LONGER}, {}),
    "tests": ({BASE: CRD, "integration-tests/crds/foos.yaml": LONGER}, {}),
    "files of others": ({BASE: CRD, "vendor/x/foos.yaml": LONGER}, {}),
    "a hidden folder": ({BASE: CRD, ".github/foos.yaml": LONGER}, {}),
    "another CRD": ({BASE: CRD, CHART: LONGER.replace("foo", "bar").replace("Foo", "Bar")}, {}),
    "another version": ({BASE: CRD, CHART: LONGER.replace("name: v1", "name: v2")}, {}),
}  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES)
def test_copies(files: dict[str, str], expected: dict[str, str], tmp_path: Path) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    arguments = ["check", "--no-cache", "--format", "json", "--no-samples", str(tmp_path)]
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    findings = [each for each in json.loads(done.stdout)["diagnostics"] if each["rule"] == RULE]
    found = {each["file"].removeprefix(f"{tmp_path}/"): each["message"] for each in findings}
    assert found == expected
