"""Causes of syntax errors in the layout of a document: indentation, tabs, special spaces, lines that are not YAML."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import takewhile
from operator import add
from typing import Final

from crdlint.light import regex
from crdlint.phrases import Layout, agreeing, counted
from crdlint.yaml import repairs
from crdlint.yaml.broken_text import (
    FIELD,
    KEYWORDS,
    BrokenText,
    Cause,
    Entry,
    carriage_return,
    entry_of,
    has_block_scalar,
    indent_of,
    key_column,
)
from crdlint.yaml.edit import Edit, runs


def separators(text: BrokenText) -> Iterator[Cause]:
    """Find text in the line of a separator."""
    problem = text.document.error
    _, is_separator, rest = text.message.partition("invalid Yaml document separator: ")
    if problem is not None and is_separator:  # its line is above the document
        help_ = f"Remove `{rest}` after `---` in line {problem.line + 1}, or move it to a line of its own"
        yield Cause(
            None,
            problem.line + 1,
            problem.column + 1,
            problem.column + 2,
            help_,
        )


def strays(text: BrokenText) -> Iterator[Cause]:
    """Find lines before or after the YAML that are not YAML, such as the fences of Markdown and parts of a command."""
    used = [i for i, line in enumerate(text.lines) if line.strip() and not line.startswith("#")]
    if not used:
        return
    followed = dict(zip(used, (*used[1:], used[-1]), strict=True))

    def is_strange(line: int) -> bool:
        return not _is_yaml(text.lines[line], text.lines[followed[line]])

    before = list(takewhile(is_strange, used[:_STRAY_LINES]))
    after = list(takewhile(is_strange, used[: -_STRAY_LINES - 1 : -1]))[::-1]
    yield from _stray_lines(text, before, after)


def _stray_lines(text: BrokenText, before: list[int], after: list[int]) -> Iterator[Cause]:
    """Yield the causes of lines before the YAML, of lines after it, and of both."""
    beginnings = [before[:count] for count in range(1, len(before) + 1)]
    ends = [after[-count:] for count in range(1, len(after) + 1)]
    if before and before[0] <= text.stop:
        yield from map(partial(_stray, text), beginnings)
    if after and after[-1] >= text.stop - 1:
        yield from map(partial(_stray, text), ends)
    if before and after and before[-1] < after[0]:
        yield _stray(text, [*before, *after])


_STRAY_LINES: Final = 5  # before, and after the YAML


def _is_yaml(line: str, following: str) -> bool:
    """Return whether a line looks like YAML: a field, an item, an indented line, or a key of which the colon is missing."""
    if line.startswith((" ", "- ", "#")) or FIELD.match(line) or _TWO_WORDS.match(line):
        return True
    return re.match(r"[\w$-]+\s*\Z", line) is not None and following.startswith((" ", "- "))


_TWO_WORDS: Final = regex(r"[a-z][A-Za-z]*(?: *[=;] *| +)[A-Za-z][\w./-]*\s*\Z")


def _stray(text: BrokenText, lines: list[int]) -> Cause:
    what = agreeing(len(lines), "it is", "they are")
    help_ = f"Remove {text.numbers(lines)}: {what} not part of the YAML document"
    return text.cause(
        repairs.NO_STRAYS,
        lines[0],
        help_,
        text.removed(lines),
    )


def tabs(text: BrokenText) -> Iterator[Cause]:
    """Find tabs before keys and after dashes."""
    near = list(text.near())
    for i, match in text.matches(near, _TAB_AFTER_DASH.match):
        help_ = f"Replace the tab after the dash in line {text.line(i)} with a space"
        new = f"{match[1]} {text.lines[i][match.end() :]}"
        yield text.line_cause(
            repairs.SPACES,
            i,
            new,
            help_,
            (match.end(1), match.end()),
        )
    with_tab = text.fitting(near, _has_tab)
    if with_tab:
        yield from _indented_with_tabs(text, min(with_tab))


def _has_tab(line: str) -> bool:
    return "\t" in _blanks(line)


def _indented_with_tabs(text: BrokenText, first: int) -> Iterator[Cause]:
    """Yield how a line that is indented with tabs, and those after it that are as well, may be meant."""
    below = text.structure[bisect_left(text.structure, first) :]
    indented = text.fitting(below, _has_tab) or [first]
    help_ = f"Indent {text.numbers(indented)} with spaces: YAML does not allow tabs"
    columns = (0, len(_blanks(text.lines[first])))
    starts = [text.starts[i] for i in indented]
    blanks = list(map(_blanks, text.texts(indented)))
    ends = map(add, starts, map(len, blanks))
    ranges = list(zip(starts, ends, strict=True))
    for spaces in (*_widths_of_tabs(blanks), *_like_lines_above(text, indented)):
        edits = (Edit(*range_, new) for range_, new in zip(ranges, spaces, strict=True))
        yield text.cause(
            repairs.SPACES,
            first,
            help_,
            tuple(edits),
            columns,
        )
    yield text.cause(repairs.SPACES, first, help_, columns=columns)


def _widths_of_tabs(blanks: list[str]) -> Iterator[list[str]]:
    """Yield blanks with as many spaces for a tab as editors show."""
    for width in (2, 4, 8):
        yield [each.replace("\t", " " * width) for each in blanks]


def _like_lines_above(text: BrokenText, lines: list[int]) -> Iterator[list[str]]:
    """Yield the blanks of lines that are indented like the fields above them, below or beside those without a value."""
    fields = text.fitting(text.structure, _is_field_without_tab)
    numbers = (bisect_left(fields, i) for i in lines)
    previous = [text.lines[fields[number - 1]] if number else "" for number in numbers]
    for deeper in (2, 0):
        yield [" " * (key_column(line) + deeper * _is_open(line)) for line in previous]


def _is_field_without_tab(line: str) -> bool:
    return FIELD.match(line) is not None and "\t" not in line


def _is_open(line: str) -> bool:
    """Return whether a line is a key whose value is below it."""
    return line.rstrip().endswith(":")


_TAB_AFTER_DASH: Final = regex(r"([ ]*(?:- +)*-)\t\s*(?=\S)")


def _blanks(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def special_spaces(text: BrokenText) -> Iterator[Cause]:
    """Find spaces that are not plain, and byte order marks."""
    near = text.fitting(text.near(), _SPECIAL.search)
    indented = text.fitting(text.structure, _SPECIAL_LAYOUT.match)
    upper = indented[: bisect_left(indented, text.stop)]
    for i, match in text.matches(dict.fromkeys((*near, *reversed(upper))), _SPECIAL.search):
        below = indented[bisect_left(indented, i) :]
        alike = [j for j in below if match[0] in text.lines[j]]
        yield _special_space(text, i, match, alike if i in alike else [i])


def _special_space(
    text: BrokenText,
    line: int,
    match: re.Match[str],
    lines: list[int],
) -> Cause:
    """Return the cause that a character, which was found in a line and is in others as well, only looks like a space."""
    char, name = match[0], _name_of(match[0])
    new = " " if char.isspace() else ""
    is_one = len(lines) == 1 and text.lines[line].count(char) == 1
    if is_one:
        where = f"the {name} in line {text.line(line)}, column {match.start() + 1}"
    else:
        where = f"the {name}s in {text.numbers(lines)}"
    spaces = "a space" if is_one else "plain spaces"
    help_ = f"Replace {where} with {spaces}" if new else f"Remove {where}"
    edits = tuple(text.replaced(i, text.lines[i].replace(char, new)) for i in lines)
    return text.cause(
        repairs.PLAIN_SPACES,
        line,
        help_,
        edits,
        match.span(),
    )


def _name_of(char: str) -> str:
    """Return what people call a character that is not visible."""
    if char == "\ufeff":
        return "byte order mark"
    name = unicodedata.name(char, "control character").lower()
    return name.replace("no-break", "non-breaking")


_SPECIAL: Final = regex(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00a0\u1680\u2000-\u200b\u202f\u205f\u3000\ufeff]"
)
# A line with such a character before or right after its key.
_SPECIAL_LAYOUT: Final = regex(rf"[ ]*(?:- +)*-?(?:[A-Za-z$_][\w$./-]*:)?{_SPECIAL.pattern}")


def directives(text: BrokenText) -> Iterator[Cause]:
    """Find template syntax."""
    for i in text.near():
        start = text.lines[i].find("{{")
        if start >= 0:
            help_ = f"Check the rendered file: line {text.line(i)} contains template syntax"
            yield text.cause(
                None,
                i,
                help_,
                columns=(start, len(text.lines[i].rstrip())),
            )


def lists_below_text(text: BrokenText) -> Iterator[Cause]:
    """Find a list in the line of its key, and a list below a value."""
    if "block sequence entries" in text.message:
        yield from _list_in_line_of_key(text)
    for i in text.near():
        previous = text.previous(i)
        if previous is None or not text.lines[i].lstrip().startswith("- "):
            continue
        entry = entry_of(text.lines[previous])
        if entry is None:
            continue
        indent = indent_of(text.lines[i])
        is_below = indent >= key_column(text.lines[previous])
        if is_below and entry.value in _EMPTY:
            yield _without_value(text, previous, entry)
        if ":" not in entry.head or entry.value[0] in "|>":
            continue
        if indent_of(text.lines[previous]) == indent and _has_item_above(text, previous, indent):
            yield _shift(text, [previous], key_column(text.lines[i]) - indent)  # its field
        if is_below:
            help_ = f"Remove the value in line {text.line(previous)} or the list below it: a key cannot have both"
            yield text.cause(None, previous, help_)
            return


def _has_item_above(text: BrokenText, line: int, indent: int) -> bool:
    """Return whether an item of a list that is indented by some blanks is above a line."""
    item = f"{' ' * indent}- "
    return any(text.lines[j].startswith(item) for j in text.structure if j < line)


def _list_in_line_of_key(text: BrokenText) -> Iterator[Cause]:
    line = text.lines[text.stop]
    entry = entry_of(line)
    if entry is not None and entry.value.startswith("- "):
        help_ = f"Move the list in line {text.line(text.stop)} to lines of its own, below the key"
        end = carriage_return(line)
        head = f"{entry.head.rstrip()}{entry.rest.rstrip()}{end}"
        new = f"{head}\n{' ' * key_column(line)}{entry.value}{end}"
        yield text.line_cause(
            repairs.LIST_BELOW,
            text.stop,
            new,
            help_,
            entry.columns,
        )


def ellipses(text: BrokenText) -> Iterator[Cause]:
    """Find dots for lines that are left out, as in documentation."""
    for i in text.near():
        dots = text.lines[i].strip()
        if _LEFT_OUT.fullmatch(dots):
            help_ = f"Replace `{dots}` in line {text.line(i)} with the lines that are left out, or remove it"
            yield text.cause(None, i, help_)


# Dots, alone or around words, or a word for what is left out between brackets.
_LEFT_OUT: Final = regex(
    r"(?:- )?(?:(?:\.\.\.|\u2026)[^:#]*|[\[<(] ?(?:(?:\.\.\.|\u2026)[^:#]*|snip(?:ped)?|omitted|truncated|skipped) ?[\])>])"
)


def missing_properties(text: BrokenText) -> Iterator[Cause]:
    """Find properties of an object below one of its fields, without the key `properties`."""
    stop = _stop(text) if text.structure else 0
    if not stop or "mapping values" not in text.message:
        return
    upper, lower = text.structure[stop - 1], text.structure[stop]
    has_value = entry_of(text.lines[upper]) is not None
    fields = text.fields_around(upper) if has_value else {}
    is_without = fields.get("type") == "object" and "properties" not in fields
    indent = indent_of(text.lines[upper])
    if is_without and indent_of(text.lines[lower]) > indent and _are_properties(text, stop):
        end = f"{carriage_return(text.lines[lower])}\n"
        start = text.starts[lower]
        yield text.cause(
            repairs.PROPERTIES,
            lower,
            f"Add `properties:` above line {text.line(lower)}, indented by {_count(indent)}",
            (Edit(start, start, f"{' ' * indent}properties:{end}"),),
        )


def missing_list_keys(text: BrokenText) -> Iterator[Cause]:
    """Find items of a list among the fields of a schema, without the key of the list."""
    for i in text.near():
        line = text.lines[i]
        line_before = text.previous_line(i).strip()
        # A key without a value may be that of the list.
        has_key_or_item = line_before.startswith("- ") or line_before.endswith(":")
        if not line_before or has_key_or_item or not _WORD_AS_ITEM.match(line):
            continue
        fields = text.fields_around(i)
        key = "required" if fields.get("type") == "object" else "enum"
        if fields.get("type") in _TYPES_WITH_LIST and key not in fields:
            end = f"{carriage_return(line)}\n"
            blanks = indent_of(line)
            yield text.cause(
                repairs.LIST_KEY,
                i,
                f"Add `{key}:` above line {text.line(i)}, indented by {_count(blanks)}",
                (Edit(text.starts[i], text.starts[i], f"{' ' * blanks}{key}:{end}"),),
            )


_WORD_AS_ITEM: Final = regex(r" *- ['\"]?[\w.-]+['\"]? *\r?\Z")
_TYPES_WITH_LIST: Final = frozenset({"object", "string", "integer", "number"})


def _are_properties(text: BrokenText, index: int) -> bool:
    """Return whether each key of the block that begins with a line of the structure has fields as its value."""
    below = _block(text, index)
    indent = indent_of(text.lines[below[0]])
    lines = [text.lines[i] for i in below]
    return all(_PROPERTY.match(line) for line in lines if indent_of(line) == indent)


_PROPERTY: Final = regex(r" *[\"']?[\w$.-]+[\"']?:(?: *\{.*\})? *(?:#.*)?\r?\Z")


def odd_indentation(text: BrokenText) -> Iterator[Cause]:
    """Find lines with an odd number of spaces where nearly all lines have an even number."""
    lines, stop = text.structure, _stop(text)
    odd = [index for index, i in enumerate(lines) if indent_of(text.lines[i]) % 2]
    if len(odd) * 4 > len(lines):
        return
    blocks = [block for block in runs(odd) if block[0] < stop + _LINES_BELOW]
    for block in sorted(blocks[-_BLOCKS:], key=lambda block: abs(block[0] - stop)):
        likely = -1 if _is_deeper_by_one(text, block) else 1
        moved = lines[block[0] : block[-1] + 1]
        yield _shift(text, moved, likely)
        yield _shift(text, moved, -likely)


def _is_deeper_by_one(text: BrokenText, block: Sequence[int]) -> bool:
    """Return whether a block of lines is indented by one space more than the line before or after it."""
    lines = text.structure
    beside = (i for i in (block[0] - 1, block[-1] + 1) if 0 <= i < len(lines))
    indents = {indent_of(text.lines[lines[i]]) for i in beside}
    return indent_of(text.lines[lines[block[0]]]) - 1 in indents


_BLOCKS: Final = 4
_LINES_BELOW: Final = 4


def _stop(text: BrokenText) -> int:
    """Return the line where the parser stops, or the next one with a key or an item, as its position in the structure."""
    return min(bisect_left(text.structure, text.stop), len(text.structure) - 1)


def indentation(text: BrokenText) -> Iterator[Cause]:
    """Find lines that are indented by too few or too many spaces."""
    lines = text.structure
    if not lines:
        return
    stop = _stop(text)
    upper, lower = lines[max(stop - 1, 0)], lines[stop]
    entry = entry_of(text.lines[upper])
    if (
        entry is not None
        and entry.value in _EMPTY
        and key_column(text.lines[lower]) > key_column(text.lines[upper])
    ):
        yield _without_value(text, upper, entry)
    yield from _list_outdented(text, stop)
    if "mapping values" in text.message:
        yield from _below_text(text, stop)
    yield from _prose(text)
    yield from _between_levels(text, stop)


def _shift(text: BrokenText, lines: list[int], by: int) -> Cause:
    """Return the cause that lines are indented by too few spaces, or too many if `by` is negative."""
    first = lines[0]
    if len(lines) == 1:
        old = indent_of(text.lines[first])
        help_ = f"Indent line {text.line(first)} by {_count(old + by)} instead of {_count(old)}"
        help_ = help_ if old + by else f"Do not indent line {text.line(first)}"
    else:
        lines = _with_texts(text, lines)
        spaces = _count(abs(by), "more " if by > 0 else "fewer ")
        help_ = f"Indent {text.numbers(range(first, lines[-1] + 1))} by {spaces}"
    return text.cause(
        repairs.INDENTATION,
        first,
        Layout(help_),
        text.shifted(lines, by),
    )


def _with_texts(text: BrokenText, lines: list[int]) -> list[int]:
    """Return some lines of the structure with the texts in block style between and after them."""
    last = lines[-1]
    used = text.fitting(range(lines[0], last + 1), str.strip)
    if not has_block_scalar(text.lines[last]):
        return used
    indent = indent_of(text.lines[last])
    after = next((i for i in text.structure if i > last), len(text.lines))
    below = text.fitting(range(last + 1, after), str.strip)
    return used + text.fitting(below, lambda line: indent_of(line) > indent)


def _count(spaces: int, more: str = "") -> str:
    return counted(spaces, f"{more}space")


def _without_value(text: BrokenText, line: int, entry: Entry) -> Cause:
    help_ = f"Remove `{entry.value}` in line {text.line(line)}: the value is below it"
    return text.line_cause(
        repairs.NO_VALUE,
        line,
        f"{entry.head.rstrip()}{entry.rest}",
        help_,
    )


def _list_outdented(text: BrokenText, stop: int) -> Iterator[Cause]:
    """Find a list that is indented less than its key."""
    lines = text.structure
    for index in range(stop, max(stop - _TRIED, 0), -1):
        upper, lower = (text.lines[i] for i in lines[index - 1 : index + 1])
        by, item = key_column(upper) - indent_of(lower), f"{' ' * indent_of(lower)}- "
        if _is_open(upper) and lower.startswith(item) and by > 0:
            yield _shift(text, text.fitting(_block(text, index), partial(_begins, item)), by)


def _begins(start: str, line: str) -> bool:
    return line.startswith(start)


def _below_text(text: BrokenText, stop: int) -> Iterator[Cause]:
    """Find fields that are indented below a value, or a value that is indented less than the fields around it."""
    if not stop:
        return
    lines = text.structure
    upper, lower = lines[stop - 1], lines[stop]
    entry = entry_of(text.lines[upper])
    left, right = key_column(text.lines[upper]), key_column(text.lines[lower])
    indent = indent_of(text.lines[upper])
    beside = list(takewhile(lambda i: indent_of(text.lines[i]) == indent, reversed(lines[:stop])))
    deeper = next((key_column(text.lines[i]) for i in reversed(lines[: stop - len(beside)])), -1)
    if len(beside) > 1 and right > indent < deeper:
        yield _shift(text, beside[::-1], right - indent)  # a list with its key
    is_alone = len(beside) == 1
    if entry is None:
        yield from _text_above(text, stop)
    elif right > left and not has_block_scalar(text.lines[upper]):
        if is_alone and deeper > right:
            yield _shift(text, [upper], deeper - left)
        yield from _below_value(
            text,
            stop,
            entry,
            keeps_order=is_alone and deeper == right,
        )


def _below_value(
    text: BrokenText,
    stop: int,
    entry: Entry,
    *,
    keeps_order: bool,
) -> Iterator[Cause]:
    """Propose other levels for a value and for the fields below it; those of the value come first with `keeps_order`."""
    lines = text.structure
    upper, lower = lines[stop - 1], lines[stop]
    left, right = key_column(text.lines[upper]), key_column(text.lines[lower])
    below = _block(text, stop)
    moves = [([upper], right - left), (below, left - right)]
    moves += _to_levels_above(text, stop, (lower, below))
    for moved, by in moves if keeps_order else reversed(moves):
        yield _shift(text, moved, by)
    if ":" in entry.head:
        yield _commented(text, upper, entry)
    help_ = (
        f"Remove the value in line {text.line(upper)}, or indent {text.numbers(range(below[0], below[-1] + 1))} by "
        f"{_count(left)} like line {text.line(upper)}: a key cannot have both a value and fields"
    )
    yield text.cause(repairs.INDENTATION, upper, help_)


def _text_above(text: BrokenText, stop: int) -> Iterator[Cause]:
    """Find a text of several lines that is indented less than the fields below it, which belong beside its key."""
    lines = text.structure
    right = key_column(text.lines[lines[stop]])
    start = next((i for i in range(stop - 1, -1, -1) if entry_of(text.lines[lines[i]])), None)
    if start is None or key_column(text.lines[lines[start]]) >= right:
        return
    yield _shift(text, lines[start:stop], right - key_column(text.lines[lines[start]]))


def _to_levels_above(
    text: BrokenText, stop: int, moved: tuple[int, list[int]]
) -> Iterator[tuple[list[int], int]]:
    """Yield how a line, or it and those below it, may be moved to a level of a line above: the lines, and by how much."""
    line, below = moved
    lines_above = text.structure[max(stop - _AROUND, 0) : stop]
    left = key_column(text.lines[lines_above[-1]])
    levels = sorted({indent_of(text.lines[i]) for i in lines_above})
    right = key_column(text.lines[line])
    for lines in ([line], below):
        yield from ((lines, level - right) for level in levels if level <= left)


def _commented(text: BrokenText, line: int, entry: Entry) -> Cause:
    help_ = f"Make a comment of `{entry.value}` in line {text.line(line)}: the value is below it"
    new = f"{entry.head.rstrip()} # {entry.value}{entry.rest}"
    return text.line_cause(repairs.COMMENTED, line, new, help_)


_EMPTY: Final = frozenset({"{}", "[]", "null", "~", "''", '""'})


def _block(text: BrokenText, index: int) -> list[int]:
    """Return a line of the structure and those below it that are indented as much or more."""
    lines = text.structure[index:]
    return list(
        takewhile(lambda i: indent_of(text.lines[i]) >= indent_of(text.lines[lines[0]]), lines)
    )


_TEXT: Final = regex(
    r"(?:description|message|title|rule|messageExpression|deprecationWarning|pattern): |[|>][-+0-9]*\s*\Z"
)


# A line that is no part of a text of several lines: a field, or with a mark or a keyword of schemas in front.
_NO_PROSE: Final = regex(
    rf"{FIELD.pattern}|\s*[!=<+]"
    rf"|\s*(?:{'|'.join(sorted(KEYWORDS))})\s+[\w\"']+\s*(?:[=;]|\r?\Z)"
)


def _prose(text: BrokenText) -> Iterator[Cause]:
    """Find a line of a text of several lines that is indented less than the text."""
    for i in text.near():
        previous = text.previous(i)
        if previous is None or _NO_PROSE.match(text.lines[i]):
            continue
        indent, expected = indent_of(text.lines[i]), indent_of(text.lines[previous])
        if has_block_scalar(text.lines[previous]) and indent <= key_column(text.lines[previous]):
            yield from _text_below_mark(text, i, previous)
        if FIELD.match(text.lines[previous]):
            if _TEXT.search(text.lines[previous]) is None:
                continue
            expected = key_column(text.lines[previous]) + 2
        if indent < expected and not text.lines[i].lstrip().startswith("- "):
            help_ = f"Indent line {text.line(i)} by {_count(expected)} instead of {_count(indent)}, like the text above"
            yield text.cause(
                repairs.INDENTATION,
                i,
                Layout(help_),
                text.shifted([i], expected - indent),
            )


def _text_below_mark(text: BrokenText, first: int, header: int) -> Iterator[Cause]:
    """Yield that the lines of a text are indented too little below the `|` or `>` of its key, or the key too much."""
    below = takewhile(lambda j: not FIELD.match(text.lines[j]), range(first, len(text.lines)))
    body = text.fitting(below, str.strip)
    column = key_column(text.lines[header]) + 2
    by = column - indent_of(text.lines[first])
    less = text.fitting(body, lambda line: indent_of(line) < column)
    if less == body[:1]:  # only the first line is wrong
        yield _shift(text, less, by)
    yield _shift(text, body, by)
    excess = indent_of(text.lines[header]) - indent_of(
        text.lines[min(body[-1] + 1, len(text.lines) - 1)]
    )
    if excess > 0:
        yield _shift(text, [header], -excess)


def _between_levels(text: BrokenText, stop: int) -> Iterator[Cause]:
    """Find a line at a level that no line above has, or lines above that are the reason for it."""
    indents = [indent_of(text.lines[i]) for i in text.structure]
    for index in range(stop, max(stop - _TRIED, -1), -1):
        here = indents[index]
        upper = next((i for i in range(index - 1, -1, -1) if indents[i] < here), -1)
        step = _STEP if upper < 0 else here - indents[upper]
        own = _to_near_levels(text, index)
        others = _lines_above(text, indents, upper, index)
        yield from (*others, *own) if step == _STEP else (*own, *others)


def _to_near_levels(text: BrokenText, index: int) -> Iterator[Cause]:
    """Yield that a line, or it with those below it, is meant at another level around it, the nearest first."""
    lines = text.structure
    here = indent_of(text.lines[lines[index]])
    around = [text.lines[i] for i in lines[max(index - _AROUND, 0) : index + _AROUND]]
    steps = {level - here for level in (*map(indent_of, around), *map(key_column, around))} - {0}
    below = _block(text, index)
    for by in sorted(steps, key=lambda by: (abs(by), -by)):
        if abs(by) > _NEAR:
            return
        yield _shift(text, [lines[index]], by)
        if len(below) > 1:
            yield _shift(text, below, by)


def _lines_above(
    text: BrokenText,
    indents: Sequence[int],
    upper: int,
    index: int,
) -> Iterator[Cause]:
    """Yield that lines above a line are meant at its level, or `upper`, the one that it is below of, at the level of that."""
    lines, here = text.structure, indents[index]
    deeper = next((i for i in range(upper + 1, index) if indents[i] > here), None)
    if deeper is not None and indents[deeper] - here <= _NEAR:
        by = here - indents[deeper]
        yield _shift(text, [lines[deeper]], by)
        yield _shift(text, lines[deeper:index], by)
    if upper >= 0 and here - indents[upper] <= _NEAR:
        yield _shift(text, [lines[upper]], here - indents[upper])


_STEP: Final = 2  # spaces between the levels of most documents
_NEAR: Final = 4
_TRIED: Final = 2
_AROUND: Final = 40  # lines above and below with possible levels
