"""The conversion of JSON values to the Go types of a CRD.

Only types with their own decoding, base64 texts and integers can fail in values that the typed check accepts. Upstream:
apimachinery pkg/runtime/converter.go (FromUnstructured).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crdlint.crd.decode_errors import GoError, decode
from crdlint.crd.gotypes import CRD, INT_RANGES, GoType
from crdlint.golang.encodings import CorruptInputError, decode_base64
from crdlint.kubernetes.servers import Server
from crdlint.yaml.json_values import entries
from crdlint.yaml.nodes import Mapping, Node, Scalar, items_of
from crdlint.yaml.resolve import resolve

_OWN_DECODING: Final = frozenset({"schema-or-bool", "schema-or-array", "schema-or-strings", "time"})


def conversion_errors(root: Node, server: Server) -> Iterator[GoError]:
    """Yield the errors of converting a CRD, each with its text; the server reports the first one."""
    stack = [iter([(CRD, root)])]
    while stack:
        step = next(stack[-1], None)
        if step is None:
            stack.pop()
            continue
        of, node = step
        if of.kind in _OWN_DECODING:
            yield from _decoding_errors(of, node, server)
        elif node.__class__ is Scalar:
            yield from _scalar_errors(of, node)
        else:
            stack.append(_parts(of, node))


def _parts(of: GoType, node: Node) -> Iterator[tuple[GoType, Node]]:
    """Return the values in a collection with their types: fields in the order of their struct."""
    if isinstance(node, Mapping) and of.fields:
        values = {name: value for name, _, value in entries(node)}
        return iter(
            [(field.type, values[name]) for name, field in of.fields.items() if name in values]
        )
    if of.element is None:
        return iter(())
    if isinstance(node, Mapping):
        return iter([(of.element, value) for _, _, value in entries(node)])
    return iter((of.element, item) for item in items_of(node))


def _decoding_errors(of: GoType, node: Node, server: Server) -> Iterator[GoError]:
    """Yield the error that the decoder of a type reports, then those that this one hides."""
    reported = decode(of, node, server, json=False).saved
    if reported is None:
        return
    hidden = decode(of, node, server, goes_on=True, json=False).others
    for error in (reported, *(other for other in hidden if str(other) != str(reported))):
        error.text = str(error)
        yield error


def _scalar_errors(of: GoType, node: Scalar) -> Iterator[GoError]:
    value = resolve(node)
    if of.kind == "bytes" and isinstance(value, str):
        try:
            decode_base64(value)
        except CorruptInputError as corrupt:
            yield GoError(node, f"error decoding from json: {corrupt}", of="a base64 text")
    if of.kind in INT_RANGES and isinstance(value, float) and not value.is_integer():
        yield GoError(node, f"cannot convert float64 to {of.name}", of="an integer")
