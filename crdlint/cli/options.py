"""The options of commands: each is a field of a class, which declares its name, its type and its help."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import click

from crdlint.cli import console
from crdlint.cli.help import (
    Command,
    Group,
    Option,
    complete_outputs,
    complete_paths,
    complete_rules,
)
from crdlint.files.read import STDIN
from crdlint.kubernetes.senders import SENDERS
from crdlint.kubernetes.servers import NEWEST, NEWEST_VERSION, OLDEST, parse_range
from crdlint.kubernetes.servers import SERVERS as VERSIONS
from crdlint.report import formats
from crdlint.report.formats import AUTO
from crdlint.report.page import PLAIN, Page
from crdlint.report.pieces import SpoolError
from crdlint.sources.helm.layout import HelmValues

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from crdlint.config.model import Config, FailOn, FieldValidation
    from crdlint.diagnostics import Severity
    from crdlint.kubecel.second_opinion import Tally
    from crdlint.runner.fix_files import Fixing


class Declared(NamedTuple):
    """A parameter of a command, but for its name, which is that of its field."""

    kind: type[click.Option | click.Argument]
    names: tuple[str, ...]
    settings: dict[str, Any]

    def parameter(self, name: str) -> click.Parameter:
        """Return the parameter of a field; an option without names has that of the field."""
        names = self.names or (f"--{name.rstrip('_').replace('_', '-')}",) * (self.kind is Option)
        return self.kind([*names, name], **self.settings)


def option(help_: str | None, *names: str, **settings: Any) -> Any:
    """Declare a field that an option sets, by default that of its name, in the group of its class unless it has a `group`."""
    return Declared(Option, names, {"help": help_, **settings})


def flag(help_: str, *names: str, **settings: Any) -> Any:
    """Declare a field that is true if an option is given."""
    return option(help_, *names, is_flag=True, **settings)


def many(metavar: str, help_: str, *names: str, **settings: Any) -> Any:
    """Declare a field for the values of an option that can be repeated."""
    return option(f"{help_} (repeatable).", *names, multiple=True, metavar=metavar, **settings)


def file_option(help_: str, *names: str, metavar: str = "FILE", **settings: Any) -> Any:
    """Declare a field for a path, to which shells complete."""
    return option(help_, *names, metavar=metavar, shell_complete=complete_paths, **settings)


def choice(choices: list[str], help_: str | None = None, **settings: Any) -> Any:
    """Declare a field for one of some values."""
    return option(help_, type=click.Choice(choices), **settings)


def argument(**settings: Any) -> Any:
    """Declare a field that an argument sets, by default paths, to which shells complete."""
    return Declared(click.Argument, (), {"shell_complete": complete_paths, **settings})


class KubeVersion(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on
    """A minor version of Kubernetes that crdlint knows, a range of them, or a constraint."""

    name = "version"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete to the known versions, newest first, and to the end of a range."""
        from click.shell_completion import CompletionItem

        del ctx, param
        first, dots, _ = incomplete.rpartition("..")
        versions = (f"{first}{dots}{server}" for server in reversed(VERSIONS))
        return [CompletionItem(version) for version in versions if version.startswith(incomplete)]

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Take the value as it is where it is one."""
        try:
            parse_range(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return value


def kube_version(purpose: str, default: str | None = None) -> Any:
    """Declare a field for the Kubernetes version; ``default`` describes how it is found if it is not given."""
    help_ = (
        f"The Kubernetes version {purpose}: {OLDEST} to {NEWEST}, a range such as 1.29..{NEWEST}, or a "
        "constraint such as '>=1.29'."
    )
    if default is None:
        return option(
            help_,
            type=KubeVersion(),
            default=NEWEST_VERSION,
            show_default=True,
            group=Group.SERVERS,
        )
    return option(
        f"{help_} Default: from the configuration, {default}.",
        type=KubeVersion(),
        group=Group.SERVERS,
    )


def format_of(kind: str, help_: str) -> Any:
    """Declare a field for the format of a report other than of findings."""
    return choice(
        formats.names(kind), help_, default=formats.TEXT, show_default=True, group=Group.OUTPUT
    )


def outputs_of(kind: str, what: str = "") -> Any:
    """Declare a field for the reports to write to files, too."""
    help_ = f"Write the {what or kind} also to FILE, in FORMAT"
    return many(
        "FORMAT=FILE", help_, "--output", shell_complete=complete_outputs(kind), group=Group.OUTPUT
    )


def in_working_directory(
    _ctx: click.Context, _param: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """Return paths, by default the working directory; end the run if that has been deleted."""
    try:
        os.getcwd()  # noqa: PTH109  only whether it can be
    except OSError as error:
        raise click.UsageError(f"the working directory cannot be read: {error.strerror}") from error
    return value or (os.curdir,)


def _valid_globs(
    _ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    from crdlint.files.patterns import is_pattern

    for glob in value:
        if not is_pattern(glob):
            raise click.BadParameter(f"{glob!r} is not a valid file pattern", param=param)
    return value


def globs(help_: str) -> Any:
    """Declare a field for file patterns; one that is not valid is a usage error."""
    return many("GLOB", help_, callback=_valid_globs, group=Group.FILES)


class ReportOptions:
    """What all commands with a report take: the values of a call in the place of the declarations of fields."""

    color: str = choice(
        ["auto", "always", "never"],
        default="auto",
        show_default=True,
        group=Group.OUTPUT,
        rare=True,
    )

    def __init_subclass__(cls, group: Group = Group.OPTIONS) -> None:
        """Put the options that a class declares into a group of help."""
        for field in vars(cls).values():
            if isinstance(field, Declared) and field.kind is Option:
                field.settings.setdefault("group", group)

    def __init__(self, **values: Any) -> None:
        self.__dict__ |= values

    @classmethod
    def parameters(cls) -> list[click.Parameter]:
        """Return the parameters that the fields of a class and its bases declare, the ones of all commands last."""
        *bases, of_all, _ = cls.__mro__
        fields = {
            name: field for base in (*reversed(bases), of_all) for name, field in vars(base).items()
        }
        return [
            field.parameter(name) for name, field in fields.items() if isinstance(field, Declared)
        ]


class FileOptions(ReportOptions, group=Group.FILES):
    """The arguments and options that choose files."""

    paths: tuple[str, ...] = argument(nargs=-1, metavar="[PATH]...", callback=in_working_directory)
    include: tuple[str, ...] = globs("Below directories, only check files that match GLOB")
    exclude: tuple[str, ...] = globs("Do not check files that match GLOB")
    no_ignore: bool = flag("Also check files that .gitignore excludes.", rare=True)


def _rules(help_: str, name: str, **settings: Any) -> Any:
    return many("RULE", help_, name, shell_complete=complete_rules, **settings)


class ConfigOptions(ReportOptions, group=Group.RULES):
    """The options of configuration."""

    kube_version: str | None = kube_version("to check for", f"else {NEWEST}")
    config: str | None = file_option(
        "Use this configuration file instead of the closest .crdlint.yaml."
    )
    isolated: bool = flag("Ignore all configuration files.", rare=True)
    extended: tuple[str, ...] = _rules(
        "Report these rules, or the rules of a set, besides the selected ones",
        "--extend-select",
        rare=True,
    )
    selected: tuple[str, ...] = _rules("Only report these rules, or the rules of a set", "--select")
    ignored: tuple[str, ...] = _rules("Do not report these rules", "--ignore")
    min_severity: Severity | None = choice(
        ["error", "warning", "info"],
        "Only report findings of this or a higher severity [default: info, counted in text].",
    )
    fail_on: FailOn | None = choice(
        ["error", "warning", "info", "never"],
        "Exit with status 1 if there is a finding of this or a higher severity [default: error].",
    )
    field_validation: FieldValidation | None = choice(
        ["strict", "warn", "ignore"],
        "What the API server does about unknown fields: reject the object, warn, or nothing [default: warn in charts, "
        "else strict].",
        group=Group.SERVERS,
        rare=True,
    )
    senders: tuple[str, ...] = many(
        "NAME",
        "Who sends the objects: create, kubectl, server-side-apply, helm-3 or helm-4. By default, what only some of them "
        "reject is a warning",
        "--sender",
        type=click.Choice(list(SENDERS)),
        group=Group.SERVERS,
        rare=True,
    )

    def read_config(self) -> Config | None:
        """Return the configuration that replaces those of folders; a broken one ends the run."""
        if self.isolated and self.config is not None:
            raise click.UsageError("--config cannot be used with --isolated")
        if not self.isolated and self.config is None:
            return None
        from crdlint.config.load import read_config
        from crdlint.config.model import Config, ConfigError

        try:
            return Config() if self.config is None else read_config(self.config)
        except ConfigError as error:
            raise click.UsageError(f"--config: {error}") from error

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
        return lambda config: config.selecting(*(rules for _, rules in named))._replace(**replaced)

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

    format_: str = choice(
        _FORMATS,
        f"One of {', '.join(_FORMATS)}. auto is github in GitHub Actions, azure in Azure Pipelines, else text.",
        default=AUTO, show_default=True, metavar="FORMAT",
    )  # fmt: skip
    outputs: tuple[str, ...] = outputs_of("findings")
    show_all: bool = flag(
        "Show each finding and note, however many are alike, also in copies of a CRD.", rare=True
    )
    quiet: bool = flag("Only print findings: no summary, no notices.", "-q", "--quiet")
    required: bool | None  # whether there must be anything to check
    allow_empty: bool = flag("Deprecated: the same as --no-require-...", hidden=True)


class FixOptions(ReportOptions, group=Group.FIXES):
    """The options of fixes."""

    paths: tuple[str, ...]
    quiet: bool
    fix: bool = flag("Apply safe fixes to the files.")
    unsafe_fixes: bool = flag("With --fix or --diff, also apply fixes that may change the meaning.")
    diff: bool = flag("Print the changes of --fix as a unified diff, and do not write files.")
    show_fixes: bool = flag("With --fix or --diff, list the fixes.", rare=True)

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
            (self.show_fixes and not self.fixes, "--show-fixes requires --fix or --diff"),
        )

    def fixing(self) -> Fixing | None:
        """Return what takes the fixes of the run, None without any."""
        from crdlint.runner.fix_files import Fixing

        return Fixing(diff=self.diff) if self.fixes else None

    def report(self, fixing: Fixing, problems: Iterable[tuple[str, str]]) -> None:
        """Write what was fixed, and what was not; with a diff, that is the whole report."""
        for name, reason in problems if fixing.diff else ():
            console.err(f"crdlint: {name}: {reason}")
        for diff in fixing.diffs:
            console.out(diff, nl=False)
        for line in fixing.problems():
            console.err(f"crdlint: {line}")
        if not self.quiet:
            console.err(fixing.summary())
        for line in fixing.shown() if self.show_fixes else ():
            console.err(line)


class ChartOptions(ReportOptions, group=Group.SERVERS):
    """The options of what Helm renders charts with."""

    value_files: tuple[str, ...] = file_option(
        "Use a Helm values file (repeatable).", "--values", multiple=True
    )
    sets: tuple[str, ...] = many("KEY=VALUE", "Set a Helm value", "--set", rare=True)
    set_strings: tuple[str, ...] = many(
        "KEY=TEXT", "Set a Helm value to a text", "--set-string", rare=True
    )
    set_files: tuple[str, ...] = file_option(
        "Set a Helm value to the content of FILE (repeatable).",
        "--set-file",
        metavar="KEY=FILE",
        multiple=True,
        rare=True,
    )
    set_jsons: tuple[str, ...] = many(
        "KEY=JSON", "Set a Helm value to JSON", "--set-json", rare=True
    )
    api_versions: tuple[str, ...] = many(
        "NAME",
        "The API version or GROUP/VERSION/KIND that templates of charts find in the cluster",
        rare=True,
    )
    namespace: str = option(
        "The namespace that templates of charts see.", default="", metavar="NAME", rare=True
    )
    release_name: str = option(
        "The name of the release that templates of charts see.",
        default="",
        metavar="NAME",
        rare=True,
    )
    no_helm: bool = flag(
        "Do not run Helm; check templates with their directives masked.", rare=True
    )

    def values(self) -> HelmValues | None:
        """Return the values for Helm, None not to run it; a missing file is a usage error."""
        for name in self.value_files:
            if not os.path.isfile(name):  # noqa: PTH113
                raise click.UsageError(f"--values: {name}: no such file")
        others = [f"--set-string={text}" for text in self.set_strings]
        others += [f"--set-json={text}" for text in self.set_jsons]
        others += [f"--set-file={_with_absolute_path(text)}" for text in self.set_files]
        values = HelmValues(
            self.value_files,
            self.sets,
            tuple(others),
            self.api_versions,
            self.namespace,
            self.release_name,
        )
        return None if self.no_helm else values


def _with_absolute_path(assignment: str) -> str:
    """Return an assignment of a file, which must exist, as Helm reads it in another folder."""
    key, _, path = assignment.partition("=")
    if not os.path.isfile(path):  # noqa: PTH113
        raise click.UsageError(f"--set-file: {path}: no such file")
    return f"{key}={os.path.abspath(path)}"  # noqa: PTH100


class HelmOptions(ChartOptions, group=Group.SERVERS):
    """The options of charts and kustomizations."""

    no_kustomize: bool = flag(
        "Do not build kustomizations; check their resources as they are.", rare=True
    )
    include_dependencies: bool = flag("Also check the packed dependencies of charts.", rare=True)


def require(*rules: tuple[object, str]) -> None:
    """End the run with the message of the first violated rule; each pair is whether it is violated, and its message."""
    for is_broken, message in rules:
        if is_broken:
            raise click.UsageError(message)


AnyOptions = TypeVar("AnyOptions", bound=ReportOptions)


def command(
    name: str, declared: type[AnyOptions]
) -> Callable[[Callable[[AnyOptions], int]], click.Command]:
    """Return what makes a command of a function that takes its options and returns the exit status."""

    def decorate(run: Callable[[AnyOptions], int]) -> click.Command:
        def call(**arguments: Any) -> None:
            try:
                click.get_current_context().exit(run(declared(**arguments)))
            except SpoolError as error:
                raise click.ClickException(str(error)) from error

        return Command(name, callback=call, params=declared.parameters(), help=run.__doc__)

    return decorate


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


def second_opinion() -> Any:
    """Declare a field for having cel-python evaluate rules as well."""
    return flag(
        "Also evaluate every rule with cel-python, and report differences.",
        group=Group.COMPARISON,
        rare=True,
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
