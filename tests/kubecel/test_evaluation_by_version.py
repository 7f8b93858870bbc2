"""Rules evaluated on each server, where servers differ."""

from __future__ import annotations

import textwrap

import pytest
from kubecel_support import schema
from tables import each

from crdlint.crd.paths import Path
from crdlint.kubecel.evaluation import MISSING, RuleValidators, Run, validate_rules
from crdlint.kubernetes.servers import SERVERS

BUDGET = 1_000_000


def run(text: str, value: object, version: int) -> tuple[list[str], int]:
    """Return where rules fail, and what evaluating them costs."""
    server = next(one for one in SERVERS if one.minor == version)
    validation = Run("rule", BUDGET)
    validate_rules(RuleValidators(server).of(schema(text)), validation, Path("x"), value, MISSING)
    return [str(error.path) for error in validation.errors], BUDGET - validation.budget


def on_spec(*rules: str, fields: str = "{a: {type: string}, b: {type: string}}") -> str:
    written = "".join(f"    - {rule}\n" for rule in rules)
    head = f"type: object\nproperties:\n  spec:\n    type: object\n    properties: {fields}\n"
    return textwrap.dedent(f"{head}    x-kubernetes-validations:\n{written}")


@pytest.mark.parametrize(
    ("version", "paths"),
    [
        (29, ["x.spec.a", "x.spec.a.b", "x.spec.a.b"]),
        (30, ["x.spec.a", "x.spec.b", "x.spec"]),
    ],
)
def test_field_paths_of_several_failed_rules(version: int, paths: list[str]) -> None:
    rules = (
        '{rule: "false", message: m, fieldPath: .a}',
        '{rule: "false", message: m, fieldPath: .b}',
        '{rule: "false", message: m}',
    )
    assert run(on_spec(*rules), {"spec": {"a": "", "b": ""}}, version)[0] == paths


@pytest.mark.parametrize(("version", "cost"), [(30, 3), (31, 2)])
def test_selection_from_what_is_no_object(version: int, cost: int) -> None:
    rule = "{rule: \"self.a.contains('x')\"}"
    assert run(on_spec(rule), {"spec": 1}, version) == (["x.spec"], cost)


@each("version", [28, 29, 36])
def test_presence_tests_are_free_when_evaluated(version: int) -> None:
    assert run(on_spec('{rule: "has(self.a)"}'), {"spec": {"a": ""}}, version) == ([], 1)


@pytest.mark.parametrize(("version", "cost"), [(29, 7), (30, 13)])
def test_cost_of_quantities(version: int, cost: int) -> None:
    rule = '{rule: "quantity(self.a).isLessThan(quantity(self.b))"}'
    value = {"spec": {"a": f"{'0' * 39}1", "b": f"{'0' * 39}2"}}
    assert run(on_spec(rule), value, version) == ([], cost)


@pytest.mark.parametrize(("version", "spaced"), [(32, True), (33, False)])
def test_powers_of_ten(version: int, spaced: bool) -> None:
    for text, matches in (
        ("3.140000\u202f\u00d7\u202f10\u2070\u2070", spaced),
        ("3.140000\u00d710\u2070\u2070", not spaced),
    ):
        paths, _ = run(
            on_spec(f"{{rule: \"'%e'.format([3.14]) == '{text}'\"}}"), {"spec": {}}, version
        )
        assert paths == ([] if matches else ["x.spec"])


def test_a_server_evaluates_only_what_its_own_libraries_have() -> None:
    rule = '{rule: "[3, 1].sort() == [1, 3]"}'
    found = {server.minor: run(on_spec(rule), {"spec": {}}, server.minor)[0] for server in SERVERS}
    assert [minor for minor, paths in found.items() if not paths] == [
        one.minor for one in SERVERS if one.minor >= 34
    ]


@each(("version", "contains"), [(31, False), (32, True)])
@each("other", ["'10.1.0.0/16'", "cidr('10.1.0.0/16')"])
def test_networks_within_networks(version: int, contains: bool, other: str) -> None:
    paths, _ = run(
        on_spec(f"{{rule: \"cidr('10.0.0.0/8').containsCIDR({other})\"}}"), {"spec": {}}, version
    )
    assert paths == ([] if contains else ["x.spec"])
    assert (
        run(
            on_spec("{rule: \"cidr('10.0.0.0/8').containsCIDR('10.0.0.0/16')\"}"),
            {"spec": {}},
            version,
        )[0]
        == []
    )
