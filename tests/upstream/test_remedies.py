"""What following a help or a fix does on a server: nothing that worked before fails, unless the rule describes it."""

from __future__ import annotations

import json
from typing import Any

from tables import each

from crdlint.rules.catalog import all_rules
from upstream.live.remedies import RECORD, remedies

# What the rule's texts or the title of the fix say of an example after which something fails that worked before.
SAID = {
    "decode-type: Encode the certificate by base64": "certificate",  # the example's is none
    "duplicate-key: Indent the lines below the key without a value, which changes the type of the field": (
        "changes the type of the field"
    ),
    "enum-values-in-one-text: help": "The API server then rejects each of these values",
    "property-with-tag-options: help": "stored values of the old name are lost",
    "root-field-misspelled: help": "stored values of the old name are lost",
    "rule-word-not-in-enum: help": "the same result for all of them",
    "status-subresource-without-schema: help": "Add `status` to the schema",  # the example's has no spec
    "enum-values-merged: help": "rejects both values",
    "immutable-bypass: help": "in a new CRD",
    "spec-optional-hides-required: help": "can then no longer be updated, not even to remove a finalizer",
    "unknown-field: Indent the key like the one above": "API server rejects the object",
    "unknown-field: Write the constant as an enum": "API server rejects the object",
    "unknown-field-ignored: Indent the key like the one above": "also applies to stored objects",
    "unknown-field-ignored: Write the constant as an enum": "also applies to stored objects",
    "yaml-key: help": "stored values of the old name are lost",
}
# Advice for a new API: what stored objects have is of another version.
NEW_VERSION = "in a new version"


def recorded() -> dict[str, Any]:
    """Return the record of `python -m tests.upstream live --claims --record`."""
    values: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return values


def test_examples_were_followed() -> None:
    examples = {f"{remedy.rule}: {remedy.title}" for remedy in remedies()}
    new = examples.difference(recorded()["followed"])  # since the last record
    assert len(new) * 20 < len(examples), sorted(new)


@each("example", [name for name in recorded()["breaks"] if name.partition(":")[0] in all_rules()])
def test_what_a_remedy_breaks_is_described(example: str) -> None:
    rule = all_rules()[example.partition(":")[0]]
    texts = f"{rule.summary} {rule.why} {rule.help} {example}"
    assert SAID.get(example, NEW_VERSION) in texts


def test_no_safe_fix_of_what_the_server_accepts_breaks_anything() -> None:
    safe = {
        f"{rule.id}: {fix.title}"
        for rule in all_rules().values()
        for fix in rule.fixes
        if fix.applicability == "safe" and rule.severity != "error"
    }
    assert not safe & recorded()["breaks"].keys()
