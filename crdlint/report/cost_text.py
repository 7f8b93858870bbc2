"""The costs of rules as a table, and the tree of one of them, for terminals of any width."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crdlint.kubecel.cost.explain import shown_cost
from crdlint.kubecel.limits import CRD_COST_LIMIT, RULE_COST_LIMIT
from crdlint.linting.cost_entries import schema_costs, schema_of
from crdlint.report.escapes import printable_line
from crdlint.report.fold import columns, wrapped
from crdlint.report.text import TextReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from crdlint.kubecel.cost.explain import Part
    from crdlint.linting.cost_entries import Entry, Schema
    from crdlint.linting.result import FileResult

    Style = Callable[[str, str], str]

_BAR: Final = 10
_PIPED: Final = 140  # columns of a part, whose text contains that of the parts below it
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


def tables(entries: Sequence[Entry], *, top: int | None, width: int | None, style: Style) -> Iterator[str]:
    """Yield the lines of a table for each schema, of the first ``top`` rules only, and what all its rules cost."""
    by_schema: dict[Schema, list[Entry]] = {}
    for one in entries[:top]:
        by_schema.setdefault(schema_of(one), []).append(one)
    failed = Counter(schema_of(one) for one in entries if one.cost.error is not None)
    first = True
    for schema, whole in schema_costs(entries).items():
        own = by_schema.get(schema)
        if own is None:
            continue
        if not first:
            yield ""
        first = False
        yield style(printable_line("  ".join(filter(None, (schema.crd, schema.version, schema.file)))), "bold")
        yield from _table(own, width=width, style=style)
        share = percent(whole / CRD_COST_LIMIT)
        total = f"{shown_cost(whole)} in all, {share} of the {CRD_COST_LIMIT:,} that a schema's rules may cost"
        left = failed.get(schema, 0)
        without = f", without {left:,} rule{'s' if left > 1 else ''} not estimated" if left else ""
        yield from wrapped(f"{total}{without}", width, "  ")


def unestimated(results: Iterable[FileResult], *, width: int | None, style: Style) -> Iterator[str]:
    """Yield the lines of the findings that keep CRDs or rules from being estimated."""
    report = TextReport(width=width, style=style, notices=False)
    count = 0
    for result in results:
        if result.unestimated:
            if not count:
                yield style("NOT ESTIMATED", "bold")
                yield ""
            count += len(result.unestimated)
            yield from report.file(replace(result, diagnostics=result.unestimated))
    if count:
        yield f"{count:,} finding{'s keep' if count > 1 else ' keeps'} rules from being estimated"


def _table(entries: Sequence[Entry], *, width: int | None, style: Style) -> Iterator[str]:
    """Yield the lines of a table: cost, shares of the budgets, where in an object, and below each the rule itself."""
    costs = ["-" if entry.cost.error is not None else shown_cost(entry.cost.expression_cost) for entry in entries]
    wide = max(9, *map(len, costs))
    yield style(f"{'COST':>{wide}}  {'RULE BUDGET':<{_BAR + 7}}  {'SCHEMA':>6}  WHERE", "bold")
    indent = " " * (wide + 2)
    for entry, cost in zip(entries, costs, strict=True):
        share = entry.cost.expression_cost / RULE_COST_LIMIT
        colour = "red" if share > 1 else "yellow" if share > 0.5 else "green"
        of_schema = percent(entry.cost.expression_cost / CRD_COST_LIMIT)
        head = f"{cost:>{wide}}  {style(bar(share), colour)} {percent(share):>6}  {of_schema:>6}  "
        yield head + printable_line(_cut(entry.place, width, wide + _BAR + 19))
        yield indent + printable_line(_cut(" ".join(entry.cost.rule.split()), width, len(indent)))
        for line in wrapped(printable_line(f"{entry.cost.file}:{entry.cost.line}{_details(entry)}"), width, indent):
            yield style(line, "bright_black")
        elsewhere = _over_elsewhere(entry)
        for line in wrapped(elsewhere, width, indent) if elsewhere else ():
            yield style(line, "yellow")
        if entry.help:
            yield from _help(entry.help, width, style)


def _over_elsewhere(entry: Entry) -> str:
    """Return the share of the budget on other servers whose estimate differs and is above it: `1.28, 1.29: 118%`."""
    versions: dict[str, list[str]] = {}
    for version, cost in entry.by_version.items():
        most = max(cost.expression_cost, cost.message_max_cost)
        if most > RULE_COST_LIMIT:
            versions.setdefault(percent(most / RULE_COST_LIMIT), []).append(version)
    return "; ".join(f"{', '.join(names)}: {share}" for share, names in versions.items())


def _details(entry: Entry) -> str:
    """Return how a cost comes about, in a few words."""
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


def explanation(entry: Entry, *, width: int | None, style: Style) -> Iterator[str]:
    """Yield the lines about one rule: where it stands, how often it runs, and what each part costs."""
    cost = entry.cost
    yield style(printable_line(f"{cost.crd}  {entry.place}  {cost.file}:{cost.line}"), "bold")
    yield f"  {printable_line(cost.path)}"
    yield from wrapped(printable_line(f"evaluated {entry.times}"), width, "  ")
    share = cost.expression_cost / RULE_COST_LIMIT
    summary = (
        f"{shown_cost(cost.expression_cost)} in all, {percent(share)} of the {RULE_COST_LIMIT:,} that a rule may cost"
    )
    yield from wrapped(summary, width, "  ")
    yield ""
    for name, tree in (("", entry.tree), ("messageExpression", entry.message_tree)):
        if tree is not None:
            if name:
                yield style(f"  {name}", "bold")
            yield from _tree(tree, width, style)
            yield ""
    if cost.error is not None:
        yield from wrapped(f"not estimated: {cost.error}", width, "  ")
    if entry.help:
        yield from _help(entry.help, width, style)


def _tree(tree: Part, width: int | None, style: Style) -> Iterator[str]:
    wide = max(4, len(shown_cost(tree.cost)))
    yield style(f"  {'COST':>{wide}}  PART", "bold")
    stack = [(tree, 0)]
    while stack:
        part, depth = stack.pop()
        indent = "  " * min(depth, 12)
        head = f"  {shown_cost(part.cost):>{wide}}  {indent}"
        yield head + printable_line(_cut(part.text, width or _PIPED, columns(head)))
        if part.bound:
            for line in wrapped(printable_line(part.bound), width, " " * columns(head)):
                yield style(line, "bright_black")
        stack.extend((one, depth + 1) for one in reversed(part.parts) if one.cost > 1 or one.parts)


def _help(text: str, width: int | None, style: Style) -> Iterator[str]:
    for i, line in enumerate(wrapped(printable_line(text), width, "        ", "  help: ")):
        yield line.replace("help:", style("help:", "green"), 1) if i == 0 else line


def bar(share: float) -> str:
    """Return a bar of ten characters for a share, full from 1 on."""
    eighths = round(min(share, 1.0) * _BAR * 8)
    whole, rest = divmod(eighths, 8)
    return ("█" * whole + (_EIGHTHS[rest] if rest else "")).ljust(_BAR, "·")


def percent(share: float) -> str:
    """Return a share in per cent, in at most six characters."""
    if share > 100:
        return ">9999%"
    return f"{share * 100:.0f}%" if share >= 0.1 else f"{share * 100:.1f}%"


def _cut(text: str, width: int | None, used: int) -> str:
    """Return text cut to what is left of a line of ``width`` columns; None does not cut."""
    room = len(text) if width is None else max(width - used, 20)
    return text if len(text) <= room else text[: room - 1] + "…"
