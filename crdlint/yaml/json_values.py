"""Nodes as the JSON values that the API server sees: string keys, merged mappings, and the last of duplicate keys.

Reproduces go-yaml v2's decoder and sigs.k8s.io/yaml's conversion. Nothing here recurses, because documents may be deep.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from itertools import count, repeat
from typing import Any, Final, Literal, TypeAlias, cast

from crdlint.golang.printing import GoMap, go_syntax
from crdlint.kubernetes.servers import ByVersion, Server
from crdlint.light import dataclass
from crdlint.safety.work import run_calls
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence
from crdlint.yaml.resolve import as_json_number, go_value, key_text, resolve

Entry = tuple[str, "Node", "Node"]


def entries(mapping: Mapping) -> list[Entry]:
    """Return (key text, key node, value node) of the entries; raise YAMLDecodeError for a key that JSON does not allow."""
    items, names = mapping.items, mapping.names
    if names is not None:
        return list(zip(names, items[::2], items[1::2], strict=True))
    entries_by_key: dict[tuple[type, Any], tuple[Scalar, Node]] = {}
    for _, key, value in _go_entries(mapping):
        identity = _identity(key)
        if identity in entries_by_key:
            _, overridden = entries_by_key[identity]
            _go_values(overridden)  # Go decodes the values of duplicate keys as well
        entries_by_key[identity] = key, value
    entries_by_name: dict[str, Entry] = {}
    for key, value in entries_by_key.values():
        name = key_text(key)
        if name is None:
            raise YAMLDecodeError(_unsupported_key(go_value(key), value), key)
        entries_by_name[name] = name, key, value
    return list(entries_by_name.values())


def _go_entries(mapping: Mapping) -> Iterator[tuple[Mapping, Scalar, Node]]:
    """Yield keys and values in the order in which Go's decoder sets them, each with the mapping that contains it."""
    stack = [(mapping, mapping.pairs())]
    while stack:
        owner, pairs = stack[-1]
        pair = next(pairs, None)
        if pair is None:
            stack.pop()
            continue
        key, value = pair
        if not isinstance(key, Scalar):
            run_calls(_decoded(key, is_key=True))  # which raises an exception
        elif is_merge(key):
            stack.extend((m, m.pairs()) for m in _merged(value, key))
        else:
            yield owner, key, value


def is_merge(key: Node) -> bool:
    """Return whether a key is a plain `<<`."""
    if key.__class__ is not Scalar or key.value != "<<":
        return False
    return key.tag == "tag:yaml.org,2002:merge" or (key.tag is None and not key.style)


def _merged(value: Node, key: Node) -> list[Mapping]:
    """Return the mappings that a merge key refers to, in the order of the stack (the one with precedence last)."""
    # A sequence that starts before the key was reached by an alias, which must refer to a mapping here.
    listed = isinstance(value, Sequence) and value.start_mark.index > key.start_mark.index
    mappings = cast("Sequence", value).items if listed else [value]
    if not all(isinstance(m, Mapping) for m in mappings):
        raise YAMLDecodeError("yaml: map merge requires map or sequence of maps as the value", key)
    return cast("list[Mapping]", mappings)


def _unsupported_key(key: Any, value_node: Node) -> str:
    kind = "%!s(<nil>)" if key is None else "uint64"
    value = _go_values(value_node)
    return f"{UNSUPPORTED_KEY} of type: {kind}, key: {_shown(key)}, value: {_shown(value)}"


def _shown(value: Any) -> str:
    return "<nil>" if value is None else go_syntax(value)


UNSUPPORTED_KEY: Final = "unsupported map key"
_WORDED_KEY: Final = ByVersion(UNSUPPORTED_KEY.capitalize(), (31, UNSUPPORTED_KEY))


def worded_for(server: Server, message: str) -> str:
    """Return an error of the YAML decoder as a server words it: until sigs.k8s.io/yaml 1.4, one has a capital letter."""
    if not message.startswith(UNSUPPORTED_KEY):
        return message
    return _WORDED_KEY.on(server) + message.removeprefix(UNSUPPORTED_KEY)


def _go_values(node: Node) -> Any:
    """Return the value of a node in Go's decoder before conversion to JSON; its keys must not be collections."""
    return run_calls(_go_value_of(node))


def _go_value_of(node: Node) -> Generator[Any, Any, Any]:
    if isinstance(node, Scalar):
        return go_value(node)
    if isinstance(node, Sequence):
        items = []
        for item in node.items:
            converted = yield _go_value_of(item)
            items.append(converted)
        return items
    last_of_each = {_identity(key): (key, value) for _, key, value in _go_entries(node)}
    entries_of_map = GoMap()
    for key, value in last_of_each.values():
        converted = yield _go_value_of(value)
        entries_of_map.append((go_value(key), converted))
    return entries_of_map


def _identity(key: Scalar) -> tuple[type, Any]:
    """Return the identity of a key in Go, where an int does not equal a float, and NaN does not equal itself."""
    value = go_value(key)
    return (type(value), value if value == value else object())


def to_json(node: Node) -> Any:
    """Return the JSON value of a node; raise YAMLDecodeError if JSON cannot represent it."""
    if node.__class__ is Scalar:
        return resolve(node)
    top: list[Any] = [None]
    # The parts of each collection that are not converted yet: the container, its key or index, the node.
    pending: list[Iterator[tuple[Any, Any, Node]]] = [iter([(top, 0, node)])]
    while pending:
        for container, slot, here in pending[-1]:
            if isinstance(here, Scalar):
                container[slot] = resolve(here)
                continue
            container[slot], parts = _unconverted(here)
            pending.append(parts)
            break
        else:
            pending.pop()
    return top[0]


def _unconverted(node: Mapping | Sequence) -> tuple[Any, Iterator[tuple[Any, Any, Node]]]:
    """Return a dict or list without values, and what to set in it: itself, key or index, and node."""
    empty: Any
    if isinstance(node, Sequence):
        empty = [None] * len(node.items)
        return empty, zip(repeat(empty), count(), node.items)
    named_entries = entries(node)
    empty = dict.fromkeys(name for name, _, _ in named_entries)
    return empty, ((empty, name, value) for name, _, value in named_entries)


def first_error(root: Node) -> YAMLDecodeError | None:
    """Return the first error of Go's decoder in a document, before it is converted to JSON."""
    try:
        run_calls(_decoded(root))
    except YAMLDecodeError as error:
        return error
    return None


def _decoded(node: Node, *, is_key: bool = False) -> Generator[Any, Any, None]:
    """Raise the first error of a value or a key in the order in which Go decodes its parts; a key must be a scalar."""
    if isinstance(node, Scalar):
        go_value(node)
        return
    if isinstance(node, Sequence):
        for item in node.items:
            yield _decoded(item)
    else:
        for key, value in node.pairs():
            if is_merge(key):
                for merged in reversed(_merged(value, key)):
                    yield _decoded(merged)
            else:
                yield _decoded(key, is_key=True)
                yield _decoded(value)
    if is_key:
        raise YAMLDecodeError(f"yaml: invalid map key: {go_syntax(_go_values(node))}", node)


def as_json_text(value: Any) -> Any:
    """Return a value as it appears in its JSON text: floats that are printed as integers are integers."""
    top = [value]
    pending: list[Any] = [top]
    while pending:
        container = pending.pop()
        parts = container.items() if isinstance(container, dict) else enumerate(container)
        for key, item in list(parts):
            if isinstance(item, float):
                container[key] = as_json_number(item)
            elif isinstance(item, (dict, list)):
                pending.append(item)
    return top[0]


_How: TypeAlias = Literal["written twice", "replaced by merge", "overrides merge"]


@dataclass(slots=True)
class DuplicateKey:
    """A key that is set twice in one mapping.

    `message`: that of the strict decoder.
    `name`: the key as the decoder prints it.
    `first`, `later`: the nodes of both keys.
    `how`: whether both are written in one mapping, or `<<` merges one of them: the later one, or an
        earlier one that the later one overrides.
    `repetitions`: the number of other mappings in which `<<` combines the same two keys.
    `is_equal`: whether both have the same scalar.
    """

    message: str
    name: str
    first: Node
    later: Node
    how: _How = "written twice"
    repetitions: int = 0
    is_equal: bool = False


def _are_equal_scalars(value: Node, other: Node) -> bool:
    if not (isinstance(value, Scalar) and isinstance(other, Scalar)):
        return False
    return resolve(value) == resolve(other)


def duplicate_keys(mappings: Iterable[Mapping]) -> list[DuplicateKey]:
    """Return keys that are set twice in a mapping of `mappings`; lines in messages are 1-based of values, as in go-yaml."""
    duplicates: dict[tuple[int, int], DuplicateKey] = {}
    for mapping in mappings:
        # By key, then by the identity of the mapping that contains it.
        seen: dict[tuple[type, Any], dict[int, Node]] = {}
        values: dict[int, Node] = {}  # by key
        for owner, key, value in _go_entries(mapping):
            identity = _identity(key)
            setters = seen.setdefault(identity, {})
            values[id(key)] = value
            if setters:
                first = setters.get(id(owner)) or next(reversed(setters.values()))
                same = duplicates.get((id(first), id(key)))
                if same is not None:
                    same.repetitions += 1
                else:
                    how = _how(setters, owner, first is setters.get(id(mapping)))
                    duplicate = _duplicate(identity[1], first, key, value, how)
                    duplicate.is_equal = _are_equal_scalars(values[id(first)], value)
                    duplicates[id(first), id(key)] = duplicate
            setters.pop(id(owner), None)
            setters[id(owner)] = key
    return list(duplicates.values())


def _how(setters: dict[int, Node], owner: Mapping, is_own: bool) -> _How:
    """Return how the key of a mapping is set again."""
    if id(owner) in setters:
        return "written twice"
    return "replaced by merge" if is_own else "overrides merge"


def _duplicate(
    key: Any,
    first: Node,
    later: Node,
    value: Node,
    how: _How,
) -> DuplicateKey:
    name, mark = go_syntax(key), value.start_mark
    line = getattr(mark, "yaml_line", mark.line) + 1
    message = f"line {line}: key {name} already set in map"
    return DuplicateKey(message, name, first, later, how)
