"""`crdlint rules`: every rule, a line each."""

from __future__ import annotations

from dataclasses import asdict

import click

from crdlint.cli import console


@click.command("rules")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(format_: str) -> None:
    """List every rule: its id, severity and what it finds."""
    from crdlint.rules.catalog import all_rules

    rules = all_rules().values()
    if format_ == "json":
        from crdlint.report.escapes import json_text

        console.out(json_text([asdict(rule) for rule in rules], 2))
        return
    widest = max(len(rule.id) for rule in rules)
    for rule in rules:
        console.out(f"{rule.id:{widest}}  {rule.severity:7}  {rule.summary}")
