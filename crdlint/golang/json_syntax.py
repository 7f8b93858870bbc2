"""Syntax errors of JSON as Go words them. Upstream: encoding/json scanner.go, and Decoder of stream.go."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from crdlint.golang.text import quote
from crdlint.light import NamedTuple, regex

_Step: TypeAlias = "Callable[[], Any]"


class JSONSyntaxError(NamedTuple):
    """A syntax error: Go's text, and the number of bytes read up to and including the wrong one; None at the end."""

    text: str
    offset: int | None


UNEXPECTED_END: Final = JSONSyntaxError("unexpected EOF", None)

_SPACE: Final = regex(rb"[ \t\r\n]*")
_STRING: Final = regex(rb'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_ESCAPE: Final = regex(rb"\\(?:u[0-9a-fA-F]{0,3})?")
_NUMBER: Final = regex(rb"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)?")
_POINT: Final = regex(rb"\.")
_EXPONENT: Final = regex(rb"[eE][+-]?")
_LITERALS: Final = {ord("t"): "true", ord("f"): "false", ord("n"): "null"}
_NUMERIC: Final = frozenset(b"-0123456789")
_QUOTE, _OBJECT = ord('"'), ord("{")
_CLOSING: Final = {_OBJECT: ord("}"), ord("["): ord("]")}


def syntax_error(text: str) -> JSONSyntaxError | None:
    """Return the first error in the JSON value at the start of a text; None if it is valid, whatever follows it.

    >>> syntax_error('{"a": 1,}').text
    "invalid character '}' looking for beginning of object key string"
    """
    scanner = _JSONScanner(text.encode("utf-8", "surrogatepass"))
    try:
        scanner.scan()
    except _ScanError as error:
        return error.error
    return None


class _ScanError(ValueError):
    def __init__(self, error: JSONSyntaxError) -> None:
        super().__init__(error.text)
        self.error = error


class _JSONScanner:
    """Scans a value: each step returns the next one, and `_open` has the opening byte of each collection that is not closed."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._open: list[int] = []

    def scan(self) -> None:
        step: _Step | None = self._value
        while step is not None:
            step = step()

    def _next(self) -> int:
        """Go to the next byte that is no space, and return it."""
        match = _SPACE.match(self._data, self._at)
        self._at = self._at if match is None else match.end()
        return self._here()

    def _here(self) -> int:
        if self._at >= len(self._data):
            raise _ScanError(UNEXPECTED_END)
        return self._data[self._at]

    def _error(self, context: str) -> _ScanError:
        text = f"invalid character {_quoted(self._here())} {context}"
        return _ScanError(JSONSyntaxError(text, self._at + 1))

    def _value(self) -> _Step | None:
        char = self._next()
        if char in _CLOSING:
            self._at += 1
            self._open.append(char)
            return self._first
        if char == _QUOTE:
            self._string()
        elif char in _LITERALS:
            self._literal(_LITERALS[char])
        elif char in _NUMERIC:
            self._number()
        else:
            raise self._error("looking for beginning of value")
        return self._after_value()

    def _first(self) -> _Step | None:
        """Scan what follows the opening of a collection."""
        if self._next() == _CLOSING[self._open[-1]]:
            return self._close()
        return self._key if self._open[-1] == _OBJECT else self._value

    def _key(self) -> _Step | None:
        if self._next() != _QUOTE:
            raise self._error("looking for beginning of object key string")
        self._string()
        if self._next() != ord(":"):
            raise self._error("after object key")
        self._at += 1
        return self._value

    def _rest(self) -> _Step | None:
        """Scan what follows a value in a collection."""
        char, is_object = self._next(), self._open[-1] == _OBJECT
        if char == _CLOSING[self._open[-1]]:
            return self._close()
        if char != ord(","):
            raise self._error("after object key:value pair" if is_object else "after array element")
        self._at += 1
        return self._key if is_object else self._value

    def _close(self) -> _Step | None:
        self._at += 1
        self._open.pop()
        return self._after_value()

    def _after_value(self) -> _Step | None:
        return self._rest if self._open else None

    def _string(self) -> None:
        self._skip(_STRING)
        if self._here() == _QUOTE:
            self._at += 1
            return
        if self._here() != ord("\\"):
            raise self._error("in string literal")
        is_hexadecimal = self._skip(_ESCAPE) > 1
        raise self._error(
            "in \\u hexadecimal character escape" if is_hexadecimal else "in string escape code"
        )

    def _literal(self, word: str) -> None:
        for letter in word:
            if self._here() != ord(letter):
                raise self._error(f"in literal {word} (expecting '{letter}')")
            self._at += 1

    def _number(self) -> None:
        start = self._at
        self._skip(_NUMBER)
        number = self._data[start : self._at].lower()
        if number == b"-":
            raise self._error("in numeric literal")
        if b"e" in number:
            return
        if b"." not in number and self._skip(_POINT):
            raise self._error("after decimal point in numeric literal")
        if self._skip(_EXPONENT):
            raise self._error("in exponent of numeric literal")

    def _skip(self, pattern: re.Pattern[bytes]) -> int:
        """Skip a match at the current byte, and return its length."""
        match = pattern.match(self._data, self._at)
        start, self._at = self._at, self._at if match is None else match.end()
        return self._at - start


def _quoted(char: int) -> str:
    """Return a byte as Go quotes it in these errors. Upstream: encoding/json quoteChar."""
    if chr(char) in "'\"":
        return "'\\''" if chr(char) == "'" else "'\"'"
    return f"'{quote(chr(char))[1:-1]}'"
