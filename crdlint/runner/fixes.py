"""Application of fixes in rounds; the text is checked after each round, and fixes that cause new errors are undone."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Container, Iterable
from collections.abc import Sequence as SequenceOf
from dataclasses import field
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Final, TypeAlias

from crdlint.config.model import Config
from crdlint.gathering import partitioned
from crdlint.light import NamedTuple, dataclass, regex, replace
from crdlint.rules import catalog
from crdlint.rules.consequences import causes, is_advice
from crdlint.rules.server.cel import COMPILES
from crdlint.rules.server.cel_cost import CRD_COST, OVER_BUDGET
from crdlint.rules.texts import reading, resource
from crdlint.search import passing
from crdlint.yaml.edit import Edit, apply, composed

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic, Fix
    from crdlint.linting.request import StopAt
    from crdlint.linting.result import FileResult
    from crdlint.safety.bugs import Bug

    Check = Callable[[str], FileResult]
    CheckUntil = Callable[[str, StopAt | None], FileResult]
    Identity = tuple[str, str, str]  # of a finding, over all rounds

# A few rounds suffice: one for each stage at which the server stops, and one for each fix that enables another.
_ROUNDS: Final = 40
_PASSES: Final = 3  # each tries again the fixes that the one before has rejected
_ATTEMPTS: Final = 4  # each without the fixes that did not come to an end in the ones before
_LEAST_TRIALS: Final = 32
_CHARACTERS_OF_TRIALS: Final = 1_000_000
_DEFAULT: Final = Config()
_STAGES: Final = {"decode": 1, "strict": 2, "field": 3}
_SYNTAX, _ADVICE = 0, 4
# The last stage of which a result has all findings, by the stage at which the check stopped.
_LAST_STAGE: Final = {"decode": _STAGES["strict"], "field": _STAGES["field"]}
_END: Final = attrgetter("end")
# The server's path of the schema that all versions share, and its path if they do not share it.
_SCHEMA: Final = regex(r"spec\.(?:validation|versions\[\d+\]\.schema)\b")


class CheckFailedError(Exception):
    """The check of a fixed text has an internal error that the first check did not have."""

    def __init__(self, bug: Bug) -> None:
        super().__init__(bug.traceback)
        self.bug = bug


class AppliedFix(NamedTuple):
    """A fix that was applied: its rule, its title, and the line (1-based) of the finding in the text of its round."""

    rule: str
    title: str
    line: int


class Undone(NamedTuple):
    """A fix that was undone: its finding, and the errors that it would cause."""

    diagnostic: Diagnostic
    brings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fixed:
    """The fixes of a file: its text before and after them, the edits between, and the result of the fixed text."""

    before: str
    text: str
    edits: tuple[Edit, ...]
    applied: tuple[AppliedFix, ...]
    undone: tuple[Undone, ...]
    result: FileResult


def fix(
    result: FileResult,
    check: Check,
    *,
    unsafe: bool,
    config: Config = _DEFAULT,
    check_until: CheckUntil | None = None,
    of_resources: bool = False,
) -> Fixed:
    """Apply the fixes of the findings that a configuration reports, only safe ones or all, until nothing changes.

    Fixes of advice change what the API server accepts only if the configuration selects the rule.

    `check` returns the result of a text. If no fix applies and `result` is complete, it is not called. `check_until`
    returns a result that may stop, for texts that will be changed again (see `stop_at` of CheckRequest); the result of
    the fixed text is complete.

    The objects `of_resources` have their errors each for itself: what is fixed must be gone, and nothing new there.

    The fixed text is a fixed point: fixes whose finding comes back, there or elsewhere, are undone.
    """
    results = _Results(check)
    until = check_until or (lambda text, _: results.check(text))
    endless: frozenset[_Kind] = frozenset()
    for _ in range(_ATTEMPTS):
        fixed = latest = _Rounds(
            result,
            results.check,
            until,
            unsafe,
            config,
            of_resources,
            endless,
        ).run()
        for _ in range(_PASSES):
            if not latest.edits:
                break
            latest = _Rounds(
                latest.result,
                results.check,
                until,
                unsafe,
                config,
                of_resources,
                endless,
            ).run()
            fixed = _joined(fixed, latest)
        if not latest.edits:
            return _with_undone(fixed, endless)
        endless |= {_Kind(applied.rule, applied.title) for applied in latest.applied}
    complete = result if result.stage is None else results.check(result.text)
    return _with_undone(
        Fixed(
            result.text,
            result.text,
            (),
            (),
            fixed.undone,
            complete,
        ),
        endless,
    )


class _Results:
    """The complete results of texts, each checked once in all passes."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._by_text: dict[str, FileResult] = {}

    def check(self, text: str) -> FileResult:
        """Return the result of a text."""
        if text not in self._by_text:
            self._by_text[text] = self._check(text)
        return self._by_text[text]


def _joined(first: Fixed, second: Fixed) -> Fixed:
    """Return the fixes of two passes, of which the second one begins with the text of the first."""
    edits = tuple(composed(list(first.edits), list(second.edits))) if second.edits else first.edits
    applied = (*first.applied, *second.applied)
    return Fixed(
        first.before,
        second.text,
        edits,
        applied,
        second.undone,
        second.result,
    )


class _Kind(NamedTuple):
    """A kind of fixes: their rule and their title."""

    rule: str
    title: str


def _with_undone(fixed: Fixed, endless: Container[_Kind]) -> Fixed:
    """Return fixes with those of endless kinds as undone."""
    left = [
        each
        for each in fixed.result.diagnostics
        if each.fix and _Kind(each.rule, each.fix.title) in endless
    ]
    return replace(
        fixed, undone=(*fixed.undone, *(Undone(each, ("the same finding again",)) for each in left))
    )


@dataclass(slots=True)
class _Rounds:
    """The rounds of fixes of a text.

    - `current`: the result so far
    - `check`, `check_until`: what checks a text, in full or until a finding
    - `unsafe`: whether fixes that may change the meaning are made
    - `config`: the configuration of the file
    - `of_resources`: whether the text has custom resources
    - `endless`: the kinds of fixes that are not tried, because they do not come to an end
    - `edits`, `applied`, `undone`: what was done so far
    - `seen`: the texts so far
    - `refused`: the findings whose fixes are undone or not proved
    """

    current: FileResult
    check: Check
    check_until: CheckUntil
    unsafe: bool
    config: Config
    of_resources: bool = False
    endless: Container[_Kind] = frozenset()
    edits: list[Edit] = field(default_factory=list)
    applied: list[AppliedFix] = field(default_factory=list)
    undone: dict[Identity, Undone] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    refused: set[Identity] = field(default_factory=set)

    def run(self) -> Fixed:
        before = self.current.text
        self.seen.add(before)
        for _ in range(_ROUNDS):
            chosen = self._choose()
            if not chosen:
                break
            provable = {*map(_identity, _provable(self.current, chosen, self.config.selects))}
            if self.unsafe:  # a safe fix that is not proved is as good as an unsafe one
                provable |= {_identity(finding) for finding in chosen if not is_advice(finding)}
            unproved = {*map(_identity, chosen)} - provable
            self.refused |= unproved
            if unproved:
                continue
            trial = _TrialOfResources if self.of_resources else _Trial
            accepted, following = trial(
                self.current,
                chosen,
                self.check,
                self._check_next,
                self.undone,
            ).run()
            self.refused |= self.undone.keys()
            if accepted and following.text in self.seen:
                break
            self.seen.add(following.text)
            self.edits = composed(self.edits, _edits(accepted)) if accepted else self.edits
            self.applied += [
                AppliedFix(finding.rule, _fix(finding).title, finding.line) for finding in accepted
            ]
            self.current = following
        self._complete()
        undone = tuple(self.undone.values())
        return Fixed(
            before,
            self.current.text,
            tuple(self.edits),
            tuple(self.applied),
            undone,
            self.current,
        )

    def _choose(self) -> list[Diagnostic]:
        """Return the findings of the next round; the check is completed if it may have stopped before the first of them."""
        chosen, stage = self._pending(), self.current.stage
        if stage is None or (chosen and _stage(chosen[0]) <= _LAST_STAGE[stage]):
            return chosen
        self._complete()
        return self._pending()

    def _pending(self) -> list[Diagnostic]:
        return _chosen(
            finding
            for finding in reported(self.current, self.config, resources=self.of_resources)
            if _is_wanted(finding, unsafe=self.unsafe) and not self._is_refused(finding)
            if finding.has_safe_fix or self._may_change(finding)
        )

    def _may_change(self, finding: Diagnostic) -> bool:
        """Return whether a fix may change what the API server accepts: of advice only if its rule is selected by name."""
        return self.config.selects(finding.rule) or not is_advice(finding)

    def _is_refused(self, finding: Diagnostic) -> bool:
        return (
            _Kind(finding.rule, _fix(finding).title) in self.endless
            or _identity(finding) in self.refused
        )

    def _complete(self) -> None:
        if self.current.stage is not None:
            self.current = self.check(self.current.text)

    def _check_next(self, text: str) -> FileResult:
        """Check a text as far as the next round needs it."""
        stops = will_be_fixed(unsafe=self.unsafe)
        return self.check_until(
            text, lambda finding: stops(finding) and _identity(finding) not in self.undone
        )


def will_be_fixed(*, unsafe: bool) -> StopAt:
    """Return whether a finding has a fix because of which its CRD is checked again, whatever its later findings are."""
    return lambda finding: _is_wanted(finding, unsafe=unsafe) and _stage(finding) < _ADVICE


def _is_wanted(finding: Diagnostic, *, unsafe: bool) -> bool:
    if finding.hidden:
        return False
    return finding.fix is not None if unsafe else finding.has_safe_fix


def _chosen(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings whose fixes can be applied together: those of the first stage, without overlapping edits.

    Another fix for what only follows from one of them is left to the next round, in which it may not be needed.
    """
    candidates = list(findings)
    following = causes(candidates)
    candidates = [
        finding
        for finding in candidates
        if _fix(following.get(id(finding), finding)).edits == _fix(finding).edits
    ]
    first = min(map(_stage, candidates), default=0)
    of_stage = (finding for finding in candidates if _stage(finding) == first)
    edits = _ChosenEdits()
    return [finding for finding in sorted(of_stage, key=_start) if edits.add(_fix(finding))]


class _ChosenEdits:
    """The edits of fixes that are applied together: equal, or apart from each other."""

    def __init__(self) -> None:
        self._edits: list[Edit] = []  # sorted, without adjacent edits
        self._shared: set[int] = set()  # the fixes, by their identity

    def add(self, fix: Fix) -> bool:
        """Add the edits of a fix, if they can be applied together with the others; return whether they can."""
        if id(fix) in self._shared:
            return True
        new: list[Edit] = []
        for edit in fix.edits:
            index = bisect_left(self._edits, edit.start, key=_END)
            following = self._edits[index] if index < len(self._edits) else None
            if following is None or edit.end < following.start:
                new.append(edit)
            elif edit != following:
                return False
        for edit in new:
            insort(self._edits, edit, key=_END)
        self._shared.add(id(fix))
        return True


def _fix(finding: Diagnostic) -> Fix:
    assert finding.fix is not None  # noqa: S101  only findings with fixes are chosen
    return finding.fix


def _start(finding: Diagnostic) -> tuple[int, int]:
    edits = _fix(finding).edits
    return edits[0].start, edits[-1].end


def _edits(findings: Iterable[Diagnostic]) -> list[Edit]:
    """Return the edits of the fixes of findings, those of a fix that findings share once."""
    fixes = {id(_fix(finding)): _fix(finding) for finding in findings}
    return [edit for fix in fixes.values() for edit in fix.edits]


def _provable(
    before: FileResult, chosen: list[Diagnostic], named: Callable[[str], bool]
) -> list[Diagnostic]:
    """Return the findings whose fixes are guesses, or proved to change only what they name.

    Those of advice may change nothing that the API server accepts, unless their rule is named.
    """
    from crdlint.runner.proof import unnamed_changes

    def unproved(keeps_meaning: bool, group: SequenceOf[Diagnostic]) -> list[str]:
        return unnamed_changes(before.yaml, _edits(group), keeps_meaning=keeps_meaning)

    advice, others = partitioned(
        chosen, lambda finding: is_advice(finding) and not named(finding.rule)
    )
    safe, guesses = partitioned(others, lambda finding: finding.has_safe_fix)
    most = _most_trials(before.yaml)
    proved = (
        passing(advice, partial(unproved, True), most=most),
        passing(safe, partial(unproved, False), most=most),
    )
    return [*guesses, *chain.from_iterable(passed for passed, _ in proved)]


@dataclass(slots=True)
class _Trial:
    """The fixes of a round on trial: they are kept unless the text with them has new errors.

    `check_next` checks a text as far as the errors of the decoder decide, `check` completely. `accepted` is the result with the
    fixes that are kept so far.
    """

    before: FileResult
    chosen: SequenceOf[Diagnostic]
    check: Check
    check_next: Check
    undone: dict[Identity, Undone]
    accepted: FileResult | None = None

    @property
    def stage(self) -> int:
        """The stage of the server at which the findings of the round are."""
        return _stage(self.chosen[0])

    def run(self) -> tuple[list[Diagnostic], FileResult]:
        """Return the findings whose fixes are kept, and the result of the text with these."""
        by_path = _FindingsByPath(self.before, self.chosen)
        accepted, undone = passing(
            self.chosen,
            self._brings,
            by_path.nearest,
            _most_trials(self.before.text),
        )
        for finding, brings in undone:
            messages = tuple(error.message for error, _ in brings)
            self.undone[_identity(finding)] = Undone(finding, messages)
        return accepted, self.accepted or self.before

    def _brings(self, group: SequenceOf[Diagnostic]) -> list[_Brought]:
        """Return the errors that some fixes bring together."""
        after = self._with(group)
        brought = self._new_errors(after, group)
        if brought and self.before.stage is not None and self.stage > _LAST_STAGE["decode"]:
            self.before = self.check(self.before.text)  # the new errors may have been hidden there
            brought = self._new_errors(after, group)
        if not brought:
            self.accepted = after
        objects = _Objects(after)
        return [(error, objects.number(error)) for error in brought]

    def _with(self, group: SequenceOf[Diagnostic]) -> FileResult:
        check = self.check_next if self.stage <= _LAST_STAGE["decode"] else self.check
        return check(apply(self.before.text, _edits(group)))

    def _new_errors(
        self, after: FileResult, group: SequenceOf[Diagnostic]
    ) -> SequenceOf[Diagnostic]:
        """Return the errors that fixes bring: those that were neither there nor hidden, in any words."""
        errors, left = _errors(self.before), _errors(after)
        fewer = {
            (finding.rule, _path(finding)): finding.errors
            for finding in group
            if finding.errors > 1
        }
        reworded = Counter(key[:3] for key in errors) - Counter(
            key[:3] for key in left if key in errors
        )
        for finding in group:
            reworded.pop((_stage(finding), finding.rule, _path(finding)), None)
        brought = []
        for key, finding in left.items():
            is_known = key in errors or key[0] > self.stage
            has_fewer = finding.errors < fewer.get((finding.rule, key[2]), 1)
            if is_known or has_fewer or _is_revealed(finding, group, self.stage):
                continue
            reworded[key[:3]] -= 1
            if reworded[key[:3]] < 0:  # no error of another finding whose message depends on a fix
                brought.append(finding)
        return brought


class _TrialOfResources(_Trial):
    """The fixes of resources on trial: they are kept if their findings are gone, and no object has a new error."""

    __slots__ = ()

    def _new_errors(
        self, after: FileResult, group: SequenceOf[Diagnostic]
    ) -> SequenceOf[Diagnostic]:
        """Return the errors that fixes bring to an object, or do not remove from it."""
        before = _ErrorsOfObjects(self.before, group)
        findings = (before.new(key, errors) for key, errors in _by_object(after).items())
        return list(chain.from_iterable(findings))


class _ErrorsOfObjects:
    """The errors of objects before some of their findings are fixed."""

    def __init__(self, before: FileResult, fixed: SequenceOf[Diagnostic]) -> None:
        errors = _by_object(before)
        objects = _Objects(before)
        self._counts = Counter({key: len(findings) for key, findings in errors.items()})
        self._fixed = Counter(map(objects.key, fixed))
        self._places = {finding.rule_and_position for finding in fixed}
        self._parses = _stage(fixed[0]) != _SYNTAX
        # Objects that the decoder or an earlier error kept from being checked further, by their numbers.
        self._undecoded = {key[0] for key in errors if key[1] == resource.DECODE.id}
        stopped = (each for each in chain.from_iterable(errors.values()) if not each.errors)
        self._unchecked = set(map(objects.number, stopped))

    def new(self, key: _KeyInObject, errors: SequenceOf[Diagnostic]) -> SequenceOf[Diagnostic]:
        """Return the errors with a key that the object did not have before, or that their fixes have not removed."""
        of_object, rule = key[:2]
        if of_object in self._undecoded:  # the decoder stops at the first error
            return [error for error in errors if error.rule_and_position in self._places]
        is_rule_of_unchecked = of_object in self._unchecked and rule == resource.RULE_FAILED.id
        may_be_new = not self._parses or is_rule_of_unchecked
        if may_be_new and key not in self._fixed:
            return ()
        more = len(errors) - self._counts[key] + self._fixed[key]
        return errors[len(errors) - max(more, 0) :]


_KeyInObject: TypeAlias = "tuple[int, str, str, str]"
# An error that fixes bring, and the number of its object.
_Brought: TypeAlias = "tuple[Diagnostic, int]"


def _by_object(result: FileResult) -> dict[_KeyInObject, list[Diagnostic]]:
    """Return the rejections of a result by the number of their object and their identity."""
    objects = _Objects(result)
    errors: dict[_KeyInObject, list[Diagnostic]] = {}
    for finding in result.diagnostics:
        if finding.severity == "error" or finding.fix is not None:
            errors.setdefault(objects.key(finding), []).append(finding)
    return errors


class _Objects:
    """The objects of a file by their numbers."""

    def __init__(self, result: FileResult) -> None:
        self._lines = [crd.line for crd in result.crds]

    def number(self, finding: Diagnostic) -> int:
        """Return the number of the object in which a finding is."""
        return bisect_right(self._lines, finding.line)

    def key(self, finding: Diagnostic) -> _KeyInObject:
        return (self.number(finding), *_identity(finding))


class _FindingsByPath:
    """Findings by the number of their object, with their path or that of the field around it."""

    def __init__(self, result: FileResult, findings: Iterable[Diagnostic]) -> None:
        objects = _Objects(result)
        self._findings: dict[tuple[int, str], Diagnostic | None] = {}
        for finding in findings:
            number, path = objects.number(finding), _path(finding)
            for key in ((number, path), (number, _around(path))):
                # None of several findings is the nearest to what is beside them.
                is_only = self._findings.setdefault(key, finding) is finding
                self._findings[key] = finding if is_only else None

    def nearest(self, brought: _Brought) -> Diagnostic | None:
        """Return the only finding at the path of an error, or beside it or the nearest field above it."""
        error, number = brought
        path = _path(error)
        while path and (number, path) not in self._findings:
            path = _around(path)
        return self._findings.get((number, path))


def _around(path: str) -> str:
    """Return the path of the field around that of a path, empty at the root."""
    return path[: max(path.rfind("."), path.rfind("["), 0)]


def _stage(finding: Diagnostic) -> int:
    """Return the stage at which the API server reports a finding; a stage is reached after all earlier ones succeed."""
    if finding.rule in {reading.YAML_SYNTAX.id, resource.NO_MATCH.id}:
        return _SYNTAX
    if finding.rule == reading.UNKNOWN_FIELD_IGNORED.id:
        return _STAGES["strict"]
    return _ADVICE if finding.severity != "error" else _STAGES.get(finding.kind, _ADVICE)


def _is_revealed(error: Diagnostic, group: SequenceOf[Diagnostic], stage: int) -> bool:
    """Return whether fixes of a stage make a decoder read further, to an error below them that the text had before.

    The parser stops at the first error. What is below an unknown field is not decoded until the field has its name, and
    an expression is not type-checked until it can be parsed; only an error that has a fix itself is worth it. The cost of a
    rule is not estimated until the rule compiles and its schema has types.
    """
    is_below = any(finding.line < error.line for finding in group)
    if stage == _SYNTAX:
        return _stage(error) == _SYNTAX and is_below
    if error.rule in OVER_BUDGET:
        return any(catalog.get(finding.rule).hides_costs for finding in group)
    if error.fix is None:
        return False
    if stage == _STAGES["strict"]:
        return error.kind in {"decode", "strict"} and is_below
    return error.rule == COMPILES.id and any(
        finding.rule == error.rule
        and _path(finding) == _path(error)
        and _fix(finding).title != error.fix.title
        for finding in group
    )


def _errors(result: FileResult) -> dict[tuple[int, str, str, str], Diagnostic]:
    """Return all errors of a result by their identity, including hidden ones."""
    return {
        (_stage(finding), *_identity(finding)): finding
        for finding in result.diagnostics
        if finding.severity == "error" and finding.origin == "apiserver"
    }


def _identity(finding: Diagnostic) -> Identity:
    return finding.rule, _path(finding), finding.detail


def _path(finding: Diagnostic) -> str:
    """Return the path of a finding: of a total over its limit that of the schema, whatever is the most expensive in it."""
    path = _SCHEMA.sub("schema", finding.field)
    return path.partition(".")[0] if finding.rule == CRD_COST.id else path


def _most_trials(text: str) -> int:
    """Return how many times a text with fixes may be checked to find those that pass together."""
    return max(_LEAST_TRIALS, _CHARACTERS_OF_TRIALS // (len(text) + 1))


def reported(
    result: FileResult, config: Config, *, resources: bool = False
) -> tuple[Diagnostic, ...]:
    """Return the findings of a file that its configuration and its comments do not ignore."""
    from crdlint.config.apply import apply, comments_of

    return apply(
        result,
        config,
        comments_of(result),
        resources=resources,
    ).result.diagnostics
