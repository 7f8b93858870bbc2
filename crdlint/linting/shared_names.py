"""Names that several CRDs of a group have, which the API server accepts for one of them only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from crdlint.diagnostics.diagnostic import Diagnostic
from crdlint.golang.text import quote
from crdlint.linting.result import CRD, FileResult, ResourceName

_SHORT: Final = "shortNames"
_KINDS: Final = frozenset({"kind", "listKind"})  # other names of a group may be equal to these


@dataclass(slots=True)
class SharedNames:
    """The names accepted for the CRDs of a run. Upstream: NamingConditionController.calculateNamesAndConditions."""

    _accepted: dict[tuple[bool, str], tuple[ResourceName, str, str]] = field(default_factory=dict)

    def add(self, result: FileResult) -> FileResult:
        """Return a result with findings about names of its accepted CRDs that earlier ones of the same group have."""
        rejected = {d.crd for d in result.diagnostics if d.origin == "apiserver" and d.severity == "error"}
        accepted = (crd for crd in result.crds if crd.name not in rejected)
        findings = [finding for crd in accepted for finding in self._add(crd, result.file)]
        return replace(result, diagnostics=(*result.diagnostics, *findings)) if findings else result

    def _add(self, crd: CRD, file: str) -> Iterator[Diagnostic]:
        others = {}
        for name in crd.names:
            accepted = self._accepted.get((name.what in _KINDS, name.name))
            if accepted is not None and accepted[1] != crd.name:
                others[name] = accepted
        are_short_names_accepted = all(name.what != _SHORT for name in others)
        reported = set()
        for name in crd.names:
            if name not in others:
                if name.what != _SHORT or are_short_names_accepted:
                    self._accepted.setdefault((name.what in _KINDS, name.name), (name, crd.name, file))
            elif (name.line, name.column) not in reported:  # a defaulted name is where the kind is
                reported.add((name.line, name.column))
                yield _finding(crd, name, file, *others[name])


def _finding(crd: CRD, name: ResourceName, file: str, other: ResourceName, owner: str, other_file: str) -> Diagnostic:
    from crdlint.crd.positions import Span
    from crdlint.diagnostics.diagnostic import Related
    from crdlint.rules.names import IN_USE

    reason = f"{name.what[0].upper()}{name.what[1:]}Conflict"
    message = f"NamesAccepted is False, {reason}: {quote(name.name.partition('.')[0])} is already in use"
    span = Span(name.line, name.column, name.line, name.end_column)
    related = Related(f"the names of {owner}", other_file, other.line, other.column)
    return replace(IN_USE.diagnostic(file, "advice", message, span), crd=crd.name, related=related)
