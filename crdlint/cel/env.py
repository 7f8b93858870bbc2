"""The environment of the checker: layered declarations, types and options. Upstream: checker/env.go, cel/env.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from crdlint.cel.decls import DeclarationError, Function, Overload, Variable, merge
from crdlint.cel.types import INT
from crdlint.cel.well_known import WellKnownTypes
from crdlint.kubernetes.servers import NEWEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crdlint.cel.errors import Problem
    from crdlint.kubernetes.servers import CELDialect


# Takes a checked expression (`validators.CheckedExpr`) and yields node ids with problems.
Validator: TypeAlias = "Callable[[Any], Iterator[tuple[int, Problem]]]"


_MESSAGES: Final = WellKnownTypes()


class Env:
    """An immutable environment; `extend` adds a layer and shares the layers below it."""

    __slots__ = (
        "_provided",
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
        self.provider: WellKnownTypes = _MESSAGES
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
        provider: WellKnownTypes | None = None,
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
        """Return the function that `name` refers to, which may start with a dot. Upstream: Env.LookupFunction."""
        return self._function(name.removeprefix("."))

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
        number = self.provider.find_enum(name)
        return None if number is None else Variable(name, INT, number)
