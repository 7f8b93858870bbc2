"""Advice about optional fields: only where the rule ends in the error on a small object without the field."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crds import crd_in_json, schema_with_spec
from tables import each

from crdlint import lint_text
from crdlint.kubecel.reasoning import optional_fields
from crdlint.safety import work

if TYPE_CHECKING:
    import pytest

TEXT = {"type": "string"}
FIELDS = {
    "n": {"type": "integer"},
    "m": {"type": "integer"},
    "s": TEXT,
    "list": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
        },
    },
    "nested": {"type": "object", "properties": {"a": TEXT, "b": TEXT}},
    "kind": {"type": "string", "enum": ["None", "Some"]},
    "mode": {"type": "string", "default": "Off"},
    "on": {"type": "boolean"},
    "must": {"type": "string", "minLength": 1},
    "at": {"type": "string", "format": "date-time"},
}


def hints(rule: str, **options: object) -> list[str]:
    """Return the fields that the advice about a rule names."""
    given = {"rule": rule, **options}
    spec = {
        "type": "object",
        "required": ["must"],
        "properties": FIELDS,
        "x-kubernetes-validations": [given],
    }
    limited = json.loads(json.dumps(spec))
    limited["properties"]["list"]["maxItems"] = 5
    found = lint_text(crd_in_json(schema_with_spec(limited), scope="Cluster"))
    assert not [one.message for one in found if one.severity == "error"]
    messages = [one.message for one in found if one.rule == "cel-optional-field-unguarded"]
    assert len(messages) <= 1
    # What is between backquotes, without the text of the server.
    return [name for message in messages for name in message.split("`")[1::2] if " " not in name]


PROVED = [
    ("self.n > 0", ["self.n"]),
    ("self.nested.a != ''", ["self.nested", "self.nested.a"]),
    ("has(self.nested) ? self.nested.a != '' : true", ["self.nested.a"]),
    ("!has(self.list) || self.list.all(i, i.x > 0)", ["i.x"]),
    ("!has(self.list) || self.list.all(i, self.list.all(i, i.y > 0) && i.x > 0)", ["i.y", "i.x"]),
    ("self.kind == 'Some' ? self.n > 0 : true", ["self.kind", "self.n"]),
    ("self.mode == 'On' ? self.n > 0 : true", ["self.n"]),
    ("has(self.on) && self.on ? self.n > 0 : true", ["self.n"]),
    ("has(self.m) ? self.n > 0 : true", ["self.n"]),
    ("!has(self.m) ? self.n > 0 : true", ["self.n"]),
    ("!has(oldSelf.n) || self.n == oldSelf.n", ["self.n"]),
    ("!has(self.n) || self.n == oldSelf.n", ["oldSelf.n"]),
    ("!has(self.at) || self.at > timestamp('2020-01-01T00:00:00Z') || self.n > 0", ["self.n"]),
]
GUARDED = [
    "self.?n.hasValue() && self.n > 0",
    "!self.?n.hasValue() || self.n > 0",
    "self.?n.orValue(0) > 0 ? self.n < 10 : true",
    "self.?nested.a.orValue('') != '' ? self.nested.a.size() < 5 : true",
    "self.?n.optMap(v, v > 0 && self.n < 5).orValue(true)",
    "'n' in dyn({'n': 1}) || self.n > 0",
    "(has(self.n) == has(oldSelf.n)) || (!has(oldSelf.n) && self.n > 0)",
    "[1].all(i, has(self.n)) ? self.n > 0 : true",
    "has(self.list) && self.list.exists(i, has(i.x)) ? self.list.exists(i, has(i.x) && i.x > 0) : true",
]


@each(("rule", "fields"), PROVED)
def test_what_ends_in_the_error(rule: str, fields: list[str]) -> None:
    assert hints(rule) == fields


@each("rule", GUARDED)
def test_what_is_guarded(rule: str) -> None:
    assert hints(rule) == []


def test_an_optional_old_self() -> None:
    assert hints(
        "oldSelf.hasValue() ? self.n >= oldSelf.value().m : true", optionalOldSelf=True
    ) == ["self.n"]


def test_proofs_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    with work.limited(50):
        assert hints("self.n > 0") == []
    monkeypatch.setattr(optional_fields, "_LARGEST", 1)
    assert hints("self.n > 0") == []


def test_the_help_does_not_let_the_rule_accept_what_it_refuses() -> None:
    """The evaluation fails where the field is not set: a message that refuses such objects names no other meaning."""
    helps = {}
    for message in ("n must be set", "n, please"):
        spec = {
            "type": "object",
            "properties": FIELDS,
            "x-kubernetes-validations": [{"rule": "self.n > 0", "message": message}],
        }
        (found,) = (
            each
            for each in lint_text(crd_in_json(schema_with_spec(spec), scope="Cluster"))
            if each.rule == "cel-optional-field-unguarded"
        )
        assert found.fix is None
        helps[message] = (found.help or "").replace(
            "Write `has(self.n) && ...` before the part that reads it to reject objects without it",
            "A",
            1,
        )
    assert helps == {
        "n must be set": "A with the message of the rule, or make `n` required",
        "n, please": "A, or `!has(self.n) || ...` to accept them",
    }
