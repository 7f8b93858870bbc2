"""SARIF 2.1.0 (OASIS), as code scanning reads it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from crdlint.__about__ import __version__
from crdlint.report import words
from crdlint.report.escapes import json_text, printable, printable_line
from crdlint.report.locations import EditRange, TextPositions, fingerprints, is_printable, uri
from crdlint.report.page import rule_link
from crdlint.report.pieces import Lines, Outcome, Report, View
from crdlint.rules.catalog import all_rules

if TYPE_CHECKING:
    from crdlint.diagnostics.diagnostic import Diagnostic, Fix
    from crdlint.linting.result import FileResult
    from crdlint.rules.engine.rule import Rule

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}
_LONGEST_EXAMPLE: Final = 2000  # characters


class SARIF(Report):
    """The complete log: one run, with the rules that have findings."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._rules: dict[str, int] = {}  # the index of each
        self._results = Lines()
        self._notes = Lines()

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: the rules precede the results."""
        positions = TextPositions(result.text)
        for finding, fingerprint in fingerprints(self._shown(result)):
            index = self._rules.setdefault(finding.rule, len(self._rules))
            made = _result(finding, index, fingerprint)
            if finding.fix is not None and is_printable(finding.fix):
                made["fixes"] = [_fix(finding.fix, finding.file, positions)]
            self._results.add(made)
        for notice in result.notices:
            self._notes.add(_notification(result.file, notice, "note"))
        return ()

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the complete log."""
        known = all_rules()
        rules = [_rule(known[rule]) for rule in self._rules]
        driver = {"name": "crdlint", "semanticVersion": __version__, "rules": rules}
        base = {"SRCROOT": {"description": {"text": "The folder that crdlint was run in."}}}
        failures = [*outcome.problems, *((file, f"a bug in crdlint: {text}") for file, text in outcome.bugs)]
        for file, reason in failures:
            self._notes.add(_notification(file, reason, "error"))
        yield (
            f'{{\n"$schema": "{_SCHEMA}",\n"version": "2.1.0",\n"runs": [{{\n"tool": {json_text({"driver": driver})},\n'
            f'"columnKind": "unicodeCodePoints",\n"originalUriBaseIds": {json_text(base)},\n'
            f'"invocations": [{{"executionSuccessful": {json_text(not failures)},'
            ' "toolExecutionNotifications": ['
        )
        yield from self._notes.pieces()
        yield ']}],\n"results": ['
        yield from self._results.pieces()
        yield "]\n}]\n}\n"


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
        "helpUri": rule_link(rule.id),
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"origin": rule.origin, "tags": ["kubernetes", "crd"]},
    }


def _result(finding: Diagnostic, index: int, fingerprint: str) -> dict[str, Any]:
    name = "/".join(filter(None, (finding.crd, finding.version, finding.user_path or finding.field)))
    made: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": printable(words.message(finding))},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": _artifact(finding.file),
                    "region": _region(finding),
                },
                **(
                    {"logicalLocations": [{"fullyQualifiedName": printable_line(name)}]}
                    if finding.user_path or finding.field
                    else {}
                ),
            }
        ],
        "partialFingerprints": {"crdlint/v1": fingerprint},
    }
    if finding.related is not None:
        made["relatedLocations"] = [
            {
                "message": {"text": printable(finding.related.label)},
                "physicalLocation": {
                    "artifactLocation": _artifact(finding.related.file),
                    "region": {"startLine": finding.related.line, "startColumn": finding.related.column},
                },
            }
        ]
    return made


def _fix(fix: Fix, file: str, positions: TextPositions) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": _region(edit),
            **({"insertedContent": {"text": edit.text}} if edit.text else {}),
        }
        for edit in positions.ranges(fix)
    ]
    title = fix.title if fix.applicability == "safe" else f"{fix.title} (unsafe)"
    return {
        "description": {"text": printable(title)},
        "artifactChanges": [{"artifactLocation": _artifact(file), "replacements": replacements}],
    }


def _region(part: Diagnostic | EditRange) -> dict[str, int]:
    start = {"startLine": part.line, "startColumn": part.column}
    return {**start, "endLine": part.end_line, "endColumn": part.end_column}


def _artifact(file: str) -> dict[str, str]:
    location = uri(file)
    return {"uri": location} if location.startswith("file:") else {"uri": location, "uriBaseId": "SRCROOT"}


def _notification(file: str, text: str, level: str) -> dict[str, Any]:
    return {
        "level": level,
        "message": {"text": printable(text)},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(file)}}],
    }
