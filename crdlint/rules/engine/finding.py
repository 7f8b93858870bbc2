"""A finding as the input of its rule's fixes: its nodes in the document, the CRD, and an editor of the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from contextlib import suppress
from dataclasses import field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from crdlint.crd import gotypes
from crdlint.crd.errors import FieldError
from crdlint.diagnostics import Applicability, Fix
from crdlint.light import dataclass, regex
from crdlint.phrases import nearest
from crdlint.rules.engine.advisory import Advisory
from crdlint.schema.traversal import schemas
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import Editor, UneditableError, quoted
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, child, items_of, text_of
from crdlint.yaml.resolve import resolve

if TYPE_CHECKING:
    from crdlint.crd.decode_errors import DecodeProblem
    from crdlint.crd.errors import Code, Reason
    from crdlint.crd.gotypes import GoType
    from crdlint.crd.model import CustomResourceDefinition, JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.crd.positions import Locator, SourceLocation
    from crdlint.yaml.broken_text import Cause
    from crdlint.yaml.json_values import DuplicateKey
    from crdlint.yaml.parse import Document


# The target of an example's fragment: the whole file, or the part of the manifest into which it is merged (the manifest,
# its metadata, spec, version, its schema, or the properties of that). For `resource` it is a CRD and an object, for `template` and
# `crds` a file of a chart.
Scope: TypeAlias = Literal[
    "text",
    "manifest",
    "metadata",
    "spec",
    "version",
    "schema",
    "properties",
    "resource",
    "template",
    "crds",
]
_ADDED: Final = regex(r"\s*[\"']?([\w$-]+)[\"']?:(?=\s)")  # a new entry
_MISSPELLED: Final = 0.75  # the minimum similarity of a misspelled keyword
Edits: TypeAlias = "Iterable[Edit]"
_T = TypeVar("_T")
_NodeT = TypeVar("_NodeT", Mapping, Sequence, Scalar)


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
class Finding:
    """A finding of the decoder, of validation, of an advisory rule, or of the parser, which `about` describes.

    `version` is the index of the version to use if all versions share the part at the path.
    """

    manifest: Manifest
    rule: str
    about: DecodeProblem | DuplicateKey | FieldError | Advisory | None = None
    version: int = 0

    @property
    def editor(self) -> Editor:
        """The editor of the document's text."""
        return self.manifest.editor

    @property
    def crd(self) -> CustomResourceDefinition:
        """The CRD, in its internal version."""
        return require(self.manifest.crd)

    @property
    def problem(self) -> DecodeProblem:
        """The problem of the decoder; raise UneditableError for another finding."""
        from crdlint.crd.decode_errors import DecodeProblem  # most documents have no problem

        return _of_class(DecodeProblem, self.about)

    @property
    def error(self) -> FieldError:
        """The error of validation; raise UneditableError for another finding."""
        return _of_class(FieldError, self.about)

    @property
    def path(self) -> Path:
        """The path of the finding, as the server reports it; raise UneditableError if it has none."""
        if not isinstance(self.about, (FieldError, Advisory)):
            raise UneditableError
        return self.about.path

    @property
    def subject(self) -> Any:
        """What the rule found out for its fix, None if nothing."""
        return self.about.subject if isinstance(self.about, (FieldError, Advisory)) else None

    def reason(self, *codes: Code) -> Reason | None:
        """Return the reason of the error, if its code is one of `codes`, else None."""
        reason = self.about.reason if isinstance(self.about, FieldError) else None
        return reason if reason is not None and reason.code in codes else None

    @property
    def root(self) -> Mapping:
        """The mapping of the object."""
        return require(self.manifest.root)

    def location(self, path: Path) -> SourceLocation:
        """Return the location of a path in the document, as far as it exists."""
        return require(self.manifest.locator).find_in(path, self.version)

    def node(self, path: Path | None = None) -> Node:
        """Return the node at a path, by default that of the finding; raise UneditableError if it does not exist."""
        if path is None and not isinstance(self.about, (FieldError, Advisory)):
            return self.problem.node
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

    def written(self, node: Scalar) -> str:
        """Return a scalar as it is written, with its quotes."""
        text: str = self.editor.text[node.start_mark.index : node.end_mark.index]
        return text

    def go_type(self, node: Node) -> GoType | None:
        """Return the Go type that a node is decoded as, None for what is kept as it is or unknown."""
        editor, go_types = self.editor, self.manifest.go_types
        go_types[id(self.root)] = gotypes.CRD
        chain: list[Node] = []
        ancestor: Node | None = node
        while ancestor is not None and id(ancestor) not in go_types:
            chain.append(ancestor)
            ancestor = editor.parent(ancestor)
        of = gotypes.CRD if ancestor is None else go_types[id(ancestor)]
        for link in reversed(chain):
            of = go_types[id(link)] = (
                None if of is None else _type_within(of, editor.key_of(link), link)
            )
        return of

    @property
    def owner(self) -> Mapping:
        """The mapping with the field of the finding, which may be missing."""
        return self.mapping(require(self.path.parent))

    @property
    def name(self) -> str:
        """The name of the field of the finding."""
        return str(self.path.step)

    @property
    def entry(self) -> tuple[Mapping, Scalar, Node]:
        """The mapping, key and value of a finding of the decoder."""
        node = self.node()
        parent = expect(Mapping, self.editor.parent(node))
        index = self.editor.index(node) & ~1
        return parent, expect(Scalar, parent.items[index]), parent.items[index + 1]

    def schema(self, mapping: Mapping) -> JSONSchemaProps:
        """Return the schema that was decoded from a mapping."""
        return require(self.manifest.schemas.get(id(mapping)))

    def each_version(self) -> Iterator[Finding]:
        """Yield this finding for each version that shares the part at its path."""
        yield self
        if self.manifest.locator is None or not isinstance(self.about, (FieldError, Advisory)):
            return
        for version in range(1, self.manifest.locator.shared_by(self.path)):
            yield replace(self, version=version)

    def remove(self) -> list[Edit]:
        """Return the edit that removes the field of the finding."""
        return [self.editor.remove(self.owner, self.name)]

    def remove_item(self) -> list[Edit]:
        """Return the edit that removes the item of a list that the finding is about, or the list with its only item."""
        editor, node = self.editor, self.node()
        items = expect(Sequence, editor.parent(node))
        if len(items.items) == 1:
            return [
                editor.remove(
                    expect(Mapping, editor.parent(items)), require(editor.key_of(items)).value
                )
            ]
        return [editor.remove_at(items, editor.index(node))]

    def write(self, value: str) -> list[Edit]:
        """Return the edit that sets the field of the finding to a text, in place or as a new field."""
        entry = self.owner.find(self.name)
        if entry is None:
            first = self.editor.first(self.owner)
            return [
                self.editor.insert(self.owner, self.name, self.editor.value(value), before=first)
            ]
        if isinstance(entry[1], Scalar):
            return [self.editor.respell(entry[1], value)]
        return [self.editor.write(entry[1], self.editor.value(value))]


def _of_class(kind: type[_T], about: object) -> _T:
    if not isinstance(about, kind):
        raise UneditableError
    return about


@dataclass(frozen=True, slots=True)
class Fixer:
    """A fix for the findings of a rule: an imperative title, and the edits of the document's text.

    It is the decorator of the function that returns them. `edits` returns none, or raises UneditableError, for a finding to
    which it does not apply. Tests assert that it turns `bad` into `good`; if empty, these are the examples of the rule.
    If `scope` is None, it is that of the rule.
    """

    title: str
    applicability: Applicability
    edits: Callable[[Finding], Edits] = lambda _finding: ()
    bad: str = ""
    good: str = ""
    scope: Scope | None = None

    def __call__(self, edits: Callable[[Finding], Edits]) -> Fixer:
        """Declare that a function returns the edits of this fix."""
        return replace(self, edits=edits)

    def example(self, bad: str = "", good: str = "", scope: Scope | None = None) -> Fixer:
        """Return the same fix with another example."""
        return replace(self, bad=bad, good=good, scope=scope)


# The fixes of rules by the ids of these, each in the order in which they are tried.
FixesOfRules: TypeAlias = "MappingOf[str, tuple[Fixer, ...]]"


def rename_to_true(finding: Finding, mapping: Mapping, old: str, new: str) -> Edits:
    """Write another keyword that is true in the place of one."""
    key, value = finding.editor.entry(mapping, old)
    yield finding.editor.respell(key, new)
    yield finding.editor.replace(value, "true")


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
    """Return the first fix of a finding that applies; none if the document, from `line_start` on, ends before its text."""
    document = finding.manifest.document
    if document.once("ends early", lambda: _ends_early(document)):
        return None
    # Marks of nodes do not count a byte order mark.
    has_mark = document.root is not None and document.text.startswith("\ufeff")
    offset = line_start + has_mark
    versions: list[Finding] = []
    for fixer in fixers:
        with suppress(UneditableError):
            versions = versions or list(finding.each_version())
            edits = [edit for version in versions for edit in fixer.edits(version)]
            if edits and _is_sound(finding, edits):
                moved = tuple(edit.moved(offset) for edit in _in_order(edits))
                return Fix(fixer.title, fixer.applicability, moved)
    return None


def _is_sound(finding: Finding, edits: SequenceOf[Edit]) -> bool:
    """Return whether edits change nothing that another place shares, leave nothing misspelled, and do not overlap."""
    if finding.manifest.document.root is not None and finding.editor.touches_shared(edits):
        return False
    if _adds_what_is_misspelled(finding, edits):
        return False
    return all(earlier.end <= later.start for earlier, later in pairwise(_in_order(edits)))


def _in_order(edits: Iterable[Edit]) -> list[Edit]:
    """Return edits by their place, each once."""
    return sorted(set(edits), key=lambda edit: (edit.start, edit.end, edit.text))


def _adds_what_is_misspelled(finding: Finding, edits: Iterable[Edit]) -> bool:
    """Return whether edits add a field to a schema that has it already under a misspelled name, which they would leave."""
    names = [
        match[1]
        for edit in edits
        if edit.start == edit.end and (match := _ADDED.match(edit.text)) is not None
    ]
    if not names or not isinstance(finding.about, (FieldError, Advisory)):
        return False
    unknown: list[str] = []
    for path in (finding.path, finding.path.parent):
        with suppress(UneditableError):
            unknown += _unknown_keywords(finding, finding.mapping(require(path)))
    return any(nearest(name, names, _MISSPELLED) is not None for name in unknown)


def _unknown_keywords(finding: Finding, mapping: Mapping) -> Iterator[str]:
    """Yield the keys of a schema that are no keywords of schemas."""
    if finding.go_type(mapping) is gotypes.SCHEMA:
        keys = (key.value for key in mapping.items[::2] if isinstance(key, Scalar))
        yield from (key for key in keys if key not in gotypes.SCHEMA.fields)


def _ends_early(document: Document) -> bool:
    text = document.text
    return (
        document.root is not None
        and "\n..." in text
        and re.search(r"^\.\.\.[ \t\r]*\n+ ", text, re.MULTILINE) is not None
    )


def _type_within(of: GoType, key: Scalar | None, node: Node) -> GoType | None:
    """Return the type of the value of a key, or of an item, in a value of a type."""
    inner = of.element if key is None else of.below(key.value)
    if inner is not None and inner.kind.startswith("schema-or-"):
        return gotypes.SCHEMA if isinstance(node, Mapping) else inner.element
    return inner


def require(value: _T | None) -> _T:
    """Return a value; raise UneditableError if it is None."""
    if value is None:
        raise UneditableError
    return value


def expect(kind: type[_NodeT], node: Node | None, *steps: str | int) -> _NodeT:
    """Return the node to which keys and indexes lead from another one; raise UneditableError if it is not of a kind."""
    target = child(node, *steps)
    if not isinstance(target, kind):
        raise UneditableError
    return target


def unlisted(finding: Finding, node: Node) -> Edits:
    """Yield the edits that put the only mapping of a list in the place of the list."""
    items, item, editor = expect(Sequence, node), expect(Mapping, node, 0), finding.editor
    start, width = item.start_mark.index, item.start_mark.column - node.start_mark.column
    if len(items.items) != 1:
        return
    if items.flow or item.flow:
        yield editor.replace(node, editor.text[start : editor.end(item)])
    else:
        yield Edit(start - width, start, "")
        yield editor.inserted(start, " " * width)


def texts(nodes: Iterable[Node]) -> list[str]:
    """Return the texts of scalars; raise UneditableError for anything else."""
    return [expect(Scalar, node).value for node in nodes]


def is_null(node: Node) -> bool:
    """Return whether a value is null, explicit or empty."""
    return isinstance(node, Scalar) and not node.style and resolve(node) is None


def is_merged(mapping: Mapping) -> bool:
    """Return whether a mapping has a key twice, or one without a value: a key between two objects may be lost."""
    names = [getattr(key, "value", None) for key in mapping.items[::2]]
    return len({*names}) < len(names) or any(map(is_null, mapping.items[1::2]))


def repeated_below(finding: Finding) -> list[Mapping]:
    """Return the blocks in the owner's fields, or the last of a list there, that end with a second entry of the missing field."""
    owner, name = finding.owner, finding.name
    if owner.find(name) is not None:
        return []
    blocks = [_last_block(value) for value in owner.items[1::2]]
    return [block for block in blocks if block is not None and _ends_with_second(block, name)]


def _last_block(value: Node) -> Mapping | None:
    """Return a mapping in block style that is a value, or its last item."""
    last = value.items[-1] if isinstance(value, Sequence) and value.items else value
    return last if isinstance(last, Mapping) and not last.flow else None


def _ends_with_second(block: Mapping, name: str) -> bool:
    """Return whether the last entry of a mapping has a name that another entry has, too."""
    names = [getattr(key, "value", "") for key in block.items[::2]]
    return names.count(name) > 1 and names[-1] == name


def _outdented(finding: Finding) -> Edits:
    for below in repeated_below(finding):
        key = below.items[-2]
        by = finding.owner.start_mark.column - key.start_mark.column
        yield from finding.editor.shifted(key.start_mark.index, key.end_mark.index, by)


OUTDENTED = Fixer(
    "Indent the repeated field like the object above, which lacks it", "unsafe", _outdented
)


def add_required(editor: Editor, schema: Mapping, names: Iterable[str]) -> Edits:
    """Yield the edits that add names to the `required` of a schema."""
    entry = schema.find("required")
    if entry is None or is_null(entry[1]):
        listed = ", ".join(editor.value(name) for name in names)
        yield editor.set(schema, "required", f"[{listed}]", after="type")
    else:
        items = expect(Sequence, entry[1])
        present = texts(items.items)
        yield from (
            editor.append(items, editor.value(name)) for name in names if name not in present
        )


def quoted_tag(finding: Finding, node: Scalar) -> Edits:
    """Yield the edit that quotes a scalar that begins with an exclamation mark, which YAML reads as a tag."""
    editor = finding.editor
    start = node.start_mark.index
    end = editor.line_end(start)
    text = editor.text[start:end].partition(" #")[0].rstrip()
    is_tag = node.tag and not node.tag.startswith("tag:") and not node.style
    if is_tag and text.startswith("!") and node.end_mark.index <= end:
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
