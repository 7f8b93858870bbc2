"""`crdlint lsp`: the language server."""

from __future__ import annotations

from importlib.util import find_spec

import click

from crdlint.cli.help import Command


@click.command("lsp", cls=Command)
@click.option("--stdio", is_flag=True, help="Use standard input and output. This is the default, and the only way.")
@click.pass_context
def command(ctx: click.Context, stdio: bool) -> None:
    """Run the language server for an editor, over standard input and output.

    The editor starts it: see docs/editors.md. It needs the extra lsp, such as: pip install './crdlint[lsp]'.

    \b
    Examples:
      crdlint lsp
      crdlint lsp --stdio
    """  # noqa: D301  \b keeps the lines below it as they are
    del stdio
    if find_spec("pygls") is None or find_spec("lsprotocol") is None:
        raise click.ClickException(
            "the language server needs the extra lsp of crdlint, such as: pip install './crdlint[lsp]'"
        )
    from crdlint.lsp.server import main

    ctx.exit(main())
