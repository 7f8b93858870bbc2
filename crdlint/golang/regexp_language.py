"""Comparison of the texts that Go's regular expressions match, by automata (Go 1.25, Perl syntax).

A pattern is converted to an automaton that reads a text and records whether a part of it has matched. Two automata run
in parallel over all texts, shortest first, until they differ. The size of automata and the number of states are
limited.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from crdlint.golang.matching import class_members
from crdlint.golang.regexp import shallow_tree
from crdlint.golang.regexp_classes import LAST, NEWLINE, SURROGATES, WORDS, Ranges, contains, folded, joined, negated
from crdlint.golang.regexp_tree import (
    ALTERNATE,
    ASSERTION,
    BEGIN,
    BOUNDARY,
    CLASS,
    LINE_BEGIN,
    LINE_END,
    LITERAL,
    NO_BOUNDARY,
    PLUS,
    QUEST,
    REPEAT,
    STAR,
    Members,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.golang.regexp_tree import Node

_MOST_STATES: Final = 4000  # the maximum number of states of an automaton
MOST_STEPS: Final = 100_000  # the maximum number of states in one comparison
# Texts end here, or the next character is one of a word, a line feed, or another one; the same for the one before.
_EDGE: Final = "edge"
_WORD: Final = "word"
_LINE: Final = "line"
_OTHER: Final = "other"
_AT_BEGIN: Final = frozenset({BEGIN, LINE_BEGIN})


@dataclass(frozen=True, slots=True)
class Comparison:
    """The shortest text that only the first pattern matches, and one that only the second matches, or None."""

    only_first: str | None
    only_second: str | None
    steps: int


class UnsupportedError(Exception):
    """The texts of a pattern cannot be compared: it is invalid, too large or nested too deeply."""


class PartialError(UnsupportedError):
    """A comparison that was stopped after it had found a text that only one of the patterns matches."""

    def __init__(self, only_first: str | None, only_second: str | None) -> None:
        super().__init__()
        self.only_first = only_first
        self.only_second = only_second


def compare(first: str, second: str, shortest: int = 0, longest: int | None = None) -> Comparison:
    """Compare the texts of limited lengths that two patterns match; raise UnsupportedError."""
    automata = _automaton(first), _automaton(second)
    alphabet = _alphabet(automaton.ranges() for automaton in automata)
    return _Search(automata, alphabet, shortest, longest).run()


def lengths(pattern: str) -> tuple[int, int | None]:
    """Return the length of the shortest and of the longest text that a pattern matches, None if unlimited.

    Raise UnsupportedError, also for a pattern that matches no text.
    """
    automaton = _automaton(pattern)
    return _Lengths(automaton, _alphabet([automaton.ranges()])).run()


@dataclass(frozen=True, slots=True)
class _Position:
    """A position in a text: the states of an automaton, and the kind of the character before, as far as it matters."""

    states: frozenset[int]
    before: str


@dataclass(slots=True)
class _Automaton:
    """States by number: edges that read a character, and edges that read none, some of them on a condition.

    The first state is the start; `final` is reached as soon as a part of the text matches. `conditions` are those of all
    edges.
    """

    reads: list[list[tuple[Ranges, int]]] = field(default_factory=list)
    skips: list[list[tuple[str, int]]] = field(default_factory=list)
    conditions: set[str] = field(default_factory=set)
    final: int = 0

    def state(self) -> int:
        """Add a state."""
        if len(self.reads) >= _MOST_STATES:
            raise UnsupportedError
        self.reads.append([])
        self.skips.append([])
        return len(self.reads) - 1

    def ranges(self) -> Iterator[Ranges]:
        """Yield the ranges of all edges, and those that conditions depend on."""
        for edges in self.reads:
            for ranges, _ in edges:
                yield ranges
        if self.conditions & {BOUNDARY, NO_BOUNDARY}:
            yield WORDS
        if self.conditions & {LINE_BEGIN, LINE_END}:
            yield NEWLINE

    def start(self) -> _Position:
        """Return the position before the first character."""
        return self._position((0,), _EDGE)

    def after(self, position: _Position, code: int) -> _Position:
        """Return the position after a character; a match may start at each character."""
        if self.final in position.states:
            return position
        kind = self._kind(code)
        states = position.states
        if self.conditions & {BOUNDARY, NO_BOUNDARY, LINE_END}:
            states = self._closure(states, position.before, kind)
            if self.final in states:
                return _Position(frozenset((self.final,)), _OTHER)
        reached = {target for state in states for ranges, target in self.reads[state] if contains(ranges, code)}
        return self._position((*reached, 0), kind)

    def accepts(self, position: _Position) -> bool:
        """Return whether a text that ends here matches."""
        states = position.states
        return self.final in states or self.final in self._closure(states, position.before, _EDGE)

    def _kind(self, code: int) -> str:
        """Return the kind of a character, if a condition depends on it."""
        if self.conditions & {BOUNDARY, NO_BOUNDARY} and contains(WORDS, code):
            return _WORD
        return _LINE if self.conditions & {LINE_BEGIN, LINE_END} and contains(NEWLINE, code) else _OTHER

    def _position(self, states: Iterable[int], before: str) -> _Position:
        reached = self._closure(states, before, None)
        if self.final in reached:
            return _Position(frozenset((self.final,)), _OTHER)
        return _Position(reached, before)

    def _closure(self, states: Iterable[int], before: str, following: str | None) -> frozenset[int]:
        """Return the states that are reached without reading, between characters of two kinds, None for an unknown one."""
        reached = set(states)
        pending = list(reached)
        while pending:
            for condition, target in self.skips[pending.pop()]:
                if target not in reached and (not condition or _is_met(condition, before, following)):
                    reached.add(target)
                    pending.append(target)
        return frozenset(reached)


def _is_met(condition: str, before: str, following: str | None) -> bool:
    """Return whether a condition is certainly met between characters of two kinds."""
    if condition in _AT_BEGIN:
        return before == _EDGE or (condition == LINE_BEGIN and before == _LINE)
    if following is None:
        return False
    if condition in {BOUNDARY, NO_BOUNDARY}:
        return ((before == _WORD) != (following == _WORD)) == (condition == BOUNDARY)
    return following == _EDGE or (condition == LINE_END and following == _LINE)


def _automaton(pattern: str) -> _Automaton:
    tree = shallow_tree(pattern)
    if tree is None:
        raise UnsupportedError
    automaton = _Automaton()
    start = automaton.state()
    automaton.final = automaton.state()
    _build(tree, start, automaton.final, automaton)
    return automaton


def _build(node: Node, start: int, end: int, automaton: _Automaton) -> None:
    """Add the states between two that read what a node matches."""
    if node.kind == LITERAL:
        *others, last = [((ord(str(char)),) * 2,) for char in node.each()]
        for code in others:
            following = automaton.state()
            automaton.reads[start].append((_ranges(Members(code, fold=bool(node.flags))), following))
            start = following
        automaton.reads[start].append((_ranges(Members(last, fold=bool(node.flags))), end))
    elif node.kind == CLASS:
        members = tuple(leaf for leaf in node.each() if isinstance(leaf, Members))
        automaton.reads[start].append((_ranges(Members(parts=members)), end))
    elif node.kind == ASSERTION:
        condition = str(node.leaves)
        automaton.skips[start].append((condition, end))
        automaton.conditions.add(condition)
    elif node.kind == ALTERNATE:
        for part in node.parts:
            first = automaton.state()
            automaton.skips[start].append(("", first))
            _build(part, first, end, automaton)
    elif node.kind in _REPEATED:
        _build_repeat(node, start, end, automaton)
    else:
        for part in node.parts:
            following = automaton.state()
            _build(part, start, following, automaton)
            start = following
        automaton.skips[start].append(("", end))


_REPEATED: Final = frozenset({STAR, PLUS, QUEST, REPEAT})


def _ranges(members: Members) -> Ranges:
    r"""Return the members as ranges; the flag `i` adds cases before a class is negated."""
    named = class_members(rf"\p{{{members.name}}}") if members.name else ()
    ranges = joined([*members.ranges, *named, *(pair for part in members.parts for pair in _ranges(part))])
    ranges = folded(ranges) if members.fold else ranges
    return negated(ranges) if members.negated else ranges


def _build_repeat(node: Node, start: int, end: int, automaton: _Automaton) -> None:
    [part] = node.parts
    for _ in range(node.low):
        following = automaton.state()
        _build(part, start, following, automaton)
        start = following
    if node.high < 0:
        loop = automaton.state()
        back = automaton.state()
        automaton.skips[start].append(("", loop))
        _build(part, loop, back, automaton)
        automaton.skips[back].append(("", loop))
        automaton.skips[loop].append(("", end))
        return
    for _ in range(node.high - node.low):
        automaton.skips[start].append(("", end))
        following = automaton.state()
        _build(part, start, following, automaton)
        start = following
    automaton.skips[start].append(("", end))


def _alphabet(ranges: Iterable[Iterable[Ranges]]) -> list[int]:
    """Return one code point for each set of characters that no edge distinguishes, the most readable ones first."""
    distinct = list(dict.fromkeys(ranges_of_edge for group in ranges for ranges_of_edge in group))
    edges = {0, LAST + 1}
    for ranges_of_edge in distinct:
        for low, high in ranges_of_edge:
            edges.update((low, high + 1))
    bounds = sorted(edges)
    by_signature: dict[tuple[bool, ...], int] = {}
    for low, following in pairwise(bounds):
        signature = tuple(contains(ranges_of_edge, low) for ranges_of_edge in distinct)
        code = _readable(low, following - 1)
        if code is not None and (signature not in by_signature or _rank(code) < _rank(by_signature[signature])):
            by_signature[signature] = code
    return sorted(by_signature.values(), key=_rank)


_PREFERRED: Final = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-./_"


def _rank(code: int) -> tuple[int, int]:
    char = chr(code)
    if char in _PREFERRED:
        return _PREFERRED.index(char), 0
    if code == _LETTER:
        return len(_PREFERRED) + 1, 0
    return len(_PREFERRED) + (0 if " " <= char <= "~" else 1 if code > ord("~") else 2), code


def _readable(low: int, high: int) -> int | None:
    """Return the most readable code point of a range, or None if it contains only surrogates."""
    preferred = next((ord(char) for char in _PREFERRED if low <= ord(char) <= high), None)
    if preferred is not None:
        return preferred
    printable = range(max(low, ord(" ")), min(high, ord("~")) + 1)
    others = (*printable, _LETTER if low <= _LETTER <= high else low, high, _ABOVE_SURROGATES)
    return next((code for code in others if low <= code <= high and code not in SURROGATES), None)


_LETTER: Final = ord("é")
_ABOVE_SURROGATES: Final = 0xE000


# The positions of two automata in a text, and its length, as far as that matters.
_Pair: TypeAlias = "tuple[_Position, _Position, int]"


class _Search:
    """Runs two automata over the same texts, shortest first."""

    def __init__(
        self, automata: tuple[_Automaton, _Automaton], alphabet: list[int], shortest: int, longest: int | None
    ) -> None:
        self._first, self._second = automata
        self._alphabet = alphabet
        self._shortest = shortest
        self._longest = longest
        self._steps = 0

    def run(self) -> Comparison:
        start = self._first.start(), self._second.start(), 0
        seen: set[_Pair] = {start}
        pending: deque[tuple[_Pair, str]] = deque([(start, "")])
        only_first: str | None = None
        only_second: str | None = None
        while pending and (only_first is None or only_second is None):
            (first, second, length), text = pending.popleft()
            if length >= self._shortest:
                accepted = self._first.accepts(first), self._second.accepts(second)
                if accepted == (True, False) and only_first is None:
                    only_first = text
                if accepted == (False, True) and only_second is None:
                    only_second = text
            if self._longest is not None and len(text) >= self._longest:
                continue
            length = min(length + 1, self._shortest)
            for code in self._alphabet:
                self._steps += len(first.states) + len(second.states)
                if self._steps > MOST_STEPS:
                    if only_first is None and only_second is None:
                        raise UnsupportedError
                    raise PartialError(only_first, only_second)
                after = self._first.after(first, code), self._second.after(second, code), length
                if after not in seen:
                    seen.add(after)
                    pending.append((after, text + chr(code)))
        return Comparison(only_first, only_second, self._steps)


class _Lengths:
    """The lengths of the texts that an automaton accepts."""

    def __init__(self, automaton: _Automaton, alphabet: list[int]) -> None:
        self._automaton = automaton
        self._alphabet = alphabet

    def run(self) -> tuple[int, int | None]:
        edges, accepted = self._explored()
        shortest = self._shortest(edges, accepted)
        return shortest, self._longest(edges, accepted)

    def _explored(self) -> tuple[list[set[int]], set[int]]:
        """Return the positions that follow each position, and those where a text may end; the first is the start."""
        automaton = self._automaton
        positions = [automaton.start()]
        numbers = {positions[0]: 0}
        edges: list[set[int]] = [set()]
        accepted = {0} if automaton.accepts(positions[0]) else set()
        steps = 0
        index = 0
        while index < len(positions):
            for code in self._alphabet:
                steps += len(positions[index].states)
                if steps > MOST_STEPS:
                    raise UnsupportedError
                after = automaton.after(positions[index], code)
                number = numbers.get(after)
                if number is None:
                    number = numbers[after] = len(positions)
                    positions.append(after)
                    edges.append(set())
                    if automaton.accepts(after):
                        accepted.add(number)
                edges[index].add(number)
            index += 1
        return edges, accepted

    def _shortest(self, edges: list[set[int]], accepted: set[int]) -> int:
        level, length, seen = {0}, 0, {0}
        while level:
            if level & accepted:
                return length
            level = {target for state in level for target in edges[state]} - seen
            seen |= level
            length += 1
        raise UnsupportedError

    def _longest(self, edges: list[set[int]], accepted: set[int]) -> int | None:
        """Return the length of the longest accepted text, None if there is no longest."""
        predecessors: list[set[int]] = [set() for _ in edges]
        for state, targets in enumerate(edges):
            for target in targets:
                predecessors[target].add(state)
        useful = set(accepted)
        pending = list(accepted)
        while pending:
            new = predecessors[pending.pop()] - useful
            useful |= new
            pending.extend(new)
        level, length = {0} & useful, 0
        while level:
            length += 1
            level = {target for state in level for target in edges[state] if target in useful}
            if length > len(edges):
                return None  # a way that is longer than the number of states has a loop
        return length - 1
