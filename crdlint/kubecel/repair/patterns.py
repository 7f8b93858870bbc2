"""Patterns over the tokens of an expression, which need not be valid CEL.

A pattern is a list of words separated by spaces. `A`, `B` and `C` match an operand (a name, literal or bracket, with the
fields, indexes and calls after it), `X`, `Y` and `Z` any tokens with balanced brackets, `E` these without a comma, `v`, `w`
and `k` a name, `K` a name that is usual for an index or a key, `s` and `t` a string, `q` a string that contains a number or
boolean, `n` and `m` an integer, `d` a duration without quotes, `START` and `END` the ends of the text. Any other word matches
the token with that text, whatever its case and underscores. A template contains the names of these parts in braces; `{s'}` is
the content of a string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import islice, pairwise
from typing import Final, TypeAlias

from crdlint.cel.ast import Ident
from crdlint.cel.errors import ErrorCode
from crdlint.cel.lexer import BRACKETS, matched_brackets
from crdlint.kubecel.declarations import escape
from crdlint.kubecel.repair.false_friends import ROWS, FalseFriend
from crdlint.kubecel.repair.state import Choice, CompiledText, UnknownName
from crdlint.light import NamedTuple, regex
from crdlint.yaml.edit import Edit

_TOKEN: Final = regex(
    r"[rRfF]?'(?:[^'\\\n]|\\.)*'|[rRfF]?\"(?:[^\"\\\n]|\\.)*\"|`[^`\n]*`|[A-Za-z_$@][\w$]*|\d[\w]*|&(?:lt|gt|amp);"
    r"|[=!]==?|<=>|<=|>=|=>|=<|=~|!~|->|<>|:=|&&+|\|\|+|\.\.|\?\.|//[^\n]*|\S"
)
_CLOSING: Final = frozenset(BRACKETS.values())
_OPERANDS: Final = frozenset("ABC")
_SEQUENCES: Final = frozenset("XYZE")
_ENDS: Final = frozenset({"START", "END"})
# Kinds that match the same tokens
_NAMES: Final = "vwk"
_STRINGS: Final = "st"
_INTEGERS: Final = "nm"
_QUOTED_VALUE: Final = "q"
_DURATION: Final = "d"
_KEY: Final = "K"
_KEY_NAMES: Final = frozenset({"k", "key", "i", "j", "idx", "index"})
_KINDS: Final = frozenset(f"{_NAMES}{_STRINGS}{_INTEGERS}{_QUOTED_VALUE}{_DURATION}{_KEY}")
_SEVERAL: Final = _OPERANDS | _SEQUENCES | _KINDS  # parts that match more than one word
_PARTS: Final = _OPERANDS | _SEQUENCES | _ENDS | _KINDS
# The first of the parts that match the same tokens, by the others
_FIRST_LIKE: Final = {
    each: alike[0] for alike in ("ABC", "XYZ", _NAMES, _STRINGS, _INTEGERS) for each in alike[1:]
}
_WORDS: Final = frozenset({"in", "and", "or", "not", "is", "if", "then", "else"})
_QUOTES: Final = "'\"`"
_DIGITS: Final = "0123456789"
_UNITS: Final = frozenset({"ns", "us", "ms", "s", "m", "h"})
_MOST_TOKENS: Final = 300
_MOST_KEPT: Final = 4096  # tokens whose kinds are known


class Token(NamedTuple):
    """A token: its text and its offsets in the expression."""

    text: str
    start: int
    end: int

    @property
    def is_string(self) -> bool:
        """Whether it is a string."""
        return len(self.text) > 1 and self.text[-1] in _QUOTES

    @property
    def word(self) -> str:
        """The text without what patterns ignore."""
        return self.text.lower().replace("_", "") or self.text

    def is_a(self, kind: str) -> bool:
        """Return whether it is of a kind of token that patterns name."""
        return kind in _kinds(self.text)

    @property
    def content(self) -> str:
        """The text of a string without its quotes, otherwise the text."""
        return self.text[self.text.index(self.text[-1]) + 1 : -1] if self.is_string else self.text


@lru_cache(maxsize=_MOST_KEPT)
def _kinds(text: str) -> str:
    """Return the kinds of a token that patterns name; expressions have most of their tokens in common."""
    if text.isidentifier():
        names = "" if text in _WORDS else _NAMES
        return f"{names}{_KEY}" if text in _KEY_NAMES else names
    if text.isdigit():
        return _INTEGERS
    if text[0].isdigit():
        return _DURATION if text.lstrip(_DIGITS) in _UNITS else ""
    token = Token(text, 0, len(text))
    if not token.is_string:
        return ""
    is_value = token.content in ("true", "false") or token.content.replace(".", "", 1).isdigit()
    return f"{_STRINGS}{_QUOTED_VALUE}" if is_value else _STRINGS


Parts: TypeAlias = "dict[str, tuple[int, int]]"
"""The tokens (start, end) of each part of a pattern."""


class Match(NamedTuple):
    """Tokens that match a pattern: their start and end, and those of its parts."""

    start: int
    end: int
    parts: Parts


class Tokens:
    """The tokens of an expression; empty for one that is too long.

    >>> [sorted(match.parts.items()) for match in Tokens("a and b").matches("A and B")]
    [[('A', (0, 1)), ('B', (2, 3)), ('and', (1, 2))]]
    """

    def __init__(self, text: str) -> None:
        self.text: Final = text
        matches = islice(_TOKEN.finditer(text), _MOST_TOKENS + 1)
        tokens = [Token(match[0], *match.span()) for match in matches]
        self.tokens: Final = tokens if len(tokens) <= _MOST_TOKENS else []
        self._words: Final = [token.word for token in self.tokens]
        self._known_ends: dict[tuple[str, int], tuple[int, ...]] = {}
        self._known_starts: dict[str, Sequence[int]] = {}
        closing, opened = matched_brackets([token.text for token in self.tokens])
        self.closing: Final = closing
        self.opened: Final = [self.tokens[index] for index in opened]

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the tokens, alone and with the next one, and the names of their kinds: a pattern needs some of these."""
        kinds = (_kinds(token.text) for token in self.tokens)
        pairs = map(" ".join, pairwise(("START", *self._words, "END")))
        return frozenset(self._words).union(*kinds, pairs)

    @property
    def is_open(self) -> bool:
        """Whether a bracket or a string is not closed."""
        return bool(self.opened) or any(token.text in {"'", '"'} for token in self.tokens)

    def without_brackets(self, part: tuple[int, int]) -> str:
        """Return the text of some tokens, without the brackets around all of them."""
        start, end = part
        is_in_brackets = self.tokens[start].text == "(" and self.closing.get(start) == end - 1
        first, last = (start + 1, end - 1) if is_in_brackets else part
        return self.text[slice(*self.span(first, last))] if first < last else ""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the offsets of the tokens `start` to `end`."""
        return self.tokens[start].start, self.tokens[end - 1].end

    def part(self, match: Match, name: str) -> str:
        """Return the text of a part of a match; the content of a string for a name with a quote."""
        start, end = match.parts[name[0]]
        return (
            self.tokens[start].content
            if name.endswith("'")
            else self.text[slice(*self.span(start, end))]
        )

    def may_match(self, pattern: str) -> bool:
        """Return whether the tokens have the words of a pattern, and one of each kind that it names."""
        return compiled(pattern)[1] <= self.words

    def matches(self, pattern: str, until: int | None = None) -> Iterator[Match]:
        """Yield the matches of a pattern that do not overlap, in order; `until` is the last offset at which one may start."""
        words, needed = compiled(pattern)
        if not needed <= self.words:
            return
        end = 0
        for start in self._starts(words[0]):
            if until is not None and self.tokens[start].start > until:
                return
            match = self._first(words, start) if start >= end else None
            if match is not None:
                yield Match(start, *match)
                end = match[0]

    def _starts(self, word: str) -> Sequence[int]:
        """Return the tokens at which a word may start."""
        part = _FIRST_LIKE.get(word, word)
        starts = self._known_starts.get(part)
        if starts is None:
            starts = [index for index in range(len(self.tokens)) if self._ends(part, index)]
            self._known_starts[part] = starts
        return starts

    def _first(
        self, words: Sequence[str], index: int, position: int = 0
    ) -> tuple[int, Parts] | None:
        """Return the end of the first match of the words from a position on, and its parts; None without a match."""
        word = words[position]
        ends = self._ends(word, index)
        if position == len(words) - 1:
            if not ends:
                return None
            end = ends[-1 if word in _SEQUENCES else 0]
            return end, {word: (index, end)}
        for end in ends:
            match = self._first(words, end, position + 1)
            if match is not None:
                match[1].setdefault(word, (index, end))
                return match
        return None

    def _ends(self, word: str, index: int) -> Sequence[int]:
        """Return where a word that starts at a token may end, the most likely first."""
        if word not in _PARTS:
            return (index + 1,) if index < len(self._words) and self._words[index] == word else ()
        part = _FIRST_LIKE.get(word, word)
        ends = self._known_ends.get((part, index))
        if ends is None:
            ends = self._known_ends[part, index] = tuple(self._ends_of_part(part, index))
        return ends

    def _ends_of_part(self, word: str, index: int) -> Iterator[int]:
        count = len(self.tokens)
        if word in _ENDS:
            if index == (0 if word == "START" else count):
                yield index
        elif word in _SEQUENCES:
            until = _CLOSING | {","} if word == "E" else _CLOSING
            while index < count and self.tokens[index].text not in until:
                index = self.closing.get(index, index) + 1
                yield index
        elif index >= count:
            return
        elif word in _OPERANDS:
            if index == 0 or self.tokens[index - 1].text != ".":
                yield from reversed(list(self._operand(index)))
        elif self.tokens[index].is_a(word):
            yield index + 1

    def _operand(self, index: int) -> Iterator[int]:
        token = self.tokens[index]
        if token.text in BRACKETS:
            if index not in self.closing:
                return
            index = self.closing[index]
        elif not (token.is_a("v") or token.is_string or token.text[0].isdigit()):
            return
        index += 1
        yield index
        while index < len(self.tokens):
            if self._is_selection(index):
                index += 2
            elif self._is_call_or_index(index):
                index = self.closing[index] + 1
            else:
                return
            yield index

    def _is_selection(self, index: int) -> bool:
        """Return whether a token is the dot before the name of a field or method."""
        if self.tokens[index].text != "." or index + 1 >= len(self.tokens):
            return False
        first = self.tokens[index + 1].text[0]
        return first.isalnum() or first in "_?`"

    def _is_call_or_index(self, index: int) -> bool:
        """Return whether a token opens the arguments of a call, or an index, and is closed."""
        opens = self.tokens[index].text in {"(", "["} and index in self.closing
        return opens and self.tokens[index - 1].text not in BRACKETS


@cache
def compiled(pattern: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the words of a pattern, and the tokens, their pairs and kinds that an expression must have to match it."""
    words = tuple(pattern.split())
    pairs = (
        f"{word} {after}" for word, after in pairwise(words) if _SEVERAL.isdisjoint((word, after))
    )
    return words, (frozenset(words) - _OPERANDS - _SEQUENCES - _ENDS).union(pairs)


_MOST_ALONE: Final = 4  # matches of a row that are rewritten one at a time
_PART: Final = regex(r"\{([A-Za-z]+'?)\}")
_OPERATOR: Final = regex(r"[}')\d] (\S+) ")
# The tokens beside which an operator needs no brackets: for arithmetic, for a comparison, and for others.
_AROUND_COMPARISON: Final = frozenset({"", "(", "[", "{", ",", "&&", "||", "?", ":", ")", "]", "}"})
_AROUND_ARITHMETIC: Final = _AROUND_COMPARISON | {"==", "!=", "<", "<=", ">", ">=", "in"}
_AROUND: Final = _AROUND_COMPARISON - {"&&", "||", "?", ":"}


def variables(text: Tokens, offset: int) -> list[str]:
    """Return the variables at an offset, those of the innermost macro first, and `self` last."""
    names: list[str] = []
    for match in text.matches("( v ,"):
        is_call = match.start and text.tokens[match.start - 1].is_a("v")
        closing = text.closing.get(match.start)
        end = len(text.text) if closing is None else text.tokens[closing].start
        if is_call and text.tokens[match.start].start < offset <= end:
            names.append(text.part(match, "v"))
    return [*dict.fromkeys(reversed(names)), "self"]


def rewritten(text: Tokens, state: CompiledText, scope: list[str]) -> Iterator[Choice]:
    """Yield what each row makes of an expression."""
    unknown = list(_unknown_variables(state))
    for row in candidates(text):
        yield from _rewritten(row, text, state, {"scope": scope, "u": unknown})


def _unknown_variables(state: CompiledText) -> Iterator[str]:
    """Yield the names that are not declared, without those of functions."""
    variables = {each.id for each in state.nodes if isinstance(each, Ident)}
    for error in state.compiled.errors:
        if error.problem.code is ErrorCode.UNDECLARED_REFERENCE and error.expr_id in variables:
            yield str(error.problem.args[0])


def candidates(text: Tokens) -> Iterator[FalseFriend]:
    """Yield the rows that may match an expression, in order: those whose tokens it has."""
    index = _rows_by_word()
    numbers = sorted(number for word in ("", *text.words) for number in index.get(word, ()))
    return (row for row in map(ROWS.__getitem__, numbers) if text.may_match(row.written))


@cache
def _rows_by_word() -> dict[str, list[int]]:
    """Return the numbers of the rows by their longest word, which few others have, "" for rows that match any tokens."""
    index: dict[str, list[int]] = {}
    for number, row in enumerate(ROWS):
        words = frozenset(row.written.split()) - _PARTS
        index.setdefault(max(words, key=len, default=""), []).append(number)
    return index


def _rewritten(
    row: FalseFriend,
    text: Tokens,
    state: CompiledText,
    names: dict[str, list[str]],
) -> Iterator[Choice]:
    """Yield what a row makes of each match in an expression that is not parsed, and of the wrong part of others."""
    meant = _not_hopeless(row, state.unknown_name)
    matches = meant and _relevant_matches(row, text, state)
    if not matches:
        return
    templates = [filled for template in meant for filled in _filled(template, names)]
    alone = matches[:_MOST_ALONE] if len(matches) > 1 else []
    for group in (matches, *([match] for match in alone)):
        alternatives = (
            tuple(_edit(text, match, row.written, template) for match in group)
            for template in templates
        )
        yield Choice(tuple(alternatives), row.is_certain)


def _not_hopeless(row: FalseFriend, name: UnknownName | None) -> list[str]:
    """Return the texts that may be meant by a row, without those that certainly have an unknown name as well."""
    if name is None:
        return [*row.meant]
    hopeless = _keeping_operands(row, are_paths=name.is_field)
    return [each for each in row.meant if each not in hopeless or name.may_be_declared_by(each)]


@cache
def _keeping_operands(row: FalseFriend, *, are_paths: bool) -> frozenset[str]:
    """Return the texts of a row of operands and signs that have each operand as it was: as a name, unless they are paths.

    Neither is anything of the operands in a string then, nor is one called or declared.
    """
    words = row.written.split()
    if not _OPERANDS_AND_SIGNS.issuperset(words):
        return frozenset()
    needed = _OPERANDS.intersection(words)
    found_in = (_PATH_IN_TEMPLATE if are_paths else _NAME_IN_TEMPLATE).findall
    outside = {each: _QUOTED.sub("", each) for each in row.meant}
    # What follows an operand at the end of a text is in the expression, and was seen only behind the last one.
    followed = re.compile(rf"\}},|\{{[^{words[-1]}]\}}\Z").search
    return frozenset(
        each
        for each, text in outside.items()
        if needed.issubset(found_in(text)) and not followed(text)
    )


_OPERANDS_AND_SIGNS: Final = frozenset("ABCn") | {"==", "!=", "<", "<=", ">", ">=", *"+-*/%"}
_QUOTED: Final = regex(r"'[^']*'")
_PATH_IN_TEMPLATE: Final = regex(r"(?<![\w.])\{([ABC])\}(?![\w({])")
_NAME_IN_TEMPLATE: Final = regex(r"(?<![\w.])\{([ABC])\}(?![\w({.])")


def _relevant_matches(row: FalseFriend, text: Tokens, state: CompiledText) -> list[Match]:
    """Return the matches of a row: in an expression that is parsed, only those around its error, unless all are wrong."""
    if not state.is_parsed or state.error is None or row.is_everywhere:
        return list(text.matches(row.written))
    matches = text.matches(row.written, state.offset)
    spans = [(each, *text.span(each.start, each.end)) for each in matches]
    return [each for each, start, end in spans if start <= state.offset < end]


def _filled(template: str, names: dict[str, list[str]]) -> list[str]:
    """Return a template with each of the names in the place of its placeholder; as it is without one."""
    placeholder = next((each for each in names if f"{{{each}}}" in template), None)
    if placeholder is None:
        return [template]
    return [template.replace(f"{{{placeholder}}}", name) for name in names[placeholder]]


def _edit(
    text: Tokens,
    match: Match,
    pattern: str,
    template: str,
) -> Edit:

    def part(name: re.Match[str]) -> str:
        value = text.part(match, name[1])
        if name[1] in _OPERANDS and template[name.start() - 1 : name.start()] == "(":
            value = text.without_brackets(match.parts[name[1]])
        is_field = name[1] == "s'" and template[: name.start()].endswith(".")
        return escape(value) or value if is_field else value

    new = _PART.sub(part, template)
    before = text.tokens[match.start - 1].text if match.start else ""
    after = text.tokens[match.end].text if match.end < len(text.tokens) else ""
    around = _needing_no_brackets(pattern, template)
    if around is not None and not (before in around and after in around):
        new = f"({new})"
    if before == new[:1] == "!":
        return Edit(
            text.tokens[match.start - 1].start, text.span(match.start, match.end)[1], new[1:]
        )
    return Edit(*text.span(match.start, match.end), new)


@lru_cache(maxsize=4096)
def _needing_no_brackets(pattern: str, template: str) -> frozenset[str] | None:
    """Return the tokens beside which a template needs no brackets, None for one that needs none anywhere."""
    operators = {sign[1] for sign in _OPERATOR.finditer(template)}
    if operators <= set(pattern.split()):
        return None
    if operators & {"&&", "||", "?"}:
        return _AROUND
    return _AROUND_ARITHMETIC if operators <= {*"+-*/%"} else _AROUND_COMPARISON
