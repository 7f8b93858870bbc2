"""ruamel's parser in Python as a machine: it returns an event at a time, and its state can be kept and restored.

It has libyaml's rules for tabs, and reads runs of characters at once where ruamel's reads one after the other.
"""

from __future__ import annotations

import re
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import StreamMark
from ruamel.yaml.parser import Parser
from ruamel.yaml.reader import Reader
from ruamel.yaml.scanner import Scanner

from crdlint.light import NamedTuple, regex


class Position(NamedTuple):
    """A place in a text: the number of characters and lines before it, and of characters in its line."""

    offset: int
    line: int
    column: int


class State(NamedTuple):
    """A state of the parser between two events, at which no token is pending and no collection in flow style is open.

    `step` and `steps` are the names of the functions that parse what follows, `marks` where the open collections begin.
    """

    position: Position
    indent: int
    indents: tuple[int, ...]
    may_be_key: bool
    step: str
    steps: tuple[str, ...]
    marks: tuple[Any, ...]

    def is_like(self, other: State) -> bool:
        """Return whether the same text behind two states has the same events."""
        return self.position.column == other.position.column and self[1:-1] == other[1:-1]


class Reading:
    """The reading of a text without directives."""

    def __init__(self, text: str) -> None:
        loader = loader_of(text)
        self._reader: Any = loader.reader
        self._scanner: Any = loader.scanner
        self._parser: Any = loader.parser

    def next_event(self) -> Any:
        """Return the next event, None behind the last one; raise MarkedYAMLError."""
        return self._parser.get_event()

    @property
    def is_calm(self) -> bool:
        """Whether there is a `State` to keep."""
        scanner = self._scanner
        is_pending = scanner.tokens or scanner.possible_simple_keys or scanner.done
        return not is_pending and not scanner.flow_context and bool(self._parser.state)

    def state(self) -> State:
        """Return the state, if the parser is calm."""
        reader, scanner, parser = self._reader, self._scanner, self._parser
        return State(
            Position(reader.index, reader.line, reader.column),
            scanner.indent,
            tuple(scanner.indents),
            scanner.allow_simple_key,
            parser.state.__name__,
            tuple(step.__name__ for step in parser.states),
            tuple(parser.marks),
        )

    def restore(self, state: State) -> None:
        """Continue at a state of a reading of a text that is the same from there on."""
        reader, scanner, parser = self._reader, self._scanner, self._parser
        reader.index, reader.line, reader.column = state.position
        reader.pointer = state.position.offset
        scanner.indent = state.indent
        scanner.indents = list(state.indents)
        scanner.allow_simple_key = state.may_be_key
        scanner.tokens = []
        scanner.possible_simple_keys = {}
        parser.state = getattr(parser, state.step)
        parser.states = [getattr(parser, step) for step in state.steps]
        parser.marks = list(state.marks)
        parser.tag_handles = dict(parser.DEFAULT_TAGS)


def loader_of(text: str) -> YAML:
    """Return ruamel's loader with its parts for a text; raise YAMLError for characters that are no text."""
    loader = YAML(typ="safe", pure=True)
    loader.Reader, loader.Scanner, loader.Parser = _Reader, _Scanner, _Parser
    loader.reader.stream = text
    return loader


class _Reader(Reader):
    """A reader that takes several characters at once; its marks do not keep the text."""

    def forward(self, length: int = 1) -> None:
        """Take characters."""
        part = self.buffer[self.pointer : self.pointer + length]
        if len(part) < length or not _IN_LINE.fullmatch(part):
            super().forward(length)
            return
        self.pointer += length
        self.index += length
        self.column += length

    def get_mark(self) -> StreamMark:
        """Return the place of the next character."""
        return StreamMark(None, self.index, self.line, self.column)


_IN_LINE: Final = regex("[^\\r\\n\ufeff]*")


class _Parser(Parser):
    scanner: Any = None  # a property of the class, which is asked for all tokens

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        self.scanner = loader.scanner


class _Scanner(Scanner):
    """A scanner that lets tabs separate tokens where libyaml does (yaml_parser_scan_to_next_token)."""

    reader: Any = None  # a property of the class, which is asked for all characters

    def __init__(self, loader: Any) -> None:
        self.reader = loader.reader
        super().__init__(loader)

    def scan_to_next_token(self) -> None:
        """Skip blanks, comments and line breaks."""
        peek = self.reader.peek
        if self.reader.index == 0 and peek() == "\ufeff":
            self.reader.forward()
        while True:
            may_skip_tabs = self.flow_level > 0 or not self.allow_simple_key
            blanks = _BLANKS if may_skip_tabs else _SPACES
            self._skip(blanks)
            if peek() == "#":
                self._skip(_COMMENT)
            if not self.scan_line_break():
                return
            if not self.flow_level:
                self.allow_simple_key = True

    def _skip(self, pattern: re.Pattern[str]) -> None:
        """Skip what a pattern matches, which may be nothing."""
        reader = self.reader
        match = pattern.match(reader.buffer, reader.pointer)
        if match is not None and match.end() > reader.pointer:
            reader.forward(match.end() - reader.pointer)

    def scan_plain_spaces(self, indent: Any, start_mark: Any) -> Any:
        """Return the blanks and line breaks within a plain scalar; tabs are blanks."""
        reader, peek = self.reader, self.reader.peek

        def peek_blank(index: int = 0) -> str:
            char: str = peek(index)
            return " " if char == "\t" else char

        reader.peek = peek_blank
        try:
            return super().scan_plain_spaces(indent, start_mark)
        finally:
            del reader.peek


_SPACES: Final = regex(" *")
_BLANKS: Final = regex("[ \\t]*")
_COMMENT: Final = regex("[^\\0\\r\\n\\x85\\u2028\\u2029]*")
