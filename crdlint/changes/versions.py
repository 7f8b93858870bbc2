"""Changes of a CRD beside its schemas: versions, storage, names, subresources, columns, selectable fields, conversion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crdlint.changes.conjunction import conjunction, items, keeps_unknown_fields, map_values, properties
from crdlint.changes.fingerprints import fingerprint
from crdlint.crd.paths import Path
from crdlint.rules import changes as rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.changes.collector import Collector
    from crdlint.crd.model import CustomResourceDefinition, CustomResourceDefinitionSpec, JSONSchemaProps
    from crdlint.diagnostics.diagnostic import Severity

_SPEC: Final = Path("spec")
_SHOWN: Final = 5  # fields in a text
_COMPARED: Final = 8  # versions that are compared with each other


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a CRD with all that it has, whether or not other versions share it."""

    name: str
    served: bool
    storage: bool
    deprecated: bool
    has_warning: bool
    path: Path
    schema: JSONSchemaProps | None
    subresources: Any
    columns: Sequence[Any]
    selectable: Sequence[Any]


def versions_of(crd: CustomResourceDefinition) -> dict[str, Version]:
    """Return the versions by name."""
    spec = crd.spec
    found: dict[str, Version] = {}
    for i, one in enumerate(spec.versions):
        validation = one.schema or spec.validation
        found.setdefault(
            one.name,
            Version(
                one.name,
                one.served,
                one.storage,
                one.deprecated,
                bool(one.deprecation_warning),
                _SPEC.child("versions").index(i),
                None if validation is None else validation.open_api_v3_schema,
                one.subresources or spec.subresources,
                one.additional_printer_columns or spec.additional_printer_columns,
                one.selectable_fields or spec.selectable_fields,
            ),
        )
    return found


def compare_versions(old: dict[str, Version], new: dict[str, Version], found: Collector) -> None:
    """Report versions that were removed, renamed, added, deprecated, or are not served any more."""
    renamed = _renamed(old, new)
    path = _SPEC.child("versions")
    for name, before in old.items():
        found.versions = (name,)
        if name in new:
            _compare_served(before, new[name], found)
        elif name in renamed:
            text = f"version {name} is now named {renamed[name]}: requests to {name} return 404"
            found.add(rules.VERSION_RENAMED, text, new[renamed[name]].path.child("name"), before.path.child("name"))
        elif before.served:
            text = f"version {name} was removed: requests to it return 404"
            found.add(rules.VERSION_REMOVED, text, path, before.path.child("name"))
        else:
            text = f"version {name} was removed, which was not served: objects that are stored in it must be migrated first"
            found.add(rules.VERSION_REMOVED, text, path, before.path.child("name"), severity="warning")
    for name, after in new.items():
        if name not in old and name not in renamed.values():
            found.versions = (name,)
            found.add(rules.VERSION_ADDED, f"version {name} was added", after.path.child("name"), path)
    found.versions = ()
    _compare_storage(old, new, found)


def _renamed(old: dict[str, Version], new: dict[str, Version]) -> dict[str, str]:
    """Return the new names of versions that are gone, where exactly one new version has an equal schema."""
    added = {name: one for name, one in new.items() if name not in old and one.schema is not None and one.served}
    gone = {name: one for name, one in old.items() if name not in new and one.schema is not None and one.served}
    if not added or not gone:
        return {}
    digests = {name: fingerprint(one.schema).digest for name, one in added.items() if one.schema is not None}
    found: dict[str, str] = {}
    for name, one in gone.items():
        assert one.schema is not None  # noqa: S101  those without are left out
        digest = fingerprint(one.schema).digest
        same = [other for other, candidate in digests.items() if candidate == digest and other not in found.values()]
        if len(same) == 1:
            found[name] = same[0]
    return found


def _compare_served(old: Version, new: Version, found: Collector) -> None:
    if old.served and not new.served:
        text = f"version {old.name} is not served any more: requests to it return 404"
        found.add(rules.VERSION_UNSERVED, text, new.path.child("served"), old.path.child("served"))
    if new.deprecated and not old.deprecated:
        text = f"version {old.name} was deprecated: the API server returns a warning with each request"
        paths = new.path.child("deprecated"), old.path.child("name")
        help_ = f"Use another version than {old.name} in clients and manifests" if new.has_warning else None
        found.add(rules.VERSION_DEPRECATED, text, *paths, help_=help_)


def _compare_storage(old: dict[str, Version], new: dict[str, Version], found: Collector) -> None:
    before = next((one for one in old.values() if one.storage), None)
    after = next((one for one in new.values() if one.storage), None)
    if before is None or after is None or before.name == after.name:
        return
    paths = after.path.child("storage"), before.path.child("storage")
    text = f"storage version changed from {before.name} to {after.name}: objects remain stored as {before.name} "
    text += "until they are written again"
    if after.name in old:
        found.add(rules.STORAGE_VERSION, text, *paths)
        return
    text += f"; after a rollback, the old CRD cannot read what was stored as {after.name}"
    found.add(rules.STORAGE_VERSION, text, *paths, severity="error")


def compare_names(old: CustomResourceDefinitionSpec, new: CustomResourceDefinitionSpec, found: Collector) -> None:
    """Report changed and removed names."""
    names = _SPEC.child("names")
    before, after = old.names, new.names
    if before.list_kind != after.list_kind:
        path = names.child("listKind")
        text = (
            f"`listKind` changed from {before.list_kind} to {after.list_kind}: generated clients fail to decode lists"
        )
        found.add(rules.NAMES, text, path, path)
    if before.singular != after.singular:
        path = names.child("singular")
        text = f"`singular` changed from {before.singular} to {after.singular}: scripts that use the old name fail"
        found.add(rules.NAMES, text, path, path, severity="info")
    for rule, what, field, given, left in (
        (rules.SHORT_NAME_REMOVED, "short name", "shortNames", before.short_names, after.short_names),
        (rules.CATEGORY_REMOVED, "category", "categories", before.categories, after.categories),
    ):
        for name in given:
            if name not in left:
                path = names.child(field)
                found.add(rule, f"{what} {name} was removed: scripts that use it fail", path, path)


def compare_parts(old: Version, new: Version, found: Collector) -> None:
    """Report the subresources, columns and selectable fields of a version that were removed or changed."""
    _compare_subresources(old, new, found)
    names = {one.name for one in new.columns}
    paths = new.path.child("additionalPrinterColumns"), old.path.child("additionalPrinterColumns")
    for column in old.columns:
        if column.name not in names:
            text = f"printer column {column.name} was removed: scripts that read it fail"
            found.add(rules.PRINTER_COLUMN_REMOVED, text, *paths)
    selectable = {one.json_path for one in new.selectable}
    paths = new.path.child("selectableFields"), old.path.child("selectableFields")
    for one in old.selectable:
        if one.json_path not in selectable:
            text = f"selectable field {one.json_path} was removed: requests with it in a field selector are rejected"
            found.add(rules.SELECTABLE_FIELD_REMOVED, text, *paths)


def _compare_subresources(old: Version, new: Version, found: Collector) -> None:
    before, after = (None if one is None else one.status for one in (old.subresources, new.subresources))
    paths = new.path.child("subresources", "status"), old.path.child("subresources", "status")
    if before is not None and after is None:
        text = "the status subresource was removed: requests to /status return 404"
        found.add(rules.STATUS_REMOVED, text, *paths)
    elif after is not None and before is None:
        text = "the status subresource was added: writes to the main resource do not change the status any more"
        found.add(rules.STATUS_ADDED, text, *paths)
    before, after = (None if one is None else one.scale for one in (old.subresources, new.subresources))
    paths = new.path.child("subresources", "scale"), old.path.child("subresources", "scale")
    if before is None:
        return
    if after is None:
        text = "the scale subresource was removed: kubectl scale and autoscalers fail"
        found.add(rules.SCALE_REMOVED, text, *paths)
        return
    for field, name in (
        ("spec_replicas_path", "specReplicasPath"),
        ("status_replicas_path", "statusReplicasPath"),
        ("label_selector_path", "labelSelectorPath"),
    ):
        was, now = getattr(before, field), getattr(after, field)
        if was and was != now:
            text = f"`{name}` changed from {was} to {now or 'nothing'}: autoscalers read or write another field"
            found.add(rules.SCALE_PATH, text, *(path.child(name) for path in paths))


def compare_conversion(
    old: CustomResourceDefinitionSpec,
    new: CustomResourceDefinitionSpec,
    before: dict[str, Version],
    after: dict[str, Version],
    found: Collector,
) -> None:
    """Report a changed conversion strategy, and fields that are lost between served versions without a webhook."""
    was, now = _strategy(old), _strategy(new)
    path = _SPEC.child("conversion", "strategy")
    if was == "Webhook" and now == "None":
        schemas = {fingerprint(one.schema).digest for one in after.values() if one.schema is not None}
        if len(schemas) > 1:
            text = "conversion changed from Webhook to None: fields that differ between versions are lost"
            found.add(rules.CONVERSION, text, path, path)
        else:
            kept = "all versions have the same schema" if len(after) > 1 else "there is only one version"
            text = f"conversion changed from Webhook to None: nothing is lost, since {kept}"
            help_ = "Stop the conversion webhook after all API servers have the new CRD"
            found.add(rules.CONVERSION, text, path, path, severity="info", help_=help_)
    elif was == "None" and now == "Webhook":
        text = "conversion changed from None to Webhook: requests fail while the webhook is not available"
        found.add(rules.CONVERSION, text, path, path, severity="info")
    if now == "None":
        is_explicit = new.conversion is not None and new.conversion.node is not None
        _compare_pairs(before, after, found, had_webhook=was == "Webhook", is_explicit=is_explicit)


def _strategy(spec: CustomResourceDefinitionSpec) -> str:
    return spec.conversion.strategy if spec.conversion is not None else "None"


def _compare_pairs(
    before: dict[str, Version], after: dict[str, Version], found: Collector, *, had_webhook: bool, is_explicit: bool
) -> None:
    """Report fields that a served version has and another one lacks, if that is new for stored objects."""
    served = [one for one in after.values() if one.served and one.schema is not None]
    new = [one for one in served if had_webhook or one.name not in before][:_COMPARED]
    if not new or all(one.schema is served[0].schema for one in served):
        return
    fields = {one.name: frozenset(_fields(one.schema)) for one in served[:_COMPARED] + new if one.schema is not None}
    by_name = {one.name: one for one in served}
    for one in map(by_name.__getitem__, fields):
        for other in map(by_name.__getitem__, fields):
            if one.schema is other.schema or not (one in new or other in new):
                continue
            missing = sorted(fields[one.name] - fields[other.name])
            lost = [name for name in missing if _parent(name) not in missing]
            if not lost:
                continue
            listed = ", ".join(f"`{name}`" for name in lost[:_SHOWN])
            more = f" and {len(lost) - _SHOWN:,} more" if len(lost) > _SHOWN else ""
            text = f"version {other.name} lacks {listed}{more} of {one.name}, and there is no conversion webhook: "
            text += f"writing an object in {other.name} drops {'it' if len(lost) == 1 else 'them'}"
            found.versions = (other.name,)
            # Objects have values of the fields already if the version with the fields is the older one. A conversion that
            # the manifest leaves out is often added by a patch.
            severity: Severity = "warning" if is_explicit and (one.name in before or had_webhook) else "info"
            found.add(rules.SERVED_PAIR, text, other.path.child("name"), _SPEC.child("versions"), severity=severity)
    found.versions = ()


def _parent(path: str) -> str:
    """Return the path of the value that contains a field or the items of a list."""
    return path.removesuffix("[*]") if path.endswith("[*]") else path.rpartition(".")[0]


def _fields(schema: JSONSchemaProps) -> Iterator[str]:
    """Yield the paths of all fields of a schema, except of those that keep unknown fields."""
    pending = [("", conjunction((schema,)))]
    while pending:
        path, node = pending.pop()
        if path:
            yield path
        if keeps_unknown_fields(node) and not map_values(node):
            continue
        pending += [(f"{path}.{name}", below) for name, below in properties(node).items()]
        for step, below in (("[*]", items(node)), (".*", map_values(node))):
            if below:
                pending.append((path + step, below))
