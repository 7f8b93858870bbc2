"""The costs of rules for people: a table for each schema, and the parts of a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from crdlint.kubecel.cost import CRD_COST_LIMIT, RULE_COST_LIMIT
from crdlint.kubecel.cost.explain import CostPart as CostPart
from crdlint.kubecel.cost.explain import shown_cost
from crdlint.linting.cost_entries import CostEntry, Schema, schema_costs
from crdlint.phrases import counted
from crdlint.report import text
from crdlint.report.page import CellPart, Column, Page, Row, columns
from crdlint.report.pieces import Costs, View, WholeReport
from crdlint.safety.escapes import printable_line

_BAR: Final = 10
_PIPED: Final = 140  # columns of a part in a pipe; its text contains the text of the parts below it
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


class CostText(WholeReport[Costs]):
    """The tables of costs, or the cost of each part of the rules."""

    def pieces(self, content: Costs) -> Iterator[str]:
        """Yield the lines."""
        return (f"{line}\n" for line in self._lines(content))

    def _lines(self, costs: Costs) -> Iterator[str]:
        if costs.parts:
            for entry in costs.shown:
                yield from explanation(entry, self._page)
            return
        yield from tables(costs, self._page)
        count = len(costs.unestimated)
        if count:
            yield from [""] * bool(costs.shown)
            yield from (self._page.styled("NOT ESTIMATED", "title"), "")
            report = text.TextReport(View(self._page, quiet=True))
            for result in costs.results:
                yield from report.lines(replace(result, diagnostics=result.unestimated))
            yield f"{count:,} finding{'s keep' if count > 1 else ' keeps'} rules from being estimated"
        elif not costs.shown:
            yield "no rules"


def tables(costs: Costs, page: Page) -> Iterator[str]:
    """Yield the lines of a table for each schema: the rules to show, and the total cost of all its rules."""
    by_schema: dict[Schema, list[CostEntry]] = {}
    for entry in costs.shown:
        by_schema.setdefault(entry.schema, []).append(entry)
    failed = Counter(entry.schema for entry in costs.entries if entry.cost.error is not None)
    totals = schema_costs(costs.entries)
    for number, schema in enumerate(schema for schema in totals if schema in by_schema):
        yield from [""] * bool(number)
        title = "  ".join(filter(None, (schema.crd, schema.version, schema.file)))
        yield from page.flow(CellPart(printable_line(title), "title"))
        yield from page.table(_COLUMNS, [_row(entry, page) for entry in by_schema[schema]])
        share = percent(totals[schema] / CRD_COST_LIMIT)
        total = f"{shown_cost(totals[schema])} in all, {share} of the {CRD_COST_LIMIT:,} that a schema's rules may cost"
        without = (
            f", without {counted(failed[schema], 'rule')} not estimated" if failed[schema] else ""
        )
        yield from page.wrapped(f"{total}{without}", "  ")


_COLUMNS: Final = (
    Column("COST", 9, right=True),
    Column("RULE BUDGET", _BAR + 7),
    Column("SCHEMA", right=True),
    Column("WHERE"),
)


def _row(entry: CostEntry, page: Page) -> Row:
    """Return the row of a rule: cost, shares of the budgets, path in an object, and below them the rule itself."""
    cost = entry.cost
    share = cost.expression_cost / RULE_COST_LIMIT
    style = "error" if share > 1 else "warning" if share > 0.5 else "good"
    rule = " ".join(cost.rule.split())
    return Row(
        [
            [CellPart("-" if cost.error is not None else shown_cost(cost.expression_cost))],
            [CellPart(bar(share), style), CellPart(f" {percent(share):>6}")],
            [CellPart(percent(cost.expression_cost / CRD_COST_LIMIT))],
            [CellPart(printable_line(entry.value_path))],
        ],
        [
            CellPart(printable_line(rule), "rule"),
            CellPart(
                printable_line(f"{cost.file}:{cost.line}{_details(entry)}"),
                "faint",
                page.file_link(cost.file),
            ),
            *(CellPart(line, "warning") for line in _over_elsewhere(entry)),
        ],
        entry.help or "",
    )


def _over_elsewhere(entry: CostEntry) -> list[str]:
    """Return the share of the budget on other servers whose estimate differs and is above it: `1.28, 1.29: 118%`."""
    versions: dict[str, list[str]] = {}
    for version, cost in entry.by_version.items():
        most = max(cost.expression_cost, cost.message_max_cost)
        if most > RULE_COST_LIMIT:
            versions.setdefault(percent(most / RULE_COST_LIMIT), []).append(version)
    return (
        ["; ".join(f"{', '.join(names)}: {share}" for share, names in versions.items())]
        if versions
        else []
    )


def _details(entry: CostEntry) -> str:
    cost = entry.cost
    details = []
    if cost.error is not None:
        details.append("not estimated: it does not compile")
    elif cost.max_cardinality != 1:
        is_limited = cost.max_cardinality is not None
        times = (
            f"{cost.max_cardinality:,}"
            if is_limited
            else f"{cost.min_size_cardinality:,} (no limit)"
        )
        details.append(f"{shown_cost(cost.max_cost)} x {times}")
    if cost.message_max_cost:
        details.append(f"message {shown_cost(cost.message_max_cost)}")
    return f"  {', '.join(details)}" if details else ""


def explanation(entry: CostEntry, page: Page) -> Iterator[str]:
    """Yield the lines about one rule: its path, how often it is evaluated, and the cost of each part."""
    cost = entry.cost
    yield from page.flow(
        CellPart(
            printable_line(f"{cost.crd}  {entry.value_path}  {cost.file}:{cost.line}"), "title"
        )
    )
    yield from page.wrapped(printable_line(cost.path), "  ")
    yield from page.wrapped(printable_line(f"evaluated {entry.times}"), "  ")
    share = cost.expression_cost / RULE_COST_LIMIT
    in_all = f"{shown_cost(cost.expression_cost)} in all"
    yield from page.wrapped(
        f"{in_all}, {percent(share)} of the {RULE_COST_LIMIT:,} that a rule may cost", "  "
    )
    yield ""
    for tree in filter(None, (entry.tree, entry.message_tree)):
        if tree is entry.message_tree:
            yield page.styled("  messageExpression", "title")
        yield from (*_tree(tree, page), "")
    if cost.error is not None:
        yield from page.wrapped(f"not estimated: {cost.error}", "  ")
    if entry.help:
        yield from page.wrapped(printable_line(entry.help), "        ", "  help: ", "label")


def _tree(tree: CostPart, page: Page) -> Iterator[str]:
    parts = list(_parts(tree))
    wide = max(len("COST"), *(len(shown_cost(part.cost)) for part, _ in parts))
    yield page.styled(f"  {'COST':>{wide}}  PART", "title")
    for part, depth in parts:
        indent = "  " * min(depth, 12)
        head = f"  {shown_cost(part.cost):>{wide}}  {indent}"
        room = max((page.width or _PIPED) - columns(head), 20)
        yield head + printable_line(
            part.text if len(part.text) <= room else f"{part.text[: room - 1]}…"
        )
        if part.bound:
            for line in page.wrapped(printable_line(part.bound), " " * columns(head)):
                yield page.styled(line, "faint")


def _parts(tree: CostPart) -> Iterator[tuple[CostPart, int]]:
    """Yield the parts of a cost that are shown, in the order of their text, with their depths."""
    stack = [(tree, 0)]
    while stack:
        part, depth = stack.pop()
        yield part, depth
        stack.extend(
            (child, depth + 1) for child in reversed(part.parts) if child.cost > 1 or child.parts
        )


def bar(share: float) -> str:
    """Return a bar of ten characters for a share, full if it is 1 or more."""
    full, rest = divmod(round(min(share, 1.0) * _BAR * 8), 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(_BAR, "·")


def percent(share: float) -> str:
    """Return a share in per cent, in at most six characters."""
    if share > 100:
        return ">9999%"
    return f"{share * 100:.0f}%" if share >= 0.1 else f"{share * 100:.1f}%"
