"""What is told of a file's findings, once its configuration, its ignore comments and the baseline have had their say.

What the API server refuses cannot be ignored into a green run: such findings are not told, or as less than errors, but
the run fails all the same unless that is accepted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from crdlint.config.comments import match_ignore_comments

if TYPE_CHECKING:
    from crdlint.config.baseline import BaselineMatcher
    from crdlint.config.comments import Comments
    from crdlint.config.model import Config, FailOn, IgnoredBy
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult

_REFUSING: Final = frozenset({"decode", "strict", "field"})
_RANKS: Final = {"error": 0, "warning": 1, "info": 2}


@dataclass(frozen=True, slots=True)
class Ignored:
    """A finding that is not told, and by what."""

    diagnostic: Diagnostic
    by: IgnoredBy


@dataclass(frozen=True, slots=True)
class Applied:
    """What is left of a file's findings.

    ``result`` has those to tell, at the severity that is asked for. ``ignored`` has the others, and ``rejections``
    those, ignored or lowered, that the API server refuses; what is hidden is in neither. ``failed`` tells whether
    the file makes the exit status 1.
    """

    result: FileResult
    ignored: tuple[Ignored, ...]
    rejections: tuple[Diagnostic, ...]
    failed: bool

    def counts(self) -> Counter[IgnoredBy]:
        """Return how many findings were ignored by what."""
        return Counter(one.by for one in self.ignored)


def apply(
    result: FileResult,
    config: Config,
    comments: Comments | None = None,
    baseline: BaselineMatcher | None = None,
    *,
    updates: bool = False,
    resources: bool = False,
) -> Applied:
    """Return what is to be told of a file; files go in the order they are told in, since ``baseline`` counts down.

    ``comments`` are those of the file's own text, None to leave them out of account. ``updates`` says that CRDs were
    judged as updates (``--against``), ``resources`` that the findings are those of ``crdlint validate``.
    """
    found = list(result.diagnostics)
    silent: frozenset[int] = frozenset()
    if comments is not None:
        lines = [crd.line for crd in result.crds]
        found += comments.remarks
        matched = match_ignore_comments(comments, found, lines, updates=updates, resources=resources)
        found += matched.unused
        silent = matched.findings
        if matched.unused:
            silent |= match_ignore_comments(comments, found, lines, updates=True).findings
    by: dict[int, IgnoredBy] = dict.fromkeys(silent, "comment")
    decided: dict[str, IgnoredBy | None] = {}
    for i, diagnostic in enumerate(found):
        rule = diagnostic.rule
        if rule not in decided:
            decided[rule] = config.ignored_by(rule, result.file)
        reason = decided[rule]
        if reason is not None:
            by[i] = reason
    if baseline is not None:
        _take_known(result, found, by, baseline)
    return _applied(result, found, by, config)


def _take_known(
    result: FileResult, found: list[Diagnostic], by: dict[int, IgnoredBy], baseline: BaselineMatcher
) -> None:
    """Add to ``by`` what the baseline knows of the findings that are left."""
    left = [i for i in range(len(found)) if i not in by]
    known = baseline.take(replace(result, diagnostics=tuple(found[i] for i in left)))
    by.update((left[i], "baseline") for i in known)


def _applied(result: FileResult, found: list[Diagnostic], by: dict[int, IgnoredBy], config: Config) -> Applied:
    told: list[Diagnostic] = []
    ignored: list[Ignored] = []
    rejections: list[Diagnostic] = []
    for i, diagnostic in enumerate(found):
        severity = config.severity_of(diagnostic.rule, diagnostic.severity)
        reason = by.get(i)
        if reason is None and _RANKS[severity] > _RANKS[config.min_severity]:
            reason = "min-severity"
        if reason is None:
            told.append(diagnostic if severity == diagnostic.severity else replace(diagnostic, severity=severity))
        elif not diagnostic.hidden:
            ignored.append(Ignored(diagnostic, reason))
        if (reason is not None or severity != "error") and is_rejection(diagnostic):
            rejections.append(diagnostic)
    return Applied(
        replace(result, diagnostics=tuple(told)),
        tuple(ignored),
        tuple(rejections),
        _is_failed(told, rejections, config),
    )


def is_rejection(diagnostic: Diagnostic) -> bool:
    """Tell whether a finding, at its rule's own severity, is why the API server refuses what it is about."""
    return (
        diagnostic.origin == "apiserver"
        and diagnostic.severity == "error"
        and diagnostic.kind in _REFUSING
        and not diagnostic.hidden
    )


def _is_failed(told: list[Diagnostic], rejections: list[Diagnostic], config: Config) -> bool:
    if config.fail_on == "never":
        return False
    if rejections and not config.accept_rejections:
        return True
    least = _RANKS[config.fail_on]
    return any(_RANKS[diagnostic.severity] <= least for diagnostic in told if not diagnostic.hidden)


def closing_line(rejections: int, fail_on: FailOn = "error", *, accepted: bool = False) -> str | None:
    """Return what a run ends with where findings that the API server refuses were ignored; None where none were."""
    if not rejections:
        return None
    said = f"{rejections:,} ignored finding{' is' if rejections == 1 else 's are'} rejected by the API server"
    if accepted:
        return f"{said} (accepted by --accept-rejections)"
    if fail_on == "never":
        return said
    return f"{said}: exit status 1 (--accept-rejections accepts that)"
