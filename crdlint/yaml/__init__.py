"""YAML to nodes with exact positions; scalars are resolved as in the API server's decoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.kubernetes.servers import NEWEST, Server

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Node

__all__ = ["YAMLDecodeError", "decode_yaml"]


class YAMLDecodeError(ValueError):
    """The API server cannot convert a document to JSON; `str()` is its text, `node` the cause if known."""

    def __init__(self, text: str, node: Node | None = None) -> None:
        super().__init__(text)
        self.node = node


def decode_yaml(text: str, server: Server = NEWEST) -> object:
    """Return the first document as JSON values, as a server sees it; raise YAMLDecodeError with the server's text."""
    from crdlint.yaml.json_values import as_json_text, first_error, to_json, worded_for
    from crdlint.yaml.parse import parse_first

    document = parse_first(text)
    if document.error is not None:
        raise YAMLDecodeError(document.error.message)
    if document.root is None:
        return None
    try:
        return as_json_text(to_json(document.root))
    except YAMLDecodeError as error:
        first = first_error(document.root) or error
        raise YAMLDecodeError(worded_for(server, str(first)), first.node) from None
