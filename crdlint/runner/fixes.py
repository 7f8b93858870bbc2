"""Fixes applied to a text in rounds, each proved: the text is checked again, and a fix that brings a new error is undone."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.yaml.edit import Edit, apply, composed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from collections.abc import Sequence as SequenceOf

    from crdlint.diagnostics.diagnostic import Diagnostic, Fix
    from crdlint.linting.result import FileResult

    Check = Callable[[str], FileResult]

# Rounds are few: one for each stage at which the server stops, and one for each fix that makes place for another.
_ROUNDS: Final = 40
_STAGES: Final = {"decode": 1, "strict": 2, "field": 3}
_SYNTAX, _ADVICE = 0, 4
# Where what all versions share is in the server's paths, and where it is if they do not share it.
_SCHEMA: Final = re.compile(r"spec\.(?:validation|versions\[\d+\]\.schema)\b")


@dataclass(frozen=True, slots=True)
class Applied:
    """A fix that was applied: its rule, its title, and the line (1-based) of the finding in the text of its round."""

    rule: str
    title: str
    line: int


@dataclass(frozen=True, slots=True)
class Undone:
    """A fix that was undone: its finding, and the errors that it would bring."""

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
    """Apply the fixes of the findings that ``shown`` returns, safe ones or all, until nothing changes.

    ``check`` returns the result of a text. Where no fix applies, nothing is checked again.
    """
    original, current = result.text, result
    edits: list[Edit] = []
    applied: list[Applied] = []
    undone: dict[tuple[str, str, str], Undone] = {}
    seen = {original}
    for _ in range(_ROUNDS):
        chosen = _chosen(
            one for one in shown(current) if _is_wanted(one, unsafe=unsafe) and _identity(one) not in undone
        )
        if not chosen:
            break
        kept, following = _proved(current, chosen, check, undone)
        if not kept:
            continue  # all were undone: others of the text are left
        if following.text in seen:
            break
        seen.add(following.text)
        edits = composed(edits, _edits(kept))
        applied += [Applied(one.rule, one.fix.title, one.line) for one in kept if one.fix is not None]
        current = following
    return Fixed(current, tuple(edits), tuple(applied), tuple(undone.values()))


def _is_wanted(one: Diagnostic, *, unsafe: bool) -> bool:
    return one.fix is not None and (unsafe or one.fix.applicability == "safe") and not one.hidden


def _chosen(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings whose fixes can be applied together: those of the first stage, none of which touches another."""
    candidates = list(found)
    first = min(map(_stage, candidates), default=0)
    chosen: list[Diagnostic] = []
    taken: list[Edit] = []  # in order, none of which touches another
    for one in sorted((one for one in candidates if _stage(one) == first), key=_start):
        places = [(edit, bisect_left(taken, edit.start, key=_end_of)) for edit in _fix(one).edits]
        if all(at < len(taken) and edit == taken[at] for edit, at in places):
            chosen.append(one)
        elif all(at == len(taken) or edit.end < taken[at].start for edit, at in places):
            chosen.append(one)
            for edit in _fix(one).edits:
                insort(taken, edit, key=_end_of)
    return chosen


def _end_of(edit: Edit) -> int:
    return edit.end


def _fix(one: Diagnostic) -> Fix:
    assert one.fix is not None  # noqa: S101  only findings with fixes are chosen
    return one.fix


def _start(one: Diagnostic) -> tuple[int, int]:
    edits = _fix(one).edits
    return edits[0].start, edits[-1].end


def _edits(found: Iterable[Diagnostic]) -> list[Edit]:
    return [edit for one in found for edit in _fix(one).edits]


def _proved(
    before: FileResult, chosen: SequenceOf[Diagnostic], check: Check, undone: dict[tuple[str, str, str], Undone]
) -> tuple[list[Diagnostic], FileResult]:
    """Return the findings whose fixes bring no new error, and the result with them; add the others to ``undone``."""
    stage = _stage(chosen[0])
    errors = _errors(before)

    def tried(group: SequenceOf[Diagnostic]) -> tuple[FileResult, list[str]]:
        after = check(apply(before.text, _edits(group)))
        fewer = {(one.rule, _place(one)): _count(one.detail) for one in group if _count(one.detail) > 1}
        return after, [
            text
            for key, text in _errors(after).items()
            if key not in errors and key[0] <= stage and _count(key[3]) >= fewer.get((key[1], key[2]), 1)
        ]

    after, brought = tried(chosen)
    if not brought:
        return list(chosen), after
    kept: list[Diagnostic] = []
    pending = [list(chosen)]
    following = before
    while pending:
        group = pending.pop()
        after, brought = tried([*kept, *group])
        if not brought:
            kept += group
            following = after
        elif len(group) == 1:
            undone[_identity(group[0])] = Undone(group[0], tuple(brought))
        else:
            middle = len(group) // 2
            pending += [group[middle:], group[:middle]]
    return kept, following


def _stage(one: Diagnostic) -> int:
    """Return how far the API server comes before it reports a finding: it goes on only after all earlier ones are fixed."""
    if one.rule == "yaml-syntax":
        return _SYNTAX
    return _ADVICE if one.severity != "error" else _STAGES.get(one.kind, _ADVICE)


def _errors(result: FileResult) -> dict[tuple[int, str, str, str], str]:
    """Return the messages of all errors of a result, also those that others hide, by what tells them apart."""
    return {
        (_stage(one), *_identity(one)): one.message
        for one in result.diagnostics
        if one.severity == "error" and one.origin == "apiserver"
    }


def _identity(one: Diagnostic) -> tuple[str, str, str]:
    return one.rule, _place(one), one.detail


def _place(one: Diagnostic) -> str:
    return _SCHEMA.sub("schema", one.field)


def _count(detail: str) -> int:
    """Return how many errors a message has in it: those of a CEL expression are one finding."""
    return max(detail.count("ERROR: "), 1)


def fixable(diagnostics: Iterable[Diagnostic]) -> Counter[str]:
    """Return how many findings have a fix, by its applicability."""
    return Counter(one.fix.applicability for one in diagnostics if one.fix is not None and not one.hidden)
