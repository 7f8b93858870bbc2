"""Validation of a root schema. Upstream: apiextensions validation.validateCustomResourceDefinitionValidation.

The walk finds all errors; which of them are reported depends on the others: structural errors only if the schema can be
converted to a structural one, rules are compiled only if there are no errors at or below them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from crdlint.crd.errors import NOT_EVALUATED
from crdlint.linting import hidden_findings
from crdlint.rules import catalog, cel, defaults, root, validation_rules
from crdlint.rules.engine.schema_walk import Walker
from crdlint.schema.traversal import at_or_above

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import CustomResourceValidation, JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.kubecel.estimated_rule import CompiledNode, EstimatedRule
    from crdlint.rules.engine.common import Findings, Options

WALKER = Walker(catalog.checks())


class SchemaReport(NamedTuple):
    """The server's errors of a schema in its order, and the rules that it compiles.

    `find_hidden` returns the errors after those are fixed. `blocking` are the errors because of which rules are not
    compiled or have no cost.
    """

    errors: tuple[FieldError, ...] = ()
    find_hidden: Callable[[], Iterable[FieldError]] = tuple
    rules: tuple[EstimatedRule, ...] = ()
    blocking: tuple[FieldError, ...] = ()


def validate_validation(
    validation: CustomResourceValidation | None, *, status_enabled: bool, options: Options, path: Path
) -> SchemaReport:
    """Validate a schema; `path` is that of its parent field, `spec.validation` or `spec.versions[i].schema`."""
    if validation is None or validation.open_api_v3_schema is None:
        return SchemaReport()
    schema = validation.open_api_v3_schema
    walks, key = options.common.walks, (id(schema), options.server.keeps_examples)
    findings = walks.get(key)
    if findings is None:
        findings = walks[key] = WALKER.walk(schema, options)
    at_root = list(root.validate(schema, path, status_enabled=status_enabled))
    report = _reported(schema, findings, at_root, options, path)

    def find_hidden() -> Iterator[FieldError]:
        hidden = hidden_findings.find(schema, findings, report.rules, options, path)
        known = {str(error) for error in report.errors} if hidden else ()
        return (error._replace(hidden=True) for error in hidden if str(error) not in known)

    return report._replace(find_hidden=find_hidden)


def _reported(
    schema: JSONSchemaProps, findings: Findings, at_root: list[FieldError], options: Options, path: Path
) -> SchemaReport:
    """Return the errors that the server reports at once."""
    open_api = _open_api_errors(findings)
    if not options.require_structural_schema:
        return SchemaReport((*at_root, *open_api))
    if findings.refusals:
        rejections = (*at_root, *open_api) or (hidden_findings.refused(*findings.refusals[0], path),)
        return SchemaReport(rejections, blocking=rejections if findings.with_rules else ())
    # Upstream sorts by text, so that the result does not depend on the order of Go's maps.
    structural_errors = sorted((error for _, error in findings.structural), key=str)
    if options.walk_only:
        return SchemaReport((*at_root, *structural_errors, *open_api))
    schema_path = path.child("openAPIV3Schema")
    if findings.with_defaults and not structural_errors:
        structural_errors = defaults.validate(schema, schema_path, findings.with_defaults, options)
    withheld = any(error.type is not NOT_EVALUATED for error in structural_errors)
    of_rules, rules = cel.compile_and_estimate(() if withheld else _compiled(findings), options, schema_path)
    if withheld:
        blocking = tuple(structural_errors) if findings.with_rules else ()
    else:
        blocking = (*_blocking(findings), *(error for error in of_rules if error.rule in cel.NOT_COMPILED))
    return SchemaReport((*at_root, *structural_errors, *open_api, *of_rules), rules=tuple(rules), blocking=blocking)


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
