"""Short names that two CRDs of a group share, which the API server accepts for one of them only."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crdlint.linting.result import SHORT_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import CRD, FileResult, ResourceName


@dataclass(slots=True)
class SharedNames:
    """The names of all CRDs of a run."""

    _known: dict[str, dict[str, tuple[ResourceName, str]]] = field(default_factory=dict)

    def add(self, result: FileResult) -> FileResult:
        """Return a result with findings about short names that its CRDs and those of earlier results share."""
        findings = [finding for crd in result.crds for finding in self._add(crd, result.file)]
        return replace(result, diagnostics=(*result.diagnostics, *findings)) if findings else result

    def _add(self, crd: CRD, file: str) -> Iterator[Diagnostic]:
        for name in crd.names:
            owners = self._known.setdefault(name.name, {})
            for owner, (other, other_file) in owners.items() if crd.name not in owners else ():
                if SHORT_NAME in (name.what, other.what):
                    yield _finding(crd, name, file, owner, other, other_file)
                    break
            owners.setdefault(crd.name, (name, file))


def _finding(crd: CRD, name: ResourceName, file: str, owner: str, other: ResourceName, other_file: str) -> Diagnostic:
    from crdlint.crd.positions import Span
    from crdlint.diagnostics.diagnostic import Related
    from crdlint.rules.short_names import OWN_NAME

    text = name.name.partition(".")[0]
    own = f"`{text}`" if name.what == SHORT_NAME else f"`{text}`, the {name.what},"
    its = f"{'a' if other.what == SHORT_NAME else 'the'} {other.what} of {owner}"
    message = f"{own} is also {its}: only one of the two CRDs can have it"
    span = Span(name.line, name.column, name.line, name.end_column)
    help_ = "Remove or rename the short name of one of the two CRDs"
    related = Related("the other CRD", other_file, other.line, other.column)
    return replace(OWN_NAME.diagnostic(file, "advice", message, span, help_), crd=crd.name, related=related)
