"""An object around a value at a position inside of it. Upstream: schema/defaulting/surroundingobject.go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


class NotAnObjectError(ValueError):
    """The rebuilt value is not an object; the text is upstream's."""


@dataclass(frozen=True, slots=True)
class SurroundingObject:
    """A position: a property name or, for the only item of a list, None, and the outer position.

    If `typed`, the whole object gets an apiVersion and a kind if they are missing.
    """

    step: str | None = None
    outer: SurroundingObject | None = None
    typed: bool = False

    def child(self, name: str) -> SurroundingObject:
        """Return the position of a property of the object at this position."""
        return SurroundingObject(name, self, self.typed)

    def index(self) -> SurroundingObject:
        """Return the position of the only item of the list at this position."""
        return SurroundingObject(None, self, self.typed)

    def around(self, focus: Any) -> dict[str, Any]:
        """Return the whole object with `focus` at this position; raise NotAnObjectError if it is not an object."""
        position = self
        while position.outer is not None:
            focus = [focus] if position.step is None else {position.step: focus}
            position = position.outer
        if focus.__class__ is not dict:
            raise NotAnObjectError("object root default value must be of object type")
        result: dict[str, Any] = focus
        if self.typed:
            result.setdefault("kind", "Validation")
            result.setdefault("apiVersion", "validation/v1")
        return result

    def find(self, resource: dict[str, Any]) -> Any:
        """Return the value at this position in `resource`, or None."""
        steps = []
        position = self
        while position.outer is not None:
            steps.append(position.step)
            position = position.outer
        here: Any = resource
        for step in reversed(steps):
            if step is None:
                here = here[0] if here.__class__ is list and here else None
            else:
                here = here.get(step) if here.__class__ is dict else None
        return here


ROOT: Final = SurroundingObject()
TYPED_ROOT: Final = SurroundingObject(typed=True)
