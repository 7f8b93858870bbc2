"""Names of fields in CEL expressions. Upstream: apiserver pkg/cel/escaping.go."""

from __future__ import annotations

import re
from typing import Final

from crdlint.cel.builder import RESERVED

_NAME: Final = re.compile(r"[a-zA-Z_/.-][a-zA-Z0-9_/.-]*")
_ESCAPED_PARTS: Final = re.compile(r"__|[-./]")
_ESCAPES: Final = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


def escape(name: str) -> str | None:
    """Return the name of a field in CEL, or None if CEL cannot refer to it.

    >>> escape("image-pull")
    'image__dash__pull'
    """
    if name in RESERVED:
        return f"__{name}__"
    if _NAME.fullmatch(name) is None:
        return None
    return _ESCAPED_PARTS.sub(lambda match: _ESCAPES[match[0]], name)


_ESCAPED: Final = re.compile(r"__([^_]+)__")
_UNESCAPES: Final = {"underscores": "__", "dot": ".", "dash": "-", "slash": "/"}


def unescape(name: str) -> str | None:
    """Return the field name for a name in CEL, or None if no field has that escaped name."""
    if "__" not in name:
        return name
    parts: list[str] = []
    end = 0
    for match in _ESCAPED.finditer(name):
        word = match[1]
        plain = _UNESCAPES.get(word)
        if plain is None:
            if word not in RESERVED or len(match[0]) != len(name):
                return None
            plain = word
        parts += (name[end : match.start()], plain)
        end = match.end()
    return "".join((*parts, name[end:]))
