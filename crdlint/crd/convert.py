"""A v1 CRD into the internal version, which is the one that is validated.

Follows apiextensions pkg/apis/apiextensions/v1/conversion.go: what all versions have alike moves to the spec, the
webhook loses a level. The decoded objects are moved about in place rather than copied.
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

# What moves to the spec where all versions agree: the version's attribute, the spec's.
_MOVES: Final = (
    ("subresources", "subresources"),
    ("schema", "validation"),
    ("additional_printer_columns", "additional_printer_columns"),
    ("selectable_fields", "selectable_fields"),
)


def read_crd(root: Node, *, stored: bool = False, server: Server = NEWEST) -> Decoded:
    """Read a document as an API server has it when it validates: decoded, defaulted, converted, prepared for create.

    ``stored`` keeps the status as given, for an object that is there already (see ``defaults.prepare_for_update``).
    """
    decoded = decode_crd(root, server)
    set_defaults(decoded.crd)
    convert_to_internal(decoded.crd)
    if not stored:
        prepare_for_create(decoded.crd, server)
    return decoded


def convert_to_internal(crd: CustomResourceDefinition) -> None:
    """Turn a defaulted v1 CRD into the internal version, in place, and give each whole schema its path."""
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


def _internal_conversion(given: model.CustomResourceConversion) -> model.CustomResourceConversion:
    webhook = given.webhook
    if webhook is None:
        return given
    made = model.CustomResourceConversion()
    made.node = given.node
    made.strategy = given.strategy
    if webhook.client_config is not None:
        made.webhook_client_config = webhook.client_config
    if "conversion_review_versions" in webhook.__dict__:
        made.conversion_review_versions = webhook.conversion_review_versions
    return made
