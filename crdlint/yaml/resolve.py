"""Scalars as go-yaml v2 resolves them (sigs.k8s.io/yaml v1.6).

``resolve`` returns what Go's decoder holds: str, bool, None, int (int64 or uint64), or a finite float. A float's JSON text
may be an integer's (1e3 is printed ``1000``): that is for the reader of the text to see, ``as_json_number``.
"""

from __future__ import annotations

import re
import struct
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from crdlint.golang.base64 import CorruptInputError, decode_base64
from crdlint.golang.numbers import format_float, json_float
from crdlint.yaml import YAMLDecodeError

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Scalar

Value = str | int | float | bool | None

WORDS: Final[dict[str, Value]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], True),
    **dict.fromkeys(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_NUMBER_START: Final = frozenset("+-.0123456789")
# What strconv.ParseInt with base 0 takes, once the underscores are gone.
_INTEGER: Final = re.compile(r"([+-]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]([0-7]+)|0[bB]([01]+)|0([0-7]+)|(0|[1-9][0-9]*))\Z")
# Go looks at what is behind this prefix alone, where a sign may stand.
_SIGNED_BINARY: Final = re.compile(r"0b([+-][01]+)\Z")
_BASES: Final = (16, 8, 2, 8, 10)
_MOST_DIGITS: Final = 64  # that 64 bits hold, in base 2
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
# What strconv.ParseFloat takes that begins with a point: underscores stand between digits.
_FRACTION: Final = re.compile(r"\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?\Z")
# Four digits of a year, the rest one or two: with a zone after a T, without one after blanks, or a date alone.
_CLOCK: Final = r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?"
_TIMESTAMP: Final = re.compile(
    rf"([0-9]{{4}})-([0-9]{{1,2}})-([0-9]{{1,2}})(?:[Tt]{_CLOCK}(?:Z|[+-][0-9]{{2}}:[0-9]{{2}})| +{_CLOCK})?\Z"
)

_PREFIX: Final = "tag:yaml.org,2002:"
_INVALID: Final = re.compile("[\udc80-\udcff]")
_RESOLVABLE: Final = frozenset({"str", "bool", "int", "float", "null", "timestamp"})


def is_plain_string(text: str) -> bool:
    """Tell whether a plain scalar stands for its own text; cheap, and true for nearly all."""
    return text not in WORDS and text[0] not in _NUMBER_START


def resolve(scalar: Scalar) -> Value:
    """Return the JSON value of a scalar; raise YAMLDecodeError where Go refuses it (a tag that does not fit, NaN)."""
    value = go_value(scalar)
    if isinstance(value, float) and not isfinite(value):
        raise YAMLDecodeError(f"json: unsupported value: {format_float(value)}", scalar)
    return value


def go_value(scalar: Scalar) -> Value:
    """Return what go-yaml makes of a scalar, before it becomes JSON: floats may be NaN or infinite."""
    text: str = scalar.value
    if scalar.ctag is not None:  # not `tag`, a property
        return _tagged(scalar)
    return text if scalar.style or is_plain_string(text) else _plain(text)


def as_json_number(value: float) -> int | float:
    """Return a float as a reader of the JSON text sees it that Go prints."""
    text = json_float(value)
    return int(text) if text.lstrip("-").isdigit() and text != "-0" else float(text)


def key_text(scalar: Scalar) -> str | None:
    """Return the JSON key that a scalar key becomes, None for what can be none: a null or a number beyond int64."""
    value = go_value(scalar)
    if value.__class__ is bool:
        return "true" if value else "false"
    if value.__class__ is float:
        return _float_key(value)
    if value is None or (isinstance(value, int) and value > MAX_INT64):
        return None
    return str(value)


MAX_INT64: Final = 2**63 - 1


def _plain(text: str) -> Value:
    """Resolve a plain scalar without a tag that is no plain string at first sight."""
    if text in WORDS:
        return WORDS[text]
    if text[0] == ".":
        number = _go_float(text.replace("_", "")) if _FRACTION.match(text) else text
        return text if number.__class__ is str else number
    plain = text.replace("_", "")
    whole = _INTEGER.match(plain)
    if whole is not None:
        digits, base = next((d, b) for d, b in zip(whole.groups()[1:], _BASES, strict=True) if d is not None)
        significant = digits.lstrip("0") or "0"
        if len(significant) <= _MOST_DIGITS:  # Python converts no more than 4,300, and not in linear time
            value = int(whole[1] + significant, base)
            if -(2**63) <= value < 2**63 or (value < 2**64 and not whole[1]):
                return value
    if _FLOAT.match(plain):
        number = _go_float(plain)
        return text if number.__class__ is str else number
    signed = _SIGNED_BINARY.match(plain)
    return int(signed[1], 2) if signed is not None and -(2**63) <= int(signed[1], 2) < 2**63 else text


def _go_float(text: str) -> float | str:
    """Return a number as strconv.ParseFloat does; the text where it is out of range."""
    value = float(text)
    return text if value in {float("inf"), float("-inf")} else value


def _is_timestamp(text: str) -> bool:
    """Tell whether go-yaml takes the text for a timestamp, where it is asked to; it stays a string."""
    from datetime import datetime

    match = _TIMESTAMP.match(text)
    if match is None:
        return False
    year, month, day, *clock = (int(number) for number in match.groups() if number is not None)
    hour, minute, second = clock or (0, 0, 0)
    try:
        datetime(year % 400 + 400, month, day, hour, minute, second)  # the calendar repeats, and has no year 0 here
    except ValueError:
        return False
    return True


def _tagged(scalar: Scalar) -> Value:
    """Resolve a scalar with a tag of its own."""
    text, tag = scalar.value, scalar.tag or ""
    short = tag.removeprefix(_PREFIX) if tag.startswith(_PREFIX) else None
    if short == "binary":
        try:
            octets = decode_base64(text)
        except CorruptInputError:
            raise YAMLDecodeError("yaml: !!binary value contains invalid base64 data", scalar) from None
        # In JSON, each byte that is no UTF-8 becomes a replacement character.
        return _INVALID.sub("\ufffd", octets.decode("utf-8", "surrogateescape"))
    if short not in _RESOLVABLE or short == "str":
        return str(text)
    value = WORDS[text] if text in WORDS else text if not text or text[0] not in _NUMBER_START else _plain(text)
    found = "timestamp" if short == "timestamp" and _is_timestamp(text) else _KINDS[value.__class__]
    if short == "float" and found == "int":
        return float(value)  # type: ignore[arg-type]
    if short != found:
        raise YAMLDecodeError(f"yaml: cannot decode !!{found} `{text}` as a !!{short}", scalar)
    return value


_KINDS: Final[dict[type, str]] = {type(None): "null", bool: "bool", int: "int", float: "float", str: "str"}


def _float_key(value: Any) -> str:
    """Return a float key as sigs.k8s.io/yaml writes it: 32 bits wide, in the shortest form."""
    if value != value:
        return ".nan"
    try:
        wanted = struct.pack("f", value)
    except OverflowError:
        wanted = struct.pack("f", float("inf") if value > 0 else float("-inf"))
    (narrow,) = struct.unpack("f", wanted)
    if narrow in {float("inf"), float("-inf")}:
        return ".inf" if narrow > 0 else "-.inf"
    for digits in range(1, 10):
        shortest = float(f"{narrow:.{digits}g}")
        if struct.pack("f", shortest) == wanted:
            return format_float(shortest)
    return format_float(narrow)
