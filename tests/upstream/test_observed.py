"""What rules claim was observed: each names its experiments, and each experiment the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.observations import observations, origin
from crdlint.rules.catalog import all_rules, get

from .live.experiments import experiments
from .live.observed import FILE, as_json

if TYPE_CHECKING:
    import pytest


def test_the_observations_are_those_of_the_experiments(request: pytest.FixtureRequest) -> None:
    text = as_json(experiments())
    if request.config.getoption("update_expected"):
        FILE.write_text(text, encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == text, "run pytest --update-expected tests/upstream"


def test_rules_and_experiments_name_each_other() -> None:
    by_rule: dict[str, set[str]] = {}
    for experiment in experiments():
        for rule in experiment.rules:
            by_rule.setdefault(get(rule).id, set()).add(experiment.id)
    assert {
        rule.id: set(rule.observed) for rule in all_rules().values() if rule.observed
    } == by_rule


def test_an_observation_has_the_requests_and_answers() -> None:
    [first, *_] = found = observations(get("set-items-not-scalar"))
    assert origin(found) == "Observed on kube-apiserver v1.37.2 (2026-11-28)."
    assert (
        "server-side apply by A {spec: {z: '1'}}\n  → 500 failed to create manager"
        in first.protocol
    )


def test_every_rule_is_observed_or_claims_nothing() -> None:
    """A rule whose texts say what happens to objects, updates or clients has an experiment that shows it."""
    without = [
        rule.id for rule in all_rules().values() if not rule.observed and not rule.claims_nothing
    ]
    assert without == []


def test_no_observed_rule_claims_nothing() -> None:
    assert [rule.id for rule in all_rules().values() if rule.observed and rule.claims_nothing] == []


def test_changes_and_advice_about_objects_claim_something() -> None:
    """Few rules of crdlint's own claim nothing: about names, conventions, charts, and what crdlint itself cannot do."""
    silent = [
        rule for rule in all_rules().values() if rule.claims_nothing and rule.origin != "apiserver"
    ]
    assert not [rule.id for rule in silent if rule.compares]
    assert len(silent) * 6 < len(all_rules())
