"""Fixes of values of a wrong type, also of those that are written shorter than the API has them."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Final

from crdlint.crd.decode_errors import PAIR
from crdlint.crd.gotypes import SCHEMA, SCHEMA_OR_BOOLEAN, GoType
from crdlint.crd.identity import is_of_another_kind
from crdlint.crd.identity import type_keys as type_keys_of
from crdlint.crd.placeholders import is_no_item
from crdlint.files.recognition import KIND, VERSION
from crdlint.light import regex
from crdlint.phrases import nearest
from crdlint.rules.engine.advisory import SCALARS, TYPES_OF
from crdlint.rules.engine.edits import (
    Edits,
    add_required,
    expect,
    is_null,
    require,
    texts,
    unlisted,
)
from crdlint.rules.engine.examples import HEAD
from crdlint.rules.engine.finding import DecodeFinding, DocumentFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.fixes.v1beta1 import block
from crdlint.schema.structural import TYPES
from crdlint.spelling import without_typographic_quotes
from crdlint.yaml.edit import Edit
from crdlint.yaml.editor import Editor, UneditableError, quoted
from crdlint.yaml.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    child,
    is_glued_item,
    key_names,
    text_of,
    text_or_empty,
)

_GROUPED: Final = regex(r"-?\d{1,3}(?:[,_]\d{3})+\Z")
_AMONG: Final = regex(
    r"(?:<=?|>=?|=)? *(-?(?=[OolI]*\d)[\dOolI]{1,19})(?: *(k|K)| +[A-Za-z]+| *(?://|--|/\*).*| +<\d+>| +\(.*|[;,]|#.*)?\Z"
)
_COMMENTED_BOOLEAN: Final = regex(r"(true|false)(?: *(?://|--|/\*).*| +<\d+>| +\(.*|#.*)")
_LOOKALIKES: Final = str.maketrans("OolI", "0011")
_NUMBER: Final = regex(r"-?(?:0|[1-9]\d*)(?:\.\d+)?\Z")
_WHOLE: Final = regex(r"(-?(?:0|[1-9]\d*))(?:\.0+)?\Z")
# A field that YAML reads as text: no blank after its colon, or another character instead of the colon.
_FIELD: Final = regex(r"([\w$-]+)(?::(?=[^\s:])|[ \u00a0]*[=;\uff1a][ \u00a0]*|:\u00a0+)(?=\S+\Z)")
_SEPARATORS: Final = regex("[,;|]")
_ONE: Final = regex(r"[^\s,\[\]{}]+\Z")
_BOOLEANS: Final = {
    "true": "true",
    "false": "false",
    "yes": "true",
    "no": "false",
    "on": "true",
    "off": "false",
    "1": "true",
    "0": "false",
    "t": "true",
    "f": "false",
    "y": "true",
    "n": "false",
    "enabled": "true",
    "disabled": "false",
}
_INTEGERS: Final = frozenset({"int32", "int64", "int"})
_VERSION: Final = "v1.CustomResourceDefinitionVersion"
# The field that a text is the value of, by the Go type of the object that is expected.
_MAIN_FIELDS: Final = {"v1.ValidationRule": "rule", "v1.SelectableField": "jsonPath"}
_LISTS_OF_OBJECTS: Final = frozenset({"x-kubernetes-validations", "allOf", "anyOf", "oneOf"})
_LISTS: Final = {"v1.ValidationRules": "[]v1.ValidationRule"}
WHOLE_CRD: Final = f"{HEAD}        type: object\n"


def _with(fields: str) -> str:
    return f"type: object\nproperties:\n  {fields}\n"


def in_spec(schema: str) -> str:
    """Return a schema whose property `spec` is an object with more fields."""
    return _with("spec:\n    type: object") + schema


def _of_spec(field: str) -> str:
    return in_spec(f"    properties:\n      {field}\n")


def _in_version(field: str) -> str:
    return f"{WHOLE_CRD}    {field}\n"


def _with_column(path: str) -> str:
    return _in_version(f"additionalPrinterColumns: [{{name: A, type: string, jsonPath: {path}}}]")


def _certified(bundle: str) -> str:
    service = f"{{service: {{name: a, namespace: b}}, caBundle: {bundle}}}"
    return f"conversion: {{strategy: Webhook, webhook: {{clientConfig: {service}, conversionReviewVersions: [v1]}}}}"


def _wrong_scalar(finding: DecodeFinding) -> Scalar:
    node = finding.scalar()
    if finding.editor.is_key(node):
        raise UneditableError
    return node


def _value_expected_as(finding: DecodeFinding, go_type: str) -> Node | None:
    """Return the value of the wrong type, if the decoder expects a Go type."""
    if finding.problem.go_type != go_type:
        return None
    node = finding.problem.node
    return finding.entry[2] if finding.editor.is_key(node) else node


def _entry_of(finding: DecodeFinding, name: str) -> tuple[Mapping, Scalar, Node]:
    """Return the mapping, key and value of an entry of the wrong type whose key is `name`."""
    if finding.entry[1].value != name:
        raise UneditableError
    return finding.entry


@Fixer("Indent with plain spaces", "safe").example(
    bad=_with("host:\n    type: string\n  \u00a0 maxLength: 9"),
    good=_with("host:\n    type: string\n    maxLength: 9"),
)
def plain_blanks(finding: DecodeFinding) -> Edits:
    """Indent a key with spaces instead of non-breaking spaces."""
    start, text = finding.entry[1].start_mark.index, finding.editor.text
    end = start
    while text[end : end + 1] in {"\u00a0", " "}:
        end += 1
    if "\u00a0" in text[start:end]:
        yield Edit(start, end, " " * (end - start))


@Fixer("Correct `kind` and `apiVersion`", "safe")
def type_keys(finding: DocumentFinding) -> Edits:
    """Write kind and apiVersion, keys and values, as a CRD has them."""
    editor, root = finding.editor, finding.root
    if isinstance(root, Mapping) and is_of_another_kind(root):
        return
    keys = type_keys_of(root)
    for name, expected in (("apiVersion", VERSION), ("kind", KIND)):
        key, value = keys.get(name, (None, None))
        if not isinstance(key, Scalar):
            yield editor.insert(
                root,
                name,
                editor.value(expected),
                before=editor.first(root),
            )
            continue
        if key.value != name:
            yield editor.respell(key, name)
        if isinstance(value, Scalar) and value.value != expected:
            yield editor.respell(value, expected)


@Fixer("Move `required: true` into the list of the object", "unsafe").example(
    bad=in_spec("    properties:\n      host:\n        type: string\n        required: true\n"),
    good=in_spec("    required: [host]\n    properties:\n      host:\n        type: string\n"),
)
def _required_property(finding: DecodeFinding) -> Edits:
    schema, _, value = _entry_of(finding, "required")
    editor, word = finding.editor, expect(Scalar, value).value.lower()
    fields = child(schema, "properties")
    may_mean_fields = word == "true" and isinstance(fields, Mapping) and bool(fields.items)
    if word not in {"true", "false"} or len(schema.items) == 2 or may_mean_fields:
        return
    name, properties = require(editor.key_of(schema)).value, editor.parent(schema)
    if name == "items":
        yield editor.remove(schema, "required")  # an item is never missing
        return
    if editor.name_of(properties) != "properties":
        return
    yield editor.remove(schema, "required")
    if word == "true":
        yield from add_required(editor, expect(Mapping, editor.parent(properties)), [name])


@Fixer("Move `required` out of `properties`", "safe").example(
    bad=in_spec("    properties:\n      required: [host]\n      host: {type: string}\n"),
    good=in_spec("    required: [host]\n    properties:\n      host: {type: string}\n"),
)
def _required_in_properties(finding: DecodeFinding) -> Edits:
    properties, _, value = _entry_of(finding, "required")
    editor = finding.editor
    if editor.name_of(properties) == "properties":
        schema = expect(Mapping, editor.parent(properties))
        yield editor.remove(properties, "required")
        yield from add_required(editor, schema, texts(expect(Sequence, value).items))


@Fixer("Move the rules out of `properties`", "safe").example(
    bad=in_spec(
        "    properties:\n      x-kubernetes-validations:\n      - rule: has(self.host)\n      host: {type: string}\n"
    ),
    good=in_spec(
        "    x-kubernetes-validations:\n    - rule: has(self.host)\n    properties:\n      host: {type: string}\n"
    ),
)
def _rules_in_properties(finding: DecodeFinding) -> Edits:
    """Move the rules of an object, which are among its properties, out to the object."""
    properties, _, value = _entry_of(finding, "x-kubernetes-validations")
    editor, rules = finding.editor, expect(Sequence, value)
    name, owner = editor.name_of(properties), expect(Mapping, editor.parent(properties))
    is_only = len(properties.items) == len(("key", "value"))
    if name != "properties" or is_only or not _reads_each(rules, properties):
        return
    if owner.find("x-kubernetes-validations") is None and (rules.flow or not owner.flow):
        source = editor.source(rules) if rules.flow else block(editor, rules)
        yield editor.remove(properties, "x-kubernetes-validations")
        yield editor.insert(
            owner,
            "x-kubernetes-validations",
            source,
            before="properties",
        )


def _reads_each(rules: Sequence, properties: Mapping) -> bool:
    """Return whether each of some rules reads a property, so that none may be of the property above it."""
    names = "|".join(map(re.escape, key_names(properties)))
    read = re.compile(rf"\bself\.(?:{names})\b")
    return all(read.search(text_or_empty(child(rule, "rule"))) for rule in rules.items)


@Fixer("Write the type and `nullable`", "safe").example(
    bad=_with('note:\n    type: [string, "null"]'),
    good=_with("note:\n    type: string\n    nullable: true"),
)
def _nullable_type(finding: DecodeFinding) -> Edits:
    mapping, _, value = _entry_of(finding, "type")
    names = texts(expect(Sequence, value).items)
    types = [name for name in names if name not in {"null", "~", ""}]
    if len(types) == 1:
        yield finding.editor.write(value, finding.editor.value(types[0]))
        if len(names) > 1 and mapping.find("nullable") is None:
            yield finding.editor.insert(
                mapping,
                "nullable",
                "true",
                after="type",
            )


@Fixer("Write `x-kubernetes-int-or-string`", "safe").example(
    bad=_with("port:\n    type: [integer, string]"),
    good=_with("port:\n    x-kubernetes-int-or-string: true"),
)
def _alternative_types(finding: DecodeFinding) -> Edits:
    mapping, key, value = _entry_of(finding, "type")
    names = texts(expect(Sequence, value).items)
    if set(names) == {"integer", "string"} and mapping.find("x-kubernetes-int-or-string") is None:
        yield finding.editor.respell(key, "x-kubernetes-int-or-string")
        yield finding.editor.write(value, "true")


@Fixer("Write the bound as OpenAPI v3 does", "safe").example(
    bad=_with("size: {type: integer, exclusiveMinimum: 0}"),
    good=_with("size: {type: integer, exclusiveMinimum: true, minimum: 0}"),
)
def _exclusive_bound(finding: DecodeFinding) -> Edits:
    """Write the bound, and that it is excluded; of two bounds the one that excludes more."""
    mapping, key, value = finding.entry
    bound = _EXCLUSIVE.get(key.value)
    number = expect(Scalar, value).value
    if bound is None or not _NUMBER.match(number):
        return
    other = mapping.find(bound)
    if other is None:
        yield finding.editor.insert(
            mapping,
            bound,
            number,
            before=key.value,
        )
        yield finding.editor.replace(value, "true")
        return
    own, least = float(number), float(expect(Scalar, other[1]).value)
    is_wider = own < least if bound == "minimum" else own > least
    if own != least and not is_wider:
        yield finding.editor.replace(other[1], number)
    yield finding.editor.replace(value, "false" if is_wider else "true")


_EXCLUSIVE: Final = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


@Fixer("Write the value without quotes", "safe")
def _plain_value(finding: DecodeFinding) -> Edits:
    """Write a number or a boolean without quotes."""
    node, expected = _wrong_scalar(finding), finding.problem.go_type
    if node.style in {"|", ">"}:
        return
    text = without_typographic_quotes(node.value.strip())
    if _GROUPED.match(text):
        text = text.replace(",", "").replace("_", "")
    integer = _WHOLE.match(text)
    if expected in _INTEGERS and integer:
        yield finding.editor.replace(node, integer[1])
    elif expected == "float64" and _NUMBER.match(text) and finding.editor.is_text(node):
        yield finding.editor.replace(node, text)
    elif expected == "bool":
        is_bound = finding.entry[1].value in _EXCLUSIVE and bool(_NUMBER.match(text))
        word = None if is_bound else _boolean_word(text.lower())
        if word:
            yield finding.editor.replace(node, _BOOLEANS[word])


def _boolean_word(text: str) -> str | None:
    return text if text in _BOOLEANS else nearest(text, ("true", "false"), 0.7)


@Fixer("Correct the number", "unsafe").example(
    bad=_with("name: {type: string, maxLength: 1k}"),
    good=_with("name: {type: string, maxLength: 1000}"),
)
def _number_within(finding: DecodeFinding) -> Edits:
    """Write the number that a text contains, such as `8` for `<= 8`, `8 items` and `8;`, and `1000` for `1k`."""
    node = _wrong_scalar(finding)
    match = _AMONG.match(node.value.strip())
    if match is not None and finding.problem.go_type in {*_INTEGERS, "float64"} and not node.style:
        number = int(match[1].translate(_LOOKALIKES)) * (1000 if match[2] else 1)
        yield finding.editor.replace(node, str(number))


@Fixer("Remove the comment after the boolean", "unsafe").example(
    bad=_with("name: {type: string, nullable: true // maybe}"),
    good=_with("name: {type: string, nullable: true}"),
)
def _boolean_within(finding: DecodeFinding) -> Edits:
    """Write the boolean before a comment of another language."""
    node = _wrong_scalar(finding)
    match = _COMMENTED_BOOLEAN.fullmatch(node.value.strip())
    if match is not None and finding.problem.go_type == "bool" and not node.style:
        yield finding.editor.replace(node, match[1])


@Fixer("Add a space after the colon", "safe").example(
    bad=_with("name:\n    type:string"), good=_with("name:\n    type: string")
)
def _missing_blank(finding: DecodeFinding) -> Edits:
    """Add a space after the colon of a field that is alone in a mapping."""
    value = expect(Scalar, finding.entry[2])
    of, match = finding.go_type(value), _FIELD.match(value.value)
    if match is not None and match[1] in of.fields and not value.style:
        start = value.start_mark.index
        yield Edit(start + match.end(1), start + match.end(), ": ")


@Fixer("Write the text in quotes", "safe").example(
    bad=_with("name: {type: string, description: 5}"),
    good=_with("name: {type: string, description: '5'}"),
)
def _text_value(finding: DecodeFinding) -> Edits:
    node, mapping, key = _wrong_scalar(finding), *finding.entry[:2]
    # No format is a number, no pattern is `true`, and the name of no version begins with a digit.
    of_words = _FIELDS_OF_WORDS.get(finding.go_type(mapping).name, ())
    if finding.problem.go_type == "string" and key.value not in of_words and not node.style:
        yield finding.editor.replace(node, quoted(node.value, double=finding.editor.is_json))


# The fields whose texts are never those of numbers or booleans, by the Go type of the object.
_FIELDS_OF_WORDS: Final = {SCHEMA.name: ("format", "pattern"), _VERSION: ("name",)}


@Fixer("Write the key and its value", "safe").example(
    bad=WHOLE_CRD.replace("  name: foos", "  labels:\n    app=foo\n  name: foos"),
    good=WHOLE_CRD.replace("  name: foos", "  labels:\n    app: foo\n  name: foos"),
    scope="text",
)
def _pair(finding: DecodeFinding) -> Edits:
    """Write a label or an annotation that has an equals sign, or no space after the colon."""
    node = _wrong_scalar(finding)
    pair = PAIR.match(node.value)
    is_block = not finding.entry[0].flow and not node.style
    if finding.problem.go_type != "map[string]string" or pair is None or not is_block:
        return
    is_below = node.start_mark.line > finding.entry[1].start_mark.line
    written = f"{pair[1]}: {pair[2]}"
    yield finding.editor.replace(node, written if is_below else f"{{{written}}}")


@Fixer("Begin the version with `v`", "unsafe").example(
    bad=WHOLE_CRD.replace("name: v1\n", "name: 1\n"),
    good=WHOLE_CRD,
    scope="text",
)
def _version_of_number(finding: DecodeFinding) -> Edits:
    node, mapping, key = _wrong_scalar(finding), *finding.entry[:2]
    is_name = key.value == "name" and finding.go_type(mapping).name == _VERSION
    if is_name and node.value.isdecimal():
        yield finding.editor.replace(node, finding.editor.value(f"v{node.value}"))


@Fixer("Write the format of that many bits", "safe").example(
    bad=_with("size: {type: integer, format: 32}"),
    good=_with("size: {type: integer, format: int32}"),
)
def _format_of_bits(finding: DecodeFinding) -> Edits:
    mapping, key, node = finding.entry
    is_of_integer = text_of(child(mapping, "type")) == "integer"
    is_format = key.value == "format" and finding.go_type(mapping) is SCHEMA
    if is_format and is_of_integer and text_of(node) in {"32", "64"}:
        yield finding.editor.replace(node, f"int{text_of(node)}")


@Fixer("Add a space after the dash", "safe").example(
    bad="type: object\nrequired:\n  -spec\nproperties:\n  spec: {type: object}\n",
    good="type: object\nrequired:\n  - spec\nproperties:\n  spec: {type: object}\n",
)
def _glued_item(finding: DecodeFinding) -> Edits:
    """Add the space after the dash of the only item of a list, below its key."""
    _, key, node = finding.entry
    value = expect(Scalar, node)
    start = value.start_mark
    is_item = is_glued_item(value.value) and not value.style
    if is_item and finding.go_type(value).kind == "slice" and start.line > key.start_mark.line:
        yield finding.editor.inserted(start.index + 1, " ")


@Fixer("Make a list of the value", "safe").example(
    bad="type: object\nrequired: spec\nproperties:\n  spec: {type: object}\n",
    good="type: object\nrequired: [spec]\nproperties:\n  spec: {type: object}\n",
)
def _list_of_one(finding: DecodeFinding) -> Edits:
    """Make a list of a single value, of values with separators between them, or of the keys of a mapping."""
    value = finding.entry[2]
    of = finding.go_type(value)
    if of.kind != "slice":
        return
    if isinstance(value, Scalar):
        yield from _list_of_words(finding, value)
    elif isinstance(value, Mapping) and value.items and _is_list_of_values(of):
        yield from _list_of_keys(finding.editor, value)
    elif isinstance(value, Mapping):
        yield from _list_of_mapping(finding.editor, value)


def _is_list_of_values(of: GoType) -> bool:
    return of.element is not None and of.element.kind != "struct"


def _list_of_words(finding: DecodeFinding, value: Scalar) -> Edits:
    """Make a list of the words of a text, which may be in brackets."""
    editor, text = finding.editor, value.value
    if is_glued_item(text) and not value.style:
        return  # the dash is not a part of the item
    if value.style and _is_between("[]", text):
        yield editor.replace(value, text)
    words = _words_of(finding, value)
    if editor.is_text(value) and all(_may_be_item(finding, word) for word in words):
        yield _in_brackets(finding, value, words)


def _in_brackets(finding: DecodeFinding, value: Scalar, words: list[str]) -> Edit:
    """Return the edit that writes the words of a text as a list, with those that are behind it in its mapping."""
    editor = finding.editor
    written = [finding.written(value)]
    if len(words) > 1:
        written = [editor.value(each, like=value) for each in words]
    behind = _words_behind(finding)
    written += [editor.value(word.value) for word in behind]
    last = behind[-1] if behind else value
    edit = editor.replace(value, f"[{', '.join(written)}]")
    return Edit(edit.start, max(edit.end, last.end_mark.index), edit.text)


def _words_of(finding: DecodeFinding, value: Scalar) -> list[str]:
    """Return the items that are written as one text, without their own quotes, or the text itself if it is one item."""
    words = _separated(finding, value)
    return [word.strip("'\" ") for word in words] if len(words) > 1 else words


def _separated(finding: DecodeFinding, value: Scalar) -> list[str]:
    """Return the items that are written as one text: with separators, each on a line, or as the names of properties."""
    text = value.value
    lines = finding.editor.source(value).split("\n")
    if len(lines) > 1 and not value.style and all(_ONE.match(line.strip()) for line in lines):
        return [line.strip() for line in lines]
    words = text.split()
    if finding.entry[1].value == "required" and all(_may_be_item(finding, word) for word in words):
        return words or [text]
    return _SEPARATORS.split(text[1:-1] if _is_between("()", text) else text)


def _words_behind(finding: DecodeFinding) -> list[Scalar]:
    """Return the words after a value between braces that are no fields: further items of a list without brackets."""
    editor, (mapping, key, _) = finding.editor, finding.entry
    of = finding.go_type(mapping)
    words: list[Scalar] = []
    if not mapping.flow or of.kind != "struct":
        return words
    position = editor.index(key) + len(("key", "value"))
    following = [*zip(mapping.items[position::2], mapping.items[position + 1 :: 2], strict=True)]
    for word, empty in following:
        if not isinstance(word, Scalar) or word.value in of.fields or not is_null(empty):
            break
        if not _ONE.match(word.value) or editor.text.startswith(":", word.end_mark.index):
            break
        words.append(word)
    return words


def _may_be_item(finding: DecodeFinding, word: str) -> bool:
    """Return whether a word may be an item of the list that is expected: of `required` a property, and no placeholder."""
    schema, key, _ = finding.entry
    if key.value == "required":
        fields = child(schema, "properties")
        if isinstance(fields, Mapping) and fields.find(word) is None:
            return False
    is_unwritten = is_no_item(word, of_enum=key.value == "enum")
    return not is_unwritten and _ONE.match(word) is not None


def _is_between(brackets: str, text: str) -> bool:
    return text.startswith(brackets[0]) and text.endswith(brackets[1])


def _list_of_keys(editor: Editor, value: Mapping) -> Edits:
    """Make a list of the keys of a mapping without values, or with `true` as all values."""
    if all(is_null(each) or text_of(each) == "true" for each in value.items[1::2]):
        names = map(editor.value, texts(value.items[::2]))
        yield editor.write(value, f"[{', '.join(names)}]")


def _list_of_mapping(editor: Editor, value: Mapping) -> Edits:
    """Make a list with a mapping as the only item, an empty list of an empty mapping."""
    start, end = value.start_mark.index, editor.end(value)
    if not value.items:
        yield editor.replace(value, "[]")
    elif value.flow:
        yield editor.replace(value, f"[{editor.text[start:end]}]")
    else:
        yield from editor.indent_lines(start, end, 2)
        yield editor.inserted(start, "- ")


@Fixer("Take the value out of the list", "safe").example(
    bad=_with("name: {type: string, format: [uuid]}"),
    good=_with("name: {type: string, format: uuid}"),
)
def _single_value(finding: DecodeFinding) -> Edits:
    """Take the only value out of a list, and write the type for an empty list or mapping."""
    _, key, value = finding.entry
    expected = finding.problem.go_type
    if key.value == "type" and isinstance(value, (Mapping, Sequence)) and not value.items:
        yield finding.editor.replace(value, "object" if isinstance(value, Mapping) else "array")
    if (
        expected not in {"string", "bool", "int32", "int64", "float64", "v1.ResourceScope"}
        or key.value == "type"
    ):
        return
    match expect(Sequence, value).items:
        case [Scalar() as scalar]:
            is_text = expected in {"string", "v1.ResourceScope"}
            text = (
                finding.editor.value(scalar.value, like=scalar)
                if is_text
                else finding.editor.source(scalar)
            )
            yield finding.editor.write(value, text)


@Fixer("Take the mappings out of the list", "unsafe").example(
    bad=_with("name:\n  - type: string"), good=_with("name:\n    type: string")
)
def _single_mapping(finding: DecodeFinding) -> Edits:
    _, key, value = finding.entry
    if key.value in _LISTS_OF_OBJECTS:
        return  # the list is in the wrong object
    if finding.problem.message == SCHEMA_OR_BOOLEAN:
        yield from unlisted(finding.editor, value)
        return
    of = finding.go_type(value)
    items = [expect(Mapping, item) for item in expect(Sequence, value).items]
    if of.kind not in {"struct", "map"}:
        return
    if len(items) == 1:
        yield from unlisted(finding.editor, value)
        return
    names = [name for item in items for name in texts(item.items[::2])]
    are_different = len({*names}) == len(names)
    if are_different and (of.kind == "map" or of.fields.keys() >= {*names}):
        yield from _without_marks_of_list(finding.editor, expect(Sequence, value), items)


def _without_marks_of_list(editor: Editor, items: Sequence, mappings: list[Mapping]) -> Edits:
    """Yield the edits that make one mapping of a list of mappings, which have no brackets themselves."""
    starts = [mapping.start_mark.index for mapping in mappings]
    if any(editor.text[start] == "{" for start in starts):
        return
    if items.flow:
        end = editor.end(items)
        yield Edit(items.start_mark.index, items.start_mark.index + 1, "{")
        yield Edit(end - 1, end, "}")
        return
    dashes = [editor.text.rindex("-", 0, start) for start in starts]
    yield from (Edit(dash, dash + 1, " ") for dash in dashes)


@Fixer("Indent the field below the property above", "safe").example(
    bad=in_spec("    properties:\n      port:\n        minimum: 1\n      type: integer\n"),
    good=in_spec("    properties:\n      port:\n        minimum: 1\n        type: integer\n"),
)
def _field_of_property(finding: DecodeFinding) -> Edits:
    """Indent a keyword that is written beside a property like the fields of that, which lacks it."""
    properties, key = _keyword_beside_properties(finding)
    editor, index = finding.editor, finding.editor.index(key)
    schema = expect(Mapping, properties.items[index - 1] if index else None)
    by = schema.start_mark.column - key.start_mark.column
    if not schema.flow and by > 0 and _fits(schema, finding.entry):
        yield from editor.shifted(key.start_mark.index, editor.end(finding.entry[2]), by)


def _keyword_beside_properties(finding: DecodeFinding) -> tuple[Mapping, Scalar]:
    """Return properties, and among them a keyword of a schema with a scalar as the value."""
    properties, key, value = finding.entry
    is_property = finding.editor.name_of(properties) == "properties"
    if not is_property or not _is_value_of_keyword(key.value, value):
        raise UneditableError
    return properties, key


def _is_value_of_keyword(name: str, value: Node) -> bool:
    """Return whether a name is a keyword of schemas that may have a value which is no schema."""
    if name in {"default", "enum"} and isinstance(value, Sequence):
        return True
    field = SCHEMA.fields.get(name)
    if field is None or not isinstance(value, Scalar) or is_null(value):
        return False
    if name != "type" and value.value in TYPES:
        return False  # a property that is written as its type
    return name == "default" or field.type.kind in {"string", "bool", "int64", "float64"}


def _fits(schema: Mapping, entry: tuple[Mapping, Scalar, Node]) -> bool:
    """Return whether a schema may have a keyword that it lacks: a type as its other keywords imply it."""
    _, key, value = entry
    implied = [
        name
        for name, field in (("object", "properties"), ("array", "items"))
        if schema.find(field) is not None
    ]
    types = {
        **TYPES_OF,
        "x-kubernetes-list-type": {"array"},
        "x-kubernetes-map-type": {"object"},
    }.get(key.value)
    is_type = key.value != "type" or expect(Scalar, value).value in (implied or SCALARS)
    if key.value in {"default", "enum"}:
        is_list = key.value == "default" and isinstance(value, Sequence)
        types = {"array"} if is_list else SCALARS
    return (
        schema.find(key.value) is None
        and is_type
        and (types is None or text_of(child(schema, "type")) in types)
    )


@Fixer("Indent the field like `properties`", "safe").example(
    bad=in_spec("    properties:\n      port:\n        type: integer\n      maxProperties: 1\n"),
    good=in_spec("    properties:\n      port:\n        type: integer\n    maxProperties: 1\n"),
)
def _field_of_object(finding: DecodeFinding) -> Edits:
    """Indent a keyword at the end of properties like them, if the last property has it and the object lacks it."""
    properties, key = _keyword_beside_properties(finding)
    owner, editor = expect(Mapping, finding.editor.parent(properties)), finding.editor
    by = owner.start_mark.column - key.start_mark.column
    last = expect(Mapping, properties.items[-3] if key in properties.items[2:][-2:] else None)
    if (
        not _fits(last, finding.entry)
        and not owner.flow
        and not properties.flow
        and _fits(owner, finding.entry)
    ):
        yield from editor.shifted(key.start_mark.index, editor.end(finding.entry[2]), by)


@Fixer("Move the field above `properties`", "safe").example(
    bad=in_spec(
        "    properties:\n      description: How it is run.\n      port: {type: integer}\n"
    ),
    good=in_spec("    description: How it is run.\n    properties:\n      port: {type: integer}\n"),
)
def _field_before_properties(finding: DecodeFinding) -> Edits:
    """Move a text of several words or a limit at the start of properties to the object, which lacks it."""
    properties, key = _keyword_beside_properties(finding)
    owner, value = (
        expect(Mapping, finding.editor.parent(properties)),
        expect(Scalar, finding.entry[2]),
    )
    is_text = " " in value.value or not finding.editor.is_text(value)
    is_first = properties.items[0] is key and len(properties.items) > len(("key", "value"))
    if is_first and is_text and not value.value.count("\n") and _fits(owner, finding.entry):
        source = finding.editor.source(value)
        yield finding.editor.remove(properties, key.value)
        yield finding.editor.insert(
            owner,
            key.value,
            source,
            before="properties",
        )


@Fixer("Write a schema of the type", "safe").example(
    bad=_of_spec("host: string"), good=_of_spec("host: {type: string}")
)
def _schema_of_type(finding: DecodeFinding) -> Edits:
    editor, node = finding.editor, _value_expected_as(finding, "v1.JSONSchemaProps")
    if node is None and finding.problem.message == SCHEMA_OR_BOOLEAN:
        node = finding.entry[2]
    if editor.name_of(node) == "type":  # its indentation may be wrong
        return
    if isinstance(node, Scalar) and node.value in TYPES:
        yield editor.replace(node, f"{{{editor.name('type')}: {finding.written(node)}}}")


@Fixer("Write the boolean without quotes", "safe").example(
    bad=_of_spec("labels: {type: object, additionalProperties: 'true'}"),
    good=_of_spec("labels: {type: object, additionalProperties: true}"),
)
def _boolean_or_schema(finding: DecodeFinding) -> Edits:
    node = expect(Scalar, finding.entry[2])
    if finding.problem.message == SCHEMA_OR_BOOLEAN and node.value in {"true", "false"}:
        yield finding.editor.replace(node, node.value)


@Fixer("Write a rule of the expression", "safe").example(
    bad=_with("size:\n    type: integer\n    x-kubernetes-validations:\n    - self > 0"),
    good=_with("size:\n    type: integer\n    x-kubernetes-validations:\n    - rule: self > 0"),
)
def _object_of_text(finding: DecodeFinding) -> Edits:
    """Write an object with the text that is written in its place, as a rule with its expression."""
    editor, node = (
        finding.editor,
        expect(Scalar, _value_expected_as(finding, finding.problem.go_type)),
    )
    expected = _LISTS.get(finding.problem.go_type, finding.problem.go_type)
    field = _MAIN_FIELDS.get(expected.removeprefix("[]"))
    if field is None or node.style in {"|", ">"} or not editor.is_text(node):
        return
    text, parent = f"{editor.name(field)}: {finding.written(node)}", editor.parent(node)
    if expected.startswith("[]"):
        if "\n" not in text and not isinstance(parent, Sequence):
            yield editor.replace(
                node, f"[{{{editor.name(field)}: {editor.value(node.value, like=node)}}}]"
            )
    elif isinstance(parent, Sequence) and parent.flow:
        yield editor.replace(node, f"{{{text}}}")
    elif isinstance(parent, Sequence) and "\n" not in text:
        yield editor.replace(node, text)


@Fixer("Write the path without braces", "safe").example(
    _with_column("{.spec.a}"), _with_column(".spec.a"), "text"
)
def _path_in_braces(finding: DecodeFinding) -> Edits:
    """Write a path without the braces, which YAML reads as a mapping."""
    node = expect(Mapping, _value_expected_as(finding, "string"))
    if node.flow and len(node.items) == 2:
        key, value = node.items
        if isinstance(key, Scalar) and key.value.startswith(".") and is_null(value):
            yield finding.editor.write(node, finding.editor.value(key.value))


@Fixer("Write a conversion with the strategy", "safe").example(
    bad="conversion: None",
    good="conversion: {strategy: None}",
    scope="spec",
)
def _conversion_of_strategy(finding: DecodeFinding) -> Edits:
    editor, node = (
        finding.editor,
        expect(Scalar, _value_expected_as(finding, "v1.CustomResourceConversion")),
    )
    if node.value.lower() == "none":
        yield editor.replace(node, f"{{{editor.name('strategy')}: {editor.value('None')}}}")


@Fixer("Encode the certificate by base64", "safe").example(
    bad=_certified('"-----BEGIN CERTIFICATE-----\\n"'),
    good=_certified("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg=="),
    scope="spec",
)
def _encoded_certificate(finding: DecodeFinding) -> Edits:
    _, key, node = finding.entry
    if (
        key.value == "caBundle"
        and isinstance(node, Scalar)
        and node.value.startswith("-----BEGIN CERTIFICATE-----")
    ):
        yield finding.editor.write(node, b64encode(node.value.encode()).decode())


@Fixer("Write the status subresource as a mapping", "safe").example(
    bad=_in_version("subresources:\n    - status"),
    good=_in_version("subresources:\n      status: {}"),
    scope="text",
)
def _status_subresource(finding: DecodeFinding) -> Edits:
    """Write the status subresource, which has no fields, as an empty mapping."""
    editor = finding.editor
    status = _value_expected_as(finding, "v1.CustomResourceSubresourceStatus")
    is_enabled = isinstance(status, Scalar) and status.value.lower() in {"true", "enabled"}
    if status is not None and (is_enabled or (isinstance(status, Sequence) and not status.items)):
        yield editor.write(status, "{}")
    node = _value_expected_as(finding, "v1.CustomResourceSubresources")
    written = f"{editor.name('status')}: {{}}"
    if isinstance(node, Scalar) and node.value == "status":
        yield editor.replace(node, f"{{{written}}}")
    elif isinstance(node, Sequence) and _names_of_item(node) == ["status"]:
        yield _status_out_of_list(editor, node, written)


def _names_of_item(items: Sequence) -> list[str]:
    """Return the word that is the only item of a list, or the keys of the mapping that is; empty for other lists."""
    if len(items.items) != 1:
        return []
    (item,) = items.items
    return key_names(item) if isinstance(item, Mapping) else [text_or_empty(item)]


def _status_out_of_list(editor: Editor, items: Sequence, written: str) -> Edit:
    (item,) = items.items
    if items.flow:
        return editor.replace(items, f"{{{written}}}")
    if isinstance(item, Mapping):
        return Edit(items.start_mark.index, item.start_mark.index, "  ")
    return editor.replace(items, f"  {written}")


TYPE_KEYS: Final = type_keys.example(
    WHOLE_CRD.replace("apiVersion:", "apiVersoin:"), WHOLE_CRD, "text"
)
DECODE: Final = (
    plain_blanks,
    _required_property,
    _required_in_properties,
    _rules_in_properties,
    _nullable_type,
    _alternative_types,
    _exclusive_bound,
    _plain_value,
    _number_within,
    _boolean_within,
    _missing_blank,
    _format_of_bits,
    _version_of_number,
    _text_value,
    _pair,
    _glued_item,
    _list_of_one,
    _single_value,
    _field_of_property,
    _field_of_object,
    _field_before_properties,
    _schema_of_type,
    _schema_of_type.example(
        bad=_of_spec("labels: {type: object, additionalProperties: string}"),
        good=_of_spec("labels: {type: object, additionalProperties: {type: string}}"),
    ),
    _boolean_or_schema,
    _object_of_text,
    _path_in_braces,
    _conversion_of_strategy,
    _encoded_certificate,
    _status_subresource,
    _single_mapping,
)
