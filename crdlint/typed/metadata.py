"""What server-side apply reads of an object's metadata, whose types it has not checked yet.

Upstream: apimachinery pkg/apis/meta/v1/unstructured (Unstructured), and objectGVKNN of pkg/util/managedfields/internal.
"""

from __future__ import annotations

from typing import Any


def text_of(value: Any, name: str) -> str:
    """Return a text in the metadata of an object, empty if it is absent or no text."""
    metadata = value.get("metadata")
    text = metadata.get(name) if isinstance(metadata, dict) else None
    return text if isinstance(text, str) else ""


def named(value: Any) -> str:
    """Return the namespace and name of an object as the server's messages have them."""
    return f"{text_of(value, 'namespace')}/{text_of(value, 'name')}"


def has_managed_fields(value: Any) -> bool:
    """Return whether an object has a list of managed fields, even an empty one; one that is no such list does not count."""
    metadata = value.get("metadata")
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    return isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)


def conflict_of_uid(value: Any, resource: str) -> str:
    """Return the server's message for an object with a uid that does not exist, empty without a uid.

    `resource` is its plural and group: `widgets.example.com`.
    """
    uid = text_of(value, "uid")
    if not uid:
        return ""
    reason = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
    return f'Operation cannot be fulfilled on {resource} "{text_of(value, "name")}": {reason}'
