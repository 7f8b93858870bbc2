"""Application of configuration, ignore comments and baseline to the findings of a file.

Errors of the API server that are ignored or lowered in severity are not reported as errors, but the run still fails
unless that is accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from crdlint.config.rule_patterns import is_matched
from crdlint.diagnostics import INTERNAL_ERROR, RANKS, Diagnostic

if TYPE_CHECKING:
    from crdlint.config.comments import Comments
    from crdlint.config.model import Config, FailOn, FieldValidation, Ignore, IgnoredBy
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

    `result` contains the reported findings with their configured severity, `ignored` the others. `rejections` are the
    ignored or lowered errors of the API server, without hidden ones. `failed` is true if the file causes exit status 1.
    `used` are the entries of `ignore` for some CRDs that have a finding in the file.
    """

    result: FileResult
    ignored: tuple[IgnoredFinding, ...]
    rejections: tuple[Diagnostic, ...]
    failed: bool
    used: frozenset[Ignore]


def comments_of(result: FileResult) -> Comments | None:
    """Return the ignore comments of a file, None without any."""
    text = result.text if result.masked is None else result.masked
    if "crdlint:" not in text and "crdlint/ignore" not in text:
        return None
    from crdlint.config.comments import read_comments  # few files need it

    return read_comments(text, result.file)


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
    if comments is not None:
        findings, silent = _commented(result, comments, updates=updates, resources=resources)
    by: dict[int, IgnoredBy] = dict.fromkeys(silent, "comment")
    entries: dict[int, Ignore] = {}
    if config.ignores and not resources:
        from crdlint.config.scoped_ignores import scoped_ignores

        entries = scoped_ignores(result, config)
        by |= {i: "ignore" for i, entry in entries.items() if entry.severity is None}
    decided = {
        rule: config.ignored_by(rule, result.file)
        for rule in {finding.rule for finding in findings}
    }
    by |= {
        i: reason
        for i, finding in enumerate(findings)
        if (reason := decided[finding.rule]) is not None
    }
    if baseline is not None:
        left = [i for i in range(len(findings)) if i not in by]
        in_baseline = baseline.ignored_in(
            replace(result, diagnostics=tuple(findings[i] for i in left))
        )
        by.update((left[i], "baseline") for i in in_baseline)
    by = {i: reason for i, reason in by.items() if findings[i].rule != INTERNAL_ERROR}
    return _applied(result, findings, by, entries, config)


def _commented(
    result: FileResult, comments: Comments, *, updates: bool, resources: bool
) -> tuple[list[Diagnostic], frozenset[int]]:
    """Return the findings of a file and of its comments, and the indexes of those that comments ignore."""
    from crdlint.config.matched_comments import match_ignore_comments

    lines = [crd.line for crd in result.crds]
    # A result without documents is about the chart of the file, which has a result of its own.
    findings = [*result.diagnostics, *(comments.remarks if result.documents else ())]
    matched = match_ignore_comments(comments, findings, lines, updates=updates, resources=resources)
    if not matched.unused:
        return findings, matched.findings
    findings += matched.unused
    of_comments = match_ignore_comments(comments, findings, lines, updates=True).findings
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
    rejections: list[Diagnostic] = []
    for i, sent in enumerate(findings):
        diagnostic = _as_sent(sent, config)
        is_internal = diagnostic.rule == INTERNAL_ERROR
        severity = (
            "error" if is_internal else config.severity_of(diagnostic.rule, diagnostic.severity)
        )
        entry = entries.get(i)
        if entry is not None and entry.severity is not None and not is_internal:
            severity = entry.severity
            if entry.reason:
                diagnostic = replace(
                    diagnostic, help=f"{diagnostic.help}. Configured as {severity}: {entry.reason}"
                )
        reason = by.get(i)
        if reason is None and _is_strict(sent) and _validation(config) == "ignore":
            reason = "field-validation"
        if reason is None and RANKS[severity] > RANKS[config.min_severity]:
            reason = "min-severity"
        if reason is None:
            reported.append(
                diagnostic
                if severity == diagnostic.severity
                else replace(diagnostic, severity=severity)
            )
        else:
            ignored.append(
                IgnoredFinding(diagnostic, reason, entry if reason == "ignore" else None)
            )
        if (reason is not None or severity != "error") and diagnostic.is_rejection:
            rejections.append(diagnostic)
    failed = _is_failed(reported, rejections, config)
    used = frozenset(entries.values())
    return Applied(
        replace(result, diagnostics=tuple(reported)),
        tuple(ignored),
        tuple(rejections),
        failed,
        used,
    )


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
    if diagnostic.versions and message.startswith("rejected "):
        message = f"dropped {message.removeprefix('rejected ')}"
    return replace(
        diagnostic, severity="warning", message=message, help=f"{diagnostic.help}. {client}"
    )


def _is_failed(reported: list[Diagnostic], rejections: list[Diagnostic], config: Config) -> bool:
    if config.fail_on == "never":
        return False
    if rejections and not config.accept_rejections:
        return True
    least = RANKS[config.fail_on]
    return any(
        RANKS[diagnostic.severity] <= least for diagnostic in reported if not diagnostic.hidden
    )


def closing_line(
    rejections: int, fail_on: FailOn = "error", *, accepted: bool = False
) -> str | None:
    """Return the last line of a run in which errors of the API server were ignored, or None if there were none."""
    if not rejections:
        return None
    text = f"{rejections:,} ignored finding{' is' if rejections == 1 else 's are'} rejected by the API server"
    if accepted:
        return f"{text} (accepted by --accept-rejections)"
    return (
        text if fail_on == "never" else f"{text}: exit status 1 (--accept-rejections accepts that)"
    )


def reasons(
    ignored: Iterable[IgnoredFinding], config: Config, comments: Comments | None
) -> Iterator[str]:
    """Yield a line for each ignored finding: its position and message, what ignores it, and the reason given there."""
    for finding, by, entry in ignored:
        if finding.hidden:
            continue
        origin, reason = str(by), ""
        if by == "ignore" and entry is not None:
            origin, reason = f"{config.file}:{entry.line}", entry.reason
        elif by == "comment" and comments is not None:
            position = (finding.line, finding.column)
            for comment in comments.valid:
                is_rule = is_matched(finding.rule, (name.pattern for name in comment.rules))
                if is_rule and any(start <= position < end for start, end in comment.where):
                    origin, reason = f"line {comment.rules[0].span.line}", comment.reason
        where = f"{finding.file}:{finding.line}:{finding.column}"
        yield f"{where}: ignored {finding.severity} {finding.rule} by {origin}{f': {reason}' if reason else ''}"
