"""The environment of the checker: layered declarations, types and options. Upstream: checker/env.go, cel/env.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from crdlint.cel.decls import DeclarationError, Function, Overload, Variable, merge
from crdlint.cel.types import INT, Type, type_type
from crdlint.kubernetes.servers import NEWEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crdlint.cel.errors import Problem
    from crdlint.kubernetes.dialect import CELDialect


# Takes a checked expression (`validators.CheckedExpr`) and yields node ids with problems.
Validator: TypeAlias = "Callable[[Any], Iterator[tuple[int, Problem]]]"


class TypeProvider(Protocol):
    """The source of object types; every method returns None for an unknown name."""

    def find_struct_type(self, name: str) -> Type | None:
        """Return `type(T)` for the full name of an object type."""

    def find_struct_field_type(self, struct: str, field: str) -> Type | None:
        """Return the type of a field."""

    def find_ident(self, name: str) -> Type | None:
        """Return the type T that a name refers to."""

    def find_enum(self, name: str) -> int | None:
        """Return the number of an enum value."""


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
    """An immutable environment; `extend` adds a layer and shares the layers below it."""

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
        """Return an environment with additional declarations and options.

        `exempt` contains functions whose arguments the validator of homogeneous literals does not check. Raise
        DeclarationError if a declaration conflicts with an earlier one.
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
        """Return the full names that `name` may mean, in order of resolution. Upstream: Container.ResolveCandidateNames."""
        if name.startswith("."):
            return (name[1:],)
        if not self.container:
            return (name,)
        parts = self.container.split(".")
        return (*(".".join(parts[:end]) + "." + name for end in range(len(parts), 0, -1)), name)

    def find_ident(self, name: str) -> Variable | None:
        """Return the variable, type or enum constant with the full name `name`."""
        known = self._declared(name) or self._provided.get(name)
        if known is not None:
            return known
        provided = self._provide(name)
        if provided is not None:
            self._provided[name] = provided
        return provided

    def find_function(self, name: str) -> Function | None:
        """Return the first function that `name` may refer to. Upstream: Env.LookupFunction."""
        for candidate in self.candidates(name):
            function = self._function(candidate)
            if function is not None:
                return function
        return None

    def function_names(self) -> list[str]:
        """Return the names of all functions, including operators."""
        names: dict[str, None] = {}
        env: Env | None = self
        while env is not None:
            names.update(dict.fromkeys(env.own_functions))
            env = env.parent
        return list(names)

    def _declared(self, name: str) -> Variable | None:
        env: Env | None = self
        while env is not None:
            variable = env.own_idents.get(name)
            if variable is not None:
                return variable
            env = env.parent
        return None

    def _function(self, name: str) -> Function | None:
        env: Env | None = self
        while env is not None:
            function = env.own_functions.get(name)
            if function is not None:
                return function
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
