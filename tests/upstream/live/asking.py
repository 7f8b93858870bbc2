"""Asking a running server and crdlint the requests of the records: each returns both answers, and leaves nothing behind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias
from urllib.parse import quote

import crdlint

from ..answers import crdlint_answer
from ..comparison import TRIES
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
from .api import APPLY_PATCH, CRDS, JSON, MERGE_PATCH, YAML, Reply, Server, wait

Row: TypeAlias = Mapping[str, Any]
_DRY_RUN: Final = "?dryRun=All&fieldValidation=Warn"
_TRIES: Final = 20  # of an update that meets one of the server's own controllers
_OF_STORED: Final = frozenset({"resourceVersion", "uid", "deletionTimestamp"})
_NAMESPACE: Final = "default"
_CRD: Final = ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
_OTHER_KIND: Final = (
    "the object has another kind or version, or none: no client sends it to the URL of CRDs"
)


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
    if _is_of_other_kind(_values(row["yaml"])):
        return Outcome(None, why=_OTHER_KIND)
    reply = server.ask(
        "POST", CRDS + _DRY_RUN, row["yaml"], content_type=_content_type(row["yaml"])
    )
    return Outcome(
        of_reply(reply), of_diagnostics(crdlint.lint_text(row["yaml"], kube_version=version))
    )


def _is_of_other_kind(manifest: Any) -> bool:
    """Return whether the kind and version of a manifest are not those of CRDs; values that are no texts are asked."""
    identity = _identity(manifest)
    if identity is None:
        return False
    return identity != _CRD and all(isinstance(name, str) for name in identity)


def _identity(manifest: Any) -> tuple[Any, Any] | None:
    """Return the version and kind of a manifest, empty texts if it has none; None for what is no mapping."""
    if not isinstance(manifest, dict):
        return None
    return manifest.get("apiVersion", ""), manifest.get("kind", "")


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
        metadata = new.get("metadata") if isinstance(new, dict) else None
        if not isinstance(metadata, dict) or metadata.get("name") != name:
            return Outcome(None, why="the new CRD has another name")
        if _is_of_other_kind(new):
            return Outcome(None, why=_OTHER_KIND)
        stored = json.dumps(server.ask("GET", f"{CRDS}/{name}").body)
        answer = of_reply(_put_crd(server, name, new, _content_type(row["new"])))
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


def _put_crd(server: Server, name: str, new: dict[str, Any], content_type: str) -> Reply:
    """Update a CRD by dry run; again, if a controller of the server writes its status meanwhile."""
    for _ in range(_TRIES):
        stored = server.ask("GET", f"{CRDS}/{name}").body
        metadata = {**new["metadata"], "resourceVersion": stored["metadata"]["resourceVersion"]}
        body = {**new, "metadata": metadata}
        reply = server.ask("PUT", f"{CRDS}/{name}{_DRY_RUN}", body, content_type=content_type)
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
        stored = _values(row["old_cr"]) if row.get("subresource") else new
        at = _collection(_values(row["crd"])["spec"], stored)
        if not wait(lambda: server.ask("GET", at).status == 200, 5):
            return Outcome(None, why="the version of the object is not served")
        return _asked_resource(server, row, version, at, new)


def _asked_resource(
    server: Server, row: Row, version: str, at: str, new: dict[str, Any]
) -> Outcome:
    if row.get("subresource"):
        return _asked_subresource(server, row, version, at)
    old = _values(row["old_cr"]) if row.get("old_cr") else None
    group = _values(row["crd"])["spec"]["group"]
    if not all(_has_url(manifest, group) for manifest in (old, new) if manifest):
        return Outcome(None, why="the object has no URL of its own")
    if "/namespaces/" in at:
        for manifest in filter(None, (old, new)):
            manifest["metadata"] = {**(manifest.get("metadata") or {}), "namespace": _NAMESPACE}
    if old is None:
        reply = server.ask("POST", at + _DRY_RUN, new)
    else:
        new["metadata"] = new.get("metadata") or {}
        name = new["metadata"].get("name", "")
        old["metadata"] = {**(old.get("metadata") or {}), "name": name}
        stored = server.ask("POST", at, old)
        if not stored.is_accepted:
            return Outcome(None, why="the server refuses the old object")
        if "status" not in stored.body:  # which create drops if it is a subresource
            old.pop("status", None)
        metadata = {key: value for key, value in new["metadata"].items() if key != "uid"}
        sent = {
            **new,
            "metadata": {**metadata, "resourceVersion": stored.body["metadata"]["resourceVersion"]},
        }
        new["metadata"] = metadata
        reply = server.ask("PUT", f"{at}/{name}{_DRY_RUN}", sent)
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


def _has_url(manifest: Any, group: str) -> bool:
    """Return whether a client finds the URL of an object of a group: by its apiVersion, kind and metadata."""
    if not isinstance(manifest, dict) or not isinstance(manifest.get("metadata") or {}, dict):
        return False
    if not isinstance(manifest.get("kind"), str):
        return False
    return str(manifest.get("apiVersion", "")).startswith(f"{group}/")


def _asked_subresource(server: Server, row: Row, version: str, at: str) -> Outcome:
    """Update the status or the scale of an object, whose status is written first."""
    old, new = _values(row["old_cr"]), _values(row["cr"])
    created = server.ask("POST", at, old)
    if not created.is_accepted:
        return Outcome(None, why="the server refuses the old object")
    name = created.body["metadata"]["name"]
    if "status" in old:
        server.ask("PUT", f"{at}/{name}/status", {**created.body, "status": old["status"]})
    stored = server.ask("GET", f"{at}/{name}").body
    metadata = {"name": name, "resourceVersion": stored["metadata"]["resourceVersion"]}
    if "namespace" in stored["metadata"]:
        metadata["namespace"] = stored["metadata"]["namespace"]
    sent = {**new, "metadata": {**(new.get("metadata") or {}), **metadata}}
    reply = server.ask("PUT", f"{at}/{name}/{row['subresource']}{_DRY_RUN}", sent)
    stored["metadata"].pop("managedFields", None)
    asked = {**row, "cr": json.dumps(sent), "old_cr": json.dumps(stored)}
    expected = of_record(crdlint_answer(asked, version))
    return Outcome(
        without_kept_values(of_reply(reply)), replace(expected, warnings=None), is_as_recorded=False
    )


def _apply(server: Server, row: Row, version: str) -> Outcome:
    """Apply a CRD, or a custom resource to its CRD, by dry run."""
    expected = of_record(crdlint_answer(dict(row), version))
    if "crd" not in row:
        if _identity(_values(row["yaml"])) not in (None, _CRD):
            return Outcome(None, why=_OTHER_KIND)
        return _or_no_url(_applied(server, CRDS, row["yaml"], expected), expected)
    with _real_crd(server, row["crd"]) as crd_name:
        manifest = _values(row["cr"])
        if crd_name is None or not isinstance(manifest, dict):
            return Outcome(None, why="the server refuses the CRD")
        at = _collection(_values(row["crd"])["spec"], manifest)
        if not wait(lambda: server.ask("GET", at).status == 200, 5):
            return Outcome(None, why="the version of the object is not served")
        return _or_no_url(_applied(server, at, row["cr"], expected), expected)


def _or_no_url(answer: Answer | None, expected: Answer) -> Outcome:
    return Outcome(answer, expected, "" if answer else "the object has no URL of its own")


def _applied(server: Server, at: str, text: str, expected: Answer) -> Answer | None:
    """Return the server's answer to an object that is applied as kubectl does it, None for one without a URL.

    The server stops at an unknown field that it meets in the random order of a map: it is asked again until it answers as
    expected.
    """
    manifest = _values(text)
    metadata = manifest.get("metadata") if isinstance(manifest, dict) else None
    if not isinstance(metadata, dict):
        return None
    name = metadata.get("name")
    if not isinstance(name, str) or not name or "/" in name or "%" in name:
        return None
    if "/namespaces/" in at:
        if metadata.setdefault("namespace", _NAMESPACE) != _NAMESPACE:
            return None
        text = json.dumps(manifest)
    path = f"{at}/{quote(name, safe='')}{_DRY_RUN}&fieldManager=kubectl&force=true"
    for _ in range(TRIES):
        answer = of_reply(server.ask("PATCH", path, text, content_type=APPLY_PATCH))
        if not differences(answer, expected, "crdlint"):
            break
    return answer


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
    "apply": _apply,
}
