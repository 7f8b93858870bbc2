"""Advice: what the API server drops, so that a status is never stored, and an object or an alternative is never valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.phrases import OneCommand, nearest
from crdlint.rules.advice.pruned_objects import keeps_as_item
from crdlint.rules.engine.advisory import Advisory, DecodedCRD, in_junctor
from crdlint.rules.engine.rule import Caution, Nodes
from crdlint.schema.defaulting import META_FIELDS

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr, Select

_SUBRESOURCE: Final = "subresources: {status: {}}\n"
_LIKE: Final = 0.75  # the least similarity of a name that is suggested
_STATUS: Final = "status"


def _version(root: str, more: str = _SUBRESOURCE) -> str:
    return f"schema: {{openAPIV3Schema: {{type: object, {root}}}}}\n{more}"


_PHASE: Final = "properties: {status: {type: object, properties: {phase: {type: string}}}}"


def _rule(text: str) -> str:
    return _version(f'{_PHASE}, x-kubernetes-validations: [{{rule: "{text}"}}]')


@Caution(
    "status-subresource-without-schema",
    "Status subresource of a schema without `status`",
    scope="version",
    observed=("status-without-subresource-schema", "status-of-a-root-without-fields"),
    why="The API server drops every status that a controller writes.",
    help="Add `status` to the schema, or disable the subresource",
    marker="remove `+kubebuilder:subresource:status`, or add the field `Status`",
    bad=_version("properties: {spec: {type: string}}"),
    good=_version(_PHASE),
).practice
def _no_schema(crd: DecodedCRD) -> Iterator[Advisory]:
    for parts in () if crd.spec.preserve_unknown_fields else crd.parts:
        root = parts.schema if parts.has_status else None
        if root is None or root.type != "object" or root.x_preserve_unknown_fields:
            continue
        if _STATUS not in root.properties:
            path = parts.path.child("subresources", "status")
            yield Advisory("`status` is not in the schema: the API server drops every status", path)


@Caution(
    "status-read-on-create",
    "Rule reads the status of new objects, which have none",
    scope="version",
    observed=("status-read-on-create",),
    why="With the status subresource, the API server drops the status of a new object before it evaluates rules. The rule then "
    "fails with `no such key: status`, so no object can be created.",
    help=OneCommand("Write `!has(self.status) || ...`"),
    marker="correct `+kubebuilder:validation:XValidation`",
    bad=_rule("self.status.phase != 'Failed'"),
    good=_rule("!has(self.status) || !has(self.status.phase) || self.status.phase != 'Failed'"),
).practice
def status_on_create(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the rules of a root that always read the status, which new objects do not have."""
    rules = [
        each for each in crd.rules if each.node.schema.parent is None and "status" in each.rule.rule
    ]
    if not rules:
        return
    from crdlint.cel.source_ranges import range_at

    with_status = {id(parts.schema) for parts in crd.parts if parts.has_status}
    for rule in rules:
        schema, compiled = rule.node.schema, rule.compiled
        is_not_on_create = compiled.uses_old_self or compiled.rule.error is not None
        if id(schema) not in with_status or not _lacks_status(schema) or is_not_on_create:
            continue
        read = _failing_read(compiled.rule.compiled.expr)
        if read is not None:
            source = compiled.rule.compiled.source
            span = range_at(source.text, source.offsets[read.id][0])
            message = (
                "rule reads `self.status`, which new objects do not have: no object can be created"
            )
            yield Advisory(message, rule.path.child("rule"), inside=span)


def _lacks_status(schema: JSONSchemaProps) -> bool:
    """Return whether the status that the schema of an object has is not set by a default."""
    field = schema.properties.get(_STATUS)
    return field is not None and field.default is None


def _failing_read(expr: Expr) -> Select | None:
    """Return a read of `self.status` because of which a rule is false or fails if there is no status, or None.

    `false && error` is false and `true && error` fails, so one such part of a conjunction is enough.
    """
    from crdlint.cel.ast import Call

    if isinstance(expr, Call) and expr.function == "_&&_":
        return next(filter(None, map(_failing_read, expr.args)), None)
    return _certain_read(expr)


def _certain_read(expr: Expr) -> Select | None:
    """Return a read of `self.status` without which an expression has no value, or None."""
    from crdlint.cel.ast import Call, Comprehension, Ident, Select

    if isinstance(expr, Select):
        operand = expr.operand
        is_status = expr.field == _STATUS and isinstance(operand, Ident) and operand.name == "self"
        return expr if is_status and not expr.test_only else _certain_read(operand)
    if isinstance(expr, Comprehension):
        return _certain_read(expr.iter_range)
    if not isinstance(expr, Call):
        return None
    if expr.function in {"_||_", "_&&_"}:  # an error of one side may not matter
        reads = list(map(_certain_read, expr.args))
        return reads[0] if all(reads) else None
    parts = expr.args[:1] if expr.function == "_?_:_" else [*expr.args]
    if expr.target is not None:
        parts.append(expr.target)
    return next(filter(None, map(_certain_read, parts)), None)


def _drops_unknown(schema: JSONSchemaProps) -> bool:
    keeps = (
        schema.x_preserve_unknown_fields or schema.additional_properties or keeps_as_item(schema)
    )
    return schema.type == "object" and not keeps and not schema.x_embedded_resource


@Caution(
    "alternative-never-met",
    "Alternative requires a field that the schema drops",
    observed=("alternative-requires-a-dropped-field",),
    why="The API server drops fields that are not in the `properties` of the object itself before it validates, so an "
    "alternative that requires such a field is never met.",
    help="Add the field to the `properties` beside the alternatives, or correct its name",
    bad="a: {type: object, properties: {left: {type: string}}, oneOf: [{required: [left]}, {required: [right]}]}",
    good="a: {type: object, properties: {left: {type: string}, right: {type: string}}, "
    "oneOf: [{required: [left]}, {required: [right]}]}",
).advice_on(Nodes({"oneOf", "anyOf", "allOf"}, types={"object"}))
def _never_met(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterator[Advisory]:
    is_free = crd.spec.preserve_unknown_fields or in_junctor(schema) or not _drops_unknown(schema)
    if is_free:
        return
    names = {*schema.properties, *(META_FIELDS if schema.parent is None else ())}
    junctors = {"oneOf": schema.one_of, "anyOf": schema.any_of, "allOf": schema.all_of}
    for keyword, parts in junctors.items():
        dead = {i: lost for i, part in enumerate(parts) if (lost := _lost(part, names)) is not None}
        is_never_valid = bool(dead) and (keyword == "allOf" or len(dead) == len(parts))
        for i, name in dead.items():
            path = schema.path.child(keyword).index(i).child("required")
            what = "no object is valid" if is_never_valid else "the alternative is never met"
            near = nearest(name, schema.properties, _LIKE)
            help_ = f"Write `{near}`, or add `{name}` to `properties`" if near else None
            yield Advisory(
                f"`{name}` is not in `properties`, so it is dropped and {what}", path, help_
            )


def _lost(part: JSONSchemaProps, names: set[str]) -> str | None:
    return next((name for name in part.required if name not in names), None)
