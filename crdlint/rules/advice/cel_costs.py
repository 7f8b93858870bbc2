"""Costs of rules that are near the limit, or depend on a list or map without one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from crdlint.kubecel.cost import RULE_COST_LIMIT
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.relations import SAME_PLACE
from crdlint.rules.engine.rule import Hint, Link, once
from crdlint.rules.server import cel_cost
from crdlint.rules.server.cel_cost import HOSTS, MARKER

_NESTED = """\
type: object
properties:
  ports:
    {{type: array, {}items: {{type: integer, x-kubernetes-validations: [{{rule: self > 0 && self < 65536 && self != 22}}]}}}}
"""


_Costly: Final = partial(Hint, scope="schema", marker=MARKER)


_NEAR: Final = 0.5


NEAR_LIMIT = _Costly(
    "cel-rule-cost-near-limit",
    "Estimated cost of a rule is over half of the limit",
    observed=("cost-grows-with-smaller-items",),
    follows=(Link(cel_cost.RULE_COST, SAME_PLACE),),
    withheld=True,
    why="A field or list that is added later can multiply the cost. Limits are easier to set before the API is in use.",
    help="Set lower `maxItems`, `maxProperties` or `maxLength` on the lists, maps and strings that the rule reads",
    bad=HOSTS.format(", maxItems: 1000", ", maxLength: 8192"),
    good=HOSTS.format(", maxItems: 64", ", maxLength: 253"),
)


UNBOUNDED = _Costly(
    "cel-rule-cost-unbounded-parent",
    "Cost of a rule depends on a list or map without a limit",
    observed=("cost-grows-with-smaller-items",),
    withheld=True,
    why="Without a limit the API server assumes as many elements as fit into the largest request. If the smallest "
    "possible element gets smaller, the cost grows and can exceed the limit.",
    help="Set `maxItems` or `maxProperties` on the list or map",
    bad=_NESTED.format(""),
    good=_NESTED.format("maxItems: 64, "),
)


@NEAR_LIMIT.advice
def near_limit(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield rules whose cost is near the limit, or depends on a list, map or string without one."""
    unbounded: dict[str, list[Advisory]] = {}
    for rule in crd.rules:
        cost = rule.total_cost
        if cost > RULE_COST_LIMIT or cost <= RULE_COST_LIMIT * _NEAR:
            continue
        from crdlint.kubecel.cost.explain import enclosing, limit_of, value_path

        share = f"{cost / RULE_COST_LIMIT:.0%} of the limit of a rule: {cost:,} of {RULE_COST_LIMIT:,} units"
        path = rule.path.child("rule")
        if rule.cardinality is None:
            limits = [
                limit_of(schema, rule.compiled.rule.environment.dialect)
                for schema in enclosing(rule.node.schema)
            ]
            open_ = next(limit for limit in limits if limit is not None and limit.bound is None)
            where = value_path(open_.schema)
            message = f"the rule's cost depends on `{where}`, which has no {open_.keyword}, and is {share}"
            advisory = Advisory(
                message,
                path,
                f"Set `{open_.keyword}` on `{where}`",
                rule=UNBOUNDED.id,
            )
            unbounded.setdefault(where, []).append(advisory)
        else:
            yield Advisory(f"the rule's estimated cost is {share}", path)
    for advisories in unbounded.values():
        yield from once(advisories)
