"""Options that every run declares, made without what Click imports to word and format them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import click

from crdlint.cli import console

Callback: TypeAlias = "Callable[[click.Context, click.Parameter, bool], None]"


class PlainOption(click.Option):
    """An option whose help is shown as it is written: Click would import `inspect` to remove an indentation."""

    def __init__(self, *names: Any, help: str | None = None, **settings: Any) -> None:  # noqa: A002  Click's name
        super().__init__(*names, **settings)
        self.help = help


class CommandWithHelp(click.Command):
    """A command whose option for help is worded in English: Click would look for translations of it."""

    _shows_help: click.Option | None = None

    def get_help_option(self, ctx: click.Context) -> click.Option:
        """Return the option that shows the help, the same one each time."""
        if self._shows_help is None:
            names = self.get_help_option_names(ctx)
            self._shows_help = ending_option(names, show_help, "Show this message and exit.")
        return self._shows_help


def ending_option(
    names: Sequence[str],
    callback: Callback,
    help_: str | None,
    *,
    hidden: bool = False,
) -> click.Option:
    """Return an option without a value that is evaluated before others, to show something and end the run."""
    return PlainOption(
        names,
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=callback,
        help=help_,
        hidden=hidden,
    )


def show_help(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    """Print the help of a command and end the run."""
    if value and not ctx.resilient_parsing:
        console.out(ctx.get_help())
        ctx.exit()
