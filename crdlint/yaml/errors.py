"""The decoder's refusals, in the API server's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Node


class YAMLDecodeError(ValueError):
    """A document that the API server cannot turn into JSON: ``str()`` is its text, ``node`` where it is known."""

    def __init__(self, text: str, node: Node | None = None) -> None:
        super().__init__(text)
        self.node = node
