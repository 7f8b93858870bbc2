"""Source ranges of nodes and errors: code-point offsets (start, end) in the text of an expression."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from crdlint.cel import ast
from crdlint.cel.lexer import end_of_token, tokenize
from crdlint.cel.traversal import children

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr
    from crdlint.cel.errors import CELError
    from crdlint.cel.source import SourceInfo

_FIELD: Final = re.compile(r"\.\s*(?:\?\s*)?([A-Za-z_]\w*|`[^`\n]*`)")
# Names are short; looking back further would only cost time.
_LOOK_BACK: Final = 256
_OPENING: Final = {")": "(", "]": "[", "}": "{"}


class SourceRanges:
    """Source ranges of the nodes of one parsed expression."""

    def __init__(self, root: Expr, source: SourceInfo) -> None:
        self._source = source
        self._text = source.text
        self._tokens = tokenize(source.text) or ([], [], [])
        self._closing, self._opening = self._brackets()
        self._found: dict[int, tuple[int, int]] = {}
        self._measure(root)

    def of(self, expr: Expr) -> tuple[int, int] | None:
        """Return the code-point offsets (start, end) of a node; None for one that a macro made up."""
        return self._found.get(expr.id)

    def text(self, expr: Expr) -> str:
        """Return the text of a node, empty for one that a macro made up."""
        found = self.of(expr)
        return "" if found is None else self._text[found[0] : found[1]]

    def _brackets(self) -> tuple[dict[int, int], dict[int, int]]:
        closing: dict[int, int] = {}
        opening: dict[int, int] = {}
        stack: list[int] = []
        kinds, _, starts = self._tokens
        for kind, start in zip(kinds, starts, strict=True):
            if kind in ("(", "[", "{"):
                stack.append(start)
            elif kind in _OPENING and stack:
                begin = stack.pop()
                closing[begin] = start
                opening[start] = begin
        return closing, opening

    def _measure(self, root: Expr) -> None:
        order: list[Expr] = []
        stack = [root]
        while stack:
            node = stack.pop()
            order.append(node)
            stack.extend(children(node))
        for node in reversed(order):
            own = self._own(node)
            if own is None:
                continue
            parts = [self._found[child.id] for child in children(node) if child.id in self._found]
            start = min([own[0], *(part[0] for part in parts)])
            end = max([own[1], *(part[1] for part in parts)])
            self._found[node.id] = self._balanced(start, end, parts)

    def _own(self, node: Expr) -> tuple[int, int] | None:
        """Return where a node's own token begins and what it brackets ends; None for a node of a macro's making."""
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
        """Widen a stretch to the brackets that it cuts through; those within its parts are whole already."""
        kinds, _, starts = self._tokens
        begin, stop = start, end
        cursor = start
        for part_start, part_end in (*sorted(parts), (end, end)):
            for index in range(bisect_left(starts, cursor), bisect_left(starts, part_start)):
                at = starts[index]
                if kinds[index] in _OPENING:
                    begin = min(begin, self._opening.get(at, at))
                elif at in self._closing:
                    stop = max(stop, self._closing[at] + 1)
            cursor = max(cursor, part_end)
        return begin, stop


def error_range(error: CELError, source: SourceInfo) -> tuple[int, int] | None:
    """Return the code-point offsets (start, end) of an error: a field's name, a function's, or the token itself.

    None for an error that is about no place in the text.
    """
    line, column = error.location
    return None if line < 1 else range_at(source.text, source.line_offsets[line - 1] + column)


def range_at(text: str, start: int) -> tuple[int, int]:
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
