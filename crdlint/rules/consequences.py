"""Findings that only follow from others: who fixes the cause gets rid of them as well."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.crd.paths import is_within

if TYPE_CHECKING:
    from crdlint.diagnostics.diagnostic import Diagnostic

    Key = Callable[[Diagnostic], str | None]

_LAST_STEP: Final = re.compile(r"(?:\.[^.\[\]]*|\[[^\[\]]*\])\Z")
_ROOT: Final = ".openAPIV3Schema"


class _Relation(NamedTuple):
    """How a finding and its cause are related: both have the same key, which is not None."""

    of_finding: Key
    of_cause: Key


class _Consequence(NamedTuple):
    """A rule whose findings follow from those of another rule, if their fields are related."""

    rule: str
    cause: str
    relation: _Relation


def _schema(field: str) -> str:
    return field.partition(_ROOT)[0]


def _position(finding: Diagnostic) -> str:
    return f"{finding.line}:{finding.column}"


def _move(finding: Diagnostic) -> str | None:
    """Return the object that lacks an unknown field, and how to move the field there."""
    return f"{finding.lacks.partition(' ')[0]} {finding.help}" if finding.lacks else None


def _parent(field: str) -> str:
    return _LAST_STEP.sub("", field)


def _fields(field: str, cause: str) -> _Relation:
    return _Relation(
        lambda finding: field if is_within(finding.field, field) else None,
        lambda finding: field if is_within(finding.field, cause) else None,
    )


_SAME: Final = _Relation(attrgetter("field"), attrgetter("field"))
_SIBLING: Final = _Relation(lambda finding: _parent(finding.field), lambda finding: _parent(finding.field))
# The same for advice, which names no field of the server.
_SIBLING_PATH: Final = _Relation(lambda finding: finding.user_path or None, lambda finding: finding.user_path or None)
# The type of an alternative, and that of the schema with the alternatives.
_OF_ALTERNATIVE: Final = _Relation(
    lambda finding: _parent(finding.field), lambda finding: _parent(_parent(_parent(finding.field)))
)
# A required field of a mapping, and an unknown field there that probably was meant to be it.
_MISSPELLED: Final = _Relation(lambda finding: finding.lacks or None, lambda finding: finding.lacks or None)
# A required object that is null, and an unknown field that belongs to it.
_EMPTY: Final = _Relation(
    lambda finding: finding.lacks.removesuffix(" ") if finding.lacks.endswith(" ") else None,
    lambda finding: finding.lacks.partition(" ")[0] or None,
)
# Fields that one edit moves into their object.
_MOVED: Final = _Relation(_move, _move)
_SAME_PLACE: Final = _Relation(_position, _position)
# A rule, and the schema that its cost is added to.
_OF_SCHEMA: Final = _Relation(
    lambda finding: _schema(finding.field),
    lambda finding: _schema(finding.field) if finding.field.endswith(_ROOT) else None,
)
_ANYWHERE: Final = _Relation(lambda _: "", lambda _: "")
# That the rules of an object are not evaluated, and an error of its values.
_NOT_EVALUATED: Final = _Relation(lambda finding: None if finding.errors else "", lambda _: "")

_CONSEQUENCES: Final = (
    *(
        _Consequence(rule, "unknown-field", _MISSPELLED)
        for rule in (
            "conversion-review-versions", "conversion-strategy-invalid", "conversion-webhook-config", "group-invalid",
            "list-map-items", "list-map-keys-required", "list-type-not-array", "map-type-not-object", "names-required",
            "printer-column-invalid", "rule-required", "scale-path-invalid", "schema-required",
            "storage-version-exactly-one", "scope-invalid", "structural-items-required", "structural-type-required",
        )
    ),
    _Consequence("unknown-field", "unknown-field", _MOVED),
    _Consequence("schema-required", "unknown-field", _EMPTY),
    _Consequence("type-null", "type-unsupported", _SAME),
    _Consequence("list-type-not-array", "type-unsupported", _SIBLING),
    _Consequence("default-invalid", "type-unsupported", _SIBLING),
    _Consequence("format-unrecognized", "type-unsupported", _SIBLING_PATH),
    _Consequence("map-type-not-object", "type-unsupported", _SIBLING),
    _Consequence("list-type-not-array", "structural-type-required", _SIBLING),
    _Consequence("map-type-not-object", "structural-type-required", _SIBLING),
    _Consequence("structural-type-required", "forbidden-ref", _SIBLING),
    _Consequence("structural-type-required", "structural-forbidden-in-junctor", _OF_ALTERNATIVE),
    _Consequence("structural-items-required", "items-not-a-schema", _SAME),
    _Consequence("list-map-items", "structural-items-required", _SAME),
    _Consequence("properties-and-additional-properties", "structural-root-additional-properties", _SAME),
    _Consequence("cel-schema-cost", "cel-rule-cost", _ANYWHERE),
    _Consequence("cel-schema-cost", "cel-schema-cost", _OF_SCHEMA),
    _Consequence("cel-rule-cost-near-limit", "cel-rule-cost", _SAME_PLACE),
    _Consequence("structural-incomplete", "metadata-in-junctor", _SAME_PLACE),
    _Consequence("kube-version-drops-field", "unknown-field", _SAME_PLACE),
    _Consequence("selectable-field-invalid", "schema-required", _ANYWHERE),
    _Consequence("resource-rule", "resource-value", _NOT_EVALUATED),
    _Consequence("conversion-webhook-config", "conversion-strategy-invalid", _ANYWHERE),
    _Consequence("conversion-review-versions", "conversion-strategy-invalid", _ANYWHERE),
    _Consequence("metadata-name", "group-invalid", _ANYWHERE),
    _Consequence("metadata-name", "names-required", _fields("metadata.name", "spec.names.plural")),
    _Consequence("names-required", "names-required", _fields("spec.names.singular", "spec.names.kind")),
    _Consequence("names-required", "names-required", _fields("spec.names.listKind", "spec.names.kind")),
    _Consequence("version-name-invalid", "version-name-invalid", _fields("spec.version", "spec.versions")),
    _Consequence(
        "storage-version-exactly-one", "storage-version-exactly-one", _fields("status.storedVersions", "spec.versions")
    ),
)  # fmt: skip


def causes(findings: Sequence[Diagnostic]) -> dict[int, Diagnostic]:
    """Return the finding that each finding of a CRD follows from, by the identity of the latter; a cause follows from none."""
    rules = {finding.rule for finding in findings}
    first: dict[int, Diagnostic] = {}
    for consequence in _CONSEQUENCES:
        if consequence.rule not in rules or consequence.cause not in rules:
            continue
        by_key: dict[tuple[str | None, str | None], Diagnostic] = {}
        for finding in findings:
            if finding.rule == consequence.cause:
                by_key.setdefault((finding.crd, consequence.relation.of_cause(finding)), finding)
        for finding in findings:
            key = consequence.relation.of_finding(finding) if finding.rule == consequence.rule else None
            cause = None if key is None else by_key.get((finding.crd, key))
            if cause is not None and cause is not finding:
                first.setdefault(id(finding), cause)
    return {key: _root(cause, first) for key, cause in first.items()}


def _root(cause: Diagnostic, first: dict[int, Diagnostic]) -> Diagnostic:
    while id(cause) in first:
        cause = first[id(cause)]
    return cause
