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


# Advice that claims nothing about the API server: about names and conventions, crdlint's own files and settings, charts and costs.
CLAIM_NOTHING = {
    "internal-error", "unreadable", "ignore-malformed", "ignore-unknown-rule", "ignore-unused", "evaluation-limit",
    "cel-rule-cost-near-limit", "cel-rule-cost-unbounded-parent", "kube-version-too-old", "kube-version-drops-field",
    "helm-kube-version", "helm-skipped", "resource-crd-rejected", "resource-crd-unreadable", "resource-second-opinion",
    "integer-unbounded", "bool", "float-in-spec", "integer-without-format", "observed-generation-missing",
    "conditions-nonstandard", "allof-duplicate",
    "plain-secret",
}  # fmt: skip

# Advice that was tried by hand, and has no experiment yet.
NOT_RECORDED = {"api-server-panic", "apply-rejected", "helm-crd-copies", "helm-not-read"}


def test_advice_is_observed_or_claims_nothing() -> None:
    advice = {
        rule.id: bool(rule.observed) for rule in all_rules().values() if rule.origin != "apiserver"
    }
    assert {
        rule for rule, is_observed in advice.items() if not is_observed
    } == CLAIM_NOTHING | NOT_RECORDED
