"""The CRD as data: apiextensions' internal types, which are what the API server validates.

Each class has class attributes for Go's zero values, and instances set only what was given, so that a schema node
costs what it holds. ``GO_FIELDS`` lists a type's fields in Go's order as (Go name, attribute, Go type), which is how
``encoding/json`` and ``%#v`` print the internal types (they carry no JSON tags). ``None`` is a nil pointer; empty and nil lists
are alike, as they are to upstream's ``Semantic.DeepEqual``. Objects are not changed after decoding and conversion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from crdlint.crd.paths import Key, Path

if TYPE_CHECKING:
    from collections.abc import Mapping as MappingOf
    from collections.abc import Sequence as SequenceOf
    from weakref import ReferenceType

    from crdlint.yaml.nodes import Mapping

GoFields = tuple[tuple[str, str, str], ...]


class Record:
    """A Go struct: zero values on the class, given values on the instance, equal by Go's Semantic.DeepEqual."""

    GO_FIELDS: ClassVar[GoFields] = ()
    GO_PACKAGE: ClassVar[str] = "apiextensions"
    node: Mapping | None = None  # the YAML mapping it was read from; None where a default made it


class ValidationRule(Record):
    """One entry of x-kubernetes-validations."""

    GO_FIELDS = (
        ("Rule", "rule", "string"),
        ("Message", "message", "string"),
        ("MessageExpression", "message_expression", "string"),
        ("Reason", "reason", "*apiextensions.FieldValueErrorReason"),
        ("FieldPath", "field_path", "string"),
        ("OptionalOldSelf", "optional_old_self", "*bool"),
    )
    rule: str = ""
    message: str = ""
    message_expression: str = ""
    reason: str | None = None
    field_path: str = ""
    optional_old_self: bool | None = None


class ExternalDocumentation(Record):
    """A schema's externalDocs."""

    GO_FIELDS = (
        ("Description", "description", "string"),
        ("URL", "url", "string"),
    )
    description: str = ""
    url: str = ""


class JSONSchemaPropsOrArray(Record):
    """``items``: one schema, or a list of them (forbidden, but decoded)."""

    GO_FIELDS = (
        ("Schema", "schema", "*apiextensions.JSONSchemaProps"),
        ("JSONSchemas", "json_schemas", "[]apiextensions.JSONSchemaProps"),
    )
    schema: JSONSchemaProps | None = None
    json_schemas: SequenceOf[JSONSchemaProps] = ()


class JSONSchemaPropsOrBool(Record):
    """``additionalProperties`` and ``additionalItems``: a schema (then ``allows`` is true) or a boolean."""

    GO_FIELDS = (
        ("Allows", "allows", "bool"),
        ("Schema", "schema", "*apiextensions.JSONSchemaProps"),
    )
    allows: bool = False
    schema: JSONSchemaProps | None = None


class JSONSchemaPropsOrStringArray(Record):
    """An entry of ``dependencies``."""

    GO_FIELDS = (
        ("Schema", "schema", "*apiextensions.JSONSchemaProps"),
        ("Property", "property", "[]string"),
    )
    schema: JSONSchemaProps | None = None
    property: SequenceOf[str] = ()


class JSON(Record):
    """A present ``default``, ``example``: a pointer to any JSON value. ``value`` holds JSON values as Python's."""

    GO_FIELDS = ()
    value: Any = None


class JSONSchemaProps(Record):
    """A schema node.

    ``parent`` and ``steps`` say how it is reached from the schema above: by a field, and a map key or index where the
    field has several (``("properties", "spec")``, ``("allOf", 0)``, ``("items",)``). ``root`` is the path of the whole
    schema (set on the topmost node only), ``given`` the set of JSON field names that the document gives (null gives
    none), as a bit mask over ``crdlint.crd.gotypes.SCHEMA_BITS``.
    """

    GO_FIELDS = (
        ("ID", "id", "string"),
        ("Schema", "schema", "apiextensions.JSONSchemaURL"),
        ("Ref", "ref", "*string"),
        ("Description", "description", "string"),
        ("Type", "type", "string"),
        ("Nullable", "nullable", "bool"),
        ("Format", "format", "string"),
        ("Title", "title", "string"),
        ("Default", "default", "*apiextensions.JSON"),
        ("Maximum", "maximum", "*float64"),
        ("ExclusiveMaximum", "exclusive_maximum", "bool"),
        ("Minimum", "minimum", "*float64"),
        ("ExclusiveMinimum", "exclusive_minimum", "bool"),
        ("MaxLength", "max_length", "*int64"),
        ("MinLength", "min_length", "*int64"),
        ("Pattern", "pattern", "string"),
        ("MaxItems", "max_items", "*int64"),
        ("MinItems", "min_items", "*int64"),
        ("UniqueItems", "unique_items", "bool"),
        ("MultipleOf", "multiple_of", "*float64"),
        ("Enum", "enum", "[]apiextensions.JSON=interface {}"),
        ("MaxProperties", "max_properties", "*int64"),
        ("MinProperties", "min_properties", "*int64"),
        ("Required", "required", "[]string"),
        ("Items", "items", "*apiextensions.JSONSchemaPropsOrArray"),
        ("AllOf", "all_of", "[]apiextensions.JSONSchemaProps"),
        ("OneOf", "one_of", "[]apiextensions.JSONSchemaProps"),
        ("AnyOf", "any_of", "[]apiextensions.JSONSchemaProps"),
        ("Not", "not_", "*apiextensions.JSONSchemaProps"),
        ("Properties", "properties", "map[string]apiextensions.JSONSchemaProps"),
        ("AdditionalProperties", "additional_properties", "*apiextensions.JSONSchemaPropsOrBool"),
        ("PatternProperties", "pattern_properties", "map[string]apiextensions.JSONSchemaProps"),
        (
            "Dependencies",
            "dependencies",
            "apiextensions.JSONSchemaDependencies=map[string]apiextensions.JSONSchemaPropsOrStringArray",
        ),
        ("AdditionalItems", "additional_items", "*apiextensions.JSONSchemaPropsOrBool"),
        ("Definitions", "definitions", "apiextensions.JSONSchemaDefinitions=map[string]apiextensions.JSONSchemaProps"),
        ("ExternalDocs", "external_docs", "*apiextensions.ExternalDocumentation"),
        ("Example", "example", "*apiextensions.JSON"),
        ("XPreserveUnknownFields", "x_preserve_unknown_fields", "*bool"),
        ("XEmbeddedResource", "x_embedded_resource", "bool"),
        ("XIntOrString", "x_int_or_string", "bool"),
        ("XListMapKeys", "x_list_map_keys", "[]string"),
        ("XListType", "x_list_type", "*string"),
        ("XMapType", "x_map_type", "*string"),
        ("XValidations", "x_validations", "apiextensions.ValidationRules=[]apiextensions.ValidationRule"),
    )
    id: str = ""
    schema: str = ""
    ref: str | None = None
    description: str = ""
    type: str = ""
    nullable: bool = False
    format: str = ""
    title: str = ""
    default: JSON | None = None
    maximum: float | None = None
    exclusive_maximum: bool = False
    minimum: float | None = None
    exclusive_minimum: bool = False
    max_length: int | None = None
    min_length: int | None = None
    pattern: str = ""
    max_items: int | None = None
    min_items: int | None = None
    unique_items: bool = False
    multiple_of: float | None = None
    enum: SequenceOf[Any] = ()
    max_properties: int | None = None
    min_properties: int | None = None
    required: SequenceOf[str] = ()
    items: JSONSchemaPropsOrArray | None = None
    all_of: SequenceOf[JSONSchemaProps] = ()
    one_of: SequenceOf[JSONSchemaProps] = ()
    any_of: SequenceOf[JSONSchemaProps] = ()
    not_: JSONSchemaProps | None = None
    properties: MappingOf[str, JSONSchemaProps] = {}
    additional_properties: JSONSchemaPropsOrBool | None = None
    pattern_properties: MappingOf[str, JSONSchemaProps] = {}
    dependencies: MappingOf[str, JSONSchemaPropsOrStringArray] | None = None
    additional_items: JSONSchemaPropsOrBool | None = None
    definitions: MappingOf[str, JSONSchemaProps] = {}
    external_docs: ExternalDocumentation | None = None
    example: JSON | None = None
    x_preserve_unknown_fields: bool | None = None
    x_embedded_resource: bool = False
    x_int_or_string: bool = False
    x_list_map_keys: SequenceOf[str] = ()
    x_list_type: str | None = None
    x_map_type: str | None = None
    x_validations: SequenceOf[ValidationRule] = ()

    __slots__ = ("_path",)  # beside the given values, which are all that the instance's dictionary holds
    _path: Path
    given: int = 0
    above: ReferenceType[JSONSchemaProps] | None = None
    steps: tuple[str | int, ...] = ()
    root: Path | None = None

    @property
    def parent(self) -> JSONSchemaProps | None:
        """The schema above, held weakly: a CRD is then free as soon as nobody has it, without the collector."""
        return None if self.above is None else self.above()

    @property
    def whole(self) -> JSONSchemaProps:
        """The whole schema that this node is part of."""
        at = self
        while (above := at.parent) is not None:
            at = above
        return at

    @property
    def path(self) -> Path:
        """The field path of this node as the API server prints it, built on demand and once; nodes share what they can."""
        chain: list[JSONSchemaProps] = []
        node: JSONSchemaProps = self
        while (above := node.parent) is not None and not hasattr(node, "_path"):
            chain.append(node)
            node = above
        path = node._path if hasattr(node, "_path") else node.root or Path("openAPIV3Schema")  # noqa: SLF001
        for link in reversed(chain):
            field, *within = link.steps
            path = Path(field, path)
            for step in within:
                path = Path(step if step.__class__ is int else Key(step), path)
            link._path = path  # noqa: SLF001
        return path


class ServiceReference(Record):
    """The service of a conversion webhook; ``port`` is defaulted to 443."""

    GO_FIELDS = (
        ("Namespace", "namespace", "string"),
        ("Name", "name", "string"),
        ("Path", "path", "*string"),
        ("Port", "port", "int32"),
    )
    namespace: str = ""
    name: str = ""
    path: str | None = None
    port: int = 0


class WebhookClientConfig(Record):
    """How the API server reaches a conversion webhook; ``ca_bundle`` is the decoded base64."""

    GO_FIELDS = (
        ("URL", "url", "*string"),
        ("Service", "service", "*apiextensions.ServiceReference"),
        ("CABundle", "ca_bundle", "[]uint8"),
    )
    url: str | None = None
    service: ServiceReference | None = None
    ca_bundle: bytes = b""


class WebhookConversion(Record):
    """spec.conversion.webhook, a level of v1 which conversion to the internal form takes away."""

    client_config: WebhookClientConfig | None = None
    conversion_review_versions: SequenceOf[str] = ()


class CustomResourceConversion(Record):
    """spec.conversion, in the internal form (``webhook`` holds v1's until conversion)."""

    GO_FIELDS = (
        ("Strategy", "strategy", "apiextensions.ConversionStrategyType"),
        ("WebhookClientConfig", "webhook_client_config", "*apiextensions.WebhookClientConfig"),
        ("ConversionReviewVersions", "conversion_review_versions", "[]string"),
    )
    strategy: str = ""
    webhook_client_config: WebhookClientConfig | None = None
    conversion_review_versions: SequenceOf[str] = ()
    webhook: WebhookConversion | None = None


class CustomResourceValidation(Record):
    """A schema's envelope."""

    GO_FIELDS = (("OpenAPIV3Schema", "open_api_v3_schema", "*apiextensions.JSONSchemaProps"),)
    open_api_v3_schema: JSONSchemaProps | None = None


class CustomResourceSubresourceStatus(Record):
    """An enabled status subresource: it has no fields."""


class CustomResourceSubresourceScale(Record):
    """An enabled scale subresource."""

    GO_FIELDS = (
        ("SpecReplicasPath", "spec_replicas_path", "string"),
        ("StatusReplicasPath", "status_replicas_path", "string"),
        ("LabelSelectorPath", "label_selector_path", "*string"),
    )
    spec_replicas_path: str = ""
    status_replicas_path: str = ""
    label_selector_path: str | None = None


class CustomResourceSubresources(Record):
    """The subresources of a version."""

    GO_FIELDS = (
        ("Status", "status", "*apiextensions.CustomResourceSubresourceStatus"),
        ("Scale", "scale", "*apiextensions.CustomResourceSubresourceScale"),
    )
    status: CustomResourceSubresourceStatus | None = None
    scale: CustomResourceSubresourceScale | None = None


class SelectableField(Record):
    """A field that field selectors may name."""

    GO_FIELDS = (("JSONPath", "json_path", "string"),)
    json_path: str = ""


class CustomResourceColumnDefinition(Record):
    """A printer column."""

    GO_FIELDS = (
        ("Name", "name", "string"),
        ("Type", "type", "string"),
        ("Format", "format", "string"),
        ("Description", "description", "string"),
        ("Priority", "priority", "int32"),
        ("JSONPath", "json_path", "string"),
    )
    name: str = ""
    type: str = ""
    format: str = ""
    description: str = ""
    priority: int = 0
    json_path: str = ""


class CustomResourceDefinitionVersion(Record):
    """One served or stored version."""

    GO_FIELDS = (
        ("Name", "name", "string"),
        ("Served", "served", "bool"),
        ("Storage", "storage", "bool"),
        ("Deprecated", "deprecated", "bool"),
        ("DeprecationWarning", "deprecation_warning", "*string"),
        ("Schema", "schema", "*apiextensions.CustomResourceValidation"),
        ("Subresources", "subresources", "*apiextensions.CustomResourceSubresources"),
        ("AdditionalPrinterColumns", "additional_printer_columns", "[]apiextensions.CustomResourceColumnDefinition"),
        ("SelectableFields", "selectable_fields", "[]apiextensions.SelectableField"),
    )
    name: str = ""
    served: bool = False
    storage: bool = False
    deprecated: bool = False
    deprecation_warning: str | None = None
    schema: CustomResourceValidation | None = None
    subresources: CustomResourceSubresources | None = None
    additional_printer_columns: SequenceOf[CustomResourceColumnDefinition] = ()
    selectable_fields: SequenceOf[SelectableField] = ()


class CustomResourceDefinitionNames(Record):
    """The names of the resource."""

    GO_FIELDS = (
        ("Plural", "plural", "string"),
        ("Singular", "singular", "string"),
        ("ShortNames", "short_names", "[]string"),
        ("Kind", "kind", "string"),
        ("ListKind", "list_kind", "string"),
        ("Categories", "categories", "[]string"),
    )
    plural: str = ""
    singular: str = ""
    short_names: SequenceOf[str] = ()
    kind: str = ""
    list_kind: str = ""
    categories: SequenceOf[str] = ()


class CustomResourceDefinitionCondition(Record):
    """A condition of the CRD's status."""

    type: str = ""
    status: str = ""
    last_transition_time: str | None = None
    reason: str = ""
    message: str = ""
    observed_generation: int = 0


class CustomResourceDefinitionStatus(Record):
    """The CRD's status."""

    conditions: SequenceOf[CustomResourceDefinitionCondition] = ()
    accepted_names: CustomResourceDefinitionNames = CustomResourceDefinitionNames()
    stored_versions: SequenceOf[str] = ()
    observed_generation: int = 0


class CustomResourceDefinitionSpec(Record):
    """The CRD's spec in the internal form.

    Where all versions agree, their schema, subresources, columns and selectable fields stand here, not in the versions.
    """

    GO_FIELDS = (
        ("Group", "group", "string"),
        ("Version", "version", "string"),
        ("Names", "names", "apiextensions.CustomResourceDefinitionNames"),
        ("Scope", "scope", "apiextensions.ResourceScope"),
        ("Validation", "validation", "*apiextensions.CustomResourceValidation"),
        ("Subresources", "subresources", "*apiextensions.CustomResourceSubresources"),
        ("Versions", "versions", "[]apiextensions.CustomResourceDefinitionVersion"),
        ("AdditionalPrinterColumns", "additional_printer_columns", "[]apiextensions.CustomResourceColumnDefinition"),
        ("SelectableFields", "selectable_fields", "[]apiextensions.SelectableField"),
        ("Conversion", "conversion", "*apiextensions.CustomResourceConversion"),
        ("PreserveUnknownFields", "preserve_unknown_fields", "*bool"),
    )
    group: str = ""
    version: str = ""
    names: CustomResourceDefinitionNames = CustomResourceDefinitionNames()
    scope: str = ""
    validation: CustomResourceValidation | None = None
    subresources: CustomResourceSubresources | None = None
    versions: SequenceOf[CustomResourceDefinitionVersion] = ()
    additional_printer_columns: SequenceOf[CustomResourceColumnDefinition] = ()
    selectable_fields: SequenceOf[SelectableField] = ()
    conversion: CustomResourceConversion | None = None
    preserve_unknown_fields: bool | None = None


class OwnerReference(Record):
    """An owner of the object; of the API's own type, which has JSON tags."""

    GO_PACKAGE = "v1"
    GO_FIELDS = (
        ("APIVersion", "api_version", "string"),
        ("Kind", "kind", "string"),
        ("Name", "name", "string"),
        ("UID", "uid", "types.UID"),
        ("Controller", "controller", "*bool"),
        ("BlockOwnerDeletion", "block_owner_deletion", "*bool"),
    )
    JSON_TAGS: ClassVar[MappingOf[str, str]] = {
        "APIVersion": "apiVersion",
        "Kind": "kind",
        "Name": "name",
        "UID": "uid",
        "Controller": "controller",
        "BlockOwnerDeletion": "blockOwnerDeletion",
    }
    OMITTED_NIL = ("controller", "block_owner_deletion")
    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ManagedFieldsEntry(Record):
    """An entry of metadata.managedFields."""

    manager: str = ""
    operation: str = ""
    api_version: str = ""
    time: str | None = None
    fields_type: str = ""
    fields_v1: Any = None
    subresource: str = ""


class ObjectMeta(Record):
    """The object's metadata; timestamps as given."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    self_link: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    labels: MappingOf[str, str] = {}
    annotations: MappingOf[str, str] = {}
    owner_references: SequenceOf[OwnerReference] = ()
    finalizers: SequenceOf[str] = ()
    managed_fields: SequenceOf[ManagedFieldsEntry] = ()


class CustomResourceDefinition(Record):
    """A whole CRD in the internal form."""

    metadata: ObjectMeta = ObjectMeta()
    spec: CustomResourceDefinitionSpec = CustomResourceDefinitionSpec()
    status: CustomResourceDefinitionStatus = CustomResourceDefinitionStatus()
