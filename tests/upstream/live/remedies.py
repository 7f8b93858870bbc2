"""Following every help and fix on a server: what worked for a stored object with the bad example has to work with the good one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, Final, NamedTuple

import crdlint
from crdlint.rules.catalog import all_rules, fixes
from crdlint.rules.engine.examples import manifest
from crdlint.rules.engine.rule import Rule

from .api import APPLY, CRDS, MERGE_PATCH, Reply, Server, wait
from .experiments import PLURAL
from .samples import sample
from .trying import clear, free_objects, replace_stored, settle

RECORD: Final = Path(__file__).parent.parent / "claims" / "remedies.json"
_UNASKED: Final = frozenset({"resource", "template", "crds"})  # scopes whose examples are no CRDs
GROUP: Final = "remedies.example.com"
_COPY: Final = "y"
_OF_EVERY_OBJECT: Final = frozenset({"apiVersion", "kind", "metadata"})
_OTHER: Final = "otherField"  # of the root and of the spec, which is edited
_EDITED: Final = {_OTHER: "edited"}


class Remedy(NamedTuple):
    """An example of a help or a fix: the manifest before and after it was followed."""

    rule: str
    title: str
    bad: str
    good: str


class _Stored(NamedTuple):
    """An object that the server has accepted: its name and its fields."""

    name: str
    body: Mapping[str, Any]


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
    _remove(server, remedy)
    try:
        return list(_followed(server, remedy))
    finally:
        _remove(server, remedy)


def _remove(server: Server, remedy: Remedy) -> None:
    """Remove the CRDs of the examples; some are of another group."""
    clear(server, GROUP)
    for crd in filter(None, map(_values, (remedy.bad, remedy.good))):
        name = crd.get("metadata", {}).get("name") or ""
        if name and not name.endswith(GROUP):
            stored = server.ask("GET", f"{CRDS}/{name}")
            if stored.is_accepted:
                free_objects(server, stored.body)
            server.delete_crd(name)


def _followed(server: Server, remedy: Remedy) -> Iterator[str]:
    good = _values(remedy.good)
    if good is None:
        yield "the good example is no CRD"
        return
    bad = _values(remedy.bad)
    is_refused = not server.ask("POST", CRDS + "?dryRun=All", remedy.bad).is_accepted
    if is_refused or bad["metadata"]["name"] != good["metadata"].get("name"):
        yield from _fresh(server, good)
        return
    bad, good = _with_other_field(bad), _with_other_field(good)
    created = server.ask("POST", CRDS, bad)
    if not created.is_accepted:
        yield from _fresh(server, good)
        return
    settle(server, created.body)
    stored = list(_stored(server, bad))
    before = [_abilities(server, bad, one) for one in stored]
    reply = replace_stored(server, f"{CRDS}/{good['metadata']['name']}", good)
    if not reply.is_accepted:
        yield f"the CRD is refused: {reply.message}"
        return
    settle(server, reply.body, is_update=True)
    for one, answers in zip(stored, before, strict=True):
        yield from _changed(answers, _abilities(server, good, one))


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    """Yield which requests worked before and have another answer after."""
    for name, answer in before.items():
        if answer.startswith("2") and answer != after[name]:
            yield f"{name}: {answer}, then {after[name]}"


def _fresh(server: Server, good: Mapping[str, Any]) -> Iterator[str]:
    """Follow a remedy of what the server refuses: the CRD can be created, and objects of it created and applied."""
    reply = server.ask("POST", CRDS, good)
    if not reply.is_accepted:
        yield f"the CRD is refused: {reply.message}"
        return
    settle(server, reply.body)
    stored = list(_stored(server, good))
    if not stored:
        yield "no object is accepted"
    for one in stored:
        for name, answer in _abilities(server, good, one).items():
            if answer.startswith(("4", "5")):
                yield f"{name}: {answer}"


def _with_other_field(crd: Any) -> Any:
    """Return a CRD whose objects have one more field, beside the spec and in it, where the schemas have fields."""
    changed = deepcopy(crd)
    for version in changed["spec"]["versions"]:
        root = (version.get("schema") or {}).get("openAPIV3Schema") or {}
        fields = root.get("properties") if isinstance(root.get("properties"), dict) else None
        spec = (fields or {}).get("spec")
        for owner in (fields, spec.get("properties") if isinstance(spec, dict) else None):
            if isinstance(owner, dict):
                owner[_OTHER] = {"type": "string"}
    return changed


def _edit(server: Server, at: str, kept: Mapping[str, Any]) -> Reply:
    """Edit the other field: of the spec, if that is an object, and beside it."""
    patch: dict[str, Any] = dict(_EDITED)
    if isinstance(kept.get("spec"), dict):
        patch["spec"] = _EDITED
    return server.ask("PATCH", f"{at}?dryRun=All", patch, content_type=MERGE_PATCH)


def _stored(server: Server, crd: Mapping[str, Any]) -> Iterator[_Stored]:
    """Create two objects with a finalizer, the fullest and the emptiest that the server accepts, and yield them."""
    at, samples = _collection(crd), list(sample(_schema(crd)))
    wait(lambda: server.ask("GET", at).status != 404)  # an established CRD is served a moment later
    for name, bodies in (("full", samples), ("empty", samples[::-1])):
        for body in bodies:
            metadata = {"name": name, "finalizers": [f"{GROUP}/f"]}
            one = {**_identity(crd), **body, "metadata": metadata}
            reply = server.ask("POST", f"{at}?fieldValidation=Ignore", one)
            if reply.is_accepted:
                yield _Stored(name, _fields(reply.body))
                break


def _fields(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an object has of its own, besides its identity and metadata."""
    return {key: value for key, value in manifest.items() if key not in _OF_EVERY_OBJECT}


def _abilities(server: Server, crd: Mapping[str, Any], stored: _Stored) -> dict[str, str]:
    """Return what becomes of requests for a stored object, and of creating another one like it; nothing is kept."""
    at = f"{_collection(crd)}/{stored.name}"
    identity = _identity(crd)
    read = server.ask("GET", at)
    label = {"metadata": {"labels": {"a": "b"}}}
    applied = {**identity, "metadata": {"name": stored.name, "annotations": {"c": "d"}}}
    copy = {**identity, **stored.body, "metadata": {"name": _COPY}}
    requests = {
        "label": server.ask("PATCH", f"{at}?dryRun=All", label, content_type=MERGE_PATCH),
        "server-side apply": server.ask("PATCH", f"{at}?dryRun=All&fieldManager=a&force=true", applied, content_type=APPLY),
        "finalizer": server.ask("PATCH", f"{at}?dryRun=All", {"metadata": {"finalizers": None}}, content_type=MERGE_PATCH),
        "edit": _edit(server, at, stored.body),
        "create": server.ask("POST", f"{_collection(crd)}?dryRun=All", copy),
    }  # fmt: skip
    answers = {"read": f"{read.status} {json.dumps(_fields(read.body), sort_keys=True)}"}
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
