"""What the checker lets through, and validators reject. Upstream: cel-go's cel/validator.go.

A validator takes a checked expression and yields (node id, problem). An environment lists its validators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from crdlint.cel import ast
from crdlint.cel.ast import Expr, SourceInfo, children
from crdlint.cel.checker import CheckResult
from crdlint.cel.decls import Env
from crdlint.cel.errors import CELError, CodedMessage, ErrorCode, type_mismatch
from crdlint.cel.eval.values import MAX_TIMESTAMP, MIN_TIMESTAMP
from crdlint.cel.types import Type
from crdlint.light import dataclass

Issues: TypeAlias = Iterator[tuple[int, CodedMessage]]


@dataclass(frozen=True, slots=True)
class CheckedExpr:
    """A checked expression with its nodes in post-order."""

    nodes: Sequence[ast.Expr]
    result: CheckResult
    env: Env


def validate(
    expr: ast.Expr,
    source: SourceInfo,
    result: CheckResult,
    env: Env,
) -> list[CELError]:
    """Run the validators of the environment on an expression without type errors, and return the errors. Upstream: Env.Check."""
    if not env.validators:
        return []
    checked = CheckedExpr(_post_order(expr, result), result, env)
    return [
        CELError(source.location_of(id_), problem, id_)
        for validator in env.validators
        for id_, problem in validator(checked)
    ]


def duration_literals(checked: CheckedExpr) -> Issues:
    """Yield literals that `duration()` does not accept. Upstream: cel.ValidateDurationLiterals."""
    return _literal_args(checked, "duration", _is_duration)


def timestamp_literals(checked: CheckedExpr) -> Issues:
    """Yield literals that `timestamp()` does not accept. Upstream: cel.ValidateTimestampLiterals."""
    return _literal_args(checked, "timestamp", _is_timestamp)


def regex_literals(checked: CheckedExpr) -> Issues:
    """Yield constant arguments of `matches` that are not regular expressions. Upstream: cel.ValidateRegexLiterals."""
    return _literal_args(checked, "matches", _may_be_regex)


def homogeneous_literals(checked: CheckedExpr) -> Issues:
    """Yield list and map literals of mixed types. Upstream: cel.ValidateHomogeneousAggregateLiterals."""
    exempt = _exempt(checked)
    literals = [node for node in checked.nodes if node.id not in exempt]
    for node in literals:
        if type(node) is ast.ListExpr:
            optional = node.optional_indices
            yield from islice(
                _mixed(checked, [[(part, i in optional)] for i, part in enumerate(node.elements)]),
                1,
            )
    for node in literals:
        if type(node) is ast.MapExpr:
            yield from _mixed(
                checked, [[(part.key, False), (part.value, part.optional)] for part in node.entries]
            )


def _mixed(checked: CheckedExpr, rows: Sequence[Sequence[tuple[Expr, bool]]]) -> Issues:
    """Yield the parts of the rows of a literal that differ in type from those of the first; some are optional."""
    for row in rows[1:]:
        for pair in zip(rows[0], row, strict=True):
            expected, actual = (
                _type_of(part, checked, optional=optional) for part, optional in pair
            )
            if not expected.is_equivalent(actual):
                yield pair[1][0].id, type_mismatch(expected, actual, checked.env.dialect)


def _type_of(part: Expr, checked: CheckedExpr, *, optional: bool) -> Type:
    type_ = checked.result.type_map[part.id]
    return type_.params[0] if optional and type_.params else type_


def _is_duration(value: ast.Value) -> bool:
    from crdlint.golang.times import parse_duration  # few rules have such literals

    return type(value) is str and parse_duration(value) is not None


def _may_be_regex(value: ast.Value) -> bool:
    from crdlint.golang.regexp import compile_error

    return not isinstance(value, str) or compile_error(value) is None


def _is_timestamp(value: ast.Value) -> bool:
    from crdlint.golang.times import TimeError, parse_time

    if type(value) is str:
        try:
            value = parse_time(value).seconds
        except TimeError:
            return False
    return not isinstance(value, int) or MIN_TIMESTAMP <= value <= MAX_TIMESTAMP


def _literal_args(
    checked: CheckedExpr, function: str, valid: Callable[[ast.Value], bool]
) -> Issues:
    for node in checked.nodes:
        if type(node) is ast.Call and node.args and checked.result.function(node) == function:
            literal = node.args[0]
            if type(literal) is ast.Literal and not valid(literal.value):
                yield (
                    literal.id,
                    CodedMessage(
                        f"invalid {function} argument", ErrorCode.INVALID_LITERAL, (function,)
                    ),
                )


def _exempt(checked: CheckedExpr) -> set[int]:
    """Return the ids of nodes inside the arguments of exempt functions; unless all are exempt, only through literals."""
    ids: set[int] = set()
    stack = [(checked.nodes[-1], False)]
    while stack:
        node, is_exempt = stack.pop()
        if is_exempt:
            ids.add(node.id)
        through = checked.env.dialect.exempts_whole_format_arguments or type(node) in (
            ast.ListExpr,
            ast.MapExpr,
        )
        below = (is_exempt and through) or (
            type(node) is ast.Call and checked.result.function(node) in checked.env.exempt
        )
        stack += ((child, below) for child in _children(node, checked.result))
    return ids


def _post_order(root: ast.Expr, result: CheckResult) -> list[ast.Expr]:
    mirrored: list[ast.Expr] = []
    stack = [root]
    while stack:
        node = stack.pop()
        mirrored.append(node)
        stack += _children(node, result)
    return mirrored[::-1]


def _children(node: ast.Expr, result: CheckResult) -> list[ast.Expr]:
    """Return the children of a node that are evaluated, which excludes the parts of a qualified name."""
    if isinstance(node, ast.Call) and node.id in result.namespaced:
        return node.args
    return (
        [] if isinstance(node, ast.Select) and node.id in result.reference_map else children(node)
    )
