"""Validation of values. Upstream: kube-openapi pkg/validation/validate, as apiextensions pkg/apiserver/validation uses it.

A schema is compiled on demand into checks for each type of value. Objects, lists, and schemas with anyOf, oneOf, allOf
or not are walked by generators that `_run` drives, so that only memory limits the depth. Matches are counted as
upstream counts them, because the count determines the alternative whose errors are reported.

Keywords that CRDs cannot have are not implemented: patternProperties, dependencies, additionalItems, $ref, lists of items.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import cached_property, lru_cache
from math import inf
from typing import Any, Final, TypeAlias

from crdlint.crd.errors import INVALID, Code, FieldError, Reason, not_evaluated
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import ADDITIONAL, INDEX, NIL, PROPERTY, Path, ValuePath
from crdlint.crd.record import PROVENANCE
from crdlint.golang.printing import is_json_integer
from crdlint.golang.text import quote
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.light import dataclass
from crdlint.safety.work import WorkLimitError, run_calls
from crdlint.schema import numbers
from crdlint.schema.correlation import Correlation
from crdlint.schema.deep_equal import deep_equal, equality_key
from crdlint.schema.formats import FORMATS, is_registered, is_supported, normalized
from crdlint.schema.value_errors import (
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

Found: TypeAlias = list[Violation]
Check: TypeAlias = Callable[[Any, ValuePath, Found], None]
# A check of a whole value without its children: it returns the number of matches.
Flat: TypeAlias = Callable[[Any, ValuePath, Found], int]
# A walk yields the walks that it waits for, and returns the number of matches.
Walk: TypeAlias = Generator["Walk", int, int]

# By Python type: the type in JSON schemas, and its Go format.
_TYPES: Final[dict[type, tuple[str, str]]] = {
    bool: ("boolean", ""),
    str: ("string", ""),
    int: ("integer", "int64"),
    float: ("number", "float64"),
    list: ("array", ""),
    dict: ("object", ""),
}
_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})
_TYPE_META: Final = frozenset({"apiVersion", "kind"})


@dataclass(frozen=True, slots=True)
class Dialect:
    """The interpretation of a schema by a server.

    With `structural`, the schema is in the form for defaults (ToKubeOpenAPI), otherwise in the form for resources
    (ConvertJSONSchemaProps), where unsupported formats are ignored and int-or-string is a list of two types.
    """

    server: Server
    structural: bool

    def types(self, schema: JSONSchemaProps) -> tuple[str, ...]:
        """Return the types that a value may have; empty means all."""
        if schema.x_int_or_string and not self.structural:
            return ("integer", "string")
        return (schema.type,) if schema.type else ()

    def format(self, schema: JSONSchemaProps) -> str:
        """Return the format if it is checked, else an empty string."""
        name = schema.format
        if not name or self.structural:
            return name
        types = self.types(schema)
        has_other_type = len(types) == 1 and types[0] != "string"
        # A server that does not check the ranges of numbers does not check the type of their formats either.
        if has_other_type and self.server.checks_number_ranges:
            is_checked = name in numbers.FORMATS.get(types[0], ())
        else:
            is_checked = is_supported(name, self.server)
        return name if is_checked else ""


class ValueValidator:
    """Validates values against a schema; it can be used for any number of values."""

    def __init__(
        self, schema: JSONSchemaProps, *, structural: bool = False, server: Server = NEWEST
    ) -> None:
        """Prepare a schema in the form for resources or, with `structural`, in the form for defaults."""
        self._schema = schema
        self._dialect = Dialect(server, structural)
        self._flat = _Flats(schema, self._dialect)

    @cached_property
    def _root(self) -> _PreparedSchema:
        return _PreparedSchema(self._schema, self._dialect, nested=False)

    def validate(
        self, value: Any, path: Path | None = None, old: Correlation | None = None
    ) -> list[FieldError]:
        """Return the errors of a value at `path`, None for a whole resource; with `old`, without those it had (ratcheting).

        Upstream: ValidateCustomResource, and ValidateCustomResourceUpdate, which ignores errors in unchanged parts.
        """
        violations: Found = []
        flat = self._flat[value.__class__]
        try:
            if flat is not None:
                flat(value, None, violations)
            else:
                run_calls(self._root.walk(value, None, violations, old))
        except WorkLimitError as limit:
            # On update, it is unknown which errors so far could be ignored.
            errors = field_errors(violations, path) if old is None else []
            return [*errors, not_evaluated(path or NIL, limit)]
        is_unchanged = bool(violations) and old is not None and old.equal()
        if not violations or is_unchanged:
            return []
        return field_errors(violations, path)


class _Flats(dict[type, "Flat | None"]):
    """The flat check for each type of value; None for types that need a walk.

    It has no reference to its node, so that reference counting alone frees both.
    """

    __slots__ = ("_dialect", "_schema")

    def __init__(self, schema: JSONSchemaProps, dialect: Dialect) -> None:
        self._schema = schema
        self._dialect = dialect

    def __missing__(self, kind: type) -> Flat | None:
        schema, dialect = self._schema, self._dialect
        if vars(schema).keys() <= _OF_TYPE_ALONE:
            check = _check_by_type(schema.type, dialect, kind)
        else:
            check = _flat_check(schema, dialect, kind)
        self[kind] = check
        return check


# The attributes of schemas whose type alone decides which values are accepted; there may be very many.
_OF_TYPE_ALONE: Final = frozenset({"type", "title", "description", "default", *PROVENANCE})


@lru_cache(maxsize=256)
def _check_by_type(type_: str, dialect: Dialect, kind: type) -> Flat | None:
    """Return the check of values of a Python type against a schema that only has a type."""
    return _flat_check(JSONSchemaProps.of(type=type_), dialect, kind)


def _flat_check(schema: JSONSchemaProps, dialect: Dialect, kind: type) -> Flat | None:
    """Return the check of values of a type, or None if they need a walk."""
    if kind is type(None):
        return _null_check(schema, dialect.types(schema))
    if kind in _CONTAINERS or _has_junctors(schema):
        return None
    own = _own_checks(schema, dialect, kind)
    if own.type is None and not own.rest:
        return lambda _value, _path, _violations: own.matches
    if own.type is None and len(own.rest) == 1:
        return _with_matches(own.rest[0], own.matches)

    def check(value: Any, value_path: ValuePath, violations: Found) -> int:
        matched = own.matches
        if own.type is not None and own.type(value, value_path, violations):
            matched -= 1
        for check_value in own.rest:
            check_value(value, value_path, violations)
        return matched

    return check


def _with_matches(only: Check, matches: int) -> Flat:
    """Return the check of a value whose type is right and that has to pass only one other check."""

    def check(value: Any, value_path: ValuePath, violations: Found) -> int:
        only(value, value_path, violations)
        return matches

    return check


def _has_junctors(schema: JSONSchemaProps) -> bool:
    """Return whether a schema has `anyOf`, `oneOf`, `allOf` or `not`."""
    if schema.any_of or schema.one_of or schema.all_of:
        return True
    return schema.not_ is not None


class _PreparedSchema:
    """A schema in preparation; checks are created for the types of values that reach it."""

    def __init__(self, schema: JSONSchemaProps, dialect: Dialect, *, nested: bool) -> None:
        """Prepare a schema; `nested` means that it is below allOf, anyOf, oneOf or not."""
        self.schema = schema
        self.dialect = dialect
        self.nested = nested
        self.flat = _Flats(schema, dialect)
        self._own: dict[type, _Own] = {}

    def walk(
        self,
        value: Any,
        value_path: ValuePath,
        violations: Found,
        old: Correlation | None,
    ) -> Walk:
        """Check a value that has no flat check."""
        kind = value.__class__
        own = self._own.get(kind)
        if own is None:
            own = self._own[kind] = _own_checks(self.schema, self.dialect, kind)
        matched = own.matches
        if own.type is not None and own.type(value, value_path, violations):
            matched -= 1
        if self._alternatives:
            matched += yield self._junctors(value, value_path, violations)
        # For an object, upstream checks the enum first, for a list last.
        if kind is list and self._items is not None:
            matched += yield self._list(self._items, value, value_path, violations, old)
        for check_value in own.rest:
            check_value(value, value_path, violations)
        if kind is dict:
            matched += yield self._object(value, value_path, violations, old)
        return matched

    def _object(
        self,
        value: dict[str, Any],
        value_path: ValuePath,
        violations: Found,
        old: Correlation | None,
    ) -> Walk:
        properties, additional = self._properties, self._additional
        matched = 0
        for name, item in value.items():
            child, how = properties.get(name), PROPERTY
            if child is None:
                if self._forbids_additional:
                    violations.append(_forbidden(value_path, name))
                if additional is None:
                    continue
                child, how = additional, ADDITIONAL
            path = (value_path, name, how)
            is_type_meta = value_path is None and name in _TYPE_META
            below = None if old is None or is_type_meta else old.key(name)
            flat = child.flat[item.__class__]
            if below is not None:
                matched += yield _check(child, item, path, violations, below)
            elif flat is not None:
                matched += flat(item, path, violations)
            else:
                matched += yield child.walk(item, path, violations, None)
        absent = [name for name in self.schema.required if name not in value]
        violations.extend(missing(value_path, name) for name in absent)
        return matched

    @property
    def _drops_additional(self) -> bool:
        """Whether conversion to structural form removed additionalProperties."""
        return self.nested and self.dialect.structural

    @cached_property
    def _forbids_additional(self) -> bool:
        additional = self.schema.additional_properties
        if additional is None or self._drops_additional:
            return False
        return not additional.allows

    @cached_property
    def _properties(self) -> dict[str, _PreparedSchema]:
        return {name: self._below(child) for name, child in self.schema.properties.items()}

    @cached_property
    def _additional(self) -> _PreparedSchema | None:
        schema = self.schema.additional_schema
        return None if schema is None or self._drops_additional else self._below(schema)

    @cached_property
    def _items(self) -> _PreparedSchema | None:
        schema = self.schema.item_schema
        return None if schema is None else self._below(schema)

    @cached_property
    def _alternatives(self) -> dict[str, list[_PreparedSchema]]:
        schema = self.schema
        if not _has_junctors(schema):
            return {}
        by_name = {
            "anyOf": schema.any_of,
            "oneOf": schema.one_of,
            "allOf": schema.all_of,
            "not": [] if schema.not_ is None else [schema.not_],
        }
        return {
            name: [self._below(alternative, nested=True) for alternative in alternatives]
            for name, alternatives in by_name.items()
            if alternatives
        }

    def _below(self, schema: JSONSchemaProps, *, nested: bool = False) -> _PreparedSchema:
        return _PreparedSchema(schema, self.dialect, nested=nested or self.nested)

    def _list(
        self,
        child: _PreparedSchema,
        value: list[Any],
        value_path: ValuePath,
        violations: Found,
        old: Correlation | None,
    ) -> Walk:
        matched = 0
        for i, item in enumerate(value):
            path = (value_path, i, INDEX)
            below = None if old is None else old.index(i)
            flat = child.flat[item.__class__]
            if below is not None:
                matched += yield _check(child, item, path, violations, below)
            elif flat is not None:
                matched += flat(item, path, violations)
            else:
                matched += yield child.walk(item, path, violations, None)
        return matched

    def _junctors(self, value: Any, value_path: ValuePath, violations: Found) -> Walk:
        matched = 0
        for name, nodes in self._alternatives.items():
            matched += yield _JUNCTORS[name](nodes, value, value_path, violations)
        return matched


@dataclass(frozen=True, slots=True)
class _Own:
    """The checks of a value without its children: of its type (true if the type is wrong), and the others.

    `matches` is the number of matches if the type is right, regardless of the other checks.
    """

    matches: int
    type: Callable[[Any, ValuePath, Found], bool] | None
    rest: tuple[Check, ...]


def _own_checks(schema: JSONSchemaProps, dialect: Dialect, kind: type) -> _Own:
    types, format_ = dialect.types(schema), dialect.format(schema)
    has_format = kind is str and is_registered(format_, dialect.server)
    enum = [_enum_check(schema.enum, kind)] if schema.enum else []
    if kind is str:
        rest = _string_checks(schema) + ([_format_check(format_)] if has_format else []) + enum
    elif kind in _NUMBERS:
        # Without type and format, numbers have no range.
        has_ranges = dialect.server.checks_number_ranges
        typed = (types, format_) if has_ranges else ((), "")
        rest = numbers.checks(schema, *typed, kind) + enum
    elif kind is list:
        unique = [_unique_check] if schema.unique_items else []
        rest = _size_checks(schema.min_items, schema.max_items, "items") + unique + enum
    elif kind is dict:
        size = _size_checks(schema.min_properties, schema.max_properties, "properties")
        rest = enum + size
    else:
        rest = enum
    # One match for each of upstream's validators that applies, plus one, plus the matches that they count themselves.
    matches = _VALIDATORS[kind] + has_format
    if types or format_:
        matches += 2
    return _Own(matches, _type_check(types, format_, kind), tuple(rest))


_NUMBERS: Final[frozenset[type]] = frozenset({int, float})
# By Python type: the matches that upstream counts without a type and a format.
_VALIDATORS: Final[dict[type, int]] = {bool: 4, str: 5, int: 6, float: 6, list: 6, dict: 5}


def _null_check(schema: JSONSchemaProps, types: tuple[str, ...]) -> Flat:
    enum = schema.enum

    def check(value: Any, value_path: ValuePath, violations: Found) -> int:
        mismatched = bool(types) and not schema.nullable
        if mismatched:
            violations.append(mistyped(value_path, ",".join(types), "null"))
        if enum:
            violations.append(not_in(value_path, value, enum))
        return 0 if mismatched else 1

    return check


def _type_check(
    types: tuple[str, ...], format_: str, kind: type
) -> Callable[[Any, ValuePath, Found], bool] | None:
    """Return the check of the type of a value, or None if every value of that Python type passes. Upstream: typeValidator."""
    if not types and not format_:
        return None
    shown, go_format = _TYPES[kind]
    expected = ",".join(types)
    is_integer_for_number = kind is int and "number" in types
    is_right = shown in types or is_integer_for_number
    if format_ and kind in _WITHOUT_NUMBERS:
        # Upstream does not validate lists against string formats.
        is_right = is_right or _NUMBER_TYPES.isdisjoint(types)
    elif format_ and format_ != go_format:
        expected, shown = format_, go_format
    if is_right:
        return None
    make = unformatted if expected == format_ else mistyped
    violation = make(None, expected, shown)
    may_be_whole = kind is float and "integer" in types

    def check(value: Any, value_path: ValuePath, violations: Found) -> bool:
        if may_be_whole and is_json_integer(value):
            return False
        is_root = value_path is None
        violations.append(violation if is_root else violation._replace(value_path=value_path))
        return True

    return check


_WITHOUT_NUMBERS: Final[frozenset[type]] = frozenset({str, list})
_NUMBER_TYPES: Final = frozenset({"number", "integer"})


def _string_checks(schema: JSONSchemaProps) -> list[Check]:
    """Return the check of a text's length and pattern, which stops at the first error; empty if there is nothing to check."""
    if schema.max_length is None and schema.min_length is None and not schema.pattern:
        return []
    has_pattern = bool(schema.pattern)
    longest = inf if schema.max_length is None else schema.max_length
    shortest = 0 if schema.min_length is None else schema.min_length

    def check(value: str, value_path: ValuePath, violations: Found) -> None:
        if shortest <= len(value) <= longest and not has_pattern:
            return
        violation = _length_or_pattern(schema, value, value_path)
        if violation is not None:
            violations.append(violation)

    return [check]


def _length_or_pattern(
    schema: JSONSchemaProps, value: str, value_path: ValuePath
) -> Violation | None:
    """Return the first error of a text."""
    longest, shortest, size = schema.max_length, schema.min_length, len(value)
    if longest is not None and size > longest:
        return too_long(value_path, longest)
    if shortest is not None and size < shortest:
        words = f"should be at least {shortest} chars long"
        return invalid(
            value_path,
            value,
            words,
            Reason(Code.TOO_SHORT, (shortest,)),
        )
    expected = _mismatch(schema.pattern, value) if schema.pattern else None
    if expected is not None:
        words = f"should match '{expected}'"
        return invalid(
            value_path,
            value,
            words,
            Reason(Code.PATTERN, (expected,)),
        )
    return None


def _format_check(format_: str) -> Check:
    has = FORMATS[normalized(format_)]

    def check(value: str, value_path: ValuePath, violations: Found) -> None:
        if not has(value):
            violations.append(unformatted(value_path, format_, value))

    return check


def _unique_check(value: list[Any], value_path: ValuePath, violations: Found) -> None:
    if len(set(map(equality_key, value))) < len(value):
        violations.append(
            invalid(
                value_path,
                "",
                "shouldn't contain duplicates",
                Reason(Code.NOT_UNIQUE),
            )
        )


def _size_checks(fewest: int | None, most: int | None, parts: str) -> list[Check]:
    """Return the check of the number of items or properties; empty if it has no limits."""
    if fewest is None and most is None:
        return []

    def check(value: dict[str, Any] | list[Any], value_path: ValuePath, violations: Found) -> None:
        size = len(value)
        if fewest is not None and size < fewest:
            text = f"should have at least {fewest} {parts}"
            violations.append(
                invalid(
                    value_path,
                    size,
                    text,
                    Reason(Code.TOO_FEW, (fewest, parts)),
                )
            )
        if most is not None and size > most:
            violations.append(too_many(value_path, size, most))

    return [check]


def _forbidden(value_path: ValuePath, name: str) -> Violation:
    return Violation(
        INVALID,
        value_path,
        name,
        lambda text: f"{text}.{name} in body is a forbidden property",
    )


def _enum_check(allowed: Sequence[Any], kind: type) -> Check:
    """Return the check that a value is in an enum, after Go's conversion to the type of each enum value."""
    conversions = _CONVERSIONS.get(kind, {})
    exact: set[Any] = set()
    tests: list[tuple[Callable[[Any], Any], Any]] = []
    for allowed_value in allowed:
        convert = conversions.get(allowed_value.__class__)
        if convert is not None:
            tests.append((convert, allowed_value))
        elif allowed_value.__class__ is kind:
            if kind in _CONTAINERS:
                tests.append((lambda value: value, allowed_value))
            else:
                exact.add(allowed_value)

    def check(value: Any, value_path: ValuePath, violations: Found) -> None:
        is_allowed = bool(exact) and value in exact
        if not is_allowed:
            is_allowed = any(deep_equal(as_(value), allowed_value) for as_, allowed_value in tests)
        if not is_allowed:
            violations.append(not_in(value_path, value, allowed))

    return check


def _as_rune(value: int) -> str:
    """Return Go's string of an integer: the character with that code point."""
    is_surrogate = 0xD800 <= value < 0xE000
    is_character = 0 <= value <= 0x10FFFF and not is_surrogate
    return chr(value) if is_character else "\ufffd"


_CONVERSIONS: Final[dict[type, dict[type, Callable[[Any], Any]]]] = {
    int: {float: float, str: _as_rune},
    float: {int: numbers.to_int64},
}


def _check(
    node: _PreparedSchema,
    value: Any,
    value_path: ValuePath,
    violations: Found,
    old: Correlation | None = None,
) -> Walk:
    """Check a value; errors of one that is equal to the old value are ignored."""
    before = len(violations)
    flat = node.flat[value.__class__]
    if flat is not None:
        matched = flat(value, value_path, violations)
    else:
        matched = yield node.walk(value, value_path, violations, old)
    if old is not None and len(violations) > before and old.equal():
        del violations[before:]
    return matched


def _any_of(
    nodes: list[_PreparedSchema],
    value: Any,
    value_path: ValuePath,
    violations: Found,
) -> Walk:
    """Check that a value matches a schema; else report the errors of the closest one."""
    best: Found = []
    most = -1
    for node in nodes:
        own: Found = []
        matched = yield _check(node, value, value_path, own)
        if not own:
            return matched
        if matched > most:
            best, most = own, matched
    words = "must validate at least one schema (anyOf)"
    violations.append(_composite(value_path, words, Reason(Code.ANY_OF)))
    violations.extend(best)
    return most


def _one_of(
    nodes: list[_PreparedSchema],
    value: Any,
    value_path: ValuePath,
    violations: Found,
) -> Walk:
    """Check that a value matches exactly one schema; if none, report the errors of the closest one."""
    best: Found = []
    most = -1
    valid: list[int] = []
    for node in nodes:
        own: Found = []
        matched = yield _check(node, value, value_path, own)
        if not own:
            valid.append(matched)
        elif matched > most:
            best, most = own, matched
    if len(valid) == 1:
        return valid[0]
    number = f"{len(valid)} valid alternatives" if valid else "none valid"
    words = f"must validate one and only one schema (oneOf). Found {number}"
    violations.append(_composite(value_path, words, Reason(Code.ONE_OF)))
    if valid:
        return 0
    violations.extend(best)
    return most


def _all_of(
    nodes: list[_PreparedSchema],
    value: Any,
    value_path: ValuePath,
    violations: Found,
) -> Walk:
    matched = valid = 0
    for node in nodes:
        before = len(violations)
        matched += yield _check(node, value, value_path, violations)
        valid += len(violations) == before
    if valid != len(nodes):
        words = f"must validate all the schemas (allOf){'' if valid else '. None validated'}"
        violations.append(_composite(value_path, words, Reason(Code.ALL_OF)))
    return matched


def _not(
    nodes: list[_PreparedSchema],
    value: Any,
    value_path: ValuePath,
    violations: Found,
) -> Walk:
    own: Found = []
    yield _check(nodes[0], value, value_path, own)
    if not own:
        words = "must not validate the schema (not)"
        violations.append(_composite(value_path, words, Reason(Code.NOT)))
    return 0


def _composite(value_path: ValuePath, words: str, reason: Reason) -> Violation:
    return nowhere(value_path, lambda text: f"{quote(text)} {words}", reason)


_JUNCTORS: Final[dict[str, Callable[[list[_PreparedSchema], Any, ValuePath, Found], Walk]]] = {
    "anyOf": _any_of,
    "oneOf": _one_of,
    "allOf": _all_of,
    "not": _not,
}


def _mismatch(pattern: str, text: str) -> str | None:
    """Return None if a text matches, else the pattern as the error prints it; raise WorkLimitError."""
    from crdlint.golang.matching import PatternError, matches  # not every schema has patterns

    try:
        return None if matches(pattern, text) else pattern
    except PatternError as error:
        return f"{pattern}, but pattern is invalid: {error}"
