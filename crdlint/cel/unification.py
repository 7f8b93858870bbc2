"""Unification of types: bindings of type parameters, and assignability. Upstream: checker/types.go, checker/mapping.go.

Types may be as deep as an expression is long and share their parts, so the code does not recurse and visits each part once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

from crdlint.cel.types import DYN, Kind, Type, agree

Agenda: TypeAlias = "list[tuple[Type, Type, Type | None]]"

_LEGACY_NULLABLE: Final = (Kind.OPAQUE, Kind.STRUCT, Kind.ANY, Kind.DURATION, Kind.TIMESTAMP)
_COMPOSITE: Final = (Kind.OPAQUE, Kind.LIST, Kind.MAP)


class Substitution:
    """The bindings of type parameters, with a trail that undoes the bindings of a failed unification."""

    __slots__ = ("_bound", "_null_either_way", "_replacer", "_resolved", "_trail")

    def __init__(self, *, null_either_way: bool = True) -> None:
        """Create an empty substitution; `null_either_way` lets null unify with a nullable type on either side."""
        self._null_either_way = null_either_way
        self._bound: dict[str, Type] = {}
        self._trail: list[tuple[str, Type | None]] = []
        self._resolved: dict[str, Type] = {}
        self._replacer = TypeReplacer(self._bound, self._resolved)

    def assignable(self, source: Type, target: Type) -> bool:
        """Unify two types; keep the bindings only on success. Upstream: checker.isAssignable."""
        return self.all_assignable((source,), (target,))

    def all_assignable(self, sources: Sequence[Type], targets: Sequence[Type]) -> bool:
        """Unify two lists of types; keep the bindings only on success. Upstream: checker.isAssignableList."""
        if len(sources) != len(targets):
            return False
        are_plain = True
        for source, target in zip(sources, targets, strict=True):
            if source is target:
                continue
            if not source.plain or not target.plain:
                are_plain = False
            elif source.kind is not target.kind or source.name != target.name:
                return False
        if are_plain:
            return True
        mark = len(self._trail)
        if self._all_assignable(sources, targets):
            return True
        self._undo(mark)
        return False

    def _undo(self, mark: int) -> None:
        """Undo the bindings that were made after a mark."""
        while len(self._trail) > mark:
            name, old = self._trail.pop()
            if old is None:
                del self._bound[name]
            else:
                self._bound[name] = old

    def substitute(self, type_: Type, *, to_dyn: bool = False) -> Type:
        """Return the type with bound parameters replaced; with `to_dyn`, unbound ones become dyn. Upstream: checker.substitute."""
        if to_dyn:
            return TypeReplacer(self._bound, to_dyn=True)(type_)
        return self._replacer(type_) if type_.free else type_

    def final(self, types: dict[int, Type]) -> dict[int, Type]:
        """Return the types that contain type parameters, with all parameters replaced."""
        replacer = TypeReplacer(self._bound, to_dyn=True)
        return {id_: replacer(type_) for id_, type_ in types.items() if type_.free}

    def _bind(self, name: str, type_: Type) -> None:
        old = self._bound.get(name)
        self._trail.append((name, old))
        self._bound[name] = type_
        if old is not None:
            self._resolved.clear()

    def _all_assignable(self, sources: Sequence[Type], targets: Sequence[Type]) -> bool:
        """Unify pairs from left to right, on an explicit stack. Upstream: checker.internalIsAssignableList."""
        agenda: Agenda = [
            (source, target, None) for source, target in zip(sources, targets, strict=True)
        ]
        agenda.reverse()
        done: dict[tuple[Type, Type], int] = {}
        while agenda:
            source, target, param = agenda.pop()
            if param is not None:
                # Both already unify: the parameter becomes the more general one.
                general = most_general(source, target)
                if self._absent(param, general):
                    self._bind(param.name, general)
            elif source is not target and not self._assignable(source, target, agenda, done):
                return False
        return True

    def _assignable(
        self,
        source: Type,
        target: Type,
        agenda: Agenda,
        done: dict[tuple[Type, Type], int],
    ) -> bool:
        """Return whether two types unify, provided that the pairs added to `agenda` do. Upstream: checker.internalIsAssignable."""
        if target.kind is Kind.TYPE_PARAM:
            verdict = self._substitutable(source, target, agenda)
            if verdict is not None:
                return verdict
        if source.kind is Kind.TYPE_PARAM:
            return self._substitutable(target, source, agenda) or False
        if _unifies_with_all(source) or _unifies_with_all(target):
            return True
        if source.kind is Kind.NULL:
            return _nullable(target)
        if target.kind is Kind.NULL:
            return self._null_either_way and _nullable(source)
        if source.kind in _COMPOSITE:
            return self._composite_assignable(source, target, agenda, done)
        if source.kind is Kind.TYPE:
            return target.kind is Kind.TYPE
        return source.kind is not Kind.UNKNOWN and target.accepts(source)

    def _composite_assignable(
        self,
        source: Type,
        target: Type,
        agenda: Agenda,
        done: dict[tuple[Type, Type], int],
    ) -> bool:
        if not _has_shape_of(source, target):
            return False
        # Types share their parts: a pair has the same result until another parameter is bound.
        if done.get((source, target)) != len(self._bound):
            done[source, target] = len(self._bound)
            params = zip(reversed(source.params), reversed(target.params), strict=True)
            agenda += [(*pair, None) for pair in params]
        return True

    def _substitutable(self, type_: Type, param: Type, agenda: Agenda) -> bool | None:
        """Return whether a type may replace the parameter, None if it contains it. Upstream: checker.isValidTypeSubstitution."""
        if type_.is_exact(param):
            return True
        bound = self._bound.get(param.name)
        if bound is None:
            if not self._absent(param, type_):
                return None
            self._bind(param.name, type_)
        elif not type_.is_exact(bound):
            agenda += ((type_, bound, param), (type_, bound, None))
        return True

    def _absent(self, param: Type, within: Type) -> bool:
        """Return whether the parameter does not occur in a type (the occurs check). Upstream: checker.notReferencedIn."""
        pending = list(within.free)
        seen = set(pending)
        while pending:
            name = pending.pop()
            if name == param.name:
                return False
            bound = self._bound.get(name)
            if bound is not None:
                added = bound.free - seen
                pending += added
                seen |= added
        return True


class TypeReplacer:
    """Replaces bound type parameters and, with `to_dyn`, unbound ones by dyn in the end. Upstream: checker.substitute."""

    __slots__ = ("_bound", "_done", "_resolved", "_to_dyn")

    def __init__(
        self,
        bound: dict[str, Type],
        resolved: dict[str, Type] | None = None,
        *,
        to_dyn: bool = False,
    ) -> None:
        self._bound = bound
        # Resolved parameters, valid until one of them gets a new binding.
        self._resolved = {} if resolved is None else resolved
        self._to_dyn = to_dyn
        self._done: dict[Type, Type] = {}

    def __call__(self, type_: Type) -> Type:
        """Return the type with its parameters replaced."""
        if self._settled(type_):
            return type_
        done = self._done if self._to_dyn else {}
        pending = [type_]
        while pending:
            part = pending[-1]
            if part in done:
                pending.pop()
            elif self._settled(part):
                done[part] = part
            elif part.kind is Kind.TYPE_PARAM:
                replacement = self._resolved.get(part.name) or self._bound.get(part.name, DYN)
                if replacement in done:
                    done[part] = self._resolved[part.name] = done[replacement]
                else:
                    pending.append(replacement)
            else:
                missing = [param for param in part.params if param not in done]
                pending += missing
                if not missing:
                    params = tuple([done[param] for param in part.params])
                    done[part] = Type(part.kind, part.name, params)
        return done[type_]

    def _settled(self, type_: Type) -> bool:
        """Return whether a type contains no parameters to replace."""
        if self._to_dyn:
            return not type_.free
        return not any(name in self._bound for name in type_.free)


def most_general(first: Type, second: Type) -> Type:
    """Return the more general of two types that unify. Upstream: checker.mostGeneral."""
    return first if agree(first, second, _less_specific) else second


def _unifies_with_all(type_: Type) -> bool:
    return type_.is_dyn or type_.kind is Kind.ERROR


def _has_shape_of(source: Type, target: Type) -> bool:
    """Return whether two types are equal but for their parameters."""
    return (
        source.kind is target.kind
        and source.name == target.name
        and len(source.params) == len(target.params)
    )


def _nullable(type_: Type) -> bool:
    return type_.kind in _LEGACY_NULLABLE or type_.wrapper or type_.kind is Kind.NULL


def _less_specific(first: Type, second: Type) -> bool | None:
    """Return whether `first` is equal to or less specific than `second`. Upstream: checker.isEqualOrLessSpecific."""
    if first.is_dyn or first.kind is Kind.TYPE_PARAM:
        return True
    if second.is_dyn or second.kind is not first.kind:
        return False
    if first.kind in _COMPOSITE:
        return None
    return first.kind is Kind.TYPE or first.is_exact(second)
