"""`crdlint test`: declarative tests for CRDs, run without a cluster."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import click

from crdlint.cli import console, options
from crdlint.cli.completion import complete_paths
from crdlint.cli.main import report_bug
from crdlint.inputs.paths import Problem, Selection
from crdlint.runner.task import Bug, bug_of
from crdlint.safety import atomic

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.kubecel.second_opinion import Tally
    from crdlint.suites.crds import SuiteCRDs
    from crdlint.suites.model import Suite
    from crdlint.suites.run import Result


_MARKS: Final = 76  # a line of them fits a narrow terminal


@dataclass(slots=True)
class _Run:
    """What has come of a run so far; ``broken`` are suites that could not be run, and why."""

    results: list[Result] = field(default_factory=list)
    broken: list[tuple[str, str]] = field(default_factory=list)
    bugs: list[tuple[str, Bug]] = field(default_factory=list)
    second_opinions: Tally | None = None

    @property
    def failed(self) -> list[Result]:
        """The results that are not as expected."""
        return [result for result in self.results if result.failure]


@click.command("test")
@click.argument(
    "paths",
    nargs=-1,
    required=True,
    callback=options.in_working_directory,
    metavar="SUITE...",
    shell_complete=complete_paths,
)
@click.option(
    "--crd", "crds", multiple=True, metavar="PATH", shell_complete=complete_paths,
    help="A CRD, or a folder of them (repeatable).",
)  # fmt: skip
@click.option("-k", "wanted", default="", metavar="TEXT", help="Run the tests with this in their names only.")
@click.option("-x", "--fail-fast", is_flag=True, help="Stop at the first failure.")
@click.option(
    "--junit", "junit_file", metavar="FILE", shell_complete=complete_paths,
    help="Write the results as JUnit XML, too.",
)  # fmt: skip
@options.second_opinion
@click.option("-v", "--verbose", is_flag=True, help="Name every test.")
@click.option("-q", "--quiet", is_flag=True, help="Print failures and the closing line only.")
@options.color
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    crds: tuple[str, ...],
    wanted: str,
    fail_fast: bool,
    junit_file: str | None,
    second_opinion: bool,
    verbose: bool,
    quiet: bool,
    color: str,
) -> None:
    """Run suites of tests (*.testsuite.yaml, or folders of them): objects, and what the server is expected to make of them.

    CRDs are looked for beside a suite where --crd does not name them. Exit status: 0 all passed, 1 failures, 2 a suite
    that could not be run.
    """
    start = time.perf_counter()
    style = options.style(color)
    run = _Run(second_opinions=options.new_tally() if second_opinion else None)
    from crdlint.suites.find import find_suites

    files = _crd_files(run, crds)
    for found in find_suites(paths, Selection()):
        if isinstance(found, Problem):
            run.broken.append((found.path, found.message))
            continue
        _run_suite(run, found, files, wanted, _progress(style, verbose=verbose, quiet=quiet), fail_fast=fail_fast)
        if fail_fast and run.failed:
            break
    seconds = time.perf_counter() - start
    _print(run, style, seconds)
    if junit_file is not None:
        from crdlint.report import suites_junit

        try:
            atomic.write(junit_file, suites_junit.render(run.results, run.broken, seconds).encode())
        except OSError as error:
            raise click.UsageError(f"--junit: {junit_file}: {error.strerror or error}") from error
    if not (run.results or run.broken or run.bugs):
        what = f"no test with {wanted!r} in its name" if wanted else "no suite (*.testsuite.yaml)"
        console.err(f"crdlint: {what} in {', '.join(paths)}")
        ctx.exit(2)
    ctx.exit(3 if run.bugs else 2 if run.broken else 1 if run.failed else 0)


def _crd_files(run: _Run, crds: tuple[str, ...]) -> SuiteCRDs:
    from crdlint.inputs.paths import discover
    from crdlint.inputs.read import UnreadableError, decode, read_bytes
    from crdlint.suites.crds import SuiteCRDs

    texts: list[tuple[str, str]] = []
    found = discover(crds, Selection())
    run.broken += [(problem.path, problem.message) for problem in found.problems if problem.fatal]
    for path in found.files:
        try:
            texts.append((path, decode(read_bytes(path))))
        except UnreadableError as error:  # noqa: PERF203  files are few
            run.broken.append((path, str(error)))
    files = SuiteCRDs(texts)
    run.broken += files.broken
    return files


def _run_suite(
    run: _Run,
    found: tuple[str, str],
    files: SuiteCRDs,
    wanted: str,
    progress: Callable[[Suite, Result | None], None],
    *,
    fail_fast: bool,
) -> None:
    from crdlint.suites.crds import MissingCRDError
    from crdlint.suites.read import SuiteError, read_suite
    from crdlint.suites.run import run_suite

    file, text = found
    try:
        suite = read_suite(text, file)
    except SuiteError as error:
        run.broken.append((f"{file}:{error.line}", str(error)))
        return
    for line, message in suite.ignored:
        console.err(f"crdlint: {file}:{line}: note: {message}; it is passed over")
    try:
        for target in files.of(suite):
            for result in run_suite(suite, target, files, wanted, run.second_opinions):
                run.results.append(result)
                progress(suite, result)
                if fail_fast and result.failure:
                    return
    except MissingCRDError as error:
        run.broken.append((file, str(error)))
    except Exception as error:
        run.bugs.append((file, bug_of(error)))
    progress(suite, None)


def _progress(
    style: Callable[[str, str], str], *, verbose: bool, quiet: bool
) -> Callable[[Suite, Result | None], None]:
    """Return what tells of each test as it is done, and with None of the end of a suite."""
    from crdlint.report.escapes import printable_line

    marks: list[str] = []

    def tell(suite: Suite, result: Result | None) -> None:
        if verbose and result is not None:
            word = style("FAILED", "red") if result.failure else style("PASSED", "green")
            name = printable_line(f"{suite.file}:{result.case.line} {result.case.name}")
            console.out(f"{name} {word}")
        elif result is not None:
            marks.append(style("F", "red") if result.failure else ".")
        elif marks and not quiet:
            console.out(printable_line(suite.file))
            for at in range(0, len(marks), _MARKS):
                console.out(f"  {''.join(marks[at : at + _MARKS])}")
            marks.clear()

    return tell


def _print(run: _Run, style: Callable[[str, str], str], seconds: float) -> None:
    from crdlint.report.escapes import printable, printable_line

    width = options.width(120)
    if run.failed:
        console.out("\n" + f" {style('FAILURES', 'bold')} ".center(width or _MARKS, "="))
    for result in run.failed:
        case = result.case
        console.out("\n" + style(printable_line(case.name), "bold"))
        console.out(printable_line(f"{result.suite.file}:{case.line}  ({result.crd_file})"))
        for line in result.failure:
            colour = {"-": "red", "+": "green"}.get(line[:1])
            text = printable(f"  {line}")
            console.out(style(text, colour) if colour else text)
    for result in run.results:
        for line in result.disagreements:
            console.out(printable_line(f"{result.suite.file}:{result.case.line}: warning: {line}"))
    if run.second_opinions is not None:
        console.err(f"crdlint: note: {run.second_opinions.notice()}")
    for name, bug in run.bugs:
        report_bug(bug, name)
    for file, reason in run.broken:
        console.err(f"crdlint: {file}: {reason}")
    failed, passed = len(run.failed), len(run.results) - len(run.failed)
    parts = [f"{failed} failed"] * bool(failed) + [f"{passed} passed"]
    if run.broken:
        parts.append(f"{len(run.broken)} could not be run")
    colour = "red" if failed or run.broken else "green"
    console.out(("\n" if run.results else "") + style(f"{', '.join(parts)} in {seconds:.2f} s", colour))
