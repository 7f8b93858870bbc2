"""Advice: fields that generators and `kubectl get` write, and that have no effect in a manifest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crdlint.crd.paths import Path
from crdlint.rules import storage
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.finding import Edits, Finding, Fixer, mapping_at
from crdlint.rules.engine.rule import Rule
from crdlint.yaml.nodes import child

_WRITES: Final = "the API server writes it"
_FIELDS: Final = (
    (Path("status"), _WRITES),
    (Path("metadata").child("creationTimestamp"), _WRITES),
    (Path("metadata").child("namespace"), "CRDs are cluster-scoped, and the API server removes it"),
)


@Fixer("Remove the field", "safe")
def _removal(finding: Finding) -> Edits:
    *parents, name = (str(step) for step in finding.path.steps())
    return [finding.editor.remove(mapping_at(finding.root, *parents), name)]


@Rule(
    id="leftover-field",
    in_set="gitops",
    summary="Field has no effect in a manifest",
    why="The API server writes `status` and `metadata.creationTimestamp` itself, and removes `metadata.namespace`: CRDs "
    "are cluster-scoped. Tools that compare manifests with the cluster report such fields as differences, unless they "
    "ignore them for CRDs as Argo CD does.",
    bad="metadata: {creationTimestamp: null}",
    good="metadata: {name: foos.example.com}",
    help="Remove the field",
    scope="manifest",
    severity="info",
    on_request=True,
    aliases=("gitops-status", "gitops-creation-timestamp", "metadata-namespace"),
    origin="crdlint",
    fixes=(_removal, _removal.example(bad="status: {conditions: []}", good="spec: {}")),
).advice
def leftovers(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the fields that the server sets or removes itself, unless the finding about a copy from a cluster names them."""
    if any(storage.on_create.findings(crd)):
        return
    for path, reason in _FIELDS:
        if child(crd.root, *map(str, path.steps())) is not None:
            yield Advisory(f"`{path}` has no effect in a manifest: {reason}", path, "Remove the field")
