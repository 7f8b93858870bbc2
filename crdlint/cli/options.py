"""What several commands take alike: versions, colours, files."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING, Any, TypeVar

import click

from crdlint.cli.completion import complete_outputs, complete_paths, complete_rules, complete_versions
from crdlint.kubernetes.servers import NEWEST, parse_range
from crdlint.report import formats
from crdlint.report.formats import AUTO, NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from click.shell_completion import CompletionItem

    from crdlint.config.model import Config
    from crdlint.inputs.helm.render import Values
    from crdlint.kubecel.second_opinion import Tally

    Command = TypeVar("Command", bound=Callable[..., object])


class KubeVersion(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on
    """A minor version of Kubernetes that crdlint knows, or a range of them."""

    name = "version"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Complete to the known versions."""
        return complete_versions(ctx, param, incomplete)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Take the value as it is where it is one."""
        try:
            parse_range(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return value


def width(most: int) -> int | None:
    """Return the columns of the terminal, at most ``most``; None, not to wrap, if standard output is no terminal."""
    return min(shutil.get_terminal_size((100, 24)).columns, most) if sys.stdout.isatty() else None


def takes_colour(choice: str) -> bool:
    """Tell whether standard output is to be coloured, by `--color` and the terminal."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


def style(choice: str) -> Callable[[str, str], str]:
    """Return what colours a text for standard output, with click's names of colours and bold."""
    if takes_colour(choice):
        return _styled
    return _plain


def _styled(text: str, name: str) -> str:
    return click.style(text, bold=True) if name == "bold" else click.style(text, fg=name, bold=name == "red")


def _plain(text: str, _name: str) -> str:
    return text


def files(command: Command) -> Command:
    """Add the arguments that choose files."""
    for decorate in (
        click.option("--no-ignore", is_flag=True, help="Also check files that .gitignore excludes."),
        click.option(
            "--exclude", multiple=True, metavar="GLOB", callback=_globs,
            help="Do not check files that match GLOB (repeatable).",
        ),
        click.option(
            "--include", multiple=True, metavar="GLOB", callback=_globs,
            help="Below directories, only check files that match GLOB (repeatable).",
        ),
        click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=complete_paths, callback=_paths),
    ):  # fmt: skip
        command = decorate(command)
    return command


def second_opinion(command: Command) -> Command:
    """Add the option that has cel-python evaluate rules as well."""
    help_ = "Evaluate every rule with cel-python as well, and report where the results differ."
    return click.option("--second-opinion", is_flag=True, help=help_)(command)


def new_tally() -> Tally:
    """Return a tally of second opinions; end the run if cel-python cannot be imported."""
    from crdlint.kubecel.second_opinion import Tally

    try:
        import celpy  # noqa: F401  whether it can be
    except ImportError as error:
        raise click.UsageError(f"--second-opinion: cel-python cannot be imported: {error}") from error
    return Tally()


def _paths(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    return in_working_directory(ctx, param, value) or (os.curdir,)


def in_working_directory(_ctx: click.Context, _param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Return paths unchanged; end the run if the working directory they are relative to has been deleted."""
    try:
        os.getcwd()  # noqa: PTH109  only whether it can be
    except OSError as error:
        raise click.UsageError(f"the working directory cannot be read: {error.strerror}") from error
    return value


def _globs(_ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    from crdlint.inputs.patterns import is_pattern

    for glob in value:
        if not is_pattern(glob):
            raise click.BadParameter(f"{glob!r} is not a pattern of files", param=param)
    return value


format_ = click.option(
    "--format", "format_", type=click.Choice(NAMES), default=AUTO, show_default=True, metavar="FORMAT",
    help=f"One of {', '.join(NAMES)}. auto is github within GitHub Actions, else text.",
)  # fmt: skip


output = click.option(
    "--output", "outputs", multiple=True, metavar="FORMAT=FILE", shell_complete=complete_outputs,
    help="Write the findings to a file as well, in a format of its own (repeatable).",
)  # fmt: skip


def parse_outputs(given: tuple[str, ...], *, hidden: bool) -> list[formats.Output]:
    """Return the reports of `--output`; one that cannot be written ends the run. ``hidden`` is that of reports."""
    try:
        return [formats.Output(name, path, hidden=hidden) for name, path in formats.parse_outputs(given)]
    except formats.OutputError as error:
        raise click.UsageError(f"--output: {error}") from error


kube_version = click.option(
    "--kube-version",
    type=KubeVersion(),
    help=f"The Kubernetes version to check CRDs for, or a range such as 1.29..{NEWEST}; "
    f"else the configuration's, or {NEWEST}.",
)


def read_config(file: str | None) -> Config | None:
    """Return the configuration that replaces those of folders; a broken one ends the run."""
    if file is None:
        return None
    from crdlint.config.load import read_config
    from crdlint.config.model import ConfigError

    try:
        return read_config(file)
    except ConfigError as error:
        raise click.UsageError(f"--config: {error}") from error


def configuration(command: Command) -> Command:
    """Add the options of configuration."""
    for decorate in (
        click.option(
            "--accept-rejections", is_flag=True, help="Let ignored findings pass that the API server itself refuses."
        ),
        click.option(
            "--fail-on", type=click.Choice(["error", "warning", "info", "never"]),
            help="The least severity that makes the exit status 1 [default: error].",
        ),
        click.option(
            "--ignore", "ignored", multiple=True, metavar="RULE", shell_complete=complete_rules,
            help="Leave out these rules (repeatable).",
        ),
        click.option(
            "--select", "selected", multiple=True, metavar="RULE", shell_complete=complete_rules,
            help="Only report these rules (repeatable).",
        ),
        click.option(
            "--config", metavar="FILE", shell_complete=complete_paths,
            help="Use this configuration, in place of the closest .crdlint.yaml.",
        ),
    ):  # fmt: skip
        command = decorate(command)
    return command


def laid_over(given: Mapping[str, Any]) -> Callable[[Config], Config]:
    """Return what lays the options of `configuration` over a file's; a rule that there is not ends the run."""
    for name, rules in (("--select", given["selected"]), ("--ignore", given["ignored"])):
        for rule in rules:
            from crdlint.config.matching import unknown_rule

            problem = unknown_rule(rule)
            if problem:
                raise click.UsageError(f"{name}: {problem}")
    return lambda config: config.merged(
        select=given["selected"],
        ignore=given["ignored"],
        fail_on=given["fail_on"],
        include_dependencies=given.get("include_dependencies") or None,
        accept_rejections=given["accept_rejections"],
    )


def helm(command: Command) -> Command:
    """Add the options of charts."""
    for decorate in (
        click.option("--include-dependencies", is_flag=True, help="Look into packed dependencies of charts, too."),
        click.option(
            "--no-helm", is_flag=True, help="Read templates with their directives masked, though Helm is there."
        ),
        click.option("--no-kustomize", is_flag=True, help="Read resources of kustomizations as they are, build none."),
        click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="A value for Helm (repeatable)."),
        click.option(
            "--values",
            "value_files",
            multiple=True,
            metavar="FILE",
            shell_complete=complete_paths,
            help="Values for Helm (repeatable).",
        ),
    ):
        command = decorate(command)
    return command


def values(given: Mapping[str, Any]) -> Values | None:
    """Return the values for Helm, None where there are none; a file that is not there ends the run."""
    if not (given["value_files"] or given["sets"]):
        return None
    from crdlint.inputs.helm.render import Values

    for file in given["value_files"]:
        if not os.path.isfile(file):  # noqa: PTH113
            raise click.UsageError(f"--values: {file}: no such file")
    return Values(given["value_files"], given["sets"])


color = click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
