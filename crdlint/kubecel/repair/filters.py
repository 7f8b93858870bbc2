"""Macros over what filter() returns, written without it: the estimator knows no bounds of a filtered list."""

from __future__ import annotations

from typing import Final

from crdlint.kubecel.compilation import Expression
from crdlint.kubecel.repair.patterns import Match, Tokens
from crdlint.light import NamedTuple, regex
from crdlint.yaml.edit import Edit, apply

# What has the same value as a macro over a filtered list, by the macro.
_MEANT: Final = {
    "all": "{A}.all({v}, !({X}) || {Y})",
    "exists": "{A}.exists({v}, ({X}) && ({Y}))",
    "exists_one": "{A}.exists_one({v}, ({X}) && ({Y}))",
}
_SIMPLE: Final = regex(r"([\w.\[\]'\" -]+?) (==|!=) ([\w.\[\]'\" -]+)")
_NEGATED: Final = {"==": "!=", "!=": "=="}


class Unfiltered(NamedTuple):
    """A part of an expression with filter() (`old`), what to write instead, and the compiled result of the edit."""

    old: str
    new: str
    edit: Edit
    expression: Expression


def without_filter(expression: Expression) -> Unfiltered | None:
    """Return an expression without the first filter() below another macro; None if it has none or does not compile so."""
    text = Tokens(expression.text)
    for macro, template in _MEANT.items():
        for match in text.matches(f"A . filter ( v , X ) . {macro.replace('_', '')} ( w , Y )"):
            start, end = text.span(match.start, match.end)
            new = _written(text, match, template)
            edit = Edit(start, end, new)
            changed = expression.compiler.expression(
                apply(expression.text, [edit]),
                expression.kind,
                expression.environment,
                optional_old_self=expression.optional_old_self,
            )
            if changed.error is None:
                return Unfiltered(expression.text[start:end], new, edit, changed)
    return None


def _written(text: Tokens, match: Match, template: str) -> str:
    variable, other = text.part(match, "v"), text.part(match, "w")
    condition, inner = text.part(match, "X"), text.part(match, "Y")
    renamed = _renamed(inner, other, variable)
    simple = _SIMPLE.fullmatch(condition)
    if simple is not None and template is _MEANT["all"]:
        negated = f"{simple[1]} {_NEGATED[simple[2]]} {simple[3]}"
        return f"{text.part(match, 'A')}.all({variable}, {negated} || {_grouped(renamed)})"
    last = _grouped(renamed) if template is _MEANT["all"] else renamed
    return template.format(
        A=text.part(match, "A"),
        v=variable,
        X=condition,
        Y=last,
    )


def _renamed(condition: str, old: str, new: str) -> str:
    """Return a condition with another name for a variable, but not for fields and texts that are named like it."""
    tokens = Tokens(condition).tokens
    before = ["", *(token.text for token in tokens)]
    edits = [
        Edit(token.start, token.end, new)
        for token, previous in zip(tokens, before, strict=False)
        if token.text == old and previous not in {".", "?."}
    ]
    return apply(condition, edits)


def _grouped(condition: str) -> str:
    """Return a condition that can be an operand of `||`, in brackets if it has a conditional operator."""
    return f"({condition})" if "?" in condition else condition
