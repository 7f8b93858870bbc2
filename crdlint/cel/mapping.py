"""Type parameters, what they stand for, and assignability (cel-go's checker/types.go and mapping.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.types import DYN, Kind, Type

if TYPE_CHECKING:
    from collections.abc import Sequence

_LEGACY_NULLABLE: Final = (Kind.OPAQUE, Kind.STRUCT, Kind.ANY, Kind.DURATION, Kind.TIMESTAMP)
_COMPOSITE: Final = (Kind.OPAQUE, Kind.LIST, Kind.MAP)


class Mapping:
    """What each type parameter stands for, with a trail so that a failed unification leaves nothing behind."""

    __slots__ = ("_bound", "_trail")

    def __init__(self) -> None:
        self._bound: dict[str, Type] = {}
        self._trail: list[tuple[str, Type | None]] = []

    def assignable(self, source: Type, target: Type) -> bool:
        """Unify two types; bindings are kept only on success (isAssignable)."""
        if not (source.free or target.free):
            return self._assignable(source, target)
        return self.all_assignable((source,), (target,))

    def all_assignable(self, sources: Sequence[Type], targets: Sequence[Type]) -> bool:
        """Unify two lists of types; bindings are kept only on success (isAssignableList)."""
        mark = len(self._trail)
        if self._all_assignable(sources, targets):
            return True
        while len(self._trail) > mark:
            name, old = self._trail.pop()
            if old is None:
                del self._bound[name]
            else:
                self._bound[name] = old
        return False

    def substitute(self, type_: Type, *, to_dyn: bool = False) -> Type:
        """Return the type with bound parameters replaced, unbound ones by dyn where asked (substitute)."""
        return substitute(self._bound, type_, to_dyn=to_dyn)

    def _bind(self, name: str, type_: Type) -> None:
        self._trail.append((name, self._bound.get(name)))
        self._bound[name] = type_

    def _all_assignable(self, sources: Sequence[Type], targets: Sequence[Type]) -> bool:
        if len(sources) != len(targets):
            return False
        for source, target in zip(sources, targets, strict=True):
            if source is not target and not self._assignable(source, target):
                return False
        return True

    def _assignable(self, source: Type, target: Type) -> bool:
        if source is target:
            return True
        if target.kind is Kind.TYPE_PARAM:
            valid, bound = self._substitutable(source, target)
            if valid or bound:
                return valid
        if source.kind is Kind.TYPE_PARAM:
            return self._substitutable(target, source)[0]
        if source.is_dyn or target.is_dyn or source.kind is Kind.ERROR or target.kind is Kind.ERROR:
            return True
        if source.kind is Kind.NULL:
            return _nullable(target)
        if target.kind is Kind.NULL:
            return _nullable(source)
        if source.kind is Kind.TYPE:
            return target.kind is Kind.TYPE
        if source.kind in _COMPOSITE:
            return (
                source.kind is target.kind
                and source.name == target.name
                and self._all_assignable(source.params, target.params)
            )
        return target.accepts(source)

    def _substitutable(self, type_: Type, param: Type) -> tuple[bool, bool]:
        """Whether the parameter may stand for the type, and whether it was bound (isValidTypeSubstitution)."""
        if type_.is_exact(param):
            return True, True
        bound = self._bound.get(param.name)
        if bound is not None:
            if type_.is_exact(bound):
                return True, True
            if self._assignable(type_, bound):
                general = most_general(type_, bound)
                if self._absent(param, general):
                    self._bind(param.name, general)
                return True, True
            return False, True
        if self._absent(param, type_):
            self._bind(param.name, type_)
            return True, False
        return False, False

    def _absent(self, param: Type, within: Type) -> bool:
        """Whether the parameter does not occur in a type, the occurs check (notReferencedIn)."""
        if not within.free:
            return True
        if within.kind is Kind.TYPE_PARAM:
            if within.name == param.name:
                return False
            bound = self._bound.get(within.name)
            return bound is None or self._absent(param, bound)
        return all(self._absent(param, part) for part in within.params)


def substitute(bound: dict[str, Type], type_: Type, *, to_dyn: bool = False) -> Type:
    """Return the type with the parameters of a table replaced, others by dyn where asked (substitute)."""
    if not type_.free:
        return type_
    if type_.kind is Kind.TYPE_PARAM:
        replacement = bound.get(type_.name)
        if replacement is not None:
            return substitute(bound, replacement, to_dyn=to_dyn)
        return DYN if to_dyn else type_
    return Type(type_.kind, type_.name, tuple([substitute(bound, part, to_dyn=to_dyn) for part in type_.params]))


def most_general(first: Type, second: Type) -> Type:
    """Return the more general of two types that unify (mostGeneral)."""
    return first if _less_specific(first, second) else second


def _nullable(type_: Type) -> bool:
    return type_.kind in _LEGACY_NULLABLE or type_.wrapper or type_.kind is Kind.NULL


def _less_specific(first: Type, second: Type) -> bool:
    """Whether the first type is equal to or less specific than the second (isEqualOrLessSpecific)."""
    if first.is_dyn or first.kind is Kind.TYPE_PARAM:
        return True
    if second.is_dyn or second.kind is not first.kind:
        return False
    if first.kind in _COMPOSITE:
        return (
            first.name == second.name
            and len(first.params) == len(second.params)
            and all(map(_less_specific, first.params, second.params))
        )
    return first.kind is Kind.TYPE or first.is_exact(second)
