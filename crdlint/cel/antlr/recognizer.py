"""Parses as cel-go's ANTLR recogniser does, error recovery and limits included (parser/parser.go)."""

from __future__ import annotations

import re
import sys
import threading
from typing import TYPE_CHECKING, Any

from antlr4 import CommonTokenStream, InputStream
from antlr4.atn.ATNState import ATNState
from antlr4.error.ErrorListener import ErrorListener
from antlr4.error.Errors import InputMismatchException
from antlr4.error.ErrorStrategy import DefaultErrorStrategy
from antlr4.IntervalSet import IntervalSet
from antlr4.Token import Token

from crdlint.cel.antlr.CELLexer import CELLexer
from crdlint.cel.antlr.CELParser import CELParser
from crdlint.cel.antlr.visitor import RecursionLimitError, visit
from crdlint.cel.ast import Expr, Unspecified
from crdlint.cel.source import Location

if TYPE_CHECKING:
    from crdlint.cel.builder import Builder

_MAX_DEPTH = 250
_MAX_REPORTS = 100
_MAX_RECOVERIES = 30
_MAX_LOOKAHEAD = 256
# What opens an expression within another; each needs up to 20 frames, half of them in prediction.
_OPENING = "([{?"
_MAX_SHALLOW = 12
_STACK_FRAMES = 12_000
_STACK_BYTES = 64 * 1024 * 1024
_RESERVED = re.compile(r"no viable alternative at input '.(true|false|null)'")
_LOCK = threading.Lock()


class _StopError(Exception):
    """Recognition ends; what is to be said has been said."""


class _Listener(ErrorListener):  # type: ignore[misc]
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.reports = 0

    def syntaxError(  # noqa: N802
        self,
        recognizer: Any,  # noqa: ARG002
        offendingSymbol: Any,  # noqa: ARG002, N803
        line: int,
        column: int,
        msg: str,
        e: Any,  # noqa: ARG002
    ) -> None:
        if "no viable alternative" in msg:
            msg = _RESERVED.sub(r"mismatched input '\1' expecting IDENTIFIER", msg)
        location = Location(line, column)
        if self.reports >= _MAX_REPORTS:
            self.builder.add_error(f"Syntax error: More than {_MAX_REPORTS} syntax errors", location)
            raise _StopError
        self.reports += 1
        self.builder.add_error(f"Syntax error: {msg}", location)


class _DepthListener:
    """Counts the open rules of each kind."""

    def __init__(self) -> None:
        self.depths: dict[int, int] = {}

    def enterEveryRule(self, ctx: Any) -> None:  # noqa: N802
        rule = ctx.getRuleIndex()
        depth = self.depths.get(rule, 0) + 1
        self.depths[rule] = depth
        if depth > _MAX_DEPTH:
            raise RecursionLimitError(f"expression recursion limit exceeded: {_MAX_DEPTH}")

    def exitEveryRule(self, ctx: Any) -> None:  # noqa: N802
        rule = ctx.getRuleIndex()
        if self.depths.get(rule, 0) > 0:
            self.depths[rule] -= 1

    def visitTerminal(self, node: Any) -> None:  # noqa: N802
        """Nothing to count."""

    def visitErrorNode(self, node: Any) -> None:  # noqa: N802
        """Nothing to count."""


class _Strategy(DefaultErrorStrategy):  # type: ignore[misc]
    """Go's DefaultErrorStrategy with cel-go's limits."""

    def __init__(self) -> None:
        super().__init__()
        self.attempts = 0

    def _check_attempts(self, recognizer: Any) -> None:
        if self.attempts == _MAX_RECOVERIES:
            self.attempts += 1
            recognizer.notifyErrorListeners(f"error recovery attempt limit exceeded: {_MAX_RECOVERIES}")
            raise _StopError
        self.attempts += 1

    def recover(self, recognizer: Any, e: Any) -> None:
        self._check_attempts(recognizer)
        super().recover(recognizer, e)

    def recoverInline(self, recognizer: Any) -> Any:  # noqa: N802
        self._check_attempts(recognizer)
        return super().recoverInline(recognizer)

    def consumeUntil(self, recognizer: Any, set_: Any) -> None:  # noqa: N802
        consumed = 0
        kind = recognizer.getTokenStream().LA(1)
        while kind != Token.EOF and kind not in set_:
            if consumed >= _MAX_LOOKAHEAD:
                raise RecursionLimitError(f"error recovery token lookahead limit exceeded: {_MAX_LOOKAHEAD}")
            consumed += 1
            recognizer.consume()
            kind = recognizer.getTokenStream().LA(1)

    def sync(self, recognizer: Any) -> None:
        if self.inErrorRecoveryMode(recognizer):
            return
        state = recognizer._interp.atn.states[recognizer.state]  # noqa: SLF001
        expected = recognizer.atn.nextTokens(state)
        if Token.EPSILON in expected or recognizer.getTokenStream().LA(1) in expected:
            return
        kind = state.stateType
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
            self.consumeUntil(recognizer, follow)


class _Lexer(CELLexer):
    def getErrorDisplay(self, s: str) -> str:  # noqa: N802
        """Return the text as it is, as Go's runtime does."""
        return s


def _run(builder: Builder) -> Expr:
    listener = _Listener(builder)
    lexer = _Lexer(InputStream(builder.source.text))
    lexer.removeErrorListeners()
    lexer.addErrorListener(listener)
    parser: Any = CELParser(CommonTokenStream(lexer))
    parser.removeErrorListeners()
    parser.addErrorListener(listener)
    parser.addParseListener(_DepthListener())
    parser._errHandler = _Strategy()  # noqa: SLF001
    try:
        return visit(parser.start(), builder)
    except _StopError:
        pass
    except RecursionLimitError as error:
        builder.add_error(str(error))
    return Unspecified(builder.next_id)


def recognize(builder: Builder) -> Expr:
    """Parse the builder's text, adding all errors to it.

    cel-go's own limits bound the depth, at some 5,000 frames: what nests deeply gets a thread with a stack for that.
    """
    if sum(map(builder.source.text.count, _OPENING)) <= _MAX_SHALLOW:
        return _run(builder)
    result: list[Expr] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            result.append(_run(builder))
        except BaseException as error:
            failure.append(error)

    # The limit is the whole process's; it is raised only meanwhile, and no other thread needs it as low as it was.
    with _LOCK:
        limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
        sys.setrecursionlimit(max(limit, _STACK_FRAMES))
        try:
            thread = threading.Thread(target=work, daemon=True)
            thread.start()
            thread.join()
        finally:
            sys.setrecursionlimit(limit)
            threading.stack_size(size)
    if failure:
        raise failure[0]
    return result[0]
