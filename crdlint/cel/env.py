"""What an expression is checked against: declarations in layers, types, options (checker/env.go, cel/env.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from crdlint.cel.decls import DeclarationError, Function, Overload, Variable, merge
from crdlint.cel.types import INT, Type, type_type
from crdlint.kubernetes.servers import NEWEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crdlint.cel.errors import Problem
    from crdlint.kubernetes.dialect import CELDialect


# Takes a checked expression (`validators.CheckedExpr`), yields node ids with problems.
Validator: TypeAlias = "Callable[[Any], Iterator[tuple[int, Problem]]]"


class TypeProvider(Protocol):
    """Where types of objects come from; every method returns None for what it does not know."""

    def find_struct_type(self, name: str) -> Type | None:
        """Return `type(T)` for the full name of an object type."""

    def find_struct_field_type(self, struct: str, field: str) -> Type | None:
        """Return the type of a field."""

    def find_ident(self, name: str) -> Type | None:
        """Return the type T that a name refers to."""

    def find_enum(self, name: str) -> int | None:
        """Return the number of an enum's value."""


class NoTypes:
    """A provider that declares no types."""

    def find_struct_type(self, name: str) -> Type | None:
        """Return None."""

    def find_struct_field_type(self, struct: str, field: str) -> Type | None:
        """Return None."""

    def find_ident(self, name: str) -> Type | None:
        """Return None."""

    def find_enum(self, name: str) -> int | None:
        """Return None."""


class Env:
    """An immutable environment; `extend` adds a layer and shares everything below it."""

    __slots__ = (
        "_provided",
        "container",
        "cross_type_comparisons",
        "dialect",
        "exempt",
        "homogeneous",
        "own_functions",
        "own_idents",
        "parent",
        "provider",
        "validators",
    )

    def __init__(self) -> None:
        self.parent: Env | None = None
        self.own_idents: dict[str, Variable] = {}
        self._provided: dict[str, Variable] = {}
        self.own_functions: dict[str, Function] = {}
        self.container = ""
        self.provider: TypeProvider = NoTypes()
        self.homogeneous = False
        self.dialect: CELDialect = NEWEST.cel
        self.cross_type_comparisons = False
        self.validators: tuple[Validator, ...] = ()
        self.exempt: frozenset[str] = frozenset()

    def extend(
        self,
        *,
        idents: Iterable[Variable] = (),
        functions: Iterable[Overload] = (),
        provider: TypeProvider | None = None,
        container: str | None = None,
        dialect: CELDialect | None = None,
        homogeneous: bool | None = None,
        cross_type_comparisons: bool | None = None,
        validators: Iterable[Validator] = (),
        exempt: Iterable[str] = (),
    ) -> Env:
        """Return an environment with more declared.

        `exempt` names functions whose arguments the validator of homogeneous literals does not check. Raises
        DeclarationError where a declaration contradicts an earlier one.
        """
        env = Env()
        env.parent = self
        env.container = self.container if container is None else container
        env.provider = self.provider if provider is None else provider
        env.dialect = self.dialect if dialect is None else dialect
        env.homogeneous = self.homogeneous if homogeneous is None else homogeneous
        env.cross_type_comparisons = (
            self.cross_type_comparisons if cross_type_comparisons is None else cross_type_comparisons
        )
        env.validators = (*self.validators, *(added for added in validators if added not in self.validators))
        env.exempt = self.exempt | frozenset(exempt)
        for ident in idents:
            known = env._declared(ident.name)
            if known is None:
                env.own_idents[ident.name] = ident
            elif not (known.type.is_exact(ident.type) and known.value == ident.value):
                text = f"overlapping identifier for name '{ident.name}'"
                raise DeclarationError(text)
        for added in functions:
            env.own_functions[added.function] = merge(env._function(added.function), added)
        return env

    def candidates(self, name: str) -> tuple[str, ...]:
        """Return the full names a name may mean, in the order of trial (ResolveCandidateNames)."""
        if name.startswith("."):
            return (name[1:],)
        if not self.container:
            return (name,)
        parts = self.container.split(".")
        return (*(".".join(parts[:end]) + "." + name for end in range(len(parts), 0, -1)), name)

    def find_ident(self, name: str) -> Variable | None:
        """Return the variable, type or enum constant of a full name."""
        known = self._declared(name) or self._provided.get(name)
        if known is not None:
            return known
        found = self._provide(name)
        if found is not None:
            self._provided[name] = found
        return found

    def find_function(self, name: str) -> Function | None:
        """Return the first function that a name may mean (LookupFunction)."""
        for candidate in self.candidates(name):
            found = self._function(candidate)
            if found is not None:
                return found
        return None

    def function_names(self) -> list[str]:
        """Return the names of all functions, the operators' among them."""
        names: dict[str, None] = {}
        env: Env | None = self
        while env is not None:
            names.update(dict.fromkeys(env.own_functions))
            env = env.parent
        return list(names)

    def _declared(self, name: str) -> Variable | None:
        env: Env | None = self
        while env is not None:
            found = env.own_idents.get(name)
            if found is not None:
                return found
            env = env.parent
        return None

    def _function(self, name: str) -> Function | None:
        env: Env | None = self
        while env is not None:
            found = env.own_functions.get(name)
            if found is not None:
                return found
            env = env.parent
        return None

    def _provide(self, name: str) -> Variable | None:
        struct = self.provider.find_struct_type(name)
        if struct is not None:
            return Variable(name, struct)
        named = self.provider.find_ident(name)
        if named is not None:
            return Variable(name, type_type(named))
        number = self.provider.find_enum(name)
        return None if number is None else Variable(name, INT, number)
