"""`crdlint rules`, every rule in a line each, and `crdlint explain RULE`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

import click

from crdlint.cli import console, options
from crdlint.cli.fields import Declared, argument, choice
from crdlint.cli.help import complete_rules
from crdlint.cli.options import ReportOptions
from crdlint.phrases import counted, nearest, some
from crdlint.report.page import CellPart, Column, Page, Row, rule_link
from crdlint.rules import SETS
from crdlint.safety.escapes import json_text

if TYPE_CHECKING:
    from crdlint.rules.engine.rule import Rule

_MOST: Final = 20  # rules in a hint
_STYLES: Final = {
    "Bad": "error",
    "Good": "good",
    "Help": "label",
    "Fix": "good",
    "Upstream": "faint",
}


class _FormatOptions(ReportOptions):
    format_: Declared[str] = choice(["text", "json"], default="text", show_default=True)


class ExplainOptions(_FormatOptions):
    """The argument and options of `crdlint explain`."""

    rule: Declared[str] = argument(metavar="RULE_OR_SET", shell_complete=complete_rules)


@options.command("rules", _FormatOptions)
def command(arguments: _FormatOptions) -> int:
    """List all rules, for use in --select, --ignore and configuration files.

    The columns are the id, the severity, the best fix (safe or unsafe) and the summary. Rules of a set are only reported if
    the rule or its set is selected, unless they are also marked as default. `crdlint
    explain SET` lists the rules of a set.

    \b
    Examples:
      crdlint rules
      crdlint rules --format json
    """  # noqa: D301  \b keeps the lines below it as they are
    from crdlint.rules.catalog import all_rules

    rules = list(all_rules().values())
    if arguments.format_ == "json":
        console.out(json_text(list(map(described, rules)), 2))
        return 0
    _print_table(rules, options.page(arguments.color, 120))
    return 0


def _print_table(rules: Iterable[Rule], page: Page) -> None:
    from crdlint.rules.catalog import fixes

    titles = ("RULE", "SEVERITY", "FIX", "SUMMARY") if page.width is not None else ("", "", "", "")
    rows = [
        Row(
            [
                [CellPart(rule.id, "title", rule_link(rule.id))],
                [CellPart(rule.severity, rule.severity)],
                [
                    CellPart(
                        min((fixer.applicability for fixer in fixes(rule.id)), default="-"), "good"
                    )
                ],  # safe before unsafe
                [CellPart(rule.summary + _reported(rule))],
            ]
        )
        for rule in rules
    ]
    for line in page.table(
        [Column(title, width) for title, width in zip(titles, (0, 7, 6, 0), strict=True)], rows
    ):
        console.out(line)


def _reported(rule: Rule) -> str:
    """Return the set of a rule in brackets, and whether it is reported without it."""
    if not rule.in_set:
        return " (on request)" if rule.on_request else ""
    default = "" if rule.on_request else "default, "
    return f" ({default}set {rule.in_set})"


# The fields of a rule that JSON output has.
_TEXTS: Final = frozenset({
    "id", "summary", "why", "help", "bad", "good", "source", "scope", "severity", "origin", "on_request", "aliases", "marker",
    "compares", "because", "observed",
})  # fmt: skip


def described(rule: Rule) -> dict[str, Any]:
    """Return the texts and the page of a rule; of its fixes, the titles and whether they are safe."""
    from crdlint.rules.catalog import fixes

    titles = [
        {"title": fixer.title, "applicability": fixer.applicability} for fixer in fixes(rule.id)
    ]
    texts = {name: value for name, value in rule._asdict().items() if name in _TEXTS}
    sets = [rule.in_set] if rule.in_set else []
    return texts | {
        "fixes": titles,
        "default": not rule.on_request,
        "sets": sets,
        "url": rule_link(rule.id),
    }


@options.command("explain", ExplainOptions)
def explain(arguments: ExplainOptions) -> int:
    """Explain a rule: what it reports, why it matters, how to fix it, and a bad and a good example.

    For the name of a set, list its rules.

    \b
    Examples:
      crdlint explain list-map-key-required
      crdlint explain cel-rule-cost --format json
      crdlint explain ssa
    """  # noqa: D301  \b keeps the lines below it as they are
    from crdlint.rules import catalog

    if arguments.rule in SETS:
        return _explain_set(arguments)
    try:
        rule = catalog.get(arguments.rule)
    except KeyError as error:
        hint = _hint(arguments.rule, (*catalog.all_rules(), *SETS))
        raise click.UsageError(f"Unknown rule '{arguments.rule}'. {hint}") from error
    if arguments.format_ == "json":
        console.out(json_text(described(rule), 2))
        return 0
    page = options.page(arguments.color, 100)
    console.out("\n\n".join(map("\n".join, _paragraphs(rule, page))))
    return 0


def _explain_set(arguments: ExplainOptions) -> int:
    """List the rules of a set."""
    from crdlint.rules.catalog import all_rules, rule_sets

    rules = [all_rules()[id_] for id_ in rule_sets()[arguments.rule]]
    if arguments.format_ == "json":
        console.out(json_text(list(map(described, rules)), 2))
        return 0
    page = options.page(arguments.color, 120)
    title = CellPart(arguments.rule, "title")
    count = CellPart(
        f": a set of {counted(len(rules), 'rule')}, which --select {arguments.rule} reports"
    )
    console.out("\n".join(page.flow(title, count)))
    _print_table(rules, page)
    return 0


def _hint(name: str, rules: Iterable[str]) -> str:
    longer = [rule for rule in rules if name and rule.startswith(name)]
    if longer:
        return f"Rules that begin with it: {some(longer, _MOST)}."
    near = nearest(name, rules, cutoff=0.7)
    return f"Did you mean '{near}'?" if near else "`crdlint rules` lists them."


def _paragraphs(rule: Rule, page: Page) -> Iterator[list[str]]:
    from crdlint.report.rule_description import sections

    severity = CellPart(rule.severity, rule.severity)
    yield page.flow(
        CellPart(rule.id, "title", rule_link(rule.id)),
        CellPart(" ("),
        severity,
        CellPart(")"),
    )
    yield page.wrapped(rule.summary, "")
    for section in sections(rule):
        style = _STYLES.get(section.title.partition(" (")[0], "title")
        if section.text:
            yield page.wrapped(
                section.text,
                "",
                f"{section.title}: " if section.title else "",
                style,
            )
        else:
            yield [f"{page.styled(section.title, style)}:"]
        if section.code and not section.is_for_pages:
            yield (page.wrapped if section.language == "text" else page.yaml)(section.code, "    ")
    yield page.wrapped(rule_link(rule.id), "", "Page: ", "faint")
