"""The costs of rules for people: a table for each schema, and the parts of a rule."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from crdlint.gathering import grouped
from crdlint.kubecel.cost import CRD_COST_LIMIT, RULE_COST_LIMIT
from crdlint.kubecel.cost.explain import CostPart as CostPart
from crdlint.kubecel.cost.explain import in_words, shown_cost
from crdlint.light import replace
from crdlint.linting.cost_entries import CostEntry, Schema, schema_costs
from crdlint.linting.result import RuleCost
from crdlint.phrases import counted
from crdlint.report import text
from crdlint.report.page import CellPart, Page, columns
from crdlint.report.pieces import Costs, View, WholeReport
from crdlint.safety.escapes import printable_line

_INDENT: Final = " " * 4
_NARROWEST, _WIDEST = 10, 25  # columns of a bar
_DECADES, _DECADES_TO_LIMIT = 5, 4  # powers of ten that a bar has, and below the limit
_LEAST_SHARE: Final = 0.0001
_CHEAP: Final = 0.001  # the share of the budget below which a rule costs next to nothing
_ALWAYS_SHOWN: Final = 5  # rules of a schema, whatever they cost
_FEWEST_FOLDED: Final = 3
_MOST_PERCENT: Final = 100  # times of a limit, above which a share is no percentage
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
    """Yield the rules to show by schema, each with its share of the budget, and the total cost of each schema."""
    by_schema = grouped(costs.shown, lambda entry: entry.schema)
    failed = Counter(entry.schema for entry in costs.entries if entry.cost.error is not None)
    totals = schema_costs(costs.entries)
    copies = _copies({schema: by_schema[schema] for schema in totals if schema in by_schema})
    for schema, others in copies.items():
        more = f"(and {counted(len(others), 'copy', 'copies')})" if others else ""
        title = "  ".join(filter(None, (schema.crd, schema.version, schema.file, more)))
        yield from page.flow(CellPart(printable_line(title), "title"))
        yield from _rules(by_schema[schema], costs, page)
        yield from page.wrapped(_total(totals[schema], failed[schema]), "  ")
        yield ""
    if by_schema:
        yield from page.wrapped(_LEGEND, "")
        yield from page.wrapped(*_summary(costs.entries))


def _rules(entries: Sequence[CostEntry], costs: Costs, page: Page) -> Iterator[str]:
    """Yield the rules of a schema; those that cost next to nothing are counted, unless `--top` asks for them."""
    folded = _folded(entries) if costs.top is None else []
    ids = set(map(id, folded))
    shown = [entry for entry in entries if id(entry) not in ids]
    wide = max(len(_shown(entry.cost)) for entry in shown)
    for entry in shown:
        yield from _rule(entry, wide, page)
    if folded:
        cost = sum(entry.cost.expression_cost for entry in folded)
        text = f"{len(folded)} more rules below {percent(_CHEAP)} each, {shown_cost(cost)} in all"
        way = f"`--top {len(costs.entries)}` shows them"
        for line in page.wrapped(f"{text}; {way}", "  "):
            yield page.styled(line, "faint")


def _folded(entries: Sequence[CostEntry]) -> Sequence[CostEntry]:
    """Return the rules that cost next to nothing, but for the first ones of them; at least three."""
    cheap = list(filter(_is_cheap, entries))
    first = max(_ALWAYS_SHOWN - (len(entries) - len(cheap)), 0)
    folded = cheap[first:]
    return folded if len(folded) >= _FEWEST_FOLDED else []


def _is_cheap(entry: CostEntry) -> bool:
    """Return whether a rule costs next to nothing on every server, and needs no change."""
    cost = entry.cost
    if cost.error is not None or entry.help or _over_elsewhere(entry):
        return False
    return max(cost.expression_cost, cost.message_max_cost) < _CHEAP * RULE_COST_LIMIT


def _summary(entries: Sequence[CostEntry]) -> tuple[str, str, None, str]:
    """Return the numbers of rules and CRDs, and how many rules are over their budget, with its style."""
    crds = len({(entry.cost.file, entry.cost.crd) for entry in entries})
    shares = [
        max(entry.cost.expression_cost, entry.cost.message_max_cost) / RULE_COST_LIMIT
        for entry in entries
    ]
    over = sum(share > 1 for share in shares)
    most = f"{percent(max(shares))} at most"
    rules = f"{counted(len(entries), 'rule')} in {counted(crds, 'CRD')}"
    verdict = f"{over:,} over budget" if over else "none over budget"
    return f"{rules}: {verdict}, {most}", "", None, ""


_LEGEND: Final = "Bars are logarithmic, from 0.01% to 1,000% of the budget of a rule; │ is 100%."


def _copies(by_schema: Mapping[Schema, Sequence[CostEntry]]) -> dict[Schema, list[Schema]]:
    """Return the schemas of different CRDs or with different costs, each with those of other files that are equal."""
    first: dict[object, Schema] = {}
    copies: dict[Schema, list[Schema]] = {}
    for schema, entries in by_schema.items():
        rules = tuple(
            (each.value_path, each.cost.rule, each.cost.expression_cost) for each in entries
        )
        same = first.setdefault((schema.crd, schema.version, rules), schema)
        if same is schema:
            copies[schema] = []
        else:
            copies[same].append(schema)
    return copies


def _total(cost: int, failed: int) -> str:
    """Return the total cost of a schema, and how many of its rules are not in it."""
    share = part_of(cost / CRD_COST_LIMIT, f"{CRD_COST_LIMIT:,} that a schema's rules may cost")
    total = f"{shown_cost(cost)} in all, {share}"
    return f"{total}, without {counted(failed, 'rule')} not estimated" if failed else total


def _rule(entry: CostEntry, wide: int, page: Page) -> Iterator[str]:
    """Yield the lines of a rule: its share of the budget, its cost and its path in an object, its text, and a help.

    `wide` is how many columns the costs of its schema take.
    """
    cost = entry.cost
    share = cost.expression_cost / RULE_COST_LIMIT
    style = "error" if share > 1 else "warning" if share > 0.5 else "good"
    filled = CellPart(f"  {bar(share, _bar_width(page))} {percent(share):>6}", style)
    rest = f"  {_shown(cost):>{wide}}  {printable_line(entry.value_path)}"
    yield from _behind_bar(filled, rest, page)
    yield from page.yaml(printable_line(" ".join(cost.rule.split())), _INDENT)
    details = "".join(f", {detail}" for detail in _details(cost))
    for line in page.wrapped(f"line {cost.line}{details}", _INDENT):
        yield page.styled(line, "faint", page.file_link(cost.file))
    over = _over_elsewhere(entry)
    if over:
        yield page.styled(f"{_INDENT}{over}", "warning")
    yield from _help(entry, page)


def _help(entry: CostEntry, page: Page) -> Iterator[str]:
    """Yield the lines about how to make a rule cheaper, if that is known."""
    if entry.help:
        yield from page.wrapped(
            printable_line(entry.help),
            " " * 8,
            "  help: ",
            "label",
        )


def _shown(cost: RuleCost) -> str:
    """Return the cost of a rule, `-` for one without an estimate."""
    return "-" if cost.error is not None else shown_cost(cost.expression_cost)


def _behind_bar(filled: CellPart, rest: str, page: Page) -> Iterator[str]:
    """Yield the bar of a rule with its cost and its path in an object, which are below the bar if there is no room."""
    if page.width is None or columns(filled.text) + columns(rest) <= page.width:
        yield from page.flow(filled, CellPart(rest))
        return
    yield from page.flow(filled)
    yield from page.wrapped(rest.strip(), _INDENT)


def _over_elsewhere(entry: CostEntry) -> str:
    """Return the share of the budget on other servers whose estimate differs and is above it: `1.28, 1.29: 118% of the budget`.

    It is empty if there are none.
    """
    versions: dict[str, list[str]] = {}
    for version, cost in entry.by_version.items():
        most = max(cost.expression_cost, cost.message_max_cost)
        if most > RULE_COST_LIMIT:
            share = part_of(most / RULE_COST_LIMIT, "budget")
            versions.setdefault(share, []).append(version)
    return "; ".join(f"{', '.join(names)}: {share}" for share, names in versions.items())


def _details(cost: RuleCost) -> Iterator[str]:
    """Yield why there is no estimate, how often the rule is evaluated, and the cost of its message."""
    if cost.error is not None:
        yield "not estimated: it does not compile"
    elif cost.max_cardinality is None:
        yield _times(cost.max_cost, cost.min_size_cardinality, " (no limit)")
    elif cost.max_cardinality != 1:
        yield _times(cost.max_cost, cost.max_cardinality, "")
    if cost.message_max_cost:
        yield f"message {shown_cost(cost.message_max_cost)}"


def _times(cost: int, times: int, limit: str) -> str:
    """Return how often a rule is evaluated in an object, and what one evaluation costs."""
    return f"{shown_cost(cost)} each, up to {times:,} times in an object{limit}"


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
    yield from page.wrapped(f"{in_all}, {part_of_budget(share)}", "  ")
    yield ""
    for tree in filter(None, (entry.tree, entry.message_tree)):
        if tree is entry.message_tree:
            yield page.styled("  messageExpression", "title")
        yield from (*_tree(tree, page), "")
    if cost.error is not None:
        yield from page.wrapped(f"not estimated: {cost.error}", "  ")
    yield from _help(entry, page)


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


def _bar_width(page: Page) -> int:
    """Return the columns of a bar: a quarter of a line, ten at least."""
    width = _WIDEST if page.width is None else page.width // 4
    return max(_NARROWEST, min(width, _WIDEST))


def bar(share: float, width: int) -> str:
    """Return a bar for a share on a logarithmic scale, with a line at 1.

    >>> bar(0.03, 10), bar(3, 10)
    ('█████···│·', '█████████·')
    """
    filled = fill(share) * width
    full, rest = divmod(round(filled * 8), 8)
    drawn = "█" * full + (_EIGHTHS[rest] if rest else "")
    track = "·" * (width * _DECADES_TO_LIMIT // _DECADES) + "│"
    return drawn + track.ljust(width, "·")[len(drawn) :]


def fill(share: float) -> float:
    """Return how much of a bar is filled, 0 to 1; 0.8 for a share of 1."""
    if share <= 0:
        return 0.0
    decades = math.log10(share) + _DECADES_TO_LIMIT
    return min(max(decades / _DECADES, 0.0), 1.0)


def percent(share: float) -> str:
    """Return a share in per cent with two digits, or how many times the limit it is.

    >>> percent(0.0003), percent(3), percent(120), percent(3.3e6)
    ('0.03%', '300%', '120 times', '3.3 million times')
    """
    if share >= _MOST_PERCENT:
        return f"{in_words(round(share), 10**6)} times"
    if 0 < share < _LEAST_SHARE:
        return "<0.01%"
    return f"{share * 100:.0f}%" if share >= 0.1 else f"{share * 100:.2g}%"


def part_of_budget(share: float) -> str:
    """Return in words how much of the budget of a rule a share is."""
    return part_of(share, f"{RULE_COST_LIMIT:,} that a rule may cost")


def part_of(share: float, limit: str) -> str:
    """Return in words how much of a limit a share is.

    >>> part_of(0.5, "10 units"), part_of(120, "10 units")
    ('50% of the 10 units', '120 times the 10 units')
    """
    is_times = share >= _MOST_PERCENT
    return f"{percent(share)} {'the' if is_times else 'of the'} {limit}"
