"""Parsing, checking and validating the text of an expression. Upstream: cel-go's Env.Compile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.cel import ast
from crdlint.cel.ast import nodes
from crdlint.cel.checker import CheckResult, check
from crdlint.cel.decls import CONVERSIONS
from crdlint.cel.errors import display_errors
from crdlint.cel.parser import parse, parse_valid
from crdlint.cel.types import ERROR, Kind
from crdlint.cel.validators import validate

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr
    from crdlint.cel.builder import ParserOptions
    from crdlint.cel.env import Env
    from crdlint.cel.errors import CELError
    from crdlint.cel.parser import ParseResult
    from crdlint.cel.source import SourceInfo
    from crdlint.cel.types import Type


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
        types, namespaced = self.result.type_map, self.result.namespaced
        for node in nodes(self.expr):
            if isinstance(node, ast.Call):
                if namespaced.get(node.id, node.function) in functions:
                    return True
                if node.function in _INDEXES and _is_odd_key(node.args[1]):
                    return True
            elif node.id in self.result.reference_map and types[node.id].kind is Kind.TYPE:
                return True
        return False

    def display(self) -> str:
        """Return the errors as cel-go prints them."""
        return display_errors(self.errors, self.source)


# A constant regular expression among their arguments is compiled when the program is planned.
REGEX_FUNCTIONS: Final = frozenset({"matches", "find", "findAll"})
_INDEXES: Final = frozenset({"_[_]", "_[?_]"})
_KEYS: Final = frozenset({bool, int, ast.Uint, float, str})


def _is_odd_key(key: ast.Expr) -> bool:
    """Return whether a key may be a constant that cannot select anything."""
    return isinstance(key, (ast.ListExpr, ast.MapExpr)) or (
        isinstance(key, ast.Literal) and type(key.value) not in _KEYS
    )


def compile_text(text: str, env: Env, options: ParserOptions) -> Compiled:
    """Parse, check and validate an expression; the result contains the errors."""
    return _checked(parse(text, options=options), env)


def compile_valid(text: str, env: Env, options: ParserOptions) -> Compiled | None:
    """Compile an expression, or return None if it has syntax errors, without the work of wording them."""
    parsed = parse_valid(text, options)
    return None if parsed is None else _checked(parsed, env)


def _checked(parsed: ParseResult, env: Env) -> Compiled:
    source = parsed.source_info
    if parsed.errors:
        return Compiled(parsed.expr, source, CheckResult(), tuple(parsed.errors))
    result = check(parsed.expr, source, env)
    errors = result.errors or validate(parsed.expr, source, result, env)
    return Compiled(parsed.expr, source, result, tuple(errors))
