"""What expressions are evaluated on: the schema of a CRD or of a value, and the objects of files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from crdlint.crd.decode import Reader, reader_json
from crdlint.crd.model import JSONSchemaProps
from crdlint.evaluation.field_paths import NoFieldError, schema_of, schema_of_notation
from crdlint.files.paths import Selection, discover
from crdlint.files.read import STDIN, UnreadableError, read_text
from crdlint.kubecel.evaluation import MISSING
from crdlint.kubernetes.servers import Range, Server
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
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

_LISTED: Final = 8


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
    """What to read: files by their names, None for those that are not given. See `crdlint eval --help`.

    `values` are those for Helm, None not to run it.
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
    """The schema and the objects. `value` and `old` are `MISSING` if there are none.

    `definition` is the CRD, None without one. `name` describes the schema. `notices` are facts to know about the input.
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
    lint = partial(
        lint_file, request=CheckRequest(versions=Range.of(server), skip_unfinished=True, keep=True)
    )
    for file in crd_files.files:
        with _naming(file):
            text = read_text(file, only_crds=len(crd_files.files) > 1)
        if text is None:
            continue
        name = _shown(file)
        result = charts.lint_template(file, text, lint) or without_chart(name, text, lint)
        for finding in result.diagnostics:
            if finding.rule == reading.YAML_SYNTAX.id:
                raise SourceError(f"{name}:{finding.line}:{finding.column}: {finding.message}")
            if finding.rule == SKIPPED.id:
                skipped.append(f"{name}:{finding.line}: {finding.message}. {finding.help}")
        definitions.add(result)
    if definitions.by_kind:
        return definitions
    unreadable = next(iter((*definitions.unreadable.values(), *skipped)), None)
    raise SourceError(unreadable or f"{_shown(path)}: no CustomResourceDefinition in it")


def _with_crd(request: EvalRequest, definitions: Definitions) -> ExpressionSource:
    objects, olds = (
        [] if file is None else _objects(file) for file in (request.object, request.old)
    )
    definition = _chosen(request, definitions, objects)
    of_kind, olds_of_kind = (
        _of_kind(definition, each, file)
        for each, file in ((objects, request.object), (olds, request.old))
    )
    sent, old = (next(iter(each), MISSING) for each in (of_kind, olds_of_kind))
    versions = [version.name for version in definition.crd.spec.versions]
    version = request.version or version_of(definition.crd, sent if isinstance(sent, dict) else {})
    if version not in versions:
        near = nearest(version, versions)
        help_ = f"did you mean {near}?" if near else f"it has {', '.join(versions)}"
        raise SourceError(f"{definition.crd.metadata.name} has no version {version!r}: {help_}")
    server = request.server
    validator = ResourceValidator(definition.crd, version, server=server)
    spec = definition.crd.spec
    notices = [*definitions.duplicates]
    for each, file in ((of_kind, request.object), (olds_of_kind, request.old)):
        if len(each) > 1:
            notices.append(
                f"{_shown(file)}: {len(each)} objects of {spec.names.kind} in it; the first one is used"
            )
    if definition.errors:
        rejected = f"the API server rejects the CRD {definition.crd.metadata.name} itself"
        notices.append(f"{definition.file}: {rejected}; crdlint check shows why")

    def stored(resource: Any, file: str | None) -> Any:
        """Return an object as the server stores it in the version."""
        if resource is MISSING:
            return MISSING
        try:
            outcome = validator.create(
                {**resource, "apiVersion": f"{spec.group}/{version}", "kind": spec.names.kind}
            )
        except NotDecodedError as error:
            raise SourceError(
                f"{_shown(file)}: the API server cannot decode the object: {error}"
            ) from error
        notices.extend(
            f"{_shown(file)}: the API server drops the unknown field {name}"
            for name in outcome.unknown
        )
        return outcome.resource

    value, old = stored(sent, request.object), stored(old, request.old)
    name = f"{spec.names.kind} {spec.group}/{version}"
    return ExpressionSource(
        server, validator.schema, name, definition, version, value, old, tuple(notices)
    )


def _chosen(
    request: EvalRequest, definitions: Definitions, objects: list[dict[str, Any]]
) -> Definition:
    """Return the CRD to use: that of the kind named, else that of the objects."""
    by_kind = definitions.by_kind
    kinds = [kind for _, kind in by_kind]
    listed = ", ".join(kinds[:_LISTED]) + (", ..." if len(kinds) > _LISTED else "")
    candidates = {id_: each for id_, each in by_kind.items() if request.kind in {None, id_[1]}}
    if not candidates:
        near = nearest(request.kind or "", kinds)
        help_ = f"did you mean {near}?" if near else f"they define {listed}"
        raise SourceError(f"no CRD defines {request.kind}: {help_}")
    if len(candidates) > 1:
        ids = set(map(_identity, objects))
        candidates = {id_: each for id_, each in candidates.items() if id_ in ids} or candidates
    if len(candidates) > 1:
        raise SourceError(f"{len(candidates)} CRDs define a kind, choose one with --kind: {listed}")
    return next(iter(candidates.values()))


def _identity(value: dict[str, Any]) -> tuple[str, str]:
    return str(value.get("apiVersion", "")).rpartition("/")[0], str(value.get("kind", ""))


def _of_kind(
    definition: Definition, objects: list[dict[str, Any]], file: str | None
) -> list[dict[str, Any]]:
    """Return the objects of a file that a CRD defines, or that have no apiVersion and kind; none only without a file."""
    spec = definition.crd.spec
    id_ = (spec.group, spec.names.kind)
    of_kind = [
        each
        for each in objects
        if _identity(each) == id_ or not ("apiVersion" in each or "kind" in each)
    ]
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


def _objects(file: str) -> list[dict[str, Any]]:
    with _naming(file):
        objects = [
            object_.read() for document in _documents(file) for object_ in objects_of(document)
        ]
    if not objects:
        raise SourceError(f"{_shown(file)}: no object in it")
    return objects


def _without_crd(request: EvalRequest) -> ExpressionSource:
    notices: list[str] = []
    value, old = (
        MISSING if file is None else _any_value(file, notices)
        for file in (request.object, request.old)
    )
    if request.type is not None:
        try:
            schema = schema_of_notation(request.type)
        except NoFieldError as error:
            raise SourceError(f"--type: {error}") from error
        return ExpressionSource(
            request.server, schema, "the type given", value=value, old=old, notices=tuple(notices)
        )
    values = [value for value in (value, old) if value is not MISSING]
    if not values:
        return ExpressionSource(request.server, None, "no schema")
    return ExpressionSource(
        request.server,
        schema_of(*values),
        "the types of the object",
        value=value,
        old=old,
        notices=tuple(notices),
    )


def _any_value(file: str, notices: list[str]) -> Any:
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
