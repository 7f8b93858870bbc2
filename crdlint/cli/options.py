"""The options that commands share: groups of fields (`fields.py`), and what their values mean."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from crdlint.cli import console
from crdlint.cli.fields import (
    Declared,
    Options,
    argument,
    choice,
    configured_kube_version,
    file_option,
    flag,
    globs,
    many,
    option,
    outputs_of,
)
from crdlint.cli.help import Command, Group, OneOf, complete_rules
from crdlint.files.read import STDIN
from crdlint.kubernetes.senders import SENDERS
from crdlint.kubernetes.servers import Range
from crdlint.phrases import agreeing, joined
from crdlint.report import formats
from crdlint.report.formats import AUTO
from crdlint.report.page import PLAIN, Page
from crdlint.report.pieces import SpoolError
from crdlint.sources.helm.layout import HelmValues

if TYPE_CHECKING:
    from crdlint.config.model import Config, FailOn, FieldValidation
    from crdlint.diagnostics import InputProblem, Severity
    from crdlint.kubecel.second_opinion import Tally
    from crdlint.runner.fix_files import Fixing


def in_working_directory(
    _ctx: click.Context, _param: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """Return paths, by default the working directory; end the run if that has been deleted."""
    try:
        os.getcwd()  # noqa: PTH109  only whether it can be
    except OSError as error:
        raise click.UsageError(f"the working directory cannot be read: {error.strerror}") from error
    return value or (os.curdir,)


class ReportOptions(Options):
    """What all commands with a report take."""

    color: Declared[str] = choice(
        ["auto", "always", "never"],
        default="auto",
        show_default=True,
        group=Group.OUTPUT,
        rare=True,
    )


class FileOptions(ReportOptions, group=Group.FILES):
    """The arguments and options that choose files."""

    paths: Declared[tuple[str, ...]] = argument(
        nargs=-1,
        metavar="[PATH]...",
        callback=in_working_directory,
    )
    include: Declared[tuple[str, ...]] = globs(
        "Below directories, only check files that match GLOB"
    )
    exclude: Declared[tuple[str, ...]] = globs("Do not check files that match GLOB")
    no_ignore: Declared[bool] = flag("Also check files that .gitignore excludes.", rare=True)


class ConfigFileOptions(ReportOptions, group=Group.RULES):
    """The options that choose a configuration, and the Kubernetes version, which it may set."""

    kube_version: Declared[Range | None] = configured_kube_version("to check for")
    config: Declared[str | None] = file_option(
        "Use this configuration file instead of the closest .crdlint.yaml."
    )
    isolated: Declared[bool] = flag("Ignore all configuration files.", rare=True)

    def read_config(self) -> Config | None:
        """Return the configuration that replaces those of folders; a broken one ends the run."""
        if self.config is not None:
            return self._read(self.config)
        if not self.isolated:
            return None
        from crdlint.config.model import Config

        return Config()

    def _read(self, file: str) -> Config:
        """Return the configuration in a file; a broken one ends the run."""
        from crdlint.config.load import read_config
        from crdlint.config.model import ConfigError

        if self.isolated:
            raise click.UsageError("--config cannot be used with --isolated")
        try:
            return read_config(file)
        except ConfigError as error:
            raise click.UsageError(f"--config: {error}") from error


def _split(_ctx: click.Context, _param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of which some may be lists with commas."""
    names = (name.strip() for text in value for name in text.split(","))
    return tuple(filter(None, names))


# Those who send objects as another sender does.
_MEANT_SENDERS: Final = {"fluxcd": "flux", "argocd": "argo-cd", "helm": "helm-3"}


def _senders(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    of_names = OneOf(list(SENDERS), _MEANT_SENDERS)
    return tuple(of_names.convert(name, param, ctx) for name in _split(ctx, param, value))


def _rules(help_: str, name: str, **settings: Any) -> Declared[tuple[str, ...]]:
    return many(
        "RULE,...",
        help_,
        name,
        shell_complete=complete_rules,
        callback=_split,
        **settings,
    )


class ConfigOptions(ConfigFileOptions, group=Group.RULES):
    """The options that replace settings of a configuration."""

    extended: Declared[tuple[str, ...]] = _rules(
        "Report these rules, or the rules of a set, besides the selected ones",
        "--extend-select",
        rare=True,
    )
    selected: Declared[tuple[str, ...]] = _rules(
        "Only report these rules, or the rules of a set", "--select"
    )
    ignored: Declared[tuple[str, ...]] = _rules("Do not report these rules", "--ignore")
    min_severity: Declared[Severity | None] = choice(
        ["error", "warning", "info"],
        "Only report findings of this or a higher severity [default: info, counted in text].",
    )
    fail_on: Declared[FailOn | None] = choice(
        ["error", "warning", "info", "never"],
        "Exit with status 1 if a finding of this or a higher severity is reported [default: error].",
    )
    field_validation: Declared[FieldValidation | None] = choice(
        ["strict", "warn", "ignore"],
        "What the API server does about unknown fields: reject the object, warn, or nothing [default: warn in charts, "
        "else strict].",
        group=Group.SERVERS,
        rare=True,
    )
    senders: Declared[tuple[str, ...]] = many(
        "NAME,...",
        "Who sends the objects: create, server-side-apply, kubectl, helm-3, helm-4 or another. By default, what only some of them "
        "reject is a warning",
        "--sender",
        callback=_senders,
        group=Group.SERVERS,
        rare=True,
    )

    def override(self, *, include_dependencies: bool = False) -> Callable[[Config], Config]:
        """Return what replaces the settings of a configuration by the options given; an unknown rule is a usage error."""
        named = (
            ("--select", self.selected),
            ("--extend-select", self.extended),
            ("--ignore", self.ignored),
        )
        for name, rules in named:
            for problem in filter(None, map(self._unknown_rule, rules)):
                raise click.UsageError(f"{name}: {problem}")
        names = ("fail_on", "min_severity", "field_validation", "senders")
        settings = {name: getattr(self, name) for name in names} | {
            "include_dependencies": include_dependencies
        }
        replaced: dict[str, Any] = {name: value for name, value in settings.items() if value}
        # Once for each configuration: many files have the same one.
        return cache(
            lambda config: config.selecting(*(rules for _, rules in named))._replace(**replaced)
        )

    def _unknown_rule(self, rule: str) -> str | None:
        """Return a message if a name is neither that of rules nor of a set of the configuration, by default the one found here."""
        from crdlint.config.load import nearest_config
        from crdlint.config.model import ConfigError
        from crdlint.config.rule_patterns import unknown_rule

        problem = unknown_rule(rule)
        if problem is None:
            return None
        try:
            config = self.read_config() or nearest_config(STDIN, {})
        except ConfigError as error:
            fault = error.faults[0]
            return f"{problem}, and {fault.file}:{fault.line}:{fault.column} has an error: {fault.message}"
        return unknown_rule(rule, [name for name, _ in config.sets])


_FORMATS: Final = [AUTO, *formats.names("findings")]


class FindingOptions(FileOptions, ConfigOptions, group=Group.OUTPUT):
    """What the commands with findings take."""

    format_: Declared[str] = choice(
        _FORMATS,
        f"One of {', '.join(_FORMATS)}. auto is github in GitHub Actions, azure in Azure Pipelines, else text.",
        default=AUTO,
        show_default=True,
        metavar="FORMAT",
    )
    outputs: Declared[tuple[str, ...]] = outputs_of("findings")
    show_all: Declared[bool] = flag(
        "Show each finding and note, however many are alike, also in copies of a CRD.", rare=True
    )
    quiet: Declared[bool] = flag("Only print findings: no summary, no notices.", "-q", "--quiet")


class WatchOptions(ReportOptions, group=Group.FILES):
    """What the commands take that can run again whenever a file changes."""

    watch: Declared[bool] = flag(
        "Run again whenever a file in PATH changes, until Ctrl-C.", rare=True
    )

    def watched(self) -> list[str]:
        """Return the files and folders that a run reads; standard input cannot be watched."""
        paths = _named(self.arguments, _READ)
        require((STDIN in paths, "--watch cannot be used with standard input (-)"))
        return [*paths, *self.searched()]

    def searched(self) -> list[str]:
        """Return the files and folders that a run reads and that no argument names."""
        return []

    def written(self) -> list[str]:
        """Return the files that a run writes."""
        return [file for _, file in _written(self.arguments)]


class FixOptions(FindingOptions, WatchOptions, group=Group.FIXES):
    """What the commands with findings take that can fix them."""

    fix: Declared[bool] = flag("Apply safe fixes to the files.")
    unsafe_fixes: Declared[bool] = flag(
        "With --fix or --diff, also apply fixes that may change the meaning."
    )
    diff: Declared[bool] = flag(
        "Print the changes of --fix as a unified diff, and do not write files."
    )
    show: Declared[str | None] = choice(
        ["fixes"], "With --fix or --diff, list the fixes.", rare=True
    )

    @property
    def fixes(self) -> bool:
        """Whether fixes are applied or printed."""
        return self.fix or self.diff

    def require_files(self) -> None:
        """End the run if the options do not fit to each other, or to the paths."""
        reads_stdin = STDIN in self.paths
        require(
            (self.fix and reads_stdin, "--fix cannot change standard input (-): name a file"),
            (self.diff and reads_stdin, "--diff cannot change standard input (-): name a file"),
            (self.fix and self.diff, "--diff cannot be used with --fix"),
            (self.unsafe_fixes and not self.fixes, "--unsafe-fixes requires --fix or --diff"),
            (self.show == "fixes" and not self.fixes, "--show fixes requires --fix or --diff"),
            (self.watch and self.fix, "--watch cannot be used with --fix, which changes the files"),
        )

    def fixing(self) -> Fixing | None:
        """Return what takes the fixes of the run, None without any."""
        if not self.fixes:
            return None
        from crdlint.runner.fix_files import Fixing

        return Fixing(diff=self.diff)

    def report(self, fixing: Fixing, problems: Iterable[InputProblem]) -> None:
        """Write what was fixed, and what was not; with a diff, that is the whole report."""
        for problem in problems if fixing.diff else ():
            console.err(f"crdlint: {problem.position}: {problem.reason}")
        shown = page(self.color, 120)
        for diff in fixing.diffs:
            console.out("\n".join(_colored(line, shown) for line in diff.split("\n")), nl=False)
        for line in fixing.problems():
            console.err(f"crdlint: {line}")
        if not self.quiet:
            console.err(fixing.summary())
        for line in fixing.shown() if self.show == "fixes" else ():
            console.err(line)


_OF_DIFFS: Final = {"---": "title", "+++": "title", "@@ ": "gutter"}
_OF_LINES: Final = {"-": "error", "+": "good"}


def _colored(line: str, shown: Page) -> str:
    """Return a line of a diff, on a page with colors in that of its kind."""
    style = _OF_DIFFS.get(line[:3]) or _OF_LINES.get(line[:1], "")
    return shown.styled(line, style) if style else line


class ChartOptions(ReportOptions, group=Group.SERVERS):
    """The options of what Helm renders charts with."""

    value_files: Declared[tuple[str, ...]] = file_option(
        "Use a Helm values file (repeatable).", "--values", multiple=True
    )
    sets: Declared[tuple[str, ...]] = many("KEY=VALUE", "Set a Helm value", "--set", rare=True)
    set_strings: Declared[tuple[str, ...]] = many(
        "KEY=TEXT",
        "Set a Helm value to a text",
        "--set-string",
        rare=True,
    )
    set_files: Declared[tuple[str, ...]] = file_option(
        "Set a Helm value to the content of FILE (repeatable).",
        "--set-file",
        metavar="KEY=FILE",
        multiple=True,
        rare=True,
    )
    set_jsons: Declared[tuple[str, ...]] = many(
        "KEY=JSON",
        "Set a Helm value to JSON",
        "--set-json",
        rare=True,
    )
    api_versions: Declared[tuple[str, ...]] = many(
        "NAME",
        "The API version or GROUP/VERSION/KIND that templates of charts find in the cluster",
        rare=True,
    )
    namespace: Declared[str] = option(
        "The namespace that templates of charts see.",
        default="",
        metavar="NAME",
        rare=True,
    )
    release_name: Declared[str] = option(
        "The name of the release that templates of charts see.",
        default="",
        metavar="NAME",
        rare=True,
    )
    no_helm: Declared[bool] = flag(
        "Do not run Helm; check templates with their directives masked.", rare=True
    )

    def values_without_helm(self) -> list[str]:
        """Return the options that are given and have little effect without Helm."""
        values = {
            "--values": self.value_files,
            "--set": self.sets,
            "--set-string": self.set_strings,
            "--set-file": self.set_files,
            "--set-json": self.set_jsons,
            "--api-versions": self.api_versions,
            "--namespace": self.namespace,
            "--release-name": self.release_name,
        }
        return [name for name, value in values.items() if value]

    def values(self) -> HelmValues | None:
        """Return the values for Helm, None not to run it; wrong ones are a usage error."""
        for name in self.value_files:
            if not os.path.isfile(name):  # noqa: PTH113
                raise click.UsageError(f"--values: {name}: no such file")
        unused = self.values_without_helm()
        if self.no_helm:
            if unused:
                raise click.UsageError(f"{joined(unused)} cannot be used with --no-helm")
            return None
        if unused and _is_without_helm():
            verb = agreeing(len(unused), "has", "have")
            console.err(
                f"crdlint: note: helm is not on the PATH: {joined(unused)} {verb} no effect on what "
                "only Helm renders"
            )
        assigned = {
            "--set-string": self.set_strings,
            "--set-json": self.set_jsons,
            "--set-file": map(_with_absolute_path, self.set_files),
        }
        others = (f"{name}={text}" for name, texts in assigned.items() for text in texts)
        return HelmValues(
            self.value_files,
            self.sets,
            tuple(others),
            self.api_versions,
            self.namespace,
            self.release_name,
        )


def _with_absolute_path(assignment: str) -> str:
    """Return an assignment of a file, which must exist, as Helm reads it in another folder."""
    key, _, path = assignment.partition("=")
    if not os.path.isfile(path):  # noqa: PTH113
        raise click.UsageError(f"--set-file: {path}: no such file")
    return f"{key}={os.path.abspath(path)}"  # noqa: PTH100


class HelmOptions(ChartOptions, group=Group.SERVERS):
    """The options of charts and kustomizations."""

    no_kustomize: Declared[bool] = flag(
        "Do not build kustomizations; check their resources as they are.", rare=True
    )
    include_dependencies: Declared[bool] = flag(
        "Also check the packed dependencies of charts.", rare=True
    )


def require(*rules: tuple[object, str]) -> None:
    """End the run with the message of the first violated rule; each pair is whether it is violated, and its message."""
    for is_broken, message in rules:
        if is_broken:
            raise click.UsageError(message)


_INPUTS: Final = ("paths", "crds", "old", "new", "value_files")
_READ: Final = (*_INPUTS, "config", "baseline_file")


def _named(arguments: dict[str, Any], parameters: Iterable[str]) -> list[str]:
    """Return the files and folders that some options name, each one or several."""
    paths: list[str] = []
    for parameter in parameters:
        value = arguments.get(parameter) or ()
        paths += [value] if isinstance(value, str) else value
    return paths


def _require_other_files(arguments: dict[str, Any]) -> None:
    """End the run if a report would be written over a file that the run reads."""
    written = list(_written(arguments))
    if not written:
        return
    from pathlib import Path

    files = list(filter(_is_file, _named(arguments, _READ)))
    for name, file in written:
        is_input = _is_file(file) and any(map(Path(file).samefile, files))
        require((is_input, f"{name} would write over {file}, which is an input"))


def _written(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the files that a run writes, each after the option that names it."""
    for output in arguments.get("outputs") or ():
        yield "--output", output.partition("=")[2]


def _is_file(path: str) -> bool:
    """Return whether a path is that of a file; for a name that no file can have, `Path` would raise."""
    return path != STDIN and os.path.isfile(path)  # noqa: PTH113


AnyOptions = TypeVar("AnyOptions", bound=ReportOptions)


def command(
    name: str, declared: type[AnyOptions]
) -> Callable[[Callable[[AnyOptions], int]], click.Command]:
    """Return what makes a command of a function that takes its options and returns the exit status."""

    def decorate(run: Callable[[AnyOptions], int]) -> click.Command:
        def call(**arguments: Any) -> None:
            settings = declared(**arguments)
            _require_other_files(settings.arguments)
            try:
                if isinstance(settings, WatchOptions) and settings.watch:
                    from crdlint.cli.watch import keep_running

                    keep_running(lambda: run(settings), settings.watched(), settings.written())
                click.get_current_context().exit(run(settings))
            except SpoolError as error:
                raise click.ClickException(str(error)) from error

        return Command(
            name,
            callback=call,
            params=declared.parameters(),
            help=run.__doc__,
        )

    return decorate


def shown_versions(versions: Range | None) -> str:
    """Return the versions that a user asks for, empty if none."""
    return "" if versions is None else str(versions)


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
    if choice != "auto" or os.environ.get("NO_COLOR"):
        return choice == "always"
    return bool(os.environ.get("FORCE_COLOR")) or (
        sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    )


def new_tally() -> Tally:
    """Return a tally of second opinions; end the run if cel-python cannot be imported."""
    try:
        import celpy  # noqa: F401  whether it can be
    except ImportError as error:
        raise click.UsageError(
            f"--second-opinion: cel-python cannot be imported: {error}"
        ) from error
    from crdlint.kubecel.second_opinion import Tally

    return Tally()


def _is_without_helm() -> bool:
    """Return whether Helm is not on the PATH; only some runs ask."""
    from crdlint.safety.programs import find

    return find("helm") is None
