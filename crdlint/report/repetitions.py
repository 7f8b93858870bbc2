"""Findings that are equal in several files: text describes the first, and names the places of the others at the end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from crdlint.diagnostics import Diagnostic
from crdlint.report import words

_NAMED: Final = {"error": 10, "warning": 5, "info": 5}  # places of a finding, by its severity


class Repetitions:
    """The findings of the files so far, by their sentences."""

    def __init__(self) -> None:
        self._first: Final[dict[object, Diagnostic]] = {}
        self._others: Final[dict[object, list[Diagnostic]]] = {}

    def without(self, findings: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Return the findings of a file that no earlier file has, and keep the places of the others.

        What only follows from other findings is returned if there is one of these.
        """
        new = []
        for finding in findings:
            sentences = (
                words.mistake_of_file(finding) if finding.crd is None else words.mistake_of(finding)
            )
            if sentences is None:
                new.append(finding)
                continue
            first = self._first.setdefault(sentences, finding)
            if first.file == finding.file:
                new.append(finding)
            elif finding.errors:
                self._others.setdefault(sentences, []).append(finding)
        return new if any(finding.errors for finding in new) else []

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield the severity and a line about the places of the findings of each rule that the same files have."""
        groups: dict[object, list[object]] = {}
        for sentences, others in self._others.items():
            first = self._first[sentences]
            files = first.file, *(other.file for other in others)
            groups.setdefault((first.rule, first.severity, files), []).append(sentences)
        for alike in groups.values():
            first, others = self._first[alike[0]], self._others[alike[0]]
            named = others[: _NAMED[first.severity]]
            left = len(others) - len(named)
            more = f" and {left:,} more: --show-all shows each" if left else ""
            like_it = f" and {len(alike) - 1:,} more of this rule" if len(alike) > 1 else ""
            start = f"{words.headline(first)} ({_position(first)}){like_it}"
            headlines = set(map(words.headline, (first, *others)))
            is_other = bool(first.cause) and len(headlines) > 1
            also = "; the same cause in" if is_other else ", also in"
            yield first.severity, f"{start}{also} {', '.join(map(_position, named))}{more}"


def _position(finding: Diagnostic) -> str:
    return f"{finding.file}:{finding.line}"
