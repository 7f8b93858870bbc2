"""YAML to nodes with exact positions, scalars resolved as the API server's decoder does."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Node

__all__ = ["YAMLDecodeError", "decode_yaml"]


class YAMLDecodeError(ValueError):
    """A document that the API server cannot turn into JSON: ``str()`` is its text, ``node`` where it is known."""

    def __init__(self, text: str, node: Node | None = None) -> None:
        super().__init__(text)
        self.node = node


def decode_yaml(text: str) -> object:
    """Return the first document as JSON values, as the API server would see it; raise YAMLDecodeError with its text."""
    from crdlint.yaml.parse import parse_first
    from crdlint.yaml.values import as_json_text, first_error, to_json

    document = parse_first(text)
    if document.error is not None:
        raise YAMLDecodeError(document.error.message)
    if document.root is None:
        return None
    try:
        return as_json_text(to_json(document.root))
    except YAMLDecodeError as error:
        raise first_error(document.root) or error from None
