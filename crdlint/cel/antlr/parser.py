"""Walks the automaton that ANTLR makes of the grammar, as the parser that it generates would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, cast

from antlr4.atn.ATNDeserializer import ATNDeserializer
from antlr4.atn.ATNState import ATNState
from antlr4.atn.ParserATNSimulator import ParserATNSimulator
from antlr4.atn.Transition import RuleTransition, Transition
from antlr4.dfa.DFA import DFA
from antlr4.error.Errors import NoViableAltException, RecognitionException
from antlr4.Parser import Parser
from antlr4.ParserRuleContext import ParserRuleContext
from antlr4.PredictionContext import PredictionContextCache
from antlr4.Token import Token


def _sections() -> dict[str, list[str]]:
    """Return the lines of each section of the file that ANTLR writes of a grammar."""
    text = Path(__file__).with_name("CEL.interp").read_text(encoding="utf-8")
    sections = (section.strip().split("\n") for section in text.split("\n\n"))
    return {heading: lines for heading, *lines in sections}


_SECTIONS: Final = _sections()
_LITERALS: Final = [
    "<INVALID>" if name == "null" else name for name in _SECTIONS["token literal names:"]
]
_SYMBOLS: Final = _SECTIONS["token symbolic names:"]
_RULES: Final = _SECTIONS["rule names:"]
# The spelling of each type of token, or its name if it has several.
NAMES: Final = {
    type_: symbol if literal == "<INVALID>" else literal[1:-1]
    for type_, (symbol, literal) in enumerate(zip(_SYMBOLS, _LITERALS, strict=True))
} | {Token.EOF: "EOF"}
_AUTOMATON: Final = ATNDeserializer().deserialize(json.loads(_SECTIONS["atn:"][0]))
_DECISIONS: Final = [DFA(state, number) for number, state in enumerate(_AUTOMATON.decisionToState)]
_CONTEXTS: Final = PredictionContextCache()
MAX_DEPTH: Final = 250
# The decisions that more than the next token may determine.
_PREDICTED: Final = frozenset({3, 4, 5, 7, 8, 12, 13, 25, 27, 28, 30, 35})
# The alternatives with a name in the grammar, by decision.
_ALTERNATIVES: Final = {
    8: ("MemberExpr", "LogicalNot", "Negate"),
    12: ("Select", "MemberCall", "Index"),
    25: (
        "Ident",
        "GlobalCall",
        "Nested",
        "CreateList",
        "CreateStruct",
        "CreateMessage",
        "ConstantLiteral",
    ),
    31: ("SimpleIdentifier", "EscapedIdentifier"),
    35: ("NUM_INT", "NUM_UINT", "NUM_FLOAT", "STRING", "BYTES", "true", "false", "null"),
}
_KINDS: Final[list[tuple[str, ...]]] = [() for _ in _AUTOMATON.states]  # by state
for _decision, _kinds in _ALTERNATIVES.items():
    _KINDS[_AUTOMATON.decisionToState[_decision].stateNumber] = _kinds
# The rule for names after a dot. The grammar of older servers has none: it expects an identifier where the rule is used.
_NAME: Final = _RULES.index("escapeIdent")
_LOOPED: Final = frozenset({ATNState.STAR_LOOP_BACK, ATNState.PLUS_LOOP_BACK})
# States with one transition at which errors are recovered from, too.
_SYNCHRONIZED: Final = frozenset({ATNState.PLUS_BLOCK_START, ATNState.STAR_LOOP_BACK})
_EXITS: Final = frozenset({ATNState.BLOCK_END, ATNState.LOOP_END})


class RecursionLimitError(Exception):
    """A limit is exceeded, which ends parsing with its message."""


class ParseTree(ParserRuleContext):  # type: ignore[misc]
    """A parse tree of the `kind` of its rule or alternative; `matched` are its parts in order, without tokens to ignore."""

    __slots__ = ("kind", "matched", "rule")

    def __init__(self, rule: int, parent: ParseTree | None, state: int) -> None:
        super().__init__(parent, state)
        self.rule = rule
        self.kind = _RULES[rule]
        self.matched: list[tuple[str, Any]] = []

    def getRuleIndex(self) -> int:  # noqa: N802
        """Return the number of the rule."""
        return self.rule

    def all(self, name: str) -> list[Any]:
        """Return the trees of a rule, or the tokens of a type."""
        return [part for kind, part in self.matched if kind == name]

    def first(self, name: str) -> Any:
        """Return the first tree of a rule or token of a type, or None."""
        return next((part for kind, part in self.matched if kind == name), None)


class _Simulator(ParserATNSimulator):  # type: ignore[misc]
    """Predicts alternatives; the grammar has no predicates, so no configuration needs to be tested for one."""

    def getSynValidOrSemInvalidAltThatFinishedDecisionEntryRule(  # noqa: N802
        self,
        configs: Any,
        outerContext: Any,  # noqa: ARG002, N803
    ) -> int:
        """Return the alternative that a failed prediction falls back to."""
        return self.getAltThatFinishedDecisionEntryRule(configs)  # type: ignore[no-any-return]


class TreeParser(Parser):  # type: ignore[misc]
    """A parser of CEL with the names and the states of the one that ANTLR would generate."""

    atn = _AUTOMATON
    literalNames = _LITERALS  # noqa: N815
    symbolicNames = _SYMBOLS  # noqa: N815

    def __init__(self, stream: Any, *, reads_quoted_identifiers: bool = True) -> None:
        super().__init__(stream)
        # The rule for names of which only the first alternative, an identifier, is read.
        self._identifier = None if reads_quoted_identifiers else _NAME
        self._interp = _Simulator(self, _AUTOMATON, _DECISIONS, _CONTEXTS)
        self._depths = [0] * len(_RULES)
        # ANTLR only calls the triggers if this list exists.
        self._parseListeners: list[Any] = []

    def rule(self, rule: int = 0, precedence: int = 0) -> ParseTree:
        """Return the tree of a rule for the next tokens; ANTLR's errors are reported, and other exceptions are raised."""
        start, parent = self.atn.ruleToStartState[rule], self._ctx
        tree = ParseTree(rule, parent, self.state)
        if start.isPrecedenceRule:
            self.enterRecursionRule(
                tree,
                start.stateNumber,
                rule,
                precedence,
            )
        else:
            self.enterRule(tree, start.stateNumber, rule)
        try:
            self._walk(start, parent, tree.invokingState)
        except RecognitionException as error:
            if rule == self._identifier:
                raise
            self._ctx.exception = error
            self._errHandler.reportError(self, error)
            self._errHandler.recover(self, error)
        finally:
            tree = cast("ParseTree", self._ctx)
            if start.isPrecedenceRule:
                self.unrollRecursionContexts(parent)
            else:
                self.exitRule()
        return tree

    def triggerEnterRuleEvent(self) -> None:  # noqa: N802
        """Count the open trees of each rule; raise RecursionLimitError."""
        rule = self._ctx.rule
        depth = self._depths[rule] + 1
        self._depths[rule] = depth
        if depth > MAX_DEPTH:
            raise RecursionLimitError(f"expression recursion limit exceeded: {MAX_DEPTH}")

    def triggerExitRuleEvent(self) -> None:  # noqa: N802
        """Count a closed tree, of which errors may close more than were opened."""
        rule = self._ctx.rule
        if self._depths[rule] > 0:
            self._depths[rule] -= 1

    def _walk(self, start: Any, parent: ParseTree | None, invoking: int) -> None:
        """Match tokens from the start of a rule to its end; a tree that recurs on its left becomes a part of the next."""
        state, is_repeated = start, False
        while state.stateType != ATNState.RULE_STOP:
            recurs = start.isPrecedenceRule and state.stateType == ATNState.STAR_BLOCK_START
            if recurs:
                self.triggerExitRuleEvent()
            has_ways = len(state.transitions) > 1 and state.ruleIndex != self._identifier
            may_skip = has_ways or state.stateType in _SYNCHRONIZED
            if may_skip and not is_repeated:
                self.state = state.stateNumber
                self._errHandler.sync(self)
            is_repeated = state.stateType in _LOOPED
            way = self._way(state) if has_ways else 0
            if recurs:
                self._recur(start, parent, invoking)
            kinds = _KINDS[state.stateNumber]
            if kinds:
                self._ctx.kind = kinds[way]
            state = self._after(state, state.transitions[way])

    def _recur(self, start: Any, parent: ParseTree | None, invoking: int) -> None:
        """Make the tree of a rule a part of another one of the same rule."""
        tree = ParseTree(start.ruleIndex, parent, invoking)
        tree.matched.append((_RULES[start.ruleIndex], self._ctx))
        self.pushNewRecursionContext(tree, start.stateNumber, start.ruleIndex)

    def _way(self, state: Any) -> int:
        """Return the number of the transition that the next tokens select; raise NoViableAltException."""
        if state.decision in _PREDICTED:
            return int(self._interp.adaptivePredict(self._input, state.decision, self._ctx)) - 1
        token = self._input.LA(1)
        for way, transition in enumerate(state.transitions):
            if token in self.atn.nextTokens(transition.target):
                return way
        if transition.target.stateType not in _EXITS:
            raise NoViableAltException(self)
        return way

    def _after(self, state: Any, transition: Any) -> Any:
        """Match what a transition needs, and return the state after it."""
        if transition.isEpsilon and type(transition) is not RuleTransition:
            return transition.target
        self.state = state.stateNumber
        tree = self._ctx
        if type(transition) is RuleTransition:
            tree.matched.append(
                (
                    _RULES[transition.ruleIndex],
                    self.rule(transition.ruleIndex, transition.precedence),
                )
            )
            return transition.followState
        if transition.serializationType == Transition.ATOM:
            tree.matched.append((NAMES[transition.label_], self.match(transition.label_)))
        else:  # an operator, without which the way to it is not taken
            tree.matched.append(("op", self._input.LT(1)))
            self._errHandler.reportMatch(self)
            self.consume()
        return transition.target
