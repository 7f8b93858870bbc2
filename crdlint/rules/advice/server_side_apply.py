"""On request: lists and objects that server-side apply cannot merge, or merges where it should not."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.rules.engine.advisory import (
    SCALARS,
    Advisory,
    DecodedCRD,
    in_junctor,
    property_name,
    top_property,
)
from crdlint.rules.engine.rule import Nodes, OnRequest

_Merging: Final = partial(OnRequest, in_set="ssa")
_BY_TYPE: Final = (
    "Set `x-kubernetes-list-type` to `map`, and `x-kubernetes-list-map-keys` to `[type]`"
)
_ITEMS_STAY: Final = (
    "; in an existing CRD, `map` and `set` keep the items of stored objects, also those that "
    "their owner leaves out"
)
_CONDITIONS_STAY: Final = (
    "; in an existing CRD, stored conditions then stay, also those that their controller leaves out"
)
_NAMED: Final = "type: object, required: [name], properties: {name: {type: string}}"
_MAP: Final = "x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], "
_SELECTOR: Final = (
    "properties: {matchLabels: {type: object, additionalProperties: {type: string}}, "
    "matchExpressions: {type: array, x-kubernetes-list-type: atomic, items: {type: string}}}"
)


def _list(fields: str, items: str) -> str:
    return f"a: {{type: array, {fields}items: {{{items}}}}}"


def _conditions(list_type: str) -> str:
    fields = "properties: {type: {type: string}}"
    return (
        "schema:\n  openAPIV3Schema:\n    type: object\n    properties:\n      status:\n        type: object\n"
        f"        properties: {{conditions: {{type: array, {list_type}items: {{type: object, required: [type], {fields}}}}}}}\n"
        "subresources: {status: {}}\n"
    )


@_Merging(
    "list-of-named-objects-atomic",
    "List of objects with a required name has no list type",
    observed=(
        "list-type-change-leaves-map-items",
        "list-type-change-leaves-items",
        "atomic-list-conflicts",
    ),
    why="Server-side apply could merge the items by their names. Without a list type, the second manager to apply the list "
    "gets a conflict, or removes the items of the first one by force.",
    help="Set `x-kubernetes-list-type` to `map`, and `x-kubernetes-list-map-keys` to `[name]`; or, if one owner writes the "
    f"whole list, `x-kubernetes-list-type` to `atomic`{_ITEMS_STAY}",
    marker="write `+listType=map` and `+listMapKey=name` on the field",
    bad="a: {type: array, items: {type: object, required: [name], properties: {name: {type: string}}}}",
    good=_list(_MAP, _NAMED),
).advice_on(Nodes(types={"array"}, without={"x-kubernetes-list-type"}))
def _named(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    items = schema.item_schema
    if items is None or items.nullable or "name" not in items.required or in_junctor(schema):
        return
    name = items.properties.get("name")
    if name is not None and name.type in SCALARS and not name.nullable:
        yield Advisory(
            "server-side apply treats the list as one value, although each item has a `name`",
            schema.path,
        )


@_Merging(
    "selector-not-atomic",
    "Label selector is not atomic",
    observed=("selector-becomes-atomic", "selector-of-two-owners"),
    why="Server-side apply merges the selectors of two owners into one that neither of them wrote.",
    help="Add `x-kubernetes-map-type: atomic` to the selector; managers that own parts of a stored one then get conflicts",
    marker="write `+structType=atomic` on the field",
    bad=f"selector: {{type: object, {_SELECTOR}}}",
    good=f"selector: {{type: object, x-kubernetes-map-type: atomic, {_SELECTOR}}}",
).advice_on(Nodes({"properties"}))
def _selectors(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    is_selector = {
        "matchLabels",
        "matchExpressions",
    } <= schema.properties.keys() and not in_junctor(schema)
    if is_selector and schema.x_map_type != "atomic":
        yield Advisory("server-side apply merges the selectors of two owners", schema.path)


@_Merging(
    "conditions-not-map",
    "`status.conditions` is not a map list with the key `type`",
    scope="version",
    observed=("list-type-change-leaves-map-items", "conditions-atomic-conflicts"),
    why="A controller that applies one condition gets a conflict with the one before it, or removes its conditions by force.",
    help=f"{_BY_TYPE}{_CONDITIONS_STAY}",
    marker="write `+listType=map` and `+listMapKey=type` on the field",
    bad=_conditions("x-kubernetes-list-type: atomic, "),
    good=_conditions("x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [type], "),
).advice_on(Nodes(types={"array"}))
def conditions(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the conditions of the status that are no map by type."""
    if is_conditions(schema) and (
        schema.x_list_type != "map" or list(schema.x_list_map_keys) != ["type"]
    ):
        message, items = (
            "server-side apply cannot merge the conditions by `type`",
            schema.item_schema,
        )
        needed = items is not None and "type" not in items.required
        help_ = f"{_BY_TYPE}{'; add `type` to the `required` of the items' if needed else ''}{_CONDITIONS_STAY}"
        yield Advisory(message, schema.path, help_)


def is_conditions(schema: JSONSchemaProps) -> bool:
    """Return whether a schema is that of `.status.conditions`."""
    parent = schema.parent
    if property_name(schema) != "conditions" or parent is None or parent.parent is None:
        return False
    return parent.parent.parent is None and top_property(schema) == "status"
