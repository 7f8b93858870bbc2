"""Advice about charts."""

from __future__ import annotations

from crdlint.rules.engine.examples import HEAD
from crdlint.rules.engine.rule import Caution, Hint, Rule

_CRD = HEAD + "        type: object\n"

BRACES = Caution(
    id="helm-unescaped-braces",
    summary="Braces in the text of a CRD that Helm executes",
    why="Helm treats `{{ .Value }}` in a chart template as its own syntax. Rendering fails, or the text is missing "
    "from the rendered CRD.",
    bad=_CRD + "        description: Use {{ .Value }} for the value.\n",
    good=_CRD + '        description: Use {{ "{{ .Value }}" }} for the value.\n',
    help='Escape the braces as a Helm string: `{{ "{{ ... }}" }}`',
    scope="template",
)
IN_CRDS = Caution(
    id="helm-template-in-crds",
    summary="Template syntax in a file of the chart's `crds/` directory",
    why="Helm does not render files in `crds/`, so the API server receives the template syntax as text.",
    bad=_CRD + "        # {{- if .Values.crds.create }}\n",
    good=_CRD,
    help="Move the file to `templates/`, or remove the template syntax",
    scope="crds",
)
KUBE_VERSION = Caution(
    id="helm-kube-version",
    summary="No Kubernetes version satisfies `kubeVersion` in Chart.yaml",
    why="Helm cannot install the chart on any cluster.",
    help="Set `kubeVersion` to a range such as `>=1.29.0-0`",
    scope="template",
)
RENDER = Rule(
    id="helm-render",
    summary="Helm cannot render the chart",
    why="`helm install` fails with the same values. crdlint reads the templates without Helm instead, so that CRDs which depend "
    "on values are not checked. It is a warning if the chart lacks a dependency, and otherwise an error.",
    help="Check the chart with `helm template CHART`, which shows the same error",
    severity="error",
    origin="crdlint",
    scope="template",
)
SKIPPED = Caution(
    id="helm-skipped",
    summary="CRD in a chart template that only Helm can render: not checked",
    why="The output of the template decides whether the CRD is valid, and crdlint does not execute templates.",
    bad=_CRD.replace("served: true", "served: {{ .Values.served }}"),
    good=_CRD.replace("  name: foos", "  labels: {{- toYaml .Values.labels | nindent 4 }}\n  name: foos"),
    help="Install `helm`, or run `helm template --include-crds CHART | crdlint check -`",
    scope="template",
)
WITHOUT_KEEP = Hint(
    id="helm-crd-without-keep",
    summary="Uninstalling the chart deletes the CRD and all of its objects",
    why="Helm deletes what it installed from `templates/`, and deleting a CRD deletes every object of it in the cluster. crdlint "
    "reports it once for each chart.",
    bad=_CRD,
    good=_CRD.replace("metadata:\n", "metadata:\n  annotations: {helm.sh/resource-policy: keep}\n"),
    help="Add the annotation `helm.sh/resource-policy: keep`, or move the CRD to `crds/`",
    scope="template",
)
RELEASE_TOO_LARGE = Caution(
    id="helm-release-too-large",
    marker="use the option `crd:maxDescLen=0`",
    summary="Release of the chart is too large for the Secret that stores it",
    why="Helm stores the files of the chart and the rendered manifest, compressed, in a Secret. The API server rejects "
    "more than 1,048,576 bytes of data with `data: Too long`, so that `helm install` and `helm upgrade` fail. From three "
    "quarters of that size on, the finding is information.",
    help="Remove the descriptions of the CRDs (controller-gen `crd:maxDescLen=0`), or move the CRDs to the `crds/` "
    "folder of a chart in `charts/`, whose files Helm does not store",
    scope="template",
)
