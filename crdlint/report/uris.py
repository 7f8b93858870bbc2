"""Files as other tools know them: relative to the working directory, with forward slashes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from urllib.parse import quote


def relative(path: str) -> str:
    """Return a path relative to the working directory where it is below that, with forward slashes."""
    given = Path(path)
    if given.is_absolute():
        with suppress(ValueError):
            given = given.relative_to(Path.cwd())
    return given.as_posix()


def uri(path: str) -> str:
    """Return a path as a URI reference."""
    text = relative(path)
    return ("file://" if text.startswith("/") else "") + quote(text, safe="/~!$&'()*+,;=@", errors="surrogateescape")
