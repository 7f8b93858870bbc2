"""Documents that `---` or `...` separates from the rest of their CRD, although they are a part of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from crdlint.crd.placeholders import directive
from crdlint.files.recognition import CRD_KIND, QUOTE
from crdlint.light import NamedTuple, regex
from crdlint.yaml.edit import Edit
from crdlint.yaml.json_values import duplicate_keys
from crdlint.yaml.nodes import Node, Scalar, nodes_of
from crdlint.yaml.parse import Chunk, Document, parse_first

if TYPE_CHECKING:
    from crdlint.yaml.broken_text import Cause


class Portion(NamedTuple):
    """A document of a file, and whether it is only a part of an object.

    `continues`: the documents that it continues, from the one with the kind of a CRD on; none if it begins an object.
    `is_continued`: whether the next document continues it.
    """

    chunk: Chunk
    continues: tuple[Chunk, ...] = ()
    is_continued: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether neither the document above nor the next one has another part of the object."""
        return not self.continues and not self.is_continued


def parts(documents: Iterable[Chunk]) -> Iterator[Portion]:
    """Yield the documents of a file with those that they continue."""
    waiting: list[Portion] = []  # a document, and those without content after it
    earlier: tuple[Chunk, ...] = ()
    for chunk in documents:
        is_empty = _first_line(chunk.text) is None
        is_rest = not is_empty and bool(earlier) and _is_rest_of_crd(chunk, earlier)
        if waiting and (not is_empty or len(waiting) == _MOST_EARLIER):
            first = waiting[0]
            yield Portion(first.chunk, first.continues, is_rest)
            yield from waiting[1:]
            waiting = []
        waiting.append(Portion(chunk, earlier if is_rest else ()))
        earlier = (*earlier[: _MOST_EARLIER - 1], chunk) if is_rest or is_empty else (chunk,)
    yield from waiting


_MOST_EARLIER: Final = 9  # so that the time grows with the size of the file


def _is_rest_of_crd(chunk: Chunk, earlier: tuple[Chunk, ...]) -> bool:
    """Return whether a document with content is the rest of a CRD, of which `earlier` begins with the first document."""
    if chunk.junk is not None or not _has_kind(earlier[0].text):
        return False
    if not _looks_continued(chunk.text, earlier):
        return False
    return directive(chunk.text) is None and directive(earlier[0].text) is None


def _has_kind(text: str) -> bool:
    """Return whether a text has the kind of a CRD outside of comments."""
    starts = (match.start() for match in CRD_KIND.finditer(text))
    return any("#" not in text[text.rfind("\n", 0, start) + 1 : start] for start in starts)


def _looks_continued(text: str, earlier: tuple[Chunk, ...]) -> bool:
    """Return whether a text is no manifest, and begins within an object or with a field that a CRD lacks above it."""
    first = _first_line(text)
    if first is None or not _is_inner_line(first, earlier):
        return False
    return not _is_manifest(text, first.indent)


class _Line(NamedTuple):
    """A line with content: where this begins, the blanks before it, and the content."""

    start: int
    indent: str
    content: str


def _first_line(text: str, position: int = 0) -> _Line | None:
    """Return the first line from a position on that is neither blank, a comment nor dashes, None without one."""
    while position < len(text):
        end = text.find("\n", position)
        line = text[position : end if end >= 0 else len(text)]
        content = line.strip()
        if content and not line.startswith("---") and not content.startswith("#"):
            indent = line[: line.index(content)]
            return _Line(position + len(indent), indent, content)
        position += len(line) + 1
    return None


def _is_inner_line(first: _Line, earlier: tuple[Chunk, ...]) -> bool:
    line = first.content
    if first.indent:
        return True
    if _FIELD_OF_CRD.match(line):
        field = re.compile(rf"^{line.partition(':')[0]}:", re.MULTILINE)
        return not any(field.search(each.text) for each in earlier)
    return line.startswith(_CLOSING) and earlier[0].text.lstrip().startswith("{")


_SEPARATORS: Final = regex(r"(?:---[^\n]*\n)*")
_FIELD_OF_CRD: Final = regex(r"(metadata|spec|status):")
_CLOSING: Final = ("}", "]", '"', ",")


def _is_manifest(text: str, indent: str) -> bool:
    """Return whether a text with a first line that is indented by `indent` has a kind of its own."""
    names = {
        name
        for name in _TYPE_KEYS
        if re.search(rf"^{indent}{QUOTE}{name}{QUOTE} *:", text, re.MULTILINE)
    }
    return len(names) == len(_TYPE_KEYS) if indent else bool(names)


_TYPE_KEYS: Final = ("apiVersion", "kind")


def joined(part: Portion) -> tuple[Edit, ...]:
    """Return the edits that join a document with the one above, or none if the result is no CRD that can be read.

    Their offsets are relative to the beginning of the document.
    """
    if len(part.continues) == _MOST_EARLIER:
        return ()
    start, text = part.chunk.start, part.chunk.text
    before = "".join(_DOTS_AT_END.sub("", each.text) for each in part.continues)
    separators = _SEPARATORS.match(text)
    length = 0 if separators is None else separators.end()
    first = _first_line(text, length)
    document = parse_first(before + text[length:])
    if first is None or not _is_read_whole(document, len(before) + first.start - length):
        return ()
    edits = [*_without_lines_between(part), Edit(start, start + length, "")]
    return tuple(edit.moved(-start) for edit in edits)


def rest(part: Portion, line: int) -> Cause:
    """Return what is wrong with a document that continues another one; `line` is that of the dashes (1-based)."""
    from crdlint.yaml import repairs
    from crdlint.yaml.broken_text import Cause

    return Cause(
        repairs.JOINED,
        line,
        1,
        4,
        "Remove the line `---`, if the lines below it belong to the document above",
        joined(part),
        "`---` ends the document here; the lines below are not read as a part of it",
    )


def half(document: Document, _problems: object) -> Cause | None:
    """Return the cause of a syntax error in a document that the next one continues."""
    if document.error is None:
        return None
    from crdlint.yaml.broken_text import Cause

    line = document.line_offset + document.text.count("\n") + 1
    return Cause(
        None,
        document.error.line + 1,
        document.error.column + 1,
        document.error.column + 2,
        f"Remove the `---` in line {line}, if the lines below it belong to the document",
        headline=f"the document ends at the `---` in line {line}, in the middle of an object",
    )


def _without_lines_between(part: Portion) -> Iterator[Edit]:
    """Remove the lines from the last document with content above to a document, but for comments."""
    following = part.chunk
    for document in reversed(part.continues):
        end = document.start + len(document.text)
        yield Edit(end, following.start, "")
        dots = _DOTS_AT_END.search(document.text)
        if dots is not None:
            yield Edit(document.start + dots.start(), document.start + dots.end(), "")
        if _first_line(document.text) is not None:
            return
        following = document


_DOTS_AT_END: Final = regex(r"^\.\.\.[ \t]*(?:\r?\n|\Z)(?=\s*\Z)", re.MULTILINE)


def _is_read_whole(document: Document, index: int) -> bool:
    """Return whether a document is read to its end, has no equal keys, and no text has swallowed a character."""
    root, text = document.root, document.text
    if root is None or duplicate_keys(document.non_simple_mappings):
        return False
    if _COMMENTS.sub("", text[root.end_mark.index :]).strip():
        return False
    return not any(_is_within_text(node, index) for node in nodes_of(root))


_COMMENTS: Final = regex(r"(?m)^[ \t]*#.*$")


def _is_within_text(node: Node, index: int) -> bool:
    """Return whether a node is a text, and a character a part of it."""
    return isinstance(node, Scalar) and node.start_mark.index < index < node.end_mark.index
