"""GitLab's Code Quality report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.report.escapes import json_text, printable, printable_line
from crdlint.report.fingerprints import fingerprints
from crdlint.report.uris import relative

if TYPE_CHECKING:
    from crdlint.report.checked import Checked

_SEVERITIES: Final = {"error": "major", "warning": "minor", "info": "info"}


def render(checked: Checked) -> str:
    """Return the array of findings."""
    found = [
        {
            "description": printable(one.message),
            "check_name": one.rule,
            "fingerprint": print_,
            "severity": _SEVERITIES[one.severity],
            "location": {"path": printable_line(relative(one.file)), "lines": {"begin": one.line, "end": one.end_line}},
        }
        for one, print_ in fingerprints(checked.diagnostics())
    ]
    return json_text(found, 2) + "\n"
