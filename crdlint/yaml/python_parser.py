"""ruamel's parser in Python, with libyaml's rules for tabs and libyaml's texts, for platforms without libyaml."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.scanner import Scanner


def events(text: str) -> Iterator[Any]:
    """Yield the events of a text; raise MarkedYAMLError."""
    parser = YAML(typ="safe", pure=True)
    parser.Scanner = _Scanner
    try:
        yield from parser.parse(text)
    except MarkedYAMLError as error:
        error.problem = _libyaml_text(error)
        raise


def _libyaml_text(error: MarkedYAMLError) -> str | None:
    """Return libyaml's text of an error, ruamel's if it has no other."""
    with_context = f"{error.context}: {error.problem}"
    for part, text in _LIBYAML_TEXTS.items():
        if part in with_context:
            return text
    problem: str | None = error.problem
    return problem


class _Scanner(Scanner):
    """A scanner that lets tabs separate tokens where libyaml does (yaml_parser_scan_to_next_token)."""

    def scan_to_next_token(self) -> None:
        """Skip blanks, comments and line breaks."""
        peek, forward = self.reader.peek, self.reader.forward
        if self.reader.index == 0 and peek() == "\ufeff":
            forward()
        while True:
            may_skip_tabs = self.flow_level > 0 or not self.allow_simple_key
            blanks = " \t" if may_skip_tabs else " "
            while peek() in blanks:
                forward()
            if peek() == "#":
                while peek() not in _LINE_ENDS:
                    forward()
            if not self.scan_line_break():
                return
            if not self.flow_level:
                self.allow_simple_key = True

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


_LINE_ENDS: Final = "\0\r\n\x85\u2028\u2029"
# Parts of ruamel's texts, after the context where that decides, and libyaml's texts.
_LIBYAML_TEXTS: Final = {
    "while parsing a block collection: expected <block end>": "did not find expected '-' indicator",
    "while parsing a block mapping: expected <block end>": "did not find expected key",
    "while parsing a flow sequence: expected": "did not find expected ',' or ']'",
    "while parsing a flow mapping: expected": "did not find expected ',' or '}'",
    "expected the node content": "did not find expected node content",
    "expected '<document start>'": "did not find expected <document start>",
    "that cannot start any token": "found character that cannot start any token",
    "mapping values are not allowed here": "mapping values are not allowed in this context",
    "mapping keys are not allowed here": "mapping keys are not allowed in this context",
    "sequence entries are not allowed here": "block sequence entries are not allowed in this context",
    "expected a comment or a line break": "did not find expected comment or line break",
    "expected chomping or indentation indicators": "did not find expected comment or line break",
    "while scanning a directive: expected alphabetic or numeric": "could not find expected directive name",
    "while scanning an anchor: expected alphabetic or numeric": "did not find expected alphabetic or numeric character",
    "while scanning an alias: expected alphabetic or numeric": "did not find expected alphabetic or numeric character",
}
