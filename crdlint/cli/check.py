"""`crdlint check`: files in, findings out."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from collections.abc import Set as SetOf
from contextlib import closing
from dataclasses import field
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import click

from crdlint.cli import console, options, streams
from crdlint.cli.fields import (
    Declared,
    choice,
    configured_kube_version,
    file_option,
    flag,
    no_cache,
    option,
)
from crdlint.cli.help import Group
from crdlint.cli.options import FixOptions, HelmOptions
from crdlint.cli.reports import Reports, Totals, nothing_found
from crdlint.files.paths import Found, Selection, UnreadInput, discover
from crdlint.files.read import STDIN, open_descriptor
from crdlint.files.recognition import groups_in
from crdlint.files.repository import RepositoryError
from crdlint.kubernetes.servers import NEWEST, Range
from crdlint.light import dataclass, replace
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult, SharedNames
from crdlint.report import formats
from crdlint.report.pieces import View, most_frequent
from crdlint.report.words import Copies
from crdlint.runner.configurations import Configurations
from crdlint.runner.fix_files import AddedIgnores
from crdlint.runner.plan import Plan, Planner
from crdlint.runner.task import NOT_RENDERED, Checker, CheckOutcome, Settings, Task
from crdlint.safety.escapes import printable_line, show_traces

if TYPE_CHECKING:
    from crdlint.config.apply import Applied
    from crdlint.config.baseline import BaselineMatcher, Update
    from crdlint.config.model import Config
    from crdlint.config.printed_ignores import PrintedIgnores
    from crdlint.config.scoped_ignores import UsedIgnores
    from crdlint.diagnostics import InputProblem
    from crdlint.report.changes import Changes
    from crdlint.runner.cache import Cache
    from crdlint.sources.helm.check import Charts
    from crdlint.sources.helm.layout import HelmValues
    from crdlint.sources.previous.old_side import OldSide

    Baseline: TypeAlias = BaselineMatcher | Update | AddedIgnores | PrintedIgnores | None

Item = TypeVar("Item")
_MANY: Final = 32  # files, from which on the cache has few files for them
_REQUEST: Final = CheckRequest(skip_unfinished=True, fixes=True)


@dataclass(slots=True)
class CheckState(Totals):
    """What a run has found so far.

    - `changes`: of a check of updates
    - `removed`: whether an old CRD is gone
    - `checked`: the results of files by real path, without texts, if there are kustomizations
    - `crds`: their names by file
    - `groups`: those of all CRDs
    - `streams`: texts that can be read only once
    - `unread`: inputs that may contain any CRD
    """

    baseline: Baseline = None
    changes: Changes | None = None
    removed: bool = False
    checked: dict[str, FileResult] = field(default_factory=dict)
    crds: dict[str, list[str]] = field(default_factory=dict)
    groups: set[str] = field(default_factory=set)
    streams: dict[str, str] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    names: SharedNames = field(default_factory=SharedNames)
    copies: Copies = field(default_factory=Copies)
    ignores: UsedIgnores | None = None


class CheckOptions(FixOptions, HelmOptions, group=Group.OUTPUT):
    """The arguments and options of `crdlint check`."""

    required: Declared[bool | None] = option(
        "Exit with status 2 if no CRD is found, or do not. By default, do so only if PATH contains a file or -.",
        "--require-crds/--no-require-crds",
        default=None,
        group=Group.FILES,
        rare=True,
    )
    stdin_filename: Declared[str | None] = file_option(
        "The file name of standard input (-): for findings, and to find its configuration, chart and exclusions.",
        group=Group.FILES,
        rare=True,
    )
    kube_version: Declared[Range | None] = configured_kube_version(
        "to check CRDs for", f"else from the chart, else {NEWEST}"
    )
    against: Declared[str | None] = file_option(
        "Check CRDs as updates of those in a git revision, a file, a directory or a packed chart.",
        metavar="REV_OR_PATH",
        group=Group.COMPARISON,
    )
    baseline_file: Declared[str | None] = file_option(
        "Do not report the known findings in FILE.", "--baseline", group=Group.COMPARISON
    )
    update_baseline: Declared[bool] = flag(
        "Write the current findings to the baseline.", group=Group.COMPARISON
    )
    show: Declared[str | None] = choice(
        ["files", "settings", "ignored", "fixes"],
        "List the files that may have CRDs, or each setting and where it is set, instead of checking; or, besides the"
        " findings, those that are ignored, or the fixes of --fix or --diff.",
        rare=True,
    )
    add_ignore: Declared[bool] = flag(
        "Write a comment that ignores it for each finding, and report the others.",
        group=Group.FIXES,
    )
    to_config: Declared[bool] = flag(
        "With --add-ignore, print entries for the configuration instead of writing comments.",
        group=Group.FIXES,
        rare=True,
    )
    no_samples: Declared[bool] = flag(
        "Do not validate the custom resources of the checked CRDs.", group=Group.FILES, rare=True
    )
    statistics: Declared[bool] = flag("Count findings by rule.")
    jobs: Declared[int | None] = option(
        "The number of processes. Default: depends on the amount of work.",
        type=click.IntRange(1),
        metavar="N",
        group=Group.PERFORMANCE,
        rare=True,
    )
    no_cache: Declared[bool] = no_cache()
    verbose: Declared[bool] = flag(
        "Print why files are skipped, and the programs that crdlint runs.", "-v", "--verbose"
    )


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
    reads_stdin = STDIN in arguments.paths
    arguments.require_files()
    options.require(
        (
            arguments.add_ignore and (arguments.fixes or arguments.baseline_file or reads_stdin),
            "--add-ignore cannot be used with --fix, --diff, --baseline or standard input (-)",
        ),
        (arguments.to_config and not arguments.add_ignore, "--to-config requires --add-ignore"),
        (
            arguments.watch and (arguments.add_ignore or arguments.update_baseline),
            "--watch cannot be used with --add-ignore or --update-baseline",
        ),
        (
            arguments.update_baseline and not arguments.baseline_file,
            "--update-baseline requires --baseline FILE",
        ),
        (
            arguments.stdin_filename is not None and not reads_stdin,
            "--stdin-filename requires - as PATH",
        ),
    )
    return _CheckCommand(arguments).run()


class _CheckCommand:
    def __init__(self, arguments: CheckOptions) -> None:
        self._options = arguments
        self._quiet = arguments.quiet
        show_traces(arguments.verbose)
        view = View(
            options.page(arguments.color, 120),
            show_all=arguments.show_all,
            quiet=arguments.quiet,
            statistics=arguments.statistics,
            verbose=arguments.verbose,
            kube_version=options.shown_versions(arguments.kube_version),
        )
        # Only the entries go to standard output if they are asked for, so that they can be written to a file.
        write = console.out_on_err if arguments.to_config else console.out
        self._reports = Reports(
            formats.findings,
            arguments.format_,
            arguments.outputs,
            view,
            write,
        )
        if arguments.against is not None and not self._quiet:
            self._reports.hold()
        self._state = CheckState(
            baseline=_baseline(arguments),
            show_all=arguments.show_all,
        )
        self._config = arguments.read_config()
        configurations = Configurations(
            merged=arguments.override(include_dependencies=arguments.include_dependencies),
            config=self._config,
            renders=not arguments.no_helm,
            keeps=not arguments.no_cache,
        )
        self._planner = Planner(
            arguments.kube_version,
            configurations,
            not arguments.no_kustomize,
            arguments.stdin_filename,
            _REQUEST,
        )
        self._fixing = arguments.fixing()
        if arguments.against is not None:
            from crdlint.report.changes import Changes

            self._state.changes = Changes()

    def run(self) -> int:
        against = self._options.against
        if against is None or not against.endswith((".tgz", ".tar.gz")):
            return self._run(None)
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="crdlint-", ignore_cleanup_errors=True) as folder:
            return self._run(folder)

    def _run(self, folder: str | None) -> int:
        """Check and report; a packed chart to compare with is unpacked to `folder`."""
        start = time.perf_counter()
        arguments, state = self._options, self._state
        selection = Selection(
            arguments.include,
            arguments.exclude,
            not arguments.no_ignore,
            arguments.stdin_filename,
        )
        values = arguments.values()
        old = self._load_old(selection, values, folder)
        discovered = discover(arguments.paths, selection)
        deleted = _deleted(old)
        self._plan(discovered, deleted)
        if arguments.show in {"files", "settings"}:
            return _show(
                arguments,
                self._planner,
                self._config,
                state.problems,
            )
        if not self._planner.configurations.invalid:
            self._check_inputs(old, values)
        state.summary.seconds = time.perf_counter() - start
        self._report_all()
        is_empty = not (deleted or self._has_found_something())
        is_missing = is_empty and self._report_missing(discovered)
        status = 2 if is_missing else state.status_after(self._fixing)
        if not (arguments.no_cache or arguments.verbose or self._reports.tell_time):
            streams.keep(status)
        return status

    def _plan(self, discovered: Found, deleted: SetOf[str]) -> None:
        """Plan what to check, and report what cannot be read but for files that are deleted."""
        plan = self._planner.add(discovered.files)
        self._report_problems(
            problem
            for problem in discovered.problems
            if problem.path not in deleted and not self._planner.reads(problem.path)
        )
        if self._fixing is not None:
            self._planner.add_resources(discovered.files)
        self._state.problems += plan.problems

    def _report_all(self) -> None:
        """Report what was fixed and found; a diff is the whole report."""
        if self._fixing is not None:
            self._options.report(self._fixing, self._state.problems)
        if not self._options.diff:
            self._report_end()

    def _has_found_something(self) -> bool:
        state = self._state
        has_findings = state.has_findings or state.removed
        return bool(state.summary.crds or has_findings or state.has_trouble)

    def _report_missing(self, discovered: Found) -> bool:
        """Report that no CRD was found, and return whether that is an error."""
        return nothing_found(
            self._options,
            self._options.required,
            discovered,
            self._planner.plan.excluded,
            self._state.summary.skipped,
            "--no-require-crds",
        )

    def _check_inputs(self, old: OldSide | None, values: HelmValues | None) -> None:
        plan, cache = self._planner.plan, None
        if not self._options.no_cache:
            from crdlint.runner.cache import open_cache

            cache = open_cache()
            if cache is not None and len(plan.tasks) >= _MANY:
                cache.gather(repr((os.path.realpath(os.curdir), self._options.paths)))
        is_update = old is not None
        has_old_charts = is_update and bool(plan.complete_charts)
        charts = None
        if plan.charts or has_old_charts:
            charts = self._load_charts(cache, values, is_update=is_update)
            self._state.names.failing += charts.conflicts()
        settings = Settings(
            None if old is None else old.crds,
            values,
            cache,
            plan.charts,
            self._workers() if plan.charts else 1,
            charts,
            fixes=self._options.fixes,
            unsafe_fixes=self._options.unsafe_fixes,
            verbose=self._options.verbose,
        )
        self._check(settings)
        if charts is not None:
            self._report_charts(charts)
        self._check_builds(settings)
        self._check_samples(charts, values)
        if old is None:
            self._report_unused_ignores()
        else:
            self._compare_all(old, charts)
        self._report_unwritten_comments()

    def _load_old(
        self, selection: Selection, values: HelmValues | None, folder: str | None
    ) -> OldSide | None:
        """Return the old side to compare with, if there is one; an invalid argument ends the run."""
        arguments = self._options
        if arguments.against is None:
            return None
        from crdlint.sources.previous.crds import OldCharts
        from crdlint.sources.previous.load import against, load

        name, builds = arguments.stdin_filename, not arguments.no_kustomize
        paths = tuple(name if path == STDIN and name else path for path in arguments.paths)
        try:
            sides = against(arguments.against, paths, folder)
            return load(
                sides,
                paths,
                selection,
                OldCharts(values),
                builds=builds,
            )
        except RepositoryError as error:
            raise click.UsageError(f"--against: {error}") from error

    def _compare_all(self, old: OldSide, charts: Charts | None) -> None:
        """Report what the comparison with the old side finds beside the CRDs of the files."""
        self._report_problems(old.problems)
        if charts is not None:
            self._compare_charts(old, charts)
        self._compare(old)

    def _report_unused_ignores(self) -> None:
        """Report the entries of configurations that ignore nothing."""
        ignores = self._state.ignores
        for result, config in () if ignores is None else ignores.unused(self._options.paths):
            self._report(result, config)

    def _report_unwritten_comments(self) -> None:
        """Report the files into which `--add-ignore` could not write."""
        baseline = self._state.baseline
        for name, reason in baseline.problems if isinstance(baseline, AddedIgnores) else ():
            self._state.problem(name, reason)

    def _load_charts(
        self, cache: Cache | None, values: HelmValues | None, *, is_update: bool
    ) -> Charts:
        """Return the charts of the run, after the templates are planned in which Helm renders CRDs."""
        from crdlint.sources.helm.check import Charts, is_installed

        plan = self._planner.plan
        if values is not None and not is_installed():
            self._planner.note_without_helm()
        charts = Charts(
            values,
            None if is_update else cache,
            plan.charts,
            self._workers(),
            defaults=is_update,
            models=self._planner.models,
        )
        self._planner.add_rendered(charts)
        return charts

    def _report_charts(self, charts: Charts) -> None:
        """Report the findings about charts; of a chart whose own file is no input, those in the files that are checked."""
        plan, state = self._planner.plan, self._state
        checked = {os.path.normpath(task.path) for task in plan.tasks}
        for chart in plan.charts:
            for result in charts.results(chart):
                if chart in plan.complete_charts or os.path.normpath(result.file) in checked:
                    self._report(result, self._planner.configurations.of(result.file))
            if charts.of(chart).is_broken_by_values:
                state.problem(chart, NOT_RENDERED)
        for result in charts.copies():
            self._report(result, self._planner.configurations.of(result.file))

    def _report_problems(self, problems: Iterable[UnreadInput]) -> None:
        for problem in problems:
            if problem.fatal:
                self._state.problem(problem.path, problem.message)
                self._state.unread.append(problem.path)
            elif not self._quiet:
                console.err(f"crdlint: {problem.path}: {problem.message}")

    def _compare_charts(self, old: OldSide, charts: Charts) -> None:
        """Report what `helm upgrade` does to the CRDs of charts."""
        from crdlint.sources.previous.charts import compare_charts

        compared = compare_charts(
            self._planner.plan.all_charts(),
            charts,
            old.charts,
            old.rendered,
        )
        for notice in () if self._quiet else compared.notices:
            console.err(f"crdlint: note: {notice}")
        for result in compared.results:
            self._report(result, self._planner.configurations.of(result.file))
        self._state.crds.setdefault("", []).extend(compared.decided)

    def _compare(self, old: OldSide) -> None:
        """Report the removed CRDs of old files, and old documents that cannot be compared."""
        from crdlint.sources.previous.crds import compare

        state, config_of = self._state, self._planner.configurations.of
        comparison = compare(
            old.crds,
            state.crds,
            state.unread,
            old.tops,
            self._planner.plan.pointers,
            lambda path: config_of(path) is not None,
        )
        for notice in () if self._quiet else old.crds.take_notices():
            console.err(f"crdlint: note: {notice}")
        self._report_problems(comparison.problems)
        self._state.removed = bool(comparison.results)
        for result in comparison.results:
            self._report(result, self._planner.configurations.of(result.file), reads_comments=False)

    def _check(self, settings: Settings) -> None:
        from crdlint.sources.copies import GeneratedCopies
        from crdlint.sources.outdated_copies import OutdatedCopies

        state, plan, copies = self._state, self._planner.plan, GeneratedCopies()
        outdated: OutdatedCopies[Config | None] = OutdatedCopies(self._options.paths)
        state.summary.files += plan.passed
        for result, config in plan.results:
            self._report(result, config)
        # Closed at once when the run is interrupted, so that no process is left.
        with closing(self._checked(plan, settings)) as checked:
            for outcome in self._watched(checked, plan.tasks):
                state.count_outcome(outcome)
                if outcome.problem is not None and not outcome.results:
                    state.unread.append(outcome.name)
                    continue
                state.summary.files += 1
                if open_descriptor(outcome.task.path) is not None:
                    self._keep_stream(outcome)
                for result in outcome.results:
                    self._keep_for_builds(result)
                    copies.add(result)
                    if not outdated.holds(result, outcome.task.config):
                        self._report(result, outcome.task.config)
        for result, own_config in outdated.results():
            self._report(result, own_config)
        for result in copies.results():
            self._report(result, self._planner.configurations.of(result.file))
        if settings.cache is not None:
            settings.cache.close()

    def _keep_for_builds(self, result: FileResult) -> None:
        """Keep the findings of a file that a kustomization may build."""
        if self._planner.plan.kustomizations:
            without_text = replace(result, text="", masked=None)
            self._state.checked[os.path.realpath(result.file)] = without_text

    def _keep_stream(self, outcome: CheckOutcome) -> None:
        """Keep the text of an input that can be read only once, for the samples in it."""
        for result in outcome.results[:1]:
            self._state.streams[outcome.task.path] = result.text
            data = result.text.encode("utf-8", "replace")
            self._planner.plan.samples[outcome.task.path] = groups_in(data)

    def _check_samples(self, charts: Charts | None, values: HelmValues | None) -> None:
        """Validate the custom resources of the CRDs that are checked."""
        state, samples = self._state, self._planner.plan.samples
        paths = [path for path, groups in samples.items() if not groups.isdisjoint(state.groups)]
        if self._options.no_samples or not paths:
            return
        from crdlint.cli.inputs import Inputs
        from crdlint.cli.samples import Samples
        from crdlint.sources.helm.on_demand import ChartsOnDemand

        checked = Samples.of(
            Inputs(Selection(), ChartsOnDemand(values, charts), bugs=state.bugs),
            self._planner,
            self._options.paths,
        )
        for path, text in state.streams.items():
            checked.inputs.keep(path, text)
        checked.check.fixing, checked.check.unsafe_fixes = (
            self._fixing,
            self._options.unsafe_fixes,
        )
        checked.check.baseline = None if self._options.add_ignore else state.baseline
        for applied, config in checked.results(paths):
            self._show_samples(applied, config)
        for name, reason in checked.inputs.problems:
            state.problem(name, reason)

    def _show_samples(self, applied: Applied, config: Config) -> None:
        state = self._state
        result = applied.result
        shown = self._without_copies(result)
        state.count(applied)
        if not self._options.diff:
            shown = shown if self._options.verbose else replace(shown, notices=())
            infos = self._shows_infos(config)
            state.show_file(
                self._reports,
                result,
                shown,
                quiet=self._quiet,
                infos=infos,
            )

    def _watched(self, outcomes: Iterable[Item], tasks: Sequence[Task]) -> Iterator[Item]:
        return console.watched(
            outcomes, () if self._quiet or self._options.verbose else [task.path for task in tasks]
        )

    def _check_builds(self, settings: Settings) -> None:
        """Check kustomizations, and the releases of charts."""
        plan, state, checker = self._planner.plan, self._state, Checker(settings)
        if not (plan.kustomizations or plan.releases):
            return
        from crdlint.runner.builds import check_kustomizations, check_release

        reported: set[str] = set()  # a missing program is missing for all of them
        kustomizations = () if self._options.diff else plan.kustomizations
        # Closed at once if the run is interrupted, so that no build is left running.
        with closing(
            check_kustomizations(
                checker,
                kustomizations,
                state.checked,
                self._workers(),
            )
        ) as checked:
            for outcome in self._watched(checked, kustomizations):
                state.count_outcome(outcome)
                for result in outcome.results:
                    notices = tuple(notice for notice in result.notices if notice not in reported)
                    reported.update(notices)
                    self._report(
                        replace(result, notices=notices),
                        self._planner.configurations.of(result.file),
                    )
        for chart, config in plan.releases.items() if self._fixing is None else ():
            outcome = check_release(checker, chart)
            state.count_outcome(outcome)
            for result in outcome.results:
                self._report(result, config)

    def _workers(self) -> int:
        from crdlint.runner.pool import processors

        return self._options.jobs or processors()

    def _checked(self, plan: Plan, settings: Settings) -> Generator[CheckOutcome, None, None]:
        from crdlint.runner.pool import run

        if self._fixing is None:
            yield from run(plan.tasks, settings, self._options.jobs)
            return
        checker = Checker(settings)
        for outcome in run(plan.tasks, settings, self._options.jobs):
            yield self._fixing.add(outcome, checker)

    def _report(
        self, result: FileResult, config: Config | None, *, reads_comments: bool = True
    ) -> None:
        """Report a file's result, except what its configuration and ignore comments leave out; nothing without one."""
        from crdlint.config.apply import apply, comments_of, reasons

        if config is None:
            return
        state = self._state
        result = state.names.add(result)
        if result.diagnostics:
            from crdlint.sources.testdata import lowered  # few files have findings

            result = lowered(result, self._options.paths)
        comments = comments_of(result) if reads_comments else None
        applied = apply(
            result,
            config,
            comments,
            state.baseline,
            updates=state.changes is not None,
        )
        if config.ignores:
            self._keep_ignores(result, config, applied)
        self._keep_crds(result, applied)
        state.count(applied)
        state.summary.below_minimum += _below_minimum(applied)
        if not self._options.diff:
            infos = self._shows_infos(config)
            shown = self._without_copies(applied.result)
            state.show_file(
                self._reports,
                applied.result,
                shown,
                quiet=self._quiet,
                infos=infos,
            )
        if self._options.show == "ignored":
            for line in reasons(applied.ignored, comments):
                self._reports.note(line)

    def _keep_ignores(self, result: FileResult, config: Config, applied: Applied) -> None:
        """Keep which entries of a configuration ignored something."""
        from crdlint.config.scoped_ignores import UsedIgnores

        state = self._state
        state.ignores = state.ignores or UsedIgnores()
        state.ignores.add(result, config, applied.used)

    def _keep_crds(self, result: FileResult, applied: Applied) -> None:
        """Keep the groups of the CRDs of a file, and in a check of updates their names and changes."""
        state = self._state
        state.groups.update(crd.name.partition(".")[2] for crd in result.crds)
        if state.changes is not None:
            state.crds.setdefault(result.file, []).extend(crd.name for crd in result.crds)
            state.changes.add(applied.result)

    def _without_copies(self, result: FileResult) -> FileResult:
        """Return a result without the findings that an earlier copy of its CRD has, unless all are shown."""
        return result if self._options.show_all else self._state.copies.without(result)

    def _shows_infos(self, config: Config) -> bool:
        """Return whether text shows infos: they are asked for, or let the run fail."""
        shows_all = (
            self._options.show_all
            or self._options.min_severity == "info"
            or bool(self._options.selected)
        )
        return shows_all or config.fail_on == "info" or config.select != ("*",)

    def _report_end(self) -> None:
        state = self._state
        state.summary.repeated, state.summary.copies = (
            state.copies.findings,
            len(state.copies.files),
        )
        state.report_trouble(() if self._quiet else self._planner.plan.notices)
        _report_known(self._options, state)
        if state.changes is not None and not self._quiet:
            self._reports.release(
                f"compared with {self._options.against}: {state.changes.headline()}"
            )
        state.remark(self._planner.plan.preview)
        state.end(self._reports)
        if self._reports.is_text:
            return
        if self._options.statistics:
            console.err(*(f"{count:6}  {rule}" for rule, count in most_frequent(state.by_rule)))


def _report_known(arguments: CheckOptions, state: CheckState) -> None:
    """Write the baseline or the ignores if that is asked for; otherwise report entries that are no longer found."""
    if state.baseline is None:
        return
    if arguments.add_ignore:
        state.accept_by("ignore" if arguments.to_config else "comment")
    from crdlint.config.model import ConfigError

    try:
        for line in state.baseline.end(lambda line: console.out(printable_line(line))):
            console.err(f"crdlint: {line}")
    except ConfigError as error:
        state.unwritten.append(f"--baseline: {error}")


def _show(
    arguments: CheckOptions,
    planner: Planner,
    config: Config | None,
    problems: Sequence[InputProblem],
) -> int:
    """Print the files that a check would read, or the settings of the first one, instead of the check."""
    for problem in problems:
        console.err(f"crdlint: {problem.position}: {problem.reason}")
    lines: list[str] = []
    if arguments.show == "files":
        lines = [task.path for task in planner.plan.tasks]
    elif not problems:
        from crdlint.cli.settings import shown_settings

        lines = shown_settings(planner, config, arguments.paths)
    for line in lines:
        console.out(printable_line(line))
    return 2 if problems else 0


def _deleted(old: OldSide | None) -> set[str]:
    """Return the files of the old side that do not exist any more."""
    covered = () if old is None else old.covered
    return {path for path in covered if not os.path.lexists(path)}


def _below_minimum(applied: Applied) -> int:
    """Return how many findings are left out because of their severity."""
    left_out = (finding for finding, by, _ in applied.ignored if by == "min-severity")
    return sum(not finding.hidden for finding in left_out)


def _baseline(arguments: CheckOptions) -> Baseline:
    """Return the baseline to match or to update, or the writer of ignore comments; an invalid file ends the run."""
    if arguments.to_config:
        from crdlint.config.printed_ignores import PrintedIgnores

        return PrintedIgnores()
    if arguments.add_ignore:
        return AddedIgnores()
    if arguments.baseline_file is None:
        return None
    from crdlint.config.baseline import BaselineMatcher, Update, read
    from crdlint.config.model import ConfigError

    try:
        baseline = read(arguments.baseline_file, missing_ok=arguments.update_baseline)
    except ConfigError as error:
        raise click.UsageError(f"--baseline: {error}") from error
    if arguments.update_baseline:
        return Update(baseline, arguments.baseline_file)
    return BaselineMatcher(Counter(baseline), reports_stale=not arguments.quiet)
