"""x-kubernetes-list-type, its keys, and what a list's items must be for it; x-kubernetes-map-type.

Reproduces ValidateCustomResourceDefinitionOpenAPISchema and validateMapListKeysMapSet (apiextensions validation).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Final

from crdlint.crd.errors import FieldError, forbidden, invalid, not_supported, required
from crdlint.crd.model import JSONSchemaProps
from crdlint.golang.printing import Typed
from crdlint.rules.engine.advisory import SCALARS, Advisory, DecodedCRD
from crdlint.rules.engine.common import Findings
from crdlint.rules.engine.finding import (
    Edits,
    Finding,
    Fixer,
    add_required,
    expect,
    is_merged,
    nearest_of,
    removal,
    replacement,
    require,
    texts,
)
from crdlint.rules.engine.rule import Caution, Nodes, Rule
from crdlint.rules.engine.schema_walk import Context, check
from crdlint.rules.fixes import v1beta1
from crdlint.rules.server.schema_warnings import set_warning, type_in_set
from crdlint.safety.bugs import attempt
from crdlint.spelling import name_meant
from crdlint.yaml.nodes import Mapping, Scalar, Sequence, child, items_of, text_of

_Rule: Final = partial(
    Rule, source="apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema"
)
_IS_KEY: Final = "this property is in x-kubernetes-list-map-keys"
_KeyRule: Final = partial(Rule, source="apiextensions/validation validateMapListKeysMapSet")
_NAMED = "type: object, required: [name], properties: {name: {type: string}}"
_TYPES: Final = ("atomic", "set", "map")
_LIKE: Final = 0.6
# The keys of most lists of Kubernetes, such as containers and conditions.
_USUAL_KEYS: Final = ("name", "type", "key", "id")
# Values that Kubernetes itself defaults, for keys that people take over from its types.
_USUAL_DEFAULTS = {"protocol": "TCP"}
# The most names that a help lists.
_SHOWN: Final = 8


def _list(type_: str, items: str, keys: str = "") -> str:
    markers = f"  x-kubernetes-list-type: {type_}\n" if type_ else ""
    markers += f"  x-kubernetes-list-map-keys: [{keys}]\n" if keys else ""
    return f"ports:\n  type: array\n{markers}  items: {{{items}}}"


_GOOD_MAP = _list("map", _NAMED, "name")
_SET = _list("set", "type: string")


def _with_type(finding: Finding, type_: str) -> Edits:
    """Write the type that a list or map marker requires, if there is none, or another one than that of the fields."""
    owner, editor = finding.owner, finding.editor
    entry, fields = (
        owner.find("type"),
        [name for name in ("items", "properties") if owner.find(name) is not None],
    )
    if entry is None and owner.find("x-kubernetes-int-or-string") is None:
        yield editor.insert(owner, "type", editor.value(type_), before=editor.first(owner))
    elif (
        entry is not None
        and not is_merged(owner)
        and fields == ["items" if type_ == "array" else "properties"]
    ):
        yield editor.respell(expect(Scalar, entry[1]), type_)


def _without_marker(finding: Finding, name: str) -> Edits:
    return (
        [finding.editor.remove(finding.owner, name)]
        if finding.owner.find("type") is not None
        else []
    )


@Fixer("Make the list atomic", "unsafe").example(
    good=_list("atomic", "type: object, properties: {name: {type: string}}")
)
def _atomic_list(finding: Finding) -> Edits:
    """Write the only list type for objects and lists without keys by which server-side apply works."""
    owner = expect(Mapping, finding.editor.parent(finding.owner))
    if owner.find("x-kubernetes-list-map-keys") is not None:
        return []  # a map is meant
    return [finding.editor.set(owner, "x-kubernetes-list-type", finding.editor.value("atomic"))]


def _marker_for(finding: Finding, type_: str, old: str, new: str) -> Edits:
    owner = finding.owner
    is_atomic = text_of(child(owner, old)) == "atomic" or type_ == "array"
    if text_of(child(owner, "type")) == type_ and owner.find(new) is None and is_atomic:
        yield finding.editor.respell(finding.editor.entry(owner, old)[0], new)


@Fixer("Move the list type to the list", "unsafe").example(
    bad=_list("", f"{_NAMED}, x-kubernetes-list-type: atomic"),
    good=_list("", _NAMED) + "\n  x-kubernetes-list-type: atomic",
)
def _type_of_list(finding: Finding) -> Edits:
    items, editor = finding.owner, finding.editor
    owner, key = expect(Mapping, editor.parent(items)), editor.key_of(items)
    if key is None or key.value != "items" or owner.find("x-kubernetes-list-type") is not None:
        return
    names = tuple(
        name
        for name in ("x-kubernetes-list-map-keys", "x-kubernetes-list-type")
        if items.find(name) is not None
    )
    yield from editor.remove_all(items, names)
    yield from (
        editor.insert(owner, name, v1beta1.block(editor, editor.entry(items, name)[1]))
        for name in names
    )


@Fixer("Add `x-kubernetes-list-type: map`", "safe").example(
    bad=_list("", _NAMED, "name"),
    good=_list("", _NAMED, "name").replace(
        "  type: array\n", "  x-kubernetes-list-type: map\n  type: array\n"
    ),
)
def _map_with_keys(finding: Finding) -> Edits:
    return finding.write("map") if finding.owner.find("x-kubernetes-list-type") is None else []


@Fixer("Add the only required scalar of the items as the key", "unsafe")
def _only_key(finding: Finding) -> Edits:
    """Add the only required scalar of the items as the key, or the name of the items, which is then required."""
    owner, editor = finding.owner, finding.editor
    item = require(finding.schema(owner).item_schema)
    key = require(_likely_key(item))
    yield editor.set(
        owner,
        "x-kubernetes-list-map-keys",
        f"[{editor.value(key)}]",
        after="x-kubernetes-list-type",
    )
    if item.node is not None and _is_optional(item, key):
        yield from add_required(editor, item.node, [key])


def _likely_key(item: JSONSchemaProps) -> str | None:
    """Return the only scalar of a list's items, preferably a required one, or the usual key among several."""
    scalars = [name for name, field in item.properties.items() if field.type in SCALARS]
    keys = [name for name in scalars if name in item.required] or scalars
    return keys[0] if len(keys) == 1 else next((name for name in _USUAL_KEYS if name in keys), None)


def _is_optional(item: JSONSchemaProps, key: str) -> bool:
    return key not in item.required and item.properties[key].default is None


def _help_with_key(item: JSONSchemaProps | None) -> str | None:
    """Return the help for a map list without keys, None if no field of its items is likely to be the key."""
    key = None if item is None else _likely_key(item)
    if item is None or key is None:
        return None
    also = f", and `{key}` to `required` of the items" if _is_optional(item, key) else ""
    return f"Add `x-kubernetes-list-map-keys: [{key}]`{also}"


@Fixer("Write `x-kubernetes-list-type: set`, without keys", "unsafe").example(good=_SET)
def _set_of_scalars(finding: Finding) -> Edits:
    editor = finding.editor
    owner = expect(Mapping, editor.parent(finding.owner))
    if finding.schema(finding.owner).type in SCALARS:
        yield editor.respell(expect(Scalar, owner, "x-kubernetes-list-type"), "set")
        yield from editor.remove_all(owner, ("x-kubernetes-list-map-keys",))


@Fixer("Spell the key as the property of the items", "unsafe")
def _nearest_key(finding: Finding) -> Edits:
    names = texts(expect(Mapping, finding.owner, "items", "properties").items[::2])
    for key in expect(Sequence, finding.node()).items:
        near = (
            name_meant(key.value, names)
            if isinstance(key, Scalar) and key.value not in names
            else None
        )
        if near is not None:
            yield finding.editor.respell(expect(Scalar, key), near)


@Fixer("Name each key once", "safe")
def _each_key_once(finding: Finding) -> Edits:
    keys = expect(Sequence, finding.node())
    names = texts(keys.items)
    yield from (
        finding.editor.remove_at(keys, i) for i, name in enumerate(names) if name in names[:i]
    )


@Fixer("Make the key required, or give it the default of Kubernetes", "unsafe").example(
    good=_list("map", "type: object, properties: {name: {type: string}}, required: [name]", "name")
)
def _required_key(finding: Finding) -> Edits:
    owner, editor = finding.owner, finding.editor
    key = require(editor.key_of(owner)).value
    item = expect(Mapping, editor.parent(expect(Mapping, editor.parent(owner))))
    misspelled = _misspelled_in(item, key)
    if misspelled is not None:
        yield editor.respell(misspelled, key)
    elif key in _USUAL_DEFAULTS:
        yield editor.insert(owner, "default", editor.value(_USUAL_DEFAULTS[key]), after="type")
    else:
        yield from add_required(editor, item, [key])


def _misspelled_in(item: Mapping, key: str) -> Scalar | None:
    required_names, properties = child(item, "required"), child(item, "properties")
    names = {name.value: name for name in items_of(required_names) if isinstance(name, Scalar)}
    property_names = set(texts(properties.items[::2])) if isinstance(properties, Mapping) else set()
    near = name_meant(key, names.keys() - property_names)
    return None if near is None else names[near]


MAP_TYPE = _Rule("map-type-unsupported", "Unsupported `x-kubernetes-map-type`",
    observed=("map-types-merge",),
    why="Server-side apply merges `granular` objects field by field, and replaces `atomic` objects as a whole.",
    help="Set `x-kubernetes-map-type` to `atomic` or `granular` (the default)",
    marker="correct `+mapType` or `+structType`",
    bad="selector: {type: object, x-kubernetes-map-type: merge}",
    good="selector: {type: object, x-kubernetes-map-type: atomic}",
    fixes=(
        Fixer("Correct the map type", "safe", nearest_of(("atomic", "granular"), _LIKE),
            bad="selector: {type: object, x-kubernetes-map-type: Atomic}"),
    ))  # fmt: skip
MAP_TYPE_OBJECT = _Rule("map-type-not-object", "`x-kubernetes-map-type` on a schema that is not an object",
    because="x-kubernetes-map-type",
    why="The map type decides how server-side apply merges the fields of an object.",
    help="Set `type: object`, or remove `x-kubernetes-map-type`", marker="remove `+mapType` or `+structType`",
    bad="selector: {type: string, x-kubernetes-map-type: atomic}",
    good="selector: {type: object, x-kubernetes-map-type: atomic}",
    fixes=(
        Fixer("Add `type: object`", "safe", partial(_with_type, type_="object"), bad="selector:\n  x-kubernetes-map-type: atomic",
            good="selector:\n  type: object\n  x-kubernetes-map-type: atomic"),
        Fixer("Write `x-kubernetes-list-type` for a list", "unsafe",
            partial(_marker_for, type_="array", old="x-kubernetes-map-type", new="x-kubernetes-list-type"),
            bad="names: {type: array, items: {type: string}, x-kubernetes-map-type: atomic}",
            good="names: {type: array, items: {type: string}, x-kubernetes-list-type: atomic}"),
        Fixer("Remove `x-kubernetes-map-type`", "unsafe", partial(_without_marker, name="x-kubernetes-map-type"),
            good="selector: {type: string}"),
    ))  # fmt: skip
LIST_TYPE = _Rule("list-type-unsupported", "Unsupported `x-kubernetes-list-type`",
    observed=("list-types-merge",),
    why="Server-side apply replaces an `atomic` list as a whole, merges a `set` by its values, and merges a `map` by its keys.",
    help="Set `x-kubernetes-list-type` to `atomic` (the default), `set` or `map`", marker="correct `+listType`",
    bad=_list("list", "type: integer"), good=_SET,
    fixes=(
        Fixer("Correct the list type", "safe", nearest_of(_TYPES, _LIKE), bad=_list("Set", "type: string")),
    ))  # fmt: skip
LIST_TYPE_ARRAY = _Rule("list-type-not-array", "`x-kubernetes-list-type` on a schema that is not an array",
    because="x-kubernetes-list-type",
    why="The list type decides how server-side apply merges the items of an array.",
    help="Set `type: array`, or remove `x-kubernetes-list-type`", marker="remove `+listType`",
    bad="ports: {type: object, x-kubernetes-list-type: atomic}", good=_SET,
    fixes=(
        Fixer("Add `type: array`", "safe", partial(_with_type, type_="array"),
            bad="ports:\n  x-kubernetes-list-type: atomic\n  items: {type: string}",
            good=_list("atomic", "type: string")),
        _type_of_list,
        Fixer("Write `x-kubernetes-map-type` for an object", "unsafe",
            partial(_marker_for, type_="object", old="x-kubernetes-list-type", new="x-kubernetes-map-type"),
            good="ports: {type: object, x-kubernetes-map-type: atomic}"),
        Fixer("Remove `x-kubernetes-list-type`", "unsafe", partial(_without_marker, name="x-kubernetes-list-type"),
            bad="ports: {type: object, x-kubernetes-list-type: map}", good="ports: {type: object}"),
    ))  # fmt: skip
SET_ATOMIC = _Rule("set-items-not-atomic", "Set items must be scalars or atomic",
    observed=("atomic-list-of-objects-applies", "set-of-objects-breaks-apply", "set-of-lists-breaks-apply"),
    because="../x-kubernetes-list-type",
    why="The items of a set are compared by their whole value. Server-side apply only supports sets of scalars: with atomic "
    "items it fails with status 500 for each object that has the list, even if it applies another field.",
    help="Set `x-kubernetes-list-type: map` with keys, or `x-kubernetes-list-type: atomic`, which accepts duplicates",
    marker="write `+listType=map` with `+listMapKey`, or `+listType=atomic`",
    bad=_list("set", "type: object, properties: {name: {type: string}}"), good=_GOOD_MAP, fixes=(_atomic_list,))  # fmt: skip
KEYS_WITHOUT_MAP = _Rule("list-map-keys-without-map", "`x-kubernetes-list-map-keys` on a list that is not a map list",
    because="x-kubernetes-list-map-keys",
    why="Only lists with `x-kubernetes-list-type: map` identify their items by keys.",
    help="Set `x-kubernetes-list-type: map`, or remove `x-kubernetes-list-map-keys`", marker="write `+listType=map`",
    bad=_list("set", "type: string", "name"), good=_GOOD_MAP,
    fixes=(
        _map_with_keys,
        Fixer("Write `x-kubernetes-list-type: map`", "unsafe", replacement("map"), bad=_list("atomic", _NAMED, "name")),
    ))  # fmt: skip
KEYS_REQUIRED = _Rule("list-map-keys-required", "Map list without keys",
    because="x-kubernetes-list-type",
    why="Server-side apply identifies the items of a map list by their keys.",
    help="Add `x-kubernetes-list-map-keys` with the required fields that identify an item",
    marker="write `+listMapKey=NAME`",
    bad=_list("map", _NAMED), good=_GOOD_MAP,
    fixes=(
        _only_key,
        _only_key.example(bad=_list("map", "type: object, properties: {name: {type: string}, port: {type: integer}}"),
            good=_list("map", "type: object, properties: {name: {type: string}, port: {type: integer}}, required: [name]", "name")),
    ))  # fmt: skip
MAP_ITEMS = _Rule("list-map-items", "Items of a map list must be objects",
    because="../x-kubernetes-list-type",
    why="The keys of a map list are fields of its items.",
    help="Set `type: object` on the items, with the keys as `properties`; or set `x-kubernetes-list-type: set` and "
    "remove the keys", marker="correct `+listType`",
    bad=_list("map", "type: string", "name"), good=_GOOD_MAP, fixes=(_set_of_scalars,))  # fmt: skip
KEY_UNKNOWN = _Rule("list-map-key-unknown", "List map key is not a property of the items",
    why="Server-side apply cannot identify items by a field that they do not have.",
    help="Correct the key, or add it to the `properties` of the items", marker="correct `+listMapKey`",
    bad=_list("map", _NAMED, "nmae"), good=_GOOD_MAP, fixes=(_nearest_key,))  # fmt: skip
KEY_DUPLICATE = _Rule("list-map-key-duplicate", "Duplicate list map key",
    why="Repeating a key has no effect and usually means that another key was intended.",
    help="Remove the duplicate key", marker="remove one `+listMapKey`",
    bad=_list("map", _NAMED, "name, name"), good=_GOOD_MAP, fixes=(_each_key_once,))  # fmt: skip
KEY_SCALAR = _Rule("list-map-key-not-scalar", "List map key is an object or a list",
    because="../x-kubernetes-list-map-keys",
    why="Server-side apply compares the keys of all items, and supports only scalars.",
    help="Use a field of type string, integer, number or boolean as the key", marker="correct `+listMapKey`",
    bad=_list("map", "type: object, required: [name], properties: {name: {type: object}}", "name"), good=_GOOD_MAP)  # fmt: skip
KEY_REQUIRED = _KeyRule("list-map-key-required", "List map key is neither required nor defaulted",
    observed=("list-map-key-default",),
    because="../x-kubernetes-list-map-keys",
    why="Server-side apply cannot identify an item without its key.",
    help="Add the key to `required` of the items, or give the property a `default`",
    marker="write `+required` or `+kubebuilder:default` on the key",
    bad=_list("map", "type: object, properties: {name: {type: string}}", "name"), good=_GOOD_MAP,
    fixes=(_required_key,))  # fmt: skip
KEY_NULLABLE = _KeyRule("list-map-key-nullable", "List map key is nullable",
    because="../x-kubernetes-list-map-keys",
    why="Server-side apply cannot identify an item whose key is null.",
    help="Remove `nullable: true` from the key", marker="remove `+nullable` from the key",
    bad=_list("map", "type: object, required: [name], properties: {name: {type: string, nullable: true}}", "name"),
    good=_GOOD_MAP, fixes=(Fixer("Remove `nullable` from the key", "safe", removal),))  # fmt: skip
ITEMS_NULLABLE = _KeyRule("list-items-nullable", "Items of a set or map list are nullable",
    because="../x-kubernetes-list-type",
    why="Server-side apply identifies items by value or by key, and a null item has neither.",
    help="Remove `nullable: true` from the items",
    bad=_list("set", "type: string, nullable: true"), good=_SET,
    fixes=(Fixer("Remove `nullable` from the items", "safe", removal),))  # fmt: skip
SET_OF_OBJECTS = Caution("list-set-of-objects", "Set of objects or lists",
    observed=("atomic-list-of-objects-applies", "set-of-objects-breaks-apply", "set-of-lists-breaks-apply"),
    why="Server-side apply fails with status 500 for each object that has such a set, even if it applies another field. A CEL "
    "rule that compares the set ends in an error. Kubernetes 1.37 and later return a warning.",
    help="Set `x-kubernetes-list-type` to `map` with the keys of the items, or to `atomic`",
    marker="write `+listType=map`",
    bad=_list("set", "type: object, x-kubernetes-map-type: atomic"),
    good=_list("atomic", "type: object, x-kubernetes-map-type: atomic"))  # fmt: skip


@check(Nodes({"x-kubernetes-map-type"}))
def _map_type(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    if schema.x_map_type is None:
        return
    if schema.type != "object":
        _wrong_type(
            schema,
            findings,
            MAP_TYPE_OBJECT.id,
            "must be object if x-kubernetes-map-type is specified",
        )
    if schema.x_map_type not in {"atomic", "granular"}:
        path = schema.path.child("x-kubernetes-map-type")
        findings.add(
            schema, not_supported(MAP_TYPE.id, path, schema.x_map_type, ("atomic", "granular"))
        )


def _wrong_type(schema: JSONSchemaProps, findings: Findings, rule: str, detail: str) -> None:
    path = schema.path.child("type")
    error = (
        invalid(rule, path, schema.type, detail) if schema.type else required(rule, path, detail)
    )
    findings.add(schema, error)


@check(Nodes({"x-kubernetes-list-type"}))
def _list_type(schema: JSONSchemaProps, context: Context, findings: Findings) -> None:
    list_type = schema.x_list_type
    if list_type is None:
        return
    if schema.type != "array":
        _wrong_type(
            schema,
            findings,
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
        findings.add(schema, invalid(SET_ATOMIC.id, path, value, detail, help=help_))
    if list_type not in _TYPES:
        path = schema.path.child("x-kubernetes-list-type")
        findings.add(schema, not_supported(LIST_TYPE.id, path, list_type, _TYPES))


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
def _map_keys(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    path = schema.path
    if schema.x_list_map_keys and schema.x_list_type != "map":
        type_path = path.child("x-kubernetes-list-type")
        detail = "must be map if x-kubernetes-list-map-keys is non-empty"
        if schema.x_list_type is None:
            findings.add(schema, required(KEYS_WITHOUT_MAP.id, type_path, detail))
        else:
            findings.add(
                schema, invalid(KEYS_WITHOUT_MAP.id, type_path, schema.x_list_type, detail)
            )
    if schema.x_list_type == "map":
        for error in _list_map(schema):
            findings.add(schema, error)


def _list_map(schema: JSONSchemaProps) -> Iterator[FieldError]:
    path = schema.path
    keys, items = schema.x_list_map_keys, schema.items
    if not keys:
        detail = "must not be empty if x-kubernetes-list-type is map"
        help_ = _help_with_key(schema.item_schema)
        yield required(
            KEYS_REQUIRED.id, path.child("x-kubernetes-list-map-keys"), detail, help=help_
        )
    if items is None:
        yield required(
            MAP_ITEMS.id, path.child("items"), "must have a schema if x-kubernetes-list-type is map"
        )
        return
    item = items.schema
    if item is None:
        detail = "must only have a single schema if x-kubernetes-list-type is map"
        yield invalid(MAP_ITEMS.id, path.child("items"), items, detail)
        return
    if item.type != "object":
        detail = "must be object if parent array's x-kubernetes-list-type is map"
        yield invalid(MAP_ITEMS.id, path.child("items", "type"), item.type, detail)
        return
    keys_path = path.child("x-kubernetes-list-map-keys")
    unknown = duplicate = False
    seen: set[str] = set()
    for i, key in enumerate(keys):
        field = item.properties.get(key)
        # Upstream repeats the errors about the whole list for each key, and its aggregate drops the repetitions.
        if field is None and not unknown:
            unknown = True
            help_ = f"Correct `{key}`, or add it to the properties of the items, which are: {_shown(item.properties) or 'none'}"
            detail = "entries must all be names of item properties"
            yield invalid(
                KEY_UNKNOWN.id,
                keys_path,
                Typed(keys, "[]string"),
                detail,
                at=keys_path.index(i),
                help=help_,
            )
        elif field is not None and field.type in {"array", "object"} and key not in seen:
            scalar = path.child("items", "properties").key(key).child("type")
            detail = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            yield invalid(
                KEY_SCALAR.id, scalar, item.type, detail
            )  # upstream prints the items' type
        if key in seen and not duplicate:
            duplicate = True
            detail = "must not contain duplicate entries"
            yield invalid(
                KEY_DUPLICATE.id, keys_path, Typed(keys, "[]string"), detail, at=keys_path.index(i)
            )
        seen.add(key)


def _shown(names: Iterable[str]) -> str:
    first = list(islice(names, _SHOWN + 1))
    return ", ".join(first[:_SHOWN]) + (", ..." if len(first) > _SHOWN else "")


@check(Nodes({"x-kubernetes-list-type"}))
def _keys_and_nulls(schema: JSONSchemaProps, context: Context, findings: Findings) -> None:
    if context.options.require_map_list_keys_map_set_validation:
        for error in map_list_keys_map_set(schema):
            findings.add(schema, error)


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
                KEY_REQUIRED.id, path.child("default"), detail, help=attempt(_key_help, key, item)
            )
        if field.nullable:
            detail = f"{_IS_KEY}, so it cannot be nullable"
            yield forbidden(KEY_NULLABLE.id, path.child("nullable"), detail)


def _key_help(key: str, item: JSONSchemaProps) -> str:
    required_now = (
        f"..., {key}" if len(item.required) >= _SHOWN else ", ".join((*item.required, key))
    )
    usual = _USUAL_DEFAULTS.get(key)
    default = f"`default: {usual}`, as Kubernetes does" if usual else "a `default`"
    return f"Write `required: [{required_now}]` in the items, or give `{key}` {default}"


@SET_OF_OBJECTS.advice_on(Nodes({"x-kubernetes-list-type"}))
def sets_of_objects(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield sets whose items are objects or lists, unless the server itself warns of them."""
    type_ = "" if crd.versions.newest.warns_of_sets_of_objects else type_in_set(schema)
    is_rejected = type_ == "object" and mergeable_set_item(schema) is not None
    if type_ and not is_rejected:
        yield Advisory(set_warning(type_), schema.path.child("x-kubernetes-list-type"))
