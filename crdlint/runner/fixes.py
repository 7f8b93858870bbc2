"""Application of fixes in rounds; the text is checked after each round, and fixes that cause new errors are undone."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.rules.consequences import causes
from crdlint.yaml.edit import Edit, apply, composed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Sequence as SequenceOf

    from crdlint.diagnostics.diagnostic import Diagnostic, Fix
    from crdlint.linting.result import FileResult

    Check = Callable[[str], FileResult]

# A few rounds suffice: one for each stage at which the server stops, and one for each fix that enables another.
_ROUNDS: Final = 40
_STAGES: Final = {"decode": 1, "strict": 2, "field": 3}
_SYNTAX, _ADVICE = 0, 4
# The server's path of the schema that all versions share, and its path if they do not share it.
_SCHEMA: Final = re.compile(r"spec\.(?:validation|versions\[\d+\]\.schema)\b")


@dataclass(frozen=True, slots=True)
class Applied:
    """A fix that was applied: its rule, its title, and the line (1-based) of the finding in the text of its round."""

    rule: str
    title: str
    line: int


@dataclass(frozen=True, slots=True)
class Undone:
    """A fix that was undone: its finding, and the errors that it would cause."""

    diagnostic: Diagnostic
    brings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A text with fixes applied.

    ``edits`` turn the text of the first result into ``text``, whose result is ``result``.
    """

    result: FileResult
    edits: tuple[Edit, ...]
    applied: tuple[Applied, ...]
    undone: tuple[Undone, ...]

    @property
    def text(self) -> str:
        """The fixed text."""
        return self.result.text


def fix(
    result: FileResult,
    check: Check,
    *,
    unsafe: bool,
    shown: Callable[[FileResult], Iterable[Diagnostic]] = lambda result: result.diagnostics,
) -> Fixed:
    """Apply the fixes of the findings that `shown` returns, only safe ones or all, until nothing changes.

    `check` returns the result of a text. If no fix applies, it is not called.
    """
    original, current = result.text, result
    edits: list[Edit] = []
    applied: list[Applied] = []
    undone: dict[tuple[str, str, str], Undone] = {}
    seen = {original}
    for _ in range(_ROUNDS):
        chosen = _chosen(
            finding
            for finding in shown(current)
            if _is_wanted(finding, unsafe=unsafe) and _identity(finding) not in undone
        )
        if not chosen:
            break
        proved, following = _proved(current, chosen, check, undone)
        if not proved:
            continue  # all were undone, but the text has other fixes
        if following.text in seen:
            break
        seen.add(following.text)
        edits = composed(edits, _edits(proved))
        applied += [
            Applied(finding.rule, finding.fix.title, finding.line) for finding in proved if finding.fix is not None
        ]
        current = following
    return Fixed(current, tuple(edits), tuple(applied), tuple(undone.values()))


def _is_wanted(finding: Diagnostic, *, unsafe: bool) -> bool:
    return finding.fix is not None and (unsafe or finding.fix.applicability == "safe") and not finding.hidden


def _chosen(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings whose fixes can be applied together: those of the first stage, without overlapping edits.

    Another fix for what only follows from one of them is left to the next round, in which it may not be needed.
    """
    candidates = list(findings)
    following = causes(candidates)
    candidates = [
        finding for finding in candidates if _fix(following.get(id(finding), finding)).edits == _fix(finding).edits
    ]
    first = min(map(_stage, candidates), default=0)
    chosen: list[Diagnostic] = []
    edits: list[Edit] = []  # sorted, without adjacent edits
    for finding in sorted((finding for finding in candidates if _stage(finding) == first), key=_start):
        positions = [(edit, bisect_left(edits, edit.start, key=_end_of)) for edit in _fix(finding).edits]
        if all(index < len(edits) and edit == edits[index] for edit, index in positions):
            chosen.append(finding)
        elif all(index == len(edits) or edit.end < edits[index].start for edit, index in positions):
            chosen.append(finding)
            for edit in _fix(finding).edits:
                insort(edits, edit, key=_end_of)
    return chosen


def _end_of(edit: Edit) -> int:
    return edit.end


def _fix(finding: Diagnostic) -> Fix:
    assert finding.fix is not None  # noqa: S101  only findings with fixes are chosen
    return finding.fix


def _start(finding: Diagnostic) -> tuple[int, int]:
    edits = _fix(finding).edits
    return edits[0].start, edits[-1].end


def _edits(findings: Iterable[Diagnostic]) -> list[Edit]:
    return [edit for finding in findings for edit in _fix(finding).edits]


def _proved(
    before: FileResult, chosen: SequenceOf[Diagnostic], check: Check, undone: dict[tuple[str, str, str], Undone]
) -> tuple[list[Diagnostic], FileResult]:
    """Return the findings whose fixes cause no new errors, and the result with them; add the others to `undone`."""
    stage = _stage(chosen[0])
    errors = _errors(before)

    def tried(group: SequenceOf[Diagnostic]) -> tuple[FileResult, list[str]]:
        after = check(apply(before.text, _edits(group)))
        fewer = {
            (finding.rule, _path(finding)): _count(finding.detail) for finding in group if _count(finding.detail) > 1
        }
        left = _errors(after)
        reworded = Counter(key[:3] for key in errors) - Counter(key[:3] for key in left if key in errors)
        for finding in group:
            reworded.pop((_stage(finding), finding.rule, _path(finding)), None)
        brought = []
        for key, text in left.items():
            if key in errors or key[0] > stage or _count(key[3]) < fewer.get((key[1], key[2]), 1):
                continue
            if reworded[key[:3]] > 0:  # an error of another finding, whose message depends on what is fixed
                reworded[key[:3]] -= 1
            else:
                brought.append(text)
        return after, brought

    after, brought = tried(chosen)
    if not brought:
        return list(chosen), after
    failed = {frozenset(map(id, chosen)): brought}  # a group that is halved comes back with the proved half
    proved: list[Diagnostic] = []
    pending = [list(chosen)]
    following = before
    while pending:
        group = pending.pop()
        together = frozenset(map(id, (*proved, *group)))
        if together not in failed:
            after, failed[together] = tried([*proved, *group])
        brought = failed[together]
        if not brought:
            proved += group
            following = after
        elif len(group) == 1:
            undone[_identity(group[0])] = Undone(group[0], tuple(brought))
        else:
            middle = len(group) // 2
            pending += [group[middle:], group[:middle]]
    return proved, following


def _stage(finding: Diagnostic) -> int:
    """Return the stage at which the API server reports a finding; a stage is reached after all earlier ones succeed."""
    if finding.rule == "yaml-syntax":
        return _SYNTAX
    return _ADVICE if finding.severity != "error" else _STAGES.get(finding.kind, _ADVICE)


def _errors(result: FileResult) -> dict[tuple[int, str, str, str], str]:
    """Return the messages of all errors of a result by their identity, including hidden ones."""
    return {
        (_stage(finding), *_identity(finding)): finding.message
        for finding in result.diagnostics
        if finding.severity == "error" and finding.origin == "apiserver"
    }


def _identity(finding: Diagnostic) -> tuple[str, str, str]:
    return finding.rule, _path(finding), finding.detail


def _path(finding: Diagnostic) -> str:
    return _SCHEMA.sub("schema", finding.field)


def _count(detail: str) -> int:
    """Return the number of errors in a message: those of a CEL expression are one finding."""
    return max(detail.count("ERROR: "), 1)


def fixable(diagnostics: Iterable[Diagnostic]) -> Counter[str]:
    """Return the number of findings with a fix, by its applicability."""
    return Counter(
        finding.fix.applicability for finding in diagnostics if finding.fix is not None and not finding.hidden
    )
