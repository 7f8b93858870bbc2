"""The families of rules: the one place where a module of rules is named."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final, Literal, TypeVar

from crdlint.rules import SETS
from crdlint.rules.engine.advisory import Advise
from crdlint.rules.engine.finding import AdviceFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf
from crdlint.rules.engine.rule import Advice, NodeAdvice, NodeAdvisor, Rule
from crdlint.rules.engine.schema_walk import Check

# What a module declares besides rules: checks, advice, advice on request only, which most runs need not import, or
# functions that are called where upstream calls them, and imported there.
_FAMILIES: Final[dict[str, Literal["checks", "advice", "requested", "functions"]]] = {
    "texts.reading": "functions",
    "server.metadata": "functions",
    "server.names": "functions",
    "advice.name_conflicts": "advice",
    "server.versions": "functions",
    "advice.served_versions": "advice",
    "server.subresources": "functions",
    "advice.dead_subresources": "advice",
    "server.selectable_fields": "functions",
    "server.panics": "functions",
    "server.conversion": "functions",
    "server.approval": "functions",
    "server.root": "functions",
    "server.structural": "checks",
    "server.forbidden_fields": "checks",
    "server.list_types": "checks",
    "advice.sets": "advice",
    "server.defaults": "functions",
    "server.validation_rules": "checks",
    "server.cel": "functions",
    "advice.unguarded_fields": "advice",
    "server.cel_cost": "functions",
    "advice.cel_costs": "advice",
    "server.schema_warnings": "advice",
    "advice.yaml_scalars": "advice",
    "advice.storage": "advice",
    "advice.deployment": "advice",
    "advice.charts": "functions",
    "texts.resource": "functions",
    "texts.changes": "functions",
    "advice.pruned_objects": "advice",
    "advice.unsatisfiable": "advice",
    "advice.slips": "advice",
    "advice.text_slips": "advice",
    "advice.descriptions": "advice",
    "advice.columns": "advice",
    "advice.dead_ends": "advice",
    "advice.refused_objects": "advice",
    "advice.short_names": "advice",
    "advice.misspelled_names": "advice",
    "advice.stability": "requested",
    "advice.server_side_apply": "requested",
    "advice.senders": "advice",
    "advice.conventions": "requested",
    "advice.naming": "requested",
}
# Advice about what a family of the server checks: one family with it.
_BESIDE: Final = {
    "advice.name_conflicts": "server.names",
    "advice.served_versions": "server.versions",
    "advice.dead_subresources": "server.subresources",
    "advice.sets": "server.list_types",
    "advice.unguarded_fields": "server.cel",
    "advice.cel_costs": "server.cel_cost",
}
# The families whose findings have fixes in a module of the same name in `fixes`; advice has its fixes itself.
FIXED: Final = (
    "reading", "resource", "metadata", "names", "versions", "subresources", "selectable_fields", "conversion", "approval",
    "root", "structural", "forbidden_fields", "list_types", "defaults", "validation_rules", "cel", "cel_cost", "schema_warnings",
)  # fmt: skip


@cache
def all_rules() -> dict[str, Rule]:
    """Return every rule by id, family by family."""
    return {rule_id: rule for family in families() for rule_id, rule in family.items()}


@cache
def families() -> tuple[dict[str, Rule], ...]:
    """Return the rules of each family, by id."""
    rules: dict[str, dict[str, Rule]] = {}
    for module in _FAMILIES:
        family = rules.setdefault(_BESIDE.get(module, module), {})
        family.update(_rules(module))
    return tuple(rules.values())


@cache
def _rules(family: str) -> dict[str, Rule]:
    """Return the rules that the module of a family declares, by id."""
    declared: list[Rule | Advice | NodeAdvice] = _declared(family, (Rule, Advice, NodeAdvice))
    rules = (each if isinstance(each, Rule) else each.rule for each in declared)
    return {rule.id: rule for rule in rules}


@cache
def current_ids() -> dict[str, str]:
    """Return the id of the rule for each former id."""
    return {alias: rule.id for rule in all_rules().values() for alias in rule.aliases}


def get(rule_id: str) -> Rule:
    """Return a rule by its id or a former one. Raises KeyError if the id is unknown."""
    rule = find(rule_id)
    return all_rules()[current_ids()[rule_id]] if rule is None else rule


def find(rule_id: str) -> Rule | None:
    """Return a rule by its id, None if there is none."""
    module = _module_of(rule_id)
    return _rules(module)[rule_id] if module else None


@cache
def _module_of(rule_id: str) -> str:
    """Return the module that declares a rule, empty if none does; import no more of them than it takes to find it."""
    return next((family for family in _FAMILIES if rule_id in _rules(family)), "")


@cache
def fixes(rule_id: str) -> tuple[Fixer[Any], ...]:
    """Return the fixes of a rule for all kinds of findings."""
    return tuple(fixer for table in fixes_of(rule_id) for fixer in table.fixers[rule_id])


@cache
def fixes_of(rule_id: str) -> tuple[FixesOf[Any], ...]:
    """Return the tables that have fixes of a rule: one for each kind of its findings."""
    fixers = get(rule_id).fixes
    if fixers:
        return (FixesOf(AdviceFinding, {rule_id: fixers}),)
    name = _module_of(rule_id).rpartition(".")[2]
    tables = fixes_in(name) if name in FIXED else []
    return tuple(table for table in tables if rule_id in table.fixers)


def fixes_in(name: str) -> list[FixesOf[Any]]:
    """Return the tables of the fixes in a module."""
    return _declared(f"fixes.{name}", FixesOf)


@cache
def rule_sets() -> dict[str, tuple[str, ...]]:
    """Return the rules of each set that a team can request by one name."""
    ids = {name: [rule.id for rule in all_rules().values() if rule.in_set == name] for name in SETS}
    return {name: tuple(sorted(members)) for name, members in ids.items()}


@cache
def on_request() -> frozenset[str]:
    """Return the rules that are only reported where the configuration names them or their set."""
    return frozenset(rule.id for rule in all_rules().values() if rule.on_request)


@cache
def of_whole_crds() -> frozenset[str]:
    """Return the rules about what a build or a chart may add: only for CRDs that are complete."""
    return frozenset(rule.id for rule in all_rules().values() if rule.of_whole_crds)


def checks() -> list[Check]:
    """Return the checks that run at the nodes of a schema."""
    return [
        check
        for family, declares in _FAMILIES.items()
        if declares == "checks"
        for check in _declared(family, Check)
    ]


@cache
def advice(requested: frozenset[str]) -> tuple[Advise, ...]:
    """Return the advice about any CRD: on request only what is `requested`."""
    declared = _requested(requested, Advice)
    return tuple(advice.findings for advice in declared if not advice.is_practice)


@cache
def practices(requested: frozenset[str]) -> tuple[Advise, ...]:
    """Return the advice about a CRD that the API server accepts: on request only what is `requested`."""
    declared = _requested(requested, Advice)
    on_nodes = NodeAdvisor(_requested(requested, NodeAdvice))
    return (*(advice.findings for advice in declared if advice.is_practice), on_nodes.findings)


_AdviceT = TypeVar("_AdviceT", Advice, NodeAdvice)
_T = TypeVar("_T")


def _requested(requested: frozenset[str], kind: type[_AdviceT]) -> list[_AdviceT]:
    imported = {"advice", "requested"} if requested else {"advice"}
    declared = [
        advice
        for family, declares in _FAMILIES.items()
        if declares in imported
        for advice in _declared(family, kind)
    ]
    return [
        advice for advice in declared if not advice.rule.on_request or advice.rule.id in requested
    ]


def _declared(family: str, kind: type[_T] | tuple[type[_T], ...]) -> list[_T]:
    """Return what the module of a family declares, in the order of the module."""
    return [
        member
        for member in vars(import_module(f"crdlint.rules.{family}")).values()
        if isinstance(member, kind)
    ]
