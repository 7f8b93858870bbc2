"""What is said before evaluation of `'...'.format([...])` with literals (cel-go's stringFormatValidator, ext/formatting.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.cel import ast
from crdlint.cel.library.format_syntax import CLAUSES, FormatSyntaxError, pieces
from crdlint.cel.library.strings import FORMAT_OVERLOAD
from crdlint.cel.types import DYN, Kind

if TYPE_CHECKING:
    from crdlint.cel.checker import CheckResult
    from crdlint.cel.library.format_syntax import Accepted
    from crdlint.cel.types import Type
    from crdlint.cel.validators import Checked, Findings


def format_literals(checked: Checked) -> Findings:
    """Find format calls that fail, with the texts of versions 1 to 3 of the strings library.

    An environment with this validator exempts `format` from the validator of homogeneous literals.
    """
    for node in checked.nodes:
        if type(node) is not ast.Call or node.function != "format" or not _is_format(node, checked.result):
            continue
        text, args = node.target, node.args[0]
        if type(text) is ast.Literal and type(text.value) is str and type(args) is ast.ListExpr:
            yield from _check(node.id, text.value, args.elements, checked.result)


def _is_format(call: ast.Call, result: CheckResult) -> bool:
    if call.id in result.namespaced or len(call.args) != 1:
        return False
    reference = result.reference_map.get(call.id)
    return reference is None or not reference.overload_ids or FORMAT_OVERLOAD in reference.overload_ids


def _check(call_id: int, text: str, args: list[ast.Expr], result: CheckResult) -> Findings:
    index = 0
    try:
        for piece in pieces(text, len(args), static=True):
            if isinstance(piece, str):
                continue
            accepted = CLAUSES[piece.verb]
            refused = _refused(args[index], result, accepted, deep=piece.verb == "s")
            if refused is not None:
                yield refused, accepted.refusal(_type_of(refused, result).name)
                return
            index += 1
    except FormatSyntaxError as error:
        yield call_id, str(error)
        return
    if len(args) > index:
        yield call_id, f"too many arguments supplied to string.format (expected {index}, got {len(args)})"


def _refused(arg: ast.Expr, result: CheckResult, accepted: Accepted, *, deep: bool) -> int | None:
    """Return the id of the first node, the literals' elements included if deep, that the clause does not take."""
    stack = [arg]
    while stack:
        node = stack.pop()
        type_ = _type_of(node.id, result)
        if type_.kind is not Kind.DYN and type_.kind not in accepted.kinds:
            return node.id
        if not deep:
            continue
        if type(node) is ast.ListExpr:
            stack.extend(reversed(node.elements))
        elif type(node) is ast.MapExpr:
            stack.extend(part for entry in reversed(node.entries) for part in (entry.value, entry.key))
    return None


def _type_of(node_id: int, result: CheckResult) -> Type:
    return result.type_map.get(node_id, DYN)
