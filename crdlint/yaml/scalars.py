"""Positions in the text of the characters of a scalar's value, for every style of scalar.

The value of a block or quoted scalar differs from its text: indentation is removed, lines are folded, escapes are replaced. Each
style is parsed again here. If the result differs from the value that libyaml returned, no position is returned.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from crdlint.light import regex
from crdlint.yaml.edit import BREAK, line_and_column
from crdlint.yaml.nodes import Scalar

# The range (start, end) of each character of the value, as offsets in the text.
Spans: TypeAlias = "list[tuple[int, int]]"

# The parts of a scalar in one line or more: blanks, line breaks with the blanks after each, and what is one character.
_LINES: Final = r"(?P<blanks>[ \t]+)|(?P<breaks>(?:(?:\r\n|\r|\n)[ \t]*)+)"
# JSON may escape one character as two surrogates.
_PAIR: Final = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPE: Final = rf"\\(?:{_PAIR}|x[0-9a-fA-F]{{2}}|u[0-9a-fA-F]{{4}}|U[0-9a-fA-F]{{8}}|[^\r\n])"
_PLAIN: Final = regex(rf"{_LINES}|.")
_LINE_BELOW: Final = regex(r"(?:\r\n|\r|\n)([^\r\n]*)")
_QUOTED: Final = {
    "'": regex(rf"{_LINES}|''|."),
    '"': regex(rf"(?P<joined>\\(?:\r\n|\r|\n)[ \t]*)|{_LINES}|{_ESCAPE}|."),
}


def position_inside(
    text: str,
    node: Scalar,
    start: int,
    end: int,
) -> tuple[int, int, int, int] | None:
    """Return the position of the characters `start` to `end` of a scalar's value, or None if it is uncertain.

    It is (line, column, end line, end column), 1-based in characters, with an exclusive end. `text` is the text that the marks of
    the node refer to. The end of the value is the position after its last character. The time is linear in the scalar.
    """
    spans = _spans(text, node)
    if spans is None:
        return None
    behind = spans[-1][1] if spans else node.start_mark.index
    inside = spans[start : max(end, start + 1)] or [(behind, behind + 1)]
    first_line, begin = node.start_mark.line + 1, node.start_mark.index
    breaks = BREAK.finditer(text, begin, node.end_mark.index)
    lines = [begin - node.start_mark.column, *(match.end() for match in breaks)]
    line, column = line_and_column(lines, inside[0][0])
    end_line, last_column = line_and_column(lines, inside[-1][1] - 1)
    return first_line + line, column + 1, first_line + end_line, last_column + 2


def offsets_inside(
    text: str,
    node: Scalar,
    start: int,
    end: int,
) -> tuple[int, int] | None:
    """Return the offsets of the characters `start` to `end` of a scalar's value, or None if they are uncertain."""
    spans = _spans(text, node)
    if not spans or start > len(spans):
        return None
    first = spans[start][0] if start < len(spans) else spans[-1][1]
    is_inside = start < end <= len(spans)
    return first, spans[end - 1][1] if is_inside else first


def index_inside(text: str, node: Scalar, offset: int) -> int | None:
    """Return the index in a scalar's value of the character at an offset in the text, None if that is not sure.

    An offset behind the value, or between the characters of an escape, is that of the next character of the value.
    """
    spans = _spans(text, node)
    return None if spans is None else bisect_left(spans, offset, key=lambda span: span[0])


def _spans(text: str, node: Scalar) -> Spans | None:
    start, end, value = node.start_mark.index, node.end_mark.index, node.value
    spans: Spans | None
    if node.style in ("|", ">"):
        spans = _block(text, start, end, value, folds=node.style == ">")
    else:
        if node.style in _QUOTED:
            start, end = start + 1, end - 1
        if text[start:end] == value:
            return _each_character(start, end)  # no line is folded, and nothing is escaped
        spans = list(_flow(text, start, end, _QUOTED.get(node.style, _PLAIN)))
    is_certain = spans is not None and len(spans) == len(value)
    return spans if is_certain else None


def _flow(
    text: str,
    start: int,
    end: int,
    part: re.Pattern[str],
) -> Iterator[tuple[int, int]]:
    """Parse a plain or quoted scalar: lines are trimmed, one break becomes a space, n breaks become n-1."""
    for match in part.finditer(text, start, end):
        first, after = match.span()
        kind = match.lastgroup
        if kind is None:
            yield first, after
        elif kind == "breaks":
            number = max(len(BREAK.findall(match[0])) - 1, 1)
            yield from [(after, after + 1)] * number
        elif kind == "blanks":
            is_trimmed = after < end and text[after] in "\r\n"
            if not is_trimmed:
                yield from _each_character(first, after)


def _each_character(start: int, end: int) -> Spans:
    return [(offset, offset + 1) for offset in range(start, end)]


def _block(
    text: str,
    start: int,
    end: int,
    value: str,
    *,
    folds: bool,
) -> Spans | None:
    """Parse a block scalar together with its value, which determines its indentation."""
    lines = [match.span(1) for match in _LINE_BELOW.finditer(text, start, end)]
    indent = _indent(text, lines, value)
    spans: Spans = []
    for begin, stop in lines:
        content = min(begin + indent, stop)
        if content == stop:
            continue
        line = text[content:stop]
        while value.startswith("\n", len(spans)):
            spans.append((max(content - 1, start), content))
        starts_here = value.startswith(line, len(spans))
        if folds and not starts_here and value.startswith(" ", len(spans)):
            spans.append((begin - 1, begin))
            starts_here = value.startswith(line, len(spans))
        if not starts_here:
            return None
        spans += _each_character(content, stop)
    last = spans[-1][1] if spans else start
    spans += [(last, last + 1)] * (len(value) - len(spans))
    return spans


def _indent(text: str, lines: list[tuple[int, int]], value: str) -> int:
    """Return how many blanks more the first line of a text has than that of its value."""
    written = _first_indent(text[begin:stop] for begin, stop in lines)
    return written - _first_indent(value.split("\n"))


def _first_indent(lines: Iterable[str]) -> int:
    """Return the number of blanks before the first line that has others."""
    for line in lines:
        stripped = line.lstrip(" ")
        if stripped:
            return len(line) - len(stripped)
    return 0
