"""How names of fields are written in CEL (apiserver pkg/cel/escaping.go)."""

from __future__ import annotations

import re
from typing import Final

from crdlint.cel.builder import RESERVED

_NAME: Final = re.compile(r"[a-zA-Z_/.-][a-zA-Z0-9_/.-]*")
_ESCAPED_PARTS: Final = re.compile(r"__|[-./]")
_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


def escape(name: str) -> str | None:
    """Return a field's name as CEL spells it, None where CEL cannot reach the field."""
    if name in RESERVED:
        return f"__{name}__"
    if _NAME.fullmatch(name) is None:
        return None
    return _ESCAPED_PARTS.sub(lambda match: _ESCAPES[match[0]], name)


_ESCAPED: Final = re.compile(r"__([^_]+)__")
_UNESCAPES: Final = {"underscores": "__", "dot": ".", "dash": "-", "slash": "/"}


def unescape(name: str) -> str | None:
    """Return the field's name that CEL spells so, None for what no field's name becomes."""
    if "__" not in name:
        return name
    parts: list[str] = []
    at = 0
    for match in _ESCAPED.finditer(name):
        word = match[1]
        plain = _UNESCAPES.get(word)
        if plain is None:
            if word not in RESERVED or len(match[0]) != len(name):
                return None
            plain = word
        parts += (name[at : match.start()], plain)
        at = match.end()
    return "".join((*parts, name[at:]))
