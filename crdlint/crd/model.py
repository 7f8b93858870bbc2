"""The CRD as data: the internal types of apiextensions, which the API server validates.

Instances store only fields that are set, to save memory; classes have Go's zero values. `None` is a nil pointer. Nil
and empty lists are equivalent, as in upstream's `Semantic.DeepEqual`. Attributes are set by decoding, defaulting,
conversion and preparation for update, and never afterwards.
"""

from __future__ import annotations

from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from typing import Any
from weakref import ReferenceType

from crdlint.crd.paths import Key, Path
from crdlint.crd.record import Record, go
from crdlint.gathering import without_none


class ValidationRule(Record):
    """An entry of x-kubernetes-validations."""

    rule: str = go("Rule", "string")
    message: str = go("Message", "string")
    message_expression: str = go("MessageExpression", "string")
    reason: str | None = go("Reason", "*FieldValueErrorReason")
    field_path: str = go("FieldPath", "string")
    optional_old_self: bool | None = go("OptionalOldSelf", "*bool")


class ExternalDocumentation(Record):
    """A schema's externalDocs."""

    description: str = go("Description", "string")
    url: str = go("URL", "string")


class JSONSchemaPropsOrArray(Record):
    """`items`: one schema, or a list of schemas (forbidden, but decoded)."""

    schema: JSONSchemaProps | None = go("Schema", "*JSONSchemaProps", json="")
    json_schemas: SequenceOf[JSONSchemaProps] = go("JSONSchemas", "[]JSONSchemaProps", json="")


class JSONSchemaPropsOrBool(Record):
    """``additionalProperties`` and ``additionalItems``: a schema (then ``allows`` is true) or a boolean."""

    allows: bool = go("Allows", "bool", json="")
    schema: JSONSchemaProps | None = go("Schema", "*JSONSchemaProps", json="")


class JSONSchemaPropsOrStringArray(Record):
    """An entry of ``dependencies``."""

    schema: JSONSchemaProps | None = go("Schema", "*JSONSchemaProps", json="")
    property: SequenceOf[str] = go("Property", "[]string", json="")


class JSON(Record):
    """A `default` or `example` that is present: a pointer to any JSON value. `value` is the value in Python."""

    value: Any = None


class JSONSchemaProps(Record):
    """A schema node.

    `parent` is the parent schema, and `steps` lead from it to this node: a field, and a map key or index if the field
    has several schemas (`("properties", "spec")`, `("allOf", 0)`, `("items",)`). `root` is the path of the root schema
    (set on the root only). `set_fields` is a bit mask over `crdlint.crd.gotypes.SCHEMA_BITS` of the JSON fields that
    are set to a value other than null.
    """

    id: str = go("ID", "string")
    schema: str = go("Schema", "JSONSchemaURL", json="$schema")
    ref: str | None = go("Ref", "*string", json="$ref")
    description: str = go("Description", "string")
    type: str = go("Type", "string")
    nullable: bool = go("Nullable", "bool")
    format: str = go("Format", "string")
    title: str = go("Title", "string")
    default: JSON | None = go("Default", "*JSON")
    maximum: float | None = go("Maximum", "*float64")
    exclusive_maximum: bool = go("ExclusiveMaximum", "bool")
    minimum: float | None = go("Minimum", "*float64")
    exclusive_minimum: bool = go("ExclusiveMinimum", "bool")
    max_length: int | None = go("MaxLength", "*int64")
    min_length: int | None = go("MinLength", "*int64")
    pattern: str = go("Pattern", "string")
    max_items: int | None = go("MaxItems", "*int64")
    min_items: int | None = go("MinItems", "*int64")
    unique_items: bool = go("UniqueItems", "bool")
    multiple_of: float | None = go("MultipleOf", "*float64")
    enum: SequenceOf[Any] = go("Enum", "[]JSON=interface {}")
    max_properties: int | None = go("MaxProperties", "*int64")
    min_properties: int | None = go("MinProperties", "*int64")
    required: SequenceOf[str] = go("Required", "[]string")
    items: JSONSchemaPropsOrArray | None = go("Items", "*JSONSchemaPropsOrArray")
    all_of: SequenceOf[JSONSchemaProps] = go("AllOf", "[]JSONSchemaProps")
    one_of: SequenceOf[JSONSchemaProps] = go("OneOf", "[]JSONSchemaProps")
    any_of: SequenceOf[JSONSchemaProps] = go("AnyOf", "[]JSONSchemaProps")
    not_: JSONSchemaProps | None = go("Not", "*JSONSchemaProps")
    properties: MappingOf[str, JSONSchemaProps] = go("Properties", "map[string]JSONSchemaProps")
    additional_properties: JSONSchemaPropsOrBool | None = go(
        "AdditionalProperties", "*JSONSchemaPropsOrBool"
    )
    pattern_properties: MappingOf[str, JSONSchemaProps] = go(
        "PatternProperties", "map[string]JSONSchemaProps"
    )
    dependencies: MappingOf[str, JSONSchemaPropsOrStringArray] = go(
        "Dependencies", "JSONSchemaDependencies=map[string]JSONSchemaPropsOrStringArray"
    )
    additional_items: JSONSchemaPropsOrBool | None = go("AdditionalItems", "*JSONSchemaPropsOrBool")
    definitions: MappingOf[str, JSONSchemaProps] = go(
        "Definitions", "JSONSchemaDefinitions=map[string]JSONSchemaProps"
    )
    external_docs: ExternalDocumentation | None = go("ExternalDocs", "*ExternalDocumentation")
    example: JSON | None = go("Example", "*JSON")
    x_preserve_unknown_fields: bool | None = go("XPreserveUnknownFields", "*bool")
    x_embedded_resource: bool = go("XEmbeddedResource", "bool")
    x_int_or_string: bool = go("XIntOrString", "bool")
    x_list_map_keys: SequenceOf[str] = go("XListMapKeys", "[]string")
    x_list_type: str | None = go("XListType", "*string")
    x_map_type: str | None = go("XMapType", "*string")
    x_validations: SequenceOf[ValidationRule] = go(
        "XValidations", "ValidationRules=[]ValidationRule"
    )

    __slots__ = (
        "_below",
        "_path",
    )  # the dictionary of the instance contains only fields that are set
    _path: Path
    _below: Path
    set_fields: int = 0
    parent_ref: ReferenceType[JSONSchemaProps] | None = None
    steps: tuple[str | int, ...] = ()
    root: Path | None = None

    @property
    def parent(self) -> JSONSchemaProps | None:
        """The parent schema, a weak reference, so that reference counting alone frees a CRD."""
        return None if self.parent_ref is None else self.parent_ref()

    @property
    def item_schema(self) -> JSONSchemaProps | None:
        """The one schema of all list items, None without it."""
        return None if self.items is None else self.items.schema

    @property
    def additional_schema(self) -> JSONSchemaProps | None:
        """The schema of `additionalProperties`, None without it and for a boolean."""
        return None if self.additional_properties is None else self.additional_properties.schema

    @property
    def default_value(self) -> Any:
        """The default, None without one."""
        return None if self.default is None else self.default.value

    @property
    def applied_list_type(self) -> str:
        """How server-side apply merges lists: `atomic` without a list type."""
        return self.x_list_type or "atomic"

    @property
    def applied_map_type(self) -> str:
        """How server-side apply merges objects: `granular` without a map type."""
        return self.x_map_type or "granular"

    @property
    def root_schema(self) -> JSONSchemaProps:
        """The root of the schema."""
        current = self
        while (parent := current.parent) is not None:
            current = parent
        return current

    @property
    def path(self) -> Path:
        """The field path of this node as the API server prints it, created once on demand; nodes share common parts."""
        chain: list[JSONSchemaProps] = []
        node: JSONSchemaProps = self
        while (parent := node.parent) is not None and not hasattr(node, "_path"):
            chain.append(node)
            node = parent
        path = node._path if hasattr(node, "_path") else node.root or Path("openAPIV3Schema")  # noqa: SLF001
        for link in reversed(chain):
            field, *within = link.steps
            path = node.path_below(str(field), path)
            for step in within:
                path = Path(step if step.__class__ is int else Key(step), path)
            link._path = path  # noqa: SLF001
            node = link
        return path

    def path_below(self, field: str, path: Path) -> Path:
        """Return the path of a field of this schema, which is at `path`; siblings share it."""
        below = getattr(self, "_below", None)
        if below is None or below.step != field:
            below = self._below = Path(field, path)
        return below


class ServiceReference(Record):
    """The service of a conversion webhook; the default of `port` is 443."""

    namespace: str = go("Namespace", "string")
    name: str = go("Name", "string")
    path: str | None = go("Path", "*string")
    port: int = go("Port", "int32")


class WebhookClientConfig(Record):
    """The address of a conversion webhook; `ca_bundle` is the decoded base64."""

    url: str | None = go("URL", "*string")
    service: ServiceReference | None = go("Service", "*ServiceReference")
    ca_bundle: bytes = go("CABundle", "[]uint8")


class WebhookConversion(Record):
    """spec.conversion.webhook of v1, which conversion to the internal version replaces."""

    client_config: WebhookClientConfig | None = go("ClientConfig", "*WebhookClientConfig")
    conversion_review_versions: SequenceOf[str] = go("ConversionReviewVersions", "[]string")


class CustomResourceConversion(Record):
    """spec.conversion of the internal version (`webhook` is v1's until conversion)."""

    strategy: str = go("Strategy", "ConversionStrategyType")
    webhook_client_config: WebhookClientConfig | None = go(
        "WebhookClientConfig", "*WebhookClientConfig", json=""
    )
    conversion_review_versions: SequenceOf[str] = go(
        "ConversionReviewVersions", "[]string", json=""
    )
    webhook: WebhookConversion | None = go("", "*WebhookConversion", json="webhook")


class CustomResourceValidation(Record):
    """The validation field of a version: its schema."""

    open_api_v3_schema: JSONSchemaProps | None = go("OpenAPIV3Schema", "*JSONSchemaProps")


class CustomResourceSubresourceStatus(Record):
    """An enabled status subresource, which has no fields."""


class CustomResourceSubresourceScale(Record):
    """An enabled scale subresource."""

    spec_replicas_path: str = go("SpecReplicasPath", "string")
    status_replicas_path: str = go("StatusReplicasPath", "string")
    label_selector_path: str | None = go("LabelSelectorPath", "*string")


class CustomResourceSubresources(Record):
    """The subresources of a version."""

    status: CustomResourceSubresourceStatus | None = go(
        "Status", "*CustomResourceSubresourceStatus"
    )
    scale: CustomResourceSubresourceScale | None = go("Scale", "*CustomResourceSubresourceScale")


class SelectableField(Record):
    """A field that field selectors may use."""

    json_path: str = go("JSONPath", "string")


class CustomResourceColumnDefinition(Record):
    """A printer column."""

    name: str = go("Name", "string")
    type: str = go("Type", "string")
    format: str = go("Format", "string")
    description: str = go("Description", "string")
    priority: int = go("Priority", "int32")
    json_path: str = go("JSONPath", "string")


class CustomResourceDefinitionVersion(Record):
    """A version of the resource."""

    name: str = go("Name", "string")
    served: bool = go("Served", "bool")
    storage: bool = go("Storage", "bool")
    deprecated: bool = go("Deprecated", "bool")
    deprecation_warning: str | None = go("DeprecationWarning", "*string")
    schema: CustomResourceValidation | None = go("Schema", "*CustomResourceValidation")
    subresources: CustomResourceSubresources | None = go(
        "Subresources", "*CustomResourceSubresources"
    )
    additional_printer_columns: SequenceOf[CustomResourceColumnDefinition] = go(
        "AdditionalPrinterColumns", "[]CustomResourceColumnDefinition"
    )
    selectable_fields: SequenceOf[SelectableField] = go("SelectableFields", "[]SelectableField")

    @property
    def root_schema(self) -> JSONSchemaProps | None:
        """The root of its own schema, None without one."""
        return None if self.schema is None else self.schema.open_api_v3_schema

    @property
    def is_unfinished(self) -> bool:
        """Whether it has neither of the fields that every version has, as in a file that ends in the middle."""
        node = vars(self).get("node")  # which also has the fields that cannot be decoded
        return not any(
            name in vars(self) or (node is not None and node.find(name) is not None)
            for name in ("served", "storage")
        )


class CustomResourceDefinitionNames(Record):
    """The names of the resource."""

    plural: str = go("Plural", "string")
    singular: str = go("Singular", "string")
    short_names: SequenceOf[str] = go("ShortNames", "[]string")
    kind: str = go("Kind", "string")
    list_kind: str = go("ListKind", "string")
    categories: SequenceOf[str] = go("Categories", "[]string")


class CustomResourceDefinitionCondition(Record):
    """A condition of the CRD's status."""

    type: str = go("Type", "CustomResourceDefinitionConditionType")
    status: str = go("Status", "ConditionStatus")
    last_transition_time: str | None = go("LastTransitionTime", "v1.Time")
    reason: str = go("Reason", "string")
    message: str = go("Message", "string")
    observed_generation: int = go("ObservedGeneration", "int64")


class CustomResourceDefinitionStatus(Record):
    """The CRD's status."""

    conditions: SequenceOf[CustomResourceDefinitionCondition] = go(
        "Conditions", "[]CustomResourceDefinitionCondition"
    )
    accepted_names: CustomResourceDefinitionNames = go(
        "AcceptedNames", "CustomResourceDefinitionNames"
    )
    stored_versions: SequenceOf[str] = go("StoredVersions", "[]string")
    observed_generation: int = go("ObservedGeneration", "int64")


class CustomResourceDefinitionSpec(Record):
    """The spec of the internal version: schema, subresources, columns and selectable fields are here if all versions agree."""

    group: str = go("Group", "string")
    version: str = go("Version", "string", json="")
    names: CustomResourceDefinitionNames = go("Names", "CustomResourceDefinitionNames")
    scope: str = go("Scope", "ResourceScope")
    validation: CustomResourceValidation | None = go(
        "Validation", "*CustomResourceValidation", json=""
    )
    subresources: CustomResourceSubresources | None = go(
        "Subresources", "*CustomResourceSubresources", json=""
    )
    versions: SequenceOf[CustomResourceDefinitionVersion] = go(
        "Versions", "[]CustomResourceDefinitionVersion"
    )
    additional_printer_columns: SequenceOf[CustomResourceColumnDefinition] = go(
        "AdditionalPrinterColumns", "[]CustomResourceColumnDefinition", json=""
    )
    selectable_fields: SequenceOf[SelectableField] = go(
        "SelectableFields", "[]SelectableField", json=""
    )
    conversion: CustomResourceConversion | None = go("Conversion", "*CustomResourceConversion")
    preserve_unknown_fields: bool | None = go("PreserveUnknownFields", "*bool")

    @property
    def root_schema(self) -> JSONSchemaProps | None:
        """The root of the schema that all versions share, None without one."""
        return None if self.validation is None else self.validation.open_api_v3_schema

    @property
    def conversion_strategy(self) -> str:
        """The strategy of the conversion, `None` without one."""
        return "None" if self.conversion is None else self.conversion.strategy

    @property
    def conversion_client(self) -> WebhookClientConfig | None:
        """How the API server calls the conversion webhook, None without one."""
        return None if self.conversion is None else self.conversion.webhook_client_config

    def root_schemas(self) -> list[JSONSchemaProps]:
        """Return the root schemas: the shared one, then those of the versions."""
        roots = (self.root_schema, *(version.root_schema for version in self.versions))
        return without_none(roots)


class OwnerReference(Record, package="v1", has_json_tags=True):
    """An owner of the object; a type of the API itself, with JSON tags."""

    api_version: str = go("APIVersion", "string")
    kind: str = go("Kind", "string")
    name: str = go("Name", "string")
    uid: str = go("UID", "types.UID")
    controller: bool | None = go("Controller", "*bool")
    block_owner_deletion: bool | None = go("BlockOwnerDeletion", "*bool")


class ManagedFieldsEntry(Record, package="v1"):
    """An entry of metadata.managedFields."""

    manager: str = go("Manager", "string")
    operation: str = go("Operation", "ManagedFieldsOperationType")
    api_version: str = go("APIVersion", "string")
    time: str | None = go("Time", "*Time")
    fields_type: str = go("FieldsType", "string")
    fields_v1: Any = go("FieldsV1", "*FieldsV1")
    subresource: str = go("Subresource", "string")


class ObjectMeta(Record, package="v1"):
    """The metadata of the object; timestamps are unchanged texts."""

    name: str = go("Name", "string")
    generate_name: str = go("GenerateName", "string")
    namespace: str = go("Namespace", "string")
    self_link: str = go("SelfLink", "string")
    uid: str = go("UID", "types.UID")
    resource_version: str = go("ResourceVersion", "string")
    generation: int = go("Generation", "int64")
    creation_timestamp: str | None = go("CreationTimestamp", "Time")
    deletion_timestamp: str | None = go("DeletionTimestamp", "*Time")
    deletion_grace_period_seconds: int | None = go("DeletionGracePeriodSeconds", "*int64")
    labels: MappingOf[str, str] = go("Labels", "map[string]string")
    annotations: MappingOf[str, str] = go("Annotations", "map[string]string")
    owner_references: SequenceOf[OwnerReference] = go("OwnerReferences", "[]OwnerReference")
    finalizers: SequenceOf[str] = go("Finalizers", "[]string")
    managed_fields: SequenceOf[ManagedFieldsEntry] = go("ManagedFields", "[]ManagedFieldsEntry")


class CustomResourceDefinition(Record):
    """A CRD of the internal version."""

    metadata: ObjectMeta = go("Metadata", "ObjectMeta")
    spec: CustomResourceDefinitionSpec = go("Spec", "CustomResourceDefinitionSpec")
    status: CustomResourceDefinitionStatus = go("Status", "CustomResourceDefinitionStatus")

    # Fields that a server drops because its feature gates disable them: path and name.
    dropped: SequenceOf[tuple[Path, str]] = ()
