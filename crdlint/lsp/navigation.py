"""The symbols of a document, and where names are defined and used: from names and paths to properties, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from lsprotocol.types import DocumentSymbol, Location, SymbolKind

from crdlint.cel.ast import Select, nodes
from crdlint.cel.source_ranges import SourceRanges
from crdlint.crd.identity import identify
from crdlint.crd.model import CustomResourceDefinition, JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.crd.positions import Span
from crdlint.diagnostics import Diagnostic, Related
from crdlint.kubernetes.servers import parse_range
from crdlint.linting.result import FoundRule
from crdlint.lsp.cursor import (
    Cursor,
    Steps,
    crd_of,
    cursor_at,
    definition_of,
    expression_at,
    field_of,
    nearest_schema,
    roots,
    word_at,
)
from crdlint.lsp.workspace import OpenDocument, ProtocolText, uri_of
from crdlint.resources.objects import text_at
from crdlint.schema import json_paths
from crdlint.schema.traversal import all_schemas, value_schema
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, child, items_of

if TYPE_CHECKING:
    from crdlint.lsp.checks import Checks  # what the playground does not load

_OF_PROPERTIES: Final = frozenset({"resource-value", "resource-list-type"})
_PATHS: Final = frozenset(
    {"jsonPath", "specReplicasPath", "statusReplicasPath", "labelSelectorPath"}
)


def definition_at(
    document: OpenDocument, cursor: Cursor, checks: Checks, read: Callable[[str], str | None]
) -> Location | None:
    """Return where the name at a position is defined, None if it names nothing."""
    if not cursor.is_crd:
        target = _in_crd(document, cursor, checks)
        if target is None:
            return None
        return Location(
            uri_of(target[0]),
            ProtocolText(read(target[0]) or "", document.text.encoding).range_of(target[1]),
        )
    path = _named_path(cursor, checks.kube_version(checks.of(document)))
    return None if path is None else _location(document, cursor, path)


def related_to(finding: Diagnostic, document: OpenDocument, checks: Checks) -> Related | None:
    """Return the position of the property that a finding on a custom resource is about, None if there is none."""
    if finding.related is not None or finding.rule not in _OF_PROPERTIES:
        return finding.related
    cursor = cursor_at(document.text.text, document.text.index_at(finding.line, finding.column))
    target = None if cursor is None or cursor.is_crd else _in_crd(document, cursor, checks)
    return (
        None
        if target is None
        else Related("the field in the CRD", target[0], target[1].line, target[1].column)
    )


def _in_crd(document: OpenDocument, cursor: Cursor, checks: Checks) -> tuple[str, Span] | None:
    defined = definition_of(document, cursor, checks)
    return (
        None
        if defined is None
        else (defined[0].file, defined[0].locator.span(defined[1].path, key=True))
    )


def references_at(document: OpenDocument, cursor: Cursor, checks: Checks) -> list[Location]:
    """Return where the property at a position is named in its CRD: by rules, lists of names, and paths."""
    checked = checks.of(document)
    version = checks.kube_version(checked)
    crd = crd_of(cursor.root, parse_range(version).newest) if cursor.is_crd else None
    if crd is None:
        return []
    nearest = nearest_schema(crd, cursor.steps)
    is_property = nearest is not None and not nearest[1] and nearest[0].steps[:1] == ("properties",)
    path = nearest[0].path if nearest is not None and is_property else _named_path(cursor, version)
    schema = next(
        (schema for schema in all_schemas(crd.spec) if path and str(schema.path) == str(path)), None
    )
    if schema is None:
        return []
    locations = [*_names(document, cursor, schema), *_paths(document, cursor, crd, schema)]
    for rule in () if checked.crds is None else checked.crds.rules:
        if cursor.has(rule.span):
            locations += _reads(document, rule, schema)
    return locations


def _named_path(cursor: Cursor, version: str) -> Path | None:
    """Return the path of the schema that a name, path or expression of a CRD leads to."""
    crd = crd_of(cursor.root, parse_range(version).newest)
    if crd is None or cursor.on_key:
        return None
    schema = _named_schema(crd, cursor)
    return _path_in_expression(cursor, version) if schema is None else schema.path


def _named_schema(crd: CustomResourceDefinition, cursor: Cursor) -> JSONSchemaProps | None:
    nearest = nearest_schema(crd, cursor.steps)
    value = str(getattr(cursor.node, "value", ""))
    if nearest is not None:
        schema, rest = nearest
        if rest[:1] == ("required",):
            return schema.properties.get(value)
        if rest[:1] == ("x-kubernetes-list-map-keys",) and schema.item_schema is not None:
            return schema.item_schema.properties.get(value)
        return _by_path(schema, value) if rest[-1:] == ("fieldPath",) else None
    if len(cursor.steps) > 3 and cursor.steps[-1] in _PATHS:
        root = nearest_schema(crd, (*cursor.steps[:3], "schema", "openAPIV3Schema"))
        return None if root is None else _by_path(root[0], value)
    return None


def _by_path(schema: JSONSchemaProps, path: str) -> JSONSchemaProps | None:
    names = [name for name, _ in json_paths.steps(path)]
    steps: Steps = tuple(0 if name is json_paths.ITEMS else name for name in names)
    return None if "" in names else value_schema(schema, steps) if steps else None


def _path_in_expression(cursor: Cursor, version: str) -> Path | None:
    """Return the path of the schema of the field under the cursor in an expression."""
    expression, inside = expression_at(cursor, version), cursor.inside
    if expression is None or inside is None:
        return None
    word, context = word_at(expression, inside)
    if word is None:
        return None
    if context is None or context.receiver is None:
        return expression.schema.path if word[0] in ("self", "oldSelf") else None
    member = field_of(expression, context, word[0])
    return None if member is None or member.schema is None else member.schema.path


def _location(document: OpenDocument, cursor: Cursor, path: Path) -> Location:
    version = (
        cursor.steps[2]
        if cursor.steps[:2] == ("spec", "versions") and isinstance(cursor.steps[2], int)
        else 0
    )
    span = cursor.locator.span_of(cursor.locator.find_in(path, version), key=True)
    return Location(document.uri, document.text.range_of(span))


def _names(document: OpenDocument, cursor: Cursor, schema: JSONSchemaProps) -> Iterator[Location]:
    parent = schema.parent
    if parent is None or schema.steps[:1] != ("properties",):
        return
    locator, list_schema = cursor.locator, parent.parent
    lists = [(parent.path.child("required"), parent.required)]
    if list_schema is not None and parent.steps[:1] == ("items",):
        lists.append(
            (list_schema.path.child("x-kubernetes-list-map-keys"), list_schema.x_list_map_keys)
        )
    for path, names in lists:
        for number, name in enumerate(names):
            for version in range(locator.shared_by(path)) if name == schema.steps[1] else ():
                span = locator.span_of(locator.find_in(path.index(number), version))
                yield Location(document.uri, document.text.range_of(span))


def _paths(
    document: OpenDocument, cursor: Cursor, crd: CustomResourceDefinition, schema: JSONSchemaProps
) -> Iterator[Location]:
    path_text = str(schema.path)
    pending: list[tuple[object, tuple[str | int, ...]]] = [(cursor.root, ())]
    while pending:
        node, steps = pending.pop()
        if isinstance(node, Mapping):
            named = ((str(getattr(key, "value", "")), value) for key, value in node.pairs())
            pending.extend(
                (value, (*steps, name)) for name, value in named if name != "openAPIV3Schema"
            )
        elif isinstance(node, Sequence):
            pending.extend((element, (*steps, number)) for number, element in enumerate(node.items))
        elif isinstance(node, Scalar) and steps and steps[-1] in _PATHS and len(steps) > 3:
            root = nearest_schema(crd, (*steps[:3], "schema", "openAPIV3Schema"))
            target = None if root is None else _by_path(root[0], str(node.value))
            if target is not None and str(target.path) == path_text:
                start, end = (
                    cursor.start + mark.index for mark in (node.start_mark, node.end_mark)
                )
                yield Location(document.uri, document.text.range(start, end))


def _reads(document: OpenDocument, rule: FoundRule, schema: JSONSchemaProps) -> Iterator[Location]:
    path_text = str(schema.path)
    compiled = rule.estimated.compiled
    for name, expression in (("rule", compiled.rule), ("messageExpression", compiled.message)):
        if expression is None or expression.error is not None:
            continue
        ranges = SourceRanges(expression.compiled.expr, expression.compiled.source)
        types = expression.compiled.result.type_map
        for node in nodes(expression.compiled.expr):
            if not isinstance(node, Select):
                continue
            member = expression.declarations.member(types.get(node.operand.id), node.field)
            offsets = ranges.of(node)
            if (
                offsets is None
                or member is None
                or member.schema is None
                or str(member.schema.path) != path_text
            ):
                continue
            end = offsets[1] - (1 if node.test_only else 0)
            path, part = rule.estimated.path.child(name), (end - len(node.field), end)
            for version in range(rule.locator.shared_by(path)):
                span = rule.locator.span_inside(path, part, version)
                yield Location(document.uri, document.text.range_of(span))


_MOST: Final = 20_000  # symbols of a document
_LONGEST: Final = 80  # characters of a rule
_BELOW: Final = ("properties", "items", "additionalProperties")


def symbols_of(document: OpenDocument) -> list[DocumentSymbol]:
    """Return the symbols of a document."""
    return _Symbols(document).all()


class _Symbols:
    """Makes the symbols of one document."""

    def __init__(self, document: OpenDocument) -> None:
        self._text: Final = document.text
        self._start = 0
        self._count = 0

    def all(self) -> list[DocumentSymbol]:
        symbols = []
        for document, start, root in roots(self._text.text):
            self._start = start
            name = text_at(root, "metadata", "name") or text_at(root, "kind") or "object"
            is_crd = identify(root, document.text).form not in {"other", "list", "crd-list"}
            children = self._versions(root) if is_crd else []
            kind = SymbolKind.Class if is_crd else SymbolKind.Object
            symbols.append(self._symbol(name, text_at(root, "kind"), kind, root, root, children))
        return symbols

    def _versions(self, root: Mapping) -> list[DocumentSymbol]:
        symbols = []
        for version in items_of(child(root, "spec", "versions")):
            if isinstance(version, Mapping):
                name = text_at(version, "name") or "version"
                fields = list(self._below(child(version, "schema", "openAPIV3Schema")))
                symbols.append(
                    self._symbol(name, "version", SymbolKind.Module, version, version, fields)
                )
        return symbols

    def _below(self, schema: Node | None) -> Iterator[DocumentSymbol]:
        if not isinstance(schema, Mapping):
            return
        for key, value in schema.pairs():
            name = key.value if isinstance(key, Scalar) else ""
            if name == "x-kubernetes-validations":
                yield from self._rules(items_of(value))
            elif name == "properties" and isinstance(value, Mapping):
                for field, below in value.pairs():
                    if isinstance(field, Scalar) and self._count < _MOST:
                        self._count += 1
                        type_ = text_at(below, "type") if isinstance(below, Mapping) else ""
                        children = list(self._below(below))
                        yield self._symbol(
                            str(field.value), type_, SymbolKind.Field, field, below, children
                        )
            elif name in _BELOW:
                yield from self._below(value)

    def _rules(self, rules: Iterable[Node]) -> Iterator[DocumentSymbol]:
        for rule in rules:
            if isinstance(rule, Mapping):
                text = " ".join(text_at(rule, "rule").split())
                name = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
                yield self._symbol(name or "rule", "rule", SymbolKind.Event, rule, rule, [])

    def _symbol(
        self,
        name: str,
        detail: str,
        kind: SymbolKind,
        key: Node,
        value: Node,
        children: list[DocumentSymbol],
    ) -> DocumentSymbol:
        start = self._start + key.start_mark.index
        end = max(self._start + value.end_mark.index, start)
        end = start + len(self._text.text[start:end].rstrip())
        name_end = self._start + key.end_mark.index if isinstance(key, Scalar) else start
        return DocumentSymbol(
            name=name,
            kind=kind,
            range=self._text.range(start, end),
            selection_range=self._text.range(start, min(max(name_end, start), end)),
            detail=detail or None,
            children=children or None,
        )
