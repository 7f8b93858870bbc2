"""Advice: a status that the status subresource does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.finding import Edits, Finding, Fixer
from crdlint.rules.engine.parts import VersionParts, version_parts
from crdlint.rules.engine.rule import Caution, Hint, once
from crdlint.yaml.nodes import Mapping, Scalar, child

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps

_ENABLED: Final = "subresources: {status: {}}\n"


@Fixer("Enable the status subresource", "unsafe")
def _enabled(finding: Finding) -> Edits:
    node = finding.node(finding.path)
    while not (isinstance(node, Mapping) and node.find("served") is not None):
        parent = finding.editor.parent(node)
        if parent is None:
            return
        node = parent
    subresources = node.find("subresources")
    if subresources is None:
        yield finding.editor.insert(node, "subresources", "{status: {}}" if node.flow else "\n  status: {}")
    elif isinstance(subresources[1], Mapping):
        yield finding.editor.insert(subresources[1], "status", "{}")


def _version(subresources: str, required: str = "") -> str:
    return (
        f"schema:\n  openAPIV3Schema:\n    type: object\n{required}    properties:\n"
        "      status: {type: object, properties: {phase: {type: string}}}\n"
        f"{subresources}"
    )


NO_SUBRESOURCE = Hint(
    id="status-without-subresource",
    summary="Schema has `status`, but the status subresource is disabled",
    why="Requests to `/status` end in 404, and each write of the status raises `metadata.generation`. With the subresource, the "
    "API server ignores the status in other updates, so controllers must write it by `/status` first.",
    bad=_version(""),
    good=_version(_ENABLED),
    help="Change the controller to write the status by `/status`, then add `subresources: {status: {}}` to the version",
    scope="version",
    marker="write `+kubebuilder:subresource:status`",
    fixes=(_enabled,),
)
REQUIRED = Caution(
    id="status-required",
    summary="No object can be created: `status` is required",
    why="With the status subresource, the API server drops `status` from a new object and then rejects the object because "
    "`status` is missing.",
    bad=_version(_ENABLED, "    required: [status]\n"),
    good=_version(_ENABLED),
    help="Remove `status` from `required`",
    scope="version",
    marker="write `+optional` on the field `Status`",
    fixes=(Fixer("Remove `status` from `required`", "unsafe", Finding.remove_item),),
)


@Fixer("Write `status: {}`", "safe")
def _mapping(finding: Finding) -> Edits:
    yield finding.editor.set(finding.owner, finding.name, "{}")


@Caution(
    id="status-subresource-null",
    summary="`status:` without a value does not enable the status subresource",
    why="YAML reads the missing value as null, and the API server ignores a subresource that is null. Requests to `/status` end "
    "in 404.",
    bad=_version("subresources: {status: }\n"),
    good=_version(_ENABLED),
    help="Write `status: {}`",
    scope="version",
    fixes=(_mapping,),
).practice
def _null_status(crd: DecodedCRD) -> Iterator[Advisory]:
    for i, parts in enumerate(version_parts(crd.spec)):
        if _is_null(i, parts, crd):
            message = "the status subresource is not enabled: `status` is null"
            yield Advisory(message, parts.path.child("subresources", "status"))


def _is_null(index: int, parts: VersionParts, crd: DecodedCRD) -> bool:
    node = child(crd.root, "spec", "versions", index, "subresources", "status")
    return isinstance(node, Scalar) and not parts.has_status


def _has_fields(status: JSONSchemaProps) -> bool:
    """Return whether there is a status to write: a schema without fields drops it."""
    return bool(status.properties or status.additional_properties or status.x_preserve_unknown_fields)


@NO_SUBRESOURCE.practice
def status(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the versions with a status but no subresource, as one finding, and those that require a status with it."""
    without: list[Advisory] = []
    for i, parts in enumerate(version_parts(crd.spec)):
        schema = parts.schema
        field = None if schema is None else schema.properties.get("status")
        if schema is None or (field is None and not (parts.has_status and schema.x_preserve_unknown_fields)):
            continue
        if not parts.has_status and field is not None and _has_fields(field) and not _is_null(i, parts, crd):
            message = (
                "the status subresource is disabled: `/status` does not exist, and writes of it raise the generation"
            )
            without.append(Advisory(message, parts.schema_path.child("properties").key("status")))
        elif parts.has_status and "status" in schema.required and (field is None or field.default is None):
            message = "no object can be created: the API server drops `status` on create, and then requires it"
            path = parts.schema_path.child("required").index(list(schema.required).index("status"))
            yield Advisory(message, path, rule=REQUIRED.id)
    yield from once(without)
