"""Objects that were probably meant to be CRDs, but have a misspelled kind, apiVersion or key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, cast

from crdlint.crd.decode import kind_missing
from crdlint.files.recognition import GROUP, KIND, VERSION, is_near_group, is_near_key, is_near_kind
from crdlint.golang.text import quote
from crdlint.yaml.nodes import Mapping, Scalar
from crdlint.yaml.values import entries

if TYPE_CHECKING:
    from crdlint.crd.decode import Identity
    from crdlint.yaml.nodes import Node

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
    """Return the error of an object that was probably meant to be a CRD, or None for other objects.

    `text` is the text of its document. Upstream: meta.NoKindMatchError.
    """
    kind, api_version = identity.kind, identity.api_version
    group = api_version.partition("/")[0]
    is_group = group == GROUP or is_near_group(group)
    if kind and not is_group and kind != KIND and not is_near_kind(kind):
        return None
    keys = _type_keys(root)
    if not kind and "kind" in keys:
        value = keys["kind"][1]
        kind = value.value if isinstance(value, Scalar) else ""
    is_kind = kind == KIND or is_near_kind(kind)
    if not ((is_kind and (is_group or _is_shaped(root))) or (is_group and _is_shaped(root) and not kind)):
        return None
    if not identity.kind:
        message, wrong = kind_missing(root, text), ["kind"]
    elif not api_version:
        message, wrong = f"Object 'apiVersion' is missing in '{text}'", ["apiVersion"]
    else:
        message = f"no matches for kind {quote(kind)} in version {quote(api_version)}"
        wrong = ["kind"] * (kind != KIND) + ["apiVersion"] * (api_version != VERSION)
    key, value = keys.get(wrong[0], (root, root))
    is_key_wrong = isinstance(key, Scalar) and key.value != wrong[0]
    return NearMiss(message, key if is_key_wrong else value, f"Write {' and '.join(_FIX[name] for name in wrong)}")


def is_partial(root: Mapping) -> bool:
    """Return whether a CRD has none of the required fields, not even misspelled, such as a patch or an assertion."""
    spec = root.find("spec")
    if spec is not None and (not isinstance(spec[1], Mapping) or any(map(spec[1].find, SPEC_KEYS))):
        return False
    if any(is_near_key(name, "spec") for name, _, _ in entries(root)):
        return False
    inside = [] if spec is None else entries(cast("Mapping", spec[1]))
    return not any(name == key or is_near_key(name, key) for name, _, _ in inside for key in SPEC_KEYS)


def misspelled_type_key(root: Mapping) -> str | None:
    """Return how to correct a key that was probably meant to be kind or apiVersion, or None if there is none."""
    for known, (key, _) in _type_keys(root).items():
        if isinstance(key, Scalar) and key.value.lower() != known.lower():
            return f"Write `{known}` instead of `{key.value}`"
    return None


def corrections(root: Mapping) -> dict[str, tuple[Scalar | None, Node | None, str]]:
    """Return the key and value nodes of kind and apiVersion of a CRD (None if missing), and the correct value."""
    keys = _type_keys(root)
    result: dict[str, tuple[Scalar | None, Node | None, str]] = {}
    for name, correct in (("apiVersion", VERSION), ("kind", KIND)):
        key, value = keys.get(name, (None, None))
        result[name] = key if isinstance(key, Scalar) else None, value, correct
    return result


def is_type_key(root: Mapping, key: Node) -> bool:
    """Return whether a key is kind or apiVersion, or was probably meant to be."""
    return any(key is type_key for type_key, _ in _type_keys(root).values())


def _type_keys(root: Mapping) -> dict[str, tuple[Node, Node]]:
    """Return the key and value nodes of kind and apiVersion, or of keys that were probably meant to be."""
    exact: dict[str, tuple[Node, Node]] = {}
    near: dict[str, tuple[Node, Node]] = {}
    for name, key, value in entries(root):
        for known in _FIX:
            if name == known:
                exact[known] = key, value
            elif is_near_key(name, known):
                near.setdefault(known, (key, value))
    return near | exact


def _is_shaped(root: Mapping) -> bool:
    spec = next((value for name, _, value in entries(root) if name.lower() == "spec"), None)
    if not isinstance(spec, Mapping):
        return False
    names = {name.lower() for name, _, _ in entries(spec)}
    return sum(key in names for key in (*SPEC_KEYS, "version")) >= _SHAPE
