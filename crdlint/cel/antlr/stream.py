"""Tokens read already, as ANTLR's parser takes them from a stream."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from antlr4.CommonTokenFactory import CommonTokenFactory
from antlr4.Token import CommonToken, Token

from crdlint.cel.antlr.CELLexer import CELLexer
from crdlint.cel.lexer import EOF

if TYPE_CHECKING:
    from crdlint.cel.lexer import Tokens
    from crdlint.cel.source import SourceInfo

_TYPES: Final[dict[str, int]] = {
    **{name: type_ for type_, name in enumerate(CELLexer.symbolicNames)},
    **{name[1:-1]: type_ for type_, name in enumerate(CELLexer.literalNames)},
    EOF: Token.EOF,
}


class Stream:
    """Tokens of a text in which every character belongs to one (CommonTokenStream)."""

    tokenSource: Final = SimpleNamespace(_factory=CommonTokenFactory.DEFAULT)  # noqa: N815

    def __init__(self, source: SourceInfo, tokens: Tokens) -> None:
        self.index = 0
        self._text = source.text
        self._tokens = [_token(source, *token) for token in zip(*tokens, strict=True)]
        for index, token in enumerate(self._tokens):
            token.tokenIndex = index
        self._last = len(self._tokens) - 1
        # What follows the end is the end again.
        self._tokens.append(self._tokens[-1])

    def LT(self, k: int) -> Any:  # noqa: N802
        """Return a token: 1 is the next, 2 the one after it, -1 the last; None before the first."""
        if k > 0:
            return self._tokens[self.index + k - 1]
        return self._tokens[self.index + k] if self.index + k >= 0 else None

    def LA(self, k: int) -> int:  # noqa: N802
        """Return the type of the next token (1) or of the one after it (2)."""
        type_: int = self._tokens[self.index + k - 1].type
        return type_

    def consume(self) -> None:
        """Go on to the next token."""
        self.index += 1

    def seek(self, index: int) -> None:
        """Go to a token."""
        self.index = min(index, self._last)

    def get(self, index: int) -> Any:
        """Return a token by its index."""
        return self._tokens[index]

    def mark(self) -> int:
        """Keep all tokens, as ever."""
        return 0

    def release(self, marker: int) -> None:
        """Keep all tokens, as ever."""

    def getText(self, start: Any, stop: Any) -> str:  # noqa: N802
        """Return the text from one token to another, with what stands between them."""
        return self._text[start.start : stop.stop + 1]


def _token(source: SourceInfo, kind: str, text: str, start: int) -> Any:
    token = CommonToken(type=_TYPES[kind], start=start, stop=start + len(text) - 1)
    token.line, token.column = source.location(start)
    token.text = "<EOF>" if kind is EOF else text
    return token
