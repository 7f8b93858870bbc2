"""What server-side apply reads of an object's metadata, whose types it has not checked yet.

Upstream: apimachinery pkg/apis/meta/v1/unstructured (Unstructured), and objectGVKNN of pkg/util/managedfields/internal.
"""

from __future__ import annotations

from typing import Any, Final

from crdlint.crd.gotypes import OBJECT_META
from crdlint.crd.kubenames import is_path_segment
from crdlint.gathering import object_at
from crdlint.golang.text import quote
from crdlint.golang.times import check_rfc3339

_ENTRY: Final = OBJECT_META.fields["managedFields"].type.element or OBJECT_META
# The server's message for an object with managed fields.
MANAGED_FIELDS: Final = "metadata.managedFields must be nil"
_MAX_UINT64: Final = (1 << 64) - 1
_MOST_DIGITS: Final = 20  # of such a number


def name_problem(value: Any) -> str:
    """Return the server's message for a name that cannot be a part of a URL, empty for others."""
    name = text_of(value, "name")
    reasons = is_path_segment(name, False) if name else []
    return f"Name parameter invalid: {quote(name)}: {';'.join(reasons)}" if reasons else ""


def version_problem(value: Any) -> str:
    """Return the server's message for a resource version that is no number, empty for others."""
    version = text_of(value, "resourceVersion")
    if not version:
        return ""
    if not (version.isascii() and version.isdigit()):
        return f"strconv.ParseUint: parsing {quote(version)}: invalid syntax"
    significant = version.lstrip("0") or "0"
    if len(significant) <= _MOST_DIGITS and int(significant) <= _MAX_UINT64:
        return ""
    return f"strconv.ParseUint: parsing {quote(version)}: value out of range"


def text_of(value: Any, name: str) -> str:
    """Return a text in the metadata of an object, empty if it is absent or no text."""
    text = object_at(value, "metadata").get(name)
    return text if isinstance(text, str) else ""


def named(value: Any) -> str:
    """Return the namespace and name of an object as the server's messages have them."""
    return f"{text_of(value, 'namespace')}/{text_of(value, 'name')}"


def has_managed_fields(value: Any) -> bool:
    """Return whether an object has a list of managed fields, even an empty one; a list with other values does not count."""
    entries = object_at(value, "metadata").get("managedFields")
    return isinstance(entries, list) and all(map(_is_entry, entries))


def _is_entry(entry: object) -> bool:
    """Return whether a value can be converted to an entry of managed fields."""
    if not isinstance(entry, dict):
        return False
    texts = [
        entry[name] for name in _ENTRY.fields if name != "fieldsV1" and entry.get(name) is not None
    ]
    time = entry.get("time")
    return all(isinstance(text, str) for text in texts) and (
        time is None or check_rfc3339(time) is None
    )


def conflict_of_uid(value: Any, resource: str) -> str:
    """Return the server's message for an object with a uid that does not exist, empty without a uid.

    `resource` is its plural and group: `widgets.example.com`.
    """
    uid = text_of(value, "uid")
    if not uid:
        return ""
    reason = (
        f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
    )
    return f"Operation cannot be fulfilled on {resource} {quote(text_of(value, 'name'))}: {reason}"
