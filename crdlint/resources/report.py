"""Texts in, what there is to say about their resources out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.convert import read_crd
from crdlint.crd.positions import Locator, node_span, problem_span
from crdlint.golang.quote import quote
from crdlint.resources.definitions import Definition, may_have_crd, refusal_of
from crdlint.resources.findings import Findings, diagnostic
from crdlint.resources.objects import duplicate_fields, objects_of, read_resource, text_at
from crdlint.resources.places import ResourceLocator
from crdlint.resources.requests import as_sent, key_of
from crdlint.resources.validation import NotDecodedError
from crdlint.results import CRD, FileResult
from crdlint.yaml.errors import YAMLDecodeError
from crdlint.yaml.parse import collector_paused, parse_first, parse_stream
from crdlint.yaml.values import duplicate_keys

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Mapping as MappingOf

    from crdlint.crd.model import CustomResourceDefinition
    from crdlint.crd.positions import Span
    from crdlint.diagnostics import Diagnostic
    from crdlint.resources.definitions import Definitions
    from crdlint.resources.objects import Object
    from crdlint.resources.requests import Key
    from crdlint.resources.validation import Outcome
    from crdlint.yaml.nodes import Mapping, Node
    from crdlint.yaml.parse import Document

__all__ = ["OldObjects", "ResourceReport", "Validated", "old_objects", "read_resource", "report", "validate_text"]

_KNOWN: Final = 8  # kinds of a group in one help


@dataclass(frozen=True, slots=True)
class ResourceReport:
    """What the server says of a resource.

    ``errors`` are in its order, ``unknown_fields`` the paths of fields it prunes, sorted, ``resource`` the object pruned
    and defaulted, as JSON values, ``cel_cost`` the cost units that rules took: None where none ran.
    """

    errors: list[Diagnostic]
    unknown_fields: list[str]
    resource: dict[str, Any]
    cel_cost: int | None


@dataclass(frozen=True, slots=True)
class Validated:
    """A file's findings, whose ``crds`` are the resources in it, and its resources as the server would store them."""

    result: FileResult
    stored: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class OldObjects:
    """The objects of a text by group, kind, namespace and name, and the places and errors of what is broken in it."""

    by_key: dict[Key, dict[str, Any]]
    broken: tuple[tuple[str, str], ...]


def version_of(crd: CustomResourceDefinition, resource: dict[str, Any]) -> str:
    """Return the version that a resource is of, that of the CRD which is stored where it has no such."""
    wanted = str(resource.get("apiVersion", "")).rpartition("/")[2]
    names = [version.name for version in crd.spec.versions]
    if wanted in names:
        return wanted
    return next((one.name for one in crd.spec.versions if one.storage), names[0] if names else wanted)


def report(crd_text: str, resource_text: str, old_text: str | None, *, filename: str = "<stdin>") -> ResourceReport:
    """Judge the resource of a text by the CRD of another, as an update where there is an old one.

    The first document of each text counts. Raises YAMLDecodeError for a text that is no YAML object.
    """
    root = _root(resource_text)
    resource = read_resource(root)
    crd_root = _root(crd_text)
    crd = read_crd(crd_root, stored=True).crd
    definition = Definition(crd, "<crd>", Locator(crd_root, 0, crd_text), as_requests=False)
    version = version_of(crd, resource)
    old = None if old_text is None else read_resource(_root(old_text))
    findings = Findings(definition, version, ResourceLocator(root, 0, resource_text), filename)
    try:
        outcome = _judged(definition, version, resource, old)
    except NotDecodedError as error:
        return ResourceReport([findings.undecoded(str(error))], [], resource, None)
    return ResourceReport(list(findings.errors(outcome)), list(outcome.unknown), outcome.resource, outcome.cel_cost)


def old_objects(text: str, *, filename: str) -> OldObjects:
    """Return the objects of a text that updates are judged from; of two alike the first one counts."""
    found: dict[Key, dict[str, Any]] = {}
    broken: list[tuple[str, str]] = []
    for document in parse_stream(text).documents:
        if document.error is not None:
            line, column = document.error.line + 1, document.error.column + 1
            broken.append((f"{filename}:{line}:{column}", document.error.message))
            continue
        try:
            for one in objects_of(document):
                resource = one.read()
                found.setdefault(key_of(resource), resource)
        except YAMLDecodeError as error:
            span = node_span(error.node or document.root, document.line_offset)  # type: ignore[arg-type]
            broken.append((f"{filename}:{span.line}:{span.column}", str(error)))
    return OldObjects(found, tuple(broken))


def validate_text(
    text: str, *, filename: str, definitions: Definitions, old: MappingOf[Key, dict[str, Any]] | None = None
) -> Validated:
    """Judge every custom resource of a text; those that ``old`` has too are judged as updates. Bad input raises nothing."""
    run = _Run(filename, definitions, old)
    with collector_paused():
        notice = _validate_text(run, text)
    result = FileResult(
        file=filename,
        text=text,
        documents=run.documents,
        crds=tuple(run.resources),
        skipped=run.skipped,
        diagnostics=tuple(run.diagnostics),
        notices=(*([notice] if notice else []), *run.notices, *_passed_over(run)),
    )
    return Validated(result, tuple(run.stored))


def _validate_text(run: _Run, text: str) -> str | None:
    """Judge a text's documents, and return the parser's notice; their nodes are gone before the collector is back."""
    stream = parse_stream(text)
    for document in stream.documents:
        _document(run, document)
    return stream.notice


@dataclass(slots=True)
class _Run:
    """What is collected while a file is read."""

    file: str
    definitions: Definitions
    old: MappingOf[Key, dict[str, Any]] | None
    documents: int = 0
    skipped: int = 0
    resources: list[CRD] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    stored: list[dict[str, Any]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)  # refusals of CRDs, each told once a file
    undefined: dict[tuple[str, str], list[int]] = field(default_factory=dict)  # lines by apiVersion and kind
    templates: list[int] = field(default_factory=list)  # their lines


def _document(run: _Run, document: Document) -> None:
    problem = document.error
    if problem is not None:
        run.documents += 1
        if _is_template(run, document):
            return
        run.diagnostics.append(diagnostic(run.file, "decode", "yaml-syntax", problem.message, problem_span(problem)))
        return
    if document.root is None:
        return
    run.documents += 1
    before = len(run.resources)
    try:
        for one in objects_of(document):
            _object(run, document, one)
    except YAMLDecodeError as error:  # a scalar or key that JSON has not
        if _is_template(run, document):
            return
        span = node_span(error.node or document.root, document.line_offset)
        run.diagnostics.append(diagnostic(run.file, "decode", "yaml-syntax", str(error), span))
        return
    if len(run.resources) == before:
        run.skipped += 1


def _is_template(run: _Run, document: Document) -> bool:
    """Tell whether a document that is no YAML is passed over as a template."""
    line = document.line_of("{{")
    if line is None:
        return False
    run.templates.append(line)
    run.skipped += 1
    return True


def _object(run: _Run, document: Document, one: Object) -> None:
    """Judge one object, if it is of a kind that a CRD defines."""
    if one.identity.form != "other":
        return
    offset = document.line_offset
    said = _judge_as_defined if run.definitions.knows(one.group) else _judge_as_undefined
    found = said(run, document, one)
    if found is None:
        return
    name = (
        f"{one.identity.kind} {text_at(one.root, 'metadata', 'name') or text_at(one.root, 'metadata', 'generateName')}"
    )
    run.resources.append(CRD(name.strip(), node_span(one.root, offset).line))
    run.diagnostics.extend(replace(made, crd=name.strip()) for made in found)


def _judge_as_undefined(run: _Run, document: Document, one: Object) -> list[Diagnostic] | None:
    """Return what to say of an object whose group no CRD has, None where it is none of ours."""
    kind, api_version, offset = one.identity.kind, one.identity.api_version, document.line_offset
    if api_version and not may_have_crd(one.group):
        return None
    meant = run.definitions.group_meant(one.group, kind) if kind else None
    if meant is None:
        if api_version:
            run.undefined.setdefault((api_version, kind), []).append(node_span(one.root, offset).line)
        return None
    served = run.definitions.kinds(meant)[kind].served
    wanted = f"{meant}/{one.version if one.version in served or not served else served[0]}"
    if one.identity.error is not None and one.identity.node is not None:
        span = node_span(one.identity.node, offset)
        return [diagnostic(run.file, "decode", "resource-decode", one.identity.error, span)]
    if not api_version:
        span = _span_of(one.root, "kind", offset)
        help_ = f"add `apiVersion: {wanted}`"
        return [diagnostic(run.file, "advice", "resource-no-match", "Object 'apiVersion' is missing", span, help_)]
    message = f"no matches for kind {quote(kind)} in version {quote(api_version)}"
    span = _span_of(one.root, "apiVersion", offset)
    return [diagnostic(run.file, "advice", "resource-no-match", message, span, f"did you mean `{wanted}`?")]


def _judge_as_defined(run: _Run, document: Document, one: Object) -> list[Diagnostic]:
    """Return what to say of an object of a group that has CRDs."""
    offset, kind = document.line_offset, one.identity.kind
    if one.identity.error is not None:
        span = node_span(one.identity.node or one.root, offset)
        return [diagnostic(run.file, "decode", "resource-decode", one.identity.error, span)]
    known = run.definitions.kinds(one.group)
    definition = known.get(kind)
    refusal, crd_file = run.definitions.refused.get(one.group), ""
    if definition is not None:
        refusal, crd_file = None, f" {definition.file}"
        if definition.said:
            refusal = refusal_of(definition.crd.metadata.name, definition.said)
    if refusal is not None:
        if refusal in run.told:
            return []
        run.told.add(refusal)
        help_ = f"mend the CRD first: `crdlint check{crd_file}` shows how" if crd_file else None
        span = _span_of(one.root, "kind", offset)
        return [diagnostic(run.file, "advice", "resource-crd-refused", refusal, span, help_)]
    if definition is None or one.version not in definition.served:
        return [_no_match(run.file, one, offset, known)]
    return list(_judge(run, document, one, definition))


def _judge(run: _Run, document: Document, one: Object, definition: Definition) -> Iterator[Diagnostic]:
    """Yield what the server says of an object, in its order: duplicates, unknown fields, errors, warnings."""
    locator = ResourceLocator(one.root, document.line_offset, document.text)
    findings = Findings(definition, one.version, locator, run.file)
    odd, document.odd = document.odd, []
    for message, key in duplicate_fields(one.root) if one.json else duplicate_keys(odd):
        span = node_span(key, document.line_offset)
        yield diagnostic(run.file, "strict", "duplicate-key", message, span)
    given = one.read()
    resource = as_sent(given, namespaced=definition.namespaced)
    try:
        outcome = _outcome(run, resource, definition, one, document.line_offset)
    except NotDecodedError as error:
        yield findings.undecoded(str(error))
        return
    yield from findings.unknown(outcome)
    yield from findings.errors(outcome)
    yield from findings.warnings(outcome)
    stored = outcome.resource
    meta = given.get("metadata")
    if isinstance(meta, dict) and not meta.get("name") and isinstance(stored.get("metadata"), dict):
        stored = {**stored, "metadata": {k: v for k, v in stored["metadata"].items() if k != "name"}}
    run.stored.append(stored)


def _outcome(run: _Run, resource: dict[str, Any], definition: Definition, one: Object, offset: int) -> Outcome:
    """Judge an object, as an update where there is an old one that can be read. Raises NotDecodedError."""
    validator = definition.validator(one.version)
    if run.old is None:
        return validator.create(resource)
    old = run.old.get(key_of(resource))
    if old is None:
        why = "is not among the old objects"
    else:
        try:
            return validator.update(resource, as_sent(old, namespaced=definition.namespaced))
        except NotDecodedError as error:
            why = f"was one that cannot be read: {error}"
    outcome = validator.create(resource)  # raises where it is the new one that cannot be read
    name, line = f"{one.identity.kind} {key_of(resource)[3]}".rstrip(), node_span(one.root, offset).line
    run.notices.append(f"line {line}: {name} {why}; judged as a new one")
    return outcome


def _judged(definition: Definition, version: str, resource: dict[str, Any], old: dict[str, Any] | None) -> Outcome:
    validator = definition.validator(version)
    return validator.create(resource) if old is None else validator.update(resource, old)


def _no_match(file: str, one: Object, offset: int, known: MappingOf[str, Definition]) -> Diagnostic:
    """Tell of a kind or version that is not served, and of those that are."""
    from difflib import get_close_matches

    kind, api_version = one.identity.kind, one.identity.api_version
    if not kind:
        message, span = "Object 'Kind' is missing", _span_of(one.root, "apiVersion", offset)
    else:
        message = f"no matches for kind {quote(kind)} in version {quote(api_version)}"
        span = _span_of(one.root, "apiVersion" if kind in known else "kind", offset)
    if kind in known:
        served = ", ".join(f"`{version}`" for version in known[kind].served) or "none"
        help_ = f"served versions of {kind}: {served} ({known[kind].file})"
        return diagnostic(file, "advice", "resource-no-match", message, span, help_)
    listed = [f"`{name}` ({', '.join(found.served) or 'not served'})" for name, found in sorted(known.items())]
    more = f" and {len(listed) - _KNOWN} more" if len(listed) > _KNOWN else ""
    near = get_close_matches(kind, known, n=1, cutoff=0.6) if kind else []
    help_ = f"did you mean `{near[0]}`? " if near else ""
    help_ += f"the CRDs of {one.group} define {', '.join(listed[:_KNOWN])}{more}"
    return diagnostic(file, "advice", "resource-no-match", message, span, help_)


def _passed_over(run: _Run) -> Iterator[str]:
    """Yield what to tell of templates, and of objects that look as if a CRD defined them, though none here does."""
    if run.templates:
        way = "validate what it renders: helm template ... | crdlint validate -"
        yield f"{_lines(run.templates)}: skipped a template; {way}"
    for (api_version, kind), lines in run.undefined.items():
        yield f"{_lines(lines)}: no CRD here defines {kind or 'an object'} of {api_version}: not checked"


def _lines(lines: list[int]) -> str:
    return f"line {lines[0]}" + (f" and {len(lines) - 1} more" if len(lines) > 1 else "")


def _span_of(root: Mapping, name: str, offset: int) -> Span:
    found = root.find(name)
    return node_span(root if found is None else found[1], offset)


def _root(text: str) -> Node:
    document = parse_first(text)
    if document.error is not None:
        raise YAMLDecodeError(document.error.message)
    if document.root is None:
        raise YAMLDecodeError("the document is empty")
    return document.root
