"""The switches of validation, and the results that the validations of one CRD for several servers share."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from crdlint.cel.dialect import CELDialect
from crdlint.kubecel.sharing import shared
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.light import NamedTuple, dataclass, replace
from crdlint.safety.work import Effort
from crdlint.schema.traversal import all_schemas

if TYPE_CHECKING:
    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import CustomResourceDefinitionSpec, JSONSchemaProps
    from crdlint.kubecel.cost import CompiledNode
    from crdlint.kubecel.declarations import SchemaContext
    from crdlint.schema.structural import Rejection

T = TypeVar("T")
Basis = TypeVar("Basis")


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


class Common:
    """What the validations of one new CRD for several servers share; `sharing` is what they share with those of other CRDs.

    Each answer, such as the errors of a schema's rules, is made once for all servers that give the same.
    """

    __slots__ = ("_answers", "sharing")

    def __init__(self) -> None:
        self.sharing: Final = shared()
        # By what they are about, each with what it depends on beside that.
        self._answers: Final[dict[Hashable, list[tuple[Any, Any]]]] = {}

    def answer(
        self,
        about: Hashable,
        holds: Callable[[Basis], bool],
        make: Callable[[], tuple[T, Basis]],
    ) -> T:
        """Return the answer of a server: one whose basis `holds` for it, else the one that `make` returns with its basis."""
        answers = self._answers.setdefault(about, [])
        for answer, basis in answers:
            if holds(basis):
                return cast("T", answer)
        new = make()
        answers.append(new)
        return new[0]

    def once(self, about: Hashable, make: Callable[[], T]) -> T:
        """Return an answer that is the same for all servers."""
        return self.answer(about, lambda _: True, lambda: (make(), None))

    def all_schemas(self, spec: CustomResourceDefinitionSpec) -> list[JSONSchemaProps]:
        """Return every schema of the CRD; within a version, parents come first."""
        return self.once("schemas", lambda: all_schemas(spec))

    def context(self, root: JSONSchemaProps, dialect: CELDialect) -> SchemaContext:
        """Return the declarations of the parts of a root schema, shared by servers with equal declarations."""
        from crdlint.kubecel.declarations import SchemaContext

        return self.once(
            ("declarations", id(root), dialect.declared_bounds),
            lambda: SchemaContext(dialect, self.sharing),
        )


class IncompleteSchemas(NamedTuple):
    """Schemas without a value that could not be decoded.

    - `shapeless`: those whose type or fields may differ with it
    - `unbounded`: those whose rules may cost less with it, among them the shapeless ones
    """

    shapeless: tuple[JSONSchemaProps, ...] = ()
    unbounded: tuple[JSONSchemaProps, ...] = ()


@dataclass(frozen=True, slots=True)
class ValidationOptions:
    """The switches of apiextensions validation, by create or the old CRD. Upstream: validationOptions. The defaults are create's.

    `effort` is the remaining work for helps of the file; `common` contains results of validations for other servers.
    `walk_only` leaves out defaults and rules, which take longer than the walk over a schema. Nothing is reported that may
    follow from what `incomplete` schemas lack. With `any_words`, errors of rules may have the words of another server.
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
    any_words: bool = False
    incomplete: IncompleteSchemas = IncompleteSchemas()

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
