"""The settings of a run with their origins, which `crdlint check --show-settings` prints."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.config.model import Config

_OF_RUNS: Final = frozenset({"file", "folder", "notices", "in_chart", "ignores"})


def settings_of(config: Config, merged: Config, kube_version: str | None) -> Iterator[str]:
    """Yield each setting as JSON and its origin: the command line, a line of the configuration, or the default."""
    from crdlint.config.load import positions

    lines = {} if config.file is None else positions(config.file)
    merged = merged._replace(kube_version=kube_version or merged.kube_version)
    for name, value in merged._asdict().items():
        if name in _OF_RUNS:
            continue
        key = name.replace("_", "-")
        origin = f"{config.file}:{lines[key]}" if key in lines else "default"
        if value != getattr(config, name):
            origin = "command line" if origin == "default" else f"{origin} and command line"
        if name == "ignore":
            value = [*value, *(entry._asdict() for entry in merged.ignores)]
        shown = value._asdict() if hasattr(value, "_asdict") else dict(value) if name in _PAIRS else value
        yield f"{key} = {json.dumps(shown, ensure_ascii=False)}  # {origin}"


_PAIRS: Final = frozenset({"severity", "per_file_ignores", "sets"})
