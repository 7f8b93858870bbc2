"""Reuse of compiled expressions on servers with fewer libraries.

An expression without errors that uses only features of both servers is parsed and typed identically on both, so it does
not have to be compiled again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Comprehension, ListExpr, MapExpr, Select, nodes
from crdlint.cel.builder import RESERVED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.cel.compiler import Compiled
    from crdlint.cel.env import Env
    from crdlint.kubecel.environment import Environment
    from crdlint.kubernetes.dialect import CELDialect

# Names of types that only the types of a schema declare (`Declarations`).
_SCALAR_NAMES: Final = frozenset({"duration", "timestamp"})
# Names with a special meaning on some servers: of a macro, and of the accumulator of macros.
_MACRO_NAMES: Final = ("existsOne", "__result__")
_FORMAT: Final = "string_format"
_TWO_VARIABLES: Final = ("all", 3, True)


@dataclass(frozen=True, slots=True)
class Uses:
    """The features of an expression that not every server has.

    `names` are those of its variables and types; `keywords` is true if it selects a field named by a keyword.
    """

    overloads: frozenset[str]
    names: frozenset[str]
    keywords: bool
    two_variables: bool
    optional_entries: bool
    macro_names: bool


def uses_of(compiled: Compiled) -> Uses:
    """Return the features that an expression without errors uses."""
    references = compiled.result.reference_map.values()
    all_nodes = list(nodes(compiled.expr))
    return Uses(
        overloads=frozenset(id_ for reference in references for id_ in reference.overload_ids),
        names=frozenset(reference.name for reference in references if reference.name),
        keywords=any(type(node) is Select and node.field in RESERVED for node in all_nodes),
        two_variables=any(type(node) is Comprehension and bool(node.iter_var2) for node in all_nodes),
        optional_entries=any(
            (type(node) is ListExpr and bool(node.optional_indices))
            or (type(node) is MapExpr and any(entry.optional for entry in node.entries))
            for node in all_nodes
        ),
        macro_names=any(name in compiled.source.text for name in _MACRO_NAMES),
    )


def compiles_alike(uses: Uses, on: Environment, older: Environment) -> bool:
    """Return whether an expression compiled in the environment `on` has the same result in `older`, with fewer libraries."""
    return _includes(on.env, older.env) and not any(_obstacles(uses, on, older))


def _obstacles(uses: Uses, on: Environment, older: Environment) -> Iterator[bool]:
    dialect, other = on.dialect, older.dialect
    yield _checks(dialect) != _checks(other)
    yield uses.macro_names
    yield uses.keywords and on.keywords_as_fields != older.keywords_as_fields
    yield uses.two_variables and _TWO_VARIABLES not in older.parser.macros
    yield uses.optional_entries and not older.parser.optional_syntax
    yield not uses.overloads <= overload_ids(older.env)
    yield on.env.cross_type_comparisons != older.env.cross_type_comparisons
    yield _FORMAT in uses.overloads and dialect.exempts_whole_format_arguments != other.exempts_whole_format_arguments
    yield not uses.names.isdisjoint(_SCALAR_NAMES) and dialect.types_names_of_types != other.types_names_of_types
    yield any(on.env.find_ident(name) is not None and older.env.find_ident(name) is None for name in uses.names)


def _checks(dialect: CELDialect) -> tuple[bool, ...]:
    """Return the switches of a dialect that affect the types of expressions without errors."""
    return dialect.null_unifies_either_way, dialect.expects_bool_operands, dialect.validates_mixed_literals


@cache
def overload_ids(env: Env) -> frozenset[str]:
    """Return the ids of all overloads that an environment declares."""
    functions = (env.find_function(name) for name in env.function_names())
    return frozenset(overload.id for function in functions if function is not None for overload in function.overloads)


@cache
def _includes(env: Env, smaller: Env) -> bool:
    return overload_ids(smaller) <= overload_ids(env) and set(smaller.validators) <= set(env.validators)
