"""How to correct the name of a CRD, in words."""

from __future__ import annotations

from crdlint.crd.kubenames import is_dns1035_label, is_dns1123_subdomain
from crdlint.crd.model import CustomResourceDefinition
from crdlint.phrases import Sample


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
    other = other_part(name, expected)
    return Sample(f"Rename it to `{expected}`{f', or set {other}' if other else ''}")


def other_part(name: str, expected: str) -> str:
    """Return the field and the value with which a name is right that has one of the expected parts, if the other is valid."""
    plural, _, group = name.partition(".")
    expected_plural, _, expected_group = expected.partition(".")
    if (plural == expected_plural) == (group == expected_group):
        return ""
    if plural != expected_plural:
        return "" if is_dns1035_label(plural) else f"`spec.names.plural` to `{plural}`"
    is_group = "." in group and not is_dns1123_subdomain(group)
    return f"`spec.group` to `{group}`" if is_group else ""
