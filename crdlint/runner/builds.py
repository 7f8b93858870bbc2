"""The checks of what is built from several inputs: the output of kustomizations, and the releases of charts."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Container, Generator, Sequence
from typing import TYPE_CHECKING, Final

from crdlint.light import replace
from crdlint.linting.documents import unchecked
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult
from crdlint.runner.task import Checker, CheckOutcome, Linter, Task, outcome_of
from crdlint.safety.bugs import Bug, collected, contain
from crdlint.safety.programs import end_running
from crdlint.sources.kustomize.build import Build, BuildOutput, plan_build

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


def check_release(checker: Checker, chart: str) -> CheckOutcome:
    """Check the size of a chart's release; the outcome has no results if it is far from the limit."""
    from crdlint.sources.helm.release import check_release

    settings = checker.settings

    def check() -> tuple[FileResult, ...]:
        result = check_release(chart, settings.values, settings.cache)
        return () if result is None else (result,)

    return outcome_of(chart, Task(chart, CheckRequest()), "", check)


def check_kustomizations(
    checker: Checker,
    tasks: Sequence[Task],
    checked: dict[str, FileResult],
    workers: int,
) -> Generator[CheckOutcome, None, None]:
    """Check the kustomizations in directories, the paths of the tasks, and yield the results in order.

    `checked` contains results of files by their real path. At most `workers` builds run at the same time.
    """
    if not tasks:
        return
    from concurrent.futures import ThreadPoolExecutor

    elsewhere = {os.path.realpath(task.path) for task in tasks}
    pending: deque[_BuildCheck] = deque()
    pool = ThreadPoolExecutor(workers)
    try:
        for task in tasks:
            check = _BuildCheck(task, checker)
            check.start(checked, elsewhere, pool)
            pending.append(check)
            while len(pending) > workers:
                yield pending.popleft().outcome()
        while pending:
            yield pending.popleft().outcome()
    except BaseException:
        end_running()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


class _BuildCheck:
    """The check of one kustomization, from its plan to the outcome; the build runs in between."""

    def __init__(self, task: Task, checker: Checker) -> None:
        previous = checker.settings.previous
        self._task: Final = task
        self._linter: Final = Linter(task.request, previous, {})
        self._cache: Final = checker.settings.cache if previous is None else None
        self._key: str | None = None
        self._cached: FileResult | None = None
        self._future: Future[BuildOutput] | None = None
        self._planned: Build | list[FileResult] = []
        self._bugs: Final[list[Bug]] = []

    def start(
        self, checked: dict[str, FileResult], elsewhere: Container[str], pool: ThreadPoolExecutor
    ) -> None:
        """Start the build if there is one, and its result is not in the cache.

        `checked` are the results of files by their real path, `elsewhere` the directories of the kustomizations of the run.
        """
        task = self._task
        with collected(self._bugs):
            try:
                self._planned = plan_build(
                    task.path,
                    self._linter.lint,
                    checked,
                    elsewhere,
                    has_changed=self._has_changed,
                    alone=task.alone,
                )
            except Exception as error:
                self._planned = [unchecked(task.path, "", contain(error))]
        build = self._planned
        if not isinstance(build, Build):
            return
        if self._cache is not None:
            self._key = self._cache.key(build.key(), f"build {task.request.key}")
            self._cached = self._cache.get(self._key, build.file, "")
        if self._cached is None:
            self._future = pool.submit(build.run)

    def _has_changed(self) -> bool:
        old = None if self._linter.previous is None else self._linter.previous.kustomizations
        return old is not None and old.changes_crds(self._task.path)

    def outcome(self) -> CheckOutcome:
        """Wait for the build, and return the outcome of the check."""
        build = self._planned
        if not isinstance(build, Build):
            return outcome_of(
                self._task.path,
                self._task,
                "",
                build.__iter__,
                self._linter.unread,
                self._bugs,
            )
        return outcome_of(
            build.file,
            self._task,
            "",
            lambda: self._results(build),
            self._linter.unread,
            self._bugs,
        )

    def _results(self, build: Build) -> list[FileResult]:
        if self._future is None:
            assert self._cached is not None  # noqa: S101  it is known or built
            return build.results(self._cached)
        # The text of a build belongs to no file that could be fixed.
        lint = Linter(
            replace(self._task.request, fixes=False), self._linter.previous, self._linter.unread
        ).lint
        output = self._future.result()
        built = build.lint(output, lint)
        if not output.exact and build.new_findings(built):
            built = build.lint(build.run(exact=True), lint)
        if self._cache is not None and self._key is not None and output.final:
            self._cache.put(self._key, built)
        return build.results(built)
