"""Advice about charts."""

from __future__ import annotations

from functools import partial
from typing import Final

from crdlint.rules.engine.examples import HEAD
from crdlint.rules.engine.rule import Caution, Hint, Rule

_CRD = HEAD + "        type: object\n"
_InTemplate: Final = partial(Caution, scope="template")

# Each rule in a few lines: what is wrong, why it matters and what to do; then the examples.
# fmt: off
BRACES = _InTemplate("helm-unescaped-braces", "Braces in the text of a CRD that Helm executes",
    why="Helm treats `{{ .Value }}` in a chart template as its own syntax. Rendering fails, or the text is missing "
    "from the rendered CRD.",
    help='Escape the braces as a Helm string: `{{ "{{ ... }}" }}`',
    bad=_CRD + "        description: Use {{ .Value }} for the value.\n",
    good=_CRD + '        description: Use {{ "{{ .Value }}" }} for the value.\n')
IN_CRDS = Caution("helm-template-in-crds", "Template syntax in a file of the chart's `crds/` directory", scope="crds",
    why="Helm does not render files in `crds/`, so the API server receives the template syntax as text.",
    help="Move the file to `templates/`, or remove the template syntax",
    bad=_CRD + "        # {{- if .Values.crds.create }}\n", good=_CRD)
KUBE_VERSION = _InTemplate("helm-kube-version", "No Kubernetes version satisfies `kubeVersion` in Chart.yaml",
    why="Helm cannot install the chart on any cluster.",
    help="Set `kubeVersion` to a range such as `>=1.29.0-0`")
RENDER = Rule("helm-render", "Helm cannot render the chart", scope="template", severity="error", origin="crdlint",
    why="`helm install` fails with the same values. crdlint reads the templates without Helm instead, so that CRDs which depend "
    "on values are not checked. It is a warning if the chart lacks a dependency, and otherwise an error.",
    help="Check the chart with `helm template CHART`, which shows the same error")
SKIPPED = _InTemplate("helm-skipped", "CRD in a chart template that only Helm can render: not checked",
    why="The output of the template decides whether the CRD is valid, and crdlint does not execute templates.",
    help="Install `helm`, or run `helm template --include-crds CHART | crdlint check -`",
    bad=_CRD.replace("served: true", "served: {{ .Values.served }}"),
    good=_CRD.replace("  name: foos", "  labels: {{- toYaml .Values.labels | nindent 4 }}\n  name: foos"))
WITHOUT_KEEP = Hint("helm-crd-without-keep", "Uninstalling the chart deletes the CRD and all of its objects",
    why="Helm deletes what it installed from `templates/`, and deleting a CRD deletes every object of it in the cluster. crdlint "
    "reports it once for each chart.",
    help="Add the annotation `helm.sh/resource-policy: keep`, or move the CRD to `crds/`",
    bad=_CRD, good=_CRD.replace("metadata:\n", "metadata:\n  annotations: {helm.sh/resource-policy: keep}\n"),
    scope="template")
RELEASE_TOO_LARGE = _InTemplate("helm-release-too-large", "Release of the chart is too large for the Secret that stores it",
    why="Helm stores the files of the chart and the rendered manifest, compressed, in a Secret. The API server rejects "
    "more than 1,048,576 bytes of data with `data: Too long`, so that `helm install` and `helm upgrade` fail. From three "
    "quarters of that size on, the finding is information.",
    help="Remove the descriptions of the CRDs (controller-gen `crd:maxDescLen=0`), or move the CRDs to the `crds/` "
    "folder of a chart in `charts/`, whose files Helm does not store", marker="use the option `crd:maxDescLen=0`")
