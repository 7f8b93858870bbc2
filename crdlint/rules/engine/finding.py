"""A finding as the input of its rule's fixes: what was found, and the object in its document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Mapping as MappingOf
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from crdlint.crd import gotypes
from crdlint.light import dataclass, replace
from crdlint.rules.engine.edits import expect, require
from crdlint.schema.traversal import schemas
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import Editor, UneditableError
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, child, items_of, text_of

if TYPE_CHECKING:
    from crdlint.crd.decode_errors import DecodeProblem
    from crdlint.crd.errors import Code, FieldError, Reason
    from crdlint.crd.gotypes import GoType
    from crdlint.crd.model import CustomResourceDefinition, JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.crd.positions import Locator, SourceLocation
    from crdlint.rules.engine.advisory import Advisory
    from crdlint.yaml.broken_text import Cause
    from crdlint.yaml.json_values import DuplicateKey
    from crdlint.yaml.parse import Document

_T = TypeVar("_T")


@dataclass
class Manifest:
    """The object of findings, in its document; `crd` is None if it is not decoded.

    `cause` is the cause of a syntax error, if known. `go_types` and `outdented` are what rules found out about nodes, by
    their identity: the type that a node is decoded as, and for each entry of a mapping the last key without a value, and where
    the entries end that are fields of its value.
    """

    document: Document
    root: Mapping | None
    locator: Locator | None = None
    crd: CustomResourceDefinition | None = None
    cause: Cause | None = None
    go_types: dict[int, GoType] = field(default_factory=dict)
    outdented: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    @cached_property
    def editor(self) -> Editor:
        """The editor of the document's text."""
        document, root = self.document, self.document.root
        if root is None:
            raise UneditableError
        return document.once("editor", lambda: Editor(document.text.removeprefix("\ufeff"), root))

    @cached_property
    def schemas(self) -> dict[int, JSONSchemaProps]:
        """The schemas of the CRD by the identity of their nodes."""
        if self.crd is None:
            return {}
        by_node = {
            id(schema.node): schema
            for root in self.crd.spec.root_schemas()
            for schema in schemas(root)
            if schema.node
        }
        by_node.update(self._of_equal_versions(by_node))
        return by_node

    def _of_equal_versions(
        self, by_node: MappingOf[int, JSONSchemaProps]
    ) -> Iterator[tuple[int, JSONSchemaProps]]:
        """Yield the nodes of further versions with the same schema, of which only the first one was decoded."""
        versions = items_of(child(self.document.root, "spec", "versions"))
        roots = [child(version, "schema", "openAPIV3Schema") for version in versions]
        pending: list[tuple[Node | None, Node | None]] = [(roots[0], root) for root in roots[1:]]
        seen = set(by_node)
        while pending:
            decoded, other = pending.pop()
            if other is None or id(other) in seen:
                continue
            seen.add(id(other))
            if id(decoded) in by_node:
                yield id(other), by_node[id(decoded)]
            pending += _values_alike(decoded, other)


def _values_alike(decoded: Node | None, other: Node) -> Iterable[tuple[Node | None, Node | None]]:
    """Return the values of two nodes that have the same key or index."""
    if isinstance(decoded, Mapping) and isinstance(other, Mapping):
        values = {text_of(key): value for key, value in other.pairs()}
        return [(value, values.get(text_of(key))) for key, value in decoded.pairs()]
    if isinstance(decoded, Sequence) and isinstance(other, Sequence):
        return zip(decoded.items, other.items, strict=False)
    return ()


@dataclass(frozen=True, slots=True)
class BaseFinding:
    """What findings of all kinds have: the id of the rule, and the object in its document."""

    manifest: Manifest
    rule: str

    @property
    def editor(self) -> Editor:
        """The editor of the document's text."""
        return self.manifest.editor

    @property
    def crd(self) -> CustomResourceDefinition:
        """The CRD, in its internal version."""
        return require(self.manifest.crd)

    @property
    def root(self) -> Mapping:
        """The mapping of the object."""
        return require(self.manifest.root)

    def written(self, node: Scalar) -> str:
        """Return a scalar as it is written, with its quotes."""
        text: str = self.editor.text[node.start_mark.index : node.end_mark.index]
        return text

    def go_type(self, node: Node) -> GoType:
        """Return the Go type that a node is decoded as, UNKNOWN_TYPE for what is kept as it is or unknown."""
        editor, go_types = self.editor, self.manifest.go_types
        go_types[id(self.root)] = gotypes.CRD
        chain: list[Node] = []
        ancestor: Node | None = node
        while ancestor is not None and id(ancestor) not in go_types:
            chain.append(ancestor)
            ancestor = editor.parent(ancestor)
        of = go_types.get(id(ancestor), gotypes.CRD)
        for link in reversed(chain):
            of = go_types[id(link)] = _type_within(of, editor.key_of(link), link)
        return of

    def schema(self, mapping: Mapping) -> JSONSchemaProps:
        """Return the schema that was decoded from a mapping."""
        return require(self.manifest.schemas.get(id(mapping)))


class DocumentFinding(BaseFinding):
    """A finding about a document as a whole: its syntax, or its `apiVersion` and `kind`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class DecodeFinding(BaseFinding):
    """A finding of the decoder, at the key or value that it does not accept."""

    problem: DecodeProblem

    def node(self) -> Node:
        """Return the node of the problem."""
        return self.problem.node

    def scalar(self) -> Scalar:
        """Return the node of the problem, a scalar."""
        return expect(Scalar, self.problem.node)

    @property
    def entry(self) -> tuple[Mapping, Scalar, Node]:
        """The mapping, key and value of the problem."""
        node = self.problem.node
        parent = expect(Mapping, self.editor.parent(node))
        index = self.editor.index(node) & ~1  # of the key
        return parent, expect(Scalar, parent.items[index]), parent.items[index + 1]


@dataclass(frozen=True, slots=True)
class RepeatedKeyFinding(BaseFinding):
    """A finding about a key that a mapping has twice."""

    key: DuplicateKey


@dataclass(frozen=True, slots=True)
class PathFinding(BaseFinding):
    """A finding about the part of an object at a path.

    `version` is the index of the version to use if all versions share the part.
    """

    version: int = field(default=0, kw_only=True)

    @property
    def path(self) -> Path:
        """The path of the finding, as the server reports it."""
        raise NotImplementedError

    @property
    def subject(self) -> object:
        """What the rule found out for its fix, None if nothing."""
        raise NotImplementedError

    def subject_as(self, kind: type[_T]) -> _T:
        """Return the subject; raise UneditableError if it is of another class."""
        subject = self.subject
        if not isinstance(subject, kind):
            raise UneditableError
        return subject

    def location(self, path: Path) -> SourceLocation:
        """Return the location of a path in the document, as far as it exists."""
        return require(self.manifest.locator).find_in(path, self.version)

    def node(self, path: Path | None = None) -> Node:
        """Return the node at a path, by default that of the finding.

        Raise UneditableError if it does not exist.
        """
        location = self.location(path or self.path)
        if not location.exact:
            raise UneditableError
        return location.node

    def scalar(self, path: Path | None = None) -> Scalar:
        """Return the scalar at a path, by default that of the finding."""
        return expect(Scalar, self.node(path))

    def mapping(self, path: Path) -> Mapping:
        """Return the mapping at a path."""
        return expect(Mapping, self.node(path))

    @property
    def owner(self) -> Mapping:
        """The mapping with the field of the finding, which may be missing."""
        return self.mapping(require(self.path.parent))

    @property
    def name(self) -> str:
        """The name of the field of the finding."""
        return str(self.path.step)

    def remove(self) -> list[Edit]:
        """Return the edit that removes the field of the finding."""
        return [self.editor.remove(self.owner, self.name)]

    def remove_item(self) -> list[Edit]:
        """Return the edit that removes the item of the finding, or the list with its only item."""
        editor, node = self.editor, self.node()
        items = expect(Sequence, editor.parent(node))
        if len(items.items) > 1:
            return [editor.remove_at(items, editor.index(node))]
        owner, key = expect(Mapping, editor.parent(items)), require(editor.key_of(items))
        return [editor.remove(owner, key.value)]

    def write(self, value: str) -> list[Edit]:
        """Return the edit that sets the field to a text, in place or as a new field."""
        editor, owner = self.editor, self.owner
        entry = owner.find(self.name)
        if entry is None:
            before = editor.first(owner)
            return [editor.insert(owner, self.name, editor.value(value), before=before)]
        if isinstance(entry[1], Scalar):
            return [editor.respell(entry[1], value)]
        return [editor.write(entry[1], editor.value(value))]


@dataclass(frozen=True, slots=True)
class FieldFinding(PathFinding):
    """An error of validation."""

    error: FieldError

    @property
    def path(self) -> Path:
        """The path of the error."""
        return self.error.path

    @property
    def subject(self) -> object:
        """The subject of the error."""
        return self.error.subject

    def reason(self, *codes: Code) -> Reason | None:
        """Return the reason of the error, if its code is one of `codes`, else None."""
        reason = self.error.reason
        return reason if reason is not None and reason.code in codes else None


@dataclass(frozen=True, slots=True)
class AdviceFinding(PathFinding):
    """Advice, or a warning of the server."""

    advisory: Advisory

    @property
    def path(self) -> Path:
        """The path of the advice."""
        return self.advisory.path

    @property
    def subject(self) -> object:
        """The subject of the advice."""
        return self.advisory.subject


Finding: TypeAlias = (
    DocumentFinding | DecodeFinding | RepeatedKeyFinding | FieldFinding | AdviceFinding
)
FindingT = TypeVar("FindingT", bound=BaseFinding)


def each_version(finding: FindingT) -> Iterator[FindingT]:
    """Yield a finding for each version that shares the part at its path."""
    yield finding
    locator = finding.manifest.locator
    if isinstance(finding, PathFinding) and locator is not None:
        for version in range(1, locator.shared_by(finding.path)):
            yield replace(finding, version=version)


def _type_within(of: GoType, key: Scalar | None, node: Node) -> GoType:
    """Return the type of the value of a key, or of an item, in a value of a type."""
    inner = of.element if key is None else of.below(key.value)
    if inner is not None and inner.kind.startswith("schema-or-"):
        inner = gotypes.SCHEMA if isinstance(node, Mapping) else inner.element
    return inner or gotypes.UNKNOWN_TYPE
