"""All changes between two versions of a CRD, and those beside its schemas: versions, storage, names, columns, conversion."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from itertools import filterfalse
from typing import Any, Final

from crdlint.changes.change import Change, Policy, lowered, merged
from crdlint.changes.conjunction import ComparedField, Conjunction
from crdlint.changes.constraints import fingerprint
from crdlint.changes.examples import Examples
from crdlint.changes.schemas import compare_schemas
from crdlint.changes.served_versions import ServedVersions, numbers_of_replicas
from crdlint.crd.model import (
    CustomResourceDefinition,
    CustomResourceDefinitionSpec,
    JSONSchemaProps,
)
from crdlint.crd.paths import Path
from crdlint.crd.version_names import preferred
from crdlint.gathering import without_none
from crdlint.kubernetes.servers import Range
from crdlint.rules.engine.advisory import VersionParts, all_versions
from crdlint.rules.engine.rule import Rule
from crdlint.rules.texts import changes as rules
from crdlint.safety import work
from crdlint.yaml.nodes import child

_SPEC: Final = Path("spec")
_VERSIONS: Final = _SPEC.child("versions")


def versions_of(crd: CustomResourceDefinition) -> dict[str, VersionParts]:
    """Return the versions by name, of several with a name the first."""
    versions: dict[str, VersionParts] = {}
    for parts in all_versions(crd.spec):
        versions.setdefault(parts.version.name, parts)
    return versions


def compare_versions(
    old: dict[str, VersionParts], new: dict[str, VersionParts]
) -> Iterator[Change]:
    """Report versions that were removed, renamed, added, deprecated, or are not served any more."""
    renamed = _renamed(old, new)
    for name, before in old.items():
        if name in new:
            yield from _in_version(name, _compare_served(name, before, new[name]))
        elif name in renamed:
            text = f"version `{name}` is now named `{renamed[name]}`"
            effect = f"requests to `{name}` return 404"
            paths = _paths(before, new[renamed[name]], "name")
            yield Change(
                rules.VERSION_RENAMED,
                text,
                *paths,
                versions=(name,),
                effect=effect,
            )
        else:
            yield _removed_version(name, before, _VERSIONS.index(len(new)))
    old_or_renamed = {*old, *renamed.values()}
    old_default, default = map(_default_version, (old, new))
    for name, after in new.items():
        if name in old_or_renamed:
            continue
        is_default = name == default != old_default
        effect = "kubectl uses it by default" if is_default else ""
        text, paths = f"version `{name}` was added", (_name_of(after), _VERSIONS.index(len(old)))
        yield Change(
            rules.VERSION_ADDED,
            text,
            *paths,
            versions=(name,),
            effect=effect,
        )
    yield from _compare_storage(old, new)


def _removed_version(name: str, before: VersionParts, gone: Path) -> Change:
    """Return the change of a version that the new CRD does not have; ``gone`` is where that one would have it."""
    rule, text = rules.VERSION_REMOVED, f"version `{name}` was removed"
    effect = "requests to it return 404"
    if not before.version.served:
        rule = rule._replace(severity="warning", help=_UNSTORED)
        text = f"version `{name}`, which was not served, was removed"
        effect = "the API server rejects that while `status.storedVersions` has it"
    return Change(
        rule,
        text,
        gone,
        _name_of(before),
        versions=(name,),
        effect=effect,
    )


def _name_of(parts: VersionParts) -> Path:
    return parts.path.child("name")


def _default_version(versions: Mapping[str, VersionParts]) -> str | None:
    """Return the served version that kubectl uses by default."""
    return preferred(name for name, parts in versions.items() if parts.version.served)


_UNSTORED: Final = "Write all objects again in the storage version, then take this one out of `status.storedVersions`"


def _in_version(name: str, changes: Iterable[Change]) -> Iterator[Change]:
    return (change._replace(versions=(name,)) for change in changes)


def _renamed(old: dict[str, VersionParts], new: dict[str, VersionParts]) -> dict[str, str]:
    """Return the new names of versions that are gone, where exactly one new version has an equal schema."""
    new_names: dict[str, str] = {}
    if old.keys() <= new.keys() or new.keys() <= old.keys():
        return new_names
    added = _digests(new, old)
    for name, digest in _digests(old, new).items():
        same = [other for other in added if added[other] == digest]
        if len(same) == 1:
            new_names[name] = same[0]
            del added[same[0]]
    return new_names


def _digests(versions: dict[str, VersionParts], others: dict[str, VersionParts]) -> dict[str, str]:
    """Return the digests of the schemas of served versions that are not among the others."""
    return {
        name: fingerprint(Conjunction.of(version.schema)).digest
        for name, version in versions.items()
        if name not in others and version.schema is not None and version.version.served
    }


def _compare_served(name: str, old: VersionParts, new: VersionParts) -> Iterator[Change]:
    if old.version.served and not new.version.served:
        text, effect = f"version `{name}` is not served any more", "requests to it return 404"
        yield Change(
            rules.VERSION_UNSERVED,
            text,
            *_paths(old, new, "served"),
            effect=effect,
        )
    if new.version.deprecated and not old.version.deprecated:
        text, effect = (
            f"version `{name}` was deprecated",
            "the API server returns a warning with each request",
        )
        rule = rules.VERSION_DEPRECATED
        if new.version.deprecation_warning:
            rule = rule._replace(help=f"Use another version than `{name}` in clients and manifests")
        yield Change(
            rule,
            text,
            new.path.child("deprecated"),
            old.path.child("name"),
            effect=effect,
        )


def _compare_storage(
    old: dict[str, VersionParts], new: dict[str, VersionParts]
) -> Iterator[Change]:
    before, after = map(_stored, (old, new))
    if before is None or after is None or before.version.name == after.version.name:
        return
    was, now = before.version.name, after.version.name
    rule = rules.STORAGE_VERSION
    text = f"storage version changed from `{was}` to `{now}`"
    effect = f"objects remain stored as `{was}` until they are written again"
    if now not in old:
        effect += f"; after a rollback, the old CRD cannot read what was stored as `{now}`"
    else:
        rule = rule._replace(help=f"Run a StorageVersionMigration before `{was}` is removed")
    yield Change(
        rule,
        text,
        *_paths(before, after, "storage"),
        effect=effect,
    )


def _stored(versions: Mapping[str, VersionParts]) -> VersionParts | None:
    """Return the storage version."""
    return next((parts for parts in versions.values() if parts.version.storage), None)


def compare_names(
    old: CustomResourceDefinitionSpec, new: CustomResourceDefinitionSpec
) -> Iterator[Change]:
    """Report changed and removed names."""
    before, after = old.names, new.names
    for field, was, now, effect in (
        ("listKind", before.list_kind, after.list_kind, "generated clients fail to decode lists"),
        ("singular", before.singular, after.singular, "scripts that use the old name fail"),
    ):
        if was != now:
            text = f"`{field}` changed from `{was}` to `{now}`"
            yield Change(
                rules.NAMES,
                text,
                *(_SPEC.child("names", field),) * 2,
                effect=effect,
            )
    for attribute, field, word, removed, effect_removed, effect_added in _LISTED_NAMES:
        paths = (_SPEC.child("names", field),) * 2
        was, now = getattr(before, attribute), getattr(after, attribute)
        for rule, names, others, change, effect in (
            (removed, was, now, "removed", effect_removed),
            (rules.NAME_ADDED, now, was, "added", effect_added),
        ):
            for name in filterfalse(others.__contains__, names):
                text = f"{word} `{name}` was {change}"
                yield Change(rule, text, *paths, effect=effect.format(name))


# Lists of names: the attribute and the field, what one of them is called, the rule for one that is gone, and the effects.
_LISTED_NAMES: Final = (
    (
        "short_names",
        "shortNames",
        "short name",
        rules.SHORT_NAME_REMOVED,
        "scripts that use it fail",
        "not accepted if another CRD has it already",
    ),
    (
        "categories",
        "categories",
        "category",
        rules.CATEGORY_REMOVED,
        "`kubectl get {}` does not list the objects any more",
        "`kubectl get {}` lists the objects, too",
    ),
)


def compare_parts(old: VersionParts, new: VersionParts) -> Iterator[Change]:
    """Report the subresources, columns and selectable fields of a version that were removed or changed."""
    for rule, having, lacking, change, effect in (
        (
            rules.STATUS_REMOVED,
            old,
            new,
            "removed",
            "requests to `/status` return 404, so controllers cannot update the status",
        ),
        (
            rules.STATUS_ADDED,
            new,
            old,
            "added",
            "writes to the main resource do not change the status any more",
        ),
    ):
        if having.has_status and not lacking.has_status:
            paths = _paths(old, new, "subresources", "status")
            yield Change(
                rule,
                f"the status subresource was {change}",
                *paths,
                effect=effect,
            )
    yield from _compare_scale(old, new)
    yield from _compare_columns(old, new)
    selectable = {field.json_path for field in new.selectable}
    for path in (field.json_path for field in old.selectable):
        if path not in selectable:
            text, effect = (
                f"selectable field `{path}` was removed",
                "requests with it in a field selector are rejected",
            )
            paths = _paths(old, new, "selectableFields")
            yield Change(
                rules.SELECTABLE_FIELD_REMOVED,
                text,
                *paths,
                effect=effect,
            )


def _paths(old: VersionParts, new: VersionParts, *steps: str) -> tuple[Path, Path]:
    """Return the paths of a part of both versions, that of the new one first."""
    return new.path.child(*steps), old.path.child(*steps)


def _compare_columns(old: VersionParts, new: VersionParts) -> Iterator[Change]:
    columns = {column.name: column for column in new.columns}
    paths = _paths(old, new, "additionalPrinterColumns")
    for column in old.columns:
        same = columns.get(column.name)
        if same is None:
            text = f"printer column `{column.name}` was removed"
            yield Change(
                rules.PRINTER_COLUMN_REMOVED,
                text,
                *paths,
                effect="scripts that read it fail",
            )
            continue
        for field, was, now, effect in (
            (
                "jsonPath",
                column.json_path,
                same.json_path,
                "scripts that read it get another value",
            ),
            (
                "type",
                column.type,
                same.type,
                "scripts that read it may get another form of the value",
            ),
        ):
            if was != now:
                text = f"printer column `{column.name}`: `{field}` changed from {was} to {now}"
                yield Change(rules.PRINTER_COLUMN, text, *paths, effect=effect)


def _compare_scale(old: VersionParts, new: VersionParts) -> Iterator[Change]:
    before, after = old.scale, new.scale
    if before is None:
        return
    if after is None:
        text, effect = "the scale subresource was removed", "`kubectl scale` and autoscalers fail"
        paths = _paths(old, new, "subresources", "scale")
        yield Change(rules.SCALE_REMOVED, text, *paths, effect=effect)
        return
    for field in before.FIELDS:
        was, now = getattr(before, field.attribute), getattr(after, field.attribute)
        if was and was != now:
            text = f"`{field.json_name}` changed from {was} to {now or 'nothing'}"
            paths = _paths(old, new, "subresources", "scale", field.json_name)
            effect = _OF_SCALE[field.json_name] if now else _WITHOUT_SELECTOR
            yield Change(rules.SCALE_PATH, text, *paths, effect=effect)


# What another path of the scale subresource means. Only that of the selector is optional.
_OF_SCALE: Final = {
    "specReplicasPath": "`kubectl scale` and autoscalers read and write another field",
    "statusReplicasPath": "autoscalers read the number of replicas from another field",
    "labelSelectorPath": "autoscalers read the selector of pods from another field",
}
_WITHOUT_SELECTOR: Final = "horizontal autoscalers fail, because they need the selector of pods"


def _prunes(version: VersionParts) -> bool:
    """Return whether a version drops unknown fields of any object of its schema."""
    if version.schema is None:
        return False
    root = Conjunction.of(version.schema)
    pending = [schemas for step, schemas in root.below().items() if step != "metadata"]
    node = root
    while node.type != "object" or node.keeps_unknown_fields or node.map_values():
        if not pending:
            return False
        node = pending.pop()
        pending += node.below().values()
    return True


def compare_preserving(
    old: CustomResourceDefinitionSpec,
    new: CustomResourceDefinitionSpec,
    after: Iterable[VersionParts],
) -> Iterator[Change]:
    """Report that objects lose the fields that no schema specifies, which `preserveUnknownFields` kept."""
    is_dropped = old.preserve_unknown_fields and not new.preserve_unknown_fields
    if not is_dropped or not any(map(_prunes, after)):
        return
    path = _SPEC.child("preserveUnknownFields")
    rule, text = rules.PRUNING, "`preserveUnknownFields` changed from true to false"
    effect = rules.PRUNED
    written = without_none(child(spec.node, "preserveUnknownFields") for spec in (old, new))
    if not written:
        text = "`preserveUnknownFields`, which is true in v1beta1, is false in v1"
        effect += "; `kubectl apply` keeps true, since neither file has the field, and then defaults are rejected"
        rule = rule._replace(help="Write `preserveUnknownFields: false` in this step")
    yield Change(rule, text, path, path, effect=effect)


def _open_schema(parts: VersionParts) -> JSONSchemaProps:
    """Return the schema of a version that has none, as in v1beta1: it accepts and keeps all fields."""
    return JSONSchemaProps.of(
        type="object",
        x_preserve_unknown_fields=True,
        root=parts.schema_path,
    )


def compare_conversion(
    old: CustomResourceDefinitionSpec,
    new: CustomResourceDefinitionSpec,
    after: dict[str, VersionParts],
) -> Iterator[Change]:
    """Report a changed conversion strategy or webhook."""
    path = _SPEC.child("conversion", "strategy")
    match old.conversion_strategy, new.conversion_strategy:
        case "Webhook", "None":
            rule, effect = _without_webhook(after)
            yield Change(
                rule,
                "conversion changed from Webhook to None",
                path,
                path,
                effect=effect,
            )
        case "None", "Webhook":
            yield Change(
                rules.CONVERSION._replace(severity="info"),
                "conversion changed from None to Webhook",
                path,
                path,
                effect="requests that convert objects fail while the webhook is not available",
            )
        case "Webhook", "Webhook":
            yield from _compare_webhooks(old, new)


def _without_webhook(versions: dict[str, VersionParts]) -> tuple[Rule, str]:
    """Return the rule for versions that no webhook converts any more, and the effect on their objects."""
    schemas = without_none(parts.schema for parts in versions.values())
    digests = {fingerprint(Conjunction.of(schema)).digest for schema in schemas}
    if len(digests) > 1:
        return rules.CONVERSION, "fields that differ between versions are lost"
    reason = (
        "all versions have the same schema" if len(versions) > 1 else "there is only one version"
    )
    help_ = "Stop the conversion webhook after all API servers have the new CRD"
    harmless = rules.CONVERSION._replace(severity="info", help=help_)
    return harmless, f"nothing is lost, since {reason}"


def _compare_webhooks(
    old: CustomResourceDefinitionSpec, new: CustomResourceDefinitionSpec
) -> Iterator[Change]:
    """Report a conversion webhook with another address, CA bundle or versions of its requests."""
    path = _SPEC.child("conversion", "webhook")
    for (what, was), now in zip(_webhook(old).items(), _webhook(new).values(), strict=True):
        if was == now:
            continue
        # A CA bundle may have more certificates than before, and injectors such as cert-manager write it.
        shown = "" if what == _CA else f" from {was or 'nothing'} to {now or 'nothing'}"
        text = f"conversion webhook: `{what}` changed{shown}"
        if what == _CA and not now:
            yield Change(
                rules.CONVERSION_WEBHOOK,
                "conversion webhook: `caBundle` was removed",
                path,
                path,
                effect=_WITHOUT_CA,
            )
            continue
        rule = rules.CONVERSION_WEBHOOK._replace(severity="info" if what == _CA else "warning")
        yield Change(
            rule,
            text,
            path,
            path,
            effect=_OF_WEBHOOK.get(what, _ADDRESS_CHANGED),
        )


_CA: Final = "caBundle"
_ADDRESS_CHANGED: Final = (
    "requests that convert objects fail while the webhook does not answer at the new address"
)
_OF_WEBHOOK: Final = {
    _CA: "requests that convert objects fail if the webhook has a certificate of another CA",
    "conversionReviewVersions": "requests that convert objects fail if the webhook does not "
    "support the new versions",
}
_WITHOUT_CA: Final = "requests that convert objects fail, unless the system trusts the certificate or a tool sets `caBundle` again"


def _webhook(spec: CustomResourceDefinitionSpec) -> dict[str, Any]:
    conversion, config = spec.conversion, spec.conversion_client
    service = config and config.service
    return {
        "url": config and config.url,
        "service": service and f"{service.namespace}/{service.name}",
        "path": service and service.path,
        "port": service and service.port,
        _CA: config and config.ca_bundle,
        "conversionReviewVersions": conversion and ", ".join(conversion.conversion_review_versions),
    }


@work.limited()
def changes(
    old: CustomResourceDefinition,
    new: CustomResourceDefinition,
    servers: Range,
    policy: Policy,
) -> list[Change]:
    """Return the changes, those that are the same in several versions once."""
    before, after = versions_of(old), versions_of(new)
    of_crd = [
        *compare_versions(before, after),
        *compare_names(old.spec, new.spec),
        *compare_conversion(old.spec, new.spec, after),
    ]
    of_crd += compare_preserving(old.spec, new.spec, after.values())
    if new.spec.conversion_strategy == "None":
        served = ServedVersions(
            before,
            after,
            _renamed(before, after),
            had_webhook=old.spec.conversion_strategy == "Webhook",
        )
        of_crd += served.changes(new, servers, policy)
    preserve = bool(old.spec.preserve_unknown_fields), bool(new.spec.preserve_unknown_fields)
    root = ComparedField(ratchets=servers.oldest.ratchets_values)
    compared: dict[Hashable, list[Change]] = {}
    for name, version in after.items():
        old_version = before.get(name)
        if old_version is None or not (old_version.version.served or version.version.served):
            continue
        of_crd += _in_version(name, compare_parts(old_version, version))
        if version.schema is None:
            continue
        old_schema = old_version.schema or _open_schema(old_version)
        replicas = numbers_of_replicas(old_version)
        schemas = id(old_version.schema), id(version.schema), replicas
        if schemas not in compared:  # versions may share their schemas
            identity = {
                "apiVersion": f"{new.spec.group}/{name}",
                "kind": new.spec.names.kind,
                "metadata": {"name": "example"},
            }
            examples = Examples(
                identity,
                servers.newest,
                explains=policy.explains,
                preserve=preserve,
                replicas=replicas,
            )
            compared[schemas] = list(compare_schemas(old_schema, version.schema, root, examples))
        of_crd += _in_version(name, compared[schemas])
    return merged(lowered(of_crd, policy))
