"""The CRDs of packed charts: those that are named, a chart's dependencies (charts/*.tgz), and archives within them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

from crdlint.files.paths import Problem
from crdlint.files.read import UnreadableError, decode, read_bytes, reason
from crdlint.files.recognition import may_hold_crd
from crdlint.sources.helm.archive import MAX_BYTES, ArchiveError, Budget, members
from crdlint.sources.helm.layout import ARCHIVES, CHART, ChartLocation

_YAML: Final = (".yaml", ".yml", ".json")
_DEEPEST: Final = 8  # archives within archives


def has_packed(chart: str) -> bool:
    """Return whether a chart's directory of dependencies contains archives, or cannot be read."""
    try:
        return any(name.endswith(ARCHIVES) for name in _names(chart))
    except OSError:
        return True


def packed_files(chart: str) -> Iterator[tuple[str, str, ChartLocation] | Problem]:
    """Yield the name, text and location of each file that may contain CRDs in packed dependencies, and problems."""
    try:
        names = _names(chart)
    except OSError as error:
        yield Problem(os.path.join(chart, "charts"), reason(error))
        return
    for name in names:
        path = os.path.join(chart, "charts", name)
        if name.endswith(ARCHIVES) and not os.path.isdir(path):
            yield from files_of_archive(path)


def chart_file(archive: str) -> tuple[str, str] | None:
    """Return the name and text of the Chart.yaml of a packed chart, or None if there is none that can be read."""
    try:
        for member in members(read_bytes(archive, MAX_BYTES), Budget(), (f"/{CHART}",)):
            if member.name.count("/") == 1:
                return f"{archive}:{member.name}", decode(member.data)
    except (ArchiveError, UnreadableError):
        pass  # reported with the other files
    return None


def files_of_archive(path: str) -> Iterator[tuple[str, str, ChartLocation] | Problem]:
    """Yield the name, text and location of each file of a packed chart that may contain CRDs, and problems."""
    try:
        data = read_bytes(path, MAX_BYTES)
    except UnreadableError as error:
        yield Problem(path, str(error))
    else:
        yield from _files(path, data, Budget(), 1)


def _names(chart: str) -> list[str]:
    try:
        return sorted(os.listdir(os.path.join(chart, "charts")))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _files(path: str, data: bytes, budget: Budget, depth: int) -> Iterator[tuple[str, str, ChartLocation] | Problem]:
    try:
        for member in members(data, budget, (*_YAML, *ARCHIVES)):
            name = f"{path}:{member.name}"
            if member.name.endswith(ARCHIVES):
                if member.name.split("/")[-2:-1] != ["charts"]:
                    continue  # not a dependency
                if depth >= _DEEPEST:
                    yield Problem(name, f"more than {_DEEPEST} archives within each other: not read")
                    continue
                yield from _files(name, member.data, budget, depth + 1)
            elif may_hold_crd(member.data):
                try:
                    yield name, decode(member.data), _location(path, member.name)
                except UnreadableError as error:
                    yield Problem(name, str(error))
    except ArchiveError as error:
        yield Problem(f"{path}:{error.member}" if error.member else path, f"cannot be unpacked: {error}")


def _location(archive: str, name: str) -> ChartLocation:
    """Return the location of a member: charts within the packed chart have directories of their own."""
    parts = name.split("/")
    inside = parts[1:]
    while len(inside) > 2 and inside[0] == "charts":
        inside = inside[2:]
    return ChartLocation(archive, inside[0] if inside else "", "/".join(inside))
