"""The lexer for valid CEL expressions; text that does not match is left to the ANTLR recognizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from crdlint.light import regex

_ESCAPE = (
    r"\\(?:[abfnrtv\"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7][0-7])"
)
_STRING = "|".join(
    [
        r'[rR]"""(?s:.*?)"""',
        r"[rR]'''(?s:.*?)'''",
        r'[rR]"[^"\n\r]*"',
        r"[rR]'[^'\n\r]*'",
        rf'"""[^\\"]*(?:(?:{_ESCAPE}|"(?!""))[^\\"]*)*"""',
        rf"'''[^\\']*(?:(?:{_ESCAPE}|'(?!''))[^\\']*)*'''",
        rf'"[^\\"\n\r]*(?:{_ESCAPE}[^\\"\n\r]*)*"',
        rf"'[^\\'\n\r]*(?:{_ESCAPE}[^\\'\n\r]*)*'",
    ]
)
_TOKEN = regex(
    "|".join(
        [
            r"(?P<_>(?:[\t \r\n\f]|//[^\n]*)+)",
            rf"(?:(?P<BYTES>[bB])|(?P<STRING>))(?:{_STRING})",
            r"(?P<IDENTIFIER>[A-Za-z_][A-Za-z0-9_]*)",
            r"(?P<NUM_FLOAT>[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)|\.[0-9]+(?:[eE][+-]?[0-9]+)?)",
            r"(?P<NUM_UINT>(?:0x[0-9a-fA-F]+|[0-9]+)[uU])",
            r"(?P<NUM_INT>0x[0-9a-fA-F]+|[0-9]+)",
            r"(?P<OP>==|!=|<=|>=|&&|\|\||[][<>{}().,!?:+*/%-])",
            r"(?P<ESC_IDENTIFIER>`[A-Za-z0-9_.\-/ ]+`)",
            r"(?P<ERROR>[^\n]|\n)",
        ]
    )
)
# The beginning of a token that is not complete: of a text, an escaped name or an operator.
_TEXT = "|".join(rf"{quote}[^\\{quote}\n\r]*(?:{_ESCAPE}[^\\{quote}\n\r]*)*" for quote in "\"'")
_PART_OF_ESCAPE = r"\\(?:[xX][0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|[0-3][0-7]?)?"
_UNFINISHED = regex(rf"(?:{_TEXT})(?:{_PART_OF_ESCAPE})?|`[A-Za-z0-9_.\-/ ]*|[&|=]|")
_KEYWORDS = frozenset({"in", "true", "false", "null"})

EOF = "EOF"
SPACE = "SPACE"

Tokens: TypeAlias = "tuple[list[str], list[str], list[int]]"
"""Kinds, texts and offsets."""


def tokenize(text: str) -> Tokens | None:
    """Return kinds, texts and offsets of tokens and EOF, None where no token starts; an operator or keyword is its own kind."""
    kinds: list[str] = []
    texts: list[str] = []
    starts: list[int] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "_":
            continue
        token = match.group()
        if kind == "ERROR" or kind is None:
            return None
        kinds.append(token if kind == "OP" or token in _KEYWORDS else kind)
        texts.append(token)
        starts.append(match.start())
    kinds.append(EOF)
    texts.append("")
    starts.append(len(text))
    return kinds, texts, starts


def end_of_tokens(text: str) -> int:
    """Return the offset of the first character at which no token starts, or the length of the text."""
    wrong = (match.start() for match in _TOKEN.finditer(text) if match.lastgroup == "ERROR")
    return next(wrong, len(text))


BRACKETS = {"(": ")", "[": "]", "{": "}"}


def matched_brackets(texts: Sequence[str]) -> tuple[dict[int, int], list[int]]:
    """Return the index of the token that closes each opening bracket, and the indexes of those that are not closed."""
    closing: dict[int, int] = {}
    pending: list[int] = []
    for index, text in enumerate(texts):
        if text in BRACKETS:
            pending.append(index)
        elif pending and text == BRACKETS[texts[pending[-1]]]:
            closing[pending.pop()] = index
    return closing, pending


def token_at(text: str, offset: int) -> tuple[str, str] | None:
    """Return kind (SPACE with comments) and text of the token at an offset, empty at the end, or None if none starts there."""
    match = _TOKEN.match(text, offset)
    if match is None:
        return EOF, ""
    kind, token = match.lastgroup, match.group()
    if kind == "ERROR" or kind is None:
        return None
    if kind == "_":
        return SPACE, token
    return token if kind == "OP" or token in _KEYWORDS else kind, token


def end_of_token(text: str, offset: int) -> int:
    """Return the offset after the token that starts at an offset, or after one character if none starts there."""
    match = _TOKEN.match(text, offset)
    return offset + 1 if match is None else match.end()


def end_of_error(text: str, offset: int) -> int:
    """Return the end of the text that cel-go's lexer drops where no token starts: up to the first wrong character."""
    match = _UNFINISHED.match(text, offset)
    return min(len(text), (offset if match is None else match.end()) + 1)
