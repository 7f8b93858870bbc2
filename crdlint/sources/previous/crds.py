"""The CRDs of old files, charts and kustomizations: looked up by name, read on demand, and missed at the end."""

from __future__ import annotations

import os
import zlib
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final

from crdlint.crd import v1beta1
from crdlint.crd.positions import Locator, SourceLocation, Span
from crdlint.diagnostics import Diagnostic
from crdlint.files.paths import Selection, UnreadInput, discover
from crdlint.files.read import decode, text_if_readable
from crdlint.files.recognition import LFS_POINTER, QUOTE, key_pattern
from crdlint.files.repository import RepositoryError
from crdlint.light import dataclass, regex, replace
from crdlint.linting.documents import collect_crds
from crdlint.linting.result import CollectedCRDs, ComparedCRD, FileResult, OldCRD, UnreadDocument
from crdlint.rules.advice.deployment import SKIPPED
from crdlint.rules.texts import reading
from crdlint.rules.texts.changes import REMOVED
from crdlint.safety.programs import shortened
from crdlint.sources.helm.layout import DEFAULTS, HelmValues
from crdlint.sources.helm.render import Rendered, RenderedDocument
from crdlint.sources.kustomize import KUSTOMIZATIONS
from crdlint.sources.kustomize.build import (
    MISSING,
    changes_crds,
    find_program,
    patch_spans,
    run_build,
)
from crdlint.sources.kustomize.kustomization import (
    Kustomization,
    read_kustomization,
    reading_problem,
)
from crdlint.sources.previous.copies import OldFolder
from crdlint.yaml.nodes import child, text_of

if TYPE_CHECKING:
    from crdlint.sources.helm.known_values import KnownValues


@dataclass(frozen=True, slots=True)
class OldTemplate:
    """A template of the old side: its outermost chart, and its path in it."""

    chart: OldFolder
    path: str


@dataclass(slots=True)
class OldCharts:
    """The charts of the old side; each is rendered when a CRD of its templates is needed for the first time.

    `notices` contains the reasons why some are not rendered. Their templates are then read without Helm, as all are
    without `values`.
    """

    values: HelmValues | None = DEFAULTS
    notices: dict[str, None] = field(default_factory=dict)
    _rendered: dict[str, Rendered] = field(default_factory=dict)
    _values: dict[str, KnownValues | None] = field(default_factory=dict)

    def documents(self, template: OldTemplate) -> Sequence[RenderedDocument]:
        """Return the documents that Helm renders of a template; none if its chart is not rendered."""
        return self.rendered(template.chart).documents.get(template.path, ())

    def rendered(self, chart: OldFolder) -> Rendered:
        """Return what Helm renders of a chart, which is empty if it does not."""
        if self.values is None:
            return Rendered()
        rendered = self._rendered.get(chart.name)
        if rendered is None:
            rendered = self._rendered[chart.name] = self._render(chart, self.values)
        return rendered

    def filled(self, template: OldTemplate, text: str) -> str:
        """Return a template that Helm does not render, with known values filled in at unchanged positions."""
        chart = template.chart
        if "{{" not in text:
            return text
        if chart.name not in self._values:
            self._values[chart.name] = self._values_of(chart)
        values = self._values[chart.name]
        return text if values is None else values.filled_at(template.path, text)

    def _values_of(self, chart: OldFolder) -> KnownValues | None:
        from crdlint.sources.helm.chart import load_folder
        from crdlint.sources.helm.known_values import KnownValues

        with suppress(RepositoryError), chart.opened() as path:
            return KnownValues(load_folder(path), self.values or DEFAULTS)
        return None

    def _render(self, chart: OldFolder, values: HelmValues) -> Rendered:
        from crdlint.sources.helm.check import render_for, versions_of

        try:
            with chart.opened() as path:
                rendered = render_for(
                    path,
                    values,
                    [str(versions_of(path).newest)],
                    defaults=True,
                )
                notices = [chart.named(notice, path) for notice in rendered.notices]
        except RepositoryError as error:
            rendered, notices = Rendered(), [f"{error}; its templates are read without Helm"]
        self.notices.update((f"the old chart {chart.name}: {notice}", None) for notice in notices)
        return rendered


@dataclass(frozen=True, slots=True)
class OldBuild:
    """The CRDs of an old kustomization by name; `problem` is the reason why it cannot be built."""

    crds: Mapping[str, OldCRD] = field(default_factory=dict)
    problem: str | None = None


@dataclass(slots=True)
class OldKustomizations:
    """The kustomizations of the old side, by the corresponding folder of the new side; each is built on demand."""

    folders: dict[str, OldFolder] = field(default_factory=dict)
    _last: tuple[str, OldBuild] | None = None

    def changes_crds(self, folder: str) -> bool:
        """Return whether the old kustomization can be built in place of a new one, and by itself changes CRDs."""
        old = self.folders.get(os.path.normpath(folder))
        if old is None:
            return False
        try:
            with old.opened(is_kustomization=True) as path:
                others = (old.beside(other, path) for other in self.folders.values())
                elsewhere = set(map(os.path.realpath, others))
                return _changes_own_crds(path, elsewhere)
        except RepositoryError:
            return False  # if a build of the new one needs it, the build reports it

    def of_file(self, path: str) -> OldBuild | None:
        """Return the build of the old kustomization in place of a new kustomization file, or None."""
        folder = os.path.normpath(os.path.dirname(path))
        if os.path.basename(path) not in KUSTOMIZATIONS or folder not in self.folders:
            return None
        if self._last is None or self._last[0] != folder:
            self._last = folder, _build(self.folders[folder])
        return self._last[1]


def _changes_own_crds(folder: str, elsewhere: Container[str]) -> bool:
    """Return whether the kustomization in a folder can be built, and changes its CRDs; see `changes_crds`."""
    kustomization = read_kustomization(folder)
    if kustomization is None or kustomization.top.is_component or kustomization.problem:
        return False
    return any(_resources(kustomization)) and changes_crds(kustomization, elsewhere)


def _build(folder: OldFolder) -> OldBuild:
    try:
        with folder.opened(is_kustomization=True) as path:
            kustomization = read_kustomization(path)
            if kustomization is None:
                unreadable = reading_problem(path)
                reason = "it has no kustomization file" if unreadable is None else unreadable.reason
                return OldBuild(problem=f"{folder.name}: not built: {reason}")
            return _built(kustomization, folder, path)
    except RepositoryError as error:
        return OldBuild(problem=f"{folder.name}: {error}")


def _built(kustomization: Kustomization, folder: OldFolder, path: str) -> OldBuild:
    resources: dict[str, OldCRD] = {}
    for resource, text in _resources(kustomization):
        resources.update(collect_crds(text, folder.named(resource, path)).by_name)
    if not resources or kustomization.top.is_component or not changes_crds(kustomization):
        return OldBuild(resources)
    file = folder.named(kustomization.top.path, path)
    if kustomization.problem is not None:
        problem = folder.named(f"not built: {kustomization.problem}", path)
        return OldBuild(problem=f"{file}: {problem}")
    program = find_program()
    if program is None:
        return OldBuild(problem=f"{file}: {MISSING}")
    output = run_build(kustomization, program)
    if output.problem is not None:
        return OldBuild(problem=f"{file}: {output.problem}")
    crds = dict(collect_crds(output.text, file).by_name)
    for name, span in patch_spans(kustomization, crds).items():
        old = crds[name]
        crds[name] = old._replace(positions=_AtPatch(old.positions, span), span=span)
    return OldBuild(crds)


def _resources(kustomization: Kustomization) -> Iterator[tuple[str, str]]:
    for path in kustomization.resources:
        # As on the new side: kustomize reports what cannot be read.
        text = text_if_readable(path, only_crds=True)
        if text is not None:
            yield path, text


class _AtPatch(Locator):
    """Locates the parts of a CRD that a build changes at its patch in the kustomization."""

    def __init__(self, built: Locator, patch: Span) -> None:
        super().__init__(built.root, built.line_offset, built.text)
        self._patch = patch

    def span_of(self, location: SourceLocation, *, key: bool = False) -> Span:  # noqa: ARG002
        """Return the span of the patch."""
        return self._patch


LONGEST_REASON: Final = 200  # characters: some errors of the API server quote the whole document
# The number of files whose CRDs are cached, because neighbouring names are needed in turn
_CACHED: Final = 2
_KEY: Final = key_pattern("name")
# Candidates for metadata.name; a match ends at the first character that no name contains, so the search is linear.
_NAME: Final = regex(rf"""{_KEY}{QUOTE}([^\s"'#,}}&!*|>\\]+)""")
# Names that do not occur literally in the text: escaped, tagged, in a block, or by an alias.
_INDIRECT_NAME: Final = regex(rf"""{_KEY}(?:[#&!*|>]|"[^"\\\n]{{0,253}}\\)""")


@dataclass(frozen=True, slots=True)
class OldFile:
    """An old file: its name for messages, its path in the work tree, and its compressed bytes.

    `path` is empty if the file has no counterpart in the work tree. `in_scope` means that the run checks the current
    version of the file, so that a removed CRD is reported. `counterpart` is the path at which a new version of the file
    would be checked. `template` is set if it is a template of a chart.
    """

    name: str
    path: str
    packed: bytes
    in_scope: bool
    counterpart: str = ""
    template: OldTemplate | None = None

    @property
    def new_path(self) -> str:
        """The path at which a new version of the file is or would be, empty if there is none."""
        return self.counterpart or self.path

    @property
    def text(self) -> str:
        """The text of the file."""
        return decode(zlib.decompress(self.packed))


def pack(data: bytes) -> bytes:
    """Compress the bytes of a file, because a run keeps all old files in memory and reads most of them once."""
    return zlib.compress(data, 1)


@dataclass
class PreviousCRDs:
    """The CRDs of old files, in their order; `unreadable` contains the reasons why other files cannot be read."""

    files: Sequence[OldFile]
    unreadable: Sequence[str] = ()
    charts: OldCharts = field(default_factory=OldCharts)
    kustomizations: OldKustomizations | None = None
    _cache: OrderedDict[int, CollectedCRDs] = field(default_factory=OrderedDict)
    _names: dict[int, frozenset[str]] = field(default_factory=dict)
    _unread: dict[int, tuple[UnreadDocument, ...]] = field(default_factory=dict)
    _unread_names: set[str] = field(default_factory=set)  # CRDs whose old manifests cannot be read

    def of_file(self, index: int) -> CollectedCRDs:
        """Return the CRDs of a file by its index."""
        crds = self._cache.get(index)
        if crds is None:
            crds = self._cache[index] = self._collect(self.files[index])
            self._names[index] = frozenset(crds.by_name)
            self._unread[index] = crds.unread
            if len(self._cache) > _CACHED:
                self._cache.popitem(last=False)
        self._cache.move_to_end(index)
        return crds

    def _collect(self, file: OldFile) -> CollectedCRDs:
        template = file.template
        if template is None:
            return collect(file.text, file.name)
        documents = self.charts.documents(template)
        text = file.text if documents else self.charts.filled(template, file.text)
        crds = collect(text, file.name)
        if not documents:
            return crds
        from crdlint.sources.helm.rendered import collect_rendered

        return collect_rendered(file.name, file.text, documents, crds)

    def compared(self, result: FileResult) -> tuple[ComparedCRD, ...]:
        """Return the compared CRDs of a result, with those that cannot be compared because crdlint cannot read the old ones."""
        compared = list(map(self._as_known, result.compared))
        skipped = (finding for finding in result.diagnostics if finding.rule == SKIPPED.id)
        compared += (ComparedCRD(f"{each.file}:{each.line}", "unread") for each in skipped)
        for finding in result.diagnostics:
            name = finding.crd if finding.rule == reading.API_VERSION_REMOVED.id else None
            if name and self._was_unserved(name):
                compared.append(ComparedCRD(name, "unread", frozenset({finding.message})))
        return tuple(compared)

    def _as_known(self, crd: ComparedCRD) -> ComparedCRD:
        """Return a compared CRD, as unread if it counts as added only because old files cannot be read."""
        if crd.state == "added" and crd.name in self._unread_names:
            return crd._replace(state="unread")
        return crd

    def _was_unserved(self, name: str) -> bool:
        """Return whether an old file has a CRD with a name in a version that the server does not serve."""
        return any(_has_unserved(self.of_file(index), name) for index in self._candidates(name))

    def take_notices(self) -> tuple[str, ...]:
        """Return the notices about old charts since the last call."""
        notices = tuple(self.charts.notices)
        self.charts.notices.clear()
        return notices

    def find(self, name: str, path: str, values: str = "") -> tuple[OldCRD | None, list[str]]:
        """Return the old CRD with a name, and reasons why there may be one that cannot be read.

        Of several CRDs with the name, that of the old file whose counterpart is `path` comes first, because charts contain
        copies of CRDs. That of a template is preferably rendered with the values file of the new one, `values`.
        """
        build = None if self.kustomizations is None else self.kustomizations.of_file(path)
        if build is not None and build.problem is not None:
            return None, [build.problem]
        if build is not None and name in build.crds:
            return build.crds[name], []
        problems: list[str] = []
        candidates = sorted(
            self._candidates(name), key=lambda index: self.files[index].counterpart != path
        )
        if self._is_added_copy(name, path, candidates):
            return None, []
        for index in candidates:
            old = self.of_file(index).get(name, values)
            if old is not None:
                return old, []
            problems += self._problems(name, index)
        if self.unreadable:
            others = len(self.unreadable) - 1
            more = f" (and {others:,} more files)" if others else ""
            problems.append(self.unreadable[0] + more)
            self._unread_names.add(name)
        return None, problems

    def _problems(self, name: str, index: int) -> list[str]:
        """Return why a file may have a CRD that cannot be read; those of files in scope are reported at the end of the run."""
        file, unread = self.files[index], self._unread_with(name, index)
        if any(document.cause != "unserved version" for document in unread):
            self._unread_names.add(name)
        if file.in_scope:
            return []
        broken = (document for document in unread if document.cause == "broken")
        return [
            f"{file.name}:{document.line}: {shortened(document.reason, LONGEST_REASON)}"
            for document in broken
        ]

    def _is_added_copy(self, name: str, path: str, candidates: Sequence[int]) -> bool:
        """Return whether a file is new, and all old files with a CRD of a name are plain ones that still have it."""
        files = [self.files[index] for index in candidates]
        if not files or not os.path.isfile(path):
            return False
        return all(_is_plain_copy(file, path) and _has_crd(file.new_path, name) for file in files)

    def _candidates(self, name: str) -> Iterator[int]:
        by_name, indirect = self._index
        for index in dict.fromkeys((*by_name.get(name, ()), *indirect)):
            names = self._names.get(index)
            if names is None or name in names or self._unread_with(name, index):
                yield index

    def _unread_with(self, name: str, index: int) -> list[UnreadDocument]:
        return [document for document in self._unread[index] if name in document.text]

    @cached_property
    def _index(self) -> tuple[dict[str, list[int]], list[int]]:
        """The indexes of the files with a literal name, by it, and of those that may have other names."""
        by_name: dict[str, list[int]] = {}
        indirect: list[int] = []
        for index, file in enumerate(self.files):
            text = file.text
            names = set(_NAME.findall(text))
            for name in names:
                by_name.setdefault(name, []).append(index)
            is_templated = file.template is not None and "{{" in "\n".join(names)
            if is_templated or _INDIRECT_NAME.search(text):
                indirect.append(index)
        return by_name, indirect


def _is_plain_copy(file: OldFile, path: str) -> bool:
    """Return whether an old file is no template, and its new version is another one than a file."""
    return file.template is None and file.new_path not in {"", path}


def _has_unserved(old: CollectedCRDs, name: str) -> bool:
    """Return whether old documents of a CRD have a version that the server does not serve."""
    unserved = (document for document in old.unread if document.cause == "unserved version")
    if any(name in document.text for document in unserved):
        return True
    converted = old.by_name.get(name)
    root = None if converted is None else converted.positions.root
    return text_of(child(root, "apiVersion")) == v1beta1.VERSION


def collect(text: str, file: str = "") -> CollectedCRDs:
    """Return the CRDs of a text; a document that only Helm can render contains none."""
    crds = collect_crds(text, file)
    if not any(document.cause == "template" for document in crds.unread):
        return crds
    from crdlint.sources.helm.masking import mask
    from crdlint.sources.helm.templates import analyse

    masked = mask(text)
    if masked.broken is not None:
        return crds
    analysis = analyse(masked)
    readable = collect_crds(analysis.text, file)
    lines = text.split("\n")
    unread = [document._replace(cause="template") for document in readable.unread]
    for skipped in analysis.skipped:
        own_lines = "\n".join(lines[skipped.part.start - 1 : skipped.part.end - 1])
        unread.append(
            UnreadDocument(
                skipped.line,
                own_lines,
                skipped.reason,
                "template",
            )
        )
    return CollectedCRDs(readable.by_name, tuple(unread))


@dataclass(slots=True)
class Comparison:
    """Findings of removed CRDs by file, and old documents that cannot be read or are not plain YAML."""

    results: list[FileResult] = field(default_factory=list)
    problems: list[UnreadInput] = field(default_factory=list)

    def add_gone(
        self,
        missing: dict[str, tuple[OldFile, OldCRD]],
        previous: PreviousCRDs,
        crds: Mapping[str, Sequence[str]],
        unread: Sequence[str],
        tops: Sequence[str],
    ) -> None:
        """Add the CRDs that no checked file has: as removed, unless another file has them, or one cannot be read."""
        others = discover(tops, Selection()).files if missing else ()
        for name, path in _moved(missing, (*crds, *others)):
            del missing[name]
            if path not in crds:
                message = f"not checked, but contains {name} now"
                self.problems.append(UnreadInput(path, message, fatal=False))
        if not unread:
            self.results += _results(missing, previous, crds)
            return
        for name, (file, _) in missing.items():
            message = f"not compared: {name} may be in {unread[0]}, which cannot be read"
            self.problems.append(UnreadInput(file.name, message))


def compare(
    previous: PreviousCRDs,
    crds: Mapping[str, Sequence[str]],
    unread: Sequence[str],
    tops: Sequence[str],
    pointers: Iterable[str],
    is_checked: Callable[[str], bool],
) -> Comparison:
    """Return the findings of removed CRDs of the old files in scope.

    `crds` are the names of the CRDs in each checked file. If an input in `unread` cannot be read, it may contain the
    missing CRDs: then none of them is reported as removed. `tops` are directories to whose other files a CRD may have
    been moved. `pointers` are new files that are only pointers of Git LFS. `is_checked` returns
    whether the configuration includes a file.
    """
    comparison = Comparison()
    names = set(chain.from_iterable(crds.values()))
    missing: dict[str, tuple[OldFile, OldCRD]] = {}
    unknown = set(map(os.path.normpath, pointers))
    for index, file in enumerate(previous.files):
        if not _is_in_question(file, is_checked):
            continue
        if os.path.normpath(file.path or file.counterpart) in unknown:
            message = f"not compared: its new version is {LFS_POINTER}"
            comparison.problems.append(UnreadInput(file.name, message))
            continue
        old_crds = previous.of_file(index)
        comparison.problems += (_not_compared(file, document) for document in old_crds.unread)
        if _is_vendored(file):
            continue
        for name, old in old_crds.by_name.items():
            if name not in names:
                missing.setdefault(name, (file, old))
    comparison.add_gone(missing, previous, crds, unread, tops)
    return comparison


def _is_in_question(file: OldFile, is_checked: Callable[[str], bool]) -> bool:
    """Return whether an old file in scope differs from its new version, and the configuration includes it."""
    path = file.path or file.counterpart
    if not file.in_scope or _current_text(file) == file.text:
        return False
    return not path or is_checked(path)


def _not_compared(file: OldFile, document: UnreadDocument) -> UnreadInput:
    """Return the problem of an old document that cannot be read."""
    reason = shortened(document.reason, LONGEST_REASON)
    message = f"line {document.line}: not compared: {reason}"
    return UnreadInput(file.name, message, fatal=document.cause == "broken")


def _is_vendored(file: OldFile) -> bool:
    """Return whether a file is a copy of another project's, such as Go's `vendor/`, which does not remove its CRDs."""
    return "vendor" in (file.path or file.counterpart or file.name).split("/")[:-1]


def _moved(names: Iterable[str], paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield names that another file contains, with the first such file; an unreadable document contains every name in its text."""
    pending = set(names)
    for path in dict.fromkeys(paths):
        if not pending:
            return
        text = text_if_readable(path, only_crds=True) or ""
        near = sorted(filter(text.__contains__, pending))
        collected = collect(text if near else "")
        for name in near:
            if _may_contain(collected, name):
                pending.discard(name)
                yield name, path


def _has_crd(path: str, name: str) -> bool:
    """Return whether a file can be read and has a CRD with a name."""
    text = text_if_readable(path, only_crds=True) or ""
    return name in collect(text).by_name


def _may_contain(collected: CollectedCRDs, name: str) -> bool:
    """Return whether a file has a CRD with a name, or a document with the name that cannot be read."""
    return name in collected.by_name or any(name in each.text for each in collected.unread)


def _results(
    missing: Mapping[str, tuple[OldFile, OldCRD]],
    previous: PreviousCRDs,
    crds: Mapping[str, Sequence[str]],
) -> Iterator[FileResult]:
    by_file: dict[str, tuple[OldFile, dict[str, OldCRD]]] = {}
    for name, (file, old) in missing.items():
        by_file.setdefault(file.name, (file, {}))[1][name] = old
    for file, gone in by_file.values():
        text = _current_text(file)
        if text is None:
            diagnostics = [_diagnostic(file, name, old.span) for name, old in gone.items()]
            yield FileResult(file.path or file.name, file.text, diagnostics=tuple(diagnostics))
            continue
        in_file = crds.get(file.path, ())
        new = [name for name in in_file if previous.find(name, file.path)[0] is None]
        new_name = new[0] if len(gone) == len(new) == 1 else None
        span = _span_of_crd(text, new_name)
        diagnostics = [_diagnostic(file, name, span, new_name) for name in gone]
        yield FileResult(file.path, text, diagnostics=tuple(diagnostics))


def _span_of_crd(text: str, name: str | None) -> Span:
    """Return the span of a CRD in a text, or the start of the text: a CRD that only Helm can render is not in it."""
    crd = None if name is None else collect(text).by_name.get(name)
    return Span(1, 1, 1, 1) if crd is None else crd.span


def _current_text(file: OldFile) -> str | None:
    return text_if_readable(file.path) if file.path else None


def _diagnostic(
    file: OldFile,
    name: str,
    span: Span,
    renamed: str | None = None,
) -> Diagnostic:
    message, help_ = f"CRD {name} was removed: no file contains it", None
    if renamed is not None:
        message = f"CRD {name} is now named {renamed}"
        help_ = f"Keep the name {name}; to rename a CRD, keep both until no cluster has objects of the old one"
    diagnostic = REMOVED.diagnostic(
        file.path or file.name,
        "advice",
        message,
        span,
        help_,
    )
    return replace(diagnostic, crd=name)
