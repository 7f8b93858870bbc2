"""The changes found so far, and what the comparison of two CRDs depends on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crdlint.changes.change import Change

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.changes.conjunction import Conjunction
    from crdlint.changes.places import Place
    from crdlint.crd.model import JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.diagnostics.diagnostic import Severity
    from crdlint.kubernetes.servers import Server
    from crdlint.rules.engine.rule import Rule


@dataclass(slots=True)
class Collector:
    """Collects changes. ``server`` is the newest of the run; ``versions`` are those that are compared at the moment."""

    server: Server
    versions: tuple[str, ...] = ()
    changes: list[Change] = field(default_factory=list)

    def add(
        self,
        rule: Rule,
        text: str,
        new: Path,
        old: Path,
        *,
        place: Place | None = None,
        severity: Severity | None = None,
        help_: str | None = None,
    ) -> None:
        """Add a change at two paths; the rule's own severity and help by default."""
        where = "" if place is None else place.field
        self.changes.append(Change(rule.id, where, text, new, old, severity or rule.severity, help_, self.versions))


@dataclass(frozen=True, slots=True)
class Pair:
    """The schemas of a value in the old and the new CRD."""

    old: Conjunction
    new: Conjunction
    place: Place

    def paths(self, attribute: str, keyword: str) -> tuple[Path, Path]:
        """Return where the new and the old CRD have a keyword; the path of the schema itself without it."""
        return path_of(self.new, attribute, keyword), path_of(self.old, attribute, keyword)


def path_of(node: Iterable[JSONSchemaProps], attribute: str, keyword: str) -> Path:
    """Return where the first of several schemas has a keyword; the path of the first schema if none has it."""
    schemas = tuple(node)
    for schema in schemas:
        if attribute in vars(schema):
            return schema.path.child(keyword)
    return schemas[0].path
