"""Recognition of e-mail addresses as in Go's net/mail.ParseAddress: RFC 5322 with some leniency."""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from typing import Final

from crdlint.golang.addresses import parse_ip
from crdlint.golang.encodings import CorruptInputError, decode_base64
from crdlint.light import regex

# A lone surrogate is not valid UTF-8.
_ATEXT: Final = r"[!#$%&'*+\-/0-9=?A-Z^_`a-z{|}~\x80-\ud7ff\ue000-\U0010ffff]"
_DOT_ATOM: Final = rf"{_ATEXT}+(?:\.{_ATEXT}+)*(?!\.|{_ATEXT}|[\ud800-\udfff])"
# In a name, dots are allowed anywhere.
_LOOSE_ATOM: Final = regex(rf"(?:{_ATEXT}|\.)+(?!\.|{_ATEXT}|[\ud800-\udfff])")
_QUOTED_TEXT: Final = (
    r'"((?:[ \t!#-\[\]-~\x80-\ud7ff\ue000-\U0010ffff]|\\[ \t!-~\x80-\ud7ff\ue000-\U0010ffff])*)"'
)
_QUOTED: Final = regex(_QUOTED_TEXT)
# A local part, which may be quoted, and a domain, which may be a literal.
_SPEC: Final = regex(
    rf"[ \t]*(?:{_QUOTED_TEXT}|{_DOT_ATOM})@[ \t]*(?:\[([!-Z^-~\x80-\ud7ff\ue000-\U0010ffff]*)\]|{_DOT_ATOM})"
)
_SPACE: Final = regex(r"[ \t]*")
_IN_COMMENT: Final = regex(r"[^()\\]+|\\.?|[()]", re.DOTALL)
_ENCODED_WORD: Final = regex(r"=\?([^?]+)\?([^?])\?([^?]*)\?=")
_Q_TEXT: Final = regex(r"(?:[ -<>-~\n\r\t]|=[0-9A-Fa-f]{2})*")
_CHARSETS: Final = frozenset({"utf-8", "iso-8859-1", "us-ascii"})


class _NoAddressError(ValueError):
    """The text at the current position is not an address."""


def is_address(text: str) -> bool:
    """Return whether `text` is a single address: alone, in angle brackets after a name, or the only member of a group."""
    parser = _AddressParser(text)
    try:
        count = parser.address(in_group=False)
        parser.skip_comments()
    except _NoAddressError:
        return False
    return count == 1 and parser.index == len(text)


class _AddressParser:
    """A text and the current position in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.index = 0

    def address(self, *, in_group: bool) -> int:
        """Parse an address or a group, and return the number of addresses."""
        self._skip_space()
        if self._is_at_end():
            raise _NoAddressError
        start = self.index
        try:
            self._spec()
        except _NoAddressError:
            self.index = start
        else:
            self._skip_space()
            if self._next("("):
                _check_words(self._comment())
            return 1
        if not self.text.startswith("<", self.index):
            self._phrase()
        self._skip_space()
        if not in_group and self._next(":"):
            return self._group()
        self._expect("<")
        self._spec()
        self._expect(">")
        return 1

    def skip_comments(self) -> None:
        """Skip white space and comments."""
        self._skip_space()
        while self._next("("):
            self._comment()
            self._skip_space()

    def _group(self) -> int:
        self._skip_space()
        count = 0
        ended = self._next(";")
        while not ended:
            count += self.address(in_group=True)
            self.skip_comments()
            ended = self._next(";")
            if not ended:
                self._expect(",")
        self.skip_comments()
        return count

    def _spec(self) -> None:
        """Parse a local part, an at sign and a domain."""
        quoted, literal = self._read(_SPEC).groups()
        if quoted == "" or (literal is not None and not _is_literal(literal)):
            raise _NoAddressError

    def _phrase(self) -> None:
        """Parse one or more words."""
        self._skip_space()
        if self._is_at_end():
            return
        self._word()
        while True:
            self.skip_comments()
            self._skip_space()
            if self._is_at_end():
                return
            try:
                self._word()
            except _NoAddressError:
                return

    def _word(self) -> None:
        if self.text.startswith('"', self.index):
            self._read(_QUOTED)
        else:
            _check_words(self._read(_LOOSE_ATOM)[0])

    def _is_at_end(self) -> bool:
        return self.index == len(self.text)

    def _comment(self) -> str:
        """Parse a comment after its opening parenthesis, and return its text."""
        start, depth = self.index, 1
        while depth:
            match = _IN_COMMENT.match(self.text, self.index)
            if match is None:
                raise _NoAddressError
            self.index = match.end()
            depth += {"(": 1, ")": -1}.get(match[0], 0)
        return re.sub(
            r"\\(.)",
            r"\1",
            self.text[start : self.index - 1],
            flags=re.DOTALL,
        )

    def _read(self, pattern: re.Pattern[str]) -> re.Match[str]:
        match = pattern.match(self.text, self.index)
        if match is None:
            raise _NoAddressError
        self.index = match.end()
        return match

    def _next(self, char: str) -> bool:
        matched = self.text.startswith(char, self.index)
        self.index += matched
        return matched

    def _expect(self, char: str) -> None:
        if not self._next(char):
            raise _NoAddressError

    def _skip_space(self) -> None:
        self._read(_SPACE)


def _is_literal(text: str) -> bool:
    """Return whether a domain literal is an IPv4 address, an IPv4-mapped IPv6 address, or an IPv6 address with its prefix."""
    if text.startswith("IPv6:"):
        return parse_ip(text[5:], sloppy=False)
    if not parse_ip(text, sloppy=False):
        return False
    return ":" not in text or IPv6Address(text).ipv4_mapped is not None


def _check_words(text: str) -> None:
    """Reject encoded words (RFC 2047) with a character set that Go does not know; malformed ones are plain text."""
    for word in re.split("[ \t]+", text):
        match = _ENCODED_WORD.fullmatch(word)
        if match is None or match[1].lower() in _CHARSETS:
            continue
        if _is_decodable(match[2], match[3]):
            raise _NoAddressError


def _is_decodable(encoding: str, text: str) -> bool:
    if encoding in "qQ":
        return _Q_TEXT.fullmatch(text) is not None
    if encoding not in "bB":
        return False
    try:
        decode_base64(text)
    except CorruptInputError:
        return False
    return True
