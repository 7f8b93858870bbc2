"""The families of rules: the one place where a module of rules is named."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from crdlint.rules.engine.advisory import NodeAdvisor
from crdlint.rules.sets import ON_REQUEST

if TYPE_CHECKING:
    from crdlint.rules.engine.advisory import Advice
    from crdlint.rules.engine.rule import Rule
    from crdlint.rules.engine.schema_walk import Check

# Module: what it declares besides RULES. CHECKS run at each node of a schema, ADVICE on each CRD, PRACTICES on each CRD that the
# API server accepts, and NODES at each node of its schemas. Other modules' functions are called where upstream calls them,
# and imported there.
_FAMILIES: Final[dict[str, tuple[str, ...]]] = {
    "internal": (),
    "reading": (),
    "metadata": (),
    "names": (),
    "versions": (),
    "subresources": (),
    "selectable_fields": (),
    "conversion": (),
    "approval": (),
    "root": (),
    "structural": ("CHECKS",),
    "forbidden_fields": ("CHECKS",),
    "list_types": ("CHECKS", "NODES"),
    "defaults": (),
    "validation_rules": ("CHECKS",),
    "cel": ("ADVICE",),
    "cel_cost": ("ADVICE",),
    "formats": ("ADVICE",),
    "yaml_booleans": ("ADVICE",),
    "yaml_texts": ("ADVICE",),
    "storage": ("ADVICE",),
    "leftovers": ("ADVICE",),
    "kube_versions": ("ADVICE",),
    "size": ("ADVICE",),
    "resource": (),
    "charts": (),
    "configuration": (),
    "changes": (),
    "dead_paths": ("PRACTICES",),
    "short_names": ("PRACTICES",),
    "pruned_objects": ("NODES",),
    "status_advice": ("PRACTICES",),
    "unsatisfiable": ("NODES",),
    "immutable_fields": ("PRACTICES",),
    "not_stored": ("PRACTICES", "NODES"),
    "served_versions": ("PRACTICES",),
    "stability": ("PRACTICES",),
    "server_side_apply": ("NODES",),
    "limits": ("NODES",),
    "conventions": ("PRACTICES", "NODES"),
    "naming": ("PRACTICES", "NODES"),
}
# Families whose rules are all on request, which most runs need not import.
_ON_REQUEST: Final = frozenset({"stability", "server_side_apply", "limits", "conventions", "naming"})


@cache
def all_rules() -> dict[str, Rule]:
    """Return every rule by id, family by family."""
    return {rule_id: rule for family in families() for rule_id, rule in family.items()}


@cache
def families() -> tuple[dict[str, Rule], ...]:
    """Return the rules of each family, by id."""
    return tuple({rule.id: rule for rule in _module(family).RULES} for family in _FAMILIES)


@cache
def current_ids() -> dict[str, str]:
    """Return the id of the rule for each former id."""
    return {alias: rule.id for rule in all_rules().values() for alias in rule.aliases}


def get(rule_id: str) -> Rule:
    """Return a rule by its id or a former one. Raises KeyError if the id is unknown."""
    rules = all_rules()
    return rules[rule_id] if rule_id in rules else rules[current_ids()[rule_id]]


def checks() -> list[Check]:
    """Return the checks that run at the nodes of a schema."""
    return _declared("CHECKS")


@cache
def advice() -> tuple[Advice, ...]:
    """Return the advisory rules that run on each CRD."""
    return tuple(_declared("ADVICE"))


@cache
def practices(requested: frozenset[str]) -> tuple[Advice, ...]:
    """Return the advisory rules that run on each CRD that the API server accepts: on request only those requested."""
    return (*_declared("PRACTICES", with_requested=bool(requested)), node_advisor(requested).run)


@cache
def node_advisor(requested: frozenset[str]) -> NodeAdvisor:
    """Return what runs the advice on nodes: that of all rules but those on request that are not requested."""
    declared = _declared("NODES", with_requested=bool(requested))
    return NodeAdvisor([advice for advice in declared if advice.rule in requested or advice.rule not in ON_REQUEST])


def _declared(name: str, *, with_requested: bool = True) -> list[Any]:
    families = [family for family, declares in _FAMILIES.items() if name in declares]
    return [
        declaration
        for family in families
        if with_requested or family not in _ON_REQUEST
        for declaration in getattr(_module(family), name)
    ]


def _module(family: str) -> Any:
    return import_module(f"crdlint.rules.{family}")
