"""The check of files of charts: rendered if Helm is available, else masked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from threading import Lock
from typing import TYPE_CHECKING, Final, Protocol

from crdlint.crd.positions import node_span
from crdlint.files.paths import has_yaml_suffix
from crdlint.files.read import readable_text, text_if_readable
from crdlint.files.recognition import CRD_KIND, groups_in, may_hold_crd
from crdlint.gathering import partitioned
from crdlint.kubernetes.servers import NEWEST_ALONE, Range, Server, range_of
from crdlint.light import NamedTuple, dataclass, replace
from crdlint.linting.result import CRDPlace, FileResult, Lint
from crdlint.rules.advice.deployment import BRACES, KUBE_VERSION, SKIPPED
from crdlint.safety.programs import end_running, find
from crdlint.sources.helm.chart import Chart, load_archive, load_folder
from crdlint.sources.helm.chart_values import holds
from crdlint.sources.helm.contents import ChartContents, contents_of
from crdlint.sources.helm.failures import Failure, LeftOut, explained
from crdlint.sources.helm.findings import (
    CopyOfCRD,
    as_sent_by_helm,
    conflicts_of,
    copies_between,
    copies_of,
    findings_of,
    packed,
    results_of,
    unpacked,
)
from crdlint.sources.helm.gates import asks_for_version, names_that_ask
from crdlint.sources.helm.known_values import KnownValues
from crdlint.sources.helm.layout import (
    CHART,
    CRDS,
    DEFAULTS,
    TEMPLATES,
    ChartLayout,
    ChartLocation,
    HelmValues,
    inside,
    is_archive,
    is_rendered,
    outermost,
)
from crdlint.sources.helm.masking import known_span, mask, variables_of
from crdlint.sources.helm.render import (
    Rendered,
    RenderedDocument,
    chart_digest,
    helm,
    render,
    render_manifest,
)
from crdlint.sources.helm.rendered import LintsOf, check_rendered
from crdlint.sources.helm.templates import (
    VersionGates,
    analyse,
    check_named,
    check_template,
    check_unrendered,
    template_findings,
    with_crds,
    with_own_fix,
)
from crdlint.yaml.nodes import Scalar, child
from crdlint.yaml.parse import parse_first

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic


class Results(Protocol):
    """A cache of results by the content that they depend on."""

    def key(self, data: bytes, options: str) -> str:
        """Return the key of some content and options."""

    def get(self, key: str, file: str, text: str) -> FileResult | None:
        """Return the result for a key, with a file name and text, or None."""

    def put(self, key: str, result: FileResult) -> None:
        """Store a result."""


class ChartFile(NamedTuple):
    """A file of a chart; its text may differ from the file on disk if not `is_saved`.

    `server` is the one that it is checked for, None if these are several.
    """

    path: str
    text: str
    location: ChartLocation
    is_saved: bool = True
    server: Server | None = None

    @property
    def template(self) -> str:
        """Its path within the outermost chart that contains it."""
        return inside(self.location, outermost(self.location.chart))


@dataclass(slots=True)
class _Chart:
    """A chart of the run: its model, and what Helm makes of it.

    - `digest`: covers all inputs of rendering it, None if its results are not cached
    - `problem`, `failures`: why it is not rendered as a whole, until that is reported
    - `documents`: the rendered ones by the names of their files, None until they are needed
    - `templates`: the files that have any
    - `manifests`: all documents, if they are not cached
    - `findings`: those about the chart
    """

    model: Chart
    digest: bytes | None
    is_rendered: bool = False
    problem: str | None = None
    failures: Sequence[Failure] = ()
    documents: Mapping[str, Sequence[RenderedDocument]] | None = None
    templates: tuple[str, ...] = ()
    manifests: Mapping[str, Sequence[str]] = field(default_factory=dict)
    findings: tuple[Diagnostic, ...] = ()
    contents: Sequence[ChartContents] = ()
    copies: tuple[CopyOfCRD, ...] = ()
    conflicts: tuple[frozenset[CRDPlace], ...] = ()
    is_broken_by_values: bool = False  # those that the user chose
    known_values: KnownValues | None = None

    @property
    def asking_templates(self) -> frozenset[str]:
        """The names of the named templates that ask for the version of Kubernetes."""
        if self._asking is None:
            self._asking = names_that_ask(self.model)
        return self._asking

    def gates(self, file: ChartFile) -> VersionGates:
        """Return what is known of the conditions of a file on the version of Kubernetes."""
        return VersionGates(self.asking_templates, file.server)

    _asking: frozenset[str] | None = None


# The chart of files that are not checked with theirs; the digest is that of no inputs.
_WITHOUT_CHART: Final = _Chart(Chart("", "", "", {}, {}, {}), b"")


@dataclass(slots=True)
class Charts:
    """The charts of a run: each is rendered once, if a template is checked whose result is not in `cache`.

    Without `values`, templates are checked with their directives masked even if Helm is on the PATH. `versions` are charts
    that will be rendered, with the versions of Kubernetes: up to `workers` at a time, as soon as one is needed. `failures`
    are those of charts that Helm does not render, which the caller reports. With `defaults`, charts are rendered with their own
    values besides those of `ci/`. `models` are charts that are loaded already; each is taken from there.
    """

    values: HelmValues | None = DEFAULTS
    cache: Results | None = None
    versions: Mapping[str, Range] = field(default_factory=dict)
    workers: int = 1
    defaults: bool = False
    failures: list[Failure] = field(default_factory=list)
    models: dict[str, Chart] = field(default_factory=dict)
    _charts: dict[str, _Chart] = field(default_factory=dict)
    _layout: ChartLayout = field(default_factory=ChartLayout)

    def check(
        self,
        file: ChartFile,
        lint: Lint,
        versions: str = "",
        *,
        lints: LintsOf | None = None,
    ) -> FileResult:
        """Return the result of a file for some versions of Kubernetes, which `lint` checks for.

        `lints` returns the checks of a rendered document, if those depend on its values file or its versions. A template whose text
        differs from the file on disk is checked without Helm.
        """
        path, text, location = file.path, file.text, file.location
        may_depend = "{{" in text or not is_rendered(location.path)
        is_template = location.part == TEMPLATES and may_depend
        is_of_chart = is_template and file.is_saved
        chart = self.of(outermost(location.chart)) if is_of_chart else _WITHOUT_CHART
        key = self._key(file, versions, chart)
        result = self._cached(key, path, text)
        if result is None:
            result = as_sent_by_helm(self._checked(file, lint, lints, chart), location.part)
            self._store(key, result)
        elif is_template:
            result = replace(result, masked=mask(text).text)
        return self._with_failures(result, chart)

    def _cached(self, key: str | None, file: str, text: str) -> FileResult | None:
        """Return the cached result for a key; without a key there is none."""
        return None if self.cache is None or key is None else self.cache.get(key, file, text)

    def _store(self, key: str | None, result: FileResult) -> None:
        """Store the result for a key; without a key it is not cached."""
        if self.cache is not None and key is not None:
            self.cache.put(key, result)

    def _with_failures(self, result: FileResult, chart: _Chart) -> FileResult:
        """Add to a result why its chart is not rendered, once for the chart."""
        findings, others = partitioned(chart.failures, lambda failure: failure.is_finding)
        notices = [*filter(None, [chart.problem]), *(failure.notice for failure in others)]
        self.failures += findings
        chart.problem, chart.failures = None, ()
        return replace(result, notices=(*result.notices, *notices))

    def lint_template(self, path: str, text: str, lint: Lint) -> FileResult | None:
        """Return what `check` makes of a chart's template, None for another file; why a chart is not rendered is a notice."""
        location = self._layout.template_at(path) if "{{" in text else None
        if location is None:
            return None
        result = self.check(ChartFile(path, text, location), lint)
        return replace(
            result, notices=(*result.notices, *(failure.notice for failure in self.take_failures()))
        )

    def unpacked(self, archive: str) -> Chart:
        """Return a packed chart; its problems are why files of it cannot be read."""
        if archive not in self.models:
            self.models[archive] = load_archive(archive)
        return self.models[archive]

    def expanded(self, path: str, problem: Callable[[str, str], None]) -> Iterator[str]:
        """Yield a path, or the files of a packed chart that may have CRDs; `problem` gets those that cannot be read."""
        if not is_archive(path):
            yield path
            return
        chart = self.unpacked(path)
        for file, message in chart.problems:
            problem(file, message)
        for each in chart.all_files():
            if has_yaml_suffix(each.name) and may_hold_crd(each.data):
                yield each.shown

    def packed_text(self, path: str) -> str | None:
        """Return the text of a file of a packed chart, or None for another path."""
        location = self._layout.locate(path)
        if location is None or not is_archive(location.chart):
            return None
        return self.text_of(location.chart, path)

    def text_of(self, chart: str, path: str) -> str | None:
        """Return the text of a file of a chart, or None."""
        files = self.of(chart).model.all_files()
        return next((file.text for file in files if file.shown == path), None)

    def manifests(self, path: str) -> Sequence[str] | None:
        """Return the documents that Helm renders of a file of a chart; None if it is no template, or they are not known."""
        location = self._layout.template_at(path)
        if location is None:
            return None
        chart = self.of(outermost(location.chart))
        if chart.failures:
            return None
        if not chart.is_rendered:
            return self._known_manifest(chart, path)
        return chart.manifests.get(os.path.normpath(path), ())

    def _known_manifest(self, chart: _Chart, path: str) -> list[str] | None:
        """Return what Helm renders of a template that has only known values and conditions that hold, else None."""
        name = os.path.normpath(path)
        owner = chart.model.owner_of(name)
        values = None if owner is None else self._values_of(chart).of(owner)
        if owner is None or values is None:
            return None
        text = next(file.text for file in owner.files.values() if file.shown == name)
        masked = mask(self._values_of(chart).filled(owner, text))
        variables = variables_of(text)

        def is_true(condition: str) -> bool | None:
            return holds(condition, values, variables)

        is_known = not (masked.outputs or masked.broken or masked.defined)
        return (
            [masked.text] if is_known and all(b.is_kept(is_true) for b in masked.blocks) else None
        )

    def take_failures(self) -> list[Failure]:
        """Return the failures since the last call."""
        failures, self.failures = self.failures, []
        return failures

    def results(self, chart: str) -> list[FileResult]:
        """Return the results about a chart as a whole, and why Helm does not render it if no template has reported that."""
        loaded = self.of(chart)
        failures, loaded.failures = [each for each in loaded.failures if each.is_finding], ()
        loaded.is_broken_by_values = any(failure.is_chosen for failure in failures)
        results = results_of(loaded.model, loaded.findings)
        texts = [file.data for _, file in loaded.model.all_templates()] if failures else []
        has_crds, has_objects = any(map(may_hold_crd, texts)), any(map(groups_in, texts))
        of_failures = (
            failure.result(has_crds=has_crds, has_objects=has_objects) for failure in failures
        )
        return [*results, *of_failures]

    def copies(self) -> list[FileResult]:
        """Return the findings about CRDs of which several charts of the run have different copies."""
        charts = (self.of(chart).copies for chart in self.versions)
        return copies_between(charts, readable_text)

    def conflicts(self) -> list[frozenset[CRDPlace]]:
        """Return the sets of CRDs that a chart of the run creates together and that have a name in common."""
        return [conflict for chart in self.versions for conflict in self.of(chart).conflicts]

    def contents(self, chart: str) -> Sequence[ChartContents]:
        """Return the contents of a chart, for each set of values that it is rendered with; without a cache only."""
        return self.of(chart).contents

    def _key(self, file: ChartFile, versions: str, chart: _Chart) -> str | None:
        """Return the key of a file's result in the cache, or None if it is not cached."""
        if self.cache is None or chart.digest is None:
            return None
        kind = file.location.part if file.location.part in {CRDS, TEMPLATES} else ""
        rendered = f"{chart.digest.hex()} {file.template}" if chart.digest else ""
        options = f"chart {versions} {kind} {rendered} {find('helm') is None}"
        return self.cache.key(file.text.encode("utf-8", "surrogatepass"), options)

    def _checked(
        self,
        file: ChartFile,
        lint: Lint,
        lints: LintsOf | None,
        chart: _Chart,
    ) -> FileResult:
        path, text, location = file.path, file.text, file.location
        if location.part == CRDS:
            return check_unrendered(path, text, lint)
        if location.part != TEMPLATES:
            return without_chart(path, text, lint)
        if not is_rendered(location.path) or _is_of_library(chart, path):
            return self._named(file, lint, chart)
        if not chart.is_rendered:
            return self._without_helm(file, lint, chart)
        return self._rendered(file, lint, lints, chart)

    def _rendered(
        self,
        file: ChartFile,
        lint: Lint,
        lints: LintsOf | None,
        chart: _Chart,
    ) -> FileResult:
        """Return the result of a template of a chart that Helm renders: of what it prints, or else of the text without Helm."""
        path, text, outer = file.path, file.text, outermost(file.location.chart)
        documents = self._documents(outer, chart).get(path)
        left_out = LeftOut(mask(text), outer, file.template)
        if documents:
            checked = check_rendered(
                path,
                text,
                documents,
                lint,
                lints,
                lambda: check_template(path, text, lint).diagnostics,
            )
            return _with_the_rest(checked, lint, left_out, chart.gates(file))
        result = check_template(path, text, lint, gates=chart.gates(file))
        if chart.problem is not None or chart.failures:
            return explained(result, lambda _: _NOT_RENDERED)
        if chart.templates and result.crds:
            notice = f"{_WITHOUT_CRD}. {left_out.help(result.crds[0].line)}"
            result = replace(result, notices=(*result.notices, notice))
        return explained(result, left_out.help)

    def _without_helm(self, file: ChartFile, lint: Lint, chart: _Chart) -> FileResult:
        """Return the result of a template that Helm does not render, or that is not the one on disk."""
        path, text = file.path, file.text
        owner = chart.model.owner_of(os.path.normpath(path))
        filled = self._values_of(chart).filled(owner, text)
        checked = check_template(
            path,
            filled,
            lint,
            gates=chart.gates(file),
        )
        result = _of_original(checked, text, filled)
        return explained(result, lambda _: _BY_HAND) if find("helm") else result

    @property
    def _values(self) -> HelmValues:
        """The values of charts, which also count without Helm."""
        return self.values or DEFAULTS

    def _values_of(self, chart: _Chart) -> KnownValues:
        if chart.known_values is None:
            chart.known_values = KnownValues(chart.model, self._values)
        return chart.known_values

    def _named(self, file: ChartFile, lint: Lint, chart: _Chart) -> FileResult:
        """Return the result of a file that Helm does not render by itself: CRDs in named templates are checked where included."""
        result = check_named(file.path, file.text, lint)
        if chart.templates:
            return replace(result, diagnostics=())
        return explained(result, lambda _: _BY_HAND)

    def _documents(self, path: str, chart: _Chart) -> Mapping[str, Sequence[RenderedDocument]]:
        """Return the rendered documents of a chart by their files; render it if only its cached results are known."""
        if chart.documents is None:
            rendered = self._render(path, chart.model)
            chart.documents = files_of(chart.model, rendered)
        return chart.documents

    def of(self, chart: str) -> _Chart:
        """Return a chart; without Helm, only its model and the findings about it are known."""
        if chart not in self._charts:
            # Other processes expect the same charts but check only some.
            is_one_of_several = len(self.versions) > 1 and chart in self.versions
            if self.workers > 1 and is_one_of_several and not _is_worker():
                self._load_all()
            else:
                self._charts[chart] = self._load(chart)
        return self._charts[chart]

    def _load_all(self) -> None:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self.workers) as pool:
            try:
                loaded = pool.map(self._load, self.versions)
                self._charts.update(zip(self.versions, loaded, strict=True))
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                end_running()
                raise

    def _load(self, chart: str) -> _Chart:
        values = self._values
        program = find("helm") if self.values is not None else None
        digest = None if self.cache is None else chart_digest(chart, values, program)
        key = self._key_of_chart(chart, digest)
        model = self.models.pop(chart, None) or load_chart(chart)
        cached = self._cached(key, chart, "")
        if cached is not None:
            return _from_cache(
                chart,
                model,
                digest,
                cached,
                is_rendered=program is not None,
            )
        rendered, loaded = Rendered(), _Chart(model, digest)
        if program is not None:
            rendered = self._render(chart, model)
            loaded = _of_rendered(model, rendered, digest)
        else:
            from crdlint.sources.helm.values_schema import failures_of

            loaded.failures = failures_of(model, values)
        if model.files:
            loaded.contents = contents_of(model, rendered, values)
            loaded.findings = tuple(findings_of(model, loaded.contents, values))
            loaded.conflicts = tuple(conflicts_of(loaded.contents))
            if self.cache is not None or len(self.versions) > 1:
                loaded.copies = tuple(copies_of(loaded.contents))
        if rendered.final:
            self._store(key, _as_cached(chart, loaded))
        return loaded

    def _key_of_chart(self, chart: str, digest: bytes | None) -> str | None:
        """Return the key of what is known of a chart in the cache, or None if it is not cached."""
        if self.cache is None or digest is None:
            return None
        return self.cache.key(digest, f"rendered {chart} {self.versions.get(chart)}")

    def _render(self, chart: str, model: Chart) -> Rendered:
        versions_asked = self.versions.get(chart)
        versions = versions_of(chart) if versions_asked is None else versions_asked
        names = list(map(str, reversed(versions.servers)))
        if versions_asked is None or not asks_for_version(model):
            names = names[:1]
        return render_for(
            chart,
            self._values,
            names,
            defaults=self.defaults,
        )


def _is_worker() -> bool:
    """Return whether another process of the run has started this one."""
    from multiprocessing import parent_process

    return parent_process() is not None


def _is_of_library(chart: _Chart, path: str) -> bool:
    owner = chart.model.owner_of(path)
    return owner is not None and owner.is_library


def _of_original(result: FileResult, text: str, filled: str) -> FileResult:
    """Return the result of a text that was filled in as that of the original, without fixes of what was filled in."""
    if text == filled:
        return result
    lines, filled_lines = text.split("\n"), filled.split("\n")
    changed = {
        i: line
        for i, line in enumerate(lines, 1)
        if i > len(filled_lines) or line != filled_lines[i - 1]
    }
    findings = (with_own_fix(finding, text, filled) for finding in result.diagnostics)
    placed = (
        _at_known(finding, changed[finding.line]) if finding.line in changed else finding
        for finding in findings
    )
    return replace(result, text=text, diagnostics=tuple(placed))


def _at_known(finding: Diagnostic, line: str) -> Diagnostic:
    """Return a finding about a known value at the directives that Helm replaces with it."""
    start, end = known_span(line)
    return replace(
        finding,
        column=start + 1,
        end_line=finding.line,
        end_column=end + 1,
    )


def files_of(chart: Chart, rendered: Rendered) -> dict[str, list[RenderedDocument]]:
    """Return the documents of templates that Helm renders by the names of their files, each once."""
    names = _names_of(chart)
    documents: dict[str, list[RenderedDocument]] = {}
    for path, of_path in rendered.documents.items():
        if path in names:
            of_file = documents.setdefault(names[path], [])
            of_file += (document for document in of_path if document not in of_file)
    return documents


def manifests_of(chart: Chart, rendered: Rendered) -> dict[str, list[str]]:
    """Return the documents of templates by the names of their files, each once, whatever they are."""
    names = _names_of(chart)
    manifests: dict[str, dict[str, None]] = {}
    for run in rendered.runs.values():
        for path, text in run:
            if path in names:
                manifests.setdefault(names[path], {})[text] = None
    return {path: list(texts) for path, texts in manifests.items()}


def _names_of(chart: Chart) -> dict[str, str]:
    """Return the names of templates by the paths that Helm prints."""
    return {owner.printed(file.name): file.shown for owner, file in chart.all_templates()}


_TEMPLATE: Final = "template "


def _as_cached(chart: str, loaded: _Chart) -> FileResult:
    """Return what is known of a chart as a result for the cache, whose file is the chart."""
    from json import dumps

    notices = [failure.entry for failure in loaded.failures]
    notices += [f"{_TEMPLATE}{path}" for path in loaded.templates]
    notices += [f"{_FINDING}{dumps(packed(finding))}" for finding in loaded.findings]
    notices += [f"{_COPY}{dumps(copy)}" for copy in loaded.copies]
    notices += [f"{_CONFLICT}{dumps(sorted(conflict))}" for conflict in loaded.conflicts]
    return FileResult(chart, notices=tuple(notices))


def _from_cache(
    chart: str,
    model: Chart,
    digest: bytes | None,
    cached: FileResult,
    *,
    is_rendered: bool,
) -> _Chart:
    from json import loads

    def entries(mark: str) -> list[str]:
        return [each.removeprefix(mark) for each in cached.notices if each.startswith(mark)]

    failures = [each for each in cached.notices if not each.startswith(_KNOWN)]
    return _Chart(
        model,
        digest,
        is_rendered,
        failures=[Failure.cached(chart, entry) for entry in failures],
        templates=tuple(entries(_TEMPLATE)),
        findings=tuple(unpacked(loads(each)) for each in entries(_FINDING)),
        copies=tuple(CopyOfCRD(*loads(each)) for each in entries(_COPY)),
        conflicts=tuple(
            frozenset(CRDPlace(*entry) for entry in loads(each)) for each in entries(_CONFLICT)
        ),
    )


_FINDING: Final = "finding "
_COPY: Final = "copy "
_CONFLICT: Final = "conflict "
_KNOWN: Final = (_TEMPLATE, _FINDING, _COPY, _CONFLICT)


def without_chart(path: str, text: str, lint: Lint) -> FileResult:
    """Check a file that is no template of a chart; if documents are Go templates, all are read as without Helm."""
    result = lint(text, path)
    return check_templates(path, text, lint) if result.templates else result


def check_templates(path: str, text: str, lint: Lint) -> FileResult:
    """Check a file with Go templates that belongs to no chart, as without Helm."""
    read = explained(check_template(path, text, lint), lambda _: _RENDERED)
    # What executes it decides which braces have a meaning.
    findings = (finding for finding in read.diagnostics if finding.rule != BRACES.id)
    if mask(text).broken is not None:  # a program joins it with other parts
        findings = (replace(finding, severity="info") for finding in findings)
    return replace(read, diagnostics=tuple(findings))


_APPLYING: Final = 4  # the first major version of Helm that uses server-side apply


def is_installed() -> bool:
    """Return whether there is a Helm on the PATH."""
    return find("helm") is not None


def senders_of_charts(major: int) -> tuple[str, ...]:
    """Return who sends charts if no sender is named, by the major version of Helm.

    Helm 4 sends them, besides others; who does is not known with an older one.
    """
    return ("create", "helm-4") if major >= _APPLYING else ()


def installed_major() -> int:
    """Return the major version of the Helm on the PATH, 0 if that cannot be used."""
    with _ASKING:
        return helm().major


def render_for(
    chart: str,
    values: HelmValues,
    versions: Sequence[str],
    *,
    defaults: bool = False,
) -> Rendered:
    """Render a chart by the Helm on the PATH, for versions of Kubernetes, the newest first.

    Helm is only asked for its version if it renders nothing: one that is too old does not know an option.
    """
    program = find("helm")
    if program is None:
        return Rendered(final=False)
    rendered = render(chart, values, program, versions, defaults=defaults)
    if any(rendered.runs.values()):
        return rendered
    with _ASKING:
        problem = helm().problem
    return rendered if problem is None else Rendered(problem=problem, final=False)


def manifest_as_installed(chart: str, values: HelmValues) -> str | None:
    """Return all that the Helm on the PATH renders of a chart, or None if it does not."""
    program = find("helm")
    if program is None:
        return None
    return render_manifest(
        chart,
        values,
        program,
        str(versions_of(chart).newest),
    )


def versions_of(chart: str) -> Range:
    """Return the versions of Kubernetes that a chart supports, the newest one if it names none."""
    support, _ = support_of_chart(chart)
    return NEWEST_ALONE if support is None else support.versions


def _of_rendered(model: Chart, rendered: Rendered, digest: bytes | None) -> _Chart:
    """Return a chart as Helm has rendered it; its digest is None if another run may render it otherwise."""
    documents = files_of(model, rendered)
    return _Chart(
        model,
        digest if rendered.final else None,
        rendered.problem is None,
        rendered.problem,
        rendered.failures,
        documents,
        tuple(documents),
        manifests_of(model, rendered),
    )


def load_chart(chart: str) -> Chart:
    """Return the chart in a folder, or in a packed chart; it has no files without a Chart.yaml that can be read."""
    return load_archive(chart) if is_archive(chart) else load_folder(chart)


_ASKING: Final = Lock()  # for Helm's version, which is cached


_WITHOUT_CRD: Final = (
    "no CRD comes of this template with the values given: it was read without Helm"
)
_NOT_RENDERED: Final = "`helm-render` has the reason why Helm does not render the chart"
_RENDERED: Final = "Check what is rendered: `helm template CHART | crdlint check -`"
_BY_HAND: Final = "Run `helm template --include-crds CHART | crdlint check -`"


def _with_the_rest(
    result: FileResult,
    lint: Lint,
    left_out: LeftOut,
    gates: VersionGates,
) -> FileResult:
    """Add to the result of a rendered template the findings that do not need Helm: braces, and CRDs that were not rendered."""
    notices, crds = result.notices, result.crds
    diagnostics = [
        *result.diagnostics,
        *template_findings(result.file, result.text, left_out.masked),
    ]
    if len(CRD_KIND.findall(result.text)) > len(crds):
        rest = explained(
            check_template(
                result.file,
                result.text,
                lint,
                {crd.name for crd in crds},
                gates,
            ),
            left_out.help,
        )
        analysis = analyse(mask(result.text))
        part_at = analysis.outline.part_at
        lost = {skipped.part for skipped in analysis.skipped} - {part_at(crd.line) for crd in crds}
        diagnostics += (
            finding
            for finding in rest.diagnostics
            if finding.rule != BRACES.id
            and (finding.rule != SKIPPED.id or part_at(finding.line) in lost)
        )
        if rest.crds:
            names = ", ".join(crd.name for crd in rest.crds)
            help_ = left_out.help(rest.crds[0].line)
            notices = (
                *notices,
                f"not rendered with the values given, read without Helm: {names}. {help_}",
            )
        result = with_crds(result, rest)
    return replace(
        result,
        diagnostics=tuple(diagnostics),
        notices=notices,
        masked=left_out.masked.text,
    )


@dataclass(frozen=True, slots=True)
class Support:
    """The versions of Kubernetes that a chart supports: its kubeVersion, and what it means."""

    constraint: str
    versions: Range


def support_of_chart(chart: str) -> tuple[Support | None, FileResult | None]:
    """Return what `chart_support` does, for a folder or a packed chart."""
    return archive_support(chart) if is_archive(chart) else chart_support(chart)


def chart_support(chart: str) -> tuple[Support | None, FileResult | None]:
    """Return the supported versions of Kubernetes in the Chart.yaml of a chart.

    The support is None if it is not specified or not satisfiable; the result then contains findings about that.
    """
    path = os.path.join(chart, CHART)
    text = text_if_readable(path)
    return (None, None) if text is None else support_of(path, text)


def archive_support(archive: str) -> tuple[Support | None, FileResult | None]:
    """Return what `chart_support` does, for a packed chart."""
    from crdlint.sources.helm.archive import chart_file

    packed_file = chart_file(archive)
    return (None, None) if packed_file is None else support_of(*packed_file)


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
        return Support(constraint, versions), None
    finding = KUBE_VERSION.diagnostic(path, "advice", message, span)
    return None, FileResult(path, text, documents=1, diagnostics=(finding,))
