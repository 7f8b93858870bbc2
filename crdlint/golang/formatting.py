"""Texts that Go takes for a format although there is nothing to format (package fmt)."""

from __future__ import annotations

from typing import Final

_FLAGS: Final = "#0+- "
_LARGEST: Final = 1_000_000


def sprintf(text: str) -> str:
    """Return what `fmt.Sprintf(text)` makes of a text without arguments: each verb is reported as missing one."""
    if "%" not in text:
        return text
    pieces: list[str] = []
    at = 0
    while True:
        start = text.find("%", at)
        if start < 0:
            pieces.append(text[at:])
            return "".join(pieces)
        pieces.append(text[at:start])
        written, at = _verb(text, start + 1)
        pieces.append(written)


def _verb(text: str, at: int) -> tuple[str, int]:
    """Return what is written for the verb behind a percent sign, and where the text goes on (doPrintf)."""
    written, good = "", True
    while text[at : at + 1] and text[at] in _FLAGS:
        at += 1
    indexed, at, good = _index(text, at, good)
    if text[at : at + 1] == "*":
        written, indexed, at = "%!(BADWIDTH)", False, at + 1
    else:
        number, at = _number(text, at)
        good = good and not (indexed and number)
    if text[at : at + 1] == ".":
        good = good and not indexed
        indexed, at, good = _index(text, at + 1, good)
        if text[at : at + 1] == "*":
            written, indexed, at = f"{written}%!(BADPREC)", False, at + 1
        else:
            _, at = _number(text, at)
    if not indexed:
        indexed, at, good = _index(text, at, good)
    verb = text[at : at + 1]
    if not verb:
        return f"{written}%!(NOVERB)", at
    if verb == "%":
        return f"{written}%", at + 1
    return f"{written}%!{verb}({'MISSING' if good else 'BADINDEX'})", at + 1


def _index(text: str, at: int, good: bool) -> tuple[bool, int, bool]:
    """Read an argument index such as `[1]`: whether there is one, where it ends, and whether indices are still good."""
    if text[at : at + 1] != "[":
        return False, at, good
    end = text.find("]", at)
    if len(text) - at < 3 or end < 0:
        return False, at + 1, False
    found, stop = _number(text, at + 1)
    return found and stop == end, end + 1, False


def _number(text: str, at: int) -> tuple[bool, int]:
    """Read digits: whether there are any, and where they end; too large a number ends the whole text (parsenum)."""
    end, number = at, 0
    while end < len(text) and "0" <= text[end] <= "9":
        if number > _LARGEST:
            return False, len(text)
        number = number * 10 + int(text[end])
        end += 1
    return end > at, end
