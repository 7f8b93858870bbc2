"""The JSON object of a run, as docs/json-output.md describes it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from crdlint.__about__ import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.linter import FileResult
    from crdlint.report.summary import Summary

# Raised when a field goes or changes its meaning; new fields may come without.
FORMAT_VERSION: Final = 1


def render(
    results: Iterable[FileResult], problems: Iterable[tuple[str, str]], summary: Summary, *, hidden: bool
) -> str:
    """Return the whole object as text."""
    results = list(results)
    document: dict[str, Any] = {
        "version": FORMAT_VERSION,
        "crdlint": __version__,
        "files": [
            {
                "file": result.file,
                "documents": result.documents,
                "skipped": result.skipped,
                "crds": [asdict(crd) for crd in result.crds],
            }
            for result in results
        ],
        "unreadable": [{"file": file, "reason": reason} for file, reason in problems],
        "diagnostics": [asdict(d) for result in results for d in result.diagnostics if hidden or not d.hidden],
        "summary": asdict(summary),
    }
    return json.dumps(document, indent=2, ensure_ascii=True)
