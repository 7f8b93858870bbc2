"""Fixes for the findings of `rules/server/list_types.py`."""

from __future__ import annotations

from functools import partial
from typing import Final

from crdlint.rules.engine.advisory import SCALARS
from crdlint.rules.engine.edits import (
    Edits,
    add_required,
    expect,
    is_merged,
    names_in,
    require,
    texts,
)
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf, nearest_of, removal, replacement
from crdlint.rules.fixes import v1beta1
from crdlint.rules.helps.list_types import USUAL_DEFAULTS, is_optional, likely_key
from crdlint.rules.server.list_types import (
    GOOD_SET,
    ITEMS_NULLABLE,
    KEY_DUPLICATE,
    KEY_NULLABLE,
    KEY_REQUIRED,
    KEY_UNKNOWN,
    KEYS_REQUIRED,
    KEYS_WITHOUT_MAP,
    LIST_TYPE,
    LIST_TYPE_ARRAY,
    MAP_ITEMS,
    MAP_TYPE,
    MAP_TYPE_OBJECT,
    NAMED_ITEMS,
    SET_ATOMIC,
    TYPES,
    list_with,
)
from crdlint.spelling import name_meant
from crdlint.yaml.nodes import Mapping, Scalar, Sequence, child, items_of, pairs_of, text_of

_LIKE: Final = 0.6


def _with_type(finding: FieldFinding, type_: str) -> Edits:
    """Write the type that a list or map marker requires, if there is none, or another one than that of the fields."""
    owner, editor = finding.owner, finding.editor
    entry, fields = (
        owner.find("type"),
        [name for name in ("items", "properties") if owner.find(name) is not None],
    )
    if entry is None and owner.find("x-kubernetes-int-or-string") is None:
        yield editor.insert(
            owner,
            "type",
            editor.value(type_),
            before=editor.first(owner),
        )
    elif (
        entry is not None
        and not is_merged(owner)
        and fields == ["items" if type_ == "array" else "properties"]
    ):
        yield editor.respell(expect(Scalar, entry[1]), type_)


def _without_marker(finding: FieldFinding, name: str) -> Edits:
    """Remove a keyword for lists or maps, unless the type of the schema is missing or set twice."""
    owner = finding.owner
    if text_of(child(owner, name)) == "atomic" and finding.editor.name_of(owner) == "items":
        return  # that of the list may be meant
    if owner.find("type") is not None and not is_merged(owner):
        yield finding.editor.remove(owner, name)


@Fixer("Make the list atomic", "unsafe").example(
    good=list_with("atomic", "type: object, properties: {name: {type: string}}")
)
def _atomic_list(finding: FieldFinding) -> Edits:
    """Write the only list type for objects and lists without keys by which server-side apply works."""
    owner = expect(Mapping, finding.editor.parent(finding.owner))
    if owner.find("x-kubernetes-list-map-keys") is not None:
        return []  # a map is meant
    return [finding.editor.set(owner, "x-kubernetes-list-type", finding.editor.value("atomic"))]


def _marker_for(
    finding: FieldFinding,
    type_: str,
    old: str,
    new: str,
) -> Edits:
    owner = finding.owner
    if type_ == "object" and finding.editor.name_of(owner) == "items":
        return  # that of the list may be meant
    is_atomic = text_of(child(owner, old)) == "atomic" or type_ == "array"
    if text_of(child(owner, "type")) == type_ and owner.find(new) is None and is_atomic:
        yield finding.editor.respell(finding.editor.entry(owner, old)[0], new)


@Fixer("Move the list type to the list", "unsafe").example(
    bad=list_with(
        "", f"{NAMED_ITEMS}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name]"
    ),
    good=list_with("", NAMED_ITEMS)
    + "\n  x-kubernetes-list-map-keys: [name]\n  x-kubernetes-list-type: map",
)
def _type_of_list(finding: FieldFinding) -> Edits:
    items, editor = finding.owner, finding.editor
    owner = expect(Mapping, editor.parent(items))
    if editor.name_of(items) != "items" or owner.find("x-kubernetes-list-type") is not None:
        return
    if text_of(child(items, "x-kubernetes-list-type")) == "atomic":
        return  # the object or the list may be meant
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
    bad=list_with("", NAMED_ITEMS, "name"),
    good=list_with("", NAMED_ITEMS, "name").replace(
        "  type: array\n", "  x-kubernetes-list-type: map\n  type: array\n"
    ),
)
def _map_with_keys(finding: FieldFinding) -> Edits:
    return finding.write("map") if finding.owner.find("x-kubernetes-list-type") is None else []


@Fixer("Add the only required scalar of the items as the key", "unsafe")
def _only_key(finding: FieldFinding) -> Edits:
    """Add the only required scalar of the items as the key, or the name of the items, which is then required."""
    owner, editor = finding.owner, finding.editor
    item = require(finding.schema(owner).item_schema)
    key = require(likely_key(item))
    yield editor.set(
        owner,
        "x-kubernetes-list-map-keys",
        f"[{editor.value(key)}]",
        after="x-kubernetes-list-type",
    )
    if item.node is not None and is_optional(item, key):
        yield from add_required(editor, item.node, [key])


@Fixer("Write `x-kubernetes-list-type: set`, without keys", "unsafe").example(good=GOOD_SET)
def _set_of_scalars(finding: FieldFinding) -> Edits:
    editor = finding.editor
    owner = expect(Mapping, editor.parent(finding.owner))
    if finding.schema(finding.owner).type in SCALARS:
        yield editor.respell(expect(Scalar, owner, "x-kubernetes-list-type"), "set")
        yield from editor.remove_all(owner, ("x-kubernetes-list-map-keys",))


@Fixer("Spell the key as the property of the items", "unsafe")
def _nearest_key(finding: FieldFinding) -> Edits:
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
def _each_key_once(finding: FieldFinding) -> Edits:
    keys = expect(Sequence, finding.node())
    names = texts(keys.items)
    yield from (
        finding.editor.remove_at(keys, i) for i, name in enumerate(names) if name in names[:i]
    )


@Fixer("Make the key required, or give it the default of Kubernetes", "unsafe").example(
    good=list_with(
        "map", "type: object, properties: {name: {type: string}}, required: [name]", "name"
    )
)
def _required_key(finding: FieldFinding) -> Edits:
    owner, editor = finding.owner, finding.editor
    key = require(editor.key_of(owner)).value
    item = expect(Mapping, editor.parent(expect(Mapping, editor.parent(owner))))
    misspelled = _misspelled_in(item, key)
    if misspelled is not None:
        yield editor.respell(misspelled, key)
    elif key in USUAL_DEFAULTS:
        yield editor.insert(
            owner,
            "default",
            editor.value(USUAL_DEFAULTS[key]),
            after="type",
        )
    elif not _is_among_others(item, key):
        yield from add_required(editor, item, [key])


def _is_among_others(item: Mapping, key: str) -> bool:
    """Return whether an item of `required` names a key together with other fields, which is to be written apart."""
    names = filter(None, map(text_of, items_of(child(item, "required"))))
    return any(key in names_in(name) for name in names if name != key)


def _misspelled_in(item: Mapping, key: str) -> Scalar | None:
    required_names, properties = child(item, "required"), child(item, "properties")
    names = {name.value: name for name in items_of(required_names) if isinstance(name, Scalar)}
    property_names = set(texts(key for key, _ in pairs_of(properties)))
    near = name_meant(key, names.keys() - property_names)
    return None if near is None else names[near]


FIXES: Final = FixesOf(
    FieldFinding,
    {
        MAP_TYPE.id: (
            Fixer(
                "Correct the map type",
                "safe",
                nearest_of(("atomic", "granular"), _LIKE),
                bad="selector: {type: object, x-kubernetes-map-type: Atomic}",
            ),
        ),
        MAP_TYPE_OBJECT.id: (
            Fixer(
                "Add `type: object`",
                "safe",
                partial(_with_type, type_="object"),
                bad="selector:\n  x-kubernetes-map-type: atomic",
                good="selector:\n  type: object\n  x-kubernetes-map-type: atomic",
            ),
            Fixer(
                "Write `x-kubernetes-list-type` for a list",
                "unsafe",
                partial(
                    _marker_for,
                    type_="array",
                    old="x-kubernetes-map-type",
                    new="x-kubernetes-list-type",
                ),
                bad="names: {type: array, items: {type: string}, x-kubernetes-map-type: atomic}",
                good="names: {type: array, items: {type: string}, x-kubernetes-list-type: atomic}",
            ),
            Fixer(
                "Remove `x-kubernetes-map-type`",
                "unsafe",
                partial(_without_marker, name="x-kubernetes-map-type"),
                good="selector: {type: string}",
            ),
        ),
        LIST_TYPE.id: (
            Fixer(
                "Correct the list type",
                "safe",
                nearest_of(TYPES, _LIKE),
                bad=list_with("Set", "type: string"),
            ),
        ),
        LIST_TYPE_ARRAY.id: (
            Fixer(
                "Add `type: array`",
                "safe",
                partial(_with_type, type_="array"),
                bad="ports:\n  x-kubernetes-list-type: atomic\n  items: {type: string}",
                good=list_with("atomic", "type: string"),
            ),
            _type_of_list,
            Fixer(
                "Write `x-kubernetes-map-type` for an object",
                "unsafe",
                partial(
                    _marker_for,
                    type_="object",
                    old="x-kubernetes-list-type",
                    new="x-kubernetes-map-type",
                ),
                good="ports: {type: object, x-kubernetes-map-type: atomic}",
            ),
            Fixer(
                "Remove `x-kubernetes-list-type`",
                "unsafe",
                partial(_without_marker, name="x-kubernetes-list-type"),
                bad="ports: {type: object, x-kubernetes-list-type: map}",
                good="ports: {type: object}",
            ),
        ),
        SET_ATOMIC.id: (_atomic_list,),
        KEYS_WITHOUT_MAP.id: (
            _map_with_keys,
            Fixer(
                "Write `x-kubernetes-list-type: map`",
                "unsafe",
                replacement("map"),
                bad=list_with("atomic", NAMED_ITEMS, "name"),
            ),
        ),
        KEYS_REQUIRED.id: (
            _only_key,
            _only_key.example(
                bad=list_with(
                    "map", "type: object, properties: {name: {type: string}, port: {type: integer}}"
                ),
                good=list_with(
                    "map",
                    "type: object, properties: {name: {type: string}, port: {type: integer}}, required: [name]",
                    "name",
                ),
            ),
        ),
        MAP_ITEMS.id: (_set_of_scalars,),
        KEY_UNKNOWN.id: (_nearest_key,),
        KEY_DUPLICATE.id: (_each_key_once,),
        KEY_REQUIRED.id: (_required_key,),
        KEY_NULLABLE.id: (Fixer("Remove `nullable` from the key", "safe", removal),),
        ITEMS_NULLABLE.id: (Fixer("Remove `nullable` from the items", "safe", removal),),
    },
)
