"""Schemas as values to compare: equal for schemas that accept and prune alike, whatever their order and descriptions."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crdlint.changes.conjunction import Conjunction, conjunction, items, keeps_unknown_fields, map_values, properties
from crdlint.changes.constraints import constraints
from crdlint.kubecel.syntax_trees import rule_key
from crdlint.kubernetes.servers import NEWEST
from crdlint.safety import calls
from crdlint.schema.values import equality_key

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The digest of a schema, and the number of its nodes."""

    digest: str
    nodes: int


def fingerprint(schema: JSONSchemaProps) -> Fingerprint:
    """Return the fingerprint of a schema; its depth is bounded by memory only."""
    return calls.run(_of(conjunction((schema,))))


def of_conjunction(node: Conjunction) -> Fingerprint:
    """Return the fingerprint of schemas that apply to the same value."""
    return calls.run(_of(node))


def _of(node: Conjunction) -> Generator[Any, Any, Fingerprint]:
    count = 1
    below: list[Any] = []
    for name, child in sorted(properties(node).items()):
        fingerprint = yield _of(child)
        below.append(("properties", name, fingerprint.digest))
        count += fingerprint.nodes
    for field, child in (("items", items(node)), ("additionalProperties", map_values(node))):
        if child:
            fingerprint = yield _of(child)
            below.append((field, fingerprint.digest))
            count += fingerprint.nodes
    for kind in JUNCTORS:
        for schema in node:
            digests = []
            for branch in branches_of(schema, kind):
                fingerprint = yield _of(conjunction((branch,)))
                digests.append(fingerprint.digest)
            if digests:
                below.append((kind, tuple(sorted(digests))))
    own = repr((_own(node), sorted(below)))
    return Fingerprint(hashlib.sha256(own.encode("utf-8", "surrogatepass")).hexdigest(), count)


JUNCTORS: Final = ("anyOf", "oneOf", "not")


def branches_of(schema: JSONSchemaProps, kind: str) -> Sequence[JSONSchemaProps]:
    """Return the branches of one of JUNCTORS, none if it has one branch that `conjunction` takes."""
    if kind == "not":
        return () if schema.not_ is None else (schema.not_,)
    branches = schema.any_of if kind == "anyOf" else schema.one_of
    return () if len(branches) == 1 else branches


def _own(node: Conjunction) -> tuple[Any, ...]:
    """Return what schemas require of a value itself, in an order that does not depend on theirs."""
    folded = constraints(node, NEWEST)
    first = node[0]
    list_type = (first.x_list_type or "atomic") if folded.type == "array" else ""
    return (
        folded.type,
        sorted((name, bound.value, bound.is_strict) for name, bound in folded.bounds.items()),
        sorted(folded.multiples),
        sorted(folded.patterns),
        sorted(folded.formats),
        None if folded.enum is None else sorted(map(repr, folded.enum)),
        sorted(folded.required),
        any(schema.nullable for schema in node),
        None if first.default is None else repr(equality_key(first.default.value)),
        keeps_unknown_fields(node),
        first.x_embedded_resource,
        list_type,
        sorted(first.x_list_map_keys),
        first.x_map_type or "granular",
        sorted(rule_key(rule.rule) for schema in node for rule in schema.x_validations),
    )
