"""The known differences between crdlint and the recorded answers."""

from __future__ import annotations

from functools import cache

from .rows import HERE
from .toml_files import toml


@cache
def known_differences(version: str) -> dict[str, str]:
    """Return the reasons for the differences that are known in a version, by the id of the request."""
    table = toml(HERE / "known.toml")
    return {
        id_: row["reason"]
        for id_, row in table.items()
        if version in row.get("versions", [version])
    }
