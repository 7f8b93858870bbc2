"""Nothing but the API server's own sentences, one a line, to be compared with kubectl's."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.linter import FileResult


def render(result: FileResult) -> Iterator[str]:
    """Yield the sentences about a file; a message of several lines stays whole."""
    for diagnostic in result.diagnostics:
        if diagnostic.origin == "apiserver" and not diagnostic.hidden:
            yield diagnostic.message
