"""What server-side apply reports about a custom resource before it validates it, in the server's order.

See `crdlint.typed.applied_crds`; a custom resource is not converted to Go types.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.kubernetes.servers import Server
from crdlint.light import NamedTuple
from crdlint.typed.metadata import (
    MANAGED_FIELDS,
    conflict_of_uid,
    has_managed_fields,
    name_problem,
    named,
    version_problem,
)
from crdlint.typed.schemas import type_of_objects
from crdlint.typed.types import FieldType
from crdlint.typed.walker import TypedError, check, joined


class ApplyRejection(NamedTuple):
    """The server's message for an object that it rejects unvalidated.

    `errors` are those of the typed check, with the start of the message in `start`; otherwise `path` leads to the field
    that is the cause, and `summary` is what is wrong with it, if the message does not begin with that.
    """

    text: str
    path: Path | None = None
    start: str = ""
    errors: tuple[TypedError, ...] = ()
    summary: str = ""


class StoredObject(NamedTuple):
    """An object that the server has: as it reads it from its storage, and as its manager applied it."""

    value: dict[str, Any]
    sent: dict[str, Any]


class Manager(NamedTuple):
    """Who applies an object: the name of the field manager, and whether it takes over fields of others."""

    name: str
    forces: bool = False


class AppliedObjects:
    """Checks the objects of a CRD's version that are sent by server-side apply.

    `resource` is the plural and the group of the CRD. `preserves` is its preserveUnknownFields, and `has_status` is
    whether the status is a subresource.
    """

    def __init__(
        self,
        schema: JSONSchemaProps | None,
        resource: str,
        api_version: str,
        kind: str,
        server: Server,
        *,
        preserves: bool,
        has_status: bool = False,
    ) -> None:
        self._schema = schema
        self._has_status = has_status
        self._resource = resource
        self._api_version, self._kind = api_version, kind
        self._server = server
        self._preserves = preserves

    @cached_property
    def type(self) -> FieldType:
        """The type of the objects."""
        return type_of_objects(self._schema, preserves=self._preserves)

    def rejection(self, value: dict[str, Any]) -> ApplyRejection | None:
        """Return why the server rejects a new object unvalidated, None if it does not."""
        rejection = self._rejection_of_patch(value)
        if rejection is not None:
            return rejection
        for field, text in (
            ("uid", conflict_of_uid(value, self._resource)),
            ("resourceVersion", version_problem(value)),
        ):
            if text:
                return ApplyRejection(text, Path("metadata").child(field))
        return None

    def merged(
        self, value: dict[str, Any], stored: StoredObject, by: Manager
    ) -> dict[str, Any] | ApplyRejection:
        """Return what becomes of a stored object to which another one is applied, or why the server rejects that."""
        from crdlint.typed.ownership import Owners, path_in  # most objects are new

        rejection = self._rejection_of_patch(value)
        if rejection is not None:
            return rejection
        errors = check(
            stored.value,
            self.type,
            self._server,
            allows_duplicates=self._server.allows_stored_duplicates,
        )
        if errors:
            of_stored = f"{named(stored.value)}; {_described(stored.value)}"
            start = f"failed to create typed live object ({of_stored}): "
            field = errors[0].printed.removeprefix(".")
            summary = f"the stored object does not fit the CRD: `{field}`"
            return ApplyRejection(start + joined(errors), summary=summary)
        owners = Owners(self.type, self._server, resets_status=self._has_status)
        try:
            result = owners.apply(stored.value, value, stored.sent, by.name)
        except ValueError as error:
            return ApplyRejection(f"failed to decode managed fields: {error}")
        if result.conflicts and not by.forces:
            path = path_in(value, result.conflicts[0].field, self._server)
            return ApplyRejection(result.message, path, summary=result.summary)
        problem = version_problem(value)
        if problem:
            return ApplyRejection(problem, Path("metadata").child("resourceVersion"))
        merged: dict[str, Any] = result.value
        return merged

    def _rejection_of_patch(self, value: dict[str, Any]) -> ApplyRejection | None:
        """Return why the server rejects an object before it looks at a stored one, None if it does not."""
        for field, text in (
            ("name", name_problem(value)),
            ("kind", self._type_problem(value)),
            ("managedFields", MANAGED_FIELDS if has_managed_fields(value) else ""),
        ):
            if text:
                return ApplyRejection(
                    text, Path(field) if field == "kind" else Path("metadata").child(field)
                )
        errors = check(value, self.type, self._server)
        if not errors:
            return None
        start = f"failed to create typed patch object ({named(value)}; {_described(value)}): "
        return ApplyRejection(
            start + joined(errors),
            None,
            start,
            tuple(errors),
        )

    def _type_problem(self, value: dict[str, Any]) -> str:
        is_ours = (value.get("apiVersion"), value.get("kind")) == (self._api_version, self._kind)
        return "" if is_ours else f"invalid object type: {_described(value)}"


def _described(value: dict[str, Any]) -> str:
    """Return the type of an object as Go prints its group, version and kind."""
    api_version, kind = map(value.get, ("apiVersion", "kind"))
    group, _, version = (api_version if isinstance(api_version, str) else "").rpartition("/")
    return f"{group}/{version}, Kind={kind if isinstance(kind, str) else ''}"
