"""Common shapes of rules, by their syntax trees: comparisons with the old state, and limits that a schema can express."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.ast import Call, Ident, ListExpr, Literal, Select, nodes
from crdlint.kubecel.compilation import OLD_SELF, SELF

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr


def keeps_value(expr: Expr) -> bool:
    """Return whether an expression is `self == oldSelf`, in either order."""
    if not isinstance(expr, Call) or expr.function != "_==_":
        return False
    return {arg.name for arg in expr.args if isinstance(arg, Ident)} == {SELF, OLD_SELF}


def fields_beside_old_self(expr: Expr) -> frozenset[str]:
    """Return the fields that an expression selects or tests, in CEL's spelling; none if it does not mention oldSelf."""
    all_nodes = list(nodes(expr))
    if not any(isinstance(node, Ident) and node.name == OLD_SELF for node in all_nodes):
        return frozenset()
    return frozenset(node.field for node in all_nodes if isinstance(node, Select))


# A comparison with its sides exchanged.
_FLIPPED: Final = {"_>=_": "_<=_", "_<=_": "_>=_", "_>_": "_<_", "_<_": "_>_"}
_LOWER: Final = frozenset({"_>=_", "_>_"})
_STRICT: Final = frozenset({"_>_", "_<_"})
# The keywords for the least and the greatest size of a value, by its type.
_OF_SIZE: Final = {
    "string": ("minLength", "maxLength"), "array": ("minItems", "maxItems"), "object": ("minProperties", "maxProperties"),
}  # fmt: skip


def keywords_for(expr: Expr, type_: str, format_: str) -> dict[str, Any]:
    """Return the keywords that express the same as a rule on a schema of a type and format, none if there are none."""
    if not isinstance(expr, Call):
        return {}
    if expr.function == "matches" and _is_self(expr.target) and isinstance(expr.args[0], Literal):
        return {"pattern": expr.args[0].value} if type_ == "string" else {}
    if expr.function == "@in" and _is_self(expr.args[0]) and isinstance(expr.args[1], ListExpr):
        values = [element.value for element in expr.args[1].elements if isinstance(element, Literal)]
        return {"enum": values} if values and len(values) == len(expr.args[1].elements) else {}
    return _limit(expr, type_, format_) if expr.function in _FLIPPED else {}


def _limit(expr: Call, type_: str, format_: str) -> dict[str, Any]:
    """Return the keywords for a comparison of the value or its size with a number."""
    (left, right), comparison = expr.args, expr.function
    if isinstance(left, Literal):
        left, right, comparison = right, left, _FLIPPED[comparison]
    if not isinstance(right, Literal) or not isinstance(right.value, int | float):
        return {}
    limit, is_lower, is_strict = right.value, comparison in _LOWER, comparison in _STRICT
    if _is_self(left) and type_ == "number":
        name = "inimum" if is_lower else "aximum"
        return {f"m{name}": limit} | ({f"exclusiveM{name}": True} if is_strict else {})
    if is_strict:
        limit += 1 if is_lower else -1
    if _is_self(left) and type_ == "integer":
        return {"minimum" if is_lower else "maximum": limit}
    of_value = isinstance(left, Call) and left.function == "size" and _is_self(left.target or left.args[0])
    if (
        not of_value or type_ not in _OF_SIZE or format_ == "byte" or limit < 0
    ):  # the size of bytes is that of the decoded text
        return {}
    return {_OF_SIZE[type_][not is_lower]: limit}


def _is_self(expr: Expr | None) -> bool:
    return isinstance(expr, Ident) and expr.name == SELF
