"""Causes of syntax errors in text that was pasted: conflicts, patches, line numbers, comments of other languages, HTML."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from typing import Final

from crdlint.yaml import repairs
from crdlint.yaml.broken_text import BrokenText, Cause, entry_of, indent_of
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import quoted

_CONFLICT: Final = re.compile(r"(<{7}|={7}|>{7}|\|{7})(?: |\r?\Z)")
_FILE_HEADER: Final = re.compile(r"---|\+\+\+")
_NUMBERED: Final = re.compile(r"[ \t]*(\d{1,7}) ?[:.|]?(?:[ \t]|\r?\Z)")
_QUOTED_LINE: Final = re.compile(r"[>|] ?")
_OTHER_COMMENT: Final = re.compile(r"\A( *)(?://+|/\*+|--|;+|<!--)")
_MARKER: Final = re.compile(r" *(?:(?://|#) *)?\+[a-z]\w*(?::[\w:]*)?(?:=|\r?\Z)")
_WORDS: Final = re.compile(r" *[^\W\d]\w*(?: [\w,.]+)*\r?\Z")
_JSON_TOKEN: Final = re.compile(
    r'"(?:[^"\\\n]|\\.)*"?|(?P<comment>//[^\r\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?)'
)
_ENTITY: Final = re.compile(r"&(?:quot|apos|lt|gt|amp|nbsp|#\d+|#x[0-9a-fA-F]+);")


def conflicts(text: BrokenText) -> Iterator[Cause]:
    """Find the markers of merge conflicts, with or without the common ancestor (git's diff3 style)."""
    marks = [
        (i, match[1][0])
        for i, line in enumerate(text.lines)
        if (match := _CONFLICT.match(line)) is not None
    ]
    kinds = "".join(kind for _, kind in marks)
    conflict = re.match(r"<\|?=>", kinds)
    if conflict is not None:
        ends = [i for i, _ in marks[: conflict.end()]]
        yield _conflict(text, ends, kinds.count("<") - 1)
    elif marks:
        yield _lone_markers(text, [i for i, _ in marks])


def _lone_markers(text: BrokenText, marks: list[int]) -> Cause:
    """Return the cause that markers are left of a conflict."""
    several = "s" if len(marks) > 1 else ""
    help_ = (
        f"Resolve the merge conflict: remove the conflict marker{several} in {text.numbers(marks)}"
    )
    edits = text.removed(marks) if len(marks) == 1 else ()
    return text.cause(repairs.ONE_SIDE if edits else None, marks[0], help_, edits)


def _conflict(text: BrokenText, ends: list[int], more: int) -> Cause:
    """Return the cause that a conflict, whose markers are in some lines, is not resolved, and `more` below it."""
    first, last = ends[0], ends[-1]
    ours, theirs = range(first + 1, ends[1]), range(ends[-2] + 1, last)
    sides = " or ".join(text.numbers(side) if side else "no line" for side in (ours, theirs))
    also = f", and resolve {more} more below" if more else ""
    lines = text.numbers(range(first, last + 1))
    help_ = f"Resolve the merge conflict in {lines}: keep {sides}, and remove the other lines{also}"
    old, new = ([text.lines[i] for i in side] for side in (ours, theirs))
    if old and new and old != new:
        return text.cause(None, first, help_)
    side = ours if old else theirs
    edits = text.removed(i for i in range(first, last + 1) if i not in side)
    return text.cause(repairs.SAME_SIDES if old == new else repairs.ONE_SIDE, first, help_, edits)


def patches(text: BrokenText) -> Iterator[Cause]:
    """Find lines of a patch or a citation: those with a plus sign in front, and beside them those with a minus sign."""
    used = [i for i, line in enumerate(text.lines) if line.strip() and not _FILE_HEADER.match(line)]
    marks = [match[0] for i in used if (match := _QUOTED_LINE.match(text.lines[i])) is not None]
    if len(marks) == len(used) > 1:
        yield _cited(text, used, max(marks))
        return
    added = [i for i in used if text.lines[i].startswith("+")]
    if added:
        yield from _patched(text, used, added)


def _cited(text: BrokenText, lines: list[int], mark: str) -> Cause:
    """Return the cause that all lines are cited with a mark in front of them."""
    help_ = f"Remove `{mark}` in front of {text.numbers(lines)}"
    edits = text.rewritten(lines, lambda line: line.removeprefix(mark.strip()).removeprefix(" "))
    return text.cause(repairs.PATCH, lines[0], help_, edits)


def _patched(text: BrokenText, used: list[int], added: list[int]) -> Iterator[Cause]:
    """Yield the cause that some lines have the marks of a patch, which may take the place of a space."""
    removed = [i for i in used if text.lines[i].startswith("-  ")]
    help_ = f"Remove the `+` in front of {text.numbers(added)}: it is the mark of a patch"
    if removed:
        help_ += f"; remove {text.numbers(removed)}, which the patch removes"
    for blank in (" ", ""):
        unmarked = (text.replaced(i, blank + text.lines[i][1:]) for i in added)
        edits = (*unmarked, *text.removed(removed))
        yield text.cause(
            repairs.REMOVED_LINES if removed else repairs.PATCH, added[0], help_, edits
        )


def line_numbers(text: BrokenText) -> Iterator[Cause]:
    """Find the numbers of the lines in front of them, as editors and `cat -n` show them."""
    numbered = [(i, _NUMBERED.match(line)) for i, line in enumerate(text.lines) if line.strip()]
    numbers = [int(match[1]) for _, match in numbered if match is not None]
    if len(numbers) == len(numbered) > 1 and all(
        later > number for number, later in pairwise(numbers)
    ):
        lines = text.numbers(i for i, _ in numbered)
        yield text.cause(None, numbered[0][0], f"Remove the numbers at the beginning of {lines}")


def comments(text: BrokenText) -> Iterator[Cause]:
    """Find comments of other languages, and markers of code generators."""
    alike = [
        i
        for i in range(len(text.lines))
        if _OTHER_COMMENT.match(text.lines[i]) and not text.lines[i].startswith("---")
    ]
    if alike and min(alike) <= text.stop:
        is_marker = any(_MARKER.match(text.lines[i]) for i in alike)
        help_ = f"Begin the comment in {text.numbers(alike)} with `#`"
        repair = repairs.COMMENTED if is_marker else repairs.COMMENT
        yield text.cause(repair, alike[0], help_, text.rewritten(alike, _with_hash))
    for i in text.near():
        if _MARKER.match(text.lines[i]):
            help_ = f"Remove line {text.line(i)}: a marker of controller-gen belongs into a comment of the Go code"
            yield _commented(text, i, help_)


def json_comments(text: BrokenText) -> Iterator[Cause]:
    """Find comments in JSON, which has none."""
    source = text.document.text
    if not source.lstrip().startswith("{"):
        return
    comments = [
        match.span() for match in _JSON_TOKEN.finditer(source) if match.lastgroup == "comment"
    ]
    if comments:
        lines = [bisect_right(text.starts, start) - 1 for start, _ in comments]
        help_ = f"Remove the comment{'s' * (len(comments) > 1)} in {text.numbers(set(lines))}: JSON has none"
        edits = (Edit(start - (source[start - 1] == " "), end, "") for start, end in comments)
        yield text.cause(repairs.NO_JSON_COMMENTS, lines[0], help_, tuple(edits))


def _with_hash(line: str) -> str:
    end = "\r" if line.endswith("\r") else ""
    begun = _OTHER_COMMENT.sub(r"\1#", line.rstrip(" \t\r"), count=1)
    return begun.removesuffix("*/").removesuffix("-->") + end


def sentences(text: BrokenText) -> Iterator[Cause]:
    """Find lines that are words."""
    for i in text.near():
        if _WORDS.match(text.lines[i]):
            yield _commented(text, i, f"Begin line {text.line(i)} with `#` if it is a comment")


def _commented(text: BrokenText, line: int, help_: str) -> Cause:
    start = text.starts[line] + indent_of(text.lines[line])
    return text.cause(repairs.COMMENTED, line, help_, (Edit(start, start, "# "),))


def entities(text: BrokenText) -> Iterator[Cause]:
    """Find characters that are written as in HTML."""
    lines = [i for i in range(len(text.lines)) if _ENTITY.search(text.lines[i])]
    if lines and min(lines) <= text.stop:
        edits = text.rewritten(
            lines, lambda line: _ENTITY.sub(lambda match: unescape(match[0]), line)
        )
        help_ = f"Write the characters instead of HTML entities in {text.numbers(lines)}"
        yield text.cause(repairs.ENTITIES, lines[0], help_, edits)
        yield text.cause(repairs.ENTITIES, lines[0], help_, text.rewritten(lines, _quoted_entities))


def _quoted_entities(line: str) -> str:
    """Return a line with the characters instead of entities in a value, which is put in quotes."""
    entry = entry_of(line)
    return line if entry is None else f"{entry.head}{quoted(unescape(entry.value))}{entry.rest}"
