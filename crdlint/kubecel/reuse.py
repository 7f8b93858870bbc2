"""Reuse of compiled expressions, their costs and their results on servers with fewer libraries.

An expression without errors that uses only features of both servers is parsed and typed identically on both, so it does
not have to be compiled again. Its cost is the same if it uses no feature whose cost differs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field
from functools import cache
from typing import Any, Final, TypeAlias

from crdlint.cel.ast import (
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    MapExpr,
    Select,
    StructExpr,
    nodes,
)
from crdlint.cel.builder import RESERVED
from crdlint.cel.checker import CROSS_TYPE_COMPARISONS
from crdlint.cel.compiler import Compiled
from crdlint.cel.decls import CallCost, Env
from crdlint.cel.dialect import CELDialect
from crdlint.cel.types import WELL_KNOWN, Kind
from crdlint.kubecel.environment import (
    EQUALITY,
    LIBRARIES,
    Environment,
    stored_expressions,
)
from crdlint.kubernetes.servers import NEWEST
from crdlint.light import NamedTuple, dataclass

# Texts with a special meaning on some servers: the accumulator of macros, and the quote of identifiers.
_SPECIAL_TEXTS: Final = ("__result__", "`")
# What environments have besides functions and the types of a schema.
_SETTINGS: Final = (
    "idents",
    "homogeneous",
    "dialect",
    "cross_type_comparisons",
    "validators",
    "exempt",
)
# The overloads that newer servers do not have.
_REMOVED: Final = frozenset({"int64_to_duration"})
_TWO_VARIABLES: Final = ("all", 3, True)


@dataclass(frozen=True, slots=True)
class Uses:
    """The features of an expression that not every server has, or that servers count different costs for.

    `overloads`: the ids of the overloads that it may call.
    `names`: the names of its variables and types.
    `functions`: the names of the functions that it calls, without `==` unless it compares values of a library.
    `traits`: names of what else it has, see `uses_of`.
    """

    overloads: frozenset[str]
    names: frozenset[str]
    functions: tuple[str, ...]
    traits: frozenset[str]


_Condition: TypeAlias = Callable[[Uses], bool]


def _never(_uses: Uses) -> bool:
    return False


def _always(_uses: Uses) -> bool:
    return True


def _has(*traits: str) -> _Condition:
    return lambda uses: not uses.traits.isdisjoint(traits)


def _calls(*functions: str) -> _Condition:
    names = frozenset(functions)
    return lambda uses: not names.isdisjoint(uses.functions)


def _names(*names: str) -> _Condition:
    return lambda uses: not uses.names.isdisjoint(names)


def _has_overload(id_: str) -> _Condition:
    return lambda uses: id_ in uses.overloads


class Reach(NamedTuple):
    """For which expressions without errors a switch of the dialect matters.

    `types`: those whose syntax tree or types it may change, or that have an error on the other side.
    `estimate`: those whose estimated cost it may change.
    `evaluation`: those whose result or actual cost it may change.
    `otherwise`: why the switch has no condition here, if it has none.
    """

    types: _Condition = _never
    estimate: _Condition = _never
    evaluation: _Condition = _never
    otherwise: str = ""


_EVERYWHERE: Final = Reach(_always, _always, _always)
_BY_LIBRARIES: Final = Reach(otherwise="the declarations of libraries are compared")
_BY_BINDINGS: Final = Reach(otherwise="the implementations of functions are compared")
_BY_COSTS: Final = Reach(otherwise="the costs of functions are compared")
_BY_SCHEMA: Final = Reach(otherwise="the declarations of the schema are compared")
_OF_ERRORS: Final = Reach(otherwise="only errors have another text or position")
_SPECIAL_TEXT: Final = Reach(types=_has("special text"))

# Each switch of the dialect. One that is not here matters for every expression.
REACH: Final[Mapping[str, Reach]] = {
    "compatible_with": _BY_LIBRARIES,
    "stored_with": _BY_LIBRARIES,
    "hides_accumulator": _SPECIAL_TEXT,
    "locates_macro_arguments": _OF_ERRORS,
    "parser_locates_line_starts": _OF_ERRORS,
    "reads_quoted_identifiers": _SPECIAL_TEXT,
    "has_quoted_identifiers": _SPECIAL_TEXT,
    "quotes_syntax_errors": _OF_ERRORS,
    "locates_line_starts": _OF_ERRORS,
    "types_names_of_types": Reach(types=_names("duration", "timestamp")),
    "types_names_by_dyn": Reach(types=_names("list", "map", "optional_type")),
    "resolves_local_names_first": Reach(types=_has("absolute name", "local name of a package")),
    "marks_internal_errors": _OF_ERRORS,
    "types_undeclared_methods": _OF_ERRORS,
    "expects_bool_operands": _OF_ERRORS,
    "null_unifies_either_way": Reach(types=_has("null")),
    "validates_mixed_literals": Reach(types=_has_overload("string_format")),
    "exempts_whole_format_arguments": Reach(types=_has_overload("string_format")),
    "formats_selected_types": Reach(types=_has("message")),
    "registers_well_known_types": Reach(types=_names(*WELL_KNOWN)),
    "names_optional_type": _BY_LIBRARIES,
    "allows_offsets_beyond_text": _BY_BINDINGS,
    "searches_empty_text_backwards": _BY_BINDINGS,
    "checks_offsets_of_empty_text": _BY_BINDINGS,
    "limits_ranges": _BY_BINDINGS,
    "rejects_or_of_values": Reach(evaluation=_calls("or", "orValue")),
    "converts_int_to_duration": Reach(types=_calls("duration")),
    "has_optional_list_functions": _BY_LIBRARIES,
    "contains_networks_by_prefix": _BY_BINDINGS,
    "counts_bytes_of_labels": _BY_BINDINGS,
    "checks_format_clauses": _BY_LIBRARIES,
    "writes_powers_without_spaces": _BY_BINDINGS,
    "presence_test_has_cost": Reach(estimate=_has("presence test")),
    "sizes_results_of_calls": Reach(estimate=_always),
    "selection_from_error_has_cost": Reach(evaluation=_always),
    "counts_messages_as_empty": Reach(estimate=_has("message")),
    "saturates_factors": Reach(estimate=_always),
    "sizes_comprehensions": Reach(estimate=_has("comprehension")),
    "tracks_local_variables": Reach(estimate=_always),
    "enum_bounds_strings": _BY_SCHEMA,
    "max_length_bounds_int_or_string": _BY_SCHEMA,
    "quantity_cost_by_length": _BY_COSTS,
    "caps_metadata_names": _BY_SCHEMA,
    "counts_affixes_by_argument": _BY_COSTS,
    "counts_matches_as_function": _BY_COSTS,
    "counts_negative_depths": _BY_COSTS,
    "url_has_size": _BY_COSTS,
    "keeps_cost_of_unchanged_schemas": Reach(otherwise="it is about updates of a schema"),
    "compares_library_types_at_once": _BY_COSTS,
    "runs_optional_rules_on_create": Reach(otherwise="it is about whether a rule runs"),
    "keeps_errors_of_indexes": Reach(evaluation=_calls("_[_]", "_[?_]")),
    "hides_errors_of_ranges": Reach(evaluation=_has("two variables")),
    "resets_field_path": Reach(evaluation=_always),
}
_REACHES: Final = tuple(REACH.get(name, _EVERYWHERE) for name in CELDialect._fields)

# The index of each switch that an estimate may depend on, and for which expressions.
_ESTIMATED: Final = tuple(
    (index, reach.estimate) for index, reach in enumerate(_REACHES) if reach.estimate is not _never
)


class _Differences(NamedTuple):
    """The conditions of the switches that two dialects have set differently."""

    types: tuple[_Condition, ...]
    evaluation: tuple[_Condition, ...]


@cache
def _different(first: CELDialect, second: CELDialect) -> _Differences:
    switches = zip(_REACHES, first, second, strict=True)
    reaches = [reach for reach, value, other in switches if value != other]
    return _Differences(
        tuple(reach.types for reach in reaches if reach.types is not _never),
        tuple(reach.evaluation for reach in reaches if reach.evaluation is not _never),
    )


@cache
def _packages() -> frozenset[str]:
    """Return what is before the first dot of the names that a server declares, `net` for `net.IP`."""
    env = stored_expressions(NEWEST).env
    names = (*env.idents, *env.functions)
    return frozenset(name.partition(".")[0] for name in names if "." in name)


# By the class of nodes: a trait of some of them.
_TRAITS: Final[Mapping[type, Mapping[str, Callable[[Any], bool]]]] = {
    Ident: {"absolute name": lambda node: node.name.startswith(".")},
    Select: {
        "keyword": lambda node: node.field in RESERVED,
        "presence test": lambda node: node.test_only,
    },
    Comprehension: {
        "comprehension": lambda _: True,
        "two variables": lambda node: bool(node.iter_var2),
        "local name of a package": lambda node: (
            not _packages().isdisjoint((node.iter_var, node.iter_var2))
        ),
    },
    ListExpr: {"optional entry": lambda node: bool(node.optional_indices)},
    MapExpr: {"optional entry": lambda node: any(entry.optional for entry in node.entries)},
    StructExpr: {"null": lambda _: True, "message": lambda _: True},
}


def uses_of(compiled: Compiled) -> Uses:
    """Return the features that an expression without errors uses."""
    references, types = compiled.result.reference_map.values(), compiled.result.type_map
    all_nodes = list(nodes(compiled.expr))
    called = {compiled.result.function(node) for node in all_nodes if type(node) is Call}
    if EQUALITY.keys().isdisjoint(types.values()):
        called.discard("_==_")
    return Uses(
        overloads=frozenset(id_ for reference in references for id_ in reference.overload_ids),
        names=compiled.result.names,
        functions=tuple(sorted(called)),
        traits=frozenset(_traits(compiled, all_nodes)),
    )


def _traits(compiled: Compiled, all_nodes: Iterable[Expr]) -> Iterator[str]:
    for node in all_nodes:
        for name, has in _TRAITS.get(type(node), {}).items():
            if has(node):
                yield name
    if any(type_.kind is Kind.NULL for type_ in compiled.result.type_map.values()):
        yield "null"
    if any(name in compiled.source.text for name in _SPECIAL_TEXTS):
        yield "special text"


def reads_alike(text: str, on: Environment, other: Environment) -> bool:
    """Return whether the text of an expression has nothing that the two environments declare differently.

    The result of compiling it is the same then. Unlike `compiles_alike`, this needs no result, and either may have more libraries.
    """
    macros = on.parser.macros.keys() ^ other.parser.macros.keys()
    apart = _declared_apart(on.env, other.env)
    is_parsed_alike = (
        on.parser.optional_syntax == other.parser.optional_syntax
        and on.keywords_as_fields == other.keywords_as_fields
    )
    if apart is None or not is_parsed_alike:
        return False
    return not any(name in text for name in (*apart, *(name for name, _, _ in macros)))


@cache
def _declared_apart(env: Env, other: Env) -> frozenset[str] | None:
    """Return the names that two environments declare differently, None if they differ in anything but functions with names."""
    if any(getattr(env, name) != getattr(other, name) for name in _SETTINGS):
        return None
    names = {
        name.rpartition(".")[2]
        for name in env.functions.keys() | other.functions.keys()
        if env.functions.get(name) != other.functions.get(name)
    }
    return frozenset(names) if all(map(str.isidentifier, names)) else None


def compiles_alike(uses: Uses, on: Environment, older: Environment) -> bool:
    """Return whether an expression compiled in the environment `on` has the same result in `older`, with fewer libraries."""
    if not _includes(on.env, older.env):
        return False
    if any(matters(uses) for matters in _different(on.dialect, older.dialect).types):
        return False
    return not any(_missing(uses, on, older))


def _missing(uses: Uses, on: Environment, older: Environment) -> Iterator[bool]:
    """Yield whether an expression uses what an environment lacks, for each kind of what an environment has."""
    traits = uses.traits
    yield "special text" in traits and on.parser.macros.keys() != older.parser.macros.keys()
    yield "keyword" in traits and on.keywords_as_fields != older.keywords_as_fields
    yield "two variables" in traits and _TWO_VARIABLES not in older.parser.macros
    yield "optional entry" in traits and not older.parser.optional_syntax
    yield not uses.overloads <= overload_ids(older.env)
    if on.env.cross_type_comparisons != older.env.cross_type_comparisons:
        yield not uses.overloads.isdisjoint(CROSS_TYPE_COMPARISONS)
    for name in uses.names:
        yield on.env.find_ident(name) is not None and older.env.find_ident(name) is None


def estimates_alike(all_uses: AbstractSet[Uses], on: Environment, older: Environment) -> bool:
    """Return whether expressions compile alike, with the same estimated costs, on two servers that declare the schema alike."""

    def is_alike(uses: Uses) -> bool:
        costs, other = cost_key(uses, on), cost_key(uses, older)
        return costs == other and compiles_alike(uses, on, older)

    return _includes(on.env, older.env) and all(map(is_alike, all_uses))


def evaluates_alike(all_uses: AbstractSet[Uses], on: Environment, older: Environment) -> bool:
    """Return whether expressions compile identically in two environments, with the same results and costs."""
    conditions = _different(on.dialect, older.dialect).evaluation
    rebound = _rebound(on.dialect) | _rebound(older.dialect)

    def is_alike(uses: Uses) -> bool:
        if any(matters(uses) for matters in conditions):
            return False
        if not uses.overloads.isdisjoint(rebound):
            return False
        costs, other = _priced(uses, on), _priced(uses, older)
        return costs == other and compiles_alike(uses, on, older)

    return _includes(on.env, older.env) and all(map(is_alike, all_uses))


@cache
def _rebound(dialect: CELDialect) -> frozenset[str]:
    """Return the ids of the overloads that have another implementation on an older server."""
    return frozenset(id_ for library in LIBRARIES for id_ in library.older_bindings(dialect))


def _priced(uses: Uses, environment: Environment) -> tuple[CallCost | None, ...]:
    """Return the costs that Kubernetes defines for the functions that an expression calls."""
    return tuple(map(environment.costs.get, uses.functions))


def cost_key(uses: Uses, environment: Environment) -> Hashable:
    """Return the switches and costs that the estimate for an expression depends on, besides the schema."""
    dialect = environment.dialect
    switches = [dialect[index] for index, matters in _ESTIMATED if matters(uses)]
    return *switches, _priced(uses, environment)


@cache
def overload_ids(env: Env) -> frozenset[str]:
    """Return the ids of all overloads that an environment declares."""
    return frozenset(overload.id for overloads in env.functions.values() for overload in overloads)


@cache
def _includes(env: Env, smaller: Env) -> bool:
    only_smaller = overload_ids(smaller) - overload_ids(env)
    return only_smaller <= _REMOVED and set(smaller.validators) <= set(env.validators)


@dataclass(slots=True)
class Compilation:
    """The result of compiling an expression in an environment.

    `compiled`: the tree with types, or errors.
    `error`: the server's message, None for an expression without errors.
    """

    compiled: Compiled
    error: str | None
    # None until it is needed, as is the highest cost.
    _uses: Uses | None = None
    # The highest costs on all servers that compile the expression alike, by `cost_key`.
    _costs: dict[Hashable, int] = field(default_factory=dict)
    _highest_cost: int | None = None

    @property
    def uses(self) -> Uses:
        """The features of an expression without errors in which servers differ."""
        if self._uses is None:
            self._uses = uses_of(self.compiled)
        return self._uses

    def highest_cost(self, environment: Environment, estimate: Callable[[], int]) -> int:
        """Return the maximum cost of one evaluation (cost units), estimated once for all servers that count the same costs."""
        if self._highest_cost is None:
            key = self._uses and cost_key(self._uses, environment)
            if key not in self._costs:
                self._costs[key] = estimate()
            self._highest_cost = self._costs[key]
        return self._highest_cost

    def in_other(self, environment: Environment, other: Environment) -> Compilation | None:
        """Return the result of the same text in another environment, or None if that may differ; this one has no error."""
        if not reads_alike(self.compiled.source.text, environment, other):
            uses = self.uses
            if self._highest_cost is not None:
                self._costs.setdefault(cost_key(uses, environment), self._highest_cost)
            if not compiles_alike(uses, environment, other):
                return None
        return Compilation(self.compiled, None, self._uses, self._costs)


@dataclass(slots=True)
class Compilations:
    """The results of compiling one expression against equal declarations.

    `_by_environment`: all of them, by the identity of the environment.
    `_newest`: the newest environment in which it is known to compile, and the result.
    """

    _by_environment: dict[int, Compilation] = field(default_factory=dict)
    _newest: tuple[Environment, Compilation] | None = None

    def get(self, environment: Environment) -> Compilation | None:
        """Return the result for an environment, which may be that of another one, or None."""
        compilation = self._by_environment.get(id(environment))
        if compilation is None and self._newest is not None:
            newest, of_newest = self._newest
            compilation = of_newest.in_other(newest, environment)
            if compilation is not None:
                self._by_environment[id(environment)] = compilation
        return compilation

    def add(self, environment: Environment, compilation: Compilation) -> Compilation:
        """Add the result of compiling the expression itself, and return it."""
        self._by_environment[id(environment)] = compilation
        newest = self._newest
        is_newest = newest is None or newest[0].version < environment.version
        if compilation.error is None and is_newest:
            self._newest = environment, compilation
        return compilation
