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
    file = Path(path)
    if file.is_absolute():
        with suppress(ValueError):
            file = file.relative_to(Path.cwd())
    return file.as_posix()


def uri(path: str) -> str:
    """Return a path as a URI reference."""
    text = relative(path)
    return ("file://" if text.startswith("/") else "") + quote(text, safe="/~!$&'()*+,;=@", errors="surrogateescape")


def fingerprints(diagnostics: Iterable[Diagnostic]) -> Iterator[tuple[Diagnostic, str]]:
    """Yield each finding of a file with a fingerprint, a hash of file, CRD, rule, path and detail.

    Equal ones are numbered.
    """
    seen: Counter[str] = Counter()
    for finding in diagnostics:
        identity = "\0".join((relative(finding.file), finding.crd or "", finding.rule, finding.field, finding.detail))
        seen[identity] += 1
        yield finding, hashlib.sha256(f"{identity}\0{seen[identity]}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
