"""What experiments showed, as the pages of rules and `crdlint explain` have it: the requests and the answers in lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

import crdlint.report

from .experiments import Experiment, Step

FILE: Final = Path(crdlint.report.__file__).with_name("observations.json")
_MOST: Final = 240  # characters of a request or an answer
_VERBS: Final = {
    "create": "create",
    "update": "update to",
    "patch": "merge patch",
    "apply": "server-side apply",
    "get": "get",
    "list": "list",
    "table": "get as table",
    "delete": "delete",
    "kubectl": "kubectl",
    "helm": "helm",
}


def as_json(found: Iterable[Experiment]) -> str:
    """Return the text of the file that crdlint reads: an experiment a line, by its id."""
    lines = [
        f"{json.dumps(one.id)}: {json.dumps(_described(one), ensure_ascii=False)}" for one in found
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _described(experiment: Experiment) -> dict[str, Any]:
    steps = [[request, _answer(step.answer or {})] for request, step in _requests(experiment.steps)]
    return {
        "claim": experiment.claim,
        "server": experiment.server,
        "date": experiment.date,
        "steps": steps,
    }


def _requests(steps: Iterable[Step]) -> Iterator[tuple[str, Step]]:
    is_first = True
    for step in steps:
        if step.action == "crd":
            yield f"{'create' if is_first else 'update'} the CRD: {_crd(step.body)}", step
            is_first = False
        else:
            yield _request(step), step


def _crd(body: Mapping[str, Any]) -> str:
    if "fields" not in body:
        return _flow(body)
    return f".spec {_flow(body['fields'])}{_flow({key: body[key] for key in body if key != 'fields'}, ', ')}"


def _request(step: Step) -> str:
    """Return a request in words: what is done, where and by whom, and what is sent."""
    options = step.options
    where = f" /{step.subresource}" if step.subresource else ""
    version = f" in {step.version}" if step.version != "v1" else ""
    manager = f" by {options.get('by', 'A')}" if step.action == "apply" else ""
    force = ", force" if options.get("force") else ""
    validation = f" (fieldValidation={options['validation']})" if "validation" in options else ""
    sent = _flow(options["input"], " < ") if "input" in options else ""
    files = "".join(
        f"; {name} {_file(content)}" for name, content in options.get("files", {}).items()
    )
    body = (
        step.body
        if isinstance(step.body, str)
        else _flow(step.body)
        if step.body is not None
        else ""
    )
    return f"{_VERBS[step.action]}{where}{version}{manager}{force}{validation} {body}{sent}{files}".strip()


def _file(content: Any) -> str:
    if content is None:
        return "is removed"
    return content if isinstance(content, str) else f"has {_flow(content)}"


def _answer(answer: Mapping[str, Any]) -> str:
    """Return an answer in a line: the status, a message or the object, and warnings."""
    if "exit" in answer:
        output = " ".join(str(answer.get("output", "")).split())
        return _cut(f"exit status {answer['exit']}{f': {output}' if output else ''}")
    parts = [str(answer["status"]), str(answer.get("message", "")).strip()]
    parts += [
        _flow(answer[key])
        for key in ("object", "value", "names", "columns", "rows")
        if key in answer
    ]
    parts += [f"Warning: {text}" for text in answer.get("warnings", [])]
    return _cut(" ".join(filter(None, parts)))


def _flow(values: Any, before: str = "") -> str:
    """Return values in a line of YAML, after a text; empty for an empty mapping after a text."""
    if isinstance(values, str):
        return before + values if "\n" not in values else before + _cut(" ".join(values.split()))
    if before and not values:
        return ""
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = True
    yaml.width = 100_000
    stream = StringIO()
    yaml.dump(values, stream)
    return before + _cut(stream.getvalue().removesuffix("...\n").strip())


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"
