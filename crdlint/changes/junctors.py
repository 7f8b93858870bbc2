"""Changes of `not`, `anyOf` and `oneOf`: their branches are compared as sets of folded schemas."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.changes.conjunction import is_new, properties
from crdlint.changes.fingerprints import JUNCTORS, branches_of, fingerprint
from crdlint.crd.model import PROVENANCE
from crdlint.rules import changes as rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crdlint.changes.collector import Collector, Pair
    from crdlint.changes.conjunction import Conjunction
    from crdlint.crd.model import JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.diagnostics.diagnostic import Severity

_DEEPEST: Final = 20  # nested junctors; deeper ones are compared as they are
_NEW_VALUES: Final = "clients meet values that were not possible before"


@dataclass(frozen=True, slots=True, eq=False)
class _Junctor:
    """A junctor: its branches by the digests of their schemas, and where it is."""

    kind: str
    branches: Mapping[str, JSONSchemaProps]
    path: Path

    @property
    def digests(self) -> frozenset[str]:
        return frozenset(self.branches)


def compare_junctors(pair: Pair, collector: Collector) -> None:
    """Report the junctors of a value that were added, changed or removed."""
    lost: dict[str, list[_Junctor]] = {}
    gained: dict[str, list[_Junctor]] = {}
    for kind in JUNCTORS:
        before, after = _junctors(pair.old, kind), _junctors(pair.new, kind)
        same = {junctor.digests for junctor in before} & {junctor.digests for junctor in after}
        lost[kind] = [junctor for junctor in before if junctor.digests not in same]
        gained[kind] = [junctor for junctor in after if junctor.digests not in same]
    _report_about_new_fields(lost, gained, pair, collector)
    _report_other_kind(lost, gained, pair, collector)
    for kind in JUNCTORS:
        if len(lost[kind]) == len(gained[kind]) == 1:
            _report_changed(lost[kind][0], gained[kind][0], pair, collector)
            continue
        for junctor in gained[kind]:
            which = "match" if kind == "not" else "do not match"
            text = f"{pair.field.shown}: `{kind}` was added: values that {which} are rejected; {_consequence(pair)}"
            collector.add(rules.JUNCTOR, text, junctor.path, pair.old[0].path, field=pair.field)
        if lost[kind] and not gained[kind]:
            text = f"{pair.field.shown}: `{kind}` was removed: {_NEW_VALUES}"
            collector.add(rules.JUNCTOR_REMOVED, text, pair.new[0].path, lost[kind][0].path, field=pair.field)


def _junctors(node: Conjunction, kind: str) -> list[_Junctor]:
    junctors: list[_Junctor] = []
    for schema in node:
        branches = branches_of(schema, kind)
        if not branches or _is_of_int_or_string(node, kind, branches):
            continue
        junctors.append(_Junctor(kind, _by_digest(branches), schema.path.child(kind)))
    return junctors


def _by_digest(branches: Sequence[JSONSchemaProps]) -> dict[str, JSONSchemaProps]:
    return {fingerprint(branch).digest: branch for branch in branches}


def _is_of_int_or_string(node: Conjunction, kind: str, branches: Sequence[JSONSchemaProps]) -> bool:
    """Return whether branches only repeat what `x-kubernetes-int-or-string` means."""
    return (
        kind == "anyOf"
        and any(schema.x_int_or_string for schema in node)
        and {branch.type for branch in branches} == {"integer", "string"}
    )


def _consequence(pair: Pair) -> str:
    return pair.field.consequence(is_container=pair.new[0].type in {"object", "array"})


def _report_about_new_fields(
    lost: dict[str, list[_Junctor]], gained: dict[str, list[_Junctor]], pair: Pair, collector: Collector
) -> None:
    """Report the junctors that differ from old ones, or from none, only for objects with new fields."""
    known = properties(pair.old)
    new = frozenset(name for name in properties(pair.new) if name not in known and is_new((name,), pair.old, pair.new))
    for kind in JUNCTORS if new else ():
        for junctor in tuple(gained[kind]):
            rest = _for_existing(kind, tuple(junctor.branches.values()), new)
            same = next((other for other in lost[kind] if rest is not None and other.digests == set(rest)), None)
            if rest is None:
                text = f"{pair.field.shown}: `{kind}` was added, which rejects only objects with new fields"
            elif same is not None:
                lost[kind].remove(same)
                text = f"{pair.field.shown}: `{kind}` was extended for new fields: {_NEW_VALUES}"
            else:
                continue
            gained[kind].remove(junctor)
            old_path = pair.old[0].path if same is None else same.path
            collector.add(rules.JUNCTOR, text, junctor.path, old_path, field=pair.field, severity="info")


def _for_existing(
    kind: str, branches: tuple[JSONSchemaProps, ...], new: frozenset[str]
) -> dict[str, JSONSchemaProps] | None:
    """Return the branches that matter for objects without new fields, None if all of these match the junctor."""
    if kind == "not":
        content = _without_new(branches[0], new, 0)
        return None if content is False else _by_digest(branches if content is True else (content,))
    rest = [content for content in (_without_new(branch, new, 0) for branch in branches) if content is not False]
    if any(content is True for content in rest):
        return None if kind == "anyOf" or len(rest) == 1 else _by_digest(branches)
    return _by_digest([content for content in rest if not isinstance(content, bool)])


def _without_new(schema: JSONSchemaProps, new: frozenset[str], depth: int) -> JSONSchemaProps | bool:
    """Return a schema as it is for objects without new fields: False if none of them matches, True if all do."""
    if not new.isdisjoint(schema.required):
        return False
    if depth > _DEEPEST:
        return schema
    rest = copy(schema)
    fields = vars(rest)
    for attribute in ("all_of", "any_of", "one_of"):
        members: Sequence[JSONSchemaProps] = getattr(schema, attribute)
        if not members:
            continue
        branches = [_without_new(member, new, depth + 1) for member in members]
        possible = [branch for branch in branches if branch is not False]
        if not possible or (attribute == "all_of" and len(possible) < len(branches)):
            return False
        remaining = [branch for branch in possible if not isinstance(branch, bool)]
        if attribute == "one_of" and len(remaining) < len(possible) > 1:
            return schema
        if len(remaining) < len(possible) and (attribute != "all_of" or not remaining):
            del fields[attribute]
        else:
            fields[attribute] = remaining
    if schema.not_ is not None:
        content = _without_new(schema.not_, new, depth + 1)
        if content is True:
            return False
        if content is False:
            del fields["not_"]
        else:
            fields["not_"] = content
    return rest if _keywords(rest) else True


def _report_other_kind(
    lost: dict[str, list[_Junctor]], gained: dict[str, list[_Junctor]], pair: Pair, collector: Collector
) -> None:
    """Report branches that are now those of `anyOf` in place of `oneOf`, or the reverse."""
    for old_kind, kind in (("oneOf", "anyOf"), ("anyOf", "oneOf")):
        for junctor in tuple(gained[kind]):
            same = next((other for other in lost[old_kind] if other.digests == junctor.digests), None)
            if same is None:
                continue
            gained[kind].remove(junctor)
            lost[old_kind].remove(same)
            change = f"{pair.field.shown}: `{old_kind}` became `{kind}`"
            if kind == "anyOf":
                collector.add(
                    rules.JUNCTOR_REMOVED, f"{change}: {_NEW_VALUES}", junctor.path, same.path, field=pair.field
                )
            else:
                text = f"{change}: values that match several branches are rejected; {_consequence(pair)}"
                collector.add(rules.JUNCTOR, text, junctor.path, same.path, field=pair.field)


def _report_changed(old: _Junctor, new: _Junctor, pair: Pair, collector: Collector) -> None:
    kind, shown = old.kind, pair.field.shown
    gained = [branch for digest, branch in new.branches.items() if digest not in old.branches]
    lost = [branch for digest, branch in old.branches.items() if digest not in new.branches]
    severity: Severity = "warning"
    if kind == "not":
        if _is_narrower(gained[0], lost[0]):
            text = f"{shown}: `not` matches fewer values: {_NEW_VALUES}"
            collector.add(rules.JUNCTOR_REMOVED, text, new.path, old.path, field=pair.field)
            return
        text = f"{shown}: `not` was changed: values that match are rejected; {_consequence(pair)}"
        severity = "error"
    elif lost and gained:
        text = f"{shown}: branches of `{kind}` changed: it is not known which values are rejected now; "
        text += _consequence(pair)
    elif lost:
        text = f"{shown}: a branch of `{kind}` was removed: values that match no other branch are rejected; "
        text += _consequence(pair)
    elif kind == "anyOf":
        text = f"{shown}: a branch of `{kind}` was added: {_NEW_VALUES}"
        severity = "info"
    else:
        text = f"{shown}: a branch of `{kind}` was added: values that match another one, too, are rejected; "
        text += _consequence(pair)
    collector.add(rules.JUNCTOR, text, new.path, old.path, field=pair.field, severity=severity)


def _is_narrower(schema: JSONSchemaProps, other: JSONSchemaProps) -> bool:
    """Return whether all values that match a schema match another one, which only requires fields."""
    return _keywords(other) == {"required"} and set(other.required) <= set(schema.required)


def _keywords(schema: JSONSchemaProps) -> set[str]:
    """Return the fields of a schema that restrict values."""
    names = {name for name in vars(schema) if not name.startswith("_")}
    return names - PROVENANCE - {"description", "title", "example"}
