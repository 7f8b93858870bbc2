"""What the storage of the API server rejects after validation: objects to be created that were copied from a cluster.

Upstream: apiserver pkg/storage/etcd3 store.Create. Which fields of a copy the server sets itself: pkg/registry/rest/meta.go
WipeObjectMetaSystemFields and the strategies' PrepareForCreate. It keeps `managedFields`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crdlint.crd.paths import Path
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.finding import Edits, Finding, Fixer, mapping_at
from crdlint.rules.engine.rule import Rule
from crdlint.yaml.nodes import Mapping, child

_COPIED: Final = (
    "uid", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields",
)  # fmt: skip
_UINT64: Final = 2**64
_MESSAGE: Final = "resourceVersion should not be set on objects to be created"
PATH: Final = Path("metadata").child("resourceVersion")


@Fixer("Remove the fields that the API server sets", "safe")
def _removal(finding: Finding) -> Edits:
    yield from finding.editor.remove_all(mapping_at(finding.root, "metadata"), ("resourceVersion", *_COPIED))
    yield from finding.editor.remove_all(finding.root, ("status",))


RESOURCE_VERSION: Final = Rule(
    id="resource-version-on-create",
    summary="Object to be created has a `resourceVersion`, like a copy from a cluster",
    why="The API server validates such an object, and then its storage rejects it. `kubectl get -o yaml` prints the "
    "field, and other fields that the API server sets itself.",
    bad="resourceVersion: '12345'\nuid: 6f1e1f9c-3c1b-4b8e-9d6e-0a1f2b3c4d5e\n",
    good="name: foos.example.com",
    help="Remove `metadata.resourceVersion`",
    source="apiserver/pkg/storage/etcd3 Create",
    scope="metadata",
    origin="storage",
    fixes=(_removal,),
)


def refusal(root: Mapping, version: object, *, has_status: bool) -> Advisory | None:
    """Return the finding that an object with a `resourceVersion` cannot be created, or None if it can.

    `has_status` means that the server drops the status of the object.
    """
    is_number = isinstance(version, str) and version.isascii() and version.isdigit() and len(version.lstrip("0")) <= 20
    if not is_number or not 0 < int(str(version)) < _UINT64:
        return None
    others = [name for name in _COPIED if child(root, "metadata", name) is not None]
    others += ["status"] * (has_status and root.find("status") is not None)
    if not others:
        return Advisory(_MESSAGE, PATH, rule=RESOURCE_VERSION.id)
    names = ", ".join(f"`{name}`" for name in others)
    help_ = f"{RESOURCE_VERSION.help}, and {names} of the same copy: the API server sets these fields itself"
    return Advisory(_MESSAGE, PATH, help_, rule=RESOURCE_VERSION.id)


@RESOURCE_VERSION.advice
def on_create(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield that the CRD cannot be created."""
    version = None if crd.old_names is not None else getattr(child(crd.root, *map(str, PATH.steps())), "value", None)
    advisory = refusal(crd.root, version, has_status=True)
    if advisory is not None:
        yield advisory
