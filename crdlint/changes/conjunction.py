"""Schemas that apply to the same value: a node with the members of its `allOf`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, Final

from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps, ValidationRule
from crdlint.crd.paths import Path
from crdlint.gathering import without_none
from crdlint.kubecel.reasoning.facts import ITEM, VALUE, FieldPath
from crdlint.kubecel.syntax_trees import rule_key
from crdlint.kubernetes.servers import Server
from crdlint.light import dataclass, regex
from crdlint.schema.deep_equal import equality_key
from crdlint.schema.validator import ValueValidator

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
        below = without_none(schema.properties.get(name) for schema in self)
        is_plain = len(below) <= 1 and not any(schema.set_fields & _JUNCTORS for schema in below)
        return Conjunction(below) if is_plain else Conjunction.of(*below)

    def list_items(self) -> Conjunction:
        """Return the schemas of list items, empty without any."""
        return Conjunction.of(*without_none(schema.item_schema for schema in self))

    def map_values(self) -> Conjunction:
        """Return the schemas of `additionalProperties`, empty without any."""
        return Conjunction.of(*without_none(schema.additional_schema for schema in self))

    def below(self) -> dict[str, Conjunction]:
        """Return the schemas of the fields, of items and of the values of a map, by ITEM and VALUE, as far as there are any."""
        below = {**self.properties(), ITEM: self.list_items(), VALUE: self.map_values()}
        return {step: schemas for step, schemas in below.items() if schemas}

    def step_below(self, step: str) -> Conjunction:
        """Return the schemas of a property, of ITEM or of VALUE, empty without any."""
        of_part = _OF_PARTS.get(step)
        return self.of_property(step) if of_part is None else of_part(self)

    def at_path(self, path: FieldPath) -> Conjunction:
        """Return the schemas of the values at a path, empty without any."""
        return reduce(Conjunction.step_below, path, self)

    def rules(self) -> list[ValidationRule]:
        """Return the rules of all schemas, in their order."""
        return [rule for schema in self for rule in schema.x_validations]

    def placed_rules(self) -> Iterator[tuple[ValidationRule, Path]]:
        """Yield the rules of all schemas with their paths."""
        for schema in self:
            rules_path = schema.path.child("x-kubernetes-validations")
            for i, rule in enumerate(schema.x_validations):
                yield rule, rules_path.index(i).child("rule")

    def rules_by_key(self) -> dict[str, ValidationRule]:
        """Return the rules of all schemas by their keys of equality."""
        return {rule_key(rule.rule): rule for rule in self.rules()}

    def checker(self, server: Server) -> Callable[[Any], bool]:
        """Return a function that returns whether all schemas accept a value, apart from rules of CEL."""
        validators = [ValueValidator(schema, server=server) for schema in self]
        return lambda value: not any(validator.validate(value) for validator in validators)

    @property
    def type(self) -> str:
        """The type of values: one of JSON schema's, `int-or-string`, or empty for any value."""
        types = ("int-or-string" if schema.x_int_or_string else schema.type for schema in self)
        return next(filter(None, types), "")

    @property
    def keeps_unknown_fields(self) -> bool:
        """Whether fields that no schema specifies are stored."""
        return any(map(_keeps_unknown_fields, self))

    @property
    def is_nullable(self) -> bool:
        """Whether one of the schemas is nullable."""
        return any(schema.nullable for schema in self)

    @property
    def required(self) -> dict[str, None]:
        """The names of required fields, in their order."""
        return dict.fromkeys(name for schema in self for name in schema.required)

    @property
    def has_default(self) -> bool:
        """Whether a schema has a default."""
        return any(schema.default is not None for schema in self)

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


_OF_PARTS: Final = {ITEM: Conjunction.list_items, VALUE: Conjunction.map_values}


def _keeps_unknown_fields(schema: JSONSchemaProps) -> bool:
    additional = schema.additional_properties
    allows_others = additional is not None and additional.allows
    return schema.x_preserve_unknown_fields or allows_others


def is_new(path: FieldPath, old: Conjunction, new: Conjunction) -> bool:
    """Return whether no existing object has a field: it has no default, and the old schema prunes it."""
    after, parent = new.at_path(path), old.at_path(path[:-1])
    if not (after and parent) or old.at_path(path):
        return False
    return not parent.keeps_unknown_fields and not after.has_default


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
        uncorrelated = self.uncorrelated
        if not correlated:
            uncorrelated = uncorrelated or self.path
        return ComparedField(self.path + _shown_step(step), uncorrelated, self.ratchets)

    def consequence(self, *, is_container: bool) -> str:
        """Return what a tightened constraint means for existing objects.

        From Kubernetes 1.30 on, an update may keep an invalid value that it does not change. The constraints of a container
        are broken by the container, which every edit below it changes.
        """
        edits = "every edit"
        if self.ratchets and not is_container:
            edited = f"`{self.uncorrelated}`" if self.uncorrelated else "this field"
            return f"existing objects stay valid until {edited} is edited"
        scope = self.uncorrelated or self.path
        if self.ratchets and scope:
            edits += f" below `{scope}`"
        return f"{edits} is rejected if the existing object breaks this, even if it changes another field"


def _shown_step(step: str) -> str:
    """Return the end of a path: a property, ITEM or VALUE."""
    if step == ITEM:
        return "[*]"
    if step == VALUE:
        return ".*"
    return f".{step}" if _PLAIN.match(step) else f"[{step!r}]"
