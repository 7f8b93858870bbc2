"""The limits of a schema that determine the cost of a rule: maxItems, maxProperties and maxLength."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.model import JSONSchemaProps
    from crdlint.kubernetes.servers import CELDialect

Keyword = Literal["maxItems", "maxProperties", "maxLength"]

_BOUNDED_FORMATS: Final = frozenset({"duration", "date", "date-time"})
_BYTES_PER_CHARACTER: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Limit:
    """A keyword that limits a schema; `bound` is its value, None if it is not set."""

    schema: JSONSchemaProps
    keyword: Keyword
    bound: int | None

    @property
    def key(self) -> int:
        """The identity of the schema."""
        return id(self.schema)

    def elements(self, value: int) -> int:
        """Return the size for a value of the keyword, in the units of the estimator: bytes for strings."""
        return value * _BYTES_PER_CHARACTER if self.keyword == "maxLength" and self.schema.format != "byte" else value


def limit_of(schema: JSONSchemaProps, dialect: CELDialect) -> Limit | None:
    """Return the limit that a schema has or could have on a server, or None if no keyword would limit it."""
    if schema.x_int_or_string:
        return Limit(schema, "maxLength", schema.max_length) if dialect.max_length_bounds_int_or_string else None
    if schema.type == "string":
        # An enum already limits a string on most servers, and so do the formats of times on all of them.
        has_bound = schema.max_length is None and schema.enum and dialect.enum_bounds_strings
        if has_bound or schema.format in _BOUNDED_FORMATS:
            return None
        return Limit(schema, "maxLength", schema.max_length)
    if schema.type == "array":
        return Limit(schema, "maxItems", schema.max_items)
    if schema.type == "object" and schema.additional_properties is not None:
        return Limit(schema, "maxProperties", schema.max_properties)
    return None


def enclosing(schema: JSONSchemaProps) -> Iterator[JSONSchemaProps]:
    """Yield the lists and maps that contain a schema, the innermost first."""
    parent = schema.parent
    while parent is not None:
        if parent.type == "array" or (parent.type == "object" and parent.additional_properties is not None):
            yield parent
        parent = parent.parent


def value_path(schema: JSONSchemaProps) -> str:
    """Return the path of the values of a schema in an object, as in `spec.hosts[*]`; `self` for the object itself."""
    steps: list[str] = []
    current = schema
    while current.parent is not None:
        steps.append(f".{current.steps[1]}" if current.steps[0] == "properties" else "[*]")
        current = current.parent
    return "".join(reversed(steps)).removeprefix(".") or "self"
