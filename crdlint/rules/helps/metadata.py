"""How to correct the name of a CRD, in words."""

from __future__ import annotations

from crdlint.crd.kubenames import (
    is_dns1123_subdomain,
)
from crdlint.crd.model import CustomResourceDefinition


def to_correct_first(crd: CustomResourceDefinition, expected: str) -> str | None:
    """Return the help for fields of the spec without which the name of the CRD is not known, None if it is."""
    parts = {"spec.names.plural": crd.spec.names.plural, "spec.group": crd.spec.group}
    missing = " and ".join(name for name, value in parts.items() if not value)
    if missing:
        return f"Set {missing} first: the CRD is named `<plural>.<group>`"
    if is_dns1123_subdomain(expected):
        return f"Correct spec.names.plural or spec.group first: `{expected}` is not a valid name"
    return None


def either_name(name: str, expected: str) -> str:
    """Return the help for a name that differs from the expected one, in which either may have the error."""
    plural, _, group = name.partition(".")
    expected_plural, _, expected_group = expected.partition(".")
    other = (
        f"set `spec.group` to `{group}`"
        if plural == expected_plural
        else f"set `spec.names.plural` to `{plural}`"
    )
    is_other = "." in group and (plural == expected_plural) != (group == expected_group)
    return f"Rename it to `{expected}`{f', or {other}' if is_other else ''}"
