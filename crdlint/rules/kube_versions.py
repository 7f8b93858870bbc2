"""Advice for a range of Kubernetes versions: which rules need more than the oldest of them."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from crdlint.kubernetes.servers import first_to_know
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.rule import Caution, Rule

_ADDRESS = """\
type: object
required: [address]
properties:
  address: {{type: string, maxLength: 39}}
x-kubernetes-validations:
- rule: {}
"""

NEEDS_NEWER = Rule("kube-version-too-old", "Rule needs a newer Kubernetes version than the oldest requested one",
    why="A server compiles new rules with the CEL features of the version before its own, so that it can be rolled "
    "back. With `--kube-version 1.29..1.37` every rule must compile on all of these servers.",
    help="Raise the oldest version in `--kube-version`, or rewrite the rule without the newer feature",
    bad=_ADDRESS.format("isIP(self.address)"), good=_ADDRESS.format("self.address != '0.0.0.0'"), scope="schema",
    severity="error", origin="crdlint")  # fmt: skip


@NEEDS_NEWER.advice
def newer_than_oldest(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield for each expression what it needs, where that is more than the oldest version."""
    versions = crd.versions
    if versions.oldest is versions.newest or not crd.rules:
        return
    from crdlint.kubecel.compilation import requirement

    requirements = []
    for rule in crd.rules:
        compiled = rule.compiled
        for expression, name in ((compiled.rule, "rule"), (compiled.message, "messageExpression")):
            if expression is not None:
                needs = requirement(expression, versions)
                if needs is not None:
                    requirements.append((rule.path.child(name), needs))
    if not requirements:
        return
    lowest = max((needs.server for _, needs in requirements), key=attrgetter("version"))
    help_ = f"Support only Kubernetes {lowest} and later, or rewrite all rules of the CRD that need a newer version"
    for path, needs in requirements:
        message = f"needs Kubernetes {needs.server} or later{f': {needs.reason}' if needs.reason else ''}"
        yield Advisory(message, path, help_)


DROPS_FIELD = Caution("kube-version-drops-field", "Field that the Kubernetes version drops without an error",
    why="The field's feature gate is off by default on this version, so the server stores the CRD without the field.",
    help="Require a newer version with `--kube-version`, or remove the field",
    bad="selectableFields:\n- jsonPath: .spec.mode\nschema:\n  openAPIV3Schema:\n    type: object\n"
    "    properties:\n      spec:\n        type: object\n        properties:\n"
    "          mode: {type: string}\n",
    source="apiextensions-apiserver/pkg/registry/customresourcedefinition dropDisabledFields", scope="version")  # fmt: skip


@DROPS_FIELD.advice
def dropped_fields(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the fields that the newest of the versions drops."""
    server = crd.versions.newest
    for path, field in crd.dropped:
        message = f"Kubernetes {server} drops this field: {first_to_know(field)} is the first version that keeps it"
        yield Advisory(message, path)
