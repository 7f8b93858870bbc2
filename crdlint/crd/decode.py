"""Identification of YAML documents, and decoding into a v1 CustomResourceDefinition.

Upstream: apimachinery pkg/runtime/serializer/json (meta.go Interpret, json.go Decode), with sigs.k8s.io/json. Valid
documents are decoded directly; `decode_errors` is used only for documents with problems.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from crdlint.crd.decode_values import Reader, is_json, read_schemas
from crdlint.crd.gotypes import CRD
from crdlint.crd.model import CustomResourceDefinition
from crdlint.files.recognition import GROUP, KIND, VERSION
from crdlint.golang.text import quote
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.yaml.nodes import Mapping, Scalar
from crdlint.yaml.resolve import resolve
from crdlint.yaml.values import entries, to_json

if TYPE_CHECKING:
    from crdlint.crd.decode_errors import GoError, StrictError
    from crdlint.yaml.nodes import Node

# crd: can be decoded; unserved: a CRD of a version that no server serves; crd-list, list: `items` contains documents.
Form: TypeAlias = Literal["crd", "unserved", "crd-list", "list", "other"]


class DecodeProblem(NamedTuple):
    """A problem of the decoder: `kind` is decode (the document is rejected) or strict (an unknown field).

    `node` is the position. `content` is the rejected value or, for a strict problem, the mapping that has the field.
    `path` is the path of the unknown field as in the message, empty for a decode error. `help` names `nearest`, the most
    similar field. For a type error, `json_type` is the JSON type of the value, `go_type` the Go type of the field, and
    `field` the name or path of the field in its struct. A duplicate field in a JSON document is strict as well; `first`
    is then the first of the two keys. Duplicate keys in YAML are found by `crdlint.yaml`.
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


class Decoded(NamedTuple):
    """A CRD and the problems of decoding it; after a decode error, rejected values are Go's zero values.

    `later` are problems that the decoder would report after others are fixed, `ignored` unknown fields that it drops
    without an error.
    """

    crd: CustomResourceDefinition
    problems: tuple[DecodeProblem, ...]
    later: tuple[DecodeProblem, ...] = ()
    ignored: tuple[DecodeProblem, ...] = ()


class Identity(NamedTuple):
    """The identity of a document by apiVersion and kind (empty if missing or not strings).

    `error` is the server's error for these two fields, at `node`; then `form` is the form that was probably meant.
    """

    form: Form
    api_version: str = ""
    kind: str = ""
    error: str | None = None
    node: Node | None = None


def identify(root: Node, text: str = "") -> Identity:
    """Return the identity of a document by its top-level keys; `text` is the document, which some errors quote."""
    if root.__class__ is not Mapping:
        return _OTHER
    strings: dict[str, str] = {}
    wrong: list[tuple[str, Node]] = []
    # encoding/json, which decodes these two fields, ignores case, unlike the decoder of the other fields.
    fields = [(name, key, value) for name, key, value in entries(root) if name.lower() in _TYPE_META]
    if not fields:
        return _OTHER
    if not is_json(root):
        fields.sort(key=lambda entry: entry[0])  # as in the JSON that YAML is converted to
    for name, key, value in fields:
        field = _TYPE_META[name.lower()]
        if value.__class__ is not Scalar:
            wrong.append((_mistyped("object" if value.__class__ is Mapping else "array", field), key))
            continue
        field_value = resolve(value)
        if field_value.__class__ is str:
            strings[field] = field_value
        elif field_value is not None:
            wrong.append((_mistyped("bool" if field_value.__class__ is bool else "number", field), value))
    api_version, kind = strings.get("apiVersion", ""), strings.get("kind", "")
    form = _form(api_version, kind, mistyped=bool(wrong))
    error: str | None = None
    node: Node | None = None
    if wrong:
        error, node = wrong[0]
    elif form in {"crd", "unserved"}:
        error, node = _refusal(root, api_version, kind, text), root
    return Identity(form, api_version, kind, error, node)


_OTHER: Final = Identity("other")
_TYPE_META: Final = {"apiversion": "apiVersion", "kind": "kind"}


def _mistyped(value: str, field: str) -> str:
    # The struct has no name, so Go prints only the dot.
    return (
        "couldn't get version/kind; json parse error: "
        f"json: cannot unmarshal {value} into Go struct field .{field} of type string"
    )


def _form(api_version: str, kind: str, *, mistyped: bool) -> Form:
    group, _, _ = api_version.rpartition("/")
    if kind == "List" and api_version == "v1":
        return "list"
    if kind == f"{KIND}List" and group == GROUP:
        return "crd-list"
    if kind == KIND and group == GROUP:
        return "crd" if api_version == VERSION else "unserved"
    if (mistyped or not (api_version and kind)) and (kind == KIND or api_version == VERSION):
        return "crd"
    return "other"


def kind_missing(root: Node, text: str) -> str:
    """Return the server's error for a document without a kind, or that is not an object; `text` is the document."""
    if root.__class__ is Mapping:
        return f"Object 'Kind' is missing in '{text}'"
    json_type = "array"
    if root.__class__ is Scalar:
        value = resolve(root)
        json_type = "string" if value.__class__ is str else "bool" if value.__class__ is bool else "number"
    return f"couldn't get version/kind; json parse error: json: cannot unmarshal {json_type} into Go value of type {_TYPES}"


_TYPES: Final = (
    """struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }"""
)


def _refusal(root: Node, api_version: str, kind: str, text: str) -> str | None:
    """Return kubectl's error for a CRD whose apiVersion or kind is missing or not served (from its REST mapper)."""
    if not kind:
        return kind_missing(root, text)
    if not api_version:
        return f"Object 'apiVersion' is missing in '{text}'"
    if api_version != VERSION:
        return f"no matches for kind {quote(kind)} in version {quote(api_version)}"
    return None


def decode_crd(root: Node, server: Server = NEWEST) -> Decoded:
    """Decode a document as a v1 CustomResourceDefinition; raise YAMLDecodeError if it cannot be converted to JSON."""
    reader = Reader(json=is_json(root), unknown=server.unknown_fields)
    crd = reader.read(CRD, root, 1)
    if not isinstance(crd, CustomResourceDefinition):
        crd = CustomResourceDefinition()
    read_schemas(reader)
    return Decoded(crd, *_problems(root, server)) if reader.failed else Decoded(crd, ())


def _problems(root: Node, server: Server) -> tuple[tuple[DecodeProblem, ...], ...]:
    """Return the problems of a document, those that they hide, and its unknown fields that are no problem."""
    from crdlint.crd.decode_errors import (  # most documents do not need it
        MAX_STRICT_ERRORS,
        GoError,
        explain,
        explain_all,
    )

    if not is_json(root):
        to_json(root)  # raises an exception if it cannot be converted to JSON, even in unknown fields
    explained, dropped = explain(CRD, root, server)
    ignored = tuple(_problem(error) for error in dropped if error.first is None)
    hides = isinstance(explained, GoError) or len(explained) == MAX_STRICT_ERRORS
    problems = tuple(map(_problem, [explained] if isinstance(explained, GoError) else explained))
    if not hides:
        return problems, (), ignored
    known = {problem.message for problem in problems}
    hidden = tuple(problem for problem in map(_problem, explain_all(CRD, root, server)) if problem.message not in known)
    return problems, hidden, ignored


def _problem(error: GoError | StrictError) -> DecodeProblem:
    if isinstance(error, Exception):
        json_type = error.value.partition(" ")[0]
        return DecodeProblem(
            "decode",
            str(error),
            error.node,
            error.content,
            json_type=json_type,
            go_type=error.of,
            field=error.field,
        )
    return DecodeProblem(
        "strict", error.text, error.node, error.owner, error.path, _help(error), error.first, error.nearest
    )


def _help(error: StrictError) -> str | None:
    if error.since is not None:
        return f"Remove the field, or support only Kubernetes {error.since} and later, which have it"
    return f"Write `{error.nearest}` instead" if error.nearest else None
