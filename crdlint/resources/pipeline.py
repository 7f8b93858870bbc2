"""Validation of the resources in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as MappingOf
from contextlib import nullcontext
from dataclasses import field
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.convert import read_crd
from crdlint.crd.errors import REQUIRED
from crdlint.crd.paths import NIL
from crdlint.crd.positions import Locator, node_span, user_path_in_object
from crdlint.diagnostics import Diagnostic, in_server_words
from crdlint.files.recognition import key_pattern, may_have_crd
from crdlint.gathering import object_at
from crdlint.golang.text import quote
from crdlint.kubecel.evaluation import recorded
from crdlint.kubernetes.senders import (
    CLIENT_SIDE_APPLY,
    DEFAULT_SENDER,
    Sender,
    apply_severity,
    applying_sender,
    base_sender,
    null_severity,
    sender_named,
)
from crdlint.kubernetes.servers import NEWEST_ALONE, Range, Server
from crdlint.light import NamedTuple, dataclass, regex, replace
from crdlint.linting.documents import (
    NO_FIXES,
    DocumentWalk,
    Fixes,
    read_documents,
    take_duplicate_keys,
)
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import CRD, FileResult
from crdlint.phrases import OneCommand, some
from crdlint.resources.definitions import Definition, Definitions, rejection_of
from crdlint.resources.findings import ResourceFindings, diagnostic
from crdlint.resources.objects import (
    Object,
    ResourceLocator,
    as_sent,
    key_of,
    objects_of,
    read_resource,
    text_at,
)
from crdlint.resources.placeholders import PlaceholderPatterns, Placeholders
from crdlint.resources.validation import NotDecodedError, ObjectResult
from crdlint.rules.engine.advisory import Advisory
from crdlint.rules.engine.finding import AdviceFinding, Manifest, RepeatedKeyFinding
from crdlint.rules.engine.mistakes import Mistake
from crdlint.rules.engine.relations import NO_VALUE, ONLY_COMMENTS
from crdlint.rules.texts import resource as rules
from crdlint.rules.texts.reading import DUPLICATE_KEY, duplicate_in_json, duplicate_in_yaml
from crdlint.safety.bugs import attempt
from crdlint.schema.client_side import as_created
from crdlint.schema.deep_equal import has_nulls
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.json_values import worded_for
from crdlint.yaml.nodes import Mapping, Node, child, is_json
from crdlint.yaml.parse import Document, collector_paused, parse_first

if TYPE_CHECKING:
    from crdlint.crd.decode_errors import DecodeProblem
    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import CustomResourceDefinition
    from crdlint.kubecel.second_opinion import Tally
    from crdlint.resources.objects import Key
    from crdlint.resources.validation import ResourceValidator, Withhold


@dataclass(frozen=True, slots=True)
class ResourceReport:
    """The server's findings on a resource.

    `errors` are in the server's order. `warnings` are those that the server sends with its answer. `unknown_fields` are the
    sorted paths of pruned fields. `duplicate_keys` are the findings of keys that the object has twice: clients send the
    last value. `resource` is the pruned and defaulted object, as JSON values. `cel_cost` is the cost of
    rules in cost units, None if none was evaluated.

    `crd_errors` are the errors for which a server of `kube_version` rejects the CRD itself, empty if it accepts the
    CRD. The other fields then describe the result as if it were accepted.
    """

    errors: list[Diagnostic]
    unknown_fields: list[str]
    resource: dict[str, Any]
    cel_cost: int | None
    crd_errors: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)
    duplicate_keys: list[Diagnostic] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ResourceOptions:
    """Options for validating the objects of a file.

    `skipped_kinds` are not validated: each is a kind, `GROUP/KIND` or `GROUP/VERSION/KIND`. `strict_kinds` reports an
    undefined kind of a group with CRDs as an error instead of a notice. `second_opinions` counts the evaluations of
    rules that cel-python repeats; None disables them. `fixes` adds fixes to findings. `senders` are the names of those who
    send the objects. With `beside_crds`, the CRDs are checked in the same run: what is wrong with a CRD itself is not
    repeated, and only objects count whose group is that of a CRD. Objects `of_tests` are sent to a server by programs that
    show its errors, and may write another version into them: their warnings and versions are infos.
    They often merge an object with one that a test created before, or replace its names: missing fields, failed rules and
    names that the server rejects are infos as well.
    """

    placeholders: PlaceholderPatterns = field(default_factory=PlaceholderPatterns)
    skipped_kinds: frozenset[str] = frozenset()
    strict_kinds: bool = False
    second_opinions: Tally | None = None
    fixes: bool = False
    senders: tuple[str, ...] = ()
    beside_crds: bool = False
    of_tests: bool = False

    def skips(self, resource: Object) -> bool:
        """Return whether an object is not validated."""
        kind = resource.identity.kind
        names = (kind, f"{resource.group}/{kind}", f"{resource.identity.api_version}/{kind}")
        return not self.skipped_kinds.isdisjoint(names)


_DEFAULTS: Final = ResourceOptions()


class Validated(NamedTuple):
    """The findings of a file, whose `crds` are its resources, and the resources as the server would store them."""

    result: FileResult
    stored: tuple[dict[str, Any], ...]


class OldObjects(NamedTuple):
    """The objects of a text by group, kind, namespace and name, and the positions and messages of invalid documents.

    Each object has two keys: with its namespace, and without one as a cluster-scoped object.
    """

    by_key: MappingOf[Key, dict[str, Any]]
    broken: tuple[tuple[str, str], ...]


def version_of(crd: CustomResourceDefinition, resource: dict[str, Any]) -> str:
    """Return the version of a resource, or the stored version of the CRD if it does not have that version."""
    requested = str(resource.get("apiVersion", "")).rpartition("/")[2]
    names = [version.name for version in crd.spec.versions]
    stored = [version.name for version in crd.spec.versions if version.storage]
    return requested if requested in names else next(iter((*stored, *names)), requested)


def report(
    crd_text: str,
    resource_text: str,
    old_text: str | None,
    *,
    filename: str = "<stdin>",
    versions: Range = NEWEST_ALONE,
    as_request: bool = False,
    sender: str = DEFAULT_SENDER,
) -> ResourceReport:
    """Validate the resource of a text against the CRD of another, as an update if there is an old object.

    The first document of each text is used. See `crdlint.validate_resource` for `as_request`. Raise YAMLDecodeError for
    a text that is not a YAML object, and ValueError for an unknown `sender`.
    """
    named = sender_named(sender)
    applies, reencodes = named.applies, named.reencodes
    document, root = _read(resource_text)
    resource = _resource_of(root, versions.newest, json=False if applies or reencodes else None)
    _, crd_root = _read(crd_text)
    crd = read_crd(crd_root, stored=True, server=versions.newest).crd
    definition = Definition(
        crd,
        "<crd>",
        Locator(crd_root, 0, crd_text),
        as_requests=as_request,
        versions=versions,
    )
    crd_errors = list(_errors_of_crd(crd_text, versions))
    version = version_of(crd, resource)
    if not crd.spec.versions:
        message = _no_match(str(resource.get("kind", "")), str(resource.get("apiVersion", "")))
        no_match = diagnostic(
            filename,
            "advice",
            rules.NO_MATCH.id,
            message,
            node_span(root),
        )
        return ResourceReport([no_match], [], resource, None, crd_errors)
    old = _old_resource(old_text)
    if as_request:
        # A request of server-side apply has an empty namespace as it is, until the server creates the object.
        keeps_empty = applies and not reencodes
        namespaced = definition.namespaced
        resource = as_sent(resource, namespaced=namespaced, keeps_empty=keeps_empty)
        old = None if old is None else as_sent(old, namespaced=namespaced)
    locator = ResourceLocator(root, 0, resource_text)
    manifest = Manifest(document, None, locator)
    repeated = _duplicate_keys(manifest, root, filename, 0, NO_FIXES)
    twice = list(map(in_server_words, repeated))
    unsent = _unsent(root, filename, named)
    if unsent is not None:
        error = diagnostic(
            filename,
            "decode",
            rules.DECODE.id,
            unsent.message,
            node_span(unsent.node),
        )
        return ResourceReport(
            [error],
            [],
            resource,
            None,
            crd_errors,
            duplicate_keys=twice,
        )
    outcome: ObjectResult | None = None
    by_server: list[tuple[Server, Sequence[Diagnostic]]] = []
    warnings: list[tuple[Server, Sequence[Diagnostic]]] = []
    for server in versions.servers:
        on_server = definition.on(server)
        findings = ResourceFindings(
            on_server,
            version,
            locator,
            filename,
            manifest,
        )
        warnings.append((server, list(findings.finalizers(resource, old))))
        validator = on_server.validator(version)
        try:
            outcome = _outcome(validator, resource, old, named)
            by_server.append((server, list(findings.errors(outcome))))
        except NotDecodedError as error:
            outcome = None
            by_server.append((server, _errors_of_decoding(findings, error)))
    errors = list(map(in_server_words, _merged(by_server)))
    if outcome is None:
        return ResourceReport(
            errors,
            [],
            resource,
            None,
            crd_errors,
            duplicate_keys=twice,
        )
    warned = _merged(warnings)
    return ResourceReport(
        errors,
        list(outcome.unknown),
        outcome.resource,
        outcome.cel_cost,
        crd_errors,
        warned,
        twice,
    )


def _merged(by_server: Sequence[tuple[Server, Sequence[Diagnostic]]]) -> list[Diagnostic]:
    """Return the findings of all servers, each once with those that report it."""
    if len(by_server) == 1:
        return list(by_server[0][1])
    from crdlint.linting.version_range import FindingsByVersion  # only ranges need it

    return list(FindingsByVersion(by_server).merged())


def _resource_of(root: Node, server: Server, *, json: bool | None) -> dict[str, Any]:
    """Return an object as the server stores it; raise YAMLDecodeError in the words of the server."""
    try:
        return read_resource(root, json=json)
    except YAMLDecodeError as error:
        raise YAMLDecodeError(worded_for(server, str(error)), error.node) from None


def _unsent(root: Node, file: str, sender: Sender) -> DecodeProblem | None:
    """Return why a sender that encodes objects again does not send an object, None for other senders."""
    if not sender.reencodes:
        return None
    from crdlint.crd.clients import client_problem

    return client_problem(root, file, by_name=sender.puts_name_in_url)


def _old_resource(text: str | None) -> dict[str, Any] | None:
    """Return the old object in a text, None without a text; raise YAMLDecodeError."""
    return None if text is None else read_resource(_read(text)[1])


def _outcome(
    validator: ResourceValidator,
    resource: dict[str, Any],
    old: dict[str, Any] | None,
    sender: Sender,
    withhold: Withhold | None = None,
) -> ObjectResult:
    """Validate what a sender makes of an old object, or a new object without one; raise NotDecodedError."""
    if old is None and sender.applies:
        return validator.apply(resource, withhold)
    if old is None:
        return validator.create(as_created(resource) if sender.drops_nulls else resource, withhold)
    if sender.drops_nulls:
        return validator.patch(resource, old, withhold)
    if sender.applies:
        from crdlint.typed.applied_objects import Manager

        return validator.reapply(
            resource,
            old,
            Manager(sender.manager, sender.forces),
            withhold,
        )
    return validator.update(resource, old, withhold)


def _errors_of_decoding(findings: ResourceFindings, error: NotDecodedError) -> list[Diagnostic]:
    """Return the findings of an object that a server cannot decode, without those of which it reports nothing."""
    rejection = error.rejection
    if rejection is None:
        errors: Iterable[Diagnostic] = [findings.undecoded(error)]
    else:
        errors = findings.not_applied(rejection)
    return [finding for finding in errors if finding.server_message != ""]


def _duplicate_keys(
    manifest: Manifest,
    root: Node,
    file: str,
    offset: int,
    fixes: Fixes,
) -> Iterator[Diagnostic]:
    """Yield the findings of keys that an object has twice."""
    document = manifest.document
    of_json = document.root is not None and is_json(document.root)
    for key in take_duplicate_keys(document, is_json=of_json):
        twice = duplicate_in_yaml(key, file, offset)
        yield fixes.add(twice, RepeatedKeyFinding(manifest, twice.rule, key))
    if of_json and isinstance(root, Mapping):
        from crdlint.crd.decode_errors import duplicate_fields  # most resources are YAML

        for two in duplicate_fields(root):
            yield duplicate_in_json(*two, file, offset)


@lru_cache(maxsize=8)
def _errors_of_crd(text: str, versions: Range) -> tuple[Diagnostic, ...]:
    """Return the errors for which servers reject the CRD in the first document of a text."""
    result = lint_file(
        text,
        "<crd>",
        CheckRequest(versions=versions),
        only=frozenset({0}),
    )
    return tuple(
        in_server_words(finding)
        for finding in result.diagnostics
        if finding.severity == "error" and not finding.hidden
    )


def old_objects(text: str, *, filename: str) -> OldObjects:
    """Return the old objects for updates; the first of several with the same key is used."""
    by_key: dict[Key, dict[str, Any]] = {}

    def read(document: Document) -> None:
        for resource_object in objects_of(document):
            resource = resource_object.read()
            for namespaced in (True, False):
                by_key.setdefault(key_of(resource, namespaced=namespaced), resource)

    with collector_paused():
        unread = (
            list(read_documents(text, read)) if all(field.search(text) for field in _FIELDS) else ()
        )
    broken = (
        (f"{filename}:{line}" if column is None else f"{filename}:{line}:{column}", reason)
        for _, line, column, reason in unread
    )
    return OldObjects(by_key, tuple(broken))


def validate_text(
    text: str,
    *,
    filename: str,
    definitions: Definitions,
    old: MappingOf[Key, dict[str, Any]] | None = None,
    options: ResourceOptions = _DEFAULTS,
) -> Validated:
    """Validate every custom resource of a text, as an update if `old` contains it; invalid input raises no exceptions."""
    fixes = Fixes(text if options.fixes else "")
    walk = _ObjectWalk(
        filename,
        text,
        fixes,
        definitions=definitions,
        old=old,
        options=options,
    )
    result = walk.run()
    notices = tuple(_notices(walk))
    if notices:
        result = replace(result, notices=(*result.notices, *notices))
    return Validated(result, tuple(walk.stored))


# Keys of the fields that every manifest has.
_FIELDS: Final = [regex(key_pattern(name)) for name in ("apiVersion", "kind")]


@dataclass(slots=True, kw_only=True)
class _ObjectWalk(DocumentWalk):
    definitions: Definitions
    old: MappingOf[Key, dict[str, Any]] | None
    options: ResourceOptions
    stored: list[dict[str, Any]] = field(default_factory=list)
    # Lines of objects that are not validated: by apiVersion and kind, templates, and objects with a placeholder as kind.
    undefined: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    templates: list[int] = field(default_factory=list)
    unidentified: list[int] = field(default_factory=list)
    # Placeholders that cause findings, by position
    withheld: dict[tuple[int, int], str] = field(default_factory=dict)

    def worded(self, message: str, document: Document) -> str:  # noqa: ARG002
        """Return an error about YAML as the newest server of the CRDs words it."""
        definition = next(iter(self.definitions.by_kind.values()), None)
        return message if definition is None else worded_for(definition.versions.newest, message)

    def effects(self) -> tuple[int, ...]:
        """Return how many lines the notices at the end have."""
        return sum(map(len, self.undefined.values())), len(self.templates), len(self.unidentified)

    def check_objects(self, document: Document) -> bool:
        for resource in objects_of(document):
            if resource.identity.form == "other" and not self.options.skips(resource):
                self._check_object(_ObjectCheck(self, document, resource))
        return bool(self.crds)

    def _check_object(self, check: _ObjectCheck) -> None:
        identity = check.resource.identity
        names = (identity.api_version, identity.kind)
        if any(map(self.options.placeholders.find, names)) or _JOKER.search("".join(names)):
            self.unidentified.append(check.line)
            return
        findings = check.findings()
        if findings is None:
            return
        root = check.resource.root
        object_name = text_at(root, "metadata", "name") or text_at(root, "metadata", "generateName")
        name = f"{identity.kind} {object_name}".strip()
        self.crds.append(CRD(name, check.line))
        for finding in findings:
            path = check.user_path(finding)
            is_minor = _is_minor(finding, self.options)
            severity = "info" if is_minor else finding.severity
            # Of a repeated key, the lines are in the message, too, which copies in other files have elsewhere.
            is_repeated = finding.rule == DUPLICATE_KEY.id and path
            cause = f"{identity.kind}{path}" if is_repeated else finding.cause
            self.diagnostics.append(
                replace(
                    finding,
                    crd=name,
                    user_path=path or ".",
                    severity=severity,
                    cause=cause,
                )
            )

    def may_matter(self, text: str) -> bool:
        return all(field.search(text) for field in _FIELDS)

    def skips_unparsed(self, document: Document) -> bool:
        line = document.line_of("{{")
        if line is None:
            line = _line_of_placeholder(document)
        if line is not None:
            self.templates.append(line)
        return line is not None or not all(field.search(self.text) for field in _FIELDS)


def _is_minor(finding: Diagnostic, options: ResourceOptions) -> bool:
    """Return whether a finding about an object beside its CRD is an info.

    Tests and templates of programs add names, and tests may change versions. New samples have a null where users fill in
    what a comment describes, or where all fields of an object are comments.
    """
    is_filled_in = options.of_tests or finding.field == _NAME or finding.cause == NO_VALUE
    is_missing = finding.error_type == REQUIRED and is_filled_in
    is_completed = options.of_tests and finding.rule in _COMPLETED_BY_TESTS
    is_warning = finding.severity == "warning" and (
        options.of_tests or finding.cause == ONLY_COMMENTS
    )
    is_version = options.of_tests and finding.cause.startswith(_UNSERVED)
    return options.beside_crds and (is_missing or is_completed or is_warning or is_version)


_NAME: Final = "metadata.name"
_COMPLETED_BY_TESTS: Final = frozenset({rules.RULE_FAILED.id, rules.METADATA.id})
_UNSERVED: Final = "a version that is not served: "  # a `Diagnostic.cause`, with the group


class _ServerCheck(NamedTuple):
    """What the findings of one server are made with; `old` is the object that is updated, if there is one."""

    findings: ResourceFindings
    placeholders: Placeholders
    old: dict[str, Any] | None

    def withhold(self, error: FieldError) -> bool:
        """Return whether an error is not one of the object: it follows from its CRD or from a placeholder."""
        return self.findings.is_of_crd(error) or self.placeholders.cause(error)


class _ServerAnswer(NamedTuple):
    """The answer of one server: its result, None if it cannot decode the object, the findings, and those of cel-python."""

    outcome: ObjectResult | None
    findings: Sequence[Diagnostic]
    disagreements: Sequence[Diagnostic] = ()


@dataclass(frozen=True, slots=True)
class _ObjectCheck:
    """The check of one object of a document; the walk collects what is not a finding."""

    walk: _ObjectWalk
    document: Document
    resource: Object

    @property
    def offset(self) -> int:
        return self.document.line_offset

    @property
    def line(self) -> int:
        """The line (1-based) of the object."""
        return node_span(self.resource.root, self.offset).line

    def user_path(self, finding: Diagnostic) -> str | None:
        """Return the path of a finding as users know it: of a field that is missing, that of its object."""
        if finding.field == str(NIL):
            return None
        line = finding.line - self.offset
        path = attempt(
            user_path_in_object,
            self.resource.root,
            line,
            finding.column,
        )
        if finding.error_type != REQUIRED or path == f".{finding.field}":
            return path
        parent = finding.field.rpartition(".")[0]
        return f".{parent}" if parent else None

    def findings(self) -> list[Diagnostic] | None:
        """Return the findings, or None if no CRD is expected to define the kind, or a notice reports that none does."""
        resource, identity = self.resource, self.resource.identity
        if not (may_have_crd(resource.group) and self.walk.definitions.knows(resource.group)):
            return self._of_unknown_group()
        if identity.error is not None:
            return [self._misidentified(identity.error)]
        candidates = self.walk.definitions.near(resource.group, identity.kind, self.walk.file)
        if not candidates:
            return self._of_unknown_kind()
        serving = [each for each in candidates if resource.version in each.served]
        if not serving:
            return [self._unserved(candidates)]
        definition = self._accepting(serving)
        return [*self._rejection(definition), *self._of_definition(definition)]

    def _unserved(self, candidates: Sequence[Definition]) -> Diagnostic:
        """Return the finding that no CRD of the kind serves the version of the object."""
        group, kind = self.resource.group, self.resource.identity.kind
        files = ", ".join(each.file for each in candidates[:_SHOWN_FILES])
        versions = dict.fromkeys(version for each in candidates for version in each.served)
        served = ", ".join(f"`{version}`" for version in versions) or "none"
        words = [f"{group}/{version}" for version in versions]
        finding = self._no_match(f"Use a served version of {kind}: {served} ({files})", words)
        return replace(finding, cause=f"{_UNSERVED}{group}")

    def _accepting(self, candidates: Sequence[Definition]) -> Definition:
        """Return the first CRD that accepts the object, else the first of those that know its fields best and reject the least."""
        first, *others = candidates
        if not others:
            return first
        chosen, least = first, self._rejected_parts(first)
        for definition in others:
            if not any(least):
                break
            rejected = self._rejected_parts(definition)
            if rejected < least:
                chosen, least = definition, rejected
        return chosen

    def _rejected_parts(self, definition: Definition) -> tuple[float, float]:
        """Return how many fields of the object a CRD does not know, and the number of errors; infinite if it cannot be decoded.

        A copy that is not updated lacks fields, and the rules that reject the object by the current CRD.
        """
        sent = as_sent(self.resource.read(), namespaced=definition.namespaced)
        validator = definition.validator(self.resource.version)
        try:
            outcome = validator.create(sent)
        except NotDecodedError:
            return inf, inf
        return len(outcome.unknown), len(outcome.errors)

    def _advice(
        self,
        rule: str,
        message: str,
        field: str,
        help_: str | None = None,
        words: Sequence[str] = (),
    ) -> Diagnostic:
        """Return a finding about a field, of which `words` are the values that may be meant."""
        root = self.resource.root
        node = child(root, field) or root
        finding = diagnostic(
            self.walk.file,
            "advice",
            rule,
            message,
            node_span(node, self.offset),
            help_,
        )
        advisory = Advisory(message, NIL, subject=Mistake(node, words))
        return self.walk.fixes.add(
            finding, AdviceFinding(Manifest(self.document, root), rule, advisory)
        )

    def _no_match(
        self, help_: str, words: Sequence[str] = (), field: str = "apiVersion"
    ) -> Diagnostic:
        identity = self.resource.identity
        return self._advice(
            rules.NO_MATCH.id,
            _no_match(identity.kind, identity.api_version),
            field,
            help_,
            words,
        )

    def _misidentified(self, error: str) -> Diagnostic:
        span = node_span(self.resource.identity.node or self.resource.root, self.offset)
        return diagnostic(
            self.walk.file,
            "decode",
            rules.DECODE.id,
            error,
            span,
        )

    def _note_undefined(self) -> None:
        identity = self.resource.identity
        self.walk.undefined.setdefault((identity.api_version, identity.kind), []).append(self.line)

    def _of_unknown_group(self) -> list[Diagnostic] | None:
        resource, identity = self.resource, self.resource.identity
        is_of_others = identity.api_version and not may_have_crd(resource.group)
        if is_of_others or self.walk.options.beside_crds or self._is_no_object():
            return None
        kind = identity.kind
        meant = self.walk.definitions.group_meant(resource.group, kind) if kind else None
        if meant is not None:
            return [self._of_group_meant(meant)]
        if identity.api_version:
            self._note_undefined()
        return None

    def _of_group_meant(self, meant: str) -> Diagnostic:
        """Return the finding of an object whose group is missing or misspelled."""
        identity, version = self.resource.identity, self.resource.version
        if identity.error is not None and identity.node is not None:
            return self._misidentified(identity.error)
        served = self.walk.definitions.kinds(meant)[identity.kind].served
        is_served = version in served or not served
        suggested = f"{meant}/{version if is_served else served[0]}"
        if identity.api_version:
            return self._no_match(OneCommand(f"Write `{suggested}` instead"), [suggested])
        message, help_ = (
            "Object 'apiVersion' is missing",
            OneCommand(f"Add `apiVersion: {suggested}`"),
        )
        return self._advice(rules.NO_MATCH.id, message, "kind", help_)

    def _is_no_object(self) -> bool:
        """Return whether the mapping only has a `kind`, as values of other programs have."""
        root = self.resource.root
        names = ("apiVersion", "metadata", "spec")
        return not any(child(root, name) is not None for name in names)

    def _of_unknown_kind(self) -> list[Diagnostic] | None:
        """Return the finding that no CRD of the group defines the kind, or None if a notice reports it."""
        group, kind, walk = self.resource.group, self.resource.identity.kind, self.walk
        unreadable = walk.definitions.unreadable.get(group)
        if unreadable is not None:
            return None if walk.options.beside_crds else [self._of_unreadable(unreadable)]
        is_expected = walk.options.strict_kinds or not kind
        if not is_expected and not walk.definitions.kind_meant(group, kind, misspelt=True):
            self._note_undefined()
            return None
        help_ = walk.definitions.describe(group)
        if not kind:
            return [self._no_match(help_, [], "apiVersion")]
        near = walk.definitions.kind_meant(group, kind)
        if near is None:
            return [self._no_match(help_, [], "kind")]
        return [self._no_match(f"Write `{near}` instead: {help_}", [near], "kind")]

    def _of_unreadable(self, message: str) -> Diagnostic:
        """Return the finding that a CRD of the group cannot be decoded, with its errors only once."""
        group, kind, reported = (
            self.resource.group,
            self.resource.identity.kind,
            self.walk.definitions.reported,
        )
        if message in reported:
            message = f"not validated: the CRD of {group} that may define {kind} cannot be decoded"
        reported.add(message)
        return self._advice(rules.CRD_UNREADABLE.id, message, "kind")

    def _rejection(self, definition: Definition) -> Iterator[Diagnostic]:
        """Yield the finding that the API server rejects a CRD itself, once for each CRD."""
        if self.walk.options.beside_crds:
            return
        reported = self.walk.definitions.reported
        message = (
            rejection_of(definition.crd.metadata.name, definition.errors)
            if definition.errors
            else ""
        )
        if message and message not in reported:
            reported.add(message)
            command = f"crdlint check {definition.file}"
            help_ = f"Fix the CRD first: run `{command}`; crdlint validates its resources as if it were accepted"
            yield self._advice(rules.CRD_REFUSED.id, message, "kind", help_)

    def _of_definition(self, definition: Definition) -> Iterator[Diagnostic]:
        """Yield the server's findings, in its order: duplicates, unknown fields, errors, warnings."""
        walk, document, resource = self.walk, self.document, self.resource
        locator = ResourceLocator(resource.root, self.offset, document.text)
        manifest = Manifest(document, resource.root, locator)
        placeholders = Placeholders(walk.options.placeholders, locator)
        yield from _duplicate_keys(
            manifest,
            resource.root,
            walk.file,
            self.offset,
            walk.fixes,
        )
        sender = base_sender(walk.options.senders)
        unsent = _unsent(resource.root, walk.file, sender)
        if unsent is not None:
            span = node_span(unsent.node, self.offset)
            yield diagnostic(
                walk.file,
                "decode",
                rules.DECODE.id,
                unsent.message,
                span,
            )
            return
        is_decoded_as_yaml = sender.applies or sender.reencodes
        content = (resource._replace(json=False) if is_decoded_as_yaml else resource).read()
        sent = as_sent(content, namespaced=definition.namespaced)
        by_server: list[tuple[Server, Sequence[Diagnostic]]] = []
        for server in definition.versions.servers:
            on_server = definition.on(server)
            findings = ResourceFindings(
                on_server,
                resource.version,
                locator,
                walk.file,
                manifest,
                walk.fixes,
            )
            of_server = _ServerCheck(findings, placeholders, self._old_of(content, definition))
            is_newest = server is definition.versions.newest
            opinions = walk.options.second_opinions if is_newest else None
            answer = self._answer(sent, of_server, opinions)
            by_server.append((server, answer.findings))
        merged = _merged(by_server)
        yield from merged
        copied = list(self._of_copy(content, manifest, definition))
        yield from copied
        if not any(finding.kind == "decode" for finding in merged):
            as_yaml = resource._replace(json=False).read() if resource.json else content
            applied = as_sent(as_yaml, namespaced=definition.namespaced)
            applied = _without_uid(applied) if copied else applied
            yield from self._of_some_senders(
                applied,
                of_server,
                answer.outcome,
                merged,
            )
        yield from answer.disagreements
        walk.withheld.update(placeholders.withheld)
        if answer.outcome is not None:
            walk.stored.append(_stored(answer.outcome.resource, content))

    def _answer(
        self, sent: dict[str, Any], of_server: _ServerCheck, opinions: Tally | None
    ) -> _ServerAnswer:
        """Return the answer of one server; `opinions` counts the evaluations that cel-python repeats, if it does."""
        findings, placeholders, old = of_server
        with recorded() if opinions is not None else nullcontext(()) as evaluations:
            outcome, unread = self._decoded(sent, findings, placeholders)
        if outcome is None:
            return _ServerAnswer(None, unread)
        of_outcome = [
            *findings.unknown(outcome, placeholders),
            *findings.errors(outcome),
            *findings.warnings(outcome),
            *findings.finalizers(sent, old),
        ]
        if opinions is None:
            return _ServerAnswer(outcome, of_outcome)
        from crdlint.kubecel.second_opinion import compare

        differing = map(findings.disagreement, compare(evaluations, opinions))
        return _ServerAnswer(outcome, of_outcome, tuple(differing))

    def _of_copy(
        self, content: dict[str, Any], manifest: Manifest, definition: Definition
    ) -> Iterator[Diagnostic]:
        """Yield that the storage rejects a new object that was copied from a cluster."""
        resource, old = self.resource, self.walk.old
        if old is not None and key_of(content, namespaced=definition.namespaced) in old:
            return
        version = object_at(content, "metadata").get("resourceVersion")
        if version is None:
            return
        from crdlint.rules.advice.storage import of_copy  # only copies need it

        has_status = definition.validator(resource.version).has_status
        advisory = of_copy(resource.root, version, has_status=has_status)
        if advisory is not None:
            span = node_span(
                child(resource.root, *map(str, advisory.path.steps())) or resource.root, self.offset
            )
            finding = diagnostic(
                self.walk.file,
                advisory.kind,
                advisory.rule,
                advisory.message,
                span,
                advisory.help,
            )
            keeps_status = resource.root.find("status") is not None and not has_status
            yield (
                finding
                if keeps_status
                else self.walk.fixes.add(finding, AdviceFinding(manifest, advisory.rule, advisory))
            )

    def _decoded(
        self, sent: dict[str, Any], findings: ResourceFindings, placeholders: Placeholders
    ) -> tuple[ObjectResult | None, list[Diagnostic]]:
        """Validate the object but metadata that placeholders break; the second value has the findings if it cannot be decoded."""

        def withhold(error: FieldError) -> bool:
            return findings.is_of_crd(error) or placeholders.cause(error)

        while True:
            try:
                return self._outcome(sent, findings.definition, withhold), []
            except NotDecodedError as error:  # noqa: PERF203  as often as there are such fields
                if error.rejection is not None:
                    return None, list(findings.not_applied(error.rejection, placeholders))
                name, location = findings.undecoded_field(error)
                meta = sent.get("metadata")
                if (
                    not isinstance(meta, dict)
                    or name not in meta
                    or not placeholders.is_within(location)
                ):
                    return None, [findings.undecoded(error)]
                sent = {
                    **sent,
                    "metadata": {field: value for field, value in meta.items() if field != name},
                }

    def _of_some_senders(
        self,
        applied: dict[str, Any],
        of_server: _ServerCheck,
        created: ObjectResult | None,
        reported: list[Diagnostic],
    ) -> Iterator[Diagnostic]:
        """Yield what only server-side apply or only client-side apply rejects in an object that the server can decode."""
        findings, senders = of_server.findings, self.walk.options.senders
        severity = apply_severity(senders)
        if severity is not None:
            rejected = self._rejected_by_apply(applied, of_server, created)
            only = list(_only_of_some(rejected, reported))
            yield from (findings.only_applied(finding, severity) for finding in only)
            reported = [*reported, *only]
        severity = null_severity(senders)
        if severity is not None and has_nulls(applied):
            rejected = self._rejected_without_nulls(applied, of_server, created)
            for finding in _only_of_some(rejected, reported):
                yield findings.only_without_nulls(finding, severity)

    def _rejected_by_apply(
        self, applied: dict[str, Any], of_server: _ServerCheck, created: ObjectResult | None
    ) -> Iterator[Diagnostic]:
        """Return the findings of the object if it is sent by server-side apply; none if they are those of its creation."""
        findings, placeholders, old = of_server
        sender = applying_sender(self.walk.options.senders)
        try:
            if old is None:
                validator = findings.definition.validator(self.resource.version)
                outcome = validator.apply(applied, of_server.withhold, created)
            else:
                outcome = self._sent_by(sender, applied, of_server)
        except NotDecodedError as error:
            if error.rejection is None:
                return iter(())
            return findings.not_applied(error.rejection, placeholders)
        return iter(()) if outcome is created else findings.errors(outcome)

    def _rejected_without_nulls(
        self, sent: dict[str, Any], of_server: _ServerCheck, created: ObjectResult | None
    ) -> Iterator[Diagnostic]:
        """Return the findings of the object if it is sent by client-side apply; none if they are those of its creation."""
        findings, old = of_server.findings, of_server.old
        try:
            if old is None:
                validator = findings.definition.validator(self.resource.version)
                outcome = validator.create(as_created(sent), of_server.withhold, created)
            else:
                outcome = self._sent_by(CLIENT_SIDE_APPLY, sent, of_server)
        except NotDecodedError:
            return iter(())
        return iter(()) if outcome is created else findings.errors(outcome)

    def _sent_by(
        self, sender: Sender, sent: dict[str, Any], of_server: _ServerCheck
    ) -> ObjectResult:
        """Validate what a sender makes of the object and the old one, if there is one; raise NotDecodedError."""
        definition, old = of_server.findings.definition, of_server.old
        before = None if old is None else as_sent(old, namespaced=definition.namespaced)
        validator = definition.validator(self.resource.version)
        return _outcome(
            validator,
            sent,
            before,
            sender,
            of_server.withhold,
        )

    def _old_of(self, content: dict[str, Any], definition: Definition) -> dict[str, Any] | None:
        """Return the old object that is updated, or None."""
        old = self.walk.old
        return None if old is None else old.get(key_of(content, namespaced=definition.namespaced))

    def _outcome(
        self, sent: dict[str, Any], definition: Definition, withhold: Withhold
    ) -> ObjectResult:
        """Validate the object, as an update if there is an old one that can be decoded; raise NotDecodedError."""
        validator = definition.validator(self.resource.version)
        olds, notices = self.walk.old, self.walk.notices
        sender = base_sender(self.walk.options.senders)
        if olds is None:
            return _outcome(validator, sent, None, sender, withhold)
        key = key_of(sent, namespaced=definition.namespaced)
        old = olds.get(key)
        if old is None:
            why = "is not among the old objects"
        else:
            before = as_sent(old, namespaced=definition.namespaced)
            try:
                return _outcome(validator, sent, before, sender, withhold)
            except NotDecodedError as error:
                if error.rejection is not None:
                    raise
                why = f"had an old object that cannot be decoded: {error}"
        # Raises an exception if it is the new object that cannot be decoded.
        outcome = _outcome(validator, sent, None, sender, withhold)
        name = f"{self.resource.identity.kind} {key[3]}".rstrip()
        notice = f"line {self.line}: {name} {why}; validated as a new object"
        if notices[-1:] != [notice]:  # every server of a range yields the same notice
            notices.append(notice)
        return outcome


_SHOWN_FILES: Final = 3
_OF_SERVER: Final = frozenset({"uid", "managedFields", "resourceVersion"})


def _only_of_some(
    rejected: Iterable[Diagnostic], reported: list[Diagnostic]
) -> Iterator[Diagnostic]:
    """Yield the certain findings of some senders that are not `reported` already.

    The fields that the server sets in a copy are reported with its resource version.
    """
    messages = {finding.server_message or finding.message for finding in reported}
    positions = {(finding.line, finding.column) for finding in reported}
    for finding in rejected:
        is_at_other = (finding.line, finding.column) in positions
        is_certain = finding.errors and not finding.hidden
        if finding.message not in messages and not is_at_other and is_certain:
            yield finding


def _without_uid(copied: dict[str, Any]) -> dict[str, Any]:
    """Return an object that was copied from a cluster without the fields by which a server knows that."""
    metadata = {name: each for name, each in copied["metadata"].items() if name not in _OF_SERVER}
    return {**copied, "metadata": metadata}


def _stored(stored: dict[str, Any], content: dict[str, Any]) -> dict[str, Any]:
    """Return an object as the server stores it, without a name that it generates."""
    meta = content.get("metadata")
    if isinstance(meta, dict) and not meta.get("name") and isinstance(stored.get("metadata"), dict):
        return {**stored, "metadata": {k: v for k, v in stored["metadata"].items() if k != "name"}}
    return stored


def _no_match(kind: str, api_version: str) -> str:
    """Return kubectl's message that no kind of an apiVersion is served."""
    return (
        f"no matches for kind {quote(kind)} in version {quote(api_version)}"
        if kind
        else "Object 'Kind' is missing"
    )


def _notices(walk: _ObjectWalk) -> Iterator[str]:
    """Yield the notices about documents that are not validated, and about findings that are withheld."""
    if walk.templates:
        instead = "validate the rendered template: helm template ... | crdlint validate -"
        yield f"{_lines(walk.templates)}: skipped a template; {instead}"
    if walk.unidentified:
        yield f"{_lines(walk.unidentified)}: skipped: apiVersion or kind is a placeholder"
    for (api_version, kind), lines in walk.undefined.items():
        yield f"{_lines(lines)}: no CRD here defines {f'`{kind}`' if kind else 'an object'} of `{api_version}`: not validated"
    if walk.withheld:
        line, text = min(walk.withheld)[0], next(filter(None, walk.withheld.values()), "")
        such = f" such as `{text}`" if text else ""
        if len(walk.withheld) == 1:
            yield f"line {line}: a placeholder{such} is accepted as a value of any type"
        else:
            yield f"line {line} and below: {len(walk.withheld):,} placeholders{such} are accepted as values of any type"


_JOKER: Final = regex(r"[?*]")  # in no name of a version or kind
# Values with which a document is not YAML until a program replaces them, such as `@name@`, `%%name%%` and `{name}/path`.
_UNFINISHED: Final = regex(
    r"[:-][ \t]+(?:([@%]{1,2})[A-Za-z_][\w.-]*\1[ \t]*|(?:\{[A-Za-z_]\w*\})+[^\s{},#].*)$",
    re.MULTILINE,
)


# A placeholder as a whole line, which a program replaces by lines with the indentation that they need.
_LINE_OF_PLACEHOLDER: Final = regex(
    r"^[ \t]*\$(?:\{[A-Za-z_]\w*\}|\([A-Za-z_]\w*\))[ \t]*$", re.MULTILINE
)


def _line_of_placeholder(document: Document) -> int | None:
    """Return the line (1-based) of the first placeholder because of which a document is not YAML, or None."""
    match = _UNFINISHED.search(document.text) or _line_that_breaks(document.text)
    if match is None:
        return None
    return document.text.count("\n", 0, match.start()) + document.line_offset + 1


def _line_that_breaks(text: str) -> re.Match[str] | None:
    """Return the first line of a text that is a placeholder, if it is YAML without these lines."""
    first = _LINE_OF_PLACEHOLDER.search(text)
    if first is None or parse_first(_LINE_OF_PLACEHOLDER.sub("", text)).error is not None:
        return None
    return first


def _lines(lines: list[int]) -> str:
    return f"line {some([*map(str, lines)], 1)}"


def _read(text: str) -> tuple[Document, Node]:
    document = parse_first(text)
    if document.error is not None:
        raise YAMLDecodeError(document.error.message)
    if document.root is None:
        raise YAMLDecodeError("the document is empty")
    return document, document.root
