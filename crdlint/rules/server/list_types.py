"""x-kubernetes-list-type, its keys, and what a list's items must be for it; x-kubernetes-map-type.

Reproduces ValidateCustomResourceDefinitionOpenAPISchema and validateMapListKeysMapSet (apiextensions validation).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from crdlint.crd.errors import (
    INVALID,
    REQUIRED,
    FieldError,
    forbidden,
    invalid,
    not_supported,
    required,
)
from crdlint.crd.model import JSONSchemaProps
from crdlint.golang.printing import Typed
from crdlint.rules.engine import headlines
from crdlint.rules.engine.common import WalkResult
from crdlint.rules.engine.relations import SAME_FIELD, SIBLING
from crdlint.rules.engine.rule import Link, Nodes, Rule
from crdlint.rules.engine.schema_walk import Context, check
from crdlint.rules.helps.list_types import missing_key, optional_key, shown
from crdlint.rules.server import forbidden_fields, structural
from crdlint.safety.bugs import attempt

_Rule: Final = partial(
    Rule, source="apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema"
)
_IS_KEY: Final = "this property is in x-kubernetes-list-map-keys"
_KeyRule: Final = partial(Rule, source="apiextensions/validation validateMapListKeysMapSet")
NAMED_ITEMS = "type: object, required: [name], properties: {name: {type: string}}"
TYPES: Final = ("atomic", "set", "map")


def list_with(type_: str, items: str, keys: str = "") -> str:
    """Return the schema of a list."""
    markers = f"  x-kubernetes-list-type: {type_}\n" if type_ else ""
    markers += f"  x-kubernetes-list-map-keys: [{keys}]\n" if keys else ""
    return f"ports:\n  type: array\n{markers}  items: {{{items}}}"


_GOOD_MAP = list_with("map", NAMED_ITEMS, "name")
GOOD_SET = list_with("set", "type: string")


MAP_TYPE = _Rule(
    "map-type-unsupported",
    "Unsupported `x-kubernetes-map-type`",
    observed=("map-types-merge",),
    why="Server-side apply merges `granular` objects field by field, and replaces `atomic` objects as a whole.",
    help="Set `x-kubernetes-map-type` to `atomic` or `granular` (the default)",
    marker="correct `+mapType` or `+structType`",
    bad="selector: {type: object, x-kubernetes-map-type: merge}",
    good="selector: {type: object, x-kubernetes-map-type: atomic}",
)
MAP_TYPE_OBJECT = _Rule(
    "map-type-not-object",
    "`x-kubernetes-map-type` on a schema that is not an object",
    observed=("map-types-merge",),
    follows=(
        Link(forbidden_fields.TYPE_UNSUPPORTED, SIBLING),
        Link(structural.TYPE_REQUIRED, SIBLING),
    ),
    headline="`x-kubernetes-map-type` is set on {of}, which is not an object",
    changes="type",
    because="x-kubernetes-map-type",
    why="The map type decides how server-side apply merges the fields of an object.",
    help="Set `type: object`, or remove `x-kubernetes-map-type`",
    marker="remove `+mapType` or `+structType`",
    bad="selector: {type: string, x-kubernetes-map-type: atomic}",
    good="selector: {type: object, x-kubernetes-map-type: atomic}",
)
LIST_TYPE = _Rule(
    "list-type-unsupported",
    "Unsupported `x-kubernetes-list-type`",
    observed=("list-types-merge",),
    why="Server-side apply replaces an `atomic` list as a whole, merges a `set` by its values, and merges a `map` by its keys.",
    help="Set `x-kubernetes-list-type` to `atomic` (the default), `set` or `map`",
    marker="correct `+listType`",
    bad=list_with("list", "type: integer"),
    good=GOOD_SET,
)
LIST_TYPE_ARRAY = _Rule(
    "list-type-not-array",
    "`x-kubernetes-list-type` on a schema that is not an array",
    observed=("list-types-merge",),
    follows=(
        Link(forbidden_fields.TYPE_UNSUPPORTED, SIBLING),
        Link(structural.TYPE_REQUIRED, SIBLING),
    ),
    headline="`x-kubernetes-list-type` is set on {of}, which is not an array",
    changes="type",
    because="x-kubernetes-list-type",
    why="The list type decides how server-side apply merges the items of an array.",
    help="Set `type: array`, move `x-kubernetes-list-type` to the list, or write `x-kubernetes-map-type` for an object",
    marker="remove `+listType`",
    bad="ports: {type: object, x-kubernetes-list-type: atomic}",
    good=GOOD_SET,
)
SET_ATOMIC = _Rule(
    "set-items-not-atomic",
    "Set items must be scalars or atomic",
    headline="{of} must be a scalar or atomic, as the list is a set",
    observed=(
        "atomic-list-of-objects-applies",
        "set-of-objects-breaks-apply",
        "set-of-lists-breaks-apply",
    ),
    because="../x-kubernetes-list-type",
    why="The items of a set are compared by their whole value. Server-side apply only supports sets of scalars: with atomic "
    "items it fails with status 500 for each object that has the list, even if it applies another field.",
    help="Set `x-kubernetes-list-type: map` with keys, or `x-kubernetes-list-type: atomic`, which accepts duplicates",
    marker="write `+listType=map` with `+listMapKey`, or `+listType=atomic`",
    bad=list_with("set", "type: object, properties: {name: {type: string}}"),
    good=_GOOD_MAP,
)
KEYS_WITHOUT_MAP = _Rule(
    "list-map-keys-without-map",
    "`x-kubernetes-list-map-keys` on a list that is not a map list",
    observed=("list-types-merge",),
    headline="{of} has `x-kubernetes-list-map-keys`, but its list type is not `map`",
    unnecessary=True,
    because="x-kubernetes-list-map-keys",
    why="Only lists with `x-kubernetes-list-type: map` identify their items by keys.",
    help="Set `x-kubernetes-list-type: map`, or remove `x-kubernetes-list-map-keys`",
    marker="write `+listType=map`",
    bad=list_with("set", "type: string", "name"),
    good=_GOOD_MAP,
)
KEYS_REQUIRED = _Rule(
    "list-map-keys-required",
    "Map list without keys",
    observed=("keys-of-a-map-list",),
    headline="`x-kubernetes-list-type: map` on {of} needs `x-kubernetes-list-map-keys`",
    because="x-kubernetes-list-type",
    why="Server-side apply identifies the items of a map list by their keys.",
    help="Add `x-kubernetes-list-map-keys` with the required fields that identify an item",
    marker="write `+listMapKey=NAME`",
    bad=list_with("map", NAMED_ITEMS),
    good=_GOOD_MAP,
)
MAP_ITEMS = _Rule(
    "list-map-items",
    "Items of a map list must be objects",
    observed=("keys-of-a-map-list",),
    follows=(Link(structural.ITEMS_REQUIRED, SAME_FIELD),),
    headline={REQUIRED: "map list {of} has no schema for its items", INVALID: headlines.map_items},
    changes="type",
    because="../x-kubernetes-list-type",
    why="The keys of a map list are fields of its items.",
    help="Set `type: object` on the items, with the keys as `properties`; or set `x-kubernetes-list-type: set` and "
    "remove the keys",
    marker="correct `+listType`",
    bad=list_with("map", "type: string", "name"),
    good=_GOOD_MAP,
)
KEY_UNKNOWN = _Rule(
    "list-map-key-unknown",
    "List map key is not a property of the items",
    observed=("keys-of-a-map-list",),
    headline="list map key {value} of {of} is not a property of the list's items",
    changes="type",
    why="Server-side apply cannot identify items by a field that they do not have.",
    help="Correct the key, or add it to the `properties` of the items",
    marker="correct `+listMapKey`",
    bad=list_with("map", NAMED_ITEMS, "nmae"),
    good=_GOOD_MAP,
)
KEY_DUPLICATE = _Rule(
    "list-map-key-duplicate",
    "Duplicate list map key",
    claims_nothing=True,
    headline=headlines.repeated_keys,
    unnecessary=True,
    why="Repeating a key has no effect and usually means that another key was intended.",
    help="Remove the duplicate key",
    marker="remove one `+listMapKey`",
    bad=list_with("map", NAMED_ITEMS, "name, name"),
    good=_GOOD_MAP,
)
KEY_SCALAR = _Rule(
    "list-map-key-not-scalar",
    "List map key is an object or a list",
    observed=("keys-of-a-map-list",),
    headline="list map key {of} has the type {value}, which is not a scalar",
    changes="type",
    because="../x-kubernetes-list-map-keys",
    why="Server-side apply compares the keys of all items, and supports only scalars.",
    help="Use a field of type string, integer, number or boolean as the key",
    marker="correct `+listMapKey`",
    bad=list_with(
        "map", "type: object, required: [name], properties: {name: {type: object}}", "name"
    ),
    good=_GOOD_MAP,
)
KEY_REQUIRED = _KeyRule(
    "list-map-key-required",
    "List map key is neither required nor defaulted",
    headline="list map key {of} must be required or have a default",
    observed=("list-map-key-default",),
    because="../x-kubernetes-list-map-keys",
    why="Server-side apply cannot identify an item without its key.",
    help="Add the key to `required` of the items, or give the property a `default`",
    marker="write `+required` or `+kubebuilder:default` on the key",
    bad=list_with("map", "type: object, properties: {name: {type: string}}", "name"),
    good=_GOOD_MAP,
)
KEY_NULLABLE = _KeyRule(
    "list-map-key-nullable",
    "List map key is nullable",
    observed=("keys-of-a-map-list",),
    headline="list map key {of} cannot be nullable",
    because="../x-kubernetes-list-map-keys",
    why="Server-side apply cannot identify an item whose key is null.",
    help="Remove `nullable: true` from the key",
    marker="remove `+nullable` from the key",
    bad=list_with(
        "map",
        "type: object, required: [name], properties: {name: {type: string, nullable: true}}",
        "name",
    ),
    good=_GOOD_MAP,
)
ITEMS_NULLABLE = _KeyRule(
    "list-items-nullable",
    "Items of a set or map list are nullable",
    observed=("null-items-of-sets-and-map-lists",),
    headline="{of} cannot be nullable, as the list is a set or a map",
    because="../x-kubernetes-list-type",
    why="Server-side apply identifies items by value or by key, and a null item has neither.",
    help="Remove `nullable: true` from the items",
    bad=list_with("set", "type: string, nullable: true"),
    good=GOOD_SET,
)


@check(Nodes({"x-kubernetes-map-type"}))
def _map_type(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    if schema.x_map_type is None:
        return
    if schema.type != "object":
        _wrong_type(
            schema,
            result,
            MAP_TYPE_OBJECT.id,
            "must be object if x-kubernetes-map-type is specified",
        )
    if schema.x_map_type not in {"atomic", "granular"}:
        path = schema.path.child("x-kubernetes-map-type")
        result.add(
            schema,
            not_supported(
                MAP_TYPE.id,
                path,
                schema.x_map_type,
                ("atomic", "granular"),
            ),
        )


def _wrong_type(
    schema: JSONSchemaProps,
    result: WalkResult,
    rule: str,
    detail: str,
) -> None:
    path = schema.path.child("type")
    error = (
        invalid(rule, path, schema.type, detail) if schema.type else required(rule, path, detail)
    )
    result.add(schema, error)


@check(Nodes({"x-kubernetes-list-type"}))
def _list_type(schema: JSONSchemaProps, context: Context, result: WalkResult) -> None:
    list_type = schema.x_list_type
    if list_type is None:
        return
    if schema.type != "array":
        _wrong_type(
            schema,
            result,
            LIST_TYPE_ARRAY.id,
            "must be array if x-kubernetes-list-type is specified",
        )
    elif (
        context.options.require_atomic_set_type and (item := mergeable_set_item(schema)) is not None
    ):
        kind = "list" if item.type == "array" else "map"
        path = schema.path.child("items", f"x-kubernetes-{kind}-type")
        # Upstream prints the list type for objects too.
        value = Typed(item.x_list_type, "*string")
        detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
        help_ = (
            "Set `x-kubernetes-list-type: atomic`, which accepts duplicates"
            if kind == "list"
            else None
        )
        result.add(schema, invalid(SET_ATOMIC.id, path, value, detail, help=help_))
    if list_type not in TYPES:
        path = schema.path.child("x-kubernetes-list-type")
        result.add(schema, not_supported(LIST_TYPE.id, path, list_type, TYPES))


def mergeable_set_item(schema: JSONSchemaProps) -> JSONSchemaProps | None:
    """Return the items' schema of a set where it is not atomic, None for everything else."""
    item = schema.item_schema if schema.x_list_type == "set" else None
    if item is None:
        return None
    is_merged_list = item.type == "array" and item.x_list_type not in {None, "atomic"}
    return (
        item if is_merged_list or (item.type == "object" and item.x_map_type != "atomic") else None
    )


@check(Nodes({"x-kubernetes-list-type", "x-kubernetes-list-map-keys"}))
def _map_keys(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    path = schema.path
    if schema.x_list_map_keys and schema.x_list_type != "map":
        type_path = path.child("x-kubernetes-list-type")
        detail = "must be map if x-kubernetes-list-map-keys is non-empty"
        if schema.x_list_type is None:
            result.add(schema, required(KEYS_WITHOUT_MAP.id, type_path, detail))
        else:
            result.add(
                schema,
                invalid(
                    KEYS_WITHOUT_MAP.id,
                    type_path,
                    schema.x_list_type,
                    detail,
                ),
            )
    if schema.x_list_type == "map":
        for error in _list_map(schema):
            result.add(schema, error)


def _list_map(schema: JSONSchemaProps) -> Iterator[FieldError]:
    path, items = schema.path, schema.items
    if not schema.x_list_map_keys:
        keys_path = path.child("x-kubernetes-list-map-keys")
        detail = "must not be empty if x-kubernetes-list-type is map"
        help_ = missing_key(schema.item_schema)
        yield required(KEYS_REQUIRED.id, keys_path, detail, help=help_)
    if items is None:
        detail = "must have a schema if x-kubernetes-list-type is map"
        yield required(MAP_ITEMS.id, path.child("items"), detail)
    elif items.schema is None:
        detail = "must only have a single schema if x-kubernetes-list-type is map"
        yield invalid(MAP_ITEMS.id, path.child("items"), items, detail)
    elif items.schema.type != "object":
        detail = "must be object if parent array's x-kubernetes-list-type is map"
        yield invalid(
            MAP_ITEMS.id,
            path.child("items", "type"),
            items.schema.type,
            detail,
        )
    else:
        yield from _keys(schema, items.schema)


def _keys(schema: JSONSchemaProps, item: JSONSchemaProps) -> Iterator[FieldError]:
    """Yield what is wrong with the keys of a map list.

    Upstream repeats the errors about the whole list for each key, and its aggregate drops the repetitions.
    """
    keys, keys_path = schema.x_list_map_keys, schema.path.child("x-kubernetes-list-map-keys")
    value = Typed(keys, "[]string")
    unknown = duplicate = False
    seen: set[str] = set()
    for i, key in enumerate(keys):
        field, where = item.properties.get(key), keys_path.index(i)
        if field is None and not unknown:
            unknown = True
            names = shown(item.properties) or "none"
            help_ = f"Correct `{key}`, or add it to the properties of the items, which are: {names}"
            detail = "entries must all be names of item properties"
            yield invalid(
                KEY_UNKNOWN.id,
                keys_path,
                value,
                detail,
                at=where,
                help=help_,
            )
        elif field is not None and field.type in {"array", "object"} and key not in seen:
            scalar = schema.path.child("items", "properties").key(key).child("type")
            detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            yield invalid(KEY_SCALAR.id, scalar, item.type, detail)  # it prints the items' type
        if key in seen and not duplicate:
            duplicate = True
            yield invalid(
                KEY_DUPLICATE.id,
                keys_path,
                value,
                "must not contain duplicate entries",
                at=where,
            )
        seen.add(key)


@check(Nodes({"x-kubernetes-list-type"}))
def _keys_and_nulls(schema: JSONSchemaProps, context: Context, result: WalkResult) -> None:
    if context.options.require_map_list_keys_map_set_validation:
        for error in map_list_keys_map_set(schema):
            result.add(schema, error)


def map_list_keys_map_set(schema: JSONSchemaProps) -> Iterator[FieldError]:
    """Yield the errors of upstream's validateMapListKeysMapSet for one schema."""
    item = schema.item_schema
    if item is None or schema.x_list_type not in {"set", "map"}:
        return
    if item.nullable:
        detail = f"cannot be nullable when x-kubernetes-list-type is {schema.x_list_type}"
        yield forbidden(ITEMS_NULLABLE.id, schema.path.child("items", "nullable"), detail)
    if schema.x_list_type != "map":
        return
    required_keys = frozenset(item.required)
    for key in schema.x_list_map_keys:
        field = item.properties.get(key)
        if field is None:
            continue
        path = schema.path.child("items", "properties").key(key)
        if key not in required_keys and field.default is None:
            detail = f"{_IS_KEY}, so it must have a default or be a required property"
            yield required(
                KEY_REQUIRED.id,
                path.child("default"),
                detail,
                help=attempt(optional_key, key, item),
            )
        if field.nullable:
            detail = f"{_IS_KEY}, so it cannot be nullable"
            yield forbidden(KEY_NULLABLE.id, path.child("nullable"), detail)
