"""Findings about a schema that others hide: the errors that the API server reports after those are fixed.

The server stops at the first stage with errors: conversion to a structural schema, its structure, defaults, rules. The
later stages are run here as far as their result does not depend on how the errors are fixed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import invalid
from crdlint.rules import cel, defaults, forbidden_fields, list_types, structural
from crdlint.schema.structural import Refusal
from crdlint.schema.traversal import at_or_above

if TYPE_CHECKING:
    from collections.abc import Sequence as SequenceOf

    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import JSONSchemaProps
    from crdlint.crd.paths import Path
    from crdlint.kubecel.estimated_rule import EstimatedRule
    from crdlint.rules.engine.common import Findings, Options

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


def find(
    schema: JSONSchemaProps, findings: Findings, compiled: SequenceOf[EstimatedRule], options: Options, path: Path
) -> list[FieldError]:
    """Return the errors of the stages that the errors of a schema hide; some may be reported already.

    `compiled` are the rules that the server compiles now, `path` is the path of the schema's parent field.
    """
    if not (findings.structural or findings.schema or findings.refusals or _is_any_broken(compiled, findings)):
        return []
    schema_path = path.child("openAPIV3Schema")
    errors_so_far = sorted((error for _, error in findings.structural), key=str)
    errors_so_far.extend(error for _, error in findings.schema)
    # Among the fields that conversion rejects, `$schema` has no error of its own.
    errors_so_far.extend(refused(rejected, _SCHEMA, path) for rejected, _ in findings.refusals if rejected.schema)
    errors = (*findings.structural, *findings.schema)
    damaged = at_or_above(node for node, error in errors if error.rule in _CHANGES_VALUES)
    sound = [node for node in findings.with_defaults if id(node) not in damaged]
    if sound:
        errors_so_far.extend(defaults.validate(schema, schema_path, sound, options))
    doubtful = [node for node, error in errors if error.rule in _CHANGES_TYPE]
    known = {id(rule.node.schema) for rule in compiled}
    nodes = [node for node in findings.with_rules if id(node.schema) not in known]
    errors_so_far.extend(cel.compile_hidden(nodes, compiled, options, schema_path, doubtful))
    return errors_so_far


_SCHEMA: Final = Refusal("OpenAPIV3Schema 'schema' is not supported", "$schema")


def refused(schema: JSONSchemaProps, refusal: Refusal, path: Path) -> FieldError:
    """Return the error of a schema that cannot be converted to a structural one, at the rejected field."""
    refusing_path = schema.path.child(refusal.field)
    return invalid(
        structural.NOT_CONVERTIBLE.id, path.child("openAPIV3Schema"), "", refusal.text, at=refusing_path, key=True
    )


def _is_any_broken(compiled: SequenceOf[EstimatedRule], findings: Findings) -> bool:
    """Return whether rules are not compiled, or have an error: defaults or message expressions may hide more."""
    return len({id(rule.node.schema) for rule in compiled}) < len(findings.with_rules) or any(
        rule.compiled.rule.error is not None for rule in compiled
    )
