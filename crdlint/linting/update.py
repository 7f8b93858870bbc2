"""Validation of an update of a CRD. Upstream: apiextensions validation.ValidateCustomResourceDefinitionUpdate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from crdlint.crd import object_meta
from crdlint.crd.convert import (
    drop_disabled_fields,
    is_established,
    own_metadata,
    prepare_for_update,
)
from crdlint.crd.errors import FieldError, invalid
from crdlint.crd.model import (
    CustomResourceDefinition,
    CustomResourceDefinitionSpec,
    JSONSchemaProps,
)
from crdlint.crd.paths import Path
from crdlint.crd.record import semantic_equal
from crdlint.golang.printing import Typed
from crdlint.kubernetes.servers import Server
from crdlint.linting.create import ServerReport, is_structural, report_of
from crdlint.rules.engine.common import ValidationOptions
from crdlint.rules.server import conversion, metadata
from crdlint.rules.server.list_types import map_list_keys_map_set, mergeable_set_item
from crdlint.rules.server.names import IMMUTABLE
from crdlint.rules.server.selectable_fields import MAX_SELECTABLE_FIELDS
from crdlint.safety import work
from crdlint.safety.work import Effort
from crdlint.schema.defaulting import prune_defaults
from crdlint.schema.structural import TYPES
from crdlint.schema.traversal import all_schemas

_SPEC: Final = Path("spec")


@work.limited()
def validate(
    crd: CustomResourceDefinition, old: CustomResourceDefinition, server: Server, effort: Effort
) -> ServerReport:
    """Validate a CRD as a server does on update. `old` is the stored CRD with its status; `effort` limits the work for helps."""
    prepare_for_update(crd, old)
    drop_disabled_fields(crd, server, _in_use(old))
    options = replace(options_for(crd, old, server), effort=effort)
    object_meta.prepare_update(own_metadata(crd), old.metadata, is_manifest=True)
    of_update = _immutable(crd.spec, old.spec, options)
    return report_of(crd, options, metadata.validate_update(crd, old, server), of_update, old)


def options_for(
    crd: CustomResourceDefinition, old: CustomResourceDefinition, server: Server
) -> ValidationOptions:
    """Return the options under which defects of the old CRD remain allowed."""
    before = old.spec
    old_schemas = all_schemas(before)
    rules = [rule for schema in old_schemas for rule in schema.x_validations]
    messages = {rule.message_expression for rule in rules if rule.message_expression}
    established = is_established(old)
    wholes = before.root_schemas()
    structural = [
        root_schema for root_schema in wholes if is_structural(root_schema, ValidationOptions())
    ]
    reviewed = before.conversion.conversion_review_versions if before.conversion is not None else ()
    versions_have_schemas = all(version.root_schema is not None for version in before.versions)
    return ValidationOptions(
        require_recognized_conversion_review_version=not reviewed
        or not set(conversion.REVIEWED).isdisjoint(reviewed),
        require_immutable_names=established,
        require_open_api_schema=before.root_schema is not None or versions_have_schemas,
        require_valid_property_type=all(
            not schema.type or schema.type in TYPES for schema in old_schemas
        ),
        require_structural_schema=len(structural) == len(wholes),
        require_pruned_defaults=not any(map(prune_defaults, structural)),
        require_atomic_set_type=all(mergeable_set_item(schema) is None for schema in old_schemas),
        require_map_list_keys_map_set_validation=not any(
            any(map_list_keys_map_set(schema)) for schema in old_schemas
        ),
        preexisting_rules=frozenset(rule.rule for rule in rules),
        preexisting_message_expressions=frozenset(
            messages
            if server.keeps_message_expressions
            else (rule.rule for rule in rules if rule.message_expression)
        ),
        versions_with_unchanged_schemas=(
            _unchanged(crd.spec, before)
            if server.cel.keeps_cost_of_unchanged_schemas
            else frozenset()
        ),
        allow_invalid_ca_bundle=(
            not server.checks_ca_bundle_on_update
            or not established
            or _has_invalid_ca_bundle(before)
        ),
        allow_too_many_selectable_fields=(
            _too_many_selectable_fields(crd.spec, before)
            if server.keeps_too_many_selectable_fields
            else frozenset()
        ),
        server=server,
    )


def _in_use(old: CustomResourceDefinition) -> frozenset[str]:
    """Return the fields behind feature gates that the old CRD uses, which a server then keeps."""
    spec = old.spec
    used = set()
    if any("selectable_fields" in vars(holder) for holder in (spec, *spec.versions)):
        used.add("selectable_fields")
    if any(
        rule.optional_old_self is not None
        for schema in all_schemas(spec)
        for rule in schema.x_validations
    ):
        used.add("optional_old_self")
    return frozenset(used)


def _immutable(
    spec: CustomResourceDefinitionSpec,
    old: CustomResourceDefinitionSpec,
    options: ValidationOptions,
) -> Iterator[FieldError]:
    fields = [
        ("group", spec.group, old.group, _SPEC.child("group")),
        ("plural", spec.names.plural, old.names.plural, _SPEC.child("names", "plural")),
    ]
    if options.require_immutable_names:
        fields[:0] = [
            ("scope", spec.scope, old.scope, _SPEC.child("scope")),
            ("kind", spec.names.kind, old.names.kind, _SPEC.child("names", "kind")),
        ]
    for name, value, before, path in fields:
        if value != before:
            # The scope has its own Go type, which is printed as JSON.
            bad = Typed(value, "apiextensions.ResourceScope") if name == "scope" else value
            yield invalid(
                IMMUTABLE.id,
                path,
                bad,
                "field is immutable",
                help=f"it was `{before}`: leave it so",
            )


def _unchanged(
    spec: CustomResourceDefinitionSpec, old: CustomResourceDefinitionSpec
) -> frozenset[str]:
    now = _schemas(spec, [version.name for version in spec.versions])
    before = _schemas(old, now)
    return frozenset(
        name for name in now.keys() & before.keys() if semantic_equal(now[name], before[name])
    )


def _schemas(
    spec: CustomResourceDefinitionSpec, version_names: Iterable[str]
) -> dict[str, JSONSchemaProps | None]:
    """Return the schemas to compare by version, of several the first; a shared one has any name. Upstream: GetSchemaForVersion."""
    if not any(version.schema is not None for version in spec.versions):
        return dict.fromkeys(version_names, spec.root_schema)
    if spec.validation is not None:
        return {}
    return {version.name: version.root_schema for version in reversed(spec.versions)}


def _has_invalid_ca_bundle(spec: CustomResourceDefinitionSpec) -> bool:
    config = spec.conversion.webhook_client_config if spec.conversion is not None else None
    return (
        config is not None
        and bool(config.ca_bundle)
        and any(conversion.ca_bundle(config.ca_bundle, _SPEC))
    )


def _too_many_selectable_fields(
    spec: CustomResourceDefinitionSpec, old: CustomResourceDefinitionSpec
) -> frozenset[str]:
    """Return the versions (empty for the spec itself) that had too many selectable fields and still have the same."""
    now = [
        ("", spec.selectable_fields),
        *((version.name, version.selectable_fields) for version in spec.versions),
    ]
    before = {version.name: version.selectable_fields for version in old.versions} | {
        "": old.selectable_fields
    }
    return frozenset(
        name
        for name, fields in now
        if len(before.get(name, ())) > MAX_SELECTABLE_FIELDS
        and semantic_equal(fields, before[name])
    )
