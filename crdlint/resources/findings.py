"""Diagnostics for the server's errors about one resource, positioned in the user's file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import INVALID, NOT_SUPPORTED, REQUIRED, TYPE_INVALID
from crdlint.crd.paths import NIL
from crdlint.crd.positions import SourceLocation
from crdlint.diagnostics.diagnostic import Related
from crdlint.golang.regexp import compile_error
from crdlint.golang.text import quote
from crdlint.resources.hints import of_error, of_unknown
from crdlint.rules import catalog
from crdlint.rules.engine import headlines
from crdlint.safety.bugs import attempt
from crdlint.schema.structural import TYPES
from crdlint.schema.traversal import value_schema
from crdlint.schema.value_help import steps_of
from crdlint.yaml.nodes import Mapping, Scalar, Sequence
from crdlint.yaml.resolve import resolve
from crdlint.yaml.values import entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.errors import Cause, FieldError
    from crdlint.crd.paths import Path
    from crdlint.crd.positions import Span
    from crdlint.diagnostics.diagnostic import Diagnostic, Kind
    from crdlint.kubecel.second_opinion import Disagreement
    from crdlint.resources.definitions import Definition
    from crdlint.resources.placeholders import Placeholders
    from crdlint.resources.places import ResourceLocator
    from crdlint.resources.validation import NotDecodedError, Outcome
    from crdlint.yaml.nodes import Node

_METADATA: Final = "resource-metadata"
_REQUIRED_STATUS: Final = "Remove `status` from `required` in the CRD: the API server drops the status of new objects"
_LONGEST_RULE: Final = 100  # the maximum number of characters of a rule in the label of its position
_SCALARS: Final = {"bool": "a boolean", "number": "a number"}


def diagnostic(file: str, kind: Kind, rule: str, message: str, span: Span, help_: str | None = None) -> Diagnostic:
    """Create a finding of the rule with an id; without `help_`, it has the help of the rule."""
    return catalog.get(rule).diagnostic(file, kind, message, span, help_)


@dataclass(frozen=True, slots=True)
class Findings:
    """Creates the diagnostics of one resource."""

    definition: Definition
    version: str
    locator: ResourceLocator
    file: str

    def unknown(self, outcome: Outcome, placeholders: Placeholders) -> Iterator[Diagnostic]:
        """Yield the fields that the server does not know, at their keys, except for placeholders."""
        schema = self.definition.schema(self.version)
        for path in outcome.unknown:
            location = self.locator.find_text(path)
            name = (
                location.key.value if location.exact and isinstance(location.key, Scalar) else path.rpartition(".")[2]
            )
            if placeholders.is_key(location, name):
                continue
            above_steps = steps_of(path[: -len(name) or None])
            help_ = attempt(
                of_unknown,
                path,
                value_schema(schema, above_steps),
                name,
                value_schema(schema, above_steps[:-1]) if above_steps else None,
            )
            span = self.locator.span_of(location, key=True)
            headline = headlines.of_unknown(name, path.removesuffix(name), None)
            message = f"unknown field {quote(path)}"
            yield replace(diagnostic(self.file, "strict", "unknown-field", message, span, help_), headline=headline)

    def errors(self, outcome: Outcome) -> Iterator[Diagnostic]:
        """Yield the errors of a resource, without duplicates."""
        seen: set[str] = set()
        for error in outcome.errors:
            message = str(error)
            if message not in seen:
                seen.add(message)
                yield self._of(error, message)

    def warnings(self, outcome: Outcome) -> Iterator[Diagnostic]:
        """Yield the errors that are only warnings because the value is unchanged."""
        for error in outcome.warnings:
            yield replace(self._of(error, str(error)), kind="warning", severity="warning")

    def disagreement(self, disagreement: Disagreement) -> Diagnostic:
        """Return the finding that cel-python evaluates a rule to another result."""
        path = disagreement.cause.self_path or NIL
        message = f"crdlint evaluates the rule to {disagreement.ours}, cel-python to {disagreement.theirs}"
        made = diagnostic(
            self.file, "advice", "resource-second-opinion", message, self.locator.span_of(self.locator.find(path))
        )
        return replace(made, field=str(path), related=_rule_place(disagreement.cause, "", self.definition))

    def undecoded(self, error: NotDecodedError) -> Diagnostic:
        """Return the finding that an object cannot be decoded, at the field of its metadata that is the cause."""
        named = error.metadata
        _, location = self.undecoded_field(error)
        help_ = None
        if named is not None and named.go_type == "string" and named.json_type in _SCALARS:
            text = f': "{location.node.value}"' if isinstance(location.node, Scalar) else ""
            help_ = f"Write it in quotes, since YAML reads it as {_SCALARS[named.json_type]}{text}"
        span = self.locator.span_of(location)
        return diagnostic(self.file, "decode", "resource-decode", str(error), span, help_)

    def undecoded_field(self, error: NotDecodedError) -> tuple[str, SourceLocation]:
        """Return the metadata field that cannot be decoded, empty for the whole metadata, and the location of its value."""
        named = error.metadata
        if named is None or not named.field:
            return "", self.locator.find_text("metadata")
        location = self.locator.find_text(f"metadata.{named.field}")
        return named.field.partition(".")[0], _first_mistyped(location) if named.go_type == "string" else location

    def _of(self, error: FieldError, message: str) -> Diagnostic:
        path = error.at or error.path
        location = self._location(error, path)
        schema = value_schema(self.definition.schema(self.version), _steps(path))
        if error.type == REQUIRED and str(error.path) == "status" and self.definition.has_status(self.version):
            help_: str | None = _REQUIRED_STATUS
        else:
            help_ = attempt(of_error, error, location, schema, self.definition.crd.spec.names.kind)
        related = None if error.cause is None else _rule_place(error.cause, error.detail, self.definition)
        span = self.locator.span_of(location)
        finding = catalog.get(error.rule).diagnostic_of(error, message, span, file=self.file)
        return replace(finding, help=help_ or finding.help, related=related)

    def is_of_crd(self, error: FieldError) -> bool:
        """Return whether a defect of the CRD itself causes an error.

        Such defects are a rule that does not compile, an unknown type, an invalid pattern, or an invalid default.
        """
        if not self.definition.errors:
            return False
        if error.cause is not None:
            return error.cause.expr is None
        path = error.at or error.path
        schema = value_schema(self.definition.schema(self.version), _steps(path))
        if schema is None or error.type not in {INVALID, NOT_SUPPORTED, TYPE_INVALID}:
            return False
        if schema.type not in ("", *TYPES) or compile_error(schema.pattern) is not None:
            return True
        return not self.locator.find(path).exact  # only the value of a default does not exist in the object

    def _location(self, error: FieldError, path: Path) -> SourceLocation:
        location = self.locator.find(path)
        if error.rule != _METADATA or not isinstance(error.value, str):
            return location
        if location.exact:
            return _within(location, error.value)
        if str(path) == "metadata.name":  # the server generates it
            return self.locator.find_text("metadata.generateName")
        return location


def _steps(path: Path) -> Iterator[str]:
    for step in path.steps():
        if step.__class__ is str:
            yield from steps_of(str(step)) if "." in str(step) or "[" in str(step) else (str(step),)
        else:
            yield str(step)


def _within(location: SourceLocation, value: str) -> SourceLocation:
    """Return the key or item with the bad value if the error names only the value, else the map or list."""
    node = location.node
    if isinstance(location.key, Scalar) and location.key.value == value and getattr(node, "value", None) != value:
        return SourceLocation(location.key, None, exact=True)
    if isinstance(node, Mapping):
        all_entries = entries(node)
        for name, key, _ in all_entries:
            if name == value:
                return SourceLocation(key, None, exact=True)
        for _, key, value_node in all_entries:
            if isinstance(value_node, Scalar) and value_node.value == value:
                return SourceLocation(value_node, key, exact=True)
    if isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Scalar) and item.value == value:
                return SourceLocation(item, None, exact=True)
    return location


def _first_mistyped(location: SourceLocation) -> SourceLocation:
    """Return the first value of a map that is not a string, in the order in which the server decodes them."""
    if isinstance(location.node, Mapping):
        for _, key, item in sorted(entries(location.node), key=lambda entry: entry[0]):
            if not isinstance(item, Scalar) or not isinstance(resolve(item), (str, type(None))):
                return SourceLocation(item, key, exact=True)
    return location


def _rule_place(cause: Cause, message: str, definition: Definition) -> Related | None:
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
