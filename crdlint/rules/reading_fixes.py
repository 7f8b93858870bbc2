"""Fixes of what the decoder reports: values of a wrong type, unknown fields, keys set twice, misspelled kinds."""

from __future__ import annotations

import json
import re
from textwrap import indent
from typing import TYPE_CHECKING, Final

from crdlint.crd import gotypes
from crdlint.crd.identity import corrections
from crdlint.diagnostics.spelling import nearest
from crdlint.rules import shorthand_fixes, v1beta1
from crdlint.rules.engine.examples import HEAD, small
from crdlint.rules.engine.finding import Finding, Fixer, add_required, is_null, items, texts, unlisted
from crdlint.yaml import repairs
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import UneditableError, quoted
from crdlint.yaml.nodes import Mapping, Scalar, Sequence
from crdlint.yaml.values import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crdlint.crd.gotypes import GoType
    from crdlint.yaml.editor import Editor
    from crdlint.yaml.nodes import Node
    from crdlint.yaml.repairs import Repair

_GROUPED: Final = re.compile(r"-?\d{1,3}(?:[,_]\d{3})+\Z")
_AMONG: Final = re.compile(r"(?:<=?|>=?|=)? *(-?(?=[OolI]*\d)[\dOolI]+)(?: *(k|K)| +[A-Za-z]+)?\Z")
_LOOKALIKES: Final = str.maketrans("OolI", "0011")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?\Z")
_WHOLE: Final = re.compile(r"(-?(?:0|[1-9]\d*))(?:\.0+)?\Z")
_BOOLEANS: Final = {
    "true": "true", "false": "false", "yes": "true", "no": "false", "on": "true", "off": "false", "1": "true",
    "0": "false", "t": "true", "f": "false", "y": "true", "n": "false", "enabled": "true", "disabled": "false",
}  # fmt: skip
_LISTS: Final = frozenset(
    {"required", "shortNames", "categories", "enum", "x-kubernetes-list-map-keys", "conversionReviewVersions"}
)
_ONE: Final = re.compile(r"[^\s,\[\]{}]+\Z")
# A field that YAML reads as text: no blank after its colon, or another character instead of the colon.
_FIELD: Final = re.compile(r"([\w$-]+)(?::(?=[^\s:])|[ \u00a0]*[=;\uff1a][ \u00a0]*|:\u00a0+)(?=\S+\Z)")
_SEPARATORS: Final = re.compile("[,;|]")
_GLUED: Final = re.compile(r"([\w$-]+):(?=[^\s:])")  # a field and its value
# Names that other versions and tools have for a field, by its Go type.
_OTHER_NAMES: Final = {
    "v1.CustomResourceDefinitionVersion": {
        "validation": "schema",
        "printerColumns": "additionalPrinterColumns",
        "printColumns": "additionalPrinterColumns",
        "columns": "additionalPrinterColumns",
        "version": "name",
    },
    "v1.CustomResourceValidation": {"openAPISchema": "openAPIV3Schema", "openAPIV2Schema": "openAPIV3Schema"},
    "v1.JSONSchemaProps": {
        "desc": "description",
        "defaultValue": "default",
        "kind": "type",
        "min": "minimum",
        "max": "maximum",
        "regex": "pattern",
        "values": "enum",
        "fields": "properties",
    },
    "v1.ValidationRule": {"expression": "rule", "expr": "rule", "msg": "message"},
    "v1.CustomResourceColumnDefinition": {"path": "jsonPath", "kind": "type"},
    "v1.SelectableField": {"path": "jsonPath"},
    "v1.WebhookConversion": {"reviewVersions": "conversionReviewVersions"},
    "v1.ServiceReference": {"serviceName": "name", "serviceNamespace": "namespace"},
    "v1.CustomResourceDefinitionNames": {"aliases": "shortNames", "kindList": "listKind"},
}
# How people begin the names of extensions, and the words of a name in camel case.
_PREFIX: Final = re.compile(r"(?:x-)?(?:kubernetes-|k8s-)?")
_UPPER: Final = re.compile(r"(?<=[a-z])([A-Z])")
# What OpenAPI and JSON Schema have and the API server does not keep.
_NOT_KEPT: Final = frozenset(
    {"readOnly", "writeOnly", "deprecated", "xml", "discriminator", "$comment", "examples", "contentEncoding",
     "contentMediaType", "x-go-name", "x-go-package", "x-order"}
)  # fmt: skip
_OF_PROPERTIES: Final = frozenset(
    {"type", "properties", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string"}
)
_MOST_KEYS: Final = 500  # of a mapping: each repeated key is looked for among them
_WHOLE_CRD: Final = f"{HEAD}        type: object\n"
_ITEMS: Final = "type: object\nproperties:\n  names:\n    type: array\n    items:\n      type: string\n"
_OBJECTS: Final = _ITEMS.replace("string", "object")


def _expected_type(finding: Finding) -> str:
    """Return the Go type that a decoder's error asks for."""
    return "" if finding.problem is None else finding.problem.go_type


def _wrong_scalar(finding: Finding) -> Scalar:
    """Return the scalar that is of the wrong type."""
    node = finding.node()
    if not isinstance(node, Scalar) or finding.editor.is_key(node):
        raise UneditableError
    return node


def _value(finding: Finding, name: str = "") -> tuple[Mapping, Scalar, Node]:
    """Return the mapping, key and value of an entry of the wrong type; ``name`` is the key that it must have."""
    mapping, key, value = finding.entry
    if name and key.value != name:
        raise UneditableError
    return mapping, key, value


def _plain_value(finding: Finding) -> Iterable[Edit]:
    """Write a number or a boolean without quotes."""
    node, expected = _wrong_scalar(finding), _expected_type(finding)
    if node.style in {"|", ">"}:
        return
    text = node.value.strip()
    if _GROUPED.match(text):
        text = text.replace(",", "").replace("_", "")
    integer = _WHOLE.match(text)
    if expected in {"int32", "int64", "int"} and integer:
        yield finding.editor.replace(node, integer[1])
    elif expected == "float64" and _NUMBER.match(text) and finding.editor.is_text(node):
        yield finding.editor.replace(node, text)
    elif expected == "bool":
        word = text.lower() if text.lower() in _BOOLEANS else nearest(text.lower(), ("true", "false"), 0.7)
        if word:
            yield finding.editor.replace(node, _BOOLEANS[word])


def _number_within(finding: Finding) -> Iterable[Edit]:
    """Write the number that a text contains, such as `8` for `<= 8`, `8 items` and `1000` for `1k`."""
    node = _wrong_scalar(finding)
    match = _AMONG.match(node.value.strip())
    if match is not None and _expected_type(finding) in {"int32", "int64", "int", "float64"} and not node.style:
        number = int(match[1].translate(_LOOKALIKES)) * (1000 if match[2] else 1)
        yield finding.editor.replace(node, str(number))


def _text_value(finding: Finding) -> Iterable[Edit]:
    """Write a text in quotes, as it is written."""
    node = _wrong_scalar(finding)
    if not node.style and _expected_type(finding) in {"string", "map[string]string"}:
        yield finding.editor.replace(node, quoted(node.value, double=finding.editor.is_json))


def _missing_blank(finding: Finding) -> Iterable[Edit]:
    """Add a space after the colon of a field that is alone in a mapping."""
    value = finding.entry[2]
    of = go_type(finding, value)
    match = _FIELD.match(value.value) if isinstance(value, Scalar) and not value.style else None
    if of is not None and of.kind == "struct" and match is not None and match[1] in of.fields:
        start = value.start_mark.index
        yield Edit(start + match.end(1), start + match.end(), ": ")


def _list_of_one(finding: Finding) -> Iterable[Edit]:
    """Make a list of a single value, or of values with commas between them."""
    editor = finding.editor
    _, _, value = _value(finding)
    of = go_type(finding, value)
    if of is None or of.kind != "slice":
        return
    if isinstance(value, Scalar):
        names = _SEPARATORS.split(value.value)
        if value.style and value.value.startswith("[") and value.value.endswith("]"):
            yield editor.replace(value, value.value)
        if not editor.is_text(value) or not all(_ONE.match(name.strip()) for name in names):
            return
        if len(names) == 1:
            yield editor.replace(value, f"[{editor.text[value.start_mark.index : value.end_mark.index]}]")
        else:
            yield editor.replace(value, f"[{', '.join(editor.value(name.strip(), like=value) for name in names)}]")
    elif isinstance(value, Mapping) and not value.items:
        yield editor.replace(value, "[]")
    elif isinstance(value, Mapping) and of.element is not None and of.element.kind != "struct":
        if all(map(is_null, value.items[1::2])):
            yield editor.write(value, f"[{', '.join(editor.value(name) for name in texts(value.items[::2]))}]")
    elif isinstance(value, Mapping):
        if value.flow:
            yield editor.replace(value, f"[{editor.text[value.start_mark.index : editor.end(value)]}]")
        else:
            start = value.start_mark.index
            yield from editor.indent(value, 2)
            yield editor.inserted(start, "- ")


def _single_value(finding: Finding) -> Iterable[Edit]:
    """Take the only value out of a list, and write the type for an empty list or mapping."""
    _, key, value = _value(finding)
    if key.value == "type" and isinstance(value, (Mapping, Sequence)) and not value.items:
        yield finding.editor.replace(value, "object" if isinstance(value, Mapping) else "array")
    if _expected_type(finding) not in {"string", "bool", "int32", "int64", "float64"} or key.value == "type":
        return
    match items(value):
        case [Scalar() as scalar]:
            is_text = _expected_type(finding) == "string"
            text = finding.editor.value(scalar.value, like=scalar) if is_text else finding.editor.source(scalar)
            yield finding.editor.write(value, text)


def _single_mapping(finding: Finding) -> Iterable[Edit]:
    """Take the only mapping out of a list."""
    _, _, value = finding.entry
    of = go_type(finding, value)
    return unlisted(finding, value) if of is not None and of.kind in {"struct", "map"} else ()


def _nullable_type(finding: Finding) -> Iterable[Edit]:
    """Write a type that may be null as a type and `nullable`."""
    mapping, _, value = _value(finding, "type")
    names = texts(items(value))
    types = [name for name in names if name not in {"null", "~", ""}]
    if len(types) != 1:
        return
    yield finding.editor.write(value, finding.editor.value(types[0]))
    if len(types) < len(names) and mapping.find("nullable") is None:
        yield finding.editor.insert(mapping, "nullable", "true", after="type")


def _alternative_types(finding: Finding) -> Iterable[Edit]:
    """Write a type that is an integer or a string as Kubernetes does."""
    mapping, key, value = _value(finding, "type")
    if set(texts(items(value))) == {"integer", "string"} and mapping.find("x-kubernetes-int-or-string") is None:
        yield finding.editor.respell(key, "x-kubernetes-int-or-string")
        yield finding.editor.write(value, "true")


def _schema_above(editor: Editor, schema: Mapping) -> tuple[Mapping, str]:
    """Return the schema that a schema is a property of, and the property's name."""
    name, properties = editor.key_of(schema), editor.parent(schema)
    owner = None if properties is None else editor.parent(properties)
    key = None if properties is None else editor.key_of(properties)
    if name is None or key is None or key.value != "properties" or not isinstance(owner, Mapping):
        raise UneditableError
    return owner, name.value


def _plain_blanks(finding: Finding) -> Iterable[Edit]:
    """Indent a key with spaces instead of non-breaking spaces."""
    _, key, _ = finding.entry
    start, text = key.start_mark.index, finding.editor.text
    end = start
    while text[end : end + 1] in {"\u00a0", " "}:
        end += 1
    if "\u00a0" in text[start:end]:
        yield Edit(start, end, " " * (end - start))


_PLAIN_BLANKS: Final = Fixer(
    "Indent with plain spaces", "safe", _plain_blanks,
    bad="type: object\nproperties:\n  host:\n    type: string\n  \u00a0 maxLength: 9\n",
    good="type: object\nproperties:\n  host:\n    type: string\n    maxLength: 9\n",
)  # fmt: skip


def _required_property(finding: Finding) -> Iterable[Edit]:
    """Move `required: true` of a property into the list of the object that has it."""
    schema, _, value = _value(finding, "required")
    if not isinstance(value, Scalar) or value.value.lower() not in {"true", "false"}:
        return
    if len(schema.items) == 2:
        return
    parent_key = finding.editor.key_of(schema)
    if parent_key is not None and parent_key.value == "items":
        yield finding.editor.remove(schema, "required")  # an item is never missing
        return
    owner, name = _schema_above(finding.editor, schema)
    yield finding.editor.remove(schema, "required")
    if value.value.lower() == "true":
        yield from add_required(finding.editor, owner, [name])


def _required_in_properties(finding: Finding) -> Iterable[Edit]:
    """Move a list `required` out of `properties`."""
    properties, _, value = _value(finding, "required")
    parent_key, schema = finding.editor.key_of(properties), finding.editor.parent(properties)
    if parent_key is None or parent_key.value != "properties" or not isinstance(schema, Mapping):
        return
    names = texts(items(value))
    yield finding.editor.remove(properties, "required")
    yield from add_required(finding.editor, schema, names)


def _exclusive_bound(finding: Finding) -> Iterable[Edit]:
    """Write an exclusive bound as OpenAPI v3 does: the bound, and that it is excluded."""
    mapping, key, value = finding.entry
    bound = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}.get(key.value)
    if bound is None or not isinstance(value, Scalar) or not _NUMBER.match(value.value) or mapping.find(bound):
        return
    yield finding.editor.insert(mapping, bound, value.value, before=key.value)
    yield finding.editor.replace(value, "true")


def _type_keys(finding: Finding) -> Iterable[Edit]:
    """Write kind and apiVersion, keys and values, as a CRD has them."""
    editor, root = finding.editor, finding.root
    if finding.problem is not None:
        return
    for name, (key, value, expected) in corrections(root).items():
        if key is None:
            yield editor.insert(root, name, editor.value(expected), before=editor.first(root))
            continue
        if key.value != name:
            yield editor.respell(key, name)
        if isinstance(value, Scalar) and value.value != expected:
            yield editor.respell(value, expected)


def go_type(finding: Finding, node: Node) -> GoType | None:
    """Return the Go type that a node is decoded as, None for what is kept as it is or unknown."""
    editor, known = finding.editor, finding.manifest.go_types
    known[id(finding.root)] = gotypes.CRD
    chain: list[Node] = []
    ancestor: Node | None = node
    while ancestor is not None and id(ancestor) not in known:
        chain.append(ancestor)
        ancestor = editor.parent(ancestor)
    of = gotypes.CRD if ancestor is None else known[id(ancestor)]
    for link in reversed(chain):
        of = known[id(link)] = None if of is None else _within(of, editor.key_of(link), link)
    return of


def _within(of: GoType, key: Scalar | None, node: Node) -> GoType | None:
    """Return the type of the value of a key, or of an item, in a value of a type."""
    inner = of.element if key is None else of.below(key.value)
    if inner is not None and inner.kind.startswith("schema-or-"):
        return gotypes.SCHEMA if isinstance(node, Mapping) else inner.element
    return inner


def _rename(finding: Finding) -> Iterable[Edit]:
    """Spell a field as the API does, if the mapping does not have that field."""
    problem = finding.problem
    mapping, key, value = finding.entry
    near = None if problem is None else problem.nearest or _other_name(finding, mapping, key.value)
    if (
        near is None
        or key.value in _NOT_KEPT
        or _GLUED.match(key.value)
        or mapping.find(near) is not None
        or not _may_have(finding, mapping, near, value)
    ):
        return
    yield finding.editor.respell(key, near)
    if near in _LISTS and isinstance(value, Scalar) and _ONE.match(value.value) and finding.editor.is_text(value):
        text = finding.editor.text[value.start_mark.index : value.end_mark.index]
        yield finding.editor.replace(value, f"[{text}]")


def _blank_in_key(finding: Finding) -> Iterable[Edit]:
    """Add a space after the colon of a field between brackets."""
    mapping, key, value = finding.entry
    of, match = go_type(finding, mapping), _GLUED.match(key.value)
    if of is not None and match is not None and match[1] in of.fields and is_null(value) and not key.style:
        yield finding.editor.inserted(key.start_mark.index + match.end(), " ")


def owner_below(finding: Finding) -> str | None:
    """Return the name of the only object beside a field that has such a field in the API."""
    of, name = go_type(finding, finding.entry[0]), finding.entry[1].value
    if of is None or of is gotypes.SCHEMA:
        return None
    owners = [owner for owner, field in of.fields.items() if field.type.kind == "struct" and name in field.type.fields]
    return owners[0] if len(owners) == 1 else None


def _field_below(finding: Finding) -> Iterable[Edit]:
    """Move a field to the only object beside it that has such a field in the API."""
    mapping, key, value = finding.entry
    editor, owner_name = finding.editor, owner_below(finding)
    if owner_name is None or mapping.flow or len(mapping.items) == 2:
        return
    source = editor.source(value)
    is_inline = isinstance(value, Scalar) or value.flow
    source = source if is_inline else f"\n{_shifted(source, 0 if isinstance(value, Sequence) else 2)}"
    owner = mapping.find(owner_name)
    yield editor.remove(mapping, key.value)
    if owner is None:
        below = source if is_inline else _shifted(source, 2)
        separator = " " if is_inline else ""
        yield editor.insert(mapping, owner_name, f"\n  {key.value}:{separator}{below}", before=key.value)
    elif isinstance(owner[1], Mapping) and owner[1].find(key.value) is None and (is_inline or not owner[1].flow):
        yield editor.insert(owner[1], key.value, source)
    elif is_null(owner[1]) or (isinstance(owner[1], Mapping) and not owner[1].items and is_inline):
        yield editor.write(owner[1], f"{{{key.value}: {source}}}")
    else:
        raise UneditableError


def _may_have(finding: Finding, mapping: Mapping, name: str, value: Node) -> bool:
    """Return whether a field of a mapping may have a value: no text where the API has an object or a list of objects."""
    of = go_type(finding, mapping)
    field = None if of is None else of.fields.get(name)
    if field is None or not isinstance(value, Scalar) or is_null(value):
        return True
    element = field.type.element
    return field.type.kind != "struct" and (element is None or element.kind != "struct")


def _other_name(finding: Finding, mapping: Mapping, name: str) -> str | None:
    of = go_type(finding, mapping)
    if of is None:
        return None
    extension = "x-kubernetes-" + _UPPER.sub(r"-\1", _PREFIX.sub("", name)).lower()
    return extension if extension in of.fields else _OTHER_NAMES.get(of.name, {}).get(name)


def _const(finding: Finding) -> Iterable[Edit]:
    """Write a constant as an enum of one value."""
    mapping, key, value = finding.entry
    if key.value == "const" and isinstance(value, Scalar) and mapping.find("enum") is None:
        text = finding.editor.text[value.start_mark.index : value.end_mark.index]
        yield finding.editor.respell(key, "enum")
        yield finding.editor.replace(value, f"[{text}]")


def _schema_wrapper(finding: Finding) -> Iterable[Edit]:
    """Put a schema below the `openAPIV3Schema` that is missing above it."""
    mapping, key, value = finding.entry
    of, editor = go_type(finding, mapping), finding.editor
    if of is None:
        return
    if of.name == "v1.CustomResourceDefinitionVersion" and key.value == "openAPIV3Schema":
        if mapping.find("schema") is not None or not isinstance(value, Mapping):
            return
        if mapping.flow:
            yield editor.inserted(key.start_mark.index, f"{editor.value('schema')}: {{")
            yield editor.inserted(editor.end(value), "}")
        else:
            blanks = " " * key.start_mark.column
            yield editor.inserted(key.start_mark.index, f"schema:{editor.newline}{blanks}  ")
            yield from editor.indent_lines(key.start_mark.index, editor.end(value), 2)
    elif of.name == "v1.CustomResourceValidation" and not mapping.flow:
        if any(
            not isinstance(field, Scalar) or field.value not in gotypes.SCHEMA.fields for field in mapping.items[::2]
        ):
            return
        start = mapping.start_mark.index
        blanks = " " * mapping.start_mark.column
        yield editor.inserted(start, f"openAPIV3Schema:{editor.newline}{blanks}  ")
        yield from editor.indent_lines(start, editor.end(mapping), 2)


def _not_kept(finding: Finding) -> Iterable[Edit]:
    """Remove an annotation that no CRD's schema keeps."""
    mapping, key, _ = finding.entry
    if key.value in _NOT_KEPT and go_type(finding, mapping) is gotypes.SCHEMA:
        yield finding.editor.remove(mapping, key.value)


def _field_above(finding: Finding) -> Iterable[Edit]:
    """Move a field to the object above, which has it in the API and lacks it here."""
    mapping, key, value = finding.entry
    editor = finding.editor
    parent = editor.parent(mapping)
    of = None if parent is None else go_type(finding, parent)
    if not isinstance(parent, Mapping) or of is None or of.kind != "struct" or key.value not in of.fields:
        return
    if parent.find(key.value) is not None or mapping.flow or parent.flow or len(mapping.items) == 2:
        return
    source = editor.source(value)
    if not isinstance(value, Scalar) and not value.flow:
        source = f"\n{_shifted(source, 0 if isinstance(value, Sequence) else 2)}"
    yield editor.remove(mapping, key.value)
    yield editor.insert(parent, key.value, source, before=_name_of(editor, mapping))


def _name_of(editor: Editor, node: Node) -> str:
    key = editor.key_of(node)
    return "" if key is None else key.value


def _shifted(text: str, by: int) -> str:
    return "\n".join(" " * by + line if line else line for line in text.split("\n"))


def own_end(editor: Editor, value: Node) -> int:
    """Return where the fields of a schema end that are keywords: the others may be properties beside it."""
    if isinstance(value, Mapping) and not value.flow:
        for key, inner in value.pairs():
            if isinstance(key, Scalar) and key.value not in gotypes.SCHEMA.fields and isinstance(inner, Mapping):
                return editor.line_start(key.start_mark.index) - 1
    return editor.end(value)


def _outdented_property(finding: Finding) -> Iterable[Edit]:
    """Indent a property like those above it, which its lines follow."""
    mapping, key, value = finding.entry
    editor = finding.editor
    index = editor.index(key)
    if go_type(finding, mapping) is not gotypes.SCHEMA or not isinstance(value, Mapping) or mapping.flow or not index:
        return
    name_above, properties = mapping.items[index - 2 : index]
    if getattr(name_above, "value", "") != "properties" or not isinstance(properties, Mapping) or properties.flow:
        return
    by = properties.start_mark.column - key.start_mark.column
    if by > 0 and {getattr(name, "value", "") for name in value.items[::2]} & _OF_PROPERTIES:
        start = editor.line_start(key.start_mark.index)
        yield editor.inserted(start, " " * by)
        yield from editor.indent_lines(start, own_end(editor, value), by)


def _is_scalar(schema: Mapping) -> bool:
    """Return whether a schema has a type whose values have no properties."""
    type_ = schema.find("type")
    return type_ is not None and getattr(type_[1], "value", "") in {"string", "integer", "number", "boolean"}


def _indented_property(finding: Finding) -> Iterable[Edit]:
    """Indent a property like the scalar above it, below which it is by mistake."""
    mapping, key, value = finding.entry
    editor, upper_key = finding.editor, finding.editor.key_of(mapping)
    if (
        go_type(finding, mapping) is not gotypes.SCHEMA
        or not isinstance(value, Mapping)
        or mapping.flow
        or upper_key is None
    ):
        return
    by = key.start_mark.column - upper_key.start_mark.column
    is_last = mapping.items[-1] is value
    if (
        not is_last
        or not _is_scalar(mapping)
        or not {getattr(name, "value", "") for name in value.items[::2]} & _OF_PROPERTIES
    ):
        return
    start, end = editor.line_start(key.start_mark.index), editor.end(value)
    for edit in (Edit(start, start, ""), *editor.indent_lines(start, end, by)):
        if editor.text[edit.start : edit.start + by].strip(" "):
            raise UneditableError
        yield Edit(edit.start, edit.start + by, "")


def _is_unknown(finding: Finding, mapping: Mapping) -> bool:
    """Return whether a mapping is the value of an unknown field of a schema."""
    name, parent = finding.editor.key_of(mapping), finding.editor.parent(mapping)
    is_in_schema = isinstance(parent, Mapping) and go_type(finding, parent) is gotypes.SCHEMA
    return is_in_schema and name is not None and name.value not in gotypes.SCHEMA.fields


def _misplaced_property(finding: Finding) -> Iterable[Edit]:
    """Move a field that looks like a property's schema into `properties`."""
    mapping, key, value = finding.entry
    editor = finding.editor
    if go_type(finding, mapping) is not gotypes.SCHEMA or not isinstance(value, Mapping) or mapping.flow or value.flow:
        return
    names = {field.value for field in value.items[::2] if isinstance(field, Scalar)}
    if not names & _OF_PROPERTIES or _is_unknown(finding, mapping) or _is_scalar(mapping):
        return
    properties = mapping.find("properties")
    source = f"\n{_shifted(editor.source(value), 2)}"
    yield editor.remove(mapping, key.value)
    if properties is None:
        yield editor.insert(mapping, "properties", f"\n  {key.value}:{_shifted(source, 2)}", after="type")
    elif isinstance(properties[1], Mapping) and not properties[1].flow and properties[1].find(key.value) is None:
        yield editor.insert(properties[1], key.value, source)
    else:
        raise UneditableError


def _twice(finding: Finding) -> tuple[Mapping, int, int]:
    """Return the mapping with a key set twice, and the indexes of the two keys."""
    editor = finding.editor
    if finding.duplicate is not None:
        if finding.duplicate.how != "written twice":
            raise UneditableError
        first, later = finding.duplicate.first, finding.duplicate.later
    elif finding.problem is not None and finding.problem.first is not None:
        first, later = finding.problem.first, finding.problem.node
    else:
        raise UneditableError
    mapping = editor.parent(first)
    if not isinstance(mapping, Mapping) or editor.parent(later) is not mapping:
        raise UneditableError
    names = [getattr(key, "value", None) for key in mapping.items[: 2 * _MOST_KEYS + 2 : 2]]
    if len(names) > _MOST_KEYS or len(names) - len(set(names)) > 1:
        raise UneditableError  # a block that is indented too far repeats several keys: removing them would lose it
    return mapping, editor.index(first), editor.index(later)


def _repeated_key(finding: Finding) -> Iterable[Edit]:
    """Remove the second of two equal entries."""
    mapping, first, later = _twice(finding)
    if to_json(mapping.items[first + 1]) == to_json(mapping.items[later + 1]):
        yield finding.editor.remove_at(mapping, later)


def _overridden_key(finding: Finding) -> Iterable[Edit]:
    """Remove the first of two entries, which the API server never sees."""
    mapping, first, _ = _twice(finding)
    yield finding.editor.remove_at(mapping, first)


def _in_spec(schema: str) -> str:
    return f"type: object\nproperties:\n  spec:\n    type: object\n{schema}"


def _converted(webhook: str) -> str:
    """Return a CRD with the configuration of a conversion webhook."""
    return _WHOLE_CRD.replace("  versions:\n", f"  conversion:\n{webhook}    strategy: Webhook\n  versions:\n")


def _names(text: str) -> str:
    """Return a CRD with a text in the place of its names and scope."""
    return _WHOLE_CRD.replace("  scope: Namespaced\n  names: {plural: foos, kind: Foo}\n", text)


DECODE: Final = (
    _PLAIN_BLANKS,
    Fixer("Correct `kind` and `apiVersion`", "safe", _type_keys,
          bad=_WHOLE_CRD.replace("apiVersion:", "apiVersoin:"), good=_WHOLE_CRD, scope="text"),
    Fixer(
        "Move `required: true` into the list of the object", "unsafe", _required_property,
        bad=_in_spec("    properties:\n      host:\n        type: string\n        required: true\n"),
        good=_in_spec("    required: [host]\n    properties:\n      host:\n        type: string\n"),
    ),
    Fixer(
        "Move `required` out of `properties`", "safe", _required_in_properties,
        bad=_in_spec("    properties:\n      required: [host]\n      host: {type: string}\n"),
        good=_in_spec("    required: [host]\n    properties:\n      host: {type: string}\n"),
    ),
    Fixer(
        "Write the type and `nullable`", "safe", _nullable_type,
        bad='type: object\nproperties:\n  note:\n    type: [string, "null"]\n',
        good="type: object\nproperties:\n  note:\n    type: string\n    nullable: true\n",
    ),
    Fixer(
        "Write `x-kubernetes-int-or-string`", "safe", _alternative_types,
        bad="type: object\nproperties:\n  port:\n    type: [integer, string]\n",
        good="type: object\nproperties:\n  port:\n    x-kubernetes-int-or-string: true\n",
    ),
    Fixer(
        "Write the bound as OpenAPI v3 does", "safe", _exclusive_bound,
        bad="type: object\nproperties:\n  size: {type: integer, exclusiveMinimum: 0}\n",
        good="type: object\nproperties:\n  size: {type: integer, exclusiveMinimum: true, minimum: 0}\n",
    ),
    Fixer("Write the value without quotes", "safe", _plain_value),
    Fixer(
        "Write the number that is meant", "unsafe", _number_within,
        bad="type: object\nproperties:\n  name: {type: string, maxLength: 1k}\n",
        good="type: object\nproperties:\n  name: {type: string, maxLength: 1000}\n",
    ),
    Fixer(
        "Add a space after the colon", "safe", _missing_blank,
        bad="type: object\nproperties:\n  name:\n    type:string\n",
        good="type: object\nproperties:\n  name:\n    type: string\n",
    ),
    Fixer(
        "Write the text in quotes", "safe", _text_value,
        bad="type: object\nproperties:\n  name: {type: string, description: 5}\n",
        good="type: object\nproperties:\n  name: {type: string, description: '5'}\n",
    ),
    Fixer(
        "Make a list of the value", "safe", _list_of_one,
        bad="type: object\nrequired: spec\nproperties:\n  spec: {type: object}\n",
        good="type: object\nrequired: [spec]\nproperties:\n  spec: {type: object}\n",
    ),
    Fixer(
        "Take the value out of the list", "safe", _single_value,
        bad="type: object\nproperties:\n  name: {type: string, format: [uuid]}\n",
        good="type: object\nproperties:\n  name: {type: string, format: uuid}\n",
    ),
    *shorthand_fixes.DECODE,
    Fixer(
        "Take the mapping out of the list", "unsafe", _single_mapping,
        bad="type: object\nproperties:\n  name:\n  - type: string\n",
        good="type: object\nproperties:\n  name:\n    type: string\n",
    ),
)  # fmt: skip

UNKNOWN: Final = (
    _PLAIN_BLANKS.example(
        scope="text",
        bad=f"{HEAD}        type: object\n    \u00a0   title: A\n", good=f"{HEAD}        type: object\n        title: A\n",
    ),
    Fixer(
        "Add a space after the colon", "safe", _blank_in_key,
        bad="type: object\nproperties: {size: {type: integer, minimum:1}}\n",
        good="type: object\nproperties: {size: {type: integer, minimum: 1}}\n",
    ),
    Fixer("Spell the field as the API does", "safe", _rename),
    Fixer(
        "Write the constant as an enum", "safe", _const,
        bad="type: object\nproperties:\n  mode: {type: string, const: auto}\n",
        good="type: object\nproperties:\n  mode: {type: string, enum: [auto]}\n",
    ),
    Fixer(
        "Put the schema below `openAPIV3Schema`",
        "safe",
        _schema_wrapper,
        bad=HEAD.replace("      openAPIV3Schema:\n", "      type: object\n"),
        good=f"{HEAD}        type: object\n",
        scope="text",
    ),
    Fixer(
        "Move the field to the object above",
        "safe",
        _field_above,
        bad=_names("  names:\n    plural: foos\n    scope: Cluster\n    kind: Foo\n"),
        good=_names("  scope: Cluster\n  names:\n    plural: foos\n    kind: Foo\n"),
        scope="text",
    ),
    Fixer(
        "Move the field to where v1 has it",
        "safe",
        v1beta1.in_v1,
        bad=_WHOLE_CRD.split("    schema:")[0] + "  validation:\n    openAPIV3Schema:\n      type: object\n",
        good=_WHOLE_CRD,
        scope="text",
    ),
    Fixer(
        "Move the field to where v1 has it",
        "safe",
        v1beta1.in_v1,
        bad=_converted("    webhookClientConfig:\n      url: https://example.com/\n    conversionReviewVersions: [v1]\n"),
        good=_converted(
            "    webhook:\n      clientConfig:\n        url: https://example.com/\n      conversionReviewVersions: [v1]\n"
        ),
        scope="text",
    ),
    Fixer(
        "Move the field to the object below", "safe", _field_below,
        bad=_names("  scope: Namespaced\n  plural: foos\n  names:\n    kind: Foo\n"),
        good=_names("  scope: Namespaced\n  names:\n    kind: Foo\n    plural: foos\n"),
        scope="text",
    ),
    Fixer(
        "Indent the property like the one above", "unsafe", _indented_property,
        bad=_in_spec("    properties:\n      port:\n        type: integer\n        host:\n          type: string\n"),
        good=_in_spec("    properties:\n      port:\n        type: integer\n      host:\n        type: string\n"),
    ),
    Fixer(
        "Indent the property like those above", "unsafe", _outdented_property,
        bad=_in_spec("    properties:\n      port:\n        type: integer\n    host:\n      type: string\n"),
        good=_in_spec("    properties:\n      port:\n        type: integer\n      host:\n        type: string\n"),
    ),
    Fixer(
        "Move the property into `properties`", "unsafe", _misplaced_property,
        bad=_in_spec("    host:\n      type: string\n    properties:\n      port:\n        type: integer\n"),
        good=_in_spec("    properties:\n      port:\n        type: integer\n      host:\n        type: string\n"),
    ),
    Fixer(
        "Remove the field, which no CRD keeps", "unsafe", _not_kept,
        bad="type: object\nproperties:\n  name: {type: string, readOnly: true}\n",
        good="type: object\nproperties:\n  name: {type: string}\n",
    ),
)  # fmt: skip


IGNORED: Final = (
    Fixer("Spell the field as the API does", "safe", _rename),
    Fixer(
        "Write the constant as an enum", "safe", _const,
        bad=f"{_ITEMS}      const: auto\n", good=f"{_ITEMS}      enum: [auto]\n",
    ),
    Fixer(
        "Remove the field, which no CRD keeps", "safe", _not_kept,
        bad=f"{_ITEMS}      readOnly: true\n", good=_ITEMS,
    ),
    Fixer(
        "Move the property into `properties`", "unsafe", _misplaced_property,
        bad=f"{_OBJECTS}      host:\n        type: string\n",
        good=f"{_OBJECTS}      properties:\n        host:\n          type: string\n",
    ),
)  # fmt: skip

DUPLICATE: Final = (
    Fixer(
        "Remove the repetition", "safe", _repeated_key,
        bad="type: object\nproperties:\n  name:\n    type: string\n    type: string\n",
    ),
    Fixer(
        "Keep the last value, as the API server does", "unsafe", _overridden_key,
        good="type: object\nproperties:\n  name:\n    type: integer\n",
    ),
)  # fmt: skip

MISSPELLED: Final = (Fixer("Correct `kind` and `apiVersion`", "safe", _type_keys),)


def _of_cause(repair: Repair) -> Callable[[Finding], Iterable[Edit]]:
    """Return what makes the repair of a syntax error, if that is its cause's."""

    def edits(finding: Finding) -> Iterable[Edit]:
        cause = finding.manifest.cause
        return cause.edits if cause is not None and cause.repair is repair else ()

    return edits


def _described(text: str) -> str:
    if text.startswith("{"):  # JSON
        return json.dumps(small({"type": "object", "properties": None})).replace("null", text)
    properties = indent(text, " " * 10, lambda line: line[0] not in "+-<=>\t")
    return f"{HEAD}        type: object\n        properties:\n{properties}"


SYNTAX: Final = tuple(
    Fixer(
        repair.title,
        repair.applicability,
        _of_cause(repair),
        bad=repair.around.format(_described(repair.bad)),
        good=_described(repair.good),
        scope="text",
    )
    for repair in repairs.ALL
)
