"""The formats by name, the kinds of reports that each supports, and the files that reports are written to.

A format is a class for each kind of report, made with a `View`. Adding one touches its module and this table.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from crdlint.files.read import reason
from crdlint.files.repository import LINK_OUT, leads_out
from crdlint.light import NamedTuple
from crdlint.phrases import nearest
from crdlint.report.pieces import (
    Costs,
    EvalResults,
    Report,
    Spool,
    SpoolError,
    SuiteReport,
    View,
    WholeReport,
)

if TYPE_CHECKING:
    from pathlib import Path

AnyReport = TypeVar("AnyReport")

TEXT: Final = "text"
AUTO: Final = "auto"


class Format(NamedTuple):
    """A format: its purpose, and the module below crdlint.report with its class for each kind of report that it supports.

    `package` is what it needs besides crdlint's own dependencies: the extra of the format's name installs it.
    """

    about: str
    findings: str = ""
    costs: str = ""
    suites: str = ""
    changes: str = ""
    values: str = ""
    package: str = ""


FORMATS: Final = {
    TEXT: Format(
        "for people",
        "text.TextReport",
        "cost_text.CostText",
        "text.SuiteText",
        "changes_text.ChangesText",
        "eval_results.ValuesText",
    ),
    "concise": Format("a line for each finding", "lines.Concise", changes="lines.Concise"),
    "server": Format("nothing but the API server's sentences", "lines.ServerMessages"),
    "json": Format(
        "for programs (docs/json-output.md)",
        "json.FindingsJSON",
        "json.CostJSON",
        changes="json.FindingsJSON",
        values="eval_results.ValuesJSON",
    ),
    "sarif": Format("SARIF 2.1.0, for code scanning", "json.SARIF", changes="json.SARIF"),
    "junit": Format("JUnit XML, for test reports", "xml.JUnit", suites="xml.SuiteXML"),
    "github": Format("annotations of GitHub Actions", "lines.GitHub", changes="lines.GitHub"),
    "azure": Format("issues of Azure Pipelines", "lines.Azure"),
    "rdjson": Format("reviewdog, with fixes as suggestions", "json.RDJSON"),
    "gitlab": Format("GitLab's Code Quality", "json.GitLab", changes="json.GitLab"),
    "checkstyle": Format("Checkstyle XML", "xml.Checkstyle"),
    "markdown": Format(
        "for job summaries and comments", "lines.Markdown", changes="changes.ChangesMarkdown"
    ),
    "changelog": Format("Markdown for release notes", changes="changes.Changelog"),
    "html": Format(
        "a page of its own",
        "html.FindingsPage",
        "html.CostPage",
        changes="html.ChangesPage",
        package="jinja2",
    ),
}


class ReportKind(Generic[AnyReport]):
    """A kind of report; called with the name of a format and a view, it makes a new report."""

    def __init__(self, name: str) -> None:
        self.name: Final = name

    def __call__(self, format_: str, view: View) -> AnyReport:
        """Return a new report in a format."""
        module, _, class_ = getattr(FORMATS[format_], self.name).partition(".")
        report: AnyReport = getattr(import_module(f"crdlint.report.{module}"), class_)(view)
        return report


findings: Final[ReportKind[Report]] = ReportKind("findings")  # of `check` and `validate`
costs: Final[ReportKind[WholeReport[Costs]]] = ReportKind("costs")
suites: Final[ReportKind[SuiteReport]] = ReportKind("suites")
changes: Final[ReportKind[Report]] = ReportKind("changes")  # of `diff`
values: Final[ReportKind[WholeReport[EvalResults]]] = ReportKind("values")  # of `eval`


class OutputError(ValueError):
    """An output cannot be written; `str()` is the reason."""


def names(kind: str) -> list[str]:
    """Return the formats that support a kind of report."""
    return [name for name, format_ in FORMATS.items() if getattr(format_, kind)]


def choose(name: str) -> str:
    """Return the format of a name: `auto` is that of GitHub Actions or Azure Pipelines within one, else text."""
    if name != AUTO:
        return name
    if os.environ.get("GITHUB_ACTIONS") == "true":
        return "github"
    return "azure" if os.environ.get("TF_BUILD", "").lower() == "true" else TEXT


STANDARD_OUTPUT: Final = "-"


def on_standard_output(name: str, outputs: Iterable[str]) -> tuple[str, list[str]]:
    """Return the format of standard output, which `FORMAT=-` sets, and the other outputs; raise OutputError."""
    files = []
    for output in outputs:
        format_, _, file = output.partition("=")
        if file != STANDARD_OUTPUT:
            files.append(output)
        elif name in {AUTO, TEXT, format_}:
            name = format_
        else:
            raise OutputError(f"{output!r}: standard output has one format, which is {name}")
    return name, files


def require_known(name: str, kind: str) -> None:
    """Raise OutputError if no format of a name supports a kind of report, or if its package is not installed."""
    supported = names(kind)
    if name not in supported:
        near = nearest(name, supported)
        hint = f"did you mean {near}?" if near else f"there are {', '.join(supported)}"
        raise OutputError(f"there is no format {name!r} for files: {hint}")
    package = FORMATS[name].package
    if package and find_spec(package) is None:
        raise OutputError(f"the format {name} needs {extra(name)}")


def extra(name: str) -> str:
    """Return in words which extra of crdlint is needed, and how it is installed."""
    return f"the extra {name} of crdlint, such as: pip install './crdlint[{name}]'"


def parse_outputs(arguments: Iterable[str], kind: str) -> list[tuple[str, Path]]:
    """Return the formats and files of `FORMAT=FILE` arguments; raise OutputError."""
    outputs: list[tuple[str, Path]] = []
    for argument in arguments:
        name, equals, file = argument.partition("=")
        if not equals or not file:
            raise OutputError(f"{argument!r} is not FORMAT=FILE")
        from pathlib import Path  # most runs write no files

        require_known(name, kind)
        path = Path(file)
        if any(os.path.realpath(path) == os.path.realpath(other) for _, other in outputs):
            raise OutputError(f"{file} is written to twice")
        is_folder = os.path.isdir(path)  # noqa: PTH112  Path.is_dir raises OSError for a name that is too long
        if is_folder or not os.path.isdir(path.absolute().parent):  # noqa: PTH112
            raise OutputError(
                f"{file} cannot be written: {'it is a folder' if is_folder else 'no such folder'}"
            )
        outputs.append((name, path))
    return outputs


class FileOutput(Generic[AnyReport]):
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
        from crdlint.safety import atomic

        if self._problem is None:
            try:
                if leads_out(str(self._path)):
                    raise OSError(LINK_OUT)
                atomic.write(self._path, self._spool.data())
            except OSError as error:
                self._problem = reason(error)
        return None if self._problem is None else f"{self._path} cannot be written: {self._problem}"
