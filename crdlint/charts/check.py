"""Files of charts on their way through the check: rendered where Helm is there, masked where it is not."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from crdlint.charts.helm import Rendered, Values, helm, render
from crdlint.charts.layout import CRDS, TEMPLATES, outermost
from crdlint.charts.masking import mask
from crdlint.charts.rendered import check_rendered
from crdlint.charts.rules import BRACES, KUBE_VERSION, SKIPPED
from crdlint.charts.templates import check_template, check_unrendered, template_findings
from crdlint.kubecel.versions import LATEST
from crdlint.results import FileResult

if TYPE_CHECKING:
    from crdlint.charts.layout import Place
    from crdlint.charts.templates import Lint

_KIND: Final = "kind: CustomResourceDefinition"


@dataclass(slots=True)
class Charts:
    """The charts of a run: each is rendered once, when the first of its templates is checked.

    ``uses_helm`` is false where templates are to be read with their directives masked whether or not Helm is there.
    """

    values: Values = field(default_factory=Values)
    uses_helm: bool = True
    _rendered: dict[str, Rendered | None] = field(default_factory=dict)

    def check(self, path: str, text: str, place: Place, lint: Lint, *, is_saved: bool = True) -> FileResult:
        """Check a file of a chart. A template whose text is not that of the file on disk is read without Helm."""
        if place.part == CRDS:
            return check_unrendered(path, text, lint)
        if place.part != TEMPLATES:
            return lint(text, path)
        whole = outermost(place.chart)
        rendered = self._of(whole) if is_saved and "{{" in text else None
        if rendered is None:
            return check_template(path, text, lint)
        # What keeps a chart from being rendered is told once, with the first of its templates.
        told, rendered.problems = tuple(rendered.problems), []
        inside = os.path.join(os.path.relpath(place.chart, whole), place.path)
        documents = rendered.documents.get(os.path.normpath(inside).replace(os.sep, "/"))
        if documents:
            result = _with_the_rest(check_rendered(path, text, documents, lint), lint)
        else:
            result = check_template(path, text, lint)
            if rendered.documents and result.crds:
                told = (*told, "no CRD comes of this template with the values given: it was read without Helm")
        return replace(result, notices=(*result.notices, *told))

    def _of(self, chart: str) -> Rendered | None:
        """Return what a chart renders to; None where it is to be read as it is, as a packed one always is."""
        if not self.uses_helm or not os.path.isdir(chart):
            return None
        if chart not in self._rendered:
            found = helm()
            if found.program is None:
                self._rendered[chart] = Rendered(problems=[found.problem]) if found.problem else None
            else:
                support = chart_support(chart)[0]
                newest = support.versions.rpartition("..")[2] if support is not None else f"{LATEST[0]}.{LATEST[1]}"
                self._rendered[chart] = render(chart, self.values, found.program, newest)
        return self._rendered[chart]


def _with_the_rest(result: FileResult, lint: Lint) -> FileResult:
    """Add to what was rendered of a template what can be told without Helm: braces, and CRDs that the values leave out."""
    masked = mask(result.text)
    notices = result.notices
    diagnostics = (*result.diagnostics, *template_findings(result.file, result.text, masked))
    crds = result.crds
    if result.text.count(_KIND) > len(crds):
        rest = check_template(result.file, result.text, lint, {crd.name for crd in crds})
        # What was left out there for want of Helm is what Helm has rendered.
        said = [one for one in rest.diagnostics if one.rule not in {SKIPPED.id, BRACES.id}]
        if rest.crds:
            names = ", ".join(crd.name for crd in rest.crds)
            notices = (*notices, f"not rendered with the values given, read without Helm: {names}")
        diagnostics, crds = (*diagnostics, *said), (*crds, *rest.crds)
    return replace(result, diagnostics=diagnostics, crds=crds, notices=notices, masked=masked.text)


@dataclass(frozen=True, slots=True)
class Support:
    """The versions of Kubernetes that a chart supports: its kubeVersion, and as `--kube-version` has them."""

    constraint: str
    versions: str


def chart_support(chart: str) -> tuple[Support | None, FileResult | None]:
    """Return what a chart's Chart.yaml says of the versions of Kubernetes that it supports.

    None where it says nothing of them, or nothing that can be kept; then with what there is to say about that.
    """
    from crdlint.charts.kube_version import ConstraintError, range_of
    from crdlint.crd.positions import node_span
    from crdlint.sources.read import UnreadableError, decode, read_bytes
    from crdlint.yaml.nodes import Mapping, Scalar
    from crdlint.yaml.parse import parse_first

    path = os.path.join(chart, "Chart.yaml")
    try:
        text = decode(read_bytes(path))
    except UnreadableError:
        return None, None
    root = parse_first(text).root
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
        return Support(constraint, versions), None
    return None, FileResult(path, text, 1, (), 0, (KUBE_VERSION.diagnostic(path, "advice", message, span),))
