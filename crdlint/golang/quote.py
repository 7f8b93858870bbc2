"""Go's quoted strings: strconv.Quote, which is ``%q``."""

from __future__ import annotations

import re
from typing import Final

_ESCAPES: Final = {
    '"': r"\"",
    "\\": r"\\",
    "\a": r"\a",
    "\b": r"\b",
    "\f": r"\f",
    "\n": r"\n",
    "\r": r"\r",
    "\t": r"\t",
    "\v": r"\v",
}
_UNUSUAL: Final = re.compile(r"[^ !#-\[\]-~]")


def quote(text: str) -> str:
    r"""Return the text as Go's ``%q`` prints it (strconv.Quote); a lone surrogate as its invalid bytes, ``\xed...``."""
    return f'"{_UNUSUAL.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    from crdlint.golang.unicode import is_print  # unpacks a table that plain text does without

    char = match[0]
    known = _ESCAPES.get(char)
    if known is not None:
        return known
    rune = ord(char)
    if is_print(rune):
        return char
    if rune < 0x80:
        return f"\\x{rune:02x}"
    if 0xD800 <= rune < 0xE000:
        return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))
    return f"\\u{rune:04x}" if rune < 0x10000 else f"\\U{rune:08x}"
