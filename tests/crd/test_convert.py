"""Defaulting, conversion to the internal version, preparation and equality."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from present import present, root_of
from tables import each

from crdlint.crd.convert import prepare_for_update, read_crd
from crdlint.crd.object_meta import prepare_update
from crdlint.crd.record import semantic_equal

if TYPE_CHECKING:
    from crdlint.crd.model import CustomResourceDefinition


def read(text: str, **options: Any) -> CustomResourceDefinition:
    return read_crd(root_of(text), **options).crd


def versions(*bodies: str) -> str:
    return "spec:\n  versions:\n" + "".join(
        f"  - {{name: v{i}, {body}}}\n" for i, body in enumerate(bodies, 1)
    )


def test_defaults() -> None:
    crd = read("spec: {names: {kind: FooBar}, versions: [{name: v1}, {name: v2, storage: true}]}\n")
    spec = crd.spec
    assert (spec.names.singular, spec.names.list_kind, present(spec.conversion).strategy) == (
        "foobar",
        "FooBarList",
        "None",
    )
    assert (spec.version, spec.preserve_unknown_fields, crd.status.stored_versions) == (
        "v1",
        False,
        ["v2"],
    )
    assert crd.metadata.generation == 1


def test_defaults_leave_what_is_given() -> None:
    crd = read("spec: {names: {kind: Foo, singular: s, listKind: L}, conversion: {}}\n")
    assert (
        crd.spec.names.singular,
        crd.spec.names.list_kind,
        present(crd.spec.conversion).strategy,
    ) == ("s", "L", "")
    assert crd.status.stored_versions == []


def test_empty_document_has_the_zero_values() -> None:
    crd = read("{}\n")
    assert (crd.spec.names.singular, crd.spec.names.list_kind, list(crd.spec.versions)) == (
        "",
        "",
        [],
    )


@each(("kind", "singular"), [("Foo", "foo"), ("ÀΣ", "àσ"), ("İx", "ix")])
def test_singular_is_lowered_as_go_does(kind: str, singular: str) -> None:
    assert read(f"spec: {{names: {{kind: {kind}}}}}\n").spec.names.singular == singular


def test_webhook_loses_a_level() -> None:
    crd = read(
        "spec:\n  conversion:\n    strategy: Webhook\n    webhook:\n      conversionReviewVersions: [v1]\n"
        "      clientConfig:\n        caBundle: aGk=\n        service: {name: a, namespace: b, path: /c}\n"
    )
    conversion = present(crd.spec.conversion)
    assert (conversion.strategy, conversion.conversion_review_versions) == ("Webhook", ["v1"])
    assert present(conversion.webhook_client_config).ca_bundle == b"hi"
    assert present(present(conversion.webhook_client_config).service).port == 443


EQUAL = "schema: {openAPIV3Schema: {type: object, properties: {a: {maxLength: 1.0, enum: []}}}}"
EQUAL_TOO = "schema: {openAPIV3Schema: {properties: {a: {enum: null, maxLength: 1}}, type: object}}"


@each(
    ("bodies", "moved"),
    [
        ((EQUAL,), True),
        ((EQUAL, EQUAL_TOO), True),
        ((EQUAL, EQUAL.replace("1.0", "2")), False),
        ((EQUAL, "schema: {}"), False),
    ],
)
def test_equal_schemas_move(bodies: tuple[Any, ...], moved: bool) -> None:
    spec = read(versions(*bodies)).spec
    if moved:
        assert (
            str(present(present(spec.validation).open_api_v3_schema).path)
            == "spec.validation.openAPIV3Schema"
        )
        assert [v.schema for v in spec.versions] == [None] * len(bodies)
    else:
        assert spec.validation is None
        assert (
            str(present(present(spec.versions[0].schema).open_api_v3_schema).path)
            == "spec.versions[0].schema.openAPIV3Schema"
        )


def test_parts_move_each_for_itself() -> None:
    columns = "additionalPrinterColumns: [{name: a, jsonPath: .a}]"
    spec = read(
        versions(
            f"{columns}, subresources: {{status: {{}}}}, selectableFields: [{{jsonPath: .a}}]",
            f"{columns}, subresources: {{}}, selectableFields: [{{jsonPath: .a}}]",
        )
    ).spec
    assert [c.name for c in spec.additional_printer_columns] == ["a"]
    assert [f.json_path for f in spec.selectable_fields] == [".a"]
    assert spec.subresources is None
    assert present(spec.versions[0].subresources).status is not None
    assert not spec.versions[0].additional_printer_columns


@each(
    ("left", "right", "equal"),
    [
        (None, None, True),
        ([], (), True),
        ([], None, False),
        (1, True, False),
        (1, 1.0, False),
        ("", None, False),
        ([1, [2]], [1, [2]], True),
        ([1, [2]], [1, [3]], False),
        ({"a": {}}, {"a": {}}, True),
        ({"a": 1}, {"b": 1}, False),
        ({"a": None}, {"b": None}, False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
    ],
)
def test_semantic_equal(left: Any, right: Any, equal: bool) -> None:
    assert semantic_equal(left, right) is equal
    assert semantic_equal(right, left) is equal


@each(
    ("left", "right", "equal"),
    [
        ("{}", "{description: ''}", True),
        ("{}", "{nullable: false}", True),
        ("{}", "{maxLength: 0}", False),
        ("{}", "{properties: {}}", True),
        ("{}", "{items: {}}", False),
        ("{default: []}", "{}", False),
        ("{default: 1}", "{default: true}", False),
        ("{default: []}", "{default: {}}", False),
        ("{enum: [[], null]}", "{enum: [{}, null]}", False),
        ("{enum: [[]]}", "{enum: [null]}", False),
        ("{dependencies: {}}", "{}", True),
        ("{dependencies: {a: []}}", "{}", False),
        ("{default: {a: [1]}}", "{default: {a: [1]}}", True),
        ("{items: {type: string}}", "{items: {type: integer}}", False),
        ("{additionalProperties: true}", "{additionalProperties: {}}", False),
        (
            "{x-kubernetes-validations: [{rule: a}]}",
            "{x-kubernetes-validations: [{rule: a, message: ''}]}",
            True,
        ),
    ],
)
def test_equal_schemas(left: str, right: str, equal: bool) -> None:
    one, other = (
        present(
            read(versions(f"schema: {{openAPIV3Schema: {text}}}")).spec.validation
        ).open_api_v3_schema
        for text in (left, right)
    )
    assert semantic_equal(one, other) is equal
    assert semantic_equal(other, one) is equal


@each(
    ("old", "new", "generation"),
    [
        ("scope: Cluster", "scope: Cluster", 4),
        ("scope: Cluster", "scope: Namespaced", 5),
        ("versions: []", "", 4),
    ],
)
def test_a_changed_spec_has_the_next_generation(old: str, new: str, generation: int) -> None:
    before = read(f"metadata: {{generation: 4}}\nspec: {{{old}}}\n", stored=True)
    after = read(f"metadata: {{generation: 9}}\nspec: {{{new}}}\n")
    prepare_update(after.metadata, before.metadata, is_manifest=True)
    prepare_for_update(after, before)
    assert after.metadata.generation == generation


def test_status_of_create_and_update() -> None:
    old = read(
        "spec: {versions: [{name: v1, storage: true}]}\nstatus: {storedVersions: [v0]}\n",
        stored=True,
    )
    new = read("spec: {versions: [{name: v2, storage: true}]}\nstatus: {storedVersions: [v9]}\n")
    assert (old.status.stored_versions, new.status.stored_versions) == (["v0"], ["v2"])
    prepare_for_update(new, old)
    assert new.status.stored_versions == ["v0", "v2"]
    assert old.status.stored_versions == ["v0"]
