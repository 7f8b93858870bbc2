"""Asking a running server and crdlint the requests of the records: each returns both answers, and leaves nothing behind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeAlias

import crdlint

from .answers import (
    Answer,
    as_request,
    differences,
    of_diagnostics,
    of_record,
    of_reply,
    of_report,
    without_kept_values,
)
from .api import CRDS, JSON, MERGE_PATCH, YAML, Reply, Server, wait

Row: TypeAlias = Mapping[str, Any]
_DRY_RUN: Final = "?dryRun=All&fieldValidation=Warn"
_TRIES: Final = 20  # of an update that meets one of the server's own controllers
_OF_STORED: Final = frozenset({"resourceVersion", "uid", "deletionTimestamp"})
_NAMESPACE: Final = "default"


class Outcome(NamedTuple):
    """What came of a request: `server` is None if it cannot be asked of a running server, and `why` says why not.

    `is_as_recorded` is False if the server was asked something else than the record: it established the old CRD.
    """

    server: Answer | None
    crdlint: Answer | None = None
    why: str = ""
    is_as_recorded: bool = True


class Compared(NamedTuple):
    """A request that was asked, and in lines where the others differ from the server."""

    id: str
    outcome: Outcome
    lines: tuple[str, ...] = ()


def ask(server: Server, row: Row, version: str) -> Compared:
    """Ask the server and crdlint of `version` a request, and compare both and the recorded answer, if the row has one."""
    operation = _OPERATIONS.get(row["op"])
    if operation is None:
        return Compared(row["id"], Outcome(None, why=f"`{row['op']}` is no request to the server"))
    outcome = operation(server, row, version)
    if outcome.server is None:
        return Compared(row["id"], outcome)
    lines = differences(outcome.server, outcome.crdlint, "crdlint") if outcome.crdlint else []
    is_recorded = (
        "expect" in row and row.get("version", version) == version and outcome.is_as_recorded
    )
    if is_recorded:
        lines += differences(outcome.server, as_request(of_record(row["expect"])), "record")
    return Compared(row["id"], outcome, tuple(lines))


def _create(server: Server, row: Row, version: str) -> Outcome:
    reply = server.ask(
        "POST", CRDS + _DRY_RUN, row["yaml"], content_type=_content_type(row["yaml"])
    )
    return Outcome(
        of_reply(reply), of_diagnostics(crdlint.lint_text(row["yaml"], kube_version=version))
    )


def _content_type(text: str) -> str:
    """Return the media type of a text: clients send JSON as it is, and YAML otherwise."""
    try:
        json.loads(text)
    except ValueError:
        return YAML
    return JSON


def _update(server: Server, row: Row, version: str) -> Outcome:
    if _has_fields_of_the_server(row["old"]):
        return Outcome(
            None,
            why="the old CRD has fields that only the server writes, such as `status.storedVersions`",
        )
    with _real_crd(server, row["old"]) as name:
        if name is None:
            return Outcome(None, why="the server refuses the old CRD")
        new = _values(row["new"])
        if not isinstance(new, dict) or (new.get("metadata") or {}).get("name") != name:
            return Outcome(None, why="the new CRD has another name")
        stored = json.dumps(server.ask("GET", f"{CRDS}/{name}").body)
        answer = of_reply(_put_crd(server, name, new))
        expected = of_diagnostics(crdlint.lint_update(stored, row["new"], kube_version=version))
        is_as_recorded = expected == of_diagnostics(
            crdlint.lint_update(row["old"], row["new"], kube_version=version)
        )
        return Outcome(answer, expected, is_as_recorded=is_as_recorded)


def _has_fields_of_the_server(text: str) -> bool:
    """Return whether a manifest has versions of its own in which objects are stored, or the identity of a stored object."""
    manifest = _values(text)
    if not isinstance(manifest, dict):
        return False
    status, metadata = manifest.get("status"), manifest.get("metadata")
    is_stored = isinstance(metadata, dict) and not metadata.keys().isdisjoint(_OF_STORED)
    return is_stored or bool(isinstance(status, dict) and status.get("storedVersions"))


def _put_crd(server: Server, name: str, new: dict[str, Any]) -> Reply:
    """Update a CRD by dry run; again, if a controller of the server writes its status meanwhile."""
    for _ in range(_TRIES):
        stored = server.ask("GET", f"{CRDS}/{name}").body
        metadata = {**new["metadata"], "resourceVersion": stored["metadata"]["resourceVersion"]}
        reply = server.ask("PUT", f"{CRDS}/{name}{_DRY_RUN}", {**new, "metadata": metadata})
        if reply.status != 409:
            break
    return reply


def _resource(server: Server, row: Row, version: str) -> Outcome:
    with _real_crd(server, row["crd"]) as name:
        if name is None:
            return Outcome(None, why="the server refuses the CRD")
        new = _values(row["cr"])
        if not isinstance(new, dict):
            return Outcome(None, why="the object is no mapping")
        at = _collection(_values(row["crd"])["spec"], new)
        if not wait(lambda: server.ask("GET", at).status == 200, 5):
            return Outcome(None, why="the version of the object is not served")
        return _asked_resource(server, row, version, at, new)


def _asked_resource(
    server: Server, row: Row, version: str, at: str, new: dict[str, Any]
) -> Outcome:
    old = _values(row["old_cr"]) if row.get("old_cr") else None
    if "/namespaces/" in at:
        for manifest in filter(None, (old, new)):
            manifest["metadata"] = {**(manifest.get("metadata") or {}), "namespace": _NAMESPACE}
    if old is None:
        reply = server.ask("POST", at + _DRY_RUN, new)
    else:
        name = new["metadata"].get("name", "")
        old["metadata"]["name"] = name
        stored = server.ask("POST", at, old)
        if not stored.is_accepted:
            return Outcome(None, why="the server refuses the old object")
        metadata = {key: value for key, value in new["metadata"].items() if key != "uid"}
        sent = {
            **new,
            "metadata": {**metadata, "resourceVersion": stored.body["metadata"]["resourceVersion"]},
        }
        new["metadata"] = metadata
        reply = server.ask("PUT", f"{at}/{name}{_subresource(row)}{_DRY_RUN}", sent)
        # Without its finalizers, so that it is deleted with its CRD.
        server.ask(
            "PATCH", f"{at}/{name}", {"metadata": {"finalizers": None}}, content_type=MERGE_PATCH
        )
    report = crdlint.validate_resource(
        row["crd"],
        json.dumps(new),
        old_resource=None if old is None else json.dumps(old),
        kube_version=version,
        as_request=True,
    )
    return Outcome(without_kept_values(of_reply(reply)), of_report(report))


def _subresource(row: Row) -> str:
    return f"/{row['subresource']}" if row.get("subresource") else ""


def _collection(spec: Mapping[str, Any], manifest: Mapping[str, Any]) -> str:
    """Return the path of the objects of a CRD, in the version that a manifest names."""
    version = str(manifest.get("apiVersion", "")).rpartition("/")[2]
    namespace = f"/namespaces/{_NAMESPACE}" if spec.get("scope") == "Namespaced" else ""
    return f"/apis/{spec['group']}/{version}{namespace}/{spec['names']['plural']}"


@contextmanager
def _real_crd(server: Server, text: str) -> Iterator[str | None]:
    """Create a CRD for the time of a request. Yields its name, or None if the server refuses it."""
    name = server.create_crd(text)
    try:
        yield name
    finally:
        if name is not None:
            server.delete_crd(name)


def _values(text: str) -> Any:
    try:
        return crdlint.decode_yaml(text)
    except crdlint.YAMLDecodeError:
        return None


_OPERATIONS: Final[Mapping[str, Callable[[Server, Row, str], Outcome]]] = {
    "create": _create,
    "update": _update,
    "cr": _resource,
}
