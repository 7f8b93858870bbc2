"""Source ranges of nodes and errors: code-point offsets (start, end) in the text of an expression."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from crdlint.cel import ast
from crdlint.cel.ast import Expr, SourceInfo, children, nodes
from crdlint.cel.errors import CELError, ErrorCode
from crdlint.cel.lexer import BRACKETS, end_of_token, matched_brackets, tokenize
from crdlint.light import regex

_FIELD: Final = regex(r"\.\s*(?:\?\s*)?([A-Za-z_]\w*|`[^`\n]*`)")
_NAME_BACKWARDS: Final = regex(r"\w*[A-Za-z_]")
# Names are short; searching further back would only cost time.
_LOOK_BACK: Final = 256


class SourceRanges:
    """The source ranges of the nodes of one parsed expression."""

    def __init__(self, root: Expr, source: SourceInfo) -> None:
        self._source = source
        self._text = source.text
        self._tokens = tokenize(source.text) or ([], [], [])
        kinds, _, starts = self._tokens
        self._closing = {
            starts[start]: starts[end] for start, end in matched_brackets(kinds)[0].items()
        }
        self._opening = {end: start for start, end in self._closing.items()}
        self._found: dict[int, tuple[int, int]] = {}
        self._measure(root)

    def of(self, expr: Expr) -> tuple[int, int] | None:
        """Return the code-point offsets (start, end) of a node, or None if a macro generated it."""
        return self._found.get(expr.id)

    def text(self, expr: Expr) -> str:
        """Return the text of a node, empty if a macro generated it."""
        span = self.of(expr)
        return "" if span is None else self._text[span[0] : span[1]]

    def _measure(self, root: Expr) -> None:
        for node in reversed(list(nodes(root))):
            own = self._own(node)
            if own is None:
                continue
            parts = [self._found[child.id] for child in children(node) if child.id in self._found]
            start = min([own[0], *(part[0] for part in parts)])
            self._found[node.id] = self._balanced(
                start, max([own[1], *(part[1] for part in parts)]), parts
            )

    def _own(self, node: Expr) -> tuple[int, int] | None:
        """Return the start of the token of a node and the end of its brackets, or None if a macro generated it."""
        span = self._source.offsets.get(node.id)
        if span is None:
            return None
        start = span[0]
        if start in self._closing:
            named = isinstance(node, (ast.Call, ast.StructExpr, ast.Comprehension, ast.Select))
            begin = range_at(self._text, start)[0] if named and self._text[start] == "(" else start
            return begin, self._closing[start] + 1
        first, last = range_at(self._text, start)
        return (start if isinstance(node, ast.Select) else min(start, first)), last

    def _balanced(self, start: int, end: int, parts: list[tuple[int, int]]) -> tuple[int, int]:
        """Extend a range to include the matching brackets of those it contains; the ranges `parts` are balanced already."""
        kinds, _, starts = self._tokens
        begin, stop = start, end
        cursor = start
        for part_start, part_end in (*sorted(parts), (end, end)):
            for index in range(bisect_left(starts, cursor), bisect_left(starts, part_start)):
                bracket = starts[index]
                if kinds[index] in BRACKETS.values():
                    begin = min(begin, self._opening.get(bracket, bracket))
                elif bracket in self._closing:
                    stop = max(stop, self._closing[bracket] + 1)
            cursor = max(cursor, part_end)
        return begin, stop


def error_range(error: CELError, source: SourceInfo) -> tuple[int, int] | None:
    """Return the code-point offsets (start, end) of what an error is about: a name or a token; None if it is nowhere."""
    if error.location.line < 1:
        return None
    start = source.offset_of(error.location)
    if error.problem.code is ErrorCode.UNDEFINED_FIELD and source.text[start : start + 1] == "(":
        # has() is reported at its bracket; its argument ends with the field.
        field = re.compile(rf"({re.escape(error.problem.args[0])})\s*\)").search(source.text, start)
        if field is not None:
            return field.span(1)
    return range_at(source.text, start)


def range_at(text: str, start: int) -> tuple[int, int]:
    """Return the code-point offsets (start, end) of the name or token at the offset `start`."""
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
    """Return the offsets (start, end) of the name that ends at `end`, or None if there is none."""
    first = max(end - _LOOK_BACK, 0)
    before = text[first:end].rstrip()
    name, stop = _NAME_BACKWARDS.match(before[::-1]), first + len(before)
    return None if name is None else (stop - name.end(), stop)
