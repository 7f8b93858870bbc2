"""Rules that read an optional field without checking that it is set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from crdlint.kubecel.cost import EstimatedRule
from crdlint.light import regex
from crdlint.phrases import some
from crdlint.rules.advice import dead_ends
from crdlint.rules.engine.advisory import Advisory, DecodedCRD, on_rules
from crdlint.rules.engine.relations import SAME_PLACE
from crdlint.rules.engine.rule import Link, Rule
from crdlint.rules.server.cel import MARKER, schema_with
from crdlint.safety import work

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr
    from crdlint.kubecel.reasoning.optional_fields import ObjectFields

# A message of a rule that is to reject objects without a field.
_REFUSES: Final = regex(r"\b(?:must|required|immutable|cannot|may not|should)\b", re.IGNORECASE)


UNGUARDED = Rule(
    "cel-optional-field-unguarded",
    "Rule reads an optional field without checking that it is set",
    withheld=True,
    follows=(Link(dead_ends.status_on_create.rule, SAME_PLACE),),
    observed=("optional-field-in-a-rule",),
    why="Where the rule reads the field and an object does not set it, the evaluation ends in an error, and the API server rejects "
    "the object. `has(self.a) && ...` rejects it as well; `!has(self.a) || ...` accepts it.",
    help="Check the field with `has()` right before it is read, make it required, or give it a default",
    marker=MARKER,
    bad=schema_with("rule: self.replicas > 0", ""),
    good=schema_with("rule: '!has(self.replicas) || self.replicas > 0'", ""),
    scope="schema",
    severity="info",
    origin="crdlint",
)


@UNGUARDED.advice
def unguarded_fields(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield reads of optional fields that fail where these are not set, as far as the work of one document proves it."""
    compiled = [each for each in crd.rules if each.compiled.rule.error is None]
    if not compiled:
        return
    from crdlint.kubecel.reasoning.optional_fields import ObjectFields

    advisories: list[Advisory] = []
    fields = ObjectFields()
    with work.limited(), suppress(work.WorkLimitError):
        advisories.extend(on_rules(crd._replace(rules=compiled), partial(_unguarded, fields)))
    yield from advisories


def _is_negated(expr: Expr, node: Expr) -> bool:
    """Return whether a part of an expression is below a `!`, so that a guard around the whole changes its meaning."""
    from crdlint.cel.ast import calls, nodes

    return any(part.id == node.id for negation in calls(expr, {"!_"}) for part in nodes(negation))


_READS: Final = 3  # optional fields in one message


def _unguarded(fields: ObjectFields, estimated: EstimatedRule) -> Iterator[Advisory]:
    from crdlint.cel.source_ranges import range_at
    from crdlint.kubecel.reasoning.optional_fields import Prover, unguarded

    expression = estimated.compiled.rule
    reads = unguarded(expression)
    if not reads:
        return
    source, prover = expression.compiled.source, Prover(expression, estimated.node.schema, fields)
    # The object before its field: a guard of the field fails as the rule does if the object is missing.
    proved = sorted(filter(prover.proves, reads), key=lambda read: read.path.count("."))
    for read in proved[:1]:  # one finding for a rule
        others = [f"`{each}`" for each in dict.fromkeys(read.path for read in proved[1:])]
        more = f", and it reads {some(others, _READS)}" if others else ""
        message = (
            f"rule reads `{read.path}`, which is optional: if it is not set, the evaluation fails with `no "
            f"such key: {read.field}`{more}"
        )
        help_ = f"Write `has({read.path}) && ...` before the part that reads it to reject objects without it"
        written = estimated.rule.message  # the author's words
        if _is_negated(expression.compiled.expr, read.node):
            help_ = f"Write `has({read.path}) && ...` inside of the negation, before the part that reads the field"
        elif _REFUSES.search(written):
            help_ = f"{help_} with the message of the rule, or make `{read.field}` required"
        else:
            help_ = f"{help_}, or `!has({read.path}) || ...` to accept them"
        span = range_at(source.text, source.offsets[read.node.id][0])
        yield Advisory(
            message,
            estimated.path,
            help_,
            span,
            subject=read.path,
        )
