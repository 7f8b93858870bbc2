"""Parses as cel-go's ANTLR recognizer does, including its error recovery and limits. Upstream: parser/parser.go."""

from __future__ import annotations

import gc
import math
import re
from typing import TYPE_CHECKING, Any

from antlr4.atn.ATNState import ATNState
from antlr4.error.ErrorListener import ErrorListener
from antlr4.error.Errors import InputMismatchException
from antlr4.error.ErrorStrategy import DefaultErrorStrategy
from antlr4.IntervalSet import IntervalSet
from antlr4.Token import Token

from crdlint.cel.antlr.parser import RecursionLimitError, TreeParser
from crdlint.cel.antlr.stream import LexedStream, Stream
from crdlint.cel.antlr.visitor import visit
from crdlint.cel.ast import Expr, Unspecified
from crdlint.cel.errors import Code, Problem
from crdlint.cel.source import Location
from crdlint.cel.stack import run_with_large_stack
from crdlint.golang.text import sprintf

if TYPE_CHECKING:
    from crdlint.cel.builder import Builder
    from crdlint.cel.lexer import Tokens

_MAX_REPORTS = 100
_MAX_RECOVERIES = 30
_MAX_LOOKAHEAD = 256
# Tokens that open a nested expression; each needs up to 20 frames, half of them in prediction.
_OPENING = "([{?"
_MAX_SHALLOW = 12
_QUOTED = ", ESC_IDENTIFIER}"  # the end of the expected tokens, one of which the grammar of older servers does not have
_RESERVED = re.compile(r"no viable alternative at input '.(true|false|null)'")


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
            self._report(msg, Location(line, column), Code.UNEXPECTED_END)
        else:
            self._report(msg, Location(line, column), Code.UNEXPECTED_TOKEN, offendingSymbol.text)

    def no_token(self, text: str, location: Location) -> None:
        """Report a text that begins no token."""
        self._report(f"token recognition error at: '{text}'", location, Code.UNRECOGNIZED_TOKEN, text)

    def _report(self, message: str, location: Location, code: Code, *args: str) -> None:
        if self.reports >= _MAX_REPORTS:
            self.builder.add_error(Problem(f"Syntax error: More than {_MAX_REPORTS} syntax errors"), location)
            raise _StopError
        self.reports += 1
        text = f"Syntax error: {message}"
        self.builder.add_error(
            Problem(text if self.dialect.quotes_syntax_errors else sprintf(text), code, args), location
        )


# The possible next tokens by parser state, cached because every sub-rule needs them.
_EXPECTED: dict[int, frozenset[int]] = {}


def _expected(recognizer: Any) -> frozenset[int]:
    state = recognizer.atn.states[recognizer.state]
    return frozenset(recognizer.atn.nextTokens(state))


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
            recognizer.notifyErrorListeners(f"error recovery attempt limit exceeded: {_MAX_RECOVERIES}")
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
                raise RecursionLimitError(f"error recovery token lookahead limit exceeded: {_MAX_LOOKAHEAD}")
            left -= 1
            recognizer.consume()
            kind = recognizer.getTokenStream().LA(1)

    def sync(self, recognizer: Any) -> None:
        if self.inErrorRecoveryMode(recognizer):
            return
        expected = _EXPECTED.get(recognizer.state)
        if expected is None:
            expected = _EXPECTED[recognizer.state] = _expected(recognizer)
        if Token.EPSILON in expected or recognizer.getTokenStream().LA(1) in expected:
            return
        kind = recognizer.atn.states[recognizer.state].stateType
        if kind in (
            ATNState.BLOCK_START, ATNState.STAR_BLOCK_START, ATNState.PLUS_BLOCK_START, ATNState.STAR_LOOP_ENTRY
        ):  # fmt: skip
            if self.singleTokenDeletion(recognizer) is None:
                raise InputMismatchException(recognizer)
        elif kind in (ATNState.PLUS_LOOP_BACK, ATNState.STAR_LOOP_BACK):
            self.reportUnwantedToken(recognizer)
            follow = IntervalSet()
            follow.addSet(recognizer.getExpectedTokens())
            follow.addSet(self.getErrorRecoverySet(recognizer))
            # cel-go does not count them within a loop.
            self._consume_until(recognizer, follow, math.inf)


def _run(builder: Builder, tokens: Tokens | None) -> Expr:
    listener = _Listener(builder)
    try:
        source = builder.source
        # Characters that begin no token are reported where the parser reads them.
        stream = LexedStream(source, listener.no_token) if tokens is None else Stream(source, tokens)
        parser: Any = TreeParser(stream, reads_quoted_identifiers=listener.dialect.reads_quoted_identifiers)
        parser.removeErrorListeners()
        parser.addErrorListener(listener)
        parser._errHandler = _Strategy()  # noqa: SLF001
        return visit(parser.rule(), builder)
    except _StopError:
        pass
    except RecursionLimitError as error:
        builder.add_error(Problem(str(error)))
    return Unspecified(builder.next_id)


def recognize(builder: Builder, tokens: Tokens | None) -> Expr:
    """Parse the text of `builder` and add all errors to it; `tokens` are its tokens if the whole text consists of tokens."""
    # Parsing a long text creates only new objects, and garbage collection would take half of the time.
    collects = gc.isenabled()
    gc.disable()
    try:
        if sum(map(builder.source.text.count, _OPENING)) <= _MAX_SHALLOW:
            return _run(builder, tokens)
        return run_with_large_stack(lambda: _run(builder, tokens))
    finally:
        _garbage.add(len(builder.source.text))
        if collects:
            gc.enable()


class _Garbage:
    """Decides when to collect parse trees, which are reference cycles and accumulate while the collector is paused."""

    def __init__(self) -> None:
        self._characters = 0

    def add(self, characters: int) -> None:
        """Record that a text of `characters` was parsed; the trees of several texts are freed together."""
        self._characters += characters + _SMALLEST_TREE
        if self._characters > _CHARACTERS_TO_COLLECT:
            self._characters = 0
            gc.collect(0)


_SMALLEST_TREE = 100
_CHARACTERS_TO_COLLECT = 50_000
_garbage = _Garbage()
