"""Files whose folders show that some findings are meant.

They are those for unit tests, CRDs for old clusters, CRDs of others, and packages of Crossplane.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice
from typing import Final

from crdlint.crd.errors import REQUIRED
from crdlint.diagnostics import Diagnostic
from crdlint.files.folders import is_for_old_clusters, is_test_data
from crdlint.files.read import text_if_readable, with_parents
from crdlint.light import replace
from crdlint.linting.result import FileResult
from crdlint.sources.outdated_copies import is_outdated
from crdlint.sources.own_groups import is_of_other_project

# The groups of Kubernetes itself, such as gateway.networking.k8s.io, and the folder where its projects generate their CRDs.
_OF_KUBERNETES: Final = (".k8s.io", ".kubernetes.io")
_OF_PROJECTS: Final = ".x-k8s.io"
_GENERATED: Final = os.path.join("config", "crd")


def lowered(result: FileResult, named: Sequence[str]) -> FileResult:
    """Return a result whose findings that are meant are infos; `named` are the paths of the command line.

    These are the API versions that Kubernetes has removed, in files for old clusters and for unit tests, all warnings of the
    latter and errors of their charts, advice about copies of CRDs of Kubernetes and other projects, which only these can
    change, and what Crossplane adds to the CRDs of a package.
    """
    of_tests = is_test_data(result.file, named)
    is_copy = _GENERATED not in result.file

    def is_lowered(finding: Diagnostic) -> bool:
        is_of_copy = (
            is_copy and _is_advice(finding) and _is_of_others(finding.crd or "", result.file)
        )
        is_meant = _is_of_test(finding) if of_tests else is_of_copy
        is_meant = is_meant or (_is_about_service(finding) and is_in_package(result.file))
        if is_meant or not is_outdated(finding):
            return is_meant
        return of_tests or is_for_old_clusters(result.file, named)

    lowered_ones = {id(each) for each in result.diagnostics if is_lowered(each)}
    if not lowered_ones:
        return result
    findings = (
        replace(finding, severity="info") if id(finding) in lowered_ones else finding
        for finding in result.diagnostics
    )
    return replace(result, diagnostics=tuple(findings))


def _is_about_service(finding: Diagnostic) -> bool:
    """Return whether a finding is that the webhook of a conversion, or a field of its service, is missing."""
    return finding.error_type == REQUIRED and finding.field.startswith("spec.conversion.webhook")


def is_in_package(path: str) -> bool:
    """Return whether a file belongs to a package of Crossplane, which sets the webhook of conversions when it installs CRDs.

    Source: crossplane/crossplane internal/controller/pkg/revision/establisher.go
    """
    folders = with_parents(os.path.dirname(os.path.abspath(path)))
    return any(map(_is_package, islice(folders, _DEEPEST)))


_DEEPEST: Final = 4  # folders of a package in which its CRDs are


def _is_package(folder: str) -> bool:
    text = text_if_readable(os.path.join(folder, "crossplane.yaml"))
    return text is not None and _PACKAGES in text


_PACKAGES: Final = "meta.pkg.crossplane.io/"


def _is_of_test(finding: Diagnostic) -> bool:
    """Return whether a finding in data of a unit test is a warning, or about what a chart does."""
    return finding.severity == "warning" or finding.origin == "crdlint"


def _is_advice(finding: Diagnostic) -> bool:
    """Return whether a finding is advice about the text of a CRD, which a copy should not change."""
    return finding.severity == "warning" and finding.kind == "advice" and finding.field == ""


def _is_of_others(crd: str, path: str) -> bool:
    """Return whether a CRD is one of Kubernetes, or of another project than the Go module with its file."""
    is_of_kubernetes = crd.endswith(_OF_KUBERNETES) and not crd.endswith(_OF_PROJECTS)
    return is_of_kubernetes or is_of_other_project(crd, path)
