"""Validation of a root schema. Upstream: apiextensions validation.validateCustomResourceDefinitionValidation.

The walk finds all errors; which of them are reported depends on the others: structural errors only if the schema can be
converted to a structural one, rules are compiled only if there are no errors at or below them. So some errors hide
others: conversion, structure, defaults and rules are stages, and the server stops at the first one with errors. The
later stages are run here as far as their result does not depend on how the errors are fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.crd.errors import NOT_EVALUATED, FieldError, invalid
from crdlint.rules import catalog, cel, defaults, forbidden_fields, list_types, root, structural, validation_rules
from crdlint.rules.engine.schema_walk import Walker
from crdlint.schema.structural import Refusal
from crdlint.schema.traversal import at_or_above

if TYPE_CHECKING:
    from crdlint.crd.model import CustomResourceValidation, JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.kubecel.estimated_rule import CompiledNode, EstimatedRule
    from crdlint.rules.engine.common import Findings, Options

WALKER = Walker(catalog.checks())
# Errors whose fix may change the type or the fields of a schema.
_CHANGES_TYPE: Final = frozenset(
    {
        structural.TYPE_REQUIRED.id,
        structural.ITEMS_REQUIRED.id,
        structural.ROOT_TYPE.id,
        structural.ROOT_MAP.id,
        structural.INCOMPLETE.id,
        structural.META_TYPE.id,
        structural.EMBEDDED.id,
        structural.INT_OR_STRING.id,
        list_types.LIST_TYPE_ARRAY.id,
        list_types.MAP_TYPE_OBJECT.id,
        list_types.MAP_ITEMS.id,
        list_types.KEY_UNKNOWN.id,
        list_types.KEY_SCALAR.id,
        *forbidden_fields.CHANGING_TYPE,
    }
)
# Errors whose fix may change the values that a schema accepts.
_CHANGES_VALUES: Final = _CHANGES_TYPE | {structural.PATTERN.id}
_SCHEMA: Final = Refusal("OpenAPIV3Schema 'schema' is not supported", "$schema")


class Report(NamedTuple):
    """The server's errors of a schema or a CRD in its order, and the rules that it compiles.

    `find_hidden` returns the errors after those are fixed. `blocking` are the errors because of which rules are not
    compiled or have no cost.
    """

    errors: tuple[FieldError, ...] = ()
    find_hidden: Callable[[], Iterable[FieldError]] = tuple
    rules: tuple[EstimatedRule, ...] = ()
    blocking: tuple[FieldError, ...] = ()


def validate_validation(
    validation: CustomResourceValidation | None, *, status_enabled: bool, options: Options, path: Path
) -> Report:
    """Validate a schema; `path` is that of its parent field, `spec.validation` or `spec.versions[i].schema`."""
    if validation is None or validation.open_api_v3_schema is None:
        return Report()
    schema = validation.open_api_v3_schema
    walks, key = options.common.walks, (id(schema), options.server.keeps_examples)
    findings = walks.get(key)
    if findings is None:
        findings = walks[key] = WALKER.walk(schema, options)
    at_root = list(root.validate(schema, path, status_enabled=status_enabled))
    report = _reported(schema, findings, at_root, options, path)

    def find_hidden() -> Iterator[FieldError]:
        hidden = hidden_errors(schema, findings, report.rules, options, path)
        known = {str(error) for error in report.errors} if hidden else ()
        return (error._replace(hidden=True) for error in hidden if str(error) not in known)

    return report._replace(find_hidden=find_hidden)


def _reported(
    schema: JSONSchemaProps, findings: Findings, at_root: list[FieldError], options: Options, path: Path
) -> Report:
    """Return the errors that the server reports at once."""
    open_api = _open_api_errors(findings)
    if not options.require_structural_schema:
        return Report((*at_root, *open_api))
    if findings.refusals:
        rejections = (*at_root, *open_api) or (_refused(*findings.refusals[0], path),)
        return Report(rejections, blocking=rejections if findings.with_rules else ())
    # Upstream sorts by text, so that the result does not depend on the order of Go's maps.
    structural_errors = sorted((error for _, error in findings.structural), key=str)
    if options.walk_only:
        return Report((*at_root, *structural_errors, *open_api))
    schema_path = path.child("openAPIV3Schema")
    if findings.with_defaults and not structural_errors:
        structural_errors = defaults.validate(schema, schema_path, findings.with_defaults, options)
    withheld = any(error.type is not NOT_EVALUATED for error in structural_errors)
    of_rules, rules = cel.compile_and_estimate(() if withheld else _compiled(findings), options, schema_path)
    if withheld:
        blocking = tuple(structural_errors) if findings.with_rules else ()
    else:
        blocking = (*_blocking(findings), *(error for error in of_rules if error.rule in cel.NOT_COMPILED))
    return Report((*at_root, *structural_errors, *open_api, *of_rules), rules=tuple(rules), blocking=blocking)


def is_structural(schema: JSONSchemaProps, options: Options) -> bool:
    """Return whether the schema is structural. Upstream: validation.schemaIsNonStructural, negated."""
    findings = WALKER.walk(schema, options)
    return not findings.refusals and not findings.structural


def _open_api_errors(findings: Findings) -> list[FieldError]:
    refusing = at_or_above(schema for schema, _ in findings.refusals)
    return [
        error
        for schema, error in findings.schema
        if error.reason != validation_rules.NO_FIELD or id(schema) not in refusing
    ]


def _compiled(findings: Findings) -> tuple[CompiledNode, ...]:
    """Return the nodes with rules that have no schema errors at or below them."""
    tainted = at_or_above(schema for schema, _ in findings.schema)
    return tuple(node for node in findings.with_rules if id(node.schema) not in tainted)


def _blocking(findings: Findings) -> Iterator[FieldError]:
    """Yield the errors at or below nodes with rules, because of which these are not compiled."""
    with_rules = {id(node.schema) for node in findings.with_rules}
    known: dict[int, bool] = {}
    for schema, error in findings.schema if with_rules else ():
        chain: list[JSONSchemaProps] = []
        node: JSONSchemaProps | None = schema
        while node is not None and id(node) not in known and id(node) not in with_rules:
            chain.append(node)
            node = node.parent
        blocks = node is not None and known.get(id(node), True)
        known.update((id(visited), blocks) for visited in chain)
        if blocks:
            yield error


def hidden_errors(
    schema: JSONSchemaProps, findings: Findings, compiled: Sequence[EstimatedRule], options: Options, path: Path
) -> list[FieldError]:
    """Return the errors of the stages that the errors of a schema hide; some may be reported already.

    `compiled` are the rules that the server compiles now, `path` is the path of the schema's parent field.
    """
    known = {id(rule.node.schema) for rule in compiled}
    # A rule that is not compiled or has an error may hide errors of defaults or message expressions.
    broken = len(known) < len(findings.with_rules) or any(rule.compiled.rule.error is not None for rule in compiled)
    if not (findings.structural or findings.schema or findings.refusals or broken):
        return []
    schema_path = path.child("openAPIV3Schema")
    errors_so_far = sorted((error for _, error in findings.structural), key=str)
    errors_so_far.extend(error for _, error in findings.schema)
    # Among the fields that conversion rejects, `$schema` has no error of its own.
    errors_so_far.extend(_refused(rejected, _SCHEMA, path) for rejected, _ in findings.refusals if rejected.schema)
    errors = (*findings.structural, *findings.schema)
    damaged = at_or_above(node for node, error in errors if error.rule in _CHANGES_VALUES)
    sound = [node for node in findings.with_defaults if id(node) not in damaged]
    if sound:
        errors_so_far.extend(defaults.validate(schema, schema_path, sound, options))
    doubtful = [node for node, error in errors if error.rule in _CHANGES_TYPE]
    nodes = [node for node in findings.with_rules if id(node.schema) not in known]
    errors_so_far.extend(cel.compile_hidden(nodes, compiled, options, schema_path, doubtful))
    return errors_so_far


def _refused(schema: JSONSchemaProps, refusal: Refusal, path: Path) -> FieldError:
    """Return the error of a schema that cannot be converted to a structural one, at the rejected field."""
    refusing_path = schema.path.child(refusal.field)
    return invalid(
        structural.NOT_CONVERTIBLE.id, path.child("openAPIV3Schema"), "", refusal.text, at=refusing_path, key=True
    )
