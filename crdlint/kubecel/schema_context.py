"""What CEL knows of each node of a schema: its declaration, and how often it may occur.

Reproduces apiextensions validation's CELSchemaContext (cel_validation.go).
"""

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
    from crdlint.kubernetes.dialect import CELDialect

_NO_DECLARATION = "unable to convert structural schema to CEL declarations"


class DeclarationFailedError(Exception):
    """A schema in a rule's reach that CEL cannot declare; its text is upstream's."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A node of the schema: whether a rule reaches it, how often it occurs at most (None: unbounded), what declares it.

    ``declared`` is a text where declaring failed, None where no rule reaches it or an enclosing type has no such part.
    """

    in_scope: bool
    cardinality: int | None
    declared: DeclType | str | None


class SchemaContext:
    """Declarations and cardinalities of one schema, each worked out once and only where they are asked for."""

    def __init__(
        self, dialect: CELDialect, sharing: Sharing | None = None, doubtful: AbstractSet[int] = frozenset()
    ) -> None:
        """``doubtful`` are schemas, by identity, whose type is not known yet (see `Declarer`)."""
        self._declarer = Declarer(dialect, sharing or Sharing(), doubtful)
        self._nodes: dict[int, _Node] = {}

    def cardinality(self, schema: JSONSchemaProps) -> int | None:
        """Return how many values a node may stand for in one object at most, None where a list or map is unbounded."""
        return self._node(schema).cardinality

    def declared(self, schema: JSONSchemaProps) -> DeclType | None:
        """Return what declares a node with rules; raises `DeclarationFailedError`."""
        declared = self._node(schema).declared
        if isinstance(declared, str):
            raise DeclarationFailedError(declared)
        return declared

    def _node(self, schema: JSONSchemaProps) -> _Node:
        chain = []
        at: JSONSchemaProps | None = schema
        while at is not None and id(at) not in self._nodes:
            chain.append(at)
            at = at.parent
        for one in reversed(chain):
            self._nodes[id(one)] = self._made(one, one.parent)
        return self._nodes[id(schema)]

    def _made(self, schema: JSONSchemaProps, parent: JSONSchemaProps | None) -> _Node:
        if parent is None:
            in_scope = bool(schema.x_validations)
            return _Node(in_scope, 1, self._converted(schema, is_resource=True) if in_scope else None)
        above = self._nodes[id(parent)]
        most = max_elements(parent)
        cardinality = None if above.cardinality is None or most is None else multiply(above.cardinality, most)
        if not above.in_scope and not schema.x_validations:
            return _Node(in_scope=False, cardinality=cardinality, declared=None)
        if isinstance(above.declared, str):
            return _Node(in_scope=True, cardinality=cardinality, declared=above.declared)
        if above.declared is not None and id(parent) not in self._declarer.doubtful:
            there, declared = _part(above.declared, schema)
            if there:
                return _Node(in_scope=True, cardinality=cardinality, declared=declared)
        return _Node(
            in_scope=True,
            cardinality=cardinality,
            declared=self._converted(schema, is_resource=schema.x_embedded_resource),
        )

    def _converted(self, schema: JSONSchemaProps, *, is_resource: bool) -> DeclType | str:
        return self._declarer.declare(schema, is_resource=is_resource) or _NO_DECLARATION


def _part(declared: DeclType, schema: JSONSchemaProps) -> tuple[bool, DeclType | None]:
    """Return whether a declaration has the part that a schema stands for, and that part (accessTypeInfo)."""
    if schema.steps[0] != "properties":
        return True, declared.elem
    escaped = escape(str(schema.steps[1]))
    member = None if escaped is None else (declared.fields or {}).get(escaped)
    return member is not None, None if member is None else member.type


def max_elements(schema: JSONSchemaProps) -> int | None:
    """Return how many values stand right below one value of a schema at most, None where any number (extractMaxElements)."""
    if schema.type == "object" and schema.additional_properties is not None:
        bound = schema.max_properties
    elif schema.type == "array":
        bound = schema.max_items
    else:
        return 1
    return None if bound is None else max(bound, 0)
