"""Which findings about a CRD depend on values of a wrong type, which the decoder leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Mapping as MappingOf
from collections.abc import Set as AbstractSet
from typing import Final

from crdlint.crd.decode_errors import DecodeProblem
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.positions import SourceLocation
from crdlint.light import dataclass
from crdlint.rules.engine.common import IncompleteSchemas
from crdlint.yaml.nodes import Collection, Mapping, Node, nodes_of, text_of

# Keywords that change the type or the fields of a schema, and those that change what its rules cost.
_SHAPING: Final = frozenset(
    {
        "type",
        "format",
        "properties",
        "items",
        "additionalProperties",
        "x-kubernetes-int-or-string",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-preserve-unknown-fields",
    }
)
_BOUNDING: Final = frozenset(
    {"maxLength", "maxItems", "maxProperties", "required", "default", "enum"}
)


@dataclass(frozen=True, slots=True)
class Unread:
    """The mappings of a document with values that were not decoded.

    - `schemas`: the schemas among them
    - `harmless`: those of schemas that have the same fields and costs without these values
    - `others`: all others
    - `parents`: the mapping or list that contains a node, by the identity of the node
    """

    schemas: IncompleteSchemas
    harmless: tuple[Node, ...]
    others: tuple[Node, ...]
    parents: MappingOf[int, Node]

    def concerns(self, location: SourceLocation) -> bool:
        """Return whether advice at a location may depend on a value that was not decoded."""
        owner = location.node
        if not isinstance(owner, Mapping):
            owner, _ = _owner(owner, self.parents)
        if any(_is_inside(owner, each) for each in self.harmless):
            return True
        return any(_is_inside(owner, each) or _is_inside(each, owner) for each in self.others)


def unread(
    root: Node, problems: Iterable[DecodeProblem], schemas: Iterable[JSONSchemaProps]
) -> Unread | None:
    """Return what the decoder left out of a document because of its problems, None if that is nothing."""
    rejected = [problem.node for problem in problems if problem.kind == "decode"]
    if not rejected:
        return None
    parents = _parents(root)
    keywords: dict[int, set[str]] = {}
    owners: dict[int, Node] = {}
    for node in rejected:
        owner, keyword = _owner(node, parents)
        owners[id(owner)] = owner
        keywords.setdefault(id(owner), set()).add(keyword)
    incomplete = [schema for schema in schemas if id(schema.node) in keywords]
    shaping = _with_any(keywords, _SHAPING)
    # What is no schema may be needed to read one.
    no_schemas = keywords.keys() - {id(schema.node) for schema in incomplete}
    changing = shaping | _with_any(keywords, _BOUNDING) | no_schemas
    return Unread(
        IncompleteSchemas(
            tuple(each for each in incomplete if id(each.node) in shaping),
            tuple(each for each in incomplete if id(each.node) in changing),
        ),
        _chosen(owners, owners.keys() - changing),
        _chosen(owners, changing),
        parents,
    )


def _parents(root: Node) -> dict[int, Node]:
    """Return the collection that contains each node, by the identity of the node."""
    collections = (node for node in nodes_of(root) if isinstance(node, Collection))
    return {id(item): node for node in collections for item in node.items}


def _with_any(keywords: MappingOf[int, AbstractSet[str]], of: AbstractSet[str]) -> set[int]:
    """Return the owners that lack one of some keywords."""
    return {owner for owner, names in keywords.items() if names & of}


def _chosen(owners: MappingOf[int, Node], chosen: AbstractSet[int]) -> tuple[Node, ...]:
    return tuple(owner for identity, owner in owners.items() if identity in chosen)


def _owner(node: Node, parents: MappingOf[int, Node]) -> tuple[Node, str]:
    """Return the closest mapping that contains a node with the name of its field there, the root of the document without one."""
    owner = parents.get(id(node))
    while owner is not None and not isinstance(owner, Mapping):
        node, owner = owner, parents.get(id(owner))
    if owner is None:
        return node, ""
    fields = (key for key, value in owner.pairs() if node is key or node is value)
    return owner, next(filter(None, map(text_of, fields)), "")


def _is_inside(node: Node, other: Node) -> bool:
    """Return whether a node begins inside of another one."""
    start: int = node.start_mark.index
    return bool(other.start_mark.index <= start < other.end_mark.index)
