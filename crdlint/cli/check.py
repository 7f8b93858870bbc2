"""`crdlint check`: files in, findings out."""

from __future__ import annotations

import os
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from crdlint.cli import console, options
from crdlint.cli.bugs import STATUS, Bugs
from crdlint.cli.completion import complete_paths
from crdlint.cli.help import Command
from crdlint.cli.reports import Reports, add_file, note_rejections
from crdlint.files.paths import Selection, discover
from crdlint.files.read import STDIN
from crdlint.kubernetes.servers import NEWEST
from crdlint.linting.request import CheckRequest
from crdlint.linting.shared_names import SharedNames
from crdlint.report import formats
from crdlint.report.escapes import printable_line
from crdlint.report.pieces import Outcome, SpoolError, Summary, View
from crdlint.report.words import Copies
from crdlint.runner.plan import Planner
from crdlint.runner.task import Checker, Settings
from crdlint.safety.trace import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence

    from crdlint.config.baseline import BaselineMatcher, Update
    from crdlint.config.baseline import KnownFindings as Known
    from crdlint.config.model import Config
    from crdlint.config.places import UsedIgnores
    from crdlint.files.paths import Found, Problem
    from crdlint.linting.result import FileResult
    from crdlint.report.changes import Changes
    from crdlint.runner.cache import Cache
    from crdlint.runner.fix_files import AddedIgnores, Fixing
    from crdlint.runner.plan import Plan
    from crdlint.runner.task import CheckOutcome, Task
    from crdlint.sources.helm.render import Values
    from crdlint.sources.previous.crds import PreviousCRDs
    from crdlint.sources.previous.load import Loaded, Programs

Item = TypeVar("Item")
_REQUEST: Final = CheckRequest(skip_unfinished=True, fixes=True)


@dataclass(slots=True)
class CheckState:
    """What a run has found so far.

    ``checked`` has files' results by their real path, without texts, if there are kustomizations.
    """

    baseline: BaselineMatcher | Update | AddedIgnores | None = None
    updates: bool = False
    changes: Changes | None = None  # of a check of updates
    removed: bool = False  # whether an old CRD is gone
    checked: dict[str, FileResult] = field(default_factory=dict)
    crds: dict[str, list[str]] = field(default_factory=dict)  # their names by file
    problems: list[tuple[str, str]] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)
    unwritten: list[str] = field(default_factory=list)  # files of the command line that cannot be written, and why
    bugs: Bugs = field(default_factory=Bugs)
    unread: list[str] = field(default_factory=list)  # inputs that may contain any CRD
    failed: bool = False
    rejections: int = 0
    has_findings: bool = False  # whether there is a finding, hidden ones included
    by_rule: Counter[str] = field(default_factory=Counter)
    names: SharedNames = field(default_factory=SharedNames)
    copies: Copies = field(default_factory=Copies)
    ignores: UsedIgnores | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions(options.RunOptions):
    """The arguments and options of a call, by the names of their parameters."""

    require_crds: bool | None
    stdin_filename: str | None
    against: str | None
    baseline_file: str | None
    update_baseline: bool
    include_dependencies: bool
    no_helm: bool
    no_kustomize: bool
    sets: tuple[str, ...]
    value_files: tuple[str, ...]
    hidden: bool
    show_all: bool
    fix: bool
    unsafe_fixes: bool
    diff: bool
    show_fixes: bool
    statistics: bool
    jobs: int | None
    no_cache: bool
    verbose: bool
    add_ignore: bool
    show_files: bool
    show_settings: bool
    show_ignored: bool


@click.command("check", cls=Command)
@options.files
@click.option(
    "--require-crds/--no-require-crds",
    default=None,
    help="Exit with status 2 if no CRD is found, or do not. By default, do so only if PATH contains a file or -.",
)
@click.option("--allow-empty", is_flag=True, hidden=True, help="Deprecated: the same as --no-require-crds.")
@click.option(
    "--stdin-filename", metavar="FILE", shell_complete=complete_paths,
    help="The file name of standard input (-): for findings, and to find its configuration, chart and exclusions.",
)  # fmt: skip
@options.format_
@options.output
@click.option(
    "--kube-version",
    type=options.KubeVersion(),
    help=f"{options.help_of_versions('to check CRDs for')} "
    f"Default: from the configuration, else from the chart, else {NEWEST}.",
)
@click.option(
    "--against", metavar="REV_OR_PATH", shell_complete=complete_paths,
    help="Check CRDs as updates of those in a git revision, a file, a directory or a packed chart.",
)  # fmt: skip
@options.configuration
@click.option(
    "--baseline", "baseline_file", metavar="FILE", shell_complete=complete_paths,
    help="Do not report the known findings in FILE.",
)  # fmt: skip
@click.option("--update-baseline", is_flag=True, help="Write the current findings to the baseline.")
@options.helm
@click.option(
    "--hidden", is_flag=True, help="Also show what the API server would report after the other findings are fixed."
)
@click.option("--show-all", is_flag=True, help="Show each finding, however many are alike, also in copies of a CRD.")
@click.option("--fix", is_flag=True, help="Apply safe fixes to the files.")
@click.option(
    "--unsafe-fixes", is_flag=True, help="With --fix or --diff, also apply fixes that may change the meaning."
)
@click.option("--diff", is_flag=True, help="Print the changes of --fix as a unified diff, and do not write files.")
@click.option("--show-fixes", is_flag=True, help="With --fix or --diff, list the fixes.")
@click.option(
    "--add-ignore", is_flag=True, help="Write a comment that ignores it for each finding, and report the others."
)
@click.option("--show-files", is_flag=True, help="List the files that may have CRDs instead of checking them.")
@click.option("--show-settings", is_flag=True, help="Print each setting and where it is set instead of checking files.")
@click.option("--show-ignored", is_flag=True, help="List the ignored findings, with the reason of each.")
@click.option("--statistics", is_flag=True, help="Count findings by rule.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="The number of processes. Default: depends on the amount of work.",
)
@click.option("--no-cache", is_flag=True, help="Do not read or write the cache of results.")
@click.option("-v", "--verbose", is_flag=True, help="Print why files are skipped, and the programs that crdlint runs.")
@click.option("-q", "--quiet", is_flag=True, help="Only print findings: no summary, no notices.")
@options.color
@click.pass_context
def command(ctx: click.Context, /, **arguments: Any) -> None:
    """Check CRDs as the API server does: in files, directories, charts, kustomizations or on standard input (-).

    Without PATH, crdlint checks the working directory. In directories it reads .yaml, .yml and .json files. The exit
    status is 1 if there is a finding of severity error (see --fail-on).

    \b
    Examples:
      crdlint check config/crd/
      helm template --include-crds CHART | crdlint check -
    """  # noqa: D301  \b keeps the lines below it as they are
    check_options = CheckOptions(**arguments)
    if (check_options.fix or check_options.diff) and STDIN in check_options.paths:
        raise click.UsageError(
            f"--{'fix' if check_options.fix else 'diff'} cannot change standard input (-): name a file"
        )
    if check_options.fix and check_options.diff:
        raise click.UsageError("--diff cannot be used with --fix")
    if check_options.unsafe_fixes and not (check_options.fix or check_options.diff):
        raise click.UsageError("--unsafe-fixes requires --fix or --diff")
    if check_options.show_fixes and not (check_options.fix or check_options.diff):
        raise click.UsageError("--show-fixes requires --fix or --diff")
    others = (check_options.fix, check_options.diff, check_options.baseline_file, STDIN in check_options.paths)
    if check_options.add_ignore and any(others):
        raise click.UsageError("--add-ignore cannot be used with --fix, --diff, --baseline or standard input (-)")
    if check_options.update_baseline and not check_options.baseline_file:
        raise click.UsageError("--update-baseline requires --baseline FILE")
    if check_options.stdin_filename is not None and STDIN not in check_options.paths:
        raise click.UsageError("--stdin-filename requires - as PATH")
    try:
        ctx.exit(_Command(check_options).run())
    except SpoolError as error:
        raise click.ClickException(str(error)) from error


class _Command:
    """One call of `crdlint check`."""

    def __init__(self, check_options: CheckOptions) -> None:
        self._options = check_options
        self._paths = check_options.paths
        self._quiet = check_options.quiet
        if check_options.verbose:
            os.environ[VARIABLE] = "1"
        view = View(
            options.page(check_options.color, 120),
            hidden=check_options.hidden,
            show_all=check_options.show_all,
            quiet=check_options.quiet,
            statistics=check_options.statistics,
        )
        self._reports = Reports(formats.findings, check_options.format_, check_options.outputs, view)
        if check_options.against and not self._quiet:
            self._reports.hold()
        self._known = _known(check_options.baseline_file, missing_ok=check_options.update_baseline)
        self._config = options.read_config(check_options.config, isolated=check_options.isolated)
        fixes = check_options.fix or check_options.diff
        self._fixing: Fixing | None = None
        self._added: AddedIgnores | None = None
        if fixes:
            from crdlint.runner.fix_files import Fixing

            self._fixing = Fixing(diff=check_options.diff)

    def run(self) -> int:
        """Check, report, and return the exit status."""
        if self._options.against and self._options.against.endswith((".tgz", ".tar.gz")):
            from tempfile import TemporaryDirectory

            with TemporaryDirectory(prefix="crdlint-", ignore_cleanup_errors=True) as folder:  # for a packed chart
                return self._run(folder)
        return self._run(None)

    def _run(self, folder: str | None) -> int:
        """Check and report; a packed chart to compare with is unpacked to `folder`."""
        start = time.perf_counter()
        check_options = self._options
        stdin_name = check_options.stdin_filename
        selection = Selection(check_options.include, check_options.exclude, not check_options.no_ignore, stdin_name)
        paths = tuple(stdin_name if path == STDIN and stdin_name else path for path in self._paths)
        builds = not check_options.no_kustomize
        values = options.values(check_options.value_files, check_options.sets)
        loaded = None
        if check_options.against:
            loaded = _load_previous(
                check_options.against, paths, selection, self._programs(values, builds=builds), folder
            )
        run = self._new_run(updates=loaded is not None)
        discovered = discover(self._paths, selection)
        deleted = set() if loaded is None else {path for path in loaded.covered if not os.path.lexists(path)}
        self._take_problems(run, (problem for problem in discovered.problems if problem.path not in deleted))
        override = options.override(check_options, include_dependencies=check_options.include_dependencies)
        planner = Planner(check_options.kube_version, override, self._config, builds, stdin_name, _REQUEST)
        plan = planner.add(discovered.files)
        if self._fixing is not None:
            planner.add_resources(discovered.files)
        run.problems += plan.problems
        if check_options.show_files or check_options.show_settings:
            return self._show(run, planner)
        if not planner.has_invalid_configuration:
            self._check_inputs(run, planner, loaded, values)
        if self._added is not None:
            run.problems += self._added.problems
        run.summary.seconds = time.perf_counter() - start
        if self._fixing is not None:
            self._report_fixes(self._fixing, run)
        if self._fixing is None or not self._fixing.diff:
            self._report_end(run, plan)
        nothing = not (run.summary.crds or run.has_findings or run.removed or run.problems or run.bugs)
        if nothing and not run.unwritten and not deleted and self._is_missing_crds(run, discovered, plan):
            return 2
        if run.bugs:
            return STATUS
        if self._fixing is not None and self._fixing.diff and not (run.problems or run.unwritten):
            return 1 if self._fixing.files else 0
        return 2 if run.problems or run.unwritten else 1 if run.failed else 0

    def _show(self, run: CheckState, planner: Planner) -> int:
        """Print the files that a check would read, or the settings of the first one, instead of the check."""
        for name, reason in run.problems:
            console.err(f"crdlint: {name}: {reason}")
        files = [task.path for task in planner.plan.tasks]
        if self._options.show_files:
            for file in files:
                console.out(printable_line(file))
        elif not run.problems:
            from crdlint.cli.settings import settings_of

            config = self._config or planner.unmerged(next(iter(files), self._paths[0]))
            for line in settings_of(config, planner.merged(config), self._options.kube_version):
                console.out(printable_line(line))
        return 2 if run.problems else 0

    def _check_inputs(self, run: CheckState, planner: Planner, loaded: Loaded | None, values: Values | None) -> None:
        """Check the planned files, builds and releases, and compare them with old files."""
        plan = planner.plan
        previous = loaded.crds() if loaded is not None else None
        settings = Settings(
            previous, values, not self._options.no_helm,
            self._cache(), tuple(plan.charts), self._workers() if plan.charts else 1,
            fixing=None if self._fixing is None else "unsafe" if self._options.unsafe_fixes else "safe",
        )  # fmt: skip
        self._check(run, plan, settings)
        self._check_kustomizations(run, planner, settings)
        if self._fixing is None:
            self._check_releases(run, plan, settings)
        if loaded is not None and previous is not None:
            self._take_problems(run, loaded.problems)
            self._compare(run, planner, previous, loaded.tops)
        elif run.ignores is not None:
            for result, config in run.ignores.unused(self._paths):
                self._take(run, result, config)

    def _is_missing_crds(self, run: CheckState, discovered: Found, plan: Plan) -> bool:
        """Report that no CRD was found, and return whether that is an error."""
        from crdlint.cli.nothing import nothing_found

        required = self._options.require_crds
        if required is None and self._options.allow_empty:
            required = False
        nothing = nothing_found(self._paths, discovered, plan.excluded, skipped=run.summary.skipped, required=required)
        if nothing.is_error or not self._quiet:
            console.err(f"crdlint: {nothing.message}")
        return nothing.is_error

    def _new_run(self, *, updates: bool) -> CheckState:
        changes = None
        if updates:
            from crdlint.report.changes import Changes

            changes = Changes()
        if self._options.add_ignore:
            from crdlint.runner.fix_files import AddedIgnores

            self._added = AddedIgnores()
            return CheckState(self._added, updates=updates, changes=changes)
        if self._known is None:
            return CheckState(updates=updates, changes=changes)
        baseline = self._known.update() if self._options.update_baseline else self._known.matching()
        return CheckState(baseline, updates=updates, changes=changes)

    def _take_problems(self, run: CheckState, problems: Iterable[Problem]) -> None:
        for problem in problems:
            if problem.fatal:
                run.problems.append((problem.path, problem.message))
                run.unread.append(problem.path)
            elif not self._quiet:
                console.err(f"crdlint: {problem.path}: {problem.message}")

    def _compare(self, run: CheckState, planner: Planner, previous: PreviousCRDs, tops: list[str]) -> None:
        """Report the removed CRDs of old files, and old documents that cannot be compared."""
        from crdlint.sources.previous.removed import NewFiles, compare

        new = NewFiles(run.crds, run.unread, tops)
        comparison = compare(previous, new, lambda path: planner.config_of(path) is not None)
        for notice in () if self._quiet else previous.take_notices():
            console.err(f"crdlint: note: {notice}")
        self._take_problems(run, comparison.problems)
        run.removed = bool(comparison.results)
        for result in comparison.results:
            config = planner.config_of(result.file)
            if config is not None:
                self._take(run, result, config, reads_comments=False)

    def _check(self, run: CheckState, plan: Plan, settings: Settings) -> None:
        """Check the planned files, and print their findings in order."""
        run.summary.files += plan.passed
        for result, config in plan.results:
            self._take(run, result, config)
        # Closed at once when the run is interrupted, so that no process is left.
        with closing(self._checked(plan, settings)) as checked:
            for outcome, config in self._watched(zip(checked, plan.configs, strict=True), plan.tasks):
                if outcome.problem is not None:
                    run.problems.append((outcome.name, outcome.problem))
                    if not outcome.results:
                        run.unread.append(outcome.name)
                        continue
                run.summary.files += 1
                run.bugs.add(outcome.name, outcome.bugs)
                for result in outcome.results:
                    if plan.kustomizations:
                        run.checked[os.path.realpath(result.file)] = replace(result, text="", masked=None)
                    self._take(run, result, config)
        if settings.cache is not None:
            settings.cache.sweep()

    def _watched(self, outcomes: Iterable[Item], tasks: Sequence[Task]) -> Iterator[Item]:
        """Yield outcomes, and show on a terminal what is being read."""
        return console.watched(outcomes, () if self._quiet or self._options.verbose else [task.path for task in tasks])

    def _check_kustomizations(self, run: CheckState, planner: Planner, settings: Settings) -> None:
        """Check the CRDs in the output of builds, and print their findings in order."""
        if not planner.plan.kustomizations or (self._fixing is not None and self._fixing.diff):
            return
        from crdlint.runner.builds import check_kustomizations

        checker = Checker(settings)
        reported: set[str] = set()  # a missing program is missing for all of them
        # Closed at once if the run is interrupted, so that no build is left running.
        with closing(
            check_kustomizations(checker, planner.plan.kustomizations, run.checked, self._workers())
        ) as checked:
            for outcome in self._watched(checked, planner.plan.kustomizations):
                if outcome.problem is not None:
                    run.problems.append((outcome.name, outcome.problem))
                run.bugs.add(outcome.name, outcome.bugs)
                for result in outcome.results:
                    config = planner.config_of(result.file)
                    if config is not None:
                        notices = tuple(notice for notice in result.notices if notice not in reported)
                        reported.update(notices)
                        self._take(run, replace(result, notices=notices), config)

    def _check_releases(self, run: CheckState, plan: Plan, settings: Settings) -> None:
        """Check the sizes of the releases of charts."""
        if not plan.releases:
            return
        from crdlint.runner.builds import check_release

        checker = Checker(settings)
        for chart, config in plan.releases.items():
            outcome = check_release(checker, chart)
            run.bugs.add(outcome.name, outcome.bugs)
            for result in outcome.results:
                self._take(run, result, config)

    def _programs(self, values: Values | None, *, builds: bool) -> Programs:
        """Return the programs that read the old side, the same as those of the new side."""
        from crdlint.sources.helm.render import Values
        from crdlint.sources.previous.load import Programs

        return Programs(values or Values(), not self._options.no_helm, builds)

    def _workers(self) -> int:
        """Return the number of programs that may run in parallel."""
        from crdlint.runner.pool import processors

        return self._options.jobs or processors()

    def _checked(self, plan: Plan, settings: Settings) -> Generator[CheckOutcome, None, None]:
        from crdlint.runner.pool import run

        if self._fixing is None:
            yield from run(plan.tasks, settings, self._options.jobs)
            return
        checker = Checker(settings)
        tasks = (task._replace(config=config) for task, config in zip(plan.tasks, plan.configs, strict=True))
        for outcome in run(tasks, settings, self._options.jobs):
            yield self._fixing.take(outcome, checker)

    def _take(self, run: CheckState, result: FileResult, config: Config, *, reads_comments: bool = True) -> None:
        """Report a file's result, except what its configuration and ignore comments leave out."""
        from crdlint.config.apply import apply, comments_of

        result = run.names.add(result)
        comments = comments_of(result) if reads_comments else None
        if run.updates:
            run.crds.setdefault(result.file, []).extend(crd.name for crd in result.crds)
        applied = apply(result, config, comments, run.baseline, updates=run.updates)
        if config.ignores:
            from crdlint.config.places import UsedIgnores

            run.ignores = run.ignores or UsedIgnores()
            run.ignores.add(result, config, (entry for _, _, entry in applied.ignored if entry is not None))
        if run.changes is not None:
            run.changes.add(applied.result)
        shown = applied.result if self._options.show_all else run.copies.without(applied.result)
        run.summary.add(shown)
        run.summary.below_minimum += sum(
            by == "min-severity" and not finding.hidden for finding, by, _ in applied.ignored
        )
        run.by_rule.update(d.rule for d in shown.diagnostics if not d.hidden)
        run.has_findings |= bool(applied.result.diagnostics)
        run.failed |= applied.failed
        run.rejections += len(applied.rejections)
        self._print(shown, infos=self._shows_infos(config))
        if self._options.show_ignored:
            from crdlint.config.reasons import reasons

            for line in reasons(applied.ignored, config, comments):
                self._reports.note(line)

    def _shows_infos(self, config: Config) -> bool:
        """Return whether text shows infos: they are asked for, or let the run fail."""
        shows_all = self._options.show_all or self._options.min_severity == "info" or bool(self._options.selected)
        return shows_all or config.fail_on == "info" or config.select != ("*",)

    def _print(self, result: FileResult, *, infos: bool = True) -> None:
        """Write what a report has about a file, to standard output and to other files."""
        if self._fixing is not None and self._fixing.diff:
            return
        add_file(self._reports, result, quiet=self._quiet, infos=infos)

    def _report_end(self, run: CheckState, plan: Plan) -> None:
        """Write the end of the run: problems, the end of the report, and other files."""
        run.summary.unreadable = len(run.problems)
        run.summary.repeated, run.summary.copies = run.copies.findings, len(run.copies.files)
        for notice in () if self._quiet else plan.notices:
            console.err(f"crdlint: note: {notice}")
        for name, reason in run.problems:
            console.err(f"crdlint: {name}: {reason}")
        run.bugs.report_repeated()
        self._report_known(run)
        outcome = Outcome(run.problems, run.summary, run.by_rule, run.bugs.by_file)
        if run.changes is not None and not self._quiet:
            self._reports.release(f"compared with {self._options.against}: {run.changes.headline()}")
        self._reports.show(lambda report: report.end(outcome))
        run.unwritten += self._reports.save(lambda report: report.end(outcome))
        accepted = self._options.accept_rejections
        note_rejections(self._reports, run.rejections, self._options.fail_on, accepted=accepted)
        for problem in run.unwritten:
            console.err(f"crdlint: {problem}")

    def _report_fixes(self, fixing: Fixing, run: CheckState) -> None:
        """Write what was fixed, and what was not; with a diff, that is the whole report."""
        for name, reason in run.problems if fixing.diff else ():
            console.err(f"crdlint: {name}: {reason}")
        for diff in fixing.diffs:
            console.out(diff, nl=False)
        for line in fixing.problems():
            console.err(f"crdlint: {line}")
        if not self._quiet:
            console.err(fixing.summary())
        for line in fixing.shown() if self._options.show_fixes else ():
            console.err(line)

    def _report_known(self, run: CheckState) -> None:
        """Write the baseline if that is asked for; otherwise report its entries that are no longer found."""
        file = self._options.baseline_file
        if self._added is not None:
            console.err(f"crdlint: {self._added.summary()}")
        if run.baseline is None or file is None:
            return
        from crdlint.config.baseline import BaselineMatcher, Update, write
        from crdlint.config.model import ConfigError

        if isinstance(run.baseline, Update):
            try:
                write(file, run.baseline.baseline())
            except ConfigError as error:
                run.unwritten.append(f"--baseline: {error}")
                return
            console.err(f"crdlint: {file}: {run.baseline.summary()}")
            return
        for entry in run.baseline.stale() if isinstance(run.baseline, BaselineMatcher) and not self._quiet else ():
            console.err(f"crdlint: note: no longer found, --update-baseline removes it: {entry}")

    def _cache(self) -> Cache | None:
        if self._options.no_cache:
            return None
        from crdlint.runner.cache import open_cache

        return open_cache()


def _known(file: str | None, *, missing_ok: bool) -> Known | None:
    if file is None:
        return None
    from crdlint.config.baseline import read
    from crdlint.config.model import ConfigError

    try:
        return read(file, missing_ok=missing_ok)
    except ConfigError as error:
        raise click.UsageError(f"--baseline: {error}") from error


def _load_previous(
    source: str, arguments: tuple[str, ...], selection: Selection, programs: Programs, folder: str | None
) -> Loaded:
    """Return the old files to compare with; an invalid argument ends the run."""
    from crdlint.files.repository import RepositoryError
    from crdlint.sources.previous.load import load

    try:
        return load(source, arguments, selection, programs, folder)
    except RepositoryError as error:
        raise click.UsageError(f"--against: {error}") from error
