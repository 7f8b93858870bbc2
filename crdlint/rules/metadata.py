"""The CRD's own metadata (apimachinery pkg/api/validation/objectmeta.go, pkg/apis/meta/v1/validation)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd.equality import semantic_equal
from crdlint.crd.errors import TOO_LONG, FieldError, forbidden, invalid, required
from crdlint.crd.paths import Path
from crdlint.golang.quote import quote
from crdlint.golang.unicode import is_print
from crdlint.golang.values import Marshalled
from crdlint.rules.kubenames import is_dns1123_subdomain, is_label_key, is_label_value
from crdlint.rules.registry import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.model import CustomResourceDefinition, ObjectMeta, OwnerReference

_SOURCE = "apimachinery/pkg/api/validation ValidateObjectMeta"
_UPDATE = "apimachinery/pkg/api/validation ValidateObjectMetaUpdate"
ANNOTATIONS_LIMIT: Final = 262144  # bytes of all keys and values together

NAME = Rule(
    id="metadata-name",
    summary="A CRD that is not named `<plural>.<group>`.",
    why="The name is how the API server finds the CRD that serves a resource.",
    bad="name: foo.example.com\n",
    good="name: foos.example.com\n",
    help="name it after spec.names.plural and spec.group, with a dot between",
    source="apiextensions/validation ValidateCustomResourceDefinition",
    scope="metadata",
)
NAMESPACE = Rule(
    id="metadata-namespace",
    summary="A CRD in a namespace.",
    why="CRDs are cluster-scoped; `spec.scope` says where their resources live.",
    bad="namespace: default\n",
    good="name: foos.example.com\n",
    help="remove `metadata.namespace`",
    source=_SOURCE,
    scope="metadata",
)
LABELS = Rule(
    id="metadata-labels",
    summary="A label whose key or value is no label's.",
    why="Labels are used in selectors and have a narrow syntax.",
    bad="labels: {app: my app}\n",
    good="labels: {app: my-app}\n",
    help="use letters, digits, `-`, `_` and `.`, at most 63 of them, beginning and ending with a letter or digit",
    source=_SOURCE,
    scope="metadata",
)
ANNOTATIONS = Rule(
    id="metadata-annotations",
    summary="An annotation whose key is no qualified name.",
    why="Keys of annotations are names with an optional DNS prefix.",
    bad="annotations: {my key: x}\n",
    good="annotations: {example.com/my-key: x}\n",
    help="write the key as `example.com/name` or `name`, with letters, digits, `-`, `_` and `.`",
    source=_SOURCE,
    scope="metadata",
)
ANNOTATIONS_SIZE = Rule(
    id="metadata-annotations-too-long",
    summary="Annotations of more than 262144 bytes in all.",
    why="Annotations are loaded with every list of objects, so their size is bounded.",
    bad=f"annotations: {{example.com/data: {'x' * 10}{'{0}'}}}\n".replace("{0}", "y" * ANNOTATIONS_LIMIT),
    good="annotations: {example.com/data: x}\n",
    help="move the data into a ConfigMap; for kubectl.kubernetes.io/last-applied-configuration use `kubectl apply --server-side`",
    source=_SOURCE,
    scope="metadata",
)
OWNERS = Rule(
    id="metadata-owner-references",
    summary="An owner reference that names no object.",
    why="Garbage collection follows owner references; one that leads nowhere would delete the CRD.",
    bad="ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: ''}]\n",
    good="ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: 0b7c}]\n",
    help="give apiVersion, kind, name and uid of the owner, or remove the reference",
    source=_SOURCE,
    scope="metadata",
)
FINALIZERS = Rule(
    id="metadata-finalizers",
    summary="A finalizer that is no qualified name.",
    why="Controllers tell their finalizers apart by name.",
    bad="finalizers: [my finalizer]\n",
    good="finalizers: [example.com/cleanup]\n",
    help="write the finalizer as `example.com/name`",
    source=_SOURCE,
    scope="metadata",
)
SERVER_OWNED = Rule(
    id="metadata-server-owned",
    summary="A metadata field that the server writes, with a value it would not.",
    why="generation and managedFields are kept by the API server.",
    bad="managedFields: [{manager: me, operation: Patch}]\n",
    good="name: foos.example.com\n",
    help="remove the field from the manifest",
    source=_SOURCE,
    scope="metadata",
)
IMMUTABLE = Rule(
    id="metadata-immutable",
    summary="A metadata field that no update may change.",
    why="Name, namespace, uid and timestamps say which object it is.",
    bad="",
    good="",
    help="leave the field as it was, or delete the CRD (and with it all of its objects) and create it anew",
    source=_UPDATE,
    scope="metadata",
)

RULES = (
    NAME,
    NAMESPACE,
    LABELS,
    ANNOTATIONS,
    ANNOTATIONS_SIZE,
    OWNERS,
    FINALIZERS,
    SERVER_OWNED,
    IMMUTABLE,
)

_PATH: Final = Path("metadata")


def validate(crd: CustomResourceDefinition) -> Iterator[FieldError]:
    """Yield what is wrong with the metadata of a new CRD."""
    meta = crd.metadata
    wanted = f"{crd.spec.names.plural}.{crd.spec.group}"
    if meta.generate_name:
        path = _PATH.child("generateName")
        for message in _name(_mask_trailing_dash(meta.generate_name), meta.generate_name, wanted):
            yield invalid(NAME.id, path, meta.generate_name, message, help=f"write `name: {wanted}` instead")
    if not meta.name:
        yield required(NAME.id, _PATH.child("name"), "name or generateName is required", help=f"add `name: {wanted}`")
    else:
        for message in _name(meta.name, meta.name, wanted):
            yield invalid(NAME.id, _PATH.child("name"), meta.name, message, help=f"name it `{wanted}`")
    if meta.namespace:
        yield forbidden(NAMESPACE.id, _PATH.child("namespace"), "not allowed on this type")
    if meta.generation < 0:
        path = _PATH.child("generation")
        yield invalid(SERVER_OWNED.id, path, meta.generation, "must be greater than or equal to 0")
    yield from _labels(meta)
    yield from _annotations(meta)
    yield from _owners(meta)
    yield from _finalizers(meta)
    yield from _managed_fields(meta)


def _name(text: str, given: str, wanted: str) -> list[str]:
    errors = is_dns1123_subdomain(text)
    return errors if given == wanted else [*errors, 'must be spec.names.plural+"."+spec.group']


def _mask_trailing_dash(name: str) -> str:
    # A prefix may end in a dash, since more will follow; upstream takes two characters off and puts one on.
    return name[:-2] + "a" if len(name) > 1 and name.endswith("-") else name


def _labels(meta: ObjectMeta) -> Iterator[FieldError]:
    path = _PATH.child("labels")
    for key, value in meta.labels.items():
        for message in is_label_key(key):
            yield invalid(LABELS.id, path, key, message, at=path.child(key), help=None)
        for message in is_label_value(value):
            yield invalid(LABELS.id, path, value, message, at=path.child(key))


def _annotations(meta: ObjectMeta) -> Iterator[FieldError]:
    path = _PATH.child("annotations")
    size = 0
    for key, value in meta.annotations.items():
        size += len(key.encode("utf-8", "surrogatepass")) + len(value.encode("utf-8", "surrogatepass"))
        for message in is_label_key(key.lower()):
            yield FieldError(ANNOTATIONS.id, "FieldValueInvalid", path, key, message, at=path.child(key), key=True)
    if size > ANNOTATIONS_LIMIT:
        yield FieldError(ANNOTATIONS_SIZE.id, TOO_LONG, path, None, f"may not be more than {ANNOTATIONS_LIMIT} bytes")


def _owners(meta: ObjectMeta) -> Iterator[FieldError]:
    path = _PATH.child("ownerReferences")
    controller = ""
    for i, owner in enumerate(meta.owner_references):
        yield from _owner(owner, path.index(i))
        if owner.controller:
            name = f"{owner.kind}/{owner.name}"
            if controller:
                detail = (
                    "Only one reference can have Controller set to true. "
                    f'Found "true" in references for {controller} and {name}'
                )
                yield invalid(OWNERS.id, path, meta.owner_references, detail)
            else:
                controller = name


def _owner(owner: OwnerReference, path: Path) -> Iterator[FieldError]:
    group, _, version = owner.api_version.rpartition("/")
    if owner.api_version.count("/") > 1:
        group = version = ""  # what schema.FromAPIVersionAndKind cannot parse is empty
    for name, value, held, message in (
        ("apiVersion", owner.api_version, version, "version must not be empty"),
        ("kind", owner.kind, owner.kind, "must not be empty"),
        ("name", owner.name, owner.name, "must not be empty"),
        ("uid", owner.uid, owner.uid, "must not be empty"),
    ):
        if not held:
            yield invalid(OWNERS.id, path.child(name), Marshalled(value) if name == "uid" else value, message)
    if (group, version, owner.kind) == ("", "v1", "Event"):
        yield invalid(OWNERS.id, path, owner, "/v1, Kind=Event is disallowed from being an owner")


def _finalizers(meta: ObjectMeta) -> Iterator[FieldError]:
    path = _PATH.child("finalizers")
    for i, finalizer in enumerate(meta.finalizers):
        for message in is_label_key(finalizer):
            yield invalid(FINALIZERS.id, path, finalizer, message, at=path.index(i))
    if {"orphan", "foregroundDeletion"} <= set(meta.finalizers):
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        yield invalid(FINALIZERS.id, path, meta.finalizers, detail)


def _managed_fields(meta: ObjectMeta) -> Iterator[FieldError]:
    for i, entry in enumerate(meta.managed_fields):
        path = _PATH.child("managedFields").index(i)
        if entry.operation not in {"Apply", "Update"}:
            at = path.child("operation")
            yield invalid(SERVER_OWNED.id, at, Marshalled(entry.operation), "must be `Apply` or `Update`")
        if entry.fields_type and entry.fields_type != "FieldsV1":
            yield invalid(SERVER_OWNED.id, path.child("fieldsType"), entry.fields_type, "must be `FieldsV1`")
        if len(entry.manager.encode("utf-8", "surrogatepass")) > _MANAGER_LIMIT:
            detail = f"may not be more than {_MANAGER_LIMIT} bytes"
            yield FieldError(SERVER_OWNED.id, TOO_LONG, path.child("manager"), None, detail)
        position = 0
        for char in entry.manager:
            if not is_print(ord(char)):
                detail = f"invalid character U+{ord(char):04X} (at position {position})"
                yield invalid(SERVER_OWNED.id, path.child("manager"), entry.manager, detail)
            position += len(char.encode("utf-8", "surrogatepass"))
        if len(entry.subresource.encode("utf-8", "surrogatepass")) > _SUBRESOURCE_LIMIT:
            detail = f"may not be more than {_SUBRESOURCE_LIMIT} bytes"
            yield FieldError(SERVER_OWNED.id, TOO_LONG, path.child("subresource"), None, detail)


_MANAGER_LIMIT: Final = 128
_SUBRESOURCE_LIMIT: Final = 256


def validate_update(crd: CustomResourceDefinition, old: CustomResourceDefinition) -> Iterator[FieldError]:
    """Yield what an update may not do to the metadata."""
    meta, before = crd.metadata, old.metadata
    if before.deletion_timestamp is not None:
        extra = sorted(set(meta.finalizers) - set(before.finalizers))
        if extra:
            listed = "[]string{" + ", ".join(map(quote, extra)) + "}"
            detail = f"no new finalizers can be added if the object is being deleted, found new finalizers {listed}"
            yield forbidden(IMMUTABLE.id, _PATH.child("finalizers"), detail)
    if not meta.resource_version:
        yield invalid(IMMUTABLE.id, _PATH.child("resourceVersion"), "", "must be specified for an update")
    if meta.generation < before.generation:
        yield invalid(IMMUTABLE.id, _PATH.child("generation"), meta.generation, "must not be decremented")
    for name, attribute in _IMMUTABLE_FIELDS:
        value = getattr(meta, attribute)
        if not semantic_equal(value, getattr(before, attribute)):
            bad = Marshalled(value) if attribute == "uid" else value
            yield invalid(IMMUTABLE.id, _PATH.child(name), bad, "field is immutable")
    yield from _labels(meta)
    yield from _annotations(meta)
    yield from _owners(meta)
    yield from _managed_fields(meta)


_IMMUTABLE_FIELDS: Final = (
    ("name", "name"),
    ("namespace", "namespace"),
    ("uid", "uid"),
    ("creationTimestamp", "creation_timestamp"),
    ("deletionTimestamp", "deletion_timestamp"),
    ("deletionGracePeriodSeconds", "deletion_grace_period_seconds"),
)
