"""The CEL budgets: of each rule, of all rules of a schema together, and crdlint's own for a document.

Upstream: the cost checks of ValidateCustomResourceDefinitionOpenAPISchema and its caller (apiextensions validation).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from functools import partial
from itertools import chain, groupby
from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import EVALUATION_LIMIT, Code, FieldError, Reason, forbidden
from crdlint.crd.paths import Path
from crdlint.kubecel.cost import CRD_COST_LIMIT, RULE_COST_LIMIT, EstimatedRule
from crdlint.rules.engine import headlines
from crdlint.rules.engine.common import ValidationOptions
from crdlint.rules.engine.relations import ANYWHERE, OF_SCHEMA
from crdlint.rules.engine.rule import Link, Rule
from crdlint.safety.bugs import attempt
from crdlint.schema.traversal import at_or_above

if TYPE_CHECKING:
    from crdlint.kubecel.cost.suggest import Suggestions
    from crdlint.safety.work import Effort

HOSTS = """\
type: object
properties:
  hosts: {{type: array{}, items: {{type: string{}}}}}
x-kubernetes-validations:
- rule: "!has(self.hosts) || self.hosts.all(host, host.matches('^[a-z]+$'))"
"""


MARKER: Final = "write `+kubebuilder:validation:MaxItems`, `MaxLength` or `MaxProperties` on what the rule reads"
_Cost: Final = partial(Rule, scope="schema", marker=MARKER)

_MOST_EXPENSIVE: Final = 4


RULE_COST = _Cost(
    "cel-rule-cost",
    "Estimated cost of a rule or messageExpression is over the limit",
    claims_nothing=True,
    headline=headlines.too_expensive,
    withheld=True,
    why=f"The API server rejects a rule that could cost more than {RULE_COST_LIMIT:,} units for the largest possible object. "
    "Kubernetes versions differ in their estimates.",
    help="Set `maxItems`, `maxProperties` and `maxLength` on the lists, maps and strings that the rule reads",
    bad=HOSTS.format("", ""),
    good=HOSTS.format(", maxItems: 64", ", maxLength: 253"),
    source="apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema, getCostErrorMessage",
)
CRD_COST = _Cost(
    "cel-schema-cost",
    "Total estimated cost of the rules in a schema is over the limit",
    claims_nothing=True,
    follows=(Link(RULE_COST, ANYWHERE), Link(None, OF_SCHEMA)),
    headline=headlines.too_expensive_together,
    withheld=True,
    why=f"The API server rejects a schema whose rules could together cost more than {CRD_COST_LIMIT:,} units for one object. "
    "Kubernetes versions differ in their estimates.",
    help="Set lower limits on the lists, maps and strings that the most expensive rules read",
    bad=HOSTS.format("", ""),
    good=HOSTS.format(", maxItems: 64", ", maxLength: 253"),
    source="apiextensions/validation validateCustomResourceDefinitionValidation, TotalCost",
)


def _doubled(times: int) -> str:
    doubled = ".map(x, x + x)" * times
    rule = f"[['a']]{doubled}.all(x, x.indexOf('b') < 0)"
    return f"config:\n  type: object\n  default: {{}}\n  x-kubernetes-validations:\n  - rule: >-\n      {rule}"


WORK_LIMIT = Rule(
    EVALUATION_LIMIT,
    "Evaluating a rule or pattern takes too much work",
    origin="crdlint",
    claims_nothing=True,
    why="crdlint limits the work for each document, so that no input can block a run. Whether the API server accepts "
    "the object remains unknown.",
    help="Simplify the rule or the pattern, or split the document; the API server has to do the same work",
    bad=_doubled(24),
    good=_doubled(2),
)

# Findings that limits fix.
OVER_BUDGET: Final = frozenset({RULE_COST.id, CRD_COST.id})


def advice_for(rules: SequenceOf[EstimatedRule], effort: Effort) -> Suggestions | None:
    """Return the helps for the rules of a schema, None where all are within their budgets."""
    if all(cost <= RULE_COST_LIMIT for cost, _ in _costs(rules)) and _sum(rules) <= CRD_COST_LIMIT:
        return None
    from crdlint.kubecel.cost.suggest import Suggestions

    return Suggestions(rules, effort)


def over_limit(
    rule: EstimatedRule, options: ValidationOptions, advice: Suggestions | None
) -> Iterator[FieldError]:
    """Yield that a rule or its message costs too much; an unchanged schema keeps what it has."""
    if options.suppress_per_expression_cost or advice is None:
        return
    for cost, name in _costs((rule,)):
        if cost > RULE_COST_LIMIT:
            help_ = attempt(advice.on_rule, rule, of_message=name == "messageExpression")
            detail = _exceeds(f"estimated {name} cost", cost, RULE_COST_LIMIT)
            reason = Reason(Code.COST, (cost, RULE_COST_LIMIT))
            error = forbidden(
                RULE_COST.id,
                rule.path.child(name),
                detail,
                help=help_,
                reason=reason,
            )
            yield error._replace(subject=advice)


def _costs(rules: Iterable[EstimatedRule]) -> Iterator[tuple[int, str]]:
    for rule in rules:
        yield rule.total_cost, "rule"
        yield rule.message_cost, "messageExpression"


def _sum(rules: Iterable[EstimatedRule]) -> int:
    from crdlint.cel.estimates import UINT64_MAX  # CRDs without rules need nothing of CEL

    return min(sum(cost for cost, _ in _costs(rules)), UINT64_MAX)


def total(
    rules: SequenceOf[EstimatedRule], path: Path, advice: Suggestions | None
) -> Iterator[FieldError]:
    """Yield that all rules of a schema cost too much, the most expensive ones first; ``path`` is the schema's."""
    cost_of_all = _sum(rules)
    if cost_of_all <= CRD_COST_LIMIT or advice is None:
        return
    help_ = attempt(advice.on_all)
    notable = [
        (cost, rule.path.child(name))
        for rule in _children_first(rules)
        for cost, name in _costs((rule,))
        if cost >= CRD_COST_LIMIT // 100
    ]
    notable.sort(key=lambda pair: -pair[0])
    for _, field_path in notable[:_MOST_EXPENSIVE]:
        detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
        yield forbidden(CRD_COST.id, field_path, detail, help=help_)._replace(subject=advice)
    name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
    detail = _exceeds(name, cost_of_all, CRD_COST_LIMIT)
    reason = Reason(Code.COST, (cost_of_all, CRD_COST_LIMIT))
    yield forbidden(
        CRD_COST.id,
        path,
        detail,
        help=help_,
        reason=reason,
    )._replace(subject=advice)


def _exceeds(name: str, cost: int, limit: int) -> str:
    factor = float(cost) / float(limit)
    shown = (
        "more than 100x" if factor > 100 else f"{factor:f}x" if factor < 1.5 else f"{factor:.1f}x"
    )
    return (
        f"{name} exceeds budget by factor of {shown} (try simplifying the rule, or adding maxItems, maxProperties,"
        " and maxLength where arrays, maps, and strings are declared)"
    )


def _children_first(rules: SequenceOf[EstimatedRule]) -> Iterator[EstimatedRule]:
    """Yield the rules as upstream comes by them: those of a schema after those of all schemas below it."""
    pending: list[list[EstimatedRule]] = []
    for _, rules_of_one in groupby(rules, key=lambda rule: id(rule.node.schema)):
        group = list(rules_of_one)
        enclosing = at_or_above([group[0].node.schema])
        while pending and id(pending[-1][0].node.schema) not in enclosing:
            yield from pending.pop()
        pending.append(group)
    yield from chain.from_iterable(reversed(pending))
