"""A line for each finding: `file:line:column: severity rule: message`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.escapes import printable_line

if TYPE_CHECKING:
    from crdlint.report.checked import Checked


def render(checked: Checked) -> str:
    """Return the lines, each message in one of them."""
    return "".join(
        printable_line(f"{one.file}:{one.line}:{one.column}: {one.severity} {one.rule}: {_joined(one.message)}") + "\n"
        for one in checked.diagnostics()
    )


def _joined(message: str) -> str:
    return message if "\n" not in message else " ".join(line.strip() for line in message.split("\n"))
