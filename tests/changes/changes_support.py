"""Two versions of a CRD compared, as their findings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from crds import small

from crdlint.kubernetes.servers import parse_range
from crdlint.linting.documents import collect_crds
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.yaml import decode_yaml

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic


def read(text: str) -> Any:
    """Return the values of a YAML text."""
    return decode_yaml(text)


def with_field(schema: str) -> dict[str, Any]:
    """Return a CRD whose objects have `.spec.a`, with a schema."""
    return with_spec(
        f"properties: {{a: {schema}}}" if schema else "properties: {b: {type: string}}"
    )


def with_spec(schema: str) -> dict[str, Any]:
    """Return a CRD with the schema of `.spec`, an object."""
    return small(
        {"type": "object", "properties": {"spec": {"type": "object", **read(f"{{{schema}}}")}}}
    )


def with_parts(**parts: str) -> dict[str, Any]:
    """Return a CRD with parts of its spec, or of its version, in place of the usual ones."""
    crd = small(
        {
            "type": "object",
            "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}},
        }
    )
    for name, text in parts.items():
        if name in {"names", "conversion", "versions", "scope", "group"}:
            crd["spec"][name] = read(text)
        else:
            crd["spec"]["versions"][0][name] = read(text)
    return crd


def changes(old: Any, new: Any, kube_version: str = "1.36") -> list[Diagnostic]:
    """Return the findings of an update that are about changes."""
    collected = collect_crds(json.dumps(old), "old.yaml").by_name
    result = lint_file(
        json.dumps(new),
        "new.yaml",
        CheckRequest(previous=collected.get, versions=parse_range(kube_version)),
    )
    return [one for one in result.diagnostics if one.rule.startswith("change-")]


def summary(old: Any, new: Any) -> list[str]:
    """Return the severity and the rule of each change, in alphabetical order."""
    return sorted(f"{one.severity} {one.rule.removeprefix('change-')}" for one in changes(old, new))
