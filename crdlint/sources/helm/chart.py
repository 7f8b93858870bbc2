"""A chart as Helm loads it: its metadata, values and files, and the charts in it.

A packed chart has the same model as its folder. Upstream: helm pkg/chart/v2/loader, LoadFiles; internal/sympath, Walk;
pkg/chart/v2/util, ProcessDependencies.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from crdlint.files.read import UnreadableError, decode, entries_of, is_folder, read_bytes, reason
from crdlint.files.recognition import may_hold_crd
from crdlint.files.repository import is_below, repository_top
from crdlint.gathering import list_of, object_of
from crdlint.light import NamedTuple, dataclass, replace
from crdlint.sources.helm.ignored import IGNORE_FILE, ignore_lines, is_ignored
from crdlint.sources.helm.layout import (
    CHART,
    CRDS,
    MAX_BYTES,
    TEMPLATES,
    is_rendered,
    may_be_installed,
)
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.json_values import to_json
from crdlint.yaml.parse import parse_first

VALUES: Final = "values.yaml"
_CHARTS: Final = "charts/"
_REQUIREMENTS: Final = "requirements.yaml"
_PACKED: Final = ".tgz"  # the only suffix of packed charts in charts/ that Helm unpacks
_MANIFESTS: Final = (".yaml", ".yml", ".json")  # of crds/, in any case
_DEEPEST: Final = 8  # charts within each other
_BOM: Final = b"\xef\xbb\xbf"


class LoadedFile(NamedTuple):
    """A file that Helm loads: its name within its chart, the name that users know, and its content."""

    name: str
    shown: str
    data: bytes

    @property
    def text(self) -> str:
        """The content as text, empty if it cannot be decoded."""
        try:
            return decode(self.data)
        except UnreadableError:
            return ""


class Dependency(NamedTuple):
    """An entry of the dependencies of a chart; `alias` is the name that the chart in it gets, `name` without one."""

    name: str
    alias: str
    conditions: tuple[str, ...]
    tags: tuple[str, ...]


@dataclass(slots=True)
class Chart:
    """A chart: its name (an alias in an outer chart), the name that users know, and its content.

    `path` is the path in the outermost chart as Helm prints it, beginning with that chart's name. `problems` are files and
    archives that are not read, with the reason.
    """

    name: str
    shown: str
    path: str
    metadata: Mapping[str, Any]
    values: Mapping[str, Any]
    files: Mapping[str, LoadedFile]
    charts: tuple[Chart, ...] = ()
    problems: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_library(self) -> bool:
        """Whether it is a library chart, of which Helm renders only what other charts include."""
        return self.metadata.get("type") == "library"

    @property
    def dependencies(self) -> tuple[Dependency, ...]:
        """The entries of the dependencies in Chart.yaml, or of requirements.yaml in a chart of Helm 2."""
        entries = self.metadata.get("dependencies")
        if not isinstance(entries, list):
            entries = _values_in(self.files, _REQUIREMENTS).get("dependencies")
        return tuple(map(_dependency, filter(_is_mapping, list_of(entries))))

    def has_order(self, first: Chart, second: Chart) -> bool:
        """Return whether Helm always installs the `crds/` of two charts in it in one order.

        The order of the charts in `charts/` that no dependency names differs from run to run. Upstream: loader.LoadFiles.
        """
        chart = self
        names = (each.path.split("/charts/")[1:] for each in (first, second))
        for name, other in zip(*names, strict=False):  # one path may be longer
            if name != other:
                return not {name, other}.isdisjoint(each.alias for each in chart.dependencies)
            chart = next(each for each in chart.charts if each.name == name)
        return True

    def all_charts(self) -> Iterator[Chart]:
        """Yield the chart and the charts in it, in the order in which Helm installs their `crds/`."""
        yield self
        for chart in self.charts:
            yield from chart.all_charts()

    def all_files(self) -> Iterator[LoadedFile]:
        """Yield the files of the chart and of the charts in it."""
        for chart in self.all_charts():
            yield from chart.files.values()

    def all_crd_files(self) -> Iterator[tuple[Chart, LoadedFile]]:
        """Yield the files of `crds/` of the chart and of the charts in it, each with its chart."""
        for chart in self.all_charts():
            for file in chart.crd_files():
                yield chart, file

    def all_templates(self) -> Iterator[tuple[Chart, LoadedFile]]:
        """Yield the templates of the chart and of the charts in it, each with its chart."""
        for chart in self.all_charts():
            for file in chart.templates():
                yield chart, file

    def owner_of(self, shown: str) -> Chart | None:
        """Return the chart that has a file, by the name that users know."""
        for chart in self.all_charts():
            if any(file.shown == shown for file in chart.files.values()):
                return chart
        return None

    def printed(self, name: str) -> str:
        """Return the path below the outermost chart of a file in it, as Helm prints it."""
        below = self.path.partition("/")[2]
        return f"{below}/{name}" if below else name

    def may_have_crds(self) -> bool:
        """Return whether a file of the chart, or of a chart in it, may contain a CRD."""
        return any(may_hold_crd(file.data) for file in self.all_files())

    def crd_files(self) -> Iterator[LoadedFile]:
        """Yield the files of its own `crds/` that Helm sends to the API server, in Helm's order."""
        for name, file in self.files.items():
            if name.startswith(f"{CRDS}/") and name.lower().endswith(_MANIFESTS):
                yield file

    def templates(self) -> Iterator[LoadedFile]:
        """Yield its own templates that Helm renders to manifests."""
        for name, file in self.files.items():
            if name.startswith(f"{TEMPLATES}/") and self.renders(name):
                yield file

    def renders(self, name: str) -> bool:
        """Return whether Helm renders a file of `templates/` to a manifest, unlike partials, notes, and library charts."""
        return is_rendered(name) and not self.is_library


def load_folder(folder: str) -> Chart:
    """Return the chart in a folder, which has no files without a Chart.yaml that can be read."""
    problems: list[tuple[str, str]] = []
    return _loaded(folder, list(_walk(folder, problems)), problems)


def load_archive(archive: str) -> Chart:
    """Return the chart in a packed chart, which has no files without a Chart.yaml that can be read."""
    problems: list[tuple[str, str]] = []
    try:
        data = read_bytes(archive, MAX_BYTES)
    except UnreadableError as error:
        problems.append((archive, str(error)))
        data = b""
    return _loaded(archive, list(_unpacked(archive, data, problems)), problems)


def is_near(path: str, chart: str) -> bool:
    """Return whether the target of a link in a chart may be read: it is in the repository of the chart.

    Without a repository, it is in the working directory if the chart is, and else in the chart.
    """
    real = os.path.realpath(chart)
    top = repository_top(real)
    if os.path.dirname(top) == top:  # there is no repository
        here = os.path.realpath(os.curdir)
        top = here if is_below(real, here) else real
    target = os.path.realpath(path)
    return target == top or is_below(target, top)


def _walk(folder: str, problems: list[tuple[str, str]]) -> Iterator[LoadedFile]:
    """Yield the files of a folder that Helm loads, in its order; links are followed as far as `is_near` allows."""
    ignored = ignore_lines(os.path.join(folder, IGNORE_FILE))
    pending: list[tuple[str, str, tuple[str, ...]]] = [("", folder, (os.path.realpath(folder),))]
    budget = MAX_BYTES
    while pending:
        name, path, parents = pending.pop()
        if name and not os.path.isdir(path):
            try:
                data = read_bytes(path, budget)
            except UnreadableError as error:
                problems.append((path, str(error)))
                continue
            budget -= len(data)
            yield LoadedFile(name, path, data.removeprefix(_BOM))
            continue
        for entry in reversed(_entries(path, problems)):
            inner = f"{name}/{entry.name}" if name else entry.name
            enters = is_folder(entry)
            if is_ignored(ignored, inner, is_folder=enters):
                continue
            if entry.is_symlink() and not is_near(entry.path, folder):
                where = f"is a link to {os.readlink(entry.path)}, outside of the repository"
                problems.append((entry.path, where))
                continue
            real = _real_path(entry, parents[-1])
            if not enters:
                pending.append((inner, os.path.normpath(entry.path), parents))
            elif real not in parents:
                pending.append((inner, os.path.normpath(entry.path), (*parents, real)))


def _real_path(entry: os.DirEntry[str], parent: str) -> str:
    """Return the real path of an entry; `parent` is that of its folder."""
    return os.path.realpath(entry.path) if entry.is_symlink() else os.path.join(parent, entry.name)


def _entries(path: str, problems: list[tuple[str, str]]) -> list[os.DirEntry[str]]:
    try:
        return entries_of(path)
    except OSError as error:
        problems.append((path, reason(error)))
        return []


def _unpacked(archive: str, data: bytes, problems: list[tuple[str, str]]) -> Iterator[LoadedFile]:
    """Yield the files of an archive by their names below its only folder, as Helm does."""
    from crdlint.sources.helm.archive import ArchiveBudget, ArchiveError, members

    try:
        for member, content in members(data, ArchiveBudget(), may_be_installed):
            name = posixpath.normpath(member).partition("/")[2]
            if name:
                yield LoadedFile(name, f"{archive}:{member}", content.removeprefix(_BOM))
    except ArchiveError as error:
        problems.append((archive, f"cannot be unpacked: {error}"))


def _loaded(shown: str, files: Sequence[LoadedFile], problems: list[tuple[str, str]]) -> Chart:
    chart = _of_files(shown, files, problems, 1) or Chart("", shown, "", {}, {}, {})
    return _with_dependencies(chart, chart.name)


def _of_files(
    shown: str,
    files: Sequence[LoadedFile],
    problems: list[tuple[str, str]],
    depth: int,
) -> Chart | None:
    """Return the chart of files, whose names are those within it; None without a Chart.yaml."""
    own: dict[str, LoadedFile] = {}
    inner: dict[str, list[LoadedFile]] = {}
    for file in files:
        if file.name.startswith(_CHARTS) and not file.name.endswith(".prov"):
            name = file.name.removeprefix(_CHARTS)
            inner.setdefault(name.partition("/")[0], []).append(file._replace(name=name))
        else:
            own[file.name] = file
    metadata = _values_in(own, CHART)
    if not metadata:
        return None
    values = _values_in(own, VALUES)
    read = [name for name in inner if not name.startswith(("_", "."))] if depth < _DEEPEST else []
    charts = filter(None, (_inner(shown, name, inner[name], problems, depth) for name in read))
    name = str(metadata.get("name", ""))
    return Chart(
        name,
        shown,
        name,
        metadata,
        values,
        own,
        tuple(charts),
        problems,
    )


def _inner(
    shown: str,
    name: str,
    files: Sequence[LoadedFile],
    problems: list[tuple[str, str]],
    depth: int,
) -> Chart | None:
    """Return a chart in `charts/`: that of a folder, or of an archive."""
    first = files[0]
    if name.endswith(_PACKED):
        unpacked = list(_unpacked(first.shown, first.data, problems))
        return _of_files(first.shown, unpacked, problems, depth + 1)
    own = [file._replace(name=below) for file in files if (below := file.name.partition("/")[2])]
    folder = first.shown.removesuffix(first.name.partition("/")[2]).rstrip("/") if own else shown
    return _of_files(folder, own, problems, depth + 1)


def _with_dependencies(chart: Chart, path: str) -> Chart:
    """Return a chart with the charts in it in Helm's order and by their aliases, and their paths."""
    named = chart.dependencies
    names = {dependency.name for dependency in named}
    charts = [(inner, inner.name) for inner in chart.charts if inner.name not in names]
    first = {inner.name: inner for inner in reversed(chart.charts)}
    charts += ((first[each.name], each.alias) for each in named if each.name in first)
    inner_charts = tuple(
        _with_dependencies(_renamed(inner, name), f"{path}/{_CHARTS}{name}")
        for inner, name in charts
    )
    return replace(chart, path=path, charts=inner_charts)


def _renamed(chart: Chart, name: str) -> Chart:
    return replace(chart, name=name, path=name)


def _dependency(entry: Mapping[str, Any]) -> Dependency:
    name, alias, condition = (str(entry.get(key) or "") for key in ("name", "alias", "condition"))
    conditions = tuple(path for path in condition.strip().split(",") if path)
    return Dependency(
        name,
        alias or name,
        conditions,
        tuple(map(str, list_of(entry.get("tags")))),
    )


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict)


def _values_in(files: Mapping[str, LoadedFile], name: str) -> dict[str, Any]:
    """Return the content of a YAML file of a chart as a mapping, empty if it is none or the chart lacks it."""
    if name not in files:
        return {}
    try:
        root = parse_first(files[name].text).root
        value = None if root is None else to_json(root)
    except YAMLDecodeError:
        return {}
    return object_of(value)
