"""Texts that Go passes to a format function without arguments. Upstream: package fmt."""

from __future__ import annotations

from typing import Final

_FLAGS: Final = "#0+- "
_LARGEST: Final = 1_000_000


def sprintf(text: str) -> str:
    """Return the result of `fmt.Sprintf(text)`: every verb is reported as missing an argument."""
    if "%" not in text:
        return text
    pieces: list[str] = []
    position = 0
    while True:
        start = text.find("%", position)
        if start < 0:
            pieces.append(text[position:])
            return "".join(pieces)
        pieces.append(text[position:start])
        output, position = _verb(text, start + 1)
        pieces.append(output)


def _verb(text: str, position: int) -> tuple[str, int]:
    """Return the output for the verb at `position` (after the percent sign), and the end of the verb. Upstream: fmt.doPrintf."""
    output, good = "", True
    while text[position : position + 1] and text[position] in _FLAGS:
        position += 1
    indexed, position, good = _index(text, position, good)
    if text[position : position + 1] == "*":
        output, indexed, position = "%!(BADWIDTH)", False, position + 1
    else:
        number, position = _number(text, position)
        good = good and not (indexed and number)
    if text[position : position + 1] == ".":
        good = good and not indexed
        indexed, position, good = _index(text, position + 1, good)
        if text[position : position + 1] == "*":
            output, indexed, position = f"{output}%!(BADPREC)", False, position + 1
        else:
            _, position = _number(text, position)
    if not indexed:
        indexed, position, good = _index(text, position, good)
    verb = text[position : position + 1]
    if not verb:
        return f"{output}%!(NOVERB)", position
    if verb == "%":
        return f"{output}%", position + 1
    return f"{output}%!{verb}({'MISSING' if good else 'BADINDEX'})", position + 1


def _index(text: str, position: int, good: bool) -> tuple[bool, int, bool]:
    """Parse an argument index such as `[1]`: whether there is one, its end, and whether all indices were valid."""
    if text[position : position + 1] != "[":
        return False, position, good
    end = text.find("]", position)
    if len(text) - position < 3 or end < 0:
        return False, position + 1, False
    has_digits, stop = _number(text, position + 1)
    return has_digits and stop == end, end + 1, False


def _number(text: str, start: int) -> tuple[bool, int]:
    """Parse digits: whether there are any, and their end; too large a number ends the text. Upstream: fmt.parsenum."""
    end, number = start, 0
    while end < len(text) and "0" <= text[end] <= "9":
        if number > _LARGEST:
            return False, len(text)
        number = number * 10 + int(text[end])
        end += 1
    return end > start, end
