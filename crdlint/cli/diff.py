"""`crdlint diff`: what has changed between two versions of CRDs, and what that breaks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import click

from crdlint.cli import console, options
from crdlint.cli.fields import Declared, argument, flag, format_of, globs, outputs_of
from crdlint.cli.help import Group
from crdlint.cli.options import ConfigOptions, HelmOptions
from crdlint.cli.reports import Reports, Totals
from crdlint.diagnostics import InputProblem
from crdlint.files.paths import Found, Selection, UnreadInput, discover
from crdlint.files.repository import RepositoryError, repository_top
from crdlint.light import replace
from crdlint.phrases import counted
from crdlint.report import formats
from crdlint.report.changes import is_consequence
from crdlint.report.pieces import View
from crdlint.report.words import Copies
from crdlint.rules.advice.deployment import RENDER, SKIPPED
from crdlint.runner.configurations import Configurations
from crdlint.runner.plan import Planner
from crdlint.runner.task import Checker, CheckOutcome, Settings, Task

if TYPE_CHECKING:
    from crdlint.config.model import Config
    from crdlint.diagnostics import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.sources.helm.check import Charts
    from crdlint.sources.previous.crds import PreviousCRDs
    from crdlint.sources.previous.load import Side
    from crdlint.sources.previous.old_side import OldSide

_EVERYTHING: Final = ("*", "change-*")
_NOTED: Final = {SKIPPED.id: "not compared", RENDER.id: "note"}


def _dropped(*_: str) -> None:
    """Write nothing."""


class DiffOptions(HelmOptions, ConfigOptions):
    """The arguments and options of `crdlint diff`."""

    old: Declared[str] = argument()
    new: Declared[str] = argument(default=os.curdir)
    everything: Declared[bool] = flag("Also report changes that break nothing.", "--all")
    explain: Declared[bool] = flag(
        "Show an object that was valid and is not any more for breaking changes."
    )
    format_: Declared[str] = format_of(
        "changes",
        "text for people, markdown for a pull request, changelog for release notes, others for programs.",
    )
    outputs: Declared[tuple[str, ...]] = outputs_of("changes")
    include: Declared[tuple[str, ...]] = globs(
        "Below directories, only compare files that match GLOB"
    )
    exclude: Declared[tuple[str, ...]] = globs("Do not compare files that match GLOB")
    quiet: Declared[bool] = flag(
        "Only print changes: no headline, no notices.",
        "-q",
        "--quiet",
        group=Group.OUTPUT,
    )


@options.command("diff", DiffOptions)
def command(arguments: DiffOptions) -> int:
    """Show what has changed from OLD to NEW, and what that breaks.

    OLD and NEW are files, directories, charts (also packed: .tgz) or git revisions (REVISION or REVISION:PATH). Without NEW,
    crdlint compares with the working directory. The exit status is 1 if a change has severity error (see --fail-on).

    \b
    Examples:
      crdlint diff v1.14.0
      crdlint diff v1.0.0:crds v1.1.0:crds --format changelog
    """  # noqa: D301  \b keeps the lines below it as they are
    try:
        with TemporaryDirectory(prefix="crdlint-") as folder:
            return _DiffCommand(arguments, folder).run()
    except RepositoryError as error:
        raise click.UsageError(str(error)) from error


class _DiffCommand:
    def __init__(self, arguments: DiffOptions, folder: str) -> None:
        from crdlint.sources.previous.load import side

        self._options = arguments
        view = View(
            options.page(arguments.color, 100),
            quiet=arguments.quiet,
            examples=arguments.explain,
            kube_version=options.shown_versions(arguments.kube_version),
        )
        self._reports = Reports(
            formats.changes,
            arguments.format_,
            arguments.outputs,
            view,
        )
        self._config = self._configuration()
        self._values = arguments.values()
        below = Path(folder).resolve()
        self._old, self._new = (
            side(arguments.old, str(below / "old")),
            side(arguments.new, str(below / "new")),
        )
        config, builds = self._config, not arguments.no_kustomize
        if self._new.top and config.folder:  # its patterns are those of the copy of a revision
            inside = os.path.relpath(config.folder, repository_top(os.path.realpath(os.curdir)))
            config = config._replace(folder=str(Path(self._new.top, inside)))
        self._planner = Planner(
            arguments.kube_version,
            Configurations(config=config),
            builds,
        )
        self._totals = Totals()
        self._unread: list[str] = []  # new inputs that may contain any CRD
        self._known = 0  # rejections that the old side has, too
        self._copies = Copies()
        self._write = _dropped if arguments.quiet else console.err  # what is not a report

    def run(self) -> int:
        from crdlint.sources.helm.check import Charts

        selection = Selection(
            self._options.include,
            self._options.exclude,
            True,
            None,
        )
        old = self._load(selection)
        self._plan(discover([self._new.path], selection))
        self._note_missing_helm()
        plan = self._planner.plan
        charts = Charts(
            self._values,
            versions=plan.charts,
            defaults=True,
            models=self._planner.models,
        )
        self._planner.add_rendered(charts)
        settings = Settings(
            old.crds,
            self._values,
            charts=plan.charts,
            loaded=charts,
        )
        crds = self._check(settings)
        self._compare_charts(old, charts, crds)
        self._compare(old.crds, crds)
        self._report_end()
        return self._totals.status

    def _plan(self, discovered: Found) -> None:
        """Plan what to check of the new side, and report what cannot be read."""
        unread = [problem for problem in discovered.problems if problem.fatal]
        self._unread += (problem.path for problem in unread)
        self._note_unread(unread, self._new)
        self._note(self._planner.add(discovered.files).problems, self._new)

    def _note_missing_helm(self) -> None:
        from crdlint.sources.helm.check import is_installed

        if self._values is None or is_installed():
            return
        self._planner.note_without_helm()
        for notice in self._planner.plan.notices:
            self._write(f"crdlint: note: {self._in_names(notice)}")

    def _check(self, settings: Settings) -> dict[str, list[str]]:
        """Report the changes of the files and kustomizations, and return the names of the CRDs by file."""
        from crdlint.runner.builds import check_kustomizations
        from crdlint.runner.pool import processors, run

        plan = self._planner.plan
        crds: dict[str, list[str]] = {}
        checked: dict[str, FileResult] = {}
        for outcome in self._watched(run(plan.tasks, settings, None), plan.tasks):
            self._report_outcome(outcome)
            for result in outcome.results:
                crds.setdefault(result.file, []).extend(crd.name for crd in result.crds)
                if plan.kustomizations:
                    checked[os.path.realpath(result.file)] = replace(result, text="", masked=None)
        with closing(
            check_kustomizations(
                Checker(settings),
                plan.kustomizations,
                checked,
                processors(),
            )
        ) as builds:
            for outcome in self._watched(builds, plan.kustomizations):
                self._report_outcome(outcome)
        return crds

    def _report_end(self) -> None:
        totals, copies = self._totals, self._copies
        totals.report_trouble(())
        if self._known and not self._options.quiet:
            totals.remarks.append(f"already rejected before: {self._known:,}")
        if copies.findings and not self._options.quiet:
            changes = counted(copies.findings, "equal change")
            files = counted(len(copies.files), "copy", "copies")
            totals.remarks.append(f"not shown: {changes} in {files} of these CRDs")
        totals.remark(self._planner.plan.preview)
        totals.end(self._reports)

    def _watched(
        self, outcomes: Iterable[CheckOutcome], tasks: Sequence[Task]
    ) -> Iterator[CheckOutcome]:
        return console.watched(
            outcomes, () if self._options.quiet else [task.path for task in tasks]
        )

    def _configuration(self) -> Config:
        from crdlint.config.load import nearest_config
        from crdlint.config.model import ConfigError

        arguments = self._options
        try:
            config = arguments.read_config() or nearest_config(str(Path(os.curdir) / "x"), {})
        except ConfigError as error:
            raise click.UsageError(str(error)) from error
        config = arguments.override(include_dependencies=arguments.include_dependencies)(config)
        formats_ = [arguments.format_, *(output.partition("=")[0] for output in arguments.outputs)]
        if arguments.explain or "json" in formats_:
            config = config._replace(change=config.change._replace(explains=True))
        if (arguments.everything or arguments.format_ == "changelog") and not arguments.selected:
            config = config._replace(select=(*config.select, *_EVERYTHING))
        return config

    def _load(self, selection: Selection) -> OldSide:
        from crdlint.sources.previous.crds import OldCharts
        from crdlint.sources.previous.load import load

        charts, builds = OldCharts(self._values), self._planner.kustomize
        old = load(
            [self._old],
            (self._new.path,),
            selection,
            charts,
            builds=builds,
        )
        self._note_unread((each for each in old.problems if each.fatal), self._old)
        for each in old.problems:
            if not each.fatal:
                self._write(f"crdlint: {each.path}: {each.message}")
        for problem in (*self._old.problems, *self._new.problems):
            self._totals.problem(problem, "not compared")
        return old

    def _compare_charts(self, old: OldSide, charts: Charts, crds: dict[str, list[str]]) -> None:
        """Report what `helm upgrade` does to the CRDs of charts, and why Helm does not render some."""
        from crdlint.sources.previous.charts import compare_charts

        compared = compare_charts(
            self._planner.plan.all_charts(),
            charts,
            old.charts,
            old.rendered,
        )
        notices = (InputProblem(notice, "not compared") for notice in compared.notices)
        self._note(notices, self._old)
        for chart in charts.versions:
            for result in charts.results(chart):
                self._report(result)
        for result in compared.results:
            self._report(result)
        crds.setdefault("", []).extend(compared.decided)

    def _compare(self, previous: PreviousCRDs, crds: dict[str, list[str]]) -> None:
        """Report removed CRDs, and documents that cannot be compared."""
        from crdlint.sources.previous.crds import compare

        comparison = compare(
            previous,
            crds,
            self._unread,
            (),
            self._planner.plan.pointers,
            lambda path: self._planner.configurations.of(path) is not None,
        )
        for notice in previous.take_notices():
            self._write(f"crdlint: note: {notice}")
        self._note_unread((each for each in comparison.problems if each.fatal), self._old)
        for result in comparison.results:
            self._report(result)

    def _note(self, problems: Iterable[InputProblem], side: Side) -> None:
        """Count in inputs of a side that cannot be read, by the names that users know."""
        self._totals.problems += [
            problem._replace(file=side.name(problem.file), reason=self._in_names(problem.reason))
            for problem in problems
        ]

    def _note_unread(self, problems: Iterable[UnreadInput], side: Side) -> None:
        unread = (InputProblem(problem.path, problem.message) for problem in problems)
        self._note(unread, side)

    def _report_outcome(self, outcome: CheckOutcome) -> None:
        if outcome.problem is not None:
            self._note([InputProblem(outcome.name, outcome.problem)], self._new)
            if not outcome.results:
                self._unread.append(outcome.name)
        self._totals.bugs.add(self._new.name(outcome.name), outcome.bugs)
        for result in outcome.results:
            self._report(result)

    def _report(self, result: FileResult) -> None:
        from crdlint.config.apply import apply

        rejections = {
            ("apiserver", crd.name, message)
            for crd in result.compared
            for message in crd.rejections
        }
        consequences = [*filter(is_consequence, result.diagnostics)]
        new = [
            finding
            for finding in consequences
            if (finding.origin, finding.crd, finding.message) not in rejections
        ]
        self._known += len(consequences) - len(new)
        findings = tuple(map(self._named, new))
        applied = apply(
            replace(result, file=self._name(result.file), diagnostics=findings),
            self._config,
            updates=True,
        )
        self._totals.summary.files += 1
        self._totals.count(applied)
        shown = self._copies.without(applied.result)
        self._reports.add(lambda report: report.file(shown))
        for finding in result.diagnostics:
            what = _NOTED.get(finding.rule)
            if what:
                self._write(f"{self._name(finding.file)}:{finding.line}: {what}: {finding.message}")
        self._totals.note(
            self._name(result.file),
            map(self._in_names, () if self._options.quiet else result.notices),
        )

    def _named(self, finding: Diagnostic) -> Diagnostic:
        related = finding.related
        if related is not None:
            related = replace(related, file=self._old.name(related.file))
        return replace(
            finding,
            file=self._name(finding.file),
            message=self._in_names(finding.message),
            related=related,
        )

    def _name(self, file: str) -> str:
        return self._old.name(self._new.name(file))

    def _in_names(self, text: str) -> str:
        """Return a message in which the names of copied files are replaced by the names for users."""
        return self._old.in_names(self._new.in_names(text))
