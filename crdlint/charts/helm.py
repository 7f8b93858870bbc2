"""Charts rendered by Helm itself, and what it renders mapped back to the templates."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from crdlint.charts.align import align
from crdlint.program import ProgramError, run, shortened
from crdlint.results import CRD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.charts.templates import Lint
    from crdlint.diagnostics import Diagnostic
    from crdlint.results import FileResult

OLDEST_MAJOR: Final = 3
_SOURCE: Final = re.compile(r"^# Source: (.+)$", re.MULTILINE)
_SPLIT: Final = re.compile(r"^---\n(?=# Source: )", re.MULTILINE)
_DOCUMENT: Final = re.compile(r"^---(?:[ \t].*)?\r?\n", re.MULTILINE)
_VERSION: Final = re.compile(r"v(\d+)\.\d+")
_NAME: Final = re.compile(r"^ {2,}name: *\S+", re.MULTILINE)
_DIRECTIVE: Final = re.compile(r"\{\{.*?\}\}")
_LONGEST: Final = 400  # characters of what Helm says
_INSTEAD: Final = "templates are read without Helm, their directives masked"


@dataclass(frozen=True, slots=True)
class Values:
    """What is passed on to Helm: files and assignments of values."""

    files: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Helm:
    """The Helm that there is; ``program`` is None where none can be used, ``problem`` says why where one is there."""

    program: str | None
    problem: str | None = None


@dataclass(slots=True)
class Rendered:
    """What Helm makes of a chart: by path below the chart, the documents of each template, values file by values file.

    ``problems`` say in words why some or all could not be rendered.
    """

    documents: dict[str, list[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


@cache
def helm() -> Helm:
    """Return the Helm on the path."""
    found = shutil.which("helm")
    if found is None:
        return Helm(None)
    try:
        said = run([found, "version", "--short", "--client"])
        if said.status:  # Helm 4 knows no --client, which Helm 2 needs to ask no cluster
            said = run([found, "version", "--short"])
    except ProgramError as error:
        return Helm(None, f"{error}: {_INSTEAD}")
    version = _VERSION.search(said.output)
    if version is None:
        return Helm(
            None, f"helm does not tell its version ({shortened(said.errors or said.output, _LONGEST)}): {_INSTEAD}"
        )
    if int(version[1]) < OLDEST_MAJOR:
        return Helm(None, f"helm {version[0]} is too old, crdlint needs {OLDEST_MAJOR} or later: {_INSTEAD}")
    return Helm(found)


def render(chart: str, values: Values, program: str, kube_version: str | None = None) -> Rendered:
    """Render a chart: with the values given, or with each of its ci/*-values.yaml, or else with its defaults.

    ``kube_version`` is what templates are told that the cluster has, such as `1.36`; Helm's own default otherwise.
    """
    rendered = Rendered()
    told = [f"--kube-version=v{kube_version}.0"] if kube_version is not None else []
    refused: dict[str, list[Values]] = {}
    for one in _runs(chart, values):
        options = [*(f"--values={file}" for file in one.files), *(f"--set={given}" for given in one.sets), *told]
        try:
            done = run([program, "template", "crdlint", os.path.abspath(chart), "--include-crds", *options])
        except ProgramError as error:
            rendered.problems.append(f"{error}{_with(one)}: {_INSTEAD}")
            break
        if done.status:
            refused.setdefault(_reason(done.errors), []).append(one)
            continue
        for path, document in _documents(done.output):
            known = rendered.documents.setdefault(path, [])
            if document not in known:
                known.append(document)
    rendered.problems += [_said(reason, with_, chart) for reason, with_ in refused.items()]
    return rendered


def _runs(chart: str, values: Values) -> list[Values]:
    if values.files:
        return [values]
    folder = os.path.join(chart, "ci")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    files = [os.path.join(folder, name) for name in names if name.endswith(("-values.yaml", "-values.yml"))]
    return [Values((file,), values.sets) for file in files] or [values]


def _with(*values: Values) -> str:
    """Return how values are named: by their files."""
    files = [", ".join(one.files) for one in values if one.files]
    if not files:
        return ""
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f" with {files[0]}{more}"


# What Helm says that has a way out, and that way.
_WAYS_OUT: Final = (
    ("missing in charts/", "`helm dependency build {chart}` brings what it depends on"),
    ("dependency", "`helm dependency build {chart}` brings what it depends on"),
    ("library charts are not installable", "what includes this library is checked"),
    ("no such file or directory", "--values names a file that is there"),
)


def _reason(errors: str) -> str:
    """Return in short why Helm does not render a chart."""
    at = errors.rfind("Error: ")
    said = errors[at + len("Error: ") if at >= 0 else 0 :]
    return shortened(said.replace("Use --debug flag to render out invalid YAML", ""), _LONGEST) or "it says nothing"


def _said(reason: str, values: Sequence[Values], chart: str) -> str:
    """Return what is said of a chart that Helm does not render with some values, and the way out where there is one."""
    way = next((way.format(chart=chart) for mark, way in _WAYS_OUT if mark in reason), None)
    hint = f" ({way})" if way else ""
    return f"helm does not render {chart}{_with(*values)}: {reason}{hint}; {_INSTEAD}"


def _documents(output: str) -> Iterator[tuple[str, str]]:
    """Yield the path below the chart, and the text, of each document with a CRD."""
    for text in _SPLIT.split(output):
        source = _SOURCE.search(text)
        if source is not None and "CustomResourceDefinition" in text:
            yield source[1].partition("/")[2], text[source.end() + 1 :]


def check_rendered(path: str, text: str, documents: Sequence[str], lint: Lint) -> FileResult:
    """Judge what a template renders to, positions mapped back to it; what is found twice is told once."""
    template = text.split("\n")
    parts = _Parts(text)
    found: dict[tuple[str, int, str], Diagnostic] = {}
    crds: dict[str, CRD] = {}
    first: FileResult | None = None
    for document in documents:
        result = lint(document, path)
        first = first or result
        lines = document.split("\n")
        start, end = parts.of(document)
        places = [None if at is None else at + start for at in align(lines, template[start:end])]
        for crd in result.crds:
            crds.setdefault(crd.name, CRD(crd.name, _line(places, crd.line, start)))
        for one in result.diagnostics:
            mapped = _mapped(one, lines, template, places, start)
            found.setdefault((mapped.rule, mapped.line, mapped.message), mapped)
    assert first is not None  # noqa: S101  the caller has documents
    # Definitions and rules know places in what was rendered, not in the template.
    return replace(
        first, text=text, crds=tuple(crds.values()), diagnostics=tuple(found.values()), definitions=(), rules=()
    )


class _Parts:
    """The documents of a template by the names in them: what a rendered one is to be compared with."""

    def __init__(self, text: str) -> None:
        self._whole = 0, text.count("\n") + 1
        starts = [0, *(match.end() for match in _DOCUMENT.finditer(text)), len(text)]
        self._by_name: dict[str, tuple[int, int] | None] = {}
        line = 0
        for start, end in pairwise(starts):
            lines = text.count("\n", start, end)
            for name in {match[0].strip() for match in _NAME.finditer(text, start, end)}:
                self._by_name[name] = None if name in self._by_name else (line, line + lines + 1)
            line += lines

    def of(self, document: str) -> tuple[int, int]:
        """Return the lines (from 0, the last not within) of the only one with a rendered document's name, else all."""
        name = _NAME.search(document)
        return (self._by_name.get(name[0].strip()) if name else None) or self._whole


def _line(places: Sequence[int | None], line: int, start: int) -> int:
    """Return the line (1-based) of the template that a rendered one comes from, or the nearest above that has one."""
    at = min(line, len(places)) - 1
    while at >= 0 and places[at] is None:
        at -= 1
    found = places[at] if at >= 0 else None
    return (start if found is None else found) + 1


def _mapped(
    one: Diagnostic, lines: Sequence[str], template: Sequence[str], places: Sequence[int | None], start: int
) -> Diagnostic:
    """Return a finding at its place in the template; one in a line that Helm makes at what makes it, and say so."""
    exact = one.line <= len(places) and places[one.line - 1] is not None
    line = _line(places, one.line, start)
    text = template[line - 1]
    if not exact:
        made = lines[one.line - 1].strip() if one.line <= len(lines) else ""
        filled = _filled(one.line, made, template, places, line)
        where = "of" if filled else "below"
        line, column, end_column = filled or (line, _indent(text) + 1, len(text.rstrip()) + 1)
        help_ = f"{one.help or ''} (in what Helm makes {where} this line: {shortened(made, _LONGEST)})".strip()
        return replace(one, line=line, column=column, end_line=line, end_column=end_column, help=help_)
    shift = _indent(text) - _indent(lines[one.line - 1])
    end_line = _line(places, one.end_line, start)
    if end_line < line or (end_line == line and one.end_line != one.line):
        return replace(one, line=line, column=one.column + shift, end_line=line, end_column=len(text.rstrip()) + 1)
    return replace(
        one, line=line, column=one.column + shift, end_line=end_line, end_column=max(one.end_column + shift, 1)
    )


def _filled(
    line: int, made: str, template: Sequence[str], places: Sequence[int | None], above: int
) -> tuple[int, int, int] | None:
    """Return where the directives stand that fill in a rendered line: line, column, end column; None where that is not sure.

    It is the only template line between the neighbours that are sure (``above`` is the first, 1-based) which is equal
    but for its directives.
    """
    below = next((at for at in places[line:] if at is not None), len(template))
    found = []
    for number in range(above + 1, below + 1):
        text = template[number - 1]
        if "{{" in text and text.strip() and not text.strip().startswith("{{"):
            pattern = ".*".join(re.escape(part) for part in _DIRECTIVE.split(text.strip()))
            if re.fullmatch(pattern, made):
                found.append((number, text.index("{{") + 1, text.rindex("}}") + 3 if "}}" in text else len(text) + 1))
    return found[0] if len(found) == 1 else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
