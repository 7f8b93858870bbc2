"""The charts of a run of custom resources, most of which have none: what reads and renders charts is imported for the first one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

from crdlint.sources.helm.layout import (
    CRDS,
    DEFAULTS,
    TEMPLATES,
    ChartLayout,
    HelmValues,
    outermost,
)

if TYPE_CHECKING:
    from crdlint.linting.result import FileResult
    from crdlint.sources.helm.chart import Chart
    from crdlint.sources.helm.check import Charts


class ChartsOnDemand:
    """The charts with some values, None not to run Helm; or those that a run has read already."""

    def __init__(self, values: HelmValues | None = DEFAULTS, loaded: Charts | None = None) -> None:
        self._values: Final = values
        self._loaded: Final = loaded
        self._layout: Final = ChartLayout()

    @cached_property
    def _charts(self) -> Charts:
        if self._loaded is not None:
            return self._loaded
        from crdlint.sources.helm.check import Charts

        return Charts(self._values)

    def unpacked(self, archive: str) -> Chart:
        """Return a packed chart; its problems are why files of it cannot be read."""
        return self._charts.unpacked(archive)

    def lint_template(
        self, path: str, text: str, lint: Callable[..., FileResult]
    ) -> FileResult | None:
        """Return the result of a chart's template, None for another file; see `Charts.lint_template`."""
        if "{{" not in text or not self._layout.template_at(path):
            return None
        return self._charts.lint_template(path, text, lint)

    def manifests(self, path: str) -> Sequence[str] | None:
        """Return the documents that Helm renders of a file of a chart; None if it is no template, or Helm does not render it."""
        return self._charts.manifests(path) if self._layout.template_at(path) else None

    def chart_of(self, path: str) -> str | None:
        """Return the outermost chart that a file of `crds/` or `templates/` is in, or None."""
        location = self._layout.locate(path)
        is_part = location is not None and location.part in {CRDS, TEMPLATES}
        return outermost(location.chart) if location is not None and is_part else None

    def results(self, chart: str) -> list[FileResult]:
        """Return the results about a chart as a whole; see `Charts.results`."""
        return self._charts.results(chart)
