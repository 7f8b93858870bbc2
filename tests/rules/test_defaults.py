"""Defaults judged as the server does: the order of checks, rules with and without an old value, the common budget."""

from __future__ import annotations

from crds import crd_with_schema
from tables import each

import crdlint

CRD = crd_with_schema("""\
type: object
properties:
  spec: %s
""")
PATH = "spec.validation.openAPIV3Schema.properties[spec]"
DEFAULTS = {
    "null is no default": ("{type: string, default: null}", []),
    "unpruned and mistyped": (
        "{type: object, properties: {a: {type: integer}}, default: {a: x, b: 1}}",
        [
            'default: Invalid value: {"a":"x","b":1}: must not have unknown fields',
            'default.a: Invalid value: "string": a in body must be of type integer: "string"',
        ],
    ),
    "a rule on a default": (
        "{type: integer, default: 1, x-kubernetes-validations: [{rule: self > 1}]}",
        ["default: Invalid value: 1: failed rule: self > 1"],
    ),
    "values keep rules from running": (
        "{type: integer, minimum: 2, default: 1, x-kubernetes-validations: [{rule: self > 1}]}",
        ["default: Invalid value: 1:  in body should be greater than or equal to 2"],
    ),
    "a rule of what encloses the default does not run": (
        "{type: object, properties: {a: {type: integer, default: 1}}, x-kubernetes-validations: [{rule: self.a > 1}]}",
        [],
    ),
    "a transition rule sees the default as the old value": (
        "{type: integer, default: 1, x-kubernetes-validations: [{rule: self > oldSelf}]}",
        ["default: Invalid value: 1: failed rule: self > oldSelf"],
    ),
    "an optional old value is tried present": (
        "{type: integer, default: 1, x-kubernetes-validations: [{rule: '!oldSelf.hasValue()', optionalOldSelf: true}]}",
        ["default: Invalid value: 1: failed rule: !oldSelf.hasValue()"],
    ),
    "an optional old value is tried absent": (
        "{type: integer, default: 1, x-kubernetes-validations: [{rule: oldSelf.hasValue(), optionalOldSelf: true}]}",
        ["default: Invalid value: 1: failed rule: oldSelf.hasValue()"],
    ),
    "a rule that does not compile": (
        "{type: integer, default: 1, x-kubernetes-validations: [{rule: self > true}]}",
        [
            "default: Invalid value: \"integer\": rule compile error: compilation failed: ERROR: <input>:1:6: "
            "found no matching overload for '_>_' applied to '(int, bool)'\n | self > true\n | .....^",
        ],
    ),
    "two fields of a bad resource": (
        "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, default: {kind: '%'}}",
        [
            "default.apiVersion: Required value",
            'default.kind: Invalid value: "%": may have mixed case, but should otherwise match: ',
        ],
    ),
}  # fmt: skip


@each(("spec", "said"), DEFAULTS.values(), ids=DEFAULTS)
def test_what_is_said_of_a_default(spec: str, said: list[str]) -> None:
    found = [d.message for d in crdlint.lint_text(CRD % spec) if d.origin == "apiserver"]
    assert len(found) == len(said)
    for message, start in zip(found, said, strict=True):
        assert message.startswith(f"{PATH}.{start}"), message


RULE = "self.contains(self.substring(0, 9000))"


def test_all_defaults_share_one_budget() -> None:
    # Each rule costs about 900,000 units, twice; a budget of 10,000,000 is for all of them together.
    field = f"{{type: string, maxLength: 10000, default: {'x' * 10000}, x-kubernetes-validations: [{{rule: '{RULE}'}}]}}"
    fields = ", ".join(f"f{i}: {field}" for i in range(40))
    found = crdlint.lint_text(CRD % f"{{type: object, properties: {{{fields}}}}}")
    spent = [
        d
        for d in found
        if "running out of cost budget, no further validation rules will be run" in d.message
    ]
    assert len(spent) == 1
    assert spent[0].rule == "default-rule-failed"


def test_an_update_may_keep_unpruned_defaults() -> None:
    old = CRD % "{type: object, properties: {a: {type: integer}}, default: {b: 1}}"
    new = CRD % "{type: object, properties: {a: {type: integer}}, default: {c: 1}}"
    pruned = CRD % "{type: object, properties: {a: {type: integer}}, default: {a: 1}}"
    assert [d.rule for d in crdlint.lint_update(old, new)] == ["change-default"]
    assert [d.rule for d in crdlint.lint_update(pruned, new)] == [
        "default-unknown-field",
        "change-default",
    ]
