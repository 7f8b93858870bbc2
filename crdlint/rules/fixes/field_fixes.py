"""Fixes of unknown fields and of keys that are set twice, and the help for fields in the wrong object."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from textwrap import indent
from typing import Final, TypeGuard

from crdlint.crd.gotypes import SCHEMA, UNKNOWN_TYPE
from crdlint.gathering import only
from crdlint.light import NamedTuple, regex, replace
from crdlint.phrases import Layout, OneCommand
from crdlint.rules.engine.advisory import SCALARS
from crdlint.rules.engine.edits import Edits, expect, is_null, texts
from crdlint.rules.engine.examples import HEAD, small
from crdlint.rules.engine.finding import DecodeFinding, DocumentFinding, RepeatedKeyFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.fixes import shifts, v1beta1
from crdlint.rules.fixes.type_fixes import WHOLE_CRD, in_spec, plain_blanks
from crdlint.schema.value_help import listed
from crdlint.yaml import repairs
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import Editor, UneditableError
from crdlint.yaml.json_values import to_json
from crdlint.yaml.nodes import (
    Mapping,
    Mark,
    Node,
    Scalar,
    Sequence,
    child,
    key_names,
    pairs_of,
    text_of,
    text_or_empty,
)
from crdlint.yaml.repairs import Repair

_MOST_KEYS: Final = 500  # of a mapping: each repeated key is looked for among them
_ONE: Final = regex(r"[^\s,\[\]{}]+\Z")
_GLUED: Final = regex(r"([\w$-]+)(?::|=>?)(?=[^\s:=])")  # a field and its value
# How people begin the names of extensions, and the words of a name in camel case.
_PREFIX: Final = regex(r"(?:x-)?(?:kubernetes-|k8s-)?")
_UPPER: Final = regex(r"(?<=[a-z])([A-Z])")
_LISTS: Final = frozenset(
    {
        "required",
        "shortNames",
        "categories",
        "enum",
        "x-kubernetes-list-map-keys",
        "conversionReviewVersions",
    }
)
# Names that other versions and tools have for a field, by its Go type.
_OTHER_NAMES: Final = {
    "v1.CustomResourceDefinitionVersion": {
        "validation": "schema", "printerColumns": "additionalPrinterColumns",
        "printColumns": "additionalPrinterColumns", "columns": "additionalPrinterColumns",
        "version": "name",
    },
    "v1.CustomResourceValidation": {"openAPISchema": "openAPIV3Schema", "openAPIV2Schema": "openAPIV3Schema"},
    "v1.JSONSchemaProps": {
        "desc": "description", "defaultValue": "default", "kind": "type",
        "regex": "pattern", "values": "enum", "fields": "properties", "attributes": "properties",
        "element": "items", "elements": "items",
    },
    "v1.ValidationRule": {"expression": "rule", "expr": "rule", "cel": "rule", "msg": "message"},
    "v1.CustomResourceColumnDefinition": {"path": "jsonPath", "kind": "type", "label": "name", "header": "name", "title": "name"},
    "v1.SelectableField": {"path": "jsonPath"},
    "v1.WebhookConversion": {"reviewVersions": "conversionReviewVersions"},
    "v1.ServiceReference": {"serviceName": "name", "serviceNamespace": "namespace"},
    "v1.CustomResourceDefinitionNames": {"aliases": "shortNames", "kindList": "listKind"},
}  # fmt: skip
# What `min` and `max` limit, by the type of the schema.
_LIMITED: Final = {
    "array": "Items",
    "string": "Length",
    "object": "Properties",
    "integer": "imum",
    "number": "imum",
}
# What OpenAPI and JSON Schema have and the API server does not keep.
_NOT_KEPT: Final = frozenset(
    {
        "readOnly",
        "writeOnly",
        "deprecated",
        "xml",
        "discriminator",
        "$comment",
        "examples",
        "contentEncoding",
        "contentMediaType",
        "$id",
        "$vocabulary",
        "x-go-name",
        "x-go-package",
        "x-order",
    }
)
_ITEMS: Final = (
    "type: object\nproperties:\n  names:\n    type: array\n    items:\n      type: string\n"
)
_OBJECTS: Final = _ITEMS.replace("string", "object")


def _of_items(text: str) -> str:
    """Return a schema of objects with the property `port` and a text after it."""
    return f"{_OBJECTS}      properties:\n" + indent(f"port:\n  type: integer\n{text}", " " * 8)


_IN_ITEMS: Final = _of_items("host:\n  type: string\n")
_OUT_OF_ITEMS: Final = _IN_ITEMS.replace(
    "        host:\n          type", "      host:\n        type"
)


def _converted(webhook: str) -> str:
    return WHOLE_CRD.replace(
        "  versions:\n", f"  conversion:\n{webhook}    strategy: Webhook\n  versions:\n"
    )


def _names(text: str) -> str:
    return WHOLE_CRD.replace("  scope: Namespaced\n  names: {plural: foos, kind: Foo}\n", text)


@Fixer("Write a colon and a space after the key", "safe").example(
    bad="type: object\nproperties: {size: {type: integer, minimum:1}}\n",
    good="type: object\nproperties: {size: {type: integer, minimum: 1}}\n",
)
def _blank_in_key(finding: DecodeFinding) -> Edits:
    """Write a colon and a space between a field and its value, between brackets."""
    mapping, key, value = finding.entry
    of, match = finding.go_type(mapping), _GLUED.match(key.value)
    is_field = match is not None and match[1] in of.fields
    if match is not None and is_field and is_null(value) and not key.style:
        start = key.start_mark.index
        yield Edit(start + match.end(1), start + match.end(), ": ")


@Fixer("Spell the field as the API does", "safe")
def _rename(finding: DecodeFinding) -> Edits:
    """Spell a field as the API does, if the mapping does not have that field."""
    mapping, key, value = finding.entry
    near = finding.problem.nearest or _other_name(finding, mapping, key.value)
    if near is None or key.value in _NOT_KEPT or _GLUED.match(key.value):
        return
    if mapping.find(near) is not None or not _may_have(finding, mapping, near, value):
        return
    if finding.go_type(mapping) is SCHEMA and _may_be_property(near, value):
        return  # of the wrong indentation
    yield finding.editor.respell(key, near)
    if near in _LISTS and _is_word(value, finding.editor):
        yield finding.editor.replace(value, f"[{finding.written(value)}]")


def _may_be_property(name: str, value: Node) -> bool:
    """Return whether a field of a schema may be a property: it has no value, or a schema where any value is allowed."""
    names = {text_of(key) for key, _ in pairs_of(value)}
    return is_null(value) or (name in {"default", "example"} and bool(names & shifts.OF_PROPERTIES))


def _is_word(value: Node, editor: Editor) -> TypeGuard[Scalar]:
    """Return whether a value is a text that is one item of a list."""
    return isinstance(value, Scalar) and bool(_ONE.match(value.value)) and editor.is_text(value)


def _may_have(
    finding: DecodeFinding,
    mapping: Mapping,
    name: str,
    value: Node,
) -> bool:
    """Return whether a field of a mapping may have a value: no text for objects or lists of them, no object for a text."""
    field = finding.go_type(mapping).fields.get(name)
    if field is None or is_null(value):
        return True
    if isinstance(value, Scalar):
        element = field.type.element or UNKNOWN_TYPE
        return "struct" not in {field.type.kind, element.kind}
    return not value.items or isinstance(value, Sequence) or field.type.kind != "string"


def _other_name(finding: DecodeFinding, mapping: Mapping, name: str) -> str | None:
    of = finding.go_type(mapping)
    if of is SCHEMA and name in {"min", "max"}:
        limited = _LIMITED.get(text_or_empty(child(mapping, "type")))
        return limited and f"{name}{limited}"
    extension = "x-kubernetes-" + _UPPER.sub(r"-\1", _PREFIX.sub("", name)).lower()
    return extension if extension in of.fields else _OTHER_NAMES.get(of.name, {}).get(name)


@Fixer("Write the constant as an enum", "safe").example(
    bad="type: object\nproperties:\n  mode: {type: string, const: auto}\n",
    good="type: object\nproperties:\n  mode: {type: string, enum: [auto]}\n",
)
def _const(finding: DecodeFinding) -> Edits:
    mapping, key, value = finding.entry
    if key.value == "const" and isinstance(value, Scalar) and mapping.find("enum") is None:
        yield finding.editor.respell(key, "enum")
        yield finding.editor.replace(value, f"[{finding.written(value)}]")


@Fixer("Write the type of the items as their schema", "safe").example(
    bad="type: object\nproperties:\n  hosts: {type: array, itemType: string}\n",
    good="type: object\nproperties:\n  hosts: {type: array, items: {type: string}}\n",
)
def _type_of_items(finding: DecodeFinding) -> Edits:
    mapping, key, value = finding.entry
    is_list = text_of(child(mapping, "type")) == "array" and mapping.find("items") is None
    if is_list and key.value in _ITEM_TYPES and text_of(value) in SCALARS:
        yield finding.editor.respell(key, "items")
        name = finding.editor.name("type")
        yield finding.editor.replace(value, f"{{{name}: {finding.editor.source(value)}}}")


_ITEM_TYPES: Final = frozenset({"itemType", "itemsType", "elementType", "items-type", "item-type"})


@Fixer("Put the schema below `openAPIV3Schema`", "safe").example(
    bad=HEAD.replace("      openAPIV3Schema:\n", "      type: object\n"),
    good=WHOLE_CRD,
    scope="text",
)
def _schema_wrapper(finding: DecodeFinding) -> Edits:
    """Put a schema below the `openAPIV3Schema` that is missing above it, or that below `schema`."""
    mapping, key, value = finding.entry
    name, editor = finding.go_type(mapping).name, finding.editor
    if name == "v1.CustomResourceDefinitionVersion" and key.value == "openAPIV3Schema":
        missing, start, end = "schema", key.start_mark, editor.end(expect(Mapping, value))
        if mapping.find("schema") is not None:
            return
    elif name == "v1.CustomResourceValidation" and not mapping.flow:
        missing, start, end = "openAPIV3Schema", mapping.start_mark, editor.end(mapping)
        if any(expect(Scalar, field).value not in SCHEMA.fields for field in mapping.items[::2]):
            return
    else:
        return
    yield from _below(editor, missing, start, end, flow=mapping.flow)


def _below(
    editor: Editor,
    name: str,
    start: Mark,
    end: int,
    *,
    flow: bool,
) -> Iterator[Edit]:
    """Yield the edits that put fields below a new key."""
    if flow:
        yield editor.inserted(start.index, f"{editor.value(name)}: {{")
        yield editor.inserted(end, "}")
    else:
        yield editor.inserted(start.index, f"{name}:{editor.newline}{' ' * start.column}  ")
        yield from editor.indent_lines(start.index, end, 2)


@Fixer("Move the field to the object above", "safe").example(
    bad=_names("  names:\n    plural: foos\n    scope: Cluster\n    kind: Foo\n"),
    good=_names("  scope: Cluster\n  names:\n    plural: foos\n    kind: Foo\n"),
    scope="text",
)
def _field_above(finding: DecodeFinding) -> Edits:
    """Move a field to the object above, which has it in the API and lacks it here."""
    mapping, key, value = finding.entry
    editor = finding.editor
    parent = expect(Mapping, editor.parent(mapping))
    is_lacking = key.value in finding.go_type(parent).fields and parent.find(key.value) is None
    can_lose_it = not mapping.flow and len(mapping.items) > 2
    if is_lacking and can_lose_it and not parent.flow:
        yield editor.remove(mapping, key.value)
        yield editor.insert(
            parent,
            key.value,
            v1beta1.block(editor, value),
            before=editor.name_of(mapping),
        )


@Fixer("Move the field to where v1 has it", "safe").example(
    bad=WHOLE_CRD.split("    schema:")[0]
    + "  validation:\n    openAPIV3Schema:\n      type: object\n",
    good=WHOLE_CRD,
    scope="text",
)
def _in_v1(finding: DecodeFinding) -> Edits:
    return v1beta1.in_v1(finding)


@Fixer("Move the field to the object below", "safe").example(
    bad=_names("  scope: Namespaced\n  plural: foos\n  names:\n    kind: Foo\n"),
    good=_names("  scope: Namespaced\n  names:\n    kind: Foo\n    plural: foos\n"),
    scope="text",
)
def _field_below(finding: DecodeFinding) -> Edits:
    """Move a field to the only object beside it that has such a field in the API."""
    mapping, key, value = finding.entry
    editor, owner_name = finding.editor, _owner_below(finding)
    if owner_name is None or mapping.flow or len(mapping.items) == 2:
        return
    owner = mapping.find(owner_name)
    if owner is not None:
        yield editor.remove(mapping, key.value)
        yield _moved_into(editor, owner[1], key.value, value)
    elif key.value == _first_below(finding, owner_name) and owner_name != "openAPIV3Schema":
        # The others are moved after the first. It may be that nothing beside `openAPIV3Schema` is a schema.
        yield from _below(
            editor,
            owner_name,
            key.start_mark,
            editor.end(value),
            flow=False,
        )


def _first_below(finding: DecodeFinding, owner_name: str) -> str | None:
    """Return the first field of a mapping that only belongs into an object which the mapping does not have."""
    mapping = finding.entry[0]
    fields = finding.go_type(mapping).fields
    only_below = fields[owner_name].type.fields.keys() - fields.keys()
    return next((name for name in key_names(mapping) if name in only_below), None)


def _moved_into(
    editor: Editor,
    owner: Node,
    name: str,
    value: Node,
) -> Edit:
    """Return the edit that adds a field to an object that lacks it, or writes the object if it is null."""
    source, is_in_line = v1beta1.block(editor, value), isinstance(value, Scalar) or value.flow
    if is_null(owner):
        return editor.write(owner, f"{{{name}: {source}}}")
    if not isinstance(owner, Mapping) or owner.find(name) is not None:
        raise UneditableError
    if owner.flow and not is_in_line:
        raise UneditableError
    return editor.insert(owner, name, source)


def _owner_below(finding: DecodeFinding) -> str | None:
    """Return the name of the only object beside a field that has such a field in the API."""
    of, name = finding.go_type(finding.entry[0]), finding.entry[1].value
    if of is SCHEMA:
        return None
    return only([owner for owner, field in of.fields.items() if name in field.type.fields])


@Fixer("Move the field to the object that has it", "safe").example(
    bad=WHOLE_CRD.replace("  scope: Namespaced\n", "").replace(
        "metadata:\n", "metadata:\n  scope: Namespaced\n"
    ),
    good=WHOLE_CRD.replace("  scope: Namespaced\n", "") + "  scope: Namespaced\n",
    scope="text",
)
def _field_beside(finding: DecodeFinding) -> Edits:
    """Move a field between the metadata, the spec and the names, if one other of them has such a field in the API."""
    mapping, key, value = finding.entry
    owner = _owner_beside(finding)
    if owner is None or mapping.flow or len(mapping.items) == 2:
        return
    yield finding.editor.remove(mapping, key.value)
    yield _moved_into(
        finding.editor,
        owner[1],
        key.value,
        value,
    )


_MAIN_OBJECTS: Final = ("metadata", "spec", "spec.names")


def _owner_beside(finding: DecodeFinding) -> tuple[str, Node] | None:
    """Return the path and the node of the object to which a field of the metadata, the spec or the names belongs."""
    mapping, key = finding.entry[:2]
    objects = {path: child(finding.root, *path.split(".")) for path in _MAIN_OBJECTS}
    if not any(node is mapping for node in objects.values()):
        return None
    return only(
        [
            (path, node)
            for path, node in objects.items()
            if node is not None and key.value in finding.go_type(node).fields
        ]
    )


@Fixer("Move the property into `properties`", "unsafe").example(
    bad=in_spec(
        "    host:\n      type: string\n    properties:\n      port:\n        type: integer\n"
    ),
    good=shifts.INDENTED,
)
def _misplaced_property(finding: DecodeFinding) -> Edits:
    """Move a field that looks like a property's schema into `properties`."""
    mapping, key, value = shifts.schema_of_property(finding)
    editor = finding.editor
    if value.flow or _is_unknown(finding, mapping) or shifts.has_no_properties(mapping):
        return
    properties, source = mapping.find("properties"), v1beta1.block(editor, value)
    yield editor.remove(mapping, key.value)
    if properties is None:
        yield editor.insert(
            mapping,
            "properties",
            f"\n  {key.value}:{v1beta1.shifted(source, 2)}",
            after="type",
        )
    elif (
        isinstance(properties[1], Mapping)
        and not properties[1].flow
        and properties[1].find(key.value) is None
    ):
        yield editor.insert(properties[1], key.value, source)
    else:
        raise UneditableError


def _is_unknown(finding: DecodeFinding, mapping: Mapping) -> bool:
    """Return whether a mapping is the value of an unknown field of a schema."""
    name, parent = finding.editor.key_of(mapping), finding.editor.parent(mapping)
    if name is None or parent is None:
        return False
    return finding.go_type(parent) is SCHEMA and name.value not in SCHEMA.fields


@Fixer("Remove the field, which no CRD keeps", "unsafe").example(
    bad="type: object\nproperties:\n  name: {type: string, readOnly: true}\n",
    good="type: object\nproperties:\n  name: {type: string}\n",
)
def _not_kept(finding: DecodeFinding) -> Edits:
    """Remove an annotation that no CRD's schema keeps."""
    mapping, key, _ = finding.entry
    if key.value in _NOT_KEPT and finding.go_type(mapping) is SCHEMA:
        yield finding.editor.remove(mapping, key.value)


UNKNOWN: Final = (
    plain_blanks.example(
        f"{WHOLE_CRD}    \u00a0   title: A\n", f"{WHOLE_CRD}        title: A\n", "text"
    ),
    _blank_in_key,
    _rename,
    _const,
    _type_of_items,
    _schema_wrapper,
    _field_above,
    _in_v1,
    _in_v1.example(
        _converted(
            "    webhookClientConfig:\n      url: https://example.com/\n    conversionReviewVersions: [v1]\n"
        ),
        _converted(
            "    webhook:\n      clientConfig:\n        url: https://example.com/\n      conversionReviewVersions: [v1]\n"
        ),
        "text",
    ),
    shifts.outdented_field,
    _field_below,
    _field_beside,
    shifts.outdented_properties,
    shifts.indented_key,
    shifts.indented_property,
    shifts.outdented_property,
    _misplaced_property,
    _not_kept,
)
IGNORED: Final = (
    shifts.indented_key.example(_of_items("  host:\n  type: string\n"), _IN_ITEMS),
    shifts.indented_property.example(_of_items("  host:\n    type: string\n"), _IN_ITEMS),
    shifts.outdented_property.example(_OUT_OF_ITEMS, _IN_ITEMS),
    replace(
        _rename, applicability="unsafe"
    ),  # a limit that was dropped starts to work, also for stored objects
    replace(_const, applicability="unsafe").example(
        f"{_ITEMS}      const: auto\n", f"{_ITEMS}      enum: [auto]\n"
    ),
    _type_of_items.example(
        f"{_OBJECTS}      properties:\n        hosts: {{type: array, itemType: string}}\n",
        f"{_OBJECTS}      properties:\n        hosts: {{type: array, items: {{type: string}}}}\n",
    ),
    replace(_not_kept, applicability="safe").example(f"{_ITEMS}      readOnly: true\n", _ITEMS),
    _misplaced_property.example(
        bad=f"{_OBJECTS}      host:\n        type: string\n",
        good=f"{_OBJECTS}      properties:\n        host:\n          type: string\n",
    ),
)


def _twice(finding: RepeatedKeyFinding) -> tuple[Mapping, int, int]:
    """Return the mapping with a key set twice, and the indexes of the two keys."""
    editor, key = finding.editor, finding.key
    if key.how != "written twice":
        raise UneditableError
    first, later = expect(Scalar, key.first), expect(Scalar, key.later)
    mapping = expect(Mapping, editor.parent(first))
    names = [getattr(key, "value", None) for key in mapping.items[: 2 * _MOST_KEYS + 2 : 2]]
    # A block that is indented too far repeats several keys: removing them would lose it.
    if (
        editor.parent(later) is not mapping
        or len(names) > _MOST_KEYS
        or len(names) - len(set(names)) > 1
    ):
        raise UneditableError
    start, end = editor.index(first), editor.index(later)
    if any(map(is_null, mapping.items[start + 3 : end : 2])) or _is_outdented(editor, mapping):
        raise UneditableError
    return mapping, start, end


def _is_outdented(editor: Editor, mapping: Mapping) -> bool:
    """Return whether a mapping is named like a keyword, but is a property: it may belong to the one above."""
    is_above_properties = editor.name_of(editor.parent(mapping)) == "properties"
    return is_above_properties and editor.name_of(mapping) in shifts.OBJECTS_OF_SCHEMA


@Fixer("Remove the repetition", "safe").example(
    bad="type: object\nproperties:\n  name:\n    type: string\n    type: string\n",
    good="type: object\nproperties:\n  name:\n    type: string\n",
)
def _repeated_key(finding: RepeatedKeyFinding) -> Edits:
    """Remove the second of two equal entries, unless a block around them is repeated, in which they may be out of place."""
    mapping, first, later = _twice(finding)
    if _is_within_repeated(finding.editor, mapping):
        return
    if to_json(mapping.items[first + 1]) == to_json(mapping.items[later + 1]):
        yield finding.editor.remove_at(mapping, later)


def _is_within_repeated(editor: Editor, node: Node) -> bool:
    """Return whether a node is in a mapping that has the key of this part of it twice."""
    parent = editor.parent(node)
    while parent is not None:
        key = editor.key_of(node)
        if isinstance(parent, Mapping) and key is not None:
            others = islice(parent.items[::2], _MOST_KEYS)
            if any(text_of(other) == key.value for other in others if other is not key):
                return True
        node, parent = parent, editor.parent(parent)
    return False


DUPLICATE: Final = (shifts.fields_of_items, _repeated_key)


def _of_cause(repair: Repair) -> Callable[[DocumentFinding], Edits]:
    """Return what makes the repair of a syntax error, if that is its cause's."""

    def edits(finding: DocumentFinding) -> Edits:
        cause = finding.manifest.cause
        return cause.edits if cause is not None and cause.repair is repair else ()

    return edits


def _described(text: str) -> str:
    if text.startswith("{"):  # JSON
        return json.dumps(small({"type": "object", "properties": None})).replace("null", text)
    properties = indent(text, " " * 10, lambda line: line[0] not in "+-<=>\t")
    return f"{WHOLE_CRD}        properties:\n{properties}"


SYNTAX: Final = tuple(
    Fixer(repair.title, repair.applicability, _of_cause(repair)).example(
        repair.around.format(_described(repair.bad)), _described(repair.good), "text"
    )
    for repair in repairs.ALL
)
JOINED: Final = Fixer(
    repairs.JOINED.title,
    repairs.JOINED.applicability,
    _of_cause(repairs.JOINED),
).example(
    _described("host:\n  type: string\n---\n  maxLength: 9\n").replace(f"{' ' * 10}---", "---"),
    _described("host:\n  type: string\n  maxLength: 9\n"),
    "text",
)


class Placement(NamedTuple):
    """The help for a field in the wrong object or with a wrong mark after it.

    `owner`: the object that lacks the field, or the null in its place, if known.
    `name`: the field that it lacks, empty for the name of the field that is found.
    """

    help: str
    owner: Node | None = None
    name: str = ""


def placement(finding: DecodeFinding) -> Placement | None:
    """Return the help for a field that is unknown or of a wrong type because of its place, or None for other reasons."""
    with suppress(UneditableError):
        return _indentation(finding, shifts.outdented_fields(finding))
    if finding.problem.kind == "strict":
        return _of_fixes(finding) or _of_v1beta1(finding)
    with suppress(UneditableError):
        return _of_required_flag(finding)
    return None


def _of_fixes(finding: DecodeFinding) -> Placement | None:
    """Return the help of the first fix that moves an unknown field, None for a field that is misspelled."""
    fixers = UNKNOWN if finding.problem.nearest is None else ()
    for fixer in fixers:
        describe = _HELPS.get(fixer.title)
        if describe is None:
            continue
        with suppress(UneditableError):
            edits = list(fixer.edits(finding))
            if edits:
                return describe(finding, edits[0])
    return None


def _of_v1beta1(finding: DecodeFinding) -> Placement | None:
    """Return the help for a field that v1beta1 has elsewhere, also if no fix can move it."""
    with suppress(UneditableError):
        help_ = v1beta1.moved(finding)
        return None if help_ is None else Placement(help_)
    return None


def _indentation(finding: DecodeFinding, block: shifts.OutdentedFields) -> Placement:
    editor, offset = finding.editor, finding.manifest.document.line_offset + 1
    key, value = block.last
    end = max(editor.end(value), key.end_mark.index)  # without empty lines and comments
    first = block.first[0].start_mark.line + offset
    last = key.start_mark.line + editor.text.count("\n", key.start_mark.index, end) + offset
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    what = "it is a field" if block.first[0] is key else "they are fields"
    line = block.key.start_mark.line + offset
    help_ = (
        f"Indent {lines} by {shifts.STEP} more spaces: {what} of `{block.key.value}` in line {line}"
    )
    return Placement(Layout(help_), block.empty)


def _of_required_flag(finding: DecodeFinding) -> Placement | None:
    """Return the help for `required: false`, and for `required: true` of an item or of an object, which may mean its fields."""
    schema, key, value = finding.entry
    flag = expect(Scalar, value).value.lower()
    if key.value != "required" or flag not in {"true", "false"}:
        return None
    if flag == "false":
        return Placement("Remove `required`: a field is optional unless its object lists it")
    owner, fields = finding.editor.key_of(schema), child(schema, "properties")
    names = texts(key for key, _ in pairs_of(fields))
    name = text_or_empty(owner)
    if name in _INNER:
        return Placement(_fields_of_each(_INNER[name], names))
    if owner is None or not names:
        return None
    return Placement(
        f"Did you mean that `{name}` is required? If so, remove `required` here, and add the name to `required` of the "
        f"object that has it. Otherwise, list the fields that `{name}` must have, out of {listed(names)}"
    )


def _fields_of_each(each: str, names: list[str]) -> str:
    """Return the help for `required: true` of the items of a list or the values of a map, which have some fields."""
    if names:
        return f"List the fields that each {each} must have, out of {listed(names)}"
    return f"Remove `required`: no {each} is ever missing"


_INNER: Final = {"items": "item", "additionalProperties": "value"}  # schemas that no name has


def _in_parent(finding: DecodeFinding, _: Edit) -> Placement:
    mapping, key = finding.entry[:2]
    owner = finding.editor.parent(mapping)
    names = [finding.editor.key_of(node) for node in (mapping, owner) if node is not None]
    inner, outer = (f"`{name.value}`" if name is not None else "the object" for name in names)
    return Placement(f"Move `{key.value}` out of {inner}: it is a field of {outer}", owner)


def _in_object_beside(finding: DecodeFinding, _: Edit) -> Placement:
    owner = _owner_beside(finding)
    if owner is None:
        raise UneditableError
    return Placement(f"Move `{finding.entry[1].value}` into `{owner[0]}`")


def _in_words(text: str) -> Callable[[DecodeFinding, Edit], Placement]:
    """Return what makes a help of a text with the name and the value of the field."""

    def describe(finding: DecodeFinding, _: Edit) -> Placement:
        key, value = finding.entry[1:]
        return Placement(text.format(name=key.value, value=finding.editor.source(value)))

    return describe


def _in_layout(text: str) -> Callable[[DecodeFinding, Edit], Placement]:
    """Return what makes a help about the layout of a text with the name of the field."""

    def describe(finding: DecodeFinding, _: Edit) -> Placement:
        key = finding.entry[1]
        return Placement(Layout(text.format(name=key.value)))

    return describe


def _of_glued_key(finding: DecodeFinding, _: Edit) -> Placement:
    mapping, key = finding.entry[:2]
    glued = _GLUED.match(key.value)
    if glued is None:
        raise UneditableError
    return Placement(
        OneCommand(f"Write `{glued[1]}: {key.value[glued.end() :]}`"), mapping, glued[1]
    )


_HELPS: Final[dict[str, Callable[[DecodeFinding, Edit], Placement]]] = {
    _rename.title: lambda _, name: Placement(OneCommand(f"Write `{name.text}` instead")),
    _const.title: _in_words("Write `enum: [{value}]` instead of `const`"),
    _schema_wrapper.title: _in_words("Put the schema below `schema` and `openAPIV3Schema`"),
    _field_above.title: _in_parent,
    _field_below.title: lambda finding, _: Placement(
        v1beta1.moved(finding) or f"Move `{finding.entry[1].value}` into `{_owner_below(finding)}`"
    ),
    _field_beside.title: _in_object_beside,
    shifts.outdented_field.title: _in_layout(
        "Indent `{name}` like the fields of the item above, which lacks it"
    ),
    _blank_in_key.title: _of_glued_key,
    shifts.outdented_property.title: _in_layout("Indent `{name}` like the properties above"),
    shifts.indented_property.title: _in_layout("Indent `{name}` like the property above"),
    shifts.outdented_properties.title: _in_layout(
        "Indent `properties` and what is below it, up to the last property"
    ),
    shifts.indented_key.title: _in_layout(
        "Indent `{name}` like the property above, so that its keywords are below it"
    ),
    _misplaced_property.title: _in_words("Move `{name}` into `properties`"),
    _in_v1.title: lambda finding, _: Placement(v1beta1.moved(finding) or ""),
    _not_kept.title: _in_words("Remove the field: the API server keeps it in no schema"),
}
_SCHEMA: Final = "type: object\nproperties:\n  host:\n"
OF_SCHEMA: Final = shifts.indented.example(
    f"{_SCHEMA}  type: string\n  maxLength: 9\n",
    f"{_SCHEMA}    type: string\n    maxLength: 9\n",
    "schema",
)
