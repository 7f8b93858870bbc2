"""The whole way from a file's text to its diagnostics: documents, decoding, rules, positions.

Each document is judged on its own, so that a broken one keeps none of the others from being checked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from crdlint.crd.convert import read_crd
from crdlint.crd.decode import identify, kind_missing
from crdlint.crd.decode_help import way_out
from crdlint.crd.decode_values import is_json
from crdlint.crd.defaults import assume_established
from crdlint.crd.near_misses import SPEC_KEYS, is_partial, is_type_key, misspelled_type_key, near_miss
from crdlint.crd.paths import Path
from crdlint.crd.placeholders import PLACEHOLDERS, directive, is_placeholder, placeholder_of
from crdlint.crd.positions import Locator, node_span, problem_span
from crdlint.crd.recognition import KIND, names_crd
from crdlint.kubernetes.servers import NEWEST_VERSION, parse_range
from crdlint.linting import create, update
from crdlint.linting.result import CRD, CollectedCRDs, FileResult, FoundCRD, FoundRule, OldCRD, UnreadDocument
from crdlint.rules import catalog, duplicates
from crdlint.rules.engine.advisory import DecodedCRD
from crdlint.rules.engine.finding import Finding, Manifest, fix_of
from crdlint.safety.effort import Effort
from crdlint.schema.traversal import all_schemas
from crdlint.yaml.errors import YAMLDecodeError
from crdlint.yaml.lines import split_lines
from crdlint.yaml.nodes import Mapping, Scalar, Sequence
from crdlint.yaml.parse import collector_paused, iter_documents, parse_stream, reading_notice
from crdlint.yaml.values import duplicate_keys, first_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crdlint.crd.decode import DecodeProblem, Identity
    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import CustomResourceDefinition
    from crdlint.crd.positions import Span
    from crdlint.diagnostics.diagnostic import Diagnostic, Kind
    from crdlint.kubecel.estimated_rule import EstimatedRule
    from crdlint.kubernetes.servers import Range
    from crdlint.rules.engine.advisory import Advisory
    from crdlint.yaml.parse import Document

    FindOldCRD = Callable[[str], OldCRD | None]


@dataclass(slots=True)
class _Run:
    """What is collected while a file is read."""

    file: str
    previous: FindOldCRD | None
    text: str
    skip_unfinished: bool
    partial: str
    versions: Range
    keep: bool
    definitions: list[FoundCRD] = field(default_factory=list)
    rules: list[FoundRule] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    documents: int = 0
    skipped: int = 0
    crds: list[CRD] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    effort: Effort = field(default_factory=Effort)
    blocking: set[int] = field(default_factory=set)  # indexes of diagnostics
    fixes: bool = False
    _names_crd: bool | None = None
    _line_starts: list[int] | None = None

    def may_break(self) -> bool:
        """Return whether a document that is not YAML is reported: only beside the kind of a CRD."""
        if self._names_crd is None:
            self._names_crd = names_crd(self.text.encode("utf-8", "replace"))
        return self._names_crd

    def fixed(self, diagnostic: Diagnostic, finding: Finding) -> Diagnostic:
        """Return a diagnostic with the fix of its finding, if fixes are asked for and there is one."""
        if not self.fixes or diagnostic.hidden:
            return diagnostic
        rule = catalog.get(finding.rule)
        fix = fix_of(rule.fixes, finding, self._start_of(finding.manifest.document)) if rule.fixes else None
        return diagnostic if fix is None else replace(diagnostic, fix=fix)

    def _start_of(self, document: Document) -> int:
        """Return the offset of a document in the file."""
        if self._line_starts is None:
            self._line_starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        return self._line_starts[document.line_offset]


def lint_file(
    text: str,
    *,
    filename: str,
    kube_version: str = NEWEST_VERSION,
    previous: FindOldCRD | None = None,
    skip_unfinished: bool = False,
    partial: str = "a Kustomize patch",
    keep: bool = False,
    fixes: bool = False,
    only: frozenset[int] | None = None,
) -> FileResult:
    """Judge every CRD of a text; a CRD that ``previous`` returns an old one for is judged as an update of that.

    ``keep`` keeps the CRDs and their rules of x-kubernetes-validations in the result. ``fixes`` gives diagnostics their fixes.
    ``skip_unfinished`` skips what is not a CRD yet, with a notice: templates, and parts of CRDs, which the notice calls
    ``partial``. It reports misspelled CRDs, which the API server does not know to be CRDs.
    ``only`` has the numbers of the documents to check (see crdlint.yaml.parse.split), None for all.
    ``kube_version`` tells the CEL environment of rules; every other check is 1.36's. It may be a range, ``1.29..1.36``:
    the newest is answered for, and what older ones do not take is told besides. Bad input raises nothing, a
    ``kube_version`` that is none ValueError.
    """
    run = _Run(filename, previous, text, skip_unfinished, partial, parse_range(kube_version), keep, fixes=fixes)
    with collector_paused():
        notice = _lint_text(run, text, only)
    return FileResult(
        file=filename,
        text=text,
        documents=run.documents,
        crds=tuple(run.crds),
        skipped=run.skipped,
        diagnostics=tuple(run.diagnostics),
        notices=(*([notice] if notice else []), *run.notices),
        definitions=tuple(run.definitions),
        rules=tuple(run.rules),
        unestimated=tuple(d for i, d in enumerate(run.diagnostics) if d.kind == "decode" or i in run.blocking),
    )


def _lint_text(run: _Run, text: str, only: frozenset[int] | None) -> str | None:
    """Check a text's documents one by one, and return the parser's notice."""
    for document in iter_documents(text, only):
        _lint_document(run, document)
    return reading_notice()


def collect_crds(text: str) -> CollectedCRDs:
    """Return the CRDs of a text as the API server has them stored: established, unless their status says otherwise."""
    found: dict[str, OldCRD] = {}
    unread: list[UnreadDocument] = []
    with collector_paused():
        for document in parse_stream(text).documents:
            problem = document.error
            if problem is not None:
                unread += _unread(document, problem_span(problem).line, problem.message)
                continue
            try:
                for root in manifests(document):
                    unread += _collect(root, document, found)
            except YAMLDecodeError as error:
                node = error.node or document.root
                line = document.line_offset + 1 if node is None else node_span(node, document.line_offset).line
                unread += _unread(document, line, str(error))
    return CollectedCRDs(found, tuple(unread))


def _unread(document: Document, line: int, reason: str) -> Iterator[UnreadDocument]:
    """Yield a document that is not YAML as the API server reads it, if it may contain a CRD."""
    if names_crd(document.text.encode("utf-8", "replace")):
        template = document.line_of("{{")
        if template is None:
            yield UnreadDocument(line, document.text, reason)
        else:
            yield UnreadDocument(template, document.text, "a template", "template")


def _collect(root: Mapping, document: Document, found: dict[str, OldCRD]) -> Iterator[UnreadDocument]:
    """Add an object to ``found`` if it is a CRD; yield a CRD that cannot be decoded."""
    identity = identify(root, document.text)
    if identity.form not in {"crd", "unserved"}:
        return
    offset = document.line_offset
    if identity.error is not None:
        if identity.kind != KIND:
            return  # such as a test suite, which has the apiVersion of a CRD
        line = node_span(identity.node or root, offset).line
        cause: Final = "unserved version" if identity.form == "unserved" else "broken"
        yield UnreadDocument(line, document.text, identity.error, cause)
        return
    if is_partial(root):
        return
    decoded = read_crd(root, stored=True)
    refusal = next((problem for problem in decoded.problems if problem.kind == "decode"), None)
    if refusal is not None:
        yield UnreadDocument(node_span(refusal.node, offset).line, document.text, refusal.message)
        return
    crd = decoded.crd
    assume_established(crd)
    found.setdefault(crd.metadata.name, OldCRD(crd, Locator(root, offset).span(_NAME)))


def manifests(document: Document) -> Iterator[Mapping]:
    """Yield the objects of a document: itself, or the items of a List or CustomResourceDefinitionList, however nested."""
    pending = [document.root] if document.root is not None else []
    while pending:
        root = pending.pop()
        if not isinstance(root, Mapping):
            continue
        if identify(root).form in {"list", "crd-list"}:
            items = root.find("items")
            if items is not None and isinstance(items[1], Sequence):
                pending.extend(reversed(items[1].items))
            continue
        yield root


def _lint_document(run: _Run, document: Document) -> None:
    problem = document.error
    if problem is not None:
        run.documents += 1
        if _is_template(run, document):
            return
        if run.skip_unfinished and not run.may_break():
            run.skipped += 1
            return
        diagnostic = _diagnostic(run, "decode", "yaml-syntax", problem.message, problem_span(problem))
        run.diagnostics.append(run.fixed(diagnostic, Finding(Manifest(document, None), "yaml-syntax")))
        return
    if document.root is None:
        return
    run.documents += 1
    found = False
    try:
        for root in manifests(document):
            found |= _lint_manifest(run, document, root)
    except YAMLDecodeError as error:  # a scalar or key that JSON has not
        if _is_template(run, document):
            return
        found = True
        said = first_error(document.root) or error
        span = node_span(said.node or document.root, document.line_offset)
        run.diagnostics.append(_diagnostic(run, "decode", "yaml-syntax", str(said), span))
    if found:
        return
    whole, offset = document.root, document.line_offset
    has_kind = isinstance(whole, Mapping) and whole.find("kind") is not None
    if has_kind or "{{" in document.text or not _LOST.search(document.text):
        run.skipped += 1
        return
    first, end = whole.start_mark.line + 1 + offset, whole.end_mark
    last = max(end.line + bool(end.column) + offset, first)
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    help_ = f"the API server takes {lines} for the whole document: mend the indentation, or make a comment of it"
    run.diagnostics.append(
        _diagnostic(run, "decode", "decode-type", kind_missing(whole, document.text), node_span(whole, offset), help_)
    )


# A CRD behind what ends a document before it, as less indentation does.
_NAME: Final = Path("metadata").child("name")
_LOST: Final = re.compile(r"^kind:[ \t]+CustomResourceDefinition\b", re.MULTILINE)


def _is_template(run: _Run, document: Document) -> bool:
    """Return whether a document that is not YAML is skipped as a template, and add the notice."""
    found = directive(document.text) if run.skip_unfinished else None
    if found is None:
        return False
    line = found.line + document.line_offset + 1
    how = ": helm template ... | crdlint check -" if found.is_go else ""
    run.notices.append(f"line {line}: skipped a template; check what it renders{how}")
    run.skipped += 1
    return True


def _is_skipped(run: _Run, document: Document, root: Mapping, identity: Identity) -> bool:
    """Return whether a CRD is skipped as a template or a part of one, and add the notice."""
    if identity.error is not None and identity.form != "unserved":
        return False
    line = node_span(root, document.line_offset).line
    found = placeholder_of(root) if any(opening in document.text for opening in PLACEHOLDERS) else None
    if found is not None:
        line = node_span(found[1], document.line_offset).line
        run.notices.append(f"line {line}: skipped a template: {found[0]} stands for a part of the CRD")
        return True
    if not is_partial(root):
        return False
    run.notices.append(
        f"line {line}: skipped: looks like {run.partial} (no spec.{', '.join(SPEC_KEYS[:-1])} or versions)"
    )
    return True


def _lint_misspelled(run: _Run, document: Document, root: Mapping, identity: Identity) -> bool:
    """Report an object that was meant to be a CRD, and return whether it is one."""
    line = node_span(root, document.line_offset).line
    missed = near_miss(root, identity, document.text)
    if missed is None:
        if identity.kind == KIND:
            run.notices.append(f"line {line}: skipped: not a CRD, since its apiVersion is {identity.api_version}")
        return False
    run.crds.append(CRD(name_of(root), line))
    span = node_span(missed.node, document.line_offset)
    diagnostic = _diagnostic(run, "decode", "crd-misspelled", missed.message, span, missed.help)
    run.diagnostics.append(run.fixed(diagnostic, Finding(Manifest(document, root), "crd-misspelled")))
    return True


def _lint_manifest(run: _Run, document: Document, root: Mapping) -> bool:
    """Judge one object; return whether it is a CRD, of whatever version."""
    identity = identify(root, document.text)
    offset = document.line_offset
    if identity.form == "other":
        return run.skip_unfinished and _lint_misspelled(run, document, root, identity)
    if run.skip_unfinished and _is_skipped(run, document, root, identity):
        return False
    if identity.error is not None:
        rule = "api-version-removed" if identity.form == "unserved" else "decode-type"
        value = root.find("apiVersion") if identity.form == "unserved" else None
        node = value[1] if value else identity.node or root
        run.crds.append(CRD(name_of(root), node_span(root, offset).line))
        help_ = None if identity.form == "unserved" else misspelled_type_key(root)
        diagnostic = _diagnostic(run, "decode", rule, identity.error, node_span(node, offset), help_)
        run.diagnostics.append(run.fixed(diagnostic, Finding(Manifest(document, root), rule)))
        if identity.form == "unserved" or identity.kind != KIND:
            return True
    else:
        run.crds.append(CRD(name_of(root), node_span(root, offset).line))
    _lint_crd(run, document, root, refused=identity.error is not None)
    return True


def _lint_crd(run: _Run, document: Document, root: Mapping, *, refused: bool) -> None:
    """Add the findings about a CRD; all of those that the server reports are hidden if the CRD is ``refused`` already."""
    offset = document.line_offset
    old = run.previous(name_of(root)) if run.previous is not None else None
    decoded = read_crd(root, stored=old is not None)
    crd = decoded.crd
    start = len(run.diagnostics)
    # JSON's are the decoder's to tell. Of a list, the whole document's are told with its first CRD.
    odd, document.odd = ([] if is_json(root) else document.odd), []
    locator = Locator(root, offset, document.text)
    manifest = Manifest(document, root, locator, crd)
    run.diagnostics.extend(
        run.fixed(diagnostic, Finding(manifest, diagnostic.rule, duplicate=one))
        for one, diagnostic in ((one, duplicates.of_yaml(one, run.file, offset)) for one in duplicate_keys(odd))
    )
    is_hidden = refused
    has_placeholders = run.skip_unfinished and any(opening in document.text for opening in PLACEHOLDERS)
    for problem in decoded.problems:
        if is_hidden and is_type_key(root, problem.node):
            continue  # the key is corrected by then
        given = problem.node.value if has_placeholders and isinstance(problem.node, Scalar) else ""
        refused |= problem.kind == "decode" and not is_placeholder(given)
        diagnostic = replace(_decode_diagnostic(run, problem, offset), hidden=is_hidden)
        run.diagnostics.append(run.fixed(diagnostic, Finding(manifest, diagnostic.rule, problem=problem)))
    run.diagnostics.extend(replace(_decode_diagnostic(run, one, offset), hidden=True) for one in decoded.later)
    not_decoded = {id(one.node) for one in (*decoded.problems, *decoded.later) if one.kind == "decode"}
    newest = run.versions.newest
    report = (
        create.validate(crd, newest, run.effort) if old is None else update.validate(crd, old.crd, newest, run.effort)
    )
    manifest.rules = report.rules
    seen: set[str] = set()
    blocking = {str(error) for error in report.blocking} if run.keep and not refused else set()
    for error in (*report.errors, *report.hidden):
        message = str(error)
        if message in blocking:
            blocking.discard(message)
            run.blocking.add(len(run.diagnostics))
        if not_decoded and _is_at(locator, error, not_decoded):
            continue  # the value is wrong only since it was not decoded
        if message not in seen:  # upstream's ToAggregate says nothing twice
            seen.add(message)
            hidden = refused or error.hidden
            found = _field_diagnostic(run, error, message, locator, crd=crd.metadata.name, hidden=hidden)
            run.diagnostics.append(run.fixed(found, Finding(manifest, error.rule, error=error)))
    if run.keep and not refused:
        run.definitions.append(FoundCRD(crd, locator))
        run.rules.extend(
            FoundRule(crd.metadata.name, _version_of(judged, crd), judged, locator) for judged in report.rules
        )
    if not refused:
        old_schemas = [] if old is None else all_schemas(old.crd.spec)
        decoded_crd = DecodedCRD(
            root, document.text, crd.spec, all_schemas(crd.spec), old_schemas, report.rules, run.versions
        )
        for advise in catalog.advice():
            run.diagnostics.extend(_advisory_diagnostic(run, one, manifest) for one in advise(decoded_crd))
    if has_placeholders:
        _drop_placeholders(run, document, start)
    name = crd.metadata.name
    run.diagnostics[start:] = [d if d.crd == name else replace(d, crd=name) for d in run.diagnostics[start:]]


def _is_at(locator: Locator, error: FieldError, nodes: set[int]) -> bool:
    """Return whether an error is about one of the nodes, by identity, or the value of a key among them."""
    place = locator.find(error.at or error.path)
    return place.exact and (id(place.node) in nodes or id(place.key) in nodes)


def _drop_placeholders(run: _Run, document: Document, start: int) -> None:
    """Replace the findings from an index on that are about placeholders by notices."""
    lines = split_lines(document.text)
    kept: list[Diagnostic] = []
    blocking = {i for i in run.blocking if i < start}
    for i, one in enumerate(run.diagnostics[start:], start):
        line = lines[one.line - 1 - document.line_offset]
        value = line[one.column - 1 : one.end_column - 1] if one.line == one.end_line else ""
        if is_placeholder(value):
            run.notices.append(f"line {one.line}: not checked: {value} stands for a value")
            continue
        if i in run.blocking:
            blocking.add(start + len(kept))
        kept.append(one)
    run.blocking = blocking
    run.diagnostics[start:] = kept


def _version_of(judged: EstimatedRule, crd: CustomResourceDefinition) -> str:
    _, field, *below = judged.path.steps()
    return crd.spec.versions[int(below[0])].name if field == "versions" else ""


def name_of(root: Mapping) -> str:
    """Return metadata.name as far as the document has one, empty otherwise."""
    metadata = root.find("metadata")
    name = metadata[1].find("name") if metadata and isinstance(metadata[1], Mapping) else None
    return name[1].value if name and isinstance(name[1], Scalar) else ""


def _diagnostic(run: _Run, kind: Kind, rule: str, message: str, span: Span, help_: str | None = None) -> Diagnostic:
    return catalog.get(rule).diagnostic(run.file, kind, message, span, help_)


def _advisory_diagnostic(run: _Run, one: Advisory, manifest: Manifest) -> Diagnostic:
    locator = manifest.locator
    assert locator is not None  # noqa: S101  the CRD is decoded
    span = locator.span_inside(one.path, one.inside) if one.inside else locator.span(one.path)
    found = _diagnostic(run, one.kind, one.rule, one.message, span, one.help)
    return run.fixed(found, Finding(manifest, one.rule, advisory=one))


def _decode_diagnostic(run: _Run, problem: DecodeProblem, offset: int) -> Diagnostic:
    """Make a diagnostic of what the decoder says."""
    if problem.first is not None:
        return duplicates.of_json(problem.message, problem.path, problem.first, problem.node, run.file, offset)
    rule = _DECODE_RULES[problem.kind]
    help_ = problem.help or (way_out(problem.message, problem.node) if problem.kind == "decode" else None)
    return _diagnostic(run, problem.kind, rule, problem.message, node_span(problem.node, offset), help_)


_DECODE_RULES: Final = {"decode": "decode-type", "strict": "unknown-field"}


def _field_diagnostic(
    run: _Run, error: FieldError, message: str, locator: Locator, *, crd: str, hidden: bool
) -> Diagnostic:
    """Make a diagnostic of a field error of a CRD, at the user's own characters."""
    at = error.at or error.path
    span = locator.span(at, key=error.key) if error.inside is None else locator.span_inside(at, error.inside)
    return catalog.get(error.rule).diagnostic_of(error, message, span, file=run.file, crd=crd, hidden=hidden)
