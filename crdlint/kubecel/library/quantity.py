"""Quantities such as `1.5Gi`. Upstream: apiserver pkg/cel/library/quantity.go."""

from __future__ import annotations

from operator import add, sub
from typing import TYPE_CHECKING, Final

from crdlint.cel.decls import member, overload
from crdlint.cel.eval.errors import FunctionError
from crdlint.cel.types import BOOL, DOUBLE, INT, STRING
from crdlint.kubecel.library.declaration import ARGUMENT, Library, accepts, constant, constant_for
from crdlint.kubecel.types.opaque import QUANTITY

if TYPE_CHECKING:
    from crdlint.kubecel.types.quantity import Quantity


def _quantity(text: str) -> Quantity:
    from crdlint.kubecel.types.quantity import parse_quantity

    return parse_quantity(text)


def _as_integer(value: Quantity) -> int:
    if value.integer is None:
        raise FunctionError("cannot convert value to integer")
    return value.integer


LIBRARY: Final = Library(
    "quantity",
    introduced=(1, 28),
    functions=(
        overload("quantity", "string_to_quantity", (STRING,), QUANTITY, _quantity),
        overload("isQuantity", "is_quantity_string", (STRING,), BOOL, accepts(_quantity)),
        overload("sign", "quantity_sign", (QUANTITY,), INT, lambda value: value.sign),
        member(
            *("isGreaterThan", "quantity_is_greater_than", (QUANTITY, QUANTITY), BOOL),
            lambda left, right: left.compare(right) > 0,
        ),
        member(
            *("isLessThan", "quantity_is_less_than", (QUANTITY, QUANTITY), BOOL),
            lambda left, right: left.compare(right) < 0,
        ),
        member("compareTo", "quantity_compare_to", (QUANTITY, QUANTITY), INT, lambda left, right: left.compare(right)),
        member(
            *("asApproximateFloat", "quantity_get_float", (QUANTITY,), DOUBLE), lambda value: value.approximate_float
        ),
        member("asInteger", "quantity_get_int", (QUANTITY,), INT, _as_integer),
        member("isInteger", "quantity_is_integer", (QUANTITY,), BOOL, lambda value: value.integer is not None),
        member("add", "quantity_add", (QUANTITY, QUANTITY), QUANTITY, add),
        member("add", "quantity_add_int", (QUANTITY, INT), QUANTITY, add),
        member("sub", "quantity_sub", (QUANTITY, QUANTITY), QUANTITY, sub),
        member("sub", "quantity_sub_int", (QUANTITY, INT), QUANTITY, sub),
    ),
    costs={
        "quantity": ARGUMENT,
        "isQuantity": ARGUMENT,
        **constant_for("sign", "asInteger", "isInteger", "asApproximateFloat"),
        **constant_for("isGreaterThan", "isLessThan", "compareTo", "add", "sub"),
    },
    older_costs=lambda dialect: {} if dialect.quantity_cost_by_length else constant_for("quantity", "isQuantity"),
    equality={QUANTITY: constant()},
)
