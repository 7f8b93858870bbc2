"""On request: names of fields, values, resources and categories by the Kubernetes API conventions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.light import regex
from crdlint.rules.engine.advisory import (
    Advisory,
    DecodedCRD,
    is_of_metadata,
    property_name,
    top_property,
)
from crdlint.rules.engine.finding import Edits, Finding, Fixer
from crdlint.rules.engine.rule import EVERY_NODE, Nodes, OnRequest
from crdlint.schema.traversal import with_all_of
from crdlint.yaml.nodes import child

_Convention: Final = partial(OnRequest, in_set="conventions")
_CAMEL: Final = regex(r"[a-z][a-z0-9]*(?:[A-Z][a-z0-9]*)*")
_PASCAL: Final = regex(r"(?:[A-Z][A-Za-z0-9]*)?")
_SECRETS: Final = regex(
    r"(?:\w*(?:Password|Passwd)|password|passwd|token|secret|(?:api|access|secret|private)Key|clientSecret)"
)
_DURATIONS: Final = ("duration", "interval", "timeout")
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
_SHORT_NAMES: Final = frozenset({
    "cs", "cm", "ep", "ev", "limits", "ns", "no", "pvc", "pv", "po", "rc", "quota", "sa", "svc", "crd", "crds", "ds", "deploy",
    "rs", "sts", "hpa", "cj", "csr", "ing", "netpol", "pdb", "pc", "sc", "ip", "vac",
})  # fmt: skip


@Fixer("Write the names that the API server adds", "safe")
def _added_names(finding: Finding) -> Edits:
    names = finding.crd.spec.names
    mapping = finding.mapping(finding.path)
    for name, value in (("listKind", names.list_kind), ("singular", names.singular)):
        if mapping.find(name) is None and value:
            yield finding.editor.insert(mapping, name, finding.editor.value(value))


def _by_name(
    message: str, matches: Callable[[str], bool]
) -> Callable[[JSONSchemaProps, DecodedCRD], Iterator[Advisory]]:

    def run(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
        name = property_name(schema)
        if name is not None and matches(name) and not is_of_metadata(schema):
            yield Advisory(message.format(name), schema.path)

    return run


_camel = _Convention("field-name-not-camel", "Field name is not in camelCase",
    why="The API conventions name fields in camelCase, and generators of clients rely on it.",
    help="Rename the field in a new version, such as `maxSize`",
    bad="max_size: {type: string}", good="maxSize: {type: string}",
).advice_on(EVERY_NODE)(_by_name("`{}` is not in camelCase", lambda name: not _CAMEL.fullmatch(name)))  # fmt: skip

_phase = _Convention("name-phase", "Field is called `phase`",
    why="The API conventions replace phases by conditions: each new phase breaks clients that know only the earlier ones.",
    help="Use `conditions` instead",
    bad="spec: {type: object, properties: {phase: {type: string}}}",
    good="spec: {type: object, properties: {mode: {type: string}}}",
).advice_on(Nodes(types={"string"}))(
    _by_name("each new value of `{}` breaks clients that know only the earlier ones", lambda name: name == "phase")
)  # fmt: skip

_reference = _Convention("name-reference", "Name of a reference ends in `Reference`",
    why="The API conventions call references to objects `nameRef` or `nameRefs`.",
    help="Rename the field in a new version, so that its name ends in `Ref` or `Refs`",
    bad="secretReference: {type: string}", good="secretRef: {type: string}",
).advice_on(EVERY_NODE)(
    _by_name("`{}` does not end in `Ref` or `Refs`", lambda name: name.endswith(("Reference", "References")))
)  # fmt: skip

_timestamp = _Convention("name-timestamp", "Name of a time ends in `Timestamp`",
    why="The API conventions let the names of times end in `Time`, such as `lastTransitionTime`.",
    help="Rename the field in a new version, so that its name ends in `Time`",
    bad="startTimestamp: {type: string}", good="startTime: {type: string}",
).advice_on(EVERY_NODE)(_by_name("`{}` does not end in `Time`", lambda name: name.lower().endswith("timestamp")))  # fmt: skip

_duration = _Convention("name-duration", "Duration is a string",
    why="The API conventions use integers with the unit in the name, since other languages cannot parse Go's durations.",
    help="Use an integer whose name has the unit, such as `timeoutSeconds`",
    bad="timeout: {type: string}", good="timeoutSeconds: {type: integer, format: int32}",
).advice_on(Nodes(types={"string"}))(
    _by_name("`{}` is a duration in a string", lambda name: name.lower().endswith(_DURATIONS))
)  # fmt: skip

_is_bool = _Convention("name-is-bool", "Name of a boolean begins with `is`",
    why="The API conventions name booleans by an adjective or a participle alone, such as `enabled`.",
    help="Rename the field in a new version, without `is`",
    bad="isEnabled: {type: boolean}", good="enabled: {type: boolean}",
).advice_on(Nodes(types={"boolean"}))(
    _by_name("`{}` begins with `is`", lambda name: re.match("is[A-Z]", name) is not None)
)  # fmt: skip


@_Convention("enum-not-pascal", "Value of an enum is not in PascalCase",
    why="The API conventions write the values of enums in PascalCase, such as `ClusterFirst`.",
    help="Write the values in PascalCase in a new version", marker="correct `+kubebuilder:validation:Enum`",
    bad="mode: {type: string, enum: [fast-and-loose]}", good="mode: {type: string, enum: [FastAndLoose]}",
).advice_on(Nodes({"enum", "allOf"}, types={"string"}))  # fmt: skip
def _pascal(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    for part in with_all_of(schema):
        wrong = [
            value for value in part.enum if isinstance(value, str) and not _PASCAL.fullmatch(value)
        ]
        if wrong:
            yield Advisory(f"`{wrong[0]}` is not in PascalCase", part.path.child("enum"))
            return


@_Convention("enum-numeric", "Enum of numbers",
    why="The API conventions use strings for enums, because a number does not show what it means.",
    help="Use an enum of strings", marker="correct `+kubebuilder:validation:Enum`",
    bad="level: {type: integer, enum: [1, 2]}", good="level: {type: string, enum: [Low, High]}",
).advice_on(Nodes({"enum", "allOf"}, types={"integer", "number"}))  # fmt: skip
def _numeric(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    for part in with_all_of(schema):
        if part.enum:
            yield Advisory("the values of the enum are numbers", part.path.child("enum"))
            return


@_Convention("plain-secret", "Secret value in the spec",
    why="Everyone who may read the object sees the value, and backups and Git contain it.",
    help="Replace the field by a reference to a key of a Secret",
    bad="spec: {type: object, properties: {password: {type: string}}}",
    good="spec: {type: object, properties: {passwordSecretRef: {type: object, properties: {name: {type: string}}}}}",
).advice_on(Nodes(types={"string"}))  # fmt: skip
def _secret(schema: JSONSchemaProps, _crd: DecodedCRD) -> Iterator[Advisory]:
    name = property_name(schema)
    if name is not None and _SECRETS.fullmatch(name) and top_property(schema) == "spec":
        yield Advisory(f"everyone who may read the object sees `{name}`", schema.path)


@_Convention("category-all", "Resource is in the category `all`", scope="spec",
    observed=("category-all",),
    why="`kubectl get all` lists the objects, and `kubectl delete all --all` deletes them.",
    help="Remove `all`, or use a category of your own", marker="correct the `categories` of `+kubebuilder:resource`",
    bad="names: {plural: foos, kind: Foo, categories: [all]}",
    good="names: {plural: foos, kind: Foo, categories: [foo-tools]}",
).practice  # fmt: skip
def _category(crd: DecodedCRD) -> Iterator[Advisory]:
    path = Path("spec").child("names", "categories")
    for i, name in enumerate(crd.spec.names.categories):
        if name == "all":
            yield Advisory("`kubectl delete all --all` deletes these objects", path.index(i))


@_Convention("plural-same-as-builtin", "Plural is the same as the plural of a built-in resource", scope="manifest",
    observed=("plural-of-a-builtin",),
    why="kubectl resolves the name to the built-in resource, so users have to add the group.",
    help="Use another plural", marker="correct the `path` of `+kubebuilder:resource`",
    bad="metadata: {name: services.example.com}\nspec: {names: {plural: services, kind: Service}}\n",
    good="metadata: {name: foos.example.com}\nspec: {names: {plural: foos, kind: Foo}}\n",
).practice  # fmt: skip
def _plural(crd: DecodedCRD) -> Iterator[Advisory]:
    plural = crd.spec.names.plural
    if plural in _PLURALS:
        yield Advisory(
            f"`kubectl get {plural}` lists the built-in resource",
            Path("spec").child("names", "plural"),
        )


@_Convention("short-name-shadows-builtin", "Short name is the same as that of a built-in resource", scope="spec",
    observed=("short-name-of-a-builtin",),
    why="kubectl resolves the name to the built-in resource, so the short name never finds this one.",
    help="Use another short name", marker="correct the `shortName` of `+kubebuilder:resource`",
    bad="names: {plural: foos, kind: Foo, shortNames: [svc]}",
    good="names: {plural: foos, kind: Foo, shortNames: [fo]}",
).practice  # fmt: skip
def _short(crd: DecodedCRD) -> Iterator[Advisory]:
    path = Path("spec").child("names", "shortNames")
    for i, name in enumerate(crd.spec.names.short_names):
        if name in _SHORT_NAMES:
            yield Advisory(f"`kubectl get {name}` lists the built-in resource", path.index(i))


@OnRequest("names-defaulted", "`listKind` or `singular` is missing", scope="spec", in_set="gitops",
    observed=("names-that-the-server-adds",),
    why="The API server adds them, and GitOps tools that compare manifests with the cluster see a difference.",
    help="Add the names that the API server adds",
    bad="names: {plural: foos, kind: Foo}", good="names: {plural: foos, kind: Foo, listKind: FooList, singular: foo}",
    fixes=(_added_names,),
).practice  # fmt: skip
def _defaulted(crd: DecodedCRD) -> Iterator[Advisory]:
    node, names = child(crd.root, "spec", "names"), crd.spec.names
    added = {"listKind": names.list_kind, "singular": names.singular}
    missing = [name for name in added if child(node, name) is None]
    if missing:
        message = f"the API server adds {' and '.join(f'`{name}`' for name in missing)}"
        help_ = f"Add {' and '.join(f'`{name}: {added[name]}`' for name in missing)}"
        yield Advisory(message, Path("spec").child("names"), help_)
