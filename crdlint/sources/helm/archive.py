"""Packed charts: gzipped tar archives, read as Helm reads them, with bounded work and memory.

Every premature end of an archive is an error, and so is a header that Go and Python read differently.
"""

from __future__ import annotations

import os
import posixpath
import tarfile
import zlib
from collections.abc import Callable, Iterator
from gzip import GzipFile
from io import BytesIO
from typing import Final

from crdlint.files.paths import UnreadInput, has_yaml_suffix
from crdlint.files.read import UnreadableError, decode, read_bytes, reason
from crdlint.files.recognition import LFS_POINTER, is_lfs_pointer, may_hold_crd
from crdlint.light import dataclass
from crdlint.sources.helm.layout import (
    ARCHIVES,
    CHART,
    MAX_BYTES,
    ChartLocation,
    has_unusual_name,
    location_of_member,
    may_be_installed,
    packed_names,
)

MAX_MEMBERS: Final = 20_000
MAX_HEADER: Final = 64 * 1024  # bytes of a pax or long-name header
_CHUNK: Final = 64 * 1024
_PAX: Final = b"x"
_LONG_NAMES: Final = frozenset({b"L", b"K"})
_GLOBAL: Final = b"g"
_EXTENDING: Final = frozenset({_PAX, _GLOBAL, *_LONG_NAMES})
_WITHOUT_DATA: Final = (
    tarfile.LNKTYPE,
    tarfile.SYMTYPE,
    tarfile.CHRTYPE,
    tarfile.BLKTYPE,
    tarfile.DIRTYPE,
    tarfile.FIFOTYPE,
)
_DEEPEST: Final = 8  # archives within archives


class ArchiveError(Exception):
    """An archive cannot be read to its end; `str()` is the reason."""


@dataclass(slots=True)
class ArchiveBudget:
    """The remaining limits for unpacking an archive and the archives within it."""

    bytes: int = MAX_BYTES
    members: int = MAX_MEMBERS


class _NoGlobals(dict[str, str]):
    """The records of global headers, which Go ignores."""

    def __setitem__(self, keyword: str, value: str) -> None:
        """Ignore a record."""


class _Member(tarfile.TarInfo):
    """A member of an archive; tarfile ends at a damaged header as at the end of an archive, so it is an error here."""

    def _apply_pax_info(self, pax_headers: dict[str, str], encoding: str, errors: str) -> None:
        """Apply the records of a header as Go does: empty ones have no effect, and those of sparse files are not supported."""
        records = {
            key: value
            for key, value in pax_headers.items()
            if value and not key.startswith("GNU.sparse.")
        }
        super()._apply_pax_info(records, encoding, errors)  # type: ignore[misc]  # tarfile calls it, its stub has it not

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Member:
        """Parse a header; raise ArchiveError."""
        try:
            member = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if not any(buf):
                raise  # the end of the data, or the blocks of zeros that end an archive
            raise ArchiveError(f"a header is damaged ({error}): the rest is not read") from error
        if member.type == tarfile.SOLARIS_XHDTYPE:  # for Go the header of a file
            raise ArchiveError("a header of Solaris: the rest is not read")
        if member.type in _EXTENDING and member.size > MAX_HEADER:
            raise ArchiveError("a header is too long: the rest is not read")
        if member.size < 0:
            raise ArchiveError("a header has a negative size: the rest is not read")
        member.name = _name_in(bytes(buf), member, encoding, errors)
        return member

    def _proc_member(self, archive: _Archive) -> tarfile.TarInfo:
        archive.expect(self.type)
        member: tarfile.TarInfo = super()._proc_member(archive)  # type: ignore[misc]  # as above
        return member


def _name_in(
    header: bytes,
    member: tarfile.TarInfo,
    encoding: str,
    errors: str,
) -> str:
    """Return the name that Go reads from a header: only some formats have a prefix of it. Upstream: tar.Reader.readHeader."""
    prefix = header[_PREFIX].partition(b"\0")[0]
    if not prefix or (header[_MAGIC] == b"ustar\0" and header[_TRAILER] != b"tar\0"):
        return member.name
    if not header[_MAGIC].startswith(b"ustar"):  # the format without a magic number
        return header[:_LONGEST_NAME].partition(b"\0")[0].decode(encoding, errors)
    raise ArchiveError("a header has times in the place of a prefix: the rest is not read")


_MAGIC: Final = slice(257, 263)
_PREFIX: Final = slice(345, 500)
_TRAILER: Final = slice(508, 512)
_LONGEST_NAME: Final = 100  # bytes


class _Archive(tarfile.TarFile):
    """An archive whose headers Go and Python read alike."""

    tarinfo = _Member

    def __init__(self, file: BytesIO) -> None:
        self._extending: set[bytes] = set()
        super().__init__(
            fileobj=file,
            mode="r",
            pax_headers=_NoGlobals(),
        )

    def expect(self, kind: bytes) -> None:
        """Take the type of the next header; raise ArchiveError if it is about the same field as one before it.

        Of such headers, the last one counts for Go, and the first one for Python; a global one resets Go's.
        """
        before = self._extending
        if kind not in _EXTENDING:
            before.clear()
            return
        is_mixed = (kind == _PAX and not before.isdisjoint(_LONG_NAMES)) or (
            kind in _LONG_NAMES and _PAX in before
        )
        if is_mixed or kind in before or (kind == _GLOBAL and before):
            raise ArchiveError("headers contradict each other: the rest is not read")
        if kind != _GLOBAL:
            before.add(kind)


def _loaded_name(name: str) -> str:
    """Return the path of a member as Helm loads it, below the folder that contains the chart. Upstream: LoadArchiveFiles."""
    top, _, below = name.replace("\\", "/").partition("/")
    return f"{top}/{posixpath.normpath(below)}" if below else top


def members(
    data: bytes, budget: ArchiveBudget, wants: Callable[[str], bool]
) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of a gzipped tar's files that are wanted by their names; raise ArchiveError.

    What is a file is what Helm loads as one: all but folders, links and devices.
    """
    unpacked, damage = _unpacked(data, budget)
    name = ""
    try:
        with _Archive(unpacked) as archive:
            for member in archive:
                name = _loaded_name(member.name)
                budget.members -= 1
                _check_member(member, budget)
                if member.type not in _WITHOUT_DATA and wants(name):
                    file = archive.extractfile(member)
                    yield name, b"" if file is None else file.read()
        if unpacked.read().strip(b"\0"):
            damage = damage or "data after the end of the archive: the rest is not read"
    except (ArchiveError, tarfile.TarError) as error:
        context = f" (in or after {name})" if name else ""
        damage = damage or f"{error}{context}"
    except _NOT_CHECKED:
        damage = damage or "a header is malformed: the rest is not read"
    if damage:
        raise ArchiveError(damage)


# What tarfile raises for headers that it does not check.
_NOT_CHECKED: Final = (ValueError, ArithmeticError, LookupError, RecursionError)


def _check_member(member: tarfile.TarInfo, budget: ArchiveBudget) -> None:
    """Raise ArchiveError if a member is one too many, or one that Helm reads otherwise."""
    if budget.members < 0:
        raise ArchiveError(f"more than {MAX_MEMBERS:,} files: the rest is not read")
    if not member.name:  # for Go, an empty long name is none
        raise ArchiveError("a file without a name: the rest is not read")
    if member.issparse() or member.size < 0:
        raise ArchiveError("a sparse file, or one without a size: the rest is not read")


def _unpacked(packed: bytes, budget: ArchiveBudget) -> tuple[BytesIO, str]:
    """Return the data of a gzip file, as far as it can be read, and why its rest cannot, empty for a whole file."""
    data = BytesIO()
    try:
        with GzipFile(fileobj=BytesIO(packed)) as file:
            while chunk := file.read1(_CHUNK):
                budget.bytes -= len(chunk)
                if budget.bytes < 0:
                    return (
                        data,
                        f"more than {MAX_BYTES // 1024 // 1024} MiB when unpacked: the rest is not read",
                    )
                data.write(chunk)
    except (OSError, EOFError, zlib.error) as error:
        if is_lfs_pointer(packed):
            return data, f"it is {LFS_POINTER}"
        return data, f"its compressed data is damaged ({error})"
    finally:
        data.seek(0)
    return data, ""


def packed_files(chart: str) -> Iterator[tuple[str, str, ChartLocation] | UnreadInput]:
    """Yield the name, text and location of each file that may contain CRDs in packed dependencies, and problems."""
    try:
        names = packed_names(chart)
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
        for name, data in members(read_bytes(archive, MAX_BYTES), ArchiveBudget(), _is_chart_file):
            return f"{archive}:{name}", decode(data)
    except (ArchiveError, UnreadableError):
        pass  # reported with the other files
    return None


def _is_chart_file(name: str) -> bool:
    return name.partition("/")[2] == CHART


def files_of_archive(path: str) -> Iterator[tuple[str, str, ChartLocation] | UnreadInput]:
    """Yield the name, text and location of each file of a packed chart that may contain CRDs, and problems."""
    try:
        data = read_bytes(path, MAX_BYTES)
    except UnreadableError as error:
        yield UnreadInput(path, str(error))
    else:
        yield from _files(path, data, ArchiveBudget(), 1)


def _files(
    path: str,
    data: bytes,
    budget: ArchiveBudget,
    depth: int,
) -> Iterator[tuple[str, str, ChartLocation] | UnreadInput]:
    try:
        for member, content in members(data, budget, _may_matter):
            name = f"{path}:{member}"
            if _is_packed_chart(member):
                if depth >= _DEEPEST:
                    yield UnreadInput(
                        name, f"more than {_DEEPEST} archives within each other: not read"
                    )
                    continue
                yield from _files(name, content, budget, depth + 1)
            elif may_hold_crd(content):
                try:
                    yield name, decode(content), location_of_member(path, member)
                except UnreadableError as error:
                    yield UnreadInput(name, str(error))
    except ArchiveError as error:
        yield UnreadInput(path, f"cannot be unpacked: {error}")


def _may_matter(name: str) -> bool:
    """Return whether a member may have CRDs that Helm installs."""
    if not may_be_installed(name):
        return False
    return (
        has_yaml_suffix(name)
        or has_unusual_name(location_of_member("", name).path)
        or _is_packed_chart(name)
    )


def _is_packed_chart(name: str) -> bool:
    """Return whether a member is a packed dependency."""
    return name.endswith(ARCHIVES) and name.split("/")[-2:-1] == ["charts"]
