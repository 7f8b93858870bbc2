"""Help in groups of options, of which the rare ones are only shown with `--help-all`; what shells complete; and small commands."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import click

from crdlint.cli import console

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


# The parameters of all commands by what they are for, in the order of help; others are shown first, as "Options".
_GROUPS: Final = {
    "What to check": (
        "include", "exclude", "no_ignore", "required", "stdin_filename", "crds", "old", "strict_kinds",
        "include_dependencies",
    ),
    "Kubernetes and Helm": ("kube_version", "field_validation", "value_files", "sets", "no_kustomize", "no_helm"),
    "Rules": ("config", "isolated", "extended", "selected", "ignored", "min_severity", "fail_on", "accept_rejections"),
    "Fixes": ("fix", "unsafe_fixes", "diff", "show_fixes", "add_ignore"),
    "Comparison": ("against", "baseline_file", "update_baseline", "second_opinion"),
    "Output": (
        "show_defaulted", "format_", "outputs", "hidden", "show_all", "show_files", "show_settings", "show_ignored",
        "statistics", "verbose", "quiet", "color",
    ),
    "Performance": ("jobs", "no_cache"),
    "Help": ("help", "help_all"),
}  # fmt: skip
_GROUP_OF: Final = {name: title for title, names in _GROUPS.items() for name in names}
_ORDER: Final = {name: number for number, name in enumerate(_GROUP_OF)}
_RARE: Final = frozenset({
    "no_ignore", "stdin_filename", "required", "include_dependencies", "strict_kinds",
    "field_validation", "sets", "no_helm", "no_kustomize", "extended", "accept_rejections", "isolated", "show_fixes",
    "second_opinion", "show_all", "show_files", "show_ignored", "show_settings", "color", "jobs", "no_cache",
})  # fmt: skip
_MOST: Final = 24  # options of a command, all of which are shown


class Command(click.Command):
    """A command whose help shows its options in groups."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters, with `--help-all` if they are too many to show."""
        params = super().get_params(ctx)
        return [*params, _HELP_ALL] if len(params) > _MOST else params

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by group, the rare ones only if all are to be shown."""
        groups: dict[str, list[tuple[str, str]]] = {title: [] for title in ("Options", *_GROUPS)}
        params = self.get_params(ctx)
        is_short = _HELP_ALL in params and _HELP_ALL.name not in ctx.meta
        for param in sorted(params, key=lambda param: _ORDER.get(str(param.name), 0)):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None and not (is_short and param.name in _RARE):
                name = "help" if "--help" in param.opts else str(param.name)
                groups[_GROUP_OF.get(name, "Options")].append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _show_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[str(param.name)] = True
        console.out(ctx.get_help())
        ctx.exit()


_HELP_ALL: Final = click.Option(
    ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all,
    help="Show all options and exit.",
)  # fmt: skip


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
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
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
    console.out(script(ctx.find_root().command, {}, "crdlint", "_CRDLINT_COMPLETE").source())


def complete_paths(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete to files and folders: the shell lists them."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_rules(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete to rule ids, with their summaries, and to the names of sets."""
    from click.shell_completion import CompletionItem

    from crdlint.rules.catalog import all_rules, rule_sets

    summaries = {rule.id: rule.summary for rule in all_rules().values()}
    summaries |= {name: f"the set of {len(rules)} rules" for name, rules in rule_sets().items()}
    return [CompletionItem(name, help=help_) for name, help_ in summaries.items() if name.startswith(incomplete)]


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


@click.command("lsp", cls=Command)
@click.option("--stdio", is_flag=True, help="Use standard input and output. This is the default, and the only way.")
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
