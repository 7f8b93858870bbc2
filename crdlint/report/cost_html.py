"""The costs of rules as one HTML page without network access; it uses JavaScript only to sort."""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from crdlint.kubecel.cost.explain import shown_cost
from crdlint.kubecel.limits import CRD_COST_LIMIT, RULE_COST_LIMIT, UINT64_MAX
from crdlint.linting.cost_entries import schema_costs
from crdlint.report.cost_text import percent
from crdlint.report.escapes import html_text as _text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.kubecel.cost.explain import Part
    from crdlint.linting.cost_entries import Entry
    from crdlint.linting.rule_cost import RuleCost
    from crdlint.report.pieces import Costs, View

# Each part of a tree contains the text of the parts below it, so the text of a part is cut.
_LONGEST_PART: Final = 300
_LONGEST_KEY: Final = 200
_QUOTED: Final = re.compile(r"`([^`]+)`")
# The headers of the columns and how each sorts; the text of a rule is in the row below its numbers.
_COLUMNS: Final = (
    ("Cost", "number"),
    ("Rule budget", "number"),
    ("Schema budget", "number"),
    ("Cardinality", "number"),
    ("CRD", "text"),
    ("File", "text"),
    ("Place", "text"),
)


class CostReport:
    """The complete page."""

    def __init__(self, view: View) -> None:
        del view

    def pieces(self, costs: Costs) -> Iterator[str]:
        """Yield the page."""
        yield f"{cost_page(costs.entries, costs.top, costs.unestimated)}\n"


def cost_page(entries: Sequence[Entry], top: int | None = None, unestimated: Sequence[Diagnostic] = ()) -> str:
    """Return an HTML document with the costs of the first `top` rules, in the order of `entries`.

    `unestimated` are the findings because of which rules have no estimate.
    """
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy()}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            "<title>Cost of CEL rules</title>",
            f"<style>{_STYLE}</style>",
            "</head>",
            "<body>",
            "<main>",
            *_heading(entries, unestimated),
            *(_table(entries[:top]) if entries else ()),
            *(_unestimated(unestimated) if unestimated else ()),
            "</main>",
            *((f"<script>{_SCRIPT}</script>",) if entries else ()),
            "</body>",
            "</html>",
        ]
    )


def _policy() -> str:
    """Return a content security policy: the page loads nothing, and runs only its own script."""
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _heading(entries: Sequence[Entry], unestimated: Sequence[Diagnostic]) -> Iterator[str]:
    schemas = schema_costs(entries)
    above = {name: cost for name, cost in schemas.items() if cost > CRD_COST_LIMIT}
    dear = sum(_is_over(entry.cost) for entry in entries)
    whole = min(sum(schemas.values()), UINT64_MAX)
    yield "<header>"
    yield "<h1>Cost of CEL rules</h1>"
    if not entries:
        yield "<p>No rules have been estimated.</p>" if unestimated else "<p>No rules.</p>"
        yield "</header>"
        return
    yield '<dl class="totals">'
    yield _total("Rules", f"{len(entries):,}")
    yield _total("CRDs", f"{len({(entry.cost.file, entry.cost.crd) for entry in entries}):,}")
    yield _total("Cost in all", shown_cost(whole))
    yield _total("Rules over budget", f"{dear:,}", over=dear > 0)
    yield _total("Schemas over budget", f"{len(above):,}", over=bool(above))
    if unestimated:
        yield _total("Not estimated", f"{len(unestimated):,}", over=True)
    yield "</dl>"
    if above:
        yield '<ul class="schemas" aria-label="Schemas over budget">'
        for (file, crd, version), cost in above.items():
            share = f'<span class="over">{_text(percent(cost / CRD_COST_LIMIT))}</span>'
            yield f"<li>{share} {_code(f'{crd} {version}'.rstrip())} in {_text(file)}: {shown_cost(cost)}</li>"
        yield "</ul>"
    yield "</header>"


def _unestimated(found: Sequence[Diagnostic]) -> Iterator[str]:
    """Yield the findings because of which rules have no estimate."""
    yield '<section aria-labelledby="unestimated">'
    yield '<h2 id="unestimated">Not estimated</h2>'
    yield "<p>These findings keep CRDs or rules from being estimated.</p>"
    yield '<ul class="findings">'
    for one in found:
        name = f"{_code(one.crd)} " if one.crd else ""
        yield f"<li><p>{name}{_breakable(f'{one.file}:{one.line}:{one.column}')} <b>{_text(one.rule)}</b></p>"
        yield f"<pre>{_text(one.message)}</pre>"
        if one.help:
            yield f'<p class="help"><b>Help:</b> {_quoted(one.help)}</p>'
        yield "</li>"
    yield "</ul>"
    yield "</section>"


def _total(name: str, value: str, *, over: bool = False) -> str:
    return f"<div><dt>{name}</dt><dd{_class(over=over)}>{value}</dd></div>"


def _is_over(cost: RuleCost) -> bool:
    return max(cost.expression_cost, cost.message_max_cost) > RULE_COST_LIMIT


def _table(entries: Sequence[Entry]) -> Iterator[str]:
    costs = [entry.cost.expression_cost for entry in entries]
    is_sorted = all(one >= after for one, after in pairwise(costs))
    # The grid layout of the styles removes the table semantics in browsers, so roles restore them.
    yield '<table role="table" aria-labelledby="caption">'
    yield (
        f'<caption id="caption">What the API server estimates each rule to cost, beside the {RULE_COST_LIMIT:,} units'
        f" that a rule and the {CRD_COST_LIMIT:,} that a schema may cost. Open a rule to see why.</caption>"
    )
    yield '<thead role="rowgroup">'
    yield '<tr role="row">'
    for i, (name, kind) in enumerate(_COLUMNS):
        yield _header(name, kind, 'scope="col"' + (' aria-sort="descending"' if i == 0 and is_sorted else ""))
    yield "</tr>"
    whole = f'scope="colgroup" colspan="{len(_COLUMNS)}"'
    yield f'<tr role="row">{_header("Rule", "text", whole)}</tr>'
    yield "</thead>"
    for entry in entries:
        yield from _row(entry)
    yield "</table>"


def _header(name: str, kind: str, attributes: str) -> str:
    # The script enables the button: without it there is nothing to press.
    return (
        f'<th role="columnheader" {attributes} data-kind="{kind}"><button type="button" disabled>{name}</button></th>'
    )


def _row(entry: Entry) -> Iterator[str]:
    cost = entry.cost
    where = f"{cost.file}:{cost.line}"
    yield f'<tbody role="rowgroup"{_class(dear=_is_over(cost))}>'
    yield '<tr role="row">'
    yield f'<td role="cell" class="number" data-sort="{cost.expression_cost}">{_cost_cell(cost)}</td>'
    for limit in (RULE_COST_LIMIT, CRD_COST_LIMIT):
        bar = "" if cost.error is not None else _bar(cost.expression_cost / limit)
        yield f'<td role="cell" class="share" data-sort="{cost.expression_cost}">{bar}</td>'
    cardinality = UINT64_MAX if cost.max_cardinality is None else cost.max_cardinality
    yield f'<td role="cell" class="number" data-sort="{cardinality}">{_cardinality_cell(cost)}</td>'
    yield f'<td role="cell" class="crd"{_key(cost.crd)}>{_breakable(cost.crd)}</td>'
    yield f'<td role="cell" class="file"{_key(where)}>{_breakable(where)}</td>'
    yield f'<th role="rowheader" scope="rowgroup" class="place"{_key(entry.value_path)}>{_place(entry)}</th>'
    yield "</tr>"
    yield f'<tr role="row"><td role="cell" class="rule" colspan="{len(_COLUMNS)}"{_key(cost.rule)}>'
    yield from _details(entry)
    yield "</td></tr>"
    yield "</tbody>"


def _cost_cell(cost: RuleCost) -> str:
    if cost.error is not None:
        return '<span class="over">not estimated</span>'
    shown = f"<span{_class(over=cost.expression_cost > RULE_COST_LIMIT)}>{shown_cost(cost.expression_cost)}</span>"
    if cost.message_max_cost:
        over = _class(over=cost.message_max_cost > RULE_COST_LIMIT)
        shown += f"<small{over}>message {shown_cost(cost.message_max_cost)}</small>"
    return shown


def _cardinality_cell(cost: RuleCost) -> str:
    if cost.max_cardinality is None:
        return f"unbounded<small>{cost.min_size_cardinality:,} fit</small>"
    return f"{cost.max_cardinality:,}"


def _bar(share: float) -> str:
    grade = "over" if share > 1 else "near" if share > 0.5 else "well"
    bar = f'<span class="bar {grade}" aria-hidden="true"><span style="width:{min(share, 1) * 100:.2f}%"></span></span>'
    told = '<span class="unseen"> over budget</span>' if share > 1 else ""
    return f'{bar}<span class="percent {grade}">{_text(percent(share))}{told}</span>'


def _place(entry: Entry) -> str:
    """Return the path in the object, with its last name strong; the path of the schema shows whether a name contains dots."""
    end = len(entry.value_path)
    while entry.value_path.endswith("[*]", 0, end):
        end -= 3
    named = entry.value_path[:end]
    name = entry.cost.path.rpartition("properties[")[2].partition("]")[0]
    if not name or not named.endswith(name):
        name = named.rpartition(".")[2]
    before, after = named[: len(named) - len(name)], entry.value_path[len(named) :]
    return f"<code>{_steps(before)}<strong>{_breakable(name)}</strong>{_steps(after)}</code>"


def _steps(text: str) -> str:
    return '<span class="each">[*]</span><wbr>'.join(map(_breakable, text.split("[*]")))


def _details(entry: Entry) -> Iterator[str]:
    cost = entry.cost
    yield f"<details><summary><code>{_text(cost.rule.strip())}</code></summary>"
    if cost.error is not None:
        yield f'<p class="over">It does not compile.</p><pre>{_text(cost.error)}</pre>'
    if entry.help:
        yield f'<p class="help"><b>Help:</b> {_quoted(entry.help)}</p>'
    yield '<dl class="facts">'
    yield _fact("Schema path", _code(cost.path))
    yield _fact("Evaluated", _text(entry.times))
    yield _fact("Cost of one evaluation", shown_cost(cost.max_cost))
    if cost.uses_old_self:
        yield _fact("Transition rule", "it sees <code>oldSelf</code>")
    yield "</dl>"
    if entry.tree is not None:
        yield from _tree(entry.tree, "Parts of the rule")
    if cost.message_expression is not None:
        yield from _message(entry, cost.message_expression)
    yield "</details>"


def _message(entry: Entry, expression: str) -> Iterator[str]:
    cost = entry.cost
    yield f"<p><b>messageExpression:</b> <code>{_text(expression.strip())}</code></p>"
    if cost.message_error is not None:
        yield f'<p class="over">It does not compile.</p><pre>{_text(cost.message_error)}</pre>'
    else:
        share = cost.message_max_cost / RULE_COST_LIMIT
        yield f'<p class="share"><span{_class(over=share > 1)}>{shown_cost(cost.message_max_cost)}</span> {_bar(share)}</p>'
    if entry.message_tree is not None:
        yield from _tree(entry.message_tree, "Parts of the messageExpression")


def _fact(name: str, value: str) -> str:
    return f"<div><dt>{name}</dt><dd>{value}</dd></div>"


def _tree(tree: Part, label: str) -> Iterator[str]:
    yield f"<h2>{label}</h2>"
    yield '<ul class="tree">'
    pending: list[Part | str] = [tree]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            yield part
            continue
        yield f"<li>{_part(part)}"
        below = [one for one in part.parts if one.cost > 1 or one.parts]
        if below:
            yield "<ul>"
        pending.append("</ul></li>" if below else "</li>")
        pending.extend(reversed(below))
    yield "</ul>"


def _part(part: Part) -> str:
    text = part.text if len(part.text) <= _LONGEST_PART else part.text[:_LONGEST_PART] + "…"
    bound = f'<span class="bound">{_text(part.bound)}</span>' if part.bound else ""
    grade = _class(cost=True, over=part.cost > RULE_COST_LIMIT)
    return f'<div class="part"><span{grade}>{shown_cost(part.cost)}</span> <code>{_text(text)}</code>{bound}</div>'


def _class(**names: bool) -> str:
    chosen = " ".join(name for name, is_set in names.items() if is_set)
    return f' class="{chosen}"' if chosen else ""


def _key(text: str) -> str:
    return f' data-sort="{_text(" ".join(text.split())[:_LONGEST_KEY])}"'


def _code(text: str) -> str:
    return f"<code>{_breakable(text)}</code>"


def _quoted(text: str) -> str:
    """Return a sentence with text in backticks as code."""
    return _QUOTED.sub(r"<code>\1</code>", _text(text))


def _breakable(text: str) -> str:
    """Return a name or path that may be broken before its steps."""
    return re.sub(r"(?<=.)(?=[.\[/:_])", "<wbr>", _text(text))


_STYLE: Final = """
:root {
  color-scheme: light dark;
  --ink: #1c2127; --paper: #fff; --faint: #5b6570; --line: #d6dbe1; --shade: #f3f5f7; --focus: #0b5cad;
  --well: #2c7a4b; --near: #a86200; --over: #c3232b; --empty: #e3e7eb;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4e8ec; --paper: #14181d; --faint: #9aa5b1; --line: #323a43; --shade: #1d232a; --focus: #7db7f5;
    --well: #55b17b; --near: #e0a040; --over: #ff7b7b; --empty: #2b323a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
main { max-width: 100rem; margin: 0 auto; padding: 1rem; }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; }
h2 { margin: .75rem 0 .25rem; font-size: .9rem; }
code, pre { font: .9em/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .25rem 0; }
dl, dd { margin: 0; }
small { display: block; white-space: normal; font-size: .85em; color: var(--faint); }
.over, small.over { color: var(--over); font-weight: 600; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.totals { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin-bottom: 1rem; }
.totals dt { color: var(--faint); font-size: .85rem; }
.totals dd { font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.schemas { margin: 0 0 1rem; padding-left: 1.25rem; }
button:focus-visible, summary:focus-visible { outline: 2px solid var(--focus); outline-offset: 1px; }
/* A grid, so that at any width the figures stay in columns and names have the room that is left. */
table, caption, th, td { display: block; }
table { border: 1px solid var(--line); border-radius: 6px; }
tr { display: contents; }
thead { display: flex; flex-wrap: wrap; }
tbody { display: grid; grid-template-columns: var(--figures) fit-content(22rem) minmax(0, 1fr); }
table { --cost: 8.5rem; --share: 10.5rem; --times: 8.5rem;
  --figures: var(--cost) var(--share) var(--share) var(--times); }
thead th:nth-child(1) { width: var(--cost); }
thead th:nth-child(2), thead th:nth-child(3) { width: var(--share); }
thead th:nth-child(4) { width: var(--times); }
.number, .share { grid-row: 1 / span 2; }
.place { grid-area: 1 / 5 / auto / -1; padding-bottom: 0; }
.crd, .file { grid-row: 2; padding-top: 0; }
.rule { grid-column: 1 / -1; }
caption { padding: .5rem .6rem; text-align: left; color: var(--faint); }
th, td { padding: .4rem .6rem; text-align: left; vertical-align: top; font-weight: 400; }
thead { background: var(--shade); }
thead th { padding: 0 .1rem; white-space: nowrap; box-sizing: border-box; }
tbody { border-top: 1px solid var(--line); }
tbody.dear { box-shadow: inset 3px 0 var(--over); }
button { padding: .35rem .5rem; border: 0; border-radius: 4px; background: none; color: inherit; font: inherit;
  font-weight: 600; text-align: left; }
button:enabled { cursor: pointer; }
button:enabled:hover { background: var(--line); }
button:enabled::after { content: "\\2195"; display: inline-block; width: 1em; margin-left: .2em; color: var(--faint); }
[aria-sort] button:enabled::after { color: inherit; }
[aria-sort=ascending] button:enabled::after { content: "\\2191"; }
[aria-sort=descending] button:enabled::after { content: "\\2193"; }
tbody td:not(.rule) { font-size: .95em; }
.number { white-space: nowrap; font-variant-numeric: tabular-nums; }
.place code, .crd, .file { overflow-wrap: anywhere; }
.crd, .file { color: var(--faint); }
.place .each { white-space: nowrap; }
.place strong { color: var(--ink); }
.place { color: var(--faint); }
.each { color: var(--near); }
.share { white-space: nowrap; }
.bar { display: inline-block; width: 4rem; height: .6rem; margin-right: .5rem; border-radius: 3px; overflow: hidden;
  background: var(--empty); print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.bar span { display: block; height: 100%; background: var(--well); }
.bar.near span { background: var(--near); }
.bar.over span { background: var(--over); }
.percent { font-variant-numeric: tabular-nums; }
.rule { padding-top: 0; padding-bottom: .6rem; }
summary { cursor: pointer; display: grid; grid-template-columns: 1.1em minmax(0, 1fr); }
summary::-webkit-details-marker { display: none; }
summary::before { content: "\\25b8"; color: var(--faint); }
[open] > summary::before { content: "\\25be"; }
summary code { white-space: pre-wrap; }
details:not([open]) > summary code { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3;
  overflow: hidden; }
[open] > :not(summary) { margin-left: 1.1em; }
.findings { margin: 0; padding: 0; list-style: none; }
.findings li { padding: .4rem 0; border-top: 1px solid var(--line); }
.findings p { margin: .25rem 0; overflow-wrap: anywhere; }
.help { padding: .4rem .6rem; border-left: 3px solid var(--well); background: var(--shade); }
.facts { margin-top: .3rem; }
.facts div { display: flex; flex-wrap: wrap; gap: 0 .5rem; }
.facts dt { color: var(--faint); }
.facts dd { min-width: 0; overflow-wrap: anywhere; }
.tree { margin-top: 0; padding: 0; }
.tree ul { padding: 0 0 0 .75rem; border-left: 1px solid var(--line); }
.tree li { list-style: none; }
/* Deeper ones are drawn below one another: no screen is wide enough. */
.tree ul ul ul ul ul ul ul ul ul ul ul ul { padding-left: 0; border-left: 0; }
.part { display: grid; grid-template-columns: minmax(5.5em, max-content) minmax(0, 1fr); gap: 0 .5rem; padding: .1rem 0; }
.part .cost { font-variant-numeric: tabular-nums; }
.bound { grid-column: 2; overflow-wrap: anywhere; color: var(--faint); font-size: .9em; }
/* Where there is no room beside the figures, names stand above them. */
@media (max-width: 64rem) {
  table { --figures: repeat(4, minmax(0, 1fr)); }
  tbody { grid-template-columns: var(--figures); }
  thead th:nth-child(n) { width: 25%; }
  thead tr:nth-child(2) th { width: 25%; }
  .place { grid-area: 1 / 1 / auto / -1; }
  .crd { grid-area: 2 / 1 / auto / -1; padding-bottom: 0; }
  .file { grid-area: 3 / 1 / auto / -1; }
  .number, .share { grid-row: 4; padding-top: 0; }
}
@media (max-width: 36rem) {
  body { font-size: 14px; }
  main { padding: .75rem; }
  thead th { white-space: normal; }
  button { padding: .35rem 0 .35rem .5rem; font-size: .85em; }
  th, td { padding-right: .2rem; }
  .bar { display: none; }
}
@page { size: landscape; margin: 12mm; }
@media print {
  :root { --ink: #000; --paper: #fff; --faint: #444; --line: #bbb; --shade: #fff; --well: #2c7a4b; --near: #a86200;
    --over: #b00; --empty: #e3e7eb; }
  main { max-width: none; padding: 0; }
  body { font-size: 8pt; }
  table { border: 0; --cost: 7em; --share: 11em; --times: 9em; }
  th, td { padding: .3rem .4rem; overflow-wrap: anywhere; }
  thead th, button { padding: .1rem .2rem; }
  .bar { width: 2rem; }
  button:enabled::after, summary::before, [open] > summary::before { content: none; }
  summary { grid-template-columns: minmax(0, 1fr); }
  [open] > :not(summary) { margin-left: 0; }
  tbody { break-inside: avoid-page; }
  details:not([open]) > summary code { display: block; }
}
"""

_SCRIPT: Final = """
"use strict";
const table = document.querySelector("table");
const headers = [...table.tHead.querySelectorAll("th")];
const rules = [...table.tBodies];
const text = new Intl.Collator("en", {numeric: true});
const compare = {
  number: (a, b) => a < b ? -1 : a > b ? 1 : 0,
  text: (a, b) => text.compare(a, b),
};
const first = {number: "descending", text: "ascending"};
const other = {ascending: "descending", descending: "ascending"};

function sort(column) {
  const header = headers[column];
  const kind = header.dataset.kind;
  const order = other[header.getAttribute("aria-sort")] || first[kind];
  const sign = order === "ascending" ? 1 : -1;
  const keyed = rules.map(rule => {
    const key = rule.querySelectorAll("[data-sort]")[column].dataset.sort;
    return {rule, key: kind === "number" ? BigInt(key) : key};
  });
  keyed.sort((a, b) => sign * compare[kind](a.key, b.key));
  table.append(...keyed.map(one => one.rule));
  headers.forEach(one => one.removeAttribute("aria-sort"));
  header.setAttribute("aria-sort", order);
}

headers.forEach((header, column) => {
  const button = header.querySelector("button");
  button.disabled = false;
  button.addEventListener("click", () => sort(column));
});
"""
