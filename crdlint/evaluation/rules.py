"""The rules of a CRD at one place of an object: the value and message of each, and the sub-expressions that decided it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.evaluation.evaluate import traced
from crdlint.evaluation.places import AnyItem, PlaceError, PlaceStep, matches, parse_place, place_text, schema_at
from crdlint.evaluation.trace import Step, deciding
from crdlint.golang.text import SPACE
from crdlint.kubecel.evaluation import (
    MISSING,
    Evaluation,
    OutOfBudgetError,
    Run,
    recorded,
    rule_validator,
    validate_rules,
)
from crdlint.kubecel.limits import RUNTIME_BUDGET
from crdlint.resources.validation import RULE_ID
from crdlint.safety import work

if TYPE_CHECKING:
    from crdlint.cel.eval.program import Result
    from crdlint.crd.model import JSONSchemaProps, ValidationRule
    from crdlint.evaluation.source import Source

_LISTED: Final = 8


@dataclass(frozen=True, slots=True)
class SchemaRule:
    """A rule of a schema: the path of its values, and its number at that path, from 1."""

    steps: tuple[PlaceStep, ...]
    number: int
    rule: ValidationRule


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The result of a rule for one value: `message` is the server's error, empty if the rule accepts the value.

    `result` is None if the rule was not evaluated, for the reason `not_evaluated`. `why` are the sub-expressions that
    decided its value, `tree` all of them.
    """

    rule: str
    path: str
    number: int
    message: str = ""
    result: Result | None = None
    not_evaluated: str = ""
    why: tuple[Step, ...] = ()
    tree: Step | None = None

    @property
    def is_accepted(self) -> bool:
        """Whether the rule rejects nothing."""
        return not self.message


def rules_of(schema: JSONSchemaProps) -> Iterator[SchemaRule]:
    """Yield the rules of a schema and its subschemas, parents first."""
    stack: list[tuple[JSONSchemaProps, tuple[PlaceStep, ...]]] = [(schema, ())]
    while stack:
        current, steps = stack.pop()
        for number, rule in enumerate(current.x_validations, 1):
            yield SchemaRule(steps, number, rule)
        below: list[tuple[JSONSchemaProps, tuple[PlaceStep, ...]]] = [
            (child, (*steps, name)) for name, child in current.properties.items()
        ]
        below += [
            (holder.schema, (*steps, AnyItem()))
            for holder in (current.items, current.additional_properties)
            if holder is not None and holder.schema is not None
        ]
        stack.extend(reversed(below))


def selected(source: Source, selector: str) -> list[tuple[tuple[PlaceStep, ...], SchemaRule]]:
    """Return the rules at a place, or else those whose text contains `selector`, and the place of the values to report.

    Raise PlaceError if there is none.
    """
    schema = source.schema
    if schema is None or source.definition is None:
        raise PlaceError("--rule needs a CRD", "Name it with --crd")
    known = list(rules_of(schema))
    try:
        steps = parse_place(selector)
        node = schema_at(schema, steps)
    except PlaceError:
        containing = [(schema_rule.steps, schema_rule) for schema_rule in known if selector in schema_rule.rule.rule]
        if containing:
            return containing
    else:
        at_place = [(steps, SchemaRule(steps, number, rule)) for number, rule in enumerate(node.x_validations, 1)]
        if at_place:
            return at_place
    paths = list(dict.fromkeys(place_text(schema_rule.steps) or "." for schema_rule in known))
    help_ = f"There are rules at {', '.join(paths[:_LISTED])}{', ...' if len(paths) > _LISTED else ''}"
    raise PlaceError(
        f"no rule at {selector!r}, and none that contains it", help_ if paths else "The schema has no rules"
    )


@work.limited()
def run_rules(source: Source, rules: Sequence[tuple[tuple[PlaceStep, ...], SchemaRule]]) -> list[RuleResult]:
    """Evaluate rules on the object of a source as the server does, as an update if it has an old object."""
    assert source.schema is not None  # noqa: S101  rules are those of a schema
    if source.value is MISSING:
        return [_not_evaluated(steps, schema_rule, "name an object with --object") for steps, schema_rule in rules]
    stopped = ""
    with recorded() as record:
        run = Run(RULE_ID, RUNTIME_BUDGET)
        try:
            validate_rules(rule_validator(source.schema, source.server), run, None, source.value, source.old)
        except OutOfBudgetError:
            stopped = "the rules before it exceed the budget of the object"
    errors = {
        (id(error.cause.rule), str(error.cause.self_path)): str(error.on(source.server))
        for error in run.errors
        if error.cause is not None
    }
    results = []
    for steps, schema_rule in rules:
        evaluations = [
            each for each in record if each.cause.rule is schema_rule.rule and matches(steps, each.cause.self_path)
        ]
        results += [
            _result(schema_rule, each, errors.get((id(schema_rule.rule), str(each.cause.self_path)), ""))
            for each in evaluations
        ]
        if not evaluations:
            broken = next((text for (identity, _), text in errors.items() if identity == id(schema_rule.rule)), "")
            reason = "it does not compile" if broken else stopped or _reason(source, schema_rule)
            results.append(_not_evaluated(steps, schema_rule, reason, broken))
    return results


def _result(schema_rule: SchemaRule, evaluation: Evaluation, message: str) -> RuleResult:
    result, tree = traced(evaluation.compiled.rule, dict(evaluation.variables))
    path = evaluation.cause.self_path
    return RuleResult(
        schema_rule.rule.rule.strip(SPACE),
        "" if path is None else str(path),
        schema_rule.number,
        message,
        result,
        why=tuple(deciding(tree)),
        tree=tree,
    )


def _not_evaluated(steps: Sequence[PlaceStep], schema_rule: SchemaRule, reason: str, message: str = "") -> RuleResult:
    return RuleResult(
        schema_rule.rule.rule.strip(SPACE), place_text(steps), schema_rule.number, message, not_evaluated=reason
    )


def _reason(source: Source, schema_rule: SchemaRule) -> str:
    if "oldSelf" in schema_rule.rule.rule and source.old is MISSING:
        return "a transition rule is only evaluated on update: name the old object with --old"
    return "the object has no value at its place" + (", or had none" if "oldSelf" in schema_rule.rule.rule else "")
