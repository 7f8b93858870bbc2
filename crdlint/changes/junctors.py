"""Changes of `not`, `anyOf` and `oneOf`: they are compared by their effect, as conditions on a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from crdlint.changes.change import NEW_VALUES, Collector
from crdlint.changes.conditions import junctor_condition, schema_of
from crdlint.changes.fingerprints import JUNCTORS, branches_of, fingerprint
from crdlint.changes.reasons import FOR_EXISTING, WIDER, Reasons
from crdlint.rules import changes as rules

if TYPE_CHECKING:
    from crdlint.changes.conjunction import Conjunction, Pair
    from crdlint.crd.model import JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.diagnostics.diagnostic import Severity


class _Junctor(NamedTuple):
    """A junctor: its branches, the digests of their schemas, and where it is."""

    kind: str
    branches: Sequence[JSONSchemaProps]
    digests: frozenset[str]
    path: Path

    @property
    def key(self) -> tuple[str, frozenset[str]]:
        """What is equal for equal junctors."""
        return self.kind, self.digests

    def is_like(self, other: _Junctor) -> bool:
        """Return whether one junctor probably replaces another one."""
        return self.kind == other.kind or (self.digests == other.digests and len(self.digests) > 1)

    @property
    def condition(self) -> str:
        """The junctor in CEL."""
        return junctor_condition(self.kind, self.branches)

    @property
    def part(self) -> JSONSchemaProps:
        """A schema that has only the junctor."""
        if self.kind == "not":
            return schema_of({"not_": self.branches[0]})
        return schema_of({"any_of" if self.kind == "anyOf" else "one_of": self.branches})


def compare_junctors(pair: Pair, reasons: Reasons, collector: Collector) -> None:
    """Report the junctors of a value that were added, changed or removed."""
    before, after = _junctors(pair.old), _junctors(pair.new)
    same = {junctor.key for junctor in before} & {junctor.key for junctor in after}
    lost = [junctor for junctor in before if junctor.key not in same]
    gained = [junctor for junctor in after if junctor.key not in same]
    for junctor in gained:
        _report_added(junctor, [old for old in lost if old.is_like(junctor)], pair, reasons, collector)
    for junctor in lost:
        if not any(junctor.is_like(new) for new in gained) and not reasons.remains(junctor.condition):
            text = f"{pair.field.shown}: `{junctor.kind}` was removed: {NEW_VALUES}"
            collector.add(rules.JUNCTOR_REMOVED, text, (pair.new[0].path, junctor.path), field=pair.field)


def _junctors(node: Conjunction) -> list[_Junctor]:
    return [
        _Junctor(kind, branches, frozenset(fingerprint(branch).digest for branch in branches), schema.path.child(kind))
        for kind in JUNCTORS
        for schema in node
        if (branches := branches_of(schema, kind)) and not _is_of_int_or_string(node, kind, branches)
    ]


def _is_of_int_or_string(node: Conjunction, kind: str, branches: Sequence[JSONSchemaProps]) -> bool:
    """Return whether branches only repeat what `x-kubernetes-int-or-string` means."""
    return (
        kind == "anyOf"
        and any(schema.x_int_or_string for schema in node)
        and {branch.type for branch in branches} == {"integer", "string"}
    )


def _report_added(
    junctor: _Junctor, replaced: Sequence[_Junctor], pair: Pair, reasons: Reasons, collector: Collector
) -> None:
    kind, paths = junctor.kind, (junctor.path, replaced[0].path if replaced else pair.old[0].path)
    change = f"`{kind}` was {'changed' if replaced else 'added'}"
    if replaced and replaced[0].kind != kind:
        change = f"`{replaced[0].kind}` became `{kind}`"
    change = f"{pair.field.shown}: {change}"
    reason, example = reasons.effect(junctor.condition, junctor.part, collector)
    if reason == WIDER or (reason is not None and replaced):
        if not all(reasons.remains(old.condition) for old in replaced):
            collector.add(rules.JUNCTOR_REMOVED, f"{change}: {NEW_VALUES}", paths, field=pair.field)
        return
    severity: Severity | None = None
    consequence = pair.field.consequence(is_container=pair.new[0].type in {"object", "array"})
    if reason is not None:
        severity = "info"
        text = f"{change}, {'which rejects only objects with new fields' if reason == FOR_EXISTING else reason}"
    elif example is None:
        severity = "warning"
        text = f"{change}: it is not known which values are rejected now; {consequence}"
    else:
        which = "match" if kind == "not" else "match several branches" if "became" in change else "do not match"
        text = f"{change}: values that {which} are rejected; {consequence}"
    collector.add(rules.JUNCTOR, text, paths, field=pair.field, severity=severity, example=example)
