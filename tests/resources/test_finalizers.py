"""The server's warnings about finalizers of custom resources."""

from __future__ import annotations

import json
from pathlib import Path

from commands import crdlint as run
from crds import crd_in_json

from crdlint import validate_resource

CRD = crd_in_json({"type": "object"}, scope="Cluster")
PREFER = "prefer a domain-qualified finalizer name"
AVOID = "to avoid accidental conflicts with other finalizer writers"


def foo(*finalizers: str | None) -> str:
    group = json.loads(CRD)["spec"]["group"]
    kind = json.loads(CRD)["spec"]["names"]["kind"]
    meta = {"name": "x", "finalizers": list(finalizers)}
    return json.dumps({"apiVersion": f"{group}/v1", "kind": kind, "metadata": meta})


def test_each_is_reported_at_its_place() -> None:
    report = validate_resource(CRD, foo("example.com/a", "cleanup", "a.b", "orphan"))
    assert report.errors == []
    assert [(warning.field, warning.message) for warning in report.warnings] == [
        (
            "metadata.finalizers[2]",
            f'metadata.finalizers: "a.b": {PREFER} including a path (/) {AVOID}',
        ),
        ("metadata.finalizers[1]", f'metadata.finalizers: "cleanup": {PREFER} {AVOID}'),
    ]


def test_a_null_is_read_as_an_empty_text() -> None:
    report = validate_resource(CRD, foo("example.com/a", None))
    assert [warning.field for warning in report.warnings] == ["metadata.finalizers[1]"] * 3


def test_an_update_is_warned_only_of_new_ones() -> None:
    report = validate_resource(CRD, foo("old", "new"), old_resource=foo("old"))
    assert [warning.field for warning in report.warnings] == ["metadata.finalizers[1]"]


def test_older_servers_word_them_otherwise_or_not_at_all() -> None:
    assert validate_resource(CRD, foo("a.b"), kube_version="1.28").warnings == []
    [warning] = validate_resource(CRD, foo("a.b"), kube_version="1.31").warnings
    assert warning.message == f'metadata.finalizers: "a.b": {PREFER} {AVOID}'


def test_the_command_prints_them(tmp_path: Path) -> None:
    for name, text in (("crd.json", CRD), ("foo.json", foo("cleanup"))):
        (tmp_path / name).write_text(text)
    done = run("validate", "--crd", str(tmp_path / "crd.json"), str(tmp_path / "foo.json"))
    assert done.returncode == 0
    assert (
        "warning[resource-finalizer]: finalizer `cleanup` has no domain, or is no valid name"
        in done.stdout
    )
