"""Conversion of a v1 CRD to the internal version, which the API server validates.

Upstream: apiextensions pkg/apis/apiextensions/v1/conversion.go. Fields that are equal in all versions move to the spec,
and the webhook fields move up one level. Decoded objects are changed in place instead of copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd import model
from crdlint.crd.decode import Decoded, decode_crd
from crdlint.crd.defaults import prepare_for_create, set_defaults
from crdlint.crd.equality import semantic_equal
from crdlint.crd.paths import Path
from crdlint.kubernetes.servers import NEWEST, Server

if TYPE_CHECKING:
    from collections.abc import Sequence as SequenceOf

    from crdlint.crd.model import CustomResourceDefinition, CustomResourceDefinitionVersion
    from crdlint.yaml.nodes import Node

# Fields that move to the spec if all versions agree: the attribute of the version, the attribute of the spec.
_MOVES: Final = (
    ("subresources", "subresources"),
    ("schema", "validation"),
    ("additional_printer_columns", "additional_printer_columns"),
    ("selectable_fields", "selectable_fields"),
)


def read_crd(root: Node, *, stored: bool = False, server: Server = NEWEST) -> Decoded:
    """Decode, default and convert a document, and prepare it for create, as an API server does before validation.

    `stored` keeps the status, for an object that exists already (see `defaults.prepare_for_update`).
    """
    decoded = decode_crd(root, server)
    vars(decoded.crd.metadata).pop("namespace", None)  # upstream: rest.EnsureObjectNamespaceMatchesRequestNamespace
    set_defaults(decoded.crd)
    convert_to_internal(decoded.crd)
    if not stored:
        prepare_for_create(decoded.crd, server)
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
        _move(spec, versions, attribute, target)
    base = Path("spec")
    _set_root(spec.validation, base.child("validation"))
    for i, version in enumerate(versions):
        _set_root(version.schema, base.child("versions").index(i).child("schema"))


def _move(
    spec: model.CustomResourceDefinitionSpec,
    versions: SequenceOf[CustomResourceDefinitionVersion],
    attribute: str,
    target: str,
) -> None:
    if not versions:
        return
    first = getattr(versions[0], attribute)
    if not all(semantic_equal(first, getattr(version, attribute)) for version in versions[1:]):
        return
    if attribute in versions[0].__dict__:
        setattr(spec, target, first)
    for version in versions:
        version.__dict__.pop(attribute, None)


def _set_root(validation: model.CustomResourceValidation | None, path: Path) -> None:
    if validation is not None and validation.open_api_v3_schema is not None:
        validation.open_api_v3_schema.root = path.child("openAPIV3Schema")


def _internal_conversion(conversion: model.CustomResourceConversion) -> model.CustomResourceConversion:
    webhook = conversion.webhook
    if webhook is None:
        return conversion
    made = model.CustomResourceConversion()
    made.node = conversion.node
    made.strategy = conversion.strategy
    if webhook.client_config is not None:
        made.webhook_client_config = webhook.client_config
    if "conversion_review_versions" in webhook.__dict__:
        made.conversion_review_versions = webhook.conversion_review_versions
    return made
