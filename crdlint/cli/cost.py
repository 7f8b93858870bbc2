"""`crdlint cost`: what CEL rules cost, why, and which limits bring them down."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as SetOf
from typing import TYPE_CHECKING

import click

from crdlint.cli import console, options
from crdlint.cli.options import ChartOptions, FileOptions, flag, option
from crdlint.cli.reports import Reports, Totals
from crdlint.files.paths import Selection, discover
from crdlint.kubernetes.servers import parse_range
from crdlint.linting.request import CheckRequest
from crdlint.report import formats
from crdlint.report.pieces import Costs, View
from crdlint.rules.advice.deployment import RENDER
from crdlint.runner.task import Checker, Settings

if TYPE_CHECKING:
    from crdlint.linting.cost_entries import CostEntry
    from crdlint.linting.result import FileResult


class CostOptions(ChartOptions, FileOptions):
    """The arguments and options of `crdlint cost`."""

    format_: str = options.format_of(
        "costs", "text for people, json for programs, html for a page of its own."
    )
    outputs: tuple[str, ...] = options.outputs_of("costs")
    sort: str = options.choice(
        ["cost", "place"],
        "Sort rules by cost or by place in the file.",
        default="cost",
        show_default=True,
    )
    top: int | None = option("Only show the first N rules.", type=click.IntRange(1), metavar="N")
    explain: str | None = option(
        "Show the cost of each part of the rules whose text or path contains this.",
        metavar="RULE_OR_PATH",
    )
    suggest: bool = flag(
        "Print a patch that adds the required limits, for `patch -p1` or `git apply`."
    )
    kube_version: str = options.kube_version("to estimate costs for")


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

    reports = Reports(
        formats.costs, settings.format_, settings.outputs, View(options.page(settings.color, 140))
    )
    run = Totals()
    results = _read(settings, run)
    is_shown = not settings.suggest or settings.outputs or settings.explain is not None
    entries = _entries(results, settings) if is_shown else []
    costs = Costs(entries, results, run.problems, settings.top, parts=settings.explain is not None)
    if settings.suggest:
        _print_patch(results, settings.kube_version, OVER_BUDGET)
        for finding in costs.unestimated:
            console.err(
                f"{finding.file}:{finding.line}:{finding.column}: not estimated: {finding.message}"
            )
    else:
        reports.show(lambda report: report.pieces(costs))
    run.unwritten = reports.save(lambda report: report.pieces(costs))
    for result in results:
        # Why Helm does not render a CRD, which then has no cost.
        failures = [
            f"line {each.line}: {each.message}"
            for each in result.diagnostics
            if each.rule == RENDER.id
        ]
        run.note(result.file, (*result.notices, *failures))
    run.report_trouble(())
    for problem in run.unwritten:
        console.err(f"crdlint: {problem}")
    over = any(d.rule in OVER_BUDGET for result in results for d in result.diagnostics)
    run.failed = over or bool(costs.unestimated)
    return run.status


def _read(settings: CostOptions, run: Totals) -> list[FileResult]:
    from crdlint.config.model import Config
    from crdlint.runner.plan import Planner

    discovered = discover(
        settings.paths, Selection(settings.include, settings.exclude, not settings.no_ignore)
    )
    request = CheckRequest(skip_unfinished=True, keep=True, fixes=settings.suggest)
    planner = Planner(
        settings.kube_version, lambda same: same, Config(), kustomize=False, request=request
    )
    plan, checker = planner.add(discovered.files), Checker(Settings(values=settings.values()))
    run.problems += [
        (problem.path, problem.message) for problem in discovered.problems if problem.fatal
    ]
    for problem in discovered.problems:
        if not problem.fatal:
            console.err(f"crdlint: {problem.path}: {problem.message}")
    run.problems += plan.problems
    results = [result for result, _ in plan.results]
    for task in console.watched(plan.tasks, [task.path for task in plan.tasks]):
        checked = checker.check(task)
        results += checked.results
        run.count_outcome(checked)
    return results


def _entries(results: Sequence[FileResult], settings: CostOptions) -> list[CostEntry]:
    from crdlint.linting.cost_entries import entries as entries_of

    versions, explain = parse_range(settings.kube_version), settings.explain
    entries = [entry for result in results for entry in entries_of(result, versions)]
    if explain is not None:
        entries = [
            entry
            for entry in entries
            if any(explain in text for text in (entry.cost.rule, entry.cost.path))
            or explain == f"{entry.cost.file}:{entry.cost.line}"
        ]
        if not entries:
            raise click.UsageError(
                f"--explain: no rule has {explain!r} in its text, path or file:line"
            )
    if settings.sort == "cost":
        entries.sort(
            key=lambda entry: -max(entry.cost.expression_cost, entry.cost.message_max_cost)
        )
    return entries


def _print_patch(results: Sequence[FileResult], kube_version: str, rules: SetOf[str]) -> None:
    from crdlint.config.model import Config
    from crdlint.linting.pipeline import lint_file
    from crdlint.runner.fix_files import diff_of
    from crdlint.runner.fixes import fix

    request = CheckRequest(kube_version=kube_version, skip_unfinished=True, fixes=True)
    for result in results:
        if result.masked is not None:
            if any(finding.rule in rules for finding in result.diagnostics):
                console.err(
                    f"{result.file}: not in the patch: it is a template; its limits are set by hand"
                )
            continue

        def check(text: str, file: str = result.file) -> FileResult:
            return lint_file(text, file, request)

        fixed = fix(result, check, unsafe=True, config=Config(select=tuple(rules)))
        diff = diff_of(result.file, result.text, fixed.edits) if fixed.edits else ""
        if diff is None:
            other = "`crdlint check --fix --unsafe-fixes` sets the limits"
            console.err(f"{result.file}: not in the patch: not UTF-8; {other}")
        else:
            console.out(diff, nl=False)
