"""Functions and the resolution of calls to overloads. Upstream: decls.FunctionDecl.Bindings, interpreter/dispatcher.go.

The implementation of an overload is called only if the values match its declared types. If several overloads are
possible, the first that matches is used. Instead, a function may have one implementation for all of its overloads (a
singleton), which checks the values itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from crdlint.cel.decls import Binding, Implementation, Overload, RegexOptimization, bound
from crdlint.cel.eval.errors import NO_OVERLOAD, Error, FunctionError, PlanError
from crdlint.cel.eval.values import COMPARABLE, Value, element, find, kind_of, type_of
from crdlint.cel.types import Kind, Type
from crdlint.golang import matching

Function: TypeAlias = Callable[..., Value]
Guard: TypeAlias = Callable[[Value], bool]


@dataclass(frozen=True, slots=True)
class Resolved:
    """The implementation of a call: `call` takes values and returns a value, both including errors."""

    call: Function
    strict: bool
    variadic: bool


@dataclass(frozen=True, slots=True)
class _Candidate:
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

    `overloads` contains all declared overloads in the order in which they are tried. The implementation of an overload
    is the function's in `singletons`, else the one in `bindings` under its id, else its own.
    """

    __slots__ = ("_candidates", "_resolved", "_singletons")

    def __init__(
        self, overloads: Iterable[Overload], bindings: Mapping[str, Binding], singletons: Mapping[str, Binding]
    ) -> None:
        self._singletons: Final = {name: bound(item) for name, item in singletons.items()}
        self._candidates: Final[dict[str, dict[str, _Candidate]]] = {}
        for overload in overloads:
            binding = bindings.get(overload.id)
            implementation = overload.implementation if binding is None else bound(binding)
            if implementation is None or overload.function in self._singletons:
                continue
            guards = tuple(map(guard_of, overload.args)) if implementation.guarded else (None,) * len(overload.args)
            candidate = _Candidate(implementation, guards)
            self._candidates.setdefault(overload.function, {})[overload.id] = candidate
        self._resolved: Final[dict[tuple[str, str], Resolved | None]] = {}

    def resolve(self, function: str, overload_id: str) -> Resolved | None:
        """Return the implementation of a call, None if the function has none; `overload_id` is empty if unknown."""
        key = (function, overload_id)
        if key not in self._resolved:
            self._resolved[key] = self._find(function, overload_id)
        return self._resolved[key]

    def _find(self, function: str, overload_id: str) -> Resolved | None:
        singleton = self._singletons.get(function)
        if singleton is not None:
            return Resolved(caught(singleton.call), singleton.strict, singleton.variadic)
        candidates = self._candidates.get(function)
        if not candidates:
            return None
        chosen = candidates.get(overload_id)
        if chosen is None and len(candidates) == 1:
            (chosen,) = candidates.values()
        if chosen is None:
            strict = all(candidate.implementation.strict for candidate in candidates.values())
            return Resolved(_dispatcher(function, tuple(candidates.values())), strict, variadic=True)
        implementation = chosen.implementation
        variadic = implementation.variadic or len(chosen.guards) > 2
        return Resolved(_guarded(function, chosen), implementation.strict, variadic)


def caught(call: Function) -> Function:
    """Return the function with its exceptions returned as error values."""

    def run(*values: Value) -> Value:
        try:
            return call(*values)
        except FunctionError as error:
            return Error(str(error))

    return run


def _guarded(function: str, candidate: _Candidate) -> Function:
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


def _dispatcher(function: str, candidates: tuple[_Candidate, ...]) -> Function:
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
    return Error(f"no such overload: {function}({', '.join(type_of(value).name for value in values)})")


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
    if type_.kind is Kind.LIST:
        return _list_guard(guard_of(type_.params[0]))
    if type_.kind is Kind.MAP:
        return _map_guard(guard_of(type_.params[0]), guard_of(type_.params[1]))
    name = type_.name
    return lambda value: bool(type_of(value).name == name)


def _list_guard(item: Guard | None) -> Guard:
    if item is None:
        return lambda value: kind_of(value) is Kind.LIST
    return lambda value: kind_of(value) is Kind.LIST and (not len(value) or item(element(value, 0)))


def _map_guard(key_guard: Guard | None, value_guard: Guard | None) -> Guard:
    def fits(value: Value) -> bool:
        if kind_of(value) is not Kind.MAP:
            return False
        if not len(value) or (key_guard is None and value_guard is None):
            return True
        key = next(iter(value))
        return (key_guard is None or key_guard(key)) and (value_guard is None or value_guard(find(value, key)))

    return fits


def matches(text: str, pattern: str) -> bool:
    """Return whether a pattern matches anywhere in a text; raise FunctionError with Go's text if it is invalid."""
    try:
        return matching.matches(pattern, text)
    except matching.PatternError as error:
        raise FunctionError(str(error)) from None


def check_pattern(pattern: str) -> None:
    """Raise PlanError with Go's text if a constant pattern is invalid."""
    try:
        matching.check(pattern)
    except matching.PatternError as error:
        raise PlanError(str(error)) from None


def matcher(pattern: str) -> Callable[..., Value]:
    """Return the function of a call with a constant pattern; raise PlanError with Go's text if it is invalid."""
    check_pattern(pattern)

    def run(text: Value, _: Value) -> Value:
        return matches(text, pattern) if type(text) is str else NO_OVERLOAD

    return run


MATCHES: Final = RegexOptimization("matches", 1, matcher)
