"""Every rule's bad example raises it, its good one raises nothing, and its texts are there."""

from __future__ import annotations

import pytest

import crdlint
from crdlint.rules.catalog import all_rules
from crdlint.rules.examples import manifest

RULES = list(all_rules().values())
# A range, so that what needs newer ones is told.
VERSIONS = "1.29..1.36"
# Broken by an update only, or by a stored object: tests/rules/test_update.py has them.
ON_UPDATE = {"metadata-immutable", "spec-immutable", "stored-version-missing", "conversion-webhook-ca-bundle"}


@pytest.mark.parametrize("rule", [r for r in RULES if r.id not in ON_UPDATE], ids=lambda rule: rule.id)
def test_the_bad_example_raises_the_rule(rule):
    said = crdlint.lint_text(manifest(rule, rule.bad), kube_version=VERSIONS)
    assert rule.id in {d.rule for d in said}
    assert all(d.help for d in said)


@pytest.mark.parametrize("rule", [r for r in RULES if r.id not in ON_UPDATE], ids=lambda rule: rule.id)
def test_the_good_example_raises_nothing(rule):
    assert [d.message for d in crdlint.lint_text(manifest(rule, rule.good), kube_version=VERSIONS)] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_texts_are_there(rule):
    for text in (rule.summary, rule.why, rule.help):
        assert text
        assert text == text.strip()
    assert rule.id == rule.id.lower()
    assert rule.summary.endswith(".")


def test_an_id_stands_once():
    from importlib import import_module

    from crdlint.rules import catalog

    ids = [rule.id for family in catalog._FAMILIES for rule in import_module(f"crdlint.rules.{family}").RULES]  # noqa: SLF001
    assert len(ids) == len(set(ids)) == len(RULES)
