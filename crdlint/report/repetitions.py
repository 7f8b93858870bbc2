"""Findings that are equal in several files: text describes the first, and names the places of the others at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from crdlint.diagnostics import Diagnostic
from crdlint.report import words

_NAMED: Final = 5  # places of a warning


class Repetitions:
    """The findings of the files so far, by their sentences."""

    def __init__(self) -> None:
        self._first: Final[dict[object, Diagnostic]] = {}
        self._others: Final[dict[object, list[str]]] = {}

    def without(self, findings: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Return the findings of a file that no earlier file has, and keep the places of the others."""
        new = []
        for finding in findings:
            if finding.crd is None:  # about a whole file or document
                new.append(finding)
                continue
            sentences = _sentences(finding)
            first = self._first.setdefault(sentences, finding)
            if first.file == finding.file:
                new.append(finding)
            else:
                line = f"{finding.file}:{finding.line}"
                self._others.setdefault(sentences, []).append(line)
        return new

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield the severity and a line about the places of each finding that several files have."""
        for sentences, others in self._others.items():
            first = self._first[sentences]
            named = others if first.severity == "error" else others[:_NAMED]
            left = len(others) - len(named)
            more = f" and {left:,} more: --show-all shows each" if left else ""
            start = f"{words.headline(first)} ({first.file}:{first.line})"
            yield first.severity, f"{start}, also in {', '.join(named)}{more}"


def _sentences(finding: Diagnostic) -> object:
    return finding.rule, finding.severity, finding.headline, finding.message, finding.help
