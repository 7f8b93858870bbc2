"""What crdlint reports about the charts of `charts.py` is what Helm 3 and Helm 4 did with them on a running server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tables import each

from upstream.charts import BY_CHANCE, CHECKED, UPGRADED

RECORD: Final = Path(__file__).parent / "charts.json"
_OUTCOMES: Final[dict[str, dict[str, dict[str, Any]]]] = json.loads(
    RECORD.read_text(encoding="utf-8")
)["outcomes"]
_INSTALLED: Final = {
    name: list(_OUTCOMES[f"check: {name}"].values())
    for name in CHECKED
    if f"check: {name}" in _OUTCOMES and name not in BY_CHANCE
}
_UPGRADED: Final = {
    name: list(_OUTCOMES[f"upgrade: {name}"].values())
    for name in UPGRADED
    if f"upgrade: {name}" in _OUTCOMES
}
# What a chart that Helm does not install is reported as.
_NOT_INSTALLED: Final = {
    "helm-no-matches",
    "helm-crd-twice",
    "helm-object-in-crds",
    "name-in-use",
    "type-unsupported",
    "resource-version-on-create",
}
# A release that turned the CRD on is not what was installed.
_OF_OTHER_VALUES: Final = "off by default, from templates/ to crds/"


# What does not fail the installation if it is a warning.
_ONLY_AS_ERROR: Final = {"name-in-use"}


def rules_of(expected: list[str]) -> set[str]:
    """Return the rules of findings, each a severity, a rule and a file; an info that nothing fails is left out."""
    findings = (each.split() for each in expected)
    harmless = {"info": _NOT_INSTALLED, "warning": _ONLY_AS_ERROR}
    return {rule for severity, rule, _ in findings if rule not in harmless.get(severity, ())}


@each("name", _INSTALLED)
def test_installations(name: str) -> None:
    outcomes, rules = _INSTALLED[name], rules_of(CHECKED[name][-1])
    fails = any(outcome["install"] for outcome in outcomes)
    assert fails == bool(rules & _NOT_INSTALLED)
    loses = any(outcome.get("lost") for outcome in outcomes)
    assert loses == ("helm-crd-deletes-itself" in rules)


@each("name", _UPGRADED)
def test_upgrades(name: str) -> None:
    outcomes, rules = _UPGRADED[name], rules_of(UPGRADED[name][-1])
    loses = any(outcome["lost"] for outcome in outcomes) or name == _OF_OTHER_VALUES
    assert loses == ("change-crd-removed" in rules)
    # A hook in place of the CRD, and an object with new fields, make the upgrade of one of the two versions fail.
    may_fail = {"change-helm-upgrade-fails", "change-crd-removed", "change-helm-not-applied"}
    fails = any(outcome["upgrade"] for outcome in outcomes)
    assert rules & may_fail if fails else "change-helm-upgrade-fails" not in rules
