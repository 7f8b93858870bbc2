"""Loading of configurations: the closest file in a parent directory, read once per directory."""

from __future__ import annotations

import os
from typing import Final, TypeAlias

from crdlint.config.model import BrokenError, Config, ConfigError, ConfigProblem, ConfigSource
from crdlint.files.read import UnreadableError, decode, read_bytes, with_parents
from crdlint.files.repository import LINK_OUT, is_below, leads_out, repository_top
from crdlint.gathering import object_of
from crdlint.phrases import agreeing

# The configuration of the files in each directory.
ReadConfigs: TypeAlias = "dict[str, Config | ConfigError]"

NAMES: Final = (".crdlint.yaml", ".crdlint.yml", "pyproject.toml")
MAX_BYTES: Final = 256 * 1024
_DEFAULTS: Final = Config()


def nearest_config(path: str, cache: ReadConfigs) -> Config:
    """Return the configuration of a file (`-`: of the working directory), or the defaults.

    `cache` contains the results by directory. Raise ConfigError if the closest configuration is invalid; it is the same
    error for every file to which it applies, so that it can be reported once.
    """
    folder = os.getcwd() if path in {"-", "<stdin>"} else _folder_of(path)
    passed: list[str] = []
    for parent in with_parents(folder):
        passed.append(parent)
        config = cache.get(parent) or of_folder(parent)
        if config is not None:
            break
    else:
        config = _DEFAULTS
    cache.update(dict.fromkeys(passed, config))
    if isinstance(config, ConfigError):
        raise config
    return config


def read_config(path: str) -> Config:
    """Read a configuration file of any name; a .toml file has it in [tool.crdlint]. Raise ConfigError if it is invalid."""
    config = _read(path)
    if config is None:
        raise ConfigError(ConfigProblem("there is no [tool.crdlint] in it", shown_path(path)))
    return config


def of_folder(folder: str) -> Config | ConfigError | None:
    """Return the configuration in a directory, the error in it, or None if there is none."""
    config: Config | None = None
    unread: list[str] = []
    paths = {os.path.join(folder, name): name for name in NAMES}
    for path in filter(os.path.lexists, paths):
        name = paths[path]
        try:
            if leads_out(path):
                _reject_link(path)
            elif config is None:
                config = _read(path)
            elif _has_settings(path, name):
                unread.append(name)
        except ConfigError as error:
            if config is None:
                return error
    if config is not None and unread:
        return _with_notice(config, unread)
    return config


def _has_settings(path: str, name: str) -> bool:
    """Return whether a file configures crdlint: others share pyproject.toml."""
    return name != "pyproject.toml" or _source(path, shown_path(path)) is not None


def _with_notice(config: Config, unread: list[str]) -> Config:
    """Return a configuration with a notice about the files beside it that are not used."""
    verb = agreeing(len(unread), "is", "are")
    notice = f"{config.file} is used; {' and '.join(unread)} beside it {verb} not"
    return config._replace(notices=(notice,))


def _reject_link(path: str) -> None:
    """Raise ConfigError for a link to a file of others, unless that is the configuration of other tools only."""
    file = shown_path(path)
    try:
        is_other = path.endswith(".toml") and not _mentions_crdlint(path)
    except UnreadableError as error:
        raise ConfigError(ConfigProblem(f"cannot be read: {error}", file)) from error
    if not is_other:
        raise ConfigError(ConfigProblem(f"not read: {LINK_OUT}", file))


def _mentions_crdlint(path: str) -> bool:
    from crdlint.config.from_toml import mentions_crdlint

    # The size of a pyproject.toml for other tools is not limited.
    return mentions_crdlint(read_bytes(path))


def _read(path: str, extending: tuple[str, ...] = ()) -> Config | None:
    """Return a configuration with what it extends; `extending` are the real paths of the files that extend this one."""
    from crdlint.config.validate import config_of

    file = shown_path(path)
    source = _source(path, file)
    if source is None:
        return None
    base = None
    extended = object_of(source.values).get("extend")
    if isinstance(extended, str) and extended:
        from pathlib import Path  # few configurations extend others

        position = source.locate(["extend"], False)
        target = str(Path(_folder_of(path), extended))
        problem = _problem_of_extending(path, target, extending)
        if problem is not None:
            raise ConfigError(ConfigProblem(f"'extend': {problem}", file, *position))
        base = _read(target, (*extending, os.path.realpath(path)))
    return config_of(source, file, _folder_of(path), base)


def _problem_of_extending(path: str, target: str, extending: tuple[str, ...]) -> str | None:
    """Return why a configuration cannot extend another file, None if it can."""
    if "\0" in target:
        return "no file has a NUL in its name"
    real = os.path.realpath(target)
    if real in (*extending, os.path.realpath(path)):
        return "the file extends itself"
    if not is_below(real, repository_top(os.path.realpath(_folder_of(path)))):
        return f"{target} is not in the repository"
    if not os.path.isfile(real):
        return f"{target}: no such file"
    return None


def _source(path: str, file: str) -> ConfigSource | None:
    """Return the values of a file, or None for a pyproject.toml without crdlint's table; raise ConfigError."""
    is_toml = path.endswith(".toml")
    try:
        if is_toml:
            from crdlint.config.from_toml import read_toml

            return (
                read_toml(decode(read_bytes(path, MAX_BYTES))) if _mentions_crdlint(path) else None
            )
        from crdlint.config.from_yaml import read_yaml

        return read_yaml(decode(read_bytes(path, MAX_BYTES)))
    except BrokenError as error:
        what = "TOML" if is_toml else "YAML"
        raise ConfigError(
            ConfigProblem(f"not valid {what}: {error.message}", file, *error.position)
        ) from error
    except UnreadableError as error:
        raise ConfigError(ConfigProblem(f"cannot be read: {error}", file)) from error


def shown_path(path: str) -> str:
    """Return the path of a configuration for messages: relative if it is below the working directory."""
    relative = os.path.relpath(path)
    return os.path.abspath(path) if relative.startswith(os.pardir) else relative


def _folder_of(path: str) -> str:
    """Return the absolute directory of a path; links are not resolved."""
    return os.path.dirname(os.path.abspath(path))


def positions(path: str) -> dict[str, int]:
    """Return the keys of a valid configuration file with the line of each."""
    source = _source(path, shown_path(path))
    return (
        {}
        if source is None
        else {key: source.locate([key], True)[0] for key in source.values or {}}
    )
