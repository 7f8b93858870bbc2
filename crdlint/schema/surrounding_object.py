"""An object around a value at some place within it (apiextensions schema/defaulting/surroundingobject.go)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


class NotAnObjectError(ValueError):
    """What is to be a whole object is none; the text is upstream's."""


@dataclass(frozen=True, slots=True)
class SurroundingObject:
    """The way to a place: a property's name or, for the only item of a list, None; the first step is the last.

    ``typed`` gives the whole object an apiVersion and a kind where it has none.
    """

    step: str | None = None
    outer: SurroundingObject | None = None
    typed: bool = False

    def child(self, name: str) -> SurroundingObject:
        """Return the place of a property of what is here."""
        return SurroundingObject(name, self, self.typed)

    def index(self) -> SurroundingObject:
        """Return the place of the only item of the list that is here."""
        return SurroundingObject(None, self, self.typed)

    def around(self, focus: Any) -> dict[str, Any]:
        """Return the whole object with ``focus`` at the place; raise NotAnObjectError where that is no object."""
        at = self
        while at.outer is not None:
            focus = [focus] if at.step is None else {at.step: focus}
            at = at.outer
        if focus.__class__ is not dict:
            raise NotAnObjectError("object root default value must be of object type")
        whole: dict[str, Any] = focus
        if self.typed:
            whole.setdefault("kind", "Validation")
            whole.setdefault("apiVersion", "validation/v1")
        return whole

    def find(self, whole: dict[str, Any]) -> Any:
        """Return what is at the place, None where there is nothing."""
        steps = []
        at = self
        while at.outer is not None:
            steps.append(at.step)
            at = at.outer
        here: Any = whole
        for step in reversed(steps):
            if step is None:
                here = here[0] if here.__class__ is list and here else None
            else:
                here = here.get(step) if here.__class__ is dict else None
        return here


ROOT: Final = SurroundingObject()
TYPED_ROOT: Final = SurroundingObject(typed=True)
