"""The directives of a Helm template: where they stand, and what they are (Go's text/template, lexed as far as needed)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

OPENING: Final = frozenset({"if", "range", "with", "define", "block"})
_COMMENT: Final = re.compile(r"\{\{-?\s*/\*")
# Texts in quotes of any kind, in which closing braces do not count, or the end.
_PART: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`|\'(?:[^\'\\\n]|\\.)\'|-?\}\}')
_WORD: Final = re.compile(r"[a-zA-Z]+(?![\w.:(])")


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive: code points from, to; what is between its braces; its keyword, empty where it puts out a value."""

    start: int
    end: int
    body: str
    keyword: str

    @property
    def is_output(self) -> bool:
        """Whether it puts something into the text."""
        return not self.keyword and not self.body.startswith("/*") and not _ASSIGNMENT.match(self.body)


_ASSIGNMENT: Final = re.compile(r"\$\w*\s*(?:,\s*\$\w+\s*)?:?=")
_KEYWORDS: Final = frozenset({*OPENING, "else", "end", "break", "continue"})


def directives(text: str) -> Iterator[Directive]:
    """Yield the directives in order; one without an end takes the rest of its line."""
    at = text.find("{{")
    while at >= 0:
        end = _end(text, at)
        body = text[at + 2 : end].removesuffix("}}").removesuffix("-")
        body = body.removeprefix("-").strip()
        word = _WORD.match(body)
        keyword = word[0] if word and word[0] in _KEYWORDS else ""
        yield Directive(at, end, body, keyword)
        at = text.find("{{", end)


def _end(text: str, start: int) -> int:
    """Return where a directive ends."""
    if _COMMENT.match(text, start):
        end = text.find("*/", start)
        close = text.find("}}", end) if end >= 0 else -1
        return close + 2 if close >= 0 else len(text)
    for part in _PART.finditer(text, start + 2):
        if part[0].endswith("}}") and part[0][0] in "-}":
            return part.end()
    line = text.find("\n", start)
    return len(text) if line < 0 else line
