"""The examples of a rule as complete manifests: fragments merged into the smallest CRD that the API server accepts."""

from __future__ import annotations

from typing import Any, Final

from crdlint.rules.engine.rule import Rule
from crdlint.yaml import decode_yaml

# The smallest CRD, without its schema.
HEAD: Final = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: foos, kind: Foo}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
"""
EXAMPLE_LIMIT: Final = 2000  # the maximum number of characters of an example
_PLACES: Final = {
    "metadata": " (in metadata)",
    "spec": " (in spec)",
    "version": " (in a version)",
    "schema": " (the schema of a version)",
    "properties": " (properties of the schema)",
}


def small(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the smallest CRD with a schema, as JSON values."""
    crd: Any = decode_yaml(HEAD)
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema
    manifest: dict[str, Any] = crd
    return manifest


def manifest(rule: Rule, fragment: str) -> str:
    """Return the manifest of a rule's bad or good fragment: the file's own text, or the fragment merged into a small CRD."""
    from json import dumps

    if rule.scope in {"text", "resource", "template", "crds"}:
        return fragment
    if rule.scope in {
        "schema",
        "properties",
    }:  # unchanged, because the spelling of a key or word may be the point
        lines = fragment.splitlines()
        if rule.scope == "properties":
            lines = ["type: object", "properties:", *(f"  {line}" for line in lines)]
        return HEAD + "".join(f"        {line}\n" for line in lines)
    fields: Any = decode_yaml(fragment) or {}
    crd = small({"type": "object"})
    [version] = crd["spec"]["versions"]
    part = {"manifest": crd, "metadata": crd["metadata"], "spec": crd["spec"], "version": version}[
        rule.scope
    ]
    _lay_over(part, fields)
    return dumps(crd)


def _lay_over(target: dict[str, Any], fields: dict[str, Any]) -> None:
    for key, value in fields.items():
        if (
            isinstance(value, dict)
            and isinstance(target.get(key), dict)
            and key != "openAPIV3Schema"
        ):
            _lay_over(target[key], value)
        else:
            target[key] = value


_SCALE: Final = "subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}"
CRD_OF_EXAMPLES: Final = (
    HEAD.replace("schema:\n", f"{_SCALE}\n    schema:\n")
    + """\
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer}
              mode: {type: string, enum: [Fast, Safe]}
              ports: {type: array, x-kubernetes-list-type: set, items: {type: integer}}
              paused: {type: boolean}
              pod:
                type: object
                required: [tier]
                properties: {tier: {type: string, enum: [web]}, image: {type: string}}
            x-kubernetes-validations:
            - {rule: "!has(self.replicas) || self.replicas < 10", message: at most nine}
"""
)


def stream(
    spec: str,
    kind: str = "Foo",
    api_version: str = "example.com/v1",
    metadata: str = "{name: x, namespace: team}",
) -> str:
    """Return a CRD and a resource of it."""
    head = f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {metadata}\n"
    return f"{CRD_OF_EXAMPLES}---\n{head}spec: {spec}\n"


def example_position(rule: Rule) -> str:
    """Return the part of a CRD that contains the examples of a rule, in parentheses; empty for a whole file."""
    return _PLACES.get(rule.scope, "")
