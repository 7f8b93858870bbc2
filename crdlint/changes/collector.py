"""Collects the changes of two CRDs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crdlint.changes.change import Change

if TYPE_CHECKING:
    from crdlint.changes.examples import Example, Examples
    from crdlint.changes.pairs import ComparedField, Pair
    from crdlint.crd.model import JSONSchemaProps, ValidationRule
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
    examples: Examples | None = None

    def add(
        self,
        rule: Rule,
        text: str,
        new: Path,
        old: Path,
        *,
        field: ComparedField | None = None,
        severity: Severity | None = None,
        help_: str | None = None,
        example: Example | None = None,
    ) -> None:
        """Add a change at two paths; the rule's own severity and help by default."""
        where = "" if field is None else field.path
        shown = None if example is None else example.text
        self.changes.append(
            Change(rule.id, where, text, new, old, severity or rule.severity, help_, self.versions, shown)
        )

    def example(self, pair: Pair, condition: str, part: JSONSchemaProps | ValidationRule) -> Example | None:
        """Return an example for a new condition on the values of a pair, which is a part of the new schema."""
        return None if self.examples is None else self.examples.find(pair, condition, part)

    def explanation(self, pair: Pair, condition: str, part: JSONSchemaProps) -> Example | None:
        """Return an example for a condition that is known to reject values, if the run explains its changes."""
        return self.example(pair, condition, part) if self.examples is not None and self.examples.explains else None
