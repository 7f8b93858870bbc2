"""Metadata through Go's ObjectMeta, and what is wrong with that of whole and embedded resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from schema_support import schema, value
from tables import each

from crdlint.crd.object_meta import (
    RESOURCE_RULES,
    MetadataError,
    as_record,
    dns_subdomain,
    prepare_update,
    read_object_meta,
    validate_any_object_meta,
    validate_object_meta_update,
)
from crdlint.crd.paths import Path
from crdlint.golang.times import as_utc
from crdlint.kubernetes.servers import NEWEST, parse_range
from crdlint.schema.embedded_resources import coerce, validate_embedded

if TYPE_CHECKING:
    from typing import Any

    from crdlint.crd.errors import FieldError

OWNER_OF_NOTHING = '"apiVersion": "", "kind": "", "name": ""'
READ = {
    "known": ('{"name": "x", "labels": {"a": "b"}}', None, []),
    "empty": (
        '{"name": "", "labels": {}, "finalizers": [], "generation": 0, "uid": null}',
        "{}",
        [],
    ),
    "null": ("null", "{}", []),
    "unknown": (
        '{"x": 1, "name": "y", "ownerReferences": [{"z": 1}], "managedFields": [{"manager": "m", "w": 1}]}',
        f'{{"name": "y", "ownerReferences": [{{{OWNER_OF_NOTHING}, "uid": ""}}], "managedFields": [{{"manager": "m"}}]}}',
        ["x", "ownerReferences[0].z", "managedFields[0].w"],
    ),
    "null values": (
        '{"labels": {"a": null}, "finalizers": [null]}',
        '{"labels": {"a": ""}, "finalizers": [""]}',
        [],
    ),
    "pointers": (
        '{"deletionGracePeriodSeconds": 0, "ownerReferences": [{"uid": "u", "controller": false}]}',
        f'{{"deletionGracePeriodSeconds": 0, "ownerReferences": [{{{OWNER_OF_NOTHING}, "uid": "u", "controller": false}}]}}',
        [],
    ),
    "times": (
        '{"creationTimestamp": "2020-01-01T00:30:00.5+01:00", "deletionTimestamp": "2020-01-01T00:00:00Z"}',
        '{"creationTimestamp": "2019-12-31T23:30:00Z", "deletionTimestamp": "2020-01-01T00:00:00Z"}',
        [],
    ),
    "no time": ('{"creationTimestamp": "0001-01-01T00:00:00Z"}', "{}", []),
    "a whole float": ('{"generation": 2.0}', '{"generation": 2}', []),
    "the least integer": ('{"generation": -9223372036854775808}', None, []),
    "a float as Go prints it": (
        '{"generation": 9.223372036854774e18}',
        '{"generation": 9223372036854774000}',
        [],
    ),
}


@each(("given", "read", "unknown"), READ.values(), ids=READ)
def test_reading(given: str, read: str | None, unknown: list[str]) -> None:
    expected = value(given if read is None else read)
    assert read_object_meta(value(given)) == (expected, unknown)


ERRORS = {
    '"x"': "json: cannot unmarshal string into Go value of type v1.ObjectMeta",
    '{"labels": {"a": 1}}': "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
    '{"generation": 1.5}': "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64",
    '{"finalizers": "x"}': "json: cannot unmarshal string into Go struct field ObjectMeta.finalizers of type []string",
}


@each(("given", "said"), ERRORS.items(), ids=ERRORS)
def test_what_go_does_not_read(given: str, said: str) -> None:
    with pytest.raises(MetadataError) as raised:
        read_object_meta(value(given))
    assert str(raised.value) == said


NOT_PLAIN_IN_YAML = [
    "\x85",
    "\x7f",
    "\x9f",
    "\u2028",
    "\ufeff",
    "\ufffe",
    "\ud800",
    "k" * 1025,
    '"\\',
    "\n",
]


@each("key", NOT_PLAIN_IN_YAML, ids=ascii)
def test_any_text_is_a_key_of_mistyped_metadata(key: str) -> None:
    with pytest.raises(MetadataError) as raised:
        read_object_meta({"labels": {key: [key]}, key: {key: [1, None, 1.5, True]}})
    assert (
        str(raised.value)
        == "json: cannot unmarshal array into Go struct field ObjectMeta.labels of type string"
    )


def test_malformed_fields_can_be_dropped() -> None:
    given = {"name": 1, "labels": {"a": "b"}, "x": 1}
    assert read_object_meta(given, drop_malformed=True) == ({"labels": {"a": "b"}}, ["x"])
    with pytest.raises(
        MetadataError, match=r"invalid metadata: expected object, got \[\]interface \{\}"
    ):
        read_object_meta([1], drop_malformed=True)


TIMES = {
    "2020-02-29T23:59:59-00:01": "2020-03-01T00:00:59Z",
    "0000-01-01T00:00:00+01:00": "-0001-12-31T23:00:00Z",
    "9999-12-31T23:00:00-02:00": "10000-01-01T01:00:00Z",
    "2020-01-01T00:00:00,123Z": "2020-01-01T00:00:00Z",
}


@each(("given", "shown"), TIMES.items())
def test_times(given: str, shown: str) -> None:
    assert as_utc(given) == shown


EMBEDDED = """\
properties:
  a: {x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
  l: {items: {additionalProperties: {x-kubernetes-embedded-resource: true}}}
"""


def test_coercing() -> None:
    obj = value(
        '{"a": {"kind": "K", "metadata": {"name": "x", "y": 1}}, "l": [{"k": {"metadata": {"z": 1}}}], "metadata": {"w": 1}}'
    )
    coerced = coerce(None, obj, schema(EMBEDDED), is_resource_root=False)
    assert (coerced.error, coerced.unknown) == (None, ("a.metadata.y", "l[0][k].metadata.z"))
    assert obj == value(
        '{"a": {"kind": "K", "metadata": {"name": "x"}}, "l": [{"k": {"metadata": {}}}], "metadata": {"w": 1}}'
    )
    assert coerce(None, obj, None, is_resource_root=True).unknown == ("metadata.w",)


@pytest.mark.parametrize(
    ("given", "said", "left"),
    [
        ('{"a": {"kind": 1}}', "a.kind: Invalid value: 1: must be a string", {"a": {}}),
        (
            '{"a": {"metadata": {"name": 1}}}',
            'a.metadata: Invalid value: {"name":1}: '
            "json: cannot unmarshal number into Go struct field ObjectMeta.name of type string",
            {"a": {"metadata": {}}},
        ),
    ],
)
def test_coercing_what_is_wrong(given: str, said: str, left: dict[str, Any]) -> None:
    assert str(coerce(None, value(given), schema(EMBEDDED), is_resource_root=False).error) == said
    obj = value(given)
    assert (
        coerce(None, obj, schema(EMBEDDED), is_resource_root=False, drop_invalid=True).error is None
    )
    assert obj == left


KIND = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end "
    "with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
)
RESOURCES = {
    "nothing": ("{}", ["a.apiVersion: Required value", "a.kind: Required value"]),
    "types": (
        '{"apiVersion": 1, "kind": null}',
        [
            "a.apiVersion: Invalid value: 1: must be a string",
            "a.kind: Invalid value: null: must be a string",
        ],
    ),
    "empty": (
        '{"apiVersion": "", "kind": ""}',
        [
            'a.apiVersion: Invalid value: "": must not be empty',
            'a.kind: Invalid value: "": must not be empty',
        ],
    ),
    "wrong": (
        '{"apiVersion": "a/b/c", "kind": "1"}',
        [
            'a.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
            f'a.kind: Invalid value: "1": may have mixed case, but should otherwise match: {KIND}',
        ],
    ),
    "names": (
        '{"apiVersion": "v1", "kind": "K", "metadata": {"name": "..", "generateName": "a/", "namespace": "a.b"}}',
        [
            "a.metadata.generateName: Invalid value: \"a/\": may not contain '/'",
            "a.metadata.name: Invalid value: \"..\": may not be '..'",
            'a.metadata.namespace: Invalid value: "a.b": must not contain dots',
        ],
    ),
    "sound": ('{"apiVersion": "v1", "kind": "K", "metadata": {"generateName": "a-"}}', []),
}


@each(("given", "said"), RESOURCES.values(), ids=RESOURCES)
def test_embedded_resources(given: str, said: list[str]) -> None:
    errors = validate_embedded(
        None, {"a": value(given)}, schema(EMBEDDED), NEWEST, is_resource_root=False
    )
    assert [str(error) for error in errors] == said


KUBERNETES_1_36 = parse_range("1.36").newest
LONG = "x" * 64
OWNER = '{"apiVersion": "v1", "kind": "Event", "name": "n", "uid": "u", "controller": true}'
METADATA = {
    "no name": (
        "{}",
        ["m.name: Required value: name or generateName is required", "m.namespace: Required value"],
    ),
    "a label in bytes": (
        f'{{"name": "x", "namespace": "y", "labels": {{"{LONG}": "{LONG}"}}}}',
        [
            f'm.labels: Invalid value: "{LONG}": name part must be no more than 63 bytes',
            f'm.labels: Invalid value: "{LONG}": must be no more than 63 bytes',
        ],
    ),
    "a name in characters": (
        f'{{"name": "{"x" * 254}", "namespace": "{LONG}"}}',
        [
            f'm.name: Invalid value: "{"x" * 254}": must be no more than 253 characters',
            f'm.namespace: Invalid value: "{LONG}": must be no more than 63 characters',
        ],
    ),
    "an event that owns": (
        f'{{"name": "x", "namespace": "y", "ownerReferences": [{OWNER}]}}',
        [
            f"m.ownerReferences: Invalid value: {OWNER.replace(' ', '')}: /v1, Kind=Event is disallowed from being an owner"
        ],
    ),
    "owner references without fields": (
        '{"name": "x", "namespace": "y", "ownerReferences": [{}, {"kind": "K", "apiVersion": "a/b/c", "uid": "u"}]}',
        [
            'm.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
            'm.ownerReferences.kind: Invalid value: "": must not be empty',
            'm.ownerReferences.name: Invalid value: "": must not be empty',
            'm.ownerReferences.uid: Invalid value: "": must not be empty',
            'm.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
            'm.ownerReferences.name: Invalid value: "": must not be empty',
        ],
    ),
    "finalizers": (
        '{"name": "x", "namespace": "y", "finalizers": ["orphan", "foregroundDeletion"]}',
        [
            'm.finalizers: Invalid value: ["orphan","foregroundDeletion"]: '
            "finalizer orphan and foregroundDeletion cannot be both set"
        ],
    ),
    "managed fields": (
        '{"name": "x", "namespace": "y", "managedFields": [{"operation": "Patch", "manager": "a\\u0000"}]}',
        [
            'm.managedFields[0].operation: Invalid value: "Patch": must be `Apply` or `Update`',
            'm.managedFields[0].manager: Invalid value: "a\\x00": invalid character U+0000 (at position 1)',
        ],
    ),
}


@each(("given", "said"), METADATA.values(), ids=METADATA)
def test_metadata(given: str, said: list[str]) -> None:
    errors = validate_any_object_meta(
        as_record(value(given)),
        Path("m"),
        KUBERNETES_1_36,
        requires_namespace=True,
        name_check=dns_subdomain,
    )
    assert [str(error) for error in errors] == said


def owner_errors(owners: list[dict[str, object]]) -> list[FieldError]:
    meta = {"name": "x", "namespace": "y", "ownerReferences": owners}
    return list(
        validate_any_object_meta(
            as_record(meta),
            Path("m"),
            KUBERNETES_1_36,
            requires_namespace=True,
            name_check=dns_subdomain,
        )
    )


def owner(name: str, uid: str = "u", *, controller: bool = False) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid, "controller": controller}


def test_errors_of_owner_references_point_at_the_reference() -> None:
    errors = owner_errors(
        [owner("a"), owner("b", uid=""), owner("c", controller=True), owner("d", controller=True)]
    )
    assert [(str(error.path), str(error.at)) for error in errors] == [
        ("m.ownerReferences.uid", "m.ownerReferences[1].uid"),
        ("m.ownerReferences", "m.ownerReferences[3].controller"),
    ]


def test_each_surplus_controller_is_reported_once() -> None:
    errors = owner_errors([owner(name, controller=True) for name in "abcb"])
    details = [error.detail.partition("references for ")[2] for error in errors]
    assert details == ["Pod/a and Pod/b", "Pod/a and Pod/c"]


def test_errors_of_many_controllers_grow_with_the_list() -> None:
    sizes = []
    for count in (1024, 2048):
        errors = owner_errors([owner(f"{i:04}", controller=True) for i in range(count)])
        assert errors[-1].help == (
            f"Set `controller: true` on one reference only; {count - 1 - len(errors):,} more references have it"
        )
        sizes.append(sum(len(str(error)) for error in errors))
    assert sizes[1] / sizes[0] < 2.3


def test_updates() -> None:
    old = {"name": "x", "finalizers": ["a.b/c"], "deletionTimestamp": "2020-01-01T00:00:00Z"}
    owner = {"apiVersion": "v1", "kind": "A", "name": "a"}
    new = {"name": "y", "finalizers": ["a.b/d"], "uid": "u", "ownerReferences": [owner]}
    errors = validate_object_meta_update(
        as_record(new), as_record(old), Path("m"), RESOURCE_RULES, KUBERNETES_1_36
    )
    assert [str(error) for error in errors] == [
        "m.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, "
        'found new finalizers []string{"a.b/d"}',
        'm.name: Invalid value: "y": field is immutable',
        'm.uid: Invalid value: "u": field is immutable',
        "m.deletionTimestamp: Invalid value: null: field is immutable",
        'm.ownerReferences.uid: Invalid value: "": must not be empty',
    ]


def test_an_update_keeps_what_the_server_maintains() -> None:
    stored = {
        "uid": "u",
        "generation": 2,
        "resourceVersion": "3",
        "creationTimestamp": "2020-01-01T00:00:00Z",
    }
    stored |= {"deletionTimestamp": "2021-01-01T00:00:00Z", "deletionGracePeriodSeconds": 3}
    for is_manifest in (True, False):
        new = as_record({"generation": -1, "creationTimestamp": "2022-01-01T00:00:00Z"})
        prepare_update(new, as_record(stored), is_manifest=is_manifest)
        assert vars(new) == vars(as_record(stored))
        prepare_update(new, as_record({}), is_manifest=is_manifest)
        kept = None if is_manifest else "2020-01-01T00:00:00Z"
        assert (new.generation, new.resource_version, new.creation_timestamp) == (0, "3", kept)
    unversioned = as_record({})
    prepare_update(unversioned, as_record({}), is_manifest=True)
    assert unversioned.resource_version == "1"
