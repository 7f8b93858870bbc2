"""Numbers of more digits than Python converts, wherever a text has a number: an answer, and no internal error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from commands import crdlint
from crds import crd_with_schema
from tables import each

from crdlint.crd.version_names import preferred
from crdlint.kubernetes.senders import LAST_APPLIED

if TYPE_CHECKING:
    from pathlib import Path

MANY = "9" * 5000
DEEP = "[" * 60_000 + "]" * 60_000
CRD = crd_with_schema("type: object\nx-kubernetes-preserve-unknown-fields: true\n")
LIMITED = crd_with_schema("type: object\nmaxProperties: @\n")
GENERATED = f"metadata:\n  annotations: {{controller-gen.kubebuilder.io/version: v{MANY}.1.1}}"
VERSION = (
    "  - name: v@\n    served: true\n    storage: true\n"
    "    schema: {openAPIV3Schema: {type: object}}\n"
)


def an_object(**metadata: object) -> str:
    metadata = {"name": "a", "uid": "1", **metadata}
    fields = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": metadata, "spec": {"a": 1}}
    return json.dumps(fields)


def owned(*fields: str) -> str:
    """Return an object whose field `spec` has managed fields below it."""
    entry = {
        "manager": "kubectl",
        "operation": "Apply",
        "apiVersion": "example.com/v1",
        "time": "2024-01-01T00:00:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {field: {} for field in fields}},
    }
    return an_object(managedFields=[entry])


APPLIED = "validate --sender server-side-apply --crd @crd.yaml --old @old.json @new.json"


@each(
    ("command", "files"),
    [
        ("check @a.yaml", {"a.yaml": LIMITED.replace("@", f"{MANY} items")}),
        ("check @a.yaml", {"a.yaml": LIMITED.replace("@", f"<= {MANY}")}),
        ("check @a.yaml", {"a.yaml": LIMITED.replace("@", f"{MANY}k")}),
        ("check @a.yaml", {"a.yaml": LIMITED.replace("@", f"0o{'7' * 5000}")}),
        (
            "check @a.yaml",
            {"a.yaml": LIMITED.replace("@", "x").replace("metadata:", GENERATED)},
        ),
        ("check @a.yaml", {"a.yaml": CRD + VERSION.replace("@", MANY)}),
        (
            "check @a.yaml",
            {
                "a.yaml": (CRD + VERSION.replace("@", MANY)).replace(
                    "storage: true", "storage: false"
                )
            },
        ),
        (
            "check --against @crd.yaml @a.yaml",
            {"a.yaml": CRD + VERSION.replace("@", MANY)},
        ),
        (f"eval self --object @new.json --field a[{MANY}]", {"new.json": an_object()}),
        (APPLIED, {"old.json": owned(f"i:{MANY}"), "new.json": an_object()}),
        (APPLIED, {"old.json": owned(f"v:{MANY}"), "new.json": an_object()}),
        (APPLIED, {"old.json": owned(f"v:{DEEP}"), "new.json": an_object()}),
        (APPLIED, {"old.json": owned(f"k:{DEEP}"), "new.json": an_object()}),
        (APPLIED, {"old.json": an_object(), "new.json": an_object(resourceVersion=MANY)}),
        (
            APPLIED,
            {"old.json": an_object(annotations={LAST_APPLIED: DEEP}), "new.json": an_object()},
        ),
        (
            APPLIED.replace("server-side-apply", "kubectl"),
            {"old.json": an_object(annotations={LAST_APPLIED: MANY}), "new.json": an_object()},
        ),
    ],
    ids=range(16),
)
def test_no_internal_error(tmp_path: Path, command: str, files: dict[str, str]) -> None:
    for name, text in {"crd.yaml": CRD, **files}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = crdlint(*command.replace("@", f"{tmp_path}/").split())
    assert result.returncode in {0, 1, 2}, result.stderr
    assert "internal-error" not in result.stdout


def test_a_version_out_of_range_is_preferred_to_no_other() -> None:
    assert preferred([f"v{MANY}", "v1alpha1"]) == "v1alpha1"
    assert preferred([f"v{2**63}", "v1"]) == "v1"
    assert preferred([f"v{2**63 - 1}", "v1"]) == f"v{2**63 - 1}"
