"""Changes of `not`, `anyOf` and `oneOf`: their branches are compared as sets of folded schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.changes.conjunction import properties
from crdlint.changes.fingerprints import JUNCTORS, branches_of, fingerprint
from crdlint.rules import changes as rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.changes.collector import Collector, Pair
    from crdlint.changes.conjunction import Conjunction
    from crdlint.crd.model import JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.diagnostics.diagnostic import Severity

# The branches of one junctor by the digests of their schemas, and where it is.
_Junctor = tuple[dict[str, "JSONSchemaProps"], "Path"]


def compare_junctors(pair: Pair, found: Collector) -> None:
    """Report the junctors of a value that were added, changed or removed."""
    for kind in JUNCTORS:
        before, after = _junctors(pair.old, kind), _junctors(pair.new, kind)
        if not before and not after:
            continue
        same = {frozenset(one) for one, _ in before} & {frozenset(one) for one, _ in after}
        lost = [one for one in before if frozenset(one[0]) not in same]
        gained = [one for one in after if frozenset(one[0]) not in same]
        if len(lost) == len(gained) == 1 and kind != "not":
            _report_changed(kind, pair, lost[0], gained[0], found)
            continue
        for _, path in gained:
            _report_added(kind, path, pair, found)
        if lost and not gained:
            text = f"{pair.place.shown}: `{kind}` was removed: clients meet values that were not possible before"
            found.add(rules.JUNCTOR_REMOVED, text, pair.new[0].path, lost[0][1], place=pair.place)


def _junctors(node: Conjunction, kind: str) -> list[_Junctor]:
    found: list[_Junctor] = []
    for schema in node:
        branches = branches_of(schema, kind)
        if not branches or _is_of_int_or_string(node, kind, branches):
            continue
        by_digest = {fingerprint(branch).digest: branch for branch in branches}
        found.append((by_digest, schema.path.child(kind)))
    return found


def _is_of_int_or_string(node: Conjunction, kind: str, branches: Sequence[JSONSchemaProps]) -> bool:
    """Return whether branches only repeat what `x-kubernetes-int-or-string` means."""
    return (
        kind == "anyOf"
        and any(one.x_int_or_string for one in node)
        and {one.type for one in branches} == {"integer", "string"}
    )


def _report_added(kind: str, path: Path, pair: Pair, found: Collector) -> None:
    which = "match" if kind == "not" else "do not match"
    consequence = pair.place.consequence(is_container=_is_container(pair))
    text = f"{pair.place.shown}: `{kind}` was added: values that {which} are rejected; {consequence}"
    found.add(rules.JUNCTOR, text, path, pair.old[0].path, place=pair.place)


def _is_container(pair: Pair) -> bool:
    return pair.new[0].type in {"object", "array"}


def _report_changed(kind: str, pair: Pair, old: _Junctor, new: _Junctor, found: Collector) -> None:
    (before, old_path), (after, path) = old, new
    gained = [branch for digest, branch in after.items() if digest not in before]
    lost = [digest for digest in before if digest not in after]
    shown, consequence = pair.place.shown, pair.place.consequence(is_container=_is_container(pair))
    severity: Severity = "warning"
    if lost and gained:
        text = f"{shown}: branches of `{kind}` changed: it is not known which values are rejected now; {consequence}"
    elif lost:
        text = (
            f"{shown}: a branch of `{kind}` was removed: values that match no other branch are rejected; {consequence}"
        )
    elif kind == "anyOf" or all(_needs_new_field(one, pair) for one in gained):
        text = f"{shown}: a branch of `{kind}` was added: clients meet values that were not possible before"
        severity = "info"
    else:
        text = (
            f"{shown}: a branch of `{kind}` was added: values that match another one, too, are rejected; {consequence}"
        )
    found.add(rules.JUNCTOR, text, path, old_path, place=pair.place, severity=severity)


def _needs_new_field(branch: JSONSchemaProps, pair: Pair) -> bool:
    """Return whether no existing object can match a branch, since it requires a field that the old schema prunes."""
    known = properties(pair.old)
    return any(name not in known for name in branch.required)
