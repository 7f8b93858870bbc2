"""`crdlint rules`: every rule, a line each."""

from __future__ import annotations

import json
from dataclasses import asdict

import click


@click.command("rules")
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(format_: str) -> None:
    """List every rule: its id, severity and what it finds."""
    from crdlint.rules.catalog import all_rules

    rules = all_rules().values()
    if format_ == "json":
        click.echo(json.dumps([asdict(rule) for rule in rules], indent=2))
        return
    widest = max(len(rule.id) for rule in rules)
    for rule in rules:
        click.echo(f"{rule.id:{widest}}  {rule.severity:7}  {rule.summary}")
