"""Field paths as the API server prints them. Upstream: apimachinery pkg/util/validation/field/path.go.

A path is a linked list of steps: a `str` is a named field (`.name`, printed unchanged, including dots), a `Key` a map
key (`[key]`), an `int` an index (`[0]`).
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias


class Key(str):
    """A map key within a path, printed in brackets."""

    __slots__ = ()


Step: TypeAlias = "str | Key | int"

# Every path with a multiple of this number of steps caches its text, because errors of a deep schema share most steps.
_STRETCH: Final = 64


class Path:
    """A field path: immutable, cheap to extend, printed by `str()`.

    >>> str(Path("spec").child("names", "shortNames").index(0))
    'spec.names.shortNames[0]'
    """

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
        """Return the steps from the root on."""
        steps: list[Step] = []
        path: Path | None = self
        while path is not None:
            steps.append(path.step)
            path = path.parent
        steps.reverse()
        return steps

    def __str__(self) -> str:
        if self._text is None:
            self._text = self._joined()  # findings, their order and reports print the same path
        return self._text

    def _joined(self) -> str:
        prefix = None if self.parent is None else self.parent._text  # noqa: SLF001  another path's
        if prefix is not None:
            return prefix + _printed(self)
        chain: list[Path] = []
        path: Path | None = self
        prefix_text: str | None = None
        while path is not None and prefix_text is None:
            prefix_text = path._text  # noqa: SLF001  another path's
            if prefix_text is None:
                chain.append(path)
                path = path.parent
        chain.reverse()
        text = prefix_text or ""
        for start in range(0, len(chain), _STRETCH):
            stretch = chain[start : start + _STRETCH]
            text += "".join(map(_printed, stretch))
            if len(stretch) == _STRETCH:
                stretch[-1]._text = text  # noqa: SLF001
        return text

    def shared(self) -> Path:
        """Return this path and cache its text, because many other paths start with it."""
        str(self)
        return self

    def __repr__(self) -> str:
        return f"Path({str(self)!r})"


def _printed(path: Path) -> str:
    """Return the last step of a path as printed within a longer path."""
    step = path.step
    if step.__class__ is not str:
        return f"[{step}]"
    return step if path.parent is None else f".{step}"


# Fields that the API server moves to the spec if all versions agree: the new path, and the field of a version.
SHARED: Final = {
    "spec.validation": "schema",
    "spec.subresources": "subresources",
    "spec.additionalPrinterColumns": "additionalPrinterColumns",
    "spec.selectableFields": "selectableFields",
}


_IN_SHARED: Final = tuple(f"{path}{separator}" for path in SHARED for separator in ".[")


def is_shared(field: str) -> bool:
    """Return whether a printed path is that of a field in `SHARED`, or of one below it."""
    return field in SHARED or field.startswith(_IN_SHARED)


def is_within(field: str, prefix: str) -> bool:
    """Return whether a printed path is `prefix` or starts with it."""
    return field == prefix or field.startswith((f"{prefix}.", f"{prefix}["))


# The kind of a step: the name of a field, the key of an additional property, an index.
PROPERTY: Final = 0
ADDITIONAL: Final = 1
INDEX: Final = 2

# The parent path (None below the root), a name or index, the kind of step; cheap to create for every value.
ValuePath: TypeAlias = "tuple[ValuePath | None, Any, int] | None"


def path_of(value_path: ValuePath, path: Path | None) -> Path | None:
    """Return the path of a value inside of the value at `path`, None for a whole resource."""
    steps = []
    while value_path is not None:
        value_path, name, kind = value_path
        steps.append(Key(name) if kind == ADDITIONAL else name)
    for step in reversed(steps):
        path = Path(step, path)
    return path


# What Go prints for the nil path; the root of a custom resource has no path, here None.
NIL: Final = Path("<nil>")
