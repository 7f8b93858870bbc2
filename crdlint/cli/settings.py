"""What `crdlint check --show settings` prints: each setting, and where it is set."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from crdlint.config.model import Config
from crdlint.kubernetes.servers import Range
from crdlint.phrases import agreeing, counted

if TYPE_CHECKING:
    from crdlint.runner.plan import Planner

# Fields of a configuration that no key of a file sets.
_NO_SETTINGS: Final = frozenset({"file", "folder", "notices", "in_chart", "ignores"})
_DEFAULTS: Final = Config()
_PAIRS: Final = frozenset({"severity", "per_file_ignores", "sets"})


def shown_settings(planner: Planner, replacement: Config | None, paths: Iterable[str]) -> list[str]:
    """Return the settings of the first file of a run, of its first path without one, and which files have others.

    `replacement` is the configuration that `--config` or `--isolated` sets for all files.
    """
    files = [task.path for task in planner.plan.tasks]
    first = next(iter(files or paths))
    config = replacement or planner.configurations.unmerged(first)
    lines = [f"# the settings of {first}"]
    if replacement is None:
        lines += _of_others(planner, config, files)
    return lines + list(
        _settings(config, planner.configurations.merged(config), planner.kube_version)
    )


def _of_others(planner: Planner, config: Config, files: Iterable[str]) -> Iterator[str]:
    """Yield a line for each configuration of a run other than that of the first file."""
    others = Counter(planner.configurations.unmerged(file).file for file in files)
    del others[config.file]
    for other, count in others.items():
        whose = "the defaults" if other is None else f"the settings in {other}"
        verb = agreeing(count, "has", "have")
        yield f"# {counted(count, 'file')} {verb} {whose}"


def _settings(config: Config, merged: Config, kube_version: Range | None) -> Iterator[str]:
    """Yield each setting as JSON and its origin: the command line, a line of the configuration, or the default."""
    from crdlint.config.load import positions

    lines = {} if config.file is None else positions(config.file)
    merged = merged._replace(kube_version=kube_version or merged.kube_version)
    for name, value in merged._asdict().items():
        if name in _NO_SETTINGS:
            continue
        key = name.replace("_", "-")
        origin = _origin(name, config, lines)
        if value != getattr(config, name):
            origin = "command line" if origin == "default" else f"{origin} and command line"
        shown = json.dumps(_as_json(name, value, merged), ensure_ascii=False)
        yield f"{key} = {shown}  # {origin}"


def _origin(name: str, config: Config, lines: Mapping[str, int]) -> str:
    """Return where a configuration has a setting from: its own line, the file that it extends, or the default."""
    key = name.replace("_", "-")
    if key in lines:
        return f"{config.file}:{lines[key]}"
    is_inherited = "extend" in lines and getattr(config, name) != getattr(_DEFAULTS, name)
    return f"{config.file}:{lines['extend']} (extend)" if is_inherited else "default"


def _as_json(name: str, value: Any, config: Config) -> Any:
    """Return the value of a setting in the form of a configuration file."""
    if name == "ignore":
        return [*value, *(entry._asdict() for entry in config.ignores)]
    if name in _PAIRS:
        return dict(value)
    if isinstance(value, Range):
        return str(value)
    return value._asdict() if hasattr(value, "_asdict") else value
