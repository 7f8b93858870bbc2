"""Templates read without Helm: directives replaced by as many other characters, so that every position stays.

Control directives and comments become blanks. Of an `if`, the first branch is kept; what is defined or repeated is not.
A value that is put out becomes filler; what is said of text with filler in it is nobody's to know.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crdlint.charts.directives import OPENING, directives

if TYPE_CHECKING:
    from crdlint.charts.directives import Directive

_BLANK: Final = re.compile(r"[^\n]")
_FILLER: Final = "x"
_DOCUMENT: Final = re.compile(r"^---(?=\s|$)", re.MULTILINE)
# What a template's root object has (helm's engine and chartutil.ToRenderValues).
_ROOT: Final = frozenset({"Values", "Release", "Chart", "Files", "Capabilities", "Template", "Subcharts"})
_FROM_ROOT: Final = re.compile(r"(?<![\w$)\].])\.([A-Za-z_]\w*)?")
_TEXTS: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`')


@dataclass(slots=True)
class Masked:
    """A template as YAML: ``text`` with every position as it was.

    Lines are 1-based. ``unknown`` are those with filler, ``structure`` those whose output may be anything, ``repeated``
    those of ranges; ``braces`` are the directives that Helm would execute though they mean nothing to it.
    """

    text: str
    unknown: set[int] = field(default_factory=set)
    structure: set[int] = field(default_factory=set)
    repeated: set[int] = field(default_factory=set)
    braces: list[Directive] = field(default_factory=list)


@dataclass(slots=True)
class _Block:
    """An open block, and whether what is in it is kept."""

    keyword: str
    start: int
    kept: bool
    drops_from: int = -1  # where what is not kept begins


def mask(text: str) -> Masked:
    """Mask the directives of a template."""
    masked = Masked(text)
    characters: list[str] = []
    at = 0
    blocks: list[_Block] = []
    drops: list[tuple[int, int]] = []
    for directive in directives(text):
        characters.append(text[at : directive.start])
        given = text[directive.start : directive.end]
        at = directive.end
        _follow(directive, blocks, drops, masked, text)
        if directive.is_output and not _alone(text, directive):
            characters.append(_BLANK.sub(_FILLER, given))
            masked.unknown.update(_lines(text, directive.start, directive.end))
        else:
            if directive.is_output:
                masked.structure.update(_lines(text, directive.start, directive.end))
            characters.append(_BLANK.sub(" ", given))
        inside_range = any(block.keyword in {"range", "with"} for block in blocks)
        if directive.is_output and not inside_range and _is_foreign(directive):
            masked.braces.append(directive)
    characters.append(text[at:])
    made = "".join(characters)
    for start, end in drops:
        made = made[:start] + _BLANK.sub(" ", made[start:end]) + made[end:]
    masked.text = made
    return masked


def _follow(
    directive: Directive, blocks: list[_Block], drops: list[tuple[int, int]], masked: Masked, text: str
) -> None:
    """Open and close blocks, and note what is not kept."""
    if directive.keyword in OPENING:
        block = _Block(directive.keyword, directive.start, directive.keyword != "define")
        if not block.kept:
            block.drops_from = directive.end
        blocks.append(block)
    elif directive.keyword == "else" and blocks:
        if blocks[-1].drops_from < 0:
            blocks[-1].drops_from = directive.end
    elif directive.keyword == "end" and blocks:
        block = blocks.pop()
        if block.drops_from >= 0:
            drops.append((block.drops_from, directive.start))
        if block.keyword == "range":
            masked.repeated.update(_lines(text, block.start, directive.end))


def _alone(text: str, directive: Directive) -> bool:
    """Tell whether there is nothing else on a directive's lines."""
    before = text[text.rfind("\n", 0, directive.start) + 1 : directive.start]
    end = text.find("\n", directive.end)
    after = text[directive.end : len(text) if end < 0 else end]
    return not before.strip() and not after.strip()


def _is_foreign(directive: Directive) -> bool:
    """Tell whether a directive asks the root object for what it does not have."""
    names = [name for name in _FROM_ROOT.findall(_TEXTS.sub('""', directive.body)) if name]
    return bool(names) and not any(name in _ROOT for name in names)


def _lines(text: str, start: int, end: int) -> range:
    first = text.count("\n", 0, start) + 1
    return range(first, first + text.count("\n", start, end) + 1)
