"""Why rules accept or reject the custom resource of the page, as `crdlint eval --rule` says: JSON in, JSON out."""

from __future__ import annotations

import json
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from crdlint.cel.eval.values import MISSING as NO_VALUE
from crdlint.evaluation.evaluate import Workbench, rules_of, run_rules
from crdlint.evaluation.field_paths import NoFieldError
from crdlint.evaluation.trace import to_text
from crdlint.kubecel.evaluation import MISSING
from crdlint.kubernetes.servers import parse_range
from crdlint.report.words import headline
from crdlint.resources.definitions import Definitions
from crdlint.resources.objects import objects_of, text_at
from crdlint.resources.pipeline import version_of
from crdlint.resources.validation import NotDecodedError, ResourceValidator
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.parse import iter_documents
from playground import linted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.evaluation.evaluate import Answer, RuleResult
    from crdlint.evaluation.source import ExpressionSource
    from crdlint.evaluation.trace import TraceStep
    from crdlint.resources.definitions import Definition

_LONGEST = 60  # characters of a value in a trace
_LONGEST_VALUE = 2_000  # characters of the value of an expression


def trace(request: str) -> str:
    """Return the result of each rule of the CRD on each resource that it defines, with the values that decided it."""
    rows = [row for source in _sources(json.loads(request)) for row in _results(source)]
    return json.dumps(rows)


def evaluate(request: str) -> str:
    """Return the type, value and cost of an `expression` at a `field` of the first resource, or why it has none."""
    given: dict[str, str] = json.loads(request)
    source = next(_sources(given), None)
    if source is None:
        return json.dumps({"error": "Write a CRD, and a custom resource of it."})
    try:
        answer = Workbench(source, given["field"]).evaluate(given["expression"])
    except NoFieldError as problem:
        return json.dumps({"error": str(problem)})
    return json.dumps(_evaluated(answer))


def _evaluated(answer: Answer) -> dict[str, Any]:
    if answer.errors:
        first = answer.errors[0]
        return {"error": f"{headline(first)}\n{first.help or ''}".strip()}
    if answer.result is None:
        return {"type": answer.type, "error": answer.not_evaluated}
    return {
        "type": answer.type,
        "value": to_text(answer.result.value, _LONGEST_VALUE),
        "cost": f"{answer.result.cost:,}",
    }


def _sources(given: dict[str, str]) -> Iterator[ExpressionSource]:
    """Yield each resource as the API server stores it, with its CRD, as `crdlint eval` loads it."""
    definitions = Definitions()
    definitions.add(linted(given["crd"], given["old"], given["version"]))
    for document in iter_documents(given["resource"]):
        with suppress(YAMLDecodeError, NotDecodedError):  # the findings say so
            for located in objects_of(document):
                group = text_at(located.root, "apiVersion").rpartition("/")[0]
                definition = definitions.kinds(group).get(text_at(located.root, "kind"))
                if definition is not None:
                    yield from _stored(definition, located.read(), given["version"])


def _stored(
    definition: Definition, resource: dict[str, Any], version: str
) -> Iterator[ExpressionSource]:
    server = parse_range(version).newest
    crd = definition.crd
    validator = ResourceValidator(crd, version_of(crd, resource), server=server)
    if validator.schema is None:
        return
    stored = validator.create({**resource, "apiVersion": validator.api_version}).resource
    source = SimpleNamespace(
        server=server, schema=validator.schema, value=stored, old=MISSING, definition=definition
    )
    yield cast("ExpressionSource", source)


def _results(source: ExpressionSource) -> Iterator[dict[str, Any]]:
    """Yield the results of the rules of a CRD on a resource."""
    assert source.schema is not None  # noqa: S101  those without one are left out
    for result in run_rules(source, list(rules_of(source.schema))):
        yield {
            "rule": result.rule,
            "where": f"{result.path or 'the object'}, rule {result.number}",
            **_verdict(result),
        }


def _verdict(result: RuleResult) -> dict[str, Any]:
    """Return what a rule says: `kind` is accepted, rejected or skipped, `why` the values that decided, in lines."""
    kind = "rejected" if result.message else "skipped" if result.result is None else "accepted"
    verdict = f"not evaluated: {result.not_evaluated.partition(':')[0]}"
    if result.result is not None:
        verdict = f"{kind}, cost {result.result.cost:,}"
    return {"kind": kind, "verdict": verdict, "message": result.message, "why": list(_why(result))}


def _why(result: RuleResult) -> Iterator[str]:
    for step in result.why:
        if result.tree is None or step.node is not result.tree.node:
            yield _shown(step)
        yield from (f"  {_shown(part)}" for part in step.parts if part.value is not NO_VALUE)


def _shown(step: TraceStep) -> str:
    binding = "".join(f"{name} = {to_text(value, _LONGEST)}: " for name, value in step.binding)
    return f"{binding}{step.text} = {to_text(step.value, _LONGEST)}"
