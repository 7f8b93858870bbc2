"""The configuration of a file: the closest one upwards from it, read once for each folder."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from crdlint.config.model import Config, ConfigError, ConfigProblem

if TYPE_CHECKING:
    from crdlint.config.model import Source

# What each folder's files are configured by, so far.
Cache: TypeAlias = "dict[str, Config | ConfigError]"

NAMES: Final = (".crdlint.yaml", ".crdlint.yml", "pyproject.toml")
MAX_BYTES: Final = 256 * 1024
_DEFAULTS: Final = Config()


def nearest(path: str, cache: Cache) -> Config:
    """Return the configuration of a file (``-``: of the working directory), the defaults where there is none.

    ``cache`` remembers what was found, a folder each. Raises ConfigError where the closest one is broken: the same
    error for every file that it is for, so that it can be told once.
    """
    folder = str(Path.cwd()) if path in {"-", "<stdin>"} else _folder_of(path)
    passed: list[str] = []
    while True:
        found = cache.get(folder)
        if found is None:
            found = _of_folder(folder)
        passed.append(folder)
        above = str(Path(folder).parent)
        if found is None and above == folder:
            found = _DEFAULTS
        if found is not None:
            break
        folder = above
    cache.update(dict.fromkeys(passed, found))
    if isinstance(found, ConfigError):
        raise found
    return found


def read_config(path: str) -> Config:
    """Read one configuration file, whatever its name; a .toml has it in [tool.crdlint]. Raises ConfigError."""
    found = _read(path, asked_for=True)
    return found if found is not None else _DEFAULTS


def _of_folder(folder: str) -> Config | ConfigError | None:
    """Return what a folder's own configuration says, what is wrong with it, or None where it has none."""
    found: Config | None = None
    unread: list[str] = []
    for name in NAMES:
        path = str(Path(folder, name))
        if not _is_there(path):
            continue
        try:
            if found is None:
                found = _read(path)
            elif name != "pyproject.toml" or _has_table(path):
                unread.append(name)
        except ConfigError as error:
            if found is None:
                return error
    if found is None or not unread:
        return found
    notice = f"{found.file} is used; {' and '.join(unread)} beside it {'is' if len(unread) == 1 else 'are'} not"
    return replace(found, notices=(notice,))


def _is_there(path: str) -> bool:
    try:
        os.lstat(path)
    except (OSError, ValueError):
        return False
    return True


def _has_table(path: str) -> bool:
    """Tell whether a pyproject.toml has a [tool.crdlint], as far as it can be read. Raises ConfigError."""
    return _source(path, shown_path(path)) is not None


def _read(path: str, *, asked_for: bool = False) -> Config | None:
    from crdlint.config.validate import config_of

    file = shown_path(path)
    source = _source(path, file)
    if source is None:
        if asked_for:
            raise ConfigError((ConfigProblem("there is no [tool.crdlint] in it", file),))
        return None
    return config_of(source, file, _folder_of(path))


def _source(path: str, file: str) -> Source | None:
    """Return the values of a file, None for a pyproject.toml that has nothing of ours. Raises ConfigError."""
    from crdlint.config.model import BrokenError
    from crdlint.inputs.read import UnreadableError, decode, read_bytes

    is_toml = path.endswith(".toml")
    try:
        if is_toml:
            from crdlint.config.toml_file import mentions_crdlint, read_toml

            # A pyproject.toml for other tools may have any size.
            return read_toml(decode(read_bytes(path, MAX_BYTES))) if mentions_crdlint(read_bytes(path)) else None
        from crdlint.config.yaml_file import read_yaml

        return read_yaml(decode(read_bytes(path, MAX_BYTES)))
    except BrokenError as error:
        what = "TOML" if is_toml else "YAML"
        raise ConfigError((ConfigProblem(f"not valid {what}: {error.message}", file, *error.place),)) from error
    except UnreadableError as error:
        raise ConfigError((ConfigProblem(f"cannot be read: {error}", file),)) from error


def shown_path(path: str) -> str:
    """Return how a configuration is named to people: from the working directory where it lies below that."""
    relative = os.path.relpath(path)
    return str(Path(_folder_of(path), Path(path).name)) if relative.startswith(os.pardir) else relative


def _folder_of(path: str) -> str:
    """Return the absolute folder of a path; links stay as the user spelt them."""
    return str(Path(os.path.abspath(path)).parent)  # noqa: PTH100  resolve() would follow links
