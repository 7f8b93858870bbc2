"""Help in groups of options, of which the rare ones are only shown with `--help-all`; what shells complete; and small commands."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

import click
from click.core import ParameterSource

from crdlint.cli import console
from crdlint.cli.flags import CommandWithHelp, PlainOption, ending_option
from crdlint.files.read import STDIN
from crdlint.files.repository import from_top
from crdlint.light import Enum
from crdlint.phrases import nearest

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class OneOf(click.Choice):  # type: ignore[type-arg]  # generic from click 8.2 on
    """One of some values, in any case; an error names the value that may be meant."""

    def __init__(self, choices: Sequence[str], meant: Mapping[str, str] | None = None) -> None:
        super().__init__(choices, case_sensitive=False)
        self._meant: Final = meant or {}

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """Return the known values, and the most similar one."""
        message = super().get_invalid_choice_message(value, ctx)
        near = self._meant.get(str(value)) or nearest(str(value), map(str, self.choices))
        return message if near is None else f"{message.removesuffix('.')}; did you mean {near!r}?"

    def get_missing_message(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Return the known values in one line."""
        del param, ctx
        return f"Choose one of {', '.join(map(str, self.choices))}."


class Group(Enum):
    """The sections of options in help, in their order."""

    OPTIONS = "Options"
    FILES = "What to check"
    SERVERS = "Kubernetes and Helm"
    RULES = "Rules"
    FIXES = "Fixes"
    COMPARISON = "Comparison"
    OUTPUT = "Output"
    PERFORMANCE = "Performance"
    HELP = "Help"


class Option(PlainOption):
    """An option in a group of help; of a command with many, the rare ones are only shown with `--help-all`."""

    def __init__(
        self,
        *names: Any,
        group: Group = Group.OPTIONS,
        rare: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__(*names, **settings)
        self.group: Final = group
        self.is_rare: Final = rare
        self._source = ""  # the variable that has set it

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """Return the value of `CRDLINT_CHECK_FORMAT` for `--format` of `check`, else of `CRDLINT_FORMAT`; None without one."""
        long = max((name for name in self.opts if name.startswith("--")), key=len, default="")
        option = long.removeprefix("--").replace("-", "_").upper()
        names = (f"CRDLINT_{str(ctx.info_name).upper()}_{option}", f"CRDLINT_{option}")
        self._source = next(filter(os.environ.get, names), "")
        return os.environ.get(self._source) if long and self._source else None

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return the name of the option for an error, with the variable of the environment that has set it."""
        hint = super().get_error_hint(ctx)
        is_set_by_variable = (
            ctx is not None
            and ctx.get_parameter_source(str(self.name)) is ParameterSource.ENVIRONMENT
        )
        return f"{hint} (from {self._source})" if is_set_by_variable else hint


_MOST: Final = 24  # options of a command, all of which are shown


class Command(CommandWithHelp):
    """A command whose help shows its options in groups."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, with `--help-all`, which help only shows if they are too many to show."""
        params = super().get_params(ctx)
        return [*params, _HELP_ALL if len(params) > _MOST else _HELP_ALL_UNSHOWN]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments; an option that is also the name of a file is a usage error.

        pre-commit and xargs pass the names of files without `--`, and whoever commits a file chooses its name.
        """
        for text in _options_of(args):
            if any(map(os.path.lexists, (text, from_top(text)))):
                raise click.UsageError(
                    f"{text!r} is an option and the name of a file: rename the file, or write -- before file names",
                    ctx,
                )
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            meant = _MEANT_OPTIONS.get(error.option_name)
            if meant is None:
                raise
            message = f"No such option {error.option_name!r}. Did you mean {meant!r}?"
            raise click.UsageError(message, ctx) from error

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by group, the rare ones only if all are to be shown."""
        groups: dict[Group, list[tuple[str, str]]] = {group: [] for group in Group}
        params = self.get_params(ctx)
        is_short = _HELP_ALL in params and _HELP_ALL.name not in ctx.meta
        for param in filter(_is_option, params):
            record = param.get_help_record(ctx)
            if record is not None and not (is_short and _is_rare(param)):
                groups[_group_of(param)].append(record)
        for group, records in groups.items():
            if records:
                with formatter.section(group.value):
                    formatter.write_dl(records)


# What users of other tools write, and the option of crdlint.
_MEANT_OPTIONS: Final = {
    "--exit-zero": "--fail-on never",
    "--no-fail": "--fail-on never",
    "--strict": "--fail-on warning",
    "--warnings-as-errors": "--fail-on warning",
    "--fail-on-warning": "--fail-on warning",
    "-o": "--format",
    "-f": "--format",
    "--output-format": "--format",
    "--json": "--format json",
    "--kubernetes-version": "--kube-version",
    "--k8s-version": "--kube-version",
    "--set-values": "--set",
    "--disable": "--ignore",
    "--enable": "--select",
    "--recursive": "PATH",
    "-r": "PATH",
}


def _is_option(param: click.Parameter) -> bool:
    return isinstance(param, click.Option)


def _is_rare(param: click.Parameter) -> bool:
    return isinstance(param, Option) and param.is_rare


def _group_of(param: click.Parameter) -> Group:
    return param.group if isinstance(param, Option) else Group.HELP


def _options_of(args: list[str]) -> Iterator[str]:
    """Yield the arguments that are parsed as options: those with a dash, up to `--`."""
    for text in args:
        if text == "--":
            return
        if text.startswith("-") and text != STDIN:
            yield text


def _show_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[str(param.name)] = True
        console.out(ctx.get_help())
        ctx.exit()


def _help_all(*, hidden: bool) -> click.Option:
    return ending_option(
        ["--help-all"],
        _show_all,
        "Show all options and exit.",
        hidden=hidden,
    )


_HELP_ALL: Final = _help_all(hidden=False)
_HELP_ALL_UNSHOWN: Final = _help_all(hidden=True)


@click.command("help", cls=Command)
@click.argument("name", metavar="[COMMAND]", required=False)
@click.pass_context
def command(ctx: click.Context, name: str | None) -> None:
    """Show the help of a command, the same as crdlint COMMAND --help.

    \b
    Examples:
      crdlint help
      crdlint help check
    """  # noqa: D301  \b keeps the lines below it as they are
    root = ctx.find_root()
    if name is None:
        console.out(root.get_help())
        return
    assert isinstance(root.command, click.Group)  # noqa: S101  it has this command
    _, shown, _ = root.command.resolve_command(root, [name])
    assert shown is not None  # noqa: S101  an unknown name is a usage error
    console.out(shown.get_help(click.Context(shown, root, name)))


@click.command("completion", cls=Command)
@click.argument("shell", type=OneOf(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
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
    console.out(
        script(
            ctx.find_root().command,
            {},
            "crdlint",
            "_CRDLINT_COMPLETE",
        ).source()
    )


def complete_paths(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete to files and folders: the shell lists them."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_rules(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Complete to rule ids, with their summaries, and to the names of sets."""
    from click.shell_completion import CompletionItem

    from crdlint.rules.catalog import all_rules, rule_sets

    summaries = {rule.id: rule.summary for rule in all_rules().values()}
    summaries |= {name: f"the set of {len(rules)} rules" for name, rules in rule_sets().items()}
    return [
        CompletionItem(name, help=help_)
        for name, help_ in summaries.items()
        if name.startswith(incomplete)
    ]


def complete_outputs(
    kind: str,
) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem] | list[str]]:
    """Return what completes to FORMAT= for a kind of report and, behind the equals sign, to files."""

    def complete(
        ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem] | list[str]:
        from crdlint.report import formats

        # bash splits words at `=`, so the file alone or `=file` may arrive here
        format_, equals, _ = incomplete.partition("=")
        if equals:
            return complete_paths(ctx, param, incomplete)
        return [f"{name}=" for name in formats.names(kind) if name.startswith(format_)]

    return complete


@click.command("lsp", cls=Command)
@click.option(
    "--stdio",
    cls=Option,
    is_flag=True,
    help="Use standard input and output, which is the default and the only way.",
)
@click.pass_context
def lsp(ctx: click.Context, stdio: bool) -> None:
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
