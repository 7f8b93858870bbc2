"""How other tools identify files (paths and URIs) and findings (fingerprints, which do not depend on lines)."""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic


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


def fingerprints(diagnostics: Iterable[Diagnostic]) -> Iterator[tuple[Diagnostic, str]]:
    """Yield each finding of a file with a text of its own, made of file, CRD, rule, path and detail.

    Equal ones are numbered.
    """
    seen: Counter[str] = Counter()
    for one in diagnostics:
        held = "\0".join((relative(one.file), one.crd or "", one.rule, one.field, one.detail))
        seen[held] += 1
        yield one, hashlib.sha256(f"{held}\0{seen[held]}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
