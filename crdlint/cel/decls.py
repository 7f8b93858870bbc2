"""Declarations of variables and functions, with their implementations and costs. Upstream: cel-go's common/decls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

from crdlint.cel.ast import Value
from crdlint.cel.estimates import FunctionEstimator
from crdlint.cel.types import Kind, Type

FunctionTracker: TypeAlias = Callable[[Sequence[Any], Any], int | None]

# The standard functions that convert between types. A call with a constant is evaluated during planning.
CONVERSIONS: Final = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"}
)


class DeclarationError(ValueError):
    """A declaration conflicts with another one."""


class Variable(NamedTuple):
    """A name and its type, and the value if it is a constant."""

    name: str
    type: Type
    value: Value = None


class Implementation(NamedTuple):
    """A Python function that implements one overload, or all overloads of a function.

    It is called with positional values. It returns a value, which may be an `Error`, or raises `FunctionError`. If not
    `strict`, it is also called with errors as arguments. If not `guarded`, it checks the types of its arguments itself.
    If `variadic`, cel-go binds it as a function of any number of arguments, which stops evaluating arguments after an
    error.
    """

    call: Callable[..., Any]
    strict: bool = True
    guarded: bool = True
    variadic: bool = False


Binding: TypeAlias = Callable[..., Any] | Implementation


class CallCost(NamedTuple):
    """The cost of calls in cost units: an estimate with bounds before evaluation, and the cost of one call at run time.

    Either function may return None to defer to the next source of costs, finally to the standard costs. If
    `in_advance`, the cost does not depend on the result, and a call whose cost exceeds the limit is not made.
    """

    estimate: FunctionEstimator
    track: FunctionTracker
    in_advance: bool = False


class Overload(NamedTuple):
    """One signature of a function; the first argument of a member overload is its target."""

    function: str
    id: str
    args: tuple[Type, ...]
    result: Type
    member: bool
    params: tuple[str, ...]
    implementation: Implementation | None = None
    cost: CallCost | None = None


class RegexOptimization(NamedTuple):
    """A function whose constant regular expression is compiled once. Upstream: interpreter.RegexOptimization.

    `argument` is the index of the expression among the arguments, including the target. `compile` takes the expression
    and returns the function of all arguments, or raises PlanError.
    """

    function: str
    argument: int
    compile: Callable[[str], Callable[..., Any]]


class Function(NamedTuple):
    """The overloads of a function, in the order in which they are tried."""

    name: str
    overloads: tuple[Overload, ...]


def overload(
    function: str,
    id_: str,
    args: tuple[Type, ...],
    result: Type,
    call: Binding | None = None,
    cost: CallCost | None = None,
    *,
    is_member: bool = False,
) -> Overload:
    """Declare an overload, implemented by `call`."""
    implementation = None if call is None else bound(call)
    return Overload(function, id_, args, result, is_member, _param_names((*args, result)), implementation, cost)


member: Final = partial(overload, is_member=True)


def bound(call: Binding) -> Implementation:
    """Return the implementation for a plain function."""
    return call if isinstance(call, Implementation) else Implementation(call)


def merge(function: Function | None, added: Overload) -> Function:
    """Return the function with one more overload; raise DeclarationError on a collision. Upstream: FunctionDecl.AddOverload."""
    if function is None:
        return Function(added.function, (added,))
    for known in function.overloads:
        if known.id == added.id:
            if _match(known, added, Type.is_equivalent) and known.result.is_equivalent(added.result):
                return function
            text = f"overload redefinition in function. {function.name}: {added.id} has multiple definitions"
            raise DeclarationError(text)
        if _match(known, added, _overlap):
            text = f"overload signature collision in function {function.name}: {known.id} collides with {added.id}"
            raise DeclarationError(text)
    return Function(function.name, (*function.overloads, added))


def _match(first: Overload, second: Overload, test: Callable[[Type, Type], bool]) -> bool:
    """Return whether two overloads are called alike, and `test` accepts each pair of arguments."""
    return (
        first.member is second.member
        and len(first.args) == len(second.args)
        and all(map(test, first.args, second.args))
    )


def _overlap(left: Type, right: Type) -> bool:
    return left.accepts(right) or right.accepts(left)


def _param_names(types: Iterable[Type]) -> tuple[str, ...]:
    names: dict[str, None] = {}
    pending = list(types)[::-1]
    while pending:
        type_ = pending.pop()
        if type_.kind is Kind.TYPE_PARAM:
            names[type_.name] = None
        elif type_.free:
            pending.extend(reversed(type_.params))
    return tuple(names)
