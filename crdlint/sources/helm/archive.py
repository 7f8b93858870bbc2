"""Packed charts: gzipped tar archives, read with bounded work and memory; every premature end of one is an error."""

from __future__ import annotations

import os
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from gzip import GzipFile
from io import BytesIO
from typing import Final

from crdlint.files.paths import NEVER_ENTERED, YAML_SUFFIXES, UnreadInput
from crdlint.files.read import UnreadableError, decode, read_bytes, reason
from crdlint.files.recognition import may_hold_crd
from crdlint.sources.helm.layout import ARCHIVES, CHART, ChartLocation

MAX_BYTES: Final = 100 * 1024 * 1024  # the total size of unpacked data; Helm's MaxDecompressedChartSize
MAX_MEMBERS: Final = 20_000
MAX_HEADER: Final = 64 * 1024  # bytes of a pax or long-name header
_CHUNK: Final = 64 * 1024
_EXTENDING: Final = frozenset({b"x", b"X", b"g", b"L", b"K"})
_DEEPEST: Final = 8  # archives within archives


class ArchiveError(Exception):
    """An archive cannot be read to its end; `str()` is the reason."""


@dataclass(slots=True)
class ArchiveBudget:
    """The remaining limits for unpacking an archive and the archives within it."""

    bytes: int = MAX_BYTES
    members: int = MAX_MEMBERS


class _Member(tarfile.TarInfo):
    """A member of an archive; tarfile ends at a damaged header as at the end of an archive, so it is an error here."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Member:
        """Parse a header; raise ArchiveError."""
        try:
            member = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if not any(buf):
                raise  # the end of the data, or the blocks of zeros that end an archive
            raise ArchiveError(f"a header is damaged ({error}): the rest is not read") from error
        if member.type in _EXTENDING and member.size > MAX_HEADER:
            raise ArchiveError("a header is too long: the rest is not read")
        if member.size < 0:
            raise ArchiveError("a header has a negative size: the rest is not read")
        return member


def members(data: bytes, budget: ArchiveBudget, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of a gzipped tar's files with these suffixes, none of version control; raise ArchiveError."""
    unpacked, damage = _unpacked(data, budget)
    name = ""
    try:
        with tarfile.open(fileobj=unpacked, mode="r:", tarinfo=_Member) as archive:
            for member in archive:
                name = member.name
                budget.members -= 1
                if budget.members < 0:
                    raise ArchiveError(f"more than {MAX_MEMBERS:,} files: the rest is not read")
                if member.issparse() or member.size < 0:
                    raise ArchiveError("a sparse file, or one without a size: the rest is not read")
                if member.isreg() and name.endswith(suffixes) and NEVER_ENTERED.isdisjoint(name.lower().split("/")):
                    file = archive.extractfile(member)
                    yield name, b"" if file is None else file.read()
        if unpacked.read().strip(b"\0"):
            damage = damage or "data after the end of the archive: the rest is not read"
    except (ArchiveError, tarfile.TarError) as error:
        damage = damage or f"{error}{f' (in or after {name})' if name else ''}"
    except (ValueError, ArithmeticError, LookupError, RecursionError):  # what tarfile does not check
        damage = damage or "a header is malformed: the rest is not read"
    if damage:
        raise ArchiveError(damage)


def _unpacked(packed: bytes, budget: ArchiveBudget) -> tuple[BytesIO, str]:
    """Return the data of a gzip file, as far as it can be read, and why its rest cannot, empty for a whole file."""
    data = BytesIO()
    try:
        with GzipFile(fileobj=BytesIO(packed)) as file:
            while chunk := file.read1(_CHUNK):
                budget.bytes -= len(chunk)
                if budget.bytes < 0:
                    return data, f"more than {MAX_BYTES // 1024 // 1024} MiB when unpacked: the rest is not read"
                data.write(chunk)
    except (OSError, EOFError, zlib.error) as error:
        return data, f"its compressed data is damaged ({error})"
    finally:
        data.seek(0)
    return data, ""


def has_packed(chart: str) -> bool:
    """Return whether a chart's directory of dependencies contains archives, or cannot be read."""
    try:
        return any(name.endswith(ARCHIVES) for name in _names(chart))
    except OSError:
        return True


def packed_files(chart: str) -> Iterator[tuple[str, str, ChartLocation] | UnreadInput]:
    """Yield the name, text and location of each file that may contain CRDs in packed dependencies, and problems."""
    try:
        names = _names(chart)
    except OSError as error:
        yield UnreadInput(os.path.join(chart, "charts"), reason(error))
        return
    for name in names:
        path = os.path.join(chart, "charts", name)
        if name.endswith(ARCHIVES) and not os.path.isdir(path):
            yield from files_of_archive(path)


def chart_file(archive: str) -> tuple[str, str] | None:
    """Return the name and text of the Chart.yaml of a packed chart, or None if there is none that can be read."""
    try:
        for name, data in members(read_bytes(archive, MAX_BYTES), ArchiveBudget(), (f"/{CHART}",)):
            if name.count("/") == 1:
                return f"{archive}:{name}", decode(data)
    except (ArchiveError, UnreadableError):
        pass  # reported with the other files
    return None


def files_of_archive(path: str) -> Iterator[tuple[str, str, ChartLocation] | UnreadInput]:
    """Yield the name, text and location of each file of a packed chart that may contain CRDs, and problems."""
    try:
        data = read_bytes(path, MAX_BYTES)
    except UnreadableError as error:
        yield UnreadInput(path, str(error))
    else:
        yield from _files(path, data, ArchiveBudget(), 1)


def _names(chart: str) -> list[str]:
    try:
        return sorted(os.listdir(os.path.join(chart, "charts")))
    except (FileNotFoundError, NotADirectoryError):
        return []


def _files(
    path: str, data: bytes, budget: ArchiveBudget, depth: int
) -> Iterator[tuple[str, str, ChartLocation] | UnreadInput]:
    try:
        for member, content in members(data, budget, (*YAML_SUFFIXES, *ARCHIVES)):
            name = f"{path}:{member}"
            if member.endswith(ARCHIVES):
                if member.split("/")[-2:-1] != ["charts"]:
                    continue  # not a dependency
                if depth >= _DEEPEST:
                    yield UnreadInput(name, f"more than {_DEEPEST} archives within each other: not read")
                    continue
                yield from _files(name, content, budget, depth + 1)
            elif may_hold_crd(content):
                try:
                    yield name, decode(content), _location(path, member)
                except UnreadableError as error:
                    yield UnreadInput(name, str(error))
    except ArchiveError as error:
        yield UnreadInput(path, f"cannot be unpacked: {error}")


def _location(archive: str, name: str) -> ChartLocation:
    """Return the location of a member: charts within the packed chart have directories of their own."""
    inside = name.split("/")[1:]
    while len(inside) > 2 and inside[0] == "charts":
        inside = inside[2:]
    return ChartLocation(archive, inside[0] if inside else "", "/".join(inside))
