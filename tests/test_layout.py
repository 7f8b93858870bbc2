"""Long calls and signatures stand one argument a line, so that each of them is read by itself."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final

from sources import Source, sources

if TYPE_CHECKING:
    from collections.abc import Iterator

# A signature with so many parameters, beside `self`, has one a line.
MANY_PARAMETERS: Final = 4
# A call with so many arguments has one a line if it is wider than so many columns.
MANY_ARGUMENTS: Final = 4
WIDE: Final = 60
# So many named arguments of a call stand one a line.
MANY_NAMED: Final = 3

Function = ast.FunctionDef | ast.AsyncFunctionDef


def parameters(function: Function) -> list[ast.arg]:
    """Return the parameters of a function, without `self` and `cls`."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if positional and positional[0].arg in ("self", "cls"):
        del positional[0]
    rest = [arguments.vararg, arguments.kwarg]
    return [*positional, *arguments.kwonlyargs, *filter(None, rest)]


def is_crowded(parts: list[ast.arg] | list[ast.expr | ast.keyword]) -> bool:
    """Return whether two of the parts begin on one line."""
    lines = {part.lineno for part in parts}
    return len(lines) < len(parts)


def has_many_arguments(call: ast.Call) -> bool:
    """Return whether the arguments of a call are to stand one a line."""
    if len(call.keywords) >= MANY_NAMED:
        return True
    is_wide = call.lineno != call.end_lineno or (call.end_col_offset or 0) - call.col_offset > WIDE
    return is_wide and len(call.args) + len(call.keywords) >= MANY_ARGUMENTS


def rows(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the values of tuples, lists, sets and maps: a call among them is a row of a table."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            yield from node.elts
        elif isinstance(node, ast.Dict):
            yield from node.values
        elif isinstance(node, ast.Starred):
            yield node.value


def laid_out_by_hand(text: str) -> Iterator[int]:
    """Yield the 1-based lines of a module's tables, which ruff format leaves as they are."""
    is_off = False
    for number, line in enumerate(text.splitlines(), 1):
        if "# fmt: off" in line:
            is_off = True
        elif "# fmt: on" in line:
            is_off = False
        if is_off or "# fmt: skip" in line:
            yield number


def should_stand_apart(node: ast.AST) -> bool:
    """Return whether a signature or call has many arguments, two of which begin on one line."""
    if isinstance(node, Function):
        given = parameters(node)
        return len(given) >= MANY_PARAMETERS and is_crowded(given)
    if isinstance(node, ast.Call):
        arguments: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        return has_many_arguments(node) and is_crowded(arguments)
    return False


def crowded(source: Source) -> Iterator[int]:
    """Yield the 1-based lines of the signatures and calls that should stand one argument a line."""
    of_tables = {id(row) for row in rows(source.tree)}
    by_hand = set(laid_out_by_hand(source.text))
    for node in ast.walk(source.tree):
        if id(node) in of_tables or not should_stand_apart(node):
            continue
        line = getattr(node, "lineno", 0)
        if line not in by_hand:
            yield line


def test_long_calls_and_signatures_have_one_argument_a_line() -> None:
    places = [f"{name}:{line}" for name, source in sources().items() for line in crowded(source)]
    assert not places, "end the arguments with a comma: ruff format then writes one a line"


def test_what_is_crowded() -> None:
    text = """
def few(self, a, b, c): pass
def many(a, b, c, d): pass
short(a, b, c, d)
wide_call_of_a_function(first_argument, second_argument, third_argument, fourth)
named(a=1, b=2, c=3)
TABLE = [row(a=1, b=2, c=3)]
BY_HAND = row(a=1, b=2, c=3)  # fmt: skip
"""
    assert list(crowded(Source(text, ast.parse(text)))) == [3, 5, 6]
