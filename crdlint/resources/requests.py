"""What becomes of an object between its file and validation, as far as the request does it and not its CRD.

kubectl puts an object that names no namespace into the default one; the server takes the namespace off where the kind
has none, and makes up a name from generateName (apiserver pkg/registry/rest/meta.go, pkg/storage/names/generate.go).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    # Group, kind, namespace and name.
    Key = tuple[str, str, str, str]

DEFAULT_NAMESPACE: Final = "default"
_LONGEST_BASE: Final = 58  # bytes of generateName that are kept
_SUFFIX: Final = "xxxxx"  # stands for five characters that the server draws


def as_sent(resource: dict[str, Any], *, namespaced: bool) -> dict[str, Any]:
    """Return an object as it comes to validation; metadata that is no object is left as it is."""
    meta = resource.get("metadata")
    if meta is None:
        meta = {}
    if not isinstance(meta, dict):
        return resource
    meta = dict(meta)
    if not namespaced:
        if isinstance(meta.get("namespace"), str):
            del meta["namespace"]
    elif meta.get("namespace") in (None, ""):
        meta["namespace"] = DEFAULT_NAMESPACE
    base = meta.get("generateName")
    if isinstance(base, str) and base and meta.get("name") in (None, ""):
        meta["name"] = base.encode()[:_LONGEST_BASE].decode("utf-8", "replace") + _SUFFIX
    return {**resource, "metadata": meta}


def key_of(resource: dict[str, Any]) -> Key:
    """Return what objects are matched by; one without a namespace is taken to be in the default one."""
    meta = resource.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    group = str(resource.get("apiVersion", "")).rpartition("/")[0]
    namespace = str(meta.get("namespace") or DEFAULT_NAMESPACE)
    return group, str(resource.get("kind", "")), namespace, str(meta.get("name") or "")
