"""A finding as the input of its rule's fixes: its nodes in the document, the CRD, and an editor of the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

from crdlint.diagnostics.diagnostic import Applicability, Fix
from crdlint.diagnostics.spelling import nearest
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import Editor, UneditableError, quoted
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, child
from crdlint.yaml.resolve import resolve

if TYPE_CHECKING:
    from crdlint.crd.decode_errors import DecodeProblem
    from crdlint.crd.errors import Code, FieldError, Reason
    from crdlint.crd.gotypes import GoType
    from crdlint.crd.model import CustomResourceDefinition, JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.crd.positions import Locator, SourceLocation
    from crdlint.rules.engine.advisory import Advisory
    from crdlint.yaml.broken_text import Cause
    from crdlint.yaml.parse import Document
    from crdlint.yaml.values import DuplicateKey


# The target of an example's fragment: the whole file, or the part of the manifest into which it is merged (the manifest,
# its metadata, spec, version, its schema, or the properties of that). For `resource` it is a CRD and an object, for `template` and
# `crds` a file of a chart.
Scope: TypeAlias = Literal[
    "text", "manifest", "metadata", "spec", "version", "schema", "properties", "resource", "template", "crds"
]
Edits: TypeAlias = "Iterable[Edit]"


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
    go_types: dict[int, GoType | None] = field(default_factory=dict)
    outdented: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    @cached_property
    def editor(self) -> Editor:
        """The editor of the document's text."""
        root = self.document.root
        if root is None:
            raise UneditableError
        return Editor(self.document.text.removeprefix("\ufeff"), root)

    @cached_property
    def schemas(self) -> dict[int, JSONSchemaProps]:
        """The schemas of the CRD by the identity of their nodes."""
        from crdlint.schema.traversal import schemas

        if self.crd is None:
            return {}
        return {
            id(schema.node): schema for root in self.crd.spec.root_schemas() for schema in schemas(root) if schema.node
        }


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding of the decoder (`problem`), of validation (`error`), of an advisory rule (`advisory`), or a duplicate key.

    `version` is the index of the version to use if all versions share the part at the path.
    """

    manifest: Manifest
    rule: str
    problem: DecodeProblem | None = None
    error: FieldError | None = None
    advisory: Advisory | None = None
    duplicate: DuplicateKey | None = None
    version: int = field(default=0)

    @property
    def editor(self) -> Editor:
        """The editor of the document's text."""
        return self.manifest.editor

    @property
    def crd(self) -> CustomResourceDefinition:
        """The CRD, in its internal version."""
        if self.manifest.crd is None:
            raise UneditableError
        return self.manifest.crd

    @property
    def path(self) -> Path:
        """The path of the finding, as the server reports it."""
        about = self.error or self.advisory
        if about is None:
            raise UneditableError
        return about.path

    def reason(self, *codes: Code) -> Reason | None:
        """Return the reason of the error, if its code is one of `codes`, else None."""
        reason = None if self.error is None else self.error.reason
        return reason if reason is not None and reason.code in codes else None

    @property
    def root(self) -> Mapping:
        """The mapping of the object."""
        if self.manifest.root is None:
            raise UneditableError
        return self.manifest.root

    def location(self, path: Path) -> SourceLocation:
        """Return the location of a path in the document, as far as it exists."""
        if self.manifest.locator is None:
            raise UneditableError
        return self.manifest.locator.find_in(path, self.version)

    def node(self, path: Path | None = None) -> Node:
        """Return the node at a path, by default that of the finding; raise UneditableError if it does not exist."""
        if path is None and self.problem is not None:
            return self.problem.node
        location = self.location(path or self.path)
        if not location.exact:
            raise UneditableError
        return location.node

    def scalar(self, path: Path | None = None) -> Scalar:
        """Return the scalar at a path."""
        node = self.node(path)
        if not isinstance(node, Scalar):
            raise UneditableError
        return node

    def mapping(self, path: Path) -> Mapping:
        """Return the mapping at a path."""
        node = self.node(path)
        if not isinstance(node, Mapping):
            raise UneditableError
        return node

    @property
    def owner(self) -> Mapping:
        """The mapping with the field of the finding, which may be missing."""
        parent = self.path.parent
        if parent is None:
            raise UneditableError
        return self.mapping(parent)

    @property
    def name(self) -> str:
        """The name of the field of the finding."""
        return str(self.path.step)

    @property
    def entry(self) -> tuple[Mapping, Scalar, Node]:
        """The mapping, key and value of a finding of the decoder."""
        node = self.node()
        parent = self.editor.parent(node)
        if not isinstance(parent, Mapping):
            raise UneditableError
        index = self.editor.index(node)
        key = parent.items[index - index % 2]
        if not isinstance(key, Scalar):
            raise UneditableError
        return parent, key, parent.items[index - index % 2 + 1]

    def schema(self, mapping: Mapping) -> JSONSchemaProps:
        """Return the schema that was decoded from a mapping."""
        schema = self.manifest.schemas.get(id(mapping))
        if schema is None:
            raise UneditableError
        return schema

    def each_version(self) -> Iterator[Finding]:
        """Yield this finding for each version that shares the part at its path."""
        yield self
        if self.manifest.locator is None or self.problem is not None or self.duplicate is not None:
            return
        for version in range(1, self.manifest.locator.shared_by(self.path)):
            yield replace(self, version=version)

    def remove(self) -> list[Edit]:
        """Return the edit that removes the field of the finding."""
        return [self.editor.remove(self.owner, self.name)]

    def remove_item(self) -> list[Edit]:
        """Return the edit that removes the item of a list that the finding is about, or the list with its only item."""
        editor, node = self.editor, self.node()
        listed = editor.parent(node)
        owner, key = (None, None) if listed is None else (editor.parent(listed), editor.key_of(listed))
        if not isinstance(listed, Sequence) or not isinstance(owner, Mapping) or key is None:
            return []
        if len(listed.items) == 1:
            return [editor.remove(owner, key.value)]
        return [editor.remove_item(listed, editor.index(node))]

    def write(self, value: str) -> list[Edit]:
        """Return the edit that sets the field of the finding to a text, in place or as a new field."""
        entry = self.owner.find(self.name)
        if entry is None:
            first = self.editor.first(self.owner)
            return [self.editor.insert(self.owner, self.name, self.editor.value(value), before=first)]
        if isinstance(entry[1], Scalar):
            return [self.editor.respell(entry[1], value)]
        return [self.editor.write(entry[1], self.editor.value(value))]


def _no_edits(_finding: Finding) -> Edits:
    return ()


@dataclass(frozen=True, slots=True)
class Fixer:
    """A fix for the findings of a rule: an imperative title, and the edits of the document's text.

    It is the decorator of the function that returns them. `edits` returns none, or raises UneditableError, for a finding to
    which it does not apply. Tests assert that it turns `bad` into `good`; if empty, these are the examples of the rule.
    If `scope` is None, it is that of the rule.
    """

    title: str
    applicability: Applicability
    edits: Callable[[Finding], Edits] = _no_edits
    bad: str = ""
    good: str = ""
    scope: Scope | None = None

    def __call__(self, edits: Callable[[Finding], Edits]) -> Fixer:
        """Declare that a function returns the edits of this fix."""
        return replace(self, edits=edits)

    def example(self, bad: str = "", good: str = "", scope: Scope | None = None) -> Fixer:
        """Return the same fix with another example."""
        return replace(self, bad=bad, good=good, scope=scope)


def removal(finding: Finding) -> Edits:
    """Remove the field of the finding."""
    return finding.remove()


def replacement(text: str) -> Callable[[Finding], Edits]:
    """Return a function that sets the field of the finding to a text."""
    return lambda finding: finding.write(text)


def nearest_of(words: Iterable[str], like: float) -> Callable[[Finding], Edits]:
    """Return a function that writes the most similar of some words in place of a value; none if no word is similar."""

    def edits(finding: Finding) -> Edits:
        near = nearest(finding.scalar().value, words, like)
        return finding.write(near) if near else []

    return edits


def fix_of(fixers: Iterable[Fixer], finding: Finding, line_start: int) -> Fix | None:
    """Return the first fix that applies to a finding; `line_start` is the offset of the document in its file.

    A document that ends before its text is not fixed, since what is missing may follow.
    """
    versions: list[Finding] = []
    if _ends_early(finding.manifest):
        return None
    for fixer in fixers:
        try:
            versions = versions or list(finding.each_version())
            edits = [edit for version in versions for edit in fixer.edits(version)]
            if not edits or (finding.manifest.document.root is not None and finding.editor.touches_shared(edits)):
                continue
        except UneditableError:
            continue
        unique = sorted(set(edits), key=lambda edit: (edit.start, edit.end, edit.text))
        if any(later.start < earlier.end for earlier, later in pairwise(unique)):
            continue
        # Marks of nodes do not count a byte order mark.
        document = finding.manifest.document
        offset = line_start + (document.root is not None and document.text.startswith("\ufeff"))
        return Fix(fixer.title, fixer.applicability, tuple(edit.moved(offset) for edit in unique))
    return None


def _ends_early(manifest: Manifest) -> bool:
    """Return whether a document ends at `...`, and is followed by indented text."""
    root = manifest.document.root
    text = manifest.document.text
    return root is not None and "\n..." in text and re.search(r"^\.\.\.[ \t\r]*\n+ ", text, re.MULTILINE) is not None


def items(node: Node) -> list[Node]:
    """Return the items of a list; raise UneditableError for anything else."""
    if not isinstance(node, Sequence):
        raise UneditableError
    return node.items


def unlisted(finding: Finding, node: Node) -> Edits:
    """Yield the edits that put the only mapping of a list in the place of the list."""
    if not isinstance(node, Sequence) or len(node.items) != 1 or not isinstance(node.items[0], Mapping):
        return
    item, editor = node.items[0], finding.editor
    if node.flow or item.flow:
        yield editor.replace(node, editor.text[item.start_mark.index : editor.end(item)])
        return
    yield editor.cut(item.start_mark.index - (item.start_mark.column - node.start_mark.column), item.start_mark.index)
    yield editor.inserted(item.start_mark.index, " " * (item.start_mark.column - node.start_mark.column))


def texts(nodes: Iterable[Node]) -> list[str]:
    """Return the texts of scalars; raise UneditableError for anything else."""
    values = []
    for node in nodes:
        if not isinstance(node, Scalar):
            raise UneditableError
        values.append(node.value)
    return values


def is_null(node: Node) -> bool:
    """Return whether a value is null, explicit or empty."""
    return isinstance(node, Scalar) and not node.style and resolve(node) is None


def add_required(editor: Editor, schema: Mapping, names: Iterable[str]) -> Edits:
    """Yield the edits that add names to the `required` of a schema."""
    entry = schema.find("required")
    if entry is None or is_null(entry[1]):
        listed = ", ".join(editor.value(name) for name in names)
        yield editor.set(schema, "required", f"[{listed}]", after="type")
    elif isinstance(entry[1], Sequence):
        known = texts(entry[1].items)
        for name in names:
            if name not in known:
                yield editor.append(entry[1], editor.value(name))
    else:
        raise UneditableError


def mapping_at(node: Node, *names: str) -> Mapping:
    """Return the mapping at a path of keys below a node; raise UneditableError if there is none."""
    mapping = child(node, *names)
    if not isinstance(mapping, Mapping):
        raise UneditableError
    return mapping


def quoted_tag(finding: Finding, node: Scalar) -> Edits:
    """Yield the edit that quotes a scalar that begins with an exclamation mark, which YAML reads as a tag."""
    editor = finding.editor
    start = node.start_mark.index
    end = editor.line_end(start)
    text = editor.text[start:end].partition(" #")[0].rstrip()
    if (
        node.tag
        and not node.tag.startswith("tag:")
        and not node.style
        and text.startswith("!")
        and node.end_mark.index <= end
    ):
        yield Edit(start, start + len(text), quoted(text))


def quoted_with_comment(finding: Finding, node: Scalar) -> Edits:
    """Yield the edit that quotes a plain scalar together with the text after it that YAML reads as a comment."""
    text = with_comment(finding, node)
    if text is not None:
        yield Edit(node.start_mark.index, node.start_mark.index + len(text), quoted(text))


def with_comment(finding: Finding, node: Scalar) -> str | None:
    """Return a plain scalar of one line with the comment after it, or None if there is no comment."""
    start, end = node.start_mark.index, node.end_mark.index
    rest = finding.editor.text[end : finding.editor.line_end(end)].rstrip()
    if node.style or not rest.startswith(" #") or "\n" in finding.editor.text[start:end]:
        return None
    return f"{finding.editor.text[start:end]}{rest}"
