"""What schemas require of a value: their constraints, folded, and digests, equal for schemas that accept and prune alike."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, Final

from crdlint.changes.conjunction import Conjunction
from crdlint.crd.model import JSONSchemaProps
from crdlint.golang import regexp_language
from crdlint.golang.regexp_language import PartialError, UnsupportedError
from crdlint.kubecel.syntax_trees import rule_key
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.light import dataclass
from crdlint.safety import work
from crdlint.safety.work import run_calls
from crdlint.schema.deep_equal import equality_key
from crdlint.schema.formats import is_supported, normalized
from crdlint.schema.numbers import FORMATS, integer_range


@dataclass(frozen=True, slots=True)
class Limit:
    """A keyword that bounds values from above or below, the types of the values that it bounds, and what breaks it."""

    attribute: str
    keyword: str
    is_upper: bool
    types: frozenset[str]
    breaking: str  # values that break it, with {} for the bound and {s} for the ending of a plural
    empty: str = ""  # values that break a lower bound of 1

    def condition(self, number: float, value: str = "self", *, is_strict: bool = False) -> str:
        """Return the limit of a value in CEL: of a number itself, of anything else its size."""
        bounded = value if self.types is _NUMBERS else f"size({value})"
        operator = "<" if self.is_upper else ">"
        if not is_strict:
            operator += "="
        return f"{bounded} {operator} {number}"


_NUMBERS: Final = frozenset({"", "integer", "number", "int-or-string"})
_STRINGS: Final = frozenset({"", "string", "int-or-string"})
_LISTS: Final = frozenset({"", "array"})
_OBJECTS: Final = frozenset({"", "object"})

LIMITS: Final = (
    Limit("maximum", "maximum", True, _NUMBERS, "values above {}"),
    Limit("minimum", "minimum", False, _NUMBERS, "values below {}"),
    Limit("max_length", "maxLength", True, _STRINGS, "values of more than {} character{s}"),
    Limit(
        "min_length",
        "minLength",
        False,
        _STRINGS,
        "values of fewer than {} characters",
        "empty values",
    ),
    Limit("max_items", "maxItems", True, _LISTS, "lists of more than {} item{s}"),
    Limit("min_items", "minItems", False, _LISTS, "lists of fewer than {} items", "empty lists"),
    Limit("max_properties", "maxProperties", True, _OBJECTS, "objects of more than {} field{s}"),
    Limit(
        "min_properties",
        "minProperties",
        False,
        _OBJECTS,
        "objects of fewer than {} fields",
        "empty objects",
    ),
)
CONTAINER_LIMITS: Final = frozenset({"max_items", "min_items", "max_properties", "min_properties"})
NUMBER_FORMATS: Final = (*FORMATS["integer"], *FORMATS["number"])


@dataclass(frozen=True, slots=True)
class Bound:
    """The value of an upper or lower limit; ``is_strict`` excludes the value itself."""

    value: float
    is_upper: bool
    is_strict: bool = False

    @property
    def tightness(self) -> tuple[float, bool]:
        """What is greater for a bound that excludes more values."""
        return -self.value if self.is_upper else self.value, self.is_strict

    def tighter_than(self, other: Bound | None) -> bool:
        """Return whether this bound excludes a value that the other one, or none, accepts."""
        return other is None or self.tightness > other.tightness

    def of_integers(self) -> Bound:
        """Return the same bound for integers, which includes its own value."""
        lowest, is_strict = self.tightness
        if not math.isfinite(lowest):
            return self
        nearest = math.floor(lowest) + 1 if is_strict else math.ceil(lowest)
        return Bound(-nearest if self.is_upper else nearest, self.is_upper)


@dataclass(frozen=True, slots=True)
class Constraints:
    """What values of a node must fulfil, whichever of its schemas requires it; what no value can break is left out.

    ``enum`` has the values by their keys of equality, None for no enumeration. ``formats`` are those that servers check.
    """

    type: str
    bounds: Mapping[str, Bound]
    multiples: frozenset[float]
    patterns: frozenset[str]
    formats: frozenset[str]
    enum: Mapping[Any, Any] | None
    required: frozenset[str]

    @property
    def lengths(self) -> tuple[float, float | None]:
        """The lengths of the shortest and the longest text, None for any length."""
        longest = self.bounds.get("max_length")
        shortest = self.bounds.get("min_length", _NO_LENGTH).value
        return shortest, None if longest is None else longest.value

    def imply_pattern(self, pattern: str) -> bool:
        """Return whether one of the patterns matches no text that another pattern does not match."""
        relations = (pattern_relation(own, pattern, *self.lengths) for own in self.patterns)
        return any(relation.is_covered for relation in relations)


_NO_LENGTH: Final = Bound(0, is_upper=False)


def constraints(node: Conjunction, server: Server) -> Constraints:
    """Fold the schemas of a node."""
    type_ = node.type
    return Constraints(
        type=type_,
        bounds=_bounds(node, type_),
        multiples=_multiples(node, type_),
        patterns=_patterns(node, type_),
        formats=_formats(node, type_, server),
        enum=_enum(node),
        required=frozenset(node.required if type_ in _OBJECTS else ()),
    )


def _multiples(node: Conjunction, type_: str) -> frozenset[float]:
    if type_ not in _NUMBERS:
        return frozenset()
    factors = {schema.multiple_of for schema in node}
    if type_ == "integer":
        # Every integer is a multiple of 1, but servers accept none where the factor has a fraction.
        factors.discard(1)
    return frozenset(filter(None, factors))


def _patterns(node: Conjunction, type_: str) -> frozenset[str]:
    if type_ not in _STRINGS:
        return frozenset()
    return frozenset(schema.pattern for schema in node if schema.pattern)


def _bounds(node: Conjunction, type_: str) -> dict[str, Bound]:
    bounds: dict[str, Bound] = {}
    limits = [limit for limit in LIMITS if type_ in limit.types]
    for limit, schema in product(limits, node):
        bound = _bound(limit, schema)
        if bound is None:
            continue
        if type_ == "integer":
            bound = bound.of_integers()
        if bound.tighter_than(bounds.get(limit.attribute)):
            bounds[limit.attribute] = bound
    return bounds


def _bound(limit: Limit, schema: JSONSchemaProps) -> Bound | None:
    """Return the value of a limit, None without one, or if no value can break it."""
    value = getattr(schema, limit.attribute)
    if value is None or (value <= 0 and limit.empty):
        return None
    is_strict = bool(getattr(schema, f"exclusive_{limit.attribute}", False))
    return Bound(value, limit.is_upper, is_strict)


def format_bound(formats: frozenset[str], attribute: str) -> Bound | None:
    """Return the bound that the formats of an integer imply, as `minimum` and `maximum` do."""
    if formats.isdisjoint(FORMATS["integer"]) or attribute not in {"minimum", "maximum"}:
        return None
    low, high = integer_range("int32" if "int32" in formats else "int64")
    return Bound(high, is_upper=True) if attribute == "maximum" else Bound(low, is_upper=False)


def _formats(node: Conjunction, type_: str, server: Server) -> frozenset[str]:
    formats = frozenset(schema.format for schema in node) - {""}
    if type_ in {"integer", "number"}:
        return formats.intersection(NUMBER_FORMATS)
    if type_ not in _STRINGS:
        return frozenset()
    checked = {normalized(name) for name in formats if is_supported(name, server)}
    if "datetime" in checked:
        checked |= {"date-time"}
    return frozenset(checked - {"datetime", "password"})  # any string is a password


def _enum(node: Conjunction) -> dict[Any, Any] | None:
    enums = [by_equality(schema.enum) for schema in node if schema.enum]
    if not enums:
        return None
    common, *others = enums
    common.pop(equality_key(None), None)  # no server accepts it
    for values in others:
        common = {key: value for key, value in common.items() if key in values}
    return common


def by_equality(values: Iterable[Any]) -> dict[Any, Any]:
    """Return values by their keys of equality."""
    return {equality_key(value): value for value in values}


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The digest of a schema, and the number of its nodes."""

    digest: str
    nodes: int


def fingerprint(node: Conjunction) -> Fingerprint:
    """Return the fingerprint of schemas that apply to the same value; their depth is bounded by memory only."""
    return run_calls(_of(node))


def _of(node: Conjunction) -> Generator[Any, Any, Fingerprint]:
    count = 1
    below: list[Any] = []
    for name, child in sorted(node.properties().items()):
        fingerprint = yield _of(child)
        below.append(("properties", name, fingerprint.digest))
        count += fingerprint.nodes
    for field, child in (("items", node.list_items()), ("additionalProperties", node.map_values())):
        if child:
            fingerprint = yield _of(child)
            below.append((field, fingerprint.digest))
            count += fingerprint.nodes
    for kind, _, branches in junctors_of(node):
        digests = []
        for branch in branches:
            fingerprint = yield _of(Conjunction.of(branch))
            digests.append(fingerprint.digest)
        below.append((kind, tuple(sorted(digests))))
    own = repr((_own(node), sorted(below)))
    return Fingerprint(hashlib.sha256(own.encode("utf-8", "surrogatepass")).hexdigest(), count)


JUNCTORS: Final = {"anyOf": "any_of", "oneOf": "one_of", "not": "not_"}  # and their attributes


def branches_of(schema: JSONSchemaProps, kind: str) -> Sequence[JSONSchemaProps]:
    """Return the branches of one of JUNCTORS."""
    if kind == "not":
        return () if schema.not_ is None else (schema.not_,)
    return schema.any_of if kind == "anyOf" else schema.one_of


def junctors_of(
    node: Conjunction,
) -> Iterator[tuple[str, JSONSchemaProps, Sequence[JSONSchemaProps]]]:
    """Yield the kind, the schema and the branches of each junctor, but for a single branch, which `conjunction` takes."""
    for kind, schema in product(JUNCTORS, node):
        branches = branches_of(schema, kind)
        if len(branches) > (kind != "not"):
            yield kind, schema, branches


def _own(node: Conjunction) -> tuple[Any, ...]:
    """Return what schemas require of a value itself, in an order that does not depend on theirs."""
    folded = constraints(node, NEWEST)
    first = node[0]
    list_type = first.applied_list_type if folded.type == "array" else ""
    return (
        folded.type,
        sorted((name, bound.value, bound.is_strict) for name, bound in folded.bounds.items()),
        sorted(folded.multiples),
        sorted(folded.patterns),
        sorted(folded.formats),
        None if folded.enum is None else sorted(map(repr, folded.enum)),
        sorted(folded.required),
        node.is_nullable,
        repr(equality_key(first.default_value)),
        node.keeps_unknown_fields,
        first.x_embedded_resource,
        list_type,
        sorted(first.x_list_map_keys),
        first.applied_map_type,
        sorted(rule_key(rule.rule) for rule in node.rules()),
    )


_STEPS: Final = 2  # of a comparison for one step of work
_LONGEST: Final = 1000  # characters of a pattern that is compared
_SHORTEST: Final = 64  # the largest lower limit of lengths that is taken into account
_MOST_CLASSES: Final = 8  # Unicode classes of two patterns
_CLASS_STEPS: Final = 100_000  # for the members of a Unicode class


@dataclass(frozen=True, slots=True)
class Relation:
    """How the languages of two patterns differ.

    ``lost`` matches the old pattern only, and ``gained`` the new one only; None if there is no such text or, unless
    ``is_decided``, none was found.
    """

    is_decided: bool
    lost: str | None = None
    gained: str | None = None

    @property
    def is_covered(self) -> bool:
        """Whether the new pattern matches all texts of the old one."""
        return self.is_decided and self.lost is None

    @property
    def covers(self) -> bool:
        """Whether the old pattern matches all texts of the new one."""
        return self.is_decided and self.gained is None


def pattern_of(values: Iterable[Any]) -> str:
    """Return a pattern that matches only the texts of some values."""
    return f"^(?:{'|'.join(re.escape(value) for value in values if isinstance(value, str))})$"


def pattern_relation(
    old: str,
    new: str,
    shortest: float = 0,
    longest: float | None = None,
) -> Relation:
    """Return how the languages of patterns differ for texts of ``shortest`` to ``longest`` characters, None if it is unknown."""
    if old == new:
        return Relation(is_decided=True)
    try:
        least = int(shortest) if 0 <= shortest <= _SHORTEST else 0
        result, steps = _compared(
            old,
            new,
            least,
            None if longest is None else int(longest),
        )
        work.spend(steps // _STEPS)
    except work.WorkLimitError:
        return Relation(is_decided=False)
    return result


@lru_cache(maxsize=512)
def _compared(
    old: str,
    new: str,
    shortest: int,
    longest: int | None,
) -> tuple[Relation, int]:
    try:
        classes = _classes_to_compare(old, new)
    except UnsupportedError:
        return Relation(is_decided=False), 0
    steps = regexp_language.MOST_STEPS + classes * _CLASS_STEPS
    try:
        comparison = regexp_language.compare(old, new, shortest, longest)
    except PartialError as error:
        return Relation(is_decided=False, lost=error.only_first, gained=error.only_second), steps
    except UnsupportedError:
        return Relation(is_decided=False), steps
    steps = comparison.steps + classes * _CLASS_STEPS
    return Relation(
        is_decided=True,
        lost=comparison.only_first,
        gained=comparison.only_second,
    ), steps


def patterns_exclude(first: str, second: str) -> bool:
    """Return whether it is known that no text matches two patterns."""
    try:
        text, steps = _common_text(first, second)
        work.spend(steps // _STEPS)
    except (UnsupportedError, work.WorkLimitError):
        return False
    return text is None


@lru_cache(maxsize=512)
def _common_text(first: str, second: str) -> tuple[str | None, int]:
    classes = _classes_to_compare(first, second)
    text, steps = regexp_language.common_text(first, second)
    return text, steps + classes * _CLASS_STEPS


def _classes_to_compare(*patterns: str) -> int:
    """Return the number of Unicode classes of patterns; raise UnsupportedError for patterns that take too long."""
    classes = sum(map(_classes, patterns))
    if max(map(len, patterns)) > _LONGEST or classes > _MOST_CLASSES:
        raise UnsupportedError
    return classes


def _classes(pattern: str) -> int:
    """Return the number of Unicode classes of a pattern, whose members take long to find."""
    return pattern.count(r"\p") + pattern.count(r"\P")


def length_bound(pattern: str, *, is_upper: bool) -> Bound | None:
    """Return the length of the longest or the shortest text that a pattern matches, None if it is not known."""
    try:
        shortest, longest = _lengths(pattern)
        work.spend((regexp_language.MOST_STEPS + _classes(pattern) * _CLASS_STEPS) // _STEPS)
    except (UnsupportedError, work.WorkLimitError):
        return None
    length = longest if is_upper else shortest
    return None if length is None else Bound(length, is_upper)


@lru_cache(maxsize=512)
def _lengths(pattern: str) -> tuple[int, int | None]:
    _classes_to_compare(pattern)
    return regexp_language.lengths(pattern)
