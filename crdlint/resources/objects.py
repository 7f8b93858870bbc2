"""The objects of a document, and what each says that it is.

kubectl takes lists apart, those of a kind of their own (``WidgetList``) as well; an item that does not say what it is
has its list's apiVersion and kind (apimachinery unstructured, helpers.go). JSON's keys that stand twice are told as
sigs.k8s.io/json tells them of an ``interface{}``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.decode import identify
from crdlint.crd.decode_values import Reader, is_json, reader_json
from crdlint.golang.text import quote
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.nodes import Mapping, Scalar, Sequence
from crdlint.yaml.values import entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.decode import Identity
    from crdlint.yaml.nodes import Node
    from crdlint.yaml.parse import Document

_MAX_STRICT_ERRORS: Final = 100


@dataclass(frozen=True, slots=True)
class Object:
    """An object of a document: its node, what it is, and whether its text is JSON as it stands."""

    root: Mapping
    identity: Identity
    json: bool

    @property
    def group(self) -> str:
        """The group of its apiVersion, empty for the core's."""
        return self.identity.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        """The version of its apiVersion."""
        return self.identity.api_version.rpartition("/")[2]

    def read(self) -> dict[str, Any]:
        """Return it as the server holds it: integers and floats told apart. Raises YAMLDecodeError."""
        resource = read_resource(self.root, json=self.json)
        for name, given in (("apiVersion", self.identity.api_version), ("kind", self.identity.kind)):
            if given and not resource.get(name):
                resource[name] = given  # the list's
        return resource


def objects_of(document: Document) -> Iterator[Object]:
    """Yield the objects of a document, the items of lists in their place, however nested. Raises YAMLDecodeError."""
    if not isinstance(document.root, Mapping):
        return
    json = is_json(document.root)
    pending: list[tuple[Node, str, str]] = [(document.root, "", "")]
    while pending:
        root, api_version, kind = pending.pop()
        if not isinstance(root, Mapping):
            continue
        identity = identify(root, document.text)
        if kind and identity.error is None and not (identity.api_version and identity.kind):
            identity = replace(identity, api_version=api_version, kind=kind)
        items = _items(root, identity)
        if items is None:
            yield Object(root, identity, json)
            continue
        inner = identity.kind.removesuffix("List")
        pending.extend((item, identity.api_version if inner else "", inner) for item in reversed(items))


def _items(root: Mapping, identity: Identity) -> list[Node] | None:
    """Return the items of a list, None for what is none."""
    if not identity.kind.endswith("List") or identity.error is not None:
        return None
    found = root.find("items")
    if found is None or not isinstance(found[1], Sequence):
        return [] if identity.form in {"list", "crd-list"} else None
    return found[1].items


def read_resource(root: Node, *, json: bool | None = None) -> dict[str, Any]:
    """Return an object as the server holds it: integers and floats told apart. Raises YAMLDecodeError.

    ``json`` tells whether its text is JSON as it stands; where it is not told, the object's own look decides.
    """
    if not isinstance(root, Mapping):
        raise YAMLDecodeError("the document is no object", root)
    reader = Reader(json=is_json(root) if json is None else json)
    value = reader_json(reader, root, 1)
    if value is None:
        raise YAMLDecodeError("json: exceeded max depth", root)
    resource: dict[str, Any] = value
    return resource


@dataclass(frozen=True, slots=True)
class DuplicateField:
    """A field that a JSON object has twice: the decoder's message, the field's path, and both keys."""

    message: str
    path: str
    first: Node
    later: Node


def duplicate_fields(root: Node) -> list[DuplicateField]:
    """Return the fields that a JSON text has twice, the first 100."""
    found: dict[str, DuplicateField] = {}
    pending: list[tuple[Iterator[tuple[str, Node | None, Node]], str]] = [(iter([("", None, root)]), "")]
    seen: list[dict[str, Node]] = [{}]
    while pending and len(found) < _MAX_STRICT_ERRORS:
        step = next(pending[-1][0], None)
        if step is None:
            pending.pop()
            seen.pop()
            continue
        name, key, value = step
        path = pending[-1][1]
        if key is not None:
            path = f"{path}.{name}" if path else name
            first = seen[-1].setdefault(name, key)
            if first is not key:
                message = f"duplicate field {quote(path)}"
                found.setdefault(message, DuplicateField(message, path, first, key))
        else:
            path += name
        if isinstance(value, Mapping):
            pending.append((((str(getattr(k, "value", "")), k, v) for k, v in value.pairs()), path))
            seen.append({})
        elif isinstance(value, Sequence):
            pending.append(((((f"[{i}]"), None, item) for i, item in enumerate(value.items)), path))
            seen.append({})
    return list(found.values())


def text_at(root: Mapping, *names: str) -> str:
    """Return the text of a scalar below an object, empty where there is none."""
    node: Node = root
    for name in names:
        if not isinstance(node, Mapping):
            return ""
        held = next((value for found, _, value in entries(node) if found == name), None)
        if held is None:
            return ""
        node = held
    return str(node.value) if isinstance(node, Scalar) else ""
