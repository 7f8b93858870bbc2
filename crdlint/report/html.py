"""Findings, costs and comparisons as pages without network access, made from the templates beside this module."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from crdlint.cel.estimates import UINT64_MAX
from crdlint.crd.positions import block_of
from crdlint.diagnostics import Diagnostic
from crdlint.kubecel.cost import CRD_COST_LIMIT, RULE_COST_LIMIT
from crdlint.kubecel.cost.explain import CostPart, shown_cost
from crdlint.light import NamedTuple, regex
from crdlint.linting.cost_entries import CostEntry, schema_costs
from crdlint.linting.result import FileResult
from crdlint.report import changes, words
from crdlint.report.cost_text import fill, part_of, percent
from crdlint.report.differences import Part, changed_parts, has_same_key
from crdlint.report.page import rule_link
from crdlint.report.pieces import (
    LATER,
    Costs,
    Report,
    RunOutcome,
    View,
    WholeReport,
    counted_as,
    most_frequent,
)
from crdlint.report.provenance import provenance
from crdlint.report.same_changes import Cluster, clusters, entries
from crdlint.rules.texts.changes import REMOVED
from crdlint.safety.escapes import html_text
from crdlint.sources.helm.release import LIMIT, Release
from crdlint.yaml.edit import line_starts

_TEMPLATES: Final = Path(__file__).with_name("templates")
_LONGEST_KEY: Final = 200
_LONGEST_LINE: Final = 200
_MOST_AREAS: Final = 40
_LEAST_SHARE: Final = 0.001  # of a limit, below which an area is not drawn
_QUOTED: Final = regex(r"`([^`]+)`")
# The headers of the columns and how each sorts; the text of a rule is in the row below its numbers.
_COLUMNS: Final = (
    ("Cost", "number"),
    ("Rule budget", "number"),
    ("Schema budget", "number"),
    ("Times", "number"),
    ("CRD", "text"),
    ("File", "text"),
    ("Place", "text"),
)


# The times of a budget above which the column of a share has no room for the number
_MOST_TIMES: Final = 100


def _percent(share: float) -> str:
    """Return a share in per cent, as short as a column of a table is."""
    return ">9999%" if share > _MOST_TIMES else percent(share)


@cache
def _environment() -> Environment:
    environment = Environment(
        autoescape=True,
        finalize=lambda value: Markup(html_text(value)) if type(value) is str else value,
        loader=FileSystemLoader(_TEMPLATES),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {
        "advice": words.advice,
        "breakable": _breakable,
        "cost": shown_cost,
        "fill": fill,
        "flat": _flat,
        "headline": words.headline,
        "of_budget": lambda share: part_of(share, "budget of a schema"),
        "percent": _percent,
        "place": _value_place,
        "rule_link": rule_link,
        "sentences": words.sentences,
        "where": words.where,
        "code": lambda text: Markup("<code>{}</code>").format(_breakable(text)),
        "key": lambda text: " ".join(text.split())[:_LONGEST_KEY],
        "quoted": lambda text: Markup(_QUOTED.sub(r"<code>\1</code>", html_text(text))),
    }
    environment.tests["over_limit"] = _is_over
    return environment


def _page(template: str, **values: Any) -> str:
    """Return a page whose content security policy allows only its own script."""
    style, script = (
        f"\n{(_TEMPLATES / name).read_text(encoding='utf-8')}" for name in ("page.css", "page.js")
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    page = _environment().get_template(template)
    return (
        page.render(
            style=Markup(style),
            script=Markup(script),
            policy=Markup(policy),
            **values,
        )
        + "\n"
    )


class CostPage(WholeReport[Costs]):
    """The costs of rules: totals, the budget by field, and a table that sorts."""

    def pieces(self, content: Costs) -> Iterator[str]:
        """Yield the page."""
        entries, shown, schemas = content.entries, content.shown, schema_costs(content.entries)
        yield _page(
            "costs.html",
            facts=provenance(self._view.kube_version),
            entries=entries,
            shown=shown,
            unestimated=content.unestimated,
            crds=len({(entry.cost.file, entry.cost.crd) for entry in entries}),
            sum=min(sum(schemas.values()), UINT64_MAX),
            dear=sum(map(_is_over, entries)),
            schemas=[(schema, cost) for schema, cost in schemas.items() if cost > CRD_COST_LIMIT],
            areas=_areas(entries),
            releases=[_release(chart, release) for chart, release in content.releases.items()],
            release_limit=LIMIT,
            columns=_COLUMNS,
            is_sorted=all(
                dear.cost.expression_cost >= next_.cost.expression_cost
                for dear, next_ in pairwise(shown)
            ),
            rule_limit=RULE_COST_LIMIT,
            schema_limit=CRD_COST_LIMIT,
            most=UINT64_MAX,
        )


def _is_over(entry: CostEntry) -> bool:
    return max(entry.cost.expression_cost, entry.cost.message_max_cost) > RULE_COST_LIMIT


class _Area(NamedTuple):
    """A field or CRD in a map: its share of the limit, and its rectangle in percent of the map."""

    name: str
    share: float
    left: float
    top: float
    width: float
    height: float


def _areas(entries: Sequence[CostEntry]) -> list[_Area]:
    """Return the fields whose rules cost most, each halving what is left of the map by the sum of the costs."""
    costs: Counter[str] = Counter()
    for entry in entries:
        cost = entry.cost
        name = f"{entry.value_path} of {cost.crd} {cost.version}".rstrip()
        costs[name] += cost.expression_cost + cost.message_max_cost
    return _map(costs, CRD_COST_LIMIT)


class _Release(NamedTuple):
    """The release of a chart: its size in bytes (None if a file is unreadable), and the map's areas of CRDs and of the rest."""

    chart: str
    size: int | None = None
    areas: Sequence[_Area] = ()


def _release(chart: str, release: Release | None) -> _Release:
    if release is None:
        return _Release(chart)
    sizes = Counter(release.shares)
    sizes["everything else"] = max(release.size - sizes.total(), 0)
    return _Release(chart, release.size, _map(sizes, LIMIT))


def _map(sizes: Counter[str], limit: int) -> list[_Area]:
    """Return the areas of the largest sizes in a map, with their shares of a limit."""
    shares = [(name, size / limit) for name, size in sizes.most_common(_MOST_AREAS)]
    return list(
        _divided(
            [each for each in shares if each[1] > _LEAST_SHARE],
            0.0,
            0.0,
            100.0,
            100.0,
        )
    )


def _divided(
    sizes: list[tuple[str, float]],
    left: float,
    top: float,
    width: float,
    height: float,
) -> Iterator[_Area]:
    """Yield the rectangles of sizes in a rectangle, which is divided at half of their sum until each has its own."""
    if len(sizes) < 2:
        corners = (round(each, 3) for each in (left, top, width, height))
        yield from (_Area(name, share, *corners) for name, share in sizes)
        return
    areas = [min(share, 1.0) for _, share in sizes]
    cut, half = 1, areas[0]
    while cut < len(areas) - 1 and half + areas[cut] <= sum(areas) / 2:
        half += areas[cut]
        cut += 1
    part = half / sum(areas)
    if width * 3 > height:  # the map is about three times as wide as it is high
        yield from _divided(sizes[:cut], left, top, width * part, height)
        yield from _divided(
            sizes[cut:],
            left + width * part,
            top,
            width * (1 - part),
            height,
        )
    else:
        yield from _divided(sizes[:cut], left, top, width, height * part)
        yield from _divided(
            sizes[cut:],
            left,
            top + height * part,
            width,
            height * (1 - part),
        )


class _SourceLine(NamedTuple):
    number: int
    before: str
    marked: str
    after: str
    label: str = ""


class _Row(NamedTuple):
    """A finding of a page with its lines, a note about others that it includes, as what they count, and their number."""

    finding: Diagnostic
    source: Sequence[_SourceLine]
    others: str
    group: str
    number: int


class _Bar(NamedTuple):
    """A bar of an overview: a name, its number of findings, and that as a share of the greatest (percent)."""

    name: str
    number: int
    width: float


def _bars(counts: Counter[str]) -> list[_Bar]:
    """Return the bars of an overview, the longest first."""
    most = max(counts.values(), default=1)
    return [
        _Bar(name, count, round(100 * count / most, 2)) for name, count in most_frequent(counts)
    ]


class FindingsPage(Report):
    """The findings file by file, with their lines, to be filtered by severity, rule and version."""

    tells_time = True

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._files: list[tuple[str, list[_Row]]] = []

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: the totals come first."""
        starts = line_starts(result.text)
        rows: list[_Row] = []
        for _, findings in groupby(self._shown(result), lambda finding: finding.hidden):
            for finding, others in words.combined(findings, show_all=self._view.show_all):
                rows.append(_row(result.text, starts, finding, others))
        if rows:
            self._files.append((result.file, rows))
        return ()

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the page."""
        findings = [row.finding for _, rows in self._files for row in rows]
        by_rule: Counter[str] = Counter()
        by_file: Counter[str] = Counter()
        later = 0
        for file, rows in self._files:
            for row in rows:
                by_rule[row.finding.rule] += row.number
                by_file[file] += row.number
                later += row.number if row.group == LATER else 0
        yield _page(
            "findings.html",
            facts=provenance(self._view.kube_version),
            by_rule=_bars(+by_rule),
            by_file=_bars(+by_file),
            later=later,
            anchors={file: f"file-{number}" for number, (file, _) in enumerate(self._files, 1)},
            files=self._files,
            summary=outcome.summary,
            problems=outcome.problems,
            bugs=outcome.bugs,
            noun=self._view.noun,
            rules=sorted({finding.rule for finding in findings}),
            versions=sorted(
                {version for each in findings for version in each.versions},
                key=lambda text: text.split("."),
            ),
        )


def _row(
    text: str,
    starts: Sequence[int],
    finding: Diagnostic,
    others: Sequence[Diagnostic],
) -> _Row:
    """Return the row of a finding in a text, whose lines start at `starts`, and of the others that it includes."""
    return _Row(
        finding,
        _source(text, starts, finding),
        words.describe_others(finding, others),
        counted_as(finding),
        sum(counted_as(each) != "" for each in (finding, *others)),
    )


def _source(text: str, starts: Sequence[int], finding: Diagnostic) -> list[_SourceLine]:
    """Return the line of a finding, with the other line that it is about or the line above."""
    other = words.other_line(finding)
    beside, label = max(finding.line - 1, 1), ""
    if other is not None:
        beside, label = other.line, other.label
    lines: list[_SourceLine] = []
    for number in sorted({finding.line, beside}):
        if number > len(starts):
            break
        end = starts[number] if number < len(starts) else len(text)
        line = text[starts[number - 1] : end].rstrip("\r\n")
        if number == finding.line:
            lines.append(_marked_line(line, finding))
        else:
            lines.append(_SourceLine(number, line, "", "", label))
    return lines


def _marked_line(line: str, finding: Diagnostic) -> _SourceLine:
    """Return the line of a finding with its characters marked, and as much around them as is readable."""
    begin = finding.column - 1
    stop = finding.end_column - 1 if finding.end_line == finding.line else len(line)
    marked = line[begin:stop]
    before = line[max(0, begin - _LONGEST_LINE) : begin]
    after = line[begin + len(marked) : max(stop, begin) + _LONGEST_LINE]
    return _SourceLine(finding.line, before, marked, after)


class _ChangeGroup(NamedTuple):
    """The changes of a CRD in one group, and their number."""

    name: str
    number: int
    clusters: Sequence[Cluster]


def _group(name: str, findings: Iterable[Diagnostic]) -> _ChangeGroup:
    own = list(findings)
    return _ChangeGroup(name, len(own), clusters(entries(own)))


class ChangesPage(changes.AtEnd):
    """A comparison CRD by CRD: first what breaks whom, then the rest folded, each with both sides."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._texts: dict[int, str] = {}

    def file(self, result: FileResult) -> Iterable[str]:
        """Keep the lines of each change: the text of the file is gone at the end."""
        starts = line_starts(result.text)
        for finding in result.diagnostics:
            if finding.line <= len(starts):
                self._texts[id(finding)] = block_of(result.text, starts[finding.line - 1])
        return super().file(result)

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the page."""
        compared = self._changes
        yield _page(
            "changes.html",
            facts=provenance(self._view.kube_version),
            headline=compared.headline(),
            problems=outcome.problems,
            counts=list(compared.counts().items()),
            severe=(changes.REFUSED, changes.BREAKS),
            crds=[
                (crd, [_group(*own) for own in groupby(findings, changes.group_of)])
                for crd, findings in compared.by_crd().items()
            ],
            sides_of=self._sides,
            side_of=_side,
        )

    def _sides(self, finding: Diagnostic) -> tuple[Sequence[Part], Sequence[Part]]:
        """Return the old and the new text of a finding, as parts that differ or not; nothing of a side that lacks it."""
        old = "" if finding.before is None else finding.before.text
        new = self._texts.get(id(finding), "")
        if not has_same_key(old, new):
            old, new = (
                "" if side in finding.missing_in else text
                for side, text in (("old", old), ("new", new))
            )
        return changed_parts(old, new) if old and new else ([Part(old, False)], [Part(new, False)])


def _side(finding: Diagnostic) -> str:
    """Return what to call the place of a change: that of a removed CRD is in the old revision."""
    is_removed = finding.rule == REMOVED.id and finding.related is None
    return "before" if is_removed else "now"


def _value_place(entry: CostEntry) -> Markup:
    """Return the path in the object, with its last name strong; the path of the schema shows whether a name contains dots."""
    end = len(entry.value_path)
    while entry.value_path.endswith("[*]", 0, end):
        end -= 3
    named = entry.value_path[:end]
    name = entry.cost.path.rpartition("properties[")[2].partition("]")[0]
    if not name or not named.endswith(name):
        name = named.rpartition(".")[2]
    before, after = named[: len(named) - len(name)], entry.value_path[len(named) :]
    return Markup(f"{_steps(before)}<strong>{_breakable(name)}</strong>{_steps(after)}")


def _steps(text: str) -> str:
    return '<span class="each">[*]</span><wbr>'.join(map(_breakable, text.split("[*]")))


def _flat(tree: CostPart) -> Iterator[tuple[CostPart, bool, int]]:
    """Yield the parts of a tree in order, with whether parts follow below each, and how many lists end behind it."""
    pending = [(tree, 0)]
    while pending:
        part, closes = pending.pop()
        below = [inner for inner in part.parts if inner.cost > 1 or inner.parts]
        yield part, bool(below), 0 if below else closes
        pending.extend(
            (inner, closes + 1 if i == 0 else 0) for i, inner in enumerate(reversed(below))
        )


def _breakable(text: str) -> Markup:
    """Return a name or path that may be broken before its steps."""
    return Markup(re.sub(r"(?<=.)(?=[.\[/:_])", "<wbr>", html_text(text)))
