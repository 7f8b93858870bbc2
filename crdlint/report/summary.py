"""The figures of a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crdlint.linting.result import FileResult


@dataclass(slots=True)
class Summary:
    """Counts of a run; hidden findings do not count. ``unreadable`` inputs are no files checked.

    ``fixable_advice`` counts unsafe fixes of what the API server accepts, ``fixable_unsafe`` other unsafe ones.
    ``below_minimum`` is the number of findings that are not reported because of their severity, ``repeated`` that of
    findings about copies of CRDs, in ``copies`` files, which are reported in the first file.
    """

    files: int = 0
    documents: int = 0
    crds: int = 0
    skipped: int = 0
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    below_minimum: int = 0
    repeated: int = 0
    copies: int = 0
    unreadable: int = 0
    seconds: float = 0.0
    fixable: int = 0
    fixable_unsafe: int = 0
    fixable_advice: int = 0

    def add(self, result: FileResult) -> None:
        """Count in a file's results."""
        self.documents += result.documents
        self.crds += len(result.crds)
        self.skipped += result.skipped
        for diagnostic in result.diagnostics:
            if not diagnostic.hidden:
                self.errors += diagnostic.severity == "error" and diagnostic.errors > 0
                self.warnings += diagnostic.severity == "warning"
                self.infos += diagnostic.severity == "info"
                if diagnostic.fix is not None:
                    is_safe = diagnostic.fix.applicability == "safe"
                    self.fixable += is_safe
                    self.fixable_unsafe += not is_safe and not diagnostic.is_advice
                    self.fixable_advice += not is_safe and diagnostic.is_advice


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, such as `1 file` or `2 files`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
