"""Reading recorded requests: NDJSON files, packed or not, and files of CRDs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from ..rows import REQUESTS, read

_DOCUMENT: Final = re.compile(r"(?m)^---\s*$")


def rows(files: Iterable[Path]) -> Iterator[dict[str, Any]]:
    """Yield the requests of files, in their order; a CRD of a YAML file is a request to create it."""
    for file in files:
        if file.suffix in {".yaml", ".yml"}:
            yield from _crds(file)
        else:
            yield from read(file)


def request_files() -> list[Path]:
    """Return the files of all recorded requests."""
    return sorted([*REQUESTS.glob("*.ndjson"), *REQUESTS.glob("*.ndjson.gz")])


def _crds(file: Path) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(_DOCUMENT.split(file.read_text(encoding="utf-8"))):
        if "CustomResourceDefinition" in text:
            yield {"id": f"{file.name}#{number}", "op": "create", "yaml": text}
