"""The objects of a document, lists taken apart, and keys that stand twice in JSON."""

from __future__ import annotations

from present import root_of
from tables import each

from crdlint.crd.decode_errors import duplicate_fields
from crdlint.resources.objects import objects_of
from crdlint.yaml.parse import parse_first

OBJECTS = {
    "one": ("{apiVersion: a.b/v1, kind: A}", [("a.b", "v1", "A")]),
    "core": ("{apiVersion: v1, kind: Pod}", [("", "v1", "Pod")]),
    "no object": ("[1]", []),
    "a list": (
        "{apiVersion: v1, kind: List, items: [{apiVersion: a.b/v1, kind: A}, 7]}",
        [("a.b", "v1", "A")],
    ),
    "an empty list": ("{apiVersion: v1, kind: List}", []),
    "a kind's own list": (
        "{apiVersion: a.b/v2, kind: AList, items: [{spec: 1}]}",
        [("a.b", "v2", "A")],
    ),
    "an item of its own kind": (
        "{apiVersion: a.b/v2, kind: AList, items: [{apiVersion: c.d/v1, kind: C}]}",
        [("c.d", "v1", "C")],
    ),
    "lists in lists": (
        "{apiVersion: v1, kind: List, items: [{apiVersion: a.b/v1, kind: AList, items: [{}, {}]}]}",
        [("a.b", "v1", "A")] * 2,
    ),
    "a kind that ends like one": (
        "{apiVersion: a.b/v1, kind: AllowList}",
        [("a.b", "v1", "AllowList")],
    ),
}


@each(("text", "wanted"), OBJECTS.values(), ids=OBJECTS)
def test_objects(text: str, wanted: list[tuple[str, str, str]]) -> None:
    assert [
        (one.group, one.version, one.identity.kind) for one in objects_of(parse_first(text))
    ] == wanted


def test_an_item_is_read_with_its_list_s_kind() -> None:
    (one,) = objects_of(parse_first("{apiVersion: a.b/v2, kind: AList, items: [{x: 1.0}]}"))
    assert one.read() == {"apiVersion": "a.b/v2", "kind": "A", "x": 1}


def test_json_s_numbers_are_read_as_they_stand() -> None:
    (one,) = objects_of(parse_first('{"apiVersion": "a.b/v1", "kind": "A", "x": 1.0}'))
    assert one.read()["x"].__class__ is float


DUPLICATES = {
    "none": ('{"a": {"b": 1}, "c": {"b": 1}}', []),
    "at the top": ('{"a": 1, "a": 2}', ['duplicate field "a"']),
    "below": ('{"a": {"b": 1, "b": 2, "b": 3}}', ['duplicate field "a.b"']),
    "in lists": ('{"a": [{}, {"b": 1, "b": 2}]}', ['duplicate field "a[1].b"']),
    "in what stands twice": (
        '{"a": {"b": 1}, "a": {"c": 1, "c": 2}}',
        ['duplicate field "a"', 'duplicate field "a.c"'],
    ),
}


@each(("text", "wanted"), DUPLICATES.values(), ids=DUPLICATES)
def test_duplicate_fields(text: str, wanted: list[str]) -> None:
    root = root_of(text)
    assert [message for message, *_ in duplicate_fields(root)] == wanted


def test_a_hundred_duplicates_are_told() -> None:
    text = "{" + ", ".join(f'"k{i}": 1, "k{i}": 2' for i in range(150)) + "}"
    assert len(duplicate_fields(root_of(text))) == 100
