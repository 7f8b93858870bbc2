"""What helps and fixes know about a wrong value of a custom resource: its schema, what is meant, and how its text can be read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.placeholders import is_no_value
from crdlint.light import NamedTuple
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.nodes import Node, Scalar
from crdlint.yaml.parse import parse_first
from crdlint.yaml.resolve import resolve

ANYTHING: Final = JSONSchemaProps()


class Mistake(NamedTuple):
    """What fixes know about a finding of a resource.

    `node` is the value, or the key, that is wrong; of a missing field it is the object. `words` are the names or values
    that may be meant, `fitting` those of the value's type, and `valid` is the one that is meant. `expected` is the type of the
    value, and `schema` is the schema of the value, or of the object with an unknown field; `outer` is that of the object around
    that. What has no schema has an empty one.
    """

    node: Node
    words: Iterable[str] = ()
    valid: str = ""
    expected: str = ""
    schema: JSONSchemaProps = ANYTHING
    outer: JSONSchemaProps = ANYTHING
    fitting: Iterable[str] = ()


_CLASSES: Final[dict[str, frozenset[type]]] = {
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
    "boolean": frozenset({bool}),
}
_LONGEST: Final = 60  # the maximum number of characters of the user's text in a help


def is_short(text: str) -> bool:
    """Return whether a text can be quoted in a help."""
    return 0 < len(text) <= _LONGEST and "\n" not in text and '"' not in text


def is_item(text: str, of_list: JSONSchemaProps) -> bool:
    """Return whether a text, which was written instead of a list, may be its only item, and not the place of a list to come."""
    item = of_list.item_schema
    is_named = item is not None and text in item.enum
    return is_named or not is_no_value(text)


def plain_value(text: str, expected: str) -> Any:
    """Return what YAML reads without quotes, None unless it is a value of the expected type.

    >>> plain_value("80", "integer")
    80
    """
    if not is_short(text) or not re.fullmatch(r"[A-Za-z0-9.+_-]+", text):
        return None
    root = parse_first(text).root
    try:
        value = resolve(root) if isinstance(root, Scalar) else None
    except YAMLDecodeError:
        return None
    return value if value.__class__ in _CLASSES.get(expected, ()) else None
