"""Declarations of variables and functions, with their implementations and costs (cel-go's common/decls)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from crdlint.cel.types import Kind, Type

if TYPE_CHECKING:
    from crdlint.cel.ast import Value
    from crdlint.cel.estimates import FunctionEstimator

FunctionTracker: TypeAlias = Callable[[Sequence[Any], Any], int | None]

# The standard functions that convert between types. A call with a constant is evaluated when a program is made.
CONVERSIONS: Final = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"}
)


class DeclarationError(ValueError):
    """A declaration contradicts another."""


class Variable(NamedTuple):
    """A name and its type; a constant has a value."""

    name: str
    type: Type
    value: Value = None


class Implementation(NamedTuple):
    """A Python function that implements an overload, or all overloads of a function.

    It takes the values by position and returns one, an `Error` among them, or raises `FunctionError`. One that is not
    `strict` is also given errors; one that is not `guarded` checks the types of its values itself; `variadic` says that
    cel-go binds it as a function of any count, which stops evaluating arguments after an error.
    """

    call: Callable[..., Any]
    strict: bool = True
    guarded: bool = True
    variadic: bool = False


Binding: TypeAlias = Callable[..., Any] | Implementation


class CallCost(NamedTuple):
    """The cost of calls in cost units: bounds of it before evaluation, and what one call costs at run time.

    Either function may return None to leave the cost to the next in turn: the standard costs at last. With
    ``in_advance`` the cost does not depend on the result, and a call beyond the limit is not made.
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
    """A function of which a constant regular expression is compiled once (interpreter.RegexOptimization).

    The expression is the argument at index ``argument``, the target counted. ``compile`` takes it and returns the function of all
    arguments; it raises PlanError.
    """

    function: str
    argument: int
    compile: Callable[[str], Callable[..., Any]]


class Function(NamedTuple):
    """A function's overloads, in the order in which they are tried."""

    name: str
    overloads: tuple[Overload, ...]


def overload(
    function: str,
    id_: str,
    args: tuple[Type, ...],
    result: Type,
    call: Binding | None = None,
    cost: CallCost | None = None,
) -> Overload:
    """Declare a global overload, with the function that implements it."""
    return _declared(function, id_, args, result, call, cost, member=False)


def member(
    function: str,
    id_: str,
    args: tuple[Type, ...],
    result: Type,
    call: Binding | None = None,
    cost: CallCost | None = None,
) -> Overload:
    """Declare a member overload, with the function that implements it."""
    return _declared(function, id_, args, result, call, cost, member=True)


def _declared(
    function: str,
    id_: str,
    args: tuple[Type, ...],
    result: Type,
    call: Binding | None,
    cost: CallCost | None,
    *,
    member: bool,
) -> Overload:
    implementation = None if call is None else bound(call)
    return Overload(function, id_, args, result, member, _param_names((*args, result)), implementation, cost)


def bound(call: Binding) -> Implementation:
    """Return the implementation that a plain function is."""
    return call if isinstance(call, Implementation) else Implementation(call)


def merge(function: Function | None, added: Overload) -> Function:
    """Return the function with one more overload; raises DeclarationError on a collision (AddOverload)."""
    if function is None:
        return Function(added.function, (added,))
    for known in function.overloads:
        if known.id == added.id:
            if _same_signature(known, added):
                return function
            text = f"overload redefinition in function. {function.name}: {added.id} has multiple definitions"
            raise DeclarationError(text)
        if _overlaps(known, added):
            text = f"overload signature collision in function {function.name}: {known.id} collides with {added.id}"
            raise DeclarationError(text)
    return Function(function.name, (*function.overloads, added))


def _same_signature(first: Overload, second: Overload) -> bool:
    return (
        first.member is second.member
        and len(first.args) == len(second.args)
        and all(map(Type.is_equivalent, first.args, second.args))
        and first.result.is_equivalent(second.result)
    )


def _overlaps(first: Overload, second: Overload) -> bool:
    return (
        first.member is second.member
        and len(first.args) == len(second.args)
        and all(one.accepts(other) or other.accepts(one) for one, other in zip(first.args, second.args, strict=True))
    )


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
