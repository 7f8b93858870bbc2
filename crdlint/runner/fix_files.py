"""`crdlint check --fix`: files written back with what could be mended mended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.inputs.read import UnreadableError, decode, encoding_of, read_bytes
from crdlint.safety import atomic

if TYPE_CHECKING:
    from crdlint.linting.result import FileResult


_CHANGED: Final = "not fixed: the file was changed while crdlint ran; run it again"


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
        from crdlint.runner.fixes import fixed

        text = fixed(result, unsafe=self.unsafe)
        if not self.unsafe and fixed(result, unsafe=True) != text:
            self.withheld += 1
        if text == result.text:
            return None
        _replace(path, result.text, text)
        self.files += 1
        return text

    def summary(self) -> str:
        """Return a line on what was done."""
        done = f"mended {self.files} file{'' if self.files == 1 else 's'}"
        if not self.withheld:
            return done
        return f"{done}; {self.withheld} more could be mended by setting limits: --unsafe-fixes does"


def _replace(path: str, checked: str, fixed: str) -> None:
    """Write the fixed text of a file whose text was ``checked``, in the file's encoding. Raises UnwritableError."""
    try:
        data = read_bytes(path)
        if decode(data) != checked:
            raise UnwritableError(_CHANGED)
        mark, encoding = encoding_of(data)
        atomic.write(path, mark + fixed.encode(encoding), made_from=data)
    except (UnreadableError, atomic.ChangedError) as error:
        raise UnwritableError(_CHANGED) from error
    except OSError as error:
        raise UnwritableError(f"cannot be written: {error.strerror or error}") from error
