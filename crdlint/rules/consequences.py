"""Which findings only follow from others, so that who fixes the cause gets rid of them as well, and which are advice.

Rules are loaded only if this depends on them: the findings of a file may be from the cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain
from typing import TYPE_CHECKING

from crdlint.diagnostics import UNKNOWN_FIELD, Diagnostic
from crdlint.gathering import grouped

if TYPE_CHECKING:
    from crdlint.rules.engine.relations import Relation
    from crdlint.rules.engine.rule import Rule


def causes(findings: Sequence[Diagnostic]) -> dict[int, Diagnostic]:
    """Return the finding that each finding of a CRD follows from, by the identity of the latter; a cause follows from none."""
    if len(findings) < 2:
        return {}
    by_rule = grouped(findings, lambda finding: finding.rule)
    first: dict[int, Diagnostic] = {}
    for rule, cause_rule, relation in _relations(by_rule.keys()):
        related = _related(by_rule[rule], by_rule[cause_rule], relation)
        for finding, cause in related:
            first.setdefault(id(finding), cause)
    return {key: _root(cause, first) for key, cause in first.items()}


def _relations(present: AbstractSet[str]) -> Iterator[tuple[str, str, Relation]]:
    """Yield the rules whose findings may follow from those of another rule: both are among some, which are present."""
    from crdlint.rules import catalog
    from crdlint.rules.engine.relations import MISSPELLED

    rules = [rule for rule in map(catalog.find, present) if rule is not None]
    if UNKNOWN_FIELD in present:
        others = (rule.id for rule in rules if rule.id != UNKNOWN_FIELD)
        yield from ((other, UNKNOWN_FIELD, MISSPELLED) for other in others)
    for consequence, cause, relation in chain.from_iterable(map(_links, rules)):
        if cause in present and consequence in present:
            yield consequence, cause, relation


def _links(rule: Rule) -> Iterator[tuple[str, str, Relation]]:
    """Yield the ids of what may follow from what, as the declaration of a rule has it."""
    for link in rule.follows:
        yield rule.id, (link.rule or rule).id, link.relation
    for link in rule.explains:
        yield (link.rule or rule).id, rule.id, link.relation


def _related(
    findings: Sequence[Diagnostic], causes: Sequence[Diagnostic], relation: Relation
) -> Iterator[tuple[Diagnostic, Diagnostic]]:
    """Yield findings of a CRD with the first of their causes there that has the same key."""
    key_of_finding, key_of_cause = relation
    by_key: dict[tuple[str | None, str | None], Diagnostic] = {}
    for cause in causes:
        by_key.setdefault((cause.crd, key_of_cause(cause)), cause)
    for finding in findings:
        key = key_of_finding(finding)
        related = None if key is None else by_key.get((finding.crd, key))
        if related is not None and related is not finding:
            yield finding, related


def _root(cause: Diagnostic, first: dict[int, Diagnostic]) -> Diagnostic:
    while id(cause) in first:
        cause = first[id(cause)]
    return cause


def is_advice(finding: Diagnostic) -> bool:
    """Return whether a finding is about what the API server accepts, and reads as it is written."""
    if finding.kind not in {"advice", "warning"}:
        return False
    from crdlint.rules import catalog

    rule = catalog.find(finding.rule)
    return rule is None or not rule.misread
