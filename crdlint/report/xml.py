"""XML written piece by piece, indented, with the standard library's writer."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING
from xml.sax.saxutils import XMLGenerator

from crdlint.report.escapes import xml_text

if TYPE_CHECKING:
    from collections.abc import Mapping


class XML:
    """A document, or the part of one that is ``depth`` elements deep; `take` returns the text written so far."""

    def __init__(self, depth: int = 0) -> None:
        self._text = StringIO()
        self._writer = XMLGenerator(self._text, "UTF-8", short_empty_elements=True)
        self._depth = depth
        if not depth:
            self._writer.startDocument()

    def open(self, name: str, attributes: Mapping[str, object]) -> None:
        """Write the start of an element that contains others."""
        self._start(name, attributes)
        self._writer.ignorableWhitespace("\n")
        self._depth += 1

    def close(self, name: str) -> None:
        """Write the end of an element that contains others."""
        self._depth -= 1
        self._indent()
        self._end(name)

    def element(self, name: str, attributes: Mapping[str, object], text: str = "") -> None:
        """Write an element that contains text or nothing."""
        self._start(name, attributes)
        if text:
            self._writer.characters(xml_text(text))
        self._end(name)

    def take(self) -> str:
        """Return what was written since the last call."""
        text = self._text.getvalue()
        self._text.seek(0)
        self._text.truncate()
        return text

    def _start(self, name: str, attributes: Mapping[str, object]) -> None:
        self._indent()
        self._writer.startElement(name, {key: xml_text(str(value)) for key, value in attributes.items()})  # type: ignore[arg-type]

    def _end(self, name: str) -> None:
        self._writer.endElement(name)
        self._writer.ignorableWhitespace("\n")

    def _indent(self) -> None:
        self._writer.ignorableWhitespace("  " * self._depth)
