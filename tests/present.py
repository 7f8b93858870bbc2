"""Values that a test relies on: what is missing, or of another class, fails the test at once."""

from __future__ import annotations

from typing import TypeVar

from crdlint.yaml.nodes import Mapping, Node
from crdlint.yaml.parse import parse_first

_Value = TypeVar("_Value")


def present(value: _Value | None) -> _Value:
    """Return a value that must not be None."""
    assert value is not None
    return value


def root_of(text: str) -> Node:
    """Return the root of the first document of a text."""
    root = parse_first(text).root
    assert root is not None
    return root


def mapping_of(text: str) -> Mapping:
    """Return the root of the first document of a text, which must be a mapping."""
    root = root_of(text)
    assert isinstance(root, Mapping)
    return root
