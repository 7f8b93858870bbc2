"""What Helm does with the CRDs of a chart: installations that fail, CRDs that it deletes, and those that it does not apply."""

from __future__ import annotations

from functools import partial
from typing import Final

from crdlint.phrases import OneCommand
from crdlint.rules.engine.examples import HEAD
from crdlint.rules.engine.rule import Caution, Hint, Rule

_CRD = HEAD + "        type: object\n"
_Fails: Final = partial(
    Rule,
    severity="error",
    origin="crdlint",
    scope="template",
)
_InChart: Final = partial(Caution, scope="template")

SAFE_MOVE: Final = "First release the chart once with `helm.sh/resource-policy: keep` on the CRD in `templates/`, then move it"
REMOVE_ONE: Final = (
    "Remove one of the two: a template, or a chart with an alias, may be included twice"
)
CRD_BEFORE: Final = "Install the CRD with a chart of its own before; a chart that was never released may have it in `crds/`"
WAIT: Final = "Install with `--wait`, or install the CRD with a chart of its own before"
KEEP_FIRST: Final = "Add the annotation `helm.sh/resource-policy: keep`"

# Each rule in a few lines: what is wrong, why it matters and what to do; then the examples.
# fmt: off
NO_MATCHES = _Fails("helm-no-matches", "Object whose CRD does not exist when Helm looks up its kind",
    in_each_run=False,
    observed=("helm-object-in-templates-of-its-crd",),
    why="Helm looks up the kinds of all templates before it creates the first of them, when only the CRDs in `crds/` exist. "
    "`helm install` fails with `no matches for kind`. It is a warning if the values turn the CRD off, and of a "
    "`post-install` hook: without `--wait`, the API server often does not serve the CRD yet.",
    help="Make the object a `post-install,post-upgrade` hook and install with `--wait`, or install the CRD with a "
    "chart of its own before; a chart that was never released may have the CRD in `crds/`")
CRD_TWICE = _Fails("helm-crd-twice", "CRD that a chart contains twice",
    in_each_run=False,
    observed=("helm-crd-in-both-folders",),
    why="Helm creates the CRDs of `crds/` before those of `templates/`, and then rejects the second one, because the first one "
    "is not a part of the release. Helm 3 fails to create the second of two templates with the same CRD; Helm 4 overwrites the "
    "first.",
    help="Remove the one in `crds/` if a release of the chart may have the one in `templates/`, which an upgrade would delete")
CRD_COPIES = _InChart("helm-crd-copies", "Different copies of one CRD in the `crds/` folders of charts",
    observed=("helm-copies-of-a-crd",),
    in_each_run=False,
    why="Helm 3 keeps the CRD that is in the cluster. Helm 4 replaces one that Helm 4 installed with each first installation of a "
    "chart, so that existing objects lose the fields that only the other copy has. At one that Helm 3 installed it fails.",
    help="Keep one copy, in a chart of its own, or make the copies equal")
SELF_GATED = _Fails("helm-crd-deletes-itself", "CRD whose own presence in the cluster turns its template off",
    in_each_run=False,
    observed=("helm-template-that-looks-for-its-crd",),
    why="The first `helm upgrade` finds the CRD in the cluster and does not render it. Helm deletes what it does not render "
    "any more: the CRD and every object of it.",
    help=f"{KEEP_FIRST}; to share the CRD between charts, put it into a chart of its own")
CRD_HOOK = _InChart("helm-crd-hook", "CRD as a hook of a chart",
    in_each_run=False,
    observed=("helm4-updates-a-hook", "helm-hook-that-exists"),
    why="Helm creates a hook at its events, never deletes a CRD among them, and does not own it. Helm 3 fails with "
    "`already exists` if the CRD is in the cluster when the event comes: at each upgrade, or when the chart is installed again. "
    "Helm 4 updates it.",
    help="Move the CRD to `crds/`: it stays in the cluster, because no release owns it")
UNKNOWN_HOOK = _Fails("helm-unknown-hook", "CRD with a hook that Helm does not know: never installed",
    in_each_run=False,
    observed=("helm-unknown-hook",),
    why="Helm 3 and Helm 4 skip a document if one of its hooks is unknown, without an error. `crd-install` is a hook of Helm 2.",
    help="Move the CRD to `crds/`, and remove the annotation `helm.sh/hook`")
OBJECT_IN_CRDS = _Fails("helm-object-in-crds", "Object in `crds/` whose CRD is in `crds/`, too",
    in_each_run=False,
    observed=("helm-object-beside-its-crd",),
    why="Helm looks up the kinds of a file of `crds/` before it creates the first object in it, so that `helm install` fails with "
    "`no matches for kind`. It does not wait between files either: with the object in another file, most installations fail.",
    help="Move the object to `templates/`")
UNREAD = _InChart("helm-not-read", "File of the chart that crdlint does not read",
    claims_nothing=True,
    in_each_run=False,
    why="Helm may install CRDs of it, which are not checked.",
    help="Make it a file of the chart, or check it by itself")
WITHOUT_KEEP = Hint("helm-crd-without-keep", "Helm deletes the CRD and all of its objects with the release",
    in_each_run=False,
    observed=("helm-uninstall-deletes", "helm-moved-to-crds-after-keep", "helm-moved-to-crds"),
    why="Helm deletes what it installed from `templates/`, and deleting a CRD deletes every object of it in the cluster. crdlint "
    "reports it once for each chart.",
    help=f"{KEEP_FIRST}; a CRD that moves to `crds/` before such a release was installed is deleted by the upgrade, with all "
    "objects",
    bad=_CRD, good=_CRD.replace("metadata:\n", "metadata:\n  annotations: {helm.sh/resource-policy: keep}\n"),
    scope="template")
POLICY = _InChart("helm-resource-policy", "Resource policy that does not keep the CRD",
    in_each_run=False,
    observed=("helm-resource-policy-without-keep",),
    why="Helm compares the value with `keep` when an upgrade does not render the CRD any more, in lower case and without blanks. "
    "With any other value it then deletes the CRD and every object of it.",
    help=OneCommand("Write `helm.sh/resource-policy: keep`"),
    bad=_CRD.replace("metadata:\n", "metadata:\n  annotations: {helm.sh/resource-policy: Keep}\n"),
    good=_CRD.replace("metadata:\n", "metadata:\n  annotations: {helm.sh/resource-policy: keep}\n"))
PLACEHOLDER = _InChart("helm-webhook-placeholder", "Conversion webhook of the service that kubebuilder generates",
    in_each_run=False,
    observed=("webhook-of-the-scaffold",),
    why="The service `webhook-service` in the namespace `system` is a placeholder of kubebuilder, whose kustomization replaces it. "
    "Helm does not, so conversions fail with `service \"webhook-service\" not found`, unless a controller of the chart replaces "
    "it when it starts.",
    help="Write the name and the namespace of the chart's service")
UPGRADE_FAILS = Rule("change-helm-upgrade-fails", "`helm upgrade` from the old revision of the chart fails",
    observed=("helm-takes-over-no-crd",),
    severity="error", origin="crdlint", compares=True, scope="template",
    why="Helm does not take over a CRD of `crds/` or of a hook into a release, and does not install new CRDs of `crds/` "
    "with an upgrade.",
    help="Upgrade with `--take-ownership` (Helm 3.17 or later), and add `helm.sh/resource-policy: keep` to the CRD")
NOT_APPLIED = Caution("change-helm-not-applied", "Change in `crds/`, which `helm upgrade` does not apply",
    observed=("helm-crds-are-not-upgraded",),
    compares=True, scope="crds",
    why="Helm installs the CRDs of `crds/` with the first installation of the chart and never again. Objects with new fields lose "
    "them with Helm 3, and are rejected with Helm 4.",
    help="Apply the files before the upgrade: `kubectl apply --server-side -f {folder}`")
STAYS = Hint("change-helm-crd-stays", "CRD that Helm leaves in the cluster",
    observed=("helm-crds-are-not-upgraded",),
    compares=True, scope="template",
    why="Helm deletes neither a CRD of `crds/` or of a hook nor one with `helm.sh/resource-policy: keep`. From then on no release "
    "updates it.",
    help="Delete it by hand once no object of it is needed")
