"""Comparison of the texts that Go's regular expressions match, by automata (Go 1.25, Perl syntax, no word boundaries).

A pattern is converted to an automaton that reads a text and records whether a part of it has matched. Two automata run
in parallel over all texts, shortest first, until they differ. The size of automata and the number of states are
limited.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from crdlint.golang.regexp import compile_error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Sorted ranges of code points, both ends included.
Ranges: TypeAlias = "tuple[tuple[int, int], ...]"

_MAX: Final = 0x10FFFF
_MOST_STATES: Final = 4000  # the maximum number of states of an automaton
MOST_STEPS: Final = 100_000  # the maximum number of states in one comparison
_DEEPEST: Final = 60  # nested groups
_BEGIN: Final = "begin"
_END: Final = "end"


class UnsupportedError(Exception):
    """The texts of a pattern cannot be compared: it has an unsupported construct, or is too large."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The shortest text that only the first pattern matches, and one that only the second matches, or None."""

    only_first: str | None
    only_second: str | None
    steps: int


def compare(first: str, second: str) -> Comparison:
    """Compare the texts that two patterns match; raise UnsupportedError."""
    automata = _automaton(first), _automaton(second)
    alphabet = _alphabet(automaton.ranges() for automaton in automata)
    search = _Search(automata, alphabet)
    return search.run()


def lengths(pattern: str) -> tuple[int, int | None]:
    """Return the length of the shortest and of the longest text that a pattern matches, None if unlimited.

    Raise UnsupportedError, also for a pattern that matches no text.
    """
    automaton = _automaton(pattern)
    return _Lengths(automaton, _alphabet([automaton.ranges()])).run()


# The tree of a pattern: a class of characters, an assertion, parts one after the other, alternatives, repetitions.
@dataclass(frozen=True, slots=True)
class _Class:
    ranges: Ranges


@dataclass(frozen=True, slots=True)
class _Assertion:
    kind: str


@dataclass(frozen=True, slots=True)
class _Sequence:
    parts: Sequence[_Node]


@dataclass(frozen=True, slots=True)
class _Alternatives:
    parts: Sequence[_Node]


@dataclass(frozen=True, slots=True)
class _Repeat:
    part: _Node
    low: int
    high: int | None


_Node: TypeAlias = "_Class | _Assertion | _Sequence | _Alternatives | _Repeat"


def _ranges(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """Return sorted ranges, with adjacent ones joined."""
    joined: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    return tuple(joined)


def _negated(ranges: Ranges) -> Ranges:
    result = []
    start = 0
    for low, high in ranges:
        if start < low:
            result.append((start, low - 1))
        start = high + 1
    if start <= _MAX:
        result.append((start, _MAX))
    return tuple(result)


def _of(text: str) -> Ranges:
    """Return the ranges of pairs of characters: `azAZ` is both alphabets."""
    return _ranges((ord(low), ord(high)) for low, high in zip(text[::2], text[1::2], strict=True))


_DIGITS, _SPACES, _WORDS = _of("09"), _of("\t\n\f\r  "), _of("09AZ__az")
_PERL: Final = {
    "d": _DIGITS, "D": _negated(_DIGITS), "s": _SPACES, "S": _negated(_SPACES), "w": _WORDS, "W": _negated(_WORDS),
}  # fmt: skip
_POSIX: Final = {
    "alnum": _of("09AZaz"), "alpha": _of("AZaz"), "ascii": _of("\x00\x7f"), "blank": _of("\t\t  "),
    "cntrl": _of("\x00\x1f\x7f\x7f"), "digit": _DIGITS, "graph": _of("!~"), "lower": _of("az"),
    "print": _of(" ~"), "punct": _of("!/:@[`{~"),
    "space": _of("\t\r  "), "upper": _of("AZ"), "word": _WORDS, "xdigit": _of("09AFaf"),
}  # fmt: skip
_ESCAPES: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_COUNT: Final = re.compile(r"\{(\d+)(,(\d+)?)?\}")
_HEX: Final = re.compile(r"x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")
_OCTAL: Final = re.compile(r"[1-7][0-7]{1,2}|0[0-7]{0,2}")
_POSIX_CLASS: Final = re.compile(r"\[:(\^?)(\w+):\]")
_GROUP: Final = re.compile(r"\((?:\?(?:P?<\w+>|(?P<flags>[sU]*):))?")
_ANY: Final = _negated(((10, 10),))
_EVERY: Final[Ranges] = ((0, _MAX),)


class _Parser:
    """Reads a pattern that Go accepts."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._dot = _ANY

    def parse(self) -> _Node:
        node = self._alternatives()
        if self._at < len(self._text):
            raise UnsupportedError
        return node

    def _alternatives(self) -> _Node:
        parts = [self._sequence()]
        while self._text.startswith("|", self._at):
            self._at += 1
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else _Alternatives(parts)

    def _sequence(self) -> _Node:
        parts: list[_Node] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            parts.append(self._repeated(self._single()))
        return _Sequence(parts)

    def _repeated(self, part: _Node) -> _Node:
        text = self._text
        while self._at < len(text):
            bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(text[self._at])
            end = self._at + 1
            if bounds is None:
                count = _COUNT.match(text, self._at)
                if count is None:
                    return part
                end, low = count.end(), int(count[1])
                bounds = (low, low if count[2] is None else None if count[3] is None else int(count[3]))
            self._at = end + text.startswith("?", end)
            part = _Repeat(part, *bounds)
        return part

    def _single(self) -> _Node:
        char = self._text[self._at]
        if char == "(":
            return self._group()
        if char == "[":
            return _Class(self._bracket())
        if char == "\\":
            return self._escaped()
        self._at += 1
        if char == ".":
            return _Class(self._dot)
        if char in "^$":
            return _Assertion(_BEGIN if char == "^" else _END)
        return _Class(((ord(char), ord(char)),))

    def _group(self) -> _Node:
        opening = _GROUP.match(self._text, self._at)
        if opening is None or self._depth > _DEEPEST or self._text.startswith("?", opening.end()):
            raise UnsupportedError
        self._at = opening.end()
        outer = self._dot
        if "s" in (opening["flags"] or ""):
            self._dot = _EVERY
        self._depth += 1
        node = self._alternatives()
        self._depth -= 1
        self._dot = outer
        self._at += 1  # the closing parenthesis
        return node

    def _escaped(self) -> _Node:
        text, following = self._text, self._text[self._at + 1]
        if following in "Az":
            self._at += 2
            return _Assertion(_BEGIN if following == "A" else _END)
        if following == "Q":
            end = text.find(r"\E", self._at)
            quoted = text[self._at + 2 : end if end >= 0 else len(text)]
            self._at = end + 2 if end >= 0 else len(text)
            return _Sequence([_Class(((ord(char), ord(char)),)) for char in quoted])
        return _Class(self._escape())

    def _escape(self) -> Ranges:
        """Read an escape of one character or of a class."""
        text, start = self._text, self._at + 1
        following = text[start]
        self._at = start + 1
        if following in _PERL:
            return _PERL[following]
        code = _ESCAPES.get(following)
        if code is None:
            number, base = _HEX.match(text, start), 16
            digits = "" if number is None else number[1] or number[2]
            if number is None:
                number, base = _OCTAL.match(text, start), 8
                digits = "" if number is None else number[0]
            if number is not None:
                self._at = number.end()
                code = int(digits, base)
            elif following.isalnum():
                raise UnsupportedError
            else:
                code = ord(following)
        return ((code, code),)

    def _bracket(self) -> Ranges:
        text = self._text
        self._at += 1
        is_negated = text.startswith("^", self._at)
        self._at += is_negated
        pairs: list[tuple[int, int]] = []
        first = True
        while first or text[self._at] != "]":
            first = False
            posix = _POSIX_CLASS.match(text, self._at)
            if posix is not None:
                self._at = posix.end()
                ranges = _POSIX[posix[2]]
                pairs += _negated(ranges) if posix[1] else ranges
                continue
            ranges = self._member()
            if len(ranges) == 1 and ranges[0][0] == ranges[0][1] and self._continues_range():
                self._at += 1
                pairs.append((ranges[0][0], self._member()[0][1]))
            else:
                pairs += ranges
        self._at += 1
        members = _ranges(pairs)
        return _negated(members) if is_negated else members

    def _continues_range(self) -> bool:
        text = self._text
        return text.startswith("-", self._at) and text[self._at + 1 : self._at + 2] not in {"]", ""}

    def _member(self) -> Ranges:
        if self._text[self._at] == "\\":
            return self._escape()
        code = ord(self._text[self._at])
        self._at += 1
        return ((code, code),)


@dataclass(slots=True)
class _Automaton:
    """States by number: edges that read a character, and edges that read none, some of them only at an end of the text.

    The first state is the start; `final` is reached as soon as a part of the text matches.
    """

    reads: list[list[tuple[Ranges, int]]] = field(default_factory=list)
    skips: list[list[tuple[str, int]]] = field(default_factory=list)
    final: int = 0

    def state(self) -> int:
        """Add a state."""
        if len(self.reads) >= _MOST_STATES:
            raise UnsupportedError
        self.reads.append([])
        self.skips.append([])
        return len(self.reads) - 1

    def ranges(self) -> Iterator[Ranges]:
        """Yield the ranges of all edges."""
        for edges in self.reads:
            for ranges, _ in edges:
                yield ranges

    def closure(self, states: Iterable[int], *, begin: bool, end: bool) -> frozenset[int]:
        """Return the states that are reached without reading, at the begin or the end of the text or within it."""
        reached = set(states)
        pending = list(reached)
        while pending:
            for condition, target in self.skips[pending.pop()]:
                is_open = not condition or (condition == _BEGIN and begin) or (condition == _END and end)
                if is_open and target not in reached:
                    reached.add(target)
                    pending.append(target)
        return frozenset(reached)

    def start(self) -> frozenset[int]:
        """Return the states before the first character."""
        return self._settled(self.closure((0,), begin=True, end=False))

    def after(self, states: frozenset[int], code: int) -> frozenset[int]:
        """Return the states after a character; a match may start at each character."""
        if self.final in states:
            return states
        reached = {target for state in states for ranges, target in self.reads[state] if _contains(ranges, code)}
        return self._settled(self.closure((*reached, 0), begin=False, end=False))

    def _settled(self, states: frozenset[int]) -> frozenset[int]:
        return frozenset((self.final,)) if self.final in states else states

    def accepts(self, states: frozenset[int], *, at_start: bool) -> bool:
        """Return whether a text that ends here matches."""
        return self.final in states or self.final in self.closure(states, begin=at_start, end=True)


def _contains(ranges: Ranges, code: int) -> bool:
    index = bisect_left(ranges, (code + 1,)) - 1
    return index >= 0 and ranges[index][1] >= code


def _automaton(pattern: str) -> _Automaton:
    if compile_error(pattern) is not None:
        raise UnsupportedError
    automaton = _Automaton()
    start = automaton.state()
    automaton.final = automaton.state()
    _build(_Parser(pattern).parse(), start, automaton.final, automaton)
    return automaton


def _build(node: _Node, start: int, end: int, automaton: _Automaton) -> None:
    """Add the states between two that read what a node matches."""
    if isinstance(node, _Class):
        automaton.reads[start].append((node.ranges, end))
    elif isinstance(node, _Assertion):
        automaton.skips[start].append((node.kind, end))
    elif isinstance(node, _Sequence):
        for part in node.parts:
            following = automaton.state()
            _build(part, start, following, automaton)
            start = following
        automaton.skips[start].append(("", end))
    elif isinstance(node, _Alternatives):
        for part in node.parts:
            first = automaton.state()
            automaton.skips[start].append(("", first))
            _build(part, first, end, automaton)
    else:
        _build_repeat(node, start, end, automaton)


def _build_repeat(node: _Repeat, start: int, end: int, automaton: _Automaton) -> None:
    for _ in range(node.low):
        following = automaton.state()
        _build(node.part, start, following, automaton)
        start = following
    if node.high is None:
        loop = automaton.state()
        back = automaton.state()
        automaton.skips[start].append(("", loop))
        _build(node.part, loop, back, automaton)
        automaton.skips[back].append(("", loop))
        automaton.skips[loop].append(("", end))
        return
    for _ in range(node.high - node.low):
        automaton.skips[start].append(("", end))
        following = automaton.state()
        _build(node.part, start, following, automaton)
        start = following
    automaton.skips[start].append(("", end))


def _alphabet(ranges: Iterable[Iterable[Ranges]]) -> list[int]:
    """Return one code point for each set of characters that no edge distinguishes, the most readable ones first."""
    distinct = list(dict.fromkeys(ranges_of_edge for group in ranges for ranges_of_edge in group))
    edges = {0, _MAX + 1}
    for ranges_of_edge in distinct:
        for low, high in ranges_of_edge:
            edges.update((low, high + 1))
    bounds = sorted(edges)
    by_signature: dict[tuple[bool, ...], int] = {}
    for low, following in pairwise(bounds):
        signature = tuple(_contains(ranges_of_edge, low) for ranges_of_edge in distinct)
        code = _readable(low, following - 1)
        if code is not None and (signature not in by_signature or _rank(code) < _rank(by_signature[signature])):
            by_signature[signature] = code
    return sorted(by_signature.values(), key=_rank)


_PREFERRED: Final = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-./_"


def _rank(code: int) -> tuple[int, int]:
    char = chr(code)
    if char in _PREFERRED:
        return _PREFERRED.index(char), 0
    return len(_PREFERRED) + (0 if " " <= char <= "~" else 1 if code > ord("~") else 2), code


def _readable(low: int, high: int) -> int | None:
    """Return the most readable code point of a range, or None if it contains only surrogates."""
    preferred = next((ord(char) for char in _PREFERRED if low <= ord(char) <= high), None)
    if preferred is not None:
        return preferred
    printable = range(max(low, ord(" ")), min(high, ord("~")) + 1)
    others = (*printable, _LETTER if low <= _LETTER <= high else low, high, _ABOVE_SURROGATES)
    return next((code for code in others if low <= code <= high and code not in _SURROGATES), None)


_LETTER: Final = ord("é")
_SURROGATES: Final = range(0xD800, 0xE000)
_ABOVE_SURROGATES: Final = 0xE000


class _Search:
    """Runs two automata over the same texts, shortest first."""

    def __init__(self, automata: tuple[_Automaton, _Automaton], alphabet: list[int]) -> None:
        self._first, self._second = automata
        self._alphabet = alphabet
        self._steps = 0

    def run(self) -> Comparison:
        start = self._first.start(), self._second.start()
        seen: set[tuple[frozenset[int], frozenset[int]]] = set()  # the start is recorded only if a text returns to it
        pending = deque([(start, "")])
        only_first: str | None = None
        only_second: str | None = None
        at_start = True
        while pending and (only_first is None or only_second is None):
            (first, second), text = pending.popleft()
            accepted = self._first.accepts(first, at_start=at_start), self._second.accepts(second, at_start=at_start)
            at_start = False
            if accepted == (True, False) and only_first is None:
                only_first = text
            if accepted == (False, True) and only_second is None:
                only_second = text
            for code in self._alphabet:
                self._steps += len(first) + len(second)
                if self._steps > MOST_STEPS:
                    if only_first is None and only_second is None:
                        raise UnsupportedError
                    raise PartialError(only_first, only_second)
                after = self._first.after(first, code), self._second.after(second, code)
                if after not in seen:
                    seen.add(after)
                    pending.append((after, text + chr(code)))
        return Comparison(only_first, only_second, self._steps)


class PartialError(UnsupportedError):
    """A comparison that was stopped after it had found a text that only one of the patterns matches."""

    def __init__(self, only_first: str | None, only_second: str | None) -> None:
        super().__init__()
        self.only_first = only_first
        self.only_second = only_second


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
        """Return the states that follow each state, and those in which a text may end; the first is the start."""
        automaton = self._automaton
        # The start has a number of its own, since assertions of the begin hold only there.
        numbers: dict[frozenset[int] | None, int] = {None: 0}
        states: list[frozenset[int]] = [automaton.start()]
        edges: list[set[int]] = [set()]
        accepted = {0} if automaton.accepts(states[0], at_start=True) else set()
        steps = 0
        index = 0
        while index < len(states):
            for code in self._alphabet:
                steps += len(states[index])
                if steps > MOST_STEPS:
                    raise UnsupportedError
                after = automaton.after(states[index], code)
                number = numbers.get(after)
                if number is None:
                    number = numbers[after] = len(states)
                    states.append(after)
                    edges.append(set())
                    if automaton.accepts(after, at_start=False):
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
