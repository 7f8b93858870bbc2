"""`crdlint check --fix`: files written back with what could be mended mended."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from crdlint.sources.read import encoding_of, read_bytes

if TYPE_CHECKING:
    from crdlint.results import FileResult


class UnwritableError(Exception):
    """A file that cannot be written; ``str`` says why."""


@dataclass(slots=True)
class Fixing:
    """What has been mended so far, and what would be with unsafe fixes."""

    unsafe: bool
    files: int = 0
    withheld: int = 0

    def mend(self, path: str, result: FileResult) -> str | None:
        """Write a file back mended, and return its text; None where nothing is to be mended. Raises UnwritableError."""
        from crdlint.fixes import fixed

        text = fixed(result, unsafe=self.unsafe)
        if not self.unsafe and fixed(result, unsafe=True) != text:
            self.withheld += 1
        if text == result.text:
            return None
        mark, encoding = encoding_of(read_bytes(path))
        _replace(Path(path), mark + text.encode(encoding))
        self.files += 1
        return text

    def summary(self) -> str:
        """Return a line on what was done."""
        done = f"mended {self.files} file{'' if self.files == 1 else 's'}"
        if not self.withheld:
            return done
        return f"{done}; {self.withheld} more could be mended by setting limits: --unsafe-fixes does"


def _replace(path: Path, data: bytes) -> None:
    """Write a file as a whole or not at all, its permissions kept."""
    target = path.resolve()
    try:
        mode = target.stat().st_mode
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            file.write(data)
        Path(file.name).chmod(mode & 0o7777)
        os.replace(file.name, target)  # noqa: PTH105
    except OSError as error:
        message = f"cannot be written: {error.strerror or error}"
        raise UnwritableError(message) from error
