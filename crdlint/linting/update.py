"""Validation of an update of a CRD. Upstream: apiextensions validation.ValidateCustomResourceDefinitionUpdate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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
    SelectableField,
    ValidationRule,
)
from crdlint.crd.paths import Path
from crdlint.crd.record import semantic_equal
from crdlint.golang.printing import Typed
from crdlint.kubernetes.servers import Server
from crdlint.light import replace
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
_ON_CREATE: Final = ValidationOptions()


@work.limited()
def validate(
    crd: CustomResourceDefinition,
    old: CustomResourceDefinition,
    server: Server,
    effort: Effort,
) -> ServerReport:
    """Validate a CRD as a server does on update, not yet in its words (`ServerReport.on`).

    `old` is the stored CRD with its status; `effort` limits the work for helps.
    """
    object_meta.prepare_update(own_metadata(crd), old.metadata, is_manifest=True)
    prepare_for_update(crd, old)
    drop_disabled_fields(crd, server, _in_use(old))
    options = replace(options_for(crd, old, server), effort=effort)
    of_update = _immutable(crd.spec, old.spec, options)
    return report_of(
        crd,
        options,
        metadata.validate_update(crd, old, server),
        of_update,
        old,
    )


def options_for(
    crd: CustomResourceDefinition, old: CustomResourceDefinition, server: Server
) -> ValidationOptions:
    """Return the options under which defects of the old CRD remain allowed."""
    before = old.spec
    schemas = all_schemas(before)
    structural = [root for root in before.root_schemas() if is_structural(root, _ON_CREATE)]
    rules = [rule for schema in schemas for rule in schema.x_validations]
    established = is_established(old)
    options = ValidationOptions(
        require_recognized_conversion_review_version=_has_recognized_version(before),
        require_immutable_names=established,
        require_open_api_schema=_has_schemas(before),
        require_valid_property_type=all(map(_has_valid_type, schemas)),
        require_structural_schema=len(structural) == len(before.root_schemas()),
        require_pruned_defaults=not any(map(prune_defaults, structural)),
        require_atomic_set_type=all(mergeable_set_item(schema) is None for schema in schemas),
        require_map_list_keys_map_set_validation=not any(map(_has_wrong_map_keys, schemas)),
        preexisting_rules=frozenset(rule.rule for rule in rules),
        preexisting_message_expressions=frozenset(_kept_messages(rules, server)),
        allow_invalid_ca_bundle=not established or _has_invalid_ca_bundle(before),
        server=server,
    )
    if server.cel.keeps_cost_of_unchanged_schemas:
        unchanged = _unchanged(crd.spec, before)
        options = replace(options, versions_with_unchanged_schemas=unchanged)
    if not server.checks_ca_bundle_on_update:
        options = replace(options, allow_invalid_ca_bundle=True)
    if server.keeps_too_many_selectable_fields:
        too_many = _too_many_selectable_fields(crd.spec, before)
        options = replace(options, allow_too_many_selectable_fields=too_many)
    return options


def _has_recognized_version(spec: CustomResourceDefinitionSpec) -> bool:
    """Return whether a webhook reviews a version that servers know, or names none."""
    if spec.conversion is None:
        return True
    reviewed = spec.conversion.conversion_review_versions
    return not reviewed or not set(conversion.REVIEWED).isdisjoint(reviewed)


def _has_schemas(spec: CustomResourceDefinitionSpec) -> bool:
    """Return whether the spec, or each of its versions, has a schema."""
    if spec.root_schema is not None:
        return True
    return all(version.root_schema is not None for version in spec.versions)


def _has_valid_type(schema: JSONSchemaProps) -> bool:
    return not schema.type or schema.type in TYPES


def _has_wrong_map_keys(schema: JSONSchemaProps) -> bool:
    return any(map_list_keys_map_set(schema))


def _kept_messages(rules: Iterable[ValidationRule], server: Server) -> Iterator[str]:
    """Yield the message expressions that compile as they did before.

    Older servers compare them with the rules by mistake.
    """
    for rule in rules:
        if rule.message_expression:
            yield rule.message_expression if server.keeps_message_expressions else rule.rule


def _in_use(old: CustomResourceDefinition) -> frozenset[str]:
    """Return the fields behind feature gates that the old CRD uses, which a server then keeps."""
    spec = old.spec
    used = set()
    if any("selectable_fields" in vars(holder) for holder in (spec, *spec.versions)):
        used.add("selectable_fields")
    rules = (rule for schema in all_schemas(spec) for rule in schema.x_validations)
    if any(rule.optional_old_self is not None for rule in rules):
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
    config = spec.conversion_client
    if config is None or not config.ca_bundle:
        return False
    return any(conversion.ca_bundle(config.ca_bundle, _SPEC))


def _too_many_selectable_fields(
    spec: CustomResourceDefinitionSpec, old: CustomResourceDefinitionSpec
) -> frozenset[str]:
    """Return the versions (empty for the spec itself) that had too many selectable fields and still have the same."""
    before = dict(_selectable_fields(old))
    return frozenset(
        name
        for name, fields in _selectable_fields(spec)
        if _are_too_many(before.get(name, ())) and semantic_equal(fields, before[name])
    )


def _selectable_fields(
    spec: CustomResourceDefinitionSpec,
) -> Iterator[tuple[str, Sequence[SelectableField]]]:
    for version in spec.versions:
        yield version.name, version.selectable_fields
    yield "", spec.selectable_fields


def _are_too_many(fields: Sequence[SelectableField]) -> bool:
    return len(fields) > MAX_SELECTABLE_FIELDS
