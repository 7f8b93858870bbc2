"""On request: names of fields, resources and categories that surprise those who use them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.light import regex
from crdlint.rules.engine.advisory import (
    Advisory,
    DecodedCRD,
    property_name,
    top_property,
)
from crdlint.rules.engine.edits import Edits
from crdlint.rules.engine.finding import AdviceFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.engine.rule import Nodes, OnRequest
from crdlint.yaml.nodes import child

_Convention: Final = partial(OnRequest, in_set="conventions")
_SECRETS: Final = regex(
    r"(?:\w*(?:Password|Passwd)|password|passwd|token|secret|(?:api|access|secret|private)Key|clientSecret)"
)
# Resources that kubectl finds by a name alone, and their short names.
_PLURALS: Final = frozenset({
    "bindings", "componentstatuses", "deviceclasses", "ipaddresses", "localsubjectaccessreviews", "mutatingadmissionpolicies",
    "mutatingadmissionpolicybindings", "prioritylevelconfigurations", "resourceclaims", "resourceclaimtemplates",
    "resourceslices", "selfsubjectaccessreviews", "selfsubjectreviews", "selfsubjectrulesreviews", "servicecidrs",
    "validatingadmissionpolicybindings", "volumeattributesclasses", "configmaps", "endpoints", "events", "limitranges",
    "namespaces", "nodes", "persistentvolumeclaims", "persistentvolumes", "pods", "podtemplates", "replicationcontrollers",
    "resourcequotas", "secrets", "serviceaccounts", "services", "mutatingwebhookconfigurations", "validatingadmissionpolicies",
    "validatingwebhookconfigurations", "customresourcedefinitions", "apiservices", "controllerrevisions", "daemonsets",
    "deployments", "replicasets", "statefulsets", "tokenreviews", "subjectaccessreviews", "horizontalpodautoscalers",
    "cronjobs", "jobs", "certificatesigningrequests", "leases", "endpointslices", "flowschemas", "ingressclasses", "ingresses",
    "networkpolicies", "runtimeclasses", "poddisruptionbudgets", "clusterrolebindings", "clusterroles", "rolebindings", "roles",
    "priorityclasses", "csidrivers", "csinodes", "csistoragecapacities", "storageclasses", "volumeattachments",
})  # fmt: skip


@Fixer("Write the names that the API server adds", "safe")
def _added_names(finding: AdviceFinding) -> Edits:
    names = finding.crd.spec.names
    mapping = finding.mapping(finding.path)
    for name, value in (("listKind", names.list_kind), ("singular", names.singular)):
        if mapping.find(name) is None and value:
            yield finding.editor.insert(mapping, name, finding.editor.value(value))


@_Convention(
    "plain-secret",
    "Secret value in the spec",
    observed=("secret-in-the-spec",),
    why="Everyone who may read the object sees the value, and backups and Git contain it.",
    help="Replace the field with a reference to a key of a Secret in a new version",
    bad="spec: {type: object, properties: {password: {type: string}}}",
    good="spec: {type: object, properties: {passwordSecretRef: {type: object, properties: {name: {type: string}}}}}",
).advice_on(Nodes(types={"string"}))
def _secret(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    name = property_name(schema)
    if name is not None and _SECRETS.fullmatch(name) and top_property(schema) == "spec":
        yield Advisory(f"everyone who may read the object sees `{name}`", schema.path)


@_Convention(
    "category-all",
    "Resource is in the category `all`",
    scope="spec",
    observed=("category-all",),
    why="`kubectl get all` lists the objects, and `kubectl delete all --all` deletes them.",
    help="Remove `all`, or use a category of your own",
    marker="correct the `categories` of `+kubebuilder:resource`",
    bad="names: {plural: foos, kind: Foo, categories: [all]}",
    good="names: {plural: foos, kind: Foo, categories: [foo-tools]}",
).practice
def _category(crd: DecodedCRD) -> Iterator[Advisory]:
    path = Path("spec").child("names", "categories")
    for i, name in enumerate(crd.spec.names.categories):
        if name == "all":
            yield Advisory("`kubectl delete all --all` deletes these objects", path.index(i))


@_Convention(
    "plural-same-as-builtin",
    "Plural is the same as the plural of a built-in resource",
    scope="manifest",
    observed=("plural-of-a-builtin",),
    why="kubectl resolves the name to the built-in resource, so users have to add the group.",
    help="Use another plural",
    marker="correct the `path` of `+kubebuilder:resource`",
    bad="metadata: {name: services.example.com}\nspec: {names: {plural: services, kind: Service}}\n",
    good="metadata: {name: foos.example.com}\nspec: {names: {plural: foos, kind: Foo}}\n",
).practice
def _plural(crd: DecodedCRD) -> Iterator[Advisory]:
    plural = crd.spec.names.plural
    if plural in _PLURALS:
        yield Advisory(
            f"`kubectl get {plural}` lists the built-in resource",
            Path("spec").child("names", "plural"),
        )


@OnRequest(
    "names-defaulted",
    "`listKind` or `singular` is missing",
    scope="spec",
    in_set="gitops",
    observed=("names-that-the-server-adds",),
    why="The API server adds them, and GitOps tools that compare manifests with the cluster see a difference.",
    help="Add the names that the API server adds",
    bad="names: {plural: foos, kind: Foo}",
    good="names: {plural: foos, kind: Foo, listKind: FooList, singular: foo}",
    fixes=(_added_names,),
).practice
def _defaulted(crd: DecodedCRD) -> Iterator[Advisory]:
    node, names = child(crd.root, "spec", "names"), crd.spec.names
    added = {"listKind": names.list_kind, "singular": names.singular}
    missing = [name for name in added if child(node, name) is None]
    if missing:
        message = f"the API server adds {' and '.join(f'`{name}`' for name in missing)}"
        help_ = f"Add {' and '.join(f'`{name}: {added[name]}`' for name in missing)}"
        yield Advisory(message, Path("spec").child("names"), help_)
