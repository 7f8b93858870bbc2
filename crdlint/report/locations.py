"""How other tools identify files (paths, URIs), findings (fingerprints, which do not depend on lines) and edits (ranges)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from crdlint.report.escapes import printable
from crdlint.yaml.edit import Edit, apply, line_and_column, line_starts

if TYPE_CHECKING:
    from crdlint.diagnostics.diagnostic import Diagnostic, Fix


def relative(path: str) -> str:
    """Return a path relative to the working directory where it is below that, with forward slashes."""
    file = Path(path)
    if file.is_absolute():
        with suppress(ValueError):
            file = file.relative_to(Path.cwd())
    return file.as_posix()


def uri(path: str) -> str:
    """Return a path as a URI reference."""
    text = relative(path)
    return ("file://" if text.startswith("/") else "") + quote(text, safe="/~!$&'()*+,;=@", errors="surrogateescape")


def fingerprints(diagnostics: Iterable[Diagnostic]) -> Iterator[tuple[Diagnostic, str]]:
    """Yield each finding of a file with a fingerprint, a hash of file, CRD, rule, path and detail.

    Equal ones are numbered.
    """
    seen: Counter[str] = Counter()
    for finding in diagnostics:
        identity = "\0".join((relative(finding.file), finding.crd or "", finding.rule, finding.field, finding.detail))
        seen[identity] += 1
        yield finding, hashlib.sha256(f"{identity}\0{seen[identity]}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class EditRange:
    """A replacement of characters: 1-based lines and columns, ``end_column`` just past the last character."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def is_printable(fix: Fix) -> bool:
    """Return whether no edit of a fix has characters that control a terminal or reorder text."""
    texts = (edit.text.replace("\r\n", "\n") for edit in fix.edits)
    return all(printable(text) == text for text in texts)


class TextPositions:
    """Finds the lines and columns of edits in the text of a file; the lines are counted with the first edit."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] = []

    def ranges(self, fix: Fix) -> list[EditRange]:
        """Return the edits of a fix, in order."""
        return [self._range(edit) for edit in fix.edits]

    def combined(self, fix: Fix) -> EditRange:
        """Return the edits of a fix as one, with columns in bytes of UTF-8."""
        start, end = fix.edits[0].start, max(edit.end for edit in fix.edits)
        text = apply(self._text[start:end], [edit.moved(-start) for edit in fix.edits])
        replaced = self._range(Edit(start, end, text))
        return EditRange(replaced.line, self.byte_column(start), replaced.end_line, self.byte_column(end), text)

    def byte_column(self, index: int) -> int:
        """Return the 1-based column of a character in bytes of UTF-8."""
        line, _ = line_and_column(self._line_starts(), index)
        return len(self._text[self._starts[line] : index].encode("utf-8", "surrogatepass")) + 1

    def index(self, line: int, column: int) -> int:
        """Return the index of a character, given its 1-based line and column."""
        starts = self._line_starts()
        return min(starts[min(line, len(starts)) - 1] + column - 1, len(self._text))

    def _range(self, edit: Edit) -> EditRange:
        starts = self._line_starts()
        line, column = line_and_column(starts, edit.start)
        end_line, end_column = line_and_column(starts, edit.end)
        return EditRange(line + 1, column + 1, end_line + 1, end_column + 1, edit.text)

    def _line_starts(self) -> list[int]:
        if not self._starts:
            self._starts = line_starts(self._text)
        return self._starts
