"""The symbols of a document, and where names are defined and used: from names and paths to properties, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from lsprotocol.types import Location

from crdlint.crd.model import CustomResourceDefinition, JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.crd.positions import Span
from crdlint.diagnostics import Diagnostic, Related
from crdlint.kubernetes.servers import Server
from crdlint.lsp.cursor import (
    SCHEMA,
    Cursor,
    crd_of,
    cursor_at,
    definition_of,
    expression_at,
    nearest_schema,
    schema_named,
    word_at,
)
from crdlint.lsp.occurrences import PATHS, Occurrences
from crdlint.lsp.steps import Steps
from crdlint.lsp.workspace import OpenDocument, ProtocolText, uri_of
from crdlint.rules.texts import resource as rules
from crdlint.schema import json_paths
from crdlint.schema.traversal import all_schemas, value_schema
from crdlint.yaml.nodes import Mapping, Sequence

if TYPE_CHECKING:
    from crdlint.lsp.checks import Checks  # what the playground does not load

_OF_PROPERTIES: Final = frozenset({rules.VALUE.id, rules.LIST_TYPE.id})


def definition_at(
    document: OpenDocument,
    cursor: Cursor,
    checks: Checks,
    read: Callable[[str], str | None],
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
    path = _named_path(cursor, _server(checks, document))
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
        else Related(
            "the field in the CRD",
            target[0],
            target[1].line,
            target[1].column,
        )
    )


def _in_crd(document: OpenDocument, cursor: Cursor, checks: Checks) -> tuple[str, Span] | None:
    defined = definition_of(document, cursor, checks)
    return (
        None
        if defined is None
        else (defined[0].file, defined[0].locator.span(defined[1].path, key=True))
    )


def references_at(
    document: OpenDocument,
    cursor: Cursor,
    checks: Checks,
    has_declaration: bool = False,
) -> list[Location]:
    """Return where the property at a position is named in its CRD: by rules, lists of names, and paths.

    ``has_declaration`` adds the property itself, in each version.
    """
    checked = checks.of(document)
    schema = schema_at(document, cursor, checks) if cursor.is_crd else None
    if schema is None:
        return []
    crd = crd_of(cursor.root, _server(checks, document))
    occurrences = Occurrences(document, cursor, crd, schema)
    declarations = occurrences.declarations() if has_declaration else ()
    return occurrences.locations((*declarations, *occurrences.uses(checked.rules)))


def schema_at(document: OpenDocument, cursor: Cursor, checks: Checks) -> JSONSchemaProps | None:
    """Return the schema of the property that a position of a CRD declares or names, None if there is none."""
    crd = crd_of(cursor.root, _server(checks, document))
    nearest = nearest_schema(crd, cursor.steps)
    if nearest is not None and not nearest[1] and nearest[0].steps[:1] == ("properties",):
        return nearest[0]
    path = _named_path(cursor, _server(checks, document))
    path_text = None if path is None else str(path)
    return next((each for each in all_schemas(crd.spec) if str(each.path) == path_text), None)


def property_at(document: OpenDocument, cursor: Cursor, checks: Checks) -> JSONSchemaProps | None:
    """Return the schema of the property whose name is at a position of a CRD, None if there is none."""
    if not cursor.on_key and isinstance(cursor.node, (Mapping, Sequence)):
        return None
    schema = schema_at(document, cursor, checks)
    return schema if schema is not None and schema.steps[:1] == ("properties",) else None


def _server(checks: Checks, document: OpenDocument) -> Server:
    return checks.versions(checks.of(document)).newest


def _named_path(cursor: Cursor, server: Server) -> Path | None:
    """Return the path of the schema that a name, path or expression of a CRD leads to."""
    if cursor.on_key:
        return None
    schema = _named_schema(crd_of(cursor.root, server), cursor)
    return _path_in_expression(cursor, server) if schema is None else schema.path


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
    root = nearest_schema(crd, (*cursor.steps[:3], *SCHEMA))
    return None if root is None or cursor.steps[-1] not in PATHS else _by_path(root[0], value)


def _by_path(schema: JSONSchemaProps, path: str) -> JSONSchemaProps | None:
    names = [name for name, _ in json_paths.steps(path)]
    steps: Steps = tuple(0 if name is json_paths.ITEMS else name for name in names)
    return value_schema(schema, steps) if steps and "" not in names else None


def _path_in_expression(cursor: Cursor, server: Server) -> Path | None:
    """Return the path of the schema of the field under the cursor in an expression."""
    expression, inside = expression_at(cursor, server), cursor.inside
    if expression is None or inside is None:
        return None
    word, context = word_at(expression, inside)
    if word is None:
        return None
    if context is None or context.receiver is None:
        return expression.schema.path if word[0] in ("self", "oldSelf") else None
    schema = schema_named(expression, context, word[0])
    return None if schema is None else schema.path


def _location(document: OpenDocument, cursor: Cursor, path: Path) -> Location:
    version = (
        cursor.steps[2]
        if cursor.steps[:2] == ("spec", "versions") and isinstance(cursor.steps[2], int)
        else 0
    )
    span = cursor.locator.span_of(cursor.locator.find_in(path, version), key=True)
    return Location(document.uri, document.text.range_of(span))
