"""What the rows of the table of false friends make of an expression."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final

from crdlint.cel.errors import Code
from crdlint.kubecel.escaping import escape
from crdlint.kubecel.repair.choices import Choice
from crdlint.kubecel.repair.false_friends import ROWS
from crdlint.kubecel.repair.patterns import compiled
from crdlint.yaml.edit import Edit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.kubecel.repair.false_friends import Row
    from crdlint.kubecel.repair.patterns import Match, Text
    from crdlint.kubecel.repair.state import State

_MOST_ALONE: Final = 4  # matches of a row that are rewritten one at a time
_PART: Final = re.compile(r"\{([A-Za-z]+'?)\}")
_OPERATOR: Final = re.compile(r"[}')\d] (\S+) ")
# The tokens beside which an operator needs no brackets: for a comparison, and for others.
_AROUND_COMPARISON: Final = frozenset({"", "(", "[", "{", ",", "&&", "||", "?", ":", ")", "]", "}"})
_AROUND: Final = _AROUND_COMPARISON - {"&&", "||", "?", ":"}


def variables(text: Text, offset: int) -> list[str]:
    """Return the variables at an offset, those of the innermost macro first, and `self` last."""
    names: list[str] = []
    for match in text.matches("( v ,"):
        is_call = match.start and text.tokens[match.start - 1].is_a("v")
        closing = text.closing.get(match.start)
        end = len(text.text) if closing is None else text.tokens[closing].start
        if is_call and text.tokens[match.start].start < offset <= end:
            names.append(text.part(match, "v"))
    return [*dict.fromkeys(reversed(names)), "self"]


def rewritten(text: Text, state: State, scope: list[str]) -> Iterator[Choice]:
    """Yield what each row makes of an expression."""
    errors = state.compiled.errors
    unknown = [each.problem.args[0] for each in errors if each.problem.code is Code.UNDECLARED_REFERENCE]
    for row in candidates(text):
        yield from _rewritten(row, text, state, {"scope": scope, "u": unknown})


def candidates(text: Text) -> Iterator[Row]:
    """Return the rows that may match an expression, in order: those whose rarest token it has, or that have none."""
    index = _rows_by_word()
    numbers = (number for word in ("", *text.words) for number in index.get(word, ()))
    return (ROWS[number] for number in sorted(numbers))


@cache
def _rows_by_word() -> dict[str, list[int]]:
    """Return the numbers of the rows by the token that the fewest rows have, "" for rows that match any tokens."""
    fixed = [compiled(row.written)[1] for row in ROWS]
    counts = Counter(word for words in fixed for word in words)
    index: dict[str, list[int]] = {}
    for number, words in enumerate(fixed):
        index.setdefault(min(sorted(words), key=counts.__getitem__, default=""), []).append(number)
    return index


def _rewritten(row: Row, text: Text, state: State, names: dict[str, list[str]]) -> Iterator[Choice]:
    """Yield what a row makes of each match in an expression that is not parsed, and of the wrong part of others."""
    matches = list(text.matches(row.written))
    if state.is_parsed and state.error is not None and not row.is_everywhere:
        matches = [each for each in matches if _covers(text, each, state.offset)]
    groups = [matches, *([match] for match in matches[:_MOST_ALONE] if len(matches) > 1)] if matches else []
    for group in groups:
        alternatives = []
        for template in row.meant:
            placeholder = next((each for each in names if f"{{{each}}}" in template), None)
            for name in [""] if placeholder is None else names[placeholder]:
                filled = template if placeholder is None else template.replace(f"{{{placeholder}}}", name)
                alternatives.append(tuple(_edit(text, match, row.written, filled) for match in group))
        yield Choice(tuple(alternatives), row.is_certain)


def _covers(text: Text, match: Match, offset: int) -> bool:
    start, end = text.span(match.start, match.end)
    return start <= offset < end


def _edit(text: Text, match: Match, pattern: str, template: str) -> Edit:
    """Return the edit that writes a template in place of the match of a pattern."""

    def part(name: re.Match[str]) -> str:
        value = text.part(match, name[1])
        is_field = name[1] == "s'" and template[: name.start()].endswith(".")
        return escape(value) or value if is_field else value

    new = _PART.sub(part, template)
    operators = {sign[1] for sign in _OPERATOR.finditer(template)}
    around = _AROUND if operators & {"&&", "||", "?"} else _AROUND_COMPARISON
    before = text.tokens[match.start - 1].text if match.start else ""
    after = text.tokens[match.end].text if match.end < len(text.tokens) else ""
    if operators and not operators <= set(pattern.split()) and not {before, after} <= around:
        new = f"({new})"
    return Edit(*text.span(match.start, match.end), new)
