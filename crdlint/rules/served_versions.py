"""Advice: CRDs of which no version is served."""

from __future__ import annotations

from collections.abc import Iterator

from crdlint.crd.paths import Path
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.finding import Edits, Finding, Fixer
from crdlint.rules.engine.rule import Caution


@Fixer("Serve the only version", "unsafe")
def _served(finding: Finding) -> Edits:
    yield finding.editor.replace(finding.scalar(), "true")


def _versions(*served: bool) -> str:
    schema = "schema: {openAPIV3Schema: {type: object}}"
    return "versions:\n" + "".join(
        f"- {{name: v{i + 1}, served: {str(is_served).lower()}, storage: {str(not i).lower()}, {schema}}}\n"
        for i, is_served in enumerate(served)
    )


NONE_SERVED = Caution(
    id="no-version-served",
    summary="No version of the CRD is served",
    why="The API server has no endpoint for the resource, so no object can be read, created or changed.",
    bad=_versions(False, False),
    good=_versions(True, False),
    help="Set `served: true` on at least one version",
    marker="remove `+kubebuilder:unservedversion`",
    scope="spec",
)
STORAGE_NOT_SERVED = Caution(
    id="storage-version-not-served",
    summary="Only version of the CRD is not served",
    why="The API server stores objects of this version, but has no endpoint for it, so no object can be read, created or changed.",
    bad=_versions(False),
    good=_versions(True),
    help="Set `served: true` on the version",
    scope="spec",
    marker="remove `+kubebuilder:unservedversion`",
    fixes=(_served,),
)


@NONE_SERVED.practice
def served(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield that no version is served: of the only one at its place, of several at their list."""
    versions = crd.spec.versions
    if not versions or any(version.served for version in versions):
        return
    path = Path("spec").child("versions")
    if len(versions) == 1:
        message = "the only version is not served: the API server has no endpoint for its objects"
        yield Advisory(message, path.index(0).child("served"), rule=STORAGE_NOT_SERVED.id)
    else:
        message = f"none of the {len(versions):,} versions is served: the API server has no endpoint for their objects"
        yield Advisory(message, path)
