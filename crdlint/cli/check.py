"""`crdlint check`: files in, findings out."""

from __future__ import annotations

import os
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeVar

import click

from crdlint.cli import console, options
from crdlint.cli.options import FindingOptions, HelmOptions, file_option, flag, kube_version, option
from crdlint.cli.reports import Reports, Totals, add_file, nothing_found
from crdlint.files.paths import Found, Problem, Selection, discover
from crdlint.files.read import STDIN
from crdlint.kubernetes.servers import NEWEST
from crdlint.linting.request import CheckRequest
from crdlint.linting.shared_names import SharedNames
from crdlint.report import formats
from crdlint.report.escapes import printable_line
from crdlint.report.pieces import View
from crdlint.report.words import Copies
from crdlint.runner.plan import Plan, Planner
from crdlint.runner.task import Checker, CheckOutcome, Settings, Task
from crdlint.safety.output import VARIABLE

if TYPE_CHECKING:
    from crdlint.config.baseline import BaselineMatcher, Update
    from crdlint.config.baseline import KnownFindings as Known
    from crdlint.config.model import Config
    from crdlint.config.places import UsedIgnores
    from crdlint.linting.result import FileResult
    from crdlint.report.changes import Changes
    from crdlint.runner.cache import Cache
    from crdlint.runner.fix_files import AddedIgnores, Fixing
    from crdlint.sources.helm.render import Values
    from crdlint.sources.previous.crds import PreviousCRDs
    from crdlint.sources.previous.load import Loaded

Item = TypeVar("Item")
_OF_RUNS: Final = frozenset({"file", "folder", "notices", "in_chart", "ignores"})  # no settings
_PAIRS: Final = frozenset({"severity", "per_file_ignores", "sets"})
_REQUEST: Final = CheckRequest(skip_unfinished=True, fixes=True)


@dataclass(slots=True)
class CheckState(Totals):
    """What a run has found so far.

    ``checked`` has files' results by their real path, without texts, if there are kustomizations.
    """

    baseline: BaselineMatcher | Update | AddedIgnores | None = None
    changes: Changes | None = None  # of a check of updates
    removed: bool = False  # whether an old CRD is gone
    checked: dict[str, FileResult] = field(default_factory=dict)
    crds: dict[str, list[str]] = field(default_factory=dict)  # their names by file
    unread: list[str] = field(default_factory=list)  # inputs that may contain any CRD
    names: SharedNames = field(default_factory=SharedNames)
    copies: Copies = field(default_factory=Copies)
    ignores: UsedIgnores | None = None


class CheckOptions(HelmOptions, FindingOptions):
    """The arguments and options of `crdlint check`."""

    require_crds: bool | None = option(
        "--require-crds/--no-require-crds", default=None,
        help="Exit with status 2 if no CRD is found, or do not. By default, do so only if PATH contains a file or -.",
    )  # fmt: skip
    allow_empty: bool = flag("--allow-empty", hidden=True, help_="Deprecated: the same as --no-require-crds.")
    stdin_filename: str | None = file_option(
        "--stdin-filename",
        "The file name of standard input (-): for findings, and to find its configuration, chart and exclusions.",
    )
    kube_version: str | None = kube_version("to check CRDs for", f"else from the chart, else {NEWEST}")
    against: str | None = file_option(
        "--against", "Check CRDs as updates of those in a git revision, a file, a directory or a packed chart.",
        metavar="REV_OR_PATH",
    )  # fmt: skip
    baseline_file: str | None = file_option("--baseline", "Do not report the known findings in FILE.")
    update_baseline: bool = flag("--update-baseline", help_="Write the current findings to the baseline.")
    hidden: bool = flag(
        "--hidden", help_="Also show what the API server would report after the other findings are fixed."
    )
    show_all: bool = flag("--show-all", help_="Show each finding, however many are alike, also in copies of a CRD.")
    show_ignored: bool = flag("--show-ignored", help_="List the ignored findings, with the reason of each.")
    fix: bool = flag("--fix", help_="Apply safe fixes to the files.")
    unsafe_fixes: bool = flag(
        "--unsafe-fixes", help_="With --fix or --diff, also apply fixes that may change the meaning."
    )
    diff: bool = flag("--diff", help_="Print the changes of --fix as a unified diff, and do not write files.")
    show_fixes: bool = flag("--show-fixes", help_="With --fix or --diff, list the fixes.")
    add_ignore: bool = flag(
        "--add-ignore", help_="Write a comment that ignores it for each finding, and report the others."
    )
    statistics: bool = flag("--statistics", help_="Count findings by rule.")
    show_files: bool = flag("--show-files", help_="List the files that may have CRDs instead of checking them.")
    show_settings: bool = flag(
        "--show-settings", help_="Print each setting and where it is set instead of checking files."
    )
    jobs: int | None = option(
        "--jobs", type=click.IntRange(1), metavar="N",
        help="The number of processes. Default: depends on the amount of work.",
    )  # fmt: skip
    no_cache: bool = flag("--no-cache", help_="Do not read or write the cache of results.")
    verbose: bool = flag("-v", "--verbose", help_="Print why files are skipped, and the programs that crdlint runs.")


@options.command("check", CheckOptions)
def command(arguments: CheckOptions) -> int:
    """Check CRDs as the API server does: in files, directories, charts, kustomizations or on standard input (-).

    Without PATH, crdlint checks the working directory. In directories it reads .yaml, .yml and .json files. The exit
    status is 1 if there is a finding of severity error (see --fail-on).

    \b
    Examples:
      crdlint check config/crd/
      helm template --include-crds CHART | crdlint check -
    """  # noqa: D301  \b keeps the lines below it as they are
    reads_stdin, fixes = STDIN in arguments.paths, arguments.fix or arguments.diff
    for is_wrong, message in (
        (arguments.fix and reads_stdin, "--fix cannot change standard input (-): name a file"),
        (arguments.diff and reads_stdin, "--diff cannot change standard input (-): name a file"),
        (arguments.fix and arguments.diff, "--diff cannot be used with --fix"),
        (arguments.unsafe_fixes and not fixes, "--unsafe-fixes requires --fix or --diff"),
        (arguments.show_fixes and not fixes, "--show-fixes requires --fix or --diff"),
        (
            arguments.add_ignore and (fixes or arguments.baseline_file or reads_stdin),
            "--add-ignore cannot be used with --fix, --diff, --baseline or standard input (-)",
        ),
        (arguments.update_baseline and not arguments.baseline_file, "--update-baseline requires --baseline FILE"),
        (arguments.stdin_filename is not None and not reads_stdin, "--stdin-filename requires - as PATH"),
    ):
        if is_wrong:
            raise click.UsageError(message)
    return _Command(arguments).run()


class _Command:
    """One call of `crdlint check`."""

    def __init__(self, arguments: CheckOptions) -> None:
        self._options = arguments
        self._paths = arguments.paths
        self._quiet = arguments.quiet
        if arguments.verbose:
            os.environ[VARIABLE] = "1"
        view = View(
            options.page(arguments.color, 120),
            hidden=arguments.hidden,
            show_all=arguments.show_all,
            quiet=arguments.quiet,
            statistics=arguments.statistics,
        )
        self._reports = Reports(formats.findings, arguments.format_, arguments.outputs, view)
        if arguments.against and not self._quiet:
            self._reports.hold()
        self._known = _known(arguments.baseline_file, missing_ok=arguments.update_baseline)
        self._config = arguments.read_config()
        self._fixing: Fixing | None = None
        self._added: AddedIgnores | None = None
        if arguments.fix or arguments.diff:
            from crdlint.runner.fix_files import Fixing

            self._fixing = Fixing(diff=arguments.diff)

    def run(self) -> int:
        if self._options.against and self._options.against.endswith((".tgz", ".tar.gz")):
            from tempfile import TemporaryDirectory

            with TemporaryDirectory(prefix="crdlint-", ignore_cleanup_errors=True) as folder:  # for a packed chart
                return self._run(folder)
        return self._run(None)

    def _run(self, folder: str | None) -> int:
        """Check and report; a packed chart to compare with is unpacked to `folder`."""
        start = time.perf_counter()
        arguments = self._options
        stdin_name = arguments.stdin_filename
        selection = Selection(arguments.include, arguments.exclude, not arguments.no_ignore, stdin_name)
        paths = tuple(stdin_name if path == STDIN and stdin_name else path for path in self._paths)
        builds = not arguments.no_kustomize
        values = arguments.values()
        loaded = None
        if arguments.against:
            loaded = self._load_previous(arguments.against, paths, selection, values, folder)
        run = self._new_run()
        discovered = discover(self._paths, selection)
        deleted = set() if loaded is None else {path for path in loaded.covered if not os.path.lexists(path)}
        self._take_problems(run, (problem for problem in discovered.problems if problem.path not in deleted))
        override = arguments.override(include_dependencies=arguments.include_dependencies)
        planner = Planner(arguments.kube_version, override, self._config, builds, stdin_name, _REQUEST)
        plan = planner.add(discovered.files)
        if self._fixing is not None:
            planner.add_resources(discovered.files)
        run.problems += plan.problems
        if arguments.show_files or arguments.show_settings:
            return self._show(run, planner)
        if not planner.has_invalid_configuration:
            self._check_inputs(run, planner, loaded, values)
        if self._added is not None:
            run.problems += self._added.problems
        run.summary.seconds = time.perf_counter() - start
        if self._fixing is not None:
            self._report_fixes(self._fixing, run)
        if not self._options.diff:
            self._report_end(run, plan)
        nothing = not (run.summary.crds or run.has_findings or run.removed or run.problems or run.bugs)
        if nothing and not run.unwritten and not deleted and self._is_missing_crds(run, discovered, plan):
            return 2
        if self._fixing is not None and self._options.diff:
            run.failed = bool(self._fixing.files)
        return run.status

    def _show(self, run: CheckState, planner: Planner) -> int:
        """Print the files that a check would read, or the settings of the first one, instead of the check."""
        for name, reason in run.problems:
            console.err(f"crdlint: {name}: {reason}")
        files = [task.path for task in planner.plan.tasks]
        if self._options.show_files:
            for file in files:
                console.out(printable_line(file))
        elif not run.problems:
            config = self._config or planner.unmerged(next(iter(files), self._paths[0]))
            for line in _settings_of(config, planner.merged(config), self._options.kube_version):
                console.out(printable_line(line))
        return 2 if run.problems else 0

    def _check_inputs(self, run: CheckState, planner: Planner, loaded: Loaded | None, values: Values | None) -> None:
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
        required = self._options.require_crds
        if required is None and self._options.allow_empty:
            required = False
        nothing = nothing_found(self._paths, discovered, plan.excluded, skipped=run.summary.skipped, required=required)
        if nothing.is_error or not self._quiet:
            console.err(f"crdlint: {nothing.message}")
        return nothing.is_error

    def _new_run(self) -> CheckState:
        run = CheckState()
        if self._options.against:
            from crdlint.report.changes import Changes

            run.changes = Changes()
        if self._options.add_ignore:
            from crdlint.runner.fix_files import AddedIgnores

            run.baseline = self._added = AddedIgnores()
        elif self._known is not None:
            run.baseline = self._known.update() if self._options.update_baseline else self._known.matching()
        return run

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
        run.summary.files += plan.passed
        for result, config in plan.results:
            self._take(run, result, config)
        # Closed at once when the run is interrupted, so that no process is left.
        with closing(self._checked(plan, settings)) as checked:
            for outcome, config in self._watched(zip(checked, plan.configs, strict=True), plan.tasks):
                run.take_outcome(outcome)
                if outcome.problem is not None and not outcome.results:
                    run.unread.append(outcome.name)
                    continue
                run.summary.files += 1
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
        if not planner.plan.kustomizations or self._options.diff:
            return
        from crdlint.runner.builds import check_kustomizations

        checker = Checker(settings)
        reported: set[str] = set()  # a missing program is missing for all of them
        # Closed at once if the run is interrupted, so that no build is left running.
        with closing(
            check_kustomizations(checker, planner.plan.kustomizations, run.checked, self._workers())
        ) as checked:
            for outcome in self._watched(checked, planner.plan.kustomizations):
                run.take_outcome(outcome)
                for result in outcome.results:
                    config = planner.config_of(result.file)
                    if config is not None:
                        notices = tuple(notice for notice in result.notices if notice not in reported)
                        reported.update(notices)
                        self._take(run, replace(result, notices=notices), config)

    def _check_releases(self, run: CheckState, plan: Plan, settings: Settings) -> None:
        if not plan.releases:
            return
        from crdlint.runner.builds import check_release

        checker = Checker(settings)
        for chart, config in plan.releases.items():
            outcome = check_release(checker, chart)
            run.take_outcome(outcome)
            for result in outcome.results:
                self._take(run, result, config)

    def _workers(self) -> int:
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
        applied = apply(result, config, comments, run.baseline, updates=run.changes is not None)
        if config.ignores:
            from crdlint.config.places import UsedIgnores

            run.ignores = run.ignores or UsedIgnores()
            run.ignores.add(result, config, applied.used)
        if run.changes is not None:
            run.crds.setdefault(result.file, []).extend(crd.name for crd in result.crds)
            run.changes.add(applied.result)
        shown = applied.result if self._options.show_all else run.copies.without(applied.result)
        run.take(applied, shown)
        run.summary.below_minimum += sum(
            by == "min-severity" and not finding.hidden for finding, by, _ in applied.ignored
        )
        if not self._options.diff:
            add_file(self._reports, shown, quiet=self._quiet, infos=self._shows_infos(config))
        if self._options.show_ignored:
            from crdlint.config.apply import reasons

            for line in reasons(applied.ignored, config, comments):
                self._reports.note(line)

    def _shows_infos(self, config: Config) -> bool:
        """Return whether text shows infos: they are asked for, or let the run fail."""
        shows_all = self._options.show_all or self._options.min_severity == "info" or bool(self._options.selected)
        return shows_all or config.fail_on == "info" or config.select != ("*",)

    def _report_end(self, run: CheckState, plan: Plan) -> None:
        run.summary.repeated, run.summary.copies = run.copies.findings, len(run.copies.files)
        run.report_trouble(() if self._quiet else plan.notices)
        self._report_known(run)
        if run.changes is not None and not self._quiet:
            self._reports.release(f"compared with {self._options.against}: {run.changes.headline()}")
        run.end(self._reports, self._options.fail_on, accepted=self._options.accept_rejections)
        if run.summary.repeated and not self._quiet and not self._reports.is_text:
            console.err(run.summary.repetitions())

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

    def _load_previous(
        self, source: str, paths: tuple[str, ...], selection: Selection, values: Values | None, folder: str | None
    ) -> Loaded:
        """Return the old files to compare with, read by the same programs; an invalid argument ends the run."""
        from crdlint.files.repository import RepositoryError
        from crdlint.sources.helm.render import Values
        from crdlint.sources.previous.load import Programs, load

        programs = Programs(values or Values(), not self._options.no_helm, not self._options.no_kustomize)
        try:
            return load(source, paths, selection, programs, folder)
        except RepositoryError as error:
            raise click.UsageError(f"--against: {error}") from error

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


def _settings_of(config: Config, merged: Config, kube_version: str | None) -> Iterator[str]:
    """Yield each setting as JSON and its origin: the command line, a line of the configuration, or the default."""
    import json

    from crdlint.config.load import positions

    lines = {} if config.file is None else positions(config.file)
    merged = merged._replace(kube_version=kube_version or merged.kube_version)
    for name, value in merged._asdict().items():
        if name in _OF_RUNS:
            continue
        key = name.replace("_", "-")
        origin = f"{config.file}:{lines[key]}" if key in lines else "default"
        if value != getattr(config, name):
            origin = "command line" if origin == "default" else f"{origin} and command line"
        if name == "ignore":
            value = [*value, *(entry._asdict() for entry in merged.ignores)]
        shown = value._asdict() if hasattr(value, "_asdict") else dict(value) if name in _PAIRS else value
        yield f"{key} = {json.dumps(shown, ensure_ascii=False)}  # {origin}"
