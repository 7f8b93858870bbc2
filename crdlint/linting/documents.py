"""The walk over the documents of a file, for both CRDs and custom resources, and the old CRDs of a text."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from collections.abc import Mapping as MappingOf
from dataclasses import field
from functools import cached_property
from typing import Final, cast

from crdlint.crd import v1beta1
from crdlint.crd.convert import assume_established, read_crd
from crdlint.crd.identity import Identity, identify, is_partial
from crdlint.crd.paths import Path
from crdlint.crd.positions import Locator, Span, node_span, problem_span
from crdlint.diagnostics import Diagnostic, Fix, Kind
from crdlint.files.recognition import KIND, names_crd
from crdlint.kubernetes.servers import Server
from crdlint.light import dataclass, replace
from crdlint.linting.result import (
    CRD,
    CollectedCRDs,
    DocumentResult,
    FileResult,
    OldCRD,
    ResourceName,
    UnreadDocument,
)
from crdlint.linting.separated import Portion, half, parts
from crdlint.rules import catalog
from crdlint.rules.engine.finding import DocumentFinding, Finding, Manifest
from crdlint.rules.engine.instructions import help_with_fix
from crdlint.rules.texts import reading
from crdlint.rules.texts.reading import AFTER_END, internal_error
from crdlint.safety.bugs import Bug, attempt, collected, contain
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.json_values import DuplicateKey, duplicate_keys, first_error
from crdlint.yaml.nodes import Mapping, Node, child, items_of, text_of, text_or_empty
from crdlint.yaml.parse import (
    Chunk,
    Document,
    YAMLProblem,
    chunks,
    collector_paused,
    iter_documents,
    line_after_end,
    parse_chunk,
    reading_notice,
    unchanged,
)


@dataclass(frozen=True)
class Fixes:
    """The fixes of findings in the file with a text, none without a text."""

    text: str = ""

    @cached_property
    def _line_starts(self) -> list[int]:
        # Lines as documents count them.
        return [
            0,
            *(match.end() for match in re.finditer("\n", self.text)),
        ]

    def add(self, diagnostic: Diagnostic, finding: Finding) -> Diagnostic:
        """Return a diagnostic with the fix of its finding, if there is one."""
        if diagnostic.hidden or not self.text:
            return diagnostic
        fix = self._fix_of(finding)
        if fix is None:
            return diagnostic
        help_ = help_with_fix(
            diagnostic.help or "",
            catalog.get(finding.rule).help,
            self.text,
            fix,
        )
        return replace(diagnostic, fix=fix, help=help_ or None)

    def _start_of(self, document: Document) -> int:
        """Return the offset of the first line of a document; most are the first of their file."""
        return self._line_starts[document.line_offset] if document.line_offset else 0

    def _fix_of(self, finding: Finding) -> Fix | None:
        for table in catalog.fixes_of(finding.rule):
            fix = attempt(table.fix_of, finding, self._start_of(finding.manifest.document))
            if fix is not None:
                return fix
        return None


_WITHOUT_DOTS: Final = "Remove the line `...`, if the lines below it belong to the document"
NO_FIXES: Final = Fixes()
_SKIPPED: Final = DocumentResult(1, 1, (), (), ())


@dataclass(slots=True)
class DocumentWalk(ABC):
    """Checks the documents of a file one by one, and collects the content of its FileResult.

    Each document is checked separately, so that an invalid one does not affect the others. `crds` are the checked
    objects of the current document, `reusable` the results of documents by number, if there are any and they depend on
    nothing else in the file. `skipped` is what the last document that was skipped without a notice consists of, because equal
    ones often follow: its text, and the junk before it.
    """

    file: str
    text: str
    fixes: Fixes = NO_FIXES
    crds: list[CRD] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    reusable: dict[int, DocumentResult] = field(default_factory=dict)
    skipped: tuple[str, str | None] | None = None

    @abstractmethod
    def check_objects(self, document: Document) -> bool:
        """Check the objects of a document, and return whether it has any, or is one by mistake; raise YAMLDecodeError."""

    @abstractmethod
    def skips_unparsed(self, document: Document) -> bool:
        """Return whether a document that is not YAML is skipped: as a template, with a notice, or in a file without manifests."""

    def check_rest(self, document: Document, part: Portion) -> bool:  # noqa: ARG002
        """Report a document that is only the rest of the one above, and return whether it is."""
        return False

    def may_matter(self, text: str) -> bool:
        """Return whether a text that is no document may contain an object that would be checked."""
        return names_crd(text.encode("utf-8", "replace"))

    def count_problems(self, root: Node) -> int:  # noqa: ARG002
        """Return how many fields of a document are wrong, if that is known without a check of its objects."""
        return 0

    def worded(self, message: str, document: Document) -> str:  # noqa: ARG002
        """Return the newest server's error about the YAML of a document as the server or the sender that is asked words it."""
        return message

    def effects(self) -> tuple[int, ...]:
        """Return numbers that change if the check of a document is not complete, or affects the later documents."""
        return ()

    def run(
        self, only: frozenset[int] | None = None, earlier: FileResult | None = None
    ) -> FileResult:
        """Check the documents of the text; `only` contains their numbers (see crdlint.yaml.parse.split), None for all.

        `earlier` is the result of an earlier text of the file: its reusable documents are not checked again where they
        are unchanged.
        """
        moves = {} if earlier is None else unchanged(earlier.text, self.text)
        reusable = {} if earlier is None else earlier.reusable
        reused = {
            number: result.moved(*moves[number])
            for number, result in reusable.items()
            if number in moves
        }
        documents = skipped = 0
        crds: list[CRD] = []
        diagnostics: list[Diagnostic] = []
        notices: list[str] = []
        with collector_paused(), collected():
            for result in self._results(only, reused):
                documents += result.documents
                skipped += result.skipped
                crds += result.crds
                diagnostics += result.diagnostics
                notices += result.notices
        notice = reading_notice()
        return FileResult(
            file=self.file,
            text=self.text,
            documents=documents,
            crds=tuple(crds),
            skipped=skipped,
            diagnostics=tuple(diagnostics),
            notices=(*([notice] if notice else []), *notices),
            reusable=self.reusable,
        )

    def _results(
        self, only: frozenset[int] | None, reused: MappingOf[int, DocumentResult | None]
    ) -> Iterator[DocumentResult]:
        """Check each document; no local variable refers to a node when the garbage collector is enabled again."""
        for number, part in enumerate(parts(chunks(self.text))):
            result = reused.get(number) if part.is_whole else None
            if result is not None:
                self.reusable[number] = result
                yield result
            elif only is None or number in only:
                yield self._checked(number, part)

    def _checked(self, number: int, part: Portion) -> DocumentResult:
        """Check one document; an internal error is a finding at its start, and ends the check of this document only."""
        chunk = part.chunk
        if (chunk.text, chunk.junk) == self.skipped and not part.continues:
            return _SKIPPED
        document, is_filled, is_skipped = None, True, False
        effects, is_reusable = self.effects(), False
        self.crds, self.diagnostics, self.notices = [], [], []
        try:
            document = parse_chunk(chunk)
            document.is_continued = part.is_continued
            is_filled = document.root is not None or document.error is not None
            is_skipped = is_filled and not self._check_part(document, part)
            self._report_rest(document, is_skipped=is_skipped)
            # Whether a syntax error is reported, and what a part of an object is, depends on the whole file.
            is_alone = part.is_whole and document.error is None
            is_reusable = is_alone and self.effects() == effects
        except Exception as error:
            span = _start_of(document, chunk)
            self.diagnostics.append(internal_error(self.file, contain(error), span))
        lists = tuple(self.crds), tuple(self.diagnostics), tuple(self.notices)
        result = DocumentResult(int(is_filled), int(is_skipped), *lists)
        if is_reusable:
            self._keep(result, number, chunk)
        return result

    def _keep(self, result: DocumentResult, number: int, chunk: Chunk) -> None:
        """Keep the result of a document for the same document of the next text, or for equal ones that are skipped."""
        if self.crds or self.diagnostics:
            self.reusable[number] = result
        elif result == _SKIPPED:
            self.skipped = chunk.text, chunk.junk

    def _check_part(self, document: Document, part: Portion) -> bool:
        """Check a document that is not empty, or report that it belongs to the one above; return whether it is one to check."""
        return self.check_rest(document, part) or self._check(document)

    def _check(self, document: Document) -> bool:
        """Check a document that is not empty, and return whether it is one to check; others are skipped."""
        error: YAMLDecodeError | None = None
        if document.root is not None:
            try:
                return self.check_objects(document)
            except YAMLDecodeError as conversion:
                # In the order in which Go decodes the document.
                error = first_error(document.root) or conversion
        if not self._is_too_deep(document) and self.skips_unparsed(document):
            return False
        if error is not None:
            self._report_conversion(document, error)
        elif document.error is not None:
            self._report_syntax(document, document.error)
        return True

    def _is_too_deep(self, document: Document) -> bool:
        """Return whether a document that may matter is not read because crdlint stops within its brackets."""
        problem = document.error
        return problem is not None and problem.is_own and self.may_matter(document.text)

    def _report_rest(self, document: Document, *, is_skipped: bool) -> None:
        """Report the text after the end of a document, unless neither the document nor that text matters."""
        line = line_after_end(document)
        if line is None:
            return
        first = line - document.line_offset
        rest = document.text.split("\n")[first:]
        if is_skipped and not self.may_matter("\n".join(rest)):
            return
        end = len(rest[0].partition(" #")[0].rstrip()) + 1
        message = f"kubectl and Helm do not read the text after `...`, from line {line + 1} on"
        is_indented = rest[0].startswith((" ", "\t"))
        self.report(
            "advice",
            AFTER_END.id,
            message,
            Span(line + 1, 1, line + 1, end),
            _WITHOUT_DOTS if is_indented else None,
        )

    def _report_syntax(self, document: Document, problem: YAMLProblem) -> None:
        if problem.is_own:
            self._report_unread(problem)
            return
        from crdlint.yaml.causes import syntax_cause

        find = half if document.is_continued else syntax_cause
        cause = attempt(find, document, self.count_problems)
        span, help_, headline = problem_span(problem), None, ""
        if cause is not None:
            span = Span(cause.line, cause.column, cause.line, cause.end_column)
            help_, headline = cause.help, cause.headline
        message = self.worded(problem.message, document)
        self.report(
            "decode",
            reading.YAML_SYNTAX.id,
            message,
            span,
            help_,
            Manifest(document, None, cause=cause),
            headline=headline,
        )

    def _report_unread(self, problem: YAMLProblem) -> None:
        """Report a document that is not read, although the server may read it."""
        help_ = "Write the document with fewer levels of brackets; it is not checked"
        self.report(
            "decode",
            reading.YAML_SYNTAX.id,
            problem.message,
            problem_span(problem),
            help_,
        )
        self.diagnostics[-1] = replace(self.diagnostics[-1], origin="crdlint")

    def _report_conversion(self, document: Document, error: YAMLDecodeError) -> None:
        from crdlint.yaml.causes import conversion_cause

        node = error.node or cast("Node", document.root)
        cause = attempt(conversion_cause, document, node)
        help_ = None if cause is None else cause.help
        span = node_span(node, document.line_offset)
        self.report(
            "decode",
            reading.YAML_SYNTAX.id,
            self.worded(str(error), document),
            span,
            help_,
        )

    def report(
        self,
        kind: Kind,
        rule: str,
        message: str,
        span: Span,
        help_: str | None = None,
        manifest: Manifest | None = None,
        *,
        headline: str = "",
    ) -> None:
        """Add a finding, by default with the headline and help of its rule, and with its fix if `manifest` is given."""
        diagnostic = catalog.get(rule).diagnostic(
            self.file,
            kind,
            message,
            span,
            help_,
        )
        if headline:
            diagnostic = replace(diagnostic, headline=headline)
        if manifest is not None:
            diagnostic = self.fixes.add(diagnostic, DocumentFinding(manifest, rule))
        self.diagnostics.append(diagnostic)


def _start_of(document: Document | None, chunk: Chunk) -> Span:
    """Return the start of the object of a document, or of its text if that is not parsed."""
    if document is not None and document.root is not None:
        return node_span(document.root, chunk.line_offset)
    line = chunk.line_offset + 1
    return Span(line, 1, line, 1)


def read_documents(
    text: str, read: Callable[[Document], None]
) -> Iterator[tuple[Document, int, int | None, str]]:
    """Read the documents of a text one by one, and yield those that cannot be read, with the place and the reason.

    The place is a line and a column (1-based); the column is None for an internal error.
    """
    for document in iter_documents(text):
        offset = document.line_offset
        if document.error is not None:
            span = problem_span(document.error)
            yield document, span.line, span.column, document.error.message
            continue
        try:
            read(document)
        except YAMLDecodeError as error:
            node = error.node or document.root
            span = Span(offset + 1, 1, offset + 1, 1) if node is None else node_span(node, offset)
            yield document, span.line, span.column, str(error)
        except Exception as error:
            yield document, offset + 1, None, f"a bug in crdlint: {contain(error).text}"


def unchecked(file: str, text: str, bug: Bug) -> FileResult:
    """Return the result of a file that is not checked because of an internal error."""
    return FileResult(
        file,
        text,
        documents=1,
        diagnostics=(internal_error(file, bug, Span(1, 1, 1, 1)),),
    )


def take_duplicate_keys(document: Document, *, is_json: bool) -> list[DuplicateKey]:
    """Return the duplicate keys of a YAML document; only the first call for a document returns any.

    So in a list, the findings of the whole document belong to its first object. Duplicate fields of JSON are reported
    by its decoder.
    """
    mappings, document.non_simple_mappings = document.non_simple_mappings, []
    return [] if is_json else duplicate_keys(mappings)


def manifests(document: Document) -> Iterator[tuple[Mapping, Identity]]:
    """Yield the objects of a document, or of a List or CustomResourceDefinitionList at any depth, with their identities."""
    pending = [document.root] if document.root is not None else []
    while pending:
        root = pending.pop()
        if not isinstance(root, Mapping):
            continue
        identity = identify(root, document.text)
        if identity.form in {"list", "crd-list"}:
            pending.extend(reversed(items_of(child(root, "items"))))
            continue
        yield root, identity


def name_of(root: Mapping) -> str:
    """Return the metadata.name of an object, empty if it has none."""
    return text_or_empty(child(root, "metadata", "name"))


def resource_names(root: Mapping, line_offset: int) -> tuple[ResourceName, ...]:
    """Return the names of a CRD that must be unique in its group, with the group; a defaulted one is where `kind` is."""
    group = text_of(child(root, "spec", "group"))
    names = child(root, "spec", "names")
    if not group or names is None:
        return ()
    kind_node = child(names, "kind")
    kind = text_of(kind_node)
    defaults = {"singular": kind.lower(), "listKind": f"{kind}List"} if kind else {}
    resources = []
    for what in ("plural", "singular", "shortNames", "kind", "listKind"):
        node = child(names, what)
        for item in items_of(node) if what == "shortNames" else (node,):
            text, origin = (
                (text_of(item), item) if text_of(item) else (defaults.get(what), kind_node)
            )
            if text and origin is not None:
                span = node_span(origin, line_offset)
                resources.append(
                    ResourceName(
                        what,
                        f"{text}.{group}",
                        span.line,
                        span.column,
                        span.end_column,
                    )
                )
    return tuple(resources)


_NAME: Final = Path("metadata").child("name")


def collect_crds(text: str, file: str = "", *, with_partial: bool = False) -> CollectedCRDs:
    """Return the CRDs of a text as stored: established, unless their status contradicts that; `file` is for messages.

    `with_partial` includes CRDs that look like patches, because they have none of the required fields.
    """
    crds: dict[str, OldCRD] = {}
    unread: list[UnreadDocument] = []

    def read(document: Document) -> None:
        for root, identity in manifests(document):
            if identity.form in {"crd", "unserved"}:
                unread.extend(_collect(root, identity, document, crds, file, with_partial))

    with collector_paused():
        for document, line, column, reason in read_documents(text, read):
            if column is None:
                unread.append(UnreadDocument(line, document.text, reason))
            elif names_crd(document.text.encode("utf-8", "replace")):  # it may contain a CRD
                template = document.line_of("{{")
                unread.append(
                    UnreadDocument(line, document.text, reason)
                    if template is None
                    else UnreadDocument(
                        template,
                        document.text,
                        "a template",
                        "template",
                    )
                )
    return CollectedCRDs(crds, tuple(unread))


def as_stored(old: OldCRD, server: Server) -> OldCRD:
    """Return an old CRD as a server stores it, without fields that the server does not know."""
    if not server.unknown_fields:
        return old
    decoded = read_crd(old.positions.root, stored=True, server=server)
    decoded.crd.spec.preserve_unknown_fields = old.crd.spec.preserve_unknown_fields
    assume_established(decoded.crd)
    return old._replace(
        crd=decoded.crd, problems=frozenset(problem.message for problem in decoded.problems)
    )


def _unserved(
    root: Mapping,
    identity: Identity,
    error: str,
    document: Document,
) -> Iterator[UnreadDocument]:
    """Yield a CRD that the server does not serve, but not another object such as a test suite with the apiVersion of a CRD."""
    if identity.kind == KIND:
        line = node_span(identity.node or root, document.line_offset).line
        cause: Final = "unserved version" if identity.form == "unserved" else "broken"
        yield UnreadDocument(line, document.text, error, cause)


def _collect(
    root: Mapping,
    identity: Identity,
    document: Document,
    crds: dict[str, OldCRD],
    file: str,
    with_partial: bool,
) -> Iterator[UnreadDocument]:
    """Add a CRD to `crds`; yield one that cannot be decoded."""
    offset = document.line_offset
    is_converted = identity.api_version == v1beta1.VERSION and identity.kind == KIND
    keeps_unknown_fields = is_converted and v1beta1.preserves_unknown_fields(root)
    if is_converted:
        root = v1beta1.in_v1(root)
    elif identity.error is not None:
        yield from _unserved(root, identity, identity.error, document)
        return
    if is_partial(root) and not with_partial:
        return
    decoded = read_crd(root, stored=True)
    rejection = next((problem for problem in decoded.problems if problem.kind == "decode"), None)
    if rejection is not None:
        yield UnreadDocument(
            node_span(rejection.node, offset).line, document.text, rejection.message
        )
        return
    crd = decoded.crd
    crd.spec.preserve_unknown_fields = crd.spec.preserve_unknown_fields or keeps_unknown_fields
    assume_established(crd)
    locator = Locator(root, offset, document.text)
    problems = frozenset(problem.message for problem in decoded.problems)
    crds.setdefault(crd.metadata.name, OldCRD(crd, locator, locator.span(_NAME), file, problems))
