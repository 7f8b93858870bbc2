"""The checks of what is built from several inputs: the output of kustomizations, and the releases of charts."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Container, Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from crdlint.linting.documents import unchecked
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult
from crdlint.runner.task import Checker, CheckOutcome, Task, outcome_of
from crdlint.safety.bugs import Bug, collected, contain
from crdlint.safety.programs import end_running
from crdlint.sources.kustomize.build import Build, plan_build


def check_release(checker: Checker, chart: str) -> CheckOutcome:
    """Check the size of a chart's release; the outcome has no results if it is far from the limit."""
    from crdlint.sources.helm.release import check_release

    settings = checker.settings

    def check() -> tuple[FileResult, ...]:
        result = check_release(chart, settings.values, settings.cache)
        return () if result is None else (result,)

    return outcome_of(chart, Task(chart, CheckRequest()), "", check)


def check_kustomizations(
    checker: Checker, tasks: Sequence[Task], checked: dict[str, FileResult], workers: int
) -> Generator[CheckOutcome, None, None]:
    """Check the kustomizations in directories, the paths of the tasks, and yield the results in order.

    `checked` contains results of files by their real path. At most `workers` builds run at the same time.
    """
    elsewhere = {os.path.realpath(task.path) for task in tasks}
    pending: deque[Callable[[], CheckOutcome]] = deque()
    pool = ThreadPoolExecutor(workers)
    try:
        for task in tasks:
            pending.append(_start(task, checker, checked, elsewhere, pool))
            while len(pending) > workers:
                yield pending.popleft()()
        while pending:
            yield pending.popleft()()
    except BaseException:
        end_running()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _start(
    task: Task, checker: Checker, checked: dict[str, FileResult], elsewhere: Container[str], pool: ThreadPoolExecutor
) -> Callable[[], CheckOutcome]:
    """Start the build of a kustomization unless its result is known; return a function that waits for the result.

    `checked` are the results of files by their real path, `elsewhere` the directories of the kustomizations of the run.
    """
    previous = checker.settings.previous
    unread: dict[str, None] = {}

    lint_resource = partial(checker.lint, task=task, unread=unread)
    # The text of a build belongs to no file that could be fixed.
    unfixed = task._replace(request=replace(task.request, fixes=False))
    lint = partial(checker.lint, task=unfixed, unread=unread)

    def has_changed() -> bool:
        old = None if previous is None else previous.kustomizations
        return old is not None and old.changes_crds(task.path)

    bugs: list[Bug] = []
    planned: Build | Iterable[FileResult] = ()
    with collected(bugs):
        try:
            planned = plan_build(
                task.path, lint_resource, checked, elsewhere, has_changed=has_changed, alone=task.alone
            )
        except Exception as error:
            planned = [unchecked(task.path, "", contain(error))]
    if not isinstance(planned, Build):
        outcome = outcome_of(task.path, task, "", planned.__iter__, unread, bugs)
        return lambda: outcome
    build = planned
    cache = None if previous is not None else checker.settings.cache
    key = None if cache is None else cache.key(build.key(), f"build {task.request.key}")
    cached = None if cache is None or key is None else cache.get(key, build.file, "")
    future = None if cached is not None else pool.submit(build.run)

    def finish() -> Iterable[FileResult]:
        built = cached
        if future is not None:
            output = future.result()
            built = build.lint(output, lint)
            if not output.exact and build.new_findings(built):
                built = build.lint(build.run(exact=True), lint)
            if cache is not None and key is not None and output.final:
                cache.put(key, built)
        assert built is not None  # noqa: S101  it is known or built
        return build.results(built)

    return lambda: outcome_of(build.file, task, "", finish, unread, bugs)
