"""What declares the arguments and options of a command: fields of a class, which yield their values on its instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar, overload

import click

from crdlint.cli.help import Group, OneOf, Option, complete_outputs, complete_paths
from crdlint.kubernetes.servers import NEWEST, NEWEST_VERSION, OLDEST, Range, parse_range
from crdlint.kubernetes.servers import SERVERS as VERSIONS
from crdlint.report import formats

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Value = TypeVar("Value")
Callback: TypeAlias = "Callable[[click.Context, click.Parameter, Any], Any]"


class Declared(Generic[Value]):
    """A parameter of a command. Of the class it is the declaration, of an instance the value that a call gave."""

    def __init__(
        self, kind: type[click.Option | click.Argument], names: Sequence[str], **settings: Any
    ) -> None:
        self.is_option: Final = kind is Option
        self.settings: Final = settings
        self._kind = kind
        self._names = tuple(names)
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Declared[Value]: ...

    @overload
    def __get__(self, instance: Options, owner: type) -> Value: ...

    def __get__(self, instance: Options | None, owner: type) -> Declared[Value] | Value:
        if instance is None:
            return self
        value: Value = instance.arguments[self._name]
        return value

    def parameter(self) -> click.Parameter:
        """Return the parameter; an option without names has that of the field."""
        own = (f"--{self._name.rstrip('_').replace('_', '-')}",) if self.is_option else ()
        return self._kind([*(self._names or own), self._name], **self.settings)


class Options:
    """The base of the options of a command: the values of a call by the names of fields."""

    def __init__(self, **values: Any) -> None:
        self.arguments: Final = values

    def __init_subclass__(cls, group: Group = Group.OPTIONS) -> None:
        """Put the options that a class declares into a group of help."""
        for field in vars(cls).values():
            if isinstance(field, Declared) and field.is_option:
                field.settings.setdefault("group", group)

    @classmethod
    def parameters(cls) -> list[click.Parameter]:
        """Return the parameters that a class and its bases declare, those of all commands last."""
        *bases, of_all, _, _ = cls.__mro__
        fields: dict[str, Any] = {}
        for base in (*reversed(bases), of_all):
            fields |= vars(base)
        return [field.parameter() for field in fields.values() if isinstance(field, Declared)]


def option(help_: str | None, *names: str, **settings: Any) -> Declared[Any]:
    """Declare an option, by default with the name of its field, in the group of its class unless it has a `group`."""
    return Declared(Option, names, help=help_, **settings)


def flag(help_: str, *names: str, **settings: Any) -> Declared[bool]:
    """Declare a field that is true if an option is given."""
    return option(help_, *names, is_flag=True, **settings)


def many(
    metavar: str,
    help_: str,
    *names: str,
    **settings: Any,
) -> Declared[tuple[str, ...]]:
    """Declare an option that can be repeated."""
    return option(
        f"{help_} (repeatable).",
        *names,
        multiple=True,
        metavar=metavar,
        **settings,
    )


def file_option(
    help_: str,
    *names: str,
    metavar: str = "FILE",
    **settings: Any,
) -> Declared[Any]:
    """Declare an option for a path, to which shells complete, and which is no empty text."""
    return option(
        help_,
        *names,
        type=PathName(),
        metavar=metavar,
        shell_complete=complete_paths,
        **settings,
    )


def choice(choices: list[str], help_: str | None = None, **settings: Any) -> Declared[Any]:
    """Declare an option for one of some values."""
    return option(help_, type=OneOf(choices), **settings)


def argument(**settings: Any) -> Declared[Any]:
    """Declare an argument, by default of paths, to which shells complete."""
    return Declared(click.Argument, (), **{"shell_complete": complete_paths, **settings})


class PathName(click.ParamType):  # type: ignore[type-arg]  # generic from click 8.4 on
    """The name of a file or folder, or of something with files, such as a git revision."""

    name = "path"

    def convert(
        self,
        value: str,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> str:
        """Return the name; a variable of a script that is not set leaves an empty one, which would leave files out."""
        if not value:
            self.fail("an empty text names no file or folder", param, ctx)
        return value


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

    def convert(
        self,
        value: str | Range,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> Range:
        """Return the range of versions that a text names."""
        if isinstance(value, Range):
            return value
        try:
            return parse_range(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


_VERSIONS: Final = (
    f"{OLDEST} to {NEWEST}, a first patch release such as 1.34.0, a range such as "
    f"1.29..{NEWEST}, or a constraint such as '>=1.29'."
)


def kube_version(purpose: str) -> Declared[Range]:
    """Declare the option for the Kubernetes version of a command without configuration."""
    return option(
        f"The Kubernetes version {purpose}: {_VERSIONS}",
        type=KubeVersion(),
        default=NEWEST_VERSION,
        show_default=True,
        group=Group.SERVERS,
    )


def configured_kube_version(
    purpose: str, default: str = f"else {NEWEST}"
) -> Declared[Range | None]:
    """Declare the option for a Kubernetes version that a configuration may set; `default` describes how it is found otherwise."""
    return option(
        f"The Kubernetes version {purpose}: {_VERSIONS} Default: from the configuration, {default}.",
        type=KubeVersion(),
        group=Group.SERVERS,
    )


def format_of(kind: str, help_: str) -> Declared[str]:
    """Declare the option for the format of a report other than of findings."""
    return choice(
        formats.names(kind),
        help_,
        default=formats.TEXT,
        show_default=True,
        group=Group.OUTPUT,
    )


def outputs_of(kind: str, what: str = "") -> Declared[tuple[str, ...]]:
    """Declare the option for reports to write to files, too."""
    help_ = f"Write the {what or kind} also to FILE, in FORMAT"
    return many(
        "FORMAT=FILE",
        help_,
        "--output",
        shell_complete=complete_outputs(kind),
        group=Group.OUTPUT,
    )


def _valid_globs(
    _ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    from crdlint.files.patterns import is_pattern

    for glob in value:
        if not is_pattern(glob):
            raise click.BadParameter(f"{glob!r} is not a valid file pattern", param=param)
    return value


def globs(help_: str) -> Declared[tuple[str, ...]]:
    """Declare an option for file patterns; one that is not valid is a usage error."""
    return many(
        "GLOB",
        help_,
        callback=_valid_globs,
        group=Group.FILES,
    )


def no_cache() -> Declared[bool]:
    """Declare the option to use no results of earlier runs."""
    return flag("Do not read or write the cache of results.", group=Group.PERFORMANCE, rare=True)


def second_opinion() -> Declared[bool]:
    """Declare the option to have cel-python evaluate rules as well."""
    return flag(
        "Also evaluate every rule with cel-python, and report differences.",
        group=Group.COMPARISON,
        rare=True,
    )
