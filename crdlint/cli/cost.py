"""`crdlint cost`: what CEL rules cost, why, and which limits bring them down."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import click

from crdlint.cli import console, options
from crdlint.cli.main import report_bug
from crdlint.inputs.paths import Selection, discover
from crdlint.kubernetes.servers import NEWEST_VERSION
from crdlint.runner.task import Checker, Settings, Task

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.cost_entries import Entry
    from crdlint.linting.result import FileResult

_SORTS: Final = ("cost", "place")


@click.command("cost")
@options.files
@click.option(
    "--format", "format_", type=click.Choice(["text", "json", "html"]), default="text", show_default=True,
    help="text for people, json for programs, html for a page of its own.",
)  # fmt: skip
@click.option("--sort", type=click.Choice(_SORTS), default="cost", show_default=True, help="The order of rules.")
@click.option("--top", type=click.IntRange(1), metavar="N", help="Show the first N rules only.")
@click.option(
    "--explain", metavar="RULE_OR_PATH", help="Show what each part costs of the rules with this in text or path."
)
@click.option(
    "--suggest", is_flag=True, help="Print a patch that sets the limits needed, for `patch -p1` or `git apply`."
)
@click.option(
    "--kube-version",
    type=options.KubeVersion(),
    default=NEWEST_VERSION,
    show_default=True,
    help="The Kubernetes version to estimate costs for.",
)
@options.color
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    no_ignore: bool,
    format_: str,
    sort: str,
    top: int | None,
    explain: str | None,
    suggest: bool,
    kube_version: str,
    color: str,
) -> None:
    """Show what the API server estimates CEL rules to cost, with the share of the budgets that they take.

    CRDs and rules that cannot be estimated are listed with the findings that keep them from it. The exit status is 1 if
    there are any, or if a rule or a schema is above its budget, and 2 if an input cannot be read.
    """
    from crdlint.rules.cel_cost import OVER_BUDGET

    results, problems = _read(paths, Selection(include, exclude, not no_ignore), kube_version, fixes=suggest)
    entries = _entries(results, sort, explain)
    unestimated = [one for result in results for one in result.unestimated]
    if suggest:
        _print_patch(results, kube_version, OVER_BUDGET)
        for one in unestimated:
            console.err(f"{one.file}:{one.line}:{one.column}: not estimated: {one.message}")
    elif format_ == "json":
        _print_json(entries[:top], unestimated, problems)
    elif format_ == "html":
        from crdlint.report.cost_html import cost_page

        console.out(cost_page(entries, top, unestimated))
    elif explain is not None:
        _print_explanations(entries[:top], color)
    else:
        _print_tables(entries, results, top, color)
    for result in results:
        for notice in result.notices:
            console.err(f"{result.file}: note: {notice}")
    for name, reason in problems:
        console.err(f"crdlint: {name}: {reason}")
    if problems:
        ctx.exit(2)
    over = any(d.rule in OVER_BUDGET for result in results for d in result.diagnostics)
    ctx.exit(1 if over or unestimated else 0)


def _read(
    paths: tuple[str, ...], selection: Selection, kube_version: str, *, fixes: bool
) -> tuple[list[FileResult], list[tuple[str, str]]]:
    found = discover(paths, selection)
    checker = Checker(Settings(keep=True, fixes=fixes))
    problems = [(problem.path, problem.message) for problem in found.problems if problem.fatal]
    results: list[FileResult] = []
    for path in found.files:
        checked = checker.check(Task(path, kube_version))
        results.extend(checked.results)
        if checked.problem is not None:
            problems.append((checked.name, checked.problem))
        if checked.bug is not None:
            report_bug(checked.bug, checked.name)
            problems.append((checked.name, "not estimated"))
    return results, problems


def _entries(results: Sequence[FileResult], sort: str, explain: str | None) -> list[Entry]:
    from crdlint.linting.cost_entries import entries as entries_of

    entries = [one for result in results for one in entries_of(result)]
    if explain is not None:
        entries = [one for one in entries if _is_meant(one, explain)]
        if not entries:
            message = f"--explain: no rule has {explain!r} in its text, path or file:line"
            raise click.UsageError(message)
    if sort == "cost":
        entries.sort(key=lambda one: -max(one.cost.expression_cost, one.cost.message_max_cost))
    return entries


def _is_meant(one: Entry, wanted: str) -> bool:
    return wanted in one.cost.rule or wanted in one.cost.path or wanted == f"{one.cost.file}:{one.cost.line}"


def _print_explanations(entries: Sequence[Entry], color: str) -> None:
    from crdlint.report import cost_text

    width, style = options.width(140), options.style(color)
    for one in entries:
        for line in cost_text.explanation(one, width=width, style=style):
            console.out(line)


def _print_tables(entries: Sequence[Entry], results: Sequence[FileResult], top: int | None, color: str) -> None:
    from crdlint.report import cost_text

    width, style = options.width(140), options.style(color)
    tables = list(cost_text.tables(entries, top=top, width=width, style=style))
    unestimated = list(cost_text.unestimated(results, width=width, style=style))
    if tables and unestimated:
        tables.append("")
    for line in (*tables, *unestimated):
        console.out(line)
    if not tables and not unestimated:
        console.out("no rules")


def _print_json(
    entries: Sequence[Entry], unestimated: Sequence[Diagnostic], problems: Sequence[tuple[str, str]]
) -> None:
    from crdlint.kubecel.limits import CRD_COST_LIMIT, RULE_COST_LIMIT
    from crdlint.report.escapes import json_text

    document = {
        "version": 1,
        "limits": {"rule": RULE_COST_LIMIT, "schema": CRD_COST_LIMIT},
        "rules": [_rule_json(one) for one in entries],
        "unestimated": [asdict(one) for one in unestimated],
        "unreadable": [{"file": file, "reason": reason} for file, reason in problems],
    }
    console.out(json_text(document, 2))


def _rule_json(one: Entry) -> dict[str, object]:
    by_version = {version: asdict(cost) for version, cost in one.by_version.items()}
    return asdict(one.cost) | {"place": one.place, "times": one.times, "help": one.help, "by_version": by_version}


def _print_patch(results: Sequence[FileResult], kube_version: str, rules: Container[str]) -> None:
    from crdlint.linting.pipeline import lint_file
    from crdlint.runner.fix_files import diff_of
    from crdlint.runner.fixes import fix

    for result in results:

        def check(text: str, file: str = result.file) -> FileResult:
            return lint_file(text, filename=file, kube_version=kube_version, skip_unfinished=True, fixes=True)

        fixed = fix(result, check, unsafe=True, shown=lambda one: (d for d in one.diagnostics if d.rule in rules))
        diff = diff_of(result.file, result.text, fixed.edits) if fixed.edits else ""
        if diff is None:
            console.err(
                f"{result.file}: not in the patch: not UTF-8; `crdlint check --fix --unsafe-fixes` sets the limits"
            )
            continue
        console.out(diff, nl=False)
