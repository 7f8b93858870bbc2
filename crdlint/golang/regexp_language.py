"""Comparison of the texts that Go's regular expressions match, by automata (Go 1.25, Perl syntax).

A pattern is converted to an automaton that reads a text and records whether a part of it has matched. Two automata run in
parallel over all texts, shortest first, until they differ. The size of automata and the number of states are limited.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from itertools import chain
from typing import Final

from crdlint.golang import regexp_tree as syntax
from crdlint.golang.matching import class_members
from crdlint.golang.regexp import shallow_tree
from crdlint.golang.regexp_classes import (
    LAST,
    NEWLINE,
    SURROGATES,
    WORDS,
    Ranges,
    contains,
    folded,
    joined,
    negated,
)
from crdlint.golang.regexp_tree import Members, PatternNode
from crdlint.light import dataclass

_MOST_STATES: Final = 4000  # the maximum number of states of an automaton
MOST_STEPS: Final = 100_000  # the maximum number of states in one comparison
# Texts end here, or the next character is one of a word, a line feed, or another one; the same for the one before.
_EDGE: Final = "edge"
_WORD: Final = "word"
_LINE: Final = "line"
_OTHER: Final = "other"
_AT_BEGIN: Final = frozenset({syntax.BEGIN, syntax.LINE_BEGIN})


@dataclass(frozen=True, slots=True)
class Difference:
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


def compare(
    first: str,
    second: str,
    shortest: int = 0,
    longest: int | None = None,
) -> Difference:
    """Compare the texts of limited lengths that two patterns match; raise UnsupportedError."""
    # The first text that both, only the first, only the second, or none of them accepts.
    texts: dict[tuple[bool, bool], str] = {}
    walk = _Walk(first, second, shortest, longest)
    try:
        for accepted, text in walk.texts():
            texts.setdefault(accepted, text)
            if texts.keys() >= _ONE_ONLY:
                break
    except UnsupportedError:
        raise _stopped(texts) from None
    return Difference(texts.get(_ONLY_FIRST), texts.get(_ONLY_SECOND), walk.steps)


def common_text(first: str, second: str) -> tuple[str | None, int]:
    """Return the shortest text that matches both patterns, None without any, and the steps; raise UnsupportedError."""
    walk = _Walk(first, second, 0, None)
    common = (text for accepted, text in walk.texts() if accepted == _BOTH)
    return next(common, None), walk.steps


class _Walk:
    """The texts of two automata in parallel, of `shortest` to `longest` characters; `steps` counts their states."""

    def __init__(
        self,
        first: str,
        second: str,
        shortest: int,
        longest: int | None,
    ) -> None:
        self._automata: Final = _automaton(first), _automaton(second)
        self._shortest: Final = shortest
        self._longest: Final = longest
        self.steps = 0

    def texts(self) -> Iterator[tuple[tuple[bool, bool], str]]:
        """Yield texts, shortest first, one for each state, with whether each automaton accepts it; raise UnsupportedError."""
        automaton, other = self._automata
        alphabet = _alphabet(self._automata)
        # The positions of both automata in a text, and its length, as far as that matters.
        start = automaton.start(), other.start(), 0
        seen = {start}
        pending = deque([(start, "")])
        while pending:
            (here, there, length), text = pending.popleft()
            if length >= self._shortest:
                yield (automaton.accepts(here), other.accepts(there)), text
            if self._longest is not None and len(text) >= self._longest:
                continue
            for code in alphabet:
                self._count(len(here.states) + len(there.states))
                following_length = min(length + 1, self._shortest)
                after = automaton.after(here, code), other.after(there, code), following_length
                if after not in seen:
                    seen.add(after)
                    pending.append((after, text + chr(code)))

    def _count(self, states: int) -> None:
        self.steps += states
        if self.steps > MOST_STEPS:
            raise UnsupportedError


def _stopped(texts: Mapping[tuple[bool, bool], str]) -> UnsupportedError:
    if texts.keys().isdisjoint(_ONE_ONLY):
        return UnsupportedError()
    return PartialError(texts.get(_ONLY_FIRST), texts.get(_ONLY_SECOND))


_BOTH: Final = (True, True)
_ONLY_FIRST: Final = (True, False)
_ONLY_SECOND: Final = (False, True)
_ONE_ONLY: Final = frozenset({_ONLY_FIRST, _ONLY_SECOND})


def lengths(pattern: str) -> tuple[int, int | None]:
    """Return the lengths of the shortest and longest match, the latter None if unlimited; without any, raise UnsupportedError."""
    automaton = _automaton(pattern)
    alphabet = _alphabet((automaton,))
    steps = 0
    # The length of the shortest text that leads to each position, and the positions that follow each one.
    shortest = {automaton.start(): 0}
    edges: dict[_State, set[_State]] = {}
    pending = deque(shortest)
    while pending:
        here = pending.popleft()
        steps += len(here.states) * len(alphabet)
        if steps > MOST_STEPS:
            raise UnsupportedError
        edges[here] = {automaton.after(here, code) for code in alphabet}
        for after in edges[here] - shortest.keys():
            shortest[after] = shortest[here] + 1
            pending.append(after)
    accepted = {position for position in edges if automaton.accepts(position)}
    if not accepted:
        raise UnsupportedError
    longest = _longest(automaton.start(), edges, accepted)
    return min(shortest[position] for position in accepted), longest


def _longest(
    start: _State, edges: Mapping[_State, set[_State]], accepted: set[_State]
) -> int | None:
    """Return the length of the longest accepted text, None if there is no longest."""
    useful = _leading_to(accepted, edges)
    level, length = {start} & useful, 0
    while level:
        length += 1
        following: set[_State] = set().union(*(edges[position] for position in level))
        level = following & useful
        if length > len(edges):
            return None  # a way that is longer than the number of positions has a loop
    return length - 1


def _leading_to(targets: set[_State], edges: Mapping[_State, set[_State]]) -> set[_State]:
    """Return the positions from which a way leads to a target, which are positions themselves."""
    before: dict[_State, set[_State]] = {position: set() for position in edges}
    for position, following in edges.items():
        for after in following:
            before[after].add(position)
    reached, pending = set(targets), list(targets)
    while pending:
        new = before[pending.pop()] - reached
        reached |= new
        pending.extend(new)
    return reached


@dataclass(frozen=True, slots=True)
class _State:
    """A position in a text: the states of an automaton, and the kind of the character before, as far as it matters."""

    states: frozenset[int]
    before: str


@dataclass(slots=True)
class _Automaton:
    """States by number: edges that read a character, and edges that read none, some of them on a condition.

    The first state is the start; `final` is reached as soon as a part of the text matches. `conditions` are those of all edges.
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
        if self.conditions & {syntax.BOUNDARY, syntax.NO_BOUNDARY}:
            yield WORDS
        if self.conditions & {syntax.LINE_BEGIN, syntax.LINE_END}:
            yield NEWLINE

    def start(self) -> _State:
        """Return the position before the first character."""
        return self._position((0,), _EDGE)

    def after(self, position: _State, code: int) -> _State:
        """Return the position after a character; a match may start at each character."""
        if self.final in position.states:
            return position
        kind = self._kind(code)
        states = position.states
        if self.conditions & {syntax.BOUNDARY, syntax.NO_BOUNDARY, syntax.LINE_END}:
            states = self._closure(states, position.before, kind)
            if self.final in states:
                return self._end()
        edges = chain.from_iterable(self.reads[state] for state in states)
        reached = {target for ranges, target in edges if contains(ranges, code)}
        return self._position((*reached, 0), kind)

    def accepts(self, position: _State) -> bool:
        """Return whether a text that ends here matches."""
        states = position.states
        return self.final in states or self.final in self._closure(states, position.before, _EDGE)

    def _kind(self, code: int) -> str:
        """Return the kind of a character, if a condition depends on it."""
        if self.conditions & {syntax.BOUNDARY, syntax.NO_BOUNDARY} and contains(WORDS, code):
            return _WORD
        if self.conditions & {syntax.LINE_BEGIN, syntax.LINE_END} and contains(NEWLINE, code):
            return _LINE
        return _OTHER

    def _position(self, states: Iterable[int], before: str) -> _State:
        reached = self._closure(states, before, None)
        return self._end() if self.final in reached else _State(reached, before)

    def _end(self) -> _State:
        """Return the position after a match, where nothing else matters."""
        return _State(frozenset((self.final,)), _OTHER)

    def _closure(self, states: Iterable[int], before: str, following: str | None) -> frozenset[int]:
        """Return the states that are reached without reading, between characters of two kinds, None for an unknown one."""
        reached = set(states)
        pending = list(reached)
        while pending:
            for condition, target in self.skips[pending.pop()]:
                if target in reached:
                    continue
                if not condition or _is_met(condition, before, following):
                    reached.add(target)
                    pending.append(target)
        return frozenset(reached)


def _is_met(condition: str, before: str, following: str | None) -> bool:
    """Return whether a condition is certainly met between characters of two kinds."""
    if condition in _AT_BEGIN:
        return before == _EDGE or (condition == syntax.LINE_BEGIN and before == _LINE)
    if following is None:
        return False
    if condition in {syntax.BOUNDARY, syntax.NO_BOUNDARY}:
        return ((before == _WORD) != (following == _WORD)) == (condition == syntax.BOUNDARY)
    return following == _EDGE or (condition == syntax.LINE_END and following == _LINE)


def _automaton(pattern: str) -> _Automaton:
    tree = shallow_tree(pattern)
    if tree is None:
        raise UnsupportedError
    automaton = _Automaton()
    start = automaton.state()
    automaton.final = automaton.state()
    _build(tree, start, automaton.final, automaton)
    return automaton


def _build(
    node: PatternNode,
    start: int,
    end: int,
    automaton: _Automaton,
) -> None:
    """Add the states between two that read what a node matches."""
    if node.kind == syntax.LITERAL:
        _build_literal(node, start, end, automaton)
    elif node.kind == syntax.CLASS:
        members = tuple(leaf for leaf in node.each() if isinstance(leaf, Members))
        automaton.reads[start].append((_ranges(Members(parts=members)), end))
    elif node.kind == syntax.ASSERTION:
        condition = str(node.leaves)
        automaton.skips[start].append((condition, end))
        automaton.conditions.add(condition)
    elif node.kind == syntax.ALTERNATE:
        for part in node.parts:
            first = automaton.state()
            automaton.skips[start].append(("", first))
            _build(part, first, end, automaton)
    elif node.kind in _REPEATED:
        _build_repeat(node, start, end, automaton)
    else:
        last = _build_chain(node.parts, start, automaton)
        automaton.skips[last].append(("", end))


def _build_literal(
    node: PatternNode,
    start: int,
    end: int,
    automaton: _Automaton,
) -> None:
    """Add a state for each character but the last."""
    folds = bool(node.flags)
    *others, last = [_ranges(_only(str(char), fold=folds)) for char in node.each()]
    for ranges in others:
        following = automaton.state()
        automaton.reads[start].append((ranges, following))
        start = following
    automaton.reads[start].append((last, end))


def _only(char: str, *, fold: bool) -> Members:
    return Members(((ord(char), ord(char)),), fold=fold)


def _build_chain(parts: Iterable[PatternNode], start: int, automaton: _Automaton) -> int:
    """Add the states that read what some nodes match one after another, and return the last."""
    for part in parts:
        following = automaton.state()
        _build(part, start, following, automaton)
        start = following
    return start


_REPEATED: Final = frozenset({syntax.STAR, syntax.PLUS, syntax.QUEST, syntax.REPEAT})


def _ranges(members: Members) -> Ranges:
    r"""Return the members as ranges; the flag `i` adds cases before a class is negated."""
    pairs = list(members.ranges)
    if members.name:
        pairs += class_members(rf"\p{{{members.name}}}")
    for part in members.parts:
        pairs += _ranges(part)
    ranges = joined(pairs)
    if members.fold:
        ranges = folded(ranges)
    return negated(ranges) if members.negated else ranges


def _build_repeat(
    node: PatternNode,
    start: int,
    end: int,
    automaton: _Automaton,
) -> None:
    start = _build_chain([*node.parts] * node.low, start, automaton)
    if node.high < 0:
        loop = automaton.state()
        automaton.skips[start].append(("", loop))
        back = _build_chain(node.parts, loop, automaton)
        automaton.skips[back].append(("", loop))
        start = loop
    for _ in range(node.high - node.low):
        automaton.skips[start].append(("", end))
        start = _build_chain(node.parts, start, automaton)
    automaton.skips[start].append(("", end))


def _alphabet(automata: Iterable[_Automaton]) -> list[int]:
    """Return one code point for each set of characters that no edge distinguishes, the most readable ones first."""
    all_ranges = chain.from_iterable(automaton.ranges() for automaton in automata)
    distinct = list(dict.fromkeys(all_ranges))
    codes = {*range(ord(" "), ord("~") + 1), _LETTER, 0, LAST}
    for low, high in chain.from_iterable(distinct):
        codes.update((max(low - 1, 0), low, high, min(high + 1, LAST)))
    codes.difference_update(SURROGATES)
    by_signature: dict[tuple[bool, ...], int] = {}
    for code in sorted(codes, key=_rank):
        signature = tuple(contains(ranges, code) for ranges in distinct)
        by_signature.setdefault(signature, code)
    return list(by_signature.values())


_PREFERRED: Final = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-./_"


def _rank(code: int) -> tuple[int, int]:
    """Return the order of a code point by how readable it is."""
    char = chr(code)
    if char in _PREFERRED:
        return _PREFERRED.index(char), 0
    after_preferred = len(_PREFERRED)
    if code == _LETTER:
        return after_preferred + 1, 0
    if " " <= char <= "~":
        return after_preferred, code
    is_control = code < ord(" ")
    return after_preferred + (2 if is_control else 1), code


_LETTER: Final = ord("é")
