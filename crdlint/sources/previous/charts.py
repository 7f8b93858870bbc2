"""The upgrades of charts: what `helm upgrade` does from the old revision of each to the new one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Final

from crdlint.diagnostics import Diagnostic
from crdlint.files.read import text_if_readable
from crdlint.files.repository import RepositoryError
from crdlint.gathering import grouped
from crdlint.light import dataclass, replace
from crdlint.linting.result import FileResult
from crdlint.sources.helm.check import Charts, load_chart
from crdlint.sources.helm.contents import ChartContents, ChartDocument, contents_of
from crdlint.sources.helm.layout import DEFAULTS
from crdlint.sources.helm.masking import mask
from crdlint.sources.helm.upgrade import Upgrade, upgrade_of
from crdlint.sources.previous.copies import OldFolder
from crdlint.sources.previous.crds import OldCharts

_NOT_COMPARED: Final = "the charts are not compared"


@dataclass(slots=True)
class ComparedCharts:
    """The findings about upgrades of charts; `decided` are the CRDs whose removal they describe.

    `notices` are charts that are not compared, with the reason.
    """

    results: list[FileResult] = field(default_factory=list)
    decided: set[str] = field(default_factory=set)
    notices: list[str] = field(default_factory=list)


def compare_charts(
    charts: Iterable[str],
    new: Charts,
    old: Mapping[str, OldFolder],
    rendered: OldCharts,
) -> ComparedCharts:
    """Compare charts of a run with the old ones that have their places, by the folders of these."""
    compared = ComparedCharts()
    for chart in charts:
        folder = old.get(os.path.normpath(chart))
        if folder is None:
            continue
        try:
            with folder.opened() as path:
                before = _old_contents(
                    path,
                    folder,
                    rendered,
                    is_needed=chart in new.versions,
                )
        except RepositoryError as error:
            compared.notices.append(f"{folder.name}: {_NOT_COMPARED}: {error}")
            continue
        upgrade = upgrade_of(before, new.contents(chart)) if before else Upgrade()
        compared.decided |= upgrade.decided
        compared.results += _results(upgrade.findings)
    return compared


def _old_contents(
    path: str,
    folder: OldFolder,
    rendered: OldCharts,
    *,
    is_needed: bool,
) -> list[ChartContents]:
    """Return the contents of an old chart, whose files get the names that users know; none if it has no CRDs.

    With `is_needed`, return them in any case.
    """
    model = load_chart(path)
    if not model.files or not (is_needed or model.may_have_crds()):
        return []
    contents = contents_of(model, rendered.rendered(folder), rendered.values or DEFAULTS)
    if path == folder.name:
        return contents
    for each in contents:
        each.documents = [_named(document, folder, path) for document in each.documents]
    return contents


def _named(document: ChartDocument, folder: OldFolder, path: str) -> ChartDocument:
    """Return a document of an opened folder with the name of its file that users know."""
    file = document.file._replace(shown=folder.named(document.file.shown, path))
    return replace(document, file=file)


def _results(findings: tuple[Diagnostic, ...]) -> Iterator[FileResult]:
    by_file = grouped(findings, lambda finding: finding.file)
    for path, own in by_file.items():
        text = text_if_readable(path) or ""
        masked = mask(text).text if "{{" in text else None
        yield FileResult(
            path,
            text,
            diagnostics=tuple(own),
            masked=masked,
        )
