"""The documents of a chart: what Helm sends to the API server, in which way, and where it is in the chart's files.

With Helm these are the documents that it renders. Documents of templates that it does not render, and all of them without
Helm, are read from templates with their directives masked. Upstream: helm pkg/action/install.go; pkg/action/hooks.go;
pkg/release/v1/util/manifest_sorter.go, SortManifests.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from enum import auto
from functools import cache
from itertools import chain
from typing import Any, Final

from crdlint.crd.positions import Span, node_span
from crdlint.files.recognition import CRD_KIND, GROUP, KIND, kind_of_object, may_hold_crd
from crdlint.light import Enum, NamedTuple, dataclass, regex, replace
from crdlint.sources.helm.chart import Chart, LoadedFile
from crdlint.sources.helm.chart_values import (
    ClusterState,
    UnknownValuesError,
    enabled_charts,
    given_values,
    holds,
)
from crdlint.sources.helm.gates import directives_in
from crdlint.sources.helm.layout import DEFAULTS, HelmValues
from crdlint.sources.helm.masking import Block, Masked, all_certainly, mask, variables_of
from crdlint.sources.helm.render import Rendered
from crdlint.sources.helm.rendered import TemplateParts
from crdlint.sources.helm.templates import Where, outline
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.json_values import to_json
from crdlint.yaml.nodes import Mapping as MappingNode
from crdlint.yaml.nodes import Node, child, items_of, pairs_of, text_of, text_or_empty
from crdlint.yaml.parse import Document, iter_documents

KEEP: Final = "helm.sh/resource-policy"
HOOK: Final = "helm.sh/hook"
HOOK_WEIGHT: Final = "helm.sh/hook-weight"
INSTALLING: Final = frozenset({"pre-install", "post-install"})
UPGRADING: Final = frozenset({"pre-upgrade", "post-upgrade"})
EVENTS: Final = (
    INSTALLING
    | UPGRADING
    | {"pre-delete", "post-delete", "pre-rollback", "post-rollback", "test", "test-success"}
)


class Way(Enum):
    """The way in which Helm treats a document."""

    CRDS = auto()  # a file of crds/: created by the first installation, never updated or deleted
    TEMPLATE = auto()  # a part of the release
    HOOK = auto()  # created at the events of the hook, and not a part of the release
    SKIPPED = auto()  # never sent, because it names a hook that Helm does not know


class Defined(NamedTuple):
    """What a CRD defines, as far as Helm matters: its group, its kind, its versions, and its names.

    `kinds` are those names that the API server compares with other kinds only, `names` those for paths.
    """

    group: str = ""
    kind: str = ""
    versions: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()


_NOTHING: Final = Defined()


@dataclass(
    frozen=True,
    slots=True,
    eq=False,
)
class ChartDocument:
    """An object of a chart, and what Helm reads of it.

    - `file`, `span`: its file, and the span of its kind there
    - `way`: what Helm does with it
    - `text`: the document
    - `annotations`: None if they depend on values
    - `defines`: what it defines, empty if it is no CRD
    - `is_rendered`: whether Helm renders it with the values, None if that is not known
    - `blocks`: those of its template around it
    """

    file: LoadedFile
    span: Span
    chart: Chart
    way: Way
    api_version: str
    kind: str
    name: str
    text: str
    annotations: Mapping[str, str] | None = field(default_factory=dict)
    events: frozenset[str] = frozenset()
    defines: Defined = _NOTHING
    is_rendered: bool | None = True
    blocks: tuple[Block, ...] = ()
    values: Mapping[str, Any] | None = None  # of its chart
    variables: Mapping[str, str] = field(default_factory=dict)  # of its template

    def in_place_of(self, unrendered: ChartDocument) -> ChartDocument:
        """Return the document as Helm renders it, at the place and with the conditions of the same one without Helm."""
        return replace(
            self,
            blocks=unrendered.blocks,
            values=unrendered.values,
            variables=unrendered.variables,
            span=unrendered.span,
        )

    def is_off(self, cluster: ClusterState) -> bool:
        """Return whether a block around it certainly turns it off in a state of the cluster."""
        return any(self._keeps(block, cluster) is False for block in self.blocks)

    def turned_off_by(self, later: ClusterState, earlier: ClusterState) -> Block | None:
        """Return a block around it that certainly turns it off in a later state of the cluster, and not in an earlier one."""
        for block in self.blocks:
            if self._keeps(block, later) is False and self._keeps(block, earlier) is not False:
                return block
        return None

    def _keeps(self, block: Block, cluster: ClusterState) -> bool | None:
        values = self.values or {}
        return block.is_kept(lambda condition: holds(condition, values, self.variables, cluster))

    @property
    def defined_kind(self) -> tuple[str, str]:
        """The group and the kind that it defines, empty if it is no CRD."""
        return self.defines.group, self.defines.kind

    @property
    def is_crd(self) -> bool:
        """Whether it is a CRD."""
        return _is_crd(self.kind, self.api_version)

    @property
    def group(self) -> str:
        """The group of its apiVersion."""
        return self.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        """The version of its apiVersion, without the group."""
        return self.api_version.rpartition("/")[2]

    @property
    def policy(self) -> str | None:
        """Its resource policy, or None if that is not known."""
        return None if self.annotations is None else self.annotations.get(KEEP, "")

    @property
    def where(self) -> str:
        """Its file as a path within the outermost chart."""
        inner = self.chart.path.partition("/")[2]
        return f"{inner}/{self.file.name}" if inner else self.file.name


@dataclass(slots=True)
class ChartContents:
    """The documents of a chart with one set of values, whose name is `values` if it is a file of `ci/`.

    `by_helm` is whether Helm rendered them.
    """

    chart: Chart
    documents: list[ChartDocument]
    values: str = ""
    by_helm: bool = False

    def crds(self) -> Iterator[ChartDocument]:
        """Yield the CRDs that have a name."""
        return (document for document in self.documents if document.is_crd and document.name)

    def sent(self, *ways: Way) -> Iterator[ChartDocument]:
        """Yield the documents that Helm certainly sends in some ways."""
        return (each for each in self.documents if each.way in ways and each.is_rendered)


def contents_of(
    chart: Chart, rendered: Rendered | None, values: HelmValues = DEFAULTS
) -> list[ChartContents]:
    """Return the contents of a chart for each set of values that Helm rendered it with; `values` are those given."""
    unrendered = _UnrenderedDocuments(chart, values)
    if rendered is None or not rendered.runs:
        return [ChartContents(chart, unrendered.documents())]
    files = _Places(chart)
    return [
        _rendered_contents(files, manifests, name, unrendered)
        for name, manifests in rendered.runs.items()
    ]


_SEPARATOR: Final = regex(r"^---[^\n]*\n", re.MULTILINE)


class _Places:
    """The files of a chart by the paths that Helm prints, and the lines of templates that rendered ones come from."""

    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self._files: dict[str, tuple[Chart, LoadedFile]] = {}
        self._parts: dict[str, tuple[TemplateParts, list[str]]] = {}
        self._texts: dict[str, list[tuple[int, str]]] = {}
        for each in chart.all_charts():
            for name, file in each.files.items():
                self._files[each.printed(name)] = each, file

    def file(self, path: str) -> tuple[Chart, LoadedFile] | None:
        """Return the chart and the file of a path below the outermost chart."""
        return self._files.get(path)

    def documents(self, chart: Chart, file: LoadedFile, text: str) -> Iterator[ChartDocument]:
        """Yield the objects of a text that Helm renders of a template."""
        for head in _heads(text):
            yield _document(
                head,
                chart,
                file,
                self.span(file, head, text),
                Way.TEMPLATE,
            )

    def span(self, file: LoadedFile, head: _Head, document: str) -> Span:
        """Return the span in a template of the kind of an object in a document that is rendered from it."""
        name = text_of(child(head.root, "metadata", "name"))
        named = [
            (line, text) for line, text in self._documents_of(file) if name and f" {name}\n" in text
        ]
        kind = re.compile(kind_of_object(re.escape(head.kind)))
        kinds = [(line, text, match) for line, text in named for match in kind.finditer(text)]
        if len(kinds) != 1:
            return self._aligned(file, document, head.span)
        before, text, match = kinds[0]
        line = before + text.count("\n", 0, match.start()) + 1
        return Span(line, 1, line, len(match[0]) + 1)

    def _documents_of(self, file: LoadedFile) -> list[tuple[int, str]]:
        """Return the documents of a template, with the numbers of lines before them."""
        if file.shown not in self._texts:
            line, parts = 0, []
            for text in _SEPARATOR.split(file.text):
                parts.append((line, text))
                line += text.count("\n") + 1
            self._texts[file.shown] = parts
        return self._texts[file.shown]

    def _aligned(self, file: LoadedFile, document: str, span: Span) -> Span:
        """Return the span in a template of a span in a document, by the lines that both have."""
        if file.shown not in self._parts:
            self._parts[file.shown] = TemplateParts(file.text), file.text.split("\n")
        parts, lines = self._parts[file.shown]
        return parts.lines(document, lines).origin(span)[0]


def _rendered_contents(
    files: _Places,
    manifests: Sequence[tuple[str, str]],
    name: str,
    unrendered: _UnrenderedDocuments,
) -> ChartContents:
    """Return the contents of a chart that Helm rendered: the CRDs, the objects of their groups, and the CRDs that are off."""
    placed = [(*entry, text) for path, text in manifests if (entry := files.file(path)) is not None]
    crds: list[ChartDocument] = []
    others: list[tuple[Chart, LoadedFile, str]] = []
    for chart, file, text in placed:
        if file in chart.crd_files():
            crds += unrendered.of_crds(chart, file)
        elif may_hold_crd(text.encode()):
            crds += files.documents(chart, file, text)
        else:
            others.append((chart, file, text))
    documents = list(unrendered.completed(crds))
    groups = {crd.defines.group for crd in documents if crd.defines.group}
    objects = [
        document
        for chart, file, text in others
        if any(group in text for group in groups)
        for document in files.documents(chart, file, text)
    ]
    return ChartContents(
        files.chart,
        [*documents, *objects],
        name,
        by_helm=True,
    )


def _of_crds(
    chart: Chart, file: LoadedFile, *, is_rendered: bool | None = True
) -> Iterator[ChartDocument]:
    for head in _heads(file.text):
        yield _document(
            head,
            chart,
            file,
            head.span,
            Way.CRDS,
            is_rendered=is_rendered,
        )


class _Head(NamedTuple):
    """What Helm reads of an object, with the span of its kind in the text, and the text of its document."""

    root: MappingNode
    span: Span
    api_version: str
    kind: str
    text: str
    offset: int
    hook: str  # that of the document, which may be a list
    weight: str


def _heads(text: str) -> Iterator[_Head]:
    """Yield the objects of a text, with the items of lists in place of these; what is no YAML has none."""
    shortened = without_schemas(text)
    lines = text.split("\n")
    for document in iter_documents(shortened):
        end = document.line_offset + document.text.count("\n") + 1
        own = "\n".join(lines[document.line_offset : end])
        hook, weight = (_annotation(document.root, name) for name in (HOOK, HOOK_WEIGHT))
        for root in _objects(document):
            entry, kind = root.find("kind"), text_of(child(root, "kind"))
            api_version = text_of(child(root, "apiVersion"))
            if entry is not None and kind and api_version:
                first, last = (node_span(node, document.line_offset) for node in entry)
                span = Span(
                    first.line,
                    first.column,
                    last.end_line,
                    last.end_column,
                )
                yield _Head(
                    root,
                    span,
                    api_version,
                    kind,
                    own,
                    document.line_offset,
                    hook,
                    weight,
                )


def _objects(document: Document) -> Iterator[MappingNode]:
    pending: list[Node | None] = [document.root]
    while pending:
        root = pending.pop()
        if not isinstance(root, MappingNode):
            continue
        items = child(root, "items")
        if items is not None and text_or_empty(child(root, "kind")).endswith("List"):
            pending += reversed(items_of(items))
        else:
            yield root


_SCHEMA: Final = regex(r"^( *)(- )?(?:schema|openAPIV3Schema):[ \t]*(?:#.*)?\r?$", re.MULTILINE)


def without_schemas(text: str) -> str:
    """Return a text in which the lines of schemas are empty, so that reading the rest of a CRD takes no time."""
    if "openAPIV3Schema:" not in text:
        return text
    pieces: list[str] = []
    start = 0
    while (key := _SCHEMA.search(text, start)) is not None:
        depth = len(key[1]) + len(key[2] or "")
        after = _line_outside(depth).search(text, key.end())
        end = len(text) if after is None else after.start()
        pieces += text[start : key.end()], "\n" * text.count("\n", key.end(), end)
        start = end
    return "".join([*pieces, text[start:]])


@cache
def _line_outside(depth: int) -> re.Pattern[str]:
    """Return a pattern of the end of the line before one that is not indented by more than `depth`."""
    return re.compile(rf"\n(?= {{0,{depth}}}(?! )[^\n]*\S)")


def _annotation(root: Node | None, name: str) -> str:
    return text_or_empty(child(root, "metadata", "annotations", name))


def _document(
    head: _Head,
    chart: Chart,
    file: LoadedFile,
    span: Span,
    way: Way,
    *,
    annotations: Mapping[str, str] | None = None,
    is_rendered: bool | None = True,
    blocks: tuple[Block, ...] = (),
) -> ChartDocument:
    names = [each.strip().lower() for each in head.hook.split(",")] if head.hook else []
    events = frozenset(names)
    if names and way is Way.TEMPLATE:
        way = Way.HOOK if events <= EVENTS else Way.SKIPPED
    return ChartDocument(
        file,
        span,
        chart,
        way,
        head.api_version,
        head.kind,
        text_or_empty(child(head.root, "metadata", "name")),
        head.text,
        annotations if annotations is not None else annotations_of(head.root),
        events,
        _defined(head),
        is_rendered,
        blocks,
    )


def annotations_of(root: Node) -> dict[str, str]:
    """Return the annotations of an object that are texts."""
    return {
        name: value
        for key, node in pairs_of(child(root, "metadata", "annotations"))
        if (name := text_of(key)) and (value := text_of(node)) is not None
    }


def _is_crd(kind: str, api_version: str) -> bool:
    return kind == KIND and api_version.startswith(f"{GROUP}/")


def _defined(head: _Head) -> Defined:
    if not _is_crd(head.kind, head.api_version):
        return _NOTHING
    spec = child(head.root, "spec")
    versions = tuple(
        text_or_empty(child(item, "name")) for item in items_of(child(spec, "versions"))
    )
    names = child(spec, "names")
    kind = _name(names, "kind")
    paths = {_name(names, "plural"), _name(names, "singular") or kind.lower()}
    paths |= set(map(text_or_empty, items_of(child(names, "shortNames"))))
    return Defined(
        text_or_empty(child(spec, "group")),
        kind,
        versions,
        frozenset(paths - {""}),
        frozenset({kind, _name(names, "listKind") or f"{kind}List"}) if kind else frozenset(),
    )


def _name(names: Node | None, field: str) -> str:
    return text_or_empty(child(names, field))


# What a directive may ask for that is otherwise after the installation.
_STATE: Final = regex(r"\blookup\b|\.APIVersions|\.Release\.(?:Is|Revision)")


def _has_conditions(file: LoadedFile, rendered: int) -> bool:
    """Return whether conditions matter in a template: it has more CRDs than are rendered, or asks for the state of the cluster."""
    if len(CRD_KIND.findall(file.text)) != rendered:
        return True
    return _STATE.search(directives_in(file.text)) is not None


def _take(documents: list[ChartDocument]) -> ChartDocument:
    """Remove and return the first of some documents that the values may let Helm render, else the first."""
    chosen = next((each for each in documents if each.is_rendered is not False), documents[0])
    documents.remove(chosen)
    return chosen


_ASKING: Final = b".APIVersions.Has"  # what the cluster has


class _UnrenderedDocuments:
    """The documents of a chart that are read without Helm, all of them once."""

    def __init__(self, chart: Chart, values: HelmValues) -> None:
        self._chart = chart
        self._documents: list[ChartDocument] | None = None
        self._of_files: dict[str, list[ChartDocument]] = {}
        try:
            self._enabled: Mapping[str, Mapping[str, Any]] | None = enabled_charts(
                chart, given_values(values)
            )
        except UnknownValuesError:
            self._enabled = None

    def _values_of(self, chart: Chart) -> Mapping[str, Any] | None:
        """Return the values of a chart, None if they turn it off or are not known."""
        return None if self._enabled is None else self._enabled.get(chart.path)

    def documents(self) -> list[ChartDocument]:
        """Return all documents."""
        if self._documents is None:
            self._documents = list(self._read())
        return self._documents

    def of_crds(self, chart: Chart, file: LoadedFile) -> list[ChartDocument]:
        """Return the documents of a file of `crds/`."""
        if file.shown not in self._of_files:
            self._of_files[file.shown] = list(_of_crds(chart, file))
        return self._of_files[file.shown]

    def completed(self, crds: Sequence[ChartDocument]) -> Iterator[ChartDocument]:
        """Yield rendered CRDs with the conditions around them, as far as these matter, and the CRDs that are not rendered."""
        numbers = Counter(crd.file.shown for crd in crds)
        for chart, file in self._chart.all_crd_files():
            if file.shown not in numbers:
                for crd in self.of_crds(chart, file):
                    yield replace(crd, is_rendered=False)
        masked = self._conditional(numbers)
        for crd in crds:
            others = masked.get((crd.chart.path, crd.file.name, crd.name), [])
            yield crd.in_place_of(_take(others)) if others else self._of_included_file(crd)
        for each in chain.from_iterable(masked.values()):
            is_skipped = each.way is Way.SKIPPED
            yield replace(each, is_rendered=each.is_rendered if is_skipped else False)

    def _of_included_file(self, crd: ChartDocument) -> ChartDocument:
        """Return a rendered CRD that its template does not have, as it includes a file, with the conditions around it."""
        is_asking = crd.way is not Way.CRDS and _ASKING in crd.file.data
        masked = mask(crd.file.text) if is_asking else None
        if masked is None or masked.broken is not None:
            return crd
        line = crd.span.line
        around = (each for each in masked.blocks if each.line < line < each.end_line)
        return replace(
            crd,
            blocks=tuple(each for each in around if not each.has_else),
            values=self._values_of(crd.chart),
            variables=variables_of(crd.file.text),
        )

    def _conditional(
        self, numbers: Mapping[str, int]
    ) -> dict[tuple[str, str, str], list[ChartDocument]]:
        """Return the CRDs of templates in which conditions matter, by chart, file and name.

        `numbers` are how many CRDs of each file are rendered.
        """
        by_name: dict[tuple[str, str, str], list[ChartDocument]] = defaultdict(list)
        for chart, file in self._chart.all_templates():
            if may_hold_crd(file.data) and _has_conditions(file, numbers.get(file.shown, 0)):
                for each in self._of_masked(chart, file):
                    if each.is_crd:
                        by_name[chart.path, file.name, each.name].append(each)
        return by_name

    def _of_masked(self, chart: Chart, file: LoadedFile) -> list[ChartDocument]:
        key = f"{chart.path} {file.shown}"
        if key not in self._of_files:
            self._of_files[key] = list(self._of_template(chart, file))
        return self._of_files[key]

    def _read(self) -> Iterator[ChartDocument]:
        groups: set[bytes] = set()
        for document in self._that_may_define():
            groups.add(document.defines.group.encode())
            yield document
        groups.discard(b"")
        for chart, file in self._chart.all_templates():
            is_read = may_hold_crd(file.data)
            if not is_read and any(group in file.data for group in groups):
                yield from self._of_template(chart, file)

    def _that_may_define(self) -> Iterator[ChartDocument]:
        """Yield the documents of `crds/` and of the templates that may contain CRDs."""
        for chart, file in self._chart.all_crd_files():
            is_on = None if self._enabled is None else chart.path in self._enabled
            yield from _of_crds(chart, file, is_rendered=is_on)
        for chart, file in self._chart.all_templates():
            if may_hold_crd(file.data):
                yield from self._of_template(chart, file)

    def _of_template(self, chart: Chart, file: LoadedFile) -> Iterator[ChartDocument]:
        values = self._values_of(chart)
        is_off = self._enabled is not None and values is None
        text = file.text
        first = mask(text)
        if first.broken is not None:
            return
        variables = variables_of(text)
        seen: set[int] = set()
        for masked, takes_else in ((first, False), (mask(text, takes_else=True), True)):
            if takes_else and not any(block.has_else for block in masked.blocks):
                return
            reading = _MaskedTemplate(
                masked,
                values,
                variables,
                takes_else=takes_else,
            )
            for head in _heads(reading.text):
                if head.span.line in seen:
                    continue
                seen.add(head.span.line)
                blocks, is_on = reading.condition(head.span.line)
                yield _masked_document(
                    head,
                    chart,
                    file,
                    reading,
                    is_rendered=False if is_off else is_on,
                    blocks=blocks,
                )


def _masked_document(
    head: _Head,
    chart: Chart,
    file: LoadedFile,
    reading: _MaskedTemplate,
    *,
    is_rendered: bool | None,
    blocks: tuple[Block, ...],
) -> ChartDocument:
    document = _document(
        head,
        chart,
        file,
        head.span,
        Way.TEMPLATE,
        is_rendered=is_rendered,
        blocks=blocks,
    )
    changes: dict[str, Any] = {"values": reading.values, "variables": reading.variables}
    if not reading.has_certain_annotations(head.span.line):
        changes["annotations"] = None
    name = child(head.root, "metadata", "name")
    if name is not None and reading.fills(name.start_mark.line + head.offset + 1):
        changes["name"] = ""
    return replace(document, **changes)


class _MaskedTemplate:
    """A masked template in which the parts of documents are empty that the values certainly turn off."""

    def __init__(
        self,
        masked: Masked,
        values: Mapping[str, Any] | None,
        variables: Mapping[str, str],
        *,
        takes_else: bool,
    ) -> None:
        blocks = sorted(masked.blocks, key=lambda block: block.line)
        self._blocks = [replace(block, is_else=block.has_else and takes_else) for block in blocks]
        self.values = values
        self.variables = variables
        lines = masked.text.split("\n")
        positions = [(output.directive.line, output.directive.column) for output in masked.outputs]
        self._outline = outline(lines, positions, [block.line for block in self._blocks])
        self._outputs = list(zip(masked.outputs, self._outline.positions, strict=True))
        self._filled = {
            line
            for output in masked.outputs
            if not output.alone
            for line in range(output.directive.line, output.directive.end_line + 1)
        }
        self._uncertain = {
            id(where.part)
            for output, where in self._outputs
            if _is_annotation(where, alone=output.alone)
        }
        for block in self._blocks:
            self._blank(block, lines)
        self.text = "\n".join(lines)

    def _blank(self, block: Block, lines: list[str]) -> None:
        """Empty the lines of a block within the annotations of a document if it is off."""
        line, where = self._outline.contents.get(block.line, (0, None))
        if (
            where is None
            or line > block.end_line
            or not _is_annotation(where, alone=True)
            or self._is_around(block)
        ):
            return
        is_on = self._keeps(block)
        if is_on is None:
            self._uncertain.add(id(where.part))
        elif not is_on:
            for number in range(block.line, min(block.end_line, len(lines)) + 1):
                lines[number - 1] = ""

    def condition(self, line: int) -> tuple[tuple[Block, ...], bool | None]:
        """Return the blocks around the document at a line, and whether the values let Helm render it."""
        part = self._outline.part_at(line)
        around = list(filter(part.is_within, self._blocks))
        return tuple(around), all_certainly(list(map(self._keeps, around)))

    def _is_around(self, block: Block) -> bool:
        return self._outline.part_at(block.line).is_within(block)

    def _keeps(self, block: Block) -> bool | None:
        values = self.values
        if values is None:
            return None
        return block.is_kept(lambda condition: holds(condition, values, self.variables))

    def has_certain_annotations(self, line: int) -> bool:
        """Return whether the annotations of the document at a line do not depend on what is not known."""
        return id(self._outline.part_at(line)) not in self._uncertain

    def fills(self, line: int) -> bool:
        """Return whether a directive fills in a part of a line."""
        return line in self._filled


def _is_annotation(where: Where, *, alone: bool) -> bool:
    return where.head[:2] == ("metadata", "annotations") or (alone and where.head == ("metadata",))


def head_as_json(document: ChartDocument) -> Any:
    """Return the first object of a document without the schemas of a CRD as a JSON value, None if that is not possible."""
    return next(iter(_json_of(without_schemas(document.text)) or ()), None)


def as_json(document: ChartDocument) -> Any:
    """Return the objects of a document as JSON values, None if that is not possible."""
    return _json_of(document.text)


def _json_of(text: str) -> Any:
    try:
        roots = [each.root for each in iter_documents(text) if each.root is not None]
        return list(map(to_json, roots))
    except YAMLDecodeError:
        return None


def values_of(text: str, name: str) -> Any:
    """Return the first CRD with a name in a text as JSON values, None if that is not possible."""
    for head in _heads(text):
        if head.kind == KIND and text_of(child(head.root, "metadata", "name")) == name:
            return _json_of(head.text)
    return None
