"""Evaluation of an expression or of a CRD's rules at a field: errors, type, costs and value, and the values of the parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from crdlint.cel.errors import Error
from crdlint.cel.estimates import multiply
from crdlint.cel.eval.program import Evaluated
from crdlint.cel.source_ranges import error_range
from crdlint.diagnostics import Diagnostic
from crdlint.evaluation import field_paths
from crdlint.evaluation.field_paths import NoFieldError
from crdlint.evaluation.trace import TraceStep, TraceTree, deciding
from crdlint.golang.text import SPACE
from crdlint.kubecel import evaluation
from crdlint.kubecel.compilation import ANY_VALUE, OLD_SELF, SELF, Expression, RuleCompiler
from crdlint.kubecel.cost import PER_CALL_LIMIT, RULE_COST_LIMIT, RUNTIME_BUDGET
from crdlint.kubecel.declarations import Declarer, SchemaContext, max_cardinality, type_text
from crdlint.kubecel.environment import new_expressions, program_of
from crdlint.kubecel.evaluation import MISSING
from crdlint.kubecel.hints import hint
from crdlint.kubecel.values import to_value
from crdlint.light import dataclass, replace
from crdlint.resources.validation import RULE_ID
from crdlint.rules.server.cel import COMPILES, OUTPUT_TYPE
from crdlint.safety import work
from crdlint.safety.bugs import attempt
from crdlint.safety.work import Effort, WorkLimitError

if TYPE_CHECKING:
    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import JSONSchemaProps, ValidationRule
    from crdlint.evaluation.source import ExpressionSource
    from crdlint.kubecel.second_opinion import Opinion
    from crdlint.kubernetes.servers import Server


NAME: Final = "<expression>"  # of the text in diagnostics


@dataclass(frozen=True, slots=True)
class ExpressionCost:
    """The estimated cost of an expression.

    `highest`: the highest cost of one evaluation (cost units).
    `times`: how often a rule at the field is evaluated in one object at most.
    `is_bounded`: whether a limit of the schema bounds that number. If none does, it is the number of
        values that fit into a request.
    `has_limits`: whether limits of sizes are known, which are those of a CRD.
    """

    highest: int
    times: int
    is_bounded: bool
    has_limits: bool

    @property
    def total(self) -> int:
        """The highest cost of a rule with the expression in one object."""
        return multiply(self.highest, self.times)

    @property
    def share(self) -> float:
        """The share of the budget of a rule."""
        return self.total / RULE_COST_LIMIT

    @property
    def is_rejected(self) -> bool:
        """Whether the API server rejects a rule with the expression because of its cost."""
        return self.has_limits and self.share > 1


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of an expression.

    `text`: the expression.
    `path`: the field that is `self`.
    `errors`: the errors of an expression that does not compile, which has nothing of what follows.
    `type`: its type, as text.
    `estimate`: its estimated cost.
    `result`: its value and cost, None if it was not evaluated.
    `tree`: its sub-expressions.
    `not_evaluated`: the reason why it was not evaluated.
    `opinion`: how cel-python evaluates it.
    """

    text: str
    path: str
    errors: tuple[Diagnostic, ...] = ()
    type: str = ""
    estimate: ExpressionCost | None = None
    result: Evaluated | None = None
    tree: TraceStep | None = None
    not_evaluated: str | None = None
    opinion: Opinion | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether the expression compiles, is within the budget, and was evaluated without an error, if at all."""
        has_failed = self.result is not None and self.result.error is not None
        is_too_expensive = self.estimate is not None and self.estimate.is_rejected
        return not (self.errors or has_failed or is_too_expensive)


class Workbench:
    """Evaluates expressions at one field of a source."""

    def __init__(self, source: ExpressionSource, field: str = "") -> None:
        """Find `field`; raise NoFieldError."""
        self.source: Final = source
        self.steps: Final[tuple[field_paths.FieldStep, ...]] = field_paths.parse_field_path(field)
        self.field: Final = field_paths.field_path_text(self.steps)
        self.schema: Final = self._find_schema()
        is_resource = source.definition is not None
        if self.steps:
            is_resource = self.schema.x_embedded_resource
        self.environment: Final = new_expressions(source.server)
        declared = Declarer(source.server.cel).declare(self.schema, is_resource=is_resource)
        if declared is None:
            help_ = "Add a `type` to its schema, and to `items` of a list"
            raise NoFieldError(f"{self.field or 'the object'} has no CEL type", help_)
        self._compiler = RuleCompiler(declared)
        # The declarations that expressions may use, and the types of the schema at the field.
        self.env: Final = self._compiler.env(self.environment, optional_old_self=False)
        self.declarations: Final = self._compiler.declarations(self.environment)
        self.variables: Final[dict[str, Any]] = {}
        for name, root in ((SELF, source.value), (OLD_SELF, source.old)):
            value = field_paths.value_at(root, self.steps)
            if value is not MISSING:
                self.variables[name] = to_value(value, self.schema, is_resource=is_resource)

    def _find_schema(self) -> JSONSchemaProps:
        if self.source.schema is not None:
            return field_paths.schema_at(self.source.schema, self.steps)
        if self.steps:
            raise _untyped()
        return field_paths.any_schema()

    def compile(self, text: str) -> Expression:
        """Compile an expression as the server compiles a new one."""
        return self._compiler.expression(
            text,
            ANY_VALUE,
            self.environment,
            optional_old_self=False,
        )

    def evaluate(self, text: str, *, second_opinion: bool = False) -> Answer:
        """Compile, estimate and evaluate an expression; raise NoFieldError if it uses a variable of an unknown type."""
        with work.limited():
            expression = self.compile(text)
            if expression.error is not None:
                return Answer(text, self.field, (self._error(expression),))
            reason = self._not_evaluated(expression)
            answer = Answer(
                text,
                self.field,
                type=type_text(expression.compiled.output_type),
                estimate=self._estimate(expression),
                not_evaluated=reason,
            )
            if reason is not None:
                return answer
            result, tree = traced(expression, self.variables)
            opinion = self._second_opinion(expression, result) if second_opinion else None
            return replace(
                answer,
                result=result,
                tree=tree,
                opinion=opinion,
            )

    def _second_opinion(self, expression: Expression, result: Evaluated) -> Opinion:
        from crdlint.kubecel import second_opinion as second

        steps = second.Steps(second.STEPS_OF_RULE)
        return second.opinion(
            expression,
            self.variables,
            result,
            steps,
            set(),
        )

    def _estimate(self, expression: Expression) -> ExpressionCost:
        cardinality = SchemaContext(self.source.server.cel).cardinality(self.schema)
        times = cardinality
        if times is None:
            times = max_cardinality(self._compiler.declared.min_serialized_size)
        return ExpressionCost(
            highest=expression.cost().total.max,
            times=times,
            is_bounded=cardinality is not None,
            has_limits=self.source.definition is not None,
        )

    def _not_evaluated(self, expression: Expression) -> str | None:
        """Return the reason why an expression cannot be evaluated on the object, or None."""
        names = expression.compiled.result.names
        if self.source.schema is None and not names.isdisjoint((SELF, OLD_SELF)):
            raise _untyped()
        objects = ((SELF, self.source.value, "--object"), (OLD_SELF, self.source.old, "--old"))
        for name, root, option in objects:
            has_value = name in self.variables
            if has_value or name not in names:
                continue
            if root is MISSING:
                return f"{name} has no value: name an object with {option}"
            return f"{name} has no value: the object has no {self.field}"
        return None

    def _error(self, expression: Expression) -> Diagnostic:
        """Return the error of an expression, at the characters that it is about."""
        text = expression.error or ""
        source = expression.compiled.source
        start, end = 0, len(expression.text)
        headline, help_ = "", None
        if expression.compiled.errors:
            first = min(expression.compiled.errors, key=lambda error: error.location)
            headline = first.message
            help_ = attempt(hint, expression, Effort())
            range_ = error_range(first, source)
            if range_ is not None:
                start, end = range_
        begin, stop = source.location(start), source.location(end)
        rule = OUTPUT_TYPE if expression.has_wrong_type else COMPILES
        return Diagnostic(
            "apiserver",
            "field",
            rule.id,
            "error",
            text,
            detail=text,
            file=NAME,
            line=begin.line,
            column=begin.column + 1,
            end_line=stop.line,
            end_column=stop.column + 1,
            help=help_.text if help_ is not None else None,
            headline=headline,
        )


def _untyped() -> NoFieldError:
    help_ = "Name a CRD with --crd, an object with --object, or a type with --type"
    return NoFieldError("the type of `self` is not known", help_)


def traced(expression: Expression, variables: dict[str, Any]) -> tuple[Evaluated, TraceStep]:
    """Evaluate an expression without errors, with its sub-expressions."""
    planned = program_of(expression.compiled, expression.environment)
    try:
        result, events = planned.trace(variables, PER_CALL_LIMIT)
    except WorkLimitError as limit:
        result, events = Evaluated(Error(str(limit)), 0), []
    return result, TraceTree(expression.compiled, events, variables).root(result.value, result.cost)


_ON_UPDATE: Final = "a transition rule is only evaluated on update: name the old object with --old"


@dataclass(frozen=True, slots=True)
class SchemaRule:
    """A rule of a schema: the path of the values to report, and its number at that path, from 1."""

    steps: tuple[field_paths.FieldStep, ...]
    number: int
    rule: ValidationRule

    def not_evaluated(self, reason: str, message: str = "") -> RuleResult:
        """Return the result of the rule where it was not evaluated."""
        text, path = self.rule.rule.strip(SPACE), field_paths.field_path_text(self.steps)
        return RuleResult(
            text,
            path,
            self.number,
            message,
            not_evaluated=reason,
        )


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The result of a rule for one value.

    `rule`: the text of the rule.
    `path`: the path of the value.
    `number`: the number of the rule in its schema, from 1.
    `message`: the server's error, empty if the rule accepts the value.
    `result`: its value and cost, None if it was not evaluated.
    `not_evaluated`: the reason why it was not evaluated.
    `tree`: its sub-expressions.
    """

    rule: str
    path: str
    number: int
    message: str = ""
    result: Evaluated | None = None
    not_evaluated: str = ""
    tree: TraceStep | None = None

    @property
    def why(self) -> tuple[TraceStep, ...]:
        """The sub-expressions that decided its value."""
        return () if self.tree is None else tuple(deciding(self.tree))

    @property
    def is_accepted(self) -> bool:
        """Whether the rule rejects nothing."""
        return not self.message


_SchemaAt: TypeAlias = "tuple[JSONSchemaProps, tuple[field_paths.FieldStep, ...]]"


def rules_of(schema: JSONSchemaProps) -> Iterator[SchemaRule]:
    """Yield the rules of a schema and its subschemas, parents first."""
    stack: list[_SchemaAt] = [(schema, ())]
    while stack:
        current, steps = stack.pop()
        yield from _own_rules(current, steps)
        below: list[_SchemaAt] = [
            (child, (*steps, name)) for name, child in current.properties.items()
        ]
        others = filter(None, (current.item_schema, current.additional_schema))
        below += [(child, (*steps, field_paths.AnyItem())) for child in others]
        stack.extend(reversed(below))


def _own_rules(
    schema: JSONSchemaProps, steps: tuple[field_paths.FieldStep, ...]
) -> list[SchemaRule]:
    return [SchemaRule(steps, number, rule) for number, rule in enumerate(schema.x_validations, 1)]


def selected(source: ExpressionSource, selector: str) -> list[SchemaRule]:
    """Return the rules at a field, or else those whose text contains `selector`; raise NoFieldError if none does."""
    schema = source.schema
    if schema is None or source.definition is None:
        raise NoFieldError("--rule needs a CRD", "Name it with --crd")
    rules = list(rules_of(schema))
    try:
        steps = field_paths.parse_field_path(selector)
        chosen = _own_rules(field_paths.schema_at(schema, steps), steps)
    except NoFieldError:
        chosen = [schema_rule for schema_rule in rules if selector in schema_rule.rule.rule]
    if not chosen:
        message = f"no rule at {selector!r}, and none that contains it"
        raise NoFieldError(message, _places_text(rules))
    return chosen


def _places_text(rules: Iterable[SchemaRule]) -> str:
    """Return a help that names the fields with rules."""
    texts = (field_paths.field_path_text(schema_rule.steps) for schema_rule in rules)
    paths = list(dict.fromkeys(text or "." for text in texts))
    if not paths:
        return "The schema has no rules"
    return f"There are rules at {field_paths.first_names(paths)}"


@work.limited()
def run_rules(source: ExpressionSource, rules: Sequence[SchemaRule]) -> list[RuleResult]:
    """Evaluate rules on the object of a source as the server does, as an update if it has an old object."""
    assert source.schema is not None  # noqa: S101  rules are those of a schema
    if source.value is MISSING:
        return [schema_rule.not_evaluated("name an object with --object") for schema_rule in rules]
    stopped = ""
    with evaluation.recorded() as record:
        run = evaluation.Run(RULE_ID, RUNTIME_BUDGET)
        try:
            validator = evaluation.RuleValidators(source.server).of(source.schema)
            evaluation.validate_rules(
                validator,
                run,
                None,
                source.value,
                source.old,
            )
        except evaluation.OutOfBudgetError:
            stopped = "the rules before it exceed the budget of the object"
    results = []
    for schema_rule in rules:
        errors = _errors_of(schema_rule, run.errors, source.server)
        evaluated = _evaluated(schema_rule, record, errors)
        results += evaluated or [_unevaluated(schema_rule, source, errors, stopped)]
    return results


def _errors_of(
    schema_rule: SchemaRule, errors: Iterable[FieldError], server: Server
) -> dict[str, str]:
    """Return the errors of a rule by the path of the value."""
    texts = {}
    for error in errors:
        cause = error.cause
        if cause is not None and cause.rule is schema_rule.rule:
            texts[str(cause.self_path)] = str(error.on(server))
    return texts


def _evaluated(
    schema_rule: SchemaRule, record: Iterable[evaluation.Evaluation], errors: dict[str, str]
) -> list[RuleResult]:
    """Return the results of a rule for each value at its path, from the record of a run."""
    results = []
    for run in record:
        path = run.cause.self_path
        is_own = run.cause.rule is schema_rule.rule
        if is_own and field_paths.matches(schema_rule.steps, path):
            message = errors.get(str(path), "")
            results.append(_result(schema_rule, run, message))
    return results


def _unevaluated(
    schema_rule: SchemaRule,
    source: ExpressionSource,
    errors: dict[str, str],
    stopped: str,
) -> RuleResult:
    """Return the result of a rule that was evaluated for no value, with the reason."""
    broken = next(iter(errors.values()), "")
    if broken:
        return schema_rule.not_evaluated("it does not compile", broken)
    if stopped:
        return schema_rule.not_evaluated(stopped)
    reason = "the object has no value at its place"
    if "oldSelf" in schema_rule.rule.rule:
        has_old = source.old is not MISSING
        reason = f"{reason}, or had none" if has_old else _ON_UPDATE
    return schema_rule.not_evaluated(reason)


def _result(schema_rule: SchemaRule, run: evaluation.Evaluation, message: str) -> RuleResult:
    result, tree = traced(run.compiled.rule, dict(run.variables))
    text, path = schema_rule.rule.rule.strip(SPACE), str(run.cause.self_path or "")
    return RuleResult(
        text,
        path,
        schema_rule.number,
        message,
        result,
        tree=tree,
    )
