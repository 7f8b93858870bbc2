"""The CEL environment of each Kubernetes version, and programs in it. Upstream: apiserver pkg/cel/environment/base.go.

If an older server has an older version of a library, a switch of its dialect selects it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from crdlint.cel import macros, validators
from crdlint.cel.builder import ParserOptions
from crdlint.cel.compiler import Compiled
from crdlint.cel.decls import CallCost, Env
from crdlint.cel.dialect import CELDialect
from crdlint.cel.estimates import ASTNode, CallEstimate, Estimator, FunctionEstimator
from crdlint.cel.eval.cost import CostModel
from crdlint.cel.library import extensions
from crdlint.cel.library import lists as cel_lists
from crdlint.cel.library.stdlib import standard
from crdlint.kubecel.library import authz, ip, lists, named_formats, quantity, semver, strings, url
from crdlint.kubecel.library.declaration import AFFIXES, ALWAYS, MATCHES, Library, Opaque
from crdlint.kubernetes.servers import Server, Version
from crdlint.light import dataclass, replace

if TYPE_CHECKING:
    from crdlint.cel.eval.functions import Functions
    from crdlint.cel.eval.program import Program

# In the order in which the overloads of a function are tried.
_LIBRARIES: Final = (
    Library(
        "homogeneous literals",
        ALWAYS,
        has=lambda dialect: dialect.validates_mixed_literals,
        validators=(validators.homogeneous_literals,),
    ),
    url.LIBRARY,
    strings.REGEX,
    lists.LIBRARY,
    authz.LIBRARY,
    Library("comparison of different numeric types", (1, 28), cross_type_comparisons=True),
    Library(
        "name of the optional type",
        ALWAYS,
        has=lambda dialect: dialect.names_optional_type and not dialect.types_names_by_dyn,
        types=extensions.OPTIONAL_TYPES,
    ),
    Library(
        "name of the optional type, by dyn",
        ALWAYS,
        has=lambda dialect: dialect.types_names_by_dyn,
        types=extensions.OPTIONAL_TYPES_BY_DYN,
    ),
    Library(
        "optional",
        (1, 28),
        functions=extensions.OPTIONALS,
        docs=extensions.DOCS,
        macros=macros.OPTIONAL_MACROS,
        optional_syntax=True,
    ),
    Library(
        "optional, version 2",
        (1, 28),
        has=lambda dialect: dialect.has_optional_list_functions,
        functions=extensions.OPTIONALS_ADDED_BY_VERSION_2,
    ),
    quantity.LIBRARY,
    Library(
        "validation of literals",
        (1, 29),
        validators=(
            validators.duration_literals,
            validators.timestamp_literals,
            validators.regex_literals,
        ),
    ),
    strings.VERSION_0,
    strings.LIBRARY,
    strings.FORMAT_CLAUSES,
    Library("sets", (1, 29), functions=extensions.SETS),
    ip.LIBRARY,
    ip.CIDR_LIBRARY,
    named_formats.LIBRARY,
    Library(
        "two-variable comprehensions",
        (1, 32),
        functions=extensions.TWO_VARIABLE_COMPREHENSIONS,
        macros=macros.TWO_VARIABLE_MACROS,
    ),
    semver.LIBRARY,
    Library(
        "lists",
        (1, 34),
        functions=cel_lists.FUNCTIONS,
        docs=cel_lists.DOCS,
        macros=macros.SORT_BY_MACROS,
        older_bindings=lambda dialect: (
            {}
            if dialect.limits_ranges
            else {"lists_range": partial(cel_lists.range_, is_limited=False)}
        ),
        costs={"flatten": cel_lists.FLATTEN_COST},
        older_costs=lambda dialect: (
            {}
            if dialect.counts_negative_depths
            else {"flatten": cel_lists.FLATTEN_COST_OF_ANY_DEPTH}
        ),
    ),
)
LIBRARIES: Final = tuple(each for library in _LIBRARIES for each in (library, *library.later))

# Since this version, a field named by a keyword can be selected without escaping.
KEYWORDS_AS_FIELDS: Final = (1, 31)


@dataclass(frozen=True, slots=True)
class Environment:
    """What a server declares for expressions.

    `version`: the version whose libraries it has.
    `dialect`: the version of the language.
    `is_stored`: whether it is for expressions that are stored already.
    `libraries`: its libraries.
    `env`: all declarations.
    `parser`: the options of the parser.
    `costs`: what calls of functions cost, by their names.
    """

    version: Version
    dialect: CELDialect
    is_stored: bool
    libraries: tuple[Library, ...]
    env: Env
    parser: ParserOptions
    costs: Mapping[str, CallCost]

    @property
    def keywords_as_fields(self) -> bool:
        """Whether `a.namespace` is a synonym of `a.__namespace__`."""
        return self.version >= KEYWORDS_AS_FIELDS


def new_expressions(server: Server) -> Environment:
    """Return the environment for new expressions on a server: that of the previous version."""
    return _environment((server.major, server.cel.compatible_with), server.cel, is_stored=False)


def stored_expressions(server: Server) -> Environment:
    """Return the environment for stored expressions on a server: all libraries of its own version."""
    return _environment((server.major, server.cel.stored_with), server.cel, is_stored=True)


@cache
def _environment(version: Version, dialect: CELDialect, *, is_stored: bool) -> Environment:
    libraries = tuple(_libraries(version, dialect))
    types = chain.from_iterable(library.types for library in libraries)
    functions = chain.from_iterable(library.functions for library in libraries)
    declared = standard(dialect).extend(types).with_functions(functions)
    env = replace(
        declared,
        dialect=dialect,
        homogeneous=not dialect.validates_mixed_literals,
        cross_type_comparisons=any(library.cross_type_comparisons for library in libraries),
        validators=tuple(chain.from_iterable(library.validators for library in libraries)),
        exempt=frozenset(chain.from_iterable(library.exempt for library in libraries)),
    )
    all_macros = dict(macros.STANDARD_MACROS)
    for library in libraries:
        all_macros |= library.macros
    has_optional_syntax = any(library.optional_syntax for library in libraries)
    parser = ParserOptions(all_macros, has_optional_syntax, dialect)
    return Environment(
        version,
        dialect,
        is_stored,
        libraries,
        env,
        parser,
        function_costs(dialect),
    )


def _libraries(version: Version, dialect: CELDialect) -> Iterator[Library]:
    for library in LIBRARIES:
        is_gone = library.removed is not None and library.removed <= version
        if library.introduced <= version and not is_gone and library.has(dialect):
            yield library


OVERLOAD_COSTS: Final[Mapping[str, CallCost]] = {
    overload.id: overload.cost
    for library in LIBRARIES
    for overload in library.functions
    if overload.cost is not None
}


@cache
def function_costs(dialect: CELDialect) -> Mapping[str, CallCost]:
    """Return the costs of calls on a server by function name; a server has the costs of all libraries."""
    costs = {name: cost for library in LIBRARIES for name, cost in library.costs.items()}
    for library in LIBRARIES:
        costs |= library.older_costs(dialect)
    if dialect.counts_affixes_by_argument:
        costs |= AFFIXES
    if dialect.counts_matches_as_function:
        costs |= MATCHES
    if dialect.compares_library_types_at_once:
        costs["_==_"] = _COST_OF_EQUALITY
    return costs


# By the types of libraries, what `==` of their values costs.
EQUALITY: Final[Mapping[Any, FunctionEstimator]] = {
    type_: estimate for library in LIBRARIES for type_, estimate in library.equality.items()
}


def _estimate_equality(estimator: Estimator, nodes: Sequence[ASTNode]) -> CallEstimate | None:
    type_, other = (node.type for node in nodes)
    return (
        EQUALITY[type_](estimator, nodes) if type_ in EQUALITY and type_.is_exact(other) else None
    )


_COST_OF_EQUALITY: Final = CallCost(
    _estimate_equality, lambda values, _result: 1 if isinstance(values[0], Opaque) else None
)


def program_of(compiled: Compiled, environment: Environment) -> Program:
    """Return the program of an expression without errors; raise PlanError if it cannot be planned."""
    from crdlint.cel.eval.program import plan  # 17 ms, which only evaluation needs

    costs, functions = _costs_of(environment.dialect), _functions_of(environment.env)
    return plan(
        compiled.expr,
        compiled.result,
        functions,
        costs,
    )


@cache
def _functions_of(env: Env) -> Functions:
    """Return the functions that an environment declares, with their implementations."""
    from crdlint.cel.eval.functions import Functions
    from crdlint.cel.library.stdlib_functions import BOUND, SINGLETONS

    bindings = dict(BOUND)
    for library in LIBRARIES:
        bindings |= library.older_bindings(env.dialect)
    regexes = {name: call for library in LIBRARIES for name, call in library.regexes.items()}
    return Functions(
        env.functions,
        bindings,
        SINGLETONS,
        regexes,
    )


@cache
def _costs_of(dialect: CELDialect) -> CostModel:
    """Return the cost model of a server for evaluation."""
    return CostModel(dialect, OVERLOAD_COSTS, function_costs(dialect))
