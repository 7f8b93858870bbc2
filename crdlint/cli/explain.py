"""`crdlint explain RULE`."""

from __future__ import annotations

import textwrap

import click

from crdlint.cli import console, options
from crdlint.cli.completion import complete_rules


@click.command("explain")
@click.argument("rule_id", metavar="RULE", shell_complete=complete_rules)
def command(rule_id: str) -> None:
    """Explain a rule: what it finds, why it matters, a bad and a good example, and the way out."""
    from crdlint.rules.catalog import all_rules

    rules = all_rules()
    rule = rules.get(rule_id)
    if rule is None:
        from crdlint.diagnostics.spelling import nearest

        near = nearest(rule_id, rules, cutoff=0.4)
        hint = f" Did you mean '{near}'?" if near else " `crdlint rules` lists them."
        raise click.UsageError(f"There is no rule '{rule_id}'.{hint}")
    width = options.width(100)

    def paragraph(text: str) -> str:
        return text if width is None else textwrap.fill(text, width)

    parts = [f"{rule.id} ({rule.severity})", paragraph(rule.summary), paragraph(f"Why: {rule.why}")]
    where = "" if rule.scope in {"text", "manifest", "resource", "template", "crds"} else f" ({_SCOPES[rule.scope]})"
    if rule.bad and len(rule.bad) < _LONGEST:
        parts.append(f"Bad{where}:\n\n{textwrap.indent(rule.bad.rstrip(), '    ')}")
    if rule.good:
        parts.append(f"Good{where}:\n\n{textwrap.indent(rule.good.rstrip(), '    ')}")
    parts.append(paragraph(f"Help: {rule.help}"))
    if rule.source:
        parts.append(f"Upstream: {rule.source}")
    console.out("\n\n".join(parts))


_LONGEST = 2000  # characters of an example that are still one to read
_SCOPES = {
    "metadata": "in metadata",
    "spec": "in spec",
    "version": "in a version",
    "schema": "the schema of a version",
}
