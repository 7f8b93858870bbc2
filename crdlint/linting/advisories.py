"""All that is said of a CRD without refusing it, gathered in one pass over its schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.rules import formats, size, yaml_booleans
from crdlint.schema.traversal import schemas, whole_schemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.model import CustomResourceDefinitionSpec, JSONSchemaProps
    from crdlint.rules.engine.finding import Remark
    from crdlint.yaml.nodes import Mapping

_FORMAT: Final = SCHEMA_BITS["format"]
_ENUM: Final = SCHEMA_BITS["enum"]


def remarks(
    root: Mapping, text: str, spec: CustomResourceDefinitionSpec, old: CustomResourceDefinitionSpec | None
) -> Iterator[Remark]:
    """Yield warnings and advice; on update (``old``), the server warns only of formats that are new."""
    known_before = {schema.format for schema in _all(old) if formats.is_unrecognized(schema)} if old is not None else ()
    for schema in _all(spec):
        if schema.given & _FORMAT and formats.is_unrecognized(schema) and schema.format not in known_before:
            yield formats.remark(schema)
        if schema.given & _ENUM:
            yield from yaml_booleans.remarks(schema)
    yield from size.remarks(root, text, spec)


def _all(spec: CustomResourceDefinitionSpec) -> Iterator[JSONSchemaProps]:
    for whole in whole_schemas(spec):
        yield from schemas(whole)
