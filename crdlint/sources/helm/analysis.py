"""Detection of the documents of a template that can be checked without Helm, because they do not depend on unknown values.

Output below metadata.labels and annotations, and in texts that the server does not check, is irrelevant. Any other
output can make a CRD valid or invalid, so the document is skipped and reported as such.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crdlint.sources.helm.outline import Outline, outline

if TYPE_CHECKING:
    from crdlint.sources.helm.directives import Directive
    from crdlint.sources.helm.masking import Block, Masked, Output
    from crdlint.sources.helm.outline import Part, Where

_INDENT: Final = re.compile(r"\bn?indent\s+(\d{1,4})\b")
_STRUCTURE: Final = re.compile(r"\b(?:nindent|toYaml|toYamlPretty|toJson|toRawJson|tpl)\b")
# Keys of texts that the server does not check.
_TEXTS: Final = frozenset({"description", "title", "example", "deprecationWarning", "message"})
# Filler for the address of a webhook, by key: any value of the right type is valid, but it is required.
_ADDRESS: Final = {"name": "x", "namespace": "x", "path": "/", "url": "x", "port": "443", "caBundle": "AAAA"}
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class SkippedPart:
    """A document that is skipped: its part, the directive that is the cause (or only a line), and the reason as text."""

    part: Part
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
    checked: set[Part] = field(default_factory=set)
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
    _take_moved(masked, structure, reasons)
    lines = masked.text.split("\n")  # filler may have become something else
    for part in structure.parts:
        if part.first and (part.start in reasons or not part.may_be_crd):
            if not part.may_be_crd:
                analysis.other += 1
            else:
                analysis.skipped.append(reasons[part.start])
            for number in range(part.start, min(part.end, len(lines) + 1)):
                lines[number - 1] = " " * len(lines[number - 1])
        elif part.first:
            analysis.checked.add(part)
    starts = {part.start for part in analysis.checked}
    analysis.conditions = [
        block for block in analysis.conditions if structure.contents[block.line][1].part.start in starts
    ]
    analysis.text = "\n".join(lines)
    return analysis


def _depth(output: Output) -> int:
    """Return the indentation of an output: that of nindent, else that of its directive."""
    directive = output.directive
    indent = _INDENT.search(directive.body) if output.alone else None
    if indent is not None:
        return int(indent[1])
    return directive.column


def _shown(directive: Directive) -> str:
    body = " ".join(directive.body.split())
    return f"`{{{{ {body if len(body) <= _SHOWN else body[:_SHOWN] + '...'} }}}}`"


def _take_output(
    output: Output, where: Where, masked: Masked, analysis: TemplateAnalysis, reasons: dict[int, SkippedPart]
) -> None:
    """Fill in the output of a directive, or record why its document cannot be checked."""
    directive = output.directive
    structure = output.alone or (_STRUCTURE.search(directive.body) is not None and not where.within_text)
    piece = masked.pieces[output.piece]
    if where.in_comment or (where.within_text and where.key in _TEXTS):
        pass
    elif where.is_label or (output.alone and where.head == ("metadata",) and where.part.named):
        if structure and not output.alone:
            masked.pieces[output.piece] = re.sub(r"[^\n]", " ", piece)
    elif not structure and where.key in _TEXTS:
        pass
    elif not structure and ("clientConfig" in where.tail and where.key in _ADDRESS):
        masked.pieces[output.piece] = _filled(piece, _ADDRESS[where.key])
    else:
        target = f"`{where.key}`" if where.key else "the document"
        what = "puts something into" if structure or not where.key else "is the value of"
        reason = f"{_shown(directive)} {what} {target}, which decides whether the CRD is valid"
        reasons.setdefault(where.part.start, SkippedPart(where.part, directive.line, reason, directive))
        return
    analysis.filled.update(range(directive.line, directive.end_line + 1))


def _filled(text: str, unit: str) -> str:
    """Return filler of the length of `text`: a unit once, or repeated if it has four characters."""
    if "\n" in text:
        return text
    times = len(text) // len(unit) if unit in {"AAAA", "x"} else 1
    return (unit * min(times, 63 if unit == "x" else times)).ljust(len(text))


def _take_block(block: Block, structure: Outline, analysis: TemplateAnalysis, reasons: dict[int, SkippedPart]) -> None:
    """Handle a block: around whole documents it is only a condition, below labels it is irrelevant."""
    line, where = structure.contents.get(block.line, (0, None))
    if where is None or line > block.end_line or where.is_label:
        return
    part = where.part
    if (block.line <= part.first and block.end_line >= part.last) or (
        where.key in _TEXTS and (where.within_text or block.line == line)
    ):
        return
    if block.directive.keyword == "range":
        reason = f"{_shown(block.directive)} repeats a part of it"
        reasons.setdefault(part.start, SkippedPart(part, block.line, reason, block.directive))
    else:
        analysis.conditions.append(block)


def _take_moved(masked: Masked, structure: Outline, reasons: dict[int, SkippedPart]) -> None:
    for line in sorted(masked.moved):
        part = structure.part_at(line)
        reasons.setdefault(
            part.start, SkippedPart(part, line, f"this line is not where it seems to be: {masked.moved[line]}")
        )
