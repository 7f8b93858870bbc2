"""Advice: fields that generators and `kubectl get` write, and that have no effect in a manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd.paths import Path
from crdlint.rules.engine.advisory import Advisory
from crdlint.rules.engine.finding import Fixer, mapping_at
from crdlint.rules.engine.rule import Rule
from crdlint.yaml.nodes import Mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.rules.engine.advisory import DecodedCRD
    from crdlint.rules.engine.finding import Finding
    from crdlint.yaml.edit import Edit


def _removal(finding: Finding) -> Iterable[Edit]:
    """Remove the field."""
    *above, name = (str(step) for step in finding.path.steps())
    return [finding.editor.remove(mapping_at(finding.root, *above), name)]


LEFTOVER = Rule(
    id="leftover-field",
    summary="Field has no effect in a manifest",
    why="The API server writes `status` and `metadata.creationTimestamp` itself. Tools that compare manifests with the cluster "
    "report such fields as differences, unless they ignore them for CRDs as Argo CD does.",
    bad="metadata: {creationTimestamp: null}\n",
    good="metadata: {name: foos.example.com}\n",
    help="Remove the field",
    scope="manifest",
    severity="info",
    on_request=True,
    aliases=("gitops-status", "gitops-creation-timestamp"),
    origin="crdlint",
    fixes=(
        Fixer("Remove the field", "safe", _removal),
        Fixer("Remove the field", "safe", _removal, bad="status: {conditions: []}\n", good="spec: {}\n"),
    ),
)  # fmt: skip

RULES = (LEFTOVER,)

_STATUS: Final = Path("status")
_TIMESTAMP: Final = Path("metadata").child("creationTimestamp")


def leftovers(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the fields that the server sets itself."""
    root = crd.root
    if root.find("status") is not None:
        yield _found(_STATUS, "`status` has no effect in a manifest: the API server writes it")
    metadata = root.find("metadata")
    if metadata is not None and isinstance(metadata[1], Mapping) and metadata[1].find("creationTimestamp") is not None:
        yield _found(_TIMESTAMP, "`metadata.creationTimestamp` has no effect in a manifest: the API server writes it")


def _found(path: Path, message: str) -> Advisory:
    return Advisory("advice", LEFTOVER.id, message, path, "Remove the field")


ADVICE: Final = (leftovers,)
