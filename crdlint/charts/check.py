"""Files of charts on their way through the check: rendered where Helm is there, masked where it is not."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from crdlint.charts.helm import Rendered, Values, check_rendered, helm, render
from crdlint.charts.layout import CRDS, TEMPLATES
from crdlint.charts.rules import KUBE_VERSION
from crdlint.charts.templates import check_template, check_unrendered
from crdlint.diagnostics import Diagnostic
from crdlint.linter import FileResult

if TYPE_CHECKING:
    from crdlint.charts.layout import Place
    from crdlint.charts.templates import Lint


@dataclass(slots=True)
class Charts:
    """The charts of a run: each is rendered once, when the first of its templates is checked.

    ``uses_helm`` is false where templates are to be read with their directives masked whether or not Helm is there.
    """

    values: Values = field(default_factory=Values)
    uses_helm: bool = True
    _rendered: dict[str, Rendered | None] = field(default_factory=dict)

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
        program = helm() if self.uses_helm and os.path.isdir(chart) else None  # a packed one is read as it is
        if program is None:
            return None
        if chart not in self._rendered:
            self._rendered[chart] = render(chart, self.values, program)
        return self._rendered[chart]


def chart_result(chart: str) -> tuple[str | None, FileResult | None]:
    """Return the versions of Kubernetes that a chart supports, as `--kube-version` has them, by its Chart.yaml.

    None where it says nothing of them, or nothing that can be kept; then with what there is to say about that.
    """
    from crdlint.charts.kube_version import ConstraintError, range_of
    from crdlint.crd.positions import node_span
    from crdlint.yaml.nodes import Mapping, Scalar
    from crdlint.yaml.parse import parse_first

    path = os.path.join(chart, "Chart.yaml")
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        root = parse_first(text).root
    except (OSError, UnicodeDecodeError):
        return None, None
    found = root.find("kubeVersion") if isinstance(root, Mapping) else None
    if found is None or not isinstance(found[1], Scalar):
        return None, None
    constraint, span = found[1].value, node_span(found[1], 0)
    message = f"no version of Kubernetes that crdlint knows satisfies kubeVersion {constraint!r}"
    try:
        versions = range_of(constraint)
    except ConstraintError as error:
        versions, message = None, f"kubeVersion: {error}"
    if versions is not None:
        return versions, None
    problem = Diagnostic(
        "crdlint", "advice", KUBE_VERSION.id, KUBE_VERSION.severity, message, detail=message, file=path, line=span.line,
        column=span.column, end_line=span.end_line, end_column=span.end_column, help=KUBE_VERSION.help,
    )  # fmt: skip
    return None, FileResult(path, text, 1, (), 0, (problem,))
