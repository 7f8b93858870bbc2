"""The check of the size of a chart's release, which costs nothing for charts that are far from the limit."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crdlint.crd.positions import Span, node_span
from crdlint.files.read import UnreadableError, decode, read_bytes
from crdlint.linting.result import FileResult
from crdlint.rules.charts import RELEASE_TOO_LARGE
from crdlint.safety.programs import find
from crdlint.sources.helm.check import manifest_as_installed
from crdlint.sources.helm.layout import CHART
from crdlint.sources.helm.release import LIMIT, chart_files, release_of
from crdlint.sources.helm.render import chart_digest
from crdlint.yaml.nodes import Mapping
from crdlint.yaml.parse import parse_first

if TYPE_CHECKING:
    from crdlint.sources.helm.check import Results
    from crdlint.sources.helm.release import ChartFiles, Release
    from crdlint.sources.helm.render import Values

NEAR: Final = LIMIT * 3 // 4
_SHOWN: Final = 5  # CRDs
_DESCRIPTIONS: Final = 3
_WORTH_A_WORD: Final = 100  # bytes that a description saves


def check_release(chart: str, values: Values, *, uses_helm: bool, cache: Results | None = None) -> FileResult | None:
    """Return the result for the Chart.yaml of a chart whose release is near the limit or above it, or None.

    The sizes of its files are enough for most charts. The others are compressed, and rendered if they are near the limit.
    """
    files = chart_files(chart)
    if files.at_most() < NEAR:
        return None
    path = os.path.join(chart, CHART)
    program = find("helm") if uses_helm else None
    digest = chart_digest(chart, values, program) if cache is not None else None
    key = None if cache is None or digest is None else cache.key(digest, "release")
    result = None if cache is None or key is None else cache.get(key, path, "")
    if result is None:
        result = _checked(path, files, values, uses_helm=uses_helm) or FileResult(path, "", 0, (), 0, ())
        if cache is not None and key is not None:
            cache.put(key, result)
    return result if result.diagnostics else None


def _checked(path: str, files: ChartFiles, values: Values, *, uses_helm: bool) -> FileResult | None:
    rough = release_of(files, level=1)
    if rough is None or rough.size < NEAR:
        return None
    release = release_of(files)
    if release is None or release.size < NEAR:
        return None
    chart = files.folder
    manifest = manifest_as_installed(chart, values) if uses_helm else None
    if manifest is not None:
        release = release_of(files, manifest)
        if release is None or release.size < NEAR:
            return None
    try:
        text = decode(read_bytes(path))
    except UnreadableError:
        return None
    root = parse_first(text).root
    entry = root.find("name") if isinstance(root, Mapping) else None
    span = Span(1, 1, 1, 2) if entry is None else node_span(entry[0])
    finding = RELEASE_TOO_LARGE.diagnostic(path, "advice", _message(release), span, _help(release))
    if release.size <= LIMIT:
        finding = replace(finding, severity="info")
    return FileResult(path, text, 1, (), 0, (finding,))


def _message(release: Release) -> str:
    """Return the size of a release, and the shares of its largest CRDs."""
    size, limit = _kibibytes(release.size), _kibibytes(LIMIT)
    if release.size > LIMIT:
        start = f"the release needs about {size}, more than the {limit} that a Secret can store"
    else:
        start = f"the release needs about {size} of the {limit} that a Secret can store"
    shares = sorted(release.shares.items(), key=lambda share: -share[1])
    if not shares:
        return start
    total = _kibibytes(sum(release.shares.values()))
    named = [f"{crd} {_kibibytes(share)} ({share / release.size:.0%})" for crd, share in shares[:_SHOWN]]
    more = [f"{len(shares) - _SHOWN:,} more"] if len(shares) > _SHOWN else []
    return f"{start}; {total} are CRDs: {', '.join([*named, *more])}"


def _help(release: Release) -> str:
    """Return the help of the rule, and what removing descriptions saves."""
    saved = release.without_descriptions()
    if saved < _WORTH_A_WORD:
        return "Move large files out of the chart, or list them in `.helmignore`" if not release.shares else _MOVE
    enough = "" if release.size - saved <= LIMIT else ", which is not enough"
    parts = [
        "Remove the descriptions of the CRDs (controller-gen `crd:maxDescLen=0`): that saves about "
        f"{_kibibytes(saved)}{enough}",
        f"Or {_MOVE[0].lower()}{_MOVE[1:]}",
    ]
    largest = [
        f"`{path.removeprefix('.') or 'self'}` of {crd} ({bytes_:,} bytes)"
        for crd, path, bytes_ in release.largest_descriptions(_DESCRIPTIONS)
        if bytes_ >= _WORTH_A_WORD
    ]
    if largest:
        parts.append(f"The largest descriptions, with what each saves: {', '.join(largest)}")
    return ". ".join(parts)


_MOVE: Final = "Move the CRDs to the `crds/` folder of a chart in `charts/`, whose files Helm does not store"


def _kibibytes(size: int) -> str:
    return f"{size / 1024:,.0f} KiB"
