"""The place of a bracket that is missing in an expression, found by compiling the expression with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.cel.compiler import compile_text
from crdlint.cel.types import BOOL, STRING
from crdlint.kubecel.compilation import MESSAGE

if TYPE_CHECKING:
    from crdlint.kubecel.compilation import Expression
    from crdlint.safety.work import Effort

_TOKEN: Final = re.compile(r"'(?:[^'\\\n]|\\.)*'?|\"(?:[^\"\\\n]|\\.)*\"?|\w+|[^\w\s]")
_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_MOST_TOKENS: Final = 100  # after the bracket
_SHOWN: Final = 40  # characters of the expression in a help


class MissingBracket(NamedTuple):
    """An opening bracket that is not closed, its closing one, and the offset in the expression where that belongs."""

    opening: str
    closing: str
    offset: int

    def help(self, text: str) -> str:
        """Return the help for the expression `text`."""
        before = text[: self.offset]
        shown = before if len(before) <= _SHOWN else f"...{before[-_SHOWN:]}"
        return f"Close the `{self.opening}`: write `{self.closing}` after `{' '.join(shown.split())}`"


def missing_bracket(expression: Expression, effort: Effort) -> MissingBracket | None:
    """Return the only bracket that is missing in an expression, None if the expression does not compile with it either."""
    text = expression.text
    tokens = list(_TOKEN.finditer(text))
    opened: list[re.Match[str]] = []
    for token in tokens:
        if token[0] in _CLOSING:
            opened.append(token)
        elif token[0] in _CLOSING.values() and (not opened or _CLOSING[opened.pop()[0]] != token[0]):
            return None
    if len(opened) != 1:
        return None
    opening = opened[0]
    ends = [token.end() for token in tokens if token.start() >= opening.start()]
    expected = STRING if expression.kind is MESSAGE else BOOL
    for offset in (ends[-1], *ends[:_MOST_TOKENS]):
        if not effort.affords(len(text)):
            return None
        effort.spend(len(text))
        changed = text[:offset] + _CLOSING[opening[0]] + text[offset:]
        compiled = compile_text(changed, expression.env, expression.environment.parser)
        if not compiled.errors and compiled.output_type is expected:
            return MissingBracket(opening[0], _CLOSING[opening[0]], offset)
    return None
