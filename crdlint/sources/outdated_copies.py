"""CRDs that repositories keep beside current ones: those of a removed API version, and those of old releases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Final, Generic, TypeVar

from crdlint.diagnostics import REMOVED_VERSION, Diagnostic, Related
from crdlint.files.folders import is_of_release
from crdlint.light import dataclass, replace
from crdlint.linting.result import FileResult

_Config = TypeVar("_Config")
_LABEL: Final = "the CRD of `apiextensions.k8s.io/v1`"


def is_outdated(finding: Diagnostic) -> bool:
    """Return whether a CRD has an API version that Kubernetes has removed."""
    return finding.rule == REMOVED_VERSION


@dataclass(slots=True)
class OutdatedCopies(Generic[_Config]):
    """The results with findings about old CRDs, with their configurations, and the places of the current CRDs.

    - `named`: the paths of the command line
    - `_current`: CRDs of the current API version, by name
    - `_maintained`: the names of those that are not in a folder of a release
    """

    named: Sequence[str] = ()
    _waiting: list[tuple[FileResult, _Config]] = field(default_factory=list)
    _current: dict[str, Related] = field(default_factory=dict)
    _maintained: set[str] = field(default_factory=set)

    def holds(self, result: FileResult, config: _Config) -> bool:
        """Return whether a result has to wait for those of the other files; keep it, and the names of its CRDs."""
        outdated = {each.crd for each in result.diagnostics if is_outdated(each)}
        is_released = is_of_release(result.file, self.named)
        for crd in result.crds:
            if crd.name not in outdated:
                self._current.setdefault(crd.name, Related(_LABEL, result.file, crd.line, 1))
            if not is_released:
                self._maintained.add(crd.name)
        waits = bool(outdated) or (is_released and any(map(_is_warning, result.diagnostics)))
        if waits:
            self._waiting.append((result, config))
        return waits

    def results(self) -> Iterator[tuple[FileResult, _Config]]:
        """Yield the results that wait. What is wrong with an old CRD that another file has for current servers is an info."""
        for result, config in self._waiting:
            is_released = is_of_release(result.file, self.named)
            findings = tuple(
                self._lowered(each, is_released=is_released) for each in result.diagnostics
            )
            yield replace(result, diagnostics=findings), config

    def _lowered(self, finding: Diagnostic, *, is_released: bool) -> Diagnostic:
        name = finding.crd or ""
        if is_released and _is_warning(finding) and name in self._maintained:
            return replace(finding, severity="info")
        current = self._current.get(name)
        if current is None or not is_outdated(finding):
            return finding
        return replace(finding, severity="info", related=current)


def _is_warning(finding: Diagnostic) -> bool:
    """Return whether the API server accepts a CRD with what a finding is about."""
    return finding.severity == "warning"
