"""What client-side apply sends: the cases are what kubectl 1.37 made of objects on a running server."""

from __future__ import annotations

import json
from typing import Any

from tables import each

from crdlint.kubernetes.senders import LAST_APPLIED
from crdlint.schema.client_side import as_created, as_patched
from crdlint.schema.deep_equal import has_nulls

CREATED = {
    "a null": ({"a": None, "b": 1}, {"b": 1}),
    "a null below": ({"m": {"a": None}}, {"m": {}}),
    "null items of a list": ({"l": [None, "b"]}, {"l": [None, "b"]}),
    "a null in an item": ({"l": [{"n": None}, [{"n": None}]]}, {"l": [{}, [{}]]}),
    "no null": ({"a": 1}, {"a": 1}),
}


@each(("sent", "wanted"), CREATED.values(), ids=CREATED)
def test_a_new_object(sent: dict[str, Any], wanted: dict[str, Any]) -> None:
    before = json.dumps(sent)
    assert as_created(sent) == wanted
    assert json.dumps(sent) == before
    assert has_nulls(sent) is (sent != wanted)


# The stored object, what was applied before, what is applied now, and the result
PATCHED: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "a field of another writer": ({"a": 1, "o": 2}, {"a": 1}, {"a": 3}, {"a": 3, "o": 2}),
    "a field that is left out": ({"a": 1, "o": 2}, {"a": 1}, {}, {"o": 2}),
    "a field that is left out below": (
        {"m": {"a": 1, "o": 2}},
        {"m": {"a": 1}},
        {"m": {"b": 1}},
        {"m": {"b": 1, "o": 2}},
    ),
    "a list is replaced": ({"l": [1, 2]}, {"l": [1]}, {"l": [3]}, {"l": [3]}),
    "a null deletes": ({"o": 2}, {}, {"o": None}, {}),
    "a null that was applied before": ({"o": 2}, {"o": None}, {"o": None}, {"o": 2}),
    "a null that replaces a value": ({"a": 1}, {"a": 1}, {"a": None}, {}),
    "a null in an item": ({}, {}, {"l": [{"n": None, "a": 1}]}, {"l": [{"a": 1}]}),
    "an object in place of a text": ({"a": "x"}, {"a": "x"}, {"a": {"b": None}}, {"a": {}}),
}


@each(("stored", "applied", "sent", "wanted"), PATCHED.values(), ids=PATCHED)
def test_a_patch(
    stored: dict[str, Any],
    applied: dict[str, Any],
    sent: dict[str, Any],
    wanted: dict[str, Any],
) -> None:
    assert as_patched(sent, stored, applied) == wanted
    annotated = {"metadata": {"annotations": {LAST_APPLIED: json.dumps(applied)}}}
    assert as_patched(sent, stored, annotated) == wanted


@each("text", ["", "[]", "{", "[" * 100_000])
def test_an_annotation_that_is_no_object(text: str) -> None:
    old = {"a": 1, "metadata": {"annotations": {LAST_APPLIED: text}}}
    assert as_patched({"b": 2}, {"a": 1}, old) == {"b": 2}


def test_an_object_of_a_cluster_that_was_not_applied() -> None:
    old = {"a": 1, "b": 2, "metadata": {"uid": "u"}}
    assert as_patched({"b": 3}, old, old) == {"a": 1, "b": 3, "metadata": {"uid": "u"}}
