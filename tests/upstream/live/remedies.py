"""Following every help and fix on a server: what worked for a stored object with the bad example has to work with the good one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import crdlint
from crdlint.rules.catalog import all_rules, fixes
from crdlint.rules.engine.examples import manifest
from crdlint.rules.engine.rule import Rule

from .api import APPLY, CRDS, MERGE_PATCH, Server
from .experiments import PLURAL
from .samples import sample
from .trying import clear, replace_stored, settle

RECORD: Final = Path(__file__).parent.parent / "claims" / "remedies.json"
_UNASKED: Final = frozenset({"resource", "template", "crds"})  # scopes whose examples are no CRDs
GROUP: Final = "remedies.example.com"
_NAME: Final = "x"
_KEPT: Final = ("spec", "status")  # what a read is compared by


class Remedy(NamedTuple):
    """An example of a help or a fix: the manifest before and after it was followed."""

    rule: str
    title: str
    bad: str
    good: str


def remedies(rule: str = "") -> Iterator[Remedy]:
    """Yield the examples of a rule, or of all rules that have them: of the help, then of each fix."""
    for one in all_rules().values():
        if one.compares or one.scope in _UNASKED or rule not in {"", one.id}:
            continue
        if one.bad and one.good:
            yield _remedy(one, "help", one.bad, one.good)
        for fix in fixes(one.id):
            scoped = one._replace(scope=fix.scope or one.scope)
            if fix.bad and fix.good and scoped.scope not in _UNASKED:
                yield _remedy(scoped, fix.title, fix.bad, fix.good)


def _remedy(rule: Rule, title: str, bad: str, good: str) -> Remedy:
    before, after = (manifest(rule, text).replace("example.com", GROUP) for text in (bad, good))
    return Remedy(rule.id, title, before, after)


def follow(server: Server, remedy: Remedy) -> list[str]:
    """Return in lines what a remedy breaks: a CRD that is refused, or requests that worked before and fail after it."""
    clear(server, GROUP)
    try:
        return list(_followed(server, remedy))
    finally:
        clear(server, GROUP)


def _followed(server: Server, remedy: Remedy) -> Iterator[str]:
    good = _values(remedy.good)
    if good is None:
        yield "the good example is no CRD"
        return
    if not server.ask("POST", CRDS + "?dryRun=All", remedy.bad).is_accepted:
        yield from _fresh(server, good)
        return
    bad = _values(remedy.bad)
    settle(server, server.ask("POST", CRDS, remedy.bad).body)
    stored = _stored(server, bad)
    if stored is None:
        return  # the server accepts no object of the bad example
    before = _abilities(server, bad)
    reply = replace_stored(server, f"{CRDS}/{good['metadata']['name']}", good)
    if not reply.is_accepted:
        yield f"the CRD is refused: {reply.message}"
        return
    settle(server, reply.body, is_update=True)
    after = _abilities(server, good)
    worked = [name for name, answer in before.items() if answer.startswith("2")]
    yield from (
        f"{name}: {before[name]}, then {after[name]}"
        for name in worked
        if before[name] != after[name]
    )


def _fresh(server: Server, good: Mapping[str, Any]) -> Iterator[str]:
    """Follow a remedy of what the server refuses: the CRD can be created, and objects of it created and applied."""
    reply = server.ask("POST", CRDS, good)
    if not reply.is_accepted:
        yield f"the CRD is refused: {reply.message}"
        return
    settle(server, reply.body)
    if _stored(server, good) is None:
        yield "no object is accepted"
        return
    yield from (
        f"{name}: {answer}"
        for name, answer in _abilities(server, good).items()
        if answer.startswith(("4", "5"))
    )


def _stored(server: Server, crd: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Create an object with a finalizer; the fullest that the server accepts. Return it as it is stored."""
    at, schema = _collection(crd), _schema(crd)
    for body in sample(schema):
        one = {**_identity(crd), **body}
        one["metadata"] = {"name": _NAME, "finalizers": [f"{GROUP}/f"]}
        reply = server.ask("POST", f"{at}?fieldValidation=Ignore", one)
        if reply.is_accepted:
            return reply.body
    return None


def _abilities(server: Server, crd: Mapping[str, Any]) -> dict[str, str]:
    """Return what becomes of requests for the stored object: each leaves it as it was."""
    at = f"{_collection(crd)}/{_NAME}"
    identity = _identity(crd)
    read = server.ask("GET", at)
    kept = {key: read.body[key] for key in _KEPT if key in read.body}
    label = {"metadata": {"labels": {"a": "b"}}}
    applied = {**identity, "metadata": {"name": _NAME, "annotations": {"c": "d"}}}
    requests = {
        "label": server.ask("PATCH", f"{at}?dryRun=All", label, content_type=MERGE_PATCH),
        "server-side apply": server.ask("PATCH", f"{at}?dryRun=All&fieldManager=a&force=true", applied, content_type=APPLY),
        "finalizer": server.ask("PATCH", f"{at}?dryRun=All", {"metadata": {"finalizers": None}}, content_type=MERGE_PATCH),
    }  # fmt: skip
    answers = {"read": f"{read.status} {json.dumps(kept, sort_keys=True)}"}
    for name, reply in requests.items():
        answers[name] = (
            str(reply.status) if reply.is_accepted else f"{reply.status} {reply.message}"
        )
    return answers


def _values(text: str) -> Any:
    try:
        values = crdlint.decode_yaml(text)
    except crdlint.YAMLDecodeError:
        return None
    return values if isinstance(values, dict) else None


def _storage(crd: Mapping[str, Any]) -> Mapping[str, Any]:
    versions: list[Mapping[str, Any]] = crd["spec"]["versions"]
    return next((version for version in versions if version.get("served")), versions[0])


def _identity(crd: Mapping[str, Any]) -> dict[str, Any]:
    spec = crd["spec"]
    return {"apiVersion": f"{spec['group']}/{_storage(crd)['name']}", "kind": spec["names"]["kind"]}


def _schema(crd: Mapping[str, Any]) -> Mapping[str, Any]:
    schema: Mapping[str, Any] = (_storage(crd).get("schema") or {}).get("openAPIV3Schema") or {}
    return schema


def _collection(crd: Mapping[str, Any]) -> str:
    spec = crd["spec"]
    place = "namespaces/default/" if spec.get("scope") == "Namespaced" else ""
    return f"/apis/{spec['group']}/{_storage(crd)['name']}/{place}{spec['names'].get('plural', PLURAL)}"
