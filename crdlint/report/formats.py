"""The formats by name, the kinds of reports that each supports, and the files that reports are written to.

A format is a module with a class for each kind of report: `Report`, `CostReport` or `SuiteReport`, made with a `View`.
Adding one touches its module and this table.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from crdlint.diagnostics.spelling import nearest
from crdlint.report.pieces import Spool, SpoolError
from crdlint.safety import atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crdlint.report.pieces import CostReport, Report, SuiteReport, ValuesReport, View

# The kinds of reports: the findings of `check` and `validate`, the costs of `cost`, the results of `test`,
# the changes of `diff`, the values of `eval`.
Kind: TypeAlias = Literal["findings", "costs", "suites", "changes", "values"]
AnyReport = TypeVar("AnyReport")

TEXT: Final = "text"
AUTO: Final = "auto"


class Format(NamedTuple):
    """A format: its purpose, and the module below crdlint.report for each kind of report that it supports."""

    about: str
    findings: str = ""
    costs: str = ""
    suites: str = ""
    changes: str = ""
    values: str = ""


FORMATS: Final = {
    TEXT: Format(
        "for people",
        findings="text",
        costs="cost_text",
        suites="suites_text",
        changes="changes_text",
        values="values_text",
    ),
    "concise": Format("a line for each finding", findings="concise", changes="concise"),
    "server": Format("nothing but the API server's sentences", findings="server"),
    "json": Format(
        "for programs (docs/json-output.md)", findings="json", costs="json", changes="json", values="values_json"
    ),
    "sarif": Format("SARIF 2.1.0, for code scanning", findings="sarif", changes="sarif"),
    "junit": Format("JUnit XML, for test reports", findings="junit", suites="junit"),
    "github": Format("annotations of GitHub Actions", findings="github", changes="github"),
    "azure": Format("issues of Azure Pipelines", findings="azure"),
    "rdjson": Format("reviewdog, with fixes as suggestions", findings="rdjson"),
    "gitlab": Format("GitLab's Code Quality", findings="gitlab", changes="gitlab"),
    "checkstyle": Format("Checkstyle XML", findings="checkstyle"),
    "markdown": Format("for job summaries and comments", findings="markdown", changes="changes_markdown"),
    "changelog": Format("Markdown for release notes", changes="changes_changelog"),
    "html": Format("a page of its own", costs="cost_html"),
}


_CLASSES: Final[dict[Kind, str]] = {
    "findings": "Report",
    "costs": "CostReport",
    "suites": "SuiteReport",
    "changes": "Report",
    "values": "ValuesReport",
}


class OutputError(ValueError):
    """An output cannot be written; `str()` is the reason."""


def names(kind: Kind) -> list[str]:
    """Return the formats that support a kind of report."""
    return [name for name, format_ in FORMATS.items() if getattr(format_, kind)]


def choose(name: str) -> str:
    """Return the format of a name: `auto` is that of GitHub Actions or Azure Pipelines within one, else text."""
    if name != AUTO:
        return name
    if os.environ.get("GITHUB_ACTIONS") == "true":
        return "github"
    return "azure" if os.environ.get("TF_BUILD", "").lower() == "true" else TEXT


def findings(name: str, view: View) -> Report:
    """Return a new report of findings in a format."""
    report: Report = _new(name, "findings", view)
    return report


def changes(name: str, view: View) -> Report:
    """Return a new report of changes in a format."""
    report: Report = _new(name, "changes", view)
    return report


def costs(name: str, view: View) -> CostReport:
    """Return a new report of costs in a format."""
    report: CostReport = _new(name, "costs", view)
    return report


def suites(name: str, view: View) -> SuiteReport:
    """Return a new report of suites in a format."""
    report: SuiteReport = _new(name, "suites", view)
    return report


def values(name: str, view: View) -> ValuesReport:
    """Return a new report of values in a format."""
    report: ValuesReport = _new(name, "values", view)
    return report


def _new(name: str, kind: Kind, view: View) -> Any:
    return getattr(import_module(f"crdlint.report.{getattr(FORMATS[name], kind)}"), _CLASSES[kind])(view)


def parse_outputs(arguments: Iterable[str], kind: Kind) -> list[tuple[str, Path]]:
    """Return the formats and files of `FORMAT=FILE` arguments; raise OutputError."""
    known = names(kind)
    outputs: list[tuple[str, Path]] = []
    for argument in arguments:
        name, equals, file = argument.partition("=")
        if not equals or not file:
            raise OutputError(f"{argument!r} is not FORMAT=FILE")
        if name not in known:
            near = nearest(name, known)
            hint = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
            raise OutputError(f"there is no format {name!r} for files: {hint}")
        path = Path(file)
        if any(os.path.realpath(path) == os.path.realpath(other) for _, other in outputs):
            raise OutputError(f"{file} is written to twice")
        is_folder = os.path.isdir(path)  # noqa: PTH112  Path.is_dir raises OSError for a name that is too long
        if is_folder or not os.path.isdir(path.absolute().parent):  # noqa: PTH112
            raise OutputError(f"{file} cannot be written: {'it is a folder' if is_folder else 'no such folder'}")
        outputs.append((name, path))
    return outputs


class Output(Generic[AnyReport]):
    """A report that is written to a file at the end of the run."""

    def __init__(self, path: Path, report: AnyReport) -> None:
        self._path = path
        self._report = report
        self._spool = Spool()
        self._problem: str | None = None

    def add(self, pieces: Callable[[AnyReport], Iterable[str]]) -> None:
        """Add the pieces that a function returns for the report."""
        if self._problem is None:
            try:
                for piece in pieces(self._report):
                    self._spool.write(piece)
            except SpoolError as error:
                self._problem = str(error)

    def write(self) -> str | None:
        """Write the file; return the reason if it cannot be written, else None."""
        if self._problem is None:
            try:
                atomic.write(self._path, self._spool.data())
            except OSError as error:
                self._problem = error.strerror or str(error)
        return None if self._problem is None else f"{self._path} cannot be written: {self._problem}"
