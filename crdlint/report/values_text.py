"""For people: the type, the costs and the value of an expression, its sub-expressions, and the results of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.eval.values import MISSING
from crdlint.evaluation.evaluate import NAME
from crdlint.evaluation.values import to_text
from crdlint.kubecel.cost.explain import shown_cost
from crdlint.kubecel.limits import RULE_COST_LIMIT
from crdlint.linting.result import FileResult
from crdlint.report import text
from crdlint.report.cost_text import percent
from crdlint.report.escapes import printable_line
from crdlint.report.page import Branch, Part
from crdlint.report.pieces import View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.evaluation.evaluate import Answer, Estimate
    from crdlint.evaluation.rules import RuleResult
    from crdlint.evaluation.trace import Step
    from crdlint.kubecel.second_opinion import Opinion
    from crdlint.report.pieces import Values

_LABEL: Final = 8  # columns of a label
_IN_TREE: Final = 60  # characters of a value in a tree
_LONGEST: Final = 2_000  # characters of the value of an expression


class ValuesReport:
    """Lines for a terminal or a pipe."""

    def __init__(self, view: View) -> None:
        self._page = view.page
        self._view = view

    def pieces(self, values: Values) -> Iterator[str]:
        """Yield the lines."""
        for line in self._lines(values):
            yield f"{line}\n"

    def _lines(self, values: Values) -> Iterator[str]:
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
            counts = [f"{accepted:,} accepted", f"{rejected:,} rejected", f"{skipped:,} not evaluated"]
            yield ""
            yield from self._page.flow(Part(", ".join(counts), "error" if rejected else "good"))

    def _answer(self, answer: Answer, *, trees: bool) -> Iterator[str]:
        if answer.errors:
            report = text.Report(View(self._page, quiet=True))
            yield from report.lines(FileResult(NAME, answer.text, 1, (), 0, answer.errors))
            return
        yield from self.figures(answer)
        if trees and answer.tree is not None:
            yield ""
            yield from self._page.tree(self._branch(answer.tree))

    def figures(self, answer: Answer, *labels: str) -> Iterator[str]:
        """Yield the lines of an expression that compiles, by default all of them."""
        for label, content, style in _figures(answer):
            if not labels or label in labels:
                yield from self._labelled(label, content, style)

    def _labelled(self, label: str, content: str, style: str) -> list[str]:
        return self._page.wrapped(printable_line(content), " " * _LABEL, label.ljust(_LABEL), style)

    def _branch(self, step: Step) -> Branch:
        return Branch(_label(step), [*map(self._branch, step.parts), *_left_out(step)])

    def _rule(self, result: RuleResult, *, trees: bool) -> Iterator[str]:
        where = f"{result.path or 'the object'}, rule {result.number}"
        verdict, style = _verdict(result)
        yield from self._page.flow(Part(printable_line(f"{where}: ")), Part(verdict, style))
        yield from self._page.wrapped(printable_line(" ".join(result.rule.split())), "  ")
        if result.message:
            yield from self._page.wrapped(result.message, "    ")
        if result.result is None:
            return
        for step in result.why:
            if step.node is not getattr(result.tree, "node", None):
                yield from self._page.wrapped(printable_line(_reason(step)), "        ", "  why:  ", "label")
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
        yield "cost", _estimate(answer.estimate), "error" if answer.estimate.is_rejected else "title"
    if result is None:
        yield "value", f"not evaluated: {answer.not_evaluated}", "warning"
        return
    yield "spent", f"{result.cost:,}", "title"
    yield "value", to_text(result.value, _LONGEST), "error" if result.error is not None else "good"
    if answer.opinion is not None:
        yield "second", _opinion(answer.opinion), "title"


def _estimate(estimate: Estimate) -> str:
    cost = f"{shown_cost(estimate.highest)} at most"
    if estimate.times != 1:
        bound = "" if estimate.is_bounded else ", which no limit of the schema bounds"
        cost = f"{shown_cost(estimate.total)} at most: {shown_cost(estimate.highest)} for each of {estimate.times:,} values{bound}"
    if not estimate.has_limits:
        cost += ", without the limits of a CRD"
    return f"{cost}; {percent(estimate.share)} of the {RULE_COST_LIMIT:,} that a rule may cost"


def _opinion(opinion: Opinion) -> str:
    from crdlint.kubecel.cel_python import FAILS

    if opinion.skipped is not None:
        return f"none: {opinion.skipped}"
    theirs = "an error" if opinion.value is FAILS else to_text(opinion.value, _LONGEST)
    if opinion.agrees:
        return f"cel-python agrees: {theirs}"
    why = "" if opinion.known is None else f", a known difference: {opinion.known}"
    return f"cel-python differs: {theirs}{why}"


def _label(step: Step) -> list[Part]:
    """Return a line of a tree: the loop variables, the sub-expression, its value, type and cost."""
    binding = "".join(f"{name} = {to_text(value, _IN_TREE)}: " for name, value in step.binding)
    parts = [Part(printable_line(binding), "faint"), Part(printable_line(step.text), "code")]
    if not step.evaluated:
        return [*parts, Part("  not evaluated", "faint")]
    if step.value is not MISSING:
        style = "error" if step.error is not None else "good"
        parts += [Part("  = "), Part(printable_line(to_text(step.value, _IN_TREE)), style)]
    return [*parts, Part(printable_line(f"  ({step.type}, cost {step.cost:,})"), "faint")]


def _left_out(step: Step) -> list[Branch]:
    if not step.left_out:
        return []
    return [Branch([Part(f"{step.left_out:,} more iteration{'s' if step.left_out > 1 else ''}", "faint")])]


def _reason(step: Step) -> str:
    binding = "".join(f"{name} = {to_text(value, _IN_TREE)}: " for name, value in step.binding)
    return f"{binding}{step.text} = {to_text(step.value, _IN_TREE)}"


def _verdict(result: RuleResult) -> tuple[str, str]:
    if result.result is None:
        if result.message:
            return f"rejected: {result.not_evaluated}", "error"
        return f"not evaluated: {result.not_evaluated}", "warning"
    value = "an error" if result.result.error is not None else to_text(result.result.value, _IN_TREE)
    return f"{value}, cost {result.result.cost:,}", "good" if result.is_accepted else "error"
