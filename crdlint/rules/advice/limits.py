"""On request: values without limits, and patterns that check only a part of a text."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.rules.engine.advisory import Advisory, DecodedCRD, is_own_field
from crdlint.rules.engine.markers import validation
from crdlint.rules.engine.rule import Nodes, OnRequest
from crdlint.schema.traversal import with_all_of

_Limit: Final = partial(OnRequest, in_set="limits")


# The formats whose values are short.
_SHORT: Final = frozenset(
    {"date", "date-time", "datetime", "duration", "ipv4", "ipv6", "cidr", "mac", "uuid"}
)


def _is_free(schema: JSONSchemaProps, limit: str) -> bool:
    """Return whether neither a limit nor an enum of a schema or its allOf bounds the values of a field."""
    return is_own_field(schema) and not any(
        getattr(part, limit) is not None or part.enum for part in with_all_of(schema)
    )


@_Limit(
    "string-unbounded",
    "String without a maximum length",
    observed=("string-up-to-the-limit-of-etcd",),
    why="Such a string may fill the object, up to about 1.5 MiB, the usual limit of etcd. Rules that read it are estimated for "
    "3 MiB, the limit of a request.",
    help="Add `maxLength`",
    marker="write `+kubebuilder:validation:MaxLength=63`",
    bad="a: {type: string}",
    good="a: {type: string, maxLength: 63}",
).advice_on(Nodes(types={"string"}, without={"maxLength"}))
def _strings(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    if _is_free(schema, "max_length") and not any(
        part.format in _SHORT for part in with_all_of(schema)
    ):
        marker = f"write {validation(schema, 'maxLength', 63)}"
        yield Advisory("the string has no `maxLength`", schema.path, marker=marker)


@_Limit(
    "list-unbounded",
    "List without a maximum number of items",
    observed=("string-up-to-the-limit-of-etcd",),
    why="Such a list may fill the object, up to about 1.5 MiB, the usual limit of etcd. Rules on its items are estimated for as "
    "many items as fit into 3 MiB, the limit of a request.",
    help="Add `maxItems`",
    marker="write `+kubebuilder:validation:MaxItems=16`",
    bad="a: {type: array, items: {type: boolean}}",
    good="a: {type: array, maxItems: 16, items: {type: boolean}}",
).advice_on(Nodes(types={"array"}, without={"maxItems"}))
def _lists(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    if _is_free(schema, "max_items"):
        yield Advisory(
            "the list has no `maxItems`",
            schema.path,
            marker=f"write {validation(schema, 'maxItems', 16)}",
        )


@_Limit(
    "integer-unbounded",
    "Integer without a minimum and a maximum",
    claims_nothing=True,
    why="The API conventions ask for bounds, so that clients in other languages can represent every value.",
    help="Add `minimum` and `maximum`",
    marker="write `+kubebuilder:validation:Minimum=0`",
    bad="a: {type: integer}",
    good="a: {type: integer, minimum: 0, maximum: 100}",
).advice_on(Nodes(types={"integer"}))
def _integers(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    missing = [name for name in ("minimum", "maximum") if _is_free(schema, name)]
    if missing:
        named = " and ".join(f"`{name}`" for name in missing)
        marker = f"write {' and '.join(validation(schema, name) for name in missing)}"
        message = f"the integer has no {named.replace('and', 'and no')}"
        yield Advisory(message, schema.path, f"Add {named}", marker=marker)


def _is_anchored(pattern: str) -> tuple[bool, bool]:
    from crdlint.golang.regexp import anchors

    return anchors(pattern) or (True, True)


@_Limit(
    "pattern-unanchored",
    "Pattern is anchored at neither end",
    observed=("patterns-without-anchors",),
    why="The API server accepts every text of which some part matches the pattern.",
    help="Write the pattern, and each of its alternatives, between `^` and `$`",
    marker="correct `+kubebuilder:validation:Pattern`",
    bad="a: {type: string, maxLength: 9, pattern: '[a-z]+'}",
    good="a: {type: string, maxLength: 9, pattern: '^[a-z]+$'}",
).advice_on(Nodes({"pattern"}))
def _unanchored(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    if schema.pattern and _is_anchored(schema.pattern) == (False, False):
        yield Advisory(
            "any text with a part that matches the pattern is accepted",
            schema.path.child("pattern"),
        )


@_Limit(
    "pattern-half-anchored",
    "Pattern is anchored at one end only",
    observed=("patterns-without-anchors",),
    why="The API server accepts any text before or after the part that matches the pattern.",
    help="Write the pattern, and each of its alternatives, between `^` and `$`, unless any text may follow or precede it",
    marker="correct `+kubebuilder:validation:Pattern`",
    bad="a: {type: string, maxLength: 9, pattern: '^[a-z]+'}",
    good="a: {type: string, maxLength: 9, pattern: '^[a-z]+$'}",
).advice_on(Nodes({"pattern"}))
def _half_anchored(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    start, end = _is_anchored(schema.pattern) if schema.pattern else (True, True)
    if start != end:
        message = f"any text {'after' if start else 'before'} the part that matches the pattern is accepted"
        yield Advisory(message, schema.path.child("pattern"))
