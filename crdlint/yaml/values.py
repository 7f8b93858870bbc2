"""Nodes as the JSON values that the API server sees: string keys, merge keys followed, the last of equal keys.

Follows go-yaml v2's decoder and sigs.k8s.io/yaml's conversion. Nothing here recurses: documents nest deep.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count, repeat
from typing import TYPE_CHECKING, Any, Literal, cast

from crdlint.golang.syntax import GoMap, go_syntax
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.nodes import Mapping, Scalar, Sequence
from crdlint.yaml.resolve import as_json_number, go_value, key_text, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.yaml.nodes import Node

Entry = tuple[str, "Node", "Node"]


def entries(mapping: Mapping) -> list[Entry]:
    """Return (key text, key node, value node) of a mapping's entries; raise YAMLDecodeError for keys that JSON has not."""
    items, names = mapping.items, mapping.names
    if names is not None:
        return list(zip(names, items[::2], items[1::2], strict=True))
    kept: dict[tuple[type, Any], tuple[Scalar, Node]] = {}
    for key, value in _go_pairs(mapping):
        identity = _identity(key)
        if identity in kept:
            _go_values(kept[identity][1])  # what is dropped has been decoded all the same
        kept[identity] = key, value
    found: dict[str, Entry] = {}
    for key, value in kept.values():
        name = key_text(key)
        if name is None:
            raise YAMLDecodeError(_unsupported_key(go_value(key), value), key)
        found[name] = name, key, value
    return list(found.values())


def _go_pairs(mapping: Mapping) -> Iterator[tuple[Scalar, Node]]:
    """Yield key and value as Go's decoder sets them, those of merged mappings in their place."""
    return ((key, value) for _, key, value in _go_entries(mapping))


def _go_entries(mapping: Mapping) -> Iterator[tuple[Mapping, Scalar, Node]]:
    """Yield key and value as Go's decoder sets them, each with the mapping that it is written in."""
    stack = [(mapping, mapping.pairs())]
    while stack:
        owner, pairs = stack[-1]
        pair = next(pairs, None)
        if pair is None:
            stack.pop()
            continue
        key, value = pair
        if not isinstance(key, Scalar):
            bad = _first_decoded(key)
            raise YAMLDecodeError(f"yaml: invalid map key: {go_syntax(_go_values(bad))}", bad)
        if is_merge(key):
            stack.extend((m, m.pairs()) for m in _merged(value, key))
        else:
            yield owner, key, value


def _first_decoded(key: Node) -> Node:
    """Return the collection among a key and the keys within it that Go has decoded first."""
    pending: list[tuple[Node, bool, bool]] = [(key, True, False)]
    while pending:
        node, is_key, decoded = pending.pop()
        if isinstance(node, Scalar):
            continue
        if decoded:
            return node
        if is_key:
            pending.append((node, True, True))
        keys = isinstance(node, Mapping)
        pending.extend((item, keys and i % 2 == 0, False) for i, item in reversed(list(enumerate(node.items))))
    return key


def is_merge(key: Node) -> bool:
    """Tell whether a key is a plain ``<<``."""
    if key.__class__ is not Scalar or key.value != "<<":
        return False
    return key.tag == "tag:yaml.org,2002:merge" or (key.tag is None and not key.style)


def _merged(value: Node, key: Node) -> list[Mapping]:
    """Return the mappings that a merge key names, the one that counts most first in the stack's order (last)."""
    # An alias may only name a mapping; what stands before the key is one.
    listed = isinstance(value, Sequence) and value.start_mark.index > key.start_mark.index
    wanted = cast("Sequence", value).items if listed else [value]
    if not all(isinstance(m, Mapping) for m in wanted):
        raise YAMLDecodeError("yaml: map merge requires map or sequence of maps as the value", key)
    return cast("list[Mapping]", wanted)


def _unsupported_key(value: Any, held: Node) -> str:
    kind = "%!s(<nil>)" if value is None else "uint64"
    shown = ["<nil>" if one is None else go_syntax(one) for one in (value, _go_values(held))]
    return f"unsupported map key of type: {kind}, key: {shown[0]}, value: {shown[1]}"


def _go_values(node: Node) -> Any:
    """Return a node as Go's decoder has it before it becomes JSON; no key in it may be a collection."""
    top: list[Any] = [None]
    pending: list[tuple[Any, Any, Node]] = [(top, 0, node)]
    while pending:
        container, at, here = pending.pop()
        if isinstance(here, Scalar):
            made: Any = go_value(here)
        elif isinstance(here, Mapping):
            found = {_identity(key): (key, value) for key, value in _go_pairs(here)}
            made = GoMap()
            for i, (key, value) in enumerate(found.values()):
                made.append(None)
                pending.append((made, (i, go_value(key)), value))
        else:
            made = [None] * len(here.items)
            pending.extend((made, i, item) for i, item in enumerate(here.items))
        if at.__class__ is tuple:
            container[at[0]] = (at[1], made)
        else:
            container[at] = made
    return top[0]


def _identity(key: Scalar) -> tuple[type, Any]:
    """Return what tells a key from others in Go, where an int equals no float and NaN not even itself."""
    value = go_value(key)
    return (type(value), value if value == value else object())


def to_json(node: Node) -> Any:
    """Return a node's JSON value; raise YAMLDecodeError for what JSON cannot hold."""
    if node.__class__ is Scalar:
        return resolve(node)
    top: list[Any] = [None]
    # What is still to be filled in of each collection: the container, its key or index, the node.
    pending: list[Iterator[tuple[Any, Any, Node]]] = [iter([(top, 0, node)])]
    while pending:
        for container, at, here in pending[-1]:
            if here.__class__ is Scalar:
                container[at] = resolve(here)
                continue
            if isinstance(here, Mapping):
                found = entries(here)
                made: Any = dict.fromkeys(name for name, _, _ in found)
                pending.append((made, name, value) for made, (name, _, value) in zip(repeat(made), found))
            elif isinstance(here, Sequence):
                made = [None] * len(here.items)
                pending.append(zip(repeat(made), count(), here.items))
            container[at] = made
            break
        else:
            pending.pop()
    return top[0]


def first_error(root: Node) -> YAMLDecodeError | None:
    """Return the first of the errors that Go's decoder makes of a document, before any of it becomes JSON."""
    pending: list[tuple[Node, bool, bool]] = [(root, False, False)]
    while pending:
        node, is_key, decoded = pending.pop()
        try:
            if decoded:
                return YAMLDecodeError(f"yaml: invalid map key: {go_syntax(_go_values(node))}", node)
            if isinstance(node, Scalar):
                go_value(node)
                continue
            if is_key:
                pending.append((node, True, True))
            pending.extend(reversed(_parts(node)))
        except YAMLDecodeError as error:
            return error
    return None


def _parts(node: Node) -> list[tuple[Node, bool, bool]]:
    """Return what Go decodes of a collection, in its order, with whether it is a key."""
    if isinstance(node, Sequence):
        return [(item, False, False) for item in node.items]
    parts: list[tuple[Node, bool, bool]] = []
    for key, value in cast("Mapping", node).pairs():
        if is_merge(key):
            parts += [(merged, False, False) for merged in reversed(_merged(value, key))]
        else:
            parts += [(key, True, False), (value, False, False)]
    return parts


def as_json_text(value: Any) -> Any:
    """Return a value as a reader of its JSON text sees it: floats that are printed as integers are integers."""
    top = [value]
    pending: list[Any] = [top]
    while pending:
        container = pending.pop()
        for key, item in list(container.items() if isinstance(container, dict) else enumerate(container)):
            if isinstance(item, float):
                container[key] = as_json_number(item)
            elif isinstance(item, (dict, list)):
                pending.append(item)
    return top[0]


@dataclass(slots=True)
class DuplicateKey:
    """A key that is set twice in one mapping: ``message`` is the strict decoder's, ``name`` the key as it prints it.

    ``how`` tells whether both are written in one mapping, or ``<<`` merges one of them: the later one, or another that
    the later one overrides. ``repetitions`` counts the other mappings in which the same two keys meet, through ``<<``.
    """

    message: str
    name: str
    first: Node
    later: Node
    how: Literal["written twice", "replaced by merge", "overrides merge"] = "written twice"
    repetitions: int = 0


def duplicate_keys(mappings: Iterable[Mapping]) -> list[DuplicateKey]:
    """Return the keys that are set twice; only mappings not ``simple`` need be given.

    Lines in messages are 1-based within the document, and the value's, as go-yaml counts them.
    """
    found: dict[tuple[int, int], DuplicateKey] = {}
    for mapping in mappings:
        # By key, then by the identity of the mapping that it is written in.
        seen: dict[tuple[type, Any], dict[int, Node]] = {}
        for owner, key, value in _go_entries(mapping):
            identity = _identity(key)
            setters = seen.setdefault(identity, {})
            if setters:
                first = setters.get(id(owner)) or next(reversed(setters.values()))
                known = found.get((id(first), id(key)))
                if known is not None:
                    known.repetitions += 1
                else:
                    name, mark = go_syntax(identity[1]), value.start_mark
                    line = getattr(mark, "yaml_line", mark.line) + 1
                    one = DuplicateKey(f"line {line}: key {name} already set in map", name, first, key)
                    if id(owner) not in setters:
                        own = id(mapping) in setters and first is setters[id(mapping)]
                        one.how = "replaced by merge" if own else "overrides merge"
                    found[id(first), id(key)] = one
            setters.pop(id(owner), None)
            setters[id(owner)] = key
    return list(found.values())
