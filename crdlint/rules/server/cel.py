"""The CEL of x-kubernetes-validations: that it compiles, gives the right type, and uses oldSelf where it may.

Reproduces the second half of what ValidateCustomResourceDefinitionOpenAPISchema does with rules (apiextensions validation).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import INTERNAL, Code, FieldError, invalid
from crdlint.crd.model import JSONSchemaProps, ValidationRule
from crdlint.crd.paths import Path
from crdlint.golang.text import SPACE
from crdlint.kubecel.cost import CompiledNode, EstimatedRule
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.common import ServerResults, ValidationOptions
from crdlint.rules.engine.finding import (
    Finding,
    Fixer,
    expect,
    quoted_tag,
    quoted_with_comment,
    require,
)
from crdlint.rules.engine.rule import Rule
from crdlint.rules.server import cel_cost
from crdlint.safety import work
from crdlint.safety.bugs import attempt
from crdlint.safety.work import Effort
from crdlint.schema.traversal import Within, at_or_above
from crdlint.yaml.edit import Edit, apply
from crdlint.yaml.editor import quoted
from crdlint.yaml.nodes import Scalar
from crdlint.yaml.scalars import offsets_inside

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr
    from crdlint.kubecel.compilation import Expression
    from crdlint.kubecel.cost.suggest import Suggestions
    from crdlint.kubecel.reasoning.optional_fields import ObjectFields

_SOURCE = "apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema"
_PORTS = (
    "ports: {{type: array, maxItems: 8{}, items: {{type: object, required: [name, port], properties: {{name: {{type: string}},"
    " port: {{type: integer}}}}, x-kubernetes-validations: [{{rule: self.port >= oldSelf.port}}]}}}}"
)
_PLAIN: Final = re.compile(r"[\w(.$/](?:[^#:\n]|:(?! |$)|(?<! )#)*\Z")
_DATA = (
    "type: object\nproperties:\n"
    '  data: {{{}x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{{rule: "self != null"}}]}}\n'
)
# A message of a rule that is to reject objects without a field.
_REFUSES: Final = re.compile(
    r"\b(?:must|required|immutable|cannot|may not|should)\b", re.IGNORECASE
)
_MARKER: Final = "correct the `rule` of `+kubebuilder:validation:XValidation`"
_Rule: Final = partial(Rule, scope="schema", source=_SOURCE, marker=_MARKER)


def _schema(
    rule: str, required: str = "replicas", fields: str = "replicas: {type: integer}"
) -> str:
    names = f"    required: [{required}]\n" if required else ""
    return (
        f"type: object\nproperties:\n  spec:\n    type: object\n{names}"
        f"    properties: {{{fields}}}\n    x-kubernetes-validations:\n    - {rule}\n"
    )


def _quoted_expression(finding: Finding) -> Iterable[Edit]:
    from crdlint.kubecel.repair.patterns import Tokens

    node = finding.scalar()
    yield from quoted_tag(finding, node)
    if Tokens(node.value).is_open:
        yield from quoted_with_comment(finding, node)


def meant(finding: Finding, *, certain: bool) -> Iterable[Edit]:
    """Write what is meant by an expression, or by the rule because of which a default is not valid."""
    reason, path = finding.reason(Code.MEANT), finding.path
    failed = finding.reason(Code.RULE_FAILED)
    if failed is not None and finding.error.cause is not None:
        from crdlint.kubecel.hints import hint

        expression, schema = failed.arguments
        reason = hint(expression, Effort()).reason
        index = [id(rule) for rule in schema.x_validations].index(id(finding.error.cause.rule))
        path = schema.path.child("x-kubernetes-validations").index(index).child("rule")
    if reason is None or reason.arguments[1] != certain:
        return
    node = finding.scalar(path)
    edits: tuple[Edit, ...] = reason.arguments[0]
    text = apply(node.value, edits)
    if (
        edits
        and not node.style
        and (getattr(finding.editor.parent(node), "flow", True) or not _PLAIN.match(text))
    ):
        yield finding.editor.replace(node, quoted(text))
        return
    for edit in edits:
        offsets = require(offsets_inside(finding.editor.text, node, edit.start, edit.end))
        is_quoted = node.style in ("'", '"')
        yield Edit(
            *offsets, finding.editor.value(edit.text, like=node)[1:-1] if is_quoted else edit.text
        )


COMPILES = _Rule("cel-compilation", "Rule or messageExpression does not compile",
    why="The API server compiles every expression against the schema when a CRD is created or updated, and rejects the "
    "CRD if one fails.",
    help="Fix the expression at the reported position",
    bad=_schema("rule: self.replica > 0"), good=_schema("rule: self.replicas > 0"),
    fixes=(
        Fixer("Put the expression in quotes", "safe", _quoted_expression,
            bad=_schema("rule: !self.ready == false", "ready", "ready: {type: boolean}"),
            good=_schema("rule: '!self.ready == false'", "ready", "ready: {type: boolean}")),
        Fixer("Put the expression in quotes", "safe", _quoted_expression,
            bad=_schema("rule: self.name != ' #'", "name", "name: {type: string}"),
            good=_schema("rule: 'self.name != '' #" + "'" * 3, "name", "name: {type: string}")),
        Fixer("Correct the expression", "safe", partial(meant, certain=True),
            bad=_schema("rule: self.replicas > 0 and self.replicas < 9"),
            good=_schema("rule: self.replicas > 0 && self.replicas < 9")),
        Fixer("Correct the expression", "unsafe", partial(meant, certain=False), bad=_schema("rule: (self.replicas > 0"),
            good=_schema("rule: (self.replicas > 0)")),
    ))  # fmt: skip
OUTPUT_TYPE = _Rule("cel-output-type", "Rule does not evaluate to bool, or messageExpression not to string",
    why="A rule is a condition that must be true, and a message is text.",
    help="Make the rule a comparison, such as `self.replicas > 0`; convert a message to a string, such as `string(self.replicas)`",
    bad=_schema("rule: self.replicas"), good=_schema("rule: self.replicas > 0"),
    fixes=(
        Fixer("Correct the expression", "unsafe", partial(meant, certain=False),
            bad=_schema("rule: \"'self.replicas > 0'\""), good=_schema('rule: "self.replicas > 0"')),
    ))  # fmt: skip
OLD_SELF = _Rule("cel-old-self-uncorrelatable", "Rule uses `oldSelf` where old and new items cannot be matched",
    why="The API server matches old and new items only in a map list, by their keys. Below any other list "
    "`oldSelf` would have no value.",
    help="Move the rule to the list itself, or set `x-kubernetes-list-type: map` with keys on the list",
    bad=_schema("rule: has(self.ports)", "", _PORTS.format("")),
    good=_schema(
        "rule: has(self.ports)", "", _PORTS.format(", x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]")
    ))  # fmt: skip


@Fixer("Remove `optionalOldSelf`", "safe")
def _unused_optional(finding: Finding) -> Iterable[Edit]:
    """Remove `optionalOldSelf` from a rule without `oldSelf`; one with it does not compile, which is the cause."""
    return [] if "oldSelf" in expect(Scalar, finding.owner, "rule").value else finding.remove()


OPTIONAL_OLD_SELF = _Rule("cel-optional-old-self-unused", "`optionalOldSelf` on a rule that does not use `oldSelf`",
    why="`optionalOldSelf` changes only the type of `oldSelf`, so it has no effect without it. Kubernetes 1.30 and "
    "later support it.",
    help="Remove `optionalOldSelf`, or use `oldSelf` in the rule",
    marker="remove the `optionalOldSelf` of `+kubebuilder:validation:XValidation`",
    bad=_schema('{rule: "self.replicas > 0", optionalOldSelf: true}'),
    good=_schema('{rule: "!oldSelf.hasValue() || self.replicas >= oldSelf.value().replicas", optionalOldSelf: true}'),
    fixes=(_unused_optional.example(good=_schema('{rule: "self.replicas > 0"}')),))  # fmt: skip

DECLARATION = _Rule("cel-schema-without-type", "Rule on a schema that has no CEL type",
    why="The API server type-checks every rule, and cannot do so without a type for `self`.",
    help="Add a `type` to the schema (and to `items` of a list), or remove the rule",
    marker="", bad=_DATA.format(""), good=_DATA.format("type: object, "), aliases=("cel-schema-undeclared",))  # fmt: skip

UNGUARDED = Rule("cel-optional-field-unguarded", "Rule reads an optional field without checking that it is set",
    observed=("optional-field-in-a-rule",),
    why="The API server rejects every object that does not set the field, because the evaluation ends in an error.",
    help="Check the field with `has()` first, make it required, or give it a default",
    marker=_MARKER, bad=_schema("rule: self.replicas > 0", ""), good=_schema("rule: has(self.replicas) && self.replicas > 0", ""),
    scope="schema", severity="info", origin="crdlint")  # fmt: skip

# Errors that leave a rule or message expression without a cost.
NOT_COMPILED = frozenset({COMPILES.id, OUTPUT_TYPE.id, DECLARATION.id})


def compile_and_estimate(
    nodes: SequenceOf[CompiledNode], options: ValidationOptions, path: Path
) -> tuple[list[FieldError], list[EstimatedRule]]:
    """Compile the rules of a schema's nodes, in order, and return the server's errors and the rules; ``path`` is the schema's."""
    if not nodes:
        return [], []
    from crdlint.kubecel.environment import new_expressions
    from crdlint.kubecel.reuse import estimates_alike

    root, environment = nodes[0].root_schema, new_expressions(options.server)
    context = options.common.context(root, options.server.cel)
    answers = options.common.rules.setdefault(id(root), [])
    for answer in answers:
        if answer.context is context and answer.holds_in(environment, estimates_alike):
            return answer.value
    compiled = list(_compiled(nodes, options))
    rules = [rule for rule in compiled if isinstance(rule, EstimatedRule)]
    advice = cel_cost.advice_for(rules, options.effort)
    result = [*_all_errors(compiled, options, advice), *cel_cost.total(rules, path, advice)], rules
    expressions = (
        expression for rule in rules for expression in (rule.compiled.rule, rule.compiled.message)
    )
    answers.append(ServerResults(result, tuple(filter(None, expressions)), environment, context))
    return result


def compile_hidden(
    nodes: SequenceOf[CompiledNode],
    compiled_now: SequenceOf[EstimatedRule],
    options: ValidationOptions,
    path: Path,
    doubtful: SequenceOf[JSONSchemaProps],
) -> Iterator[FieldError]:
    """Yield the errors about rules that the server compiles only after other errors are fixed.

    ``compiled_now`` are the rules of the schema that it compiles now. The types of ``doubtful`` schemas depend on how they are
    fixed: no error follows from them, and no cost of rules that they are a part of.
    """
    compiled = _compiled(nodes, options, doubtful)
    results = [
        result
        for result in compiled
        if not (isinstance(result, EstimatedRule) and not result.rule.rule.strip(SPACE))
    ]
    rules = [result for result in results if isinstance(result, EstimatedRule)]
    advice = cel_cost.advice_for([*compiled_now, *rules], options.effort)
    yield from _all_errors(results, options, advice)
    for estimated in (*compiled_now, *rules):
        yield from _broken_rules_message(estimated, options)
    if not any(True for _ in cel_cost.total(compiled_now, path, advice)):
        yield from cel_cost.total([*compiled_now, *rules], path, advice)


def _broken_rules_message(
    estimated: EstimatedRule, options: ValidationOptions
) -> Iterator[FieldError]:
    """Yield the error of a message expression that is not compiled yet, since its rule has an error."""
    broken, text = estimated.compiled.rule, estimated.rule.message_expression
    if broken.error is not None and text.strip(SPACE):
        from crdlint.kubecel.compilation import MESSAGE

        message = broken.compiler.expression(
            text, MESSAGE, broken.environment, optional_old_self=broken.optional_old_self
        )
        if message.error is not None:
            yield _problem(
                message, estimated.rule, estimated.path.child("messageExpression"), options.effort
            )


def _compiled(
    nodes: SequenceOf[CompiledNode],
    options: ValidationOptions,
    doubtful: SequenceOf[JSONSchemaProps] = (),
) -> Iterator[FieldError | EstimatedRule]:
    """Yield each rule compiled, or why the rules of a node cannot be; ``doubtful`` leaves costs out (see `compile_hidden`)."""
    if not nodes:
        return
    from crdlint.kubecel import environment
    from crdlint.kubecel.compilation import CompilationError, Environments, RuleCompiler
    from crdlint.kubecel.declarations import DeclarationFailedError, SchemaContext, max_cardinality

    environments = Environments(
        new=environment.new_expressions(options.server),
        stored=environment.stored_expressions(options.server),
        stored_rules=options.preexisting_rules,
        stored_messages=options.preexisting_message_expressions,
    )
    ids = {id(schema) for schema in doubtful}
    uncertain = Within(ids)
    enclosing = at_or_above(doubtful)
    dialect, common = options.server.cel, options.common
    context = (
        SchemaContext(dialect, common.sharing, ids)
        if ids
        else common.context(nodes[0].root_schema, dialect)
    )
    for node in nodes:
        path = node.schema.path.child("x-kubernetes-validations")
        try:
            compiler = RuleCompiler(context.declared(node.schema), common.sharing)
        except DeclarationFailedError as error:
            start = "internal error: failed to construct type information for x-kubernetes-validations rules: "
            yield FieldError(DECLARATION.id, INTERNAL, path, None, f"{start}{error}")
            continue
        except CompilationError as error:
            yield FieldError(DECLARATION.id, INTERNAL, path, None, str(error))
            continue
        has_cost = id(node.schema) not in enclosing and node.schema not in uncertain
        for i, rule in enumerate(node.schema.x_validations):
            compiled = compiler.rule(rule, environments)
            yield EstimatedRule(
                path.index(i),
                node,
                rule,
                compiled,
                cost=compiled.rule.highest_cost if has_cost else 0,
                message_cost=compiled.message.highest_cost
                if has_cost and compiled.message is not None
                else 0,
                cardinality=context.cardinality(node.schema),
                min_size_cardinality=max_cardinality(compiler.declared.min_serialized_size),
            )


def _all_errors(
    results: Iterable[FieldError | EstimatedRule],
    options: ValidationOptions,
    advice: Suggestions | None,
) -> Iterator[FieldError]:
    for result in results:
        if isinstance(result, EstimatedRule):
            yield from _errors(result, options, advice)
        else:
            yield result


def _errors(
    estimated: EstimatedRule, options: ValidationOptions, advice: Suggestions | None
) -> Iterator[FieldError]:
    path, rule, compiled = estimated.path, estimated.rule, estimated.compiled
    yield from cel_cost.over_limit(estimated, options, advice)
    for expression, expression_path in (
        (compiled.rule, path.child("rule")),
        (compiled.message, path.child("messageExpression")),
    ):
        if expression is not None and expression.error is not None:
            yield _problem(expression, rule, expression_path, options.effort)
    if compiled.uses_old_self:
        within = estimated.node.uncorrelatable
        if within is not None:
            detail = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {within}"
            yield invalid(OLD_SELF.id, path.child("rule"), rule.rule, detail, subject=within)
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


def _problem(
    expression: Expression, rule: ValidationRule, path: Path, effort: Effort
) -> FieldError:
    """Return the error of an expression, at the characters that it is about."""
    from crdlint.cel.source_ranges import error_range
    from crdlint.kubecel.hints import Hint, hint

    errors = expression.compiled.errors
    clue, detail = attempt(hint, expression, effort) or Hint(None), expression.error or ""
    declaration = OUTPUT_TYPE if expression.has_wrong_type else COMPILES
    error = invalid(declaration.id, path, rule, detail, help=clue.text, reason=clue.reason)
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


@UNGUARDED.advice
def unguarded_fields(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield reads of optional fields that fail where these are not set, as far as the work of one document proves it."""
    if not crd.rules:
        return
    from crdlint.kubecel.reasoning.optional_fields import ObjectFields

    advisories: list[Advisory] = []
    fields = ObjectFields()
    with work.limited(), suppress(work.WorkLimitError):
        for estimated in crd.rules:
            if estimated.compiled.rule.error is None:
                advisories.extend(_unguarded(estimated, fields))
    yield from advisories


def _is_negated(expr: Expr, node: Expr) -> bool:
    """Return whether a part of an expression is below a `!`, so that a guard around the whole changes its meaning."""
    from crdlint.cel.ast import Call, nodes

    negations = (each for each in nodes(expr) if isinstance(each, Call) and each.function == "!_")
    return any(part.id == node.id for negation in negations for part in nodes(negation))


def _unguarded(estimated: EstimatedRule, fields: ObjectFields) -> Iterator[Advisory]:
    from crdlint.cel.source_ranges import range_at
    from crdlint.kubecel.reasoning.optional_fields import Prover, unguarded

    expression = estimated.compiled.rule
    reads = unguarded(expression)
    if not reads:
        return
    source, prover = expression.compiled.source, Prover(expression, estimated.node.schema, fields)
    for read in filter(prover.proves, reads):
        message = (
            f"rule reads `{read.path}`, which is optional: if it is not set, the evaluation fails with `no "
            f"such key: {read.field}`"
        )
        help_ = f"Write `has({read.path}) && ...` to reject objects without it"
        written = estimated.rule.message  # the author's words
        if _is_negated(expression.compiled.expr, read.node):
            help_ = f"Write `has({read.path}) && ...` inside of the negation, before the part that reads the field"
        elif _REFUSES.search(written):
            help_ = f"{help_} with the message of the rule, or make `{read.field}` required"
        else:
            help_ = f"{help_}, or `!has({read.path}) || ...` to accept them"
        span = range_at(source.text, source.offsets[read.node.id][0])
        yield Advisory(message, estimated.path.child("rule"), help_, span, subject=read.path)
