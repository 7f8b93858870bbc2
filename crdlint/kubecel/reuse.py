"""Reuse of compiled expressions, their costs and their results on servers with fewer libraries.

An expression without errors that uses only features of both servers is parsed and typed identically on both, so it does
not have to be compiled again. Its cost is the same if it uses no feature whose cost differs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

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
from crdlint.cel.types import Kind
from crdlint.kubecel.environment import EQUALITY, LIBRARIES, Environment, function_costs

# Names of types that only the types of a schema declare (`Declarations`).
_SCALAR_NAMES: Final = frozenset({"duration", "timestamp"})
# Texts with a special meaning on some servers: a macro, the accumulator of macros, and the quote of identifiers.
_MACRO_NAMES: Final = ("existsOne", "__result__", "`")
_FORMAT: Final = "string_format"
_DURATION: Final = "duration"
_INDEXES: Final = frozenset({"_[_]", "_[?_]"})
# The overloads that newer servers do not have.
_REMOVED: Final = frozenset({"int64_to_duration"})
_TWO_VARIABLES: Final = ("all", 3, True)


@dataclass(frozen=True, slots=True)
class Uses:
    """The features of an expression that not every server has, or that servers count different costs for.

    `names` are those of its variables and types, `local_names` those of the variables of its macros. `functions` are
    the names of the functions that it calls, without `==` unless it compares values of a library. The others are the
    `traits` that have a test below.
    """

    overloads: frozenset[str]
    names: frozenset[str]
    local_names: frozenset[str]
    functions: tuple[str, ...]
    traits: frozenset[str]


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
    },
    ListExpr: {"optional entry": lambda node: bool(node.optional_indices)},
    MapExpr: {"optional entry": lambda node: any(entry.optional for entry in node.entries)},
    StructExpr: {"null": lambda _: True},
}


def uses_of(compiled: Compiled) -> Uses:
    """Return the features that an expression without errors uses."""
    references, types = compiled.result.reference_map.values(), compiled.result.type_map
    all_nodes = list(nodes(compiled.expr))
    called = {compiled.result.function(node) for node in all_nodes if type(node) is Call}
    if EQUALITY.keys().isdisjoint(types.values()):
        called.discard("_==_")
    traits = {
        name for node in all_nodes for name, has in _TRAITS.get(type(node), {}).items() if has(node)
    }
    if any(type_.kind is Kind.NULL for type_ in types.values()):
        traits.add("null")
    if any(name in compiled.source.text for name in _MACRO_NAMES):
        traits.add("macro name")
    return Uses(
        overloads=frozenset(id_ for reference in references for id_ in reference.overload_ids),
        names=compiled.result.names,
        local_names=frozenset(_local_names(all_nodes)),
        functions=tuple(sorted(called)),
        traits=frozenset(traits),
    )


def _local_names(all_nodes: Iterable[Expr]) -> Iterator[str]:
    for node in all_nodes:
        if isinstance(node, Comprehension):
            yield from (node.iter_var, node.iter_var2)


def compiles_alike(uses: Uses, on: Environment, older: Environment) -> bool:
    """Return whether an expression compiled in the environment `on` has the same result in `older`, with fewer libraries."""
    return _includes(on.env, older.env) and not any(_obstacles(uses, on, older))


def _obstacles(uses: Uses, on: Environment, older: Environment) -> Iterator[bool]:
    dialect, other = on.dialect, older.dialect
    yield "null" in uses.traits and dialect.null_unifies_either_way != other.null_unifies_either_way
    yield "macro name" in uses.traits
    yield (
        _DURATION in uses.functions
        and dialect.converts_int_to_duration != other.converts_int_to_duration
    )
    yield (
        dialect.resolves_local_names_first != other.resolves_local_names_first
        and ("absolute name" in uses.traits or not uses.local_names.isdisjoint(_prefixes(on.env)))
    )
    yield "keyword" in uses.traits and on.keywords_as_fields != older.keywords_as_fields
    yield "two variables" in uses.traits and _TWO_VARIABLES not in older.parser.macros
    yield "optional entry" in uses.traits and not older.parser.optional_syntax
    yield not uses.overloads <= overload_ids(older.env)
    yield (
        on.env.cross_type_comparisons != older.env.cross_type_comparisons
        and not uses.overloads.isdisjoint(CROSS_TYPE_COMPARISONS)
    )
    yield (
        _FORMAT in uses.overloads
        and dialect.exempts_whole_format_arguments != other.exempts_whole_format_arguments
    )
    yield (
        not uses.names.isdisjoint(_SCALAR_NAMES)
        and dialect.types_names_of_types != other.types_names_of_types
    )
    yield any(
        on.env.find_ident(name) is not None and older.env.find_ident(name) is None
        for name in uses.names
    )


def estimates_alike(all_uses: AbstractSet[Uses], on: Environment, older: Environment) -> bool:
    """Return whether expressions compile alike, with the same estimated costs, on two servers that declare the schema alike."""
    return _includes(on.env, older.env) and all(
        compiles_alike(uses, on, older)
        and cost_key(uses, on.dialect) == cost_key(uses, older.dialect)
        for uses in all_uses
    )


def evaluates_alike(all_uses: AbstractSet[Uses], on: Environment, older: Environment) -> bool:
    """Return whether expressions compile identically in two environments, with the same results and costs."""
    return _includes(on.env, older.env) and all(
        compiles_alike(uses, on, older) and _evaluates_alike(uses, on.dialect, older.dialect)
        for uses in all_uses
    )


def _evaluates_alike(uses: Uses, first: CELDialect, second: CELDialect) -> bool:
    return (
        first.resets_field_path == second.resets_field_path
        and (
            _INDEXES.isdisjoint(uses.functions)
            or first.keeps_errors_of_indexes == second.keeps_errors_of_indexes
        )
        and (
            "two variables" not in uses.traits
            or first.hides_errors_of_ranges == second.hides_errors_of_ranges
        )
        and first.selection_from_error_has_cost == second.selection_from_error_has_cost
        and _priced(uses, first) == _priced(uses, second)
        and uses.overloads.isdisjoint(_rebound(first) | _rebound(second))
    )


@cache
def _rebound(dialect: CELDialect) -> frozenset[str]:
    """Return the ids of the overloads that have another implementation on an older server."""
    return frozenset(id_ for library in LIBRARIES for id_ in library.older_bindings(dialect))


def _priced(uses: Uses, dialect: CELDialect) -> tuple[CallCost | None, ...]:
    """Return the costs that Kubernetes defines for the functions that an expression calls."""
    costs = function_costs(dialect)
    return tuple([costs.get(name) for name in uses.functions])


def cost_key(uses: Uses, dialect: CELDialect) -> Hashable:
    """Return the switches and costs that the estimate for an expression depends on, besides the schema."""
    return (
        dialect.tracks_local_variables,
        dialect.saturates_factors,
        "presence test" in uses.traits and dialect.presence_test_has_cost,
        "comprehension" in uses.traits and dialect.sizes_comprehensions,
        _priced(uses, dialect),
    )


@cache
def _prefixes(env: Env) -> frozenset[str]:
    """Return what is before the first dot of the names that an environment declares, `net` for `net.IP`."""
    names = (*env.idents, *env.functions)
    return frozenset(name.partition(".")[0] for name in names if "." in name)


@cache
def overload_ids(env: Env) -> frozenset[str]:
    """Return the ids of all overloads that an environment declares."""
    return frozenset(overload.id for overloads in env.functions.values() for overload in overloads)


@cache
def _includes(env: Env, smaller: Env) -> bool:
    return overload_ids(smaller) - overload_ids(env) <= _REMOVED and set(smaller.validators) <= set(
        env.validators
    )
