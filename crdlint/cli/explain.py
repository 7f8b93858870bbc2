"""`crdlint explain RULE`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from crdlint.cli import console, options
from crdlint.cli.completion import complete_rules
from crdlint.cli.help import Command
from crdlint.report.page import Part, rule_link

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.report.page import Page
    from crdlint.rules.engine.rule import Rule


@click.command("explain", cls=Command)
@click.argument("rule_id", metavar="RULE", shell_complete=complete_rules)
@options.text_or_json
@options.color
def command(rule_id: str, format_: str, color: str) -> None:
    """Explain a rule: what it reports, why it matters, how to fix it, and a bad and a good example.

    \b
    Examples:
      crdlint explain list-map-key-required
      crdlint explain cel-rule-cost --format json
    """  # noqa: D301  \b keeps the lines below it as they are
    from crdlint.rules import catalog

    try:
        rule = catalog.get(rule_id)
    except KeyError as error:
        raise click.UsageError(f"Unknown rule '{rule_id}'. {_hint(rule_id, catalog.all_rules())}") from error
    if format_ == "json":
        from crdlint.cli.rules import described
        from crdlint.report.escapes import json_text

        console.out(json_text(described(rule), 2))
        return
    page = options.page(color, 100)
    console.out("\n\n".join("\n".join(lines) for lines in _paragraphs(rule, page)))


def _hint(name: str, rules: Iterable[str]) -> str:
    longer = [rule for rule in rules if name and rule.startswith(name)]
    if longer:
        more = f" and {len(longer) - _MOST} more" if len(longer) > _MOST else ""
        return f"Rules that begin with it: {', '.join(longer[:_MOST])}{more}."
    from crdlint.diagnostics.spelling import nearest

    near = nearest(name, rules, cutoff=0.7)
    return f"Did you mean '{near}'?" if near else "`crdlint rules` lists them."


_MOST: Final = 20  # rules in a hint


def _paragraphs(rule: Rule, page: Page) -> Iterator[list[str]]:
    from crdlint.report.rule_description import sections

    yield page.flow(
        Part(rule.id, "title", rule_link(rule.id)), Part(" ("), Part(rule.severity, rule.severity), Part(")")
    )
    yield page.wrapped(rule.summary, "")
    for section in sections(rule):
        style = _STYLES.get(section.title.partition(" (")[0], "title")
        if section.text:
            yield page.wrapped(section.text, "", f"{section.title}: ", style)
        elif section.language == "text":
            yield [f"{page.styled(section.title, style)}:"]
            yield page.wrapped(section.code, "    ")
        else:
            yield [f"{page.styled(section.title, style)}:"]
        if section.code and section.language != "text":
            yield page.yaml(section.code, "    ")
    yield page.wrapped(rule_link(rule.id), "", "Page: ", "faint")


_STYLES: Final = {"Bad": "error", "Good": "good", "Help": "label", "Fix": "good", "Upstream": "faint"}
