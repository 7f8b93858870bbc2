"""Files of charts on their way through the check: rendered where Helm is there, masked where it is not."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crdlint.charts.helm import Rendered, Values, check_rendered, helm, render
from crdlint.charts.layout import CRDS, TEMPLATES, Layout
from crdlint.charts.rules import KUBE_VERSION
from crdlint.charts.templates import check_template, check_unrendered
from crdlint.diagnostics import Diagnostic
from crdlint.linter import FileResult

if TYPE_CHECKING:
    from crdlint.charts.layout import Place
    from crdlint.charts.templates import Lint


@dataclass(frozen=True, slots=True)
class ChartVersions:
    """The versions of Kubernetes that a chart supports, in the form of `--kube-version`, and what is wrong with them."""

    versions: str | None
    problem: Diagnostic | None = None


@dataclass(slots=True)
class Charts:
    """The charts of a run: each is rendered once, when the first of its templates is checked.

    ``uses_helm`` is false where templates are to be read with their directives masked whether or not Helm is there.
    """

    values: Values = field(default_factory=Values)
    uses_helm: bool = True
    _layout: Layout = field(default_factory=Layout)
    _rendered: dict[str, Rendered | None] = field(default_factory=dict)
    _versions: dict[str, ChartVersions] = field(default_factory=dict)

    def place(self, path: str) -> Place | None:
        """Return where a file is in a chart, None where it is in none."""
        return self._layout.place(path)

    def versions(self, chart: str) -> ChartVersions:
        """Return the versions of Kubernetes that a chart supports, by its Chart.yaml."""
        if chart not in self._versions:
            self._versions[chart] = _chart_versions(os.path.join(chart, "Chart.yaml"))
        return self._versions[chart]

    def check(self, path: str, text: str, place: Place, lint: Lint) -> FileResult:
        """Judge a file of a chart."""
        if place.part == CRDS:
            return check_unrendered(path, text, lint)
        if place.part != TEMPLATES:
            return lint(text, path)
        rendered = self._of(place.chart) if "{{" in text else None
        inside = place.path.replace(os.sep, "/")
        if rendered is None:
            return check_template(path, text, lint)
        notices = tuple(rendered.problems[:1])
        documents = rendered.documents.get(inside)
        if documents:
            result = check_rendered(path, text, documents, lint)
        else:
            result = check_template(path, text, lint)
            if not rendered.problems and result.crds:
                notices = ("no CRD comes of this template with the values given: it was read without Helm",)
        return replace(result, notices=(*result.notices, *notices))

    def _of(self, chart: str) -> Rendered | None:
        program = helm() if self.uses_helm else None
        if program is None:
            return None
        if chart not in self._rendered:
            self._rendered[chart] = render(chart, self.values, program)
        return self._rendered[chart]


def _chart_versions(path: str) -> ChartVersions:
    from crdlint.charts.kube_version import ConstraintError, range_of
    from crdlint.crd.positions import node_span
    from crdlint.yaml.nodes import Mapping, Scalar
    from crdlint.yaml.parse import parse_first

    try:
        with open(path, encoding="utf-8") as file:
            root = parse_first(file.read()).root
    except (OSError, UnicodeDecodeError):
        return ChartVersions(None)
    found = root.find("kubeVersion") if isinstance(root, Mapping) else None
    if found is None or not isinstance(found[1], Scalar):
        return ChartVersions(None)
    span = node_span(found[1], 0)
    try:
        versions = range_of(found[1].value)
        message = f"no version of Kubernetes that crdlint knows satisfies kubeVersion {found[1].value!r}"
    except ConstraintError as error:
        versions, message = None, f"kubeVersion: {error}"
    if versions is not None:
        return ChartVersions(versions)
    problem = Diagnostic(
        "crdlint", "advice", KUBE_VERSION.id, KUBE_VERSION.severity, message, detail=message, file=path, line=span.line,
        column=span.column, end_line=span.end_line, end_column=span.end_column, help=KUBE_VERSION.help,
    )  # fmt: skip
    return ChartVersions(None, problem)
