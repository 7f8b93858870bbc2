"""Validation of a new CRD. Upstream: apiextensions validation.ValidateCustomResourceDefinition.

The walk over a schema finds all errors; which of them are reported depends on the others: structural errors only if the
schema can be converted to a structural one, rules are compiled only if there are no errors at or below them. So some
errors hide others: conversion, structure, defaults and rules are stages, and the server stops at the first one with
errors. The later stages are run here as far as their result does not depend on how the errors are fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from crdlint.crd.errors import NOT_EVALUATED, FieldError, Wording, invalid
from crdlint.crd.model import (
    CustomResourceDefinition,
    CustomResourceDefinitionSpec,
    CustomResourceDefinitionVersion,
    CustomResourceSubresources,
    CustomResourceValidation,
    JSONSchemaProps,
    SelectableField,
)
from crdlint.crd.paths import Path
from crdlint.kubecel.cost import CompiledNode, EstimatedRule
from crdlint.kubernetes.servers import Server
from crdlint.light import NamedTuple, dataclass
from crdlint.rules import catalog
from crdlint.rules.engine.common import Common, IncompleteSchemas, ValidationOptions, WalkResult
from crdlint.rules.engine.schema_walk import Walker
from crdlint.rules.server import (
    approval,
    cel,
    conversion,
    defaults,
    metadata,
    names,
    root,
    selectable_fields,
    structural,
    subresources,
    validation_rules,
    versions,
)
from crdlint.safety import work
from crdlint.safety.work import Effort
from crdlint.schema.structural import Rejection
from crdlint.schema.traversal import Within, all_schemas, at_or_above

WALKER = Walker(catalog.checks())
_SCHEMA: Final = Rejection("OpenAPIV3Schema 'schema' is not supported", "$schema")


class ServerReport(NamedTuple):
    """The server's errors of a schema or a CRD in its order, and the rules that it compiles.

    `find_hidden` returns the errors after those are fixed. `blocking` are the errors because of which rules are not
    compiled or have no cost.
    """

    errors: tuple[FieldError, ...] = ()
    find_hidden: Callable[[], Iterable[FieldError]] = tuple
    rules: tuple[EstimatedRule, ...] = ()
    blocking: tuple[FieldError, ...] = ()

    def on(self, server: Server) -> ServerReport:
        """Return the report as a server words and prints it."""
        return self._replace(
            errors=tuple(error.on(server) for error in self.errors),
            find_hidden=lambda: [error.on(server) for error in self.find_hidden()],
            blocking=tuple(error.on(server) for error in self.blocking),
        )


def validate_validation(
    validation: CustomResourceValidation | None,
    *,
    status_enabled: bool,
    options: ValidationOptions,
    path: Path,
) -> ServerReport:
    """Validate a schema; `path` is that of its parent field, `spec.validation` or `spec.versions[i].schema`."""
    if validation is None or validation.open_api_v3_schema is None:
        return ServerReport()
    schema = validation.open_api_v3_schema
    stages = _Stages(schema, _walked(schema, options), options, path)
    report = stages.report(list(root.validate(schema, path, status_enabled=status_enabled)))

    def find_hidden() -> Iterator[FieldError]:
        hidden = stages.hidden_errors(report.rules)
        messages = set(map(str, report.errors)) if hidden else ()
        return (error._replace(hidden=True) for error in hidden if str(error) not in messages)

    return report._replace(find_hidden=find_hidden)


def _walked(schema: JSONSchemaProps, options: ValidationOptions) -> WalkResult:
    """Return the result of the walk over a schema, which differs between servers only by whether they keep its examples."""
    about = ("walk", id(schema), options.server.keeps_examples)
    return options.common.once(about, lambda: WALKER.walk(schema, options))


@dataclass(frozen=True, slots=True)
class _Stages:
    """The stages of validating a schema, after the walk over it: its structure, defaults, rules.

    `path` is that of the schema's parent field.
    """

    schema: JSONSchemaProps
    walked: WalkResult
    options: ValidationOptions
    path: Path

    @property
    def _schema_path(self) -> Path:
        return self.path.child("openAPIV3Schema")

    def report(self, at_root: list[FieldError]) -> ServerReport:
        """Return the errors that the server reports at once, after those of the root."""
        walked, options = self.walked, self.options
        open_api = _open_api_errors(walked)
        if not options.require_structural_schema:
            return ServerReport((*at_root, *open_api))
        if walked.unsupported:
            rejections = (*at_root, *open_api) or (_unsupported(*walked.unsupported[0], self.path),)
            return ServerReport(rejections, blocking=rejections if walked.with_rules else ())
        structural_errors = walked.structural_errors()
        if options.walk_only:
            return ServerReport((*at_root, *structural_errors, *open_api))
        # The server does not validate defaults after errors of the structure, nor compiles rules after either.
        before_rules = structural_errors or self._of_defaults(walked.with_defaults)
        errors = (*at_root, *before_rules, *open_api)
        if any(error.type is not NOT_EVALUATED for error in before_rules):
            blocking = tuple(before_rules) if walked.with_rules else ()
            return ServerReport(errors, blocking=blocking)
        nodes = self._nodes_to_compile()
        of_rules, rules = cel.compile_and_estimate(nodes, options, self._schema_path)
        not_compiled = (error for error in of_rules if error.rule in cel.NOT_COMPILED)
        return ServerReport(
            (*errors, *of_rules),
            rules=tuple(rules),
            blocking=(*_blocking(walked), *not_compiled),
        )

    def _nodes_to_compile(self) -> tuple[CompiledNode, ...]:
        """Return the nodes whose rules are compiled: without schema errors at or below them."""
        tainted = at_or_above(schema for schema, _ in self.walked.schema)
        return tuple(node for node in self.walked.with_rules if id(node.schema) not in tainted)

    def _of_defaults(self, nodes: list[JSONSchemaProps]) -> list[FieldError]:
        incomplete = at_or_above(self.options.incomplete.unbounded)
        complete = [node for node in nodes if id(node) not in incomplete]
        if not complete:
            return []
        return defaults.validate(self.schema, complete, self.options)

    def hidden_errors(self, compiled: Sequence[EstimatedRule]) -> list[FieldError]:
        """Return the errors of the stages that the errors of a schema hide; some may be reported already.

        `compiled` are the rules that the server compiles now.
        """
        walked = self.walked
        has_errors = walked.structural or walked.schema or walked.unsupported
        if not has_errors and not self._have_errors(compiled):
            return []
        # Among the fields that conversion rejects, `$schema` has no error of its own.
        with_url = (node for node, _ in walked.unsupported if node.schema)
        return [
            *walked.structural_errors(),
            *(error for _, error in walked.schema),
            *(_unsupported(node, _SCHEMA, self.path) for node in with_url),
            *self._hidden_by_structure(compiled),
        ]

    def _have_errors(self, compiled: Sequence[EstimatedRule]) -> bool:
        """Return whether a rule is not compiled or has an error.

        It may hide errors of defaults or message expressions.
        """
        nodes = {id(rule.node.schema) for rule in compiled}
        if len(nodes) < len(self.walked.with_rules):
            return True
        return any(rule.compiled.rule.error is not None for rule in compiled)

    def _hidden_by_structure(self, compiled: Sequence[EstimatedRule]) -> Iterator[FieldError]:
        """Yield the errors of defaults and rules that do not depend on how the others are fixed."""
        walked = self.walked
        errors = (*walked.structural, *walked.schema)
        rules = map(catalog.get, {error.rule for _, error in errors})
        changes = {rule.id: rule.changes for rule in rules}
        damaged = at_or_above(node for node, error in errors if changes[error.rule])
        sound = [node for node in walked.with_defaults if id(node) not in damaged]
        yield from self._of_defaults(sound)
        doubtful = [each for each in errors if changes[each[1].rule] == "type"]
        ids = {id(rule.node.schema) for rule in compiled}
        nodes = [node for node in walked.with_rules if id(node.schema) not in ids]
        yield from cel.compile_hidden(
            nodes,
            compiled,
            self.options,
            self._schema_path,
            doubtful,
        )


def is_structural(schema: JSONSchemaProps, options: ValidationOptions) -> bool:
    """Return whether the schema is structural. Upstream: validation.schemaIsNonStructural, negated."""
    walked = WALKER.walk(schema, options)
    return not walked.unsupported and not walked.structural


def _open_api_errors(walked: WalkResult) -> list[FieldError]:
    rejected_nodes = at_or_above(schema for schema, _ in walked.unsupported)
    return [
        error
        for schema, error in walked.schema
        if error.reason != validation_rules.NO_FIELD or id(schema) not in rejected_nodes
    ]


def _blocking(walked: WalkResult) -> Iterator[FieldError]:
    """Yield the errors at or below nodes with rules, because of which these are not compiled."""
    within_rules = Within({id(node.schema) for node in walked.with_rules})
    return (error for schema, error in walked.schema if schema in within_rules)


def _unsupported(schema: JSONSchemaProps, rejection: Rejection, path: Path) -> FieldError:
    """Return the error of a schema that cannot be converted to a structural one, at the rejected field."""
    rejected_path = schema.path.child(rejection.field)
    return invalid(
        structural.NOT_CONVERTIBLE.id,
        path.child("openAPIV3Schema"),
        "",
        rejection.text,
        at=rejected_path,
        key=True,
    )


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
    any_words: bool = False,
    incomplete: IncompleteSchemas | None = None,
) -> ServerReport:
    """Validate a CRD as a server does on create, not yet in its words (`ServerReport.on`); `effort` limits the work for helps.

    `common` contains results of validating the same CRD for another server, or with `walk_only`, which leaves out the
    errors of defaults and rules. With `any_words`, errors of rules may have the words of that other server.
    """
    options = ValidationOptions(
        server=server,
        effort=effort,
        common=common or Common(),
        walk_only=walk_only,
        any_words=any_words,
        incomplete=incomplete or IncompleteSchemas(),
    )
    return report_of(crd, options, metadata.validate(crd, server))


def report_of(
    crd: CustomResourceDefinition,
    options: ValidationOptions,
    of_metadata: Iterable[FieldError],
    of_update: Iterable[FieldError] = (),
    old: CustomResourceDefinition | None = None,
) -> ServerReport:
    """Return the report of a CRD with the errors of its metadata and of an update, not yet in the words of the server."""
    validator, budget = _SpecValidator(crd.spec, options), work.current()
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
            return [error for of_schema in reports for error in of_schema.find_hidden()]

    return ServerReport(
        errors,
        find_hidden,
        tuple(rule for of_schema in reports for rule in of_schema.rules),
        tuple(error for of_schema in reports for error in of_schema.blocking),
    )


class _SpecValidator:
    """Validates a spec, and collects the reports of its schemas. Upstream: validateCustomResourceDefinitionSpec."""

    def __init__(self, spec: CustomResourceDefinitionSpec, options: ValidationOptions) -> None:
        self.spec = spec
        preserves = bool(spec.preserve_unknown_fields)
        schemas = all_schemas(spec) if preserves else []  # upstream: HasSchemaWith
        self._refuses_defaults = any(schema.default is not None for schema in schemas)
        must_be_structural = (
            not preserves or self._refuses_defaults or any(map(_has_extension, schemas))
        )
        self._options = options.with_structural_schema() if must_be_structural else options
        self.reports: list[ServerReport] = []

    def errors(self) -> Iterator[FieldError]:
        """Yield the errors in upstream's order; the reports of all schemas are collected after the last one."""
        spec = self.spec
        yield from names.group_and_scope(spec, _SPEC)
        yield from versions.schemas_required(spec, _SPEC, self._options)
        if self._refuses_defaults:
            path = _SPEC.child("preserveUnknownFields")
            detail = "must be false in order to use defaults in the schema"
            yield invalid(approval.PRESERVE_DEFAULTS.id, path, True, detail)
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
        of_versions = (version.subresources for version in spec.versions)
        any_status = any(map(_has_status, (spec.subresources, *of_versions)))
        path = _SPEC.child("validation")
        yield from self._schema(
            spec.validation,
            path,
            spec.version,
            status_enabled=any_status,
        )
        yield from _subresources(spec, _SPEC)
        yield from self._selectable_of_spec()
        yield from conversion.validate(spec, _SPEC, self._options)

    def _selectable_of_spec(self) -> Iterator[FieldError]:
        """Yield the errors of selectable fields that all versions share."""
        spec = self.spec
        if spec.validation is not None:
            schema = spec.validation.open_api_v3_schema
            yield from self._selectable(spec.selectable_fields, schema, _SPEC, "")
        elif spec.selectable_fields:
            has_schemas = all(version.schema is not None for version in spec.versions)
            yield invalid(
                selectable_fields.PATH.id,
                _SPEC.child("selectableFields"),
                "",
                _ONLY_WITH_VALIDATION,
                help=_DIFFERING_SCHEMAS if has_schemas else _MISSING_SCHEMA,
            )

    def _version(
        self, version: CustomResourceDefinitionVersion, path: Path, *, status_enabled: bool
    ) -> Iterator[FieldError]:
        yield from versions.deprecation(version, path)
        yield from self._schema(
            version.schema,
            path.child("schema"),
            version.name,
            status_enabled=status_enabled,
        )
        yield from _subresources(version, path)
        root_schema = version.root_schema
        if version.selectable_fields and root_schema is None:
            yield invalid(
                selectable_fields.PATH.id,
                path.child("selectableFields"),
                "",
                _ONLY_WITH_SCHEMA,
            )
        else:
            yield from self._selectable(
                version.selectable_fields,
                root_schema,
                path,
                version.name,
            )

    def _schema(
        self,
        validation: CustomResourceValidation | None,
        path: Path,
        version: str,
        *,
        status_enabled: bool,
    ) -> Iterator[FieldError]:
        options = self._options.for_version(version)
        report = validate_validation(
            validation,
            status_enabled=status_enabled,
            options=options,
            path=path,
        )
        self.reports.append(report)
        yield from report.errors

    def _selectable(
        self,
        fields: Sequence[SelectableField],
        schema: JSONSchemaProps | None,
        path: Path,
        version: str,
    ) -> Iterator[FieldError]:
        if fields:
            allowed = version in self._options.allow_too_many_selectable_fields
            walked = None if schema is None else _walked(schema, self._options)
            errors = selectable_fields.validate(
                fields,
                schema,
                path,
                too_many_allowed=allowed,
                is_convertible=walked is not None and not walked.unsupported,
            )
            incomplete = self._options.incomplete.shapeless
            if all(each.root_schema is not schema for each in incomplete):
                yield from errors
            if schema is not None and walked is not None and walked.unsupported:
                hidden = partial(_hidden_selectable, fields, schema, path, walked)
                self.reports.append(ServerReport(find_hidden=hidden))


def _hidden_selectable(
    fields: Sequence[SelectableField],
    schema: JSONSchemaProps,
    path: Path,
    walked: WalkResult,
) -> Iterator[FieldError]:
    """Yield the errors of selectable fields after a schema is made convertible."""
    uncertain = {id(node) for node, rejection in walked.unsupported if rejection.field in _CONTENT}
    errors = selectable_fields.hidden(fields, schema, path, uncertain)
    return (error._replace(hidden=True) for error in errors)


# Unsupported fields instead of which a schema gets other fields.
_CONTENT: Final = frozenset({"$ref", "patternProperties", "items"})


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
