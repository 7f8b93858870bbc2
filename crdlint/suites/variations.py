"""Objects that differ from another one in a few fields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import combinations, islice, product
from typing import Any, Final, TypeAlias

from crdlint.changes.conjunction import Conjunction
from crdlint.changes.examples import Candidates, Examples, as_value, mentioned
from crdlint.crd.model import JSONSchemaProps
from crdlint.evaluation.evaluate import SchemaRule
from crdlint.evaluation.field_paths import FieldStep
from crdlint.kubernetes.servers import Server
from crdlint.schema.deep_equal import deep_copy

_OPTIONS: Final = 8  # values of a field
_FIELDS: Final = 6  # of a rule that are changed

Object: TypeAlias = "dict[str, Any]"
Steps: TypeAlias = "tuple[FieldStep, ...]"
Change: TypeAlias = "Callable[[Any], Any]"


class Variations:
    """Changes objects of a schema at fields and at what a rule mentions."""

    def __init__(self, schema: JSONSchemaProps, examples: Examples, server: Server) -> None:
        self._schema: Final = schema
        self._examples: Final = examples
        self._server: Final = server
        self._small: Final[dict[int, Any]] = {}  # by the identity of their schemas

    def of_rule(self, base: Object, rule: SchemaRule) -> Iterator[Object]:
        """Yield objects that differ from `base` in one field that a rule mentions, then in two of them."""
        options = self._options(rule)
        for number in (1, 2):
            for fields in combinations(options, number):
                for changes in product(*(options[steps] for steps in fields)):
                    varied = self._all_changed(base, dict(zip(fields, changes, strict=True)))
                    if varied is not None:
                        yield varied

    def _options(self, rule: SchemaRule) -> dict[Steps, list[Change]]:
        """Return changes of the fields that a rule mentions, or of its own value if that is no object with such fields."""
        schema = self._schema_at(rule.steps)
        if schema is None:
            return {}
        mentions = mentioned(rule.rule.rule)
        names = [name for name in schema.properties if name in mentions.names][:_FIELDS]
        options: dict[Steps, list[Change]] = {}
        for name in names:
            values = self._values(schema.properties[name], rule)
            absent = [] if name in schema.required else [_removed]
            options[(*rule.steps, name)] = [*absent, *values]
        return options or {rule.steps: self._values(schema, rule)}

    def _values(self, schema: JSONSchemaProps, rule: SchemaRule) -> list[Change]:
        """Return changes to small values that a schema accepts apart from its rules, with constants of a rule."""
        mentions = mentioned(rule.rule.rule)
        constants = [as_value(each, mentions.patterns) for each in mentions.constants] or [0]
        fits = self._examples.fits
        candidates = Candidates(mentions.names, constants, fits, self._server)
        node = Conjunction.of(schema)
        values = (each for each in candidates.values(node, node, depth=1) if fits(node, each))
        return list(map(_to, islice(values, _OPTIONS)))

    def _schema_at(self, steps: Steps) -> JSONSchemaProps | None:
        schema: JSONSchemaProps | None = self._schema
        for step in steps:
            if schema is None:
                return None
            schema = _below(schema, step)
        return schema

    def _all_changed(self, base: Object, changes: dict[Steps, Change]) -> Object | None:
        value: Object | None = base
        for steps, change in changes.items():
            value = None if value is None else self.changed(value, steps, change)
        return value

    def changed(self, base: Object, steps: Steps, change: Change) -> Object | None:
        """Return an object with a changed value at some steps, whose parents are filled in."""
        root: Any = {"": deep_copy(base)}
        holder, key, schema = root, "", self._schema
        for step in steps:
            value = holder[key]
            below = _below(schema, step)
            if below is None:
                return None
            key_: Any = step if isinstance(step, str) else 0 if isinstance(value, list) else "a"
            if not _has(value, key_):
                _fill(value, key_, self._value_of(below))
            holder, key, schema = value, key_, below
            if not _has(holder, key):
                return None
        with suppress(
            TypeError,
            ValueError,
            AttributeError,
            KeyError,
            IndexError,
        ):
            if change is _removed:
                del holder[key]
            else:
                holder[key] = change(deep_copy(holder[key]))
            return root[""] if isinstance(root[""], dict) else None
        return None

    def _value_of(self, schema: JSONSchemaProps) -> Any:
        """Return a small value of a schema."""
        if id(schema) not in self._small:
            candidates = Candidates(
                frozenset(),
                [0],
                self._examples.is_valid,
                self._server,
            )
            node = Conjunction.of(schema)
            self._small[id(schema)] = next(iter(candidates.values(node, node, depth=1)), {})
        return deep_copy(self._small[id(schema)])


def _removed(_: Any) -> Any:
    """Mark the removal of a field: it is compared with, and not called."""


def _to(value: Any) -> Change:
    return lambda _: value


def _below(schema: JSONSchemaProps, step: FieldStep) -> JSONSchemaProps | None:
    """Return the schema of a field, or of items and of values of a map."""
    field = schema.properties.get(step) if isinstance(step, str) else None
    return field or schema.item_schema or schema.additional_schema


def _has(value: Any, key: Any) -> bool:
    if isinstance(value, dict):
        return key in value
    return isinstance(value, list) and isinstance(key, int) and key < len(value)


def _fill(value: Any, key: Any, item: Any) -> None:
    """Add a value to an object or list that lacks it."""
    if isinstance(value, dict):
        value[key] = item
    elif isinstance(value, list):
        value.append(item)
