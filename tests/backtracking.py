"""How many steps Python's regular expressions take: a matcher that works as `re` does, and counts.

`growth` searches for a text on which the steps of a pattern grow faster than the text. It tries texts made of what the
pattern itself names: a beginning, a part repeated many times, and an end that lets the match fail.
"""

from __future__ import annotations

import re
import sys
import threading
from itertools import product
from typing import TYPE_CHECKING, Any, Final

if sys.version_info >= (3, 11):
    from re import _constants as sre
    from re import _parser as parser
else:
    import sre_constants as sre
    import sre_parse as parser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Next = Callable[[int], bool]
    Matcher = Callable[[int, Next], bool]

_SIZES: Final = (24, 48)  # how often a part is repeated
_CAP: Final = 50_000  # steps of one search: far more than any linear one takes
_CHEAP: Final = 12  # steps a character: what takes fewer is linear whatever it grows by
_SUPERLINEAR: Final = 3.0
_MOST_LEADS: Final = 12
_MOST_PUMPS: Final = 50


class TooManyStepsError(Exception):
    """A search takes more steps than any linear one."""


class Steps:
    """Searches a text for a pattern, and counts what is tried: each character compared, and each way taken."""

    def __init__(self, pattern: re.Pattern[str], text: str) -> None:
        self.count = 0
        self._text = text
        self._flags = pattern.flags
        self._groups: dict[int, tuple[int, int]] = {}
        self._match = self._sequence(list(parser.parse(pattern.pattern, pattern.flags)))

    def search(self, *, everywhere: bool) -> int:
        """Return the steps of looking for all matches, or at the start only."""
        at = 0
        ends: list[int] = []

        def found(end: int) -> bool:
            ends.append(end)
            return True

        while at <= len(self._text):
            self._groups.clear()
            matched = self._match(at, found)
            if not everywhere:
                break
            at = max(ends.pop(), at + 1) if matched else at + 1
        return self.count

    def _step(self) -> None:
        self.count += 1
        if self.count > _CAP:
            raise TooManyStepsError

    def _sequence(self, items: list[Any]) -> Matcher:
        matchers = [self._one(item) for item in items]

        def match(at: int, following: Next, index: int = 0) -> bool:
            if index == len(matchers):
                return following(at)
            return matchers[index](at, lambda end: match(end, following, index + 1))

        return match

    def _one(self, item: tuple[Any, Any]) -> Matcher:
        kind, given = item
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, getattr(sre, "POSSESSIVE_REPEAT", None)):
            return self._repeat(kind, *given)
        if kind is sre.SUBPATTERN:
            return self._group(given[0], self._sequence(list(given[3])))
        if kind is getattr(sre, "ATOMIC_GROUP", None):
            return self._look(self._sequence(list(given)), consumes=True)
        if kind is sre.BRANCH:
            return self._branch([self._sequence(list(one)) for one in given[1]])
        if kind in (sre.ASSERT, sre.ASSERT_NOT):
            return self._assert(given[0], given[1], negative=kind is sre.ASSERT_NOT)
        if kind is sre.AT:
            return self._at(given)
        if kind is sre.GROUPREF:
            return self._reference(given)
        return self._character(item)

    def _character(self, item: tuple[Any, Any]) -> Matcher:
        accepts = matcher_of(item, self._flags)

        def match(at: int, following: Next) -> bool:
            self._step()
            return at < len(self._text) and accepts(self._text[at]) and following(at + 1)

        return match

    def _branch(self, ways: list[Matcher]) -> Matcher:
        def match(at: int, following: Next) -> bool:
            for way in ways:
                self._step()
                if way(at, following):
                    return True
            return False

        return match

    def _group(self, number: int | None, inner: Matcher) -> Matcher:
        def match(at: int, following: Next) -> bool:
            def closed(end: int) -> bool:
                if number is None:
                    return following(end)
                before = self._groups.get(number)
                self._groups[number] = (at, end)
                if following(end):
                    return True
                if before is not None:
                    self._groups[number] = before
                return False

            return inner(at, closed)

        return match

    def _reference(self, number: int) -> Matcher:
        def match(at: int, following: Next) -> bool:
            start, end = self._groups.get(number, (0, 0))
            self.count += end - start
            self._step()
            return self._text.startswith(self._text[start:end], at) and following(at + end - start)

        return match

    def _look(self, inner: Matcher, *, consumes: bool) -> Matcher:
        def match(at: int, following: Next) -> bool:
            ends: list[int] = []

            def note(end: int) -> bool:
                ends.append(end)
                return True

            return inner(at, note) and following(ends[0] if consumes else at)

        return match

    def _assert(self, direction: int, pattern: Any, *, negative: bool) -> Matcher:
        inner = self._sequence(list(pattern))
        low, high = pattern.getwidth()

        def match(at: int, following: Next) -> bool:
            start = at if direction > 0 else at - low
            assert low == high if direction <= 0 else low <= high
            holds = start >= 0 and inner(start, lambda end: direction > 0 or end == at)
            return holds is not negative and following(at)

        return match

    def _at(self, where: Any) -> Matcher:
        def match(at: int, following: Next) -> bool:
            self._step()
            return self._is_at(where, at) and following(at)

        return match

    def _is_at(self, where: Any, at: int) -> bool:
        text, lines = self._text, self._flags & re.MULTILINE
        if where in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
            return at == 0 or bool(where is sre.AT_BEGINNING and lines and text[at - 1] == "\n")
        if where in (sre.AT_END, sre.AT_END_STRING):
            if at == len(text):
                return True
            return where is sre.AT_END and text[at] == "\n" and (bool(lines) or at == len(text) - 1)
        word = [
            0 <= one < len(text) and (text[one].isalnum() or text[one] == "_")
            for one in (at - 1, at)
        ]
        return (word[0] != word[1]) is (where is sre.AT_BOUNDARY)

    def _repeat(self, kind: Any, low: int, high: int, pattern: Any) -> Matcher:
        items = list(pattern)
        if kind is not sre.MIN_REPEAT and len(items) == 1 and items[0][0] in _CHARACTERS:
            return self._run(items[0], low, high, possessive=kind is not sre.MAX_REPEAT)
        inner = self._sequence(items)

        def match(at: int, following: Next, done: int = 0) -> bool:
            self._step()

            def again(end: int) -> bool:
                return (end > at or done < low) and match(end, following, done + 1)

            if done < low:
                return inner(at, again)
            if kind is sre.MIN_REPEAT:
                return following(at) or (done < high and inner(at, again))
            return (done < high and inner(at, again)) or following(at)

        return (
            self._look(match, consumes=True)
            if kind not in (sre.MAX_REPEAT, sre.MIN_REPEAT)
            else match
        )

    def _run(self, item: Any, low: int, high: int, *, possessive: bool) -> Matcher:
        """Match single characters without recursion, as `re` does."""
        accepts = matcher_of(item, self._flags)

        def match(at: int, following: Next) -> bool:
            end = at
            while end < len(self._text) and end - at < high and accepts(self._text[end]):
                self._step()
                end += 1
            while end - at >= low:
                self._step()
                if following(end):
                    return True
                if possessive:
                    return False
                end -= 1
            return False

        return match


_CHARACTERS: Final = (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN)


def matcher_of(item: tuple[Any, Any], flags: int) -> Callable[[str], bool]:
    """Return the test for one character of a pattern."""
    kind, given = item
    if kind is sre.ANY:
        return (lambda _char: True) if flags & re.DOTALL else (lambda char: char != "\n")
    if kind is sre.IN:
        negative = given[0][0] is sre.NEGATE
        tests = [matcher_of(one, flags) for one in given[negative:]]
        return lambda char: any(test(char) for test in tests) is not negative
    if kind is sre.RANGE:
        low, high = given
        return lambda char: any(low <= ord(one) <= high for one in _cases(char, flags))
    if kind is sre.CATEGORY:
        return re.compile(_CATEGORIES[given], flags & re.ASCII).fullmatch  # type: ignore[return-value]
    if kind in (sre.LITERAL, sre.NOT_LITERAL):
        wanted = chr(given)
        return lambda char: (wanted in _cases(char, flags)) is (kind is sre.LITERAL)
    raise NotImplementedError(kind)


def _cases(char: str, flags: int) -> tuple[str, ...]:
    return (char, char.lower(), char.upper()) if flags & re.IGNORECASE else (char,)


_CATEGORIES: Final = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}


def _leaves(items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the parts of a pattern that match one character."""
    for kind, given in items:
        if kind in _CHARACTERS:
            yield kind, given
        elif kind is sre.BRANCH:
            for way in given[1]:
                yield from _leaves(way)
        elif isinstance(given, tuple):
            for part in given:
                if isinstance(part, parser.SubPattern):
                    yield from _leaves(part)
        elif isinstance(given, parser.SubPattern):
            yield from _leaves(given)


def _alphabet(pattern: re.Pattern[str]) -> list[str]:
    """Return one character for each set of characters that the pattern does not tell apart."""
    tests = [
        matcher_of(one, pattern.flags)
        for one in _leaves(parser.parse(pattern.pattern, pattern.flags))
    ]
    found: dict[tuple[bool, ...], str] = {}
    named = {chr(code) for code in map(ord, pattern.pattern)}
    for char in (*sorted(named), *map(chr, range(9, 128)), "é", "\x85", "\u2028", "\ue000"):
        found.setdefault((*(bool(test(char)) for test in tests), char == "\n"), char)
    return list(found.values())


def _samples(items: list[Any], alphabet: list[str], flags: int) -> Iterator[tuple[str, list[str]]]:
    """Yield, for each repetition in a pattern, a text that leads up to it, and texts that it repeats."""
    before = ""
    for kind, given in items:
        if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, getattr(sre, "POSSESSIVE_REPEAT", None)):
            low, high, inner = given
            bodies = _texts(list(inner), alphabet, flags)
            if high > 3:
                yield before, bodies
            for prefix, nested in _samples(list(inner), alphabet, flags):
                yield before + prefix, nested
            before += (bodies[0] if bodies else "") * max(low, 0)
            continue
        for part in _inner(kind, given):
            for prefix, nested in _samples(part, alphabet, flags):
                yield before + prefix, nested
        texts = _texts([(kind, given)], alphabet, flags)
        before += texts[0] if texts else ""


def _inner(kind: Any, given: Any) -> list[list[Any]]:
    if kind is sre.BRANCH:
        return [list(way) for way in given[1]]
    if kind is sre.SUBPATTERN:
        return [list(given[3])]
    if kind in (sre.ASSERT, sre.ASSERT_NOT):
        return [list(given[1])]
    return [list(given)] if kind is getattr(sre, "ATOMIC_GROUP", None) else []


def _texts(items: list[Any], alphabet: list[str], flags: int) -> list[str]:
    """Return a few texts that a sequence matches."""
    texts = [""]
    for kind, given in items:
        if kind in _CHARACTERS:
            accepts = matcher_of((kind, given), flags)
            own = [char for char in alphabet if accepts(char)][:3]
        elif kind is sre.BRANCH:
            own = [text for way in given[1] for text in _texts(list(way), alphabet, flags)[:2]]
        elif kind in (sre.MAX_REPEAT, sre.MIN_REPEAT, getattr(sre, "POSSESSIVE_REPEAT", None)):
            bodies = _texts(list(given[2]), alphabet, flags)[:3]
            own = [body * max(given[0], 1) for body in bodies] + ([""] if given[0] == 0 else [])
        elif kind is sre.SUBPATTERN:
            own = _texts(list(given[3]), alphabet, flags)
        else:
            own = [""]
        texts = [before + one for before, one in product(texts, own)][:12]
    return texts


def worst(pattern: re.Pattern[str], *, everywhere: bool) -> str | None:
    """Return a text on which the steps grow faster than its length, None if none is found.

    ``everywhere`` says that the pattern is tried at each character, as `search` and `finditer` do.
    """
    alphabet = _alphabet(pattern)
    items = list(parser.parse(pattern.pattern, pattern.flags))
    repetitions = list(_samples(items, alphabet, pattern.flags))
    # What begins the pattern can begin it again: the ways are then tried from each of these places.
    starts = [prefix for prefix, _ in repetitions if prefix]
    pairs = ("".join(two) for two in product(alphabet[:5], repeat=2))
    again = [start + char for start in starts[:3] for char in alphabet[:3]]
    leads: dict[str, dict[str, None]] = {}
    for prefix, bodies in repetitions[:_MOST_LEADS]:
        leads.setdefault(prefix, {}).update(dict.fromkeys(body for body in bodies if body))
    for own in leads.values():
        own.update(dict.fromkeys(alphabet[:8]))
    leads.setdefault("", {}).update(dict.fromkeys([*starts[:8], *again, *alphabet[:10], *pairs]))
    ends = ["\x00", "", alphabet[0]]
    for prefix, pumps in leads.items():
        for pump, end in product(list(pumps)[:_MOST_PUMPS], ends):
            small, large = (prefix + pump * size + end for size in _SIZES)
            most = _count(pattern, large, everywhere=everywhere)
            if most <= _CHEAP * len(large):
                continue
            if most >= _CAP or most > _SUPERLINEAR * _count(pattern, small, everywhere=everywhere):
                return f"{prefix!r} + {pump!r} * n + {end!r}"
    return None


def _count(pattern: re.Pattern[str], text: str, *, everywhere: bool) -> int:
    steps = Steps(pattern, text)
    try:
        return steps.search(everywhere=everywhere)
    except TooManyStepsError:
        return _CAP


def with_deep_stack(work: Callable[[], Any]) -> Any:
    """Return what work returns that recurses deeply."""
    found: list[Any] = []
    limit, size = sys.getrecursionlimit(), threading.stack_size(256 * 1024 * 1024)
    sys.setrecursionlimit(100_000)
    try:
        thread = threading.Thread(target=lambda: found.append(work()))
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    return found[0]
