"""Every rule's bad example raises it, its good one raises nothing."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules, walk_packages
from typing import TYPE_CHECKING

from tables import each

import crdlint.rules
import crdlint.rules.fixes
from crdlint.kubernetes.servers import parse_range
from crdlint.linting.documents import collect_crds
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.report import rule_description
from crdlint.rules import catalog
from crdlint.rules.advice import charts
from crdlint.rules.catalog import all_rules
from crdlint.rules.engine.examples import manifest
from crdlint.rules.engine.rule import Advice, NodeAdvice, Rule
from crdlint.rules.engine.schema_walk import Check

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.diagnostics import Diagnostic

RULES = list(all_rules().values())
# Advice about what newer servers warn of.
OLDER = {"list-set-of-objects": parse_range("1.36")}
# Broken by an update only, or by a stored object: tests/rules/test_update.py has them.
ON_UPDATE = {
    "metadata-immutable",
    "spec-immutable",
    "stored-version-missing",
    "conversion-webhook-ca-bundle",
}
# A resource is only judged where its kind is right; upstream checks it all the same.
# No rule is known on which crdlint and cel-python disagree.
NEVER = {"resource-type", "resource-second-opinion", "internal-error", "unreadable"}
# Of another file than the one with CRDs, or of several: tests/inputs and tests/cli have them.
ELSEWHERE = {
    "name-in-use",
    "crd-copies-differ",
    "crd-twice-in-file",
    "helm-kube-version",
    "helm-render",
    *(rule.id for rule in vars(charts).values() if isinstance(rule, Rule)),
    "helm-release-too-large",
    *(rule.id for rule in RULES if rule.compares),
}
RUN = [rule for rule in RULES if rule.id not in ON_UPDATE | NEVER | ELSEWHERE]


def findings(rule: Rule, fragment: str) -> Sequence[Diagnostic]:
    return rule_description.findings(rule, fragment, OLDER.get(rule.id))


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
    found = lint_file(new, "x", CheckRequest(previous=known.get)).diagnostics
    assert [one.message for one in found if one.origin == "apiserver"] == []
    assert rule.id in {one.rule for one in found}
    unchanged = lint_file(old, "x", CheckRequest(previous=known.get)).diagnostics
    assert [one.rule for one in unchanged if one.rule.startswith("change-")] == []


def test_an_id_stands_once() -> None:
    ids = [rule for family in catalog.families() for rule in family]
    assert len(ids) == len(set(ids)) == len(RULES)


def test_the_catalogue_names_every_module_and_what_it_declares() -> None:
    """What runs must stand in a family whose checks are imported; rules on request may stand in one that most runs skip."""
    prefix = "crdlint.rules."
    modules = [found for found in walk_packages(crdlint.rules.__path__, prefix) if not found.ispkg]
    for found in modules:
        name = found.name.removeprefix(prefix)
        if name.startswith(("engine.", "fixes.")):
            continue
        members = list(vars(import_module(found.name)).values())
        advice = [member.rule for member in members if isinstance(member, (Advice, NodeAdvice))]
        has_checks = any(isinstance(member, Check) for member in members)
        declares = catalog._FAMILIES.get(name)  # noqa: SLF001
        if declares is None:
            assert not has_checks
            assert name == "catalog" or not any(isinstance(member, Rule) for member in members)
        elif has_checks or advice:
            of_advice = "requested" if all(rule.on_request for rule in advice) else "advice"
            assert declares == ("checks" if has_checks else of_advice)
            assert not (has_checks and advice)
        else:
            assert declares == "functions", name


def test_the_fixes_of_each_family_of_the_server_are_offered() -> None:
    modules = {found.name for found in iter_modules(crdlint.rules.fixes.__path__)}
    declaring = {
        name for name in modules if hasattr(import_module(f"crdlint.rules.fixes.{name}"), "FIXES")
    }
    assert declaring == set(catalog.FIXED)
    tables = [table for name in catalog.FIXED for table in catalog.fixes_in(name)]
    ids = {rule_id for table in tables for rule_id in table.fixers}
    assert ids <= catalog.all_rules().keys()
    assert not [rule_id for rule_id in ids if catalog.get(rule_id).fixes]
