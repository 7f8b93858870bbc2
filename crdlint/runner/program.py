"""What a result depends on besides the input: the files of crdlint, of Python, and of the libraries that parse."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from crdlint.files.read import entries_of

_PACKAGE: Final = Path(__file__).parents[1]
_PARSERS: Final = ("_ruamel_yaml", "re2")  # libyaml's binding, and regular expressions
_BYTECODE: Final = "__pycache__"


@cache
def program_digest() -> bytes:
    """Return a digest that differs between two programs that may have different results.

    Two commits may have the same version, and files may have been unpacked with the same sizes and times.
    """
    digest = blake2b(sys.version.encode(), digest_size=32)
    for part in (*_contents(), *states_of(_PARSERS), *_states()):
        digest.update(part)
    return digest.digest()


def _states() -> Iterator[bytes]:
    """Yield the state of each file of crdlint."""
    pending = [str(_PACKAGE)] if _PACKAGE.is_dir() else []
    while pending:
        for entry in entries_of(pending.pop()):
            if entry.is_dir():
                pending += () if entry.name == _BYTECODE else (entry.path,)
            else:
                yield _state(entry.path, entry.stat())


def _state(path: str, status: os.stat_result) -> bytes:
    return f"{path} {status.st_mtime_ns} {status.st_size}\n".encode("utf-8", "surrogatepass")


def _contents() -> Iterator[bytes]:
    """Yield what describes the contents of crdlint's files: the list with their hashes, or that of a zip archive."""
    if _PACKAGE.is_dir():
        for record in sorted(_PACKAGE.parent.glob("crdlint-*.dist-info/RECORD")):
            yield record.read_bytes()
        return
    from zipfile import ZipFile

    archive = next(parent for parent in _PACKAGE.parents if parent.is_file())
    with ZipFile(archive) as members:
        yield from (f"{member.filename} {member.CRC}\n".encode() for member in members.infolist())


def states_of(libraries: Iterable[str]) -> Iterator[bytes]:
    """Yield the state of each library's files, also of one that is a package."""
    for name in libraries:
        spec = find_spec(name)
        origin = None if spec is None else spec.origin
        if origin is None:
            continue
        folder, module = os.path.split(origin)
        if module != "__init__.py":
            yield _state(origin, Path(origin).stat())
            continue
        for entry in entries_of(folder):
            if "." in entry.name:
                yield _state(entry.path, entry.stat())
