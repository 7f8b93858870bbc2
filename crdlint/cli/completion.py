"""`crdlint completion SHELL`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell: `eval "$(crdlint completion bash)"`."""
    made = get_completion_class(shell)
    assert made is not None  # noqa: S101  click has these three
    click.echo(made(ctx.find_root().command, {}, "crdlint", "_CRDLINT_COMPLETE").source())
