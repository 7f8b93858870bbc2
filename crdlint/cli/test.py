"""`crdlint test`: declarative tests for CRDs, run without a cluster."""

from __future__ import annotations

import time
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from crdlint.cli import console, options
from crdlint.cli.fields import (
    Declared,
    argument,
    file_option,
    flag,
    format_of,
    kube_version,
    option,
    outputs_of,
    second_opinion,
)
from crdlint.cli.help import Group
from crdlint.cli.options import ChartOptions, WatchOptions
from crdlint.cli.reports import Reports, Totals, find_files, print_notice
from crdlint.cli.streams import StreamError
from crdlint.files.paths import Selection, UnreadInput
from crdlint.kubernetes.servers import Range
from crdlint.light import dataclass
from crdlint.phrases import counted
from crdlint.report import formats
from crdlint.report.pieces import SuiteOutcome, SuiteReport, View
from crdlint.safety.bugs import bug_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crdlint.kubecel.second_opinion import Tally
    from crdlint.suites.crds import SuiteCRDs, Target
    from crdlint.suites.read import Suite
    from crdlint.suites.run import TestedCase


@dataclass(slots=True, kw_only=True)
class TestState(Totals):
    """What a run has found so far; its problems are suites that could not be run."""

    reports: Reports[SuiteReport]
    results: list[TestedCase] = field(default_factory=list)
    second_opinions: Tally | None = None

    def add(self, suite: Suite, result: TestedCase) -> None:
        """Add the result of a test."""
        self.results.append(result)
        self.failed |= bool(result.failure)
        self.reports.add(lambda report: report.test(suite, result))


class TestOptions(ChartOptions, WatchOptions):
    """The arguments and options of `crdlint test`."""

    paths: Declared[tuple[str, ...]] = argument(
        nargs=-1,
        required=True,
        metavar="SUITE...",
        callback=options.in_working_directory,
    )
    crds: Declared[tuple[str, ...]] = file_option(
        "A CRD file, or a directory of them (repeatable). Default: CRDs in the directory of the suite.",
        "--crd",
        metavar="PATH",
        multiple=True,
        group=Group.FILES,
    )
    name_part: Declared[str] = option(
        "Only run tests whose name contains TEXT.",
        "-k",
        default="",
        metavar="TEXT",
    )
    generate: Declared[bool] = flag(
        "Print a suite for the CRD in SUITE: objects that each limit and rule accepts and rejects.",
        "--generate",
    )
    fail_fast: Declared[bool] = flag("Stop at the first failure.", "-x", "--fail-fast")
    second_opinion: Declared[bool] = second_opinion()
    format_: Declared[str] = format_of("suites", "text for people, junit for CI systems.")
    outputs: Declared[tuple[str, ...]] = outputs_of("suites", "results")
    kube_version: Declared[Range] = kube_version("to run the tests for")
    verbose: Declared[bool] = flag(
        "Print the name of every test.",
        "-v",
        "--verbose",
        group=Group.OUTPUT,
    )
    quiet: Declared[bool] = flag(
        "Only print failures and the summary.",
        "-q",
        "--quiet",
        group=Group.OUTPUT,
    )

    def searched(self) -> list[str]:
        """Return the files in the folders where the CRDs of suites are looked for."""
        from crdlint.sources.crd_lookup import files_beside, folders_near_suite

        suites = (Path(path, "suite") if Path(path).is_dir() else path for path in self.paths)
        near = (folder for suite in suites for folder in folders_near_suite(str(suite)))
        return [] if self.crds else files_beside(folder for folder in near if Path(folder).is_dir())


@options.command("test", TestOptions)
def command(settings: TestOptions) -> int:
    """Run test suites (*.testsuite.yaml): objects, and whether the API server should accept or reject them.

    SUITE is a file, or a directory of suites. Exit status: 0 all tests pass, 1 a test fails, 2 a suite cannot be run.

    \b
    Examples:
      crdlint test api/
      crdlint test --crd config/crd -k immutable widgets.testsuite.yaml
      crdlint test --generate config/crd/widgets.yaml > widgets.testsuite.yaml
    """  # noqa: D301  \b keeps the lines below it as they are
    if settings.generate:
        return _generate(settings)
    start = time.perf_counter()
    view = View(options.page(settings.color, 120), quiet=settings.quiet, verbose=settings.verbose)
    reports = Reports(
        formats.suites,
        settings.format_,
        settings.outputs,
        view,
    )
    run = TestState(
        reports=reports, second_opinions=options.new_tally() if settings.second_opinion else None
    )
    _run_suites(run, settings)
    run.report_trouble(() if run.second_opinions is None else [run.second_opinions.notice()])
    outcome = SuiteOutcome(run.results, run.problems, time.perf_counter() - start)
    run.finish(reports, lambda report: report.end(outcome))
    if not (run.results or run.problems or run.bugs):
        part = settings.name_part
        what = (
            f"no test with {part!r} in its name"
            if part
            else "no test in a suite (*.testsuite.yaml)"
        )
        console.err(f"crdlint: {what} in {', '.join(settings.paths)}")
        return 2
    return run.status


def _generate(settings: TestOptions) -> int:
    """Print a suite for the only CRD of the given files."""
    from crdlint.suites.feature_gates import MissingCRDError
    from crdlint.suites.generate import generate

    files = _only_crds(settings)
    if files is None:
        return 2
    [target] = _targets(files, settings)
    try:
        suite = generate(target, files)
    except MissingCRDError as error:
        console.err(*f"crdlint: {error}".split("\n"))
        return 2
    if not suite.tests:
        console.err(f"crdlint: {target.name}: no object was found that the CRD accepts")
        return 2
    console.out(suite.text.rstrip("\n"))
    console.err(f"crdlint: {counted(suite.tests, 'test')} for {target.name}")
    for part in suite.missing:
        console.err(f"crdlint: note: no object was found: {part}")
    return 0


def _targets(files: SuiteCRDs, settings: TestOptions) -> list[Target]:
    return [each for each in files.targets if settings.name_part in each.name]


def _only_crds(settings: TestOptions) -> SuiteCRDs | None:
    """Return the files, or None after reporting that some cannot be read, or that they have not one CRD."""
    problems: list[tuple[str, str]] = []
    files = _files_of(
        settings.paths,
        settings,
        lambda *problem: problems.append(problem[:2]),
    )
    for path, message in (*problems, *files.broken):
        console.err(f"crdlint: {path}: {message}")
    targets = _targets(files, settings)
    if len(targets) != 1:
        names = ", ".join(each.name for each in targets) or "none"
        console.err(f"crdlint: --generate is for one CRD, which -k can choose: here is {names}")
        return None
    return None if problems or files.broken else files


def _run_suites(run: TestState, settings: TestOptions) -> None:
    from crdlint.suites.read import find_suites

    crd_files = _crd_files(run, settings)
    for suite in find_suites(settings.paths, Selection()):
        if isinstance(suite, UnreadInput):
            run.problem(suite.path, suite.message)
            continue
        _run_suite(run, suite, crd_files, settings)
        if settings.fail_fast and run.failed:
            return


def _crd_files(run: TestState, settings: TestOptions) -> SuiteCRDs:
    files = _files_of(settings.crds, settings, run.problem)
    for name, reason in files.broken:
        run.problem(name, reason)
    return files


def _files_of(
    paths: Sequence[str], settings: TestOptions, problem: Callable[[str, str], None]
) -> SuiteCRDs:
    """Return the CRDs of paths; `problem` gets what cannot be read."""
    from crdlint.sources.helm.check import Charts
    from crdlint.suites.crds import SuiteCRDs, reader

    charts = Charts(settings.values())
    discovered = find_files(
        paths,
        Selection(),
        problem,
        print_notice,
    )
    files = (file for path in discovered.files for file in charts.expanded(path, problem))
    return SuiteCRDs(files, settings.kube_version, reader(charts))


def _run_suite(
    run: TestState,
    source: tuple[str, str],
    files: SuiteCRDs,
    settings: TestOptions,
) -> None:
    from crdlint.suites.feature_gates import MissingCRDError
    from crdlint.suites.read import SuiteError, read_suite
    from crdlint.suites.run import run_suite

    file, text = source
    try:
        suite = read_suite(text, file)
    except SuiteError as error:
        run.problem(f"{file}:{error.line}", str(error))
        return
    for line, message in suite.ignored:
        console.err(f"crdlint: {file}:{line}: note: {message}; skipped")
    if not suite.cases:
        console.err(f"crdlint: {file}: note: the suite has no test")
    try:
        for target in files.of(suite):
            for result in run_suite(
                suite,
                target,
                files,
                settings.name_part,
                run.second_opinions,
            ):
                run.add(suite, result)
                if settings.fail_fast and result.failure:
                    return
    except MissingCRDError as error:
        run.problem(file, str(error))
    except SuiteError as error:
        run.problem(f"{file}:{error.line}", str(error))
    except StreamError:  # the reader of the report has gone
        raise
    except Exception as error:
        bug = bug_of(error)
        run.problem(file, f"a bug in crdlint: {bug.text}")
        run.bugs.add(file, [bug])
    run.reports.add(lambda report: report.end_suite(suite))
