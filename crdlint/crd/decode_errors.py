"""The errors of Go's decoder for a document: its decode error, or all strict errors; and helps for type errors.

Upstream: sigs.k8s.io/json (internal/golang/encoding/json decode.go and kubernetes_patch.go, with Go 1.24's nested field paths).
The input is the JSON with sorted keys that sigs.k8s.io/yaml creates from YAML, or a JSON document as it is. It runs only if
`decode_values` fails, so it need not be fast. Depth is limited by memory only: calls are generators that `run_calls` drives.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from collections.abc import Mapping as MappingOf
from dataclasses import field
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal

from crdlint.crd.gotypes import (
    INT_RANGES,
    MAX_DEPTH,
    SCHEMA,
    SCHEMA_OR_BOOLEAN,
    STRING,
    GoField,
    GoType,
)
from crdlint.crd.identity import json_type_of
from crdlint.crd.placeholders import is_no_item
from crdlint.golang.encodings import CorruptInputError, decode_base64
from crdlint.golang.printing import json_float
from crdlint.golang.text import quote
from crdlint.golang.times import check_rfc3339
from crdlint.kubernetes.servers import NEWEST, Server, first_to_know
from crdlint.light import NamedTuple, dataclass, regex
from crdlint.phrases import Layout, OneCommand, Sample, nearest
from crdlint.safety.work import run_calls
from crdlint.spelling import are_opposites, without_typographic_quotes
from crdlint.yaml.json_values import entries
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, is_glued_item, is_json, items_of
from crdlint.yaml.resolve import resolve

if TYPE_CHECKING:
    Steps = Generator["Steps", None, None]


MAX_STRICT_ERRORS: Final = 100
_NONE: Final[MappingOf[str, GoField]] = {}
_KEYWORD_OF_SCHEMAS: Final = "additionalProperties"
_COMMENTED: Final = regex(r"(-?\d+|true|false)(?: *//| *--| */\*| +<\d+>| +\(|#)")
_PLACEHOLDER: Final = regex(r"<.+>|\{.+\}")
# Lists of an object, which no property is.
_OF_OBJECTS: Final = frozenset({"required", "x-kubernetes-validations"})


def _with_rule(keyword: str, rule: str) -> Sample:
    """Return the help for a keyword whose condition a rule can express."""
    validations = f'x-kubernetes-validations: [{{rule: "{rule}"}}]'
    return Sample(f"Remove `{keyword}`, and add a rule, such as `{validations}`")


_MOVED: Final = "Write the schema where it is used: a CRD has no `$ref` and no definitions"
# Keywords of JSON Schema that no schema of a CRD has, and what to write instead.
_OF_JSON_SCHEMA: Final = {
    "propertyNames": _with_rule("propertyNames", "self.all(key, key.matches('^[a-z]+$'))"),
    "if": _with_rule("if", "!has(self.a) || has(self.b)"),
    "then": _with_rule("then", "!has(self.a) || has(self.b)"),
    "else": _with_rule("else", "has(self.a) || has(self.b)"),
    "dependentRequired": _with_rule("dependentRequired", "!has(self.key) || has(self.cert)"),
    "dependentSchemas": _with_rule("dependentSchemas", "!has(self.key) || has(self.cert)"),
    "contains": _with_rule("contains", "self.exists(item, item == 'a')"),
    "minContains": _with_rule("minContains", "self.filter(item, item == 'a').size() >= 1"),
    "maxContains": _with_rule("maxContains", "self.filter(item, item == 'a').size() <= 1"),
    "prefixItems": "Write one schema for all items in `items`: a CRD has no schemas for single items",
    "unevaluatedItems": "Remove `unevaluatedItems`: `items` is the schema of all items",
    "unevaluatedProperties": "Remove `unevaluatedProperties`: the API server drops fields that are not in `properties`",
    "$defs": _MOVED,
    "$anchor": _MOVED,
    "$dynamicRef": _MOVED,
    **dict.fromkeys(
        ("examples", "$id", "$comment", "$vocabulary"),
        "Remove the field: the API server keeps it in no schema",
    ),
    "const": "Write `enum` with a list of the only value instead of `const`",
}
_LIKE: Final = 0.75  # the minimum similarity of a suggested field


class GoError(Exception):
    """An error of the decoder, at the node to report; its text is `text`, or the text of an UnmarshalTypeError.

    An error with a `text` that is about a value has in `of` what the value should be, with an article. `content` is
    the rejected value, if `node` is only the key of it.
    """

    def __init__(
        self,
        node: Node,
        text: str = "",
        value: str = "",
        of: str = "",
        content: Node | None = None,
    ) -> None:
        super().__init__(text)
        self.node = node
        self.content = content or node
        self.text = text
        self.value = value
        self.of = of
        self.struct = ""
        self.field = ""

    def __str__(self) -> str:
        if self.text:
            return self.text
        target = "Go value"
        if self.struct or self.field:
            target = f"Go struct field {self.struct}.{self.field}"
        return f"json: cannot unmarshal {self.value} into {target} of type {self.of}"

    def problem(self) -> DecodeProblem:
        """Return the finding of this error."""
        problem = DecodeProblem("decode", str(self), self.node, self.content)
        if self.text:
            return problem._replace(expected=self.of)
        return problem._replace(
            json_type=self.value.partition(" ")[0],
            go_type=self.of,
            field=self.field,
        )


class DecodeProblem(NamedTuple):
    """A problem of the decoder. Duplicate keys in YAML are found by `crdlint.yaml`.

    `kind`: decode (the document is rejected) or strict (an unknown field, or in JSON a duplicate one).
    `message`: the text of the decoder.
    `node`: the position.
    `content`: the rejected value or, for a strict problem, the mapping that has the field.
    `path`: the path of an unknown field as in the message, empty for a decode error.
    `help`: the help, which names `nearest`.
    `first`: the first of the two keys of a duplicate field.
    `nearest`: the most similar field.
    `json_type`: for a type error, the JSON type of the value.
    `go_type`: for a type error, the Go type of the field.
    `field`: for a type error, the name or path of the field in its struct.
    `expected`: what the value should be where that is no Go type.
    `full_message`: the server's message if it has more errors in one text.
    `is_contained`: whether `full_message` is that of an earlier problem, which contains this one.
    `rule`, `headline`: those of the finding if they do not follow from the other fields.
    """

    kind: Literal["decode", "strict"]
    message: str
    node: Node
    content: Node
    path: str = ""
    help: str | None = None
    first: Node | None = None
    nearest: str | None = None
    json_type: str = ""
    go_type: str = ""
    field: str = ""
    expected: str = ""
    full_message: str = ""
    is_contained: bool = False
    rule: str = ""
    headline: str = ""


@dataclass(slots=True)
class DecodeState:
    """A decodeState.

    `strict`: whether unknown and duplicate fields are errors.
    `json`: whether the text is JSON.
    `server`: the API server.
    `goes_on`: whether decoding goes on after an error that stops Go.
    `struct`, `fields`: the position for type errors: the name of the struct, and the fields that lead to the value.
    `path`: the position for unknown fields.
    `saved`: the first type error.
    `others`: all errors, if decoding goes on.
    `strict_errors`: the errors of a strict decoder, by their text.
    `ignored`: the fields that a lax decoder drops, by the text of the error that they would be.
    """

    strict: bool
    json: bool
    server: Server
    goes_on: bool = False
    struct: str = ""
    fields: list[str] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    saved: GoError | None = None
    others: list[GoError] = field(default_factory=list)
    strict_errors: dict[str, DecodeProblem] = field(default_factory=dict)
    ignored: dict[str, DecodeProblem] = field(default_factory=dict)

    def in_context(self, error: GoError) -> GoError:
        """Add the current struct and fields to a type error. Upstream: decodeState.addErrorContext."""
        if not error.text and (self.struct or self.fields):
            error.struct = self.struct
            nested = error.field and self.server.names_paths_in_decode_errors
            error.field = ".".join([*self.fields, error.field] if nested else self.fields)
        return error

    def save(self, error: GoError) -> None:
        """Save the first error; decoding continues."""
        if self.goes_on:
            self.others.append(self.in_context(error))
        elif self.saved is None:
            self.saved = self.in_context(error)

    def strictly(
        self,
        name: str,
        node: Node,
        owner: Node,
        *,
        fields: MappingOf[str, GoField] = _NONE,
        first: Node | None = None,
    ) -> None:
        """Add an error that only a strict decoder reports: a field other than `fields`, or a second one after the key `first`."""
        errors = self.strict_errors if self.strict else self.ignored
        if not self.goes_on and len(errors) >= MAX_STRICT_ERRORS:
            return
        path = "".join([*self.path, f".{name}" if self.path else name])
        text = f"{'unknown' if first is None else 'duplicate'} field {quote(path)}"
        near, help_ = self._field_meant(name, owner, fields)
        problem = DecodeProblem(
            "strict",
            text,
            node,
            owner,
            path,
            help_,
            first,
            near,
        )
        errors.setdefault(text, problem)

    def _field_meant(
        self, name: str, owner: Node, fields: MappingOf[str, GoField]
    ) -> tuple[str | None, str | None]:
        """Return the field that an unknown one is likely to mean, and the help; None for what is not known."""
        newer = fields.get(name)
        if newer is not None:
            since = first_to_know(newer.attribute)
            needed = f"support only Kubernetes {since} and later, which have it"
            return None, f"Remove the field, or {needed}"
        if _KEYWORD_OF_SCHEMAS in fields and name in _OF_JSON_SCHEMA:
            return None, _OF_JSON_SCHEMA[name]
        unknown = self.server.unknown_fields
        names = [each for each, field in fields.items() if field.attribute not in unknown]
        near = nearest(name, names, _LIKE)
        if near is None or are_opposites(name, near):
            return None, None
        if near.lower() in (f"min{name.lower()}", f"max{name.lower()}"):
            bound = near[len("min") :]
            return None, f"Write `min{bound}`, `max{bound}` or both instead of `{name}`"
        is_there = isinstance(owner, Mapping) and owner.find(near) is not None
        if is_there:  # A second field of that name is not what was meant.
            return None, None
        return near, OneCommand(f"Write `{near}` instead")

    def entries(self, mapping: Mapping) -> list[tuple[str, Node, Node]]:
        """Return the entries of a mapping in the order of the JSON that Go decodes."""
        if self.json and not mapping.simple:
            return [(str(getattr(key, "value", "")), key, value) for key, value in mapping.pairs()]
        all_entries: list[tuple[str, Node, Node]] = entries(mapping)
        if not self.json:
            all_entries.sort(key=lambda entry: entry[0])
        return all_entries


def problems_of(
    of: GoType,
    root: Node,
    server: Server,
    *,
    json: bool | None = None,
) -> tuple[tuple[DecodeProblem, ...], tuple[DecodeProblem, ...], tuple[DecodeProblem, ...]]:
    """Return the problems of decoding `root`, those that they hide, and its unknown fields that are no problem."""
    state = decode(of, root, server, json=json)
    problems = tuple(state.strict_errors.values())
    ignored = tuple(problem for problem in state.ignored.values() if problem.first is None)
    if state.saved is not None:
        problems = (state.saved.problem(),)
    elif len(problems) < MAX_STRICT_ERRORS:
        return problems, (), ignored
    messages = {problem.message for problem in problems}
    continued = decode(of, root, server, goes_on=True, json=json)
    errors = [error.problem() for error in continued.others]
    later = [*errors, *continued.strict_errors.values()]
    hidden = tuple(problem for problem in later if problem.message not in messages)
    return problems, hidden, ignored


def decode(
    of: GoType,
    root: Node,
    server: Server = NEWEST,
    *,
    goes_on: bool = False,
    json: bool | None = None,
) -> DecodeState:
    """Decode `root` as `of`, and return the error that stopped it or was saved, the strict errors and ignored fields.

    With `goes_on`, all errors are collected in the order in which they appear if each is fixed before the next attempt.
    `json` means that the text is JSON; it is found out if None.
    """
    if json is None:
        json = is_json(root)
    state = DecodeState(
        strict=True,
        json=json,
        server=server,
        goes_on=goes_on,
    )
    if _too_deep(root):
        text = "couldn't get version/kind; json parse error: exceeded max depth"
        state.saved = GoError(root, text)
        return state
    try:
        run_calls(_value(state, of, root, root))
    except GoError as error:
        state.saved = state.in_context(error)
        state.ignored.clear()
    return state


def _too_deep(root: Node) -> bool:
    """Return whether collections are nested deeper than encoding/json allows."""
    depth = 0
    level = [root] if root.__class__ is not Scalar else []
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            return True
        # Each aliased node needs one visit per depth, even if it is used several times there.
        items = chain.from_iterable(node.items for node in level)  # type: ignore[union-attr]
        inner = {id(item): item for item in items if item.__class__ is not Scalar}
        level = list(inner.values())
    return False


def _value(
    state: DecodeState,
    of: GoType,
    node: Node,
    reported: Node,
) -> Steps:
    """Decode a value; `reported` is the node to report if the value is a collection."""
    if of.kind in {"json", "fields"}:  # any value
        return
    own = _UNMARSHALERS.get(of.kind)
    if own is not None:
        try:
            yield own(state, of, node, reported)
        except GoError as error:
            if not state.goes_on:
                raise
            state.save(error)
    elif node.__class__ is Scalar:
        _literal(state, of, node)
    elif node.__class__ is Mapping and of.kind in {"struct", "map"}:
        yield _object(state, of, node)
    elif node.__class__ is Sequence and of.kind in {"slice", "bytes"}:
        yield _slice(state, of, node)
    else:
        json_type = "object" if node.__class__ is Mapping else "array"
        state.save(
            GoError(
                reported,
                value=json_type,
                of=of.name,
                content=node,
            )
        )


def _object(state: DecodeState, of: GoType, node: Any) -> Steps:
    """Decode a struct or a map."""
    struct, fields, path = state.struct, len(state.fields), len(state.path)
    seen: dict[str, Node] = {}
    for name, key, value in state.entries(node):
        below, field = of.below(name), of.fields.get(name)
        is_newer = field is not None and field.attribute in state.server.unknown_fields
        if below is None or is_newer:
            state.strictly(name, key, node, fields=of.fields)
            continue
        first = seen.setdefault(name, key)
        if first is not key:
            state.strictly(name, key, node, first=first)
        if of.record is not None:
            state.fields.append(name)
            state.struct = of.record.__name__
        state.path.append(f".{name}" if state.path else name)
        yield _value(state, below, value, key)
        del state.fields[fields:], state.path[path:]
        state.struct = struct


def _slice(state: DecodeState, of: GoType, node: Any) -> Steps:
    path = len(state.path)
    assert of.element is not None  # noqa: S101  slices have one
    for i, item in enumerate(node.items):
        state.path.append(f"[{i}]")
        yield _value(state, of.element, item, item)
        del state.path[path:]


_MOST_DIGITS: Final = 19  # the digits of the largest int64
_NUMBER: Final = regex(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z")


def is_beyond_float64(text: str, value: object) -> bool:
    """Return whether a plain scalar of a JSON document is a number too large for float64, whose value is then a text."""
    return isinstance(value, str) and _NUMBER.match(text) is not None


def _literal(state: DecodeState, of: GoType, node: Any) -> None:
    """Store a scalar; null is allowed for every type. Upstream: decodeState.literalStore."""
    value = resolve(node)
    if value is None:
        return
    error = _error_of_literal(state, of, node, value)
    if error is not None:
        state.save(error)


def _error_of_literal(
    state: DecodeState,
    of: GoType,
    node: Any,
    value: Any,
) -> GoError | None:
    """Return why a scalar that is not null cannot be stored as a type."""
    json_type = json_type_of(node)
    is_plain_json = state.json and not node.style
    if is_plain_json and is_beyond_float64(node.value, value):
        return _error_of_huge_number(of, node)
    if isinstance(value, str) and of.kind == "bytes":
        return _error_of_base64(node, value)
    if json_type == "number" and of.kind in INT_RANGES:
        return _error_of_integer(of, node, _digits_of(state, node, value))
    expected = "float64" if json_type == "number" else json_type
    return None if of.kind == expected else GoError(node, value=json_type, of=of.name)


def _error_of_huge_number(of: GoType, node: Any) -> GoError | None:
    if of.kind == "string":
        return None
    is_number = of.kind == "float64" or of.kind in INT_RANGES
    return GoError(node, value=f"number {node.value}" if is_number else "number", of=of.name)


def _error_of_base64(node: Any, value: str) -> GoError | None:
    try:
        decode_base64(value)
    except CorruptInputError as corrupt:
        return GoError(node, str(corrupt), of="a base64 text")
    return None


def _digits_of(state: DecodeState, node: Any, value: Any) -> str:
    """Return a number as it is in the JSON that Go decodes."""
    if state.json:
        text: str = node.value
        return text
    return json_float(value) if value.__class__ is float else str(value)


def _error_of_integer(of: GoType, node: Any, text: str) -> GoError | None:
    low, high = INT_RANGES[of.kind]
    digits = text.removeprefix("-")
    # Go's ParseUint accepts no sign, not even in -0.
    has_wrong_sign = low == 0 and digits != text
    is_short = digits.isdigit() and len(digits) <= _MOST_DIGITS
    if is_short and not has_wrong_sign and low <= int(text) <= high:
        return None
    return GoError(node, value=f"number {text}", of=of.name)


def _unmarshal(
    outer: DecodeState,
    of: GoType,
    node: Node,
    reported: Node,
) -> Steps:
    """Decode with a separate decoder, which is not strict and whose first error stops the outer one."""
    state = DecodeState(
        strict=False,
        json=outer.json,
        server=outer.server,
        goes_on=outer.goes_on,
        ignored=outer.ignored,
    )
    state.path = list(outer.path)
    try:
        yield _value(state, of, node, reported)
    except GoError as error:
        raise state.in_context(error) from None
    for other in state.others:
        outer.save(other)
    if state.saved is not None:
        raise state.saved


def _schema_or_bool(
    state: DecodeState,
    _of: GoType,
    node: Node,
    reported: Node,
) -> Steps:
    if node.__class__ is Mapping:
        yield _unmarshal(state, SCHEMA, node, reported)
        return
    if isinstance(node, Scalar):
        if resolve(node).__class__ in {bool, type(None)}:
            return
        reported = node
    raise GoError(reported, SCHEMA_OR_BOOLEAN, of="a schema or a boolean")


def _schema_or_list(
    state: DecodeState,
    of: GoType,
    node: Node,
    reported: Node,
) -> Steps:
    if node.__class__ is not Scalar:
        assert of.element is not None  # noqa: S101  these have one
        yield _unmarshal(
            state,
            SCHEMA if node.__class__ is Mapping else of.element,
            node,
            reported,
        )


def _time(
    state: DecodeState,
    _of: GoType,
    node: Node,
    reported: Node,
) -> Steps:
    value = resolve(node) if node.__class__ is Scalar else ""
    if value is None:
        return
    if node.__class__ is not Scalar or value.__class__ is not str:
        yield _unmarshal(state, STRING, node, reported)
        return
    wrong = check_rfc3339(value)
    if wrong is not None:
        raise GoError(node, wrong, of="an RFC 3339 time")


_UNMARSHALERS: Final[dict[str, Callable[[DecodeState, GoType, Any, Any], Steps]]] = {
    "schema-or-bool": _schema_or_bool,
    "schema-or-array": _schema_or_list,
    "schema-or-strings": _schema_or_list,
    "time": _time,
}


def duplicate_fields(root: Node) -> list[tuple[str, str, Node, Node]]:
    """Return the first 100 duplicate fields of a JSON text: the decoder's message, the path, and both keys."""
    duplicates: dict[str, tuple[str, str, Node, Node]] = {}
    pending = [_OpenCollection(root, "")]
    while pending and len(duplicates) < MAX_STRICT_ERRORS:
        collection = pending[-1]
        part = next(collection.parts, None)
        if part is None:
            pending.pop()
            continue
        path, key, value = part
        first = None if key is None else collection.seen.setdefault(path, key)
        if key is not None and first is not None and first is not key:
            message = f"duplicate field {quote(path)}"
            duplicates.setdefault(message, (message, path, first, key))
        if not isinstance(value, Scalar):
            pending.append(_OpenCollection(value, path))
    return list(duplicates.values())


class _OpenCollection:
    """A collection whose parts are visited: each is its path, its key and its value; `seen` are the keys so far by path."""

    def __init__(self, node: Node, path: str) -> None:
        self.seen: dict[str, Node] = {}
        self.parts: Iterator[tuple[str, Node | None, Node]] = iter(())
        if isinstance(node, Mapping):
            before = f"{path}." if path else ""
            self.parts = (
                (f"{before}{getattr(key, 'value', '')}", key, value) for key, value in node.pairs()
            )
        elif isinstance(node, Sequence):
            self.parts = ((f"{path}[{i}]", None, item) for i, item in enumerate(node.items))


_WHOLE: Final = regex(r"[-+]?\d+\Z")
_DECIMAL: Final = regex(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?\Z")
_NUMBERS: Final = frozenset({"int", "int32", "int64", "float64"})
_COLLECTIONS: Final = {"object": "a mapping", "array": "a list"}
_TYPES: Final = frozenset({"array", "boolean", "integer", "number", "object", "string"})
_OF_SCHEMAS: Final = frozenset({"allOf", "anyOf", "oneOf"})
_MAPS_OF_METADATA: Final = frozenset({"annotations", "labels"})
_LONGEST: Final = 40  # the maximum number of characters of a value in a help


def suggestion(problem: DecodeProblem) -> str:
    """Return the help for a type error."""
    value = _short_value(problem)
    return (
        _moved(problem)
        or _of_scalar(problem, value)
        or _of_struct(problem.go_type, value)
        or _of_collection(problem.go_type, value)
    )


def _short_value(problem: DecodeProblem) -> str | None:
    """Return the text of a scalar, None for another value and for a text that is too long for a help."""
    node = problem.node
    if problem.json_type in _COLLECTIONS or not isinstance(node, Scalar):
        return None
    is_short = len(node.value) <= _LONGEST and "\n" not in node.value
    return node.value if is_short else None


def _moved(problem: DecodeProblem) -> str:
    """Return the help for a keyword that belongs into another schema, empty for others."""
    keyword = problem.field.rpartition(".")[2]
    is_flag = (problem.go_type, problem.json_type) == ("[]string", "bool")
    if is_flag and keyword == "required":
        return "Remove `required` here, and add the name of the property to `required` of the object that has it"
    key = getattr(problem.node, "value", "")
    of_schema = problem.go_type.endswith("JSONSchemaProps")
    is_value = problem.json_type == "string" and key not in _TYPES
    if of_schema and is_value and keyword in _OF_SCHEMAS:
        return f"Write `enum` instead of `{keyword}`, which is a list of schemas"
    if of_schema and problem.json_type == "array" and key in _OF_OBJECTS:
        return f"Move `{key}` out of `properties`, to the same indentation as `properties`"
    if key == "spec" and problem.json_type == "object" and keyword in _MAPS_OF_METADATA:
        return "Move `spec` out of `metadata`: it is a field of the object"
    return ""


_SCHEMA: Final = Sample("Write a schema, such as `{type: string}`, or `true` for any value")


def _of_scalar(problem: DecodeProblem, value: str | None) -> str:
    """Return the help for a value in the place of a number, a boolean or a string; empty for other places."""
    go_type, json_type = problem.go_type, problem.json_type
    if go_type in _NUMBERS:
        return _number(value, integer=go_type != "float64")
    if go_type == "bool":
        return _boolean(value)
    if problem.message == SCHEMA_OR_BOOLEAN:
        return _SCHEMA
    if go_type != "string":
        return ""
    if problem.field.endswith("versions.name") and value is not None and value.isdecimal():
        return f"Write `v{value}`: the name of a version begins with a letter"
    if json_type == "array":
        return _single(problem)
    if json_type in _COLLECTIONS:
        return f"Write a string, not {_COLLECTIONS[json_type]}"
    is_format = problem.field.rpartition(".")[2] == "format" and value is not None
    return (
        "Write the name of a format, such as `int64` or `double`" if is_format else _quoted(value)
    )


def _of_struct(go_type: str, value: str | None) -> str:
    """Return the help for a value in the place of an object with a help of its own, empty for others."""
    if go_type == "v1.JSONSchemaProps" and value in _TYPES:
        return Sample(f"Write a schema: `{{type: {value}}}`")
    if go_type == "v1.ValidationRule" and value is not None:
        return OneCommand(f"Write `rule: {value}`")
    return _HELPS.get(go_type, "")


_HELPS: Final = {
    "v1.CustomResourceSubresourceStatus": "Write an empty mapping: `status: {}`",
    "v1.ValidationRules": "Write a list of rules: `- rule: ...`",
}


def _of_collection(go_type: str, value: str | None) -> str:
    if go_type.startswith("[]"):
        if value is not None and is_no_item(value, of_enum=go_type == "[]v1.JSON"):
            return f"Replace `{value}` with a list"
        return _listed(value)
    if go_type != "map[string]string":
        return Sample("Write a mapping: `key: value`")
    pair = PAIR.match(value or "")
    if pair is not None:
        return OneCommand(f"Write `{pair[1]}: {pair[2]}`")
    return Sample("Write a mapping with all values in quotes: `key: value`")


# A label or an annotation without a colon and a space; a word that YAML reads as no text would need quotes.
PAIR: Final = regex(
    r"([A-Za-z][\w./-]*)(?: *= *|:)(?!(?:true|false|yes|no|on|off|null)\Z)([A-Za-z][\w./-]*)\Z"
)


_OTHER_DASHES: Final = frozenset(f"{dash} " for dash in "\u2010\u2011\u2012\u2013\u2014\u2212")


def _listed(value: str | None) -> str:
    """Return the help for a text, or for another value, in the place of a list."""
    if value is None:
        return Sample("Write a list, such as `[a, b]`")
    if value[:2] in _OTHER_DASHES:
        return f"Write `- {value[2:].strip()}`, with a plain dash"
    if is_glued_item(value):
        return Layout(f"Add a space after the dash: `- {value[1:]}`")
    words = value.split()
    if len(words) > 1 and value.replace(" ", "").replace("_", "").replace("-", "").isalnum():
        return Sample(
            "Write a list: each item after a dash, or all in brackets with commas between them"
        )
    is_tuple = value.startswith("(") and value.endswith(")")
    return f"Write a list: `[{value[1:-1] if is_tuple else value}]`"


def _single(problem: DecodeProblem) -> str:
    """Return the help for a list in the place of a string."""
    items = items_of(problem.content)
    scalars = [item for item in items if isinstance(item, Scalar)]
    if len(scalars) < len(items):
        return "Write a string, not a list"
    help_ = ""
    if getattr(problem.node, "value", "") == "type":
        help_ = _single_type([scalar.value for scalar in scalars])
    if not help_ and len(scalars) == 1:
        value = scalars[0].value
        shown = value if resolve(scalars[0]).__class__ is str else f'"{value}"'
        help_ = f"Write the value without the list: `{shown}`"
    return help_ or "Write a string, not a list"


def _single_type(values: list[str]) -> str:
    """Return the help for a list of types, empty for one without any."""
    types = [value for value in values if value not in {"null", "~", ""}]
    nullable = " and `nullable: true`" if len(types) < len(values) else ""
    if not types:
        return ""
    if len(types) == 1:
        return f"Write `type: {types[0]}`{nullable}"
    if set(types) == {"integer", "string"}:
        return f"Write `x-kubernetes-int-or-string: true`{nullable} instead of `type`"
    return "Write `x-kubernetes-preserve-unknown-fields: true` instead of `type`, or one type: a value has only one"


def _boolean(value: str | None) -> str:
    """Return the help for another value in the place of a boolean."""
    meant = "" if value is None else without_typographic_quotes(value).lower()
    if meant in {"true", "false"}:
        return f"Write `{meant}` without quotes"
    return _with_comment(value) or Sample("Write `true` or `false`, without quotes")


def _with_comment(value: str | None) -> str | None:
    """Return the help for a value with a comment of another language, None for others."""
    commented = _COMMENTED.match(value or "")
    return commented and f"Write `{commented[1]}`, and begin a comment after it with ` #`"


def _number(value: str | None, *, integer: bool) -> str:
    kind = "an integer" if integer else "a number"
    if value is None:
        return Sample(f"Write {kind}, without quotes")
    pattern = _WHOLE if integer else _DECIMAL
    plain = without_typographic_quotes(value)
    if pattern.match(plain):
        return f"Write `{plain}` without quotes"
    commented = _with_comment(value)
    if commented is not None:
        return commented
    if _PLACEHOLDER.fullmatch(value):
        return f"Replace `{value}` with {kind}"
    if _DECIMAL.match(value):
        return Sample("Write an integer: this number has a fraction")
    return Sample(f"Write {kind} instead of this text")


def _quoted(value: str | None) -> str:
    shown = "..." if value is None else value
    return f'Write it in quotes: `"{shown}"`'
