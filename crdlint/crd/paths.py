"""Field paths as the API server prints them (apimachinery pkg/util/validation/field/path.go).

A path is a linked list of steps: a ``str`` is a named field (``.name``, printed as given, dots and all), a ``Key`` a
map key (``[key]``), an ``int`` an index (``[0]``).
"""

from __future__ import annotations

from typing import TypeAlias


class Key(str):
    """A map key within a path, printed in brackets."""

    __slots__ = ()


Step: TypeAlias = "str | Key | int"


class Path:
    """A field path; immutable, cheap to extend, printed by ``str()``."""

    __slots__ = ("parent", "step")

    def __init__(self, step: Step, parent: Path | None = None) -> None:
        self.step = step
        self.parent = parent

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
        return "".join(
            f"[{step}]" if step.__class__ is not str else f".{step}" if i else str(step)
            for i, step in enumerate(self.steps())
        )

    def __repr__(self) -> str:
        return f"Path({str(self)!r})"
