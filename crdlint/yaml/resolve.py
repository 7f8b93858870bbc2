"""Scalars as go-yaml v2 resolves them (temporary, until the loader lands)."""

from __future__ import annotations

import re
from typing import Any

_MAP: dict[str, Any] = {"": None, "~": None, "null": None, "Null": None, "NULL": None, "<<": "<<"}
for _w in ("y", "yes", "true", "on"):
    _MAP.update({_w: True, _w.capitalize(): True, _w.upper(): True})
for _w in ("n", "no", "false", "off"):
    _MAP.update({_w: False, _w.capitalize(): False, _w.upper(): False})
_START = frozenset("0123456789+-.")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")


def is_plain_string(text: str) -> bool:
    return text not in _MAP and text[0] not in _START


def resolve(scalar: Any) -> Any:
    text = scalar.value
    if scalar.style or scalar.tag is not None:
        return text
    if text in _MAP:
        return _MAP[text]
    if text[0] not in _START:
        return text
    plain = text.replace("_", "")
    try:
        if re.fullmatch(r"[-+]?0[0-7]+", plain):
            return int(plain, 8)
        value = int(plain, 0)
        if -(2**63) <= value < 2**64:
            return value
    except ValueError:
        pass
    if _FLOAT.match(plain):
        value = float(plain)
        return text if value in (float("inf"), float("-inf")) else value
    return text
