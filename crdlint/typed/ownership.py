"""What becomes of a stored object to which another one is applied, by the owners of its fields.

Upstream: structured-merge-diff merge/update.go (Updater.Apply) and merge/conflict.go, and apimachinery
pkg/util/managedfields/internal (managedfields.go, lastappliedmanager.go, stripmeta.go).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from crdlint.crd.paths import Path
from crdlint.golang.printing import marshal
from crdlint.golang.text import quote
from crdlint.kubernetes.senders import last_applied
from crdlint.kubernetes.servers import Server
from crdlint.light import NamedTuple
from crdlint.phrases import counted
from crdlint.typed.fields import Fields, OwnedField, in_order, of_json, root, with_named, without
from crdlint.typed.items import ItemIdentity, identity_of
from crdlint.typed.merging import Merging
from crdlint.typed.types import FieldType

_APPLY: Final = "Apply"
_KUBECTL: Final = "kubectl"
# Fields without an owner.
_OF_SERVER: Final = (
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
)


class Conflict(NamedTuple):
    """A field of the applied object that another manager owns, as the server's messages name the manager."""

    manager: str
    field: OwnedField


class Merged(NamedTuple):
    """The merged object, and the conflicts because of which the server does not store it."""

    value: Any
    conflicts: tuple[Conflict, ...] = ()

    @property
    def message(self) -> str:
        """The server's message for the conflicts. Upstream: getConflictMessage."""
        if len(self.conflicts) == 1:
            manager, field = self.conflicts[0]
            return f"Apply failed with 1 conflict: conflict with {manager}: {field}"
        lines: list[str] = []
        previous = None
        for manager, field in self.conflicts:
            if manager != previous:
                lines.append(f"conflicts with {manager}:")
            lines.append(f"- {field}")
            previous = manager
        return f"Apply failed with {len(self.conflicts)} conflicts: " + "\n".join(lines)

    @property
    def summary(self) -> str:
        """Whose fields the applied object changes."""
        (owner, field), *others = self.conflicts
        of_others = f" and {counted(len(others), 'more field')}" if others else ""
        verb = "are" if others else "is"
        return f"`{str(field).removeprefix('.')}`{of_others} {verb} owned by {owner}"


class _Owner(NamedTuple):
    """A manager: what identifies it, its name in messages, and the fields that it owns."""

    identifier: str
    name: str
    fields: Fields


class Owners:
    """The owners of the fields of objects of one type, and how a manager applies objects.

    `resets_status` is set if the status is a subresource, of which an applied object does not own fields.
    """

    def __init__(self, type_: FieldType, server: Server, *, resets_status: bool) -> None:
        self._root = root(type_)
        self._merging = Merging(server)
        self._reset = {self._root.below("status")} if resets_status else set()

    def apply(
        self,
        stored: dict[str, Any],
        applied: dict[str, Any],
        before: dict[str, Any],
        manager: str,
    ) -> Merged:
        """Apply an object to a stored one as a manager.

        The owners are in `metadata.managedFields` of the stored object; without any, the manager has applied `before`.
        Raise ValueError for managed fields that the server cannot decode.
        """
        live = _without_managed_fields(stored)
        identifier = _identifier({"manager": manager, "operation": _APPLY})
        owners = self._owners(stored)
        if not owners:
            owned = self._merging.fields(before, self._root) - self._of_server()
            owners = [_Owner(identifier, quote(manager), without(owned, self._reset))]
        last = next((owner.fields for owner in owners if owner.identifier == identifier), set())
        others = [owner for owner in owners if owner.identifier != identifier]
        merged = self._merging.merged(live, applied, self._root)
        own = without(self._merging.fields(applied, self._root), self._reset)
        managed = set(own).union(*(owner.fields for owner in others))
        value = self._pruned(merged, last, managed)
        conflicts = self._conflicts(live, value, others)
        if manager == _KUBECTL and conflicts:
            conflicts = self._not_last_applied(conflicts, live)
        return Merged(value, tuple(conflicts))

    def _owners(self, stored: dict[str, Any]) -> list[_Owner]:
        entries = (stored.get("metadata") or {}).get("managedFields") or []
        if not isinstance(entries, list):
            raise ValueError("metadata.managedFields is not a list")
        return list(map(self._owner, entries))

    def _owner(self, entry: Any) -> _Owner:
        if not isinstance(entry, dict):
            raise ValueError("an entry of metadata.managedFields is not an object")
        if entry.get("operation") not in {_APPLY, "Update"}:
            raise ValueError("operation must be `Apply` or `Update`")
        fields = of_json(entry.get("fieldsV1") or {}, self._root)
        return _Owner(_identifier(entry), _name(entry), fields)

    def _of_server(self) -> set[OwnedField]:
        """Return the fields without an owner. Upstream: stripMetaManager."""
        metadata = self._root.below("metadata")
        return {
            metadata,
            *map(self._root.below, ("apiVersion", "kind")),
            *map(metadata.below, _OF_SERVER),
        }

    def _pruned(self, merged: Any, last: Fields, managed: Fields) -> Any:
        """Return a merged object without what its manager applied last, and no manager owns now. Upstream: Updater.prune."""
        if not last:
            return merged
        last = with_named(last)
        of_merged = self._named_fields(merged)
        pruned = self._reduced(merged, last)
        pruned = self._reduced(merged, of_merged - self._named_fields(pruned) - with_named(managed))
        return self._reduced(merged, (of_merged - self._named_fields(pruned)) & last)

    def _named_fields(self, value: Any) -> set[OwnedField]:
        return with_named(self._merging.fields(value, self._root))

    def _reduced(self, value: Any, removed: Fields) -> Any:
        return self._merging.reduced(value, removed, self._root)

    def _conflicts(self, live: Any, value: Any, others: Sequence[_Owner]) -> list[Conflict]:
        """Return the changed fields that others own, by manager and field. Upstream: Updater.update."""
        comparison = self._merging.compared(live, value, self._root)
        changed = without(comparison.modified | comparison.added, self._reset)
        return [
            Conflict(owner.name, field)
            for owner in sorted(others, key=_by_identifier)
            for field in in_order(owner.fields & changed)
        ]

    def _not_last_applied(self, conflicts: list[Conflict], live: dict[str, Any]) -> list[Conflict]:
        """Return conflicts about fields that kubectl did not apply by client-side apply, which it takes over.

        Upstream: lastAppliedManager.allowedConflictsFromLastApplied.
        """
        last = last_applied(live)
        if last is None or last.get("apiVersion") != live.get("apiVersion"):
            return conflicts
        differing = self._merging.compared(last, live, self._root)
        allowed = self._merging.fields(last, self._root)
        allowed -= differing.modified | differing.added | differing.removed
        return [conflict for conflict in conflicts if conflict.field not in allowed]


def path_in(value: Any, field: OwnedField, server: Server) -> Path | None:
    """Return the path to a field in an object, or to what is nearest to it."""
    path: Path | None = None
    for part in reversed([field, *field.ancestors()]):
        step = part.step
        if isinstance(step, ItemIdentity):
            around = FieldType() if part.parent is None else part.parent.type
            step = _index(value, step, around, server)
        exists = step in value if isinstance(value, dict) else isinstance(step, int)
        if not exists:
            break
        value = value[step]
        path = Path(step, path)
    return path


def _index(
    value: Any,
    identity: ItemIdentity,
    type_: FieldType,
    server: Server,
) -> int | str:
    """Return the index of an item in a list, empty if the list has no such item."""
    declared = type_.list
    if declared is None or not isinstance(value, list):
        return ""
    identities = (identity_of(item, declared, declared.item(), server) for item in value)
    return next((i for i, each in enumerate(identities) if each == identity), "")


def _without_managed_fields(stored: dict[str, Any]) -> dict[str, Any]:
    metadata = {
        name: value
        for name, value in (stored.get("metadata") or {}).items()
        if name != "managedFields"
    }
    return {**stored, "metadata": metadata}


def _identifier(entry: Mapping[str, Any]) -> str:
    """Return what identifies a manager: of one that applies, without the version. Upstream: BuildManagerIdentifier."""
    names = ["manager", "operation", "apiVersion", "subresource"]
    if entry.get("operation") == _APPLY:
        names.remove("apiVersion")
    parts = [f"{marshal(name)}:{marshal(entry[name])}" for name in names if entry.get(name)]
    return "{" + ",".join(parts) + "}"


def _by_identifier(owner: _Owner) -> str:
    return owner.identifier


def _name(entry: Mapping[str, Any]) -> str:
    """Return a manager as the server's messages name it. Upstream: printManager."""
    name = quote(str(entry.get("manager") or ""))
    if entry.get("subresource"):
        name += f" with subresource {quote(str(entry['subresource']))}"
    if entry.get("operation") == _APPLY:
        return name
    return f"{name} using {entry.get('apiVersion', '')}"
