"""Whether a text is one address of mail, by Go's parser (net/mail.ParseAddress): RFC 5322 with leniences of its own."""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from typing import Final

from crdlint.golang.base64 import CorruptInputError, decode_base64
from crdlint.golang.netip import parse_ip

# A lone surrogate is no UTF-8.
_ATEXT: Final = r"[!#$%&'*+\-/0-9=?A-Z^_`a-z{|}~\x80-\ud7ff\ue000-\U0010ffff]"
_DOT_ATOM: Final = re.compile(rf"{_ATEXT}+(?:\.{_ATEXT}+)*(?!\.|{_ATEXT}|[\ud800-\udfff])")
# In a name, dots may stand anywhere.
_LOOSE_ATOM: Final = re.compile(rf"(?:{_ATEXT}|\.)+(?!\.|{_ATEXT}|[\ud800-\udfff])")
_QUOTED: Final = re.compile(
    r'"((?:[ \t!#-\[\]-~\x80-\ud7ff\ue000-\U0010ffff]|\\[ \t!-~\x80-\ud7ff\ue000-\U0010ffff])*)"'
)
_DOMAIN_LITERAL: Final = re.compile(r"\[([!-Z^-~\x80-\ud7ff\ue000-\U0010ffff]*)\]")
_SPACE: Final = re.compile(r"[ \t]*")
_IN_COMMENT: Final = re.compile(r"[^()\\]+|\\.?|[()]", re.DOTALL)
_ENCODED_WORD: Final = re.compile(r"=\?([^?]+)\?([^?])\?([^?]*)\?=")
_Q_TEXT: Final = re.compile(r"(?:[ -<>-~\n\r\t]|=[0-9A-Fa-f]{2})*")
_CHARSETS: Final = frozenset({"utf-8", "iso-8859-1", "us-ascii"})


class _NoAddressError(ValueError):
    """What stands here is no address."""


def is_address(text: str) -> bool:
    """Tell whether a text is an address, alone, behind a name in angle brackets, or the only one of a group."""
    parser = _Parser(text)
    try:
        count = parser.address(in_group=False)
        parser.skip_comments()
    except _NoAddressError:
        return False
    return count == 1 and parser.at == len(text)


class _Parser:
    """A text and how far it is read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def address(self, *, in_group: bool) -> int:
        """Read an address or a group, and return how many addresses that is."""
        self._skip_space()
        if self.at == len(self.text):
            raise _NoAddressError
        start = self.at
        try:
            self._spec()
        except _NoAddressError:
            self.at = start
        else:
            self._skip_space()
            if self._next("("):
                _check_words(self._comment())
            return 1
        if not self.text.startswith("<", self.at):
            self._phrase()
        self._skip_space()
        if not in_group and self._next(":"):
            return self._group()
        self._expect("<")
        self._spec()
        self._expect(">")
        return 1

    def skip_comments(self) -> None:
        """Read white space and comments."""
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
        """Read a local part, an at sign and a domain."""
        self._skip_space()
        if self.text.startswith('"', self.at):
            if not self._read(_QUOTED)[1]:
                raise _NoAddressError
        else:
            self._read(_DOT_ATOM)
        self._expect("@")
        self._skip_space()
        if not self.text.startswith("[", self.at):
            self._read(_DOT_ATOM)
        elif not _is_literal(self._read(_DOMAIN_LITERAL)[1]):
            raise _NoAddressError

    def _phrase(self) -> None:
        """Read words, up to what is none; there must be one."""
        words = 0
        while True:
            if words:
                self.skip_comments()
            self._skip_space()
            if self.at == len(self.text):
                return
            try:
                if self.text.startswith('"', self.at):
                    self._read(_QUOTED)
                else:
                    _check_words(self._read(_LOOSE_ATOM)[0])
            except _NoAddressError:
                if words:
                    return
                raise
            words += 1

    def _comment(self) -> str:
        """Read a comment, whose opening bracket is read, and return its text."""
        start, depth = self.at, 1
        while depth:
            match = _IN_COMMENT.match(self.text, self.at)
            if match is None:
                raise _NoAddressError
            self.at = match.end()
            depth += {"(": 1, ")": -1}.get(match[0], 0)
        return re.sub(r"\\(.)", r"\1", self.text[start : self.at - 1], flags=re.DOTALL)

    def _read(self, pattern: re.Pattern[str]) -> re.Match[str]:
        match = pattern.match(self.text, self.at)
        if match is None:
            raise _NoAddressError
        self.at = match.end()
        return match

    def _next(self, char: str) -> bool:
        found = self.text.startswith(char, self.at)
        self.at += found
        return found

    def _expect(self, char: str) -> None:
        if not self._next(char):
            raise _NoAddressError

    def _skip_space(self) -> None:
        self._read(_SPACE)


def _is_literal(text: str) -> bool:
    """Tell whether the text of a domain literal is an IPv4 address, be it written as an IPv6 one, or a marked IPv6 one."""
    if text.startswith("IPv6:"):
        return parse_ip(text[5:], sloppy=False)
    if not parse_ip(text, sloppy=False):
        return False
    return ":" not in text or IPv6Address(text).ipv4_mapped is not None


def _check_words(text: str) -> None:
    """Refuse encoded words (RFC 2047) in a character set that Go does not know; what is badly encoded is none."""
    for word in re.split("[ \t]+", text):
        match = _ENCODED_WORD.fullmatch(word)
        if match is not None and match[1].lower() not in _CHARSETS and _is_decodable(match[2], match[3]):
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
