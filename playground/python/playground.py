"""What the playground asks of crdlint: JSON in, JSON out."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from crdlint.config.apply import is_rejection
from crdlint.kubecel.limits import RULE_COST_LIMIT
from crdlint.kubernetes.servers import KNOWN, NEWEST_VERSION, SERVERS
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.linting.stored_crds import collect_crds
from crdlint.report.locations import TextPositions
from crdlint.report.page import rule_link
from crdlint.report.words import counted, headline, where
from crdlint.resources.definitions import Definitions
from crdlint.resources.pipeline import validate_text
from crdlint.rules.catalog import all_rules
from crdlint.rules.kube_versions import NEEDS_NEWER
from crdlint.yaml.parse import reading_notice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult

_CRD: Final = "crd.yaml"
_RESOURCE: Final = "resource.yaml"
_CHANGES: Final = frozenset(rule.id for rule in all_rules().values() if rule.compares)


def versions() -> str:
    """Return the Kubernetes versions to choose from, newest first, and the default one."""
    return json.dumps({"versions": [str(server) for server in reversed(SERVERS)] + [KNOWN], "default": NEWEST_VERSION})


def check(request: str) -> str:
    """Check `crd`, as an update of `old` if that is given, and `resource` against it, for the Kubernetes `version`.

    Returns the headlines, the findings of both texts with their fixes, the costs of rules, and notices. Positions are
    1-based lines and columns in characters.
    """
    given: dict[str, str] = json.loads(request)
    old = collect_crds(given["old"]).by_name.get if given["old"].strip() else None
    asked = CheckRequest(kube_version=given["version"], previous=old, keep=True, fixes=True)
    result = lint_file(given["crd"], _CRD, asked)
    answer: dict[str, Any] = {
        "crd": _findings(result.diagnostics, result.text),
        "resource": [],
        "costs": _costs(result),
        "notices": list(result.notices),
        "crds": [crd.name for crd in result.crds],
    }
    validated: tuple[Diagnostic, ...] = ()
    if given["resource"].strip():
        definitions = Definitions()
        definitions.add(result)
        resource = validate_text(given["resource"], filename=_RESOURCE, definitions=definitions).result
        validated = resource.diagnostics
        answer["resource"] = _findings(validated, resource.text)
        answer["notices"] += resource.notices
    answer |= _headlines(given, answer["crds"], [*result.diagnostics, *validated])
    slower = reading_notice()  # true of every browser
    answer["notices"] = [notice for notice in answer["notices"] if notice != slower]
    return json.dumps(answer)


def _headlines(given: Mapping[str, str], crds: Sequence[str], found: Sequence[Diagnostic]) -> dict[str, str]:
    """Return the verdict of the API server, its kind (`good`, `error` or none), and a headline for breaking changes."""
    server = f"The API server of Kubernetes {given['version']}"
    errors = [one for one in found if one.severity == "error" and not one.hidden]
    breaking = sum(one.rule in _CHANGES for one in errors)
    rejections = sum(is_rejection(one) or one.rule == NEEDS_NEWER.id for one in errors)
    kind, verdict = "error", f"{server} rejects this: {counted(rejections, 'error')}."
    if not given["crd"].strip():
        kind, verdict = "", "Paste a CRD, or choose an example."
    elif not rejections and len(errors) > breaking:
        verdict = f"crdlint cannot answer for this: {counted(len(errors) - breaking, 'error')}."
    elif not rejections and not crds:
        kind, verdict = "", "There is no CRD in this text."
    elif not rejections:
        kind, verdict = "good", f"{server} accepts this{' update' if given['old'].strip() else ''}."
    changes = f"{counted(breaking, 'breaking change')} for clients and existing objects." if breaking else ""
    return {"kind": kind, "verdict": verdict, "breaking": changes}


def _findings(diagnostics: Sequence[Diagnostic], text: str) -> list[dict[str, Any]]:
    places = TextPositions(text)
    return [_finding(one, places) for one in diagnostics if not one.hidden]


def _finding(one: Diagnostic, places: TextPositions) -> dict[str, Any]:
    fix = None
    if one.fix is not None:
        edits = [asdict(edit) for edit in places.ranges(one.fix)]
        fix = {"title": one.fix.title, "safe": one.fix.applicability == "safe", "edits": edits}
    return {
        "rule": one.rule,
        "url": rule_link(one.rule),
        "severity": one.severity,
        "message": one.message,
        "headline": headline(one),
        "where": where(one),
        "help": one.help,
        "line": one.line,
        "column": one.column,
        "end_line": one.end_line,
        "end_column": one.end_column,
        "versions": list(one.versions),
        "fix": fix,
    }


def _costs(result: FileResult) -> list[dict[str, Any]]:
    costs = [found.cost(result.file) for found in result.rules]
    return [
        {
            "rule": cost.rule,
            "version": cost.version,
            "path": cost.path,
            "line": cost.line,
            "column": cost.column,
            "cost": cost.expression_cost,
            "share": cost.expression_cost / RULE_COST_LIMIT,
        }
        for cost in costs
        if cost.error is None
    ]
