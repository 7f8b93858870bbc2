"""Values against schemas: the server's sentences, schema and value in, messages out."""

from __future__ import annotations

from typing import Any

from present import present
from schema_support import schema, value
from tables import each

from crdlint.crd.model import JSONSchemaProps, JSONSchemaPropsOrArray
from crdlint.crd.paths import Path
from crdlint.kubernetes.servers import parse_range
from crdlint.schema.correlation import Correlation
from crdlint.schema.deep_equal import deep_equal
from crdlint.schema.validator import ValueValidator

# The schema of `a`, its value, what is said.
CASES = {
    "string": (
        "{type: string}",
        "1",
        ['a: Invalid value: "integer": a in body must be of type string: "integer"'],
    ),
    "a float for an integer": (
        "{type: integer}",
        "1.5",
        [
            'a: Invalid value: "number": a in body must be of type integer: "number"',
            '<nil>: Invalid value: "": Checked value must be of type integer (default format) in a',
        ],
    ),
    "a whole float is an integer": ("{type: integer}", "3.0", []),
    "nearly whole": (
        "{type: integer}",
        "3.0000000001",
        ['<nil>: Invalid value: "": Checked value must be of type integer (default format) in a'],
    ),
    "an integer is a number": ("{type: number}", "3", []),
    "null": (
        "{type: object}",
        "null",
        ['a: Invalid value: "null": a in body must be of type object: "null"'],
    ),
    "nullable": ("{type: string, nullable: true}", "null", []),
    "null is in no enum": (
        "{type: string, nullable: true, enum: [b, null]}",
        "null",
        ['a: Unsupported value: null: supported values: "b", "null"'],
    ),
    "int or string": (
        "{x-kubernetes-int-or-string: true}",
        "1.5",
        ['a: Invalid value: "number": a in body must be of type integer,string: "number"'],
    ),
    "int or string takes both": ("{x-kubernetes-int-or-string: true}", '"50%"', []),
    "format of an integer": (
        "{type: integer, format: int32}",
        "2147483648",
        ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in a'],
    ),
    "another type for a format": (
        "{type: integer, format: int32}",
        "true",
        ['a: Invalid value: "": a in body must be of type int32: ""'],
    ),
    "a list for a format of integers": (
        "{type: integer, format: int32}",
        "[1]",
        ['a: Invalid value: "array": a in body must be of type integer: "array"'],
    ),
    "float32": (
        "{type: number, format: float}",
        "1e39",
        ['<nil>: Invalid value: "": Checked value must be of type number with format float in a'],
    ),
    "a list for a format of strings": ("{type: string, format: date}", "[1]", []),
    "date": (
        "{type: string, format: date}",
        '"2023-02-29"',
        ['a: Invalid value: "2023-02-29": a in body must be of type date: "2023-02-29"'],
    ),
    "unknown format": ("{type: string, format: ip}", '"x"', []),
    "short name": (
        "{type: string, format: k8s-short-name}",
        '"A"',
        ['a: Invalid value: "A": a in body must be of type k8s-short-name: "A"'],
    ),
    "length counts characters, and is told in bytes": (
        "{type: string, maxLength: 1}",
        '"\\u00e9\\u00e9"',
        ["a: Too long: may not be more than 1 byte"],
    ),
    "length in characters": ("{type: string, maxLength: 2}", '"\\u00e9\\u00e9"', []),
    "the first error of a string": (
        '{type: string, minLength: 3, pattern: "^b"}',
        '"a"',
        ['a: Invalid value: "a": a in body should be at least 3 chars long'],
    ),
    "pattern": (
        "{type: string, pattern: '^[a-z]+$'}",
        '"a\\n"',
        ["a: Invalid value: \"a\\n\": a in body should match '^[a-z]+$'"],
    ),
    "minimum": (
        "{type: integer, minimum: 2}",
        "1",
        ["a: Invalid value: 1: a in body should be greater than or equal to 2"],
    ),
    "exclusive maximum": (
        "{type: number, maximum: 1.5, exclusiveMaximum: true}",
        "1.5",
        ["a: Invalid value: 1.5: a in body should be less than 1.5"],
    ),
    "a bound is cut for an integer": (
        "{type: number, maximum: 1.5}",
        "2",
        ["a: Invalid value: 2: a in body should be less than or equal to 1"],
    ),
    "a bound beyond its type": (
        "{type: integer, maximum: 1.5}",
        "2",
        [
            '<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in a',
            "a: Invalid value: 2: a in body should be less than or equal to 1.5",
        ],
    ),
    "a bound at the end of its type": (
        "{type: integer, minimum: -9223372036854775808}",
        "2",
        [
            '<nil>: Invalid value: "": Minimum boundary value must be of type integer (default format) in a'
        ],
    ),
    "a bound beyond the integers of Go": (
        "{type: number, maximum: 1.0e+19}",
        "2",
        ["a: Invalid value: 2: a in body should be less than or equal to -9223372036854775808"],
    ),
    "multiple of": (
        "{type: integer, multipleOf: 3}",
        "4",
        ["a: Invalid value: 4: a in body should be a multiple of 3"],
    ),
    "multiple of a fraction": ("{type: number, multipleOf: 0.1}", "0.3", []),
    "no multiple of a fraction": (
        "{type: number, multipleOf: 0.1}",
        "0.25",
        ["a: Invalid value: 0.25: a in body should be a multiple of 0.1"],
    ),
    "a factor cut to nothing": (
        "{type: number, multipleOf: 0.5}",
        "3",
        ["a: Invalid value: 0: factor MultipleOf declared for a must be positive: 0"],
    ),
    "enum": (
        "{type: string, enum: [b, c]}",
        '"d"',
        ['a: Unsupported value: "d": supported values: "b", "c"'],
    ),
    "enum of objects": (
        "{type: object, x-kubernetes-preserve-unknown-fields: true, enum: [{b: 1}]}",
        '{"b": 2}',
        ['a: Unsupported value: {"b":2}: supported values: "{\\"b\\":1}"'],
    ),
    "a float is cut to an integer of an enum": ("{type: number, enum: [1]}", "1.5", []),
    "an integer is a character of an enum": (
        "{x-kubernetes-int-or-string: true, enum: [A]}",
        "65",
        [],
    ),
    "zero is a character": ('{x-kubernetes-int-or-string: true, enum: ["\\0"]}', "0", []),
    "the first character behind the surrogates": (
        '{x-kubernetes-int-or-string: true, enum: ["\\ue000"]}',
        "57344",
        [],
    ),
    "an integer beyond the characters": (
        '{x-kubernetes-int-or-string: true, enum: ["\\ufffd"]}',
        "1114112",
        [],
    ),
    "items": (
        "{type: array, maxItems: 1, items: {type: string}}",
        '["b", 1]',
        [
            'a[1]: Invalid value: "integer": a[1] in body must be of type string: "integer"',
            "a: Too many: 2: must have at most 1 item",
        ],
    ),
    "too few items": (
        "{type: array, minItems: 2, items: {type: string}}",
        "[]",
        ["a: Invalid value: 0: a in body should have at least 2 items"],
    ),
    "unique items": (
        "{type: array, uniqueItems: true, items: {type: object}}",
        '[{"b": 1}, {"b": 1.0}, {"b": 1}]',
        ['a: Invalid value: "": a in body shouldn\'t contain duplicates'],
    ),
    "an integer and a float are two": (
        "{type: array, uniqueItems: true, items: {type: object}}",
        '[{"b": 1}, {"b": 1.0}]',
        [],
    ),
    "required": ("{type: object, required: [b]}", "{}", ["a.b: Required value"]),
    "properties": (
        "{type: object, minProperties: 2, maxProperties: 2, properties: {b: {type: string}}}",
        '{"b": 1}',
        [
            "a: Invalid value: 1: a in body should have at least 2 properties",
            'a.b: Invalid value: "integer": a.b in body must be of type string: "integer"',
        ],
    ),
    "too many properties": (
        "{type: object, maxProperties: 0, additionalProperties: {type: string}}",
        '{"b": "c"}',
        ["a: Too many: 1: must have at most 0 items"],
    ),
    "no other properties": (
        "{type: object, additionalProperties: false}",
        '{"b": "c"}',
        ['a: Invalid value: "b": a.b in body is a forbidden property'],
    ),
    "additional properties": (
        "{type: object, additionalProperties: {type: object, required: [c]}}",
        '{"b": {}}',
        ["a.b.c: Required value"],
    ),
    "anyOf tells the errors of what matches most": (
        "{type: object, properties: {b: {type: string}, c: {type: string}}, "
        "anyOf: [{required: [d]}, {properties: {b: {enum: [x]}}}]}",
        '{"b": "y", "c": "z"}',
        [
            '<nil>: Invalid value: "": "a" must validate at least one schema (anyOf)',
            'a.b: Unsupported value: "y": supported values: "x"',
        ],
    ),
    "a schema that must not match counts no match": (
        "{type: string, anyOf: [{minLength: 3}, {not: {pattern: a}}]}",
        '"a"',
        [
            '<nil>: Invalid value: "": "a" must validate at least one schema (anyOf)',
            'a: Invalid value: "a": a in body should be at least 3 chars long',
        ],
    ),
    "a list without items matches no more than one with": (
        "{type: array, items: {type: string}, anyOf: [{minItems: 2, items: {minLength: 1}}, {minItems: 1}]}",
        "[]",
        [
            '<nil>: Invalid value: "": "a" must validate at least one schema (anyOf)',
            "a: Invalid value: 0: a in body should have at least 2 items",
        ],
    ),
    "oneOf, none": (
        "{type: string, oneOf: [{minLength: 3}, {pattern: b}]}",
        '"a"',
        [
            '<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found none valid',
            'a: Invalid value: "a": a in body should be at least 3 chars long',
        ],
    ),
    "oneOf, two": (
        "{type: string, oneOf: [{minLength: 1}, {pattern: a}]}",
        '"a"',
        [
            '<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found 2 valid alternatives'
        ],
    ),
    "allOf, some": (
        "{type: string, allOf: [{minLength: 1}, {pattern: b}]}",
        '"a"',
        [
            "a: Invalid value: \"a\": a in body should match 'b'",
            '<nil>: Invalid value: "": "a" must validate all the schemas (allOf)',
        ],
    ),
    "allOf, none": (
        "{type: string, allOf: [{minLength: 2}]}",
        '"a"',
        [
            'a: Invalid value: "a": a in body should be at least 2 chars long',
            '<nil>: Invalid value: "": "a" must validate all the schemas (allOf). None validated',
        ],
    ),
    "not": (
        "{type: string, not: {pattern: a}}",
        '"a"',
        ['<nil>: Invalid value: "": "a" must not validate the schema (not)'],
    ),
}


@each(("of", "given", "said"), CASES.values(), ids=CASES)
def test_a_property(of: str, given: str, said: list[str]) -> None:
    whole = schema(f"type: object\nproperties:\n  a: {of}")
    assert [str(error) for error in ValueValidator(whole).validate({"a": value(given)})] == said


def test_a_pattern_that_is_none_is_told() -> None:
    whole = schema("type: object\nproperties:\n  a: {type: string, pattern: '('}")
    wanted = "(, but pattern is invalid: error parsing regexp: missing closing ): `(`"
    (error,) = ValueValidator(whole).validate({"a": "b"})
    assert error.detail == f"a in body should match '{wanted}'"


def test_the_root() -> None:
    errors = ValueValidator(
        schema("{type: object, required: [spec], additionalProperties: {type: string}}")
    ).validate({"x": 1})
    assert [str(error) for error in errors] == [
        'x: Invalid value: "integer": .x in body must be of type string: "integer"',
        "spec: Required value",
    ]
    (nameless,) = ValueValidator(schema('{type: object, required: [""]}')).validate({})
    assert str(nameless) == "<nil>: Required value"


def test_errors_know_their_place() -> None:
    whole = schema(
        "type: object\nproperties:\n  a.b: {type: object, additionalProperties: {type: array, items: {type: string}}}"
    )
    (error,) = ValueValidator(whole).validate({"a.b": {"c": ["d", 1]}}, Path("status"))
    assert str(error.path) == "status.a.b.c[1]"
    assert present(error.at).steps() == ["status", "a.b", "c", 1]


def test_structural_form_has_no_int_or_string_and_keeps_formats() -> None:
    whole = schema(
        "type: object\nproperties:\n  a: {x-kubernetes-int-or-string: true}\n  b: {type: string, format: k8s-short-name}"
    )
    validator = ValueValidator(whole, structural=True)
    assert validator.validate({"a": True}) == []
    assert len(validator.validate({"b": "A"})) == 1
    assert ValueValidator(whole, server=parse_range("1.34").newest).validate({"b": "A"}) == []


LISTS = """\
type: object
properties:
  m:
    type: array
    x-kubernetes-list-type: map
    x-kubernetes-list-map-keys: [k]
    items: &item {type: object, properties: {k: {type: string}, v: {type: integer, minimum: 5}}}
  l: {type: array, items: *item}
  o:
    type: object
    x-kubernetes-preserve-unknown-fields: true
    properties: {v: {type: integer, minimum: 5}}
    minProperties: 3
  all: {type: object, properties: {v: {type: integer}}, allOf: [{properties: {v: {minimum: 5}}}]}
"""
UPDATES = {
    "unchanged": ('{"o": {"v": 1}}', '{"o": {"v": 1}}', []),
    "unchanged below": ('{"o": {"v": 1, "x": 1}}', '{"o": {"v": 1}}', ["o"]),
    "changed": ('{"o": {"v": 1}}', '{"o": {"v": 2}}', ["o", "o.v"]),
    "an unknown field keeps from comparing": (
        '{"o": {"v": 1, "x": 1}}',
        '{"o": {"v": 1, "x": 1}}',
        ["o"],
    ),
    "a map's item": ('{"m": [{"k": "b"}, {"k": "a", "v": 1}]}', '{"m": [{"k": "a", "v": 1}]}', []),
    "a map's new item": ('{"m": [{"k": "b", "v": 1}]}', '{"m": [{"k": "a", "v": 1}]}', ["m[0].v"]),
    "a list as a unit": ('{"l": [{"v": 1}], "m": []}', '{"l": [{"v": 1}]}', []),
    "a list's item": ('{"l": [{"v": 1}, {"v": 6}]}', '{"l": [{"v": 1}]}', ["l[0].v"]),
    "no correlation within allOf": ('{"all": {"v": 1}, "l": []}', '{"all": {"v": 1}}', []),
    "an alternative's errors go with what they are about": (
        '{"all": {"v": 1, "w": 1}}',
        '{"all": {"v": 1}}',
        ["all.v", "<nil>"],
    ),
}


@each(("new", "old", "said"), UPDATES.values(), ids=UPDATES)
def test_updates_let_pass_what_did_not_change(new: str, old: str, said: list[str]) -> None:
    of_lists = schema(LISTS)
    errors = ValueValidator(of_lists).validate(
        value(new), old=Correlation(value(new), value(old), of_lists)
    )
    assert sorted(str(error.path) for error in errors) == sorted(said)


@each(
    ("left", "right", "equal"),
    [
        ([1], [1], True),
        ([1], [2], False),
        ([1], [1.0], False),
        ([1], [1, 1], False),
        ([[{"a": 1}]], [[{"a": 1}]], True),
        ({"a": [1]}, {"a": [2]}, False),
        ({"a": 1}, {"b": 1}, False),
    ],
)
def test_equal_values_are_equal_throughout(left: object, right: object, equal: bool) -> None:
    assert deep_equal(left, right) is equal


def test_depth_is_no_trouble() -> None:
    leaf = JSONSchemaProps()
    leaf.type = "string"
    at = leaf
    given: Any = 1
    for i in range(6000):
        above = JSONSchemaProps()
        if i % 3 == 0:
            above.type, above.properties, given = "object", {"a": at}, {"a": given}
        elif i % 3 == 1:
            above.items, given = JSONSchemaPropsOrArray(), [given]
            above.items.schema = at
        else:
            above.all_of = [at]
        at = above
    validator = ValueValidator(at)
    errors = validator.validate(given)
    assert errors[0].detail.endswith('must be of type string: "integer"')
    assert validator.validate(given, old=Correlation(given, given, at)) == []
