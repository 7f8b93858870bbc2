"""From the text of an expression to its checked tree (cel-go's Env.Compile)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from crdlint.cel.checker import CheckResult, check
from crdlint.cel.errors import display_errors
from crdlint.cel.parser import parse
from crdlint.cel.types import ERROR
from crdlint.cel.validators import validate

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr
    from crdlint.cel.env import Env
    from crdlint.cel.errors import CELError
    from crdlint.cel.parser import ParserOptions
    from crdlint.cel.source import SourceInfo
    from crdlint.cel.types import Type


@dataclass(frozen=True, slots=True)
class Compiled:
    """An expression with its types, or with the errors that it has; the tree is of use only where there are none."""

    expr: Expr
    source: SourceInfo
    result: CheckResult
    errors: tuple[CELError, ...]

    @property
    def output_type(self) -> Type:
        """The type of the whole expression."""
        return self.result.type_map.get(self.expr.id, ERROR)

    def display(self) -> str:
        """Return the errors as cel-go prints them."""
        return display_errors(self.errors, self.source)


def compile_text(text: str, env: Env, options: ParserOptions) -> Compiled:
    """Parse, check and validate an expression; what is wrong stands in the result."""
    parsed = parse(text, options=options)
    source = parsed.source_info
    if parsed.errors:
        return Compiled(parsed.expr, source, CheckResult(), tuple(parsed.errors))
    result = check(parsed.expr, source, env)
    errors = result.errors or validate(parsed.expr, source, result, env)
    if errors and not env.dialect.names_optional_type:
        errors = [replace(error, message=error.message.replace("optional_type(", "optional(")) for error in errors]
    return Compiled(parsed.expr, source, result, tuple(errors))
