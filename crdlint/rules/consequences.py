"""Findings that only follow from others: who fixes the cause gets rid of them as well."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Final

from crdlint.crd.paths import is_within
from crdlint.diagnostics import Diagnostic

Key = Callable[[Diagnostic], str | None]
# The key of a finding and that of its cause, which are equal and not None if they are related.
Relation = tuple[Key, Key]

_LAST_STEP: Final = re.compile(r"(?:\.[^.\[\]]*|\[[^\[\]]*\])\Z")
_ROOT: Final = ".openAPIV3Schema"


def _schema(field: str) -> str:
    return field.partition(_ROOT)[0]


def _move(finding: Diagnostic) -> str | None:
    """Return the object that lacks an unknown field, and how to move the field there."""
    return f"{finding.lacks.partition(' ')[0]} {finding.help}" if finding.lacks else None


def _parent(field: str) -> str:
    return _LAST_STEP.sub("", field)


def _fields(field: str, cause: str) -> Relation:
    return (
        lambda finding: field if is_within(finding.field, field) else None,
        lambda finding: field if is_within(finding.field, cause) else None,
    )


def _alike(key: Key) -> Relation:
    return key, key


_SAME: Final = _alike(attrgetter("field"))
_SIBLING: Final = _alike(lambda finding: _parent(finding.field))
# The same for advice, which names no field of the server.
_SIBLING_PATH: Final = _alike(lambda finding: finding.user_path or None)
# The type of an alternative, and that of the schema with the alternatives.
_OF_ALTERNATIVE: Final[Relation] = (
    lambda finding: _parent(finding.field),
    lambda finding: _parent(_parent(_parent(finding.field))),
)
# A required field of a mapping, and an unknown field there that probably was meant to be it.
_MISSPELLED: Final = _alike(lambda finding: finding.lacks or None)
# A required object that is null, and an unknown field that belongs to it.
_EMPTY: Final[Relation] = (
    lambda finding: finding.lacks.removesuffix(" ") if finding.lacks.endswith(" ") else None,
    lambda finding: finding.lacks.partition(" ")[0] or None,
)
# Fields that one edit moves into their object.
_MOVED: Final = _alike(_move)
_SAME_PLACE: Final = _alike(lambda finding: f"{finding.line}:{finding.column}")
# A rule, and the schema that its cost is added to.
_OF_SCHEMA: Final[Relation] = (
    lambda finding: _schema(finding.field),
    lambda finding: _schema(finding.field) if finding.field.endswith(_ROOT) else None,
)
_ANYWHERE: Final = _alike(lambda _: "")
# That the rules of an object are not evaluated, and an error of its values.
_NOT_EVALUATED: Final[Relation] = (lambda finding: None if finding.errors else "", lambda _: "")

# A rule whose findings follow from those of another rule, if they are related.
_CONSEQUENCES: Final[tuple[tuple[str, str, Relation], ...]] = (
    *(
        (rule, "unknown-field", _MISSPELLED)
        for rule in (
            "conversion-review-versions", "conversion-strategy-invalid", "conversion-webhook-config", "group-invalid",
            "list-map-items", "list-map-keys-required", "list-type-not-array", "map-type-not-object", "names-required",
            "printer-column-invalid", "rule-required", "scale-path-invalid", "schema-required",
            "storage-version-exactly-one", "scope-invalid", "structural-items-required", "structural-type-required",
        )
    ),
    ("unknown-field", "unknown-field", _MOVED),
    ("schema-required", "unknown-field", _EMPTY),
    ("type-null", "type-unsupported", _SAME),
    ("list-type-not-array", "type-unsupported", _SIBLING),
    ("default-invalid", "type-unsupported", _SIBLING),
    ("format-unrecognized", "type-unsupported", _SIBLING_PATH),
    ("map-type-not-object", "type-unsupported", _SIBLING),
    ("list-type-not-array", "structural-type-required", _SIBLING),
    ("map-type-not-object", "structural-type-required", _SIBLING),
    ("structural-type-required", "forbidden-ref", _SIBLING),
    ("structural-type-required", "structural-forbidden-in-junctor", _OF_ALTERNATIVE),
    ("structural-items-required", "items-not-a-schema", _SAME),
    ("list-map-items", "structural-items-required", _SAME),
    ("properties-and-additional-properties", "structural-root-additional-properties", _SAME),
    ("cel-schema-cost", "cel-rule-cost", _ANYWHERE),
    ("cel-schema-cost", "cel-schema-cost", _OF_SCHEMA),
    ("cel-rule-cost-near-limit", "cel-rule-cost", _SAME_PLACE),
    ("structural-incomplete", "metadata-in-junctor", _SAME_PLACE),
    ("kube-version-drops-field", "unknown-field", _SAME_PLACE),
    ("selectable-field-invalid", "schema-required", _ANYWHERE),
    ("resource-rule", "resource-value", _NOT_EVALUATED),
    ("resource-rule", "resource-metadata", _NOT_EVALUATED),
    ("conversion-webhook-config", "conversion-strategy-invalid", _ANYWHERE),
    ("conversion-review-versions", "conversion-strategy-invalid", _ANYWHERE),
    ("metadata-name", "group-invalid", _ANYWHERE),
    ("metadata-name", "names-required", _fields("metadata.name", "spec.names.plural")),
    ("names-required", "names-required", _fields("spec.names.singular", "spec.names.kind")),
    ("names-required", "names-required", _fields("spec.names.listKind", "spec.names.kind")),
    ("version-name-invalid", "version-name-invalid", _fields("spec.version", "spec.versions")),
    (
        "storage-version-exactly-one", "storage-version-exactly-one", _fields("status.storedVersions", "spec.versions")
    ),
)  # fmt: skip


def causes(findings: Sequence[Diagnostic]) -> dict[int, Diagnostic]:
    """Return the finding that each finding of a CRD follows from, by the identity of the latter; a cause follows from none."""
    rules = {finding.rule for finding in findings}
    first: dict[int, Diagnostic] = {}
    for rule, cause_rule, (of_finding, of_cause) in _CONSEQUENCES:
        if rule not in rules or cause_rule not in rules:
            continue
        by_key: dict[tuple[str | None, str | None], Diagnostic] = {}
        for finding in findings:
            if finding.rule == cause_rule:
                by_key.setdefault((finding.crd, of_cause(finding)), finding)
        for finding in findings:
            key = of_finding(finding) if finding.rule == rule else None
            cause = None if key is None else by_key.get((finding.crd, key))
            if cause is not None and cause is not finding:
                first.setdefault(id(finding), cause)
    return {key: _root(cause, first) for key, cause in first.items()}


def _root(cause: Diagnostic, first: dict[int, Diagnostic]) -> Diagnostic:
    while id(cause) in first:
        cause = first[id(cause)]
    return cause
