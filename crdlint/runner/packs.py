"""Packs: files with the entries that a run of many files has added, since a file for each entry costs more than its check.

A pack belongs to the inputs that the run was asked to check. The next run of these reads it as a whole.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from crdlint.runner.store import PACKS as FOLDER
from crdlint.runner.store import SUFFIX, Store

_MOST: Final = 500  # entries in a pack, and characters in one, at which it is written
_LARGE: Final = 4_000_000
_MOST_PACKS: Final = 16  # of the same inputs: above that, those without a use are removed


class Packs:
    """The packs of a store that belong to the same inputs, which a digest in hexadecimal digits names."""

    def __init__(self, store: Store, inputs: str) -> None:
        self._store: Final = store
        self._inputs: Final = inputs
        self._added: Final[dict[str, bytes]] = {}
        self._size = 0
        self._packs: Final = {path: self._entries(path) for path in self._paths()}
        self._of_key: Final = {key: path for path, pack in self._packs.items() for key in pack}
        self._used: Final[set[Path]] = set()
        self._others: Final = frozenset(store.folders())

    def get(self, key: str) -> bytes | None:
        """Return an entry of the packs, of this run, or of the store, None if there is none."""
        path = self._of_key.get(key)
        if path is not None:
            self._used.add(path)
            return self._packs[path][key]
        # Most runs that have packs find none of the other entries.
        return self._added.get(key) or (self._store.read(key) if key[:2] in self._others else None)

    def add(self, key: str, payload: bytes) -> None:
        """Add an entry; it is written with others."""
        self._added[key] = payload
        self._size += len(payload)
        if len(self._added) >= _MOST or self._size >= _LARGE:
            self.save()

    def save(self) -> None:
        """Write what was added."""
        if self._added:
            lines = [b"%s %s\n" % (key.encode(), entry) for key, entry in self._added.items()]
            name = f"{self._inputs}-{min(self._added)}{SUFFIX}"
            self._store.write_signed(self._store.folder / FOLDER / name, b"".join(lines))
        self._added.clear()
        self._size = 0

    def close(self) -> None:
        """Write what was added, and make the packs that were used the newest; of many, the others are removed."""
        self.save()
        for path in self._packs:
            with suppress(OSError):
                if path in self._used:
                    os.utime(path)
                elif len(self._packs) > _MOST_PACKS:
                    path.unlink()

    def _paths(self) -> list[Path]:
        with suppress(OSError):
            return sorted((self._store.folder / FOLDER).glob(f"{self._inputs}-*{SUFFIX}"))
        return []

    def _entries(self, path: Path) -> dict[str, bytes]:
        lines = (self._store.read_signed(path) or b"").splitlines()
        return {key.decode(): entry for key, _, entry in (line.partition(b" ") for line in lines)}
