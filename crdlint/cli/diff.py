"""`crdlint diff`: what has changed between two versions of CRDs, and what that breaks."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import click

from crdlint.cli import console, options
from crdlint.cli.bugs import STATUS, Bugs
from crdlint.cli.completion import complete_paths
from crdlint.cli.help import Command
from crdlint.cli.reports import Reports, note_rejections
from crdlint.files.paths import Selection, discover
from crdlint.report import formats
from crdlint.report.changes import is_consequence
from crdlint.report.pieces import Outcome, SpoolError, Summary, View
from crdlint.rules.charts import RENDER, SKIPPED
from crdlint.runner.plan import Planner
from crdlint.runner.task import Checker, Settings

if TYPE_CHECKING:
    from typing import Any

    from crdlint.config.model import Config
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.runner.task import CheckOutcome
    from crdlint.sources.previous.crds import PreviousCRDs
    from crdlint.sources.previous.load import Loaded
    from crdlint.sources.previous.sides import Side

_EVERYTHING: Final = ("*", "change-*")
_CHANGELOG: Final = "changelog"


@click.command("diff", cls=Command)
@click.argument("old", shell_complete=complete_paths)
@click.argument("new", default=os.curdir, shell_complete=complete_paths)
@click.option("--all", "everything", is_flag=True, help="Also report changes that break nothing.")
@click.option("--explain", is_flag=True, help="Show an object that was valid and is not any more for breaking changes.")
@options.format_of(
    "changes", "text for people, markdown for a pull request, changelog for release notes, others for programs."
)
@options.output_of("changes")
@options.kube_version
@options.configuration
@options.helm
@click.option(
    "--include",
    multiple=True,
    metavar="GLOB",
    help="Below directories, only compare files that match GLOB (repeatable).",
)
@click.option("--exclude", multiple=True, metavar="GLOB", help="Do not compare files that match GLOB (repeatable).")
@click.option("-q", "--quiet", is_flag=True, help="Only print changes: no headline, no notices.")
@options.color
@click.pass_context
def command(ctx: click.Context, /, **arguments: Any) -> None:
    """Show what has changed from OLD to NEW, and what that breaks.

    OLD and NEW are files, directories, charts (also packed: .tgz) or git revisions (REVISION or REVISION:PATH). Without NEW,
    crdlint compares with the working directory. The exit status is 1 if a change has severity error (see --fail-on).

    \b
    Examples:
      crdlint diff v1.14.0
      crdlint diff v1.0.0:crds v1.1.0:crds --format changelog
    """  # noqa: D301  \b keeps the lines below it as they are
    from crdlint.files.repository import RepositoryError

    try:
        with TemporaryDirectory(prefix="crdlint-") as folder:
            ctx.exit(_Command(arguments, folder).run())
    except RepositoryError as error:
        raise click.UsageError(str(error)) from error
    except SpoolError as error:
        raise click.ClickException(str(error)) from error


class _Command:
    """One call of `crdlint diff`."""

    def __init__(self, arguments: dict[str, Any], folder: str) -> None:
        from crdlint.sources.helm.render import Values
        from crdlint.sources.previous.sides import side

        self._arguments = arguments
        format_: str = arguments["format_"]
        view = View(options.page(arguments["color"], 100), quiet=arguments["quiet"], examples=arguments["explain"])
        self._reports = Reports(formats.changes, format_, arguments["outputs"], view)
        self._config = self._configuration(everything=arguments["everything"] or format_ == _CHANGELOG)
        self._values = options.values(arguments["value_files"], arguments["sets"]) or Values()
        self._old, self._new = (side(arguments[name], str(Path(folder).resolve() / name)) for name in ("old", "new"))
        self._problems: list[tuple[str, str]] = []
        self._unread: list[str] = []  # new inputs that may contain any CRD
        self._summary = Summary()
        self._failed = False
        self._known = self._rejections = 0  # rejections that the old side has, too, and those that are ignored
        self._bugs = Bugs()

    def run(self) -> int:
        """Compare, report, and return the exit status."""
        arguments = self._arguments
        selection = Selection(arguments["include"], arguments["exclude"], True, None)
        loaded = self._load(selection)
        discovered = discover([self._new.path], selection)
        unread = [problem for problem in discovered.problems if problem.fatal]
        self._unread += (problem.path for problem in unread)
        self._note([(problem.path, problem.message) for problem in unread], self._new)
        builds = not arguments["no_kustomize"]
        planner = Planner(arguments["kube_version"], lambda config: config, self._config, kustomize=builds)
        plan = planner.add(discovered.files)
        self._note(plan.problems, self._new)
        previous = loaded.crds()
        settings = Settings(
            previous, values=self._values, uses_helm=not arguments["no_helm"], charts=tuple(plan.charts)
        )
        crds: dict[str, list[str]] = {}
        checked: dict[str, FileResult] = {}
        from crdlint.runner.pool import processors, run

        for outcome in run(plan.tasks, settings, None):
            self._take_outcome(outcome)
            for result in outcome.results:
                crds.setdefault(result.file, []).extend(crd.name for crd in result.crds)
                if plan.kustomizations:
                    checked[os.path.realpath(result.file)] = replace(result, text="", masked=None)
                self._take(result)
        if plan.kustomizations:
            from crdlint.runner.builds import check_kustomizations

            builds_of = check_kustomizations(Checker(settings), plan.kustomizations, checked, processors())
            with closing(builds_of) as outcomes:
                for outcome in outcomes:
                    self._take_outcome(outcome)
                    for result in outcome.results:
                        self._take(result)
        self._compare(previous, crds)
        self._report_end()
        if self._bugs:
            return STATUS
        return 2 if self._problems else 1 if self._failed else 0

    def _configuration(self, *, everything: bool) -> Config:
        from crdlint.config.load import nearest
        from crdlint.config.model import ConfigError

        arguments = self._arguments
        shared = {
            option.name: arguments[option.name] for option in fields(options.RunOptions) if option.name in arguments
        }
        run_options = options.RunOptions(**shared, paths=(arguments["new"],), no_ignore=False, allow_empty=True)
        try:
            config = options.read_config(arguments["config"], isolated=arguments["isolated"]) or nearest(
                str(Path(os.curdir) / "x"), {}
            )
        except ConfigError as error:
            raise click.UsageError(str(error)) from error
        config = options.override(run_options, include_dependencies=arguments["include_dependencies"])(config)
        formats_ = [arguments["format_"], *(output.partition("=")[0] for output in arguments["outputs"])]
        if arguments["explain"] or "json" in formats_:
            config = config._replace(change=config.change._replace(explains=True))
        if everything and not arguments["selected"]:
            config = config._replace(select=(*config.select, *_EVERYTHING))
        return config

    def _load(self, selection: Selection) -> Loaded:
        from crdlint.sources.previous.load import Programs, load_side

        arguments = self._arguments
        programs = Programs(self._values, not arguments["no_helm"], not arguments["no_kustomize"])
        loaded = load_side(self._old, (self._new.path,), selection, programs)
        self._note([(problem.path, problem.message) for problem in loaded.problems], self._old)
        for problem in (*self._old.problems, *self._new.problems):
            self._problems.append((problem, "not compared"))
        return loaded

    def _compare(self, previous: PreviousCRDs, crds: dict[str, list[str]]) -> None:
        """Report removed CRDs, and documents that cannot be compared."""
        from crdlint.sources.previous.removed import NewFiles, compare

        comparison = compare(previous, NewFiles(crds, self._unread), lambda _path: True)
        for notice in () if self._arguments["quiet"] else previous.take_notices():
            console.err(f"crdlint: note: {notice}")
        self._note([(problem.path, problem.message) for problem in comparison.problems if problem.fatal], self._old)
        for result in comparison.results:
            self._take(result)

    def _note(self, problems: list[tuple[str, str]], side: Side) -> None:
        self._problems += [(side.name(path), self._in_names(message)) for path, message in problems]

    def _take_outcome(self, outcome: CheckOutcome) -> None:
        if outcome.problem is not None:
            self._note([(outcome.name, outcome.problem)], self._new)
            if not outcome.results:
                self._unread.append(outcome.name)
        self._bugs.add(self._new.name(outcome.name), outcome.bugs)

    def _take(self, result: FileResult) -> None:
        """Report the changes of a file."""
        from crdlint.config.apply import apply

        known = {(crd.name, message) for crd in result.compared for message in crd.known}
        consequences = [finding for finding in result.diagnostics if is_consequence(finding)]
        new = [
            finding
            for finding in consequences
            if finding.origin != "apiserver" or (finding.crd, finding.message) not in known
        ]
        self._known += len(consequences) - len(new)
        findings = tuple(map(self._named, new))
        applied = apply(replace(result, file=self._name(result.file), diagnostics=findings), self._config, updates=True)
        self._failed |= applied.failed
        self._rejections += len(applied.rejections)
        self._summary.files += 1
        self._summary.add(applied.result)
        self._reports.add(lambda report: report.file(applied.result))
        for finding in () if self._arguments["quiet"] else result.diagnostics:
            if finding.rule in {SKIPPED.id, RENDER.id}:
                what = "not compared" if finding.rule == SKIPPED.id else "note"
                console.err(f"{self._name(finding.file)}:{finding.line}: {what}: {finding.message}")
        for notice in () if self._arguments["quiet"] else result.notices:
            console.err(f"{self._name(result.file)}: note: {self._in_names(notice)}")

    def _named(self, finding: Diagnostic) -> Diagnostic:
        related = finding.related
        if related is not None:
            related = replace(related, file=self._old.name(related.file))
        return replace(finding, file=self._name(finding.file), message=self._in_names(finding.message), related=related)

    def _name(self, file: str) -> str:
        """Return the name of a file of either side."""
        return self._old.name(self._new.name(file))

    def _in_names(self, text: str) -> str:
        """Return a message in which the names of copied files are replaced by the names for users."""
        return self._old.in_names(self._new.in_names(text))

    def _report_end(self) -> None:
        self._bugs.report_repeated()
        outcome = Outcome(self._problems, self._summary, bugs=self._bugs.by_file)
        for file, reason in self._problems:
            console.err(f"crdlint: {file}: {reason}")
        self._reports.show(lambda report: report.end(outcome))
        if self._known and not self._arguments["quiet"]:
            self._reports.note(f"already rejected before: {self._known:,}")
        accepted = self._config.accept_rejections
        note_rejections(self._reports, self._rejections, self._config.fail_on, accepted=accepted)
        for problem in self._reports.save(lambda report: report.end(outcome)):
            console.err(f"crdlint: {problem}")
            self._problems.append((problem, ""))
