"""Common shapes of rules, by their syntax trees: comparisons with the old state, and limits that a schema can express."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

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


# The keywords for comparisons of the value itself with a constant, and of its size.
_OF_VALUE: Final = {"_>=_": "minimum", "_<=_": "maximum", "_>_": "exclusiveMinimum", "_<_": "exclusiveMaximum"}
_OF_SIZE: Final = {
    "string": {"_>=_": "minLength", "_<=_": "maxLength"},
    "array": {"_>=_": "minItems", "_<=_": "maxItems"},
    "object": {"_>=_": "minProperties", "_<=_": "maxProperties"},
}


def keyword_for(expr: Expr, type_: str) -> str:
    """Return the keyword of a schema of a type that expresses the same as a rule, empty if there is none."""
    if not isinstance(expr, Call):
        return ""
    if expr.function == "matches" and _is_self(expr.target) and isinstance(expr.args[0], Literal):
        return "pattern" if type_ == "string" else ""
    if expr.function == "@in" and _is_self(expr.args[0]) and isinstance(expr.args[1], ListExpr):
        return "enum" if all(isinstance(element, Literal) for element in expr.args[1].elements) else ""
    if expr.function not in _OF_VALUE or not isinstance(expr.args[1], Literal):
        return ""
    if _is_self(expr.args[0]):
        return _OF_VALUE[expr.function] if type_ in {"integer", "number"} else ""
    sized = expr.args[0]
    if isinstance(sized, Call) and sized.function == "size" and _is_self(sized.target or sized.args[0]):
        return _OF_SIZE.get(type_, {}).get(expr.function, "")
    return ""


def _is_self(expr: Expr | None) -> bool:
    return isinstance(expr, Ident) and expr.name == SELF
