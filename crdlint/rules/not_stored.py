"""Advice: values that the API server does not store, which GitOps tools always see as a difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.golang.values import marshal
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.finding import Fixer, removal
from crdlint.rules.engine.rule import Hint, Nodes
from crdlint.yaml.nodes import Mapping, Node, Scalar, child, items_of
from crdlint.yaml.resolve import resolve

NOT_STORED = Hint(
    id="not-stored",
    in_set="gitops",
    summary="Value that the API server does not store",
    why="The API leaves out empty values and `false` where they are the default. GitOps tools compare the file with the "
    "cluster and see a difference that no sync removes.",
    bad="preserveUnknownFields: false",
    good="{}",
    help="Remove the line: without it the API server stores the same CRD",
    scope="spec",
    fixes=(Fixer("Remove the value", "safe", removal),),
)

# What encoding/json leaves out (omitempty): fields that are false, 0 or empty, by the object that has them.
_METADATA: Final = (
    "labels", "annotations", "finalizers", "generateName", "generation", "managedFields", "namespace", "ownerReferences",
    "resourceVersion", "selfLink", "uid",
)  # fmt: skip
_SPEC: Final = ("preserveUnknownFields",)
_NAMES: Final = ("singular", "listKind", "shortNames", "categories")
_VERSION: Final = ("deprecated", "additionalPrinterColumns", "selectableFields")
_COLUMN: Final = ("format", "description", "priority")
_CLIENT: Final = ("caBundle",)
_RULE: Final = ("message", "messageExpression", "fieldPath")
_SCHEMA: Final = {
    name: attribute
    for attribute, _, name, _ in JSONSchemaProps.FIELDS
    if name
    in {
        "id", "$schema", "title", "format", "pattern", "nullable", "uniqueItems", "exclusiveMinimum",
        "exclusiveMaximum", "enum", "required", "allOf", "oneOf", "anyOf", "properties", "patternProperties",
        "definitions", "dependencies", "x-kubernetes-embedded-resource", "x-kubernetes-int-or-string",
        "x-kubernetes-list-map-keys", "x-kubernetes-validations",
    }
}  # fmt: skip


@NOT_STORED.practice
def not_stored(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the values that decoding and encoding by the API's own types lose, but not null, and nothing of the status."""
    spec = Path("spec")
    yield from _within(child(crd.root, "metadata"), _METADATA, Path("metadata"))
    node = child(crd.root, "spec")
    yield from _within(node, _SPEC, spec)
    yield from _within(child(node, "names"), _NAMES, spec.child("names"))
    client = ("conversion", "webhook", "clientConfig")
    yield from _within(child(node, *client), _CLIENT, spec.child(*client))
    for i, version in enumerate(items_of(child(node, "versions"))):
        version_path = spec.child("versions").index(i)
        yield from _within(version, _VERSION, version_path)
        columns = version_path.child("additionalPrinterColumns")
        for j, column in enumerate(items_of(child(version, "additionalPrinterColumns"))):
            yield from _within(column, _COLUMN, columns.index(j))
    # A description is what nearly all schemas have.
    for schema in [schema for schema in crd.schemas if not schema.description and schema.set_fields & _DESCRIPTION]:
        yield _advisory(schema.path.child("description"), "description", "")


@NOT_STORED.advice_on(Nodes({"x-kubernetes-validations"}))
def _of_rules(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    path = schema.path.child("x-kubernetes-validations")
    for i, rule in enumerate(schema.x_validations):
        for attribute, _, name, _ in rule.FIELDS:
            if name in _RULE and attribute in vars(rule) and not getattr(rule, attribute):
                yield _advisory(path.index(i).child(name), name, "")


@NOT_STORED.advice_on(Nodes({"type"}, types={""}))
def _of_type(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    yield _advisory(schema.path.child("type"), "type", "")


@NOT_STORED.advice_on(Nodes(_SCHEMA.keys()))
def of_schema(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterable[Advisory]:
    """Return the fields of a schema that are false or empty, but its description."""
    return () if all(vars(schema).values()) else _of_schema(schema)


def _of_schema(schema: JSONSchemaProps) -> Iterator[Advisory]:
    for name, attribute in _SCHEMA.items():
        if schema.set_fields & SCHEMA_BITS[name] and not getattr(schema, attribute):
            yield _advisory(schema.path.child(name), name, getattr(schema, attribute))


def _within(mapping: Node | None, names: tuple[str, ...], path: Path) -> Iterator[Advisory]:
    for name in names:
        node = child(mapping, name)
        value = resolve(node) if isinstance(node, Scalar) else node.items if node is not None else None
        if value is not None and not value:
            yield _advisory(path.child(name), name, {} if isinstance(node, Mapping) else value)


def _advisory(path: Path, name: str, value: Any) -> Advisory:
    shown = marshal(list(value) if isinstance(value, tuple) else value)
    return Advisory(f"the API server does not store `{name}: {shown}`: GitOps tools always see a difference", path)


_DESCRIPTION: Final = SCHEMA_BITS["description"]
