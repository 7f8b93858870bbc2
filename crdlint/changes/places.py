"""Where a change is in a schema, and which edits of existing objects it makes the API server reject."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_PLAIN: Final = re.compile(r"[\w-]+\Z")


@dataclass(frozen=True, slots=True)
class Place:
    """A node of a schema, by the path of its values in objects.

    `field` is that path, empty for the whole object. `uncorrelated` is the path of the outermost enclosing list whose
    items have no keys: an edit of one of them counts as an edit of all. `ratchets` means that all servers of the run
    accept invalid values that an update does not change.
    """

    field: str = ""
    uncorrelated: str = ""
    ratchets: bool = True

    @property
    def shown(self) -> str:
        """The path as texts name it."""
        return f"`{self.field}`" if self.field else "the object"

    def property(self, name: str) -> Place:
        """Return the place of a property."""
        step = f".{name}" if _PLAIN.match(name) else f"[{name!r}]"
        return Place(self.field + step, self.uncorrelated, self.ratchets)

    def items(self, *, correlated: bool) -> Place:
        """Return the place of list items; those of map lists are ``correlated`` by their keys."""
        above = self.uncorrelated or ("" if correlated else self.field)
        return Place(f"{self.field}[*]", above, self.ratchets)

    def map_values(self) -> Place:
        """Return the place of the values of a map."""
        return Place(f"{self.field}.*", self.uncorrelated, self.ratchets)

    def consequence(self, *, is_container: bool) -> str:
        """Return what a tightened constraint means for existing objects.

        From Kubernetes 1.30 on, an update may keep an invalid value that it does not change. The constraints of a container
        are broken by the container, which every edit below it changes.
        """
        also = "is rejected if the existing object breaks this, even if it changes another field"
        if not self.ratchets:
            return f"every edit {also}"
        if is_container:
            scope = self.uncorrelated or self.field
            return f"every edit below `{scope}` {also}" if scope else f"every edit {also}"
        edited = f"`{self.uncorrelated}`" if self.uncorrelated else "this field"
        return f"existing objects stay valid until {edited} is edited"
