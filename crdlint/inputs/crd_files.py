"""Which files beside resources may hold their CRDs, where nobody named any."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_SUFFIXES: Final = frozenset({".yaml", ".yml", ".json"})


def beside(paths: Iterable[str]) -> list[str]:
    """Return the files in the folders of what paths name, by name; not those below them."""
    found: dict[str, None] = {}
    for name in paths:
        path = Path(name)
        folder = path if path.is_dir() else path.parent
        try:
            inside = sorted(one for one in folder.iterdir() if one.suffix in _SUFFIXES and one.is_file())
        except OSError:
            continue
        found.update(dict.fromkeys(map(str, inside)))
    return list(found)
