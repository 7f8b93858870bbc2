"""Findings that are equal in several files: text describes the first, and names the places of the others at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from crdlint.diagnostics import Diagnostic
from crdlint.light import NamedTuple
from crdlint.report import words

_NAMED: Final = 5  # places of a warning


class _Repeated(NamedTuple):
    """The first of some equal findings, and the places of those in other files."""

    first: Diagnostic
    places: list[str]


class Repetitions:
    """The findings of the files so far, by what they say."""

    def __init__(self) -> None:
        self._by_sentences: dict[object, _Repeated] = {}

    def without(self, findings: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Return the findings of a file that no earlier file has, and keep the places of the others."""
        new = []
        for finding in findings:
            if finding.crd is None:  # about a whole file or document
                new.append(finding)
                continue
            repeated = self._by_sentences.setdefault(_sentences(finding), _Repeated(finding, []))
            if repeated.first.file == finding.file:
                new.append(finding)
            else:
                repeated.places.append(f"{finding.file}:{finding.line}")
        return new

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield the severity and a line about the places of each finding that several files have."""
        for first, places in self._by_sentences.values():
            if not places:
                continue
            named = places if first.severity == "error" else places[:_NAMED]
            left = len(places) - len(named)
            more = f" and {left:,} more: --show-all shows each" if left else ""
            start = f"{words.headline(first)} ({first.file}:{first.line})"
            yield first.severity, f"{start}, also in {', '.join(named)}{more}"


def _sentences(finding: Diagnostic) -> object:
    return finding.rule, finding.severity, finding.headline, finding.message, finding.help
