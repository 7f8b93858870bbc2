"""A help that names an edit is true to the letter: whoever makes that edit, and nothing else, gets rid of the finding.

Helps of the form "Add `key: value`", "Set `key: value`", "Set `key` to `value`", "Write `key: value`" or "Remove `key`"
are carried out on the manifest.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from crds import HEAD, crd_with_schema, small
from tables import each
from upstream.rows import recorded_requests

import crdlint
from crdlint.rules.catalog import all_rules
from crdlint.rules.engine.examples import manifest
from crdlint.yaml import decode_yaml
from crdlint.yaml.nodes import Mapping, Node, Sequence
from crdlint.yaml.parse import parse_stream

INVALID = sorted((Path(__file__).resolve().parents[2] / "fixtures" / "invalid").iterdir())
EDIT = re.compile(
    r"(Add|Set|Write|Remove) (?:the )?`([^`]+)`(?! on | instead| or | after | at the start)"
    r"(?: to `(?!spec)([^`]+)`)?(?: (?:to|in|of) (?:`(spec[^`]*)`|the (items)))?"
)
OTHERS = re.compile(r"Remove (`[^ ]+`(?:, `[^ ]+`)*) from the default|Write `([^`]+)` instead$")
STEP = re.compile(r"[^.\[\]]+")
Step = str | int
# Rules whose helps name a part of what is to be written, or what the server reads before expressions.
OPEN = {
    "default-invalid",
    "list-map-keys-required",
    "list-map-keys-without-map",
    "list-type-not-array",
    "printer-column-invalid",
    "properties-and-additional-properties",
    "rule-required",
    "scale-path-invalid",
    "selectable-field-invalid",
    "set-items-not-atomic",
    "set-items-not-scalar",
    "structural-forbidden-in-junctor",
}
NOT_ONE_MANIFEST = {"fixture several-documents"}


def with_service(**service: object) -> str:
    crd = small({"type": "object"})
    client = {"service": service}
    webhook = {"clientConfig": client, "conversionReviewVersions": ["v1"]}
    crd["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}
    return json.dumps(crd)


CASES = {
    "service without name": with_service(namespace="default"),
    "service without namespace": with_service(name="convert"),
    "service without both": with_service(),
    "webhook missing": HEAD.replace("  scope:", "  conversion: {strategy: Webhook}\n  scope:")
    + "        type: object\n",
    "webhook without strategy": HEAD.replace(
        "  scope:", "  conversion: {webhook: {conversionReviewVersions: [v1]}}\n  scope:"
    )
    + "        type: object\n",
    "default without a property whose name has a dot": crd_with_schema(
        "type: object\nproperties:\n  spec:\n    type: object\n    default: {}\n    required: [a.b]\n"
        "    properties: {a.b: {type: object}}\n"
    ),
    "column without a dot": HEAD.replace(
        "    schema:",
        "    additionalPrinterColumns: [{name: A, type: string, jsonPath: a}]\n    schema:",
    )
    + "        type: object\n",
    **{
        f"bad example of {rule.id}": manifest(rule, rule.bad)
        for rule in all_rules().values()
        if rule.bad
    },
    **{f"fixture {path.stem}": path.read_bytes().decode() for path in INVALID},
}


def recorded() -> dict[str, str]:
    """Return the CRDs that a real API server judged, by their ids."""
    rows = [row for row in recorded_requests("crd") if row["op"] == "create"]
    return {row["id"]: row["yaml"] for row in rows[:300]}


def paths_at(text: str, line: int, column: int) -> list[list[Step]]:
    """Return the paths of the nodes whose key or value starts at a place, the deepest last."""
    found: list[list[Step]] = []
    pending: list[tuple[Node, list[Step]]] = [
        (document.root, []) for document in parse_stream(text) if document.root is not None
    ]
    while pending:
        node, path = pending.pop()
        children: list[tuple[list[Step], list[Node]]] = []
        if isinstance(node, Mapping):
            children = [([*path, key.value], [key, value]) for key, value in node.pairs()]  # type: ignore[union-attr]
        elif isinstance(node, Sequence):
            children = [([*path, i], [item]) for i, item in enumerate(node.items)]
        for below, nodes in children:
            if any(
                (n.start_mark.line + 1, n.start_mark.column + 1) == (line, column) for n in nodes
            ):
                found.append(below)
            pending.append((nodes[-1], below))
    return sorted(found, key=len)


def at(value: Any, path: list[Step]) -> Any:
    for step in path:
        value = value[step]
    return value


def carried_out(text: str, finding: crdlint.Diagnostic) -> str | None:
    """Return the manifest after the edit that a finding's help asks for, None where it names no single edit."""
    help_, paths = finding.help or "", paths_at(text, finding.line, finding.column)
    other = OTHERS.match(help_)
    if other is not None and paths:
        return _with_other_keys(decode_yaml(text), paths, other)
    edit = EDIT.match(help_)
    if edit is None or not paths:
        return None
    verb, what, new_value, place, items = edit.groups()
    crd: Any = decode_yaml(text)
    key, colon, value = (what, ":", new_value) if new_value else what.partition(":")
    path = paths[-1]
    if key.startswith(("spec.", "metadata.")):
        place, _, key = key.rpartition(".")
    if place is not None:
        path = list(place.split("."))
        for i, step in enumerate(path):
            at(crd, path[:i]).setdefault(step, {})
    elif items is not None:
        path = path[: len(path) - path[::-1].index(items)]
    elif verb == "Write" and not colon:
        at(crd, path[:-1])[path[-1]] = decode_yaml(key)
        return json.dumps(crd)
    elif not isinstance(at(crd, path), dict):
        path = path[:-1]
    target = at(crd, path)
    if new_value and key == path[-1]:  # the finding points at the field itself
        target = at(crd, path[:-1])
    if (
        verb == "Set" and key not in target and key in at(crd, path[:-1])
    ):  # the finding points at a part of the field's object
        target = at(crd, path[:-1])
    if verb == "Remove":
        if key not in target:  # the finding points at the key itself
            target = at(crd, path[:-1])
        del target[key]
    else:
        target[key] = (
            decode_yaml(value) if colon and value.strip() not in {"", "..."} else _any(key)
        )
    return json.dumps(crd)


def _with_other_keys(crd: Any, paths: list[list[Step]], edit: re.Match[str]) -> str:
    """Return a manifest without keys of a default, or with another key or value where the finding is."""
    path = paths[-1]
    if edit[1] is not None:
        default = at(crd, path[: len(path) - path[::-1].index("default")])
        for name in edit[1].replace("`", "").split(", "):
            *above, key = (int(step) if step.isdigit() else step for step in STEP.findall(name))
            at(default, above).pop(key, None)
        return json.dumps(crd)
    target = at(crd, path[:-1])
    target[edit[2]] = target.pop(path[-1])
    return json.dumps(crd)


def _any(key: str) -> Any:
    return {"items": {"type": "string"}, "type": "string"}.get(key, f"a-{key}")


def named(texts: dict[str, str]) -> list[tuple[str, crdlint.Diagnostic]]:
    """Return the findings of manifests with a help that names an edit."""
    findings = (
        (text, finding)
        for name, text in texts.items()
        if name not in NOT_ONE_MANIFEST
        for finding in crdlint.lint_text(text)
    )
    return [
        (text, finding)
        for text, finding in findings
        if finding.origin == "apiserver"
        and (
            EDIT.match(finding.help or "")
            or (finding.rule != "cel-compilation" and OTHERS.match(finding.help or ""))
        )
    ]


def errors_of(text: str) -> dict[tuple[str, str, str], str]:
    findings = crdlint.lint_text(text)
    return {
        (one.rule, one.field, one.detail): one.message
        for one in findings
        if one.severity == "error"
    }


FINDINGS = named(CASES)
# Of each help the last; those about expressions are followed by tests/kubecel/test_false_friends.py, and what a path
# is instead is for the author to say.
ELSEWHERE = {"cel-compilation", "scale-path-invalid"}
RECORDED = {
    (one.rule, one.help): (text, one)
    for text, one in named(recorded())
    if one.rule not in ELSEWHERE
}


def test_doing_what_a_help_says_removes_the_finding_and_brings_no_other() -> None:
    """Where a manifest has one error only, there is none then, unless the help leaves a choice or reveals an expression."""
    left, brought = [], []
    for text, finding in (*FINDINGS, *RECORDED.values()):
        edited = carried_out(text, finding)
        before, after = errors_of(text), {} if edited is None else errors_of(edited)
        if edited is None or (finding.rule, finding.field, finding.detail) in after:
            left.append((finding.rule, finding.help))
        new = [message for (rule, *_), message in after.items() if not rule.startswith("cel-")]
        if edited is not None and len(before) == 1 and new and finding.rule not in OPEN:
            brought.append((finding.rule, finding.help, new))
    assert left == []
    assert brought == []


def test_many_helps_name_an_edit() -> None:
    assert len(FINDINGS) > 110
    assert len({finding.rule for _, finding in (*FINDINGS, *RECORDED.values())}) > 50
    assert len(FINDINGS) + len(RECORDED) > 150


@each("text", CASES.values(), ids=CASES)
def test_a_help_is_one_capitalized_phrase_without_a_period(text: str) -> None:
    helps = [finding.help or "" for finding in crdlint.lint_text(text)]
    assert [help_ for help_ in helps if not help_[:1].isupper()] == []
    assert [help_ for help_ in helps if help_.endswith(".")] == []
