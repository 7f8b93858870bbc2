"""Charts rendered by Helm itself, and what it renders mapped back to the templates."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Final

from crdlint.charts.align import align
from crdlint.linter import CRD

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.charts.templates import Lint
    from crdlint.diagnostics import Diagnostic
    from crdlint.linter import FileResult

_TIMEOUT: Final = 60  # seconds
_SOURCE: Final = re.compile(r"^# Source: (.+)$", re.MULTILINE)
_SPLIT: Final = re.compile(r"^---\n(?=# Source: )", re.MULTILINE)
_MAJOR: Final = re.compile(r"v?(\d+)\.")
_LONGEST: Final = 600  # characters of what Helm says


@dataclass(frozen=True, slots=True)
class Values:
    """What is passed on to Helm: files and assignments of values."""

    files: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()


@dataclass(slots=True)
class Rendered:
    """What Helm makes of a chart: by path below the chart, the documents of each template, values file by values file.

    ``problems`` say in words why some or all could not be rendered.
    """

    documents: dict[str, list[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


@cache
def helm() -> str | None:
    """Return the path of a Helm of version 3 or later, None where there is none."""
    found = shutil.which("helm")
    if found is None:
        return None
    try:
        said = subprocess.run(  # noqa: S603
            [found, "version", "--short"], capture_output=True, text=True, timeout=_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    major = _MAJOR.search(said.stdout)
    return found if major is not None and int(major[1]) >= 3 else None


def render(chart: str, values: Values, program: str) -> Rendered:
    """Render a chart: with the values given, or with each of its ci/*-values.yaml, or else with its defaults."""
    rendered = Rendered()
    for one in _runs(chart, values):
        options = [*(f"--values={file}" for file in one.files), *(f"--set={given}" for given in one.sets)]
        command = [program, "template", "crdlint", chart, "--include-crds", *options]
        try:
            done = subprocess.run(  # noqa: S603
                command,
                capture_output=True,
                text=True,
                timeout=_TIMEOUT,
                check=False,
                encoding="utf-8",
                errors="replace",
            )
        except subprocess.TimeoutExpired:
            rendered.problems.append(f"helm template took more than {_TIMEOUT} s: its CRDs are read without Helm")
            return rendered
        except OSError as error:
            rendered.problems.append(f"helm cannot be run: {error.strerror or error}")
            return rendered
        if done.returncode:
            rendered.problems.append(_said(done.stderr, one))
            continue
        for path, document in _documents(done.stdout):
            known = rendered.documents.setdefault(path, [])
            if document not in known:
                known.append(document)
    return rendered


def _runs(chart: str, values: Values) -> list[Values]:
    if values.files:
        return [values]
    folder = os.path.join(chart, "ci")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    files = [os.path.join(folder, name) for name in names if name.endswith(("-values.yaml", "-values.yml"))]
    return [Values((file,), values.sets) for file in files] or [values]


def _said(stderr: str, values: Values) -> str:
    text = " ".join(stderr.split())[:_LONGEST] or "it says nothing"
    within = f" with {', '.join(values.files)}" if values.files else ""
    hint = ""
    if "dependency" in text or "dependencies" in text:
        hint = " (helm dependency build brings what it depends on)"
    return f"helm does not render the chart{within}{hint}: {text}"


def _documents(output: str) -> Iterator[tuple[str, str]]:
    """Yield the path below the chart, and the text, of each document with a CRD."""
    for text in _SPLIT.split(output):
        source = _SOURCE.search(text)
        if source is not None and "CustomResourceDefinition" in text:
            yield source[1].partition("/")[2], text[source.end() + 1 :]


def check_rendered(path: str, text: str, documents: Sequence[str], lint: Lint) -> FileResult:
    """Judge what a template renders to, positions mapped back to it; what is found twice is told once."""
    template = text.split("\n")
    found: dict[tuple[str, int, str], Diagnostic] = {}
    crds: dict[str, CRD] = {}
    whole: FileResult | None = None
    for document in documents:
        result = lint(document, path)
        whole = whole or result
        lines = document.split("\n")
        places = align(lines, template)
        for crd in result.crds:
            crds.setdefault(crd.name, CRD(crd.name, _line(places, crd.line)))
        for one in result.diagnostics:
            mapped = _mapped(one, lines, template, places)
            found.setdefault((mapped.rule, mapped.line, mapped.message), mapped)
    assert whole is not None  # noqa: S101  the caller has documents
    diagnostics = sorted(found.values(), key=lambda one: (one.line, one.column))
    return replace(whole, text=text, crds=tuple(crds.values()), diagnostics=tuple(diagnostics))


def _line(places: Sequence[int | None], line: int) -> int:
    """Return the line (1-based) of the template that a rendered one comes from, or the nearest above that has one."""
    at = min(line, len(places)) - 1
    while at >= 0 and places[at] is None:
        at -= 1
    found = places[at] if at >= 0 else None
    return 1 if found is None else found + 1


def _mapped(one: Diagnostic, lines: Sequence[str], template: Sequence[str], places: Sequence[int | None]) -> Diagnostic:
    """Return a finding at its place in the template; one in a line that is made by Helm at the line above it."""
    exact = one.line <= len(places) and places[one.line - 1] is not None
    line = _line(places, one.line)
    if not exact:
        width = len(template[line - 1])
        message = f"{one.help or ''} (in a line that Helm makes here)".strip()
        return replace(one, line=line, column=1, end_line=line, end_column=width + 1, help=message)
    shift = _indent(template[line - 1]) - _indent(lines[one.line - 1])
    end_line = _line(places, one.end_line)
    if end_line == line and one.end_line != one.line:
        return replace(one, line=line, column=one.column + shift, end_line=line, end_column=len(template[line - 1]) + 1)
    return replace(
        one, line=line, column=one.column + shift, end_line=end_line, end_column=max(one.end_column + shift, 1)
    )


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
