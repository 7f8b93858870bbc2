"""The effective constraints of a value: those of a schema folded with the members of its `allOf`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crdlint.changes.conjunction import Conjunction, type_of
from crdlint.schema.formats import is_supported, normalized
from crdlint.schema.values import equality_key

if TYPE_CHECKING:
    from crdlint.kubernetes.servers import Server


@dataclass(frozen=True, slots=True)
class Limit:
    """A keyword that bounds values from above or below, the types of the values that it bounds, and what breaks it."""

    attribute: str
    keyword: str
    is_upper: bool
    types: frozenset[str]
    breaking: str  # values that break it, with {} for the bound and {s} for the ending of a plural
    empty: str = ""  # values that break a lower bound of 1


_NUMBERS: Final = frozenset({"", "integer", "number", "int-or-string"})
_STRINGS: Final = frozenset({"", "string", "int-or-string"})
_LISTS: Final = frozenset({"", "array"})
_OBJECTS: Final = frozenset({"", "object"})

LIMITS: Final = (
    Limit("maximum", "maximum", True, _NUMBERS, "values above {}"),
    Limit("minimum", "minimum", False, _NUMBERS, "values below {}"),
    Limit("max_length", "maxLength", True, _STRINGS, "values of more than {} character{s}"),
    Limit("min_length", "minLength", False, _STRINGS, "values of fewer than {} characters", "empty values"),
    Limit("max_items", "maxItems", True, _LISTS, "lists of more than {} item{s}"),
    Limit("min_items", "minItems", False, _LISTS, "lists of fewer than {} items", "empty lists"),
    Limit("max_properties", "maxProperties", True, _OBJECTS, "objects of more than {} field{s}"),
    Limit("min_properties", "minProperties", False, _OBJECTS, "objects of fewer than {} fields", "empty objects"),
)
CONTAINER_LIMITS: Final = frozenset({"max_items", "min_items", "max_properties", "min_properties"})
# The numbers that a format accepts, which it bounds as `minimum` and `maximum` do.
_RANGES: Final = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
NUMBER_FORMATS: Final = ("int32", "int64", "float", "double")


@dataclass(frozen=True, slots=True)
class Bound:
    """The value of a limit; ``is_strict`` excludes the value itself."""

    value: float
    is_strict: bool = False

    def tighter_than(self, other: Bound | None, *, is_upper: bool) -> bool:
        """Return whether this bound excludes a value that the other one, or none, accepts."""
        if other is None:
            return True
        if self.value == other.value:
            return self.is_strict and not other.is_strict
        return self.value < other.value if is_upper else self.value > other.value

    def of_integers(self, *, is_upper: bool) -> Bound:
        """Return the same bound for integers, which includes its own value."""
        if not math.isfinite(self.value):
            return self
        nearest = math.floor(self.value) if is_upper else math.ceil(self.value)
        if self.is_strict and nearest == self.value:
            nearest += -1 if is_upper else 1
        return Bound(nearest)


@dataclass(frozen=True, slots=True)
class Constraints:
    """What values of a node must fulfil, whichever of its schemas requires it; what no value can break is left out.

    ``enum`` has the values by their keys of equality, None for no enumeration. ``formats`` are those that servers check.
    """

    type: str
    bounds: MappingOf[str, Bound]
    multiples: frozenset[float]
    patterns: frozenset[str]
    formats: frozenset[str]
    enum: MappingOf[Any, Any] | None
    required: frozenset[str]


def constraints(node: Conjunction, server: Server) -> Constraints:
    """Fold the schemas of a node."""
    type_ = type_of(node)
    of_numbers, of_strings = type_ in _NUMBERS, type_ in _STRINGS
    return Constraints(
        type=type_,
        bounds=_bounds(node, type_),
        multiples=_multiples(node, type_) if of_numbers else frozenset(),
        patterns=frozenset(schema.pattern for schema in node if schema.pattern) if of_strings else frozenset(),
        formats=_formats(node, type_, server),
        enum=_enum(node),
        required=frozenset(name for schema in node for name in schema.required) if type_ in _OBJECTS else frozenset(),
    )


def _multiples(node: Conjunction, type_: str) -> frozenset[float]:
    factors = frozenset(schema.multiple_of for schema in node if schema.multiple_of)
    # Every integer is a multiple of 1, and of 1 divided by an integer.
    return frozenset(factor for factor in factors if not (1 / factor).is_integer()) if type_ == "integer" else factors


def _bounds(node: Conjunction, type_: str) -> dict[str, Bound]:
    bounds: dict[str, Bound] = {}
    for limit in LIMITS:
        if type_ not in limit.types:
            continue
        for bound in _given_bounds(node, limit, type_):
            known = bounds.get(limit.attribute)
            if bound.tighter_than(known, is_upper=limit.is_upper):
                bounds[limit.attribute] = bound
    for attribute in ("min_length", "min_items", "min_properties"):
        if attribute in bounds and bounds[attribute].value <= 0:
            del bounds[attribute]
    return bounds


def _given_bounds(node: Conjunction, limit: Limit, type_: str) -> Iterable[Bound]:
    for schema in node:
        value = getattr(schema, limit.attribute)
        if value is not None:
            is_strict = bool(getattr(schema, f"exclusive_{limit.attribute}", False))
            bound = Bound(value, is_strict)
            yield bound.of_integers(is_upper=limit.is_upper) if type_ == "integer" else bound


def format_bound(formats: frozenset[str], attribute: str) -> Bound | None:
    """Return the bound that the format of an integer implies."""
    end = {"minimum": 0, "maximum": 1}.get(attribute)
    ranges = [_RANGES[name] for name in formats if name in _RANGES]
    if end is None or not ranges:
        return None
    values = [range_[end] for range_ in ranges]
    return Bound(min(values) if end else max(values))


def _formats(node: Conjunction, type_: str, server: Server) -> frozenset[str]:
    formats = {schema.format for schema in node if schema.format}
    if not formats:
        return frozenset()
    if type_ in {"integer", "number"}:
        return frozenset(formats.intersection(NUMBER_FORMATS))
    if type_ not in _STRINGS:
        return frozenset()
    return frozenset(normalized(name) for name in formats if is_supported(name, server)) - _UNCHECKED


_UNCHECKED: Final = frozenset({"password"})  # any string is one


def _enum(node: Conjunction) -> dict[Any, Any] | None:
    common: dict[Any, Any] | None = None
    for schema in node:
        if schema.enum:
            values = {equality_key(value): value for value in schema.enum}
            common = values if common is None else {key: value for key, value in common.items() if key in values}
    return common
