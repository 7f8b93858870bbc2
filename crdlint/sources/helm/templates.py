"""The check of CRDs in a template without Helm, with its directives masked, as far as they do not depend on unknown values.

Output below metadata.labels and annotations, and in texts that the server does not check, is irrelevant. Any other output can
make a CRD valid or invalid, so its document is skipped and reported as such. The YAML structure (documents, keys, and multi-line
texts) is read from the indentation, because the output of directives decides whether the text can be parsed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import field
from operator import attrgetter
from typing import Final, TypeVar

from crdlint.crd.positions import Span
from crdlint.diagnostics import Diagnostic, Fix
from crdlint.files.recognition import CRD_OBJECT, GROUP, KIND, is_near_kind
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.light import NamedTuple, dataclass, regex, replace
from crdlint.linting.result import FileResult, Lint
from crdlint.linting.version_range import ACCEPTED
from crdlint.phrases import counted
from crdlint.rules.advice.deployment import BRACES, DROPS_FIELD, IN_CRDS, NEEDS_NEWER, SKIPPED
from crdlint.rules.catalog import of_whole_crds
from crdlint.rules.texts import reading
from crdlint.safety.programs import shortened
from crdlint.sources.helm.chart_values import holds
from crdlint.sources.helm.gates import included_names
from crdlint.sources.helm.masking import (
    Block,
    Directive,
    Masked,
    TemplateOutput,
    mask,
    masked_text,
    variables_of,
)

_BLOCK_SCALAR: Final = regex(r"(?:^|[\s:-])[|>][-+0-9]*(?:\s+#.*)?$")
_DASHES: Final = regex(r"(?:- +)+")
_KEPT: Final = 3


@dataclass(slots=True, eq=False)
class TemplateDocument:
    """A document: its lines (1-based, exclusive end), the lines of its first and last content, and its probable kind.

    `kind` is that of the object, empty if unknown. `named` is true if there is a name in its metadata, and `mentions`
    if the kind or the group of a CRD occurs anywhere.
    """

    start: int
    end: int = 0
    first: int = 0
    last: int = 0
    kind: str = ""
    named: bool = False
    mentions: bool = False

    @property
    def may_be_crd(self) -> bool:
        """Whether it may be or contain a CRD: its kind is a CRD, also misspelled, a list, or unknown."""
        return (
            self.mentions and (self.kind in {KIND, ""} or self.kind.endswith("List"))
        ) or is_near_kind(self.kind)

    def is_within(self, block: Block) -> bool:
        """Return whether a block is around all of its content."""
        return block.line <= self.first and block.end_line >= self.last


@dataclass(frozen=True, slots=True)
class Where:
    """The position of a directive: the first keys on the path from the document's root, the last ones, and the document.

    `within_text` is true inside of a multi-line text, the value of the last key; `in_comment` inside of a comment.
    """

    head: tuple[str, ...]
    tail: tuple[str, ...]
    part: TemplateDocument
    within_text: bool = False
    in_comment: bool = False

    @property
    def key(self) -> str:
        """The last key of the path, empty at the root."""
        return self.tail[-1] if self.tail else ""

    @property
    def is_label(self) -> bool:
        """Whether it is in the labels or annotations of an object."""
        return self.head[:2] in {("metadata", "labels"), ("metadata", "annotations")}


@dataclass(slots=True)
class Outline:
    """The documents of a text, the structural position of each output, and the next content after lines."""

    parts: list[TemplateDocument] = field(default_factory=list)
    positions: list[Where] = field(default_factory=list)
    contents: dict[int, tuple[int, Where]] = field(default_factory=dict)

    def part_at(self, line: int) -> TemplateDocument:
        """Return the document that a line belongs to."""
        return self.parts[max(bisect_right(self.parts, line, key=lambda part: part.start) - 1, 0)]


@dataclass(frozen=True, slots=True)
class _LineState:
    """What a line is: its indentation, and whether it is in a multi-line text, a comment, or has content of its own."""

    depth: int
    in_text: bool
    in_comment: bool
    has_content: bool


@dataclass(slots=True)
class _LineWalk:
    """The state of the walk over the lines: the open keys and their indentation."""

    part: TemplateDocument
    indents: list[int] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    scalar: int = -1  # the indentation of the key of a multi-line text, -1 outside

    def enter(self, line: str, content: str) -> None:
        """Enter the key of a line that has one."""
        depth = len(line) - len(line.lstrip(" "))
        dashes = _DASHES.match(content)
        if dashes is not None:
            depth += dashes.end()
            content = content[dashes.end() :]
        level = bisect_left(self.indents, depth)
        del self.indents[level:], self.keys[level:]
        key, colon, value = f"{content} ".partition(": ")
        if not colon or not key:
            return
        key = key.strip("\"' ")
        self.indents.append(depth)
        self.keys.append(key)
        if depth == 0 and key == "kind":
            self.part.kind = value.partition("#")[0].strip("\"' \t")
        if self.keys == ["metadata", "name"]:
            self.part.named = True
        if _BLOCK_SCALAR.search(content):
            self.scalar = depth

    def read(self, number: int, line: str, content: str) -> _LineState:
        """Enter a line with its content, and return what it is."""
        depth = len(line) - len(line.lstrip(" "))
        in_text = self.scalar >= 0 and (not content or depth > self.scalar)
        in_comment = not in_text and content.startswith("#")
        state = _LineState(
            depth,
            in_text,
            in_comment,
            bool(content) and not in_comment,
        )
        part = self.part
        part.mentions = part.mentions or KIND in content or f"{GROUP}/" in content
        if state.has_content:
            part.first = part.first or number
            part.last = number
        if state.has_content and not in_text:
            self.scalar = -1
            self.enter(line, content)
        return state

    def where(self, column: int, *, in_text: bool, in_comment: bool) -> Where:
        """Return the structural position of content with the indentation `column`."""
        count = len(self.keys) if in_text else bisect_left(self.indents, column)
        head, tail = self.keys[: min(count, _KEPT)], self.keys[max(count - _KEPT, 0) : count]
        return Where(
            tuple(head),
            tuple(tail),
            self.part,
            in_text,
            in_comment,
        )


def outline(
    lines: Sequence[str], positions: Sequence[tuple[int, int]], openings: Sequence[int]
) -> Outline:
    """Determine the structure of a text, in linear time.

    `positions` are those of outputs, as line (1-based) and indentation; `openings` are lines whose next content is
    needed. Both are sorted by line.
    """
    result = Outline([TemplateDocument(1)])
    walk = _LineWalk(result.parts[0])
    pending_positions, pending_openings = deque(positions), deque(openings)
    for number, line in enumerate(lines, 1):
        content = line.strip()
        if line.startswith("---"):
            walk.part.end = number
            walk = _LineWalk(TemplateDocument(number + 1))
            result.parts.append(walk.part)
            content = ""
        state = walk.read(number, line, content)
        while state.has_content and pending_openings and pending_openings[0] <= number:
            where = walk.where(state.depth + 1, in_text=state.in_text, in_comment=False)
            result.contents[pending_openings.popleft()] = number, where
        while pending_positions and pending_positions[0][0] == number:
            _, column = pending_positions.popleft()
            where = walk.where(column, in_text=state.in_text, in_comment=state.in_comment)
            result.positions.append(where)
    walk.part.end = len(lines) + 1
    return result


_INDENT: Final = regex(r"\bn?indent\s+(\d{1,4})\b")
_STRUCTURE: Final = regex(r"\b(?:nindent|toYaml|toYamlPretty|toJson|toRawJson|tpl)\b")
# Keys of texts that the server does not check.
_TEXTS: Final = frozenset({"description", "title", "example", "deprecationWarning", "message"})
# Filler for the address of a webhook, by key: any value of the right type is valid, but it is required.
_ADDRESS: Final = {
    "name": "x",
    "namespace": "x",
    "path": "/",
    "url": "x",
    "port": "443",
    "caBundle": "AAAA",
}
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class SkippedPart:
    """A document that is skipped: its part, the directive that is the cause (or only a line), and the reason as text."""

    part: TemplateDocument
    line: int
    reason: str
    directive: Directive | None = None


@dataclass(slots=True)
class TemplateAnalysis:
    """The documents that can be checked: the text with everything else blank, the lines with filler, and the skipped parts.

    `conditions` are blocks within checked documents, which are checked as if their condition held. `outline` contains
    all documents; `other` is the number of skipped documents that are not CRDs.
    """

    text: str
    filled: set[int] = field(default_factory=set)
    skipped: list[SkippedPart] = field(default_factory=list)
    conditions: list[Block] = field(default_factory=list)
    outline: Outline = field(default_factory=Outline)
    checked: set[TemplateDocument] = field(default_factory=set)
    other: int = 0


def analyse(masked: Masked) -> TemplateAnalysis:
    """Determine the documents of a masked template that can be checked, in linear time."""
    lines = masked.text.split("\n")
    positions = [(output.directive.line, _depth(output)) for output in masked.outputs]
    blocks = sorted(masked.blocks, key=lambda block: block.line)
    structure = outline(lines, positions, [block.line for block in blocks])
    analysis = TemplateAnalysis("", outline=structure)
    reasons: dict[int, SkippedPart] = {}
    for output, where in zip(masked.outputs, structure.positions, strict=True):
        _take_output(output, where, masked, analysis, reasons)
    for block in blocks:
        _take_block(block, structure, analysis, reasons)
    for line in sorted(masked.moved):
        part, moved = structure.part_at(line), masked.moved[line]
        reason = f"this line is not where it seems to be: {moved}"
        reasons.setdefault(part.start, SkippedPart(part, line, reason))
    lines = masked.text.split("\n")  # filler may have become something else
    for part in structure.parts:
        if part.first and not _is_checked(part, analysis, reasons):
            _blank(lines, part)
    analysis.conditions = [
        block
        for block in analysis.conditions
        if structure.contents[block.line][1].part in analysis.checked
    ]
    analysis.text = "\n".join(lines)
    return analysis


def _blank(lines: list[str], part: TemplateDocument) -> None:
    """Replace the lines of a document by spaces."""
    for number in range(part.start - 1, min(part.end - 1, len(lines))):
        lines[number] = " " * len(lines[number])


def _is_checked(
    part: TemplateDocument, analysis: TemplateAnalysis, reasons: Mapping[int, SkippedPart]
) -> bool:
    """Return whether a document can be checked, and note it among those that are checked or skipped."""
    if not part.may_be_crd:
        analysis.other += 1
    elif part.start in reasons:
        analysis.skipped.append(reasons[part.start])
    else:
        analysis.checked.add(part)
        return True
    return False


def _depth(output: TemplateOutput) -> int:
    """Return the indentation of an output: that of nindent, else that of its directive."""
    indent = _INDENT.search(output.directive.body) if output.alone else None
    return output.directive.column if indent is None else int(indent[1])


def _shown(directive: Directive) -> str:
    return f"`{{{{ {shortened(directive.body, _SHOWN)} }}}}`"


def _take_output(
    output: TemplateOutput,
    where: Where,
    masked: Masked,
    analysis: TemplateAnalysis,
    reasons: dict[int, SkippedPart],
) -> None:
    """Fill in the output of a directive, or record why its document cannot be checked."""
    directive = output.directive
    structure = output.alone or (
        _STRUCTURE.search(directive.body) is not None and not where.within_text
    )
    filler = _filler(
        output,
        where,
        masked.pieces[output.piece],
        structure=structure,
    )
    if filler is not None:
        masked.pieces[output.piece] = filler
        analysis.filled.update(range(directive.line, directive.end_line + 1))
        return
    target = f"`{where.key}`" if where.key else "the document"
    what = "puts something into" if structure or not where.key else "is the value of"
    reason = f"{_shown(directive)} {what} {target}, which decides whether the CRD is valid"
    part = where.part
    reasons.setdefault(part.start, SkippedPart(part, directive.line, reason, directive))


def _filler(
    output: TemplateOutput,
    where: Where,
    piece: str,
    *,
    structure: bool,
) -> str | None:
    """Return the filler for an output, the same text if any will do, or None if the CRD depends on the output."""
    is_text = where.key in _TEXTS
    if where.in_comment or (where.within_text and is_text):
        return piece
    if _is_of_metadata(output, where):
        is_inline = structure and not output.alone
        return re.sub(r"[^\n]", " ", piece) if is_inline else piece
    if structure:
        return None
    if is_text:
        return piece
    is_address = "clientConfig" in where.tail and where.key in _ADDRESS
    return _filled(piece, _ADDRESS[where.key]) if is_address else None


def _is_of_metadata(output: TemplateOutput, where: Where) -> bool:
    """Return whether an output is a label or annotation, or adds to the metadata of a document that has a name."""
    return where.is_label or (output.alone and where.head == ("metadata",) and where.part.named)


def _filled(text: str, unit: str) -> str:
    """Return filler of the length of `text`: a unit once, or repeated if it has four characters."""
    most = {"AAAA": len(text), "x": 63}.get(unit, 1)
    return text if "\n" in text else (unit * min(len(text) // len(unit), most)).ljust(len(text))


def _take_block(
    block: Block,
    structure: Outline,
    analysis: TemplateAnalysis,
    reasons: dict[int, SkippedPart],
) -> None:
    """Handle a block: around whole documents it is only a condition, below labels it is irrelevant."""
    line, where = structure.contents.get(block.line, (0, None))
    if where is None or line > block.end_line or where.is_label:
        return
    part = where.part
    if part.is_within(block) or (where.key in _TEXTS and (where.within_text or block.line == line)):
        return
    if block.directive.keyword == "range":
        reason = f"{_shown(block.directive)} repeats a part of it"
        reasons.setdefault(part.start, SkippedPart(part, block.line, reason, block.directive))
    else:
        analysis.conditions.append(block)


class VersionGates(NamedTuple):
    """What is known of the conditions of a template on the version of Kubernetes.

    `asking` are the names of the named templates of its chart that ask for it. `server` is that of the run if it is only one.
    """

    asking: Set[str] = frozenset()
    server: Server | None = None

    @property
    def is_old(self) -> bool:
        """Whether the run is for one version that is not the newest, so that its findings may not be those of a newer one."""
        return self.server is not None and self.server is not NEWEST

    def of(self, blocks: Sequence[Block], text: str) -> dict[Block, bool | None]:
        """Return the conditions on the version, with whether Helm renders their blocks: None if that is not certain."""
        variables = variables_of(text)
        asking = {name for name, pipeline in variables.items() if self._asks(pipeline)}
        return {
            block: self._keeps(block, variables)
            for block in blocks
            if self._asks(block.directive.body)
            or not asking.isdisjoint(block.directive.body.split())
        }

    def _asks(self, pipeline: str) -> bool:
        if ".Capabilities" in pipeline or "semverCompare" in pipeline:
            return True
        return not self.asking.isdisjoint(included_names(pipeline))

    def _keeps(self, block: Block, variables: Mapping[str, str]) -> bool | None:
        if self.server is None:
            return None
        version = self.server.version
        return block.is_kept(lambda condition: holds(condition, None, variables, None, version))


ANY_VERSION: Final = VersionGates()


def check_template(
    path: str,
    text: str,
    lint: Lint,
    without: Container[str] = (),
    gates: VersionGates = ANY_VERSION,
) -> FileResult:
    """Check a template's CRDs except those in `without`; a finding explains why one that depends on values is skipped."""
    if "{{" not in text:
        return lint(text, path)
    masked = mask(text)
    yaml = masked.text  # documents that cannot be checked are blanked later
    if masked.broken is not None:
        line, reason = masked.broken
        diagnostics = template_findings(path, text, masked)
        if KIND in text:
            message = f"Helm cannot read this template: {reason}"
            diagnostics = [_skipped(path, text.split("\n"), line, message), *diagnostics]
        return replace(
            lint("", path),
            text=text,
            skipped=1,
            diagnostics=tuple(diagnostics),
        )
    result = _masked(path, text, masked, lint, without, gates)
    if any(block.has_else for block in masked.blocks):
        others = mask(text, takes_else=True)
        result = _united(result, _masked(path, text, others, lint, without, gates))
    return replace(result, masked=yaml)


def check_named(path: str, text: str, lint: Lint) -> FileResult:
    """Return the result of a file that Helm does not render by itself: its CRDs in named templates are not checked."""
    return replace(
        lint("", path),
        text=text,
        documents=1,
        skipped=1,
        diagnostics=tuple(_defined(path, text, mask(text))),
        masked=masked_text(text),
    )


def _masked(
    path: str,
    text: str,
    masked: Masked,
    lint: Lint,
    without: Container[str],
    gates: VersionGates,
) -> FileResult:
    analysis = analyse(masked)
    part_at = analysis.outline.part_at
    result = lint(analysis.text, path)
    unreadable = _unreadable(result, analysis, masked)
    crds = tuple(
        crd
        for crd in result.crds
        if crd.name not in without and part_at(crd.line) not in unreadable
    )
    names = {crd.name for crd in crds}
    own = _own_findings(result, analysis, text, names)
    readable = [finding for finding in own if part_at(finding.line) not in unreadable]
    findings, gated = _without_gated(readable, gates.of(masked.blocks, text), is_old=gates.is_old)
    lines = text.split("\n")
    lost = "with its directives left out this CRD cannot be read"
    more = [
        *(_skipped(path, lines, line, lost) for line in unreadable.values()),
        *_of_template(path, text, masked, analysis),
    ]
    left = analysis.other + len(analysis.skipped)
    return replace(
        _only(result, names),
        text=text,
        documents=result.documents + left,
        crds=crds,
        skipped=result.skipped + left + len(result.crds) - len(crds),
        diagnostics=_in_order(findings, more),
        notices=tuple(_notices(result, analysis, gated, has_crds=bool(names))),
    )


def _own_findings(
    result: FileResult,
    analysis: TemplateAnalysis,
    text: str,
    names: Container[str],
) -> Iterator[Diagnostic]:
    """Yield the findings about text that is the template's own, in CRDs of some names, with the fixes of that text."""
    filled = sorted(analysis.filled)
    for finding in result.diagnostics:
        is_of_others = finding.crd is not None and finding.crd not in names
        # A directive may add a conversion webhook.
        if is_of_others or finding.rule in of_whole_crds():
            continue
        if _has_between(filled, finding.line, finding.end_line):
            continue
        yield with_own_fix(finding, text, analysis.text)


def _of_template(
    path: str,
    text: str,
    masked: Masked,
    analysis: TemplateAnalysis,
) -> Iterator[Diagnostic]:
    """Yield the findings about the directives of a template and about CRDs that cannot be checked."""
    lines = text.split("\n")
    yield from (_left_out(path, lines, skipped) for skipped in analysis.skipped)
    yield from _defined(path, text, masked)
    crd_parts = {skipped.part for skipped in analysis.skipped} | analysis.checked
    for brace in masked.braces:
        if analysis.outline.part_at(brace.line) in crd_parts:
            yield _unescaped(path, text, brace)


def _notices(
    result: FileResult,
    analysis: TemplateAnalysis,
    gated: Block | None,
    *,
    has_crds: bool,
) -> Iterator[str]:
    """Yield the notices of a result, and what was assumed; `gated` is a condition on the version of Kubernetes."""
    yield from (each for each in result.notices if gated is None or ACCEPTED not in each)
    if analysis.conditions not in ([], [gated]) and has_crds:
        yield _assumed(analysis)
    if gated is not None:
        body = shortened(" ".join(gated.directive.body.split()), _SHOWN)
        yield f"line {gated.line}: not checked for older versions of Kubernetes without Helm: `{{{{ {body} }}}}`"


# Rules about what only some versions of Kubernetes know.
_OF_VERSIONS: Final = frozenset({NEEDS_NEWER.id, DROPS_FIELD.id})


def _without_gated(
    findings: list[Diagnostic], gates: Mapping[Block, bool | None], *, is_old: bool
) -> tuple[list[Diagnostic], Block | None]:
    """Return the findings but those that a condition on the version of Kubernetes may avoid, and the first such condition."""
    ungated: list[Diagnostic] = []
    gated: Block | None = None
    for finding in findings:
        around = [each for each in gates if each.line <= finding.line <= each.end_line]
        depends = is_old or finding.rule in _OF_VERSIONS or bool(finding.versions)
        avoiding = next((each for each in around if _avoids(gates[each], depends=depends)), None)
        if avoiding is None:
            ungated.append(finding)
        else:
            gated = gated or avoiding
    return ungated, gated


def _avoids(is_kept: bool | None, *, depends: bool) -> bool:
    """Return whether a block may avoid a finding in it, which may depend on the version if its condition is not known."""
    return depends if is_kept is None else not is_kept


def with_own_fix(finding: Diagnostic, text: str, checked: str) -> Diagnostic:
    """Return a finding without its fix, unless that changes only characters that are unchanged from the template."""
    if finding.fix is None or _is_own(finding.fix, text, checked):
        return finding
    return replace(finding, fix=None)


def _is_own(fix: Fix, text: str, checked: str) -> bool:
    ranges = (slice(max(edit.start - 1, 0), edit.end + 1) for edit in fix.edits)
    return all(text[characters] == checked[characters] for characters in ranges)


def _has_between(numbers: list[int], first: int, last: int) -> bool:
    return bisect_left(numbers, first) < bisect_right(numbers, last)


def _in_order(findings: Sequence[Diagnostic], more: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return findings in the server's order, or by line if there are additional ones."""
    together = [*findings, *more]
    return tuple(
        sorted(together, key=lambda finding: (finding.line, finding.column)) if more else together
    )


def _unreadable(
    result: FileResult, analysis: TemplateAnalysis, masked: Masked
) -> dict[TemplateDocument, int]:
    """Return documents that are not YAML after masking, with the line of the error, which remains a finding without directives."""
    errors = {finding.line for finding in result.diagnostics if finding.rule == _SYNTAX}
    part_at = analysis.outline.part_at
    lines = [block.line for block in masked.blocks]
    lines += [output.directive.line for output in masked.outputs]
    parts = ((line, part_at(line)) for line in lines)
    inside = {part for line, part in parts if part.first < line < part.last}
    placed = ((line, part_at(line)) for line in sorted(errors, reverse=True))
    return {part: line for line, part in placed if part in inside}


def _assumed(analysis: TemplateAnalysis) -> str:
    """Return a description of the assumptions about conditions within documents."""
    first = analysis.conditions[0]
    more = len(analysis.conditions) - 1
    others = f", and of {counted(more, 'more condition')}" if more else ""
    branches = "either way" if first.has_else else "as if it held"
    body = " ".join(first.directive.body.split())[:60]
    return f"line {first.line}: read without Helm, {branches}: `{{{{ {body} }}}}`{others}"


def _united(result: FileResult, other: FileResult) -> FileResult:
    """Return the findings of both choices of branches of a template, without duplicates."""
    reported = {(each.rule, each.line, each.column, each.message) for each in result.diagnostics}
    more = [
        each
        for each in other.diagnostics
        if (each.rule, each.line, each.column, each.message) not in reported
    ]
    added = _only(other, {crd.name for crd in other.crds} - {crd.name for crd in result.crds})
    added = replace(added, compared=other.compared)
    return replace(with_crds(result, added), diagnostics=_in_order(result.diagnostics, more))


def _only(result: FileResult, names: Container[str]) -> FileResult:
    """Return a result with the CRDs of some names only, and all its findings."""

    def of_names(parts: Iterable[_PartT], name: Callable[[_PartT], str]) -> tuple[_PartT, ...]:
        return tuple(part for part in parts if name(part) in names)

    return replace(
        result,
        crds=of_names(result.crds, attrgetter("name")),
        compared=of_names(result.compared, attrgetter("name")),
        definitions=of_names(result.definitions, attrgetter("crd.metadata.name")),
        rules=of_names(result.rules, attrgetter("crd")),
    )


_PartT = TypeVar("_PartT")


def with_crds(result: FileResult, other: FileResult) -> FileResult:
    """Return a result with the CRDs of another one of the same file, without its findings."""
    return replace(
        result,
        crds=(*result.crds, *other.crds),
        compared=(*result.compared, *other.compared),
        definitions=(*result.definitions, *other.definitions),
        rules=(*result.rules, *other.rules),
        blocking=result.blocking | other.blocking,
    )


def template_findings(path: str, text: str, masked: Masked) -> list[Diagnostic]:
    """Return the findings in the text of a template, independent of Helm."""
    return [_unescaped(path, text, brace) for brace in masked.braces] if KIND in text else []


def check_unrendered(path: str, text: str, lint: Lint) -> FileResult:
    """Check a file of crds/, which Helm does not render: the server reads its directives as text."""
    result = lint(text, path)
    start = next((text.find(mark) for mark in _DIRECTIVES if mark in text), -1)
    if start < 0:
        return result
    line = text.count("\n", 0, start) + 1
    column = start - text.rfind("\n", 0, start)
    directive, braces, _ = text[start:].partition("\n")[0].partition("}}")
    message = "Helm does not render what is in crds/: this is sent to the API server as it is"
    span = Span(line, column, line, column + len(directive + braces))
    lines = text.split("\n")
    broken = {
        each for each in result.diagnostics if each.rule == _SYNTAX and "{{" in lines[each.line - 1]
    }
    if broken:
        headline = f"Helm does not render `{shortened(directive + braces, _SHOWN)}` in crds/"
        findings = (
            replace(f, headline=headline, help=IN_CRDS.help) if f in broken else f
            for f in result.diagnostics
        )
        return replace(result, diagnostics=tuple(findings))
    finding = IN_CRDS.diagnostic(path, "advice", message, span)
    return replace(result, diagnostics=(*result.diagnostics, finding))


_SYNTAX: Final = reading.YAML_SYNTAX.id
# Directives that are certainly meant for Helm, other than texts about templates.
_DIRECTIVES: Final = tuple(
    f"{{{{{trim}{blank}{word}"
    for trim in ("", "-")
    for blank in ("", " ")
    for word in (
        ".Values.",
        ".Release.",
        ".Chart.",
        "include ",
        "if .Values",
        "if .Capabilities",
        "toYaml ",
    )
)


def _left_out(path: str, lines: list[str], skipped: SkippedPart) -> Diagnostic:
    if skipped.directive is None:
        return _skipped(
            path,
            lines,
            skipped.line,
            f"this CRD is not checked: {skipped.reason}",
        )
    message = f"this CRD is not checked without Helm: {skipped.reason}"
    return SKIPPED.diagnostic(
        path,
        "advice",
        message,
        _span(skipped.directive),
    )


def _skipped(
    path: str,
    lines: list[str],
    line: int,
    message: str,
) -> Diagnostic:
    shown = lines[line - 1]
    begin = len(shown) - len(shown.lstrip())
    span = Span(
        line,
        begin + 1,
        line,
        max(len(shown.rstrip()), begin + 1) + 1,
    )
    return SKIPPED.diagnostic(path, "advice", message, span)


def _defined(path: str, text: str, masked: Masked) -> list[Diagnostic]:
    """Return a finding for each CRD in a named template, which is rendered elsewhere or not at all."""
    message = "this CRD is not checked without Helm: it is in a named template"
    kinds = [match.start() for match in CRD_OBJECT.finditer(text)] if masked.defined else []
    with_crd = (
        directive
        for directive, end in masked.defined
        if _has_between(kinds, directive.end, end - 1)
    )
    return [
        SKIPPED.diagnostic(
            path,
            "advice",
            message,
            _span(directive),
        )
        for directive in with_crd
    ]


def _unescaped(path: str, text: str, directive: Directive) -> Diagnostic:
    source = " ".join(text[directive.start : directive.end].split())
    quote = '"' if '"' not in source and "\\" not in source else "`"
    message = f"Helm executes `{source}`, so the text is missing from the CRD"
    escaped = f"{{{{ {quote}{source}{quote} }}}}"
    fits = quote not in source and directive.line == directive.end_line
    help_ = f"Write {escaped} to keep it as text" if fits else None
    return BRACES.diagnostic(
        path,
        "advice",
        message,
        _span(directive),
        help_,
    )


def _span(directive: Directive) -> Span:
    """Return the span of a directive or, if it has several lines, of its opening braces."""
    end_column = directive.column + (
        directive.end - directive.start if directive.line == directive.end_line else 2
    )
    return Span(
        directive.line,
        directive.column + 1,
        directive.line,
        end_column + 1,
    )
