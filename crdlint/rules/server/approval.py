"""Approval of APIs in community groups, and spec.preserveUnknownFields (apiextensions validation)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as MappingOf
from contextlib import suppress
from typing import Final

from crdlint.crd.errors import REQUIRED, FieldError, invalid, required
from crdlint.crd.model import CustomResourceDefinition
from crdlint.crd.paths import Path
from crdlint.golang.text import quote
from crdlint.rules.engine.rule import Rule

ANNOTATION: Final = "api-approved.kubernetes.io"
PROTECTED = "metadata:\n  name: foos.example.k8s.io\n"


def version_with(schema: str) -> str:
    """Return the versions of a CRD whose only version has a schema with such fields."""
    head = "versions:\n- name: v1\n  served: true\n  storage: true\n  schema:\n"
    return f"{head}    openAPIV3Schema: {{type: object, {schema}}}\n"


WITH_DEFAULT: Final = "properties: {spec: {type: string, default: x}}"
_SEE: Final = "see https://github.com/kubernetes/enhancements/pull/1111"
_PATH: Final = Path("metadata").child("annotations").key(ANNOTATION)


APPROVAL = Rule(
    "api-approval",
    "CRD in a Kubernetes community group without API approval",
    observed=("group-of-the-community",),
    headline={
        REQUIRED: "annotation `api-approved.kubernetes.io` is missing: the group is protected"
    },
    scope="manifest",
    why="The Kubernetes community owns the groups that end in `.k8s.io` or `.kubernetes.io`, and reviews their APIs. "
    "The API server requires an annotation with the result of the review.",
    help=f"Use a group that you own, or add the annotation `{ANNOTATION}` with the URL of the pull request that approved the API "
    "(a value that starts with `unapproved` bypasses the review)",
    marker='write `+kubebuilder:metadata:annotations="api-approved.kubernetes.io=URL"`',
    bad=f"{PROTECTED}spec: {{group: example.k8s.io}}\n",
    good=f"{PROTECTED}  annotations: {{{ANNOTATION}: 'https://github.com/kubernetes/kubernetes/pull/78458'}}\n"
    "spec: {group: example.k8s.io}\n",
    source="apiextensions/validation validateAPIApproval",
)
PRESERVE = Rule(
    "preserve-unknown-fields",
    "`spec.preserveUnknownFields` is true",
    observed=("named-fields-and-other-keys",),
    headline="`spec.preserveUnknownFields: true` is not allowed in v1",
    scope="spec",
    why="In apiextensions.k8s.io/v1 the API server prunes all fields that the schema does not specify. Only the schema "
    "itself can allow unknown fields.",
    help="Remove `spec.preserveUnknownFields`, and set `x-kubernetes-preserve-unknown-fields: true` on the schemas "
    "that accept unknown fields",
    bad="preserveUnknownFields: true",
    good="scope: Namespaced",
    source="apiextensions/validation validatePreserveUnknownFields",
)
PRESERVE_DEFAULTS = Rule(
    "defaults-with-preserve-unknown-fields",
    "Default in a CRD with `spec.preserveUnknownFields: true`",
    claims_nothing=True,
    headline="defaults are not allowed with `spec.preserveUnknownFields: true`",
    why="The API server sets defaults only in objects that it prunes, and `preserveUnknownFields: true` disables pruning.",
    help="Remove `spec.preserveUnknownFields: true`",
    bad=f"preserveUnknownFields: true\n{version_with(WITH_DEFAULT)}",
    good=version_with(WITH_DEFAULT),
    source="apiextensions/validation validateCustomResourceDefinitionSpec",
    scope="spec",
)


def _state(annotations: MappingOf[str, str]) -> tuple[str, FieldError | None]:
    """Return the state of the approval, and what is wrong with it."""
    text, requirement = (
        annotations.get(ANNOTATION, ""),
        f"protected groups must have approval annotation {quote(ANNOTATION)}",
    )
    if not text:
        return "missing", required(APPROVAL.id, _PATH, f"{requirement}, {_SEE}")
    if text.startswith("unapproved"):
        return "bypassed", None
    # Few CRDs are in a protected group.
    from crdlint.golang.addresses import (
        URLError,
        parse_request_uri,
    )

    with suppress(URLError):
        url = parse_request_uri(text)
        if url.host and url.scheme:
            return "approved", None
    detail = f'{requirement} with either a URL or a reason starting with "unapproved", {_SEE}'
    return "invalid", invalid(APPROVAL.id, _PATH, text, detail)


def validate(
    crd: CustomResourceDefinition, old: CustomResourceDefinition | None = None
) -> Iterator[FieldError]:
    """Yield what the community's groups ask for; on update, only where the state of approval has changed."""
    group = crd.spec.group
    if group not in {"k8s.io", "kubernetes.io"} and not group.endswith(
        (".k8s.io", ".kubernetes.io")
    ):
        return
    state, error = _state(crd.metadata.annotations)
    if error is not None and (old is None or _state(old.metadata.annotations)[0] != state):
        yield error


def preserve_unknown_fields(
    crd: CustomResourceDefinition, old: CustomResourceDefinition | None = None
) -> Iterator[FieldError]:
    """Yield that spec.preserveUnknownFields may not be true, unless it was."""
    if old is not None and old.spec.preserve_unknown_fields:
        return
    if crd.spec.preserve_unknown_fields:
        detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
        yield invalid(
            PRESERVE.id,
            Path("spec").child("preserveUnknownFields"),
            True,
            detail,
        )
