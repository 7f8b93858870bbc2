"""What is known of the values of a chart without Helm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crdlint.sources.helm.chart import Chart
from crdlint.sources.helm.chart_values import UnknownValuesError, enabled_charts, given_values
from crdlint.sources.helm.layout import HelmValues
from crdlint.sources.helm.masking import with_known_values
from crdlint.sources.helm.render import runs_of


class KnownValues:
    """The values of a chart and of the charts in it: those given and its own ones, without `values` of `ci/`."""

    def __init__(self, chart: Chart, values: HelmValues) -> None:
        self._chart = chart
        self._by_path: Mapping[str, Mapping[str, Any]] = {}
        if not values.are_given and runs_of(chart.shown, values) != [values]:
            return
        try:
            self._by_path = enabled_charts(chart, given_values(values))
        except UnknownValuesError:
            return

    def of(self, owner: Chart) -> Mapping[str, Any] | None:
        """Return the values of the chart or of one in it, None if they are not known or turn it off."""
        return self._by_path.get(owner.path)

    def filled(self, owner: Chart | None, text: str) -> str:
        """Return a template of the chart or of one in it, with known values filled in at unchanged positions."""
        if owner is None:
            return text
        return with_known_values(text, owner.metadata, self.of(owner))

    def filled_at(self, path: str, text: str) -> str:
        """Return what `filled` does, for a template by its path as Helm prints it."""
        templates = self._chart.all_templates()
        owners = (owner for owner, file in templates if owner.printed(file.name) == path)
        return self.filled(next(owners, None), text)
