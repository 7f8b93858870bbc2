"""Field paths as the API server prints them (apimachinery pkg/util/validation/field/path.go).

A path is a linked list of steps: a ``str`` is a named field (``.name``, printed as given, dots and all), a ``Key`` a
map key (``[key]``), an ``int`` an index (``[0]``).
"""

from __future__ import annotations

from typing import Final, TypeAlias


class Key(str):
    """A map key within a path, printed in brackets."""

    __slots__ = ()


Step: TypeAlias = "str | Key | int"

# After so many steps a path keeps its text: the errors of a deep schema share all but the last of them.
_STRETCH: Final = 64


class Path:
    """A field path; immutable, cheap to extend, printed by ``str()``."""

    __slots__ = ("_text", "parent", "step")

    def __init__(self, step: Step, parent: Path | None = None) -> None:
        self.step = step
        self.parent = parent
        self._text: str | None = None

    def child(self, *names: str) -> Path:
        """Return the path of a named field below this one."""
        path = self
        for name in names:
            path = Path(name, path)
        return path

    def key(self, key: str) -> Path:
        """Return the path of a map entry below this one."""
        return Path(Key(key), self)

    def index(self, index: int) -> Path:
        """Return the path of a list item (0-based) below this one."""
        return Path(index, self)

    def steps(self) -> list[Step]:
        """Return the steps from the root down."""
        steps: list[Step] = []
        path: Path | None = self
        while path is not None:
            steps.append(path.step)
            path = path.parent
        steps.reverse()
        return steps

    def __str__(self) -> str:
        above = None if self.parent is None else self.parent._text  # noqa: SLF001  another path's
        if above is not None:
            return above + _printed(self)
        chain: list[Path] = []
        path: Path | None = self
        known: str | None = None
        while path is not None and known is None:
            known = path._text  # noqa: SLF001  another path's
            if known is None:
                chain.append(path)
                path = path.parent
        chain.reverse()
        text = known or ""
        for start in range(0, len(chain), _STRETCH):
            stretch = chain[start : start + _STRETCH]
            text += "".join([_printed(one) for one in stretch])
            if len(stretch) == _STRETCH:
                stretch[-1]._text = text  # noqa: SLF001
        return text

    def shared(self) -> Path:
        """Return this path, which keeps its text for the many that are below it."""
        self._text = str(self)
        return self

    def __repr__(self) -> str:
        return f"Path({str(self)!r})"


def _printed(path: Path) -> str:
    """Return the last step of a path as it stands in the whole."""
    step = path.step
    if step.__class__ is not str:
        return f"[{step}]"
    return step if path.parent is None else f".{step}"


# What all versions of a CRD share the API server moves up before it validates: its new place, and its name in a version.
SHARED: Final = {
    "spec.validation": "schema",
    "spec.subresources": "subresources",
    "spec.additionalPrinterColumns": "additionalPrinterColumns",
    "spec.selectableFields": "selectableFields",
}


def is_within(field: str, place: str) -> bool:
    """Return whether a printed path is that of a place or leads below it."""
    return field == place or field.startswith((f"{place}.", f"{place}["))


# Paths that may be nil, as in upstream's validation of custom resources, where the root has no path: None is the nil path,
# and its children are roots themselves.
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
