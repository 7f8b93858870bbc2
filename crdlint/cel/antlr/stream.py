"""Streams of tokens from crdlint's own lexer for ANTLR's parser."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from antlr4.CommonTokenFactory import CommonTokenFactory
from antlr4.Token import CommonToken, Token

from crdlint.cel.antlr.parser import NAMES
from crdlint.cel.lexer import EOF, SPACE, end_of_error, token_at
from crdlint.cel.source import Location

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.lexer import Tokens
    from crdlint.cel.source import SourceInfo

_TYPES: Final = {name: type_ for type_, name in NAMES.items()}


class Stream:
    """The tokens of a text in which every character belongs to a token. Upstream: antlr.CommonTokenStream."""

    tokenSource: Final = SimpleNamespace(_factory=CommonTokenFactory.DEFAULT)  # noqa: N815

    def __init__(self, source: SourceInfo, tokens: Tokens) -> None:
        self.index = 0
        self._text = source.text
        self._tokens = [_token(source, *token) for token in zip(*tokens, strict=True)]
        for index, token in enumerate(self._tokens):
            token.tokenIndex = index
        self._last = len(self._tokens) - 1
        # The token after EOF is EOF again.
        self._tokens.append(self._tokens[-1])

    def LT(self, k: int) -> Any:  # noqa: N802
        """Return a token relative to the current position: 1 is the next, 2 the one after it, -1 the previous, or None."""
        if k > 0:
            return self._tokens[self.index + k - 1]
        return self._tokens[self.index + k] if self.index + k >= 0 else None

    def LA(self, k: int) -> int:  # noqa: N802
        """Return the type of the next token (1) or of the one after it (2)."""
        type_: int = self._tokens[self.index + k - 1].type
        return type_

    def consume(self) -> None:
        """Advance to the next token."""
        self.index += 1

    def seek(self, index: int) -> None:
        """Set the position to a token index."""
        self.index = min(index, self._last)

    def get(self, index: int) -> Any:
        """Return a token by its index."""
        return self._tokens[index]

    def mark(self) -> int:
        """No-op: tokens are never released."""
        return 0

    def release(self, marker: int) -> None:
        """No-op: tokens are never released."""

    def getText(self, start: Any, stop: Any) -> str:  # noqa: N802
        """Return the text from one token to another, both inclusive."""
        return self._text[start.start : stop.stop + 1]


class LexedStream(Stream):
    """The tokens of a text with characters that start no token, which are reported when they are read."""

    def __init__(self, source: SourceInfo, report: Callable[[str, Location], None]) -> None:
        self.index = 0
        self._source = source
        self._report = report
        self._at = 0
        self._all: list[Any] = []
        self._tokens = []
        self._complete = False
        self._read(0)

    def _read(self, index: int) -> None:
        """Read tokens up to an index, not counting hidden tokens."""
        while len(self._tokens) <= index and not self._complete:
            token = self._next()
            token.tokenIndex = len(self._all)
            self._all.append(token)
            self._complete = token.type == Token.EOF
            if token.channel == Token.DEFAULT_CHANNEL:
                self._tokens.append(token)

    def _next(self) -> Any:
        """Return the next token, including hidden ones."""
        source = self._source
        while (kind_and_text := token_at(source.text, self._at)) is None:
            start, self._at = self._at, end_of_error(source.text, self._at)
            self._report(source.text[start : self._at], Location(*source.location(start)))
        kind, text = kind_and_text
        if kind is SPACE:
            token = CommonToken(channel=Token.HIDDEN_CHANNEL, start=self._at, stop=self._at + len(text) - 1)
            token.text = text
        else:
            token = _token(source, kind, text, self._at)
        self._at = token.stop + 1
        return token

    def LT(self, k: int) -> Any:  # noqa: N802
        """Return a token relative to the current position: 1 is the next, 2 the one after it, -1 the previous, or None."""
        index = self.index + k
        if k < 0:
            return self._tokens[index] if index >= 0 else None
        if index > len(self._tokens):
            self._read(index - 1)
            index = min(index, len(self._tokens))
        return self._tokens[index - 1]

    def LA(self, k: int) -> int:  # noqa: N802
        """Return the type of the next token (1) or of the one after it (2)."""
        type_: int = self.LT(k).type
        return type_

    def consume(self) -> None:
        """Advance to the next token and read it."""
        self.index += 1
        self._read(self.index)

    def seek(self, index: int) -> None:
        """Set the position to a token index."""
        self._read(index)
        self.index = min(index, len(self._tokens) - 1)

    def getText(self, start: Any, stop: Any) -> str:  # noqa: N802
        """Return the text of the tokens from one to another, without characters that start no token."""
        self._read(len(self._source.text))
        between = self._all[start.tokenIndex : stop.tokenIndex + 1]
        return "".join(token.text for token in between if token.type != Token.EOF)


def _token(source: SourceInfo, kind: str, text: str, start: int) -> Any:
    token = CommonToken(type=_TYPES[kind], start=start, stop=start + len(text) - 1)
    token.line, token.column = source.location(start)
    token.text = "<EOF>" if kind is EOF else text
    return token
