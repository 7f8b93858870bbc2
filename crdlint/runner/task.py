"""The check of one input, from its path to its results: a unit of work that can run in another process.

Inputs that cannot be read and internal errors are returned as results, so that other inputs are still checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from crdlint.files.read import STDIN, UnreadableError, decode, open_descriptor, read_bytes
from crdlint.files.recognition import is_lfs_pointer, may_hold_crd
from crdlint.kubernetes.servers import Range, ranges_within
from crdlint.light import NamedTuple, dataclass, replace
from crdlint.safety.bugs import Bug, bug_of, collected, contain
from crdlint.sources.helm.layout import DEFAULTS, TEMPLATES, ChartLocation, is_archive

if TYPE_CHECKING:
    from crdlint.config.model import Config
    from crdlint.linting.request import CheckRequest, StopAt
    from crdlint.linting.result import FileResult, OldCRD
    from crdlint.runner.cache import Cache
    from crdlint.runner.fixes import Fixed
    from crdlint.sources.helm.check import Charts
    from crdlint.sources.helm.failures import Failure
    from crdlint.sources.helm.layout import HelmValues
    from crdlint.sources.helm.render import RenderedDocument
    from crdlint.sources.helm.rendered import VersionedLint
    from crdlint.sources.previous.crds import PreviousCRDs

NOT_RENDERED: Final = "not checked as Helm renders it with the values given"


NO_CHARTS: Final[Mapping[str, Range]] = {}


class Settings(NamedTuple):
    """The settings of a check in addition to the text of an input.

    - `previous`: the old CRDs, for updates
    - `values`: for Helm, None not to run it
    - `cache`: results of earlier runs, None to disable it
    - `charts`: those that Helm renders for the run, with the versions of Kubernetes
    - `workers`: how many of these are rendered at a time
    - `loaded`: the charts if they are rendered before the tasks are checked
    - `fixes`: whether fixes are applied to the texts of files; tasks then need a configuration
    - `unsafe_fixes`: whether these are all fixes, and not safe ones only
    - `verbose`: whether other processes write what they do
    """

    previous: PreviousCRDs | None = None
    values: HelmValues | None = DEFAULTS
    cache: Cache | None = None
    charts: Mapping[str, Range] = NO_CHARTS
    workers: int = 1
    loaded: Charts | None = None
    fixes: bool = False
    unsafe_fixes: bool = False
    verbose: bool = False


class Task(NamedTuple):
    """An input: its path, what to check, and its location in a chart.

    `text` is that of a file packed within another, or of standard input with a known name; `path` is that name.
    `supported` is the chart's kubeVersion if that of the request is derived from it.
    `config` selects the findings to report and fix. `alone` is set for a kustomization whose own
    file is no input: its other files are neither reported nor fixed. `renders` is set for a
    template in which Helm renders CRDs.
    """

    path: str
    request: CheckRequest
    location: ChartLocation | None = None
    text: str | None = None
    supported: str | None = None
    config: Config | None = None
    alone: bool = False
    renders: bool = False


class CheckOutcome(NamedTuple):
    """The result of checking one input: results or a read error, and internal errors; empty if it cannot contain a CRD.

    `fixes` are those to write; if they change the text, the results are those of the fixed text.
    """

    name: str
    task: Task
    results: tuple[FileResult, ...] = ()
    problem: str | None = None
    bugs: tuple[Bug, ...] = ()
    fixes: Fixed | None = None


class OpenedTask(NamedTuple):
    """A task that must be checked: its text, and the key to cache the result with, None not to cache it."""

    task: Task
    text: str
    key: str | None = None


def shown_name(path: str) -> str:
    """Return the name of an input for messages."""
    return "<stdin>" if path == STDIN else path


class Linter:
    """Checks texts against the CRDs of `previous`, if there is an old side; `unread` is why some of them cannot be read."""

    def __init__(
        self, request: CheckRequest, previous: PreviousCRDs | None, unread: dict[str, None]
    ) -> None:
        self.request: Final = request
        self.previous: Final = previous
        self.unread: Final = unread

    def lint(
        self,
        text: str,
        name: str,
        *,
        earlier: FileResult | None = None,
        values: str = "",
    ) -> FileResult:
        """Check a text, rendered with the chart's `values` file if it is; `earlier` is the result of an earlier text."""
        from crdlint.linting.pipeline import lint_file

        previous = self.previous
        if previous is None:
            return lint_file(text, name, self.request, earlier=earlier)

        def find(crd: str) -> OldCRD | None:
            old, problems = previous.find(crd, name, values)
            self.unread.update(dict.fromkeys(problems))
            return old

        return lint_file(text, name, replace(self.request, previous=find))

    def lints(self, document: RenderedDocument) -> Iterator[VersionedLint]:
        """Yield the checks of a rendered document: for its versions, and if there is an old side for each values file."""
        from crdlint.sources.helm.rendered import VersionedLint

        names = ("",) if self.previous is None else document.values
        for versions in self._ranges_of(document):
            request, named = self.request, ""
            if versions is not None:
                request, named = replace(request, versions=versions), str(versions)
            linter = Linter(request, self.previous, self.unread)
            for values in names:
                yield VersionedLint(partial(linter.lint, values=values), named)

    def _ranges_of(self, document: RenderedDocument) -> Sequence[Range | None]:
        """Return the versions that a document is rendered for, None for all of the request."""
        if not document.versions:
            return (None,)
        return ranges_within(document.versions, self.request.versions)


@dataclass
class Checker:
    """Checks inputs, and caches the charts that they share."""

    settings: Settings

    def check(self, task: Task | OpenedTask) -> CheckOutcome:
        """Check a file, standard input (`-`), or the text of a packed file; fix the text of a file if that is set."""
        opened = task if isinstance(task, OpenedTask) else self._open(task)
        if isinstance(opened, CheckOutcome):
            return self._fixed(opened)
        task, text, key = opened
        stopping = task._replace(request=replace(task.request, stop_at=self._stop_at(task)))
        checked = self._fixed(self.check_text(text, stopping)._replace(task=task))
        # Only the next check of a changed text needs what is reusable.
        checked = checked._replace(
            results=tuple(replace(result, reusable={}) for result in checked.results)
        )
        is_changed = checked.fixes is not None and checked.fixes.edits
        is_final = bool(checked.results) and not is_changed and not checked.bugs
        if (
            key is not None
            and self.settings.cache is not None
            and is_final
            and checked.results[0].masked is None
        ):
            self.settings.cache.put(key, checked.results[0])
        return checked

    def _stop_at(self, task: Task) -> StopAt | None:
        """Return whether the first check of a text may stop at a finding, because the fixed text is checked again."""
        if not self.settings.fixes or task.text is not None or task.location is not None:
            return None
        from crdlint.runner.fixes import will_be_fixed

        return will_be_fixed(unsafe=self.settings.unsafe_fixes)

    def _fixed(self, checked: CheckOutcome) -> CheckOutcome:
        """Return the result of a file with its fixes, if fixes are applied; a packed file is not changed."""
        task = checked.task
        if (
            not self.settings.fixes
            or task.text is not None
            or task.config is None
            or not checked.results
        ):
            return checked
        from crdlint.runner.fixes import CheckFailedError

        try:
            return _Repair(self, checked, task.config).run()
        except CheckFailedError as error:
            return checked._replace(bugs=(*checked.bugs, error.bug))
        except Exception as error:
            return checked._replace(bugs=(*checked.bugs, bug_of(error)))

    def from_cache(self, task: Task) -> CheckOutcome | OpenedTask | Task:
        """Return the result if it is cached or the file has no CRD, else the text, or the task if a cached one may be fixed.

        Standard input is checked at once.
        """
        if open_descriptor(task.path) is not None:
            return self.check(task)
        opened = self._open(task)
        if isinstance(opened, OpenedTask) or not self.settings.fixes or not opened.results:
            return opened
        return task

    def _open(self, task: Task) -> CheckOutcome | OpenedTask:
        """Return the result of a task, or its text if it must be checked."""
        name = shown_name(task.path)
        if task.text is not None:
            return OpenedTask(task, task.text)
        try:
            data = read_bytes(task.path)
            may_matter = may_hold_crd(data) or is_lfs_pointer(data)
            if not (may_matter or task.renders):
                return CheckOutcome(name, task)
            text = decode(data)
        except UnreadableError as error:
            return CheckOutcome(name, task, problem=str(error))
        cache = self._cache_of(task)
        if cache is None:
            return OpenedTask(task, text)
        key = cache.key(data, task.request.key)
        cached = cache.get(key, name, text)
        return (
            OpenedTask(task, text, key) if cached is None else CheckOutcome(name, task, (cached,))
        )

    def _cache_of(self, task: Task) -> Cache | None:
        """Return the cache for the result of a task, None if it depends on more than the text and the request."""
        depends_on_more = self.settings.previous is not None or task.request.keep or task.location
        return None if depends_on_more else self.settings.cache

    def check_text(self, text: str, task: Task, earlier: FileResult | None = None) -> CheckOutcome:
        """Check a text as the content of an input; outside of charts, `earlier` is the result of an earlier text of it."""
        name, previous = shown_name(task.path), self.settings.previous
        linter = Linter(task.request, previous, {})
        failures: list[Failure] = []

        def check() -> tuple[FileResult, ...]:
            if task.location is None:
                result = linter.lint(text, name, earlier=earlier)
                if result.templates:
                    from crdlint.sources.helm.check import check_templates

                    result = check_templates(name, text, linter.lint)
            else:
                result = self._in_chart(text, task, task.location, linter)
                failures.extend(self.charts.take_failures())
            if previous is not None:
                notices = (*result.notices, *previous.take_notices())
                result = replace(result, notices=notices, compared=previous.compared(result))
            return (result, *(failure.result() for failure in failures))

        outcome = outcome_of(name, task, text, check, linter.unread)
        return (
            outcome._replace(problem=NOT_RENDERED)
            if any(failure.is_chosen for failure in failures)
            else outcome
        )

    def _in_chart(
        self,
        text: str,
        task: Task,
        location: ChartLocation,
        linter: Linter,
    ) -> FileResult:
        from crdlint.sources.helm.check import ChartFile

        is_saved = task.text is None or is_archive(location.chart)
        versions = task.request.versions
        server = versions.newest if len(versions.servers) == 1 else None
        file = ChartFile(
            shown_name(task.path),
            text,
            location,
            is_saved,
            server,
        )
        result = self.charts.check(
            file,
            linter.lint,
            task.request.key,
            lints=linter.lints,
        )
        return result if task.supported is None else _with_support(result, task.supported)

    @cached_property
    def charts(self) -> Charts:
        """The charts of the run."""
        if self.settings.loaded is not None:
            return self.settings.loaded
        from crdlint.sources.helm.check import Charts

        settings = self.settings
        cache = settings.cache if settings.previous is None else None
        return Charts(
            settings.values,
            cache,
            settings.charts,
            settings.workers,
        )


@dataclass(slots=True)
class _Repair:
    """The repair of a file that is `checked`; `latest` is the check of its newest text, None before the first."""

    checker: Checker
    checked: CheckOutcome
    config: Config
    latest: CheckOutcome | None = None

    def run(self) -> CheckOutcome:
        """Fix the text, and return the complete result of the fixed text with its fixes."""
        from crdlint.runner.fixes import fix

        checked, task = self.checked, self.checked.task
        result, *others = checked.results
        is_template = task.location is not None and task.location.part == TEMPLATES
        is_fixable = any(finding.fix is not None for finding in result.diagnostics)
        if not (is_fixable or (is_template and result.diagnostics)):
            return checked
        # Without Helm: what is written is the template.
        start = self.check(result.text) if is_template else result
        fixed = fix(
            start,
            self.check,
            unsafe=self.checker.settings.unsafe_fixes,
            config=self.config,
            check_until=self.check,
        )
        # The fixed one is among the results.
        fixes = replace(fixed, result=replace(result, text="", diagnostics=()))
        if not fixed.edits:
            return checked._replace(
                results=(result if is_template else fixed.result, *others), fixes=fixes
            )
        latest = self.latest
        if latest is None or latest.results[0] is not fixed.result:
            latest = self.checker.check_text(fixed.text, task._replace(text=fixed.text))
        return latest._replace(
            results=(*latest.results, *others),
            task=task,
            problem=checked.problem,
            fixes=fixes,
        )

    def check(self, text: str, stop_at: StopAt | None = None) -> FileResult:
        from crdlint.runner.fixes import CheckFailedError

        task = self.checked.task
        earlier = (self.latest or self.checked).results[0]
        request = replace(task.request, stop_at=stop_at)
        self.latest = self.checker.check_text(
            text, task._replace(text=text, request=request), earlier
        )
        if len(self.latest.bugs) > len(self.checked.bugs):
            raise CheckFailedError(self.latest.bugs[-1])
        return self.latest.results[0]


def outcome_of(
    name: str,
    task: Task,
    text: str,
    check: Callable[[], Iterable[FileResult]],
    unread: Iterable[str] = (),
    earlier: Iterable[Bug] = (),
) -> CheckOutcome:
    """Return the results of a check with its internal errors, and the `earlier` ones; an exception that ends it is a finding."""
    bugs = list(earlier)
    with collected(bugs):
        try:
            results = tuple(check())
        except Exception as error:
            from crdlint.linting.documents import unchecked

            results = (unchecked(name, text, contain(error)),)
    # Old versions may exist that cannot be read.
    reasons = "; ".join(unread)
    problem = f"not compared with its old version: {reasons}" if reasons else None
    return CheckOutcome(name, task, results, problem, tuple(bugs))


def _with_support(result: FileResult, constraint: str) -> FileResult:
    """Add to findings of older versions that the chart claims to support these versions."""
    from crdlint.rules.advice.deployment import NEEDS_NEWER

    of_chart = f" (Chart.yaml has `kubeVersion: {constraint}`)"
    findings = [
        replace(finding, help=f"{finding.help}{of_chart}")
        if finding.rule == NEEDS_NEWER.id
        else finding
        for finding in result.diagnostics
    ]
    return replace(result, diagnostics=tuple(findings))
