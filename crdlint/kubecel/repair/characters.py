"""Choices for characters, strings and brackets of an expression that cannot be parsed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from crdlint.cel.lexer import BRACKETS
from crdlint.kubecel.repair.false_friends import CHARACTERS
from crdlint.kubecel.repair.patterns import Token, Tokens
from crdlint.kubecel.repair.state import Choice, CompiledText, one_of
from crdlint.light import regex
from crdlint.yaml.edit import Edit

_MOST_PLACES: Final = 60  # of a bracket or quote that is missing
_SHOWN: Final = 40  # characters before an insertion
_DURATION: Final = regex(r"(\d+)(?:\s+(?=(ns|us|ms|s|m|h)\Z)|\s*(?=([smh])(?:ec|in|our|r)\w*\Z))")
_ESCAPED: Final = regex(r"\\(.)")
_VALID_ESCAPES: Final = frozenset("abfnrtv\"'\\?`xXuU0123")
# A backslash alone between quotes, which escapes the second one
_LONE: Final = regex(r"(['\"])(\\)\1(?=[ ,)\]]|\Z)")
# Functions and operators whose texts are regular expressions, also those of other languages.
_OF_PATTERNS: Final = frozenset(
    {"matches", "match", "test", "regex", "regexmatch", "matchstring", "find", "findall", "ismatch"}
)
_MATCHING: Final = frozenset({"=~", "!~", "~"})
_INTERPOLATED: Final = regex(r"\$?\{([^{}]*)\}")
_VALUE: Final = regex(r"[\w./*:@-]*")
_SEPARATORS: Final = " [(,"
_REGEX: Final = regex(r"(?<![\w)\]'\"/\\])/((?:[^/\\\n]|\\.)+)/[a-z]*")
_SUFFIXED: Final = regex(r"\d+[fFdDiIlL]")
_UNQUOTED: Final = regex(r"[/*^.$\\\[@#%-][^'\"\s]*\Z|\d+[KMGTPE]i?\Z")
# By where `%` is.
_LIKES: Final = {
    (False, True): "startsWith",
    (True, False): "endsWith",
    (True, True): "contains",
}
_JOINED: Final = regex(
    r"(?:has|size|duration|exists_one|exists|all|filter|map|matches|startsWith|endsWith|contains)(?=\w)"
)
_INSERTED: Final = ("(", ")", ".", ", ", " ? ", " : ", " && ", " || ", " == ", " < ")


# What gofmt writes for the two single quotes of an empty string in a comment
_OF_GOFMT: Final = "\u201d"
_OTHER_QUOTES: Final = frozenset("\u2018\u2019\u201a\u201c\u201e\u00ab\u00bb")
_GOFMT_HELP: Final = (
    "Write `''` instead of `\u201d`, which gofmt makes of `''` in a marker; "
    "gofmt keeps a comparison such as `size(self.name) > 0`"
)


def of_gofmt(text: str) -> Choice:
    """Return the empty strings in place of what gofmt makes of them (Go 1.19 and later, golang/go#54312)."""
    if not _OTHER_QUOTES.isdisjoint(text):
        return Choice(())
    edits = tuple(Edit(i, i + 1, "''") for i, char in enumerate(text) if char == _OF_GOFMT)
    return Choice((edits,) if edits else (), helps=(_GOFMT_HELP,))


def look_alike(text: str) -> Choice:
    """Return the characters of CEL in place of those that look like them."""
    edits = [
        Edit(i, i + 1, char.translate(CHARACTERS))
        for i, char in enumerate(text)
        if ord(char) in CHARACTERS
    ]
    return Choice((tuple(edits),))


def strings(text: str, tokens: Tokens) -> Iterator[Choice]:
    """Yield other spellings of strings: with escapes that CEL lacks, in other quotes, or not closed."""
    yield _other_escapes(tokens)
    templates = [token for token in tokens.tokens if token.is_string and token.text[0] in "`fF"]
    for value in ("{}", "string({})"):
        yield Choice((tuple(_joined(token, value) for token in templates),))
    lone = tuple(Edit(each.start(2), each.end(2), "\\\\") for each in _LONE.finditer(text))
    yield Choice((lone,), is_certain=False, must_complete=True)
    quote = next((each for each in tokens.tokens if each.text in ("'", '"')), None)
    if quote is not None:
        yield from _closed_strings(text, tokens, quote)


def _other_escapes(tokens: Tokens) -> Choice:
    """Return the strings with escapes that CEL lacks as raw strings, and those that are no patterns without backslashes."""
    raw: list[Edit] = []
    plain: list[Edit] = []
    for index, token in enumerate(tokens.tokens):
        if token.is_string and token.text[0] not in "`fFrR":
            raw += _without_escapes(token)
            plain += [] if _is_in_pattern(tokens, index) else _without_backslashes(token)
    alternatives = [edits for edits in (plain, raw) if edits]
    return Choice(tuple(map(tuple, alternatives)))


def _is_in_pattern(tokens: Tokens, index: int) -> bool:
    """Return whether a token is in the brackets of a function that takes a regular expression, or after an operator that does."""
    if index and tokens.tokens[index - 1].text in _MATCHING:
        return True
    calls = (
        tokens.tokens[start - 1].word
        for start in range(1, index)
        if tokens.tokens[start].text == "(" and tokens.closing.get(start, index) >= index
    )
    return any(name in _OF_PATTERNS for name in calls)


def _without_backslashes(token: Token) -> Iterator[Edit]:
    """Yield the edit that removes the backslashes before signs that need none, as JavaScript reads them."""
    plain = _ESCAPED.sub(lambda each: each[0] if _is_escape(each[1]) else each[1], token.text)
    if plain != token.text:
        yield Edit(token.start, token.end, plain)


def _is_escape(character: str) -> bool:
    return character.isalnum() or character in _VALID_ESCAPES


def _joined(template: Token, value: str) -> Edit:
    """Return the edit that joins the texts and the values of a template with `+`, or writes a path without its backquotes."""
    if template.text[0] == "`" and template.content.partition(".")[0] in ("self", "oldSelf"):
        return Edit(template.start, template.end, template.content)
    parts = enumerate(_INTERPOLATED.split(template.content))
    pieces = [value.format(each) if i % 2 else _string(each) for i, each in parts]
    return Edit(
        template.start, template.end, " + ".join(each for each in pieces if each != "''") or "''"
    )


def _without_escapes(token: Token) -> Iterator[Edit]:
    """Yield the edits that make a string raw, or, where it has valid escapes, double the backslashes of the others."""
    escapes = list(_ESCAPED.finditer(token.text))
    wrong = [each for each in escapes if each[1] not in _VALID_ESCAPES]
    if wrong and len(wrong) == len(escapes):
        yield Edit(token.start, token.end, f"r{token.text}")
    elif wrong:
        doubled = _ESCAPED.sub(
            lambda each: each[0] if each[1] in _VALID_ESCAPES else f"\\{each[0]}", token.text
        )
        yield Edit(token.start, token.end, doubled)


def _closed_strings(text: str, tokens: Tokens, quote: Token) -> Iterator[Choice]:
    """Yield another quote at either end of a string that is not closed, and the places of one that is missing."""
    other = '"' if quote.text == "'" else "'"
    closing = text.find(other, quote.end)
    swapped = [Edit(quote.start, quote.end, other)]
    yield one_of(swapped if closing < 0 else [*swapped, Edit(closing, closing + 1, quote.text)])
    offsets: list[int] = []
    for token in tokens.tokens:
        value = _VALUE.match(text, token.start + 1)
        if token.text[0] == quote.text and value is not None:
            offsets.append(value.end())
        if text.startswith(quote.text, token.end):
            offsets.append(
                1 + max(text.rfind(separator, 0, token.end) for separator in _SEPARATORS)
            )
        if token.text == ")" and token.start > quote.start:
            offsets.append(token.start)
    offsets = [*dict.fromkeys([*offsets[:_MOST_PLACES], len(text.rstrip())])]
    yield one_of([Edit(each, each, quote.text) for each in offsets])
    yield one_of([Edit(quote.start, quote.end, "")])


def without_quotes(text: Tokens) -> Iterator[Choice]:
    """Yield patterns and arguments of functions as strings, and numbers and durations as CEL writes them."""
    patterns = [Edit(*match.span(), _string(match[1])) for match in _REGEX.finditer(text.text)]
    arguments = [
        Edit(text.tokens[start].end, text.tokens[end].start, _string(_between(text, start, end)))
        for start, end in text.closing.items()
        if _is_unquoted_argument(text, start, end)
    ]
    written = ((token, _as_cel(token)) for token in text.tokens)
    others = [Edit(token.start, token.end, new) for token, new in written if new != token.text]
    yield from (Choice((tuple(edits),)) for edits in (patterns, arguments, others))


def _between(text: Tokens, start: int, end: int) -> str:
    """Return what is between two tokens, by their indexes."""
    return text.text[text.tokens[start].end : text.tokens[end].start]


def _is_unquoted_argument(text: Tokens, start: int, end: int) -> bool:
    """Return whether a text without quotes is between the brackets after a name; `[*]` is none."""
    content = _between(text, start, end)
    is_all = text.tokens[start].text == "[" and content == "*"
    is_after_name = start > 0 and text.tokens[start - 1].is_a("v")
    return is_after_name and not is_all and _UNQUOTED.match(content) is not None


def _as_cel(token: Token) -> str:
    """Return a number, a duration or a variable as CEL writes it, from how other languages do."""
    duration = _DURATION.match(token.content) if token.is_string else None
    if duration is not None:
        return f"'{duration[1]}{duration[2] or duration[3]}'"
    if token.text[0].isdigit() and "_" in token.text:
        return token.text.replace("_", "")
    if _SUFFIXED.fullmatch(token.text):
        return token.text[:-1]
    is_marked = token.text[0] in "$@" and token.text[1:].isidentifier()
    return token.text[1:] if is_marked else token.text


def likes(text: Tokens) -> Iterator[Choice]:
    """Yield the functions that are meant by SQL's LIKE, for texts with `%` at their ends only."""
    for pattern, sign in (("A not like s", "!"), ("A like s", "")):
        for match in text.matches(pattern):
            content = text.part(match, "s'")
            function, value = (
                _LIKES.get((content[:1] == "%", content[-1:] == "%")),
                content.strip("%"),
            )
            if function is not None and not {"%", "_"} & {*value}:
                meant = f"{sign}{text.part(match, 'A')}.{function}({_string(value)})"
                yield Choice(((Edit(*text.span(match.start, match.end), meant),),))


def _string(content: str) -> str:
    is_raw = "\\" in content and "\\\\" not in content
    return f"{'r' if is_raw else ''}'{content}'"


def patterns(text: Tokens, state: CompiledText) -> Iterator[Choice]:
    """Yield a valid pattern in place of one that Go's regexp package rejects."""
    if not state.pattern:
        return
    from crdlint.golang.regexp_repair import repair  # few rules have a wrong pattern

    meant = repair(state.pattern)
    token = next((each for each in text.tokens if each.start <= state.offset < each.end), None)
    if (
        meant is not None
        and meant.pattern is not None
        and token is not None
        and token.content == state.pattern
    ):
        end = token.end - 1
        yield Choice(((Edit(end - len(token.content), end, meant.pattern),),), is_certain=False)


def brackets(text: Tokens) -> Iterator[Choice]:
    """Yield brackets closed, opened, replaced and removed."""
    closed = set(text.closing.values())
    closing = (index for index, token in enumerate(text.tokens) if token.text in BRACKETS.values())
    stray = next((index for index in closing if index not in closed), None)
    if stray is None:
        if len(text.opened) == 1:
            yield from _closed(text, text.opened[0])
        return
    token = text.tokens[stray]
    around = [
        index
        for index in range(stray)
        if text.tokens[index].text in BRACKETS and text.closing.get(index, stray) >= stray
    ]
    if around:
        expected = BRACKETS[text.tokens[around[-1]].text]
        yield one_of(
            [Edit(token.start, token.end, expected), Edit(token.start, token.start, expected)]
        )
    opened = _opened(text, token)
    yield opened
    yield opened._replace(alternatives=opened.alternatives[:1], must_complete=False)


def _opened(text: Tokens, closing: Token) -> Choice:
    """Return the removal of a bracket that closes none, and the places of the one that it may close."""
    opening = next(each for each, other in BRACKETS.items() if other == closing.text)
    before = [each for each in text.tokens if each.start < closing.start]
    offsets = [each.start for each in before]
    for token in before:
        joined = _JOINED.match(token.text)
        offsets += [token.end] if token.is_a("v") else []
        offsets += [token.start + joined.end()] if joined is not None else []
    edits = [
        Edit(closing.start, closing.end, ""),
        *(Edit(each, each, opening) for each in dict.fromkeys(offsets)),
    ]
    help_ = f"Remove the `{closing.text}`, or add the `{opening}` that it closes"
    return one_of(edits[:_MOST_PLACES], *[help_] * len(edits))


def _closed(text: Tokens, opening: Token) -> Iterator[Choice]:
    """Yield the places of the bracket that closes another: the end first, or all of them where operators are mixed."""
    closing = BRACKETS[opening.text]
    after = [token for token in text.tokens if token.start >= opening.start]
    ends = [*dict.fromkeys([after[-1].end, *(token.end for token in after[:_MOST_PLACES])])]
    edits = [Edit(end, end, closing) for end in ends]
    helps = [
        f"Close the `{opening.text}`: write `{closing}` after `{shown_end(text.text[:end])}`"
        for end in ends
    ]
    if len({token.text for token in after} & {"&&", "||", "?"}) > 1:
        yield one_of(edits, *helps)
    else:
        yield from (one_of([edit], help_) for edit, help_ in zip(edits, helps, strict=True))
        yield one_of(edits[:1], helps[0])._replace(must_complete=False)


def _is_repeated(first: Token, second: Token) -> bool:
    """Return whether a token begins with the sign that the one before it ends with; `**` is an operator elsewhere."""
    sign = second.text[0]
    return first.text[-1] == sign and sign != "*" and not sign.isalnum()


def near_error(text: Tokens, offset: int) -> Choice:
    """Return the places of a token that is missing where an expression cannot be parsed, and of one that is repeated."""
    index = next((i for i, token in enumerate(text.tokens) if token.end > offset), len(text.tokens))
    around = text.tokens[max(index - 2, 0) : index + 2]
    repeated = [
        Edit(token.start, token.end, "")
        for first, second in pairwise(around)
        for token in (second, first)
        if _is_repeated(first, second)
    ]
    starts = [token.start for token in around if token.start <= offset + 1]
    return one_of([*repeated, *(Edit(start, start, new) for start in starts for new in _INSERTED)])


def shown_end(text: str) -> str:
    """Return the end of a text in one line."""
    return " ".join((f"...{text[-_SHOWN:]}" if len(text) > _SHOWN else text).split())
