"""`crdlint completion SHELL`, and what the arguments and options of other commands complete to."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from crdlint.cli import console
from crdlint.cli.help import Command

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print a completion script, which completes commands, options, rules and paths in your shell.

    \b
    Examples:
      eval "$(crdlint completion bash)"        in ~/.bashrc
      eval "$(crdlint completion zsh)"         in ~/.zshrc, after compinit
      crdlint completion fish | source         in config.fish
    """  # noqa: D301  \b keeps the lines below it as they are
    from click.shell_completion import get_completion_class

    script = get_completion_class(shell)
    assert script is not None  # noqa: S101  click has these three
    console.out(script(ctx.find_root().command, {}, "crdlint", "_CRDLINT_COMPLETE").source())


def complete_paths(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete to files and folders: the shell lists them."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_rules(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete to rule ids, with their summaries, and to the names of sets."""
    from click.shell_completion import CompletionItem

    from crdlint.rules.catalog import all_rules, rule_sets

    known = {rule.id: rule.summary for rule in all_rules().values()}
    known |= {name: f"the set of {len(rules)} rules" for name, rules in rule_sets().items()}
    return [CompletionItem(name, help=help_) for name, help_ in known.items() if name.startswith(incomplete)]


def complete_outputs(kind: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem] | list[str]]:
    """Return what completes to FORMAT= for a kind of report and, behind the equals sign, to files."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem] | list[str]:
        from crdlint.report import formats

        # bash splits words at `=`, so the file alone or `=file` may arrive here
        format_, equals, _ = incomplete.partition("=")
        if equals:
            return complete_paths(ctx, param, incomplete)
        return [f"{name}=" for name in formats.names(kind) if name.startswith(format_)]

    return complete
