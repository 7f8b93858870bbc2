"""The objects of a text, read once for the requests about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from crdlint.resources.objects import objects_of
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.edit import line_starts
from crdlint.yaml.nodes import Mapping
from crdlint.yaml.parse import Document, iter_documents


@lru_cache(maxsize=8)
def roots(text: str) -> tuple[tuple[Document, int, Mapping], ...]:
    """Return the objects of a file with their document and where that starts; broken documents have none."""
    return tuple(_roots(text))


def _roots(text: str) -> Iterator[tuple[Document, int, Mapping]]:
    starts = line_starts(text)
    for document in iter_documents(text):
        with suppress(YAMLDecodeError):
            for located in objects_of(document):
                yield document, starts[min(document.line_offset, len(starts) - 1)], located.root
