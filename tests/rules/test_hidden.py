"""What the hidden findings contain is what the API server reports once the findings that are shown are fixed.

Bad examples of two rules stand side by side in a schema. One of them is then replaced by its good example: what is
reported afterwards was shown or hidden before, and what was hidden is reported.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from crds import crd_with_schema as crd
from tables import each

from crdlint.linting.pipeline import lint_file
from crdlint.rules.catalog import all_rules
from crdlint.rules.engine.examples import small
from crdlint.yaml import decode_yaml

if TYPE_CHECKING:
    from crdlint.rules.engine.rule import Rule

RULES = {
    rule.id: rule
    for rule in all_rules().values()
    if rule.scope in {"schema", "properties"}
    and rule.origin == "apiserver"
    and rule.bad
    and rule.source != "sigs.k8s.io/yaml YAMLToJSONStrict"
}
# One or more for each stage that an earlier one may hide.
LATER = [
    "structural-type-required",
    "list-map-key-required",
    "rule-message-invalid",
    "default-unknown-field",
    "default-invalid",
    "default-rule-failed",
    "cel-compilation",
    "cel-output-type",
    "cel-rule-cost",
    "cel-old-self-uncorrelatable",
    "cel-optional-old-self-unused",
]


def reported(text: str) -> tuple[set[str], set[str]]:
    """Return the server's messages that are shown, and those that are hidden."""
    shown: set[str] = set()
    hidden: set[str] = set()
    for one in lint_file(text, filename="x").diagnostics:
        if one.origin == "apiserver" and one.kind != "warning":
            (hidden if one.hidden else shown).add(one.server_message or one.message)
    return shown, hidden


def schema(rule: Rule, fragment: str) -> Any:
    fields: Any = decode_yaml(fragment)
    return fields if rule.scope == "schema" else {"type": "object", "properties": fields}


def side_by_side(first: Any, second: Any) -> str:
    return json.dumps(small({"type": "object", "properties": {"a": first, "b": second}}))


# Each rule beside one later example, and each later example beside several rules.
PAIRS = [(rule, LATER[i % len(LATER)]) for i, rule in enumerate(RULES.values())]
PRODUCT = [(rule, later) for rule in RULES.values() for later in LATER]


@pytest.mark.parametrize(
    "pairs", [PAIRS, pytest.param(PRODUCT, marks=pytest.mark.exhaustive)], ids=["pairs", "product"]
)
def test_what_appears_after_a_fix_was_hidden(
    pairs: list[tuple[Rule, str]], subtests: pytest.Subtests
) -> None:
    for rule, later in pairs:
        with subtests.test(f"{rule.id} before {later}"):
            check_what_was_hidden(rule, later)


def check_what_was_hidden(rule: Rule, later: str) -> None:
    bad, other = schema(rule, rule.bad), schema(RULES[later], RULES[later].bad)
    shown, hidden = reported(side_by_side(bad, other))
    alone, _ = reported(side_by_side(bad, {"type": "object"}))
    after, _ = reported(side_by_side(schema(rule, rule.good), other))
    assert after <= shown | hidden
    # The other example's own findings may hide one another.
    assert hidden - after <= {message for message in hidden if "properties[a]" in message} | alone


RULE = "type: object\nproperties: {size: {type: integer}}\nx-kubernetes-validations:\n"
CASES = {
    "the compile error of a rule of several lines without a message": (
        crd(RULE + "- rule: |\n    self.sise > 1 &&\n    self.size > 1"),
        crd(RULE + "- message: m\n  rule: |\n    self.sise > 1 &&\n    self.size > 1"),
    ),
    "the message expression of a rule that does not compile": (
        crd(RULE + "- {rule: self.sise > 1, messageExpression: self.size}"),
        crd(RULE + "- {rule: self.size > 1, messageExpression: self.size}"),
    ),
    "type errors after the first": (
        crd(
            "type: object\nproperties: {a: {type: string, maxLength: x}, b: {type: string, minLength: y}}"
        ),
        crd("type: object\nproperties: {a: {type: string}, b: {type: string, minLength: y}}"),
    ),
    "unknown fields and validation behind a type error": (
        crd("type: object\nproperties: {a: {type: string, maxLength: x}, b: {typ: 1}}"),
        crd("type: object\nproperties: {a: {type: string}, b: {typ: 1}}"),
    ),
    "all of a CRD without apiVersion": (
        crd("type: object\nproperties: {b: {typ: 1}}").replace(
            "apiVersion: apiextensions.k8s.io/v1\n", ""
        ),
        crd("type: object\nproperties: {b: {typ: 1}}"),
    ),
    "a schema that spec.preserveUnknownFields leaves unstructured": (
        crd("type: object\nproperties: {b: {}}").replace(
            "  scope:", "  preserveUnknownFields: true\n  scope:"
        ),
        crd("type: object\nproperties: {b: {}}"),
    ),
    "rules of a root without a type": (
        crd(
            "properties: {size: {type: integer}}\nx-kubernetes-validations: [{rule: self.sise > 1}]"
        ),
        crd(
            "type: object\nproperties: {size: {type: integer}}\nx-kubernetes-validations: [{rule: self.sise > 1}]"
        ),
    ),
    "rules of a root of a misspelled type": (
        crd(
            "type: Object\nproperties: {size: {type: integer}}\nx-kubernetes-validations: [{rule: self.sise > 1}]"
        ),
        crd(
            "type: object\nproperties: {size: {type: integer}}\nx-kubernetes-validations: [{rule: self.sise > 1}]"
        ),
    ),
    "rules above and of a field with properties but without a type": (
        crd(
            "type: object\nx-kubernetes-validations: [{rule: self.spec.b == 1}]\nproperties:\n"
            "  spec: {properties: {a: {type: string}}, x-kubernetes-validations: [{rule: self.a > 1}]}"
        ),
        crd(
            "type: object\nx-kubernetes-validations: [{rule: self.spec.b == 1}]\nproperties:\n"
            "  spec: {type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: self.a > 1}]}"
        ),
    ),
    "`$schema` beside an error": (
        crd(
            "type: object\n$schema: http://json-schema.org/draft-07/schema#\nproperties: {a: {type: string, id: x}}"
        ),
        crd(
            "type: object\n$schema: http://json-schema.org/draft-07/schema#\nproperties: {a: {type: string}}"
        ),
    ),
}


@each(("broken", "fixed"), CASES.values(), ids=CASES)
def test_hidden_findings_are_those_of_the_fixed_crd(broken: str, fixed: str) -> None:
    shown, hidden = reported(broken)
    after, _ = reported(fixed)
    assert after
    assert {without_rule(one) for one in after} <= {without_rule(one) for one in shown | hidden}


def without_rule(message: str) -> str:
    """Return a message without the dump of the rule, which the fix changes."""
    return message.partition('{"Rule"')[0] + message.rpartition("}: ")[2]


def test_an_unknown_type_makes_no_rule_wrong() -> None:
    """What a rule may do with a field whose type is missing depends on that type."""
    text = crd(
        "type: object\nproperties:\n  a: {}\n  b: {type: array}\nx-kubernetes-validations:\n"
        "- {rule: 'self.a > 5 && self.b.all(x, x.y == 1)', message: m}"
    )
    shown, hidden = reported(text)
    assert len(shown) == 2
    assert hidden == set()
