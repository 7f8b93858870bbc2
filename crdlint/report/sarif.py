"""SARIF 2.1.0 (OASIS), as code scanning reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.__about__ import __version__
from crdlint.report.escapes import json_text, printable, printable_line
from crdlint.report.fingerprints import fingerprints
from crdlint.report.uris import uri
from crdlint.rules.catalog import all_rules

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic
    from crdlint.report.checked import Checked
    from crdlint.rules.registry import Rule

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}
_LONGEST_EXAMPLE: Final = 2000  # characters


def render(checked: Checked) -> str:
    """Return the whole log: one run, its rules those that are broken."""
    found = list(fingerprints(checked.diagnostics()))
    known = all_rules()
    ids = list(dict.fromkeys(one.rule for one, _ in found))
    index = {rule: i for i, rule in enumerate(ids)}
    run = {
        "tool": {
            "driver": {
                "name": "crdlint",
                "semanticVersion": __version__,
                "rules": [_rule(known[rule]) for rule in ids],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The folder that crdlint was run in."}}},
        "invocations": [
            {
                "executionSuccessful": not checked.problems,
                "toolExecutionNotifications": [
                    *(_notification(file, reason, "error") for file, reason in checked.problems),
                    *(_notification(file, notice, "note") for file, notice in checked.notices()),
                ],
            }
        ],
        "results": [_result(one, index[one.rule], print_) for one, print_ in found],
    }
    return json_text({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, 2) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    example = ""
    for word, text in (("Bad", rule.bad), ("Good", rule.good)):
        if text and len(text) < _LONGEST_EXAMPLE:
            example += f"\n\n{word}:\n\n```yaml\n{text.rstrip()}\n```"
    return {
        "id": rule.id,
        "name": "".join(word.title() for word in rule.id.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.help, "markdown": f"{rule.why}\n\n**Help:** {rule.help}{example}"},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"origin": rule.origin, "tags": ["kubernetes", "crd"]},
    }


def _result(one: Diagnostic, index: int, print_: str) -> dict[str, Any]:
    text = one.message if not one.help else f"{one.message}\n\nHelp: {one.help}"
    made: dict[str, Any] = {
        "ruleId": one.rule,
        "ruleIndex": index,
        "level": _LEVELS[one.severity],
        "message": {"text": printable(text)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": _artifact(one.file),
                    "region": {
                        "startLine": one.line,
                        "startColumn": one.column,
                        "endLine": one.end_line,
                        "endColumn": one.end_column,
                    },
                },
                **(
                    {"logicalLocations": [{"fullyQualifiedName": printable_line(f"{one.crd}/{one.field}")}]}
                    if one.field
                    else {}
                ),
            }
        ],
        "partialFingerprints": {"crdlint/v1": print_},
    }
    if one.related is not None:
        made["relatedLocations"] = [
            {
                "message": {"text": printable(one.related.label)},
                "physicalLocation": {
                    "artifactLocation": _artifact(one.related.file),
                    "region": {"startLine": one.related.line, "startColumn": one.related.column},
                },
            }
        ]
    return made


def _artifact(file: str) -> dict[str, str]:
    place = uri(file)
    return {"uri": place} if place.startswith("file:") else {"uri": place, "uriBaseId": "SRCROOT"}


def _notification(file: str, text: str, level: str) -> dict[str, Any]:
    return {
        "level": level,
        "message": {"text": printable(text)},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(file)}}],
    }
