"""Resolution of JSON paths of printer columns and the scale subresource in a schema.

Only plain steps are supported: names, indexes and `[*]`. Filters, slices, unions and `..` end the resolution, because
they may select more than one value. Upstream: client-go util/jsonpath.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.model import JSONSchemaProps

ITEMS: Final = None  # the step to the items of a list: an index or [*]
_STEP: Final = re.compile(
    r"""\.(?P<name>(?:\\.|[^\[\].\\*{}()@,:\s'"])+)"""
    r"""|\[(?P<quote>['"])(?P<key>(?:(?!(?P=quote))[^\\])+)(?P=quote)\]"""
    r"""|(?P<items>\[(?:\*|-?\d+)\])"""
)
_ESCAPE: Final = re.compile(r"\\(.)")
_OF_METADATA: Final = frozenset({"apiVersion", "kind", "metadata"})


class Missing(NamedTuple):
    """The first step of a path that the schema does not have: the schema, and the name of the step.

    `path` is the text of the path including the step, `before` the text without it. `name` is empty if the schema is a
    list and the step does not select its items.
    """

    schema: JSONSchemaProps
    name: str
    path: str
    before: str


def steps(text: str) -> Iterator[tuple[str | None, int]]:
    """Yield each plain step of a path with its end: a name, or ITEMS. An empty name ends a path with other steps."""
    end = 0
    while match := _STEP.match(text, end):
        end = match.end()
        if match["name"]:
            yield _ESCAPE.sub(r"\1", match["name"]), end
        else:
            yield match["key"] or ITEMS, end
    if end < len(text):
        yield "", end  # a step that is not plain


def follow(text: str, root: JSONSchemaProps) -> JSONSchemaProps | Missing | None:
    """Return the schema at a path, or its first step that cannot have a value.

    Return None if the schema does not decide it: below preserved unknown fields, maps, metadata and embedded resources.
    """
    current, before = root, 0
    for name, end in steps(text):
        if name == "" or (current is root and name in _OF_METADATA) or _is_open(current):
            return None
        if name is ITEMS:
            items = current.item_schema if current.type == "array" else None
            if items is None:
                return None
            current = items
        elif current.type == "array" or name not in current.properties:
            return Missing(current, "" if current.type == "array" else name, text[:end], text[:before])
        else:
            current = current.properties[name]
        before = end
    return current


def _is_open(schema: JSONSchemaProps) -> bool:
    """Return whether the values below a schema are not known from its properties alone."""
    return (
        not schema.type
        or bool(schema.x_preserve_unknown_fields)
        or schema.x_embedded_resource
        or schema.additional_properties is not None
    )
