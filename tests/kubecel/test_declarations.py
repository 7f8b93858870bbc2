"""Types, names and size bounds that a schema declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kubecel_support import node, schema
from present import present
from tables import each

from crdlint.cel.errors import format_type
from crdlint.kubecel.declarations import Declarations, Declarer
from crdlint.kubernetes.servers import NEWEST

if TYPE_CHECKING:
    from crdlint.kubecel.declarations import DeclType

REQUEST = 3 * 1024 * 1024


def declare(text: str, *, is_resource: bool = False) -> DeclType | None:
    whole = schema(f"{{type: object, properties: {{x: {text}}}}}")
    return Declarer(NEWEST.cel).declare(node(whole, "x"), is_resource=is_resource)


@each(
    ("text", "type_", "elements", "size"),
    [
        ("{type: string}", "string", REQUEST - 2, 2),
        ("{type: string, maxLength: 10}", "string", 40, 2),
        ("{type: string, maxLength: -1}", "string", 0, 2),
        ("{type: string, maxLength: 4611686018427387904}", "string", 0, 2),
        ("{type: string, maxLength: 9223372036854775807}", "string", 2**64 - 4, 2),
        ("{type: string, enum: [a, éé, 1]}", "string", 4, 2),
        ("{type: string, enum: [a, bcd], maxLength: 2}", "string", 8, 2),
        ("{type: string, format: byte}", "bytes", REQUEST - 2, 2),
        ("{type: string, format: byte, maxLength: 10}", "bytes", 10, 2),
        ("{type: string, format: duration, maxLength: 3}", "duration", 32, 3),
        ("{type: string, format: date}", "timestamp", 12, 12),
        ("{type: string, format: date-time}", "timestamp", 32, 21),
        ("{type: string, format: ipv4}", "string", REQUEST - 2, 2),
        ("{type: integer, format: int32}", "int", 0, 1),
        ("{type: number}", "double", 0, 1),
        ("{type: boolean}", "bool", 0, 4),
        ("{x-kubernetes-int-or-string: true}", "dyn", REQUEST - 2, 1),
        ("{x-kubernetes-int-or-string: true, maxLength: 5}", "dyn", 20, 1),
        ("{type: array, items: {type: integer}}", "list(int)", (REQUEST - 2) // 2, 2),
        ("{type: array, maxItems: 7, items: {type: string}}", "list(string)", 7, 2),
        (
            "{type: array, items: {type: array, items: {type: boolean}}}",
            "list(list(bool))",
            (REQUEST - 2) // 3,
            2,
        ),
        (
            "{type: object, additionalProperties: {type: string}}",
            "map(string, string)",
            (REQUEST - 2) // 8,
            2,
        ),
        (
            "{type: object, maxProperties: 3, additionalProperties: {type: integer}}",
            "map(string, int)",
            3,
            2,
        ),
        ("{type: object}", "selfType", 0, 2),
        ("{type: object, properties: {é: {type: string}}, required: [é]}", "selfType", 0, 10),
        (
            "{type: object, properties: {a: {type: string, default: ''}}, required: [a]}",
            "selfType",
            0,
            2,
        ),
        ("{type: array, items: {type: object}}", "list(selfType.@idx)", (REQUEST - 2) // 3, 2),
        (
            "{type: object, additionalProperties: {type: object}}",
            "map(string, selfType.@elem)",
            (REQUEST - 2) // 8,
            2,
        ),
    ],
)
def test_declared(text: str, type_: str, elements: int, size: int) -> None:
    declared = declare(text)
    assert declared is not None
    given = Declarations(declared, keywords_as_fields=True).self_type
    assert (format_type(given), declared.max_elements, declared.min_serialized_size) == (
        type_,
        elements,
        size,
    )


@each(
    "text",
    [
        "{x-kubernetes-preserve-unknown-fields: true}",
        "{type: array, items: {x-kubernetes-preserve-unknown-fields: true}}",
        "{type: object, additionalProperties: {x-kubernetes-preserve-unknown-fields: true}}",
        "{type: unknown}",
    ],
)
def test_not_declared(text: str) -> None:
    assert declare(text) is None


def test_what_has_no_type_or_no_spelling_is_no_field() -> None:
    declared = declare(
        "{type: object, properties: {a: {}, 'b c': {type: string}, d-e: {type: string}}}"
    )
    assert declared is not None
    assert list(present(declared.fields)) == ["d__dash__e"]


def test_a_resource_has_its_metadata() -> None:
    declared = declare(
        "{type: object, properties: {metadata: {type: object, properties: {labels: {}}}}}",
        is_resource=True,
    )
    assert declared is not None
    fields = declared.fields or {}
    assert sorted(fields) == ["apiVersion", "kind", "metadata"]
    assert sorted(present(fields["metadata"].type.fields)) == ["generateName", "name"]


def test_metadata_that_says_all_is_taken_as_it_is() -> None:
    text = (
        "{type: object, properties: {kind: {type: string}, apiVersion: {type: string}, metadata: {type: object,"
        " properties: {name: {type: string, maxLength: 3}, generateName: {type: string}}}}}"
    )
    declared = declare(text, is_resource=True)
    assert declared is not None
    assert present(present(declared.fields)["metadata"].type.fields)["name"].type.max_elements == 12


def test_objects_are_named_after_their_place() -> None:
    declared = declare(
        "{type: object, properties: {a: {type: object, properties: {namespace: {type: object}}}}}"
    )
    assert declared is not None
    types = Declarations(declared, keywords_as_fields=True)
    assert str(types.find_struct_field_type("selfType", "a")) == "selfType.a"
    assert (
        str(types.find_struct_field_type("selfType.a", "namespace")) == "selfType.a.__namespace__"
    )
    assert types.find_struct_field_type("selfType.a", "b") is None


def test_reserved_words_are_fields_from_1_31_on() -> None:
    declared = declare("{type: object, properties: {namespace: {type: string}}}")
    assert declared is not None
    types = Declarations(declared, keywords_as_fields=False)
    assert types.find_struct_field_type("selfType", "namespace") is None
    assert types.find_struct_field_type("selfType", "__namespace__") is not None


@pytest.mark.parametrize(
    ("text", "values"),
    [("{type: object, additionalProperties: {type: string}}", "string"), ("{type: string}", "any")],
)
def test_map_is_the_name_of_a_root_that_is_one(text: str, values: str) -> None:
    declared = declare(text)
    assert declared is not None
    found = Declarations(declared, keywords_as_fields=True).find_struct_field_type("map", "x")
    assert found is not None
    assert format_type(found) == values


def test_lists_ten_thousand_deep() -> None:
    from crdlint.crd.model import JSONSchemaProps, JSONSchemaPropsOrArray

    inner = JSONSchemaProps()
    inner.type = "string"
    for _ in range(10_000):
        outer, items = JSONSchemaProps(), JSONSchemaPropsOrArray()
        outer.type, outer.items, items.schema = "array", items, inner
        inner = outer
    declared = Declarer(NEWEST.cel).declare(inner, is_resource=False)
    assert declared is not None
    assert Declarations(declared, keywords_as_fields=True).self_type.name == "list"
