"""Files whose folders show that some findings are meant: those for unit tests, and CRDs for old clusters."""

from __future__ import annotations

from collections.abc import Sequence

from crdlint.diagnostics import Diagnostic
from crdlint.files.folders import is_for_old_clusters, is_test_data
from crdlint.light import replace
from crdlint.linting.result import FileResult
from crdlint.sources.outdated_copies import is_outdated


def lowered(result: FileResult, named: Sequence[str]) -> FileResult:
    """Return a result whose findings that are meant are infos; `named` are the paths of the command line.

    These are the API versions that Kubernetes has removed, in files for old clusters and for unit tests, and all warnings
    of the latter.
    """
    of_tests = is_test_data(result.file, named)
    if not of_tests and not is_for_old_clusters(result.file, named):
        return result

    def lowered_one(finding: Diagnostic) -> Diagnostic:
        is_meant = is_outdated(finding) or (of_tests and finding.severity == "warning")
        return replace(finding, severity="info") if is_meant else finding

    return replace(result, diagnostics=tuple(map(lowered_one, result.diagnostics)))
