"""The JSON object of a run, as docs/json-output.md describes it."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from crdlint.__about__ import __version__
from crdlint.report.escapes import json_text

if TYPE_CHECKING:
    from crdlint.report.checked import Checked

# Raised when a field goes or changes its meaning; new fields may come without.
FORMAT_VERSION: Final = 1


def render(checked: Checked) -> str:
    """Return the whole object as text."""
    document: dict[str, Any] = {
        "version": FORMAT_VERSION,
        "crdlint": __version__,
        "files": [
            {
                "file": result.file,
                "documents": result.documents,
                "skipped": result.skipped,
                "crds": [asdict(crd) for crd in result.crds],
                "notices": list(result.notices),
            }
            for result in checked.results
        ],
        "unreadable": [{"file": file, "reason": reason} for file, reason in checked.problems],
        "diagnostics": [asdict(one) for one in checked.diagnostics()],
        "summary": asdict(checked.summary),
    }
    return json_text(document, 2) + "\n"
