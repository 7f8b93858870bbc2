"""A run over paths without a command line: what is found in files, charts and kustomizations, as the configuration reports it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import field

from crdlint.config.apply import apply, comments_of
from crdlint.config.model import Config
from crdlint.diagnostics import Diagnostic, InputProblem
from crdlint.files.paths import Selection, discover
from crdlint.kubernetes.servers import Range
from crdlint.light import dataclass, replace
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult, SharedNames
from crdlint.runner.builds import check_kustomizations, check_release
from crdlint.runner.configurations import Configurations
from crdlint.runner.plan import Planner
from crdlint.runner.task import Checker, CheckOutcome, Settings
from crdlint.sources.copies import GeneratedCopies
from crdlint.sources.helm.check import Charts
from crdlint.sources.helm.layout import DEFAULTS
from crdlint.sources.outdated_copies import OutdatedCopies
from crdlint.sources.testdata import lowered


@dataclass(slots=True)
class WholeRun:
    """A run over paths: `config` replaces the configurations of folders, `problems` are inputs that could not be read."""

    kube_version: Range | None
    config: Config | None
    fixes: bool
    problems: list[InputProblem] = field(default_factory=list)
    _names: SharedNames = field(default_factory=SharedNames)

    def findings(self, paths: Sequence[str]) -> Iterator[Diagnostic]:
        """Yield the findings that the configurations report, file by file, then those of charts and kustomizations."""
        discovered = discover(paths, Selection())
        self.problems += (
            InputProblem(each.path, each.message) for each in discovered.problems if each.fatal
        )
        request = CheckRequest(skip_unfinished=True, fixes=self.fixes)
        planner = Planner(
            self.kube_version,
            Configurations(config=self.config),
            request=request,
        )
        plan = planner.add(discovered.files)
        charts = Charts(DEFAULTS, versions=plan.charts, models=planner.models)
        planner.add_rendered(charts)
        self._names.failing += charts.conflicts()
        self.problems += plan.problems
        if planner.configurations.invalid:
            return
        for result, config in plan.results:
            yield from self._reported(result, config)
        for result in self._results(planner, charts, paths):
            of_file = planner.configurations.of(result.file)
            yield from self._reported(lowered(result, paths), of_file)

    def _results(
        self,
        planner: Planner,
        charts: Charts,
        paths: Sequence[str],
    ) -> Iterator[FileResult]:
        plan = planner.plan
        checker = Checker(Settings(charts=plan.charts, loaded=charts))
        checked: dict[str, FileResult] = {}  # by real path, for kustomizations
        copies = GeneratedCopies()
        outdated: OutdatedCopies[None] = OutdatedCopies(paths)
        for task in plan.tasks:
            for result in self._of(checker.check(task)):
                checked[os.path.realpath(result.file)] = replace(result, text="", masked=None)
                copies.add(result)
                if not outdated.holds(result, None):
                    yield result
        for result, _ in outdated.results():
            yield result
        yield from copies.results()
        for chart in plan.charts:
            yield from charts.results(chart)
        yield from charts.copies()
        with closing(
            check_kustomizations(
                checker,
                plan.kustomizations,
                checked,
                1,
            )
        ) as outcomes:
            for outcome in outcomes:
                yield from self._of(outcome)
        for chart in plan.releases:
            yield from self._of(check_release(checker, chart))

    def _of(self, outcome: CheckOutcome) -> tuple[FileResult, ...]:
        if outcome.problem is not None:
            self.problems.append(InputProblem(outcome.name, outcome.problem))
        return outcome.results

    def _reported(self, result: FileResult, config: Config | None) -> tuple[Diagnostic, ...]:
        if config is None:
            return ()
        named = self._names.add(result)
        return apply(named, config, comments_of(named)).result.diagnostics
