"""The JSON object of `crdlint eval` (docs/eval.md)."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.eval.errors import Error
from crdlint.cel.eval.values import MISSING
from crdlint.evaluation.values import to_json
from crdlint.report.escapes import json_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.cel.eval.program import Result
    from crdlint.evaluation.evaluate import Answer
    from crdlint.evaluation.rules import RuleResult
    from crdlint.evaluation.trace import Step
    from crdlint.kubecel.second_opinion import Opinion
    from crdlint.report.pieces import Values, View

FORMAT_VERSION: Final = 1


class ValuesReport:
    """The whole object."""

    def __init__(self, view: View) -> None:
        del view

    def pieces(self, values: Values) -> Iterator[str]:
        """Yield the object."""
        document: dict[str, Any] = {"version": FORMAT_VERSION}
        if values.answer is not None:
            document |= _answer(values.answer, trees=values.trees)
        else:
            document["rules"] = [_rule(rule, trees=values.trees) for rule in values.rules]
        document["notices"] = list(values.notices)
        yield f"{json_text(document, 2)}\n"


def _answer(answer: Answer, *, trees: bool) -> dict[str, Any]:
    estimate = answer.estimate
    document: dict[str, Any] = {
        "expression": answer.text,
        "field": answer.path,
        "errors": [asdict(error) for error in answer.errors],
        "type": answer.type or None,
        "estimate": None
        if estimate is None
        else {
            "cost": estimate.highest,
            "times": estimate.times,
            "total": estimate.total,
            "share": estimate.share,
            "rejected": estimate.is_rejected,
        },
        "not_evaluated": answer.not_evaluated,
        **_result(answer.result),
    }
    if answer.opinion is not None:
        document["second_opinion"] = _opinion(answer.opinion)
    if trees:
        document["tree"] = None if answer.tree is None else _step(answer.tree)
    return document


def _result(result: Result | None) -> dict[str, Any]:
    if result is None:
        return {"cost": None, "value": None, "error": None}
    error = result.error
    return {"cost": result.cost, "value": None if error is not None else to_json(result.value), "error": error}


def _opinion(opinion: Opinion) -> dict[str, Any]:
    from crdlint.kubecel.cel_python import FAILS

    fails = opinion.value is FAILS
    return {
        "value": None if fails or opinion.skipped is not None else to_json(opinion.value),
        "fails": fails,
        "agrees": opinion.agrees,
        "known_difference": opinion.known,
        "skipped": opinion.skipped,
    }


def _step(step: Step) -> dict[str, Any]:
    """Return a sub-expression with those below it."""
    has_value = step.value is not MISSING and type(step.value) is not Error
    return {
        "text": step.text,
        "type": step.type,
        "evaluated": step.evaluated,
        "value": to_json(step.value) if has_value else None,
        "error": step.error,
        "cost": step.cost,
        "variables": {name: to_json(value) for name, value in step.binding},
        "iterations_left_out": step.left_out,
        "parts": [_step(part) for part in step.parts],
    }


def _rule(result: RuleResult, *, trees: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "field": result.path,
        "number": result.number,
        "rule": result.rule,
        "accepted": result.is_accepted,
        "message": result.message or None,
        "not_evaluated": result.not_evaluated or None,
        **_result(result.result),
        "why": [_step(step) for step in result.why],
    }
    if trees:
        document["tree"] = None if result.tree is None else _step(result.tree)
    return document
