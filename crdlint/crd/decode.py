"""A YAML document into a v1 CustomResourceDefinition, and what it is to begin with.

Reproduces apimachinery pkg/runtime/serializer/json (meta.go Interpret, json.go Decode) over sigs.k8s.io/json. The
common, sound document is read straight; ``decode_errors`` is asked only where something was odd.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from crdlint.crd.decode_schema import read_schemas
from crdlint.crd.decode_values import Reader, is_json
from crdlint.crd.gotypes import CRD
from crdlint.crd.model import CustomResourceDefinition
from crdlint.crd.recognition import GROUP, KIND, VERSION
from crdlint.golang.text import quote
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.yaml.nodes import Mapping, Scalar
from crdlint.yaml.resolve import resolve
from crdlint.yaml.values import entries, to_json

if TYPE_CHECKING:
    from crdlint.crd.decode_errors import GoError, StrictError
    from crdlint.yaml.nodes import Node

# crd: to be decoded; unserved: a CRD of a version that no server serves; crd-list, list: `items` holds documents.
Form: TypeAlias = Literal["crd", "unserved", "crd-list", "list", "other"]


@dataclass(frozen=True, slots=True)
class DecodeProblem:
    """What the decoder says: ``kind`` decode (refused whole) or strict (an unknown field), and the node to point at.

    ``path`` is the unknown field's, as in the message; empty for a decode error. ``help`` names ``nearest``, the
    field probably meant.
    Of a type error, ``given`` is the JSON type of the value, ``wanted`` the Go type of the field, and
    ``field`` the field's name or path in its struct.
    A field given twice is strict too in a JSON document; ``first`` is then the first of the two keys. Those of YAML are
    found by ``crdlint.yaml``.
    """

    kind: Literal["decode", "strict"]
    message: str
    node: Node
    path: str = ""
    help: str | None = None
    first: Node | None = None
    nearest: str | None = None
    given: str = ""
    wanted: str = ""
    field: str = ""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A CRD and the decoder's problems with it; after a decode error, refused values are Go's zero values.

    ``later`` are problems that the decoder reports only after others are fixed.
    """

    crd: CustomResourceDefinition
    problems: tuple[DecodeProblem, ...]
    later: tuple[DecodeProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class Identity:
    """What a document is by its apiVersion and kind (empty where missing or no strings).

    ``error`` is the server's refusal of the two themselves, at ``node``; ``form`` then is what was meant.
    """

    form: Form
    api_version: str = ""
    kind: str = ""
    error: str | None = None
    node: Node | None = None


def identify(root: Node, text: str = "") -> Identity:
    """Tell what a document is, from its topmost keys; ``text`` is the document's own, which some errors quote whole."""
    if root.__class__ is not Mapping:
        return Identity("other")
    found: dict[str, str] = {}
    wrong: list[tuple[str, Node]] = []
    given_pairs = entries(root)
    if not is_json(root):
        given_pairs.sort(key=lambda entry: entry[0])  # as the JSON that YAML becomes has them
    # encoding/json, which reads the two, folds case, unlike the decoder of the rest.
    for name, key, value in given_pairs:
        field = _TYPE_META.get(name.lower())
        if field is None:
            continue
        if value.__class__ is not Scalar:
            wrong.append((_mistyped("object" if value.__class__ is Mapping else "array", field), key))
            continue
        given = resolve(value)
        if given.__class__ is str:
            found[field] = given
        elif given is not None:
            wrong.append((_mistyped("bool" if given.__class__ is bool else "number", field), value))
    api_version, kind = found.get("apiVersion", ""), found.get("kind", "")
    form = _form(api_version, kind, mistyped=bool(wrong))
    error: str | None = None
    node: Node | None = None
    if wrong:
        error, node = wrong[0]
    elif form in {"crd", "unserved"}:
        error, node = _refusal(root, api_version, kind, text), root
    return Identity(form, api_version, kind, error, node)


_TYPE_META: Final = {"apiversion": "apiVersion", "kind": "kind"}


def _mistyped(value: str, field: str) -> str:
    # The struct has no name, hence the bare point.
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
    """Return what is said of a document without a kind, or that is no object; ``text`` is the whole of it."""
    if root.__class__ is Mapping:
        return f"Object 'Kind' is missing in '{text}'"
    given = "array"
    if root.__class__ is Scalar:
        value = resolve(root)
        given = "string" if value.__class__ is str else "bool" if value.__class__ is bool else "number"
    return f"couldn't get version/kind; json parse error: json: cannot unmarshal {given} into Go value of type {_TYPES}"


_TYPES: Final = (
    """struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }"""
)


def _refusal(root: Node, api_version: str, kind: str, text: str) -> str | None:
    """Return what is said to a CRD whose apiVersion or kind is missing or not served (by kubectl's REST mapper)."""
    if not kind:
        return kind_missing(root, text)
    if not api_version:
        return f"Object 'apiVersion' is missing in '{text}'"
    if api_version != VERSION:
        return f"no matches for kind {quote(kind)} in version {quote(api_version)}"
    return None


def decode_crd(root: Node, server: Server = NEWEST) -> Decoded:
    """Read a document as a v1 CustomResourceDefinition; raise YAMLDecodeError for what cannot become JSON."""
    reader = Reader(json=is_json(root), unknown=server.unknown_fields)
    crd = reader.read(CRD, root, 1)
    if not isinstance(crd, CustomResourceDefinition):
        crd = CustomResourceDefinition()
    read_schemas(reader)
    return Decoded(crd, *_problems(root, server)) if reader.failed else Decoded(crd, ())


def _problems(root: Node, server: Server) -> tuple[tuple[DecodeProblem, ...], tuple[DecodeProblem, ...]]:
    """Return the problems of a document, and those that they hide."""
    from crdlint.crd.decode_errors import (  # most documents need none of it
        MAX_STRICT_ERRORS,
        GoError,
        explain,
        explain_all,
    )

    if not is_json(root):
        to_json(root)  # raises for what cannot become JSON, also where no field is known
    found = explain(CRD, root, server)
    hides = isinstance(found, GoError) or len(found) == MAX_STRICT_ERRORS
    problems = tuple(map(_problem, [found] if isinstance(found, GoError) else found))
    if not hides:
        return problems, ()
    known = {problem.message for problem in problems}
    return problems, tuple(one for one in map(_problem, explain_all(CRD, root, server)) if one.message not in known)


def _problem(error: GoError | StrictError) -> DecodeProblem:
    if isinstance(error, Exception):
        given = error.value.partition(" ")[0]
        return DecodeProblem("decode", str(error), error.node, given=given, wanted=error.of, field=error.field)
    return DecodeProblem("strict", error.text, error.node, error.path, _help(error), error.first, error.nearest)


def _help(error: StrictError) -> str | None:
    if error.since is not None:
        return f"Remove the field, or support only Kubernetes {error.since} and later, which have it"
    return f"Did you mean `{error.nearest}`?" if error.nearest else None
