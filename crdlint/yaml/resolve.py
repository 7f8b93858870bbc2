"""Scalars as go-yaml v2 resolves them (sigs.k8s.io/yaml v1.6).

``resolve`` returns what Go's decoder holds: str, bool, None, int (int64 or uint64), or a finite float. A float's JSON text
may be an integer's (1e3 is printed ``1000``): that is for the reader of the text to see, ``as_json_number``.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from crdlint.golang.numbers import format_float, json_float
from crdlint.yaml.errors import YAMLDecodeError

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Scalar

Value = str | int | float | bool | None

_WORDS: Final[dict[str, Value]] = {
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
_BASES: Final = (16, 8, 2, 8, 10)
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_TIMESTAMP: Final = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?\Z", re.DOTALL)

_PREFIX: Final = "tag:yaml.org,2002:"
_RESOLVABLE: Final = frozenset({"str", "bool", "int", "float", "null", "timestamp"})


def is_plain_string(text: str) -> bool:
    """Tell whether a plain scalar stands for its own text; cheap, and true for nearly all."""
    return text not in _WORDS and text[0] not in _NUMBER_START


def resolve(scalar: Scalar) -> Value:
    """Return the JSON value of a scalar; raise YAMLDecodeError where Go refuses it (a tag that does not fit, NaN)."""
    text: str = scalar.value
    if scalar.tag is not None:
        value = _tagged(scalar)
    elif scalar.style or is_plain_string(text):
        return text
    else:
        value = _plain(text)
    if isinstance(value, float) and not isfinite(value):
        name = "NaN" if value != value else "+Inf" if value > 0 else "-Inf"
        raise YAMLDecodeError(f"json: unsupported value: {name}", scalar)
    return value


def as_json_number(value: float) -> int | float:
    """Return a float as a reader of the JSON text sees it that Go prints."""
    text = json_float(value)
    return int(text) if text.lstrip("-").isdigit() and text != "-0" else float(text)


def key_text(scalar: Scalar) -> str:
    """Return the JSON key that a scalar key becomes; raise YAMLDecodeError for a null or a number beyond int64."""
    if scalar.tag is None and (scalar.style or is_plain_string(scalar.value)):
        return str(scalar.value)
    value = _tagged(scalar) if scalar.tag is not None else _plain(scalar.value)
    if value.__class__ is bool:
        return "true" if value else "false"
    if value.__class__ is float:
        return _float_key(value)
    if value is None or (value.__class__ is int and value > _MAX_INT64):
        raise YAMLDecodeError("unsupported map key", scalar)
    return str(value)


_MAX_INT64: Final = 2**63 - 1


def _plain(text: str) -> Value:
    """Resolve a plain scalar without a tag that is no plain string at first sight."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        return _go_float(text) if _FLOAT.match(text) else text
    if _TIMESTAMP.match(text) and _is_timestamp(text):
        return text
    plain = text.replace("_", "")
    whole = _INTEGER.match(plain)
    if whole is not None:
        digits, base = next((d, b) for d, b in zip(whole.groups()[1:], _BASES, strict=True) if d is not None)
        value = int(whole[1] + digits, base)
        if -(2**63) <= value < 2**63 or (value < 2**64 and not whole[1]):
            return value
    if _FLOAT.match(plain):
        number = _go_float(plain)
        return text if number.__class__ is str else number
    return text


def _go_float(text: str) -> float | str:
    """Return a number as strconv.ParseFloat does; the text where it is out of range."""
    value = float(text)
    return text if value in {float("inf"), float("-inf")} else value


def _is_timestamp(text: str) -> bool:
    """Tell whether go-yaml takes the text for a timestamp, which then stays a string."""
    from datetime import datetime

    try:
        datetime.strptime(text[:10].rstrip("Tt "), "%Y-%m-%d")
    except ValueError:
        return False
    return True


def _tagged(scalar: Scalar) -> Value:
    """Resolve a scalar with a tag of its own."""
    text, tag = scalar.value, scalar.tag or ""
    short = tag.removeprefix(_PREFIX) if tag.startswith(_PREFIX) else None
    if short == "binary":
        try:
            return base64.b64decode("".join(text.split("\n")), validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            raise YAMLDecodeError("yaml: !!binary value contains invalid base64 data", scalar) from None
    if short not in _RESOLVABLE or short == "str":
        return str(text)
    value = _WORDS[text] if text in _WORDS else text if not text or text[0] not in _NUMBER_START else _plain(text)
    found = _kind(text, value)
    if short == "float" and found == "int":
        return float(value)  # type: ignore[arg-type]
    if short != found:
        raise YAMLDecodeError(f"yaml: cannot decode !!{found} `{text}` as a !!{short}", scalar)
    return value


def _kind(text: str, value: Value) -> str:
    if value.__class__ is str:
        return "timestamp" if _TIMESTAMP.match(text) and _is_timestamp(text) else "str"
    return {type(None): "null", bool: "bool", int: "int", float: "float"}[value.__class__]


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
