"""Rows of NDJSON: requests, and answers to them."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

# A request: `id`, `op`, and the texts that the operation needs (recorder/protocol.go describes them).
Request: TypeAlias = dict[str, Any]
# What a server answers: the keys of `Answer` in recorder/protocol.go.
Answer: TypeAlias = dict[str, Any]

HERE: Final = Path(__file__).resolve().parent
REQUESTS: Final = HERE / "requests"
ANSWERS: Final = HERE / "answers"

# The fields of a request that the recorder reads.
FIELDS: Final = (
    "op",
    "yaml",
    "old",
    "new",
    "established",
    "crd",
    "cr",
    "old_cr",
    "subresource",
    "as_request",
    "manager",
    "force",
)


class RowError(Exception):
    """A file has no rows of NDJSON; the text names the file and the line."""


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of an NDJSON file, which may be compressed by gzip; comments are left out.

    The path `-` is standard input. Raise RowError for a file that cannot be read.
    """
    data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    try:
        text = (gzip.decompress(data) if data.startswith(_GZIP) else data).decode()
    except (OSError, EOFError, ValueError) as error:
        raise RowError(f"{path}: {error}") from error
    yield from parse(text.split("\n"), str(path))


_GZIP: Final = b"\x1f\x8b"


def parse(lines: Iterable[str], name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows in lines of NDJSON; empty lines, and comments that begin with `#`, are left out.

    Raise RowError for another line that is no JSON object; `name` is the file for its text.
    """
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise RowError(f"{name}, line {number}: {error}") from error
        if not isinstance(row, dict):
            raise RowError(f"{name}, line {number}: not a JSON object")
        yield row


def write(stream: IO[str], row: dict[str, Any]) -> None:
    """Write one row."""
    stream.write(json.dumps(row, ensure_ascii=False) + "\n")


def families() -> list[str]:
    """Return the families of requests that the repository has, sorted by name."""
    return sorted(path.stem for path in REQUESTS.glob("*.ndjson"))


def recorded_requests(family: str | None = None) -> list[Request]:
    """Return the requests of a family, or all of them."""
    names = families() if family is None else [family]
    return [row for name in names for row in read(REQUESTS / f"{name}.ndjson")]


def asked_of(request: Request, version: str) -> bool:
    """Return whether a request is for a version: it is for all unless it names its `versions`."""
    return version in request.get("versions", [version])


def family_of(request: Request) -> str:
    """Return the family of a request: its id is `FAMILY/NUMBER`, or has more parts."""
    return str(request.get("id", "")).partition("/")[0] or "unnamed"


def question(request: Request) -> dict[str, Any]:
    """Return the part of a request that the recorder reads.

    >>> question({"id": "a/1", "op": "yaml", "yaml": "a: 1", "expect": {}})
    {'op': 'yaml', 'yaml': 'a: 1'}
    """
    return {name: request[name] for name in FIELDS if name in request}
