"""Reuse of compiled expressions, their costs and their results on other servers.

An expression without errors that uses only features of both servers is parsed and typed identically on both, so it does
not have to be compiled again. Its cost is the same if it uses no feature whose cost differs. One with errors has the same
ones on both if nothing that it names is declared differently, and no switch matters for its errors.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import field
from functools import cache
from itertools import chain
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
from crdlint.cel.errors import ErrorCode
from crdlint.cel.types import WELL_KNOWN, Kind
from crdlint.kubecel.environment import (
    EQUALITY,
    LIBRARIES,
    Environment,
    stored_expressions,
)
from crdlint.kubernetes.servers import NEWEST
from crdlint.light import NamedTuple, dataclass, regex, replace

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
    """For which expressions a switch of the dialect matters.

    `types`: those without errors whose syntax tree or types it may change, or that have an error on the other side.
    `estimate`: those without errors whose estimated cost it may change.
    `evaluation`: those without errors whose result or actual cost it may change.
    `errors`: those with errors of which it may change more than the words; see `_TRAITS_OF_ERRORS`.
    `words`: those with errors of which it may change the words.
    `otherwise`: why the switch has no condition here, if it has none.
    """

    types: _Condition = _never
    estimate: _Condition = _never
    evaluation: _Condition = _never
    errors: _Condition = _always
    words: _Condition = _never
    otherwise: str = ""


def _unless_compared(what: str) -> Reach:
    return Reach(errors=_never, otherwise=f"{what} are compared")


def _of_estimate(condition: _Condition) -> Reach:
    return Reach(estimate=condition, errors=_never)


def _of_evaluation(condition: _Condition) -> Reach:
    return Reach(evaluation=condition, errors=_never)


def _of_errors(*traits: str) -> Reach:
    return Reach(errors=_has(*traits), otherwise="only errors have another text or position")


def _of_words(*traits: str) -> Reach:
    return Reach(
        errors=_never,
        words=_has(*traits),
        otherwise="only errors have another text",
    )


def _has_wrong_conditions(uses: Uses) -> bool:
    has_conditions = not uses.names.isdisjoint(("_&&_", "_||_"))
    return has_conditions and not uses.traits.isdisjoint(("error about a type", "no overload"))


_EVERYWHERE: Final = Reach(_always, _always, _always, _always)
_BY_LIBRARIES: Final = _unless_compared("the declarations of libraries")
_BY_BINDINGS: Final = _unless_compared("the implementations of functions")
_BY_COSTS: Final = _unless_compared("the costs of functions")
_BY_SCHEMA: Final = _unless_compared("the declarations of the schema")
_SPECIAL_TEXT: Final = Reach(types=_has("special text"), errors=_has("special text"))

# Each switch of the dialect. One that is not here matters for every expression.
REACH: Final[Mapping[str, Reach]] = {
    "compatible_with": _BY_LIBRARIES,
    "stored_with": _BY_LIBRARIES,
    "hides_accumulator": _SPECIAL_TEXT,
    "locates_macro_arguments": _of_errors("syntax error"),
    "parser_locates_line_starts": _of_errors("syntax error"),
    "reads_quoted_identifiers": Reach(
        types=_has("special text"), errors=_has("special text", "syntax error")
    ),
    "has_quoted_identifiers": _SPECIAL_TEXT,
    "quotes_syntax_errors": _of_words("syntax error"),
    "locates_line_starts": _of_errors("several lines"),
    "types_names_of_types": Reach(
        types=_names("duration", "timestamp"), errors=_names("duration", "timestamp")
    ),
    "types_names_by_dyn": Reach(
        types=_names("list", "map", "optional_type"),
        errors=_names("list", "map", "optional_type"),
    ),
    "resolves_local_names_first": Reach(
        types=_has("absolute name", "local name of a package"),
        errors=_has("absolute name", "local name of a package", "message"),
    ),
    "marks_internal_errors": _of_words("error about a type"),
    "types_undeclared_methods": _of_errors("undeclared function", "message"),
    "expects_bool_operands": Reach(
        errors=_has_wrong_conditions, otherwise="only errors have another text or position"
    ),
    "null_unifies_either_way": Reach(types=_has("null"), errors=_has("null")),
    "validates_mixed_literals": Reach(
        types=_has_overload("string_format"), errors=_has("several parts", "validator's error")
    ),
    "exempts_whole_format_arguments": Reach(
        types=_has_overload("string_format"), errors=_has("validator's error")
    ),
    "formats_selected_types": Reach(
        types=_has("message"),
        errors=_has("message"),
        words=_has("type of a type", "error about a type"),
    ),
    "registers_well_known_types": Reach(types=_names(*WELL_KNOWN), errors=_names(*WELL_KNOWN)),
    "names_optional_type": Reach(
        errors=_never,
        words=_has("error about an optional value"),
        otherwise="the declarations of libraries are compared",
    ),
    "allows_offsets_beyond_text": _BY_BINDINGS,
    "searches_empty_text_backwards": _BY_BINDINGS,
    "checks_offsets_of_empty_text": _BY_BINDINGS,
    "limits_ranges": _BY_BINDINGS,
    "rejects_or_of_values": _of_evaluation(_calls("or", "orValue")),
    "converts_int_to_duration": Reach(types=_calls("duration"), errors=_names("duration")),
    "has_optional_list_functions": _BY_LIBRARIES,
    "contains_networks_by_prefix": _BY_BINDINGS,
    "counts_bytes_of_labels": _BY_BINDINGS,
    "checks_format_clauses": _BY_LIBRARIES,
    "writes_powers_without_spaces": _BY_BINDINGS,
    "presence_test_has_cost": _of_estimate(_has("presence test")),
    "sizes_results_of_calls": _of_estimate(_always),
    "selection_from_error_has_cost": _of_evaluation(_always),
    "counts_messages_as_empty": _of_estimate(_has("message")),
    "saturates_factors": _of_estimate(_always),
    "sizes_comprehensions": _of_estimate(_has("comprehension")),
    "tracks_local_variables": _of_estimate(_always),
    "enum_bounds_strings": _BY_SCHEMA,
    "max_length_bounds_int_or_string": _BY_SCHEMA,
    "quantity_cost_by_length": _BY_COSTS,
    "caps_metadata_names": _BY_SCHEMA,
    "counts_affixes_by_argument": _BY_COSTS,
    "counts_matches_as_function": _BY_COSTS,
    "counts_negative_depths": _BY_COSTS,
    "url_has_size": _BY_COSTS,
    "keeps_cost_of_unchanged_schemas": Reach(
        errors=_never, otherwise="it is about updates of a schema"
    ),
    "compares_library_types_at_once": _BY_COSTS,
    "runs_optional_rules_on_create": Reach(
        errors=_never, otherwise="it is about whether a rule runs"
    ),
    "keeps_errors_of_indexes": _of_evaluation(_calls("_[_]", "_[?_]")),
    "hides_errors_of_ranges": _of_evaluation(_has("two variables")),
    "resets_field_path": _of_evaluation(_always),
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
    errors: tuple[_Condition, ...]
    words: tuple[_Condition, ...]


@cache
def _different(first: CELDialect, second: CELDialect) -> _Differences:
    switches = zip(_REACHES, first, second, strict=True)
    reaches = [reach for reach, value, other in switches if value != other]
    return _Differences(
        tuple(reach.types for reach in reaches if reach.types is not _never),
        tuple(reach.evaluation for reach in reaches if reach.evaluation is not _never),
        tuple(reach.errors for reach in reaches if reach.errors is not _never),
        tuple(reach.words for reach in reaches if reach.words is not _never),
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
    ListExpr: {
        "optional entry": lambda node: bool(node.optional_indices),
        "several parts": lambda node: len(node.elements) > 1,
    },
    MapExpr: {
        "optional entry": lambda node: any(entry.optional for entry in node.entries),
        "several parts": lambda node: len(node.entries) > 1,
    },
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


def uses_of_failed(compiled: Compiled) -> Uses:
    """Return what the errors of an expression may depend on: all words and functions in it, and their traits."""
    # Of an expression with syntax errors there is no tree.
    all_nodes = list(nodes(compiled.expr)) if compiled.result.type_map else []
    called = (node.function for node in all_nodes if isinstance(node, Call))
    traits = (name for name, has in _TRAITS_OF_ERRORS.items() if has(compiled))
    return Uses(
        overloads=frozenset(),
        names=frozenset((*_WORD.findall(compiled.source.text), *called)),
        functions=(),
        traits=frozenset((*_traits(compiled, all_nodes), *traits)),
    )


_WORD: Final = regex(r"[A-Za-z_]\w*")


def _has_code(*codes: ErrorCode) -> Callable[[Compiled], bool]:
    return lambda compiled: any(error.problem.code in codes for error in compiled.errors)


def _has_other_than_names(compiled: Compiled) -> bool:
    """Return whether something else than a variable is not declared: a function or a message."""
    is_undeclared = _has_code(ErrorCode.UNDECLARED_REFERENCE)
    return is_undeclared(compiled) and any(
        isinstance(node, Call | StructExpr)
        and node.id in {each.expr_id for each in compiled.errors}
        for node in nodes(compiled.expr)
    )


def _compares_numbers(compiled: Compiled) -> bool:
    """Return whether the overload that decides about a call compares numbers of different types."""
    references = compiled.result.reference_map.values()
    first = chain.from_iterable(reference.overload_ids[:1] for reference in references)
    return not CROSS_TYPE_COMPARISONS.isdisjoint(first)


# The traits of expressions with errors.
_TRAITS_OF_ERRORS: Final[Mapping[str, Callable[[Compiled], bool]]] = {
    "syntax error": lambda compiled: not compiled.result.type_map,
    "validator's error": lambda compiled: not compiled.result.errors,
    "other letters": lambda compiled: not compiled.source.text.isascii(),
    "question mark": lambda compiled: "?" in compiled.source.text,
    "several lines": lambda compiled: "\n" in compiled.source.text,
    "type of a type": lambda compiled: (
        Kind.TYPE in (type_.kind for type_ in compiled.result.type_map.values())
    ),
    "comparison of different numbers": _compares_numbers,
    "undeclared function": _has_other_than_names,
    "error about an optional value": lambda compiled: "optional" in compiled.display(),
    "error about a type": _has_code(
        ErrorCode.NO_FIELD_SELECTION, ErrorCode.TYPE_MISMATCH, ErrorCode.OTHER
    ),
    "no overload": _has_code(ErrorCode.NO_MATCHING_OVERLOAD),
}


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


def fails_alike(
    uses: Uses,
    on: Environment,
    other: Environment,
    *,
    in_words: bool = True,
) -> bool:
    """Return whether an expression with errors, compiled in the environment `on`, has the same ones in another one.

    Unless they are compared `in_words`, errors at the same characters are the same.
    """
    different = _different(on.dialect, other.dialect)
    conditions = (*different.errors, *different.words) if in_words else different.errors
    if any(matters(uses) for matters in conditions):
        return False
    return not any(_apart(uses, on, other))


def _apart(uses: Uses, on: Environment, other: Environment) -> Iterator[bool]:
    """Yield whether an expression with errors has what two environments treat differently, for each kind of that."""
    traits, names = uses.traits, uses.names
    yield "other letters" in traits  # which end a word for CEL
    yield "question mark" in traits and on.parser.optional_syntax != other.parser.optional_syntax
    yield not names.isdisjoint(_macros_apart(uses, on, other))
    yield not names.isdisjoint(_names_apart(on.env, other.env))
    if on.keywords_as_fields != other.keywords_as_fields:
        yield not names.isdisjoint(RESERVED)
    yield "validator's error" in traits and on.env.validators != other.env.validators
    if on.env.cross_type_comparisons != other.env.cross_type_comparisons:
        # Without them, the tree does not show which it may have.
        yield other.env.cross_type_comparisons or "comparison of different numbers" in traits


def _macros_apart(uses: Uses, on: Environment, other: Environment) -> AbstractSet[str]:
    """Return the names of those macros by which two environments may read an expression as different trees."""
    macros, fewer = on.parser.macros.keys(), other.parser.macros.keys()
    apart = {name for name, _, _ in macros ^ fewer}
    if not fewer <= macros or uses.traits & {"syntax error", "two variables"}:
        return apart
    # A tree shows which of the macros with one name it has.
    return apart - {name for name, _, _ in fewer}


@cache
def _names_apart(env: Env, other: Env) -> frozenset[str]:
    """Return the names that two environments declare differently, without the packages that they are in."""
    pairs = (env.functions, other.functions), (env.idents, other.idents)
    return frozenset(
        name.rpartition(".")[2] if name.replace(".", "").isidentifier() else name
        for declared, declared_by_other in pairs
        for name in declared.keys() | declared_by_other.keys()
        if declared.get(name) != declared_by_other.get(name)
    )


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
    `can_be_shared`: whether other environments may have the same result; not known of a program that cannot be made.
    """

    compiled: Compiled
    error: str | None
    can_be_shared: bool = True
    # None until it is needed, as is the highest cost.
    _uses: Uses | None = None
    # The highest costs on all servers that compile the expression alike, by `cost_key`.
    _costs: dict[Hashable, int] = field(default_factory=dict)
    _highest_cost: int | None = None

    @property
    def uses(self) -> Uses:
        """The features of the expression in which servers differ."""
        if self._uses is None:
            self._uses = (uses_of_failed if self.compiled.errors else uses_of)(self.compiled)
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
        """Return the result of the same text in another environment, or None if that may differ."""
        if not self._is_same_in(environment, other):
            return None
        return replace(self, _highest_cost=None)

    def fails_alike(
        self,
        environment: Environment,
        other: Environment,
        *,
        in_words: bool,
    ) -> bool:
        """Return whether an expression with an error has the same one in another environment, see `fails_alike`."""
        return self.can_be_shared and self._is_same_in(environment, other, in_words=in_words)

    def _is_same_in(
        self,
        environment: Environment,
        other: Environment,
        *,
        in_words: bool = True,
    ) -> bool:
        text = self.compiled.source.text
        if reads_alike(text, environment, other):
            return True
        if self.compiled.errors:
            return fails_alike(
                self.uses,
                environment,
                other,
                in_words=in_words,
            )
        if self._highest_cost is not None:
            self._costs.setdefault(cost_key(self.uses, environment), self._highest_cost)
        return compiles_alike(self.uses, environment, other)


@dataclass(slots=True)
class Compilations:
    """The results of compiling one expression against equal declarations.

    `_by_environment`: all of them, by the identity of the environment.
    `_results`: those that were compiled, each with its environment.
    """

    _by_environment: dict[int, Compilation] = field(default_factory=dict)
    _results: list[tuple[Environment, Compilation]] = field(default_factory=list)

    def get(self, environment: Environment) -> Compilation | None:
        """Return the result for an environment, which may be that of another one, or None."""
        compilation = self._by_environment.get(id(environment))
        if compilation is not None:
            return compilation
        for original, result in self._results:
            same = result.in_other(original, environment)
            if same is not None:
                self._by_environment[id(environment)] = same
                return same
        return None

    def add(self, environment: Environment, compilation: Compilation) -> Compilation:
        """Add the result of compiling the expression itself, and return it."""
        self._by_environment[id(environment)] = compilation
        if compilation.can_be_shared:
            self._results.append((environment, compilation))
        return compilation
