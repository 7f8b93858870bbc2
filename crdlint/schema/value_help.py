"""Helps for errors of values: a replacement for the value, based on the error and the schema."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final

from crdlint.crd.errors import (
    DUPLICATE,
    NOT_SUPPORTED,
    REQUIRED,
    TOO_LONG,
    TOO_MANY,
    TYPE_INVALID,
    Code,
    FieldError,
)
from crdlint.crd.model import JSONSchemaProps
from crdlint.golang.printing import marshal
from crdlint.light import regex
from crdlint.phrases import OneCommand, Sample, some
from crdlint.spelling import meant
from crdlint.yaml.editor import as_key, is_plain

_PRINTED: Final = regex(r"([^.\[\]]+)|\[([^\]]*)(?:\]|\Z)")
_SAMPLES: Final = {
    "string": '""',
    "integer": "1",
    "number": "1.5",
    "boolean": "true",
    "object": "{}",
    "array": "[]",
}
_CLASSES: Final = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}
_UNQUOTED: Final = frozenset({"integer", "number", "boolean"})
_LISTED: Final = 6  # the number of names in one help


def fits(value: Any, schema: JSONSchemaProps) -> bool:
    """Return whether a JSON value has the type of a schema, or whether the schema has no type."""
    classes = _CLASSES.get(schema.type)
    return classes is None or value.__class__ in classes


def steps_of(path: str) -> list[str]:
    """Return the steps of a printed path: names after dots, keys and indexes in brackets."""
    return [name or bracketed for name, bracketed in _PRINTED.findall(path)]


def suggestion(error: FieldError, schema: JSONSchemaProps | None) -> str | None:
    """Return the help for an error; `schema` is the schema of the value or of the missing field."""
    if error.type == REQUIRED:
        return _required(error, schema)
    find = _BY_TYPE.get(error.type)
    if find is not None:
        return find(error)
    reason = error.reason
    if reason is None or reason.code not in _BY_CODE:
        return None
    return _BY_CODE[reason.code](*reason.arguments)


def _required(error: FieldError, schema: JSONSchemaProps | None) -> str:
    name = (error.at or error.path).step
    if schema is None:
        return OneCommand(f"Add `{name}`")
    sample = written(schema.enum[0]) if schema.enum else _SAMPLES.get(schema.type, "...")
    kind = f" ({schema.type})" if schema.type else ""
    return f"Add `{as_key(str(name))}: {sample}`{kind}"


def written(value: Any) -> str:
    """Return a JSON value as it is written in YAML."""
    return value if isinstance(value, str) and is_plain(value) else marshal(value)


def _unsupported(error: FieldError) -> str:
    allowed = [] if error.reason is None else list(error.reason.arguments)
    if error.value in allowed:
        return "Write the value and those of the enum as the same type"
    near = meant(error.value, allowed) if isinstance(error.value, str) else None
    if near is None:
        return f"Write one of {listed(allowed)}"
    if near.is_known:
        return OneCommand(f"Write `{near.name}` instead")
    return f"Did you mean `{near.name}`? The values are {listed(allowed)}"


def _mistyped(error: FieldError) -> str | None:
    if error.reason is None:
        return None
    if error.reason.code is Code.FORMAT:
        return _misformatted(error.reason.arguments[0], error.value)
    return _of_type(*error.reason.arguments)


@lru_cache(maxsize=64)
def _of_type(expected: str, actual: str) -> str | None:
    """Return the help for a value of the type `actual`."""
    if actual == "null":
        return "Set a value, or remove the field"
    if expected == "string" and actual in _UNQUOTED:
        return "Put it in quotes"
    sample = f"{_article(expected)} {expected}"
    if actual == "string" and expected in _UNQUOTED:
        sample += " without quotes"
    return (
        Sample(f"Write {sample}, such as `{_SAMPLES[expected]}`") if expected in _SAMPLES else None
    )


def _misformatted(format_: str, value: object) -> str:
    is_fraction = value in {"float64", "number"}
    if is_fraction and format_ in {"int32", "int64"}:
        return "Write an integer"
    return f"Write a value of the format `{format_}`"


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def _exceeded(text: str, of_limit: str, error: FieldError) -> str:
    """Return the help for too long or too large a value; it has no limit if that is negative, which cannot be met."""
    limit = -1 if error.reason is None else error.reason.arguments[0]
    return text + (of_limit.format(limit) if limit >= 0 else "")


def _boundary(word: str, limit: str, exclusive: bool) -> str:
    beyond = f"a number {word} than {limit}"
    return f"Write {beyond}" if exclusive else f"Write {limit} or {beyond}"


def _duplicate(error: FieldError) -> str:
    if isinstance(error.value, dict) and error.value:
        keys = " and ".join(f"`{name}`" for name in error.value)
        return f"Remove this item, or change its {keys}, which must be unique"
    return "Remove this item: the list contains it already"


_BY_TYPE: Final[dict[str, Callable[[FieldError], str | None]]] = {
    NOT_SUPPORTED: _unsupported,
    TYPE_INVALID: _mistyped,
    TOO_LONG: partial(_exceeded, "Shorten the value", " to at most {} characters"),
    TOO_MANY: partial(_exceeded, "Remove some", ": at most {} are allowed"),
    DUPLICATE: _duplicate,
}
_BY_CODE: Final[dict[Code, Callable[..., str]]] = {
    Code.LEAST: partial(_boundary, "greater"),
    Code.MOST: partial(_boundary, "less"),
    Code.MULTIPLE: "Write a multiple of {}".format,
    Code.PATTERN: "Write a string that matches `{}`".format,
    Code.TOO_SHORT: "Write at least {} characters".format,
    Code.TOO_FEW: "Write at least {} {}".format,
    Code.UNFIT_LIMIT: "Correct `{}` in the CRD: no change of the value helps".format,
    Code.NOT_UNIQUE: lambda: "Remove the duplicate items",
    Code.NOT_CHECKED: lambda: "Fix the other findings first",
    Code.IMMUTABLE: lambda: "Restore the previous value",
}


def listed(names: list[str]) -> str:
    """Return names as a help lists them, at most six."""
    return some([f"`{name}`" for name in names], _LISTED)
