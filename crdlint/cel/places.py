"""What to underline for an error: the characters that a reader would call its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from crdlint.cel.lexer import end_of_token

if TYPE_CHECKING:
    from crdlint.cel.errors import CELError
    from crdlint.cel.source import SourceInfo

_FIELD: Final = re.compile(r"\.\s*(?:\?\s*)?([A-Za-z_]\w*|`[^`\n]*`)")
# Names are short; looking back further would only cost time.
_LOOK_BACK: Final = 256


def place(error: CELError, source: SourceInfo) -> tuple[int, int] | None:
    """Return the code-point offsets (start, end) of an error: a field's name, a function's, or the token itself.

    None for an error that is about no place in the text.
    """
    line, column = error.location
    return None if line < 1 else place_at(source.text, source.line_offsets[line - 1] + column)


def place_at(text: str, start: int) -> tuple[int, int]:
    """Return the code-point offsets (start, end) of what an offset is about."""
    if start >= len(text):
        return len(text), len(text) + 1
    if text[start] == ".":
        field = _FIELD.match(text, start)
        if field is not None:
            return field.span(1)
    if text[start] == "(":
        name = _name_before(text, start)
        if name is not None:
            return name
    return start, end_of_token(text, start)


def _name_before(text: str, end: int) -> tuple[int, int] | None:
    """Return the offsets (start, end) of the name before an offset, None where there is none."""
    first = max(end - _LOOK_BACK, 0)
    while end > first and text[end - 1].isspace():
        end -= 1
    start = end
    while start > first and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    while start < end and not (text[start].isascii() and not text[start].isdigit()):
        start += 1
    return (start, end) if start < end else None
