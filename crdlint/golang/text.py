"""Text as Go's strings package changes it."""

from __future__ import annotations

from typing import Final

# What strings.TrimSpace takes off: unicode.IsSpace, which differs from str.strip() in U+001C to U+001F.
SPACE: Final = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)


def to_lower(text: str) -> str:
    """Lower each rune by itself, as strings.ToLower does: no final sigma, and one rune for one."""
    return text.lower() if text.isascii() else "".join(char.lower()[0] for char in text)
