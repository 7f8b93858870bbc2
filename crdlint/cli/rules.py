"""`crdlint rules`: every rule, a line each."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from crdlint.cli import console, options
from crdlint.report.page import Column, Part, Row, rule_link

if TYPE_CHECKING:
    from crdlint.rules.engine.rule import Rule


@click.command("rules")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
@options.color
def command(format_: str, color: str) -> None:
    """List all rules, for use in --select, --ignore and configuration files: id, severity and summary.

    \b
    Examples:
      crdlint rules
      crdlint rules --format json
    """  # noqa: D301  \b keeps the lines below it as they are
    from crdlint.rules.catalog import all_rules

    rules = all_rules().values()
    if format_ == "json":
        from crdlint.report.escapes import json_text

        console.out(json_text([_described(rule) for rule in rules], 2))
        return
    page = options.page(color, 120)
    titles = ("RULE", "SEVERITY", "SUMMARY") if page.width is not None else ("", "", "")
    rows = [
        Row([[Part(one.id, "title", rule_link(one.id))], [Part(one.severity, one.severity)], [Part(one.summary)]])
        for one in rules
    ]
    for line in page.table([Column(title, width) for title, width in zip(titles, (0, 7, 0), strict=True)], rows):
        console.out(line)


def _described(rule: Rule) -> dict[str, Any]:
    """Return the texts of a rule; of its fixes, the titles and whether they are safe."""
    fixes = [{"title": one.title, "applicability": one.applicability} for one in rule.fixes]
    return {one.name: getattr(rule, one.name) for one in fields(rule) if one.name != "fixes"} | {"fixes": fixes}
