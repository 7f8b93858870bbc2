"""Recognition of rules that compare an object with its old state, by their syntax trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.cel.ast import Call, Ident, Select, nodes
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
