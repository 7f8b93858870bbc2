"""A line for each finding: `file:line:column: severity rule: message`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.fold import printable

if TYPE_CHECKING:
    from crdlint.report.checked import Checked


def render(checked: Checked) -> str:
    """Return the lines, each message in one of them."""
    return "".join(
        printable(f"{one.file}:{one.line}:{one.column}: {one.severity} {one.rule}: {' '.join(one.message.split())}")
        + "\n"
        for one in checked.diagnostics()
    )
