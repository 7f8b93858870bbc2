"""The stretch of the text that each node of an expression stands for."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from crdlint.cel import ast
from crdlint.cel.lexer import tokenize
from crdlint.cel.places import place_at
from crdlint.cel.traversal import children

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr
    from crdlint.cel.source import SourceInfo

_OPENING: Final = {")": "(", "]": "[", "}": "{"}


class Extents:
    """Extents of the nodes of one expression that parses."""

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
            begin = place_at(self._text, start)[0] if named and self._text[start] == "(" else start
            return begin, self._closing[start] + 1
        first, last = place_at(self._text, start)
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
