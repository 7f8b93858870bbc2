"""Functions and the resolution of calls to overloads. Upstream: decls.FunctionDecl.Bindings, interpreter/dispatcher.go.

The implementation of an overload is called only if the values match its declared types. If several overloads are
possible, the first that matches is used. Instead, a function may have one implementation for all of its overloads (a
singleton), which checks the values itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from crdlint.cel.decls import Binding, Implementation, Overload, bound
from crdlint.cel.errors import NO_OVERLOAD, Error, FunctionError, PlanError
from crdlint.cel.eval.values import COMPARABLE, Value, element, find, kind_of, type_of
from crdlint.cel.types import Kind, Type
from crdlint.light import dataclass

Function: TypeAlias = Callable[..., Value]
Guard: TypeAlias = Callable[[Value], bool]


_NONE: Final[Mapping[str, Function]] = {}


@dataclass(frozen=True, slots=True)
class _GuardedOverload:
    implementation: Implementation
    guards: tuple[Guard | None, ...]

    def fits(self, values: tuple[Value, ...]) -> bool:
        if len(values) != len(self.guards):
            return False
        strict = self.implementation.strict
        for guard, value in zip(self.guards, values, strict=True):
            if type(value) is Error:
                if strict:
                    return False
            elif guard is not None and not guard(value):
                return False
        return True


class Functions:
    """The functions of an environment.

    `overloads` contains those of each function, in the order in which they are tried. The implementation of an overload
    is the function's in `singletons`, else the one in `bindings` under its id, else its own. `regexes` contains functions
    whose constant regular expression is compiled once.
    """

    __slots__ = ("_bindings", "_overloads", "_resolved", "_singletons", "regexes")

    def __init__(
        self,
        overloads: Mapping[str, Sequence[Overload]],
        bindings: Mapping[str, Binding],
        singletons: Mapping[str, Binding],
        regexes: Mapping[str, Function] = _NONE,
    ) -> None:
        self.regexes: Final = {"matches": matches, **regexes}
        self._singletons: Final = singletons
        self._overloads: Final = overloads
        self._bindings: Final = bindings
        self._resolved: Final[dict[tuple[str, str], Implementation | None]] = {}

    def resolve(self, function: str, overload_id: str) -> Implementation | None:
        """Return the implementation of a call, which returns errors as values, or None. `overload_id` is empty if unknown."""
        key = (function, overload_id)
        if key not in self._resolved:
            self._resolved[key] = self._find(function, overload_id)
        return self._resolved[key]

    def _candidates(self, function: str) -> dict[str, _GuardedOverload]:
        """Return the overloads of a function that have an implementation, by their ids."""
        candidates = {}
        for overload in self._overloads.get(function, ()):
            implementation = self._implementation(overload)
            if implementation is not None:
                guards = _guards(overload, implementation)
                candidates[overload.id] = _GuardedOverload(implementation, guards)
        return candidates

    def _implementation(self, overload: Overload) -> Implementation | None:
        """Return the implementation that is bound to an overload, or its own, None without one."""
        binding = self._bindings.get(overload.id)
        return overload.implementation if binding is None else bound(binding)

    def _find(self, function: str, overload_id: str) -> Implementation | None:
        singleton = self._singletons.get(function)
        if singleton is not None:
            implementation = bound(singleton)
            return implementation._replace(call=caught(implementation.call))
        candidates = self._candidates(function)
        if not candidates:
            return None
        chosen = candidates.get(overload_id)
        if chosen is None and len(candidates) == 1:
            (chosen,) = candidates.values()
        if chosen is None:
            strict = all(candidate.implementation.strict for candidate in candidates.values())
            return Implementation(
                _dispatcher(function, tuple(candidates.values())), strict, variadic=True
            )
        implementation = chosen.implementation
        variadic = implementation.variadic or len(chosen.guards) > 2
        return implementation._replace(call=_guarded(function, chosen), variadic=variadic)


def _guards(overload: Overload, implementation: Implementation) -> tuple[Guard | None, ...]:
    """Return the guards of the arguments of an overload."""
    if implementation.guarded:
        return tuple(map(guard_of, overload.args))
    return (None,) * len(overload.args)


def caught(call: Function) -> Function:
    """Return the function with its exceptions returned as error values."""

    def run(*values: Value) -> Value:
        try:
            return call(*values)
        except FunctionError as error:
            return Error(str(error))

    return run


def _guarded(function: str, candidate: _GuardedOverload) -> Function:
    call = candidate.implementation.call
    if not any(candidate.guards):
        return caught(call)
    guard = candidate.guards[0]
    if candidate.implementation.strict and len(candidate.guards) == 1 and guard is not None:
        return _guarded_unary(function, call, guard)
    return _dispatcher(function, (candidate,))


def _guarded_unary(function: str, call: Function, guard: Guard) -> Function:
    def run(value: Value) -> Value:
        try:
            return call(value) if guard(value) else no_such_overload(function, (value,))
        except FunctionError as error:
            return Error(str(error))

    return run


def _dispatcher(function: str, candidates: tuple[_GuardedOverload, ...]) -> Function:
    def run(*values: Value) -> Value:
        try:
            for candidate in candidates:
                if candidate.fits(values):
                    return candidate.implementation.call(*values)
        except FunctionError as error:
            return Error(str(error))
        return no_such_overload(function, values)

    return run


def without_trait(function: str, value: Value) -> Error:
    """Return the error of an operator that the type of the first operand does not support."""
    return NO_OVERLOAD if kind_of(value) in _RECEIVERS else Error(f"no such overload: {function}")


_RECEIVERS: Final = frozenset({Kind.STRING, Kind.DURATION, Kind.TIMESTAMP})


def no_such_overload(function: str, values: tuple[Value, ...]) -> Error:
    """Return the error for values that no overload accepts, or the first error among the values."""
    for value in values:
        if type(value) is Error:
            return value
    return Error(
        f"no such overload: {function}({', '.join(type_of(value).name for value in values)})"
    )


_CLASSES: Final[dict[Kind, type]] = {**COMPARABLE, Kind.NULL: type(None)}


def guard_of(type_: Type) -> Guard | None:
    """Return a check that a value matches a declared type, or None if any value does. Upstream: Type.IsAssignableRuntimeType.

    Only the first element of a list and the first entry of a map are checked, as in cel-go.
    """
    if type_.is_dyn or type_.kind is Kind.TYPE_PARAM:
        return None
    cls = _CLASSES.get(type_.kind)
    if cls is not None:
        if type_.wrapper:
            return lambda value: value is None or type(value) is cls
        return lambda value: type(value) is cls
    if type_.kind in (Kind.LIST, Kind.MAP):
        return _collection_guard(type_.kind, list(map(guard_of, type_.params)))
    name = type_.name
    return lambda value: bool(type_of(value).name == name)


def _collection_guard(kind: Kind, guards: Sequence[Guard | None]) -> Guard:
    if not any(guards):
        return lambda value: kind_of(value) is kind

    def fits(value: Value) -> bool:
        if kind_of(value) is not kind or not len(value):
            return kind_of(value) is kind
        first = (
            (element(value, 0),)
            if kind is Kind.LIST
            else (key := next(iter(value)), find(value, key))
        )
        return all(guard is None or guard(part) for guard, part in zip(guards, first, strict=True))

    return fits


def matches(text: str, pattern: str) -> bool:
    """Return whether a pattern matches anywhere in a text; raise FunctionError with Go's text if it is invalid."""
    from crdlint.golang import matching  # few rules match patterns

    try:
        return matching.matches(pattern, text)
    except matching.PatternError as error:
        raise FunctionError(str(error)) from None


def with_constant_pattern(function: Function, pattern: str) -> Function:
    """Return a function of a text for calls with a constant pattern; raise PlanError with Go's text if it is invalid."""
    from crdlint.golang import matching

    try:
        matching.check(pattern)
    except matching.PatternError as error:
        raise PlanError(str(error)) from None
    return caught(lambda text, *rest: function(text, *rest) if type(text) is str else NO_OVERLOAD)
