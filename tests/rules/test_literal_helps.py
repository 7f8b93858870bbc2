# ruff: noqa: E501  texts as they are
"""Helps that lead to a CRD without the finding if they are followed to the letter."""

from __future__ import annotations

import pytest
from crds import crd_with_schema as schema
from tables import each

from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.yaml.edit import apply

OBJECT = "type: object\nproperties:\n"
NO_SCHEMA = schema("type: object").replace(
    "    schema:\n      openAPIV3Schema:\n        type: object\n", ""
)
FIELDS = (
    "    type: string\n    description: x\n    maxLength: 5\n    minLength: 1\n    pattern: a\n"
)
BLOCK = f"{OBJECT}  a:\n{FIELDS}"
WEBHOOK = "webhook: {conversionReviewVersions: [v1], clientConfig: {service: {%s}}}"
SERVED = schema("type: object").replace(
    "  scope:", f"  conversion: {{strategy: Webhook, {WEBHOOK}}}\n  scope:"
)
MAP_LIST = (
    "  a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [%s], items: {type: object, required: [name], "
    f"properties: {{{', '.join(f'{key}: {{type: string}}' for key in 'abcdefgh')}, %s: {{type: string}}}}}}}}\n"
)
FOLLOWED = {
    "required: true": (
        schema(OBJECT + "  a:\n    type: string\n    required: true"),
        "Remove `required` here, and add the name of the property to `required` of the object that has it",
        schema("type: object\nrequired: [a]\nproperties:\n  a:\n    type: string"),
    ),
    "required inside properties": (
        schema(OBJECT + "  required: [a]\n  a: {type: string}"),
        "Move `required` out of `properties`, to the same indentation as `properties`",
        schema("type: object\nrequired: [a]\nproperties:\n  a: {type: string}"),
    ),
    "negative lookahead": (
        schema(OBJECT + "  a: {type: string, maxLength: 9, pattern: '^(?!kube-).*$'}"),
        "Remove the pattern, and add `x-kubernetes-validations: [{rule: '!self.matches(''^(kube-)'')'}]`: RE2 has no lookahead",
        schema(OBJECT + "  a: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: \"!self.matches('^(kube-)')\"}]}"),
    ),
    "negative lookahead of any text": (
        schema(OBJECT + "  a: {type: string, maxLength: 9, pattern: '^(?!kube-).*'}"),
        "Remove the pattern, and add `x-kubernetes-validations: [{rule: '!self.matches(''^(kube-)'')'}]`: RE2 has no lookahead",
        schema(OBJECT + "  a: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: \"!self.matches('^(kube-)')\"}]}"),
    ),
    "lookbehind": (
        schema(OBJECT + "  a: {type: string, pattern: 'a(?<=b)'}"),
        "Split the condition into several patterns or rules, each without lookaround: RE2 has none",
        schema(OBJECT + "  a: {type: string, allOf: [{pattern: 'a'}, {pattern: 'b'}]}"),
    ),
    "negative lookahead in the middle": (
        schema(OBJECT + "  a: {type: string, pattern: 'a(?!b)'}"),
        "Split the condition into several patterns or rules, each without lookaround: RE2 has none",
        schema(OBJECT + "  a: {type: string, allOf: [{pattern: 'a'}, {pattern: 'b'}]}"),
    ),
    "other lookaround": (
        schema(OBJECT + "  a: {type: string, pattern: '^(?=.*[a-z])(?=.*[0-9]).+$'}"),
        "Split the condition into several patterns or rules, each without lookaround: RE2 has none",
        schema(OBJECT + "  a: {type: string, allOf: [{pattern: '[a-z]'}, {pattern: '[0-9]'}]}"),
    ),
    "negation without quotes": (
        schema("type: object\nx-kubernetes-validations:\n- rule: !has(self.x)"),
        "Set `rule` to a CEL expression that must be true, such as `has(self.name)`, in quotes if it begins with `!`",
        schema(OBJECT + "  x: {type: string}\nx-kubernetes-validations:\n- rule: '!has(self.x)'"),
    ),
    "missing plural and group": (
        schema("type: object").replace("  group: example.com\n", "").replace("plural: foos, ", ""),
        "Set spec.names.plural and spec.group first: the CRD is named `<plural>.<group>`",
        schema("type: object"),
    ),
    "service without a namespace": (
        SERVED % "name: a",
        "Add `namespace` to the service: the API server reports a missing `namespace` as `name`",
        SERVED % "name: a, namespace: b",
    ),
    "service without a name": (
        SERVED % "namespace: b",
        "Add `name` to the service: the API server reports a missing `name` as `namespace`",
        SERVED % "name: a, namespace: b",
    ),
    "missing group": (
        schema("type: object").replace("  group: example.com\n", ""),
        "Set spec.group first: the CRD is named `<plural>.<group>`",
        schema("type: object"),
    ),
    "selectable fields without a schema": (
        NO_SCHEMA + "    selectableFields: [{jsonPath: .spec.a}]\n",
        "Add a schema to every version: selectable fields are fields of the schema",
        schema(OBJECT + "  spec: {type: object, properties: {a: {type: string}}}")
        + "    selectableFields: [{jsonPath: .spec.a}]\n",
    ),
    "fraction for an integer": (
        schema(OBJECT + "  a: {type: integer, format: int32, default: 1.5}"),
        "Write an integer",
        schema(OBJECT + "  a: {type: integer, format: int32, default: 1}"),
    ),
    "misspelt field of a default": (
        schema(OBJECT + "  a: {type: object, properties: {size: {type: integer}}, default: {sizze: 1}}"),
        "Rename `sizze` in the default to `size`, or remove it",
        schema(OBJECT + "  a: {type: object, properties: {size: {type: integer}}, default: {size: 1}}"),
    ),
    "column type": (
        NO_SCHEMA.replace("- name: v1\n", "- name: v1\n    additionalPrinterColumns: [{name: A, type: int, jsonPath: .a}]\n")
        + "    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}\n",
        "Write `integer`",
        NO_SCHEMA.replace("- name: v1\n", "- name: v1\n    additionalPrinterColumns: [{name: A, type: integer, jsonPath: .a}]\n")
        + "    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}\n",
    ),
    "list of types": (
        schema(OBJECT + "  a:\n    type:\n    - integer\n    - \"null\""),
        "Write `type: integer` and `nullable: true`",
        schema(OBJECT + "  a:\n    type: integer\n    nullable: true"),
    ),
    "list of one type": (
        schema(OBJECT + "  a:\n    type: [string]"), "Write `type: string`", schema(OBJECT + "  a:\n    type: string")
    ),
    "list of integer and string": (
        schema(OBJECT + "  a:\n    type: [integer, string]"),
        "Write `x-kubernetes-int-or-string: true` instead of `type`",
        schema(OBJECT + "  a:\n    x-kubernetes-int-or-string: true"),
    ),
    "list of several types": (
        schema(OBJECT + "  a:\n    type: [array, string]"),
        "Write `x-kubernetes-preserve-unknown-fields: true` instead of `type`, or one type: a value has only one",
        schema(OBJECT + "  a:\n    x-kubernetes-preserve-unknown-fields: true"),
    ),
    "list of one format": (
        schema(OBJECT + "  a: {type: string, format: [uuid]}"),
        "Write the value without the list: `uuid`",
        schema(OBJECT + "  a: {type: string, format: uuid}"),
    ),
    "tuple": (
        schema(OBJECT + "  a:\n    type: array\n    items:\n    - type: string\n    - type: integer"),
        "Write one schema for all items, such as `items: {x-kubernetes-preserve-unknown-fields: true}` if they differ",
        schema(OBJECT + "  a:\n    type: array\n    items: {x-kubernetes-preserve-unknown-fields: true}"),
    ),
    "unique objects": (
        schema(OBJECT + "  a: {type: array, uniqueItems: true, items: {type: object, required: [b], properties: {b: {type: string}}}}"),
        "Remove `uniqueItems`; for items that differ in some fields, add `x-kubernetes-list-type: map` and those fields as `x-kubernetes-list-map-keys`",
        schema(OBJECT + "  a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b], items: {type: object, required: [b], properties: {b: {type: string}}}}"),
    ),
    "unique items of a map list": (
        schema(OBJECT + "  a: {type: array, uniqueItems: true, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b], items: {type: object, required: [b], properties: {b: {type: string}}}}"),
        "Remove `uniqueItems`: no two items of a map list have the same keys",
        schema(OBJECT + "  a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [b], items: {type: object, required: [b], properties: {b: {type: string}}}}"),
    ),
    "unknown key of items with many fields": (
        schema(OBJECT + MAP_LIST % ("nmae", "name")),
        "Correct `nmae`, or add it to the properties of the items, which are: a, b, c, d, e, f, g, h, ...",
        schema(OBJECT + MAP_LIST % ("name", "name")),
    ),
    "unique lists": (
        schema(OBJECT + "  a: {type: array, uniqueItems: true, items: {type: array, items: {type: string}}}"),
        "Remove `uniqueItems`: a set needs items of a scalar type",
        schema(OBJECT + "  a: {type: array, items: {type: array, items: {type: string}}}"),
    ),
    "unique items of a string": (
        schema(OBJECT + "  a: {type: string, uniqueItems: true}"),
        "Remove `uniqueItems`: it has no effect on a value that is not a list",
        schema(OBJECT + "  a: {type: string}"),
    ),
    "patterns beside properties": (
        schema(OBJECT + "  a: {type: object, properties: {b: {type: string}}, patternProperties: {'^x-': {type: string}}}"),
        "Replace `patternProperties` with `x-kubernetes-preserve-unknown-fields: true`, which accepts other fields, or move these fields into a map of their own",
        schema(OBJECT + "  a: {type: object, properties: {b: {type: string}}, x-kubernetes-preserve-unknown-fields: true}"),
    ),
    "closed object": (
        schema(OBJECT + "  a: {type: object, properties: {b: {type: string}}, additionalProperties: false}"),
        "Remove `additionalProperties: false`: the API server drops fields that are not in `properties`",
        schema(OBJECT + "  a: {type: object, properties: {b: {type: string}}}"),
    ),
    "closed root": (
        schema("type: object\nadditionalProperties: false\nproperties:\n  a: {type: string}"),
        "Remove `additionalProperties: false`: the API server drops unknown fields",
        schema(OBJECT + "  a: {type: string}"),
    ),
    "reference": (
        schema(OBJECT + "  a: &a {type: string}\n  b:\n    $ref: '#/definitions/a'"),
        "Replace `$ref` with the schema that it refers to (a YAML anchor avoids repetition)",
        schema(OBJECT + "  a: &a {type: string}\n  b: *a"),
    ),
    "block indented too far": (
        schema(BLOCK + FIELDS),
        "Check the indentation of lines 23 to 27: they repeat the keys of lines 18 to 22, and are probably meant for another mapping",
        schema(f"{BLOCK}  b:\n{FIELDS}"),
    ),
}  # fmt: skip


@each(("bad", "help_", "good"), FOLLOWED.values(), ids=FOLLOWED)
def test_the_help_leads_to_an_accepted_crd(bad: str, help_: str, good: str) -> None:
    assert help_ in {one.help for one in lint_file(bad, filename="x").diagnostics}
    assert [
        one.message for one in lint_file(good, filename="x").diagnostics if one.severity != "info"
    ] == []


RULES = {
    "call without arguments": ("self.a.size( > 3 && self.b > 1", "(", ")", "self.a.size("),
    "condition": ("(self.a.size() > 3 && self.b > 1", "(", ")", "(self.a.size() > 3 && self.b > 1"),
    "list": ("self.a in ['a', 'b' || self.b == 1", "[", "]", "self.a in ['a', 'b'"),
    "macro": ("has(self.a && self.b > 1", "(", ")", "has(self.a"),
    "bracket in a string": ("has(self.a && self.a != '('", "(", ")", "has(self.a"),
}


@each(("rule", "opening", "closing", "before"), RULES.values(), ids=RULES)
def test_the_bracket_that_is_missing_in_a_rule_is_placed(
    rule: str, opening: str, closing: str, before: str
) -> None:
    text = (
        OBJECT
        + "  a: {type: string, maxLength: 9}\n  b: {type: integer}\nrequired: [a, b]\nx-kubernetes-validations:\n- rule: |-\n    "
    )
    (found,) = lint_file(schema(text + rule), "x", CheckRequest(fixes=True)).diagnostics
    assert found.help == f"Close the `{opening}`: write `{closing}` after `{before}`"
    followed = schema(text + rule.replace(before, before + closing, 1))
    assert [one.message for one in lint_file(followed, filename="x").diagnostics] == []
    assert found.fix is not None
    assert apply(schema(text + rule), found.fix.edits) == followed


@each(
    ("type_", "start"),
    [
        ("type: [string, 'null']", (1, 11)),
        ("type:\n    - string\n    - 'null'", (2, 5)),
        ("type: [\n      string,\n      'null']", (1, 11)),
    ],
)
def test_the_caret_is_at_the_list_of_types(type_: str, start: tuple[int, int]) -> None:
    (found,) = (
        one
        for one in lint_file(schema(f"{OBJECT}  a:\n    {type_}"), filename="x").diagnostics
        if not one.hidden
    )
    assert (found.line - schema(OBJECT + "  a:\n").count("\n"), found.column - 8) == start


@pytest.mark.parametrize(("keys", "column"), [("[name, nmae]", 52), ("[name, name]", 52)])
def test_the_caret_is_at_the_wrong_key(keys: str, column: int) -> None:
    lines = f"  a:\n    type: array\n    x-kubernetes-list-type: map\n    x-kubernetes-list-map-keys: {keys}\n"
    items = "    items: {type: object, required: [name], properties: {name: {type: string}}}"
    (found,) = lint_file(schema(OBJECT + lines + items), filename="x").diagnostics
    assert (found.line, found.column, found.end_column) == (20, column - 4, column)
