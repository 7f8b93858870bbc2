"""Validation of a new CRD. Upstream: apiextensions validation.ValidateCustomResourceDefinition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as SequenceOf
from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import FieldError, Wording, invalid
from crdlint.crd.paths import Path
from crdlint.linting.schema import Report, validate_validation
from crdlint.rules import approval, conversion, metadata, names, selectable_fields, subresources, versions
from crdlint.rules.engine.common import Common, Options
from crdlint.safety import work
from crdlint.schema.traversal import all_schemas

if TYPE_CHECKING:
    from crdlint.crd.model import (
        CustomResourceDefinition,
        CustomResourceDefinitionSpec,
        CustomResourceDefinitionVersion,
        CustomResourceSubresources,
        CustomResourceValidation,
        JSONSchemaProps,
        SelectableField,
    )
    from crdlint.kubernetes.servers import Server
    from crdlint.safety.work import Effort

_SPEC: Final = Path("spec")
_STATUS: Final = Path("status")
_ONLY_WITH_VALIDATION: Final = Wording.by_version(
    "selectableFields may only be set when validations.schema is included",
    (34, "may only be set when validations.schema is included"),
)
_ONLY_WITH_SCHEMA: Final = Wording.by_version(
    "selectableFields may only be set when version.schema.openAPIV3Schema is not included",
    (34, "may only be set when `version.schema.openAPIV3Schema` is not included"),
)

_MISSING_SCHEMA: Final = "Add a schema to every version: selectable fields are fields of the schema"
# The trap of conversion: what all versions have moves to the spec, each for itself.
_DIFFERING_SCHEMAS: Final = (
    "Make the `selectableFields` of the versions differ, or their schemas equal: the API server moves equal "
    "`selectableFields` to `spec`, and then finds no schema beside them"
)


@work.limited()
def validate(
    crd: CustomResourceDefinition,
    server: Server,
    effort: Effort,
    common: Common | None = None,
    *,
    walk_only: bool = False,
) -> Report:
    """Validate a CRD as a server does on create; `effort` limits the work for helps.

    `common` contains results of validating the same CRD for another server, or with `walk_only`, which leaves out the
    errors of defaults and rules.
    """
    options = Options(server=server, effort=effort, common=common or Common(), walk_only=walk_only)
    return report_of(crd, options, metadata.validate(crd, server))


def report_of(
    crd: CustomResourceDefinition,
    options: Options,
    of_metadata: Iterable[FieldError],
    of_update: Iterable[FieldError] = (),
    old: CustomResourceDefinition | None = None,
) -> Report:
    """Return the report of a CRD with the errors of its metadata and of an update, in the words of the server."""
    validator, server, budget = _SpecValidator(crd.spec, options), options.server, work.current()
    errors = (
        *of_metadata,
        *validator.errors(),
        *of_update,
        *names.validate(crd.status.accepted_names, _STATUS.child("acceptedNames")),
        *versions.stored_versions(crd.status.stored_versions, crd.spec.versions, _STATUS),
        *approval.validate(crd, old),
        *approval.preserve_unknown_fields(crd, old),
    )
    reports = validator.reports

    def find_hidden() -> list[FieldError]:
        with work.continued(budget):  # the same limit of work
            return [error.on(server) for of_schema in reports for error in of_schema.find_hidden()]

    return Report(
        tuple(error.on(server) for error in errors),
        find_hidden,
        tuple(rule for of_schema in reports for rule in of_schema.rules),
        tuple(error.on(server) for of_schema in reports for error in of_schema.blocking),
    )


class _SpecValidator:
    """Validates a spec, and collects the reports of its schemas. Upstream: validateCustomResourceDefinitionSpec."""

    def __init__(self, spec: CustomResourceDefinitionSpec, options: Options) -> None:
        self.spec = spec
        preserves = bool(spec.preserve_unknown_fields)
        schemas = all_schemas(spec) if preserves else []  # upstream: HasSchemaWith
        self._refuses_defaults = any(schema.default is not None for schema in schemas)
        must_be_structural = not preserves or self._refuses_defaults or any(map(_has_extension, schemas))
        self._options = options.with_structural_schema() if must_be_structural else options
        self.reports: list[Report] = []

    def errors(self) -> Iterator[FieldError]:
        """Yield the errors in upstream's order; the reports of all schemas are collected after the last one."""
        spec = self.spec
        yield from names.group_and_scope(spec, _SPEC)
        yield from versions.schemas_required(spec, _SPEC, self._options)
        if self._refuses_defaults:
            detail = "must be false in order to use defaults in the schema"
            yield invalid(approval.PRESERVE_DEFAULTS.id, _SPEC.child("preserveUnknownFields"), True, detail)
        per_version = any(version.subresources is not None for version in spec.versions)
        # Among versions with the same name, upstream uses the first.
        by_name = {version.name: version.subresources for version in reversed(spec.versions)}
        for i, version in enumerate(spec.versions):
            path = _SPEC.child("versions").index(i)
            yield from versions.name(version, path)
            status = _has_status(by_name[version.name] if per_version else spec.subresources)
            yield from self._version(version, path, status_enabled=status)
        yield from versions.as_a_whole(spec, _SPEC)
        yield from versions.version_field(spec, _SPEC)
        yield from names.names_required(spec.names, _SPEC.child("names"))
        yield from names.validate(spec.names, _SPEC.child("names"))
        any_status = _has_status(spec.subresources) or any(_has_status(v.subresources) for v in spec.versions)
        path = _SPEC.child("validation")
        yield from self._schema(spec.validation, path, spec.version, status_enabled=any_status)
        yield from _subresources(spec, _SPEC)
        if spec.selectable_fields and spec.validation is None:
            detail = _ONLY_WITH_VALIDATION
            has_schemas = all(version.schema is not None for version in spec.versions)
            help_ = _DIFFERING_SCHEMAS if has_schemas else _MISSING_SCHEMA
            yield invalid(selectable_fields.PATH.id, _SPEC.child("selectableFields"), "", detail, help=help_)
        elif spec.validation is not None:
            yield from self._selectable(spec.selectable_fields, spec.validation.open_api_v3_schema, _SPEC, "")
        yield from conversion.validate(spec, _SPEC, self._options)

    def _version(
        self, version: CustomResourceDefinitionVersion, path: Path, *, status_enabled: bool
    ) -> Iterator[FieldError]:
        yield from versions.deprecation(version, path)
        yield from self._schema(version.schema, path.child("schema"), version.name, status_enabled=status_enabled)
        yield from _subresources(version, path)
        root_schema = version.root_schema
        if version.selectable_fields and root_schema is None:
            detail = _ONLY_WITH_SCHEMA
            yield invalid(selectable_fields.PATH.id, path.child("selectableFields"), "", detail)
        else:
            yield from self._selectable(version.selectable_fields, root_schema, path, version.name)

    def _schema(
        self, validation: CustomResourceValidation | None, path: Path, version: str, *, status_enabled: bool
    ) -> Iterator[FieldError]:
        options = self._options.for_version(version)
        report = validate_validation(validation, status_enabled=status_enabled, options=options, path=path)
        self.reports.append(report)
        yield from report.errors

    def _selectable(
        self, fields: SequenceOf[SelectableField], schema: JSONSchemaProps | None, path: Path, version: str
    ) -> Iterator[FieldError]:
        if fields:
            allowed = version in self._options.allow_too_many_selectable_fields
            walked = self._options.common.walks.get((id(schema), self._options.server.keeps_examples))
            yield from selectable_fields.validate(
                fields,
                schema,
                path,
                too_many_allowed=allowed,
                is_convertible=walked is not None and not walked.refusals,
            )


def _subresources(
    holder: CustomResourceDefinitionSpec | CustomResourceDefinitionVersion, path: Path
) -> Iterator[FieldError]:
    yield from subresources.validate(holder.subresources, path.child("subresources"))
    for i, column in enumerate(holder.additional_printer_columns):
        yield from subresources.column(column, path.child("additionalPrinterColumns").index(i))


def _has_status(subresource_fields: CustomResourceSubresources | None) -> bool:
    return subresource_fields is not None and subresource_fields.status is not None


def _has_extension(schema: JSONSchemaProps) -> bool:
    """Return whether a schema has an x-kubernetes extension that is only allowed in structural schemas."""
    return bool(
        schema.x_embedded_resource
        or schema.x_preserve_unknown_fields is not None
        or schema.x_int_or_string
        or schema.x_list_map_keys
        or schema.x_list_type is not None
        or schema.x_validations
    )
