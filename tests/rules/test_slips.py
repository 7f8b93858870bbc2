"""Slips that the API server accepts: which patterns, enums and bounds are reported."""

from __future__ import annotations

import json
from typing import Final

from crds import HEAD, crd_with_schema

import crdlint

# Fields of a schema, and the rules that they are reported for.
FIELDS: Final = {
    "pattern: '^[a-z]+$'": [],
    "pattern: '^$'": [],
    "pattern: '^a$|^b$'": [],
    "pattern: '^(^a$)$'": [],
    "pattern: 'a*^b'": [],
    "pattern: '(?m)a\\n^b'": [],
    "pattern: '\\$a'": [],
    "pattern: '[^$]a'": [],
    "pattern: '^a|b$'": ["pattern-anchors-alternatives"],
    "pattern: '^.{2,}|[^./]$'": [],
    "pattern: '^|.+$'": [],
    "pattern: '^.+|a$'": [],
    "pattern: '^.{2}|[^./]$'": ["pattern-anchors-alternatives"],
    "pattern: a^b": ["pattern-matches-nothing"],
    "pattern: a$b": ["pattern-matches-nothing"],
    "pattern: '[^/]^a'": ["pattern-matches-nothing"],
    "pattern: /^[a-z]+$/": ["pattern-matches-nothing"],
    "pattern: '^(\u201ca\u201d|\u2018b\u2019)$'": ["curly-quotes"],
    "enum: [\u201cTrue\u201d, \u2018b\u2019, \u201cc, d]": ["curly-quotes"] * 2,
    "enum: [a, b]": [],
    "enum: [a - b]": [],
    "enum: [a, b, a, a]": ["enum-value-duplicate"] * 2,
    "enum:\n- a\n  - b": ["enum-values-merged"],
    "enum:\n- a\n  b": [],
    "items: {type: string}": ["keyword-without-effect"],
    "maxLength: 4\nenum: [fast, slower]": ["enum-value-refused"],
    "minLength: 5\nenum: [fast, slower]": ["enum-value-refused"],
    "pattern: ^f\nenum: [fast, slower]": ["enum-value-refused"],
    "pattern: ^s\nmaxLength: 5\nenum: [fast, slower, slow]": ["enum-value-refused"] * 2,
    "maxLength: 6\nenum: [fast, slower]": [],
    "maxLength: 0": [],
    "maxLength: -1": ["never-valid"],
    "minLength: -1": ["keyword-without-effect"],
    "allOf: [{maxLength: -1}]": ["never-valid"],
    "properties: {a: {type: string}}": ["keyword-without-effect"],
    "additionalProperties: {type: string}": ["keyword-without-effect"],
}
INTEGERS: Final = {
    "format: int32, minimum: -2147483648, maximum: 2147483647": [],
    "format: int32, minimum: -2147483649, maximum: 2147483648": ["bound-beyond-format"],
    "minimum: 2, enum: [1, 2]": ["enum-value-refused"],
    "maximum: 2, exclusiveMaximum: true, enum: [1, 2]": ["enum-value-refused"],
    "multipleOf: 2, enum: [2, 3]": ["enum-value-refused"],
    "multipleOf: 2, minimum: 2, enum: [2, 4]": [],
    "format: int64, maximum: 9999999999": [],
    "maximum: 9999999999": [],
    "maximum: 9223372036854774784": [],
    "maximum: 9223372036854775807": ["never-valid"],
    "format: int64, maximum: 18446744073709551615": ["never-valid"],
    "minimum: 0.5, maximum: 9.5": ["never-valid"] * 2,
    "minimum: 1.0, maximum: 9.0, multipleOf: 1.0": [],
    "multipleOf: 0.5": ["never-valid"],
    "multipleOf: 0": ["never-valid"],
    "multipleOf: -2": ["never-valid"],
}
LISTS_AND_OBJECTS: Final = {
    "type: array, items: {type: string}": [],
    "type: array, items: {type: object}, properties: {a: {type: string}}": [
        "keyword-without-effect"
    ],
    "type: object, items: {type: string}, additionalProperties: {type: string}": [
        "keyword-without-effect"
    ],
}
TEXTS: Final = {
    "title: see #42": "warning",
    "title: '!a'": None,
    "title: !a": "warning",
    "title: a # b": "info",
    "title: a  # b": None,
}


def found(field: str) -> list[crdlint.Diagnostic]:
    schema = "type: object\nproperties:\n  a:\n" + "".join(
        f"    {line}\n" for line in field.splitlines()
    )
    return crdlint.lint_text(crd_with_schema(schema))


def test_slips_in_schemas() -> None:
    cases = {f"type: string\n{field}": rules for field, rules in FIELDS.items()}
    cases |= {f"{{type: integer, {fields}}}": rules for fields, rules in INTEGERS.items()}
    cases |= {f"{{{fields}}}": rules for fields, rules in LISTS_AND_OBJECTS.items()}
    assert {field: [one.rule for one in found(field)] for field in cases} == cases


def test_a_cut_text_that_is_no_comment_is_a_warning() -> None:
    cut = {
        text: [one for one in found(f"type: string\n{text}") if one.rule == "yaml-text-cut"]
        for text in TEXTS
    }
    assert {text: ones[0].severity if ones else None for text, ones in cut.items()} == TEXTS


def test_a_pattern_between_slashes_has_a_help_of_its_own() -> None:
    assert [one.help for one in found("type: string\npattern: /^a$/")] == [
        "Write the pattern without the slashes of JavaScript: `^a$`"
    ]


# Rules on a text, and whether each of them is always true or always false.
RULES: Final = {
    "self != 'a' || self != 'b'": "never false",
    "self != 'a' && self != 'b'": None,
    "self == 'a' && self == 'b'": "never true",
    "self == 'a' || self == 'b'": None,
    "self == 'a' || self != 'a'": "never false",
    "self in ['a', 'b'] && self == 'c'": "never true",
    "self.size() > 5 && self.size() < 3": "never true",
    "self.size() > 3 && self.size() < 5": None,
    "self == oldSelf || oldSelf == ''": None,
    "false": None,
}


def test_rules_that_are_constant() -> None:
    rules = "".join(f"- rule: {json.dumps(rule)}\n" for rule in RULES)
    findings = found(f"type: string\nmaxLength: 9\nx-kubernetes-validations:\n{rules}")
    lines = {
        one.line: one.message.split(",")[0] for one in findings if one.rule == "cel-rule-constant"
    }
    first = HEAD.count("\n") + 7
    results = {
        first + i: f"the rule is {result}"
        for i, result in enumerate(RULES.values())
        if result is not None
    }
    assert lines == results
