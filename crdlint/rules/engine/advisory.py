"""Advisory rules: findings about a CRD that do not reject it, and the parts of a CRD as they read them.

The declaration of a rule is the decorator of the function that yields them, see `Rule.advice`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as MappingOf
from types import MappingProxyType
from typing import Final, TypeAlias

from crdlint.crd.model import (
    CustomResourceColumnDefinition,
    CustomResourceDefinitionNames,
    CustomResourceDefinitionSpec,
    CustomResourceDefinitionVersion,
    CustomResourceSubresources,
    CustomResourceSubresourceScale,
    JSONSchemaProps,
    SelectableField,
)
from crdlint.crd.paths import Path
from crdlint.diagnostics import Kind, Severity
from crdlint.kubecel.cost import EstimatedRule
from crdlint.kubernetes.servers import Range
from crdlint.light import NamedTuple
from crdlint.schema.traversal import lineage, schemas
from crdlint.yaml.nodes import Mapping, text_or_empty

Advise: TypeAlias = "Callable[[DecodedCRD], Sequence[Advisory]]"
_SPEC = Path("spec").shared()
SCALARS: Final = frozenset({"string", "integer", "number", "boolean"})
# The types of the values that a keyword limits.
TYPES_OF: Final = {
    keyword: frozenset(types.split())
    for types, keywords in (
        ("string", "minLength maxLength pattern"),
        ("integer number", "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"),
        ("array", "minItems maxItems items"),
        ("object", "minProperties maxProperties required properties additionalProperties"),
        ("object array", "x-kubernetes-preserve-unknown-fields"),
    )
    for keyword in keywords.split()
}
JUNCTORS: Final = frozenset({"allOf", "anyOf", "oneOf", "not"})


def misfits(spec: CustomResourceDefinitionSpec) -> int:
    """Return how many keywords limit no value of the type of their schema."""
    typed = [schema for root in spec.root_schemas() for schema in schemas(root) if schema.type]
    keys = (
        (schema.type, text_or_empty(key))
        for schema in typed
        for key in (schema.node.items[::2] if schema.node else ())
    )
    return sum(type_ not in TYPES_OF.get(key, (type_,)) for type_, key in keys)


class Advisory(NamedTuple):
    """A finding that does not reject the CRD: a warning header of the server, or advice of crdlint.

    - `headline`: empty if it is the first part of the message
    - `inside`: the range to report within a string value, as code points (start, end)
    - `subject`: further information for the rule's fix
    - `rule`: the id of the rule, empty for the only rule of the advice
    - `cause`: see `Diagnostic`
    - `marker`: what to do in the Go source instead: None for the marker of the rule, empty for none
    """

    message: str
    path: Path
    help: str | None = None
    inside: tuple[int, int] | None = None
    subject: object = None
    severity: Severity | None = None
    old_path: Path | None = None
    marker: str | None = None
    rule: str = ""
    kind: Kind = "advice"
    headline: str = ""
    cause: str = ""


class DecodedCRD(NamedTuple):
    """A CRD as the input of advisory rules.

    - `root`: its node
    - `text`: the text of its document
    - `parts`: its versions, see `version_parts`
    - `schemas`: all schemas of its versions
    - `old_schemas`: those of the CRD that it replaces, empty on create
    - `rules`: those that the server compiles, with their costs
    - `versions`: the servers of the run
    - `dropped`: the fields that the newest of them drops, by path and name
    - `requested`: the rules to run that are only reported on request
    - `annotations`: those of the CRD
    - `old_names`: the names that the API server has accepted for the CRD, None on create
    - `apply_severity`: that of what only server-side apply rejects, None if it is not reported
    - `client_side_severity`: the same for client-side apply, but for that of Argo CD
    - `is_by_argo_cd`: whether Argo CD sends the CRD by client-side apply, unless an annotation of the CRD changes that
    """

    root: Mapping
    text: str
    spec: CustomResourceDefinitionSpec
    parts: Sequence[VersionParts]
    schemas: Sequence[JSONSchemaProps]
    old_schemas: Sequence[JSONSchemaProps]
    rules: Sequence[EstimatedRule]
    versions: Range
    dropped: Sequence[tuple[Path, str]] = ()
    requested: frozenset[str] = frozenset()
    annotations: MappingOf[str, str] = MappingProxyType({})
    old_names: CustomResourceDefinitionNames | None = None
    apply_severity: Severity | None = None
    client_side_severity: Severity | None = "info"
    is_by_argo_cd: bool = False


def on_rules(
    crd: DecodedCRD, advise: Callable[[EstimatedRule], Iterable[Advisory]]
) -> Iterator[Advisory]:
    """Yield the advice about each rule, at its path.

    `advise` is asked once for all copies of a rule that aliases of its schema make.
    """
    advice: dict[tuple[int, ...], list[Advisory]] = {}
    for estimated in crd.rules:
        key = *estimated.written, id(estimated.compiled.rule.compilation)
        if key not in advice:
            advice[key] = list(advise(estimated))
        for advisory in advice[key]:
            yield advisory._replace(path=estimated.path.child("rule"))


class VersionParts(NamedTuple):
    """A version, or all of them if they share ``schema``, ``subresources`` and ``columns``, which are at ``path``."""

    version: CustomResourceDefinitionVersion
    schema: JSONSchemaProps | None
    subresources: CustomResourceSubresources | None
    columns: Sequence[CustomResourceColumnDefinition]
    selectable: Sequence[SelectableField]
    path: Path

    @property
    def schema_path(self) -> Path:
        """The path of the schema, in the version itself if only the schema is shared."""
        return self.path.child("validation" if self.path is _SPEC else "schema", "openAPIV3Schema")

    @property
    def scale(self) -> CustomResourceSubresourceScale | None:
        """The scale subresource, if it is enabled."""
        return None if self.subresources is None else self.subresources.scale

    @property
    def has_status(self) -> bool:
        """Whether the status subresource is enabled."""
        return self.subresources is not None and self.subresources.status is not None


def version_parts(spec: CustomResourceDefinitionSpec) -> Iterator[VersionParts]:
    """Yield each version with its parts. If all versions share all parts, yield only the first version."""
    own = any(
        version.subresources or version.additional_printer_columns or version.schema
        for version in spec.versions
    )
    for parts in all_versions(spec):
        yield parts if own else parts._replace(path=_SPEC)
        if not own:
            return


def all_versions(spec: CustomResourceDefinitionSpec) -> Iterator[VersionParts]:
    """Yield each version with its parts, whether or not others share them."""
    for i, version in enumerate(spec.versions):
        validation = spec.validation or version.schema
        schema = None if validation is None else validation.open_api_v3_schema
        subresources = spec.subresources or version.subresources
        columns = spec.additional_printer_columns or version.additional_printer_columns
        selectable = spec.selectable_fields or version.selectable_fields
        yield VersionParts(
            version,
            schema,
            subresources,
            columns,
            selectable,
            _SPEC.child("versions").index(i),
        )


def property_name(schema: JSONSchemaProps) -> str | None:
    """Return the name of a schema's property, or None for items, maps and parts of allOf, anyOf, oneOf and not."""
    return (
        str(schema.steps[1])
        if schema.steps[:1] == ("properties",) and not in_junctor(schema)
        else None
    )


def in_junctor(schema: JSONSchemaProps) -> bool:
    """Return whether a schema is in allOf, anyOf, oneOf or not, where it extends another schema."""
    return any(each.steps and each.steps[0] in JUNCTORS for each in lineage(schema))


def top_property(schema: JSONSchemaProps) -> str:
    """Return the name of the root's property that contains a schema, empty for the root."""
    *_, top, _ = (schema, *lineage(schema))
    return str(top.steps[1]) if top.steps[:1] == ("properties",) else ""


def is_of_metadata(schema: JSONSchemaProps) -> bool:
    """Return whether a schema is apiVersion, kind or metadata of the root, or a part of them."""
    return top_property(schema) in {"apiVersion", "kind", "metadata"}
