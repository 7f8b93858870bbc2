"""The objects of a document, with the identity of each, and positions of paths in them.

As in kubectl, lists are split, including lists of a kind of their own (`WidgetList`). An item without apiVersion and
kind gets those of its list (apimachinery unstructured, helpers.go). Duplicate keys in JSON are reported as
sigs.k8s.io/json does for an `interface{}`.

Unlike a CRD, a resource is not converted, so no field is moved. But the server prints paths as texts in which dots and
brackets of a key look like steps. Such texts are resolved with the keys that exist in the document.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from crdlint.crd.decode import Reader, reader_json
from crdlint.crd.identity import Identity, identify
from crdlint.crd.object_meta import generated_name
from crdlint.crd.paths import Path, Step
from crdlint.crd.positions import Locator, SourceLocation
from crdlint.gathering import object_at
from crdlint.light import NamedTuple, regex
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.json_values import entries
from crdlint.yaml.nodes import Mapping, Node, Sequence, child, is_json, text_or_empty
from crdlint.yaml.parse import Document

# Group, kind, namespace and name.
Key = tuple[str, str, str, str]


DEFAULT_NAMESPACE: Final = "default"


class Object(NamedTuple):
    """An object of a document: its node, its identity, and whether its text is JSON."""

    root: Mapping
    identity: Identity
    json: bool

    @property
    def group(self) -> str:
        """The group of its apiVersion, empty for the core group."""
        return self.identity.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        """The version of its apiVersion."""
        return self.identity.api_version.rpartition("/")[2]

    def read(self) -> dict[str, Any]:
        """Return it as the server stores it, with integers distinguished from floats; raise YAMLDecodeError if it is invalid."""
        resource = read_resource(self.root, json=self.json)
        for name, value in (
            ("apiVersion", self.identity.api_version),
            ("kind", self.identity.kind),
        ):
            if value and not resource.get(name):
                resource[name] = value  # inherited from the list
        return resource


def objects_of(document: Document) -> Iterator[Object]:
    """Yield the objects of a document, with the items of lists at any depth in place of lists; raise YAMLDecodeError."""
    if not isinstance(document.root, Mapping):
        return
    json = is_json(document.root)
    pending: list[tuple[Node, str, str]] = [(document.root, "", "")]
    while pending:
        root, api_version, kind = pending.pop()
        if not isinstance(root, Mapping):
            continue
        identity = identify(root, document.text)
        if identity.error is not None:
            # The server converts YAML before it reads apiVersion and kind.
            read_resource(root, json=json)
        elif kind:
            identity = _inherited(identity, api_version, kind)
        items = _items(root, identity)
        if items is None:
            yield Object(root, identity, json)
            continue
        inner = identity.kind.removesuffix("List")
        pending.extend(
            (item, identity.api_version if inner else "", inner) for item in reversed(items)
        )


def _inherited(identity: Identity, api_version: str, kind: str) -> Identity:
    """Return the identity of an item of a list, which has those of the list if it lacks a version or a kind."""
    if identity.api_version and identity.kind:
        return identity
    return identity._replace(api_version=api_version, kind=kind)


def _items(root: Mapping, identity: Identity) -> list[Node] | None:
    """Return the items of a list, or None for other objects."""
    if not identity.kind.endswith("List") or identity.error is not None:
        return None
    entry = root.find("items")
    if entry is None or not isinstance(entry[1], Sequence):
        return [] if identity.form in {"list", "crd-list"} else None
    return entry[1].items


def read_resource(root: Node, *, json: bool | None = None) -> dict[str, Any]:
    """Return an object as the server stores it, integers apart from floats; raise YAMLDecodeError. `json` is found out if None."""
    if not isinstance(root, Mapping):
        raise YAMLDecodeError("the document is no object", root)
    value = reader_json(Reader(json=is_json(root) if json is None else json), root, 1)
    if value is None:
        raise YAMLDecodeError("json: exceeded max depth", root)
    resource: dict[str, Any] = value
    return resource


def text_at(root: Mapping, *names: str) -> str:
    """Return the text of a scalar below an object, or an empty string; the API server may not accept the object."""
    node: Node | None = root
    for name in names:
        is_simple = isinstance(node, Mapping) and node.simple
        node = child(node, name) if is_simple else _values_of(node).get(name)
    return text_or_empty(node)


def _values_of(node: Node | None) -> dict[str, Node]:
    """Return the values of a mapping by key; none of another node, and of one with a key that JSON does not allow."""
    if not isinstance(node, Mapping):
        return {}
    try:
        return {key_text: value for key_text, _, value in entries(node)}
    except YAMLDecodeError:
        return {}


def as_sent(
    resource: dict[str, Any], *, namespaced: bool, keeps_empty: bool = False
) -> dict[str, Any]:
    """Return an object as it is validated; metadata that is not an object is kept unchanged.

    kubectl sets the default namespace on an object without one, or with an empty one unless `keeps_empty`. The server
    generates a name from generateName.
    """
    meta = resource.get("metadata")
    if not isinstance(meta, (dict, type(None))):
        return resource
    meta = dict(meta or {})
    is_kept = keeps_empty and "namespace" in meta
    if namespaced and not is_kept and meta.get("namespace") in (None, ""):
        meta["namespace"] = DEFAULT_NAMESPACE
    base = meta.get("generateName")
    if base and isinstance(base, str) and meta.get("name") in (None, ""):
        meta["name"] = generated_name(base)
    return {**resource, "metadata": meta}


def key_of(resource: dict[str, Any], *, namespaced: bool) -> Key:
    """Return the key by which objects are matched; one without a namespace belongs to the default one."""
    meta = object_at(resource, "metadata")
    group = str(resource.get("apiVersion", "")).rpartition("/")[0]
    namespace = str(meta.get("namespace") or DEFAULT_NAMESPACE) if namespaced else ""
    return group, str(resource.get("kind", "")), namespace, str(meta.get("name") or "")


_BOUNDARY: Final = regex(r"[.\[\]]")
_ENDS: Final = frozenset({"", ".", "[", "]"})  # the text after a key
_INDEX: Final = regex(r"\[([0-9]{1,9})\]")
_DEAD_ENDS: Final = 50_000  # the number of wrong alternatives that are tried for one object; there are none without unusual keys
_FEWEST_DEAD_ENDS: Final = 100  # the number that is tried for each text after that


class ResourceLocator(Locator):
    """Locates paths in one custom resource."""

    def __init__(self, root: Node, line_offset: int = 0, text: str = "") -> None:
        super().__init__(root, line_offset, text)
        # The sorted lengths of the keys of mappings, by the identity of the mapping.
        self._lengths: dict[int, list[int]] = {}
        self._dead_ends = 0

    def shared_by(self, path: Path) -> int:
        """Return 1, since a resource has no versions."""
        del path
        return 1

    def find_text(self, text: str) -> SourceLocation:
        """Locate a printed path as far as the document contains it."""
        return self._follow_text(self._start, text)

    def _first(self, chain: list[Path]) -> SourceLocation:
        """Return the root, because no field of a resource is moved."""
        del chain
        return self._start

    @property
    def _start(self) -> SourceLocation:
        return SourceLocation(self.root, None, exact=True)

    def _enter(self, location: SourceLocation, step: Step) -> SourceLocation:
        if not location.exact:
            return location
        entry = self._entry(location.node, step)
        if entry is not None:
            return SourceLocation(entry[1], entry[0], exact=True)
        if (
            location.node.__class__ is Mapping
            and step.__class__ is str
            and _BOUNDARY.search(str(step))
        ):
            return self._follow_text(location, str(step))
        return SourceLocation(location.node, location.key, exact=False)

    def _follow_text(self, start: SourceLocation, text: str) -> SourceLocation:
        """Locate a printed path; if keys are ambiguous, choose the alternative that leads to the end of the path."""
        deepest, reached = start, -1
        most = max(_DEAD_ENDS, self._dead_ends + _FEWEST_DEAD_ENDS)
        stack = [self._ways(start, text, 0)]
        while stack and self._dead_ends < most:
            way = next(stack[-1], None)
            if way is None:
                stack.pop()
                self._dead_ends += 1
                continue
            location, position = way
            if position == len(text):
                return location
            if position > reached:
                deepest, reached = location, position
            stack.append(self._ways(location, text, position))
        return SourceLocation(deepest.node, deepest.key, exact=not text)

    def _ways(
        self, location: SourceLocation, text: str, position: int
    ) -> Iterator[tuple[SourceLocation, int]]:
        """Yield the possible locations of the next key or index, the shortest key first, and the position after it."""
        node = location.node
        if node.__class__ is Sequence:
            yield from _way_to_item(node, text, position)
        elif node.__class__ is Mapping:
            yield from self._ways_to_fields(node, text, position)

    def _ways_to_fields(
        self, node: Mapping, text: str, position: int
    ) -> Iterator[tuple[SourceLocation, int]]:
        """Yield the values whose keys the text may continue with, the shortest key first, and the position after each."""
        opening = text[position : position + 1]
        closing = "]" if opening == "[" else ""
        start = position + 1 if opening in {".", "["} else position
        values = self._index(node)
        following_texts = {closing} if closing else _ENDS
        for length in self._lengths_of_keys(node):
            end = start + length
            is_key = end <= len(text) and text[end : end + 1] in following_texts
            entry = values.get(text[start:end]) if is_key else None
            if entry is not None:
                yield SourceLocation(entry[1], entry[0], exact=True), end + len(closing)

    def _lengths_of_keys(self, node: Mapping) -> list[int]:
        """Return the lengths that the keys of a mapping have, in order."""
        lengths = self._lengths.get(id(node))
        if lengths is None:
            lengths = self._lengths[id(node)] = sorted(set(map(len, self._index(node))))
        return lengths


def _way_to_item(node: Sequence, text: str, position: int) -> Iterator[tuple[SourceLocation, int]]:
    """Yield the item whose index the text continues with, and the position after the index."""
    index = _INDEX.match(text, position)
    if index is not None and int(index[1]) < len(node.items):
        yield SourceLocation(node.items[int(index[1])], None, exact=True), index.end()
