"""Structural schemas: types everywhere, no structure in value validation. Upstream: pkg/apiserver/schema (validation.go)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from textwrap import dedent
from typing import Final

from crdlint.crd.errors import Code, Reason, forbidden, invalid, required
from crdlint.crd.gotypes import CRD, SCHEMA
from crdlint.crd.model import JSONSchemaProps, JSONSchemaPropsOrBool
from crdlint.kubernetes.servers import Server
from crdlint.phrases import nearest
from crdlint.rules.engine.advisory import JUNCTORS
from crdlint.rules.engine.common import Findings
from crdlint.rules.engine.finding import (
    OUTDENTED,
    Edits,
    Finding,
    Fixer,
    expect,
    is_merged,
    is_null,
    quoted_with_comment,
    removal,
    rename_to_true,
    repeated_below,
    replacement,
    require,
    with_comment,
)
from crdlint.rules.engine.rule import Nodes, Rule
from crdlint.rules.engine.schema_walk import STRUCTURAL, Context, SchemaPosition, check
from crdlint.safety.bugs import attempt
from crdlint.schema.structural import TYPES, incomplete, structural_attributes
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import UneditableError
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, child, text_of
from crdlint.yaml.parse import parse_first

_SOURCE = "apiextensions-apiserver/pkg/apiserver/schema ValidateStructural"
_Rule: Final = partial(Rule, source=_SOURCE)
_NOT_PLACES: Final = frozenset(SchemaPosition) - {SchemaPosition.OUTSIDE}
_ROOT: Final = frozenset({SchemaPosition.ROOT})
_NESTED: Final = frozenset({SchemaPosition.NESTED})
_DOCUMENTATION: Final = frozenset({"description", "title", "default", "nullable"})
_NUMERIC: Final = frozenset({"integer", "number"})
_LIKE: Final = 0.7
_WORDS: Final = {"item": "items", "kind": "type"}
_NEGATIVE: Final = re.compile(r"\^\(\?!((?:[^()\\]|\\.|\([^()?]*\))*)\)(.*)\Z")
_GROUPS: Final = re.compile(r"\\.|\[(?:[^\]\\]|\\.)*(?:\]|\\?\Z)|\([^()]*\)")
_TYPE_MISSING: Final = {
    SchemaPosition.ROOT: "must not be empty at the root",
    SchemaPosition.ITEM: "must not be empty for specified array items",
    SchemaPosition.FIELD: "must not be empty for specified object fields",
}
# Keywords that only make sense with one type, for the suggestion.
_SPEAKS_OF: Final = (
    (
        ("properties", "additional_properties", "max_properties", "min_properties", "required"),
        "object",
    ),
    (("items", "max_items", "min_items", "x_list_type"), "array"),
    (("pattern", "max_length", "min_length"), "string"),
    (("maximum", "minimum", "multiple_of"), "integer"),
)
_OF_VALUE: Final = {str: "string", bool: "boolean", int: "integer", list: "array", dict: "object"}
_OF_FORMAT: Final = {"int32": "integer", "int64": "integer", "float": "number", "double": "number"}
_LOOKAROUND: Final = re.compile(r"\(\?(?:[=!]|<[=!])[^()]*\)?")
_KEYWORD: Final = re.compile(r"^( +)([\w$-]+):(?: |\r?$)", re.MULTILINE)
_SWALLOWED: Final = re.compile(r"^ *(?:items|properties|type):", re.MULTILINE)
_JUNCTOR: Final = re.compile(r"\.(allOf|anyOf|oneOf|not)(?![^.\[])")
_OfRoot: Final = partial(_Rule, scope="schema")


@Fixer("Add the type that the other keywords imply", "safe").example(
    bad="spec: {properties: {host: {type: string}}}",
    good="spec: {properties: {host: {type: string}}, type: object}",
)
def _decided_type(finding: Finding) -> Edits:
    type_ = _type_of(finding)
    if (
        _misspelled(finding) is not None
        or _is_int_or_string(finding)
        or _text_fields(finding) is not None
    ):
        return
    if repeated_below(finding):
        return
    if type_ and type_ not in _NUMERIC:
        yield _add_type(finding, type_)


@Fixer("Add the numeric type", "unsafe").example(good="replicas: {minimum: 1, type: integer}")
def _number_type(finding: Finding) -> Edits:
    type_ = _type_of(finding)
    if type_ in _NUMERIC:
        yield _add_type(finding, type_)


def _text_fields(finding: Finding) -> tuple[int, int, int] | None:
    """Return where the fields at the end of a description are that include the missing one: start, end, and excess of blanks.

    A description in block style contains what is indented like it or more.
    """
    owner, editor = finding.owner, finding.editor
    description = child(owner, "description")
    if not isinstance(description, Scalar) or description.style not in {"|", ">"}:
        return None
    end = editor.end(description)
    for line in _KEYWORD.finditer(editor.text, description.start_mark.index, end):
        text = editor.text[line.start() : end]
        if line[2] in SCHEMA.fields and all(
            each.startswith((line[1], "\r")) for each in text.split("\n") if each
        ):
            root = parse_first(dedent(text)).root
            fields = root.items if isinstance(root, Mapping) else []
            names = [getattr(key, "value", "") for key in fields[::2]]
            own = [name for name in {*names} & SCHEMA.fields.keys() if owner.find(name) is None]
            is_key = (
                len(names) > 1 and finding.name == names[0] and is_null(fields[1])
            )  # what follows is below it
            if is_key or (finding.name in own and len(own) == len(names)):
                return (
                    line.start(),
                    line.end() if is_key else end,
                    len(line[1]) - owner.start_mark.column,
                )
    return None


@Fixer("Move the fields out of the description", "unsafe").example(
    bad="host:\n  description: |-\n    The host.\n    type: string",
    good="host:\n  description: |-\n    The host.\n  type: string",
)
def _fields_in_text(finding: Finding) -> Edits:
    """Move the fields at the end of a description in block style, which are indented like it, out of the text."""
    start, end, by = require(_text_fields(finding))
    yield from finding.editor.shifted(start, end, -by)


@Fixer("Accept any value", "unsafe").example(
    bad="extra: {}", good="extra: {x-kubernetes-preserve-unknown-fields: true}"
)
def _any_type(finding: Finding) -> Edits:
    node = finding.node(require(finding.path.parent))
    properties = finding.editor.parent(node)
    if is_null(node) and isinstance(properties, Mapping):
        below = properties.items[finding.editor.index(node) + 1 :][:1]
        if below and text_of(below[0]) in SCHEMA.fields:
            return  # may be its keyword
        yield finding.editor.replace(
            node, f"{{{finding.editor.name('x-kubernetes-preserve-unknown-fields')}: true}}"
        )
        return
    if not finding.owner.items:
        yield finding.editor.insert(finding.owner, "x-kubernetes-preserve-unknown-fields", "true")


@Fixer("Add `x-kubernetes-int-or-string: true`", "safe").example(
    bad="port:\n  anyOf:\n  - type: integer\n  - type: string",
    good="port:\n  anyOf:\n  - type: integer\n  - type: string\n  x-kubernetes-int-or-string: true",
)
def _alternatives_type(finding: Finding) -> Edits:
    owner, name = finding.owner, "x-kubernetes-int-or-string"
    if _is_int_or_string(finding) and owner.find("type") is None and owner.find(name) is None:
        yield finding.editor.insert(owner, name, "true", after="anyOf")


def _is_int_or_string(finding: Finding) -> bool:
    return {child.type for child in finding.schema(finding.owner).any_of} == {"integer", "string"}


def _type_of(finding: Finding) -> str:
    schema = finding.schema(finding.owner)
    if schema.parent is None:
        return "object"
    guess = implied_type(schema)
    bounds = (schema.minimum, schema.maximum, schema.multiple_of)
    if guess == "integer" and any(
        isinstance(bound, float) and not bound.is_integer() for bound in bounds
    ):
        return "number"
    return guess


def _add_type(finding: Finding, type_: str) -> Edit:
    owner, editor = finding.owner, finding.editor
    type_entry = owner.find("type")
    if type_entry is not None:  # given, but empty
        return editor.replace(type_entry[1], editor.value(type_))
    return editor.insert(owner, "type", editor.value(type_), before=editor.first(owner))


@Fixer("Indent the schema below `items`", "unsafe").example(
    bad="ports:\n  items:\n  minimum: 1\n  type: integer\n  type: array\n",
    good="ports:\n  items:\n    minimum: 1\n    type: integer\n  type: array\n",
)
def _outdented_items(finding: Finding) -> Edits:
    """Indent the fields between `items` and the first of two types."""
    owner, editor = finding.owner, finding.editor
    names = [getattr(key, "value", "") for key in owner.items[::2]]
    items = owner.find("items")
    if owner.flow or names.count("type") <= 1 or items is None or not is_null(items[1]):
        return
    first, last = names.index("items") + 1, names.index("type")
    if first <= last:
        yield from editor.shifted(
            owner.items[2 * first].start_mark.index, editor.end(owner.items[2 * last + 1]), 2
        )


@Fixer("Write a schema of the type", "safe").example(bad="ports: {type: array, items: integer}")
def _items_of_type(finding: Finding) -> Edits:
    items, editor = expect(Scalar, finding.owner, "items"), finding.editor
    if items.value in TYPES:
        yield editor.replace(items, f"{{{editor.name('type')}: {finding.written(items)}}}")


def _misspelled(finding: Finding) -> Scalar | None:
    """Return the key that is like the name of the missing field: the API server drops such fields inside of `items`."""
    owner = finding.owner
    for key in owner.items[::2]:
        if isinstance(key, Scalar) and key.value not in SCHEMA.fields:
            near = _WORDS.get(key.value.lower()) or nearest(key.value, SCHEMA.fields, _LIKE)
            if near == finding.name and owner.find(near) is None:
                return key
    return None


@Fixer("Accept any items", "unsafe").example(
    good="ports: {type: array, items: {x-kubernetes-preserve-unknown-fields: true}}"
)
def _items_of_any_type(finding: Finding) -> Edits:
    owner, parent = finding.owner, finding.editor.parent(finding.owner)
    names = [
        getattr(finding.editor.key_of(node), "value", "")
        for node in (owner, parent)
        if node is not None
    ]
    types = [key for key in owner.items[::2] if getattr(key, "value", "") == "type"]
    description = text_of(child(owner, "description")) or ""
    has_items_beside = isinstance(parent, Mapping) and parent.find("items") is not None
    if (
        names == ["items", "properties"]
        or len(types) > 1
        or has_items_beside
        or _SWALLOWED.search(description)
    ):
        return  # its indentation may be wrong
    if owner.find("items") is None and _misspelled(finding) is None:
        name = finding.editor.name("x-kubernetes-preserve-unknown-fields")
        yield finding.editor.insert(owner, "items", f"{{{name}: true}}", after="type")


@Fixer("Write the type that Kubernetes gives it", "safe")
def _named_type(finding: Finding) -> Edits:
    reason = finding.reason(Code.TYPE)
    if is_merged(finding.owner) or _text_fields(finding) is not None:
        return []
    return finding.write(reason.arguments[0]) if reason is not None else []


@Fixer("Put the pattern in quotes", "safe").example(
    bad="name:\n  type: string\n  pattern: ^[a-z #]+$",
    good="name:\n  type: string\n  pattern: '^[a-z #]+$'",
)
def _pattern_with_comment(finding: Finding) -> Edits:
    """Put a pattern in quotes together with what YAML reads as a comment, if that makes it a pattern."""
    text = with_comment(finding, finding.scalar())
    if text is not None and _pattern_error(text) is None:
        yield from quoted_with_comment(finding, finding.scalar())


def _pattern_error(pattern: str) -> str | None:
    from crdlint.golang.regexp import compile_error  # many CRDs have no pattern

    return compile_error(pattern)


def _without_lookahead(pattern: str) -> tuple[str, str] | None:
    """Return a rule and a pattern that match what a pattern with a negative lookahead at its start was meant to match."""
    negative = _NEGATIVE.match(pattern)
    if negative is None or "'" in negative[1] or _pattern_error(f"^({negative[1]})") is not None:
        return None
    rest = "" if negative[2] in {"", ".*", ".*$"} else f"^{negative[2]}"
    if _pattern_error(rest) is not None or "|" in _GROUPS.sub("", rest):
        return None
    raw = "r" if "\\" in negative[1] else ""
    return f"!self.matches({raw}'^({negative[1]})')", rest


@Fixer("Write a rule instead of the negative lookahead", "unsafe").example(
    bad="name:\n  type: string\n  maxLength: 63\n  pattern: ^(?!kube-)[a-z-]+$",
    good=(
        "name:\n  type: string\n  maxLength: 63\n  pattern: '^[a-z-]+$'\n  x-kubernetes-validations:\n"
        "  - rule: '!self.matches(''^(kube-)'')'"
    ),
)
def _rule_of_lookahead(finding: Finding) -> Edits:
    node, owner, editor = finding.scalar(), finding.owner, finding.editor
    text, rest = require(_without_lookahead(node.value))
    rule, name = f"{editor.name('rule')}: {editor.value(text)}", "x-kubernetes-validations"
    if owner.find(name) is not None:
        rules = expect(Sequence, owner, name)
        yield editor.append(rules, f"{{{rule}}}" if rules.flow else rule)
    else:
        yield editor.insert(
            owner, name, f"[{{{rule}}}]" if owner.flow else f"\n- {rule}", after="pattern"
        )
    yield editor.respell(node, rest) if rest else editor.remove(owner, "pattern")


@Fixer("Correct the pattern", "unsafe").example(
    bad="name: {type: string, pattern: '^[a-z+$'}", good="name: {type: string, pattern: '^[a-z]+$'}"
)
def _repaired_pattern(finding: Finding) -> Edits:
    from crdlint.golang.regexp_repair import repair

    node = finding.scalar()
    yield finding.editor.respell(node, require(require(repair(node.value)).pattern))


@Fixer("Write `metadata: {type: object}`", "safe")
def _plain_metadata(finding: Finding) -> Edits:
    metadata, editor = finding.mapping(finding.path), finding.editor
    properties = child(metadata, "properties")
    names = [(metadata, SCHEMA.fields), (properties, CRD.fields["metadata"].type.fields)]
    if any(
        getattr(key, "value", "") not in fields
        for each, fields in names
        if isinstance(each, Mapping)
        for key in each.items[::2]
    ):
        return  # what belongs beside it
    if metadata.flow:
        key = editor.name("type")
        yield editor.replace(metadata, f"{{{key}: {editor.value('object')}}}")
    elif "#" not in editor.text[metadata.start_mark.index : editor.end(metadata)]:
        yield editor.replace(metadata, "type: object")


@Fixer("Write an integer or a string as Kubernetes does", "safe").example(
    bad="port:\n  x-kubernetes-int-or-string: true\n  anyOf:\n  - type: string\n  - type: integer",
    good="port:\n  x-kubernetes-int-or-string: true\n  anyOf:\n  - type: integer\n  - type: string",
)
def _int_or_string_alternatives(finding: Finding) -> Edits:
    editor, nested = finding.editor, finding.owner
    outer, key, alternatives = _alternatives(finding, nested)
    types = [expect(Scalar, alternative, "type") for alternative in alternatives]
    if finding.name != "type" or sorted(type_.value for type_ in types) != ["integer", "string"]:
        return
    if key == "oneOf" and outer.find("anyOf") is None:
        yield editor.respell(editor.entry(outer, key)[0], "anyOf")
    if outer.find("x-kubernetes-int-or-string") is None:
        if outer.find("type") is not None:
            yield from rename_to_true(finding, outer, "type", "x-kubernetes-int-or-string")
        else:
            yield editor.insert(outer, "x-kubernetes-int-or-string", "true")
    for alternative, written, type_ in zip(alternatives, types, ("integer", "string"), strict=True):
        if len(alternative.items) != 2:
            raise UneditableError
        if written.value != type_:
            yield editor.respell(written, type_)


@Fixer("Remove what is repeated in the alternative", "safe").example(
    bad="size: {type: string, anyOf: [{type: string, maxLength: 3}, {pattern: '^[0-9]+$'}]}"
)
def _repeated_outside(finding: Finding) -> Edits:
    outer, _, _ = _alternatives(finding, finding.owner)
    if (
        expect(Scalar, finding.owner, finding.name).value
        == expect(Scalar, outer, finding.name).value
    ):
        yield from _without(finding)


@Fixer("Indent documentation and defaults like the alternatives", "unsafe").example(
    bad="size:\n  anyOf:\n  - maxLength: 3\n  - pattern: '^[0-9]+$'\n    description: A size.\n  type: string",
    good="size:\n  anyOf:\n  - maxLength: 3\n  - pattern: '^[0-9]+$'\n  description: A size.\n  type: string",
)
def _outdented_documentation(finding: Finding) -> Edits:
    """Indent what follows the last alternative like the schema around it, which lacks it."""
    editor, last = finding.editor, finding.owner
    outer, listed = _alternatives(finding, last)[0], editor.parent(last)
    is_last = (
        isinstance(listed, Sequence)
        and listed.items[-1] is last
        and text_of(last.items[-2]) == finding.name
    )
    if (
        finding.name not in _DOCUMENTATION
        or not is_last
        or last.flow
        or last.items[0] is last.items[-2]
    ):
        return
    key, value = last.items[-2:]
    if outer.find(finding.name) is None:
        by = outer.start_mark.column - key.start_mark.column
        yield from editor.shifted(key.start_mark.index, editor.end(value), by)


@Fixer("Remove documentation and defaults from the alternative", "unsafe").example(
    bad="size: {type: string, anyOf: [{maxLength: 3, title: short}, {pattern: '^[0-9]+$'}]}"
)
def _documentation(finding: Finding) -> Edits:
    if finding.name in _DOCUMENTATION:
        yield from _without(finding)


@Fixer("Move the type out of the alternatives", "unsafe").example(
    bad="size:\n  anyOf:\n  - type: string\n    maxLength: 3\n  - type: string\n    pattern: '^[0-9]+$'",
    good="size:\n  type: string\n  anyOf:\n  - maxLength: 3\n  - pattern: '^[0-9]+$'",
)
def _same_type_outside(finding: Finding) -> Edits:
    editor = finding.editor
    outer, _, alternatives = _alternatives(finding, finding.owner)
    types = {text_of(child(alternative, "type")) for alternative in alternatives}
    if (
        finding.name != "type"
        or len(types) != 1
        or any(len(alternative.items) == 2 for alternative in alternatives)
    ):
        return
    if outer.find("type") is None and outer.find("x-kubernetes-int-or-string") is None:
        yield editor.insert(
            outer, "type", editor.value(types.pop() or ""), before=editor.first(outer)
        )
        yield from (editor.remove(alternative, "type") for alternative in alternatives)


def _alternatives(finding: Finding, nested: Mapping) -> tuple[Mapping, str, list[Mapping]]:
    """Return the schema whose alternative a mapping is, its keyword and all of them; raise UneditableError for others."""
    editor = finding.editor
    listed = expect(Sequence, editor.parent(nested))
    outer, key = expect(Mapping, editor.parent(listed)), require(editor.key_of(listed)).value
    if key not in JUNCTORS:
        raise UneditableError
    return (
        outer,
        key,
        [alternative for alternative in listed.items if isinstance(alternative, Mapping)],
    )


def _without(finding: Finding) -> Edits:
    if len(finding.owner.items) > 2:
        yield from finding.remove()


@Fixer("Remove `$schema`", "safe")
def _without_schema_url(finding: Finding) -> Edits:
    for schema in _schemas_below(finding, finding.owner):
        yield finding.editor.remove(schema, "$schema")


def _schemas_below(finding: Finding, mapping: Mapping) -> list[Mapping]:
    mappings: list[Mapping] = []
    pending: list[Node] = [mapping]
    while pending:
        node = pending.pop()
        if isinstance(node, Scalar):
            continue
        if (
            isinstance(node, Mapping)
            and id(node) in finding.manifest.schemas
            and node.find("$schema") is not None
        ):
            mappings.append(node)
        pending.extend(node.items)
    return mappings


NOT_CONVERTIBLE = Rule("schema-not-convertible", "Schema cannot be converted to a structural schema", scope="schema",
    why="The API server converts every schema to a structural schema, and rejects a field that has no equivalent "
    "there, such as `$schema`.",
    help="Remove the field that the message names (`schema` means `$schema`)",
    bad="type: object\n$schema: http://json-schema.org/draft-07/schema#\n", good="type: object",
    source="apiextensions-apiserver/pkg/apiserver/schema NewStructural", fixes=(_without_schema_url,))  # fmt: skip
TYPE_REQUIRED = _Rule("structural-type-required", "Field without a type",
    why="The API server prunes, defaults and converts objects by the types in the schema, so every field needs one.",
    help="Add the `type` of this field",
    bad="replicas: {minimum: 1}", good="replicas: {type: integer, minimum: 1}",
    fixes=(
        _decided_type,
        _fields_in_text,
        OUTDENTED.example(
            bad="ports:\n  items:\n    type: integer\n    type: array",
            good="ports:\n  items:\n    type: integer\n  type: array",
        ),
        _number_type, _alternatives_type, _any_type))  # fmt: skip
ITEMS_REQUIRED = _Rule("structural-items-required", "Array without `items`",
    why="Without `items` the API server can neither prune nor validate the items of the array.",
    help="Add `items` with a type, such as `items: {type: string}`",
    bad="ports: {type: array}", good="ports: {type: array, items: {type: integer}}",
    fixes=(
        _outdented_items,
        _items_of_type,
        _fields_in_text.example(
            bad="ports:\n  description: |-\n    The ports.\n    items:\n      type: integer\n  type: array",
            good="ports:\n  description: |-\n    The ports.\n  items:\n    type: integer\n  type: array",
        ),
        _items_of_any_type,
    ))  # fmt: skip
ROOT_TYPE = _OfRoot("structural-root-not-object", "Root of the schema is not an object",
    why="Every Kubernetes object has the fields `apiVersion`, `kind` and `metadata`.",
    help="Set `type: object` at the root of the schema",
    bad="type: string", good="type: object", fixes=(Fixer("Write `type: object`", "safe", replacement("object")),))  # fmt: skip
ROOT_MAP = _OfRoot("structural-root-additional-properties", "`additionalProperties` at the root of the schema",
    why="The root is a Kubernetes object with named fields, so it cannot be a map.",
    help="Move `additionalProperties` to a field of the root, such as `spec`",
    bad="type: object\nadditionalProperties: {type: string}\n",
    good="type: object\nproperties:\n  data: {type: object, additionalProperties: {type: string}}\n")  # fmt: skip
NOT_STRUCTURAL = _Rule("structural-forbidden-in-junctor", "Type, default or description inside allOf, anyOf, oneOf or not",
    why="These keywords only validate values. Types, defaults and descriptions must be specified outside of them, so "
    "that pruning and defaulting do not depend on the value.",
    help="Remove it here, and specify it outside of the allOf, anyOf, oneOf or not",
    bad="size: {type: string, anyOf: [{type: string}, {pattern: '^[0-9]+$'}]}",
    good="size: {type: string, anyOf: [{maxLength: 3}, {pattern: '^[0-9]+$'}]}",
    fixes=(
        _int_or_string_alternatives,
        _int_or_string_alternatives.example(
            bad="port:\n  oneOf:\n  - type: string\n  - type: integer",
            good="port:\n  anyOf:\n  - type: integer\n  - type: string\n  x-kubernetes-int-or-string: true",
        ),
        _repeated_outside,
        _same_type_outside,
        _outdented_documentation,
        _documentation,
    ))  # fmt: skip
INCOMPLETE = Rule("structural-incomplete", "Field is specified only inside allOf, anyOf, oneOf or not",
    why="The API server prunes a field that is specified nowhere else before it validates the object.",
    help="Specify the field, with its type, outside of the allOf, anyOf, oneOf or not",
    bad="type: object\nproperties:\n  spec: {type: object}\nanyOf: [{properties: {spec: {properties: {host: {maxLength: 63}}}}}]\n",
    good="type: object\nproperties:\n  spec: {type: object, properties: {host: {type: string}}}\n"
    "anyOf: [{properties: {spec: {properties: {host: {maxLength: 63}}}}}]\n",
    source="apiextensions-apiserver/pkg/apiserver/schema validateStructuralCompleteness", scope="schema")  # fmt: skip
METADATA = _Rule("metadata-restricted", "Schema restricts metadata other than name and generateName",
    why="Kubernetes defines `metadata` itself. A CRD may restrict only `name` and `generateName`.",
    help="Set `metadata` to `{type: object}`; of its `properties`, only `name` and `generateName` are allowed",
    bad="metadata: {type: object, properties: {labels: {type: object}}}", good="metadata: {type: object}",
    fixes=(_plain_metadata,))  # fmt: skip
METADATA_NESTED = _OfRoot("metadata-in-junctor", "`metadata` inside allOf, anyOf, oneOf or not",
    why="Kubernetes defines `metadata` itself, so a schema may not restrict it here.",
    help="Remove `metadata` here; to restrict it, add a rule at the root, such as `self.metadata.name.size() < 20`",
    bad="type: object\nanyOf: [{properties: {metadata: {required: [name]}}}]\nproperties: {metadata: {type: object}}\n",
    good="type: object\nproperties: {metadata: {type: object}}\n")  # fmt: skip
META_TYPE = _Rule("metadata-type", "Wrong type for apiVersion, kind or metadata",
    why="In every Kubernetes object `apiVersion` and `kind` are strings and `metadata` is an object.",
    help="Set the type that the message names, or remove the field from the schema: Kubernetes defines it",
    bad="apiVersion: {type: integer}", good="apiVersion: {type: string}",
    fixes=(
        _named_type,
        _fields_in_text.example(
            bad="kind:\n  description: |-\n    The kind.\n    type: string",
            good="kind:\n  description: |-\n    The kind.\n  type: string",
        ),
    ))  # fmt: skip
EMBEDDED = _Rule("embedded-resource-shape", "Embedded resource is not an object with fields",
    because="x-kubernetes-embedded-resource",
    why="`x-kubernetes-embedded-resource: true` declares a whole Kubernetes object, so the schema must be an object "
    "and not a map.",
    help="Use `type: object` with `properties` or `x-kubernetes-preserve-unknown-fields: true`, and without "
    "`additionalProperties`",
    bad="template: {type: object, x-kubernetes-embedded-resource: true}",
    good="template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
    fixes=(
        Fixer(
            "Write `type: object`",
            "safe",
            lambda finding: replacement("object")(finding) if finding.name == "type" else (),
        ).example(
            bad="template:\n  x-kubernetes-embedded-resource: true\n  x-kubernetes-preserve-unknown-fields: true",
            good="template:\n  type: object\n  x-kubernetes-embedded-resource: true\n  x-kubernetes-preserve-unknown-fields: true",
        ),
        Fixer(
            "Keep all fields of the embedded resource",
            "unsafe",
            lambda finding: (
                [finding.editor.insert(finding.owner, "x-kubernetes-preserve-unknown-fields", "true")]
                if finding.name == "properties"
                else ()
            ),
        ),
    ))  # fmt: skip
INT_OR_STRING = _Rule("int-or-string-exclusive", "Int-or-string with unknown fields or an embedded resource",
    because="x-kubernetes-int-or-string",
    why="An integer or a string has no fields, so it cannot have unknown fields or contain an object.",
    help="Keep `x-kubernetes-int-or-string: true`, and remove the field that the message names",
    bad="port: {x-kubernetes-int-or-string: true, x-kubernetes-preserve-unknown-fields: true}",
    good="port: {x-kubernetes-int-or-string: true}",
    fixes=(
        Fixer("Keep `x-kubernetes-int-or-string: true` alone", "safe", removal).example(
            bad="port:\n  x-kubernetes-int-or-string: true\n  x-kubernetes-preserve-unknown-fields: true",
            good="port:\n  x-kubernetes-int-or-string: true",
        ),
    ))  # fmt: skip
PATTERN = _Rule("pattern-invalid", "Pattern is not a valid RE2 expression",
    why="The API server compiles patterns with Go's regexp package (RE2 syntax). It has no lookahead, lookbehind or "
    "back references, and allows at most 1000 repetitions.",
    help="Write the pattern in RE2 syntax (https://github.com/google/re2/wiki/Syntax)",
    marker="correct `+kubebuilder:validation:Pattern`",
    bad="name: {type: string, pattern: '^(?!kube-)'}",
    good="name:\n  type: string\n  x-kubernetes-validations: [{rule: \"!self.startsWith('kube-')\"}]",
    fixes=(_pattern_with_comment, _rule_of_lookahead, _repaired_pattern))  # fmt: skip


def implied_type(schema: JSONSchemaProps) -> str:
    """Return the type that follows from the other fields of a node, empty if none does."""
    attributes = vars(schema)
    for names, type_ in _SPEAKS_OF:
        if not attributes.keys().isdisjoint(names):
            return type_
    if schema.format:
        return _OF_FORMAT.get(schema.format, "string")
    values = [*schema.enum, *([] if schema.default is None else [schema.default.value])]
    types = {_OF_VALUE.get(value.__class__, "") for value in values}
    return types.pop() if len(types) == 1 else ""


@check(
    Nodes(
        when=lambda fields, type_: (
            not type_ or (type_ != "object" and "x-kubernetes-embedded-resource" in fields)
        )
    ),
    STRUCTURAL,
)
def _type(schema: JSONSchemaProps, context: Context, findings: Findings) -> None:
    path = schema.path.child("type")
    if schema.x_embedded_resource and schema.type != "object":
        detail = "must be object if x-kubernetes-embedded-resource is true"
        help_ = "Set `type: object`"
        if schema.type:
            findings.add_structural(
                schema, invalid(EMBEDDED.id, path, schema.type, detail, help=help_)
            )
        else:
            findings.add_structural(schema, required(EMBEDDED.id, path, detail, help=help_))
    elif not schema.type and not schema.x_int_or_string and not schema.x_preserve_unknown_fields:
        guess = "object" if context.position is SchemaPosition.ROOT else implied_type(schema)
        if guess:
            help_ = f"Add `type: {guess}`"
        elif any(child.type for child in (*schema.any_of, *schema.one_of)):
            help_ = (
                "Add the `type` here, outside of the alternatives; `x-kubernetes-int-or-string: true` accepts "
                "integers and strings"
            )
        else:
            help_ = (
                "Add the `type` of this value, such as `type: string`; "
                "`x-kubernetes-preserve-unknown-fields: true` accepts any value"
            )
        findings.add_structural(
            schema, required(TYPE_REQUIRED.id, path, _TYPE_MISSING[context.position], help=help_)
        )


@check(Nodes(when=lambda _, type_: type_ not in {"", "object"}), _ROOT)
def _root_type(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    error = invalid(
        ROOT_TYPE.id, schema.path.child("type"), schema.type, "must be object at the root"
    )
    findings.add_structural(schema, error)


@check(Nodes(types={"array"}), STRUCTURAL)
def _items(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    if schema.item_schema is None:
        path = schema.path.child("items")
        help_ = (
            None
            if schema.items is None
            else "Write one schema for all items instead of the list of schemas"
        )
        findings.add_structural(
            schema, required(ITEMS_REQUIRED.id, path, "must be specified", help=help_)
        )


@check(Nodes({"additionalProperties"}), STRUCTURAL)
def _additional_properties(schema: JSONSchemaProps, context: Context, findings: Findings) -> None:
    if schema.additional_properties is None:
        return
    path = schema.path.child("additionalProperties")
    if context.position is SchemaPosition.ROOT:
        is_closed = not schema.additional_properties.allows
        help_ = (
            "Remove `additionalProperties: false`: the API server drops unknown fields"
            if is_closed
            else None
        )
        findings.add_structural(
            schema, forbidden(ROOT_MAP.id, path, "must not be used at the root", help=help_)
        )
    if schema.x_embedded_resource:
        detail = "must not be used if x-kubernetes-embedded-resource is set"
        findings.add_structural(schema, forbidden(EMBEDDED.id, path, detail))


@check(Nodes({"x-kubernetes-int-or-string"}), STRUCTURAL)
def _int_or_string(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    if not schema.x_int_or_string:
        return
    for name, is_set in (
        ("x-kubernetes-preserve-unknown-fields", schema.x_preserve_unknown_fields),
        ("x-kubernetes-embedded-resource", schema.x_embedded_resource),
    ):
        if is_set:
            detail = "must be false if x-kubernetes-int-or-string is true"
            help_ = f"Remove `{name}`"
            findings.add_structural(
                schema, invalid(INT_OR_STRING.id, schema.path.child(name), True, detail, help=help_)
            )


@check(Nodes({"x-kubernetes-embedded-resource"}), STRUCTURAL)
def _embedded_fields(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    if (
        schema.x_embedded_resource
        and not schema.x_preserve_unknown_fields
        and not schema.properties
    ):
        detail = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        help_ = (
            "Add `x-kubernetes-preserve-unknown-fields: true`, or the `properties` of the object"
        )
        findings.add_structural(
            schema, required(EMBEDDED.id, schema.path.child("properties"), detail, help=help_)
        )


@check(Nodes({"properties"}), STRUCTURAL)
def _object_fields(schema: JSONSchemaProps, context: Context, findings: Findings) -> None:
    """Check apiVersion, kind and metadata of the root and of embedded resources."""
    if context.position is not SchemaPosition.ROOT and not schema.x_embedded_resource:
        return
    for name, type_ in (("kind", "string"), ("apiVersion", "string"), ("metadata", "object")):
        child = schema.properties.get(name)
        if child is not None and child.type != type_:
            path = child.path.child("type")
            detail, help_, reason = (
                f"must be {type_}",
                f"Set `type: {type_}`",
                Reason(Code.TYPE, (type_, child.type)),
            )
            findings.add_structural(
                child, invalid(META_TYPE.id, path, child.type, detail, help=help_, reason=reason)
            )
    metadata = (
        schema.properties.get("metadata") if context.position is SchemaPosition.ROOT else None
    )
    if metadata is not None and not _may_restrict(metadata, context.options.server):
        detail = "must not specify anything other than name and generateName, but metadata is implicitly specified"
        findings.add_structural(schema, forbidden(METADATA.id, metadata.path, detail))


def _may_restrict(metadata: JSONSchemaProps, server: Server) -> bool:
    attributes = structural_attributes(metadata, server, nested=False) - {"type", "default"}
    return attributes <= {"properties"} and metadata.properties.keys() <= {"name", "generateName"}


@check(Nodes({"pattern"}), _NOT_PLACES)
def _pattern(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    if not schema.pattern:
        return
    error = _pattern_error(schema.pattern)
    if error is not None:
        detail = f"must be a valid regular expression, but isn't: {error}"
        path = schema.path.child("pattern")
        cause = error.removeprefix("error parsing regexp: ")
        help_ = attempt(_pattern_help, schema.pattern)
        violation = invalid(PATTERN.id, path, schema.pattern, detail, help=help_, subject=cause)
        lookaround = _LOOKAROUND.search(schema.pattern)
        findings.add_structural(
            schema,
            violation if lookaround is None else violation._replace(inside=lookaround.span()),
        )


def _pattern_help(pattern: str) -> str | None:
    """Return the help for a pattern with lookaround; for a negative lookahead alone, an equivalent rule."""
    without = _without_lookahead(pattern)
    if without is not None:
        rule, rest = without
        change = f"Write the pattern as `{rest}`" if rest else "Remove the pattern"
        return f'{change}, and add `x-kubernetes-validations: [{{rule: "{rule}"}}]`: RE2 has no lookahead'
    if any(opening in pattern for opening in ("(?!", "(?<!", "(?=", "(?<=")):
        return "Split the condition into several patterns or rules, each without lookaround: RE2 has none"
    from crdlint.golang.regexp_repair import repair

    meant = repair(pattern)
    return None if meant is None else meant.help


def _allows_others(additional: JSONSchemaPropsOrBool | None) -> bool:
    return additional is not None and (additional.schema is not None or additional.allows)


# What a nested schema must not hold: JSON field, what upstream asks of it, and when it counts as held.
_FORBIDDEN_NESTED: Final[tuple[tuple[str, str, Callable[[JSONSchemaProps], bool]], ...]] = (
    ("type", "empty", lambda s: bool(s.type)),
    ("additionalProperties", "undefined", lambda s: _allows_others(s.additional_properties)),
    ("default", "undefined", lambda s: s.default is not None),
    ("title", "empty", lambda s: bool(s.title)),
    ("description", "empty", lambda s: bool(s.description)),
    ("nullable", "false", lambda s: s.nullable),
    ("x-kubernetes-preserve-unknown-fields", "false", lambda s: bool(s.x_preserve_unknown_fields)),
    ("x-kubernetes-embedded-resource", "false", lambda s: s.x_embedded_resource),
    ("x-kubernetes-int-or-string", "false", lambda s: s.x_int_or_string),
    ("x-kubernetes-list-map-keys", "empty", lambda s: bool(s.x_list_map_keys)),
    ("x-kubernetes-list-type", "undefined", lambda s: s.x_list_type is not None),
    ("x-kubernetes-map-type", "undefined", lambda s: s.x_map_type is not None),
    ("x-kubernetes-validations", "empty", lambda s: bool(s.x_validations)),
)  # fmt: skip


@check(Nodes({name for name, _, _ in _FORBIDDEN_NESTED}), _NESTED)
def _nested(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    for name, state, is_set in _FORBIDDEN_NESTED:
        if is_set(schema):
            junctor = next(
                (each for each in reversed(_JUNCTOR.findall(str(schema.path)))), "junctor"
            )
            help_ = f"Remove `{name}` here, and specify it outside of the `{junctor}`"
            if name == "type" and schema.parent is not None and schema.parent.type == schema.type:
                help_ = f"Remove `type` here: the schema outside of the `{junctor}` has the same"
            elif name == "type" and schema.type in {"integer", "string"}:
                help_ += (
                    "; for an integer or a string use `x-kubernetes-int-or-string: true` "
                    "with `anyOf: [{type: integer}, {type: string}]`"
                )
            detail = f"must be {state} to be structural"
            findings.add_structural(
                schema, forbidden(NOT_STRUCTURAL.id, schema.path.child(name), detail, help=help_)
            )


@check(Nodes({"properties"}), _NESTED)
def _nested_metadata(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    metadata = schema.properties.get("metadata")
    if metadata is not None:
        findings.add_structural(
            schema,
            forbidden(
                METADATA_NESTED.id, metadata.path, "must not be specified in a nested context"
            ),
        )


@check(Nodes(JUNCTORS), _ROOT)
def _complete(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    for structure, nested, path, spoken_of in incomplete(schema):
        findings.add_structural(
            structure,
            required(INCOMPLETE.id, path, f"because it is defined in {spoken_of}", at=nested.path),
        )
