"""Fixes for the findings of `rules/server/structural.py`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as MappingOf
from itertools import islice
from typing import Final

from crdlint.crd.errors import Code
from crdlint.crd.gotypes import OBJECT_META, SCHEMA
from crdlint.light import NamedTuple, regex
from crdlint.phrases import nearest
from crdlint.rules.engine.advisory import JUNCTORS
from crdlint.rules.engine.edits import (
    Edits,
    expect,
    is_merged,
    is_null,
    quoted_with_comment,
    rename_to_true,
    require,
    with_comment,
)
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf, removal, replacement
from crdlint.rules.fixes.pattern_fixes import repaired_pattern
from crdlint.rules.fixes.repeated_fields import OUTDENTED, repeated_below
from crdlint.rules.helps.structural import (
    INT_OR_STRING_FORMAT,
    implied_type,
    pattern_error,
    without_lookahead,
)
from crdlint.rules.server.structural import (
    EMBEDDED,
    INT_OR_STRING,
    ITEMS_REQUIRED,
    META_TYPE,
    METADATA,
    NOT_CONVERTIBLE,
    NOT_STRUCTURAL,
    PATTERN,
    ROOT_TYPE,
    TYPE_REQUIRED,
)
from crdlint.schema.structural import TYPES
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import Editor, UneditableError
from crdlint.yaml.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    child,
    is_block_text,
    key_names,
    pairs_of,
    text_of,
    text_or_empty,
)
from crdlint.yaml.parse import parse_first

_DOCUMENTATION: Final = frozenset({"description", "title", "default", "nullable"})


_NUMERIC: Final = frozenset({"integer", "number"})


_LIKE: Final = 0.7


_WORDS: Final = {"item": "items", "element": "items", "elements": "items", "kind": "type"}


_KEYWORD: Final = regex(r"^( +)([\w$-]+):(?: |\r?$)", re.MULTILINE)


_MOST_LINES: Final = 40  # of a description from which fields are read


_SWALLOWED: Final = regex(r"^ *(?:items|properties|type):", re.MULTILINE)


@Fixer("Add the type that the other keywords imply", "safe").example(
    bad="spec: {properties: {host: {type: string}}}",
    good="spec: {properties: {host: {type: string}}, type: object}",
)
def _decided_type(finding: FieldFinding) -> Edits:
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


@Fixer("Write `x-kubernetes-int-or-string`", "safe").example(
    bad="port: {format: int-or-string}", good="port: {x-kubernetes-int-or-string: true}"
)
def _int_or_string_of_format(finding: FieldFinding) -> Edits:
    if finding.schema(finding.owner).format == INT_OR_STRING_FORMAT:
        yield from rename_to_true(
            finding.editor,
            finding.owner,
            "format",
            "x-kubernetes-int-or-string",
        )


@Fixer("Add the numeric type", "unsafe").example(good="replicas: {minimum: 1, type: integer}")
def _number_type(finding: FieldFinding) -> Edits:
    type_ = _type_of(finding)
    if type_ in _NUMERIC:
        yield _add_type(finding, type_)


class TextFields(NamedTuple):
    """Fields at the end of a description: the offsets of their lines, how far they are indented too much, and their values."""

    start: int
    end: int
    excess: int
    fields: MappingOf[str, Node]


def fields_in_text(schema: Mapping, editor: Editor) -> Iterator[TextFields]:
    """Yield what may be the fields of a schema at the end of its description, from each line of it with a keyword.

    A description in block style contains what is indented like it or more. The end is that of the whole description.
    """
    description = child(schema, "description")
    if description is None or not is_block_text(description):
        return
    end = editor.end(description)
    lines = _KEYWORD.finditer(editor.text, description.start_mark.index, end)
    for line in islice(lines, _MOST_LINES):
        text = editor.text[line.start() : end]
        if line[2] in SCHEMA.fields and _are_indented(text, line[1]):
            excess = len(line[1]) - schema.start_mark.column
            yield TextFields(line.start(), end, excess, fields_of(text))


def lacks_all(schema: Mapping, names: Iterable[str]) -> bool:
    """Return whether names are those of fields of schemas, none of which a schema has."""
    return all(name in SCHEMA.fields and schema.find(name) is None for name in names)


def _text_fields(finding: FieldFinding) -> TextFields | None:
    """Return the fields at the end of a description that include the missing one."""
    for text in fields_in_text(finding.owner, finding.editor):
        if _is_key_of_rest(finding.name, text.fields):
            start = text.start
            return text._replace(end=finding.editor.line_end(start))
        if finding.name in text.fields and lacks_all(finding.owner, text.fields):
            return text
    return None


def _are_indented(text: str, blanks: str) -> bool:
    """Return whether all lines of a text that are not empty begin with some blanks."""
    return all(line.startswith((blanks, "\r")) for line in text.split("\n") if line)


def fields_of(text: str) -> dict[str, Node]:
    """Return the fields that a text has as YAML, by their names; none if it is no mapping."""
    from textwrap import dedent  # only for fixes

    root = parse_first(dedent(text)).root
    return {text_or_empty(key): value for key, value in pairs_of(root)}


def _is_key_of_rest(name: str, fields: MappingOf[str, Node]) -> bool:
    """Return whether a name is the first of several fields and has no value, so that what follows belongs below it."""
    first = next(iter(fields), None)
    return first == name and len(fields) > 1 and is_null(fields[name])


@Fixer("Move the fields out of the description", "unsafe").example(
    bad="host:\n  description: |-\n    The host.\n    type: string",
    good="host:\n  description: |-\n    The host.\n  type: string",
)
def _fields_in_text(finding: FieldFinding) -> Edits:
    """Move the fields at the end of a description in block style, which are indented like it, out of the text."""
    text = require(_text_fields(finding))
    yield from finding.editor.shifted(text.start, text.end, -text.excess)


@Fixer("Accept any value", "unsafe").example(
    bad="extra: {}", good="extra: {x-kubernetes-preserve-unknown-fields: true}"
)
def _any_type(finding: FieldFinding) -> Edits:
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
def _alternatives_type(finding: FieldFinding) -> Edits:
    owner, name = finding.owner, "x-kubernetes-int-or-string"
    if _is_int_or_string(finding) and owner.find("type") is None and owner.find(name) is None:
        yield finding.editor.insert(owner, name, "true", after="anyOf")


def _is_int_or_string(finding: FieldFinding) -> bool:
    return {child.type for child in finding.schema(finding.owner).any_of} == {"integer", "string"}


def _type_of(finding: FieldFinding) -> str:
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


def _add_type(finding: FieldFinding, type_: str) -> Edit:
    owner, editor = finding.owner, finding.editor
    type_entry = owner.find("type")
    if type_entry is not None:  # given, but empty
        return editor.replace(type_entry[1], editor.value(type_))
    return editor.insert(
        owner,
        "type",
        editor.value(type_),
        before=editor.first(owner),
    )


@Fixer("Indent the schema below `items`", "unsafe").example(
    bad="ports:\n  items:\n  minimum: 1\n  type: integer\n  type: array\n",
    good="ports:\n  items:\n    minimum: 1\n    type: integer\n  type: array\n",
)
def _outdented_items(finding: FieldFinding) -> Edits:
    """Indent the fields from `items` to the second type, without those that only lists have."""
    owner, editor = finding.owner, finding.editor
    names, items = key_names(owner), owner.find("items")
    if owner.flow or names.count("type") <= 1 or items is None or not is_null(items[1]):
        return
    first, own_type = names.index("items") + 1, names.index("type")
    end = names.index("type", own_type + 1)
    last = next((i for i in range(first, end) if names[i] in _OF_LISTS), end) - 1
    if first <= own_type <= last:
        yield from editor.shifted(
            owner.items[2 * first].start_mark.index, editor.end(owner.items[2 * last + 1]), 2
        )


@Fixer("Write a schema of the type", "safe").example(bad="ports: {type: array, items: integer}")
def _items_of_type(finding: FieldFinding) -> Edits:
    items, editor = expect(Scalar, finding.owner, "items"), finding.editor
    if items.value in TYPES:
        yield editor.replace(items, f"{{{editor.name('type')}: {finding.written(items)}}}")


_OF_LISTS: Final = frozenset(
    {"maxItems", "minItems", "uniqueItems", "x-kubernetes-list-type", "x-kubernetes-list-map-keys"}
)


def _misspelled(finding: FieldFinding) -> Scalar | None:
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
def _items_of_any_type(finding: FieldFinding) -> Edits:
    owner, editor = finding.owner, finding.editor
    is_open = not any(map(owner.find, ("items", "properties")))
    if is_open and _misspelled(finding) is None and not _may_be_at_wrong_level(editor, owner):
        name = editor.name("x-kubernetes-preserve-unknown-fields")
        yield editor.insert(
            owner,
            "items",
            f"{{{name}: true}}",
            after="type",
        )


def _may_be_at_wrong_level(editor: Editor, schema: Mapping) -> bool:
    """Return whether the items of a list may be written at another level: beside its schema, or in its description."""
    parent = editor.parent(schema)
    is_property = editor.name_of(schema) == "items" and editor.name_of(parent) == "properties"
    has_items_beside = child(parent, "items") is not None
    has_two_types = key_names(schema).count("type") > 1
    description = text_or_empty(child(schema, "description"))
    return (
        is_property
        or has_items_beside
        or has_two_types
        or _SWALLOWED.search(description) is not None
    )


@Fixer("Write the type that Kubernetes gives it", "safe")
def _named_type(finding: FieldFinding) -> Edits:
    reason = finding.reason(Code.TYPE)
    if is_merged(finding.owner) or _text_fields(finding) is not None:
        return []
    return finding.write(reason.arguments[0]) if reason is not None else []


@Fixer("Put the pattern in quotes", "safe").example(
    bad="name:\n  type: string\n  pattern: ^[a-z #]+$",
    good="name:\n  type: string\n  pattern: '^[a-z #]+$'",
)
def _pattern_with_comment(finding: FieldFinding) -> Edits:
    """Put a pattern in quotes together with what YAML reads as a comment, if that makes it a pattern."""
    text = with_comment(finding.editor, finding.scalar())
    if text is not None and pattern_error(text) is None:
        yield from quoted_with_comment(finding.editor, finding.scalar())


@Fixer("Write a rule instead of the negative lookahead", "unsafe").example(
    bad="name:\n  type: string\n  maxLength: 63\n  pattern: ^(?!kube-)[a-z-]+$",
    good=(
        "name:\n  type: string\n  maxLength: 63\n  pattern: '^[a-z-]+$'\n  x-kubernetes-validations:\n"
        "  - rule: '!self.matches(''^(kube-)'')'"
    ),
)
def _rule_of_lookahead(finding: FieldFinding) -> Edits:
    node, owner, editor = finding.scalar(), finding.owner, finding.editor
    text, rest = require(without_lookahead(node.value))
    rule, name = f"{editor.name('rule')}: {editor.value(text)}", "x-kubernetes-validations"
    if owner.find(name) is not None:
        rules = expect(Sequence, owner, name)
        yield editor.append(rules, f"{{{rule}}}" if rules.flow else rule)
    else:
        yield editor.insert(
            owner,
            name,
            f"[{{{rule}}}]" if owner.flow else f"\n- {rule}",
            after="pattern",
        )
    yield editor.respell(node, rest) if rest else editor.remove(owner, "pattern")


@Fixer("Write `metadata: {type: object}`", "safe")
def _plain_metadata(finding: FieldFinding) -> Edits:
    metadata, editor = finding.mapping(finding.path), finding.editor
    properties = {text_or_empty(key) for key, _ in pairs_of(child(metadata, "properties"))}
    is_complete = OBJECT_META.fields.keys() >= properties
    if not is_complete or not SCHEMA.fields.keys() >= {*key_names(metadata)}:
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
def _int_or_string_alternatives(finding: FieldFinding) -> Edits:
    editor, nested = finding.editor, finding.owner
    outer, key, alternatives = _alternatives(finding, nested)
    types = [expect(Scalar, alternative, "type") for alternative in alternatives]
    if finding.name != "type" or sorted(type_.value for type_ in types) != ["integer", "string"]:
        return
    if key == "oneOf" and outer.find("anyOf") is None:
        yield editor.respell(editor.entry(outer, key)[0], "anyOf")
    if outer.find("x-kubernetes-int-or-string") is None:
        if outer.find("type") is not None:
            yield from rename_to_true(
                finding.editor,
                outer,
                "type",
                "x-kubernetes-int-or-string",
            )
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
def _repeated_outside(finding: FieldFinding) -> Edits:
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
def _outdented_documentation(finding: FieldFinding) -> Edits:
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
def _documentation(finding: FieldFinding) -> Edits:
    if finding.name in _DOCUMENTATION:
        yield from _without(finding)


@Fixer("Move the type out of the alternatives", "unsafe").example(
    bad="size:\n  anyOf:\n  - type: string\n    maxLength: 3\n  - type: string\n    pattern: '^[0-9]+$'",
    good="size:\n  type: string\n  anyOf:\n  - maxLength: 3\n  - pattern: '^[0-9]+$'",
)
def _same_type_outside(finding: FieldFinding) -> Edits:
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
            outer,
            "type",
            editor.value(types.pop() or ""),
            before=editor.first(outer),
        )
        yield from (editor.remove(alternative, "type") for alternative in alternatives)


def _alternatives(finding: FieldFinding, nested: Mapping) -> tuple[Mapping, str, list[Mapping]]:
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


def _without(finding: FieldFinding) -> Edits:
    if len(finding.owner.items) > 2:
        yield from finding.remove()


@Fixer("Remove `$schema`", "safe")
def _without_schema_url(finding: FieldFinding) -> Edits:
    for schema in _schemas_below(finding, finding.owner):
        yield finding.editor.remove(schema, "$schema")


def _schemas_below(finding: FieldFinding, mapping: Mapping) -> list[Mapping]:
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


@Fixer("Write `type: object`", "safe").example(
    bad=(
        "template:\n"
        "  x-kubernetes-embedded-resource: true\n"
        "  x-kubernetes-preserve-unknown-fields: true"
    ),
    good=(
        "template:\n"
        "  type: object\n"
        "  x-kubernetes-embedded-resource: true\n"
        "  x-kubernetes-preserve-unknown-fields: true"
    ),
)
def _object_type(finding: FieldFinding) -> Edits:
    return finding.write("object") if finding.name == "type" else ()


@Fixer("Keep all fields of the embedded resource", "unsafe")
def _all_fields(finding: FieldFinding) -> Edits:
    if finding.name == "properties":
        yield finding.editor.insert(finding.owner, "x-kubernetes-preserve-unknown-fields", "true")


FIXES: Final = FixesOf(
    FieldFinding,
    {
        NOT_CONVERTIBLE.id: (_without_schema_url,),
        TYPE_REQUIRED.id: (
            _decided_type,
            _fields_in_text,
            OUTDENTED.example(
                bad="ports:\n  items:\n    type: integer\n    type: array",
                good="ports:\n  items:\n    type: integer\n  type: array",
            ),
            _int_or_string_of_format,
            _number_type,
            _alternatives_type,
            _any_type,
        ),
        ITEMS_REQUIRED.id: (
            _outdented_items,
            _items_of_type,
            _fields_in_text.example(
                bad="ports:\n  description: |-\n    The ports.\n    items:\n      type: integer\n  type: array",
                good="ports:\n  description: |-\n    The ports.\n  items:\n    type: integer\n  type: array",
            ),
            _items_of_any_type,
        ),
        ROOT_TYPE.id: (Fixer("Write `type: object`", "safe", replacement("object")),),
        NOT_STRUCTURAL.id: (
            _int_or_string_alternatives,
            _int_or_string_alternatives.example(
                bad="port:\n  oneOf:\n  - type: string\n  - type: integer",
                good="port:\n  anyOf:\n  - type: integer\n  - type: string\n  x-kubernetes-int-or-string: true",
            ),
            _repeated_outside,
            _same_type_outside,
            _outdented_documentation,
            _documentation,
        ),
        METADATA.id: (_plain_metadata,),
        META_TYPE.id: (
            _named_type,
            _fields_in_text.example(
                bad="kind:\n  description: |-\n    The kind.\n    type: string",
                good="kind:\n  description: |-\n    The kind.\n  type: string",
            ),
        ),
        EMBEDDED.id: (
            _object_type,
            _all_fields,
        ),
        INT_OR_STRING.id: (
            Fixer("Keep `x-kubernetes-int-or-string: true` alone", "safe", removal).example(
                bad="port:\n  x-kubernetes-int-or-string: true\n  x-kubernetes-preserve-unknown-fields: true",
                good="port:\n  x-kubernetes-int-or-string: true",
            ),
        ),
        PATTERN.id: (_pattern_with_comment, _rule_of_lookahead, repaired_pattern),
    },
)
