"""The location of files in charts, the chart and the part of it that contains the file, and the values of a chart."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from crdlint.files.paths import NEVER_ENTERED, has_yaml_suffix
from crdlint.light import NamedTuple

CHART: Final = "Chart.yaml"
VALUES: Final = "values.yaml"
TEMPLATES: Final = "templates"
CRDS: Final = "crds"
ARCHIVES: Final = (".tgz", ".tar.gz")
# The total size of the files of a chart; Helm's MaxDecompressedChartSize.
MAX_BYTES: Final = 100 * 1024 * 1024


class HelmValues(NamedTuple):
    """The values for Helm: files and assignments, and what else templates can see.

    `others` are assignments with their option, such as `--set-json=a=[]`. Templates find the `api_versions` in the cluster.
    `namespace` and `release` are the names that templates see, empty for `default` and `crdlint`.
    """

    files: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    api_versions: tuple[str, ...] = ()
    namespace: str = ""
    release: str = ""

    @property
    def are_given(self) -> bool:
        """Whether there are any values, which then are the only ones to render a chart with."""
        return bool(self.files or self.sets or self.others)


DEFAULTS: Final = HelmValues()


class ChartLocation(NamedTuple):
    """A file in a chart: the directory of the chart, the part (`crds`, `templates`, or another), the path within the chart."""

    chart: str
    part: str
    path: str


def is_rendered(path: str) -> bool:
    """Return whether Helm renders a file with a path within its chart, whatever its suffix is.

    Upstream: loader.LoadFiles, releaseutil.SortManifests, action.Configuration.renderResources.
    """
    parts = path.replace(os.sep, "/").split("/")
    return len(parts) > 1 and parts[0] == TEMPLATES and parts[-1][:1] != "_" and not is_notes(path)


def is_notes(path: str) -> bool:
    """Return whether a file has the notes of a chart: text for users, which may quote manifests."""
    return path.endswith("NOTES.txt")


def has_unusual_name(path: str) -> bool:
    """Return whether a file with a path within its chart is a template, or a file of named ones, but not YAML by its name."""
    if has_yaml_suffix(path):
        return False
    return is_rendered(path) or (path.startswith(f"{TEMPLATES}{os.sep}") and path.endswith(".tpl"))


def is_archive(path: str) -> bool:
    """Return whether a path is that of a packed chart by its name."""
    return path.endswith(ARCHIVES) and os.path.isfile(path)


def inside(location: ChartLocation, chart: str) -> str:
    """Return the path of a file within a chart that contains its own chart, as Helm spells it."""
    return os.path.normpath(
        os.path.join(os.path.relpath(location.chart, chart), location.path)
    ).replace(os.sep, "/")


def outermost(chart: str, is_file: Callable[[str], bool] = os.path.isfile) -> str:
    """Return the outermost chart that contains a chart: its values are used for rendering the inner one."""
    while True:
        parent = os.path.dirname(os.path.abspath(chart))
        outer = os.path.dirname(parent)
        if os.path.basename(parent) != "charts" or not is_file(os.path.join(outer, CHART)):
            return chart
        # Spelled like the chart.
        chart = os.path.normpath(os.path.join(chart, os.pardir, os.pardir))


def has_packed(chart: str) -> bool:
    """Return whether a chart's directory of dependencies contains archives, or cannot be read."""
    try:
        return any(name.endswith(ARCHIVES) for name in packed_names(chart))
    except OSError:
        return True


def packed_names(chart: str) -> list[str]:
    """Return the names in a chart's directory of dependencies, in order; raise OSError if it cannot be read."""
    try:
        return sorted(os.listdir(os.path.join(chart, "charts")))
    except (FileNotFoundError, NotADirectoryError):
        return []


def location_in(archive: str, path: str) -> ChartLocation:
    """Return the location of a file of a packed chart, whose path is that of the archive and the member in it."""
    return location_of_member(archive, path.rpartition(":")[2])


def location_of_member(archive: str, name: str) -> ChartLocation:
    """Return the location of a member: charts within the packed chart have directories of their own."""
    inside = name.split("/")[1:]
    while len(inside) > 2 and inside[0] == "charts":
        inside = inside[2:]
    return ChartLocation(archive, inside[0] if inside else "", "/".join(inside))


def may_be_installed(name: str) -> bool:
    """Return whether a member is not of version control, which only matters among the CRDs and templates of a chart."""
    is_loaded = location_of_member("", name).part in {CRDS, TEMPLATES}
    return is_loaded or NEVER_ENTERED.isdisjoint(name.lower().split("/"))


class ChartLayout:
    """The charts so far; each directory is read once. `is_file` returns whether a path is that of a file."""

    def __init__(self, is_file: Callable[[str], bool] = os.path.isfile) -> None:
        self._is_file = is_file
        self._charts: dict[str, str | None] = {}

    def locate(self, path: str) -> ChartLocation | None:
        """Return the location of a file in a chart, or None; a file of a packed chart is `ARCHIVE:MEMBER`."""
        archive = path.rpartition(":")[0]
        if archive.endswith(ARCHIVES) and self._is_file(archive):
            return location_in(archive, path)
        chart = self.chart_of(os.path.dirname(path) or ".")
        if chart is None:
            return None
        inside = os.path.relpath(path, chart)
        return ChartLocation(chart, inside.split(os.sep, 1)[0], inside)

    def template_at(self, path: str) -> ChartLocation | None:
        """Return the location of a file in the templates of a chart, or None for another file."""
        location = self.locate(path)
        is_template = location is not None and location.part == TEMPLATES
        return location if is_template else None

    def chart_of(self, folder: str) -> str | None:
        """Return the nearest parent directory with a Chart.yaml."""
        passed: list[str] = []
        while folder not in self._charts:
            passed.append(folder)
            parent = os.path.dirname(folder) or ("" if os.path.isabs(folder) else ".")
            if self._is_file(os.path.join(folder, CHART)):
                self._charts[folder] = folder
            elif parent in {folder, ""}:
                self._charts[folder] = None
            else:
                folder = parent
        chart = self._charts[folder]
        self._charts.update(dict.fromkeys(passed, chart))
        return chart

    def outermost(self, chart: str) -> str:
        """Return the outermost chart that contains a chart."""
        return outermost(chart, self._is_file)
