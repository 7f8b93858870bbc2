"""What the server says of whole objects, created or updated: schema, object and old object in, messages out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tables import each

from crdlint import validate_resource
from crdlint.rules.engine.examples import small

if TYPE_CHECKING:
    from typing import Any

    from crdlint.resources.pipeline import ResourceReport

META = {"name": "x", "namespace": "default"}


def judged(
    schema: dict[str, Any],
    given: dict[str, Any],
    old: dict[str, Any] | None = None,
    *,
    subresources: dict[str, dict[str, str]] | None = None,
) -> ResourceReport:
    crd = small({"type": "object", **schema})
    if subresources is not None:
        crd["spec"]["versions"][0]["subresources"] = subresources

    def text_of(one: dict[str, Any]) -> str:
        text = json.dumps({"apiVersion": "example.com/v1", "kind": "Foo", "metadata": META, **one})
        return text.replace('"DEEP"', "[" * 5000 + "]" * 5000)

    return validate_resource(
        json.dumps(crd), text_of(given), old_resource=None if old is None else text_of(old)
    )


def messages(*args: dict[str, Any], **kwargs: Any) -> list[str]:
    return [one.message for one in judged(*args, **kwargs).errors]


LABEL = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
# The new metadata, the old, what is said.
METADATA_UPDATES = {
    "what is wrong with both": (
        {"name": "a/b", "namespace": "default"},
        {"name": "x", "namespace": "default"},
        [
            "metadata.name: Invalid value: \"a/b\": may not contain '/'",
            'metadata.name: Invalid value: "a/b": field is immutable',
        ],
    ),
    "no namespace any more": (
        {"name": "x"},
        META,
        [
            "metadata.namespace: Required value",
            'metadata.namespace: Invalid value: "": field is immutable',
        ],
    ),
    "a name that is none, but was before": (
        {"name": "A"},
        {"name": "A"},
        ["metadata.namespace: Required value"],
    ),
    "a label is told once": (
        {**META, "labels": {"a b": "c"}},
        META,
        [f'metadata.labels: Invalid value: "a b": {LABEL}'],
    ),
    "finalizers": (
        {**META, "finalizers": ["a b"]},
        META,
        [f'metadata.finalizers: Invalid value: "a b": {LABEL}'],
    ),
    "the server's own fields are as they were": (
        {**META, "generation": 1, "creationTimestamp": "2020-01-01T00:00:00Z"},
        {**META, "generation": 2, "creationTimestamp": "2021-01-01T00:00:00Z", "uid": "u"},
        [],
    ),
    "being deleted": (
        META,
        {**META, "deletionTimestamp": "2020-01-01T00:00:00Z", "deletionGracePeriodSeconds": 3},
        [],
    ),
    "another uid": (
        {**META, "uid": "u"},
        {**META, "uid": "v"},
        ['metadata.uid: Invalid value: "u": field is immutable'],
    ),
}


@each(("new", "old", "said"), METADATA_UPDATES.values(), ids=METADATA_UPDATES)
def test_metadata_of_updates(new: dict[str, Any], old: dict[str, Any], said: list[str]) -> None:
    assert messages({}, {"metadata": new}, {"metadata": old}) == said


def test_metadata_is_judged_before_the_kind() -> None:
    new = {"kind": "Bar", "metadata": {**META, "name": "y"}}
    assert messages({}, new, {}) == [
        'metadata.name: Invalid value: "y": field is immutable',
        'kind: Invalid value: "Bar": must be Foo',
    ]


ITEM: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "number"}, "b": {"type": "string"}, "c": {"type": "integer"}},
}
ITEM["x-kubernetes-validations"] = [{"rule": "self.c >= oldSelf.c", "message": "less"}]
LIST = {
    "type": "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["a", "b"],
    "items": ITEM,
}
# The keys of the new and the old item, and whether the one is held against the other.
KEYS = {
    "the same": ((1, "x"), (1, "x"), True),
    "another": ((1, "x"), (1, "y"), False),
    "a float is no integer": ((1, "x"), (1.5, "x"), False),
    "alike to six digits": ((0.12345678, "x"), (0.12345679, "x"), True),
}


@each(("new", "old", "held"), KEYS.values(), ids=KEYS)
def test_items_are_found_by_several_keys(
    new: tuple[Any, ...], old: tuple[Any, ...], held: bool
) -> None:
    new_list, old_list = ([{"a": a, "b": b, "c": c}] for (a, b), c in ((new, 1), (old, 2)))
    said = messages({"properties": {"l": LIST}}, {"l": new_list}, {"l": old_list})
    assert said == ["l[0]: Invalid value: less"] * held


SCALE = {
    "scale": {
        "specReplicasPath": ".spec.n",
        "statusReplicasPath": ".status.n",
        "labelSelectorPath": ".status.s",
    }
}
ANY = {"x-kubernetes-preserve-unknown-fields": True}
# The spec, what is said of it.
SCALES = {
    "negative": ({"n": -1}, ".spec.n: Invalid value: -1: should be a non-negative integer"),
    "too many": (
        {"n": 2**31},
        ".spec.n: Invalid value: 2147483648: should be less than or equal to 2147483647",
    ),
    "another type": (
        {"n": [1.5, {"b": None, "a": [True, "x"]}, {}]},
        ".spec.n: Invalid value: 0: .spec.n accessor error: [1.5 map[a:[true x] b:<nil>] map[]] is of the type "
        "[]interface {}, expected int64",
    ),
    "no object above": (
        "x",
        ".spec.n: Invalid value: 0: .spec.n accessor error: x is of the type string, expected map[string]interface{}",
    ),
}


@each(("spec", "said"), SCALES.values(), ids=SCALES)
def test_scale(spec: dict[str, int] | str, said: str) -> None:
    assert messages({"properties": {"spec": ANY}}, {"spec": spec}, subresources=SCALE) == [said]


def test_depth_of_what_is_no_number() -> None:
    (said,) = messages({"properties": {"spec": ANY}}, {"spec": {"n": "DEEP"}}, subresources=SCALE)
    assert "[[[[" in said
