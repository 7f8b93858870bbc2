"""What the server says of one resource, as diagnostics at the user's own characters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import INVALID, NOT_SUPPORTED, TYPE_INVALID
from crdlint.crd.paths import printable
from crdlint.crd.positions import SourceLocation, node_span
from crdlint.diagnostics.diagnostic import Related
from crdlint.golang.regexp import compile_error
from crdlint.golang.text import quote
from crdlint.resources.hints import of_error, of_unknown
from crdlint.rules import catalog
from crdlint.schema.structural import TYPES
from crdlint.schema.value_help import schema_at, steps_of
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
_LONGEST_RULE: Final = 100  # characters of a rule that are repeated beside its place
_SCALARS: Final = {"bool": "a boolean", "number": "a number"}


def diagnostic(file: str, kind: Kind, rule: str, message: str, span: Span, help_: str | None = None) -> Diagnostic:
    """Make a finding of a rule, by its id; the rule's own help where none is closer."""
    return catalog.get(rule).diagnostic(file, kind, message, span, help_)


@dataclass(frozen=True, slots=True)
class Findings:
    """Makes the diagnostics of one resource."""

    definition: Definition
    version: str
    locator: ResourceLocator
    file: str

    def unknown(self, outcome: Outcome, placeholders: Placeholders) -> Iterator[Diagnostic]:
        """Yield the fields that the server does not know, at their keys, other than placeholders."""
        schema = self.definition.schema(self.version)
        for path in outcome.unknown:
            place = self.locator.find_text(path)
            name = place.key.value if place.exact and isinstance(place.key, Scalar) else path.rpartition(".")[2]
            if placeholders.is_key(place, name):
                continue
            above = steps_of(path[: -len(name) or None])
            help_ = of_unknown(path, schema_at(schema, above), name, schema_at(schema, above[:-1]) if above else None)
            span = self.locator.span_of(place, key=True)
            yield diagnostic(self.file, "strict", "unknown-field", f"unknown field {quote(path)}", span, help_)

    def errors(self, outcome: Outcome) -> Iterator[Diagnostic]:
        """Yield the errors of a resource, none twice."""
        seen: set[str] = set()
        for error in outcome.errors:
            message = str(error)
            if message not in seen:
                seen.add(message)
                yield self._of(error, message)

    def warnings(self, outcome: Outcome) -> Iterator[Diagnostic]:
        """Yield what the server only warns of, since the value is as it was."""
        for error in outcome.warnings:
            yield replace(self._of(error, str(error)), kind="warning", severity="warning")

    def disagreement(self, one: Disagreement) -> Diagnostic:
        """Return the finding that cel-python evaluates a rule to another result."""
        path = printable(one.cause.self_path)
        message = f"crdlint evaluates the rule to {one.ours}, cel-python to {one.theirs}"
        made = diagnostic(
            self.file, "advice", "resource-second-opinion", message, self.locator.span_of(self.locator.find(path))
        )
        return replace(made, field=str(path), related=_rule_place(one.cause, "", self.definition))

    def undecoded(self, error: NotDecodedError) -> Diagnostic:
        """Return the finding that an object is not even decoded, at the field of its metadata that is the reason."""
        named = error.metadata
        _, place = self.undecoded_field(error)
        help_ = None
        if named is not None and named.go_type == "string" and named.json_type in _SCALARS:
            text = f': "{place.node.value}"' if isinstance(place.node, Scalar) else ""
            help_ = f"Write it in quotes, since YAML reads it as {_SCALARS[named.json_type]}{text}"
        span = self.locator.span_of(place)
        return diagnostic(self.file, "decode", "resource-decode", str(error), span, help_)

    def undecoded_field(self, error: NotDecodedError) -> tuple[str, SourceLocation]:
        """Return the field of the metadata that is not decoded, empty for all of it, and the place of its value."""
        named = error.metadata
        if named is None or not named.field:
            return "", self.locator.find_text("metadata")
        place = self.locator.find_text(f"metadata.{named.field}")
        return named.field.partition(".")[0], _first_mistyped(place) if named.go_type == "string" else place

    def _of(self, error: FieldError, message: str) -> Diagnostic:
        path = error.at or error.path
        place = self._place(error, path)
        schema = schema_at(self.definition.schema(self.version), _steps(path))
        help_ = of_error(error, place, schema, self.definition.crd.spec.names.kind)
        related = None if error.cause is None else _rule_place(error.cause, error.detail, self.definition)
        span = self.locator.span_of(place)
        return catalog.get(error.rule).diagnostic_of(error, message, span, file=self.file, help=help_, related=related)

    def is_of_crd(self, error: FieldError) -> bool:
        """Return whether a part of the CRD that the server rejects causes an error.

        That is a rule that does not compile, an unknown type, an invalid pattern, or a default that does not fit.
        """
        if not self.definition.errors:
            return False
        if error.cause is not None:
            return error.cause.expr is None
        path = error.at or error.path
        schema = schema_at(self.definition.schema(self.version), _steps(path))
        if schema is None or error.type not in {INVALID, NOT_SUPPORTED, TYPE_INVALID}:
            return False
        if schema.type not in ("", *TYPES) or compile_error(schema.pattern) is not None:
            return True
        return not self.locator.find(path).exact  # only a default has a value that the object does not have

    def _place(self, error: FieldError, path: Path) -> SourceLocation:
        place = self.locator.find(path)
        if error.rule != _METADATA or not isinstance(error.value, str):
            return place
        if place.exact:
            return _within(place, error.value)
        if str(path) == "metadata.name":  # one that the server makes up
            return self.locator.find_text("metadata.generateName")
        return place


def _steps(path: Path) -> Iterator[str]:
    for step in path.steps():
        if step.__class__ is str:
            yield from steps_of(str(step)) if "." in str(step) or "[" in str(step) else (str(step),)
        else:
            yield str(step)


def _within(place: SourceLocation, value: str) -> SourceLocation:
    """Return the key or item that is the bad value, where the error only names its value, or the map or list it is in."""
    node = place.node
    if isinstance(place.key, Scalar) and place.key.value == value and getattr(node, "value", None) != value:
        return SourceLocation(place.key, None, exact=True)
    if isinstance(node, Mapping):
        found = entries(node)
        for name, key, _ in found:
            if name == value:
                return SourceLocation(key, None, exact=True)
        for _, key, held in found:
            if isinstance(held, Scalar) and held.value == value:
                return SourceLocation(held, key, exact=True)
    if isinstance(node, Sequence):
        for item in node.items:
            if isinstance(item, Scalar) and item.value == value:
                return SourceLocation(item, None, exact=True)
    return place


def _first_mistyped(place: SourceLocation) -> SourceLocation:
    """Return the first value of a map that is no text, in the order in which the server reads them."""
    if isinstance(place.node, Mapping):
        for _, key, held in sorted(entries(place.node), key=lambda entry: entry[0]):
            if not isinstance(held, Scalar) or not isinstance(resolve(held), (str, type(None))):
                return SourceLocation(held, key, exact=True)
    return place


def _rule_place(cause: Cause, message: str, definition: Definition) -> Related | None:
    """Return the place of a rule in its CRD, labelled with the rule's text unless the message contains it."""
    if cause.rule.node is None:
        return None
    found: tuple[Node, Node] | None = cause.rule.node.find("rule")
    if found is None:
        return None
    span = node_span(found[1], definition.locator.line_offset)
    text = " ".join(cause.rule.rule.split())
    if len(text) > _LONGEST_RULE:
        text = f"{text[: _LONGEST_RULE - 1]}…"
    label = "rule" if text in message else f"rule `{text}`"
    return Related(label, definition.file, span.line, span.column)
