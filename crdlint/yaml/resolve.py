"""Scalars as go-yaml v2 resolves them (sigs.k8s.io/yaml v1.6).

`resolve` returns the value in Go's decoder: str, bool, None, int (int64 or uint64), or a finite float. The JSON text of
a float may be an integer (1e3 is printed as `1000`), which `as_json_number` takes into account.
"""

from __future__ import annotations

import struct
from datetime import datetime
from math import isfinite, isinf
from typing import Any, Final

from crdlint.gathering import without_none
from crdlint.golang.printing import format_float, json_float
from crdlint.light import regex
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.nodes import Scalar

Value = str | int | float | bool | None

WORDS: Final[dict[str, Value]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(
        ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], True
    ),
    **dict.fromkeys(
        ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], False
    ),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_NUMBER_START: Final = frozenset("+-.0123456789")
# The syntax of strconv.ParseInt with base 0, without underscores.
_INTEGER: Final = regex(
    r"([+-]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)|0([0-7]+)|(0|[1-9][0-9]*))\Z"
)
# Go parses the text after this prefix separately, so it may have a sign.
_SIGNED_BINARY: Final = regex(r"0b([+-][01]+)\Z")
_BASES: Final = (16, 8, 2, 8, 10)
_MOST_DIGITS: Final = 64  # the number of base-2 digits in 64 bits
_FLOAT: Final = regex(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
# The syntax of strconv.ParseFloat for a number that starts with a point, with underscores between digits.
_FRACTION: Final = regex(r"\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?\Z")
# A year of four digits and one or two digits for the rest: with a zone after a T, without one after blanks, or no time.
_CLOCK: Final = r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?"
_TIMESTAMP: Final = regex(
    rf"([0-9]{{4}})-([0-9]{{1,2}})-([0-9]{{1,2}})(?:[Tt]{_CLOCK}(?:Z|[+-][0-9]{{2}}:[0-9]{{2}})| +{_CLOCK})?\Z"
)

_PREFIX: Final = "tag:yaml.org,2002:"
_INVALID: Final = regex("[\udc80-\udcff]")
_RESOLVABLE: Final = frozenset({"bool", "int", "float", "null", "timestamp"})


def is_plain_string(text: str) -> bool:
    """Return whether the value of a plain scalar is its text; this check is cheap, and true for nearly all."""
    return text not in WORDS and text[0] not in _NUMBER_START


def resolve(scalar: Scalar) -> Value:
    """Return the JSON value of a scalar; raise YAMLDecodeError if Go rejects it (a tag that does not match, NaN)."""
    text: str = scalar.value
    # Most scalars are texts in any style.
    if scalar.ctag is None and text not in WORDS and text[0] not in _NUMBER_START:
        return text
    value = go_value(scalar)
    if isinstance(value, float) and not isfinite(value):
        raise YAMLDecodeError(f"json: unsupported value: {format_float(value)}", scalar)
    return value


def go_value(scalar: Scalar) -> Value:
    """Return go-yaml's value of a scalar before conversion to JSON; floats may be NaN or infinite."""
    text: str = scalar.value
    if scalar.ctag is not None:  # not `tag`, a property
        return _tagged(scalar)
    return text if scalar.style or is_plain_string(text) else _plain(text)


def as_json_number(value: float) -> int | float:
    """Return a float as the number in the JSON text that Go prints."""
    text = json_float(value)
    return int(text) if text.lstrip("-").isdigit() and text != "-0" else float(text)


def key_text(scalar: Scalar) -> str | None:
    """Return the JSON key for a scalar key, or None for a null or a number beyond int64, which cannot be keys."""
    value = go_value(scalar)
    if value is None:
        return None
    if value.__class__ is bool:
        return "true" if value else "false"
    if value.__class__ is float:
        return _float_key(value)
    is_too_large = isinstance(value, int) and value > MAX_INT64
    return None if is_too_large else str(value)


_MIN_INT64: Final = -(2**63)
MAX_INT64: Final = 2**63 - 1
_MAX_UINT64: Final = 2**64 - 1


def _plain(text: str) -> Value:
    """Resolve a plain scalar without a tag that may not be a string."""
    if text in WORDS:
        return WORDS[text]
    if text[0] == ".":
        return _go_float(text.replace("_", ""), text) if _FRACTION.match(text) else text
    plain = text.replace("_", "")
    integer = _integer(plain)
    if integer is not None:
        return integer
    if _FLOAT.match(plain):
        return _go_float(plain, text)
    signed = _SIGNED_BINARY.match(plain)
    if signed is not None:
        value = int(signed[1], 2)
        if _MIN_INT64 <= value <= MAX_INT64:
            return value
    return text


def _integer(text: str) -> int | None:
    """Return the int64 or uint64 that a text is, or None."""
    if len(text) == 1 and "0" <= text <= "9":  # most numbers in schemas
        return int(text)
    match = _INTEGER.match(text)
    if match is None:
        return None
    base, digits = _BASES[(match.lastindex or 0) - 2], match[match.lastindex or 0]
    significant = digits.lstrip("0") or "0"
    if len(significant) > _MOST_DIGITS:  # Python converts at most 4,300, and not in linear time
        return None
    value = int(match[1] + significant, base)
    highest = MAX_INT64 if match[1] else _MAX_UINT64
    return value if _MIN_INT64 <= value <= highest else None


def _go_float(number: str, text: str) -> float | str:
    """Return a number as strconv.ParseFloat does, or the text if it is out of range."""
    value = float(number)
    return text if isinf(value) else value


def _is_timestamp(text: str) -> bool:
    """Return whether go-yaml recognizes the text as a timestamp if required; its value is still a string."""
    match = _TIMESTAMP.match(text)
    if match is None:
        return False
    year, month, day, *clock = map(int, without_none(match.groups()))
    hour, minute, second = clock or (0, 0, 0)
    try:
        # The calendar repeats every 400 years, and Python has no year 0.
        datetime(year % 400 + 400, month, day, hour, minute, second)
    except ValueError:
        return False
    return True


def _tagged(scalar: Scalar) -> Value:
    text, tag = scalar.value, scalar.tag or ""
    short = tag.removeprefix(_PREFIX) if tag.startswith(_PREFIX) else None
    if short == "binary":
        return _binary(scalar)
    if short not in _RESOLVABLE:
        return str(text)
    value = text if is_plain_string(text) else _plain(text)
    kind = _KINDS[value.__class__]
    if short == "timestamp" and _is_timestamp(text):
        kind = short
    if (short, kind) == ("float", "int"):
        return float(value)  # type: ignore[arg-type]
    if short != kind:
        raise YAMLDecodeError(f"yaml: cannot decode !!{kind} `{text}` as a !!{short}", scalar)
    return value


def _binary(scalar: Scalar) -> str:
    from crdlint.golang.encodings import CorruptInputError, decode_base64

    try:
        octets = decode_base64(scalar.value)
    except CorruptInputError:
        message = "yaml: !!binary value contains invalid base64 data"
        raise YAMLDecodeError(message, scalar) from None
    # In JSON, each invalid byte of UTF-8 becomes a replacement character.
    return _INVALID.sub("\ufffd", octets.decode("utf-8", "surrogateescape"))


_KINDS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
}


def _float_key(value: Any) -> str:
    """Return a float key as sigs.k8s.io/yaml formats it: with 32 bits, in the shortest form."""
    if value != value:
        return ".nan"
    packed = struct.pack("f", value)  # a number that is too large becomes infinite
    (narrow,) = struct.unpack("f", packed)
    if isinf(narrow):
        return ".inf" if narrow > 0 else "-.inf"
    shortest = (float(f"{narrow:.{digits}g}") for digits in range(1, 10))  # 9 digits always suffice
    return format_float(next(number for number in shortest if struct.pack("f", number) == packed))
