"""What expressions are evaluated on: the schema of a CRD or of a value, and the objects of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

from crdlint.crd.decode import Reader, reader_json
from crdlint.crd.model import JSONSchemaProps
from crdlint.evaluation.field_paths import (
    NoFieldError,
    first_names,
    schema_of,
    schema_of_notation,
)
from crdlint.files.paths import Selection, discover
from crdlint.files.read import STDIN, UnreadableError, read_text
from crdlint.kubecel.evaluation import MISSING
from crdlint.kubernetes.servers import Range, Server
from crdlint.light import dataclass
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult
from crdlint.phrases import nearest
from crdlint.resources.definitions import Definition, Definitions
from crdlint.resources.objects import objects_of
from crdlint.resources.pipeline import version_of
from crdlint.resources.validation import NotDecodedError, ResourceValidator
from crdlint.rules.advice.deployment import SKIPPED
from crdlint.rules.texts import reading
from crdlint.sources.helm.check import Charts, without_chart
from crdlint.sources.helm.layout import DEFAULTS, HelmValues
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.nodes import is_json
from crdlint.yaml.parse import Document, iter_documents


class SourceError(Exception):
    """An input cannot be used; `str()` is the reason."""


@contextmanager
def _naming(file: str | None) -> Iterator[None]:
    """Raise SourceError with the name of a file for errors in reading it."""
    try:
        yield
    except (UnreadableError, YAMLDecodeError) as error:
        raise SourceError(f"{_shown(file)}: {error}") from error


def _shown(path: str | None) -> str:
    return "<stdin>" if path == STDIN else path or ""


@dataclass(frozen=True, slots=True)
class EvalRequest:
    """What to read, None for what is not given. See `crdlint eval --help`.

    `crd`, `object`, `old`: names of files.
    `kind`, `version`: which CRD and version of it to use.
    `type`: a type in its notation, such as `list(string)`.
    `values`: those for Helm, None not to run it.
    """

    server: Server
    crd: str | None = None
    kind: str | None = None
    version: str | None = None
    object: str | None = None
    old: str | None = None
    type: str | None = None
    values: HelmValues | None = DEFAULTS


@dataclass(frozen=True, slots=True)
class ExpressionSource:
    """The schema and the objects.

    `server`: the API server.
    `schema`: the schema of `self`, None if it is not known.
    `name`: what the schema is that of.
    `definition`: the CRD, None without one.
    `version`: the version of the CRD, empty without one.
    `value`, `old`: the object and the old one, `MISSING` without one.
    `notices`: facts to know about the input.
    """

    server: Server
    schema: JSONSchemaProps | None
    name: str
    definition: Definition | None = None
    version: str = ""
    value: Any = MISSING
    old: Any = MISSING
    notices: tuple[str, ...] = ()


def load(request: EvalRequest) -> ExpressionSource:
    """Read the files of a request; raise SourceError."""
    if request.crd is None:
        return _without_crd(request)
    return _with_crd(request, _definitions(request.crd, request.server, request.values))


def _definitions(path: str, server: Server, values: HelmValues | None) -> Definitions:
    crd_files = discover([path], Selection())
    for problem in crd_files.problems:
        if problem.fatal:
            raise SourceError(f"{problem.path}: {problem.message}")
    definitions, charts = Definitions(), Charts(values)
    skipped: list[str] = []
    request = CheckRequest(
        versions=Range.of(server),
        skip_unfinished=True,
        keep=True,
    )
    lint = partial(lint_file, request=request)
    for file, text in _texts(crd_files.files, charts):
        name = _shown(file)
        result = charts.lint_template(file, text, lint) or without_chart(name, text, lint)
        skipped += _skipped(result, name)
        definitions.add(result)
    if definitions.by_kind:
        return definitions
    reasons = (*definitions.unreadable.values(), *skipped)
    if reasons:
        raise SourceError(reasons[0])
    raise SourceError(f"{_shown(path)}: no CustomResourceDefinition in it")


def _texts(files: Sequence[str], charts: Charts) -> Iterator[tuple[str, str]]:
    """Yield files that may have CRDs with their texts; those of a packed chart in its place. Raise SourceError."""
    for path in files:
        for file in charts.expanded(path, _raise):
            with _naming(file):
                text = charts.packed_text(file) or read_text(file, only_crds=len(files) > 1)
            if text is not None:
                yield file, text


def _raise(path: str, message: str) -> None:
    raise SourceError(f"{path}: {message}")


def _skipped(result: FileResult, name: str) -> list[str]:
    """Return the reasons why parts of a file were skipped; raise SourceError for a syntax error."""
    reasons = []
    for finding in result.diagnostics:
        if finding.rule == reading.YAML_SYNTAX.id:
            raise SourceError(f"{name}:{finding.line}:{finding.column}: {finding.message}")
        if finding.rule == SKIPPED.id:
            reasons.append(f"{name}:{finding.line}: {finding.message}. {finding.help}")
    return reasons


def _with_crd(request: EvalRequest, definitions: Definitions) -> ExpressionSource:
    objects, olds = _objects(request.object), _objects(request.old)
    definition = _chosen(request, definitions, objects)
    notices = list(definitions.duplicates)
    sent = _first_of_kind(definition, objects, request.object, notices)
    old = _first_of_kind(definition, olds, request.old, notices)
    version = request.version or version_of(definition.crd, {} if sent is MISSING else sent)
    _check_version(definition, version)
    if definition.errors:
        rejected = f"the API server rejects the CRD {definition.crd.metadata.name} itself"
        notices.append(f"{definition.file}: {rejected}; crdlint check shows why")
    spec = definition.crd.spec
    validator = ResourceValidator(definition.crd, version, server=request.server)
    type_meta = {"apiVersion": f"{spec.group}/{version}", "kind": spec.names.kind}

    def stored(resource: Any, file: str | None) -> Any:
        """Return an object as the server stores it in the version."""
        if resource is MISSING:
            return MISSING
        try:
            outcome = validator.create({**resource, **type_meta})
        except NotDecodedError as error:
            message = f"{_shown(file)}: the API server cannot decode the object: {error}"
            raise SourceError(message) from error
        notices.extend(
            f"{_shown(file)}: the API server drops the unknown field {name}"
            for name in outcome.unknown
        )
        return outcome.resource

    return ExpressionSource(
        request.server,
        validator.schema,
        f"{spec.names.kind} {spec.group}/{version}",
        definition,
        version,
        stored(sent, request.object),
        stored(old, request.old),
        tuple(notices),
    )


def _check_version(definition: Definition, version: str) -> None:
    """Raise SourceError if a CRD has no such version."""
    versions = [each.name for each in definition.crd.spec.versions]
    if version in versions:
        return
    near = nearest(version, versions)
    help_ = f"did you mean {near}?" if near else f"it has {', '.join(versions)}"
    raise SourceError(f"{definition.crd.metadata.name} has no version {version!r}: {help_}")


def _first_of_kind(
    definition: Definition,
    objects: list[dict[str, Any]],
    file: str | None,
    notices: list[str],
) -> Any:
    """Return the first object that a CRD defines, `MISSING` without a file; add a notice if there are more."""
    of_kind = _of_kind(definition, objects, file)
    if len(of_kind) > 1:
        number = len(of_kind)
        notices.append(
            f"{_shown(file)}: {number} objects of {_kind(definition)} in it; the first one is used"
        )
    return next(iter(of_kind), MISSING)


def _kind(definition: Definition) -> str:
    return definition.crd.spec.names.kind


_ByKind: TypeAlias = "Mapping[tuple[str, str], Definition]"


def _chosen(
    request: EvalRequest, definitions: Definitions, objects: list[dict[str, Any]]
) -> Definition:
    """Return the CRD to use: that of the kind named, else that of the objects."""
    candidates: _ByKind = definitions.by_kind
    listed = _listed(candidates)
    if request.kind is not None:
        candidates = _of_named_kind(candidates, request.kind)
    if len(candidates) > 1:
        ids = set(map(_identity, objects))
        of_objects = {id_: each for id_, each in candidates.items() if id_ in ids}
        candidates = of_objects or candidates
    if len(candidates) > 1:
        raise SourceError(f"{len(candidates)} CRDs define a kind, choose one with --kind: {listed}")
    return next(iter(candidates.values()))


def _of_named_kind(candidates: _ByKind, kind: str) -> _ByKind:
    """Return the CRDs of a kind; raise SourceError if there is none."""
    of_kind = {id_: each for id_, each in candidates.items() if id_[1] == kind}
    if not of_kind:
        near = nearest(kind, [name for _, name in candidates])
        help_ = f"did you mean {near}?" if near else f"they define {_listed(candidates)}"
        raise SourceError(f"no CRD defines {kind}: {help_}")
    return of_kind


def _listed(candidates: _ByKind) -> str:
    return first_names([kind for _, kind in candidates])


def _identity(value: dict[str, Any]) -> tuple[str, str]:
    return str(value.get("apiVersion", "")).rpartition("/")[0], str(value.get("kind", ""))


def _names_no_kind(value: dict[str, Any]) -> bool:
    return value.keys().isdisjoint(("apiVersion", "kind"))


def _of_kind(
    definition: Definition, objects: list[dict[str, Any]], file: str | None
) -> list[dict[str, Any]]:
    """Return the objects of a file that a CRD defines, or that have no apiVersion and kind; none only without a file."""
    spec = definition.crd.spec
    id_ = (spec.group, spec.names.kind)
    of_kind = [each for each in objects if _identity(each) == id_ or _names_no_kind(each)]
    if of_kind or file is None:
        return of_kind
    kinds = dict.fromkeys(
        f"{each.get('kind', 'an object')} ({each.get('apiVersion', '')})" for each in objects
    )
    raise SourceError(
        f"{_shown(file)}: no {spec.names.kind} of {spec.group} in it, only {', '.join(kinds)}"
    )


def _documents(file: str) -> list[Document]:
    name = _shown(file)
    with _naming(file):
        text = read_text(file)
    documents = []
    for document in iter_documents(text or ""):
        if document.error is not None:
            line, column = document.error.line + 1, document.error.column + 1
            raise SourceError(f"{name}:{line}:{column}: {document.error.message}")
        if document.root is not None:
            documents.append(document)
    if not documents:
        raise SourceError(f"{name}: no object in it")
    return documents


def _objects(file: str | None) -> list[dict[str, Any]]:
    if file is None:
        return []
    with _naming(file):
        objects = [
            object_.read() for document in _documents(file) for object_ in objects_of(document)
        ]
    if not objects:
        raise SourceError(f"{_shown(file)}: no object in it")
    return objects


def _without_crd(request: EvalRequest) -> ExpressionSource:
    notices: list[str] = []
    value = _any_value(request.object, notices)
    old = _any_value(request.old, notices)
    values = [each for each in (value, old) if each is not MISSING]
    schema, name = None, "no schema"
    if request.type is not None:
        schema, name = _schema_of_type(request.type), "the type given"
    elif values:
        schema, name = schema_of(*values), "the types of the object"
    return ExpressionSource(
        request.server,
        schema,
        name,
        value=value,
        old=old,
        notices=tuple(notices),
    )


def _schema_of_type(type_: str) -> JSONSchemaProps:
    try:
        return schema_of_notation(type_)
    except NoFieldError as error:
        raise SourceError(f"--type: {error}") from error


def _any_value(file: str | None, notices: list[str]) -> Any:
    if file is None:
        return MISSING
    document, *others = _documents(file)
    if others:
        notices.append(f"{_shown(file)}: {len(others) + 1} documents in it; the first one is used")
    root = document.root
    assert root is not None  # noqa: S101  empty documents are left out
    reader = Reader(json=is_json(root))
    with _naming(file):
        value = reader_json(reader, root, 1)
    if reader.failed:
        raise SourceError(f"{_shown(file)}: json: exceeded max depth")
    return value
