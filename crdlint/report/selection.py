"""The order in which reports for people show the findings of a CRD, and what they combine into one entry."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult

_SHOWN: Final = 3  # places of one entry
_SEVERITIES: Final = {"error": 0, "warning": 1, "info": 2}


def by_crd(diagnostics: Iterable[Diagnostic]) -> list[tuple[str | None, list[Diagnostic]]]:
    """Group consecutive findings about the same CRD."""
    groups: list[tuple[str | None, list[Diagnostic]]] = []
    for diagnostic in diagnostics:
        if not groups or groups[-1][0] != diagnostic.crd:
            groups.append((diagnostic.crd, []))
        groups[-1][1].append(diagnostic)
    return groups


def most_severe_first(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings with errors before warnings, and warnings before infos, otherwise in their order."""
    return sorted(diagnostics, key=lambda diagnostic: _SEVERITIES[diagnostic.severity])


def combined(
    findings: Iterable[Diagnostic], *, show_all: bool = False
) -> list[tuple[Diagnostic, tuple[Diagnostic, ...]]]:
    """Return the findings of a CRD, the most severe first, each with the others that it includes, unless all are to be shown.

    One entry includes an error at the same field of several versions or reached by aliases, a warning or advice with the
    same text anywhere in the CRD, and all infos of a rule.
    """
    entries: dict[object, list[Diagnostic]] = {}
    for finding in most_severe_first(findings):
        entries.setdefault(id(finding) if show_all else _sameness(finding), []).append(finding)
    return [(same[0], tuple(same[1:])) for same in entries.values()]


def _sameness(finding: Diagnostic) -> object:
    """Return what findings have in common that are shown as one."""
    if finding.severity == "info":
        return finding.rule
    if finding.kind not in {"field", "decode", "strict"}:
        return finding.rule, finding.message
    *_, parent, name = f"..{finding.field}".split(".")
    name = f"{parent}.{name}" if parent.startswith("x-kubernetes-validations") else name.partition("[")[0]
    path = finding.user_path or (finding.line, finding.column, finding.end_line, finding.end_column)
    return finding.rule, path, name, finding.detail or finding.message, finding.hidden


def describe_others(finding: Diagnostic, others: Sequence[Diagnostic]) -> str:
    """Return a note about the findings that the entry of another one includes."""
    count = len(others)
    if all((other.line, other.column) == (finding.line, finding.column) for other in others):
        return f"{count:,} more path{' leads' if count == 1 else 's lead'} here: --show-all shows each"
    shown = [
        f"{other.version} (line {other.line})"
        if other.version and other.user_path == finding.user_path
        else f"line {other.line}"
        for other in others[:_SHOWN]
    ]
    more = f" and {count - _SHOWN:,} more: --show-all shows each" if count > _SHOWN else ""
    return f"also in {', '.join(shown)}{more}"


class Copies:
    """The findings of a run, so that those of copies of a CRD in other files are shown once.

    `findings` counts those that are left out, `files` has the files they are in.
    """

    def __init__(self) -> None:
        """Start without findings."""
        self._first_files: dict[object, str] = {}
        self.findings = 0
        self.files: set[str] = set()

    def without(self, result: FileResult) -> FileResult:
        """Return a result without the findings that an earlier file has about the CRD of the same name."""
        new = tuple(d for d in result.diagnostics if not d.crd or self._is_first(d, result.file))
        if len(new) == len(result.diagnostics):
            return result
        self.findings += sum(not d.hidden for d in result.diagnostics) - sum(not d.hidden for d in new)
        self.files.add(result.file)
        return replace(result, diagnostics=new)

    def _is_first(self, finding: Diagnostic, file: str) -> bool:
        path = finding.version, finding.user_path or finding.field
        same = finding.crd, path, finding.rule, finding.severity, finding.message, finding.hidden
        return self._first_files.setdefault(same, file) == file
