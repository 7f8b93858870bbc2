"""The costs of rules as one HTML page without network access; it uses JavaScript only to sort."""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crdlint.kubecel.cost.explain import shown_cost
from crdlint.kubecel.limits import CRD_COST_LIMIT, RULE_COST_LIMIT, UINT64_MAX
from crdlint.linting.cost_entries import schema_costs
from crdlint.report.cost_text import percent
from crdlint.report.escapes import html_text as _text
from crdlint.report.pieces import Costs, WholeReport

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.kubecel.cost.explain import Part
    from crdlint.linting.cost_entries import Entry
    from crdlint.linting.result import RuleCost

# Each part of a tree contains the text of the parts below it, so the text of a part is cut.
_LONGEST_PART: Final = 300
_LONGEST_KEY: Final = 200
_QUOTED: Final = re.compile(r"`([^`]+)`")
# The headers of the columns and how each sorts; the text of a rule is in the row below its numbers.
_COLUMNS: Final = (
    ("Cost", "number"), ("Rule budget", "number"), ("Schema budget", "number"), ("Cardinality", "number"),
    ("CRD", "text"), ("File", "text"), ("Place", "text"),
)  # fmt: skip


class CostReport(WholeReport[Costs]):
    """The complete page."""

    def pieces(self, content: Costs) -> Iterator[str]:
        """Yield the page."""
        yield f"{cost_page(content.entries, content.top, content.unestimated)}\n"


def cost_page(entries: Sequence[Entry], top: int | None = None, unestimated: Sequence[Diagnostic] = ()) -> str:
    """Return an HTML document with the costs of the first `top` rules, in the order of `entries`.

    `unestimated` are the findings because of which rules have no estimate.
    """
    body = "\n".join(
        (
            *_heading(entries, unestimated),
            *(_table(entries[:top]) if entries else ()),
            *(_unestimated(unestimated) if unestimated else ()),
            "</main>",
            *((f"<script>{_SCRIPT}</script>",) if entries else ()),
        )
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Cost of CEL rules</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
{body}
</body>
</html>"""


def _policy() -> str:
    """Return a content security policy: the page loads nothing, and runs only its own script."""
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _heading(entries: Sequence[Entry], unestimated: Sequence[Diagnostic]) -> Iterator[str]:
    schemas = schema_costs(entries)
    dear_schemas = {name: cost for name, cost in schemas.items() if cost > CRD_COST_LIMIT}
    dear = sum(_is_over(entry.cost) for entry in entries)
    total = min(sum(schemas.values()), UINT64_MAX)
    yield "<header>"
    yield "<h1>Cost of CEL rules</h1>"
    if not entries:
        yield "<p>No rules have been estimated.</p>" if unestimated else "<p>No rules.</p>"
        yield "</header>"
        return
    yield '<dl class="totals">'
    yield _total("Rules", f"{len(entries):,}")
    yield _total("CRDs", f"{len({(entry.cost.file, entry.cost.crd) for entry in entries}):,}")
    yield _total("Cost in all", shown_cost(total))
    yield _total("Rules over budget", f"{dear:,}", over=dear > 0)
    yield _total("Schemas over budget", f"{len(dear_schemas):,}", over=bool(dear_schemas))
    if unestimated:
        yield _total("Not estimated", f"{len(unestimated):,}", over=True)
    yield "</dl>"
    if dear_schemas:
        yield '<ul class="schemas" aria-label="Schemas over budget">'
        for (file, crd, version), cost in dear_schemas.items():
            share = f'<span class="over">{_text(percent(cost / CRD_COST_LIMIT))}</span>'
            yield f"<li>{share} {_code(f'{crd} {version}'.rstrip())} in {_text(file)}: {shown_cost(cost)}</li>"
        yield "</ul>"
    yield "</header>"


def _unestimated(findings: Sequence[Diagnostic]) -> Iterator[str]:
    yield """<section aria-labelledby="unestimated">
<h2 id="unestimated">Not estimated</h2>
<p>These findings keep CRDs or rules from being estimated.</p>
<ul class="findings">"""
    for finding in findings:
        name = f"{_code(finding.crd)} " if finding.crd else ""
        yield f"<li><p>{name}{_breakable(f'{finding.file}:{finding.line}:{finding.column}')} <b>{_text(finding.rule)}</b></p>"
        yield f"<pre>{_text(finding.message)}</pre>"
        if finding.help:
            yield f'<p class="help"><b>Help:</b> {_quoted(finding.help)}</p>'
        yield "</li>"
    yield "</ul>\n</section>"


def _total(name: str, value: str, *, over: bool = False) -> str:
    return f"<div><dt>{name}</dt><dd{_class(over=over)}>{value}</dd></div>"


def _is_over(cost: RuleCost) -> bool:
    return max(cost.expression_cost, cost.message_max_cost) > RULE_COST_LIMIT


def _table(entries: Sequence[Entry]) -> Iterator[str]:
    costs = [entry.cost.expression_cost for entry in entries]
    is_sorted = all(cost >= following for cost, following in pairwise(costs))
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
    spanning = f'scope="colgroup" colspan="{len(_COLUMNS)}"'
    yield f'<tr role="row">{_header("Rule", "text", spanning)}</tr>'
    yield "</thead>"
    for entry in entries:
        yield from _row(entry)
    yield "</table>"


def _header(name: str, kind: str, attributes: str) -> str:
    # The script enables the button: without it there is nothing to press.
    button = f'<button type="button" disabled>{name}</button>'
    return f'<th role="columnheader" {attributes} data-kind="{kind}">{button}</th>'


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
    yield f'<th role="rowheader" scope="rowgroup" class="place"{_key(entry.value_path)}>{_path_cell(entry)}</th>'
    yield "</tr>"
    yield f'<tr role="row"><td role="cell" class="rule" colspan="{len(_COLUMNS)}"{_key(cost.rule)}>'
    yield from _details(entry)
    yield "</td></tr>\n</tbody>"


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
    hint = '<span class="unseen"> over budget</span>' if share > 1 else ""
    return f'{bar}<span class="percent {grade}">{_text(percent(share))}{hint}</span>'


def _path_cell(entry: Entry) -> str:
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
        below = [inner for inner in part.parts if inner.cost > 1 or inner.parts]
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


def _text_of(name: str) -> str:
    return f"\n{Path(__file__).with_name(name).read_text(encoding='utf-8')}"


_STYLE: Final = _text_of("cost.css")
_SCRIPT: Final = _text_of("cost.js")
