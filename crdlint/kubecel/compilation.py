"""Compilation of the rules and message expressions of a schema.

Upstream: apiextensions pkg/apiserver/schema/cel/compilation.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from crdlint.cel.ast import Expr, Select, nodes
from crdlint.cel.builder import RESERVED
from crdlint.cel.compiler import Compiled, compile_text
from crdlint.cel.decls import Env, Variable
from crdlint.cel.dialect import CELDialect
from crdlint.cel.errors import PlanError
from crdlint.cel.estimates import ASTNode, CallEstimate, Estimate
from crdlint.cel.estimator import CostEstimate, estimate
from crdlint.cel.types import BOOL, STRING, Type, optional_type
from crdlint.crd.model import JSONSchemaProps, ValidationRule
from crdlint.kubecel.declarations import Declarations, DeclType
from crdlint.kubecel.environment import (
    KEYWORDS_AS_FIELDS,
    LIBRARIES,
    OVERLOAD_COSTS,
    Environment,
    function_costs,
    new_expressions,
    program_of,
    stored_expressions,
)
from crdlint.kubecel.library.declaration import Library
from crdlint.kubecel.reuse import Compilation, Compilations, Uses
from crdlint.kubecel.sharing import Sharing
from crdlint.kubernetes.servers import FieldState, Range, Server, Version
from crdlint.light import dataclass

SELF: Final = "self"
OLD_SELF: Final = "oldSelf"


class CompilationError(Exception):
    """The rules of a schema cannot be compiled; the text is upstream's."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """The purpose of an expression: its required type, None for any, and the server's messages for each step that can fail."""

    output: Type | None
    not_compiled: str
    wrong_output: str
    not_instantiated: str


_FAILED: Final = "compilation failed: "
_NOT_INSTANTIATED: Final = "instantiation failed: "
RULE: Final = Purpose(
    BOOL,
    _FAILED,
    "cel expression must evaluate to a bool",
    f"program {_NOT_INSTANTIATED}",
)
MESSAGE: Final = Purpose(
    *(STRING, f"messageExpression {_FAILED}", "messageExpression must evaluate to a string"),
    f"messageExpression {_NOT_INSTANTIATED}",
)
# An expression that is evaluated on its own, whose value may have any type.
ANY_VALUE: Final = Purpose(None, _FAILED, "", f"program {_NOT_INSTANTIATED}")


@dataclass(frozen=True, slots=True)
class Expression:
    """A rule or message expression.

    `text`: its source.
    `kind`: what it is for.
    `optional_old_self`: whether `oldSelf` is an optional value.
    `environment`: what the server declares.
    `compiler`: the compiler of the rules of its schema.
    `compilation`: the result, which other servers and schemas may share.
    `compiled`: its tree with types, or errors.
    `error`: the server's message, None without an error.
    """

    text: str
    kind: Purpose
    optional_old_self: bool
    environment: Environment
    compiler: RuleCompiler
    compilation: Compilation
    compiled: Compiled
    error: str | None

    @property
    def has_wrong_type(self) -> bool:
        """Whether it compiles, but has a value of another type than its kind requires."""
        if self.compiled.errors:
            return False
        return self.kind.output not in (None, self.compiled.output_type)

    @property
    def highest_cost(self) -> int:
        """The maximum cost of one evaluation (cost units), 0 for an expression with an error."""
        return self.compilation.highest_cost(
            self.environment, lambda: 0 if self.error is not None else self.cost().total.max
        )

    @property
    def uses(self) -> Uses:
        """The features of an expression without errors in which servers differ."""
        return self.compilation.uses

    def fails_alike(self, other: Environment, *, in_words: bool) -> bool:
        """Return whether an expression with an error has the same one in another environment, in the same words or others."""
        return self.compilation.fails_alike(self.environment, other, in_words=in_words)

    @property
    def env(self) -> Env:
        """The declarations that the expression may use."""
        return self.compiler.env(self.environment, optional_old_self=self.optional_old_self)

    @property
    def declarations(self) -> Declarations:
        """The types of the schema of the rule."""
        return self.compiler.declarations(self.environment)

    def cost(
        self, estimator: KubernetesEstimator | None = None, part: Expr | None = None
    ) -> CostEstimate:
        """Estimate the cost of one evaluation, by default with the bounds of the schema.

        `part` is the part to estimate, which must be outside of any comprehension; by default the whole expression.
        """
        compiled, sizes = self.compiled, estimator or self.estimator()
        return estimate(
            part or compiled.expr,
            compiled.result,
            sizes,
            OVERLOAD_COSTS,
            self.environment.dialect,
        )

    def estimator(self, limits: Mapping[int, int] | None = None) -> KubernetesEstimator:
        """Return an estimator of sizes; `limits` replaces bounds of schemas, by their identity."""
        return KubernetesEstimator(self.compiler.declared, self.environment.dialect, limits)

    def under(self, environment: Environment) -> Expression:
        """Compile the same expression for another environment."""
        return self.compiler.expression(
            self.text,
            self.kind,
            environment,
            optional_old_self=self.optional_old_self,
        )


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule and, if it has no error, its message expression. `uses_old_self` is set once it is known to evaluate to a boolean."""

    rule: Expression
    message: Expression | None = None
    uses_old_self: bool = False

    def expressions(self) -> Iterator[tuple[str, Expression]]:
        """Yield the rule and the message expression, if it has one, each with the name of its field."""
        yield "rule", self.rule
        if self.message is not None:
            yield "messageExpression", self.message


@dataclass(frozen=True, slots=True)
class Environments:
    """The environments for new expressions and for stored ones."""

    new: Environment
    stored: Environment
    stored_rules: frozenset[str] = frozenset()
    stored_messages: frozenset[str] = frozenset()

    @classmethod
    def on(
        cls,
        server: Server,
        *,
        stored_rules: frozenset[str] = frozenset(),
        stored_messages: frozenset[str] = frozenset(),
    ) -> Environments:
        """Return the environments of a server, and which rules and message expressions are stored."""
        new = new_expressions(server)
        stored = stored_expressions(server) if stored_rules or stored_messages else new
        return cls(new, stored, stored_rules, stored_messages)

    def of_rule(self, text: str) -> Environment:
        """Return the environment for a rule."""
        return self.stored if text in self.stored_rules else self.new

    def of_message(self, text: str) -> Environment:
        """Return the environment for a message expression."""
        return self.stored if text in self.stored_messages else self.new


class RuleCompiler:
    """Compiles the rules of one schema; declarations and environments are created once, when a rule first needs them."""

    def __init__(self, declared: DeclType | None, sharing: Sharing | None = None) -> None:
        """Take the declaration of the schema; raise `CompilationError` if it is None."""
        if declared is None:
            raise CompilationError("failed to convert to declType for CEL validation rules")
        self.declared: Final = declared
        self._sharing: Final = sharing if sharing is not None and declared.shape else Sharing()
        self._declarations: dict[tuple[bool, bool], Declarations] = {}
        self._envs: dict[tuple[int, bool], Env] = {}

    def rule(self, rule: ValidationRule, environments: Environments) -> CompiledRule:
        """Compile a rule and, if it has no error, its message expression. Upstream: cel.compileRule."""
        compiled = self.expression(
            rule.rule,
            RULE,
            environments.of_rule(rule.rule),
            optional_old_self=bool(rule.optional_old_self),
        )
        has_value = not compiled.compiled.errors and compiled.compiled.output_type is BOOL
        may_use = has_value and OLD_SELF in rule.rule
        uses_old_self = may_use and OLD_SELF in compiled.compiled.result.names
        if compiled.error is not None or not rule.message_expression:
            return CompiledRule(compiled, uses_old_self=uses_old_self)
        return CompiledRule(compiled, self.message(rule, environments), uses_old_self)

    def message(self, rule: ValidationRule, environments: Environments) -> Expression:
        """Compile the message expression of a rule, which it must have."""
        return self.expression(
            rule.message_expression,
            MESSAGE,
            environments.of_message(rule.message_expression),
            optional_old_self=bool(rule.optional_old_self),
        )

    def expression(
        self,
        text: str,
        kind: Purpose,
        environment: Environment,
        *,
        optional_old_self: bool,
    ) -> Expression:
        """Compile an expression, once for all schemas with equal declarations."""
        key = (text, self.declared.shape, optional_old_self, kind.output)
        compilations = self._sharing.compilations(key, Compilations)
        compilation = compilations.get(environment)
        if compilation is None:
            self._sharing.size += len(text)
            compiled = self._compilation(
                text,
                kind,
                environment,
                optional_old_self,
            )
            compilation = compilations.add(environment, compiled)
        result = compilation.compiled, compilation.error
        return Expression(
            text,
            kind,
            optional_old_self,
            environment,
            self,
            compilation,
            *result,
        )

    def _compilation(
        self,
        text: str,
        kind: Purpose,
        environment: Environment,
        optional_old_self: bool,
    ) -> Compilation:
        env = self.env(environment, optional_old_self=optional_old_self)
        compiled = compile_text(text, env, environment.parser)
        error = None
        if compiled.errors:
            error = kind.not_compiled + compiled.display()
        elif kind.output not in (None, compiled.output_type):
            error = kind.wrong_output
        elif compiled.may_fail_to_plan():
            try:
                program_of(compiled, environment)
            except PlanError as problem:
                failed = kind.not_instantiated + str(problem)
                return Compilation(compiled, failed, can_be_shared=False)
        return Compilation(compiled, error)

    def env(self, environment: Environment, *, optional_old_self: bool) -> Env:
        """Return an environment with `self` and `oldSelf`. Upstream: cel.prepareEnvSet."""
        key = (id(environment), optional_old_self)
        if key not in self._envs:
            provider = self.declarations(environment)
            old = optional_type(provider.self_type) if optional_old_self else provider.self_type
            variables = Variable(SELF, provider.self_type), Variable(OLD_SELF, old)
            self._envs[key] = environment.env.extend(variables, provider)
        return self._envs[key]

    def declarations(self, environment: Environment) -> Declarations:
        """Return the types of the schema, with the names of fields that the environment requires."""
        key = environment.keywords_as_fields, environment.dialect.types_names_of_types
        if key not in self._declarations:
            declarations = Declarations(
                self.declared, keywords_as_fields=key[0], types_names_of_types=key[1]
            )
            self._declarations[key] = declarations
        return self._declarations[key]


class KubernetesEstimator:
    """Estimates sizes from the declarations of a schema; `limits` replaces bounds of schemas, by their identity.

    `consulted` collects the schemas whose bounds were used, by identity. `declared` collects
    the declarations of nodes that are values of the schema, by node id.
    """

    def __init__(
        self, root: DeclType, dialect: CELDialect, limits: Mapping[int, int] | None = None
    ) -> None:
        self._root = root
        self._costs = function_costs(dialect)
        self._limits = limits or {}
        self.consulted: dict[int, JSONSchemaProps] = {}
        self.declared: dict[int, DeclType] = {}

    def estimate_size(self, node: ASTNode) -> Estimate | None:
        """Return the bounds of the value at the path of a node, or None if it has no path."""
        if not node.path:
            return None
        declared: DeclType | None = self._root
        for step in node.path[1:]:
            declared = declared and declared.below(step)
        if declared is None:
            return None
        if node.expr is not None:
            self.declared[node.expr.id] = declared
        if declared.schema is None:
            return Estimate(0, declared.max_elements)
        self.consulted[id(declared.schema)] = declared.schema
        return Estimate(0, self._limits.get(id(declared.schema), declared.max_elements))

    def estimate_call(self, function: str, nodes: Sequence[ASTNode]) -> CallEstimate | None:
        """Return the cost of a function of Kubernetes' libraries, None for others. Upstream: CostEstimator.EstimateCallCost."""
        cost = self._costs.get(function)
        return None if cost is None else cost.estimate(self, nodes)


@dataclass(frozen=True, slots=True)
class Requirement:
    """The oldest server that accepts an expression, and why older ones do not: a short reason, and the reserved words if any."""

    server: Server
    reason: str
    words: tuple[str, ...] = ()


def requirement(expression: Expression, versions: Range) -> Requirement | None:
    """Return what an expression that the newest version accepts requires; None if the oldest accepts it, or if it is stored."""
    if expression.error is not None or expression.environment.is_stored:
        return None
    server = _first_accepting(expression, versions)
    if server is versions.oldest:
        return None
    introduced = (server.major, server.cel.compatible_with)
    used = ", ".join(_used(expression, introduced))
    reason = f"{used} came with {introduced[0]}.{introduced[1]}, and new rules may use it from {server} on"
    words = tuple(_reserved_fields(expression)) if introduced == KEYWORDS_AS_FIELDS else ()
    return Requirement(server, reason if used else "", words)


def _first_accepting(expression: Expression, versions: Range) -> Server:
    """Return the oldest server of a range that accepts an expression, the newest if none does."""
    for server in versions.servers:
        knows_option = server.optional_old_self is FieldState.KNOWN
        if expression.optional_old_self and not knows_option:
            continue
        if expression.under(new_expressions(server)).error is None:
            return server
    return versions.newest


def _reserved_fields(expression: Expression) -> Iterable[str]:
    """Return the reserved words that an expression has as names of fields."""
    fields = [node.field for node in nodes(expression.compiled.expr) if isinstance(node, Select)]
    return dict.fromkeys(field for field in fields if field in RESERVED)


def _used(expression: Expression, introduced: Version) -> Iterator[str]:
    """Yield what an expression uses of the libraries of a version."""
    if introduced == KEYWORDS_AS_FIELDS:
        words = [f"`{field}`" for field in _reserved_fields(expression)]
        if words:
            yield f"{', '.join(words)} as a field's name"
    for library in LIBRARIES:
        if library.introduced == introduced:
            yield from _used_of_library(expression.uses, library)


def _used_of_library(uses: Uses, library: Library) -> Iterator[str]:
    functions = [row.function for row in library.functions if row.id in uses.overloads]
    for name in dict.fromkeys(functions):
        is_operator = not name.replace(".", "").isidentifier()
        if not is_operator:
            yield f"`{name}()`"
    has_macros = any(count == 3 for _, count, _ in library.macros)
    if has_macros and "two variables" in uses.traits:
        yield "macros over two variables"
