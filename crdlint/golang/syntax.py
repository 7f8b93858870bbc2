"""Values as fmt's `%#v` prints them: in Go syntax, with their Go types.

Python values represent Go values as in `crdlint.golang.values`. The class of a struct has `GO_FIELDS`, with the Go type
of each field, and `GO_PACKAGE`, the package that Go prints before the class name. A type is written as in Go; a named
type that is not a struct is followed by `=` and its underlying type: `v1.Names=[]string`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.golang.numbers import format_float
from crdlint.golang.text import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    # Prefix, value and type of each entry of a container.
    Entries: TypeAlias = "Iterator[tuple[str, Any, str]]"

ANY: Final = "interface {}"
_MAX_INT64: Final = (1 << 63) - 1
# The text of a pointer inside of a value: an address, which is different in each run of a server.
_ADDRESS: Final = "0xc000000000"


class GoMap(list[tuple[Any, Any]]):
    """A map[interface {}]interface {}: keys have Go types, so 1 and true are two keys."""


def go_syntax(value: Any, of: str = ANY, unknown_fields: frozenset[str] = frozenset()) -> str:
    """Return a value of the Go type `of`, with maps sorted by key; only memory limits the depth.

    `unknown_fields` are attributes of structs that the server's types do not have.
    """
    out: list[str] = []
    frames: list[tuple[Entries, str]] = [(iter((("", value, of),)), "")]
    while frames:
        entries, closing = frames[-1]
        for prefix, item, type_ in entries:
            out.append(prefix)
            scalar = _scalar(item, type_)
            if scalar is not None:
                out.append(scalar)
                continue
            opening, inner = _open(item, type_, unknown_fields)
            out.append(opening)
            frames.append((inner, "}"))
            break
        else:
            out.append(closing)
            frames.pop()
    return "".join(out)


def _scalar(value: Any, of: str) -> str | None:
    """Return the text of a scalar, or None for a container."""
    if of.startswith("*"):
        return f"({of})({'nil' if value is None else _ADDRESS})"
    if value is None or value == ():
        return f"{_name(of)}(nil)"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format_float(value)
    if isinstance(value, int):
        return f"{value:#x}" if value > _MAX_INT64 else str(value)  # only a uint64 is greater
    if isinstance(value, bytes):
        return f"{of}{{{', '.join(map(hex, value))}}}"
    return None


def _open(value: Any, of: str, unknown_fields: frozenset[str]) -> tuple[str, Entries]:
    """Return the opening text of a container, and its entries."""
    fields = getattr(type(value), "GO_FIELDS", None)
    if fields is not None:
        return f"{value.GO_PACKAGE}.{type(value).__name__}{{", _struct_entries(value, fields, unknown_fields)
    if isinstance(value, GoMap):
        return f"map[{ANY}]{ANY}{{", _map_entries(value, ANY)
    if _underlying(of) == ANY:  # the value has its own type
        of = f"map[string]{ANY}" if isinstance(value, dict) else f"[]{ANY}"
    element = _underlying(of).partition("]")[2]
    if isinstance(value, dict):
        return f"{_name(of)}{{", _map_entries(value.items(), element)
    return f"{_name(of)}{{", ((", " if i else "", item, element) for i, item in enumerate(value))


def _name(of: str) -> str:
    """Return a type as Go prints it."""
    return of.partition("=")[0]


def _underlying(of: str) -> str:
    """Return the underlying type of a named type, else the type itself."""
    return of if of.startswith(("[", "map[")) else of.partition("=")[2] or of


def _struct_entries(value: Any, fields: tuple[tuple[str, str, str], ...], unknown_fields: frozenset[str]) -> Entries:
    before = ""
    for name, attribute, of in fields:
        if attribute in unknown_fields:
            continue
        item = getattr(value, attribute)
        # The class has Go's zero values, which are nil for collections.
        is_nil = attribute not in vars(value) and isinstance(item, (dict, list, tuple, bytes))
        yield f"{before}{name}:", None if is_nil else item, of
        before = ", "


def _map_entries(pairs: Iterable[tuple[Any, Any]], element: str) -> Entries:
    ordered = sorted(pairs, key=lambda pair: (type(pair[0]).__name__, 0 if pair[0] is None else pair[0]))
    for i, (key, value) in enumerate(ordered):
        yield f"{', ' if i else ''}{go_syntax(key)}:", value, element
