"""Planning of a run: the files to check, each with its configuration and Kubernetes versions."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Sequence
from dataclasses import field
from functools import cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from crdlint.diagnostics import InputProblem
from crdlint.files.paths import UnreadInput, has_yaml_suffix
from crdlint.files.read import (
    STDIN,
    UnreadableError,
    decode,
    open_descriptor,
    read_bytes,
    with_parents,
)
from crdlint.files.recognition import (
    HELM,
    LFS_POINTER,
    groups_in,
    is_lfs_pointer,
    may_hold_crd,
)
from crdlint.kubernetes.servers import NEWEST_ALONE, Range
from crdlint.light import NamedTuple, dataclass, replace
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult
from crdlint.phrases import some
from crdlint.runner.configurations import Configurations
from crdlint.runner.task import Task, shown_name
from crdlint.safety.escapes import trace
from crdlint.sources.fragments import SUITE, Fragment, Fragments
from crdlint.sources.helm.layout import (
    ARCHIVES,
    CHART,
    CRDS,
    TEMPLATES,
    ChartLocation,
    has_packed,
    is_archive,
    is_notes,
    location_in,
    outermost,
)
from crdlint.sources.kustomize import Patches, kustomization_of

if TYPE_CHECKING:
    from crdlint.config.model import Config
    from crdlint.sources.helm.chart import Chart
    from crdlint.sources.helm.check import Charts, Support

_PATCH: Final = Fragment(
    "a patch of a kustomization: what is built with it is checked",
    includes_complete=True,
    is_routine=True,
)
_NAMED: Final = 3  # the number of suites in one notice


@dataclass(slots=True)
class Plan:
    """The tasks of a run in order, each with its configuration.

    - `passed`: the number of files that cannot contain a CRD
    - `excluded`: the inputs that a configuration excludes
    - `problems`: those that cannot be checked, with the reason
    - `results`: reported without a check: those of charts and patches
    - `kustomizations`: directories with one, and their versions
    - `charts`: those with CRDs that are in no other chart, with the versions of Kubernetes
    - `complete_charts`: those whose own file is an input
    - `pointers`: the files that are only pointers of Git LFS
    - `samples`: the files that may have custom resources, with the groups of these
    - `releases`: the configurations of the charts in folders
    - `preview`: what users should know if they check for the preview of the next version
    """

    tasks: list[Task] = field(default_factory=list)
    passed: int = 0
    excluded: set[str] = field(default_factory=set)
    problems: list[InputProblem] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    results: list[tuple[FileResult, Config]] = field(default_factory=list)
    kustomizations: list[Task] = field(default_factory=list)
    charts: dict[str, Range] = field(default_factory=dict)
    complete_charts: set[str] = field(default_factory=set)
    pointers: list[str] = field(default_factory=list)
    samples: dict[str, frozenset[str]] = field(default_factory=dict)
    releases: dict[str, Config] = field(default_factory=dict)
    preview: str | None = None

    def all_charts(self) -> list[str]:
        """Return the charts of the run, those with CRDs first."""
        return [*self.charts, *sorted(self.complete_charts - self.charts.keys())]


@dataclass(slots=True)
class Planner:
    """Plans a run.

    - `kube_version`: that of the command line
    - `configurations`: those of the files
    - `kustomize`: whether kustomizations are built
    - `stdin_name`: the name of the file in standard input
    - `request`: what is asked about each file
    """

    kube_version: Range | None
    configurations: Configurations = field(default_factory=Configurations)
    kustomize: bool = True
    stdin_name: str | None = None
    request: CheckRequest = CheckRequest(skip_unfinished=True)
    plan: Plan = field(default_factory=Plan)
    _charts: dict[str, Support | None] = field(default_factory=dict)
    _patches: Patches = field(default_factory=Patches)
    _fragments: Fragments = field(default_factory=Fragments)
    _suites: list[str] = field(default_factory=list)
    # Charts with CRDs, which whoever checks them takes
    models: dict[str, Chart] = field(default_factory=dict)
    _loaded: dict[str, _Loaded] = field(default_factory=dict)  # by outermost chart

    def __post_init__(self) -> None:
        # Their notices and problems are those of the plan.
        self.plan.notices = self.configurations.notices
        self.plan.problems = self.configurations.problems

    def add(self, paths: Iterable[str]) -> Plan:
        """Plan the check of files, and return the plan."""
        folders: dict[str, None] = {}
        named = list(paths)
        for path in named:
            self._add(path)
        for chart in list(self._loaded):
            if chart in self.plan.complete_charts:
                self._add_rest(chart, named)
        for path in named:
            if open_descriptor(path) is None:
                folders[os.path.dirname(path)] = None
        self._note_suites()
        if self.kustomize:
            for folder in folders:
                self._add_kustomization(folder, frozenset(named))
        restrict_to_whole(self.plan.tasks, self.plan.kustomizations)
        return self.plan

    def add_resources(self, checked: Iterable[str]) -> None:
        """Plan the check of the files that are resources of the planned kustomizations, except the ``checked`` ones."""
        from crdlint.sources.kustomize.build import resource_files

        planned = set(map(os.path.realpath, checked))
        folders = [task.path for task in self.plan.kustomizations if not task.alone]
        for path in chain.from_iterable(map(resource_files, folders)):
            if os.path.realpath(path) not in planned:
                planned.add(os.path.realpath(path))
                self._add(path)
        restrict_to_whole(self.plan.tasks, self.plan.kustomizations)

    def add_text(self, path: str, text: str) -> Plan:
        """Plan the check of a file with a text that may not be saved yet, and return the plan."""
        data = text.encode("utf-8", "surrogatepass")
        if may_hold_crd(data):
            self._add_read(path, path, data, text)
        else:
            self.plan.passed += 1
        restrict_to_whole(self.plan.tasks, self.plan.kustomizations)
        return self.plan

    def _add_kustomization(self, folder: str, named: Container[str]) -> None:
        path = kustomization_of(folder)
        config = None if path is None else self.configurations.of(path)
        if config is not None:
            self.plan.kustomizations.append(
                self._task(folder or ".", config)._replace(alone=path not in named)
            )

    def _add(self, path: str) -> None:
        if open_descriptor(path) is not None:
            self._add_stream(path)
            return
        if path.endswith(ARCHIVES):
            self._add_archive(path)
            return
        if os.path.basename(path) == CHART:
            self._add_dependencies(path)
            self._add_whole(path)
        data = self._content(path)
        if data is not None:
            self._add_read(path, path, data, None)

    def _add_stream(self, path: str) -> None:
        """Plan the check of an open file: it is read when it is checked, unless it is one whose name is known."""
        if path != STDIN or not self.stdin_name:
            config = self.configurations.of_excluded(STDIN)
            if config is not None and not self._is_excluded(path, path, config):
                self._add_task(path, self.configurations.sent(config, path), None)
            return
        data = self._content(path)
        if data is None:
            return
        try:
            text = decode(data)
        except UnreadableError as error:
            self._note_problem(path, error)
        else:
            self._add_read(path, self.stdin_name, data, text)

    def _content(self, path: str) -> bytes | None:
        """Return what is in a file if it may contain a CRD, and note what the file is if it does not."""
        try:
            data = read_bytes(path)
        except UnreadableError as error:
            self._note_problem(path, error)
            return None
        if is_lfs_pointer(data):
            self.plan.notices.append(f"{path}: skipped: {LFS_POINTER}")
            self.plan.pointers.append(path)
        groups = groups_in(data)
        if groups and not is_notes(path):
            self.plan.samples[path] = groups
        if may_hold_crd(data):
            return data
        trace(f"{path}: skipped: no CustomResourceDefinition in it")
        self.plan.passed += 1
        return None

    def _note_problem(self, path: str, error: UnreadableError) -> None:
        self.plan.problems.append(InputProblem(shown_name(path), str(error)))

    def _add_read(
        self,
        path: str,
        name: str,
        data: bytes,
        text: str | None,
    ) -> None:
        """Plan the check of an input with a content; `text` is set if it is not that of the file `name`."""
        config = self.configurations.of_excluded(name)
        if config is None or self._is_excluded(path, name, config):
            return
        fragment = self._fragment_of(name, data)
        if fragment is not None and self._is_left_out(name, fragment, config):
            return
        location = self.configurations.layout.locate(name)
        support = None
        if location is not None:
            if not self._is_loaded(location, name):
                trace(f"{name}: skipped: Helm does not load it")
                self.plan.passed += 1
                return
            if text is None:
                self._add_chart(outermost(location.chart), config)
            support = self._chart(location.chart, config)
        of_task = self.configurations.sent(config._replace(in_chart=location is not None), name)
        self._add_task(
            name,
            of_task,
            fragment,
            location,
            support,
            text,
        )

    def _add_task(
        self,
        name: str,
        config: Config,
        fragment: Fragment | None,
        location: ChartLocation | None = None,
        support: Support | None = None,
        text: str | None = None,
    ) -> None:
        """Add the check of an input, of which `fragment` is what it is if it is no manifest by itself."""
        task = self._task(name, config, location, support, text)
        partial = self.request.partial if fragment is None else fragment.what
        request = replace(task.request, partial=partial, policy=config.change)
        self.plan.tasks.append(task._replace(request=request, config=config))

    def _is_excluded(self, path: str, name: str, config: Config) -> bool:
        """Return whether the configuration of an input excludes it, and note that."""
        is_excluded = config.excludes(name)
        if is_excluded:
            trace(f"{path}: skipped: {config.file} excludes it")
            self.plan.excluded.add(path)
        return is_excluded

    def _fragment_of(self, name: str, data: bytes) -> Fragment | None:
        """Return what a file is that is no manifest by itself."""
        return _PATCH if self._patches.has(name) else self._fragments.of(name, data)

    def _is_left_out(self, name: str, fragment: Fragment, config: Config) -> bool:
        """Return whether a fragment is checked otherwise or not at all, and note that."""
        if fragment.what == SUITE:
            self._suites.append(name)
            return True
        if fragment.includes_complete:
            self._skip(name, config, fragment.notice)
        return fragment.includes_complete

    def _add_chart(self, chart: str, config: Config) -> None:
        """Plan the check of a chart as a whole."""
        if chart not in self.plan.charts:
            self.plan.charts[chart] = self._versions(config, self._chart(chart, config))[0]
        if not is_archive(chart):
            self.plan.releases.setdefault(chart, config)

    def _add_whole(self, path: str) -> None:
        """Plan the check of a chart whose own file is an input, if Helm may install a CRD with it."""
        folder = os.path.dirname(path) or "."
        chart, config = outermost(folder), self.configurations.of(path)
        if chart != folder or config is None:
            return
        self.plan.complete_charts.add(chart)
        loaded = self._loaded_of(chart)
        if loaded.has_crds:
            self._add_chart(chart, config)
        for archive in () if config.include_dependencies else loaded.packed:
            self._skip(
                archive,
                config,
                "skipped: --include-dependencies checks the CRDs that Helm installs from it",
            )

    def note_without_helm(self) -> None:
        """Note that charts are read without Helm, because it is not there."""
        charts = [chart for chart in self.plan.charts if self._loaded_of(chart).has_directives]
        if charts:
            self.plan.notices.append(
                f"helm is not on the PATH: {some(charts, _NAMED)} not rendered: values and conditions are read as far as possible, "
                "and the errors of rendering are not known"
            )

    def _loaded_of(self, chart: str) -> _Loaded:
        if chart not in self._loaded:
            from crdlint.sources.helm.check import load_chart

            model = load_chart(chart)
            loaded = self._loaded[chart] = _Loaded.of(model)
            if loaded.has_crds:
                self.models[chart] = model
        return self._loaded[chart]

    def _is_loaded(self, location: ChartLocation, name: str) -> bool:
        """Return whether Helm loads a file of `crds/` or `templates/`, as far as it reads the chart."""
        if location.part not in {CRDS, TEMPLATES}:
            return True
        files = self._loaded_of(outermost(location.chart)).files
        return not files or os.path.normpath(name) in files

    def reads(self, link: str) -> bool:
        """Return whether files behind a link are checked, because Helm loads them with their chart."""
        below = f"{os.path.normpath(link)}{os.sep}"
        files = (self._loaded_of(chart).files for chart in self.plan.complete_charts)
        return any(path.startswith(below) for of_chart in files for path in of_chart)

    def _add_rest(self, chart: str, named: Iterable[str]) -> None:
        """Plan the check of files of a chart that directories are not searched for: with other suffixes, and behind links."""
        planned = set(map(os.path.realpath, named))
        for path in self._loaded_of(chart).files:
            is_inside = self.configurations.layout.locate(path) is not None and ":" not in path
            if (
                is_inside
                and os.path.realpath(path) not in planned
                and (not has_yaml_suffix(path) or _is_linked(path, chart))
            ):
                self._add(path)

    def add_rendered(self, charts: Charts) -> None:
        """Plan the check of templates in which Helm renders CRDs, though their own text has none."""
        planned = {os.path.normpath(task.path) for task in self.plan.tasks}
        for chart in self.plan.charts:
            paths = charts.of(chart).templates if chart in self.plan.complete_charts else ()
            for path in (path for path in paths if os.path.normpath(path) not in planned):
                self._add_template(chart, path, charts)

    def _add_template(self, chart: str, path: str, charts: Charts) -> None:
        """Plan the check of a template; those of packed dependencies are only checked on request."""
        archive = path.rpartition(":")[0] if not os.path.isfile(path) else ""
        config = self.configurations.of(chart if archive else path)
        location = (
            location_in(archive, path) if archive else self.configurations.layout.locate(path)
        )
        if config is None or location is None:
            return
        if archive not in {"", chart} and not config.include_dependencies:
            return
        text = charts.text_of(chart, path) if archive else None
        of_task = self.configurations.sent(config._replace(in_chart=True), path)
        task = self._task(
            path,
            of_task,
            location,
            self._chart(location.chart, config),
            text,
        )
        self.plan.tasks.append(task._replace(renders=True, config=of_task))

    def _skip(self, path: str, config: Config, notice: str) -> None:
        self.plan.results.append(
            (FileResult(path, documents=1, skipped=1, notices=(notice,)), config)
        )

    def _note_suites(self) -> None:
        """Add one notice about all test suites, because a repository may have hundreds."""
        count = len(self._suites)
        if not count:
            return
        what = "a test suite is" if count == 1 else f"{count:,} test suites are"
        self.plan.notices.append(
            f"{what} not checked as CRDs, `crdlint test` runs them: {some(self._suites, _NAMED)}"
        )

    def _add_dependencies(self, path: str) -> None:
        """Plan the packed dependencies of a chart, which may itself have no CRD."""
        chart = os.path.dirname(path) or "."
        config = self.configurations.of(path) if has_packed(chart) else None
        if config is not None and config.include_dependencies:
            self._chart(chart, config)

    def _task(
        self,
        path: str,
        config: Config,
        location: ChartLocation | None = None,
        support: Support | None = None,
        text: str | None = None,
    ) -> Task:
        """Return a task; the version of the command line has precedence over the configuration's, and that over the chart's."""
        versions, supported = self._versions(config, support)
        requested, senders = config.requested(), config.senders
        is_default = (self.kube_version or config.kube_version or support) is None
        request = replace(
            self.request,
            versions=versions,
            names_servers=is_default,
            requested=requested,
            senders=senders,
        )
        if location is not None and location.part == CRDS:  # which Helm does not render
            request = replace(
                request, placeholders=tuple(each for each in request.placeholders if each != HELM)
            )
        return Task(path, request, location, text, supported)

    def _versions(self, config: Config, support: Support | None) -> tuple[Range, str | None]:
        """Return the versions of Kubernetes to check for, and the chart's `kubeVersion` if they are derived from it."""
        versions = self.kube_version or config.kube_version
        if versions is None:
            return (
                (NEWEST_ALONE, None) if support is None else (support.versions, support.constraint)
            )
        self.plan.preview = self.plan.preview or versions.preview_note
        return versions, None

    def _chart(self, chart: str, config: Config) -> Support | None:
        """Return the versions that a chart supports; plan its packed dependencies if requested."""
        if chart not in self._charts:
            from crdlint.sources.helm.check import support_of_chart

            support, result = support_of_chart(chart)
            self._charts[chart] = support
            if result is not None:
                self.plan.results.append((result, config))
            if config.include_dependencies and not is_archive(chart):
                from crdlint.sources.helm.archive import packed_files

                self._add_packed(packed_files(chart), config, support)
        return self._charts[chart]

    def _add_archive(self, path: str) -> None:
        from crdlint.sources.helm.archive import files_of_archive

        config = self.configurations.of(path)
        if config is None:
            self.plan.excluded.add(path)
            return
        support = self._chart(path, config)
        self.plan.complete_charts.add(path)
        if self._loaded_of(path).has_crds:
            self._add_chart(path, config)
        self._add_packed(files_of_archive(path), config, support)

    def _add_packed(
        self,
        files: Iterable[tuple[str, str, ChartLocation] | UnreadInput],
        config: Config,
        support: Support | None,
    ) -> None:
        for packed in files:
            if isinstance(packed, UnreadInput):
                self.plan.problems.append(InputProblem(packed.path, packed.message))
                continue
            name, text, location = packed
            if not self._is_loaded(location, name):
                self.plan.passed += 1
                continue
            of_task = self.configurations.sent(config._replace(exclude=(), in_chart=True), name)
            task = self._task(name, of_task, location, support, text)
            request = replace(task.request, fixes=False)
            self.plan.tasks.append(task._replace(request=request, config=of_task))


class _Loaded(NamedTuple):
    """What Helm loads of a chart: the files that it may send to the API server, as users know them.

    There are none for a folder that is no chart. `has_crds` is whether Helm may install a CRD, `has_directives` whether a
    template has directives. `packed` are its packed dependencies with CRDs.
    """

    files: frozenset[str] = frozenset()
    has_crds: bool = False
    has_directives: bool = False
    packed: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: Chart) -> _Loaded:
        """Return what Helm loads of a chart."""
        folder = f"{TEMPLATES}/"
        crds = {file.shown for _, file in model.all_crd_files()}
        templates = {file.shown for file in model.all_files() if file.name.startswith(folder)}
        files = frozenset(map(os.path.normpath, crds | templates))
        has_directives = any(b"{{" in file.data for _, file in model.all_templates())
        _, *inner = model.all_charts()
        packed = (each for each in inner if each.shown.endswith(ARCHIVES))
        with_crds = (
            each.shown
            for each in packed
            if any(may_hold_crd(file.data) for file in each.files.values())
        )
        return cls(
            files,
            model.may_have_crds(),
            has_directives,
            tuple(dict.fromkeys(with_crds)),
        )


def _is_linked(path: str, chart: str) -> bool:
    """Return whether a link leads to a file within a chart."""
    in_chart = os.path.join(os.path.realpath(chart), os.path.relpath(path, chart))
    return os.path.realpath(path) != in_chart


# The folder of a file and those above it in which a kustomization may include the file
_NEAR: Final = 3


@dataclass(slots=True)
class _Build:
    """A kustomization: the real paths of its folders and of its resources, and whether it changes CRDs."""

    folder: str
    folders: set[str]
    resources: set[str]
    changes: bool


def restrict_to_whole(tasks: list[Task], kustomizations: list[Task]) -> None:
    """Remove the rules about whole CRDs from the tasks whose CRDs may be incomplete.

    A file is whole if all kustomizations that may include it are checked in the run and none of them changes its CRDs. Then
    the output of a build is whole as well if no other build of the run includes and changes it.
    """
    if not any(task.request.requested for task in (*tasks, *kustomizations)):
        return
    from crdlint.rules.catalog import of_whole_crds  # most runs request no rules

    builds = cache(lambda: _read([task.path for task in kustomizations]))
    for group, is_whole in ((tasks, _is_whole_file), (kustomizations, _is_whole_build)):
        for i, task in enumerate(group):
            rest = task.request.requested - of_whole_crds()
            if rest != task.request.requested and not is_whole(task, builds()):
                group[i] = task._replace(request=replace(task.request, requested=rest))


def _is_whole_file(task: Task, builds: Sequence[_Build]) -> bool:
    if task.location is not None or open_descriptor(task.path) is not None:
        return True
    real = os.path.realpath(task.path)
    including = [build for build in builds if real in build.resources]
    if including:
        return not any(build.changes for build in including)
    folders = islice(with_parents(os.path.dirname(real)), _NEAR)
    read = {build.folder for build in builds}
    return all(kustomization_of(folder) is None or folder in read for folder in folders)


def _is_whole_build(task: Task, builds: Sequence[_Build]) -> bool:
    real = os.path.realpath(task.path)
    return not any(
        build.changes and build.folder != real and real in build.folders for build in builds
    )


def _read(folders: Sequence[str]) -> list[_Build]:
    from crdlint.sources.kustomize.build import changes_crds
    from crdlint.sources.kustomize.kustomization import read_kustomization

    elsewhere = set(map(os.path.realpath, folders))
    builds = []
    for folder in folders:
        kustomization = read_kustomization(folder)
        if kustomization is not None:
            changes = changes_crds(kustomization, elsewhere) or kustomization.problem is not None
            builds.append(
                _Build(
                    kustomization.top.folder,
                    set(kustomization.layers),
                    set(map(os.path.realpath, kustomization.resources)),
                    changes,
                )
            )
    return builds
