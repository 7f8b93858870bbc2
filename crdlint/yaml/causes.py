"""Causes of YAML syntax errors, with edits that fix them; an edit is offered only if the parser gets further with it.

The parser reports the line where it has to stop; the wrong line is often an earlier one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.yaml.edit import Edit, apply
from crdlint.yaml.editor import quoted
from crdlint.yaml.parse import parse_first

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Sequence as SequenceOf

    from crdlint.yaml.parse import Document

# Longer documents are not parsed again, and others at most this often.
_LONGEST: Final = 4_000_000  # characters
_ATTEMPTS: Final = 12
_LINES_ABOVE: Final = 3

_HEAD: Final = re.compile(r" *(?:- +)*[\w$./-]+: +(?=\S)")
_BAD_START: Final = frozenset("!*&@%`|>")
_BARE_KEY: Final = re.compile(r"([ ]*(?:- +)*[A-Za-z$][\w$./-]*)([ ]*\r?)\Z")
_NO_BLANK: Final = re.compile(r"([ ]*(?:- +)*[A-Za-z$][\w$.-]*:)([^\s:/].*)\Z")
_BAD_ESCAPE: Final = re.compile(r'\\([^0abtnvfre "/\\N_LPxuU\n])')
_CONFLICT: Final = re.compile(r"(?:<{7}|={7}|>{7}|\|{7})(?: |\r?\Z)")
_CLOSING: Final = {"[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Cause:
    """The cause of a syntax error: a name, the line (1-based in the file), a help, and edits of the document if possible."""

    name: str
    line: int
    help: str
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class _Text:
    """A document that cannot be parsed; `stop` is the index of the line where the parser stops."""

    document: Document
    lines: SequenceOf[str]
    starts: SequenceOf[int]
    stop: int
    message: str

    def near(self) -> Iterator[int]:
        """Yield the indexes of the line where the parser stops and of a few lines above, without blank lines and comments."""
        lines = 0
        for i in range(min(self.stop, len(self.lines) - 1), -1, -1):
            if self.lines[i].strip() and not self.lines[i].lstrip().startswith("#"):
                yield i
                lines += 1
                if lines > _LINES_ABOVE:
                    return

    def line(self, index: int) -> int:
        """Return the number of a line in the file (1-based)."""
        return index + 1 + self.document.line_offset

    def replaced(self, index: int, new: str) -> tuple[Edit, ...]:
        """Return the smallest edit that replaces the line at `index` by `new`."""
        old = self.lines[index]
        head = 0
        while head < min(len(old), len(new)) and old[head] == new[head]:
            head += 1
        tail = 0
        while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        start = self.starts[index]
        return (Edit(start + head, start + len(old) - tail, new[head : len(new) - tail]),)


def syntax_cause(document: Document) -> Cause | None:
    """Return the cause of a document's syntax error, or None if it is not known."""
    problem = document.error
    if problem is None or len(document.text) > _LONGEST:
        return None
    lines = document.text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    text = _Text(document, lines, starts, problem.line - document.line_offset, problem.message)
    attempts = 0
    for find in _CAUSES:
        for cause in find(text):
            if not cause.edits:
                return cause
            attempts += 1
            if attempts > _ATTEMPTS:
                return None
            if _gets_further(document, cause.edits, text.stop):
                return cause
    return None


def _gets_further(document: Document, edits: SequenceOf[Edit], stop: int) -> bool:
    """Return whether the parser gets further than the line `stop` with the edits."""
    read = parse_first(apply(document.text, edits))
    return read.error is None or read.error.line - read.line_offset > stop + 1


def _conflicts(text: _Text) -> Iterator[Cause]:
    for i, line in enumerate(text.lines):
        if _CONFLICT.match(line):
            yield Cause(
                "conflict", text.line(i), f"Resolve the merge conflict: line {text.line(i)} is a conflict marker"
            )
            return


def _tabs(text: _Text) -> Iterator[Cause]:
    indented = [i for i, line in enumerate(text.lines) if "\t" in line[: len(line) - len(line.lstrip())]]
    if not indented or not any(i in indented for i in text.near()):
        return
    first = text.line(indented[0])
    for width in (2, 4, 8):
        edits = []
        for i in indented:
            blanks = text.lines[i][: _blanks(text.lines[i])]
            start = text.starts[i]
            edits.append(Edit(start, start + len(blanks), blanks.replace("\t", " " * width)))
        yield Cause("tab", first, f"Indent line {first} with spaces: YAML does not allow tabs", tuple(edits))
    edits = []
    for i in indented:
        previous = next(
            (earlier for earlier in reversed(text.lines[:i]) if earlier.strip() and "\t" not in earlier), ""
        )
        column = _key_column(previous) + (2 if previous.rstrip().endswith(":") else 0)
        edits.append(Edit(text.starts[i], text.starts[i] + _blanks(text.lines[i]), " " * column))
    yield Cause("tab", first, f"Indent line {first} with spaces: YAML does not allow tabs", tuple(edits))
    yield Cause("tab", first, f"Indent line {first} with spaces: YAML does not allow tabs")


def _blanks(line: str) -> int:
    """Return how many blanks and tabs a line begins with."""
    return len(line) - len(line.lstrip(" \t"))


def _other_blanks(text: _Text) -> Iterator[Cause]:
    near = list(text.near())
    earlier_lines = (i for i in range(min(text.stop, len(text.lines)) - 1, -1, -1) if i not in near)
    for i in (*near, *(i for i in earlier_lines if _OTHER_INDENT.match(text.lines[i]))):
        line = text.lines[i]
        match = _OTHER_BLANK.search(line)
        if match is None:
            continue
        position = f"line {text.line(i)}, column {match.start() + 1}"
        is_space = match[0] == "\u00a0"
        help_ = (
            f"Replace the non-breaking space in {position} with a space"
            if is_space
            else f"Remove the byte order mark in {position}"
        )
        new = line.replace("\u00a0", " ").replace("\ufeff", "")
        yield Cause("blank", text.line(i), help_, text.replaced(i, new))


_OTHER_BLANK: Final = re.compile("[\u00a0\ufeff]")
# A line with such a character before its key.
_OTHER_INDENT: Final = re.compile("[ -]*[\u00a0\ufeff]")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line with a key and a value: the text before the value, the value, and the text after it."""

    head: str
    value: str
    rest: str


def _entry(line: str) -> _Entry | None:
    match = _HEAD.match(line)
    if match is None:
        return None
    body = line[match.end() :]
    comment = body.find(" #")
    value = body.removesuffix("\r").rstrip(" ") if comment < 0 else body[:comment].rstrip(" ")
    return _Entry(match[0], value, body[len(value) :])


def _unquoted(text: _Text) -> Iterator[Cause]:
    for i in text.near():
        entry = _entry(text.lines[i])
        if entry is None:
            continue
        value, number = entry.value, text.line(i)
        why = _reason_for_quotes(value)
        if why is None:
            continue
        help_ = f"Put the value in line {number} in quotes, since it {why}: `{quoted(value)}`"
        yield Cause("unquoted", number, help_, text.replaced(i, f"{entry.head}{quoted(value)}{entry.rest}"))


def _reason_for_quotes(value: str) -> str | None:
    """Return why YAML does not read a value as the text that it is, None if it does or the value is not all of it."""
    value = value.strip()
    first = value[:1]
    if first in _CLOSING:
        rest = value[value.rfind(_CLOSING[first]) + 1 :].strip()
        return f"continues after `{_CLOSING[first]}`" if _CLOSING[first] in value and re.match(r"\w", rest) else None
    if first in "'\"":
        closed = value.find(first, 1)
        is_cut = closed > 0 and not value.endswith(first) and value[closed + 1 : closed + 2] in {" ", ",", "."}
        return f"continues after {first}" if is_cut else None
    if first in "|>":
        return f"begins with `{first}`" if re.search(r"[^-+0-9|>\s]", value) else None
    if first in _BAD_START:
        return f"begins with `{first}`"
    if value.startswith("- "):
        return "begins with a dash and a space" if value.count(" ") > 1 else None
    return "contains a colon and a space" if ": " in value or value.endswith(":") else None


def _unquoted_lines(text: _Text) -> Iterator[Cause]:
    """Yield a description or message of several lines that YAML does not read as one text, none of which is a field."""
    for first in text.near():
        entry = _entry(text.lines[first])
        if entry is None or _PROSE.search(entry.head) is None:
            continue
        indent, last = _key_column(text.lines[first]), first
        for i in range(first + 1, len(text.lines)):
            if text.lines[i].strip() and _indent(text.lines[i]) <= indent:
                break
            last = i if text.lines[i].strip() else last
        below = text.lines[first + 1 : last + 1]
        if last <= text.stop - 1 or last == first or any(" #" in line or _FIELD.match(line) for line in below):
            continue
        why = _reason_for_quotes(entry.value) or next(filter(None, (_reason_for_quotes(line) for line in below)), None)
        if why is None or entry.value[0] in "|>&*!":
            continue
        start = text.starts[first] + len(entry.head)
        end = text.starts[last] + len(text.lines[last].rstrip())
        edit = Edit(start, end, _quoted_lines(text.document.text[start:end]))
        help_ = f"Put the text in lines {text.line(first)} to {text.line(last)} in quotes, since it {why}"
        yield Cause("unquoted", text.line(first), help_, (edit,))


_PROSE: Final = re.compile(r"(?:description|message|title): +\Z")
_FIELD: Final = re.compile(r" *(?:- +)?[a-z$][\w$.-]*:(?: |\r?\Z)")


def _quoted_lines(text: str) -> str:
    """Return a text of several lines in single quotes, with its lines as they are."""
    return "'" + text.replace("'", "''") + "'"


def _key_column(line: str) -> int:
    return len(line) - len(line.lstrip(" -"))


def _inner_quotes(text: _Text) -> Iterator[Cause]:
    """Find a value in quotes with the same quote inside."""
    for i in text.near():
        entry = _entry(text.lines[i])
        if (
            entry is None
            or len(entry.value) < _QUOTES
            or entry.value[0] not in "'\""
            or entry.value[-1] != entry.value[0]
        ):
            continue
        quote, inner, number = entry.value[0], entry.value[1:-1], text.line(i)
        if quote not in inner:
            continue
        if quote == "'":
            new = "'" + inner.replace("''", "'").replace("'", "''") + "'"
            help_ = f"Write `''` for an apostrophe between single quotes in line {number}"
        else:
            new = '"' + re.sub(r'(?<!\\)"', r'\\"', inner) + '"'
            help_ = f'Write `\\"` for a quote between double quotes in line {number}'
        yield Cause("inner quote", number, help_, text.replaced(i, f"{entry.head}{new}{entry.rest}"))


_QUOTES: Final = 2


def _escapes(text: _Text) -> Iterator[Cause]:
    if "escape" not in text.message:
        return
    for i in text.near():
        new = _BAD_ESCAPE.sub(lambda match: f"\\\\{match[1]}", text.lines[i])
        if new != text.lines[i]:
            number = text.line(i)
            help_ = f"Write `\\\\` for a backslash between double quotes in line {number}, or use single quotes"
            yield Cause("escape", number, help_, text.replaced(i, new))


def _quotes(text: _Text) -> Iterator[Cause]:
    if (
        "quoted scalar" not in text.message
        and "end of stream" not in text.message
        and "expected key" not in text.message
    ):
        return
    for i in (*text.near(), *_opening_lines(text)):
        entry = _entry(text.lines[i])
        if entry is None:
            continue
        value, quote = entry.value, entry.value[0]
        if quote not in "'\"" or (value.count(quote) - value.count(f"\\{quote}")) % 2 == 0:
            continue
        number = text.line(i)
        help_ = f"Add `{quote}` at the end of the value in line {number} to close the quote"
        yield Cause("quote", number, help_, text.replaced(i, f"{entry.head}{value}{quote}{entry.rest}"))


def _opening_lines(text: _Text) -> Iterator[int]:
    """Yield the lines above in which a value starts with a quote, the nearest first."""
    for i in range(min(text.stop, len(text.lines) - 1), -1, -1):
        entry = _entry(text.lines[i])
        if entry is not None and entry.value[0] in "'\"" and entry.value.count(entry.value[0]) % 2:
            yield i


def _colons(text: _Text) -> Iterator[Cause]:
    for i in text.near():
        number = text.line(i)
        match = _NO_BLANK.match(text.lines[i])
        if match is not None:
            help_ = f"Write a space after the colon in line {number}: `{match[1].strip()} {match[2].strip()}`"
            yield Cause("colon", number, help_, text.replaced(i, f"{match[1]} {match[2]}"))
        match = _BARE_KEY.match(text.lines[i])
        if match is not None:
            help_ = f"Add a colon after the key in line {number}: `{match[1].strip()}:`"
            yield Cause("colon", number, help_, text.replaced(i, f"{match[1]}:{match[2]}"))


def _brackets(text: _Text) -> Iterator[Cause]:
    if "',' or" not in text.message and "end of stream" not in text.message:
        return
    for i in text.near():
        entry = _entry(text.lines[i])
        if entry is None or entry.value[0] not in _CLOSING:
            continue
        value = entry.value
        opened = "".join(_CLOSING[c] for c in reversed(_open_brackets(value)))
        if opened:
            number = text.line(i)
            help_ = f"Add `{opened}` to close the bracket in line {number}"
            yield Cause("bracket", number, help_, text.replaced(i, f"{entry.head}{value}{opened}{entry.rest}"))


def _open_brackets(value: str) -> list[str]:
    pending: list[str] = []
    for char in re.sub(r"'[^']*'|\"[^\"]*\"", "", value):
        if char in _CLOSING:
            pending.append(char)
        elif pending and char == _CLOSING[pending[-1]]:
            pending.pop()
    return pending


def _directives(text: _Text) -> Iterator[Cause]:
    for i in text.near():
        if "{{" in text.lines[i]:
            number = text.line(i)
            yield Cause("template", number, f"Check the rendered file: line {number} contains template syntax")


def _list_below_text(text: _Text) -> Iterator[Cause]:
    if "block sequence entries" in text.message:
        number = text.line(text.stop)
        yield Cause("list", number, f"Move the list in line {number} to lines of its own, below the key")
    for i in text.near():
        line = text.lines[i]
        previous = next((j for j in range(i - 1, -1, -1) if text.lines[j].strip()), None)
        if previous is None or not line.lstrip().startswith("- "):
            continue
        entry = _entry(text.lines[previous])
        if entry is not None and entry.value[0] not in "|>" and _indent(line) >= _indent(text.lines[previous]):
            number = text.line(previous)
            yield Cause(
                "list", number, f"Remove the value in line {number} or the list below it: a key cannot have both"
            )
            return


def _dedents(text: _Text) -> Iterator[Cause]:
    """Yield lines whose indentation differs from all lines around them."""
    for distance, i in enumerate(list(text.near())[:2]):
        line = text.lines[i]
        indent = _indent(line)
        # A field belongs to other fields, not to the lines of a text.
        is_field = _FIELD.match(line) is not None
        others = [
            other
            for other in text.lines[max(i - 40, 0) : i + 40]
            if other.strip() and other != line and not (is_field and _FIELD.match(other) is None)
        ]
        around = sorted({_indent(other) for other in others} | {_key_column(other) for other in others})
        if indent in around and (distance or text.message.rpartition(": ")[2] != "did not find expected key"):
            continue
        tried = [
            other_indent for other_indent in around if abs(other_indent - indent) <= _NEAR and other_indent != indent
        ]
        number = text.line(i)
        before = (text.lines[j] for j in range(i - 1, max(i - 40, -1), -1))
        indent_above = next((_indent(other) for other in before if other in others), indent)
        for new_indent in sorted(
            tried, key=lambda other_indent: (abs(other_indent - indent), other_indent != indent_above)
        ):
            help_ = (
                f"Indent line {number} by {_count(new_indent)} instead of {_count(indent)}, like the lines around it"
            )
            yield Cause("dedent", number, help_, text.replaced(i, " " * new_indent + line.lstrip(" ")))


_NEAR: Final = 3


def _count(blanks: int) -> str:
    return f"{blanks} space{'' if blanks == 1 else 's'}"


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _separators(text: _Text) -> Iterator[Cause]:
    if "document separator" in text.message or "document start" in text.message:
        number = text.line(text.stop)
        yield Cause(
            "separator",
            number,
            f"line {number} has text where a document ends: remove it, or put `---` on a line above",
        )


_CAUSES: Final = (
    _conflicts,
    _separators,
    _tabs,
    _other_blanks,
    _directives,
    _escapes,
    _unquoted,
    _unquoted_lines,
    _inner_quotes,
    _brackets,
    _quotes,
    _colons,
    _list_below_text,
    _dedents,
)
