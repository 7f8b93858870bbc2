"""What identifies a finding from run to run: never its line."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from crdlint.report.uris import relative

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic


def fingerprints(diagnostics: Iterable[Diagnostic]) -> Iterator[tuple[Diagnostic, str]]:
    """Yield each finding of a file with a text of its own, made of file, CRD, rule, path and detail.

    Equal ones are numbered.
    """
    seen: Counter[str] = Counter()
    for one in diagnostics:
        held = "\0".join((relative(one.file), one.crd or "", one.rule, one.field, one.detail))
        seen[held] += 1
        yield one, hashlib.sha256(f"{held}\0{seen[held]}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
