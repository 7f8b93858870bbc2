"""What CEL offers in each Kubernetes version (apiserver pkg/cel/environment/base.go), as one table.

Where an older server had an older version of a library, a switch of its dialect decides.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from crdlint.cel import env as cel_env
from crdlint.cel import validators
from crdlint.cel.library import costs, lists, optionals, sets, strings, two_var_comprehensions
from crdlint.cel.library.format_check import format_literals
from crdlint.cel.macros import (
    EXISTS_ONE_MACROS,
    OPT_FLAT_MAP_MACROS,
    OPT_MAP_MACROS,
    SORT_BY_MACROS,
    STANDARD_MACROS,
    TWO_VARIABLE_MACROS,
)
from crdlint.cel.parser import ParserOptions
from crdlint.kubecel import libraries

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from crdlint.cel.ast import Expr
    from crdlint.cel.decls import Overload, Variable
    from crdlint.cel.env import Env
    from crdlint.cel.estimator import OverloadEstimator
    from crdlint.cel.validators import Validator
    from crdlint.kubernetes.dialect import CELDialect
    from crdlint.kubernetes.servers import Server, Version

    Macros: TypeAlias = dict[tuple[str, int, bool], Callable[..., Expr]]

ALWAYS: Final = (1, 0)


def _any(_dialect: CELDialect) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Feature:
    """Something of the environment: the version that brought it, and the one that took it away.

    ``has`` returns whether the code of a server has it at all.
    """

    name: str
    introduced: Version
    removed: Version | None = None
    has: Callable[[CELDialect], bool] = _any
    types: tuple[Variable, ...] = ()
    functions: tuple[Overload, ...] = ()
    macros: Macros = field(default_factory=dict)
    validators: tuple[Validator, ...] = ()
    exempt: tuple[str, ...] = ()
    cross_type_comparisons: bool = False
    optional_syntax: bool = False
    costs: Mapping[str, OverloadEstimator] = field(default_factory=dict)

    def in_version(self, version: Version) -> bool:
        """Whether an environment compatible with a version has it."""
        return version >= self.introduced and (self.removed is None or version < self.removed)


FEATURES: Final = (
    Feature(
        "homogeneous literals",
        ALWAYS,
        has=lambda dialect: dialect.validates_mixed_literals,
        validators=(validators.homogeneous_literals,),
    ),
    Feature(
        "existsOne",
        ALWAYS,
        has=lambda dialect: dialect.has_exists_one_in_camel_case,
        macros=EXISTS_ONE_MACROS,
    ),
    Feature("url", ALWAYS, functions=libraries.URLS),
    Feature("regex", ALWAYS, functions=libraries.REGEX),
    Feature("list", ALWAYS, functions=libraries.LISTS),
    Feature("authorizer", (1, 27), functions=libraries.AUTHZ),
    Feature("comparison of different numeric types", (1, 28), cross_type_comparisons=True),
    Feature(
        "optional",
        (1, 28),
        types=optionals.TYPES,
        functions=optionals.functions(1),
        macros=OPT_MAP_MACROS | OPT_FLAT_MAP_MACROS,
        optional_syntax=True,
    ),
    Feature(
        "optional, version 2",
        (1, 28),
        has=lambda dialect: dialect.has_optional_list_functions,
        functions=optionals.ADDED_BY_VERSION_2,
    ),
    Feature("quantity", (1, 28), functions=libraries.QUANTITIES),
    Feature(
        "validation of literals",
        (1, 29),
        validators=(
            validators.duration_literals,
            validators.timestamp_literals,
            validators.regex_literals,
        ),
    ),
    Feature("strings, version 0", ALWAYS, (1, 29), functions=strings.functions(0)),
    Feature("strings", (1, 29), functions=strings.functions(2), exempt=("format",)),
    Feature(
        "validation of format clauses",
        (1, 29),
        has=lambda dialect: dialect.checks_format_clauses,
        validators=(format_literals,),
    ),
    Feature("sets", (1, 29), functions=sets.FUNCTIONS, costs=costs.SETS),
    Feature("ip", (1, 30), types=libraries.IP_TYPES, functions=libraries.IPS),
    Feature("cidr", (1, 30), types=libraries.CIDR_TYPES, functions=libraries.CIDRS),
    Feature("format", (1, 31), functions=libraries.FORMATS),
    Feature("authorizer selectors", (1, 31), functions=libraries.AUTHZ_SELECTORS),
    Feature(
        "two-variable comprehensions",
        (1, 32),
        functions=two_var_comprehensions.FUNCTIONS,
        macros=TWO_VARIABLE_MACROS,
    ),
    Feature("semver", (1, 33), functions=libraries.SEMVERS),
    Feature("lists", (1, 34), functions=lists.functions(3), macros=SORT_BY_MACROS, costs=costs.LISTS),
)

# From here on a field named by a keyword may stand unescaped behind a dot.
KEYWORDS_AS_FIELDS: Final = (1, 31)


@dataclass(frozen=True, slots=True)
class Environment:
    """What expressions of a server are parsed and checked with, and what calls cost.

    `version` is the one whose features it has; `is_stored` is true for expressions that are stored already.
    """

    version: Version
    dialect: CELDialect
    is_stored: bool
    features: tuple[Feature, ...]
    env: Env
    parser: ParserOptions
    costs: Mapping[str, OverloadEstimator]

    @property
    def keywords_as_fields(self) -> bool:
        """Whether `a.namespace` may stand for `a.__namespace__`."""
        return self.version >= KEYWORDS_AS_FIELDS


def new_expressions(server: Server) -> Environment:
    """Return what a server compiles new expressions with: the environment of the version before."""
    return _environment((server.major, server.cel.compatible_with), server.cel, is_stored=False)


def stored_expressions(server: Server) -> Environment:
    """Return what a server compiles expressions with that are stored already: all that its own version has."""
    return _environment((server.major, server.cel.stored_with), server.cel, is_stored=True)


@cache
def _environment(version: Version, dialect: CELDialect, *, is_stored: bool) -> Environment:
    features = tuple(one for one in FEATURES if one.in_version(version) and one.has(dialect))
    env = cel_env.STANDARD.extend(
        dialect=dialect,
        homogeneous=not dialect.validates_mixed_literals,
        cross_type_comparisons=any(feature.cross_type_comparisons for feature in features),
        idents=[type_ for feature in features for type_ in feature.types],
        functions=[overload for feature in features for overload in feature.functions],
        validators=[validator for feature in features for validator in feature.validators],
        exempt=[name for feature in features for name in feature.exempt],
    )
    macros = dict(STANDARD_MACROS)
    for feature in features:
        macros.update(feature.macros)
    optional_syntax = any(feature.optional_syntax for feature in features)
    options = ParserOptions(
        macros=macros, optional_syntax=optional_syntax, enable_identifier_escape_syntax=False, dialect=dialect
    )
    own_costs = {id_: cost for feature in features for id_, cost in feature.costs.items()}
    return Environment(version, dialect, is_stored, features, env, options, own_costs)
