"""What a file is to a chart: where the chart is, and which part of it the file belongs to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

CHART: Final = "Chart.yaml"
TEMPLATES: Final = "templates"
CRDS: Final = "crds"


@dataclass(frozen=True, slots=True)
class ChartLocation:
    """A file within a chart: the chart's folder, the part (`crds`, `templates`, or another), the path below the chart."""

    chart: str
    part: str
    path: str


def outermost(chart: str) -> str:
    """Return the chart that a chart is unpacked in, however deep: its values are what the inner one is rendered with."""
    while True:
        above = os.path.dirname(os.path.abspath(chart))
        outer = os.path.dirname(above)
        if os.path.basename(above) != "charts" or not os.path.isfile(os.path.join(outer, CHART)):
            return chart
        chart = os.path.normpath(os.path.join(chart, os.pardir, os.pardir))  # spelt as the chart is


class Layout:
    """Charts found so far: each folder is looked at once."""

    def __init__(self) -> None:
        self._charts: dict[str, str | None] = {}

    def place(self, path: str) -> ChartLocation | None:
        """Return where a file is in a chart, None where it is in none."""
        folder = os.path.dirname(path) or "."
        chart = self.chart_of(folder)
        if chart is None:
            return None
        inside = os.path.relpath(path, chart)
        return ChartLocation(chart, inside.split(os.sep, 1)[0], inside)

    def chart_of(self, folder: str) -> str | None:
        """Return the nearest folder upwards with a Chart.yaml."""
        known = self._charts
        way: list[str] = []
        found: str | None = None
        while folder not in known:
            way.append(folder)
            if os.path.isfile(os.path.join(folder, CHART)):
                found = folder
                break
            above = os.path.dirname(folder) or ("" if os.path.isabs(folder) else ".")
            if above == folder or above == "":
                break
            folder = above
        else:
            found = known[folder]
        for one in way:
            known[one] = found
        return found
