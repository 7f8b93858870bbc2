"""Generated suites: every test passes, and each limit and rule has an object that is accepted and one that is not."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from commands import crdlint
from crds import crd_with_spec
from tables import each

from crdlint.suites.crds import SuiteCRDs
from crdlint.suites.generate import generate
from crdlint.suites.read import read_suite
from crdlint.suites.run import run_suite

ROOT: Final = Path(__file__).parents[2]

SCHEMAS: Final = {
    "numbers": ("a: {type: integer, minimum: 2, maximum: 9}", ["minimum 2", "maximum 9"]),
    "exclusive": ("a: {type: integer, minimum: 2, exclusiveMinimum: true}", ["minimum 2"]),
    "multiple": ("a: {type: integer, multipleOf: 5}", ["multipleOf 5"]),
    "texts": ("a: {type: string, minLength: 2, maxLength: 4}", ["minLength 2", "maxLength 4"]),
    "pattern": ("a: {type: string, pattern: '^[a-z]+-[0-9]$'}", ["pattern ^[a-z]+-[0-9]$"]),
    "format": ("a: {type: string, format: ipv4}", ["format ipv4"]),
    "32 bits": ("a: {type: integer, format: int32}", ["format int32"]),
    "alternatives": (
        "a: {type: string, oneOf: [{format: ipv4}, {format: ipv6}]}",
        ["oneOf"],
    ),
    "any of": ("a: {type: string, anyOf: [{format: ipv4}, {format: cidr}]}", ["anyOf"]),
    "alternative fields": (
        "a: {type: object, properties: {b: {type: string}, c: {type: string}}, "
        "oneOf: [{required: [b]}, {required: [c]}]}",
        ["oneOf"],
    ),
    "not": ("a: {type: string, not: {enum: [a]}}", ["not"]),
    "enum": ("a: {type: string, enum: [X, Z]}", ['enum "X", "Z"']),
    "list": (
        "a: {type: array, minItems: 1, maxItems: 3, items: {type: string}}",
        ["minItems 1", "maxItems 3"],
    ),
    "below": (
        "a: {type: object, properties: {b: {type: array, items: {type: object, required: [c], properties: "
        "{c: {type: string, maxLength: 3}}}}}}",
        ["the required field c", "maxLength 3"],
    ),
    "rule": (
        "a: {type: object, properties: {b: {type: integer}, c: {type: integer}}, "
        "x-kubernetes-validations: [{rule: 'self.b < self.c'}]}",
        ["rule 1: self.b < self.c"],
    ),
    "transition": (
        "a: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: self == oldSelf}]}",
        ["rule 1: self == oldSelf"],
    ),
    "pattern in a rule": (
        "a: {type: string, x-kubernetes-validations: [{rule: \"self.matches('^[0-9]+ [a-z]{2}$')\"}]}",
        ["rule 1: self.matches('^[0-9]+ [a-z]{2}$')"],
    ),
    "limit that a rule needs, too": (
        "a: {type: string, minLength: 1, x-kubernetes-validations: [{rule: \"self.startsWith('x')\"}]}",
        ["minLength 1", "rule 1: self.startsWith('x')"],
    ),
    "fields that depend on each other": (
        "a: {type: object, required: [mode], properties: {mode: {type: string, enum: [Time, Count]}, "
        "time: {type: integer}, count: {type: integer}, left: {type: string, minLength: 1}, right: {type: string}}, "
        "x-kubernetes-validations: [{rule: 'has(self.left) != has(self.right)'}, "
        "{rule: \"self.mode != 'Time' || (has(self.time) && self.time > 0)\"}, "
        "{rule: \"self.mode != 'Count' || (has(self.count) && self.count > 0)\"}, "
        "{rule: \"self.mode != 'Time' || !has(self.count)\"}, "
        "{rule: \"self.mode != 'Count' || !has(self.time)\"}]}",
        [
            "the required field mode",
            "minLength 1",
            "rule 1: has(self.left) != has(self.right)",
            "rule 2: self.mode != 'Time' || (has(self.time) && self.time > 0)",
            "rule 3: self.mode != 'Count' || (has(self.count) && self.count > 0)",
            "rule 4: self.mode != 'Time' || !has(self.count)",
            "rule 5: self.mode != 'Count' || !has(self.time)",
        ],
    ),
}


def suite_of(path: Path) -> tuple[set[str], set[str]]:
    """Return the names of the tests of a generated suite that accept and that reject an object, after all have passed."""
    files = SuiteCRDs([str(path)])
    (target,) = files.targets
    generated = generate(target, files)
    suite = read_suite(generated.text, f"{path}.testsuite.yaml")
    results = list(run_suite(suite, target, files))
    assert [each.failure for each in results if each.failure] == []
    assert len(results) == generated.tests > 0
    errors = {case.name: case.expected_error or case.expected_status_error for case in suite.cases}
    rejecting = {name for name, error in errors.items() if error}
    return {case.name for case in suite.cases} - rejecting, rejecting


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_limit_and_rule_has_objects_on_both_sides(tmp_path: Path, name: str) -> None:
    fields, limits = SCHEMAS[name]
    path = tmp_path / "crd.yaml"
    path.write_text(crd_with_spec(f"{{type: object, properties: {{{fields}}}}}"), encoding="utf-8")
    accepting, rejecting = suite_of(path)
    for limit in limits:
        assert [each for each in rejecting if limit in each], (limit, rejecting)
        if "required" not in limit:
            assert [each for each in accepting if limit in each], (limit, accepting)


@pytest.mark.parametrize("subresources", ["subresources: {status: {}}", "deprecated: false"])
@pytest.mark.parametrize("name", SCHEMAS)
def test_a_status_is_updated_where_it_has_a_subresource(
    tmp_path: Path, name: str, subresources: str
) -> None:
    fields, limits = SCHEMAS[name]
    schema = f"{{type: object, properties: {{{fields}}}}}"
    crd = crd_with_spec("{type: object}").replace(
        "    storage: true\n", f"    storage: true\n    {subresources}\n"
    )
    path = tmp_path / "crd.yaml"
    path.write_text(f"{crd}          status: {schema}\n", encoding="utf-8")
    accepting, rejecting = suite_of(path)
    for limit in limits:
        assert [each for each in rejecting if limit in each and "status" in each], limit
        if "required" not in limit:
            assert [each for each in accepting if limit in each and "status" in each], limit


@pytest.mark.parametrize(
    "fixture", ["resources/crd.yaml", "eval/crd.yaml", "suites/widgets.crd.yaml"]
)
def test_generated_suites_of_fixtures_pass(fixture: str) -> None:
    accepting, rejecting = suite_of(ROOT / "fixtures" / fixture)
    assert len(accepting) > 3
    assert len(rejecting) > 3


def test_the_command_writes_a_suite_that_the_command_runs(tmp_path: Path) -> None:
    crd = ROOT / "fixtures/resources/crd.yaml"
    done = crdlint("test", "--generate", str(crd))
    assert done.returncode == 0, done.stderr
    suite = tmp_path / "a.testsuite.yaml"
    suite.write_text(done.stdout, encoding="utf-8")
    again = crdlint("test", "--crd", str(crd), str(suite))
    assert again.returncode == 0, again.stdout
    assert done.stdout == crdlint("test", "--generate", str(crd)).stdout


def test_a_crd_that_is_rejected_has_no_suite() -> None:
    done = crdlint("test", "--generate", str(ROOT / "fixtures/invalid/type-unknown.yaml"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "rejects the CRD" in done.stderr


@each("expected", ["expected: ''", "expectedError: another"])
def test_an_unexpected_rejection_has_the_values_that_decided_the_rule(
    expected: str, tmp_path: Path
) -> None:
    schema = "{type: object, properties: {b: {type: integer}}, x-kubernetes-validations: [{rule: 'self.b > 3'}]}"
    (tmp_path / "crd.yaml").write_text(crd_with_spec(schema), encoding="utf-8")
    files = SuiteCRDs([str(tmp_path / "crd.yaml")])
    (target,) = files.targets
    head = f"crdName: {target.name}\ntests:\n  onCreate:\n  - name: one\n    initial: |\n"
    group = target.value["spec"]["group"]
    kind = target.value["spec"]["names"]["kind"]
    version = target.value["spec"]["versions"][0]["name"]
    sent = f"      {{apiVersion: {group}/{version}, kind: {kind}, spec: {{b: 2}}}}\n"
    suite = read_suite(f"{head}{sent}    {expected}\n", "a.testsuite.yaml")
    (result,) = run_suite(suite, target, files)
    assert result.failure[-3:] == (
        "  rule: self.b > 3",
        "  why:  self.b > 3 = false",
        "  why:    self.b = 2",
    )
    assert result.case.expectation_line == 7
