"""Checkstyle's XML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.escapes import XML_HEAD, xml_attribute
from crdlint.report.pieces import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome


class Report:
    """The whole document: an element for each file."""

    def __init__(self, *, hidden: bool) -> None:
        self._hidden = hidden
        self._head = f'{XML_HEAD}\n<checkstyle version="4.3">\n'

    def file(self, result: FileResult) -> Iterator[str]:
        """Yield the element of a file."""
        yield from self._begin()
        yield f"  <file name={xml_attribute(result.file)}>\n"
        for one in shown(result, hidden=self._hidden):
            text = one.message + (f"\nhelp: {one.help}" if one.help else "")
            yield (
                f'    <error line="{one.line}" column="{one.column}" severity="{one.severity}"'
                f" message={xml_attribute(text)} source={xml_attribute(f'crdlint.{one.rule}')}/>\n"
            )
        yield "  </file>\n"

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the elements of inputs that could not be read, and the end."""
        yield from self._begin()
        for file, reason in outcome.problems:
            yield f"  <file name={xml_attribute(file)}>\n"
            yield f'    <error line="1" severity="error" message={xml_attribute(reason)} source="crdlint.unreadable"/>\n'
            yield "  </file>\n"
        yield "</checkstyle>\n"

    def _begin(self) -> Iterator[str]:
        yield self._head
        self._head = ""
