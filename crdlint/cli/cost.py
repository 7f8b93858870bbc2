"""`crdlint cost`: what CEL rules cost, why, and which limits bring them down."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from crdlint.cli import console, options
from crdlint.cli.fields import (
    Declared,
    choice,
    configured_kube_version,
    flag,
    format_of,
    option,
    outputs_of,
)
from crdlint.cli.options import ChartOptions, ConfigFileOptions, FileOptions
from crdlint.cli.reports import Reports, Totals, find_files, print_notice
from crdlint.files.paths import Selection
from crdlint.kubernetes.servers import NEWEST, Range
from crdlint.light import NamedTuple
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult
from crdlint.report import formats
from crdlint.report.pieces import Costs, View
from crdlint.rules.advice.deployment import RENDER
from crdlint.runner.task import Checker, Settings

if TYPE_CHECKING:
    from crdlint.linting.cost_entries import CostEntry
    from crdlint.sources.helm.layout import HelmValues
    from crdlint.sources.helm.release import Release


class CostOptions(ChartOptions, ConfigFileOptions, FileOptions):
    """The arguments and options of `crdlint cost`."""

    format_: Declared[str] = format_of(
        "costs", "text for people, json for programs, html for a page of its own."
    )
    outputs: Declared[tuple[str, ...]] = outputs_of("costs")
    sort: Declared[str] = choice(
        ["cost", "place"],
        "Sort rules by cost or by place in the file.",
        default="cost",
        show_default=True,
    )
    top: Declared[int | None] = option(
        "Only show the first N rules.", type=click.IntRange(1), metavar="N"
    )
    explain: Declared[str | None] = option(
        "Show the cost of each part of the rules whose text or path contains this.",
        metavar="RULE_OR_PATH",
    )
    suggest: Declared[bool] = flag(
        "Print a patch that adds the required limits, for `patch -p1` or `git apply`."
    )
    kube_version: Declared[Range | None] = configured_kube_version(
        "to estimate costs for", f"else from the chart, else {NEWEST}"
    )


@options.command("cost", CostOptions)
def command(settings: CostOptions) -> int:
    """Show the costs that the API server estimates for CEL rules, and their share of the cost limits.

    CRDs and rules without an estimate are listed with the findings that prevent it. The exit status is 1 if there are
    any, or if a rule or a schema is over its limit, and 2 if an input cannot be read.

    \b
    Examples:
      crdlint cost config/crd/
      crdlint cost --suggest config/crd/ | git apply
    """  # noqa: D301  \b keeps the lines below it as they are
    from crdlint.rules.server.cel_cost import OVER_BUDGET

    view = View(
        options.page(settings.color, 140),
        kube_version=options.shown_versions(settings.kube_version),
    )
    reports = Reports(
        formats.costs,
        settings.format_,
        settings.outputs,
        view,
    )
    run = Totals()
    checked = _check(settings, run)
    results = [each.result for each in checked]
    is_shown = not settings.suggest or settings.outputs or settings.explain is not None
    entries = _entries(checked, settings) if is_shown else []
    costs = Costs(
        entries,
        results,
        run.problems,
        settings.top,
        parts=settings.explain is not None,
        releases=_releases(results, settings.values()) if _shows_releases(settings) else {},
    )
    if settings.suggest:
        _print_patch(checked, costs)
    else:
        reports.show(lambda report: report.pieces(costs))
    run.unwritten = reports.save(lambda report: report.pieces(costs))
    _print_notices(results, run)
    over = any(d.rule in OVER_BUDGET for result in results for d in result.diagnostics)
    run.failed = over or bool(costs.unestimated)
    return run.status


def _shows_releases(settings: CostOptions) -> bool:
    """Return whether a page is written, which shows the releases of charts."""
    formats_ = {settings.format_, *(output.partition("=")[0] for output in settings.outputs)}
    return "html" in formats_


def _releases(
    results: Iterable[FileResult], values: HelmValues | None
) -> dict[str, Release | None]:
    """Return what Helm stores of the charts of some files, which it renders with values unless these are None."""
    from crdlint.sources.helm.check import manifest_as_installed
    from crdlint.sources.helm.layout import ChartLayout, outermost
    from crdlint.sources.helm.release import chart_files, release_of

    locations = map(ChartLayout().locate, (result.file for result in results))
    charts = dict.fromkeys(outermost(location.chart) for location in locations if location)
    releases: dict[str, Release | None] = {}
    for chart in charts:
        manifest = None if values is None else manifest_as_installed(chart, values)
        releases[chart] = release_of(chart_files(chart), manifest)
    return releases


class _Checked(NamedTuple):
    """The result of a file, and the Kubernetes versions that it was checked for."""

    result: FileResult
    versions: Range


def _check(settings: CostOptions, run: Totals) -> list[_Checked]:
    """Return the results of files, each checked by its own configuration."""
    from crdlint.runner.configurations import Configurations
    from crdlint.runner.plan import Planner

    selection = Selection(settings.include, settings.exclude, not settings.no_ignore)
    files = find_files(
        settings.paths,
        selection,
        run.problem,
        print_notice,
    ).files
    request = CheckRequest(
        skip_unfinished=True,
        keep=True,
        fixes=settings.suggest,
    )
    planner = Planner(
        settings.kube_version,
        Configurations(config=settings.read_config()),
        kustomize=False,
        request=request,
    )
    plan, checker = planner.add(files), Checker(Settings(values=settings.values()))
    run.problems += plan.problems
    run.note("crdlint", plan.notices)
    if planner.configurations.invalid:
        return []
    checked = [_Checked(result, request.versions) for result, _ in plan.results]
    for task in console.watched(plan.tasks, [task.path for task in plan.tasks]):
        outcome = checker.check(task)
        run.count_outcome(outcome)
        checked += (_Checked(result, task.request.versions) for result in outcome.results)
    return checked


def _print_notices(results: Iterable[FileResult], run: Totals) -> None:
    """Write notices, why Helm does not render a CRD, which then has no cost, and what could not be written."""
    for result in results:
        failures = [
            f"line {each.line}: {each.message}"
            for each in result.diagnostics
            if each.rule == RENDER.id
        ]
        run.note(result.file, (*result.notices, *failures))
    run.report_trouble(())
    for problem in run.unwritten:
        console.err(f"crdlint: {problem}")


def _entries(checked: Iterable[_Checked], settings: CostOptions) -> list[CostEntry]:
    from crdlint.linting.cost_entries import entries as entries_of

    explain = settings.explain
    entries = [entry for each in checked for entry in entries_of(each.result, each.versions)]
    if explain is not None:
        entries = [entry for entry in entries if _is_named(entry, explain)]
        if not entries:
            raise click.UsageError(
                f"--explain: no rule has {explain!r} in its text, path or file:line"
            )
    if settings.sort == "cost":
        entries.sort(
            key=lambda entry: -max(entry.cost.expression_cost, entry.cost.message_max_cost)
        )
    return entries


def _is_named(entry: CostEntry, text: str) -> bool:
    """Return whether `--explain` names a rule: by a part of its text or path, or by its file and line."""
    cost = entry.cost
    return text in cost.rule or text in cost.path or text == f"{cost.file}:{cost.line}"


def _print_patch(checked: Iterable[_Checked], costs: Costs) -> None:
    """Write a patch that adds limits to standard output, and what it leaves out to standard error."""
    for each in checked:
        _print_file_patch(each)
    for finding in costs.unestimated:
        position = f"{finding.file}:{finding.line}:{finding.column}"
        console.err(f"{position}: not estimated: {finding.message}")


def _print_file_patch(checked: _Checked) -> None:
    from crdlint.config.model import Config
    from crdlint.linting.pipeline import lint_file
    from crdlint.rules.server.cel_cost import OVER_BUDGET
    from crdlint.runner.fix_files import diff_of
    from crdlint.runner.fixes import fix

    result = checked.result
    if result.masked is not None:
        if any(finding.rule in OVER_BUDGET for finding in result.diagnostics):
            console.err(
                f"{result.file}: not in the patch: it is a template; its limits are set by hand"
            )
        return
    request = CheckRequest(
        versions=checked.versions,
        skip_unfinished=True,
        fixes=True,
    )

    def check(text: str) -> FileResult:
        return lint_file(text, result.file, request)

    fixed = fix(
        result,
        check,
        unsafe=True,
        config=Config(select=tuple(OVER_BUDGET)),
    )
    diff = diff_of(result.file, result.text, fixed.edits) if fixed.edits else ""
    if diff is None:
        other = "`crdlint check --fix --unsafe-fixes` sets the limits"
        console.err(f"{result.file}: not in the patch: not UTF-8; {other}")
    else:
        console.out(diff, nl=False)
