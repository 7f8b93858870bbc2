"""What a document is: a CRD, another object, or one that was meant to be a CRD. Upstream: apimachinery's json/meta.go Interpret."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from crdlint.files.recognition import GROUP, KIND, VERSION, is_near_group, is_near_key, is_near_kind
from crdlint.gathering import first_of
from crdlint.golang.text import quote
from crdlint.light import NamedTuple, regex
from crdlint.phrases import OneCommand
from crdlint.yaml.json_values import Entry, entries
from crdlint.yaml.nodes import Mapping, Node, Scalar, child, is_json, key_names, text_or_empty
from crdlint.yaml.resolve import resolve

# crd: can be decoded; unserved: a CRD of a version that no server serves; crd-list, list: `items` contains documents.
Form: TypeAlias = Literal["crd", "unserved", "crd-list", "list", "other"]


def json_type_of(node: Node) -> str:
    """Return the JSON type of a node as the errors of encoding/json name it."""
    if isinstance(node, Scalar):
        return _JSON_TYPES[resolve(node).__class__]
    return "object" if node.__class__ is Mapping else "array"


_JSON_TYPES: Final = {
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
    type(None): "null",
}


class Identity(NamedTuple):
    """The identity of a document.

    `form`: what it is; with an error what it was probably meant to be.
    `api_version`, `kind`: the values of these fields, empty if missing or not strings.
    `error`: the server's error for these two fields.
    `node`: the position of the error.
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
    # encoding/json, which decodes these two fields, ignores case, unlike the decoder of the other fields.
    fields = [entry for entry in entries(root) if entry[0].lower() in _TYPE_META]
    if not fields:
        return _OTHER
    if not is_json(root):
        fields.sort(key=lambda entry: entry[0])  # as in the JSON that YAML is converted to
    strings, wrong = _type_meta(fields)
    api_version, kind = strings.get("apiVersion", ""), strings.get("kind", "")
    form = _form(api_version, kind, mistyped=wrong is not None)
    if wrong is not None:
        return Identity(form, api_version, kind, *wrong)
    is_served = api_version == VERSION and bool(kind)
    if is_served or form not in {"crd", "unserved"}:
        return Identity(form, api_version, kind)
    error = _rejection(root, api_version, kind, text)
    return Identity(form, api_version, kind, error, root)


def _type_meta(fields: Iterable[Entry]) -> tuple[dict[str, str], tuple[str, Node] | None]:
    """Return apiVersion and kind, as far as they are strings, and the error of the first one that is not, at its node."""
    strings: dict[str, str] = {}
    wrong: list[tuple[str, Node]] = []
    for name, key, value in fields:
        field, json_type = _TYPE_META[name.lower()], json_type_of(value)
        if isinstance(value, Scalar) and json_type == "string":
            strings[field] = str(resolve(value))
        elif json_type != "null":
            where = value if isinstance(value, Scalar) else key
            wrong.append((_mistyped(json_type, field), where))
    return strings, first_of(wrong)


_OTHER: Final = Identity("other")
_TYPE_META: Final = {"apiversion": "apiVersion", "kind": "kind"}


def _mistyped(value: str, field: str) -> str:
    # The struct has no name, so Go prints only the dot.
    return (
        "couldn't get version/kind; json parse error: "
        f"json: cannot unmarshal {value} into Go struct field .{field} of type string"
    )


def _form(api_version: str, kind: str, *, mistyped: bool) -> Form:
    form = _FORMS.get((api_version, kind))
    if form is not None:
        return form
    group, _, _ = api_version.rpartition("/")
    if group == GROUP and kind in _FORMS_OF_GROUP:
        return _FORMS_OF_GROUP[kind]
    is_incomplete = mistyped or not (api_version and kind)
    is_half_right = kind == KIND or api_version == VERSION
    return "crd" if is_incomplete and is_half_right else "other"


# By apiVersion and kind.
_FORMS: Final[dict[tuple[str, str], Form]] = {("v1", "List"): "list", (VERSION, KIND): "crd"}
# By the kind, of any other version of the group.
_FORMS_OF_GROUP: Final[dict[str, Form]] = {KIND: "unserved", f"{KIND}List": "crd-list"}


def kind_missing(root: Node, text: str) -> str:
    """Return the server's error for a document without a kind, or that is not an object; `text` is the document."""
    if root.__class__ is Mapping:
        return f"Object 'Kind' is missing in '{text}'"
    into = f"{json_type_of(root)} into Go value of type {_TYPES}"
    return f"couldn't get version/kind; json parse error: json: cannot unmarshal {into}"


_TYPES: Final = """struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }"""


# The kind of a CRD at the start of a line, or behind the number of the line.
_LOST: Final = regex(
    r"^(?P<number>[ \t]*\d+ ?[:.|]?[ \t]+)?kind:[ \t]+CustomResourceDefinition\b", re.MULTILINE
)


def outdented_help(root: Node, text: str, line_offset: int) -> str | None:
    """Return how to correct a document that has the kind of a CRD only after its end or behind a line number, None for others."""
    has_kind = isinstance(root, Mapping) and root.find("kind") is not None
    lost = None if has_kind or KIND not in text or "{{" in text else _LOST.search(text)
    if lost is None:
        return None
    if lost["number"]:
        return "Remove the numbers at the beginning of the lines"
    first, end = root.start_mark.line + 1 + line_offset, root.end_mark
    last = max(end.line + bool(end.column) + line_offset, first)
    lines = f"line {first}" if first == last else f"lines {first} to {last}"
    return f"Fix the indentation, or comment the lines out: the API server reads {lines} as the whole document"


def is_prose(root: Node) -> bool:
    """Return whether a document is a text, which YAML reads as a mapping if a colon is in it."""
    if isinstance(root, Mapping):
        keys = [text_or_empty(key) for key, _ in root.pairs()]
        is_object = any(key in {"kind", "apiVersion"} for key in keys)
        return not is_object and any(_NO_NAME.search(key.strip()) for key in keys)
    return isinstance(root, Scalar) and resolve(root).__class__ is str


_NO_NAME: Final = regex(r"[\s@$>#]")  # in no name of a field


def _rejection(
    root: Node,
    api_version: str,
    kind: str,
    text: str,
) -> str:
    """Return kubectl's error for an object without kind or apiVersion, or of a kind that is not served (from its REST mapper)."""
    if not kind:
        return kind_missing(root, text)
    if not api_version:
        return f"Object 'apiVersion' is missing in '{text}'"
    return f"no matches for kind {quote(kind)} in version {quote(api_version)}"


# The keys of the spec of every CRD.
SPEC_KEYS: Final = ("group", "names", "scope", "versions")
_SHAPE: Final = 3  # the number of these keys that distinguishes a CRD from other objects
_FIX: Final = {"kind": f"`kind: {KIND}`", "apiVersion": f"`apiVersion: {VERSION}`"}


class NearMiss(NamedTuple):
    """The error of the API server's clients for an object that is nearly a CRD, the node to report, and the help."""

    message: str
    node: Node
    help: str


def near_miss(root: Mapping, identity: Identity, text: str) -> NearMiss | None:
    """Return the error of an object, of the document `text`, that was meant to be a CRD. Upstream: meta.NoKindMatchError."""
    if not _is_meant(root, identity):
        return None
    if is_of_another_kind(root):
        return _in_wrong_group(root, identity, text)
    wrong = _wrong_keys(root, identity)
    key, value = type_keys(root).get(wrong[0], (root, root))
    is_key_wrong = isinstance(key, Scalar) and key.value != wrong[0]
    help_ = f"Write {' and '.join(_FIX[name] for name in wrong)}"
    return NearMiss(
        _rejection(root, identity.api_version, identity.kind, text),
        key if is_key_wrong else value,
        OneCommand(help_) if len(wrong) == 1 else help_,
    )


def is_of_another_kind(root: Mapping) -> bool:
    """Return whether an object has a kind that is not near that of a CRD, and not the fields of a CRD."""
    kind = _kind_of(root)
    is_near = _is_kind(kind) or any(word in kind.lower() for word in _WORDS_OF_KIND)
    return bool(kind) and not is_near and not _is_shaped(root)


_WORDS_OF_KIND: Final = ("customresource", "resourcedefinition")


def _in_wrong_group(root: Mapping, identity: Identity, text: str) -> NearMiss:
    """Return the error of an object of another kind that has the API version of a CRD."""
    _, value = type_keys(root).get("apiVersion", (root, root))
    message = _rejection(root, identity.api_version, identity.kind, text)
    return NearMiss(message, value, f"Write the `apiVersion` of the kind `{identity.kind}`")


def _is_meant(root: Mapping, identity: Identity) -> bool:
    """Return whether an object was probably meant to be a CRD, by its kind, its group and its fields."""
    group = identity.api_version.partition("/")[0]
    is_like_group = group == GROUP or is_near_group(group)
    kind = _kind_in_any_key(root, identity)
    if _is_kind(kind):
        return is_like_group or _is_shaped(root)
    if not is_like_group:
        return False
    if group == GROUP and kind not in _OTHER_KINDS:
        return True
    return not kind and _is_shaped(root)


# Other kinds of the group of CRDs: what the API server sends to conversion webhooks.
_OTHER_KINDS: Final = frozenset({"ConversionReview", f"{KIND}List", ""})


def _is_kind(kind: str) -> bool:
    return kind == KIND or is_near_kind(kind)


def _kind_in_any_key(root: Mapping, identity: Identity) -> str:
    """Return the kind, which may be below a misspelled key."""
    return identity.kind or _kind_of(root)


def _kind_of(root: Mapping) -> str:
    """Return the text below the key `kind`, or below one that was probably meant to be it, empty without one."""
    _, value = type_keys(root).get("kind", (None, None))
    return text_or_empty(value)


def _wrong_keys(root: Mapping, identity: Identity) -> list[str]:
    """Return which of kind and apiVersion to correct."""
    if not identity.kind:
        return ["kind"]
    if not identity.api_version:
        return ["apiVersion"]
    is_kind_wrong = _kind_in_any_key(root, identity) != KIND
    wrong = ["kind"] if is_kind_wrong else []
    return wrong + ["apiVersion"] * (identity.api_version != VERSION)


def is_partial(root: Mapping) -> bool:
    """Return whether a CRD has none of the required fields, not even misspelled, such as a patch or an assertion."""
    spec = child(root, "spec")
    # The last one of several may hide a CRD.
    is_repeated = _is_repeated(root, "spec")
    if is_repeated or any(is_near_key(name, "spec") for name, _, _ in entries(root)):
        return False
    if spec is None:
        return not _has_moved_spec(root)
    return isinstance(spec, Mapping) and not any(_is_spec_key(name) for name, _, _ in entries(spec))


def _has_moved_spec(root: Mapping) -> bool:
    """Return whether a CRD without a spec has its fields, or a spec, at the wrong level."""
    metadata = child(root, "metadata")
    parts = (metadata, child(metadata, "annotations"), child(metadata, "labels"))
    owners = [root, metadata, *(child(part, "spec") for part in parts)]
    return any(child(owner, key) for owner in owners for key in SPEC_KEYS)


def _is_repeated(mapping: Mapping, name: str) -> bool:
    """Return whether a mapping has a key twice."""
    return key_names(mapping).count(name) > 1


def _is_spec_key(name: str) -> bool:
    return name in SPEC_KEYS or any(is_near_key(name, key) for key in SPEC_KEYS)


def misspelled_type_key(root: Mapping) -> str | None:
    """Return how to correct or add kind and apiVersion, or None if both keys are there."""
    keys = type_keys(root)
    for name, (key, _) in keys.items():
        if isinstance(key, Scalar) and key.value.lower() != name.lower():
            return f"Write `{name}` instead of `{key.value}`"
    for name, field in _FIX.items():
        if name not in keys:
            return OneCommand(f"Add {field}")
    return None


def is_type_key(root: Mapping, key: Node) -> bool:
    """Return whether a key is kind or apiVersion, or was probably meant to be."""
    return any(key is type_key for type_key, _ in type_keys(root).values())


def type_keys(root: Mapping) -> dict[str, tuple[Node, Node]]:
    """Return the key and value nodes of kind and apiVersion, or of keys that were probably meant to be."""
    exact: dict[str, tuple[Node, Node]] = {}
    near: dict[str, tuple[Node, Node]] = {}
    for name, key, value in entries(root):
        for field in _FIX:
            if name == field:
                exact[field] = key, value
            elif is_near_key(name, field):
                near.setdefault(field, (key, value))
    return near | exact


def _is_shaped(root: Mapping) -> bool:
    """Return whether an object has most of the keys that the spec of a CRD has, in any case."""
    specs = [value for name, _, value in entries(root) if name.lower() == "spec"]
    if not specs or not isinstance(specs[0], Mapping):
        return False
    names = {name.lower() for name, _, _ in entries(specs[0])}
    return len(names.intersection((*SPEC_KEYS, "version"))) >= _SHAPE
