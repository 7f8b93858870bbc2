"""The CRD's own metadata (apimachinery pkg/api/validation/objectmeta.go, pkg/apis/meta/v1/validation)."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from functools import partial
from typing import Final

from crdlint.crd import object_meta
from crdlint.crd.errors import INVALID, FieldError, invalid, required
from crdlint.crd.kubenames import (
    is_dns1123_subdomain,
    is_path_segment,
    mask_trailing_dash,
)
from crdlint.crd.model import CustomResourceDefinition, ObjectMeta
from crdlint.crd.object_meta import ANNOTATIONS_LIMIT
from crdlint.crd.paths import Path
from crdlint.kubernetes.servers import Server
from crdlint.phrases import OneCommand
from crdlint.rules.engine import headlines
from crdlint.rules.engine.relations import ANYWHERE, OF_UNREAD_NAMES, between_fields
from crdlint.rules.engine.rule import Link, Rule
from crdlint.rules.helps.metadata import either_name, to_correct_first
from crdlint.rules.server import names
from crdlint.rules.texts import reading

_SOURCE = "apimachinery/pkg/api/validation ValidateObjectMeta"
_Rule: Final = partial(Rule, source=_SOURCE, scope="metadata")
_UPDATE = "apimachinery/pkg/api/validation ValidateObjectMetaUpdate"

_ALIKE: Final = 0.85  # of a whole name, most of which is the group
_PATH: Final = Path("metadata")
_GROUP: Final = "apiextensions.k8s.io"


NAME = Rule(
    "metadata-name",
    "CRD name is not `<plural>.<group>`",
    claims_nothing=True,
    follows=(
        Link(names.GROUP, ANYWHERE),
        Link(names.NAMES_REQUIRED, between_fields("metadata.name", "spec.names.plural")),
        Link(reading.DECODE_TYPE, OF_UNREAD_NAMES),
    ),
    headline={INVALID: headlines.wrong_name},
    scope="metadata",
    why="Clients and controllers find the CRD of a resource by this name, so the API server accepts no other.",
    help="Set `metadata.name` to `spec.names.plural` and `spec.group`, joined by a dot",
    bad="name: foo.example.com",
    good="name: foos.example.com",
    source="apiextensions/validation ValidateCustomResourceDefinition",
)
LABELS = _Rule(
    "metadata-labels",
    "Invalid label key or value",
    claims_nothing=True,
    headline={INVALID: "{label} in {of} {wrong}"},
    why="Label selectors support only a restricted syntax, so the API server rejects other keys and values.",
    help="Use at most 63 letters, digits, `-`, `_` and `.`, starting and ending with a letter or digit; a key may have "
    "a prefix such as `example.com/`",
    marker="correct `+kubebuilder:metadata:labels`",
    bad="labels: {app: my app}",
    good="labels: {app: my-app}",
)
ANNOTATIONS = _Rule(
    "metadata-annotations",
    "Invalid annotation key",
    claims_nothing=True,
    headline={INVALID: "key in {of} {wrong}"},
    why="An annotation key is a qualified name: an optional DNS prefix with a slash, and a name of at most 63 characters.",
    help="Write the key as `name` or `example.com/name`, with letters, digits, `-`, `_` and `.`",
    marker="correct `+kubebuilder:metadata:annotations`",
    bad="annotations: {my key: x}",
    good="annotations: {example.com/my-key: x}",
)
ANNOTATIONS_SIZE = _Rule(
    "metadata-annotations-too-long",
    "Annotations are larger than 262144 bytes in total",
    observed=("too-large-for-client-side-apply",),
    headline="{of} is larger than 256 KiB in total",
    why="Every response that contains the object contains its annotations, so the API server limits their size.",
    help="Move the data to a ConfigMap; if the annotation is kubectl.kubernetes.io/last-applied-configuration, remove "
    "it and use `kubectl apply --server-side`",
    bad=f"annotations: {{example.com/data: {'x' * 10}{'{0}'}}}\n".replace(
        "{0}", "y" * ANNOTATIONS_LIMIT
    ),
    good="annotations: {example.com/data: x}",
)
OWNERS = _Rule(
    "metadata-owner-references",
    "Invalid owner reference",
    observed=("owner-that-does-not-exist",),
    why="The API server accepts an owner that does not exist, and the garbage collector deletes objects of which no owner "
    "exists. A wrong reference can delete the CRD with all of its objects.",
    help="Specify `apiVersion`, `kind`, `name` and `uid` of the owner, or remove the reference",
    bad="ownerReferences: [{apiVersion: v1, kind: Namespace, name: x, uid: ''}]",
    good="ownerReferences: [{apiVersion: v1, kind: Namespace, name: x, uid: 0b7c}]",
)
FINALIZERS = _Rule(
    "metadata-finalizers",
    "Invalid finalizer name",
    observed=("finalizer-without-a-domain",),
    headline={INVALID: "name in {of} {wrong}"},
    why="Each controller finds its own finalizer by name, so the API server accepts only qualified names.",
    help="Write the finalizer as `example.com/name`",
    bad="finalizers: [my finalizer]",
    good="finalizers: [example.com/cleanup]",
)
SERVER_OWNED = _Rule(
    "metadata-server-owned",
    "Invalid value in a metadata field that the API server maintains",
    observed=("generation-and-managed-fields",),
    why="The API server maintains `generation` and `managedFields`. A manifest contains them only if it was copied "
    "from a cluster.",
    help="Remove the field from the manifest",
    bad=f"managedFields: [{{manager: {'m' * 129}, operation: Update, apiVersion: apiextensions.k8s.io/v1, "
    "fieldsType: FieldsV1, fieldsV1: {f:spec: {}}}]",
    good="name: foos.example.com",
)
IMMUTABLE = Rule(
    "metadata-immutable",
    "Update changes an immutable metadata field",
    observed=("metadata-of-an-update",),
    in_each_run=False,
    scope="metadata",
    why="Name, namespace and uid identify an object, so the API server rejects an update that changes them. Timestamps are its "
    "own: it overwrites a changed `creationTimestamp`.",
    help="Restore the previous value, or remove the field if the API server maintains it",
    source=_UPDATE,
)

IDS: Final = object_meta.Rules(
    NAME.id,
    LABELS.id,
    ANNOTATIONS.id,
    ANNOTATIONS_SIZE.id,
    OWNERS.id,
    FINALIZERS.id,
    SERVER_OWNED.id,
    IMMUTABLE.id,
)


def validate(crd: CustomResourceDefinition, server: Server) -> Iterator[FieldError]:
    """Yield what is wrong with the metadata of a new CRD."""
    meta = crd.metadata
    expected = f"{crd.spec.names.plural}.{crd.spec.group}"
    if meta.generate_name:
        path, prefix = _PATH.child("generateName"), meta.generate_name
        help_ = to_correct_first(crd, expected) or OneCommand(f"Write `name: {expected}` instead")
        for message in _name(mask_trailing_dash(prefix), prefix, expected):
            yield invalid(NAME.id, path, prefix, message, help=help_)
    path, name = _PATH.child("name"), meta.name
    if not name and meta.generate_name:
        name = object_meta.generated_name(meta.generate_name)
    if name:
        for message in _name(name, name, expected):
            first = to_correct_first(crd, expected)
            help_, meant = (first, "") if first else (either_name(name, expected), expected)
            yield invalid(
                NAME.id,
                path,
                name,
                message,
                help=help_,
                subject=meant,
            )
    else:
        help_ = to_correct_first(crd, expected) or OneCommand(f"Add `name: {expected}`")
        yield required(
            NAME.id,
            path,
            "name or generateName is required",
            help=help_,
        )
    yield from object_meta.validate_object_meta(
        as_managed(meta),
        _PATH,
        IDS,
        server,
    )


def as_managed(meta: ObjectMeta) -> ObjectMeta:
    """Return metadata of a manifest with the managed fields that the server keeps."""
    if not meta.managed_fields:
        return meta
    managed = copy(meta)
    managed.managed_fields = object_meta.kept_managed_fields(meta, _GROUP)
    return managed


def _name(text: str, name: str, expected: str) -> list[str]:
    errors = is_dns1123_subdomain(text)
    return errors if name == expected else [*errors, 'must be spec.names.plural+"."+spec.group']


def validate_update(
    crd: CustomResourceDefinition, old: CustomResourceDefinition, server: Server
) -> Iterator[FieldError]:
    """Yield what is wrong with the metadata of an update. Upstream: rest.validateCommonFields."""
    meta = as_managed(crd.metadata)
    yield from object_meta.validate_any_object_meta(
        meta,
        _PATH,
        server,
        rules=IDS,
        requires_namespace=False,
        name_check=is_path_segment,
    )
    yield from object_meta.validate_object_meta_update(
        meta,
        old.metadata,
        _PATH,
        IDS,
        server,
    )
