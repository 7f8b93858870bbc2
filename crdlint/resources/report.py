"""Texts in, what there is to say about their resources out."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.convert import read_crd
from crdlint.crd.decode import identify
from crdlint.crd.decode_values import Reader, is_json, reader_json
from crdlint.crd.positions import Locator, Span, node_span
from crdlint.diagnostics import Diagnostic, Related
from crdlint.golang.quote import quote
from crdlint.linter import CRD, FileResult, manifests, name_of
from crdlint.resources.definitions import Definition
from crdlint.resources.validation import NotDecodedError
from crdlint.rules import catalog
from crdlint.schema.value_help import of_unknown_field, schema_at, steps_of, way_out
from crdlint.yaml.errors import YAMLDecodeError
from crdlint.yaml.nodes import Mapping
from crdlint.yaml.parse import collector_paused, parse_first, parse_stream
from crdlint.yaml.values import duplicate_keys

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Mapping as MappingOf

    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import CustomResourceDefinition
    from crdlint.diagnostics import Kind
    from crdlint.resources.definitions import Definitions
    from crdlint.resources.validation import Outcome
    from crdlint.yaml.nodes import Node
    from crdlint.yaml.parse import Document

    # Group, kind, namespace and name.
    Key = tuple[str, str, str, str]


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


def read_resource(root: Node) -> dict[str, Any]:
    """Return an object as the server holds it: integers and floats told apart; raises `YAMLDecodeError`."""
    if not isinstance(root, Mapping):
        raise YAMLDecodeError("the document is no object", root)
    value: dict[str, Any] = reader_json(Reader(json=is_json(root)), root, 1)
    return value


def version_of(crd: CustomResourceDefinition, resource: dict[str, Any]) -> str:
    """Return the version that a resource is of, that of the CRD which is stored where it has no such."""
    wanted = str(resource.get("apiVersion", "")).rpartition("/")[2]
    names = [version.name for version in crd.spec.versions]
    if wanted in names:
        return wanted
    return next((one.name for one in crd.spec.versions if one.storage), names[0] if names else wanted)


def report(crd_text: str, resource_text: str, old_text: str | None, *, filename: str = "<stdin>") -> ResourceReport:
    """Judge the resource of a text by the CRD of another, as an update where there is an old one."""
    root = _root(resource_text)
    resource = read_resource(root)
    crd_root = _root(crd_text)
    crd = read_crd(crd_root, stored=True).crd
    definition = Definition(crd, "<crd>", Locator(crd_root, 0, crd_text), None, as_requests=False)
    version = version_of(crd, resource)
    old = None if old_text is None else read_resource(_root(old_text))
    locator = Locator(root, 0, resource_text)
    try:
        outcome = _judged(definition, version, resource, old)
    except NotDecodedError as error:
        return ResourceReport([_refused(str(error), locator, filename)], [], resource, None)
    said = list(_said(outcome, definition, version, locator, filename))
    return ResourceReport(said, list(outcome.unknown), outcome.resource, outcome.cel_cost)


def resources_of(text: str) -> dict[Key, dict[str, Any]]:
    """Return the objects of a text by group, kind, namespace and name; what is broken is left out."""
    found: dict[Key, dict[str, Any]] = {}
    for document in parse_stream(text).documents:
        with suppress(YAMLDecodeError):
            for root in manifests(document):
                resource = read_resource(root)
                found.setdefault(_key(resource), resource)
    return found


def validate_text(
    text: str, *, filename: str, definitions: Definitions, old: MappingOf[Key, dict[str, Any]] | None = None
) -> Validated:
    """Judge every custom resource of a text; those that ``old`` has too are judged as updates. Bad input raises nothing."""
    run = _Run(filename, definitions, old or {})
    with collector_paused():
        stream = parse_stream(text)
        for document in stream.documents:
            _document(run, document)
    result = FileResult(
        file=filename,
        text=text,
        documents=run.documents,
        crds=tuple(run.resources),
        skipped=run.skipped,
        diagnostics=tuple(run.diagnostics),
        notices=(stream.notice,) if stream.notice else (),
    )
    return Validated(result, tuple(run.stored))


@dataclass(slots=True)
class _Run:
    """What is collected while a file is read."""

    file: str
    definitions: Definitions
    old: MappingOf[Key, dict[str, Any]]
    documents: int = 0
    skipped: int = 0
    resources: list[CRD] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    stored: list[dict[str, Any]] = field(default_factory=list)
    told: set[str] = field(default_factory=set)  # refusals of CRDs, each told once a file


def _document(run: _Run, document: Document) -> None:
    problem = document.error
    if problem is not None:
        run.documents += 1
        span = Span(problem.line + 1, problem.column + 1, problem.line + 1, problem.column + 2)
        run.diagnostics.append(_diagnostic(run.file, "decode", "yaml-syntax", problem.message, span))
        return
    if document.root is None:
        return
    run.documents += 1
    before = len(run.resources)
    try:
        for root in manifests(document):
            _manifest(run, document, root)
    except YAMLDecodeError as error:  # a scalar or key that JSON has not
        span = node_span(error.node or document.root, document.line_offset)
        run.diagnostics.append(_diagnostic(run.file, "decode", "yaml-syntax", str(error), span))
        return
    if len(run.resources) == before:
        run.skipped += 1


def _manifest(run: _Run, document: Document, root: Mapping) -> None:
    """Judge one object, if it is of a kind that a CRD defines."""
    identity = identify(root, document.text)
    group, _, version = identity.api_version.rpartition("/")
    if identity.form != "other" or not group:
        return
    known = run.definitions.kinds(group)
    refusal = run.definitions.refused.get(group)
    if not known and refusal is None:
        return
    offset = document.line_offset
    resource = read_resource(root)
    name = f"{identity.kind} {name_of(root)}".rstrip()
    run.resources.append(CRD(name, node_span(root, offset).line))
    start = len(run.diagnostics)
    definition = known.get(identity.kind)
    if definition is not None and definition.refusal is not None:
        refusal = f"the CRD {definition.crd.metadata.name} is refused: {definition.refusal}"
        definition = None
    elif definition is not None:
        refusal = None
    if refusal is not None:
        if refusal not in run.told:
            run.told.add(refusal)
            span = _span_of(root, "kind", offset)
            run.diagnostics.append(_diagnostic(run.file, "advice", "resource-crd-refused", refusal, span))
    elif definition is None or version not in definition.served:
        run.diagnostics.append(_no_match(run.file, root, offset, identity.kind, identity.api_version, known))
    else:
        locator = Locator(root, offset, document.text)
        odd, document.odd = ([] if is_json(root) else document.odd), []
        for message, key in duplicate_keys(odd):
            run.diagnostics.append(_diagnostic(run.file, "strict", "duplicate-key", message, node_span(key, offset)))
        try:
            old = run.old.get(_key(resource))
            for one in (resource, old):
                _put_into_namespace(one, definition)
            outcome = _judged(definition, version, resource, old)
        except NotDecodedError as error:
            run.diagnostics.append(_refused(str(error), locator, run.file))
        else:
            run.diagnostics.extend(_unknown(outcome, definition, version, locator, run.file))
            run.diagnostics.extend(_said(outcome, definition, version, locator, run.file))
            run.diagnostics.extend(_let_pass(outcome, definition, version, locator, run.file))
            run.stored.append(outcome.resource)
    run.diagnostics[start:] = [replace(d, crd=name) for d in run.diagnostics[start:]]


def _judged(definition: Definition, version: str, resource: dict[str, Any], old: dict[str, Any] | None) -> Outcome:
    validator = definition.validator(version)
    return validator.create(resource) if old is None else validator.update(resource, old)


def _put_into_namespace(resource: dict[str, Any] | None, definition: Definition) -> None:
    """Do as kubectl does with an object that names no namespace though its kind has them."""
    meta = None if resource is None else resource.get("metadata")
    if definition.crd.spec.scope == "Namespaced" and isinstance(meta, dict) and not meta.get("namespace"):
        meta["namespace"] = "default"


def _key(resource: dict[str, Any]) -> Key:
    meta = resource.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    group = str(resource.get("apiVersion", "")).rpartition("/")[0]
    return group, str(resource.get("kind", "")), str(meta.get("namespace") or "default"), str(meta.get("name") or "")


def _no_match(
    file: str, root: Mapping, offset: int, kind: str, api_version: str, known: MappingOf[str, Definition]
) -> Diagnostic:
    from difflib import get_close_matches

    message = f"no matches for kind {quote(kind)} in version {quote(api_version)}"
    if kind in known:
        served = ", ".join(f"`{one}`" for one in known[kind].served) or "none"
        return _diagnostic(
            file, "advice", "resource-no-match", message, _span_of(root, "apiVersion", offset),
            help_=f"served versions of {kind}: {served} ({known[kind].file})",
        )  # fmt: skip
    near = get_close_matches(kind, known, n=1, cutoff=0.6)
    listed = ", ".join(f"`{one}`" for one in sorted(known))
    help_ = f"did you mean `{near[0]}`?" if near else f"the CRDs of this group define {listed}"
    return _diagnostic(file, "advice", "resource-no-match", message, _span_of(root, "kind", offset), help_=help_)


def _refused(message: str, locator: Locator, file: str) -> Diagnostic:
    """Tell of an object that is not even decoded, at the field of its metadata that the message names."""
    named = _MISTYPED.search(message)
    path = "metadata" if named is None else f"metadata.{named[2]}"
    help_ = None
    if named is not None and named[3] == "string" and named[1] in _SCALARS:
        help_ = f"YAML reads this as {_SCALARS[named[1]]}: write it in quotes"
    return _diagnostic(file, "decode", "resource-decode", message, locator.span_of_text(path), help_=help_)


_MISTYPED: Final = re.compile(r"cannot unmarshal (\w+) into Go struct field ObjectMeta\.(\S+) of type (\S+)")
_SCALARS: Final = {"bool": "a boolean", "number": "a number"}


def _unknown(
    outcome: Outcome, definition: Definition, version: str, locator: Locator, file: str
) -> Iterator[Diagnostic]:
    schema = definition.schema(version)
    for path in outcome.unknown:
        help_ = of_unknown_field(path, schema)
        span = locator.span_of_text(path, key=True)
        yield _diagnostic(file, "strict", "unknown-field", f"unknown field {quote(path)}", span, help_=help_)


def _said(outcome: Outcome, definition: Definition, version: str, locator: Locator, file: str) -> Iterator[Diagnostic]:
    """Yield the errors of a resource where they stand in its file, none twice."""
    seen: set[str] = set()
    for error in outcome.errors:
        message = str(error)
        if message not in seen:
            seen.add(message)
            yield _field_diagnostic(error, message, definition, version, locator, file)


def _let_pass(
    outcome: Outcome, definition: Definition, version: str, locator: Locator, file: str
) -> Iterator[Diagnostic]:
    """Yield what the server only warns of, since the value is as it was."""
    for error in outcome.warnings:
        said = _field_diagnostic(error, str(error), definition, version, locator, file)
        yield replace(said, kind="warning", severity="warning")


def _field_diagnostic(
    error: FieldError, message: str, definition: Definition, version: str, locator: Locator, file: str
) -> Diagnostic:
    where = str(error.path)
    help_ = error.help or way_out(error, schema_at(definition.schema(version), steps_of(where)))
    made = _diagnostic(file, "field", error.rule, message, locator.span_of_text(where), help_=help_)
    return replace(
        made, error_type=error.type, field=where, detail=error.detail, related=_rule_place(error, definition)
    )


def _rule_place(error: FieldError, definition: Definition) -> Related | None:
    """Return where the rule stands that a value breaks."""
    if error.cause is None or error.cause.rule.node is None:
        return None
    found = error.cause.rule.node.find("rule")
    if found is None:
        return None
    span = node_span(found[1], definition.locator.line_offset)
    return Related(f"rule `{' '.join(error.cause.rule.rule.split())}`", definition.file, span.line, span.column)


def _span_of(root: Mapping, name: str, offset: int) -> Span:
    found = root.find(name)
    return node_span(root if found is None else found[1], offset)


def _diagnostic(file: str, kind: Kind, rule: str, message: str, span: Span, *, help_: str | None = None) -> Diagnostic:
    meaning = catalog.get(rule)
    return Diagnostic(
        origin=meaning.origin,
        kind=kind,
        rule=rule,
        severity=meaning.severity,
        message=message,
        detail=message,
        file=file,
        line=span.line,
        column=span.column,
        end_line=span.end_line,
        end_column=span.end_column,
        help=help_ or meaning.help,
    )


def _root(text: str) -> Node:
    document = parse_first(text)
    if document.error is not None:
        raise YAMLDecodeError(document.error.message)
    if document.root is None:
        raise YAMLDecodeError("the document is empty")
    return document.root
