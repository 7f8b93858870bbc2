"""The CRDs of a chart's packed dependencies: charts/*.tgz."""

from __future__ import annotations

import os
import tarfile
from typing import TYPE_CHECKING, Final

from crdlint.charts.layout import Place
from crdlint.sources.paths import Problem, reason
from crdlint.sources.read import MAX_BYTES, UnreadableError, decode, may_hold_crd

if TYPE_CHECKING:
    from collections.abc import Iterator

_YAML: Final = (".yaml", ".yml", ".json")


def packed_files(chart: str) -> Iterator[tuple[str, str, Place] | Problem]:
    """Yield the name, text and place of each file that may hold CRDs in a chart's packed dependencies, and problems."""
    folder = os.path.join(chart, "charts")
    names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    for name in names:
        if name.endswith((".tgz", ".tar.gz")):
            path = os.path.join(folder, name)
            try:
                yield from _files(path)
            except (OSError, tarfile.TarError, EOFError) as error:
                yield Problem(path, f"cannot be unpacked: {reason(error)}")


def _files(path: str) -> Iterator[tuple[str, str, Place] | Problem]:
    with tarfile.open(path, "r:gz") as archive:
        left = MAX_BYTES
        for member in archive:
            if not member.isfile() or not member.name.endswith(_YAML):
                continue
            left -= member.size
            if left < 0:
                yield Problem(path, f"more than {MAX_BYTES // 1024 // 1024} MiB when unpacked: the rest is not read")
                return
            held = archive.extractfile(member)
            data = b"" if held is None else held.read()
            if not may_hold_crd(data):
                continue
            name = f"{path}:{member.name}"
            try:
                yield name, decode(data), _place(path, member.name)
            except UnreadableError as error:
                yield Problem(name, str(error))


def _place(archive: str, name: str) -> Place:
    """Return where a member is: charts within the packed chart have folders of their own."""
    parts = name.split("/")
    inside = parts[1:]
    while len(inside) > 2 and inside[0] == "charts":
        inside = inside[2:]
    return Place(archive, inside[0] if inside else "", "/".join(inside))
