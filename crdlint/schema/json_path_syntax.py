"""The syntax of the JSON paths of printer columns, as the API server parses them for its tables.

Upstream: client-go util/jsonpath parser.go. Parts in brackets are parsed as paths of their own.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import Final

_INTS: Final = range(-(2**63), 2**63)
_MOST_DIGITS: Final = 19  # of 64 bits
_KEY: Final = re.compile(r"'([^']*)'\Z")
_SLICE: Final = re.compile(r"(-?[0-9]*)(?::(-?[0-9]*))?(?::(-?[0-9]*))?\Z")
_OPERATOR: Final = re.compile(r"[!<>=]+")
_FIELD: Final = re.compile(r"(?:\\.|\\\Z|[^\\ \t\r\n.,\[\]$@{}])*", re.DOTALL)
_IDENTIFIER: Final = re.compile(r"[^ \t\r\n.,\[\]$@{}]*")
_NUMBER: Final = re.compile(r"[+-]?[\d.]*")
_FLOAT: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)\Z")
_ESCAPES: Final = r"\\(?:[abfnrtv\\{quote}]|x[0-9a-fA-F]{{2}}|[0-3][0-7]{{2}}|u([0-9a-fA-F]{{4}})|U([0-9a-fA-F]{{8}}))"
_ESCAPE: Final = {quote: re.compile(_ESCAPES.format(quote=quote)) for quote in "'\""}
_SURROGATES: Final = range(0xD800, 0xE000)


class _SyntaxError(Exception):
    """A path cannot be parsed; `str()` is the reason."""


def syntax_error(path: str) -> str | None:
    """Return the reason why the server cannot parse the path of a column, or None if it can."""
    pending = [path]
    try:
        while pending:
            pending += _Action(f"{{{pending.pop()}}}").parse()
    except _SyntaxError as error:
        return str(error)
    return None


class _Action:
    """A text with an action in braces, and what is left to parse of it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 1
        self._follows_descent = False
        self._parts: list[str] = []

    def parse(self) -> list[str]:
        """Parse the actions of the text, and return the paths in brackets; raise _SyntaxError."""
        while self._offset < len(self._text):
            if self._text[self._offset] != "}":
                self._step()
                continue
            start = self._text.find("{", self._offset)  # of the next action; there may be text between them
            if start < 0:
                return self._parts
            self._offset, self._follows_descent = start + 1, False
        raise _SyntaxError("unclosed action")

    def _step(self) -> None:
        text, offset = self._text, self._offset
        char = text[offset]
        follows_descent, self._follows_descent = self._follows_descent, False
        if char in "\r\n":
            raise _SyntaxError("unclosed action")
        if char in " @$":
            self._offset, self._follows_descent = offset + 1, follows_descent
        elif text.startswith("[?(", offset):
            self._filter()
        elif text.startswith("..", offset):
            self._descend(follows_descent=follows_descent)
        elif char == "[":
            self._array()
        elif char in "\"'":
            self._quote(char)
        elif char == ".":
            self._skip(_FIELD, offset + 1)
        elif char in "+-" or char.isdecimal():
            self._number()
        elif char == "_" or char.isalpha():
            self._skip(_IDENTIFIER, offset)
        else:
            shown = f" '{char}'" if char.isprintable() else ""
            raise _SyntaxError(f"unrecognized character in action: U+{ord(char):04X}{shown}")

    def _skip(self, pattern: re.Pattern[str], start: int) -> str:
        match = pattern.match(self._text, start)
        assert match is not None  # noqa: S101  the patterns match an empty text
        self._offset = match.end()
        return match[0]

    def _descend(self, *, follows_descent: bool) -> None:
        if follows_descent:
            raise _SyntaxError("invalid multiple recursive descent")
        self._offset += 2
        char = self._text[self._offset]  # the brace at the end at least
        if char == "_" or char.isalpha() or char.isdecimal():
            self._skip(_FIELD, self._offset)
        else:
            self._follows_descent = True

    def _number(self) -> None:
        number = self._skip(_NUMBER, self._offset)
        if not _FLOAT.match(number) or not isfinite(float(number)):
            raise _SyntaxError(f"cannot parse number {number}")

    def _array(self) -> None:
        end = self._end("]", self._offset, "unterminated array")
        index = self._text[self._offset + 1 : end]
        self._offset = end + 1
        if "," in index:
            self._parts += (f"[{item.strip(' ')}]" for item in index.split(","))
            return
        key = _KEY.match(index)
        if key is not None:
            self._parts.append(f".{key[1]}")
            self._follows_descent = f".{key[1]}".rstrip(" @$").endswith("..")
            return
        bounds = _SLICE.match("" if index == "*" else index)
        if bounds is None:
            raise _SyntaxError(f"invalid array index {index}")
        for bound in filter(None, bounds.groups()):
            sign, digits = "-" * bound.startswith("-"), bound.lstrip("-0")
            if bound == "-" or len(digits) > _MOST_DIGITS or int(f"{sign}{digits or 0}") not in _INTS:
                raise _SyntaxError(f"array index {bound} is not a number")

    def _filter(self) -> None:
        start = end = self._offset + len("[?(")
        quote, is_closed = "", False
        while (char := self._text[end : end + 1]) != ")" or bool(quote) != is_closed:
            if char in ("", "\n"):
                raise _SyntaxError("unterminated filter")
            if char in "\"'":
                if not quote:
                    quote = char
                elif char == quote and self._text[end - 1] != "\\":
                    is_closed = True
            end += 1
        if self._text[end + 1 : end + 2] != "]":
            raise _SyntaxError("unclosed array expect ]")
        self._offset = end + 2
        operator = _OPERATOR.search(self._text, start, end)
        right = end if operator is None else min(operator.end(), end - 1)  # it has a character at least
        if operator is not None and start < operator.start() < right:
            self._parts += [self._text[start : operator.start()], self._text[right:end]]
        else:
            self._parts.append(self._text[start:end])

    def _quote(self, quote: str) -> None:
        start = self._offset + 1
        end = self._end(quote, start, "unterminated quoted string")
        while self._text[end - 1] == "\\":
            end = self._end(quote, end + 1, "unterminated quoted string")
        content = self._text[start:end]
        if "\\" in content or quote in content:
            for left in _ESCAPE[quote].finditer(content):
                rune = int(left[1] or left[2] or "0", 16)
                if rune in _SURROGATES or rune > 0x10FFFF:
                    raise _SyntaxError(f"unquote string {quote}{content}{quote} error invalid syntax")
            rest = _ESCAPE[quote].sub("", content)
            if "\\" in rest or quote in rest:
                raise _SyntaxError(f"unquote string {quote}{content}{quote} error invalid syntax")
        self._offset = end + 1

    def _end(self, char: str, start: int, reason: str) -> int:
        """Return the next index of a character in the line; raise _SyntaxError."""
        end = self._text.find(char, start)
        if end < 0 or "\n" in self._text[start:end]:
            raise _SyntaxError(reason)
        return end
