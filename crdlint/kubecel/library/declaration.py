"""The declaration of a library. Upstream: apiserver pkg/cel/environment (VersionedOptions)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from crdlint.cel.eval.errors import FunctionError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crdlint.cel.ast import Expr
    from crdlint.cel.decls import Binding, CallCost, Overload, RegexOptimization, Variable
    from crdlint.cel.env import Validator
    from crdlint.cel.estimates import FunctionEstimator
    from crdlint.cel.types import Type
    from crdlint.kubernetes.servers import CELDialect, Version

Macros: TypeAlias = "Mapping[tuple[str, int, bool], Callable[..., Expr]]"

ALWAYS: Final = (1, 0)
_NONE: Final[Mapping[Any, Any]] = {}


def _everywhere(_dialect: CELDialect) -> bool:
    return True


def _nothing(_dialect: CELDialect) -> Mapping[str, Any]:
    return {}


class Library(NamedTuple):
    """A library or an option of the environment, with the Kubernetes version that introduced it.

    `removed` is the version that removed it; `has` returns whether a dialect has it at all. `exempt` contains functions
    whose arguments the validator of homogeneous literals does not check. `costs` contains costs by function name, also
    for calls that match several overloads; the declaration of an overload contains the cost of that overload only.
    `older_bindings` (by overload id) and `older_costs` (by function) return the differences on an older server.
    `equality` estimates `==` of values of its types. `regexes` contains the functions whose constant regular expression
    is compiled once.
    """

    name: str
    introduced: Version
    removed: Version | None = None
    has: Callable[[CELDialect], bool] = _everywhere
    types: tuple[Variable, ...] = ()
    functions: tuple[Overload, ...] = ()
    macros: Macros = _NONE
    validators: tuple[Validator, ...] = ()
    exempt: tuple[str, ...] = ()
    cross_type_comparisons: bool = False
    optional_syntax: bool = False
    costs: Mapping[str, CallCost] = _NONE
    older_bindings: Callable[[CELDialect], Mapping[str, Binding]] = _nothing
    older_costs: Callable[[CELDialect], Mapping[str, CallCost]] = _nothing
    equality: Mapping[Type, FunctionEstimator] = _NONE
    regexes: tuple[RegexOptimization, ...] = ()

    def in_version(self, version: Version) -> bool:
        """Return whether an environment for compatibility with a version contains it."""
        return version >= self.introduced and (self.removed is None or version < self.removed)


def accepts(parse: Callable[..., Any]) -> Callable[..., bool]:
    """Return a function that returns whether `parse` accepts its arguments, that is, does not raise FunctionError."""

    def is_accepted(*arguments: Any) -> bool:
        try:
            parse(*arguments)
        except FunctionError:
            return False
        return True

    return is_accepted
