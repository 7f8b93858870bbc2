"""The switches of validation, and the results that the validations of one CRD for several servers share."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from typing import TYPE_CHECKING

from crdlint.cel.dialect import CELDialect
from crdlint.kubecel.sharing import Answers, Sharing, shared
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.light import dataclass, replace
from crdlint.safety.work import Effort
from crdlint.schema.traversal import all_schemas, schemas

if TYPE_CHECKING:
    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import CustomResourceDefinitionSpec, JSONSchemaProps
    from crdlint.kubecel.cost import CompiledNode, EstimatedRule
    from crdlint.kubecel.declarations import SchemaContext
    from crdlint.schema.structural import Rejection


@dataclass(slots=True)
class WalkResult:
    """The errors of a walk over a schema, by upstream's two validations, and what later stages check."""

    structural: list[tuple[JSONSchemaProps, FieldError]] = field(default_factory=list)
    schema: list[tuple[JSONSchemaProps, FieldError]] = field(default_factory=list)
    # Nodes that structural schemas cannot contain.
    unsupported: list[tuple[JSONSchemaProps, Rejection]] = field(default_factory=list)
    with_rules: list[CompiledNode] = field(default_factory=list)
    with_defaults: list[JSONSchemaProps] = field(default_factory=list)

    def add_structural(self, schema: JSONSchemaProps, error: FieldError) -> None:
        """Add an error of the structural validation at a node."""
        self.structural.append((schema, error))

    def add(self, schema: JSONSchemaProps, error: FieldError) -> None:
        """Add an error of the OpenAPI validation at a node."""
        self.schema.append((schema, error))

    def structural_errors(self) -> list[FieldError]:
        """Return the errors of the structural validation, sorted by their text as upstream does.

        Upstream's order would otherwise be that of Go's maps.
        """
        return sorted((error for _, error in self.structural), key=str)


@dataclass(slots=True)
class Common:
    """Results that the validations of one new CRD for several servers share, each computed once.

    `sharing`: what is shared with other CRDs as well.
    `walks`: the results of the walk over each root schema, by its identity and `Server.keeps_examples`.
    `defaults`: the results for the defaults of a schema, by what they depend on besides rules.
    `rules`: the results for the rules of a schema, by its identity and that of its declarations.
    """

    sharing: Sharing = field(default_factory=shared)
    walks: dict[tuple[int, bool], WalkResult] = field(default_factory=dict)
    defaults: dict[Hashable, Answers[list[FieldError]]] = field(default_factory=dict)
    rules: dict[Hashable, Answers[tuple[list[FieldError], list[EstimatedRule]]]] = field(
        default_factory=dict
    )
    _all: list[JSONSchemaProps] | None = None
    _contexts: dict[int, list[tuple[CELDialect, SchemaContext]]] = field(default_factory=dict)

    def all_schemas(self, spec: CustomResourceDefinitionSpec) -> list[JSONSchemaProps]:
        """Return every schema of the CRD; within a version, parents come first."""
        if self._all is None:
            self._all = all_schemas(spec)
        return self._all

    def context(self, root: JSONSchemaProps, dialect: CELDialect) -> SchemaContext:
        """Return the declarations of the parts of a root schema, shared by servers with equal declarations."""
        from crdlint.kubecel.declarations import SchemaContext

        contexts = self._contexts.setdefault(id(root), [])
        for other, context in contexts:
            if _declare_alike(root, dialect, other):
                return context
        schema_context = SchemaContext(dialect, self.sharing)
        contexts.append((dialect, schema_context))
        return schema_context


def _declare_alike(root: JSONSchemaProps, dialect: CELDialect, other: CELDialect) -> bool:
    """Return whether no part of a schema bounds a string on one of two servers only."""
    if dialect.caps_metadata_names != other.caps_metadata_names:
        return False
    if dialect.enum_bounds_strings != other.enum_bounds_strings and any(
        schema.enum and schema.max_length is None for schema in schemas(root)
    ):
        return False
    return (
        dialect.max_length_bounds_int_or_string == other.max_length_bounds_int_or_string
        or not any(
            schema.x_int_or_string and schema.max_length is not None for schema in schemas(root)
        )
    )


@dataclass(frozen=True, slots=True)
class ValidationOptions:
    """The switches of apiextensions validation, by create or the old CRD. Upstream: validationOptions. The defaults are create's.

    `effort` is the remaining work for helps of the file; `common` contains results of validations for other servers.
    `walk_only` leaves out defaults and rules, which take longer than the walk over a schema.
    """

    require_recognized_conversion_review_version: bool = True
    require_immutable_names: bool = False
    require_open_api_schema: bool = True
    require_valid_property_type: bool = True
    require_structural_schema: bool = True
    require_pruned_defaults: bool = True
    require_atomic_set_type: bool = True
    require_map_list_keys_map_set_validation: bool = True
    preexisting_rules: frozenset[str] = frozenset()
    preexisting_message_expressions: frozenset[str] = frozenset()
    versions_with_unchanged_schemas: frozenset[str] = frozenset()
    suppress_per_expression_cost: bool = False
    allow_invalid_ca_bundle: bool = True
    allow_too_many_selectable_fields: frozenset[str] = frozenset()
    server: Server = NEWEST
    effort: Effort = field(default_factory=Effort, compare=False)
    common: Common = field(default_factory=Common, compare=False)
    walk_only: bool = False

    def with_structural_schema(self) -> ValidationOptions:
        """Return the options with structural schemas required."""
        return (
            self
            if self.require_structural_schema
            else replace(self, require_structural_schema=True)
        )

    def for_version(self, version: str) -> ValidationOptions:
        """Return the options for the schema of a version: unchanged schemas may keep the cost of their rules."""
        if (
            version in self.versions_with_unchanged_schemas
            and not self.suppress_per_expression_cost
        ):
            return replace(self, suppress_per_expression_cost=True)
        return self
