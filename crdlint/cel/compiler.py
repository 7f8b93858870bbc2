"""Parsing, checking and validating the text of an expression. Upstream: cel-go's cel/env.go."""

from __future__ import annotations

from typing import Final

from crdlint.cel import ast
from crdlint.cel.ast import Expr, SourceInfo, nodes
from crdlint.cel.builder import ParserOptions
from crdlint.cel.checker import CheckResult, check
from crdlint.cel.decls import CONVERSIONS, Env
from crdlint.cel.errors import CELError, display_errors
from crdlint.cel.eval.values import KEYS
from crdlint.cel.parser import ParseResult, parse, parse_valid
from crdlint.cel.types import ERROR, Kind, Type
from crdlint.cel.validators import validate
from crdlint.light import dataclass


@dataclass(frozen=True, slots=True)
class Compiled:
    """An expression with its types and errors; the tree is valid only if there are no errors."""

    expr: Expr
    source: SourceInfo
    result: CheckResult
    errors: tuple[CELError, ...]

    @property
    def output_type(self) -> Type:
        """The type of the whole expression."""
        return self.result.type_map.get(self.expr.id, ERROR)

    def may_fail_to_plan(self) -> bool:
        """Return whether planning can fail: only expressions with conversions, constant patterns or names of types can."""
        functions = CONVERSIONS | REGEX_FUNCTIONS
        types = self.result.type_map
        for node in nodes(self.expr):
            if isinstance(node, ast.Call):
                if self.result.function(node) in functions:
                    return True
                key = node.args[1] if node.function in _INDEXES else None
                if isinstance(key, (ast.ListExpr, ast.MapExpr)) or (
                    type(key) is ast.Literal and type(key.value) not in KEYS
                ):
                    return True  # a constant that may not be a key
            elif node.id in self.result.reference_map and types[node.id].kind is Kind.TYPE:
                return True
        return False

    def display(self) -> str:
        """Return the errors as cel-go prints them."""
        return display_errors(self.errors, self.source)


# A constant regular expression among their arguments is compiled when the program is planned.
REGEX_FUNCTIONS: Final = frozenset({"matches", "find", "findAll"})
_INDEXES: Final = frozenset({"_[_]", "_[?_]"})


def compile_text(text: str, env: Env, options: ParserOptions) -> Compiled:
    """Parse, check and validate an expression; the result contains the errors."""
    parsed = parse(text, options=options)
    return _checked(parsed, env)


def compile_valid(text: str, env: Env, options: ParserOptions) -> Compiled | None:
    """Compile an expression, or return None if it has syntax errors, without the work of wording them."""
    parsed = parse_valid(text, options)
    return None if parsed is None else _checked(parsed, env)


def _checked(parsed: ParseResult, env: Env) -> Compiled:
    source = parsed.source_info
    if parsed.errors:
        return Compiled(
            parsed.expr,
            source,
            CheckResult(),
            tuple(parsed.errors),
        )
    result = check(parsed.expr, source, env)
    return Compiled(
        parsed.expr,
        source,
        result,
        tuple(result.errors or validate(parsed.expr, source, result, env)),
    )
