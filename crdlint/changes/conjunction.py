"""Schemas that apply to the same value: a node with the members of its `allOf`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps
from crdlint.kubecel.reasoning.reasoner import ITEM, VALUE, FieldPath

if TYPE_CHECKING:
    from crdlint.crd.paths import Path

# All schemas that a value must match; the first is the structural one.
Conjunction: TypeAlias = "tuple[JSONSchemaProps, ...]"
_PLAIN: Final = re.compile(r"[\w-]+\Z")
_JUNCTORS: Final = SCHEMA_BITS["allOf"] | SCHEMA_BITS["anyOf"] | SCHEMA_BITS["oneOf"]
_KEYWORDS: Final = {field.attribute: field.json_name for field in JSONSchemaProps.FIELDS}


def conjunction(schemas: Iterable[JSONSchemaProps]) -> Conjunction:
    """Return schemas with the members of their `allOf`, and of `anyOf` and `oneOf` with one branch."""
    members: list[JSONSchemaProps] = []
    pending = list(reversed(tuple(schemas)))
    while pending:
        schema = pending.pop()
        members.append(schema)
        pending.extend(reversed(schema.all_of))
        pending.extend(branches[0] for branches in (schema.any_of, schema.one_of) if len(branches) == 1)
    return tuple(members)


def properties(node: Conjunction) -> dict[str, Conjunction]:
    """Return the schemas of each property."""
    if len(node) == 1:
        return {
            name: conjunction((schema,)) if schema.set_fields & _JUNCTORS else (schema,)
            for name, schema in node[0].properties.items()
        }
    by_name: dict[str, list[JSONSchemaProps]] = {}
    for schema in node:
        for name, below in schema.properties.items():
            by_name.setdefault(name, []).append(below)
    return {name: conjunction(below) for name, below in by_name.items()}


def items(node: Conjunction) -> Conjunction:
    """Return the schemas of list items, empty without any."""
    return conjunction(items for schema in node if (items := schema.item_schema) is not None)


def map_values(node: Conjunction) -> Conjunction:
    """Return the schemas of `additionalProperties`, empty without any."""
    return conjunction(values for schema in node if (values := schema.additional_schema) is not None)


def type_of(node: Conjunction) -> str:
    """Return the type of values: one of JSON schema's, `int-or-string`, or empty for any value."""
    for schema in node:
        if schema.x_int_or_string:
            return "int-or-string"
        if schema.type:
            return schema.type
    return ""


def keeps_unknown_fields(node: Conjunction) -> bool:
    """Return whether fields that no schema specifies are stored."""
    return any(schema.x_preserve_unknown_fields for schema in node) or any(
        schema.additional_properties is not None and schema.additional_properties.allows for schema in node
    )


_BELOW: Final = {ITEM: items, VALUE: map_values}


def steps(path: FieldPath, node: Conjunction) -> Iterator[Conjunction]:
    """Yield the schemas of each value on a path, as far as there are any."""
    for step in path:
        below = _BELOW.get(step)
        node = properties(node).get(step, ()) if below is None else below(node)
        if not node:
            return
        yield node


def is_new(path: FieldPath, old: Conjunction, new: Conjunction) -> bool:
    """Return whether no existing object has a field: it has no default, and the old schema prunes it."""
    after = list(steps(path, new))
    before = list(steps(path, old))
    if len(after) != len(path) or len(before) != len(path) - 1:
        return False
    parent = before[-1] if before else old
    return not keeps_unknown_fields(parent) and all(schema.default is None for schema in after[-1])


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
        shown = {ITEM: "[*]", VALUE: ".*"}.get(step) or (f".{step}" if _PLAIN.match(step) else f"[{step!r}]")
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


def path_of(node: Conjunction, attribute: str, keyword: str = "") -> Path:
    """Return where the first of several schemas has an attribute; the path of the first schema if none has it."""
    for schema in node:
        if attribute in vars(schema):
            return schema.path.child(keyword or _KEYWORDS[attribute])
    return node[0].path
