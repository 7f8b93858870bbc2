"""The findings that ignore comments apply to, and comments without effect."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cache

from crdlint.config.comments import WHOLE_FILE, Comment, Comments, NamedRule, Position, Stretch
from crdlint.config.rule_patterns import is_matched, rule_ids
from crdlint.diagnostics import Diagnostic
from crdlint.light import NamedTuple, dataclass
from crdlint.rules import catalog
from crdlint.rules.engine.rule import Rule
from crdlint.rules.texts.reading import DUPLICATE_KEY, UNKNOWN_FIELD, UNUSED


@dataclass(frozen=True, slots=True)
class Silenced:
    """The indexes of the findings that comments ignore, and findings about comments without effect."""

    findings: frozenset[int]
    unused: tuple[Diagnostic, ...]


def match_ignore_comments(
    comments: Comments,
    diagnostics: Sequence[Diagnostic],
    crd_lines: Sequence[int],
    *,
    updates: bool = False,
    resources: bool = False,
) -> Silenced:
    """Match comments with the findings of their file.

    `crd_lines` are the starts of CRDs: a comment in a document without a CRD is not reported. With `updates`, no
    comment is reported, because other runs check CRDs without the update. With `resources`, the lines and findings are
    those of custom resources.
    """
    if not comments.valid:
        return Silenced(frozenset(), ())
    undecoded, rejected = (
        sorted(d.line for d in diagnostics if d.kind == kind) for kind in ("decode", "field")
    )
    reported = _Reported(sorted(crd_lines), undecoded, rejected, resources)
    findings = _Findings.of(diagnostics)
    unused: list[Diagnostic] = []
    for comment in comments.valid:
        for name in comment.rules:
            if findings.cover(comment.where, name.pattern) or updates:
                continue
            if reported.had_to_match(comment, name.pattern):
                unused.append(_unused(comments.file, comment, name))
    unused.sort(key=lambda finding: (finding.line, finding.column))
    return Silenced(frozenset(_covered(findings.by_rule, findings.covered)), tuple(unused))


@dataclass(slots=True)
class _Findings:
    """The positions of findings by rule, sorted, and the stretches of them that comments cover."""

    by_rule: dict[str, list[tuple[Position, int]]]
    covered: dict[str, list[Stretch]] = field(default_factory=lambda: defaultdict(list))
    _matched: dict[str, list[str]] = field(default_factory=dict)  # the rules of each pattern

    @classmethod
    def of(cls, diagnostics: Sequence[Diagnostic]) -> _Findings:
        by_rule: dict[str, list[tuple[Position, int]]] = defaultdict(list)
        for i, diagnostic in enumerate(diagnostics):
            by_rule[diagnostic.rule].append(((diagnostic.line, diagnostic.column), i))
        for positions in by_rule.values():
            positions.sort()
        return cls(by_rule)

    def cover(self, where: Sequence[Stretch], pattern: str) -> bool:
        """Cover the findings of a pattern's rules in some stretches, and return whether there is one."""
        if pattern not in self._matched:
            rules = [rule for rule in self.by_rule if is_matched(rule, (pattern,))]
            self._matched[pattern] = rules
        covers = [
            (rule, stretch)
            for rule in self._matched[pattern]
            for stretch in where
            if self._has_any(rule, stretch)
        ]
        for rule, stretch in covers:
            self.covered[rule].append(stretch)
        return bool(covers)

    def _has_any(self, rule: str, stretch: Stretch) -> bool:
        positions = self.by_rule[rule]
        start, end = stretch
        return bisect_left(positions, (start, -1)) < bisect_left(positions, (end, -1))


def _unused(file: str, comment: Comment, name: NamedRule) -> Diagnostic:
    message = f"`{name.pattern}` is ignored here, but has no finding"
    if not comment.where:
        message = f"`{name.pattern}` is ignored below this comment, where the file ends"
    elif comment.where == (WHOLE_FILE,):
        message = f"`{name.pattern}` is ignored in this file, but has no finding"
    return UNUSED.diagnostic(file, "advice", message, name.span)


class _Reported(NamedTuple):
    """The sorted lines of CRDs or `resources`: all, those that could not be decoded, and those that are rejected."""

    crds: Sequence[int]
    undecoded: Sequence[int]
    rejected: Sequence[int]
    resources: bool

    def had_to_match(self, comment: Comment, pattern: str) -> bool:
        """Return whether a rule would have been reported in the range of a comment if it were violated."""
        lines = comment.document
        if not comment.where or comment.where == (WHOLE_FILE,):
            lines = (1, WHOLE_FILE[1][0])
        if not _is_any_within(self.crds, lines) or _is_any_within(self.undecoded, lines):
            return False
        is_reported = _is_of_resources if self.resources else is_reported_in_each_run
        if not is_reported(pattern):
            return False
        return not (is_withheld(pattern) and _is_any_within(self.rejected, lines))


def _is_any_within(lines: Sequence[int], bounds: tuple[int, int]) -> bool:
    return bisect_left(lines, bounds[0]) < bisect_right(lines, bounds[1])


@cache
def is_reported_in_each_run(pattern: str) -> bool:
    """Return whether each check of a CRD reports the rules of a pattern, and not only that of an update or a resource."""
    return all(rule.in_each_run for rule in _rules(pattern))


@cache
def is_withheld(pattern: str) -> bool:
    """Return whether a rule of a pattern is only evaluated if the API server rejects nothing else."""
    return any(rule.withheld for rule in _rules(pattern))


@cache
def _is_of_resources(pattern: str) -> bool:
    """Return whether `validate` reports a rule of a pattern."""
    ids = {UNKNOWN_FIELD.id, DUPLICATE_KEY.id}
    return any(rule.scope == "resource" or rule.id in ids for rule in _rules(pattern))


def _rules(pattern: str) -> list[Rule]:
    return [catalog.get(rule) for rule in rule_ids() if is_matched(rule, (pattern,))]


def _covered(
    by_rule: dict[str, list[tuple[Position, int]]], covered: dict[str, list[Stretch]]
) -> Iterator[int]:
    """Yield the indexes of the findings within the ranges in which their rule is ignored, each once."""
    for rule, stretches in covered.items():
        positions = by_rule[rule]
        index = 0
        for start, end in sorted(stretches):
            index = max(index, bisect_left(positions, (start, -1)))
            while index < len(positions) and positions[index][0] < end:
                yield positions[index][1]
                index += 1
