"""Values in Go syntax, as servers before 1.34 print them."""

from __future__ import annotations

from tables import each

from crdlint.crd import model
from crdlint.golang.printing import GoMap, Typed, bad_value_in_go_syntax, go_syntax
from crdlint.kubernetes.servers import parse_range


def rule(**given: object) -> model.ValidationRule:
    made = model.ValidationRule()
    vars(made).update(given)
    return made


@each(
    ("value", "text"),
    [
        (None, '"null"'),
        ('a"<b', r'"a\"<b"'),
        (True, "true"),
        (17, "17"),
        (1e6, "1e+06"),
        (Typed(None, "*string"), '"null"'),
        (Typed("x", "*string"), '"x"'),
        (Typed("Cluster", "apiextensions.ResourceScope"), '"Cluster"'),
        (Typed(None, "[]string"), "[]string(nil)"),
        (Typed((), "[]string"), "[]string(nil)"),
        (Typed([], "[]string"), "[]string{}"),
        (Typed(["a", "b"], "[]string"), '[]string{"a", "b"}'),
        (b"\x00C", "[]byte{0x0, 0x43}"),
        ({}, "map[string]interface {}{}"),
        ({"b": [1, None], "a": {"x": 1.5}}, (
            'map[string]interface {}{"a":map[string]interface {}{"x":1.5}, '
            '"b":[]interface {}{1, interface {}(nil)}}'
        )),
    ],
)  # fmt: skip
def test_bad_values(value: object, text: str) -> None:
    assert bad_value_in_go_syntax(value) == text


@each(
    ("version", "fields"),
    [
        ("1.28", ""),
        ("1.29", ", OptionalOldSelf:(*bool)(nil)"),
        ("1.33", ", OptionalOldSelf:(*bool)(nil)"),
    ],
)
def test_fields_that_a_server_knows(version: str, fields: str) -> None:
    unknown = parse_range(version).newest.unknown_fields
    assert bad_value_in_go_syntax(rule(rule="a"), unknown) == (
        'apiextensions.ValidationRule{Rule:"a", Message:"", MessageExpression:"", '
        f'Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:""{fields}}}'
    )


def test_pointers_inside_of_a_struct_print_as_addresses() -> None:
    assert "Reason:(*apiextensions.FieldValueErrorReason)(0xc000000000)" in go_syntax(
        rule(reason="FieldValueInvalid")
    )


def test_elements_of_named_types() -> None:
    schema = model.JSONSchemaProps()
    schema.enum = [None, "a", {"b": 1}]
    schema.x_validations = [rule(rule="a")]
    text = go_syntax(schema)
    assert (
        'Enum:[]apiextensions.JSON{apiextensions.JSON(nil), "a", map[string]interface {}{"b":1}}'
        in text
    )
    assert (
        'XValidations:apiextensions.ValidationRules{apiextensions.ValidationRule{Rule:"a"' in text
    )
    assert "Definitions:apiextensions.JSONSchemaDefinitions(nil)" in text
    assert "Properties:map[string]apiextensions.JSONSchemaProps(nil)" in text


def test_maps_of_yaml_have_keys_of_any_type() -> None:
    assert go_syntax(GoMap([(1, "a"), (True, None)])) == (
        'map[interface {}]interface {}{true:interface {}(nil), 1:"a"}'
    )


def test_depth_is_bounded_by_memory_only() -> None:
    value: object = 1
    for _ in range(20_000):
        value = [value]
    assert go_syntax(value).count("{1}") == 1
