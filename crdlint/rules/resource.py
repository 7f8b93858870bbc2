"""What can be wrong with a custom resource: the meaning of the findings of ``crdlint validate``.

The texts of these findings come from ``crdlint.schema`` and ``crdlint.kubecel.evaluation``. An example here is two
documents, a CRD and a resource of it.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from crdlint.rules.engine.rule import Caution, Rule

_CRD: Final = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: foos, kind: Foo}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer}
              mode: {type: string, enum: [Fast, Safe]}
              ports: {type: array, x-kubernetes-list-type: set, items: {type: integer}}
            x-kubernetes-validations:
            - {rule: "!has(self.replicas) || self.replicas < 10", message: at most nine}
"""


def _stream(
    spec: str, kind: str = "Foo", api_version: str = "example.com/v1", metadata: str = "{name: x, namespace: team}"
) -> str:
    head = f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {metadata}\n"
    return f"{_CRD}---\n{head}spec: {spec}\n"


_GOOD: Final = _stream("{replicas: 1, mode: Fast, ports: [80]}")
_Rule: Final = partial(Rule, scope="resource", good=_GOOD)
_REGISTRY: Final = "apiextensions-apiserver/pkg/registry/customresource"

VALUE = _Rule(
    id="resource-value",
    summary="Value is not valid for the schema of its CRD",
    why="The API server validates every object against the schema of its version. Since Kubernetes 1.30 an update may "
    "keep invalid values that it does not change.",
    bad=_stream("{mode: Quick}"),
    help="Change the value to one that the schema accepts",
    source="kube-openapi/pkg/validation/validate",
)
RULE_FAILED = _Rule(
    id="resource-rule",
    summary="Validation rule evaluates to false, or its evaluation fails",
    why="Rules express constraints between fields, and which changes are allowed. The API server rejects an object "
    "that breaks one.",
    bad=_stream("{replicas: 10}"),
    help="Change the value so that the rule evaluates to true",
    source="apiextensions-apiserver/pkg/apiserver/schema/cel Validate",
)
LIST_TYPE = _Rule(
    id="resource-list-type",
    summary="Duplicate item in a set, or duplicate keys in a map list",
    why="Server-side apply identifies the items of such lists by their values or keys.",
    bad=_stream("{ports: [80, 80]}"),
    help="Remove the duplicate item",
    source="apiextensions-apiserver/pkg/apiserver/schema/listtype ValidateListSetsAndMaps",
)
METADATA = _Rule(
    id="resource-metadata",
    summary="Invalid metadata of an object or embedded resource",
    why="Names, labels, annotations and owner references have the same syntax in all Kubernetes objects.",
    bad=_stream("{}", metadata="{name: X_, namespace: team}"),
    help="Change the metadata as the message requires",
    source="apimachinery/pkg/api/validation ValidateObjectMeta",
)
TYPE_META = _Rule(
    id="resource-type",
    summary="apiVersion or kind differs from the CRD's",
    why="The API server finds the schema of an object by its apiVersion and kind.",
    help="Set `apiVersion` and `kind` to those of the CRD",
    good="",
    source=f"{_REGISTRY} validator",
)
SCALE = _Rule(
    id="resource-scale",
    summary="Field of the scale subresource is not a valid number of replicas",
    why="`kubectl scale` and autoscalers read and write this field.",
    bad=_stream("{replicas: -1}"),
    help="Write an integer from 0 to 2147483647",
    source=f"{_REGISTRY} ValidateScaleSpec",
)
DECODE = _Rule(
    id="resource-decode",
    summary="Object cannot be decoded",
    why="The types of metadata, apiVersion and kind are fixed, whatever the schema specifies.",
    bad=_stream("{}", metadata="{name: x, namespace: team, labels: [a]}"),
    help="Write a value of the type that the message names",
    source="apiextensions-apiserver/pkg/apiserver schemaCoercingDecoder",
)
NO_MATCH = _Rule(
    id="resource-no-match",
    summary="No CRD serves this kind and version",
    why="The API server has no such resource, and kubectl reports this before it sends the object.",
    bad=_stream("{}", kind="Fooo"),
    help="Change `apiVersion` and `kind` to a version and kind that a CRD serves",
    source="apimachinery/pkg/api/meta NoKindMatchError",
    origin="crdlint",
)
CRD_REFUSED = Caution(
    id="resource-crd-rejected",
    aliases=("resource-crd-refused",),
    summary="Resource of a CRD that the API server rejects",
    why="A cluster without the CRD accepts none of its resources. crdlint validates them as if the CRD were accepted.",
    bad=_stream("{}").replace("replicas: {type: integer}", "replicas: {type: integr}"),
    good=_GOOD,
    help="Fix the CRD first; `crdlint check` reports what is wrong",
    scope="resource",
)
CRD_UNREADABLE = _Rule(
    id="resource-crd-unreadable",
    summary="Resource of a CRD that cannot be decoded",
    why="crdlint has no schema to validate the resource against.",
    bad=_stream("{}").replace("scope: Namespaced", "scope: [Namespaced]"),
    help="Fix the CRD first; `crdlint check` reports what is wrong",
    origin="crdlint",
)
SECOND_OPINION = Caution(
    id="resource-second-opinion",
    summary="cel-python and crdlint evaluate the rule to different results",
    why="At least one of them differs from the API server. crdlint reports it only with `--second-opinion`.",
    help="Check the object on a cluster, and report the difference to crdlint",
    scope="resource",
)
