"""On request: values without limits, and patterns that check only a part of a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.rules.engine.advisory import Advisory, NodeAdvice
from crdlint.rules.engine.on_request import OnRequest, in_junctor, is_of_metadata

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crdlint.crd.model import JSONSchemaProps
    from crdlint.rules.engine.advisory import DecodedCRD


def _field(fields: str) -> str:
    return f"type: object\nproperties:\n  a: {{{fields}}}\n"


STRING = OnRequest(
    id="string-unbounded",
    summary="String without a maximum length",
    why="Such a string may be as long as the largest request (3 MiB), and rules that read it are estimated for that length.",
    bad=_field("type: string"),
    good=_field("type: string, maxLength: 63"),
    help="Add `maxLength`",
    marker="write `+kubebuilder:validation:MaxLength=63`",
)
LIST = OnRequest(
    id="list-unbounded",
    summary="List without a maximum number of items",
    why="Such a list may fill the largest request (3 MiB), and rules on its items are estimated for as many items as fit into it.",
    bad=_field("type: array, items: {type: boolean}"),
    good=_field("type: array, maxItems: 16, items: {type: boolean}"),
    help="Add `maxItems`",
    marker="write `+kubebuilder:validation:MaxItems=16`",
)
INTEGER = OnRequest(
    id="integer-unbounded",
    summary="Integer without a minimum and a maximum",
    why="The API conventions ask for bounds, so that clients in other languages can represent every value.",
    bad=_field("type: integer"),
    good=_field("type: integer, minimum: 0, maximum: 100"),
    help="Add `minimum` and `maximum`",
    marker="write `+kubebuilder:validation:Minimum=0`",
)
UNANCHORED = OnRequest(
    id="pattern-unanchored",
    summary="Pattern has neither `^` nor `$`",
    why="The API server accepts every text of which some part matches the pattern.",
    bad=_field("type: string, maxLength: 9, pattern: '[a-z]+'"),
    good=_field("type: string, maxLength: 9, pattern: '^[a-z]+$'"),
    help="Write the pattern between `^` and `$`",
    marker="correct `+kubebuilder:validation:Pattern`",
)
HALF_ANCHORED = OnRequest(
    id="pattern-half-anchored",
    summary="Pattern has only one of `^` and `$`",
    why="The API server accepts any text before or after the part that matches the pattern.",
    bad=_field("type: string, maxLength: 9, pattern: '^[a-z]+'"),
    good=_field("type: string, maxLength: 9, pattern: '^[a-z]+$'"),
    help="Write the pattern between `^` and `$`, unless any text may follow or precede it",
    marker="correct `+kubebuilder:validation:Pattern`",
)

RULES = (STRING, LIST, INTEGER, UNANCHORED, HALF_ANCHORED)


def _without(rule: str, message: str) -> Callable[[JSONSchemaProps, DecodedCRD], Iterator[Advisory]]:
    def run(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
        limits = any(one.max_length is not None or one.max_items is not None for one in schema.all_of)
        if not (limits or in_junctor(schema) or is_of_metadata(schema) or schema.enum):
            yield Advisory("advice", rule, message, schema.path)

    return run


# The formats whose values are short.
_SHORT: Final = frozenset({"date", "date-time", "datetime", "duration", "ipv4", "ipv6", "cidr", "mac", "uuid"})


def strings(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield a string without a limit."""
    if schema.format not in _SHORT:
        yield from _without(STRING.id, "the string has no `maxLength`")(schema, crd)


def integers(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield an integer that lacks a bound."""
    missing = [name for name, value in (("minimum", schema.minimum), ("maximum", schema.maximum)) if value is None]
    if missing and not schema.enum and not in_junctor(schema) and not is_of_metadata(schema):
        message = f"the integer has no {' and no '.join(f'`{name}`' for name in missing)}"
        yield Advisory("advice", INTEGER.id, message, schema.path)


def _ends(pattern: str) -> tuple[bool, bool]:
    """Return whether a pattern is anchored at its start, and at its end."""
    return pattern.startswith(("^", "\\A", "(^", "(?:^")), pattern.endswith(
        ("$", "\\z", "$)")
    ) and not pattern.endswith("\\$")


def unanchored(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield a pattern that is anchored nowhere."""
    if schema.pattern and not any(_ends(schema.pattern)):
        message = "any text with a part that matches the pattern is accepted"
        yield Advisory("advice", UNANCHORED.id, message, schema.path.child("pattern"))


def half_anchored(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield a pattern that is anchored at one end."""
    start, end = _ends(schema.pattern)
    if schema.pattern and start != end:
        message = f"any text {'after' if start else 'before'} the part that matches the pattern is accepted"
        yield Advisory("advice", HALF_ANCHORED.id, message, schema.path.child("pattern"))


NODES: Final = (
    NodeAdvice(STRING.id, strings, when=lambda given, type_: type_ == "string" and "maxLength" not in given),
    NodeAdvice(
        LIST.id,
        _without(LIST.id, "the list has no `maxItems`"),
        when=lambda given, type_: type_ == "array" and "maxItems" not in given,
    ),
    NodeAdvice(INTEGER.id, integers, when=lambda _, type_: type_ == "integer"),
    NodeAdvice(UNANCHORED.id, unanchored, ("pattern",)),
    NodeAdvice(HALF_ANCHORED.id, half_anchored, ("pattern",)),
)
