"""Compilation of a schema's rules and message expressions (apiextensions pkg/apiserver/schema/cel/compilation.go)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.cel.compiler import compile_text
from crdlint.cel.decls import Variable
from crdlint.cel.types import BOOL, STRING, optional_type
from crdlint.kubecel.declarations import Declarations

if TYPE_CHECKING:
    from crdlint.cel.compiler import Compiled
    from crdlint.cel.env import Env
    from crdlint.cel.types import Type
    from crdlint.crd.model import JSONSchemaProps, ValidationRule
    from crdlint.kubecel.declarations import DeclType
    from crdlint.kubecel.environment import Environment

SELF: Final = "self"
OLD_SELF: Final = "oldSelf"


class CompilationError(Exception):
    """A schema whose rules cannot be compiled at all; its text is upstream's."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A rule or message expression compiled: `error` is what the server says of it, None where it is well."""

    text: str
    compiled: Compiled
    environment: Environment
    error: str | None = None


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule and, where the rule itself is well and has one, its message expression.

    `uses_old_self` is known as soon as the rule gives a boolean.
    """

    rule: Expression
    message: Expression | None = None
    uses_old_self: bool = False


@dataclass(frozen=True, slots=True)
class Environments:
    """What new expressions are compiled with, and what those that are stored already."""

    new: Environment
    stored: Environment
    stored_rules: frozenset[str] = frozenset()
    stored_messages: frozenset[str] = frozenset()

    def of_rule(self, text: str) -> Environment:
        """Return what a rule is compiled with."""
        return self.stored if text in self.stored_rules else self.new

    def of_message(self, text: str) -> Environment:
        """Return what a message expression is compiled with."""
        return self.stored if text in self.stored_messages else self.new


def compile_rules(schema: JSONSchemaProps, declared: DeclType | None, environments: Environments) -> list[CompiledRule]:
    """Compile the rules of a schema in order; raises `CompilationError` where its type is not known."""
    if declared is None:
        raise CompilationError("failed to convert to declType for CEL validation rules")
    compiler = _Compiler(declared, environments)
    return [compiler.rule(rule) for rule in schema.x_validations]


class _Compiler:
    """The environments of one schema, made where a rule asks for them."""

    def __init__(self, declared: DeclType, environments: Environments) -> None:
        self._declared = declared
        self._environments = environments
        self._declarations: dict[bool, Declarations] = {}
        self._envs: dict[tuple[int, bool], Env] = {}

    def rule(self, rule: ValidationRule) -> CompiledRule:
        optional = bool(rule.optional_old_self)
        environment = self._environments.of_rule(rule.rule)
        expression = self._compile(rule.rule, environment, BOOL, _OF_RULE, optional=optional)
        uses_old_self = expression.error is None and any(
            reference.name == OLD_SELF for reference in expression.compiled.result.reference_map.values()
        )
        if expression.error is not None or not rule.message_expression:
            return CompiledRule(expression, uses_old_self=uses_old_self)
        environment = self._environments.of_message(rule.message_expression)
        message = self._compile(rule.message_expression, environment, STRING, _OF_MESSAGE, optional=optional)
        return CompiledRule(expression, message, uses_old_self)

    def _compile(
        self, text: str, environment: Environment, output: Type, texts: _Texts, *, optional: bool
    ) -> Expression:
        compiled = compile_text(text, self._env(environment, optional=optional), environment.parser)
        error = None
        if compiled.errors:
            error = texts.compilation + compiled.display()
        elif compiled.output_type is not output:
            error = texts.output
        return Expression(text, compiled, environment, error)

    def _env(self, environment: Environment, *, optional: bool) -> Env:
        key = (id(environment), optional)
        env = self._envs.get(key)
        if env is None:
            keywords = environment.keywords_as_fields
            provider = self._declarations.get(keywords)
            if provider is None:
                provider = self._declarations[keywords] = Declarations(self._declared, keywords_as_fields=keywords)
            self_type = provider.self_type
            old = optional_type(self_type) if optional else self_type
            env = environment.env.extend(idents=(Variable(SELF, self_type), Variable(OLD_SELF, old)), provider=provider)
            self._envs[key] = env
        return env


@dataclass(frozen=True, slots=True)
class _Texts:
    """What the server says of an expression at each step."""

    compilation: str
    output: str
    instantiation: str


_OF_RULE: Final = _Texts(
    "compilation failed: ", "cel expression must evaluate to a bool", "program instantiation failed: "
)
_OF_MESSAGE: Final = _Texts(
    "messageExpression compilation failed: ",
    "messageExpression must evaluate to a string",
    "messageExpression instantiation failed: ",
)
