"""GitLab's Code Quality report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.report import words
from crdlint.report.escapes import json_text, printable, printable_line
from crdlint.report.pieces import shown
from crdlint.report.uris import fingerprints, relative

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome, View

_SEVERITIES: Final = {"error": "major", "warning": "minor", "info": "info"}


class Report:
    """The array of findings, each in a line."""

    def __init__(self, view: View) -> None:
        self._hidden = view.hidden
        self._before = "[\n"

    def file(self, result: FileResult) -> Iterator[str]:
        """Return the findings of a file."""
        return self._issues(shown(result, hidden=self._hidden))

    def _issues(self, findings: Iterable[Diagnostic]) -> Iterator[str]:
        for finding, fingerprint in fingerprints(findings):
            issue = {
                "description": printable_line(words.headline(finding)),
                "content": {"body": printable(words.text(finding))},
                "check_name": finding.rule,
                "fingerprint": fingerprint,
                "severity": _SEVERITIES[finding.severity],
                "location": {
                    "path": printable_line(relative(finding.file)),
                    "lines": {"begin": finding.line, "end": finding.end_line},
                },
            }
            yield f"{self._before}{json_text(issue)}"
            self._before = ",\n"

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the inputs that could not be read, and the end of the array."""
        yield from self._issues(outcome.unreadable())
        yield "[]\n" if self._before == "[\n" else "\n]\n"
