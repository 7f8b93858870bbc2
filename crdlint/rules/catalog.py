"""All rules by id."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from crdlint.rules.engine.rule import Rule

_FAMILIES: Final = (
    "reading",
    "metadata",
    "names",
    "versions",
    "subresources",
    "selectable_fields",
    "conversion",
    "approval",
    "immutability",
    "root",
    "structural",
    "forbidden_fields",
    "list_types",
    "defaults",
    "evaluation",
    "validation_rules",
    "cel",
    "cel_cost",
    "formats",
    "yaml_booleans",
    "kube_versions",
    "size",
    "resource",
    "charts",
    "configuration",
    "removed_crds",
)


@cache
def all_rules() -> dict[str, Rule]:
    """Return every rule by id, family by family."""
    modules = (import_module(f"crdlint.rules.{family}") for family in _FAMILIES)
    return {rule.id: rule for module in modules for rule in module.RULES}


def get(rule_id: str) -> Rule:
    """Return a rule; raise KeyError for an id that there is not."""
    return all_rules()[rule_id]
