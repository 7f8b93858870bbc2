"""Findings in rendered documents, mapped back to the template, in time linear in both texts and the findings."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from crdlint.crd.positions import Locator, SourceLocation, Span
from crdlint.files.patterns import is_in_order
from crdlint.files.recognition import NAME_LINE
from crdlint.gathering import without_none
from crdlint.light import NamedTuple, dataclass, regex, replace
from crdlint.linting.documents import collect_crds
from crdlint.linting.result import (
    CRD,
    CollectedCRDs,
    ComparedCRD,
    FileResult,
    FoundCRD,
    FoundRule,
    OldCRD,
)
from crdlint.safety.programs import shortened
from crdlint.sources.helm.masking import Directive, directives, has_output, mask

if TYPE_CHECKING:
    from crdlint.crd.paths import Path
    from crdlint.diagnostics import Diagnostic, Fix
    from crdlint.linting.result import Lint, UnreadDocument
    from crdlint.sources.helm.render import RenderedDocument
    from crdlint.yaml.edit import Edit


class VersionedLint(NamedTuple):
    """A check of a document for some versions of Kubernetes, such as `1.28..1.30`; empty if they are all of the run."""

    lint: Lint
    versions: str = ""


# Returns the checks of a rendered document.
LintsOf: TypeAlias = "Callable[[RenderedDocument], Iterable[VersionedLint]]"

_DOCUMENT: Final = regex(r"^---(?:[ \t].*)?\r?\n", re.MULTILINE)
_LINE: Final = regex(r"(?<=^line )\d+")
_LONGEST: Final = 400  # characters of a rendered line
# The number of template lines compared with a rendered one; more are seldom distinguishable
_MOST: Final = 50


def check_rendered(
    path: str,
    text: str,
    documents: Sequence[RenderedDocument],
    lint: Lint,
    lints: LintsOf | None = None,
    own_findings: Callable[[], Iterable[Diagnostic]] = tuple,
) -> FileResult:
    """Return the result of the documents of a template, with positions in the template and each finding once.

    With `lints`, a document is checked by each of these. `own_findings` returns those of the check without Helm. It takes as long
    as the check itself, and is called if a fix is not one of lines that Helm leaves as they are.
    """
    collected = _FoundInTemplate(text)
    crds: dict[str, CRD] = {}
    compared: list[ComparedCRD] = []
    definitions: dict[str, FoundCRD] = {}
    rules: list[FoundRule] = []
    blocking: set[tuple[str | None, str]] = set()
    number = skipped = 0
    for document in documents:
        lines = collected.lines(document.text)
        checks = [VersionedLint(lint)] if lints is None else lints(document)
        results = [(check.lint(document.text, path), check.versions) for check in checks]
        for first, _ in results[:1]:
            number += first.documents
            skipped += first.skipped
        for result, versions in results:
            collected.add(result, lines, versions)
            blocking |= result.blocking
            compared += result.compared
            new_rules = (rule for rule in result.rules if rule.crd not in definitions)
            rules += (
                rule._replace(locator=_TemplateLocator(rule.locator, lines)) for rule in new_rules
            )
            for definition in result.definitions:
                located = definition._replace(locator=_TemplateLocator(definition.locator, lines))
                definitions.setdefault(definition.crd.metadata.name, located)
            for crd in result.crds:
                crds.setdefault(crd.name, crd.moved(lines.line))
    return FileResult(
        path,
        text,
        number,
        tuple(crds.values()),
        skipped,
        collected.with_own_fixes(own_findings),
        collected.notices,
        definitions=tuple(definitions.values()),
        rules=tuple(rules),
        blocking=frozenset(blocking),
        compared=tuple(compared),
    )


def in_template(path: str, text: str, results: Iterable[FileResult]) -> FileResult:
    """Return the results of rendered documents, whose texts they have, as that of their template, with each finding once."""
    collected = _FoundInTemplate(text)
    crds: list[CRD] = []
    number = skipped = 0
    for result in results:
        lines = collected.lines(result.text)
        collected.add(result, lines)
        number += result.documents
        skipped += result.skipped
        crds += (crd.moved(lines.line) for crd in result.crds)
    return FileResult(
        path,
        text,
        number,
        tuple(crds),
        skipped,
        collected.diagnostics,
        collected.notices,
        masked=mask(text).text,
    )


class _FoundInTemplate:
    """The findings and notices about rendered documents at the positions of their template, each once."""

    def __init__(self, text: str) -> None:
        self._template: Final = text.split("\n")
        self._parts: Final = TemplateParts(text)
        self._diagnostics: Final[dict[tuple[str, int, str], Diagnostic]] = {}
        self._notices: Final[dict[str, None]] = {}
        self._has_lost_fixes = False

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(self._diagnostics.values())

    @property
    def notices(self) -> tuple[str, ...]:
        return tuple(self._notices)

    def lines(self, document: str) -> _Lines:
        """Return the lines of a document with those of the template that they come from."""
        return self._parts.lines(document, self._template)

    def add(self, result: FileResult, lines: _Lines, versions: str = "") -> None:
        """Add the result of a document, which may be that for some versions of Kubernetes."""
        self._notices.update(dict.fromkeys(map(lines.in_notice, result.notices)))
        for diagnostic in result.diagnostics:
            fix = None if diagnostic.fix is None else lines.fix(diagnostic.fix)
            self._has_lost_fixes |= fix is None and diagnostic.fix is not None
            mapped = lines.mapped(replace(diagnostic, fix=fix))
            if versions:
                made_for = f"(in what Helm makes for Kubernetes {versions})"
                mapped = replace(mapped, help=f"{mapped.help or ''} {made_for}".strip())
            self._diagnostics.setdefault((mapped.rule, mapped.line, mapped.message), mapped)

    def with_own_fixes(
        self, own_findings: Callable[[], Iterable[Diagnostic]]
    ) -> tuple[Diagnostic, ...]:
        """Return the findings, with the fixes of the same findings without Helm if one of their own cannot be applied."""
        if not self._has_lost_fixes:
            return self.diagnostics
        fixes = {
            (each.rule, each.line, each.column): each.fix
            for each in own_findings()
            if each.fix is not None
        }
        return tuple(
            replace(each, fix=each.fix or fixes.get((each.rule, each.line, each.column)))
            for each in self.diagnostics
        )


def collect_rendered(
    file: str,
    text: str,
    documents: Sequence[RenderedDocument],
    without_helm: CollectedCRDs,
) -> CollectedCRDs:
    """Return the old CRDs of a template, with positions in the template.

    `without_helm` are those that can be read without Helm. They count where the values given leave a CRD out.
    """
    template = text.split("\n")
    parts = TemplateParts(text)
    crds: dict[str, OldCRD] = {}
    by_values: dict[str, dict[str, OldCRD]] = {}
    unread: list[UnreadDocument] = []
    rendered: list[tuple[int, int]] = []
    for document in documents:
        lines = parts.lines(document.text, template)
        rendered.append((lines.start, lines.end))
        collected = collect_crds(document.text, file)
        unread += (broken._replace(line=lines.line(broken.line)) for broken in collected.unread)
        for name, old in collected.by_name.items():
            mapped = old._replace(
                positions=_TemplateLocator(old.positions, lines), span=lines.origin(old.span)[0]
            )
            crds.setdefault(name, mapped)
            for values in document.values:
                by_values.setdefault(values, {}).setdefault(name, mapped)
    others = without_helm.unread
    unread += (
        each for each in others if not any(start < each.line <= end for start, end in rendered)
    )
    return CollectedCRDs({**without_helm.by_name, **crds}, tuple(unread), by_values)


class TemplateParts:
    """The documents of a template by the names in them, which rendered documents are compared with."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._whole = 0, text.count("\n") + 1
        starts = [0, *(match.end() for match in _DOCUMENT.finditer(text)), len(text)]
        self._by_name: dict[str, tuple[int, int] | None] = {}
        line = 0
        for start, end in pairwise(starts):
            lines = text.count("\n", start, end)
            for name in set(NAME_LINE.findall(text, start, end)):
                self._by_name[name] = None if name in self._by_name else (line, line + lines + 1)
            line += lines

    def lines(self, document: str, template: Sequence[str]) -> _Lines:
        """Return the lines of a rendered document, and those of the only document with its name, else all lines."""
        name = NAME_LINE.search(document)
        start, end = (self._by_name.get(name[1]) if name else None) or self._whole
        return _Lines(
            document.split("\n"),
            template,
            start,
            end,
            self._outputs,
        )

    @cached_property
    def _outputs(self) -> list[Directive]:
        """The directives of the template that write something."""
        return list(filter(has_output, directives(self._text)))


@dataclass(slots=True)
class _Lines:
    """The lines of a rendered document, and the lines of the template that they come from.

    - `start`, `end`: the first of those, and the one after the last (0-based)
    - `outputs`: the directives of the template that write something, in order
    - `matched`: the rendered lines with a known template line
    - `origins`: those template lines
    """

    rendered: Sequence[str]
    template: Sequence[str]
    start: int
    end: int
    outputs: Sequence[Directive] = ()
    matched: list[int] = field(init=False)
    origins: list[int] = field(init=False)
    _candidates: dict[tuple[int, int], list[_TemplateLine]] = field(default_factory=dict)
    _origins: dict[int, tuple[Span, str]] = field(default_factory=dict)
    _starts: tuple[list[int], list[int]] | None = None

    def __post_init__(self) -> None:
        pairs = enumerate(align(self.rendered, self.template[self.start : self.end]))
        matched = [(i, origin + self.start) for i, origin in pairs if origin is not None]
        self.matched = [i for i, _ in matched]
        self.origins = [origin for _, origin in matched]

    def line(self, line: int) -> int:
        """Return the template line (1-based) of a rendered line, or of the nearest line above with a known one."""
        index = bisect_right(self.matched, min(line, len(self.rendered)) - 1)
        return (self.origins[index - 1] if index else self.start) + 1

    def in_notice(self, notice: str) -> str:
        """Return a notice about a rendered line (`line 3: ...`) as one about the template line."""
        return _LINE.sub(lambda match: str(self.line(int(match[0]))), notice)

    def is_exact(self, line: int) -> bool:
        """Return whether a rendered line (1-based) is unchanged from the template."""
        index = bisect_left(self.matched, line - 1)
        return index < len(self.matched) and self.matched[index] == line - 1

    def fix(self, fix: Fix) -> Fix | None:
        """Return a fix of the rendered text as one of the template, None if it changes what Helm writes."""
        own = without_none(map(self._edit, fix.edits))
        return replace(fix, edits=tuple(own)) if len(own) == len(fix.edits) else None

    def _edit(self, edit: Edit) -> Edit | None:
        """Return an edit of rendered lines as one of the template's, if these are the same lines with the same neighbours."""
        if self._starts is None:
            self._starts = _starts_of(self.rendered), _starts_of(self.template)
        here, there = self._starts
        # The line of the characters at both ends, too: an edit may begin or end between two lines.
        first = bisect_right(here, max(edit.start - 1, 0)) - 1
        last = bisect_right(here, edit.end) - 1
        origin = self.line(first + 1) - 1
        are_own = all(
            self.is_exact(line + 1)
            and self.line(line + 1) == origin + line - first + 1
            and self.rendered[line] == self.template[origin + line - first]
            for line in range(first, last + 1)
        )
        if not are_own or "{{" in edit.text:
            return None
        return edit.moved(there[origin] - here[first])

    def mapped(self, finding: Diagnostic) -> Diagnostic:
        """Return a finding at its position in the template; for a line that Helm generates, at its directive, with a help."""
        span, origin = self.origin(
            Span(
                finding.line,
                finding.column,
                finding.end_line,
                finding.end_column,
            )
        )
        help_ = finding.help if origin is None else f"{finding.help or ''} ({origin})".strip()
        return replace(
            finding,
            line=span.line,
            column=span.column,
            end_line=span.end_line,
            end_column=span.end_column,
            help=help_,
        )

    def origin(self, span: Span) -> tuple[Span, str | None]:
        """Return the span in the template, and for a line that Helm generates, whose span is its directive's, an explanation."""
        if not self.is_exact(span.line):
            if span.line not in self._origins:
                self._origins[span.line] = self._origin(span.line)
            return self._origins[span.line]
        line, end_line = self.line(span.line), self.line(span.end_line)
        text = self.template[line - 1]
        column = span.column + _indent(text) - _indent(self.rendered[span.line - 1])
        if end_line < line or (end_line == line and span.end_line != span.line):
            return Span(line, column, line, len(text.rstrip()) + 1), None
        return Span(line, column, end_line, max(span.end_column + column - span.column, 1)), None

    def _origin(self, line: int) -> tuple[Span, str]:
        """Return the span in the template that generates a rendered line, and a text that explains it."""
        known_line = self.line(line)
        line_text = self.rendered[line - 1].strip() if line <= len(self.rendered) else ""
        filled = self._filled(line, line_text, known_line)
        origin = filled or self._written(line)
        where = "below" if origin is None else "of"
        text = self.template[known_line - 1]
        span = origin or Span(
            known_line,
            _indent(text) + 1,
            known_line,
            len(text.rstrip()) + 1,
        )
        return span, f"in what Helm makes {where} this line: {shortened(line_text, _LONGEST)}"

    def _written(self, line: int) -> Span | None:
        """Return the span of the first directive between the known neighbours of a rendered line that writes something.

        A directive that is alone on its lines comes before one that only fills in a part of a line.
        """
        index = bisect_left(self.matched, line)
        first_line = self.origins[index - 1] + 1 if index else self.start
        below = self.origins[index] if index < len(self.origins) else self.end
        first = bisect_right(self.outputs, first_line, key=lambda directive: directive.line)
        last = bisect_right(self.outputs, below, key=lambda directive: directive.line)
        between = self.outputs[first : min(last, first + _MOST)]
        alone = (
            each for each in between if not self.template[each.line - 1][: each.column].strip()
        )
        directive = next(alone, between[0] if between else None)
        if directive is None:
            return None
        is_line = directive.line == directive.end_line
        end_column = directive.column + (directive.end - directive.start if is_line else 2)
        return Span(
            directive.line,
            directive.column + 1,
            directive.line,
            end_column + 1,
        )

    def _filled(self, line: int, line_text: str, first: int) -> Span | None:
        """Return the span of the directives that generate a rendered line, None if uncertain.

        It is the only template line between the known neighbours (the upper one is line `first`, 1-based) that is equal except
        for its directives.
        """
        index = bisect_left(self.matched, line)
        below = self.origins[index] if index < len(self.origins) else len(self.template)
        candidates = self._lines_with_directives(first, below)
        if len(candidates) > _MOST:
            return None
        # The space before an empty value is at the end of the line.
        texts = (line_text, f"{line_text} ")
        matching = [
            each for each in candidates if any(is_in_order(each.texts, text) for text in texts)
        ]
        return matching[0].span if len(matching) == 1 else None

    def _lines_with_directives(self, first: int, last: int) -> list[_TemplateLine]:
        """Return the lines after `first`, up to `last`, that have directives after a text of their own."""
        if (first, last) not in self._candidates:
            lines = ((number, self.template[number - 1]) for number in range(first + 1, last + 1))
            self._candidates[first, last] = [
                _TemplateLine.of(number, text)
                for number, text in lines
                if "{{" in text and not text.lstrip().startswith("{{")
            ]
        return self._candidates[first, last]


class _TemplateLocator(Locator):
    """Locates paths in a rendered document, and returns their spans in its template."""

    def __init__(self, rendered: Locator, lines: _Lines) -> None:
        super().__init__(rendered.root, rendered.line_offset, rendered.text)
        self._lines = lines

    def span_of(self, location: SourceLocation, *, key: bool = False) -> Span:
        """Return the span of a location in the template."""
        return self._lines.origin(super().span_of(location, key=key))[0]

    def span_inside(self, path: Path, part: tuple[int, int], version: int = 0) -> Span:
        """Return the span of the whole text at a path, which Helm may fill in."""
        del part
        return self.span_of(self.find_in(path, version))


@dataclass(frozen=True, slots=True)
class _TemplateLine:
    """A template line with directives: their span, and the texts around them."""

    span: Span
    texts: tuple[str, ...]

    @staticmethod
    def of(number: int, text: str) -> _TemplateLine:
        """Return the candidate of a line."""
        end = text.rfind("}}") + 3 if "}}" in text else len(text) + 1
        texts, offset, shown = [], 0, text.strip()
        while (start := shown.find("{{", offset)) >= 0 and (stop := shown.find("}}", start)) >= 0:
            texts.append(shown[offset:start])
            offset = stop + 2
        return _TemplateLine(
            Span(number, text.index("{{") + 1, number, end), (*texts, shown[offset:])
        )


def _starts_of(lines: Sequence[str]) -> list[int]:
    """Return the offsets of lines in their text."""
    return list(accumulate((len(line) + 1 for line in lines), initial=0))[:-1]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def align(rendered: Sequence[str], template: Sequence[str]) -> list[int | None]:
    """Return for each rendered line the index of the equal template line, ignoring indentation, or None.

    Lines that occur once on both sides are matched in order (the longest ascending sequence), and then their equal
    neighbours on either side. It takes O(n log n) time for n lines.
    """
    here, there = [line.strip() for line in rendered], [line.strip() for line in template]
    matches: list[int | None] = [None] * len(here)
    numbers_here, numbers = _numbers_of_unique_lines(here), _numbers_of_unique_lines(there)
    pairs = [(i, numbers[line]) for line, i in numbers_here.items() if line in numbers]
    for i, j in _ascending(pairs):
        matches[i] = j
    _extend(matches, here, there, 1)
    _extend(matches, here, there, -1)
    return matches


def _numbers_of_unique_lines(lines: Sequence[str]) -> dict[str, int]:
    """Return the indexes of the lines that occur once and are not empty, in order, by their text."""
    counts = Counter(lines)
    return {line: i for i, line in enumerate(lines) if line and counts[line] == 1}


def _extend(
    matches: list[int | None],
    here: Sequence[str],
    there: Sequence[str],
    step: int,
) -> None:
    """Match equal neighbours below (`step` 1) or above (-1) matched lines, up to the next matched line."""
    order = range(len(here)) if step > 0 else range(len(here) - 1, -1, -1)
    bounds: list[int] = [0] * len(here)
    bound = len(there) if step > 0 else -1
    for i in reversed(order):
        bounds[i] = bound
        match = matches[i]
        bound = bound if match is None else match
    near: int | None = None
    for i in order:
        if matches[i] is None and near is not None:
            match = near + step
            if (match - bounds[i]) * step < 0 and here[i] == there[match]:
                matches[i] = match
        near = matches[i]


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest sequence of pairs whose second members ascend (patience sorting)."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for k, (_, j) in enumerate(pairs):
        length = bisect_left(tops, j)
        tops[length : length + 1] = [j]
        ends[length : length + 1] = [k]
        before.append(ends[length - 1] if length else -1)
    chosen: list[tuple[int, int]] = []
    k = ends[-1] if ends else -1
    while k >= 0:
        chosen.append(pairs[k])
        k = before[k]
    return chosen[::-1]
