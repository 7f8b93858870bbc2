"""Help in groups of options, of which the rare ones are only shown with `--help-all`, and `crdlint help COMMAND`."""

from __future__ import annotations

from typing import Final

import click

from crdlint.cli import console

# The parameters of all commands by what they are for, in the order of help; others are shown first, as "Options".
_GROUPS: Final = {
    "What to check": (
        "include", "exclude", "no_ignore", "required", "stdin_filename", "crds", "old", "strict_kinds",
        "include_dependencies",
    ),
    "Kubernetes and Helm": (
        "kube_version", "field_validation", "value_files", "sets", "no_kustomize", "no_helm",
    ),
    "Rules": (
        "config", "isolated", "extended", "selected", "ignored", "min_severity", "fail_on", "accept_rejections",
    ),
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
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show all options and exit.",
)


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
