"""Findings as JSON: crdlint's own object (docs/json-output.md), SARIF, GitLab and reviewdog; and costs (docs/cost.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, astuple
from typing import TYPE_CHECKING, Any, Final

from crdlint.__about__ import __version__
from crdlint.diagnostics import InputProblem
from crdlint.kubecel.cost import CRD_COST_LIMIT, RULE_COST_LIMIT
from crdlint.light import replace
from crdlint.report import words
from crdlint.report.changes import KEYS, Changes
from crdlint.report.locations import (
    EditRange,
    TextPositions,
    fingerprints,
    is_printable,
    relative,
    uri,
)
from crdlint.report.page import rule_link
from crdlint.report.pieces import Costs, Lines, Report, RunOutcome, View, WholeReport
from crdlint.rules.catalog import all_rules
from crdlint.rules.consequences import causes
from crdlint.safety.escapes import json_text, printable, printable_line

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic, Fix, Related
    from crdlint.linting.cost_entries import CostEntry
    from crdlint.linting.result import FileResult
    from crdlint.rules.engine.rule import Rule


# Incremented if a field is removed or changes its meaning; new fields do not increment it.
FORMAT_VERSION: Final = 1
_GITLAB_SEVERITIES: Final = {"error": "major", "warning": "minor", "info": "info"}


class _Array(Report):
    """The base of formats with the findings in an array, each in a line, between `head` and `tail`."""

    head = "["
    tail = "]\n"

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._before = f"{self.head}\n"

    def file(self, result: FileResult) -> Iterator[str]:
        return self._items(list(self._shown(result)), result.text)

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        yield from self._items(list(outcome.unreadable()), "")
        yield ("\n" if self._before == ",\n" else self.head) + self.tail

    def _items(self, findings: list[Diagnostic], text: str) -> Iterator[str]:
        for value in self._values(findings, TextPositions(text)):
            yield f"{self._before}{json_text(value)}"
            self._before = ",\n"

    def _values(
        self, findings: list[Diagnostic], positions: TextPositions
    ) -> Iterable[dict[str, Any]]:
        raise NotImplementedError


class FindingsJSON(_Array):
    """The complete object: findings in the order of the files, then data about the files and the run."""

    head = (
        f'{{\n"version": {FORMAT_VERSION},\n"crdlint": {json_text(__version__)},\n"diagnostics": ['
    )
    tail = '],\n"files": ['
    tells_time = True

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._files = Lines()
        self._changes = Changes()

    def file(self, result: FileResult) -> Iterator[str]:
        """Return the findings of a file."""
        if result.compared:
            self._changes.add(result)
        about = {
            "file": result.file,
            "documents": result.documents,
            "skipped": result.skipped,
            "crds": [{"name": crd.name, "line": crd.line} for crd in result.crds],
            "resources": [{"name": each.name, "line": each.line} for each in result.resources],
            "notices": list(result.notices),
        }
        self._files.add(about)
        return super().file(result)

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the rest of the object, with the unreadable inputs in an array of their own."""
        yield from super().end(replace(outcome, problems=()))
        yield from self._files.pieces()
        unreadable = json_text(_unreadable(outcome.problems))
        yield f'],\n"unreadable": {unreadable},\n"summary": {json_text(asdict(outcome.summary))}'
        if self._changes.states:
            yield f',\n"changes": {json_text({KEYS[name]: count for name, count in self._changes.counts().items()})}'
        yield "\n}\n"

    def _values(
        self, findings: list[Diagnostic], positions: TextPositions
    ) -> Iterator[dict[str, Any]]:
        first = causes(findings)
        return (_finding(finding, positions, first.get(id(finding))) for finding in findings)


def _finding(
    finding: Diagnostic, positions: TextPositions, cause: Diagnostic | None
) -> dict[str, Any]:
    """Return a finding as an object with the URL of its rule's page; its fix has the lines and columns of edits."""
    fix, fields = (
        finding.fix,
        {**asdict(replace(finding, fix=None)), "url": rule_link(finding.rule)},
    )
    if finding.related is not None:
        del fields["related"]["text"]  # its lines are in the file
    del fields["lacks"], fields["cause"], fields["errors"]
    fields["example"] = json.loads(finding.example) if finding.example else None
    fields["follows_from"] = cause and {
        name: getattr(cause, name) for name in ("rule", "message", "line", "column")
    }
    if fix is not None:
        edits = list(map(asdict, positions.ranges(fix)))
        fields["fix"] = {"title": fix.title, "applicability": fix.applicability, "edits": edits}
    return fields


def _unreadable(problems: Iterable[InputProblem]) -> list[dict[str, Any]]:
    return [
        {
            "file": problem.file,
            "reason": problem.reason,
            "line": problem.line or None,
            "column": problem.column or None,
        }
        for problem in problems
    ]


class GitLab(_Array):
    """GitLab's Code Quality report."""

    def _values(
        self, findings: list[Diagnostic], positions: TextPositions
    ) -> Iterator[dict[str, Any]]:
        del positions
        for finding, fingerprint in fingerprints(findings):
            yield {
                "description": printable_line(words.headline(finding)),
                "content": {"body": printable(words.text(finding))},
                "check_name": finding.rule,
                "fingerprint": fingerprint,
                "severity": _GITLAB_SEVERITIES[finding.severity],
                "location": {
                    "path": printable_line(relative(finding.file)),
                    "lines": {"begin": finding.line, "end": finding.end_line},
                },
            }


class RDJSON(_Array):
    """Reviewdog's diagnostic format, as one object: fixes become suggestions on pull requests."""

    head = '{\n"source": {"name": "crdlint"},\n"diagnostics": ['
    tail = "]\n}\n"

    def _values(
        self, findings: list[Diagnostic], positions: TextPositions
    ) -> Iterator[dict[str, Any]]:
        for finding in findings:
            in_bytes = (
                finding.line,
                positions.column_in_bytes(finding.line, finding.column),
                finding.end_line,
                positions.column_in_bytes(finding.end_line, finding.end_column),
            )
            entry: dict[str, Any] = {
                "message": printable(words.message(finding)),
                "location": {
                    "path": printable_line(relative(finding.file)),
                    "range": _range(*in_bytes),
                },
                "severity": finding.severity.upper(),
                "code": {"value": finding.rule, "url": rule_link(finding.rule)},
            }
            if finding.fix is not None and is_printable(finding.fix):
                *replaced, text = astuple(positions.combined(finding.fix))
                entry["suggestions"] = [{"range": _range(*replaced), "text": text}]
            yield entry


def _range(
    line: int,
    column: int,
    end_line: int,
    end_column: int,
) -> dict[str, Any]:
    return {
        "start": {"line": line, "column": column},
        "end": {"line": end_line, "column": end_column},
    }


class CostJSON(WholeReport[Costs]):
    """The complete object of the costs of a run."""

    def pieces(self, content: Costs) -> Iterator[str]:
        """Yield the object."""
        document = {
            "version": 1,
            "limits": {"rule": RULE_COST_LIMIT, "schema": CRD_COST_LIMIT},
            "rules": list(map(_costs, content.shown)),
            "unestimated": list(map(asdict, content.unestimated)),
            "unreadable": _unreadable(content.problems),
        }
        yield f"{json_text(document, 2)}\n"


def _costs(entry: CostEntry) -> dict[str, object]:
    by_version = {version: asdict(cost) for version, cost in entry.by_version.items()}
    more = {
        "place": entry.value_path,
        "times": entry.times,
        "help": entry.help,
        "by_version": by_version,
    }
    return asdict(entry.cost) | more


_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
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
            entry = _result(
                finding, self._rules.setdefault(finding.rule, len(self._rules)), fingerprint
            )
            if finding.fix is not None and is_printable(finding.fix):
                entry["fixes"] = [_fix(finding.fix, finding.file, positions)]
            self._results.add(entry)
        for notice in result.notices:
            self._notes.add(_notification(result.file, notice, "note"))
        return ()

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the complete log."""
        declarations = all_rules()
        rules = [_rule(declarations[rule]) for rule in self._rules]
        driver = {"name": "crdlint", "semanticVersion": __version__, "rules": rules}
        base = {"SRCROOT": {"description": {"text": "The folder that crdlint was run in."}}}
        failures = [
            *outcome.problems,
            *(InputProblem(file, f"a bug in crdlint: {text}") for file, text in outcome.bugs),
        ]
        for failure in failures:
            region = _point(failure) if failure.line else None
            self._notes.add(_notification(failure.file, failure.reason, "error", region))
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
    field = finding.user_path or finding.field
    name = "/".join(filter(None, (finding.crd, finding.version, field)))
    entry: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": printable(words.message(finding))},
        "locations": [_location(finding.file, _region(finding))],
        "partialFingerprints": {"crdlint/v1": fingerprint},
    }
    if field:
        entry["locations"][0]["logicalLocations"] = [{"fullyQualifiedName": printable_line(name)}]
    if finding.related is not None:
        other = finding.related
        location = _location(other.file, _point(other))
        entry["relatedLocations"] = [{"message": {"text": printable(other.label)}, **location}]
    return entry


def _fix(fix: Fix, file: str, positions: TextPositions) -> dict[str, Any]:
    replacements = [
        {"deletedRegion": _region(edit)}
        | ({"insertedContent": {"text": edit.text}} if edit.text else {})
        for edit in positions.ranges(fix)
    ]
    title = fix.title if fix.applicability == "safe" else f"{fix.title} (unsafe)"
    return {
        "description": {"text": printable(title)},
        "artifactChanges": [{"artifactLocation": _artifact(file), "replacements": replacements}],
    }


def _region(part: Diagnostic | EditRange) -> dict[str, int]:
    return {
        "startLine": part.line,
        "startColumn": part.column,
        "endLine": part.end_line,
        "endColumn": part.end_column,
    }


def _location(file: str, region: dict[str, int] | None = None) -> dict[str, Any]:
    return {
        "physicalLocation": {"artifactLocation": _artifact(file)}
        | ({"region": region} if region else {})
    }


def _artifact(file: str) -> dict[str, str]:
    location = uri(file)
    return (
        {"uri": location}
        if location.startswith("file:")
        else {"uri": location, "uriBaseId": "SRCROOT"}
    )


def _point(part: Related | InputProblem) -> dict[str, int]:
    return {"startLine": part.line, "startColumn": part.column}


def _notification(
    file: str,
    text: str,
    level: str,
    region: dict[str, int] | None = None,
) -> dict[str, Any]:
    message = {"text": printable(text)}
    return {"level": level, "message": message, "locations": [_location(file, region)]}
