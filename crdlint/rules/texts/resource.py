"""What can be wrong with a custom resource: the meaning of the findings of ``crdlint validate``.

The texts of these findings come from ``crdlint.schema`` and ``crdlint.kubecel.evaluation``. An example here is two
documents, a CRD and a resource of it.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from crdlint.crd.object_meta import RESOURCE_METADATA
from crdlint.diagnostics import FAILED_RULE
from crdlint.rules.engine import headlines
from crdlint.rules.engine.examples import stream
from crdlint.rules.engine.relations import (
    EMPTY,
    NOT_EVALUATED,
    OF_MISTYPED,
    OF_SCAFFOLD,
    SAME_PLACE,
)
from crdlint.rules.engine.rule import Caution, Link, Rule
from crdlint.rules.texts import reading
from crdlint.schema import correlation, value_errors

_GOOD: Final = stream("{replicas: 1, mode: Fast, ports: [80]}")
_Rule: Final = partial(
    Rule,
    scope="resource",
    good=_GOOD,
    headline_names="object",
    in_each_run=False,
)
_REGISTRY: Final = "apiextensions-apiserver/pkg/registry/customresource"

# Each rule in a few lines: what is wrong, why it matters and what to do; then the examples.
# fmt: off
VALUE = _Rule(value_errors.RULE, "Value is not valid for the schema of its CRD",
    observed=("limit-tightened",),
    explains=(Link(reading.UNKNOWN_FIELD, OF_MISTYPED),),
    follows=(Link(reading.UNKNOWN_FIELD, EMPTY), Link(reading.UNKNOWN_FIELD, OF_SCAFFOLD)),
    why="The API server validates every object against the schema of its version. Since Kubernetes 1.30 an update may "
    "keep invalid values that it does not change.",
    help="Change the value to one that the schema accepts",
    bad=stream("{mode: Quick}"), source="kube-openapi/pkg/validation/validate")
RULE_FAILED = _Rule(FAILED_RULE, "Validation rule evaluates to false, or its evaluation fails",
    observed=("rule-added-to-a-value",),
    follows=(Link(VALUE, NOT_EVALUATED),),
    headline=headlines.rule_failed,
    withheld=True,
    why="Rules express constraints between fields, and which changes are allowed. The API server rejects an object "
    "that breaks one.",
    help="Change the value so that the rule evaluates to true",
    bad=stream("{replicas: 10}"), source="apiextensions-apiserver/pkg/apiserver/schema/cel Validate")
LIST_TYPE = _Rule(correlation.RULE, "Duplicate item in a set, or duplicate keys in a map list",
    observed=("list-types-merge", "list-type-change-keeps-duplicates"),
    why="Server-side apply identifies the items of such lists by their values or keys.",
    help="Remove the duplicate item",
    bad=stream("{ports: [80, 80]}"),
    source="apiextensions-apiserver/pkg/apiserver/schema/listtype ValidateListSetsAndMaps")
METADATA = _Rule(RESOURCE_METADATA, "Invalid metadata of an object or embedded resource",
    claims_nothing=True,
    explains=(Link(RULE_FAILED, NOT_EVALUATED),),
    why="Names, labels, annotations and owner references have the same syntax in all Kubernetes objects.",
    help="Change the metadata as the message requires",
    bad=stream("{}", metadata="{name: X_, namespace: team}"),
    source="apimachinery/pkg/api/validation ValidateObjectMeta")
FINALIZER = _Rule("resource-finalizer", "Finalizer without a domain",
    observed=("finalizer-without-a-domain",),
    severity="warning",
    why="Controllers find their own finalizers by name. Two controllers with the same short name share it: the first one that "
    "removes it lets the object be deleted before the other one has cleaned up.",
    help="Write the finalizer as `DOMAIN/NAME`, with the domain of your API group",
    bad=stream("{}", metadata="{name: x, namespace: team, finalizers: [cleanup]}"),
    source="apiextensions-apiserver/pkg/registry/customresource validateKubeFinalizerName")
TYPE_META = _Rule("resource-type", "apiVersion or kind differs from the CRD's",
    observed=("kind-that-is-not-of-the-crd",),
    source=f"{_REGISTRY} validator",
    why="The API server finds the schema of an object by its apiVersion and kind.",
    help="Set `apiVersion` and `kind` to those of the CRD",
    good="")
SCALE = _Rule("resource-scale", "Field of the scale subresource is not a valid number of replicas",
    observed=("scale-path-of-wrong-type",),
    follows=(Link(VALUE, SAME_PLACE),),
    why="`kubectl scale` and autoscalers read and write this field.",
    help="Write an integer from 0 to 2147483647",
    bad=stream("{replicas: -1}"), source=f"{_REGISTRY} ValidateScaleSpec")
DECODE = _Rule("resource-decode", "Object cannot be decoded",
    claims_nothing=True,
    why="The types of metadata, apiVersion and kind are fixed, whatever the schema specifies.",
    help="Write a value of the type that the message names",
    bad=stream("{}", metadata="{name: x, namespace: team, labels: [a]}"),
    source="apiextensions-apiserver/pkg/apiserver schemaCoercingDecoder")
APPLY = _Rule("resource-apply-rejected", "Apply rejects an object that create accepts", origin="crdlint",
    observed=("null-that-apply-rejects", "applied-object-emptied", "applied-leftovers", "applied-null-over-an-object",
        "applied-over-duplicates", "applied-field-of-another-owner", "applied-stored-object-that-does-not-fit",
        "null-that-client-side-apply-drops", "object-patched-by-client-side-apply"),
    severity="warning",
    why="Server-side apply (`kubectl apply --server-side`, Helm 4, Flux) keeps nulls, which create drops, and checks the types of "
    "fields first. An object that exists is merged: a field of another manager is a conflict, and an object or list that loses "
    "its last part is null. "
    "Client-side apply (kubectl apply, Argo CD) drops nulls, also those that nullable allows: a required field is then missing.",
    help="Remove the field, or give it a value that its schema allows",
    bad=stream("{replicas: null}"),
    source="apimachinery/pkg/util/managedfields/internal structuredMergeManager.Apply")
NO_MATCH = _Rule("resource-no-match", "No CRD serves this kind and version", origin="crdlint",
    observed=("kind-without-a-crd",),
    why="The API server has no such resource, and kubectl reports this before it sends the object.",
    help="Change `apiVersion` and `kind` to a version and kind that a CRD serves",
    bad=stream("{}", kind="Fooo"), source="apimachinery/pkg/api/meta NoKindMatchError")
CRD_REFUSED = Caution("resource-crd-rejected", "Resource of a CRD that the API server rejects",
    observed=("kind-without-a-crd",),
    scope="resource",
    in_each_run=False,
    why="A cluster without the CRD accepts none of its resources. crdlint validates them as if the CRD were accepted.",
    help="Fix the CRD first; `crdlint check` reports what is wrong",
    bad=stream("{}").replace("replicas: {type: integer}", "replicas: {type: integr}"), good=_GOOD,
    aliases=("resource-crd-refused",))
CRD_UNREADABLE = _Rule("resource-crd-unreadable", "Resource of a CRD that cannot be decoded",
    claims_nothing=True,
    origin="crdlint",
    why="crdlint has no schema to validate the resource against.",
    help="Fix the CRD first; `crdlint check` reports what is wrong",
    bad=stream("{}").replace("scope: Namespaced", "scope: [Namespaced]"))
SECOND_OPINION = Caution("resource-second-opinion", "cel-python and crdlint evaluate the rule to different results",
    claims_nothing=True,
    in_each_run=False,
    why="At least one of them differs from the API server. crdlint reports it only with `--second-opinion`.",
    help="Check the object on a cluster, and report the difference to crdlint",
    scope="resource")
