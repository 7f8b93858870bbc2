"""The size of the syntax tree that Go's regexp parser would build, for its limits. Upstream: regexp/syntax (parse.go).

Each node stores the figures of its subtree instead of its children. Unlike upstream, common prefixes of alternatives
are not factored out. So the result may be wrong for a pattern whose alternatives alone are close to a limit of height
or size.
"""

from __future__ import annotations

from typing import Final

MAX_HEIGHT: Final = 1000
MAX_SIZE: Final = (128 << 20) // 40
MAX_RUNES: Final = (128 << 20) // 4
MAX_REPEAT: Final = 1000

LITERAL: Final = 0
CLASS: Final = 1
EMPTY: Final = 2
ASSERTION: Final = 3
STAR: Final = 4
PLUS: Final = 5
QUEST: Final = 6
REPEAT: Final = 7
CAPTURE: Final = 8
CONCAT: Final = 9
ALTERNATE: Final = 10
OPEN: Final = 11  # this and higher kinds are marks on the stack, not nodes
BAR: Final = 12


class TooLargeError(Exception):
    """The compiled form would exceed upstream's limit of instructions or runes."""


class TooDeepError(Exception):
    """The tree would exceed upstream's limit of height."""


class Node:
    """A subtree: its `size` in instructions, and `product`, the largest product of repetition counts on a path downwards."""

    __slots__ = ("below", "captures", "fold", "height", "inside", "kind", "product", "runes", "single", "size", "times")

    def __init__(self, kind: int, *, fold: bool = False, runes: int = 0) -> None:
        self.kind = kind
        self.fold = fold
        self.runes = runes
        self.height = 1
        self.size = 1
        self.product = 1
        self.times = 1  # of a REPEAT
        self.below = 0  # height and size of the children of a CONCAT or ALTERNATE
        self.inside = 0
        self.single = False  # a CLASS of one rune
        self.captures = False  # of an OPEN


class Tree:
    """The parser's stack, changed as upstream changes it; methods raise TooLargeError and TooDeepError."""

    __slots__ = ("_created", "_free", "_repeats", "_runes", "_stack", "_tracking")

    def __init__(self) -> None:
        self._stack: list[Node] = []
        self._created = 0
        self._free = 0
        self._repeats = 1
        self._runes = 0
        self._tracking = False

    def literal(self, fold: bool) -> None:
        """Push one rune."""
        self._push(self._new(LITERAL, fold=fold, runes=1))

    def char_class(self, runes: int, single: bool) -> None:
        """Push a class with a number of runes, two per range."""
        node = self._new(CLASS, runes=runes)
        node.single = single
        self._push(node)

    def assertion(self) -> None:
        """Push an assertion such as `^`, which matches between runes."""
        self._push(self._new(ASSERTION))

    def any_char(self) -> None:
        """Push ``.``."""
        self._push(self._new(CLASS))

    def open(self, fold: bool, captures: bool) -> None:
        """Push an opening parenthesis with the flag to restore at its end."""
        node = self._new(OPEN, fold=fold)
        node.captures = captures
        self._push(node)

    def bar(self) -> None:
        """End an alternative and start another."""
        self._concat()
        if not self._swap_bar():
            self._push(self._new(BAR))

    def close(self) -> bool | None:
        """End a group and return the flag to restore, or None if no group is open."""
        self._alternatives()
        stack = self._stack
        if len(stack) < 2:
            return None
        inner = stack.pop()
        group = stack.pop()
        if not group.captures:
            self._push(inner)
            return group.fold
        group.kind = CAPTURE
        group.height = 1 + inner.height
        group.size = 2 + inner.size
        group.product = inner.product
        self._push(group)
        return group.fold

    def finish(self) -> bool:
        """End the pattern and return whether every group is closed."""
        self._alternatives()
        return len(self._stack) == 1

    def repeat(self, kind: int, low: int, high: int) -> str | None:
        """Repeat the topmost node; return `argument` if there is none, `count` if the product of counts is too large, else None."""
        stack = self._stack
        if not stack or stack[-1].kind >= OPEN:
            return "argument"
        inner = stack[-1]
        node = self._new(kind)
        node.height = 1 + inner.height
        node.product = inner.product
        if kind == REPEAT:
            times = low if high < 0 else high
            node.times = max(times, 1)
            node.product = times * inner.product if times > 0 else inner.product if high < 0 else 1
            node.size = _repeated_size(inner.size, low, high)
        else:
            node.size = inner.size + (2 if kind == STAR else 1)
        stack[-1] = node
        self._check(node)
        if kind == REPEAT and (low >= 2 or high >= 2) and node.product > MAX_REPEAT:
            return "count"
        return None

    def _new(self, kind: int, *, fold: bool = False, runes: int = 0) -> Node:
        if self._free:
            self._free -= 1
        else:
            self._created += 1
        return Node(kind, fold=fold, runes=runes)

    def _push(self, node: Node) -> None:
        self._runes += node.runes
        if node.kind == CLASS and node.single:
            if self._merge_literals(rune=True):
                return
            node.kind = LITERAL
            node.runes = 1
        else:
            self._merge_literals(rune=False)
        self._stack.append(node)
        self._check(node)

    def _merge_literals(self, *, rune: bool) -> bool:
        """Merge the two topmost literals; return whether a rune to be pushed replaced the upper one."""
        stack = self._stack
        if len(stack) < 2:
            return False
        upper, lower = stack[-1], stack[-2]
        if upper.kind or lower.kind or upper.fold is not lower.fold:
            return False
        lower.runes += upper.runes
        if not self._tracking:
            lower.size = lower.runes
        if rune:
            upper.runes = upper.size = 1
            upper.fold = False
            return True
        stack.pop()
        self._free += 1
        return False

    def _check(self, node: Node) -> None:
        if self._runes > MAX_RUNES:
            raise TooLargeError
        if not self._tracking:
            if node.kind == REPEAT:
                self._repeats = MAX_SIZE if node.times > MAX_SIZE // self._repeats else self._repeats * node.times
            self._tracking = self._created >= MAX_SIZE // self._repeats
        if self._tracking:
            if node.kind == LITERAL:
                node.size = node.runes
            if node.size > MAX_SIZE:
                raise TooLargeError
        if self._created >= MAX_HEIGHT and node.height > MAX_HEIGHT:
            raise TooDeepError

    def _take(self) -> list[Node]:
        """Pop and return the nodes above the topmost mark."""
        stack = self._stack
        start = len(stack)
        while start and stack[start - 1].kind < OPEN:
            start -= 1
        nodes = stack[start:]
        del stack[start:]
        return nodes

    def _concat(self) -> None:
        self._merge_literals(rune=False)
        parts = self._take()
        self._push(self._collapse(parts, CONCAT) if parts else self._new(EMPTY))

    def _alternatives(self) -> None:
        self._concat()
        if self._swap_bar():
            self._stack.pop()
        self._push(self._collapse(self._take(), ALTERNATE))

    def _collapse(self, parts: list[Node], kind: int) -> Node:
        if len(parts) == 1:
            return parts[0]
        node = self._new(kind)
        for part in parts:
            if part.kind == kind:
                below, inside = part.below, part.inside
                self._free += 1
            else:
                below, inside = part.height, part.size + (kind == ALTERNATE)
            node.below = max(node.below, below)
            node.inside += inside
            node.product = max(node.product, part.product)
        node.height = 1 + node.below
        node.size = node.inside - (kind == ALTERNATE)
        return node

    def _swap_bar(self) -> bool:
        """Move the topmost mark above the alternative after it, if there is one; return whether there is."""
        stack = self._stack
        if len(stack) < 2 or stack[-2].kind != BAR:
            return False
        top = stack[-1]
        if len(stack) >= 3 and _is_class(top) and _is_class(stack[-3]):
            merged = stack[-3]
            merged.runes = (
                merged.runes + top.runes if merged.kind == top.kind == CLASS else 2 + max(merged.runes, top.runes)
            )
            merged.kind = CLASS
            merged.single = False
            self._free += 1
            stack.pop()
            return True
        stack[-2], stack[-1] = top, stack[-2]
        return True


def _is_class(node: Node) -> bool:
    return node.kind == CLASS or (node.kind == LITERAL and node.runes == 1)


def _repeated_size(size: int, low: int, high: int) -> int:
    if high < 0:
        return 2 + size if low == 0 else 1 + low * size
    return max(1, high * size + high - low)
