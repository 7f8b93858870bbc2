"""The lines of a document that the parser rejects, and the possible causes of the error."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from functools import cached_property
from itertools import chain, islice, takewhile
from typing import Final

from crdlint.light import NamedTuple, dataclass, regex
from crdlint.phrases import differing, joined
from crdlint.yaml.edit import Edit, runs
from crdlint.yaml.parse import Document
from crdlint.yaml.repairs import Repair

_NEAR: Final = 4  # lines
_HEAD: Final = regex(r" *(?:(?:- +)*[\w$./-]+: +|(?:- +)+)(?=\S)")
_BLOCK_SCALAR: Final = regex(r"(?:: +|- +)[|>][-+0-9]*[ \t]*(?:#.*)?\r?\Z")
KEYWORDS: Final = frozenset(
    {
        "additionalProperties",
        "anyOf",
        "default",
        "description",
        "enum",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "format",
        "items",
        "maxItems",
        "maxLength",
        "maxProperties",
        "maximum",
        "minItems",
        "minLength",
        "minProperties",
        "minimum",
        "nullable",
        "oneOf",
        "pattern",
        "properties",
        "required",
        "title",
        "type",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
        "x-kubernetes-validations",
    }
)
# Keywords of schemas, and other fields that have short values in CRDs.
FIELDS: Final = KEYWORDS | {
    "group",
    "jsonPath",
    "kind",
    "listKind",
    "plural",
    "rule",
    "scope",
    "served",
    "singular",
    "storage",
}
_BEGINNING: Final = regex(r"[ ]*(?:- +)*([A-Za-z$][\w$-]*)")
_FIELD_WORD: Final = regex(r"( *)([\w$-]+):(?: +([^ \r#]+))?")
FIELD: Final = regex(r" *(?:- +)*[A-Za-z$][\w$./-]*:(?: |\r?\Z)")


class Cause(NamedTuple):
    """The cause of a syntax error.

    `repair`: what repairs it, None if nothing does.
    `line`, `column`, `end_column`: its place (1-based in the file).
    `help`: the help.
    `edits`: the edits of the repair.
    `headline`: the first line of the finding, empty for that of the rule.
    """

    repair: Repair | None
    line: int
    column: int
    end_column: int
    help: str
    edits: tuple[Edit, ...] = ()
    headline: str = ""


class Entry(NamedTuple):
    """A line with a value: the text before the value, the value, and the text after it."""

    head: str
    value: str
    rest: str

    @property
    def columns(self) -> tuple[int, int]:
        """The columns (0-based) of the value."""
        return len(self.head), len(self.head) + len(self.value)


def carriage_return(line: str) -> str:
    """Return the carriage return at the end of a line, empty without one."""
    return "\r" if line.endswith("\r") else ""


@dataclass(frozen=True)
class BrokenText:
    """A document that cannot be parsed.

    `document`: the document.
    `lines`, `starts`: its lines, and their offsets.
    `stop`: the index of the line where the parser stops.
    `message`: the text of its error.
    """

    document: Document
    lines: SequenceOf[str]
    starts: SequenceOf[int]
    stop: int
    message: str

    @cached_property
    def structure(self) -> list[int]:
        """The indexes of the lines with keys and items: no blank lines, comments, separators or texts in block style."""
        structure: list[int] = []
        least: int | None = None  # the indentation of a text in block style
        for i in self.filled():
            line = self.lines[i]
            is_in_block = least is not None and indent_of(line) >= least
            if is_in_block:
                continue
            least = None
            if line.strip().startswith("#") or line.startswith("---"):
                continue
            structure.append(i)
            if has_block_scalar(line):
                least = max(self._first_indent(i + 1), indent_of(line) + 1)
        return structure

    def _first_indent(self, start: int) -> int:
        """Return the indentation of the first line that is not blank, of some lines; 0 if all are."""
        for line in self.lines[start : start + _TEXT - 1]:
            if line.strip():
                return indent_of(line)
        return 0

    def filled(self) -> Iterator[int]:
        """Yield the indexes of the lines that are not blank."""
        return (i for i, line in enumerate(self.lines) if line.strip())

    def upwards(self) -> range:
        """Return the indexes of the line where the parser stops and of all lines above, upwards."""
        return range(self.stop, -1, -1)

    def near(self) -> Iterator[int]:
        """Yield the first few of the lines `upwards`, without blank lines and comments."""
        stripped = ((i, self.lines[i].strip()) for i in self.upwards())
        used = (i for i, text in stripped if text and not text.startswith("#"))
        return islice(used, _NEAR)

    def fitting(self, indexes: Iterable[int], fits: Callable[[str], object]) -> list[int]:
        """Return the indexes of those of some lines that fit: for which a function returns something true."""
        return [i for i in indexes if fits(self.lines[i])]

    def matches(
        self, indexes: Iterable[int], find: Callable[[str], re.Match[str] | None]
    ) -> Iterator[tuple[int, re.Match[str]]]:
        """Yield those of some lines in which a function finds a match, with the match."""
        for i in indexes:
            match = find(self.lines[i])
            if match is not None:
                yield i, match

    def texts(self, indexes: Iterable[int]) -> list[str]:
        """Return some lines."""
        return [self.lines[i] for i in indexes]

    def entries(self, lines: Iterable[int] | None = None) -> Iterator[tuple[int, Entry]]:
        """Yield the lines that have a value, of some or of those `near`, and their entries."""
        for i in self.near() if lines is None else lines:
            entry = entry_of(self.lines[i])
            if entry is not None:
                yield i, entry

    def previous(self, index: int) -> int | None:
        """Return the index of the last line above that is not blank."""
        return next((i for i in range(index - 1, -1, -1) if self.lines[i].strip()), None)

    def previous_line(self, index: int) -> str:
        """Return the last line above that is not blank, empty without one."""
        previous = self.previous(index)
        return "" if previous is None else self.lines[previous]

    def with_same_key(self, index: int) -> list[int]:
        """Return the indexes of the lines that begin with the same key as a line, which may be wrong there."""
        key = _BEGINNING.match(self.lines[index])
        if key is None:
            return [index]
        begins = re.compile(rf"[ ]*(?:- +)*{re.escape(key[1])}(?![\w$-])")
        return [i for i in self.structure if i == index or begins.match(self.lines[i])]

    def fields_around(self, index: int) -> dict[str, str]:
        """Return the fields of the mapping that has a line, by the indentation, with the first word of each value."""
        indent = indent_of(self.lines[index])
        position = bisect_left(self.structure, index)
        upwards = reversed(self.structure[:position])
        downwards = self.structure[position:]
        fields: dict[str, str] = {}
        for line in chain(self._of_block(upwards, indent), self._of_block(downwards, indent)):
            field = _FIELD_WORD.match(line)
            if field is not None and len(field[1]) == indent:
                fields[field[2]] = field[3] or ""
        return fields

    def _of_block(self, indexes: Iterable[int], indent: int) -> Iterator[str]:
        """Yield lines up to the first one that is indented by fewer spaces."""
        return takewhile(
            lambda line: indent_of(line) >= indent, map(self.lines.__getitem__, indexes)
        )

    def line(self, index: int) -> int:
        """Return the number of a line in the file (1-based)."""
        return index + 1 + self.document.line_offset

    def numbers(self, indexes: Iterable[int]) -> str:
        """Return the numbers of some lines as a phrase, such as `lines 3 to 5 and 9`."""
        numbers = sorted(map(self.line, indexes))
        parts: list[str] = []
        for run in runs(numbers):
            parts += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run)
        if len(parts) > _MOST_PARTS:
            shown = _MOST_PARTS - 1
            parts = [*parts[:shown], f"{len(parts) - shown} more places"]
        several = len(parts) > 1 or " to " in parts[0]
        return f"line{'s' if several else ''} {joined(parts)}"

    def cause(
        self,
        repair: Repair | None,
        index: int,
        help_: str,
        edits: tuple[Edit, ...] = (),
        columns: tuple[int, int] | None = None,
    ) -> Cause:
        """Return a cause in the line at `index`; `columns` are those (0-based) of the text to mark, by default all of it."""
        line = self.lines[index]
        start, end = columns or (len(line) - len(line.lstrip()), len(line.rstrip()))
        return Cause(
            repair,
            self.line(index),
            start + 1,
            max(end, start + 1) + 1,
            help_,
            edits,
        )

    def line_cause(
        self,
        repair: Repair,
        index: int,
        new: str,
        help_: str,
        columns: tuple[int, int] | None = None,
    ) -> Cause:
        """Return a cause that the line at `index` should be `new`."""
        return self.cause(
            repair,
            index,
            help_,
            (self.replaced(index, new),),
            columns,
        )

    def value_cause(
        self,
        repair: Repair,
        index: int,
        entry: Entry,
        new: str,
        help_: str,
    ) -> Cause:
        """Return a cause that the value in the line at `index` should be `new`."""
        return self.line_cause(
            repair,
            index,
            f"{entry.head}{new}{entry.rest}",
            help_,
            entry.columns,
        )

    def replaced(self, index: int, new: str) -> Edit:
        """Return the smallest edit that replaces the line at `index` by `new`."""
        first, before, after = differing(list(self.lines[index]), list(new))
        start = self.starts[index] + first
        return Edit(start, start + len(before), "".join(after))

    def rewritten(self, indexes: Iterable[int], rewrite: Callable[[str], str]) -> tuple[Edit, ...]:
        """Return the smallest edits that replace lines by what a function returns for them."""
        return tuple(self.replaced(i, rewrite(self.lines[i])) for i in indexes)

    def removed(self, indexes: Iterable[int]) -> tuple[Edit, ...]:
        """Return the edits that remove lines."""
        end = len(self.document.text)
        return tuple(Edit(self.starts[i], min(self.starts[i + 1], end), "") for i in indexes)

    def shifted(self, indexes: Iterable[int], by: int) -> tuple[Edit, ...]:
        """Return the edits that indent lines by more spaces, or fewer if `by` is negative."""
        return tuple(
            Edit(self.starts[i], self.starts[i] + max(-by, 0), " " * max(by, 0))
            for i in indexes
            if indent_of(self.lines[i]) + by >= 0
        )


_TEXT: Final = 20  # lines in which a text in block style begins
_MOST_PARTS: Final = 4


def entry_of(line: str) -> Entry | None:
    """Return the entry in a line, None if it has no value after a key or a dash."""
    match = _HEAD.match(line)
    if match is None:
        return None
    body = line[match.end() :]
    before_comment = body.removesuffix("\r") if " #" not in body else body.partition(" #")[0]
    value = before_comment.rstrip(" ")
    if not value or body.startswith("#"):
        return None
    return Entry(match[0], value, body[len(value) :])


def key_column(line: str) -> int:
    """Return the column of the key in a line, after its dashes."""
    return len(line) - len(line.lstrip(" -"))


def indent_of(line: str) -> int:
    """Return how many spaces a line begins with."""
    return len(line) - len(line.lstrip(" "))


def has_block_scalar(line: str) -> bool:
    """Return whether a text in block style begins at the end of a line."""
    return _BLOCK_SCALAR.search(line) is not None
