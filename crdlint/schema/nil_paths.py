"""Field paths that may be nil, as in upstream's validation of custom resources, where the root has no path.

``None`` is the nil path; its children are roots themselves (apimachinery pkg/util/validation/field, path.go).
"""

from __future__ import annotations

from typing import Final

from crdlint.crd.paths import Key, Path

NIL: Final = Path("<nil>")  # what Go prints for a nil path


def child(path: Path | None, name: str) -> Path:
    """Return the path of a named field."""
    return Path(name, path)


def key(path: Path | None, name: str) -> Path:
    """Return the path of a map entry."""
    return Path(Key(name), path)


def index(path: Path | None, at: int) -> Path:
    """Return the path of a list item (0-based)."""
    return Path(at, path)


def printable(path: Path | None) -> Path:
    """Return the path to put into an error: one that prints as Go prints it, nil included."""
    return NIL if path is None else path
