"""Advice: objects whose keys the API server drops, since their schema specifies none."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.diagnostics import Severity
from crdlint.light import regex
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.edits import Edits
from crdlint.rules.engine.finding import AdviceFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.engine.rule import Caution, Hint, Nodes
from crdlint.yaml.editor import UneditableError

_LABELS: Final = "type: object\n    additionalProperties:\n      type: string"
_MAPS: Final = f"\n  annotations:\n    {_LABELS}\n  labels:\n    {_LABELS}"
_MAPS_OF_EXAMPLE: Final = _MAPS.replace("\n", "\n          ")
_TEMPLATE: Final = """\
spec:
  type: object
  properties:
    template:
      type: object
      properties:
        metadata:
"""
_OBJECT: Final = "          type: object\n"
# The fields beside `type` and `properties` that let an object have keys.
_KEYS: Final = frozenset(
    {
        "additionalProperties",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-int-or-string",
    }
)
_ARBITRARY: Final = regex(
    r"\b(?:arbitrary|free-?\s?form|any (?:(?:valid )?(?:JSON|YAML)|data|fields?|keys?|kind|object|structure|types?|values?))\b",
    re.IGNORECASE,
)


@Fixer("Add labels and annotations to the metadata", "unsafe")
def _with_labels(finding: AdviceFinding) -> Edits:
    for path in finding.subject_as(tuple):
        metadata = finding.mapping(path)
        if metadata.find("properties") is not None:
            raise UneditableError
        maps = "{type: object, additionalProperties: {type: string}}"
        if metadata.flow:
            yield finding.editor.insert(
                metadata, "properties", f"{{annotations: {maps}, labels: {maps}}}"
            )
        else:
            yield finding.editor.insert(
                metadata,
                "properties",
                _MAPS,
                before="type",
            )


@Fixer("Keep the object's unknown fields", "unsafe")
def _with_unknown_fields(finding: AdviceFinding) -> Edits:
    yield finding.editor.insert(
        finding.mapping(finding.path), "x-kubernetes-preserve-unknown-fields", "true"
    )


def may_be_without_keys(fields: frozenset[str], type_: str) -> bool:
    """Return whether a schema is an object that nothing but its type and its `properties` describe."""
    return type_ == "object" and _KEYS.isdisjoint(fields)


@Caution(
    "embedded-metadata-pruned",
    "Labels and annotations of embedded metadata are dropped",
    observed=("pruned-fields-by-client",),
    why="The API server drops every field that the schema does not specify, and this `metadata` specifies none. `kubectl apply` "
    "rejects labels and annotations there. Server-side apply, and clients that do not validate strictly, lose them.",
    help="Add `labels` and `annotations` to the properties of `metadata`, as maps of strings",
    marker="use the option `crd:generateEmbeddedObjectMeta=true`",
    bad=f"{_TEMPLATE}{_OBJECT}",
    good=f"{_TEMPLATE}          properties:{_MAPS_OF_EXAMPLE}\n{_OBJECT}",
    fixes=(_with_labels,),
).advice_on(Nodes(when=may_be_without_keys), once=True)
def _metadata(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterable[Advisory]:
    parent = schema.parent
    if (
        schema.properties
        or schema.steps != ("properties", "metadata")
        or parent is None
        or parent.parent is None
    ):
        return ()
    if parent.x_embedded_resource or crd.spec.preserve_unknown_fields:
        return ()
    severity: Severity | None = "info" if _is_ephemeral_volume(parent) else None
    return [
        Advisory("labels and annotations written here are dropped", schema.path, severity=severity)
    ]


def _is_ephemeral_volume(schema: JSONSchemaProps) -> bool:
    """Return whether a schema is the claim of Kubernetes' EphemeralVolumeSource, as in a copy of a PodSpec."""
    source = schema.parent
    return (
        schema.steps == ("properties", "volumeClaimTemplate")
        and source is not None
        and source.properties.keys() <= _OF_EPHEMERAL_VOLUME
    )


# The fields of EphemeralVolumeSource; `readOnly` is gone since Kubernetes 1.20.
_OF_EPHEMERAL_VOLUME: Final = frozenset({"volumeClaimTemplate", "readOnly"})


@Hint(
    "object-prunes-everything",
    "Every field of `spec`, or of an arbitrary object, is dropped",
    observed=("pruned-fields-by-client", "nested-unknown-object"),
    why="The API server drops every field that the schema does not specify, and this object specifies none. `kubectl apply` "
    "rejects fields in it. Server-side apply, and clients that do not validate strictly, lose them without an error.",
    help="Specify the `properties` of the object, or add `x-kubernetes-preserve-unknown-fields: true`",
    marker="write `+kubebuilder:pruning:PreserveUnknownFields`",
    bad="spec:\n  type: object",
    good="spec:\n  type: object\n  x-kubernetes-preserve-unknown-fields: true",
    fixes=(_with_unknown_fields,),
).advice_on(Nodes(when=may_be_without_keys))
def _objects(schema: JSONSchemaProps, crd: DecodedCRD) -> Iterable[Advisory]:
    if (
        schema.properties
        or schema.parent is None
        or crd.spec.preserve_unknown_fields
        or keeps_as_item(schema)
    ):
        return ()
    # An empty status is usually meant: its controller writes nothing.
    if is_of_root(schema, "spec") or is_arbitrary(schema):
        return [Advisory("every key below is dropped", schema.path)]
    return ()


def is_of_root(schema: JSONSchemaProps, name: str) -> bool:
    """Return whether a schema is that of a property of the root."""
    return (
        schema.steps == ("properties", name)
        and schema.parent is not None
        and schema.parent.parent is None
    )


def is_arbitrary(schema: JSONSchemaProps) -> bool:
    """Return whether an object may have any keys, by its description."""
    is_metadata = schema.steps == ("properties", "metadata")
    return (
        not is_metadata
        and bool(schema.description)
        and _ARBITRARY.search(schema.description) is not None
    )


def keeps_as_item(schema: JSONSchemaProps) -> bool:
    """Return whether the list of an item keeps the item's unknown fields."""
    parent = schema.parent
    return (
        schema.steps[:1] == ("items",)
        and parent is not None
        and bool(parent.x_preserve_unknown_fields)
    )
