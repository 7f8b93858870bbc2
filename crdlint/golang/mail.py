"""Addresses of mail (net/mail.ParseAddress, RFC 5322 with Go's leniences)."""

from __future__ import annotations

import re
from typing import Final

_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~\x80-\U0010ffff-]+"
_DOT_ATOM: Final = rf"{_ATOM}(?:\.{_ATOM})*"
_QUOTED: Final = r'"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\x09\x20-\x7e\x80-\U0010ffff])*"'
_DOMAIN_LITERAL: Final = r"\[[^\[\]\\\s]*\]"
_SPACE: Final = r"[ \t]*"
_COMMENT: Final = re.compile(r"\((?:[^()\\]|\\.)*\)")
_SPEC: Final = rf"(?:{_DOT_ATOM}|{_QUOTED}){_SPACE}@{_SPACE}(?:{_DOT_ATOM}|{_DOMAIN_LITERAL})"
_WORD: Final = rf"(?:{_ATOM}(?:\.{_ATOM})*\.?|{_QUOTED})"
_PHRASE: Final = rf"(?:{_WORD}(?:[ \t]+{_WORD})*{_SPACE})?"
_ADDRESS: Final = re.compile(rf"{_SPACE}(?:{_SPEC}|{_PHRASE}<{_SPEC}>){_SPACE}")


def is_address(text: str) -> bool:
    """Tell whether a text is one address that is not empty, alone or in angle brackets behind a name."""
    while "(" in text:
        bare = _COMMENT.sub("", text)
        if bare == text:
            break
        text = bare
    return _ADDRESS.fullmatch(text) is not None
