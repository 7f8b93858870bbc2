"""What functions of a text and a constant evaluate to, such as `matches`, by what is known of the text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from crdlint.golang import matching
from crdlint.kubecel.reasoning import domains
from crdlint.kubecel.reasoning.domains import FALSE, TRUE, Domain, Just
from crdlint.kubecel.reasoning.facts import Facts, Value
from crdlint.light import NamedTuple

_OF_TEXTS: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "startsWith": str.startswith,
    "endsWith": str.endswith,
    "contains": str.__contains__,
}

_PATTERNS: Final = {"startsWith": "^{}", "endsWith": "{}$", "contains": "{}"}
MATCHES_FORMAT: Final = "matchesFormat"  # a function of texts for the keyword `format`
_KNOWN_OF_TEXTS: Final = frozenset({*_OF_TEXTS, "matches", MATCHES_FORMAT})
# Formats without a text in common, but for IPv4 addresses in the notation of IPv6, such as ::ffff:192.0.2.1.
_DISJOINT: Final = tuple(
    frozenset(formats)
    for formats in (
        ("ipv4", "ipv6"),
        ("ipv4", "cidr"),
        ("ipv6", "cidr"),
        ("ipv4", "uuid"),
        ("ipv6", "uuid"),
        ("cidr", "uuid"),
        ("ipv4", "email"),
        ("cidr", "email"),
        ("cidr", "hostname"),
        ("email", "hostname"),
        ("email", "uuid"),
        ("date", "datetime"),
    )
)


class TextTest(NamedTuple):
    """A function of a value, by its name, and a constant text."""

    function: str
    value: str
    text: str


class Texts:
    """What a case knows of texts: by the facts, and by other functions of the same text.

    `tests`: the functions of a text and a constant, by the names of their values.
    `store`: the values that the case has decided, by their names.
    """

    __slots__ = ("_facts", "_store", "_tests")

    def __init__(
        self, facts: Facts, tests: dict[str, TextTest], store: Mapping[str, Domain]
    ) -> None:
        self._facts: Final = facts
        self._tests: Final = tests
        self._store: Final = store

    def possible(self, value: Value, constants: Sequence[object]) -> tuple[object, ...]:
        """Return constants without the texts for which a function of the value has another result than the case knows."""
        return tuple(constant for constant in constants if not self._is_excluded(value, constant))

    def _is_excluded(self, value: Value, constant: object) -> bool:
        """Return whether a function of a constant text has another result than the case knows of the value."""
        if not isinstance(constant, str):
            return False
        return any(
            _differs(function, constant, text, domain)
            for function, text, domain in self._known_of_text(value)
        )

    def excludes(self, value: Value, other: object) -> bool:
        """Return whether the schema of a value lets no text pass that is equal to a constant."""
        if not isinstance(other, str) or value.path is None or domains.fails(value.domain):
            return False
        return self._facts.excludes(value.path, other)

    def note(self, name: str, function: str, operands: Sequence[Value]) -> None:
        """Note the function of a text and a constant by the name of its value."""
        if function not in _KNOWN_OF_TEXTS or len(operands) != 2:
            return
        tested, constant = operands
        texts = domains.texts(constant.domain)
        # Another name is that of a value, which is a constant in this case only.
        if len(texts) == 1 and constant.name == repr(texts[0]):
            self._tests[name] = TextTest(function, tested.name, texts[0])

    def of(self, function: str, value: Value, other: str) -> Domain:
        """Return the values of a function of two texts, of which one is known."""
        if self._always_matches(function, value, other):
            return domains.OF_RESULTS[TRUE | domains.failure_of(value.domain)]
        if self._never_matches(function, value, other):
            return domains.OF_RESULTS[FALSE | domains.failure_of(value.domain)]
        results = _of_known_texts(function, value.domain, other)
        return results or self._of_same_text(function, value, other) or self._facts.unknown

    def _never_matches(self, function: str, value: Value, other: str) -> bool:
        """Return whether a function of a text and a constant is false, by the schema or because no other text is left."""
        if function != "matches" and function not in _PATTERNS:
            return False
        pattern = _as_pattern(function, other)
        if value.path is not None and self._facts.never_match(value.path, pattern):
            return True
        excluded = domains.excluded_texts(value.domain)
        return bool(excluded) and self._facts.covers(pattern, _one_of(excluded))

    def _always_matches(self, function: str, value: Value, other: str) -> bool:
        """Return whether the schema lets only texts pass for which a function of the text and a constant is true."""
        is_pattern = function == "matches" or function in _PATTERNS
        if value.path is None or not is_pattern:
            return False
        return self._facts.match(value.path, _as_pattern(function, other))

    def _of_same_text(self, function: str, value: Value, other: str) -> Domain:
        """Return what follows from other functions of the same text; nothing for most."""
        for other_function, text, domain in self._known_of_text(value):
            is_true, is_false = (domain == domains.OF_RESULTS[each] for each in (TRUE, FALSE))
            if is_true and self._implies(other_function, text, function, other):
                return domains.OF_RESULTS[TRUE]
            if is_true and self._excludes_other(other_function, text, function, other):
                return domains.OF_RESULTS[FALSE]
            if is_false and self._implies(function, other, other_function, text):
                return domains.OF_RESULTS[FALSE]
        return ()

    def _excludes_other(
        self,
        function: str,
        text: str,
        other_function: str,
        other: str,
    ) -> bool:
        """Return whether no text fulfils two functions of it and constants."""
        if MATCHES_FORMAT not in {function, other_function}:
            patterns = _as_pattern(function, text), _as_pattern(other_function, other)
            return self._facts.are_disjoint(*patterns)
        are_formats = function == other_function
        return are_formats and frozenset((text, other)) in _DISJOINT

    def _known_of_text(self, value: Value) -> Iterator[tuple[str, str, Domain]]:
        """Yield the functions of a text and a constant that the case knows: their names, the constants and the results."""
        for name, domain in self._store.items():
            test = self._tests.get(name)
            if test is not None and test.value == value.name:
                yield test.function, test.text, domain

    def _implies(
        self,
        function: str,
        text: str,
        other_function: str,
        other: str,
    ) -> bool:
        """Return whether a function that is true for a text and a constant is true for another constant."""
        is_same = function == other_function and text == other
        if is_same or MATCHES_FORMAT in {function, other_function}:
            return False
        are_texts = function in _OF_TEXTS and other_function in _OF_TEXTS
        if are_texts and (function == other_function or other_function == "contains"):
            return _OF_TEXTS[other_function](text, other)
        return self._facts.covers(_as_pattern(function, text), _as_pattern(other_function, other))

    def lengths(self, value: Value) -> Iterator[tuple[float, float]]:
        """Yield the least and the greatest length that each function known to be true of a text allows."""
        for function, text, domain in self._known_of_text(value):
            if domain != domains.OF_RESULTS[TRUE] or function == MATCHES_FORMAT:
                continue
            yield self._facts.lengths(text) if function == "matches" else (len(text), math.inf)


def _of_known_texts(function: str, domain: Domain, other: str) -> Domain:
    """Return the result of a function of a constant and any of a few texts; nothing if it differs or is not known."""
    texts = domains.texts(domain)
    results = {_of_known_text(function, text, other) for text in texts}
    result = results.pop() if len(results) == 1 else None
    return () if result is None else (Just(result),)


def _of_known_text(function: str, text: str, other: str) -> bool | None:
    """Return the result of a function of two texts, None if it is not known."""
    if function in _OF_TEXTS:
        return _OF_TEXTS[function](text, other)
    if function != "matches":
        return None
    try:
        return matching.matches(other, text)
    except matching.PatternError:
        return None


def _differs(
    function: str,
    text: str,
    other: str,
    domain: Domain,
) -> bool:
    """Return whether a function of two texts has another result than those of a domain."""
    result = _of_known_text(function, text, other)
    return result is not None and domain == domains.OF_RESULTS[domains.result_of(holds=not result)]


def _one_of(texts: Iterable[str]) -> str:
    """Return a pattern that matches some texts only."""
    return f"^(?:{'|'.join(map(re.escape, texts))})$"


def _as_pattern(function: str, text: str) -> str:
    return _PATTERNS[function].format(re.escape(text)) if function in _PATTERNS else text
