"""One input checked, from its path to what there is to say: a unit of work that can run in another process.

What cannot be read, and a bug of ours, is told with the result, so that neither keeps other inputs from being checked.
"""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from crdlint.crd.recognition import may_hold_crd
from crdlint.inputs.read import STDIN, UnreadableError, decode, open_descriptor, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Generator, Sequence
    from concurrent.futures import ThreadPoolExecutor

    from crdlint.inputs.helm.check import Charts
    from crdlint.inputs.helm.layout import ChartLocation
    from crdlint.inputs.helm.render import Values
    from crdlint.inputs.previous.crds import PreviousCRDs
    from crdlint.linting.result import FileResult, OldCRD
    from crdlint.runner.cache import Cache

PATCH: Final = "a Kustomize patch"
_TOO_OLD: Final = "kube-version-too-old"


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides, besides an input's text, what is said of it.

    ``previous`` has the CRDs to judge updates from, ``keep`` keeps the CRDs and rules in results, which then cannot
    leave the process. ``values`` are for Helm; ``cache`` has results of earlier runs, None where they are not wanted.
    ``charts`` are those that Helm renders for the run, up to ``workers`` at a time. ``fixes`` gives findings their fixes.
    """

    previous: PreviousCRDs | None = None
    keep: bool = False
    values: Values | None = None
    uses_helm: bool = True
    cache: Cache | None = None
    charts: tuple[str, ...] = ()
    workers: int = 1
    fixes: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """An input: its path, the version or range of Kubernetes to answer for, and where in a chart it is.

    ``text`` is that of a file packed within another, or of standard input with a known name; ``path`` is that name.
    ``requested`` are the rules to run that are only reported on request.
    ``supported`` is the chart's kubeVersion where ``kube_version`` comes of it. ``partial`` names what a part of a CRD is.
    """

    path: str
    kube_version: str
    place: ChartLocation | None = None
    text: str | None = None
    supported: str | None = None
    partial: str = PATCH
    requested: frozenset[str] = frozenset()

    @property
    def options(self) -> str:
        """What the result of a text depends on beside the text, as part of a key of the cache."""
        return " ".join((self.kube_version, *sorted(self.requested)))


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug of ours: the exception in one line, and its traceback."""

    text: str
    traceback: str


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What has come of an input: results, or why it could not be read, or a bug; nothing where no CRD can be in it."""

    name: str
    task: Task
    results: tuple[FileResult, ...] = ()
    problem: str | None = None
    bug: Bug | None = None


@dataclass(frozen=True, slots=True)
class _Opened:
    """The text of a task, and the key of its result in the cache if it goes there."""

    text: str
    key: str | None = None


def shown_name(path: str) -> str:
    """Return how an input is named to people."""
    return "<stdin>" if path == STDIN else path


@dataclass(slots=True)
class Checker:
    """Checks inputs, and remembers what they share: charts rendered."""

    settings: Settings
    _charts: Charts | None = field(default=None)

    def check(self, task: Task) -> CheckOutcome:
        """Check a file, standard input (``-``), or the text of a packed file."""
        opened = self._open(task)
        if isinstance(opened, CheckOutcome):
            return opened
        checked = self.check_text(opened.text, task)
        if opened.key is not None and self.settings.cache is not None and checked.results:
            self.settings.cache.put(opened.key, checked.results[0])
        return checked

    def known(self, task: Task) -> CheckOutcome | None:
        """Return the result of a task if it is in the cache or there is nothing to check, else None.

        What can be read only once, such as standard input, is checked.
        """
        if open_descriptor(task.path) is not None:
            return self.check(task)
        opened = self._open(task)
        return opened if isinstance(opened, CheckOutcome) else None

    def _open(self, task: Task) -> CheckOutcome | _Opened:
        """Return a task's text, or its result if nothing is to be done for that."""
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
        if settings.cache is None or settings.previous is not None or settings.keep or task.place:
            return _Opened(text)
        key = settings.cache.key(data, f"{task.options} {task.partial}")
        known = settings.cache.get(key, name, text)
        return _Opened(text, key) if known is None else CheckOutcome(name, task, (known,))

    def check_text(self, text: str, task: Task) -> CheckOutcome:
        """Check a text as that of an input."""
        name = shown_name(task.path)
        unread: dict[str, None] = {}

        def lint(given: str, file: str) -> FileResult:
            return self._lint(given, file, task, unread)

        try:
            if task.place is None:
                result = lint(text, name)
            else:
                result = self._of_charts().check(name, text, task.place, lint, task.options, is_saved=task.text is None)
                if task.supported is not None:
                    result = _with_support(result, task.supported)
        except Exception as error:
            return CheckOutcome(name, task, bug=bug_of(error))
        problem = f"not compared with its old version: {'; '.join(unread)}" if unread else None
        return CheckOutcome(name, task, (result,), problem)

    def check_kustomizations(
        self, tasks: Sequence[Task], judged: dict[str, FileResult], workers: int
    ) -> Generator[CheckOutcome, None, None]:
        """Check the kustomizations of folders, the tasks' paths, and yield the results in order.

        ``judged`` has results of files by their real path. At most ``workers`` builds run side by side.
        """
        from concurrent.futures import ThreadPoolExecutor

        from crdlint.safety.programs import end_running

        elsewhere = {os.path.realpath(task.path) for task in tasks}
        pending: deque[tuple[Task, Callable[[], CheckOutcome]]] = deque()
        pool = ThreadPoolExecutor(workers)
        try:
            for task in tasks:
                pending.append((task, self._start_build(task, judged, elsewhere, pool)))
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
        self, task: Task, judged: dict[str, FileResult], elsewhere: Container[str], pool: ThreadPoolExecutor
    ) -> Callable[[], CheckOutcome]:
        """Start the build of a kustomization unless its result is known; return what waits for the result."""
        from crdlint.inputs.kustomize.build import Build, plan_build

        def lint(text: str, file: str) -> FileResult:
            return self._lint(text, file, task, {}, fixes=False)  # the text is the build's, not a file's

        try:
            planned = plan_build(task.path, lint, judged, elsewhere)
        except Exception as error:
            bug = bug_of(error)
            return lambda: CheckOutcome(task.path, task, bug=bug)
        if not isinstance(planned, Build):
            return lambda: CheckOutcome(task.path, task, tuple(planned))
        build, cache = planned, self.settings.cache
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
            return CheckOutcome(task.path, task, tuple(build.results(built)))

        return finish

    def _lint(self, text: str, name: str, task: Task, unread: dict[str, None], *, fixes: bool = True) -> FileResult:
        """Check a text; add to ``unread`` why old CRDs of its CRDs cannot be read."""
        from crdlint.linting.pipeline import lint_file

        previous = self.settings.previous

        def find(crd: str) -> OldCRD | None:
            assert previous is not None  # noqa: S101  it is asked only if there is one
            old, problems = previous.find(crd, name)
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
            requested=task.requested,
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


def _finished(task: Task, finish: Callable[[], CheckOutcome]) -> CheckOutcome:
    try:
        return finish()
    except Exception as error:
        return CheckOutcome(task.path, task, bug=bug_of(error))


def _with_support(result: FileResult, constraint: str) -> FileResult:
    """Say with what older versions refuse that the chart claims to support them."""
    of_chart = f" (Chart.yaml has `kubeVersion: {constraint}`)"
    found = [replace(one, help=f"{one.help}{of_chart}") if one.rule == _TOO_OLD else one for one in result.diagnostics]
    return replace(result, diagnostics=tuple(found))


def bug_of(error: BaseException) -> Bug:
    """Return an exception as what is told of it."""
    import traceback

    return Bug(f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))
