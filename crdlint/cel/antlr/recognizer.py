"""Parses as cel-go's ANTLR recognizer does, including its error recovery and limits. Upstream: parser/parser.go."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from typing import Any

from antlr4.atn.ATNState import ATNState
from antlr4.CommonTokenFactory import CommonTokenFactory
from antlr4.CommonTokenStream import CommonTokenStream
from antlr4.error.ErrorListener import ErrorListener
from antlr4.error.Errors import InputMismatchException
from antlr4.error.ErrorStrategy import DefaultErrorStrategy
from antlr4.IntervalSet import IntervalSet
from antlr4.Token import CommonToken, Token

from crdlint.cel.antlr.parser import NAMES, RecursionLimitError, TreeParser
from crdlint.cel.antlr.visitor import visit
from crdlint.cel.ast import Expr, Location, SourceInfo, Unspecified
from crdlint.cel.builder import Builder
from crdlint.cel.errors import CodedMessage, ErrorCode
from crdlint.cel.lexer import EOF, SPACE, end_of_error, token_at
from crdlint.cel.stack import run_with_large_stack
from crdlint.golang.text import sprintf
from crdlint.light import regex

_MAX_REPORTS = 100
_MAX_RECOVERIES = 30
_MAX_LOOKAHEAD = 256
# Tokens that open a nested expression; each needs up to 20 frames, half of them in prediction.
_OPENING = "([{?"
_MAX_SHALLOW = 12
_MANY_OBJECTS = 20_000
_QUOTED = ", ESC_IDENTIFIER}"  # the end of the expected tokens, one of which the grammar of older servers does not have
_RESERVED = regex(r"no viable alternative at input '.(true|false|null)'")


class _StopError(Exception):
    """Stops recognition, because all errors are reported."""


class _Listener(ErrorListener):  # type: ignore[misc]
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.dialect = builder.options.dialect
        self.reports = 0

    def syntaxError(  # noqa: N802
        self,
        recognizer: Any,  # noqa: ARG002
        offendingSymbol: Any,  # noqa: N803
        line: int,
        column: int,
        msg: str,
        e: Any,  # noqa: ARG002
    ) -> None:
        if "no viable alternative" in msg:
            msg = _RESERVED.sub(r"mismatched input '\1' expecting IDENTIFIER", msg)
        if not self.dialect.reads_quoted_identifiers:
            msg = f"{msg.removesuffix(_QUOTED)}}}" if msg.endswith(_QUOTED) else msg
        if offendingSymbol.type == Token.EOF:
            self._report(msg, Location(line, column), ErrorCode.UNEXPECTED_END)
        else:
            self._report(
                msg,
                Location(line, column),
                ErrorCode.UNEXPECTED_TOKEN,
                offendingSymbol.text,
            )

    def no_token(self, text: str, location: Location) -> None:
        """Report a text that begins no token."""
        self._report(
            f"token recognition error at: '{text}'",
            location,
            ErrorCode.UNRECOGNIZED_TOKEN,
            text,
        )

    def _report(
        self,
        message: str,
        location: Location,
        code: ErrorCode,
        *args: str,
    ) -> None:
        if self.reports >= _MAX_REPORTS:
            self.builder.add_error(
                CodedMessage(f"Syntax error: More than {_MAX_REPORTS} syntax errors"), location
            )
            raise _StopError
        self.reports += 1
        text = f"Syntax error: {message}"
        self.builder.add_error(
            CodedMessage(text if self.dialect.quotes_syntax_errors else sprintf(text), code, args),
            location,
        )


_TYPES = {name: type_ for type_, name in NAMES.items()}


class _TokenSource:
    """The tokens of a text, one after another; characters that start no token are reported when they are read."""

    _factory = CommonTokenFactory.DEFAULT

    def __init__(
        self,
        source: SourceInfo,
        report: Callable[[str, Location], None],
        *,
        reads_quoted_identifiers: bool,
    ) -> None:
        self._source = source
        self._report = report
        self._reads_quoted_identifiers = reads_quoted_identifiers
        self._at = 0

    def nextToken(self) -> Any:  # noqa: N802
        """Return the next token, including hidden ones."""
        source = self._source
        while (kind_and_text := self._token()) is None:
            start, self._at = self._at, self._end_of_error()
            self._report(source.text[start : self._at], source.location(start))
        kind, text = kind_and_text
        start, self._at = self._at, self._at + len(text)
        channel = Token.HIDDEN_CHANNEL if kind is SPACE else Token.DEFAULT_CHANNEL
        token = CommonToken(
            type=_TYPES.get(kind),
            channel=channel,
            start=start,
            stop=self._at - 1,
        )
        token.line, token.column = source.location(start)
        token.text = "<EOF>" if kind is EOF else text
        return token

    def _token(self) -> tuple[str, str] | None:
        """Return the kind and text of the next token, or None if the next characters start no token."""
        return None if self._is_at_unknown_backtick() else token_at(self._source.text, self._at)

    def _end_of_error(self) -> int:
        """Return where the characters end that start no token."""
        if self._is_at_unknown_backtick():
            return self._at + 1
        return end_of_error(self._source.text, self._at)

    def _is_at_unknown_backtick(self) -> bool:
        return not self._reads_quoted_identifiers and self._source.text.startswith("`", self._at)


class _Strategy(DefaultErrorStrategy):  # type: ignore[misc]
    """DefaultErrorStrategy of ANTLR's Go runtime, with cel-go's limits."""

    def __init__(self) -> None:
        super().__init__()
        self.attempts = 0
        self.lastErrorIndex = -1
        self.lastErrorStates: list[int] | None = None

    def _check_attempts(self, recognizer: Any) -> None:
        if self.attempts == _MAX_RECOVERIES:
            self.attempts += 1
            recognizer.notifyErrorListeners(
                f"error recovery attempt limit exceeded: {_MAX_RECOVERIES}"
            )
            raise _StopError
        self.attempts += 1

    def recover(self, recognizer: Any, e: Any) -> None:  # noqa: ARG002
        self._check_attempts(recognizer)
        index = recognizer.getInputStream().index
        states = self.lastErrorStates or []
        left = _MAX_LOOKAHEAD
        if index == self.lastErrorIndex and recognizer.state in states:
            recognizer.consume()
            left -= 1
        self.lastErrorIndex = recognizer.getInputStream().index
        self.lastErrorStates = [*states, recognizer.state]
        self._consume_until(recognizer, self.getErrorRecoverySet(recognizer), left)

    def recoverInline(self, recognizer: Any) -> Any:  # noqa: N802
        self._check_attempts(recognizer)
        return super().recoverInline(recognizer)

    def _consume_until(self, recognizer: Any, stop: Any, left: float) -> None:
        """Drop tokens up to one in the set `stop`; raise `RecursionLimitError` if there are more than `left`."""
        kind = recognizer.getTokenStream().LA(1)
        while kind != Token.EOF and kind not in stop:
            if left <= 0:
                raise RecursionLimitError(
                    f"error recovery token lookahead limit exceeded: {_MAX_LOOKAHEAD}"
                )
            left -= 1
            recognizer.consume()
            kind = recognizer.getTokenStream().LA(1)

    def sync(self, recognizer: Any) -> None:
        if self.inErrorRecoveryMode(recognizer):
            return
        state = recognizer.atn.states[recognizer.state]
        expected = recognizer.atn.nextTokens(state)
        if Token.EPSILON in expected or recognizer.getTokenStream().LA(1) in expected:
            return
        if state.stateType in (
            ATNState.BLOCK_START,
            ATNState.STAR_BLOCK_START,
            ATNState.PLUS_BLOCK_START,
            ATNState.STAR_LOOP_ENTRY,
        ):
            if self.singleTokenDeletion(recognizer) is None:
                raise InputMismatchException(recognizer)
        elif state.stateType in (ATNState.PLUS_LOOP_BACK, ATNState.STAR_LOOP_BACK):
            self.reportUnwantedToken(recognizer)
            follow = IntervalSet()
            follow.addSet(recognizer.getExpectedTokens())
            follow.addSet(self.getErrorRecoverySet(recognizer))
            # cel-go does not count them within a loop.
            self._consume_until(recognizer, follow, math.inf)


def _run(builder: Builder) -> Expr:
    listener = _Listener(builder)
    try:
        has_names = listener.dialect.reads_quoted_identifiers
        tokens = _TokenSource(builder.source, listener.no_token, reads_quoted_identifiers=has_names)
        parser: Any = TreeParser(CommonTokenStream(tokens), reads_quoted_identifiers=has_names)
        parser.removeErrorListeners()
        parser.addErrorListener(listener)
        parser._errHandler = _Strategy()  # noqa: SLF001
        return visit(parser.rule(), builder)
    except _StopError:
        pass
    except RecursionLimitError as error:
        builder.add_error(CodedMessage(str(error)))
    return Unspecified(builder.next_id)


def recognize(builder: Builder) -> Expr:
    """Parse the text of `builder` and add all errors to it."""
    # Parsing a long text creates only new objects, and garbage collection would take half of the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        if sum(map(builder.source.text.count, _OPENING)) <= _MAX_SHALLOW:
            return _run(builder)
        return run_with_large_stack(lambda: _run(builder))
    finally:
        if collects:
            gc.enable()
        elif gc.get_count()[0] > _MANY_OBJECTS:
            gc.collect(0)  # parse trees are reference cycles
