"""Application of configuration, ignore comments and baseline to the findings of a file.

Errors of the API server that are ignored or lowered in severity do not fail a run. They are counted on its last line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, Protocol

from crdlint.config.rule_patterns import is_matched
from crdlint.diagnostics import INTERNAL_ERROR, RANKS, Diagnostic
from crdlint.light import NamedTuple, replace
from crdlint.phrases import agreeing, counted, joined
from crdlint.rules.consequences import is_advice

if TYPE_CHECKING:
    from crdlint.config.comments import Comments
    from crdlint.config.model import Config, FieldValidation, Ignore, IgnoredBy
    from crdlint.linting.result import FileResult


class Known(Protocol):
    """Known findings, such as a baseline."""

    def ignored_in(self, result: FileResult, /) -> frozenset[int]:
        """Return the indexes of the known findings of a file."""


class IgnoredFinding(NamedTuple):
    """A finding that is not reported, the setting that ignores it, and its entry if that is one for some CRDs only."""

    finding: Diagnostic
    by: IgnoredBy
    entry: Ignore | None


class Applied(NamedTuple):
    """The result of applying the configuration to the findings of a file.

    `result` contains the reported findings with their configured severity, `ignored` the others. `accepted` counts the
    ignored or lowered errors of the API server by what accepts them, without hidden ones. `failed` is true if the file
    causes exit status 1. `used` are the entries of `ignore` for some CRDs that have a finding in the file.
    """

    result: FileResult
    ignored: tuple[IgnoredFinding, ...]
    accepted: Counter[IgnoredBy]
    failed: bool
    used: frozenset[Ignore]


def comments_of(result: FileResult) -> Comments | None:
    """Return the ignore comments of a file, None without any."""
    text = result.text
    if "crdlint:" not in text and "crdlint/ignore" not in text:
        return None
    from crdlint.config.comments import read_comments  # few files need it

    if result.masked is None:
        return read_comments(text, result.file)
    from crdlint.config.template_comments import read_template_comments

    return read_template_comments(text, result.file)


def apply(
    result: FileResult,
    config: Config,
    comments: Comments | None = None,
    baseline: Known | None = None,
    *,
    updates: bool = False,
    resources: bool = False,
) -> Applied:
    """Apply the configuration to a file; files must be in the order of the report, because `baseline` counts down.

    `comments` are the ignore comments of the file, None to ignore them. `updates` means that CRDs were checked as
    updates (`--against`), `resources` that the findings are those of `crdlint validate`.
    """
    findings, silent = list(result.diagnostics), frozenset[int]()
    if not findings and comments is None and baseline is None:
        return Applied(
            result,
            (),
            Counter(),
            failed=False,
            used=frozenset(),
        )
    if comments is not None:
        findings, silent = _commented(
            result,
            comments,
            updates=updates,
            resources=resources,
        )
    by: dict[int, IgnoredBy] = dict.fromkeys(silent, "comment")
    entries = {} if resources else _entries(result, config)
    by |= {i: "ignore" for i, entry in entries.items() if entry.severity is None}
    by |= _by_rule(findings, result.file, config)
    if baseline is not None:
        by |= _by_baseline(result, findings, by, baseline)
    by = {i: reason for i, reason in by.items() if findings[i].rule != INTERNAL_ERROR}
    return _applied(result, findings, by, entries, config)


def _entries(result: FileResult, config: Config) -> dict[int, Ignore]:
    """Return the entries of `ignore` for some CRDs, by the indexes of the findings that they are for."""
    if not config.ignores:
        return {}
    from crdlint.config.scoped_ignores import scoped_ignores  # few configurations need it

    return scoped_ignores(result, config)


def _by_rule(findings: list[Diagnostic], file: str, config: Config) -> dict[int, IgnoredBy]:
    """Return the indexes of the findings whose rule is not reported in a file, with the setting that decides it."""
    rules = {finding.rule for finding in findings}
    reasons = {rule: config.ignored_by(rule, path=file) for rule in rules}
    by: dict[int, IgnoredBy] = {}
    for i, finding in enumerate(findings):
        reason = reasons[finding.rule]
        if reason is not None:
            by[i] = reason
    return by


def _by_baseline(
    result: FileResult,
    findings: list[Diagnostic],
    by: Container[int],
    baseline: Known,
) -> dict[int, IgnoredBy]:
    """Return the indexes of the findings that a baseline knows, among those that nothing else ignores."""
    left = [i for i in range(len(findings)) if i not in by]
    in_baseline = baseline.ignored_in(replace(result, diagnostics=tuple(findings[i] for i in left)))
    return {left[i]: "baseline" for i in in_baseline}


def _commented(
    result: FileResult,
    comments: Comments,
    *,
    updates: bool,
    resources: bool,
) -> tuple[list[Diagnostic], frozenset[int]]:
    """Return the findings of a file and of its comments, and the indexes of those that comments ignore."""
    from crdlint.config.matched_comments import match_ignore_comments

    lines = [crd.line for crd in result.crds]
    # A result without documents is about the chart of the file, which has a result of its own.
    findings = [*result.diagnostics, *(comments.remarks if result.documents else ())]
    matched = match_ignore_comments(
        comments,
        findings,
        lines,
        updates=updates,
        resources=resources,
    )
    if not matched.unused:
        return findings, matched.findings
    findings += matched.unused
    of_comments = match_ignore_comments(
        comments,
        findings,
        lines,
        updates=True,
    ).findings
    return findings, matched.findings | of_comments


def _applied(
    result: FileResult,
    findings: list[Diagnostic],
    by: dict[int, IgnoredBy],
    entries: dict[int, Ignore],
    config: Config,
) -> Applied:
    reported: list[Diagnostic] = []
    ignored: list[IgnoredFinding] = []
    accepted: Counter[IgnoredBy] = Counter()
    for i, original in enumerate(findings):
        entry = entries.get(i)
        sent = _as_sent(original, config)
        configured = _unasked(_configured(sent, config, entry), config)
        reason: IgnoredBy | None = by.get(i) or _left_out_by(original, configured, config)
        if reason is None:
            reported.append(configured)
        else:
            ignored.append(IgnoredFinding(sent, reason, entry if reason == "ignore" else None))
        if sent.is_rejection and (reason is not None or configured.severity != "error"):
            if reason is None or reason == "min-severity":  # its severity is what lets it pass
                reason = "severity" if entry is None else "ignore"
            accepted[reason] += 1
    return Applied(
        replace(result, diagnostics=tuple(reported)),
        tuple(ignored),
        accepted,
        _is_failed(reported, config),
        frozenset(entries.values()),
    )


def _configured(finding: Diagnostic, config: Config, entry: Ignore | None) -> Diagnostic:
    """Return a finding with its configured severity, which an entry for its CRD may decide and explain."""
    if finding.rule == INTERNAL_ERROR:
        return finding if finding.severity == "error" else replace(finding, severity="error")
    if entry is None or entry.severity is None:
        severity = config.severity_of(finding.rule, finding.severity)
        return finding if severity == finding.severity else replace(finding, severity=severity)
    finding = replace(finding, severity=entry.severity)
    if not entry.reason:
        return finding
    help_ = f"{finding.help}. Configured as {entry.severity}: {entry.reason}"
    return replace(finding, help=help_)


def _unasked(finding: Diagnostic, config: Config) -> Diagnostic:
    """Return a finding whose fix is unsafe if it is of a hint, unless the rule is selected by name.

    Text only counts hints, so no user has seen what such a fix would change.
    """
    fix = finding.fix
    if fix is None or finding.severity != "info" or config.selects(finding.rule):
        return finding
    if not is_advice(finding):
        return finding
    return replace(finding, fix=replace(fix, applicability="unsafe"))


def _left_out_by(original: Diagnostic, configured: Diagnostic, config: Config) -> IgnoredBy | None:
    """Return the setting by which a finding that no rule, comment or baseline ignores is not reported."""
    if _is_strict(original) and _validation(config) == "ignore":
        return "field-validation"
    return "min-severity" if RANKS[configured.severity] > RANKS[config.min_severity] else None


def _validation(config: Config) -> FieldValidation:
    if config.field_validation is not None:
        return config.field_validation
    return "warn" if config.in_chart and not config.senders else "strict"


def _is_strict(diagnostic: Diagnostic) -> bool:
    """Return whether a server rejects an object because of a finding only with strict field validation."""
    return diagnostic.kind == "strict" and diagnostic.severity == "error"


_SENT_BY_HELM: Final = (
    "kubectl and Helm 4 reject it; Helm 3 installs it, and the API server drops the field"
)
_SENT: Final = (
    "kubectl rejects it by default; with this field validation the API server drops the field"
)


def _as_sent(diagnostic: Diagnostic, config: Config) -> Diagnostic:
    """Return a finding as the API server makes it for the field validation that clients ask for."""
    if not _is_strict(diagnostic) or _validation(config) == "strict":
        return diagnostic
    client = _SENT_BY_HELM if config.in_chart else _SENT
    message = diagnostic.message
    if diagnostic.versions:
        from crdlint.linting.version_range import dropped

        message = dropped(message)
    return replace(
        diagnostic,
        severity="warning",
        message=message,
        help=f"{diagnostic.help}. {client}",
    )


def _is_failed(reported: list[Diagnostic], config: Config) -> bool:
    if config.fail_on == "never":
        return False
    least = RANKS[config.fail_on]
    return any(RANKS[each.severity] <= least for each in reported if not each.hidden)


# What accepts an error of the API server, for the last line of a run.
_ACCEPTING: Final[dict[IgnoredBy, str]] = {
    "select": "`select`",
    "ignore": "`ignore`",
    "per-file-ignores": "`per-file-ignores`",
    "severity": "`severity`",
    "comment": "ignore comments",
    "baseline": "the baseline",
}


def closing_line(accepted: Mapping[IgnoredBy, int]) -> str | None:
    """Return the last line of a run in which errors of the API server are accepted, or None if there are none."""
    counts = {what: accepted[by] for by, what in _ACCEPTING.items() if accepted.get(by)}
    if not counts:
        return None
    total = sum(counts.values())
    line = f"{counted(total, 'error')} of the API server {agreeing(total, 'is', 'are')} accepted"
    if len(counts) == 1:
        return f"{line} by {''.join(counts)}"
    return f"{line}: {joined([f'{count:,} by {what}' for what, count in counts.items()])}"


def reasons(ignored: Iterable[IgnoredFinding], comments: Comments | None) -> Iterator[str]:
    """Yield a line for each ignored finding: its position and message, what ignores it, and the reason given there."""
    for finding, by, entry in ignored:
        if finding.hidden:
            continue
        origin, reason = str(by), ""
        if entry is not None:
            origin, reason = f"{entry.file}:{entry.line}", entry.reason
        elif by == "comment":
            origin, reason = _of_comment(finding, comments) or (origin, reason)
        where = f"{finding.file}:{finding.line}:{finding.column}"
        why = f": {reason}" if reason else ""
        yield f"{where}: ignored {finding.severity} {finding.rule} by {origin}{why}"


def _of_comment(finding: Diagnostic, comments: Comments | None) -> tuple[str, str] | None:
    """Return the line and the reason of the last comment that ignores a finding."""
    if comments is None:
        return None
    position = (finding.line, finding.column)
    for comment in reversed(comments.valid):
        is_here = any(start <= position < end for start, end in comment.where)
        if is_here and is_matched(finding.rule, (name.pattern for name in comment.rules)):
            return f"line {comment.rules[0].span.line}", comment.reason
    return None
