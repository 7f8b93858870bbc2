"""Declarations of libraries, their usual costs, and Kubernetes' CEL types. Upstream: apiserver pkg/cel/environment."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from crdlint.cel import decls, estimates
from crdlint.cel.ast import Expr
from crdlint.cel.decls import CallCost, Overload, member
from crdlint.cel.dialect import CELDialect
from crdlint.cel.errors import NO_OVERLOAD, Error, FunctionError
from crdlint.cel.estimates import (
    STRING_FACTOR,
    ASTNode,
    CallEstimate,
    Estimate,
    FunctionEstimator,
    size_of,
)
from crdlint.cel.eval.cost import actual_size, of_match
from crdlint.cel.types import BOOL, INT, Type, object_type, opaque_type
from crdlint.kubernetes.servers import Version
from crdlint.light import NamedTuple

Macros: TypeAlias = "Mapping[tuple[str, int, bool], Callable[..., Expr]]"

ALWAYS: Final = (1, 0)
_NONE: Final[Mapping[Any, Any]] = {}


class Library(NamedTuple):
    """A library or an option of the environment.

    `name`: its name.
    `introduced`, `removed`: the Kubernetes versions that introduced and removed it.
    `has`: returns whether a dialect has it at all.
    `types`: the types that it declares.
    `functions`: the overloads of its functions.
    `docs`: one sentence for each function.
    `later`: the libraries with functions that were added to this one.
    `macros`: its macros.
    `validators`: further checks of checked expressions.
    `exempt`: functions whose arguments the validator of homogeneous literals does not check.
    `cross_type_comparisons`: whether it lets numbers of different types be compared.
    `optional_syntax`: whether it lets the parser read `.?` and `[?`.
    `costs`: costs by function name, also for calls that match several overloads. The declaration of an
        overload contains the cost of that overload only.
    `older_bindings`: returns what implements overloads on an older server, by their ids.
    `older_costs`: returns the costs that differ on an older server, by function name.
    `equality`: estimates `==` of values of its types.
    `regexes`: the functions whose constant regular expression is compiled once.
    """

    name: str
    introduced: Version
    removed: Version | None = None
    has: Callable[[CELDialect], bool] = lambda _dialect: True
    types: tuple[decls.Variable, ...] = ()
    functions: tuple[Overload, ...] = ()
    docs: Mapping[str, str] = _NONE
    later: tuple[Library, ...] = ()
    macros: Macros = _NONE
    validators: tuple[decls.Validator, ...] = ()
    exempt: tuple[str, ...] = ()
    cross_type_comparisons: bool = False
    optional_syntax: bool = False
    costs: Mapping[str, CallCost] = _NONE
    older_bindings: Callable[[CELDialect], Mapping[str, decls.Binding]] = lambda _dialect: _NONE
    older_costs: Callable[[CELDialect], Mapping[str, CallCost]] = lambda _dialect: _NONE
    equality: Mapping[Type, FunctionEstimator] = _NONE
    regexes: Mapping[str, Callable[..., Any]] = _NONE


def accepts(parse: Callable[..., Any]) -> Callable[..., bool]:
    """Return a function that returns whether `parse` accepts its arguments, that is, does not raise FunctionError."""

    def is_accepted(*arguments: Any) -> bool:
        try:
            parse(*arguments)
        except FunctionError:
            return False
        return True

    return is_accepted


def ordering(type_: Type, prefix: str) -> tuple[Overload, ...]:
    """Return the functions that compare two values of a type by its method `compare`; ids begin with `prefix`."""
    types = (type_, type_)
    return (
        member(
            "isGreaterThan",
            f"{prefix}_is_greater_than",
            types,
            BOOL,
            lambda left, right: left.compare(right) > 0,
        ),
        member(
            "isLessThan",
            f"{prefix}_is_less_than",
            types,
            BOOL,
            lambda left, right: left.compare(right) < 0,
        ),
        member(
            "compareTo",
            f"{prefix}_compare_to",
            types,
            INT,
            lambda left, right: left.compare(right),
        ),
    )


def constant(estimate: Estimate = estimates.ONE) -> FunctionEstimator:
    """Return an estimator with a constant cost."""
    cost = CallEstimate(estimate)
    return lambda _estimator, _nodes: cost


def of_sizes(operands: int, cost: Callable[..., CallEstimate]) -> FunctionEstimator:
    """Return an estimator by the sizes of the first operands."""
    return lambda estimator, nodes: cost(*(size_of(estimator, node) for node in nodes[:operands]))


def reading(factor: float) -> FunctionEstimator:
    """Return an estimator by the size of the first operand."""
    return of_sizes(1, lambda size: CallEstimate(size.scaled(factor)))


def reads(operand: int = 0, times: int = 1) -> decls.FunctionTracker:
    """Return the cost at run time of reading the target or an argument some times."""
    return lambda values, _result: math.ceil(
        float(actual_size(values[operand])) * times * STRING_FACTOR
    )


CONSTANT: Final = CallCost(constant(), lambda _values, _result: 1)
ARGUMENT: Final = CallCost(reading(STRING_FACTOR), reads())
READ: Final = CallCost(of_sizes(1, lambda text: CallEstimate(text.traversal(), text)), reads())
ARGUMENT_TWICE: Final = CallCost(reading(2 * STRING_FACTOR), reads(times=2))

# Costs of cel-go since 0.29: of `startsWith` and `endsWith` by the argument, and of `matches` however it is called.
AFFIXES: Final = dict.fromkeys(
    ("startsWith", "endsWith"), CallCost(lambda _estimator, _nodes: None, reads(1))
)
MATCHES: Final = {
    "matches": CallCost(
        of_sizes(2, lambda *sizes: CallEstimate(estimates.match_cost(*sizes))), of_match
    )
}


def element_of(node: ASTNode) -> ASTNode | None:
    """Return the node for the elements of a list, or None for other values."""
    if not node.type.params:
        return None
    return ASTNode(
        [*node.path, "@items"] if node.path else (),
        node.type.params[0],
        None,
        None,
    )


URL_TYPE: Final = object_type("kubernetes.URL")
QUANTITY: Final = object_type("kubernetes.Quantity")
SEMVER: Final = object_type("kubernetes.Semver")
NAMED_FORMAT: Final = object_type("kubernetes.NamedFormat")
IP_TYPE: Final = opaque_type("net.IP")
CIDR_TYPE: Final = opaque_type("net.CIDR")


class Opaque:
    """A value that can only be compared with values of the same type."""

    __slots__ = ()

    def cel_equal(self, other: object) -> bool | Error:
        """Return whether the other is equal, or an error if it has another type."""
        return self == other if type(other) is type(self) else NO_OVERLOAD
