"""Values against a schema (kube-openapi pkg/validation/validate, as apiextensions pkg/apiserver/validation uses it).

A schema is compiled, as far as values reach it, into checks for each type of value; objects, lists and what has anyOf,
oneOf, allOf or not are walked by generators that ``_run`` drives, so that no depth is too great. What a value matches is
counted as upstream counts it: the count picks the alternative whose errors are told.

Keywords that no CRD may have are left out: patternProperties, dependencies, additionalItems, $ref, lists of items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.errors import INVALID, Code, Reason, not_evaluated
from crdlint.crd.paths import printable
from crdlint.golang.matching import PatternError, matches
from crdlint.golang.text import quote
from crdlint.kubernetes.servers import NEWEST
from crdlint.safety import calls
from crdlint.safety.work import WorkLimitError
from crdlint.schema import numbers
from crdlint.schema.correlation import Correlation
from crdlint.schema.formats import FORMATS, is_registered, is_supported, normalized
from crdlint.schema.value_errors import (
    ADDITIONAL,
    INDEX,
    PROPERTY,
    Violation,
    field_errors,
    invalid,
    missing,
    mistyped,
    not_in,
    nowhere,
    too_long,
    too_many,
    unformatted,
)
from crdlint.schema.values import deep_equal, equality_key

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import TypeAlias

    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.kubernetes.servers import Server
    from crdlint.schema.value_errors import ValuePath

    Found: TypeAlias = list[Violation]
    Check: TypeAlias = Callable[[Any, ValuePath, Found], None]
    # A check of a whole value that calls no other: it returns how much matched.
    Flat: TypeAlias = Callable[[Any, ValuePath, Found], int]
    # A walk yields the walks that it waits for, and returns how much matched.
    Walk: TypeAlias = Generator["Walk", int, int]

_TYPES: Final[dict[type, tuple[str, str]]] = {  # of values: the type in JSON schemas, and Go's format of it
    bool: ("boolean", ""),
    str: ("string", ""),
    int: ("integer", "int64"),
    float: ("number", "float64"),
    list: ("array", ""),
    dict: ("object", ""),
}
_NUMBER_FORMATS: Final = {"integer": ("int32", "int64"), "number": ("float", "double")}
_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})
_TYPE_META: Final = frozenset({"apiVersion", "kind"})


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a server reads a schema.

    In ``structural`` form, as for defaults (ToKubeOpenAPI), or as the schema of a resource (ConvertJSONSchemaProps):
    formats that the server does not support are none, and int-or-string names two types.
    """

    server: Server
    structural: bool

    def types(self, schema: JSONSchemaProps) -> tuple[str, ...]:
        """Return the types that a value may be of; none are all."""
        if schema.x_int_or_string and not self.structural:
            return ("integer", "string")
        return (schema.type,) if schema.type else ()

    def format(self, schema: JSONSchemaProps) -> str:
        """Return the format as far as it counts, empty otherwise."""
        name = schema.format
        if not name or self.structural:
            return name
        if not self.server.checks_number_ranges:  # nor looks at the type
            return name if is_supported(name, self.server) else ""
        types = self.types(schema)
        type_ = types[0] if len(types) == 1 else ""
        if type_ in {"", "string"}:
            return name if is_supported(name, self.server) else ""
        return name if name in _NUMBER_FORMATS.get(type_, ()) else ""


class ValueValidator:
    """Judges values by a schema; made once, and used for as many values as there are."""

    def __init__(
        self,
        schema: JSONSchemaProps,
        *,
        structural: bool = False,
        server: Server = NEWEST,
    ) -> None:
        """Prepare a schema as that of a resource, or with ``structural`` as that of defaults."""
        self._schema = schema
        self._root = _Node(schema, Dialect(server, structural), nested=False)

    def validate(self, value: Any, path: Path | None = None) -> list[FieldError]:
        """Return what is wrong with a value at ``path``, None for a whole resource (ValidateCustomResource)."""
        return self._errors(value, path, None)

    def validate_update(
        self, value: Any, old: Any, path: Path | None = None, *, correlation: Correlation | None = None
    ) -> list[FieldError]:
        """Return what is wrong with a value and was not already with the old one (ValidateCustomResourceUpdate).

        Errors within what did not change are let pass. ``correlation`` of the two may be shared with other checks.
        """
        return self._errors(value, path, correlation or Correlation(value, old, self._schema))

    def _errors(self, value: Any, path: Path | None, old: Correlation | None) -> list[FieldError]:
        found: Found = []
        flat = self._root.flat[value.__class__]
        try:
            if flat is not None:
                flat(value, None, found)
            else:
                calls.run(self._root.walk(value, None, found, old))
        except WorkLimitError as limit:
            # Whether an update lets the errors found so far pass is no longer known.
            return [*(field_errors(found, path) if old is None else ()), not_evaluated(printable(path), limit)]
        if not found or (old is not None and old.equal()):
            return []
        return field_errors(found, path)


class _Flats(dict[type, "Flat | None"]):
    """The flat check for each type of value; None for types that need a walk.

    It does not refer to the node that it belongs to, so that reference counting alone frees both.
    """

    __slots__ = ("_dialect", "_schema")

    def __init__(self, schema: JSONSchemaProps, dialect: Dialect) -> None:
        self._schema = schema
        self._dialect = dialect

    def __missing__(self, kind: type) -> Flat | None:
        made = self[kind] = _flat_check(self._schema, self._dialect, kind)
        return made


def _flat_check(schema: JSONSchemaProps, dialect: Dialect, kind: type) -> Flat | None:
    """Return the check of values of a type, None where they need a walk."""
    if kind is type(None):
        return _null_check(schema, dialect.types(schema))
    if kind in _CONTAINERS or schema.any_of or schema.one_of or schema.all_of or schema.not_ is not None:
        return None
    own = _own_checks(schema, dialect, kind)
    if own.type is None and not own.rest:
        return lambda _value, _place, _found: own.matches

    def check(value: Any, place: ValuePath, found: Found) -> int:
        matched = own.matches
        if own.type is not None and own.type(value, place, found):
            matched -= 1
        for one in own.rest:
            one(value, place, found)
        return matched

    return check


class _Node:
    """A schema in preparation: checks are made for the types of values that reach it."""

    __slots__ = ("_additional", "_alternatives", "_own", "_properties", "dialect", "flat", "items", "nested", "schema")

    def __init__(self, schema: JSONSchemaProps, dialect: Dialect, *, nested: bool) -> None:
        """``nested`` tells that it stands below allOf, anyOf, oneOf or not."""
        self.schema = schema
        self.dialect = dialect
        self.nested = nested
        self.flat = _Flats(schema, dialect)
        self.items: _Node | None = None
        self._properties: dict[str, _Node] | None = None
        self._additional: _Node | None = None
        self._alternatives: dict[str, list[_Node]] | None = None
        self._own: dict[type, _Own] = {}

    def _own_checks(self, kind: type) -> _Own:
        own = self._own.get(kind)
        if own is None:
            own = self._own[kind] = _own_checks(self.schema, self.dialect, kind)
        return own

    def walk(self, value: Any, place: ValuePath, found: Found, old: Correlation | None) -> Walk:
        """Check a value whose flat check is None."""
        own = self._own_checks(value.__class__)
        matched = own.matches
        if own.type is not None and own.type(value, place, found):
            matched -= 1
        schema = self.schema
        if schema.any_of or schema.one_of or schema.all_of or schema.not_ is not None:
            matched += yield self._junctors(value, place, found)
        # Of an object, upstream looks at the enum first, of a list last.
        if value.__class__ is list:
            matched += yield self._list(value, place, found, old)
        for one in own.rest:
            one(value, place, found)
        if value.__class__ is dict:
            matched += yield self._object(value, place, found, old)
        return matched

    def _object(self, value: dict[str, Any], place: ValuePath, found: Found, old: Correlation | None) -> Walk:
        if self._properties is None:
            self._prepare_object()
        properties, additional = self._properties, self._additional
        assert properties is not None  # noqa: S101  just prepared
        schema = self.schema
        forbidden = schema.additional_properties is not None and not schema.additional_properties.allows
        matched = 0
        for name, item in value.items():
            child = properties.get(name)
            how = PROPERTY
            if child is None:
                if forbidden and not self._drops_additional:
                    found.append(_forbidden(place, name))
                if additional is None:
                    continue
                child, how = additional, ADDITIONAL
            below = None
            if old is not None and not (place is None and name in _TYPE_META):
                below = old.key(name)
            flat = child.flat[item.__class__]
            before = len(found)
            at = (place, name, how)
            matched += flat(item, at, found) if flat is not None else (yield child.walk(item, at, found, below))
            if below is not None and len(found) > before and below.equal():
                del found[before:]
        found.extend(missing(place, name) for name in schema.required if name not in value)
        return matched

    @property
    def _drops_additional(self) -> bool:
        """Whether additionalProperties fell away on the way to structural form."""
        return self.nested and self.dialect.structural

    def _prepare_object(self) -> None:
        schema = self.schema
        self._properties = {name: self._below(child) for name, child in schema.properties.items()}
        additional = schema.additional_properties
        if additional is not None and additional.schema is not None and not self._drops_additional:
            self._additional = self._below(additional.schema)

    def _below(self, schema: JSONSchemaProps, *, nested: bool = False) -> _Node:
        return _Node(schema, self.dialect, nested=nested or self.nested)

    def _list(self, value: list[Any], place: ValuePath, found: Found, old: Correlation | None) -> Walk:
        schema = self.schema
        if schema.items is None or schema.items.schema is None:
            return 0
        if self.items is None:
            self.items = self._below(schema.items.schema)
        child = self.items
        matched = 0
        for i, item in enumerate(value):
            below = None if old is None else old.index(i)
            flat = child.flat[item.__class__]
            before = len(found)
            at = (place, i, INDEX)
            matched += flat(item, at, found) if flat is not None else (yield child.walk(item, at, found, below))
            if below is not None and len(found) > before and below.equal():
                del found[before:]
        return matched

    def _junctors(self, value: Any, place: ValuePath, found: Found) -> Walk:
        if self._alternatives is None:
            schema = self.schema
            self._alternatives = {
                name: [self._below(one, nested=True) for one in given]
                for name, given in (
                    ("anyOf", schema.any_of),
                    ("oneOf", schema.one_of),
                    ("allOf", schema.all_of),
                    ("not", [] if schema.not_ is None else [schema.not_]),
                )
                if given
            }
        matched = 0
        for name, nodes in self._alternatives.items():
            matched += yield _JUNCTORS[name](nodes, value, place, found)
        return matched


@dataclass(frozen=True, slots=True)
class _Own:
    """The checks of a value by itself: of its type (true where it has another), and the rest.

    ``matches`` is what counts as matched where the type is right, whatever the rest finds.
    """

    matches: int
    type: Callable[[Any, ValuePath, Found], bool] | None
    rest: tuple[Check, ...]


def _own_checks(schema: JSONSchemaProps, dialect: Dialect, kind: type) -> _Own:
    types, format_ = dialect.types(schema), dialect.format(schema)
    has_format = kind is str and is_registered(format_, dialect.server)
    is_number = kind is int or kind is float
    rest: list[Check] = []
    if kind is str:
        rest.extend(_string_checks(schema))
        if has_format:
            rest.append(_format_check(format_))
    elif is_number:
        # Without a type and a format, numbers have no range.
        typed = (types, format_) if dialect.server.checks_number_ranges else ((), "")
        rest.extend(numbers.checks(schema, *typed, kind))
    elif kind is list:
        rest.extend(_list_checks(schema))
    if schema.enum:
        rest.append(_enum_check(schema.enum, kind))
    if kind is dict:
        rest.extend(_size_checks(schema))
    # One for each of upstream's validators that applies and one more, then what they count themselves.
    matches = 3 + (kind is not bool) + has_format + 1 + (is_number or kind is list)
    if types or format_:
        matches += 2
    return _Own(matches, _type_check(types, format_, kind), tuple(rest))


def _null_check(schema: JSONSchemaProps, types: tuple[str, ...]) -> Flat:
    enum = schema.enum

    def check(value: Any, place: ValuePath, found: Found) -> int:
        mismatched = bool(types) and not schema.nullable
        if mismatched:
            found.append(mistyped(place, ",".join(types), "null"))
        if enum:
            found.append(not_in(place, value, enum))
        return 0 if mismatched else 1

    return check


def _type_check(types: tuple[str, ...], format_: str, kind: type) -> Callable[[Any, ValuePath, Found], bool] | None:
    """Return the check of a value's type, None where every value of that type of Python's passes (typeValidator)."""
    if not types and not format_:
        return None
    given, go_format = _TYPES[kind]
    right = given in types or (kind is int and "number" in types)
    textual = kind is str or kind is list
    wanted, shown = ",".join(types), given
    if format_ and textual:
        # Upstream holds no list against a format of strings.
        right = right or not ("number" in types or "integer" in types)
    elif format_ and go_format != format_ and not right:
        wanted, shown = format_, go_format
    if right:
        return None
    error = unformatted if wanted == format_ else mistyped
    may_be_whole = kind is float and "integer" in types

    def check(value: Any, place: ValuePath, found: Found) -> bool:
        if may_be_whole and numbers.is_json_integer(value):
            return False
        found.append(error(place, wanted, shown))
        return True

    return check


def _string_checks(schema: JSONSchemaProps) -> list[Check]:
    """Return the one check of a text's length and pattern, which ends at the first error; none where there is nothing."""
    longest, shortest, pattern = schema.max_length, schema.min_length, schema.pattern
    if longest is None and shortest is None and not pattern:
        return []

    def check(value: str, place: ValuePath, found: Found) -> None:
        size = len(value)
        if longest is not None and size > longest:
            found.append(too_long(place, longest))
        elif shortest is not None and size < shortest:
            found.append(
                invalid(place, value, f"should be at least {shortest} chars long", Reason(Code.TOO_SHORT, (shortest,)))
            )
        elif pattern:
            wanted = _mismatch(pattern, value)
            if wanted is not None:
                found.append(invalid(place, value, f"should match '{wanted}'", Reason(Code.PATTERN, (wanted,))))

    return [check]


def _format_check(format_: str) -> Check:
    has = FORMATS[normalized(format_)]

    def check(value: str, place: ValuePath, found: Found) -> None:
        if not has(value):
            found.append(unformatted(place, format_, value))

    return check


def _list_checks(schema: JSONSchemaProps) -> list[Check]:
    fewest, most = schema.min_items, schema.max_items
    found_checks: list[Check] = []
    if fewest is not None or most is not None:

        def size_check(value: list[Any], place: ValuePath, found: Found) -> None:
            size = len(value)
            if fewest is not None and size < fewest:
                found.append(
                    invalid(
                        place, size, f"should have at least {fewest} items", Reason(Code.TOO_FEW, (fewest, "items"))
                    )
                )
            if most is not None and size > most:
                found.append(too_many(place, size, most))

        found_checks.append(size_check)
    if schema.unique_items:
        found_checks.append(_unique_check)
    return found_checks


def _unique_check(value: list[Any], place: ValuePath, found: Found) -> None:
    if len(set(map(equality_key, value))) < len(value):
        found.append(invalid(place, "", "shouldn't contain duplicates", Reason(Code.NOT_UNIQUE)))


def _size_checks(schema: JSONSchemaProps) -> list[Check]:
    fewest, most = schema.min_properties, schema.max_properties
    if fewest is None and most is None:
        return []

    def check(value: dict[str, Any], place: ValuePath, found: Found) -> None:
        size = len(value)
        if fewest is not None and size < fewest:
            found.append(
                invalid(
                    place,
                    size,
                    f"should have at least {fewest} properties",
                    Reason(Code.TOO_FEW, (fewest, "properties")),
                )
            )
        if most is not None and size > most:
            found.append(too_many(place, size, most))

    return [check]


def _forbidden(place: ValuePath, name: str) -> Violation:
    return Violation(INVALID, place, name, lambda text: f"{text}.{name} in body is a forbidden property")


def _enum_check(allowed: Sequence[Any], kind: type) -> Check:
    """Return the check that a value is one of some, once Go has converted it to the type of each."""
    convert = _CONVERSIONS.get(kind, {})
    exact: set[Any] = set()
    tests: list[tuple[Callable[[Any], Any], Any]] = []
    for one in allowed:
        if one.__class__ in convert:
            tests.append((convert[one.__class__], one))
        elif one.__class__ is kind and kind not in _CONTAINERS:
            exact.add(one)
        elif one.__class__ is kind:
            tests.append((_itself, one))

    def check(value: Any, place: ValuePath, found: Found) -> None:
        if (not exact or value not in exact) and not any(deep_equal(as_(value), one) for as_, one in tests):
            found.append(not_in(place, value, allowed))

    return check


def _itself(value: Any) -> Any:
    return value


def _as_rune(value: int) -> str:
    """Return Go's string of an integer: the character of that number."""
    return chr(value) if 0 <= value < 0xD800 or 0xE000 <= value <= 0x10FFFF else "\ufffd"


_CONVERSIONS: Final[dict[type, dict[type, Callable[[Any], Any]]]] = {
    int: {float: float, str: _as_rune},
    float: {int: numbers.to_int64},
}


def _try(node: _Node, value: Any, place: ValuePath, found: Found) -> Walk:
    """Check a value by an alternative, with errors of its own."""
    flat = node.flat[value.__class__]
    if flat is not None:
        return flat(value, place, found)
    return (yield node.walk(value, place, found, None))


def _any_of(nodes: list[_Node], value: Any, place: ValuePath, found: Found) -> Walk:
    best: Found = []
    most = -1
    for node in nodes:
        own: Found = []
        matched = yield _try(node, value, place, own)
        if not own:
            return matched
        if matched > most:
            best, most = own, matched
    found.append(_composite(place, "must validate at least one schema (anyOf)", Reason(Code.ANY_OF)))
    found.extend(best)
    return most


def _one_of(nodes: list[_Node], value: Any, place: ValuePath, found: Found) -> Walk:
    best: Found = []
    most = -1
    first = valid = 0
    for node in nodes:
        own: Found = []
        matched = yield _try(node, value, place, own)
        if not own:
            first = matched if not valid else first
            valid += 1
        elif matched > most:
            best, most = own, matched
    if valid == 1:
        return first
    if valid:
        words = f"Found {valid} valid alternatives"
        found.append(_composite(place, f"must validate one and only one schema (oneOf). {words}", Reason(Code.ONE_OF)))
        return 0
    found.append(
        _composite(place, "must validate one and only one schema (oneOf). Found none valid", Reason(Code.ONE_OF))
    )
    found.extend(best)
    return most


def _all_of(nodes: list[_Node], value: Any, place: ValuePath, found: Found) -> Walk:
    matched = valid = 0
    for node in nodes:
        before = len(found)
        matched += yield _try(node, value, place, found)
        valid += len(found) == before
    if valid != len(nodes):
        found.append(_composite(place, f"must validate all the schemas (allOf){'' if valid else '. None validated'}"))
    return matched


def _not(nodes: list[_Node], value: Any, place: ValuePath, found: Found) -> Walk:
    own: Found = []
    yield _try(nodes[0], value, place, own)
    if not own:
        found.append(_composite(place, "must not validate the schema (not)"))
    return 0


def _composite(place: ValuePath, words: str, reason: Reason | None = None) -> Violation:
    return nowhere(place, lambda text: f"{quote(text)} {words}", reason)


_JUNCTORS: Final[dict[str, Callable[[list[_Node], Any, ValuePath, Found], Walk]]] = {
    "anyOf": _any_of,
    "oneOf": _one_of,
    "allOf": _all_of,
    "not": _not,
}


def _mismatch(pattern: str, text: str) -> str | None:
    """Return None for a text that has a match, else the pattern as it is named in the refusal; raise WorkLimitError."""
    try:
        return None if matches(pattern, text) else pattern
    except PatternError as error:
        return f"{pattern}, but pattern is invalid: {error}"
