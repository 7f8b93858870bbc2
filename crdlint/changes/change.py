"""A change between two versions of a CRD, how severities depend on where it is, and the collector of changes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from crdlint.changes.conjunction import ComparedField, Pair
    from crdlint.changes.examples import Example, Examples
    from crdlint.crd.model import CustomResourceDefinition, JSONSchemaProps, ValidationRule
    from crdlint.crd.paths import Path
    from crdlint.diagnostics.diagnostic import Severity
    from crdlint.kubernetes.servers import Server
    from crdlint.rules.engine.rule import Rule

AlphaPolicy: TypeAlias = Literal["lower", "same", "off"]
StatusPolicy: TypeAlias = Literal["lower", "same"]
ALPHA: Final = "(alpha: reported as a warning)"  # ends the message of a change that is an error in other versions
NEW_VALUES: Final = "clients meet values that were not possible before"


class Policy(NamedTuple):
    """How changes are reported that break less than others.

    ``alpha`` is about versions such as v1alpha1: ``lower`` turns their errors into warnings, ``off`` does not compare them.
    ``status`` is about fields below ``.status``, which only controllers write: ``lower`` reports them one step lower.
    ``explains`` adds an example to each change that rejects objects.
    """

    alpha: AlphaPolicy = "lower"
    status: StatusPolicy = "lower"
    explains: bool = False


class Change(NamedTuple):
    """One change: the id of its rule, the field that it is about (``.spec.replicas``), and what it means.

    ``field`` is empty for a change of the whole CRD or of a version. ``new`` and ``old`` are where to look in the new and
    the old CRD. ``versions`` are those that have the change, empty if it is about no version's schema. ``example`` is the
    JSON of an object that was valid and is not any more. ``is_alpha`` marks an error that is a warning in alpha versions.
    """

    rule: str
    field: str
    text: str
    new: Path
    old: Path
    severity: Severity
    help: str | None = None
    versions: tuple[str, ...] = ()
    example: str | None = None
    is_alpha: bool = False

    def message(self, crd: CustomResourceDefinition) -> str:
        """Return the text, with the versions if it does not name them and the CRD has others."""
        end = f" {ALPHA}" if self.is_alpha else ""
        missing = [version for version in self.versions if not re.search(rf"\b{re.escape(version)}\b", self.text)]
        if not missing or len(self.versions) == len(crd.spec.versions):
            return f"{self.text}{end}"
        return f"{self.text} (in {', '.join(self.versions)}){end}"


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
        paths: tuple[Path, Path],
        *,
        field: ComparedField | None = None,
        severity: Severity | None = None,
        help_: str | None = None,
        example: Example | None = None,
    ) -> None:
        """Add a change at its paths in the new and the old CRD; the rule's own severity and help by default."""
        where, shown = field.path if field else "", example.text if example else None
        change = Change(rule.id, where, text, *paths, severity or rule.severity, help_, self.versions, shown)
        self.changes.append(change)

    def report(
        self,
        rule: Rule,
        text: str,
        pair: Pair,
        attribute: str,
        *,
        severity: Severity | None = None,
        part: JSONSchemaProps | None = None,
    ) -> None:
        """Add a change of an attribute of both schemas; the text follows the field and a colon.

        ``part`` is what the new schema requires, if the change rejects values.
        """
        text, example = f"{pair.field.shown}: {text}", self.explanation(pair, "true", part) if part else None
        self.add(rule, text, pair.paths(attribute), field=pair.field, severity=severity, example=example)

    def example(self, pair: Pair, condition: str, part: JSONSchemaProps | ValidationRule) -> Example | None:
        """Return an example for a new condition on the values of a pair, which is a part of the new schema."""
        return None if self.examples is None else self.examples.find(pair, condition, part)

    def explanation(self, pair: Pair, condition: str, part: JSONSchemaProps) -> Example | None:
        """Return an example for a condition that is known to reject values, if the run explains its changes."""
        return self.example(pair, condition, part) if self.examples is not None and self.examples.explains else None
