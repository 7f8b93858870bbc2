"""Running the steps of an experiment on a server, and recording what it answers."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias
from urllib.parse import urlencode

from .api import APPLY, CRDS, MERGE_PATCH, NAMES, TABLE, Reply, Server, wait
from .cluster import Cluster
from .experiments import GROUP, OBJECT, PLURAL, Experiment, Step, crd_of, object_of
from .programs import Programs

Recorded: TypeAlias = dict[str, Any]
_TRIES: Final = 20  # of an update that meets one of the server's own controllers
_SERVED: Final = (
    0.5  # seconds until the server validates by a changed schema; nothing shows when it does
)
_PATIENCE: Final = 10.0  # seconds for the server's controllers, on a machine that is busy
_DISCOVERED: Final = 1.5  # seconds until the server lists the names of a changed CRD to clients
_DELETED: Final = (
    3.0  # seconds in which the server deletes a CRD with its objects after Helm asked it to
)
_BETWEEN_ERRORS: Final = re.compile(r", |\[|\]")
_AGE: Final = re.compile(r"^\d+s$")
# What differs from run to run.
_BY_CHANCE: Final = (
    (re.compile(r'Invalid value: "\{.*\}":', re.DOTALL), 'Invalid value: "…":'),
    (re.compile(r"^\{.*\}$", re.MULTILINE), "…"),
    (re.compile(r"0x[0-9a-f]{6,}"), "0x"),
    (re.compile(r"selfType\d+"), "selfType"),
    (re.compile(r"revision=\d+"), "revision=N"),
    (re.compile(r"stream ID \d+"), "stream ID N"),
    (re.compile(r"/tmp/[^\s:\"]+"), "FOLDER"),
    (re.compile(r"127\.0\.0\.1:\d+"), "SERVER"),
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "UID"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "TIME"),
)


class RefusedError(Exception):
    """An experiment cannot be run here; the message says why."""


def run(experiment: Experiment, cluster: Cluster, programs: Programs) -> list[Recorded]:
    """Run the steps of an experiment and return the answers. What it creates is removed before and after."""
    with tempfile.TemporaryDirectory(prefix="crdlint-claim-") as folder:
        trial = _Trial(cluster, programs, Path(folder))
        trial.clear()
        try:
            return [_ACTIONS[step.action](trial, step) for step in experiment.steps]
        finally:
            trial.clear()


def differences(experiment: Experiment, answers: list[Recorded]) -> list[str]:
    """Return in lines which answers differ from the recorded ones."""
    lines = []
    for number, (step, answer) in enumerate(zip(experiment.steps, answers, strict=True), 1):
        if step.answer is None:
            lines.append(f"step {number}: no answer is recorded")
        elif _without_order(step.answer) != _without_order(answer):
            lines += [
                f"step {number} ({step.action}):",
                f"  - {_text(step.answer)}",
                f"  + {_text(answer)}",
            ]
    return lines


def _without_order(answer: Mapping[str, Any]) -> Recorded:
    """Return an answer with the parts of its message in order: the server reports errors of an object in any order."""
    parts = sorted(_BETWEEN_ERRORS.split(str(answer.get("message", ""))))
    return {**answer, "message": parts}


def _text(answer: Mapping[str, Any]) -> str:
    return json.dumps(answer, ensure_ascii=False, default=str)


def clear(server: Server, group: str = GROUP) -> None:
    """Remove all CRDs of a group, with their objects, also those with finalizers."""
    found = server.ask("GET", CRDS, accept=NAMES).body.get("items") or []
    names = [one["metadata"]["name"] for one in found]
    for name in (name for name in names if name.endswith(f".{group}")):
        free_objects(server, server.ask("GET", f"{CRDS}/{name}").body)
        server.delete_crd(name)


def free_objects(server: Server, crd: Mapping[str, Any]) -> None:
    """Let the objects of a CRD be deleted: a schema that accepts everything, then no finalizers."""
    spec = crd["spec"]
    anything = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    versions = [
        {"name": v["name"], "served": True, "storage": v["storage"], "schema": anything}
        for v in spec["versions"]
    ]
    free = {key: value for key, value in spec.items() if key != "conversion"} | {
        "versions": versions
    }
    listed = [(v["name"], _listed(server, spec, v["name"])) for v in versions]
    if not any(has_finalizers(one) for _, objects in listed for one in objects):
        return
    replace_stored(server, f"{CRDS}/{crd['metadata']['name']}", {**crd, "spec": free})
    time.sleep(_SERVED)
    for version, objects in listed:
        for one in objects:
            at = _collection(
                spec["group"], version, spec["names"]["plural"], one["metadata"].get("namespace")
            )
            patch = {"metadata": {"finalizers": None}}
            server.ask("PATCH", f"{at}/{one['metadata']['name']}", patch, content_type=MERGE_PATCH)


def _listed(server: Server, spec: Mapping[str, Any], version: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = (
        server.ask("GET", f"/apis/{spec['group']}/{version}/{spec['names']['plural']}").body.get(
            "items"
        )
        or []
    )
    return found


def has_finalizers(manifest: Mapping[str, Any]) -> bool:
    """Return whether something has to remove finalizers from an object before it can be deleted."""
    return bool(manifest["metadata"].get("finalizers"))


@dataclass
class _Trial:
    """An experiment that runs: the names of the CRDs and releases that it made, and the folder of its files."""

    cluster: Cluster
    programs: Programs
    folder: Path
    crds: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    releases: set[str] = field(default_factory=set)

    def clear(self) -> None:
        """Remove the CRDs and objects of the experiment, also those with finalizers, and the releases of Helm."""
        for release in self.releases:
            self.program("helm4", ["uninstall", release, "--ignore-not-found"], "")
        clear(self.cluster.server)

    def program(self, name: str, arguments: list[str], text: str) -> Recorded:
        """Run kubectl or Helm and return its exit status and what it prints."""
        path = self.programs.kubectl() if name == "kubectl" else self.programs.helm(name)
        home = tempfile.mkdtemp(
            dir=self.folder
        )  # a new one each time: kubectl keeps the names of resources there for hours
        environment = {**os.environ, "KUBECONFIG": str(self.cluster.kubeconfig), "HOME": home}
        ran = subprocess.run(
            [str(path), *arguments],
            input=text,
            env=environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        return {"exit": ran.returncode, "output": _plain((ran.stdout + ran.stderr).strip())}


def _crd(trial: _Trial, step: Step) -> Recorded:
    body = crd_of(step.body)
    name = body["metadata"]["name"]
    server = trial.cluster.server
    if name in trial.crds:
        reply = replace_stored(server, f"{CRDS}/{name}", body)
    else:
        reply = server.ask("POST", f"{CRDS}?fieldValidation=Strict", body)
    if reply.is_accepted:
        settle(server, reply.body, is_update=name in trial.crds)
        trial.crds[name] = body["spec"]
    return _recorded(reply, step, with_object=False)


def settle(server: Server, crd: Mapping[str, Any], *, is_update: bool = False) -> None:
    """Wait until the controllers of the server have decided whether a CRD is served, and validate by its new schema."""
    name = crd["metadata"]["name"]
    wait(lambda: _is_decided(server, name), _PATIENCE)
    if is_update:
        time.sleep(_SERVED)


def _is_decided(server: Server, name: str) -> bool:
    reply = server.ask("GET", f"{CRDS}/{name}")
    listed = (reply.body.get("status") or {}).get("conditions") or [] if reply.is_accepted else []
    conditions = {condition["type"]: condition["status"] for condition in listed}
    return conditions.get("Established") == "True" or conditions.get("NamesAccepted") == "False"


def replace_stored(server: Server, path: str, body: Mapping[str, Any], query: str = "") -> Reply:
    """Replace an object by another one; again, if a controller of the server writes its status meanwhile."""
    for _ in range(_TRIES):
        stored = server.ask("GET", path).body.get("metadata", {})
        metadata = {**body["metadata"], "resourceVersion": stored.get("resourceVersion", "")}
        reply = server.ask("PUT", path + query, {**body, "metadata": metadata})
        if reply.status != 409:
            break
    return reply


def _create(trial: _Trial, step: Step) -> Recorded:
    body = step.options.get("input") or object_of(step.body, step.version)
    at = _at(step)
    reply = trial.cluster.server.ask("POST", at + _query(step, validation="Strict"), body)
    if reply.status == 404:  # a CRD that was created just now is not served yet
        wait(lambda: trial.cluster.server.ask("GET", at).status == 200, _PATIENCE)
        reply = trial.cluster.server.ask("POST", at + _query(step, validation="Strict"), body)
    return _recorded(reply, step)


def _replace(trial: _Trial, step: Step) -> Recorded:
    return _recorded(
        replace_stored(
            trial.cluster.server,
            _at(step, OBJECT),
            object_of(step.body, step.version),
            _query(step),
        ),
        step,
    )


def _patch(trial: _Trial, step: Step) -> Recorded:
    at = _at(step, OBJECT) + _query(step)
    return _recorded(
        trial.cluster.server.ask("PATCH", at, step.body, content_type=MERGE_PATCH), step
    )


def _apply(trial: _Trial, step: Step) -> Recorded:
    at = _at(step, OBJECT) + _query(step, fieldManager=str(step.options.get("by", "A")))
    body = object_of(step.body, step.version)
    return _recorded(trial.cluster.server.ask("PATCH", at, body, content_type=APPLY), step)


def _get(trial: _Trial, step: Step) -> Recorded:
    return _recorded(trial.cluster.server.ask("GET", _at(step, str(step.body or OBJECT))), step)


def _list(trial: _Trial, step: Step) -> Recorded:
    """List the objects; the body is a query such as `fieldSelector=spec.a=q`. Only the names are recorded."""
    reply = trial.cluster.server.ask(
        "GET", f"{_at(step)}{'?' if step.body else ''}{step.body or ''}"
    )
    if not reply.is_accepted:
        return _recorded(reply, step)
    return {
        "status": reply.status,
        "names": [one["metadata"]["name"] for one in reply.body["items"]],
    } | _warnings(reply)


def _table(trial: _Trial, step: Step) -> Recorded:
    """Ask for the table that kubectl get prints: the names of columns, and the cells of each row."""
    reply = trial.cluster.server.ask("GET", _at(step), accept=TABLE)
    columns = [column["name"] for column in reply.body.get("columnDefinitions", [])]
    cells = [list(map(_plain_cell, row["cells"])) for row in reply.body.get("rows", [])]
    return {"status": reply.status, "columns": columns, "rows": cells}


def _plain_cell(cell: Any) -> Any:
    if not isinstance(cell, str) or cell.startswith("{"):  # an object, as JSON
        return cell
    return _AGE.sub("AGE", _plain(cell))


def _delete(trial: _Trial, step: Step) -> Recorded:
    path = f"{CRDS}/{step.body}" if step.body else _at(step, OBJECT)
    reply = trial.cluster.server.ask("DELETE", path)
    if step.body:
        wait(lambda: trial.cluster.server.ask("GET", path).status == 404, 5)
        trial.crds.pop(str(step.body), None)
    return {"status": reply.status}


def _kubectl(trial: _Trial, step: Step) -> Recorded:
    time.sleep(_DISCOVERED)
    text = _manifest(step) if "input" in step.options else ""
    return trial.program("kubectl", str(step.body).split(), text)


def _manifest(step: Step) -> str:
    given = step.options["input"]
    if isinstance(given, str):
        return given
    return json.dumps(crd_of(given["crd"]) if "crd" in given else object_of(given, step.version))


def _helm(trial: _Trial, step: Step) -> Recorded:
    """Write the files of a chart, then run Helm in their folder; of what it prints, only the exit status is recorded."""
    for name, content in step.options.get("files", {}).items():
        path = trial.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.unlink()
        else:
            path.write_text(
                content if isinstance(content, str) else json.dumps(_chart_file(content)),
                encoding="utf-8",
            )
    arguments = str(step.body).split()
    if arguments[0] == "install":
        trial.releases.add(arguments[1])
    name = "helm3" if step.options.get("by") == "helm3" else "helm4"
    answer = trial.program(name, arguments, "")
    time.sleep(_DELETED)
    return {"exit": answer["exit"]}


def _chart_file(content: Mapping[str, Any]) -> Mapping[str, Any]:
    return crd_of(content["crd"]) if "crd" in content else content


_ACTIONS: Final[Mapping[str, Callable[[_Trial, Step], Recorded]]] = {
    "crd": _crd,
    "create": _create,
    "update": _replace,
    "patch": _patch,
    "apply": _apply,
    "get": _get,
    "list": _list,
    "table": _table,
    "delete": _delete,
    "kubectl": _kubectl,
    "helm": _helm,
}


def _at(step: Step, name: str = "") -> str:
    path = _collection(GROUP, step.version, PLURAL, "default")
    parts = [path, *filter(None, [name, step.subresource])]
    return "/".join(parts)


def _collection(group: str, version: str, plural: str, namespace: str | None) -> str:
    place = f"namespaces/{namespace}/" if namespace else ""
    return f"/apis/{group}/{version}/{place}{plural}"


def _query(step: Step, validation: str = "", **parameters: str) -> str:
    validation = str(step.options.get("validation", validation))
    given = {
        **parameters,
        "fieldValidation": validation,
        "force": "true" if step.options.get("force") else "",
    }
    text = urlencode({name: value for name, value in given.items() if value})
    return f"?{text}" if text else ""


def _recorded(reply: Reply, step: Step, *, with_object: bool = True) -> Recorded:
    """Return what is recorded of an answer: the status, a refusal's message, warnings, and the object or a part of it."""
    if not reply.is_accepted:
        looked_up = (
            {"value": _looked_up(reply.body, str(step.options["look"]))}
            if "look" in step.options
            else {}
        )
        return {"status": reply.status, "message": _plain(reply.message)} | looked_up
    recorded: Recorded = {"status": reply.status} | _warnings(reply)
    if "look" in step.options:
        recorded["value"] = _looked_up(reply.body, str(step.options["look"]))
    elif with_object and reply.body.get("kind") != "Status":
        recorded["object"] = {
            key: reply.body[key]
            for key in reply.body
            if key not in {"apiVersion", "kind", "metadata"}
        }
    return recorded


def _warnings(reply: Reply) -> Recorded:
    return {"warnings": [_plain(text) for text in reply.warnings]} if reply.warnings else {}


def _looked_up(values: Any, path: str) -> Any:
    for part in path.split("."):
        if isinstance(values, list):
            values = dict(enumerate(values))
        values = (
            values.get(int(part) if part.isdecimal() else part)
            if isinstance(values, dict)
            else None
        )
    return _plain(values) if isinstance(values, str) else values


def _plain(text: str) -> str:
    for pattern, name in _BY_CHANCE:
        text = pattern.sub(name, text)
    return text
