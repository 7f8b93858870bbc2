"""Defaults of a schema judged: properties of the root in, messages out (without the schema's path)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schema_support import schema
from tables import each

from crdlint.crd.errors import invalid
from crdlint.schema.default_validation import validate_defaults
from crdlint.schema.traversal import schemas

if TYPE_CHECKING:
    from typing import Any

    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import JSONSchemaProps
    from crdlint.crd.paths import Path

ROOT = "spec.validation.openAPIV3Schema."
CASES = {
    "sound": ("a: {type: string, default: x}", []),
    "of another type": (
        "a: {type: string, default: 1}",
        [
            'properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"'
        ],
    ),
    "below": (
        "a: {type: object, default: {b: 1}, properties: {b: {type: string}}}",
        [
            'properties[a].default.b: Invalid value: "integer": b in body must be of type string: "integer"'
        ],
    ),
    "unknown fields": (
        "a: {type: object, default: {b: 1}}",
        ['properties[a].default: Invalid value: {"b":1}: must not have unknown fields'],
    ),
    "items": (
        "a: {type: array, items: {type: object, properties: {b: {type: integer, minimum: 1, default: 0}}}}",
        [
            "properties[a].items.properties[b].default: Invalid value: 0:  in body should be greater than or equal to 1"
        ],
    ),
    "additionalProperties are not looked into": (
        "a: {type: object, additionalProperties: {type: object, properties: {b: {type: string, default: 1}}}}",
        [],
    ),
    "int or string is not looked at": ("a: {x-kubernetes-int-or-string: true, default: true}", []),
    "an embedded resource": (
        "a: {type: object, x-kubernetes-embedded-resource: true, properties: {b: {type: string}}, default: {b: x}}",
        [
            "properties[a].default.apiVersion: Required value",
            "properties[a].default.kind: Required value",
        ],
    ),
    "metadata of another type": (
        "metadata: {type: object, properties: {name: {type: integer, default: 1}}}",
        [
            "properties[metadata].properties[name].default: Invalid value: 1: must result in valid metadata: "
            'metadata: Invalid value: {"name":1}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string'
        ],
    ),
    "metadata that is none": (
        "metadata: {type: object, properties: {name: {type: string, default: .}}}",
        [
            'properties[metadata].properties[name].default: Invalid value: ".": must result in valid metadata: '
            "metadata.name: Invalid value: \".\": may not be '.'"
        ],
    ),
    "metadata of an embedded resource": (
        "a: {type: object, x-kubernetes-embedded-resource: true, properties: {apiVersion: {type: string, default: a/b/c}}}",
        [
            'properties[a].properties[apiVersion].default: Invalid value: "a/b/c": must result in valid metadata: '
            'apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'
        ],
    ),
    "several errors of metadata": (
        "metadata: {type: object, properties: {name: {type: string, default: a/%}}}",
        [
            'properties[metadata].properties[name].default: Invalid value: "a/%": must result in valid metadata: '
            "[metadata.name: Invalid value: \"a/%\": may not contain '/', "
            "metadata.name: Invalid value: \"a/%\": may not contain '%']"
        ],
    ),
}


def judge(properties: str, **options: Any) -> list[str]:
    whole = schema(f"type: object\nproperties:\n  {properties}")
    given = [one for one in schemas(whole) if one.default is not None]
    return [str(error).replace(ROOT, "") for error in validate_defaults(whole, given, **options)]


@each(("properties", "said"), CASES.values(), ids=CASES)
def test_defaults(properties: str, said: list[str]) -> None:
    assert judge(properties) == said


def test_unknown_fields_may_stay_where_they_were() -> None:
    assert judge("a: {type: object, default: {b: 1}}", require_pruned=False) == []


def test_rules_are_asked_of_sound_defaults_until_their_budget_is_spent() -> None:
    asked = []

    def rules(
        schema: JSONSchemaProps, value: int, path: Path, *, is_resource_root: bool
    ) -> tuple[list[FieldError], bool]:
        asked.append((schema.type, value, is_resource_root))
        return [invalid("r", path, value, "no")], value == 2

    properties = "\n  ".join(
        f"{name}: {{type: integer, default: {i}, minimum: 1}}" for i, name in enumerate("abcd")
    )
    said = judge(properties, rules=rules)
    assert asked == [("integer", 1, False), ("integer", 2, False)]
    assert [line.partition(":")[0] for line in said] == [
        f"properties[{name}].default" for name in "abc"
    ]
