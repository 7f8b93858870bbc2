"""What can be wrong with a custom resource: the meaning of the findings of ``crdlint validate``.

The texts of these findings come from ``crdlint.schema`` and ``crdlint.kubecel.evaluation``. An example here is two
documents, a CRD and a resource of it.
"""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.rule import Rule

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
_REGISTRY: Final = "apiextensions-apiserver/pkg/registry/customresource"

VALUE = Rule(
    id="resource-value",
    summary="A value that the schema of its CRD refuses.",
    why="The server checks every object against the schema of its version before it stores it.",
    bad=_stream("{mode: Quick}"),
    good=_GOOD,
    help="change the value so that it fits the schema",
    source="kube-openapi/pkg/validation/validate",
    scope="resource",
)
RULE_FAILED = Rule(
    id="resource-rule",
    summary="A rule of x-kubernetes-validations that does not hold, or ends in an error.",
    why="Rules say what schemas cannot: how fields hang together, and what may become of them.",
    bad=_stream("{replicas: 10}"),
    good=_GOOD,
    help="change the value so that the rule holds",
    source="apiextensions-apiserver/pkg/apiserver/schema/cel Validate",
    scope="resource",
)
LIST_TYPE = Rule(
    id="resource-list-type",
    summary="An item of a set, or the key of an item of a map, that is there twice.",
    why="Server-side apply tells the items of such lists apart by their values or keys.",
    bad=_stream("{ports: [80, 80]}"),
    good=_GOOD,
    help="remove the item that is there twice",
    source="apiextensions-apiserver/pkg/apiserver/schema/listtype ValidateListSetsAndMaps",
    scope="resource",
)
METADATA = Rule(
    id="resource-metadata",
    summary="Metadata that the server refuses in any object, embedded ones included.",
    why="Names, labels, annotations and owners have the same form everywhere.",
    bad=_stream("{}", metadata="{name: X_, namespace: team}"),
    good=_GOOD,
    help="write metadata as the message asks",
    source="apimachinery/pkg/api/validation ValidateObjectMeta",
    scope="resource",
)
TYPE_META = Rule(
    id="resource-type",
    summary="A kind or apiVersion that is not the CRD's.",
    why="They say which schema an object is held against.",
    bad="",
    good="",
    help="write kind and apiVersion as the CRD names them",
    source=f"{_REGISTRY} validator",
    scope="resource",
)
SCALE = Rule(
    id="resource-scale",
    summary="Fields of the scale subresource that hold no number of replicas.",
    why="`kubectl scale` and autoscalers read and write these fields.",
    bad=_stream("{replicas: -1}"),
    good=_GOOD,
    help="write a whole number from 0 to 2147483647",
    source=f"{_REGISTRY} ValidateScaleSpec",
    scope="resource",
)
DECODE = Rule(
    id="resource-decode",
    summary="An object that the server cannot read.",
    why="Metadata, kind and apiVersion have types of their own, whatever the schema says.",
    bad=_stream("{}", metadata="{name: x, namespace: team, labels: [a]}"),
    good=_GOOD,
    help="give the field the type that the message names",
    source="apiextensions-apiserver/pkg/apiserver schemaCoercingDecoder",
    scope="resource",
)
NO_MATCH = Rule(
    id="resource-no-match",
    summary="A kind or version that no CRD of the group serves.",
    why="The server has no such resource; kubectl says so before it sends the object.",
    bad=_stream("{}", kind="Fooo"),
    good=_GOOD,
    help="write a kind and version that a CRD serves",
    source="apimachinery/pkg/api/meta NoKindMatchError",
    origin="crdlint",
    scope="resource",
)
CRD_REFUSED = Rule(
    id="resource-crd-refused",
    summary="Resource of a CRD that the API server rejects.",
    why="A cluster without the CRD accepts no resource of it. The resources are validated as if the CRD were accepted.",
    bad=_stream("{}").replace("replicas: {type: integer}", "replicas: {type: integr}"),
    good=_GOOD,
    help="fix the CRD first: `crdlint check` shows how",
    severity="warning",
    origin="crdlint",
    scope="resource",
)
CRD_UNREADABLE = Rule(
    id="resource-crd-unreadable",
    summary="Resource of a CRD that cannot be decoded.",
    why="There is no schema that the resource could be validated against.",
    bad=_stream("{}").replace("scope: Namespaced", "scope: [Namespaced]"),
    good=_GOOD,
    help="fix the CRD first: `crdlint check` shows how",
    origin="crdlint",
    scope="resource",
)
SECOND_OPINION = Rule(
    id="resource-second-opinion",
    summary="A rule that cel-python evaluates to another result than crdlint.",
    why="One of the two evaluates the rule otherwise than the API server. It is reported with `--second-opinion` only.",
    bad="",
    good="",
    help="try the object on a cluster, and report the difference to crdlint",
    severity="warning",
    origin="crdlint",
    scope="resource",
)

RULES = (
    VALUE, RULE_FAILED, LIST_TYPE, METADATA, TYPE_META, SCALE, DECODE, NO_MATCH, CRD_REFUSED, CRD_UNREADABLE,
    SECOND_OPINION,
)  # fmt: skip
