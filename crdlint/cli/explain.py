"""`crdlint explain RULE`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crdlint.cli import console, options
from crdlint.cli.completion import complete_rules
from crdlint.report.page import Part, rule_link

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.report.page import Page
    from crdlint.rules.engine.rule import Rule


@click.command("explain")
@click.argument("rule_id", metavar="RULE", shell_complete=complete_rules)
@options.color
def command(rule_id: str, color: str) -> None:
    """Explain a rule: what it reports, why it matters, how to fix it, and a bad and a good example.

    \b
    Examples:
      crdlint explain list-map-key-required
      crdlint explain cel-rule-cost
    """  # noqa: D301  \b keeps the lines below it as they are
    from crdlint.rules import catalog

    try:
        rule = catalog.get(rule_id)
    except KeyError as error:
        from crdlint.diagnostics.spelling import nearest

        near = nearest(rule_id, catalog.all_rules(), cutoff=0.7)
        hint = f" Did you mean '{near}'?" if near else " `crdlint rules` lists them."
        raise click.UsageError(f"Unknown rule '{rule_id}'.{hint}") from error
    page = options.page(color, 100)
    console.out("\n\n".join("\n".join(lines) for lines in _paragraphs(rule, page)))


def _paragraphs(rule: Rule, page: Page) -> Iterator[list[str]]:
    from crdlint.rules.engine.examples import EXAMPLE_LIMIT, place_of_example

    heading = Part(rule.id, "title", rule_link(rule.id))
    yield page.flow(heading, Part(" ("), Part(rule.severity, rule.severity), Part(")"))
    yield page.wrapped(rule.summary, "")
    yield page.wrapped(rule.why, "", "Why: ", "title")
    where = place_of_example(rule)
    for label, style, example in (("Bad", "error", rule.bad), ("Good", "good", rule.good)):
        if example and len(example) < EXAMPLE_LIMIT:
            yield [f"{page.styled(label, style)}{where}:"]
            yield page.yaml(example.rstrip(), "    ")
    yield page.wrapped(rule.help, "", "Help: ", "label")
    yield from _fixes(rule, page)
    if rule.source:
        yield page.wrapped(rule.source, "", "Upstream: ", "faint")


def _fixes(rule: Rule, page: Page) -> Iterator[list[str]]:
    """Yield what each fix of a rule changes, as a diff of its example."""
    from difflib import ndiff

    from crdlint.rules.engine.examples import EXAMPLE_LIMIT

    for one in rule.fixes:
        bad, good = one.bad or rule.bad, one.good or rule.good
        if len(bad) < EXAMPLE_LIMIT:
            option = "--fix" if one.applicability == "safe" else "--fix --unsafe-fixes"
            yield page.wrapped(f"{one.title} ({option})", "", "Fix: ", "good")
            lines = [line.rstrip() for line in ndiff(bad.splitlines(), good.splitlines()) if not line.startswith("?")]
            yield page.yaml("\n".join(lines), "    ")
