"""The charts of the old side, rendered as those of the new side are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crdlint.files.repository import RepositoryError
from crdlint.sources.helm.render import Rendered, Values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.sources.helm.render import RenderedDocument
    from crdlint.sources.previous.copies import OldFolder


@dataclass(frozen=True, slots=True)
class OldTemplate:
    """A template of the old side: its outermost chart, and its path in it."""

    chart: OldFolder
    path: str


@dataclass(slots=True)
class OldCharts:
    """The charts of the old side; each is rendered when a CRD of its templates is needed for the first time.

    `notices` contains the reasons why some are not rendered. Their templates are then read without Helm.
    """

    values: Values = field(default_factory=Values)
    uses_helm: bool = True
    notices: dict[str, None] = field(default_factory=dict)
    _rendered: dict[str, Rendered] = field(default_factory=dict)

    def documents(self, template: OldTemplate) -> Sequence[RenderedDocument]:
        """Return the documents that Helm renders of a template; none if its chart is not rendered."""
        if not self.uses_helm:
            return ()
        rendered = self._rendered.get(template.chart.name)
        if rendered is None:
            rendered = self._rendered[template.chart.name] = self._render(template.chart)
        return rendered.documents.get(template.path, ())

    def _render(self, chart: OldFolder) -> Rendered:
        from crdlint.sources.helm.check import render_as_installed

        try:
            with chart.opened() as path:
                rendered = render_as_installed(path, self.values)
                notices = [chart.named(notice, path) for notice in rendered.notices]
        except RepositoryError as error:
            rendered, notices = Rendered(), [f"{error}; its templates are read without Helm"]
        self.notices.update((f"the old chart {chart.name}: {notice}", None) for notice in notices)
        return rendered
