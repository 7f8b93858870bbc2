"""Commands that answer for the server of `--kube-version`."""

from __future__ import annotations

import json
import pickle
import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import crd_with_schema, crd_with_spec
from tables import each

from crdlint import validate_resource
from crdlint.cli.main import cli
from crdlint.kubernetes.servers import KNOWN, OLDEST

if TYPE_CHECKING:
    from pathlib import Path

CRD = crd_with_spec("""\
type: object
properties:
  size: {type: integer, format: int32}
""")
FOO = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a, namespace: b}\nspec: {size: 3000000000}\n"
SUITE = """\
apiVersion: apiextensions.k8s.io/v1
name: Foo
crd: foos.crd.yaml
tests:
  onCreate:
  - name: Should accept a large size
    initial: |
      apiVersion: example.com/v1
      kind: Foo
      spec: {size: 3000000000}
    expected: |
      apiVersion: example.com/v1
      kind: Foo
      spec: {size: 3000000000}
"""


@pytest.mark.parametrize(
    ("version", "status"), [("1.28", 0), ("1.35", 0), ("1.36", 1), ("1.28..1.36", 1)]
)
def test_validate_answers_for_a_server(tmp_path: Path, version: str, status: int) -> None:
    (tmp_path / "crd.yaml").write_text(CRD)
    (tmp_path / "foo.yaml").write_text(FOO)
    result = CliRunner().invoke(
        cli, ["validate", f"--kube-version={version}", str(tmp_path / "foo.yaml")]
    )
    assert result.exit_code == status, result.output


@pytest.mark.parametrize(("version", "status"), [("1.28", 0), ("1.35", 0), ("1.36", 1)])
def test_test_answers_for_a_server(tmp_path: Path, version: str, status: int) -> None:
    (tmp_path / "foos.crd.yaml").write_text(CRD)
    (tmp_path / "foos.testsuite.yaml").write_text(SUITE)
    result = CliRunner().invoke(
        cli, ["test", f"--kube-version={version}", str(tmp_path / "foos.testsuite.yaml")]
    )
    assert result.exit_code == status, result.output


# 1.29 lacks isIP(), 1.30 accepts it in stored rules only; before 1.36 an int32 may be larger.
RULES = crd_with_spec("""\
type: object
properties:
  size: {type: integer, format: int32}
  name:
    type: string
    maxLength: 40
    x-kubernetes-validations: [{rule: "self.startsWith('a')"}, {rule: "self.endsWith('a')"}]
  ip:
    type: string
    maxLength: 40
    x-kubernetes-validations: [{rule: "isIP(self)"}]
""")
BROKEN = FOO.replace(
    "spec: {size: 3000000000}", "spec: {size: 3000000000, name: b, ip: 1.2.3, more: 1}"
)


def findings(
    tmp_path: Path, crd: str, text: str, versions: str, *options: str
) -> list[tuple[str, str, tuple[str, ...]]]:
    (tmp_path / "crd.yaml").write_text(crd)
    (tmp_path / "foo.yaml").write_text(text)
    arguments = [
        "--format=json",
        f"--kube-version={versions}",
        f"--crd={tmp_path / 'crd.yaml'}",
        *options,
    ]
    result = CliRunner().invoke(cli, ["validate", *arguments, str(tmp_path / "foo.yaml")])
    found = json.loads(result.stdout)["diagnostics"]
    return [(one["rule"], one["message"], tuple(one["versions"])) for one in found]


def test_validate_reports_each_finding_of_a_range_once(tmp_path: Path) -> None:
    newer = ("1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36")
    large = '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.size'
    found = [
        one
        for one in findings(tmp_path, RULES, BROKEN, "1.28..1.36")
        if one[0] != "resource-crd-rejected"
    ]
    assert found == [
        ("resource-value", f"rejected from Kubernetes 1.36 on: {large}", ("1.36",)),
        (
            "resource-rule",
            "spec.name: Invalid value: \"string\": failed rule: self.startsWith('a')",
            (),
        ),
        (
            "resource-rule",
            "spec.name: Invalid value: \"string\": failed rule: self.endsWith('a')",
            (),
        ),
        (
            "resource-rule",
            'rejected from Kubernetes 1.30 on: spec.ip: Invalid value: "string": failed rule: isIP(self)',
            newer,
        ),
        ("unknown-field", 'unknown field "spec.more"', ()),
    ]


def test_validate_names_the_servers_of_a_range_that_reject_the_crd(tmp_path: Path) -> None:
    found = [
        one
        for one in findings(tmp_path, RULES, FOO, "1.29..1.31")
        if one[0] == "resource-crd-rejected"
    ]
    ((_, message, versions),) = found
    assert "crd.yaml:28:51: needs Kubernetes 1.31 or later: `isIP()` came with 1.30" in message
    assert versions == ()


def test_an_update_that_leaves_an_invalid_value_is_rejected_before_ratcheting(
    tmp_path: Path,
) -> None:
    crd = RULES.replace("format: int32", "maximum: 5").replace("isIP(self)", "true")
    (tmp_path / "old.yaml").write_text(FOO)
    ((rule, message, versions),) = findings(
        tmp_path, crd, FOO, "1.28..1.31", f"--old={tmp_path / 'old.yaml'}"
    )
    assert rule == "resource-value"
    assert message.startswith(
        "rejected by Kubernetes 1.28 and 1.29, accepted from 1.30 on: spec.size: Invalid value: "
    )
    assert versions == ("1.28", "1.29")


def test_a_missing_old_object_is_noticed_once_for_a_range(tmp_path: Path) -> None:
    (tmp_path / "crd.yaml").write_text(CRD)
    (tmp_path / "old.yaml").write_text(FOO.replace("name: a", "name: b"))
    (tmp_path / "foo.yaml").write_text(FOO.replace("3000000000", "3"))
    arguments = [
        "--kube-version=1.28..1.36",
        f"--old={tmp_path / 'old.yaml'}",
        str(tmp_path / "foo.yaml"),
    ]
    result = CliRunner().invoke(cli, ["validate", *arguments])
    assert result.output.count("is not among the old objects") == 1


def test_a_crd_without_the_fields_that_an_older_server_drops(tmp_path: Path) -> None:
    rule = "{rule: 'oldSelf.hasValue()', optionalOldSelf: true}"
    crd = RULES.replace('{rule: "isIP(self)"}', rule)
    text = FOO.replace("size: 3000000000", "ip: x")
    found = [
        one for one in findings(tmp_path, crd, text, "1.29..1.30") if one[0] == "resource-rule"
    ]
    ((_, message, versions),) = found
    assert message.startswith(
        "rejected from Kubernetes 1.30 on: spec.ip"
    )  # 1.29 runs the rule on updates only
    assert versions == ("1.30",)


def test_the_api_validates_for_a_range() -> None:
    crd = RULES.replace("isIP(self)", "true")
    text = FOO.replace("size: 3000000000", "name: b, size: 3000000000")
    report = validate_resource(crd, text, kube_version="1.34..1.36")
    assert [(one.message, one.versions) for one in report.errors] == [
        (
            '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.size',
            ("1.36",),
        ),
        ("spec.name: Invalid value: \"string\": failed rule: self.startsWith('a')", ()),
        ("spec.name: Invalid value: \"string\": failed rule: self.endsWith('a')", ()),
    ]


def test_the_help_for_an_int32_names_its_range(tmp_path: Path) -> None:
    (tmp_path / "crd.yaml").write_text(CRD)
    (tmp_path / "foo.yaml").write_text(FOO)
    result = CliRunner().invoke(cli, ["validate", str(tmp_path / "foo.yaml")])
    assert "help: Write an integer from -2147483648 to 2147483647" in result.output


def run_suite(tmp_path: Path, suite: str, versions: str, crd: str = CRD) -> str:
    (tmp_path / "foos.crd.yaml").write_text(crd)
    (tmp_path / "foos.testsuite.yaml").write_text(suite)
    arguments = ["test", f"--kube-version={versions}", str(tmp_path / "foos.testsuite.yaml")]
    return CliRunner().invoke(cli, arguments).output


def test_a_failure_on_some_servers_of_a_range_names_them(tmp_path: Path) -> None:
    output = run_suite(tmp_path, SUITE, "1.28..1.36")
    assert "on Kubernetes 1.36:" in output
    assert output.count("the object should be created, but:") == 1


def test_a_failure_that_servers_only_word_differently_is_reported_once(tmp_path: Path) -> None:
    crd = CRD.replace(
        "{type: integer, format: int32}",
        "{type: integer, x-kubernetes-validations: [{rule: 'self < 5'}]}",
    )
    output = run_suite(tmp_path, SUITE, "1.28..1.36", crd)
    assert "on Kubernetes" not in output
    assert output.count("failed rule: self < 5") == 1


def test_a_range_of_a_suite_whose_crd_some_servers_reject(tmp_path: Path) -> None:
    crd = CRD.replace(
        "  - name: v1\n", "  - name: v1\n    selectableFields: [{jsonPath: .spec.size}]\n"
    )
    output = run_suite(tmp_path, SUITE, "1.29..1.36", crd)
    assert "the API server rejects the CRD of" in output
    assert "rejected by Kubernetes 1.29, accepted from 1.30 on: unknown field" in output


# Before 1.29 an enum does not bound the length of a string, and before 1.30 no rule has isIP().
COSTLY = crd_with_schema("""\
type: object
properties:
  ip:
    type: string
    maxLength: 40
    x-kubernetes-validations: [{rule: "isIP(self)"}]
  spec:
    type: array
    maxItems: 1000
    items:
      type: string
      enum: [a]
      x-kubernetes-validations: [{rule: "self.contains(self)"}]
""")


def cost(tmp_path: Path, versions: str, *options: str) -> tuple[int, str]:
    (tmp_path / "crd.yaml").write_text(COSTLY)
    result = CliRunner().invoke(
        cli, ["cost", f"--kube-version={versions}", *options, str(tmp_path / "crd.yaml")]
    )
    return result.exit_code, result.stdout


@pytest.mark.parametrize(
    ("versions", "status", "others"),
    [
        ("1.36", 0, ["1.28"]),  # of a single version, all others are compared
        ("1.31..1.36", 0, []),
        ("1.28..1.36", 1, ["1.28"]),
        ("1.29..1.36", 1, []),  # 1.29 does not compile isIP()
    ],
)
def test_cost_by_version(tmp_path: Path, versions: str, status: int, others: list[str]) -> None:
    code, output = cost(tmp_path, versions, "--format=json", "--sort=place")
    assert code == status
    assert [list(one["by_version"]) for one in json.loads(output)["rules"]] == [[], others]


def test_cost_lists_the_rules_that_older_servers_of_a_range_do_not_estimate(tmp_path: Path) -> None:
    _, output = cost(tmp_path, "1.28..1.36", "--format=json")
    unestimated = json.loads(output)["unestimated"]
    assert [(one["rule"], one["message"].partition(":")[0]) for one in unestimated] == [
        ("kube-version-too-old", "needs Kubernetes 1.31 or later")
    ]


def test_the_table_of_costs_shows_the_share_on_an_older_server(tmp_path: Path) -> None:
    assert re.search(r"\n    1\.28: \S+( \w+)? times the budget\n", cost(tmp_path, "1.28..1.36")[1])
    assert "1.28" not in cost(tmp_path, "1.31..1.36")[1]


@pytest.mark.parametrize("versions", ["1.28", "1.28..1.36"])
def test_a_limit_is_suggested_for_the_server_that_needs_it(tmp_path: Path, versions: str) -> None:
    _, patch = cost(tmp_path, versions, "--suggest")
    assert [line for line in patch.splitlines() if line.startswith("+ ")] == [
        "+              maxLength: 128"
    ]


@each("command", ["check", "validate", "test", "cost"])
def test_unknown_versions_are_usage_errors(command: str) -> None:
    result = CliRunner().invoke(cli, [command, "--kube-version=1.27", "."])
    assert result.exit_code == 2
    assert f"'1.27' is not within {KNOWN}" in result.output


def test_a_server_is_the_same_one_in_another_process() -> None:
    assert pickle.loads(pickle.dumps(OLDEST)) is OLDEST
