"""CRDs of a removed API version beside the same CRDs of a current one, as repositories keep them for old clusters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Final, Generic, TypeVar

from crdlint.diagnostics import REMOVED_VERSION, Diagnostic, Related
from crdlint.light import dataclass, replace
from crdlint.linting.result import FileResult

_Config = TypeVar("_Config")
_LABEL: Final = "the CRD of `apiextensions.k8s.io/v1`"


def is_outdated(finding: Diagnostic) -> bool:
    """Return whether a CRD has an API version that Kubernetes has removed."""
    return finding.rule == REMOVED_VERSION


@dataclass(slots=True)
class OutdatedCopies(Generic[_Config]):
    """The results with CRDs of a removed API version, with their configurations, and the places of the current CRDs."""

    _waiting: list[tuple[FileResult, _Config]] = field(default_factory=list)
    _current: dict[str, Related] = field(default_factory=dict)

    def holds(self, result: FileResult, config: _Config) -> bool:
        """Return whether a result has to wait for those of the other files; keep it, and the names of its CRDs."""
        outdated = {each.crd for each in result.diagnostics if is_outdated(each)}
        for crd in result.crds:
            if crd.name not in outdated:
                self._current.setdefault(crd.name, Related(_LABEL, result.file, crd.line, 1))
        if outdated:
            self._waiting.append((result, config))
        return bool(outdated)

    def results(self) -> Iterator[tuple[FileResult, _Config]]:
        """Yield the results that wait. What is wrong with a CRD that another file has for current servers is an info."""
        for result, config in self._waiting:
            findings = tuple(map(self._lowered, result.diagnostics))
            yield replace(result, diagnostics=findings), config

    def _lowered(self, finding: Diagnostic) -> Diagnostic:
        current = self._current.get(finding.crd or "")
        if current is None or not is_outdated(finding):
            return finding
        return replace(finding, severity="info", related=current)
