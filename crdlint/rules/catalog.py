"""All rules by id."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from crdlint.rules.registry import Rule

_FAMILIES: Final = (
    "reading",
    "metadata",
    "names",
    "versions",
    "subresources",
    "selectable_fields",
    "conversion",
    "approval",
    "update",
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
)
# Of packages above this one, named so that imports keep going one way.
_ELSEWHERE: Final = ("crdlint.charts.rules", "crdlint.config.rules", "crdlint.previous.rules")


@cache
def all_rules() -> dict[str, Rule]:
    """Return every rule by id, family by family."""
    modules = (*(f"crdlint.rules.{family}" for family in _FAMILIES), *_ELSEWHERE)
    return {rule.id: rule for module in modules for rule in import_module(module).RULES}


def get(rule_id: str) -> Rule:
    """Return a rule; raise KeyError for an id that there is not."""
    return all_rules()[rule_id]
