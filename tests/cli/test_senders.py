"""Findings by sender: `--sender` and `senders:`, in `crdlint check`, `crdlint validate` and `crdlint test`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from crds import crd_in_json
from tables import each

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

_RULE = {"rule": "self.a > 0"}
_SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
}
_REPEATED = crd_in_json(
    {"type": "object", "properties": {"spec": _SPEC | {"x-kubernetes-validations": [_RULE, _RULE]}}}
)
_PLAIN = crd_in_json({"type": "object", "properties": {"spec": _SPEC}})
_OBJECT = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}}
_REJECTS_CRD = "server-side apply rejects this CRD: repeated rule `self.a > 0`"
_REJECTS_OBJECT = "server-side apply rejects this object: `spec.a` is null"


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "repeated.yaml").write_text(_REPEATED)
    (tmp_path / "crd.yaml").write_text(_PLAIN)


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, args, catch_exceptions=False)


def findings(*args: str) -> list[tuple[str, str, str]]:
    document = json.loads(run(*args, "--format", "json").stdout)
    return [
        (d["severity"], d["rule"], d["headline"])
        for d in document["diagnostics"]
        if d["severity"] != "info"
    ]


def write_object(folder: Path, spec: object, **metadata: object) -> None:
    content = _OBJECT | {"metadata": {"name": "x"} | metadata, "spec": spec}
    (folder / "object.yaml").write_text(json.dumps(content))


CRDS = {
    "anyone": ((), [("warning", "rule-duplicate", _REJECTS_CRD)]),
    "kubectl only": (("kubectl",), []),
    "Helm 3 only": (("helm-3",), []),
    "kubectl and Helm 4": (("kubectl", "helm-4"), [("error", "rule-duplicate", _REJECTS_CRD)]),
    "server-side apply only": (
        ("kubectl-server-side",),
        [("error", "rule-duplicate", "repeated rule `self.a > 0`")],
    ),
}


@each(("senders", "wanted"), CRDS.values(), ids=CRDS)
def test_a_crd(senders: tuple[str, ...], wanted: list[tuple[str, str, str]]) -> None:
    options = [option for sender in senders for option in ("--sender", sender)]
    assert findings("check", "repeated.yaml", "--no-cache", *options) == wanted


IN_CHARTS = {
    "anyone": ("", "warning"),
    "kubectl": ("senders: [kubectl]\n", "error"),
    "Helm 3": ("senders: [helm-3]\n", "warning"),
    "Helm 4": ("senders: [helm-4]\n", "error"),
}


@each(("configuration", "severity"), IN_CHARTS.values(), ids=IN_CHARTS)
def test_an_unknown_field_in_a_chart(configuration: str, severity: str, tmp_path: Path) -> None:
    chart = tmp_path / "chart"
    (chart / "crds").mkdir(parents=True, exist_ok=True)
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: chart\nversion: 1.0.0\n")
    (chart / "crds" / "crd.yaml").write_text(crd_in_json({"type": "object", "u": 1}))
    (tmp_path / ".crdlint.yaml").write_text(configuration)
    found = findings("check", "chart/crds/crd.yaml", "--no-cache", "--no-helm")
    assert [(s, rule) for s, rule, _ in found if rule == "unknown-field"] == [
        (severity, "unknown-field")
    ]


def test_the_configuration_names_senders(tmp_path: Path) -> None:
    (tmp_path / ".crdlint.yaml").write_text("senders: [kubectl, kubectl-server-side]\n")
    assert findings("check", "repeated.yaml", "--no-cache") == [
        ("error", "rule-duplicate", _REJECTS_CRD)
    ]
    assert findings("check", "repeated.yaml", "--no-cache", "--sender", "kubectl") == []


def test_an_unknown_sender_in_a_configuration(tmp_path: Path) -> None:
    (tmp_path / ".crdlint.yaml").write_text("senders: [kubctl]\n")
    result = run("check", "repeated.yaml")
    assert result.exit_code == 2
    assert "did you mean 'kubectl'?" in result.stderr


OBJECTS = {
    "a null": ({"a": None}, [("warning", "resource-apply-rejected", _REJECTS_OBJECT)]),
    "a valid object": ({"a": 1}, []),
    "what all reject": (
        {"a": "x"},
        [("error", "resource-value", "`a` must have the type `integer`, not `string`")],
    ),
    "an unknown field and a null": (
        {"u": 1, "a": None},
        [("error", "unknown-field", "unknown field `u` in `spec`")],
    ),
    "a placeholder": ({"a": "${SIZE}"}, []),
}


@each(("spec", "wanted"), OBJECTS.values(), ids=OBJECTS)
def test_an_object(spec: object, wanted: list[tuple[str, str, str]], tmp_path: Path) -> None:
    write_object(tmp_path, spec)
    assert findings("validate", "--crd", "crd.yaml", "object.yaml") == wanted


def test_metadata_that_create_cannot_decode_is_reported_once(tmp_path: Path) -> None:
    write_object(tmp_path, {"a": None}, labels=["a"])
    assert [rule for _, rule, _ in findings("validate", "--crd", "crd.yaml", "object.yaml")] == [
        "resource-decode"
    ]


def test_named_senders_make_it_an_error(tmp_path: Path) -> None:
    write_object(tmp_path, {"a": None})
    arguments = ("validate", "--crd", "crd.yaml", "object.yaml")
    assert run(*arguments).exit_code == 0
    assert run(*arguments, "--sender", "kubectl", "--sender", "helm-4").exit_code == 1
    assert run(*arguments, "--sender", "kubectl").exit_code == 0
    assert [severity for severity, *_ in findings(*arguments, "--sender", "helm-4")] == ["error"]


def test_the_format_server_has_the_message_of_the_sender(tmp_path: Path) -> None:
    write_object(tmp_path, {"u": 1, "b": 2})
    arguments = ("validate", "--crd", "crd.yaml", "object.yaml", "--format", "server")
    assert run(*arguments, "--sender", "kubectl-server-side").stdout.splitlines() == [
        "failed to create typed patch object (default/x; example.com/v1, Kind=Foo): errors:",
        "  .spec.b: expected string, got &value.valueUnstructured{Value:2}",
        "  .spec.u: field not declared in schema",
    ]
    assert run(*arguments, "--sender", "kubectl").stdout == 'unknown field "spec.u"\n'


def test_a_copy_from_a_cluster_is_reported_once(tmp_path: Path) -> None:
    write_object(tmp_path, {"a": 1}, uid="u", resourceVersion="1", managedFields=[])
    rules = [rule for _, rule, _ in findings("validate", "--crd", "crd.yaml", "object.yaml")]
    assert rules == ["resource-version-on-create"]


SUITE = """\
crd: crd.yaml
tests:
  onCreate:
  - name: Should be created
    initial: '{spec}'
    expected: '{stored}'
  - name: Should not be applied
    sender: kubectl-server-side
    initial: '{spec}'
    expectedError: must be of type integer
  - name: Should not be applied, too
    sender: kubectl-server-side
    initial: '{unknown}'
    expectedError: ".spec.u: field not declared in schema"
"""


def test_a_suite_names_the_sender(tmp_path: Path) -> None:
    spec, stored, unknown = (
        json.dumps(_OBJECT | {"spec": spec}) for spec in ({"a": None}, {}, {"u": 1})
    )
    text = SUITE.replace("{spec}", spec).replace("{stored}", stored).replace("{unknown}", unknown)
    (tmp_path / "x.testsuite.yaml").write_text(text)
    result = run("test", "x.testsuite.yaml")
    assert (result.exit_code, "3 tests" in result.stdout or "3 passed" in result.stdout) == (
        0,
        True,
    ), result.output
    (tmp_path / "x.testsuite.yaml").write_text(text.replace("kubectl-server-side", "server-side"))
    assert "`sender` is one of" in run("test", "x.testsuite.yaml").output


FLUX = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\n"
ARGO = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: apps}\nspec:\n  syncPolicy:\n"
BY_SERVER = ARGO + "    syncOptions: [CreateNamespace=true, ServerSideApply=true]\n"
DEPLOYERS = {
    "none": ({}, "warning"),
    "Flux": ({"flux.yaml": FLUX}, "error"),
    "a release of Flux": ({"r.yml": "---\n" + FLUX.replace("kustomize", "helm")}, "error"),
    "Argo CD": ({"argo.yaml": ARGO}, None),
    "Argo CD with server-side apply": ({"argo.yaml": BY_SERVER}, "error"),
    "Argo CD that replaces": (
        {"argo.yaml": BY_SERVER.replace("Create", "Replace=true, Create")},
        None,
    ),
    "another kind of Argo": ({"argo.yaml": ARGO.replace("Application", "Workflow")}, "warning"),
    "two deployers": ({"argo.yaml": ARGO, "flux.yaml": FLUX}, "warning"),
    "two applications": ({"argo.yaml": ARGO, "other.yaml": BY_SERVER}, "error"),
    "a text that names Flux": (
        {"a.yaml": "a: apiVersion: kustomize.toolkit.fluxcd.io/v1"},
        "warning",
    ),
}


@each("case", list(DEPLOYERS))
def test_objects_beside_those_of_a_deployer(case: str, tmp_path: Path) -> None:
    files, severity = DEPLOYERS[case]
    folder = tmp_path / case.replace(" ", "-")
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    write_object(folder, {"a": None})
    found = findings("validate", "--crd", "crd.yaml", str(folder / "object.yaml"))
    assert [one[0] for one in found] == ([] if severity is None else [severity])


def test_a_configured_sender_counts_more_than_a_deployer(tmp_path: Path) -> None:
    (tmp_path / "flux.yaml").write_text(FLUX)
    write_object(tmp_path, {"a": None})
    arguments = ("validate", "--crd", "crd.yaml", "object.yaml")
    assert findings(*arguments, "--sender", "kubectl") == []
    shown = run(*arguments).stderr
    assert "flux.yaml: Flux applies the objects beside it, as the sender flux" in shown


@each("case", list(DEPLOYERS))
def test_a_crd_beside_the_objects_of_a_deployer(case: str, tmp_path: Path) -> None:
    files, severity = DEPLOYERS[case]
    folder = tmp_path / f"crd-{case.replace(' ', '-')}"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "crd.yaml").write_text(_REPEATED)
    found = findings("check", str(folder / "crd.yaml"), "--no-cache")
    assert [one[0] for one in found] == ([] if severity is None else [severity])


HELMS = {"none": ("", "warning"), "Helm 3": ("v3.19.5", "warning"), "Helm 4": ("v4.3.1", "error")}


@each("case", list(HELMS))
def test_the_helm_of_a_chart(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version, severity = HELMS[case]
    chart, programs = tmp_path / "chart", tmp_path / "programs"
    (chart / "crds").mkdir(parents=True, exist_ok=True)
    programs.mkdir(exist_ok=True)
    if version:
        (programs / "helm").write_text(f"#!/bin/sh\necho {version}\n")
        (programs / "helm").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    (chart / "Chart.yaml").write_text("apiVersion: v2\nname: chart\nversion: 1.0.0\n")
    (chart / "crds" / "crd.yaml").write_text(_REPEATED)
    found = findings("check", "chart/crds/crd.yaml", "--no-cache")
    without_helm = findings("check", "chart/crds/crd.yaml", "--no-cache", "--no-helm")
    assert [one[:2] for one in found] == [(severity, "rule-duplicate")]
    assert [one[:2] for one in without_helm] == [("warning", "rule-duplicate")]


def test_old_objects_are_merged(tmp_path: Path) -> None:
    owned = {"fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {"f:b": {}}}}
    entry = {"manager": "ctl", "operation": "Update", "apiVersion": "example.com/v1"} | owned
    write_object(tmp_path, {"b": "x"}, managedFields=[entry])
    (tmp_path / "object.yaml").rename(tmp_path / "old.yaml")
    write_object(tmp_path, {"b": "y"})
    arguments = ("validate", "--crd", "crd.yaml", "--old", "old.yaml", "object.yaml")
    assert findings(*arguments) == []
    headline = '`spec.b` is owned by "ctl" using example.com/v1'
    for sender in ("server-side-apply", "kubectl-server-side", "helm-4"):
        assert findings(*arguments, "--sender", sender) == [
            ("error", "resource-apply-rejected", headline)
        ]
    for sender in ("flux", "argo-cd-server-side"):
        assert findings(*arguments, "--sender", sender) == []
        both = ("--sender", sender, "--sender", "kubectl-server-side")
        assert findings(*arguments, *both) == findings(*arguments, *both[2:])
    (tmp_path / "flux.yaml").write_text(FLUX)
    assert findings(*arguments) == []
    assert findings(*arguments, "--sender", "kubectl", "--sender", "flux") == []
    assert findings(*arguments, "--sender", "kubectl", "--sender", "helm-4") == [
        (
            "error",
            "resource-apply-rejected",
            f"server-side apply rejects this object: {headline}",
        )
    ]


_NULLABLE = {"type": "string", "nullable": True}
_WITH_NULLS = crd_in_json(
    {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "required": ["k"],
                "properties": {"k": _NULLABLE, "d": _NULLABLE | {"default": "x"}},
            }
        },
    }
)
_CLIENT_SIDE = "client-side apply rejects this object: `spec.k` is null"
_DROPPED = "`k` is null, which is dropped, but it is required"
NULLS = {
    "anyone": ((), [("warning", "resource-apply-rejected", _CLIENT_SIDE)]),
    "create": (("create",), []),
    "kubectl": (("kubectl",), [("warning", "resource-apply-rejected", _CLIENT_SIDE)]),
    "kubectl apply": (("kubectl-apply",), [("error", "resource-value", _DROPPED)]),
    "Argo CD": (("argo-cd",), [("error", "resource-value", _DROPPED)]),
    "Argo CD and create": (
        ("argo-cd", "create"),
        [("error", "resource-apply-rejected", _CLIENT_SIDE)],
    ),
    "server-side apply": (("kubectl-server-side",), []),
    "Helm 3": (("helm-3",), []),
    "kubectl and Helm 4": (
        ("kubectl", "helm-4"),
        [("warning", "resource-apply-rejected", _CLIENT_SIDE)],
    ),
}


@each(("senders", "wanted"), NULLS.values(), ids=NULLS)
def test_a_required_null(
    senders: tuple[str, ...], wanted: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    (tmp_path / "crd.yaml").write_text(_WITH_NULLS)
    write_object(tmp_path, {"k": None})
    options = [option for sender in senders for option in ("--sender", sender)]
    assert findings("validate", "--crd", "crd.yaml", "object.yaml", *options) == wanted


def test_client_side_apply_drops_unknown_nulls(tmp_path: Path) -> None:
    write_object(tmp_path, {"u": None, "b": "x"}, v=None)
    arguments = ("validate", "--crd", "crd.yaml", "object.yaml")
    assert findings(*arguments, "--sender", "kubectl-apply") == []
    found = [rule for _, rule, _ in findings(*arguments, "--sender", "kubectl")]
    assert found == ["unknown-field", "unknown-field"]


def test_fields_that_only_the_server_sets(tmp_path: Path) -> None:
    fields: list[dict[str, object]] = [{"managedFields": []}, {"uid": "u"}]
    for field in fields:
        write_object(tmp_path, {"b": "x"}, **field)
        shown = run("validate", "--crd", "crd.yaml", "object.yaml").stdout
        assert "server-side apply rejects this object: " in shown
        assert "= help: Remove the field: the API server sets it" in shown


def test_client_side_apply_sends_no_object_without_a_name(tmp_path: Path) -> None:
    write_object(tmp_path, {"b": "x"}, name=None, generateName="x-")
    arguments = ("validate", "--crd", "crd.yaml", "object.yaml")
    assert findings(*arguments, "--sender", "kubectl") == []
    assert [rule for _, rule, _ in findings(*arguments, "--sender", "kubectl-apply")] == [
        "resource-decode"
    ]


CLIENT_SIDE_SUITE = """\
crd: crd.yaml
tests:
  onCreate:
  - name: Should have the default
    sender: kubectl-apply
    initial: '{created}'
    expected: '{stored}'
  onUpdate:
  - name: Should keep what others have set
    sender: argo-cd
    initial: '{stored}'
    updated: '{created}'
    expected: '{stored}'
"""


def test_a_suite_with_client_side_apply(tmp_path: Path) -> None:
    (tmp_path / "crd.yaml").write_text(_WITH_NULLS)
    created, stored = (
        json.dumps(_OBJECT | {"spec": spec})
        for spec in ({"k": "a", "d": None, "u": None}, {"k": "a", "d": "x"})
    )
    text = CLIENT_SIDE_SUITE.replace("{created}", created).replace("{stored}", stored)
    (tmp_path / "x.testsuite.yaml").write_text(text)
    result = run("test", "x.testsuite.yaml")
    assert result.exit_code == 0, result.output


UPDATED_SUITE = """\
crd: crd.yaml
tests:
  onUpdate:
  - name: Should lose what is left out
    sender: kubectl-server-side
    initial: '{old}'
    updated: '{new}'
    expected: '{new}'
  - name: Should have known fields
    sender: kubectl-server-side
    initial: '{old}'
    updated: '{unknown}'
    expectedError: ".spec.u: field not declared in schema"
"""


def test_an_update_of_a_suite_names_the_sender(tmp_path: Path) -> None:
    old, new, unknown = (
        json.dumps(_OBJECT | {"spec": spec}) for spec in ({"a": 1, "b": "x"}, {"a": 2}, {"u": 1})
    )
    text = UPDATED_SUITE.replace("{old}", old).replace("{new}", new).replace("{unknown}", unknown)
    (tmp_path / "x.testsuite.yaml").write_text(text)
    result = run("test", "x.testsuite.yaml")
    assert result.exit_code == 0, result.output


_HOOK: dict[str, Any] = {
    "strategy": "Webhook",
    "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://a.b/c"}},
}
_OF_OTHER: dict[str, Any] = {
    "f:spec": {
        "f:conversion": {"f:strategy": {}, "f:webhook": {"f:clientConfig": {"f:url": {}}}},
        "f:names": {"f:shortNames": {}},
        "f:versions": {},
    }
}
_ENTRY = {
    "manager": "other",
    "operation": "Update",
    "apiVersion": "apiextensions.k8s.io/v1",
    "fieldsType": "FieldsV1",
}
_CONVERSION_KEPT = [
    "change-conversion",
    "conversion-webhook-config",
    "conversion-webhook-config",
]
OVER_OLD: dict[str, tuple[dict[str, Any], dict[str, list[str]]]] = {
    "left out": (
        {},
        {
            "create": ["change-conversion", "change-short-name-removed"],
            "kubectl-server-side": [],
            "flux": [],
            "kubectl-apply": [],
            "helm-3": ["change-conversion", "change-short-name-removed"],
        },
    ),
    "another strategy": (
        {"conversion": {"strategy": "None"}},
        {
            "create": ["change-conversion", "change-short-name-removed"],
            "kubectl-server-side": ["apply-rejected"],
            "flux": _CONVERSION_KEPT,
            "kubectl-apply": _CONVERSION_KEPT,
        },
    ),
    "other versions": (
        {
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "deprecated": True,
                    "schema": {"openAPIV3Schema": {"type": "object"}},
                }
            ]
        },
        {"kubectl-server-side": ["apply-rejected"], "flux": [], "kubectl-apply": []},
    ),
}


@each("case", list(OVER_OLD))
def test_a_crd_is_applied_over_one_of_a_cluster(case: str, tmp_path: Path) -> None:
    changed, wanted_by_sender = OVER_OLD[case]
    new = json.loads(crd_in_json({"type": "object"}))
    old = json.loads(json.dumps(new))
    old["spec"]["conversion"] = _HOOK
    old["spec"]["names"]["shortNames"] = ["fo"]
    new["spec"] |= changed
    old["metadata"]["managedFields"] = [_ENTRY | {"fieldsV1": _OF_OTHER}]
    by_client = json.loads(json.dumps(old))
    by_client["metadata"]["annotations"] = {
        "kubectl.kubernetes.io/last-applied-configuration": crd_in_json({"type": "object"})
    }
    (tmp_path / "old.yaml").write_text(json.dumps(old))
    (tmp_path / "by-client.yaml").write_text(json.dumps(by_client))
    (tmp_path / "new.yaml").write_text(json.dumps(new))
    for sender, wanted in wanted_by_sender.items():
        against = "by-client.yaml" if sender == "kubectl-apply" else "old.yaml"
        assert rules_against(against, sender) == wanted, sender


def rules_against(old: str, sender: str) -> list[str]:
    result = run(
        "check",
        "--no-cache",
        *("--against", old, "new.yaml"),
        *("--sender", sender, "--format", "json"),
    )
    found = (one["rule"] for one in json.loads(result.stdout)["diagnostics"])
    kinds = ("change-conversion", "change-short", "apply-rejected", "conversion-", "internal")
    return sorted(rule for rule in found if rule.startswith(kinds))


def test_a_crd_is_applied_over_one_without_owners(tmp_path: Path) -> None:
    new = json.loads(crd_in_json({"type": "object"}))
    old = json.loads(json.dumps(new))
    old["spec"]["conversion"] = _HOOK
    (tmp_path / "old.yaml").write_text(json.dumps(old))
    (tmp_path / "new.yaml").write_text(json.dumps(new))
    for sender in ("create", "kubectl-server-side", "kubectl-apply"):
        assert rules_against("old.yaml", sender) == ["change-conversion"]


@each("managed_fields", ["x", [1], [{"operation": "Apply", "fieldsV1": {"a": 1}}], [{}]])
def test_managed_fields_that_cannot_be_read(managed_fields: object, tmp_path: Path) -> None:
    new = json.loads(crd_in_json({"type": "object"}))
    old = json.loads(json.dumps(new))
    old["metadata"]["managedFields"] = managed_fields
    (tmp_path / "old.yaml").write_text(json.dumps(old))
    (tmp_path / "new.yaml").write_text(json.dumps(new))
    assert "internal-error" not in rules_against("old.yaml", "helm-4")
