"""Why rules accept or reject the custom resource of the page, as `crdlint eval --rule` says: JSON in, JSON out."""

from __future__ import annotations

import json
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from crdlint.cel.eval.values import MISSING as NO_VALUE
from crdlint.evaluation.evaluate import rules_of, run_rules
from crdlint.evaluation.trace import to_text
from crdlint.kubecel.evaluation import MISSING
from crdlint.kubernetes.servers import parse_range
from crdlint.resources.definitions import Definitions
from crdlint.resources.objects import objects_of, text_at
from crdlint.resources.pipeline import version_of
from crdlint.resources.validation import NotDecodedError, ResourceValidator
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.parse import iter_documents
from playground import linted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.evaluation.evaluate import RuleResult
    from crdlint.evaluation.source import ExpressionSource
    from crdlint.evaluation.trace import TraceStep
    from crdlint.resources.definitions import Definition

_LONGEST = 60  # characters of a value


def trace(request: str) -> str:
    """Return the result of each rule of the CRD on each resource that it defines, with the values that decided it."""
    given: dict[str, str] = json.loads(request)
    definitions = Definitions()
    definitions.add(linted(given["crd"], given["old"], given["version"]))
    rows: list[dict[str, Any]] = []
    for document in iter_documents(given["resource"]):
        with suppress(YAMLDecodeError, NotDecodedError):  # the findings say so
            for located in objects_of(document):
                group = text_at(located.root, "apiVersion").rpartition("/")[0]
                definition = definitions.kinds(group).get(text_at(located.root, "kind"))
                if definition is not None:
                    rows += _results(definition, located.read(), given["version"])
    return json.dumps(rows)


def _results(
    definition: Definition, resource: dict[str, Any], version: str
) -> Iterator[dict[str, Any]]:
    """Yield the results of the rules of a CRD on a resource, as the API server stores it."""
    server = parse_range(version).newest
    validator = ResourceValidator(
        definition.crd, version_of(definition.crd, resource), server=server
    )
    if validator.schema is None:
        return
    stored = validator.create({**resource, "apiVersion": validator.api_version}).resource
    source = SimpleNamespace(server=server, schema=validator.schema, value=stored, old=MISSING)
    rules = list(rules_of(validator.schema))
    for result in run_rules(cast("ExpressionSource", source), rules):
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
