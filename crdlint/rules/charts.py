"""What crdlint says of charts."""

from __future__ import annotations

from crdlint.rules.engine.examples import HEAD
from crdlint.rules.engine.rule import Rule

_CRD = HEAD + "        type: object\n"

BRACES = Rule(
    id="helm-unescaped-braces",
    summary="Braces in a chart's template that Helm executes, though they are text of the CRD.",
    why="Helm takes `{{ .Value }}` for its own: rendering fails, or the text is lost from the CRD.",
    bad=_CRD + "        description: Use {{ .Value }} for the value.\n",
    good=_CRD + '        description: Use {{ "{{ .Value }}" }} for the value.\n',
    help='write them as a text of Helm\'s: `{{ "{{ ... }}" }}`',
    severity="warning",
    origin="crdlint",
    scope="template",
)
IN_CRDS = Rule(
    id="helm-template-in-crds",
    summary="A template in a chart's crds/ folder.",
    why="Helm does not render what is in crds/: it sends it to the API server as it is.",
    bad=_CRD + "        # {{- if .Values.crds.create }}\n",
    good=_CRD,
    help="move the file to templates/, or take the template out",
    severity="warning",
    origin="crdlint",
    scope="crds",
)
KUBE_VERSION = Rule(
    id="helm-kube-version",
    summary="A kubeVersion in Chart.yaml that no Kubernetes version satisfies.",
    why="Helm refuses to install the chart on every cluster.",
    bad="",
    good="",
    help="write a range such as `>=1.29.0-0`",
    severity="warning",
    origin="crdlint",
    scope="template",
)
SKIPPED = Rule(
    id="helm-skipped",
    summary="A CRD in a chart's template that only Helm can make: it is not checked.",
    why="What a template puts out can make the CRD valid or not, and without Helm nobody knows what it puts out.",
    bad=_CRD.replace("served: true", "served: {{ .Values.served }}"),
    good=_CRD.replace("  name: foos", "  labels: {{- toYaml .Values.labels | nindent 4 }}\n  name: foos"),
    help="install helm for crdlint to use, or: helm template --include-crds CHART | crdlint check -",
    severity="warning",
    origin="crdlint",
    scope="template",
)

RULES = (BRACES, IN_CRDS, KUBE_VERSION, SKIPPED)
