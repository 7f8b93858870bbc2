"""What crdlint reports of CRDs compared with their old ones."""

from __future__ import annotations

from crdlint.rules.engine.rule import Rule

REMOVED = Rule(
    id="change-crd-removed",
    summary="CRD of the old revision was removed",
    why="Deleting a CRD deletes all of its objects. Tools that prune, such as Argo CD and Flux, delete it from the "
    "cluster once no file contains it.",
    bad="",
    good="",
    help="Restore the CRD, or ignore this rule once no cluster has objects of it",
    origin="crdlint",
    scope="manifest",
)

RULES = (REMOVED,)
