"""The walk over the schemas of a version in the old and the new CRD, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple
from weakref import ref

from crdlint.changes import values
from crdlint.changes.conditions import conditions_of, has
from crdlint.changes.conjunction import conjunction, items, keeps_unknown_fields, map_values, properties, type_of
from crdlint.changes.junctors import compare_junctors
from crdlint.changes.pairs import Pair, path_of
from crdlint.changes.reasons import Reasons, is_implied
from crdlint.changes.renames import renamed
from crdlint.changes.validation_rules import compare_messages, compare_rules
from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.record import semantic_equal
from crdlint.kubecel.reasoning.reasoner import ITEM
from crdlint.rules import changes as rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.changes.collector import Collector
    from crdlint.changes.conjunction import Conjunction
    from crdlint.changes.pairs import ComparedField
    from crdlint.crd.model import JSONSchemaPropsOrBool
    from crdlint.crd.paths import Path

# Fields of a schema that do not restrict values, or that contain other schemas.
_SILENT: Final = sum(
    SCHEMA_BITS[name]
    for name in ("description", "title", "example", "externalDocs", "properties", "items", "type", "id", "$schema")
)
_OF_RESOURCES: Final = frozenset({"apiVersion", "kind", "metadata"})  # what no schema needs to specify


class _Frame(NamedTuple):
    """A pair to compare, and whether the new schema above requires the value."""

    pair: Pair
    is_required: bool


def compare_schemas(old: JSONSchemaProps, new: JSONSchemaProps, field: ComparedField, collector: Collector) -> None:
    """Report the changes of a whole schema."""
    stack = [_Frame(Pair(conjunction((old,)), conjunction((new,)), field), is_required=True)]
    while stack:
        frame = stack.pop()
        stack.extend(reversed(list(_compare(frame, collector))))


def _compare(frame: _Frame, collector: Collector) -> Iterator[_Frame]:
    """Report the changes of one value, and yield what is to be compared below it."""
    pair = frame.pair
    if not values.compare_types(pair, collector):
        return
    if not _is_plain(pair):
        values.compare_constraints(pair, collector)
        values.compare_annotations(pair, collector, is_required=frame.is_required)
        _compare_required(pair, collector)
        _compare_lists(pair, collector)
        _compare_maps(pair, collector)
        _compare_conditions(pair, collector)
        compare_messages(pair, collector)
    yield from _below(pair, collector)


def _compare_conditions(pair: Pair, collector: Collector) -> None:
    """Report changes of junctors and rules."""
    if set(conditions_of(pair.old)) != set(conditions_of(pair.new)):
        reasons = Reasons(pair, collector.server)
        compare_junctors(pair, reasons, collector)
        compare_rules(pair, reasons, collector)


def _is_plain(pair: Pair) -> bool:
    """Return whether the values of a pair can only differ in their type and in what is below them."""
    if len(pair.old) > 1 or len(pair.new) > 1:
        return False
    old, new = pair.old[0], pair.new[0]
    if not (old.set_fields | new.set_fields) & ~_SILENT:
        return True
    return (
        old.set_fields & ~_SILENT == new.set_fields & ~_SILENT
        and _allowed(old.additional_properties) == _allowed(new.additional_properties)
        and all(semantic_equal(getattr(old, name), getattr(new, name)) for name in _COMPARED if name in old.__dict__)
    )


def _allowed(additional: JSONSchemaPropsOrBool | None) -> tuple[bool, bool] | None:
    """Return whether other keys are allowed, and whether they have a schema, which is compared with those below."""
    return None if additional is None else (additional.allows, additional.schema is not None)


_COMPARED: Final = (
    "nullable", "format", "default", "maximum", "exclusive_maximum", "minimum", "exclusive_minimum", "max_length",
    "min_length", "pattern", "max_items", "min_items", "unique_items", "multiple_of", "enum", "max_properties",
    "min_properties", "required", "all_of", "one_of", "any_of", "not_",
    "x_preserve_unknown_fields", "x_embedded_resource", "x_int_or_string", "x_list_map_keys", "x_list_type",
    "x_map_type", "x_validations",
)  # fmt: skip


def _below(pair: Pair, collector: Collector) -> Iterator[_Frame]:
    old_items, new_items = items(pair.old), items(pair.new)
    if old_items and new_items:
        correlated = pair.old[0].x_list_type == "map" and pair.new[0].x_list_type == "map"
        field = pair.field.items(correlated=correlated)
        yield _Frame(pair.below(old_items, new_items, field, ITEM), is_required=True)
    if type_of(pair.new) != "object":
        return
    before, after = _known_properties(pair.old, pair), _known_properties(pair.new, pair)
    required = frozenset(name for schema in pair.new for name in schema.required)
    old_values, new_values = map_values(pair.old), map_values(pair.new)
    if old_values and new_values:
        yield _Frame(pair.below(old_values, new_values, pair.field.map_values(), ""), is_required=True)
    elif new_values and keeps_unknown_fields(pair.old):
        _report_typed(pair, pair.field.map_values(), new_values, collector)
    removed = [name for name in before if name not in after]
    for name in removed:
        if new_values:
            yield _Frame(
                pair.below(before[name], new_values, pair.field.property(name), name), is_required=name in required
            )
    if removed and not new_values:
        _report_removed(pair, removed, before, after, collector)
    for name, schemas in after.items():
        if name in before:
            yield _Frame(
                pair.below(before[name], schemas, pair.field.property(name), name), is_required=name in required
            )
        elif old_values:
            yield _Frame(pair.below(old_values, schemas, pair.field.property(name), name), is_required=name in required)
        else:
            _report_added(pair, name, schemas, collector)


def _known_properties(node: Conjunction, pair: Pair) -> dict[str, Conjunction]:
    """Return the schemas of each property, also of those that every resource has although no schema names them."""
    known = properties(node)
    implied: Iterable[tuple[str, str]] = ()
    if not pair.field.path:
        implied = (("metadata", "object"),)
    elif pair.field.path == ".metadata":
        implied = (("name", "string"), ("generateName", "string"))
    for name, type_ in implied:
        if name not in known:
            schema = JSONSchemaProps()
            schema.type = type_
            schema.parent_ref = ref(node[0])
            schema.steps = ("properties", name)
            known[name] = (schema,)
    return known


def _property_path(node: Conjunction, name: str) -> Path:
    holder = next((schema for schema in node if name in schema.properties), node[0])
    return holder.path.child("properties").key(name) if name in holder.properties else holder.path.child("properties")


def _report_removed(
    pair: Pair, removed: list[str], before: dict[str, Conjunction], after: dict[str, Conjunction], collector: Collector
) -> None:
    keeps = keeps_unknown_fields(pair.new)
    is_resource = not pair.field.path or pair.new[0].x_embedded_resource
    added = {name: schemas for name, schemas in after.items() if name not in before}
    new_names = {} if keeps else renamed({name: before[name] for name in removed}, added)
    for name in removed:
        if is_resource and name in _OF_RESOURCES:
            continue
        field = pair.field.property(name)
        paths = _property_path(pair.new, new_names.get(name, name)), _property_path(pair.old, name)
        if keeps:
            text = f"{field.shown}: the schema of the field was removed: any value is accepted and stored"
            collector.add(rules.FIELD_UNTYPED, text, *paths, field=field)
        elif name in new_names:
            other = pair.field.property(new_names[name]).shown
            text = f"{field.shown} is now named {other}: stored objects lose the value at their next write"
            help_ = f"Keep `{name}` beside `{new_names[name]}` and read both, or rename it in a new version only"
            collector.add(rules.FIELD_REMOVED, text, *paths, field=field, help_=help_)
        else:
            text = f"{field.shown} was removed: stored objects lose the field at their next write"
            collector.add(rules.FIELD_REMOVED, text, *paths, field=field)


def _report_added(pair: Pair, name: str, schemas: Conjunction, collector: Collector) -> None:
    if (not pair.field.path or pair.new[0].x_embedded_resource) and name in _OF_RESOURCES:
        return
    field = pair.field.property(name)
    if keeps_unknown_fields(pair.old):
        _report_typed(pair, field, schemas, collector)
        return
    paths = schemas[0].path, path_of(pair.old, "properties", "properties")
    collector.add(rules.FIELD_ADDED, f"{field.shown} was added", *paths, field=field)


def _report_typed(pair: Pair, field: ComparedField, schemas: Conjunction, collector: Collector) -> None:
    """Report a schema for values that the old schema stored as they were."""
    type_ = type_of(schemas)
    if not type_:
        return
    text = f"{field.shown} could have any value, and now must be of type {type_}; "
    text += field.consequence(is_container=False)
    collector.add(rules.FIELD_TYPED, text, schemas[0].path, path_of(pair.old, "properties", "properties"), field=field)


def _compare_required(pair: Pair, collector: Collector) -> None:
    if type_of(pair.new) != "object":
        return
    before = frozenset(name for schema in pair.old for name in schema.required)
    after = dict.fromkeys(name for schema in pair.new for name in schema.required)
    specified = properties(pair.new)
    paths = pair.paths("required", "required")
    for name in after:
        if name in before or (not pair.field.path and name in _OF_RESOURCES):
            continue
        field = pair.field.property(name)
        if any(schema.default is not None for schema in specified.get(name, ())):
            text = f"{field.shown} is required, with a default: manifests may still leave it out"
            collector.add(rules.REQUIRED_WITH_DEFAULT, text, *paths, field=field)
            continue
        if is_implied(pair, has("self", name), collector.server):
            continue
        text = f"{field.shown} is required: objects without it are rejected; "
        text += pair.field.consequence(is_container=True)
        part = JSONSchemaProps()
        part.required = [name]
        example = collector.explanation(pair, has("self", name), part)
        collector.add(rules.REQUIRED_ADDED, text, *paths, field=field, example=example)
    for name in sorted(before.difference(after)):
        if name in specified:
            field = pair.field.property(name)
            text = f"{field.shown} is optional now: clients meet objects without it"
            collector.add(rules.REQUIRED_REMOVED, text, *paths, field=field)


def _compare_lists(pair: Pair, collector: Collector) -> None:
    if type_of(pair.new) != "array":
        return
    old, new, field = pair.old[0], pair.new[0], pair.field
    before, after = old.x_list_type or "atomic", new.x_list_type or "atomic"
    if before != after:
        change = f"{field.shown}: list type changed from {before} to {after}"
        if after == "atomic":
            text = f"{change}: server-side apply of one manager replaces the items of all others"
        else:
            duplicates = pair.field.consequence(is_container=True)
            text = f"{change}: server-side apply merges it item by item, and duplicates are rejected; {duplicates}"
        collector.add(rules.LIST_TYPE, text, *pair.paths("x_list_type", "x-kubernetes-list-type"), field=field)
    elif after == "map" and set(old.x_list_map_keys) != set(new.x_list_map_keys):
        keys = f"from {', '.join(old.x_list_map_keys)} to {', '.join(new.x_list_map_keys)}"
        text = f"{field.shown}: list map keys changed {keys}: server-side apply does not find items of stored objects"
        paths = pair.paths("x_list_map_keys", "x-kubernetes-list-map-keys")
        collector.add(rules.LIST_MAP_KEYS, text, *paths, field=field)


def _compare_maps(pair: Pair, collector: Collector) -> None:
    if type_of(pair.new) != "object":
        return
    old, new, field = pair.old[0], pair.new[0], pair.field
    before, after = old.x_map_type or "granular", new.x_map_type or "granular"
    if before != after:
        text = f"{field.shown}: map type changed from {before} to {after}"
        collector.add(rules.MAP_TYPE, text, *pair.paths("x_map_type", "x-kubernetes-map-type"), field=field)
    if not keeps_unknown_fields(pair.old) or keeps_unknown_fields(pair.new):
        return
    if map_values(pair.old):
        text = (
            f"{field.shown} was a map, and now has fields: other keys of stored objects are dropped at their next write"
        )
        paths = pair.paths("additional_properties", "additionalProperties")
    else:
        text = f"{field.shown}: unknown fields of stored objects are dropped at their next write"
        paths = pair.paths("x_preserve_unknown_fields", "x-kubernetes-preserve-unknown-fields")
    collector.add(rules.PRUNING, text, *paths, field=field)
