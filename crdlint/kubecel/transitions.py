"""Rules that compare an object with its old state, by their syntax trees."""

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
    return {one.name for one in expr.args if isinstance(one, Ident)} == {SELF, OLD_SELF}


def fields_beside_old_self(expr: Expr) -> frozenset[str]:
    """Return the fields that an expression selects or tests, in CEL's spelling; none if it does not mention oldSelf."""
    found = list(nodes(expr))
    if not any(isinstance(one, Ident) and one.name == OLD_SELF for one in found):
        return frozenset()
    return frozenset(one.field for one in found if isinstance(one, Select))
