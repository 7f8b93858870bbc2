"""Every rule's bad example raises it, its good one raises nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tables import each

from crdlint.linting.pipeline import lint_file
from crdlint.linting.stored_crds import collect_crds
from crdlint.report import rule_description
from crdlint.rules.catalog import all_rules
from crdlint.rules.engine.examples import manifest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.rules.engine.rule import Rule

RULES = list(all_rules().values())
# Advice about what newer servers warn of.
OLDER = {"list-set-of-objects": "1.36"}
# Broken by an update only, or by a stored object: tests/rules/test_update.py has them.
ON_UPDATE = {"metadata-immutable", "spec-immutable", "stored-version-missing", "conversion-webhook-ca-bundle"}
# A resource is only judged where its kind is right; upstream checks it all the same.
# No rule is known on which crdlint and cel-python disagree.
NEVER = {"resource-type", "resource-second-opinion", "internal-error", "unreadable"}
# Of another file than the one with CRDs, or of several: tests/inputs and tests/cli have them.
ELSEWHERE = {
    "name-in-use",
    "helm-kube-version",
    "helm-render",
    "helm-crd-without-keep",
    "helm-release-too-large",
    *(rule.id for rule in RULES if rule.compares),
}
RUN = [rule for rule in RULES if rule.id not in ON_UPDATE | NEVER | ELSEWHERE]


def findings(rule: Rule, fragment: str) -> Sequence[Diagnostic]:
    return rule_description.findings(rule, fragment, OLDER.get(rule.id, ""))


@each("rule", RUN, ids=lambda rule: rule.id)
def test_the_bad_example_raises_the_rule(rule: Rule) -> None:
    said = findings(rule, rule.bad)
    assert rule.id in {d.rule for d in said}
    assert all(d.help for d in said)


@each("rule", RUN, ids=lambda rule: rule.id)
def test_the_good_example_raises_nothing(rule: Rule) -> None:
    assert [d.message for d in findings(rule, rule.good)] == []


@each("rule", [one for one in RULES if one.compares and one.bad], ids=lambda rule: rule.id)
def test_the_examples_of_a_change_are_an_update_that_raises_it(rule: Rule) -> None:
    old, new = (manifest(rule, fragment) for fragment in (rule.good, rule.bad))
    known = collect_crds(old, "old.yaml").by_name
    found = lint_file(new, filename="x", previous=known.get).diagnostics
    assert [one.message for one in found if one.origin == "apiserver"] == []
    assert rule.id in {one.rule for one in found}
    unchanged = lint_file(old, filename="x", previous=known.get).diagnostics
    assert [one.rule for one in unchanged if one.rule.startswith("change-")] == []


def test_an_id_stands_once() -> None:
    from importlib import import_module

    from crdlint.rules import catalog

    modules = [f"crdlint.rules.{family}" for family in catalog._FAMILIES]  # noqa: SLF001
    ids = [rule.id for module in modules for rule in import_module(module).RULES]
    assert len(ids) == len(set(ids)) == len(RULES)


def test_the_catalogue_names_every_module_and_what_it_declares() -> None:
    from importlib import import_module
    from pkgutil import iter_modules

    import crdlint.rules
    from crdlint.rules import catalog

    modules = {one.name: import_module(f"crdlint.rules.{one.name}") for one in iter_modules(crdlint.rules.__path__)}
    with_rules = {name for name, module in modules.items() if hasattr(module, "RULES")}
    assert with_rules == set(catalog._FAMILIES)  # noqa: SLF001
    declared = {
        (name, kind)
        for name, module in modules.items()
        for kind in ("CHECKS", "ADVICE", "PRACTICES", "NODES")
        if hasattr(module, kind)
    }
    assert declared == {(name, kind) for name, kinds in catalog._FAMILIES.items() for kind in kinds}  # noqa: SLF001


def test_rules_on_request_are_those_that_configurations_know() -> None:
    from crdlint.rules.sets import ON_REQUEST

    assert {rule.id for rule in RULES if rule.on_request} == ON_REQUEST
