"""Signed entries in the user's cache directory, by key; the newest are kept, within a limit.

Entries are signed with the user's secret, which distinguishes them from those of a checkout; entries that others created,
changed or truncated are ignored. Entries are written atomically, so several runs may use the folder at the same time.
It imports little: `answers.py` looks for an entry before all else is imported.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path
from typing import Final

from crdlint.files.read import UnreadableError, read_bytes
from crdlint.light import regex
from crdlint.safety import atomic
from crdlint.safety.escapes import trace

_LIMIT: Final = 256 * 1024 * 1024  # the total size of all entries in bytes
_LOOK_EVERY: Final = 24 * 3600  # seconds between checks of the size of the directory
_LARGEST: Final = 64 * 1024 * 1024  # the maximum size of an entry in bytes
_FOLDER: Final = regex("[0-9a-f]{2}")
SUFFIX: Final = ".crdlint"  # git's objects and other caches have names of digits alone
_ENTRY: Final = regex(rf"[0-9a-f]{{38}}{re.escape(SUFFIX)}")
PACKS: Final = "packs"  # the name of the folder with the files of `packs.py`
_PACK: Final = regex(rf"[0-9a-f]+-[0-9a-f]{{40}}{re.escape(SUFFIX)}")
_SWEPT: Final = "swept"
_TAG: Final = "CACHEDIR.TAG"  # as backup programs know it: https://bford.info/cachedir
_TAGGED: Final = b"Signature: 8a477f597d28d172789f06886806bc55\n# The results of crdlint. The oldest ones are removed.\n"
_SIZE: Final = 32  # bytes of the secret
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def default_folder() -> Path:
    """Return the system's cache directory for crdlint; raise RuntimeError if the user has no home directory."""
    from platformdirs import user_cache_path

    folder = user_cache_path("crdlint", appauthor=False)
    if not folder.is_absolute():  # it would be a directory of the checkout
        raise RuntimeError(folder)
    return folder


def user_secret() -> bytes | None:
    """Return the secret, created on first use, or None if it cannot be stored so that only the user can read it.

    CRDLINT_CACHE_KEY replaces it, for caches that several machines share. CRDLINT_CACHE_DIR does not move it, because
    that directory may belong to the checkout.
    """
    configured = os.environ.get("CRDLINT_CACHE_KEY")
    if configured:
        return blake2b(os.fsencode(configured), digest_size=_SIZE).digest()
    with suppress(OSError, RuntimeError):
        path = default_folder() / "key"
        return _read(path) or _make(path)
    return None


def _read(path: Path) -> bytes | None:
    try:
        status = path.lstat()
        data = read_bytes(str(path), _SIZE, follow_link=False)
    except (OSError, UnreadableError):
        return None
    if hasattr(os, "geteuid") and (
        status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077
    ):
        return None
    return data if len(data) == _SIZE else None


def _make(path: Path) -> bytes | None:
    path.parent.mkdir(
        mode=0o700,
        parents=True,
        exist_ok=True,
    )
    path.unlink(missing_ok=True)
    secret = os.urandom(_SIZE)
    with os.fdopen(os.open(path, _CREATE, 0o600), "wb") as file:
        file.write(secret)
    return secret


def usable_folder() -> Path | None:
    """Return the directory of entries, or None without a home directory, and for a link of a repository."""
    try:
        folder = cache_folder()
    except RuntimeError:  # the user has no home directory
        return None
    if folder != default_folder() and _is_behind_link(folder):
        trace(f"{folder}: not used as a cache: it is a link of the repository")
        return None
    return folder


def _is_behind_link(folder: Path) -> bool:
    """Return whether a directory of a repository is a link, or is in one: the repository decides what it leads to."""
    path = Path(os.path.abspath(folder))  # noqa: PTH100  resolve() would follow links
    top = next((parent for parent in path.parents if os.path.lexists(parent / ".git")), None)
    if top is None:
        return False
    real = Path(os.path.realpath(top)) / path.relative_to(top)
    return (
        path.is_symlink() or Path(os.path.realpath(path)) != real
    )  # realpath() keeps a link to itself


def cache_folder() -> Path:
    """Return the directory of entries; raise RuntimeError if the user has no home directory."""
    configured = os.environ.get("CRDLINT_CACHE_DIR")
    return Path(configured) if configured else default_folder()


class Store:
    """The entries of a directory; `secret` signs them. Errors of reading and writing are ignored."""

    def __init__(self, folder: Path) -> None:
        self.folder: Final = folder
        self.secret: Final = user_secret()
        self._ready_folders: Final[set[str]] = set()  # names of those that are there

    def read(self, key: str) -> bytes | None:
        """Return the content of an entry, or None if there is none that is signed."""
        path = self._path(key)
        payload = self.read_signed(path)
        if payload is not None:
            with suppress(OSError):
                os.utime(path)  # the oldest entries are removed first
        return payload

    def write(self, key: str, payload: bytes) -> None:
        """Write an entry."""
        self.write_signed(self._path(key), payload)

    def read_signed(self, path: Path) -> bytes | None:
        """Return the content of a file, or None if there is none with a signature."""
        try:
            data = read_bytes(str(path), _LARGEST, follow_link=False)
        except UnreadableError:
            return None
        signature, _, payload = data.partition(b"\n")
        if self.secret is None or not compare_digest(signature, self._signature(payload)):
            return None
        return payload

    def write_signed(self, path: Path, payload: bytes) -> None:
        """Write a file with a signature."""
        if self.secret is None:
            return
        name = path.parent.name
        with suppress(OSError, ValueError):
            if name not in self._ready_folders and not self._make_folder_of(path):
                return
            self._ready_folders.add(name)
            _write_new(path, self._signature(payload) + b"\n" + payload)

    def _make_folder_of(self, path: Path) -> bool:
        """Make the directory of an entry, and return whether it is one: a link may refer to files of others."""
        self._make_folder()
        path.parent.mkdir(mode=0o700, exist_ok=True)
        return stat.S_ISDIR(path.parent.lstat().st_mode)

    def _make_folder(self) -> None:
        """Make the directory of entries, or tag one that has nothing else."""
        if self._is_tagged():
            return
        self.folder.mkdir(
            mode=0o700,
            parents=True,
            exist_ok=True,
        )
        with os.scandir(self.folder) as entries:
            is_own = all(
                entry.name in {"key", PACKS, _SWEPT} or _FOLDER.fullmatch(entry.name)
                for entry in entries
            )
        if is_own:
            atomic.write(self.folder / _TAG, _TAGGED)

    def _is_tagged(self) -> bool:
        try:
            return read_bytes(str(self.folder / _TAG), len(_TAGGED), follow_link=False) == _TAGGED
        except UnreadableError:
            return False

    def sweep(self) -> None:
        """Remove the oldest entries if there are too many, once a day, from a directory that crdlint has tagged."""
        with suppress(OSError):
            mark = self.folder / _SWEPT
            if not self._is_tagged() or time.time() - _time_of(mark) < _LOOK_EVERY:
                return
            atomic.write(mark, b"")
            entries = sorted(self._entries())
            excess = sum(size for _, size, _ in entries) - _LIMIT
            for _, size, path in entries:
                if excess <= 0:
                    break
                path.unlink(missing_ok=True)
                excess -= size

    def clear(self) -> int:
        """Remove all entries, and return how many there were."""
        removed = 0
        with suppress(OSError):
            for _, _, path in self._entries():
                path.unlink()
                removed += 1
        return removed

    def _entries(self) -> Iterator[tuple[float, int, Path]]:
        """Yield time, size and path of the files that this cache has written; links are not followed."""
        for name in self.folders():
            names = _PACK if name == PACKS else _ENTRY
            with suppress(OSError), os.scandir(self.folder / name) as files:
                for file in files:
                    if names.fullmatch(file.name) and file.is_file(follow_symlinks=False):
                        status = file.stat(follow_symlinks=False)
                        yield status.st_mtime, status.st_size, Path(file.path)

    def folders(self) -> list[str]:
        """Return the names of the folders with entries; links are not followed."""
        with suppress(OSError), os.scandir(self.folder) as entries:
            own = (each for each in entries if each.name == PACKS or _FOLDER.fullmatch(each.name))
            return [each.name for each in own if each.is_dir(follow_symlinks=False)]
        return []

    def _signature(self, payload: bytes) -> bytes:
        assert self.secret is not None  # noqa: S101  nothing is signed without one
        return blake2b(payload, digest_size=32, key=self.secret).hexdigest().encode()

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key[2:]}{SUFFIX}"


def _write_new(path: Path, data: bytes) -> None:
    """Write an entry as a whole, in the place of whatever has its name but a directory; a link there is replaced."""
    part = f"{path}.{os.getpid()}"
    try:
        descriptor = os.open(part, _CREATE, 0o600)
    except FileExistsError:  # of an earlier process with this number
        os.unlink(part)  # noqa: PTH108  as the others here
        descriptor = os.open(part, _CREATE, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(part, path)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            os.unlink(part)  # noqa: PTH108
        raise


def _time_of(mark: Path) -> float:
    """Return when the directory was swept; remove the mark if it is a link, which others may have created."""
    try:
        status = mark.lstat()
    except FileNotFoundError:
        return 0
    if stat.S_ISREG(status.st_mode):
        return status.st_mtime
    mark.unlink()
    return 0
