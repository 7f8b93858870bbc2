"""The CEL of x-kubernetes-validations: that it compiles, gives the right type, and uses oldSelf where it may.

Reproduces the second half of what ValidateCustomResourceDefinitionOpenAPISchema does with rules (apiextensions validation).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from functools import partial
from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import INTERNAL, FieldError, invalid
from crdlint.crd.model import JSONSchemaProps, ValidationRule
from crdlint.crd.paths import Path
from crdlint.golang.text import SPACE
from crdlint.kubecel.cost import CompiledNode, EstimatedRule
from crdlint.kubecel.sharing import Dependence
from crdlint.light import NamedTuple
from crdlint.rules.engine import headlines
from crdlint.rules.engine.common import ValidationOptions
from crdlint.rules.engine.rule import Rule
from crdlint.rules.server import cel_cost, forbidden_fields, panics, structural
from crdlint.safety.bugs import attempt
from crdlint.safety.work import Effort
from crdlint.schema.traversal import Within, at_or_above

if TYPE_CHECKING:
    from crdlint.kubecel.compilation import Environments, Expression
    from crdlint.kubecel.cost.suggest import Suggestions
    from crdlint.kubecel.declarations import Doubts, SchemaContext
    from crdlint.kubecel.hints import Hint
    from crdlint.kubecel.sharing import Sharing
    from crdlint.kubernetes.servers import Server

_SOURCE = "apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema"
_PORTS = (
    "ports: {{type: array, maxItems: 8{}, items: {{type: object, required: [name, port], properties: {{name: {{type: string}},"
    " port: {{type: integer}}}}, x-kubernetes-validations: [{{rule: self.port >= oldSelf.port}}]}}}}"
)

_DATA = (
    "type: object\nproperties:\n"
    '  data: {{{}x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{{rule: "self != null"}}]}}\n'
)

MARKER: Final = "correct the `rule` of `+kubebuilder:validation:XValidation`"
_Rule: Final = partial(
    Rule,
    scope="schema",
    source=_SOURCE,
    marker=MARKER,
)


def schema_with(
    rule: str, required: str = "replicas", fields: str = "replicas: {type: integer}"
) -> str:
    """Return a schema whose `spec` has a rule."""
    names = f"    required: [{required}]\n" if required else ""
    return (
        f"type: object\nproperties:\n  spec:\n    type: object\n{names}"
        f"    properties: {{{fields}}}\n    x-kubernetes-validations:\n    - {rule}\n"
    )


COMPILES = _Rule(
    "cel-compilation",
    "Rule or messageExpression does not compile",
    claims_nothing=True,
    headline=headlines.not_compiled,
    hides_costs=True,
    withheld=True,
    why="The API server compiles every expression against the schema when a CRD is created or updated, and rejects the "
    "CRD if one fails.",
    help="Fix the expression at the reported position",
    bad=schema_with("rule: self.replica > 0"),
    good=schema_with("rule: self.replicas > 0"),
)
OUTPUT_TYPE = _Rule(
    "cel-output-type",
    "Rule does not evaluate to bool, or messageExpression not to string",
    observed=("message-expression-is-the-message",),
    headline=headlines.wrong_output,
    withheld=True,
    why="A rule is a condition that must be true, and a message is text.",
    help="Make the rule a comparison, such as `self.replicas > 0`; convert a message to a string, such as `string(self.replicas)`",
    bad=schema_with("rule: self.replicas"),
    good=schema_with("rule: self.replicas > 0"),
)
OLD_SELF = _Rule(
    "cel-old-self-uncorrelatable",
    "Rule uses `oldSelf` where old and new items cannot be matched",
    observed=("old-self-below-atomic-list",),
    headline=headlines.uncorrelatable,
    withheld=True,
    why="The API server matches old and new items only in a map list, by their keys. Below any other list "
    "`oldSelf` would have no value.",
    help="Move the rule to the list itself, or set `x-kubernetes-list-type: map` with keys on the list",
    bad=schema_with("rule: has(self.ports)", "", _PORTS.format("")),
    good=schema_with(
        "rule: has(self.ports)",
        "",
        _PORTS.format(", x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]"),
    ),
)


OPTIONAL_OLD_SELF = _Rule(
    "cel-optional-old-self-unused",
    "`optionalOldSelf` on a rule that does not use `oldSelf`",
    observed=("optional-old-self-on-create",),
    headline="rule on {of} sets `optionalOldSelf` without using `oldSelf`",
    unnecessary=True,
    withheld=True,
    why="`optionalOldSelf` is about `oldSelf`: it may then have no value, so that the rule is also evaluated on create. A rule "
    "without `oldSelf` is evaluated on create anyway. Kubernetes 1.30 and later support it.",
    help="Remove `optionalOldSelf`, or use `oldSelf` in the rule",
    marker="remove the `optionalOldSelf` of `+kubebuilder:validation:XValidation`",
    bad=schema_with('{rule: "self.replicas > 0", optionalOldSelf: true}'),
    good=schema_with(
        '{rule: "!oldSelf.hasValue() || self.replicas >= oldSelf.value().replicas", optionalOldSelf: true}'
    ),
)

DECLARATION = _Rule(
    "cel-schema-without-type",
    "Rule on a schema that has no CEL type",
    claims_nothing=True,
    headline="rule on {of}, whose schema gives CEL no type",
    withheld=True,
    why="The API server type-checks every rule, and cannot do so without a type for `self`.",
    help="Add a `type` to the schema (and to `items` of a list), or remove the rule",
    marker="",
    bad=_DATA.format(""),
    good=_DATA.format("type: object, "),
    aliases=("cel-schema-undeclared",),
)


# Errors that leave a rule or message expression without a cost.
NOT_COMPILED = frozenset({COMPILES.id, OUTPUT_TYPE.id, DECLARATION.id})


class _Basis(NamedTuple):
    """What the errors of a schema's rules depend on: its declarations and its expressions; and whether they have helps."""

    context: SchemaContext
    dependence: Dependence
    has_helps: bool

    def holds(self, options: ValidationOptions, environments: Environments) -> bool:
        """Return whether the rules have the same errors and costs with other options."""
        from crdlint.kubecel.reuse import estimates_alike

        lacks_helps = options.effort.is_wanted and not self.has_helps
        if lacks_helps or not self.context.is_same_on(options.server.cel):
            return False
        return self.dependence.holds_in(
            lambda: environments.new,
            estimates_alike,
            in_words=not options.any_words,
        )


def compile_and_estimate(
    nodes: SequenceOf[CompiledNode], options: ValidationOptions, path: Path
) -> tuple[list[FieldError], list[EstimatedRule]]:
    """Compile the rules of a schema's nodes, in order, and return the server's errors and the rules; ``path`` is the schema's."""
    if not nodes:
        return [], []
    root, environments = nodes[0].root_schema, _environments(options)

    def compile_all() -> tuple[tuple[list[FieldError], list[EstimatedRule]], _Basis]:
        context = _context(root, options)
        compiled = list(
            _compiled(
                nodes,
                context,
                environments,
                options,
            )
        )
        rules = [rule for rule in compiled if isinstance(rule, EstimatedRule)]
        advice = cel_cost.advice_for(rules, options.effort)
        errors = [*_all_errors(compiled, options, advice), *cel_cost.total(rules, path, advice)]
        expressions = (each for rule in rules for _, each in rule.compiled.expressions())
        dependence = Dependence(tuple(expressions), environments.new)
        return (errors, rules), _Basis(context, dependence, options.effort.is_wanted)

    about = "rules", id(root), options.server.panics_without_types
    return options.common.answer(
        about,
        lambda basis: basis.holds(options, environments),
        compile_all,
    )


def compile_hidden(
    nodes: SequenceOf[CompiledNode],
    compiled_now: SequenceOf[EstimatedRule],
    options: ValidationOptions,
    path: Path,
    doubtful: SequenceOf[tuple[JSONSchemaProps, FieldError]],
) -> Iterator[FieldError]:
    """Yield the errors about rules that the server compiles only after other errors are fixed.

    ``compiled_now`` are the rules of the schema that it compiles now. The types of ``doubtful`` schemas depend on how their
    errors are fixed: no error follows from them unless they can only be objects, and no cost of rules that they are a part of.
    """
    results = [
        result
        for result in _hidden(nodes, options, doubtful)
        if not (isinstance(result, EstimatedRule) and not result.rule.rule.strip(SPACE))
    ]
    rules = [result for result in results if isinstance(result, EstimatedRule)]
    advice = cel_cost.advice_for([*compiled_now, *rules], options.effort)
    yield from _all_errors(results, options, advice)
    hints, environments = _Hints(options.effort), _environments(options)
    for estimated in (*compiled_now, *rules):
        yield from _broken_rules_message(estimated, environments, hints)
    if not any(True for _ in cel_cost.total(compiled_now, path, advice)):
        yield from cel_cost.total([*compiled_now, *rules], path, advice)


def _hidden(
    nodes: SequenceOf[CompiledNode],
    options: ValidationOptions,
    doubtful: SequenceOf[tuple[JSONSchemaProps, FieldError]],
) -> Iterable[FieldError | EstimatedRule]:
    if not nodes:
        return ()
    context = _context(nodes[0].root_schema, options, doubtful)
    return _compiled(
        nodes,
        context,
        _environments(options),
        options,
        doubtful,
    )


def _broken_rules_message(
    estimated: EstimatedRule, environments: Environments, hints: _Hints
) -> Iterator[FieldError]:
    """Yield the error of a message expression that is not compiled yet, since its rule has an error."""
    broken, text = estimated.compiled.rule, estimated.rule.message_expression
    if broken.error is not None and text.strip(SPACE):
        message = broken.compiler.message(estimated.rule, environments)
        if message.error is not None:
            path = estimated.path.child("messageExpression")
            yield _problem(
                message,
                estimated.rule,
                path,
                hints.of(message, estimated),
            )


def _environments(options: ValidationOptions) -> Environments:
    """Return what a server declares for the rules of a CRD, new ones and those that the old CRD has already."""
    from crdlint.kubecel.compilation import Environments

    return Environments.on(
        options.server,
        stored_rules=options.preexisting_rules,
        stored_messages=options.preexisting_message_expressions,
    )


def _context(
    root: JSONSchemaProps,
    options: ValidationOptions,
    doubtful: SequenceOf[tuple[JSONSchemaProps, FieldError]] = (),
) -> SchemaContext:
    """Return the declarations of a root schema: without doubts, those that servers share."""
    shapeless = options.incomplete.shapeless
    if not (doubtful or shapeless):
        return options.common.context(root, options.server.cel)
    from crdlint.kubecel.declarations import SchemaContext

    doubts = _doubts(doubtful, shapeless)
    return SchemaContext(options.server.cel, options.common.sharing, doubts)


def _compiled(
    nodes: SequenceOf[CompiledNode],
    context: SchemaContext,
    environments: Environments,
    options: ValidationOptions,
    doubtful: SequenceOf[tuple[JSONSchemaProps, FieldError]] = (),
) -> Iterator[FieldError | EstimatedRule]:
    """Yield each rule compiled, or why the rules of a node cannot be; ``doubtful`` leaves costs out (see `compile_hidden`)."""
    from crdlint.kubecel.compilation import CompilationError
    from crdlint.kubecel.declarations import DeclarationFailedError

    schemas = [schema for schema, error in doubtful if not _is_object_with_fields(schema, error)]
    schemas += options.incomplete.unbounded
    uncertain = Within({id(schema) for schema in schemas})
    enclosing = at_or_above(schemas)
    for node in nodes:
        has_cost = id(node.schema) not in enclosing and node.schema not in uncertain
        try:
            yield from _of_node(
                node,
                context,
                environments,
                options.common.sharing,
                has_cost=has_cost,
            )
        except (DeclarationFailedError, CompilationError) as error:  # before its first rule
            yield _not_declared(node, error, options.server)


def _doubts(
    doubtful: SequenceOf[tuple[JSONSchemaProps, FieldError]],
    shapeless: SequenceOf[JSONSchemaProps],
) -> Doubts:
    """Return which schemas with errors that change their types can only be objects, and which can become anything."""
    from crdlint.kubecel.declarations import Doubts

    objects = {id(schema) for schema, error in doubtful if _can_only_be_object(schema, error)}
    others = {id(schema) for schema, error in doubtful if not _can_only_be_object(schema, error)}
    others.update(map(id, shapeless))
    return Doubts(others, objects - others)


def _can_only_be_object(schema: JSONSchemaProps, error: FieldError) -> bool:
    """Return whether a schema with an error has the fields of its properties however the error is fixed."""
    if _is_object_with_fields(schema, error):
        return True
    is_object = schema.parent is None or bool(schema.properties)
    return is_object and error.rule in _OF_TYPE


def _is_object_with_fields(schema: JSONSchemaProps, error: FieldError) -> bool:
    """Return whether an error is about other fields beside the properties of an object, and it cannot be a map."""
    if not schema.properties or schema.type != "object" or error.rule not in _OF_OTHER_FIELDS:
        return False
    return schema.parent is None or schema.additional_schema is None


_OF_TYPE: Final = frozenset(
    {
        structural.TYPE_REQUIRED.id,
        structural.ROOT_TYPE.id,
        forbidden_fields.TYPE_UNSUPPORTED.id,
    }
)


_OF_OTHER_FIELDS: Final = frozenset({structural.ROOT_MAP.id, forbidden_fields.BOTH_PROPERTIES.id})


def _not_declared(node: CompiledNode, error: Exception, server: Server) -> FieldError:
    """Return the error that the rules of a node have no type for `self`."""
    from crdlint.kubecel.declarations import DeclarationFailedError

    path = node.schema.path.child("x-kubernetes-validations")
    if isinstance(error, DeclarationFailedError):
        failed = "failed to construct type information for x-kubernetes-validations rules"
        return FieldError(
            DECLARATION.id,
            INTERNAL,
            path,
            None,
            f"internal error: {failed}: {error}",
        )
    if server.panics_without_types:
        return panics.panic(path)
    return FieldError(DECLARATION.id, INTERNAL, path, None, str(error))


def _of_node(
    node: CompiledNode,
    context: SchemaContext,
    environments: Environments,
    sharing: Sharing,
    *,
    has_cost: bool,
) -> Iterator[EstimatedRule]:
    """Yield the rules of a node compiled, with their costs if these are certain; raise if `self` has no type."""
    from crdlint.kubecel.compilation import RuleCompiler
    from crdlint.kubecel.declarations import max_cardinality

    declared, cardinality = context.declared(node.schema), context.cardinality(node.schema)
    compiler = RuleCompiler(declared, sharing)
    path = node.schema.path.child("x-kubernetes-validations")
    for i, rule in enumerate(node.schema.x_validations):
        compiled = compiler.rule(rule, environments)
        message = compiled.message
        yield EstimatedRule(
            path.index(i),
            node,
            rule,
            compiled,
            cost=compiled.rule.highest_cost if has_cost else 0,
            message_cost=message.highest_cost if has_cost and message is not None else 0,
            cardinality=cardinality,
            min_size_cardinality=max_cardinality(compiler.declared.min_serialized_size),
        )


def _all_errors(
    results: Iterable[FieldError | EstimatedRule],
    options: ValidationOptions,
    advice: Suggestions | None,
) -> Iterator[FieldError]:
    hints = _Hints(options.effort)
    for result in results:
        if isinstance(result, EstimatedRule):
            yield from _errors(result, options, advice, hints)
        else:
            yield result


def _errors(
    estimated: EstimatedRule,
    options: ValidationOptions,
    advice: Suggestions | None,
    hints: _Hints,
) -> Iterator[FieldError]:
    path, rule, compiled = estimated.path, estimated.rule, estimated.compiled
    yield from cel_cost.over_limit(estimated, options, advice)
    for name, expression in compiled.expressions():
        if expression.error is not None:
            hint = hints.of(expression, estimated)
            yield _problem(expression, rule, path.child(name), hint)
    if compiled.uses_old_self:
        within = estimated.node.uncorrelatable
        if within is not None:
            detail = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {within}"
            yield invalid(
                OLD_SELF.id,
                path.child("rule"),
                rule.rule,
                detail,
                subject=within,
            )
    elif rule.optional_old_self is not None:
        unknown = compiled.rule.error is not None and "oldSelf" in rule.rule
        help_ = "Fix the rule first: the API server counts a rule that does not compile as one without `oldSelf`"
        detail = "may not be set if oldSelf is not used in rule"
        field = path.child("optionalOldSelf")
        yield invalid(
            OPTIONAL_OLD_SELF.id,
            field,
            rule.optional_old_self,
            detail,
            help=help_ if unknown else "",
        )


class _Hints:
    """The hints for expressions, made once for all copies of a rule that aliases of its schema make."""

    def __init__(self, effort: Effort) -> None:
        self._effort: Final = effort
        # With the expressions, which keep what the keys identify.
        self._known: Final[dict[tuple[int, ...], tuple[Expression, Hint]]] = {}

    def of(self, expression: Expression, estimated: EstimatedRule) -> Hint:
        """Return the hint for an expression of a rule that has an error."""
        from crdlint.kubecel.hints import Hint, hint

        if not self._effort.is_wanted:
            return Hint(None)
        key = *estimated.written, id(expression.compilation)
        if key not in self._known:
            clue = attempt(hint, expression, self._effort) or Hint(None)
            self._known[key] = expression, clue
        return self._known[key][1]


def _problem(
    expression: Expression,
    rule: ValidationRule,
    path: Path,
    hint: Hint,
) -> FieldError:
    """Return the error of an expression, at the characters that it is about."""
    from crdlint.cel.source_ranges import error_range

    errors = expression.compiled.errors
    detail = expression.error or ""
    declaration = OUTPUT_TYPE if expression.has_wrong_type else COMPILES
    error = invalid(
        declaration.id,
        path,
        rule,
        detail,
        help=hint.text,
        reason=hint.reason,
    )
    if expression.has_wrong_type:
        return error._replace(subject=str(expression.compiled.output_type))
    if not errors:
        return error._replace(subject=detail.removeprefix(expression.kind.not_instantiated))
    first = min(errors, key=lambda problem: problem.location)
    return error._replace(
        inside=error_range(first, expression.compiled.source),
        errors=len(errors),
        subject=first.problem,
    )
