"""JSON paths of printer columns and of the scale subresource, followed through a schema.

Only plain steps are followed: names, indexes and ``[*]``. A filter, a slice, a union or ``..`` ends the way, since more
than one value may be behind it. Upstream: client-go util/jsonpath.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

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


@dataclass(frozen=True, slots=True)
class Missing:
    """The first step of a path that the schema does not have: the schema without it, its name, and where both are.

    ``path`` is the text of the path up to the step, ``before`` without it. ``name`` is empty if the schema is a list, to
    whose items no step leads.
    """

    schema: JSONSchemaProps
    name: str
    path: str
    before: str


def steps(text: str) -> Iterator[tuple[str | None, int]]:
    """Yield the plain steps at the start of a path: a name, or None for the items of a list, and where each one ends."""
    at = 0
    while match := _STEP.match(text, at):
        at = match.end()
        if match["name"]:
            yield _ESCAPE.sub(r"\1", match["name"]), at
        else:
            yield match["key"] or ITEMS, at
    if at < len(text):
        yield "", at  # a step that is not plain


def follow(text: str, root: JSONSchemaProps) -> JSONSchemaProps | Missing | None:
    """Return the schema that a path leads to, or its first step that cannot have a value.

    None if the schema does not decide it: below unknown fields that are preserved, maps, metadata and embedded resources.
    """
    at, before = root, 0
    for name, end in steps(text):
        if name == "" or (at is root and name in _OF_METADATA) or _is_open(at):
            return None
        if name is ITEMS:
            items = at.items.schema if at.type == "array" and at.items is not None else None
            if items is None:
                return None
            at = items
        elif at.type == "array" or name not in at.properties:
            return Missing(at, "" if at.type == "array" else name, text[:end], text[:before])
        else:
            at = at.properties[name]
        before = end
    return at


def _is_open(schema: JSONSchemaProps) -> bool:
    """Return whether the values below a schema are not known from its properties alone."""
    return (
        not schema.type
        or bool(schema.x_preserve_unknown_fields)
        or schema.x_embedded_resource
        or schema.additional_properties is not None
    )
