"""A change between two versions of a CRD, and how severities depend on where it is."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from crdlint.diagnostics import RANKS, Severity
from crdlint.light import NamedTuple

if TYPE_CHECKING:
    from crdlint.crd.model import CustomResourceDefinition
    from crdlint.crd.paths import Path
    from crdlint.rules.engine.rule import Rule

AlphaPolicy: TypeAlias = Literal["lower", "same", "off"]
StatusPolicy: TypeAlias = Literal["lower", "same"]
ALPHA: Final = "(alpha: reported as a warning)"  # ends the message of a change that is an error in other versions
NEW_VALUES: Final = "clients meet values that were not possible before"
NEW_OBJECTS: Final = "clients meet objects that were not possible before"


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
    """One change: its rule, with the severity and the help of the change, and what differs.

    ``effect`` is what that means for existing objects, clients and users, without the field that the change is about.
    ``new`` and ``old`` are where to look in the new and the old CRD. ``field`` is the field that it is about
    (``.spec.replicas``), empty for the whole CRD or a version. ``example`` is the JSON of an object that was valid and is
    not any more, empty if none was found. ``versions`` are those that have the change, empty if it is about no
    version's schema. ``is_alpha`` marks an error that is a warning in alpha versions.
    """

    rule: Rule
    text: str
    new: Path
    old: Path
    field: str = ""
    example: str | None = None
    versions: tuple[str, ...] = ()
    is_alpha: bool = False
    effect: str = ""

    def headline(self, crd: CustomResourceDefinition) -> str:
        """Return the text, with the versions if it does not name them and the CRD has others."""
        missing = [
            version
            for version in self.versions
            if not re.search(rf"\b{re.escape(version)}\b", self.text)
        ]
        if not missing or len(self.versions) == len(crd.spec.versions):
            return self.text
        return f"{self.text} (in {', '.join(self.versions)})"

    def message(self, crd: CustomResourceDefinition) -> str:
        """Return the headline and the effect."""
        headline, end = self.headline(crd), f" {ALPHA}" if self.is_alpha else ""
        if not self.effect:
            return f"{headline}{end}"
        return f"{headline}{'; ' if ': ' in headline else ': '}{self.effect}{end}"


_LOWER: Final[dict[Severity, Severity]] = {"error": "warning", "warning": "info", "info": "info"}


def lowered(changes: Iterable[Change], policy: Policy) -> Iterable[Change]:
    """Yield changes with the severities that a policy gives them, without those that it leaves out."""
    for change in changes:
        severity = change.rule.severity
        is_alpha = all("alpha" in name for name in change.versions or [""])
        if is_alpha and policy.alpha == "off":
            continue
        is_lowered = is_alpha and policy.alpha == "lower" and severity == "error"
        if is_lowered:
            severity = "warning"
        if policy.status == "lower" and _is_of_status(change.field):
            severity = _LOWER[severity]
            is_lowered = False  # it is no warning because of the version
        yield change._replace(rule=change.rule._replace(severity=severity), is_alpha=is_lowered)


def _is_of_status(field: str) -> bool:
    """Return whether a field is the status or below it, which only controllers write."""
    return re.match(r"\.status(?![^.[])", field) is not None


def merged(changes: Iterable[Change]) -> list[Change]:
    """Return changes without repetitions: equal changes of several versions become the most severe one."""
    changes_by_key: dict[Hashable, Change] = {}
    for change in changes:
        key = change.rule.id, change.field, change.text, change.effect
        same = changes_by_key.get(key, change)
        worst = min(same, change, key=lambda change: RANKS[change.rule.severity])
        changes_by_key[key] = worst._replace(
            versions=tuple(dict.fromkeys((*same.versions, *change.versions)))
        )
    return list(changes_by_key.values())
