"""Results kept in the user's cache folder, by the content of a file and all else that decides what is said of it.

Entries are JSON, never code; one that cannot be read counts as none. Two runs may race: an entry is written as a whole.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from dataclasses import astuple, dataclass, fields
from functools import cache as once
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from crdlint import atomic
from crdlint.__about__ import __version__

if TYPE_CHECKING:
    from crdlint.results import FileResult

_LIMIT: Final = 256 * 1024 * 1024  # bytes of all entries
_LOOK_EVERY: Final = 24 * 3600  # seconds between looks at how large the folder is
_FORMAT: Final = "1"
_SWEPT: Final = "swept"


def cache_folder() -> Path:
    """Return where entries are kept: CRDLINT_CACHE_DIR, or the system's place for what can be made again."""
    given = os.environ.get("CRDLINT_CACHE_DIR")
    if given:
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "crdlint" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "crdlint"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "crdlint"


@dataclass(slots=True)
class Cache:
    """The entries of a folder. What cannot be read or written is done without."""

    folder: Path

    def key(self, data: bytes, options: str) -> str:
        """Return what a file's content and the options come under."""
        digest = blake2b(data, digest_size=20, key=_program())
        digest.update(options.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def get(self, key: str, file: str, text: str) -> FileResult | None:
        """Return the result kept under a key, as that of a file with such a text; None where there is none."""
        path = self._path(key)
        try:
            entry = json.loads(path.read_bytes())
            result = _result(entry, key, file, text)
        except OSError:
            return None
        except Exception:
            with suppress(OSError):
                path.unlink()
            return None
        with suppress(OSError):
            os.utime(path)  # the oldest go first
        return result

    def put(self, key: str, result: FileResult) -> None:
        """Keep a result under a key."""
        path = self._path(key)
        with suppress(OSError, ValueError):
            path.parent.mkdir(parents=True, exist_ok=True)
            atomic.write(path, json.dumps(_entry(result, key), separators=(",", ":")).encode())

    def sweep(self) -> None:
        """Take out the oldest entries where there are too many; looked at once a day."""
        with suppress(OSError):
            mark = self.folder / _SWEPT
            if not self.folder.is_dir() or (mark.exists() and time.time() - mark.stat().st_mtime < _LOOK_EVERY):
                return
            mark.touch()
            entries = sorted((path.stat().st_mtime, path.stat().st_size, path) for path in self.folder.glob("??/*"))
            excess = sum(size for _, size, _ in entries) - _LIMIT
            for _, size, path in entries:
                if excess <= 0:
                    break
                path.unlink(missing_ok=True)
                excess -= size

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]


def _entry(result: FileResult, key: str) -> list[Any]:
    crds = [[crd.name, crd.line] for crd in result.crds]
    # The file's name is put in anew: content that is moved is known.
    diagnostics = [astuple(one) for one in result.diagnostics]
    return [_FORMAT, key, result.file, result.documents, crds, result.skipped, diagnostics, list(result.notices)]


def _result(entry: list[Any], key: str, file: str, text: str) -> FileResult:
    """Return the result of an entry; raises whatever a broken one makes it raise."""
    from crdlint.diagnostics import Diagnostic, Related
    from crdlint.results import CRD, FileResult

    format_, known_key, known_file, documents, crds, skipped, diagnostics, notices = entry
    if (format_, known_key) != (_FORMAT, key):
        raise ValueError(key)
    names = [one.name for one in fields(Diagnostic)]
    made = []
    for held in diagnostics:
        given: dict[str, Any] = dict(zip(names, held, strict=True))
        if given["file"] != known_file:
            raise ValueError(known_file)
        given["file"] = file
        if given["related"] is not None:
            given["related"] = Related(*given["related"])
        made.append(Diagnostic(**given))
    return FileResult(file, text, documents, tuple(CRD(*crd) for crd in crds), skipped, tuple(made), tuple(notices))


@once
def _program() -> bytes:
    """Return what stands for the program: its version, Python's, and in a working copy the state of its files."""
    digest = blake2b(f"{_FORMAT} {__version__} {sys.version_info[:2]}".encode(), digest_size=32)
    package = Path(__file__).parents[1]
    if "site-packages" not in package.parts:
        for path in sorted(package.rglob("*.py")):
            status = path.stat()
            digest.update(f"{path} {status.st_mtime_ns} {status.st_size}".encode())
    return digest.digest()
