"""Experiments: files that say what a rule claims, and the requests that show it, with the answers of a running server.

An experiment has a CRD, `foos.claims.example.com`, and an object of it, `x`. Its steps are requests; see `Step` for their fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

CLAIMS: Final = Path(__file__).parent.parent / "claims"
GROUP: Final = "claims.example.com"
PLURAL: Final = "foos"
OBJECT: Final = "x"
_LENGTH: Final = re.compile(r"\{(\d+)\}")
ACTIONS: Final = (
    "crd",
    "create",
    "update",
    "patch",
    "apply",
    "get",
    "list",
    "table",
    "delete",
    "kubectl",
    "helm",
)
_OPTIONS: Final = frozenset(
    {
        "as",
        "by",
        "force",
        "version",
        "subresource",
        "validation",
        "look",
        "input",
        "files",
        "answer",
    }
)


@dataclass(frozen=True)
class Step:
    """A request, and the answer that is recorded for it.

    `action` is one of ACTIONS, and `body` what is sent. Of a CRD it has the parts that differ from the smallest one: `metadata`,
    `spec`, `version`, `schema`, or `fields`, which are the properties of `spec` in the schema. Of an object it has all but
    `apiVersion`, `kind` and the name; `{1000}` as a value is a text of that length. Of programs it is the arguments.

    `options` are `by` (the field manager), `force`, `version` and `subresource` of the path, `validation` (fieldValidation), `look`
    (the path of what is recorded of the answer, instead of the whole object), `input` (the standard input of a program, or the YAML
    of an object that is created) and `files` (those of a chart).
    """

    action: str
    body: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    answer: Mapping[str, Any] | None = None

    @property
    def version(self) -> str:
        return str(self.options.get("version", "v1"))

    @property
    def subresource(self) -> str:
        return str(self.options.get("subresource", ""))


@dataclass(frozen=True)
class Experiment:
    """What a file says: a claim in a sentence, the rules whose texts claim it, and the steps that show it.

    `server` and `date` are of the recorded answers, empty if there are none.
    """

    id: str
    claim: str
    rules: tuple[str, ...]
    steps: tuple[Step, ...]
    server: str = ""
    date: str = ""


def experiments(rule: str = "") -> Iterator[Experiment]:
    """Yield the experiments of a rule, or all of them. Raises ValueError for a file that is no experiment."""
    for path in sorted(CLAIMS.glob("*.yaml")):
        experiment = read(path)
        if not rule or rule in experiment.rules or rule == experiment.id:
            yield experiment


def read(path: Path) -> Experiment:
    """Read an experiment. Raises ValueError."""
    values = YAML(typ="safe", pure=True).load(path)
    answered = values.get("answered") or {}
    return Experiment(
        path.stem,
        values["claim"],
        tuple(values["rules"]),
        tuple(_step(step, path.name) for step in values["steps"]),
        answered.get("server", ""),
        str(answered.get("date", "")),
    )


def _step(values: Mapping[str, Any], file: str) -> Step:
    named = [key for key in values if key in ACTIONS]
    unknown = values.keys() - set(ACTIONS) - _OPTIONS
    if len(named) != 1 or unknown:
        raise ValueError(
            f"{file}: a step has one of {', '.join(ACTIONS)}, and not {', '.join(unknown) or 'two of them'}"
        )
    options = {key: value for key, value in values.items() if key in _OPTIONS - {"answer"}}
    return Step(named[0], values[named[0]], options, values.get("answer"))


def crd_of(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the smallest CRD with the parts of a step laid over it."""
    version: dict[str, Any] = {"name": "v1", "served": True, "storage": True}
    version["schema"] = {
        "openAPIV3Schema": parts.get("schema", _with_spec(parts.get("fields", {})))
    }
    version |= parts.get("version", {})
    names = {"plural": PLURAL, "kind": "Foo"}
    spec = {
        "group": GROUP,
        "scope": "Namespaced",
        "names": names,
        "versions": [version],
        **parts.get("spec", {}),
    }
    name = f"{spec['names']['plural']}.{spec['group']}"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": name, **parts.get("metadata", {})},
        "spec": spec,
    }


def _with_spec(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema whose `spec` has some fields."""
    if not fields:
        return {"type": "object"}
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}


def object_of(body: Mapping[str, Any] | None, version: str) -> dict[str, Any]:
    """Return the object of an experiment with the fields of a step."""
    fields = dict(body or {})
    metadata = {"name": OBJECT, **fields.pop("metadata", {})}
    return {
        "apiVersion": f"{GROUP}/{version}",
        "kind": "Foo",
        "metadata": metadata,
        **_expanded(fields),
    }


def _expanded(value: Any) -> Any:
    """Return values with long texts for their lengths in braces."""
    if isinstance(value, dict):
        return {key: _expanded(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_expanded(item) for item in value]
    length = _LENGTH.fullmatch(value) if isinstance(value, str) else None
    return value if length is None else "x" * int(length[1])


def with_answers(text: str, answers: Sequence[Mapping[str, Any]], server: str, date: str) -> str:
    """Return the text of a file with the answers of its steps written anew; comments and layout stay."""
    yaml = YAML()
    yaml.width = 120
    yaml.preserve_quotes = True
    yaml.indent(mapping=2, sequence=2, offset=0)
    values = yaml.load(text)
    for step, answer in zip(values["steps"], answers, strict=True):
        step["answer"] = _flow(yaml, answer)
    values["answered"] = {"server": server, "date": date}
    return _dumped(yaml, values)


def _flow(yaml: YAML, answer: Mapping[str, Any]) -> Any:
    node = yaml.map(**answer)
    node.fa.set_flow_style()
    return node


def _dumped(yaml: YAML, values: Any) -> str:
    from io import StringIO

    stream = StringIO()
    yaml.dump(values, stream)
    return re.sub(r"[ \t]+$", "", stream.getvalue(), flags=re.MULTILINE)
