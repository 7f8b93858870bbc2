"""The walk over the schemas of a version in the old and the new CRD, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias
from weakref import ref

from crdlint.changes import changed_constraints
from crdlint.changes.change import Change
from crdlint.changes.changed_conditions import (
    Reasons,
    compare_junctors,
    compare_messages,
    compare_new_default,
    compare_rules,
    is_implied,
)
from crdlint.changes.conditions import conditions_of, has
from crdlint.changes.conjunction import ComparedField, Conjunction, ImpliedSchema
from crdlint.changes.constraints import fingerprint
from crdlint.changes.examples import Examples, Pair
from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps, JSONSchemaPropsOrBool
from crdlint.crd.paths import Path
from crdlint.crd.record import semantic_equal
from crdlint.files.recognition import edits
from crdlint.golang.printing import marshal
from crdlint.kubecel.reasoning.facts import ITEM, VALUE
from crdlint.phrases import agreeing, some
from crdlint.rules.texts import changes as rules
from crdlint.schema.defaulting import META_FIELDS

# Fields of a schema that do not restrict values, or that contain other schemas.
_SILENT: Final = sum(
    SCHEMA_BITS[name]
    for name in (
        "description",
        "title",
        "example",
        "externalDocs",
        "properties",
        "items",
        "type",
        "id",
        "$schema",
    )
)
# Fields are compared with others as their new names by their schemas and names.
_NODES: Final = 3  # of a schema that is unlikely to be the same by chance
_DISTANCE: Final = 3  # edits from one name to a similar one
_LONGEST: Final = 64  # characters of a name that is compared
_SHOWN: Final = 3  # defaults in a text
_MOST_FIELDS: Final = 50  # removed or added fields of an object beyond which names are not compared


def compare_schemas(
    old: JSONSchemaProps,
    new: JSONSchemaProps,
    field: ComparedField,
    examples: Examples,
) -> Iterator[Change]:
    """Yield the changes of a whole schema."""
    stack = [Pair(Conjunction.of(old), Conjunction.of(new), field, examples)]
    while stack:
        below: list[Pair] = []
        yield from _compare(stack.pop(), below)
        stack.extend(reversed(below))


def _compare(pair: Pair, below: list[Pair]) -> Iterator[Change]:
    """Yield the changes of one value, and add what is to be compared below it."""
    if not (yield from changed_constraints.compare_types(pair)):
        return
    if pair.old.type and not pair.new.type and not _may_have_fields(pair.new):
        yield from _report_lost_defaults(pair, pair.old.below())
    if not _is_plain(pair):
        yield from changed_constraints.compare_constraints(pair)
        yield from changed_constraints.compare_annotations(pair)
        yield from _compare_required(pair)
        yield from _compare_lists(pair)
        yield from _compare_maps(pair)
        if set(conditions_of(pair.old)) != set(conditions_of(pair.new)):
            reasons = Reasons(pair)
            yield from compare_junctors(pair, reasons)
            yield from compare_rules(pair, reasons)
        yield from compare_messages(pair)
    yield from _compare_below(pair, below)


def _is_plain(pair: Pair) -> bool:
    """Return whether the values of a pair can only differ in their type and in what is below them."""
    if len(pair.old) > 1 or len(pair.new) > 1:
        return False
    old, new = pair.old[0], pair.new[0]
    if not (old.set_fields | new.set_fields) & ~_SILENT:
        return True
    if old.set_fields & ~_SILENT != new.set_fields & ~_SILENT:
        return False
    if _allowed(old.additional_properties) != _allowed(new.additional_properties):
        return False
    compared = (name for name in _COMPARED if name in old.__dict__)
    return all(semantic_equal(getattr(old, name), getattr(new, name)) for name in compared)


def _allowed(additional: JSONSchemaPropsOrBool | None) -> tuple[bool, bool] | None:
    """Return whether other keys are allowed, and whether they have a schema, which is compared with those below."""
    return None if additional is None else (additional.allows, additional.schema is not None)


_COMPARED: Final = tuple(
    field.attribute
    for field in JSONSchemaProps.FIELDS
    if not _SILENT & SCHEMA_BITS[field.json_name] and field.attribute != "additional_properties"
)


def _compare_below(pair: Pair, below: list[Pair]) -> Iterator[Change]:
    old_items, new_items = pair.old.list_items(), pair.new.list_items()
    if old_items and new_items:
        below.append(pair.below(ITEM, old_items, new_items))
    if not _may_have_fields(pair.new):
        return
    yield from _compare_values(pair, below)
    yield from _compare_properties(pair, below)


def _compare_values(pair: Pair, below: list[Pair]) -> Iterator[Change]:
    """Compare the schemas of the values of a map, or add them to the pairs `below` that are compared later."""
    old_values, new_values = pair.old.map_values(), pair.new.map_values()
    if old_values and new_values:
        below.append(pair.below(VALUE, old_values, new_values))
    elif new_values and pair.kept_unknown_fields:
        yield from _report_typed(pair, "", new_values)
    elif old_values and pair.keeps_unknown_fields:
        text = f"{pair.field.shown}: the schema of the values was removed"
        effect = "any value is accepted and stored"
        paths = pair.new[0].path, pair.old.path_of("additional_properties")
        yield Change(
            rules.FIELD_UNTYPED,
            text,
            *paths,
            pair.field.path,
            effect=effect,
        )
        yield from _report_lost_defaults(pair, {VALUE: old_values})


def _compare_properties(pair: Pair, below: list[Pair]) -> Iterator[Change]:
    """Report the fields of an object that come and go, and add the others to the pairs `below`."""
    before, after = _known_properties(pair.old, pair), _known_properties(pair.new, pair)
    old_values, new_values = pair.old.map_values(), pair.new.map_values()
    removed = [name for name in before if name not in after]
    if new_values:  # a key of the map now
        after = {**dict.fromkeys(removed, new_values), **after}
    elif removed:
        yield from _report_removed(pair, removed, before, after)
    for name, now in after.items():
        yield from _compare_property(
            pair,
            name,
            before.get(name, old_values),
            now,
            below,
        )


def _compare_property(
    pair: Pair,
    name: str,
    was: Conjunction,
    now: Conjunction,
    below: list[Pair],
) -> Iterator[Change]:
    """Report a new default of a field, and a new field; add a field of both schemas to the pairs `below`."""
    if now.has_default and not was.has_default:
        yield from compare_new_default(pair, name, now)
    if was:
        below.append(pair.below(name, was, now))
    else:
        yield from _report_added(pair, name, now)


# What every resource has, whatever its schema is. Empty texts of metadata are dropped before validation.
_OBJECT: Final = {"type": "object"}
_TEXT: Final = {"type": "string", "min_length": 1}
_Implied: TypeAlias = "Mapping[str, Mapping[str, Any]]"
_OF_ROOT: Final[_Implied] = {"metadata": _OBJECT}
_OF_EMBEDDED: Final[_Implied] = {
    "apiVersion": {**_TEXT, "pattern": "^[^/]*/?[^/]*$"},
    "kind": {**_TEXT, "max_length": 63, "pattern": "^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$"},
    "metadata": _OBJECT,
}
_SUBDOMAIN: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
_OF_METADATA: Final[_Implied] = {
    "name": {**_TEXT, "max_length": 253, "pattern": _SUBDOMAIN},
    "generateName": _TEXT,
}
_OF_EMBEDDED_METADATA: Final[_Implied] = {
    "name": {**_TEXT, "pattern": "^[^/%]*$"},
    "generateName": _TEXT,
    "namespace": _TEXT,
    "uid": _TEXT,
    "resourceVersion": _TEXT,
}


def _known_properties(node: Conjunction, pair: Pair) -> dict[str, Conjunction]:
    """Return the schemas of each property, with what the API server requires of it in any resource."""
    properties = node.properties()
    for name, required in _implied_properties(pair).items():
        implied = ImpliedSchema.of(
            **required,
            parent_ref=ref(node[0]),
            steps=("properties", name),
        )
        properties[name] = Conjunction((*properties.get(name, ()), implied))
    return properties


def _implied_properties(pair: Pair) -> _Implied:
    """Return what the API server requires of the fields of a resource, or of those of its metadata, by their names."""
    parent = pair.parent
    if parent is None:
        return _OF_ROOT
    if pair.old[0].x_embedded_resource:
        return _OF_EMBEDDED
    if pair.step != "metadata":
        return {}
    if parent.old[0].x_embedded_resource:
        return _OF_EMBEDDED_METADATA
    return _OF_METADATA if parent.parent is None else {}


def _property_path(node: Conjunction, name: str) -> Path:
    holder = next((schema for schema in node if name in schema.properties), node[0])
    return holder.path.child("properties").key(name)


def _is_of_resource(name: str, pair: Pair) -> bool:
    return name in META_FIELDS and (not pair.field.path or pair.new[0].x_embedded_resource)


def _is_required_of_resource(name: str, pair: Pair) -> bool:
    """Return whether existing resources have a field, whatever their schema is; embedded ones may lack metadata."""
    return not pair.field.path or (pair.old[0].x_embedded_resource and name != "metadata")


def _report_lost_defaults(pair: Pair, removed: Mapping[str, Conjunction]) -> Iterator[Change]:
    """Report the defaults that are gone with the schemas of fields, items or values of a map."""
    lost: list[str] = []
    for step, node in removed.items():
        lost += _defaults(pair.field.below(step), node)
    if lost:
        which = agreeing(len(lost), "default", "defaults")
        text = f"{pair.field.shown}: {which} {some(lost, _SHOWN)} removed together with the schema"
        effect = "new objects without the field lack it; those with the default keep it"
        paths = pair.new[0].path, pair.old[0].path
        yield Change(
            rules.DEFAULT_REMOVED,
            text,
            *paths,
            pair.field.path,
            effect=effect,
        )


def _defaults(field: ComparedField, node: Conjunction) -> Iterator[str]:
    """Yield the default of a value, and those of what is below it, with their paths; no empty objects."""
    pending = [(field, node)]
    while pending:
        field, node = pending.pop()
        default = changed_constraints.with_defaults(node)
        if node.has_default and default != {}:
            yield f"{marshal(default)} of `{field.path}`"
        below = [(field.below(step), schemas) for step, schemas in node.below().items()]
        pending += reversed(below)


def _report_removed(
    pair: Pair,
    removed: list[str],
    before: dict[str, Conjunction],
    after: dict[str, Conjunction],
) -> Iterator[Change]:
    keeps = pair.keeps_unknown_fields
    added = {name: schemas for name, schemas in after.items() if name not in before}
    new_names = {} if keeps else _renamed({name: before[name] for name in removed}, added)
    for name in removed:
        if _is_of_resource(name, pair):
            continue
        field = pair.field.below(name)
        new_name = new_names.get(name, name)
        paths = _property_path(pair.new, new_name), _property_path(pair.old, name)
        rule, text, effect = rules.FIELD_REMOVED, f"{field.shown} was removed", rules.REMOVED_FIELD
        if keeps:
            rule, text = rules.FIELD_UNTYPED, f"{field.shown}: the schema of the field was removed"
            effect = "any value is accepted and stored"
        elif name in new_names:
            help_ = f"Keep `{name}` beside `{new_name}` and read both, or rename it in a new version only"
            rule = rule._replace(help=help_)
            text = f"{field.shown} is now named {pair.field.below(new_name).shown}"
            effect = "reads lack the value at once, and the next write deletes it"
        yield Change(rule, text, *paths, field.path, effect=effect)
    if keeps:
        yield from _report_lost_defaults(pair, {name: before[name] for name in removed})


def _renamed(
    removed: Mapping[str, Conjunction], added: Mapping[str, Conjunction]
) -> dict[str, str]:
    """Return the new names of removed fields; each new name once, and only if no other candidate is as good."""
    if not removed or not added:
        return {}
    new_names = _of_equal_schema(removed, added)
    if max(len(removed), len(added)) > _MOST_FIELDS:
        return new_names
    for name, schemas in removed.items():
        if name not in new_names:
            new_names |= _of_similar_name(name, schemas, added, new_names)
    return new_names


def _of_equal_schema(
    removed: Mapping[str, Conjunction], added: Mapping[str, Conjunction]
) -> dict[str, str]:
    """Return the new names of removed fields with large schemas that exactly one added field has as well."""
    by_digest: dict[str, list[str]] = {}
    for name, schemas in added.items():
        by_digest.setdefault(fingerprint(schemas).digest, []).append(name)
    new_names: dict[str, str] = {}
    for name, schemas in removed.items():
        of_old = fingerprint(schemas)
        same = by_digest.get(of_old.digest, [])
        is_only = len(same) == 1 and same[0] not in new_names.values()
        if of_old.nodes >= _NODES and is_only:
            new_names[name] = same[0]
    return new_names


def _of_similar_name(
    name: str,
    schemas: Conjunction,
    added: Mapping[str, Conjunction],
    new_names: Mapping[str, str],
) -> dict[str, str]:
    """Return the new name of a removed field, if exactly one added field of its type has a similar name."""
    candidates = added.keys() - set(new_names.values())
    similar = (other for other in candidates if _is_similar(name, other))
    near = [other for other in similar if added[other].type == schemas.type]
    return {name: near[0]} if len(near) == 1 else {}


def _is_similar(name: str, other: str) -> bool:
    """Return whether few edits, compared with the length of the names, lead from one to the other."""
    if max(len(name), len(other)) > _LONGEST:
        return False
    most = min(_DISTANCE, min(len(name), len(other)) // 2)
    return edits(name.lower(), other.lower(), most) <= most


def _report_added(pair: Pair, name: str, schemas: Conjunction) -> Iterator[Change]:
    if _is_of_resource(name, pair):
        return
    if pair.kept_unknown_fields:
        yield from _report_typed(pair, name, schemas)
        return
    field = pair.field.below(name)
    paths = schemas[0].path, _property_path(pair.old, name)
    yield Change(
        rules.FIELD_ADDED,
        f"{field.shown} was added",
        *paths,
        field.path,
    )


def _report_typed(pair: Pair, name: str, schemas: Conjunction) -> Iterator[Change]:
    """Report a schema for values that the old schema stored as they were, of a field or, without a name, of a map."""
    field = pair.field.below(name or VALUE)
    type_ = schemas.type
    if not type_:
        return
    text = f"{field.shown} could have any value, and now must be of type {type_}"
    effect = f"{field.consequence(is_container=False)}; {rules.BREAKS_APPLY}"
    example = pair.explanation(f"'{name}' in self", _only_type(name, type_))
    paths = schemas[0].path, pair.old.path_of("properties")
    yield Change(
        rules.FIELD_TYPED,
        text,
        *paths,
        field.path,
        example,
        effect=effect,
    )


def _only_type(name: str, type_: str) -> JSONSchemaProps:
    """Return a schema that only requires a type of a field, or without a name of the values of a map."""
    typed = JSONSchemaProps.of(type=type_)
    if type_ == "int-or-string":
        typed = JSONSchemaProps.of(x_int_or_string=True)
    if name:
        return JSONSchemaProps.of(properties={name: typed})
    of_values = JSONSchemaPropsOrBool.of(allows=True, schema=typed)
    return JSONSchemaProps.of(additional_properties=of_values)


def _may_have_fields(node: Conjunction) -> bool:
    """Return whether values are objects, or any values whose fields have schemas or are required."""
    has_fields = bool(node.property_names() or node.required)
    return node.type == "object" or (not node.type and has_fields)


def _compare_required(pair: Pair) -> Iterator[Change]:
    if not _may_have_fields(pair.new):
        return
    before, after = pair.old.required, pair.new.required
    specified = pair.new.properties()
    for name in after:
        is_old = name in before or (name in META_FIELDS and _is_required_of_resource(name, pair))
        if not is_old:
            yield from _required_added(pair, name, specified.get(name, Conjunction()))
    for name in sorted(specified.keys() & (before.keys() - after)):
        field = pair.field.below(name)
        text, effect = f"{field.shown} is optional now", "clients meet objects without it"
        paths = _item_paths(pair, "required", name)
        yield Change(
            rules.REQUIRED_REMOVED,
            text,
            *paths,
            field.path,
            effect=effect,
        )


def _required_added(pair: Pair, name: str, schemas: Conjunction) -> Iterator[Change]:
    """Report that a field with some schemas is required now, unless old rules imply it."""
    paths = _item_paths(pair, "required", name)
    field = pair.field.below(name)
    if schemas.has_default:
        text = f"{field.shown} is required now, with a default"
        effect = "manifests may still leave it out"
        yield Change(
            rules.REQUIRED_WITH_DEFAULT,
            text,
            *paths,
            field.path,
            effect=effect,
        )
        return
    if is_implied(pair, has("self", name)):
        return
    text = f"{field.shown} is required now: objects without it are rejected"
    effect = pair.field.consequence(is_container=True)
    example = pair.explanation(has("self", name), JSONSchemaProps.of(required=[name]))
    help_ = rules.REQUIRED_HELP.format(f"{has('self', name)} || !{has('oldSelf', name)}")
    rule = rules.of_list_item(rules.REQUIRED_ADDED._replace(help=help_), pair.field.uncorrelated)
    yield Change(
        rule,
        text,
        *paths,
        field.path,
        example,
        effect=effect,
    )


def _item_paths(pair: Pair, attribute: str, value: Any) -> tuple[Path, Path]:
    """Return where the new and the old schema have a value in a list."""
    return pair.new.path_of_item(attribute, value), pair.old.path_of_item(attribute, value)


def _compare_lists(pair: Pair) -> Iterator[Change]:
    """Report another list type, or other keys; below what is atomic, only that more duplicates are rejected."""
    if pair.new.type != "array":
        return
    old, new = pair.old[0], pair.new[0]
    before, after = old.applied_list_type, new.applied_list_type
    old_keys, new_keys = old.x_list_map_keys, new.x_list_map_keys
    is_part = pair.is_applied_as_part
    rule, attribute = rules.LIST_TYPE, "x_list_type"
    text = f"list type changed from {before} to {after}"
    effect = rules.ATOMIC_NOW if after == "atomic" else rules.MERGED_NOW
    if before == after:
        if after != "map" or set(old_keys) == set(new_keys):
            return
        rule, attribute = rules.LIST_MAP_KEYS, "x_list_map_keys"
        text = f"list map keys changed from {', '.join(old_keys)} to {', '.join(new_keys)}"
        effect = rules.ITEMS_NOT_FOUND
    elif is_part and after == "atomic":
        return
    if is_part:
        rule, effect = rule._replace(severity="warning"), rules.UNIQUE_NOW
    yield pair.change(
        rule,
        text,
        attribute,
        part=_uniqueness(new),
        effect=effect,
    )


def _uniqueness(schema: JSONSchemaProps) -> JSONSchemaProps:
    """Return a schema that only requires of a list what its type does."""
    return JSONSchemaProps.of(
        type="array",
        x_list_type=schema.x_list_type,
        x_list_map_keys=schema.x_list_map_keys,
    )


def _compare_maps(pair: Pair) -> Iterator[Change]:
    if pair.new.type != "object":
        return
    yield from _compare_map_types(pair)
    yield from _compare_pruning(pair)


def _compare_map_types(pair: Pair) -> Iterator[Change]:
    before, after = pair.old[0].applied_map_type, pair.new[0].applied_map_type
    if before == after or pair.is_applied_as_part:
        return
    rule = rules.MAP_TYPE
    text, effect = f"map type changed from {before} to {after}", rules.GRANULAR_NOW
    if after == "atomic":
        effect = rules.ATOMIC_MAP_NOW
        has_one_field = len(pair.old.property_names()) == 1 and not pair.kept_unknown_fields
        if has_one_field:  # managers share no part
            rule = rule._replace(severity="info")
    yield pair.change(rule, text, "x_map_type", effect=effect)


def _compare_pruning(pair: Pair) -> Iterator[Change]:
    """Report that fields which no schema specifies are kept or dropped now."""
    is_as_before = pair.old.keeps_unknown_fields == pair.new.keeps_unknown_fields
    if is_as_before or any(pair.examples.preserve):
        return
    if pair.new.keeps_unknown_fields:
        is_map = bool(pair.new.map_values())
        attribute = "additional_properties" if is_map else "x_preserve_unknown_fields"
        text, effect = "unknown fields are kept now", "misspelt fields are stored, too"
        yield pair.change(
            rules.PRUNING_REMOVED,
            text,
            attribute,
            effect=effect,
        )
    elif pair.old.map_values():
        text = f"{pair.field.shown} was a map, and now has fields"
        effect = "reads lack the other keys at once, and the next write deletes them"
        paths = pair.paths("additional_properties")
        yield Change(
            rules.PRUNING,
            text,
            *paths,
            pair.field.path,
            effect=effect,
        )
    else:
        text = "unknown fields are dropped now"
        yield pair.change(
            rules.PRUNING,
            text,
            "x_preserve_unknown_fields",
            effect=rules.PRUNED,
        )
