"""Text to nodes: libyaml's events by ruamel.yaml's C parser, or its Python parser on platforms without a wheel.

Documents are split as kubectl does (apimachinery pkg/util/yaml, YAMLReader), so an invalid document does not affect the
others. Errors have go-yaml v2's texts, with lines relative to the document.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.parser import ParserError

from crdlint.light import NamedTuple, dataclass, regex
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.edit import line_and_column, line_starts
from crdlint.yaml.nodes import Collection, Mapping, Mark, Node, Scalar, Sequence
from crdlint.yaml.resolve import WORDS, is_plain_string

if TYPE_CHECKING:
    from crdlint.yaml.masking import Mask

try:
    from _ruamel_yaml import CParser
except ImportError:  # no wheel for this platform
    CParser = None

MAX_DEPTH: Final = 10000
_SEPARATOR: Final = regex(r"\n---([^\n]*)")
# Only directives and comments: they belong to the document after the separator.
_PROLOGUE: Final = regex(
    r"\ufeff?(?:[ \t]*(?:#[^\n]*|\r)?\n)*%[^\n]*\n(?:[%#][^\n]*\n|[ \t]*\r?\n)*\Z"
)
_SLOWER: Final = "libyaml is not available for this Python: reading with ruamel.yaml's own parser, which is slower"


class YAMLProblem(NamedTuple):
    """A syntax error: the server's text, and its 0-based position in the file.

    `is_own` is whether crdlint stops there, although the server may read on.
    """

    message: str
    line: int
    column: int
    is_own: bool = False


T = TypeVar("T")


@dataclass(slots=True)
class Document:
    """A document of a stream.

    `root`: its root, None if it is empty or invalid.
    `text`: its text.
    `line_offset`: the number of lines before it.
    `error`: its error.
    `is_continued`: whether the next document of the file is the rest of it.
    `non_simple_mappings`: its mappings that are not simple (see `Mapping`), in document order.
    `values`: what is made once for all of its findings and objects, by name.
    """

    root: Node | None
    text: str
    line_offset: int
    error: YAMLProblem | None = None
    is_continued: bool = False
    non_simple_mappings: list[Mapping] = field(default_factory=list)
    values: dict[Hashable, Any] = field(
        default_factory=dict,
        compare=False,
        repr=False,
    )

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """Return what a function makes of the document, which is made only once."""
        if name not in self.values:
            self.values[name] = make()
        value: T = self.values[name]
        return value

    def line_of(self, text: str) -> int | None:
        """Return the 1-based line of the first occurrence of a text in the file, or None."""
        index = self.text.find(text)
        return None if index < 0 else self.line_offset + self.text.count("\n", 0, index) + 1


class Chunk(NamedTuple):
    """The text of a document, the number of lines before it, the text after its separator, and its start in the text."""

    text: str
    line_offset: int = 0
    junk: str | None = None
    start: int = 0


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector while a tree is built, which halves the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def parse_stream(text: str) -> list[Document]:
    """Parse every document of a text; invalid input does not raise exceptions."""
    with collector_paused():
        return list(iter_documents(text))


def reading_notice() -> str | None:
    """Return a message for the user about how texts are parsed, or None."""
    return None if CParser is not None else _SLOWER


def iter_documents(text: str) -> Iterator[Document]:
    """Yield the documents of a text like parse_stream, without keeping them."""
    return map(parse_chunk, chunks(text))


def parse_first(text: str) -> Document:
    """Parse the first document of a text without splitting it, as the server's decoder does; see parse_stream."""
    with collector_paused():
        return parse_chunk(Chunk(text))


def split(text: str) -> list[str]:
    """Return the texts of the documents; their numbers start at 0."""
    return [chunk.text for chunk in chunks(text)]


def unchanged(before: str, after: str) -> dict[int, tuple[int, int]]:
    """Return the documents that two texts share, by number: how many lines and characters further down they are in the second."""
    old, new = list(chunks(before)), list(chunks(after))
    if len(old) != len(new):
        return {}
    return {
        number: (now.line_offset - was.line_offset, now.start - was.start)
        for number, (was, now) in enumerate(zip(old, new, strict=True))
        if (was.text, was.junk) == (now.text, now.junk)
    }


def chunks(text: str) -> Iterator[Chunk]:
    """Yield the text of each document, which starts below the line of three dashes; the first one includes such a line."""
    start = offset = 0
    junk: str | None = None
    for match in _SEPARATOR.finditer(f"\n{text}"):  # also one in the first line
        own = text[start : match.start()]
        if _PROLOGUE.match(own):
            continue
        if own:
            yield Chunk(own, offset, junk, start)
        rest = match[1].strip()
        junk = rest if rest and not rest.startswith("#") else None
        start = match.end() if own else match.start()
        offset += own.count("\n") + bool(own)
    yield Chunk(text[start:], offset, junk, start)


def parse_chunk(chunk: Chunk) -> Document:
    """Parse a document of `chunks`; invalid input does not raise exceptions."""
    text, offset, junk, _ = chunk
    document = Document(None, text, offset)
    if junk is not None:
        line = offset if text.startswith("---") else max(offset - 1, 0)
        document.error = YAMLProblem(f"invalid Yaml document separator: {junk}", line, 3)
        return document
    try:
        document.root, aliases = _read(text, document.non_simple_mappings)
        if aliases:
            _check_aliases(document.root)
    except YAMLDecodeError as error:
        document.error = _problem_of_node(error, offset)
        document.root = None
        error.__traceback__ = None
    except YAMLError as error:
        document.error = _problem(error, text, offset)
        # Its frames refer to the error: only the garbage collector, which is paused, could free this cycle.
        error.__traceback__ = None
    except (UnicodeError, ValueError):
        # libyaml reads UTF-8, which cannot encode lone surrogates.
        surrogate = re.search(_SURROGATE, text)
        index = 0 if surrogate is None else surrogate.start()
        document.error = _problem_at(
            "yaml: invalid leading UTF-8 octet",
            text,
            index,
            offset,
        )
    return document


_SURROGATE: Final = "[\ud800-\udfff]"


def line_after_end(document: Document) -> int | None:
    """Return the first line after a line of three dots that ends a document (0-based in the file), or None if all are read.

    Comments, directives and blank lines do not count.
    """
    text = document.text
    if document.root is None or "\n..." not in text:
        return None
    end = _END.search(text, document.root.end_mark.index)
    rest = None if end is None else _CONTENT.search(text, end.end())
    return None if rest is None else text.count("\n", 0, rest.start()) + document.line_offset


_END: Final = regex(r"^\.\.\.(?![^ \t\r\n])", re.MULTILINE)
_CONTENT: Final = regex(r"^(?!\.\.\.(?:\s|\Z))[ \t]*[^\s#%].*", re.MULTILINE)


def _problem_at(
    message: str,
    text: str,
    index: int,
    offset: int,
) -> YAMLProblem:
    line = text.count("\n", 0, index)
    column = index - (text.rfind("\n", 0, index) + 1)
    return YAMLProblem(message, line + offset, column)


def _problem_of_node(error: YAMLDecodeError, offset: int) -> YAMLProblem:
    mark = error.node.start_mark if error.node is not None else None
    if mark is None:
        return YAMLProblem(str(error), offset, 0)
    is_own = isinstance(error, _TooDeepError)
    return YAMLProblem(
        str(error),
        mark.line + offset,
        mark.column,
        is_own,
    )


def _problem(error: YAMLError, text: str, offset: int) -> YAMLProblem:
    """Return a parser's error with go-yaml's text and line. Upstream: goyaml.v2 parser.fail."""
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        line = _go_line(error, text)
        where = f"line {line}: " if line else ""
        before = text.removeprefix(_BOM)[: mark.index]
        at_line, column = mark.line, mark.column
        if _RARE_BREAK.search(before):
            at_line, column = line_and_column(line_starts(before), mark.index)
        return YAMLProblem(f"yaml: {where}{error.problem}", at_line + offset, column)
    index = getattr(error, "position", 0) or 0
    reason = getattr(error, "reason", None) or str(error).partition("\n")[0]
    return _problem_at(f"yaml: {reason}", text, index, offset)


def _go_line(error: MarkedYAMLError, text: str) -> int:
    """Return the line in Go's text of an error, 0 if it has none."""
    mark, context = error.problem_mark, error.context_mark
    if not mark.line:
        return context.line if context is not None else 0
    line: int = mark.line
    if type(error).__name__ == "ScannerError":
        line += 1
    if error.problem == _NO_COLON and context is not None:
        line += _ends_late(text, context.index, mark)
    return line


def _ends_late(text: str, start: int, mark: Any) -> bool:
    """Return whether Go starts another line before it detects that the text at `start` is a key without a colon.

    It does so at the end of a text in white space, which it has not skipped yet, except after a plain scalar.
    """
    if not mark.column or mark.index < len(text) or not _BLANK_END.search(text):
        return False
    last = _BLANK_END.sub("", text)[start:].split()[-1]
    return last[0] in "!&*\"'" or last[-1] in "\"']}"


_BLANK_END: Final = regex(r"\n[ \t]*(?:#[^\n]*)?\Z")
_NO_COLON: Final = "could not find expected ':'"


def _events(text: str) -> Iterator[Any]:
    """Return libyaml's events."""
    if CParser is not None:
        events: Iterator[Any] = iter(CParser(text).get_event, None)
    else:
        from crdlint.yaml import python_parser

        events = python_parser.events(text)
    if _may_take_long(text):
        events = _as_far_as_read(events)
    if text.isascii() or _RARE_BREAK.search(text) is None:
        return events
    return _as_editors_count(events, text)


# libyaml looks at all open brackets for each token. The OpenAPI documents of Kubernetes, of 5 MB, need 900,000 levels; a flow
# mapping of the greatest depth needs three quarters of the limit.
_MOST_LEVELS: Final = 200_000_000


class _TooDeepError(YAMLDecodeError):
    """The brackets of a document are nested so deeply that crdlint does not read on."""


def _may_take_long(text: str) -> bool:
    """Return whether brackets may be nested so deeply that the text takes much longer to read than others of its size."""
    deepest = min(text.count("[") + text.count("{"), MAX_DEPTH)
    return deepest * len(text) > _MOST_LEVELS


def _as_far_as_read(events: Iterator[Any]) -> Iterator[Any]:
    """Yield events until the levels of brackets that are open at each are too many together."""
    level = total = 0
    for event in events:
        kind = event.__class__
        if kind is Scalar:  # most events
            pass
        elif kind in _STARTS:
            level += event.flow_style
        elif kind in _ENDS and level:  # in brackets, all collections have brackets
            level -= 1
        total += level
        if total > _MOST_LEVELS:
            message = (
                f"crdlint reads no further: too many values within {level:,} levels of brackets"
            )
            raise _TooDeepError(message, event)
        yield event


_STARTS: Final = frozenset({MappingStartEvent, SequenceStartEvent})
_ENDS: Final = frozenset({MappingEndEvent, SequenceEndEvent})


# Line breaks in YAML 1.1, but not in an editor.
_RARE_BREAK: Final = regex("[\x85\u2028\u2029]")


def _as_editors_count(events: Iterator[Any], text: str) -> Iterator[Any]:
    """Yield events with an editor's positions, for texts in which YAML counts more lines."""
    starts = line_starts(text.removeprefix(_BOM))
    for event in events:
        event.start_mark, event.end_mark = (
            Mark(mark.index, *line_and_column(starts, mark.index), mark.line)
            for mark in (event.start_mark, event.end_mark)
        )
        yield event


_BOM: Final = "\ufeff"
# How often a text is parsed, from the second time on with one more character masked, or all colons in plain scalars.
_ATTEMPTS: Final = 33


def _read(text: str, non_simple: list[Mapping]) -> tuple[Node | None, bool]:
    """Build the first document as `_build` does, also where only Go accepts it; return root and whether it has aliases."""
    if text.lstrip().startswith("{"):
        from crdlint.yaml.json_events import is_json  # most documents are YAML

        if is_json(text):
            return _read_json(text, non_simple)
    try:
        return _build(_events_as_written(text), non_simple)
    except MarkedYAMLError as error:
        return _read_masked(text, non_simple, error)


def _read_json(text: str, non_simple: list[Mapping]) -> tuple[Node | None, bool]:
    """Build a document that is JSON: libyaml rejects a part of what JSON allows."""
    try:
        return _build(_events_as_written(text), non_simple, json=True)
    except MarkedYAMLError:
        from crdlint.yaml.json_events import events

        non_simple.clear()
        return _build(events(text), non_simple, json=True)


def _events_as_written(text: str) -> Iterator[Any]:
    """Return libyaml's events of a text that may have byte order marks inside."""
    if text.find(_BOM, 1) < 0:
        return _events(text)
    from crdlint.yaml.masking import without_marks

    return _restored(without_marks(text))


def _read_masked(
    text: str, non_simple: list[Mapping], problem: MarkedYAMLError
) -> tuple[Node | None, bool]:
    """Build a document that libyaml rejects because of `problem`, with what only Go accepts masked; raise what stays."""
    from crdlint.yaml.masking import masked, without_marks

    mask: Mask | None = without_marks(text) if text.find(_BOM, 1) >= 0 else None
    for _ in range(_ATTEMPTS - 1):
        mask = masked(text if mask is None else mask, problem)
        if mask is None:
            break
        non_simple.clear()
        try:
            return _build(_restored(mask), non_simple)
        except MarkedYAMLError as error:
            problem = error
    raise problem


def _restored(mask: Mask) -> Iterator[Any]:
    """Yield the events of a masked text with the values of the original one."""
    for event in _events(mask.text):
        if event.__class__ is Scalar and mask.restore(event.value) != event.value:
            restored = copy(event)  # the reader may keep its events
            restored.value = mask.restore(event.value)
            yield restored
        else:
            yield event


def _build(
    events: Iterator[Any], non_simple: list[Mapping], *, json: bool = False
) -> tuple[Node | None, bool]:
    """Return the root of the first document and whether it has aliases; add mappings that are not simple to `non_simple`.

    `json` is set for a document that is JSON.
    """
    builder = _TreeBuilder(non_simple, json=json)
    return builder.build(events), builder.has_aliases


class _TreeBuilder:
    """Builds the tree of a document from its events."""

    def __init__(self, non_simple: list[Mapping], *, json: bool) -> None:
        self.has_aliases = False
        self._json = json
        self._non_simple = non_simple

        self._anchors: dict[str, Any] = {}
        self._open_anchored: set[int] = set()
        self._loop: YAMLDecodeError | None = None
        self._top: list[Any] = []
        # The collections that are open, and the items of the innermost one.
        self._open: list[Any] = []
        self._items = self._top

    def build(self, events: Iterator[Any]) -> Node | None:
        """Return the root of the first document, None if it is empty; raise YAMLDecodeError."""
        steps = {
            MappingStartEvent: self._start,
            SequenceStartEvent: self._start,
            MappingEndEvent: self._end,
            SequenceEndEvent: self._end,
            AliasEvent: self._alias,
            DocumentStartEvent: _check_version,
            DocumentEndEvent: None,
        }
        texts: dict[str, str] = {}
        for event in events:
            if event.__class__ is not Scalar:
                step = steps.get(event.__class__, _skip)
                if step is None:
                    break
                step(event)
                continue
            self._items.append(event)
            event.implicit = None  # `style` and `tag` have the same meaning
            value = event.value
            if len(value) < _LONG:  # texts occur again and again, so each is kept once
                event.value = texts.setdefault(value, value)
            if event.anchor is not None:
                self._anchors[event.anchor] = event
        if self._loop is not None:  # Go reports it after parsing the whole document
            raise self._loop
        return self._top[0] if self._top else None

    def _start(self, event: Any) -> None:
        node: Any
        if event.__class__ is SequenceStartEvent:
            node = Sequence(event)
        else:
            node = Mapping(event)
            if self._json:
                node.json = True
        self._items.append(node)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
            self._open_anchored.add(id(node))
        self._open.append(node)
        if len(self._open) > MAX_DEPTH:
            raise YAMLDecodeError(f"yaml: exceeded max depth of {MAX_DEPTH}", node)
        self._items = node.items

    def _end(self, event: Any) -> None:
        node = self._open.pop()
        node.end_mark = event.end_mark
        self._open_anchored.discard(id(node))
        if event.__class__ is MappingEndEvent:
            _name(node, self._non_simple)
        self._items = self._open[-1].items if self._open else self._top

    def _alias(self, event: Any) -> None:
        self.has_aliases = True
        target = self._anchors.get(event.anchor)
        if target is None:
            raise YAMLDecodeError(f"yaml: unknown anchor '{event.anchor}' referenced", event)
        self._items.append(target)
        contains_itself = id(target) in self._open_anchored
        if contains_itself and self._loop is None:
            message = f"yaml: anchor '{event.anchor}' value contains itself"
            self._loop = YAMLDecodeError(message, event)


def _skip(event: Any) -> None:
    """Ignore an event without a meaning for the tree: the start and the end of the stream."""


_LONG: Final = 32  # characters


def _check_version(event: Any) -> None:
    if event.version not in _VERSIONS:
        raise ParserError(problem="found incompatible YAML document", problem_mark=event.start_mark)


_VERSIONS: Final = (None, (1, 1))


def _name(mapping: Mapping, non_simple: list[Mapping]) -> None:
    """Set the names of a mapping, or add it to `non_simple` if it is not simple."""
    mapping.names = _names_of(mapping.items)
    if mapping.names is None:
        non_simple.append(mapping)


def _names_of(items: list[Any]) -> tuple[str, ...] | None:
    """Return the texts of the keys of a mapping, or None if it is not simple (see `Mapping`)."""
    keys = items[::2]
    try:
        names = tuple([key.value for key in keys if key.ctag is None])  # not `tag`, a property
    except AttributeError:
        return None
    has_tags = len(names) != len(keys)
    if has_tags:
        return None
    cached = _known_names.get(names)
    if cached is not None:
        return cached
    different = set(names)
    if len(different) != len(keys):
        return None
    if not _are_texts(names, different):
        return names if all(map(_is_text, keys)) else None
    _remember(names)
    return names


def _are_texts(names: tuple[str, ...], different: set[str]) -> bool:
    """Return whether each name is the text of a string, even if it is not in quotes."""
    if not names:
        return True
    return min(names) > _LAST_OF_NUMBERS and different.isdisjoint(_OTHER_MEANING)


def _is_text(key: Any) -> bool:
    """Return whether a key without a tag is a string, and no merge key."""
    return bool(key.style) or (key.value != "<<" and is_plain_string(key.value))


def _remember(names: tuple[str, ...]) -> None:
    if len(names) <= _MOST_NAMES:
        if len(_known_names) >= _MOST_KNOWN:
            _known_names.clear()
        _known_names[names] = names


# The same sets of keys occur again and again, so their texts are stored once.
_known_names: Final[dict[tuple[str, ...], tuple[str, ...]]] = {}
_MOST_KNOWN: Final = 4096
_MOST_NAMES: Final = 16
# Names whose first character is greater than this one cannot be numbers.
_LAST_OF_NUMBERS: Final = ":"
_OTHER_MEANING: Final = frozenset({*WORDS, "<<"})


def expands_too_much(text: str) -> bool:
    """Return whether a document of a text is rejected because its aliases expand too much."""
    if "&" not in text or "*" not in text:
        return False
    errors = (document.error for document in parse_stream(text))
    return any(error is not None and error.message == f"yaml: {_EXCESSIVE}" for error in errors)


_EXCESSIVE: Final = "document contains excessive aliasing"
# goyaml.v2's limits for the expansion of aliases.
_LOW: Final = 400_000
_HIGH: Final = 4_000_000


def _check_aliases(root: Node | None) -> None:
    """Reject a document whose aliases expand too much, by go-yaml's count of decoded nodes."""
    decoded = aliased = 0
    # A node that was visited before was reached by an alias; all its descendants count as such.
    seen: set[int] = set()
    pending: list[tuple[Any, bool]] = [(root, False)]
    while pending:
        node, within = pending.pop()
        again = id(node) in seen
        seen.add(id(node))
        if again and not within:
            decoded += 1  # the alias itself
        within = within or again
        decoded += 1
        aliased += within
        if _is_excessive(decoded, aliased):
            raise YAMLDecodeError(f"yaml: {_EXCESSIVE}", node)
        if isinstance(node, Collection):
            pending.extend((child, within) for child in reversed(node.items))


def _is_excessive(decoded: int, aliased: int) -> bool:
    """Return whether too many of the decoded nodes are of aliases. Upstream: goyaml.v2 allowedAliasRatio."""
    if aliased <= 100 or decoded <= 1000:
        return False
    excess = max(decoded - _LOW, 0) / (_HIGH - _LOW)
    return aliased / decoded > max(0.99 - 0.89 * excess, 0.10)
