"""On request: types, descriptions, status, columns and rules by the Kubernetes API conventions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.rules.advice.pruned_objects import (
    is_of_root,
    may_be_without_keys,
)
from crdlint.rules.engine.advisory import (
    Advisory,
    DecodedCRD,
)
from crdlint.rules.engine.rule import Nodes, OnRequest
from crdlint.schema.json_paths import steps

_Convention: Final = partial(OnRequest, in_set="conventions")
_OfVersion: Final = partial(_Convention, scope="version")
_SUBRESOURCE: Final = "subresources: {status: {}}\n"
_AGE: Final = "{name: Age, type: date, jsonPath: .metadata.creationTimestamp}"
_READY: Final = "{name: Ready, type: boolean, jsonPath: .spec.ready}"


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
    for parts in crd.parts:
        paths = [[name for name, _ in steps(column.json_path)] for column in parts.columns]
        if paths and ["metadata", "creationTimestamp"] not in paths:
            yield Advisory(
                "`kubectl get` does not show the age", parts.path.child("additionalPrinterColumns")
            )


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
    for parts in crd.parts:
        scale = parts.scale
        if scale is not None and not scale.label_selector_path:
            message = (
                "HorizontalPodAutoscalers cannot find the pods: `labelSelectorPath` is missing"
            )
            yield Advisory(message, parts.path.child("subresources", "scale"))


def _scaled(keywords: str) -> str:
    fields = f"spec: {{type: object, properties: {{a: {{type: integer{keywords}}}}}}}"
    status = "status: {type: object, properties: {a: {type: integer}}}"
    scale = "{specReplicasPath: .spec.a, statusReplicasPath: .status.a}"
    return _version(
        f"properties: {{{fields}, {status}}}", f"subresources: {{status: {{}}, scale: {scale}}}\n"
    )


@_OfVersion(
    "scale-path-optional",
    "Scale path to a field that may be missing",
    observed=("scale-of-an-optional-field",),
    why="While `specReplicasPath` has no value in an object, reads of its scale fail with an internal error, and autoscalers begin "
    "with a read. It is harmless if a webhook or the controller always sets the field.",
    help="Add a default to the field, and `default: {}` to each optional object around it",
    marker="write `+kubebuilder:default` on the field",
    bad=_scaled(""),
    good=_scaled(", default: 1"),
).practice
def _optional_replicas(crd: DecodedCRD) -> Iterator[Advisory]:
    for parts in crd.parts:
        scale = parts.scale
        path = "" if scale is None else scale.spec_replicas_path
        optional = None if parts.schema is None else _optional_step(parts.schema, path)
        if optional is not None:
            message = f"autoscalers fail for an object without `{optional}`: the server cannot read its scale"
            yield Advisory(message, parts.path.child("subresources", "scale", "specReplicasPath"))


def _optional_step(root: JSONSchemaProps, path: str) -> str | None:
    """Return the first field of a path that an object may lack, None if there is none, or if the schema lacks one.

    The first step, such as `.spec`, does not count: all objects have it.
    """
    optional = None
    schema = root
    for name, end in steps(path):
        field = schema.properties.get(name or "")
        if field is None:
            return None
        is_always_set = name in schema.required or field.default is not None
        is_first = schema is root
        if not is_always_set and not is_first and optional is None:
            optional = path[:end]
        schema = field
    return optional


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
    "root-prunes-everything",
    "Every field of the objects is dropped",
    scope="schema",
    observed=("root-keeps-nothing",),
    why="The API server drops every field that the schema does not specify, and this schema specifies none.",
    help="Specify the `properties` of the root, or add `x-kubernetes-preserve-unknown-fields: true`",
    marker="write `+kubebuilder:pruning:PreserveUnknownFields`",
    bad="type: object",
    good="type: object\nproperties: {spec: {type: object, additionalProperties: {type: string}}}",
).advice_on(Nodes(when=may_be_without_keys))
def _root(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterator[Advisory]:
    keeps_fields = schema.properties or crd.spec.preserve_unknown_fields
    if schema.parent is None and not keeps_fields:
        message = "the API server drops every field of the objects but `metadata`"
        yield Advisory(message, schema.path)


@_Convention(
    "pattern-unanchored",
    "Pattern is anchored at neither end",
    observed=("patterns-without-anchors",),
    why="The API server accepts every text of which some part matches the pattern.",
    help="Write the pattern, and each of its alternatives, between `^` and `$`",
    marker="correct `+kubebuilder:validation:Pattern`",
    bad="a: {type: string, maxLength: 9, pattern: '[a-z]+'}",
    good="a: {type: string, maxLength: 9, pattern: '^[a-z]+$'}",
).advice_on(Nodes({"pattern"}))
def _unanchored(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    from crdlint.golang.regexp import anchors

    if schema.pattern and anchors(schema.pattern) == (False, False):
        yield Advisory(
            "any text with a part that matches the pattern is accepted",
            schema.path.child("pattern"),
        )
