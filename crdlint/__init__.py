"""crdlint: what kube-apiserver would say about a CustomResourceDefinition, offline, at the exact line and column.

Importing this is cheap; each name below is loaded from its module on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from crdlint.__about__ import __version__

if TYPE_CHECKING:
    from crdlint.api import estimate_costs, lint_text, lint_update, validate_resource
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.rule_cost import RuleCost
    from crdlint.resources.report import ResourceReport
    from crdlint.yaml import YAMLDecodeError, decode_yaml

__all__ = [
    "Diagnostic",
    "ResourceReport",
    "RuleCost",
    "YAMLDecodeError",
    "__version__",
    "decode_yaml",
    "estimate_costs",
    "lint_text",
    "lint_update",
    "validate_resource",
]

_HOMES = {
    "Diagnostic": "crdlint.diagnostics.diagnostic",
    "ResourceReport": "crdlint.resources.report",
    "RuleCost": "crdlint.linting.rule_cost",
    "YAMLDecodeError": "crdlint.yaml",
    "decode_yaml": "crdlint.yaml",
    "estimate_costs": "crdlint.api",
    "lint_text": "crdlint.api",
    "lint_update": "crdlint.api",
    "validate_resource": "crdlint.api",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(home), name)
