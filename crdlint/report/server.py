"""Nothing but the API server's own sentences, one a line, to be compared with kubectl's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.escapes import printable

if TYPE_CHECKING:
    from crdlint.report.checked import Checked


def render(checked: Checked) -> str:
    """Return the sentences, file by file; a message of several lines stays whole."""
    return "".join(
        f"{printable(one.message)}\n"
        for result in checked.results
        for one in result.diagnostics
        if one.origin == "apiserver" and not one.hidden
    )
