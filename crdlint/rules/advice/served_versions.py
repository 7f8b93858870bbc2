"""Versions that are not served."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crdlint.crd.paths import Path
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.edits import Edits, is_null
from crdlint.rules.engine.finding import AdviceFinding
from crdlint.rules.engine.fixer import Fixer
from crdlint.rules.engine.rule import Caution
from crdlint.rules.server.versions import BASE, version_with, versions_with
from crdlint.yaml.nodes import child

_UNSERVED: Final = version_with("v1", served=False)
_SECOND: Final = version_with("v2", served=False, storage=False)


@Fixer("Serve the only version", "unsafe")
def _served(finding: AdviceFinding) -> Edits:
    yield finding.editor.replace(finding.scalar(), "true")


NONE_SERVED = Caution(
    "no-version-served",
    "No version of the CRD is served",
    scope="spec",
    observed=("storage-version-not-served",),
    why="The API server has no endpoint for the resource, so no object can be read, created or changed.",
    help="Set `served: true` on at least one version",
    marker="remove `+kubebuilder:unservedversion`",
    bad=versions_with(_UNSERVED, _SECOND),
    good=versions_with(BASE, _SECOND),
)


STORAGE_NOT_SERVED = Caution(
    "storage-version-not-served",
    "Only version of the CRD is not served",
    scope="spec",
    observed=("storage-version-not-served",),
    why="The API server stores objects of this version, but has no endpoint for it, so no object can be read, created or changed.",
    help="Set `served: true` on the version",
    marker="remove `+kubebuilder:unservedversion`",
    bad=versions_with(_UNSERVED),
    good=versions_with(BASE),
    fixes=(_served,),
)


NULL_SERVED = Caution(
    "served-null",
    "`served:` without a value does not serve the version",
    scope="spec",
    observed=("served-null",),
    why="YAML reads the missing value as null, which the API server reads as `false`. Requests to the version end in 404.",
    help="Write `served: true`, or `served: false` if the version is retired",
    marker="remove `+kubebuilder:unservedversion`",
    bad=versions_with(BASE, _SECOND.replace("served: false", "served: null")),
    good=versions_with(BASE, _SECOND),
)


@NULL_SERVED.practice
def served_null(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield each version whose `served` is null, beside one that is served."""
    if not any(version.served for version in crd.spec.versions):
        return
    for i in range(len(crd.spec.versions)):
        node = child(crd.root, "spec", "versions", i, "served")
        if node is not None and is_null(node):
            path = Path("spec").child("versions").index(i).child("served")
            yield Advisory("the version is not served: `served` is null", path)


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
