"""Two mistakes of different stages in one CRD: the first check reports both, whatever the server reports first."""

from __future__ import annotations

import json
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from crds import small
from tables import each

from crdlint.linting.pipeline import lint_file
from crdlint.yaml import decode_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

# Properties of the spec, by what is wrong with them, each with the rules that report it.
OF_FIELDS: Final[Mapping[str, tuple[str, set[str]]]] = {
    "value of a wrong type": ("a: {type: integer, minimum: three}", {"decode-type"}),
    "unknown keyword": ("b: {type: string, maxlength: 5}", {"unknown-field"}),
    "no type": ("c: {description: text}", {"structural-type-required"}),
    "reference": ("d: {type: object, $ref: '#/x'}", {"forbidden-ref"}),
    "list type": ("e: {type: array, x-kubernetes-list-type: maps, items: {type: string}}", {"list-type-unsupported"}),
    "key of a list": (
        "f: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], "
        "items: {type: object, properties: {k: {type: string}}}}",
        {"list-map-key-required"},
    ),
    "default": ("g: {type: integer, default: five}", {"default-invalid"}),
    "rule": ("h: {type: integer, x-kubernetes-validations: [{rule: self >> 1}]}", {"cel-compilation"}),
    "cost": (
        "i: {type: array, items: {type: array, items: {type: string}}, x-kubernetes-validations: "
        "[{rule: 'self.all(a, self.all(b, a.all(x, b.exists(y, x == y))))'}]}",
        {"cel-rule-cost", "cel-schema-cost"},
    ),
    "pattern": ("j: {type: string, pattern: '^[a-z'}", {"pattern-invalid"}),
    "slip in a pattern": ("k: {type: string, pattern: '^[:alnum:]+$'}", {"pattern-slip"}),
    "required": ("l: {type: object, properties: {m: {type: string}}, required: [other]}", {"never-valid"}),
}  # fmt: skip
# Values of the CRD and of its version, the same way.
OF_CRD: Final[Mapping[str, tuple[str, set[str]]]] = {
    "name": ("metadata: {name: bars.example.com}", {"metadata-name"}),
    "scope": ("spec: {scope: Namespace}", {"scope-invalid"}),
    "conversion": ("spec: {conversion: {strategy: Hook}}", {"conversion-strategy-invalid"}),
}
OF_VERSION: Final[Mapping[str, tuple[str, set[str]]]] = {
    "column": (
        "additionalPrinterColumns: [{name: X, type: text, jsonPath: .spec.x}]",
        {"printer-column-invalid", "printer-column-dead-path"},
    ),
    "selectable field": ("selectableFields: [{jsonPath: .spec.x}]", {"selectable-field-invalid"}),
    "status": ("subresources: {status: {}}", {"status-subresource-without-schema"}),
}
OTHER_FIELDS: Final = "fields beside those of the root"
ALL: Final = {**OF_FIELDS, **OF_CRD, **OF_VERSION, OTHER_FIELDS: ("", {"structural-root-additional-properties"})}  # fmt: skip
PAIRS: Final = list(combinations(ALL, 2))


def crd(*mistakes: str) -> Any:
    fields: dict[str, Any] = {}
    spec = {"type": "object", "properties": fields}
    schema: dict[str, Any] = {"type": "object", "properties": {"spec": spec}}
    made = small(schema)
    for mistake in mistakes:
        given: Any = decode_yaml(ALL[mistake][0]) or {}
        if mistake in OF_FIELDS:
            fields.update(given)
        elif mistake in OF_VERSION:
            made["spec"]["versions"][0].update(given)
        elif mistake == OTHER_FIELDS:
            schema["additionalProperties"] = False
        else:
            for part, values in given.items():
                made[part].update(values)
    return made


def rules(made: Any) -> set[str]:
    """Return the rules with findings, also those that the server would report later."""
    return {finding.rule for finding in lint_file(json.dumps(made), filename="x").diagnostics}


@each("mistake", ALL)
def test_a_mistake_alone(mistake: str) -> None:
    assert ALL[mistake][1] & rules(crd(mistake))


@each(("first", "second"), PAIRS)
def test_both_mistakes_are_reported(first: str, second: str) -> None:
    found = rules(crd(first, second))
    assert ALL[first][1] & found
    assert ALL[second][1] & found


LONG: Final = (
    "x-kubernetes-validations: [{rule: 'self.all(a, self.all(b, a.all(x, b.exists(y, x == y))))'}]"
)
LISTS: Final = "a: {type: array, maxItems: %s, items: {type: array, maxItems: 5, items: {type: string, maxLength: %s}}, %s}"


@each(
    ("fields", "absent"),
    [
        (LISTS % ("'5'", "5", LONG), "cel-rule-cost"),
        (LISTS % ("5", "'5'", LONG), "cel-rule-cost"),
        ("a: {type: object, properties: [b], x-kubernetes-validations: [{rule: self.b > 1}]}", "cel-compilation"),
        ("a: {type: object, properties: [b], default: {b: 1}}", "default-unknown-field"),
        ("a: {type: object, properties: [b], required: [b]}", "never-valid"),
        ("a: {type: object, properties: {b: {type: string, nullable: 'no'}}, required: {b: true}}", "never-valid"),
        ("a: {type: object, x-kubernetes-preserve-unknown-fields: 'true'}", "object-prunes-everything"),
    ],
)  # fmt: skip
def test_nothing_follows_from_a_value_that_is_not_decoded(fields: str, absent: str) -> None:
    given: Any = decode_yaml(fields)
    found = rules(small({"type": "object", "properties": given}))
    assert "decode-type" in found
    assert absent not in found


def test_a_selectable_field_may_be_in_properties_that_are_not_decoded() -> None:
    spec = {"type": "object", "properties": ["x"]}
    made = small({"type": "object", "properties": {"spec": spec}})
    made["spec"]["versions"][0]["selectableFields"] = [{"jsonPath": ".spec.x"}]
    assert rules(made) == {"decode-type"}
