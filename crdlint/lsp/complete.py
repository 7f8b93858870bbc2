"""Completion: inside of expressions, in CRDs and their schemas, whose keywords it explains, and in custom resources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lsprotocol.types import CompletionItem

from crdlint.crd.gotypes import INT_RANGES, SCHEMA, STRING, GoType
from crdlint.crd.model import JSONSchemaProps
from crdlint.files.recognition import KIND
from crdlint.gathering import without_none
from crdlint.lsp import crd_fields
from crdlint.lsp import snippets as templates
from crdlint.lsp.complete_expression import ExpressionCompletion
from crdlint.lsp.crd_fields import KEYWORDS, type_at
from crdlint.lsp.cursor import Cursor, cursor_at, definition_of, expression_at
from crdlint.lsp.words import Probed, Word, item, probes
from crdlint.lsp.workspace import OpenDocument
from crdlint.resources.objects import text_at
from crdlint.rules.server.schema_warnings import formats_of
from crdlint.schema.value_help import written
from crdlint.yaml.nodes import Mapping, Scalar, child, pairs_of
from crdlint.yaml.resolve import key_text

if TYPE_CHECKING:
    from crdlint.lsp.checks import Checks  # what the playground does not load

TRIGGERS: Final = (".", "-", " ", '"', "'")
_API_VERSION: Final = "apiextensions.k8s.io/v1"
# The values of a field, by its name and that of its type.
_VALUES: Final = {
    ("v1.JSONSchemaProps", "type"): ("object", "array", "string", "integer", "number", "boolean"),
    ("v1.JSONSchemaProps", "x-kubernetes-list-type"): ("atomic", "set", "map"),
    ("v1.JSONSchemaProps", "x-kubernetes-map-type"): ("granular", "atomic"),
    ("v1.CustomResourceDefinitionSpec", "scope"): ("Namespaced", "Cluster"),
    ("v1.CustomResourceConversion", "strategy"): ("None", "Webhook"),
    ("v1.CustomResourceColumnDefinition", "type"): (
        "string",
        "integer",
        "number",
        "boolean",
        "date",
    ),
    ("v1.ValidationRule", "reason"): (
        "FieldValueInvalid",
        "FieldValueForbidden",
        "FieldValueRequired",
        "FieldValueDuplicate",
    ),
}
_SCALARS: Final = frozenset({"string", "bool", "bytes", "time", *INT_RANGES, "float64"})


def completions(
    document: OpenDocument,
    index: int,
    checks: Checks,
    *,
    snippets: bool,
) -> list[CompletionItem]:
    """Return what can be written at a place; with ``snippets``, with places to fill in."""
    text = document.text.text
    cursor = cursor_at(text, index)
    if cursor is not None and cursor.inside is not None:
        expression = expression_at(cursor, checks.versions(checks.of(document)).newest)
        if expression is not None:
            completed = ExpressionCompletion(document, cursor, expression)
            return list(completed.items(snippets=snippets))
    for probed in probes(text, index):
        words = list(_words(document, probed, checks))
        if words:
            return [item(document, probed, word, snippets=snippets) for word in words]
    return []


def _words(document: OpenDocument, probed: Probed, checks: Checks) -> Iterator[Word]:
    """Yield the keys or values of a place; between quotes only texts."""
    is_at_top = len(probed.steps) == (0 if probed.cursor.on_key else 1)
    words: Iterable[Word]
    if is_at_top and (not probed.cursor.on_key or not probed.other_keys):
        words = _of_new_object(probed, checks)
    elif probed.cursor.is_crd:
        words = _of_crd(probed)
    else:
        words = _of_resource(document, probed, checks)
    for word in words:
        if probed.quotes is None or isinstance(word.value, str):
            yield word


def _of_new_object(probed: Probed, checks: Checks) -> Iterator[Word]:
    """Yield what an empty document can begin with, or the API versions and kinds that are known."""
    kinds_of_crds = checks.index.known_kinds()
    if not probed.cursor.on_key:
        yield from _identities(probed, kinds_of_crds)
        return
    if not probed.is_in_flow:
        yield templates.NEW_CRD
        for group, version, kind in kinds_of_crds:
            yield templates.new_resource(f"{group}/{version}", kind)
    yield from (Word("apiVersion", is_required=True), Word("kind", is_required=True))


def _identities(probed: Probed, kinds_of_crds: Sequence[tuple[str, str, str]]) -> Iterator[Word]:
    """Yield the values of `apiVersion` and `kind`, each for what the other one is."""
    root = probed.cursor.root
    key = probed.steps[-1:]
    if key == ("apiVersion",):
        kind = text_at(root, "kind")
        yield from [Word(_API_VERSION)] if kind in ("", KIND) else []
        versions = {
            f"{group}/{version}" for group, version, of in kinds_of_crds if kind in ("", of)
        }
        yield from map(Word, sorted(versions))
    elif key == ("kind",):
        api_version = text_at(root, "apiVersion")
        yield from [Word(KIND)] if api_version in ("", _API_VERSION) else []
        kinds = {
            of for group, version, of in kinds_of_crds if api_version in ("", f"{group}/{version}")
        }
        yield from map(Word, sorted(kinds))


def _of_crd(probed: Probed) -> Iterable[Word]:
    """Yield the fields of a CRD and the keywords of its schemas, or the values of one."""
    if probed.cursor.on_key:
        return _keys_of_crd(probed)
    last = max((i for i, step in enumerate(probed.steps) if isinstance(step, str)), default=-1)
    of, name = type_at(probed.steps[:last]), probed.steps[last] if last >= 0 else ""
    if of is None or name not in of.fields:
        return ()
    return _values_of_field(probed, of, str(name))


def _values_of_field(probed: Probed, of: GoType, name: str) -> Iterable[Word]:
    """Return the values of a field of a CRD."""
    if of is SCHEMA and name in ("required", "x-kubernetes-list-map-keys"):
        return _names_of_fields(probed, items=name != "required")
    if of is SCHEMA and name == "format":
        return map(Word, formats_of(_type_beside(probed.cursor)))
    is_bool = of.fields[name].type.kind == "bool"
    return map(Word, _VALUES.get((of.name, name), (True, False) if is_bool else ()))


def _keys_of_crd(probed: Probed) -> Iterator[Word]:
    """Yield the fields that an object of a CRD lacks, and a snippet for a new item of a list."""
    of, type_ = type_at(probed.steps) or STRING, _type_beside(probed.cursor)
    if _is_empty_item(probed) and of.name in templates.OF_ITEMS:
        yield templates.OF_ITEMS[of.name]
    names = KEYWORDS if of is SCHEMA else of.fields
    for name in sorted(names.keys() - probed.other_keys):
        if of is SCHEMA and not _fits_type(name, type_):
            continue
        field = of.fields[name].type
        collection = None if field.kind in _SCALARS else field.kind != "slice"
        yield Word(
            name,
            crd_fields.kind_of(field),
            crd_fields.about(of, name),
            collection,
        )


def _is_empty_item(probed: Probed) -> bool:
    """Return whether a place is in a block of a list's item that has no key yet."""
    is_item = bool(probed.steps) and isinstance(probed.steps[-1], int)
    return is_item and not probed.other_keys and not probed.is_in_flow


def _fits_type(name: str, type_: str) -> bool:
    """Return whether a keyword has an effect on a schema of a type, which may be empty."""
    types = KEYWORDS[name].types
    return not type_ or not types or type_ in types


def _type_beside(cursor: Cursor) -> str:
    """Return the type that a schema has beside a key or value, empty if it has none."""
    parent = next((node for node in reversed(cursor.parents) if isinstance(node, Mapping)), None)
    return "" if parent is None else text_at(parent, "type")


def _names_of_fields(probed: Probed, *, items: bool) -> Iterator[Word]:
    """Yield the names of the properties beside a list of names, or of those of the items."""
    schema = next(
        (node for node in reversed(probed.cursor.parents) if isinstance(node, Mapping)), None
    )
    properties = child(child(schema, "items") if items else schema, "properties")
    names = (key_text(key) for key, _ in pairs_of(properties) if isinstance(key, Scalar))
    yield from map(Word, without_none(names))


def _of_resource(document: OpenDocument, probed: Probed, checks: Checks) -> Iterator[Word]:
    """Yield the fields of a custom resource, the required ones first, or the values of a field."""
    if probed.cursor.on_key and not probed.steps:
        rest = {"apiVersion", "kind", "metadata"} - probed.other_keys
        yield from (Word(name, collection=name == "metadata" or None) for name in sorted(rest))
    defined = definition_of(document, replace(probed.cursor, steps=probed.steps), checks)
    if defined is None:
        return
    _, schema = defined
    if not probed.cursor.on_key:
        yield from _values(schema)
        return
    for name, field in schema.properties.items():
        if name not in probed.other_keys:
            yield _property(name, field, is_required=name in schema.required)


def _property(name: str, field: JSONSchemaProps, *, is_required: bool) -> Word:
    """Return the word of a property, with the fields that its own value has to have."""
    below = tuple(map(written, (each for each in field.required if each in field.properties)))
    collection = field.type == "object" if field.type in ("object", "array") else None
    type_ = "integer or string" if field.x_int_or_string else field.type
    detail = f"{type_}, required" if is_required else type_
    return Word(
        name,
        detail,
        field.description,
        collection,
        is_required,
        below,
    )


def _values(schema: JSONSchemaProps) -> Iterator[Word]:
    values = [*schema.enum, *((True, False) if schema.type == "boolean" else ())]
    yield from map(Word, values)
    if (
        not values
        and schema.default is not None
        and not isinstance(schema.default.value, (dict, list))
    ):
        yield Word(schema.default.value, "default")
