"""On request: types, descriptions, status, columns and rules by the Kubernetes API conventions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.record import semantic_equal
from crdlint.golang.printing import marshal
from crdlint.kubecel.cost import RUNTIME_BUDGET
from crdlint.rules.advice.columns import fields_of_columns
from crdlint.rules.advice.pruned_objects import (
    is_arbitrary,
    is_of_root,
    keeps_as_item,
    may_be_without_keys,
)
from crdlint.rules.advice.server_side_apply import is_conditions
from crdlint.rules.engine.advisory import (
    Advisory,
    DecodedCRD,
    in_junctor,
    is_of_metadata,
    is_own_field,
    property_name,
    top_property,
    version_parts,
)
from crdlint.rules.engine.markers import validation
from crdlint.rules.engine.rule import Nodes, OnRequest
from crdlint.schema.defaulting import apply_defaults
from crdlint.schema.json_paths import steps
from crdlint.schema.structural import junctors

_Convention: Final = partial(OnRequest, in_set="conventions")
_OfVersion: Final = partial(_Convention, scope="version")
_SUBRESOURCE: Final = "subresources: {status: {}}\n"
_CONDITIONS: Final = (
    "conditions: {{type: array, items: {{type: object, properties: {{type: {{type: string}}, status: {{type: string}}, "
    "reason: {{type: string}}, lastTransitionTime: {{type: string, format: date-time}}{}}}}}}}"
)
_AGE: Final = "{name: Age, type: date, jsonPath: .metadata.creationTimestamp}"
_READY: Final = "{name: Ready, type: boolean, jsonPath: .spec.ready}"
_CONDITION: Final = ("type", "status", "reason", "message", "lastTransitionTime")
# The types of fields whose values a column can show.
_SHOWN: Final = {
    "integer": {"integer", "number"}, "number": {"integer", "number"}, "boolean": {"boolean"}, "date": {"string"},
}  # fmt: skip
_MOST_PARTS: Final = 32  # of an allOf, since each is compared with all others


def _version(root: str, more: str = "") -> str:
    return f"schema: {{openAPIV3Schema: {{type: object, {root}}}}}\n{more}"


def _status(fields: str, required: str = "") -> str:
    return _version(
        f"properties: {{status: {{type: object, {required}properties: {{{fields}}}}}}}",
        _SUBRESOURCE,
    )


def _scale(more: str) -> str:
    paths = f"{{specReplicasPath: .spec.a, statusReplicasPath: .status.a{more}}}"
    return _version(
        "x-kubernetes-preserve-unknown-fields: true", f"subresources: {{scale: {paths}}}\n"
    )


def _columns(columns: str) -> str:
    fields = (
        "ready: {type: boolean}, list: {type: array, items: {type: string}}, at: {type: string}"
    )
    done = "done: {type: string, format: date-time}"
    root = f"properties: {{spec: {{type: object, properties: {{{fields}, {done}}}}}}}"
    return _version(root, f"additionalPrinterColumns: [{columns}]\n")


@_Convention(
    "bool",
    "Field is a boolean",
    claims_nothing=True,
    why="The API conventions prefer enums of strings: a boolean cannot get a third value later.",
    help="Use a string with an enum in a new version",
    bad="a: {type: boolean}",
    good="a: {type: string, enum: [Enabled, Disabled]}",
).advice_on(Nodes(types={"boolean"}))
def _bool(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    if is_own_field(schema):
        yield Advisory("a boolean cannot get a third value", schema.path)


@_Convention(
    "float-in-spec",
    "Floating-point number in the spec",
    claims_nothing=True,
    why="Languages and encodings round floating-point numbers differently, so an equal value may look changed to a controller.",
    help="Use an integer with a smaller unit, or a quantity, in a new version",
    bad="spec: {type: object, properties: {ratio: {type: number}}}",
    good="spec: {type: object, properties: {percent: {type: integer, format: int32}}}",
).advice_on(Nodes(types={"number"}))
def _float(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    if not in_junctor(schema) and top_property(schema) == "spec":
        yield Advisory("the number may be rounded", schema.path)


@_Convention(
    "integer-without-format",
    "Integer without a format",
    claims_nothing=True,
    why="Generators of clients choose a type of their own, which may be too small.",
    help="Add `format: int32` or `format: int64`",
    marker="write `+kubebuilder:validation:Format=int32`",
    bad="a: {type: integer}",
    good="a: {type: integer, format: int32}",
).advice_on(Nodes(types={"integer"}, without={"format"}))
def _format(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    if is_own_field(schema):
        yield Advisory("the integer has no `format`", schema.path)


@_Convention(
    "nullable",
    "Field is nullable",
    observed=("null-for-clients",),
    why="Many clients do not distinguish null from a missing field, and remove the null.",
    help="Remove `nullable`, and leave the field out where it has no value",
    marker="remove `+nullable`",
    bad="a: {type: string, nullable: true}",
    good="a: {type: string}",
).advice_on(Nodes({"nullable"}))
def _nullable(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    if schema.nullable:
        yield Advisory("the field may be null", schema.path.child("nullable"))


@_Convention(
    "description-missing",
    "Field without a description",
    scope="schema",
    observed=("explain-without-description",),
    why="`kubectl explain` and editors show nothing about the field.",
    help="Add a `description`",
    marker="write a comment above the field",
    bad="type: object\ndescription: A foo.\nproperties: {a: {type: string}}\n",
    good="type: object\ndescription: A foo.\nproperties: {a: {type: string, description: The name.}}\n",
).advice_on(Nodes(without={"description"}))
def _described(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    name = property_name(schema)
    if (name is not None and not is_of_metadata(schema)) or schema.parent is None:
        yield Advisory(f"{f'`{name}`' if name else 'the schema'} has no description", schema.path)


@_Convention(
    "array-items-all-optional",
    "Items of a list have no required field",
    observed=("item-field-becomes-required", "items-of-optional-fields"),
    why="An empty item is valid, and the difference between `- {}` and no item is hard to see.",
    help="Add the field that identifies an item to `required`; edits of stored lists with an item without it are then rejected",
    marker="write `+required` on the field of the item",
    bad="a: {type: array, items: {type: object, properties: {name: {type: string}}}}",
    good="a: {type: array, items: {type: object, required: [name], properties: {name: {type: string}}}}",
).advice_on(Nodes({"items"}))
def _items(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    items = schema.item_schema
    if items is not None and items.properties and not items.required and not any(junctors(items)):
        yield Advisory("an empty item is valid", schema.path.child("items"))


@_Convention(
    "root-extra-fields",
    "Field beside `spec` and `status`",
    scope="schema",
    observed=("root-fields-beside-status",),
    why="Tools and users expect the wanted state in `spec`. The status subresource also ignores changes of other fields.",
    help="Move the field into `spec` or `status` in a new version",
    bad="type: object\nproperties: {operation: {type: string}}\n",
    good="type: object\nproperties: {spec: {type: string}}\n",
).advice_on(Nodes({"properties"}))
def _root(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    for name, field in schema.properties.items() if schema.parent is None else ():
        if name not in {"apiVersion", "kind", "metadata", "spec", "status"}:
            yield Advisory(f"`{name}` is beside `spec` and `status`", field.path)


@_OfVersion(
    "observed-generation-missing",
    "Status without `observedGeneration`",
    claims_nothing=True,
    why="Tools such as kstatus and Argo CD cannot see whether a status is about the current spec.",
    help="Add `observedGeneration` (type integer, format int64) to the status, and let the controller set it",
    bad=_status("phase: {type: string}"),
    good=_status("observedGeneration: {type: integer, format: int64}"),
).advice_on(Nodes(types={"object"}, without={"additionalProperties"}))
def _generation(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    lacks_it = (
        not schema.x_preserve_unknown_fields and "observedGeneration" not in schema.properties
    )
    if lacks_it and is_of_root(schema, "status"):
        yield Advisory("the status has no `observedGeneration`", schema.path)


@_OfVersion(
    "status-children-required",
    "Field of the status is required",
    observed=("status-children-required",),
    why="The API server rejects a status that a controller writes in parts, until all required fields are set.",
    help="Remove `required` from the status",
    marker="write `+optional` on the field",
    bad=_status("phase: {type: string}", "required: [phase], "),
    good=_status("phase: {type: string}"),
).advice_on(Nodes({"required"}))
def _children(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    if schema.required and schema.default is None and is_of_root(schema, "status"):
        yield Advisory(
            f"a status without `{schema.required[0]}` is rejected", schema.path.child("required")
        )


@_OfVersion(
    "conditions-nonstandard",
    "Conditions lack a field of metav1.Condition",
    observed=("conditions-and-kubectl-wait",),
    why="`kubectl wait` needs the type and the status of a condition. Other tools also read the rest of metav1.Condition.",
    help="Add the fields of metav1.Condition: type, status, reason, message and lastTransitionTime",
    bad=_status(_CONDITIONS.format("")),
    good=_status(_CONDITIONS.format(", message: {type: string}")),
).advice_on(Nodes({"items"}))
def _conditions(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    items = schema.item_schema
    if (
        items is None
        or items.x_preserve_unknown_fields
        or keeps_as_item(items)
        or not is_conditions(schema)
    ):
        return
    missing = [name for name in _CONDITION if name not in items.properties]
    if missing:
        yield Advisory(
            f"the conditions lack {', '.join(f'`{name}`' for name in missing)}", schema.path
        )


@_Convention(
    "default-below-optional",
    "Default in an optional object without a default",
    withheld=True,
    observed=("default-below-optional", "default-object-must-pass-rules"),
    why="The API server sets the default only if the object above it is set, so an empty resource does not get it.",
    help="Add `default: {}` to the object",
    marker="write `+kubebuilder:default={}` on the field",
    bad="spec: {type: object, properties: {mode: {type: string, default: Fast}}}",
    good="spec: {type: object, default: {}, properties: {mode: {type: string, default: Fast}}}",
).advice_on(Nodes({"properties"}))
def _default(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield an object at most two levels below the root whose defaults only apply if it is set, though `default: {}` would do."""
    parent = schema.parent
    is_near_root = parent is not None and (parent.parent is None or parent.parent.parent is None)
    if (
        parent is None
        or not is_near_root
        or is_of_metadata(schema)
        or not _could_have_default(schema)
    ):
        return
    defaults = [field for field, below in schema.properties.items() if below.default is not None]
    if not defaults or not set(schema.required).issubset(defaults) or _breaks_rules(schema, crd):
        return
    name = str(schema.steps[1])
    help_ = f"Add `default: {{}}` to `{name}`"
    has_required = all(
        field in parent.properties and parent.properties[field].default is not None
        for field in parent.required
    )
    if _could_have_default(parent) and has_required and not _breaks_rules(parent, crd):
        help_ += f", and to `{parent.steps[1]}`"
    yield Advisory(
        f"the default of `{min(defaults)}` is not set if `{name}` is missing", schema.path, help_
    )


def _breaks_rules(schema: JSONSchemaProps, crd: DecodedCRD) -> bool:
    """Return whether an empty object breaks a rule after the API server has set its defaults, so that it cannot be a default."""
    if not crd.rules:
        return False
    from crdlint.kubecel.evaluation import OutOfBudgetError, RuleValidators, Run, validate_rules

    value: dict[str, Any] = {}
    apply_defaults(value, schema)
    run = Run("", RUNTIME_BUDGET)
    try:
        validate_rules(
            RuleValidators(crd.versions.newest).of(schema, is_root=False), run, None, value, value
        )
    except OutOfBudgetError:
        return True
    return bool(run.errors)


def _could_have_default(schema: JSONSchemaProps) -> bool:
    """Return whether a schema is an optional property without a default, and nothing but `required` keeps it from being empty."""
    parent, name = schema.parent, property_name(schema)
    if parent is None or name is None or name in parent.required or schema.type != "object":
        return False
    return schema.default is None and not schema.min_properties and not any(junctors(schema))


@_Convention(
    "spec-optional-hides-required",
    "Optional `spec` with required fields",
    scope="schema",
    observed=("required-spec-locks-objects",),
    why="An object without any `spec` is accepted, although fields of the spec are required.",
    help="Add `spec` to the `required` of the root in a new CRD; in an existing one, objects without `spec` can then no longer be "
    "updated, not even to remove a finalizer",
    marker="write `+required` on the field `Spec`",
    bad="type: object\nproperties: {spec: {type: object, required: [mode], properties: {mode: {type: string}}}}",
    good="type: object\nrequired: [spec]\n"
    "properties: {spec: {type: object, required: [mode], properties: {mode: {type: string}}}}",
).advice_on(Nodes({"required"}))
def _spec(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    needs_value = bool(schema.required) and schema.default is None
    if needs_value and is_of_root(schema, "spec") and "spec" not in schema.root_schema.required:
        message = f"an object without `spec` is accepted, although `{schema.required[0]}` is required in it"
        yield Advisory(message, schema.path)


@_OfVersion(
    "printer-columns-lose-age",
    "Printer columns without the age",
    observed=("columns-without-age",),
    why="`kubectl get` shows the age only if no columns are specified, or one of them shows `.metadata.creationTimestamp`.",
    help="Add a column of type date with the path `.metadata.creationTimestamp`",
    marker='write `+kubebuilder:printcolumn:name="Age",type="date",JSONPath=".metadata.creationTimestamp"`',
    bad=_columns(_READY),
    good=_columns(f"{_READY}, {_AGE}"),
).practice
def _age(crd: DecodedCRD) -> Iterator[Advisory]:
    for parts in version_parts(crd.spec):
        paths = [[name for name, _ in steps(column.json_path)] for column in parts.columns]
        if paths and ["metadata", "creationTimestamp"] not in paths:
            yield Advisory(
                "`kubectl get` does not show the age", parts.path.child("additionalPrinterColumns")
            )


@_OfVersion(
    "printer-column-not-scalar",
    "Printer column of a list or an object",
    observed=("column-of-a-list",),
    why="`kubectl get` prints the value as JSON.",
    help="Use the path of a scalar: of one item of the list, or of one field of the object",
    marker="correct the `JSONPath` of `+kubebuilder:printcolumn`",
    bad=_columns(f"{{name: A, type: string, jsonPath: .spec.list}}, {_AGE}"),
    good=_columns(f"{_READY}, {_AGE}"),
).practice
def _not_scalar(crd: DecodedCRD) -> Iterator[Advisory]:
    for column, schema, path in fields_of_columns(crd):
        if schema.type in {"array", "object"}:
            message = f"the column {column.name} prints an {schema.type} as JSON"
            scalar = (
                f"one item, such as `{column.json_path}[0]`"
                if schema.type == "array"
                else "one of its fields"
            )
            yield Advisory(message, path.child("jsonPath"), f"Use the path of {scalar}")


@_OfVersion(
    "printer-column-type-mismatch",
    "Printer column has another type than its field",
    observed=("column-of-another-type",),
    why="`kubectl get` shows nothing for a value that it cannot convert to the type of the column.",
    help="Set the type of the column to that of the field, or to `string`",
    marker="correct the `type` of `+kubebuilder:printcolumn`",
    bad=_columns(f"{{name: A, type: integer, jsonPath: .spec.ready}}, {_AGE}"),
    good=_columns(f"{_READY}, {_AGE}"),
).practice
def _mismatch(crd: DecodedCRD) -> Iterator[Advisory]:
    for column, schema, path in fields_of_columns(crd):
        if schema.type not in _SHOWN.get(column.type, {schema.type}):
            message = f"the column {column.name} is of type {column.type}, its field of type {schema.type}"
            shown = schema.type if schema.type in {"integer", "number", "boolean"} else "string"
            yield Advisory(message, path.child("type"), f"Set the type of the column to `{shown}`")


@_OfVersion(
    "scale-without-selector",
    "Scale subresource without `labelSelectorPath`",
    observed=("scale-selector-of-wrong-type",),
    why="HorizontalPodAutoscalers need the selector to find the pods. `kubectl scale` works without it.",
    help="Add `labelSelectorPath` with the path of a string in the status",
    marker="add `selectorpath` to `+kubebuilder:subresource:scale`",
    bad=_scale(""),
    good=_scale(", labelSelectorPath: .status.b"),
).practice
def _selector(crd: DecodedCRD) -> Iterator[Advisory]:
    for parts in version_parts(crd.spec):
        scale = parts.subresources.scale if parts.subresources is not None else None
        if scale is not None and not scale.label_selector_path:
            message = (
                "HorizontalPodAutoscalers cannot find the pods: `labelSelectorPath` is missing"
            )
            yield Advisory(message, parts.path.child("subresources", "scale"))


@_Convention(
    "rule-as-schema",
    "Rule that a keyword of the schema can express",
    observed=("keyword-instead-of-a-rule",),
    why="A keyword costs nothing to evaluate, and clients and editors know it.",
    help="Use the keyword instead, unless the rule has a message that users need",
    bad="a: {type: integer, x-kubernetes-validations: [{rule: self >= 1}]}",
    good="a: {type: integer, minimum: 1}",
).practice
def _as_schema(crd: DecodedCRD) -> Iterator[Advisory]:
    if not crd.rules:
        return
    from crdlint.kubecel.syntax_trees import keywords_for

    for rule in crd.rules:
        schema = rule.node.schema
        keywords = keywords_for(rule.compiled.rule.compiled.expr, schema.type, schema.format)
        if keywords and not (schema.nullable and "enum" in keywords):  # no enum accepts null
            text = " and ".join(
                f"`{keyword}: {marshal(value)}`" for keyword, value in keywords.items()
            )
            markers = " and ".join(
                validation(schema, keyword, value) for keyword, value in keywords.items()
            )
            marker = "" if "enum" in keywords else f"write {markers}"
            path = rule.path.child("rule")
            message = f"{text} {'express' if len(keywords) > 1 else 'expresses'} the same"
            yield Advisory(message, path, f"Replace the rule by {text}", marker=marker)


@_Convention(
    "rule-without-message",
    "Rule without a message",
    observed=("rule-with-and-without-message",),
    why="Users see `failed rule:` and the expression.",
    help="Add a `message` with what is expected",
    marker="add a `message` to `+kubebuilder:validation:XValidation`",
    bad="a: {type: integer, x-kubernetes-validations: [{rule: self % 2 == 0}]}",
    good="a: {type: integer, x-kubernetes-validations: [{rule: self % 2 == 0, message: must be even}]}",
).advice_on(Nodes({"x-kubernetes-validations"}))
def _message(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    for i, rule in enumerate(schema.x_validations):
        if not rule.message and not rule.message_expression:
            path = schema.path.child("x-kubernetes-validations").index(i)
            yield Advisory("users see the expression instead of a message", path.child("rule"))


@_Convention(
    "allof-duplicate",
    "Part of `allOf` is repeated",
    observed=("allof-with-equal-parts",),
    why="The repeated part checks nothing new. controller-gen writes it if a marker is on the type and on the field.",
    help="Remove the repeated part",
    marker="remove the marker from the type or from the field",
    bad="a: {type: string, allOf: [{enum: [A, B]}, {enum: [A, B]}]}",
    good="a: {type: string, enum: [A, B]}",
).advice_on(Nodes({"allOf"}))
def _all_of(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    for i, part in enumerate(schema.all_of[:_MOST_PARTS]):
        if any(semantic_equal(part, other) for other in schema.all_of[:i]):
            yield Advisory("the same part is above", schema.path.child("allOf").index(i))


@_Convention(
    "nested-object-prunes-everything",
    "Every field of an object is dropped",
    observed=("nested-unknown-object",),
    why="The API server drops every field that the schema does not specify, and this object specifies none.",
    help="Specify the `properties` of the object, or add `x-kubernetes-preserve-unknown-fields: true`",
    marker="write `+kubebuilder:pruning:PreserveUnknownFields`",
    bad="a: {type: object}",
    good="a: {type: object, additionalProperties: {type: string}}",
).advice_on(Nodes(when=may_be_without_keys))
def _object(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield an object without keys that is no member of a union."""
    parent = schema.parent
    name = property_name(schema)
    if (
        schema.properties
        or parent is None
        or keeps_as_item(schema)
        or name == "metadata"
        or is_of_metadata(schema)
    ):
        return
    if crd.spec.preserve_unknown_fields or is_of_root(schema, "spec") or is_arbitrary(schema):
        return  # the latter two are reported by default
    if name is None or not _is_member_of_union(name, parent):
        yield Advisory("every key below is dropped", schema.path)


def _is_member_of_union(name: str, union: JSONSchemaProps) -> bool:
    if union.max_properties == 1:
        return True
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    if any(word.search(rule.rule) for rule in union.x_validations):
        return True
    parts = [*junctors(union)]
    for part in parts:  # which grows
        if name in part.required:
            return True
        parts += junctors(part)
    return False
