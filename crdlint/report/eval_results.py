"""The type, the costs and the value of an expression, its sub-expressions, and the results of rules, as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.errors import Error
from crdlint.cel.eval.values import MISSING
from crdlint.evaluation.evaluate import NAME, Answer, ExpressionCost, RuleResult
from crdlint.evaluation.trace import TraceStep, to_json, to_text
from crdlint.kubecel.cost.explain import shown_cost
from crdlint.linting.result import FileResult
from crdlint.phrases import counted
from crdlint.report import text
from crdlint.report.cost_text import part_of_budget
from crdlint.report.page import Branch, CellPart
from crdlint.report.pieces import EvalResults, View, WholeReport
from crdlint.safety.escapes import json_text, printable_line

if TYPE_CHECKING:
    from crdlint.cel.eval.program import Evaluated
    from crdlint.kubecel.second_opinion import Opinion


FORMAT_VERSION: Final = 1
_LABEL: Final = 8  # columns of a label
_IN_TREE: Final = 60  # characters of a value in a tree
_LONGEST: Final = 2_000  # characters of the value of an expression


class ValuesText(WholeReport[EvalResults]):
    """Lines for a terminal or a pipe."""

    def pieces(self, content: EvalResults) -> Iterator[str]:
        """Yield the lines."""
        return (f"{line}\n" for line in self._lines(content))

    def _lines(self, values: EvalResults) -> Iterator[str]:
        if values.answer is not None:
            yield from self._answer(values.answer, trees=values.trees)
        for number, result in enumerate(values.rules):
            if number:
                yield ""
            yield from self._rule(result, trees=values.trees)
        if values.rules:
            rejected = sum(not rule.is_accepted for rule in values.rules)
            skipped = sum(rule.result is None and rule.is_accepted for rule in values.rules)
            accepted = len(values.rules) - rejected - skipped
            counts = [
                f"{accepted:,} accepted",
                f"{rejected:,} rejected",
                f"{skipped:,} not evaluated",
            ]
            yield ""
            yield from self._page.flow(CellPart(", ".join(counts), "error" if rejected else "good"))

    def _answer(self, answer: Answer, *, trees: bool) -> Iterator[str]:
        if answer.errors:
            report = text.TextReport(View(self._page, quiet=True))
            yield from report.lines(
                FileResult(
                    NAME,
                    answer.text,
                    documents=1,
                    diagnostics=answer.errors,
                )
            )
            return
        yield from self.figures(answer)
        if trees and answer.tree is not None:
            yield ""
            yield from self._page.tree(self._branch(answer.tree))

    def figures(self, answer: Answer, *labels: str) -> Iterator[str]:
        """Yield the lines of an expression that compiles, by default all of them."""
        for label, content, style in _figures(answer):
            if not labels or label in labels:
                yield from self._page.wrapped(
                    printable_line(content),
                    " " * _LABEL,
                    label.ljust(_LABEL),
                    style,
                )

    def _branch(self, step: TraceStep) -> Branch:
        below = [*map(self._branch, step.parts)]
        if step.left_out:
            below.append(Branch([CellPart(counted(step.left_out, "more iteration"), "faint")]))
        return Branch(_label(step), below)

    def _rule(self, result: RuleResult, *, trees: bool) -> Iterator[str]:
        where = f"{result.path or 'the object'}, rule {result.number}"
        verdict, style = _verdict(result)
        yield from self._page.flow(CellPart(printable_line(f"{where}: ")), CellPart(verdict, style))
        yield from self._page.wrapped(printable_line(" ".join(result.rule.split())), "  ")
        if result.message:
            yield from self._page.wrapped(result.message, "    ")
        for step in result.why:
            if step.node is not getattr(result.tree, "node", None):
                yield from self._page.wrapped(
                    printable_line(_reason(step)),
                    "        ",
                    "  why:  ",
                    "label",
                )
            for part in step.parts:
                if part.value is not MISSING:
                    yield from self._page.wrapped(printable_line(_reason(part)), "          ")
        if trees and result.tree is not None:
            yield ""
            yield from self._page.tree(self._branch(result.tree))


def _figures(answer: Answer) -> Iterator[tuple[str, str, str]]:
    """Yield a label, a text and a style for each figure."""
    result = answer.result
    yield "type", answer.type, "title"
    if answer.estimate is not None:
        yield (
            "cost",
            _estimate(answer.estimate),
            "error" if answer.estimate.is_rejected else "title",
        )
    if result is None:
        yield "value", f"not evaluated: {answer.not_evaluated}", "warning"
        return
    yield "spent", f"{result.cost:,}", "title"
    yield "value", to_text(result.value, _LONGEST), "error" if result.error is not None else "good"
    if answer.opinion is not None:
        yield "second", _opinion(answer.opinion), "title"


def _estimate(estimate: ExpressionCost) -> str:
    cost = f"{shown_cost(estimate.highest)} at most"
    if estimate.times != 1:
        bound = "" if estimate.is_bounded else ", which no limit of the schema bounds"
        cost = f"{shown_cost(estimate.total)} at most: {shown_cost(estimate.highest)} for each of {estimate.times:,} values{bound}"
    if not estimate.has_limits:
        cost += ", without the limits of a CRD"
    return f"{cost}; {part_of_budget(estimate.share)}"


def _opinion(opinion: Opinion) -> str:
    from crdlint.kubecel.second_opinion import FAILS

    if opinion.skipped is not None:
        return f"none: {opinion.skipped}"
    theirs = "an error" if opinion.value is FAILS else to_text(opinion.value, _LONGEST)
    if opinion.agrees:
        return f"cel-python agrees: {theirs}"
    why = "" if opinion.difference is None else f", a known difference: {opinion.difference}"
    return f"cel-python differs: {theirs}{why}"


def _label(step: TraceStep) -> list[CellPart]:
    """Return a line of a tree: the loop variables, the sub-expression, its value, type and cost."""
    parts = [
        CellPart(printable_line(_binding(step)), "faint"),
        CellPart(printable_line(step.text), "code"),
    ]
    if not step.evaluated:
        return [*parts, CellPart("  not evaluated", "faint")]
    if step.value is not MISSING:
        style = "error" if step.error is not None else "good"
        parts += [CellPart("  = "), CellPart(printable_line(to_text(step.value, _IN_TREE)), style)]
    return [*parts, CellPart(printable_line(f"  ({step.type}, cost {step.cost:,})"), "faint")]


def _reason(step: TraceStep) -> str:
    return f"{_binding(step)}{step.text} = {to_text(step.value, _IN_TREE)}"


def _binding(step: TraceStep) -> str:
    return "".join(f"{name} = {to_text(value, _IN_TREE)}: " for name, value in step.binding)


def _verdict(result: RuleResult) -> tuple[str, str]:
    if result.result is None:
        if result.message:
            return f"rejected: {result.not_evaluated}", "error"
        return f"not evaluated: {result.not_evaluated}", "warning"
    value = (
        "an error" if result.result.error is not None else to_text(result.result.value, _IN_TREE)
    )
    return f"{value}, cost {result.result.cost:,}", "good" if result.is_accepted else "error"


class ValuesJSON(WholeReport[EvalResults]):
    """The object of `crdlint eval` (docs/eval.md)."""

    def pieces(self, content: EvalResults) -> Iterator[str]:
        """Yield the object."""
        document: dict[str, Any] = {"version": FORMAT_VERSION}
        if content.answer is not None:
            document |= _answer_json(content.answer, trees=content.trees)
        else:
            document["rules"] = [_rule_json(rule, trees=content.trees) for rule in content.rules]
        document["notices"] = list(content.notices)
        yield f"{json_text(document, 2)}\n"


# The members of an estimate, and their attributes.
_ESTIMATE: Final = {
    "cost": "highest",
    "times": "times",
    "total": "total",
    "share": "share",
    "rejected": "is_rejected",
}


def _answer_json(answer: Answer, *, trees: bool) -> dict[str, Any]:
    estimate = answer.estimate
    document: dict[str, Any] = {
        "expression": answer.text,
        "field": answer.path,
        "errors": list(map(asdict, answer.errors)),
        "type": answer.type or None,
        "estimate": estimate and {key: getattr(estimate, name) for key, name in _ESTIMATE.items()},
        "not_evaluated": answer.not_evaluated,
        **_result_json(answer.result),
    }
    if answer.opinion is not None:
        document["second_opinion"] = _opinion_json(answer.opinion)
    if trees:
        document["tree"] = answer.tree and _step_json(answer.tree)
    return document


def _result_json(result: Evaluated | None) -> dict[str, Any]:
    if result is None:
        return {"cost": None, "value": None, "error": None}
    error = result.error
    return {
        "cost": result.cost,
        "value": None if error is not None else to_json(result.value),
        "error": error,
    }


def _opinion_json(opinion: Opinion) -> dict[str, Any]:
    from crdlint.kubecel.second_opinion import FAILS

    fails = opinion.value is FAILS
    return {
        "value": None if fails or opinion.skipped is not None else to_json(opinion.value),
        "fails": fails,
        "agrees": opinion.agrees,
        "known_difference": opinion.difference,
        "skipped": opinion.skipped,
    }


def _step_json(step: TraceStep) -> dict[str, Any]:
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
        "parts": list(map(_step_json, step.parts)),
    }


def _rule_json(result: RuleResult, *, trees: bool) -> dict[str, Any]:
    document: dict[str, Any] = {
        "field": result.path,
        "number": result.number,
        "rule": result.rule,
        "accepted": result.is_accepted,
        "message": result.message or None,
        "not_evaluated": result.not_evaluated or None,
        **_result_json(result.result),
        "why": list(map(_step_json, result.why)),
    }
    if trees:
        document["tree"] = result.tree and _step_json(result.tree)
    return document
