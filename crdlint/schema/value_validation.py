"""Values against a schema, keyword by keyword (kube-openapi pkg/validation/validate).

A schema is compiled once into checks, each of which adds what it finds to a result; the order of checks, and what counts
as a match, are upstream's, since both show in its messages.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from crdlint.golang.numbers import format_float
from crdlint.golang.quote import quote
from crdlint.schema.formats import FORMATS, normalized, supported
from crdlint.schema.openapi_errors import Code, OpenAPIError, Result

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from crdlint.crd.model import JSONSchemaProps

    Check: TypeAlias = Callable[[Any, str, Result], None]

_INT32: Final = (-(2**31), 2**31 - 1)
_INT64: Final = (-(2**63), 2**63 - 1)
_MAX_FLOAT32: Final = 3.4028235677973366e38
_KINDS: Final[dict[type, str]] = {
    bool: "boolean",
    str: "string",
    int: "integer",
    float: "number",
    list: "array",
    dict: "object",
}
_GO_FORMATS: Final[dict[type, str]] = {int: "int64", float: "float64"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a schema is read: that of a resource (`version` is the one its server is compatible with), or a default's.

    For resources, formats that the version does not know are left out, and int-or-string stands for two types.
    """

    version: tuple[int, int] | None

    def format_of(self, schema: JSONSchemaProps) -> str:
        """Return the format as far as it counts."""
        name = schema.format
        if self.version is None or not name:
            return name
        if schema.x_int_or_string:
            return ""
        if schema.type in ("", "string"):
            return name if supported(name, self.version) else ""
        allowed = {"integer": ("int32", "int64"), "number": ("float", "double")}.get(schema.type, ())
        return name if name in allowed else ""

    def types_of(self, schema: JSONSchemaProps) -> tuple[str, ...]:
        """Return the types that a schema names."""
        if schema.x_int_or_string and self.version is not None:
            return ("integer", "string")
        return (schema.type,) if schema.type else ()


class Validator:
    """The checks of a schema; those of schemas below it are made when a value reaches them."""

    def __init__(self, schema: JSONSchemaProps, dialect: Dialect) -> None:
        self._schema = schema
        self._dialect = dialect
        self._below: dict[int, Validator] = {}
        self._types = dialect.types_of(schema)
        self._format = dialect.format_of(schema)

    def validate(self, value: Any, path: str = "") -> Result:
        """Return what is wrong with a value; ``path`` is put before the names of fields (`spec.list[0]`)."""
        result = Result()
        self.check(value, path, result)
        return result

    def check(self, value: Any, path: str, result: Result) -> None:
        """Add what is wrong with a value to a result (SchemaValidator.Validate)."""
        if value is None:
            self._type(None, path, result)
            self._enum(None, path, result)
            return
        if self._types or self._format:
            self._type(value, path, result)
            result.matched += 1
        self._junctors(value, path, result)
        result.matched += 1
        kind = value.__class__
        if kind is str:
            self._string(value, path, result)
            result.matched += 1
            known = FORMATS.get(normalized(self._format)) if self._format else None
            if known is not None:
                if not known(value):
                    result.add(_type_error(path, self._format, value))
                result.matched += 1
        elif kind is int or kind is float:
            self._number(value, path, result)
            result.matched += 1
        elif kind is list:
            self._list(value, path, result)
            result.matched += 1
        self._enum(value, path, result)
        result.matched += 1
        if kind is dict:
            self._object(value, path, result)
            result.matched += 1
        result.matched += 1

    def _for(self, schema: JSONSchemaProps) -> Validator:
        found = self._below.get(id(schema))
        if found is None:
            found = self._below[id(schema)] = Validator(schema, self._dialect)
        return found

    def _type(self, value: Any, path: str, result: Result) -> None:
        types, format_ = self._types, self._format
        if value is None:
            if types and not self._schema.nullable:
                result.add(_type_error(path, ",".join(types), "null"))
            else:
                result.matched += 1
            return
        kind = value.__class__
        given = _KINDS[kind]
        textual = kind is str or kind is list
        as_int = kind is float and "integer" in types and is_json_integer(value)
        as_float = kind is int and "number" in types
        go_format = _GO_FORMATS.get(kind, "")
        if not textual and format_ and not (given in types or go_format == format_ or as_int or as_float):
            result.add(_type_error(path, format_, go_format))
            return
        if textual and format_ and "number" not in types and "integer" not in types:
            result.matched += 1
            return
        if not (given in types or as_int or as_float):
            result.add(_type_error(path, ",".join(types), given))
            return
        result.matched += 1

    def _junctors(self, value: Any, path: str, result: Result) -> None:
        schema = self._schema
        if schema.any_of:
            self._any_of(value, path, result)
        if schema.one_of:
            self._one_of(value, path, result)
        if schema.all_of:
            self._all_of(value, path, result)
        if schema.not_ is not None and not self._for(schema.not_).validate(value, path).errors:
            result.add(_plain(f"{quote(path)} must not validate the schema (not)"))
        result.matched += 1

    def _any_of(self, value: Any, path: str, result: Result) -> None:
        best: Result | None = None
        for alternative in self._schema.any_of:
            one = self._for(alternative).validate(value, path)
            if not one.errors:
                result.merge(one)
                return
            if best is None or one.matched > best.matched:
                best = one
        result.add(_plain(f"{quote(path)} must validate at least one schema (anyOf)"))
        if best is not None:
            result.merge(best)

    def _one_of(self, value: Any, path: str, result: Result) -> None:
        best: Result | None = None
        first: Result | None = None
        valid = 0
        for alternative in self._schema.one_of:
            one = self._for(alternative).validate(value, path)
            if not one.errors:
                valid += 1
                best = None
                first = first or one
            elif valid == 0 and (best is None or one.matched > best.matched):
                best = one
        if valid == 1 and first is not None:
            result.merge(first)
            return
        found = f"Found {valid} valid alternatives" if valid else "Found none valid"
        result.add(_plain(f"{quote(path)} must validate one and only one schema (oneOf). {found}"))
        if best is not None:
            result.merge(best)

    def _all_of(self, value: Any, path: str, result: Result) -> None:
        valid = 0
        for alternative in self._schema.all_of:
            one = self._for(alternative).validate(value, path)
            valid += not one.errors
            result.merge(one)
        if valid != len(self._schema.all_of):
            none = "" if valid else ". None validated"
            result.add(_plain(f"{quote(path)} must validate all the schemas (allOf){none}"))

    def _string(self, value: str, path: str, result: Result) -> None:
        schema = self._schema
        if schema.max_length is not None and len(value) > schema.max_length:
            text = f"{path} in body should be at most {schema.max_length} chars long"
            result.add(OpenAPIError(Code.TOO_LONG, path, text, value, schema.max_length))
        elif schema.min_length is not None and len(value) < schema.min_length:
            result.add(_invalid(path, f"should be at least {schema.min_length} chars long", value))
        elif schema.pattern:
            refused = _pattern_error(schema.pattern, value)
            if refused is not None:
                result.add(_invalid(path, f"should match '{refused}'", value))

    def _number(self, value: Any, path: str, result: Result) -> None:
        schema = self._schema
        type_ = self._types[0] if len(self._types) == 1 and self._types[0] in ("integer", "number") else ""
        formats = {"integer": ("int32", "int64"), "number": ("float", "double")}.get(type_, ())
        format_ = self._format if self._format in formats else ""
        _range(value, type_, format_, "Checked", path, result)
        if schema.multiple_of is not None:
            own = Result()
            _range(schema.multiple_of, type_, format_, "MultipleOf", path, own)
            _multiple_of(value, schema.multiple_of, path, own, native=not own.errors)
            result.merge(own)
        if schema.minimum is not None:
            own = Result()
            _range(schema.minimum, type_, format_, "Minimum boundary", path, own)
            native = value.__class__ is int and not own.errors
            bound = _as_int64(schema.minimum) if native else schema.minimum
            if value <= bound if schema.exclusive_minimum else value < bound:
                words = "greater than" if schema.exclusive_minimum else "greater than or equal to"
                own.add(_invalid(path, f"should be {words} {_shown(bound)}", value))
            result.merge(own)
        if schema.maximum is not None:
            own = Result()
            _range(schema.maximum, type_, format_, "Maximum boundary", path, own)
            native = value.__class__ is int and not own.errors
            bound = _as_int64(schema.maximum) if native else schema.maximum
            if value >= bound if schema.exclusive_maximum else value > bound:
                words = "less than" if schema.exclusive_maximum else "less than or equal to"
                own.add(_invalid(path, f"should be {words} {_shown(bound)}", value))
            result.merge(own)
        result.matched += 1

    def _list(self, value: list[Any], path: str, result: Result) -> None:
        schema = self._schema
        if schema.items is not None and schema.items.schema is not None:
            items = self._for(schema.items.schema)
            for i, item in enumerate(value):
                items.check(item, f"{path}[{i}]", result)
        size = len(value)
        if schema.min_items is not None and size < schema.min_items:
            result.add(_invalid(path, f"should have at least {schema.min_items} items", size))
        if schema.max_items is not None and size > schema.max_items:
            text = f"{path} in body should have at most {schema.max_items} items"
            result.add(OpenAPIError(Code.TOO_MANY, path, text, size, schema.max_items))
        if schema.unique_items and _has_duplicates(value):
            result.add(OpenAPIError(Code.OTHER, path, f"{path} in body shouldn't contain duplicates"))
        result.matched += 1

    def _enum(self, value: Any, path: str, result: Result) -> None:
        allowed = self._schema.enum
        if allowed and not any(_converts_to(value, one) for one in allowed):
            text = f"{path} in body should be one of {allowed}"
            result.add(OpenAPIError(Code.ENUM, path, text, value, allowed))

    def _object(self, value: dict[str, Any], path: str, result: Result) -> None:
        schema = self._schema
        size = len(value)
        if schema.min_properties is not None and size < schema.min_properties:
            result.add(_invalid(path, f"should have at least {schema.min_properties} properties", size))
        if schema.max_properties is not None and size > schema.max_properties:
            text = f"{path} in body should have at most {schema.max_properties} properties"
            result.add(OpenAPIError(Code.TOO_MANY, path, text, size, schema.max_properties))
        additional = schema.additional_properties
        if additional is not None and not additional.allows:
            for key in value:
                if key not in schema.properties:
                    text = f"{path}.{key} in body is a forbidden property"
                    result.add(OpenAPIError(Code.OTHER, path, text, key))
        elif additional is not None and additional.schema is not None:
            others = self._for(additional.schema)
            for key, item in value.items():
                if key not in schema.properties:
                    others.check(item, f"{path}.{key}", result)
        for name, below in schema.properties.items():
            if name in value:
                self._for(below).check(value[name], f"{path}.{name}" if path else name, result)
        for name in schema.required:
            if name not in value:
                text = f"{path}.{name} in body is required"
                result.add(OpenAPIError(Code.REQUIRED, f"{path}.{name}", text))


def _plain(text: str) -> OpenAPIError:
    return OpenAPIError(Code.PLAIN, "", text)


def _invalid(path: str, what: str, value: Any) -> OpenAPIError:
    return OpenAPIError(Code.OTHER, path, f"{path} in body {what}", value)


def _type_error(path: str, wanted: str, given: str) -> OpenAPIError:
    return OpenAPIError(Code.TYPE, path, f"{path} in body must be of type {wanted}: {quote(given)}", given)


def _shown(number: Any) -> str:
    return str(number) if number.__class__ is int else format_float(number)


def _as_int64(number: float) -> int:
    """Return Go's int64 of a float: without its fraction; what does not fit becomes the smallest one."""
    if math.isnan(number) or not _INT64[0] <= number < 2.0**63:
        return _INT64[0]
    return int(number)


def is_json_integer(number: float) -> bool:
    """Tell whether a float counts as an integer (swag.IsFloat64AJSONInteger), nearly so included."""
    if math.isnan(number) or not -(2**53 - 1) <= number <= 2**53 - 1:
        return False
    if number == int(number):
        return True
    whole = float(int(number)) if number > 0 else 2.0**64 - 1
    difference = abs(number - whole)
    if whole == 0:
        return False
    return difference / min(abs(number) + whole, 1.7976931348623157e308) < 1e-9


def _range(number: float, type_: str, format_: str, what: str, path: str, result: Result) -> None:
    """Say that a number is beyond its type (IsValueValidAgainstRange)."""
    if type_ == "integer":
        low, high = _INT32 if format_ == "int32" else _INT64
        fits = number == math.floor(number) and low <= number <= high if math.isfinite(number) else False
    else:
        fits = format_ != "float" or abs(number) < _MAX_FLOAT32
    if not fits:
        as_format = f" with format {format_}" if format_ else " (default format)"
        result.add(_plain(f"{what} value must be of type {type_}{as_format} in {path}"))


def _multiple_of(value: Any, factor: float, path: str, result: Result, *, native: bool) -> None:
    shown = factor
    if native and value.__class__ is int:
        shown = _as_int64(factor)
        fits = shown > 0 and value % shown == 0
    elif factor > 0:
        fits = is_json_integer(1 / factor * value if factor < 1 else value / factor)
    if shown <= 0:
        text = f"factor MultipleOf declared for {path} must be positive: {_shown(shown)}"
        result.add(OpenAPIError(Code.OTHER, path, text, shown))
    elif not fits:
        given = value if native else float(value)
        result.add(_invalid(path, f"should be a multiple of {_shown(shown)}", given))


@cache
def _compiled(pattern: str) -> Any:
    """Return a compiled expression of bytes, or the text of what is wrong with it."""
    from crdlint.golang.regexp import compile_error

    refused = compile_error(pattern)
    if refused is not None:
        return refused
    import re2

    options = re2.Options()
    options.max_mem = 1 << 27
    options.log_errors = False
    return re2.compile(pattern, options)


def _pattern_error(pattern: str, value: str) -> str | None:
    """Return the pattern as it is named in the refusal, None where the value matches it."""
    compiled = _compiled(pattern)
    if isinstance(compiled, str):
        return f"{pattern}, but pattern is invalid: {compiled}"
    return None if compiled.search(value.encode("utf-8", "surrogatepass")) is not None else pattern


def equal(first: Any, second: Any) -> bool:
    """Tell whether two JSON values are the same to Go's reflect.DeepEqual: numbers of two types are not."""
    stack = [(first, second)]
    while stack:
        one, other = stack.pop()
        if one.__class__ is not other.__class__:
            return False
        if one.__class__ is dict:
            if one.keys() != other.keys():
                return False
            stack.extend((one[key], other[key]) for key in one)
        elif one.__class__ is list:
            if len(one) != len(other):
                return False
            stack.extend(zip(one, other, strict=True))
        elif one != other:
            return False
    return True


def _converts_to(value: Any, wanted: Any) -> bool:
    """Tell whether a value, converted by Go to the type of an enum's, is that one; null is never found."""
    if value is None or wanted is None:
        return False
    kind, target = value.__class__, wanted.__class__
    if kind is int and target is float:
        return bool(float(value) == wanted)
    if kind is float and target is int:
        return bool(_as_int64(value) == wanted)
    if kind is int and target is str:  # Go makes it the character of that number
        valid = 0 <= value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF
        return bool((chr(value) if valid else "\ufffd") == wanted)
    return equal(value, wanted)


def _has_duplicates(values: list[Any]) -> bool:
    scalars: set[tuple[type, Any]] = set()
    others: list[Any] = []
    for value in values:
        if isinstance(value, (dict, list)):
            if any(equal(value, other) for other in others):
                return True
            others.append(value)
        elif (value.__class__, value) in scalars:
            return True
        else:
            scalars.add((value.__class__, value))
    return False
