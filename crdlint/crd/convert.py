"""From a decoded v1 CRD to the internal version, which the API server validates: defaults, conversion, preparation.

Upstream: apiextensions pkg/apis/apiextensions/v1 (defaults.go, conversion.go), and for fields that the API server resets
pkg/registry/customresourcedefinition/strategy.go. Fields that are equal in all versions move to the spec, and the
webhook fields move up one level. Decoded objects are changed in place instead of copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from crdlint.crd import model
from crdlint.crd.decode import Decoded, decode_crd
from crdlint.crd.model import CustomResourceDefinition, CustomResourceDefinitionVersion
from crdlint.crd.object_meta import next_generation
from crdlint.crd.paths import Path
from crdlint.crd.record import Record, semantic_equal
from crdlint.gathering import without_none
from crdlint.golang.text import to_lower
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.yaml.nodes import Node

# The condition that the API server serves the resources of a CRD.
ESTABLISHED: Final = "Established"


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
        spec.conversion = model.CustomResourceConversion.of(strategy="None")
    _default_port(spec.conversion)
    if not crd.status.stored_versions:
        status = attributes.setdefault("status", model.CustomResourceDefinitionStatus())
        status.stored_versions = _storage_versions(spec.versions)[:1]


def _default_port(conversion: model.CustomResourceConversion) -> None:
    """Set the port of the service of a webhook, if it has none."""
    webhook = conversion.webhook
    if webhook is None or webhook.client_config is None:
        return
    service = webhook.client_config.service
    if service is not None and "port" not in service.__dict__:
        service.port = 443


def prepare_for_update(crd: CustomResourceDefinition, old: CustomResourceDefinition) -> None:
    """Copy the status of the old object, with the storage version added, and count a changed spec, in place.

    Upstream: strategy.PrepareForUpdate.
    """
    crd.status = status = model.CustomResourceDefinitionStatus.of(**vars(old.status))
    storage = _storage_versions(crd.spec.versions)[:1]
    added = [name for name in storage if name not in status.stored_versions]
    status.stored_versions = [*status.stored_versions, *added]
    if not semantic_equal(crd.spec, old.spec):
        own_metadata(crd).generation = next_generation(old.metadata.generation)


def drop_disabled_fields(
    crd: CustomResourceDefinition, server: Server, in_use: frozenset[str] = frozenset()
) -> None:
    """Remove the fields that the server's feature gates disable, unless the old object uses them. Upstream: dropDisabledFields."""
    disabled = server.dropped_fields - in_use
    if "optional_old_self" in disabled:
        for schema in crd.spec.root_schemas():
            crd.dropped = (*crd.dropped, *_drop_optional_old_self(schema))
    if "selectable_fields" in disabled:
        crd.dropped = (*crd.dropped, *_drop_selectable_fields(crd.spec))


def _drop_selectable_fields(
    spec: model.CustomResourceDefinitionSpec,
) -> Iterator[tuple[Path, str]]:
    path = Path("spec")
    holders: list[tuple[Record, Path]] = [(spec, path)]
    for i, version in enumerate(spec.versions):
        holders.append((version, path.child("versions").index(i)))
    for holder, holder_path in holders:
        if holder.__dict__.pop("selectable_fields", None):
            yield holder_path.child("selectableFields"), "selectable_fields"


def _drop_optional_old_self(schema: model.JSONSchemaProps) -> Iterator[tuple[Path, str]]:
    pending = [schema]
    while pending:
        here = pending.pop()
        rules_path = here.path.child("x-kubernetes-validations")
        for i, rule in enumerate(here.x_validations):
            if rule.__dict__.pop("optional_old_self", None) is not None:
                yield rules_path.index(i).child("optionalOldSelf"), "optional_old_self"
        items = () if here.items is None else here.items.json_schemas
        below = (here.additional_schema, *here.properties.values(), *items, here.item_schema)
        pending += without_none(below)


def assume_established(crd: CustomResourceDefinition) -> None:
    """Make a CRD that was read from a file an established one, in place, unless its status contradicts that.

    A file has no status, or the empty one that code generators write. A status with accepted names comes from a server,
    which also adds the condition Established once it is true.
    """
    status = crd.__dict__.setdefault("status", model.CustomResourceDefinitionStatus())
    accepted = status.accepted_names
    is_from_server = accepted.kind or accepted.plural
    has_condition = any(condition.type == ESTABLISHED for condition in status.conditions)
    if is_from_server or has_condition:
        return
    condition = model.CustomResourceDefinitionCondition.of(type=ESTABLISHED, status="True")
    status.conditions = (*status.conditions, condition)


def is_established(crd: CustomResourceDefinition) -> bool:
    """Return whether the API server serves a CRD already."""
    established = (ESTABLISHED, "True")
    return any(
        (condition.type, condition.status) == established for condition in crd.status.conditions
    )


def accepted_names(crd: CustomResourceDefinition) -> model.CustomResourceDefinitionNames:
    """Return the names that the API server has accepted for a CRD; a file of an established one does not list them."""
    accepted = crd.status.accepted_names
    lists_none = is_established(crd) and not accepted.plural
    return crd.spec.names if lists_none else accepted


def own_metadata(crd: CustomResourceDefinition) -> model.ObjectMeta:
    """Return the metadata of a CRD for changes; create it if the CRD has none of its own."""
    meta: model.ObjectMeta = crd.__dict__.setdefault("metadata", model.ObjectMeta())
    return meta


def _storage_versions(versions: Iterable[CustomResourceDefinitionVersion]) -> list[str]:
    return [version.name for version in versions if version.storage]


# Fields that move to the spec if all versions agree: the attribute of the version, the attribute of the spec.
_MOVES: Final = (
    ("subresources", "subresources"),
    ("schema", "validation"),
    ("additional_printer_columns", "additional_printer_columns"),
    ("selectable_fields", "selectable_fields"),
)


def read_crd(
    root: Node,
    *,
    stored: bool = False,
    server: Server = NEWEST,
    json: bool | None = None,
) -> Decoded:
    """Decode, default and convert a document, and prepare it for create, as an API server does before validation.

    `stored` keeps the status, for an object that exists already (see `defaults.prepare_for_update`).
    `json` means that the server reads the text of the document as JSON; it is found out if None.
    """
    return prepared(decode_crd(root, server, json=json), stored=stored, server=server)


def prepared(decoded: Decoded, *, stored: bool = False, server: Server = NEWEST) -> Decoded:
    """Default and convert a decoded CRD, in place, and prepare it for create; see `read_crd`."""
    # Upstream: rest.EnsureObjectNamespaceMatchesRequestNamespace.
    vars(decoded.crd.metadata).pop("namespace", None)
    set_defaults(decoded.crd)
    convert_to_internal(decoded.crd)
    if not stored:  # upstream: strategy.PrepareForCreate
        drop_disabled_fields(decoded.crd, server)
        own_metadata(decoded.crd).generation = 1
        versions = _storage_versions(decoded.crd.spec.versions)[:1]
        decoded.crd.status = model.CustomResourceDefinitionStatus.of(stored_versions=versions)
    return decoded


def convert_to_internal(crd: CustomResourceDefinition) -> None:
    """Convert a defaulted v1 CRD to the internal version, in place, and set the path of each root schema."""
    spec = crd.spec
    if spec.conversion is not None:
        spec.conversion = _internal_conversion(spec.conversion)
    spec.preserve_unknown_fields = bool(spec.preserve_unknown_fields)
    versions = spec.versions
    if versions:
        spec.version = versions[0].name
    for attribute, target in _MOVES:
        _move(spec, attribute, target)
    base = Path("spec")
    _set_root(spec.validation, base.child("validation"))
    for i, version in enumerate(versions):
        _set_root(version.schema, base.child("versions").index(i).child("schema"))


def _move(spec: model.CustomResourceDefinitionSpec, attribute: str, target: str) -> None:
    versions = spec.versions
    if not versions:
        return
    first, *others = (getattr(version, attribute) for version in versions)
    if not all(semantic_equal(first, other) for other in others):
        return
    if attribute in versions[0].__dict__:
        setattr(spec, target, first)
    for version in versions:
        version.__dict__.pop(attribute, None)


def _set_root(validation: model.CustomResourceValidation | None, path: Path) -> None:
    if validation is not None and validation.open_api_v3_schema is not None:
        validation.open_api_v3_schema.root = path.child("openAPIV3Schema")


def _internal_conversion(
    conversion: model.CustomResourceConversion,
) -> model.CustomResourceConversion:
    webhook = conversion.webhook
    if webhook is None:
        return conversion
    converted = model.CustomResourceConversion.of(
        node=conversion.node, strategy=conversion.strategy
    )
    if webhook.client_config is not None:
        converted.webhook_client_config = webhook.client_config
    if "conversion_review_versions" in webhook.__dict__:
        converted.conversion_review_versions = webhook.conversion_review_versions
    return converted
