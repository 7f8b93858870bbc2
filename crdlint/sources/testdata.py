"""Files for unit tests, which are often invalid on purpose."""

from __future__ import annotations

from dataclasses import replace

from crdlint.diagnostics import Diagnostic
from crdlint.linting.result import FileResult
from crdlint.sources.outdated_copies import is_outdated


def as_test_data(result: FileResult) -> FileResult:
    """Return the result of a file for unit tests: its warnings, and the API versions that Kubernetes has removed, are infos."""
    return replace(result, diagnostics=tuple(map(_of_unit_test, result.diagnostics)))


def _of_unit_test(finding: Diagnostic) -> Diagnostic:
    is_minor = finding.severity == "warning" or is_outdated(finding)
    return replace(finding, severity="info") if is_minor else finding
