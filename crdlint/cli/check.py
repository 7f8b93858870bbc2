"""`crdlint check`: files in, findings out."""

from __future__ import annotations

import shutil
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import click

from crdlint.checking import Checked, Settings, bug_of, check_file, check_text
from crdlint.cli import options
from crdlint.cli.fixing import Fixing, UnwritableError
from crdlint.cli.main import report_bug
from crdlint.report import formats
from crdlint.report.checked import Checked as ReportInput
from crdlint.report.summary import Summary
from crdlint.sources.paths import STDIN, Selection, discover

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from crdlint.linter import FileResult
    from crdlint.report.text import TextReport
    from crdlint.sources.baseline import Baseline

_PROGRESS_FROM: Final = 50  # files


@dataclass(slots=True)
class _Run:
    """What has come of a run so far."""

    results: list[FileResult] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)
    bugs: int = 0
    by_rule: Counter[str] = field(default_factory=Counter)


@click.command("check")
@options.files
@click.option("--allow-empty", is_flag=True, help="Succeed where there is no CRD.")
@options.format_
@click.option(
    "--output", "outputs", multiple=True, metavar="FORMAT=FILE",
    help="Write the findings to a file as well, in a format of its own (repeatable).",
)  # fmt: skip
@click.option(
    "--kube-version",
    type=options.KubeVersion(),
    default="1.36",
    show_default=True,
    help="The Kubernetes to answer for, or a range of them such as 1.29..1.36.",
)
@click.option(
    "--against", metavar="REV_OR_PATH",
    help="Judge as an update of the same CRDs in a git revision, a file or a directory.",
)  # fmt: skip
@click.option("--hidden", is_flag=True, help="Show what the API server would say once the rest is mended, too.")
@click.option("--fix", is_flag=True, help="Mend in the files what can be mended safely.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix, set limits too, which narrow what the API takes.")
@click.option("--statistics", is_flag=True, help="Count findings by rule.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings only: no summary, no notices.")
@options.color
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    no_ignore: bool,
    allow_empty: bool,
    format_: str,
    outputs: tuple[str, ...],
    kube_version: str,
    against: str | None,
    hidden: bool,
    fix: bool,
    unsafe_fixes: bool,
    statistics: bool,
    quiet: bool,
    color: str,
) -> None:
    """Say what the API server would say about the CRDs in files, below directories (.yaml, .yml, .json) or on stdin (-).

    Findings of severity error make the exit status 1; warnings and hints do not.
    """
    if fix and STDIN in paths:
        raise click.UsageError("--fix needs files: there is nothing to write - back to")
    if unsafe_fixes and not fix:
        raise click.UsageError("--unsafe-fixes goes with --fix")
    written = _outputs(outputs)
    start = time.perf_counter()
    selection = Selection(include, exclude, not no_ignore)
    baseline = _baseline(against, paths[0], selection) if against else None
    fixing = Fixing(unsafe=unsafe_fixes) if fix else None
    settings = Settings(kube_version, baseline, keep=fix)
    run = _Run()
    found = discover(paths, selection)
    for problem in found.problems:
        if problem.fatal:
            run.problems.append((problem.path, problem.message))
        elif not quiet:
            click.echo(f"crdlint: {problem.path}: {problem.message}", err=True)
    format_ = formats.choose(format_)
    report = _text_report(color, hidden=hidden, quiet=quiet) if format_ == formats.TEXT else None
    # A bar on the terminal that the findings go to as well would be torn apart by them: they then come after it.
    with_bar = not quiet and len(found.files) >= _PROGRESS_FROM and sys.stderr.isatty()
    later = with_bar and sys.stdout.isatty()
    for path in _with_bar(found.files) if with_bar else found.files:
        results = _take(run, _checked(path, settings, fixing))
        if report is not None and not later:
            _print_files(results, report)
    if report is not None and later:
        _print_files(run.results, report)
    run.summary.unreadable = len(run.problems)
    if fixing is not None and not quiet:
        click.echo(fixing.summary(), err=True)
    run.summary.seconds = time.perf_counter() - start
    checked = ReportInput(run.results, run.problems, run.summary, hidden)
    try:
        formats.write_all(written, checked)
    except formats.OutputError as error:
        raise click.UsageError(f"--output: {error}") from error
    if report is None:
        click.echo(formats.render(format_, checked), nl=False)
    for name, reason in run.problems:
        click.echo(f"crdlint: {name}: {reason}", err=True)
    if report is not None:
        _close(run, report, quiet=quiet, statistics=statistics)
    nothing = not (run.summary.crds or run.summary.errors or run.problems or run.bugs)
    if nothing and not allow_empty:
        what = "CustomResourceDefinition" if found.files else ".yaml, .yml or .json file"
        click.echo(f"crdlint: no {what} in {', '.join(paths)} (--allow-empty accepts that)", err=True)
        ctx.exit(2)
    ctx.exit(_exit_status(run))


def _exit_status(run: _Run) -> int:
    if run.bugs:
        return 3
    if run.problems:
        return 2
    return 1 if run.summary.errors else 0


def _take(run: _Run, checked: Checked) -> tuple[FileResult, ...]:
    """Count in what has come of an input, and return its results."""
    if checked.problem is not None:
        run.problems.append((checked.name, checked.problem))
        return ()
    run.summary.files += 1
    if checked.bug is not None:
        run.bugs += 1
        report_bug(checked.bug, checked.name)
    for result in checked.results:
        run.summary.add(result)
        run.by_rule.update(d.rule for d in result.diagnostics if not d.hidden)
        run.results.append(result)
    return checked.results


def _checked(path: str, settings: Settings, fixing: Fixing | None) -> Checked:
    """Check a file, after what can be mended in it is mended where that is asked for."""
    checked = check_file(path, settings)
    if fixing is None or not checked.results:
        return checked
    try:
        mended = fixing.mend(path, checked.results[0])
    except UnwritableError as error:
        return Checked(checked.name, problem=str(error))
    except Exception as error:
        return Checked(checked.name, bug=bug_of(error))
    return checked if mended is None else check_text(mended, checked.name, settings)


def _print_files(results: Iterable[FileResult], report: TextReport) -> None:
    for result in results:
        for line in report.file(result):
            click.echo(line, color=True)


def _close(run: _Run, report: TextReport, *, quiet: bool, statistics: bool) -> None:
    if statistics:
        for line in report.statistics(run.by_rule):
            click.echo(line)
    if not quiet:
        click.echo(report.summary(run.summary), color=True)


def _outputs(given: tuple[str, ...]) -> list[tuple[str, Path]]:
    try:
        return formats.parse_outputs(given)
    except formats.OutputError as error:
        raise click.UsageError(f"--output: {error}") from error


def _text_report(color: str, *, hidden: bool, quiet: bool) -> TextReport:
    from crdlint.report.text import TextReport

    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    return TextReport(width=width, style=options.style(color), hidden=hidden, notices=not quiet)


def _with_bar(files: Sequence[str]) -> Iterator[str]:
    """Yield the files, with a progress bar on standard error."""
    from rich.console import Console
    from rich.progress import track

    yield from track(files, description="checking", console=Console(stderr=True), transient=True)


def _baseline(place: str, near: str, selection: Selection) -> Baseline:
    """Return the CRDs to judge updates from; a place that is none ends the run."""
    from crdlint.sources.baseline import load_baseline
    from crdlint.sources.git import RevisionError

    try:
        baseline, complaints = load_baseline(place, near=near, selection=selection)
    except RevisionError as error:
        raise click.UsageError(f"--against: {error}") from error
    for complaint in complaints:
        click.echo(f"crdlint: --against: {complaint}", err=True)
    return baseline
