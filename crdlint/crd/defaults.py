"""Defaults that the API server sets, and fields that it resets, before validation.

Defaults: apiextensions pkg/apis/apiextensions/v1/defaults.go. Preparation: pkg/registry/customresourcedefinition
strategy.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd import model
from crdlint.crd.paths import Path
from crdlint.golang.text import to_lower

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.crd.model import CustomResourceDefinition, CustomResourceDefinitionVersion
    from crdlint.kubernetes.servers import Server

ESTABLISHED: Final = "Established"  # the condition that the API server serves the resources of a CRD


def set_defaults(crd: CustomResourceDefinition) -> None:
    """Set the defaults of a decoded v1 CRD, in place. Upstream: SetObjectDefaults_CustomResourceDefinition."""
    attributes = crd.__dict__
    spec = attributes.setdefault("spec", model.CustomResourceDefinitionSpec())
    names = spec.__dict__.setdefault("names", model.CustomResourceDefinitionNames())
    if not names.singular:
        names.singular = to_lower(names.kind)
    if not names.list_kind and names.kind:
        names.list_kind = f"{names.kind}List"
    if spec.conversion is None:
        spec.conversion = model.CustomResourceConversion()
        spec.conversion.strategy = "None"
    webhook = spec.conversion.webhook
    if webhook is not None and webhook.client_config is not None:
        service = webhook.client_config.service
        if service is not None and "port" not in service.__dict__:
            service.port = 443
    if not crd.status.stored_versions:
        status = attributes.setdefault("status", model.CustomResourceDefinitionStatus())
        status.stored_versions = _storage_versions(spec.versions)[:1]


def prepare_for_create(crd: CustomResourceDefinition, server: Server) -> None:
    """Reset the status and generation of a new object. Upstream: strategy.PrepareForCreate."""
    drop_disabled_fields(crd, server)
    own_metadata(crd).generation = 1
    crd.status = model.CustomResourceDefinitionStatus()
    crd.status.stored_versions = _storage_versions(crd.spec.versions)[:1]


def prepare_for_update(crd: CustomResourceDefinition, old: CustomResourceDefinition) -> None:
    """Copy the status of the old object, with the storage version added. Upstream: strategy.PrepareForUpdate."""
    crd.status = status = model.CustomResourceDefinitionStatus()
    status.__dict__.update(old.status.__dict__)
    storage = _storage_versions(crd.spec.versions)[:1]
    status.stored_versions = [
        *status.stored_versions,
        *(name for name in storage if name not in status.stored_versions),
    ]


def drop_disabled_fields(crd: CustomResourceDefinition, server: Server, in_use: frozenset[str] = frozenset()) -> None:
    """Remove the fields that the server's feature gates disable, unless the old object uses them. Upstream: dropDisabledFields."""
    disabled = server.dropped_fields - in_use
    if "optional_old_self" in disabled:
        for schema in crd.spec.root_schemas():
            crd.dropped = (*crd.dropped, *_drop_optional_old_self(schema))
    if "selectable_fields" in disabled:
        spec, path = crd.spec, Path("spec")
        versions = enumerate(spec.versions)
        holders = [(spec, path), *((version, path.child("versions").index(i)) for i, version in versions)]
        for holder, holder_path in holders:
            if holder.__dict__.pop("selectable_fields", None):
                crd.dropped = (*crd.dropped, (holder_path.child("selectableFields"), "selectable_fields"))


def _drop_optional_old_self(schema: model.JSONSchemaProps) -> Iterator[tuple[Path, str]]:
    pending = [schema]
    while pending:
        here = pending.pop()
        for i, rule in enumerate(here.x_validations):
            if rule.__dict__.pop("optional_old_self", None) is not None:
                path = here.path.child("x-kubernetes-validations").index(i).child("optionalOldSelf")
                yield path, "optional_old_self"
        items = () if here.items is None else here.items.json_schemas
        below = (here.additional_schema, *here.properties.values(), *items, here.item_schema)
        pending.extend(schema for schema in below if schema is not None)


def assume_established(crd: CustomResourceDefinition) -> None:
    """Make a CRD that was read from a file an established one, in place, unless its status contradicts that.

    A file has no status, or the empty one that code generators write. A status with accepted names comes from a server,
    which also adds the condition Established once it is true.
    """
    status = crd.__dict__.setdefault("status", model.CustomResourceDefinitionStatus())
    accepted = status.accepted_names
    if accepted.kind or accepted.plural or any(condition.type == ESTABLISHED for condition in status.conditions):
        return
    condition = model.CustomResourceDefinitionCondition()
    condition.type, condition.status = ESTABLISHED, "True"
    status.conditions = (*status.conditions, condition)


def is_established(crd: CustomResourceDefinition) -> bool:
    """Return whether the API server serves a CRD already."""
    return any(condition.type == ESTABLISHED and condition.status == "True" for condition in crd.status.conditions)


def accepted_names(crd: CustomResourceDefinition) -> model.CustomResourceDefinitionNames:
    """Return the names that the API server has accepted for a CRD; a file of an established one does not list them."""
    accepted = crd.status.accepted_names
    return crd.spec.names if is_established(crd) and not accepted.plural else accepted


def own_metadata(crd: CustomResourceDefinition) -> model.ObjectMeta:
    """Return the metadata of a CRD for changes; create it if the CRD has none of its own."""
    made: model.ObjectMeta = crd.__dict__.setdefault("metadata", model.ObjectMeta())
    return made


def _storage_versions(versions: Iterable[CustomResourceDefinitionVersion]) -> list[str]:
    return [version.name for version in versions if version.storage]
