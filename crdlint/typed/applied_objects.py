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

    `errors` are those of the typed check, with the start of the message in `start`; otherwise `path` leads to the field of the
    metadata.
    """

    text: str
    path: Path | None = None
    start: str = ""
    errors: tuple[TypedError, ...] = ()


class AppliedObjects:
    """Checks the objects of a CRD's version that are sent by server-side apply.

    `resource` is the plural and the group of the CRD. `preserves` is its preserveUnknownFields.
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
    ) -> None:
        self._schema = schema
        self._resource = resource
        self._api_version, self._kind = api_version, kind
        self._server = server
        self._preserves = preserves

    @cached_property
    def type(self) -> FieldType:
        """The type of the objects."""
        return type_of_objects(self._schema, preserves=self._preserves)

    def rejection(self, value: dict[str, Any]) -> ApplyRejection | None:
        """Return why the server rejects an object unvalidated, None if it does not."""
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
        if errors:
            start = f"failed to create typed patch object ({named(value)}; {_described(value)}): "
            return ApplyRejection(start + joined(errors), None, start, tuple(errors))
        for field, text in (
            ("uid", conflict_of_uid(value, self._resource)),
            ("resourceVersion", version_problem(value)),
        ):
            if text:
                return ApplyRejection(text, Path("metadata").child(field))
        return None

    def _type_problem(self, value: dict[str, Any]) -> str:
        is_ours = (value.get("apiVersion"), value.get("kind")) == (self._api_version, self._kind)
        return "" if is_ours else f"invalid object type: {_described(value)}"


def _described(value: dict[str, Any]) -> str:
    """Return the type of an object as Go prints its group, version and kind."""
    api_version, kind = (value.get(name) for name in ("apiVersion", "kind"))
    group, _, version = (api_version if isinstance(api_version, str) else "").rpartition("/")
    return f"{group}/{version}, Kind={kind if isinstance(kind, str) else ''}"
