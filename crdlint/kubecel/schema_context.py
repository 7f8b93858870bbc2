"""The declaration and cardinality of each node of a schema. Upstream: validation.CELSchemaContext (cel_validation.go)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crdlint.kubecel.declarations import Declarer, DeclType
from crdlint.kubecel.escaping import escape
from crdlint.kubecel.limits import multiply
from crdlint.kubecel.sharing import Sharing

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from crdlint.crd.model import JSONSchemaProps
    from crdlint.kubernetes.servers import CELDialect

_NO_DECLARATION = "unable to convert structural schema to CEL declarations"


class DeclarationFailedError(Exception):
    """A schema that a rule needs cannot be declared in CEL; the text is upstream's."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A node of the schema: whether it is in the scope of a rule, its maximum cardinality (None: unbounded), its declaration.

    `declared` is a text if declaring failed. It is None outside of the scope of rules, or if the parent has no such
    part.
    """

    in_scope: bool
    cardinality: int | None
    declared: DeclType | str | None


class SchemaContext:
    """Declarations and cardinalities of one schema, each computed once when needed."""

    def __init__(
        self, dialect: CELDialect, sharing: Sharing | None = None, doubtful: AbstractSet[int] = frozenset()
    ) -> None:
        """Take the schemas whose type is not known yet in `doubtful`, by identity (see `Declarer`)."""
        self._declarer = Declarer(dialect, sharing or Sharing(), doubtful)
        self._nodes: dict[int, _Node] = {}

    def cardinality(self, schema: JSONSchemaProps) -> int | None:
        """Return the maximum number of values of a node in one object, None if a list or map is unbounded."""
        return self._node(schema).cardinality

    def declared(self, schema: JSONSchemaProps) -> DeclType | None:
        """Return the declaration of a node with rules; raise `DeclarationFailedError` if it has none."""
        declared = self._node(schema).declared
        if isinstance(declared, str):
            raise DeclarationFailedError(declared)
        return declared

    def _node(self, schema: JSONSchemaProps) -> _Node:
        chain = []
        current: JSONSchemaProps | None = schema
        while current is not None and id(current) not in self._nodes:
            chain.append(current)
            current = current.parent
        for node in reversed(chain):
            self._nodes[id(node)] = self._made(node, node.parent)
        return self._nodes[id(schema)]

    def _made(self, schema: JSONSchemaProps, parent: JSONSchemaProps | None) -> _Node:
        if parent is None:
            in_scope = bool(schema.x_validations)
            return _Node(in_scope, 1, self._converted(schema, is_resource=True) if in_scope else None)
        parent_node = self._nodes[id(parent)]
        most = max_elements(parent)
        times = parent_node.cardinality
        cardinality = None if times is None or most is None else multiply(times, most)
        in_scope = parent_node.in_scope or bool(schema.x_validations)
        return _Node(in_scope, cardinality, self._declared(schema, parent, parent_node.declared) if in_scope else None)

    def _declared(
        self, schema: JSONSchemaProps, parent: JSONSchemaProps, declared: DeclType | str | None
    ) -> DeclType | str | None:
        """Return the declaration of a child, given that of its parent. Upstream: CELTypeInfo.accessTypeInfo."""
        if isinstance(declared, str):
            return declared
        if declared is not None and id(parent) not in self._declarer.doubtful:
            is_field = schema.steps[0] == "properties"
            below = declared.below((escape(str(schema.steps[1])) or "") if is_field else "@items")
            if below is not None or not is_field:
                return below
        return self._converted(schema, is_resource=schema.x_embedded_resource)

    def _converted(self, schema: JSONSchemaProps, *, is_resource: bool) -> DeclType | str:
        return self._declarer.declare(schema, is_resource=is_resource) or _NO_DECLARATION


def max_elements(schema: JSONSchemaProps) -> int | None:
    """Return the maximum number of direct children of a value, None if unbounded. Upstream: extractMaxElements."""
    if schema.type == "object" and schema.additional_properties is not None:
        bound = schema.max_properties
    elif schema.type == "array":
        bound = schema.max_items
    else:
        return 1
    return None if bound is None else max(bound, 0)
