"""Packed charts, read as Helm reads them (Go's archive/tar and compress/gzip), with bounded work and memory.

Python's tarfile silently stops at a damaged header. Here every premature end of an archive is an error.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from crdlint.files.paths import NEVER_ENTERED, YAML_SUFFIXES, Problem
from crdlint.files.read import UnreadableError, decode, read_bytes, reason
from crdlint.files.recognition import may_hold_crd
from crdlint.sources.helm.layout import ARCHIVES, CHART, ChartLocation

MAX_BYTES: Final = 100 * 1024 * 1024  # the total size of unpacked data; Helm's MaxDecompressedChartSize
MAX_MEMBERS: Final = 20_000
MAX_HEADER: Final = 64 * 1024  # bytes of a pax or long-name header
MAX_HEADERS: Final = 2 * 1024 * 1024  # bytes of all such headers
_BLOCK: Final = 512
_CHUNK: Final = 64 * 1024
_GZIP: Final = 16 + zlib.MAX_WBITS
_REGULAR: Final = frozenset({b"0", b"\0", b"7"})
_EXTENDING: Final = frozenset({b"x", b"g", b"L", b"K"})
_WITHOUT_DATA: Final = frozenset({b"1", b"2", b"3", b"4", b"5", b"6"})  # links, devices, folders and pipes


class ArchiveError(Exception):
    """An archive cannot be read to its end; `str()` is the reason, `member` the file in which the error occurred."""

    def __init__(self, message: str, member: str = "") -> None:
        super().__init__(message)
        self.member = member


@dataclass(slots=True)
class Budget:
    """The remaining limits for unpacking an archive and the archives within it."""

    bytes: int = MAX_BYTES
    members: int = MAX_MEMBERS
    headers: int = MAX_HEADERS


def members(data: bytes, budget: Budget, suffixes: tuple[str, ...]) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of the regular files of a gzipped tar archive with one of the suffixes; raise ArchiveError.

    Folders of version control are skipped.
    """
    if not data:
        raise ArchiveError("it is empty")
    stream = _Unpacked(_chunks(data, budget))
    header = _Header()
    while block := stream.read(_BLOCK):
        if len(block) < _BLOCK:
            raise ArchiveError("it ends within a header", header.name)
        if not any(block):  # the first of the two blocks that end an archive
            while rest := stream.read(_CHUNK):
                if any(rest):
                    raise ArchiveError("data after the end of the archive: the rest is not read")
            return
        budget.members -= 1
        if budget.members < 0:
            raise ArchiveError(f"more than {MAX_MEMBERS:,} files: the rest is not read")
        header.read(block)
        kind, name = header.kind, header.name
        size = 0 if kind in _WITHOUT_DATA else header.size
        if kind in _EXTENDING:
            budget.headers -= size
            if size > MAX_HEADER or budget.headers < 0:
                raise ArchiveError("headers that are too long: the rest is not read", name)
            header.extend(kind, stream.exactly(size, name))
        elif kind == b"S" or any(key.startswith("GNU.sparse.") for key in header.extended):  # a part of the file
            raise ArchiveError("a sparse file: the rest is not read", name)
        else:
            if kind in _REGULAR and name.endswith(suffixes) and NEVER_ENTERED.isdisjoint(name.lower().split("/")):
                yield name, stream.exactly(size, name)
            else:
                stream.skip(size, name)
            header.extended.clear()
        stream.skip(-size % _BLOCK, name)


@dataclass(slots=True)
class _Header:
    """The header of a member, with the headers before it that extend it. Upstream: archive/tar, reader.go."""

    kind: bytes = b""
    name: str = ""
    size: int = 0
    extended: dict[str, str] = field(default_factory=dict)

    def read(self, block: bytes) -> None:
        """Parse a header block; raise ArchiveError."""
        own = _number(block[148:156])
        blank = block[:148] + b" " * 8 + block[156:]
        signed = sum(byte - 256 if byte > 127 else byte for byte in blank)
        if own is None or own not in {sum(blank), signed}:
            raise ArchiveError("the checksum of a header is wrong: the rest is not read", self.name)
        self.kind = block[156:157]
        name = _text(block[:100])
        prefix = _text(block[345:500]) if block[257:263] == b"ustar\0" else ""
        extended = self.extended if self.kind not in _EXTENDING else {}
        self.name = extended.get("path") or (f"{prefix}/{name}" if prefix else name)
        size_record = extended.get("size")
        size = _decimal(size_record) if size_record is not None else _number(block[124:136])
        if size is None:
            raise ArchiveError("a header has an invalid size: the rest is not read", self.name)
        self.size = size

    def extend(self, kind: bytes, data: bytes) -> None:
        """Apply the content of a header that extends the next one; raise ArchiveError."""
        if kind == b"L":
            self.extended["path"] = _text(data)
        elif kind == b"x":
            self.extended.update(_pax(data, self.name))


def _pax(data: bytes, name: str) -> dict[str, str]:
    """Return the records of a pax header, each `length key=value` and a newline. Upstream: parsePAXRecord."""
    records = {}
    start = 0
    while start < len(data):
        space = data.find(b" ", start, start + 8)
        length = _decimal(data[start:space].decode("ascii", "replace")) if space > start else None
        record = b"" if length is None else data[space + 1 : start + length]
        key, equals, value = record[:-1].partition(b"=")
        if length is None or start + length > len(data) or record[-1:] != b"\n" or not equals or not key:
            raise ArchiveError("a pax header is malformed: the rest is not read", name)
        records[key.decode("utf-8", "surrogateescape")] = value.decode("utf-8", "surrogateescape")
        start += length
    return records


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "surrogateescape")


def _decimal(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None


def _number(field: bytes) -> int | None:
    """Return a number in octal digits, or in binary if the first bit is set, or None if it is invalid or negative."""
    if field[0] & 0x80:
        value = int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big")
        return value if field[0] & 0x40 == 0 and value < 1 << 63 else None
    digits = field.strip(b" \0").partition(b"\0")[0].decode("ascii", "replace")
    return int(digits or "0", 8) if not digits.strip("01234567") else None


def _chunks(packed: bytes, budget: Budget) -> Iterator[bytes]:
    """Yield the data of a gzip file, which may have several parts, as in Go; raise ArchiveError."""
    offset = 0
    while offset < len(packed):
        inflating, pending = zlib.decompressobj(_GZIP), b""
        while not inflating.eof:
            if not pending:
                pending = packed[offset : offset + _CHUNK]
                offset += len(pending)
            if not pending:
                raise ArchiveError("it ends too early")
            try:
                chunk = inflating.decompress(pending, _CHUNK)
            except zlib.error as error:
                raise ArchiveError(f"its compressed data is damaged ({str(error).rpartition(': ')[2]})") from error
            pending = inflating.unconsumed_tail
            budget.bytes -= len(chunk)
            if budget.bytes < 0:
                raise ArchiveError(f"more than {MAX_BYTES // 1024 // 1024} MiB when unpacked: the rest is not read")
            yield chunk
        offset -= len(inflating.unused_data)


@dataclass(slots=True)
class _Unpacked:
    """Unpacked data, of which `ready` is not read yet."""

    chunks: Iterator[bytes]
    ready: bytearray = field(default_factory=bytearray)

    def read(self, size: int) -> bytes:
        """Return the next bytes, fewer only at the end; raise ArchiveError."""
        while len(self.ready) < size and (chunk := next(self.chunks, None)) is not None:
            self.ready += chunk
        data = bytes(self.ready[:size])
        del self.ready[:size]
        return data

    def exactly(self, size: int, name: str) -> bytes:
        """Return exactly `size` bytes; raise ArchiveError if the archive ends before."""
        data = self.read(min(size, MAX_BYTES + 1))
        if len(data) < size:
            raise ArchiveError("it ends within this file", name)
        return data

    def skip(self, size: int, name: str) -> None:
        """Skip exactly `size` bytes; raise ArchiveError."""
        while size > 0:
            size -= len(self.exactly(min(size, _CHUNK), name))


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
        for name, data in members(read_bytes(archive, MAX_BYTES), Budget(), (f"/{CHART}",)):
            if name.count("/") == 1:
                return f"{archive}:{name}", decode(data)
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
        for member, content in members(data, budget, (*YAML_SUFFIXES, *ARCHIVES)):
            name = f"{path}:{member}"
            if member.endswith(ARCHIVES):
                if member.split("/")[-2:-1] != ["charts"]:
                    continue  # not a dependency
                if depth >= _DEEPEST:
                    yield Problem(name, f"more than {_DEEPEST} archives within each other: not read")
                    continue
                yield from _files(name, content, budget, depth + 1)
            elif may_hold_crd(content):
                try:
                    yield name, decode(content), _location(path, member)
                except UnreadableError as error:
                    yield Problem(name, str(error))
    except ArchiveError as error:
        yield Problem(f"{path}:{error.member}" if error.member else path, f"cannot be unpacked: {error}")


def _location(archive: str, name: str) -> ChartLocation:
    """Return the location of a member: charts within the packed chart have directories of their own."""
    inside = name.split("/")[1:]
    while len(inside) > 2 and inside[0] == "charts":
        inside = inside[2:]
    return ChartLocation(archive, inside[0] if inside else "", "/".join(inside))
