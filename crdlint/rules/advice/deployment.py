"""Advice about what a CRD is deployed to: the range of Kubernetes versions, and the Helm chart that contains it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from operator import attrgetter
from typing import Final

from crdlint.diagnostics import NOT_RENDERED
from crdlint.kubernetes.servers import first_to_know
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.examples import HEAD
from crdlint.rules.engine.relations import SAME_LINE, SAME_PLACE
from crdlint.rules.engine.rule import Caution, Link, Rule
from crdlint.rules.texts import reading

_ADDRESS = """\
type: object
required: [address]
properties:
  address: {{type: string, maxLength: 39}}
x-kubernetes-validations:
- rule: {}
"""

NEEDS_NEWER = Rule(
    "kube-version-too-old",
    "Rule needs a newer Kubernetes version than the oldest requested one",
    claims_nothing=True,
    in_each_run=False,
    why="A server compiles new rules with the CEL features of the version before its own, so that it can be rolled "
    "back. With `--kube-version 1.29..1.37` every rule must compile on all of these servers.",
    help="Raise the oldest version in `--kube-version`, or rewrite the rule without the newer feature",
    bad=_ADDRESS.format("isIP(self.address)"),
    good=_ADDRESS.format("self.address != '0.0.0.0'"),
    scope="schema",
    severity="error",
    origin="crdlint",
)


@NEEDS_NEWER.advice
def newer_than_oldest(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield for each expression what it needs, where that is more than the oldest version."""
    versions = crd.versions
    if versions.oldest is versions.newest or not crd.rules:
        return
    from crdlint.kubecel.compilation import requirement

    requirements = {}
    for rule in crd.rules:
        for name, expression in rule.compiled.expressions():
            needs = requirement(expression, versions)
            if needs is not None:
                requirements[rule.path.child(name)] = needs
    if not requirements:
        return
    lowest = max((needs.server for needs in requirements.values()), key=attrgetter("version"))
    general = f"Support only Kubernetes {lowest} and later, or rewrite all rules of the CRD that need a newer version"
    for path, needs in requirements.items():
        words = ", ".join(f"`{word}` as `__{word}__`" for word in needs.words)
        help_ = f"Write {words}, which all versions of Kubernetes accept" if words else general
        message = (
            f"needs Kubernetes {needs.server} or later{f': {needs.reason}' if needs.reason else ''}"
        )
        yield Advisory(message, path, help_)


DROPS_FIELD = Caution(
    "kube-version-drops-field",
    "Field that the Kubernetes version drops without an error",
    claims_nothing=True,
    follows=(Link(reading.UNKNOWN_FIELD, SAME_PLACE),),
    why="The field's feature gate is off by default on this version, so the server stores the CRD without the field.",
    help="Require a newer version with `--kube-version`, or remove the field",
    bad="selectableFields:\n- jsonPath: .spec.mode\nschema:\n  openAPIV3Schema:\n    type: object\n"
    "    properties:\n      spec:\n        type: object\n        properties:\n"
    "          mode: {type: string}\n",
    source="apiextensions-apiserver/pkg/registry/customresourcedefinition dropDisabledFields",
    scope="version",
)


@DROPS_FIELD.advice
def dropped_fields(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the fields that the newest of the versions drops."""
    server = crd.versions.newest
    for path, field in crd.dropped:
        message = f"Kubernetes {server} drops this field: {first_to_know(field)} is the first version that keeps it"
        first_patch = server.first_patch
        if first_patch is not None and field not in first_patch.dropped_fields:
            message += f", after {first_patch}"
        yield Advisory(message, path)


_CRD = HEAD + "        type: object\n"
_InTemplate: Final = partial(Caution, scope="template")

# Each rule in a few lines: what is wrong, why it matters and what to do; then the examples.
# fmt: off
BRACES = _InTemplate("helm-unescaped-braces", "Braces in the text of a CRD that Helm executes",
    observed=("braces-in-a-template",),
    why="Helm treats `{{ .Value }}` in a chart template as its own syntax. Rendering fails, or the text is missing "
    "from the rendered CRD.",
    help='Escape the braces as a Helm string: `{{ "{{ ... }}" }}`',
    bad=_CRD + "        description: Use {{ .Value }} for the value.\n",
    good=_CRD + '        description: Use {{ "{{ .Value }}" }} for the value.\n')
IN_CRDS = Caution("helm-template-in-crds", "Template syntax in a file of the chart's `crds/` directory", scope="crds",
    observed=("braces-in-a-template",),
    why="Helm does not render files in `crds/`, so the API server receives the template syntax as text.",
    help="Move the file to `templates/`, or remove the template syntax",
    bad=_CRD + "        # {{- if .Values.crds.create }}\n", good=_CRD)
KUBE_VERSION = _InTemplate("helm-kube-version", "No Kubernetes version satisfies `kubeVersion` in Chart.yaml",
    observed=("helm-kube-version-of-none",),
    why="Helm cannot install the chart on any cluster.",
    help="Set `kubeVersion` to a range such as `>=1.29.0-0`")
RENDER = Rule("helm-render", "Helm cannot render the chart",
    in_each_run=False, scope="template", severity="error", origin="crdlint",
    follows=(Link(BRACES, SAME_LINE), Link(KUBE_VERSION, SAME_LINE)),
    observed=("braces-in-a-template",),
    why="`helm install` fails with the same values. crdlint reads the templates without Helm instead, so that CRDs which depend "
    "on values are not checked. It is a warning if the chart lacks a dependency, and otherwise an error.",
    help="Check the chart with `helm template CHART`, which shows the same error")
SKIPPED = _InTemplate(NOT_RENDERED, "CRD in a chart template that only Helm can render: not checked",
    claims_nothing=True,
    follows=(Link(BRACES, SAME_LINE),),
    why="The output of the template decides whether the CRD is valid, and crdlint does not execute templates.",
    help="Install `helm`, or run `helm template --include-crds CHART | crdlint check -`",
    bad=_CRD.replace("served: true", "served: {{ .Values.served }}"),
    good=_CRD.replace("  name: foos", "  labels: {{- toYaml .Values.labels | nindent 4 }}\n  name: foos"))
RELEASE_TOO_LARGE = _InTemplate("helm-release-too-large", "Release of the chart is too large for the Secret that stores it",
    observed=("helm-moved-to-crds-after-keep", "helm-moved-to-crds"),
    why="Helm stores the files of the chart and the rendered manifest, compressed, in a Secret. The API server rejects "
    "more than 1,048,576 bytes of data with `data: Too long`, so that `helm install` and `helm upgrade` fail. From three "
    "quarters of that size on, the finding is information.",
    help="Remove the descriptions of the CRDs (controller-gen `crd:maxDescLen=0`), or move the CRDs to the "
    "`crds/` folder of a chart in `charts/`, but only after a release that has the annotation `helm.sh/resource-policy: keep` on "
    "them: else the upgrade deletes them, with all objects",
    marker="use the option `crd:maxDescLen=0`")
