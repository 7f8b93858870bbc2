"""What to underline for an error: the characters that a reader would call its place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from crdlint.cel.lexer import end_of_token

if TYPE_CHECKING:
    from crdlint.cel.errors import CELError
    from crdlint.cel.source import SourceInfo

_FIELD: Final = re.compile(r"\.\s*(?:\?\s*)?([A-Za-z_]\w*|`[^`\n]*`)")
_NAME_BEFORE: Final = re.compile(r"([A-Za-z_]\w*)\s*\Z")
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
        name = _NAME_BEFORE.search(text, max(start - _LOOK_BACK, 0), start)
        if name is not None:
            return name.span(1)
    return start, end_of_token(text, start)
