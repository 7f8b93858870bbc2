"""The user's secret, by which the cache distinguishes its own entries from those of a checkout."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from crdlint.files.read import UnreadableError, read_bytes

if TYPE_CHECKING:
    from pathlib import Path

_SIZE: Final = 32  # bytes
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
    """Return the secret in a file, or None if there is none that only the user can read and write."""
    try:
        status = path.lstat()
        data = read_bytes(str(path), _SIZE, follow_link=False)
    except (OSError, UnreadableError):
        return None
    if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077):
        return None
    return data if len(data) == _SIZE else None


def _make(path: Path) -> bytes | None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    secret = os.urandom(_SIZE)
    with os.fdopen(os.open(path, _CREATE, 0o600), "wb") as file:
        file.write(secret)
    return secret
