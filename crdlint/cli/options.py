"""What several commands take alike: versions, colours, files."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

import click

from crdlint.cli.completion import complete_outputs, complete_paths, complete_rules, complete_versions
from crdlint.files.read import STDIN
from crdlint.kubernetes.servers import NEWEST, OLDEST, parse_range
from crdlint.report import formats
from crdlint.report.formats import AUTO
from crdlint.report.page import PLAIN

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.shell_completion import CompletionItem

    from crdlint.config.model import Config, FailOn, FieldValidation
    from crdlint.diagnostics.diagnostic import Severity
    from crdlint.kubecel.second_opinion import Tally
    from crdlint.report.page import Page
    from crdlint.sources.helm.render import Values

    Command = TypeVar("Command", bound=Callable[..., object])


class KubeVersion(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on
    """A minor version of Kubernetes that crdlint knows, a range of them, or a constraint."""

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


def page(choice: str, most: int) -> Page:
    """Return the page of standard output, of at most ``most`` columns, by `--color` and the terminal."""
    has_styles = _has_styles(choice)
    if not (has_styles or sys.stdout.isatty()):
        return PLAIN
    from crdlint.report.terminal import Terminal, colors_of, has_links

    width = None
    if sys.stdout.isatty():
        from shutil import get_terminal_size

        width = min(get_terminal_size((100, 24)).columns, most)
    colors = colors_of(sys.stdout) if has_styles else None
    return Terminal(width, colors, links=width is not None and has_links())


def _has_styles(choice: str) -> bool:
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and os.environ.get("TERM") != "dumb")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The arguments and options that `check` and `validate` share, by the names of their parameters."""

    paths: tuple[str, ...]
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    no_ignore: bool
    format_: str
    outputs: tuple[str, ...]
    kube_version: str | None
    config: str | None
    isolated: bool
    selected: tuple[str, ...]
    extended: tuple[str, ...]
    ignored: tuple[str, ...]
    fail_on: FailOn | None
    min_severity: Severity | None
    accept_rejections: bool
    field_validation: FieldValidation | None
    allow_empty: bool
    quiet: bool
    color: str


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
    help_ = "Also evaluate every rule with cel-python, and report differences."
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
    from crdlint.files.patterns import is_pattern

    for glob in value:
        if not is_pattern(glob):
            raise click.BadParameter(f"{glob!r} is not a valid file pattern", param=param)
    return value


_FINDINGS: Final = (AUTO, *formats.names("findings"))
format_ = click.option(
    "--format", "format_", type=click.Choice(_FINDINGS), default=AUTO, show_default=True, metavar="FORMAT",
    help=f"One of {', '.join(_FINDINGS)}. auto is github in GitHub Actions, azure in Azure Pipelines, else text.",
)  # fmt: skip


def format_of(kind: str, help_: str) -> Callable[[Command], Command]:
    """Return what adds the option that chooses the format of a report other than of findings."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(formats.names(kind)),
        default=formats.TEXT,
        show_default=True,
        help=help_,
    )


def output_of(kind: str) -> Callable[[Command], Command]:
    """Return what adds the option that writes reports to files, too."""
    return click.option(
        "--output", "outputs", multiple=True, metavar="FORMAT=FILE", shell_complete=complete_outputs(kind),
        help=f"Write the {'results' if kind == 'suites' else kind} also to FILE, in FORMAT (repeatable).",
    )  # fmt: skip


output = output_of("findings")


def help_of_versions(purpose: str) -> str:
    """Return the help of an option for the Kubernetes version, without its default."""
    return (
        f"The Kubernetes version {purpose}: {OLDEST} to {NEWEST}, a range such as 1.29..{NEWEST}, or a "
        "constraint such as '>=1.29'."
    )


kube_version = click.option(
    "--kube-version",
    type=KubeVersion(),
    help=f"{help_of_versions('to check for')} Default: from the configuration, else {NEWEST}.",
)


def read_config(file: str | None, *, isolated: bool = False) -> Config | None:
    """Return the configuration that replaces those of folders; a broken one ends the run."""
    if isolated and file is not None:
        raise click.UsageError("--config cannot be used with --isolated")
    if isolated:
        from crdlint.config.model import Config

        return Config()
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
            "--accept-rejections", is_flag=True, help="Do not fail for ignored findings that the API server rejects."
        ),
        click.option(
            "--field-validation", type=click.Choice(["strict", "warn", "ignore"]),
            help="What the API server does about unknown fields: reject the object, warn, or nothing [default: warn in charts, "
            "else strict].",
        ),
        click.option(
            "--fail-on", type=click.Choice(["error", "warning", "info", "never"]),
            help="Exit with status 1 if there is a finding of this or a higher severity [default: error].",
        ),
        click.option(
            "--min-severity", type=click.Choice(["error", "warning", "info"]),
            help="Only report findings of this or a higher severity [default: info].",
        ),
        click.option(
            "--ignore", "ignored", multiple=True, metavar="RULE", shell_complete=complete_rules,
            help="Do not report these rules (repeatable).",
        ),
        click.option(
            "--select", "selected", multiple=True, metavar="RULE", shell_complete=complete_rules,
            help="Only report these rules, or the rules of a set (repeatable).",
        ),
        click.option(
            "--extend-select", "extended", multiple=True, metavar="RULE", shell_complete=complete_rules,
            help="Report these rules, or the rules of a set, besides the selected ones (repeatable).",
        ),
        click.option("--isolated", is_flag=True, help="Ignore all configuration files."),
        click.option(
            "--config", metavar="FILE", shell_complete=complete_paths,
            help="Use this configuration file instead of the closest .crdlint.yaml.",
        ),
    ):  # fmt: skip
        command = decorate(command)
    return command


def _unknown_rule(rule: str, file: str | None) -> str | None:
    """Return a message if a name is neither that of rules nor of a set, or None.

    `file` is the configuration with the sets of the run, by default that of the working directory.
    """
    from crdlint.config.rule_patterns import unknown_rule

    if unknown_rule(rule) is None:
        return None
    from crdlint.config.load import nearest
    from crdlint.config.model import ConfigError

    try:
        config = read_config(file) or nearest(STDIN, {})
    except ConfigError as error:
        fault = error.faults[0]
        return f"{unknown_rule(rule)}, and {fault.file}:{fault.line}:{fault.column} has an error: {fault.message}"
    sets = [name for name, _ in config.sets]
    return None if rule in sets else unknown_rule(rule, sets)


def override(options: RunOptions, *, include_dependencies: bool = False) -> Callable[[Config], Config]:
    """Return what replaces the settings of a configuration by the options given; an unknown rule is a usage error."""
    named = (("--select", options.selected), ("--extend-select", options.extended), ("--ignore", options.ignored))
    for name, rules in named:
        for rule in rules:
            problem = _unknown_rule(rule, options.config)
            if problem is not None:
                raise click.UsageError(f"{name}: {problem}")
    return lambda config: config.merged(
        select=options.selected,
        extended=options.extended,
        ignore=options.ignored,
        fail_on=options.fail_on,
        min_severity=options.min_severity,
        include_dependencies=include_dependencies or None,
        accept_rejections=options.accept_rejections,
        field_validation=options.field_validation,
    )


def helm(command: Command) -> Command:
    """Add the options of charts."""
    for decorate in (
        click.option("--include-dependencies", is_flag=True, help="Also check the packed dependencies of charts."),
        click.option("--no-helm", is_flag=True, help="Do not run Helm; check templates with their directives masked."),
        click.option(
            "--no-kustomize", is_flag=True, help="Do not build kustomizations; check their resources as they are."
        ),
        click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Set a Helm value (repeatable)."),
        click.option(
            "--values",
            "value_files",
            multiple=True,
            metavar="FILE",
            shell_complete=complete_paths,
            help="Use a Helm values file (repeatable).",
        ),
    ):
        command = decorate(command)
    return command


def values(files: tuple[str, ...], sets: tuple[str, ...]) -> Values | None:
    """Return the values for Helm, None without any; a missing file is a usage error."""
    if not (files or sets):
        return None
    from crdlint.sources.helm.render import Values

    for file in files:
        if not os.path.isfile(file):  # noqa: PTH113
            raise click.UsageError(f"--values: {file}: no such file")
    return Values(files, sets)


text_or_json = click.option(
    "--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True
)
color = click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
