"""What client-side apply makes of an object: `kubectl apply`, and Argo CD without server-side apply.

Upstream: kubectl pkg/cmd/apply (pruneNullsFromMap, patchSimple), apimachinery pkg/util/jsonmergepatch.
"""

from __future__ import annotations

from typing import Any, Final

from crdlint.gathering import object_at, object_of
from crdlint.kubernetes.senders import last_applied
from crdlint.schema.deep_equal import deep_copy


def as_created(sent: dict[str, Any]) -> dict[str, Any]:
    """Return a new object without the fields that are null; items of lists that are null stay."""
    created: dict[str, Any] = deep_copy(sent)
    _drop_nulls(created)
    return created


def has_last_applied(old: dict[str, Any]) -> bool:
    """Return whether an object has the annotation with what was applied last."""
    return last_applied(old) is not None


def as_patched(sent: dict[str, Any], stored: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Return what becomes of an object that the server has as `stored`.

    Its fields stay, except for those that `sent` has, and those that were applied before and that it lacks. What was
    applied is in the annotation of the `old` object. An object of a cluster without it was not applied; any other is itself
    what was applied.
    """
    patched: dict[str, Any] = deep_copy(stored)
    applied = last_applied(old)
    if applied is None:
        applied = {} if _is_of_cluster(old) else old
    pending = [(patched, sent, applied)]
    while pending:
        target, values, before = pending.pop()
        for name in before.keys() - values.keys():
            target.pop(name, None)
        for name, value in values.items():
            current, was = target.get(name), before.get(name, _ABSENT)
            if value is None:
                # A null that was applied before deletes nothing.
                if was is not None:
                    target.pop(name, None)
            elif isinstance(value, dict) and isinstance(current, dict):
                pending.append((current, value, object_of(was)))
            else:
                target[name] = deep_copy(value)
                _drop_nulls(target[name])
    return patched


_ABSENT: Final = object()


def _is_of_cluster(old: dict[str, Any]) -> bool:
    return bool(object_at(old, "metadata").get("uid"))


def _drop_nulls(value: Any) -> None:
    """Delete the fields of a value that are null, in place."""
    pending = [value]
    while pending:
        container = pending.pop()
        if isinstance(container, dict):
            for name in [name for name, field in container.items() if field is None]:
                del container[name]
            pending += container.values()
        elif isinstance(container, list):
            pending += container
