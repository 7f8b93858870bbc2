"""Markers of controller-gen: what to change in the Go source that a CRD is generated from."""

from __future__ import annotations

from typing import Final

from crdlint.crd.model import CustomResourceDefinition, JSONSchemaProps
from crdlint.diagnostics import Diagnostic
from crdlint.golang.text import quote
from crdlint.light import regex, replace
from crdlint.rules.engine.rule import Rule
from crdlint.safety.bugs import attempt

VERSION_ANNOTATION: Final = "controller-gen.kubebuilder.io/version"

# The first release of controller-gen that knows a marker, and the marker to write before, empty if there is none.
_SINCE: Final[tuple[tuple[str, tuple[int, int, int], str], ...]] = (
    ("`+required`", (0, 16, 0), "`+kubebuilder:validation:Required`"),
    ("+kubebuilder:selectablefield", (0, 16, 4), ""),
    ("+kubebuilder:validation:items:", (0, 15, 0), ""),
    ("+kubebuilder:metadata:", (0, 11, 0), ""),
    ("+kubebuilder:validation:XValidation", (0, 9, 0), ""),
    ("+kubebuilder:deprecatedversion", (0, 6, 0), ""),
    ("crd:generateEmbeddedObjectMeta", (0, 6, 0), ""),
)
_RELEASE: Final = regex(r"v(\d{1,9})\.(\d{1,9})\.(\d{1,9})")


def marker_help(marker: str, version: str) -> str:
    """Return the help that names the marker for the Go source, for the version of controller-gen that an annotation has."""
    release = _RELEASE.match(version)
    if release is None:  # a build without a version
        return f"With controller-gen: {marker}"
    numbers = (int(release[1]), int(release[2]), int(release[3]))
    needed = version
    for name, since, earlier in _SINCE:
        if numbers < since and name in marker:
            marker = marker.replace(name, earlier or name)
            needed = version if earlier else f"v{'.'.join(map(str, since))} or later"
    return f"With controller-gen {needed}: {marker}"


def with_marker(
    finding: Diagnostic,
    crd: CustomResourceDefinition,
    rule: Rule,
    own: str | None = None,
) -> Diagnostic:
    """Return a finding whose help has the marker for the Go source, its own or the rule's, if the CRD is generated from Go."""
    version = crd.metadata.annotations.get(VERSION_ANNOTATION)
    marker = rule.marker if own is None else own
    if finding.field.endswith(".messageExpression"):
        marker = marker.replace("`rule`", "`messageExpression`")
    help_ = attempt(marker_help, marker, version) if marker and version is not None else None
    if help_ is None:
        return finding
    says_what = own is None and finding.help not in {None, rule.help}
    return replace(finding, help=f"{finding.help}. {help_}" if says_what else help_)


def validation(schema: JSONSchemaProps, keyword: str) -> str:
    """Return the marker that sets a keyword of a field or of its items, without the value."""
    items = "items:" if schema.steps == ("items",) else ""
    return f"`+kubebuilder:validation:{items}{keyword[0].upper()}{keyword[1:]}`"


def rule_marker(text: str, message: str) -> str:
    """Return the marker for a rule of x-kubernetes-validations."""
    return f"`+kubebuilder:validation:XValidation:rule={quote(text)},message={quote(message)}`"
