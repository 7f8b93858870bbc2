"""The check of one input, from its path to its results: a unit of work that can run in another process.

Inputs that cannot be read and internal errors are returned as results, so that other inputs are still checked.
"""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.changes.change import Policy
from crdlint.crd.recognition import may_hold_crd
from crdlint.inputs.helm.layout import TEMPLATES
from crdlint.inputs.read import STDIN, UnreadableError, decode, open_descriptor, read_bytes
from crdlint.kubernetes.servers import NEWEST_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Generator, Iterable, Sequence
    from concurrent.futures import ThreadPoolExecutor

    from crdlint.config.model import Config
    from crdlint.diagnostics.diagnostic import Applicability, Diagnostic
    from crdlint.inputs.helm.check import Charts
    from crdlint.inputs.helm.failures import Failure
    from crdlint.inputs.helm.layout import ChartLocation
    from crdlint.inputs.helm.render import Values
    from crdlint.inputs.previous.crds import PreviousCRDs
    from crdlint.linting.result import FileResult, Lint, OldCRD
    from crdlint.runner.cache import Cache
    from crdlint.runner.fixes import FileFixes, StopAt

PATCH: Final = "a Kustomize patch"
_TOO_OLD: Final = "kube-version-too-old"
_NOT_RENDERED: Final = "not checked as Helm renders it with the values given"


class Settings(NamedTuple):
    """The settings of a check in addition to the text of an input.

    `previous` contains the old CRDs for updates. `keep` keeps CRDs and rules in results, which then cannot be sent to
    other processes. `values` are for Helm. `cache` contains results of earlier runs, None to disable it. `charts` are
    those that Helm renders for the run, up to `workers` at a time. `fixes` adds fixes to findings. `fixing` applies
    them to the texts of files, only safe ones or all; tasks then need a configuration.
    """

    previous: PreviousCRDs | None = None
    keep: bool = False
    values: Values | None = None
    uses_helm: bool = True
    cache: Cache | None = None
    charts: tuple[str, ...] = ()
    workers: int = 1
    fixes: bool = False
    fixing: Applicability | None = None


class Task(NamedTuple):
    """An input: its path, the version or range of Kubernetes, and its location in a chart.

    `text` is that of a file packed within another, or of standard input with a known name; `path` is that name.
    `supported` is the chart's kubeVersion if `kube_version` is derived from it. `partial` describes a part of a CRD.
    `config` selects the findings to fix.
    """

    path: str
    kube_version: str
    location: ChartLocation | None = None
    text: str | None = None
    supported: str | None = None
    partial: str = PATCH
    requested: frozenset[str] = frozenset()
    policy: Policy = Policy()
    config: Config | None = None

    @property
    def options(self) -> str:
        """What the result of a text depends on beside the text, as part of a key of the cache."""
        return " ".join((self.kube_version, *sorted(self.requested)))


class Bug(NamedTuple):
    """An internal error: the exception in one line, and its traceback."""

    text: str
    traceback: str


class CheckOutcome(NamedTuple):
    """The result of checking one input: results, a read error, or an internal error; empty if it cannot contain a CRD.

    `fixes` are those to write; if they change the text, the results are those of the fixed text.
    """

    name: str
    task: Task
    results: tuple[FileResult, ...] = ()
    problem: str | None = None
    bug: Bug | None = None
    fixes: FileFixes | None = None


class _Opened(NamedTuple):
    """The text of a task, and the key of its result in the cache, if it is cached."""

    text: str
    key: str | None = None


def shown_name(path: str) -> str:
    """Return the name of an input for messages."""
    return "<stdin>" if path == STDIN else path


@dataclass(slots=True)
class Checker:
    """Checks inputs, and caches the charts that they share."""

    settings: Settings
    _charts: Charts | None = field(default=None)

    def check(self, task: Task) -> CheckOutcome:
        """Check a file, standard input (`-`), or the text of a packed file; fix the text of a file if that is set."""
        opened = self._open(task)
        if isinstance(opened, CheckOutcome):
            return self._fixed(opened)
        checked = self._fixed(self.check_text(opened.text, task, stop_at=self._stop_at(task)))
        checked = checked._replace(results=tuple(result.for_report() for result in checked.results))
        is_changed = checked.fixes is not None and checked.fixes.edits
        if opened.key is not None and self.settings.cache is not None and checked.results and not is_changed:
            self.settings.cache.put(opened.key, checked.results[0])
        return checked

    def _stop_at(self, task: Task) -> StopAt | None:
        """Return whether the first check of a text may stop at a finding, because the fixed text is checked again."""
        if self.settings.fixing is None or task.text is not None or task.location is not None:
            return None
        from crdlint.runner.fixes import will_be_fixed

        return will_be_fixed(unsafe=self.settings.fixing == "unsafe")

    def _fixed(self, checked: CheckOutcome) -> CheckOutcome:
        """Return the result of a file with its fixes, if fixes are applied; a packed file is not changed."""
        if self.settings.fixing is None or checked.task.text is not None or not checked.results:
            return checked
        try:
            fixed = self._fix(checked)
            if fixed is checked:
                return checked
            return fixed._replace(results=(*fixed.results, *checked.results[1:]), problem=checked.problem)
        except Exception as error:
            return checked._replace(bug=bug_of(error))

    def _fix(self, checked: CheckOutcome) -> CheckOutcome:
        """Fix the text of a checked file, and return the complete result of the fixed text with its fixes."""
        from crdlint.runner.fixes import FileFixes, fix, reported

        result, task = checked.results[0], checked.task
        config = task.config
        is_template = task.location is not None and task.location.part == TEMPLATES
        is_fixable = any(finding.fix is not None for finding in result.diagnostics)
        if config is None or not (is_fixable or (is_template and result.diagnostics)):
            return checked
        latest: CheckOutcome | None = None

        def check_until(text: str, stop_at: StopAt | None) -> FileResult:
            nonlocal latest
            known = latest.results[0] if latest is not None else result
            latest = again = self.check_text(text, task._replace(text=text), known, stop_at)
            if again.bug is not None:
                raise RuntimeError(again.bug.traceback)
            return again.results[0]

        def check(text: str) -> FileResult:
            return check_until(text, None)

        def shown(of: FileResult) -> tuple[Diagnostic, ...]:
            return reported(of, config)

        start = check(result.text) if is_template else result  # without Helm: what is written is the template
        fixed = fix(start, check, unsafe=self.settings.fixing == "unsafe", shown=shown, check_until=check_until)
        fixes = FileFixes(result.text, fixed.text, fixed.edits, fixed.applied, fixed.undone)
        if not fixed.edits:
            return checked._replace(results=(result if is_template else fixed.result,), fixes=fixes)
        if latest is None or latest.results[0] is not fixed.result:
            latest = self.check_text(fixed.text, task._replace(text=fixed.text))
        return latest._replace(task=task, fixes=fixes)

    def known(self, task: Task) -> CheckOutcome | None:
        """Return the result of a task if it is in the cache or there is nothing to check and to fix, else None.

        Inputs that can be read only once, such as standard input, are checked.
        """
        if open_descriptor(task.path) is not None:
            return self.check(task)
        opened = self._open(task)
        if not isinstance(opened, CheckOutcome):
            return None
        return None if self.settings.fixing is not None and opened.results else opened

    def _open(self, task: Task) -> CheckOutcome | _Opened:
        """Return the text of a task, or its result if it need not be checked."""
        name = shown_name(task.path)
        if task.text is not None:
            return _Opened(task.text)
        try:
            data = read_bytes(task.path)
            if not may_hold_crd(data):
                return CheckOutcome(name, task)
            text = decode(data)
        except UnreadableError as error:
            return CheckOutcome(name, task, problem=str(error))
        settings = self.settings
        if settings.cache is None or settings.previous is not None or settings.keep or task.location:
            return _Opened(text)
        key = settings.cache.key(data, f"{task.options} {task.partial}")
        known = settings.cache.get(key, name, text)
        return _Opened(text, key) if known is None else CheckOutcome(name, task, (known,))

    def check_text(
        self, text: str, task: Task, known: FileResult | None = None, stop_at: StopAt | None = None
    ) -> CheckOutcome:
        """Check a text as the content of an input.

        `known` is the result of an earlier text of it, and the check may stop at findings (see lint_file); both are
        only used outside of charts.
        """
        name = shown_name(task.path)
        unread: dict[str, None] = {}
        failures: list[Failure] = []

        def lint(text_: str, file: str) -> FileResult:
            return self._lint(text_, file, task, unread)

        def lint_with(values: str) -> Lint:
            return lambda text_, file: self._lint(text_, file, task, unread, values=values)

        try:
            if task.location is None:
                result = self._lint(text, name, task, unread, known=known, stop_at=stop_at)
            else:
                compares = self.settings.previous is not None
                charts = self._of_charts()
                result = charts.check(
                    name,
                    text,
                    task.location,
                    lint,
                    task.options,
                    lint_with=lint_with if compares else None,
                    is_saved=task.text is None,
                )
                failures = charts.take_failures()
                if task.supported is not None:
                    result = _with_support(result, task.supported)
        except Exception as error:
            return CheckOutcome(name, task, bug=bug_of(error))
        previous = self.settings.previous
        if previous is not None:
            notices = (*result.notices, *previous.take_notices())
            result = replace(result, notices=notices, compared=previous.compared(result))
        problem = next((_NOT_RENDERED for failure in failures if failure.is_chosen), None) or _not_compared(unread)
        return CheckOutcome(name, task, (result, *(failure.result() for failure in failures)), problem)

    def check_release(self, chart: str) -> CheckOutcome:
        """Check the size of a chart's release; the outcome has no results if it is far from the limit."""
        from crdlint.inputs.helm.release_check import check_release
        from crdlint.inputs.helm.render import Values

        task = Task(chart, NEWEST_VERSION)
        try:
            settings = self.settings
            values = settings.values or Values()
            result = check_release(chart, values, uses_helm=settings.uses_helm, cache=settings.cache)
        except Exception as error:
            return CheckOutcome(chart, task, bug=bug_of(error))
        return CheckOutcome(chart, task, () if result is None else (result,))

    def check_kustomizations(
        self, tasks: Sequence[Task], checked: dict[str, FileResult], workers: int
    ) -> Generator[CheckOutcome, None, None]:
        """Check the kustomizations in directories, the paths of the tasks, and yield the results in order.

        `checked` contains results of files by their real path. At most `workers` builds run at the same time.
        """
        from concurrent.futures import ThreadPoolExecutor

        from crdlint.safety.programs import end_running

        elsewhere = {os.path.realpath(task.path) for task in tasks}
        pending: deque[tuple[Task, Callable[[], CheckOutcome]]] = deque()
        pool = ThreadPoolExecutor(workers)
        try:
            for task in tasks:
                pending.append((task, self._start_build(task, checked, elsewhere, pool)))
                while len(pending) > workers:
                    yield _finished(*pending.popleft())
            while pending:
                yield _finished(*pending.popleft())
        except BaseException:
            end_running()
            raise
        finally:
            pool.shutdown(cancel_futures=True)

    def _start_build(
        self, task: Task, checked: dict[str, FileResult], elsewhere: Container[str], pool: ThreadPoolExecutor
    ) -> Callable[[], CheckOutcome]:
        """Start the build of a kustomization unless its result is known; return a function that waits for the result."""
        from crdlint.inputs.kustomize.build import Build, plan_build

        previous = self.settings.previous
        unread: dict[str, None] = {}

        def lint_resource(text: str, file: str) -> FileResult:
            return self._lint(text, file, task, unread)

        def lint(text: str, file: str) -> FileResult:
            return self._lint(text, file, task, unread, fixes=False)  # the text belongs to the build instead of a file

        def has_changed() -> bool:
            return previous is not None and previous.changes_kustomization(task.path)

        try:
            planned = plan_build(task.path, lint_resource, checked, elsewhere, has_changed=has_changed)
        except Exception as error:
            bug = bug_of(error)
            return lambda: CheckOutcome(task.path, task, bug=bug)
        if not isinstance(planned, Build):
            return lambda: CheckOutcome(task.path, task, tuple(planned), _not_compared(unread))
        build = planned
        cache = None if previous is not None else self.settings.cache
        key = None if cache is None else cache.key(build.key(), f"build {task.options}")
        known = None if cache is None or key is None else cache.get(key, build.file, "")
        if known is not None:
            return lambda: CheckOutcome(task.path, task, tuple(build.results(known)))
        future = pool.submit(build.run)

        def finish() -> CheckOutcome:
            output = future.result()
            built = build.lint(output, lint)
            if cache is not None and key is not None and output.final:
                cache.put(key, built)
            return CheckOutcome(build.file, task, tuple(build.results(built)), _not_compared(unread))

        return finish

    def _lint(
        self,
        text: str,
        name: str,
        task: Task,
        unread: dict[str, None],
        *,
        fixes: bool = True,
        known: FileResult | None = None,
        values: str = "",
        stop_at: StopAt | None = None,
    ) -> FileResult:
        """Check a text; add the reasons why old CRDs of its CRDs cannot be read to `unread`.

        `values` is the name of the chart's values file that the text is rendered with, if it is.
        """
        from crdlint.linting.pipeline import lint_file

        previous = self.settings.previous

        def find(crd: str) -> OldCRD | None:
            assert previous is not None  # noqa: S101  it is asked only if there is one
            old, problems = previous.find(crd, name, values)
            unread.update(dict.fromkeys(problems))
            return old

        return lint_file(
            text,
            filename=name,
            kube_version=task.kube_version,
            previous=None if previous is None else find,
            skip_unfinished=True,
            partial=task.partial,
            keep=self.settings.keep,
            fixes=fixes and self.settings.fixes,
            known=known,
            stop_at=stop_at,
            requested=task.requested,
            policy=task.policy,
        )

    def _of_charts(self) -> Charts:
        if self._charts is None:
            from crdlint.inputs.helm.check import Charts
            from crdlint.inputs.helm.render import Values

            settings = self.settings
            cache = settings.cache if settings.previous is None and not settings.keep else None
            self._charts = Charts(
                settings.values or Values(), settings.uses_helm, cache, settings.charts, settings.workers
            )
        return self._charts


def _not_compared(unread: Iterable[str]) -> str | None:
    """Return the problem of an input for whose CRDs old versions may exist that cannot be read, or None."""
    reasons = "; ".join(unread)
    return f"not compared with its old version: {reasons}" if reasons else None


def _finished(task: Task, finish: Callable[[], CheckOutcome]) -> CheckOutcome:
    try:
        return finish()
    except Exception as error:
        return CheckOutcome(task.path, task, bug=bug_of(error))


def _with_support(result: FileResult, constraint: str) -> FileResult:
    """Add to findings of older versions that the chart claims to support these versions."""
    of_chart = f" (Chart.yaml has `kubeVersion: {constraint}`)"
    findings = [
        replace(finding, help=f"{finding.help}{of_chart}") if finding.rule == _TOO_OLD else finding
        for finding in result.diagnostics
    ]
    return replace(result, diagnostics=tuple(findings))


def bug_of(error: BaseException) -> Bug:
    """Return an exception as an internal error for reports."""
    import traceback

    return Bug(f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))
