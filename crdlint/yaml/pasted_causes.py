"""Causes of syntax errors in text that was pasted: conflicts, patches, line numbers, comments of other languages, HTML."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from typing import Final

from crdlint.light import regex
from crdlint.phrases import agreeing
from crdlint.yaml import repairs
from crdlint.yaml.broken_text import (
    BrokenText,
    Cause,
    carriage_return,
    entry_of,
    indent_of,
    key_column,
)
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import quoted

_CONFLICT: Final = regex(r"(<{7}|={7}|>{7}|\|{7})(?: |\r?\Z)")
_FILE_HEADER: Final = regex(r"---|\+\+\+")
_NUMBERED: Final = regex(r"[ \t]*(\d{1,7}) ?[:.|]?(?:[ \t]|\r?\Z)")
_QUOTED_LINE: Final = regex(r"[>|] ?")
_OTHER_COMMENT: Final = regex(r"\A( *)(?://+|/\*+|--|;+|<!--)")
_MARKER: Final = regex(r" *(?:(?://|#) *)?\+[a-z]\w*(?::[\w:]*)?(?:=|\r?\Z)")
_WORDS: Final = regex(r" *[^\W\d]\w*(?: [\w,.]+)*\r?\Z")
_JSON_TOKEN: Final = regex(
    r'"(?:[^"\\\n]|\\.)*"?|(?P<comment>//[^\r\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?)'
)
_ENTITY: Final = regex(r"&(?:quot|apos|lt|gt|amp|nbsp|#\d+|#x[0-9a-fA-F]+);")


def conflicts(text: BrokenText) -> Iterator[Cause]:
    """Find the markers of merge conflicts, with or without the common ancestor (git's diff3 style)."""
    marks, kinds = [], ""
    for i, line in enumerate(text.lines):
        mark = _CONFLICT.match(line)
        if mark is not None:
            marks.append(i)
            kinds += mark[1][0]
    conflict = re.match(r"<\|?=>", kinds)
    if conflict is not None:
        yield _conflict(text, marks[: conflict.end()], kinds.count("<") - 1)
    elif marks:
        yield _lone_markers(text, marks)


def _lone_markers(text: BrokenText, marks: list[int]) -> Cause:
    """Return the cause that markers are left of a conflict."""
    markers = agreeing(len(marks), "marker", "markers")
    help_ = f"Resolve the merge conflict: remove the conflict {markers} in {text.numbers(marks)}"
    edits = text.removed(marks) if len(marks) == 1 else ()
    return text.cause(
        repairs.ONE_SIDE if edits else None,
        marks[0],
        help_,
        edits,
    )


def _conflict(text: BrokenText, ends: list[int], more: int) -> Cause:
    """Return the cause that a conflict, whose markers are in some lines, is not resolved, and `more` below it."""
    first, last = ends[0], ends[-1]
    all_lines = range(first, last + 1)
    ours, theirs = range(first + 1, ends[1]), range(ends[-2] + 1, last)
    also = f", and resolve {more} more below" if more else ""
    help_ = (
        f"Resolve the merge conflict in {text.numbers(all_lines)}: "
        f"keep {_side(text, ours)} or {_side(text, theirs)}, and remove the other lines{also}"
    )
    old, new = text.texts(ours), text.texts(theirs)
    are_same = old == new
    has_two_sides = bool(old and new)
    if has_two_sides and not are_same:
        return text.cause(None, first, help_)
    side = ours if old else theirs
    edits = text.removed(i for i in all_lines if i not in side)
    return text.cause(
        repairs.SAME_SIDES if are_same else repairs.ONE_SIDE,
        first,
        help_,
        edits,
    )


def _side(text: BrokenText, lines: range) -> str:
    return text.numbers(lines) if lines else "no line"


def patches(text: BrokenText) -> Iterator[Cause]:
    """Find lines of a patch or a citation: those with a plus sign in front, and beside them those with a minus sign."""
    used = text.fitting(text.filled(), lambda line: not _FILE_HEADER.match(line))
    quotes = list(filter(None, map(_QUOTED_LINE.match, text.texts(used))))
    are_all_quoted = len(quotes) == len(used) > 1
    if are_all_quoted:
        yield _cited(text, used, max(match[0] for match in quotes))
        return
    added = text.fitting(used, lambda line: line.startswith("+"))
    if added:
        yield from _patched(text, used, added)


def _cited(text: BrokenText, lines: list[int], mark: str) -> Cause:
    """Return the cause that all lines are cited with a mark in front of them."""
    help_ = f"Remove `{mark}` in front of {text.numbers(lines)}"
    edits = text.rewritten(lines, lambda line: line.removeprefix(mark.strip()).removeprefix(" "))
    return text.cause(repairs.PATCH, lines[0], help_, edits)


def _patched(text: BrokenText, used: list[int], added: list[int]) -> Iterator[Cause]:
    """Yield the cause that some lines have the marks of a patch, which may take the place of a space."""
    removed = text.fitting(used, lambda line: line.startswith("-  "))
    help_ = f"Remove the `+` in front of {text.numbers(added)}: it is the mark of a patch"
    repair = repairs.PATCH
    if removed:
        help_ += f"; remove {text.numbers(removed)}, which the patch removes"
        repair = repairs.REMOVED_LINES
    for blank in (" ", ""):
        unmarked = (text.replaced(i, blank + text.lines[i][1:]) for i in added)
        edits = (*unmarked, *text.removed(removed))
        yield text.cause(repair, added[0], help_, edits)


def line_numbers(text: BrokenText) -> Iterator[Cause]:
    """Find the numbers of the lines in front of them, as editors and `cat -n` show them."""
    used = list(text.filled())
    matches = filter(None, map(_NUMBERED.match, text.texts(used)))
    numbers = [int(match[1]) for match in matches]
    are_all_numbered = len(numbers) == len(used) > 1
    if are_all_numbered and all(later > number for number, later in pairwise(numbers)):
        help_ = f"Remove the numbers at the beginning of {text.numbers(used)}"
        yield text.cause(None, used[0], help_)


def comments(text: BrokenText) -> Iterator[Cause]:
    """Find comments of other languages, and markers of code generators."""
    alike = [*comments_apart(text)]
    if alike and alike[0] <= text.stop:
        has_marker = any(map(_MARKER.match, text.texts(alike)))
        help_ = f"Begin the comment in {text.numbers(alike)} with `#`"
        repair = repairs.COMMENTED if has_marker else repairs.COMMENT
        yield text.cause(
            repair,
            alike[0],
            help_,
            text.rewritten(alike, with_hash),
        )
    for i in text.fitting(text.near(), _MARKER.match):
        help_ = f"Remove line {text.line(i)}: controller-gen reads a marker only in a comment of Go code"
        yield _commented(text, i, help_)


def comments_apart(text: BrokenText) -> Iterator[int]:
    """Yield the indexes of comments of another language, but not of lines that continue a text, as in a description."""
    least = _NEVER  # the indentation of what continues a text
    for i in text.structure:
        line = text.lines[i]
        if not is_other_comment(line) and not _MARKER.match(line):
            least = _continued(line)
        elif indent_of(line) < least and is_other_comment(line):
            yield i


def _continued(line: str) -> int:
    """Return the least indentation of what continues a text in a line: none if the line itself continues one."""
    if not _STRUCTURE.match(line):
        return 0
    return key_column(line) + 1 if entry_of(line) else _NEVER


_NEVER: Final = 1 << 30  # no line is indented like that
# The beginning of a line that is no continuation of a text.
_STRUCTURE: Final = regex(r" *(?:- |[\[\]{}#]|[\"']?[A-Za-z$][\w$./-]*[\"']?:|\r?\Z)")


def is_other_comment(line: str) -> bool:
    """Return whether a line begins with a comment of another language."""
    return _OTHER_COMMENT.match(line) is not None and not line.startswith("---")


def json_comments(text: BrokenText) -> Iterator[Cause]:
    """Find comments in JSON, which has none."""
    source = text.document.text
    if not source.lstrip().startswith("{"):
        return
    lines, edits = [], []
    for match in _JSON_TOKEN.finditer(source):
        if match.lastgroup == "comment":
            start, end = match.span()
            lines.append(bisect_right(text.starts, start) - 1)
            edits.append(Edit(start - (source[start - 1] == " "), end, ""))
    if lines:
        comments_ = agreeing(len(lines), "comment", "comments")
        help_ = f"Remove the {comments_} in {text.numbers(set(lines))}: JSON has none"
        yield text.cause(
            repairs.NO_JSON_COMMENTS,
            lines[0],
            help_,
            tuple(edits),
        )


def with_hash(line: str) -> str:
    """Return a line whose comment of another language is one of YAML."""
    end = carriage_return(line)
    begun = _OTHER_COMMENT.sub(r"\1#", line.rstrip(" \t\r"), count=1)
    return begun.removesuffix("*/").removesuffix("-->") + end


_MARKED_KEY: Final = regex(r"([ ]*(?:- +)*)(`|\*\*|__)([A-Za-z$][\w$.-]*)(\2 ?:|:\2)(?=[ \r]|\Z)")


def marked_keys(text: BrokenText) -> Iterator[Cause]:
    """Find keys that are marked as code or bold, as in Markdown."""
    lines = [i for i in text.structure if _MARKED_KEY.match(text.lines[i])]
    if lines and text.stop >= lines[0]:
        key = _MARKED_KEY.match(text.lines[lines[0]])
        name = "" if key is None else key[3]
        help_ = f"Write `{name}:` without marks in {text.numbers(lines)}"
        edits = text.rewritten(lines, _without_marks)
        yield text.cause(repairs.PLAIN_KEYS, lines[0], help_, edits)


def _without_marks(line: str) -> str:
    key = _MARKED_KEY.match(line)
    return line if key is None else f"{key[1]}{key[3]}:{line[key.end() :]}"


_ENTRY_WITH_COMMA: Final = regex(
    r"([ ]*(?:- +)*(?:[\"']?[\w$./-]+[\"']?: *)?(?:\"(?:[^\"\\]|\\.)*\"|'[^']*'|[\]}])) *[,;](?= *\r?\Z)"
)


def commas_of_json(text: BrokenText) -> Iterator[Cause]:
    """Find commas after values in quotes, as in lines of JSON between lines of YAML."""
    near = [i for i in text.near() if _ENTRY_WITH_COMMA.match(text.lines[i])]
    if near:
        lines = [i for i in text.structure if _ENTRY_WITH_COMMA.match(text.lines[i])]
        help_ = f"Remove the comma at the end of {text.numbers(lines)}: each entry has its own line"
        edits = text.rewritten(lines, _without_comma)
        yield text.cause(repairs.NO_COMMAS, near[-1], help_, edits)


def _without_comma(line: str) -> str:
    entry = _ENTRY_WITH_COMMA.match(line)
    return line if entry is None else f"{entry[1]}{line[entry.end() :]}"


def sentences(text: BrokenText) -> Iterator[Cause]:
    """Find lines that are words."""
    for i in text.fitting(text.near(), _WORDS.match):
        yield _commented(text, i, f"Begin line {text.line(i)} with `#` if it is a comment")


def _commented(text: BrokenText, line: int, help_: str) -> Cause:
    start = text.starts[line] + indent_of(text.lines[line])
    return text.cause(
        repairs.COMMENTED,
        line,
        help_,
        (Edit(start, start, "# "),),
    )


def entities(text: BrokenText) -> Iterator[Cause]:
    """Find characters that are written as in HTML."""
    lines = text.fitting(range(len(text.lines)), _ENTITY.search)
    if lines and lines[0] <= text.stop:
        help_ = f"Write the characters instead of HTML entities in {text.numbers(lines)}"
        for rewrite in (_without_entities, _quoted_entities):
            yield text.cause(
                repairs.ENTITIES,
                lines[0],
                help_,
                text.rewritten(lines, rewrite),
            )


def _without_entities(line: str) -> str:
    """Return a line with the characters instead of entities; a non-breaking space is meant as a space."""
    return _ENTITY.sub(lambda match: unescape(match[0]).replace("\u00a0", " "), line)


def _quoted_entities(line: str) -> str:
    """Return a line with the characters instead of entities in a value, which is put in quotes."""
    entry = entry_of(line)
    return line if entry is None else f"{entry.head}{quoted(unescape(entry.value))}{entry.rest}"
