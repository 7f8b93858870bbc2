"""The schemas of a value in the old and the new CRD, and where the value is in objects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.crd.model import JSONSchemaProps

if TYPE_CHECKING:
    from crdlint.changes.conjunction import Conjunction
    from crdlint.crd.paths import Path

_PLAIN: Final = re.compile(r"[\w-]+\Z")


@dataclass(frozen=True, slots=True)
class ComparedField:
    """A node of a schema, by the path of its values in objects.

    `path` is that path, empty for the whole object. `uncorrelated` is the path of the outermost enclosing list whose
    items have no keys: an edit of one of them counts as an edit of all. `ratchets` means that all servers of the run
    accept invalid values that an update does not change.
    """

    path: str = ""
    uncorrelated: str = ""
    ratchets: bool = True

    @property
    def shown(self) -> str:
        """The path as texts name it."""
        return f"`{self.path}`" if self.path else "the object"

    def property(self, name: str) -> ComparedField:
        """Return the node of a property."""
        step = f".{name}" if _PLAIN.match(name) else f"[{name!r}]"
        return ComparedField(self.path + step, self.uncorrelated, self.ratchets)

    def items(self, *, correlated: bool) -> ComparedField:
        """Return the node of list items; those of map lists are ``correlated`` by their keys."""
        uncorrelated = self.uncorrelated or ("" if correlated else self.path)
        return ComparedField(f"{self.path}[*]", uncorrelated, self.ratchets)

    def map_values(self) -> ComparedField:
        """Return the node of the values of a map."""
        return ComparedField(f"{self.path}.*", self.uncorrelated, self.ratchets)

    def consequence(self, *, is_container: bool) -> str:
        """Return what a tightened constraint means for existing objects.

        From Kubernetes 1.30 on, an update may keep an invalid value that it does not change. The constraints of a container
        are broken by the container, which every edit below it changes.
        """
        also = "is rejected if the existing object breaks this, even if it changes another field"
        if not self.ratchets:
            return f"every edit {also}"
        if is_container:
            scope = self.uncorrelated or self.path
            return f"every edit below `{scope}` {also}" if scope else f"every edit {also}"
        edited = f"`{self.uncorrelated}`" if self.uncorrelated else "this field"
        return f"existing objects stay valid until {edited} is edited"


@dataclass(frozen=True, slots=True)
class Pair:
    """The schemas of a value in the old and the new CRD.

    ``parent`` is the pair of the object or list that contains the value, and ``step`` the field of the value in it, ITEM,
    or empty for the values of a map.
    """

    old: Conjunction
    new: Conjunction
    field: ComparedField
    parent: Pair | None = None
    step: str = ""

    def below(self, old: Conjunction, new: Conjunction, field: ComparedField, step: str) -> Pair:
        """Return the pair of a value in this one."""
        return Pair(old, new, field, self, step)

    def paths(self, attribute: str, keyword: str = "") -> tuple[Path, Path]:
        """Return where the new and the old CRD have an attribute; the path of the schema itself without it."""
        return path_of(self.new, attribute, keyword), path_of(self.old, attribute, keyword)


_KEYWORDS: Final = {field.attribute: field.json_name for field in JSONSchemaProps.FIELDS}


def path_of(node: Conjunction, attribute: str, keyword: str = "") -> Path:
    """Return where the first of several schemas has an attribute; the path of the first schema if none has it."""
    for schema in node:
        if attribute in vars(schema):
            return schema.path.child(keyword or _KEYWORDS[attribute])
    return node[0].path
