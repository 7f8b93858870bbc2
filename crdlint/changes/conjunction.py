"""Schemas that apply to the same value: a node with the members of its `allOf`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.kubecel.reasoning.reasoner import ITEM, VALUE, FieldPath
from crdlint.light import dataclass, regex
from crdlint.schema.deep_equal import equality_key

_PLAIN: Final = regex(r"[\w-]+\Z")
_JUNCTORS: Final = SCHEMA_BITS["allOf"] | SCHEMA_BITS["anyOf"] | SCHEMA_BITS["oneOf"]
_NO_ITEM: Final = 1_000_000_000
_KEYWORDS: Final = {field.attribute: field.json_name for field in JSONSchemaProps.FIELDS}


class ImpliedSchema(JSONSchemaProps):
    """What the API server requires of a value whatever its schema is."""


class Conjunction(tuple["JSONSchemaProps", ...]):
    """All schemas that a value must match: a node with the members of its `allOf`; the first is the structural one."""

    __slots__ = ()

    @classmethod
    def of(cls, *schemas: JSONSchemaProps) -> Conjunction:
        """Return schemas with the members of their `allOf`, and of `anyOf` and `oneOf` with one branch."""
        members: list[JSONSchemaProps] = []
        pending = list(reversed(schemas))
        while pending:
            schema = pending.pop()
            members.append(schema)
            pending.extend(reversed(schema.all_of))
            pending.extend(
                branches[0] for branches in (schema.any_of, schema.one_of) if len(branches) == 1
            )
        return cls(members)

    @property
    def written(self) -> Conjunction:
        """The schemas that are in the CRD."""
        return Conjunction(schema for schema in self if not isinstance(schema, ImpliedSchema))

    def properties(self) -> dict[str, Conjunction]:
        """Return the schemas of each property."""
        return {name: self.of_property(name) for name in self.property_names()}

    def property_names(self) -> dict[str, None]:
        """Return the names of the properties, in their order."""
        return dict.fromkeys(name for schema in self for name in schema.properties)

    def of_property(self, name: str) -> Conjunction:
        """Return the schemas of a property, empty without any."""
        below = [schema.properties[name] for schema in self if name in schema.properties]
        is_plain = len(below) <= 1 and not any(schema.set_fields & _JUNCTORS for schema in below)
        return Conjunction(below) if is_plain else Conjunction.of(*below)

    def list_items(self) -> Conjunction:
        """Return the schemas of list items, empty without any."""
        return Conjunction.of(*filter(None, (schema.item_schema for schema in self)))

    def map_values(self) -> Conjunction:
        """Return the schemas of `additionalProperties`, empty without any."""
        return Conjunction.of(*filter(None, (schema.additional_schema for schema in self)))

    def below(self) -> dict[str, Conjunction]:
        """Return the schemas of the fields, of items and of the values of a map, by ITEM and VALUE, as far as there are any."""
        below = {**self.properties(), ITEM: self.list_items(), VALUE: self.map_values()}
        return {step: schemas for step, schemas in below.items() if schemas}

    @property
    def type(self) -> str:
        """The type of values: one of JSON schema's, `int-or-string`, or empty for any value."""
        types = ("int-or-string" if schema.x_int_or_string else schema.type for schema in self)
        return next(filter(None, types), "")

    @property
    def keeps_unknown_fields(self) -> bool:
        """Whether fields that no schema specifies are stored."""
        return any(schema.x_preserve_unknown_fields for schema in self) or any(
            schema.additional_properties is not None and schema.additional_properties.allows
            for schema in self
        )

    @property
    def required(self) -> dict[str, None]:
        """The names of required fields, in their order."""
        return dict.fromkeys(name for schema in self for name in schema.required)

    @property
    def has_default(self) -> bool:
        """Whether a schema has a default."""
        return any(schema.default is not None for schema in self)

    def steps(self, path: FieldPath) -> Iterator[Conjunction]:
        """Yield the schemas of each value on a path, as far as there are any."""
        node = self
        for step in path:
            below = {ITEM: node.list_items, VALUE: node.map_values}.get(step)
            node = node.of_property(step) if below is None else below()
            if not node:
                return
            yield node

    def path_of(self, attribute: str, keyword: str = "") -> Path:
        """Return where the first of the schemas has an attribute; where the first schema would have it if none has it."""
        holder = next((schema for schema in self if attribute in vars(schema)), self[0])
        return holder.path.child(keyword or _KEYWORDS[attribute])

    def path_of_item(self, attribute: str, value: Any) -> Path:
        """Return where the first of the schemas has a value in a list; a place that does not exist if none has it."""
        key = equality_key(value)
        for schema in self:
            for i, item in enumerate(getattr(schema, attribute)):
                if equality_key(item) == key:
                    return schema.path.child(_KEYWORDS[attribute]).index(i)
        return self.path_of(attribute).index(_NO_ITEM)


def is_new(path: FieldPath, old: Conjunction, new: Conjunction) -> bool:
    """Return whether no existing object has a field: it has no default, and the old schema prunes it."""
    after, before = list(new.steps(path)), list(old.steps(path))
    if len(after) != len(path) or len(before) != len(path) - 1:
        return False
    parent = before[-1] if before else old
    return not parent.keeps_unknown_fields and not after[-1].has_default


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

    def below(self, step: str, *, correlated: bool = True) -> ComparedField:
        """Return the node of a property, ITEM or VALUE; the items of a map list are `correlated` by their keys."""
        shown = {ITEM: "[*]", VALUE: ".*"}.get(step) or (
            f".{step}" if _PLAIN.match(step) else f"[{step!r}]"
        )
        uncorrelated = self.uncorrelated or ("" if correlated else self.path)
        return ComparedField(self.path + shown, uncorrelated, self.ratchets)

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
