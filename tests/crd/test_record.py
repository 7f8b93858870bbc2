"""The declarations of Go structs, and the tables that follow from them."""

from __future__ import annotations

from tables import each

from crdlint.crd import model
from crdlint.crd.gotypes import CRD, OBJECT_META, SCHEMA, SCHEMA_BITS
from crdlint.crd.record import RECORDS, Record, go
from crdlint.golang.printing import marshal


@each(
    ("of", "zero"),
    [
        ("string", ""), ("*string", None), ("bool", False), ("int64", 0), ("[]string", ()), ("[]uint8", b""),
        ("map[string]string", {}), ("Kind", ""), ("*ServiceReference", None), ("Kinds=[]Kind", ()),
    ],
)  # fmt: skip
def test_a_field_has_the_zero_value_of_its_go_type(of: str, zero: object) -> None:
    made = type("Struct", (Record,), {"field": go("Field", of)})
    del RECORDS["Struct"]
    assert made.field == zero  # type: ignore[attr-defined]
    assert type(made.field) is type(zero)  # type: ignore[attr-defined]


@each("record", RECORDS.values(), ids=lambda record: record.__name__)
def test_a_struct_by_value_is_declared_after_its_type(record: type[Record]) -> None:
    for field in record.FIELDS:
        of = RECORDS.get(field.go_type.rpartition(".")[2])
        if (
            of is not None
            and not field.go_type.startswith(("*", "[", "map["))
            and "=" not in field.go_type
        ):
            assert isinstance(getattr(record, field.attribute), of)


@each(
    ("name", "json"),
    [
        ("id", "id"),
        ("ref", "$ref"),
        ("max_length", "maxLength"),
        ("not_", "not"),
        ("x_map_type", "x-kubernetes-map-type"),
    ],
)
def test_a_schema_field_is_found_by_its_json_name(name: str, json: str) -> None:
    assert SCHEMA.fields[json].attribute == name
    assert SCHEMA_BITS[json] & (SCHEMA_BITS[json] - 1) == 0


def test_fields_of_one_side_alone_are_in_its_table_alone() -> None:
    spec = CRD.fields["spec"].type
    assert "webhook" in spec.fields["conversion"].type.fields
    assert "Webhook" not in [name for name, _, _ in model.CustomResourceConversion.GO_FIELDS]
    assert "validation" not in spec.fields
    assert "Validation" in [name for name, _, _ in model.CustomResourceDefinitionSpec.GO_FIELDS]


def test_types_are_named_as_reflect_names_them() -> None:
    spec = CRD.fields["spec"].type
    assert [spec.fields[name].type.name for name in ("scope", "versions")] == [
        "v1.ResourceScope",
        "[]v1.CustomResourceDefinitionVersion",
    ]
    assert SCHEMA.fields["definitions"].type.name == "v1.JSONSchemaDefinitions"
    assert OBJECT_META.fields["uid"].type.name == "types.UID"
    assert SCHEMA.fields["properties"].type.element is SCHEMA


def test_json_tags_name_the_fields_and_omit_nil_pointers() -> None:
    owner = model.OwnerReference()
    owner.kind, owner.controller = "Widget", True
    assert (
        marshal(owner) == '{"apiVersion":"","kind":"Widget","name":"","uid":"","controller":true}'
    )
