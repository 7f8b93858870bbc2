"""A cache of results in the user's cache directory, by the content of a file and all other inputs of the check.

Entries are JSON, never code, and signed with the user's secret, which distinguishes them from those of a checkout; entries
that others created, changed or truncated are ignored. Entries are written atomically, so several runs may use the cache at
the same time.
"""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import field, fields
from hashlib import blake2b
from hmac import compare_digest
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from crdlint.diagnostics import Diagnostic, Fix, Related
from crdlint.files.read import UnreadableError, read_bytes
from crdlint.light import dataclass, regex, replace
from crdlint.linting.result import CRD, FileResult, ResourceName
from crdlint.runner.program import program_digest
from crdlint.safety import atomic
from crdlint.safety.bugs import has_failed
from crdlint.safety.escapes import trace
from crdlint.yaml.edit import Edit

_LIMIT: Final = 256 * 1024 * 1024  # the total size of all entries in bytes
_LOOK_EVERY: Final = 24 * 3600  # seconds between checks of the size of the directory
_LARGEST: Final = 64 * 1024 * 1024  # the maximum size of an entry in bytes
_FORMAT: Final = "6"
_FOLDER: Final = regex("[0-9a-f]{2}")
_SUFFIX: Final = ".crdlint"  # git's objects and other caches have names of digits alone
_ENTRY: Final = regex(rf"[0-9a-f]{{38}}{re.escape(_SUFFIX)}")
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
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    secret = os.urandom(_SIZE)
    with os.fdopen(os.open(path, _CREATE, 0o600), "wb") as file:
        file.write(secret)
    return secret


def open_cache() -> Cache | None:
    """Return the user's cache, in CRDLINT_CACHE_DIR or the system's cache directory, or None if neither is available."""
    try:
        folder = cache_folder()
    except RuntimeError:  # the user has no home directory
        return None
    if folder != default_folder() and _is_behind_link(folder):
        trace(f"{folder}: not used as a cache: it is a link of the repository")
        return None
    return Cache(folder)


def _is_behind_link(folder: Path) -> bool:
    """Return whether a directory of a repository is a link, or is in one: the repository decides what it leads to."""
    path = Path(os.path.abspath(folder))  # noqa: PTH100  resolve() would follow links
    top = next((parent for parent in path.parents if os.path.lexists(parent / ".git")), None)
    return top is not None and path.resolve() != top.resolve() / path.relative_to(top)


def cache_folder() -> Path:
    """Return the directory of entries; raise RuntimeError if the user has no home directory."""
    configured = os.environ.get("CRDLINT_CACHE_DIR")
    return Path(configured) if configured else default_folder()


@dataclass(slots=True)
class Cache:
    """The entries of a directory; `secret` signs them. Errors of reading and writing are ignored."""

    folder: Path
    secret: bytes | None = field(default_factory=user_secret, repr=False)
    # The names of those below `folder` that are there
    _ready_folders: set[str] = field(default_factory=set, repr=False)

    def key(self, data: bytes, options: str) -> str:
        """Return the key for the content of a file and the options."""
        digest = blake2b(data, digest_size=20, key=program_digest())
        digest.update(_FORMAT.encode())
        digest.update(options.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def get(self, key: str, file: str, text: str) -> FileResult | None:
        """Return the cached result for a key, with a file name and text, or None."""
        path = self._path(key)
        try:
            signature, _, payload = read_bytes(str(path), _LARGEST, follow_link=False).partition(
                b"\n"
            )
            if self.secret is None or not compare_digest(signature, self._signature(payload)):
                return None
            result = _result(json.loads(payload), key, file, text)
        except Exception:
            return None
        with suppress(OSError):
            os.utime(path)  # the oldest entries are removed first
        return result

    def put(self, key: str, result: FileResult) -> None:
        """Store a result under a key."""
        if self.secret is None or has_failed():
            return
        path = self._path(key)
        with suppress(OSError, ValueError):
            payload = json.dumps(_entry(result, key), separators=(",", ":")).encode()
            if key[:2] not in self._ready_folders and not self._make_folder_of(path):
                return
            self._ready_folders.add(key[:2])
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
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.scandir(self.folder) as entries:
            is_own = all(
                entry.name in {"key", _SWEPT} or _FOLDER.fullmatch(entry.name) for entry in entries
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
        with os.scandir(self.folder) as folders:
            folders_of_entries = [
                each.path
                for each in folders
                if _FOLDER.fullmatch(each.name) and each.is_dir(follow_symlinks=False)
            ]
        for folder in folders_of_entries:
            with suppress(OSError), os.scandir(folder) as files:
                for file in files:
                    if _ENTRY.fullmatch(file.name) and file.is_file(follow_symlinks=False):
                        status = file.stat(follow_symlinks=False)
                        yield status.st_mtime, status.st_size, Path(file.path)

    def _signature(self, payload: bytes) -> bytes:
        assert self.secret is not None  # noqa: S101  nothing is signed without one
        return blake2b(payload, digest_size=32, key=self.secret).hexdigest().encode()

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key[2:]}{_SUFFIX}"


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


def _entry(result: FileResult, key: str) -> list[Any]:
    crds = [[crd.name, crd.line, crd.names] for crd in result.crds]
    # The name of the file is replaced on reading, because files with the same content share an entry.
    diagnostics = [_values(finding) for finding in result.diagnostics]
    return [
        _FORMAT,
        key,
        result.file,
        result.documents,
        crds,
        result.skipped,
        diagnostics,
        list(result.notices),
    ]


_FIELDS: Final = tuple(column.name for column in fields(Diagnostic))
_values_of: Final = attrgetter(*_FIELDS)
_RELATED, _FIX = map(_FIELDS.index, ("related", "fix"))


def _values(finding: Diagnostic) -> list[Any]:
    """Return the values of a finding in the order of its fields, without classes."""
    values = list(_values_of(finding))
    related, fix = finding.related, finding.fix
    if related is not None:
        values[_RELATED] = [related.label, related.file, related.line, related.column, related.text]
    if fix is not None:
        edits = [[edit.start, edit.end, edit.text] for edit in fix.edits]
        values[_FIX] = [fix.title, fix.applicability, edits]
    return values


def _result(entry: list[Any], key: str, file: str, text: str) -> FileResult:
    """Return the result of an entry; an invalid entry raises any exception."""
    format_, known_key, known_file, documents, crds, skipped, diagnostics, notices = entry
    if (format_, known_key) != (_FORMAT, key):
        raise ValueError(key)
    findings = []
    for values in diagnostics:
        arguments: dict[str, Any] = dict(zip(_FIELDS, values, strict=True))
        if arguments["file"] != known_file:
            raise ValueError(known_file)
        related, fix = arguments["related"], arguments["fix"]
        arguments["file"] = file
        if related is not None:
            position = Related(*related)
            arguments["related"] = (
                replace(position, file=file) if position.file == known_file else position
            )
        arguments["fix"] = fix and Fix(fix[0], fix[1], tuple(Edit(*edit) for edit in fix[2]))
        findings.append(Diagnostic(**arguments))
    definitions = tuple(
        CRD(name, line, tuple(ResourceName(*each) for each in others))
        for name, line, others in crds
    )
    return FileResult(file, text, documents, definitions, skipped, tuple(findings), tuple(notices))
