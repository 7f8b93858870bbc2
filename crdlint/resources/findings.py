"""Findings for the server's errors about a resource, placed in the user's file, with helps (more: `crdlint.schema.value_help`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Mapping as MappingOf
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.errors import (
    INVALID,
    NOT_SUPPORTED,
    REQUIRED,
    TYPE_INVALID,
    BrokenRule,
    Code,
    FieldError,
    Reason,
)
from crdlint.crd.gotypes import OBJECT_META, GoType
from crdlint.crd.object_meta import RESOURCE_METADATA
from crdlint.crd.paths import NIL, Path
from crdlint.crd.positions import SourceLocation, Span, block_of
from crdlint.diagnostics import Diagnostic, Kind, Related, Severity
from crdlint.gathering import only
from crdlint.golang.text import quote
from crdlint.light import NamedTuple, regex, replace
from crdlint.linting.documents import NO_FIXES, Fixes
from crdlint.phrases import OneCommand, Sample
from crdlint.rules import catalog
from crdlint.rules.engine import headlines
from crdlint.rules.engine.advisory import Advisory
from crdlint.rules.engine.finding import AdviceFinding, FieldFinding, Manifest
from crdlint.rules.engine.mistakes import ANYTHING, Mistake, is_item, is_short, plain_value
from crdlint.rules.engine.relations import NO_VALUE, ONLY_COMMENTS, SCAFFOLD, lacking, type_of
from crdlint.rules.texts import reading
from crdlint.rules.texts import resource as rules
from crdlint.rules.texts.resource import APPLY
from crdlint.safety.bugs import attempt
from crdlint.schema.formats import SAMPLES
from crdlint.schema.numbers import integer_range
from crdlint.schema.structural import TYPES
from crdlint.schema.traversal import value_schema
from crdlint.schema.value_help import fits, listed, steps_of, suggestion, written
from crdlint.spelling import SimilarName, has_words_of, meant, name_meant
from crdlint.yaml.editor import as_key
from crdlint.yaml.json_values import entries, to_json
from crdlint.yaml.nodes import Mapping, Node, Scalar, child, items_of, text_of
from crdlint.yaml.nodes import Sequence as List
from crdlint.yaml.resolve import key_text, resolve

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps, ValidationRule
    from crdlint.kubecel.second_opinion import Disagreement
    from crdlint.resources.definitions import Definition
    from crdlint.resources.objects import ResourceLocator
    from crdlint.resources.placeholders import Placeholders
    from crdlint.resources.validation import NotDecodedError, ObjectResult
    from crdlint.typed.applied_objects import ApplyRejection
    from crdlint.typed.walker import TypedError

_METADATA: Final = RESOURCE_METADATA
_FINALIZERS: Final = Path("metadata").child("finalizers")
_REQUIRED_STATUS: Final = (
    "Remove `status` from `required` in the CRD: the API server drops the status of new objects"
)
# The maximum number of characters of a rule in the label of its position
_LONGEST_RULE: Final = 100
_NULLS: Final = (None, "null")  # a null, and how a type error names it
_SCALARS: Final = {"bool": "a boolean", "number": "a number"}
_HELP_FOR_SCAFFOLD: Final = (
    "Write the fields of the kind instead of the placeholder `foo: bar` of `kubebuilder create api`"
)
_NOT_A_NAME: Final = regex(r"[^a-z0-9.]+")
_NOT_A_LABEL: Final = regex(r"[^A-Za-z0-9._-]+")
_HELP_FOR_NULL: Final = (
    "Remove the field, or give it a value: on create the API server drops the null"
)
# What only the server sets, and server-side apply rejects
_OF_SERVER: Final = frozenset(
    {"metadata.managedFields", "metadata.uid", "metadata.resourceVersion"}
)
_HELP_OF_SERVER: Final = "Remove the field: the API server sets it"
_HELP_FOR_DROPPED: Final = (
    "Give the field a value: client-side `kubectl apply` drops the null before it sends the object"
)
_GIVE_A_VALUE: Final = "Give the field a value"
_MOST_BELOW: Final = 100  # objects in which the place of a field is searched
_LONGEST: Final = 60  # the maximum number of characters of the user's text in a help


def _line_after(text: str, start: int) -> str:
    """Return the line below that of an offset, without its indent, empty if there is none."""
    end = text.find("\n", start)
    stop = text.find("\n", end + 1)
    return text[end + 1 : stop if stop >= 0 else len(text)].strip() if end >= 0 else ""


def _is_field_in_comment(line: str) -> bool:
    """Return whether a line is a comment of a field that is indented in it, as in `#   size: 1`."""
    return line.startswith("#  ") and ":" in line


def diagnostic(
    file: str,
    kind: Kind,
    rule: str,
    message: str,
    span: Span,
    help_: str | None = None,
) -> Diagnostic:
    """Create a finding of the rule with an id; without `help_`, it has the help of the rule."""
    return catalog.get(rule).diagnostic(
        file,
        kind,
        message,
        span,
        help_,
    )


class ResourceFindings(NamedTuple):
    """Creates the diagnostics of one resource."""

    definition: Definition
    version: str
    locator: ResourceLocator
    file: str
    manifest: Manifest
    fixes: Fixes = NO_FIXES

    def unknown(self, outcome: ObjectResult, placeholders: Placeholders) -> Iterator[Diagnostic]:
        """Yield the fields that the server does not know, at their keys, except for placeholders."""
        for path in outcome.unknown:
            location = self.locator.find_text(path)
            name, key, owner = path.rpartition(".")[2], None, None
            if location.exact and isinstance(location.key, Scalar):
                key = location.key
                name, owner = key.value, self.manifest.editor.parent(key)
            is_free = placeholders.is_written_as_mapping(owner)
            if not is_free and not placeholders.is_key(location, name):
                yield self._unknown_field(path, name, location, key)

    def _unknown_field(
        self,
        path: str,
        name: str,
        location: SourceLocation,
        key: Scalar | None,
    ) -> Diagnostic:
        """Return the finding of an unknown field, of which `key` is the node if it is known."""
        # YAML reads a key such as `on` or `1.0` as another one.
        owner_path = path.removesuffix(name if key is None else key_text(key) or "")
        steps = steps_of(owner_path)
        schema = self.definition.validator(self.version).schema
        parent = value_schema(schema, steps) or ANYTHING
        fields = _known_fields(steps, parent)
        mistake = Mistake(
            location.node if key is None else key,
            fields,
            schema=parent,
            outer=(steps and value_schema(schema, steps[:-1])) or ANYTHING,
            fitting=_fitting(fields, parent, location.node),
        )
        span = self.locator.span_of(location, key=True)
        message = f"unknown field {quote(path)}"
        finding = replace(
            diagnostic(
                self.file,
                "strict",
                reading.UNKNOWN_FIELD.id,
                message,
                span,
            ),
            headline=headlines.of_unknown(name, owner_path, None),
        )
        if path == "spec.foo" and text_of(location.node) == "bar":
            return replace(finding, help=_HELP_FOR_SCAFFOLD, cause=SCAFFOLD)
        mistyped = self._mistyped_around(schema, steps)
        if mistyped is not None:
            help_ = f"Write {_NOUNS[mistyped.expected]} for `{mistyped.name}`"
            return replace(finding, help=help_, lacks=type_of(mistyped.path))
        owner = None if key is None else self.manifest.editor.parent(key)
        around = None if owner is None else self.manifest.editor.parent(owner)
        finding = _UnknownField(path, name, mistake, owner, around).described(finding)
        return finding if key is None else self._fixed(finding, mistake)

    def _mistyped_around(
        self, schema: JSONSchemaProps | None, steps: Sequence[str]
    ) -> _Mistyped | None:
        """Return the outermost value around a field that is a list instead of an object, or the other way round."""
        node: Node | None = self.manifest.root
        path = name = ""
        for step in steps:
            node = child(node, int(step) if isinstance(node, List) else step)
            schema = value_schema(schema, (step,))
            path = f"{path}[{step}]" if step.isdecimal() else f"{path}.{step}".lstrip(".")
            name = name if step.isdecimal() else step
            if node is None or schema is None:
                return None
            if schema.type in _NOUNS and _is_other_collection(node, schema.type):
                return _Mistyped(path, name, schema.type)
        return None

    def errors(self, outcome: ObjectResult) -> Iterator[Diagnostic]:
        """Yield the errors of a resource, without duplicates."""
        by_message: dict[str, FieldError] = {}
        for error in outcome.errors:
            by_message.setdefault(str(error), error)
        return (self._of(error, message) for message, error in by_message.items())

    def warnings(self, outcome: ObjectResult) -> Iterator[Diagnostic]:
        """Yield the errors that are only warnings because the value is unchanged."""
        for error in outcome.warnings:
            yield replace(self._of(error, str(error)), kind="warning", severity="warning")

    def finalizers(self, sent: dict[str, Any], old: dict[str, Any] | None) -> Iterator[Diagnostic]:
        """Yield the server's warnings about finalizers, each at the finalizer that it is about."""
        warnings = list(self.definition.validator(self.version).finalizer_warnings(sent, old))
        if not warnings:
            return
        finalizers = [text or "" for text in sent["metadata"]["finalizers"]]  # a null is read as ""
        for finalizer, message in warnings:
            path = _FINALIZERS.index(finalizers.index(finalizer))
            span = self.locator.span_of(self.locator.find(path))
            finding = diagnostic(
                self.file,
                "warning",
                rules.FINALIZER.id,
                message,
                span,
            )
            name = finalizer if len(finalizer) <= _LONGEST else f"{finalizer[:_LONGEST]}..."
            headline = f"finalizer `{name}` has no domain, or is no valid name"
            yield replace(finding, field=str(path), headline=headline)

    def disagreement(self, disagreement: Disagreement) -> Diagnostic:
        """Return the finding that cel-python evaluates a rule to another result."""
        path = disagreement.cause.self_path or NIL
        message = f"crdlint evaluates the rule to {disagreement.ours}, cel-python to {disagreement.theirs}"
        span = self.locator.span_of(self.locator.find(path))
        finding = diagnostic(
            self.file,
            "advice",
            rules.SECOND_OPINION.id,
            message,
            span,
        )
        related = _rule_position(disagreement.cause, "", self.definition)
        return replace(finding, field=str(path), related=related)

    def undecoded(self, error: NotDecodedError) -> Diagnostic:
        """Return the finding that an object cannot be decoded, at the field of its metadata that is the cause."""
        _, location = self.undecoded_field(error)
        named = error.metadata
        span = self.locator.span_of(location)
        finding = diagnostic(
            self.file,
            "decode",
            rules.DECODE.id,
            str(error),
            span,
        )
        if named is None:
            return self._fixed(finding, Mistake(location.node))
        if named.go_type == "string" and named.json_type in _SCALARS:
            text = f': "{location.node.value}"' if isinstance(location.node, Scalar) else ""
            help_ = f"Write it in quotes, since YAML reads it as {_SCALARS[named.json_type]}{text}"
            finding = replace(finding, help=help_)
        return self._fixed(finding, Mistake(location.node, expected=named.go_type))

    def not_applied(
        self, rejection: ApplyRejection, placeholders: Placeholders | None = None
    ) -> Iterator[Diagnostic]:
        """Yield the findings of an object that server-side apply does not accept, except for placeholders.

        The first has the server's message, which contains those of the others.
        """
        if not rejection.errors:
            location = self.locator.find(rejection.path or NIL)
            headline = rejection.summary or rejection.text
            finding = self._not_applied(rejection.text, self.locator.span_of(location), headline)
            is_of_server = str(rejection.path) in _OF_SERVER
            yield replace(finding, help=_HELP_OF_SERVER) if is_of_server else finding
            return
        full_message: str | None = rejection.text
        for error in rejection.errors:
            location = self.locator.find(error.path or NIL)
            if placeholders is not None and _is_free(error, location, placeholders):
                continue
            message = f"{rejection.start}{error}"
            span = self.locator.span_of(location, key=error.expected == "nothing")
            finding = self._not_applied(message, span, _headline_of_typed(error))
            finding = replace(finding, hidden=error.hidden)
            if full_message != message:
                finding = replace(finding, server_message=full_message)
            yield finding
            full_message = ""

    def _not_applied(self, message: str, span: Span, headline: str) -> Diagnostic:
        finding = diagnostic(self.file, "decode", APPLY.id, message, span)
        return replace(
            finding,
            origin="apiserver",
            severity="error",
            headline=headlines.cut(headline),
        )

    def only_applied(self, finding: Diagnostic, severity: Severity) -> Diagnostic:
        """Return a finding of server-side apply as one about an object that create accepts."""
        return self._of_some(
            finding,
            severity,
            "server-side apply",
            _HELP_FOR_NULL,
        )

    def only_without_nulls(self, finding: Diagnostic, severity: Severity) -> Diagnostic:
        """Return a finding of client-side apply as one about an object that create accepts."""
        return self._of_some(
            finding,
            severity,
            "client-side apply",
            _HELP_FOR_DROPPED,
        )

    def _of_some(
        self,
        finding: Diagnostic,
        severity: Severity,
        apply: str,
        help_for_null: str,
    ) -> Diagnostic:
        """Return a finding of a way to apply an object as one about an object that create accepts."""
        location = self.locator.find_text(finding.field) if finding.field else None
        is_null = finding.kind == "field" and location is not None and _is_null(location.node)
        what = f"`{finding.field}` is null" if is_null else finding.headline
        has_only_comments = is_null and self._has_only_comments(finding.field)
        return replace(
            finding,
            origin="crdlint",
            kind="advice",
            rule=APPLY.id,
            severity=severity,
            help=help_for_null if is_null else finding.help,
            headline=headlines.cut(f"{apply} rejects this object: {what}"),
            server_message=None,
            fix=None,
            cause=ONLY_COMMENTS if has_only_comments else finding.cause,
        )

    def _has_only_comments(self, field: str) -> bool:
        """Return whether the lines of a null below its key are comments."""
        location = self.locator.find_text(field)
        start = (location.key or location.node).start_mark.index
        _, *below = block_of(self.locator.text, start).split("\n")
        if below:
            return all(line.lstrip().startswith("#") for line in below)
        return _is_field_in_comment(_line_after(self.locator.text, start))

    def _fixed(
        self, finding: Diagnostic, mistake: Mistake, error: FieldError | None = None
    ) -> Diagnostic:
        """Return a finding with its fix, if there is one."""
        manifest, rule = self.manifest, finding.rule
        if error is None:
            advisory = Advisory(finding.message, NIL, subject=mistake)
            return self.fixes.add(finding, AdviceFinding(manifest, rule, advisory))
        error = error._replace(path=error.at or error.path, subject=mistake)
        return self.fixes.add(finding, FieldFinding(manifest, rule, error))

    def undecoded_field(self, error: NotDecodedError) -> tuple[str, SourceLocation]:
        """Return the metadata field that cannot be decoded, empty for the whole metadata, and the location of its value."""
        named = error.metadata
        if named is None or not named.field:
            return "", self.locator.find_text("metadata")
        location = self.locator.find_text(f"metadata.{named.field}")
        if named.go_type == "string":
            location = _first_mistyped(location)
        return named.field.partition(".")[0], location

    def _of(self, error: FieldError, message: str) -> Diagnostic:
        path = error.at or error.path
        location = self._location(error, path)
        named = error
        if str(path) == "metadata.name" and text_of(location.key) == "generateName":
            named = error._replace(
                path=Path("generateName", path.parent), value=text_of(location.node)
            )
        schema = value_schema(self.definition.validator(self.version).schema, _steps(path))
        finding = catalog.get(error.rule).diagnostic_of(
            error,
            message,
            self.locator.span_of(location),
            file=self.file,
        )
        help_ = self._help(named, location, schema)
        finding = replace(finding, help=help_ or finding.help, related=self._rule_of(error))
        if error.value in _NULLS and location.exact and _is_empty(location.node):
            return _of_emptied(finding, path)
        finding = _of_collection(finding, error, location)
        if error.type == REQUIRED:
            finding = self._of_null(replace(finding, lacks=self._lacking(path)), path)
            # What a fix changes is the object that lacks the field.
            location = self.locator.find(path.parent or path)
        return self._fixed_value(finding, error, named, location, schema)

    def _help(
        self, error: FieldError, location: SourceLocation, schema: JSONSchemaProps | None
    ) -> str | None:
        if self._is_status_required(error):
            return _REQUIRED_STATUS
        kind = self.definition.crd.spec.names.kind
        return attempt(_help_of_error, error, location, schema, kind)

    def _is_status_required(self, error: FieldError) -> bool:
        has_status = self.definition.validator(self.version).has_status
        return error.type == REQUIRED and str(error.path) == "status" and has_status

    def _rule_of(self, error: FieldError) -> Related | None:
        """Return the position of the rule that an object breaks."""
        cause = error.cause
        return None if cause is None else _rule_position(cause, error.detail, self.definition)

    def _lacking(self, path: Path) -> str:
        """Return the object of a required field and its name, see `Diagnostic.lacks`; empty if the object is not written."""
        if path.parent is None:
            return lacking(self.locator.root, str(path.step))
        owner = self.locator.find(path.parent)
        return lacking(owner.node, str(path.step)) if owner.exact else ""

    def _of_null(self, finding: Diagnostic, path: Path) -> Diagnostic:
        """Return the finding of a required field, which may be there without a value: a null is dropped."""
        written = self.locator.find(path)
        if not written.exact or not _is_null(written.node):
            return finding
        headline = f"`{path.step}` is null, which is dropped, but it is required"
        return replace(
            finding,
            headline=headlines.cut(headline),
            help=_GIVE_A_VALUE,
            lacks=lacking(written.node, ""),
            cause=NO_VALUE if self._has_comment(written) else finding.cause,
        )

    def _has_comment(self, location: SourceLocation) -> bool:
        """Return whether a comment is behind a field without a value, as in `tag: # the newest tag`."""
        text, start = self.locator.text, (location.key or location.node).start_mark.index
        _, _, behind = text[start:].partition("\n")[0].partition(":")
        return behind.lstrip().startswith("#")

    def _fixed_value(
        self,
        finding: Diagnostic,
        error: FieldError,
        named: FieldError,
        location: SourceLocation,
        schema: JSONSchemaProps | None,
    ) -> Diagnostic:
        """Return the finding of a value with its fix, if there is one."""
        if not location.exact:
            return finding
        reason = error.reason
        arguments = () if reason is None else reason.arguments
        allowed = arguments if error.type == NOT_SUPPORTED else ()
        words = tuple(word for word in allowed if isinstance(word, str))
        is_of_type = reason is not None and reason.code is Code.TYPE
        expected = str(arguments[0]) if is_of_type else ""
        valid = _valid_name(named) or ""
        mistake = Mistake(
            location.node,
            words,
            valid,
            expected,
            schema or ANYTHING,
        )
        return self._fixed(finding, mistake, error)

    def is_of_crd(self, error: FieldError) -> bool:
        """Return whether the CRD causes an error: a rule that does not compile, an unknown type, an invalid pattern or default."""
        if not self.definition.errors:
            return False
        if error.cause is not None:
            return error.cause.expr is None
        path = error.at or error.path
        schema = value_schema(self.definition.validator(self.version).schema, _steps(path))
        if schema is None or error.type not in {INVALID, NOT_SUPPORTED, TYPE_INVALID}:
            return False
        from crdlint.golang.regexp import compile_error  # most CRDs are accepted

        if schema.type not in ("", *TYPES) or compile_error(schema.pattern) is not None:
            return True
        is_in_object = self.locator.find(path).exact
        return not is_in_object  # only the value of a default is not

    def _location(self, error: FieldError, path: Path) -> SourceLocation:
        location = self.locator.find(path)
        if error.rule != _METADATA or not isinstance(error.value, str):
            return location
        if location.exact:
            return _within(location, error.value)
        if str(path) == "metadata.name":  # the server generates it
            return self.locator.find_text("metadata.generateName")
        return location


def _is_empty(node: Node) -> bool:
    """Return whether a node is an object or a list without content."""
    return isinstance(node, (Mapping, List)) and not node.items


def _of_emptied(finding: Diagnostic, path: Path) -> Diagnostic:
    """Return the finding of a collection that is null, since server-side apply removes the last of what it had."""
    headline = f"`{path.step}` becomes null, because what it had before is removed"
    help_ = f"Remove `{path.step}`, or keep a part of it"
    return replace(finding, headline=headlines.cut(headline), help=help_)


class _Mistyped(NamedTuple):
    """A value of the wrong type: its path, the name of its field, and the type that the schema has."""

    path: str
    name: str
    expected: str


def _is_other_collection(node: Node, expected: str) -> bool:
    """Return whether a node is a list or an object although a value of another type is expected."""
    if isinstance(node, List):
        return expected != "array"
    return isinstance(node, Mapping) and expected != "object"


def _of_collection(finding: Diagnostic, error: FieldError, location: SourceLocation) -> Diagnostic:
    """Return the finding of a list or an object in the place of a text with a format, which the server prints as empty."""
    reason = error.reason
    is_collection = location.exact and isinstance(location.node, (Mapping, List))
    if not is_collection or reason is None or reason.code is not Code.FORMAT:
        return finding
    (format_,) = reason.arguments
    kind = "a list" if isinstance(location.node, List) else "an object"
    name = str(error.path).rpartition(".")[2]
    headline = f"`{name}` must be a text with the format `{format_}`, not {kind}"
    return replace(
        finding,
        headline=headlines.cut(headline),
        help=f"Write a text with the format `{format_}`",
    )


def _is_free(error: TypedError, location: SourceLocation, placeholders: Placeholders) -> bool:
    """Return whether an error is about a placeholder, which represents any value or field."""
    is_unknown = error.expected == "nothing" and error.path is not None
    if is_unknown and placeholders.is_key(location, _step_of(error)):
        return True
    if error.expected in _NO_TEXTS and placeholders.is_in_capitals(location):
        return True
    return placeholders.is_left_empty(location) or placeholders.is_within(location)


_NO_TEXTS: Final = ("numeric", "boolean")


def _step_of(error: TypedError) -> str:
    """Return the last step of the path of an error, empty for the whole object."""
    return "" if error.path is None else str(error.path.step)


def _is_null(node: Node) -> bool:
    return isinstance(node, Scalar) and resolve(node) is None


def _headline_of_typed(error: TypedError) -> str:
    if error.expected == "nothing":
        parent = None if error.path is None else error.path.parent
        return headlines.of_unknown(_step_of(error), "" if parent is None else str(parent), None)
    field = f"`{error.printed.removeprefix('.')}`"
    if not error.expected:
        return f"{field} {error.reason}"
    return f"{field} must be {_EXPECTED[error.expected]}"


_EXPECTED: Final = {
    "string": "a string",
    "numeric": "a number",
    "boolean": "`true` or `false`",
    "untyped": "a scalar",
    "list": "a list",
    "map": "a mapping",
}


def _steps(path: Path) -> Iterator[str]:
    for step in path.steps():
        is_printed = step.__class__ is str and ("." in str(step) or "[" in str(step))
        yield from steps_of(str(step)) if is_printed else (str(step),)


def _within(location: SourceLocation, value: str) -> SourceLocation:
    """Return the key or item with the bad value if the error names only the value, else the map or list."""
    node, key = location.node, location.key
    named = entries(node) if isinstance(node, Mapping) else []
    parts: list[tuple[str | None, Node, Node | None]] = []  # the text, the node and its key
    if isinstance(key, Scalar) and getattr(node, "value", None) != value:
        parts.append((key.value, key, None))
    parts += [(name, named_key, None) for name, named_key, _ in named]
    parts += [(text_of(item), item, item_key) for _, item_key, item in named]
    parts += [(text_of(item), item, None) for item in items_of(node)]
    for text, part, of in parts:
        if text == value:
            return SourceLocation(part, of, exact=True)
    return location


def _first_mistyped(location: SourceLocation) -> SourceLocation:
    """Return the first value of a map that is not a string, in the order in which the server decodes them."""
    named = entries(location.node) if isinstance(location.node, Mapping) else []
    for _, key, item in sorted(named, key=lambda entry: entry[0]):
        is_text = isinstance(item, Scalar) and isinstance(resolve(item), (str, type(None)))
        if not is_text:
            return SourceLocation(item, key, exact=True)
    return location


def _rule_position(cause: BrokenRule, message: str, definition: Definition) -> Related | None:
    """Return the position of a rule in its CRD, labelled with its text unless the message contains it."""
    if cause.rule.node is None:
        return None
    entry: tuple[Node, Node] | None = cause.rule.node.find("rule")
    if entry is None:
        return None
    span = definition.locator.span_of(SourceLocation(entry[1], None, exact=True))
    text = " ".join(cause.rule.rule.split())
    if len(text) > _LONGEST_RULE:
        text = f"{text[: _LONGEST_RULE - 1]}…"
    label = "rule" if text in message else f"rule `{text}`"
    return Related(label, definition.file, span.line, span.column)


def _help_of_error(
    error: FieldError,
    location: SourceLocation,
    schema: JSONSchemaProps | None,
    kind: str,
) -> str | None:
    """Return the help for an error, None for that of its rule; `schema` is that of the value or of the missing field."""
    if error.help:
        return error.help
    if error.cause is not None:
        return _of_rule(error, error.cause.rule)
    if str(error.path).startswith("metadata."):
        return _of_metadata(error, kind)
    sample = _sample(schema or ANYTHING) if error.type == REQUIRED else None
    if sample is not None:
        return OneCommand(f"Add `{as_key(str((error.at or error.path).step))}: {sample}`")
    return _by_code(error, location, schema) or _suggestion(error, schema)


def _by_code(
    error: FieldError, location: SourceLocation, schema: JSONSchemaProps | None
) -> str | None:
    """Return the help for the reason of an error."""
    find = None if error.reason is None else _BY_CODE.get(error.reason.code)
    return find and find(error.reason, location.node if location.exact else None, schema)


def _suggestion(error: FieldError, schema: JSONSchemaProps | None) -> str | None:
    has_text = error.type != NOT_SUPPORTED or not isinstance(error.value, (dict, list))
    return suggestion(error, schema) if has_text else None


class _OtherPlace(NamedTuple):
    """How to move a field to another object, empty if it belongs to none, and what this lacks, see `Diagnostic.lacks`."""

    help: str = ""
    lacks: str = ""


class _UnknownField(NamedTuple):
    """An unknown field: its path and name, what may be meant, the object that has it, and the one around that."""

    path: str
    name: str
    mistake: Mistake
    owner: Node | None
    around: Node | None

    def described(self, finding: Diagnostic) -> Diagnostic:
        """Return the finding with its help, and with what relates it to others."""
        return replace(
            finding,
            help=attempt(self.help) or finding.help,
            lacks=attempt(self.intended) or "",
            cause=f"remove {self.path}" if attempt(self.is_of_no_object) else "",
        )

    def help(self) -> str:
        """Return what to write instead: a field that is meant, another place, or the list of fields."""
        name, fields = self.name, [*self.mistake.words]
        if name in fields:
            read = self.path.rpartition(".")[2]
            return f'Write `"{name}"`: without quotes, YAML reads it as `{read}`'
        near = self._near(fields)
        if near is not None and child(self.owner, near.name) is not None:
            return f"Remove `{name}`: `{near.name}` is set here already"
        if near is not None and near.is_known:
            return OneCommand(f"Write `{as_key(near.name)}` instead")
        if self.path.startswith("metadata."):
            return f"Remove `{name}`; use an annotation for data of your own"
        return self._other_place().help or self._without(near)

    def intended(self) -> str:
        """Return the object and the name in it that the field is meant to have, see `Diagnostic.lacks`; empty if unknown."""
        name, owner = self.name, self.owner
        near = self._near([*self.mistake.words])
        if owner is None or name in self.mistake.words:
            return ""
        if near is not None:
            return lacking(owner, near.name)
        required = self._required_instead()
        as_required = "" if required is None else lacking(owner, required)
        return self._other_place().lacks or as_required

    def is_of_no_object(self) -> bool:
        """Return whether no field is meant by it, here or in the objects around."""
        fields = [*self.mistake.words]
        is_known = self.name in fields or self._near(fields) is not None
        return not (is_known or self._other_place().help or self._required_instead())

    def _required_instead(self) -> str | None:
        """Return the only required field that the object lacks, which the value under another name probably is.

        None if the value has another type, if the object has further unknown fields, or if it is a scalar whose name has no
        word of the required field.
        """
        owner, fields = self.owner, set(self.mistake.words)
        if not isinstance(owner, Mapping):
            return None
        written = {text_of(key) for key, _ in owner.pairs()}
        missing = [name for name in self.mistake.schema.required if name not in written]
        is_alone = len(written - fields) == 1
        is_one = is_alone and len(missing) == 1 and missing[0] in self.mistake.fitting
        if not is_one or missing[0] not in self._properties():
            return None
        is_scalar = isinstance(child(owner, self.name), Scalar)
        return None if is_scalar and not has_words_of(self.name, missing[0]) else missing[0]

    def _near(self, fields: list[str]) -> SimilarName | None:
        fitting = name_meant(self.name, self.mistake.fitting, typed=True)
        return meant(self.name, fields) if fitting is None else SimilarName(fitting, is_known=True)

    def _other_place(self) -> _OtherPlace:
        """Return how to move the field into or out of its object, where nothing is set yet."""
        name, owner, around, inner = self.name, self.owner, self.around, self._inner()
        if inner is not None and owner is not None:
            value = child(owner, inner)
            lacks = lacking(owner, inner) if value is None else lacking(value, name)
            return _OtherPlace(f"Indent it: `{name}` is a field of `{inner}`", lacks)
        below = self._required_below()
        if below is not None:
            help_ = f"Move it to `{below.path}`, which requires `{name}`"
            return _OtherPlace(help_, lacking(below.node, name))
        if self._inners():
            fields = listed(self._inners())
            return _OtherPlace(
                f"Move `{name}` into the object that it is for: it is a field of {fields}"
            )
        is_of_outer = name in self.mistake.outer.properties and child(around, name) is None
        if around is not None and is_of_outer:
            help_ = (
                f"Move it one level up: `{name}` is a field of the object that contains this one"
            )
            return _OtherPlace(help_, lacking(around, name))
        return _OtherPlace()

    def _inner(self) -> str | None:
        """Return the only object beside the field that has such a field, of several the only one that is written."""
        inners = self._inners()
        written = [inner for inner in inners if child(self.owner, inner) is not None]
        possible = written or inners
        return only(possible)

    def _inners(self) -> list[str]:
        """Return the objects beside the field that have such a field, in which it is not set yet."""
        properties = sorted(self._properties().items())
        inners = [name for name, schema in properties if self.name in schema.properties]
        return [name for name in inners if child(self.owner, name, self.name) is None]

    def _required_below(self) -> _Below | None:
        """Return the only object, of those in the one with the field, that lacks the field although it requires it."""
        written = child(self.owner, self.name)
        value = None if written is None else to_json(written)
        below = islice(_objects_below(self.owner, self.mistake.schema), _MOST_BELOW)
        return only([each for each in below if each.requires(self.name, value)])

    def _properties(self) -> MappingOf[str, JSONSchemaProps]:
        return self.mistake.schema.properties

    def _without(self, near: SimilarName | None) -> str:
        """Return the help to remove the field, with the fields that the object may have."""
        name, properties = self.name, self._properties()
        schema = self.mistake.schema
        alternatives = (*schema.all_of, *schema.any_of, *schema.one_of)
        if any(name in each.properties for each in alternatives):
            return (
                f"Fix the CRD: add `{name}` to `properties` beside the alternatives that have it, "
                "since the API server drops fields that only alternatives have"
            )
        if not properties:
            return f"Remove `{name}`: the schema specifies no fields here"
        start = f"Remove `{name}`; "
        required = self._required_instead()
        if required is not None:
            start = f"Did you mean `{as_key(required)}`, which is required? Otherwise, remove `{name}`: "
        if near is not None:
            start = f"Did you mean `{as_key(near.name)}`? Otherwise, remove `{name}`: "
        return f"{start}the fields here are {listed(sorted(properties))}"


class _Below(NamedTuple):
    """An object in another one: its path from there, its node and its schema."""

    path: str
    node: Node
    schema: JSONSchemaProps

    def requires(self, name: str, value: Any) -> bool:
        """Return whether the object lacks a field that it requires, and for which a value has the right type."""
        own = self.schema.properties.get(name)
        is_missing = name in self.schema.required and child(self.node, name) is None
        return is_missing and own is not None and fits(value, own)


def _objects_below(node: Node | None, schema: JSONSchemaProps) -> Iterator[_Below]:
    """Yield the objects in the fields of an object, and in those of these."""
    pending = [_Below("", node, schema)] if node is not None else []
    while pending:
        outer = pending.pop()
        for name, own in outer.schema.properties.items():
            inner = child(outer.node, name)
            if isinstance(inner, Mapping):
                below = _Below(f"{outer.path}.{name}".lstrip("."), inner, own)
                pending.append(below)
                yield below


def _fitting(names: Iterable[str], schema: JSONSchemaProps, node: Node | None) -> list[str]:
    """Return the names of fields that have the type of a value, or no type that is known."""
    value = None if node is None else to_json(node)
    properties = schema.properties
    return [name for name in names if name not in properties or fits(value, properties[name])]


def _of_rule(error: FieldError, rule: ValidationRule) -> str | None:
    match error.reason:
        case Reason(code=Code.OUT_OF_BUDGET):
            return (
                "Shorten the lists and strings that the rule reads; `crdlint cost` shows its cost"
            )
        case Reason(code=Code.NO_KEY, arguments=(key,)):
            return f"Set `{key}`, or make the rule in the CRD check `has(...{key})` first"
        case Reason(code=Code.RULE_FAILED | Code.EVALUATION_FAILED):
            return "Fix the rule in the CRD: it cannot be evaluated for this value"
    # Another one may reject a new object.
    is_of_update = "oldSelf" in rule.rule and not rule.optional_old_self
    return "Restore the previous value, or create a new object" if is_of_update else None


def _of_metadata(error: FieldError, kind: str) -> str | None:
    if error.type == REQUIRED:
        field = str(error.path).removeprefix("metadata.")
        shown = {"name": f"name: my-{kind.lower()}"}.get(field, field)
        return f"Add `{shown}` to metadata"
    valid = _valid_name(error)
    return OneCommand(f"Write `{valid}`") if valid else None


def _valid_name(error: FieldError) -> str | None:
    """Return the name that the text of an error about metadata probably means, or None if it has no such name."""
    value = error.value
    if not isinstance(value, str) or error.rule != _METADATA or error.type == REQUIRED:
        return None
    of_field = _VALID_NAMES.get(str(error.path).removeprefix("metadata."))
    valid = value if of_field is None else of_field(value)
    if valid == value or len(valid) > _LONGEST:
        return None
    return valid or None


def _valid_subdomain(value: str) -> str:
    return _valid_prefix(value).rstrip("-.")


def _valid_prefix(value: str) -> str:
    """Return the valid start of a generated name: `a-` is a good one."""
    return _NOT_A_NAME.sub("-", value.lower()).lstrip("-.").rstrip(".")


def _valid_label(value: str) -> str:
    return "/".join(_NOT_A_LABEL.sub("-", part).strip("-._") for part in value.split("/"))


_VALID_NAMES: Final[dict[str, Callable[[str], str]]] = {
    "name": _valid_subdomain,
    "namespace": lambda value: _valid_subdomain(value).replace(".", "-"),
    "generateName": _valid_prefix,
    "labels": _valid_label,
}


def _known_fields(steps: list[str], parent: JSONSchemaProps) -> Iterable[str]:
    """Return the fields that an object may have, whose path and schema are given."""
    if steps[:1] != ["metadata"]:
        return parent.properties
    of: GoType | None = OBJECT_META
    for step in steps[1:]:
        of = of and (of.element if of.kind == "slice" else of.below(step))
    return () if of is None else of.fields


def _sample(schema: JSONSchemaProps) -> str | None:
    """Return a valid value for a schema that restricts its values, or None if any value of its type is valid."""
    if schema.enum:
        return written(schema.enum[0])
    if schema.type == "string":
        return SAMPLES.get(schema.format)
    minimum = schema.minimum or 0
    if schema.type not in {"integer", "number"} or minimum <= 1:
        return None
    least = minimum + schema.exclusive_minimum
    return str(int(least)) if float(least).is_integer() else str(least)


def _mistyped(reason: Reason, node: Node | None, schema: JSONSchemaProps | None) -> str | None:
    expected, actual = reason.arguments
    if not isinstance(node, Scalar):
        return None
    text: str = node.value
    match expected:
        case "string":
            is_unquoted = actual in _UNQUOTED and is_short(text)
            return f'Write it in quotes: "{text}"' if is_unquoted else None
        case "array":
            return None if actual == "null" else _list_help(text, schema or ANYTHING)
        case "integer" if actual == "number":
            return _integer_help(node)
    is_scalar = expected in _UNQUOTED and actual in {"string", "integer"}
    return _other_scalar(text, expected, actual) if is_scalar else None


def _list_help(text: str, of_list: JSONSchemaProps) -> str | None:
    """Return the help for a scalar instead of a list, None for one that is too long to be quoted."""
    if not is_short(text):
        return None
    if is_item(text, of_list):
        return f"Write it as a list: `[{text}]`"
    return f"Replace `{text}` with a list"


# The types whose values are written without quotes.
_UNQUOTED: Final = frozenset({"integer", "number", "boolean"})


def _other_scalar(text: str, expected: str, actual: str) -> str:
    """Return the help for a text or an integer instead of a number or a boolean."""
    if actual == "string" and plain_value(text, expected) is not None:
        return f"Write it without quotes: `{text}`"
    if expected == "boolean" and text in {"0", "1"}:
        return OneCommand(f"Write `{'true' if text == '1' else 'false'}`")
    return Sample(f"Write {_NOUNS[expected]}")


def _unformatted(reason: Reason, node: Node | None, _schema: JSONSchemaProps | None) -> str | None:
    (format_,) = reason.arguments
    if not isinstance(node, Scalar) or format_ not in SAMPLES:
        return None
    return Sample(f"Write a value of the format `{format_}`, such as `{SAMPLES[format_]}`")


def _out_of_range(reason: Reason, node: Node | None, _schema: JSONSchemaProps | None) -> str | None:
    type_, format_ = reason.arguments
    return _integer_help(node, format_) if type_ == "integer" and isinstance(node, Scalar) else None


def _integer_help(node: Any, format_: str = "") -> str:
    value = resolve(node)
    low, high = integer_range(format_)
    if isinstance(value, float) and abs(value) < 2**53 and low <= round(value) <= high:
        return Sample(f"Write an integer, such as `{round(value)}`")
    return f"Write an integer from {low} to {high}"


def _alternatives(reason: Reason, _node: Node | None, schema: JSONSchemaProps | None) -> str | None:
    """List the fields that the alternatives require, or return None if they contain other keywords."""
    schema = schema or ANYTHING
    number, schemas = "at least", schema.any_of
    if reason.code is Code.ONE_OF:
        number, schemas = "exactly", schema.one_of
    required = [" and ".join(f"`{name}`" for name in each.required) for each in schemas]
    if not required or not all(required):
        return None
    return f"Set {number} one of {', '.join(required)}"


_NOUNS: Final = {
    "integer": "an integer, such as `1`",
    "number": "a number, such as `1.5`",
    "boolean": "`true` or `false`",
    "string": "a string",
    "object": "an object",
    "array": "a list",
}
_BY_CODE: Final[dict[Code, Callable[..., str | None]]] = {
    Code.TYPE: _mistyped,
    Code.FORMAT: _unformatted,
    Code.RANGE: _out_of_range,
    Code.NO_MAP_ITEM: lambda *_: Sample(
        "Write each item as an object with the list's keys, such as `- name: ...`"
    ),
    Code.ONE_OF: _alternatives,
    Code.ANY_OF: _alternatives,
}
