"""The costs of rules for people: a table for each schema, and the parts of a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crdlint.kubecel.cost.explain import Part as CostPart
from crdlint.kubecel.cost.explain import shown_cost
from crdlint.kubecel.limits import CRD_COST_LIMIT, RULE_COST_LIMIT
from crdlint.linting.cost_entries import Entry, Schema, schema_costs, schema_of
from crdlint.report import text
from crdlint.report.escapes import printable_line
from crdlint.report.fold import columns
from crdlint.report.page import Column, Page, Part, Row
from crdlint.report.pieces import Costs, View, WholeReport

if TYPE_CHECKING:
    from crdlint.linting.result import FileResult

_BAR: Final = 10
_PIPED: Final = 140  # columns of a part in a pipe; its text contains the text of the parts below it
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


class CostReport(WholeReport[Costs]):
    """The tables of costs, or the cost of each part of the rules."""

    def pieces(self, content: Costs) -> Iterator[str]:
        """Yield the lines."""
        return (f"{line}\n" for line in (self._parts(content) if content.parts else self._tables(content)))

    def _parts(self, costs: Costs) -> Iterator[str]:
        for entry in costs.shown:
            yield from explanation(entry, self._page)

    def _tables(self, costs: Costs) -> Iterator[str]:
        some = False
        for line in tables(costs, self._page):
            some = True
            yield line
        for line in unestimated(costs.results, self._page):
            if some:
                yield ""
            some = False
            yield line
        if not costs.shown and not costs.unestimated:
            yield "no rules"


def tables(costs: Costs, page: Page) -> Iterator[str]:
    """Yield the lines of a table for each schema: the rules to show, and the total cost of all its rules."""
    entries = costs.entries
    by_schema: dict[Schema, list[Entry]] = {}
    for entry in costs.shown:
        by_schema.setdefault(schema_of(entry), []).append(entry)
    failed = Counter(schema_of(entry) for entry in entries if entry.cost.error is not None)
    first = True
    for schema, total_cost in schema_costs(entries).items():
        own = by_schema.get(schema)
        if own is None:
            continue
        if not first:
            yield ""
        first = False
        yield from page.flow(
            Part(printable_line("  ".join(filter(None, (schema.crd, schema.version, schema.file)))), "title")
        )
        yield from page.table(_COLUMNS, [_row(entry, page) for entry in own])
        share = percent(total_cost / CRD_COST_LIMIT)
        total = f"{shown_cost(total_cost)} in all, {share} of the {CRD_COST_LIMIT:,} that a schema's rules may cost"
        left = failed.get(schema, 0)
        without = f", without {left:,} rule{'s' if left > 1 else ''} not estimated" if left else ""
        yield from page.wrapped(f"{total}{without}", "  ")


def unestimated(results: Iterable[FileResult], page: Page) -> Iterator[str]:
    """Yield the lines of the findings because of which CRDs or rules have no estimate."""
    report = text.Report(View(page, quiet=True))
    count = 0
    for result in results:
        if result.unestimated:
            if not count:
                yield page.styled("NOT ESTIMATED", "title")
                yield ""
            count += len(result.unestimated)
            yield from report.lines(replace(result, diagnostics=result.unestimated))
    if count:
        yield f"{count:,} finding{'s keep' if count > 1 else ' keeps'} rules from being estimated"


_COLUMNS: Final = (
    Column("COST", 9, right=True),
    Column("RULE BUDGET", _BAR + 7),
    Column("SCHEMA", right=True),
    Column("WHERE"),
)


def _row(entry: Entry, page: Page) -> Row:
    """Return the row of a rule: cost, shares of the budgets, path in an object, and below them the rule itself."""
    cost = entry.cost
    share = cost.expression_cost / RULE_COST_LIMIT
    style = "error" if share > 1 else "warning" if share > 0.5 else "good"
    rule = " ".join(cost.rule.split())
    elsewhere = _over_elsewhere(entry)
    return Row(
        [
            [Part("-" if cost.error is not None else shown_cost(cost.expression_cost))],
            [Part(bar(share), style), Part(f" {percent(share):>6}")],
            [Part(percent(cost.expression_cost / CRD_COST_LIMIT))],
            [Part(printable_line(entry.value_path))],
        ],
        [
            Part(printable_line(rule), "rule"),
            Part(printable_line(f"{cost.file}:{cost.line}{_details(entry)}"), "faint", page.file_link(cost.file)),
            *([Part(printable_line(elsewhere), "warning")] if elsewhere else []),
        ],
        entry.help or "",
    )


def _over_elsewhere(entry: Entry) -> str:
    """Return the share of the budget on other servers whose estimate differs and is above it: `1.28, 1.29: 118%`."""
    versions: dict[str, list[str]] = {}
    for version, cost in entry.by_version.items():
        most = max(cost.expression_cost, cost.message_max_cost)
        if most > RULE_COST_LIMIT:
            versions.setdefault(percent(most / RULE_COST_LIMIT), []).append(version)
    return "; ".join(f"{', '.join(names)}: {share}" for share, names in versions.items())


def _details(entry: Entry) -> str:
    cost = entry.cost
    details = []
    if cost.error is not None:
        details.append("not estimated: it does not compile")
    elif cost.max_cardinality != 1:
        times = (
            f"{cost.max_cardinality:,}"
            if cost.max_cardinality is not None
            else f"{cost.min_size_cardinality:,} (no limit)"
        )
        details.append(f"{shown_cost(cost.max_cost)} x {times}")
    if cost.message_max_cost:
        details.append(f"message {shown_cost(cost.message_max_cost)}")
    return f"  {', '.join(details)}" if details else ""


def explanation(entry: Entry, page: Page) -> Iterator[str]:
    """Yield the lines about one rule: its path, how often it is evaluated, and the cost of each part."""
    cost = entry.cost
    yield from page.flow(Part(printable_line(f"{cost.crd}  {entry.value_path}  {cost.file}:{cost.line}"), "title"))
    yield from page.wrapped(printable_line(cost.path), "  ")
    yield from page.wrapped(printable_line(f"evaluated {entry.times}"), "  ")
    share = cost.expression_cost / RULE_COST_LIMIT
    summary = (
        f"{shown_cost(cost.expression_cost)} in all, {percent(share)} of the {RULE_COST_LIMIT:,} that a rule may cost"
    )
    yield from page.wrapped(summary, "  ")
    yield ""
    for name, tree in (("", entry.tree), ("messageExpression", entry.message_tree)):
        if tree is not None:
            if name:
                yield page.styled(f"  {name}", "title")
            yield from _tree(tree, page)
            yield ""
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
        yield head + printable_line(_cut(part.text, (page.width or _PIPED) - columns(head)))
        if part.bound:
            for line in page.wrapped(printable_line(part.bound), " " * columns(head)):
                yield page.styled(line, "faint")


def _parts(tree: CostPart) -> Iterator[tuple[CostPart, int]]:
    """Yield the parts of a cost that are shown, in the order of their text, with their depths."""
    stack = [(tree, 0)]
    while stack:
        part, depth = stack.pop()
        yield part, depth
        stack.extend((child, depth + 1) for child in reversed(part.parts) if child.cost > 1 or child.parts)


def bar(share: float) -> str:
    """Return a bar of ten characters for a share, full if it is 1 or more."""
    eighths = round(min(share, 1.0) * _BAR * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(_BAR, "·")


def percent(share: float) -> str:
    """Return a share in per cent, in at most six characters."""
    if share > 100:
        return ">9999%"
    return f"{share * 100:.0f}%" if share >= 0.1 else f"{share * 100:.1f}%"


def _cut(text: str, room: int) -> str:
    room = max(room, 20)
    return text if len(text) <= room else text[: room - 1] + "…"
