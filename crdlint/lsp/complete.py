"""Completion: inside of expressions, in CRDs and their schemas, whose keywords it explains, and in custom resources."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from lsprotocol.types import (
    CompletionItem,
    CompletionItemKind,
    InsertTextFormat,
    MarkupContent,
    MarkupKind,
    TextEdit,
)

from crdlint.crd.gotypes import CRD, INT_RANGES, SCHEMA, STRING, GoType
from crdlint.crd.model import JSONSchemaProps
from crdlint.kubecel.completion import DOCS, Completion, complete
from crdlint.lsp.cursor import (
    Cursor,
    EditedExpression,
    Steps,
    cursor_at,
    definition_of,
    expression_at,
)
from crdlint.lsp.workspace import OpenDocument
from crdlint.resources.objects import text_at
from crdlint.rules.server.schema_warnings import formats_of
from crdlint.schema.value_help import written
from crdlint.yaml.nodes import Mapping, Scalar, child
from crdlint.yaml.resolve import key_text
from crdlint.yaml.scalars import offsets_inside

if TYPE_CHECKING:
    from crdlint.lsp.checks import Checks  # what the playground does not load

# Keyword: what it does, and the types of values that it is for (empty: all).
KEYWORDS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "type": ("The type of the value. Every value needs one.", ()),
    "description": ("What the field is for; `kubectl explain` shows it.", ()),
    "title": ("A name of the schema. The API server ignores it.", ()),
    "properties": (
        "The fields of an object. The API server drops fields that are not listed.",
        ("object",),
    ),
    "additionalProperties": ("The schema of the values of a map.", ("object",)),
    "required": ("The fields that every object must set.", ("object",)),
    "minProperties": ("The smallest number of fields or keys.", ("object",)),
    "maxProperties": (
        "The greatest number of fields or keys. It bounds the cost of rules.",
        ("object",),
    ),
    "items": ("The schema of the items of a list.", ("array",)),
    "minItems": ("The smallest number of items.", ("array",)),
    "maxItems": ("The greatest number of items. It bounds the cost of rules.", ("array",)),
    "minLength": ("The smallest number of characters.", ("string",)),
    "maxLength": ("The greatest number of characters. It bounds the cost of rules.", ("string",)),
    "pattern": ("A regular expression (RE2) that must match a part of the text.", ("string",)),
    "format": (
        "The format of the value. The API server ignores formats that it does not know.",
        ("string", "number", "integer"),
    ),
    "minimum": ("The smallest number.", ("number", "integer")),
    "maximum": ("The greatest number.", ("number", "integer")),
    "exclusiveMinimum": ("Whether `minimum` itself is not allowed.", ("number", "integer")),
    "exclusiveMaximum": ("Whether `maximum` itself is not allowed.", ("number", "integer")),
    "multipleOf": ("The number that the value must be a multiple of.", ("number", "integer")),
    "enum": ("The values that are allowed.", ()),
    "default": ("The value that the API server sets where the field is not set.", ()),
    "example": ("An example of the value. The API server ignores it.", ()),
    "externalDocs": ("A link to more documentation. The API server ignores it.", ()),
    "nullable": ("Whether `null` is allowed; otherwise it is dropped or rejected.", ()),
    "allOf": ("Schemas that must all accept the value.", ()),
    "anyOf": ("Schemas of which at least one must accept the value.", ()),
    "oneOf": ("Schemas of which exactly one must accept the value.", ()),
    "not": ("A schema that must not accept the value.", ()),
    "x-kubernetes-validations": ("Rules in CEL that the API server evaluates on every value.", ()),
    "x-kubernetes-preserve-unknown-fields": ("Keeps fields that the schema does not list.", ()),
    "x-kubernetes-embedded-resource": (
        "The value is an object with apiVersion, kind and metadata.",
        ("object",),
    ),
    "x-kubernetes-int-or-string": ("The value is an integer or a string, as a port may be.", ()),
    "x-kubernetes-list-type": (
        "How server-side apply merges the list: atomic, set or map.",
        ("array",),
    ),
    "x-kubernetes-list-map-keys": ("The fields that identify the items of a map list.", ("array",)),
    "x-kubernetes-map-type": (
        "How server-side apply merges the object: granular or atomic.",
        ("object",),
    ),
}
# The values of a field, by its name and that of its type.
_VALUES: Final = {
    ("v1.JSONSchemaProps", "type"): ("object", "array", "string", "integer", "number", "boolean"),
    ("v1.JSONSchemaProps", "x-kubernetes-list-type"): ("atomic", "set", "map"),
    ("v1.JSONSchemaProps", "x-kubernetes-map-type"): ("granular", "atomic"),
    ("v1.CustomResourceDefinitionSpec", "scope"): ("Namespaced", "Cluster"),
    ("v1.CustomResourceConversion", "strategy"): ("None", "Webhook"),
    ("v1.CustomResourceColumnDefinition", "type"): ("string", "integer", "number", "boolean", "date"),
    ("v1.ValidationRule", "reason"): (
        "FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate",
    ),
}  # fmt: skip
_SCALARS: Final = frozenset({"string", "bool", "bytes", "time", *INT_RANGES, "float64"})


def _type_at(steps: Steps) -> GoType | None:
    """Return the Go type that the path of a CRD leads to, of a schema where others may be, too; None if it is unknown."""
    of: GoType | None = CRD
    for step in steps:
        if of is not None and not (of is SCHEMA and isinstance(step, int)):
            of = of.element if isinstance(step, int) else of.below(step)
        if of is not None and of.kind.startswith("schema-or-"):
            of = SCHEMA
    return of


TRIGGERS: Final = (".", "-", " ", '"', "'")
_REST: Final = re.compile(r"[\w$/-]*")
_LONGEST: Final = 256  # characters of a word
_PROBE: Final = "crdlint-completes-this"  # a key that no document has
_KINDS: Final = {
    "field": CompletionItemKind.Field, "variable": CompletionItemKind.Variable,
    "function": CompletionItemKind.Function, "method": CompletionItemKind.Method, "macro": CompletionItemKind.Operator,
    "keyword": CompletionItemKind.Keyword,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Probed:
    """The place of a word that is being written: that of a key, or of the value of one.

    ``start`` and ``end`` are where the word is in the text, ``steps`` the path of the mapping or list that has it, or of
    the value. ``other_keys`` are those of the mapping.
    """

    cursor: Cursor
    start: int
    end: int
    steps: Steps
    other_keys: frozenset[str] = frozenset()

    @property
    def quotes(self) -> Scalar | None:
        """The scalar that the word is written in, if it has quotes."""
        node = self.cursor.key if self.cursor.on_key else self.cursor.node
        return node if isinstance(node, Scalar) and node.style in ("'", '"') else None


def completions(
    document: OpenDocument, index: int, checks: Checks, *, snippets: bool
) -> list[CompletionItem]:
    """Return what can be written at a place; with ``snippets``, with places to fill in."""
    text = document.text.text
    version = checks.kube_version(checks.of(document))
    cursor = cursor_at(text, index)
    expression = None if cursor is None else expression_at(cursor, version)
    if cursor is not None and expression is not None and cursor.inside is not None:
        return list(_of_expression(document, cursor, expression, snippets=snippets))
    for probed in _probes(text, index):
        words = list(
            _of_crd(probed) if probed.cursor.is_crd else _of_resource(document, probed, checks)
        )
        if probed.quotes is not None:
            words = [word for word in words if isinstance(word.value, str)]
        if words:
            return [_item(document, probed, word, snippets=snippets) for word in words]
    return []


def _of_expression(
    document: OpenDocument, cursor: Cursor, expression: EditedExpression, *, snippets: bool
) -> Iterator[CompletionItem]:
    end, index = cursor.inside or 0, cursor.index - cursor.start
    context, suggestions = complete(
        expression.text, end, expression.env, expression.environment, expression.declarations
    )
    if context is None:
        return
    offsets = offsets_inside(cursor.document.text, expression.node, context.start, end) or (
        index,
        index,
    )
    range_ = document.text.range(cursor.start + offsets[0], cursor.start + offsets[1])
    parent = cursor.parents[-1]
    in_flow = isinstance(parent, Mapping) and parent.flow and expression.node.style is None
    for order, suggestion in enumerate(suggestions):
        text = _quoted(suggestion.text, expression.node)
        if in_flow and re.search(r"[\[\]{},]", text):
            continue  # would end the value
        is_snippet = snippets and bool(suggestion.arguments)
        since = (
            ""
            if suggestion.since is None
            else f" (since Kubernetes {suggestion.since[0]}.{suggestion.since[1]})"
        )
        yield CompletionItem(
            label=suggestion.name if suggestion.arguments is None else f"{suggestion.name}()",
            kind=_KINDS[suggestion.kind],
            detail=suggestion.type,
            documentation=DOCS[suggestion.name] + since if suggestion.name in DOCS else None,
            sort_text=f"{order:04}",
            filter_text=suggestion.name,
            insert_text_format=InsertTextFormat.Snippet
            if is_snippet
            else InsertTextFormat.PlainText,
            text_edit=TextEdit(
                range_, _snippet(suggestion, expression.node) if is_snippet else text
            ),
        )


def _snippet(suggestion: Completion, node: Scalar) -> str:
    escaped = (_plain(_quoted(argument, node)) for argument in suggestion.arguments or ())
    arguments = ", ".join(f"${{{number}:{argument}}}" for number, argument in enumerate(escaped, 1))
    return f"{suggestion.name}({arguments})"


def _plain(text: str) -> str:
    """Return a text as a snippet has it."""
    return re.sub(r"([\\$}])", r"\\\1", text)


def _quoted(text: str, node: Scalar) -> str:
    """Return a text as the scalar of an expression has it: quotes are written twice, or escaped."""
    if node.style == "'":
        return text.replace("'", "''")
    return text.replace("\\", "\\\\").replace('"', '\\"') if node.style == '"' else text


def _probes(text: str, index: int) -> Iterator[_Probed]:
    """Yield the places that the word at an index may have: the text is read with a word of ours there, as key and value."""
    start = index - len(_REST.match(text[max(0, index - _LONGEST) : index][::-1])[0])  # type: ignore[index]  # it matches always
    end = _REST.match(text, index).end()  # type: ignore[union-attr]
    line_end = text.find("\n", end)
    rest = text[end : len(text) if line_end < 0 else line_end]
    if "#" in text[text.rfind("\n", 0, start) + 1 : start]:
        return
    for probe in [_PROBE] if rest.lstrip().startswith(":") else [f"{_PROBE}: ", _PROBE]:
        cursor = cursor_at(f"{text[:start]}{probe}{text[end:]}", start + 1)
        if cursor is None or _PROBE not in (
            str(getattr(cursor.node, "value", "")),
            cursor.steps[-1],
        ):
            continue
        if not cursor.on_key:
            yield _Probed(cursor, start, end, cursor.steps)
            continue
        parent = cursor.parents[-1]
        pairs = parent.pairs() if isinstance(parent, Mapping) else ()
        names = frozenset(str(key.value) for key, _ in pairs if isinstance(key, Scalar))
        yield _Probed(cursor, start, end, cursor.steps[:-1], names - {_PROBE})


@dataclass(frozen=True, slots=True)
class _Word:
    """A key or value that can be written: what follows a key, what it is, and whether an object must have it."""

    value: object
    detail: str = ""
    documentation: str = ""
    collection: bool | None = None
    is_required: bool = False
    fields: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """It as YAML."""
        return written(self.value)


def _item(
    document: OpenDocument, probed: _Probed, word: _Word, *, snippets: bool
) -> CompletionItem:
    edit = TextEdit(
        document.text.range(probed.start, probed.end),
        _written(document, probed, word, snippets=snippets),
    )
    is_snippet = "\n" in edit.new_text  # all others have one line
    return CompletionItem(
        label=word.text if probed.quotes is None else str(word.value),
        kind=CompletionItemKind.Property if probed.cursor.on_key else CompletionItemKind.EnumMember,
        detail=word.detail or None,
        documentation=MarkupContent(MarkupKind.PlainText, word.documentation)
        if word.documentation
        else None,
        sort_text=f"{0 if word.is_required else 1}{word.text}",
        insert_text_format=InsertTextFormat.Snippet if is_snippet else InsertTextFormat.PlainText,
        text_edit=edit,
    )


def _written(document: OpenDocument, probed: _Probed, word: _Word, *, snippets: bool) -> str:
    if probed.quotes is not None:
        return _quoted(str(word.value), probed.quotes)
    if not probed.cursor.on_key:
        return word.text
    if document.text.text[probed.end :].lstrip(" ").startswith(":"):
        return word.text
    parent = probed.cursor.parents[-1] if probed.cursor.parents else None
    if word.collection is None or (isinstance(parent, Mapping) and parent.flow):
        return f"{word.text}: "
    if not snippets:
        return f"{word.text}:"
    indent = "\n" + " " * ((probed.cursor.key or probed.cursor.node).start_mark.column + 2)
    if not word.collection:
        return f"{_plain(word.text)}:{indent}- $0"
    fields = [f"{indent}{_plain(name)}: ${number}" for number, name in enumerate(word.fields, 1)]
    return f"{_plain(word.text)}:" + ("".join(fields) if fields else f"{indent}$0")


def _of_crd(probed: _Probed) -> Iterable[_Word]:
    """Yield the fields of a CRD and the keywords of its schemas, or the values of one."""
    if probed.cursor.on_key:
        return _keys_of_crd(probed)
    last = max((i for i, step in enumerate(probed.steps) if isinstance(step, str)), default=-1)
    of, name = _type_at(probed.steps[:last]), probed.steps[last] if last >= 0 else ""
    if of is None or name not in of.fields:
        return ()
    if of is SCHEMA and name in ("required", "x-kubernetes-list-map-keys"):
        return _names_of_fields(probed, items=name != "required")
    if of is SCHEMA and name == "format":
        return map(_Word, formats_of(_type_beside(probed.cursor)))
    is_bool = of.fields[str(name)].type.kind == "bool"
    return map(_Word, _VALUES.get((of.name, str(name)), (True, False) if is_bool else ()))


def _keys_of_crd(probed: _Probed) -> Iterator[_Word]:
    of, type_ = _type_at(probed.steps) or STRING, _type_beside(probed.cursor)
    for name in sorted((KEYWORDS if of is SCHEMA else of.fields).keys() - probed.other_keys):
        documentation, types = KEYWORDS[name] if of is SCHEMA else ("", ())
        if not type_ or not types or type_ in types:
            kind = of.fields[name].type.kind
            yield _Word(
                name,
                of.name.removeprefix("v1."),
                documentation,
                None if kind in _SCALARS else kind != "slice",
            )


def _type_beside(cursor: Cursor) -> str:
    """Return the type that a schema has beside a key or value, empty if it has none."""
    parent = next((node for node in reversed(cursor.parents) if isinstance(node, Mapping)), None)
    return "" if parent is None else text_at(parent, "type")


def _names_of_fields(probed: _Probed, *, items: bool) -> Iterator[_Word]:
    """Yield the names of the properties beside a list of names, or of those of the items."""
    schema = next(
        (node for node in reversed(probed.cursor.parents) if isinstance(node, Mapping)), None
    )
    properties = child(child(schema, "items") if items else schema, "properties")
    if isinstance(properties, Mapping):
        names = (key_text(key) for key, _ in properties.pairs() if isinstance(key, Scalar))
        yield from (_Word(name) for name in names if name is not None)


def _of_resource(document: OpenDocument, probed: _Probed, checks: Checks) -> Iterator[_Word]:
    """Yield the fields of a custom resource, the required ones first, or the values of a field."""
    defined = definition_of(document, replace(probed.cursor, steps=probed.steps), checks)
    if defined is None:
        return
    _, schema = defined
    if not probed.cursor.on_key:
        yield from _values(schema)
        return
    for name, field in schema.properties.items():
        if name in probed.other_keys:
            continue
        required = tuple(
            written(field_name) for field_name in field.required if field_name in field.properties
        )
        collection = None if field.type not in ("object", "array") else field.type == "object"
        is_required = name in schema.required
        type_ = "integer or string" if field.x_int_or_string else field.type
        detail = f"{type_}, required" if is_required else type_
        yield _Word(name, detail, field.description, collection, is_required, required)


def _values(schema: JSONSchemaProps) -> Iterator[_Word]:
    values = [*schema.enum, *((True, False) if schema.type == "boolean" else ())]
    yield from map(_Word, values)
    if (
        not values
        and schema.default is not None
        and not isinstance(schema.default.value, (dict, list))
    ):
        yield _Word(schema.default.value, "default")
