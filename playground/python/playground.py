"""What the playground asks of crdlint: JSON in, JSON out."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from crdlint.diagnostics import Fix
from crdlint.kubernetes.servers import KNOWN, NEWEST_VERSION, SERVERS, parse_range
from crdlint.linting.documents import collect_crds
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.phrases import counted
from crdlint.report.changes import counts_of, described
from crdlint.report.locations import TextPositions
from crdlint.report.page import rule_link
from crdlint.report.words import advice, combined, headline, sentences, where
from crdlint.rules.advice.deployment import NEEDS_NEWER
from crdlint.rules.catalog import all_rules
from crdlint.rules.consequences import causes
from crdlint.yaml.parse import reading_notice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crdlint.diagnostics import Diagnostic
    from crdlint.linting.result import FileResult

_CRD: Final = "crd.yaml"
_RESOURCE: Final = "resource.yaml"
_NOT_VALIDATED: Final = "Nothing in the tab “Resource” is of a kind that the CRD defines, so nothing in it was validated."
_CHANGES: Final = frozenset(rule.id for rule in all_rules().values() if rule.compares)


def versions() -> str:
    """Return the Kubernetes versions to choose from, newest first, and the default one."""
    return json.dumps(
        {
            "versions": [str(server) for server in reversed(SERVERS)] + [KNOWN],
            "default": NEWEST_VERSION,
        }
    )


@lru_cache(maxsize=2)
def linted(crd: str, old: str, version: str) -> FileResult:
    """Return the result of a CRD, as an update of an old one if that is not empty; the newest ones are kept."""
    previous = collect_crds(old).by_name.get if old.strip() else None
    return lint_file(
        crd,
        _CRD,
        CheckRequest(versions=parse_range(version), previous=previous, keep=True, fixes=True),
    )


def validated(resource: str, result: FileResult) -> FileResult:
    """Return the result of custom resources against the CRDs of a result."""
    # a third of what is imported otherwise, and most texts have no custom resource
    from crdlint.resources.definitions import Definitions
    from crdlint.resources.pipeline import validate_text

    definitions = Definitions()
    definitions.add(result)
    return validate_text(resource, filename=_RESOURCE, definitions=definitions).result


def check(request: str) -> str:
    """Check `crd`, as an update of `old` if that is given, and `resource` against it, for the Kubernetes `version`.

    Returns the headlines, the findings of both texts with their fixes, the number of rules, and notices. Positions are
    1-based lines and columns in characters.
    """
    given: dict[str, str] = json.loads(request)
    result = linted(given["crd"], given["old"], given["version"])
    resource = validated(given["resource"], result) if given["resource"].strip() else None
    of_resource = () if resource is None else resource.diagnostics
    answer = {
        "crd": _findings(result.diagnostics, result.text),
        "resource": [] if resource is None else _findings(of_resource, resource.text),
        "rules": len(result.rules),
        "notices": _notices(result, resource),
        "crds": [crd.name for crd in result.crds],
        "versions": [str(server) for server in SERVERS],
        **_headlines(given, result, of_resource),
        "fixable": sum(
            one.fix is not None and one.fix.applicability == "safe" for one in result.diagnostics
        ),
    }
    return json.dumps(answer)


def _notices(result: FileResult, resource: FileResult | None) -> list[str]:
    """Return what the reader has to know about the texts, such as that nothing in one of them was validated."""
    notices = [*result.notices, *(() if resource is None else resource.notices)]
    slower = reading_notice()  # true of every browser
    notices = [notice for notice in notices if notice != slower]
    if resource is not None and not resource.diagnostics and resource.documents <= resource.skipped:
        notices.append(_NOT_VALIDATED)
    return notices


def verdict(request: str) -> str:
    """Return what `check` says of a version in short: the kind of the verdict, and the numbers of errors and warnings."""
    answer: dict[str, Any] = json.loads(check(request))
    found = [one for one in (*answer["crd"], *answer["resource"]) if not one["is_change"]]
    counts = Counter(one["severity"] for one in found)
    kind, rules = (
        answer["kind"],
        sorted({one["rule"] for one in found if one["severity"] == "error"}),
    )
    return json.dumps(
        {"kind": kind, "verdict": answer["verdict"], "warnings": counts["warning"], "rules": rules}
    )


def fixed(request: str) -> str:
    """Return the edits that make all safe fixes of the CRD which bring no new error, and the lines of their diff."""
    import difflib

    from crdlint.runner.fixes import fix

    given: dict[str, str] = json.loads(request)

    def checked(text: str) -> FileResult:
        return linted(text, given["old"], given["version"])

    done = fix(checked(given["crd"]), checked, unsafe=False)
    places = TextPositions(done.before)
    edits = [asdict(edit) for edit in places.ranges(Fix("", "safe", done.edits))]
    lines = difflib.unified_diff(done.before.splitlines(), done.text.splitlines(), lineterm="")
    return json.dumps({"edits": edits, "count": len(done.applied), "diff": list(lines)[2:]})


def _headlines(
    given: Mapping[str, str], result: FileResult, of_resource: Sequence[Diagnostic]
) -> dict[str, str]:
    """Return the verdict of the API server, its kind (`good`, `error` or none), and a headline for changes."""
    found = (*result.diagnostics, *of_resource)
    changes = [one for one in found if one.rule in _CHANGES and not one.hidden]
    numbers = described(counts_of(changes))
    effects = f"Changes for clients and existing objects: {numbers}." if numbers else ""
    kind, verdict = _verdict(given, result, of_resource)
    return {"kind": kind, "verdict": verdict, "breaking": effects}


def _verdict(
    given: Mapping[str, str], result: FileResult, of_resource: Sequence[Diagnostic]
) -> tuple[str, str]:
    """Return the kind of the verdict, and the verdict with what it is about."""
    if not given["crd"].strip():
        return "", "Paste a CRD, drop a file, or choose an example."
    server = f"The API server of Kubernetes {given['version']}"
    of_crd, of_objects = _rejections(result.diagnostics), _rejections(of_resource)
    if of_crd or of_objects:
        rejected = " and ".join(["the CRD"] * bool(of_crd) + ["the resource"] * bool(of_objects))
        return "error", f"{server} rejects {rejected}: {counted(of_crd + of_objects, 'error')}."
    unread = sum(
        one.severity == "error" and not one.hidden and one.rule not in _CHANGES
        for one in (*result.diagnostics, *of_resource)
    )
    if unread:
        return "error", f"crdlint cannot check this: {counted(unread, 'error')}."
    if not result.crds:
        return "", "There is no CRD in this text."
    accepted = "the update of the CRD" if given["old"].strip() else "the CRD"
    return "good", f"{server} accepts {accepted}."


def _rejections(findings: Sequence[Diagnostic]) -> int:
    """Return the number of errors for which the API server rejects a text."""
    errors = (one for one in findings if one.severity == "error" and not one.hidden)
    return sum(one.is_rejection or one.rule == NEEDS_NEWER.id for one in errors)


def _findings(diagnostics: Sequence[Diagnostic], text: str) -> list[dict[str, Any]]:
    """Return findings as the terminal groups them: `follows` is the number of the finding that one follows from."""
    places = TextPositions(text)
    visible = [one for one in diagnostics if not one.hidden]
    shown = [one for one, _ in combined(visible, show_all=True)]
    first = causes(shown)
    numbers = {id(one): number for number, one in enumerate(shown)}
    return [
        {
            **_finding(one, places),
            "follows": numbers[id(first[id(one)])] if id(one) in first else None,
        }
        for one in shown
    ]


def _finding(one: Diagnostic, places: TextPositions) -> dict[str, Any]:
    repair = None
    if one.fix is not None:
        edits = [asdict(edit) for edit in places.ranges(one.fix)]
        repair = {"title": one.fix.title, "safe": one.fix.applicability == "safe", "edits": edits}
    return {
        "rule": one.rule,
        "url": rule_link(one.rule),
        "severity": one.severity,
        "is_change": one.rule in _CHANGES,
        "sentences": [sentence._asdict() for sentence in sentences(one)],
        "headline": headline(one),
        "where": where(one),
        "help": advice(one),
        "line": one.line,
        "column": one.column,
        "end_line": one.end_line,
        "end_column": one.end_column,
        "versions": list(one.versions),
        "fix": repair,
    }
