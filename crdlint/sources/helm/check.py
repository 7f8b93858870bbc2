"""The check of files of charts: rendered if Helm is available, else masked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Final, NamedTuple, Protocol

from crdlint.crd.positions import node_span
from crdlint.files.read import text_if_readable
from crdlint.kubernetes.servers import NEWEST, range_of
from crdlint.linting.result import FileResult, Lint, LintWith
from crdlint.rules.deployment import BRACES, KUBE_VERSION, SKIPPED
from crdlint.safety.programs import end_running, find
from crdlint.sources.helm.failures import Failure, LeftOut, explained
from crdlint.sources.helm.layout import (
    CHART,
    CRDS,
    DEFAULTS,
    TEMPLATES,
    ChartLayout,
    ChartLocation,
    HelmValues,
    inside,
    is_rendered,
    outermost,
)
from crdlint.sources.helm.masking import mask
from crdlint.sources.helm.render import Helm, Rendered, chart_digest, helm, render, render_manifest
from crdlint.sources.helm.rendered import check_rendered
from crdlint.sources.helm.templates import analyse, check_template, check_unrendered, template_findings, with_crds
from crdlint.yaml.nodes import Scalar, child
from crdlint.yaml.parse import parse_first

_KIND: Final = "kind: CustomResourceDefinition"


class Results(Protocol):
    """A cache of results by the content that they depend on."""

    def key(self, data: bytes, options: str) -> str:
        """Return the key of some content and options."""

    def get(self, key: str, file: str, text: str) -> FileResult | None:
        """Return the result for a key, with a file name and text, or None."""

    def put(self, key: str, result: FileResult) -> None:
        """Store a result."""


class ChartFile(NamedTuple):
    """A file of a chart; its text may differ from the file on disk if not `is_saved`."""

    path: str
    text: str
    location: ChartLocation
    is_saved: bool = True

    @property
    def template(self) -> str:
        """Its path within the outermost chart that contains it."""
        return inside(self.location, outermost(self.location.chart))


@dataclass(slots=True)
class _Chart:
    """A chart of the run: why it is not rendered as a whole, until that is reported, and its rendered documents.

    `digest` covers all inputs of rendering it, None if its results are not cached.
    """

    digest: bytes | None
    problem: str | None = None
    failures: Sequence[Failure] = ()
    rendered: Rendered | None = None


@dataclass(slots=True)
class Charts:
    """The charts of a run: each is rendered once, if a template is checked whose result is not in `cache`.

    Without `values`, templates are checked with their directives masked even if Helm is on the PATH. `expected` are
    charts that will be rendered: up to `workers` at a time, as soon as one is needed. `failures` are those of charts that
    Helm does not render, which the caller reports.
    """

    values: HelmValues | None = DEFAULTS
    cache: Results | None = None
    expected: tuple[str, ...] = ()
    workers: int = 1
    failures: list[Failure] = field(default_factory=list)
    _charts: dict[str, _Chart | None] = field(default_factory=dict)
    _layout: ChartLayout = field(default_factory=ChartLayout)

    def check(
        self, file: ChartFile, lint: Lint, versions: str = "", *, lint_with: LintWith | None = None
    ) -> FileResult:
        """Return the result of a file for some versions of Kubernetes, which `lint` checks for.

        `lint_with` is set if the result depends on the values files with which a document is rendered. A template whose
        text differs from the file on disk is checked without Helm.
        """
        path, text, location = file.path, file.text, file.location
        is_template = location.part == TEMPLATES and "{{" in text
        chart = self._of(outermost(location.chart)) if is_template and file.is_saved else None
        key = self._key(file, versions, chart)
        result = self.cache.get(key, path, text) if self.cache is not None and key is not None else None
        if result is None:
            result = self._checked(file, lint, lint_with, chart)
            if self.cache is not None and key is not None:
                self.cache.put(key, result)
        elif is_template:
            result = replace(result, masked=mask(text).text)
        if chart is None:
            return result
        # Why a chart is not rendered is reported once, with the first of its templates.
        notices = [] if chart.problem is None else [chart.problem]
        notices += [failure.notice for failure in chart.failures if not failure.is_finding]
        self.failures += [failure for failure in chart.failures if failure.is_finding]
        chart.problem, chart.failures = None, ()
        return replace(result, notices=(*result.notices, *notices))

    def lint_template(self, path: str, text: str, lint: Lint) -> FileResult | None:
        """Return what `check` makes of a chart's template, None for another file; why a chart is not rendered is a notice."""
        location = self._layout.locate(path) if "{{" in text else None
        if location is None or location.part != TEMPLATES:
            return None
        result = self.check(ChartFile(path, text, location), lint)
        return replace(result, notices=(*result.notices, *(failure.notice for failure in self.take_failures())))

    def take_failures(self) -> list[Failure]:
        """Return the failures since the last call."""
        failures, self.failures = self.failures, []
        return failures

    def _key(self, file: ChartFile, versions: str, chart: _Chart | None) -> str | None:
        """Return the key of a file's result in the cache, or None if it is not cached."""
        if self.cache is None or (chart is not None and chart.digest is None):
            return None
        kind = file.location.part if file.location.part in {CRDS, TEMPLATES} else ""
        rendered = "" if chart is None or chart.digest is None else f"{chart.digest.hex()} {file.template}"
        options = f"chart {versions} {kind} {rendered} {find('helm') is None}"
        return self.cache.key(file.text.encode("utf-8", "surrogatepass"), options)

    def _checked(self, file: ChartFile, lint: Lint, lint_with: LintWith | None, chart: _Chart | None) -> FileResult:
        path, text, location = file.path, file.text, file.location
        if location.part == CRDS:
            return check_unrendered(path, text, lint)
        if location.part != TEMPLATES:
            return without_chart(path, text, lint)
        # Helm renders what includes a named template.
        is_named = path.endswith(".tpl") and not is_rendered(location.path)
        if chart is None or is_named:
            result = check_template(path, text, lint)
            return explained(result, lambda _: _BY_HAND) if is_named or find("helm") else result
        left_out = LeftOut(mask(text), outermost(location.chart), file.template)
        if chart.rendered is None:
            chart.rendered = render_as_installed(left_out.chart, self.values or DEFAULTS)
        documents = chart.rendered.documents.get(left_out.template)
        if documents:
            checked = check_rendered(path, text, documents, lint, lint_with)
            return _with_fixes(_with_the_rest(checked, lint, left_out), lint)
        result = check_template(path, text, lint)
        if chart.rendered.problem is not None:
            return result
        if chart.rendered.failures:
            return explained(result, lambda _: _NOT_RENDERED)
        if chart.rendered.documents and result.crds:
            result = replace(result, notices=(*result.notices, f"{_WITHOUT_CRD}. {left_out.help(result.crds[0].line)}"))
        return explained(result, left_out.help)

    def _of(self, chart: str) -> _Chart | None:
        """Return a chart that Helm renders, or None if its templates are checked without Helm, as in a packed chart."""
        from multiprocessing import parent_process

        program = find("helm") if self.values is not None and os.path.isdir(chart) else None
        if program is None:
            return None
        if chart not in self._charts:
            # Other processes expect the same charts but check only some.
            if self.workers > 1 and chart in self.expected and parent_process() is None:
                self._load_all(program)
            else:
                self._charts[chart] = self._load(chart, program)
        return self._charts[chart]

    def _load_all(self, program: str) -> None:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self.workers) as pool:
            try:
                loaded = pool.map(lambda chart: self._load(chart, program), self.expected)
                self._charts.update(zip(self.expected, loaded, strict=True))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                end_running()
                raise

    def _load(self, chart: str, program: str) -> _Chart:
        cache, values = self.cache, self.values or DEFAULTS
        digest = None if cache is None else chart_digest(chart, values, program)
        key = "" if cache is None or digest is None else cache.key(digest, f"rendered {chart}")
        cached = cache.get(key, chart, "") if cache is not None and key else None
        if cached is not None:
            return _Chart(digest, failures=[Failure.cached(chart, entry) for entry in cached.notices])
        rendered = render_as_installed(chart, values)
        if cache is not None and key and rendered.final:
            cache.put(key, FileResult(chart, notices=tuple(failure.entry for failure in rendered.failures)))
        return _Chart(digest if rendered.final else None, rendered.problem, rendered.failures, rendered)


def without_chart(path: str, text: str, lint: Lint) -> FileResult:
    """Check a file that is no template of a chart; if documents are Go templates, all are read as without Helm."""
    result = lint(text, path)
    return explained(check_template(path, text, lint), lambda _: _RENDERED) if result.templates else result


def render_as_installed(chart: str, values: HelmValues) -> Rendered:
    """Render a chart by the Helm on the PATH, for the newest version of Kubernetes that the chart supports."""
    installed, newest = _installed(chart)
    if installed.program is None:
        return Rendered(problem=installed.problem, final=False)
    return render(chart, values, installed.program, newest)


def manifest_as_installed(chart: str, values: HelmValues) -> str | None:
    """Return all that the Helm on the PATH renders of a chart, or None if it does not."""
    installed, newest = _installed(chart)
    return None if installed.program is None else render_manifest(chart, values, installed.program, newest)


def _installed(chart: str) -> tuple[Helm, str]:
    """Return the Helm on the PATH, and the newest version of Kubernetes that a chart supports."""
    support = chart_support(chart)[0]
    with _ASKING:
        return helm(), support.versions.rpartition("..")[2] if support is not None else str(NEWEST)


_ASKING: Final = Lock()  # for Helm's version, which is cached


_WITHOUT_CRD: Final = "no CRD comes of this template with the values given: it was read without Helm"
_NOT_RENDERED: Final = "`helm-render` has the reason why Helm does not render the chart"
_RENDERED: Final = "Check what is rendered: `helm template CHART | crdlint check -`"
_BY_HAND: Final = "Run `helm template --include-crds CHART | crdlint check -`"


def _with_the_rest(result: FileResult, lint: Lint, left_out: LeftOut) -> FileResult:
    """Add to the result of a rendered template the findings that do not need Helm: braces, and CRDs that were not rendered."""
    notices, crds = result.notices, result.crds
    diagnostics = [*result.diagnostics, *template_findings(result.file, result.text, left_out.masked)]
    if result.text.count(_KIND) > len(crds):
        rest = explained(check_template(result.file, result.text, lint, {crd.name for crd in crds}), left_out.help)
        analysis = analyse(mask(result.text))
        part_at = analysis.outline.part_at
        lost = {skipped.part for skipped in analysis.skipped} - {part_at(crd.line) for crd in crds}
        diagnostics += (
            finding
            for finding in rest.diagnostics
            if finding.rule != BRACES.id and (finding.rule != SKIPPED.id or part_at(finding.line) in lost)
        )
        if rest.crds:
            names = ", ".join(crd.name for crd in rest.crds)
            help_ = left_out.help(rest.crds[0].line)
            notices = (*notices, f"not rendered with the values given, read without Helm: {names}. {help_}")
        result = with_crds(result, rest)
    return replace(result, diagnostics=tuple(diagnostics), notices=notices, masked=left_out.masked.text)


def _with_fixes(result: FileResult, lint: Lint) -> FileResult:
    """Add to the findings of a rendered template the fixes of its own text, which are those of the check without Helm."""
    if not result.diagnostics:
        return result
    findings, own = result.diagnostics, check_template(result.file, result.text, lint).diagnostics
    fixes = {(each.rule, each.line, each.column): each.fix for each in own if each.fix is not None}
    with_fixes = (replace(each, fix=each.fix or fixes.get((each.rule, each.line, each.column))) for each in findings)
    return replace(result, diagnostics=tuple(with_fixes))


@dataclass(frozen=True, slots=True)
class Support:
    """The versions of Kubernetes that a chart supports: its kubeVersion, and as a value of `--kube-version`."""

    constraint: str
    versions: str


def chart_support(chart: str) -> tuple[Support | None, FileResult | None]:
    """Return the supported versions of Kubernetes in the Chart.yaml of a chart.

    The support is None if it is not specified or not satisfiable; the result then contains findings about that.
    """
    path = os.path.join(chart, CHART)
    text = text_if_readable(path)
    return (None, None) if text is None else support_of(path, text)


def support_of(path: str, text: str) -> tuple[Support | None, FileResult | None]:
    """Return what `chart_support` does, for the text of a Chart.yaml."""
    from crdlint.kubernetes.constraints import ConstraintError

    value = child(parse_first(text).root, "kubeVersion")
    if not isinstance(value, Scalar):
        return None, None
    constraint, span = value.value, node_span(value, 0)
    message = f"no version of Kubernetes that crdlint knows satisfies kubeVersion {constraint!r}"
    try:
        versions = range_of(constraint)
    except ConstraintError as error:
        versions, message = None, f"kubeVersion: {error}"
    if versions is not None:
        return Support(constraint, str(versions)), None
    finding = KUBE_VERSION.diagnostic(path, "advice", message, span)
    return None, FileResult(path, text, documents=1, diagnostics=(finding,))
