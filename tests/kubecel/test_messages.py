"""Message literals of protobuf's own types in rules: what they stand for, and what their fields do not take."""

from __future__ import annotations

from crds import HEAD
from tables import each

import crdlint

CRD = (
    HEAD.replace("Namespaced", "Cluster")
    + """\
        type: object
        properties:
          spec:
            type: object
            properties: {x: {type: string}, y: {type: string}}
            x-kubernetes-validations:
            - rule: |-
                RULE
"""
)
RESOURCE = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: x}\nspec: {x: a}\n"
HOLD = [
    "google.protobuf.FloatValue{value: 1e300} > 1e308",
    "google.protobuf.Value{null_value: 0} == null",
    "google.protobuf.Value{number_value: 3.0} == 3",
    "google.protobuf.Value{string_value: 'a', bool_value: true} == true",
    "google.protobuf.Value{bool_value: true, string_value: 'a'} == 'a'",
    "google.protobuf.Struct{fields: {'a': 9007199254740993}}.a == '9007199254740993'",
    "google.protobuf.Struct{fields: {'b': b'xx'}}.b == 'eHg='",
    "google.protobuf.Struct{fields: {'c': duration('1.5s')}}.c == '1.5s'",
    "google.protobuf.Struct{fields: {'c': duration('1h')}}.c == '3600s'",
    "google.protobuf.Struct{fields: {'d': timestamp(1)}}.d == '1970-01-01T00:00:01Z'",
    "google.protobuf.Struct{} == {}",
    "google.protobuf.Struct.FieldsEntry{key: self.x}.key == 'a'",
    "google.protobuf.Struct.FieldsEntry{key: 'a'}.value == null && google.protobuf.Struct.FieldsEntry{}.key == ''",
    "google.protobuf.Struct.FieldsEntry{value: [1]}.value == [1.0] && google.protobuf.Empty{} == google.protobuf.Empty{}",
    "google.protobuf.Struct.FieldsEntry{key: 'a', value: 1} == google.protobuf.Struct.FieldsEntry{value: 1.0, key: 'a'}",
    "google.protobuf.Struct.FieldsEntry{key: 'a'} != google.protobuf.Struct.FieldsEntry{key: 'a', value: null}",
    "dyn(google.protobuf.Empty{}) != google.protobuf.Struct.FieldsEntry{}",
    "has(google.protobuf.Struct.FieldsEntry{key: 'a'}.key) && !has(google.protobuf.Struct.FieldsEntry{key: ''}.key)",
    "google.protobuf.Struct.FieldsEntry{}.?value.orValue(1) == 1",
    "type(google.protobuf.Struct.FieldsEntry{}) == google.protobuf.Struct.FieldsEntry",
    "google.protobuf.Value{struct_value: {'a': google.protobuf.Struct.FieldsEntry{value: 1}}} == {'a': {'value': 1}}",
    "google.protobuf.ListValue{} == []",
    "google.protobuf.UInt64Value{} == 0u && google.protobuf.UInt32Value{} == 0u",
    "google.protobuf.Int64Value{} == 0 && google.protobuf.Int32Value{} == 0 && !google.protobuf.BoolValue{}",
    "google.protobuf.DoubleValue{} == 0.0 && google.protobuf.FloatValue{} == 0.0",
    "google.protobuf.StringValue{} == '' && google.protobuf.BytesValue{} == b''",
    "type(google.protobuf.Struct{}) == map",
    "type(google.protobuf.Value{number_value: 1.0}) == double",
    "google.protobuf.Timestamp{seconds: 1, nanos: 1500000000} == timestamp('1970-01-01T00:00:02.5Z')",
    "google.protobuf.Timestamp{seconds: 999999999999} > timestamp(1)",
    "google.protobuf.Timestamp{seconds: 999999999999}.getFullYear() > 1",
    "google.protobuf.Duration{seconds: 9223372036854775807} > duration('1s')",
    "google.protobuf.Duration{seconds: 1, nanos: -5} < duration('1s')",
    "google.protobuf.Int64Value{?value: optional.none()} == 0",
    "google.protobuf.Int64Value{?value: optional.of(4)} == 4",
    "google.protobuf.StringValue{value: self.x} == 'a'",
    "google.protobuf.Struct{fields: {'a': self.x}}.a == 'a'",
    "google.protobuf.Struct{fields: {'a': optional.of(1)}}.a == 1",
    "google.protobuf.Struct{fields: {'a': 1.0}}.size() == 1",
    "size(google.protobuf.StringValue{value: 'abc'}) == 3",
    "google.protobuf.Int64Value{value: 1} in [1, 2]",
    "google.protobuf.StringValue{value: 'a'}.startsWith('a')",
    "string(google.protobuf.Timestamp{seconds: 5}) == '1970-01-01T00:00:05Z'",
    "[google.protobuf.Int64Value{value: 3}].sum() == 3",
    "google.protobuf.NullValue.NULL_VALUE == 0",
]
# What is said where it is no plain failure, a field's conversion in short.
DO_NOT = [
    (
        "google.protobuf.Int64Value{value: dyn('a')} == 5",
        "* Int64Value.value = unsupported native conversion from string to 'int64'",
    ),
    (
        "google.protobuf.Int64Value{value: dyn(1u)} == 1",
        "* Int64Value.value = unsupported type conversion from 'uint' to int64",
    ),
    (
        "google.protobuf.Int64Value{value: dyn(1.5)} == 1",
        "* Int64Value.value = type conversion error from Double to 'int64'",
    ),
    (
        "google.protobuf.StringValue{value: dyn(1)} == '1'",
        "* StringValue.value = unsupported type conversion from 'int' to string",
    ),
    (
        "google.protobuf.BoolValue{value: dyn('x')} == true",
        "* BoolValue.value = unsupported native conversion from string to 'bool'",
    ),
    (
        "google.protobuf.DoubleValue{value: dyn(1)} == 1.0",
        "* DoubleValue.value = unsupported type conversion from 'int' to float64",
    ),
    (
        "google.protobuf.BytesValue{value: dyn('a')} == b'a'",
        "* BytesValue.value = unsupported native conversion from string to '[]uint8'",
    ),
    (
        "google.protobuf.UInt32Value{value: 5000000000u} == 1u",
        "* UInt32Value.value = unsigned integer overflow",
    ),
    (
        "google.protobuf.UInt64Value{value: dyn(-1)} == 1u",
        "* UInt64Value.value = unsupported type conversion from 'int' to uint64",
    ),
    ("google.protobuf.FloatValue{value: 0.1} == 0.1", None),
    (
        "google.protobuf.Timestamp{seconds: 1, nanos: 5000000000} == timestamp(1)",
        "* Timestamp.nanos = integer overflow",
    ),
    (
        "google.protobuf.ListValue{values: [quantity('1')]}.size() == 1",
        "* ListValue.values = type conversion error from 'Quantity' to '*structpb.Value'",
    ),
    (
        "google.protobuf.Struct{fields: {'a': type(1)}}.a == 1",
        "* Struct.fields = type conversion not supported for 'type'",
    ),
    ("dyn(google.protobuf.Struct.FieldsEntry{}).x == 1", "no such field 'x'"),
    (
        "google.protobuf.Struct.FieldsEntry{key: dyn(1)}.key == 'a'",
        "* Struct.FieldsEntry.key = unsupported type conversion from 'int' to string",
    ),
    (
        "google.protobuf.Struct{fields: dyn({1: 2})} == {}",
        "* Struct.fields = unsupported type conversion from 'int' to string",
    ),
    (
        "google.protobuf.Struct{fields: dyn({1: 2})} == {'1': 2}",
        "* Struct.fields = unsupported type conversion from 'int' to string",
    ),
    (
        "google.protobuf.Value{null_value: dyn('a')} == null",
        "* Value.null_value = unsupported native conversion from string to 'protoreflect.EnumNumber'",
    ),
    (
        "google.protobuf.Value{number_value: dyn(1)} == 1",
        "* Value.number_value = unsupported type conversion from 'int' to float64",
    ),
    (
        "google.protobuf.Value{list_value: dyn('a')} == 1",
        "* Value.list_value = unsupported native conversion from string to '*structpb.ListValue'",
    ),
    (
        "google.protobuf.Value{struct_value: dyn([1])} == 1",
        "* Value.struct_value = type conversion error from list to '*structpb.Struct'",
    ),
    (
        "google.protobuf.ListValue{values: dyn({})} == []",
        "unsupported field type for google.protobuf.ListValue.values: map(dyn, dyn)",
    ),
    (
        "google.protobuf.Timestamp{seconds: dyn('x')} == timestamp(1)",
        "* Timestamp.seconds = unsupported native conversion from string to 'int64'",
    ),
    (
        "google.protobuf.Timestamp{nanos: dyn(1.0)} == timestamp(1)",
        "* Timestamp.nanos = type conversion error from Double to 'int32'",
    ),
    (
        "google.protobuf.Timestamp{nanos: dyn(1u)} == timestamp(1)",
        "* Timestamp.nanos = unsupported type conversion from 'uint' to int32",
    ),
]


def errors(rule: str) -> list[str]:
    report = crdlint.validate_resource(CRD.replace("RULE", rule), RESOURCE)
    return [one.detail for one in report.errors]


@each("rule", HOLD)
def test_what_holds(rule: str) -> None:
    assert errors(rule) == []


@each(("rule", "said"), DO_NOT)
def test_what_does_not(rule: str, said: str | None) -> None:
    said = said and said.replace("* ", "field type conversion error for google.protobuf.").replace(
        " = ", " value type: "
    )
    assert errors(rule) == [f"{said} evaluating rule: {rule}" if said else f"failed rule: {rule}"]
