"""CRDs of v1beta1 in several styles are rewritten as upstream converts them, with every comment."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repairs import check, errors, fixed

from crdlint.yaml import decode_yaml
from crdlint.yaml.edit import apply

if TYPE_CHECKING:
    import pytest

QUEUES = (Path(__file__).parent / "crds" / "queues.yaml").read_text(encoding="utf-8")
VALIDATION = QUEUES[QUEUES.index("  validation:") :]
CONVERSION = QUEUES[QUEUES.index("  conversion:") : QUEUES.index("  validation:")]
CLIENT = CONVERSION[
    CONVERSION.index("    webhookClientConfig:") : CONVERSION.index("    conversionReviewVersions:")
]
COLUMNS = QUEUES[
    QUEUES.index("  additionalPrinterColumns:") : QUEUES.index("  preserveUnknownFields:")
]
PRESERVE = "  preserveUnknownFields: false\n"
NAME = "  version: v1alpha1\n"
TWO = (
    "  versions:\n  - name: v1alpha1\n    served: true\n    storage: false\n"
    "  - name: v1beta1\n    served: true\n    storage: true\n"
)
KEEP = "x-kubernetes-preserve-unknown-fields"
JSON = """\
{
  "apiVersion": "apiextensions.k8s.io/v1beta1",
  "kind": "CustomResourceDefinition",
  "metadata": {"name": "queues.legacy.acme.io"},
  "spec": {
    "group": "legacy.acme.io",
    "version": "v1",
    "names": {"plural": "queues", "kind": "Queue"},
    "subresources": {"status": {}},
    "additionalPrinterColumns": [
      {"name": "Depth", "type": "string", "JSONPath": ".spec.depth"}
    ],
    "validation": {
      "openAPIV3Schema": {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"depth": {"type": "string"}}}}
      }
    }
  }
}
"""
FLOW = (
    "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: queues.legacy.acme.io}\n"
    "spec: {group: legacy.acme.io, version: v1, scope: Cluster, names: {plural: queues, kind: Queue}, preserveUnknownFields: "
    "false, validation: {openAPIV3Schema: {type: object}}}  # all of it\n"
)


def queues(*changes: tuple[str, str]) -> str:
    text = QUEUES
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


CRDS = {
    "as it is": QUEUES,
    "CR LF": QUEUES.replace("\n", "\r\n"),
    "without a line end": QUEUES.removesuffix("\n"),
    "unknown fields kept by default": queues((PRESERVE, "")),
    "unknown fields kept": queues(("preserveUnknownFields: false", "preserveUnknownFields: true")),
    "two versions": queues((NAME, TWO)),
    "a version and two versions": queues((NAME, NAME + TWO)),
    "versions in flow style": queues(
        (NAME, "  versions:\n  - {name: v1alpha1, served: true, storage: true}\n")
    ),
    "columns in flow style": queues(
        (
            COLUMNS,
            "  additionalPrinterColumns: [{name: Depth, type: integer, JSONPath: .spec.depth}]\n",
        )
    ),
    "columns in quotes": queues(("- JSONPath", '- "JSONPath"')),
    "a wide list of columns": queues(
        (
            COLUMNS,
            "  additionalPrinterColumns:\n    - name: Depth\n      type: integer\n      JSONPath: .spec.depth\n",
        )
    ),
    "no schema": queues((VALIDATION, ""), (PRESERVE, "")),
    "a schema in flow style": queues(
        (VALIDATION, "  validation: {openAPIV3Schema: {type: object}}\n"), (PRESERVE, "")
    ),
    "no review versions": queues(("    conversionReviewVersions: [v1beta1, v1]\n", "")),
    "a list of review versions": queues(("[v1beta1, v1]\n", "\n    - v1beta1\n")),
    "a webhook in flow style": queues(
        (CLIENT, "    webhookClientConfig: {url: 'https://acme.io/convert'}\n")
    ),
    "no conversion": queues((CONVERSION, "")),
    "no conversion by name": queues((CONVERSION, "  conversion:\n    strategy: None\n")),
    "no scope": queues(("  scope: Namespaced\n", "")),
    "comments above and beside": queues(
        ("  validation:\n", "  # The schema.\n  validation:  # of all\n    # open\n"),
        (
            "  additionalPrinterColumns:\n",
            "  # What people see.\n  # And more.\n  additionalPrinterColumns:\n",
        ),
        (NAME, "  # The first one.\n  version: v1alpha1  # for now\n"),
    ),
    "JSON": JSON,
    "JSON in one line": re.sub(r"\s*\n\s*", "", JSON),
    "flow style": FLOW,
    "flow style without a schema": FLOW.replace(
        ", validation: {openAPIV3Schema: {type: object}}", ""
    ),
    "flow style without a scope": FLOW.replace("scope: Cluster, ", ""),
    "flow style with two versions": FLOW.replace(
        "version: v1, ",
        "versions: [{name: v1, served: true, storage: true}, {name: v2, served: true, storage: false}], ",
    ),
}


def converted(crd: Any) -> Any:
    """Return a decoded CRD of v1beta1 as v1 has it. Upstream: Convert_v1beta1_CustomResourceDefinitionSpec."""
    crd = copy.deepcopy(crd)
    crd["apiVersion"] = "apiextensions.k8s.io/v1"
    spec = crd["spec"]
    name, schema = spec.pop("version", None), spec.pop("validation", None)
    keeps = spec.pop("preserveUnknownFields", True)
    if schema is None:
        schema = {"openAPIV3Schema": {"type": "object", KEEP: True}}
    elif keeps:
        schema["openAPIV3Schema"][KEEP] = True
    shared = {"schema": schema}
    for field in ("subresources", "additionalPrinterColumns"):
        if field in spec:
            shared[field] = spec.pop(field)
    for column in shared.get("additionalPrinterColumns", []):
        column["jsonPath"] = column.pop("JSONPath")
    versions = spec.setdefault("versions", [{"name": name, "served": True, "storage": True}])
    spec["versions"] = [{**shared, **version} for version in versions]
    spec.setdefault("scope", "Namespaced")
    conversion = spec.get("conversion", {})
    if "webhookClientConfig" in conversion:
        reviewed = conversion.pop("conversionReviewVersions", ["v1beta1"])
        conversion["webhook"] = {
            "clientConfig": conversion.pop("webhookClientConfig"), "conversionReviewVersions": reviewed
        }  # fmt: skip
    return crd


def test_the_crds_are_rewritten(subtests: pytest.Subtests) -> None:
    for name, text in CRDS.items():
        with subtests.test(name):
            done = fixed(text, unsafe=True)
            assert errors(done.result) == []
            [first] = [
                one.fix for one in check(text).diagnostics if one.rule == "api-version-removed"
            ]
            assert first is not None
            assert decode_yaml(apply(text, first.edits)) == converted(decode_yaml(text))
            assert done.undone == ()
            assert decode_yaml(done.text) == converted(decode_yaml(text))
            comments = re.compile(r"(?:^|(?<=\s))#[^\r\n]*", re.MULTILINE)
            assert {*comments.findall(text)} == {*comments.findall(done.text)}
            assert ("\r\n" in done.text) == ("\r\n" in text)
            assert done.text.endswith("\n") >= text.endswith("\n")
            assert fixed(text, unsafe=False).edits == ()


LEFT = {
    "schema-required",
    "scope-invalid",
    "preserve-unknown-fields",
    "conversion-with-preserve-unknown-fields",
}


def test_leftovers_of_v1beta1_are_moved(subtests: pytest.Subtests) -> None:
    """Safe fixes move the fields if only `apiVersion` is right already; what v1beta1 does by default is not added."""
    for name, text in CRDS.items():
        with subtests.test(name):
            done = fixed(
                text.replace("apiextensions.k8s.io/v1beta1", "apiextensions.k8s.io/v1"),
                unsafe=False,
            )
            assert {
                finding.rule for finding in done.result.diagnostics if finding.severity == "error"
            } <= LEFT
            assert done.undone == ()
