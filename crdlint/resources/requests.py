"""Changes to an object between its file and validation that depend on the request instead of the CRD.

kubectl sets the default namespace on an object without one. The server generates a name from generateName (apiserver
pkg/storage/names/generate.go).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    # Group, kind, namespace and name.
    Key = tuple[str, str, str, str]

DEFAULT_NAMESPACE: Final = "default"
_LONGEST_BASE: Final = 58  # the number of bytes of generateName that are kept
_SUFFIX: Final = "xxxxx"  # represents five random characters


def as_sent(resource: dict[str, Any], *, namespaced: bool) -> dict[str, Any]:
    """Return an object as it is validated; metadata that is not an object is kept unchanged."""
    meta = resource.get("metadata")
    if meta is None:
        meta = {}
    if not isinstance(meta, dict):
        return resource
    meta = dict(meta)
    if namespaced and meta.get("namespace") in (None, ""):
        meta["namespace"] = DEFAULT_NAMESPACE
    base = meta.get("generateName")
    if isinstance(base, str) and base and meta.get("name") in (None, ""):
        meta["name"] = base.encode()[:_LONGEST_BASE].decode("utf-8", "replace") + _SUFFIX
    return {**resource, "metadata": meta}


def key_of(resource: dict[str, Any], *, namespaced: bool) -> Key:
    """Return the key by which objects are matched; one without a namespace belongs to the default one."""
    meta = resource.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    group = str(resource.get("apiVersion", "")).rpartition("/")[0]
    namespace = str(meta.get("namespace") or DEFAULT_NAMESPACE) if namespaced else ""
    return group, str(resource.get("kind", "")), namespace, str(meta.get("name") or "")
