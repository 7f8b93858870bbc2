"""The syntax tree of a Go regular expression, with the size that Go's would have. Upstream: regexp/syntax (parse.go).

Unlike upstream, common prefixes of alternatives are not factored out. So the size may be wrong for a pattern whose
alternatives alone are close to a limit of height or size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from crdlint.golang.regexp_classes import Ranges
from crdlint.light import NamedTuple, dataclass

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

# The conditions of assertions, which are met between two characters.
BEGIN: Final = "begin of text"
END: Final = "end of text"
LINE_BEGIN: Final = "begin of line"
LINE_END: Final = "end of line"
BOUNDARY: Final = "word boundary"
NO_BOUNDARY: Final = "no word boundary"

# Flags of a group.
FOLD: Final = 1  # i
LINES: Final = 2  # m
ALL: Final = 4  # s


class InvalidPatternError(Exception):
    """Go rejects the pattern; the text is Go's."""

    def __init__(self, code: str, part: str) -> None:
        super().__init__(f"error parsing regexp: {code}: `{part}`")


class Members(NamedTuple):
    r"""The members of a class: ranges, those of ``name`` (as in `\p{Lu}`) and of other classes, with all cases if ``fold``."""

    ranges: Ranges = ()
    name: str = ""
    parts: tuple[Members, ...] = ()
    fold: bool = False
    negated: bool = False


# What a node matches: a character, one of a class, or the condition of an assertion; and pairs of them, nested.
Leaf: TypeAlias = "str | Members"
Leaves: TypeAlias = "Leaf | tuple[Leaves, Leaves] | None"


@dataclass(slots=True, eq=False)
class PatternNode:
    """A subtree.

    `kind`: one of the kinds above.
    `flags`: those of a literal, or those to restore at the end of a group.
    `runes`: the number of runes, for a class of the limits of its ranges.
    `leaves`: what a node without parts matches.
    `parts`: the nodes in it.
    `low`, `high`: how often a repetition repeats at least and at most, -1 for no limit.
    `depth`: of the tree as it is here.
    `height`: of Go's tree, which is less than the depth where upstream joins nested parts.
    `size`: the number of instructions.
    `product`: the largest product of repetition counts on a path downwards.
    `below`, `inside`: the height and the size of the children of a CONCAT or ALTERNATE.
    `single`: whether it is a CLASS of one rune.
    `captures`: whether an OPEN begins a group that captures.
    """

    kind: int
    flags: int = 0
    runes: int = 0
    leaves: Leaves = None
    parts: Sequence[PatternNode] = ()
    low: int = 0
    high: int = 0
    depth: int = 1
    height: int = 1
    size: int = 1
    product: int = 1
    below: int = 0
    inside: int = 0
    single: bool = False
    captures: bool = False

    def each(self) -> Iterator[Leaf]:
        """Yield the leaves in order."""
        pending = [self.leaves]
        while pending:
            leaves = pending.pop()
            if type(leaves) is tuple:
                pending += reversed(leaves)
            elif leaves is not None:
                yield leaves  # type: ignore[misc]


class PatternStack:
    """The parser's stack, changed as upstream changes it; methods raise InvalidPatternError."""

    __slots__ = ("_created", "_free", "_pattern", "_repeats", "_runes", "_stack", "_tracking")

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._stack: list[PatternNode] = []
        self._created = 0
        self._free = 0
        self._repeats = 1
        self._runes = 0
        self._tracking = False

    def literal(self, char: str, flags: int) -> None:
        """Push one rune."""
        self._push(self._new(LITERAL, flags & FOLD, 1, char))

    def char_class(self, members: Members, runes: int, single: str = "") -> None:
        """Push a class with a number of runes, two per range; `single` is its only rune, if it has one."""
        node = self._new(CLASS, 0, runes, single or members)
        node.single = bool(single)
        self._push(node)

    def assertion(self, condition: str) -> None:
        """Push an assertion such as `^`, which matches between runes."""
        self._push(self._new(ASSERTION, leaves=condition))

    def open(self, flags: int, captures: bool) -> None:
        """Push an opening parenthesis with the flags to restore at its end."""
        node = self._new(OPEN, flags)
        node.captures = captures
        self._push(node)

    def bar(self) -> None:
        """End an alternative and start another."""
        self._concat()
        if not self._swap_bar():
            self._push(self._new(BAR))

    def close(self) -> int:
        """End a group and return the flags to restore."""
        self._alternatives()
        stack = self._stack
        if len(stack) < 2:
            raise InvalidPatternError("unexpected )", self._pattern)
        inner = stack.pop()
        group = stack.pop()
        flags = group.flags
        if not group.captures:
            self._push(inner)
            return flags
        group.kind = CAPTURE
        group.parts = (inner,)
        group.depth = 1 + inner.depth
        group.height = 1 + inner.height
        group.size = 2 + inner.size
        group.product = inner.product
        self._push(group)
        return flags

    def finish(self) -> PatternNode:
        """End the pattern and return its root."""
        self._alternatives()
        if len(self._stack) > 1:
            raise InvalidPatternError("missing closing )", self._pattern)
        return self._stack[0]

    def repeat(
        self,
        kind: int,
        low: int,
        high: int,
        operator: str,
    ) -> None:
        """Repeat the topmost node; `operator` is its text."""
        stack = self._stack
        if not stack or stack[-1].kind >= OPEN:
            raise InvalidPatternError("missing argument to repetition operator", operator)
        inner = stack[-1]
        node = self._new(kind)
        node.parts, node.low, node.high = (inner,), low, high
        node.depth = 1 + inner.depth
        node.height = 1 + inner.height
        node.product = inner.product
        if kind == REPEAT:
            node.product = _repeated_product(inner.product, low, high)
            node.size = _repeated_size(inner.size, low, high)
        else:
            node.size = inner.size + (2 if kind == STAR else 1)
        stack[-1] = node
        self._check(node)
        is_counted = kind == REPEAT and max(low, high) >= 2
        if is_counted and node.product > MAX_REPEAT:
            raise InvalidPatternError("invalid repeat count", operator)

    def _new(
        self,
        kind: int,
        flags: int = 0,
        runes: int = 0,
        leaves: Leaves = None,
    ) -> PatternNode:
        if self._free:
            self._free -= 1
        else:
            self._created += 1
        return PatternNode(kind, flags, runes, leaves)

    def _push(self, node: PatternNode) -> None:
        self._runes += node.runes
        if node.kind == CLASS and node.single:
            if self._merge_literals(node.leaves):
                return
            node.kind = LITERAL
            node.runes = 1
        else:
            self._merge_literals()
        self._stack.append(node)
        self._check(node)

    def _merge_literals(self, rune: Leaves = None) -> bool:
        """Merge the two topmost literals; return whether a rune to be pushed, if any, replaced the upper one."""
        stack = self._stack
        if len(stack) < 2:
            return False
        upper, lower = stack[-1], stack[-2]
        are_literals = upper.kind == lower.kind == LITERAL
        if not are_literals or upper.flags != lower.flags:
            return False
        lower.runes += upper.runes
        lower.leaves = (lower.leaves, upper.leaves)
        if not self._tracking:
            lower.size = lower.runes
        if rune is not None:
            upper.runes = upper.size = 1
            upper.flags = 0
            upper.leaves = rune
            return True
        stack.pop()
        self._free += 1
        return False

    def _check(self, node: PatternNode) -> None:
        if not self._tracking:
            self._track(node)
        if self._tracking and node.kind == LITERAL:
            node.size = node.runes
        has_large_tree = self._tracking and node.size > MAX_SIZE
        if has_large_tree or self._runes > MAX_RUNES:
            raise InvalidPatternError("expression too large", self._pattern)
        if self._created >= MAX_HEIGHT and node.height > MAX_HEIGHT:
            raise InvalidPatternError("expression nests too deeply", self._pattern)

    def _track(self, node: PatternNode) -> None:
        """Begin to measure sizes once there are many nodes or repetitions."""
        if node.kind == REPEAT:
            times = max(node.low, node.high, 1)
            is_too_often = times > MAX_SIZE // self._repeats
            self._repeats = MAX_SIZE if is_too_often else self._repeats * times
        self._tracking = self._created >= MAX_SIZE // self._repeats

    def _take(self) -> list[PatternNode]:
        """Pop and return the nodes above the topmost mark."""
        stack = self._stack
        start = len(stack)
        while start and stack[start - 1].kind < OPEN:
            start -= 1
        nodes = stack[start:]
        del stack[start:]
        return nodes

    def _concat(self) -> None:
        self._merge_literals()
        parts = self._take()
        self._push(self._collapse(parts, CONCAT) if parts else self._new(EMPTY))

    def _alternatives(self) -> None:
        self._concat()
        if self._swap_bar():
            self._stack.pop()
        self._push(self._collapse(self._take(), ALTERNATE))

    def _collapse(self, parts: list[PatternNode], kind: int) -> PatternNode:
        if len(parts) == 1:
            return parts[0]
        node = self._new(kind)
        node.parts = parts
        for part in parts:
            node.depth = max(node.depth, 1 + part.depth)
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
            _join_classes(stack[-3], top)
            self._free += 1
            stack.pop()
            return True
        stack[-2], stack[-1] = top, stack[-2]
        return True


def _join_classes(node: PatternNode, other: PatternNode) -> None:
    """Make a class, or a literal of one rune, a class with the members of another one as well."""
    if node.kind == other.kind == CLASS:
        node.runes += other.runes
    else:
        node.runes = 2 + max(node.runes, other.runes)
    node.leaves = (_members(node), _members(other))
    node.kind = CLASS
    node.single = False


def _members(node: PatternNode) -> Leaves:
    """Return the members of a class or of a literal of one rune."""
    if node.kind == CLASS:
        return node.leaves
    [char] = node.each()
    code = ord(str(char))
    return Members(((code, code),), fold=bool(node.flags))


def _is_class(node: PatternNode) -> bool:
    return node.kind == CLASS or (node.kind == LITERAL and node.runes == 1)


def _repeated_size(size: int, low: int, high: int) -> int:
    if high < 0:
        return 2 + size if low == 0 else 1 + low * size
    return max(1, high * size + high - low)


def _repeated_product(product: int, low: int, high: int) -> int:
    """Return the product of repetition counts with one more, where a limit of -1 is none."""
    if high == 0:
        return 1
    times = low if high < 0 else high
    return times * product if times > 0 else product
