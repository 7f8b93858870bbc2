"""Declarations of variables and functions (cel-go's common/decls)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crdlint.cel.types import Kind, Type

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.cel.ast import Value


class DeclarationError(ValueError):
    """A declaration contradicts another."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A name and its type; a constant has a value."""

    name: str
    type: Type
    value: Value = None


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature of a function; the first argument of a member overload is its target."""

    function: str
    id: str
    args: tuple[Type, ...]
    result: Type
    member: bool
    params: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function's overloads, in the order in which they are tried."""

    name: str
    overloads: tuple[Overload, ...]


def overload(function: str, id_: str, args: tuple[Type, ...], result: Type) -> Overload:
    """Declare a global overload."""
    return Overload(function, id_, args, result, member=False, params=_param_names((*args, result)))


def member(function: str, id_: str, args: tuple[Type, ...], result: Type) -> Overload:
    """Declare a member overload."""
    return Overload(function, id_, args, result, member=True, params=_param_names((*args, result)))


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
