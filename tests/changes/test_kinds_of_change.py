"""Each kind of change with its severity: the table that decides what breaks."""

from __future__ import annotations

from typing import Any

from changes_support import summary, with_field, with_parts, with_spec
from tables import each

V1 = "name: v1, served: true, storage: true"
SCHEMA = "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}}"
WIDER = (
    "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: "
    "{a: {type: string}, b: {type: string}}}}}}"
)
ITEMS = (
    "items: {type: object, required: [k, l], properties: {k: {type: string}, l: {type: string}}}"
)
MAP_LIST = "type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys"

# What a field requires of its values: the old schema, the new one, and what is reported.
FIELDS: list[tuple[str, str, str]] = [
    # types
    ("{type: string}", "{type: integer}", "error type"),
    ("{type: integer}", "{type: string}", "error type"),
    ("{type: string}", "{type: array, items: {type: string}}", "error type"),
    ("{type: array, items: {type: string}}", "{type: array, items: {type: integer}}", "error type"),
    ("{type: object}", "{type: string}", "error type"),
    ("{type: boolean}", "{type: string}", "error type"),
    ("{type: number}", "{type: integer}", "error type"),
    ("{x-kubernetes-int-or-string: true}", "{type: integer}", "error type"),
    ("{x-kubernetes-preserve-unknown-fields: true}", "{type: string}", "error type"),
    ("{type: integer}", "{type: number}", "info type-widened"),
    ("{type: string}", "{x-kubernetes-int-or-string: true}", "info type-widened"),
    ("{type: integer}", "{x-kubernetes-int-or-string: true}", "info type-widened"),
    ("{type: string}", "{x-kubernetes-preserve-unknown-fields: true}", "info type-widened"),
    (
        "{x-kubernetes-int-or-string: true}",
        "{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}",
        "",
    ),
    # limits
    ("{type: string}", "{type: string, maxLength: 9}", "error limit-tightened"),
    ("{type: string, maxLength: 9}", "{type: string, maxLength: 8}", "error limit-tightened"),
    ("{type: string, maxLength: 8}", "{type: string, maxLength: 9}", "info limit-loosened"),
    ("{type: string, maxLength: 8}", "{type: string}", "info limit-loosened"),
    ("{type: string}", "{type: string, minLength: 1}", "error limit-tightened"),
    ("{type: string}", "{type: string, minLength: 0}", ""),
    ("{type: integer}", "{type: integer, minimum: 0}", "error limit-tightened"),
    ("{type: integer, minimum: 0}", "{type: integer, minimum: 1}", "error limit-tightened"),
    ("{type: integer, minimum: 1}", "{type: integer, minimum: 0}", "info limit-loosened"),
    ("{type: integer}", "{type: integer, maximum: 5}", "error limit-tightened"),
    ("{type: number, maximum: 5}", "{type: number, maximum: 5, exclusiveMaximum: true}", "error limit-tightened"),
    ("{type: integer, maximum: 5}", "{type: integer, maximum: 6, exclusiveMaximum: true}", ""),
    ("{type: integer, minimum: 1}", "{type: integer, minimum: 0, exclusiveMinimum: true}", ""),
    ("{type: integer, format: int32}", "{type: integer, format: int32, maximum: 2147483647}", ""),
    ("{type: integer}", "{type: integer, multipleOf: 2}", "error limit-tightened"),
    ("{type: integer, multipleOf: 4}", "{type: integer, multipleOf: 2}", "info limit-loosened"),
    ("{type: integer, multipleOf: 2}", "{type: integer, multipleOf: 4}", "error limit-tightened"),
    ("{type: array, items: {type: string}}", "{type: array, maxItems: 9, items: {type: string}}", "error limit-tightened"),
    ("{type: array, items: {type: string}}", "{type: array, minItems: 1, items: {type: string}}", "error limit-tightened"),
    (
        "{type: object, additionalProperties: {type: string}}",
        "{type: object, maxProperties: 9, additionalProperties: {type: string}}",
        "error limit-tightened",
    ),
    (
        "{type: object, properties: {b: {type: string}}}",
        "{type: object, maxProperties: 1, properties: {b: {type: string}}}",
        "",
    ),
    ("{type: object, required: [b], properties: {b: {type: string}}}",
     "{type: object, required: [b], minProperties: 1, properties: {b: {type: string}}}", ""),
    ("{type: object, properties: {b: {type: string}}}",
     "{type: object, minProperties: 1, properties: {b: {type: string}}}", "error limit-tightened"),
    ("{type: string, maxLength: 9}", "{type: string, allOf: [{maxLength: 9}]}", ""),
    ("{type: string, maxLength: 9}", "{type: string, maxLength: 12, allOf: [{maxLength: 9}, {maxLength: 10}]}", ""),
    ("{type: string, allOf: [{maxLength: 9}]}", "{type: string, allOf: [{maxLength: 8}]}", "error limit-tightened"),
    ("{type: integer, minimum: 1}", "{type: integer, minimum: 1, allOf: [{minimum: 1}, {minimum: 1}]}", ""),
    ("{type: string, maximum: 5}", "{type: string, maximum: 4}", ""),
    # enumerations
    ("{type: string}", "{type: string, enum: [A, B]}", "error enum-added"),
    ("{type: string, enum: [A, B]}", "{type: string, enum: [A]}", "error enum-value-removed"),
    ("{type: string, enum: [A, B]}", "{type: string, enum: [B, A]}", ""),
    ("{type: string, enum: [A]}", "{type: string, enum: [A, B]}", "info enum-value-added"),
    ("{type: string, enum: [A, B]}", "{type: string, enum: [A, C]}", "error enum-value-removed, info enum-value-added"),
    ("{type: string, enum: [A]}", "{type: string}", "info enum-removed"),
    ("{type: string, enum: [A, B]}", '{type: string, pattern: "^[A-Z]$"}', "info enum-removed"),
    ("{type: string, enum: [A, BB]}", "{type: string, enum: [A, BB], maxLength: 1}", "error enum-value-removed"),
    ("{type: string, enum: [A, B]}", "{type: string, enum: [A, B], maxLength: 1}", ""),
    ("{type: string, enum: [A, B]}", "{type: string, allOf: [{enum: [A, B]}, {enum: [B, A]}]}", ""),
    ("{type: integer, enum: [1, 2]}", "{type: integer, minimum: 1, enum: [1, 2]}", ""),
    # patterns and formats
    ("{type: string}", '{type: string, pattern: "^a$"}', "error pattern-added"),
    ("{type: string}", '{type: string, pattern: ".*"}', ""),
    ('{type: string, pattern: "^a$"}', "{type: string}", "info pattern-removed"),
    ('{type: string, pattern: "^a$"}', '{type: string, pattern: "^b$"}', "warning pattern"),
    ("{type: string}", "{type: string, format: date-time}", "warning format"),
    ("{type: string, format: ipv4}", "{type: string, format: ipv6}", "warning format"),
    ("{type: string, format: date-time}", "{type: string}", "info format-loosened"),
    ("{type: string}", "{type: string, format: whatever}", ""),
    ("{type: integer, format: int32}", "{type: integer, format: int64}", "info format-loosened"),
    ("{type: integer, format: int64}", "{type: integer, format: int32}", "warning format"),
    ("{type: integer}", "{type: integer, format: int64}", ""),
    # null, defaults
    ("{type: string, nullable: true}", "{type: string}", "warning nullable-removed"),
    (
        "{type: array, items: {type: string, nullable: true}}",
        "{type: array, items: {type: string}}",
        "error nullable-removed",
    ),
    # the API server drops or replaces null everywhere else: PruneNonNullableNullsWithoutDefaults and Default
    (
        "{type: array, items: {type: string, default: a, nullable: true}}",
        "{type: array, items: {type: string, default: a}}",
        "warning nullable-removed",
    ),
    (
        "{type: object, additionalProperties: {type: string, nullable: true}}",
        "{type: object, additionalProperties: {type: string}}",
        "warning nullable-removed",
    ),
    (
        "{type: array, items: {type: object, properties: {a: {type: string, nullable: true}}}}",
        "{type: array, items: {type: object, properties: {a: {type: string}}}}",
        "warning nullable-removed",
    ),
    ("{type: string}", "{type: string, nullable: true}", "info nullable-added"),
    ("{type: string, default: a}", "{type: string, default: b}", "warning default"),
    ("{type: string, default: a}", "{type: string}", "warning default-removed"),
    ("{type: string}", "{type: string, default: a}", "info default-added"),
    ("{type: object, default: {}}", "{type: object, default: { }}", ""),
    ("{type: object}", "{type: object, default: {}}", ""),
    ("{type: object, default: {}}", "{type: object}", ""),
    ("{type: object, properties: {b: {type: string, default: c}}}",
     "{type: object, default: {}, properties: {b: {type: string, default: c}}}", "info default-added"),
    ("{type: object, default: {}, properties: {b: {type: string, default: c}}}",
     "{type: object, properties: {b: {type: string, default: c}}}", "warning default-removed"),
    # lists and maps
    (
        "{type: array, items: {type: string}}",
        "{type: array, x-kubernetes-list-type: set, items: {type: string}}",
        "warning list-type",
    ),
    (
        "{type: array, x-kubernetes-list-type: set, items: {type: string}}",
        "{type: array, items: {type: string}}",
        "warning list-type",
    ),
    (
        "{type: array, items: {type: string}}",
        "{type: array, x-kubernetes-list-type: atomic, items: {type: string}}",
        "",
    ),
    (f"{{{MAP_LIST}: [k], {ITEMS}}}", f"{{{MAP_LIST}: [k, l], {ITEMS}}}", "error list-map-keys"),
    (f"{{{MAP_LIST}: [l, k], {ITEMS}}}", f"{{{MAP_LIST}: [k, l], {ITEMS}}}", ""),
    (
        "{type: object, additionalProperties: {type: string}}",
        "{type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}",
        "warning map-type",
    ),
    (
        "{type: object, additionalProperties: {type: string}}",
        "{type: object, x-kubernetes-map-type: granular, additionalProperties: {type: string}}",
        "",
    ),
    ("{type: object, x-kubernetes-preserve-unknown-fields: true}", "{type: object}", "error pruning"),
    ("{type: object}", "{type: object, x-kubernetes-preserve-unknown-fields: true}", "info pruning-removed"),
    (
        "{type: object, additionalProperties: {type: string}}",
        "{type: object, properties: {b: {type: string}}}",
        "error pruning",
    ),
    (
        "{type: object, properties: {b: {type: string}}}",
        "{type: object, additionalProperties: {type: string}}",
        "info pruning-removed",
    ),
    (
        "{type: object, properties: {b: {type: string}}}",
        "{type: object, additionalProperties: {type: integer}}",
        "error type, info pruning-removed",
    ),
    (
        "{type: object, additionalProperties: {type: string}}",
        "{type: object, additionalProperties: {type: string, maxLength: 5}}",
        "error limit-tightened",
    ),
    (
        "{type: object, x-kubernetes-preserve-unknown-fields: true}",
        "{type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}",
        "error embedded-resource",
    ),
    # annotations
    ("{type: string, description: a}", "{type: string, description: b, title: c}", ""),
    ("{type: string}", "{type: string, example: c}", ""),
    # rules
    ("{type: integer}", '{type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}', "warning rule-added"),
    ('{type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}', "{type: integer}", "info rule-removed"),
    (
        '{type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}',
        '{type: integer, x-kubernetes-validations: [{rule: "(self)>0", message: positive, reason: FieldValueInvalid}]}',
        "info rule-message",
    ),
    (
        "{type: string, maxLength: 9}",
        '{type: string, maxLength: 9, x-kubernetes-validations: [{rule: "self == \\"a\\" || size(self) <= 10"}]}',
        "info rule-added",
    ),
    ("{type: string}", '{type: string, x-kubernetes-validations: [{rule: "self == oldSelf"}]}', "warning rule-added"),
]  # fmt: skip

# The schema of an object, `.spec`.
OBJECTS: list[tuple[str, str, str]] = [
    ("properties: {a: {type: string}}", "properties: {a: {type: string}, b: {type: string}}", "info field-added"),
    ("properties: {a: {type: string}, b: {type: integer}}", "properties: {a: {type: string}}", "error field-removed"),
    (
        "properties: {a: {type: string}}",
        "properties: {a: {type: string}}, required: [a]",
        "error required-added",
    ),
    ("properties: {a: {type: string}}, required: [a]", "properties: {a: {type: string}}", "info required-removed"),
    (
        "properties: {a: {type: string}}",
        "properties: {a: {type: string, default: x}}, required: [a]",
        "info default-added, info required-with-default",
    ),
    (
        "properties: {a: {type: string, default: x}}, required: [a]",
        "properties: {a: {type: string}}, required: [a]",
        "error default-removed",
    ),
    (
        "properties: {a: {type: string}}",
        "properties: {a: {type: string}, b: {type: string}}, required: [b]",
        "error required-added, info field-added",
    ),
    (
        "properties: {a: {type: string}}",
        "properties: {a: {type: string}, b: {type: object, required: [c], properties: {c: {type: string}}}}",
        "info field-added",
    ),
    (
        "properties: {a: {type: string}}",
        "properties: {a: {type: string}}, allOf: [{required: [a]}]",
        "error required-added",
    ),
    (
        "properties: {a: {type: string}}, required: [a]",
        "properties: {a: {type: string}}, allOf: [{required: [a]}]",
        "",
    ),
    (
        "properties: {a: {type: string, maxLength: 5}}",
        "properties: {a: {type: string}}, allOf: [{properties: {a: {maxLength: 5}}}]",
        "",
    ),
    (
        "properties: {a: {type: string}}",
        "properties: {a: {type: string}}, allOf: [{properties: {a: {maxLength: 5}}}]",
        "error limit-tightened",
    ),
    (
        "x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}",
        "x-kubernetes-preserve-unknown-fields: true",
        "info field-untyped",
    ),
    (
        "x-kubernetes-preserve-unknown-fields: true",
        "x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: string}}",
        "warning field-typed",
    ),
    (
        "properties: {a: {type: string}, b: {type: string}}",
        "properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]",
        "error junctor",
    ),
    (
        "properties: {a: {type: string}, b: {type: string}}",
        "properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]",
        "error junctor",
    ),
    ("properties: {a: {type: string}}", "properties: {a: {type: string}}, not: {required: [a]}", "error junctor"),
    (
        "properties: {a: {type: string}}, not: {required: [a]}",
        "properties: {a: {type: string}}",
        "info junctor-removed",
    ),
    (
        "properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]",
        "properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [b]}, {required: [a]}]",
        "",
    ),
    (
        "properties: {a: {type: string}, b: {type: string}, c: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]",
        "properties: {a: {type: string}, b: {type: string}, c: {type: string}}, "
        "anyOf: [{required: [b]}, {required: [a]}, {required: [c]}]",
        "info junctor-removed",
    ),
    (
        "properties: {a: {type: string}, b: {type: string}, c: {type: string}}, "
        "anyOf: [{required: [b]}, {required: [a]}, {required: [c]}]",
        "properties: {a: {type: string}, b: {type: string}, c: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]",
        "error junctor",
    ),
    (
        "properties: {a: {type: string}, b: {type: string}, c: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]",
        "properties: {a: {type: string}, b: {type: string}, c: {type: string}}, "
        "oneOf: [{required: [b]}, {required: [a]}, {required: [c]}]",
        "error junctor",
    ),
    (
        "properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]",
        "properties: {a: {type: string}, b: {type: string}, c: {type: string}}, "
        "oneOf: [{required: [b]}, {required: [a]}, {required: [c]}]",
        "info field-added, info junctor-removed",
    ),
    (
        "properties: {a: {type: integer}}",
        'properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: "!has(self.a) || self.a > 1"}]',
        "error rule-added",
    ),
    (
        "properties: {a: {type: integer}}",
        'properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: "self.a > 1"}]',
        "error rule-added",
    ),
    (
        "properties: {a: {type: integer}}",
        'properties: {a: {type: integer}, b: {type: integer}}, '
        'x-kubernetes-validations: [{rule: "!has(self.b) || self.b > 1"}]',
        "info field-added, info rule-added",
    ),
    (
        'properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: "!has(self.a) || self.a > 1"}]',
        "properties: {a: {type: integer}}, "
        'x-kubernetes-validations: [{rule: "self.?a.orValue(2) == 0 || !has(self.a) || self.a > 1"}]',
        "info rule-removed, info rule-removed",
    ),
    (
        "required: [a], properties: {a: {type: integer, minimum: 2}}",
        'required: [a], properties: {a: {type: integer, minimum: 2}}, x-kubernetes-validations: [{rule: "self.a > 1"}]',
        "info rule-added",
    ),
]  # fmt: skip

# Parts of the spec and of its version.
PARTS: list[tuple[dict[str, str], dict[str, str], str]] = [
    ({"subresources": "{status: {}}"}, {}, "error status-subresource-removed"),
    ({}, {"subresources": "{status: {}}"}, "warning status-subresource-added"),
    (
        {"subresources": "{scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a}}"},
        {},
        "error scale-removed",
    ),
    (
        {"subresources": "{scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a}}"},
        {"subresources": "{scale: {specReplicasPath: .spec.b, statusReplicasPath: .status.a}}"},
        "warning scale-path",
    ),
    (
        {},
        {"subresources": "{scale: {specReplicasPath: .spec.a, statusReplicasPath: .status.a}}"},
        "",
    ),
    ({"selectableFields": "[{jsonPath: .spec.a}]"}, {}, "error selectable-field-removed"),
    ({}, {"selectableFields": "[{jsonPath: .spec.a}]"}, ""),
    (
        {"additionalPrinterColumns": "[{name: A, type: string, jsonPath: .spec.a}]"},
        {},
        "info printer-column-removed",
    ),
    ({}, {"additionalPrinterColumns": "[{name: A, type: string, jsonPath: .spec.a}]"}, ""),
    ({"names": "{plural: foos, kind: Foo, shortNames: [fo]}"}, {}, "warning short-name-removed"),
    ({}, {"names": "{plural: foos, kind: Foo, shortNames: [fo]}"}, "info name-added"),
    ({"names": "{plural: foos, kind: Foo, categories: [all]}"}, {}, "info category-removed"),
    ({}, {"names": "{plural: foos, kind: Foo, listKind: Foos}"}, "warning names"),
    ({}, {"names": "{plural: foos, kind: Foo, singular: fool}"}, "warning names"),
    (
        {
            "conversion": "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
            "clientConfig: {url: 'https://a.b/c'}}}"
        },
        {},
        "info conversion",
    ),
    (
        {},
        {
            "conversion": "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], "
            "clientConfig: {url: 'https://a.b/c'}}}"
        },
        "info conversion",
    ),
    (
        {
            "versions": f"[{{{V1}, {SCHEMA}}}, {{name: v1beta1, served: true, storage: false, {SCHEMA}}}]"
        },
        {"versions": f"[{{{V1}, {SCHEMA}}}]"},
        "error version-removed",
    ),
    (
        {
            "versions": f"[{{{V1}, {SCHEMA}}}, {{name: v1beta1, served: false, storage: false, {SCHEMA}}}]"
        },
        {"versions": f"[{{{V1}, {SCHEMA}}}]"},
        "warning version-removed",
    ),
    (
        {
            "versions": f"[{{{V1}, {SCHEMA}}}, {{name: v1alpha1, served: true, storage: false, {SCHEMA}}}]"
        },
        {"versions": f"[{{{V1}, {SCHEMA}}}]"},
        "warning version-removed",
    ),
    (
        {
            "versions": f"[{{{V1}, {SCHEMA}}}, {{name: v1beta1, served: true, storage: false, {SCHEMA}}}]"
        },
        {
            "versions": f"[{{{V1}, {SCHEMA}}}, {{name: v1beta1, served: false, storage: false, {SCHEMA}}}]"
        },
        "error version-unserved",
    ),
    (
        {
            "versions": f"[{{{V1}, {SCHEMA}}}, {{name: v1beta1, served: true, storage: false, {WIDER}}}]"
        },
        {
            "versions": f"[{{{V1}, {SCHEMA}}}, {{name: v1beta2, served: true, storage: false, {WIDER}}}]"
        },
        "error version-renamed",
    ),
    (
        {
            "versions": f"[{{{V1}, {SCHEMA}}}, {{name: v1beta1, served: true, storage: false, {SCHEMA}}}]"
        },
        {
            "versions": f"[{{name: v1, served: true, storage: false, {SCHEMA}}}, "
            f"{{name: v1beta1, served: true, storage: true, {SCHEMA}}}]"
        },
        "warning storage-version",
    ),
    (
        {"versions": f"[{{{V1}, {SCHEMA}}}]"},
        {
            "versions": f"[{{name: v1, served: true, storage: false, {SCHEMA}}}, "
            f"{{name: v2, served: true, storage: true, {SCHEMA}}}]"
        },
        "info version-added, warning storage-version",
    ),
    (
        {"versions": f"[{{{V1}, {SCHEMA}}}]"},
        {"versions": f"[{{{V1}, {SCHEMA}}}, {{name: v2, served: true, storage: false, {SCHEMA}}}]"},
        "info version-added",
    ),
    (
        {"versions": f"[{{{V1}, {WIDER}}}]"},
        {"versions": f"[{{{V1}, {WIDER}}}, {{name: v2, served: true, storage: false, {SCHEMA}}}]"},
        "info version-added, warning served-pair",
    ),
    (
        {"versions": f"[{{{V1}, {WIDER}}}]"},
        {
            "versions": f"[{{{V1}, {WIDER}}}, {{name: v2, served: true, storage: false, {SCHEMA}}}]",
            "conversion": "{strategy: None}",
        },
        "info version-added, warning served-pair",
    ),
    (
        {"versions": f"[{{{V1}, {SCHEMA}}}]"},
        {"versions": f"[{{{V1}, {SCHEMA}}}, {{name: v2, served: true, storage: false, {WIDER}}}]"},
        "info version-added, warning served-pair",
    ),
    (
        {"versions": f"[{{{V1}, {SCHEMA}}}]"},
        {"versions": f"[{{{V1}, deprecated: true, {SCHEMA}}}]"},
        "info version-deprecated",
    ),
]


@each(("old", "new", "expected"), FIELDS)
def test_a_change_of_a_field(old: str, new: str, expected: str) -> None:
    assert ", ".join(summary(with_field(old), with_field(new))) == expected


@each(("old", "new", "expected"), OBJECTS)
def test_a_change_of_an_object(old: str, new: str, expected: str) -> None:
    assert ", ".join(summary(with_spec(old), with_spec(new))) == expected


@each(("old", "new", "expected"), PARTS)
def test_a_change_beside_the_schema(
    old: dict[str, str], new: dict[str, str], expected: str
) -> None:
    assert ", ".join(summary(with_parts(**old), with_parts(**new))) == expected


@each("table", [FIELDS, OBJECTS, PARTS])
def test_nothing_changes_without_a_change(table: list[tuple[Any, ...]]) -> None:
    for old, new, _ in table:
        for one in (old, new):
            crd = (
                with_parts(**one)
                if isinstance(one, dict)
                else with_spec(one)
                if one[0] != "{"
                else with_field(one)
            )
            assert summary(crd, crd) == []
